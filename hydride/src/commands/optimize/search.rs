//! What can stand for a slice: candidates, their prices, and the proof of the cheapest one.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use ::synth::window::Window;
use anyhow::Result;
use memo::{Key, Memo, digest};
use optimize::{
    Slice, admitted, candidates, freeze_all, freeze_shared, measured, program_body, samples, window_inputs,
    work,
};
use rayon::prelude::*;
use refine::ast::Body;
use refine::{Limits, Module, Outcome, Proof, meaning, refines};
use serde::{Deserialize, Serialize};

use super::intrinsics::{Known, Templates};
use super::price::{Price, Prices};
use crate::Session;
use crate::commands::synth::solve;
use crate::commands::synth::targets::Ground;

/// Candidates of a slice that are priced.
const MAX_PRICED: usize = 12;
/// Cheaper candidates of a slice that are tried to be proved.
const MAX_PROVED: usize = 4;
/// Samples on which a candidate must agree before it is priced.
const SAMPLES: usize = 96;
/// Functions that are priced by one process.
const TOGETHER: usize = 128;

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
    /// What is cheaper, proved.
    Found(Box<Found>),
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

    /// The key of the answer for a slice with this key.
    pub fn of(&self, slice: &str) -> Key {
        let texts = ["optimize", slice, &self.target, &self.tools];
        digest(texts.map(str::as_bytes).into_iter().chain([self.documents.as_slice()]))
    }
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
pub struct Finder<'a> {
    known: &'a Known<'a>,
    ground: Option<&'a Ground>,
    prices: &'a Prices,
    memo: Memo,
    templates: Option<Templates>,
    keys: Keys,
}

/// A slice's candidates.
struct Searched {
    bodies: Vec<(Body, Kind)>,
    seconds: f64,
}

impl<'a> Finder<'a> {
    /// A search for a target.
    pub fn new(
        session: &Session,
        known: &'a Known<'a>,
        ground: Option<&'a Ground>,
        prices: &'a Prices,
        memo: Memo,
        keys: Keys,
        isa: &str,
    ) -> Result<Self> {
        let templates = Templates::new(session, isa)?;
        Ok(Self { known, ground, prices, memo, templates, keys })
    }

    fn prove(&self, slice: &Slice, body: &Body) -> Outcome {
        refines(&slice.body, body, self.known, &Limits::default())
    }

    /// A candidate that is proved: as it is, or with frozen inputs where a part of one that is poison would count for more.
    /// Otherwise the last outcome.
    fn proved(&self, slice: &Slice, body: Body) -> Result<(Body, Proof), Outcome> {
        match self.prove(slice, &body) {
            Outcome::Proved(proof) => Ok((body, proof)),
            Outcome::Counterexample(found) => {
                let frozen = freeze_all(&body);
                if frozen == body {
                    return Err(Outcome::Counterexample(found));
                }
                match self.prove(slice, &frozen) {
                    Outcome::Proved(proof) => Ok((frozen, proof)),
                    other => Err(other),
                }
            }
            other => Err(other),
        }
    }

    /// What the cache has for a slice. That it is right is proved again; that it is cheaper is believed.
    pub fn kept(&self, key: &str, question: &Question<'_>) -> Kept {
        let Some(answer) = self.memo.get::<Option<Answer>>(&self.keys.of(key)) else { return Kept::Absent };
        let Some(Answer { text, kind, before, after, seconds }) = answer else { return Kept::NothingCheaper };
        let read = || Module::parse(&text).ok()?.functions.into_iter().next()?.body.ok();
        let body = read().and_then(|body| admitted(question.slice, body));
        let Some(body) = body.filter(|_| after.is_less(&before)) else { return Kept::Refused };
        match self.prove(question.slice, &body) {
            Outcome::Proved(proof) => {
                Kept::Found(Box::new(Found { body, kind, before, after, proof, seconds }))
            }
            Outcome::Counterexample(_) | Outcome::Unknown(_) => Kept::Refused,
        }
    }

    /// What was found for some slices; until `stop`.
    pub fn search<'k>(
        &self,
        batch: &[(&'k str, Question<'_>)],
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<(&'k str, Found)>> {
        let searched: Vec<Searched> =
            batch.par_iter().map(|(_, question)| self.candidates(question, stop)).collect();
        let (mut functions, mut counts) = (Vec::new(), Vec::new());
        for ((_, question), searched) in batch.iter().zip(&searched) {
            let own =
                std::iter::once(&question.slice.body).chain(searched.bodies.iter().map(|(body, _)| body));
            for body in own.filter(|_| !searched.bodies.is_empty()) {
                let name = format!("s{}", functions.len() % TOGETHER);
                let (before, kept) = (&question.slice.body, &question.slice.kept);
                functions.push(measured(body, before, kept, &name, question.attributes));
                counts.push(work(body));
            }
        }
        let chunks: Vec<(&[String], &[usize])> =
            functions.chunks(TOGETHER).zip(counts.chunks(TOGETHER)).collect();
        let prices: Vec<Vec<Option<Price>>> =
            chunks.par_iter().map(|(functions, counts)| self.prices.of(functions, |at| counts[at])).collect();
        let mut prices = prices.into_iter().flatten();
        let priced: Vec<Vec<Option<Price>>> = searched
            .iter()
            .map(|own| {
                let count = if own.bodies.is_empty() { 0 } else { own.bodies.len() + 1 };
                prices.by_ref().take(count).collect()
            })
            .collect();
        let answer =
            |(((key, question), searched), prices): ((&(&'k str, Question<'_>), Searched), Vec<_>)| {
                let (found, is_final) = self.cheapest(question, searched, &prices);
                if is_final && !stop() && self.memo.has_store() {
                    let kept = found.as_ref().map(|found| Answer {
                        text: found.body.text("f"),
                        kind: found.kind,
                        before: found.before,
                        after: found.after,
                        seconds: found.seconds,
                    });
                    self.memo.put(self.keys.of(key), &kept);
                }
                found.map(|found| (*key, found))
            };
        let all: Vec<_> = batch.iter().zip(searched).zip(priced).collect();
        Ok(all
            .into_par_iter()
            .filter_map(|((entry, searched), prices)| answer(((entry, searched), prices)))
            .collect())
    }

    fn candidates(&self, question: &Question<'_>, stop: &(dyn Fn() -> bool + Sync)) -> Searched {
        let start = Instant::now();
        let slice = question.slice;
        let mut bodies: Vec<(Body, Kind)> = Vec::new();
        if !stop() {
            let given = samples::arguments(&slice.body, SAMPLES, 2);
            if let (Ok(found), Ok(given)) = (candidates(slice, self.known), given) {
                let found = found.into_iter().map(|body| freeze_shared(&body));
                let agrees = |body: &Body| samples::agrees(&slice.body, body, &given, self.known);
                bodies.extend(found.filter(agrees).take(MAX_PRICED).map(|body| (body, Kind::Generic)));
            }
            let program = self.program(slice, stop).map(|body| freeze_shared(&body));
            bodies.extend(program.filter(|body| *body != slice.body).map(|body| (body, Kind::Target)));
        }
        Searched { bodies, seconds: start.elapsed().as_secs_f64() }
    }

    /// The target's instructions for a slice.
    fn program(&self, slice: &Slice, stop: &(dyn Fn() -> bool + Sync)) -> Option<Body> {
        let (ground, templates) = (self.ground?, self.templates.as_ref()?);
        let function = meaning(&slice.body, self.known).ok()?;
        let window = Window::of_function(&function, &window_inputs(&slice.body)).ok()?;
        let stopped = AtomicBool::new(stop());
        let (answer, table) = solve(&window, ground, &self.memo, &stopped, 0);
        stopped.store(true, Ordering::Relaxed);
        let (program, _) = answer.program.as_ref()?;
        let body = match program_body(&slice.body, &answer.meaning, &table, program, templates) {
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
        searched: Searched,
        prices: &[Option<Price>],
    ) -> (Option<Found>, bool) {
        let start = Instant::now();
        let Some((Some(before), rest)) = prices.split_first() else { return (None, true) };
        let mut cheaper: Vec<(Price, (Body, Kind))> = searched
            .bodies
            .into_iter()
            .zip(rest)
            .filter_map(|(body, price)| Some(((*price)?, body)))
            .filter(|(price, _)| price.is_less(before))
            .collect();
        // The order among equals is that of the candidates.
        cheaper.sort_by(|(a, _), (b, _)| {
            a.throughput.total_cmp(&b.throughput).then(a.uops.cmp(&b.uops)).then(a.latency.cmp(&b.latency))
        });
        let mut is_final = true;
        for (after, (body, kind)) in cheaper.into_iter().take(MAX_PROVED) {
            match self.proved(question.slice, body) {
                Ok((body, proof)) => {
                    let seconds = searched.seconds + start.elapsed().as_secs_f64();
                    return (Some(Found { body, kind, before: *before, after, proof, seconds }), is_final);
                }
                Err(outcome) => is_final &= !outcome.is_of_time(),
            }
        }
        (None, is_final)
    }
}
