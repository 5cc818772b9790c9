//! Found sequences as assembly and as C.

use hydride_ir::Function;

use crate::find::Solution;
use crate::goal::{Goal, Input, Output};
use crate::instruction::{Instruction, Operand};
use crate::registers::{Place, Use, place};
use crate::sequence::{Applied, Sequence};
use crate::transition::Member;
use crate::value::{Class, File, Type};

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
            // Beyond the single ones, so that the two share their numbers.
            (Style::Hvx, Class::Scalar) if ty.width == 64 => {
                format!("r{}:{}", 2 * number + 17, 2 * number + 16)
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

/// One line for each machine instruction, moves among them, and a last one that says where the outputs are.
pub fn assembly(goal: &Goal, solution: &Solution, instructions: &[Instruction], style: Style) -> Vec<String> {
    let inputs = goal.inputs.len();
    let types = types(goal, solution, instructions);
    let name = |value: usize| style.register(types[value], solution.schedule.registers[value]);
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
        let mut operands: Vec<String> = step.operands.iter().map(|operand| name(*operand)).collect();
        for (operand, register) in &solution.schedule.copies[at] {
            let ty = types[step.operands[*operand]];
            let copy = style.register(ty, *register);
            lines.push(style.copy(ty, &copy, &operands[*operand]));
            operands[*operand] = copy;
        }
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

/// An instruction alone with these immediates, as [`assembly`] shows a sequence: each register that it reads is an
/// input. Where they are to be `kept`, what it overwrites is copied.
pub fn alone(
    position: usize,
    choices: &[i64],
    kept: bool,
    instructions: &[Instruction],
    style: Style,
) -> Option<Vec<String>> {
    let instruction = instructions.get(position)?;
    let types: Vec<Type> = instruction.operands.iter().flat_map(Operand::registers).collect();
    let input = |(at, ty): (usize, &Type)| {
        let name = char::from(b'a' + at as u8).to_string();
        Input { name, ty: *ty, element: 8, constant: None }
    };
    let goal = Goal {
        name: instruction.id.clone(),
        inputs: types.iter().enumerate().map(input).collect(),
        outputs: vec![Output { name: "result".into(), ty: instruction.result, wanted: Vec::new() }],
        element: 8,
        function: Function::new(instruction.id.clone()),
    };
    let count = types.len();
    let outputs = vec![count];
    let step = Use {
        operands: (0..count).collect(),
        destroys: instruction.destroys.map(|at| instruction.register_of(at)).into_iter().collect(),
        placement: instruction.placement(),
        file: instruction.result.file(),
    };
    let files: Vec<File> = types.iter().map(|ty| ty.file()).collect();
    let read: Vec<usize> = if kept { (0..=count).collect() } else { outputs.clone() };
    let schedule = place(&files, &[step], &read, &[0])?;
    let member = Member { instruction: position, choices: choices.to_vec() };
    let sequence = Sequence { steps: vec![Applied { member, operands: (0..count).collect() }], outputs };
    let solution = Solution { sequence, others: Vec::new(), cost: 1 + schedule.moves, schedule };
    Some(assembly(&goal, &solution, instructions, style))
}

/// The operands in the intrinsic's order, immediates among them; of registers that follow each other the first.
fn mixed(instruction: &Instruction, step: &Applied, registers: &[String]) -> Vec<String> {
    let first = |group: &[String]| group.first().cloned().unwrap_or_default();
    grouped(instruction, step, registers, |_, group| first(group))
}

/// The operands in the intrinsic's order; `register` makes one of those in registers.
fn grouped(
    instruction: &Instruction,
    step: &Applied,
    registers: &[String],
    register: impl Fn(usize, &[String]) -> String,
) -> Vec<String> {
    let (mut rest, mut choices) = (registers, step.member.choices.iter());
    let operand = |(position, operand): (usize, &Operand)| match operand {
        Operand::Choice { .. } => choices.next().map(ToString::to_string).unwrap_or_default(),
        _ => {
            let (group, after) = rest.split_at(operand.registers().len());
            rest = after;
            register(position, group)
        }
    };
    instruction.operands.iter().enumerate().map(operand).collect()
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
    if let Some(implied) = instruction.implied {
        operands.remove(implied);
    }
    if place == Place::Fresh && !idiom {
        operands.insert(0, result.to_owned());
    }
    let is_vector = |ty: &Type| ty.class == Class::Vector;
    let reads = instruction.operands.iter().flat_map(Operand::registers).any(|ty| is_vector(&ty));
    let sse = (reads || is_vector(&instruction.result)) && !instruction.mnemonic.starts_with('v');
    let prefix = if vex && sse && !instruction.legacy { "v" } else { "" };
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
        let value: i64 = value.parse().unwrap_or(0);
        for operator in ['*', '+'] {
            let computed = format!("{{{position}{operator}");
            while let Some(start) = text.find(&computed) {
                let end = text[start..].find('}').map_or(text.len(), |end| start + end + 1);
                let by: i64 = text[start + computed.len()..end - 1].parse().unwrap_or(1);
                let number = if operator == '*' { value * by } else { value + by };
                text.replace_range(start..end, &number.to_string());
            }
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
    let mut known: Vec<(i64, Type)> = Vec::new();
    let mut steps = Vec::new();
    for step in &solution.sequence.steps {
        let instruction = &instructions[step.member.instruction];
        let choices = instruction.operands.iter().zip(&instruction.names);
        let choices = choices.filter(|(operand, _)| matches!(operand, Operand::Choice { .. }));
        let own = choices.zip(&step.member.choices).map(|((operand, name), value)| {
            let Operand::Choice { width, .. } = operand else { return None };
            name.starts_with('R').then(|| {
                let constant = (*value, Type { class: Class::Scalar, width: *width });
                let at = known.iter().position(|other| *other == constant).unwrap_or_else(|| {
                    known.push(constant);
                    known.len() - 1
                });
                // Some instructions read only the first eight.
                Style::Hvx.register(constant.1, taken + at)
            })
        });
        steps.push(own.collect());
    }
    let line =
        |(at, (value, ty)): (usize, &(i64, Type))| format!("{} = #{value}", Style::Hvx.register(*ty, at));
    let set = (taken..).zip(&known).map(line).collect();
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
        let arguments = grouped(instruction, step, &values, |position, group| {
            let c_type = c_name(&instruction.c_types[position]);
            match group {
                [value] => format!("({c_type})({value})"),
                _ => {
                    let each = c_part(&c_type, group.len());
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

/// The C type of one of the vectors of a structure of A64: `uint8x16_t` of `uint8x16x3_t`.
fn c_part(c_type: &str, count: usize) -> String {
    let part = c_type.strip_suffix(&format!("x{count}_t"));
    part.map_or_else(|| c_type.to_owned(), |part| format!("{part}_t"))
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
