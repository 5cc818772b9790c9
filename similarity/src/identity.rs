//! Identity of structures: an explicit encoding of lane forms, and hashes of it.
//!
//! A class's key is kept in dictionaries of families and outlives this program, so that it must not depend on how the
//! program spells its types. Every operator has a unique word here, numbers are eight bytes, least significant first, and lists
//! and texts begin with their length. A change of the encoding is a new [`VERSION`], and gives every class another key;
//! a new dictionary then finds the names by the members.

use hydride_ir::lane::{Coefficient, FoldOp, Form, Hole, Kind, Template, Term};

/// The version of the encoding.
const VERSION: u8 = 1;

/// Bytes that are equal for equal content and for nothing else.
pub(crate) struct Encoding(Vec<u8>);

impl Encoding {
    /// The beginning of the encoding of a structure of the kind `what`.
    pub(crate) fn new(what: &str) -> Self {
        let mut encoding = Self(vec![VERSION]);
        encoding.text(what);
        encoding
    }

    /// Its hash, 32 hexadecimal digits.
    pub(crate) fn key(&self) -> String {
        blake3::hash(&self.0).to_hex()[..32].to_string()
    }

    /// The bytes, which can be compared.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    pub(crate) fn number(&mut self, number: i64) {
        self.0.extend(number.to_le_bytes());
    }

    pub(crate) fn flag(&mut self, flag: bool) {
        self.0.push(u8::from(flag));
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as i64);
        self.0.extend(bytes);
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn list<T>(&mut self, items: &[T], mut each: impl FnMut(&mut Self, &T)) {
        self.number(items.len() as i64);
        items.iter().for_each(|item| each(self, item));
    }

    fn positions(&mut self, positions: &[usize]) {
        self.list(positions, |encoding, position| encoding.number(*position as i64));
    }

    /// A form's operators without its numbers. `flags` has one for each argument.
    pub(crate) fn structure(&mut self, form: &Form<i64>, flags: &[bool]) {
        self.list(flags, |encoding, flag| encoding.flag(*flag));
        self.list(&form.results, |encoding, result| {
            encoding.list(&result.statements, |encoding, statement| encoding.operators(&statement.template));
        });
    }

    fn operators(&mut self, template: &Template<i64>) {
        self.list(&template.terms, |encoding, term| {
            encoding.operator(term);
            // The low bits of a computed value are another operation than bits above them.
            if let Kind::Slice(slice) = &term.kind {
                encoding.flag(slice.low.base == 0);
            }
        });
    }

    /// A form with its numbers.
    pub(crate) fn form(&mut self, form: &Form<i64>) {
        let Form { arg_widths, results } = form;
        self.numbers(arg_widths);
        self.list(results, |encoding, result| {
            encoding.number(result.width);
            encoding.list(&result.statements, |encoding, statement| {
                encoding.numbers(&statement.extents);
                encoding.hole(&statement.position);
                encoding.list(&statement.template.terms, |encoding, term| {
                    encoding.operator(term);
                    let numbers: Vec<&Hole<i64>> = term.kind.numbers().map(|(_, hole)| hole).collect();
                    encoding.list(&numbers, |encoding, hole| encoding.hole(hole));
                    encoding.numbers(&term.working);
                    encoding.flag(term.working_signed);
                });
            });
        });
    }

    fn numbers(&mut self, numbers: &[i64]) {
        self.list(numbers, |encoding, number| encoding.number(*number));
    }

    fn hole(&mut self, hole: &Hole<i64>) {
        self.number(hole.base);
        self.numbers(&hole.strides);
    }

    fn operator(&mut self, term: &Term<i64>) {
        self.kind(&term.kind);
        self.positions(&term.children);
        self.positions(&term.folds);
    }

    fn kind(&mut self, kind: &Kind<Hole<i64>>) {
        let word = match kind {
            Kind::Const(_) => "const",
            Kind::AllOnes { .. } => "all ones",
            Kind::Literal(value) => {
                self.text("literal");
                return self.text(&value.to_string());
            }
            Kind::Leaf { arg, .. } => {
                self.text("leaf");
                return self.number(i64::from(*arg));
            }
            Kind::Arg(arg) => {
                self.text("arg");
                return self.number(i64::from(*arg));
            }
            Kind::Slice(_) => "slice",
            Kind::SliceAt(_) => "slice at",
            Kind::Concat { .. } => "concat",
            Kind::Sum { coefficients, constant } => {
                self.text("sum");
                self.list(coefficients, |encoding, Coefficient { negative, magnitude }| {
                    encoding.flag(*negative);
                    encoding.flag(magnitude.is_none());
                });
                return self.flag(constant.is_some());
            }
            Kind::Mul => "mul",
            Kind::Shl => "shl",
            Kind::Shr => "shr",
            Kind::And => "and",
            Kind::Or => "or",
            Kind::Xor => "xor",
            Kind::Not => "not",
            Kind::Eq => "eq",
            Kind::Lt => "lt",
            Kind::Le => "le",
            Kind::Min => "min",
            Kind::Max => "max",
            Kind::Abs => "abs",
            Kind::Saturate { .. } => "saturate",
            Kind::Select => "select",
            Kind::Div => "div",
            Kind::Rem => "rem",
            Kind::PopCount => "population count",
            Kind::LeadingZeros { .. } => "leading zeros",
            Kind::TrailingZeros { .. } => "trailing zeros",
            Kind::Fold { op, .. } => match op {
                FoldOp::Add => "fold add",
                FoldOp::Mul => "fold mul",
                FoldOp::And => "fold and",
                FoldOp::Or => "fold or",
                FoldOp::Xor => "fold xor",
                FoldOp::Min => "fold min",
                FoldOp::Max => "fold max",
            },
            Kind::Float { float, .. } => {
                self.text(float.op.name());
                return self.text(float.nan.name());
            }
        };
        self.text(word);
    }
}

#[cfg(test)]
mod tests {
    use hydride_ir::Function;

    use crate::analyze;

    /// Keys are kept by users. A change here renames nothing (a new dictionary finds names by members), but it has to be
    /// meant: it comes with another version of the encoding.
    #[test]
    fn keys_stay_what_they_were() {
        let key =
            |text: &str| analyze(&Function::parse(text).expect("it is legal")).expect("it is").shape.key;
        let add = "func @add(%a: 32, %b: 32) -> (%r: 32) {\n  for i in 0..4 {\n    %r[8*i +: 8] = add(%a[8*i +: 8], %b[8*i +: 8])\n  }\n}\n";
        assert_eq!(key(add), "be4dabe46727a49e221ef20469c7cfc3");
        assert_eq!(key(&add.replace("32", "64").replace("0..4", "0..8")), key(add), "lanes are no structure");
        assert_ne!(key(&add.replace("add(", "sub(")), key(add));
    }
}
