//! Numbers ([`Num`]): sums of products of integers, parameters and indices.

use std::fmt;

use super::cursor::Cursor;
use super::{MAX_FACTORS, MAX_TERMS, ParseError};
use crate::function::{Function, ParamId};
use crate::num::{Atom, IndexId, Num};

impl Function {
    /// A number over this function's parameters, as it is written in the text form.
    ///
    /// ```
    /// use hydride_ir::Function;
    ///
    /// let function = Function::parse("func @f[ew = 8, n = 4](%a: ew*n) -> (%r: ew*n) { %r[0 +: ew*n] = %a }")?;
    /// let number = function.parse_number("n + 2*ew - 1")?;
    /// assert_eq!(function.number_text(&number), "2*ew + n - 1");
    /// # Ok::<(), hydride_ir::ParseError>(())
    /// ```
    pub fn number_text(&self, number: &Num) -> String {
        OverParameters { function: self, number }.to_string()
    }

    /// Reads a number over this function's parameters.
    pub fn parse_number(&self, text: &str) -> Result<Num, ParseError> {
        let mut cursor = Cursor::new(text);
        let number = number(&mut cursor, self)?;
        if !cursor.at_end() {
            return cursor.expected("the end of the number");
        }
        Ok(number)
    }
}

/// A number with the names of a function's parameters.
struct OverParameters<'a> {
    function: &'a Function,
    number: &'a Num,
}

impl fmt::Display for OverParameters<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |atom| match atom {
            Atom::Param(param) => self.function.param(param).name.clone(),
            Atom::Index(IndexId(index)) => format!("i{index}"),
        };
        self.number.write(f, &name)
    }
}

/// The parameters alone: outside of its loops.
impl Names for Function {
    fn atom(&self, name: &str) -> Option<Atom> {
        let position = self.params.iter().position(|param| param.name == name)?;
        Some(Atom::Param(ParamId(u32::try_from(position).ok()?)))
    }
}

/// What an identifier in a number refers to.
pub(super) trait Names {
    /// The parameter or index of that name that is in scope.
    fn atom(&self, name: &str) -> Option<Atom>;
}

/// Names given by a function.
struct Given<F>(F);

impl<F: Fn(&str) -> Option<Atom>> Names for Given<F> {
    fn atom(&self, name: &str) -> Option<Atom> {
        (self.0)(name)
    }
}

impl Num {
    /// Reads the text form of a number, in which `atom` says what a name refers to.
    ///
    /// ```
    /// use hydride_ir::{Atom, Num, ParamId};
    ///
    /// let number = Num::parse("2*w + 1", |name| (name == "w").then_some(Atom::Param(ParamId(0))))?;
    /// assert_eq!(number.eval(|_| 8), Some(17));
    /// # Ok::<(), hydride_ir::ParseError>(())
    /// ```
    pub fn parse(text: &str, atom: impl Fn(&str) -> Option<Atom>) -> Result<Num, ParseError> {
        let mut cursor = Cursor::new(text);
        let num = number(&mut cursor, &Given(atom))?;
        if cursor.at_end() { Ok(num) } else { cursor.expected("the end of the number") }
    }
}

/// Reads a number.
pub(super) fn number(cursor: &mut Cursor<'_>, names: &impl Names) -> Result<Num, ParseError> {
    let start = cursor.mark();
    let negative = cursor.eat("-");
    let mut sum = product(cursor, names, negative)?;
    loop {
        let negative = match cursor.peek() {
            // `+:` separates a position from a width.
            Some(b'+') if cursor.peek_second() != Some(b':') => false,
            Some(b'-') if cursor.peek_second() != Some(b'>') => true,
            _ => return Ok(sum),
        };
        cursor.expect(if negative { "-" } else { "+" })?;
        sum = sum + product(cursor, names, negative)?;
        check_size(cursor, start, &sum)?;
    }
}

fn product(cursor: &mut Cursor<'_>, names: &impl Names, negative: bool) -> Result<Num, ParseError> {
    let start = cursor.mark();
    // The sign belongs to a leading integer, so that the least integer can be written.
    let mut product = match cursor.peek() {
        Some(b'0'..=b'9') => {
            let magnitude = cursor.magnitude()?;
            Num::constant(cursor.signed(start, negative, magnitude)?)
        }
        _ if negative => factor(cursor, names)? * Num::constant(-1),
        _ => factor(cursor, names)?,
    };
    while cursor.eat("*") {
        let factor = factor(cursor, names)?;
        product = match product.as_constant() {
            Some(1) => factor,
            _ => product * factor,
        };
        check_size(cursor, start, &product)?;
    }
    Ok(product)
}

fn factor(cursor: &mut Cursor<'_>, names: &impl Names) -> Result<Num, ParseError> {
    match cursor.peek() {
        Some(b'0'..=b'9') => {
            let start = cursor.mark();
            let magnitude = cursor.magnitude()?;
            Ok(Num::constant(cursor.signed(start, false, magnitude)?))
        }
        Some(b'(') => {
            cursor.enter()?;
            cursor.expect("(")?;
            let inner = number(cursor, names)?;
            cursor.expect(")")?;
            cursor.leave();
            Ok(inner)
        }
        _ => {
            let start = cursor.mark();
            let name = cursor.identifier("a number, parameter or index")?;
            match names.atom(name) {
                Some(Atom::Param(param)) => Ok(Num::param(param)),
                Some(Atom::Index(index)) => Ok(Num::index(index)),
                None => cursor.error_at(start, format!("no parameter or index `{name}` is in scope")),
            }
        }
    }
}

fn check_size(cursor: &Cursor<'_>, start: usize, num: &Num) -> Result<(), ParseError> {
    if num.terms().count() > MAX_TERMS || num.terms().any(|(atoms, _)| atoms.len() > MAX_FACTORS) {
        return cursor
            .error_at(start, format!("more than {MAX_TERMS} products or {MAX_FACTORS} factors in a number"));
    }
    Ok(())
}
