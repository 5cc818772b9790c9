//! Rules found for a small made-up machine, and windows compiled by them.

use std::collections::BTreeMap;

use hydride_ir::Function;
use memo::Memo;
use rules::{
    ByCases, Cost, Equality, Found, Instance, Instructions, Lowering, Machine, Number, Question, Replacement,
    RuleEntry, RuleFile, Selector, Sequence, Source, Step, certified, in_narrower_registers, instances,
    layout_patterns, mine, prove, question, read, shortest, single, trial, with_other_signs,
};
use search::{Class, Instruction, Operand, Type};
use synth::program::Program;
use synth::synthesize::prover;
use synth::table::{Op, Table};
use synth::window::{Meaning, Window};

/// An instruction on registers of 64 bits with four lanes of 16.
fn instruction(id: &str, immediate: bool, lane: &str) -> Instruction {
    let second = if immediate { "%n: 8 imm 0..=15" } else { "%b: 64" };
    of_lines(id, &["%a: 64", second], &format!("%r[@ +: 16] = {lane}"))
}

/// An instruction with these arguments, and a line for each four lanes, in which `@` is the lane's first bit.
fn of_lines(id: &str, arguments: &[&str], line: &str) -> Instruction {
    of_width(64, id, arguments, line)
}

/// The same on registers of another width.
fn of_width(width: u32, id: &str, arguments: &[&str], line: &str) -> Instruction {
    let vector = Type { class: Class::Vector, width };
    let body: String =
        (0..width / 16).map(|at| format!("  {}\n", line.replace('@', &(16 * at).to_string()))).collect();
    let operand = |text: &&str| match text.contains("imm") {
        true => Operand::Choice { values: (0..16).collect(), width: 8 },
        false => Operand::Register(vector),
    };
    let text = format!("func @{id}({}) -> (%r: {width}) {{\n{body}}}\n", arguments.join(", "));
    Instruction {
        id: id.into(),
        intrinsic: id.into(),
        mnemonic: id.into(),
        syntax: String::new(),
        names: ["a", "b"].iter().take(arguments.len()).map(ToString::to_string).collect(),
        function: Function::parse(&text).unwrap(),
        operands: arguments.iter().map(operand).collect(),
        c_types: vec!["__m64".into(); arguments.len()],
        result: vector,
        result_c_type: "__m64".into(),
        destroys: None,
        implied: None,
        legacy: false,
        latency: 1,
        uops: 1,
        rank: 0,
    }
}

fn table() -> Table {
    Table::new(vec![
        instruction("plus", false, "add(%a[@ +: 16], %b[@ +: 16])"),
        instruction("right", true, "shr.u(%a[@ +: 16], %n)"),
        instruction(
            "average",
            false,
            "shr.u(add(cast.u(%a[@ +: 16], 17), cast.u(%b[@ +: 16], 17)), 0x1:17)[0 +: 16]",
        ),
    ])
}

fn with_machine<T>(what: impl FnOnce(&Machine<'_>) -> T) -> T {
    with_table(table(), what)
}

fn with_table<T>(table: Table, what: impl FnOnce(&Machine<'_>) -> T) -> T {
    with_registers(table, &[64], what)
}

fn with_registers<T>(table: Table, widths: &[u32], what: impl FnOnce(&Machine<'_>) -> T) -> T {
    let index = Instructions::new(&table);
    let measure = |program: &Program, _: &Table| {
        let uops = program.steps.len() as u32;
        Cost { uops, latency: uops }
    };
    what(&Machine {
        table: &table,
        index: &index,
        widths,
        price: &|_: &Op| 1000,
        measure: &measure,
        stop: &|| false,
        key: [0; 32],
        memo: &Memo::default(),
    })
}

fn pattern(text: &str) -> Instance {
    instances(&read(text).unwrap()[0], text).unwrap().remove(0)
}

const SHIFT: &str = "(rule shift (constant c 0 15) (from (shift_right:u16 a:u16 c:u16)))";

fn rules(machine: &Machine<'_>) -> Vec<Lowering> {
    let texts = [
        SHIFT,
        "(rule sum (from (add:u16 a:u16 b:u16)))",
        "(rule middle (from (halving_add:u16 a:u16 b:u16)))",
    ];
    texts
        .iter()
        .flat_map(|text| mine(machine, "rule", &pattern(text), 4, &mut ByCases::default()).rules)
        .collect()
}

#[test]
fn constants_have_ranges_and_every_value_is_proved() {
    with_machine(|machine| {
        let found = mine(machine, "shift", &pattern(SHIFT), 4, &mut ByCases::default()).rules;
        let all: usize = found.iter().map(|rule| rule.certificate.choices).sum();
        assert_eq!(all, 16);
        let general = found.iter().find(|rule| rule.certificate.choices > 1).unwrap();
        assert_eq!(general.sequence.steps[0].immediates, [Number("c".into())]);
        // A shift by nothing is the register itself.
        let (_, low, _) = found[0].constant().unwrap();
        assert_eq!((low, found[0].cost.uops), (0, 0));
        // Another immediate is not proved.
        let mut wrong = general.sequence.clone();
        wrong.steps[0].immediates = vec![Number("c-1".into())];
        let values = BTreeMap::from([(1, 5)]);
        let mut judge = prover();
        assert!(prove(machine, &general.pattern, 4, &general.sequence, &values, &mut judge).is_some());
        assert!(prove(machine, &general.pattern, 4, &wrong, &values, &mut judge).is_none());
        // The interpreter notices too.
        assert_eq!(trial(machine, general, 400, 1).mismatches, 0);
        let wrong = Lowering { sequence: wrong, ..general.clone() };
        assert!(trial(machine, &wrong, 400, 1).mismatches > 0);
    });
}

#[test]
fn plain_expressions_are_lifted_and_covered() {
    let lifting = "(rule lift
        (from (cast:u16 (shift_right:u32 (add:u32 (cast:u32 a:u16) (cast:u32 b:u16)) 1:u32)))
        (to (halving_add:u16 a:u16 b:u16)))";
    let line = r#"{"name":"w","lanes":8,"bits":16,"leaves":[{"name":"a","type":"u16x8","kind":"dense"},
        {"name":"b","type":"u16x8","kind":"dense"},{"name":"s","type":"u16","kind":"scalar"}],
        "expr":"(shift_right:u16x8 (cast:u16x8 (shift_right:u32x8 (add:u32x8 (cast:u32x8 (broadcast:u16x8 s:u16)) (cast:u32x8 (add:u16x8 a:u16x8 b:u16x8))) (broadcast:u32x8 1:u32))) (broadcast:i16x8 3:i16))"}"#;
    let line = line.replace('\n', " ");
    let window = Window::read(&line, 1).unwrap();
    with_machine(|machine| {
        let lowerings = rules(machine);
        let equalities = Equality::of(&pattern(lifting));
        let selector = Selector::new(&equalities, &lowerings, machine.widths);
        let (mut meaning, mut table) = (Meaning::new(&window), machine.table.clone());
        let selected = selector.select(&mut meaning, &mut table, machine.index).unwrap();
        // Three instructions for each of two registers.
        let ids: Vec<&str> =
            selected.program.steps.iter().map(|step| table.instruction(step.op).id.as_str()).collect();
        assert_eq!(ids.iter().filter(|id| **id == "average").count(), 2, "{ids:?}");
        assert_eq!(ids.len(), 6, "{ids:?}");
        let proof = certified(&mut meaning, &table, &selected.program, &mut prover()).unwrap();
        assert_eq!(proof.structural, 8);
        // Without the equality a part of the window has no rule.
        let without = Selector::new(&[], &lowerings, machine.widths);
        let why = without.select(&mut Meaning::new(&window), &mut table, machine.index).err().unwrap();
        assert!(why.contains("no rule covers cast:u32x8 of u16x8"), "{why}");
    });
}

#[test]
fn files_hold_what_was_found() {
    with_machine(|machine| {
        let found = mine(machine, "shift", &pattern(SHIFT), 4, &mut ByCases::default()).rules;
        let file = RuleFile {
            target: "t".into(),
            equalities: Vec::new(),
            rules: vec![RuleEntry {
                text: SHIFT.into(),
                instances: found.iter().map(Replacement::of).collect(),
                open: Vec::new(),
            }],
        };
        assert_eq!(file.lowerings().unwrap(), found);
        let broken = RuleFile {
            rules: vec![RuleEntry { text: "(rule".into(), ..file.rules[0].clone() }],
            ..file.clone()
        };
        assert!(broken.lowerings().is_err());
    });
}

#[test]
fn values_are_in_another_order_where_that_costs_less() {
    let table = Table::new(vec![
        instruction("plus", false, "add(%a[@ +: 16], %b[@ +: 16])"),
        of_lines("even", &["%a: 64"], "%r[@ +: 16] = cast.u(%a[@ +: 8], 16)"),
        of_lines("odd", &["%a: 64"], "%r[@ +: 16] = shr.u(%a[@ +: 16], 0x8:16)"),
        of_lines(
            "join",
            &["%a: 64", "%b: 64"],
            "%r[@ +: 8] = shr.u(%a[@ +: 16], 0x1:16)[0 +: 8]\n  %r[8 + @ +: 8] = shr.u(%b[@ +: 16], 0x1:16)[0 +: 8]",
        ),
    ]);
    let line = r#"{"name":"w","lanes":16,"bits":8,"leaves":[{"name":"a","type":"u8x16","kind":"dense"},
        {"name":"b","type":"u8x16","kind":"dense"}],
        "expr":"(cast:u8x16 (shift_right:u16x16 (add:u16x16 (add:u16x16 (cast:u16x16 a:u8x16) (cast:u16x16 b:u8x16)) (broadcast:u16x16 7:u16)) (broadcast:u16x16 1:u16)))"}"#;
    let window = Window::read(&line.replace('\n', " "), 1).unwrap();
    with_table(table, |machine| {
        let sum = "(rule sum (from (add:u16 a:u16 b:u16)))";
        let mut lowerings = mine(machine, "sum", &pattern(sum), 4, &mut ByCases::default()).rules;
        let text = layout_patterns(machine.widths);
        let widen = read(&text).unwrap().into_iter().find(|rule| rule.name == "widen.u.u.8.halves2").unwrap();
        lowerings.extend(
            mine(machine, "widen", &instances(&widen, &text).unwrap().remove(0), 8, &mut ByCases::default())
                .rules,
        );
        let join = "(rule join (from (cast:u8x8 (shift_right:u16x8
            (shuffle:u16x8 a:u16x8 [0,4,1,5,2,6,3,7]) (broadcast:u16x8 1:u16)))))";
        let register = |register| Source::Variable { variable: "a".into(), register };
        let sequence = Sequence {
            inputs: vec![register(0), register(1)],
            steps: vec![Step {
                id: "join".into(),
                operands: vec!["i0".into(), "i1".into()],
                immediates: Vec::new(),
                container: 8,
            }],
            outputs: vec!["t0".into()],
            result: None,
        };
        let join = pattern(join);
        let proved = prove(machine, &join, 8, &sequence, &BTreeMap::new(), &mut prover());
        let (cost, certificate) = proved.expect("it is what the pattern says");
        lowerings.push(Lowering {
            name: "join".into(),
            pattern: join,
            lanes: 8,
            registers: None,
            sequence,
            cost,
            certificate,
        });
        assert_eq!(lowerings.len(), 3);
        let selector = Selector::new(&[], &lowerings, machine.widths);
        let (mut meaning, mut table) = (Meaning::new(&window), machine.table.clone());
        let selected = selector.select(&mut meaning, &mut table, machine.index).unwrap();
        let count = |id: &str| {
            selected.program.steps.iter().filter(|step| table.instruction(step.op).id == id).count()
        };
        // For each of two registers of bytes: both halves of each operand, two sums, and one register of results.
        assert_eq!(["even", "odd", "plus", "join"].map(count), [4, 4, 8, 2]);
        let proof = certified(&mut meaning, &table, &selected.program, &mut prover()).unwrap();
        assert_eq!(proof.structural, 16);
        // Where the order is that of nothing else, there is no way.
        let without = Selector::new(&[], &lowerings[..2], machine.widths);
        assert!(without.select(&mut Meaning::new(&window), &mut table, machine.index).is_err());
    });
}

#[test]
fn values_in_another_order_are_added_to() {
    let table = Table::new(vec![
        of_lines("even", &["%a: 64"], "%r[@ +: 16] = cast.u(%a[@ +: 8], 16)"),
        of_lines("odd", &["%a: 64"], "%r[@ +: 16] = shr.u(%a[@ +: 16], 0x8:16)"),
        of_lines(
            "even_plus",
            &["%a: 64", "%b: 64"],
            "%r[@ +: 16] = add(%a[@ +: 16], cast.u(%b[@ +: 8], 16))",
        ),
        of_lines(
            "odd_plus",
            &["%a: 64", "%b: 64"],
            "%r[@ +: 16] = add(%a[@ +: 16], shr.u(%b[@ +: 16], 0x8:16))",
        ),
        of_lines("join", &["%a: 64", "%b: 64"], "%r[@ +: 8] = %a[@ +: 8]\n  %r[8 + @ +: 8] = %b[@ +: 8]"),
    ]);
    let line = r#"{"name":"w","lanes":8,"bits":8,"leaves":[{"name":"a","type":"u8x8","kind":"dense"},
        {"name":"b","type":"u8x8","kind":"dense"}],
        "expr":"(cast:u8x8 (add:u16x8 (cast:u16x8 a:u8x8) (cast:u16x8 b:u8x8)))"}"#;
    let window = Window::read(&line.replace('\n', " "), 1).unwrap();
    let (evens, back) = ("[0,2,4,6,1,3,5,7]", "[0,4,1,5,2,6,3,7]");
    let patterns = [
        format!("(shuffle:u16x8 (cast:u16x8 a:u8x8) {evens})"),
        format!("(shuffle:u16x8 (add:u16x8 (shuffle:u16x8 e:u16x8 {back}) (cast:u16x8 a:u8x8)) {evens})"),
        format!("(cast:u8x8 (shuffle:u16x8 a:u16x8 {back}))"),
    ];
    let register = |variable: &str, register| Source::Variable { variable: variable.into(), register };
    let step = |id: &str, operands: &[&str], container| Step {
        id: id.into(),
        operands: operands.iter().map(ToString::to_string).collect(),
        immediates: Vec::new(),
        container,
    };
    let (a, e) = (register("a", 0), [register("e", 0), register("e", 1)]);
    let sequences = [
        (vec![a.clone()], vec![step("even", &["i0"], 16), step("odd", &["i0"], 16)], vec!["t0", "t1"]),
        (
            vec![e[0].clone(), e[1].clone(), a.clone()],
            vec![step("even_plus", &["i0", "i2"], 16), step("odd_plus", &["i1", "i2"], 16)],
            vec!["t0", "t1"],
        ),
        (vec![a, register("a", 1)], vec![step("join", &["i0", "i1"], 8)], vec!["t0"]),
    ];
    with_table(table, |machine| {
        let mut lowerings = Vec::new();
        for (text, (inputs, steps, outputs)) in patterns.iter().zip(sequences) {
            let pattern = pattern(&format!("(rule one (from {text}))"));
            let outputs = outputs.into_iter().map(str::to_owned).collect();
            let sequence = Sequence { inputs, steps, outputs, result: None };
            let proved = prove(machine, &pattern, 8, &sequence, &BTreeMap::new(), &mut prover());
            let (cost, certificate) = proved.expect("it is what the pattern says");
            let name = "one".into();
            lowerings.push(Lowering {
                name,
                pattern,
                lanes: 8,
                registers: None,
                sequence,
                cost,
                certificate,
            });
        }
        let selector = Selector::new(&[], &lowerings, machine.widths);
        let (mut meaning, mut table) = (Meaning::new(&window), machine.table.clone());
        let selected = selector.select(&mut meaning, &mut table, machine.index).unwrap();
        let ids: Vec<&str> =
            selected.program.steps.iter().map(|step| table.instruction(step.op).id.as_str()).collect();
        assert_eq!(ids, ["even", "odd", "even_plus", "odd_plus", "join"]);
        let proof = certified(&mut meaning, &table, &selected.program, &mut prover()).unwrap();
        assert_eq!(proof.structural, 8);
    });
}

#[test]
fn sums_of_all_lanes_are_in_general_registers() {
    let mut across = of_lines("across", &["%a: 64"], "");
    let lanes: Vec<String> = (0..4).map(|at| format!("%a[{} +: 16]", 16 * at)).collect();
    let sum = lanes.into_iter().reduce(|sum, lane| format!("add({sum}, {lane})")).unwrap();
    let text = format!("func @across(%a: 64) -> (%r: 16) {{\n  %r[0 +: 16] = {sum}\n}}\n");
    across.function = Function::parse(&text).unwrap();
    across.result = Type { class: Class::Scalar, width: 16 };
    let table = Table::new(vec![instruction("plus", false, "add(%a[@ +: 16], %b[@ +: 16])"), across]);
    let line = r#"{"name":"w","lanes":1,"bits":16,"leaves":[{"name":"a","type":"u16x4","kind":"dense"},
        {"name":"b","type":"u16x4","kind":"dense"},{"name":"s","type":"u16","kind":"scalar"}],
        "expr":"(add:u16 (vector_reduce_add:u16 (add:u16x4 a:u16x4 b:u16x4)) s:u16)"}"#;
    let window = Window::read(&line.replace('\n', " "), 1).unwrap();
    with_table(table, |machine| {
        let mut judge = ByCases::default();
        let sum = "(rule sum (from (add:u16 a:u16 b:u16)))";
        let all = "(rule all (from (vector_reduce_add:u16 a:u16x4)))";
        let mut lowerings = mine(machine, "sum", &pattern(sum), 4, &mut judge).rules;
        lowerings.extend(mine(machine, "all", &pattern(all), 1, &mut judge).rules);
        assert_eq!(lowerings[1].sequence.result.as_deref(), Some("s16"));
        assert_eq!(trial(machine, &lowerings[1], 100, 1).mismatches, 0);
        let selector = Selector::new(&[], &lowerings, machine.widths);
        let (mut meaning, mut table) = (Meaning::new(&window), machine.table.clone());
        assert!(selector.price(&mut meaning).is_ok());
        let selected = selector.select(&mut meaning, &mut table, machine.index).unwrap();
        assert_eq!(selected.rules, ["sum", "all"]);
        assert_eq!(selected.program.output_type, Some(Type { class: Class::Scalar, width: 16 }));
        assert!(selected.program.added.is_some());
        assert!(certified(&mut meaning, &table, &selected.program, &mut prover()).is_ok());
    });
}

/// An instruction that widens four bytes of a register of so many bits, from bit `low` on.
fn widening(id: &str, width: u32, low: u32) -> Instruction {
    let lane = |at: u32| format!("  %r[{} +: 16] = cast.u(%a[{} +: 8], 16)\n", 16 * at, low + 8 * at);
    let lines: String = (0..4).map(lane).collect();
    let mut made = of_lines(id, &["%a: 64"], "");
    made.function = Function::parse(&format!("func @{id}(%a: {width}) -> (%r: 64) {{\n{lines}}}\n")).unwrap();
    made.operands = vec![Operand::Register(Type { class: Class::Vector, width })];
    made
}

#[test]
fn each_register_of_a_result_takes_an_instruction() {
    let tried = |all: Vec<Instruction>, text: &str, most: u32| {
        with_registers(Table::new(all), &[32, 64], |machine| {
            let (pattern, constants) = (pattern(text), BTreeMap::new());
            let question = Question {
                pattern: &pattern,
                lanes: 8,
                constants: &constants,
                numbers: &[],
                instructions: most,
                states: 1000,
            };
            single(machine, &question, &mut prover())
        })
    };
    let both = || vec![widening("lower", 32, 0), widening("upper", 64, 32)];
    let widen = "(rule widen (from (cast:u16 a:u8)))";
    // Two registers take two instructions, which needs no search.
    let found = tried(both(), widen, 1).unwrap();
    assert_eq!((found.instructions, found.states, found.found), (1, 0, None));
    let found = tried(both(), widen, 3).unwrap();
    let (sequence, cost) = found.found.unwrap();
    let steps: Vec<_> =
        sequence.steps.iter().map(|step| (step.id.as_str(), step.operands[0].as_str())).collect();
    assert_eq!((steps, cost.uops), (vec![("lower", "low(i0)"), ("upper", "i0")], 2));
    // Where one of them is no single instruction, there are three.
    let found = tried(vec![widening("lower", 32, 0)], widen, 3).unwrap();
    assert_eq!((found.instructions, found.found), (2, None));
    assert!(found.states > 0 && found.ended.is_some());
    // Another function of the same lanes, and one of scalars.
    assert_eq!(tried(both(), "(rule signed (from (cast:i16 a:i8)))", 2).unwrap().instructions, 2);
    assert!(tried(both(), "(rule scalar (uniform b) (from (add:u8 a:u8 b:u8)))", 2).is_none());
}

#[test]
fn upper_halves_are_read_where_an_instruction_does_that() {
    let table = Table::new(vec![widening("lower", 32, 0), widening("upper", 64, 32)]);
    with_registers(table, &[32, 64], |machine| {
        let widen = pattern("(rule widen (from (cast:u16 a:u8)))");
        let found = mine(machine, "widen", &widen, 8, &mut ByCases::default());
        let sequence = &found.rules[0].sequence;
        let steps: Vec<_> =
            sequence.steps.iter().map(|step| (step.id.as_str(), step.operands[0].as_str())).collect();
        assert_eq!(steps, [("lower", "low(i0)"), ("upper", "i0")]);
    });
}

#[test]
fn rules_are_taken_over_to_narrower_registers_and_other_signs() {
    let sum = |width: u32, id: &str| {
        let argument = |name: &str| format!("%{name}: {width}");
        of_width(width, id, &[&argument("a"), &argument("b")], "%r[@ +: 16] = add(%a[@ +: 16], %b[@ +: 16])")
    };
    let table = Table::new(vec![
        sum(64, "plus"),
        sum(32, "half_plus"),
        instruction("least", false, "min.s(%a[@ +: 16], %b[@ +: 16])"),
    ]);
    let text = "(rule sum (for s sign) (from (add:{s}16 a:{s}16 b:{s}16)))";
    let all = instances(&read(text).unwrap()[0], text).unwrap();
    let [unsigned, signed] = &all[..] else { panic!("a sign has two values") };
    assert!(question(unsigned, 4).is_some());
    assert_eq!(question(unsigned, 4), question(signed, 4));
    let least = |sign: &str| pattern(&format!("(rule least (from (min:{sign}16 a:{sign}16 b:{sign}16)))"));
    assert_ne!(question(&least("u"), 4), question(&least("i"), 4));
    with_registers(table, &[32, 64], |machine| {
        let mut judge = ByCases::default();
        let found = mine(machine, "sum", unsigned, 4, &mut judge);
        let ids = |found: &Found| -> Vec<String> {
            found.rules[0].sequence.steps.iter().map(|step| step.id.clone()).collect()
        };
        assert_eq!(ids(&found), ["plus"]);
        let other = with_other_signs(machine, &found, signed, &mut judge).unwrap();
        assert_eq!(other.rules[0].sequence, found.rules[0].sequence);
        let narrow = in_narrower_registers(machine, &found, unsigned, 2, &mut judge).unwrap();
        assert_eq!(ids(&narrow), ["half_plus"]);
        assert_eq!(narrow.rules[0].certificate.structural, 2);
        // There is no narrower one.
        let found = mine(machine, "least", &least("i"), 4, &mut judge);
        assert_eq!(ids(&found), ["least"]);
        assert_eq!(in_narrower_registers(machine, &found, &least("i"), 2, &mut judge), None);
        // What is found is no rule of another pattern.
        assert_eq!(with_other_signs(machine, &found, &least("u"), &mut judge), None);
        // Numbers whose highest bit is clear are the same with a sign and without.
        let small = "(rule small (range a 0 32767) (range b 0 32767) (from (min:u16 a:u16 b:u16)))";
        assert_eq!(ids(&mine(machine, "small", &pattern(small), 4, &mut judge)), ["least"]);
    });
}

#[test]
fn nothing_shorter_is_found_where_there_is_none() {
    with_machine(|machine| {
        let tried = |text: &str, numbers: &[u64], instructions: u32, states: u64| {
            let pattern = pattern(text);
            let constants = BTreeMap::new();
            let question = Question {
                pattern: &pattern,
                lanes: 4,
                constants: &constants,
                numbers,
                instructions,
                states,
            };
            shortest(machine, &question, &mut prover())
        };
        let halves = "(rule r (from (halving_add:u16 (add:u16 a:u16 b:u16) a:u16)))";
        let one = tried(halves, &[], 1, 1000).unwrap();
        assert_eq!((one.instructions, one.found, one.ended), (1, None, None));
        let two = tried(halves, &[], 2, 10_000).unwrap();
        let (sequence, cost) = two.found.unwrap();
        let ids: Vec<&str> = sequence.steps.iter().map(|step| step.id.as_str()).collect();
        assert_eq!((two.instructions, ids, cost.uops), (1, vec!["plus", "average"], 2));
        // Bits of the sum count that this instruction does not have; no value of the samples says so at once.
        let wrong = "(rule r (from (shift_right:u16 (add:u16 a:u16 b:u16) 1:u16)))";
        assert_eq!(tried(wrong, &[], 1, 1000).unwrap().found, None);
        assert_eq!(tried(wrong, &[], 2, 10_000).unwrap().found.map(|(found, _)| found.steps.len()), Some(2));
        // A number in a register.
        let plus = "(rule r (from (add:u16 a:u16 7:u16)))";
        assert_eq!(tried(plus, &[], 2, 10_000).unwrap().instructions, 2);
        assert!(tried(plus, &[7], 2, 10_000).unwrap().found.is_some());
        // Steps are counted, and the search ends after so many.
        let ended = tried(plus, &[], 2, 10).unwrap();
        assert_eq!((ended.instructions, ended.states, ended.ended.as_deref()), (0, 10, Some("states")));
        // What widens is not of one lane.
        assert!(tried("(rule r (from (cast:u32 a:u16)))", &[], 1, 10).is_none());
    });
}
