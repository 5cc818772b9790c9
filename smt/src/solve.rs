//! The only place that speaks to Z3: one query, one context, one answer.
//!
//! A fresh context for each query costs a millisecond and makes the answer independent of earlier queries,
//! hence of how work is distributed over threads.

use std::sync::Once;
use std::time::Duration;

use hydride_ir::Bits;
use rustc_hash::FxHashMap;
use z3::ast::{Ast, BV, Bool};
use z3::{Config, FuncDecl, Params, SatResult, Solver, Sort, Tactic, with_z3_config};

use crate::SOLVER_VERSION;
use crate::query::Query;
use crate::signature::Range;
use crate::smtlib::theory;
use crate::term::{Operator, Relation, Term, TermId, Terms};

/// The reason of an answer that only a faster machine, or a less busy one, would give.
pub const TIME_LIMIT: &str = "solver time limit";
/// Memory in MiB beyond which a query is given up.
const MAX_MEMORY: u32 = 2_048;

/// An answer about a query's variables.
#[derive(Clone, Debug)]
pub enum Answer {
    /// The sides agree everywhere.
    Equal,
    /// They differ at these values of the variables.
    Different(Vec<Bits>),
    /// Not known, with the solver's reason.
    Unknown(String),
}

/// When a query is given up.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Z3's step count: the same on every machine and under any load.
    pub steps: u32,
    /// Elapsed time.
    pub time: Duration,
}

/// Asks for values of the variables at which the two sides differ. Floating-point operators are first uninterpreted
/// functions; where these decide nothing they get their meaning.
pub fn solve(query: &Query, limits: Limits) -> Answer {
    let terms = &query.terms;
    if !terms.has_floats(&query.roots) {
        return ask("qfbv", query, limits, None);
    }
    match ask("qfufbv", query, limits, None) {
        Answer::Different(_) => {}
        answer => return answer,
    }
    let Some(script) = theory(query) else {
        return Answer::Unknown("a floating-point operator that the solver lacks".to_owned());
    };
    match ask("default", query, limits, Some(&script)) {
        // The NaNs or approximations that differ may be equal by a choice that is not known.
        Answer::Different(_) if terms.has_open_values(&query.roots) => {
            Answer::Unknown("the choice among NaNs or approximations is open".to_owned())
        }
        answer => answer,
    }
}

/// Whether the assertions of a script of bit vectors can hold; `Err` with the reason where that is not known. What another
/// encoding than [`crate::Prover`]'s made is asked here.
///
/// ```
/// let script = "(declare-const x (_ BitVec 8))(assert (= (bvadd x x) #x01))";
/// let limit = std::time::Duration::from_secs(10);
/// assert_eq!(smt::satisfiable(script, 1_000_000, limit), Ok(false));
/// ```
pub fn satisfiable(script: &str, steps: u32, time: Duration) -> Result<bool, String> {
    in_context(|| {
        let solver = limited("qfbv", Limits { steps, time });
        solver.from_string(script);
        match solver.check() {
            SatResult::Unsat => Ok(false),
            SatResult::Sat => Ok(true),
            SatResult::Unknown => Err(reason(solver.get_reason_unknown().as_deref())),
        }
    })
}

/// Calls a function with a context of its own. The library is loaded here, by the first call.
fn in_context<T: Send + Sync>(ask: impl FnOnce() -> T + Send + Sync) -> T {
    static CHECKED: Once = Once::new();
    CHECKED.call_once(|| {
        let version = z3::full_version();
        let meant = version.split([' ', '-']).any(|word| word.starts_with(SOLVER_VERSION));
        assert!(meant, "Z3 {SOLVER_VERSION} is needed, and {version} is loaded (see Z3_SYS_Z3_VERSION)");
    });
    with_z3_config(&Config::new(), ask)
}

/// A solver with one of Z3's tactics that gives up at limits.
fn limited(tactic: &str, limits: Limits) -> Solver {
    let solver = Tactic::new(tactic).solver();
    let mut params = Params::new();
    params.set_u32("timeout", u32::try_from(limits.time.as_millis()).unwrap_or(u32::MAX));
    params.set_u32("rlimit", limits.steps);
    params.set_u32("random_seed", 0);
    params.set_u32("max_memory", MAX_MEMORY);
    // An interrupt ends the program, or what its handler ends; Z3 would take it for a question that is given up.
    params.set_bool("ctrl_c", false);
    solver.set_params(&params);
    solver
}

/// Asks with one of Z3's tactics, either our translation of the query or a script over the same variables.
fn ask(tactic: &str, query: &Query, limits: Limits, script: Option<&str>) -> Answer {
    in_context(|| {
        let solver = limited(tactic, limits);
        let variables: Vec<BV> = match script {
            Some(script) => {
                solver.from_string(script);
                variables(query)
            }
            None => {
                let Some(translation) = Translation::new(query) else {
                    return Answer::Unknown("a malformed term".to_owned());
                };
                for (number, (_, range)) in query.variables.iter().enumerate() {
                    if let Some(range) = range {
                        solver.assert(within(&translation.variables[number], *range));
                    }
                }
                let [left, right] = query.roots.map(|root| translation.vector(&query.terms, root));
                solver.assert(left.ne(&right));
                translation.variables
            }
        };
        match solver.check() {
            SatResult::Unsat => Answer::Equal,
            SatResult::Unknown => Answer::Unknown(reason(solver.get_reason_unknown().as_deref())),
            SatResult::Sat => {
                let Some(model) = solver.get_model() else {
                    return Answer::Unknown("no model".to_owned());
                };
                let values: Option<Vec<Bits>> =
                    variables.iter().map(|variable| value_of(&model, variable)).collect();
                values.map_or_else(|| Answer::Unknown("incomplete model".to_owned()), Answer::Different)
            }
        }
    })
}

fn variables(query: &Query) -> Vec<BV> {
    let variables = query.variables.iter().enumerate();
    variables.map(|(number, (width, _))| BV::new_const(format!("x{number}"), *width)).collect()
}

/// Z3's reason in our words.
fn reason(given: Option<&str>) -> String {
    match given {
        Some("canceled" | "max. resource limit exceeded") => "solver step limit".to_owned(),
        Some("timeout") => TIME_LIMIT.to_owned(),
        Some(reason) if reason.contains("memory") => "solver memory limit".to_owned(),
        Some(reason) => format!("solver: {reason}"),
        None => "solver gave no reason".to_owned(),
    }
}

/// A variable's value, read in pieces of 64 bits.
fn value_of(model: &z3::Model, variable: &BV) -> Option<Bits> {
    let width = variable.get_size();
    let mut words = Vec::new();
    for low in (0..width).step_by(64) {
        let piece = variable.extract((low + 63).min(width - 1), low);
        words.push(model.eval(&piece, true)?.as_u64()?);
    }
    Some(Bits::from_words(width, words))
}

fn literal(bits: &Bits) -> BV {
    let bools: Vec<bool> = (0..bits.width()).map(|index| bits.bit(index)).collect();
    BV::from_bits(&bools).expect("a literal has at least one bit")
}

fn within(variable: &BV, range: Range) -> Bool {
    let width = variable.get_size();
    let bound = |value: i64| {
        let extension = if value < 0 { u64::MAX } else { 0 };
        let words = std::iter::once(value.cast_unsigned());
        literal(&Bits::from_words(width, words.chain(std::iter::repeat_n(extension, (width / 64) as usize))))
    };
    let (low, high) = (bound(range.low), bound(range.high));
    match range.low < 0 {
        true => Bool::and(&[low.bvsle(variable), variable.bvsle(&high)]),
        false => Bool::and(&[low.bvule(variable), variable.bvule(&high)]),
    }
}

/// The solver's terms for a query's terms.
struct Translation {
    variables: Vec<BV>,
    vectors: FxHashMap<TermId, BV>,
    /// Comparisons as solver Booleans.
    truths: FxHashMap<TermId, Bool>,
}

impl Translation {
    /// `None` if a term is malformed.
    fn new(query: &Query) -> Option<Translation> {
        let mut translation = Translation {
            variables: variables(query),
            vectors: FxHashMap::default(),
            truths: FxHashMap::default(),
        };
        for id in query.terms.reachable(&query.roots) {
            translation.translate(&query.terms, id)?;
        }
        Some(translation)
    }

    fn vector(&self, terms: &Terms, id: TermId) -> BV {
        match self.vectors.get(&id) {
            Some(vector) => vector.clone(),
            None => {
                debug_assert!(matches!(terms.term(id), Term::Compare(..)), "operands come first");
                self.truths[&id].ite(&BV::from_u64(1, 1), &BV::from_u64(0, 1))
            }
        }
    }

    fn truth(&self, id: TermId) -> Bool {
        match self.truths.get(&id) {
            Some(truth) => truth.clone(),
            None => self.vectors[&id].eq(BV::from_u64(1, 1)),
        }
    }

    fn translate(&mut self, terms: &Terms, id: TermId) -> Option<()> {
        let width = terms.width(id);
        let of = |id: &TermId| self.vector(terms, *id);
        let vector = match terms.term(id) {
            Term::Var(number) => self.variables.get(*number as usize)?.clone(),
            Term::Const(bits) => literal(bits),
            Term::Extract { of: inner, low } => of(inner).extract(low + width - 1, *low),
            Term::Concat(parts) => {
                let (first, rest) = parts.split_first()?;
                rest.iter().fold(of(first), |high, low| high.concat(of(low)))
            }
            Term::SignExtend(inner) => of(inner).sign_ext(width - terms.width(*inner)),
            Term::Not(inner) => of(inner).bvnot(),
            Term::Neg(inner) => of(inner).bvneg(),
            Term::Binary(operator, left, right) => {
                let (left, right) = (of(left), of(right));
                match operator {
                    Operator::Add => left.bvadd(right),
                    Operator::Sub => left.bvsub(right),
                    Operator::Mul => left.bvmul(right),
                    Operator::UnsignedDiv => left.bvudiv(right),
                    Operator::SignedDiv => left.bvsdiv(right),
                    Operator::UnsignedRem => left.bvurem(right),
                    Operator::SignedRem => left.bvsrem(right),
                    Operator::And => left.bvand(right),
                    Operator::Or => left.bvor(right),
                    Operator::Xor => left.bvxor(right),
                    Operator::ShiftLeft => left.bvshl(right),
                    Operator::LogicalShiftRight => left.bvlshr(right),
                    Operator::ArithmeticShiftRight => left.bvashr(right),
                }
            }
            Term::Compare(relation, left, right) => {
                let (left, right) = (of(left), of(right));
                let truth = match relation {
                    Relation::Equal => left.eq(right),
                    Relation::UnsignedLess => left.bvult(right),
                    Relation::UnsignedLessEqual => left.bvule(right),
                    Relation::SignedLess => left.bvslt(right),
                    Relation::SignedLessEqual => left.bvsle(right),
                };
                self.truths.insert(id, truth);
                return Some(());
            }
            Term::Select(condition, then, otherwise) => self.truth(*condition).ite(&of(then), &of(otherwise)),
            Term::Float(float, operands) => {
                let symbol = terms.symbol(float, operands, width);
                let mut operands: Vec<BV> = operands.iter().map(of).collect();
                if float.commutes() {
                    // The smaller one first, so that the order does not matter.
                    let ordered = operands[0].bvule(&operands[1]);
                    let (low, high) =
                        (ordered.ite(&operands[0], &operands[1]), ordered.ite(&operands[1], &operands[0]));
                    (operands[0], operands[1]) = (low, high);
                }
                let domain: Vec<Sort> =
                    operands.iter().map(|operand| Sort::bitvector(operand.get_size())).collect();
                let domain: Vec<&Sort> = domain.iter().collect();
                let function = FuncDecl::new(symbol, &domain, &Sort::bitvector(width));
                let operands: Vec<&dyn Ast> = operands.iter().map(|operand| operand as &dyn Ast).collect();
                function.apply(&operands).as_bv()?
            }
        };
        self.vectors.insert(id, vector);
        Some(())
    }
}
