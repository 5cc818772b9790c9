//! Rules found for a small made-up machine, and windows compiled by them.

use std::collections::BTreeMap;

use hydride_ir::Function;
use memo::Memo;
use rules::{
    Cost, Equality, Instance, Instructions, Lowering, Machine, Number, Replacement, RuleEntry, RuleFile,
    Selector, certified, instances, mine, prove, read, trial,
};
use search::{Class, Instruction, Operand, Type};
use synth::program::Program;
use synth::synthesize::prover;
use synth::table::{Op, Table};
use synth::window::{Meaning, Window};

/// An instruction on registers of 64 bits with four lanes of 16.
fn instruction(id: &str, immediate: bool, lane: &str) -> Instruction {
    let vector = Type { class: Class::Vector, width: 64 };
    let body: String = (0..4)
        .map(|at| format!("  %r[{} +: 16] = {}\n", 16 * at, lane.replace("@", &(16 * at).to_string())))
        .collect();
    let second = if immediate { "%n: 8 imm 0..=15" } else { "%b: 64" };
    let choice = Operand::Choice { values: (0..16).collect(), width: 8 };
    Instruction {
        id: id.into(),
        intrinsic: id.into(),
        mnemonic: id.into(),
        syntax: String::new(),
        names: vec!["a".into(), "b".into()],
        function: Function::parse(&format!("func @{id}(%a: 64, {second}) -> (%r: 64) {{\n{body}}}\n"))
            .unwrap(),
        operands: vec![Operand::Register(vector), if immediate { choice } else { Operand::Register(vector) }],
        c_types: vec!["__m64".into(), "__m64".into()],
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
    let table = table();
    let index = Instructions::new(&table);
    let measure = |program: &Program, _: &Table| {
        let uops = program.steps.len() as u32;
        Cost { uops, latency: uops }
    };
    what(&Machine {
        table: &table,
        index: &index,
        widths: &[64],
        price: &|_: &Op| 1000,
        measure: &measure,
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
    texts.iter().flat_map(|text| mine(machine, "rule", &pattern(text), 4).rules).collect()
}

#[test]
fn constants_have_ranges_and_every_value_is_proved() {
    with_machine(|machine| {
        let found = mine(machine, "shift", &pattern(SHIFT), 4).rules;
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
        let found = mine(machine, "shift", &pattern(SHIFT), 4).rules;
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
