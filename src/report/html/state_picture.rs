//! Pictures of states as parts of a page.
//!
//! Invariant: images are in the page once and cannot load anything; what is left out of a picture is said below it. Deliberately elsewhere:
//! what is drawn (`report::picture`).

use super::wide;
use crate::explore::TraceStep;
use crate::report::layout;
use crate::report::markup::{Markup, markup};
use crate::report::picture::{self, Medium, Painter, StatePicture};

/// What the pictures of a page use: their style.
pub(super) fn styles() -> Markup {
    Markup::style(picture::STYLE) + Markup::style(layout::STYLE)
}

/// Each image of a machine once.
pub(super) fn images(painter: &Painter) -> Markup {
    let images = painter.resources(Medium::Page);
    // Not hidden: what is used elsewhere must be rendered.
    if images.is_empty() {
        return images;
    }
    markup!("<svg class=\"resources\" xmlns=\"http://www.w3.org/2000/svg\" aria-hidden=\"true\">\n{}</svg>\n", images)
}

/// The picture of the state after a step of a run, if there is one.
pub(super) fn of_state(painter: Option<&Painter>, run: &[TraceStep], step: usize) -> Markup {
    let drawn = painter.and_then(|painter| painter.picture(&run[step].state, run.get(step + 1)).map(|picture| (painter, picture)));
    drawn.map(|(painter, picture)| of_picture(painter, &picture, step)).unwrap_or_default()
}

/// The picture with what is left out of it.
pub(super) fn of_picture(painter: &Painter, picture: &StatePicture, step: usize) -> Markup {
    let element = painter.element(picture, step);
    let element = if element.is_empty() { element } else { wide(&element) };
    let remarks: Markup = picture.remarks.iter().map(|remark| markup!("<p class=\"soft\">{}</p>\n", remark.title)).collect();
    element + clickable(painter, picture) + remarks
}

/// What objects of the picture stand for: their titles show it only where there is a pointer.
fn clickable(painter: &Painter, picture: &StatePicture) -> Markup {
    let model = painter.machine().model();
    let rows: Markup = picture.events.iter().map(|event| markup!("<li><code>{}</code>: {}</li>\n", event.id, event.said(model))).collect();
    match picture.events.len() {
        0 => rows,
        count => markup!(
            "<details class=\"events\"><summary>{} objects stand for operations</summary>\n<ul>\n{}</ul>\n</details>\n",
            count,
            rows
        ),
    }
}
