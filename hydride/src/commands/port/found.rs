//! What is found for a window of a port.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use ::synth::synthesize::{Answer, Kept, Status};
use ::synth::table::Table;
use ::synth::window::Window;
use ::synth::{CPart, Leaves, c_body, c_expression};

use crate::commands::synth::cost as price;
use crate::commands::synth::steps::{Cost, Step, cost, steps};
use crate::commands::synth::targets::Ground;

/// What was found for a window.
pub struct Found {
    pub status: Status,
    /// How it was proved, its cost and its steps.
    pub program: Option<(&'static str, Cost, Vec<Step>)>,
    /// The body in C.
    pub body: Option<Vec<String>>,
    /// The same as one expression, where it can be one.
    pub expression: Option<Vec<CPart>>,
    pub notes: Vec<String>,
    /// What the search counts the program's cost as, constants included, and its instructions by their positions in the table.
    pub counted: Option<(u64, BTreeSet<usize>)>,
    /// Whether it moves elements by constants, as a lookup in a table does for any order of them.
    pub moves_by_constants: bool,
    /// The same as it is kept.
    pub kept: Option<Kept>,
}

impl Found {
    pub fn new(window: &Window, ground: &Ground, mut answer: Answer<'_>, table: &Table) -> Self {
        let kept = answer.kept(table);
        let syntax = ground.syntax.as_ref();
        let body = answer.program.as_ref().and_then(|(program, _)| {
            c_body(&mut answer.meaning, table, program, syntax, Leaves::Variables).ok()
        });
        let expression = answer
            .program
            .as_ref()
            .and_then(|(program, _)| c_expression(&mut answer.meaning, table, program, syntax));
        let counted = answer.program.as_ref().map(|(program, _)| {
            let ops = || program.steps.iter().map(|step| table.op(step.op));
            let cost = ops().map(|op| price(table, op)).sum::<u64>() + program.constants() as u64;
            (cost, ops().map(|op| op.instruction).collect())
        });
        let moves_by_constants = answer
            .program
            .as_ref()
            .is_some_and(|(program, _)| program.constants() > 0 && program.only_moves());
        let program = answer.program.as_ref().map(|(program, proof)| {
            (proof.name(), cost(program, table, &ground.costs), steps(window, program, table))
        });
        let (status, notes) = (answer.status, answer.notes);
        Self { status, program, body, expression, notes, counted, moves_by_constants, kept }
    }

    /// That there is no program.
    pub fn without(status: Status, notes: Vec<String>) -> Self {
        Self {
            status,
            program: None,
            body: None,
            expression: None,
            notes,
            counted: None,
            moves_by_constants: false,
            kept: None,
        }
    }

    /// That there is none for a function that does with other elements what this one's does.
    pub fn like(&self, model: &Window) -> Self {
        let why = format!("{} has none, which computes the same of elements in order", model.name);
        Self::without(self.status, self.notes.iter().cloned().chain([why]).collect())
    }

    /// With the remark that only the instructions of other choices were looked at, where there is no program.
    pub fn among_few(mut self) -> Self {
        if self.program.is_none() {
            self.notes.push("only instructions of other immediates' sequences were looked at".into());
            self.kept.iter_mut().for_each(|kept| kept.notes.clone_from(&self.notes));
        }
        self
    }

    pub fn price(&self) -> Option<u64> {
        self.counted.as_ref().map(|(price, _)| *price)
    }

    /// This, or the other one where it is cheaper or the only one with a program.
    pub fn or_cheaper(self, other: Self) -> Self {
        let rank = |found: &Self| Reverse(found.price().unwrap_or(u64::MAX));
        if rank(&other) > rank(&self) { other } else { self }
    }
}
