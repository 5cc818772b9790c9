//! A sequence of operations with its inputs and outputs.

use hydride_ir::exact::NodeId;
use search::Type;
use serde::{Deserialize, Serialize};

use crate::contents::{Content, Entry, Wanted, fill};
use crate::table::{OpId, Table};

/// Something that a step reads.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Value {
    /// An input, by position.
    Input(usize),
    /// The result of a step, by position.
    Step(usize),
    /// The lower half of a pair of registers.
    Low(Box<Value>),
    /// The upper half of a pair of registers.
    High(Box<Value>),
    /// Two registers as a pair, the lower one first.
    Pair(Box<(Value, Value)>),
}

impl Value {
    /// The inputs and the steps that it is made of.
    fn parts(&self) -> Vec<&Value> {
        match self {
            Value::Input(_) | Value::Step(_) => vec![self],
            Value::Low(pair) | Value::High(pair) => pair.parts(),
            Value::Pair(two) => [two.0.parts(), two.1.parts()].concat(),
        }
    }

    /// The same of a program with these values in place of its inputs and steps.
    fn over(&self, inputs: &[Value], steps: &[Value]) -> Self {
        match self {
            Value::Input(at) => inputs[*at].clone(),
            Value::Step(at) => steps[*at].clone(),
            Value::Low(pair) => Value::Low(Box::new(pair.over(inputs, steps))),
            Value::High(pair) => Value::High(Box::new(pair.over(inputs, steps))),
            Value::Pair(two) => Value::Pair(Box::new((two.0.over(inputs, steps), two.1.over(inputs, steps)))),
        }
    }
}

/// A register that is there before the first step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// The register's type.
    pub ty: Type,
    /// Width of its containers in bits.
    pub container: u32,
    /// What the containers hold.
    pub content: Content,
    /// The leaf, and the number of its element in the lowest container, which can lie before the leaf's start; `None`
    /// for what is made before the loop.
    pub load: Option<(u32, i64)>,
}

/// A step: an operation with its operands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The operation.
    pub op: OpId,
    /// What its register operands are.
    pub operands: Vec<Value>,
    /// Width of the result's containers in bits.
    pub container: u32,
    /// What they hold.
    pub content: Content,
}

impl Step {
    /// Whether it reads an input.
    pub(crate) fn reads(&self, input: usize) -> bool {
        self.operands.iter().flat_map(Value::parts).any(|part| *part == Value::Input(input))
    }
}

/// A sequence of operations.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// Registers that are there at the start.
    pub inputs: Vec<Input>,
    /// What is done, in order.
    pub steps: Vec<Step>,
    /// The result's registers with what they hold.
    pub outputs: Vec<(Value, Content)>,
    /// Width of the outputs' containers in bits.
    pub container: u32,
    /// Type of the outputs' registers.
    pub output_type: Option<Type>,
    /// What is added to the result in a general register; only where the result is one lane.
    pub added: Option<NodeId>,
    /// Where the result is a number in a general register that is narrower than the window's: whether its sign is above it there,
    /// or zeros.
    pub extended: Option<bool>,
}

impl Program {
    /// Whether the result is made of leaves' elements and constants alone.
    pub fn only_moves(&self) -> bool {
        let mut results = self.outputs.iter().flat_map(|(_, content)| content);
        !results.any(|entry| matches!(entry, Entry::Value(..)))
    }

    /// How many registers are made before the first step.
    pub fn constants(&self) -> usize {
        self.inputs.iter().filter(|input| input.load.is_none()).count()
    }

    /// The same with steps that need fewer others one after the other before them first.
    pub(crate) fn by_depth(&self) -> Self {
        let mut depths: Vec<usize> = Vec::new();
        for step in &self.steps {
            let depth = |part: &Value| if let Value::Step(at) = part { depths[*at] + 1 } else { 0 };
            let parts = step.operands.iter().flat_map(Value::parts);
            depths.push(parts.map(depth).max().unwrap_or(0));
        }
        let mut order: Vec<usize> = (0..self.steps.len()).collect();
        order.sort_by_key(|at| depths[*at]);
        let inputs: Vec<Value> = (0..self.inputs.len()).map(Value::Input).collect();
        let mut steps: Vec<Value> = self.steps.iter().map(|_| Value::Step(0)).collect();
        order.iter().enumerate().for_each(|(place, at)| steps[*at] = Value::Step(place));
        let step = |at: &usize| {
            let own = &self.steps[*at];
            let operands = own.operands.iter().map(|value| value.over(&inputs, &steps)).collect();
            Step { operands, ..own.clone() }
        };
        let output = |(value, content): &(Value, Content)| (value.over(&inputs, &steps), content.clone());
        Self {
            steps: order.iter().map(step).collect(),
            outputs: self.outputs.iter().map(output).collect(),
            ..self.clone()
        }
    }

    /// The type of something that a step may read; `None` where it is not there, or cannot be halved or joined.
    pub fn ty(&self, table: &Table, value: &Value) -> Option<Type> {
        Some(match value {
            Value::Input(at) => self.inputs.get(*at)?.ty,
            Value::Step(at) => table.op(self.steps.get(*at)?.op).result,
            Value::Low(pair) | Value::High(pair) => {
                let ty = self.ty(table, pair)?;
                Type { width: ty.width / 2, ..ty }
            }
            Value::Pair(two) => {
                let (low, high) = (self.ty(table, &two.0)?, self.ty(table, &two.1)?);
                (low == high).then_some(Type { width: 2 * low.width, ..low })?
            }
        })
    }

    /// The position of an input, which is added where it is not there.
    fn input(&mut self, input: Input) -> usize {
        self.inputs.iter().position(|own| *own == input).unwrap_or_else(|| {
            self.inputs.push(input);
            self.inputs.len() - 1
        })
    }

    /// Does the steps of another program afterwards, whose results are the whole's. Where that one loads a `leaf` it reads what
    /// `computed` says, given the input and the number of its first element; `None` where that is nothing.
    pub(crate) fn append(
        &mut self,
        upper: &Program,
        leaf: u32,
        computed: impl Fn(&Input, i64) -> Option<Value>,
    ) -> Option<()> {
        let mut inputs = Vec::new();
        for input in &upper.inputs {
            inputs.push(match input.load {
                Some((own, start)) if own == leaf => computed(input, start)?,
                _ => Value::Input(self.input(input.clone())),
            });
        }
        let mut steps: Vec<Value> = Vec::new();
        for step in &upper.steps {
            let operands = step.operands.iter().map(|own| own.over(&inputs, &steps)).collect();
            steps.push(self.step(step.op, operands, step.container, &step.content));
        }
        let over = |(value, content): &(Value, Content)| (value.over(&inputs, &steps), content.clone());
        self.outputs = upper.outputs.iter().map(over).collect();
        self.container = upper.container;
        self.output_type = upper.output_type;
        Some(())
    }

    /// A register that is a run of a leaf's elements.
    pub fn load(&mut self, leaf: u32, start: i64, wanted: &Wanted, content: &Content) -> Value {
        let (ty, container) = (wanted.ty, wanted.container);
        let same = |input: &Input| {
            input.ty == ty && input.container == container && input.load == Some((leaf, start))
        };
        let at = match self.inputs.iter().position(same) {
            Some(at) => at,
            None => {
                self.inputs.push(Input {
                    ty,
                    container,
                    content: content.clone(),
                    load: Some((leaf, start)),
                });
                self.inputs.len() - 1
            }
        };
        // What one user leaves open another may need.
        fill(&mut self.inputs[at].content, content);
        Value::Input(at)
    }

    /// A register that is made before the loop.
    pub fn constant(&mut self, wanted: &Wanted, content: &Content) -> Value {
        let (ty, container) = (wanted.ty, wanted.container);
        let mut whole = content.clone();
        // Where nothing else is wanted a register holds the same everywhere.
        if let Some(first) = content.iter().find(|entry| **entry != Entry::Any) {
            whole.iter_mut().filter(|own| **own == Entry::Any).for_each(|own| *own = *first);
        }
        Value::Input(self.input(Input { ty, container, content: whole, load: None }))
    }

    /// A step; one that was made before is used again.
    pub fn step(&mut self, op: OpId, operands: Vec<Value>, container: u32, content: &Content) -> Value {
        if let Some(at) = self.steps.iter().position(|step| step.op == op && step.operands == operands) {
            let known = &mut self.steps[at];
            if known.container == container {
                fill(&mut known.content, content);
            }
            return Value::Step(at);
        }
        self.steps.push(Step { op, operands, container, content: content.clone() });
        Value::Step(self.steps.len() - 1)
    }
}
