//! How programs use an instruction: the lines to paste into C, LLVM and MLIR.

use catalog::record::{OperandRecord, SignatureRecord};
use hydride_ir::{Function, ResultSlot};

use crate::dictionary::{Definition, Lowering, Uses};

/// What an argument is in a line of C or LLVM: its name, or for an immediate a documented value. That is the second one,
/// since with the least one many instructions do nothing.
fn argument(lowering: &Lowering, function: &Function, position: usize) -> (bool, String) {
    match lowering.signature.args.get(position).and_then(|argument| argument.immediate) {
        Some((low, high)) => (true, low.saturating_add(1).min(high).to_string()),
        None => (false, function.args.get(position).map_or_else(String::new, |arg| arg.name.clone())),
    }
}

/// The rows of the page, with their names.
pub fn rows(uses: &Uses, lowering: &Lowering, function: &Function) -> Vec<(&'static str, String)> {
    let c = call_in_c(uses, lowering, function);
    let llvm = uses.function.as_ref().map(|definition| call_in_llvm(definition, lowering, function));
    let features: Vec<String> = uses.features.iter().map(|feature| format!("+{feature}")).collect();
    let features = if features.is_empty() { String::new() } else { format!("-mattr={}", features.join(",")) };
    // `autollvm.copy.load` has operands in memory.
    let in_memory = uses.mlir.split(' ').next().is_some_and(|name| name.matches('.').count() > 1);
    let mlir = match &uses.function {
        Some(definition) if in_memory && definition.result == "void" => uses.mlir.clone(),
        Some(_) if in_memory => format!("%res = {}", uses.mlir),
        _ if function.args.iter().any(|arg| arg.role.is_memory()) => {
            format!("%res = {} (on values)", uses.mlir)
        }
        Some(definition) if definition.operands.iter().any(|(kind, ..)| kind == "mask") => {
            format!("%res = {} (without the mask)", uses.mlir)
        }
        _ => format!("%res = {}", uses.mlir),
    };
    let rows = [
        ("in C", c.unwrap_or_default()),
        ("in LLVM", llvm.unwrap_or_default()),
        ("with", features),
        ("in MLIR", mlir),
    ];
    rows.into_iter().filter(|(_, text)| !text.is_empty()).collect()
}

/// The results that are returned and not stored.
pub(super) fn returned<'a>(
    signature: &'a SignatureRecord,
    function: &'a Function,
) -> impl Iterator<Item = (&'a OperandRecord, &'a ResultSlot)> {
    let results = signature.results.iter().zip(&function.results);
    results.filter(|(_, slot)| function.written(slot).is_none())
}

/// A call of the vendor's function; `None` where it has none, or returns more than one value.
fn call_in_c(uses: &Uses, lowering: &Lowering, function: &Function) -> Option<String> {
    let mut returned = returned(&lowering.signature, function);
    let assigned = match (returned.next(), returned.next()) {
        (None, _) => String::new(),
        (Some((result, slot)), None) => format!("{} {} = ", result.c_type, slot.name),
        _ => return None,
    };
    if uses.intrinsic.is_empty() {
        return None;
    }
    let arguments: Vec<String> =
        (0..lowering.signature.args.len()).map(|position| argument(lowering, function, position).1).collect();
    Some(format!("{assigned}{}({});", uses.intrinsic, arguments.join(", ")))
}

/// A call of the definition.
fn call_in_llvm(definition: &Definition, lowering: &Lowering, function: &Function) -> String {
    let operands =
        definition.operands.iter().map(|(_, ty, position)| match argument(lowering, function, *position) {
            (true, value) => format!("{ty} {value}"),
            (false, name) => format!("{ty} %{name}"),
        });
    let operands: Vec<String> = operands.collect();
    let result = definition.result.to_string();
    let assigned = if result == "void" { "" } else { "%res = " };
    format!("{assigned}call {result} @{}({})", definition.name, operands.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_immediate_is_a_value_and_a_mask_is_an_operand() {
        let function = Function::parse(
            "func @f(%k: 8, %a: 64, %n: 8) -> (%dst: 64) {\n  %dst[0 +: 64] = %a[0 +: 64]\n}\n",
        );
        let function = function.expect("a function");
        let lowering: Lowering = serde_json::from_value(serde_json::json!({
            "mnemonics": [], "extensions": [],
            "signature": {
                "results": [{"type": "__m64", "width": 64}],
                "args": [
                    {"type": "__mmask8", "width": 8}, {"type": "__m64", "width": 64},
                    {"type": "const int", "width": 8, "immediate": [0, 7]},
                ],
            },
        }))
        .expect("a row");
        let uses: Uses = serde_json::from_value(serde_json::json!({
            "intrinsic": "_mm_maskz_f", "mlir": "autollvm.f n(1) %a : vector<8xi8>", "features": ["mmx", "evex"],
            "function": {
                "name": "autollvm.f.v8i8.zero", "result": "<8 x i8>",
                "operands": [["arg0", "<8 x i8>", 1], ["arg1", "i32", 2], ["mask", "<8 x i1>", 0]],
            },
        }))
        .expect("a row");
        let rows = rows(&uses, &lowering, &function);
        assert_eq!(
            rows,
            [
                ("in C", "__m64 dst = _mm_maskz_f(k, a, 1);".to_owned()),
                (
                    "in LLVM",
                    "%res = call <8 x i8> @autollvm.f.v8i8.zero(<8 x i8> %a, i32 1, <8 x i1> %k)".to_owned()
                ),
                ("with", "-mattr=+mmx,+evex".to_owned()),
                ("in MLIR", "%res = autollvm.f n(1) %a : vector<8xi8> (without the mask)".to_owned()),
            ]
        );
    }
}
