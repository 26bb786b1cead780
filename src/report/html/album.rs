//! The states of a run as a separate page to step through.
//!
//! Invariant: all steps are there, including those whose states have no picture, each with its changes. Deliberately elsewhere: the page of
//! a check (`check`).

use super::state_picture::{RunPictures, images, of_run, styles};
use super::{Head, Section, Tone, breakable, page, paragraph, stepper};
use crate::changes::Changes;
use crate::markup::{Markup, markup};
use crate::named_steps;
use crate::picture::Painter;
use crate::trace::title;
use bcheck_explore::Trace;
use bcheck_ir::Model;
use bcheck_source::{Diagnostic, Shown};

/// A page with the pictures of a run and the changes of each step; and what is omitted from single pictures.
#[must_use]
pub fn render(painter: &Painter, file: &str, run: &Trace) -> (Shown, Vec<Diagnostic>) {
    painter.begin();
    let model = painter.machine().model();
    let pictures = of_run(Some(painter), &run.steps);
    let head = Head {
        title: format!("{}: pictures of a run", model.name),
        name: &model.name,
        file,
        verdict: ("pictures", Tone::Note),
        conclusion: format!("The states of a run of {} steps.", run.steps.len()),
        resources: styles() + images(painter),
    };
    (page(&head, &[Section::new("run", "The run, step by step", steps(model, run, &pictures))]), pictures.remarks)
}

/// The steps of a run, each with its picture and its changes.
pub(super) fn steps(model: &Model, run: &Trace, pictures: &RunPictures) -> Markup {
    let steps = named_steps(model, run);
    let changes = Changes::new(model);
    let mut articles = Markup::new();
    for (index, (named, step)) in steps.iter().zip(&run.steps).enumerate() {
        let before = index.checked_sub(1).and_then(|before| run.steps.get(before)).map(|step| step.state.as_slice());
        let lines: Markup = (changes.of_step(before.unwrap_or_default(), &step.state).iter())
            .map(|line| markup!("<li><code>{}</code></li>\n", breakable(line)))
            .collect();
        let lines = if lines.is_empty() { paragraph("(no change)") } else { markup!("<ul>\n{}</ul>\n", lines) };
        articles +=
            markup!("<article class=\"step\">\n<h3>{} {}</h3>\n{}{}</article>\n", index, title(named), pictures.of_steps[index], lines);
    }
    markup!("<div class=\"trace\">\n{}{}</div>\n", stepper::controls(steps.len(), false), articles + pictures.left_out.clone())
}
