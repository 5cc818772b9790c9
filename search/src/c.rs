//! Found sequences as C.

use crate::emit::types;
use crate::find::Solution;
use crate::goal::{Goal, Input};
use crate::instruction::Instruction;
use crate::syntax::{Syntax, grouped};

/// A C function of the goal's name (`-` as `_`) that the sequence is the body of.
///
/// It returns the output, or writes several through pointers (or returns a structure of them where there is one).
pub fn c_function(
    goal: &Goal,
    solution: &Solution,
    instructions: &[Instruction],
    syntax: &dyn Syntax,
    name: &str,
) -> Vec<String> {
    let inputs = goal.inputs.len();
    let types = types(goal, solution, instructions);
    let element = |value: usize| goal.inputs.get(value).map_or(goal.element, |input| input.element);
    let ty = |value: usize| syntax.c_type(types[value], element(value));
    let value_name = |value: usize| {
        goal.inputs.get(value).map_or_else(|| format!("t{}", value - inputs + 1), |input| input.name.clone())
    };
    // A known input is a parameter that is not read, so that the function has the goal's arguments.
    let parameter = |(at, input): (usize, &Input)| {
        format!("{} {}{}", ty(at), if input.constant.is_some() { "unused_" } else { "" }, input.name)
    };
    let mut parameters: Vec<String> = goal.inputs.iter().enumerate().map(parameter).collect();
    let output_type = c_output_type(goal, syntax, 0);
    let structure = match goal.outputs.len() {
        1 => None,
        count => syntax.structure(&output_type, count),
    };
    let returned = match (goal.outputs.len(), &structure) {
        (1, _) => output_type.clone(),
        (_, Some(structure)) => structure.clone(),
        _ => {
            parameters.extend(
                goal.outputs
                    .iter()
                    .enumerate()
                    .map(|(at, output)| format!("{} *out_{}", c_output_type(goal, syntax, at), output.name)),
            );
            "void".into()
        }
    };
    let parameters = if parameters.is_empty() { "void".into() } else { parameters.join(", ") };
    let mut lines = vec![format!("static inline {returned} {name}({parameters}) {{")];
    for (at, input) in goal.inputs.iter().enumerate() {
        if let Some(bits) = &input.constant {
            let bytes = bits.words().iter().flat_map(|word| word.to_le_bytes()).take(input.ty.bytes());
            let list: Vec<String> = bytes.map(|byte| byte.to_string()).collect();
            lines.push(format!(
                "  static const unsigned char bytes_{}[] = {{{}}};",
                input.name,
                list.join(", ")
            ));
            lines.push(format!(
                "  {0} {1}; __builtin_memcpy(&{1}, bytes_{1}, sizeof {1});",
                ty(at),
                input.name
            ));
        }
    }
    for (at, step) in solution.sequence.steps.iter().enumerate() {
        let instruction = &instructions[step.member.instruction];
        let values: Vec<String> = step.operands.iter().map(|operand| value_name(*operand)).collect();
        let arguments = grouped(instruction, step, &values, |position, group| {
            let c_type = c_name(&instruction.c_types[position], syntax);
            match group {
                [value] => format!("({c_type})({value})"),
                _ => {
                    let each = syntax.part(&c_type, group.len());
                    let parts: Vec<String> = group.iter().map(|part| format!("({each})({part})")).collect();
                    // In parentheses: the intrinsic may be a macro.
                    format!("(({c_type}){{{{{}}}}})", parts.join(", "))
                }
            }
        });
        let own = inputs + at;
        lines.push(format!(
            "  {0} {1} = ({0})({2}({3}));",
            ty(own),
            value_name(own),
            instruction.intrinsic,
            arguments.join(", ")
        ));
    }
    let outputs = &solution.sequence.outputs;
    let results = outputs.iter().enumerate();
    match (goal.outputs.len(), &structure) {
        (1, _) => lines.push(format!("  return ({output_type})({});", value_name(outputs[0]))),
        (_, Some(_)) => {
            lines.push(format!("  {returned} r;"));
            lines.extend(
                results
                    .map(|(at, value)| format!("  r.val[{at}] = ({output_type})({});", value_name(*value))),
            );
            lines.push("  return r;".into());
        }
        _ => lines.extend(results.map(|(at, value)| {
            format!(
                "  *out_{} = ({})({});",
                goal.outputs[at].name,
                c_output_type(goal, syntax, at),
                value_name(*value)
            )
        })),
    }
    lines.push("}".into());
    lines
}

/// Whether the C function of a goal writes its outputs through pointers.
pub fn returned_through_pointers(goal: &Goal, syntax: &dyn Syntax) -> bool {
    let count = goal.outputs.len();
    count > 1 && syntax.structure(&c_output_type(goal, syntax, 0), count).is_none()
}

/// The C types of a goal's inputs and outputs, as [`c_function`] has them.
pub fn c_types(goal: &Goal, syntax: &dyn Syntax) -> (Vec<String>, Vec<String>) {
    let inputs = goal.inputs.iter().map(|input| syntax.c_type(input.ty, input.element)).collect();
    (inputs, (0..goal.outputs.len()).map(|output| c_output_type(goal, syntax, output)).collect())
}

/// The C type of an output.
fn c_output_type(goal: &Goal, syntax: &dyn Syntax, output: usize) -> String {
    let output = &goal.outputs[output];
    let element = output.wanted.first().map_or(goal.element, |wanted| wanted.width);
    syntax.c_type(output.ty, element)
}

/// C's unsigned integer for a scalar or a mask of this many bits.
pub fn c_integer(width: u32) -> String {
    match width {
        64 => "unsigned long long".into(),
        32 => "unsigned".into(),
        16 => "unsigned short".into(),
        _ => "unsigned char".into(),
    }
}

/// A document's C type as compilers know it.
fn c_name(c_type: &str, syntax: &dyn Syntax) -> String {
    let words = c_type.trim().trim_start_matches("const ").split(' ');
    let known =
        |word| syntax.c_words().iter().find(|(own, _)| *own == word).map_or(word, |(_, known)| *known);
    words.map(known).collect::<Vec<_>>().join(" ")
}
