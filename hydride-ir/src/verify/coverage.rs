//! The laws of execution: every bit of every result is written exactly once, in a bounded number of
//! steps. The loops are run, without computing any value.

use super::{Checked, MAX_STEPS, Verifier};
use crate::expr::Op;
use crate::function::MAX_NESTING;
use crate::function::{ResultId, Stmt};
use crate::num::{Atom, IndexId, Num};

struct Run {
    /// For each result: its width, and the bits written so far.
    written: Vec<(i64, Vec<u64>)>,
    /// For each expression: how deep its folds nest, and how often the innermost one's body runs.
    folds: Vec<(usize, u64)>,
    indices: Vec<(IndexId, i64)>,
    steps: u64,
}

impl Verifier<'_> {
    pub(super) fn coverage(&self) -> Checked {
        let mut written = Vec::new();
        for result in &self.function.results {
            let width = self.width(&result.width)?;
            written.push((width, vec![0; usize::try_from(width).unwrap_or(0).div_ceil(64)]));
        }
        let mut run = Run { written, folds: self.folds(), indices: Vec::new(), steps: 0 };
        self.run_statements(&self.function.body, &mut run)?;
        for (result, (width, bits)) in self.function.results.iter().zip(&run.written) {
            if let Some(hole) = (0..*width).find(|bit| !is_set(bits, *bit)) {
                let end = (hole..*width).find(|bit| is_set(bits, *bit)).unwrap_or(*width);
                return Err(format!("bits {hole}..{end} of %{} are never written", result.name));
            }
        }
        Ok(())
    }

    fn folds(&self) -> Vec<(usize, u64)> {
        let mut folds: Vec<(usize, u64)> = Vec::with_capacity(self.function.exprs().len());
        for expr in self.function.exprs() {
            let inner = expr.op.operands().into_iter().map(|operand| folds[operand.0 as usize]);
            let (depth, steps) = inner.fold((0, 1), |(depth, steps), (inner_depth, inner_steps)| {
                (depth.max(inner_depth), steps.max(inner_steps))
            });
            folds.push(match &expr.op {
                Op::Fold { index, .. } => {
                    // The range of a fold that nothing reaches is not known, and does not matter.
                    let last = self.ranges.get(index).map_or(0, |(_, last)| last.unsigned_abs());
                    (depth + 1, steps.saturating_mul(last.saturating_add(1)))
                }
                _ => (depth, steps),
            });
        }
        folds
    }

    fn run_statements(&self, body: &[Stmt], run: &mut Run) -> Checked {
        for statement in body {
            match statement {
                Stmt::For { index, count, body } => {
                    let count = self.value(count, run)?;
                    for value in 0..count {
                        step(run, 1)?;
                        run.indices.push((*index, value));
                        self.run_statements(body, run)?;
                        run.indices.pop();
                    }
                }
                Stmt::Assign { result, low, value } => {
                    let (depth, steps) = run.folds[value.0 as usize];
                    if run.indices.len() + depth > MAX_NESTING {
                        return Err(format!("loops and folds nest more than {MAX_NESTING} deep"));
                    }
                    step(run, steps)?;
                    let low_value = self.value(low, run)?;
                    let width = self.value(&self.function.expr(*value).width, run)?;
                    self.write(*result, low, low_value, width, run)?;
                }
            }
        }
        Ok(())
    }

    fn write(&self, result: ResultId, low: &Num, from: i64, width: i64, run: &mut Run) -> Checked {
        let name = &self.function.result(result).name;
        let place = |run: &Run| match run.indices.is_empty() {
            true => String::new(),
            false => {
                let values: Vec<String> = run
                    .indices
                    .iter()
                    .map(|(index, value)| format!("{} = {value}", self.text(&Num::index(*index))))
                    .collect();
                format!(" at {}", values.join(", "))
            }
        };
        let (all, _) = run.written[result.0 as usize];
        let to = from.saturating_add(width);
        if from < 0 || to > all {
            return Err(format!(
                "%{name}[{} +: …] writes bits {from}..{to} of {all}{}",
                self.text(low),
                place(run)
            ));
        }
        let bits = &mut run.written[result.0 as usize].1;
        if let Some(twice) = (from..to).find(|bit| is_set(bits, *bit)) {
            return Err(format!("bit {twice} of %{name} is written twice{}", place(run)));
        }
        for bit in from..to {
            if let Some(word) = usize::try_from(bit / 64).ok().and_then(|word| bits.get_mut(word)) {
                *word |= 1 << (bit % 64);
            }
        }
        Ok(())
    }

    fn value(&self, num: &Num, run: &Run) -> Checked<i64> {
        let value = num.eval(|atom| match atom {
            Atom::Param(param) => self.params.get(param.0 as usize).copied().unwrap_or(0),
            Atom::Index(index) => {
                run.indices.iter().rev().find(|(id, _)| *id == index).map_or(0, |(_, value)| *value)
            }
        });
        value.ok_or_else(|| format!("{} overflows 64 bits", self.text(num)))
    }
}

fn step(run: &mut Run, steps: u64) -> Checked {
    run.steps = run.steps.saturating_add(steps);
    if run.steps > MAX_STEPS {
        return Err(format!("more than {MAX_STEPS} loop iterations and assignments"));
    }
    Ok(())
}

fn is_set(bits: &[u64], bit: i64) -> bool {
    usize::try_from(bit / 64)
        .ok()
        .and_then(|word| bits.get(word))
        .is_some_and(|word| word >> (bit % 64) & 1 == 1)
}
