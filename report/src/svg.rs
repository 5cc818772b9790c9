//! SVG and HTML text: the few elements that the plots are made of.

use std::fmt::Write;

/// A text as HTML, in elements and in attributes: the characters of markup are escaped.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Text as part of a query of a link.
pub(crate) fn query(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' | b'.' | b':' | b',' => {
                encoded.push(char::from(byte));
            }
            _ => {
                let _ = write!(encoded, "%{byte:02X}");
            }
        }
    }
    encoded
}

/// 12157 as 12,157.
pub(crate) fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Where a text is anchored.
#[derive(Clone, Copy)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// A drawing. Lengths are in units of a CSS pixel at full size.
pub(crate) struct Svg {
    width: usize,
    body: String,
}

impl Svg {
    pub(crate) fn new(width: usize) -> Self {
        Self { width, body: String::new() }
    }

    pub(crate) fn text(&mut self, x: usize, y: usize, anchor: Anchor, class: &str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = escape(text);
        let _ = write!(
            self.body,
            "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\" class=\"{class}\">{text}</text>"
        );
    }

    /// A bar; `tip` says what it represents.
    pub(crate) fn bar(&mut self, area: [usize; 4], class: &str, tip: &str) {
        let [x, y, width, height] = area;
        let tip = escape(tip);
        let _ = write!(
            self.body,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" class=\"{class}\"><title>{tip}</title></rect>"
        );
    }

    pub(crate) fn line(&mut self, from: (usize, usize), to: (usize, usize), class: &str) {
        let ((x1, y1), (x2, y2)) = (from, to);
        let _ =
            write!(self.body, "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" class=\"{class}\"/>");
    }

    pub(crate) fn dot(&mut self, x: usize, y: usize, class: &str) {
        let _ = write!(self.body, "<circle cx=\"{x}\" cy=\"{y}\" r=\"5\" class=\"{class}\"/>");
    }

    /// What `draw` adds leads to the page of that hash.
    pub(crate) fn link(&mut self, hash: &str, label: &str, draw: impl FnOnce(&mut Self)) {
        let _ = write!(self.body, "<a href=\"#{}\" aria-label=\"{}\">", escape(hash), escape(label));
        draw(self);
        self.body.push_str("</a>");
    }

    /// A figure of the given height with its title and a sentence on how to read it.
    pub(crate) fn figure(self, height: usize, title: &str, caption: &str) -> String {
        let Self { width, body } = self;
        let (title, caption) = (escape(title), escape(caption));
        format!(
            "<figure class=\"plot\">\n<figcaption><b>{title}</b> {caption}</figcaption>\n\
             <div class=\"scroll\"><svg viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
             role=\"group\" aria-label=\"{title}\">{body}</svg></div>\n</figure>\n"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_texts_are_escaped() {
        assert_eq!(thousands(7), "7");
        assert_eq!(thousands(12_157), "12,157");
        assert_eq!(thousands(100_000), "100,000");
        assert_eq!(escape("a<b & \"c\""), "a&lt;b &amp; &quot;c&quot;");
        assert_eq!(query("isa:x86 a/b"), "isa:x86%20a%2Fb");
    }
}
