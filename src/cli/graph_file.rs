//! `--graph FILE`: the graph of a check in the format that the file's ending asks for, written while it is walked.
//!
//! Invariant: the file is opened before the search; what cannot be written ends the walk, and is told.

use super::files::plain;
use super::interrupt;
use crate::eval::Machine;
use crate::explore::{GraphEdge, GraphState, GraphVisitor, Options, Outcome, walk_graph};
use crate::report::graph::{GraphFormat, GraphPart, GraphText};
use crate::symmetry::Symmetry;
use crate::value::Value;
use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// Graphviz takes minutes for graphs with more states than this.
const DRAWABLE: usize = 2_000;

/// Why a graph was not written, or not as one may think.
#[derive(Debug)]
pub(super) enum GraphFault {
    /// The file.
    Io(String),
    /// The evaluation.
    Evaluation(String),
}

/// An open file for a graph.
#[derive(Debug)]
pub(super) struct GraphFile {
    path: PathBuf,
    format: GraphFormat,
    main: BufWriter<File>,
    states: Option<BufWriter<File>>,
}

impl GraphFile {
    /// The format that the ending of a path asks for.
    pub(super) fn format(path: &Path) -> Result<GraphFormat, String> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default();
        match ending.as_str() {
            "dot" | "gv" => Ok(GraphFormat::Dot),
            "aut" => Ok(GraphFormat::Aut),
            "graphml" => Ok(GraphFormat::GraphMl),
            "csv" => Ok(GraphFormat::Csv),
            _ => Err(format!("cannot write the graph as {}: the ending must be .dot, .aut, .graphml or .csv", path.display())),
        }
    }

    /// Opens the file; with CSV also that of the states, `FILE.states.csv`.
    pub(super) fn open(path: &Path, format: GraphFormat) -> Result<Self, String> {
        let create = |path: &Path| {
            File::create(path).map(BufWriter::new).map_err(|error| format!("cannot write {}: {}", path.display(), plain(&error)))
        };
        let states = match format {
            GraphFormat::Csv => Some(create(&path.with_extension("states.csv"))?),
            _ => None,
        };
        Ok(Self { path: path.to_owned(), format, main: create(path)?, states })
    }

    /// Walks the states that a search explored and writes them; gives a warning where one is due.
    pub(super) fn write(
        mut self,
        machine: &Machine,
        symmetry: &Symmetry,
        options: &Options,
        outcome: &Outcome,
    ) -> Result<Option<String>, GraphFault> {
        let complaint = |error: io::Error| GraphFault::Io(format!("cannot write {}: {}", self.path.display(), plain(&error)));
        // A limit of time or memory that stopped the search says nothing about the graph.
        if !interrupt::happened() {
            machine.interrupt().store(false, Ordering::Relaxed);
        }
        let limit = if outcome.complete { usize::MAX } else { usize::try_from(outcome.explored.states).unwrap_or(usize::MAX) };
        let mut writer = Writer {
            text: GraphText::new(self.format, machine.model(), !symmetry.is_trivial()),
            main: &mut self.main,
            states: self.states.as_mut(),
            state: Vec::new(),
            error: None,
        };
        let totals = walk_graph(machine, symmetry, options, limit, &mut writer)
            .map_err(|error| GraphFault::Evaluation(format!("the graph was not finished: {}", error.kind)))?;
        let (end, header) = (writer.text.end(&totals), writer.text.header(&totals));
        // What goes wrong is kept in the writer.
        let _ = writer.put(GraphPart::from(end));
        let error = writer.error.take();
        let finish = || {
            if let Some(error) = error {
                return Err(error);
            }
            self.main.flush()?;
            if let Some(header) = header {
                self.main.seek(SeekFrom::Start(0))?;
                self.main.write_all(header.as_bytes())?;
                self.main.flush()?;
            }
            self.states.as_mut().map_or(Ok(()), Write::flush)
        };
        finish().map_err(complaint)?;
        Ok(if !totals.is_exact {
            Some("some classes of symmetric states have several states in the graph; weights are missing there".to_owned())
        } else if self.format == GraphFormat::Dot && totals.states > DRAWABLE {
            Some(format!("the graph has {} states: Graphviz may take very long; --max-states makes it smaller", totals.states))
        } else {
            None
        })
    }
}

struct Writer<'a> {
    text: GraphText<'a>,
    main: &'a mut BufWriter<File>,
    states: Option<&'a mut BufWriter<File>>,
    /// The state whose edges come now.
    state: Vec<Value>,
    error: Option<io::Error>,
}

impl Writer<'_> {
    fn put(&mut self, part: GraphPart) -> ControlFlow<()> {
        let result = self.main.write_all(part.main.as_bytes()).and_then(|()| match &mut self.states {
            Some(states) => states.write_all(part.states.as_bytes()),
            None => Ok(()),
        });
        match result {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.error.get_or_insert(error);
                ControlFlow::Break(())
            }
        }
    }
}

impl GraphVisitor for Writer<'_> {
    fn begin(&mut self, initial: usize) -> ControlFlow<()> {
        let part = self.text.begin(initial);
        self.put(part)
    }

    fn state(&mut self, state: &GraphState<'_>) -> ControlFlow<()> {
        self.state = state.state.to_vec();
        let part = self.text.state(state);
        self.put(part)
    }

    fn edge(&mut self, edge: &GraphEdge<'_>) -> ControlFlow<()> {
        let part = self.text.edge(edge, &self.state);
        self.put(part)
    }
}
