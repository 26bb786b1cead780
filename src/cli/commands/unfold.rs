//! `bcheck unfold`: expands a graph up to symmetry into the full graph, without the machine.
//!
//! Invariant: whether the file can be written is known before anything is computed, and it is left unchanged if the graph is refused.

use crate::args::UnfoldArgs;
use crate::exit::{Ended, Exit, complaint, refused};
use crate::io::files;
use crate::io::graph_file::GraphFile;
use crate::io::interrupt::{self, Stage};
use crate::session::graph_walk::GraphFault;
use bcheck_report::unfold::{Quotient, unfold};

/// Unfolds a graph.
pub(crate) fn run(args: &UnfoldArgs) -> Ended {
    let format = GraphFile::format(&args.file).map_err(complaint(Exit::Usage))?;
    let file = GraphFile::reserve(&[("the graph", &args.graph)], &args.file, format).map_err(refused)?;
    interrupt::stage(Stage::Preparing("the graph was read"));
    let text = files::read_text(&args.graph).map_err(complaint(Exit::Io))?;
    interrupt::stage(Stage::Preparing("the graph was unfolded"));
    let limit = usize::try_from(args.max_states.0).unwrap_or(usize::MAX);
    let (quotient, full) = Quotient::read(&text)
        .and_then(|quotient| unfold(&quotient, limit).map(|full| (quotient, full)))
        .map_err(|fault| format!("cannot unfold {}: {fault}", args.graph.display()))
        // An inconsistent file is a faulty input, like a machine with errors.
        .map_err(complaint(Exit::Rejected))?;
    if !quotient.is_complete {
        files::complain("warning: the graph is incomplete: further states, and steps to them, are left out\n");
    }
    file.write_full(&quotient, &full)
        .map_err(|(GraphFault::Io(reason) | GraphFault::NotMade(reason))| reason)
        .map_err(complaint(Exit::Io))?;
    Ok(Exit::Done)
}
