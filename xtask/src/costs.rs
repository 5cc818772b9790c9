//! `cargo xtask costs`: the tables in `specs/costs`, measured again.
//!
//! x86 and Arm: `llvm-mca` says what each form that the document names costs on a CPU, each in a separate region; of x86 only forms on registers.
//! HVX: the prototypes' instruction type says how many vector units it takes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::root;

mod a64;

/// The program that knows scheduling models.
const MCA: &str = "llvm-mca-19";

/// The assembler that says which forms there are.
const MC: &str = "llvm-mc-19";

/// An instruction set whose costs LLVM's scheduling models have.
struct Set {
    /// Its name here.
    isa: &'static str,
    /// Its name in LLVM.
    triple: &'static str,
    /// CPUs with a table.
    cpus: &'static [&'static str],
    /// Extensions beyond those of the scheduling model's CPU, so that more forms assemble.
    features: &'static str,
    /// The first line of its assembly.
    first: &'static str,
}

const X86: Set = Set {
    isa: "x86",
    triple: "x86_64",
    cpus: &["icelake-server", "znver4", "haswell", "skylake-avx512", "cascadelake"],
    features: "+adx,+avx512vp2intersect,+gfni,+sha,+vaes,+vpclmulqdq,+fma4,+xop,+sse4a",
    first: ".intel_syntax noprefix",
};

const ARM: Set = Set {
    isa: "arm",
    triple: "aarch64",
    cpus: &["neoverse-n1", "neoverse-v1", "neoverse-v2", "cortex-a55", "cortex-a57"],
    features: "+bf16,+complxnum,+crc,+crypto,+dotprod,+fp16fml,+fullfp16,+i8mm,+rdm,+sha3,+sm4",
    first: ".text",
};

/// General registers by width and position.
const SCALARS: &[(&str, [&str; 4])] =
    &[("r32", ["edi", "esi", "edx", "ecx"]), ("r64", ["rdi", "rsi", "rdx", "rcx"])];

/// Positions of ports, and the cycles that they are busy together.
type Busy = (Vec<usize>, f64);

/// Latency, micro-operations and ports by `mnemonic operands`.
type Costs = BTreeMap<String, (u32, u32, Vec<Busy>)>;

/// What executes micro-operations.
#[derive(Debug, Default, PartialEq)]
struct Ports {
    /// Their names in the scheduling model.
    names: Vec<String>,
    /// Micro-operations that go to them in a cycle, at most; 0 where that is not known.
    width: u32,
}

#[derive(Deserialize)]
struct Report {
    #[serde(rename = "CodeRegions")]
    regions: Vec<Region>,
    #[serde(rename = "TargetInfo")]
    target: Target,
}

#[derive(Deserialize)]
struct Target {
    #[serde(rename = "Resources")]
    resources: Vec<String>,
}

#[derive(Deserialize)]
struct Region {
    #[serde(rename = "Name")]
    name: String,
    #[serde(rename = "InstructionInfoView")]
    info: Info,
    #[serde(rename = "ResourcePressureView")]
    pressure: Pressure,
    #[serde(rename = "SummaryView")]
    summary: Option<Summary>,
}

#[derive(Deserialize)]
struct Pressure {
    #[serde(rename = "ResourcePressureInfo")]
    list: Vec<Usage>,
}

#[derive(Deserialize)]
struct Usage {
    #[serde(rename = "InstructionIndex")]
    instruction: usize,
    #[serde(rename = "ResourceIndex")]
    resource: usize,
    #[serde(rename = "ResourceUsage")]
    cycles: f64,
}

#[derive(Deserialize)]
struct Summary {
    #[serde(rename = "DispatchWidth")]
    width: u32,
}

#[derive(Deserialize)]
struct Info {
    #[serde(rename = "InstructionList")]
    list: Vec<Instruction>,
}

#[derive(Deserialize)]
struct Instruction {
    #[serde(rename = "Latency")]
    latency: u32,
    #[serde(rename = "NumMicroOpcodes")]
    uops: u32,
}

/// Writes the tables, or with `check` says which differ (exit code 1).
pub fn costs(specs: &Path, check: bool) -> Result<i32> {
    let mut tables = Vec::new();
    for (set, forms) in [(&X86, forms(&specs.join("x86"))?), (&ARM, a64::forms(&specs.join("arm"))?)] {
        for cpu in set.cpus {
            let source = format!(
                "llvm-mca-19 -mcpu={cpu} -json ({}): Latency, NumMicroOpcodes and, with -instruction-tables, ResourceUsage of each \
                 register form",
                version()?
            );
            let uop = "a micro-operation of LLVM's scheduling model";
            let (mut costs, ports) = measure(set, cpu, &forms)?;
            // What Arm's document calls by this name is no instruction.
            if set.isa == ARM.isa {
                costs.insert("nop ".to_owned(), (0, 0, Vec::new()));
            }
            tables.push((*cpu, table(cpu, set.isa, &source, uop, (&costs, &ports))));
        }
    }
    let source = "hvx_hexagon_protos.h of LLVM: Instruction Type (CVI_..._DV and CVI_VP_VS take two vector units); \
                  the header gives no latencies, each counts 1";
    let header = specs.join("hvx/hvx_hexagon_protos.h");
    let text = fs::read_to_string(&header).with_context(|| format!("cannot read {}", header.display()))?;
    tables.push((
        "hvx-v66",
        table(
            "hvx-v66",
            "hvx",
            source,
            "a vector unit of a packet",
            (&vector_units(&text), &Ports::default()),
        ),
    ));
    let mut differ = 0;
    for (name, text) in tables {
        let path = root().join(format!("specs/costs/{name}.json"));
        if !check {
            fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        } else if fs::read_to_string(&path).unwrap_or_default() != text {
            println!("costs: {} differs", path.display());
            differ = 1;
        }
    }
    Ok(differ)
}

fn version() -> Result<String> {
    let output =
        Command::new(MCA).arg("--version").output().with_context(|| format!("cannot start {MCA}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let version = text.split_whitespace().skip_while(|word| *word != "version").nth(1);
    Ok(format!("LLVM {}", version.unwrap_or("of unknown version")))
}

fn table(cpu: &str, isa: &str, source: &str, uop: &str, (costs, ports): (&Costs, &Ports)) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let mut text = format!(
        "{{\n\"cpu\":{},\n\"isa\":{},\n\"source\":{},\n\"uop\":{},\n\"ports\":{},\n\"width\":{},\n\"instructions\":{{",
        quoted(cpu),
        quoted(isa),
        quoted(source),
        quoted(uop),
        serde_json::json!(ports.names),
        ports.width
    );
    for (number, (form, (latency, uops, busy))) in costs.iter().enumerate() {
        let comma = if number == 0 { "" } else { "," };
        let busy = serde_json::json!(busy);
        let _ = write!(text, "{comma}\n{}:[{latency},{uops},{busy}]", quoted(form));
    }
    text.push_str("}}\n");
    text
}

/// The register forms of the newest document of a folder, `mnemonic operands` in lower case, each with its line of assembly.
fn forms(folder: &Path) -> Result<Vec<(String, String)>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "xml"));
    files.sort();
    let newest = files.last().with_context(|| format!("no document in {}", folder.display()))?;
    let text = fs::read_to_string(newest).with_context(|| format!("cannot read {}", newest.display()))?;
    let attribute = |tag: &str, name: &str| -> Option<String> {
        let (_, value) = tag.split_once(&format!(" {name}=\""))?;
        Some(value.split('"').next()?.to_lowercase())
    };
    let tags = text.split("<instruction ").skip(1).filter_map(|rest| rest.split('>').next());
    let form = |tag: &str| {
        let tag = format!(" {tag}");
        let (name, form) = (attribute(&tag, "name")?, attribute(&tag, "form")?);
        let operands: Vec<&str> = form.split(',').map(str::trim).collect();
        Some(format!("{name} {}", operands.join(", ")))
    };
    let forms: BTreeSet<String> = tags.filter_map(form).collect();
    Ok(forms
        .into_iter()
        .filter_map(|form| Some((line(&form)?, form)))
        .map(|(line, form)| (form, line))
        .collect())
}

/// A form with registers for its kinds; `None` for memory, for what has no operands, and for masks of others than blends, whose
/// masked forms are their unmasked operations and a blend.
fn line(form: &str) -> Option<String> {
    let (mnemonic, operands) = form.split_once(' ')?;
    let blends = mnemonic.contains("blendm");
    let operand = |(at, kind): (usize, &str)| {
        if let Some(kind) = kind.strip_suffix(" {k}").filter(|_| blends) {
            return Some(format!("{kind}{} {{k1}}", at + 1));
        }
        Some(match kind {
            "xmm" | "ymm" | "zmm" | "k" => format!("{kind}{}", at + 1),
            "imm8" => "1".to_owned(),
            kind => {
                let (_, names) = SCALARS.iter().find(|(scalar, _)| *scalar == kind)?;
                (*names.get(at)?).to_owned()
            }
        })
    };
    let operands: Option<Vec<String>> = operands.split(", ").enumerate().map(operand).collect();
    Some(format!("{mnemonic} {}", operands?.join(", ")))
}

/// What the forms that the CPU has cost, and its ports.
fn measure(set: &Set, cpu: &str, forms: &[(String, String)]) -> Result<(Costs, Ports)> {
    // Lines that do not assemble are named by the assembler.
    let mut source = format!("{}\n", set.first);
    forms.iter().for_each(|(_, line)| source.push_str(&format!("{line}\n")));
    let cpu_and_features = [format!("-mcpu={cpu}"), format!("-mattr={}", set.features)];
    let machine = [&cpu_and_features[0], &cpu_and_features[1]].map(String::as_str);
    let triple = format!("-triple={}", set.triple);
    let arguments = [&[&*triple, "-filetype=null"], &machine[..]].concat();
    let (_, errors) = feed(MC, &arguments, &source)?;
    let wrong = |message: &str| -> Option<usize> {
        let (place, _) = message.split_once(": error:")?;
        place.split(':').nth(1)?.parse().ok()
    };
    let wrong: BTreeSet<usize> = errors.lines().filter_map(wrong).collect();
    let mut source = format!("{}\n", set.first);
    for (number, (_, line)) in forms.iter().enumerate().filter(|(number, _)| !wrong.contains(&(number + 2))) {
        let _ = writeln!(source, "# LLVM-MCA-BEGIN {number}\n{line}\n# LLVM-MCA-END");
    }
    let triple = format!("-mtriple={}", set.triple);
    let arguments =
        [&[&*triple, "-json", "-iterations=1", "-skip-unsupported-instructions=lack-sched"], &machine[..]]
            .concat();
    let ask = |more: &[&str]| -> Result<Report> {
        let (output, errors) = feed(MCA, &[&arguments, more].concat(), &source)?;
        serde_json::from_str(&output).with_context(|| format!("{MCA} on {cpu}: {}", errors.trim()))
    };
    // The width is in no table, and a run takes one port of several.
    let (run, tables) = (ask(&[])?, ask(&["-instruction-tables"])?);
    let width = run.regions.iter().find_map(|region| region.summary.as_ref()).map_or(0, |own| own.width);
    let mut costs = Costs::new();
    for region in tables.regions {
        let number: usize = region.name.parse().with_context(|| format!("the region {}", region.name))?;
        if let (Some((form, _)), [one]) = (forms.get(number), &region.info.list[..]) {
            // Of several lines the costliest one counts.
            let own = (one.latency, one.uops, busy(&region.pressure.list));
            let known = costs.entry(form.clone()).or_insert_with(|| own.clone());
            if (known.0, known.1) < (own.0, own.1) {
                *known = own;
            }
        }
    }
    ensure!(!costs.is_empty(), "{MCA} knows no instruction of {cpu}");
    Ok((costs, Ports { names: tables.target.resources, width }))
}

/// What each port does alone for an instruction as what ports do together: a table has the cycles of a group in equal parts
/// at each of its ports. Ports with equal parts are a group if all groups then have whole cycles; else groups are parts of
/// each other.
fn busy(usage: &[Usage]) -> Vec<Busy> {
    let mut left: BTreeMap<usize, f64> = BTreeMap::new();
    for usage in usage.iter().filter(|usage| usage.instruction == 0) {
        *left.entry(usage.resource).or_default() += usage.cycles;
    }
    let close = |one: f64, other: f64| (one - other).abs() < 0.005;
    let mut apart: Vec<Busy> = Vec::new();
    for (port, cycles) in &left {
        match apart.iter_mut().find(|(ports, all)| close(*all / ports.len() as f64, *cycles)) {
            Some((ports, all)) => {
                ports.push(*port);
                *all += cycles;
            }
            None => apart.push((vec![*port], *cycles)),
        }
    }
    let whole = |cycles: f64| (cycles - cycles.round()).abs() < 0.02;
    if apart.iter().all(|(_, cycles)| whole(*cycles)) {
        return apart.into_iter().map(|(ports, cycles)| (ports, cycles.round())).collect();
    }
    let mut nested = Vec::new();
    loop {
        left.retain(|_, cycles| *cycles > 0.005);
        let Some(least) = left.values().copied().min_by(f64::total_cmp) else { return nested };
        let cycles = least * left.len() as f64;
        let cycles = if whole(cycles) { cycles.round() } else { (cycles * 100.0).round() / 100.0 };
        nested.push((left.keys().copied().collect(), cycles));
        left.values_mut().for_each(|cycles| *cycles -= least);
    }
}

/// What a program prints and complains of when it is given `input`.
fn feed(program: &str, arguments: &[&str], input: &str) -> Result<(String, String)> {
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {program} (Debian: llvm-19)"))?;
    let mut stdin = child.stdin.take().context("no input")?;
    let text = input.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let output = child.wait_with_output()?;
    // A program that ends early says why by itself.
    let _ = writer.join();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok((text(&output.stdout), text(&output.stderr)))
}

/// Vector units of each instruction of the prototypes: a type for two units, or one.
fn vector_units(header: &str) -> Costs {
    let mut costs = Costs::new();
    let mut syntax = None;
    for line in header.lines() {
        let Some((key, value)) = line.split_once(':') else { continue };
        match key.trim() {
            "Assembly Syntax" => syntax = Some(value.trim().to_owned()),
            "Instruction Type" => {
                let kind = value.trim();
                let Some(syntax) = syntax.take().filter(|_| kind.starts_with("CVI_")) else { continue };
                let assigned = syntax.rsplit_once('=').map_or(syntax.as_str(), |(_, right)| right);
                let called = assigned.split('(').next().unwrap_or_default();
                let plain = !assigned.contains('(') && syntax.contains('=');
                let mnemonic = if plain { "=" } else { called };
                let operands: Vec<&str> = syntax.split(',').map(str::trim).collect();
                let key = format!("{mnemonic} {}", operands.join(", ")).to_lowercase();
                let two = kind.ends_with("_DV") || kind == "CVI_VP_VS";
                costs.insert(key, (1, if two { 2 } else { 1 }, Vec::new()));
            }
            _ => {}
        }
    }
    costs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Table {
        ports: Vec<String>,
        width: u32,
        instructions: Costs,
    }

    #[test]
    fn groups_of_ports_are_found_in_their_parts() {
        let usage = |resource, cycles| Usage { instruction: 0, resource, cycles };
        let other = Usage { instruction: 1, resource: 0, cycles: 9.0 };
        let found = busy(&[usage(7, 2.5), usage(3, 0.5), other]);
        assert_eq!(found, [(vec![3, 7], 1.0), (vec![7], 2.0)]);
        let thirds = busy(&[usage(0, 0.33), usage(1, 0.33), usage(5, 0.33)]);
        assert_eq!(thirds, [(vec![0, 1, 5], 1.0)]);
        let apart = busy(&[usage(0, 0.5), usage(1, 0.5), usage(5, 1.0)]);
        assert_eq!(apart, [(vec![0, 1], 1.0), (vec![5], 1.0)]);
    }

    #[test]
    fn forms_become_lines() {
        assert_eq!(line("vpternlogd zmm, zmm, zmm, imm8").unwrap(), "vpternlogd zmm1, zmm2, zmm3, 1");
        assert_eq!(line("movd xmm, r32").unwrap(), "movd xmm1, esi");
        assert_eq!(line("paddd xmm, m128"), None);
    }

    #[test]
    fn a_sample_of_the_tables_is_what_the_tool_says() {
        if !crate::process::have(MCA) || !crate::process::have(MC) {
            eprintln!("skipped: {MCA} is not installed");
            return;
        }
        for set in [&X86, &ARM] {
            let lines = |form: &String| -> Vec<String> {
                if set.isa == X86.isa { line(form).into_iter().collect() } else { a64::lines(form) }
            };
            for cpu in set.cpus {
                let text = fs::read_to_string(root().join(format!("specs/costs/{cpu}.json"))).unwrap();
                let table: Table = serde_json::from_str(&text).unwrap();
                // What is no instruction has no line.
                let sample = table.instructions.into_iter().filter(|(form, _)| !lines(form).is_empty());
                let sample: Costs = sample.step_by(10).collect();
                assert!(sample.len() > 100);
                let forms = sample.keys().flat_map(|form| {
                    lines(form).into_iter().map(|line| (form.clone(), line)).collect::<Vec<_>>()
                });
                let (measured, ports) = measure(set, cpu, &forms.collect::<Vec<_>>()).unwrap();
                assert_eq!(measured, sample, "{cpu}");
                assert_eq!(ports, Ports { names: table.ports, width: table.width }, "{cpu}");
            }
        }
    }

    #[test]
    fn the_type_says_how_many_vector_units() {
        let header = "   Assembly Syntax:       Vdd32=vmpy(Vu32.h, Vv32.h)\n   Instruction Type:      CVI_VX_DV\n   \
                      Assembly Syntax:       Rd32=vextract(Vu32,Rs32)\n   Instruction Type:      LD\n";
        let costs = vector_units(header);
        assert_eq!(
            costs.into_iter().collect::<Vec<_>>(),
            [("vmpy vdd32=vmpy(vu32.h, vv32.h)".to_owned(), (1, 2, Vec::new()))]
        );
    }
}
