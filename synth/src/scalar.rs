//! The last resort: each lane in C's integers, for what a target has no vector instructions for.
//!
//! The lanes of a family are one loop. Its body is a function of the IR, which is lowered from the window's exact integers
//! to bit vectors, raised from there again and compared with the window's value: what is printed is proved, as vector
//! programs are, and one C operation on `unsigned _BitInt(N)`, which wraps as bit vectors do, is one operation of the function.

use std::fmt::Write as _;

use hydride_ir::exact::{Dag, Lowering, Node, NodeId, Replacements, raise_with};
use hydride_ir::{
    Arg, ArgId, BinaryOp, Bits, CompareOp, Expr, Function, Num, Op, ResultId, ResultSlot, Role, Stmt, UnaryOp,
};
use rustc_hash::FxHashMap;
use smt::Verdict;

use crate::c::{NoC, c_element};
use crate::certify::{Judge, Proof, Refusal};
use crate::normal::normal;
use crate::rewrite::rewrites;
use crate::window::{Element, Kind, Leaf, Meaning};

/// The widest integers that C has on every target, in bits.
const WIDEST: u32 = 128;

/// Lanes of the result that are computed by one function.
struct Loop {
    /// The lanes.
    lanes: Vec<u32>,
    /// What they are of the elements that are read.
    function: Function,
    /// For each argument the elements that are read, by lane; one where it is the same for all.
    reads: Vec<Vec<Element>>,
}

/// A window's result in C's integers.
pub struct Lanes {
    loops: Vec<Loop>,
    /// How the lanes were proved.
    pub proof: Proof,
}

/// Computes a window lane by lane, and proves each family of lanes.
pub fn lanes(meaning: &mut Meaning<'_>, judge: &mut dyn Judge) -> Result<Lanes, Refusal> {
    let window = meaning.window();
    let width = window.ty().width;
    let mut all: Vec<(Vec<u32>, NodeId)> = Vec::new();
    match meaning.families(window.root) {
        Some(families) => all.extend(families.into_iter().map(|family| (family.lanes, family.value))),
        None => {
            let values =
                meaning.all(window.root).map_err(|_| Refusal::Malformed("the window is too large"))?;
            for (lane, value) in (0..).zip(values) {
                let value = over_samples(meaning, value)?;
                all.push((vec![lane], value));
            }
        }
    }
    let mut made = Lanes { loops: Vec::new(), proof: Proof::default() };
    for (lanes, value) in all {
        let value = meaning.dag.slice(value, 0, width, false);
        let narrow = narrowed(&mut meaning.dag, value);
        let mut args = Vec::new();
        for node in meaning.dag.reachable([narrow]) {
            if let Node::Arg(arg) = *meaning.dag.node(node) {
                args.push(arg);
            }
        }
        let malformed = Refusal::Malformed("a lane that reads no elements");
        let reads: Option<Vec<Vec<Element>>> =
            args.iter().map(|arg| meaning.sample(*arg).map(<[Element]>::to_vec)).collect();
        let reads = reads.ok_or(malformed)?;
        let function = lowered(&meaning.dag, narrow, width, &args)
            .ok_or(Refusal::Malformed("a lane that cannot be lowered"))?;
        let slots: Vec<NodeId> = args
            .iter()
            .map(|arg| {
                let width = meaning.dag.arg_widths()[*arg as usize];
                meaning.dag.arg_slice(*arg, 0, width, false)
            })
            .collect();
        let raised = raise_with(&mut meaning.dag, &function, &[], &slots)
            .map_err(|_| Refusal::Malformed("a lane that cannot be run"))?;
        let found = raised.results[0][0].value;
        let dag = &mut meaning.dag;
        if found == value || normal(dag, found) == normal(dag, value) {
            made.proof.structural += lanes.len();
        } else if found == narrow || normal(dag, found) == normal(dag, narrow) {
            made.proof.theorem += lanes.len();
        } else {
            match judge.equal(dag, found, value) {
                Verdict::Equal => made.proof.solver += lanes.len(),
                Verdict::Different(_) => {
                    let why = "another value".to_owned();
                    return Err(Refusal::Step { step: 0, lane: lanes[0] as usize, why });
                }
                Verdict::Unknown(why) => {
                    let why = format!("undecided: {why}");
                    return Err(Refusal::Step { step: 0, lane: lanes[0] as usize, why });
                }
            }
        }
        made.loops.push(Loop { lanes, function, reads });
    }
    Ok(made)
}

/// A value over whole leaves, over samples of single elements instead.
fn over_samples(meaning: &mut Meaning<'_>, value: NodeId) -> Result<NodeId, Refusal> {
    let window = meaning.window();
    let mut replacements = Replacements::default();
    for node in meaning.dag.reachable([value]) {
        let Node::Slice { of, low, width, signed } = *meaning.dag.node(node) else { continue };
        let Node::Arg(arg) = *meaning.dag.node(of) else { continue };
        let Some(leaf) = window.leaves.get(arg as usize) else { continue };
        let element = Element { leaf: arg, index: low / leaf.ty.width };
        let sample =
            meaning.sample_of(&[element]).ok_or(Refusal::Malformed("an element that is not there"))?;
        let bits = meaning.dag.arg_slice(sample, low % leaf.ty.width, width, signed);
        replacements.insert(node, bits);
    }
    Ok(meaning.dag.replace(value, &mut replacements))
}

/// The value with no intermediate wider than C's integers, as far as rewrites go.
fn narrowed(dag: &mut Dag, value: NodeId) -> NodeId {
    let mut replacements = Replacements::default();
    for node in dag.reachable([value]) {
        let wide = |dag: &Dag, node: NodeId| dag.natural(node).is_none_or(|(width, _)| width > WIDEST);
        let below = dag.node(node).operands();
        if !below.iter().any(|operand| wide(dag, *operand)) {
            continue;
        }
        let narrow = rewrites(dag, node).into_iter().find(|other| {
            let below = dag.reachable([*other]);
            !below.into_iter().any(|node| !matches!(dag.node(node), Node::Arg(_)) && wide(dag, node))
        });
        if let Some(narrow) = narrow {
            replacements.insert(node, narrow);
        }
    }
    if replacements.is_empty() { value } else { dag.replace(value, &mut replacements) }
}

/// A value as a function of some arguments.
fn lowered(dag: &Dag, value: NodeId, width: u32, args: &[u32]) -> Option<Function> {
    let mut written = Function::new("");
    let root = Lowering::default().lower(dag, value, width, &mut written).ok()?;
    let mut function = Function::new("lane");
    let mut map = Vec::new();
    for expr in written.exprs() {
        let op = match &expr.op {
            Op::Arg(ArgId(arg)) => Op::Arg(ArgId(args.iter().position(|own| own == arg)? as u32)),
            op => op.map_operands(|operand| map[operand.0 as usize]),
        };
        map.push(function.push(op, expr.width.clone()));
    }
    for (number, arg) in args.iter().enumerate() {
        let width = dag.arg_widths()[*arg as usize].into();
        function.args.push(Arg { name: format!("e{number}"), width, role: Role::Register });
    }
    function.results = vec![ResultSlot { name: "lane".into(), width: width.into() }];
    let value = map[root.0 as usize];
    function.body = vec![Stmt::Assign { result: ResultId(0), low: Num::constant(0), value }];
    Some(function)
}

impl Lanes {
    /// Operations that all lanes together take, as if each was an instruction.
    pub fn operations(&self) -> u32 {
        let computes = |expr: &&Expr| !matches!(expr.op, Op::Const(_) | Op::Int(_) | Op::Cast { .. });
        let each = |own: &Loop| {
            (own.lanes.len() * own.function.exprs().iter().filter(computes).count().max(1)) as u32
        };
        self.loops.iter().map(each).sum()
    }

    /// Operations that follow each other in one lane, at most.
    pub fn depth(&self) -> u32 {
        let deepest = |own: &Loop| {
            let mut depths: Vec<u32> = Vec::new();
            for expr in own.function.exprs() {
                let below = expr.op.operands().iter().map(|id| depths[id.0 as usize]).max().unwrap_or(0);
                let computes = !matches!(expr.op, Op::Const(_) | Op::Int(_) | Op::Cast { .. });
                depths.push(below + u32::from(computes));
            }
            depths.into_iter().max().unwrap_or(0)
        };
        self.loops.iter().map(deepest).max().unwrap_or(0)
    }

    /// The lines of a function's body, as [`crate::c_body`] has them for pointers.
    pub fn c_body(&self, meaning: &Meaning<'_>) -> Result<Vec<String>, NoC> {
        let window = meaning.window();
        let mut lines = Vec::new();
        let kind = window.ty().kind;
        if kind == Kind::Condition {
            lines.push(format!("  __builtin_memset(result, 0, {});", window.ty().bits().div_ceil(8)));
        }
        let element = c_element(window.ty())?;
        for own in &self.loops {
            own.write(&window.leaves, (&element, kind), &mut lines)?;
        }
        Ok(lines)
    }
}

impl Loop {
    fn write(
        &self,
        leaves: &[Leaf],
        (element, kind): (&str, Kind),
        lines: &mut Vec<String>,
    ) -> Result<(), NoC> {
        let mut tables = Vec::new();
        let alike = self.reads.iter().all(|reads| reads.iter().all(|own| own.leaf == reads[0].leaf));
        // Lanes that read several leaves at one place are written one by one.
        let runs: Vec<(Vec<u32>, Vec<Vec<Element>>)> = if alike {
            vec![(self.lanes.clone(), self.reads.clone())]
        } else {
            let one = |lane: usize| {
                let own = |reads: &Vec<Element>| vec![reads[if reads.len() == 1 { 0 } else { lane }]];
                (vec![self.lanes[lane]], self.reads.iter().map(own).collect())
            };
            (0..self.lanes.len()).map(one).collect()
        };
        for (lanes, reads) in runs {
            tables.clear();
            let mut reading = Vec::new();
            for elements in &reads {
                let leaf = &leaves[elements[0].leaf as usize];
                let numbers: Vec<u32> = elements.iter().map(|element| element.index).collect();
                reading.push(if leaf.scalar {
                    leaf.name.clone()
                } else {
                    format!("{}[{}]", leaf.name, index(&numbers, tables.len(), &mut tables))
                });
            }
            let to = index(&lanes, tables.len(), &mut tables);
            lines.push("  {".into());
            lines.append(&mut tables);
            lines.push(format!("  for (int i_ = 0; i_ < {}; i_++) {{", lanes.len()));
            let value = body(&self.function, &reading, lines)?;
            lines.push(match kind {
                Kind::Condition => format!("    ((unsigned char *)result)[({to}) / 8] |= (unsigned char)((unsigned){value} << ({to}) % 8);"),
                _ => format!("    result[{to}] = ({element}){value};"),
            });
            lines.push("  }".into());
            lines.push("  }".into());
        }
        Ok(())
    }
}

/// The number of an element in iteration `i_`: in steps of one size, or from a table.
fn index(numbers: &[u32], at: usize, tables: &mut Vec<String>) -> String {
    let first = i64::from(numbers[0]);
    let step = numbers.get(1).map_or(0, |second| i64::from(*second) - first);
    if numbers.iter().zip(0..).all(|(number, lane)| i64::from(*number) == first + step * lane) {
        return match step {
            0 => first.to_string(),
            _ => format!("{first} + {step} * i_"),
        };
    }
    let list: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    tables.push(format!("  static const short n{at}_[] = {{{}}};", list.join(", ")));
    format!("n{at}_[i_]")
}

/// Writes a function's expressions, each as a variable, and returns the result's name.
fn body(function: &Function, reading: &[String], lines: &mut Vec<String>) -> Result<String, NoC> {
    let width =
        |width: &Num| width.as_constant().and_then(|width| u32::try_from(width).ok()).ok_or(NoC::Scalar);
    let mut widths = Vec::new();
    let mut known: FxHashMap<u32, String> = FxHashMap::default();
    for (number, expr) in (0u32..).zip(function.exprs()) {
        let own = width(&expr.width)?;
        if own > WIDEST {
            return Err(NoC::Scalar);
        }
        let text = match &expr.op {
            Op::Arg(ArgId(arg)) => cast(own, &reading[*arg as usize]),
            op => {
                operation(op, own, &|id: hydride_ir::ExprId| (format!("x{}_", id.0), widths[id.0 as usize]))?
            }
        };
        lines.push(format!("    const {} x{number}_ = {text};", unsigned(own)));
        known.insert(number, text);
        widths.push(own);
    }
    match &function.body[..] {
        [Stmt::Assign { value, .. }] => Ok(format!("x{}_", value.0)),
        _ => Err(NoC::Scalar),
    }
}

fn unsigned(width: u32) -> String {
    format!("unsigned _BitInt({width})")
}

fn cast(width: u32, text: &str) -> String {
    format!("({})({text})", unsigned(width))
}

/// A value of `from` bits read as two's complement, in a signed type of at least `to` bits.
fn signed(text: &str, from: u32, to: u32) -> String {
    let to = to.max(2);
    match from {
        1 => format!("(({text}) ? (_BitInt({to}))-1 : (_BitInt({to}))0)"),
        _ => format!("(_BitInt({to}))(_BitInt({from}))({text})"),
    }
}

fn literal(bits: &Bits, width: u32) -> String {
    let word = |at: usize| bits.words().get(at).copied().unwrap_or(0);
    match width {
        0..=64 => cast(width, &format!("{:#x}ull", word(0))),
        _ => format!("({0})({1:#x}ull) << 64 | ({0}){2:#x}ull", unsigned(width), word(1), word(0)),
    }
}

/// One operation as C; `of` has the names and widths of operands.
fn operation(op: &Op, width: u32, of: &dyn Fn(hydride_ir::ExprId) -> (String, u32)) -> Result<String, NoC> {
    let is = |flag: &Num| flag.as_constant().map(|flag| flag != 0).ok_or(NoC::Scalar);
    Ok(match op {
        Op::Const(bits) => literal(bits, width),
        Op::Int(number) => {
            let number = number.as_constant().ok_or(NoC::Scalar)?;
            cast(width, &format!("(_BitInt({}))({number}ll)", WIDEST))
        }
        Op::Extract { of: whole, low } => {
            let (name, _) = of(*whole);
            cast(width, &format!("{name} >> {}", low.as_constant().ok_or(NoC::Scalar)?))
        }
        Op::ExtractAt { of: whole, low } => {
            let ((name, own), (low, _)) = (of(*whole), of(*low));
            cast(width, &format!("(unsigned _BitInt(128)){low} < {own} ? {name} >> (int){low} : 0"))
        }
        Op::Cast { of: inner, signed: by_sign } => {
            let (name, own) = of(*inner);
            if own < width && is(by_sign)? {
                cast(width, &signed(&name, own, width))
            } else {
                cast(width, &name)
            }
        }
        Op::Saturate { of: inner, from_signed, to_signed } => {
            let (name, own) = of(*inner);
            saturated(&name, own, width, is(from_signed)?, is(to_signed)?)
        }
        Op::Concat(parts) => {
            let mut text = String::from("0");
            for part in parts {
                let (name, own) = of(*part);
                text = match text.as_str() {
                    "0" => cast(width, &name),
                    _ => format!("({text}) << {own} | {}", cast(width, &name)),
                };
            }
            cast(width, &text)
        }
        Op::Unary(op, inner) => {
            let (name, own) = of(*inner);
            match op {
                UnaryOp::Not => cast(width, &format!("~{name}")),
                UnaryOp::Neg => cast(width, &format!("({}){{0}} - {name}", unsigned(width))),
                UnaryOp::Abs => cast(
                    width,
                    &format!("{name} >> {} ? ({}){{0}} - {name} : {name}", own - 1, unsigned(width)),
                ),
                UnaryOp::PopCount => cast(width, &format!("__builtin_popcountg({name})")),
                UnaryOp::LeadingZeros => cast(width, &format!("__builtin_clzg({name}, {own})")),
                UnaryOp::TrailingZeros => cast(width, &format!("__builtin_ctzg({name}, {own})")),
            }
        }
        Op::Binary { op, signed: by_sign, left, right } => {
            let ((a, _), (b, own)) = (of(*left), of(*right));
            binary(*op, is(by_sign)?, (&a, &b), width, own)
        }
        Op::Compare { op, signed: by_sign, left, right } => {
            let ((a, own), (b, _)) = (of(*left), of(*right));
            let relation = match op {
                CompareOp::Eq => "==",
                CompareOp::Lt => "<",
                CompareOp::Le => "<=",
            };
            let by_sign = is(by_sign)? && *op != CompareOp::Eq;
            let read = |name: &str| if by_sign { signed(name, own, own) } else { name.to_owned() };
            cast(width, &format!("{} {relation} {}", read(&a), read(&b)))
        }
        Op::Select { condition, then, otherwise } => {
            format!("{} ? {} : {}", of(*condition).0, of(*then).0, of(*otherwise).0)
        }
        Op::Arg(_) | Op::Fold { .. } | Op::Float { .. } => return Err(NoC::Scalar),
    })
}

fn saturated(name: &str, own: u32, width: u32, from_signed: bool, to_signed: bool) -> String {
    let power = |exponent: u32, less: u32| format!("(((unsigned _BitInt(128))1 << {exponent}) - {less})");
    let (most, least) = match to_signed {
        true => (power(width - 1, 1), power(width - 1, 0)),
        false => (
            if width == 128 { "(~(unsigned _BitInt(128))0)".to_owned() } else { power(width, 1) },
            "0".to_owned(),
        ),
    };
    if !from_signed {
        return cast(
            width,
            &format!("(unsigned _BitInt(128)){name} > {most} ? {most} : (unsigned _BitInt(128)){name}"),
        );
    }
    let value = signed(name, own, 128);
    let negative = format!("{value} < 0");
    let above = format!("(unsigned _BitInt(128)){value} > {most} ? {most} : (unsigned _BitInt(128)){value}");
    let below = match to_signed {
        true => format!(
            "(unsigned _BitInt(128))-({value} + 1) >= {least} ? {least} : (unsigned _BitInt(128)){value}"
        ),
        false => "(unsigned _BitInt(128))0".to_owned(),
    };
    cast(width, &format!("{negative} ? ({below}) : ({above})"))
}

/// An operator with two operands of `width` bits, of which a count has `own`.
fn binary(op: BinaryOp, by_sign: bool, (a, b): (&str, &str), width: u32, own: u32) -> String {
    let mut text = String::new();
    let simple = |sign: &str| cast(width, &format!("{a} {sign} {b}"));
    let read = |name: &str| if by_sign { signed(name, width, width) } else { name.to_owned() };
    let many = own >= 32 || u64::from(width) < 1 << own;
    match op {
        BinaryOp::Add => text = simple("+"),
        BinaryOp::Sub => text = simple("-"),
        BinaryOp::Mul => text = simple("*"),
        BinaryOp::And => text = simple("&"),
        BinaryOp::Or => text = simple("|"),
        BinaryOp::Xor => text = simple("^"),
        BinaryOp::Min => text = cast(width, &format!("{} < {} ? {a} : {b}", read(a), read(b))),
        BinaryOp::Max => text = cast(width, &format!("{} < {} ? {b} : {a}", read(a), read(b))),
        BinaryOp::Shl => {
            let moved = format!("{a} << (int){b}");
            text = cast(width, &if many { format!("{b} >= {width} ? 0 : {moved}") } else { moved });
        }
        BinaryOp::Shr => {
            let filled = if by_sign { format!("{} >> {}", read(a), width - 1) } else { "0".to_owned() };
            let moved = format!("{} >> (int){b}", read(a));
            text = cast(width, &if many { format!("{b} >= {width} ? {filled} : {moved}") } else { moved });
        }
        BinaryOp::Div | BinaryOp::Rem => {
            // Magnitudes are divided, bit by bit where division is a function of a library that may not be there.
            let (ty, wider) = (unsigned(width), unsigned(width + 1));
            let negative =
                |name: &str| if by_sign { format!("{name} >> {} != 0", width - 1) } else { "0".to_owned() };
            let _ = write!(
                text,
                "({{ const int n_ = {na}, m_ = {nb}; const {ty} a_ = n_ ? ({ty}){{0}} - {a} : {a}, b_ = m_ ? ({ty}){{0}} - {b} : {b}; \
                 {ty} q_ = ~({ty}){{0}}, r_ = a_; if (b_) {{ \n#ifdef __hexagon__\n{wider} s_ = 0; q_ = 0; for (int k_ = {top}; k_ >= 0; k_--) {{ \
                 s_ = s_ << 1 | (a_ >> k_ & 1); q_ <<= 1; if (s_ >= b_) {{ s_ -= b_; q_ |= 1; }} }} r_ = ({ty})s_;\n#else\n\
                 q_ = a_ / b_; r_ = a_ % b_;\n#endif\n}} {value}; }})",
                na = negative(a),
                nb = negative(b),
                top = width - 1,
                value = match op {
                    BinaryOp::Div => format!("n_ != m_ ? ({ty}){{0}} - q_ : q_"),
                    _ => format!("n_ ? ({ty}){{0}} - r_ : r_"),
                }
            );
        }
    }
    text
}
