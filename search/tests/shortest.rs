//! Searches over a few instructions whose shortest sequences are known.

use hydride_ir::Function;
use search::{
    Class, Cost, Goal, GoalFile, Instruction, Operand, Options, Outcome, Selection, Shared, Type, find,
    transitions,
};

const VECTOR: Type = Type { class: Class::Vector, width: 128 };

/// An instruction on vectors of 128 bits; `body` are its statements.
fn instruction(id: &str, arity: usize, destructive: bool, body: &str) -> Instruction {
    let names: Vec<String> = ["a", "b"][..arity].iter().map(|name| (*name).to_owned()).collect();
    let args: Vec<String> = names.iter().map(|name| format!("%{name}: 128")).collect();
    let text = format!("func @{id}({}) -> (%r: 128) {{\n{body}}}\n", args.join(", "));
    Instruction {
        id: id.into(),
        intrinsic: id.into(),
        mnemonic: id.into(),
        syntax: String::new(),
        names,
        function: Function::parse(&text).expect("a function"),
        operands: vec![Operand::Register(VECTOR); arity],
        c_types: vec!["v".into(); arity],
        result: VECTOR,
        result_c_type: "v".into(),
        destroys: destructive.then_some(0),
        implied: None,
        legacy: false,
        latency: 1,
        uops: 1,
        rank: 0,
    }
}

/// Result elements of 32 bits, each an element of `a` (0 to 3) or of `b` (4 to 7).
fn shuffle(id: &str, arity: usize, elements: [usize; 4]) -> Instruction {
    let line = |(to, from): (usize, usize)| {
        format!("  %r[{} +: 32] = %{}[{} +: 32]\n", 32 * to, ["a", "b"][from / 4], 32 * (from % 4))
    };
    instruction(id, arity, true, &elements.into_iter().enumerate().map(line).collect::<String>())
}

fn lanes(id: &str, operator: &str) -> Instruction {
    let line = |lane: u32| {
        let low = 32 * lane;
        format!("  %r[{low} +: 32] = {operator}(%a[{low} +: 32], %b[{low} +: 32])\n")
    };
    instruction(id, 2, true, &(0..4).map(line).collect::<String>())
}

fn shuffles() -> Vec<Instruction> {
    vec![
        shuffle("unpacklo", 2, [0, 4, 1, 5]),
        shuffle("unpackhi", 2, [2, 6, 3, 7]),
        shuffle("movelh", 2, [0, 1, 4, 5]),
        shuffle("movehl", 2, [6, 7, 2, 3]),
        shuffle("swap", 1, [1, 0, 3, 2]),
    ]
}

fn goal(text: &str) -> Goal {
    GoalFile::parse(text).and_then(|file| file.at(text, 128, 0)).expect("a goal")
}

fn search(goal: &Goal, instructions: &[Instruction], max_cost: u32, two_address: bool) -> Outcome {
    let options = Options { cost: Cost::Length, max_cost, all: true, two_address, registers: 8 };
    let selection = Selection { two_address, ..Selection::default() };
    let steps = transitions(instructions, &selection);
    find(goal, instructions, &steps, &options, &Shared::default(), |_| {})
}

const TRANSPOSED: &str = r#"
name = "third-elements"
element = 32
[[input]]
name = "a"
[[input]]
name = "b"
[[output]]
name = "y"
elements = ["b[2]", "a[3]", "a[0]", "b[1]"]
"#;

/// The sequences as text, sorted.
fn texts(outcome: &Outcome, instructions: &[Instruction]) -> Vec<String> {
    let mut texts: Vec<String> = outcome
        .solutions
        .iter()
        .map(|solution| {
            let steps = solution.sequence.steps.iter();
            let step = |step: &search::Applied| {
                format!("{} {:?}", instructions[step.member.instruction].id, step.operands)
            };
            steps.map(step).collect::<Vec<_>>().join("; ")
        })
        .collect();
    texts.sort();
    texts
}

#[test]
fn meeting_in_the_middle_finds_what_the_forward_search_finds() {
    let movements = shuffles();
    let goal = goal(TRANSPOSED);
    let met = search(&goal, &movements, 5, false);
    // One instruction that computes turns the tables off; it cannot take part in a sequence of this length.
    let mut all = movements.clone();
    all.push(lanes("mul", "mul"));
    let forward = search(&goal, &all, 5, false);
    assert!(!met.solutions.is_empty(), "{met:?}");
    assert_eq!(texts(&met, &movements), texts(&forward, &all));
    assert!(met.states < forward.states, "{} and {}", met.states, forward.states);
}

const SUM: &str = r#"
name = "sum"
element = 32
[[input]]
name = "x"
[[output]]
name = "y"
elements = ["sum(j, 0, 4, x[j])"]
"#;

#[test]
fn a_horizontal_sum_over_destructive_shuffles_counts_its_copies() {
    let instructions =
        [shuffle("movehl", 2, [6, 7, 2, 3]), shuffle("swap", 1, [1, 0, 3, 2]), lanes("add", "add")];
    let goal = goal(SUM);
    assert_eq!(search(&goal, &instructions, 6, false).solutions[0].cost, 4);
    let outcome = search(&goal, &instructions, 6, true);
    // movehl overwrites a dead sum only in one order: one copy less than two shifts would need is not possible.
    let best = &outcome.solutions[0];
    assert_eq!(best.sequence.steps.len() as u32 + best.schedule.moves, best.cost);
    assert_eq!(outcome.exhausted, best.cost);
    assert!(outcome.solutions.iter().all(|solution| solution.cost == best.cost));
}

#[test]
fn what_cannot_be_is_said_up_to_a_length() {
    let outcome = search(&goal(SUM), &shuffles(), 3, false);
    assert!(outcome.solutions.is_empty());
    assert_eq!((outcome.exhausted, outcome.undecided), (3, 0));
}

#[test]
fn a_sequence_that_only_fits_the_samples_is_refuted() {
    // The reverse of all values but one, which no sample is.
    let lane = |to: u32| {
        let (low, from) = (32 * to, 96 - 32 * to);
        let value = "0x123456789abcdef00fedcba987654321:128";
        format!("  %r[{low} +: 32] = select(eq(%a[0 +: 128], {value}), 0x0:32, %a[{from} +: 32])\n")
    };
    let nearly = instruction("nearly", 1, false, &(0..4).map(lane).collect::<String>());
    let instructions = [nearly, shuffle("reverse", 1, [3, 2, 1, 0])];
    let text = r#"
name = "reverse"
element = 32
[[input]]
name = "x"
[[output]]
name = "y"
each = "x[n - 1 - i]"
"#;
    let outcome = search(&goal(text), &instructions, 2, false);
    assert_eq!(texts(&outcome, &instructions), ["reverse [0]"]);
    assert_eq!(outcome.refuted, 1);
}
