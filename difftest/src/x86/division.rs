//! Integer division of vectors, which x86 has no instruction for: the compilers' library functions for it are checked
//! against C's `/` and `%` on vector elements.
//!
//! ```text
//! _mm_rem_epi16      static __m128i hydride_mm_rem_epi16(__m128i a, __m128i b) {
//!                      typedef short lanes __attribute__((vector_size(16)));
//!                      return (__m128i)((lanes)a % (lanes)b); }
//! ```
//!
//! The signedness of the elements is taken from the intrinsic's name and never from the document's element types, since
//! those are what is being checked. C leaves division by zero and the quotient that is too large (`INT_MIN / -1`)
//! undefined, and so may the library: such elements are not among the inputs.

use interp::Bv;
use parsers::Instruction;

/// A division of vectors by vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Division {
    /// Bits of a vector.
    vector: u32,
    /// Bits of an element.
    element: u32,
    signed: bool,
    remainder: bool,
    /// `src` and a mask precede the operands.
    masked: bool,
}

impl Division {
    /// What the name of an intrinsic without machine instructions says: `_mm512_mask_rem_epu32`, `_mm256_idiv_epi32`.
    pub(super) fn of(instruction: &Instruction) -> Option<Self> {
        if !instruction.forms.is_empty() {
            return None;
        }
        let (vector, name) = instruction.intrinsic.strip_prefix("_mm")?.split_once('_')?;
        let vector = if vector.is_empty() { 128 } else { vector.parse().ok()? };
        let (masked, name) = match name.strip_prefix("mask_") {
            Some(name) => (true, name),
            None => (false, name),
        };
        let (operation, element) = name.split_once('_')?;
        let (of_element, element) = match (element.strip_prefix("epi"), element.strip_prefix("epu")) {
            (Some(width), _) => (true, width),
            (None, width) => (false, width?),
        };
        let element = element.parse().ok().filter(|width| [8, 16, 32, 64].contains(width))?;
        let (signed, remainder) = match operation {
            "div" => (of_element, false),
            "rem" => (of_element, true),
            "idiv" => (true, false),
            "irem" => (true, true),
            "udiv" => (false, false),
            "urem" => (false, true),
            _ => return None,
        };
        let operands = if masked { 4 } else { 2 };
        (instruction.signature.args.len() == operands && [128, 256, 512].contains(&vector)).then_some(Self {
            vector,
            element,
            signed,
            remainder,
            masked,
        })
    }

    /// The name of the C function for an intrinsic.
    pub(super) fn function(intrinsic: &str) -> String {
        format!("hydride{intrinsic}")
    }

    /// The C function, in a line.
    pub(super) fn definition(&self, intrinsic: &str) -> String {
        let register = if self.vector == 128 { "__m128i".into() } else { format!("__m{}i", self.vector) };
        let (before, after) = match self.masked {
            // A masked move is a separate instruction.
            true => (format!("{register} src, __mmask{} k, ", self.vector / self.element), {
                let prefix = if self.vector == 128 { "_mm".into() } else { format!("_mm{}", self.vector) };
                format!("{prefix}_mask_mov_epi{}(src, k, quotient)", self.element)
            }),
            false => (String::new(), "quotient".into()),
        };
        format!(
            "static {register} {}({before}{register} a, {register} b) {{ \
             typedef {} lanes __attribute__((vector_size({}))); \
             {register} quotient = ({register})((lanes)a {} (lanes)b); return {after}; }}",
            Self::function(intrinsic),
            self.c_type(),
            self.vector / 8,
            self.operator(),
        )
    }

    fn c_type(&self) -> String {
        let name = match self.element {
            8 => "char",
            16 => "short",
            32 => "int",
            _ => "long long",
        };
        format!("{} {name}", if self.signed { "signed" } else { "unsigned" })
    }

    fn operator(&self) -> char {
        if self.remainder { '%' } else { '/' }
    }

    /// What runs, in words.
    pub(super) fn describe(&self) -> String {
        format!("C's {} on {}", self.operator(), self.c_type())
    }

    /// Replaces divisors for which C leaves the result undefined.
    pub(super) fn avoid_undefined(&self, args: &mut [Bv]) {
        let [.., dividend, divisor] = args else { return };
        for low in (0..self.vector).step_by(self.element as usize) {
            let (left, right) = (dividend.extract(low, self.element), divisor.extract(low, self.element));
            let too_large =
                self.signed && right == Bv::ones(self.element) && left == Bv::signed_min(self.element);
            if right.is_zero() || too_large {
                divisor.insert(low, &Bv::from_u64(self.element, 3));
            }
        }
    }
}
