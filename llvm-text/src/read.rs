//! Parts of lines of LLVM assembly.

/// The parts of a list between commas that are not inside brackets, without surrounding spaces.
pub fn split_list(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'<' | b'[' | b'{' | b'(' => depth += 1,
            b'>' | b']' | b'}' | b')' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// A text cut before and after each `%name`: every second part is one, with its sign.
pub(crate) fn split_locals(text: &str) -> Vec<&str> {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"._$-".contains(&byte);
    let (mut parts, mut start) = (Vec::new(), 0);
    for (at, _) in text.match_indices('%') {
        let end =
            text[at + 1..].bytes().position(|byte| !is_name(byte)).map_or(text.len(), |end| at + 1 + end);
        parts.extend([&text[start..at], &text[at..end]]);
        start = end;
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_cut_outside_of_brackets() {
        assert_eq!(split_list("i32 %a, <2 x i8> <i8 1, i8 2>"), ["i32 %a", "<2 x i8> <i8 1, i8 2>"]);
        assert_eq!(split_list(" "), Vec::<&str>::new());
    }

    #[test]
    fn names_are_found() {
        assert_eq!(split_locals("f(%a.1, %b)"), ["f(", "%a.1", ", ", "%b", ")"]);
        assert_eq!(split_locals("%a"), ["", "%a", ""]);
        assert_eq!(split_locals(""), [""]);
    }
}
