//! What a vendor's intrinsics are in LLVM, as data: functions over the types of the C calling convention, extracted
//! once from a compiler.
//!
//! A function with immediates has one body for each combination of their values. Bodies of one shape share a
//! [`Variant`]: its lines have `{0}`, `{1}`, … where numbers differ, and a [`Column`] computes each number.

use std::collections::{BTreeMap, BTreeSet};

use llvm_text::Type;
use serde::{Deserialize, Serialize};

/// The intrinsics of one instruction set in one release of LLVM.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VendorIr {
    /// The instruction set's name.
    pub isa: String,
    /// LLVM's release.
    pub llvm: u32,
    /// The compiler that the data comes from, as it identifies itself.
    pub compiler: String,
    /// The options that the compiler had.
    pub options: Vec<String>,
    /// The target that the functions are for.
    pub triple: String,
    /// The target's layout of data.
    pub layout: String,
    /// The functions, each once.
    pub functions: Vec<VendorFunction>,
    /// For each instruction, by id, the position of its function.
    pub members: BTreeMap<String, usize>,
    /// Instructions without a function, by id, with the reason.
    pub refused: BTreeMap<String, String>,
    /// Intrinsics that functions of earlier releases call and that this one does not have, at the same type, with the
    /// compiler's message.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub retired: BTreeMap<String, String>,
}

/// A function. Its parameters are `%a0`, `%a1`, …; immediates are not parameters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct VendorFunction {
    /// The type of its result, a structure of several.
    pub result: Type,
    /// The types of its parameters.
    pub params: Vec<Type>,
    /// The number of immediates.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub immediates: usize,
    /// The bodies, by values of the immediates.
    pub variants: Vec<Variant>,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Bodies of one shape.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Variant {
    /// The values of the immediates: combinations separated by spaces, the numbers of one by commas, the last
    /// of which may be a range: `0..255`, `1,0..7`. Empty where there are none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub values: String,
    /// The lines of LLVM assembly.
    pub lines: Vec<String>,
    /// What `{0}`, `{1}`, … in the lines stand for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<Column>,
}

/// A number that depends on the immediates.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Column {
    /// `[i, shift, mask, scale, base]`: `base + scale * (immediate[i] >> shift & mask)`.
    Bits([i64; 5]),
    /// One number for each combination, in order.
    Table {
        /// The numbers.
        table: Vec<i64>,
    },
}

/// The mask of a column that has all bits of an immediate.
const FULL_MASK: i64 = u32::MAX as i64;

impl Column {
    fn at(&self, position: usize, values: &[i64]) -> Option<i64> {
        match self {
            Self::Bits([index, shift, mask, scale, base]) => {
                let value = *values.get(usize::try_from(*index).ok()?)?;
                Some(base + scale * (value >> shift & mask))
            }
            Self::Table { table } => table.get(position).copied(),
        }
    }

    /// The shortest form of a column of numbers.
    fn of(values: &[&[i64]], numbers: Vec<i64>) -> Self {
        let immediates = values.first().map_or(0, |values| values.len());
        for index in 0..immediates {
            for mask in [FULL_MASK, 1, 3, 7, 15, 31, 63] {
                for shift in 0..8 {
                    let field = |values: &[i64]| values[index] >> shift & mask;
                    // Two different fields tell the line through them.
                    let first = field(values[0]);
                    let other = values.iter().position(|values| field(values) != first);
                    let Some(other) = other else { continue };
                    let (run, rise) = (field(values[other]) - first, numbers[other] - numbers[0]);
                    if rise % run != 0 {
                        continue;
                    }
                    let scale = rise / run;
                    let base = numbers[0] - scale * first;
                    let fits = values.iter().zip(&numbers);
                    if fits.into_iter().all(|(values, number)| base + scale * field(values) == *number) {
                        return Self::Bits([index as i64, shift, mask, scale, base]);
                    }
                }
            }
        }
        Self::Table { table: numbers }
    }
}

/// The body of a function at one combination of immediates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The immediates' values.
    pub values: Vec<i64>,
    /// The lines of LLVM assembly.
    pub lines: Vec<String>,
}

impl VendorIr {
    /// LLVM's intrinsics that its functions call.
    pub fn intrinsics(&self) -> BTreeSet<&str> {
        self.functions.iter().flat_map(VendorFunction::intrinsics).collect()
    }

    /// The values for which an instruction's function is defined, of the immediate at that place among its immediates;
    /// `None` where there is no function.
    pub(crate) fn immediate(&self, id: &str, place: usize) -> Option<BTreeSet<i64>> {
        let function = self.functions.get(*self.members.get(id)?)?;
        let values: Vec<_> =
            function.variants.iter().map(|variant| parse_values(&variant.values)).collect::<Option<_>>()?;
        Some(values.iter().flatten().filter_map(|values| values.get(place).copied()).collect())
    }
}

impl VendorFunction {
    /// The function of given bodies; there is at least one, and all have the same number of immediates.
    pub fn new(result: Type, params: Vec<Type>, cases: &[Case]) -> Self {
        let mut shapes: Vec<(Vec<Vec<&str>>, Vec<usize>)> = Vec::new();
        let parts: Vec<Vec<Vec<&str>>> =
            cases.iter().map(|case| case.lines.iter().map(|line| split_numbers(line)).collect()).collect();
        // A shape is what is left without the numbers: every other part.
        let mut positions: BTreeMap<Vec<Vec<&str>>, usize> = BTreeMap::new();
        for (position, lines) in parts.iter().enumerate() {
            let shape: Vec<Vec<&str>> =
                lines.iter().map(|line| line.iter().step_by(2).copied().collect()).collect();
            let at = *positions.entry(shape.clone()).or_insert_with(|| {
                shapes.push((shape, Vec::new()));
                shapes.len() - 1
            });
            shapes[at].1.push(position);
        }
        let variants = shapes.iter().map(|(shape, members)| variant(cases, &parts, shape, members)).collect();
        let immediates = cases.first().map_or(0, |case| case.values.len());
        Self { result, params, immediates, variants }
    }

    /// LLVM's intrinsics that it calls, by their names without `@`.
    pub fn intrinsics(&self) -> BTreeSet<&str> {
        let lines = self.variants.iter().flat_map(|variant| &variant.lines);
        let calls = lines.flat_map(|line| line.split('@').skip(1));
        calls.filter_map(|call| call.split('(').next()).filter(|name| name.starts_with("llvm.")).collect()
    }

    /// The lines of the only body, in which the immediates are values of the given names; `None` where there are several
    /// bodies, or one depends on an immediate in another way.
    pub(crate) fn with_immediates(&self, name: &dyn Fn(usize) -> String) -> Option<Vec<String>> {
        let [variant] = &self.variants[..] else { return None };
        variant.lines.iter().map(|line| variant.named_line(line, name)).collect()
    }

    /// The bodies by values of the immediates; `None` when the data contradicts itself.
    pub fn cases(&self) -> Option<Vec<Case>> {
        let mut cases = Vec::new();
        for variant in &self.variants {
            if self.immediates == 0 {
                cases.push(Case { values: Vec::new(), lines: variant.lines.clone() });
                continue;
            }
            for (position, values) in parse_values(&variant.values)?.into_iter().enumerate() {
                let lines = variant.lines.iter().map(|line| variant.line(line, position, &values));
                cases.push(Case { lines: lines.collect::<Option<_>>()?, values });
            }
        }
        cases.sort_by(|a, b| a.values.cmp(&b.values));
        Some(cases)
    }
}

impl Variant {
    /// A line with names for its numbers, each of which is an immediate and an operand of its own: not an element of a
    /// constant. Positions of elements may have any type.
    fn named_line(&self, line: &str, name: &dyn Fn(usize) -> String) -> Option<String> {
        let has_position = line.contains(" extractelement ") || line.contains(" insertelement ");
        let mut text = line.to_owned();
        for (column, own) in self.columns.iter().enumerate() {
            let place = format!("{{{column}}}");
            if !text.contains(&place) {
                continue;
            }
            let Column::Bits([immediate, 0, FULL_MASK, 1, 0]) = own else { return None };
            // Elements of constants are no operands.
            if ["<i32 ", "splat (i32 "].iter().any(|constant| text.contains(constant)) {
                return None;
            }
            let value = format!(" i32 {}", name(usize::try_from(*immediate).ok()?));
            text = text.replace(&format!("(i32 {place}"), &format!("({}", value.trim_start()));
            text = text.replace(&format!(" i32 {place}"), &value);
            if has_position {
                text = text.replace(&format!(" i64 {place}"), &value);
            }
            if text.contains(&place) {
                return None;
            }
        }
        Some(text)
    }

    fn line(&self, line: &str, position: usize, values: &[i64]) -> Option<String> {
        let mut text = String::with_capacity(line.len());
        let mut rest = line;
        while let Some(open) = rest.find('{') {
            let close = open + rest[open..].find('}')?;
            text.push_str(&rest[..open]);
            match rest[open + 1..close].parse::<usize>() {
                Ok(column) => text.push_str(&self.columns.get(column)?.at(position, values)?.to_string()),
                // The bracket of a structure's type.
                Err(_) => text.push_str(&rest[open..=close]),
            }
            rest = &rest[close + 1..];
        }
        text.push_str(rest);
        Some(text)
    }
}

fn variant(cases: &[Case], parts: &[Vec<Vec<&str>>], shape: &[Vec<&str>], members: &[usize]) -> Variant {
    let values: Vec<&[i64]> = members.iter().map(|member| cases[*member].values.as_slice()).collect();
    let mut columns: Vec<Column> = Vec::new();
    let mut lines = Vec::new();
    for (line, words) in shape.iter().enumerate() {
        let mut text = words[0].to_owned();
        for (number, word) in words.iter().enumerate().skip(1) {
            let found = |member: usize| parts[member][line][2 * number - 1];
            let numbers: Option<Vec<i64>> =
                members.iter().map(|member| found(*member).parse().ok()).collect();
            match numbers {
                Some(numbers) if numbers.iter().any(|other| *other != numbers[0]) => {
                    let column = Column::of(&values, numbers);
                    let at = columns.iter().position(|other| *other == column).unwrap_or_else(|| {
                        columns.push(column);
                        columns.len() - 1
                    });
                    text.push_str(&format!("{{{at}}}"));
                }
                _ => text.push_str(found(members[0])),
            }
            text.push_str(word);
        }
        lines.push(text);
    }
    Variant { values: print_values(&values), lines, columns }
}

/// A line cut before and after each number, so that every second part is one.
fn split_numbers(line: &str) -> Vec<&str> {
    let bytes = line.as_bytes();
    let (mut parts, mut start, mut at) = (Vec::new(), 0, 0);
    while at < bytes.len() {
        let before = at.checked_sub(1).map_or(b' ', |before| bytes[before]);
        let name =
            before.is_ascii_alphanumeric() || matches!(before, b'.' | b'_' | b'%' | b'@' | b'$' | b'-');
        let digits = if bytes[at] == b'-' { at + 1 } else { at };
        let end = digits + bytes[digits..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let stops =
            bytes.get(end).is_none_or(|byte| !byte.is_ascii_alphanumeric() && !b"._\"".contains(byte));
        // More digits than fit are text.
        if !name && end > digits && stops && end - at < 19 {
            parts.extend([&line[start..at], &line[at..end]]);
            start = end;
        }
        at = end.max(at + 1);
    }
    parts.push(&line[start..]);
    parts
}

fn print_values(values: &[&[i64]]) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut rest = values;
    while let [first, ..] = rest {
        let Some((last, before)) = first.split_last() else { break };
        let continues = |(steps, values): (usize, &&[i64])| {
            let (number, others) = (values.last(), &values[..values.len().saturating_sub(1)]);
            others == before && number == Some(&(last + steps as i64))
        };
        let count =
            rest.iter().enumerate().take_while(|(at, values)| continues((*at, values))).count().max(1);
        let mut word: String = before.iter().map(|number| format!("{number},")).collect();
        word += &last.to_string();
        if count > 1 {
            word += &format!("..{}", last + count as i64 - 1);
        }
        words.push(word);
        rest = &rest[count..];
    }
    words.join(" ")
}

fn parse_values(text: &str) -> Option<Vec<Vec<i64>>> {
    let mut all = Vec::new();
    for word in text.split_whitespace() {
        let (before, last) = match word.rsplit_once(',') {
            Some((before, last)) => (before, last),
            None => ("", word),
        };
        let before = before.split(',').filter(|number| !number.is_empty()).map(str::parse::<i64>);
        let before = before.collect::<Result<Vec<i64>, _>>().ok()?;
        let (low, high) = match last.split_once("..") {
            Some((low, high)) => (low.parse::<i64>().ok()?, high.parse::<i64>().ok()?),
            None => (last.parse::<i64>().ok()?, last.parse::<i64>().ok()?),
        };
        all.extend((low..=high).map(|last| before.iter().copied().chain([last]).collect::<Vec<i64>>()));
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn immediates_that_are_operands_get_names() {
        let named = |line: &str| {
            let variant = Variant {
                values: "0..7".to_owned(),
                lines: Vec::new(),
                columns: vec![Column::Bits([0, 0, FULL_MASK, 1, 0])],
            };
            variant.named_line(line, &|position| format!("%i{position}"))
        };
        let check = |line: &str, expected: Option<&str>| assert_eq!(named(line).as_deref(), expected);
        check("%v0 = call i64 @f(i64 %a0, i32 {0})", Some("%v0 = call i64 @f(i64 %a0, i32 %i0)"));
        check("%v0 = call i64 @f(i32 {0})", Some("%v0 = call i64 @f(i32 %i0)"));
        let element = "%v0 = extractelement <4 x i8> %a0, i64 {0}";
        check(element, Some("%v0 = extractelement <4 x i8> %a0, i32 %i0"));
        check("ret i64 %v0", Some("ret i64 %v0"));
        // Elements of constants, and other types.
        check("%v0 = shl <4 x i32> %a0, splat (i32 {0})", None);
        check("%v0 = shl <2 x i32> %a0, <i32 1, i32 {0}>", None);
        check("%v0 = call i64 @f(i64 %a0, i8 {0})", None);
    }

    fn shuffle(values: impl Iterator<Item = i64>) -> Vec<Case> {
        let case = |value: i64| {
            let mask = if value == 5 {
                "zeroinitializer".to_owned()
            } else {
                format!("<i32 {}, i32 {}>", value & 3, 4 + (value >> 2 & 3))
            };
            let lines = vec![
                format!("%v0 = shufflevector <4 x i8> %a0, <4 x i8> %a1, <2 x i32> {mask}"),
                "ret <2 x i8> %v0".to_owned(),
            ];
            Case { values: vec![value], lines }
        };
        values.map(case).collect()
    }

    #[test]
    fn bodies_of_one_shape_become_one_and_come_back() {
        let cases = shuffle(0..16);
        let function = VendorFunction::new(Type::lanes(2, 8), vec![Type::lanes(4, 8); 2], &cases);
        assert_eq!(function.variants.len(), 2);
        let variant = &function.variants[0];
        assert_eq!(variant.values, "0..4 6..15");
        assert_eq!(
            variant.columns,
            [Column::Bits([0, 0, 3, 1, 0]), Column::Bits([0, 2, i64::from(u32::MAX), 1, 4])]
        );
        assert!(variant.lines[0].ends_with("<2 x i32> <i32 {0}, i32 {1}>"), "{}", variant.lines[0]);
        assert_eq!(function.cases().unwrap(), cases);
    }

    #[test]
    fn values_are_written_as_ranges() {
        let values = [&[0i64, 1][..], &[0, 2], &[1, -1], &[1, 0], &[7, 7]];
        let text = print_values(&values);
        assert_eq!(text, "0,1..2 1,-1..0 7,7");
        assert_eq!(parse_values(&text).unwrap(), values);
    }

    #[test]
    fn numbers_are_told_from_names() {
        let numbers =
            |line: &'static str| split_numbers(line).into_iter().skip(1).step_by(2).collect::<Vec<_>>();
        let call = "%v1 = call <8 x i16> @llvm.x86.sse2.pslli.w(<8 x i16> %v0, i32 -37)";
        assert_eq!(numbers(call), ["8", "8", "-37"]);
        assert_eq!(numbers("fadd float %a0, 0x3FF0000000000000"), Vec::<&str>::new());
    }
}
