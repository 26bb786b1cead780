//! The limits on drawing: a picture that is too large is not drawn at all, and one that is drawn is complete.
//!
//! Invariant: the parts of a picture are counted before it becomes text, and one state is drawn at a time, so the memory for pictures is
//! bounded whatever the machine and the run. Deliberately elsewhere: the bounds of one grid, graph or list of objects (beside this).

use super::custom_graph::CustomGraph;
use super::grid::PictureGrid;
use super::visb::VisbPicture;
use super::{Medium, Painter, StatePicture};
use bcheck_explore::TraceStep;
use bcheck_value::Value;
use std::fmt;
use std::sync::atomic::Ordering;

/// The most parts of all pictures in one page or file: browsers are slow with more.
const MOST_PARTS: usize = 200_000;
/// The most parts of a picture in pixels, whose tree of shapes takes ten times the memory of its text.
const MOST_PARTS_OF_PIXELS: usize = 50_000;
/// The parts that a value counts for that no definition draws: it has some chips, or a line of text.
const PARTS_OF_VALUE: usize = 50;

/// Why a state is not drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotDrawn {
    /// The pictures would have more parts than this.
    TooLarge(usize),
    /// A limit or a signal ended the drawing.
    Stopped,
}

impl fmt::Display for NotDrawn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge(most) => write!(f, "all pictures together would have more than {most} cells, objects, nodes and arrows"),
            Self::Stopped => f.write_str("a limit or a signal has ended the drawing"),
        }
    }
}

impl Medium {
    fn most_parts(self) -> usize {
        if self == Self::Pixels { MOST_PARTS_OF_PIXELS } else { MOST_PARTS }
    }
}

impl Painter {
    /// Begins a file, whose bounds are its own.
    pub fn begin(&self) {
        // Relaxed: one thread draws.
        self.drawn.store(0, Ordering::Relaxed);
    }

    /// As [`Painter::picture`], for one of the states of a file: as long as there is room for it.
    pub(super) fn next_picture(&self, state: &[Value], next: Option<&TraceStep>, medium: Medium) -> Result<Option<StatePicture>, NotDrawn> {
        let is_stopped = || self.machine().interrupt().load(Ordering::Relaxed);
        // Looked at before, so that nothing begins, and behind it, as an evaluation that was stopped has left parts out.
        let picture = if is_stopped() { None } else { self.picture(state, next) };
        if is_stopped() {
            return Err(NotDrawn::Stopped);
        }
        let parts = picture.as_ref().map_or(0, StatePicture::parts);
        if self.drawn.fetch_add(parts, Ordering::Relaxed) + parts > medium.most_parts() {
            return Err(NotDrawn::TooLarge(medium.most_parts()));
        }
        Ok(picture)
    }

    /// As [`Self::next`], for a page.
    pub(crate) fn next_in_page(&self, state: &[Value], next: Option<&TraceStep>) -> Result<Option<StatePicture>, NotDrawn> {
        self.next_picture(state, next, Medium::Page)
    }
}

impl StatePicture {
    /// How many parts are drawn: cells, nodes, arrows, objects, values.
    fn parts(&self) -> usize {
        let grid = self.grid.as_ref().map_or(0, PictureGrid::parts);
        let graph = self.graph.as_ref().map_or(0, CustomGraph::parts);
        let objects = self.visb.as_ref().map_or(0, VisbPicture::parts);
        let chips = self.chips.as_ref().map_or(0, |state| state.len() * PARTS_OF_VALUE);
        grid + graph + objects + chips
    }
}
