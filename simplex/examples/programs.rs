//! Random programs of operations, whose answers are tested (`tests/programs`), until there have been enough pivots.
//!
//! `programs [--pivots N] [--seed N]`: the number counts those of both widths that a program runs at. A wrong answer is
//! a panic, with the bytes of the program before it.

#[path = "compare/generator.rs"]
#[allow(dead_code, reason = "what only the comparison needs")]
mod generator;
#[path = "../tests/programs/mod.rs"]
mod programs;

use std::error::Error;
use std::panic;

use generator::Random;
use simplex::measure::pivots;

/// Longest program in bytes.
const LONGEST: u64 = 1500;
/// Pivots between two lines about the progress.
const REPORT: u64 = 1_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let (mut wanted, mut seed) = (10_000_000, 1);
    let mut arguments = std::env::args().skip(1);
    while let Some(flag) = arguments.next() {
        let value = arguments.next().ok_or("a value for each flag")?.parse()?;
        match flag.as_str() {
            "--pivots" => wanted = value,
            "--seed" => seed = value,
            _ => return Err(format!("unknown flag {flag}").into()),
        }
    }
    let random = &mut Random::new(seed);
    let mut programs: u64 = 0;
    while pivots() < wanted {
        let before = pivots();
        // Bytes below 208 are small numbers.
        let limit = [208, 240, 256][random.below(3) as usize];
        let bytes: Vec<u8> = (0..random.below(LONGEST)).map(|_| random.below(limit) as u8).collect();
        if let Err(message) = panic::catch_unwind(|| programs::run(&bytes)) {
            eprintln!("{bytes:?}");
            panic::resume_unwind(message);
        }
        programs += 1;
        if pivots() / REPORT > before / REPORT {
            eprintln!("{} pivots in {programs} programs", pivots());
        }
    }
    println!("{} pivots in {programs} programs, all answers right", pivots());
    Ok(())
}
