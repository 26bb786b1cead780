//! Pictures of states as specified in DEFINITIONS: typed expressions, and the images and texts that the numbers in their values denote.
//!
//! Invariant: nothing here affects the meaning of a machine, and a model does not refer to it. Deliberately elsewhere: how definitions are
//! read (`sema`), how their values in a state are drawn (`report`).

use super::{Expr, Pred};
use super::{Model, OperationId};
use bcheck_source::Span;
use std::collections::BTreeMap;

/// All definitions of a machine that are about pictures of its states.
#[derive(Clone, Debug, Default)]
pub struct PictureDefinitions {
    /// Functions from places to contents; each overrides those before it, cell by cell.
    pub layers: Vec<GridLayer>,
    /// `ANIMATION_IMGn`: the image for a number.
    pub images: BTreeMap<i64, ImageReference>,
    /// `ANIMATION_STRn`: the text for a number.
    pub texts: BTreeMap<i64, String>,
    /// `ANIMATION_STR_JUSTIFY_…`: the alignment of texts in their cells; with a number, that of the text for this number.
    pub justified: BTreeMap<Option<i64>, Justification>,
    /// `CUSTOM_GRAPH…`, in the order of their names.
    pub graph: Vec<GraphDefinition>,
    /// `VISB_SVG_…`, in the order of their names.
    pub visb: Vec<VisbDefinition>,
    /// `VISB_SVG_FILE`, or `svg` in a VisB file: the picture that they change.
    pub svg_file: Option<ImageReference>,
    /// `svg_objects` of VisB files.
    pub visb_objects: Vec<VisbObject>,
    /// `items` of VisB files: of two about the same attribute the later one counts.
    pub visb_items: Vec<VisbItem>,
    /// `hovers` of VisB files.
    pub visb_hovers: Vec<VisbHover>,
    /// `events` of VisB files.
    pub visb_events: Vec<VisbEvent>,
}

/// A definition whose value fills cells.
#[derive(Clone, Debug)]
pub struct GridLayer {
    /// The name of the definition.
    pub name: String,
    /// The place of the name.
    pub place: Span,
    /// Its body.
    pub expr: Expr,
    /// How places are written.
    pub shape: GridShape,
}

/// The type of a function from places to contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GridShape {
    /// `(row |-> column) |-> content`
    Pairs,
    /// `row |-> (column |-> content)`: the second part is a function or sequence.
    Rows,
}

/// A file with an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageReference {
    /// The path as written.
    pub path: String,
    /// The place of the name of the definition.
    pub place: Span,
}

/// The alignment of a text in its cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Justification {
    /// At the left.
    Left,
    /// In the middle.
    #[default]
    Centre,
    /// At the right.
    Right,
}

/// A definition whose value is a graph, or a part of one.
#[derive(Clone, Debug)]
pub struct GraphDefinition {
    /// The name of the definition.
    pub name: String,
    /// The place of the name.
    pub place: Span,
    /// Its body.
    pub expr: Expr,
    /// Which part it is.
    pub part: GraphPart,
}

/// A part of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GraphPart {
    /// A record with attributes, nodes and edges.
    Whole,
    /// Nodes.
    Nodes,
    /// Edges.
    Edges,
}

/// A definition whose value is a record, or a set of records, about SVG objects.
#[derive(Clone, Debug)]
pub struct VisbDefinition {
    /// The name of the definition.
    pub name: String,
    /// The place of the name.
    pub place: Span,
    /// Its body.
    pub expr: Expr,
    /// The subject of the records.
    pub part: VisbPart,
}

/// The content of a record about SVG objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum VisbPart {
    /// The size of the picture.
    Frame,
    /// An object.
    Objects,
    /// Attributes of an object in the present state.
    Updates,
    /// Attributes of an object while the pointer is on it.
    Hovers,
    /// The operation that a click on an object executes.
    Events,
}

/// An object that a VisB file adds to its picture.
#[derive(Clone, Debug)]
pub struct VisbObject {
    /// The element of SVG.
    pub class: String,
    /// Its id.
    pub id: Option<String>,
    /// Its attributes, verbatim from the file.
    pub attributes: Vec<(String, String)>,
    /// The place of the object.
    pub place: Span,
}

/// An attribute of an object that depends on the state, as specified in a VisB file.
#[derive(Clone, Debug)]
pub struct VisbItem {
    /// The id of the object.
    pub id: String,
    /// The attribute.
    pub attribute: String,
    /// Its value.
    pub value: VisbValue,
    /// The place of the value.
    pub place: Span,
}

/// The value of an attribute.
#[derive(Clone, Debug)]
pub enum VisbValue {
    /// Constant in all states.
    Fixed(String),
    /// That of a formula.
    Formula(Expr),
}

/// Attributes that change while the pointer is on an object.
#[derive(Clone, Debug)]
pub struct VisbHover {
    /// The id of the object that the pointer is on.
    pub id: String,
    /// The id of the object that changes.
    pub changes: String,
    /// The attribute.
    pub attribute: String,
    /// Its temporary value; afterwards the previous one is restored.
    pub enter: String,
}

/// The operation that a click on an object executes.
#[derive(Clone, Debug)]
pub struct VisbEvent {
    /// The id of the object.
    pub id: String,
    /// The operation.
    pub operation: OperationId,
    /// The condition on its parameters.
    pub condition: Option<EventCondition>,
}

/// A predicate about a state and the parameters of an operation.
#[derive(Clone, Debug)]
pub struct EventCondition {
    /// The model whose last variables are the parameters, in their order; it has no operations.
    pub model: Model,
    /// The conjuncts.
    pub predicates: Vec<Pred>,
    /// As written.
    pub text: String,
}

impl PictureDefinitions {
    /// Whether there is nothing to draw.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.layers.is_empty() && self.graph.is_empty() && self.visb.is_empty() && self.svg_file.is_none() && self.visb_objects.is_empty()
    }
}
