//! Programs as functions that read their leaves from memory and write the result there.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use llvm_text::Type;
use refine::ast::{Action, Flags, Operand};
use refine::name;
use synth::program::{Input, Program};
use synth::table::Table;
use synth::window::Meaning;

use super::{Lowering, NoBody, Writer, none};
use crate::build::{Builder, bits_of, constant, vector};
use crate::operands::local;

/// The function `void @NAME(ptr RESULT, LEAF…)` that a program is, with declarations of what it calls; dense leaves are
/// pointers to their elements, of which none is aligned. `attributes` stand after the parameters.
pub fn program_function(
    meaning: &Meaning<'_>,
    table: &Table,
    program: &Program,
    lowering: &dyn Lowering,
    function: &str,
    attributes: &str,
) -> Result<String, NoBody> {
    let window = meaning.window();
    if program.container < 8 || window.leaves.iter().any(|leaf| !leaf.ty.width.is_multiple_of(8)) {
        return none("values that are no whole bytes");
    }
    let scalar = |leaf: &synth::window::Leaf| {
        leaf.scalar.then(|| local(Type::integer(leaf.ty.width), leaf.name.clone()))
    };
    let leaves: Vec<Option<Operand>> = window.leaves.iter().map(scalar).collect();
    let mut parameters = vec!["ptr %result".to_owned()];
    for (leaf, value) in window.leaves.iter().zip(&leaves) {
        parameters
            .push(value.as_ref().map_or_else(|| format!("ptr %{}", name(&leaf.name)), Operand::to_string));
    }
    let mut writer = Writer::new(meaning, table, program, Builder::empty(), leaves);
    let mut text = String::new();
    for input in &program.inputs {
        let value = match input.load {
            Some((leaf, start)) if !window.leaves[leaf as usize].scalar => {
                writer.loaded(input, (leaf, start), &mut text)
            }
            Some(load) => writer.part(input, load)?,
            None => writer.constant(input)?,
        };
        writer.inputs.push(value);
    }
    writer.steps(lowering)?;
    let (mut stores, mut stored) = (String::new(), Vec::new());
    let (mut place, bytes) = (0, program.container / 8);
    for (value, content) in &program.outputs {
        let (mut own, lanes) = writer.output(value, content)?;
        if let Some(added) = program.added {
            let (width, ty) = (program.container, Type::integer(program.container));
            let (sum, added) = (writer.builder.bitcast(own, &ty), writer.element(added, width)?);
            own = writer.builder.push(ty, Action::Binary("add", Flags::default(), sum, added));
        }
        let to = address(&mut stores, "result", i64::from(place * bytes));
        let _ = writeln!(stores, "  store {own}, ptr {to}, align 1");
        stored.push(own);
        place += lanes;
    }
    let mut called: BTreeMap<&str, String> = BTreeMap::new();
    let instructions = writer.builder.instructions(&stored);
    for instruction in &instructions {
        let _ = writeln!(text, "  {instruction}");
        if let Action::Call { function, arguments, .. } = &instruction.action {
            let types: Vec<String> = arguments.iter().map(|(operand, _)| operand.ty.to_string()).collect();
            let head = format!("declare {} @{}({})\n", instruction.ty, name(function), types.join(", "));
            called.insert(function, head);
        }
    }
    let space = if attributes.is_empty() { "" } else { " " };
    let declared: String = called.into_values().collect();
    Ok(format!(
        "define void @{}({}){space}{attributes} {{\n{text}{stores}  ret void\n}}\n\n{declared}",
        name(function),
        parameters.join(", ")
    ))
}

/// The address of a byte after a pointer.
fn address(text: &mut String, pointer: &str, byte: i64) -> String {
    let base = format!("%{}", name(pointer));
    if byte == 0 {
        return base;
    }
    let own = format!("%{}", name(&format!("{pointer}.{byte}.at")));
    let line = format!("  {own} = getelementptr i8, ptr {base}, i64 {byte}\n");
    if !text.contains(&line) {
        text.push_str(&line);
    }
    own
}

impl Writer<'_, '_> {
    /// A register that is a run of a leaf's elements; zeros where the leaf has none.
    fn loaded(&mut self, input: &Input, (leaf, start): (u32, i64), text: &mut String) -> Operand {
        let leaf = &self.meaning.window().leaves[leaf as usize];
        let width = leaf.ty.width;
        let count = i64::from(input.ty.width / width);
        let (from, to) = (start.max(0), (start + count).min(i64::from(leaf.ty.lanes)));
        let there = vector((to - from).max(0) as u32, width);
        if to <= from {
            return constant(&vector(count as u32, width), &vec![0; count as usize]);
        }
        let value = format!("{}.{from}.{}", leaf.name, to - from);
        let pointer = address(text, &leaf.name, from * i64::from(width / 8));
        let line = format!("  %{} = load {there}, ptr {pointer}, align 1\n", name(&value));
        if !text.contains(&line) {
            text.push_str(&line);
        }
        let loaded = local(there.clone(), value);
        if (from, to) == (start, start + count) {
            return loaded;
        }
        let zeros = constant(&there, &vec![0; (bits_of(&there) / width) as usize]);
        let lane = |at: i64| if (from..to).contains(&at) { (at - from) as u32 } else { (to - from) as u32 };
        let mask = (start..start + count).map(|at| Some(lane(at))).collect();
        self.builder.shuffle(loaded, Some(zeros), mask)
    }
}
