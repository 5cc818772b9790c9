//! Elements that a mask moves next to zeros as those that it moves next to another register's.
//!
//! ```text
//! instruction   dst[i] = m[i] ? a[rank of i] : 0
//! operation     dst[i] = m[i] ? a[rank of i] : b[i]
//! argument b    0
//! ```
//!
//! [`super::zero`] finds this only where the other instruction has elements of the same width and number.

use hydride_ir::lane::{Form, Ranked};

/// The form with a further argument for the zeros.
pub(super) fn recognize(form: &Form<i64>) -> Vec<Form<i64>> {
    let fresh = form.arg_widths.len() as u32;
    let ranked = Ranked::of_form(form).and_then(|ranked| ranked.with_rest(fresh).form(&form.arg_widths));
    ranked.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use catalog::Source;

    use super::*;
    use crate::modifiers::tests::{check, forms};

    /// Elements of `width` bits that a mask spreads, next to `rest`.
    fn spread(width: u32, rest: &str) -> String {
        let size = 4 * width;
        let own = |lane: u32| rest.replace('@', &(lane * width).to_string());
        let lane = |lane: u32, below: &str| {
            format!(
                "%dst[{}] = select(%m[{lane} +: 1], %a[at mul({below}, {width:#x}:8) +: {width}], {})",
                format_args!("{} +: {width}", lane * width),
                own(lane)
            )
        };
        let count = |count: u32| format!("popcount(cast.u(%m[0 +: {count}], 8))");
        format!(
            "func @spread(%m: 4, %a: {size}, %c: {size}) -> (%dst: {size}) {{\n{}\n{}\n{}\n{}\n}}",
            lane(0, "0x0:8"),
            lane(1, &count(1)),
            lane(2, &count(2)),
            lane(3, &count(3))
        )
    }

    #[test]
    fn bits_next_to_zeros_are_elements_next_to_others() {
        let (bits, words) = (spread(1, "0x0:1"), spread(8, "%c[@ +: 8]"));
        let checked = check(&forms(recognize, &bits), &bits, &words);
        assert_eq!(checked.args, [Source::Own(0), Source::Own(1), Source::Constant(0)]);
        assert!(forms(recognize, &words).is_empty());
    }
}
