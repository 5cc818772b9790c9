//! LLVM's operators on single elements of up to 64 bits, as numbers of the machine: for many samples at once, and apart from
//! the expressions with which proofs are made.

/// An operator on two elements of one width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "LLVM's names")]
pub enum Two {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    Shl,
    LShr,
    AShr,
    UMin,
    UMax,
    SMin,
    SMax,
    UAddSat,
    SAddSat,
    USubSat,
    SSubSat,
}

/// Half of the sum of two elements, computed in twice their width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mean {
    /// Whether elements are signed numbers.
    pub signed: bool,
    /// Whether a half is rounded up, else down.
    pub up: bool,
}

impl Mean {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self { signed: false, up: true },
        Self { signed: false, up: false },
        Self { signed: true, up: true },
        Self { signed: true, up: false },
    ];

    /// Whether elements of that width are looked at.
    pub fn fits(width: u32) -> bool {
        [8, 16, 32].contains(&width)
    }

    /// Its value.
    pub fn of(self, width: u32, a: u64, b: u64) -> u64 {
        let number = |value: u64| if self.signed { signed(width, value) } else { value.cast_signed() };
        ((number(a) + number(b) + i64::from(self.up)) >> 1).cast_unsigned() & ones(width)
    }
}

/// An operator on one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "LLVM's names")]
pub enum One {
    CtPop,
    CtLz,
    CtTz,
    Abs,
    BSwap,
    BitReverse,
}

/// The ones in an element.
pub fn ones(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

/// An element as a signed number.
pub fn signed(width: u32, value: u64) -> i64 {
    let shift = 64 - width.min(64);
    (value << shift).cast_signed() >> shift
}

impl Two {
    /// All of them.
    pub const ALL: [Self; 17] = [
        Self::Add,
        Self::Sub,
        Self::Mul,
        Self::And,
        Self::Or,
        Self::Xor,
        Self::Shl,
        Self::LShr,
        Self::AShr,
        Self::UMin,
        Self::UMax,
        Self::SMin,
        Self::SMax,
        Self::UAddSat,
        Self::SAddSat,
        Self::USubSat,
        Self::SSubSat,
    ];

    /// The name of the instruction, or of the intrinsic between `llvm.` and the type.
    pub fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Sub => "sub",
            Self::Mul => "mul",
            Self::And => "and",
            Self::Or => "or",
            Self::Xor => "xor",
            Self::Shl => "shl",
            Self::LShr => "lshr",
            Self::AShr => "ashr",
            Self::UMin => "umin",
            Self::UMax => "umax",
            Self::SMin => "smin",
            Self::SMax => "smax",
            Self::UAddSat => "uadd.sat",
            Self::SAddSat => "sadd.sat",
            Self::USubSat => "usub.sat",
            Self::SSubSat => "ssub.sat",
        }
    }

    /// Whether it is an intrinsic and no instruction.
    pub fn is_intrinsic(self) -> bool {
        self >= Self::UMin
    }

    /// Whether it moves bits by a number of places, which must be less than the width.
    pub fn is_shift(self) -> bool {
        matches!(self, Self::Shl | Self::LShr | Self::AShr)
    }

    /// Whether its operands may change places.
    pub fn commutes(self) -> bool {
        !self.is_shift() && !matches!(self, Self::Sub | Self::USubSat | Self::SSubSat)
    }

    /// The operator of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|own| own.name() == name)
    }

    /// Its value; 0 for a shift by too much.
    pub fn of(self, width: u32, a: u64, b: u64) -> u64 {
        let (x, y) = (signed(width, a), signed(width, b));
        let limit = (ones(width) >> 1).cast_signed();
        let clamp = |value: i128| value.clamp(-i128::from(limit) - 1, i128::from(limit)) as u64;
        let value = match self {
            Self::Add => a.wrapping_add(b),
            Self::Sub => a.wrapping_sub(b),
            Self::Mul => a.wrapping_mul(b),
            Self::And => a & b,
            Self::Or => a | b,
            Self::Xor => a ^ b,
            _ if self.is_shift() && b >= u64::from(width) => 0,
            Self::Shl => a << b,
            Self::LShr => a >> b,
            Self::AShr => (x >> b).cast_unsigned(),
            Self::UMin => a.min(b),
            Self::UMax => a.max(b),
            Self::SMin => x.min(y).cast_unsigned(),
            Self::SMax => x.max(y).cast_unsigned(),
            Self::UAddSat => a.saturating_add(b).min(ones(width)),
            Self::USubSat => a.saturating_sub(b),
            Self::SAddSat => clamp(i128::from(x) + i128::from(y)),
            Self::SSubSat => clamp(i128::from(x) - i128::from(y)),
        };
        value & ones(width)
    }
}

impl One {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::CtPop, Self::CtLz, Self::CtTz, Self::Abs, Self::BSwap, Self::BitReverse];

    /// The name of the intrinsic between `llvm.` and the type.
    pub fn name(self) -> &'static str {
        match self {
            Self::CtPop => "ctpop",
            Self::CtLz => "ctlz",
            Self::CtTz => "cttz",
            Self::Abs => "abs",
            Self::BSwap => "bswap",
            Self::BitReverse => "bitreverse",
        }
    }

    /// The operator of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|own| own.name() == name)
    }

    /// Whether the intrinsic has a flag that makes a special value poison.
    pub fn has_flag(self) -> bool {
        matches!(self, Self::CtLz | Self::CtTz | Self::Abs)
    }

    /// Whether there is one for elements of a width.
    pub fn fits(self, width: u32) -> bool {
        self != Self::BSwap || width.is_multiple_of(16)
    }

    /// Its value where its flag, if there is one, is 0.
    pub fn of(self, width: u32, a: u64) -> u64 {
        let value = match self {
            Self::CtPop => u64::from(a.count_ones()),
            Self::CtLz => u64::from(a.leading_zeros()) - u64::from(64 - width),
            Self::CtTz => u64::from(a.trailing_zeros().min(width)),
            Self::Abs => signed(width, a).unsigned_abs(),
            Self::BSwap => a.swap_bytes() >> (64 - width),
            Self::BitReverse => a.reverse_bits() >> (64 - width),
        };
        value & ones(width)
    }
}

/// A comparison by LLVM's predicate.
pub fn compare(predicate: &str, width: u32, a: u64, b: u64) -> bool {
    let (x, y) = (signed(width, a), signed(width, b));
    match predicate {
        "eq" => a == b,
        "ne" => a != b,
        "ult" => a < b,
        "ule" => a <= b,
        "ugt" => a > b,
        "uge" => a >= b,
        "slt" => x < y,
        "sle" => x <= y,
        "sgt" => x > y,
        _ => x >= y,
    }
}

/// A shift of two elements by a number modulo the width.
pub fn funnel(left: bool, width: u32, a: u64, b: u64, by: u64) -> u64 {
    let by = by % u64::from(width);
    let both = u128::from(a) << width | u128::from(b);
    let moved = if left { both << by >> width } else { both >> by };
    moved as u64 & ones(width)
}
