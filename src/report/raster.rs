//! A picture (SVG) as pixels (PNG), drawn by resvg.
//!
//! Invariant: one picture has the same pixels on every machine: its letters are those of the fonts in this program, and fonts of the
//! system are not loaded. A character that they lack (they have Latin, Greek, Cyrillic and mathematics) is an empty box. Deliberately
//! elsewhere: what is drawn (`chart`, `drawing`).

/// Whether this build can draw: the feature `png` may be left out.
pub const CAN_DRAW: bool = cfg!(feature = "png");

/// The most pixels of a picture.
const MOST_PIXELS: f64 = 24e6;
/// Four, and as many again while it is written.
const BYTES_OF_PIXEL: f64 = 8.0;

/// Refuses a picture of this size, in its own units, that would have too many pixels, before anything is drawn; otherwise returns the bytes
/// needed for drawing.
pub fn bytes_to_draw(width: f64, height: f64) -> Result<u64, String> {
    let pixels = width.ceil() * height.ceil();
    if pixels > MOST_PIXELS {
        return Err(format!("a picture of {width:.0} by {height:.0} pixels is larger than {} million", MOST_PIXELS / 1e6));
    }
    let scale = f64::from(scale(pixels));
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a positive number below the bound")]
    Ok((pixels * scale * scale * BYTES_OF_PIXEL) as u64)
}

/// Pixels for each unit of the picture: two, so that letters stay sharp on paper, but where that would be too many.
fn scale(pixels: f64) -> f32 {
    if pixels * 4.0 <= MOST_PIXELS { 2.0 } else { 1.0 }
}

#[cfg(feature = "png")]
const FONTS: [&[u8]; 3] =
    [include_bytes!("fonts/DejaVuSans.ttf"), include_bytes!("fonts/DejaVuSans-Bold.ttf"), include_bytes!("fonts/DejaVuSansMono.ttf")];

/// The picture as a PNG file.
///
/// # Errors
/// When it is too large for memory.
#[cfg(feature = "png")]
pub fn png(svg: &str) -> Result<Vec<u8>, String> {
    use resvg::tiny_skia::{Pixmap, Transform};
    use resvg::usvg::{Options, Tree};

    let mut options = Options { font_family: "DejaVu Sans".to_owned(), ..Options::default() };
    let fonts = options.fontdb_mut();
    FONTS.iter().for_each(|font| fonts.load_font_data(font.to_vec()));
    // Generic families of the style sheets are also resolved to these fonts, never to those of the system.
    fonts.set_sans_serif_family("DejaVu Sans");
    fonts.set_monospace_family("DejaVu Sans Mono");
    // The default would read any file that the picture names; images of machines are in the picture.
    options.image_href_resolver.resolve_string = Box::new(|_, _| None);
    let tree = Tree::from_str(svg, &options).map_err(|error| format!("the picture cannot be read: {error}"))?;
    let (width, height) = (f64::from(tree.size().width()), f64::from(tree.size().height()));
    bytes_to_draw(width, height)?;
    let scale = scale(width.ceil() * height.ceil());
    let size = tree.size().to_int_size().scale_by(scale);
    let pixels = size.and_then(|size| Pixmap::new(size.width(), size.height()));
    let mut pixels = pixels.ok_or("the picture is too large for pixels")?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| format!("the picture cannot be written as PNG: {error}"))
}

/// The picture as a PNG file.
///
/// # Errors
/// Always: the feature is left out.
#[cfg(not(feature = "png"))]
pub fn png(_: &str) -> Result<Vec<u8>, String> {
    Err("this bcheck was built without the feature png".to_owned())
}

#[cfg(all(test, feature = "png"))]
mod tests {
    use super::*;
    use resvg::tiny_skia::Pixmap;

    fn pixels(svg: &str) -> Pixmap {
        Pixmap::decode_png(&png(svg).expect("a picture")).expect("a PNG")
    }

    /// A text in black on white, 60 units wide and 20 high.
    fn text(style: &str, text: &str) -> Pixmap {
        pixels(&format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"c\" width=\"60\" height=\"20\"><style>{style}</style>\
             <rect width=\"60\" height=\"20\" fill=\"#ffffff\"/><text x=\"4\" y=\"15\">{text}</text></svg>"
        ))
    }

    #[test]
    fn shapes_stand_where_they_are_in_the_colours_of_the_style() {
        let picture = pixels(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"c\" width=\"10\" height=\"5\"><style>.c .first .it { fill: #0072b2; }\n\
             @media screen and (prefers-color-scheme: dark) { .c .first .it { fill: #ffffff; } }</style>\
             <g class=\"first\"><rect class=\"it\" x=\"5\" width=\"5\" height=\"5\"/></g></svg>",
        );
        assert_eq!((picture.width(), picture.height()), (20, 10));
        let inside = picture.pixel(15, 5).expect("inside").demultiply();
        assert_eq!((inside.red(), inside.green(), inside.blue(), inside.alpha()), (0x00, 0x72, 0xb2, 0xff), "light, as on paper");
        assert_eq!(picture.pixel(4, 5).expect("outside").alpha(), 0);
    }

    #[test]
    fn images_are_those_in_the_picture_and_no_file_is_read() {
        use base64::Engine;
        let green = pixels(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"4\" height=\"4\"><rect width=\"4\" height=\"4\" fill=\"#00ff00\"/></svg>",
        );
        let bytes = green.encode_png().expect("a PNG");
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("green.png");
        std::fs::write(&file, &bytes).expect("written");
        let drawn = |href: &str| {
            let picture = pixels(&format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"4\" height=\"4\"><image width=\"4\" height=\"4\" href=\"{href}\"/></svg>"
            ));
            picture.pixel(4, 4).expect("inside").demultiply()
        };
        let embedded = drawn(&format!("data:image/png;base64,{}", base64::prelude::BASE64_STANDARD.encode(&bytes)));
        assert_eq!((embedded.red(), embedded.green(), embedded.alpha()), (0, 0xff, 0xff));
        assert_eq!(drawn(&file.display().to_string()).alpha(), 0);
    }

    #[test]
    fn each_font_and_each_sign_of_the_pictures_is_there() {
        let ink = |picture: &Pixmap| picture.pixels().iter().filter(|pixel| pixel.red() < 128).count();
        let font = ".c text { font: 13px system-ui, \"DejaVu Sans\", sans-serif; }";
        let bold = format!("{font} .c text {{ font-weight: 600; }}");
        let mono = ".c text { font: 12px ui-monospace, \"DejaVu Sans Mono\", monospace; }";
        assert!(ink(&text(&bold, "Til")) > ink(&text(font, "Til")) * 5 / 4, "headings are bold");
        assert_ne!(text(mono, "iiii").data(), text(font, "iiii").data());
        for style in [font, &bold, mono] {
            let nothing = text(style, "\u{1f600}");
            for sign in "A0µ·×…∅⁰¹²³⁴⁵⁶⁷⁸⁹→λЖ∈ℤ↦".chars() {
                let drawn = text(style, &sign.to_string());
                assert!(ink(&drawn) > 0 && drawn.data() != nothing.data(), "{sign} in {style}");
            }
        }
    }
}
