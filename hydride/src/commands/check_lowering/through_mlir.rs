//! `mlir/instances.mlir` of an output folder, lowered to LLVM IR that calls the definitions: each way from the dialect to
//! LLVM that the folder has.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use difftest::lowering::{Caller, Definition, Program};

/// A way from the dialect to LLVM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Route {
    /// `lower.sh`: calls of the definitions.
    Functions,
    /// `lower.sh -t ISA`: the target's own operations where a definition is one sequence.
    Target,
    /// The dialect's pass, in a plugin of `mlir-opt`.
    Pass,
}

impl Route {
    /// How messages call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Functions => "lower.sh",
            Self::Target => "lower.sh -t",
            Self::Pass => "convert-autollvm-to-llvm",
        }
    }
}

/// What a route made.
pub struct Lowered {
    /// The program in LLVM IR.
    pub program: Program,
    /// How many functions it has.
    pub functions: usize,
    /// How many definitions it declares.
    pub declared: usize,
    /// Declarations with another type than the definition has. No LLVM tool diagnoses these.
    pub wrong: Vec<String>,
}

/// Takes the functions of `out/mlir/instances.mlir` whose operation is among the definitions to LLVM IR.
pub fn lower(
    route: Route,
    out: &Path,
    isa: &str,
    definitions: &[Definition],
    plugin: Option<&Path>,
    work: &Path,
) -> Result<Lowered> {
    std::fs::create_dir_all(work).with_context(|| format!("cannot make {}", work.display()))?;
    let mlir = out.join("mlir");
    let instances = mlir.join("instances.mlir");
    let text = std::fs::read_to_string(&instances)
        .with_context(|| format!("cannot read {}", instances.display()))?;
    let names: BTreeSet<&str> = definitions.iter().map(|definition| definition.name.as_str()).collect();
    let mut callers: BTreeMap<String, Vec<Caller>> = BTreeMap::new();
    let mut source = String::new();
    for function in text.split("func.func ").skip(1) {
        let Some((symbol, caller)) = caller(function).filter(|(symbol, _)| names.contains(symbol)) else {
            continue;
        };
        callers.entry(symbol.to_owned()).or_default().push(caller);
        source.push_str("func.func ");
        source.push_str(function);
    }
    let program = work.join(format!("instances-{isa}.mlir"));
    write(&program, &source)?;
    let script = mlir.join("lower.sh");
    let lowered = match route {
        Route::Functions => run(Command::new("sh").args([&script, &program]))?,
        Route::Target => run(Command::new("sh").arg(&script).args(["-t", isa]).arg(&program))?,
        Route::Pass => {
            let plugin = plugin.context("--through pass needs --plugin")?.display();
            let called = run(Command::new("mlir-opt-19")
                .arg(format!("--load-dialect-plugin={plugin}"))
                .arg(format!("--load-pass-plugin={plugin}"))
                .arg("--pass-pipeline=builtin.module(convert-autollvm-to-llvm,convert-func-to-llvm)")
                .arg(&program))?;
            let called_path = work.join(format!("instances-{isa}.called.mlir"));
            write(&called_path, &called)?;
            run(Command::new("mlir-translate-19").arg("--mlir-to-llvmir").arg(&called_path))?
        }
    };
    let lowering = out.join(format!("llvm/lowering/{isa}.ll"));
    let defined =
        std::fs::read_to_string(&lowering).with_context(|| format!("cannot read {}", lowering.display()))?;
    let expected: BTreeSet<String> = defined.lines().filter_map(declaration).collect();
    let (mut declared, mut wrong) = (0, Vec::new());
    // Functions are inlined where they are called and then gone, since only there the target's features are known.
    let mut inlined = String::new();
    for line in lowered.lines() {
        if line.starts_with("declare ") && line.contains(" @autollvm.") {
            declared += 1;
            if !expected.contains(line) {
                wrong.push(line.to_owned());
            }
        }
        match line.strip_prefix("define ").and_then(|line| line.strip_suffix('{')) {
            Some(head) => inlined.push_str(&format!("define linkonce_odr {head}alwaysinline {{\n")),
            None => inlined.extend([line, "\n"]),
        }
    }
    let path = work.join(format!("instances-{isa}.ll"));
    write(&path, &inlined)?;
    let functions = callers.values().map(Vec::len).sum();
    Ok(Lowered { program: Program { path, callers }, functions, declared, wrong })
}

/// The operation's symbol and the function, from its text: `@"autollvm.vpcmp.v2i64.2_0_64(5,_,_)"(%a: …`.
fn caller(function: &str) -> Option<(&str, Caller)> {
    let (name, _) = function.strip_prefix("@\"")?.split_once('"')?;
    let (symbol, constants) = name.strip_suffix(')')?.split_once('(')?;
    let constants = constants.split(',').filter(|constant| !constant.is_empty());
    let constants = constants.map(|constant| constant.parse().ok()).collect();
    Some((symbol, Caller { name: name.to_owned(), constants }))
}

/// The declaration of the function that a line defines.
fn declaration(line: &str) -> Option<String> {
    let (head, _) = line.strip_prefix("define linkonce_odr ")?.split_once(')')?;
    let mut made = String::from("declare ");
    let mut pieces = head.split(" %");
    made.push_str(pieces.next()?);
    for piece in pieces {
        made.push_str(&piece[piece.find(',').unwrap_or(piece.len())..]);
    }
    made.push(')');
    Some(made)
}

fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// What a program prints.
fn run(command: &mut Command) -> Result<String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("cannot start {program}"))?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        let first = message.lines().find(|line| line.contains("error:")).or(message.lines().next());
        bail!("{program}: {}", first.unwrap_or("it failed"));
    }
    String::from_utf8(output.stdout).with_context(|| format!("{program} prints no text"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callers_by_their_names() {
        let (symbol, caller) = caller("@\"autollvm.f.2_-32(-5,_)\"(%a: i8) -> i8 {").unwrap();
        assert_eq!(symbol, "autollvm.f.2_-32");
        assert_eq!(caller.constants, [Some(-5), None]);
        assert_eq!(super::caller("@\"autollvm.g()\"() -> i8 {").unwrap().1.constants, []);
        assert_eq!(super::caller("@f(%a: i8)"), None);
    }

    #[test]
    fn definitions_as_declarations() {
        let defined =
            "define linkonce_odr { i8, i1 } @autollvm.f.1(<4 x i32> %a, i5 %.mask) \"x\"=\"y, z\" {";
        assert_eq!(declaration(defined).unwrap(), "declare { i8, i1 } @autollvm.f.1(<4 x i32>, i5)");
        assert_eq!(declaration("define internal i8 @x86.f(i8 %a0) alwaysinline {"), None);
    }
}
