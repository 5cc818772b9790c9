//! Hand-made classes for tests, here and in `codegen-gen`.

#![allow(dead_code)]

use autoir::{Class, Member};
use catalog::{
    Application, Argument, Broadcast, Immediate, Kind, Masked, Masking, Part, Proof, Signature, Source,
};
use hydride_ir::{
    Arg, ArgId, Atom, BinaryOp, CompareOp, ExprId, Function, IndexId, Num, Op, Param, ParamId, ResultId,
    ResultSlot, Role, Stmt, UnaryOp,
};

/// A function under construction.
pub struct Draft {
    pub function: Function,
}

pub const I: IndexId = IndexId(0);
pub const J: IndexId = IndexId(1);

pub fn num(value: i64) -> Num {
    Num::constant(value)
}

pub fn index(id: IndexId) -> Num {
    Num::index(id)
}

impl Draft {
    pub fn new(name: &str, params: &[(&str, i64)]) -> Self {
        let mut function = Function::new(name);
        for (name, value) in params {
            function.params.push(Param { name: (*name).to_owned(), value: *value });
        }
        Self { function }
    }

    pub fn param(&self, name: &str) -> Num {
        let mut params = (0u32..).zip(&self.function.params);
        Num::param(ParamId(params.find(|(_, param)| param.name == name).unwrap().0))
    }

    /// Adds an argument and its expression.
    pub fn arg(&mut self, name: &str, width: Num, role: Role) -> ExprId {
        let id = ArgId(self.function.args.len() as u32);
        self.function.args.push(Arg { name: name.to_owned(), width: width.clone(), role });
        self.function.push(Op::Arg(id), width)
    }

    pub fn register(&mut self, name: &str, width: Num) -> ExprId {
        self.arg(name, width, Role::Register)
    }

    pub fn result(&mut self, width: Num) {
        let name = format!("r{}", self.function.results.len());
        self.function.results.push(ResultSlot { name, width });
    }

    pub fn slice(&mut self, of: ExprId, low: Num, width: Num) -> ExprId {
        self.function.push(Op::Extract { of, low }, width)
    }

    pub fn cast(&mut self, of: ExprId, signed: Num, width: Num) -> ExprId {
        self.function.push(Op::Cast { of, signed }, width)
    }

    pub fn saturate(&mut self, of: ExprId, signed: Num, width: Num) -> ExprId {
        self.function.push(Op::Saturate { of, from_signed: num(1), to_signed: signed }, width)
    }

    pub fn unary(&mut self, op: UnaryOp, of: ExprId) -> ExprId {
        let width = self.function.expr(of).width.clone();
        self.function.push(Op::Unary(op, of), width)
    }

    pub fn binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> ExprId {
        let width = self.function.expr(left).width.clone();
        self.function.push(Op::Binary { op, signed: num(0), left, right }, width)
    }

    pub fn compare(&mut self, op: CompareOp, signed: Num, left: ExprId, right: ExprId) -> ExprId {
        self.function.push(Op::Compare { op, signed, left, right }, 1i64)
    }

    pub fn sum(&mut self, index: IndexId, count: Num, body: ExprId) -> ExprId {
        let width = self.function.expr(body).width.clone();
        self.function.push(Op::Fold { op: BinaryOp::Add, signed: num(0), index, count, body }, width)
    }

    pub fn assign(low: Num, value: ExprId) -> Stmt {
        Stmt::Assign { result: ResultId(0), low, value }
    }

    /// One loop over the lanes.
    pub fn lanes(mut self, count: Num, body: Vec<Stmt>) -> Function {
        self.function.body = vec![Stmt::For { index: I, count, body }];
        self.function
    }
}

/// `op` on lanes of two arguments, between an optional extension and an optional saturation.
pub fn elementwise(name: &str, op: BinaryOp, saturating: bool) -> Function {
    let mut draft = Draft::new(name, &[("lane_width", 8), ("lanes", 16), ("is_signed", 1)]);
    if !saturating {
        draft.function.params.pop();
    }
    let (w, n) = (draft.param("lane_width"), draft.param("lanes"));
    let (a, b) = (draft.register("a", w.clone() * n.clone()), draft.register("b", w.clone() * n.clone()));
    draft.result(w.clone() * n.clone());
    let low = w.clone() * index(I);
    let (x, y) = (draft.slice(a, low.clone(), w.clone()), draft.slice(b, low.clone(), w.clone()));
    let value = if saturating {
        let signed = draft.param("is_signed");
        let wide = w.clone() + num(2);
        let (x, y) = (draft.cast(x, signed.clone(), wide.clone()), draft.cast(y, signed.clone(), wide));
        let sum = draft.binary(op, x, y);
        draft.saturate(sum, signed, w)
    } else {
        draft.binary(op, x, y)
    };
    draft.lanes(n, vec![Draft::assign(low, value)])
}

/// The accumulating sum of products of groups of narrow elements.
pub fn dot(name: &str) -> Function {
    let params =
        [("group", 4), ("lane_width", 32), ("lanes", 4), ("narrow", 8), ("a_signed", 0), ("b_signed", 1)];
    let mut draft = Draft::new(name, &params);
    let (g, w, n) = (draft.param("group"), draft.param("lane_width"), draft.param("lanes"));
    let narrow = draft.param("narrow");
    let acc = draft.register("acc", w.clone() * n.clone());
    let a = draft.register("a", narrow.clone() * g.clone() * n.clone());
    let b = draft.register("b", narrow.clone() * g.clone() * n.clone());
    draft.result(w.clone() * n.clone());
    let low = narrow.clone() * (g.clone() * index(I) + index(J));
    let (x, y) = (draft.slice(a, low.clone(), narrow.clone()), draft.slice(b, low, narrow));
    let (a_signed, b_signed) = (draft.param("a_signed"), draft.param("b_signed"));
    let (x, y) = (draft.cast(x, a_signed, w.clone()), draft.cast(y, b_signed, w.clone()));
    let product = draft.binary(BinaryOp::Mul, x, y);
    let sum = draft.sum(J, g, product);
    let lane = draft.slice(acc, w.clone() * index(I), w.clone());
    let value = draft.binary(BinaryOp::Add, lane, sum);
    draft.lanes(n, vec![Draft::assign(w * index(I), value)])
}

/// Products twice as wide as their factors.
pub fn widen_mul(name: &str) -> Function {
    let mut draft = Draft::new(name, &[("lane_width", 8), ("lanes", 8), ("is_signed", 1)]);
    let (w, n, signed) = (draft.param("lane_width"), draft.param("lanes"), draft.param("is_signed"));
    let double = w.clone() * num(2);
    let (a, b) = (draft.register("a", w.clone() * n.clone()), draft.register("b", w.clone() * n.clone()));
    draft.result(double.clone() * n.clone());
    let low = w.clone() * index(I);
    let (x, y) = (draft.slice(a, low.clone(), w.clone()), draft.slice(b, low, w));
    let (x, y) = (draft.cast(x, signed.clone(), double.clone()), draft.cast(y, signed, double.clone()));
    let value = draft.binary(BinaryOp::Mul, x, y);
    draft.lanes(n, vec![Draft::assign(double * index(I), value)])
}

/// A comparison that gives one bit per lane.
pub fn compare(name: &str, op: CompareOp) -> Function {
    let mut draft = Draft::new(name, &[("lane_width", 8), ("lanes", 16), ("is_signed", 1)]);
    let (w, n, signed) = (draft.param("lane_width"), draft.param("lanes"), draft.param("is_signed"));
    let (a, b) = (draft.register("a", w.clone() * n.clone()), draft.register("b", w.clone() * n.clone()));
    draft.result(n.clone());
    let low = w.clone() * index(I);
    let (x, y) = (draft.slice(a, low.clone(), w.clone()), draft.slice(b, low, w));
    let value = draft.compare(op, signed, x, y);
    draft.lanes(n, vec![Draft::assign(index(I), value)])
}

/// Alternating elements of two arguments, from element `offset` on.
pub fn interleave(name: &str) -> Function {
    let mut draft = Draft::new(name, &[("lane_width", 8), ("lanes", 16), ("offset", 0)]);
    let (w, n, offset) = (draft.param("lane_width"), draft.param("lanes"), draft.param("offset"));
    let (a, b) = (draft.register("a", w.clone() * n.clone()), draft.register("b", w.clone() * n.clone()));
    draft.result(w.clone() * n.clone());
    let low = w.clone() * (index(I) + offset);
    let (x, y) = (draft.slice(a, low.clone(), w.clone()), draft.slice(b, low, w.clone()));
    // Half as many pairs as lanes: the count is a separate parameter.
    draft.function.params.push(Param { name: "pairs".to_owned(), value: 8 });
    let pairs = draft.param("pairs");
    let out = w.clone() * num(2) * index(I);
    draft.lanes(pairs, vec![Draft::assign(out.clone(), x), Draft::assign(out + w, y)])
}

/// A shift of every lane by an immediate.
pub fn shift_left_immediate(name: &str) -> Function {
    let mut draft = Draft::new(name, &[("lane_width", 16), ("lanes", 8)]);
    let (w, n) = (draft.param("lane_width"), draft.param("lanes"));
    let a = draft.register("a", w.clone() * n.clone());
    let count = draft.arg("count", num(8), Role::Immediate { low: 0, high: 255 });
    draft.result(w.clone() * n.clone());
    let low = w.clone() * index(I);
    let x = draft.slice(a, low.clone(), w);
    let value = draft.binary(BinaryOp::Shl, x, count);
    draft.lanes(n, vec![Draft::assign(low, value)])
}

/// One half of a register.
pub fn half(name: &str) -> Function {
    let mut draft = Draft::new(name, &[("lane_width", 8), ("lanes", 8), ("offset", 8)]);
    let (w, n, offset) = (draft.param("lane_width"), draft.param("lanes"), draft.param("offset"));
    let a = draft.register("a", w.clone() * n.clone() * num(2));
    draft.result(w.clone() * n.clone());
    let x = draft.slice(a, w.clone() * (index(I) + offset), w.clone());
    draft.lanes(n, vec![Draft::assign(w * index(I), x)])
}

/// Two scalars of different widths, without lanes and without a readable name.
pub fn scalar(name: &str) -> Function {
    let mut draft = Draft::new(name, &[]);
    let (a, b) = (draft.register("crc", num(32)), draft.register("data", num(8)));
    draft.result(num(32));
    let wide = draft.cast(b, num(0), num(32));
    let mixed = draft.binary(BinaryOp::Xor, a, wide);
    let operators = [BinaryOp::Rem, BinaryOp::Div, BinaryOp::Mul, BinaryOp::Max];
    let value = operators.into_iter().fold(mixed, |value, op| draft.binary(op, value, mixed));
    draft.function.body = vec![Draft::assign(num(0), value)];
    draft.function
}

/// A class with a made-up hash; the registers of its members are as wide as its arguments and results.
pub fn class(hash: &str, function: Function, mut members: Vec<Member>) -> Class {
    for member in &mut members {
        let Application { params, args, part, .. } = &member.application;
        let at = |width: &Num| {
            let value = |atom| match atom {
                Atom::Param(ParamId(param)) => params[param as usize],
                Atom::Index(_) => 0,
            };
            width.eval(value).and_then(|width| u32::try_from(width).ok())
        };
        for (arg, source) in function.args.iter().zip(args) {
            if let (Role::Register, Source::Own(position), Some(width)) = (arg.role, source, at(&arg.width)) {
                member.signature.args[*position as usize].width = width;
            }
        }
        if let (None, Some(width)) = (part, at(&function.results[0].width)) {
            member.signature.results[0].width = width;
        }
    }
    Class {
        function,
        structural_hash: hash.to_owned(),
        structure: hash.to_owned(),
        numbers: None,
        suggested_name: None,
        members,
    }
}

/// An unmasked member whose arguments are in the class's order.
pub fn member(isa: &str, id: &str, params: &[i64], arity: u32) -> Member {
    let operand = |width| Argument {
        name: String::new(),
        c_type: format!("u{width}"),
        width,
        kind: Kind::Vector,
        element: None,
    };
    Member {
        trust: None,
        isa: isa.to_owned(),
        id: id.to_owned(),
        intrinsic: id.to_owned(),
        application: Application::plain(params.to_vec(), &(0..arity).collect::<Vec<_>>()),
        commutes: false,
        proof: Proof::Structural,
        certificate: catalog::Certificate::Exact,
        mnemonics: vec![id.trim_start_matches('_').to_owned()],
        extensions: vec![format!("{isa}-base")],
        signature: Signature {
            args: (0..arity).map(|_| operand(128)).collect(),
            results: vec![operand(128)],
        },
    }
}

/// A dialect's worth of classes over two invented instruction sets, `east` and `west`.
pub fn classes() -> Vec<Class> {
    let mut masked = member("west", "adds8_mask", &[8, 32, 1], 4);
    masked.application.args = vec![Source::Own(3), Source::Own(2)];
    masked.application.masking = Some(Masking { mask: 1, pass: Some(0), stride: 1, lane: 8, negated: false });
    masked.proof = Proof::Smt;
    // Members that are the operation with a modifier, each a different one.
    let mut part = member("east", "add8_low", &[8, 16], 3);
    part.application.args.truncate(2);
    part.application.part = Some(Part { low: 64, width: 128, pass: 2 });
    part.signature.results[0].width = 256;
    let mut inverted = member("west", "add16_not", &[16, 128], 4);
    inverted.application.args.truncate(2);
    inverted.application.masking =
        Some(Masking { mask: 2, pass: Some(3), stride: 1, lane: 16, negated: true });
    let mut sparse = member("west", "add16_sparse", &[16, 128], 3);
    sparse.application.args.truncate(2);
    sparse.application.masking = Some(Masking { mask: 2, pass: None, stride: 4, lane: 32, negated: false });
    let mut repeated = member("west", "add16_every", &[16, 128], 3);
    repeated.application.args.truncate(2);
    repeated.application.args[1] =
        Source::Broadcast(Broadcast { arg: 1, lane: Some((2, 3)), low: 32, width: 16, stride: 32 });
    repeated.signature.args[2].kind = Kind::Immediate(Immediate { low: 0, high: 5 });
    let mut selected = member("west", "add16_selected", &[16, 128], 3);
    selected.application.args =
        vec![Source::Own(0), Source::Masked(Masked { arg: 1, mask: 2, lane: 16, inactive: 0 })];
    let mut fixed = member("east", "shl1", &[16, 8], 1);
    fixed.application.args = vec![Source::Own(0), Source::Constant(1)];
    let mut shift = member("west", "shli", &[32, 8], 2);
    shift.signature.args[1].kind = Kind::Immediate(Immediate { low: 0, high: 31 });
    // The second argument at a pointer, under a mask of the result.
    let mut loaded = member("east", "add8_load", &[8, 16], 4);
    loaded.application.args = vec![Source::Own(2), Source::Own(3)];
    loaded.application.masking = Some(Masking { mask: 1, pass: Some(0), stride: 1, lane: 8, negated: false });
    loaded.signature.args[3].kind = Kind::Memory { align: 16, element: None, non_temporal: false };
    let mut commutative = class(
        "0a01",
        elementwise("c0", BinaryOp::Add, false),
        vec![
            member("east", "add8", &[8, 16], 2),
            part,
            member("west", "add16", &[16, 128], 2),
            inverted,
            sparse,
            repeated,
            selected,
            loaded,
        ],
    );
    commutative.members.iter_mut().for_each(|member| member.commutes = true);
    let mut less = class(
        "0e05",
        compare("c4", CompareOp::Lt),
        vec![member("west", "lt8", &[8, 64, 1], 2), member("west", "lt16", &[16, 32, 0], 2)],
    );
    // A mask register that is wider than the mask.
    less.members[1].signature.results[0].width = 64;
    vec![
        commutative,
        class(
            "0b02",
            elementwise("c1", BinaryOp::Add, true),
            vec![member("east", "adds8", &[8, 16, 1], 2), masked],
        ),
        class(
            "0c03",
            dot("c2"),
            vec![
                member("east", "dot8", &[4, 32, 4, 8, 0, 1], 3),
                member("west", "dot8w", &[4, 32, 32, 8, 1, 1], 3),
            ],
        ),
        class(
            "0d04",
            widen_mul("c3"),
            vec![member("east", "mull8", &[8, 8, 1], 2), member("east", "mull32", &[32, 2, 0], 2)],
        ),
        less,
        class("0f06", interleave("c5"), vec![member("east", "zip8", &[8, 16, 0, 8], 2)]),
        class("1007", shift_left_immediate("c6"), vec![fixed, shift]),
        class(
            "1108",
            half("c7"),
            vec![member("east", "low8", &[8, 8, 0], 1), member("west", "high16", &[16, 8, 8], 1)],
        ),
        class("12099999aaaa", scalar("c8"), vec![member("east", "crc", &[], 2)]),
    ]
}
