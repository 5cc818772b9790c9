//! An oracle that runs definitions in place of the intrinsics: compiled by stock LLVM, on this machine or an emulator,
//! with the runner and the inputs of the others.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use hydride_ir::Bits;
use interp::Bv;
use interp::inputs;
use llvm_text::{Block, Function, Instruction as Line, Operand as Typed, Scalar, Statement, Type, Value};
use parsers::{Argument, Instruction, Kind};

use super::conventions::Conventions;
use super::program::{Definition, Operand, result_part, returned};
use super::toolchain::{Code, Toolchain};
use super::values::convert;
use crate::compiler::{Compiler, Object};
use crate::error::OracleError;
use crate::memory::Layout;
use crate::oracle::{Case, Entry, Oracle};
use crate::prepare::LINK;
use crate::report::Outcome;
use crate::runner::{FREESTANDING_SOURCE, RUNNER_SOURCE, RunnerCommand, WrapperId};
use crate::target::{Machine, Target};
use crate::wrapper::WrapperOptions;

/// A program whose functions call definitions. Some operands of those can be constants in it.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The program in LLVM assembly.
    pub path: PathBuf,
    /// Its functions by the name of the definition that each of them calls.
    pub callers: BTreeMap<String, Vec<Caller>>,
}

/// A function that passes its arguments on to a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// Its name without `@`.
    pub name: String,
    /// For each operand of the definition its value where that is a constant, and no argument of the function.
    pub constants: Vec<Option<i64>>,
}

/// A case that compares what a definition returns; if an operation's results are narrower than the instruction's, only
/// their bits are compared.
pub fn case<'a>(definition: &Definition, instruction: &'a Instruction) -> Case<'a> {
    let mut parts = definition.result.parts().iter();
    let known = instruction.signature.results.iter().map(|own| {
        let ty = if own.is_memory() { None } else { parts.next() }?;
        let mut known = Bv::zero(own.width);
        known.insert(0, &Bv::ones(ty.width().filter(|have| *have < own.width)?));
        Some(Bits::from(&known))
    });
    Case { known_bits: known.collect(), ..Case::new(instruction) }
}

/// Builds an oracle for the definitions of the file `lowering`, for those instructions that have one. With a program,
/// its functions are run, which call the definitions.
///
/// Immediates are passed at run time, so that every value of every `switch` is reached, unless they are constants in
/// the program. Files are written in `work_dir`.
pub fn prepare<'a>(
    target: &Target,
    lowering: &Path,
    definitions: &[Definition],
    program: Option<&Program>,
    instructions: impl IntoIterator<Item = &'a Instruction>,
    programs: &Toolchain,
    work_dir: &Path,
) -> Result<Oracle, OracleError> {
    let clang = PathBuf::from("clang-19");
    let own = target.lowering()?;
    let (dialect, emulator) = (own.dialect, target.emulator);
    let Machine { options, missing } = (own.machine)()?;
    let machine = emulator.map(|machine| machine.machine(Path::new(machine.emulator))).transpose()?;
    let link_options: &[&str] = if emulator.is_some() { LINK } else { &[] };
    // The program's calls are LLVM IR.
    let wrappers = WrapperOptions::default();
    let compiler = Compiler::new(&clang, dialect, options, link_options, &wrappers, work_dir)?;

    let by_id: BTreeMap<&str, &Definition> =
        definitions.iter().map(|definition| (definition.id.as_str(), definition)).collect();
    let mut entries = BTreeMap::new();
    let mut text = String::new();
    let mut declared: BTreeSet<String> = BTreeSet::new();
    let mut count = 0;
    for instruction in instructions {
        if entries.contains_key(&instruction.id) {
            continue;
        }
        let missing = Some(missing(instruction)).filter(|missing| !missing.is_empty());
        let definition = by_id.get(instruction.id.as_str());
        let entry = match (missing, definition) {
            (Some(missing), _) => Entry::Unavailable(Outcome::NotRunnable { missing }),
            (None, None) => {
                Entry::Unavailable(Outcome::NotBuildable { message: "it has no definition".into() })
            }
            (None, Some(definition)) => {
                let calls = Calls::new(definition, program, instruction);
                if calls.callers.is_empty() {
                    let message = "the program has no function with its immediates".into();
                    Entry::Unavailable(Outcome::NotBuildable { message })
                } else {
                    declared.extend(calls.declarations());
                    text.push_str(&wrapper(own, count, &calls, instruction, dialect.slot_bytes));
                    let wrapper = WrapperId { chunk: 0, index: count };
                    count += 1;
                    let immediates = calls.immediates.into_iter().map(|(values, _)| Some(values)).collect();
                    Entry::Ready { wrapper, immediates }
                }
            }
        };
        entries.insert(instruction.id.clone(), entry);
    }
    let symbol = "hydride_lowered";
    let functions: Vec<String> = (0..count).map(|number| format!("ptr @w{number}")).collect();
    let table = format!("\n@{symbol} = constant [{count} x ptr] [{}]\n", functions.join(", "));
    let helpers = own.predicates.map_or("", |predicates| predicates.declarations);
    let module: String = [DECLARATIONS.to_owned(), helpers.to_owned()]
        .into_iter()
        .chain(declared)
        .chain([text, table])
        .collect();

    let linked: Vec<&Path> =
        program.map(|program| program.path.as_path()).into_iter().chain([lowering]).collect();
    let object = compile(target, &linked, &module, programs, work_dir)?;
    let runner = if emulator.is_some() { FREESTANDING_SOURCE } else { RUNNER_SOURCE };
    let runner = match own.predicates {
        Some(predicates) => format!("{}\n{}{runner}", dialect.preamble.join("\n"), predicates.helpers),
        None => runner.to_owned(),
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
    Ok(Oracle::new(target.isa, machine, command, entries, dialect.max_width()))
}

/// Links a module with others, inlines and compiles it to an object file whose name depends on what is in it.
fn compile(
    target: &Target,
    others: &[&Path],
    module: &str,
    programs: &Toolchain,
    work_dir: &Path,
) -> Result<PathBuf, OracleError> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(programs.compiler().as_os_str().as_encoded_bytes()).update(module.as_bytes());
    for other in others {
        hasher.update(&std::fs::read(other).map_err(OracleError::file(other))?);
    }
    let key = hasher.finalize().to_hex()[..24].to_owned();
    let file = |ending: &str| work_dir.join(format!("lowered-{}-{key}.{ending}", target.isa));
    let (source, object) = (file("ll"), file("o"));
    if object.exists() {
        return Ok(object);
    }
    std::fs::write(&source, module).map_err(OracleError::file(&source))?;
    let on = &target.lowering()?.runs;
    let mut libraries = Vec::new();
    for other in others {
        match programs.library(other, on, work_dir)? {
            Ok(library) => libraries.push(library),
            Err(message) => return Err(OracleError::Build { message }),
        }
    }
    let done = programs.generate(on, Code::Object, &source, &libraries, &object)?;
    done.map(|()| object).map_err(|message| OracleError::Build { message })
}

/// What a wrapper calls.
struct Calls<'a> {
    definition: &'a Definition,
    callers: Vec<Caller>,
    /// Combinations of the instruction's immediates, and which caller each needs.
    immediates: Vec<(Vec<i64>, usize)>,
}

impl<'a> Calls<'a> {
    /// All callers in the program, or the definition itself, that some combination of immediates needs.
    fn new(definition: &'a Definition, program: Option<&Program>, instruction: &Instruction) -> Self {
        let itself = || {
            vec![Caller { name: definition.name.clone(), constants: vec![None; definition.operands.len()] }]
        };
        let callers = match program {
            Some(program) => program.callers.get(&definition.name).cloned().unwrap_or_default(),
            None => itself(),
        };
        let args = &instruction.signature.args;
        let is_immediate = |arg: &&Argument| matches!(arg.kind, Kind::Immediate(_));
        let place = |operand: &Operand| {
            args.get(operand.position).filter(is_immediate)?;
            Some(args[..operand.position].iter().filter(is_immediate).count())
        };
        let fits = |caller: &Caller, values: &[i64]| {
            caller.constants.iter().zip(&definition.operands).all(|(constant, operand)| match constant {
                Some(constant) => place(operand).and_then(|at| values.get(at)) == Some(constant),
                None => true,
            })
        };
        let choose = |values: Vec<i64>| {
            let caller = callers.iter().position(|caller| fits(caller, &values))?;
            Some((values, caller))
        };
        let has_code = |values: &Vec<i64>| {
            definition.operands.iter().all(|operand| {
                let value = place(operand).and_then(|at| values.get(at));
                value.is_none_or(|value| operand.values.as_ref().is_none_or(|few| few.contains(value)))
            })
        };
        let all = inputs::immediates(args).into_iter().filter(has_code);
        let immediates: Vec<_> = all.filter_map(choose).collect();
        let callers = if immediates.is_empty() { Vec::new() } else { callers };
        Self { definition, callers, immediates }
    }

    /// Whether an operand is not a constant; the same for all callers.
    fn is_passed(&self, operand: usize) -> bool {
        self.callers.iter().all(|caller| caller.constants.get(operand).is_none_or(Option::is_none))
    }

    fn declarations(&self) -> Vec<String> {
        let operands = self.definition.operands.iter().enumerate();
        let passed = operands.filter(|(index, _)| self.is_passed(*index));
        let types = passed.map(|(_, operand)| operand.ty.to_string()).collect::<Vec<_>>().join(", ");
        let declaration =
            |caller: &Caller| format!("declare {} @\"{}\"({types})\n", self.definition.result, caller.name);
        self.callers.iter().map(declaration).collect()
    }

    /// The lines that call with `args` and give the result; `%s` counts the combinations of immediates.
    fn call(&self, args: &[Typed], block: &mut Block) {
        let result = &self.definition.result;
        let call =
            |caller: &Caller| Line::call(result.clone(), format!("\"{}\"", caller.name), args.to_vec());
        if let [caller] = &self.callers[..] {
            return match result {
                Type::Void => block.add(call(caller)),
                _ => block.define(returned(), call(caller)),
            };
        }
        let cases =
            (0..).zip(&self.immediates).map(|(selector, (_, caller))| (selector, format!("c{caller}")));
        let (default, called) = ("none".to_owned(), "called".to_owned());
        let on = Typed::new(Type::integer(32), Value::local("s"));
        block.add(Line::Switch { on, default: default.clone(), cases: cases.collect() });
        let mut values = Vec::new();
        for (number, caller) in self.callers.iter().enumerate() {
            let (label, value) = (format!("c{number}"), Value::Local(format!("r{number}.c")));
            block.add(Line::Label(label.clone()));
            match result {
                Type::Void => block.add(call(caller)),
                _ => block.define(value.clone(), call(caller)),
            }
            block.add(Line::Branch(called.clone()));
            values.push((value, label));
        }
        for line in [Line::Label(default), Line::Unreachable, Line::Label(called)] {
            block.add(line);
        }
        if *result != Type::Void {
            block.define(returned(), Line::Phi { ty: result.clone(), values });
        }
    }
}

/// The runner's functions for operands in memory.
const MAP: &str = "hydride_map";
const UNMAP: &str = "hydride_unmap";

/// Their declarations.
const DECLARATIONS: &str =
    "declare ptr @hydride_map(i32, ptr, i32, ptr)\ndeclare void @hydride_unmap(i32, ptr)\n";

/// The function `w<number>(in, out, selector)`, which reads a definition's operands from the slots of the
/// instruction's arguments and writes the results into theirs.
fn wrapper(
    own: &Conventions,
    number: u32,
    calls: &Calls<'_>,
    instruction: &Instruction,
    slot: u32,
) -> String {
    let mut block = Block::new("v");
    block.extend(own.predicates.map(|predicates| Statement::read(predicates.frame)));
    let address = |block: &mut Block, name: &str, base: &str, position: u32| {
        let (value, base) = (Value::local(name), Value::local(base));
        let index = Typed::index(32, position * slot);
        let element = Type::integer(8);
        block.define(value.clone(), Line::ElementPointer { element, base, index });
        value
    };
    let mut pointers: BTreeMap<usize, Value> = BTreeMap::new();
    let memory = Layout::new(instruction, slot);
    for (number, operand) in (0..).zip(&memory.operands) {
        let contents = address(&mut block, &format!("m{number}"), "in", operand.argument as u32);
        let plan = address(&mut block, &format!("plan{number}"), "in", operand.plan as u32);
        let pointer = Value::Local(format!("p{number}"));
        let args = vec![
            Typed::index(32, number),
            Typed::new(Type::Pointer, contents),
            Typed::index(32, operand.bytes),
            Typed::new(Type::Pointer, plan),
        ];
        block.define(pointer.clone(), Line::call(Type::Pointer, MAP, args));
        pointers.insert(operand.argument, pointer);
    }
    let mut args = Vec::new();
    for (index, operand) in calls.definition.operands.iter().enumerate() {
        if !calls.is_passed(index) {
            continue;
        }
        let from = address(&mut block, &format!("i{index}"), "in", operand.position as u32);
        let argument = instruction.signature.args.get(operand.position);
        if let Some(pointer) = pointers.get(&operand.position) {
            args.push(Typed::new(Type::Pointer, pointer.clone()));
            continue;
        }
        let stored = in_memory(own, &operand.ty, argument);
        let stored = load(own, &mut block, (stored, from), index, argument);
        let value = convert(&mut block, stored, &operand.ty);
        args.push(Typed::new(operand.ty.clone(), value));
    }
    calls.call(&args, &mut block);
    let result = &calls.definition.result;
    let returned = (0..).zip(&instruction.signature.results).filter(|(_, result)| !result.is_memory());
    for ((index, ty), (position, documented)) in (0..).zip(result.parts()).zip(returned) {
        let value = Typed::new(ty.clone(), result_part(&mut block, result, index));
        let name = format!("o{index}");
        let to = address(&mut block, &name, "out", position);
        let stored = in_memory(own, ty, Some(documented));
        let value = Typed::new(stored.clone(), convert(&mut block, value, &stored));
        match own.predicates.filter(|own| stored.bit_count() == Some(own.bits)) {
            Some(predicates) => block.extend((predicates.store)(&value.value, &name)),
            None => store(&mut block, value, to, index),
        }
    }
    for (number, operand) in (0..).zip(&memory.operands) {
        let to = match operand.result {
            Some(result) => address(&mut block, &format!("after{number}"), "out", result as u32),
            None => Value::null(),
        };
        let args = vec![Typed::index(32, number), Typed::new(Type::Pointer, to)];
        block.add(Line::call(Type::Void, UNMAP, args));
    }
    block.add(Line::Return(None));
    let parameters = [(Type::Pointer, "in"), (Type::Pointer, "out"), (Type::integer(32), "s")];
    let function = Function {
        linkage: "internal",
        result: &Type::Void,
        name: &format!("w{number}"),
        parameters: &parameters.map(|(ty, name)| Typed::new(ty, Value::local(name))),
        attributes: &(own.attributes)(instruction),
        body: block.statements(),
    };
    format!("\n{function}")
}

/// The type at which a value of type `ty`, a whole register or a part of it, is read and written. Bits that are not
/// whole bytes are accessed as the whole register, and so are all parts of registers if the conventions say so.
fn in_memory(conventions: &Conventions, ty: &Type, own: Option<&Argument>) -> Type {
    let Some((own, have)) = own.map(|own| own.width).zip(ty.width()) else { return ty.clone() };
    if conventions.predicates.is_some_and(|predicates| predicates.bits == own) {
        return Type::bits(own);
    }
    if have >= own || !conventions.whole_registers && have.is_multiple_of(8) {
        return ty.clone();
    }
    if own > 128 { Type::Vector(own / 8, Scalar::Integer(8)) } else { Type::integer(own) }
}

/// Operand `index` of a definition, read at a type from an address.
fn load(
    conventions: &Conventions,
    block: &mut Block,
    (ty, from): (Type, Value),
    index: usize,
    own: Option<&Argument>,
) -> Typed {
    let name = format!("a{index}");
    let value = Value::local(&name);
    if let Some(predicates) = conventions.predicates.filter(|own| ty.bit_count() == Some(own.bits)) {
        block.extend((predicates.load)(&name, &from));
        return Typed::new(ty, value);
    }
    let immediate = own.and_then(|own| match &own.kind {
        Kind::Immediate(range) => Some((own.width, range.low < 0)),
        _ => None,
    });
    let narrow = immediate.filter(|(width, _)| ty.integer_width().is_some_and(|wanted| wanted > *width));
    let (stored, cast) = match (narrow, ty.bit_count()) {
        (Some((width, signed)), _) => (Type::integer(width), if signed { "sext" } else { "zext" }),
        (None, Some(count)) => (Type::integer(count), "bitcast"),
        (None, None) => {
            let read = Line::Load { ty: ty.clone(), pointer: from, align: Some(1) };
            block.define(value.clone(), read);
            return Typed::new(ty, value);
        }
    };
    let number = Typed::new(stored.clone(), Value::Local(format!("n{index}")));
    block.define(number.value.clone(), Line::Load { ty: stored, pointer: from, align: Some(1) });
    block.define(value.clone(), Line::cast(cast, number, ty.clone()));
    Typed::new(ty, value)
}

/// Writes result `index` of a definition to an address: bits as an integer.
fn store(block: &mut Block, mut value: Typed, to: Value, index: u32) {
    if let Some(count) = value.ty.bit_count() {
        let number = Typed::new(Type::integer(count), Value::Local(format!("b{index}")));
        block.define(number.value.clone(), Line::cast("bitcast", value, number.ty.clone()));
        value = number;
    }
    block.add(Line::Store { of: value, pointer: to, align: Some(1) });
}
