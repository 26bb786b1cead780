//! Parses a graph up to symmetry from GraphML, as written by `--graph FILE.graphml`.
//!
//! Invariant: the result has everything that unfolding needs; a graph that lacks something is refused with the line and a remedy.

use super::image::Renaming;
use num_bigint::BigUint;
use roxmltree::{Document, Node};
use rustc_hash::FxHashMap;
use thiserror::Error;

/// A graph up to symmetry.
#[derive(Clone, Debug)]
pub struct Quotient {
    /// The name of the machine.
    pub title: String,
    /// The names of its constants and variables.
    pub names: Vec<String>,
    /// The types of their attributes, in the words of GraphML; none in files of earlier versions.
    pub types: Vec<String>,
    /// Whether every state that can be reached has its class here.
    pub is_complete: bool,
    pub(super) generators: Vec<Renaming>,
    /// The nodes; initial ones come first.
    pub nodes: Vec<QuotientNode>,
    /// The edges.
    pub edges: Vec<QuotientEdge>,
}

/// A node: a class of states.
#[derive(Clone, Debug)]
pub struct QuotientNode {
    pub(super) line: u32,
    /// The values of the representative, in the order of the names.
    pub(super) values: Vec<String>,
    /// The size of the orbit: the number of states that it represents.
    pub(super) orbit: BigUint,
    /// Whether its states are initial.
    pub is_initial: bool,
    /// Steps from the initial states.
    pub depth: usize,
    /// Whether its states have no step.
    pub is_deadlock: bool,
    /// The verdicts that its states would cause.
    pub findings: Vec<String>,
}

impl QuotientNode {
    pub(super) fn image(&self, renaming: &Renaming) -> Vec<String> {
        renaming.images(&self.values)
    }
}

/// An edge: a class of steps.
#[derive(Clone, Debug)]
pub struct QuotientEdge {
    pub(super) line: u32,
    pub(super) from: usize,
    pub(super) to: usize,
    /// The operation.
    pub operation: String,
    pub(super) label: String,
    /// How many steps it represents.
    pub(super) weight: BigUint,
    /// The permutation that takes the successor to its representative.
    pub(super) permutation: Renaming,
}

/// Why a graph cannot be unfolded.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum QuotientFault {
    /// It is not XML, or not written by `--graph`.
    #[error("{0}")]
    Unreadable(String),
    /// An element of the file does not fit the rest.
    #[error("line {line}: {what}")]
    Contradiction {
        /// In the file, from 1.
        line: u32,
        /// The contradiction.
        what: String,
    },
    /// It represents more states than the limit.
    #[error("the graph stands for {0} states; --max-states raises the limit")]
    TooLarge(BigUint),
}

const WRITTEN_BY: &str = "; graphs to unfold are written by `bcheck MACHINE --graph FILE.graphml`";

impl Quotient {
    /// Reads a file.
    ///
    /// # Errors
    /// When it is not a graph up to symmetry with permutations.
    pub fn read(text: &str) -> Result<Self, QuotientFault> {
        let unreadable = |what: &str| QuotientFault::Unreadable(format!("{what}{WRITTEN_BY}"));
        let document = Document::parse(text).map_err(|error| unreadable(&format!("it is not XML ({error})")))?;
        let graph = document.descendants().find(|node| node.has_tag_name("graph")).ok_or_else(|| unreadable("it has no graph"))?;
        // First, as a merged graph may also be a quotient, and merging cannot be undone.
        if data(graph, "merged").is_some() {
            return Err(QuotientFault::Unreadable("its states are merged (--project, --merge), which nothing undoes".to_owned()));
        }
        // A graph without symmetry has no generators, and is the full graph already.
        let generators = data(graph, "generators").ok_or_else(|| unreadable("it does not say what is symmetric"))?;
        let reader = Reader { document: &document };
        let generators = generators.lines().map(|cycles| reader.renaming(graph, cycles)).collect::<Result<_, _>>()?;
        let mut numbers: FxHashMap<&str, usize> = FxHashMap::default();
        let (mut names, mut nodes, mut edges) = (Vec::new(), Vec::new(), Vec::new());
        for element in graph.children().filter(|child| child.has_tag_name("node")) {
            // Nodes first, in whatever order the file has them, because edges refer to their ids.
            numbers.insert(reader.attribute(element, "id")?, nodes.len());
            let (own, node) = reader.node(element)?;
            // All nodes have the same names.
            names = own;
            nodes.push(node);
        }
        for element in graph.children().filter(|child| child.has_tag_name("edge")) {
            edges.push(reader.edge(element, &numbers)?);
        }
        // Files of earlier versions have no such mark; then the graph counts as complete, as stated there.
        let is_complete = data(graph, "complete").is_none_or(|complete| complete == "true");
        let title = graph.attribute("id").unwrap_or("graph").to_owned();
        let keys = document.descendants().filter(|node| node.has_tag_name("key"));
        let of_values = keys.filter(|key| key.attribute("id").is_some_and(|id| id.strip_prefix('v').is_some_and(is_number)));
        let types = of_values.map(|key| key.attribute("attr.type").unwrap_or("string").to_owned()).collect();
        Ok(Self { title, names, types, is_complete, generators, nodes, edges })
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|letter| letter.is_ascii_digit())
}

/// The text of a `data` element with this key.
fn data<'a>(of: Node<'a, '_>, key: &str) -> Option<&'a str> {
    let found = of.children().find(|child| child.has_tag_name("data") && child.attribute("key") == Some(key))?;
    Some(found.text().unwrap_or(""))
}

struct Reader<'a, 'i> {
    document: &'a Document<'i>,
}

impl<'a> Reader<'a, '_> {
    fn line(&self, of: Node<'_, '_>) -> u32 {
        self.document.text_pos_at(of.range().start).row
    }

    fn fault(&self, of: Node<'_, '_>, what: &str) -> QuotientFault {
        QuotientFault::Contradiction { line: self.line(of), what: format!("{what}{WRITTEN_BY}") }
    }

    fn attribute(&self, of: Node<'a, '_>, name: &str) -> Result<&'a str, QuotientFault> {
        of.attribute(name).ok_or_else(|| self.fault(of, &format!("it has no `{name}`")))
    }

    fn data(&self, of: Node<'a, '_>, key: &str) -> Result<&'a str, QuotientFault> {
        data(of, key).ok_or_else(|| self.fault(of, &format!("it has no `{key}`")))
    }

    fn number<N: std::str::FromStr>(&self, of: Node<'a, '_>, key: &str) -> Result<N, QuotientFault> {
        self.data(of, key)?.parse().map_err(|_| self.fault(of, &format!("its `{key}` is not a number")))
    }

    fn renaming(&self, of: Node<'_, '_>, cycles: &str) -> Result<Renaming, QuotientFault> {
        Renaming::of_cycles(cycles).ok_or_else(|| self.fault(of, &format!("`{cycles}` is not a permutation in cycles")))
    }

    /// A node, and the names of its values.
    fn node(&self, element: Node<'a, '_>) -> Result<(Vec<String>, QuotientNode), QuotientFault> {
        let state = self.data(element, "state")?;
        // At the first ` = `, because values may hold the sign in strings. A name in back quotes may hold it as well, and is then cut in
        // two: the writer (`graph`) does not quote names here.
        let lines = state.lines().map(|line| line.split_once(" = ").ok_or_else(|| self.fault(element, "its `state` has no value")));
        let (names, values) =
            lines.collect::<Result<Vec<_>, _>>()?.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).unzip();
        let node = QuotientNode {
            line: self.line(element),
            values,
            orbit: self.number(element, "orbit")?,
            is_initial: self.data(element, "initial")? == "true",
            depth: self.number(element, "depth")?,
            is_deadlock: self.data(element, "deadlock")? == "true",
            findings: self.data(element, "findings")?.split_whitespace().map(str::to_owned).collect(),
        };
        // The writer of graphs writes 0 where a canonical form was not exact, so that the stabiliser is not known.
        if node.orbit == BigUint::ZERO {
            return Err(self.fault(element, "how many states it stands for is not known (only --symmetry exact determines it)"));
        }
        Ok((names, node))
    }

    fn edge(&self, element: Node<'a, '_>, numbers: &FxHashMap<&str, usize>) -> Result<QuotientEdge, QuotientFault> {
        let end = |name: &str| {
            let id = self.attribute(element, name)?;
            numbers.get(id).copied().ok_or_else(|| self.fault(element, &format!("there is no node `{id}`")))
        };
        Ok(QuotientEdge {
            line: self.line(element),
            from: end("source")?,
            to: end("target")?,
            operation: self.data(element, "operation")?.to_owned(),
            label: self.data(element, "label")?.to_owned(),
            weight: self.number(element, "weight")?,
            permutation: self.renaming(element, self.data(element, "permutation")?)?,
        })
    }
}
