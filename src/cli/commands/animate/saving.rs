//! `save`: the run so far as a trace, or as pictures of its states.
//!
//! Invariant: a file is reserved before its contents are computed, so that a path that cannot be written is refused at once. Deliberately
//! elsewhere: formats of traces (`io::trace_file`), what is drawn (`draw`).

use super::{Animation, Refusal};
use crate::io::interrupt;
use crate::io::output;
use crate::io::trace_file::TraceFormat;
use crate::pictures::states::{AlbumFormat, PictureFault};
use bcheck_source::{Shown, shown};
use std::path::Path;

impl Animation {
    /// Saves the run so far.
    pub(super) fn save(&mut self, file: &str) -> Result<Shown, Refusal> {
        let path = Path::new(file);
        // The ending decides: the steps, or pictures of their states.
        let format = match AlbumFormat::of(path) {
            Ok(format) => return self.save_pictures(format, file),
            Err(_) => TraceFormat::of(path)?,
        };
        format.accept(&self.run())?;
        let [output] = output::reserve(&[], [("save", Some(path))]).map_err(|(reason, _)| reason)?;
        let text = format.render(self.machine.model(), self.machine.scope(), &self.run(), "run of bcheck animate");
        output.expect("it was named").save(&text)?;
        Ok(shown!("saved {} steps in {}\n", self.at, file))
    }

    /// Draws all states of the run.
    fn save_pictures(&mut self, format: AlbumFormat, file: &str) -> Result<Shown, Refusal> {
        let path = Path::new(file);
        let notes = self.read_pictures();
        let [output] = output::reserve(&[], [("save", Some(path))]).map_err(|(reason, _)| reason)?;
        let Some(painter) = &self.painter else { return Ok(notes) };
        interrupt::begin(painter.machine().interrupt());
        let machine_file = self.machine_file().display().to_string();
        let saved = format.save(painter, (&machine_file, &self.run()), output.expect("it was named"));
        let saved = saved.map_err(|(PictureFault::Io(reason) | PictureFault::NotMade(reason))| reason)?;
        let remarks = saved.ok_or_else(|| shown!("no state of the run has a picture yet"))?;
        Ok(notes + self.remarks_about(&remarks) + shown!("drew {} steps in {}\n", self.at, file))
    }
}
