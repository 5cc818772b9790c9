//! `data.js`: what lists and searches need, as columns with dictionaries.
//!
//! One value for each entry in `ids`, `file`, `line`, `status`, `why`, `signature`, `extensions` and `mnemonics`; one
//! for each modelled entry, in the same order, in `modelled`. A number in a column is a position in the dictionary of that name; -1 is none.

use std::collections::BTreeMap;

use autoir::{Facts, Member, Op, ParamKind, ValueType};
use catalog::Trust;
use catalog::record::{MaskingKind, SourceRecord};
use codegen_gen::GeneratedFile;
use hydride_ir::lane::element_count;
use hydride_ir::passes::instantiate;
use serde::Serialize;

use crate::ReportError;
use crate::assets::script;
use crate::formula::{Formula, formula};
use crate::input::{Declaration, Input, Port, Status};

/// Maximum characters of a general formula in the list of operations, and of one shown there as an example.
const MAX_GENERAL: usize = 72;
const MAX_EXAMPLE: usize = 160;

/// Values in the order in which they were first asked for.
#[derive(Default, Serialize)]
#[serde(transparent)]
struct Dictionary<T: Serialize> {
    values: Vec<T>,
    #[serde(skip)]
    positions: BTreeMap<String, usize>,
}

impl<T: Serialize> Dictionary<T> {
    fn position(&mut self, value: T) -> Result<usize, ReportError> {
        let key = serde_json::to_string(&value)?;
        let next = self.values.len();
        let position = *self.positions.entry(key).or_insert(next);
        if position == next {
            self.values.push(value);
        }
        Ok(position)
    }
}

#[derive(Serialize, Default)]
struct Data<'a> {
    isas: Vec<Isa<'a>>,
    ops: Vec<OpData<'a>>,
    errata: Vec<[&'a str; 2]>,
    synonyms: Vec<(&'a str, &'a [String])>,
    ids: Vec<&'a str>,
    file: Vec<usize>,
    line: Vec<u32>,
    /// 0 modelled, 1 excluded, 2 failed.
    status: Vec<u8>,
    why: Vec<i64>,
    signature: Vec<i64>,
    extensions: Vec<i64>,
    mnemonics: Vec<i64>,
    /// Positions of errata by position of the entry.
    touched: BTreeMap<usize, &'a [usize]>,
    modelled: Columns,
    /// Names that C programs write, by position of the entry, where they are not the id.
    intrinsics: BTreeMap<usize, &'a str>,
    dictionaries: Dictionaries<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ports: Vec<PortData<'a>>,
}

#[derive(Serialize)]
struct PortData<'a> {
    to: &'a str,
    page: String,
    /// Positions of the entries that have a row on the page.
    entries: Vec<usize>,
}

#[derive(Serialize)]
struct Isa<'a> {
    name: &'a str,
    version: &'a str,
    entries: usize,
}

#[derive(Serialize)]
struct OpData<'a> {
    name: &'a str,
    family: &'a str,
    /// One sentence, where the operation was reviewed.
    summary: Option<&'a str>,
    category: Option<&'a str>,
    aliases: &'a [String],
    params: Vec<&'a str>,
    /// Positions of the parameters that are signs.
    signs: Vec<usize>,
    /// Positions of the parameters that do not follow from types.
    attributes: Vec<usize>,
    args: Vec<(&'a str, u8)>,
    commutative: bool,
    /// The position of the parameter that counts elements which are computed one by one.
    elements: Option<usize>,
    formula: String,
    /// The representative instance, whose formula `formula` is if `is_example` is set.
    example: usize,
    is_example: u8,
    /// Parameter values and shapes of the instances, in the order of parameters, results and arguments.
    instances: Vec<(Vec<i64>, Vec<usize>, Vec<usize>)>,
}

/// One value for each modelled entry.
#[derive(Serialize, Default)]
struct Columns {
    op: Vec<usize>,
    instance: Vec<usize>,
    args: Vec<usize>,
    masking: Vec<usize>,
    proof: Vec<usize>,
    trust: Vec<usize>,
    runs: Vec<usize>,
    costs: Vec<usize>,
}

/// Types, then for each argument its type, name and, of an immediate, the least and the greatest value.
type SignatureData = (Vec<usize>, Vec<(usize, String, Option<(i64, i64)>)>);

/// What is done with the operation's result: the kind of masking, positions of the mask and the passthrough, stride and
/// lane if the mask does not have one bit per element, whether a 0 bit selects the value, and for a part its lowest
/// bit, its width and the position of the argument with the other bits.
type MaskingData = (&'static str, i64, i64, Option<(u32, u32)>, u8, Option<(u32, u32, u32)>);

#[derive(Serialize, Default)]
struct Dictionaries<'a> {
    file: Dictionary<&'a str>,
    why: Dictionary<(&'a str, &'a str)>,
    shape: Dictionary<String>,
    c_type: Dictionary<&'a str>,
    signature: Dictionary<SignatureData>,
    args: Dictionary<Vec<String>>,
    masking: Dictionary<MaskingData>,
    proof: Dictionary<&'static str>,
    trust: Dictionary<&'a str>,
    runs: Dictionary<Vec<(&'a str, usize, u64)>>,
    /// CPU, latency in cycles, micro-operations.
    costs: Dictionary<Vec<(&'a str, u32, u32)>>,
    extensions: Dictionary<&'a [String]>,
    mnemonics: Dictionary<&'a [String]>,
}

/// The file.
pub(crate) fn file(input: &Input<'_>) -> Result<GeneratedFile, ReportError> {
    let mut data = Data {
        errata: input.errata.iter().map(|erratum| [erratum.note.as_str(), &erratum.evidence]).collect(),
        synonyms: input.synonyms.iter().map(|(word, terms)| (word.as_str(), terms.as_slice())).collect(),
        ..Data::default()
    };
    let mut members: BTreeMap<(&str, &str), (usize, usize, &Member, &Facts)> = BTreeMap::new();
    for (position, op) in input.dialect.ops().iter().enumerate() {
        let (shown, instances) = op_data(op, &mut data.dictionaries.shape)?;
        data.ops.push(shown);
        for ((member, facts), instance) in op.instances().zip(instances) {
            members.insert((&member.isa, &member.id), (position, instance, member, facts));
        }
    }
    for isa in &input.isas {
        data.isas.push(Isa { name: isa.name, version: isa.version, entries: isa.entries.len() });
        for entry in &isa.entries {
            let position = data.ids.len();
            data.ids.push(entry.id);
            data.file.push(data.dictionaries.file.position(entry.file)?);
            data.line.push(entry.line);
            if !entry.errata.is_empty() {
                data.touched.insert(position, &entry.errata);
            }
            let (status, why) = match &entry.status {
                Status::Modelled(_) => (0, None),
                Status::Excluded { reason, message } => (1, Some((*reason, message.unwrap_or_default()))),
                Status::Failed { reason, message } => (2, Some((*reason, *message))),
            };
            data.status.push(status);
            let why = why.map(|why| data.dictionaries.why.position(why)).transpose()?;
            data.why.push(column_value(why));
            let Status::Modelled(modelled) = &entry.status else {
                declare(&mut data, entry.declared)?;
                continue;
            };
            let Some((op, instance, member, facts)) = members.get(&(isa.name, entry.id)) else {
                return Err(ReportError::NoMember { isa: isa.name.to_owned(), id: entry.id.to_owned() });
            };
            if member.intrinsic != entry.id {
                data.intrinsics.insert(position, &member.intrinsic);
            }
            let names = &modelled.arg_names;
            let runs = modelled.runs.iter().map(|run| (run.cpu.as_str(), run.inputs, run.seed)).collect();
            let known = &mut data.dictionaries;
            let signature = signature(member, names, &mut known.c_type)?;
            data.signature.push(column_value(Some(known.signature.position(signature)?)));
            data.extensions.push(column_value(Some(known.extensions.position(&member.extensions)?)));
            data.mnemonics.push(column_value(Some(known.mnemonics.position(&member.mnemonics)?)));
            let columns = &mut data.modelled;
            columns.op.push(*op);
            columns.instance.push(*instance);
            columns.args.push(
                known
                    .args
                    .position(facts.sources(&member.application).map(|found| source(&found)).collect())?,
            );
            columns.masking.push(known.masking.position(masking(member, facts))?);
            columns.proof.push(known.proof.position(member.proof.name())?);
            columns.trust.push(known.trust.position(member.trust.as_ref().map_or("unknown", Trust::name))?);
            columns.runs.push(known.runs.position(runs)?);
            let costs = modelled.costs.iter().map(|cost| (cost.cpu, cost.latency, cost.uops)).collect();
            columns.costs.push(known.costs.position(costs)?);
        }
    }
    data.ports = input.ports.iter().map(|port| port_data(input, port)).collect();
    Ok(script("report/data.js", "hydride.load", &serde_json::to_string(&data)?))
}

/// A port with the positions of its entries.
fn port_data<'a>(input: &Input<'_>, port: &'a Port) -> PortData<'a> {
    let all = input.isas.iter().flat_map(|isa| isa.entries.iter().map(|entry| (isa.name, entry.id)));
    let is_own = |(isa, id): (&str, &str)| isa == port.from && port.ids.contains(id);
    let entries = all.enumerate().filter(|(_, entry)| is_own(*entry)).map(|(position, _)| position).collect();
    PortData { to: &port.to, page: port.path(), entries }
}

/// Adds to the columns what a document declares of an entry that is not modelled.
fn declare<'a>(data: &mut Data<'a>, declared: Option<Declaration<'a>>) -> Result<(), ReportError> {
    let known = &mut data.dictionaries;
    let typed = declared.filter(|declared| !declared.result.is_empty() || !declared.args.is_empty());
    let signature = typed.map(|declared| {
        let results = Some(declared.result).filter(|result| !matches!(*result, "" | "void"));
        let results = results.map(|result| known.c_type.position(result)).into_iter();
        let args = declared.args.iter();
        let args = args.map(|(c_type, name)| Ok((known.c_type.position(c_type)?, name.clone(), None)));
        let signature = (results.collect::<Result<_, _>>()?, args.collect::<Result<_, ReportError>>()?);
        known.signature.position(signature)
    });
    let extensions = declared.map(|declared| declared.extensions).filter(|list| !list.is_empty());
    let mnemonics = declared.map(|declared| declared.mnemonics).filter(|list| !list.is_empty());
    data.signature.push(column_value(signature.transpose()?));
    data.extensions.push(column_value(extensions.map(|list| known.extensions.position(list)).transpose()?));
    data.mnemonics.push(column_value(mnemonics.map(|list| known.mnemonics.position(list)).transpose()?));
    Ok(())
}

/// A position as it is in a column.
fn column_value(position: Option<usize>) -> i64 {
    position.and_then(|position| i64::try_from(position).ok()).unwrap_or(-1)
}

/// An operation, and for each of its members the position of its instance.
fn op_data<'a>(op: &'a Op, shapes: &mut Dictionary<String>) -> Result<(OpData<'a>, Vec<usize>), ReportError> {
    let mut positions: BTreeMap<&[i64], usize> = BTreeMap::new();
    let mut distinct: Vec<(&[i64], &Facts)> = op
        .instances()
        .map(|(member, facts)| (member.application.params.as_slice(), facts))
        .collect::<BTreeMap<_, _>>()
        .into_iter()
        .collect();
    // Small shapes first: that is how people look for them.
    let size =
        |facts: &Facts| facts.results.iter().chain(&facts.args).map(|shape| shape.width()).sum::<u32>();
    distinct.sort_by_key(|(_, facts)| (facts.results.first().map(|shape| shape.element), size(facts)));
    let facts_of: Vec<&Facts> = distinct.iter().map(|(_, facts)| *facts).collect();
    let mut instances = Vec::new();
    for (params, facts) in distinct {
        positions.insert(params, instances.len());
        let mut shapes_of = |values: &[ValueType]| {
            values.iter().map(|value| shapes.position(shape(*value))).collect::<Result<Vec<_>, _>>()
        };
        instances.push((params.to_vec(), shapes_of(&facts.results)?, shapes_of(&facts.args)?));
    }
    let members = op.class.members.iter();
    let found: Vec<usize> = members
        .map(|member| positions.get(member.application.params.as_slice()).copied().unwrap_or(0))
        .collect();
    let mut counts = vec![0usize; instances.len()];
    found.iter().for_each(|instance| counts[*instance] += 1);
    // A vector instance if there is one, since a scalar's formula says less; the first of those with the most members.
    let vector = |place: usize| facts_of[place].results.iter().any(|result| result.is_vector());
    let example =
        (0..instances.len()).rev().max_by_key(|place| (vector(*place), counts[*place])).unwrap_or(0);
    let (formula, is_example) = short_formula(op, &instances[example].0);
    let kinds = op.param_kinds.iter().enumerate();
    let data = OpData {
        name: &op.name,
        family: &op.family,
        summary: op.summary.as_deref(),
        category: op.category.as_deref(),
        aliases: &op.aliases,
        params: op.param_names().collect(),
        signs: kinds.filter(|(_, kind)| **kind == ParamKind::Signedness).map(|(place, _)| place).collect(),
        attributes: op.attributes().collect(),
        args: op.args().map(|(name, immediate)| (name, u8::from(immediate))).collect(),
        commutative: op.is_commutative(),
        elements: element_count(&op.class.function, positions.keys().copied()),
        formula,
        example,
        is_example: u8::from(is_example),
        instances,
    };
    Ok((data, found))
}

/// The first statement of the general formula where that is short, else of an instance's, and whether it is one.
fn short_formula(op: &Op, params: &[i64]) -> (String, bool) {
    let function = &op.class.function;
    let general = first_line(&formula(function, &[]));
    if general.chars().count() <= MAX_GENERAL || op.class.function.params.is_empty() {
        return (shortened(general, MAX_EXAMPLE), false);
    }
    let example = instantiate(function, params).map(|instance| first_line(&formula(&instance, &[])));
    (shortened(example.unwrap_or(general), MAX_EXAMPLE), true)
}

fn first_line(formula: &Formula) -> String {
    let more = if formula.lines.len() + formula.left_out > 1 { "; …" } else { "" };
    formula.lines.first().map_or_else(String::new, |line| format!("{}{more}", line.equation))
}

/// A text of at most this many characters, not cut within a subscript.
fn shortened(text: String, most: usize) -> String {
    if text.chars().count() <= most {
        return text;
    }
    let mut cut: String = text.chars().take(most).collect();
    if let Some(open) = cut.rfind("_{")
        && !cut[open..].contains('}')
    {
        cut.truncate(open);
    }
    cut.push('…');
    cut
}

fn shape(value: ValueType) -> String {
    let element = match value.exponent {
        0 => format!("i{}", value.element),
        8 if value.element == 16 => "bf16".to_owned(),
        _ => format!("f{}", value.element),
    };
    if value.is_vector() { format!("{}×{element}", value.count) } else { element }
}

fn signature<'a>(
    member: &'a Member,
    names: &[&str],
    types: &mut Dictionary<&'a str>,
) -> Result<SignatureData, ReportError> {
    let mut results = Vec::new();
    for result in &member.signature.results {
        results.push(types.position(&result.c_type)?);
    }
    let mut args = Vec::new();
    for (position, arg) in member.signature.args.iter().enumerate() {
        let name = names.get(position).map_or_else(|| format!("x{position}"), |name| (*name).to_owned());
        args.push((types.position(&arg.c_type)?, name, arg.immediate()));
    }
    Ok((results, args))
}

fn masking(member: &Member, facts: &Facts) -> MaskingData {
    let place = |position: Option<u32>| position.map_or(-1, i64::from);
    let masking = member.application.masking;
    (
        MaskingKind::of(masking).name(),
        place(masking.map(|masking| masking.mask)),
        place(masking.and_then(|masking| masking.pass)),
        masking.and_then(|masking| facts.uneven_mask(masking)),
        u8::from(masking.is_some_and(|masking| masking.negated)),
        member.application.part.map(|part| (part.low, part.width, part.pass)),
    )
}

/// Where an argument of the operation comes from; `#` precedes a position of the member's arguments.
fn source(source: &SourceRecord) -> String {
    argument(source, |position| format!("#{position}"))
}

/// Where an argument of the operation comes from, with the member's arguments as `name` calls them.
pub(crate) fn argument(source: &SourceRecord, name: impl Fn(u32) -> String) -> String {
    match source {
        SourceRecord::Position(position) => name(*position),
        SourceRecord::Constant { constant } => format!("0x{constant}"),
        SourceRecord::Broadcast { broadcast, lane, low, width, stride } => {
            let lane = lane.map_or_else(String::new, |lane| format!(" + {width}·{}", name(lane)));
            let apart = if stride == width { String::new() } else { format!("_{{{stride}}}") };
            format!("every{apart}({}[{low}{lane} +: {width}])", name(*broadcast))
        }
        SourceRecord::Masked { masked, mask, lane, inactive } => {
            format!("select_{{{lane}}}({}, {}, 0x{inactive})", name(*mask), name(*masked))
        }
    }
}
