//! What `hydride synth` makes of single operations: each of the windows' operations with each type of elements, in full
//! registers, in an odd number of lanes, and in one lane.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::json;

use crate::root;

/// Targets and the width of their widest vector registers in bits.
const TARGETS: &[(&str, u32)] =
    &[("avx2", 256), ("sse42", 128), ("avx512", 512), ("avx512vnni", 512), ("neon", 128), ("hvx", 1024)];

/// Types of elements.
const TYPES: &[(char, u32)] =
    &[('u', 8), ('u', 16), ('u', 32), ('u', 64), ('i', 8), ('i', 16), ('i', 32), ('i', 64)];

/// Operations with two operands of the result's type.
const EVEN: &[&str] = &[
    "add",
    "sub",
    "mul",
    "min",
    "max",
    "div",
    "shift_left",
    "shift_right",
    "saturating_add",
    "saturating_sub",
    "halving_add",
    "rounding_halving_add",
    "rounding_shift_right",
];

/// Operations of two operands that make a result twice as wide.
const WIDENING: &[&str] = &["widening_add", "widening_sub", "widening_mul"];

/// Operations of one operand as wide as the result and one half as wide.
const WIDEN_RIGHT: &[&str] = &["widen_right_add", "widen_right_sub", "widen_right_mul"];

#[derive(Deserialize)]
struct Answer {
    name: String,
    status: String,
    #[serde(default)]
    floor: bool,
    instructions: Vec<Step>,
    #[serde(default)]
    notes: Vec<String>,
    seconds: f64,
}

#[derive(Deserialize)]
struct Step {
    id: String,
}

/// Prints a row for each target, and the names of what has no instructions of its own; every answer is run on `inputs`
/// inputs. Exit code 1 when a window has no answer, or an answer differs.
pub fn bench(binary: &Path, specs: &[String], targets: &[String], inputs: u32) -> Result<i32> {
    let folder = root().join("target/bench-synth");
    fs::create_dir_all(&folder)?;
    let (mut rows, mut names, mut code) = (Vec::new(), Vec::new(), 0);
    for (target, width) in TARGETS {
        if !targets.is_empty() && !targets.iter().any(|asked| asked == target) {
            continue;
        }
        let file = folder.join(format!("{target}.operations.jsonl"));
        fs::write(&file, windows(target, *width).join("\n"))?;
        let output = Command::new(binary)
            .args(["synth", "--run", &inputs.to_string(), "--jobs", "2"])
            .args(specs)
            .arg(&file)
            .output()
            .with_context(|| format!("cannot start {}", binary.display()))?;
        code = code.max(output.status.code().unwrap_or(3));
        ensure!(code <= 1, "{}", String::from_utf8_lossy(&output.stderr));
        let answers: Vec<Answer> = String::from_utf8_lossy(&output.stdout)
            .lines()
            .map(serde_json::from_str)
            .collect::<Result<_, _>>()
            .context("a line is no answer")?;
        let mut outcomes: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let (mut proved, mut parts, mut in_c) = (0, 0, 0);
        let mut seconds: Vec<f64> = answers.iter().map(|answer| answer.seconds).collect();
        seconds.sort_by(f64::total_cmp);
        for answer in &answers {
            let by_lanes = answer.instructions.iter().any(|step| step.id == "C");
            proved += u32::from(answer.status == "proved");
            parts += u32::from(answer.floor && !by_lanes);
            in_c += u32::from(by_lanes);
            let key = match (answer.status.as_str(), by_lanes) {
                ("proved", false) => continue,
                ("proved", true) => "lane by lane in C".to_owned(),
                (status, _) => format!("{status}: {}", answer.notes.join("; ")),
            };
            outcomes.entry(key).or_default().push(answer.name.clone());
        }
        rows.push(format!(
            "| {target} | {} | {proved} | {parts} | {in_c} | {:.2} | {:.1} |",
            answers.len(),
            seconds.get(seconds.len() / 2).unwrap_or(&0.0),
            seconds.last().unwrap_or(&0.0)
        ));
        for (outcome, own) in outcomes {
            names.push(format!("{target}, {outcome}: {}: {}", own.len(), own.join(", ")));
        }
        let complaints = String::from_utf8_lossy(&output.stderr);
        names.extend(
            complaints.lines().filter(|line| line.contains("agree")).map(|line| line.trim().to_owned()),
        );
    }
    println!("| target | windows | proved | of these in parts | lane by lane in C | median s | longest s |");
    println!("|---|---:|---:|---:|---:|---:|---:|");
    rows.iter().for_each(|row| println!("{row}"));
    println!();
    names.iter().for_each(|line| println!("{line}"));
    Ok(code)
}

fn ty(kind: char, width: u32, lanes: u32) -> String {
    if lanes == 1 { format!("{kind}{width}") } else { format!("{kind}{width}x{lanes}") }
}

/// All windows of a target, one a line.
fn windows(target: &str, register: u32) -> Vec<String> {
    let mut all = Vec::new();
    for (kind, width) in TYPES {
        let full = register / width;
        for lanes in [full, (full / 2).saturating_sub(1).max(3), 1] {
            Windows { target, kind: *kind, width: *width, lanes, all: &mut all }.write();
        }
    }
    all
}

struct Windows<'a> {
    target: &'a str,
    kind: char,
    width: u32,
    lanes: u32,
    all: &'a mut Vec<String>,
}

impl Windows<'_> {
    /// A window with leaves `a`, `b`, … of these types, and `s`, a scalar.
    fn push(&mut self, what: &str, result: (char, u32, u32), leaves: &[String], expr: &str) {
        let mut named: Vec<serde_json::Value> = ["a", "b", "c", "d"]
            .iter()
            .zip(leaves)
            .map(|(name, ty)| json!({"name": name, "type": ty, "kind": "dense"}))
            .collect();
        if expr.contains("s:u16") {
            named.push(json!({"name": "s", "type": "u16", "kind": "scalar"}));
        }
        let name = format!("{what} {}{} x{}", self.kind, self.width, self.lanes);
        let line = json!({"name": name, "target": self.target, "lanes": result.2, "bits": result.1, "leaves": named,
            "expr": expr});
        self.all.push(line.to_string());
    }

    /// The scalar in every lane.
    fn each(&self, scalar: &str) -> String {
        let (kind, rest) = scalar.split_at(scalar.find(':').map_or(0, |at| at + 1));
        if self.lanes == 1 {
            scalar.to_owned()
        } else {
            format!("(broadcast:{rest}x{} {kind}{rest})", self.lanes)
        }
    }

    fn write(&mut self) {
        let (kind, width, lanes) = (self.kind, self.width, self.lanes);
        let own = (kind, width, lanes);
        let x = ty(kind, width, lanes);
        let u = ty('u', width, lanes);
        let (one, two) = (vec![x.clone()], vec![x.clone(), x.clone()]);
        for op in EVEN {
            self.push(op, own, &two, &format!("({op}:{x} a:{x} b:{x})"));
        }
        self.push("absd", ('u', width, lanes), &two, &format!("(absd:{u} a:{x} b:{x})"));
        self.push("abs", ('u', width, lanes), &one, &format!("(abs:{u} a:{x})"));
        for count in [width - 1, width] {
            let by = self.each(&format!("{count}:u{width}"));
            for op in ["mul_shift_right", "rounding_mul_shift_right"] {
                self.push(&format!("{op} by {count}"), own, &two, &format!("({op}:{x} a:{x} b:{x} {by})"));
            }
        }
        if width < 64 {
            let wide = (kind, 2 * width, lanes);
            let d = ty(kind, 2 * width, lanes);
            for op in WIDENING {
                self.push(op, wide, &two, &format!("({op}:{d} a:{x} b:{x})"));
            }
            for op in WIDEN_RIGHT {
                self.push(op, wide, &[d.clone(), x.clone()], &format!("({op}:{d} a:{d} b:{x})"));
            }
            let by = self.each(&format!("3:u{width}"));
            self.push("widening_shift_left", wide, &one, &format!("(widening_shift_left:{d} a:{x} {by})"));
        }
        for count in [1, width / 2] {
            let by = self.each(&format!("{count}:u{width}"));
            for op in ["shift_left", "shift_right", "rounding_shift_right"] {
                self.push(&format!("{op} by {count}"), own, &one, &format!("({op}:{x} a:{x} {by})"));
            }
        }
        let by = self.each("s:u16");
        for op in ["shift_left", "shift_right"] {
            self.push(&format!("{op} by a scalar"), own, &one, &format!("({op}:{x} a:{x} {by})"));
        }
        for divisor in [3, 7, 10] {
            let by = self.each(&format!("{divisor}:{kind}{width}"));
            self.push(&format!("div by {divisor}"), own, &one, &format!("(div:{x} a:{x} {by})"));
        }
        for (to, bits) in TYPES.iter().filter(|other| **other != (kind, width)) {
            let y = ty(*to, *bits, lanes);
            for op in ["cast", "saturating_cast"] {
                self.push(
                    &format!("{op} to {to}{bits}"),
                    (*to, *bits, lanes),
                    &one,
                    &format!("({op}:{y} a:{x})"),
                );
            }
        }
        for op in ["eq", "ne", "lt", "le"] {
            let (condition, four) = (ty('b', 1, lanes), vec![x.clone(); 4]);
            let expr = format!("(select:{x} ({op}:{condition} a:{x} b:{x}) c:{x} d:{x})");
            self.push(&format!("select by {op}"), own, &four, &expr);
        }
        if lanes == 1 {
            return;
        }
        for op in ["interleave", "concat"] {
            let d = ty(kind, width, 2 * lanes);
            self.push(op, (kind, width, 2 * lanes), &two, &format!("({op}:{d} a:{x} b:{x})"));
        }
        let list = |lanes: &mut dyn Iterator<Item = u32>| {
            lanes.map(|lane| lane.to_string()).collect::<Vec<_>>().join(",")
        };
        let reversed = list(&mut (0..lanes).rev());
        self.push("reversed", own, &one, &format!("(shuffle:{x} a:{x} [{reversed}])"));
        let half = lanes / 2;
        let (evens, h) = (list(&mut (0..half).map(|lane| 2 * lane)), ty(kind, width, half));
        self.push("evens", (kind, width, half), &one, &format!("(shuffle:{h} a:{x} [{evens}])"));
        for op in ["vector_reduce_add", "vector_reduce_max"] {
            let scalar = ty(kind, width, 1);
            self.push(op, (kind, width, 1), &one, &format!("({op}:{scalar} a:{x})"));
            if lanes.is_multiple_of(4) {
                let q = ty(kind, width, lanes / 4);
                self.push(
                    &format!("{op} in fours"),
                    (kind, width, lanes / 4),
                    &one,
                    &format!("({op}:{q} a:{x})"),
                );
            }
        }
    }
}
