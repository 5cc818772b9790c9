//! Random compositions of instructions, as functions of the IR.
//!
//! `compositions IR NAMES [--seed N] [--count N] [--narrowest N]`: `IR` is a file of functions, `NAMES` one with the names,
//! one a line, of those that are composed: two or three, where a result is an argument of another. Immediates are chosen at
//! random. A composition's name is those of its functions, separated by spaces. Arguments of fewer than `narrowest` bits
//! (64) are no places for results; functions that are no windows are left out.

use std::collections::HashSet;
use std::error::Error;

use hydride_ir::exact::{Dag, Lowering, NodeId, Part, Segment, raise_with};
use hydride_ir::{Arg, Function, Random, ResultId, ResultSlot, Role, Stmt};
use synth::window::{Input, Window};

fn main() -> Result<(), Box<dyn Error>> {
    let (mut files, mut seed, mut count, mut narrowest) = (Vec::new(), 1, 500, 64);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} lacks a value"));
        match argument.as_str() {
            "--seed" => seed = value()?.parse()?,
            "--count" => count = value()?.parse()?,
            "--narrowest" => narrowest = value()?.parse()?,
            _ => files.push(argument),
        }
    }
    let [ir, names] = &files[..] else { return Err("two files are needed".into()) };
    let names = std::fs::read_to_string(names)?;
    let names: HashSet<&str> = names.lines().collect();
    let mut functions = Function::parse_all(&std::fs::read_to_string(ir)?)?;
    functions.retain(|function| names.contains(function.name.as_str()) && is_window(function, narrowest));
    if functions.is_empty() {
        return Err("no function can be composed".into());
    }
    let mut composer = Composer { functions: &functions, narrowest, random: Random::new(seed) };
    let mut made = 0;
    for _ in 0..100 * count {
        if made == count {
            break;
        }
        if let Some(function) = composer.composition() {
            print!("{function}");
            made += 1;
        }
    }
    Ok(())
}

/// Whether a function with its least immediates is a window.
fn is_window(function: &Function, narrowest: i64) -> bool {
    let input = |arg: &Arg| match arg.role {
        Role::Immediate { low, .. } => Input::Constant(low),
        _ if arg.width.as_constant().is_some_and(|width| width < narrowest) => Input::Scalar,
        _ => Input::Vector,
    };
    let inputs: Vec<Input> = function.args.iter().map(input).collect();
    function.results.len() == 1 && Window::of_function(function, &inputs).is_ok()
}

struct Composer<'f> {
    functions: &'f [Function],
    narrowest: i64,
    random: Random,
}

/// A composition that is being made.
struct Composition {
    name: String,
    dag: Dag,
    /// Widths of the inputs.
    inputs: Vec<u32>,
}

impl Composer<'_> {
    fn composition(&mut self) -> Option<Function> {
        let mut own = Composition { name: String::new(), dag: Dag::new(Vec::new()), inputs: Vec::new() };
        let outer = &self.functions[self.random.below(self.functions.len())];
        let steps = 1 + self.random.below(2);
        let (segments, width) = self.call(&mut own, outer, steps)?;
        let mut function = Function::new(own.name.clone());
        for (number, width) in own.inputs.iter().enumerate() {
            function.args.push(Arg {
                name: format!("a{number}"),
                width: (*width).into(),
                role: Role::Register,
            });
        }
        function.results = vec![ResultSlot { name: "r".into(), width: width.into() }];
        let mut lowering = Lowering::default();
        for Segment { low, width, value } in segments {
            let value = lowering.lower(&own.dag, value, width, &mut function).ok()?;
            function.body.push(Stmt::Assign { result: ResultId(0), low: low.into(), value });
        }
        Some(function)
    }

    /// What a function gives for new inputs, with `steps` other functions' results among its arguments.
    fn call(
        &mut self,
        own: &mut Composition,
        function: &Function,
        mut steps: usize,
    ) -> Option<(Vec<Segment>, u32)> {
        if !own.name.is_empty() {
            own.name.push(' ');
        }
        own.name += &function.name;
        let mut args = Vec::new();
        for arg in &function.args {
            let width = u32::try_from(arg.width.as_constant()?).ok()?;
            if let Role::Immediate { low, high } = arg.role {
                let choices = usize::try_from(high - low + 1).ok()?;
                let chosen = own.dag.int(low + self.random.below(choices) as i64);
                args.push(own.dag.slice(chosen, 0, width, false));
            } else if i64::from(width) >= self.narrowest && steps > 0 {
                let inner = self.random.below(steps);
                steps -= 1;
                args.push(self.result(own, width, inner)?);
                // What is left is for the other arguments.
                steps -= inner;
            } else {
                own.inputs.push(width);
                let arg = own.dag.add_arg(width);
                args.push(own.dag.arg(arg));
            }
        }
        if steps > 0 {
            return None;
        }
        let raised = raise_with(&mut own.dag, function, &[], &args).ok()?;
        let width = u32::try_from(function.results[0].width.as_constant()?).ok()?;
        Some((raised.results.into_iter().next()?, width))
    }

    /// The result of a function of that width.
    fn result(&mut self, own: &mut Composition, width: u32, steps: usize) -> Option<NodeId> {
        let fits = |function: &&Function| function.results[0].width.as_constant() == Some(i64::from(width));
        let fitting: Vec<&Function> = self.functions.iter().filter(fits).collect();
        let function = *fitting.get(self.random.below(fitting.len().max(1)))?;
        let (segments, _) = self.call(own, function, steps)?;
        let part = |segment: &Segment| Part { node: segment.value, width: segment.width };
        let parts: Vec<Part> = segments.iter().map(part).collect();
        Some(match parts[..] {
            [only] => only.node,
            _ => own.dag.concat(&parts),
        })
    }
}
