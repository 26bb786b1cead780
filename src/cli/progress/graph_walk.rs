//! Progress while the states of a search are walked again for a graph.
//!
//! Invariant: the visitor sees the same walk with and without progress. Deliberately elsewhere: the forms of progress (`progress`).

use crate::args::ProgressArg;
use crate::progress::{Watcher, in_words};
use bcheck_explore::{GraphEdge, GraphState, GraphVisitor};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// The least time between two updates.
const SHOWN_EVERY: Duration = Duration::from_millis(100);

/// A visitor of a graph that shows its progress.
pub(crate) struct WatchedVisitor<'v> {
    visitor: &'v mut dyn GraphVisitor,
    watcher: Watcher<'static>,
    started: Instant,
    shown: Duration,
    /// The number of states that the search found.
    expected: u64,
    states: u64,
}

impl<'v> WatchedVisitor<'v> {
    pub(crate) fn new(visitor: &'v mut dyn GraphVisitor, progress: ProgressArg, expected: u64) -> Self {
        let watcher = Watcher::new(progress, "");
        Self { visitor, watcher, started: Instant::now(), shown: Duration::ZERO, expected, states: 0 }
    }

    /// Removes the live line.
    pub(crate) fn finish(self) {
        self.watcher.finish();
    }
}

impl GraphVisitor for WatchedVisitor<'_> {
    fn begin(&mut self, initial: usize) -> ControlFlow<()> {
        self.visitor.begin(initial)
    }

    fn state(&mut self, state: &GraphState<'_>) -> ControlFlow<()> {
        self.states += 1;
        let elapsed = self.started.elapsed();
        if elapsed >= self.shown + SHOWN_EVERY {
            self.shown = elapsed;
            let (states, expected) = (self.states, self.expected);
            self.watcher.show(elapsed, || line(elapsed, states, expected));
        }
        self.visitor.state(state)
    }

    fn edge(&mut self, edge: &GraphEdge<'_>) -> ControlFlow<()> {
        self.visitor.edge(edge)
    }
}

/// `12 s, writing the graph: 41200 of 130000 states`
fn line(elapsed: Duration, states: u64, expected: u64) -> String {
    format!("{}, writing the graph: {states} of {expected} states", in_words(elapsed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_tells_how_many_states_are_written() {
        assert_eq!(line(Duration::from_secs(12), 3, 8), "12 s, writing the graph: 3 of 8 states");
    }
}
