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

    /// A statement that mentions an operand that nothing reads.
    fn mention(&self, name: &str) -> String;
    /// A parameter that is an array that is written.
    fn written_parameter(&self, name: &str) -> String;
    /// A parameter that is an array that is read.
    fn read_parameter(&self, name: &str) -> String;
    /// A parameter that is a word.
    fn word_parameter(&self, name: &str) -> String;
    /// The parameters that are an operand in memory, which has elements around the pointer or begins there.
    fn memory_parameters(&self, name: &str, is_written: bool, is_around: bool) -> Vec<String>;
    /// The operands that say where it is.
    fn pointer(&self, name: &str, is_around: bool) -> Vec<String>;
    /// An array as an operand that is read, if there is one.
    fn optional(&self, name: Option<&str>) -> String;
    /// The statement that a call is that accesses memory.
    fn access(&self, call: &str) -> String;

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

    fn mention(&self, name: &str) -> String {
        format!("(void){name};")
    }

    fn written_parameter(&self, name: &str) -> String {
        format!("uint64_t *{name}")
    }

    fn read_parameter(&self, name: &str) -> String {
        format!("const uint64_t *{name}")
    }

    fn word_parameter(&self, name: &str) -> String {
        format!("uint64_t {name}")
    }

    fn memory_parameters(&self, name: &str, is_written: bool, _: bool) -> Vec<String> {
        vec![format!("{}void *{name}", if is_written { "" } else { "const " })]
    }

    fn pointer(&self, name: &str, _: bool) -> Vec<String> {
        vec![name.to_owned()]
    }

    fn optional(&self, name: Option<&str>) -> String {
        name.unwrap_or("NULL").to_owned()
    }

    fn access(&self, call: &str) -> String {
        format!("{call};")
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

    fn mention(&self, name: &str) -> String {
        format!("let _ = {name};")
    }

    fn written_parameter(&self, name: &str) -> String {
        format!("{name}: &mut [u64]")
    }

    fn read_parameter(&self, name: &str) -> String {
        format!("{name}: &[u64]")
    }

    fn word_parameter(&self, name: &str) -> String {
        format!("{name}: u64")
    }

    fn memory_parameters(&self, name: &str, is_written: bool, is_around: bool) -> Vec<String> {
        let slice = format!("{name}: {}[u8]", if is_written { "&mut " } else { "&" });
        std::iter::once(slice).chain(is_around.then(|| format!("{name}_at: usize"))).collect()
    }

    fn pointer(&self, name: &str, is_around: bool) -> Vec<String> {
        vec![name.to_owned(), if is_around { format!("{name}_at") } else { "0".to_owned() }]
    }

    fn optional(&self, name: Option<&str>) -> String {
        name.map_or_else(|| "None".to_owned(), |name| format!("Some(&{name})"))
    }

    fn access(&self, call: &str) -> String {
        self.require(call)
    }
}
