//! Pages of HTML that stand alone: without scripts or anything from elsewhere.

use ::report::escape;

const STYLE: &str = "body{font:14px/1.4 system-ui,sans-serif;margin:2em;max-width:80em}table{border-collapse:collapse;width:100%}\
td,th{border-bottom:1px solid #ccc;padding:.2em .6em;text-align:left;vertical-align:top}td.n{text-align:right}\
code{font:13px monospace}pre{font:13px monospace;overflow-x:auto;background:#f4f4f4;padding:.6em}\
tr.scalar td{background:#fff4e0}tr.none td{background:#f4f4f4}tr.longer td.n:last-child{background:#fdd}";

/// A page with its title as the heading; `body` is HTML.
pub fn document(title: &str, body: &str) -> String {
    let title = escape(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title><style>{STYLE}</style></head><body>\n\
         <h1>{title}</h1>\n{body}</body></html>\n"
    )
}
