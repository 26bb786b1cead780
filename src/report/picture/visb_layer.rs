//! Everything about VisB that a machine defines, compiled: the SVG file, objects, formulas of attributes, hovers, events.
//!
//! Invariant: a part without a value in a state is omitted there and reported; later ones override earlier ones, files before definitions.
//! Deliberately elsewhere: what is admitted into a picture (`visb`).

use super::StatePicture;
use super::events::{Conditions, EventPlan, PictureEvent, ReadCondition};
use super::visb::VisbPicture;
use bcheck_eval::{CompiledExpr, Machine};
use bcheck_explore::TraceStep;
use bcheck_ir::{PictureDefinitions, VisbDefinition, VisbHover, VisbItem, VisbPart, VisbValue};
use bcheck_source::{Code, Diagnostic, Span};
use bcheck_value::Value;
use std::sync::Arc;

/// The part drawn by VisB.
#[derive(Debug)]
pub(super) struct VisbLayer {
    /// The SVG file with the objects of VisB files, before anything that depends on a state.
    base: VisbPicture,
    definitions: Vec<(VisbDefinition, CompiledExpr)>,
    items: Vec<(VisbItem, Option<CompiledExpr>)>,
    hovers: Vec<VisbHover>,
    events: Vec<(String, Arc<EventPlan>)>,
    conditions: Conditions,
    /// The place for remarks about omissions.
    place: Span,
}

impl VisbLayer {
    /// Compiles definitions; errors in the SVG file and in objects become warnings.
    pub(super) fn new(
        machine: &Machine,
        definitions: &PictureDefinitions,
        svg: Option<&str>,
        conditions: ReadCondition,
    ) -> (Self, Vec<Diagnostic>) {
        let mut warnings = Vec::new();
        let of_file = definitions.svg_file.as_ref();
        let mut warn = |name: &str, place: Span, why: &str| {
            warnings.push(Diagnostic::warning(Code::LeftOutOfPictures, place, format!("{name} is left out of pictures: {why}")));
        };
        let mut base = VisbPicture::default();
        match (svg.map(VisbPicture::of_file), of_file) {
            (Some(Ok(picture)), _) => base = picture,
            (Some(Err(why)), Some(file)) => warn(&file.path, file.place, &why),
            _ => {}
        }
        for object in &definitions.visb_objects {
            let attributes = object.attributes.iter().map(|(name, value)| (name.as_str(), value.clone()));
            if let Err(why) = base.add_object(&object.class, object.id.clone(), attributes) {
                warn("an object", object.place, &why);
            }
        }
        let first_definition = definitions.visb.first().map(|definition| definition.place);
        let first_object = definitions.visb_objects.first().map(|object| object.place);
        let layer = Self {
            base,
            definitions: definitions.visb.iter().map(|one| (one.clone(), machine.compile_expr(&one.expr))).collect(),
            items: definitions.visb_items.iter().map(|item| (item.clone(), compiled(machine, item))).collect(),
            hovers: definitions.visb_hovers.clone(),
            events: (definitions.visb_events.iter())
                .map(|event| (event.id.clone(), Arc::new(EventPlan::new(event.operation, event.condition.as_ref(), machine))))
                .collect(),
            conditions: Conditions::new(conditions),
            place: first_definition.or(of_file.map(|file| file.place)).or(first_object).unwrap_or_else(Span::nowhere),
        };
        (layer, warnings)
    }

    /// Whether objects have events.
    pub(super) fn has_events(&self) -> bool {
        !self.events.is_empty() || self.definitions.iter().any(|(definition, _)| definition.part == VisbPart::Events)
    }

    /// Draws a state, from which a run continues with a step.
    pub(super) fn fill(&self, machine: &Machine, picture: &mut StatePicture, (state, next): (&[Value], Option<&TraceStep>)) {
        let mut drawn = self.base.clone();
        let is_object = |part: VisbPart| matches!(part, VisbPart::Frame | VisbPart::Objects);
        for (definition, plan) in self.definitions.iter().filter(|(definition, _)| is_object(definition.part)) {
            self.define(machine, (definition, plan), (&mut drawn, picture), (state, next));
        }
        for (item, plan) in &self.items {
            let value = match (&item.value, plan) {
                (VisbValue::Fixed(text), _) => Ok(text.clone()),
                (_, Some(plan)) => plan.evaluate(state).map(|value| super::visb::plain(&value, machine.model())),
                // A formula is always compiled.
                (VisbValue::Formula(_), None) => continue,
            };
            match value {
                Ok(value) => drawn.update(&item.id, &item.attribute, &value),
                Err(error) => {
                    let name = format!("the attribute `{}` of `{}`", item.attribute, item.id);
                    picture.leave_out(&name, (error.span, item.place), &error.kind.to_string());
                }
            }
        }
        for hover in &self.hovers {
            drawn.add_hover(&hover.id, &hover.changes, &hover.attribute, &hover.enter);
        }
        for (id, plan) in &self.events {
            picture.events.push(PictureEvent::new(id.clone(), Arc::clone(plan), (state, next)));
        }
        for (definition, plan) in self.definitions.iter().filter(|(definition, _)| !is_object(definition.part)) {
            self.define(machine, (definition, plan), (&mut drawn, picture), (state, next));
        }
        for event in &picture.events {
            drawn.require(&event.id);
        }
        if !drawn.refused.is_empty() {
            let named: Vec<&str> = drawn.refused.iter().map(String::as_str).collect();
            picture.leave_out("a part of VISB_…", (self.place, self.place), &format!("bcheck does not draw {}", named.join(", ")));
        }
        picture.visb = (!drawn.is_empty()).then_some(drawn);
    }

    /// Adds the value of a definition in a state.
    fn define(
        &self,
        machine: &Machine,
        (definition, plan): (&VisbDefinition, &CompiledExpr),
        (drawn, picture): (&mut VisbPicture, &mut StatePicture),
        (state, next): (&[Value], Option<&TraceStep>),
    ) {
        let model = machine.model();
        let added = match plan.evaluate(state) {
            Ok(value) if definition.part == VisbPart::Events => super::visb::records(&value).and_then(|records| {
                records.iter().try_for_each(|fields| {
                    let field = |wanted: &[&str]| fields.iter().find(|(name, _)| wanted.contains(&&**name)).map(|(_, value)| value);
                    let id = field(&["id"]).map(|id| super::visb::id_of(id, model)).ok_or("an event has no field id")?;
                    let operation = field(&["event"]).ok_or("an event has no field event")?;
                    let predicate = field(&["predicate", "predicates"]).map(|text| super::visb::id_of(text, model)).unwrap_or_default();
                    let key = (super::visb::id_of(operation, model), predicate);
                    let plan = self.conditions.plan(key, definition.place, machine)?;
                    picture.events.push(PictureEvent::new(id, plan, (state, next)));
                    Ok(())
                })
            }),
            Ok(value) => drawn.add(definition.part, &value, model),
            Err(error) => return picture.leave_out(&definition.name, (error.span, definition.place), &error.kind.to_string()),
        };
        if let Err(why) = added {
            picture.leave_out(&definition.name, (definition.place, definition.place), &why);
        }
    }
}

/// The formula of an item, if it has one.
fn compiled(machine: &Machine, item: &VisbItem) -> Option<CompiledExpr> {
    if let VisbValue::Formula(expr) = &item.value { Some(machine.compile_expr(expr)) } else { None }
}
