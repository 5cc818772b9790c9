//! The table of ported instructions as a page: each instruction with its sequence and cost side by side, without scripts or
//! anything from elsewhere.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use ::report::escape;

use super::beside::{Comparison, Pair};
use super::call::Written;
use super::table::{Row, by_instruction, certificate, summary};
use crate::page::document;

/// The page; `written` are the header's functions, and `beside` how they compare with another header's.
pub fn page(
    rows: &[Row<'_>],
    written: &[Written<'_>],
    beside: Option<&Comparison<'_>>,
    from: &str,
    to: &str,
) -> String {
    let title = format!("{from} on {to}");
    let mut text = format!("<p>{}.</p>\n", escape(&summary(rows)));
    let mut pairs: BTreeMap<&str, Vec<&Pair<'_>>> = BTreeMap::new();
    if let Some(beside) = beside {
        let _ = writeln!(text, "<p>{}.</p>", escape(&beside.summary()));
        for pair in &beside.pairs {
            pairs.entry(pair.id).or_default().push(pair);
        }
    }
    let other = if beside.is_some() { "<th>compiled</th><th>SIMDe's</th>" } else { "" };
    let _ = writeln!(
        text,
        "<table><thead><tr><th>{from}</th><th>immediates</th><th>{to}</th><th>micro-operations</th><th>latency</th><th>proof</th>\
         {other}</tr></thead><tbody>"
    );
    let scalar: BTreeMap<&str, usize> =
        written.iter().filter_map(|own| Some((own.instruction.id.as_str(), own.scalar?))).collect();
    for rows in by_instruction(rows) {
        let id = rows[0].source.instruction.id.as_str();
        let beside_cells = |pairs: Option<&Vec<&Pair<'_>>>| match (beside, pairs) {
            (None, _) => String::new(),
            (Some(_), None) => "<td></td><td></td>".to_owned(),
            (Some(_), Some(pairs)) => {
                let own: Vec<String> = pairs.iter().map(|pair| pair.own.to_string()).collect();
                let other: Vec<String> = pairs.iter().map(|pair| pair.other.to_string()).collect();
                format!("<td class=\"n\">{}</td><td class=\"n\">{}</td>", own.join(", "), other.join(", "))
            }
        };
        let longer = pairs.get(id).is_some_and(|pairs| pairs.iter().any(|pair| pair.own > pair.other));
        // Immediates with the same instructions stand together.
        let mut groups: Vec<(String, Vec<&Row<'_>>)> = Vec::new();
        for row in rows {
            let key = match row.program() {
                Some((proof, cost, steps)) => {
                    let steps: Vec<&str> = steps.iter().map(|step| step.mnemonic.as_str()).collect();
                    format!("{} {proof} {} {}", cost.uops, cost.latency, steps.join(", "))
                }
                None => format!("- {}", row.why()),
            };
            match groups.iter_mut().find(|(own, _)| *own == key) {
                Some((_, rows)) => rows.push(row),
                None => groups.push((key, vec![row])),
            }
        }
        for (number, (_, rows)) in groups.iter().enumerate() {
            // Other pages link to an instruction's first row.
            let address = if number == 0 { format!(" id=\"{}\"", escape(id)) } else { String::new() };
            let choices: Vec<String> = rows
                .iter()
                .map(|row| row.source.choices.iter().map(i64::to_string).collect::<Vec<_>>().join(" "))
                .collect();
            let choices = match choices.as_slice() {
                [first, .., last] if choices.len() > 4 => format!("{first} … {last} ({})", choices.len()),
                _ => choices.join(", "),
            };
            let (class, cells) = match rows[0].program() {
                Some((proof, cost, steps)) => {
                    let steps: Vec<&str> = steps.iter().map(|step| step.mnemonic.as_str()).collect();
                    let steps = if steps.is_empty() { "nothing".to_owned() } else { steps.join(", ") };
                    let up_to = certificate(rows[0].source.instruction).map(|own| format!(", {own}"));
                    (
                        if longer { "longer" } else { "proved" },
                        format!(
                            "<td><code>{}</code></td><td class=\"n\">{}</td><td class=\"n\">{}</td><td>{proof}{}</td>",
                            escape(&steps),
                            cost.uops,
                            cost.latency,
                            up_to.unwrap_or_default()
                        ),
                    )
                }
                None => {
                    let why = escape(rows[0].why());
                    match scalar.get(id) {
                        Some(operators) => (
                            "scalar",
                            format!(
                                "<td>scalar code, {operators} operators: {why}</td><td></td><td></td><td></td>"
                            ),
                        ),
                        None => ("none", format!("<td>{why}</td><td></td><td></td><td></td>")),
                    }
                }
            };
            let _ = writeln!(
                text,
                "<tr{address} class=\"{class}\"><td><code>{}</code></td><td>{choices}</td>{cells}{}</tr>",
                escape(id),
                beside_cells(pairs.get(id))
            );
        }
    }
    text += "</tbody></table>\n";
    document(&title, &text)
}
