//! The C code for extraction: one function, on one line, for each intrinsic and combination of immediates.
//!
//! Arguments are passed and a single result is returned by value, so that the compiler's function has them
//! in registers. Several results are written through pointers `r0`, `r1`, …, in front of the arguments.

use std::collections::BTreeMap;

use interp::inputs;
use parsers::{Argument, Instruction, Signature};

use crate::wrapper::{Dialect, Passed, Several, argument_list, c_type, intrinsic_name, passed, tuple};

/// The functions of one instruction.
#[derive(Clone, Debug)]
pub(super) struct Source {
    /// The combinations of immediates, one for each function.
    pub(super) immediates: Vec<Vec<i64>>,
    /// How many results are written through pointers in front of the arguments.
    pub(super) results: usize,
    /// The text between the name and the arguments' immediates: result, parameters, body with `{}`.
    template: Template,
}

#[derive(Clone, Debug)]
struct Template {
    returned: String,
    parameters: String,
    before: String,
    passed: Vec<Passed>,
    after: String,
}

impl Source {
    /// Generates the C code; the message says which part of the signature has no C form.
    pub(super) fn new(dialect: &Dialect, instruction: &Instruction) -> Result<Self, String> {
        let signature = &instruction.signature;
        let function = intrinsic_name(dialect, instruction)?;
        let mut parameters: BTreeMap<usize, String> = BTreeMap::new();
        let passed = passed(dialect, signature, |position, ty| {
            drop(parameters.insert(position, format!("{ty} a{position}")))
        })?;
        let memory = signature.memory().map(|memory| (memory.arg as usize, format!("void *m{}", memory.arg)));
        parameters.extend(memory);
        let mut template = Template {
            returned: "void".into(),
            parameters: String::new(),
            before: format!("{function}("),
            passed,
            after: ");".into(),
        };
        let pointers = results(dialect, signature, &mut template)?;
        let results = pointers.len();
        template.parameters =
            pointers.into_iter().chain(parameters.into_values()).collect::<Vec<_>>().join(", ");
        Ok(Self { immediates: inputs::immediates(&signature.args), results, template })
    }

    /// The function for one combination of immediates.
    pub(super) fn line(&self, name: &str, case: usize) -> String {
        let Template { returned, parameters, before, passed, after } = &self.template;
        let list = argument_list(passed, &self.immediates[case]);
        let parameters = if parameters.is_empty() { "void" } else { parameters };
        format!("{returned} {name}({parameters}) {{ {before}{list}{after} }}")
    }
}

/// Declares the results: the pointers that are parameters, and what is around the call.
fn results(dialect: &Dialect, signature: &Signature, template: &mut Template) -> Result<Vec<String>, String> {
    let results: Vec<&Argument> = signature.results.iter().filter(|result| !result.is_memory()).collect();
    let mut pointers = Vec::new();
    if results.is_empty() {
        return Ok(pointers);
    }
    if let [only] = results[..] {
        let ty = c_type(dialect, only)?;
        if !ty.pointer {
            template.before.insert_str(0, "return ");
            template.returned = ty.name;
            return Ok(pointers);
        }
    }
    if let Some((part, whole)) = tuple(dialect, &signature.results)? {
        template.before.insert_str(0, &format!("{whole} r = "));
        for position in 0..results.len() {
            pointers.push(format!("{part} *r{position}"));
            template.after += &format!(" *r{position} = r.val[{position}];");
        }
        return Ok(pointers);
    }
    for (position, result) in results.iter().enumerate() {
        let ty = c_type(dialect, result)?;
        pointers.push(format!("{} *r{position}", ty.name));
        let same = signature.args.iter().position(|arg| position > 0 && arg.name == result.name);
        if let Some(at) = same
            && let Some(Passed::Variable(variable)) = template.passed.get_mut(at)
        {
            template.after += &format!(" *r{position} = {variable};");
            *variable = format!("&{variable}");
        } else if ty.pointer || position > 0 && dialect.several == Several::BehindPointers {
            template.passed.push(Passed::Variable(format!("r{position}")));
        } else if position == 0 {
            template.before.insert_str(0, "*r0 = ");
        } else {
            return Err("several returned values".into());
        }
    }
    Ok(pointers)
}
