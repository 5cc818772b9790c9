//! Intrinsics of targets, by inversion of `specs/lowering`: a vendor's intrinsic that is a lone call of one of LLVM's says
//! what that one computes.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Result;
use codegen_gen::{VendorFunction, VendorIr};
use hydride_ir::{Bits, Function, Role};
use llvm_text::{Instruction, Statement, Value};
use parsers::Isa;
use refine::{Argument, Intrinsics, Target};

use crate::Session;
use crate::cache::CacheArgs;
use crate::commands::diff::{self, Input};
use crate::commands::generate::lowering_data;

/// A call that is all that a vendor's intrinsic is, but for bitcasts, or whose low bits are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lone {
    /// For each of the vendor's parameters the operand of the call that it is.
    operands: Vec<usize>,
    /// The operands that are integer constants.
    constants: BTreeMap<usize, i128>,
    /// The values of the vendor's immediates.
    immediates: Vec<i64>,
    /// Whether the vendor's intrinsic is the call's low bits alone.
    is_part: bool,
}

impl Lone {
    /// The call in a function's body of the lines, if it is of that name and alone.
    fn read(name: &str, parameters: usize, lines: &[String], immediates: &[i64]) -> Option<Self> {
        // Where a value comes from: a parameter, or the call.
        const CALL: usize = usize::MAX;
        let parameter = |value: &Value| value.name()?.strip_prefix('a')?.parse::<usize>().ok();
        let mut origins: BTreeMap<Value, usize> = BTreeMap::new();
        let mut found: Option<Self> = None;
        for line in lines {
            let Statement { result, instruction } = Statement::read(line);
            let origin = |value: &Value| {
                origins.get(value).copied().or_else(|| parameter(value).filter(|at| *at < parameters))
            };
            match (instruction, result) {
                (Instruction::Cast { operator: "bitcast", of, .. }, Some(result)) => {
                    let from = origin(&of.value)?;
                    origins.insert(result, from);
                }
                (Instruction::Cast { operator: "trunc", of, .. }, Some(result)) => {
                    let call = found.as_mut().filter(|_| origin(&of.value) == Some(CALL))?;
                    call.is_part = true;
                    origins.insert(result, CALL);
                }
                (Instruction::Call { function, arguments, .. }, Some(result))
                    if function == name && found.is_none() =>
                {
                    let mut operands = vec![None; parameters];
                    let mut constants = BTreeMap::new();
                    for (position, argument) in arguments.iter().enumerate() {
                        match (&argument.value, origin(&argument.value)) {
                            (_, Some(from)) if from != CALL && operands[from].is_none() => {
                                operands[from] = Some(position);
                            }
                            (Value::Constant(text), None) => {
                                let value = match text.as_str() {
                                    "true" => 1,
                                    "false" => 0,
                                    text => text.parse().ok()?,
                                };
                                constants.insert(position, value);
                            }
                            _ => return None,
                        }
                    }
                    let operands = operands.into_iter().collect::<Option<_>>()?;
                    let immediates = immediates.to_vec();
                    found = Some(Self { operands, constants, immediates, is_part: false });
                    origins.insert(result, CALL);
                }
                (Instruction::Return(Some(of)), None) => {
                    return found.filter(|_| origin(&of.value) == Some(CALL));
                }
                _ => return None,
            }
        }
        None
    }

    /// Whether a call with these constants is this one.
    fn fits(&self, constants: &[Option<Bits>]) -> bool {
        self.constants.iter().all(|(position, value)| {
            let given = constants.get(*position).and_then(Option::as_ref);
            given.is_some_and(|given| {
                let fill = if *value < 0 { u64::MAX } else { 0 };
                let words = [*value as u64, (*value >> 64) as u64];
                *given
                    == Bits::from_words(
                        given.width(),
                        words.into_iter().chain(std::iter::repeat_n(fill, 1024)),
                    )
            })
        })
    }
}

/// The lone calls of an intrinsic in a function, one for each combination of immediates.
pub fn lone(function: &VendorFunction, name: &str) -> Vec<Lone> {
    let cases = function.cases().unwrap_or_default();
    let read = |case: &codegen_gen::Case| Lone::read(name, function.params.len(), &case.lines, &case.values);
    cases.iter().filter_map(read).collect()
}

/// What intrinsics compute, by documents.
pub struct Documents<'s> {
    session: &'s Session,
    specs: Option<PathBuf>,
    data: Vec<VendorIr>,
    inputs: RefCell<BTreeMap<Isa, Input>>,
    functions: RefCell<BTreeMap<(Isa, String), Result<Function, String>>>,
}

impl<'s> Documents<'s> {
    /// The data of every instruction set; documents are read once an intrinsic asks for them.
    pub fn new(session: &'s Session, specs: Option<PathBuf>) -> Result<Self> {
        let names: Vec<&str> = session.sets().map(|set| set.name).collect();
        let data = lowering_data::vendors(session, &names)?;
        Ok(Self { session, specs, data, inputs: RefCell::default(), functions: RefCell::default() })
    }

    /// The instruction sets whose documents were read.
    pub fn sets(&self) -> Vec<Isa> {
        self.inputs.borrow().keys().copied().collect()
    }

    /// Whether an instruction is a lone call of an intrinsic.
    pub fn is_instruction(&self, name: &str) -> bool {
        let call = format!("@{name}(");
        let calls = |function: &&VendorFunction| {
            function.variants.iter().any(|variant| variant.lines.iter().any(|line| line.contains(&call)))
        };
        let mut functions = self.data.iter().flat_map(|data| &data.functions).filter(calls);
        functions.any(|function| lone(function, name).iter().any(|lone| !lone.is_part))
    }

    /// The function of an instruction.
    fn function(&self, isa: Isa, id: &str) -> Result<Function, String> {
        let key = (isa, id.to_owned());
        if let Some(known) = self.functions.borrow().get(&key) {
            return known.clone();
        }
        let read = || -> Result<Result<Function, String>> {
            let mut inputs = self.inputs.borrow_mut();
            let input = match inputs.entry(isa) {
                std::collections::btree_map::Entry::Occupied(known) => known.into_mut(),
                std::collections::btree_map::Entry::Vacant(free) => {
                    free.insert(diff::side(self.session, isa, self.specs.as_deref(), None)?)
                }
            };
            let found = input.function(self.session, isa, id, &CacheArgs::default())?;
            Ok(found.unwrap_or_else(|| Err(format!("{id} is not in the documents"))))
        };
        let function = read().unwrap_or_else(|error| Err(format!("{error:#}")));
        self.functions.borrow_mut().insert(key, function.clone());
        function
    }

    fn target(&self, isa: Isa, id: &str, lone: &Lone) -> Result<Target, String> {
        let function = self.function(isa, id)?;
        let (mut operands, mut immediates) = (lone.operands.iter(), lone.immediates.iter());
        let mut arguments = Vec::new();
        for arg in &function.args {
            let width = arg.width.as_constant().and_then(|width| u32::try_from(width).ok());
            let argument = match (arg.role, width) {
                (Role::Register, _) => operands.next().map(|operand| Argument::Operand(*operand)),
                (Role::Immediate { .. }, Some(width)) => immediates
                    .next()
                    .map(|value| Argument::Constant(Bits::from_u64(width, value.cast_unsigned()))),
                _ => None,
            };
            arguments
                .push(argument.ok_or_else(|| format!("{id} has operands that LLVM's intrinsic has not"))?);
        }
        if operands.next().is_some() || immediates.next().is_some() || function.results.len() != 1 {
            return Err(format!("{id} has other operands than LLVM's intrinsic"));
        }
        Ok(Target { function, arguments })
    }
}

impl Intrinsics for Documents<'_> {
    fn find(&self, name: &str, constants: &[Option<Bits>]) -> Result<Target, String> {
        let call = format!("@{name}(");
        let mut reason = format!("no instruction is a lone call of @{name} with these constants");
        for data in &self.data {
            let Some(isa) = self.session.named(&data.isa) else { continue };
            let calls = |function: &VendorFunction| {
                function.variants.iter().any(|variant| variant.lines.iter().any(|line| line.contains(&call)))
            };
            for (position, function) in
                data.functions.iter().enumerate().filter(|(_, function)| calls(function))
            {
                let Some(lone) = lone(function, name).into_iter().find(|lone| lone.fits(constants)) else {
                    continue;
                };
                for (id, _) in data.members.iter().filter(|(_, at)| **at == position) {
                    match self.target(isa, id, &lone) {
                        Ok(target) => return Ok(target),
                        Err(error) => reason = format!("@{name}: {error}"),
                    }
                }
            }
        }
        Err(reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_alone_but_for_bitcasts() {
        let body = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
        let lines = body(&[
            "%v0 = bitcast <2 x i64> %a1 to <16 x i8>",
            "%v1 = call <16 x i8> @llvm.f(<16 x i8> %v0, <16 x i8> %a0, i32 3)",
            "ret <16 x i8> %v1",
        ]);
        let found = Lone::read("llvm.f", 2, &lines, &[3]).expect("it is alone");
        assert_eq!((found.operands.as_slice(), found.constants.get(&2)), (&[1, 0][..], Some(&3)));
        assert!(found.fits(&[None, None, Some(Bits::from_u64(32, 3))]));
        assert!(!found.fits(&[None, None, Some(Bits::from_u64(32, 4))]) && !found.fits(&[None, None, None]));
        assert_eq!(Lone::read("llvm.g", 2, &lines, &[3]), None);
        assert!(!found.is_part);
        let low = body(&["%v0 = call i32 @llvm.f(i8 %a0)", "%v1 = trunc i32 %v0 to i8", "ret i8 %v1"]);
        assert!(Lone::read("llvm.f", 1, &low, &[]).is_some_and(|own| own.is_part));
        let before = body(&["%v0 = trunc i32 %a0 to i8", "%v1 = call i8 @llvm.f(i8 %v0)", "ret i8 %v1"]);
        assert_eq!(Lone::read("llvm.f", 1, &before, &[]), None);
        let after = body(&["%v0 = call i8 @llvm.f(i8 %a0)", "%v1 = add i8 %v0, 1", "ret i8 %v1"]);
        assert_eq!(Lone::read("llvm.f", 1, &after, &[]), None);
    }
}
