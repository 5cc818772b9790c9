//! `--seed`: functions of LLVM that compute windows already. One that is proved to do so bounds the search, and is kept
//! unless what is found is cheaper.

use std::collections::BTreeMap;
use std::path::Path;

use ::synth::program::Program;
use ::synth::table::Table;
use ::synth::window::{Leaf, Meaning, Window};
use anyhow::{Context, Result};
use hydride_ir::{Bits, Function};
use llvm_text::{Scalar, Type};
use optimize::program_body;
use refine::ast::{Action, Attribute, Block, Body, Instruction, Operand, Parameter, Value, elements};
use refine::{Argument, Intrinsics, Limits, Module, Outcome, Passed, Place, Target, refines};
use serde::Serialize;

use super::compile::c_name;
use super::targets::Ground;
use crate::Session;
use crate::commands::optimize::intrinsics::{Known, Templates};
use crate::commands::optimize::price::{Price, Prices};
use crate::commands::verify::{self, Judged};

/// The function that a window is on the side of what is refined.
const WINDOW: &str = "llvm.window";

/// A module with functions that compute windows.
pub struct Seeds<'s> {
    module: Module,
    path: String,
    known: Known<'s>,
    machines: BTreeMap<String, Machine>,
}

/// What prices on a target need.
struct Machine {
    prices: Prices,
    templates: Templates,
}

/// Whether a seed stays.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    /// It is right, and nothing cheaper was found.
    Keep,
    /// It is not proved to be right, or what was found is cheaper.
    Replace,
}

/// A function beside a window's answer, as it is printed.
#[derive(Serialize)]
pub struct Seed {
    /// Its name in the module.
    function: String,
    verdict: Verdict,
    #[serde(flatten)]
    judged: Judged,
    /// What it costs.
    #[serde(skip_serializing_if = "Option::is_none")]
    price: Option<Price>,
    /// What the program that was found costs, if it has a form in LLVM.
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<Price>,
    /// Where costs come from.
    prices: String,
    /// The function, if it is proved to be right.
    #[serde(skip)]
    body: Option<Body>,
}

impl<'s> Seeds<'s> {
    /// Reads the functions of a module, for some targets.
    pub fn read(
        session: &'s Session,
        specs: Option<&Path>,
        path: &Path,
        grounds: &BTreeMap<String, Ground>,
    ) -> Result<Self> {
        let mut machines = BTreeMap::new();
        for (name, ground) in grounds {
            let isa = ground.set.name;
            let templates = Templates::new(session, isa)?
                .with_context(|| format!("{isa}: there is no data on what instructions are in LLVM"))?;
            machines.insert(name.clone(), Machine { prices: Prices::new(&ground.named, None), templates });
        }
        let known = Known::new(session, specs.map(Path::to_path_buf));
        Ok(Self { module: verify::read(path)?, path: path.display().to_string(), known, machines })
    }

    /// The function that has the window's name, or its name in C.
    fn function(&self, window: &Window) -> Option<&refine::ast::Function> {
        self.module.function(&window.name).or_else(|| self.module.function(&c_name(window)))
    }

    /// Whether one of the functions is for the window.
    pub fn has(&self, window: &Window) -> bool {
        self.function(window).is_some()
    }

    /// Compares the window's function with the window: it is to be replaced until nothing cheaper is found.
    pub fn of(&self, window: &Window, ground: &Ground) -> Option<Seed> {
        let function = self.function(window)?;
        let prices = &self.machines.get(&ground.named.name)?.prices;
        let judged = self.body(window, function).and_then(|body| {
            let (specification, meaning) = specification(window)?;
            let known = WithWindow { window: meaning, others: &self.known };
            Ok((refines(&specification, &body, &known, &Limits::default()), body))
        });
        let (outcome, body) = match judged {
            Ok((outcome @ Outcome::Proved(_), body)) => (outcome, Some(body)),
            Ok((outcome, _)) => (outcome, None),
            Err(open) => (Outcome::Unknown(open), None),
        };
        let price = body.as_ref().and_then(|body| price(prices, body));
        let (function, verdict) = (function.name.clone(), Verdict::Replace);
        Some(Seed {
            function,
            verdict,
            judged: outcome.into(),
            price,
            found: None,
            prices: prices.tools(),
            body,
        })
    }

    /// A function as one of values, with the window's leaves as parameters.
    fn body(&self, window: &Window, function: &refine::ast::Function) -> Result<Body, String> {
        if let Ok(body) = &function.body
            && body.result != Type::Void
        {
            let bits = |ty: &Type| elements(ty).map(|widths| widths.iter().sum::<u32>());
            let own = body.parameters.iter().map(|own| bits(&own.ty)).chain([bits(&body.result)]);
            let all = window.leaves.iter().map(|leaf| leaf.ty.bits()).chain([window.ty().bits()]);
            return if own.eq(all.map(Some)) {
                Ok(body.clone())
            } else {
                Err(format!("@{} has other types than the window", function.name))
            };
        }
        let passed = |leaf: &Leaf| {
            let ty = value_type(leaf.ty, leaf.scalar);
            if leaf.scalar { Passed::Value(ty) } else { Passed::Pointer(ty) }
        };
        let passed: Vec<Passed> = window.leaves.iter().map(passed).collect();
        self.module
            .of_values(function, &value_type(window.ty(), false), &passed)
            .map_err(|fault| format!("{}:{fault}", self.path))
    }
}

impl Seed {
    /// Whether it stays.
    pub fn is_kept(&self) -> bool {
        self.verdict == Verdict::Keep
    }

    /// The micro-operations of whatever costs less, at most; none where the seed is no bound.
    pub fn most(&self, seeds: &Seeds<'_>, ground: &Ground) -> Option<u32> {
        Some(seeds.machines.get(&ground.named.name)?.prices.most(&self.price?))
    }

    /// Decides between the seed and what was found.
    pub fn decide(
        &mut self,
        seeds: &Seeds<'_>,
        ground: &Ground,
        meaning: &Meaning<'_>,
        table: &Table,
        program: Option<&Program>,
    ) {
        let (Some(body), Some(machine)) = (&self.body, seeds.machines.get(&ground.named.name)) else {
            return;
        };
        let found = program
            .and_then(|program| program_body(body, &[], meaning, table, program, &machine.templates).ok());
        self.found = found.and_then(|found| price(&machine.prices, &found));
        let cheaper = self.price.zip(self.found).is_some_and(|(own, found)| found.is_less(&own));
        self.verdict = if cheaper { Verdict::Replace } else { Verdict::Keep };
    }

    /// Says that it is kept.
    pub fn kept(&self, window: &Window) -> String {
        format!("{}: @{} is kept, nothing cheaper was found\n", window.name, self.function)
    }

    /// The text of the function as it is in the module.
    pub fn text<'m>(&self, seeds: &'m Seeds<'_>) -> &'m str {
        let span = seeds.module.function(&self.function).map_or(0..0, |function| function.span.clone());
        &seeds.module.text()[span]
    }

    /// What a compiler makes of the module that it is in.
    pub fn assembly(&self, seeds: &Seeds<'_>, ground: &Ground) -> Result<String> {
        let machine = seeds.machines.get(&ground.named.name).context("a target without prices")?;
        machine.prices.assembly(seeds.module.text())
    }
}

fn price(prices: &Prices, body: &Body) -> Option<Price> {
    let work = |_: usize| ::optimize::work(body);
    prices.of(&[body.text("s0")], work).into_iter().next().flatten()
}

fn value_type(ty: ::synth::window::Type, scalar: bool) -> Type {
    if scalar { Type::integer(ty.width) } else { Type::Vector(ty.lanes, Scalar::Integer(ty.width)) }
}

/// A window as a function, and what it calls. Leaves beyond their ranges are undefined behavior.
fn specification(window: &Window) -> Result<(Body, Function), String> {
    let function = Meaning::new(window).function().map_err(|error| error.to_string())?;
    let bits = |width: u32, value: i128| Bits::from_u64(width, value as u64);
    let parameter = |leaf: &Leaf| {
        let width = leaf.ty.width;
        let range = leaf.range.filter(|(low, high)| (high - low + 1) >> width.min(100) == 0);
        let range = range.map(|(low, high)| Attribute::Range(bits(width, low), bits(width, high + 1)));
        let attributes = range.into_iter().chain([Attribute::NoUndef]).collect();
        Parameter { name: leaf.name.clone(), ty: value_type(leaf.ty, leaf.scalar), attributes }
    };
    let parameters: Vec<Parameter> = window.leaves.iter().map(parameter).collect();
    let local = |ty: &Type, name: &str| Operand { ty: ty.clone(), value: Value::Local(name.to_owned()) };
    let arguments = parameters.iter().map(|own| (local(&own.ty, &own.name), Vec::new())).collect();
    let result = value_type(window.ty(), false);
    let call = Action::Call { function: WINDOW.to_owned(), arguments, attributes: Vec::new() };
    // No leaf has a name with a space.
    let name = "the window";
    let value = local(&result, name);
    let line = |result: Option<&str>, ty: &Type, action: Action| Instruction {
        result: result.map(str::to_owned),
        ty: ty.clone(),
        action,
        place: Place::default(),
    };
    let instructions =
        vec![line(Some(name), &result, call), line(None, &Type::Void, Action::Return(Some(value)))];
    let blocks = vec![Block { label: "entry".to_owned(), instructions }];
    Ok((Body { result, attributes: Vec::new(), parameters, blocks }, function))
}

/// The window's own function beside the targets'.
struct WithWindow<'a> {
    window: Function,
    others: &'a dyn Intrinsics,
}

impl Intrinsics for WithWindow<'_> {
    fn find(&self, name: &str, constants: &[Option<Bits>]) -> Result<Target, String> {
        if name != WINDOW {
            return self.others.find(name, constants);
        }
        let arguments = (0..constants.len()).map(Argument::Operand).collect();
        Ok(Target { function: self.window.clone(), arguments })
    }
}
