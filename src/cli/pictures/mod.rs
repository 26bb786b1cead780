//! Pictures in files, as SVG or PNG; and that of `--graph`: small graphs are drawn here, larger ones by Graphviz if it is installed.
//!
//! Invariant: unreadable pictures are not drawn: if a graph is too large there is a warning with ways to make it smaller. Deliberately
//! elsewhere: running Graphviz (`graphviz`).

pub(crate) mod graphviz;
mod sources;
pub(crate) mod states;
pub(crate) mod visb_files;

use crate::io::files::{self, plain};
use crate::io::output::Output;
use crate::session::graph_walk::{Explored, GraphFault};
use bcheck_eval::Machine;
use bcheck_explore::Merged;
use bcheck_report::drawing::{draw, is_readable, text_for_graphviz};
use bcheck_report::raster;
use bcheck_source::{Shown, shown};
use graphviz::run_dot;
use std::borrow::Cow;
use std::io;
use std::path::Path;

/// The most states of a picture: nobody can read a larger one, and Graphviz takes minutes.
const MOST_DRAWN: usize = 1_000;
/// How to build a bcheck that draws pixels.
const BUILD_WITH_PNG: &str = "cargo install --path . --features png";
/// The advice if a picture would be too large.
const SMALLER: &str = "make it smaller by --merge signature, --project EXPR or --max-states N, or write FILE.graphml for a viewer";

/// The forms of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PictureFormat {
    Svg,
    Png,
}

impl PictureFormat {
    /// The form denoted by the ending of a path, if that is the ending of a picture.
    pub(crate) fn of(path: &Path) -> Result<Option<Self>, String> {
        match (has_ending(path, "svg"), has_ending(path, "png")) {
            (true, _) => Ok(Some(Self::Svg)),
            (_, true) if raster::CAN_DRAW => Ok(Some(Self::Png)),
            (_, true) => Err(format!(
                "cannot draw {}: this bcheck was built without PNG; name it {}, or build with: {BUILD_WITH_PNG}",
                path.display(),
                path.with_extension("svg").display()
            )),
            _ => Ok(None),
        }
    }

    /// A picture in this form, to be written to a file.
    pub(crate) fn render(self, svg: &Shown) -> Result<Vec<u8>, String> {
        match self {
            Self::Svg => Ok(svg.as_bytes().to_vec()),
            Self::Png => raster::png(svg),
        }
    }
}

/// The file that a picture is written to: a build that cannot draw pixels writes SVG instead of PNG, and a warning says so.
pub(crate) fn drawable(path: &Path) -> Cow<'_, Path> {
    if raster::CAN_DRAW || !has_ending(path, "png") {
        return Cow::Borrowed(path);
    }
    let svg = path.with_extension("svg");
    files::complain(&shown!(
        "warning: {} is written instead of {}: this bcheck was built without PNG; to have it, build with: {}\n",
        svg.display(),
        path.display(),
        BUILD_WITH_PNG
    ));
    Cow::Owned(svg)
}

/// Whether a path has an ending, whatever its case.
fn has_ending(path: &Path, wanted: &str) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(wanted))
}

/// A picture to be written.
#[derive(Debug)]
pub(crate) struct Picture {
    pub(crate) format: PictureFormat,
    pub(crate) file: Output,
}

impl Picture {
    /// Draws the space of a search; without a picture nothing is written.
    pub(crate) fn write(self, explored: &Explored<'_>) -> Result<Option<String>, GraphFault> {
        let Explored { machine, symmetry, outcome, merge, .. } = *explored;
        let found = usize::try_from(outcome.explored.states).unwrap_or(usize::MAX);
        // Merging can make a large space small, so only an unmerged one is refused before it is walked.
        if merge.is_none() && found > MOST_DRAWN {
            return Err(GraphFault::NotMade(format!("a graph of {found} states is no picture: {SMALLER}")));
        }
        let (merged, totals) = explored.collect()?;
        let is_quotient = !symmetry.is_trivial() || merge.is_some();
        let states = merged.states.len();
        // Counted again: merging may not have made it small enough.
        if states > MOST_DRAWN {
            return Err(GraphFault::NotMade(format!("a graph of {states} merged states is no picture: {SMALLER}")));
        }
        // Graphviz lays out larger graphs better; without it they are drawn here all the same.
        let by_graphviz = if is_readable(&merged) { None } else { graphviz(machine, &merged, is_quotient, self.format)? };
        let own = || self.format.render(&draw(machine.model(), &merged, is_quotient)).map_err(GraphFault::NotMade);
        let picture = by_graphviz.map_or_else(own, Ok)?;
        self.file.save_bytes(&picture).map_err(GraphFault::Io)?;
        Ok((!totals.is_complete).then(|| "the picture is incomplete: states beyond these, and steps to them, are left out".to_owned()))
    }
}

/// Graphviz's picture of a graph of states; `None` if Graphviz is not installed.
fn graphviz(machine: &Machine, merged: &Merged, is_quotient: bool, format: PictureFormat) -> Result<Option<Vec<u8>>, GraphFault> {
    let text = text_for_graphviz(machine.model(), merged, is_quotient);
    let form = match format {
        PictureFormat::Svg => "-Tsvg",
        PictureFormat::Png => "-Tpng",
    };
    match run_dot(form, &text) {
        Ok(output) if output.status.success() => Ok(Some(output.stdout)),
        Ok(output) => {
            let complaints = String::from_utf8_lossy(&output.stderr);
            let reason = complaints.lines().next().unwrap_or("it gives no reason").to_owned();
            Err(GraphFault::NotMade(format!("Graphviz cannot draw the graph: {reason}")))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(GraphFault::NotMade(format!("cannot run Graphviz: {}", plain(&error)))),
    }
}
