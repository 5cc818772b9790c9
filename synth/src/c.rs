//! A program as C with intrinsics: leaves are read from memory, scalars are parameters, and the result is written to
//! memory.
//!
//! Names of the function's own variables are a letter with a number, or end with an underscore, so that they are none of a
//! leaf. What does not change from iteration to iteration is computed at the head of the function in 64-bit integers.

use std::fmt::Write as _;

use hydride_ir::exact::{Int, Node, NodeId, Range};
use rustc_hash::FxHashMap;
use search::{Class, Instruction, Operand, Syntax, Type as Register};

use crate::contents::Entry;
use crate::program::{Program, Value};
use crate::table::Table;
use crate::typed::written;
use crate::window::{Kind, Meaning, Type};

/// A program that C has no form for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoC {
    /// A type without a C integer.
    #[error("C has no integers of {0} bits")]
    Width(u32),
    /// A loop-invariant value that 64-bit integers do not hold.
    #[error("a scalar needs more than 64 bits")]
    Scalar,
}

/// The C name of integers of a type.
pub fn c_element(ty: Type) -> Result<String, NoC> {
    match ty.width {
        1 => Ok("uint8_t".into()),
        8 | 16 | 32 | 64 => {
            Ok(format!("{}int{}_t", if ty.kind == Kind::Signed { "" } else { "u" }, ty.width))
        }
        other => Err(NoC::Width(other)),
    }
}

/// Where a function's body finds leaves that are no scalars, and leaves the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaves {
    /// Behind pointers to their first elements.
    Pointers,
    /// In variables.
    Variables,
}

/// Whether a C type is that of a floating-point number; vectors have their number of lanes in it (`float32x4_t`).
fn is_floating(c_type: &str) -> bool {
    ["float", "double", "_Float16", "__bf16"].iter().any(|word| c_type.contains(word))
        && !c_type.contains('x')
}

/// The lines of a function `void NAME(RESULT *result, LEAF…)`; dense leaves are pointers to their elements.
pub fn c_function(
    meaning: &mut Meaning<'_>,
    table: &Table,
    program: &Program,
    syntax: &dyn Syntax,
    name: &str,
) -> Result<Vec<String>, NoC> {
    let window = meaning.window();
    let body = c_body(meaning, table, program, syntax, Leaves::Pointers)?;
    let mut parameters = vec![format!("{} *restrict result", c_element(window.ty())?)];
    for leaf in &window.leaves {
        let ty = c_element(leaf.ty)?;
        parameters.push(match leaf.scalar {
            true => format!("{ty} {}", leaf.name),
            false => format!("const {ty} *restrict {}", leaf.name),
        });
    }
    let mut lines = vec![format!("void {name}({})", parameters.join(", ")), "{".into()];
    lines.extend(body);
    lines.push("}".into());
    Ok(lines)
}

/// The lines of a function's body, for leaves that are variables of their names or pointers, and a `result` of the same kind.
pub fn c_body(
    meaning: &mut Meaning<'_>,
    table: &Table,
    program: &Program,
    syntax: &dyn Syntax,
    leaves: Leaves,
) -> Result<Vec<String>, NoC> {
    let mut writer = Writer::new(meaning, table, program, syntax);
    writer.leaves = leaves;
    for at in 0..program.inputs.len() {
        writer.input(at)?;
    }
    for at in 0..program.steps.len() {
        writer.step(at);
    }
    writer.outputs()?;
    Ok(writer.lines)
}

/// A part of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CPart {
    /// C.
    Text(String),
    /// A leaf, by its position.
    Leaf(usize),
}

/// Marks a leaf's position in the text of an expression.
const LEAF: char = '\u{1}';

/// The program as one expression that reads each leaf once, for leaves that are whole registers; nothing where it is not of
/// that kind.
pub fn c_expression(
    meaning: &mut Meaning<'_>,
    table: &Table,
    program: &Program,
    syntax: &dyn Syntax,
) -> Option<Vec<CPart>> {
    let window = meaning.window();
    let (leaves, total) = (&window.leaves, window.ty().bits());
    let is_whole = |ty: Register, bits: u32| ty.class == Class::Vector && ty.width == bits;
    let [(value, content)] = program.outputs.as_slice() else { return None };
    let lanes_before_any = content.iter().take_while(|entry| **entry != Entry::Any).count() as u32;
    let of_leaf = program.inputs.iter().all(|input| {
        let leaf =
            input.load.filter(|(_, start)| *start == 0).and_then(|(leaf, _)| leaves.get(leaf as usize));
        leaf.is_some_and(|leaf| !leaf.scalar && is_whole(input.ty, leaf.ty.bits()))
    });
    let mut uses = vec![0; program.steps.len()];
    for operand in program.steps.iter().flat_map(|step| &step.operands).chain([value]) {
        match operand {
            Value::Input(_) => {}
            Value::Step(at) => uses[*at] += 1,
            Value::Low(_) | Value::High(_) | Value::Pair(_) => return None,
        }
    }
    let leaf_count = leaves.len();
    let mut writer = Writer { nested: true, ..Writer::new(meaning, table, program, syntax) };
    if program.added.is_some()
        || program.extended.is_some()
        || !of_leaf
        || uses.iter().any(|uses| *uses > 1)
        || !is_whole(writer.ty(value), total)
        || lanes_before_any * program.container != total
    {
        return None;
    }
    let text = writer.value(value);
    let mut parts = Vec::new();
    let mut read = vec![0; leaf_count];
    for (number, part) in text.split(LEAF).enumerate() {
        parts.push(match number % 2 {
            0 => CPart::Text(part.to_owned()),
            _ => {
                let leaf: usize = part.parse().ok()?;
                *read.get_mut(leaf)? += 1;
                CPart::Leaf(leaf)
            }
        });
    }
    read.iter().all(|times| *times == 1).then_some(parts)
}

/// A variable `b_` for a register of which `some` bytes are read or written. Halves of 128 bits are floating-point numbers there, or
/// of another type `of`: compilers take vectors of 64 bits through general registers otherwise.
fn buffer(ty: Register, some: u32, of: Option<&str>) -> String {
    let bytes = ty.width.div_ceil(8);
    match (ty.class, bytes) {
        (Class::Vector, 16 | 32 | 64) if some.is_multiple_of(8) => {
            format!("{} b_ __attribute__((vector_size({bytes})))", of.unwrap_or("double"))
        }
        _ => format!("unsigned char b_[{bytes}]"),
    }
}

/// Values of `container` bits as equal ones that are wider, where neighbors repeat.
fn repeated(values: Vec<String>, container: u32) -> (Vec<String>, u32) {
    let period = [1, 2, 4, 8].into_iter().find(|period| {
        *period < values.len()
            && container * *period as u32 <= 64
            && values.chunks(*period).all(|chunk| *chunk == values[..*period])
    });
    let Some(period) = period.filter(|period| *period > 1) else {
        return (values, container);
    };
    let wide = container * period as u32;
    let part = |(at, value): (usize, &String)| {
        format!("(uint{wide}_t)(uint{container}_t)({value}) << {}", at as u32 * container)
    };
    let parts: Vec<String> = values[..period].iter().enumerate().map(part).collect();
    (vec![parts.join(" | "); values.len() / period], wide)
}

struct Writer<'a, 'w> {
    meaning: &'a mut Meaning<'w>,
    table: &'a Table,
    program: &'a Program,
    syntax: &'a dyn Syntax,
    lines: Vec<String>,
    scalars: FxHashMap<NodeId, String>,
    /// Whether values are the expressions that compute them, and not variables.
    nested: bool,
    /// Where leaves and the result are.
    leaves: Leaves,
    /// Whether the result is made of leaves' elements. Compilers have instructions that move a single one, and find them where they
    /// see the elements.
    moves: bool,
    /// For each step the position of the instruction that is written.
    written: Vec<usize>,
}

impl<'a, 'w> Writer<'a, 'w> {
    fn new(
        meaning: &'a mut Meaning<'w>,
        table: &'a Table,
        program: &'a Program,
        syntax: &'a dyn Syntax,
    ) -> Self {
        Self {
            meaning,
            table,
            program,
            syntax,
            lines: Vec::new(),
            scalars: FxHashMap::default(),
            nested: false,
            leaves: Leaves::Pointers,
            moves: program.only_moves(),
            written: written(table, program),
        }
    }

    fn line(&mut self, text: &str) {
        self.lines.push(format!("  {text}"));
    }

    fn word(&self, c_type: &str) -> String {
        let of = |word: &str| {
            self.syntax
                .c_words()
                .iter()
                .find(|(own, _)| *own == word)
                .map_or(word.to_owned(), |(_, c)| (*c).to_owned())
        };
        c_type.split_whitespace().filter(|word| *word != "const").map(of).collect::<Vec<_>>().join(" ")
    }

    fn input(&mut self, at: usize) -> Result<(), NoC> {
        let input = &self.program.inputs[at];
        let ty = self.syntax.c_type(input.ty, input.container);
        let bytes = input.ty.width.div_ceil(8);
        if let Some((leaf, start)) = input.load {
            let leaf = &self.meaning.window().leaves[leaf as usize];
            let name = &leaf.name;
            let count = i64::from(input.ty.width / leaf.ty.width);
            let (from, to) = (start.max(0), (start + count).min(i64::from(leaf.ty.lanes)));
            let each = i64::from(leaf.ty.width / 8);
            let source = match (leaf.scalar, self.leaves) {
                (true, _) => format!("&{name}"),
                (false, Leaves::Pointers) => format!("{name} + {from}"),
                (false, Leaves::Variables) if from == 0 => format!("&{name}"),
                (false, Leaves::Variables) => format!("(const char *)&{name} + {}", from * each),
            };
            let text = if (from, to) == (start, start + count) {
                format!("{ty} i{at}; __builtin_memcpy(&i{at}, {source}, {bytes});")
            } else {
                // The rest has no value: the proof relies on none.
                let (offset, some) = ((from - start) * each, (to - from) * each);
                // What is wider than 64 bits may be a structure, which has no elements.
                let own = match leaf.ty.bits() {
                    ..=64 => format!("__typeof__({name}[0])"),
                    _ => format!("uint{}_t", leaf.ty.width),
                };
                // A part of a leaf may be a member of a structure.
                let is_whole = leaf.ty.lanes > 1 && to - from == i64::from(leaf.ty.lanes);
                let elements = self.moves && self.leaves == Leaves::Variables && is_whole;
                format!(
                    "{ty} i{at}; {{ {}; __builtin_memcpy((char *)&b_ + {offset}, {source}, {some}); \
                     __builtin_memcpy(&i{at}, &b_, {bytes}); }}",
                    buffer(input.ty, some as u32, elements.then_some(&own))
                )
            };
            self.line(&text);
            return Ok(());
        }
        let content = input.content.clone();
        let (container, class) = (input.container, input.ty.class);
        if class == Class::Mask || container < 8 {
            let mut text = format!("{ty} i{at} = 0;");
            for (position, entry) in content.iter().enumerate() {
                if let Entry::Uniform(value) = entry {
                    let value = self.scalar(*value)?;
                    let _ = write!(text, " i{at} |= ({ty})({value} & 1) << {position};");
                }
            }
            self.line(&text);
            return Ok(());
        }
        let (content, container) = self.words(content, container);
        let (content, container) = self.narrowed(content, container);
        let mut values = Vec::new();
        for entry in &content {
            values.push(match entry {
                Entry::Uniform(value) => self.bits(*value)?,
                _ => "0".to_owned(),
            });
        }
        let (values, container) = repeated(values, container);
        let text = if values.len() > 1 && values.iter().all(|value| *value == values[0]) {
            let value = format!("(uint{container}_t)({})", values[0]);
            // Compilers take what a loop fills with bytes as numbers; wider elements may be floating-point numbers, which stay
            // in their registers in a loop.
            let (ending, fill) = match container {
                8 => (format!(" __attribute__((vector_size({bytes}))) = {{0}}"), format!("e_ += {value}")),
                _ => {
                    let count = values.len();
                    (format!("[{count}]"), format!("for (int n_ = 0; n_ < {count}; n_++) e_[n_] = {value}"))
                }
            };
            format!(
                "{ty} i{at}; {{ uint{container}_t e_{ending}; {fill}; __builtin_memcpy(&i{at}, &e_, {bytes}); }}"
            )
        } else if values.len() == 1 && !self.program.steps.iter().any(|step| step.reads(at)) {
            // A number that is stored as it is stays in its general register.
            format!("struct {{ uint{container}_t e_; }} i{at} = {{(uint{container}_t)({})}};", values[0])
        } else {
            let list: Vec<String> =
                values.iter().map(|value| format!("(uint{container}_t)({value})")).collect();
            format!(
                "{ty} i{at}; {{ const uint{container}_t e_[] = {{{}}}; __builtin_memcpy(&i{at}, e_, {bytes}); }}",
                list.join(", ")
            )
        };
        self.line(&text);
        Ok(())
    }

    /// A scalar among zeros in containers as narrow as it is, so that a compiler sees that it is moved there alone.
    fn narrowed(&mut self, mut content: Vec<Entry>, mut container: u32) -> (Vec<Entry>, u32) {
        let dag = &mut self.meaning.dag;
        let zero = dag.int(0);
        let mut others = content.iter().filter_map(|entry| entry.uniform()).filter(|own| *own != zero);
        let (Some(scalar), None) = (others.next(), others.next()) else { return (content, container) };
        if dag.as_int(scalar).is_some() {
            return (content, container);
        }
        while container > 8 && dag.range(scalar).fits(container / 2, false) {
            content = content.into_iter().flat_map(|entry| [entry, Entry::Uniform(zero)]).collect();
            container /= 2;
        }
        (content, container)
    }

    /// Containers of more than 64 bits as so many of 64.
    fn words(&mut self, content: Vec<Entry>, container: u32) -> (Vec<Entry>, u32) {
        if container <= 64 {
            return (content, container);
        }
        let mut words = Vec::new();
        for entry in content {
            for low in (0..container).step_by(64) {
                words.push(match entry {
                    Entry::Uniform(value) => Entry::Uniform(self.meaning.dag.slice(value, low, 64, false)),
                    other => other,
                });
            }
        }
        (words, 64)
    }

    fn step(&mut self, at: usize) {
        let ty = self.word(&self.instruction(at).result_c_type);
        let call = self.call(at);
        self.line(&format!("{ty} t{at} = {call};"));
    }

    /// The instruction that a step is written as.
    fn instruction(&self, at: usize) -> &'a Instruction {
        &self.table.instructions[self.written[at]]
    }

    /// The call of a step's intrinsic.
    fn call(&mut self, at: usize) -> String {
        let step = &self.program.steps[at];
        let op = self.table.op(step.op);
        let instruction = self.instruction(at);
        let mut registers: Vec<(String, bool)> = Vec::new();
        for operand in &step.operands {
            registers.push((self.value(operand), self.is_float(operand)));
        }
        let (mut rest, mut choices) = (registers.into_iter(), op.choices.iter());
        let mut arguments = Vec::new();
        for (operand, c_type) in instruction.operands.iter().zip(&instruction.c_types) {
            let c_type = self.word(c_type);
            match operand {
                Operand::Choice { .. } => {
                    arguments.push(choices.next().map(ToString::to_string).unwrap_or_default());
                }
                Operand::Register(_) => {
                    let (value, is_float) = rest.next().unwrap_or_default();
                    // C does not cast structures, and converts numbers to floating-point ones and back.
                    let copies = is_float != is_floating(&c_type)
                        || (2..=4).any(|count| self.syntax.part(&c_type, count) != c_type);
                    arguments.push(match copies {
                        true => format!(
                            "({{ __typeof__({value}) v_ = {value}; {c_type} a_; __builtin_memcpy(&a_, &v_, sizeof a_); a_; }})"
                        ),
                        false => format!("({c_type})({value})"),
                    });
                }
                Operand::Consecutive { each, count } => {
                    let registers: Vec<String> = rest.by_ref().take(*count).map(|(value, _)| value).collect();
                    arguments.push(self.structure(&c_type, &registers, each.width / 8));
                }
            }
        }
        format!("{}({})", instruction.intrinsic, arguments.join(", "))
    }

    /// Whether a value is a floating-point number in C.
    fn is_float(&self, value: &Value) -> bool {
        match value {
            Value::Step(at) => is_floating(&self.word(&self.instruction(*at).result_c_type)),
            Value::Input(at) => {
                let input = &self.program.inputs[*at];
                is_floating(&self.syntax.c_type(input.ty, input.container))
            }
            Value::Low(_) | Value::High(_) | Value::Pair(_) => false,
        }
    }

    /// Registers of so many bytes as a structure, in memory where its parts are not these registers (`int8x8x4_t` in two of them).
    fn structure(&self, c_type: &str, registers: &[String], bytes: u32) -> String {
        let part = self.syntax.part(c_type, registers.len());
        if part != c_type {
            let parts: Vec<String> =
                registers.iter().map(|register| format!("({part})({register})")).collect();
            return format!("({c_type}){{{{{}}}}}", parts.join(", "));
        }
        let mut text = format!("({{ {c_type} a_;");
        for (register, from) in registers.iter().zip((0..).step_by(bytes as usize)) {
            let _ = write!(
                text,
                " {{ __typeof__({register}) v_ = {register}; __builtin_memcpy((char *)&a_ + {from}, &v_, {bytes}); }}"
            );
        }
        text + " a_; })"
    }

    /// The C expression of a value; halves and pairs are made in memory, which compilers see through.
    fn value(&mut self, value: &Value) -> String {
        let widest = |pair: &Value, writer: &Self| writer.ty(pair).width / 8;
        match value {
            Value::Input(at) => match self.program.inputs[*at].load {
                Some((leaf, _)) if self.nested => format!("{LEAF}{leaf}{LEAF}"),
                _ => format!("i{at}"),
            },
            Value::Step(at) if self.nested => self.call(*at),
            Value::Step(at) => format!("t{at}"),
            Value::Low(pair) | Value::High(pair) => {
                let bytes = widest(pair, self);
                let whole = self.value(pair);
                let ty = self.syntax.c_type(Register { class: Class::Vector, width: 4 * bytes }, 8);
                let offset = if matches!(value, Value::High(_)) { bytes / 2 } else { 0 };
                // What has no name has no address.
                let named = match **pair {
                    Value::Input(_) => true,
                    Value::Step(_) => !self.nested,
                    _ => false,
                };
                let (before, whole) = match named {
                    true => (String::new(), whole),
                    false => {
                        let own = self.syntax.c_type(Register { class: Class::Vector, width: 8 * bytes }, 8);
                        (format!("{own} w_ = ({own})({whole}); "), "w_".to_owned())
                    }
                };
                format!(
                    "({{ {before}{ty} h_; __builtin_memcpy(&h_, (const char *)&{whole} + {offset}, {}); h_; }})",
                    bytes / 2
                )
            }
            Value::Pair(two) => {
                let bytes = self.ty(&two.0).width / 8;
                let (low, high) = (self.value(&two.0), self.value(&two.1));
                let ty = self.syntax.c_type(Register { class: Class::Vector, width: 8 * bytes }, 8);
                let pair = self.syntax.c_type(Register { class: Class::Vector, width: 16 * bytes }, 8);
                format!(
                    "({{ {pair} p_; {ty} l_ = ({ty})({low}), h_ = ({ty})({high}); __builtin_memcpy(&p_, &l_, {bytes}); \
                     __builtin_memcpy((char *)&p_ + {bytes}, &h_, {bytes}); p_; }})"
                )
            }
        }
    }

    /// The type of something that a program which is proved reads.
    fn ty(&self, value: &Value) -> Register {
        self.program.ty(self.table, value).expect("a program that is proved reads what is there")
    }

    fn outputs(&mut self) -> Result<(), NoC> {
        let bytes_each = self.program.container / 8;
        let result = match self.leaves {
            Leaves::Pointers => "result",
            Leaves::Variables => "&result",
        };
        let mut place = 0;
        for (at, (value, content)) in self.program.outputs.iter().enumerate() {
            let lanes = content.iter().filter(|entry| **entry != Entry::Any).count() as u32;
            let (name, ty) = (self.value(value), self.ty(value));
            let (offset, some) = (place * bytes_each, lanes * bytes_each);
            let is_half = some == 8 && ty.class == Class::Vector && ty.width == 128;
            let elements = self.moves && bytes_each < 8;
            if let Some(signed) = self.program.extended {
                let number = format!("{}int{}_t", if signed { "" } else { "u" }, self.program.container);
                let place = result.strip_prefix('&').map_or_else(|| format!("*{result}"), str::to_owned);
                self.line(&format!("{place} = ({number}){name};"));
                continue;
            }
            let text = match is_half && self.program.outputs.len() == 1 && !elements {
                true => format!(
                    "{{ __typeof__({name}) o{at} = {name}; {}; __builtin_memcpy(&b_, &o{at}, 16); \
                     __builtin_memcpy({result}, &b_, {some}); }}",
                    buffer(ty, some, None)
                ),
                false => format!(
                    "__typeof__({name}) o{at} = {name}; __builtin_memcpy((char *){result} + {offset}, &o{at}, {some});"
                ),
            };
            self.line(&text);
            place += lanes;
        }
        if let Some(added) = self.program.added {
            let added = self.scalar(added)?;
            self.line(&format!("*result += {added};"));
        }
        Ok(())
    }

    /// The name of 64 bits or less of a loop-invariant value.
    fn bits(&mut self, value: NodeId) -> Result<String, NoC> {
        let dag = &mut self.meaning.dag;
        let value = match dag.natural(value) {
            Some((64, false)) if dag.as_int(value).is_none() => dag.slice(value, 0, 64, true),
            _ => value,
        };
        self.scalar(value)
    }

    /// The name of a loop-invariant value, which is computed where it is not there yet.
    fn scalar(&mut self, value: NodeId) -> Result<String, NoC> {
        if let Some(known) = self.scalars.get(&value) {
            return Ok(known.clone());
        }
        if let Some(literal) = self.meaning.dag.as_int(value) {
            let literal = i128::try_from(literal).map_err(|_| NoC::Scalar)?;
            return match i64::try_from(literal) {
                Ok(own) => Ok(number(own)),
                Err(_) => Ok(format!("(long long){}ULL", u64::try_from(literal).map_err(|_| NoC::Scalar)?)),
            };
        }
        let (width, signed) = self.meaning.dag.natural(value).ok_or(NoC::Scalar)?;
        if width > 63 + u32::from(signed) {
            return Err(NoC::Scalar);
        }
        let text = self.scalar_expression(value)?;
        let name = format!("s{}_", self.scalars.len());
        self.line(&format!("const long long {name} = {text};"));
        self.scalars.insert(value, name.clone());
        Ok(name)
    }

    fn scalar_expression(&mut self, value: NodeId) -> Result<String, NoC> {
        let node = self.meaning.dag.node(value).clone();
        let low_bits = |of: &str, low: u32, width: u32, signed: bool| {
            if signed {
                format!("(long long)((unsigned long long){of} << {}) >> {}", 64 - low - width, 64 - width)
            } else {
                format!("(long long)((unsigned long long){of} << {} >> {})", 64 - low - width, 64 - width)
            }
        };
        Ok(match node {
            // All bits of parts side by side, whatever the highest one means.
            Node::Slice { of, low: 0, width: 64, .. }
                if matches!(self.meaning.dag.node(of), Node::Concat(_)) =>
            {
                self.scalar_expression(of)?
            }
            Node::Slice { of, low, width, signed } if low + width <= 64 => {
                let inner = match *self.meaning.dag.node(of) {
                    Node::Arg(arg) => {
                        let element = self.meaning.sample(arg).and_then(|elements| elements.first().copied());
                        let leaf = element.ok_or(NoC::Scalar)?.leaf as usize;
                        self.meaning.window().leaves[leaf].name.clone()
                    }
                    _ => self.scalar(of)?,
                };
                low_bits(&inner, low, width, signed)
            }
            Node::Sum { terms, constant } => {
                let mut text = number(i64::try_from(&constant).map_err(|_| NoC::Scalar)?);
                for (term, factor) in terms {
                    let factor = number(i64::try_from(&factor).map_err(|_| NoC::Scalar)?);
                    let _ = write!(text, " + {factor} * {}", self.scalar(term)?);
                }
                text
            }
            Node::Mul(factors) => self.all(&factors)?.join(" * "),
            Node::And(operands) => self.all(&operands)?.join(" & "),
            Node::Or(operands) => self.all(&operands)?.join(" | "),
            Node::Xor(operands) => self.all(&operands)?.join(" ^ "),
            Node::Not(of) => format!("~{}", self.scalar(of)?),
            Node::Shl(of, by) => {
                format!("(long long)((unsigned long long){} << {})", self.scalar(of)?, self.scalar(by)?)
            }
            Node::Shr(of, by) => {
                let (of, by) = (self.scalar(of)?, self.scalar(by)?);
                format!("{of} >> ({by} > 63 ? 63 : {by})")
            }
            Node::Min(operands) => self.chain(&operands, "<")?,
            Node::Max(operands) => self.chain(&operands, ">")?,
            Node::Eq(left, right) => format!("{} == {}", self.scalar(left)?, self.scalar(right)?),
            Node::Lt(left, right) => format!("{} < {}", self.scalar(left)?, self.scalar(right)?),
            Node::Le(left, right) => format!("{} <= {}", self.scalar(left)?, self.scalar(right)?),
            Node::Abs(of) => {
                let of = self.scalar(of)?;
                format!("{of} < 0 ? -{of} : {of}")
            }
            Node::Saturate { of, width, signed } => {
                if let Some(text) = self.overflow(of, width, signed)? {
                    return Ok(text);
                }
                let of = self.scalar(of)?;
                let limits = Range::of_width(width, signed);
                // A number is within 64 bits here, so that no bound at their ends or beyond them is passed.
                let bound = |relation: &str, bound: Option<Int>, other: String| {
                    let bound = bound.and_then(|bound| i64::try_from(bound).ok());
                    match bound.filter(|bound| ![i64::MIN, i64::MAX].contains(bound)) {
                        Some(bound) => format!("{of} {relation} {bound}LL ? {bound}LL : {other}"),
                        None => other,
                    }
                };
                bound("<", limits.low, bound(">", limits.high, of.clone()))
            }
            Node::Select(condition, then, otherwise) => {
                let (condition, then) = (self.scalar(condition)?, self.scalar(then)?);
                format!("{condition} ? {then} : {}", self.scalar(otherwise)?)
            }
            Node::Concat(parts) => {
                let (mut low, mut text) = (0, Vec::new());
                for part in parts {
                    text.push(format!(
                        "(long long)((unsigned long long){} << {low})",
                        self.scalar(part.node)?
                    ));
                    low += part.width;
                }
                text.join(" | ")
            }
            _ => return Err(NoC::Scalar),
        })
    }

    /// A saturated sum or difference of two numbers of the same type that can pass only one bound, for which compilers use the
    /// overflow or carry flag.
    fn overflow(&mut self, of: NodeId, width: u32, signed: bool) -> Result<Option<String>, NoC> {
        let dag = &self.meaning.dag;
        let Node::Sum { terms, constant } = dag.node(of).clone() else { return Ok(None) };
        if constant != Int::ZERO || !terms.iter().all(|(term, _)| dag.range(*term).fits(width, signed)) {
            return Ok(None);
        }
        let (range, limits) = (dag.range(of), Range::of_width(width, signed));
        let bound = match (range.low < limits.low, range.high > limits.high) {
            (true, false) => limits.low,
            (false, true) => limits.high,
            _ => return Ok(None),
        };
        let (plus, minus): (Vec<_>, Vec<_>) = terms.iter().partition(|(_, factor)| *factor == Int::ONE);
        let is_minus = minus.iter().all(|(_, factor)| *factor == Int::from(-1));
        let [operator, left, right] = match (&plus[..], &minus[..]) {
            ([(one, _), (other, _)], []) => ["add".into(), self.scalar(*one)?, self.scalar(*other)?],
            ([(one, _)], [(other, _)]) => ["sub".into(), self.scalar(*one)?, self.scalar(*other)?],
            ([], [(one, _)]) => ["sub".into(), number(0), self.scalar(*one)?],
            _ => return Ok(None),
        };
        let Some(bound) = bound.filter(|_| is_minus).and_then(|bound| i64::try_from(bound).ok()) else {
            return Ok(None);
        };
        let kind = if signed { Kind::Signed } else { Kind::Unsigned };
        let Ok(ty) = c_element(Type { kind, width, lanes: 1 }) else { return Ok(None) };
        Ok(Some(format!(
            "({{ {ty} r_; __builtin_{operator}_overflow(({ty}){left}, ({ty}){right}, &r_) ? {} : (long long)r_; }})",
            number(bound)
        )))
    }

    fn all(&mut self, operands: &[NodeId]) -> Result<Vec<String>, NoC> {
        operands.iter().map(|operand| self.scalar(*operand)).collect()
    }

    fn chain(&mut self, operands: &[NodeId], relation: &str) -> Result<String, NoC> {
        let names = self.all(operands)?;
        let mut text = names[0].clone();
        for next in &names[1..] {
            text = format!("(({text}) {relation} {next} ? ({text}) : {next})");
        }
        Ok(text)
    }
}

/// A number as a literal of C; that of the least number would be beyond the type.
fn number(value: i64) -> String {
    match value {
        i64::MIN => format!("({}LL - 1)", i64::MIN + 1),
        _ => format!("{value}LL"),
    }
}
