//! From the values that pseudocode left in its result variables to a Hydride IR function.
//!
//! The three front ends run their pseudocode on one [`Dag`] of exact integers and keep variables in
//! [`Register`]s; what a statement means is theirs, how numbers get their widths is decided here and
//! in `hydride_ir::exact`, once for all of them.

use hydride_ir::exact::{Dag, Lowering, Register};
use hydride_ir::{Arg, Function, ResultId, ResultSlot, Role, Stmt};

use super::{Fault, Reason};
use crate::signature::{Argument, Kind, Signature, UndefinedBits};

/// Builds the function of an instruction whose results were left in `results`, one for each result
/// of the signature. Each extent that the pseudocode wrote becomes one assignment; bits that it left
/// unwritten are 0 and listed.
pub fn function(
    id: &str,
    signature: &Signature,
    dag: &mut Dag,
    results: &[Register],
) -> Result<(Function, Vec<UndefinedBits>), Fault<()>> {
    let mut function = Function::new(id);
    function.args = signature.args.iter().map(arg).collect();
    let mut lowering = Lowering::default();
    let mut undefined = Vec::new();
    for (position, (slot, register)) in signature.results.iter().zip(results).enumerate() {
        function.results.push(ResultSlot { name: slot.name.clone(), width: slot.width.into() });
        let result = ResultId(position as u32);
        let mut extents: Vec<(u32, u32, bool)> = Vec::new();
        let mut end = 0;
        for (low, width) in register.extents().filter(|(low, _)| *low < slot.width) {
            if low > end {
                extents.push((end, low - end, false));
            }
            extents.push((low, width.min(slot.width - low), true));
            end = (low + width).min(slot.width);
        }
        if end < slot.width {
            extents.push((end, slot.width - end, false));
        }
        for (low, width, written) in extents {
            if !written {
                undefined.push(UndefinedBits { result: position, low, width });
            }
            let (node, _) = register.read(dag, low, width);
            let value = lowering
                .lower(dag, node, width, &mut function)
                .map_err(|error| Fault::failed(Reason::Limit, (), error.to_string()))?;
            function.body.push(Stmt::Assign { result, low: low.into(), value });
        }
    }
    Ok((function, undefined))
}

/// The IR argument of a signature's argument.
fn arg(argument: &Argument) -> Arg {
    let role = match &argument.kind {
        Kind::Immediate(range) => Role::Immediate { low: range.low, high: range.high },
        Kind::Memory { align, non_temporal, .. } => {
            Role::Memory { align: *align, non_temporal: *non_temporal }
        }
        Kind::Vector | Kind::Mask | Kind::Scalar => Role::Register,
    };
    Arg { name: argument.name.clone(), width: argument.width.into(), role }
}
