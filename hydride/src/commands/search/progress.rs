//! The progress line of a search: depth, states a second, and how long this depth will take.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use ::search::{Position, Shared};
use indicatif::{ProgressBar, ProgressStyle};

/// How often the line changes and the time limit is looked at.
const INTERVAL: Duration = Duration::from_millis(50);

/// The progress line and the clock of a running search.
pub struct Progress {
    at: Arc<Mutex<Option<(Position, Instant)>>>,
    over: Arc<AtomicBool>,
    bar: ProgressBar,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    /// Starts the clock; after `limit` the search is asked to stop. The line is only shown if it is `visible`.
    pub fn start(shared: Arc<Shared>, limit: Option<Duration>, visible: bool) -> Self {
        let at: Arc<Mutex<Option<(Position, Instant)>>> = Arc::default();
        let over = Arc::new(AtomicBool::new(false));
        let (seen, ended) = (at.clone(), over.clone());
        let bar = if visible && std::io::stderr().is_terminal() {
            let style =
                ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_bar());
            ProgressBar::new_spinner().with_style(style)
        } else {
            ProgressBar::hidden()
        };
        let line_bar = bar.clone();
        let thread = std::thread::spawn(move || {
            let bar = line_bar;
            let begin = Instant::now();
            while !ended.load(Ordering::Relaxed) {
                if limit.is_some_and(|limit| begin.elapsed() > limit) {
                    shared.stop.store(true, Ordering::Relaxed);
                }
                if let Some((position, since)) = seen.lock().ok().and_then(|at| *at) {
                    let states = shared.states.load(Ordering::Relaxed) as f64;
                    let rate = states / begin.elapsed().as_secs_f64().max(0.001) / 1e6;
                    bar.set_message(line(position, since.elapsed(), rate));
                }
                std::thread::park_timeout(INTERVAL);
            }
            bar.finish_and_clear();
        });
        Self { at, over, bar, thread: Some(thread) }
    }

    /// Says where the search is.
    pub fn at(&self, position: Position) {
        if let Ok(mut at) = self.at.lock() {
            let since = match *at {
                Some((last, since)) if (last.cost, last.steps) == (position.cost, position.steps) => since,
                _ => Instant::now(),
            };
            *at = Some((position, since));
        }
    }

    /// Prints lines above the progress line at once.
    pub fn print(&self, lines: &[String]) {
        self.bar.suspend(|| lines.iter().for_each(|line| eprintln!("{line}")));
    }

    /// Ends the line.
    pub fn end(mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // The thread only prints.
            let _ = thread.join();
        }
    }
}

fn line(position: Position, elapsed: Duration, rate: f64) -> String {
    let share = position.done as f64 / position.parts.max(1) as f64;
    let left = match position.done {
        0 => "?".to_owned(),
        _ => format!("{:.0} s", elapsed.as_secs_f64() * (1.0 - share) / share),
    };
    format!(
        "{:>14} cost {}, {} steps, {:.0}%, {rate:.1} million states/s, {left} left for these",
        "search",
        position.cost,
        position.steps,
        100.0 * share
    )
}
