//! `picture`: the state as the machine's definitions draw it.
//!
//! Invariant: the definitions are read once, when a picture is first asked for. Deliberately elsewhere: what is drawn
//! (`report::picture`), files (`saving`).

use super::{Animation, Refusal, show};
use crate::io::interrupt;
use crate::pictures::states;
use bcheck_report::named_step;
use bcheck_report::picture::PictureEvent;
use bcheck_report::trace::title;
use bcheck_source::{Diagnostic, Shown, shown};
use std::path::PathBuf;

/// At most this many steps are listed for one object.
const MOST_CALLS: usize = 5;

impl Animation {
    /// The current state as a picture in text.
    pub(super) fn picture(&mut self) -> Result<Shown, Refusal> {
        let notes = self.read_pictures();
        let Some(painter) = &self.painter else { return Ok(notes) };
        interrupt::begin(painter.machine().interrupt());
        let Some(picture) = painter.picture(self.state(), None) else {
            return Err(if self.at <= self.machine.model().set_up_steps() {
                shown!("the machine is not initialised yet")
            } else {
                shown!("this state has nothing to draw")
            });
        };
        let text = painter.text(&picture) + self.clickable(&picture.events);
        if text.is_empty() && picture.remarks.is_empty() {
            return Err(shown!(
                "DEFINITIONS do not draw states (ANIMATION_FUNCTION would; `table NAME` shows a function, `save FILE.svg` draws values)"
            ));
        }
        Ok(notes + text + self.remarks_about(&picture.remarks))
    }

    /// The objects linked to operations, each with the steps that a click on it would take.
    fn clickable(&self, events: &[PictureEvent]) -> Shown {
        let (model, numbered) = (self.machine.model(), show::numbered(&self.enabled));
        let mut text = if events.is_empty() { Shown::new() } else { shown!("clickable:\n") };
        for event in events {
            let calls = numbered.iter().filter(|(_, step)| event.is_call(self.state(), step));
            let calls = calls.map(|(number, step)| format!("{number}) {}", title(&named_step(model, step, self.state()))));
            let calls: Vec<String> = calls.take(MOST_CALLS + 1).collect();
            let rest = if calls.len() > MOST_CALLS { ", …" } else { "" };
            let calls = if calls.is_empty() { "not enabled".to_owned() } else { calls[..calls.len().min(MOST_CALLS)].join(", ") };
            text += shown!("  {}: {}: {}{}\n", event.id, event.said(model), calls, rest);
        }
        text
    }

    /// Reads the definitions unless that has been done; returns their errors.
    pub(super) fn read_pictures(&mut self) -> Shown {
        if self.painter.is_some() {
            return Shown::new();
        }
        let path = self.machine_file();
        self.loaded.read_visb(&path, &mut self.sources);
        let (subject, files) = ((self.machine.model(), self.machine.scope()), (path.as_path(), &self.loaded.visb));
        let (painter, troubles) = states::painter(subject, &self.loaded.macros, files, (true, ""));
        self.painter = Some(painter);
        self.remarks_about(&troubles)
    }

    /// Whether the definitions draw something that can be shown as text.
    #[cfg(feature = "screen")]
    pub(super) fn draws_text(&self) -> bool {
        self.painter.as_ref().is_some_and(bcheck_report::picture::Painter::draws_text)
    }

    pub(super) fn remarks_about(&self, remarks: &[Diagnostic]) -> Shown {
        if remarks.is_empty() { Shown::new() } else { shown!("   !  {}\n", show::diagnostics(remarks, &self.sources)) }
    }

    /// The file of the machine.
    pub(super) fn machine_file(&self) -> PathBuf {
        // The machine is the first file that is read.
        self.sources.files().next().map(|file| PathBuf::from(&file.name)).unwrap_or_default()
    }
}
