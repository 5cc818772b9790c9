//! Types of LLVM assembly as text: their widths and parts, and how MLIR writes them.

/// The width of a type in bits; `None` for types that are not register values.
pub(crate) fn width(ty: &str) -> Option<u32> {
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
pub(crate) fn elements(ty: &str) -> Option<(u32, &str)> {
    let inner = match ty.as_bytes() {
        [b'<', .., b'>'] | [b'[', .., b']'] => &ty[1..ty.len() - 1],
        _ => return None,
    };
    let (count, element) = inner.split_once(" x ")?;
    Some((count.parse().ok()?, element))
}

/// The parts of a structure's type.
pub(crate) fn parts(ty: &str) -> Option<Vec<&str>> {
    let inner = ty.strip_prefix('{')?.strip_suffix('}')?;
    Some(split_list(inner))
}

/// The parts of a list between commas, also where they have commas in brackets.
pub(crate) fn split_list(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, character) in text.char_indices() {
        match character {
            '<' | '[' | '{' | '(' => depth += 1,
            '>' | ']' | '}' | ')' => depth -= 1,
            ',' if depth == 0 => {
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

/// A type as MLIR writes it.
pub(crate) fn in_mlir(ty: &str) -> Option<String> {
    if let Some((count, element)) = elements(ty).filter(|_| ty.starts_with('<')) {
        return Some(format!("vector<{count}x{}>", in_mlir(element)?));
    }
    Some(match ty {
        "half" => "f16".to_owned(),
        "bfloat" => "bf16".to_owned(),
        "float" => "f32".to_owned(),
        "double" => "f64".to_owned(),
        _ => format!("i{}", ty.strip_prefix('i')?.parse::<u32>().ok()?),
    })
}

/// The type at the end of a text, if any: `… <4 x i32>`.
pub(crate) fn at_end(text: &str) -> Option<&str> {
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
    fn widths_parts_and_mlir() {
        assert_eq!(width("<32 x i1>"), Some(32));
        assert_eq!(width("[2 x <8 x i8>]"), Some(128));
        assert_eq!(width("ptr"), None);
        assert_eq!(parts("{ <2 x i8>, [2 x i8] }"), Some(vec!["<2 x i8>", "[2 x i8]"]));
        assert_eq!(split_list("i32 %a, <2 x i8> %b"), ["i32 %a", "<2 x i8> %b"]);
        assert_eq!(split_list(""), Vec::<&str>::new());
        assert_eq!(in_mlir("<4 x bfloat>").as_deref(), Some("vector<4xbf16>"));
        assert_eq!(in_mlir("[2 x i8]"), None);
        assert_eq!(at_end("select <4 x i1> %c, <4 x i32> "), Some("<4 x i32>"));
        assert_eq!(at_end("call i8 @f(i8 "), Some("i8"));
        assert_eq!(at_end("add <4 x i32> %a, "), None);
    }
}
