//! Pictures of states: what pages, animations and `--picture FILE` draw, with the images of the machine.
//!
//! Invariant: definitions are read only where a picture is asked for. An image is read only below the folder of the machine, links followed
//! first, and is what its content says, not its ending. Deliberately elsewhere: what is drawn (`report::picture`), graphs of states
//! (`picture`).

use super::files;
use super::output::Output;
use super::picture::PictureFormat;
use super::project::full_path;
use crate::eval::Machine;
use crate::explore::Trace;
use crate::ir::{ImageReference, PictureDefinitions};
use crate::report::html;
use crate::report::picture::{ImageFile, Painter, PictureFiles, strip};
use crate::sema::{self, Macros};
use crate::source::{Code, Diagnostic};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// The most images that are named where their files are missing.
const MOST_NAMED: usize = 5;

/// What draws the states of a machine that was read from this path, and what is wrong with its definitions and images. With `draws_all`,
/// states that no definition is about are drawn as well.
pub(super) fn painter(machine: &Machine, macros: &Macros, path: &Path, draws_all: bool) -> (Painter, Vec<Diagnostic>) {
    let pictures = sema::read_pictures(machine.model(), machine.scope(), macros);
    let folder = path.parent().unwrap_or(Path::new(""));
    let (images, troubles) = images(&pictures.definitions, folder);
    let mut diagnostics = pictures.warnings;
    diagnostics.extend(troubles);
    let svg = pictures.definitions.svg_file.as_ref().and_then(|file| match svg_text(folder, &file.path) {
        Ok(text) => Some(text),
        Err(reason) => {
            let title = format!("the picture {} is not drawn: {reason}", file.path);
            diagnostics.push(Diagnostic::warning(Code::LeftOutOfPictures, file.place, title));
            None
        }
    });
    let machine = Machine::compile(Arc::new(pictures.model), machine.scope().clone());
    let (painter, fault) = Painter::new(machine, pictures.definitions, PictureFiles { images, svg }, draws_all);
    diagnostics.extend(fault);
    (painter, diagnostics)
}

/// The text of an SVG file below a folder.
fn svg_text(folder: &Path, path: &str) -> Result<String, String> {
    let bytes = read_below(folder, path)?.ok_or("there is no such file in the folder of the machine")?;
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())
}

/// The images whose files are there, and what is wrong with the others.
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
                troubles.push(Diagnostic::warning(Code::LeftOutOfPictures, reference.place, title).label("a tile takes its place"));
            }
        }
    }
    if let Some(first) = missing.first() {
        let mut names: Vec<&str> = missing.iter().take(MOST_NAMED).map(|image| image.path.as_str()).collect();
        names.extend((missing.len() > MOST_NAMED).then_some("…"));
        let title = format!("{} of {} images are not there: {}", missing.len(), definitions.images.len(), names.join(", "));
        let note = Diagnostic::note(Code::LeftOutOfPictures, first.place, title).label("tiles take their places");
        troubles.push(note.help("images are looked for in the folder of the machine"));
    }
    (images, troubles)
}

/// The image in a file below a folder; `None` where there is no such file.
fn image(folder: &Path, path: &str) -> Result<Option<ImageFile>, String> {
    let Some(bytes) = read_below(folder, path)? else { return Ok(None) };
    let media = media_of(&bytes).ok_or("it is neither GIF nor PNG nor JPEG nor SVG")?;
    Ok(Some(ImageFile { media, bytes }))
}

/// The bytes of a file below a folder, links followed first; `None` where there is no such file.
fn read_below(folder: &Path, path: &str) -> Result<Option<Vec<u8>>, String> {
    let folder = full_path(if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    // Machines written on Windows have backslashes in paths.
    let wanted = folder.join(path.replace('\\', "/"));
    if !wanted.exists() {
        return Ok(None);
    }
    let wanted = full_path(&wanted);
    if !wanted.starts_with(&folder) {
        return Err("it is not below the folder of the machine".to_owned());
    }
    files::read_image(&wanted).map(Some)
}

/// The media type of an image, by its first bytes.
fn media_of(bytes: &[u8]) -> Option<&'static str> {
    let starts = |with: &[u8]| bytes.starts_with(with);
    if starts(b"GIF8") {
        Some("image/gif")
    } else if starts(b"\x89PNG\r\n\x1a\n") {
        Some("image/png")
    } else if starts(b"\xff\xd8\xff") {
        Some("image/jpeg")
    } else {
        // A browser runs no script and loads nothing for an image, so the text need not be examined further.
        let text = std::str::from_utf8(bytes).ok()?.trim_start();
        ((text.starts_with("<?xml") || text.starts_with("<svg")) && text.contains("<svg")).then_some("image/svg+xml")
    }
}

/// The forms of the pictures of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AlbumFormat {
    /// All in one picture.
    Strip(PictureFormat),
    /// A page in which one steps through them.
    Page,
}

impl AlbumFormat {
    /// The form that the ending of a path asks for.
    pub(super) fn of(path: &Path) -> Result<Self, String> {
        if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("html")) {
            return Ok(Self::Page);
        }
        let strip = PictureFormat::of(path)?.map(Self::Strip);
        strip.ok_or_else(|| format!("cannot draw {}: the ending must be .svg, .png or .html", path.display()))
    }

    /// Draws the states of a run of a machine in this file; returns what is left out. Where no state has a picture, no file is made.
    pub(super) fn save(self, painter: &Painter, (file, run): (&str, &Trace), output: Output) -> Result<Option<Vec<Diagnostic>>, String> {
        let pictures: Vec<_> = run.steps.iter().map(|step| painter.picture(&step.state)).collect();
        let mut remarks: Vec<Diagnostic> = Vec::new();
        for remark in pictures.iter().flatten().flat_map(|picture| &picture.remarks) {
            // Once, however many states it is about.
            if !remarks.contains(remark) {
                remarks.push(remark.clone());
            }
        }
        match self {
            Self::Page => output.save(&html::render_album(painter, file, run, &pictures))?,
            Self::Strip(format) => {
                // resvg draws no images as it is built here.
                let has_images = format == PictureFormat::Svg;
                let Some(strip) = strip(painter, run, &pictures, has_images) else { return Ok(None) };
                output.save_bytes(&format.render(&strip)?)?;
            }
        }
        Ok(Some(remarks))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_what_its_content_says() {
        for (bytes, media) in [
            (&b"GIF89a\x01"[..], Some("image/gif")),
            (b"\x89PNG\r\n\x1a\n\0", Some("image/png")),
            (b"\xff\xd8\xff\xe0", Some("image/jpeg")),
            (b"<?xml version=\"1.0\"?>\n<svg/>", Some("image/svg+xml")),
            (b"  <svg xmlns=\"x\"/>", Some("image/svg+xml")),
            (b"<html><svg/></html>", None),
            (b"root:x:0:0", None),
        ] {
            assert_eq!(media_of(bytes), media);
        }
    }

    #[test]
    fn an_image_is_read_only_below_the_folder_of_the_machine() {
        let folder = tempfile::tempdir().expect("a folder");
        let inside = folder.path().join("machines");
        std::fs::create_dir_all(inside.join("images")).expect("folders");
        for path in [inside.join("images/a.gif"), folder.path().join("b.gif")] {
            std::fs::write(path, b"GIF89a").expect("a file");
        }
        std::fs::write(inside.join("c.gif"), b"text").expect("a file");
        assert!(matches!(image(&inside, "images\\a.gif"), Ok(Some(image)) if image.media == "image/gif"));
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
