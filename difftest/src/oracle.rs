//! An oracle: a runner and what it can run.

use std::collections::BTreeMap;
use std::sync::Mutex;

use hydride_ir::passes::{gives_nans, open_nans};
use hydride_ir::{Bits, Function};
use interp::inputs::{self, Inputs};
use interp::{Bv, EvalError};
use parsers::{Instruction, Kind, UndefinedFor};
use rayon::prelude::*;

use crate::compare::{Forms, hexadecimal};
use crate::error::OracleError;
use crate::memory::Memory;
use crate::report::{Checked, Outcome, Report};
use crate::runner::{Job, MAX_ARGS, MAX_RESULTS, Reply, Runner, RunnerCommand, WrapperId, signal_name};
use crate::x86::StandIn;

/// What ran where results agree but for the choice among NaNs.
const UP_TO_NANS: &str = "the compiler orders operands, up to the choice among NaNs";

/// An instruction to validate.
#[derive(Clone, Debug)]
pub struct Case<'a> {
    /// The instruction with its parsed form; the oracle was prepared with it.
    pub instruction: &'a Instruction,
    /// Another form of the same semantics.
    pub canonical: Option<&'a Function>,
    /// For each result the bits to compare; all where there is nothing. The instruction's undefined
    /// bits are never compared.
    pub known_bits: Vec<Option<Bits>>,
    /// Whether what is computed from the bits of a NaN that is left open can be anything, as it can where it is several
    /// instructions one after the other.
    pub nan_bits: bool,
}

impl<'a> Case<'a> {
    /// A case with only the parsed form, and all bits defined.
    pub fn new(instruction: &'a Instruction) -> Self {
        Self { instruction, canonical: None, known_bits: Vec::new(), nan_bits: false }
    }
}

/// What an oracle can do with an instruction.
#[derive(Clone, Debug)]
pub(crate) enum Entry {
    /// It can be run.
    Ready {
        wrapper: WrapperId,
        /// The combinations of immediates; `None` for those that were refused.
        immediates: Vec<Option<Vec<i64>>>,
    },
    /// It cannot, and why.
    Unavailable(Outcome),
}

/// A runner with a wrapper for each instruction that it can run.
#[derive(Debug)]
pub struct Oracle {
    name: &'static str,
    machine: Option<String>,
    command: RunnerCommand,
    entries: BTreeMap<String, Entry>,
    /// The widest argument or result that the runner takes, in bits.
    max_width: u32,
    /// By id, what runs in place of an instruction.
    stand_ins: BTreeMap<String, StandIn>,
    /// Runners that are not busy.
    idle: Mutex<Vec<Runner>>,
}

impl Oracle {
    pub(crate) fn new(
        name: &'static str,
        machine: Option<String>,
        command: RunnerCommand,
        entries: BTreeMap<String, Entry>,
        max_width: u32,
    ) -> Self {
        let stand_ins = BTreeMap::new();
        Self { name, machine, command, entries, max_width, stand_ins, idle: Mutex::new(Vec::new()) }
    }

    /// The same, with other calls in place of some instructions.
    pub(crate) fn with_stand_ins(self, stand_ins: BTreeMap<String, StandIn>) -> Self {
        Self { stand_ins, ..self }
    }

    /// The emulator that stands in for the machine, with its version and CPU; `None` where this machine runs
    /// the instructions.
    pub fn machine(&self) -> Option<&str> {
        self.machine.as_deref()
    }

    /// How many instructions can be run, as far as can be known without running them.
    pub fn runnable(&self) -> usize {
        self.entries.values().filter(|entry| matches!(entry, Entry::Ready { .. })).count()
    }

    /// Runs each case on `inputs` inputs (a few more where there are many immediates) and compares,
    /// in the threads of the current rayon pool with one runner process each.
    ///
    /// The inputs depend only on `seed` and the instruction's id, the order of the report only on that of the
    /// cases. `progress` is called after each case, from any thread and in any order.
    pub fn validate(
        &self,
        cases: &[Case<'_>],
        inputs: usize,
        seed: u64,
        progress: impl Fn(&Checked) + Sync,
    ) -> Result<Report, OracleError> {
        let check = |case: &Case<'_>| {
            let checked = self.check(case, inputs, seed)?;
            progress(&checked);
            Ok(checked)
        };
        let cases = cases.par_iter().map(check).collect::<Result<Vec<Checked>, OracleError>>()?;
        Ok(Report { oracle: self.name.into(), seed, inputs, cases })
    }

    /// The machine's result for one call of an instruction that the oracle was prepared with, or why there is
    /// none. `args` are the intrinsic's, immediates included.
    pub fn ask(
        &self,
        instruction: &Instruction,
        args: &[Bits],
    ) -> Result<Result<Vec<Bits>, String>, OracleError> {
        let (wrapper, immediates) = match self.entries.get(&instruction.id) {
            Some(Entry::Ready { wrapper, immediates }) => (*wrapper, immediates),
            Some(Entry::Unavailable(outcome)) => return Ok(Err(outcome.reason())),
            None => return Ok(Err("the oracle was prepared without it".into())),
        };
        let signature = &instruction.signature;
        let chosen: Vec<i64> = signature
            .args
            .iter()
            .zip(args)
            .filter_map(|(arg, bits)| match &arg.kind {
                Kind::Immediate(range) => {
                    let value = Bv::from(bits).cast(64.max(bits.width()), range.low < 0);
                    Some(value.words().first().copied().unwrap_or(0).cast_signed())
                }
                _ => None,
            })
            .collect();
        let Some(selector) = immediates.iter().position(|kept| kept.as_ref() == Some(&chosen)) else {
            return Ok(Err(format!("there is no call with the immediates {chosen:?}")));
        };
        let sizes = |args: &[parsers::Argument]| -> Vec<u32> {
            args.iter().map(|arg| arg.width.div_ceil(64)).collect()
        };
        let mut records = vec![selector as u64];
        records.extend(args.iter().flat_map(Bits::words));
        let (mut arg_words, result_words) = (sizes(&signature.args), sizes(&signature.results));
        let widest = signature.args.iter().chain(&signature.results).map(|arg| arg.width).max().unwrap_or(0);
        if records.len() != 1 + arg_words.iter().sum::<u32>() as usize || widest > self.max_width {
            return Ok(Err("the arguments are not those of the signature".into()));
        }
        let mut inputs = Inputs { record: records.len(), records };
        match self.memory(instruction).and_then(|memory| plan(memory.as_ref(), &mut inputs, &mut arg_words)) {
            Ok(()) => {}
            Err(error) => return Ok(Err(error.to_string())),
        }
        let job =
            Job { wrapper, arg_words: &arg_words, result_words: &result_words, records: &inputs.records };
        let mut runner = self.runner()?;
        let reply = runner.run(&job);
        if matches!(reply, Ok(Reply::Results(_) | Reply::Signal { .. }))
            && let Ok(mut idle) = self.idle.lock()
        {
            idle.push(runner);
        }
        Ok(match reply {
            Ok(Reply::Results(words)) => {
                let mut words = words.into_iter();
                let result = |result: &parsers::Argument| {
                    let own: Vec<u64> = words.by_ref().take(result.width.div_ceil(64) as usize).collect();
                    Bits::from_words(result.width, own)
                };
                Ok(signature.results.iter().map(result).collect())
            }
            Ok(Reply::Signal { number, .. } | Reply::Ended { number }) => {
                Err(format!("the call ended with {}", signal_name(number)))
            }
            Err(_) => Err("the runner ended within the call".into()),
        })
    }

    fn check(&self, case: &Case<'_>, inputs: usize, seed: u64) -> Result<Checked, OracleError> {
        let id = case.instruction.id.clone();
        let stand_in = self.stand_ins.get(&id);
        let through = stand_in.map(|stand_in| stand_in.runs.clone());
        let checked = |outcome, refused_immediates| {
            Ok(Checked { id: id.clone(), outcome, refused_immediates, through: through.clone() })
        };
        let mut up_to_nans = false;
        let (wrapper, immediates) = match self.entries.get(&id) {
            Some(Entry::Ready { wrapper, immediates }) => (*wrapper, immediates),
            Some(Entry::Unavailable(outcome)) => return checked(outcome.clone(), 0),
            None => {
                let message = "the oracle was prepared without it".into();
                return checked(Outcome::NotBuildable { message }, 0);
            }
        };
        let kept: Vec<Vec<i64>> = immediates.iter().flatten().cloned().collect();
        let refused = immediates.len() - kept.len();
        let function = &case.instruction.function;
        let forms = match self.forms(case, function, case.canonical) {
            Ok(forms) => forms,
            Err(message) => return checked(Outcome::NotEvaluated { message }, refused),
        };
        let args = &case.instruction.signature.args;
        let numbers = inputs::computes_with_floats(function);
        let mut inputs = inputs::generate(args, numbers, &kept, inputs, seed, &id);
        if let Some(stand_in) = stand_in {
            inputs.rewrite(args, |values| stand_in.avoid_undefined(values));
        }
        let undefined = &case.instruction.undefined_for;
        if !undefined.is_empty() {
            inputs.rewrite(args, |values| avoid(undefined, values));
        }
        // Wrappers count the refused immediates, too.
        let selectors: Vec<u64> = (0u64..)
            .zip(immediates)
            .filter(|(_, kept)| kept.is_some())
            .map(|(selector, _)| selector)
            .collect();
        for record in inputs.records.chunks_exact_mut(inputs.record) {
            record[0] = selectors[record[0] as usize];
        }
        let sizes = |widths: &[u32]| widths.iter().map(|width| width.div_ceil(64)).collect::<Vec<u32>>();
        let mut arg_words = sizes(forms.arg_widths());
        let memory = match self.memory(case.instruction) {
            Ok(memory) => memory,
            Err(error) => return checked(Outcome::NotEvaluated { message: error.to_string() }, refused),
        };
        if let Err(error) = plan(memory.as_ref(), &mut inputs, &mut arg_words) {
            return checked(Outcome::NotEvaluated { message: error.to_string() }, refused);
        }
        let job = Job {
            wrapper,
            arg_words: &arg_words,
            result_words: &sizes(forms.result_widths()),
            records: &inputs.records,
        };
        let mut runner = self.runner()?;
        let reply = runner.run(&job);
        if matches!(reply, Ok(Reply::Results(_) | Reply::Signal { .. })) {
            // Lost when another thread panicked: a new one will be started.
            if let Ok(mut idle) = self.idle.lock() {
                idle.push(runner);
            }
        }
        let outcome = match reply {
            Ok(Reply::Results(results)) => match forms.compare_in(memory.as_ref(), &inputs, &results) {
                Outcome::Mismatch(mismatch) if gives_nans(function) => {
                    // A compiler may exchange operands of a sum, and with them their NaNs.
                    let canonical = case.canonical.map(open_nans);
                    let open = self.forms(case, &open_nans(function), canonical.as_deref());
                    match open.map(|open| open.compare_in(memory.as_ref(), &inputs, &results)) {
                        Ok(outcome @ (Outcome::Agrees { .. } | Outcome::WithinError { .. })) => {
                            up_to_nans = true;
                            outcome
                        }
                        _ => Outcome::Mismatch(mismatch),
                    }
                }
                outcome => outcome,
            },
            Ok(Reply::Signal { number, .. } | Reply::Ended { number }) if signal_name(number) == "SIGILL" => {
                Outcome::NotRunnable { missing: vec!["SIGILL".into()] }
            }
            Ok(Reply::Signal { number, input }) => {
                let record = inputs.records.chunks_exact(inputs.record).nth(input).unwrap_or(&[0]);
                Outcome::Signal {
                    name: signal_name(number),
                    args: hexadecimal(forms.arg_widths(), &record[1..]),
                }
            }
            Ok(Reply::Ended { number }) => Outcome::Signal { name: signal_name(number), args: Vec::new() },
            // The runner ended within the job, so the call is to blame.
            Err(_) => Outcome::Signal { name: "exit".into(), args: Vec::new() },
        };
        if up_to_nans {
            let through = Some(UP_TO_NANS.to_owned());
            return Ok(Checked { id, outcome, refused_immediates: refused, through });
        }
        checked(outcome, refused)
    }

    fn runner(&self) -> Result<Runner, OracleError> {
        let idle = self.idle.lock().ok().and_then(|mut idle| idle.pop());
        let start = || Runner::start(&self.command);
        idle.map_or_else(start, Ok)
            .map_err(|source| OracleError::Runner { program: self.command.program.clone(), source })
    }

    /// Which memory an instruction's calls access.
    fn memory(&self, instruction: &Instruction) -> Result<Option<Memory>, EvalError> {
        Memory::new(instruction, self.max_width / 8)
    }

    /// Compiles a case's forms and checks that they fit the signature and the runner.
    fn forms(
        &self,
        case: &Case<'_>,
        parsed: &Function,
        canonical: Option<&Function>,
    ) -> Result<Forms, String> {
        let signature = &case.instruction.signature;
        let known_bits = known_bits(case)?;
        let forms = Forms::new(parsed, canonical, &known_bits, case.nan_bits)?;
        if !signature.args.iter().map(|arg| arg.width).eq(forms.arg_widths().iter().copied()) {
            return Err("the parsed form's arguments are not those of the signature".into());
        }
        if signature.results.len() != forms.result_widths().len() {
            return Err("the parsed form's results are not those of the signature".into());
        }
        let widths = forms.arg_widths().iter().chain(forms.result_widths());
        if forms.arg_widths().len() > MAX_ARGS
            || forms.result_widths().len() > MAX_RESULTS
            || widths.copied().any(|width| width > self.max_width)
        {
            return Err("more or wider arguments or results than a runner takes".into());
        }
        Ok(forms)
    }
}

/// Adds the plans of memory operands to inputs, and the sizes of the plans to those of the arguments.
fn plan(memory: Option<&Memory>, inputs: &mut Inputs, arg_words: &mut Vec<u32>) -> Result<(), EvalError> {
    let Some(memory) = memory else { return Ok(()) };
    memory.plan(inputs)?;
    arg_words.extend(memory.plan_words());
    Ok(())
}

/// Replaces values for which the document leaves the result undefined.
fn avoid(undefined: &[UndefinedFor], values: &mut [Bv]) {
    for UndefinedFor { argument, value } in undefined {
        if let Some(given) = values.get_mut(*argument)
            && *given == Bv::from_u64(given.width(), *value)
        {
            *given = given.add(&Bv::from_u64(given.width(), 1));
        }
    }
}

/// The known bits of the case, except those that the document leaves undefined.
fn known_bits(case: &Case<'_>) -> Result<Vec<Option<Bits>>, String> {
    let mut known = case.known_bits.clone();
    for undefined in &case.instruction.undefined {
        let result = case.instruction.signature.results.get(undefined.result);
        let width = result.map_or(0, |result| result.width);
        let inside = undefined.low.checked_add(undefined.width).is_some_and(|high| high <= width);
        if undefined.width == 0 || !inside {
            return Err(format!("undefined bits outside of result {}", undefined.result));
        }
        if known.len() <= undefined.result {
            known.resize(undefined.result + 1, None);
        }
        let mut mask = match &known[undefined.result] {
            Some(bits) if bits.width() == width => Bv::from(bits),
            Some(bits) => return Err(format!("known bits: {} instead of {width}", bits.width())),
            None => Bv::ones(width),
        };
        mask.insert(undefined.low, &Bv::zero(undefined.width));
        known[undefined.result] = Some(Bits::from(&mask));
    }
    Ok(known)
}
