//! The dialect's operations that instructions are, from an output folder of `generate-ir`.
//!
//! `llvm/lowering.json` has each instruction's function, and `mlir/autollvm.patterns.mlir` the operation that each function is, with
//! its attributes and which of them are immediates.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use ::rules::{DialectOperation, Elements, Operations};
use anyhow::{Result, anyhow};
use difftest::lowering::Definition;

use crate::definitions;
use crate::outputs::{self, OUTPUTS, is_ours};

/// The value of an attribute.
enum Attribute {
    /// As MLIR writes it.
    Fixed(String),
    /// The function's argument that it is, and the attribute's type.
    Immediate(usize, String),
}

/// An operation at some types and parameter values.
struct Instance {
    name: String,
    attributes: Vec<(String, Attribute)>,
    /// The types of the function's arguments that are operands.
    operands: BTreeMap<usize, String>,
    result: String,
}

/// The operations of an instruction set.
pub struct Dialect {
    definitions: BTreeMap<String, Definition>,
    instances: BTreeMap<String, Instance>,
}

impl Dialect {
    /// Reads those of a folder that `generate-ir` wrote with `--emit dialect,llvm,mlir`.
    pub fn read(folder: &Path, isa: &str) -> Result<Self> {
        if !is_ours(folder, &OUTPUTS) {
            let folder = folder.display();
            return Err(anyhow!(
                "{folder} holds no outputs of generate-ir; --operations names a folder that does"
            ));
        }
        let own = definitions::read(folder)?.isas.remove(isa).unwrap_or_default();
        let definitions = own.definitions.into_iter().map(|own| (own.id.clone(), own)).collect();
        let text = outputs::read(folder, "mlir/autollvm.patterns.mlir")?;
        let blocks = text.split("pdl.pattern").skip(1);
        Ok(Self { definitions, instances: blocks.filter_map(instance).collect() })
    }
}

/// What stands between two texts.
fn between<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    let rest = &text[text.find(before)? + before.len()..];
    Some(&rest[..rest.find(after)?])
}

/// The operation of one pattern with the name of its function; `None` where it has no result or several.
fn instance(block: &str) -> Option<(String, Instance)> {
    let lines: BTreeMap<&str, &str> =
        block.lines().filter_map(|line| line.trim().split_once(" = ")).collect();
    let ty = |name: &str| lines.get(name)?.strip_prefix("pdl.type : ").map(str::to_owned);
    let symbol = lines.get("%callee")?.strip_prefix("pdl.attribute = @")?.trim_matches('"').to_owned();
    let operation = lines.get("%op")?;
    let name = between(operation, "pdl.operation \"", "\"")?.to_owned();
    let (head, results) = operation.split_once(" -> (")?;
    let result = ty(results.split_once(" : ")?.0)?;
    let mut attributes = Vec::new();
    for part in between(head, "{", "}").into_iter().flat_map(|inner| inner.split(", ")) {
        let (name, value) = part.split_once(" = ")?;
        let defined = lines.get(value)?;
        let attribute = match defined.strip_prefix("pdl.attribute = ") {
            Some(fixed) => Attribute::Fixed(fixed.to_owned()),
            None => {
                let at = value.strip_prefix("%immediate")?.parse().ok()?;
                Attribute::Immediate(at, ty(defined.strip_prefix("pdl.attribute : ")?)?)
            }
        };
        attributes.push((name.trim_matches('"').to_owned(), attribute));
    }
    let mut operands = BTreeMap::new();
    for (name, value) in &lines {
        if let (Some(at), Some(own)) = (name.strip_prefix("%value"), value.strip_prefix("pdl.operand : ")) {
            operands.insert(at.parse().ok()?, ty(own)?);
        }
    }
    Some((symbol, Instance { name, attributes, operands, result }))
}

impl Operations for Dialect {
    fn find(&self, id: &str, registers: usize, immediates: &[i64]) -> Option<DialectOperation> {
        let definition = self.definitions.get(id)?;
        let instance = self.instances.get(&definition.name)?;
        let is_register = |at: &usize| instance.operands.contains_key(at);
        let position = |at: usize| definition.operands.get(at).map(|operand| operand.position);
        // Registers and immediates are in the order of the vendor's signature.
        let places = |wanted: bool| -> BTreeSet<usize> {
            (0..definition.operands.len())
                .filter(|at| is_register(at) == wanted)
                .filter_map(position)
                .collect()
        };
        let (values, numbers) = (places(true), places(false));
        if values.len() != registers || numbers.len() != immediates.len() {
            return None;
        }
        let mut attributes = Vec::new();
        for (name, attribute) in &instance.attributes {
            attributes.push((
                name.clone(),
                match attribute {
                    Attribute::Fixed(text) => text.clone(),
                    Attribute::Immediate(at, ty) => {
                        let own = numbers.iter().position(|number| Some(*number) == position(*at))?;
                        let is_listed = definition.operands.get(*at)?.values.as_ref();
                        if is_listed.is_some_and(|values| !values.contains(&immediates[own])) {
                            return None;
                        }
                        format!("{} : {ty}", immediates[own])
                    }
                },
            ));
        }
        let mut operands = Vec::new();
        for (at, ty) in &instance.operands {
            let register = values.iter().position(|value| Some(*value) == position(*at))?;
            operands.push((register, Elements::parse(ty)?));
        }
        Some(DialectOperation {
            name: instance.name.clone(),
            attributes,
            operands,
            result: Elements::parse(&instance.result)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_read_with_their_attributes() {
        let block = "
    %type0 = pdl.type : vector<8xi32>
    %value0 = pdl.operand : %type0
    %type1 = pdl.type : i32
    %immediate1 = pdl.attribute : %type1
    %parameter0 = pdl.attribute = true
    %op = pdl.operation \"autollvm.shift\"(%value0 : !pdl.value) {\"count\" = %immediate1, \"is_signed\" = %parameter0} -> (%type0 : !pdl.type)
    pdl.rewrite %op {
      %callee = pdl.attribute = @autollvm.shift.v8i32.1
      %call = pdl.operation \"func.call\"(%value0, %value1 : !pdl.value, !pdl.value) {\"callee\" = %callee} -> (%type0 : !pdl.type)
    }";
        let (symbol, own) = instance(block).expect("an operation");
        assert_eq!((symbol.as_str(), own.name.as_str()), ("autollvm.shift.v8i32.1", "autollvm.shift"));
        assert_eq!(own.operands, BTreeMap::from([(0, "vector<8xi32>".to_owned())]));
        let [(count, Attribute::Immediate(1, ty)), (signed, Attribute::Fixed(value))] = &own.attributes[..]
        else {
            panic!("two attributes");
        };
        assert_eq!([count, ty, signed, value], ["count", "i32", "is_signed", "true"]);
    }
}
