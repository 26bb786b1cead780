//! Pictures of states as parts of a page.
//!
//! Invariant: images are in the page once and cannot load anything; what is left out of a picture is said below it. Deliberately elsewhere:
//! what is drawn (`report::picture`).

use super::wide;
use crate::report::layout;
use crate::report::markup::{Markup, markup};
use crate::report::picture::{self, Painter, StatePicture};
use crate::value::Value;

/// What the pictures of a page use: their style, and each image once.
pub(super) fn resources(painter: &Painter) -> Markup {
    let images = painter.resources();
    // Not hidden: what is used elsewhere must be rendered.
    let images = if images.is_empty() {
        images
    } else {
        markup!("<svg class=\"resources\" xmlns=\"http://www.w3.org/2000/svg\" aria-hidden=\"true\">\n{}</svg>\n", images)
    };
    Markup::style(picture::STYLE) + Markup::style(layout::STYLE) + images
}

/// The picture of the state after a step, if there is one.
pub(super) fn of_state(painter: Option<&Painter>, state: &[Value], step: usize) -> Markup {
    let drawn = painter.and_then(|painter| painter.picture(state).map(|picture| (painter, picture)));
    drawn.map(|(painter, picture)| of_picture(painter, &picture, step)).unwrap_or_default()
}

/// The picture with what is left out of it.
pub(super) fn of_picture(painter: &Painter, picture: &StatePicture, step: usize) -> Markup {
    let element = painter.element(picture, step);
    let element = if element.is_empty() { element } else { wide(&element) };
    let remarks: Markup = picture.remarks.iter().map(|remark| markup!("<p class=\"soft\">{}</p>\n", remark.title)).collect();
    element + remarks
}
