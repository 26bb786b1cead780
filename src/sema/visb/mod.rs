//! VisB's JSON files: objects, attributes that depend on the state, hovers and events, typed like the machine's definitions.
//!
//! Invariant: an unusable entry is left out with a warning at its place in the file, and never stops a command. Included files come first,
//! so that their entries are overridden by the files that include them. Deliberately elsewhere: reading the files (`cli`), JSON
//! (`syntax`), values and drawing (`report`).

mod events;
mod rounds;

pub use events::ConditionReader;

use self::rounds::{MOST_ROUNDS, Round, filled, rounds, scalar};
use super::arithmetic;
use super::formula::{Formula, FormulaContext, Macros, analyse_formula};
use bcheck_ir::{
    Expr, ExprKind, ImageReference, Model, PictureDefinitions, Scope, Type, VisbEvent, VisbHover, VisbItem, VisbObject, VisbValue,
};
use bcheck_source::{Code, Diagnostic, FileId, Span, has_errors};
use bcheck_syntax::ast::Name;
use bcheck_syntax::{Anchor, JsonKind, JsonText, JsonTree, parse_formula_at};
use indexmap::IndexMap;

/// Keys of an item that are not attributes.
const KEYS_OF_ITEMS: &[&str] = &["id", "attr", "value", "repeat", "for", "ignore", "optional", "override", "comment", "description"];
/// Keys of an object that are not attributes.
const KEYS_OF_OBJECTS: &[&str] = &["id", "svg_class", "repeat", "for", "ignore", "optional", "override", "comment", "description"];
/// Attributes that are numbers: an object may compute them.
const NUMBERS: &[&str] =
    &["cx", "cy", "dx", "dy", "font-size", "height", "r", "rx", "ry", "stroke-width", "width", "x", "x1", "x2", "y", "y1", "y2"];

/// A VisB file as read.
#[derive(Debug)]
pub struct VisbFile {
    /// Its content.
    pub tree: JsonTree,
    /// Its folder, below that of the machine.
    pub folder: String,
}

/// Why a part of a file is left out.
struct VisbFault {
    place: Span,
    why: String,
    label: String,
    help: Vec<String>,
}

/// Reads files in their order into definitions; returns the model with the names that they bind, and what is left out.
pub(super) fn read_files(
    files: &[VisbFile],
    (model, scope, macros): (Model, &Scope, &Macros),
    found: &mut PictureDefinitions,
) -> (Model, Vec<Diagnostic>) {
    let mut reader = VisbReader { scope, macros: macros.clone(), model, found, known: IndexMap::new(), rounds: 0, warnings: Vec::new() };
    // Definitions of all files first: a file may use those of the file that includes it.
    files.iter().for_each(|file| reader.definitions(&file.tree));
    files.iter().for_each(|file| reader.file(file));
    // That of the file that includes the others.
    if let Some(svg) = files.last().and_then(svg_of).filter(|_| reader.found.svg_file.is_none()) {
        reader.found.svg_file = Some(svg);
    }
    (reader.model, reader.warnings)
}

/// The picture that a file names.
fn svg_of(file: &VisbFile) -> Option<ImageReference> {
    let value = file.tree.get("svg")?;
    let text = &value.as_text()?.text;
    let path = if file.folder.is_empty() { text.clone() } else { format!("{}/{text}", file.folder) };
    (!text.trim().is_empty()).then_some(ImageReference { path, place: value.span })
}

/// One pass over the files.
struct VisbReader<'r> {
    scope: &'r Scope,
    /// Those of the machine and of the files.
    macros: Macros,
    model: Model,
    found: &'r mut PictureDefinitions,
    /// Which item an attribute of an id has, and in which file.
    known: IndexMap<(String, String), (usize, FileId)>,
    /// Objects, items and events so far.
    rounds: usize,
    warnings: Vec<Diagnostic>,
}

impl VisbReader<'_> {
    fn leave_out(&mut self, what: &str, fault: VisbFault) {
        let title = format!("{what} is left out of pictures: {}", fault.why);
        let mut warning = Diagnostic::warning(Code::LeftOutOfPictures, fault.place, title).label(fault.label);
        warning.help = fault.help;
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    fn refuse(&mut self, what: &str, place: Span, why: &str, help: &str) {
        self.leave_out(what, VisbFault { place, why: why.to_owned(), label: String::new(), help: vec![help.to_owned()] });
    }

    /// The entries of a list that are not to be ignored.
    fn entries<'t>(&mut self, tree: &'t JsonTree, key: &str) -> Vec<&'t JsonTree> {
        let help = format!("write \"{key}\": [ {{…}}, {{…}} ]");
        let entries = match tree.get(key).map(|list| (&list.kind, list.span)) {
            None => return Vec::new(),
            Some((JsonKind::List(entries), _)) => entries,
            Some((_, place)) => {
                self.refuse(&format!("`{key}`"), place, "it is no list", &help);
                return Vec::new();
            }
        };
        let mut objects = Vec::new();
        for entry in entries {
            match &entry.kind {
                JsonKind::Object(_) if entry.get("ignore").is_some() => {}
                JsonKind::Object(_) => objects.push(entry),
                _ => self.refuse(&format!("an entry of `{key}`"), entry.span, "it is no object", &help),
            }
        }
        objects
    }

    fn definitions(&mut self, tree: &JsonTree) {
        for entry in self.entries(tree, "definitions") {
            let (name, value) = (entry.get("name"), entry.get("value"));
            let Some((name, value)) = name.and_then(JsonTree::as_text).zip(value.and_then(JsonTree::as_text)) else {
                self.refuse("a definition", entry.span, "it has no name or no value", "write {\"name\": \"d\", \"value\": \"FORMULA\"}");
                continue;
            };
            let parsed = parse_formula_at(&value.anchor, &value.text);
            if has_errors(&parsed.diagnostics) {
                let place = value.anchor.span(0, value.text.len());
                self.leave_out(&format!("the definition `{}`", name.text), VisbFault::of(parsed.diagnostics, place));
                continue;
            }
            let place = name.anchor.span(0, name.text.len());
            self.macros.define(Name { text: name.text.clone(), span: place }, parsed.tree);
        }
    }

    fn file(&mut self, file: &VisbFile) {
        let tree = &file.tree;
        if !matches!(tree.kind, JsonKind::Object(_)) {
            let help = "write { \"svg\": \"FILE.svg\", \"items\": […], \"events\": […] }";
            return self.refuse("the file", tree.span, "it is no object with items", help);
        }
        if let Some(name) = tree.get("model-name").and_then(JsonTree::as_text).filter(|name| name.text != self.model.name) {
            let title = format!("this VisB file is for the machine `{}`, and this one is `{}`", name.text, self.model.name);
            let warning = Diagnostic::warning(Code::LeftOutOfPictures, name.anchor.span(0, name.text.len()), title);
            self.warnings.push(warning.help("change model-name, or leave it out"));
        }
        self.each_round(tree, ("svg_objects", "an object"), Self::object);
        self.each_round(tree, ("items", "an item"), Self::item);
        self.each_round(tree, ("events", "an event"), Self::event);
    }

    /// Reads each entry of a list as often as it counts, until the first fault of it.
    fn each_round(
        &mut self,
        tree: &JsonTree,
        (key, what): (&str, &str),
        read: impl Fn(&mut Self, &JsonTree, &Round) -> Result<(), (String, VisbFault)>,
    ) {
        for entry in self.entries(tree, key) {
            let rounds = match rounds(entry) {
                Ok(rounds) => rounds,
                Err((place, why, help)) => {
                    self.refuse(what, place, &why, help);
                    continue;
                }
            };
            self.rounds += rounds.len();
            if self.rounds > MOST_ROUNDS {
                let why = format!("there are more than {MOST_ROUNDS} objects, items and events");
                return self.refuse(what, entry.span, &why, "one formula for a set of records (VISB_SVG_UPDATES) is evaluated once");
            }
            let is_optional = entry.get("optional").is_some_and(|value| {
                matches!(value.kind, JsonKind::Bool(true)) || value.as_text().is_some_and(|text| text.text.eq_ignore_ascii_case("true"))
            });
            for round in &rounds {
                if let Err((what, fault)) = read(self, entry, round) {
                    if !is_optional {
                        self.leave_out(&what, fault);
                    }
                    break;
                }
            }
        }
    }

    fn object(&mut self, entry: &JsonTree, round: &Round) -> Result<(), (String, VisbFault)> {
        let Some(class) = entry.get("svg_class").and_then(JsonTree::as_text) else {
            return Err(missing("an object", entry, "svg_class", "write \"svg_class\": \"circle\""));
        };
        let class = filled(class, round).1;
        let id = entry.get("id").and_then(|id| text_of(id, round));
        let attributes = keys_of(entry, KEYS_OF_OBJECTS).filter_map(|(key, value)| {
            let text = text_of(value, round)?;
            let is_number = NUMBERS.contains(&key.text.replace('_', "-").as_str());
            Some((key.text.clone(), if is_number { computed(&text).unwrap_or(text) } else { text }))
        });
        self.found.visb_objects.push(VisbObject { class, id, attributes: attributes.collect(), place: entry.span });
        Ok(())
    }

    fn item(&mut self, entry: &JsonTree, round: &Round) -> Result<(), (String, VisbFault)> {
        let Some(id) = entry.get("id").and_then(|id| text_of(id, round)) else {
            return Err(missing("an item", entry, "id", "write the id of an object: \"id\": \"button\""));
        };
        // The old form has one attribute, the new one any number of keys.
        if let Some(attribute) = entry.get("attr").and_then(|attribute| text_of(attribute, round)) {
            let Some(value) = entry.get("value") else {
                let what = format!("the attribute `{attribute}` of `{id}`");
                return Err(missing(&what, entry, "value", "write a formula: \"value\": \"IF … THEN \\\"red\\\" ELSE \\\"green\\\" END\""));
            };
            self.attribute((&id, attribute), value, (entry, round))?;
        }
        for (key, value) in keys_of(entry, KEYS_OF_ITEMS) {
            self.attribute((&id, key.text.clone()), value, (entry, round))?;
        }
        Ok(())
    }

    fn attribute(
        &mut self,
        (id, attribute): (&str, String),
        value: &JsonTree,
        (entry, round): (&JsonTree, &Round),
    ) -> Result<(), (String, VisbFault)> {
        let attribute = attribute.to_ascii_lowercase();
        let what = format!("the attribute `{attribute}` of `{id}`");
        let value_of = self.value(value, round).map_err(|fault| (what.clone(), fault))?;
        let item = VisbItem { id: id.to_owned(), attribute: attribute.clone(), value: value_of, place: value.span };
        let (key, place) = ((id.to_owned(), attribute), value.span);
        let (at, file) = self.known.get(&key).copied().unwrap_or((self.found.visb_items.len(), place.file));
        if at == self.found.visb_items.len() {
            self.found.visb_items.push(item);
        } else {
            let is_meant = entry.get("override").is_some() || file != place.file;
            let before = std::mem::replace(&mut self.found.visb_items[at], item);
            if !is_meant {
                let title = format!("{what} is given once more: the later formula counts");
                let warning = Diagnostic::warning(Code::LeftOutOfPictures, place, title).also(before.place, "this one is left out");
                self.warnings.push(warning.help("leave out one of them, or write \"override\": true in the later item"));
            }
        }
        self.known.insert(key, (at, place.file));
        Ok(())
    }

    fn value(&mut self, value: &JsonTree, round: &Round) -> Result<VisbValue, VisbFault> {
        match &value.kind {
            JsonKind::Number(number) => Ok(VisbValue::Fixed(number.clone())),
            JsonKind::Bool(truth) => Ok(VisbValue::Fixed(if *truth { "TRUE" } else { "FALSE" }.to_owned())),
            JsonKind::Text(text) => {
                let (anchor, text) = filled(text, round);
                // bcheck has no real numbers, and a number of SVG may be one.
                if text.trim().parse::<f64>().is_ok_and(f64::is_finite) {
                    return Ok(VisbValue::Fixed(text.trim().to_owned()));
                }
                self.formula(&anchor, &text).map(VisbValue::Formula)
            }
            JsonKind::Null | JsonKind::List(_) | JsonKind::Object(_) => Err(VisbFault {
                place: value.span,
                why: "it is no formula".to_owned(),
                label: String::new(),
                help: vec!["write a formula of B in double quotes; a string in it has its quotes as \\\"red\\\"".to_owned()],
            }),
        }
    }

    /// A formula; for a predicate, `bool` of it.
    fn formula(&mut self, anchor: &Anchor, text: &str) -> Result<Expr, VisbFault> {
        let place = anchor.span(0, text.len());
        let parsed = parse_formula_at(anchor, text);
        if has_errors(&parsed.diagnostics) {
            return Err(VisbFault::of(parsed.diagnostics, place));
        }
        let context = FormulaContext { model: Some(&self.model), scope: Some(self.scope), ..FormulaContext::default() };
        let analysed = analyse_formula(&parsed.tree, context, &self.macros).map_err(|list| VisbFault::of(list, place));
        let (formula, model) = analysed.map_err(|fault| with_quotes(fault, text))?;
        self.model = model;
        Ok(match formula {
            Formula::Expr(expr) => expr,
            Formula::Pred(pred) => Expr { span: pred.span, ty: Type::Bool, kind: ExprKind::BoolOf(Box::new(pred)) },
        })
    }

    fn event(&mut self, entry: &JsonTree, round: &Round) -> Result<(), (String, VisbFault)> {
        let Some(id) = entry.get("id").and_then(|id| text_of(id, round)) else {
            return Err(missing("an event", entry, "id", "write the id of an object: \"id\": \"button\""));
        };
        let what = format!("the event of `{id}`");
        if let Some(hovers) = entry.get("hovers") {
            self.hovers((&id, &what), hovers, round)?;
        }
        let name = entry.get("event");
        let Some((operation, place)) = name.and_then(|name| Some((text_of(name, round)?, name.span))).filter(|(name, _)| !name.is_empty())
        else {
            return Ok(());
        };
        let operation = events::operation_of(&self.model, &operation, place).map_err(|fault| (what.clone(), fault))?;
        let predicates = ["predicates", "predicate"].iter().filter_map(|key| entry.get(key)).flat_map(|value| match &value.kind {
            JsonKind::List(items) => items.iter().collect(),
            _ => vec![value],
        });
        let predicates: Vec<(Anchor, String)> =
            predicates.filter_map(JsonTree::as_text).map(|text| filled(text, round)).filter(|(_, text)| !text.trim().is_empty()).collect();
        let context = (&self.model, self.scope, &self.macros);
        let condition = (!predicates.is_empty()).then(|| events::condition(context, operation, &predicates)).transpose();
        let condition = condition.map_err(|fault| (what, fault))?;
        self.found.visb_events.push(VisbEvent { id, operation, condition });
        Ok(())
    }

    fn hovers(&mut self, (id, what): (&str, &str), hovers: &JsonTree, round: &Round) -> Result<(), (String, VisbFault)> {
        const EXPECTED: &str = "write \"hovers\": [ {\"attr\": \"opacity\", \"enter\": \"0.5\", \"leave\": \"1\"} ]";
        let JsonKind::List(items) = &hovers.kind else { return Err(fault(what, hovers.span, "its hovers are no list", EXPECTED)) };
        for hover in items {
            let text = |key: &str| hover.get(key).and_then(|value| text_of(value, round));
            let Some((attribute, enter)) = text("attr").zip(text("enter")) else {
                return Err(fault(what, hover.span, "a hover has no attr or no enter", EXPECTED));
            };
            let changes = text("id").unwrap_or_else(|| id.to_owned());
            let hover = VisbHover { id: id.to_owned(), changes, attribute, enter };
            self.found.visb_hovers.push(hover);
        }
        Ok(())
    }
}

/// The keys of an entry that are attributes.
fn keys_of<'t>(entry: &'t JsonTree, others: &'t [&'t str]) -> impl Iterator<Item = (&'t JsonText, &'t JsonTree)> {
    let entries = if let JsonKind::Object(entries) = &entry.kind { entries.as_slice() } else { &[] };
    entries.iter().filter(move |(key, _)| !others.contains(&key.text.as_str())).map(|(key, value)| (key, value))
}

/// A text or number, with `%0`, … replaced in a round.
fn text_of(value: &JsonTree, round: &Round) -> Option<String> {
    value.as_text().map(|text| filled(text, round).1).or_else(|| scalar(value))
}

/// The value of arithmetic with whole numbers, such as `10+3*20`.
fn computed(text: &str) -> Option<String> {
    let parsed = parse_formula_at(&Anchor::at(Span::nowhere()), text);
    let value = (!has_errors(&parsed.diagnostics)).then(|| arithmetic::value(&parsed.tree)).flatten();
    value.map(|number| number.to_string())
}

fn fault(what: &str, place: Span, why: &str, help: &str) -> (String, VisbFault) {
    (what.to_owned(), VisbFault { place, why: why.to_owned(), label: String::new(), help: vec![help.to_owned()] })
}

fn missing(what: &str, entry: &JsonTree, key: &str, help: &str) -> (String, VisbFault) {
    fault(what, entry.span, &format!("it has no `{key}`"), help)
}

/// Adds a remedy to a fault of a formula that is a single word, such as a colour.
fn with_quotes(mut fault: VisbFault, text: &str) -> VisbFault {
    if !text.is_empty() && text.chars().all(|letter| letter.is_ascii_alphabetic()) {
        fault.help.push(format!("the value is a formula of B; a string has its own quotes: \"\\\"{text}\\\"\""));
    }
    fault
}
