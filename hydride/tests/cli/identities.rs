//! The equations of `dictionary.json` by which operations are folded, on random values.

use std::collections::BTreeMap;

use hydride_ir::passes::instantiate;
use hydride_ir::{Bits, Function};
use llvm_text::{Scalar, Type};
use serde_json::Value;

use crate::support::*;

/// Random values for each equation at each instance.
const INPUTS: usize = 4;

#[test]
fn equations_hold_on_random_values() {
    for specs in document_folders() {
        let dictionary = read_json(&shared_output(&specs, ALL).join("dictionary.json"));
        let mut random = Random::new(1);
        let mut tried = 0;
        for operation in dictionary["operations"].as_array().unwrap() {
            let equations = operation["identities"].as_array().unwrap();
            if equations.is_empty() {
                continue;
            }
            let function = Function::parse(operation["function"].as_str().unwrap()).unwrap();
            for instance in instances(operation, &function) {
                for equation in equations.iter().flat_map(|equation| std::iter::repeat_n(equation, INPUTS)) {
                    instance.check(equation, &mut random);
                    tried += 1;
                }
            }
        }
        println!("{tried} evaluations agree");
        assert!(tried > 0);
    }
}

/// An operation at given parameter values and types.
struct Instance {
    function: Function,
    /// The width of an element of each argument, and of the result.
    elements: Vec<u32>,
    result: u32,
}

/// The distinct instances of an operation's members.
fn instances(operation: &Value, function: &Function) -> Vec<Instance> {
    let mut distinct = BTreeMap::new();
    for member in operation["members"].as_array().unwrap() {
        let params = function.params.iter();
        let params: Vec<i64> = params.map(|param| member["params"][&param.name].as_i64().unwrap()).collect();
        distinct.entry(params).or_insert(&member["types"]);
    }
    let instance = |(params, types): (Vec<i64>, &Value)| Instance {
        function: instantiate(function, &params).unwrap(),
        elements: types["args"].as_array().unwrap().iter().map(element).collect(),
        result: element(&types["results"][0]),
    };
    distinct.into_iter().map(instance).collect()
}

/// The width of an element of one of LLVM's types: 8 of `<16 x i8>` and of `i8`.
fn element(ty: &Value) -> u32 {
    let ty: Type = ty.as_str().unwrap().parse().unwrap();
    ty.element().map_or_else(|| ty.width().unwrap(), Scalar::width)
}

/// The constant of that name in every element.
fn splat(name: &Value, element: u32, width: u32) -> Bits {
    let is_set = |position: u32| match name.as_str().unwrap() {
        "zero" => false,
        "one" => position == 0,
        "ones" => true,
        "least" => position == element - 1,
        "greatest" => position != element - 1,
        other => panic!("no constant is called {other}"),
    };
    let digit = |digit: u32| {
        let bits = (4 * digit..4 * digit + 4).filter(|bit| *bit < width && is_set(bit % element));
        char::from_digit(bits.map(|bit| 1 << (bit % 4)).sum(), 16).unwrap()
    };
    let digits: String = (0..width.div_ceil(4)).rev().map(digit).collect();
    Bits::from_hex(width, &digits).unwrap()
}

impl Instance {
    fn run(&self, args: &[Bits]) -> Bits {
        interp::evaluate(&self.function, args).unwrap().remove(0)
    }

    /// Evaluates both sides of an equation.
    fn check(&self, equation: &Value, random: &mut Random) {
        let mut args = random.arguments(&self.function);
        let innermost = args[0].clone();
        let position = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
        let when = &equation["when"];
        if let Some(constant) = when.get("constant") {
            let at = position(&constant["argument"]);
            args[at] = splat(&constant["value"], self.elements[at], args[at].width());
        } else if let Some(same) = when.get("same") {
            args[position(&same["other"])] = args[position(&same["argument"])].clone();
        } else {
            assert_eq!(when, "repeated");
            args[0] = self.run(&args);
        }
        let found = self.run(&args);
        let result = &equation["result"];
        let expected = if let Some(argument) = result.get("argument") {
            args[position(argument)].clone()
        } else if let Some(constant) = result.get("constant") {
            splat(constant, self.result, found.width())
        } else {
            assert_eq!(result, "innermost");
            innermost
        };
        assert_eq!(found, expected, "{} with {args:?} in\n{}", equation["text"], self.function);
    }
}
