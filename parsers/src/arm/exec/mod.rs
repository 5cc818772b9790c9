//! The elaborator of ASL: statements run on exact integers, registers hold slices of arguments.
//!
//! Values that are known stay literals of the graph, so that decode and loops run as written.
//! Where a condition is only known when the instruction runs, both branches are run and their
//! variables and registers merged; a `return` under such a condition waits in `pending` until
//! the function's end.

mod assume;
mod builtin;
mod call;
mod expr;
mod fault;
mod float;
mod memory;
mod place;
mod recognize;
mod stmt;
mod value;

use std::sync::LazyLock;

use hydride_ir::exact::{Dag, NodeId};
use rustc_hash::FxHashMap;

pub use crate::pseudocode::Width;
pub use assume::Assumptions;
pub use fault::{Fault, FileId, Location, syntax};
pub use memory::ADDRESS_UNIT;
pub use value::{Registers, Value, Var};

use crate::arm::asl::ast::{Name, Offset, Stmt, Type};
use crate::arm::asl::index::{Instructions, Library};
use crate::pseudocode::{Branching, Budget, Limits, MAX_STEPS, Merge, Pointers, Reason};

/// Deepest nesting of statements, expressions and calls at run time.
const MAX_NESTING: u32 = 120;

/// Limits of a run.
const LIMITS: Limits = Limits { steps: MAX_STEPS, depth: 400, nesting: MAX_NESTING };

/// The documents that the elaborator reads from.
#[derive(Default)]
pub struct Documents<'a> {
    /// The library of functions.
    pub library: Library<'a>,
    /// The instructions.
    pub instructions: Instructions<'a>,
}

/// The functions that stand for the library's on floating-point numbers.
static FLOATS: LazyLock<Library<'static>> =
    LazyLock::new(|| Library::new(include_str!("../../../../specs/arm/float.asl"), &mut Vec::new()));

/// What an operation gives.
type Run<T> = Result<T, Fault>;

/// A machine that runs ASL.
pub struct Machine<'a> {
    /// The values.
    pub dag: Dag,
    /// What branches can leave differently.
    pub state: State,
    /// The pointers among the arguments.
    pub pointers: Pointers,
    /// Names of the extensions that the text asked for.
    pub extensions: Vec<Name>,
    documents: &'a Documents<'a>,
    assumptions: Assumptions,
    budget: Budget,
    file: FileId,
    /// What the present function returns.
    returns: Option<Type>,
    /// Returns of the present function that have been reached.
    pending: Vec<Pending>,
    /// Tables of functions that were run at every value of their argument.
    tables: FxHashMap<Name, recognize::Table>,
}

/// What the two paths of a branch can leave differently.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The registers.
    pub registers: Registers,
    /// The variables of the present function.
    frame: Frame,
}

impl Merge for State {
    fn merge(dag: &mut Dag, condition: NodeId, then: &Self, otherwise: &Self) -> Self {
        let vars = Merge::merge(dag, condition, &then.frame.vars, &otherwise.frame.vars);
        let registers = Merge::merge(dag, condition, &then.registers, &otherwise.registers);
        Self { registers, frame: Frame { vars } }
    }
}

/// A function's variables.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    vars: FxHashMap<Name, Var>,
}

/// A `return` that was reached under a condition.
struct Pending {
    condition: NodeId,
    value: Value,
    registers: Registers,
}

/// Where control goes after a statement.
enum Flow {
    Next,
    Return(Value),
}

impl Frame {
    /// Sets a variable.
    pub fn set(&mut self, name: &str, var: Var) {
        match self.vars.get_mut(name) {
            Some(slot) => *slot = var,
            None => {
                self.vars.insert(name.into(), var);
            }
        }
    }

    /// The variables.
    pub fn vars(&self) -> impl Iterator<Item = (&Name, &Var)> {
        self.vars.iter()
    }
}

impl Branching for Machine<'_> {
    type State = State;
    type Place = Location;

    fn dag(&mut self) -> &mut Dag {
        &mut self.dag
    }

    fn state(&mut self) -> &mut State {
        &mut self.state
    }
}

impl<'a> Machine<'a> {
    /// A machine over arguments of the given widths in bits.
    pub fn new(documents: &'a Documents<'a>, arg_widths: Vec<u32>) -> Self {
        Self {
            dag: Dag::new(arg_widths),
            state: State::default(),
            pointers: Pointers::default(),
            extensions: Vec::new(),
            documents,
            assumptions: Vec::new(),
            budget: Budget::new(LIMITS),
            file: FileId::Instructions,
            returns: None,
            pending: Vec::new(),
            tables: FxHashMap::default(),
        }
    }

    /// Runs statements of a file with the variables of `frame`.
    pub fn run(&mut self, file: FileId, frame: &mut Frame, stmts: &[Stmt]) -> Result<(), Fault> {
        self.file = file;
        let (flow, after, pending) = self.in_frame(std::mem::take(frame), None, |this| this.block(stmts));
        *frame = after;
        flow?;
        for pending in pending.into_iter().rev() {
            self.join_registers(pending.condition, &pending.registers);
        }
        Ok(())
    }

    /// Runs a function with its variables: what it gives, its variables afterwards, and the returns that it reached
    /// under conditions.
    fn in_frame<T>(
        &mut self,
        frame: Frame,
        returns: Option<Type>,
        run: impl FnOnce(&mut Self) -> T,
    ) -> (T, Frame, Vec<Pending>) {
        let caller = std::mem::replace(&mut self.state.frame, frame);
        let pending = std::mem::take(&mut self.pending);
        let returns = std::mem::replace(&mut self.returns, returns);
        let given = run(self);
        self.returns = returns;
        let pending = std::mem::replace(&mut self.pending, pending);
        (given, std::mem::replace(&mut self.state.frame, caller), pending)
    }

    /// Merges the registers of another path into the present ones: `then` where the boolean `condition` is 1.
    fn join_registers(&mut self, condition: NodeId, then: &Registers) {
        let now = std::mem::take(&mut self.state.registers);
        self.state.registers = Registers::merge(&mut self.dag, condition, then, &now);
    }

    /// Lowers the number of steps that may be run in all.
    pub fn limit(&mut self, steps: u64) {
        self.budget = Budget::new(Limits { steps, ..LIMITS });
    }

    fn fault<T>(&self, reason: Reason, offset: Offset, message: impl Into<String>) -> Run<T> {
        let location = self.location(offset);
        Err(match reason {
            Reason::FloatingPoint => Fault::excluded(reason, location, message),
            _ => Fault::failed(reason, location, message),
        })
    }

    fn location(&self, offset: Offset) -> Location {
        Location { file: self.file, offset }
    }

    /// Counts a step.
    fn step(&mut self, offset: Offset) -> Run<()> {
        let location = self.location(offset);
        self.budget.charge(&self.dag, 1).map_err(|limit| limit.at(location))
    }

    /// Checks the size of a value that is assigned.
    fn check(&mut self, value: &Value, offset: Offset) -> Run<()> {
        match value {
            Value::Int(node) | Value::Bits(node, _) | Value::Bool(node) => {
                let location = self.location(offset);
                self.budget.check(&self.dag, *node).map_err(|limit| limit.at(location))
            }
            Value::Tuple(values) => values.iter().try_for_each(|value| self.check(value, offset)),
            Value::Enum(_) | Value::Unit => Ok(()),
        }
    }

    /// Runs `inner` one level deeper.
    fn deeper<T>(&mut self, offset: Offset, inner: impl FnOnce(&mut Self) -> Run<T>) -> Run<T> {
        self.budget.enter().map_err(|limit| limit.at(self.location(offset)))?;
        let result = inner(self);
        self.budget.leave();
        result
    }

    /// A known integer.
    fn known(&self, node: NodeId, offset: Offset) -> Run<i64> {
        match self.dag.as_int(node) {
            Some(value) => {
                i64::try_from(value).or_else(|_| self.fault(Reason::Limit, offset, "a number is too large"))
            }
            None => self.fault(Reason::Symbolic, offset, "a number must be known here"),
        }
    }

    /// A known width in bits.
    fn known_width(&self, node: NodeId, offset: Offset) -> Run<u32> {
        let width = self.known(node, offset)?;
        match u32::try_from(width) {
            Ok(width) if width <= hydride_ir::MAX_WIDTH => Ok(width),
            _ => self.fault(Reason::Limit, offset, format!("{width} is not a width")),
        }
    }
}
