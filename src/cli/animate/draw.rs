//! `picture`, and `save` for pictures: the states as the machine's definitions draw them.
//!
//! Invariant: the definitions are read once, when a picture is first asked for. Deliberately elsewhere: what is drawn (`report::picture`).

use super::{Animation, Refusal, show};
use crate::cli::interrupt;
use crate::cli::output;
use crate::cli::state_pictures::{self, AlbumFormat};
use crate::source::{Diagnostic, Shown, shown};
use std::path::{Path, PathBuf};

impl Animation {
    /// The present state as a picture in text.
    pub(super) fn picture(&mut self) -> Result<Shown, Refusal> {
        let notes = self.read_pictures();
        let Some(painter) = &self.painter else { return Ok(notes) };
        interrupt::begin(painter.machine().interrupt());
        let Some(picture) = painter.picture(self.state()) else {
            return Err(if self.at <= self.machine.model().set_up_steps() {
                shown!("the machine is not initialised yet")
            } else {
                shown!("there is nothing to draw here")
            });
        };
        let text = painter.text(&picture);
        if text.is_empty() && picture.remarks.is_empty() {
            return Err(shown!(
                "DEFINITIONS do not draw states (ANIMATION_FUNCTION would; `table NAME` shows a function, `save FILE.svg` draws values)"
            ));
        }
        Ok(notes + text + self.remarks_about(&picture.remarks))
    }

    /// Draws all states of the run.
    pub(super) fn save_pictures(&mut self, format: AlbumFormat, file: &str) -> Result<Shown, Refusal> {
        let path = Path::new(file);
        let notes = self.read_pictures();
        let [output] = output::reserve(&[], [("save", Some(path))]).map_err(|(reason, _)| reason)?;
        let Some(painter) = &self.painter else { return Ok(notes) };
        interrupt::begin(painter.machine().interrupt());
        let machine_file = self.machine_file().display().to_string();
        let saved = format.save(painter, (&machine_file, &self.run()), output.expect("it was named"))?;
        let remarks = saved.ok_or_else(|| shown!("no state of the run has a picture yet"))?;
        Ok(notes + self.remarks_about(&remarks) + shown!("drew {} steps in {}\n", self.at, file))
    }

    /// Reads the definitions unless they were read; what is wrong with them.
    fn read_pictures(&mut self) -> Shown {
        if self.painter.is_some() {
            return Shown::new();
        }
        let (painter, troubles) = state_pictures::painter(&self.machine, &self.loaded.macros, &self.machine_file(), true);
        self.painter = Some(painter);
        self.remarks_about(&troubles)
    }

    fn remarks_about(&self, remarks: &[Diagnostic]) -> Shown {
        if remarks.is_empty() { Shown::new() } else { shown!("   !  {}\n", show::diagnostics(remarks, &self.sources)) }
    }

    /// The file of the machine.
    fn machine_file(&self) -> PathBuf {
        // The machine is the first file that was read.
        self.sources.files().next().map(|file| PathBuf::from(&file.name)).unwrap_or_default()
    }
}
