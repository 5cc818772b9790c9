//! `llvm/IntrinsicsAutoLLVM.td`: one intrinsic per operation.

use serde::Serialize;

use crate::operation::Operation;
use crate::render::Renderer;
use crate::scheme::{Relation, Slot};
use crate::{GenerateError, GeneratedFile, LlvmVersion, Options};

#[derive(Serialize)]
struct Intrinsics<'a> {
    llvm: u32,
    intrinsics: Vec<Intrinsic>,
    /// Operations that LLVM cannot express, with the reason.
    left_out: &'a [String],
}

#[derive(Serialize)]
struct Intrinsic {
    record: String,
    name: String,
    comment: String,
    results: String,
    operands: String,
    properties: String,
}

pub(crate) fn intrinsics(
    renderer: &Renderer,
    operations: &[&Operation<'_>],
    left_out: &[String],
    options: &Options,
) -> Result<GeneratedFile, GenerateError> {
    let intrinsics = operations.iter().map(|operation| intrinsic(operation, options.llvm)).collect();
    let context = Intrinsics { llvm: options.llvm.number(), intrinsics, left_out };
    renderer.render("llvm/IntrinsicsAutoLLVM.td", &context)
}

fn intrinsic(operation: &Operation<'_>, version: LlvmVersion) -> Intrinsic {
    let scheme = &operation.scheme;
    let class = |slot: &Slot| type_class(slot, version);
    let results: Vec<String> = scheme.results.iter().map(class).collect();
    let args = scheme.args.iter().map(class);
    let operands: Vec<String> = args
        .chain(scheme.attributes.iter().map(|attribute| format!("llvm_i{}_ty", attribute.width)))
        .collect();
    let mut properties = vec!["IntrNoMem".to_owned(), "IntrSpeculatable".to_owned()];
    if operation.op.is_commutative() {
        properties.push("Commutative".to_owned());
    }
    let immediates = operation.immediates();
    properties.extend(immediates.iter().map(|position| format!("ImmArg<ArgIndex<{position}>>")));
    Intrinsic {
        record: format!("int_autollvm_{}", operation.op.name),
        name: operation.llvm_name(),
        comment: comment(operation),
        results: results.join(", "),
        operands: operands.join(", "),
        properties: properties.join(", "),
    }
}

/// The operands by name, and who implements the operation.
fn comment(operation: &Operation<'_>) -> String {
    let op = operation.op;
    let args = operation.arg_names().join(", ");
    let params: Vec<&str> = operation.attributes().map(|(_, name)| name.as_str()).collect();
    let params = params.join(", ");
    let separator = if params.is_empty() { "" } else { "; " };
    let isas: Vec<&str> = op.isas().into_iter().collect();
    format!("{}({args}{separator}{params}): {}", op.name, isas.join(", "))
}

/// The TableGen class of a type.
fn type_class(slot: &Slot, version: LlvmVersion) -> String {
    let (relation, of) = match slot {
        Slot::Overload { float: true, .. } => return "llvm_anyfloat_ty".to_owned(),
        Slot::Overload { vector: true, .. } => return "llvm_anyvector_ty".to_owned(),
        Slot::Overload { vector: false, .. } => return "llvm_anyint_ty".to_owned(),
        Slot::Immediate(width) => return format!("llvm_i{width}_ty"),
        Slot::Related { relation, of } => (relation, of),
    };
    match (relation, version) {
        (Relation::Match, _) => format!("LLVMMatchType<{of}>"),
        (Relation::Extended, _) => format!("LLVMExtendedType<{of}>"),
        (Relation::Truncated, _) => format!("LLVMTruncatedType<{of}>"),
        (Relation::HalfElements, LlvmVersion::Llvm19) => format!("LLVMHalfElementsVectorType<{of}>"),
        (Relation::HalfElements, LlvmVersion::Llvm21 | LlvmVersion::Llvm22) => {
            format!("LLVMOneNthElementsVectorType<{of}, 2>")
        }
        (Relation::Subdivide2, _) => format!("LLVMSubdivide2VectorType<{of}>"),
        (Relation::Subdivide4, _) => format!("LLVMSubdivide4VectorType<{of}>"),
        (Relation::Mask, _) => format!("LLVMScalarOrSameVectorWidth<{of}, llvm_i1_ty>"),
        (Relation::Element, _) => format!("LLVMVectorElementType<{of}>"),
    }
}
