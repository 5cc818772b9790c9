//! The forms of an instruction's semantics, evaluated on an oracle's inputs and compared with its
//! results bit for bit.

use std::borrow::Cow;

use hydride_ir::{Bits, Expr, Function, NanRule, Op};
use interp::inputs::Inputs;
use interp::{EvalError, Machine, Program};

use crate::memory::Memory;
use crate::report::{Mismatch, Outcome};

/// The compiled forms of one instruction.
#[derive(Debug)]
pub struct Forms {
    parsed: Form,
    canonical: Option<Form>,
    arg_widths: Vec<u32>,
    result_widths: Vec<u32>,
    /// For all results one after the other, the bits to compare.
    known: Vec<u64>,
}

impl Forms {
    /// Compiles the parsed form and, where there is one, the canonical form.
    ///
    /// `known_bits` says for each result which bits are defined; all are where it is short or
    /// says nothing.
    pub fn new(
        parsed: &Function,
        canonical: Option<&Function>,
        known_bits: &[Option<Bits>],
    ) -> Result<Self, String> {
        let form = |name: &'static str| move |error: EvalError| format!("{name} form: {error}");
        let canonical = canonical.map(Form::new).transpose().map_err(form("canonical"))?;
        let parsed = Form::new(parsed).map_err(form("parsed"))?;
        let arg_widths: Vec<u32> = parsed.program.arg_widths().collect();
        let result_widths: Vec<u32> = parsed.program.result_widths().collect();
        if let Some(Form { program: canonical, .. }) = &canonical
            && !(canonical.arg_widths().eq(arg_widths.iter().copied())
                && canonical.result_widths().eq(result_widths.iter().copied()))
        {
            return Err("canonical form: its arguments and results are not those of the parsed form".into());
        }
        let mut known = Vec::new();
        for (result, width) in result_widths.iter().copied().enumerate() {
            match known_bits.get(result).and_then(Option::as_ref) {
                Some(bits) if bits.width() != width => {
                    let found = bits.width();
                    return Err(format!("known bits of result {result}: {found} bits instead of {width}"));
                }
                Some(bits) => known.extend(bits.words()),
                None => known.extend(Bits::ones(width).words()),
            }
        }
        Ok(Self { parsed, canonical, arg_widths, result_widths, known })
    }

    /// Widths of the arguments in bits.
    pub fn arg_widths(&self) -> &[u32] {
        &self.arg_widths
    }

    /// Widths of the results in bits.
    pub fn result_widths(&self) -> &[u32] {
        &self.result_widths
    }

    /// Evaluates the forms on all inputs and compares with `expected`, the results' words for each
    /// input; bits above the results' widths are ignored.
    pub fn compare(&self, inputs: &Inputs, expected: &[u64]) -> Outcome {
        self.compare_in(None, inputs, expected)
    }

    /// The same for calls that access memory: inputs have its plans after the arguments.
    pub(crate) fn compare_in(&self, memory: Option<&Memory>, inputs: &Inputs, expected: &[u64]) -> Outcome {
        let own: u32 = self.arg_widths.iter().map(|width| width.div_ceil(64)).sum();
        let (mut machines, mut canonical_machines) = (Machines::default(), Machines::default());
        let mut count = 0;
        let (mut parsed_differs, mut canonical_differs) = (0, 0);
        let mut first = None;
        for (record, expected) in
            inputs.records.chunks_exact(inputs.record).zip(expected.chunks_exact(self.known.len().max(1)))
        {
            let args = &record[1..=own as usize];
            count += 1;
            let parsed = self.differs(&self.parsed, memory, &mut machines, args, expected);
            let canonical = match &self.canonical {
                Some(canonical) => self.differs(canonical, memory, &mut canonical_machines, args, expected),
                None => Ok(false),
            };
            let (parsed, canonical) = match (parsed, canonical) {
                (Ok(parsed), Ok(canonical)) => (parsed, canonical),
                (Err(error), _) | (_, Err(error)) => {
                    return Outcome::NotEvaluated { message: error.to_string() };
                }
            };
            parsed_differs += usize::from(parsed);
            canonical_differs += usize::from(canonical);
            if (parsed || canonical) && first.is_none() {
                first = Some(Mismatch {
                    inputs: 0,
                    parsed_differs: 0,
                    canonical_differs: 0,
                    args: hexadecimal(&self.arg_widths, args),
                    expected: hexadecimal(&self.result_widths, expected),
                    parsed: results(&self.parsed, &machines),
                    canonical: self.canonical.as_ref().map(|form| results(form, &canonical_machines)),
                });
            }
        }
        match first {
            None => Outcome::Agrees { inputs: count },
            Some(first) => Outcome::Mismatch(Box::new(Mismatch {
                inputs: count,
                parsed_differs,
                canonical_differs,
                ..first
            })),
        }
    }

    fn differs(
        &self,
        form: &Form,
        memory: Option<&Memory>,
        machines: &mut Machines,
        args: &[u64],
        expected: &[u64],
    ) -> Result<bool, EvalError> {
        form.program.run_words(&mut machines.machine, args)?;
        if let Some(other) = &form.other_nans {
            other.run_words(&mut machines.other_nans, args)?;
        }
        let mut words = expected.iter().zip(&self.known);
        let mut differs = false;
        for result in 0..self.result_widths.len() {
            let mut found = Cow::from(form.program.result_words(&machines.machine, result));
            if let Some(memory) = memory
                && let Some(settled) = memory.settled(args, result, &found)?
            {
                found = settled.into();
            }
            for (position, (found, (expected, known))) in found.iter().zip(words.by_ref()).enumerate() {
                let open = match &form.other_nans {
                    Some(other) => found ^ other.result_words(&machines.other_nans, result)[position],
                    None => 0,
                };
                differs |= (found ^ expected) & known & !open != 0;
            }
        }
        Ok(differs)
    }
}

/// A compiled function, and where it leaves the choice among NaNs open the same with another choice.
#[derive(Debug)]
struct Form {
    program: Program,
    other_nans: Option<Program>,
}

#[derive(Default)]
struct Machines {
    machine: Machine,
    other_nans: Machine,
}

impl Form {
    fn new(function: &Function) -> Result<Self, EvalError> {
        let is_open = |expr: &Expr| matches!(&expr.op, Op::Float { float, .. } if float.nan == NanRule::Open && float.op.gives_nans());
        let other_nans = function.exprs().iter().any(is_open);
        let other_nans = other_nans.then(|| Program::with_other_nans(function, &[])).transpose()?;
        Ok(Self { program: Program::new(function)?, other_nans })
    }
}

fn results(form: &Form, machines: &Machines) -> Vec<String> {
    form.program.results(&machines.machine).iter().map(|bits| format!("{bits:x}")).collect()
}

/// Consecutive values, each of the given width and padded to whole words.
pub(crate) fn hexadecimal(widths: &[u32], words: &[u64]) -> Vec<String> {
    let mut rest = words;
    let one = |width: &u32| {
        let (value, others) = rest.split_at(rest.len().min(width.div_ceil(64) as usize));
        rest = others;
        format!("{:x}", Bits::from_words(*width, value.iter().copied()))
    };
    widths.iter().map(one).collect()
}
