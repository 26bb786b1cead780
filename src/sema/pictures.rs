//! The definitions of pictures of states, as ProB names them: `ANIMATION_…`, `CUSTOM_GRAPH…`, `VISB_SVG_…`.
//!
//! They are typed only where a picture is requested.
//! Invariant: an unusable definition is left out with a warning and never stops a command; an unknown suffix means that the definition has
//! been switched off. Deliberately elsewhere: values and drawing (`report`), files of images (`cli`), definitions that bcheck ignores
//! (`settings`).

use super::definitions::{Definitions, Macro};
use super::expand::expanded;
use super::formula::{Formula, FormulaContext, Macros, analyse_formula};
use super::types::type_text;
use super::visb::{VisbFile, read_files};
use bcheck_ir::{
    Expr, GraphDefinition, GraphPart, GridLayer, GridShape, ImageReference, Justification, Model, PictureDefinitions, Scope, Type,
    VisbDefinition, VisbPart,
};
use bcheck_source::{Code, Diagnostic, Severity};
use bcheck_syntax::ast::{Constant, DefinitionBody, ExprKind};

/// The definitions of pictures of a machine.
#[derive(Debug)]
pub struct Pictures {
    /// Their contents.
    pub definitions: PictureDefinitions,
    /// The machine's model with the names that they bind: they are to be evaluated over this one.
    pub model: Model,
    /// A warning for each definition that is left out.
    pub warnings: Vec<Diagnostic>,
}

/// The VisB file that definitions name.
#[must_use]
pub fn visb_file_of(macros: &Macros) -> Option<ImageReference> {
    let definitions = Definitions::collect(macros.definitions(), &mut Vec::new());
    let found = definitions.iter().find(|found| found.parameters.is_empty() && Role::of(&found.name.text) == Some(Role::JsonFile))?;
    match expanded(&definitions, found).map(|body| body.kind) {
        // No file: everything is in definitions.
        Some(ExprKind::String(path)) => (!path.trim().is_empty()).then_some(ImageReference { path, place: found.name.span }),
        _ => None,
    }
}

/// Reads and types the definitions of pictures, and the VisB files, of which included ones come first.
#[must_use]
pub fn read_pictures(model: &Model, scope: &Scope, macros: &Macros, files: &[VisbFile]) -> Pictures {
    let definitions = Definitions::collect(macros.definitions(), &mut Vec::new());
    let found = PictureDefinitions::default();
    let mut reader =
        PictureReader { macros, scope, definitions: &definitions, found, ranks: Vec::new(), model: model.clone(), warnings: Vec::new() };
    for found in definitions.iter().filter(|found| found.parameters.is_empty()) {
        if let Some(role) = Role::of(&found.name.text) {
            reader.read(role, found);
        }
    }
    let mut pictures = reader.finish();
    let (model, warnings) = read_files(files, (pictures.model, scope, macros), &mut pictures.definitions);
    pictures.warnings.extend(warnings);
    Pictures { model, ..pictures }
}

/// Whether a definition of this name is about pictures.
pub(super) fn is_read(name: &str) -> bool {
    Role::of(name).is_some()
}

/// The purpose of a definition, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// A layer of the grid, by its rank.
    Layer(u64),
    Image(i64),
    Text(i64),
    Justify(Justification, Option<i64>),
    Graph(GraphPart),
    Visb(VisbPart),
    SvgFile,
    JsonFile,
}

impl Role {
    fn of(name: &str) -> Option<Self> {
        let number = |digits: &str| digits.parse::<u32>().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()));
        let numbered = |prefix: &str| name.strip_prefix(prefix).and_then(number);
        // With or without a number.
        let part = |prefix: &str| name.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || number(rest).is_some());
        // Before the texts, whose prefix is the beginning of this one.
        if let Some(rest) = name.strip_prefix("ANIMATION_STR_JUSTIFY_") {
            let (side, rest) = match (rest.strip_prefix("LEFT"), rest.strip_prefix("RIGHT")) {
                (Some(rest), _) => (Justification::Left, rest),
                (_, Some(rest)) => (Justification::Right, rest),
                _ => return None,
            };
            return match rest {
                "" => Some(Self::Justify(side, None)),
                rest => number(rest.strip_prefix('_').unwrap_or(rest)).map(|number| Self::Justify(side, Some(number.into()))),
            };
        }
        match name {
            // The default lies below all others, and the function without a number below those with one.
            "ANIMATION_FUNCTION_DEFAULT" => Some(Self::Layer(0)),
            "ANIMATION_FUNCTION" => Some(Self::Layer(1)),
            "VISB_SVG_BOX" => Some(Self::Visb(VisbPart::Frame)),
            "VISB_SVG_FILE" => Some(Self::SvgFile),
            "VISB_JSON_FILE" => Some(Self::JsonFile),
            // Records of one set have the same fields, so there are several definitions, with any words behind.
            _ if name.starts_with("VISB_SVG_OBJECTS") => Some(Self::Visb(VisbPart::Objects)),
            _ if name.starts_with("VISB_SVG_UPDATES") => Some(Self::Visb(VisbPart::Updates)),
            _ if name.starts_with("VISB_SVG_HOVERS") => Some(Self::Visb(VisbPart::Hovers)),
            _ if name.starts_with("VISB_SVG_EVENTS") => Some(Self::Visb(VisbPart::Events)),
            "CUSTOM_GRAPH" => Some(Self::Graph(GraphPart::Whole)),
            _ if part("CUSTOM_GRAPH_NODES") => Some(Self::Graph(GraphPart::Nodes)),
            _ if part("CUSTOM_GRAPH_EDGES") => Some(Self::Graph(GraphPart::Edges)),
            _ => (numbered("ANIMATION_FUNCTION").map(|number| Self::Layer(u64::from(number) + 2)))
                .or_else(|| numbered("ANIMATION_IMG").map(|number| Self::Image(number.into())))
                .or_else(|| numbered("ANIMATION_STR").map(|number| Self::Text(number.into()))),
        }
    }
}

/// One pass over the definitions.
struct PictureReader<'r, 'a> {
    macros: &'r Macros,
    scope: &'r Scope,
    definitions: &'r Definitions<'a>,
    found: PictureDefinitions,
    /// The rank of each layer found.
    ranks: Vec<u64>,
    model: Model,
    warnings: Vec<Diagnostic>,
}

impl PictureReader<'_, '_> {
    fn read(&mut self, role: Role, found: Macro<'_>) {
        match role {
            Role::Layer(rank) => self.layer(rank, found),
            Role::Image(number) => {
                if let Some(path) = self.string(found) {
                    self.found.images.insert(number, ImageReference { path, place: found.name.span });
                }
            }
            Role::Text(number) => {
                if let Some(text) = self.string(found) {
                    self.found.texts.insert(number, text);
                }
            }
            Role::Justify(side, number) => match expanded(self.definitions, found).map(|body| body.kind) {
                Some(ExprKind::Constant(Constant::True)) => {
                    self.found.justified.insert(number, side);
                }
                Some(ExprKind::Constant(Constant::False)) => {}
                _ => self.leave_out(found, "it is neither TRUE nor FALSE", "TRUE is expected"),
            },
            Role::Visb(part) => {
                if let Some(expr) = self.typed(found) {
                    let (name, place) = (found.name.text.clone(), found.name.span);
                    self.found.visb.push(VisbDefinition { name, place, expr, part });
                }
            }
            Role::SvgFile => {
                if let Some(path) = self.string(found) {
                    self.found.svg_file = Some(ImageReference { path, place: found.name.span });
                }
            }
            // Read before, by code that can read files.
            Role::JsonFile => drop(self.string(found)),
            Role::Graph(part) => {
                if let Some(expr) = self.typed(found) {
                    let (name, place) = (found.name.text.clone(), found.name.span);
                    self.found.graph.push(GraphDefinition { name, place, expr, part });
                }
            }
        }
    }

    fn layer(&mut self, rank: u64, found: Macro<'_>) {
        let Some(expr) = self.typed(found) else { return };
        let Some(shape) = shape(&expr.ty) else {
            let text = type_text(&self.model, &expr.ty);
            self.leave_out(found, &format!("its type is {text}"), "a function from (row, column) to contents is expected");
            return;
        };
        let (name, place) = (found.name.text.clone(), found.name.span);
        self.found.layers.push(GridLayer { name, place, expr, shape });
        self.ranks.push(rank);
    }

    /// The typed body of a definition.
    fn typed(&mut self, found: Macro<'_>) -> Option<Expr> {
        let DefinitionBody::Expr(body) = found.body else {
            self.leave_out(found, "it is no expression", "an expression is expected");
            return None;
        };
        let context = FormulaContext { model: Some(&self.model), scope: Some(self.scope), ..FormulaContext::default() };
        match analyse_formula(body, context, self.macros) {
            Ok((Formula::Expr(expr), model)) => {
                self.model = model;
                Some(expr)
            }
            Ok((Formula::Pred(_), _)) => {
                self.leave_out(found, "it is a predicate", "an expression is expected");
                None
            }
            Err(list) => {
                // Errors after the first may be its consequences.
                if let Some(error) = list.into_iter().find(|one| one.severity == Severity::Error) {
                    let (span, text) = error.labels.first().map_or((error.span(), String::new()), |label| (label.span, label.text.clone()));
                    let text = if text.is_empty() { error.title.clone() } else { text };
                    let mut warning = left_out(found, &error.title).also(span, text);
                    warning.help.extend(error.help);
                    self.warnings.push(warning);
                }
                None
            }
        }
    }

    /// The string that a definition is.
    fn string(&mut self, found: Macro<'_>) -> Option<String> {
        match expanded(self.definitions, found).map(|body| body.kind) {
            Some(ExprKind::String(text)) => Some(text),
            _ => {
                self.leave_out(found, "it is no string", "a string is expected");
                None
            }
        }
    }

    fn leave_out(&mut self, found: Macro<'_>, why: &str, expected: &str) {
        self.warnings.push(left_out(found, why).label(expected));
    }

    fn finish(mut self) -> Pictures {
        let mut order: Vec<usize> = (0..self.ranks.len()).collect();
        // Stable, although ranks are distinct unless a number is written with zeros in front.
        order.sort_by_key(|&index| self.ranks[index]);
        self.found.layers = order.into_iter().map(|index| self.found.layers[index].clone()).collect();
        self.found.graph.sort_by(|one, other| one.name.cmp(&other.name));
        // Objects before their updates.
        self.found.visb.sort_by(|one, other| (one.part, &one.name).cmp(&(other.part, &other.name)));
        Pictures { definitions: self.found, model: self.model, warnings: self.warnings }
    }
}

fn left_out(found: Macro<'_>, why: &str) -> Diagnostic {
    Diagnostic::warning(Code::LeftOutOfPictures, found.name.span, format!("{} is left out of pictures: {why}", found.name.text))
}

/// How a type represents places, if it is that of a function from places.
fn shape(ty: &Type) -> Option<GridShape> {
    let Type::Pair(first, second) = ty.element()? else { return None };
    if let Type::Pair(row, column) = &**first {
        return (is_place(row) && is_place(column)).then_some(GridShape::Pairs);
    }
    let Type::Pair(column, _) = second.element()? else { return None };
    (is_place(first) && is_place(column)).then_some(GridShape::Rows)
}

/// Whether values of a type have a number.
fn is_place(ty: &Type) -> bool {
    matches!(ty, Type::Integer | Type::Bool | Type::Given(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_a_definition_is_for() {
        for (name, role) in [
            ("ANIMATION_FUNCTION_DEFAULT", Some(Role::Layer(0))),
            ("ANIMATION_FUNCTION", Some(Role::Layer(1))),
            ("ANIMATION_FUNCTION0", Some(Role::Layer(2))),
            ("ANIMATION_FUNCTION12", Some(Role::Layer(14))),
            ("ANIMATION_FUNCTION_OLD", None),
            ("ANIMATION_FUNCTION+1", None),
            ("ANIMATION_IMG0", Some(Role::Image(0))),
            ("ANIMATION_STR7", Some(Role::Text(7))),
            ("ANIMATION_STR_JUSTIFY_LEFT", Some(Role::Justify(Justification::Left, None))),
            ("ANIMATION_STR_JUSTIFY_RIGHT_3", Some(Role::Justify(Justification::Right, Some(3)))),
            ("ANIMATION_RIGHT_CLICK", None),
            ("CUSTOM_GRAPH", Some(Role::Graph(GraphPart::Whole))),
            ("CUSTOM_GRAPH_NODES", Some(Role::Graph(GraphPart::Nodes))),
            ("CUSTOM_GRAPH_EDGES2", Some(Role::Graph(GraphPart::Edges))),
            ("CUSTOM_GRAPH_EDGESerr", None),
            ("VISB_SVG_OBJECTS_ARROW", Some(Role::Visb(VisbPart::Objects))),
            ("VISB_SVG_BOX", Some(Role::Visb(VisbPart::Frame))),
            ("VISB_SVG_EVENTS2", Some(Role::Visb(VisbPart::Events))),
            ("VISB_SVG_HOVERS", Some(Role::Visb(VisbPart::Hovers))),
            ("VISB_JSON_FILE", Some(Role::JsonFile)),
            ("VISB_SVG_CONTENTS", None),
        ] {
            assert_eq!(Role::of(name), role, "{name}");
        }
    }
}
