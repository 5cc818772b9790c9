//! How a register with constants is made where that is not done before a loop: by an instruction with an immediate, or loaded.

use hydride_ir::exact::Dag;

use crate::contents::{Content, Entry};

/// What such a register costs where one costs `average`: most of that if one instruction makes it, which may have it as an immediate
/// of its own instead, a little more for zeros, which are none, and more if it is loaded, which takes its address as well.
pub(crate) fn made(dag: &Dag, content: &Content, container: u32, average: u64) -> u64 {
    match repeated(dag, content, container) {
        Some(0) => average * 2 / 3,
        Some(number) if is_immediate(&number.to_le_bytes()) => average * 3 / 5,
        _ => average * 4 / 3,
    }
}

/// The 64 bits that a register consists of; where it is open it has its first number too.
fn repeated(dag: &Dag, content: &Content, container: u32) -> Option<u64> {
    let period = 64u32.checked_div(container).filter(|period| *period > 0)? as usize;
    let (mut bits, mut known) = (0, vec![None; period]);
    for (place, entry) in (0..).zip(content).filter(|(_, entry)| **entry != Entry::Any) {
        let number = dag.as_i64(entry.uniform()?)?;
        if *known[place % period].get_or_insert(number) != number {
            return None;
        }
    }
    let first = known.iter().flatten().next().copied().unwrap_or(0);
    for (place, number) in (0..).zip(known) {
        let number = number.unwrap_or(first).cast_unsigned() & (u64::MAX >> (64 - container));
        bits |= number << (place * container);
    }
    Some(bits)
}

/// Whether an instruction can make all elements these bytes (`movi` and `mvni` of AArch64): one byte is not as all others, which are zeros
/// or ones, in elements of 32 bits or less, or each is all zeros or all ones.
fn is_immediate(bytes: &[u8]) -> bool {
    let (low, high) = bytes.split_at(bytes.len() / 2);
    if low == high {
        return is_immediate(low);
    }
    let are = |other: u8| bytes.iter().filter(|byte| **byte == other).count();
    bytes.len() == 1
        || bytes.len() < 8 && [0, 0xff].into_iter().any(|other| are(other) + 1 >= bytes.len())
        || are(0) + are(0xff) == bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a register with these numbers costs where one costs 60.
    fn cost(numbers: &[i64], container: u32) -> u64 {
        let mut dag = Dag::new(Vec::new());
        let content = numbers.iter().map(|number| Entry::Uniform(dag.int(*number))).collect();
        made(&dag, &content, container, 60)
    }

    #[test]
    fn immediates_are_those_of_one_instruction() {
        for (number, container) in [
            (0x12, 8),
            (0x00ff, 16),
            (0x1212, 16),
            (-2, 16),
            (0x12_0000, 32),
            (-0x0013_0001, 32),
            (1 << 31, 32),
            (0x00ff_00ff_00ff_00ff, 64),
            (0xff_0000, 64),
            (0x0012_0000_0012_0000, 64),
        ] {
            assert_eq!(cost(&[number; 2], container), 36, "{number:#x} {container}");
        }
        for (number, container) in [(0x1234, 16), (0x0100_0001, 32), (0x12, 64), (0x7fff_fffe, 32)] {
            assert_eq!(cost(&[number; 2], container), 80, "{number:#x} {container}");
        }
    }

    #[test]
    fn elements_of_any_width_are_repeated() {
        assert_eq!(cost(&[0; 16], 8), 40);
        assert_eq!(cost(&[0xff, 0].repeat(8), 8), 36);
        assert_eq!(cost(&[1, 2].repeat(8), 8), 80);
        assert_eq!(cost(&[0, 0, 0, 1], 32), 80);
        assert_eq!(cost(&[7, 9, 7, 9], 128), 80);
    }
}
