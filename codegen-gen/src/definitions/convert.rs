//! Conversions of values between an operation's types and those of the C calling convention, written as lines
//! of LLVM assembly.

use crate::types::{elements, width};

/// The lines of a function under construction.
#[derive(Debug, Default)]
pub(super) struct Lines {
    pub(super) lines: Vec<String>,
    next: usize,
}

impl Lines {
    /// Adds an instruction and returns its value. The names of values begin with a dot, so that they differ
    /// from the operands'.
    pub(super) fn push(&mut self, text: &str) -> String {
        let value = format!("%.{}", self.next);
        self.next += 1;
        self.lines.push(format!("{value} = {text}"));
        value
    }

    /// Converts a value from one type to another one: the bits stay, in order; in a wider type the upper bits are
    /// arbitrary, in a narrower one they are dropped.
    pub(super) fn convert(&mut self, value: &str, from: &str, to: &str) -> Result<String, String> {
        if from == to {
            return Ok(value.to_owned());
        }
        let known = |ty: &str| width(ty).ok_or_else(|| format!("there is no conversion to or from {ty}"));
        let (have, want) = (known(from)?, known(to)?);
        if to.starts_with('[') {
            return self.array(value, from, to, have == want);
        }
        match have.cmp(&want) {
            std::cmp::Ordering::Equal => Ok(self.push(&format!("bitcast {from} {value} to {to}"))),
            std::cmp::Ordering::Less => self.widen(value, (from, have), (to, want)),
            std::cmp::Ordering::Greater => self.narrow(value, (from, have), (to, want)),
        }
    }

    fn widen(&mut self, value: &str, from: (&str, u32), to: (&str, u32)) -> Result<String, String> {
        let ((from, have), (to, want)) = (from, to);
        // Elements that are poison must not reach others: the vector's elements are cut at the same place.
        let aligned = elements(to).and_then(|(_, element)| width(element)).is_some_and(|e| have % e == 0);
        let (count, element) = elements(from).unwrap_or((1, from));
        let bits = width(element).unwrap_or(have);
        let wide = format!("<{} x {element}>", want.checked_div(bits).unwrap_or_default());
        if elements(from).is_some() && (bits >= 8 || element == "i1") && want % bits == 0 {
            let above = (!aligned).then_some(count);
            let lanes = (0..want / bits).map(|lane| if lane < count { Some(lane) } else { above });
            let made = self.shuffle(value, from, lanes);
            return self.convert(&made, &wide, to);
        }
        if aligned && bits >= 8 && want % bits == 0 {
            let made = self.push(&format!("insertelement {wide} poison, {from} {value}, i64 0"));
            return self.convert(&made, &wide, to);
        }
        let number = self.convert(value, from, &format!("i{have}"))?;
        let wide = self.push(&format!("zext i{have} {number} to i{want}"));
        self.convert(&wide, &format!("i{want}"), to)
    }

    fn narrow(&mut self, value: &str, from: (&str, u32), to: (&str, u32)) -> Result<String, String> {
        let ((from, have), (to, want)) = (from, to);
        let flags = format!("<{have} x i1>");
        if elements(to).is_some_and(|(_, element)| element == "i1") && from != flags {
            let made = self.convert(value, from, &flags)?;
            return self.narrow(&made, (&flags, have), (to, want));
        }
        if let Some((_, element)) = elements(from) {
            let bits = width(element).unwrap_or(have);
            if bits == want {
                let made = self.push(&format!("extractelement {from} {value}, i64 0"));
                return self.convert(&made, element, to);
            }
            if want % bits == 0 {
                let made = self.shuffle(value, from, (0..want / bits).map(Some));
                return self.convert(&made, &format!("<{} x {element}>", want / bits), to);
            }
            let scalar = |ty: &str| elements(ty).is_none();
            if scalar(to) && bits.is_multiple_of(want) && element.starts_with('i') {
                let made = self.push(&format!("extractelement {from} {value}, i64 0"));
                return self.narrow(&made, (element, bits), (to, want));
            }
        }
        let number = self.convert(value, from, &format!("i{have}"))?;
        let narrow = self.push(&format!("trunc i{have} {number} to i{want}"));
        self.convert(&narrow, &format!("i{want}"), to)
    }

    /// An array of vectors, as several registers are passed.
    fn array(&mut self, value: &str, from: &str, to: &str, same: bool) -> Result<String, String> {
        let fail = || format!("there is no conversion of {from} to {to}");
        let (pieces, piece) = elements(to).ok_or_else(fail)?;
        let (count, element) =
            elements(from).filter(|(count, _)| same && count % pieces == 0).ok_or_else(fail)?;
        let each = count / pieces;
        let mut whole = "poison".to_owned();
        for index in 0..pieces {
            let lanes = (index * each..(index + 1) * each).map(Some);
            let part = self.shuffle(value, from, lanes);
            let part = self.convert(&part, &format!("<{each} x {element}>"), piece)?;
            whole = self.push(&format!("insertvalue {to} {whole}, {piece} {part}, {index}"));
        }
        Ok(whole)
    }

    /// A vector of chosen elements of another one; elements past its end are 0.
    fn shuffle(&mut self, value: &str, ty: &str, lanes: impl Iterator<Item = Option<u32>>) -> String {
        let lane = |lane: Option<u32>| lane.map_or("i32 poison".to_owned(), |lane| format!("i32 {lane}"));
        let lanes: Vec<Option<u32>> = lanes.collect();
        let count = elements(ty).map_or(0, |(count, _)| count);
        let zeros = lanes.iter().flatten().any(|lane| *lane >= count);
        let other = if zeros { "zeroinitializer" } else { "poison" };
        let lanes: Vec<String> = lanes.into_iter().map(lane).collect();
        let mask = format!("<{} x i32> <{}>", lanes.len(), lanes.join(", "));
        self.push(&format!("shufflevector {ty} {value}, {ty} {other}, {mask}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(from: &str, to: &str) -> Vec<String> {
        let mut lines = Lines::default();
        lines.convert("%a", from, to).unwrap();
        lines.lines
    }

    #[test]
    fn equal_widths_are_bitcasts() {
        assert_eq!(lines("<16 x i8>", "<2 x i64>"), ["%.0 = bitcast <16 x i8> %a to <2 x i64>"]);
        assert_eq!(lines("<2 x i64>", "<2 x i64>"), Vec::<String>::new());
    }

    #[test]
    fn what_is_above_is_poison_only_where_it_reaches_nothing() {
        let vector = "%.0 = shufflevector <2 x i32> %a, <2 x i32> poison, \
                      <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>";
        assert_eq!(lines("<2 x i32>", "<2 x i64>"), [vector, "%.1 = bitcast <4 x i32> %.0 to <2 x i64>"]);
        assert_eq!(lines("i32", "<4 x float>")[0], "%.0 = insertelement <4 x i32> poison, i32 %a, i64 0");
        let mask = "%.0 = shufflevector <2 x i1> %a, <2 x i1> zeroinitializer, \
                    <4 x i32> <i32 0, i32 1, i32 2, i32 2>";
        assert_eq!(lines("<2 x i1>", "i4"), [mask, "%.1 = bitcast <4 x i1> %.0 to i4"]);
        // The 16-bit elements end inside a 32-bit element.
        let padded = "%.0 = shufflevector <3 x i16> %a, <3 x i16> zeroinitializer, \
                      <4 x i32> <i32 0, i32 1, i32 2, i32 3>";
        assert_eq!(lines("<3 x i16>", "<2 x i32>"), [padded, "%.1 = bitcast <4 x i16> %.0 to <2 x i32>"]);
        assert!(lines("i32", "<2 x i64>")[0].starts_with("%.0 = zext i32"));
    }

    #[test]
    fn bits_of_a_number_are_cut_as_a_vector() {
        let cut = "%.1 = shufflevector <8 x i1> %.0, <8 x i1> poison, <2 x i32> <i32 0, i32 1>";
        assert_eq!(lines("i8", "<2 x i1>"), ["%.0 = bitcast i8 %a to <8 x i1>", cut]);
    }

    #[test]
    fn registers_of_a_tuple() {
        let made = lines("<4 x i8>", "[2 x <2 x i8>]");
        assert_eq!(made.len(), 4);
        assert_eq!(made[3], "%.3 = insertvalue [2 x <2 x i8>] %.1, <2 x i8> %.2, 1");
        assert!(Lines::default().convert("%a", "i7", "[2 x i8]").is_err());
    }
}
