//! `llvm/lowering/retired.json`: target intrinsics that definitions for one release of LLVM call and those for the next
//! one do not.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::data::VendorIr;

/// An intrinsic that a release no longer uses.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Retired<'a> {
    isa: &'a str,
    intrinsic: &'a str,
    /// The last release whose definitions call it, and the next one with data.
    last: u32,
    next: u32,
    /// Whether the next release still has it, at the same type: only clang's headers do without.
    kept: bool,
    /// The members whose definitions call it, and the intrinsics that these call in place of it; none where plain
    /// instructions do the same.
    members: Vec<&'a str>,
    instead: BTreeSet<String>,
}

/// The retired intrinsics of those members that `is_member` accepts by instruction set and id, in order.
pub(super) fn retired<'a>(
    vendors: &'a [VendorIr],
    is_member: impl Fn(&str, &str) -> bool,
) -> Vec<Retired<'a>> {
    let mut releases: BTreeMap<&str, Vec<&VendorIr>> = BTreeMap::new();
    for vendor in vendors {
        releases.entry(&vendor.isa).or_default().push(vendor);
    }
    let mut all = Vec::new();
    for (isa, mut releases) in releases {
        releases.sort_by_key(|vendor| vendor.llvm);
        for pair in releases.windows(2) {
            all.extend(between(pair[0], pair[1], |id| is_member(isa, id)));
        }
    }
    all
}

fn between<'a>(last: &'a VendorIr, next: &VendorIr, is_member: impl Fn(&str) -> bool) -> Vec<Retired<'a>> {
    let used = next.intrinsics();
    let mut all: BTreeMap<&str, Retired<'_>> = BTreeMap::new();
    for (id, position) in last.members.iter().filter(|(id, _)| is_member(id)) {
        let own = last.functions.get(*position).map(|function| function.intrinsics()).unwrap_or_default();
        let new = next.members.get(id).and_then(|position| next.functions.get(*position));
        let new = new.map(|function| function.intrinsics()).unwrap_or_default();
        for intrinsic in own.iter().filter(|own| !used.contains(**own)) {
            let retired = all.entry(intrinsic).or_insert_with(|| Retired {
                isa: &last.isa,
                intrinsic,
                last: last.llvm,
                next: next.llvm,
                kept: !next.retired.contains_key(*intrinsic),
                members: Vec::new(),
                instead: BTreeSet::new(),
            });
            retired.members.push(id);
            retired.instead.extend(new.difference(&own).map(|&new| new.to_owned()));
        }
    }
    all.into_values().collect()
}

#[cfg(test)]
mod tests {
    use llvm_text::Type;

    use super::*;
    use crate::definitions::data::{Case, VendorFunction};

    fn release(llvm: u32, lines: &[&[&str]]) -> VendorIr {
        let function = |lines: &&[&str]| {
            let lines = lines.iter().map(|line| (*line).to_owned()).collect();
            VendorFunction::new(Type::integer(32), Vec::new(), &[Case { values: Vec::new(), lines }])
        };
        VendorIr {
            isa: "east".to_owned(),
            llvm,
            functions: lines.iter().map(function).collect(),
            members: (0..lines.len()).map(|at| (format!("f{at}"), at)).collect(),
            ..VendorIr::default()
        }
    }

    #[test]
    fn what_no_function_calls_any_more_is_retired() {
        let old: &[&[&str]] = &[
            &["%v0 = call i32 @llvm.east.gone(i32 1)", "%v1 = call i32 @llvm.east.both(i32 1)"],
            &["%v0 = call i32 @llvm.east.unused(i32 1)"],
            &["%v0 = call i32 @llvm.east.moved(i32 1)"],
        ];
        let new: &[&[&str]] = &[
            &["%v0 = call i32 @llvm.smax.i32(i32 1)", "%v1 = call i32 @llvm.east.both(i32 1)"],
            &["%v0 = add i32 1, 1", "%v1 = call i32 @llvm.east.moved(i32 1)"],
            &["ret i32 1"],
        ];
        let mut newer = release(22, new);
        newer.retired.insert("llvm.east.gone".to_owned(), "there is no such intrinsic".to_owned());
        let vendors = [newer, release(19, old)];
        let retired = |is_member: fn(&str, &str) -> bool| {
            let rows = retired(&vendors, is_member).into_iter();
            let row = |row: Retired<'_>| {
                (
                    row.intrinsic.to_owned(),
                    row.kept,
                    row.members.join(","),
                    row.instead.into_iter().collect::<Vec<_>>(),
                )
            };
            rows.map(row).collect::<Vec<_>>()
        };
        let gone = ("llvm.east.gone".to_owned(), false, "f0".to_owned(), vec!["llvm.smax.i32".to_owned()]);
        let unused =
            ("llvm.east.unused".to_owned(), true, "f1".to_owned(), vec!["llvm.east.moved".to_owned()]);
        assert_eq!(retired(|_, _| true), [gone.clone(), unused]);
        assert_eq!(retired(|isa, id| isa == "east" && id == "f0"), [gone]);
    }
}
