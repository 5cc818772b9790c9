//! HVX's programs in LLVM assembly: values in registers that no C type has, and the names of instructions.

use llvm_text::{Instruction, Operand, Scalar, Statement, Type, Value};
use parsers::Form;

use super::{DIALECT, MACHINE, READ_OPTIONS};
use crate::lowering::{Conventions, Names, Place, Predicates, Processor, Prototype, passed};
use crate::target::Machine;

/// The bits of a predicate register.
const PREDICATE_BITS: u32 = 128;

/// The target in LLVM's words.
const TRIPLE: &str = "hexagon-unknown-linux-musl";

/// How LLVM's programs use HVX.
pub const CONVENTIONS: Conventions = Conventions {
    dialect: &DIALECT,
    machine: || Ok(Machine { options: MACHINE.options.to_vec(), missing: Box::new(super::missing) }),
    read_options: || READ_OPTIONS.to_vec(),
    inspected: Processor {
        triple: TRIPLE,
        cpu: Some("hexagonv73"),
        features: &["+hvxv73", "+hvx-length128b"],
    },
    // The emulator knows no newer one.
    runs: Processor { triple: TRIPLE, cpu: Some("hexagonv67"), features: &["+hvxv67", "+hvx-length128b"] },
    syntax: &[],
    names: Names {
        own,
        code,
        is_move,
        same: |named, found| named == found,
        twins: |_, _| false,
        copies: |_| false,
    },
    features,
    inlined_by_features: false,
    attributes: |_| String::new(),
    place: |_, _, ty, _| match ty.bit_count() {
        Some(PREDICATE_BITS) => Place::Register { ty: ty.clone(), constraint: "q".to_owned() },
        // C's vectors are of words; the backend passes others in memory.
        _ => Place::Parameter { ty: in_words(&passed(ty)) },
    },
    prototype: Prototype::Registers { class },
    surroundings: |_| Vec::new(),
    element_types: false,
    whole_registers: true,
    predicates: Some(Predicates {
        bits: PREDICATE_BITS,
        frame: "%buffer = alloca <32 x i32>, align 128",
        // Predicates go through C's form of them, which the instruction set's preamble converts.
        declarations: "declare void @hydride_load_predicate(ptr, ptr)\n\
                       declare void @hydride_store_predicate(ptr, ptr)\n",
        helpers: "
void hydride_load_predicate(HVX_VectorPred *to, const unsigned char *from) { hydride_get_mask(to, from); }
void hydride_store_predicate(unsigned char *to, const HVX_VectorPred *from) { hydride_put_mask(to, from); }
",
        load,
        store,
    }),
};

/// The documented architecture version, and the length of vectors that definitions are for.
fn features(instruction: &parsers::Instruction) -> Vec<String> {
    let length = (!instruction.extensions.is_empty()).then(|| "hvx-length128b".to_owned());
    instruction.extensions.iter().cloned().chain(length).collect()
}

/// The register class of a result, and the type at which it is left there.
fn class(ty: &Type) -> (&'static str, Type) {
    match (ty.bit_count(), ty) {
        (Some(PREDICATE_BITS), _) => ("q", ty.clone()),
        (None, Type::Scalar(Scalar::Integer(_))) => ("r", ty.clone()),
        _ => ("v", in_words(ty)),
    }
}

/// The type at which a vector register is used: registers hold words.
fn in_words(ty: &Type) -> Type {
    let words = ty.element().and_then(|_| ty.of_elements(Scalar::Integer(32)));
    words.unwrap_or_else(|| ty.clone())
}

/// A vector register, as C has predicates.
fn words() -> Type {
    Type::lanes(32, 32)
}

/// A conversion between a predicate and all bits of a byte for each of its bits.
fn conversion(name: &str, of: Operand, to: Type) -> Instruction {
    Instruction::call(to, format!("llvm.hexagon.V6.{name}.128B"), vec![of, Operand::index(32, -1)])
}

/// A call of a function of the preamble's on two addresses.
fn moved(name: &str, to: &Value, from: &Value) -> Statement {
    let addresses = [to, from].map(|address| Operand::new(Type::Pointer, address.clone()));
    Statement::without_result(Instruction::call(Type::Void, name, addresses.to_vec()))
}

/// Reads the predicate of that name from memory at `from`.
fn load(name: &str, from: &Value) -> Vec<Statement> {
    let (buffer, wide) = (Value::local("buffer"), Value::Local(format!("{name}.w")));
    let read = Instruction::Load { ty: words(), pointer: buffer.clone(), align: None };
    let made = conversion("vandvrt", Operand::new(words(), wide.clone()), Type::bits(PREDICATE_BITS));
    vec![
        moved("hydride_load_predicate", &buffer, from),
        Statement { result: Some(wide), instruction: read },
        Statement { result: Some(Value::local(name)), instruction: made },
    ]
}

/// Writes a predicate to memory at the address of that name.
fn store(value: &Value, name: &str) -> Vec<Statement> {
    let (buffer, wide) = (Value::local("buffer"), Value::Local(format!("{name}.w")));
    let predicate = Operand::new(Type::bits(PREDICATE_BITS), value.clone());
    let made = conversion("vandqrt", predicate, words());
    let of = Operand::new(words(), wide.clone());
    vec![
        Statement { result: Some(wide), instruction: made },
        Statement::without_result(Instruction::Store { of, pointer: buffer.clone(), align: None }),
        moved("hydride_store_predicate", &Value::local(name), &buffer),
    ]
}

/// Normal form of both documented and printed syntax: registers by kind, without numbers or spaces.
fn syntax(text: &str) -> String {
    let mut result = String::new();
    let lower: Vec<char> = text.to_lowercase().chars().filter(|c| !c.is_whitespace() && *c != ';').collect();
    let mut at = 0;
    while let Some(letter) = lower.get(at) {
        let starts = at == 0 || !(lower[at - 1].is_ascii_alphanumeric() || lower[at - 1] == '.');
        let rest = &lower[at + 1..];
        let length = rest.iter().take_while(|c| c.is_ascii_alphanumeric() || **c == ':').count();
        let word: String = rest[..length].iter().collect();
        let printed = !word.is_empty() && word.chars().all(|c| c.is_ascii_digit() || c == ':');
        // `Vd32`, `Vuu32`, `Qx4`, `Rt8`, `Rt`.
        let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
        let operand = matches!(letters.as_bytes(), [_]) || matches!(letters.as_bytes(), [a, b] if a == b);
        let documented = operand && ["32", "8", "4", ""].contains(&&word[letters.len()..]);
        if starts && matches!(letter, 'v' | 'q' | 'r') && (printed || documented) {
            result.push(*letter);
            at += 1 + length;
        } else if *letter == '#' {
            result.push('#');
            let number = |c: &&char| c.is_ascii_alphanumeric() || **c == '-';
            at += 1 + rest.iter().take_while(number).count();
        } else {
            result.push(*letter);
            at += 1;
        }
    }
    result
}

fn own(form: &Form) -> Option<String> {
    Some(syntax(&form.operands)).filter(|syntax| !syntax.is_empty())
}

fn code(line: &str) -> Option<String> {
    // Immediates have the comment's sign.
    let has_vectors = line.contains("(v") || line.contains("(q");
    let line = if has_vectors { line } else { line.split('#').next()?.trim_end() };
    // Packets are in braces.
    let line = line.strip_prefix("{\t").unwrap_or(line).trim();
    if ["{", "}"].contains(&line) {
        return None;
    }
    Some(syntax(line)).filter(|syntax| !syntax.starts_with("jumpr") && !syntax.is_empty())
}

fn is_move(syntax: &str) -> bool {
    ["v=v", "r=r", "q=q", "r=#", "v=vcombine(v,v)", "v=hi(v)", "v=lo(v)"].contains(&syntax)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn syntax_of_documents_and_assembly() {
        for (documented, printed) in [
            ("Vdd32.b=vadd(Vuu32.b,Vvv32.b)", "v1:0.b = vadd(v1:0.b,v3:2.b)"),
            ("if (Qv4) Vx32.b+=Vu32.b", "if (q0) v0.b += v1.b"),
            ("Vd32=valign(Vu32,Vv32,#u3)", "v0 = valign(v0,v1,#5)"),
            ("Qd4=vand(Vu32,Rt32)", "q0 = vand(v0,r0)"),
            ("Vd32.w=vrmpy(Vu32.ub,Rt32.b)", "v0.w = vrmpy(v0.ub,r0.b)"),
        ] {
            assert_eq!(syntax(documented), syntax(printed));
        }
        assert_ne!(syntax("Vd32.b=vadd(Vu32.b,Vv32.b)"), syntax("v0.h = vadd(v0.h,v1.h)"));
    }
}
