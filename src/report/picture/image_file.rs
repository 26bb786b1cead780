//! An image that belongs to a machine: its kind and its size, by its content.
//!
//! Invariant: the kind is determined by the first bytes, whatever the name; an image that would take much memory as pixels is refused.
//! Deliberately elsewhere: reading the file (`cli`).

/// The most pixels of a side.
const LONGEST_SIDE: u32 = 4_096;

/// A file with an image, whose content was examined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageFile {
    /// Its media type.
    pub(super) media: &'static str,
    /// Its content.
    pub(super) bytes: Vec<u8>,
}

impl ImageFile {
    /// Examines the content of a file.
    pub fn of(bytes: Vec<u8>) -> Result<Self, String> {
        let media = media_of(&bytes).ok_or("it is neither GIF nor PNG nor JPEG nor SVG")?;
        match size_of(media, &bytes) {
            Some((width, height)) if width.max(height) > LONGEST_SIDE => {
                Err(format!("it is {width} by {height} pixels; a side may have {LONGEST_SIDE}"))
            }
            // SVG has no pixels; clipping is left to the renderer.
            _ => Ok(Self { media, bytes }),
        }
    }

    /// Whether it consists of pixels. Others are pictures whose parts a renderer would have to be protected from.
    pub(super) fn is_raster(&self) -> bool {
        self.media != SVG
    }
}

const SVG: &str = "image/svg+xml";
const JPEG: &str = "image/jpeg";

/// The media type of an image, by its first bytes.
fn media_of(bytes: &[u8]) -> Option<&'static str> {
    let starts = |with: &[u8]| bytes.starts_with(with);
    if starts(b"GIF8") {
        Some("image/gif")
    } else if starts(b"\x89PNG\r\n\x1a\n") {
        Some("image/png")
    } else if starts(b"\xff\xd8\xff") {
        Some(JPEG)
    } else {
        // A browser runs no script and loads nothing for an image, so the text need not be examined further.
        let text = std::str::from_utf8(bytes).ok()?.trim_start();
        ((text.starts_with("<?xml") || text.starts_with("<svg")) && text.contains("<svg")).then_some(SVG)
    }
}

/// Width and height in pixels, from the head of the file.
fn size_of(media: &str, bytes: &[u8]) -> Option<(u32, u32)> {
    let two = |at: usize| bytes.get(at..at + 2).map(|two| [two[0], two[1]]);
    match media {
        "image/gif" => Some((u16::from_le_bytes(two(6)?).into(), u16::from_le_bytes(two(8)?).into())),
        "image/png" => {
            let side = |at: usize| bytes.get(at..at + 4).and_then(|four| four.try_into().ok()).map(u32::from_be_bytes);
            Some((side(16)?, side(20)?))
        }
        JPEG => {
            // Segments: a mark, then their length; that of a frame has the size. C4, C8 and CC are not frames.
            let mut at = 2;
            loop {
                let [first, mark] = two(at)?;
                let length = usize::from(u16::from_be_bytes(two(at + 2)?));
                if first != 0xff || length < 2 {
                    return None;
                }
                if matches!(mark, 0xc0..=0xcf) && !matches!(mark, 0xc4 | 0xc8 | 0xcc) {
                    return Some((u16::from_be_bytes(two(at + 7)?).into(), u16::from_be_bytes(two(at + 5)?).into()));
                }
                at += 2 + length;
            }
        }
        _ => None,
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
            assert_eq!(ImageFile::of(bytes.to_vec()).ok().map(|image| image.media), media);
        }
    }

    #[test]
    fn an_image_that_would_be_huge_as_pixels_is_refused() {
        let png = [b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".as_slice(), &50_000_u32.to_be_bytes(), &1_u32.to_be_bytes()].concat();
        let gif = b"GIF89a\x01\0\xff\xff\0".to_vec();
        let jpeg = b"\xff\xd8\xff\xe0\0\x04ab\xff\xc4\0\x02\xff\xc0\0\x11\x08\x20\0\0\x10\x03".to_vec();
        for (bytes, size) in [(png, "50000 by 1"), (gif, "1 by 65535"), (jpeg, "16 by 8192")] {
            assert!(ImageFile::of(bytes).is_err_and(|why| why.contains(size)), "{size}");
        }
    }
}
