//! Literals.

use hydride_ir::exact::Int;

use super::SyntaxError;
use super::ast::ExprKind;

/// `12`, `0x1F`, `1_000`.
pub fn number(text: &str, offset: usize) -> Result<Int, SyntaxError> {
    let digits = text.replace('_', "");
    let (digits, radix) = match digits.strip_prefix("0x") {
        Some(digits) => (digits, 16),
        None => (digits.as_str(), 10),
    };
    // The widest table of the documents has 2048 bits; decimal digits are converted in quadratic time.
    if digits.len() > 16_384 || (radix == 10 && digits.len() > 200) {
        return Err(SyntaxError::new(offset, "a number has too many digits"));
    }
    Int::from_str_radix(digits, radix).map_err(|_| SyntaxError::new(offset, "not a number"))
}

/// `'01'`, `'01xx'`: bits, or a mask where some are left open.
pub fn bits_literal(text: &str) -> ExprKind {
    let (mut value, mut mask, mut width) = (Int::ZERO, Int::ZERO, 0);
    for digit in text.chars().filter(|digit| matches!(digit, '0' | '1' | 'x')) {
        value = (value << 1) + Int::from(u8::from(digit == '1'));
        mask = (mask << 1) + Int::from(u8::from(digit != 'x'));
        width += 1;
    }
    let full = (Int::ONE << width as usize) - Int::ONE;
    if mask == full { ExprKind::Bits(value, width) } else { ExprKind::Mask { value, mask, width } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_have_values_and_masks() {
        assert_eq!(number("0x1_F", 0), Ok(Int::from(31)));
        assert!(number(&"9".repeat(1000), 7).is_err_and(|error| error.offset == 7));
        assert_eq!(bits_literal("'01 01'"), ExprKind::Bits(Int::from(5), 4));
        let mask = ExprKind::Mask { value: Int::from(4), mask: Int::from(12), width: 4 };
        assert_eq!(bits_literal("'01xx'"), mask);
    }
}
