//! Regions: the operations on lanes of a block in groups, each with one value that is needed outside of it.
//!
//! A value is computed in the region of those that use it, if that is one; else it is a region's result itself. What costs next to
//! nothing, as an extension or a comparison, is computed in each region that uses it. So each value is in one region, these aside,
//! and all regions together are as large as the function.

use std::collections::BTreeSet;

use refine::Outline;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::lanewise::{is_cheap, lanes, reduces, spreads};
use crate::operands::locals;
use crate::slice::{Cutter, Slice};

/// Instructions in a region, at most: what is done with one takes no longer in a larger function.
const MAX_SIZE: usize = 64;

/// The regions of a function, in order of their results; `left` has the names of values that are in none.
pub fn regions(outline: &Outline, cutter: &Cutter<'_>, left: &BTreeSet<String>) -> Vec<Slice> {
    let mut all = Vec::new();
    let mut places: FxHashMap<&str, (usize, usize)> = FxHashMap::default();
    for (at, section) in outline.sections.iter().enumerate() {
        for (number, line) in section.lines.iter().enumerate() {
            if let Some(result) = &line.result {
                places.insert(result, (at, number));
            }
        }
    }
    for (at, section) in outline.sections.iter().enumerate() {
        // Of each value the regions that compute it, by the lines of their results.
        let mut inside: Vec<Vec<usize>> = vec![Vec::new(); section.lines.len()];
        let mut regions: FxHashMap<usize, FxHashSet<String>> = FxHashMap::default();
        for number in (0..section.lines.len()).rev() {
            let line = &section.lines[number];
            let (Some(result), Some(own)) = (&line.result, &line.instruction) else { continue };
            // A number that is made of a whole vector is a result.
            let is_reduction = reduces(own).is_some();
            let is_operation = is_reduction || lanes(own).is_some();
            if !is_operation && !spreads(own) || left.contains(result) {
                continue;
            }
            let (mut users, mut outside): (Vec<usize>, bool) = (Vec::new(), false);
            for (block, user) in cutter.uses_of(result) {
                match *block == at && *user > number && !inside[*user].is_empty() {
                    true => users.extend(&inside[*user]),
                    false => outside = true,
                }
            }
            users.sort_unstable();
            users.dedup();
            users.retain(|region| regions[region].len() < MAX_SIZE);
            let takes = match is_cheap(own) {
                _ if is_reduction => Vec::new(),
                true => users,
                false if users.len() == 1 && !outside => users,
                false => Vec::new(),
            };
            let is_needed = takes.is_empty() || outside;
            let is_result = is_operation && !matches!(&own.action, refine::ast::Action::Compare(..));
            inside[number].extend(&takes);
            for region in takes {
                regions.entry(region).or_default().insert(result.clone());
            }
            if is_needed && is_result {
                inside[number].push(number);
                regions.entry(number).or_default().insert(result.clone());
            }
        }
        let mut own: Vec<(usize, FxHashSet<String>)> = regions.into_iter().collect();
        own.sort_unstable_by_key(|(number, _)| *number);
        for (number, mut names) in own {
            // A scalar in all lanes is often put there before a loop.
            let reads = |name: &str| {
                let (block, line) = *places.get(name)?;
                let own = outline.sections[block].lines[line].instruction.as_ref()?;
                Some(own)
            };
            let mut pending: Vec<String> = names.iter().cloned().collect();
            while let Some(name) = pending.pop() {
                let Some(own) = reads(&name) else { continue };
                for operand in locals(own) {
                    if reads(operand).is_some_and(spreads) && names.insert(operand.to_owned()) {
                        pending.push(operand.to_owned());
                    }
                }
            }
            all.extend(cutter.cut_of(at, number, &names));
        }
    }
    all
}
