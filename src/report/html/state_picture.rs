//! Pictures of states as parts of a page.
//!
//! Invariant: images are in the page once and cannot load anything; omissions of a picture are reported below it. Deliberately elsewhere:
//! the contents of pictures (`report::picture`).

use super::{paragraph, wide};
use crate::layout;
use crate::markup::{Markup, markup};
use crate::picture::{self, Medium, Painter, StatePicture};
use bcheck_explore::TraceStep;
use bcheck_source::Diagnostic;

/// The resources of the pictures of a page: their style.
pub(super) fn styles() -> Markup {
    Markup::style(picture::STYLE) + Markup::style(layout::STYLE)
}

/// Each image of a machine once.
pub(super) fn images(painter: &Painter) -> Markup {
    let images = painter.resources(Medium::Page);
    // Not hidden: referenced elements must be rendered.
    if images.is_empty() {
        return images;
    }
    markup!("<svg class=\"resources\" xmlns=\"http://www.w3.org/2000/svg\" aria-hidden=\"true\">\n{}</svg>\n", images)
}

/// The pictures of the states of a run.
pub(super) struct RunPictures {
    /// By step; empty if there is none.
    pub(super) of_steps: Vec<Markup>,
    /// The remark about states that are not drawn.
    pub(super) left_out: Markup,
    /// Omissions of single pictures.
    pub(super) remarks: Vec<Diagnostic>,
}

/// Draws the states of a run, the last one first, as far as there is room: the finding is about the end of a run.
pub(super) fn of_run(painter: Option<&Painter>, run: &[TraceStep]) -> RunPictures {
    let mut pictures = RunPictures { of_steps: vec![Markup::new(); run.len()], left_out: Markup::new(), remarks: Vec::new() };
    let Some(painter) = painter else { return pictures };
    for (step, reached) in run.iter().enumerate().rev() {
        match painter.next_in_page(&reached.state, run.get(step + 1)) {
            Ok(Some(picture)) => {
                picture::note(&mut pictures.remarks, &picture.remarks);
                pictures.of_steps[step] = of_picture(painter, &picture, step);
            }
            Ok(None) => {}
            Err(why) => {
                let which =
                    if step == 0 { "The state after step 0 is".to_owned() } else { format!("The states after steps 0 to {step} are") };
                pictures.left_out = paragraph(&format!("{which} not drawn: {why}."));
                break;
            }
        }
    }
    pictures
}

/// The picture with what is omitted from it.
fn of_picture(painter: &Painter, picture: &StatePicture, step: usize) -> Markup {
    let element = painter.element(picture, step);
    let element = if element.is_empty() { element } else { wide(&element) };
    let remarks: Markup = picture.remarks.iter().map(|remark| markup!("<p class=\"soft\">{}</p>\n", remark.title)).collect();
    element + clickable(painter, picture) + remarks
}

/// The operations of objects in the picture: their titles show them only where there is a pointer.
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
