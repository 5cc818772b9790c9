//! Random slices: what is proved to stand for them agrees with them when both are run apart from the proof, and in a second
//! encoding of the question.

#[path = "generator/mod.rs"]
mod generator;

use generator::function;
use optimize::samples::{Random, agrees, arguments, with_poison};
use optimize::{Cutter, Flow, candidates, freeze_shared};
use refine::{Limits, Module, NoIntrinsics, Outcome, refines, script};

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
        // Of a small slice something is known of inputs that are computed elsewhere.
        let limit = if random.below(3) == 0 { 2 } else { 24 };
        let Some(slice) = cutter.cut(0, line, limit) else { panic!("{text}") };
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
