//! One line of JSON to a window, with diagnostics that name line and column.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::expression::{ExpressionId, Expressions, Lanewise, Operator};
use super::text::{self, Names, TextError, limits};
use super::types::{Kind, Type};
use super::{Leaf, Window};

/// A line that is no window.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct WindowError {
    /// The line, from 1.
    pub line: usize,
    /// The column in bytes, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

/// What another compiler makes of a window, as its line says.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct Reference {
    /// Vector instructions that compute.
    pub instructions: Option<u32>,
    /// Cycles an iteration at reciprocal throughput.
    pub cycles: Option<f64>,
    /// Packets.
    pub packets: Option<u32>,
}

impl Eq for Reference {}

#[derive(Deserialize)]
struct Line {
    name: String,
    #[serde(default)]
    target: String,
    lanes: Option<u32>,
    bits: Option<u32>,
    leaves: Vec<LeafLine>,
    expr: String,
    /// Leaves are in registers: neighbors are moved there, not loaded from where they begin.
    #[serde(default)]
    in_registers: bool,
    #[serde(default)]
    assume: Option<Vec<String>>,
    #[serde(default)]
    halide21: Option<Reference>,
}

#[derive(Deserialize)]
struct LeafLine {
    name: String,
    #[serde(rename = "type")]
    ty: String,
    kind: String,
    #[serde(default)]
    range: Option<(i128, i128)>,
}

impl Window {
    /// Reads line number `line` of a file.
    pub fn read(text: &str, line: usize) -> Result<Self, WindowError> {
        let fail = |column: usize, message: String| WindowError { line, column, message };
        let found: Line = serde_json::from_str(text)
            .map_err(|error| fail(error.column().max(1), without_position(&error.to_string())))?;
        // Where the value of a key starts, as well as can be told from the text.
        let place = |needle: &str| text.find(needle).map_or(1, |at| at + 1);
        let mut leaves: Vec<Leaf> = Vec::new();
        for leaf in &found.leaves {
            let here = || place(&format!("\"{}\"", leaf.name));
            let ty = Type::parse(&leaf.ty)
                .ok_or_else(|| fail(here(), format!("leaf {}: `{}` is no type", leaf.name, leaf.ty)))?;
            let scalar = match leaf.kind.as_str() {
                "dense" => false,
                "scalar" if ty.lanes == 1 => true,
                "scalar" => return Err(fail(here(), format!("leaf {}: a scalar of type {ty}", leaf.name))),
                other => return Err(fail(here(), format!("leaf {}: kind `{other}`", leaf.name))),
            };
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            if !leaf.name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                || !leaf.name.chars().all(is_name)
            {
                return Err(fail(here(), format!("`{}` is no name of a leaf", leaf.name)));
            }
            if leaves.iter().any(|other| other.name == leaf.name) {
                return Err(fail(here(), format!("two leaves are called {}", leaf.name)));
            }
            if let Some((low, high)) = leaf.range {
                let (least, greatest) = limits(ty);
                if low > high || low < least || high > greatest {
                    return Err(fail(
                        here(),
                        format!("leaf {}: [{low}, {high}] is no range of {ty}", leaf.name),
                    ));
                }
            }
            leaves.push(Leaf { name: leaf.name.clone(), ty, scalar, in_memory: false, range: leaf.range });
        }
        let names: Names<'_> = BTreeMap::from_iter(
            leaves.iter().enumerate().map(|(position, leaf)| (leaf.name.as_str(), (position, leaf.ty))),
        );
        let mut expressions = Expressions::default();
        let in_text = |source: &str, error: TextError| {
            let start = text.find(source).unwrap_or(0);
            fail(start + error.at + 1, error.message)
        };
        let root = text::parse(&found.expr, &names, &mut expressions)
            .map_err(|error| in_text(&found.expr, error))?;
        let mut assumptions = Vec::new();
        for source in found.assume.iter().flatten() {
            let id = text::parse(source, &names, &mut expressions).map_err(|error| in_text(source, error))?;
            if expressions.ty(id).kind != Kind::Condition {
                return Err(fail(place(source), format!("assumption `{source}` is no condition")));
            }
            assumptions.push(id);
        }
        let ty = expressions.ty(root);
        if found.lanes.is_some_and(|lanes| lanes != ty.lanes)
            || found.bits.is_some_and(|bits| bits != ty.width)
        {
            return Err(fail(
                place("\"expr\""),
                format!("the expression is {ty}, unlike `lanes` and `bits`"),
            ));
        }
        for id in &assumptions {
            bound(&mut leaves, &expressions, *id);
        }
        Ok(Window {
            name: found.name,
            target: found.target,
            leaves,
            expressions,
            root,
            in_registers: found.in_registers,
            number: false,
            assumptions,
            reference: found.halide21,
        })
    }
}

/// The message without serde's own position, which is the line's.
fn without_position(message: &str) -> String {
    message.split(" at line ").next().unwrap_or_default().to_owned()
}

/// Takes the bound that an assumption `leaf < literal` (or `<=`, `==`, either way round) puts on a leaf into its range.
/// Assumptions of other shapes are not used, which is sound: an answer then holds without them.
fn bound(leaves: &mut [Leaf], expressions: &Expressions, condition: ExpressionId) {
    let node = expressions.get(condition);
    let [left, right] = node.operands[..] else { return };
    let side = |id: ExpressionId| {
        let mut node = expressions.get(id);
        while node.operator == Operator::Broadcast {
            node = expressions.get(node.operands[0]);
        }
        match node.operator {
            Operator::Leaf(leaf) => Some(Ok(leaf)),
            Operator::Literal(value) => Some(Err(value)),
            _ => None,
        }
    };
    let strict = i128::from(node.operator == Operator::Lanewise(Lanewise::Lt));
    let (leaf, low, high) = match (&node.operator, side(left), side(right)) {
        (Operator::Lanewise(Lanewise::Lt | Lanewise::Le), Some(Ok(leaf)), Some(Err(value))) => {
            (leaf, None, Some(value - strict))
        }
        (Operator::Lanewise(Lanewise::Lt | Lanewise::Le), Some(Err(value)), Some(Ok(leaf))) => {
            (leaf, Some(value + strict), None)
        }
        (Operator::Lanewise(Lanewise::Eq), Some(Ok(leaf)), Some(Err(value)))
        | (Operator::Lanewise(Lanewise::Eq), Some(Err(value)), Some(Ok(leaf))) => {
            (leaf, Some(value), Some(value))
        }
        _ => return,
    };
    let leaf = &mut leaves[leaf];
    let (least, greatest) = leaf.range.unwrap_or(limits(leaf.ty));
    let (low, high) =
        (low.map_or(least, |low| low.max(least)), high.map_or(greatest, |high| high.min(greatest)));
    if low <= high {
        leaf.range = Some((low, high));
    }
}
