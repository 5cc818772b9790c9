//! `hydride explain A B`: why two instructions are one operation, or how they differ.

use std::fmt::Write as _;

use anyhow::Result;
use catalog::{Application, MemberRecord, OperationRecord};
use hydride_ir::{Bits, Function, Random, Role};
use similarity::{Side, first_difference};
use smt::{Prover, Verdict};

use crate::commands::explain::{arguments, masking, modifiers, params, part, proof, row};
use crate::dictionary::Dictionary;
use crate::pipeline::TIME_LIMIT;

/// Inputs tried before two instructions are taken to agree.
const INPUTS: usize = 500;
/// Argument orders tried.
const MAX_ORDERS: usize = 720;

/// Writes what two instructions have in common and how they differ.
pub fn explain(page: &mut String, dictionary: &Dictionary, first: &str, second: &str) -> Result<()> {
    let (left_class, left) = dictionary.instruction(first)?;
    let (right_class, right) = dictionary.instruction(second)?;
    if left_class.name == right_class.name {
        return together(page, dictionary, left_class, left, right);
    }
    writeln!(
        page,
        "{} and {} are two operations, {} and {}.",
        left.id, right.id, left_class.name, right_class.name
    )?;
    page.push('\n');
    structure(page, dictionary, left, right)?;
    page.push('\n');
    inputs(page, dictionary, left, right_class, right)
}

fn together(
    page: &mut String,
    dictionary: &Dictionary,
    class: &OperationRecord,
    left: &MemberRecord,
    right: &MemberRecord,
) -> Result<()> {
    writeln!(page, "{} and {} are one operation, {}.", left.id, right.id, class.name)?;
    page.push('\n');
    if left.applies_as(right) {
        writeln!(
            page,
            "They apply it in the same way: {}; {}; {}.",
            params(class, left),
            arguments(left),
            modifiers(left)
        )?;
    } else {
        let width = left.id.len().max(right.id.len());
        writeln!(page, "  {:<24} {:<width$}  {}", "", left.id, right.id)?;
        for name in &class.params {
            let value = |member: &MemberRecord| member.params.get(name).map_or(String::new(), i64::to_string);
            let (one, other) = (value(left), value(right));
            let mark = if one == other { "" } else { "  <-" };
            writeln!(page, "  {name:<24} {one:<width$}  {other}{mark}")?;
        }
        writeln!(page, "  {:<24} {:<width$}  {}", "masking", left.masking.name(), right.masking.name())?;
        let whole = |member: &MemberRecord| member.part.map_or("whole", |_| "part");
        writeln!(page, "  {:<24} {:<width$}  {}", "result", whole(left), whole(right))?;
        for member in [left, right] {
            page.push('\n');
            writeln!(page, "  {}", member.id)?;
            row(page, "arguments", &arguments(member));
            row(page, "masking", &masking(member));
            row(page, "part", &part(member));
        }
    }
    page.push('\n');
    for member in [left, right] {
        row(page, &member.id, &proof(member));
    }
    page.push('\n');
    write!(page, "{}", dictionary.formula(class)?)?;
    Ok(())
}

/// The first difference in structure of the canonical forms.
fn structure(
    page: &mut String,
    dictionary: &Dictionary,
    left: &MemberRecord,
    right: &MemberRecord,
) -> Result<()> {
    let forms = (dictionary.canonical(left)?, dictionary.canonical(right)?);
    let (Some(one), Some(other)) = &forms else {
        for (member, form) in [(left, &forms.0), (right, &forms.1)] {
            if form.is_none() {
                writeln!(
                    page,
                    "{} has no lane form: it is no short expression of one element, and meets only the same function.",
                    member.id
                )?;
            }
        }
        return Ok(());
    };
    let found = first_difference(
        Side { function: one, mask: left.mask_arg },
        Side { function: other, mask: right.mask_arg },
    );
    match found {
        Some(difference) => {
            writeln!(page, "First difference in structure, at {}:", difference.place)?;
            row(page, &left.id, &difference.left);
            row(page, &right.id, &difference.right);
        }
        None => writeln!(
            page,
            "Their structure is the same; their numbers have no common form in few parameters, or their \
             modifiers differ."
        )?,
    }
    page.push('\n');
    write!(page, "{one}")?;
    write!(page, "{other}")?;
    Ok(())
}

/// An input on which they differ, or the word that none was found.
fn inputs(
    page: &mut String,
    dictionary: &Dictionary,
    left: &MemberRecord,
    class: &OperationRecord,
    right: &MemberRecord,
) -> Result<()> {
    let one = dictionary.parsed(left)?;
    let mut other_member = right;
    let mut other = dictionary.parsed(right)?;
    if orders(&one, &other).is_empty() {
        // A sibling of the second that takes what the first takes.
        let widths = |member: &MemberRecord| -> Result<(Vec<u32>, Vec<u32>)> {
            let signature = &dictionary.lowering(member)?.signature;
            let mut widths: Vec<u32> = signature.args.iter().map(|operand| operand.width).collect();
            widths.sort_unstable();
            Ok((widths, signature.results.iter().map(|operand| operand.width).collect::<Vec<_>>()))
        };
        let wanted = widths(left)?;
        let fits = |member: &&MemberRecord| widths(member).is_ok_and(|widths| widths == wanted);
        let mut siblings = class.members.iter().filter(fits);
        let sibling = siblings.find_map(|member| {
            let function = dictionary.parsed(member).ok()?;
            (!orders(&one, &function).is_empty()).then_some((member, function))
        });
        let Some((member, function)) = sibling else {
            writeln!(
                page,
                "Their arguments and results have other widths, so that no input can be compared."
            )?;
            return Ok(());
        };
        writeln!(page, "{} has other widths; its sibling {} has those of {}.", right.id, member.id, left.id)?;
        (other_member, other) = (member, function);
    }
    let mut last = None;
    for order in orders(&one, &other) {
        let application = Application::plain(Vec::new(), &order);
        let Ok(applied) = similarity::apply(&other, &application, &one) else { continue };
        match difference(&one, &applied)? {
            Some(found) => {
                if last.as_ref().is_none_or(|(tried, _, _): &(usize, _, _)| *tried < found.0) {
                    last = Some((found.0, found, order));
                }
            }
            None => {
                let verdict = match Prover::with_time_limit(TIME_LIMIT).equal(&one, &applied) {
                    Verdict::Equal => "they are equal for all inputs, but not in form".to_owned(),
                    Verdict::Different(model) => format!("they differ at {}", words(&one, &model.args)),
                    Verdict::Unknown(reason) => {
                        format!("they agree on {INPUTS} inputs; not decided: {reason}")
                    }
                };
                writeln!(page, "With {} in the order {order:?}: {verdict}.", other_member.id)?;
                return Ok(());
            }
        }
    }
    if let Some((_, (_, args, results), order)) = last {
        writeln!(
            page,
            "They differ, in every order of arguments. With {}'s in the order {order:?}:",
            other_member.id
        )?;
        row(page, "input", &words(&one, &args));
        row(page, &left.id, &hex(&results.0));
        row(page, &other_member.id, &hex(&results.1));
    }
    Ok(())
}

fn hex(values: &[Bits]) -> String {
    let all: Vec<String> = values.iter().map(|value| format!("{value:x}")).collect();
    all.join(" ")
}

fn words(function: &Function, args: &[Bits]) -> String {
    let all: Vec<String> =
        function.args.iter().zip(args).map(|(arg, value)| format!("{} = {value:x}", arg.name)).collect();
    all.join(", ")
}

/// The orders in which the arguments of `other` can match those of `one`: each of the same width and role.
fn orders(one: &Function, other: &Function) -> Vec<Vec<u32>> {
    let width = |num: &hydride_ir::Num| num.as_constant();
    let results = one.results.iter().zip(&other.results).all(|(a, b)| width(&a.width) == width(&b.width));
    if !results || one.results.len() != other.results.len() || one.args.len() != other.args.len() {
        return Vec::new();
    }
    let fits = |own: usize, source: usize| {
        let (a, b) = (&other.args[own], &one.args[source]);
        let immediate = |role| matches!(role, Role::Immediate { .. });
        width(&a.width) == width(&b.width) && immediate(a.role) == immediate(b.role)
    };
    let mut orders: Vec<Vec<u32>> = vec![Vec::new()];
    for own in 0..other.args.len() {
        let mut longer = Vec::new();
        for order in &orders {
            for source in (0..one.args.len()).filter(|source| fits(own, *source)) {
                if !order.contains(&(source as u32)) {
                    longer.push(order.iter().copied().chain([source as u32]).collect());
                }
            }
        }
        longer.truncate(MAX_ORDERS);
        orders = longer;
    }
    orders
}

/// A number of the try, arguments and both results.
type Found = (usize, Vec<Bits>, (Vec<Bits>, Vec<Bits>));

/// The first input on which two functions of one signature differ.
fn difference(one: &Function, other: &Function) -> Result<Option<Found>> {
    let mut random = Random::new(1);
    for step in 0..INPUTS {
        let args: Vec<Bits> = one
            .args
            .iter()
            .map(|arg| {
                let width = arg.width.as_constant().and_then(|width| u32::try_from(width).ok()).unwrap_or(1);
                match arg.role {
                    Role::Immediate { low, high } => {
                        let count = high.abs_diff(low).saturating_add(1);
                        Bits::from_u64(
                            width,
                            low.wrapping_add_unsigned(random.word() % count).cast_unsigned(),
                        )
                    }
                    // Small numbers first: they are easy to follow.
                    _ if step % 4 == 1 => Bits::from_u64(width, random.word() % 256),
                    _ => random.bits(width),
                }
            })
            .collect();
        let results = (interp::evaluate(one, &args)?, interp::evaluate(other, &args)?);
        if results.0 != results.1 {
            return Ok(Some((step, args, results)));
        }
    }
    Ok(None)
}
