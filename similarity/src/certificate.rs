//! Certificates: a class's function, instantiated for a member, equals what the member's document says.

use catalog::{Application, Immediate, Proof, Source};
use hydride_ir::exact::{Dag, Lowering, NodeId, Part, RaiseError, Replacements, Segment, raise, raise_with};
use hydride_ir::passes::open_nans;
use hydride_ir::{Arg, Atom, Function, ResultId, ResultSlot, Role, Stmt, VerifyError};
use interp::{Machine, Program, inputs};
use smt::{Prover, Verdict};

use crate::modifiers::{broadcast, masked, masking, part, zero};

/// Why there is no certificate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The solver found inputs on which the sides differ.
    #[error("the class's function differs from the member's")]
    Different,
    /// The solver gave up.
    #[error("not decided: {0}")]
    Unknown(String),
    /// The class's function is not legal at the member's parameters.
    #[error("not legal at these parameters: {0}")]
    Illegal(#[from] VerifyError),
    /// One of the functions cannot be executed.
    #[error(transparent)]
    Raise(#[from] RaiseError),
}

/// Proves that `class` applied as `application` says equals `member`, its directly parsed function, up to the choice
/// among NaNs.
pub(crate) fn prove(
    class: &Function,
    member: &Function,
    application: &Application,
    prover: &mut Prover,
) -> Result<Proof, Refusal> {
    class.verify_with(&application.params)?;
    let (mut dag, expected) = raise(&open_nans(member))?;
    let value_of = |atom| match atom {
        Atom::Param(param) => application.params.get(param.0 as usize).copied().unwrap_or(0),
        Atom::Index(_) => 0,
    };
    let mut bindings: Vec<NodeId> = Vec::with_capacity(class.args.len());
    for (arg, source) in class.args.iter().zip(&application.args) {
        let width = arg.width.eval(value_of).and_then(|width| u32::try_from(width).ok()).unwrap_or(1);
        bindings.push(argument(&mut dag, *source, width));
    }
    let applied = raise_with(&mut dag, class, &application.params, &bindings)?;
    let mut pairs = Vec::new();
    for (class_segments, segments) in applied.results.iter().zip(&expected.results) {
        let width = segments.iter().map(|segment| segment.low + segment.width).max().unwrap_or(0);
        let (start, room) = application.part.map_or((0, width), |part| (part.low, part.width));
        let mut end = start;
        for segment in class_segments {
            if segment.low + segment.width > room {
                return Err(Refusal::Different);
            }
            end = end.max(start + segment.low + segment.width);
            for lane in masking::lanes(&mut dag, segment, application.masking.as_ref()) {
                let lane = Segment { low: start + lane.low, ..lane };
                let given = match &application.masking {
                    Some(masking) => masking::apply(masking, &mut dag, &lane),
                    None => lane.value,
                };
                let wanted = read(&mut dag, segments, lane.low, lane.width);
                if given != wanted {
                    pairs.push((lane.width, given, wanted));
                }
            }
        }
        // What the class does not write is zero, and outside of its part it is the argument's.
        let mut rest = vec![Segment { low: end, width: start + room - end, value: dag.int(0) }];
        if let Some(part) = application.part {
            rest.extend(part::apply(part, &mut dag, width));
        }
        for Segment { low, width, value: given } in rest.into_iter().filter(|rest| rest.width > 0) {
            let wanted = read(&mut dag, segments, low, width);
            if given != wanted {
                pairs.push((width, given, wanted));
            }
        }
    }
    if applied.results.len() != expected.results.len() {
        return Err(Refusal::Different);
    }
    let mut documented = documented(&mut dag, member);
    let mut are_equal = |given: NodeId, wanted: NodeId| {
        let [given, wanted] = [given, wanted].map(|node| dag.replace(node, &mut documented));
        dag.equal_in_all_cases(given, wanted)
    };
    if pairs.iter().all(|(_, given, wanted)| are_equal(*given, *wanted)) {
        return Ok(Proof::Structural);
    }
    let side = |dag: &Dag, pick: &dyn Fn(NodeId, NodeId) -> NodeId| {
        // The slices in question, each as a separate result.
        let mut function = Function::new(&member.name);
        function.args = member.args.clone();
        let mut lowering = Lowering::default();
        for (position, (width, given, wanted)) in pairs.iter().enumerate() {
            let value = lowering.lower(dag, pick(*given, *wanted), *width, &mut function).ok()?;
            function.results.push(ResultSlot { name: format!("r{position}"), width: (*width).into() });
            function.body.push(Stmt::Assign { result: ResultId(position as u32), low: 0u32.into(), value });
        }
        Some(function)
    };
    let (Some(given), Some(wanted)) = (side(&dag, &|given, _| given), side(&dag, &|_, wanted| wanted)) else {
        return Err(Refusal::Unknown("a value is too wide".into()));
    };
    if differ_on_examples(&given, &wanted) {
        return Err(Refusal::Different);
    }
    match prover.equal(&given, &wanted) {
        Verdict::Equal => Ok(Proof::Smt),
        Verdict::Different(_) => Err(Refusal::Different),
        Verdict::Unknown(reason) => Err(Refusal::Unknown(reason)),
    }
}

/// Inputs on which two functions are evaluated before the solver is asked, which may search long for what these show.
const EXAMPLES: usize = 32;

/// Whether two functions of the same arguments differ on one of a few inputs.
fn differ_on_examples(given: &Function, wanted: &Function) -> bool {
    let width = |arg: &Arg| u32::try_from(arg.width.as_constant()?).ok();
    let operand = |arg: &Arg| Some((width(arg)?, arg.role.range()));
    let Some(operands) = given.args.iter().map(operand).collect::<Option<Vec<_>>>() else { return false };
    let [Ok(one), Ok(other)] = [given, wanted].map(Program::new) else { return false };
    let numbers = inputs::number_width(given);
    let (mut left, mut right) = (Machine::new(), Machine::new());
    inputs::examples(&operands, numbers, EXAMPLES, 1).iter().any(|args| {
        let ran = one.run_into(&mut left, args).is_ok() && other.run_into(&mut right, args).is_ok();
        let differs = |result| one.result_words(&left, result) != other.result_words(&right, result);
        ran && (0..given.results.len()).any(differs)
    })
}

/// For each immediate without negative values the bits that the documented ones have.
fn documented(dag: &mut Dag, member: &Function) -> Replacements {
    let mut replacements = Replacements::default();
    for (position, arg) in (0..).zip(&member.args) {
        let Role::Immediate { low, high } = arg.role else { continue };
        let Some(bits) = Immediate { low, high }.bits() else { continue };
        if bits < dag.arg_widths()[position as usize] {
            let (whole, low_bits) = (dag.arg(position), dag.arg_slice(position, 0, bits, false));
            replacements.insert(whole, low_bits);
        }
    }
    replacements
}

/// A class's argument of `width` bits.
fn argument(dag: &mut Dag, source: Source, width: u32) -> NodeId {
    match source {
        Source::Own(arg) => dag.arg(arg),
        Source::Constant(value) => zero::apply(value, dag, width),
        Source::Broadcast(broadcast) => broadcast::apply(broadcast, dag, width),
        Source::Masked(masked) => masked::apply(masked, dag, width),
    }
}

/// Bits `low .. low + width` of what was written.
fn read(dag: &mut Dag, segments: &[Segment], low: u32, width: u32) -> NodeId {
    let first = segments.partition_point(|segment| segment.low + segment.width <= low);
    let mut parts = Vec::new();
    let mut position = low;
    for segment in &segments[first..] {
        if segment.low >= low + width {
            break;
        }
        let end = (segment.low + segment.width).min(low + width);
        let node = dag.slice(segment.value, position - segment.low, end - position, false);
        parts.push(Part { node, width: end - position });
        position = end;
    }
    dag.concat(&parts)
}

/// Whether exchanging the first two arguments of `class` keeps every result at the given parameter values,
/// judged only by structure.
pub fn commutes(class: &Function, params: &[i64]) -> bool {
    if class.args.len() < 2 {
        return false;
    }
    let value_of = |atom| match atom {
        hydride_ir::Atom::Param(param) => params.get(param.0 as usize).copied().unwrap_or(0),
        hydride_ir::Atom::Index(_) => 0,
    };
    let widths: Option<Vec<u32>> =
        class.args.iter().map(|arg| u32::try_from(arg.width.eval(value_of)?).ok()).collect();
    let Some(widths) = widths.filter(|widths| widths[0] == widths[1]) else { return false };
    if class.args[0].role != class.args[1].role {
        return false;
    }
    let mut dag = Dag::new(widths);
    let args: Vec<NodeId> = (0..class.args.len()).map(|arg| dag.arg(arg as u32)).collect();
    let mut exchanged = args.clone();
    exchanged.swap(0, 1);
    let once = raise_with(&mut dag, class, params, &args);
    let again = raise_with(&mut dag, class, params, &exchanged);
    matches!((once, again), (Ok(once), Ok(again)) if once == again)
}
