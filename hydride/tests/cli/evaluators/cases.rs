//! What is evaluated: instances of every operation with inputs, and what `interp` makes of them.

use std::collections::BTreeSet;
use std::path::Path;

use hydride_ir::{Function, Role};
use interp::inputs;
use interp::{Choice, Machine, Program};
use parsers::{Argument, Immediate, Kind};

use crate::support::{functions, is_full, read_json};

/// Instances of one operation that are tried at most, unless everything is.
const INSTANCES: usize = 2;

/// Inputs of each instance at least; combinations of immediates can ask for more.
const INPUTS: usize = 40;

/// An operation at parameter values.
#[derive(Clone)]
pub struct Case {
    pub op: String,
    pub params: Vec<i64>,
    pub function: Function,
    /// The name and types that `lowering.json` gives the instance.
    pub symbol: String,
    pub arg_types: Vec<String>,
    pub result_types: Vec<String>,
    pub arg_widths: Vec<u32>,
    pub result_widths: Vec<u32>,
    /// The arguments of each input, one after the other.
    pub inputs: Vec<Vec<u64>>,
    /// The results for each input, one after the other.
    pub expected: Vec<Vec<u64>>,
    /// The bits of the results that are open for each input: which NaN a NaN is.
    pub open: Vec<Vec<u64>>,
}

pub fn words(width: u32) -> usize {
    width.div_ceil(64) as usize
}

/// First word of each value, and the words of all.
pub fn offsets(widths: &[u32]) -> (Vec<usize>, usize) {
    let mut sum = 0;
    let starts = widths.iter().map(|width| {
        let start = sum;
        sum += words(*width);
        start
    });
    (starts.collect(), sum)
}

/// The cases of an output folder.
pub fn cases(out: &Path) -> Vec<Case> {
    let functions = functions(&out.join("autollvm/forms.hir"));
    let rows = read_json(&out.join("llvm/lowering.json"));
    let all = is_full();
    let mut cases = Vec::new();
    let mut rows = rows["lowerings"].as_array().expect("rows").iter().peekable();
    while let Some(first) = rows.peek() {
        let op = first["op"].as_str().expect("a name").to_owned();
        let function = &functions[&op];
        let mut seen = BTreeSet::new();
        let mut own = Vec::new();
        while let Some(row) = rows.next_if(|row| row["op"] == op) {
            let value = |name: &str| row["params"][name].as_i64().expect("a number");
            let params: Vec<i64> = function.params.iter().map(|param| value(&param.name)).collect();
            if seen.insert(params.clone()) {
                own.push((params, row));
            }
        }
        let count = own.len();
        // The first, the last, and with more of them what lies evenly between.
        let chosen = |place: usize| {
            let kept = INSTANCES.min(count) - 1;
            all || kept == 0 && place == 0
                || (0..=kept).any(|step| kept > 0 && step * (count - 1) / kept == place)
        };
        for (_, (params, row)) in own.into_iter().enumerate().filter(|(place, _)| chosen(*place)) {
            cases.push(case(&op, function, params, row));
        }
    }
    cases
}

/// The cases that a generated text does not leave out: a line in it says so of what `named` gives. Only floating-point
/// operators may be beyond what a language says.
pub fn expressed(cases: &[Case], text: &str, named: impl Fn(&Case) -> String) -> Vec<Case> {
    let is_left_out = |case: &&Case| text.contains(&format!("Left out: {}: ", named(case)));
    let (left_out, expressed): (Vec<&Case>, Vec<&Case>) = cases.iter().partition(is_left_out);
    for case in left_out {
        assert!(inputs::computes_with_floats(&case.function), "{}", case.symbol);
    }
    expressed.into_iter().cloned().collect()
}

fn case(op: &str, function: &Function, params: Vec<i64>, row: &serde_json::Value) -> Case {
    let program = Program::with_params(function, &params).expect("a legal function");
    let arg_widths: Vec<u32> = program.arg_widths().collect();
    let result_widths: Vec<u32> = program.result_widths().collect();
    let instance = row["instance"].as_str().expect("a name").trim_start_matches("llvm.");
    let (name, values) = instance.trim_end_matches(')').split_once('(').expect("attributes in parentheses");
    let symbol =
        if values.is_empty() { name.to_owned() } else { format!("{name}.{}", values.replace(',', "_")) };
    let types = |what: &str| -> Vec<String> {
        let list = row["types"][what].as_array().expect("types");
        list.iter().map(|one| one.as_str().expect("a type").to_owned()).collect()
    };

    let arguments: Vec<Argument> = function
        .args
        .iter()
        .zip(&arg_widths)
        .map(|(arg, width)| Argument {
            name: arg.name.clone(),
            c_type: String::new(),
            width: *width,
            kind: match arg.role {
                Role::Register | Role::Memory { .. } => Kind::Vector,
                Role::Immediate { low, high } => Kind::Immediate(Immediate { low, high }),
            },
            element: None,
        })
        .collect();
    let immediates = inputs::immediates(&arguments);
    let numbers = inputs::computes_with_floats(function);
    let records = inputs::generate(&arguments, numbers, &immediates, INPUTS, 7, &symbol);
    let other_nans = Program::with_choice(function, &params, Choice::OtherNans).expect("a legal function");
    let (mut machine, mut other_machine) = (Machine::new(), Machine::new());
    let mut case = Case {
        op: op.to_owned(),
        params,
        function: function.clone(),
        symbol,
        arg_types: types("args"),
        result_types: types("results"),
        arg_widths,
        result_widths,
        inputs: Vec::new(),
        expected: Vec::new(),
        open: Vec::new(),
    };
    for record in records.records.chunks(records.record) {
        let input = record[1..].to_vec();
        program.run_words(&mut machine, &input).expect("a run");
        other_nans.run_words(&mut other_machine, &input).expect("a run");
        let results = |program: &Program, machine: &Machine| -> Vec<u64> {
            let all = 0..case.result_widths.len();
            all.flat_map(|at| program.result_words(machine, at).to_vec()).collect()
        };
        let (expected, other) = (results(&program, &machine), results(&other_nans, &other_machine));
        case.open.push(expected.iter().zip(other).map(|(one, other)| one ^ other).collect());
        case.expected.push(expected);
        case.inputs.push(input);
    }
    case
}
