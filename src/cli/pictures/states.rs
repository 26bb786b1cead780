//! Pictures of states, for pages, animations and `--picture FILE`, with the images of the machine.
//!
//! Invariant: definitions are read only if a picture is requested. An image is read only below the folder of the machine
//! (`pictures::sources`). Deliberately elsewhere: what is drawn (`report::picture`), graphs of states (`pictures`).

use crate::io::files;
use crate::io::memory;
use crate::io::output::Output;
use crate::pictures::PictureFormat;
use crate::pictures::sources::read_below;
use crate::pictures::visb_files::VisbFiles;
use bcheck_eval::Machine;
use bcheck_explore::Trace;
use bcheck_ir::{ImageReference, Model, PictureDefinitions, Scope, Subst, SubstKind};
use bcheck_report::diagnostics::headline;
use bcheck_report::html;
use bcheck_report::picture::{ImageFile, Medium, NotDrawn, Painter, PictureFiles, Strip, strip};
use bcheck_report::raster;
use bcheck_report::text::bytes as in_bytes;
use bcheck_sema::{self as sema, ConditionReader, Macros};
use bcheck_source::{Code, Diagnostic, SourceMap, shown};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// The advice if a picture of a run would be too large.
const SMALLER: &str = "FILE.html draws as many as there is room for, the last ones first; DEFINITIONS can draw less of each state";
/// At most this many missing images are listed.
const MOST_NAMED: usize = 5;

/// The painter of the states of a machine that was read from this path, and the errors of its definitions and images. With `draws_all`,
/// states that no definition describes are drawn as well. The name distinguishes its pictures from those of other machines in a page.
pub(crate) fn painter(
    (model, scope): (&Model, &Scope),
    macros: &Macros,
    (path, visb): (&Path, &VisbFiles),
    (draws_all, name): (bool, &str),
) -> (Painter, Vec<Diagnostic>) {
    let pictures = sema::read_pictures(model, scope, macros, &visb.files);
    let folder = path.parent().unwrap_or(Path::new(""));
    let (images, troubles) = images(&pictures.definitions, folder);
    let mut diagnostics = visb.warnings.clone();
    diagnostics.extend(pictures.warnings);
    diagnostics.extend(troubles);
    let svg = pictures.definitions.svg_file.as_ref().and_then(|file| match svg_text(folder, &file.path) {
        Ok(text) => Some(text),
        Err(reason) => {
            let title = format!("the picture {} is not drawn: {reason}", file.path);
            diagnostics.push(Diagnostic::warning(Code::LeftOutOfPictures, file.place, title));
            None
        }
    });
    let conditions = ConditionReader::new(pictures.model.clone(), scope.clone(), macros.clone());
    let conditions = Box::new(move |operation: &str, predicate: &str, place| conditions.read(operation, predicate, place));
    let machine = Machine::compile(Arc::new(without_text(pictures.model)), scope.clone());
    let files = PictureFiles { images, svg, conditions };
    let (painter, faults) = Painter::new(machine, pictures.definitions, files, (draws_all, name));
    diagnostics.extend(faults);
    (painter, diagnostics)
}

/// The names of a model without its text: formulas are evaluated in given states, and the text of a refinement alone would not even
/// compile.
fn without_text(mut model: Model) -> Model {
    let skip = |span| Subst { kind: SubstKind::Skip, span };
    model.initialisation = skip(model.initialisation.span);
    model.operations.values_mut().for_each(|operation| operation.body = skip(operation.span));
    (model.properties, model.invariant, model.assertions) = (Vec::new(), Vec::new(), Vec::new());
    (model.goal, model.expanded, model.temporal) = (None, None, Vec::new());
    model
}

/// The text of an SVG file below a folder.
fn svg_text(folder: &Path, path: &str) -> Result<String, String> {
    let bytes = read_below(folder, path)?.ok_or("there is no such file in the folder of the machine")?;
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())
}

/// The images whose files exist, and diagnostics for the others.
fn images(definitions: &PictureDefinitions, folder: &Path) -> (BTreeMap<i64, ImageFile>, Vec<Diagnostic>) {
    let mut images = BTreeMap::new();
    let (mut missing, mut troubles): (Vec<&ImageReference>, Vec<Diagnostic>) = (Vec::new(), Vec::new());
    for (number, reference) in &definitions.images {
        match image(folder, &reference.path) {
            Ok(Some(image)) => {
                images.insert(*number, image);
            }
            Ok(None) => missing.push(reference),
            Err(reason) => {
                let title = format!("the image {} is not drawn: {reason}", reference.path);
                troubles.push(Diagnostic::warning(Code::LeftOutOfPictures, reference.place, title).label("a tile is drawn instead"));
            }
        }
    }
    if let Some(first) = missing.first() {
        let mut names: Vec<&str> = missing.iter().take(MOST_NAMED).map(|image| image.path.as_str()).collect();
        names.extend((missing.len() > MOST_NAMED).then_some("…"));
        let title = format!("{} of {} images do not exist: {}", missing.len(), definitions.images.len(), names.join(", "));
        let note = Diagnostic::note(Code::LeftOutOfPictures, first.place, title).label("tiles are drawn instead");
        troubles.push(note.help("images are looked for in the folder of the machine"));
    }
    (images, troubles)
}

/// The image in a file below a folder; `None` if there is no such file.
fn image(folder: &Path, path: &str) -> Result<Option<ImageFile>, String> {
    let Some(bytes) = read_below(folder, path)? else { return Ok(None) };
    ImageFile::of(bytes).map(Some)
}

/// The pictures of a run in their output format.
pub(crate) struct Drawing {
    pub(crate) bytes: Vec<u8>,
    /// What is left out of them.
    pub(crate) remarks: Vec<Diagnostic>,
}

/// Reports what was left out of pictures, a line each.
pub(crate) fn say_left_out(remarks: &[Diagnostic], sources: &SourceMap) {
    remarks.iter().for_each(|remark| files::complain(&shown!("{}\n", headline(remark, sources))));
}

/// Why there are no pictures.
pub(crate) enum PictureFault {
    /// The file cannot be written.
    Io(String),
    /// They would be too large, or a limit has ended the drawing.
    NotMade(String),
}

/// The drawing, or a warning that it was not made and why; errors are about the file.
pub(crate) fn unless_not_made<T>(drawn: Result<T, PictureFault>) -> Result<Option<T>, String> {
    match drawn {
        Ok(drawn) => Ok(Some(drawn)),
        Err(PictureFault::NotMade(why)) => {
            files::complain(&format!("warning: {why}\n"));
            Ok(None)
        }
        Err(PictureFault::Io(reason)) => Err(reason),
    }
}

/// The forms of the pictures of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AlbumFormat {
    /// All in one picture.
    Strip(PictureFormat),
    /// A page for stepping through them.
    Page,
}

impl AlbumFormat {
    /// The form denoted by the ending of a path.
    pub(crate) fn of(path: &Path) -> Result<Self, String> {
        if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("html")) {
            return Ok(Self::Page);
        }
        let strip = PictureFormat::of(path)?.map(Self::Strip);
        strip.ok_or_else(|| format!("cannot draw {}: the ending must be .svg, .png or .html", path.display()))
    }

    /// Draws the states of a run of a machine in this file; returns what is left out. If no state has a picture, no file is created.
    pub(crate) fn save(self, painter: &Painter, run: (&str, &Trace), output: Output) -> Result<Option<Vec<Diagnostic>>, PictureFault> {
        let Some(Drawing { bytes, remarks }) = self.draw(painter, run).map_err(PictureFault::NotMade)? else { return Ok(None) };
        output.save_bytes(&bytes).map_err(PictureFault::Io)?;
        Ok(Some(remarks))
    }

    /// Draws them; `None` if no state has a picture. The error says why there is no picture.
    pub(crate) fn draw(self, painter: &Painter, (file, run): (&str, &Trace)) -> Result<Option<Drawing>, String> {
        let format = match self {
            Self::Page => {
                let (page, remarks) = html::render_album(painter, file, run);
                return Ok(Some(Drawing { bytes: page.as_bytes().to_vec(), remarks }));
            }
            Self::Strip(format) => format,
        };
        let medium = if format == PictureFormat::Svg { Medium::Svg } else { Medium::Pixels };
        let not_made = |why: &str| format!("the states are not drawn: {why}; {SMALLER}");
        let drawn = strip(painter, run, medium).map_err(|why| match why {
            NotDrawn::Stopped => format!("the states are not drawn: {why}"),
            NotDrawn::TooLarge(_) => not_made(&why.to_string()),
        })?;
        let Some(Strip { svg, width, height, remarks }) = drawn else { return Ok(None) };
        if format == PictureFormat::Png {
            let bytes = raster::bytes_to_draw(width, height).map_err(|why| not_made(&why))?;
            if let Some(room) = memory::room().filter(|room| *room < bytes) {
                let (bytes, room) = (in_bytes(bytes), in_bytes(room));
                return Err(not_made(&format!("{width:.0} by {height:.0} pixels take {bytes}, and --memory-limit leaves {room}")));
            }
        }
        Ok(Some(Drawing { bytes: format.render(&svg)?, remarks }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_read_only_below_the_folder_of_the_machine() {
        let folder = tempfile::tempdir().expect("a folder");
        let inside = folder.path().join("machines");
        std::fs::create_dir_all(inside.join("images")).expect("folders");
        for path in [inside.join("images/a.gif"), folder.path().join("b.gif")] {
            std::fs::write(path, b"GIF89a").expect("a file");
        }
        std::fs::write(inside.join("c.gif"), b"text").expect("a file");
        assert!(matches!(image(&inside, "images\\a.gif"), Ok(Some(_))));
        assert_eq!(image(&inside, "none.gif"), Ok(None));
        assert!(image(&inside, "../b.gif").is_err_and(|reason| reason.contains("not below")));
        let absolute = folder.path().join("b.gif").display().to_string();
        assert!(image(&inside, &absolute).is_err_and(|reason| reason.contains("not below")));
        assert!(image(&inside, "c.gif").is_err_and(|reason| reason.contains("neither GIF")));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(folder.path().join("b.gif"), inside.join("link.gif")).expect("a link");
            assert!(image(&inside, "link.gif").is_err_and(|reason| reason.contains("not below")));
        }
    }
}
