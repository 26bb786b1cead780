//! Pictures of states, by the machine's own definitions: for a state, as text, as SVG, and of a whole run.
//!
//! Invariant: every cell of a definition's value is in the picture or in a remark, and no definition makes a report fail: a definition
//! without a value in a state is left out there, with a remark. Contents of the machine (texts, images) are data: escaped by `markup!`,
//! images as `data:`. Deliberately elsewhere: how definitions are read (`sema`), files (`cli`), where a picture is placed in a page
//! (`html`).

mod album;
mod bounds;
mod chips;
mod custom_graph;
mod drawn_grid;
mod events;
mod grid;
mod image_file;
mod plain_grid;
mod svg_lists;
mod visb;
mod visb_layer;

pub use album::note;
pub use album::{Strip, strip};
pub use bounds::NotDrawn;
pub use events::{PictureEvent, ReadCondition};
pub use image_file::ImageFile;

use self::chips::Chips;
use self::custom_graph::CustomGraph;
use self::grid::{CellContent, PictureCell, PictureGrid, Placed};
use self::visb::VisbPicture;
use self::visb_layer::VisbLayer;
use super::layout::{self, LaidOut};
use super::markup::{Markup, markup};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bcheck_eval::{CompiledExpr, EvalErrorKind, Machine};
use bcheck_explore::TraceStep;
use bcheck_ir::{GraphPart, PictureDefinitions};
use bcheck_source::{Code, Diagnostic, Shown, Span, shown};
use bcheck_value::display::display;
use bcheck_value::{Valuation, Value};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicUsize;

/// The style sheet of pictures of states.
pub(super) const STYLE: &str = include_str!("picture.css");

/// Where a picture is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    /// In a page, whose script obeys hovers.
    Page,
    /// By itself.
    Svg,
    /// As pixels.
    Pixels,
}

/// The existing files that definitions name, and the reader of formulas in values.
pub struct PictureFiles {
    /// Images by their numbers.
    pub images: BTreeMap<i64, ImageFile>,
    /// The text of the SVG file.
    pub svg: Option<String>,
    /// Reads predicates of events.
    pub conditions: ReadCondition,
}

/// Draws states of a machine.
#[derive(Debug)]
pub struct Painter {
    machine: Machine,
    definitions: PictureDefinitions,
    /// The compiled bodies of the layers, in their order.
    layers: Vec<CompiledExpr>,
    /// The compiled bodies of `CUSTOM_GRAPH…`, in their order.
    graph: Vec<CompiledExpr>,
    /// VisB's files and `VISB_SVG_…`.
    visb: VisbLayer,
    /// Whether states are drawn that no definition is about.
    draws_all: bool,
    /// Images whose files exist, by their numbers.
    images: BTreeMap<i64, ImageFile>,
    /// The prefix of ids, as several machines may be drawn in one page.
    name: String,
    /// The parts that were drawn since the file was begun.
    drawn: AtomicUsize,
}

/// The picture of a state.
#[derive(Clone, Debug, Default)]
pub struct StatePicture {
    /// The grid of `ANIMATION_FUNCTION…`.
    grid: Option<PictureGrid>,
    /// The graph of `CUSTOM_GRAPH…`.
    graph: Option<CustomGraph>,
    /// The objects of `VISB_SVG_…`.
    visb: Option<VisbPicture>,
    /// The events of its objects.
    pub events: Vec<PictureEvent>,
    /// The values of a state that no definition draws.
    chips: Option<Valuation>,
    /// A warning for each definition, or part of one, that is left out here.
    pub remarks: Vec<Diagnostic>,
}

impl Painter {
    /// Compiles definitions over a machine whose model has the names that they bind. With `draws_all`, states that no definition concerns
    /// are drawn as well. An unreadable SVG file is a warning.
    pub fn new(
        machine: Machine,
        definitions: PictureDefinitions,
        files: PictureFiles,
        (draws_all, name): (bool, &str),
    ) -> (Self, Vec<Diagnostic>) {
        let (visb, faults) = VisbLayer::new(&machine, &definitions, files.svg.as_deref(), files.conditions);
        let layers = definitions.layers.iter().map(|layer| machine.compile_expr(&layer.expr)).collect();
        let graph = definitions.graph.iter().map(|definition| machine.compile_expr(&definition.expr)).collect();
        (
            Self {
                machine,
                definitions,
                layers,
                graph,
                visb,
                draws_all,
                images: files.images,
                name: name.to_owned(),
                drawn: AtomicUsize::new(0),
            },
            faults,
        )
    }

    /// The machine that evaluates them, which has a separate interrupt flag.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Whether the machine defines how its states are drawn.
    pub(crate) fn has_definitions(&self) -> bool {
        !self.definitions.is_empty()
    }

    /// Whether a definition has a textual form: a grid, a graph, or objects with events.
    pub fn draws_text(&self) -> bool {
        !self.layers.is_empty() || !self.graph.is_empty() || self.visb.has_events()
    }

    /// The picture of a state, from which a run continues with a step; `None` if it is not initialised.
    pub fn picture(&self, state: &[Value], next: Option<&TraceStep>) -> Option<StatePicture> {
        let model = self.machine.model();
        if state.len() < model.constants.len() + model.variables.len() {
            return None;
        }
        let mut picture = StatePicture::default();
        if self.has_definitions() {
            self.fill_grid(&mut picture, state);
            self.fill_graph(&mut picture, state);
            self.visb.fill(&self.machine, &mut picture, (state, next));
        } else if self.draws_all && !state.is_empty() {
            picture.chips = Some(state.to_vec());
        }
        (picture.is_drawn() || !picture.remarks.is_empty()).then_some(picture)
    }

    /// The cells of `ANIMATION_FUNCTION…`.
    fn fill_grid(&self, picture: &mut StatePicture, state: &[Value]) {
        let mut cells = BTreeMap::new();
        for (layer, plan) in self.definitions.layers.iter().zip(&self.layers) {
            let mut remark = |place, why: String| picture.leave_out(&layer.name, (place, layer.place), &why);
            let placed = match plan.evaluate(state) {
                // The interrupt of an evaluation also stops the drawing, which reports why.
                Err(error) if error.kind == EvalErrorKind::Interrupted => return,
                Ok(value) => grid::placed(&value, layer.shape).map_err(|why| (layer.place, why)),
                Err(error) => Err((error.span, error.kind.to_string())),
            };
            match placed {
                Ok(Placed { values, unplaced, contradicted }) => {
                    // Later layers override earlier ones.
                    cells.extend(values.iter().map(|(place, value)| (*place, self.cell(value, &layer.name))));
                    if let Some(value) = unplaced {
                        remark(layer.place, format!("{} has no row or column", display(&value, self.machine.model())));
                    }
                    if let Some((row, column)) = contradicted {
                        remark(layer.place, format!("row {row}, column {column} has several values, of which the least is drawn"));
                    }
                }
                Err((place, why)) => remark(place, why),
            }
        }
        match PictureGrid::of(cells) {
            Ok(grid) => picture.grid = grid,
            Err(why) => {
                let place = self.definitions.layers.first().map_or_else(Span::nowhere, |layer| layer.place);
                picture.leave_out("ANIMATION_FUNCTION", (place, place), &why);
            }
        }
    }

    /// The nodes and edges of `CUSTOM_GRAPH…`.
    fn fill_graph(&self, picture: &mut StatePicture, state: &[Value]) {
        let mut graph = CustomGraph::default();
        let parts = || self.definitions.graph.iter().zip(&self.graph);
        // Nodes before edges: whether a pair is a node decides how edges are read.
        let (edges, nodes): (Vec<_>, Vec<_>) = parts().partition(|(definition, _)| definition.part == GraphPart::Edges);
        for (definition, plan) in nodes.into_iter().chain(edges) {
            let added = match plan.evaluate(state) {
                Err(error) if error.kind == EvalErrorKind::Interrupted => return,
                Ok(value) => graph.add(definition.part, &value).map_err(|why| (definition.place, why)),
                Err(error) => Err((error.span, error.kind.to_string())),
            };
            if let Err((place, why)) = added {
                picture.leave_out(&definition.name, (place, definition.place), &why);
            }
        }
        if let Some(why) = graph.too_large() {
            let place = self.definitions.graph.first().map_or_else(Span::nowhere, |definition| definition.place);
            picture.leave_out("CUSTOM_GRAPH", (place, place), &why);
        } else if !graph.is_empty() {
            picture.graph = Some(graph);
        }
    }

    /// The content of the cell for a value.
    fn cell(&self, value: &Value, layer: &str) -> PictureCell {
        let number = grid::number(value);
        let definitions = &self.definitions;
        let content = match number {
            Some(number) if definitions.images.contains_key(&number) => CellContent::Image(number),
            Some(number) if definitions.texts.contains_key(&number) => CellContent::Text(definitions.texts[&number].clone()),
            _ => match value {
                Value::String(text) => CellContent::Text(text.to_string()),
                other => CellContent::Value(display(other, self.machine.model())),
            },
        };
        // The setting for this text takes precedence over that for all texts.
        let justified = number.and_then(|number| definitions.justified.get(&Some(number))).or_else(|| definitions.justified.get(&None));
        PictureCell { content, justification: justified.copied().unwrap_or_default(), layer: layer.to_owned() }
    }

    /// The name of an image: that of its file, without folders and ending.
    fn image_name(&self, number: i64) -> &str {
        let path = self.definitions.images.get(&number).map(|image| image.path.as_str()).unwrap_or_default();
        let file = path.rsplit(['/', '\\']).next().unwrap_or_default();
        file.rsplit_once('.').map_or(file, |(stem, _)| stem)
    }

    /// Resources that a page or picture needs once: each image, referenced by its number.
    pub(super) fn resources(&self, medium: Medium) -> Markup {
        let images: Markup = self
            .images
            .iter()
            .filter(|(_, image)| medium.draws(image))
            .map(|(number, image)| {
                let data = format!("data:{};base64,{}", image.media, BASE64_STANDARD.encode(&image.bytes));
                markup!(
                    "<image id=\"{}image{}\" width=\"{}\" height=\"{}\" href=\"{}\"/>\n",
                    self.name,
                    number,
                    drawn_grid::TILE,
                    drawn_grid::TILE,
                    data
                )
            })
            .collect();
        if images.is_empty() { images } else { markup!("<defs>\n{}</defs>\n", images) }
    }

    /// The styles of pictures by themselves.
    fn styles() -> Markup {
        Markup::style(STYLE) + Markup::style(layout::STYLE)
    }

    /// The drawing of a state. The name distinguishes it from other pictures of the page.
    fn drawn(&self, picture: &StatePicture, name: &str, medium: Medium) -> Option<Drawn> {
        let model = self.machine.model();
        let grid = picture.grid.as_ref().map(|grid| drawn_grid::draw(self, grid, medium));
        let graph = picture.graph.as_ref().map(|graph| {
            let LaidOut { content, frame: (left, top, width, height) } = graph.draw(model, name);
            let content = markup!("<g class=\"graph\" transform=\"translate({:.0} {:.0})\">\n{}</g>\n", -left, -top, content);
            Drawn { content, width, height }
        });
        let visb = picture.visb.as_ref().map(|objects| objects.draw((name, medium), &picture.events, model));
        let chips = picture.chips.as_ref().map(|state| Chips { model, scope: self.machine.scope() }.draw(state));
        // One below the other.
        [visb, grid, graph, chips].into_iter().flatten().reduce(|above, below| Drawn {
            content: above.content + markup!("<g transform=\"translate(0 {:.1})\">\n{}</g>\n", above.height, below.content),
            width: above.width.max(below.width),
            height: above.height + below.height,
        })
    }

    /// The picture as an element of a page that has the style sheets and the resources.
    pub(super) fn element(&self, picture: &StatePicture, step: usize) -> Markup {
        let Some(drawn) = self.drawn(picture, &format!("{}step{step}", self.name), Medium::Page) else { return Markup::new() };
        markup!(
            "<svg class=\"state-picture\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0} {:.0}\" width=\"{:.0}\" height=\"{:.0}\" \
             role=\"img\" aria-label=\"picture of the state after step {}\">\n{}</svg>\n",
            drawn.width,
            drawn.height,
            drawn.width,
            drawn.height,
            step,
            drawn.content
        )
    }

    /// The picture as lines of text; nothing of a state that no definition draws.
    pub fn text(&self, picture: &StatePicture) -> Shown {
        let grid = picture.grid.as_ref().map(|grid| plain_grid::text(self, grid)).unwrap_or_default();
        let graph = picture.graph.as_ref().map(|graph| graph.lines(self.machine.model())).unwrap_or_default();
        grid + graph.iter().map(|line| shown!("  {}\n", line)).collect::<Shown>()
    }
}

impl Medium {
    /// Whether an image is drawn here, not a tile.
    fn draws(self, image: &ImageFile) -> bool {
        // A browser limits the cost of an SVG picture itself.
        self != Self::Pixels || image.is_raster()
    }
}

impl StatePicture {
    fn is_drawn(&self) -> bool {
        self.grid.is_some() || self.graph.is_some() || self.visb.is_some() || self.chips.is_some()
    }

    /// Records an omission, with the place of the fault and that of the definition.
    fn leave_out(&mut self, name: &str, (fault, definition): (Span, Span), why: &str) {
        let remark = Diagnostic::warning(Code::LeftOutOfPictures, fault, format!("{name} is left out of the picture: {why}"));
        self.remarks.push(if fault == definition { remark } else { remark.also(definition, "this definition") });
    }
}

/// A part of a picture with its size.
struct Drawn {
    content: Markup,
    width: f64,
    height: f64,
}
