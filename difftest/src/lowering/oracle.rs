//! An oracle that runs definitions in place of the intrinsics: compiled by a stock LLVM, on this machine or an
//! emulator, with the runner and the inputs of the others.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use parsers::{Argument, Instruction, Isa, Kind};

use super::check::{Programs, step};
use super::dialect_name;
use super::program::{Definition, bits, declaration, parts};
use crate::compiler::{Compiler, Object};
use crate::error::OracleError;
use crate::inputs;
use crate::oracle::{Entry, Oracle};
use crate::prepare::LINK;
use crate::report::Outcome;
use crate::runner::{FREESTANDING_SOURCE, RUNNER_SOURCE, RunnerCommand, WrapperId};
use crate::wrapper::Dialect;
use crate::x86::{self, CpuFeatures};
use crate::{arm, hvx};

/// The bits of Hexagon's predicate registers.
const PREDICATE: &str = "<128 x i1>";

/// Predicates go through C's form of them, which the instruction set's preamble converts.
const HVX_HELPERS: &str = "
void hydride_load_predicate(HVX_VectorPred *to, const unsigned char *from) { hydride_get_mask(to, from); }
void hydride_store_predicate(unsigned char *to, const HVX_VectorPred *from) { hydride_put_mask(to, from); }
";

/// Builds an oracle for the definitions of the file `lowering`, for those instructions that have one.
///
/// Immediates are passed at run time, so that every value of every `switch` is reached. Files are written in
/// `work_dir`.
pub fn prepare<'a>(
    isa: Isa,
    lowering: &Path,
    definitions: &[Definition],
    instructions: impl IntoIterator<Item = &'a Instruction>,
    programs: &Programs,
    work_dir: &Path,
) -> Result<Oracle, OracleError> {
    let clang = PathBuf::from("clang-19");
    let cpu = if isa == Isa::X86 { Some(CpuFeatures::of_this_machine()?) } else { None };
    let (dialect, options, emulator): (&'static Dialect, Vec<&'static str>, _) = match isa {
        Isa::X86 => {
            let features = cpu.iter().flat_map(|cpu| cpu.compiler_options());
            (&x86::DIALECT, std::iter::once("-march=x86-64").chain(features).collect(), None)
        }
        Isa::Arm => (&arm::DIALECT, arm::MACHINE.options.to_vec(), Some(&arm::MACHINE)),
        Isa::Hvx => (&hvx::DIALECT, hvx::MACHINE.options.to_vec(), Some(&hvx::MACHINE)),
    };
    let machine = emulator.map(|machine| machine.machine(Path::new(machine.emulator))).transpose()?;
    let link_options: &[&str] = if emulator.is_some() { LINK } else { &[] };
    let compiler = Compiler::new(&clang, dialect, options, link_options, work_dir)?;

    let by_id: BTreeMap<&str, &Definition> =
        definitions.iter().map(|definition| (definition.id.as_str(), definition)).collect();
    let mut entries = BTreeMap::new();
    let mut text = String::new();
    let mut declared: BTreeMap<&str, String> = BTreeMap::new();
    let mut count = 0;
    for instruction in instructions {
        if entries.contains_key(&instruction.id) {
            continue;
        }
        let missing = match (&cpu, isa) {
            (Some(cpu), _) => {
                Some(cpu.missing(&instruction.extensions)).filter(|missing| !missing.is_empty())
            }
            (None, Isa::Hvx) => hvx::missing(instruction),
            (None, _) => None,
        };
        let definition = by_id.get(instruction.id.as_str());
        let entry = match (missing, definition) {
            (Some(missing), _) => Entry::Unavailable(Outcome::NotRunnable { missing }),
            (None, None) => {
                Entry::Unavailable(Outcome::NotBuildable { message: "it has no definition".into() })
            }
            (None, Some(definition)) => {
                declared.entry(&definition.name).or_insert_with(|| declaration(definition));
                text.push_str(&wrapper(isa, count, definition, instruction, dialect.slot_bytes));
                let wrapper = WrapperId { chunk: 0, index: count };
                count += 1;
                let immediates =
                    inputs::immediates(&instruction.signature.args).into_iter().map(Some).collect();
                Entry::Ready { wrapper, immediates }
            }
        };
        entries.insert(instruction.id.clone(), entry);
    }
    let symbol = "hydride_lowered";
    let functions: Vec<String> = (0..count).map(|number| format!("ptr @w{number}")).collect();
    let table = format!("\n@{symbol} = constant [{count} x ptr] [{}]\n", functions.join(", "));
    let helpers = "declare void @hydride_load_predicate(ptr, ptr)\n\
                   declare void @hydride_store_predicate(ptr, ptr)\n";
    let helpers = if isa == Isa::Hvx { helpers } else { "" };
    let module: String =
        [helpers.to_owned()].into_iter().chain(declared.into_values()).chain([text, table]).collect();

    let object = compile(isa, lowering, &module, programs, work_dir)?;
    let runner = if emulator.is_some() { FREESTANDING_SOURCE } else { RUNNER_SOURCE };
    let runner = match isa {
        Isa::Hvx => format!("{}\n{HVX_HELPERS}{runner}", dialect.preamble.join("\n")),
        Isa::X86 | Isa::Arm => runner.to_owned(),
    };
    let chunk = Object { path: object, symbol: symbol.to_owned(), count: count as usize };
    let program = compiler.link(&runner, &[chunk])?;
    let command = match emulator {
        None => RunnerCommand { program, args: Vec::new() },
        Some(machine) => {
            let args =
                machine.emulator_args.iter().map(Into::into).chain([program.into_os_string()]).collect();
            RunnerCommand { program: machine.emulator.into(), args }
        }
    };
    Ok(Oracle::new(dialect_name(isa), machine, command, entries, dialect.max_width()))
}

/// Links, inlines and compiles a module to an object file whose name depends on what is in it.
fn compile(
    isa: Isa,
    lowering: &Path,
    module: &str,
    programs: &Programs,
    work_dir: &Path,
) -> Result<PathBuf, OracleError> {
    let definitions = std::fs::read(lowering).map_err(OracleError::file(lowering))?;
    let mut hasher = blake3::Hasher::new();
    hasher.update(module.as_bytes()).update(&definitions);
    let key = hasher.finalize().to_hex()[..24].to_owned();
    let file = |ending: &str| work_dir.join(format!("lowered-{}-{key}.{ending}", dialect_name(isa)));
    let (source, linked, inlined, object) = (file("ll"), file("linked.bc"), file("inlined.bc"), file("o"));
    if object.exists() {
        return Ok(object);
    }
    std::fs::write(&source, module).map_err(OracleError::file(&source))?;
    let machine: &[&str] = match isa {
        Isa::X86 => &[],
        Isa::Arm => super::check::ARM_OPTIONS,
        // The emulator knows no newer one.
        Isa::Hvx => &["-mcpu=hexagonv67", "-mattr=+hvxv67,+hvx-length128b"],
    };
    let compiled = [&["-filetype=obj", "-relocation-model=pic"], machine].concat();
    let done = step(&programs.link, &["--only-needed"], &[&source, lowering], &linked)?
        .and(step(&programs.optimizer, &["-passes=always-inline,globaldce"], &[&linked], &inlined)?)
        .and(step(&programs.compiler, &compiled, &[&inlined], &object)?);
    done.map(|()| object).map_err(|message| OracleError::Build { message })
}

/// The function `w<number>(in, out, selector)`, which reads a definition's operands from the slots of the
/// instruction's arguments and writes the results into theirs.
fn wrapper(isa: Isa, number: u32, definition: &Definition, instruction: &Instruction, slot: u32) -> String {
    let attributes = match isa {
        Isa::X86 => format!(" \"target-features\"=\"{}\"", x86::target_features(instruction)),
        Isa::Arm | Isa::Hvx => String::new(),
    };
    let mut text = format!("\ndefine internal void @w{number}(ptr %in, ptr %out, i32 %s){attributes} {{\n");
    let hvx = isa == Isa::Hvx;
    if hvx {
        let _ = writeln!(text, "  %buffer = alloca <32 x i32>, align 128");
    }
    let mut args = Vec::new();
    for (index, operand) in definition.operands.iter().enumerate() {
        let (ty, place) = (&operand.ty, operand.position as u32 * slot);
        let _ = writeln!(text, "  %i{index} = getelementptr i8, ptr %in, i32 {place}");
        let own = instruction.signature.args.get(operand.position);
        load(&mut text, index, ty, own, hvx);
        args.push(format!("{ty} %a{index}"));
    }
    let result = &definition.result;
    let _ = writeln!(text, "  %r = call {result} @{}({})", definition.name, args.join(", "));
    let results = parts(result);
    for (index, ty) in results.iter().enumerate() {
        let value = if results.len() > 1 {
            let _ = writeln!(text, "  %r{index} = extractvalue {result} %r, {index}");
            format!("%r{index}")
        } else {
            "%r".to_owned()
        };
        let _ = writeln!(text, "  %o{index} = getelementptr i8, ptr %out, i32 {}", index as u32 * slot);
        match bits(ty) {
            _ if hvx && *ty == PREDICATE => {
                let _ = writeln!(
                    text,
                    "  %q{index} = call <32 x i32> @llvm.hexagon.V6.vandqrt.128B({ty} {value}, i32 -1)\n  \
                     store <32 x i32> %q{index}, ptr %buffer\n  \
                     call void @hydride_store_predicate(ptr %o{index}, ptr %buffer)"
                );
            }
            Some(count) => {
                let _ = writeln!(
                    text,
                    "  %b{index} = bitcast {ty} {value} to i{count}\n  \
                     store i{count} %b{index}, ptr %o{index}, align 1"
                );
            }
            None => {
                let _ = writeln!(text, "  store {ty} {value}, ptr %o{index}, align 1");
            }
        }
    }
    text + "  ret void\n}\n"
}

/// Reads the operand `%a<index>` from `%i<index>`.
fn load(text: &mut String, index: usize, ty: &str, own: Option<&Argument>, hvx: bool) {
    let immediate = own.and_then(|own| match &own.kind {
        Kind::Immediate(range) => Some((own.width, range.low < 0)),
        _ => None,
    });
    let wanted = ty.strip_prefix('i').and_then(|width| width.parse::<u32>().ok());
    let _ = match (immediate, bits(ty)) {
        (Some((width, signed)), _) if wanted.is_some_and(|wanted| wanted > width) => {
            let extend = if signed { "sext" } else { "zext" };
            writeln!(
                text,
                "  %n{index} = load i{width}, ptr %i{index}, align 1\n  %a{index} = {extend} i{width} %n{index} to {ty}"
            )
        }
        _ if hvx && ty == PREDICATE => writeln!(
            text,
            "  call void @hydride_load_predicate(ptr %buffer, ptr %i{index})\n  \
             %n{index} = load <32 x i32>, ptr %buffer\n  \
             %a{index} = call {ty} @llvm.hexagon.V6.vandvrt.128B(<32 x i32> %n{index}, i32 -1)"
        ),
        (_, Some(count)) => writeln!(
            text,
            "  %n{index} = load i{count}, ptr %i{index}, align 1\n  %a{index} = bitcast i{count} %n{index} to {ty}"
        ),
        _ => writeln!(text, "  %a{index} = load {ty}, ptr %i{index}, align 1"),
    };
}
