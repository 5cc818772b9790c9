//! Answers on a machine: each is compiled, run and compared with the window's own meaning.

use std::collections::BTreeMap;
use std::path::Path;

use ::synth::c_element;
use ::synth::window::{Meaning, Window};
use anyhow::{Result, anyhow};
use catalog::{Argument, Kind, Signature};
use difftest::Case as Compared;
use hydride_ir::{Arg, ArgId, Function, Num, Op, ResultId, ResultSlot, Role, Stmt};

use super::targets::Ground;
use crate::machine;

/// Bytes of an argument or result of the harness.
const PIECE: u32 = 64;

/// A function in C and the pieces of its result as functions of the IR.
pub struct Case {
    name: String,
    lines: Vec<String>,
    functions: Vec<Function>,
    arguments: Vec<Argument>,
}

/// A piece of a leaf: its position, its first bit and its width.
type Piece = (usize, u32, u32);

impl Case {
    /// A case for a window whose answer is the function `name`, which `lines` begin with.
    pub fn new(
        window: &Window,
        meaning: &mut Meaning<'_>,
        name: String,
        mut lines: Vec<String>,
    ) -> Result<Self> {
        let pieces = |bits: u32| {
            (0..bits.div_ceil(8 * PIECE)).map(move |at| {
                let low = at * 8 * PIECE;
                (low, (bits - low).min(8 * PIECE))
            })
        };
        let inputs: Vec<Piece> = (0..window.leaves.len())
            .flat_map(|leaf| {
                pieces(window.leaves[leaf].ty.bits()).map(move |(low, width)| (leaf, low, width))
            })
            .collect();
        let whole = meaning.function().map_err(|error| anyhow!("{}: {error}", window.name))?;
        let ty = window.ty();
        let outputs: Vec<(u32, u32)> = pieces(ty.bits()).collect();
        let functions = outputs.iter().map(|(low, width)| part(&whole, &inputs, *low, *width)).collect();
        let byte_type = |width: u32| format!("synth_bytes_{}", width / 8);
        let mut sizes: Vec<u32> =
            inputs.iter().map(|piece| piece.2).chain(outputs.iter().map(|out| out.1)).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let mut head: Vec<String> = vec!["#include <stdint.h>".into()];
        for size in sizes {
            let name = byte_type(size);
            head.push(format!(
                "#ifndef HAVE_{name}\n#define HAVE_{name}\ntypedef struct {{ unsigned char b[{}]; }} {name};\n#endif",
                size / 8
            ));
        }
        // Functions that call it may be compiled in several files.
        if let Some(first) = lines.first_mut() {
            first.insert_str(0, "static ");
        }
        lines.splice(0..0, head);
        for (number, (low, width)) in outputs.iter().enumerate() {
            let parameters: Vec<String> = inputs
                .iter()
                .enumerate()
                .map(|(at, piece)| format!("{} a{at}", byte_type(piece.2)))
                .collect();
            let result = byte_type(*width);
            lines.push(format!(
                "static __attribute__((noinline)) {result} {name}_{number}({}) {{",
                parameters.join(", ")
            ));
            for (at, leaf) in window.leaves.iter().enumerate() {
                let element = c_element(leaf.ty)?;
                lines.push(format!("  {element} l{at}[{}];", leaf.ty.lanes));
                for (position, piece) in inputs.iter().enumerate().filter(|(_, piece)| piece.0 == at) {
                    lines.push(format!(
                        "  __builtin_memcpy((char *)l{at} + {}, &a{position}, {});",
                        piece.1 / 8,
                        piece.2 / 8
                    ));
                }
                if let Some((least, greatest)) = leaf.range {
                    lines.push(format!(
                        "  for (int n = 0; n < {}; n++) l{at}[n] = l{at}[n] < {least} ? {least} : l{at}[n] > {greatest} ? \
                         {greatest} : l{at}[n];",
                        leaf.ty.lanes
                    ));
                }
            }
            let passed = |(at, leaf): (usize, &::synth::window::Leaf)| {
                if leaf.scalar { format!("l{at}[0]") } else { format!("l{at}") }
            };
            let passed: Vec<String> = window.leaves.iter().enumerate().map(passed).collect();
            lines.push(format!("  unsigned char r[{}];", ty.bits().div_ceil(8)));
            let passed = if passed.is_empty() { String::new() } else { format!(", {}", passed.join(", ")) };
            lines.push(format!("  {name}(({} *)r{passed});", c_element(ty)?));
            lines.push(format!("  {result} part; __builtin_memcpy(&part, r + {}, {});", low / 8, width / 8));
            lines.push("  return part;".into());
            lines.push("}".into());
        }
        let arguments = inputs
            .iter()
            .enumerate()
            .map(|(at, piece)| argument(format!("a{at}"), byte_type(piece.2), piece.2))
            .collect();
        Ok(Self { name, lines, functions, arguments })
    }

    /// The same as one of several windows with its name.
    fn again(mut self, times: usize) -> Self {
        let name = format!("{}_again{times}", self.name);
        for line in &mut self.lines {
            *line = line.replace(&self.name, &name);
        }
        Self { name, ..self }
    }
}

fn argument(name: String, c_type: String, width: u32) -> Argument {
    Argument { name, c_type, width, kind: Kind::Vector, element: None }
}

/// Bits `low .. low + width` of a window's result as a function of pieces of its leaves.
fn part(whole: &Function, pieces: &[Piece], low: u32, width: u32) -> Function {
    let mut function = Function::new(whole.name.clone());
    let mut parts: Vec<Vec<hydride_ir::ExprId>> = vec![Vec::new(); whole.args.len()];
    for (at, piece) in pieces.iter().enumerate() {
        let width = Num::from(piece.2);
        function.args.push(Arg { name: format!("a{at}"), width, role: Role::Register });
        parts[piece.0].insert(0, function.push(Op::Arg(ArgId(at as u32)), piece.2));
    }
    let leaves: Vec<hydride_ir::ExprId> = parts
        .into_iter()
        .zip(&whole.args)
        .map(|(parts, arg)| match parts[..] {
            [only] => only,
            _ => function.push(Op::Concat(parts), arg.width.clone()),
        })
        .collect();
    let mut map: Vec<hydride_ir::ExprId> = Vec::new();
    for expr in whole.exprs() {
        let id = match expr.op {
            Op::Arg(ArgId(arg)) => leaves[arg as usize],
            _ => function.push(expr.op.map_operands(|operand| map[operand.0 as usize]), expr.width.clone()),
        };
        map.push(id);
    }
    function.results = vec![ResultSlot { name: "result".into(), width: width.into() }];
    for stmt in &whole.body {
        if let Stmt::Assign { low: own, value, .. } = stmt
            && let Some(own) = own.as_constant()
            && (i64::from(low)..i64::from(low + width)).contains(&own)
        {
            let value = map[value.0 as usize];
            function.body.push(Stmt::Assign {
                result: ResultId(0),
                low: Num::constant(own - i64::from(low)),
                value,
            });
        }
    }
    function
}

/// Runs cases; exit code 1 when one differs from its window.
pub fn check(ground: &Ground, cases: Vec<Case>, inputs: usize, work: &Path) -> Result<u8> {
    let (mut definitions, mut instructions) = (Vec::new(), Vec::new());
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    for case in cases {
        let times = names.entry(case.name.clone()).or_default();
        *times += 1;
        let case = if *times > 1 { case.again(*times) } else { case };
        // A definition is one line, so that messages keep their places.
        definitions.extend(case.lines.iter().flat_map(|line| line.lines().map(str::to_owned)));
        for (number, function) in case.functions.into_iter().enumerate() {
            let id = format!("{}_{number}", case.name);
            let width = function.results[0].width.as_constant().unwrap_or(0) as u32;
            let signature = Signature {
                args: case.arguments.clone(),
                results: vec![argument("result".into(), format!("synth_bytes_{}", width / 8), width)],
            };
            instructions.push(machine::instruction(ground.set, id, function, signature));
        }
    }
    let name = &ground.named.name;
    let summary = |agree, all| format!("{name}: {agree} of {all} functions agree with their windows");
    let case = |instruction| Compared { nan_bits: true, ..Compared::new(instruction) };
    machine::check(ground.set, (&instructions, definitions), case, inputs, work, summary)
}
