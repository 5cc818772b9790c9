//! Errors of a function or of the arguments passed to it.

use hydride_ir::ExprId;

/// Why a function could not be compiled or run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvalError {
    /// The wrong number of parameter values.
    #[error("expected {expected} parameter values, found {found}")]
    ParamCount {
        /// Parameters of the function.
        expected: usize,
        /// Values given.
        found: usize,
    },
    /// The wrong number of arguments.
    #[error("expected {expected} arguments, found {found}")]
    ArgCount {
        /// Arguments of the function.
        expected: usize,
        /// Arguments given.
        found: usize,
    },
    /// An argument of the wrong width.
    #[error("argument {index} has {found} bits instead of {expected}")]
    ArgWidth {
        /// Position of the argument, from 0.
        index: usize,
        /// Width of the argument in bits.
        expected: u32,
        /// Width of the value given in bits.
        found: u32,
    },
    /// The wrong number of words for all arguments together.
    #[error("expected {expected} argument words, found {found}")]
    ArgWords {
        /// Words that the arguments take, each rounded up to whole words.
        expected: usize,
        /// Words given.
        found: usize,
    },
    /// An expression breaks a law of the IR at these parameter values.
    #[error("expression {}: {message}", expr.0)]
    Expression {
        /// The expression.
        expr: ExprId,
        /// Which law, with the numbers.
        message: String,
    },
    /// A statement, an argument or a result breaks a law of the IR at these parameter values.
    #[error("{message}")]
    Structure {
        /// Which law, with the numbers.
        message: String,
    },
    /// The function exceeds a limit of the evaluator.
    #[error("more than {} {}", limit.bound(), limit.name())]
    Limit {
        /// What there is too much of.
        limit: Limit,
    },
}

/// What a compiled function may need at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Iterations of loops and folds, all together.
    Iterations,
    /// Loops and folds inside each other.
    Nesting,
    /// Steps of the tape.
    Steps,
    /// Words of memory.
    Words,
}

impl Limit {
    /// The greatest number that is granted.
    pub const fn bound(self) -> usize {
        match self {
            Limit::Iterations => 1_000_000,
            Limit::Nesting => 64,
            Limit::Steps => 1 << 23,
            Limit::Words => 1 << 24,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Limit::Iterations => "loop iterations",
            Limit::Nesting => "nested loops",
            Limit::Steps => "evaluation steps",
            Limit::Words => "words of values",
        }
    }
}
