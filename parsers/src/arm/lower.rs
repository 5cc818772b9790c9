//! One intrinsic: arguments into registers, its instructions run, results out of registers.
//!
//! Immediates stay symbolic where the decode variables are affine functions of them. Where they are
//! not, or where an instruction's text needs to know them, every value is run and the results are
//! chosen by the value.

use std::sync::Arc;

use hydride_ir::exact::{Dag, Int, Node, NodeId, Register};
use rustc_hash::FxHashMap;

use super::Bodies;
use super::asl::ast::{Name, Stmt};
use super::assembly::{Line, Role, Slot};
use super::ctype::{CType, immediate, memory};
use super::decode::{Cache, Decoded, Fact, Variable, variables};
use super::exec::{
    ADDRESS_UNIT, Documents, Fault, FileId, Frame, Location, Machine, Registers, Value, Var, Width, syntax,
};
use super::facts::{Facts, combinations};
use super::json::{Entry, Preparation};
use super::operations::Operations;
use crate::pseudocode::{self, Access, Memory, Merge, Pointers, Reason};
use crate::{Argument, Form, Kind, Signature};

/// What every intrinsic is lowered with.
pub struct Context<'a> {
    /// The ASL documents.
    pub documents: &'a Documents<'a>,
    /// Encodings of assembly lines.
    pub facts: &'a Facts,
    /// Words decoded so far.
    pub cache: &'a Cache,
    /// Operations of the JSON document, for instructions without ASL.
    pub operations: &'a Operations,
    /// Which of the two gives the bodies.
    pub bodies: Bodies,
}

/// Why an intrinsic is not modelled; without a place it is the entry that cannot be used.
pub type Obstacle = pseudocode::Fault<Option<Location>>;

/// An intrinsic's meaning.
#[derive(Debug)]
pub struct Lowered {
    /// Its types.
    pub signature: Signature,
    /// Its function.
    pub function: hydride_ir::Function,
    /// Which memory it accesses.
    pub access: Access,
    /// Bits that it leaves undefined.
    pub undefined: Vec<crate::UndefinedBits>,
    /// CPU features that it needs, as compilers name them.
    pub extensions: Vec<String>,
    /// Its instructions.
    pub forms: Vec<Form>,
}

/// Lowers an entry.
pub fn lower(context: &Context<'_>, entry: &Entry) -> Result<Lowered, Obstacle> {
    let undescribed = || {
        let message = "the document has neither operands nor an operation for it";
        Obstacle::excluded(Reason::NoPseudocode, None, message)
    };
    let mut types = Types::of(entry).map_err(|other| if entry.described { other } else { undescribed() })?;
    if !entry.described {
        return Err(undescribed());
    }
    if types.float && super::formula::is_formula(entry) {
        return from_formula(context, entry, types);
    }
    let lines =
        super::assembly::lines(entry).map_err(|message| Obstacle::failed(Reason::Operands, None, message))?;
    let places = Places::of(entry, &types, &lines)?;
    let ranges: Vec<(i64, i64)> = types.immediates.iter().map(|(_, low, high)| (*low, *high)).collect();
    let Some(combinations) = combinations(&ranges).filter(|all| !all.is_empty()) else {
        return Err(Obstacle::failed(Reason::Limit, None, "the immediates have too many values, or none"));
    };
    if types.signature.args.iter().any(Argument::is_memory) {
        // As much of the memory is an argument as the instruction accesses.
        let mut run = Run::new(context, entry, &types, &places, &lines, &combinations)?;
        run.results()?;
        for (position, argument) in types.signature.args.iter_mut().enumerate() {
            match run.machine.pointers.reach(position as u32) {
                Some(0) => {
                    let message = format!("nothing at `{}` is accessed", argument.name);
                    return Err(Obstacle::excluded(Reason::Memory, None, message));
                }
                Some(bytes) => argument.width = 8 * bytes,
                None => {}
            }
        }
    }
    let mut run = Run::new(context, entry, &types, &places, &lines, &combinations)?;
    let Results { mut registers, memory } = run.results()?;
    let mut machine = run.machine;
    let asked = run.steps.iter().flat_map(|step| step.decodes.first()).flat_map(|d| d.extensions.iter());
    let c_types = entry.args.iter().map(|(c_type, _)| c_type.as_str()).chain([entry.returns.as_str()]);
    let c_types: Vec<&str> = c_types.collect();
    let extensions = super::features::features(asked.map(|extension| &**extension), &c_types);
    let mut signature = types.signature;
    machine.pointers.add_results(&memory, &machine.dag, &mut signature, &mut registers);
    if registers.is_empty() {
        return Err(Obstacle::excluded(Reason::Control, None, "nothing is returned"));
    }
    let entire = |fault: pseudocode::Fault<()>| fault.map_place(|()| None);
    let (function, undefined) =
        pseudocode::function(&entry.name, &signature, &mut machine.dag, &registers).map_err(entire)?;
    let access = machine.pointers.access_of(&function, &mut machine.dag, &memory).map_err(entire)?;
    // The registers of what a load returns.
    let loaded = places.results.first().map(|(slot, _)| slot.role).filter(|role| role.is_transferred());
    let destination = loaded.unwrap_or(Role::D);
    let forms = entry
        .base
        .iter()
        .enumerate()
        .map(|(index, base)| Form {
            mnemonic: base.trim().to_ascii_uppercase(),
            operands: if index == 0 { entry.operands.trim().to_owned() } else { String::new() },
            // One line of several is not the intrinsic.
            template: match &lines[..] {
                [line] => line.template(|role| places.argument(role)),
                _ => None,
            },
            destroys: if lines.len() == 1 { places.argument(destination) } else { None },
        })
        .collect();
    Ok(Lowered { signature, function, access, undefined, extensions, forms })
}

/// Lowers an entry that has a formula in place of an instruction.
fn from_formula(context: &Context<'_>, entry: &Entry, types: Types) -> Result<Lowered, Obstacle> {
    let Types { signature, args, returns, .. } = types;
    let Some(returns) = returns else {
        return Err(Obstacle::failed(Reason::Operands, None, "a formula for nothing"));
    };
    let body = super::formula::body(entry, returns.element)
        .map_err(|message| Obstacle::failed(Reason::Operands, None, message))?;
    let arg_widths = signature.args.iter().map(|arg| arg.width).collect();
    let mut machine = Machine::new(context.documents, arg_widths);
    let mut frame = Frame::default();
    for (position, (argument, c_type)) in signature.args.iter().zip(&args).enumerate() {
        let value = match (c_type, immediate_width(argument)) {
            (Some(c_type), _) => {
                let node = machine.dag.arg_slice(position as u32, 0, c_type.width(), false);
                Value::Bits(node, Width::Known(c_type.width()))
            }
            (None, Some((width, signed))) => {
                Value::Int(machine.dag.arg_slice(position as u32, 0, width, signed))
            }
            (None, None) => continue,
        };
        frame.set(&entry.args[position].1, Var::Value(value));
    }
    let result = Var::Bits(Register::default(), returns.width());
    frame.set(super::formula::RESULT, result);
    machine.run(FileId::Operations, &mut frame, &body)?;
    let written = frame.vars().find_map(|(name, var)| match var {
        Var::Bits(register, _) if &**name == super::formula::RESULT => Some(register.clone()),
        _ => None,
    });
    let c_types = entry.args.iter().map(|(c_type, _)| c_type.as_str()).chain([entry.returns.as_str()]);
    let c_types: Vec<&str> = c_types.collect();
    let extensions = super::features::features(std::iter::empty(), &c_types);
    let results = [written.unwrap_or_default()];
    let (function, undefined) = pseudocode::function(&entry.name, &signature, &mut machine.dag, &results)
        .map_err(|fault| fault.map_place(|()| None))?;
    let access = Access::default();
    Ok(Lowered { signature, function, access, undefined, extensions, forms: Vec::new() })
}

/// The types of an entry.
struct Types {
    signature: Signature,
    /// The type of each argument that is neither an immediate nor a pointer.
    args: Vec<Option<CType>>,
    /// The type returned; a `void` function only writes memory.
    returns: Option<CType>,
    /// Position, least and greatest value.
    immediates: Vec<(usize, i64, i64)>,
    float: bool,
}

impl Types {
    fn of(entry: &Entry) -> Result<Self, Obstacle> {
        let unknown =
            |c_type: &str| Obstacle::failed(Reason::Type, None, format!("the type `{c_type}` is not known"));
        let mut signature = Signature::default();
        let (mut args, mut immediates, mut float) = (Vec::new(), Vec::new(), false);
        for (position, (c_type, name)) in entry.args.iter().enumerate() {
            if let Some(Preparation::Immediate(low, high)) = entry.preparation.get(name) {
                signature.args.push(immediate(name, c_type, *low, *high));
                immediates.push((position, *low, *high));
                args.push(None);
                continue;
            }
            if c_type.ends_with('*') {
                let pointee = CType::pointee(c_type).ok_or_else(|| unknown(c_type))?;
                signature.args.push(memory(name, c_type, &pointee));
                args.push(None);
                continue;
            }
            let parsed = CType::parse(c_type).ok_or_else(|| unknown(c_type))?;
            float |= parsed.float;
            signature.args.push(parsed.argument(name, c_type, parsed.width()));
            args.push(Some(parsed));
        }
        if entry.returns == "void" {
            return Ok(Self { signature, args, returns: None, immediates, float });
        }
        if entry.returns.contains('*') {
            let message = format!("a pointer `{}` is returned", entry.returns);
            return Err(Obstacle::excluded(Reason::Memory, None, message));
        }
        let returns = CType::parse(&entry.returns).ok_or_else(|| unknown(&entry.returns))?;
        float |= returns.float;
        let part = CType::part_name(&entry.returns, returns.count);
        for index in 0..returns.count {
            let name = if returns.count == 1 { "result".to_owned() } else { format!("result{index}") };
            signature.results.push(returns.argument(&name, &part, returns.part_width()));
        }
        Ok(Self { signature, args, returns: Some(returns), immediates, float })
    }
}

/// The registers of arguments and results.
struct Places {
    /// Argument position and its first register.
    args: Vec<(usize, Slot)>,
    /// One for each result: register and lowest bit.
    results: Vec<(Slot, u32)>,
}

impl Places {
    fn of(entry: &Entry, types: &Types, lines: &[Line]) -> Result<Self, Obstacle> {
        let mut args = Vec::new();
        let mut unplaced = Vec::new();
        for (position, (_, name)) in entry.args.iter().enumerate() {
            match entry.preparation.get(name) {
                Some(Preparation::Immediate(..)) => {}
                Some(Preparation::Register(register)) if register == "UNUSED" => {}
                Some(Preparation::Register(register)) => {
                    let slot = super::assembly::slot(register);
                    let message = || format!("`{register}` is no register for `{name}`");
                    let mut slot = slot.ok_or_else(|| Obstacle::failed(Reason::Operands, None, message()))?;
                    let tuple = types.args[position].as_ref().is_some_and(|c_type| c_type.count > 1);
                    if tuple && slot.role.is_transferred() {
                        // The document names the last register of a list.
                        slot.role = Role::T;
                    }
                    args.push((position, in_lines(slot, lines)));
                }
                Some(Preparation::Unsaid) | None => unplaced.push(position),
            }
        }
        let free = free_slots(lines, &args, unplaced.len());
        if free.len() != unplaced.len() {
            let names: Vec<&str> = unplaced.iter().map(|position| entry.args[*position].1.as_str()).collect();
            return Err(Obstacle::failed(
                Reason::Operands,
                None,
                format!("no register for `{}`", names.join("`, `")),
            ));
        }
        args.extend(unplaced.into_iter().zip(free));
        let mut results = Vec::new();
        let element = types.returns.as_ref().map_or(0, |returns| returns.element);
        for (register, _) in returned(entry) {
            let slot = super::assembly::slot(register);
            let message = || format!("`{register}` is no register for a result");
            let slot = slot.ok_or_else(|| Obstacle::failed(Reason::Operands, None, message()))?;
            let slot = in_lines(slot, lines);
            let lane =
                register.split_once('[').and_then(|(_, lane)| lane.strip_suffix(']')?.parse::<u32>().ok());
            results.push((slot, lane.unwrap_or(0).min(15) * element));
        }
        if results.len() != types.signature.results.len() {
            let message = format!("{} results in {} registers", types.signature.results.len(), results.len());
            return Err(Obstacle::failed(Reason::Operands, None, message));
        }
        Ok(Self { args, results })
    }
}

impl Places {
    /// The argument that a register holds at the start.
    fn argument(&self, role: Role) -> Option<usize> {
        self.args.iter().find(|(_, slot)| slot.role == role).map(|(position, _)| *position)
    }
}

/// The registers of the results, in the order of the results; loads list theirs from the last one.
fn returned(entry: &Entry) -> Vec<&(String, String)> {
    // Of what some entries list, a pointer is no result, and no register of a `void` function is.
    let is_result = |(register, _): &&(String, String)| {
        register != "void" && entry.args.iter().all(|(_, name)| name != register)
    };
    let mut results: Vec<&(String, String)> = entry.results.iter().filter(is_result).collect();
    let part = |(_, part): &(String, String)| {
        part.split_once('[').and_then(|(_, part)| part.strip_suffix(']')?.parse::<u32>().ok())
    };
    if results.iter().all(|result| part(result).is_some()) {
        results.sort_by_key(|result| part(result));
    }
    results
}

/// The register of a role in the file that the instructions have it in: errata correct the operands alone.
fn in_lines(slot: Slot, lines: &[Line]) -> Slot {
    let other = Slot { vector: !slot.vector, ..slot };
    let has = |slot: &Slot| lines.iter().any(|line| line.slots().any(|used| used == *slot));
    if !has(&slot) && has(&other) { other } else { slot }
}

/// Registers that no argument has, in operand order: sources first, and the destination as well
/// when the sources are too few for `wanted` arguments.
fn free_slots(lines: &[Line], taken: &[(usize, Slot)], wanted: usize) -> Vec<Slot> {
    let mut sources: Vec<Slot> = Vec::new();
    let mut destination: Vec<Slot> = Vec::new();
    for line in lines {
        for (index, slot) in line.slots().enumerate() {
            let used = taken.iter().any(|(_, other)| other == &slot);
            let scratch = slot.role.number() >= super::assembly::Role::Temporary.number();
            let list = if index == 0 { &mut destination } else { &mut sources };
            if !used && !scratch && !list.contains(&slot) {
                list.push(slot);
            }
        }
    }
    if lines.len() > 1 {
        // Sources of several instructions are in the order of their roles.
        sources.sort_by_key(|slot| slot.role);
    }
    if sources.len() < wanted {
        destination.extend(sources.into_iter().filter(|slot| slot.role != super::assembly::Role::D));
        return destination;
    }
    sources.truncate(wanted);
    sources
}

/// One instruction of an entry.
struct Step {
    /// One for each combination of all immediates; empty without ASL.
    decodes: Vec<Arc<Decoded>>,
    vars: FxHashMap<Name, Variable>,
    body: Arc<Vec<Stmt>>,
    file: FileId,
}

/// What the instructions leave.
#[derive(Clone, Debug, PartialEq)]
struct Results {
    /// The returned values.
    registers: Vec<Register>,
    /// What is at each pointer.
    memory: Vec<Memory>,
}

impl Merge for Results {
    fn merge(dag: &mut Dag, condition: NodeId, then: &Self, otherwise: &Self) -> Self {
        Self {
            registers: Merge::merge(dag, condition, &then.registers, &otherwise.registers),
            memory: Merge::merge(dag, condition, &then.memory, &otherwise.memory),
        }
    }
}

struct Run<'a> {
    machine: Machine<'a>,
    steps: Vec<Step>,
    /// The registers with the arguments in them.
    start: Registers,
    /// Immediates as values, in the order of their arguments.
    immediates: Vec<NodeId>,
    combinations: &'a [Vec<i64>],
    places: &'a Places,
    widths: Vec<u32>,
}

impl<'a> Run<'a> {
    fn new(
        context: &Context<'a>,
        entry: &Entry,
        types: &Types,
        places: &'a Places,
        lines: &[Line],
        combinations: &'a [Vec<i64>],
    ) -> Result<Self, Obstacle> {
        let pointers = Pointers::new(&types.signature, ADDRESS_UNIT);
        let mut machine = Machine::new(context.documents, pointers.widths(&types.signature));
        let memory = pointers.start(&mut machine.dag);
        let mut start = Registers { memory, ..Registers::default() };
        for (position, slot) in &places.args {
            let Some(c_type) = types.args.get(*position).and_then(Option::as_ref) else {
                if let Some(address) = pointers.value(&mut machine.dag, *position as u32) {
                    start.scalars.insert(slot.role.number(), Register::with_value(64, address));
                }
                continue;
            };
            place_argument(&mut machine.dag, &mut start, *position as u32, *slot, c_type);
        }
        machine.pointers = pointers;
        let immediates = types
            .signature
            .args
            .iter()
            .enumerate()
            .filter_map(|(position, arg)| Some((position, immediate_width(arg)?)))
            .map(|(position, (width, signed))| machine.dag.arg_slice(position as u32, 0, width, signed))
            .collect();
        let positions: Vec<usize> = types.immediates.iter().map(|(position, ..)| *position).collect();
        let steps = lines
            .iter()
            .map(|line| step(context, entry, line, &positions, combinations))
            .collect::<Result<_, _>>()?;
        machine.assume(
            combinations
                .iter()
                .filter(|values| !values.is_empty())
                .map(|values| {
                    positions.iter().map(|p| *p as u32).zip(values.iter().map(|v| Int::from(*v))).collect()
                })
                .collect(),
        );
        let widths = types.signature.results.iter().map(|result| result.width).collect();
        Ok(Self { machine, steps, start, immediates, combinations, places, widths })
    }

    /// The results with immediates symbolic where that is possible.
    fn results(&mut self) -> Result<Results, Obstacle> {
        let one_encoding = self
            .steps
            .iter()
            .all(|step| step.decodes.windows(2).all(|pair| pair[0].position == pair[1].position));
        let symbolic = if one_encoding { self.symbolic() } else { None };
        match symbolic {
            Some(Ok(results)) => Ok(results),
            Some(Err(fault)) if self.combinations.len() == 1 => Err(fault.into()),
            _ => Ok(self.each()?),
        }
    }

    /// Runs once; `None` when variables do not allow it.
    fn symbolic(&mut self) -> Option<Result<Results, Fault>> {
        let guessed =
            self.steps.iter().any(|step| step.vars.values().any(|v| matches!(v, Variable::Greatest(_))));
        if guessed {
            // A guess holds when each value of the immediates gives the same as without it. Only
            // guesses that an instruction reads can differ.
            for index in 0..self.combinations.len() {
                let exact = self.run_at(index, false).ok()?;
                let guess = self.run_at(index, true).ok()?;
                if exact != guess {
                    return None;
                }
            }
        }
        let frames: Vec<Frame> =
            self.steps.iter().map(|step| symbolic_frame(&mut self.machine, step, &self.immediates)).collect();
        Some(self.run(frames))
    }

    /// Runs every combination of immediates and chooses by them.
    fn each(&mut self) -> Result<Results, Fault> {
        let last = self.combinations.len() - 1;
        let mut chosen = self.run_at(last, false)?;
        for index in (0..last).rev() {
            let results = self.run_at(index, false)?;
            let mut here = self.machine.dag.int(1);
            for (node, value) in self.immediates.iter().zip(&self.combinations[index]) {
                let value = self.machine.dag.int(*value);
                let equal = self.machine.dag.eq(*node, value);
                here = self.machine.dag.and(here, equal);
            }
            chosen = Merge::merge(&mut self.machine.dag, here, &results, &chosen);
        }
        Ok(chosen)
    }

    /// Runs one combination of immediates, with or without the guesses.
    fn run_at(&mut self, index: usize, guess: bool) -> Result<Results, Fault> {
        let mut frames = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let mut frame = Frame::default();
            let Some(decoded) = step.decodes.get(index) else {
                frames.push(symbolic_frame(&mut self.machine, step, &[]));
                continue;
            };
            for (name, fact) in &decoded.vars {
                let fact = match step.vars.get(name) {
                    Some(Variable::Greatest(greatest)) if guess => Fact::Int(greatest.clone()),
                    _ => fact.clone(),
                };
                frame.set(name, known(&mut self.machine.dag, &fact));
            }
            frames.push(frame);
        }
        self.run(frames)
    }

    fn run(&mut self, frames: Vec<Frame>) -> Result<Results, Fault> {
        self.machine.state.registers = self.start.clone();
        for (mut frame, step) in frames.into_iter().zip(&self.steps) {
            self.machine.run(step.file, &mut frame, &step.body)?;
        }
        let registers = std::mem::take(&mut self.machine.state.registers);
        let dag = &mut self.machine.dag;
        let results = self
            .places
            .results
            .iter()
            .zip(&self.widths)
            .map(|((slot, low), width)| {
                let file = if slot.vector { &registers.vectors } else { &registers.scalars };
                match file.get(&slot.role.number()) {
                    Some(register) => {
                        let (node, _) = register.read(dag, *low, *width);
                        segments(dag, node, *width)
                    }
                    None => Register::default(),
                }
            })
            .collect();
        Ok(Results { registers: results, memory: registers.memory })
    }
}

/// Least width that holds an immediate's documented values, and whether it is signed.
fn immediate_width(argument: &Argument) -> Option<(u32, bool)> {
    let Kind::Immediate(range) = &argument.kind else { return None };
    let signed = range.low < 0;
    let bits = |value: i64| 64 - if value < 0 { !value } else { value }.leading_zeros() + u32::from(signed);
    Some((bits(range.low).max(bits(range.high)).max(1).min(argument.width), signed))
}

/// Puts an argument into its register, and what does not fit into the next ones. The vectors of a tuple that is loaded
/// or stored have a register each.
fn place_argument(dag: &mut Dag, registers: &mut Registers, position: u32, slot: Slot, c_type: &CType) {
    let (file, size) = if slot.vector { (&mut registers.vectors, 128) } else { (&mut registers.scalars, 64) };
    let (width, size) = match slot.role.is_transferred() {
        true => (c_type.width(), c_type.part_width()),
        false => (c_type.width(), size),
    };
    for (part, low) in (0..width).step_by(size as usize).enumerate() {
        let bits = size.min(width - low);
        let value = dag.arg_slice(position, low, bits, false);
        file.insert(slot.role.number() + part as u32, Register::with_value(bits, value));
    }
}

/// Prepares an instruction: its decode for every combination, and its body.
fn step(
    context: &Context<'_>,
    entry: &Entry,
    line: &Line,
    positions: &[usize],
    combinations: &[Vec<i64>],
) -> Result<Step, Obstacle> {
    let own: Vec<Vec<i64>> = combinations
        .iter()
        .map(|values| {
            let value = |position| positions.iter().position(|p| *p == position).map_or(0, |at| values[at]);
            line.immediates().map(|(position, ..)| value(position)).collect()
        })
        .collect();
    if context.documents.instructions.is_empty()
        || matches!(context.bodies, Bodies::Operations | Bodies::Named)
    {
        return from_operation(context, entry, line, &own, combinations);
    }
    let decodes = match decode(context, line, &own) {
        // Not an instruction of the ASL: the operation is used, if there is one.
        Err(fault)
            if fault.reason == Reason::UndefinedEncoding
                && context.bodies == Bodies::Any
                && context.operations.serves(None, &entry.operation) =>
        {
            return from_operation(context, entry, line, &own, combinations);
        }
        decodes => decodes?,
    };
    let Some(first) = decodes.first() else {
        return Err(Obstacle::failed(Reason::Encoding, None, "no combination of immediates"));
    };
    let instructions = &context.documents.instructions;
    let Some(encoding) = instructions.encoding(first.position) else {
        return Err(Obstacle::failed(Reason::Encoding, None, format!("`{}` is gone", first.encoding)));
    };
    let body = instructions.execute(encoding).map_err(|error| syntax(FileId::Instructions, error))?;
    let vars = variables(&decodes, combinations);
    Ok(Step { decodes, vars, body, file: FileId::Instructions })
}

/// The decodes of a line's words by the ASL.
fn decode(context: &Context<'_>, line: &Line, own: &[Vec<i64>]) -> Result<Vec<Arc<Decoded>>, Obstacle> {
    own.iter()
        .map(|values| {
            let word = context
                .facts
                .word(line, values)
                .map_err(|message| Obstacle::failed(Reason::Encoding, None, message))?;
            Ok(context.cache.decode(context.documents, word)?)
        })
        .collect()
}

/// An instruction by the entry's operation, with the recorded decode values, else with those implied by the
/// operands.
fn from_operation(
    context: &Context<'_>,
    entry: &Entry,
    line: &Line,
    own: &[Vec<i64>],
    combinations: &[Vec<i64>],
) -> Result<Step, Obstacle> {
    let recorded = context.facts.decoded(line);
    let encoding = recorded.as_ref().ok().and_then(|all| all.iter().flatten().next()).cloned();
    let encoding = encoding.as_ref().map(|decoded| decoded.encoding.as_str());
    let body = match context.operations.body(encoding, &entry.operation) {
        Some(Ok(operation)) => operation.body.clone(),
        Some(Err(fault)) => return Err(fault.clone().into()),
        None if context.operations.defines(&entry.operation) => {
            let message = format!(
                "the operation `{}` says nothing, or is another instruction's than `{}`",
                entry.operation, line.mnemonic
            );
            return Err(Obstacle::excluded(Reason::NoPseudocode, None, message));
        }
        None if entry.operation.is_empty() => {
            return Err(Obstacle::excluded(Reason::NoPseudocode, None, "the document has no operation"));
        }
        None => {
            let message = format!("the operation `{}` is not defined", entry.operation);
            return Err(Obstacle::failed(Reason::UnknownOperation, None, message));
        }
    };
    if let Ok(recorded) = recorded {
        let decodes = own
            .iter()
            .map(|values| {
                let position = Facts::position(line, values)?;
                recorded.get(position)?.clone()
            })
            .collect::<Option<Vec<_>>>();
        let Some(decodes) = decodes else {
            let message = format!("`{line}` does not assemble for all immediates");
            return Err(Obstacle::failed(Reason::Encoding, None, message));
        };
        let vars = variables(&decodes, combinations);
        return Ok(Step { decodes, vars, body, file: FileId::Operations });
    }
    let mut vars: FxHashMap<Name, Variable> = FxHashMap::default();
    let mut set = |name: &str, value: u32| {
        vars.insert(name.into(), Variable::Constant(Fact::Int(Int::from(value))));
    };
    for slot in line.slots() {
        let name = match slot.role {
            super::assembly::Role::D | super::assembly::Role::D2 => "d",
            super::assembly::Role::N => "n",
            super::assembly::Role::M => "m",
            super::assembly::Role::A => "a",
            super::assembly::Role::T => "t",
            _ => continue,
        };
        set(name, slot.role.number());
    }
    if let Some((element, total)) = line.arrangement() {
        set("esize", element);
        set("datasize", total);
        set("elements", total / element);
    }
    Ok(Step { decodes: Vec::new(), vars, body, file: FileId::Operations })
}

fn known(dag: &mut Dag, fact: &Fact) -> Var {
    Var::Value(match fact {
        Fact::Int(value) => Value::Int(dag.int(value.clone())),
        Fact::Bits(value, width) => Value::Bits(dag.int(value.clone()), Width::Known(*width)),
        Fact::Bool(value) => Value::Bool(dag.int(i64::from(*value))),
        Fact::Enum(name) => Value::Enum(name.clone()),
        Fact::Open => return Var::Unset,
    })
}

fn symbolic_frame(machine: &mut Machine<'_>, step: &Step, immediates: &[NodeId]) -> Frame {
    let mut frame = Frame::default();
    for (name, variable) in &step.vars {
        let var = match variable {
            Variable::Constant(fact) => known(&mut machine.dag, fact),
            Variable::Affine { constant, factors, width } => {
                let terms: Vec<(NodeId, Int)> =
                    immediates.iter().copied().zip(factors.iter().cloned()).collect();
                let node = machine.dag.linear(&terms, constant.clone());
                Var::Value(match width {
                    // The documented values fit; other values of the argument are outside the document's
                    // scope.
                    Some(width) => {
                        Value::Bits(machine.dag.slice(node, 0, *width, false), Width::Known(*width))
                    }
                    None => Value::Int(node),
                })
            }
            Variable::Greatest(value) => Var::Value(Value::Int(machine.dag.int(value.clone()))),
            Variable::Varying => Var::Varying,
        };
        frame.set(name, var);
    }
    frame
}

/// A result's value with its parts as separate extents.
fn segments(dag: &mut Dag, node: NodeId, width: u32) -> Register {
    let Node::Concat(parts) = dag.node(node).clone() else { return Register::with_value(width, node) };
    let mut register = Register::default();
    let mut low = 0;
    for part in parts {
        let bits = part.width.min(width - low);
        register.write(low, bits, part.node);
        low += bits;
    }
    if low < width {
        let zero = dag.int(0);
        register.write(low, width - low, zero);
    }
    register
}
