//! The quotient by a constant that the high bits of a product are.

use hydride_ir::exact::{Dag, Int, Node, NodeId};

/// `⌊x·m / 2^k⌋` for `0 ≤ x < 2^n` is `⌊x / d⌋` with `d = ⌈2^k / m⌉` where `m·d ≤ 2^k + 2^(k-n)` (Granlund and Montgomery,
/// *Division by invariant integers using multiplication*, theorem 4.2); `None` for what is no such product.
pub fn quotient(dag: &mut Dag, value: NodeId) -> Option<NodeId> {
    let Node::Shr(product, count) = *dag.node(value) else { return None };
    let Node::Sum { terms, constant } = dag.node(product) else { return None };
    let ([(dividend, multiplier)], true) = (&terms[..], *constant == Int::ZERO) else { return None };
    let (dividend, multiplier) = (*dividend, multiplier.clone());
    let count = usize::try_from(dag.as_i64(count)?).ok()?;
    let bits = dag.natural(dividend)?.0 as usize;
    if !dag.range(dividend).is_non_negative() || multiplier <= Int::ZERO || count < bits {
        return None;
    }
    let power = Int::ONE << count;
    let divisor = (&power + &multiplier - Int::ONE) / &multiplier;
    let slack = &multiplier * &divisor - &power;
    let divisor = (slack <= Int::ONE << (count - bits)).then(|| dag.int(divisor))?;
    dag.div(dividend, divisor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn high_bits_of_products_are_quotients() {
        for (factor, bits, divisor) in
            [(43_691u64, 17, Some(3)), (40_330, 19, Some(13)), (20_165, 18, Some(13)), (43_690, 17, None)]
        {
            let mut dag = Dag::new(vec![16]);
            let dividend = dag.arg_slice(0, 0, 16, false);
            let product = dag.linear(&[(dividend, Int::from(factor))], Int::ZERO);
            let count = dag.int(bits);
            let high = dag.shr(product, count);
            let expected = divisor.map(|divisor: u64| {
                let divisor = dag.int(divisor);
                dag.div(dividend, divisor).unwrap()
            });
            assert_eq!(quotient(&mut dag, high), expected, "{factor}");
            // What the theorem says is so for every dividend.
            for value in 0..=u64::from(u16::MAX) {
                assert!(divisor.is_none_or(|divisor| (value * factor) >> bits == value / divisor));
            }
        }
    }
}
