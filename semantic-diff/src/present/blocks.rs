//! A report as headings, paragraphs, tables and listings, and the three ways to write these.

use std::fmt::Write as _;

/// A part of a report.
pub enum Block {
    /// A heading of level 1 to 3.
    Heading(u8, String),
    /// A paragraph.
    Paragraph(String),
    /// A table: the header and the rows; all but the first column hold numbers when `numbers`.
    Table {
        /// The columns' names.
        header: Vec<&'static str>,
        /// As many cells a row.
        rows: Vec<Vec<String>>,
        /// Whether all but the first column are aligned to the right.
        numbers: bool,
    },
    /// Names one after the other under a line that says what they are.
    Names(String, Vec<String>),
    /// Lines to be printed as they are.
    Listing(Vec<String>),
}

/// Characters of a line of names.
const WIDTH: usize = 110;

/// For a terminal.
pub fn text(blocks: &[Block]) -> String {
    let mut text = String::new();
    for block in blocks {
        if !text.is_empty() && !matches!(block, Block::Listing(_)) {
            text.push('\n');
        }
        match block {
            Block::Heading(1, heading) => {
                line(&mut text, format_args!("{heading}\n{}", "=".repeat(heading.chars().count())))
            }
            Block::Heading(2, heading) => {
                line(&mut text, format_args!("{heading}\n{}", "-".repeat(heading.chars().count())))
            }
            Block::Heading(_, heading) | Block::Paragraph(heading) => {
                line(&mut text, format_args!("{heading}"))
            }
            Block::Table { header, rows, numbers } => table(&mut text, header, rows, *numbers),
            Block::Names(what, names) => {
                line(&mut text, format_args!("{what}:"));
                for names in wrapped(names) {
                    line(&mut text, format_args!("  {names}"));
                }
            }
            Block::Listing(lines) => {
                for found in lines {
                    line(&mut text, format_args!("  {found}"));
                }
            }
        }
    }
    text
}

/// For a review.
pub fn markdown(blocks: &[Block]) -> String {
    let mut text = String::new();
    for block in blocks {
        if !text.is_empty() {
            text.push('\n');
        }
        match block {
            Block::Heading(level, heading) => {
                line(&mut text, format_args!("{} {heading}", "#".repeat(usize::from(*level))));
            }
            Block::Paragraph(paragraph) => line(&mut text, format_args!("{paragraph}")),
            Block::Table { header, rows, numbers } => {
                line(&mut text, format_args!("| {} |", header.join(" | ")));
                let rule = |(column, _)| if *numbers && column > 0 { "---:" } else { "---" };
                let rules: Vec<&str> = header.iter().enumerate().map(rule).collect();
                line(&mut text, format_args!("|{}|", rules.join("|")));
                for row in rows {
                    let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
                    line(&mut text, format_args!("| {} |", cells.join(" | ")));
                }
            }
            Block::Names(what, names) => {
                line(&mut text, format_args!("<details><summary>{what}</summary>\n\n```text"));
                for names in wrapped(names) {
                    line(&mut text, format_args!("{names}"));
                }
                line(&mut text, format_args!("```\n\n</details>"));
            }
            Block::Listing(lines) => {
                line(&mut text, format_args!("```text"));
                for found in lines {
                    line(&mut text, format_args!("{found}"));
                }
                line(&mut text, format_args!("```"));
            }
        }
    }
    text
}

/// One page for a browser.
pub fn html(blocks: &[Block]) -> String {
    let title = blocks.iter().find_map(|block| match block {
        Block::Heading(1, heading) => Some(escaped(heading)),
        _ => None,
    });
    let mut text = String::from("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">");
    line(&mut text, format_args!("<title>{}</title>", title.unwrap_or_default()));
    text.push_str(
        "<style>body{font-family:sans-serif;max-width:60em;margin:2em auto;padding:0 1em}\
         table{border-collapse:collapse}td,th{border:1px solid #999;padding:.2em .6em;text-align:left}\
         td.n{text-align:right}pre{background:#f4f4f4;padding:.6em;overflow-x:auto}</style></head><body>\n",
    );
    for block in blocks {
        match block {
            Block::Heading(level, heading) => {
                line(&mut text, format_args!("<h{level}>{}</h{level}>", escaped(heading)));
            }
            Block::Paragraph(paragraph) => line(&mut text, format_args!("<p>{}</p>", escaped(paragraph))),
            Block::Table { header, rows, numbers } => {
                let heads: String = header.iter().map(|head| format!("<th>{}</th>", escaped(head))).collect();
                line(&mut text, format_args!("<table><tr>{heads}</tr>"));
                for row in rows {
                    let cell = |(column, cell): (usize, &String)| {
                        let class = if *numbers && column > 0 { " class=\"n\"" } else { "" };
                        format!("<td{class}>{}</td>", escaped(cell))
                    };
                    let cells: String = row.iter().enumerate().map(cell).collect();
                    line(&mut text, format_args!("<tr>{cells}</tr>"));
                }
                line(&mut text, format_args!("</table>"));
            }
            Block::Names(what, names) => {
                let names = escaped(&wrapped(names).join("\n"));
                let what = escaped(what);
                line(
                    &mut text,
                    format_args!("<details><summary>{what}</summary><pre>{names}</pre></details>"),
                );
            }
            Block::Listing(lines) => {
                line(&mut text, format_args!("<pre>{}</pre>", escaped(&lines.join("\n"))));
            }
        }
    }
    text.push_str("</body></html>\n");
    text
}

fn line(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ = writeln!(text, "{arguments}");
}

fn table(text: &mut String, header: &[&str], rows: &[Vec<String>], numbers: bool) {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.chain([header[column].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let mut row = |cells: Vec<&str>| {
        let cell = |(column, cell): (usize, &&str)| match numbers && column > 0 {
            true => format!("{cell:>width$}", width = widths[column]),
            false => format!("{cell:<width$}", width = widths[column]),
        };
        let cells: Vec<String> = cells.iter().enumerate().map(cell).collect();
        line(text, format_args!("{}", cells.join("  ").trim_end()));
    };
    row(header.to_vec());
    for cells in rows {
        row(cells.iter().map(String::as_str).collect());
    }
}

fn wrapped(names: &[String]) -> Vec<String> {
    let mut lines = vec![String::new()];
    for (position, name) in names.iter().enumerate() {
        let name = if position + 1 < names.len() { format!("{name},") } else { name.clone() };
        let full = lines.last().is_some_and(|last| !last.is_empty() && last.len() + name.len() >= WIDTH);
        if full {
            lines.push(String::new());
        }
        if let Some(last) = lines.last_mut() {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(&name);
        }
    }
    lines
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_holds_everything() {
        let blocks = [
            Block::Heading(1, "A < B".into()),
            Block::Table {
                header: vec!["what", "n"],
                rows: vec![vec!["x|y".into(), "7".into()]],
                numbers: true,
            },
            Block::Names("names".into(), (0..40).map(|name| format!("name_{name}")).collect()),
            Block::Listing(vec!["a & b".into()]),
        ];
        let (text, markdown, html) = (text(&blocks), markdown(&blocks), html(&blocks));
        assert!(text.lines().all(|line| line.len() <= WIDTH + 2));
        for form in [&text, &markdown, &html] {
            assert!(form.contains("name_39") && form.contains('7'));
        }
        assert!(text.contains("a & b") && markdown.contains("x\\|y"));
        assert!(html.contains("A &lt; B") && html.contains("a &amp; b"));
    }
}
