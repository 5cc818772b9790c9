//! Sequences of instructions: what they compute, and whether that is the goal.

use hydride_ir::{Arg, ArgId, ExprId, Function, Op, ResultId, ResultSlot, Role, Stmt};
use smt::{Prover, Verdict};

use crate::goal::Goal;
use crate::inline::inline;
use crate::instruction::Instruction;
use crate::transition::{Member, specialize};

/// An instruction applied to values: the inputs come first, then the results of the steps before.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Applied {
    /// The instruction with its immediates.
    pub member: Member,
    /// The values of its register operands.
    pub operands: Vec<usize>,
}

/// Steps, and the value that each output is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sequence {
    /// In the order of execution.
    pub steps: Vec<Applied>,
    /// The value of each output.
    pub outputs: Vec<usize>,
}

impl Sequence {
    /// What the sequence leaves in the wanted bits of the outputs, as a function of the inputs that
    /// corresponds to the goal's.
    pub fn function(&self, goal: &Goal, instructions: &[Instruction]) -> Option<Function> {
        let mut function = Function::new(format!("{}.found", goal.name));
        let mut values: Vec<(ExprId, u32)> = Vec::new();
        for input in &goal.inputs {
            let id = ArgId(function.args.len() as u32);
            let width = input.ty.width;
            function.args.push(Arg { name: input.name.clone(), width: width.into(), role: Role::Register });
            let value = match &input.constant {
                Some(bits) => function.push(Op::Const(bits.clone()), width),
                None => function.push(Op::Arg(id), width),
            };
            values.push((value, width));
        }
        for step in &self.steps {
            let instruction = instructions.get(step.member.instruction)?;
            let body = specialize(instruction, &step.member.choices)?;
            let operands: Option<Vec<ExprId>> =
                step.operands.iter().map(|operand| Some(values.get(*operand)?.0)).collect();
            values.push((inline(&mut function, &body, &operands?)?, instruction.result.width));
        }
        for (position, (output, value)) in goal.outputs.iter().zip(&self.outputs).enumerate() {
            let (of, width) = *values.get(*value)?;
            let mut packed = 0;
            for wanted in &output.wanted {
                if wanted.low + wanted.width > width {
                    return None;
                }
                let value = function.push(Op::Extract { of, low: wanted.low.into() }, wanted.width);
                let result = ResultId(position as u32);
                function.body.push(Stmt::Assign { result, low: packed.into(), value });
                packed += wanted.width;
            }
            function.results.push(ResultSlot { name: output.name.clone(), width: packed.into() });
        }
        Some(function)
    }

    /// Whether the sequence gives the goal for all inputs.
    pub fn prove(&self, goal: &Goal, instructions: &[Instruction], prover: &mut Prover) -> Verdict {
        match (self.function(goal, instructions), goal.specification()) {
            (Some(found), Some(wanted)) => prover.equal(&found, &wanted),
            _ => Verdict::Unknown("the sequence is no function".into()),
        }
    }
}

impl Goal {
    /// The goal's function with constant inputs put in.
    pub fn specification(&self) -> Option<Function> {
        if self.inputs.iter().all(|input| input.constant.is_none()) {
            return Some(self.function.clone());
        }
        let mut function = Function::new(self.function.name.clone());
        function.args.clone_from(&self.function.args);
        function.results.clone_from(&self.function.results);
        let mut map: Vec<ExprId> = Vec::new();
        for expr in self.function.exprs() {
            let constant = match &expr.op {
                Op::Arg(ArgId(arg)) => self.inputs.get(*arg as usize)?.constant.clone(),
                _ => None,
            };
            let op = match constant {
                Some(bits) => Op::Const(bits),
                None => expr.op.map_operands(|operand| map[operand.0 as usize]),
            };
            map.push(function.push(op, expr.width.clone()));
        }
        for stmt in &self.function.body {
            let Stmt::Assign { result, low, value } = stmt else { return None };
            let value = map[value.0 as usize];
            function.body.push(Stmt::Assign { result: *result, low: low.clone(), value });
        }
        Some(function)
    }
}
