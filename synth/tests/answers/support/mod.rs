//! Instructions made up for tests.

pub mod registers;

use hydride_ir::Function;
use search::{Class, Instruction, Operand, Type};

/// A register of that many bits.
pub fn vector(width: u32) -> Type {
    Type { class: Class::Vector, width }
}

/// An instruction with a result of `width` bits, of which `body` says lane by lane, each `lane` bits wide, what it is; `args` are its
/// operands' widths in bits, and `%a`, `%b`, `%c` and `%d` their names.
pub fn instruction(
    id: &str,
    args: &[u32],
    width: u32,
    lane: u32,
    body: impl Fn(u32) -> String,
) -> Instruction {
    let names: Vec<String> =
        ["a", "b", "c", "d"].iter().take(args.len()).map(|name| (*name).to_owned()).collect();
    let arguments: Vec<String> =
        names.iter().zip(args).map(|(name, width)| format!("%{name}: {width}")).collect();
    let lanes: String =
        (0..width / lane).map(|i| format!("  %r[{} +: {lane}] = {}\n", i * lane, body(i))).collect();
    let text = format!("func @{id}({}) -> (%r: {width}) {{\n{lanes}}}\n", arguments.join(", "));
    Instruction {
        id: id.into(),
        intrinsic: id.into(),
        mnemonic: id.into(),
        syntax: String::new(),
        names,
        function: Function::parse(&text).expect("a function"),
        operands: args.iter().map(|width| Operand::Register(vector(*width))).collect(),
        c_types: vec!["int".into(); args.len()],
        result: vector(width),
        result_c_type: "int".into(),
        destroys: None,
        implied: None,
        legacy: false,
        latency: 1,
        uops: 1,
        rank: 0,
    }
}
