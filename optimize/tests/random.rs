//! Random slices: what is proved to stand for them agrees with them when both are run apart from the proof, and in a second
//! encoding of the question.

use optimize::samples::{Random, agrees, arguments, with_poison};
use optimize::{Cutter, Flow, candidates, freeze_shared};
use refine::{Limits, Module, NoIntrinsics, Outcome, refines, script};

/// A function of a few instructions, with flags that make poison.
fn function(random: &mut Random) -> String {
    let width = [8, 16, 32][random.below(3) as usize];
    let ty = match random.below(3) {
        0 => format!("i{width}"),
        lanes => format!("<{} x i{width}>", 2 * lanes),
    };
    let is_vector = ty.starts_with('<');
    let constant = |random: &mut Random| {
        let value = [1, 2, 3, 4, 7, 15, 16, 127, 255][random.below(9) as usize] & ((1u64 << (width - 1)) - 1);
        if is_vector { format!("splat (i{width} {value})") } else { value.to_string() }
    };
    let mut names = vec!["%a".to_owned(), "%b".to_owned()];
    let mut lines = Vec::new();
    for number in 0..2 + random.below(3) {
        let pick = |random: &mut Random| names[random.below(names.len() as u64) as usize].clone();
        let last = names[names.len() - 1].clone();
        let (left, right) = (if number == 0 { pick(random) } else { last }, pick(random));
        let right = if random.below(2) == 0 { constant(random) } else { right };
        let name = format!("%v{number}");
        let line = match random.below(8) {
            0..4 => {
                let operator = ["add", "sub", "mul", "and", "or", "xor"][random.below(6) as usize];
                let arithmetic = ["add", "sub", "mul"].contains(&operator);
                let flags =
                    if arithmetic { ["", " nsw", " nuw", " nuw nsw"][random.below(4) as usize] } else { "" };
                format!("{operator}{flags} {ty} {left}, {right}")
            }
            4 | 5 => {
                let operator = ["shl", "lshr", "ashr", "lshr exact", "shl nsw"][random.below(5) as usize];
                let by = 1 + random.below(width - 1);
                let by = if is_vector { format!("splat (i{width} {by})") } else { by.to_string() };
                format!("{operator} {ty} {left}, {by}")
            }
            6 => {
                let operator = ["umin", "smax", "uadd.sat", "usub.sat", "ssub.sat"][random.below(5) as usize];
                let mangled = ty.replace(" x ", "").replace('<', "v").replace('>', "");
                format!("call {ty} @llvm.{operator}.{mangled}({ty} {left}, {ty} {right})")
            }
            _ => {
                let predicate = ["ult", "slt", "eq", "sge"][random.below(4) as usize];
                let bits = if is_vector { ty.replace(&format!("i{width}"), "i1") } else { "i1".to_owned() };
                lines.push(format!("  {name}.c = icmp {predicate} {ty} {left}, {right}"));
                format!("select {bits} {name}.c, {ty} {left}, {ty} {right}")
            }
        };
        lines.push(format!("  {name} = {line}"));
        names.push(name);
    }
    let last = &names[names.len() - 1];
    format!("define {ty} @f({ty} %a, {ty} %b) {{\n{}\n  ret {ty} {last}\n}}\n", lines.join("\n"))
}

/// What came of rewrites of random slices.
#[derive(Debug, Default)]
struct Tally {
    slices: u64,
    proved: u64,
    refuted: u64,
    unknown: u64,
    /// Those of the proved and refuted ones for which the second encoding says the same.
    again: u64,
    /// Those for which it has no answer within the steps.
    open: u64,
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.slices += other.slices;
        self.proved += other.proved;
        self.refuted += other.refuted;
        self.unknown += other.unknown;
        self.again += other.again;
        self.open += other.open;
    }
}

/// Rewrites of some random slices, each of which that is proved is run on 300 arguments with poison; one that does what its
/// slice may not is a failure, and so is another answer of the second encoding. `steps` are the solver's for a question.
fn judged(count: u64, seed: u64, steps: u32) -> Tally {
    let mut random = Random::new(seed);
    let mut tally = Tally::default();
    for _ in 0..count {
        let text = function(&mut random);
        let module = Module::parse(&text).expect("a module");
        let outline = module.outline(&module.functions[0]).expect("lines");
        let flow = Flow::new(&outline).expect("blocks");
        let cutter = Cutter::new(&outline, &flow, &optimize::is_generic);
        let line = outline.sections[0].lines.len() - 2;
        let Some(slice) = cutter.cut(0, line, 24) else { panic!("{text}") };
        tally.slices += 1;
        let found = candidates(&slice, &NoIntrinsics).expect("samples");
        for body in found.iter().take(3).map(freeze_shared) {
            let limits = Limits { steps, ..Limits::default() };
            let outcome = refines(&slice.body, &body, &NoIntrinsics, &limits);
            if matches!(outcome, Outcome::Unknown(_)) {
                tally.unknown += 1;
                continue;
            }
            let after = body.text("after");
            let is_proved = matches!(outcome, Outcome::Proved(_));
            *(if is_proved { &mut tally.proved } else { &mut tally.refuted }) += 1;
            if is_proved {
                let given = with_poison(arguments(&slice.body, 300, 11).expect("samples"), &mut random);
                assert!(agrees(&slice.body, &body, &given, &NoIntrinsics), "{text}\n{after}");
            }
            let question = script(&slice.body, &body).expect("one block of generic instructions");
            match smt::satisfiable(&question, steps, limits.time) {
                Err(_) => tally.open += 1,
                Ok(may_differ) => {
                    assert!(may_differ != is_proved, "{outcome:?}\n{text}\n{after}");
                    tally.again += 1;
                }
            }
        }
    }
    tally
}

#[test]
fn what_is_proved_agrees_with_runs() {
    let tally = judged(60, 7, 100_000);
    assert!(tally.proved > 12 && tally.again > tally.proved / 2, "{tally:?}");
}

/// The same for many: as many slices as `HYDRIDE_RANDOM_SLICES` says, else 100,000, of seeds from `HYDRIDE_RANDOM_SEED` on,
/// else 100. Each seed is 1,000 of them.
#[test]
#[ignore = "takes hours"]
fn what_is_proved_of_many_agrees_with_runs() {
    let asked = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (count, first) = (asked("HYDRIDE_RANDOM_SLICES"), asked("HYDRIDE_RANDOM_SEED").unwrap_or(100));
    let mut all = Tally::default();
    for seed in first..first + count.unwrap_or(100_000).div_ceil(1000) {
        all.add(&judged(1000, seed, 100_000));
        println!("seeds to {seed}: {all:?}");
    }
    assert!(all.proved > 0, "{all:?}");
}
