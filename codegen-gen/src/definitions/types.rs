//! Types of LLVM assembly, as far as conversions need them.

/// The width of a type in bits; `None` for what is no value in a register.
pub(super) fn width(ty: &str) -> Option<u32> {
    if let Some((count, element)) = elements(ty) {
        return count.checked_mul(width(element)?);
    }
    match ty {
        "half" | "bfloat" => Some(16),
        "float" => Some(32),
        "double" | "x86_mmx" => Some(64),
        _ => ty.strip_prefix('i')?.parse().ok(),
    }
}

/// Count and type of the elements of a vector or array: `<4 x i32>`, `[2 x <8 x i8>]`.
pub(super) fn elements(ty: &str) -> Option<(u32, &str)> {
    let inner = match ty.as_bytes() {
        [b'<', .., b'>'] | [b'[', .., b']'] => &ty[1..ty.len() - 1],
        _ => return None,
    };
    let (count, element) = inner.split_once(" x ")?;
    Some((count.parse().ok()?, element))
}

/// The parts of a structure's type.
pub(super) fn parts(ty: &str) -> Option<Vec<&str>> {
    let inner = ty.strip_prefix('{')?.strip_suffix('}')?;
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, character) in inner.char_indices() {
        match character {
            '<' | '[' | '{' => depth += 1,
            '>' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(inner[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(inner[start..].trim());
    Some(parts)
}

/// The type that stands at the end of a text, if one does: `… <4 x i32>`.
pub(super) fn at_end(text: &str) -> Option<&str> {
    let text = text.trim_end();
    let mut depth = 0;
    for (at, character) in text.char_indices().rev() {
        match character {
            '>' | ']' | '}' => depth += 1,
            '<' | '[' | '{' => {
                depth -= 1;
                if depth == 0 {
                    return Some(&text[at..]);
                }
            }
            ' ' | '(' | ',' if depth == 0 => return Some(&text[at + 1..]).filter(|ty| width(ty).is_some()),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_and_parts() {
        assert_eq!(width("<32 x i1>"), Some(32));
        assert_eq!(width("[2 x <8 x i8>]"), Some(128));
        assert_eq!(width("ptr"), None);
        assert_eq!(parts("{ <2 x i8>, [2 x i8] }"), Some(vec!["<2 x i8>", "[2 x i8]"]));
        assert_eq!(at_end("select <4 x i1> %c, <4 x i32> "), Some("<4 x i32>"));
        assert_eq!(at_end("call i8 @f(i8 "), Some("i8"));
        assert_eq!(at_end("add <4 x i32> %a, "), None);
    }
}
