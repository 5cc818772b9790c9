//! `--any-layout`: windows whose lanes may be in another order, in the one in which they cost least.

use std::fmt;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use ::synth::layouts::{Layout, arranged, layouts};
use ::synth::window::Window;
use memo::Memo;
use serde::Serialize;

use super::steps::cost;
use super::targets::Ground;
use super::{left, solve};

/// The order of lanes of an answer; what is absent has its own.
#[derive(Clone, Serialize)]
pub struct Order {
    /// Of the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Layout>,
    /// Of all dense leaves with as many lanes as the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    leaves: Option<Layout>,
}

impl fmt::Display for Order {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sides = [("result", &self.result), ("leaves", &self.leaves)];
        for (at, (side, layout)) in sides.iter().filter(|(_, layout)| layout.is_some()).enumerate() {
            let comma = if at == 0 { "" } else { "; " };
            let bits = layout.as_ref().map(Layout::to_string).unwrap_or_default();
            write!(out, "{comma}lanes of the {side} by bits of their numbers: {bits}")?;
        }
        Ok(())
    }
}

/// A window with its lanes in another order.
pub struct Reordered {
    /// It as a window of its own.
    pub window: Window,
    /// The order.
    pub order: Order,
    /// The micro-operations of its answer.
    pub uops: u32,
}

/// The order in which a window takes the fewest micro-operations; none where that is its own, which is looked at first, or where it has no
/// program. Half of the seconds (0 for no end) are for other orders.
pub fn cheapest(
    window: &Window,
    ground: &Ground,
    memo: &Memo,
    stop: &AtomicBool,
    max_seconds: u64,
) -> Option<Reordered> {
    let uops = |window: &Window, seconds: u64, most: Option<u32>| {
        let (answer, table) = solve(window, ground, memo, stop, seconds, most);
        let program = answer.program.map(|(program, _)| program);
        program.map(|program| cost(&program, &table, &ground.costs).uops)
    };
    let mut most = uops(window, max_seconds, None)?;
    let start = Instant::now();
    let mut best = None;
    let widest = ground.named.widths.iter().copied().max()?;
    for layout in layouts(window, widest) {
        for (result, leaves) in [(true, false), (false, true), (true, true)] {
            let (Some(limit), Some(seconds)) = (most.checked_sub(1), left(max_seconds.div_ceil(2), start))
            else {
                return best;
            };
            let window = arranged(window, &layout, result, leaves);
            if let Some(uops) = uops(&window, seconds, Some(limit)).filter(|uops| *uops <= limit) {
                let side = |there: bool| there.then(|| layout.clone());
                let order = Order { result: side(result), leaves: side(leaves) };
                best = Some(Reordered { window, order, uops });
                most = uops;
            }
        }
    }
    best
}
