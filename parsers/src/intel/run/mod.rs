//! Runs an operation symbolically: statements on exact integers, variables as registers.
//!
//! Expressions are exact, an assignment to a slice keeps the low bits. Conditions on constants choose; on
//! symbolic values both paths run and their variables merge. An immediate whose value shapes the
//! computation (a loop bound, a width) is fixed bit by bit, and the results are selected by those bits.

mod expr;
mod place;
mod stmt;
mod tile;
mod value;
mod write;

use std::collections::BTreeSet;
use std::rc::Rc;

use hydride_ir::exact::{Dag, Node, NodeId, Register};
use rustc_hash::FxHashMap;

pub(super) use place::Reading;
pub(super) use value::Value;
use value::{Contents, Frame, Variable};

use super::ast::{Extent, Fault, Program, Symbol};
use crate::pseudocode::{ArgumentBit, Branching, Budget, Limits, Memory, Merge, Pointers, Reason, Verdict};
use crate::signature::{Argument, Kind, Signature};

/// The text counts addresses in bits, as positions in registers.
const ADDRESS_UNIT: u32 = 1;

/// Texts on tiles count addresses in bytes.
const TILE_ADDRESS_UNIT: u32 = 8;

/// Calls that may be open at once.
const MAX_CALLS: u32 = 64;

/// Bits of immediates that may be fixed: 256 cases.
const MAX_FIXED_BITS: usize = 8;

pub(super) type Ran<T> = Result<T, Fault>;

fn fail<T>(reason: Reason, message: impl Into<String>, at: Extent) -> Ran<T> {
    Err(Fault::failed(reason, at, message))
}

fn exclude<T>(reason: Reason, message: impl Into<String>, at: Extent) -> Ran<T> {
    Err(Fault::excluded(reason, at, message))
}

/// What running an operation gave.
pub(super) struct Outcome {
    /// The graph that the registers belong to.
    pub(super) dag: Dag,
    /// The result, if something is returned.
    pub(super) result: Option<Register>,
    /// The pointers among the arguments.
    pub(super) pointers: Pointers,
    /// What is at them after the operation.
    pub(super) memory: Vec<Memory>,
    /// The tiles that were written: each argument's position with its contents.
    pub(super) tiles: Vec<(u32, Register)>,
    /// For each argument, one above the highest bit that the operation names.
    pub(super) read: Vec<u32>,
}

/// Runs a program for a signature with at most one result. `rounding` is the argument that states the rounding mode, if one does;
/// `error` is the greatest relative error of reciprocals in units of 2^-32, if they are approximations.
pub(super) fn run(
    program: &Program,
    signature: &Signature,
    rounding: Option<usize>,
    error: Option<u32>,
) -> Ran<Outcome> {
    let pointers = Pointers::new(
        signature,
        if super::tile::has_tiles(signature) { TILE_ADDRESS_UNIT } else { ADDRESS_UNIT },
    );
    let mut dag = Dag::new(pointers.widths(signature));
    let defines =
        program.defines.iter().enumerate().map(|(position, define)| (define.name, position)).collect();
    let nearest = dag.int(0);
    let brain =
        |argument: &Argument| ["bh", "bf16", "bfloat16"].iter().any(|end| argument.c_type.ends_with(end));
    let mut run = Run {
        rounding: nearest,
        error,
        brain: signature.args.iter().chain(&signature.results).any(brain),
        program,
        signature,
        dag,
        pointers,
        defines,
        frame: Frame::default(),
        globals: None,
        budget: Budget::new(Limits { nesting: MAX_CALLS, ..Limits::default() }),
        read: vec![0; signature.args.len()],
        fixed: Vec::new(),
    };
    if let Some(position) = rounding {
        run.round_as_argument_says(position);
    }
    let (result, memory) = run.cases()?;
    for (position, read) in run.read.iter_mut().enumerate() {
        if let Some(bytes) = run.pointers.reach(position as u32) {
            *read = 8 * bytes;
        }
    }
    let tiles = run.written_tiles();
    Ok(Outcome { dag: run.dag, result, pointers: run.pointers, memory, tiles, read: run.read })
}

struct Run<'a> {
    program: &'a Program,
    signature: &'a Signature,
    dag: Dag,
    pointers: Pointers,
    defines: FxHashMap<Symbol, usize>,
    frame: Frame,
    /// The variables outside of all calls, while a call runs.
    globals: Option<Vec<Option<Rc<Variable>>>>,
    budget: Budget,
    read: Vec<u32>,
    /// The rounding mode of the operation's floating-point operators.
    rounding: NodeId,
    /// The greatest relative error of reciprocals, where they are approximations.
    error: Option<u32>,
    /// Whether 16 bits of an operand may be a bfloat16.
    brain: bool,
    /// Bits of immediates with the value that this run gives them.
    fixed: Vec<(ArgumentBit, bool)>,
}

impl Branching for Run<'_> {
    type State = Frame;
    type Place = Extent;

    fn dag(&mut self) -> &mut Dag {
        &mut self.dag
    }

    fn state(&mut self) -> &mut Frame {
        &mut self.frame
    }
}

impl Run<'_> {
    /// Runs the program, again for each value of the bits that must be constants.
    fn cases(&mut self) -> Ran<(Option<Register>, Vec<Memory>)> {
        let fault = match self.once() {
            Err(fault) => fault,
            done => return done,
        };
        let Verdict::NeedsConstants(bits) = &fault.verdict else { return Err(fault) };
        let bit = bits.iter().find(|bit| self.fixed.iter().all(|(fixed, _)| fixed != *bit)).copied();
        let Some(bit) = bit.filter(|_| self.fixed.len() < MAX_FIXED_BITS) else { return Err(fault) };
        let mut cases = Vec::with_capacity(2);
        for value in [true, false] {
            self.fixed.push((bit, value));
            let case = self.cases();
            self.fixed.pop();
            cases.push(case?);
        }
        let condition = self.dag.arg_slice(bit.argument, bit.bit, 1, false);
        let [(then, left), (otherwise, right)] = &cases[..] else { return Err(fault) };
        let result = Merge::merge(&mut self.dag, condition, then, otherwise);
        Ok((result, Merge::merge(&mut self.dag, condition, left, right)))
    }

    fn once(&mut self) -> Ran<(Option<Register>, Vec<Memory>)> {
        let memory = self.pointers.start(&mut self.dag);
        self.frame = Frame { variables: vec![None; self.program.names.len()], memory, returned: None };
        let program = self.program;
        let result = self.declare_result();
        for (position, argument) in self.signature.args.iter().enumerate() {
            let Some(symbol) = self.find_name(&argument.name) else { continue };
            let position = position as u32;
            if let Some(address) = self.pointers.value(&mut self.dag, position) {
                let address = Variable::temporary(Contents::Scalar(Value::exact(address)));
                self.frame.variables[symbol.0 as usize] = Some(Rc::new(address));
                continue;
            }
            let whole = self.dag.arg_slice(position, 0, argument.width, false);
            let mut register = Register::with_value(argument.width, whole);
            for (fixed, value) in &self.fixed {
                if fixed.argument == position {
                    let value = self.dag.int(u8::from(*value));
                    register.write(fixed.bit, 1, value);
                }
            }
            let contents = Contents::Bits { register, open: false };
            let variable = Variable {
                contents,
                declared: Some(argument.width),
                argument: Some(position),
                element: argument.element,
            };
            self.frame.variables[symbol.0 as usize] = Some(Rc::new(variable));
        }
        self.block(&program.body)?;
        let result = match self.signature.results.is_empty() {
            true => None,
            false => Some(self.result(result)?),
        };
        Ok((result, std::mem::take(&mut self.frame.memory)))
    }

    /// A name of the program; where only the case differs the document means the same.
    fn find_name(&self, name: &str) -> Option<Symbol> {
        let names = &self.program.names;
        let exact = names.iter().position(|known| known == name);
        let found = exact.or_else(|| {
            let same = |known: &String| known.eq_ignore_ascii_case(name);
            let declared =
                |known: &String| self.signature.args.iter().any(|argument| argument.name == *known);
            names.iter().position(|known| same(known) && name.len() > 1 && !declared(known))
        });
        found.map(|position| Symbol(position as u32))
    }

    /// The variable that is the result: the documented one, or what the text calls it instead.
    fn declare_result(&mut self) -> Option<Symbol> {
        let slot = self.signature.results.first()?;
        let assigned = |symbol: &Symbol| assigns(&self.program.body, *symbol);
        let symbol = [slot.name.as_str(), "dst", "k", "dest", "DEST", "result"]
            .into_iter()
            .filter_map(|name| self.find_name(name))
            .find(assigned)?;
        let variable = Variable {
            contents: Contents::Bits { register: Register::default(), open: false },
            declared: Some(slot.width),
            argument: None,
            element: slot.element.filter(|element| element.float),
        };
        self.frame.variables[symbol.0 as usize] = Some(Rc::new(variable));
        Some(symbol)
    }

    fn result(&mut self, symbol: Option<Symbol>) -> Ran<Register> {
        let width = self.signature.results.first().map_or(0, |slot| slot.width);
        let at = self.program.body.last().map(|stmt| stmt.at).unwrap_or_default();
        let assigned = symbol.and_then(|symbol| self.frame.variables[symbol.0 as usize].clone());
        let mut register = match assigned.as_deref().map(|variable| &variable.contents) {
            Some(Contents::Bits { register, .. }) => register.clone(),
            Some(Contents::Scalar(value)) => Register::with_value(width, value.node),
            _ => Register::default(),
        };
        if let Some((when, value)) = self.frame.returned {
            let returned = Register::with_value(width, value.node);
            register = Register::merge(&mut self.dag, when, &returned, &register);
        }
        if register.extents().next().is_none() {
            return fail(Reason::Undefined, "the operation never writes its result", at);
        }
        Ok(register)
    }

    /// Counts a step.
    fn step(&mut self, at: Extent) -> Ran<()> {
        self.budget.charge(&self.dag, 1).map_err(|limit| limit.at(at))
    }

    /// Checks the size of a value that is assigned or returned.
    fn check(&mut self, node: NodeId, at: Extent) -> Ran<()> {
        self.budget.check(&self.dag, node).map_err(|limit| limit.at(at))
    }

    /// A failure that asks for the immediate bits that `node` depends on to be constants; `None` when it depends on
    /// anything else.
    fn fix<T>(&self, node: NodeId, what: &str, at: Extent) -> Option<Ran<T>> {
        let mut bits = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut open = vec![node];
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            if let Node::Slice { of, low, width, .. } = self.dag.node(id)
                && let Node::Arg(argument) = self.dag.node(*of)
            {
                if !matches!(self.signature.args[*argument as usize].kind, Kind::Immediate(_)) {
                    return None;
                }
                bits.extend((*low..low + width).map(|bit| ArgumentBit { argument: *argument, bit }));
                continue;
            }
            if matches!(self.dag.node(id), Node::Arg(_)) || bits.len() > MAX_FIXED_BITS {
                return None;
            }
            open.extend(self.dag.node(id).operands());
        }
        let message = format!("{what} depends on more than {MAX_FIXED_BITS} bits of an immediate");
        Some(Err(Fault::needs_constants(bits.into_iter().collect(), at, message)))
    }
}

/// Whether a block assigns to a symbol.
fn assigns(block: &[super::ast::Stmt], symbol: Symbol) -> bool {
    use super::ast::StmtKind;
    block.iter().any(|stmt| match &stmt.kind {
        StmtKind::Assign { place, .. } => place.name == symbol,
        StmtKind::For { body, .. } | StmtKind::While { body, .. } => assigns(body, symbol),
        StmtKind::If { arms } => arms.iter().any(|(_, body)| assigns(body, symbol)),
        StmtKind::Case { arms, .. } => arms.iter().any(|(_, body)| assigns(body, symbol)),
        StmtKind::Return(_) | StmtKind::Raise | StmtKind::Table { .. } | StmtKind::Call(_) => false,
    })
}
