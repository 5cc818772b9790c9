//! Loads and stores of HVX, for most of which the compiler has no intrinsic: calls as inline assembly, made from the
//! documented lines.
//!
//! Where an instruction advances its pointer, the distance is added to the argument that has the pointer's name.

use parsers::{Instruction, Kind};

/// What a call of an instruction without an intrinsic is named.
pub(super) fn name(instruction: &Instruction) -> String {
    format!("hydride_{}", instruction.id)
}

/// A macro that is the instruction, where the document says which operand each argument is and all of them are at
/// the pointer; it takes what an intrinsic would take.
pub(super) fn definition(instruction: &Instruction) -> Option<String> {
    let signature = &instruction.signature;
    let form = instruction.forms.first()?;
    let memory = signature.args.iter().position(|argument| argument.is_memory())?;
    if !instruction.intrinsic.is_empty() || instruction.addresses.is_some() {
        return None;
    }
    let result = signature.results.first().filter(|result| !result.is_memory());
    let mut assembly = Assembly { outputs: vec!["[q] \"+r\"(q)".to_owned()], ..Assembly::default() };
    let mut advanced = None;
    let mut rest = form.template.as_deref()?;
    while let Some(open) = rest.find('{') {
        let close = open + rest[open..].find('}')?;
        let (before, operand) = (&rest[..open], &rest[open + 1..close]);
        rest = &rest[close + 1..];
        let class = before.chars().next_back()?;
        assembly.line += &before[..before.len() - class.len_utf8()];
        if operand == "d" {
            let access = if form.destroys.is_some() { '+' } else { '=' };
            assembly.line += "%[d]";
            assembly.outputs.push(format!("[d] \"{access}v\"(d)"));
            continue;
        }
        let position: usize = operand.parse().ok()?;
        let argument = signature.args.get(position)?;
        let is_result = signature.results.iter().any(|result| result.name == argument.name);
        match class {
            'r' if position == memory => assembly.line += "%[q]",
            'r' if is_result => {
                assembly.line += "%[q]";
                advanced = Some(position);
            }
            'r' => assembly.input("r", position),
            'v' => assembly.input("v", position),
            '#' if matches!(argument.kind, Kind::Immediate(_)) => {
                assembly.line.push('#');
                assembly.input("i", position);
            }
            'p' => assembly.copied("p0", &format!("p0=%[x{position}]"), position, "r"),
            'm' => assembly.copied("m0", &format!("m0=%[x{position}]"), position, "r"),
            'q' => {
                assembly.inputs.push("[ones] \"r\"(-1)".to_owned());
                assembly.copied("q0", &format!("q0=vand(%[x{position}],%[ones])"), position, "v");
            }
            _ => return None,
        }
    }
    assembly.line += rest;
    let parameters: Vec<String> = (0..signature.args.len()).map(|position| format!("a{position}")).collect();
    let kept = form.destroys.map_or(String::new(), |position| format!(" = a{position}"));
    let declared = result.map_or(String::new(), |result| format!("{} d{kept}; ", result.c_type));
    let advance = advanced.map_or(String::new(), |position| format!(" *(a{position}) += q - p;"));
    let value = if result.is_some() { " d;" } else { "" };
    let Assembly { before, line, outputs, inputs, clobbers } = assembly;
    Some(format!(
        "#define {}({}) ({{ {declared}unsigned char *p = a{memory}, *q = p; \
         __asm__ volatile(\"{before}{line}\" : {} : {} : {clobbers}\"memory\");{advance}{value} }})",
        name(instruction),
        parameters.join(", "),
        outputs.join(", "),
        inputs.join(", "),
    ))
}

/// An assembler's line with its operands.
#[derive(Default)]
struct Assembly {
    /// Lines before it, which fill registers that no C value has.
    before: String,
    line: String,
    outputs: Vec<String>,
    inputs: Vec<String>,
    clobbers: String,
}

impl Assembly {
    /// An argument as it is.
    fn input(&mut self, constraint: &str, position: usize) {
        self.line += &format!("%[x{position}]");
        self.inputs.push(format!("[x{position}] \"{constraint}\"(a{position})"));
    }

    /// An argument in a register that a line copies it to.
    fn copied(&mut self, register: &str, line: &str, position: usize, constraint: &str) {
        self.before += &format!("{line}\\n ");
        self.line += register;
        self.inputs.push(format!("[x{position}] \"{constraint}\"(a{position})"));
        self.clobbers += &format!("\"{register}\", ");
    }
}
