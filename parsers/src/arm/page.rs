//! Arm's older reference page (HTML): one block for each intrinsic, with its instruction, where
//! arguments and results are, and the operation's pseudocode.
//!
//! ```text
//! <div class="intrinsic"> … <label>…<div>int8x8_t <b>vadd_s8</b> (int8x8_t a, int8x8_t b)<span …
//!   <h4>A64 Instruction</h4><pre>ADD Vd.8B,Vn.8B,Vm.8B</pre>
//!   <h4>Argument Preparation</h4><pre>a → Vn.8B <br />b → Vm.8B</pre>
//!   <h4>Results</h4><pre>Vd.8B → result</pre>  <h4>Operation</h4><pre>…</pre>
//!   <h4>Supported architectures</h4><p>v7/A32/A64</p>
//! ```

use super::json::{Entry, Preparation};

/// An intrinsic of the page.
#[derive(Clone, Debug)]
pub struct Block {
    /// What the page says, with an empty key of the operation.
    pub entry: Entry,
    /// The operation's text.
    pub operation: Option<String>,
    /// Byte offset of the block.
    pub offset: usize,
    /// Bytes of the block.
    pub length: usize,
}

const OPEN: &str = "<div class=\"intrinsic\">";

/// Whether a document is such a page.
pub fn is_page(text: &str) -> bool {
    text.contains(OPEN)
}

/// The blocks of a page; one that cannot be read is an offset and a message.
pub fn blocks(text: &str) -> Vec<Result<Block, (usize, String)>> {
    let starts: Vec<usize> = text.match_indices(OPEN).map(|(at, _)| at).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|(start, end)| {
            let whole = &text[*start..end];
            let length = whole.find("</article>").unwrap_or(whole.len());
            block(&whole[..length], *start).map_err(|message| (*start, message))
        })
        .collect()
}

fn block(text: &str, offset: usize) -> Result<Block, String> {
    let label = between(text, "<label", "</label>").ok_or("a block without a label")?;
    let label = label.split_once('>').map_or("", |(_, rest)| rest);
    let prototype = plain(label.split("<span").next().unwrap_or(""));
    let (head, args) = prototype.split_once('(').ok_or_else(|| format!("`{prototype}` is no prototype"))?;
    let args = args.trim().strip_suffix(')').ok_or_else(|| format!("`{prototype}` is not closed"))?;
    let (returns, name) =
        head.trim().rsplit_once(' ').ok_or_else(|| format!("`{head}` has no type and name"))?;
    if !super::json::is_name(name) {
        return Err(format!("`{name}` is not the name of a C function"));
    }
    let mut entry = Entry { name: name.to_owned(), returns: returns.trim().to_owned(), ..Entry::default() };
    entry.described = true;
    for arg in args.split(',').map(str::trim).filter(|arg| !arg.is_empty() && *arg != "void") {
        // The name may have a star.
        let at = arg.rfind([' ', '*']).ok_or_else(|| format!("`{arg}` has no type and name"))?;
        entry.args.push((arg[..=at].trim().to_owned(), arg[at + 1..].to_owned()));
    }
    let section = |title: &str| {
        let (_, rest) = text.split_once(&format!("<h4>{title}</h4>"))?;
        Some(rest.split("<h4>").next().unwrap_or(rest))
    };
    let missing = |title: &str| format!("`{name}` has no section `{title}`");
    let lines = |title: &str| section(title).map(plain).ok_or_else(|| missing(title));
    instructions(&mut entry, &lines("A64 Instruction")?);
    for line in lines("Argument Preparation")?.lines().map(str::trim).filter(|line| !line.is_empty()) {
        prepare(&mut entry, line)
            .ok_or_else(|| format!("`{line}` says not where an argument of `{name}` is"))?;
    }
    for line in lines("Results")?.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (register, part) =
            line.split_once('→').ok_or_else(|| format!("`{line}` says not where a result of `{name}` is"))?;
        entry.results.push((register.trim().to_owned(), part.trim().to_owned()));
    }
    if let Some(architectures) = section("Supported architectures") {
        entry.architectures = plain(architectures).trim().split('/').map(str::to_owned).collect();
    }
    let operation =
        section("Operation").map(|text| plain(text).trim().to_owned()).filter(|text| !text.is_empty());
    Ok(Block { entry, operation, offset, length: text.len() })
}

/// Mnemonics, and the operands of the first instruction.
fn instructions(entry: &mut Entry, text: &str) {
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (mnemonic, operands) = line.split_once(' ').unwrap_or((line, ""));
        if entry.base.is_empty() {
            entry.operands = operands.trim().to_owned();
        }
        entry.base.push(mnemonic.to_owned());
    }
}

/// `a → Vn.8B`, `t.val[1] → Vn+1.16B`, `Vn → Zeros(64):a`, `0 << lane << 7`.
fn prepare(entry: &mut Entry, line: &str) -> Option<()> {
    if let Some((low, rest)) = line.split_once("<<") {
        let (name, high) = rest.split_once("<<")?;
        let range = Preparation::Immediate(low.trim().parse().ok()?, high.trim().parse().ok()?);
        entry.preparation.insert(name.trim().to_owned(), range);
        return Some(());
    }
    let (left, right) = line.split_once('→')?;
    let argument = |text: &str| {
        let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let is_arg = |word: &str| entry.args.iter().any(|(_, name)| name == word);
        words.find(|word| is_arg(word)).map(str::to_owned)
    };
    let (name, register) = match argument(left) {
        Some(name) => (name, right.trim()),
        // What the register is put together from; its width is the whole register's.
        None => (argument(right)?, left.trim()),
    };
    // The first of several registers of an argument.
    entry.preparation.entry(name).or_insert_with(|| Preparation::Register(register.to_owned()));
    Some(())
}

fn between<'a>(text: &'a str, open: &str, close: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(open)?;
    rest.split_once(close).map(|(inner, _)| inner)
}

/// The text without tags and with entities resolved. A `<` that opens no tag stays.
fn plain(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        text.push_str(&rest[..at]);
        let tag = &rest[at + 1..];
        let named = tag.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!'));
        match tag.find('>').filter(|_| named) {
            Some(end) => rest = &tag[end + 1..],
            None => {
                text.push('<');
                rest = tag;
            }
        }
    }
    text.push_str(rest);
    let resolve = |entity: &str| match entity {
        "rarr" => Some("→"),
        other => quick_xml::escape::resolve_predefined_entity(other),
    };
    match quick_xml::escape::unescape_with(&text, resolve) {
        Ok(resolved) => resolved.into_owned(),
        Err(_) => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = r#"<div class="intrinsic"><input id="f"><label for="f"><div>int8x8_t <b><b>f</b></b> (int8x8_t a, int8x8x2_t t, const int n)<span class="right">Own</span></div></label><article>
        <h4>A64 Instruction</h4><pre><a href="x">EXT</a> Vd.8B,{Vn.16B},#(n<<1)
</pre> <h4>Argument Preparation</h4><pre>a &rarr; Vd <br />
Vn &rarr; t.val[1]:t.val[0] <br />
0 &lt;&lt; n &lt;&lt; 3 </pre> <h4>Results</h4> <pre>Vd.8B &rarr; result
</pre> <h4>Operation</h4><pre class="codeblock">if a &lt; 1 &amp;&amp; TRUE then
    <a>V</a>[d] = 0;</pre><h4>Supported architectures</h4> <p>v7/A64</p> </article> </div>"#;

    #[test]
    fn a_block_becomes_an_entry() {
        let blocks = blocks(PAGE);
        let block = blocks[0].as_ref().unwrap();
        let entry = &block.entry;
        assert_eq!((entry.name.as_str(), entry.returns.as_str()), ("f", "int8x8_t"));
        assert_eq!(entry.args[2], ("const int".to_owned(), "n".to_owned()));
        assert_eq!((entry.base[0].as_str(), entry.operands.as_str()), ("EXT", "Vd.8B,{Vn.16B},#(n<<1)"));
        assert_eq!(entry.preparation["a"], Preparation::Register("Vd".into()));
        assert_eq!(entry.preparation["t"], Preparation::Register("Vn".into()));
        assert_eq!(entry.preparation["n"], Preparation::Immediate(0, 3));
        assert_eq!(entry.results, [("Vd.8B".to_owned(), "result".to_owned())]);
        assert_eq!(entry.architectures, ["v7", "A64"]);
        assert_eq!(block.operation.as_deref(), Some("if a < 1 && TRUE then\n    V[d] = 0;"));
    }

    #[test]
    fn a_block_without_a_section_is_told() {
        let message = |page: &str| blocks(page).remove(0).unwrap_err();
        assert_eq!(
            message(&PAGE.replace("Results", "Result")),
            (0, "`f` has no section `Results`".to_owned())
        );
        assert_eq!(message("<div class=\"intrinsic\">").1, "a block without a label");
        assert!(blocks("no page").is_empty() && !is_page("no page"));
    }
}
