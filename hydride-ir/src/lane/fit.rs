//! Fits number vectors to affine functions of up to three loop indices and the enclosing folds'.

use super::LOOPS;
use super::template::{Hole, Template, Term};
use super::unify::RawTerm;

/// Loop extents of `count` elements, `inner` of which run innermost when given: every way to split them,
/// fewest loops first, long inner loops first.
pub(super) fn factorizations(count: u32, inner: Option<u32>) -> Vec<[u32; LOOPS]> {
    let mut found = Vec::new();
    for outer in (1..=count).filter(|outer| count.is_multiple_of(*outer)) {
        let rest = count / outer;
        for middle in (1..=rest).filter(|middle| rest.is_multiple_of(*middle)) {
            let extents = [outer, middle, rest / middle];
            // A split is written with the outer loops last to be used.
            let used = |extent: u32| extent > 1;
            if used(outer) && !used(middle) && inner.is_none() && used(rest / middle) {
                continue;
            }
            if inner.is_none_or(|inner| inner == rest / middle) {
                found.push(extents);
            }
        }
    }
    found.sort_by_key(|extents| {
        (extents.iter().filter(|extent| **extent > 1).count(), std::cmp::Reverse([extents[2], extents[1]]))
    });
    found
}

/// The template under the given loops, if every number is affine in them.
pub(super) fn fit(terms: &[RawTerm], extents: [u32; LOOPS]) -> Option<Template<i64>> {
    let terms = terms
        .iter()
        .map(|term| {
            let mut counts = extents.to_vec();
            counts.extend(term.folds.iter().map(|(_, count)| *count));
            let kind = term.kind.try_map(|field, column| {
                let hole = affine(column, &counts).filter(|hole| field.may_vary() || !hole.varies());
                hole.ok_or(())
            });
            Some(Term {
                kind: kind.ok()?,
                children: term.children.clone(),
                working: Vec::new(),
                working_signed: false,
                folds: term.folds.iter().map(|(fold, _)| *fold).collect(),
            })
        })
        .collect::<Option<Vec<_>>>()?;
    Some(Template { terms })
}

/// The affine function of mixed-radix indices (last fastest) that a vector holds.
///
/// This is interpolation: an affine function's value where one index is 1 and the others are 0 gives that index's
/// stride, so that there is one candidate, which every number is compared with. That is exact and takes time linear in
/// the vector, where a linear program would have to solve a system of as many equalities.
pub(super) fn affine(vector: &[i64], counts: &[u32]) -> Option<Hole<i64>> {
    let base = *vector.first()?;
    let mut strides = vec![0; counts.len()];
    let mut step = 1usize;
    for (dim, count) in counts.iter().enumerate().rev() {
        if *count > 1 {
            strides[dim] = vector.get(step)?.checked_sub(base)?;
        }
        step *= *count as usize;
    }
    if step != vector.len() {
        return None;
    }
    if strides.iter().all(|stride| *stride == 0) {
        return vector.iter().all(|value| *value == base).then_some(Hole { base, strides });
    }
    let mut indices = vec![0i64; counts.len()];
    for value in vector {
        let terms =
            indices.iter().zip(&strides).map(|(index, stride)| i128::from(*index) * i128::from(*stride));
        if i128::from(base) + terms.sum::<i128>() != i128::from(*value) {
            return None;
        }
        for (index, count) in indices.iter_mut().zip(counts).rev() {
            *index += 1;
            if *index < i64::from(*count) {
                break;
            }
            *index = 0;
        }
    }
    Some(Hole { base, strides })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interleaved_positions_are_affine_in_two_indices() {
        // Low halves of two 128-bit blocks, four 16-bit elements each.
        let vector: Vec<i64> = (0..8).map(|k| 128 * (k / 4) + 16 * (k % 4)).collect();
        assert_eq!(affine(&vector, &[1, 1, 8]), None);
        assert_eq!(affine(&vector, &[1, 2, 4]), Some(Hole { base: 0, strides: vec![0, 128, 16] }));
    }

    #[test]
    fn factorizations_start_with_one_loop() {
        assert_eq!(factorizations(8, None)[0], [1, 1, 8]);
        assert!(factorizations(8, None).contains(&[2, 2, 2]));
        assert!(factorizations(12, Some(4)).iter().all(|extents| extents[2] == 4));
    }

    #[test]
    fn loops_are_split_in_every_way_the_fewest_first() {
        assert_eq!(factorizations(1, None), [[1, 1, 1]]);
        assert_eq!(factorizations(4, None), [[1, 1, 4], [1, 4, 1], [4, 1, 1], [1, 2, 2], [2, 2, 1]]);
        assert_eq!(factorizations(4, Some(2)), [[1, 2, 2], [2, 1, 2]]);
        assert_eq!(factorizations(4, Some(1)), [[1, 4, 1], [4, 1, 1], [2, 2, 1]]);
        assert_eq!(factorizations(4, Some(3)), [[0; LOOPS]; 0]);
    }

    #[test]
    fn numbers_are_affine_in_every_index_or_not_at_all() {
        let hole = |base: i64, strides: &[i64]| Some(Hole { base, strides: strides.to_vec() });
        for (vector, counts, expected) in [
            (&[7, 7, 7][..], &[1, 1, 3][..], hole(7, &[0, 0, 0])),
            (&[7, 7, 8], &[1, 1, 3], None),
            (&[7, 8, 7], &[1, 1, 3], None),
            (&[5, 3, 1], &[1, 1, 3], hole(5, &[0, 0, -2])),
            (&[5, 3], &[1, 1, 3], None),
            (&[5, 3, 1, -1], &[1, 1, 3], None),
            (&[0, 1, 10, 11, 20, 21], &[1, 3, 2], hole(0, &[0, 10, 1])),
            (&[0, 1, 10, 11, 20, 22], &[1, 3, 2], None),
            (&[0, 0, 4, 4, 9, 9, 13, 13], &[2, 2, 2], hole(0, &[9, 4, 0])),
            (&[i64::MIN, 1], &[1, 1, 2], None),
            (&[0, i64::MAX, -2], &[1, 1, 3], None),
            (&[], &[1, 1, 1], None),
        ] {
            assert_eq!(affine(vector, counts), expected, "{vector:?} in {counts:?}");
        }
    }
}
