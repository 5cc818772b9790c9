//! Of programs that cost the same the one that is shorter when it is compiled.

use search::Instruction;
use synth::table::Table;

use crate::support::{instruction, registers};

/// A function whose lanes of 16 bits are these.
fn function(args: &str, lanes: u32, lane: impl Fn(u32) -> String) -> String {
    let lanes: String = (0..lanes).map(|i| format!("  %r[{} +: 16] = {}\n", 16 * i, lane(16 * i))).collect();
    format!("func @f({args}) -> (%r: {}) {{\n{lanes}}}\n", 16 * lanes.lines().count())
}

fn lanewise(id: &str, args: usize, width: u32, lane: impl Fn(u32) -> String) -> Instruction {
    instruction(id, &vec![width; args], width, 16, |i| lane(16 * i))
}

#[test]
fn no_register_is_wider_than_it_needs_to_be() {
    let negated = |at: u32| format!("neg(%a[{at} +: 16])");
    let all = || [128, 64].map(|width| lanewise(&format!("neg{width}"), 1, width, negated)).to_vec();
    for reversed in [false, true] {
        let mut all = all();
        if reversed {
            all.reverse();
        }
        let text = function("%a: 64", 4, negated);
        assert_eq!(registers::found_in(&text, &[64, 128], Table::new(all)), ["neg64"]);
    }
}

#[test]
fn a_comparison_with_zero_needs_no_register_of_zeros() {
    let equal = |other: &str, at: u32| {
        format!("cast.s(eq(%a[{at} +: 16], {}), 16)", other.replace('@', &at.to_string()))
    };
    let all = vec![
        lanewise("equal", 2, 128, |at| equal("%b[@ +: 16]", at)),
        lanewise("zero", 1, 128, |at| equal("0x0:16", at)),
    ];
    let text = function("%a: 128", 8, |at| equal("0x0:16", at));
    assert_eq!(registers::found(&text, 128, Table::new(all)), ["zero"]);
}

#[test]
fn what_is_overwritten_is_not_in_the_way_of_the_result() {
    let [a, b] = ["a", "b"].map(|name| move |at: u32| format!("%{name}[{at} +: 16]"));
    let both = |operator: &str, at: u32| format!("{operator}({}, {})", a(at), b(at));
    let chosen = |of: &str, other: &str| format!("select(lt.u({of}, 0x64:16), {of}, {other})");
    let mut choose = lanewise("choose", 2, 128, |at| chosen(&a(at), &b(at)));
    choose.destroys = Some(0);
    let two = ["mul", "min.u", "xor"].map(|operator| lanewise(operator, 2, 128, |at| both(operator, at)));
    let all = two.into_iter().chain([choose]).collect();
    let text = function("%a: 128, %b: 128", 8, |at| {
        chosen(&format!("min.u({}, {})", both("mul", at), b(at)), &both("xor", at))
    });
    // The first argument's register is read for the last time before one is overwritten.
    assert_eq!(registers::found(&text, 128, Table::new(all)), ["mul", "xor", "min.u", "choose"]);
}
