//! The state in which pseudocode runs: variables, scopes, and the graph of exact integers.

use hydride_ir::exact::{Dag, NodeId, Register};
use rustc_hash::FxHashMap;

use super::operands::Class;
use super::region::{Notes, Region};
use super::source::Fault;
use super::syntax::Type;
use crate::pseudocode::{Branching, Budget, Limits, Memory, Merge, Pointers, Reason};

/// Longest chain of operators in a value.
const MAX_DEPTH: u32 = 400;

/// A variable.
#[derive(Clone, Debug)]
pub(super) enum Variable {
    /// An integer; undeclared ones have no type and hold exact values.
    Integer { value: Option<NodeId>, of: Option<(u32, bool)> },
    /// A register or a vector variable.
    Bits { register: Register, width: u32, signed: bool, predicate: bool },
}

/// Where a variable is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    /// An operand, or a variable that is used without declaration.
    Global(usize),
    /// A declared variable.
    Local(usize),
}

/// All variables.
#[derive(Clone, Debug, Default)]
pub(super) struct Store {
    pub globals: Vec<Variable>,
    pub locals: Vec<Variable>,
    /// What is at each pointer.
    pub memory: Vec<Memory>,
    /// Bytes that a gather or scatter will store.
    pub notes: Notes,
}

/// The running state of one entry.
pub(super) struct Machine {
    pub dag: Dag,
    pub store: Store,
    /// Bytes of a vector.
    pub vector_bytes: u32,
    /// Names of locals in scope, innermost last.
    scope: Vec<(String, usize)>,
    globals: FxHashMap<String, usize>,
    /// What it has used of its limits.
    pub budget: Budget,
    /// Within an operand that counts under a condition only: the locals that were there before, which
    /// must not be assigned.
    pub frozen: Option<usize>,
    /// The pointers among the arguments.
    pub pointers: Pointers,
    /// Gathers and scatters.
    pub region: Region,
    /// What the pointers' lowest bits are.
    pub misaligned: u32,
    /// The greatest number of bytes to a multiple of which the text rounds an address down.
    pub aligned: u32,
}

impl Merge for Variable {
    fn merge(dag: &mut Dag, condition: NodeId, then: &Self, otherwise: &Self) -> Self {
        match (then, otherwise) {
            (Self::Integer { value: Some(then), of }, Self::Integer { value: Some(otherwise), .. }) => {
                Self::Integer { value: Some(dag.select(condition, *then, *otherwise)), of: *of }
            }
            (Self::Integer { value, of }, Self::Integer { value: other, .. }) => {
                Self::Integer { value: value.or(*other), of: *of }
            }
            (
                Self::Bits { register: then, width, signed, predicate },
                Self::Bits { register: otherwise, .. },
            ) => {
                let register = Register::merge(dag, condition, then, otherwise);
                Self::Bits { register, width: *width, signed: *signed, predicate: *predicate }
            }
            _ => then.clone(),
        }
    }
}

impl Merge for Store {
    fn merge(dag: &mut Dag, condition: NodeId, then: &Self, otherwise: &Self) -> Self {
        Self {
            globals: Merge::merge(dag, condition, &then.globals, &otherwise.globals),
            locals: Merge::merge(dag, condition, &then.locals, &otherwise.locals),
            memory: Merge::merge(dag, condition, &then.memory, &otherwise.memory),
            notes: Merge::merge(dag, condition, &then.notes, &otherwise.notes),
        }
    }
}

impl Store {
    /// All variables.
    fn variables(&self) -> impl Iterator<Item = &Variable> {
        self.globals.iter().chain(&self.locals)
    }

    /// Extents of all registers, with eight for each variable: what copying the store costs.
    fn size(&self) -> usize {
        let extents = |variable: &Variable| match variable {
            Variable::Integer { .. } => 8,
            Variable::Bits { register, .. } => 8 + register.extents().count(),
        };
        let variables = self.variables().map(extents).sum::<usize>();
        variables + self.notes.size() + self.memory.iter().map(Memory::size).sum::<usize>()
    }
}

impl Branching for Machine {
    type State = Store;
    type Place = usize;

    fn dag(&mut self) -> &mut Dag {
        &mut self.dag
    }

    fn state(&mut self) -> &mut Store {
        &mut self.store
    }

    fn join(&mut self, condition: NodeId, then: Store, at: usize) -> Result<(), Fault> {
        let otherwise = std::mem::take(&mut self.store);
        self.work(then.size() + otherwise.size(), at)?;
        self.store = Store::merge(&mut self.dag, condition, &then, &otherwise);
        let value = |variable: &Variable| match variable {
            Variable::Integer { value, .. } => *value,
            Variable::Bits { .. } => None,
        };
        let values: Vec<NodeId> = self.store.variables().filter_map(value).collect();
        values.into_iter().try_for_each(|value| self.checked(value, at).map(drop))
    }
}

impl Machine {
    /// A machine for a graph that has the arguments of `pointers`.
    pub fn new(mut dag: Dag, pointers: Pointers, vector_bytes: u32) -> Self {
        let store = Store { memory: pointers.start(&mut dag), ..Store::default() };
        Self {
            dag,
            store,
            vector_bytes,
            scope: Vec::new(),
            globals: FxHashMap::default(),
            budget: Budget::new(Limits { depth: MAX_DEPTH, ..Limits::default() }),
            frozen: None,
            pointers,
            region: Region::default(),
            misaligned: 0,
            aligned: 1,
        }
    }

    /// Adds a variable that is in scope everywhere.
    pub fn add_global(&mut self, name: &str, variable: Variable) -> Slot {
        let at = self.store.globals.len();
        self.store.globals.push(variable);
        self.globals.insert(name.to_owned(), at);
        Slot::Global(at)
    }

    /// Adds a variable to the innermost scope.
    pub fn add_local(&mut self, name: &str, variable: Variable) -> Slot {
        let at = self.store.locals.len();
        self.store.locals.push(variable);
        self.scope.push((name.to_owned(), at));
        Slot::Local(at)
    }

    /// A variable with all bits 0, or without value.
    pub fn fresh(&mut self, of: Type, zero: bool) -> Variable {
        let vector = self.vector_bytes * 8;
        let bits = |width, predicate, dag: &mut Dag| {
            let mut register = Register::default();
            if zero {
                let zero = dag.int(0);
                register.write(0, width, zero);
            }
            Variable::Bits { register, width, signed: false, predicate }
        };
        match of {
            Type::Integer { width, signed } => {
                let value = zero.then(|| self.dag.int(0));
                Variable::Integer { value, of: Some((width, signed)) }
            }
            Type::Address => Variable::Integer { value: zero.then(|| self.dag.int(0)), of: None },
            Type::Vector => bits(vector, false, &mut self.dag),
            Type::Pair => bits(2 * vector, false, &mut self.dag),
            Type::Predicate => bits(self.vector_bytes, true, &mut self.dag),
        }
    }

    /// The scope as it is now, to be left again by [`Machine::leave`].
    pub fn enter(&self) -> (usize, usize) {
        (self.scope.len(), self.store.locals.len())
    }

    pub fn leave(&mut self, (scope, locals): (usize, usize)) {
        self.scope.truncate(scope);
        self.store.locals.truncate(locals);
    }

    /// The variable of a name: directly, or as the operand that it denotes (`VdV`, `QdV`, `uiV`, `OsN`).
    pub fn slot(&self, name: &str) -> Option<Slot> {
        if let Some((_, at)) = self.scope.iter().rev().find(|(known, _)| known == name) {
            return Some(Slot::Local(*at));
        }
        let global = self.globals.get(name).or_else(|| self.globals.get(name.strip_suffix(['V', 'N'])?));
        global.map(|at| Slot::Global(*at))
    }

    pub fn variable(&self, slot: Slot) -> &Variable {
        match slot {
            Slot::Global(at) => &self.store.globals[at],
            Slot::Local(at) => &self.store.locals[at],
        }
    }

    pub fn variable_mut(&mut self, slot: Slot) -> &mut Variable {
        match slot {
            Slot::Global(at) => &mut self.store.globals[at],
            Slot::Local(at) => &mut self.store.locals[at],
        }
    }

    /// Counts a step, and one more for each eight extents that it copies.
    pub fn work(&mut self, extents: usize, at: usize) -> Result<(), Fault> {
        self.budget.charge(&self.dag, 1 + extents as u64 / 8).map_err(|limit| limit.at(at))
    }

    /// A value that an operator made, once its size and depth are known to be bounded.
    pub fn checked(&mut self, node: NodeId, at: usize) -> Result<NodeId, Fault> {
        self.work(0, at)?;
        let max = hydride_ir::MAX_WIDTH;
        if self.dag.natural(node).is_none_or(|(width, _)| width > max) {
            return Err(Fault::failed(Reason::Limit, at, format!("a value needs more than {max} bits")));
        }
        self.budget.check(&self.dag, node).map_err(|limit| limit.at(at))?;
        Ok(node)
    }

    /// Adds an operand as a variable: its argument's bits, or nothing yet.
    pub fn add_operand(&mut self, key: &str, class: Class, width: u32, arg: Option<u32>) {
        if let Class::Immediate { signed, bits } = class {
            let value = arg.map(|arg| self.dag.arg_slice(arg, 0, bits, signed));
            self.add_global(key, Variable::Integer { value, of: None });
            return;
        }
        if let (Class::Memory { .. }, Some(arg)) = (class, arg) {
            let value = self.pointers.value(&mut self.dag, arg);
            self.add_global(key, Variable::Integer { value, of: None });
            return;
        }
        let mut register = Register::default();
        if let Some(arg) = arg {
            let whole = self.dag.arg_slice(arg, 0, width, false);
            register.write(0, width, whole);
        }
        let signed = class == Class::Scalar;
        self.add_global(
            key,
            Variable::Bits { register, width, signed, predicate: class == Class::Predicate },
        );
    }
}
