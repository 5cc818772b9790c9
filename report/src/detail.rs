//! `ops/NAME.js`: what the pages of one operation and its members show in addition to `data.js`.

use std::collections::BTreeMap;
use std::hash::Hash;

use autoir::{Facts, Member, Op};
use codegen_gen::GeneratedFile;
use hydride_ir::Function;
use hydride_ir::passes::instantiate;
use memo::{Content, Key, Memo};
use rayon::prelude::*;
use serde::Serialize;

use crate::ReportError;
use crate::assets::script;
use crate::data::argument;
use crate::formula::{Formula, formula};
use crate::input::{Input, Modelled, Status};

/// Bytes of the IR's text that are shown of an operation.
const MAX_CLASS_TEXT: usize = 24_000;

#[derive(Serialize)]
struct Detail<'a> {
    name: &'a str,
    formula: usize,
    text: Text,
    formulas: Vec<FormulaData>,
    /// By instruction set and id: the formula, the whole text, and whether that is the canonical one.
    members: BTreeMap<&'a str, BTreeMap<&'a str, (usize, &'a str, u8)>>,
}

/// Equation and range of each statement, and the number of statements left out.
type FormulaData = (Vec<(String, String)>, usize);

/// The text of a function, cut at a line, and the bytes that it has in all.
#[derive(Serialize)]
struct Text(String, usize);

impl Text {
    fn new(function: &Function) -> Self {
        let mut text = function.to_string();
        let length = text.len();
        if length > MAX_CLASS_TEXT {
            let end = text.floor_char_boundary(MAX_CLASS_TEXT);
            let end = text[..end].rfind('\n').map_or(end, |line| line + 1);
            text.truncate(end);
        }
        Self(text, length)
    }
}

/// Formulas, each once.
#[derive(Default)]
struct Formulas {
    positions: BTreeMap<Formula, usize>,
}

impl Formulas {
    fn position(&mut self, formula: Formula) -> usize {
        let next = self.positions.len();
        *self.positions.entry(formula).or_insert(next)
    }

    fn into_data(self) -> Vec<FormulaData> {
        let mut found: Vec<(usize, Formula)> =
            self.positions.into_iter().map(|(formula, position)| (position, formula)).collect();
        found.sort();
        let data = |formula: Formula| {
            let lines = formula.lines.into_iter().map(|line| (line.equation, line.range)).collect();
            (lines, formula.left_out)
        };
        found.into_iter().map(|(_, formula)| data(formula)).collect()
    }
}

/// One file for each operation.
pub(crate) fn files(input: &Input<'_>, memo: &Memo) -> Result<Vec<GeneratedFile>, ReportError> {
    let mut modelled: BTreeMap<(&str, &str), &Modelled<'_>> = BTreeMap::new();
    for isa in &input.isas {
        for entry in &isa.entries {
            if let Status::Modelled(found) = &entry.status {
                modelled.insert((isa.name, entry.id), found);
            }
        }
    }
    let kept = |op: &Op| memo.try_get_or(|| key(op, &modelled), || contents(op, &modelled));
    let file = |op: &Op| Ok(script(&format!("report/ops/{}.js", op.name), "hydride.loadDetail", &kept(op)?));
    input.dialect.ops().par_iter().map(file).collect()
}

/// The key of all that the file of an operation depends on.
fn key(op: &Op, modelled: &BTreeMap<(&str, &str), &Modelled<'_>>) -> Key {
    let mut content = Content::default();
    ("report", op).hash(&mut content);
    for member in &op.class.members {
        let own = modelled.get(&(member.isa.as_str(), member.id.as_str()));
        own.map(|own| (own.text, own.canonical, &own.arg_names)).hash(&mut content);
    }
    content.key()
}

fn contents(op: &Op, modelled: &BTreeMap<(&str, &str), &Modelled<'_>>) -> Result<String, ReportError> {
    let function = &op.class.function;
    let mut formulas = Formulas::default();
    let general = formulas.position(formula(function, &[]));
    let mut members: BTreeMap<&str, BTreeMap<&str, (usize, &str, u8)>> = BTreeMap::new();
    let mut instances: BTreeMap<(&[i64], Vec<String>), usize> = BTreeMap::new();
    for (member, facts) in op.instances() {
        let Some(own) = modelled.get(&(member.isa.as_str(), member.id.as_str())) else { continue };
        let names = arg_names(member, facts, &own.arg_names);
        let position = *instances.entry((&member.application.params, names.clone())).or_insert_with(|| {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            // The dialect was built with these values; if they do not fit, the general formula is kept.
            instantiate(function, &member.application.params)
                .map_or(general, |instance| formulas.position(formula(&instance, &names)))
        });
        members
            .entry(&member.isa)
            .or_default()
            .insert(&member.id, (position, own.text, u8::from(own.canonical)));
    }
    let detail = Detail {
        name: &op.name,
        formula: general,
        text: Text::new(&op.named_function()),
        formulas: formulas.into_data(),
        members,
    };
    Ok(serde_json::to_string(&detail)?)
}

/// The operation's arguments in the member's terms.
fn arg_names(member: &Member, facts: &Facts, own: &[&str]) -> Vec<String> {
    let name = |position: u32| (*own.get(position as usize).unwrap_or(&"?")).to_owned();
    facts.sources(&member.application).map(|source| argument(&source, name)).collect()
}
