//! Random functions: the compiled tape against a direct walk over the expressions on `Bv`, which
//! `bv_against_bigint` tests.

use std::collections::BTreeMap;

use hydride_ir::{
    Arg, ArgId, Atom, BinaryOp, Bits, CompareOp, ExprId, Function, IndexId, Num, Op, Param, ParamId, Random,
    ResultId, ResultSlot, Role, Stmt, UnaryOp,
};
use interp::{Bv, Machine, Program};

const WIDTHS: [u32; 10] = [1, 5, 8, 16, 63, 64, 65, 128, 130, 192];

/// Bits of a kind drawn at random: zeros, ones, one bit a word, small words, any words.
fn bits(random: &mut Random, width: u32) -> Bits {
    let kind = random.below(8);
    let word = |random: &mut Random| match kind {
        0 => 0,
        1 => u64::MAX,
        2 => 1 << random.below(64),
        3 => random.word() & 0xf,
        _ => random.word(),
    };
    Bits::from_words(width, (0..width.div_ceil(64)).map(|_| word(random)).collect::<Vec<_>>())
}

/// A flag: 0, 1, or the parameter.
fn flag(random: &mut Random) -> Num {
    match random.below(6) {
        0 => Num::param(ParamId(0)),
        other => Num::constant(other as i64 % 2),
    }
}

struct Generator {
    random: Random,
    function: Function,
    /// Expressions that may be used where the indices in scope are.
    usable: Vec<(ExprId, u32)>,
    indices: Vec<(IndexId, i64)>,
    next_index: u32,
}

impl Generator {
    fn push(&mut self, op: Op, width: u32) -> ExprId {
        let id = self.function.push(op, width);
        self.usable.push((id, width));
        id
    }

    /// An expression of the given width, made from one of any width.
    fn of_width(&mut self, width: u32) -> ExprId {
        let (of, found) = self.random.pick(&self.usable.clone());
        if found == width {
            return of;
        }
        let op = match self.random.below(3) {
            0 if found > width => Op::Extract { of, low: self.position(found - width) },
            1 => {
                let (from_signed, to_signed) = (flag(&mut self.random), flag(&mut self.random));
                Op::Saturate { of, from_signed, to_signed }
            }
            _ => Op::Cast { of, signed: flag(&mut self.random) },
        };
        self.push(op, width)
    }

    /// A number between 0 and `greatest` that may depend on the indices.
    fn position(&mut self, greatest: u32) -> Num {
        let mut left = i64::from(greatest);
        let mut num = Num::constant(0);
        for (index, count) in self.indices.clone() {
            if count > 1 && left >= count - 1 && self.random.below(2) == 0 {
                let most = left / (count - 1);
                let factor = 1 + self.random.below(most as usize) as i64;
                left -= factor * (count - 1);
                num = num + Num::index(index) * Num::constant(factor);
            }
        }
        num + Num::constant(self.random.below(left as usize + 1) as i64)
    }

    fn expression(&mut self, depth: usize) -> ExprId {
        let width = self.random.pick(&WIDTHS);
        let op = match self.random.below(14) {
            0 => Op::Const(bits(&mut self.random, width)),
            1 => Op::Int(self.position(1000) - Num::constant(500)),
            2 => {
                let (of, _) = self.random.pick(&self.usable.clone());
                let low_width = self.random.pick(&[4, 7, 64, 100]);
                Op::ExtractAt { of, low: self.of_width(low_width) }
            }
            3 => {
                let low = self.random.pick(&WIDTHS);
                let parts = vec![self.of_width(width), self.of_width(low), self.of_width(3)];
                return self.push(Op::Concat(parts), width + low + 3);
            }
            4 | 5 => {
                let op = self.random.pick(UnaryOp::NAMES).0;
                // Counts of bits must fit their width, as the verifier may ask.
                Op::Unary(op, self.of_width(width))
            }
            6..=9 => {
                let op = self.random.pick(BinaryOp::NAMES).0;
                let signed = if op.has_sign() { flag(&mut self.random) } else { Num::constant(0) };
                let right = if op.is_shift() { self.random.pick(&[3, 8, 64, 130]) } else { width };
                Op::Binary { op, signed, left: self.of_width(width), right: self.of_width(right) }
            }
            10 => {
                let op = CompareOp::NAMES[self.random.below(3)].0;
                let signed = if op.has_sign() { flag(&mut self.random) } else { Num::constant(0) };
                let (left, right) = (self.of_width(width), self.of_width(width));
                return self.push(Op::Compare { op, signed, left, right }, 1);
            }
            11 => Op::Select {
                condition: self.of_width(1),
                then: self.of_width(width),
                otherwise: self.of_width(width),
            },
            12 if depth < 2 => {
                let op = self.random.pick(&[BinaryOp::Add, BinaryOp::Xor, BinaryOp::Min, BinaryOp::Max]);
                let signed = if op.has_sign() { flag(&mut self.random) } else { Num::constant(0) };
                let (index, count) = self.open();
                for _ in 0..3 {
                    self.expression(depth + 1);
                }
                let body = self.of_width(width);
                self.close();
                Op::Fold { op, signed, index, count, body }
            }
            _ => {
                let (of, found) = self.random.pick(&self.usable.clone());
                let width = width.min(found);
                let low = self.position(found - width);
                return self.push(Op::Extract { of, low }, width);
            }
        };
        self.push(op, width)
    }

    fn open(&mut self) -> (IndexId, Num) {
        let index = IndexId(self.next_index);
        self.next_index += 1;
        let count = 1 + self.random.below(4) as i64;
        self.indices.push((index, count));
        (index, Num::constant(count))
    }

    /// Ends a scope; what may depend on its index cannot be used any more.
    fn close(&mut self) {
        let index = self.indices.pop().unwrap().0;
        let mut dependent = vec![false; self.function.exprs().len()];
        for (position, expr) in self.function.exprs().iter().enumerate() {
            let bound = matches!(&expr.op, Op::Fold { index: own, .. } if *own == index);
            let reads = expr.op.nums().iter().any(|num| num.atoms().any(|atom| atom == Atom::Index(index)));
            let operands = expr.op.operands().iter().any(|operand| dependent[operand.0 as usize]);
            dependent[position] = !bound && (reads || operands);
        }
        self.usable.retain(|(id, _)| !dependent[id.0 as usize]);
    }

    fn statements(&mut self, depth: usize) -> Vec<Stmt> {
        let mut body = Vec::new();
        for _ in 0..4 {
            if depth < 2 && self.random.below(3) == 0 {
                let (index, count) = self.open();
                let inner = self.statements(depth + 1);
                self.close();
                body.push(Stmt::For { index, count, body: inner });
            }
            let (value, width) = match self.random.below(4) {
                0 => self.random.pick(&self.usable.clone()),
                _ => {
                    let id = self.expression(0);
                    (id, self.function.expr(id).width.as_constant().unwrap() as u32)
                }
            };
            let low = self.position(1000 - width);
            body.push(Stmt::Assign { result: ResultId(self.random.below(2) as u32), low, value });
        }
        body
    }
}

fn random_function(seed: u64) -> Function {
    let mut function = Function::new("random");
    function.params = vec![Param { name: "s".into(), value: (seed % 2) as i64 }];
    let mut generator = Generator {
        random: Random::new(seed),
        function,
        usable: Vec::new(),
        indices: Vec::new(),
        next_index: 0,
    };
    for position in 0..4 {
        let width = generator.random.pick(&WIDTHS);
        let arg = Arg { name: format!("a{position}"), width: width.into(), role: Role::Register };
        generator.function.args.push(arg);
        generator.push(Op::Arg(ArgId(position)), width);
    }
    for name in ["r", "s"] {
        generator.function.results.push(ResultSlot { name: name.into(), width: 1000u32.into() });
    }
    generator.function.body = generator.statements(0);
    generator.function
}

/// The direct walk.
struct Tree<'f> {
    function: &'f Function,
    args: Vec<Bv>,
    indices: BTreeMap<IndexId, i64>,
    results: Vec<Bv>,
}

impl Tree<'_> {
    fn num(&self, num: &Num) -> i64 {
        let value = |atom| match atom {
            Atom::Param(param) => self.function.param(param).value,
            Atom::Index(index) => self.indices[&index],
        };
        num.eval(value).unwrap()
    }

    fn run(&mut self, body: &[Stmt]) {
        for stmt in body {
            match stmt {
                Stmt::For { index, count, body } => {
                    for value in 0..self.num(count) {
                        self.indices.insert(*index, value);
                        self.run(body);
                    }
                    self.indices.remove(index);
                }
                Stmt::Assign { result, low, value } => {
                    let value = self.value(*value);
                    let low = self.num(low) as u32;
                    self.results[result.0 as usize].insert(low, &value);
                }
            }
        }
    }

    fn value(&mut self, id: ExprId) -> Bv {
        let function = self.function;
        let expr = function.expr(id);
        let width = self.num(&expr.width) as u32;
        match &expr.op {
            Op::Arg(arg) => self.args[arg.0 as usize].clone(),
            Op::Const(bits) => bits.into(),
            Op::Int(num) => Bv::from_i64(width, self.num(num)),
            Op::Extract { of, low } => self.value(*of).extract(self.num(low) as u32, width),
            Op::ExtractAt { of, low } => {
                let low = self.value(*low).to_count();
                self.value(*of).extract_at(low, width)
            }
            Op::Cast { of, signed } => self.value(*of).cast(width, self.num(signed) == 1),
            Op::Saturate { of, from_signed, to_signed } => {
                self.value(*of).saturate(width, self.num(from_signed) == 1, self.num(to_signed) == 1)
            }
            Op::Concat(parts) => {
                let parts: Vec<Bv> = parts.iter().map(|part| self.value(*part)).collect();
                parts.into_iter().reduce(|high, low| high.concat(&low)).unwrap()
            }
            Op::Unary(op, of) => {
                let of = self.value(*of);
                match op {
                    UnaryOp::Not => of.not(),
                    UnaryOp::Neg => of.neg(),
                    UnaryOp::Abs => of.abs(),
                    UnaryOp::PopCount => of.popcount(),
                    UnaryOp::LeadingZeros => of.leading_zeros(),
                    UnaryOp::TrailingZeros => of.trailing_zeros(),
                }
            }
            Op::Binary { op, signed, left, right } => {
                let (left, right) = (self.value(*left), self.value(*right));
                binary(*op, self.num(signed) == 1, &left, &right)
            }
            Op::Compare { op, signed, left, right } => {
                let order = self.value(*left).compare(&self.value(*right), self.num(signed) == 1);
                Bv::from_u64(
                    1,
                    u64::from(match op {
                        CompareOp::Eq => order.is_eq(),
                        CompareOp::Lt => order.is_lt(),
                        CompareOp::Le => order.is_le(),
                    }),
                )
            }
            Op::Select { condition, then, otherwise } => {
                let condition = self.value(*condition).sign();
                self.value(if condition { *then } else { *otherwise })
            }
            Op::Fold { op, signed, index, count, body } => {
                let signed = self.num(signed) == 1;
                let mut folded: Option<Bv> = None;
                for value in 0..self.num(count) {
                    self.indices.insert(*index, value);
                    let next = self.value(*body);
                    folded = Some(match folded {
                        Some(left) => binary(*op, signed, &left, &next),
                        None => next,
                    });
                }
                self.indices.remove(index);
                folded.unwrap()
            }
            Op::Float { .. } => unreachable!("`floats.rs` has these"),
        }
    }
}

fn binary(op: BinaryOp, signed: bool, left: &Bv, right: &Bv) -> Bv {
    match op {
        BinaryOp::Add => left.add(right),
        BinaryOp::Sub => left.sub(right),
        BinaryOp::Mul => left.mul(right),
        BinaryOp::Div => left.div(right, signed),
        BinaryOp::Rem => left.rem(right, signed),
        BinaryOp::And => left.and(right),
        BinaryOp::Or => left.or(right),
        BinaryOp::Xor => left.xor(right),
        BinaryOp::Shl => left.shl(right.to_count()),
        BinaryOp::Shr => left.shr(right.to_count(), signed),
        BinaryOp::Min => left.min(right, signed),
        BinaryOp::Max => left.max(right, signed),
    }
}

#[test]
fn tape_and_tree_agree() {
    let mut machine = Machine::new();
    for seed in 1..=1500 {
        let function = random_function(seed);
        let program =
            Program::new(&function).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{function:?}"));
        let widths: Vec<u32> = program.arg_widths().collect();
        let mut random = Random::new(seed | 1 << 40);
        for _ in 0..4 {
            let args: Vec<Bits> = widths.iter().map(|width| bits(&mut random, *width)).collect();
            let mut tree = Tree {
                function: &function,
                args: args.iter().map(Bv::from).collect(),
                indices: BTreeMap::new(),
                results: vec![Bv::zero(1000); 2],
            };
            tree.run(&function.body);
            program.run_into(&mut machine, &args).unwrap();
            let expected: Vec<Bits> = tree.results.iter().map(Bits::from).collect();
            assert_eq!(program.results(&machine), expected, "seed {seed}, args {args:?}\n{function:?}");

            let words: Vec<u64> = args.iter().flat_map(|arg| arg.words().to_vec()).collect();
            program.run_words(&mut machine, &words).unwrap();
            assert_eq!(program.results(&machine), expected, "seed {seed}: words");
        }
    }
}
