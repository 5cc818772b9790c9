//! Vendor functions at the types that they work on.
//!
//! In C a vector of integers has elements of 64 bits; a function on bytes converts its parameters first and its
//! result last. Without these conversions a narrower value can be put into a wider register byte by byte:
//!
//! ```text
//! (<2 x i64> %a0)                                    (<16 x i8> %a0)
//!   %v0 = bitcast <2 x i64> %a0 to <16 x i8>
//!   %v1 = call <16 x i8> @llvm.…(<16 x i8> %v0)        %v1 = call <16 x i8> @llvm.…(<16 x i8> %a0)
//!   %v2 = bitcast <16 x i8> %v1 to <2 x i64>
//!   ret <2 x i64> %v2                                  ret <16 x i8> %v1
//! ```

use super::data::{Variant, VendorFunction};
use super::vendor::{renamed, values};
use crate::types::elements;

/// The function without conversions of whole parameters and of the result from one vector type to another.
pub(super) fn natural(function: &VendorFunction) -> VendorFunction {
    let mut made = function.clone();
    for position in 0..made.params.len() {
        let value = format!("%a{position}");
        if let Some(ty) = parameter_type(&made.variants, &value, &made.params[position]) {
            let conversion = format!("bitcast {} {value} to {ty}", made.params[position]);
            for variant in &mut made.variants {
                remove_conversion(variant, &conversion, &value);
            }
            made.params[position] = ty;
        }
    }
    if let Some(ty) = result_type(&made.variants, &made.result) {
        for variant in &mut made.variants {
            return_converted(variant, &made.result, &ty);
        }
        made.result = ty;
    }
    made
}

/// Whether a type is a vector of numbers.
fn is_vector(ty: &str) -> bool {
    elements(ty).is_some_and(|(_, element)| ty.starts_with('<') && element != "i1")
}

/// The vector type to which all uses of a parameter convert it.
fn parameter_type(variants: &[Variant], value: &str, ty: &str) -> Option<String> {
    let conversion = format!("bitcast {ty} {value} to ");
    let lines = variants.iter().flat_map(|variant| &variant.lines);
    let mut found: Option<&str> = None;
    for line in lines.filter(|line| values(line).any(|used| used == value)) {
        let to = line.split_once(" = ")?.1.strip_prefix(&conversion)?;
        if found.is_some_and(|found| found != to) {
            return None;
        }
        found = Some(to);
    }
    found.filter(|to| is_vector(to) && is_vector(ty)).map(str::to_owned)
}

fn remove_conversion(variant: &mut Variant, conversion: &str, value: &str) {
    while let Some(at) = variant
        .lines
        .iter()
        .position(|line| line.split_once(" = ").is_some_and(|(_, text)| text == conversion))
    {
        let line = variant.lines.remove(at);
        let converted = line.split(' ').next().unwrap_or_default();
        for line in &mut variant.lines {
            *line = renamed(line, |name| if name == converted { value } else { name }.to_owned());
        }
    }
}

/// The value that is returned and the text of its definition, if that is a conversion without other uses.
fn returned<'a>(variant: &'a Variant, result: &str) -> Option<(usize, &'a str)> {
    let prefix = format!("ret {result} ");
    let mut returns = variant.lines.iter().filter_map(|line| line.strip_prefix(&prefix));
    let (value, None) = (returns.next()?, returns.next()) else { return None };
    let uses = variant.lines.iter().filter(|line| values(line).any(|used| used == value)).count();
    let definition = format!("{value} = bitcast ");
    let at = variant.lines.iter().position(|line| line.starts_with(&definition))?;
    (uses == 2).then(|| (at, &variant.lines[at][definition.len()..]))
}

/// The vector type of what all variants convert to the result.
fn result_type(variants: &[Variant], result: &str) -> Option<String> {
    let mut found: Option<&str> = None;
    for variant in variants {
        let (_, text) = returned(variant, result)?;
        let (from, _) = text.rsplit_once(" to ")?.0.rsplit_once(' ')?;
        if found.is_some_and(|found| found != from) {
            return None;
        }
        found = Some(from);
    }
    found.filter(|from| is_vector(from) && is_vector(result)).map(str::to_owned)
}

fn return_converted(variant: &mut Variant, result: &str, ty: &str) {
    let Some((at, text)) = returned(variant, result) else { return };
    let value = text.rsplit_once(" to ").and_then(|(value, _)| value.rsplit_once(' '));
    let line = format!("ret {ty} {}", value.map_or("poison", |(_, value)| value));
    let prefix = format!("ret {result} ");
    variant.lines.remove(at);
    if let Some(last) = variant.lines.iter_mut().find(|line| line.starts_with(&prefix)) {
        *last = line;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_of_parameters_and_result_go() {
        let lines = [
            "%v0 = bitcast <2 x i64> %a0 to <16 x i8>",
            "%v1 = bitcast <2 x i64> %a1 to <16 x i8>",
            "%v2 = add <16 x i8> %v0, %v1",
            "%v3 = xor <16 x i8> %v2, %v0",
            "%v4 = bitcast <16 x i8> %v3 to <2 x i64>",
            "ret <2 x i64> %v4",
        ];
        let variant =
            Variant { values: String::new(), lines: lines.map(str::to_owned).to_vec(), columns: Vec::new() };
        let function = VendorFunction {
            result: "<2 x i64>".into(),
            params: vec!["<2 x i64>".into(); 2],
            immediates: 0,
            variants: vec![variant],
        };
        let made = natural(&function);
        assert_eq!(
            (made.result.as_str(), &made.params[0], &made.params[1]),
            ("<16 x i8>", &made.params[1], &made.params[0])
        );
        assert_eq!(
            made.variants[0].lines,
            ["%v2 = add <16 x i8> %a0, %a1", "%v3 = xor <16 x i8> %v2, %a0", "ret <16 x i8> %v3"]
        );
        // A parameter that is used at two types is not changed.
        let mut function = function;
        function.variants[0].lines[1] = "%v1 = and <2 x i64> %a0, %a1".into();
        assert_eq!(natural(&function).params[0], "<2 x i64>");
    }
}
