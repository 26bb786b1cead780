//! The pictures of all states of a run, one beside the other, as one picture.
//!
//! Invariant: the order is that of the steps, line by line, each below its number and its name. Deliberately elsewhere: the page in which
//! one steps through them (`html`), pixels (`raster`).

use super::{Drawn, Medium, NotDrawn, Painter};
use crate::markup::{Markup, markup};
use crate::named_steps;
use crate::trace::title;
use bcheck_explore::Trace;
use bcheck_source::{Diagnostic, Shown, escaped};

/// A line of pictures is not longer, unless a single picture is.
const WIDEST: f64 = 1200.0;
/// Between pictures, and around all.
const GAP: f64 = 24.0;
/// The height of the name of a step.
const CAPTION: f64 = 26.0;
/// Estimated width of a letter of a caption: 12 pixels of DejaVu Sans Mono.
const LETTER: f64 = 7.3;
/// The most letters of a caption; the title has all of a longer one.
const LONGEST: usize = 48;

/// A picture with its caption, and its place.
struct Frame {
    caption: String,
    drawn: Drawn,
    width: f64,
}

/// The pictures of a run as one picture.
pub struct Strip {
    /// The picture.
    pub svg: Shown,
    /// Its size.
    pub width: f64,
    /// Its height.
    pub height: f64,
    /// Omissions of single pictures.
    pub remarks: Vec<Diagnostic>,
}

/// The states of a run that have a picture, each with the name of its step; `None` if no state has one.
pub fn strip(painter: &Painter, run: &Trace, medium: Medium) -> Result<Option<Strip>, NotDrawn> {
    painter.begin();
    let model = painter.machine().model();
    let (mut frames, mut remarks) = (Vec::new(), Vec::new());
    for (number, (step, named)) in run.steps.iter().zip(named_steps(model, run)).enumerate() {
        let picture = painter.next_picture(&step.state, run.steps.get(number + 1), medium)?;
        let Some(picture) = picture else { continue };
        note(&mut remarks, &picture.remarks);
        let Some(drawn) = painter.drawn(&picture, &format!("step{number}"), medium) else { continue };
        let caption = format!("{number}  {}", title(&named));
        let width = drawn.width.max(6.0 + letters(&cut(&caption)));
        frames.push(Frame { caption, drawn, width });
    }
    let is_empty = frames.is_empty();
    Ok((!is_empty).then(|| arranged(painter, &frames, medium, remarks)))
}

/// Adds remarks, each once, however many states it is about.
pub fn note(all: &mut Vec<Diagnostic>, remarks: &[Diagnostic]) {
    for remark in remarks {
        if !all.contains(remark) {
            all.push(remark.clone());
        }
    }
}

#[allow(clippy::cast_precision_loss, reason = "a place in a picture")]
fn letters(text: &str) -> f64 {
    text.chars().count() as f64 * LETTER
}

fn cut(caption: &str) -> String {
    let shown = escaped(caption);
    if shown.chars().count() <= LONGEST { shown.into_owned() } else { shown.chars().take(LONGEST - 1).chain(['…']).collect() }
}

fn arranged(painter: &Painter, frames: &[Frame], medium: Medium, remarks: Vec<Diagnostic>) -> Strip {
    let (mut right, mut down, mut line, mut widest) = (GAP, GAP, 0.0_f64, 0.0_f64);
    let mut content = Markup::new();
    for frame in frames {
        if right > GAP && right + frame.width > WIDEST {
            (right, down, line) = (GAP, down + line + GAP, 0.0);
        }
        content += markup!(
            "<g class=\"frame\" transform=\"translate({:.1} {:.1})\"><text class=\"caption\" x=\"6\" y=\"14\"><title>{}</title>{}</text>\n\
             <g transform=\"translate(0 {:.1})\">\n{}</g></g>\n",
            right,
            down,
            frame.caption,
            cut(&frame.caption),
            CAPTION,
            frame.drawn.content
        );
        right += frame.width + GAP;
        line = line.max(CAPTION + frame.drawn.height);
        widest = widest.max(right);
    }
    let (width, height) = (widest, down + line + GAP);
    let about = format!("{} states of {}", frames.len(), painter.machine().model().name);
    let svg = markup!(
        "<svg class=\"state-picture\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0} {:.0}\" width=\"{:.0}\" height=\"{:.0}\" \
         role=\"img\" aria-label=\"{}\">\n{}{}<rect class=\"paper\" width=\"{:.0}\" height=\"{:.0}\"/>\n{}</svg>\n",
        width,
        height,
        width,
        height,
        about,
        Painter::styles(),
        painter.resources(medium),
        width,
        height,
        content
    );
    Strip { svg: svg.into(), width, height, remarks }
}
