//! The differences between C and Rust in the code of an evaluator.

/// How a language writes things. Names of the support functions and the order of their operands are the same
/// in both.
pub(crate) trait Language {
    /// The name of a support function.
    fn support(&self, name: &str) -> String;
    /// A 64-bit literal.
    fn literal(&self, value: u64) -> String;
    /// The definition of a constant word.
    fn word(&self, name: &str, value: &str) -> String;
    /// The definition of a word that does, first 0.
    fn variable(&self, name: &str) -> String;
    /// The definition of an array of zeros.
    fn array(&self, name: &str, words: usize) -> String;
    /// The definition of an array of given words.
    fn constants(&self, name: &str, words: &[String]) -> String;
    /// An array as an operand that is read.
    fn read(&self, name: &str) -> String;
    /// An array as an operand that is written.
    fn written(&self, name: &str) -> String;
    /// The head of a loop from 0.
    fn for_loop(&self, index: &str, count: &str) -> String;
    /// 1 where an index is 0, else 0.
    fn is_first(&self, index: &str) -> String;
    /// Leaves the function when a condition does not hold.
    fn require(&self, condition: &str) -> String;

    /// Whether an array has room for a width, where a language can tell.
    fn holds(&self, name: &str, width: &str) -> Option<String>;

    /// A call of a support function.
    fn call(&self, name: &str, operands: &[String]) -> String {
        format!("{}({})", self.support(name), operands.join(", "))
    }
}

/// C11.
pub(crate) struct C;

impl Language for C {
    fn support(&self, name: &str) -> String {
        format!("al_{name}")
    }

    fn literal(&self, value: u64) -> String {
        format!("UINT64_C(0x{value:x})")
    }

    fn word(&self, name: &str, value: &str) -> String {
        format!("const uint64_t {name} = {value};")
    }

    fn variable(&self, name: &str) -> String {
        format!("uint64_t {name} = 0;")
    }

    fn array(&self, name: &str, words: usize) -> String {
        format!("uint64_t {name}[{words}] = {{0}};")
    }

    fn constants(&self, name: &str, words: &[String]) -> String {
        format!("const uint64_t {name}[{}] = {{{}}};", words.len(), words.join(", "))
    }

    fn read(&self, name: &str) -> String {
        name.to_owned()
    }

    fn written(&self, name: &str) -> String {
        name.to_owned()
    }

    fn for_loop(&self, index: &str, count: &str) -> String {
        format!("for (int64_t {index} = 0; {index} < {count}; {index}++) {{")
    }

    fn is_first(&self, index: &str) -> String {
        format!("(uint64_t)({index} == 0)")
    }

    fn require(&self, condition: &str) -> String {
        format!("if (!({condition})) return 1;")
    }

    fn holds(&self, _: &str, _: &str) -> Option<String> {
        None
    }
}

/// Rust.
pub(crate) struct Rust;

impl Language for Rust {
    fn support(&self, name: &str) -> String {
        format!("w::{name}")
    }

    fn literal(&self, value: u64) -> String {
        format!("0x{value:x}")
    }

    fn word(&self, name: &str, value: &str) -> String {
        format!("let {name} = {value};")
    }

    fn variable(&self, name: &str) -> String {
        format!("let mut {name} = 0;")
    }

    fn array(&self, name: &str, words: usize) -> String {
        format!("let mut {name} = [0; {words}];")
    }

    fn constants(&self, name: &str, words: &[String]) -> String {
        format!("let {name} = [{}];", words.join(", "))
    }

    fn read(&self, name: &str) -> String {
        format!("&{name}")
    }

    fn written(&self, name: &str) -> String {
        format!("&mut {name}")
    }

    fn for_loop(&self, index: &str, count: &str) -> String {
        format!("for {index} in 0..{count} {{")
    }

    fn is_first(&self, index: &str) -> String {
        format!("u64::from({index} == 0)")
    }

    fn require(&self, condition: &str) -> String {
        format!("if !({condition}) {{ return Err(Unsupported); }}")
    }

    fn holds(&self, name: &str, width: &str) -> Option<String> {
        Some(self.call("holds", &[name.to_owned(), width.to_owned()]))
    }
}
