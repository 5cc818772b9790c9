//! From an intrinsic's base instruction to lines that an assembler takes.
//!
//! Roles become fixed registers (`d` 0, `n` 1 and up, `m` 8, `a` 12, `t` 16 and up), immediates become the ranges
//! of the arguments that they hold: `sshr v0.8b, v1.8b, #{1..8}`. Such a line is a key of the decode
//! facts, with one encoding for each value.

use std::fmt::{self, Display};

use super::json::{Entry, Preparation};

/// What a register is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// The destination.
    D,
    /// The second destination.
    D2,
    /// The first source.
    N,
    /// The second source.
    M,
    /// The third source.
    A,
    /// What is loaded or stored, and the registers after it.
    T,
    /// The second register that is loaded or stored.
    T2,
    /// The third one.
    T3,
    /// The fourth one.
    T4,
    /// Scratch.
    Temporary,
    /// More scratch.
    Temporary1,
}

impl Role {
    /// The register's number.
    pub fn number(self) -> u32 {
        match self {
            Self::D => 0,
            Self::N => 1,
            Self::M => 8,
            Self::A => 12,
            Self::T => 16,
            Self::T2 => 17,
            Self::T3 => 18,
            Self::T4 => 19,
            Self::D2 => 20,
            Self::Temporary => 24,
            Self::Temporary1 => 25,
        }
    }

    /// Whether it is among the registers that are loaded or stored.
    pub fn is_transferred(self) -> bool {
        matches!(self, Self::T | Self::T2 | Self::T3 | Self::T4)
    }
}

/// A register as an argument's or result's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Which register.
    pub role: Role,
    /// Whether it is a vector register.
    pub vector: bool,
}

/// An operand that is part of the encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Number {
    /// A literal.
    Literal(i64),
    /// An argument times a factor, with the argument's least and greatest value.
    Argument {
        /// The argument's position.
        position: usize,
        /// Least value.
        low: i64,
        /// Greatest value.
        high: i64,
        /// What it is multiplied with.
        scale: i64,
    },
}

impl Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Literal(value) => write!(f, "{value}"),
            Self::Argument { low, high, scale: 1, .. } => write!(f, "{{{low}..{high}}}"),
            Self::Argument { low, high, scale, .. } => write!(f, "{{{low}..{high}*{scale}}}"),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Operand {
    /// `v0.8b`, `v8.h[2]`, `{ v1.16b, v2.16b }` (as many as `list`), `{ v16.h, v17.h }[2]`.
    Vector { role: Role, arrangement: String, index: Option<Number>, list: Option<u32> },
    /// `d0`, `w1`.
    Scalar { role: Role, letter: char },
    /// `[x1]`.
    Address { role: Role },
    /// `#3`.
    Immediate(Number),
}

/// An instruction of an intrinsic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The mnemonic, lower case.
    pub mnemonic: String,
    operands: Vec<Operand>,
}

impl Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.mnemonic)?;
        for (position, operand) in self.operands.iter().enumerate() {
            f.write_str(if position == 0 { " " } else { ", " })?;
            match operand {
                Operand::Vector { role, arrangement, index, list: None } => {
                    write!(f, "v{}.{arrangement}", role.number())?;
                    if let Some(index) = index {
                        write!(f, "[{index}]")?;
                    }
                }
                Operand::Vector { role, arrangement, list: Some(count), index } => {
                    f.write_str("{ ")?;
                    for next in 0..*count {
                        let comma = if next == 0 { "" } else { ", " };
                        write!(f, "{comma}v{}.{arrangement}", role.number() + next)?;
                    }
                    f.write_str(" }")?;
                    if let Some(index) = index {
                        write!(f, "[{index}]")?;
                    }
                }
                Operand::Scalar { role, letter } => write!(f, "{letter}{}", role.number())?,
                Operand::Address { role } => write!(f, "[x{}]", role.number())?,
                Operand::Immediate(number) => write!(f, "#{number}")?,
            }
        }
        Ok(())
    }
}

impl Line {
    /// The line with places for registers and immediates, as [`crate::Form::template`] has them; `argument`
    /// says which argument a register holds at the start. `None` where a register holds none, the results are
    /// several, or an operand is in memory.
    pub fn template(&self, argument: impl Fn(Role) -> Option<usize>) -> Option<String> {
        let register = |role: Role| match role {
            Role::D => Some("{d}".to_owned()),
            role => argument(role).map(|position| format!("{{{position}}}")),
        };
        let number = |number: &Number| match number {
            Number::Literal(value) => value.to_string(),
            Number::Argument { position, scale: 1, .. } => format!("{{{position}}}"),
            Number::Argument { position, scale, .. } => format!("{{{position}*{scale}}}"),
        };
        let operands: Option<Vec<String>> = self
            .operands
            .iter()
            .map(|operand| {
                Some(match operand {
                    Operand::Vector { role, arrangement, index, list: None } => {
                        let index =
                            index.as_ref().map_or(String::new(), |index| format!("[{}]", number(index)));
                        format!("v{}.{arrangement}{index}", register(*role)?)
                    }
                    Operand::Vector { role: Role::D | Role::D2, list: Some(2..), .. } => return None,
                    Operand::Vector { role, arrangement, list: Some(count), .. } => {
                        let first = register(*role)?;
                        let next = |plus: u32| match plus {
                            0 => format!("v{first}.{arrangement}"),
                            plus => format!("v{}+{plus}}}.{arrangement}", first.trim_end_matches('}')),
                        };
                        format!("{{ {} }}", (0..*count).map(next).collect::<Vec<_>>().join(", "))
                    }
                    Operand::Scalar { role, letter } => format!("{letter}{}", register(*role)?),
                    Operand::Address { .. } => return None,
                    Operand::Immediate(value) => format!("#{}", number(value)),
                })
            })
            .collect();
        Some(format!("{} {}", self.mnemonic, operands?.join(", ")))
    }

    /// The registers in operand order, the destination first.
    pub fn slots(&self) -> impl Iterator<Item = Slot> {
        self.operands.iter().filter_map(|operand| match operand {
            Operand::Vector { role, .. } => Some(Slot { role: *role, vector: true }),
            Operand::Scalar { role, letter } => {
                Some(Slot { role: *role, vector: !matches!(letter, 'w' | 'x') })
            }
            Operand::Address { role } => Some(Slot { role: *role, vector: false }),
            Operand::Immediate(_) => None,
        })
    }

    /// The positions and ranges of the arguments in the encoding, in operand order.
    pub fn immediates(&self) -> impl Iterator<Item = (usize, i64, i64)> {
        self.operands.iter().filter_map(|operand| match operand {
            Operand::Vector { index: Some(Number::Argument { position, low, high, .. }), .. }
            | Operand::Immediate(Number::Argument { position, low, high, .. }) => {
                Some((*position, *low, *high))
            }
            _ => None,
        })
    }

    /// Element size and total size in bits of the first vector operand with an arrangement.
    pub fn arrangement(&self) -> Option<(u32, u32)> {
        self.operands.iter().find_map(|operand| match operand {
            Operand::Vector { arrangement, .. } => {
                let split = arrangement.find(|c: char| c.is_ascii_alphabetic())?;
                let size = element_size(arrangement[split..].chars().next()?)?;
                Some((size, arrangement[..split].parse::<u32>().ok()?.checked_mul(size)?))
            }
            Operand::Scalar { letter, .. } => element_size(*letter).map(|size| (size, size)),
            Operand::Address { .. } | Operand::Immediate(_) => None,
        })
    }
}

fn element_size(letter: char) -> Option<u32> {
    Some(match letter.to_ascii_lowercase() {
        'b' => 8,
        'h' => 16,
        's' | 'w' => 32,
        'd' | 'x' => 64,
        'q' => 128,
        _ => return None,
    })
}

/// Operands of the instructions after the first one of a sequence, which the document leaves out.
/// `LIST` stands for the table registers.
const SEQUENCES: &[(&[&str], &[&str])] = &[
    (&["DUP", "INS"], &["Vd.D[1],Vm.D[0]"]),
    (
        &["MOVI", "CMHS", "TBL", "BIF"],
        &["Vtmp.8B,Vm.8B,Vtmp.8B", "Vtmp1.8B,LIST,Vm.8B", "Vd.8B,Vtmp1.8B,Vtmp.8B"],
    ),
];

/// The instructions of an entry; `Err` says what is not understood. An erratum can give each of several instructions
/// its operands, with semicolons between them.
pub fn lines(entry: &Entry) -> Result<Vec<Line>, String> {
    let bases: Vec<&str> = entry.base.iter().map(|base| base.trim()).collect();
    match bases[..] {
        [] => Err("no base instruction".into()),
        ["NOP"] => Ok(Vec::new()),
        [only] => Ok(vec![line(entry, only, &entry.operands)?]),
        _ => {
            let own: Vec<&str> = entry.operands.split(';').collect();
            if own.len() == bases.len() {
                return bases.iter().zip(own).map(|(base, operands)| line(entry, base, operands)).collect();
            }
            if let Some((_, rest)) = SEQUENCES.iter().find(|(sequence, _)| *sequence == bases) {
                // The table of the extended look-ups: 64-bit vectors, two to a register.
                let registers =
                    entry.args.iter().filter_map(|(c_type, _)| super::ctype::CType::parse(c_type));
                let count = registers.map(|c_type| c_type.count).max().unwrap_or(1).div_ceil(2);
                let list = (0..count).map(|next| format!("Vn+{next}.16B")).collect::<Vec<_>>().join(",");
                let mut lines = vec![line(entry, bases[0], &entry.operands)?];
                for (base, operands) in bases[1..].iter().zip(*rest) {
                    lines.push(line(entry, base, &operands.replace("LIST", &format!("{{{list}}}")))?);
                }
                return Ok(lines);
            }
            if bases.len() != entry.results.len() {
                return Err(format!("the operands of `{}` are not documented", bases[1..].join(", ")));
            }
            // One instruction for each result, with the same sources.
            let sources = entry.operands.split_once(',').map_or("", |(_, sources)| sources);
            bases
                .iter()
                .zip(&entry.results)
                .map(|(base, (register, _))| line(entry, base, &format!("{register},{sources}")))
                .collect()
        }
    }
}

fn line(entry: &Entry, base: &str, operands: &str) -> Result<Line, String> {
    let mnemonic = base.to_ascii_lowercase();
    if mnemonic.is_empty() || !mnemonic.chars().all(|c| c.is_ascii_alphanumeric()) {
        return Err(format!("`{base}` is not a mnemonic"));
    }
    let parsed = split(operands)
        .into_iter()
        .map(|text| operand(entry, &mnemonic, operands, text))
        .collect::<Result<_, _>>()?;
    Ok(Line { mnemonic, operands: parsed })
}

/// Splits at the commas outside of braces.
fn split(operands: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, character) in operands.char_indices() {
        match character {
            '{' | '(' => depth += 1,
            '}' | ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(operands[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(operands[start..].trim());
    parts
}

fn operand(entry: &Entry, mnemonic: &str, all: &str, text: &str) -> Result<Operand, String> {
    let unknown = || format!("`{text}` is not an operand");
    if let Some((list, index)) = text.strip_prefix('{').and_then(|list| list.rsplit_once('}')) {
        let index = match index.trim() {
            "" => None,
            index => {
                let index = index.strip_prefix('[').and_then(|index| index.strip_suffix(']'));
                Some(index.and_then(|index| number(entry, index)).ok_or_else(unknown)?)
            }
        };
        return register_list(list, index).ok_or_else(unknown);
    }
    if let Some(address) = text.strip_prefix('[').and_then(|address| address.strip_suffix(']')) {
        let role = address.trim().strip_prefix(['X', 'x']).and_then(role).ok_or_else(unknown)?;
        return Ok(Operand::Address { role });
    }
    if let Some(value) = text.strip_prefix('#') {
        return number(entry, value).map(Operand::Immediate).ok_or_else(unknown);
    }
    if entry.preparation.contains_key(text) {
        return number(entry, text).map(Operand::Immediate).ok_or_else(unknown);
    }
    let (register, index) = match text.split_once('[') {
        Some((register, index)) => {
            let index = index.strip_suffix(']').ok_or_else(unknown)?;
            (register, Some(number(entry, index).ok_or_else(unknown)?))
        }
        None => (text, None),
    };
    let (register, arrangement) = match register.split_once('.') {
        Some((register, arrangement)) => (register, Some(arrangement.trim().to_ascii_lowercase())),
        None => (register, None),
    };
    let mut characters = register.chars();
    let letter = characters.next().ok_or_else(unknown)?.to_ascii_lowercase();
    let role = role(characters.as_str()).ok_or_else(unknown)?;
    match (letter, arrangement) {
        // The assembler spells a copy of a whole doubleword as a scalar.
        ('v', Some(arrangement)) if arrangement == "1d" && mnemonic == "dup" => {
            Ok(Operand::Scalar { role, letter: 'd' })
        }
        ('v', Some(arrangement)) => {
            // An indexed register names only its element, except for groups of bytes or halves.
            let arrangement = match (&index, arrangement.as_str()) {
                (Some(_), "4s") => "s".to_owned(),
                _ => arrangement,
            };
            Ok(Operand::Vector { role, arrangement, index, list: None })
        }
        ('d', Some(arrangement)) if index.is_some() => {
            Ok(Operand::Vector { role, arrangement, index, list: None })
        }
        ('b' | 'h' | 's' | 'd' | 'q' | 'w' | 'x', None) if index.is_none() => {
            Ok(Operand::Scalar { role, letter })
        }
        ('r', None) if index.is_none() => {
            // A general register: as wide as the elements that it meets; a signed move takes all of it.
            let wide = mnemonic == "smov" || all.contains(".D") || all.contains(".2D") || all.contains(".1D");
            Ok(Operand::Scalar { role, letter: if wide { 'x' } else { 'w' } })
        }
        _ => Err(unknown()),
    }
}

fn role(text: &str) -> Option<Role> {
    Some(match text.trim() {
        "d" | "d1" => Role::D,
        "d2" => Role::D2,
        "n" => Role::N,
        "m" => Role::M,
        "a" => Role::A,
        "t" => Role::T,
        "t2" => Role::T2,
        "t3" => Role::T3,
        "t4" => Role::T4,
        "tmp" => Role::Temporary,
        "tmp1" => Role::Temporary1,
        _ => return None,
    })
}

/// `Vn.16B`, `Vn.16B - Vn+3.16B`, `Vn.16B,Vn+1.16B`, `Vt.16B - Vt4.16B`.
fn register_list(text: &str, index: Option<Number>) -> Option<Operand> {
    let register = |text: &str| {
        let (register, arrangement) = text.trim().split_once('.')?;
        let register = register.strip_prefix('V')?;
        let (name, plus) = register.split_once('+').unwrap_or((register, "0"));
        Some((
            role(name)?,
            plus.parse::<u32>().ok().filter(|plus| *plus < 4)?,
            arrangement.to_ascii_lowercase(),
        ))
    };
    let registers = text.split([',', '-']).map(register).collect::<Option<Vec<_>>>()?;
    let (role, first, mut arrangement) = registers.first()?.clone();
    let (last_role, last, _) = registers.last()?.clone();
    let list = match (role, last_role) {
        (Role::T, last_role) if last_role.is_transferred() => last_role.number() + last - role.number() + 1,
        (role, last_role) if role == last_role => last + 1,
        _ => return None,
    };
    if index.is_some() {
        // Registers of which one element is meant name only that, however many the document gives them.
        arrangement.retain(|c| !c.is_ascii_digit());
    }
    (first == 0 && list <= 4).then_some(Operand::Vector { role, arrangement, index, list: Some(list) })
}

/// `3`, `lane`, `(n<<1)`.
fn number(entry: &Entry, text: &str) -> Option<Number> {
    let text = text.trim();
    if let Ok(value) = text.parse() {
        return Some(Number::Literal(value));
    }
    let (name, scale) = match text.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
        Some(inner) => {
            let (name, shift) = inner.split_once("<<")?;
            (name.trim(), 1 << shift.trim().parse::<u32>().ok().filter(|shift| *shift < 8)?)
        }
        None => (text, 1),
    };
    let position = entry.args.iter().position(|(_, arg)| arg == name)?;
    match entry.preparation.get(name)? {
        Preparation::Immediate(low, high) => {
            Some(Number::Argument { position, low: *low, high: *high, scale })
        }
        _ => None,
    }
}

/// The register of an argument's or result's place: `Vn.8B`, `Dd`, `Rn`, `Vm.H[0]`, `32(Vd)`, `VnH`.
pub fn slot(text: &str) -> Option<Slot> {
    let text = text.trim();
    let text = match text.split_once('(') {
        Some((width, register)) if width.chars().all(|c| c.is_ascii_digit()) => register.strip_suffix(')')?,
        _ => text,
    };
    let name = text.split(['.', '[']).next()?;
    let mut characters = name.chars();
    let letter = characters.next()?.to_ascii_lowercase();
    let rest = characters.as_str();
    let rest = if letter == 'v' { rest.trim_end_matches(['B', 'H', 'S', 'D']) } else { rest };
    let vector = match letter {
        'v' | 'b' | 'h' | 's' | 'd' | 'q' => true,
        'r' | 'w' | 'x' => false,
        _ => return None,
    };
    Some(Slot { role: role(rest)?, vector })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(base: &[&str], operands: &str, immediates: &[(&str, i64, i64)]) -> Entry {
        Entry {
            base: base.iter().map(|base| (*base).to_owned()).collect(),
            operands: operands.to_owned(),
            args: immediates.iter().map(|(name, ..)| ("const int".to_owned(), (*name).to_owned())).collect(),
            preparation: immediates
                .iter()
                .map(|(name, low, high)| ((*name).to_owned(), Preparation::Immediate(*low, *high)))
                .collect(),
            ..Entry::default()
        }
    }

    fn text(base: &[&str], operands: &str, immediates: &[(&str, i64, i64)]) -> String {
        let lines = lines(&entry(base, operands, immediates)).unwrap();
        lines.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn operands_become_registers() {
        assert_eq!(text(&["ADD"], "Vd.8B,Vn.8B,Vm.8B", &[]), "add v0.8b, v1.8b, v8.8b");
        assert_eq!(text(&["CMGE"], "Dd,Dm,Dn", &[]), "cmge d0, d8, d1");
        assert_eq!(
            text(&["EXT"], "Vd.8B,Vn.8B,Vm.8B,#(n<<1)", &[("n", 0, 3)]),
            "ext v0.8b, v1.8b, v8.8b, #{0..3*2}"
        );
        assert_eq!(
            text(&["INS"], "Vd.B[lane1],Vn.B[lane2]", &[("lane1", 0, 7), ("lane2", 0, 15)]),
            "ins v0.b[{0..7}], v1.b[{0..15}]"
        );
        assert_eq!(
            text(&["TBL"], "Vd.8B,{Vn.16B - Vn+3.16B},Vm.8B", &[]),
            "tbl v0.8b, { v1.16b, v2.16b, v3.16b, v4.16b }, v8.8b"
        );
        assert_eq!(text(&["UMOV"], "Rd,Vn.D[lane]", &[("lane", 0, 1)]), "umov x0, v1.d[{0..1}]");
        assert_eq!(text(&["DUP"], "Vd.1D,Vn.D[1]", &[]), "dup d0, v1.d[1]");
        assert_eq!(text(&["PMULL"], "Vd.1Q,Vn.1D,Vm.1D", &[]), "pmull v0.1q, v1.1d, v8.1d");
        assert_eq!(text(&["NOP"], "", &[]), "");
        assert_eq!(text(&["LD1"], "{Vt.8B},[Xn]", &[]), "ld1 { v16.8b }, [x1]");
        assert_eq!(text(&["LD2"], "{Vt.8B - Vt2.8B},[Xn]", &[]), "ld2 { v16.8b, v17.8b }, [x1]");
        let lane = &[("lane", 0, 3)];
        assert_eq!(
            text(&["ST3"], "{Vt.h - Vt3.h}[lane],[Xn]", lane),
            "st3 { v16.h, v17.h, v18.h }[{0..3}], [x1]"
        );
        assert_eq!(text(&["LD1"], "{Vt.4H}[lane],[Xn]", lane), "ld1 { v16.h }[{0..3}], [x1]");
        assert_eq!(text(&["STR"], "Qt,[Xn]", &[]), "str q16, [x1]");
    }

    #[test]
    fn sequences_are_completed() {
        assert_eq!(text(&["DUP", "INS"], "Vd.1D,Vn.D[0]", &[]), "dup d0, v1.d[0]; ins v0.d[1], v8.d[0]");
        let mut pair = entry(&["TRN1", "TRN2"], "Vd1.4H,Vn.4H,Vm.4H", &[]);
        pair.results =
            vec![("Vd1.4H".into(), "result.val[0]".into()), ("Vd2.4H".into(), "result.val[1]".into())];
        let lines = lines(&pair).unwrap();
        assert_eq!(lines[1].to_string(), "trn2 v20.4h, v1.4h, v8.4h");
    }

    #[test]
    fn what_is_not_understood_is_told() {
        for operands in [
            "Vd.8B,[Xk]",
            "{Vt.8B}[k],[Xn]",
            "{Vn.8B - Vt.8B},[Xn]",
            "= a[i] + b",
            "Vd.8B,#k",
            "{Vq.8B},Vm",
            "",
        ] {
            assert!(lines(&entry(&["LD1"], operands, &[])).is_err(), "{operands}");
        }
        assert!(lines(&entry(&["RESULT[I]"], "Vd", &[])).is_err());
    }

    #[test]
    fn a_template_names_the_arguments() {
        let template = |base: &str, operands: &str, immediates: &[(&str, i64, i64)]| {
            let lines = lines(&entry(&[base], operands, immediates)).unwrap();
            let argument = |role| match role {
                Role::D => Some(0),
                Role::N => Some(1),
                Role::M => Some(2),
                _ => None,
            };
            lines[0].template(argument)
        };
        assert_eq!(template("MLA", "Vd.16B,Vn.16B,Vm.16B", &[]).unwrap(), "mla v{d}.16b, v{1}.16b, v{2}.16b");
        let shift = template("SHL", "Vd.4S,Vn.4S,#n", &[("n", 0, 31)]);
        assert_eq!(shift.unwrap(), "shl v{d}.4s, v{1}.4s, #{0}");
        let table = template("TBL", "Vd.16B,{Vn.16B - Vn+1.16B},Vm.16B", &[]);
        assert_eq!(table.unwrap(), "tbl v{d}.16b, { v{1}.16b, v{1+1}.16b }, v{2}.16b");
    }

    #[test]
    fn places_are_registers() {
        let vector = |role| Some(Slot { role, vector: true });
        assert_eq!(slot("Vn.16B"), vector(Role::N));
        assert_eq!(slot("VnH"), vector(Role::N));
        assert_eq!(slot("32(Vd)"), vector(Role::D));
        assert_eq!(slot("Vm.H[0]"), vector(Role::M));
        assert_eq!(slot("Vd2.4H"), vector(Role::D2));
        assert_eq!(slot("rn"), Some(Slot { role: Role::N, vector: false }));
        assert_eq!(slot("Vt2.16B"), vector(Role::T2));
        assert_eq!(slot("Xn"), Some(Slot { role: Role::N, vector: false }));
        assert_eq!(slot("N/A"), None);
        assert_eq!(slot("UNUSED"), None);
    }
}
