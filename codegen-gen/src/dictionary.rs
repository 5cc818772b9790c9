//! `dictionary.json`: everything known about the operations, for programs that read JSON; and the JSON
//! Schemas of this and of the other JSON files.

use std::collections::BTreeSet;

use autoir::ParamKind;
use hydride_ir::visit::Event;
use hydride_ir::{Atom, Num, Op, ParamId, Role};
use rayon::prelude::*;
use serde::Serialize;

use crate::definitions::Definitions;
use crate::evaluators::number;
use crate::identity::Identity;
use crate::lowering::{Row, row};
use crate::mlir::describe::summary;
use crate::operation::Operation;
use crate::render::Renderer;
use crate::{GenerateError, GeneratedFile, Options};

/// The version of the file format, incremented for incompatible changes.
const VERSION: u32 = 1;

/// JSON Schemas (draft 2020-12) by the path of the file that describes them.
const SCHEMAS: &[(&str, &str)] = &[
    ("schemas/classes.schema.json", include_str!("schemas/classes.schema.json")),
    ("schemas/dictionary.schema.json", include_str!("schemas/dictionary.schema.json")),
    ("schemas/ledger.schema.json", include_str!("schemas/ledger.schema.json")),
    ("schemas/lowering.schema.json", include_str!("schemas/lowering.schema.json")),
    ("schemas/summary.schema.json", include_str!("schemas/summary.schema.json")),
];

/// An operation; its members follow, one a line.
#[derive(Serialize)]
struct Entry<'a> {
    name: &'a str,
    family: &'a str,
    aliases: &'a [String],
    documentation: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<&'a str>,
    commutative: bool,
    /// Equations that are proved, and the same as formulas.
    identities: Vec<Equation>,
    parameters: Vec<Parameter<'a>>,
    arguments: Vec<Argument<'a>>,
    results: Vec<Register<'a>>,
    function: String,
}

#[derive(Serialize)]
struct Equation {
    #[serde(flatten)]
    identity: Identity,
    text: String,
}

#[derive(Serialize)]
struct Parameter<'a> {
    name: &'a str,
    kind: &'static str,
    /// What its values are used as.
    roles: Vec<&'static str>,
    /// Whether it follows from the operands' types.
    inferred: bool,
    default: i64,
    /// The values that members have, sorted.
    values: Vec<i64>,
}

#[derive(Serialize)]
struct Argument<'a> {
    name: &'a str,
    width: String,
    role: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<(i64, i64)>,
}

#[derive(Serialize)]
struct Register<'a> {
    name: &'a str,
    width: String,
}

#[derive(Serialize)]
struct Member<'a> {
    #[serde(flatten)]
    row: Row<'a>,
    /// The LLVM function of the member's instance.
    symbol: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    trust: Option<&'a str>,
}

#[derive(Serialize)]
struct Dictionary {
    version: u32,
    llvm: u32,
    operations: Vec<Described>,
}

/// An operation as JSON.
#[derive(Serialize)]
struct Described {
    /// Its object without the closing bracket: the members follow in it.
    entry: String,
    members: Vec<String>,
}

/// The dictionary: an object with one operation and one member a line, sorted by name, instruction set and id.
pub(crate) fn file(
    renderer: &Renderer,
    operations: &[Operation<'_>],
    definitions: &Definitions,
    options: &Options,
) -> Result<GeneratedFile, GenerateError> {
    let described = |operation: &Operation<'_>| {
        let mut entry = serde_json::to_string(&entry(operation))?;
        entry.pop();
        let members = members(operation, definitions, options)
            .iter()
            .map(serde_json::to_string)
            .collect::<Result<_, _>>()?;
        Ok(Described { entry, members })
    };
    let operations = operations.par_iter().map(described).collect::<Result<_, GenerateError>>()?;
    renderer
        .render("dictionary.json", &Dictionary { version: VERSION, llvm: options.llvm.number(), operations })
}

/// The schemas.
pub(crate) fn schemas() -> Vec<GeneratedFile> {
    let file = |(path, text): &(&str, &str)| GeneratedFile {
        path: (*path).to_owned(),
        contents: (*text).to_owned(),
    };
    SCHEMAS.iter().map(file).collect()
}

fn members<'a>(
    operation: &'a Operation<'_>,
    definitions: &'a Definitions,
    options: &'a Options,
) -> Vec<Member<'a>> {
    let member = |(member, facts): (&'a autoir::Member, &autoir::Facts)| Member {
        row: row(operation, member, facts, definitions, options),
        symbol: operation.symbol(&member.application.params, facts),
        trust: member.trust.as_ref().map(catalog::Trust::name),
    };
    operation.op.instances().map(member).collect()
}

fn entry<'a>(operation: &'a Operation<'_>) -> Entry<'a> {
    let op = operation.op;
    let function = &op.class.function;
    let width = |num: &Num| {
        number(num, &|atom| match atom {
            Atom::Param(param) => function.param(param).name.clone(),
            Atom::Index(_) => unreachable!("the widths of registers depend only on parameters"),
        })
    };
    let parameter = |(place, param): (usize, &'a hydride_ir::Param)| {
        let values: BTreeSet<i64> =
            op.class.members.iter().map(|member| member.application.params[place]).collect();
        Parameter {
            name: &param.name,
            kind: match op.param_kinds[place] {
                ParamKind::Signedness => "signedness",
                ParamKind::Number => "number",
            },
            roles: roles(function, ParamId(place as u32)).into_iter().collect(),
            inferred: op.inferences.iter().any(|inference| inference.param.0 as usize == place),
            default: param.value,
            values: values.into_iter().collect(),
        }
    };
    let argument = |arg: &'a hydride_ir::Arg| Argument {
        name: &arg.name,
        width: width(&arg.width),
        role: match arg.role {
            Role::Register | Role::Memory { .. } => "register",
            Role::Immediate { .. } => "immediate",
        },
        range: arg.role.range(),
    };
    let result =
        |result: &'a hydride_ir::ResultSlot| Register { name: &result.name, width: width(&result.width) };
    let equation =
        |identity: Identity| Equation { identity, text: identity.text(&op.name, operation.arg_names()) };
    let mut named = function.clone();
    named.name.clone_from(&op.name);
    Entry {
        name: &op.name,
        family: &op.family,
        aliases: &op.aliases,
        documentation: summary(operation),
        category: op.category.as_deref(),
        commutative: op.is_commutative(),
        identities: operation.identities().iter().copied().map(equation).collect(),
        parameters: function.params.iter().enumerate().map(parameter).collect(),
        arguments: function.args.iter().map(argument).collect(),
        results: function.results.iter().map(result).collect(),
        function: named.to_string(),
    }
}

/// What a parameter is used as in a function.
fn roles(function: &hydride_ir::Function, param: ParamId) -> BTreeSet<&'static str> {
    let mut roles = BTreeSet::new();
    let mut note = |num: &Num, role| {
        if num.atoms().any(|atom| atom == Atom::Param(param)) {
            roles.insert(role);
        }
    };
    for expr in function.exprs() {
        note(&expr.width, "width");
        match &expr.op {
            Op::Int(num) => note(num, "value"),
            Op::Extract { low, .. } => note(low, "position"),
            Op::Fold { signed, count, .. } => {
                note(signed, "signedness");
                note(count, "count");
            }
            op => op.nums().into_iter().for_each(|num| note(num, "signedness")),
        }
    }
    let widths = function.args.iter().map(|arg| &arg.width);
    widths.chain(function.results.iter().map(|result| &result.width)).for_each(|num| note(num, "width"));
    for event in function.walk() {
        match event {
            Event::Enter(around) => note(around.count, "count"),
            Event::Assign(assignment) => note(assignment.low, "position"),
            Event::Leave(_) => {}
        }
    }
    roles
}
