//! The first page: the run in figures, and the plots.

use std::fmt::Write;

use crate::input::{Input, Port, Status};
use crate::plots::plots;
use crate::svg::{escape, query, thousands};

/// The contents of the first page.
pub(crate) fn html(input: &Input<'_>) -> String {
    let ops = input.dialect.ops();
    let entries: usize = input.isas.iter().map(|isa| isa.entries.len()).sum();
    let members: usize = ops.iter().map(|op| op.class.members.len()).sum();
    let shared = ops.iter().filter(|op| op.isas().len() > 1).count();
    let mut text = String::new();
    let _ = writeln!(
        text,
        "<p class=\"lead\"><b>{}</b> <a href=\"#/search\">entries</a> of {} instruction {}; <b>{}</b> are modelled and \
         members of <b>{}</b> <a href=\"#/ops\">operations</a>, <b>{}</b> of which have members on several instruction \
         sets. Every membership is proved.</p>",
        thousands(entries),
        input.isas.len(),
        if input.isas.len() == 1 { "set" } else { "sets" },
        thousands(members),
        thousands(ops.len()),
        thousands(shared)
    );
    text.push_str(&table(input));
    text.push_str(&ports(input));
    let _ = writeln!(text, "<div class=\"plots\">\n{}</div>", plots(input));
    text
}

/// Links to the pages of ports.
fn ports(input: &Input<'_>) -> String {
    if input.ports.is_empty() {
        return String::new();
    }
    let link = |port: &Port| {
        let [from, to] = [&port.from, &port.to].map(|name| escape(name));
        format!("<a href=\"{}\">{from} on {to}</a> ({})", escape(&port.path()), thousands(port.ids.len()))
    };
    let links: Vec<String> = input.ports.iter().map(link).collect();
    format!("<p>Instructions as sequences of others: {}.</p>\n", links.join(", "))
}

/// One row for each instruction set.
fn table(input: &Input<'_>) -> String {
    let mut text = String::from(
        "<div class=\"scroll\"><table class=\"figures\">\n<thead><tr><th scope=\"col\">Instruction set</th>\
         <th scope=\"col\">Document</th><th scope=\"col\">Entries</th><th scope=\"col\">Modelled</th>\
         <th scope=\"col\">Excluded</th><th scope=\"col\">Failed</th><th scope=\"col\">Operations</th>\
         <th scope=\"col\">Shared</th><th scope=\"col\">Corrected</th></tr></thead>\n<tbody>\n",
    );
    for isa in &input.isas {
        let count = |wanted: &dyn Fn(&Status<'_>) -> bool| {
            isa.entries.iter().filter(|entry| wanted(&entry.status)).count()
        };
        let modelled = count(&|status| matches!(status, Status::Modelled(_)));
        let excluded = count(&|status| matches!(status, Status::Excluded { .. }));
        let failed = count(&|status| matches!(status, Status::Failed { .. }));
        let corrected = isa.entries.iter().filter(|entry| !entry.errata.is_empty()).count();
        let own: Vec<_> = input.dialect.ops().iter().filter(|op| op.isas().contains(isa.name)).collect();
        let shared = own.iter().filter(|op| op.isas().len() > 1).count();
        let name = escape(isa.name);
        let cell = |number: usize, words: &str| {
            let link = query(&format!("isa:{}{words}", isa.name));
            format!("<td class=\"n\"><a href=\"#/search?q={link}\">{}</a></td>", thousands(number))
        };
        let _ = writeln!(
            text,
            "<tr><th scope=\"row\">{name}</th><td>{}</td>{}{}{}{}<td class=\"n\"><a href=\"#/ops?q=isa:{name}\">{}</a></td>\
             <td class=\"n\">{}</td>{}</tr>",
            if isa.version.is_empty() {
                "<span class=\"muted\">no version</span>".to_owned()
            } else {
                escape(isa.version)
            },
            cell(isa.entries.len(), ""),
            cell(modelled, " status:modelled"),
            cell(excluded, " status:excluded"),
            cell(failed, " status:failed"),
            thousands(own.len()),
            thousands(shared),
            cell(corrected, " erratum:"),
        );
    }
    text.push_str("</tbody></table></div>\n");
    text
}
