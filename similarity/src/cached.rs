//! What was found out before: a question that was asked in an earlier run, or earlier in this one, is answered by
//! the prover's memo.

use std::hash::Hash;
use std::sync::OnceLock;

use catalog::{Application, Proof};
use hydride_ir::lane::Masking;
use hydride_ir::visit::Event;
use hydride_ir::{Arg, Function, ResultSlot};
use memo::{Content, digest};
use serde::Serialize;
use serde::de::DeserializeOwned;
use smt::{Key, Memo, Prover};

use crate::certificate::{Refusal, prove};

/// A function, and the key of its content once that was needed.
#[derive(Clone, Copy)]
pub(crate) struct Keyed<'a> {
    pub(crate) function: &'a Function,
    pub(crate) key: &'a OnceLock<Key>,
}

impl Keyed<'_> {
    /// The key of all of the function except names and default parameter values.
    pub(crate) fn key(self) -> Key {
        *self.key.get_or_init(|| content_key(self.function))
    }
}

/// Proves that `class` applied as `application` says equals `member`, its directly parsed function.
///
/// With a memo ([`Prover::with_memo`]) the answer can be an earlier one to the same question: the content of
/// both functions, up to names, and the application. Refusals other than a difference are not kept.
pub fn certify(
    class: &Function,
    member: &Function,
    application: &Application,
    prover: &mut Prover,
) -> Result<Proof, Refusal> {
    let keys = [OnceLock::new(), OnceLock::new()];
    let class = Keyed { function: class, key: &keys[0] };
    let member = Keyed { function: member, key: &keys[1] };
    certify_keyed(class, member, application, prover)
}

/// [`certify`] for functions about which more than one question is asked.
pub(crate) fn certify_keyed(
    class: Keyed<'_>,
    member: Keyed<'_>,
    application: &Application,
    prover: &mut Prover,
) -> Result<Proof, Refusal> {
    let memo = prover.memo().clone();
    memo.try_get_or(
        || certificate_key(class.key(), member.key(), application),
        || match prove(class.function, member.function, application, prover) {
            Ok(proof) => Ok(Some(proof)),
            Err(Refusal::Different) => Ok(None),
            Err(refusal) => Err(refusal),
        },
    )?
    .ok_or(Refusal::Different)
}

fn certificate_key(class: Key, member: Key, application: &Application) -> Key {
    let mut hasher = Content::default();
    (b"certificate", class, member).hash(&mut hasher);
    let Application { params, args, masking, part } = application;
    (params, args, part).hash(&mut hasher);
    let fields = |masking: Masking| {
        let Masking { mask, stride, lane, pass, negated } = masking;
        (mask, stride, lane, pass, negated)
    };
    masking.map(fields).hash(&mut hasher);
    hasher.key()
}

/// A value that depends only on a function, ignoring names; `what` says how. It comes from `make`, or from an earlier
/// run.
pub(crate) fn of_function<T: Serialize + DeserializeOwned>(
    what: &str,
    function: Keyed<'_>,
    memo: &Memo,
    make: impl FnOnce() -> T,
) -> T {
    memo.get_or(|| digest([what.as_bytes(), &function.key()]), make)
}

fn content_key(function: &Function) -> Key {
    let mut hasher = Content::default();
    content(function, &mut hasher);
    hasher.key()
}

/// All of a function except names and default parameter values.
fn content(function: &Function, hasher: &mut Content) {
    function.params.len().hash(hasher);
    for Arg { name: _, width, role } in &function.args {
        (width, role).hash(hasher);
    }
    for ResultSlot { name: _, width } in &function.results {
        width.hash(hasher);
    }
    (function.args.len(), function.results.len()).hash(hasher);
    function.exprs().hash(hasher);
    let events: Vec<Event<'_>> = function.walk().collect();
    events.hash(hasher);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Default)]
    struct Memory(Mutex<BTreeMap<Key, Vec<u8>>>);

    impl smt::Store for Memory {
        fn find(&self, key: &Key) -> Option<Vec<u8>> {
            self.0.lock().unwrap().get(key).cloned()
        }

        fn store(&self, key: Key, answer: Vec<u8>) {
            self.0.lock().unwrap().insert(key, answer);
        }
    }

    const CLASS: &str = "func @c[w = 8](%a: w, %b: w) -> (%d: w) { %d[0 +: w] = sub(%a, %b) }";

    #[test]
    fn an_answer_is_kept_under_everything_it_depends_on() {
        let memory = Arc::new(Memory::default());
        let mut prover = Prover::new().with_memo(Memo::new(memory.clone()));
        let class = Function::parse(CLASS).unwrap();
        let member =
            Function::parse("func @m(%x: 8, %y: 8) -> (%d: 8) { %d[0 +: 8] = sub(%x, %y) }").unwrap();
        let order = |args: &[u32]| Application::plain(vec![8], args);
        assert_eq!(certify(&class, &member, &order(&[0, 1]), &mut prover), Ok(Proof::Structural));
        assert_eq!(certify(&class, &member, &order(&[1, 0]), &mut prover), Err(Refusal::Different));
        let other = Function::parse("func @m(%x: 8, %y: 8) -> (%d: 8) { %d[0 +: 8] = sub(%y, %x) }").unwrap();
        assert_eq!(certify(&class, &other, &order(&[1, 0]), &mut prover), Ok(Proof::Structural));
        let known = memory.0.lock().unwrap().len();
        // Other names, the same question.
        let renamed = Function::parse(&CLASS.replace("@c", "@d").replace("%a", "%p")).unwrap();
        assert_eq!(certify(&renamed, &member, &order(&[0, 1]), &mut prover), Ok(Proof::Structural));
        assert_eq!(memory.0.lock().unwrap().len(), known);
        // The memo is asked: what it says is believed.
        let smt = postcard::to_stdvec(&Some(Proof::Smt)).unwrap();
        memory.0.lock().unwrap().values_mut().for_each(|answer| answer.clone_from(&smt));
        assert_eq!(certify(&class, &member, &order(&[1, 0]), &mut prover), Ok(Proof::Smt));
    }

    #[test]
    fn a_difference_that_inputs_show_needs_no_solver() {
        let mut prover = Prover::new().step_limit(1);
        let order = Application::plain(vec![], &[0, 1, 2]);
        let sum = |first: &str, second: &str| {
            let text = format!(
                "func @sum(%a: 512, %b: 512, %c: 512) -> (%d: 512) {{ for i in 0..8 {{ %d[64*i +: 64] = \
                 fadd.{{11}}({first}[64*i +: 64], fadd.{{11}}({second}[64*i +: 64], %c[64*i +: 64], 0x0:3), 0x0:3) }} }}"
            );
            Function::parse(&text).expect("a legal text")
        };
        let (class, member) = (sum("%a", "%b"), sum("%b", "%a"));
        assert_eq!(certify(&class, &member, &order, &mut prover), Err(Refusal::Different));
        assert_eq!(prover.stats().queries, 0);
    }

    #[test]
    fn what_is_not_decided_is_not_kept() {
        let memory = Arc::new(Memory::default());
        let mut prover = Prover::new().step_limit(1).with_memo(Memo::new(memory.clone()));
        let class = Function::parse(
            "func @c(%a: 64, %b: 64) -> (%d: 64) { %d[0 +: 64] = mul(add(%a, %b), add(%a, %b)) }",
        )
        .unwrap();
        let member = Function::parse(
            "func @m(%a: 64, %b: 64) -> (%d: 64) { %d[0 +: 64] = add(mul(%a, %a), add(mul(%b, %b), mul(0x2:64, mul(%a, %b)))) }",
        )
        .unwrap();
        let application = Application::plain(vec![], &[0, 1]);
        let answer = certify(&class, &member, &application, &mut prover);
        assert!(matches!(answer, Err(Refusal::Unknown(_))), "{answer:?}");
        let illegal = Application::plain(vec![1], &[0, 1]);
        assert!(certify(&class, &member, &illegal, &mut prover).is_err());
        assert!(memory.0.lock().unwrap().is_empty());
    }
}
