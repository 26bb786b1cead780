//! `bcheck unfold`: the full graph that a graph up to symmetry stands for, without the machine.
//!
//! Invariant: whether the file can be written is known before anything is computed, and it stays as it was when the graph is refused.

use super::args::UnfoldArgs;
use super::exit::Exit;
use super::exit::complain;
use super::files;
use super::graph_file::{GraphFault, GraphFile};
use super::interrupt::{self, Stage};
use crate::report::unfold::{Quotient, unfold};

/// Unfolds a graph.
pub(super) fn run(args: &UnfoldArgs) -> Exit {
    let format = match GraphFile::format(&args.file) {
        Ok(format) => format,
        Err(reason) => return complain(&reason, Exit::Usage),
    };
    let path = args.graph.display();
    let file = match GraphFile::reserve(&[("the graph", &args.graph)], &args.file, format) {
        Ok(file) => file,
        Err((reason, exit)) => return complain(&reason, exit),
    };
    interrupt::stage(Stage::Preparing("the graph was read"));
    let text = match files::read_text(&args.graph) {
        Ok(text) => text,
        Err(reason) => return complain(&reason, Exit::Io),
    };
    interrupt::stage(Stage::Preparing("the graph was unfolded"));
    let limit = usize::try_from(args.max_states.0).unwrap_or(usize::MAX);
    let unfolded = Quotient::read(&text).and_then(|quotient| unfold(&quotient, limit).map(|full| (quotient, full)));
    let (quotient, full) = match unfolded {
        Ok(unfolded) => unfolded,
        Err(fault) => return complain(&format!("cannot unfold {path}: {fault}"), Exit::Rejected),
    };
    if !quotient.is_complete {
        files::complain("warning: the graph is incomplete: states beyond it, and steps to them, are left out\n");
    }
    match file.write_full(&quotient, &full) {
        Ok(()) => Exit::Done,
        Err(GraphFault::Io(reason) | GraphFault::Evaluation(reason) | GraphFault::TooLarge(reason)) => complain(&reason, Exit::Io),
    }
}
