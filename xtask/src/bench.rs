//! How long the phases of `hydride generate-ir` take, from cold starts.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::hydride::start;
use crate::root;

/// What the benchmark reads of `summary.json`.
#[derive(Deserialize)]
struct Summary {
    phases: Vec<Phase>,
    seconds: f64,
    peak_rss_mib: f64,
    jobs: u64,
}

#[derive(Deserialize)]
struct Phase {
    name: String,
    seconds: f64,
}

/// Runs `hydride generate-ir` without a cache several times and prints a table.
pub fn bench(binary: &Path, flags: &[String], runs: u32) -> Result<i32> {
    let out = root().join("target/bench");
    let mut names: Vec<String> = Vec::new();
    let mut seconds: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let mut peaks = Vec::new();
    let mut jobs = 0;
    let mut note = |name: &str, value: f64| {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
        seconds.entry(name.to_owned()).or_default().push(value);
    };
    for number in 1..=runs {
        if out.exists() {
            fs::remove_dir_all(&out)?;
        }
        let mut arguments = vec!["generate-ir".to_owned(), "--no-cache".to_owned(), "--locked".to_owned()];
        arguments.extend_from_slice(flags);
        arguments.extend(["--out".to_owned(), out.display().to_string()]);
        let begin = Instant::now();
        let code = start(binary, &arguments)?;
        let wall = begin.elapsed().as_secs_f64();
        if code != 0 {
            eprintln!("bench: run {number} ended with exit code {code}");
            return Ok(code);
        }
        let path = out.join("summary.json");
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let summary: Summary =
            serde_json::from_str(&text).with_context(|| format!("cannot read {}", path.display()))?;
        for phase in &summary.phases {
            note(&phase.name, phase.seconds);
        }
        note("total", summary.seconds);
        note("process", wall);
        peaks.push(summary.peak_rss_mib);
        jobs = summary.jobs;
    }
    ensure!(!peaks.is_empty(), "no run");
    println!("{runs} cold runs with {jobs} threads");
    print!("{}", table(&names, &seconds, &peaks));
    Ok(0)
}

fn table(names: &[String], seconds: &BTreeMap<String, Vec<f64>>, peaks: &[f64]) -> String {
    let width = names.iter().map(String::len).chain(["peak MiB".len()]).max().unwrap_or(0);
    let mut text = String::new();
    let _ = writeln!(text, "{:width$} {:>10} {:>10} {:>10}", "seconds", "median", "min", "max");
    for name in names {
        let (median, least, greatest) = spread(&seconds[name]);
        let _ = writeln!(text, "{name:width$} {median:>10.3} {least:>10.3} {greatest:>10.3}");
    }
    let (median, least, greatest) = spread(peaks);
    let _ = writeln!(text, "{:width$} {median:>10.0} {least:>10.0} {greatest:>10.0}", "peak MiB");
    text
}

/// Median, least and greatest of at least one value.
fn spread(values: &[f64]) -> (f64, f64, f64) {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    let median = match sorted.len() % 2 {
        0 => (sorted[middle - 1] + sorted[middle]) / 2.0,
        _ => sorted[middle],
    };
    (median, sorted[0], sorted[sorted.len() - 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_keep_their_order_and_get_median_least_and_greatest() {
        let names = ["parse".to_owned(), "a".to_owned()];
        let seconds =
            BTreeMap::from([("parse".to_owned(), vec![3.0, 1.0, 2.0]), ("a".to_owned(), vec![1.0, 2.0])]);
        let expected = "\
seconds      median        min        max
parse         2.000      1.000      3.000
a             1.500      1.000      2.000
peak MiB        120        100        140
";
        assert_eq!(table(&names, &seconds, &[100.0, 140.0]), expected);
    }
}
