//! The text form: printed text can be parsed, and printing the result gives the same text.
//!
//! ```text
//! file      = function*                                       comments: '#' to the end of the line
//! function  = 'func' '@'name ('[' ident '=' integer, … ']')? '(' argument, … ')'
//!             '->' '(' '%'name ':' num, … ')' '{' statement* '}'
//! argument  = '%'name ':' num ('imm' integer '..=' integer | 'mem' ('align' integer)?)?
//! statement = 'for' ident 'in' '0' '..' num '{' statement* '}'
//!           | 'let' ident '=' expr                            a name for a shared expression
//!           | '%'name '[' num '+:' num ']' '=' expr
//! expr      = '%'name | ident | '0x'digits ':' width | '(' expr ')'
//!           | expr '[' num '+:' num ']'                       extract
//!           | expr '[' 'at' expr '+:' num ']'                 extract at a computed position
//!           | 'int' '(' num ',' num ')'                       a number and its width
//!           | 'cast' sign '(' expr ',' num ')'
//!           | 'saturate' sign sign '(' expr ',' num ')'       read as, limited to
//!           | 'concat' '(' expr, … ')'                        most significant first
//!           | unary '(' expr ')' | binary sign? '(' expr ',' expr ')'
//!           | compare sign? '(' expr ',' expr ')' | 'select' '(' expr ',' expr ',' expr ')'
//!           | 'fold' binary sign? '(' ident 'in' '0' '..' num ')' ('let' ident '=' expr 'in')* expr
//!           | float format nans '(' expr, … ')'               the last one is the rounding mode, if any
//!           | 'fconvert' format format nans '(' expr ',' expr ',' num ')'
//!           | ('freciprocal' | 'frsqrt') format '.{' num '}' nans '(' expr ')'       the number is the error
//!           | ('ftoint' | 'ffromint') format sign '(' expr ',' expr ',' num ')'
//! format    = '.{' num '}'                                    bits of the exponent
//! nans      = '' | '.open' | '.first' | '.signaling_first'    which NaN a NaN is
//! sign      = '.s' | '.u' | '.{' num '}'
//! num       = sums, differences and products of integers, parameters and indices
//! name      = letters, digits, '_', '.', '$', '@', or any text in double quotes ('\' escapes)
//! ```
//!
//! Widths that are not written follow from the operands: those of unary and binary operators from
//! the first operand, of `select` from its second, of `fold` from its body, of `concat` from the
//! sum; comparisons have one bit.

mod cursor;
mod number;
mod parse;
mod print;

pub(crate) use print::{expression_text, number_text};

use crate::expr::{Expr, Op};

/// Words with a special meaning where a parameter or index could occur.
pub(crate) const RESERVED: &[&str] = &["at", "fold", "for", "func", "imm", "in", "let", "mem"];

/// Literals up to this width are repeated where they are used; wider ones are shared.
const MAX_INLINE_LITERAL: u32 = 64;

/// A number has at most this many products, of at most [`MAX_FACTORS`] parameters and indices.
pub(crate) const MAX_TERMS: usize = 64;

/// See [`MAX_TERMS`].
pub(crate) const MAX_FACTORS: usize = 8;

/// A syntax error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct ParseError {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

/// Whether the text can be a parameter's or an index's name.
pub(crate) fn is_identifier(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(is_identifier_byte)
        && !RESERVED.contains(&name)
}

fn is_identifier_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// What function, argument and result names consist of where they are not quoted.
fn is_name_byte(byte: u8) -> bool {
    is_identifier_byte(byte) || matches!(byte, b'.' | b'$' | b'@')
}

/// Whether the expression is written out at each use rather than bound to a name. The parser makes
/// equal ones one expression, so that their sharing does not depend on how they were made.
fn is_inline_leaf(expr: &Expr) -> bool {
    match &expr.op {
        Op::Arg(_) | Op::Int(_) => true,
        Op::Const(bits) => bits.width() <= MAX_INLINE_LITERAL,
        _ => false,
    }
}
