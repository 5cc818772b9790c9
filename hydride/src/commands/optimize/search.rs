//! What can stand for a slice: candidates, their prices, and the proof of the cheapest one.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use ::synth::window::Window;
use anyhow::Result;
use memo::{Key, Memo, digest};
use optimize::{
    Callees, Slice, admitted, candidates, freeze_all, freeze_shared, leaf_range, measured, nothing,
    program_body, samples, window_inputs, with_constants, work,
};
use rayon::prelude::*;
use refine::ast::Body;
use refine::{Limits, Module, Outcome, Proof, meaning, refines};
use serde::{Deserialize, Serialize};

use super::intrinsics::{Known, Templates};
use super::price::{COUNTED, Price, Prices, TOGETHER};
use crate::Session;
use crate::clock::Clock;
use crate::commands::synth::solve;
use crate::commands::synth::targets::Ground;

/// Candidates of a slice that are priced.
const MAX_PRICED: usize = 12;
/// Cheaper candidates of a slice that are tried to be proved.
const MAX_PROVED: usize = 4;
/// Samples on which a candidate must agree before it is priced.
const SAMPLES: usize = 96;
/// Samples with poison on which it must agree before it is proved.
const POISONED: usize = 64;

/// A slice that something cheaper is looked for.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// The slice.
    pub slice: &'a Slice,
    /// For which machine it is, as LLVM's attributes.
    pub attributes: &'a str,
}

/// Where a candidate is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Instructions that LLVM has for all targets.
    Generic,
    /// The target's instructions.
    Target,
}

/// What can stand for a slice.
#[derive(Clone, Debug)]
pub struct Found {
    /// The new function.
    pub body: Body,
    /// Where it is from.
    pub kind: Kind,
    /// What the slice costs.
    pub before: Price,
    /// What the new function costs.
    pub after: Price,
    /// How it was proved.
    pub proof: Proof,
    /// How long it was searched.
    pub seconds: f64,
}

impl Found {
    /// The cycles that it saves.
    pub fn gain(&self) -> f64 {
        self.before.throughput - self.after.throughput
    }
}

/// What the cache has for a slice.
pub enum Kept {
    /// Nothing.
    Absent,
    /// What is not proved to refine it.
    Refused,
    /// That nothing is known to be cheaper.
    NothingCheaper,
    /// What is cheaper, proved: by this machine before, or again.
    Found(Box<Found>, By),
}

/// When something was proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// In this run.
    Proof,
    /// In an earlier run of this program on this machine, of which there is a certificate.
    Certificate,
}

/// Under which keys answers are kept.
pub struct Keys {
    target: String,
    /// Where costs come from.
    tools: String,
    /// Of the documents.
    documents: Key,
}

impl Keys {
    /// Those of a target, with where costs come from and a hash of the documents.
    pub fn new(target: String, tools: String, documents: Key) -> Self {
        Self { target, tools, documents }
    }

    fn key(&self, what: &str, slice: &str, tools: &str) -> Key {
        let texts = [what, slice, &self.target, tools];
        digest(texts.map(str::as_bytes).into_iter().chain([self.documents.as_slice()]))
    }

    /// The key of the answer for a slice with this key.
    pub fn of(&self, slice: &str) -> Key {
        self.key("optimize", slice, &self.tools)
    }

    /// The same where costs are not from tools.
    pub fn counted(&self, slice: &str) -> Key {
        self.key("optimize", slice, COUNTED)
    }

    /// The key of the certificate of an answer.
    pub fn certificate(&self, slice: &str) -> Key {
        self.key("optimize certificate", slice, "")
    }
}

/// That an answer was proved, kept by the machine that did so. Costs are none of it.
#[derive(Serialize, Deserialize)]
struct Certificate {
    /// Of both functions and of the documents that say what their intrinsics compute; the program's version, with what else
    /// belongs to it, is that of the file.
    of: Key,
    structural: u64,
    solver: u64,
}

/// An answer as it is kept.
#[derive(Serialize, Deserialize)]
struct Answer {
    text: String,
    kind: Kind,
    before: Price,
    after: Price,
    seconds: f64,
}

/// All that a search needs.
pub struct Finder<'a, 's> {
    known: &'a Known<'s>,
    ground: Option<&'a Ground>,
    prices: &'a Prices,
    memo: Memo,
    /// What this machine proved.
    own: Memo,
    isa: String,
    templates: Option<Templates>,
    /// Intrinsics that are tried with constants, once one is needed.
    callees: OnceLock<Callees>,
    keys: Keys,
}

/// What may stand for a slice, as far as costs go.
#[derive(Clone, Copy, Debug)]
struct Bound {
    /// What the slice costs; `None` where that is not known, and nothing is cheaper.
    before: Option<Price>,
    /// Micro-operations of what may be cheaper, at most.
    most: u32,
}

/// A slice's candidates.
#[derive(Default)]
struct Searched {
    bodies: Vec<(Body, Kind)>,
    seconds: f64,
}

/// What came of a slice.
pub struct Done<'k> {
    /// The slice's key.
    pub key: &'k str,
    /// What is cheaper.
    pub found: Option<Found>,
    /// The processor's seconds that it took, without prices.
    pub seconds: f64,
    /// Whether the search came to its end.
    pub is_final: bool,
}

impl<'a, 's> Finder<'a, 's> {
    /// A search for a target.
    pub fn new(
        session: &Session,
        known: &'a Known<'s>,
        ground: Option<&'a Ground>,
        prices: &'a Prices,
        (memo, own): (Memo, Memo),
        keys: Keys,
        isa: &str,
    ) -> Result<Self> {
        let templates = if ground.is_some() { Templates::new(session, isa)? } else { None };
        Ok(Self {
            known,
            ground,
            prices,
            memo,
            own,
            isa: isa.to_owned(),
            templates,
            callees: OnceLock::new(),
            keys,
        })
    }

    /// What a proof that a function refines a slice is about.
    fn subject(&self, slice: &Slice, body: &Body) -> Key {
        let texts = [slice.body.text("before"), body.text("after"), self.isa.clone()];
        digest(texts.iter().map(String::as_bytes).chain([self.keys.documents.as_slice()]))
    }

    /// Keeps that a function was proved, if it was by the documents that answers are kept by.
    fn certify(&self, key: &str, slice: &Slice, body: &Body, proof: Proof) {
        if self.own.has_store() && self.known.is_of(&self.isa) {
            let Proof { structural, solver, separate: _ } = proof;
            let certificate = Certificate { of: self.subject(slice, body), structural, solver };
            self.own.put(self.keys.certificate(key), &certificate);
        }
    }

    /// The proof of an earlier run on this machine.
    fn certified(&self, key: &str, slice: &Slice, body: &Body) -> Option<Proof> {
        let kept = self.own.get::<Certificate>(&self.keys.certificate(key))?;
        let Certificate { of, structural, solver } = kept;
        (of == self.subject(slice, body)).then_some(Proof { structural, solver, separate: false })
    }

    /// Keeps what came of a slice.
    fn keep(&self, key: &str, slice: &Slice, found: Option<&Found>) {
        if !self.memo.has_store() {
            return;
        }
        if let Some(found) = found {
            self.certify(key, slice, &found.body, found.proof);
        }
        let answer = found.map(|found| Answer {
            text: found.body.text("f"),
            kind: found.kind,
            before: found.before,
            after: found.after,
            seconds: found.seconds,
        });
        self.memo.put(self.keys.of(key), &answer);
    }

    fn prove(&self, slice: &Slice, body: &Body) -> Outcome {
        refines(&slice.body, body, self.known, &Limits::default())
    }

    /// A candidate that is proved: as it is, or with frozen inputs where a part of one that is poison would count for more.
    /// Otherwise the last outcome.
    fn proved(&self, slice: &Slice, body: Body) -> Result<(Body, Proof), Outcome> {
        let refuted = match self.runs_otherwise(slice, &body) {
            true => Outcome::Unknown("a run with poison refutes it".to_owned()),
            false => match self.prove(slice, &body) {
                Outcome::Proved(proof) => return Ok((body, proof)),
                Outcome::Unknown(why) => return Err(Outcome::Unknown(why)),
                refuted @ Outcome::Counterexample(_) => refuted,
            },
        };
        let frozen = freeze_all(&body);
        if frozen == body || self.runs_otherwise(slice, &frozen) {
            return Err(refuted);
        }
        match self.prove(slice, &frozen) {
            Outcome::Proved(proof) => Ok((frozen, proof)),
            other => Err(other),
        }
    }

    /// Whether a function does what a slice may not, for a few arguments with poison. This is cheaper than a proof that fails.
    fn runs_otherwise(&self, slice: &Slice, body: &Body) -> bool {
        let given = samples::arguments(&slice.body, POISONED, 3);
        given.is_ok_and(|given| {
            let given = samples::with_poison(given, &mut samples::Random::new(4));
            samples::is_judged(&slice.body, body) && !samples::agrees(&slice.body, body, &given, self.known)
        })
    }

    /// What the cache has for a slice. That it is right is proved again, unless this machine has done so; that it is cheaper is
    /// believed.
    pub fn kept(&self, key: &str, question: &Question<'_>) -> Kept {
        let read = |key: Key| self.memo.get::<Option<Answer>>(&key);
        // Where nothing is searched nobody has asked whether the tools are there.
        let counted = || self.ground.is_none().then(|| read(self.keys.counted(key)))?;
        let Some(answer) = read(self.keys.of(key)).or_else(counted) else { return Kept::Absent };
        let Some(Answer { text, kind, before, after, seconds }) = answer else { return Kept::NothingCheaper };
        let read = || Module::parse(&text).ok()?.functions.into_iter().next()?.body.ok();
        let body = read().and_then(|body| admitted(question.slice, body));
        let Some(body) = body.filter(|_| after.is_less(&before)) else { return Kept::Refused };
        let found = |body, proof| Box::new(Found { body, kind, before, after, proof, seconds });
        if let Some(proof) = self.certified(key, question.slice, &body) {
            return Kept::Found(found(body, proof), By::Certificate);
        }
        match self.prove(question.slice, &body) {
            Outcome::Proved(proof) => {
                self.certify(key, question.slice, &body, proof);
                Kept::Found(found(body, proof), By::Proof)
            }
            Outcome::Counterexample(_) | Outcome::Unknown(_) => Kept::Refused,
        }
    }

    /// What came of some slices; until `stop`.
    pub fn search<'k>(
        &self,
        batch: &[(&'k str, Question<'_>)],
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Done<'k>>> {
        let bounds = self.bounds(batch);
        let entries: Vec<_> = batch.iter().zip(bounds).collect();
        let searched: Vec<Searched> = entries
            .par_iter()
            .map(|((_, question), bound)| self.candidates(question, *bound, stop))
            .collect();
        let bodies: Vec<Vec<&Body>> =
            searched.iter().map(|own| own.bodies.iter().map(|(body, _)| body).collect()).collect();
        let prices = self.priced(batch, &bodies);
        let all: Vec<_> = entries.into_iter().zip(searched.into_iter().zip(prices)).collect();
        let done = all.into_par_iter().map(|((&(key, question), bound), (searched, prices))| {
            let done = self.done(key, &question, bound, searched, prices);
            Done { is_final: done.is_final && !stop(), ..done }
        });
        let done: Vec<Done<'k>> = done.collect();
        for ((_, question), done) in batch.iter().zip(&done).filter(|(_, done)| done.is_final) {
            self.keep(done.key, question.slice, done.found.as_ref());
        }
        Ok(done)
    }

    /// What comes of a slice whose candidates have prices.
    fn done<'k>(
        &self,
        key: &'k str,
        question: &Question<'_>,
        bound: Bound,
        searched: Searched,
        prices: Vec<Option<Price>>,
    ) -> Done<'k> {
        let start = Clock::start();
        let before = searched.seconds;
        let (mut found, is_final) = self.cheapest(question, bound, searched, prices);
        let seconds = before + start.seconds();
        found.iter_mut().for_each(|found| found.seconds = seconds);
        Done { key, found, seconds, is_final }
    }

    /// What slices cost, and what may be cheaper: a slice of one micro-operation is as cheap as can be.
    fn bounds(&self, batch: &[(&str, Question<'_>)]) -> Vec<Bound> {
        let floors: Vec<Body> = batch.iter().map(|(_, question)| nothing(question.slice)).collect();
        let own = batch.iter().zip(&floors).map(|((_, question), floor)| vec![&question.slice.body, floor]);
        let prices = self.priced(batch, &own.collect::<Vec<_>>());
        let bound = |prices: Vec<Option<Price>>| {
            let [Some(before), floor] = prices[..] else { return Bound { before: None, most: 0 } };
            let floor = floor.map_or(0, |floor| floor.uops);
            let most = self.prices.most(&before).saturating_sub(floor);
            let is_least = before.uops <= floor + 1;
            Bound { before: Some(before).filter(|_| !is_least), most }
        };
        prices.into_iter().map(bound).collect()
    }

    /// The prices of some functions for each slice.
    fn priced(&self, batch: &[(&str, Question<'_>)], bodies: &[Vec<&Body>]) -> Vec<Vec<Option<Price>>> {
        let (mut functions, mut counts) = (Vec::new(), Vec::new());
        for ((_, Question { slice, attributes }), own) in batch.iter().zip(bodies) {
            for body in own {
                let name = format!("s{}", functions.len() % TOGETHER);
                functions.push(measured(body, &slice.body, &slice.kept, &name, attributes));
                counts.push(work(body));
            }
        }
        let chunks: Vec<(&[String], &[usize])> =
            functions.chunks(TOGETHER).zip(counts.chunks(TOGETHER)).collect();
        let prices: Vec<Vec<Option<Price>>> =
            chunks.par_iter().map(|(functions, counts)| self.prices.of(functions, |at| counts[at])).collect();
        let mut prices = prices.into_iter().flatten();
        bodies.iter().map(|own| prices.by_ref().take(own.len()).collect()).collect()
    }

    fn candidates(
        &self,
        question: &Question<'_>,
        bound: Bound,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Searched {
        let start = Clock::start();
        let slice = question.slice;
        let mut bodies: Vec<(Body, Kind)> = Vec::new();
        if bound.before.is_none() || stop() {
            return Searched::default();
        }
        let given = samples::arguments(&slice.body, SAMPLES, 2);
        if let (Ok(found), Ok(given)) = (candidates(slice, self.known), given) {
            let found = found.into_iter().map(|body| freeze_shared(&body));
            let agrees = |body: &Body| samples::agrees(&slice.body, body, &given, self.known);
            bodies.extend(found.filter(agrees).take(MAX_PRICED).map(|body| (body, Kind::Generic)));
        }
        let with = with_constants(slice, &|| self.callees(), self.known).unwrap_or_default();
        bodies.extend(with.iter().map(|body| (freeze_shared(body), Kind::Target)));
        let generic = start.seconds();
        let program = self.program(slice, bound.most, stop).map(|body| freeze_shared(&body));
        bodies.extend(program.filter(|body| *body != slice.body).map(|body| (body, Kind::Target)));
        let seconds = start.seconds();
        tracing::debug!(
            "{} candidates of {} instructions for {}: {generic:.3} s, the target's {:.3} s",
            bodies.len(),
            slice.size(),
            slice.body.result,
            seconds - generic
        );
        Searched { bodies, seconds }
    }

    /// The target's intrinsics that are tried with constants; none where nothing is searched.
    fn callees(&self) -> &Callees {
        self.callees.get_or_init(|| {
            let (Some(ground), Some(templates)) = (self.ground, &self.templates) else {
                return Callees::default();
            };
            Callees::new(templates.callees(&|id| ground.own(id).is_some()), self.known)
        })
    }

    /// The target's instructions for a slice.
    fn program(&self, slice: &Slice, most: u32, stop: &(dyn Fn() -> bool + Sync)) -> Option<Body> {
        let (ground, templates) = (self.ground?, self.templates.as_ref()?);
        let function = meaning(&slice.body, self.known).ok()?;
        let mut window = Window::of_function(&function, &window_inputs(&slice.body)).ok()?;
        for (leaf, parameter) in window.leaves.iter_mut().zip(&slice.body.parameters) {
            leaf.range = leaf_range(parameter, leaf.ty);
        }
        let stopped = AtomicBool::new(stop());
        let (answer, table) = solve(&window, ground, &self.memo, &stopped, 0, Some(most));
        tracing::debug!(
            "{} with at most {most}: {} states, {:?}",
            answer.status.name(),
            answer.states,
            answer.notes
        );
        stopped.store(true, Ordering::Relaxed);
        let (program, _) = answer.program.as_ref()?;
        let body = match program_body(&slice.body, &[], &answer.meaning, &table, program, templates) {
            Ok(body) => body,
            Err(why) => {
                tracing::debug!("a program is left out: {why}");
                return None;
            }
        };
        (!slice.reads_absent(&body)).then_some(body)
    }

    /// The cheapest candidate that is proved, if it is cheaper than the slice; and whether another run, with more time, would
    /// find nothing else.
    fn cheapest(
        &self,
        question: &Question<'_>,
        bound: Bound,
        searched: Searched,
        prices: Vec<Option<Price>>,
    ) -> (Option<Found>, bool) {
        let Some(before) = bound.before else { return (None, true) };
        let mut cheaper: Vec<(Price, (Body, Kind))> = searched
            .bodies
            .into_iter()
            .zip(prices)
            .filter_map(|(body, price)| Some((price?, body)))
            .filter(|(price, _)| price.is_less(&before))
            .collect();
        // The order among equals is that of the candidates.
        cheaper.sort_by(|(a, _), (b, _)| a.order(b));
        let mut is_final = true;
        for (after, (body, kind)) in cheaper.into_iter().take(MAX_PROVED) {
            let start = Clock::start();
            let proved = self.proved(question.slice, body);
            tracing::debug!(
                "{kind:?} {before:?} to {after:?}: {:.3} s, {:?}",
                start.seconds(),
                proved.as_ref().map(|(_, proof)| proof)
            );
            match proved {
                Ok((body, proof)) => {
                    return (Some(Found { body, kind, before, after, proof, seconds: 0.0 }), is_final);
                }
                Err(outcome) => is_final &= !outcome.is_of_time(),
            }
        }
        (None, is_final)
    }
}
