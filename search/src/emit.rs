//! Found sequences as assembly and as C.

use crate::find::Solution;
use crate::goal::{Goal, Input};
use crate::instruction::{Instruction, Operand};
use crate::registers::Place;
use crate::sequence::Applied;
use crate::value::{Class, Type};

/// How a target writes registers, instructions and C types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Intel's syntax, destination first; the flag says whether the target has the three-operand forms.
    X86 {
        /// Whether results have registers of their own.
        vex: bool,
    },
    /// A64.
    Arm,
    /// Hexagon.
    Hvx,
}

/// Registers for the values of a solution.
struct Allocation {
    /// For each value its register's number.
    numbers: Vec<usize>,
}

impl Style {
    /// A register's name.
    fn register(self, ty: Type, number: usize) -> String {
        const SCALARS: [&str; 6] = ["di", "si", "dx", "cx", "ax", "bx"];
        match (self, ty.class) {
            (Style::X86 { .. }, Class::Vector) => {
                let prefix = match ty.width {
                    512 => "zmm",
                    256 => "ymm",
                    _ => "xmm",
                };
                format!("{prefix}{number}")
            }
            (Style::X86 { .. }, Class::Mask) => format!("k{}", number + 1),
            (Style::X86 { .. }, Class::Scalar) => {
                let prefix = if ty.width == 64 { "r" } else { "e" };
                SCALARS
                    .get(number)
                    .map_or_else(|| format!("r{}", number + 2), |name| format!("{prefix}{name}"))
            }
            (Style::Arm, Class::Scalar) => format!("{}{number}", if ty.width == 64 { "x" } else { "w" }),
            (Style::Hvx, Class::Vector) if ty.width == 2048 => {
                format!("v{}:{}", 2 * number + 17, 2 * number + 16)
            }
            (_, Class::Vector) => format!("v{number}"),
            (_, Class::Scalar) => format!("r{number}"),
            (_, Class::Mask) => format!("q{number}"),
        }
    }

    /// The copy of a register.
    fn copy(self, ty: Type, to: &str, from: &str) -> String {
        match (self, ty.class) {
            (Style::X86 { .. }, Class::Mask) => format!("kmovq {to}, {from}"),
            (Style::X86 { .. }, Class::Scalar) => format!("mov {to}, {from}"),
            (Style::X86 { vex: false }, _) => format!("movdqa {to}, {from}"),
            (Style::X86 { .. }, _) if ty.width == 512 => format!("vmovdqa64 {to}, {from}"),
            (Style::X86 { .. }, _) => format!("vmovdqa {to}, {from}"),
            (Style::Arm, Class::Scalar) => format!("mov {to}, {from}"),
            (Style::Arm, _) => format!("mov {to}.16b, {from}.16b"),
            (Style::Hvx, Class::Vector) if ty.width == 2048 => {
                let halves = from.trim_start_matches('v').replace(':', ", v");
                format!("{to} = vcombine(v{halves})")
            }
            (Style::Hvx, Class::Mask) => format!("{to} = and({from}, {from})"),
            (Style::Hvx, _) => format!("{to} = {from}"),
        }
    }

    /// A C type for a value.
    fn c_type(self, ty: Type, element: u32) -> String {
        match (self, ty.class) {
            (Style::X86 { .. }, Class::Vector) => format!("__m{}i", ty.width),
            (Style::X86 { .. }, Class::Mask) => format!("__mmask{}", ty.width),
            (Style::Hvx, Class::Vector) if ty.width == 2048 => "HVX_VectorPair".into(),
            (Style::Hvx, Class::Vector) => "HVX_Vector".into(),
            (Style::Hvx, Class::Mask) => "HVX_VectorPred".into(),
            (Style::Arm, Class::Vector) => {
                let element = if [8, 16, 32, 64].contains(&element) { element } else { 8 };
                format!("uint{element}x{}_t", ty.width / element)
            }
            (_, Class::Scalar | Class::Mask) => match ty.width {
                64 => "unsigned long long".into(),
                32 => "unsigned".into(),
                16 => "unsigned short".into(),
                _ => "unsigned char".into(),
            },
        }
    }
}

/// The types of a solution's values.
fn types(goal: &Goal, solution: &Solution, instructions: &[Instruction]) -> Vec<Type> {
    let inputs = goal.inputs.iter().map(|input| input.ty);
    let results = solution.sequence.steps.iter().map(|step| instructions[step.member.instruction].result);
    inputs.chain(results).collect()
}

fn allocate(types: &[Type], solution: &Solution, inputs: usize) -> Allocation {
    let steps = &solution.sequence.steps;
    let last_use = |value: usize| {
        let readers = steps.iter().rposition(|step| step.operands.contains(&value));
        if solution.sequence.outputs.contains(&value) { usize::MAX } else { readers.map_or(0, |at| at + 1) }
    };
    let same_file = |a: Type, b: Type| a.class == b.class && (a.width == 2048) == (b.width == 2048);
    let mut numbers: Vec<usize> = Vec::new();
    for value in 0..types.len() {
        let at = value.checked_sub(inputs);
        let over = at.and_then(|at| match solution.schedule.places[at] {
            Place::Over(operand) => Some(numbers[steps[at].operands[operand]]),
            _ => None,
        });
        let copied = at.is_some_and(|at| matches!(solution.schedule.places[at], Place::Copy(_)));
        let number = over.unwrap_or_else(|| {
            let taken = |number: usize| {
                (0..value).any(|other| {
                    // A step's operands are free for its result, unless it starts with a copy.
                    let needed = match at {
                        None => true,
                        Some(at) => last_use(other) > at + usize::from(!copied),
                    };
                    same_file(types[other], types[value]) && numbers[other] == number && needed
                })
            };
            (0..).find(|number| !taken(*number)).unwrap_or(0)
        });
        numbers.push(number);
    }
    Allocation { numbers }
}

/// One line for each machine instruction, moves among them, and a last one that says where the outputs are.
pub fn assembly(goal: &Goal, solution: &Solution, instructions: &[Instruction], style: Style) -> Vec<String> {
    let inputs = goal.inputs.len();
    let types = types(goal, solution, instructions);
    let registers = allocate(&types, solution, inputs);
    let name = |value: usize| style.register(types[value], registers.numbers[value]);
    let taken = types.iter().filter(|ty| ty.class == Class::Scalar).count();
    let (scalars, mut lines) = match style {
        Style::Hvx => scalar_constants(solution, instructions, taken),
        _ => Default::default(),
    };
    for (at, step) in solution.sequence.steps.iter().enumerate() {
        let instruction = &instructions[step.member.instruction];
        let result = name(inputs + at);
        let place = solution.schedule.places[at];
        if let Place::Copy(operand) = place {
            let value = step.operands[operand];
            lines.push(style.copy(types[value], &result, &name(value)));
        }
        let operands: Vec<String> = step.operands.iter().map(|operand| name(*operand)).collect();
        lines.push(match style {
            Style::X86 { vex } => x86(instruction, step, &result, &operands, place, vex),
            Style::Arm => arm(instruction, step, &result, &operands, place),
            Style::Hvx => hvx(instruction, step, &result, &operands, &scalars[at]),
        });
    }
    let outputs = goal.outputs.iter().zip(&solution.sequence.outputs);
    let places: Vec<String> =
        outputs.map(|(output, value)| format!("{} = {}", output.name, name(*value))).collect();
    let starts: Vec<String> =
        goal.inputs.iter().enumerate().map(|(at, input)| format!("{} = {}", input.name, name(at))).collect();
    lines.insert(0, format!("; in: {}", starts.join(", ")));
    lines.push(format!("; out: {}", places.join(", ")));
    lines
}

/// The operands in the intrinsic's order, immediates among them.
fn mixed(instruction: &Instruction, step: &Applied, registers: &[String]) -> Vec<String> {
    let (mut registers, mut choices) = (registers.iter(), step.member.choices.iter());
    let operand = |operand: &Operand| match operand {
        Operand::Register(_) => registers.next().cloned(),
        Operand::Choice { .. } => choices.next().map(ToString::to_string),
    };
    instruction.operands.iter().map(operand).map(Option::unwrap_or_default).collect()
}

fn x86(
    instruction: &Instruction,
    step: &Applied,
    result: &str,
    registers: &[String],
    place: Place,
    vex: bool,
) -> String {
    let mut registers = registers.to_vec();
    // The first operand is the one that is overwritten.
    if let Place::Over(operand) | Place::Copy(operand) = place {
        registers.swap(0, operand);
        registers[0] = result.to_owned();
    }
    // `x ^ x` overwrites a source and does not care which.
    let equal = step.operands.iter().all(|operand| *operand == step.operands[0]);
    let idiom = place == Place::Fresh && instruction.destroys.is_some() && equal;
    if idiom {
        registers.fill(result.to_owned());
    }
    let mut operands = mixed(instruction, step, &registers);
    if place == Place::Fresh && !idiom {
        operands.insert(0, result.to_owned());
    }
    let is_vector = |ty: &Type| ty.class == Class::Vector;
    let reads =
        instruction.operands.iter().any(|operand| matches!(operand, Operand::Register(ty) if is_vector(ty)));
    let sse = (reads || is_vector(&instruction.result)) && !instruction.mnemonic.starts_with('v');
    let prefix = if vex && sse { "v" } else { "" };
    format!("{prefix}{} {}", instruction.mnemonic, operands.join(", "))
}

/// `add v{d}.4s, v{0}.4s, v{1}.4s`: registers and immediates take the places of the operands.
fn arm(
    instruction: &Instruction,
    step: &Applied,
    result: &str,
    registers: &[String],
    place: Place,
) -> String {
    // The letters of registers are in the template.
    let number = |name: &str| name.trim_start_matches(|c: char| c.is_ascii_alphabetic()).to_owned();
    let mut registers: Vec<String> = registers.iter().map(|name| number(name)).collect();
    if let Place::Over(operand) | Place::Copy(operand) = place
        && let Some(position) = instruction.destroys
    {
        // A commutative step may overwrite the other source.
        let own = instruction.register_of(position);
        registers.swap(own, operand);
    }
    let mut text = instruction.syntax.replace("{d}", &number(result));
    for (position, value) in mixed(instruction, step, &registers).into_iter().enumerate() {
        text = text.replace(&format!("{{{position}}}"), &value);
        let scaled = format!("{{{position}*");
        while let Some(start) = text.find(&scaled) {
            let end = text[start..].find('}').map_or(text.len(), |end| start + end + 1);
            let factor: i64 = text[start + scaled.len()..end - 1].parse().unwrap_or(1);
            let product = value.parse().unwrap_or(0) * factor;
            text.replace_range(start..end, &product.to_string());
        }
    }
    text
}

/// `Vd32.w=vadd(Vu32.w,Vv32.w)`: each register is replaced by name, `#u3` by a number.
///
/// `scalars` are the registers of constants in the order of the choices; none for what is part of the encoding.
fn hvx(
    instruction: &Instruction,
    step: &Applied,
    result: &str,
    registers: &[String],
    scalars: &[Option<String>],
) -> String {
    // The halves of a pair are registers.
    if let ("lo" | "hi", [pair]) = (instruction.mnemonic.as_str(), registers)
        && let Some((high, low)) = pair.split_once(':')
    {
        let half = if instruction.mnemonic == "hi" { high.to_owned() } else { format!("v{low}") };
        return format!("{result} = {half}");
    }
    let mut registers = registers.to_vec();
    if let Some(position) = instruction.destroys {
        let own = instruction.register_of(position);
        registers[own] = result.to_owned();
    }
    let mut values = mixed(instruction, step, &registers);
    let mut scalars = scalars.iter();
    for (value, operand) in values.iter_mut().zip(&instruction.operands) {
        if let Operand::Choice { .. } = operand {
            let register = scalars.next().cloned().flatten();
            *value = register.unwrap_or_else(|| value.clone());
        }
    }
    let mut text = String::new();
    let mut rest = instruction.syntax.as_str();
    while let Some(start) = rest.find(|c: char| c.is_ascii_alphabetic() || c == '#') {
        let (before, token) = rest.split_at(start);
        let end = token[1..].find(|c: char| !c.is_ascii_alphanumeric()).map_or(token.len(), |end| end + 1);
        let (token, after) = token.split_at(end);
        text.push_str(before);
        rest = after;
        let named = |name: &str| instruction.names.iter().position(|own| own == name);
        let letters = token.trim_end_matches(|c: char| c.is_ascii_digit());
        match token.strip_prefix('#') {
            Some(immediate) => match named(&format!("I{immediate}")) {
                Some(position) => text.push_str(&format!("#{}", values[position])),
                None => text.push_str(token),
            },
            None => match named(letters).or_else(|| named(token)) {
                Some(position) => text.push_str(&values[position]),
                None if ["Vdd", "Vd", "Qd", "Rd", "Rdd"].contains(&letters) => text.push_str(result),
                None => text.push_str(token),
            },
        }
    }
    text.push_str(rest);
    // `a=b`, `a+=b`, `a|=b`.
    if let Some(at) = text.find('=') {
        let start = at - usize::from(text[..at].ends_with(['+', '-', '|', '&', '^']));
        text = format!("{} {} {}", &text[..start], &text[start..=at], &text[at + 1..]);
    }
    text.replace(',', ", ")
}

/// The constants in general registers that HVX instructions of a sequence read, each with its register: for
/// each step and choice the register, and the lines that set them.
fn scalar_constants(
    solution: &Solution,
    instructions: &[Instruction],
    taken: usize,
) -> (Vec<Vec<Option<String>>>, Vec<String>) {
    let mut known: Vec<i64> = Vec::new();
    let mut steps = Vec::new();
    for step in &solution.sequence.steps {
        let instruction = &instructions[step.member.instruction];
        let choices = instruction.operands.iter().zip(&instruction.names);
        let choices = choices.filter(|(operand, _)| matches!(operand, Operand::Choice { .. }));
        let own = choices.zip(&step.member.choices).map(|((_, name), value)| {
            name.starts_with('R').then(|| {
                let at = known.iter().position(|other| other == value).unwrap_or_else(|| {
                    known.push(*value);
                    known.len() - 1
                });
                // Some instructions read only the first eight.
                format!("r{}", taken + at)
            })
        });
        steps.push(own.collect());
    }
    let set = (taken..).zip(&known).map(|(register, value)| format!("r{register} = #{value}")).collect();
    (steps, set)
}

/// A C function of the goal's name (`-` as `_`) that the sequence is the body of.
///
/// It returns the output, or writes several through pointers (A64: returns a structure of them).
pub fn c_function(
    goal: &Goal,
    solution: &Solution,
    instructions: &[Instruction],
    style: Style,
    name: &str,
) -> Vec<String> {
    let inputs = goal.inputs.len();
    let types = types(goal, solution, instructions);
    let element = |value: usize| goal.inputs.get(value).map_or(goal.element, |input| input.element);
    let ty = |value: usize| style.c_type(types[value], element(value));
    let value_name = |value: usize| {
        goal.inputs.get(value).map_or_else(|| format!("t{}", value - inputs + 1), |input| input.name.clone())
    };
    // A known input is a parameter that is not read, so that the function has the goal's arguments.
    let parameter = |(at, input): (usize, &Input)| {
        format!("{} {}{}", ty(at), if input.constant.is_some() { "unused_" } else { "" }, input.name)
    };
    let mut parameters: Vec<String> = goal.inputs.iter().enumerate().map(parameter).collect();
    let output_type = c_output_type(goal, style, 0);
    let tuple = style == Style::Arm && goal.outputs.len() > 1;
    let returned = match (goal.outputs.len(), tuple) {
        (1, _) => output_type.clone(),
        (count, true) => format!("{}x{count}_t", output_type.trim_end_matches("_t")),
        _ => {
            parameters.extend(
                goal.outputs
                    .iter()
                    .enumerate()
                    .map(|(at, output)| format!("{} *out_{}", c_output_type(goal, style, at), output.name)),
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
        let arguments: Vec<String> = mixed(instruction, step, &values)
            .into_iter()
            .zip(&instruction.c_types)
            .zip(&instruction.operands)
            .map(|((value, c_type), operand)| match operand {
                Operand::Register(_) => format!("({})({value})", c_name(c_type)),
                Operand::Choice { .. } => value,
            })
            .collect();
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
    match (goal.outputs.len(), tuple) {
        (1, _) => lines.push(format!("  return ({output_type})({});", value_name(outputs[0]))),
        (_, true) => {
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
                c_output_type(goal, style, at),
                value_name(*value)
            )
        })),
    }
    lines.push("}".into());
    lines
}

/// The C types of a goal's inputs and outputs, as [`c_function`] has them.
pub fn c_types(goal: &Goal, style: Style) -> (Vec<String>, Vec<String>) {
    let inputs = goal.inputs.iter().map(|input| style.c_type(input.ty, input.element)).collect();
    (inputs, (0..goal.outputs.len()).map(|output| c_output_type(goal, style, output)).collect())
}

/// The C type of an output.
fn c_output_type(goal: &Goal, style: Style, output: usize) -> String {
    let output = &goal.outputs[output];
    let element = output.wanted.first().map_or(goal.element, |wanted| wanted.width);
    style.c_type(output.ty, element)
}

/// The documents' C types as compilers know them.
fn c_name(c_type: &str) -> String {
    let plain = c_type.trim().trim_start_matches("const ");
    match plain {
        "__int64" => "long long".into(),
        "unsigned __int64" => "unsigned long long".into(),
        "__int32" => "int".into(),
        "Word32" => "int".into(),
        "Word64" => "long long".into(),
        other => other.to_owned(),
    }
}
