//! Windows whose lanes do not fill registers, as windows of more lanes that do: what holds the lanes beyond is open.

use rustc_hash::FxHashMap;

use crate::contents::{Content, Entry, Wanted};
use crate::program::{Program, Value};
use crate::table::Table;
use crate::window::{Expression, ExpressionId, Expressions, MAX_LANES, Operator, Type, Window};

/// A window with as many more lanes as fill registers, the widest of which has `widest` bits: an even number of these, since lanes are
/// widened to two registers and narrowed from two, or a power of two of bits. `None` where the lanes fill them, or are not computed from as many lanes each.
pub(crate) fn padded(window: &Window, widest: u32) -> Option<Window> {
    let Type { width, lanes, .. } = window.ty();
    let bits = window.ty().bits();
    let whole = if bits > widest { bits.next_multiple_of(2 * widest) } else { bits.next_power_of_two() };
    let more = whole / width;
    if window.in_registers || lanes == 1 || more == lanes || whole % width != 0 {
        return None;
    }
    let scaled = |ty: Type| match ty.lanes {
        1 => Some(ty),
        own => {
            let scaled = Type { lanes: own / lanes * more, ..ty };
            let fits = scaled.lanes <= MAX_LANES && scaled.bits() <= hydride_ir::MAX_WIDTH;
            (own % lanes == 0 && fits).then_some(scaled)
        }
    };
    let mut expressions = Expressions::default();
    for at in 0..window.expressions.len() {
        let own = window.expressions.get(ExpressionId(at as u32));
        let names_lanes = match &own.operator {
            Operator::Shuffle(_) | Operator::Concat | Operator::Interleave | Operator::Forms(_) => true,
            Operator::Leaf(_)
            | Operator::Literal(_)
            | Operator::Lanewise(_)
            | Operator::Broadcast
            | Operator::Reduce(_) => false,
        };
        if names_lanes {
            return None;
        }
        expressions.push(Expression { ty: scaled(own.ty)?, ..own.clone() });
    }
    let mut leaves = window.leaves.clone();
    for leaf in &mut leaves {
        leaf.ty = scaled(leaf.ty)?;
    }
    Some(Window { leaves, expressions, ..window.clone() })
}

/// A program without what computes nothing that is wanted.
pub(crate) fn trimmed(table: &Table, program: &Program) -> Program {
    let own = Program {
        container: program.container,
        output_type: program.output_type,
        added: program.added,
        extended: program.extended,
        ..Program::default()
    };
    let mut trimming = Trimming { table, program, own, made: FxHashMap::default() };
    for (value, content) in program.outputs.iter().filter(|(_, content)| !is_open(content)) {
        let value = trimming.value(value);
        trimming.own.outputs.push((value, content.clone()));
    }
    trimming.own
}

fn is_open(content: &Content) -> bool {
    content.iter().all(|entry| *entry == Entry::Any)
}

struct Trimming<'p> {
    table: &'p Table,
    program: &'p Program,
    own: Program,
    made: FxHashMap<usize, Value>,
}

impl Trimming<'_> {
    fn value(&mut self, value: &Value) -> Value {
        match value {
            Value::Input(at) => {
                let input = &self.program.inputs[*at];
                let wanted = Wanted { ty: input.ty, container: input.container, registers: Vec::new() };
                match input.load {
                    Some((leaf, start)) if !is_open(&input.content) => {
                        self.own.load(leaf, start, &wanted, &input.content)
                    }
                    _ => self.own.constant(&wanted, &input.content),
                }
            }
            Value::Step(at) => self.step(*at),
            Value::Low(pair) => Value::Low(Box::new(self.value(pair))),
            Value::High(pair) => Value::High(Box::new(self.value(pair))),
            Value::Pair(two) => {
                let two = (self.value(&two.0), self.value(&two.1));
                Value::Pair(Box::new(two))
            }
        }
    }

    fn step(&mut self, at: usize) -> Value {
        if let Some(known) = self.made.get(&at) {
            return known.clone();
        }
        let step = &self.program.steps[at];
        let made = if is_open(&step.content) {
            let ty = self.table.op(step.op).result;
            let wanted = Wanted { ty, container: step.container, registers: Vec::new() };
            self.own.constant(&wanted, &step.content)
        } else {
            let operands = step.operands.iter().map(|operand| self.value(operand)).collect();
            self.own.step(step.op, operands, step.container, &step.content)
        };
        self.made.insert(at, made.clone());
        made
    }
}
