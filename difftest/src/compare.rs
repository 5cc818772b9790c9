//! The forms of an instruction's semantics, evaluated on an oracle's inputs and compared with its
//! results bit for bit; of approximations, whether the results are within the error.

use std::borrow::Cow;
use std::collections::BTreeSet;

use hydride_ir::passes::from_nan_bits;
use hydride_ir::{Bits, Expr, Function, NanRule, Op};
use interp::inputs::Inputs;
use interp::{Choice, EvalError, Machine, Program};

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
    /// says nothing. With `nan_bits` what is computed from the bits of a NaN that is left open can be anything.
    pub fn new(
        parsed: &Function,
        canonical: Option<&Function>,
        known_bits: &[Option<Bits>],
        nan_bits: bool,
    ) -> Result<Self, String> {
        let form = |name: &'static str| move |error: String| format!("{name} form: {error}");
        let canonical =
            canonical.map(|own| Form::new(own, nan_bits)).transpose().map_err(form("canonical"))?;
        let parsed = Form::new(parsed, nan_bits).map_err(form("parsed"))?;
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
            None if self.parsed.approximate.is_some() => Outcome::WithinError { inputs: count },
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
        if let Some(open) = &form.open {
            open.other_nans.run_words(&mut machines.other_nans, args)?;
            if let Some(from_bits) = &open.from_bits {
                from_bits.run_words(&mut machines.from_bits, args)?;
            }
        }
        for (program, machine) in form.bounds().zip(&mut machines.bounds) {
            program.run_words(machine, args)?;
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
                let open = form.open_bits(machines, *found, result, position);
                let differing = (found ^ expected) & known & !open;
                differs |= match &form.approximate {
                    None => differing != 0,
                    Some(approximate) => {
                        let bounds = [0, 1, 2].map(|bound| {
                            let program = &approximate.bounds[bound];
                            program.result_words(&machines.bounds[bound], result)[position]
                        });
                        !approximate.allows(differing, *expected, bounds)
                    }
                };
            }
        }
        Ok(differs)
    }
}

/// A compiled function.
#[derive(Debug)]
struct Form {
    program: Program,
    /// Where it leaves the choice among NaNs open.
    open: Option<Open>,
    approximate: Option<Approximate>,
}

/// Which bits a choice among NaNs that is left open leaves open.
#[derive(Debug)]
struct Open {
    /// The function with another choice: bits that differ are a NaN's.
    other_nans: Program,
    /// Where a NaN's bits are computed with and that counts, the function that has ones in all parts that are computed from them.
    from_bits: Option<Program>,
}

#[derive(Default)]
struct Machines {
    machine: Machine,
    other_nans: Machine,
    from_bits: Machine,
    bounds: [Machine; 3],
}

/// What results may be of a function that copies approximations to elements as wide as they are.
#[derive(Debug)]
struct Approximate {
    /// Width of the numbers in bits: 16, 32 or 64.
    width: u32,
    /// The function with the approximations of [`BOUNDS`].
    bounds: [Program; 3],
}

/// Approximations are between the first two, or the third.
const BOUNDS: [Choice; 3] = [Choice::Least, Choice::Greatest, Choice::Flushed];

impl Approximate {
    /// `None` for a function without approximations.
    fn new(function: &Function) -> Result<Option<Self>, String> {
        let approximation = |expr: &Expr| match &expr.op {
            Op::Float { float, .. } if float.op.approximates() => expr.width.as_constant(),
            _ => None,
        };
        let widths: BTreeSet<i64> = function.exprs().iter().filter_map(approximation).collect();
        let Some(width) = widths.first() else { return Ok(None) };
        let width = u32::try_from(*width).ok().filter(|width| matches!(width, 16 | 32 | 64));
        let Some(width) = width.filter(|_| widths.len() == 1) else {
            return Err("approximations of several or unusual formats cannot be compared".to_owned());
        };
        let [least, greatest, flushed] = BOUNDS.map(|choice| compiled(function, choice));
        Ok(Some(Self { width, bounds: [least?, greatest?, flushed?] }))
    }

    /// Whether a word's elements are what they must be: those with differing bits are numbers within the bounds.
    fn allows(&self, differing: u64, expected: u64, bounds: [u64; 3]) -> bool {
        let ones = u64::MAX >> (64 - self.width);
        (0..64 / self.width).all(|element| {
            let part = |word: u64| word >> (element * self.width) & ones;
            let sign = |number: u64| number >> (self.width - 1);
            let [least, greatest, flushed] = bounds.map(part);
            let expected = part(expected);
            // Bit patterns of one sign are in the order of their magnitudes.
            let is_between = sign(least) == sign(expected) && (least..=greatest).contains(&expected);
            part(differing) == 0 || least != greatest && is_between || expected == flushed
        })
    }
}

impl Open {
    fn new(function: &Function, nan_bits: bool) -> Result<Self, String> {
        let from_bits = nan_bits.then(|| from_nan_bits(function)).flatten();
        let from_bits = from_bits.map(|own| compiled(&own, Choice::Usual)).transpose()?;
        Ok(Self { other_nans: compiled(function, Choice::OtherNans)?, from_bits })
    }
}

impl Form {
    fn new(function: &Function, nan_bits: bool) -> Result<Self, String> {
        let is_open = |expr: &Expr| matches!(&expr.op, Op::Float { float, .. } if float.nan == NanRule::Open && float.op.gives_nans());
        let open = function.exprs().iter().any(is_open).then(|| Open::new(function, nan_bits)).transpose()?;
        let program = compiled(function, Choice::Usual)?;
        Ok(Self { program, open, approximate: Approximate::new(function)? })
    }

    /// Which bits of a word of a result may be others than those found.
    fn open_bits(&self, machines: &Machines, found: u64, result: usize, position: usize) -> u64 {
        let Some(Open { other_nans, from_bits }) = &self.open else { return 0 };
        let computed = from_bits.as_ref();
        let computed = computed.map_or(0, |own| own.result_words(&machines.from_bits, result)[position]);
        found ^ other_nans.result_words(&machines.other_nans, result)[position] | computed
    }

    fn bounds(&self) -> impl Iterator<Item = &Program> {
        self.approximate.iter().flat_map(|approximate| &approximate.bounds)
    }
}

fn compiled(function: &Function, choice: Choice) -> Result<Program, String> {
    let params: Vec<i64> = function.params.iter().map(|param| param.value).collect();
    Program::with_choice(function, &params, choice).map_err(|error| error.to_string())
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What a machine's result is to a function that approximates the reciprocals of the elements that a mask selects.
    fn outcome(mask: u64, of: u64, result: u64) -> Outcome {
        let text = "func @f(%k: 8, %a: 64) -> (%r: 64) {
          for i in 0..2 {
            %r[32*i +: 32] = select(%k[i +: 1], freciprocal.{8}.{262144}.first(%a[32*i +: 32]), %a[32*i +: 32])
          }
        }";
        let function = Function::parse(text).expect("it is legal");
        let forms = Forms::new(&function, Some(&function), &[], false).expect("it can be compared");
        forms.compare(&Inputs { record: 3, records: vec![0, mask, of] }, &[result])
    }

    #[test]
    fn an_approximation_is_compared_with_its_error_and_the_rest_bit_for_bit() {
        let three = 0x4040_0000;
        let of = three << 32 | three;
        // A third, and the same with an error of 3·2^-16 and of 5·2^-16, of which 4·2^-16 are allowed.
        let third = 0x3eaa_aaab;
        let (near, far) = (third - 0xaa * 3, third - 0xaa * 5);
        for (mask, result, is_within) in [
            (3, third << 32 | near, true),
            (3, third << 32 | far, false),
            (3, far << 32 | near, false),
            (1, three << 32 | near, true),
            (1, (three + 1) << 32 | near, false),
            (0, of, true),
            (3, 1 << 63 | third << 32 | third, false),
        ] {
            let outcome = outcome(mask, of, result);
            assert_eq!(
                outcome == Outcome::WithinError { inputs: 1 },
                is_within,
                "{mask} {result:x}: {outcome:?}"
            );
            assert!(is_within || matches!(outcome, Outcome::Mismatch(_)), "{outcome:?}");
        }
        // A subnormal operand may be taken as a zero; NaNs are those of the operator.
        let (infinity, nan) = (0x7f80_0000, 0x7fc0_0001);
        let special = 0x0040_0000 << 32 | 0x7f80_0001;
        assert_eq!(outcome(3, special, infinity << 32 | nan), Outcome::WithinError { inputs: 1 });
        assert!(matches!(outcome(3, special, (infinity << 32) | (nan + 1)), Outcome::Mismatch(_)));
    }

    #[test]
    fn what_is_computed_from_bits_of_a_nan_may_be_anything() {
        let text = "func @f(%a: 32, %b: 32) -> (%r: 64) {
          %r[0 +: 32] = mul(fadd.{8}(%a, %b, 0x0:3), 0x3:32)
          %r[32 +: 32] = add(%a, %b)
        }";
        let function = Function::parse(text).expect("it is legal");
        let forms = Forms::new(&function, None, &[], true).expect("it can be compared");
        let outcome = |a: u64, result: u64| {
            let inputs = Inputs { record: 3, records: vec![0, a, 0] };
            forms.compare(&inputs, &[a << 32 | result])
        };
        let (one, nan) = (0x3f80_0000, 0x7f80_0001);
        assert_eq!(outcome(one, one * 3), Outcome::Agrees { inputs: 1 });
        assert!(matches!(outcome(one, one * 3 + 1), Outcome::Mismatch(_)));
        assert_eq!(outcome(nan, 0x1234_5678), Outcome::Agrees { inputs: 1 });
        assert!(matches!(outcome(nan, 1 << 33), Outcome::Mismatch(_)));
    }

    #[test]
    fn approximations_of_two_formats_are_not_compared() {
        let text = "func @f(%a: 64) -> (%r: 96) {
          %r[0 +: 64] = frsqrt.{11}.{262144}(%a)
          %r[64 +: 32] = frsqrt.{8}.{262144}(%a[0 +: 32])
        }";
        let function = Function::parse(text).expect("it is legal");
        assert!(Forms::new(&function, None, &[], false).is_err_and(|error| error.contains("several")));
    }
}
