//! `VISB_SVG_…`: a picture of SVG objects whose attributes depend on the state, as VisB draws them.
//!
//! Invariant: nothing of a machine or its SVG file reaches a page but elements and attributes of the lists in `svg_lists`, whose values
//! refer to nothing outside of the picture; what is not on the lists is left out and named. So there are no scripts, events, style sheets,
//! links or foreign objects. Ids have the name of the picture before them, so that several stand in one page. Deliberately elsewhere:
//! reading the file (`cli`), definitions (`sema`).

use super::events::PictureEvent;
use super::grid::LETTERS_OF_PART;
use super::svg_lists::{ATTRIBUTES, OBJECTS, OTHERS, is_inert, reference};
use super::{Drawn, Medium};
use crate::markup::{Markup, markup};
use bcheck_ir::{Model, VisbPart};
use bcheck_source::Shown;
use bcheck_value::Value;
use bcheck_value::display::display;
use indexmap::IndexMap;
use roxmltree::{Document, Node};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The most elements of a picture, and how deep they nest.
const MOST_ELEMENTS: usize = 5_000;
const DEEPEST: usize = 64;
/// The default side length of a picture, and the longest one.
const SIDE: f64 = 400.0;
const LONGEST_SIDE: f64 = 4_000.0;

/// A picture of objects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct VisbPicture {
    root: SvgElement,
    /// The omissions.
    pub(super) refused: BTreeSet<String>,
    elements: usize,
    /// The ids of its elements.
    ids: BTreeSet<String>,
    /// By the id of the object that the pointer is on.
    hovers: BTreeMap<String, Vec<HoverChange>>,
}

/// An attribute that changes while the pointer is on an object.
#[derive(Clone, Debug, PartialEq, Eq)]
struct HoverChange {
    /// The id of the object that changes.
    of: String,
    attribute: &'static str,
    value: String,
}

/// An element of a picture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct SvgElement {
    name: &'static str,
    id: Option<String>,
    /// The id of the element that it references.
    uses: Option<String>,
    attributes: IndexMap<&'static str, String>,
    content: Vec<SvgContent>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum SvgContent {
    Element(SvgElement),
    Text(String),
}

impl VisbPicture {
    /// The objects of an SVG file.
    pub(super) fn of_file(text: &str) -> Result<Self, String> {
        // A document type could define entities; roxmltree refuses it.
        let document = Document::parse(text).map_err(|error| format!("the SVG file cannot be read: {error}"))?;
        let root = document.root_element();
        if root.tag_name().name() != "svg" {
            return Err("the SVG file has no element svg at its root".to_owned());
        }
        let mut picture = Self::default();
        picture.root = picture.element(root, "svg", 0);
        if picture.elements > MOST_ELEMENTS {
            return Err(format!("the SVG file has more than {MOST_ELEMENTS} elements"));
        }
        // Elements that use each other can expand to any number of them.
        if picture.root.drawn(&picture.root, &mut Vec::new(), &mut FxHashMap::default()) > MOST_ELEMENTS {
            return Err(format!("the SVG file draws more than {MOST_ELEMENTS} elements, as they are used repeatedly, or one uses itself"));
        }
        Ok(picture)
    }

    fn element(&mut self, node: Node<'_, '_>, name: &'static str, depth: usize) -> SvgElement {
        let mut element = SvgElement { name, ..SvgElement::default() };
        for attribute in node.attributes() {
            match (attribute.name(), attribute.value()) {
                ("id", id) => {
                    self.ids.insert(id.to_owned());
                    element.id = Some(id.to_owned());
                }
                ("href", target) => match target.strip_prefix('#') {
                    Some(id) if name == "use" => element.uses = Some(id.to_owned()),
                    _ => self.refuse("attribute", "href"),
                },
                // Declarations of a style are attributes, handled one at a time.
                ("style", declarations) => {
                    for (name, value) in declarations.split(';').filter_map(|one| one.split_once(':')) {
                        self.set(&mut element, name.trim(), value.trim());
                    }
                }
                (name, value) => self.set(&mut element, name, value),
            }
        }
        for child in node.children() {
            if let Some(text) = child.text().filter(|_| child.is_text()) {
                element.content.push(SvgContent::Text(text.to_owned()));
            } else if child.is_element() {
                let tag = child.tag_name().name();
                self.elements += 1;
                match OBJECTS.iter().chain(OTHERS).copied().find(|known| *known == tag) {
                    Some(known) if depth < DEEPEST && self.elements <= MOST_ELEMENTS => {
                        let inner = self.element(child, known, depth + 1);
                        element.content.push(SvgContent::Element(inner));
                    }
                    _ => self.refuse("element", tag),
                }
            }
        }
        element
    }

    /// Adds the value of a definition.
    pub(super) fn add(&mut self, part: VisbPart, value: &Value, model: &Model) -> Result<(), String> {
        records(value)?.iter().try_for_each(|fields| self.add_record(part, fields, model))
    }

    fn add_record(&mut self, part: VisbPart, fields: &[(Arc<str>, Value)], model: &Model) -> Result<(), String> {
        let field = |wanted: &str| fields.iter().find(|(name, _)| &**name == wanted).map(|(_, value)| value);
        let id = field("id").map(|value| id_of(value, model));
        let others = || fields.iter().filter(|(name, _)| !["id", "svg_class"].contains(&&**name));
        match part {
            VisbPart::Frame => {
                let mut root = std::mem::take(&mut self.root);
                others().for_each(|(name, value)| self.set(&mut root, name, &plain(value, model)));
                self.root = root;
            }
            VisbPart::Objects => {
                let class = field("svg_class").map(|class| plain(class, model)).ok_or("an object has no field svg_class")?;
                return self.add_object(&class, id, others().map(|(name, value)| (&**name, plain(value, model))));
            }
            VisbPart::Updates => {
                let id = id.ok_or("an update has no field id")?;
                others().for_each(|(name, value)| self.update(&id, name, &plain(value, model)));
            }
            VisbPart::Hovers => {
                let id = id.ok_or("a hover has no field id")?;
                others().for_each(|(name, value)| self.add_hover(&id, &id, name, &plain(value, model)));
            }
            // They change nothing that is drawn.
            VisbPart::Events => {}
        }
        Ok(())
    }

    /// Adds an object, unless there is one with its id.
    pub(super) fn add_object<'n>(
        &mut self,
        class: &str,
        id: Option<String>,
        attributes: impl Iterator<Item = (&'n str, String)>,
    ) -> Result<(), String> {
        let Some(name) = OBJECTS.iter().copied().find(|known| *known == class) else {
            self.refuse("element", class);
            return Ok(());
        };
        // An element of the file with this id is left unchanged, in its place.
        if id.as_ref().is_some_and(|id| self.ids.contains(id)) {
            return Ok(());
        }
        self.elements += 1;
        if self.elements > MOST_ELEMENTS {
            return Err(format!("it has more than {MOST_ELEMENTS} objects with those before it: define fewer"));
        }
        self.ids.extend(id.clone());
        let mut element = SvgElement { name, id, ..SvgElement::default() };
        attributes.for_each(|(name, value)| self.set(&mut element, name, &value));
        self.root.content.push(SvgContent::Element(element));
        Ok(())
    }

    /// Sets an attribute of the object with an id.
    pub(super) fn update(&mut self, id: &str, attribute: &str, value: &str) {
        let mut root = std::mem::take(&mut self.root);
        match root.find(id) {
            Some(element) => self.set(element, attribute, value),
            None => self.refuse("object", id),
        }
        self.root = root;
    }

    /// Adds an attribute that an object has while the pointer is on another one, or on itself.
    pub(super) fn add_hover(&mut self, id: &str, of: &str, attribute: &str, value: &str) {
        self.require(id);
        self.require(of);
        if let Some((attribute, value)) = self.let_in(attribute, value) {
            let change = HoverChange { of: of.to_owned(), attribute, value };
            self.hovers.entry(id.to_owned()).or_default().push(change);
        }
    }

    /// Notes an id that no object has.
    pub(super) fn require(&mut self, id: &str) {
        if !self.ids.contains(id) {
            self.refuse("object", id);
        }
    }

    /// Sets an attribute, unless it is on no list.
    fn set(&mut self, element: &mut SvgElement, name: &str, value: &str) {
        if name == "text" {
            element.content = vec![SvgContent::Text(value.to_owned())];
            return;
        }
        if let Some((known, value)) = self.let_in(name, value) {
            element.attributes.insert(known, value);
        }
    }

    /// An attribute that is allowed in a picture; `None`, with a note, if it is on no list.
    fn let_in(&mut self, name: &str, value: &str) -> Option<(&'static str, String)> {
        // Names of fields are words in B, so `stroke_width` may mean `stroke-width`.
        let wanted = name.replace('_', "-");
        let Some(known) = ATTRIBUTES.iter().copied().find(|known| known.eq_ignore_ascii_case(&wanted)) else {
            self.refuse("attribute", name);
            return None;
        };
        let value = match value {
            "TRUE" if known == "visibility" => "visible",
            "FALSE" if known == "visibility" => "hidden",
            other => other,
        };
        if is_inert(value) {
            return Some((known, value.to_owned()));
        }
        self.refuse("value of", name);
        None
    }

    fn refuse(&mut self, what: &str, name: &str) {
        self.refused.insert(format!("{what} {name}"));
    }

    /// The number of its elements; long texts count for more.
    pub(super) fn parts(&self) -> usize {
        self.root.parts()
    }

    /// Whether there is nothing to draw.
    pub(super) fn is_empty(&self) -> bool {
        self.root.content.is_empty()
    }

    /// Draws it. `name` is the prefix of its ids, which are unique in a page. The title of an element with an event names the operation.
    pub(super) fn draw(&self, (name, medium): (&str, Medium), events: &[PictureEvent], model: &Model) -> Drawn {
        let mut titles: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        events.iter().for_each(|event| titles.entry(&event.id).or_default().push(event.said(model)));
        let drawing = Drawing { name, hovers: (medium == Medium::Page).then_some(&self.hovers), titles };
        let given = |name: &str| self.root.attributes.get(name).map(String::as_str);
        let numbers = |text: &str| -> Option<Vec<f64>> {
            let parts = text.split([' ', ',']).filter(|part| !part.is_empty());
            parts.map(|part| part.parse().ok().filter(|number: &f64| number.is_finite())).collect()
        };
        let view = given("viewBox").and_then(numbers).filter(|view| view.len() == 4);
        let side = |name: &str, of_view: usize| {
            let own = given(name).and_then(|text| text.trim_end_matches("px").parse::<f64>().ok());
            let side = own.or_else(|| view.as_ref().map(|view| view[of_view])).unwrap_or(SIDE);
            if side.is_finite() { side.clamp(1.0, LONGEST_SIDE) } else { SIDE }
        };
        let (width, height) = (side("width", 2), side("height", 3));
        let view = view.unwrap_or_else(|| vec![0.0, 0.0, width, height]);
        let inside: Markup = self.root.content.iter().map(|content| content.markup(&drawing)).collect();
        // Objects are drawn for white paper, in dark pages too.
        let content = markup!(
            "<rect width=\"{:.1}\" height=\"{:.1}\" fill=\"#ffffff\"/>\n<svg class=\"visb\" width=\"{:.1}\" height=\"{:.1}\" viewBox=\"{} {} {} {}\">\n{}</svg>\n",
            width,
            height,
            width,
            height,
            view[0],
            view[1],
            view[2],
            view[3],
            inside
        );
        Drawn { content, width, height }
    }
}

/// How the elements of a picture are written.
struct Drawing<'a> {
    /// The name of the picture.
    name: &'a str,
    /// Where a script obeys them.
    hovers: Option<&'a BTreeMap<String, Vec<HoverChange>>>,
    /// The events of objects.
    titles: BTreeMap<&'a str, Vec<String>>,
}

impl Drawing<'_> {
    /// The hovers of an object: a list of ids, attributes and values as JSON.
    fn hover(&self, id: &str) -> Option<String> {
        let changes = self.hovers?.get(id)?;
        let changes: Vec<_> = changes
            .iter()
            .map(|change| [format!("{}-{}", self.name, change.of), change.attribute.to_owned(), change.value.clone()])
            .collect();
        serde_json::to_string(&changes).ok()
    }
}

impl SvgElement {
    /// How many elements are drawn for this one, including referenced ones; for one that references itself, more than any picture may have.
    fn drawn<'p>(&'p self, root: &'p Self, open: &mut Vec<&'p str>, known: &mut FxHashMap<&'p str, usize>) -> usize {
        let mut count: usize = 1;
        for content in &self.content {
            if let SvgContent::Element(element) = content {
                count = count.saturating_add(element.drawn(root, open, known));
            }
        }
        let Some(used) = self.uses.as_deref() else { return count };
        if open.contains(&used) {
            return usize::MAX;
        }
        if !known.contains_key(used) {
            open.push(used);
            let of_used = root.of_id(used).map_or(0, |element| element.drawn(root, open, known));
            open.pop();
            known.insert(used, of_used);
        }
        count.saturating_add(known[used])
    }

    fn parts(&self) -> usize {
        let of_content = |content: &SvgContent| match content {
            SvgContent::Element(element) => element.parts(),
            SvgContent::Text(text) => text.len() / LETTERS_OF_PART,
        };
        let letters: usize = self.attributes.values().map(String::len).sum();
        1 + letters / LETTERS_OF_PART + self.content.iter().map(of_content).sum::<usize>()
    }

    fn of_id(&self, id: &str) -> Option<&Self> {
        if self.id.as_deref() == Some(id) {
            return Some(self);
        }
        self.content.iter().find_map(|content| match content {
            SvgContent::Element(element) => element.of_id(id),
            SvgContent::Text(_) => None,
        })
    }

    /// The element with an id.
    fn find(&mut self, id: &str) -> Option<&mut Self> {
        if self.id.as_deref() == Some(id) {
            return Some(self);
        }
        self.content.iter_mut().find_map(|content| match content {
            SvgContent::Element(element) => element.find(id),
            SvgContent::Text(_) => None,
        })
    }

    fn markup(&self, drawing: &Drawing<'_>) -> Markup {
        let picture = drawing.name;
        let mut attributes = Markup::new();
        let id = self.id.as_deref();
        attributes.extend(id.and_then(|id| drawing.hover(id)).map(|hover| markup!(" data-hover=\"{}\"", hover)));
        let stands_for = id.and_then(|id| drawing.titles.get(id));
        attributes.extend(stands_for.map(|_| markup!(" class=\"event\"")));
        let title: Markup = stands_for.map(|calls| markup!("<title>{}</title>", calls.join(", or "))).unwrap_or_default();
        attributes.extend(self.id.iter().map(|id| markup!(" id=\"{}-{}\"", picture, id)));
        attributes.extend(self.uses.iter().map(|id| markup!(" href=\"#{}-{}\"", picture, id)));
        for (name, value) in &self.attributes {
            attributes += match reference(value) {
                Some(id) => markup!(" {}=\"url(#{}-{})\"", name, picture, id),
                None => markup!(" {}=\"{}\"", name, value),
            };
        }
        let content: Markup = self.content.iter().map(|content| content.markup(drawing)).collect();
        markup!("<{}{}>{}{}</{}>\n", self.name, attributes, title, content, self.name)
    }
}

impl SvgContent {
    fn markup(&self, drawing: &Drawing<'_>) -> Markup {
        match self {
            Self::Element(element) => element.markup(drawing),
            Self::Text(text) => markup!("{}", Shown::lines(text)),
        }
    }
}

/// The fields of a record.
type RecordFields = Arc<[(Arc<str>, Value)]>;

/// The records that a value is: one, or a set of them.
pub(super) fn records(value: &Value) -> Result<Vec<RecordFields>, String> {
    match value {
        Value::Record(fields) => Ok(vec![fields.clone()]),
        // Before they are added: half of the objects would be another picture.
        Value::Set(set) if set.len() > MOST_ELEMENTS => Err(format!("it has {} members: define at most {MOST_ELEMENTS}", set.len())),
        Value::Set(set) => {
            let record =
                |member| if let Value::Record(fields) = member { Ok(fields) } else { Err("its members are no records".to_owned()) };
            set.iter().map(record).collect()
        }
        _ => Err("it is neither a record nor a set of records".to_owned()),
    }
}

/// A value as an attribute: strings without quotes.
pub(super) fn plain(value: &Value, model: &Model) -> String {
    if let Value::String(text) = value { text.to_string() } else { display(value, model) }
}

/// The id that a value is: `("circle", 3)` is `circle3`.
pub(super) fn id_of(value: &Value, model: &Model) -> String {
    match value.as_pair() {
        Some((first, second)) => id_of(first, model) + &id_of(second, model),
        None => plain(value, model),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcheck_source::Span;

    fn record(fields: &[(&str, Value)]) -> Value {
        let mut fields: Vec<(Arc<str>, Value)> = fields.iter().map(|(name, value)| (Arc::from(*name), value.clone())).collect();
        fields.sort_by(|one, other| one.0.cmp(&other.0));
        Value::Record(fields.into())
    }

    fn text(text: &str) -> Value {
        Value::string(text)
    }

    fn model() -> Model {
        Model::empty("M", Span::nowhere())
    }

    #[test]
    fn only_what_is_listed_is_taken_from_a_file() {
        let file = "<svg xmlns='http://www.w3.org/2000/svg' width='50px' viewBox='0 0 10 20' onload='x()'><style>* {}</style>\
                    <script>alert(1)</script><g id='a' onclick='x' style='fill: red; background: url(http://x)'><rect x='1' fill='url(#b)'/></g>\
                    <foreignObject><p/></foreignObject><image href='http://x'/><use href='http://x'/><use href='#a'/></svg>";
        let picture = VisbPicture::of_file(file).expect("well-formed");
        let refused: Vec<&str> = picture.refused.iter().map(String::as_str).collect();
        let all = [
            "attribute background",
            "attribute href",
            "attribute onclick",
            "attribute onload",
            "element foreignObject",
            "element image",
            "element script",
            "element style",
        ];
        assert_eq!(refused, all);
        let drawn = picture.draw(("s1", Medium::Page), &[], &model());
        assert_eq!((drawn.width, drawn.height), (50.0, 20.0));
        let written = drawn.content.as_str();
        assert!(written.contains("<g id=\"s1-a\" fill=\"red\">") && written.contains("fill=\"url(#s1-b)\""), "{written}");
        assert!(written.contains("<use href=\"#s1-a\">") && !written.contains("alert") && !written.contains("http"), "{written}");
        let doubling: String = (1..20).map(|at| format!("<g id='d{at}'><use href='#d{0}'/><use href='#d{0}'/></g>", at - 1)).collect();
        for (many, why) in
            [(doubling + "<use href='#d19'/><g id='d0'/>", "draws more"), ("<g id='a'><use href='#a'/></g>".to_owned(), "itself")]
        {
            let refused = VisbPicture::of_file(&format!("<svg xmlns='http://www.w3.org/2000/svg'>{many}</svg>"));
            assert!(refused.is_err_and(|reason| reason.contains(why)), "{many}");
        }
        assert!(VisbPicture::of_file("<!DOCTYPE svg [<!ENTITY a 'b'>]><svg/>").is_err());
    }

    #[test]
    fn updates_change_objects_and_nothing_else() {
        let mut picture = VisbPicture::default();
        let id = Value::pair(text("circ"), Value::integer(3));
        let object = record(&[("svg_class", text("circle")), ("id", id.clone()), ("r", Value::integer(5)), ("stroke_width", text("2"))]);
        picture.add(VisbPart::Objects, &Value::set(vec![object]), &model()).expect("records");
        picture.add(VisbPart::Objects, &record(&[("svg_class", text("script")), ("text", text("x"))]), &model()).expect("a record");
        let update = record(&[("id", text("circ3")), ("fill", text("\"><script>")), ("visibility", Value::Bool(false))]);
        picture.add(VisbPart::Updates, &update, &model()).expect("a record");
        picture.add(VisbPart::Updates, &record(&[("id", text("none")), ("r", Value::integer(1))]), &model()).expect("a record");
        let written = picture.draw(("p", Medium::Page), &[], &model()).content;
        let circle = "<circle id=\"p-circ3\" r=\"5\" stroke-width=\"2\" fill=\"&quot;&gt;&lt;script&gt;\" visibility=\"hidden\"></circle>";
        assert!(written.as_str().contains(circle), "{}", written.as_str());
        assert_eq!(picture.refused.iter().map(String::as_str).collect::<Vec<_>>(), ["element script", "object none"]);
        assert!(picture.add(VisbPart::Objects, &Value::integer(1), &model()).is_err());
    }
}
