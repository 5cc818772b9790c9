//! Values of one-call programs, and conversions between the types of a prototype and of a definition: none of them
//! needs an instruction.

/// The lines of a function.
#[derive(Debug, Default)]
pub(super) struct Body {
    pub(super) lines: Vec<String>,
    next: usize,
}

impl Body {
    /// Adds a line.
    pub(super) fn line(&mut self, text: &str) {
        self.lines.push(text.to_owned());
    }

    /// Adds an instruction and returns its value.
    fn push(&mut self, text: &str) -> String {
        let value = format!("%v{}", self.next);
        self.next += 1;
        self.lines.push(format!("{value} = {text}"));
        value
    }

    /// The same bits at another type: bits above are dropped, or are poison.
    pub(super) fn convert(&mut self, value: &str, from: &str, to: &str) -> String {
        if from == to || !value.starts_with('%') {
            return value.to_owned();
        }
        let (Some(have), Some(want)) = (width(from), width(to)) else { return value.to_owned() };
        let lanes = |count: u32, known: u32| {
            let lane = |lane| if lane < known { format!("i32 {lane}") } else { "i32 poison".to_owned() };
            (0..count).map(lane).collect::<Vec<_>>().join(", ")
        };
        match (elements(from), elements(to)) {
            (Some((1, element)), None) if element == to => {
                self.push(&format!("extractelement {from} {value}, i64 0"))
            }
            (None, Some((1, element))) if element == from => {
                self.push(&format!("insertelement {to} poison, {from} {value}, i64 0"))
            }
            _ if have == want => self.push(&format!("bitcast {from} {value} to {to}")),
            (None, None) if have > want => self.push(&format!("trunc {from} {value} to {to}")),
            (None, None) => self.push(&format!("zext {from} {value} to {to}")),
            // The first element, or the first elements.
            (Some(_), None) => {
                let number = format!("i{want}");
                match of_elements(from, &number) {
                    Some(same) => {
                        let value = self.convert(value, from, &same);
                        let value = self.push(&format!("extractelement {same} {value}, i64 0"));
                        self.convert(&value, &number, to)
                    }
                    None => {
                        let number = format!("i{have}");
                        let value = self.convert(value, from, &number);
                        self.convert(&value, &number, to)
                    }
                }
            }
            (None, Some(_)) => match of_elements(to, &format!("i{have}")) {
                Some(same) => {
                    let value = self.convert(value, from, &format!("i{have}"));
                    let value = self.push(&format!("insertelement {same} poison, i{have} {value}, i64 0"));
                    self.convert(&value, &same, to)
                }
                None => {
                    let number = self.convert(value, from, &format!("i{want}"));
                    self.convert(&number, &format!("i{want}"), to)
                }
            },
            (Some((count, element)), Some((other, _))) => {
                let element = if have > want { elements(to).map_or(element, |(_, e)| e) } else { element };
                let Some(same) = of_elements(from, element) else { return value.to_owned() };
                let value = self.convert(value, from, &same);
                let width = width(element).unwrap_or(8);
                let known = if have > want { other } else { count };
                let lanes = lanes(want / width, known);
                let made = format!("<{} x {element}>", want / width);
                let value = self.push(&format!(
                    "shufflevector {same} {value}, {same} poison, <{} x i32> <{lanes}>",
                    want / width
                ));
                self.convert(&value, &made, to)
            }
        }
    }

    /// Concatenated vectors of one type; the type and the value.
    pub(super) fn concatenation(&mut self, ty: &str, pieces: &[String]) -> (String, String) {
        let (each, element) = elements(ty).unwrap_or((1, ty));
        let count = each * pieces.len() as u32;
        let whole = format!("<{count} x {element}>");
        let mut value = "poison".to_owned();
        for (piece, low) in pieces.iter().zip((0..count).step_by(each as usize)) {
            let list = |lane: &dyn Fn(u32) -> Option<u32>| {
                let lane = |at| lane(at).map_or("i32 poison".to_owned(), |lane| format!("i32 {lane}"));
                (0..count).map(lane).collect::<Vec<_>>().join(", ")
            };
            let wide = list(&|at| (low..low + each).contains(&at).then(|| at - low));
            let wide =
                self.push(&format!("shufflevector {ty} {piece}, {ty} poison, <{count} x i32> <{wide}>"));
            let both = list(&|at| if at < low { Some(at) } else { (at < low + each).then_some(count + at) });
            value = self
                .push(&format!("shufflevector {whole} {value}, {whole} {wide}, <{count} x i32> <{both}>"));
        }
        (whole, value)
    }
}

/// The width of a type in bits.
pub fn width(ty: &str) -> Option<u32> {
    if let Some((count, element)) = elements(ty) {
        return count.checked_mul(width(element)?);
    }
    match ty {
        "half" | "bfloat" => Some(16),
        "float" => Some(32),
        "double" => Some(64),
        _ => ty.strip_prefix('i')?.parse().ok(),
    }
}

/// Count and type of a vector's elements.
pub fn elements(ty: &str) -> Option<(u32, &str)> {
    let (count, element) = ty.strip_prefix('<')?.strip_suffix('>')?.split_once(" x ")?;
    Some((count.parse().ok()?, element))
}

/// A type as a vector of other elements, where they fit.
pub fn of_elements(ty: &str, element: &str) -> Option<String> {
    let (whole, part) = (width(ty)?, width(element)?);
    whole.is_multiple_of(part).then(|| format!("<{} x {element}>", whole / part))
}

/// Whether a type is a vector of integers wider than one bit.
pub fn integers(ty: &str) -> bool {
    elements(ty).is_some_and(|(_, element)| element.starts_with('i') && element != "i1")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(from: &str, to: &str) -> Vec<String> {
        let mut body = Body::default();
        body.convert("%a", from, to);
        body.lines
    }

    #[test]
    fn conversions_keep_the_low_bits() {
        assert_eq!(lines("<2 x i64>", "<16 x i8>"), ["%v0 = bitcast <2 x i64> %a to <16 x i8>"]);
        assert_eq!(lines("<1 x i64>", "i64"), ["%v0 = extractelement <1 x i64> %a, i64 0"]);
        assert_eq!(
            lines("<2 x i64>", "<2 x i8>"),
            [
                "%v0 = bitcast <2 x i64> %a to <16 x i8>",
                "%v1 = shufflevector <16 x i8> %v0, <16 x i8> poison, <2 x i32> <i32 0, i32 1>"
            ]
        );
        assert_eq!(lines("i16", "<4 x i16>"), ["%v0 = insertelement <4 x i16> poison, i16 %a, i64 0"]);
        assert_eq!(lines("float", "i32"), ["%v0 = bitcast float %a to i32"]);
        assert_eq!(Body::default().convert("7", "i32", "i8"), "7");
    }

    #[test]
    fn the_parts_of_a_tuple_are_one_vector() {
        let mut body = Body::default();
        let (ty, value) = body.concatenation("<2 x i8>", &["%a".to_owned(), "%b".to_owned()]);
        assert_eq!((ty.as_str(), value.as_str()), ("<4 x i8>", "%v3"));
        assert!(body.lines[3].ends_with("<4 x i32> <i32 0, i32 1, i32 6, i32 7>"), "{}", body.lines[3]);
    }
}
