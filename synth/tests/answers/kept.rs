//! Answers of earlier runs: each is proved for the window that it serves, whatever the store says.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use memo::{Key, Memo, Store};
use search::Instruction;
use synth::synthesize::{Answer, Status, Target, prover, synthesize};
use synth::table::{Op, Table};
use synth::window::Window;

use crate::support;

#[derive(Default)]
struct Answers(Mutex<HashMap<Key, Vec<u8>>>);

impl Store for Answers {
    fn find(&self, key: &Key) -> Option<Vec<u8>> {
        self.0.lock().expect("a store").get(key).cloned()
    }

    fn store(&self, key: Key, answer: Vec<u8>) {
        self.0.lock().expect("a store").insert(key, answer);
    }
}

/// `operator` on elements of `width` bits.
fn instruction(operator: &str, width: u32) -> Instruction {
    support::instruction(&format!("{operator}{width}"), &[64, 64], 64, width, |index| {
        format!("{operator}(%a[{0} +: {width}], %b[{0} +: {width}])", width * index)
    })
}

/// A sum of two leaves, and a constant that is added to it or subtracted.
fn window(operator: &str, width: u32) -> Window {
    let ty = format!("u{width}x{}", 64 / width);
    let leaf = |name: &str| format!(r#"{{"name":"{name}","type":"{ty}","kind":"dense"}}"#);
    let expr = format!("({operator}:{ty} (add:{ty} a:{ty} b:{ty}) (broadcast:{ty} 3:u{width}))");
    let leaves = [leaf("a"), leaf("b")].join(",");
    let lanes = 64 / width;
    let line =
        format!(r#"{{"name":"w","lanes":{lanes},"bits":{width},"leaves":[{leaves}],"expr":"{expr}"}}"#);
    Window::read(&line, 1).expect("a window")
}

/// Elements of 16 bits, each at a place that differs from its own in these bits.
fn exchange(id: &str, by: u32) -> Instruction {
    support::instruction(id, &[64], 64, 16, |index| format!("%a[{} +: 16]", 16 * (index ^ by)))
}

fn table() -> Table {
    Table::new(vec![
        instruction("add", 8),
        instruction("sub", 8),
        instruction("add", 16),
        instruction("sub", 16),
        exchange("halves", 2),
        exchange("pairs", 1),
    ])
}

/// The answer with a store; a search that is stopped at once finds nothing.
fn answer<'w>(window: &'w Window, store: &Arc<Answers>, stopped: bool) -> Answer<'w> {
    let cost = |_: &Op| 1000;
    let target = Target { widths: vec![64], cost: &cost, constant: 0, most: None, key: [0; 32] };
    let memo = Memo::new(store.clone());
    synthesize(window, &mut table(), &target, &memo, &|| stopped, &mut prover())
}

/// The instructions of an answer.
fn ids(answer: &Answer<'_>) -> Vec<String> {
    let (program, _) = answer.program.as_ref().expect("a program");
    let mut ids: Vec<String> =
        program.steps.iter().map(|step| table().instruction(step.op).id.clone()).collect();
    ids.sort_unstable();
    ids
}

fn key(window: &Window) -> Key {
    let cost = |_: &Op| 1000;
    Target { widths: vec![64], cost: &cost, constant: 0, most: None, key: [0; 32] }.answer_key(window)
}

#[test]
fn what_was_kept_serves_and_is_proved_again() {
    let (store, window) = (Arc::default(), window("sub", 8));
    assert!(answer(&window, &store, true).program.is_none());
    let found = answer(&window, &store, false);
    let served = answer(&window, &store, true);
    assert_eq!(served.status, Status::Proved);
    assert_eq!(ids(&served), ids(&found));
    assert_eq!(served.program.expect("a program").1, found.program.expect("a program").1);
    assert_eq!((served.states, served.notes), (found.states, found.notes));
}

#[test]
fn a_sum_of_all_lanes_is_kept() {
    let line = r#"{"name":"w","lanes":1,"bits":16,"leaves":[{"name":"a","type":"u16x4","kind":"dense"}],"expr":"(vector_reduce_add:u16 a:u16x4)"}"#;
    let (store, window) = (Arc::default(), Window::read(line, 1).expect("a window"));
    let found = answer(&window, &store, false);
    assert_eq!(ids(&found), ["add16", "add16", "halves", "pairs"]);
    let served = answer(&window, &store, true);
    assert_eq!(served.status, Status::Proved);
    assert_eq!(ids(&served), ids(&found));
}

#[test]
fn an_answer_of_another_window_is_refused_and_searched_again() {
    let wanted = window("sub", 8);
    for other in [window("add", 8), window("sub", 16), window("add", 16)] {
        let store = Arc::<Answers>::default();
        assert_ne!(key(&wanted), key(&other));
        answer(&other, &store, false);
        let kept = store.find(&key(&other)).expect("an answer");
        store.store(key(&wanted), kept);
        assert!(answer(&wanted, &store, true).program.is_none());
        assert_eq!(ids(&answer(&wanted, &store, false)), ["add8", "add8"]);
        // What was found is kept instead.
        assert_eq!(answer(&wanted, &store, true).status, Status::Proved);
    }
}

#[test]
fn an_edited_answer_is_right_or_refused() {
    let (store, window) = (Arc::<Answers>::default(), window("sub", 8));
    answer(&window, &store, false);
    let kept = store.find(&key(&window)).expect("an answer");
    let mut refused = 0;
    for at in 0..kept.len() {
        let mut edited = kept.clone();
        edited[at] ^= 1 << (at % 7);
        store.store(key(&window), edited);
        let served = answer(&window, &store, true);
        refused += usize::from(served.program.is_none());
        if served.program.is_some() {
            assert_eq!(ids(&served), ["add8", "add8"], "byte {at}");
        }
    }
    assert!(2 * refused > kept.len(), "{refused} of {} edits are refused", kept.len());
}
