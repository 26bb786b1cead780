//! `--graph FILE`: the graph of a check in the format given by the file's ending, written while it is walked.
//!
//! Invariant: whether the file can be written is known before the search; a write error ends the walk and is reported. Deliberately
//! elsewhere: what is walked, and how states are merged (`session::graph_walk`).

use crate::args::LabelsArg;
use crate::exit::Exit;
use crate::io::output::{self, Named, Output, Refusal};
use crate::pictures::{Picture, PictureFormat};
use crate::session::graph_walk::{Explored, GraphFault, Merge};
use bcheck_explore::{GraphEdge, GraphState, GraphTotals, GraphVisitor, Merged};
use bcheck_ir::Model;
use bcheck_report::graph::{GraphFormat, GraphPart, GraphText};
use bcheck_report::unfold::{FullGraph, Quotient};
use bcheck_value::Value;
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// The most states for which Graphviz is fast enough; for larger graphs there is a warning.
const DRAWABLE: usize = 2_000;

/// The kind of file that receives a graph.
#[derive(Clone, Copy, Debug)]
pub(crate) enum GraphTarget<'a> {
    /// A format for programs.
    File(&'a Path, GraphFormat),
    /// A picture.
    Picture(PictureFormat),
}

impl<'a> GraphTarget<'a> {
    /// The target denoted by the ending of a path.
    pub(crate) fn of(path: &'a Path) -> Result<Self, String> {
        if let Some(format) = PictureFormat::of(path)? {
            return Ok(Self::Picture(format));
        }
        let format = GraphFile::known(path);
        format.map(|format| Self::File(path, format)).ok_or_else(|| wrong_ending(path, ".svg, .png, .dot, .aut, .graphml or .csv"))
    }

    /// Why labels of edges in this form are incompatible with the format.
    pub(crate) fn refuses(self, labels: Option<LabelsArg>) -> Option<&'static str> {
        match (self, labels) {
            (Self::Picture(_), Some(LabelsArg::Plain)) => {
                Some("--labels plain is for graphs that programs read: name FILE.aut or FILE.dot")
            }
            _ => None,
        }
    }

    /// The second file of a format, if it has one: for CSV that of the states, `FILE.states.csv`.
    pub(crate) fn states_file(self) -> Option<PathBuf> {
        match self {
            Self::File(path, GraphFormat::Csv) => Some(path.with_extension("states.csv")),
            _ => None,
        }
    }

    /// The graph, to be written to these files.
    pub(crate) fn open(self, main: Output, states: Option<Output>) -> Result<OpenGraph, Refusal> {
        match self {
            Self::File(_, format) => GraphFile::new(format, main, states).map(OpenGraph::File),
            Self::Picture(format) => Ok(OpenGraph::Picture(Picture { format, file: main })),
        }
    }
}

fn wrong_ending(path: &Path, endings: &str) -> String {
    format!("cannot write the graph as {}: the ending must be {endings}", path.display())
}

/// A graph to be written, of either kind.
#[derive(Debug)]
pub(crate) enum OpenGraph {
    File(GraphFile),
    Picture(Picture),
}

impl OpenGraph {
    /// Writes the space of a search; returns a warning if one is due.
    pub(crate) fn write(self, explored: &Explored<'_>) -> Result<Option<String>, GraphFault> {
        match self {
            Self::File(file) => file.write(explored),
            Self::Picture(picture) => picture.write(explored),
        }
    }
}

/// A graph to be written.
#[derive(Debug)]
pub(crate) struct GraphFile {
    format: GraphFormat,
    main: BufWriter<Output>,
    states: Option<BufWriter<Output>>,
}

impl GraphFile {
    /// The format denoted by the ending of a path.
    pub(crate) fn format(path: &Path) -> Result<GraphFormat, String> {
        Self::known(path).ok_or_else(|| wrong_ending(path, ".dot, .aut, .graphml or .csv"))
    }

    fn known(path: &Path) -> Option<GraphFormat> {
        // The path as typed: the target of a symbolic link may have any name.
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default();
        match ending.as_str() {
            // Graphviz itself prefers `.gv`, because Word templates end in `.dot` as well.
            "dot" | "gv" => Some(GraphFormat::Dot),
            "aut" => Some(GraphFormat::Aut),
            "graphml" => Some(GraphFormat::GraphMl),
            "csv" => Some(GraphFormat::Csv),
            _ => None,
        }
    }

    /// Reserves the files for a graph in this format.
    pub(crate) fn reserve(inputs: &[Named<'_>], path: &Path, format: GraphFormat) -> Result<Self, Refusal> {
        let states = GraphTarget::File(path, format).states_file();
        let [main, states] =
            output::reserve(inputs, [("the graph to be written,", Some(path)), ("that of its states,", states.as_deref())])?;
        Self::new(format, main.expect("it was named"), states)
    }

    fn new(format: GraphFormat, main: Output, states: Option<Output>) -> Result<Self, Refusal> {
        if format == GraphFormat::Aut && !main.can_seek() {
            let reason =
                "cannot write a graph as .aut to a stream: its first line has the counts, which are known at the end; write a file";
            return Err((reason.to_owned(), Exit::Usage));
        }
        Ok(Self { format, main: BufWriter::new(main), states: states.map(BufWriter::new) })
    }

    /// Writes the space of a search; returns a warning if one is due.
    pub(crate) fn write(self, explored: &Explored<'_>) -> Result<Option<String>, GraphFault> {
        let (model, symmetry, format) = (explored.machine.model(), explored.symmetry, self.format);
        let generators = || symmetry.generators().iter().map(|generator| generator.in_names(model)).collect();
        // If states are merged by symmetry, generators are part of the file: the full graph can be recovered from both.
        let has_plain_labels = explored.labels == LabelsArg::Plain;
        let text = GraphText::new(format, model, (!symmetry.is_trivial()).then(generators)).with_plain_labels(has_plain_labels);
        let text = match explored.merge {
            None => text,
            Some(Merge::Value(projection)) => text.merged(&projection.text),
            Some(Merge::Operations) => text.merged("enabled"),
        };
        let totals = self.stream(text, |out| match explored.merge {
            None => explored.walk(&mut Writer { out, model, state: Vec::new() }),
            Some(_) => {
                let (merged, totals) = explored.collect()?;
                out.merged(&merged, model);
                Ok(merged.totals(&totals))
            }
        })?;
        Ok(if !totals.is_exact {
            Some("some classes of symmetric states have several states in the graph; weights are missing there".to_owned())
        // The report states that a search is unfinished; only a graph that lacks parts of a finished one is news.
        } else if explored.outcome.exhausted && !totals.is_complete {
            Some("the graph is not finished: states beyond these, and steps to them, are left out".to_owned())
        } else if format == GraphFormat::Dot && totals.states > DRAWABLE {
            Some(format!("the graph has {} states: Graphviz may take very long; --max-states makes it smaller", totals.states))
        } else {
            None
        })
    }

    /// Writes an unfolded graph.
    pub(crate) fn write_full(self, quotient: &Quotient, full: &FullGraph) -> Result<(), GraphFault> {
        let text = GraphText::unfolded(self.format, quotient);
        let written = self.stream(text, |out| {
            out.full(quotient, full);
            let (states, edges) = (full.states.len(), full.edges.len());
            Ok(GraphTotals { states, edges, is_complete: quotient.is_complete, is_exact: true, ..GraphTotals::default() })
        });
        written.map(|_| ())
    }

    /// Writes a graph: the parts emitted by `put_all`, the end, and the header that needs the totals.
    fn stream(
        mut self,
        text: GraphText,
        put_all: impl FnOnce(&mut Out<'_>) -> Result<GraphTotals, GraphFault>,
    ) -> Result<GraphTotals, GraphFault> {
        let mut writer = Out { text, main: &mut self.main, states: self.states.as_mut(), error: None };
        let totals = put_all(&mut writer)?;
        let (end, header) = (writer.text.end(&totals), writer.text.header(&totals));
        // An error is stored in the writer, and checked next.
        let _ = writer.put(GraphPart::from(end));
        if let Some(complaint) = writer.error.take() {
            return Err(GraphFault::Io(complaint));
        }
        if let Some(header) = header {
            // The header was written with placeholder counts of the same length (AUT). `BufWriter::seek` flushes its buffer first.
            let written = self.main.seek(SeekFrom::Start(0)).and_then(|_| self.main.write_all(header.as_str().as_bytes()));
            written.map_err(|error| GraphFault::Io(self.main.get_ref().complaint(&error)))?;
        }
        // Both files are complete before one is renamed.
        let files = std::iter::once(self.main).chain(self.states).map(|mut file| {
            let flushed = file.flush();
            // Not `into_inner`, which would flush again and wrap the file into its error.
            let (file, _) = file.into_parts();
            flushed.map_err(|error| file.complaint(&error)).map(|()| file)
        });
        let files: Vec<Output> = files.collect::<Result<_, _>>().map_err(GraphFault::Io)?;
        files.into_iter().try_for_each(Output::finish).map_err(GraphFault::Io)?;
        Ok(totals)
    }
}

/// The output files of the parts of a text; stores the first error.
struct Out<'a> {
    text: GraphText,
    main: &'a mut BufWriter<Output>,
    states: Option<&'a mut BufWriter<Output>>,
    error: Option<String>,
}

impl Out<'_> {
    fn put(&mut self, part: GraphPart) -> ControlFlow<()> {
        let put =
            |file: &mut BufWriter<Output>, text: &str| file.write_all(text.as_bytes()).map_err(|error| file.get_ref().complaint(&error));
        let states = |()| self.states.as_mut().map_or(Ok(()), |states| put(states, &part.states));
        match put(self.main, &part.main).and_then(states) {
            Ok(()) => ControlFlow::Continue(()),
            Err(complaint) => {
                // The first error is the cause; later ones come from the same full disk.
                self.error.get_or_insert(complaint);
                ControlFlow::Break(())
            }
        }
    }

    /// Writes one part after the other.
    fn put_each(&mut self, count: usize, part: impl Fn(&GraphText, usize) -> GraphPart) -> ControlFlow<()> {
        (0..count).try_for_each(|at| {
            let part = part(&self.text, at);
            self.put(part)
        })
    }

    /// Writes a graph with these numbers of initial states, states and edges.
    fn put_graph(
        &mut self,
        [initial, states, edges]: [usize; 3],
        state: impl Fn(&GraphText, usize) -> GraphPart,
        edge: impl Fn(&GraphText, usize) -> GraphPart,
    ) -> ControlFlow<()> {
        let begin = self.text.begin(initial);
        self.put(begin)?;
        self.put_each(states, state)?;
        self.put_each(edges, edge)
    }

    /// Writes a merged graph.
    fn merged(&mut self, merged: &Merged, model: &Model) {
        let Merged { states, edges, .. } = merged;
        let initial = states.iter().filter(|state| state.is_initial).count();
        let counts = [initial, states.len(), edges.len()];
        // An error is stored in `self`.
        let _ = self.put_graph(counts, |text, at| text.merged_state(at, &states[at]), |text, at| text.merged_edge(&edges[at], model));
    }

    /// Writes an unfolded graph.
    fn full(&mut self, quotient: &Quotient, full: &FullGraph) {
        let FullGraph { states, edges } = full;
        let initial = states.iter().filter(|state| quotient.nodes[state.node].is_initial).count();
        let counts = [initial, states.len(), edges.len()];
        let _ =
            self.put_graph(counts, |text, at| text.full_state(at, &states[at], quotient), |text, at| text.full_edge(&edges[at], quotient));
    }
}

/// Writes a graph during the walk, without storing it.
struct Writer<'a, 'o> {
    out: &'a mut Out<'o>,
    model: &'a Model,
    /// The state whose edges come next.
    state: Vec<Value>,
}

impl GraphVisitor for Writer<'_, '_> {
    fn begin(&mut self, initial: usize) -> ControlFlow<()> {
        let part = self.out.text.begin(initial);
        self.out.put(part)
    }

    fn state(&mut self, state: &GraphState<'_>) -> ControlFlow<()> {
        // The label of an edge shows what the step changes, for which the source state is needed.
        self.state = state.state.to_vec();
        let part = self.out.text.state(state, self.model);
        self.out.put(part)
    }

    fn edge(&mut self, edge: &GraphEdge<'_>) -> ControlFlow<()> {
        let part = self.out.text.edge(edge, &self.state, self.model);
        self.out.put(part)
    }
}
