//! What the reader knows of pointers: addresses, alignments, and the sizes of types in memory.

use llvm_text::Type;

use crate::ast::{Action, elements};
use crate::error::Fault;
use crate::parse::Parser;
use crate::token::Kind;

type Read<T> = Result<T, Fault>;

/// The bytes of memory from one element of an array of a type to the next; `None` for types that have other ones on each
/// machine.
fn stride(ty: &Type) -> Option<u32> {
    match ty {
        Type::Array(count, part) => stride(part)?.checked_mul(*count),
        Type::Scalar(_) | Type::Vector(..) => {
            let widths = elements(ty).filter(|widths| widths.iter().all(|width| width % 8 == 0))?;
            Some(widths.iter().sum::<u32>() / 8).filter(|bytes| bytes.is_power_of_two())
        }
        _ => None,
    }
}

impl Parser<'_> {
    /// Whether a function is one of LLVM's that takes pointers and is modelled.
    pub(crate) fn is_of_memory(function: &str) -> bool {
        ["memcpy", "memmove", "memset", "lifetime"].iter().any(|name| {
            function.strip_prefix("llvm.").is_some_and(|rest| rest.starts_with(&format!("{name}.")))
        })
    }

    /// A number of bytes that is a power of two.
    pub(crate) fn alignment(&mut self) -> Read<u32> {
        let bytes = self.number()?;
        if bytes.is_power_of_two() { Ok(bytes) } else { self.fault("an alignment that is no power of two") }
    }

    pub(crate) fn skip_parentheses(&mut self) -> Read<()> {
        self.expect("(")?;
        let mut open = 1;
        while open > 0 {
            match self.peek().map(|token| (token.kind, token.text)) {
                Some((Kind::Sign, "(")) => open += 1,
                Some((Kind::Sign, ")")) => open -= 1,
                None | Some((Kind::Newline, _)) => return self.fault("expected `)`"),
                Some(_) => {}
            }
            self.at += 1;
        }
        Ok(())
    }

    pub(crate) fn stride(&self, ty: &Type) -> Read<u32> {
        match stride(ty) {
            Some(bytes) => Ok(bytes),
            None => self.fault(format!("`{ty}` in memory is outside of what is modelled")),
        }
    }

    /// `, align N`, or what a type has on its own.
    pub(crate) fn aligned(&mut self, ty: &Type) -> Read<u32> {
        let is_given =
            self.is(Kind::Sign, ",") && self.tokens.get(self.at + 1).is_some_and(|next| next.text == "align");
        if is_given {
            self.at += 2;
            return self.alignment();
        }
        let mut part = ty;
        while let Type::Array(_, inner) = part {
            part = inner;
        }
        self.stride(part)
    }

    /// The type, pointer and indices of a `getelementptr`.
    pub(crate) fn offset(&mut self, mut in_bounds: bool) -> Read<Action> {
        while self.eat("inbounds") || self.eat("nuw") || self.eat("nusw") {
            in_bounds = true;
        }
        let mut ty = self.ty()?;
        let from = self.next_operand()?;
        let mut steps = vec![(self.next_operand()?, self.stride(&ty)?)];
        while self.is(Kind::Sign, ",")
            && self.tokens.get(self.at + 1).is_some_and(|next| next.kind == Kind::Word)
        {
            let index = self.next_operand()?;
            let Type::Array(_, part) = ty else { return self.fault("a place in no array") };
            steps.push((index, self.stride(&part)?));
            ty = *part;
        }
        Ok(Action::Offset(from, steps, in_bounds))
    }
}
