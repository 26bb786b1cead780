//! The allow-lists for SVG pictures that belong to a machine: elements, attributes, values.
//!
//! Invariant: a value that passes refers to nothing outside of the picture, however a browser reads it: it contains neither a function
//! that could load something nor an escape in which one could hide. Deliberately elsewhere: the picture itself (`visb`).

/// Elements that `svg_class` may name; a file may have the others too.
pub(super) const OBJECTS: &[&str] = &["circle", "ellipse", "line", "path", "polygon", "polyline", "rect", "text"];
pub(super) const OTHERS: &[&str] = &[
    "clipPath",
    "defs",
    "desc",
    "g",
    "linearGradient",
    "marker",
    "mask",
    "pattern",
    "radialGradient",
    "stop",
    "svg",
    "symbol",
    "title",
    "tspan",
    "use",
];

/// Attributes, but for `id` and `href`.
pub(super) const ATTRIBUTES: &[&str] = &[
    "clip-path",
    "clip-rule",
    "clipPathUnits",
    "color",
    "cx",
    "cy",
    "d",
    "display",
    "dominant-baseline",
    "dx",
    "dy",
    "fill",
    "fill-opacity",
    "fill-rule",
    "font-family",
    "font-size",
    "font-style",
    "font-weight",
    "fx",
    "fy",
    "gradientTransform",
    "gradientUnits",
    "height",
    "letter-spacing",
    "marker-end",
    "marker-mid",
    "marker-start",
    "markerHeight",
    "markerUnits",
    "markerWidth",
    "mask",
    "offset",
    "opacity",
    "orient",
    "paint-order",
    "pathLength",
    "patternTransform",
    "patternUnits",
    "points",
    "preserveAspectRatio",
    "r",
    "refX",
    "refY",
    "rotate",
    "rx",
    "ry",
    "shape-rendering",
    "stop-color",
    "stop-opacity",
    "stroke",
    "stroke-dasharray",
    "stroke-dashoffset",
    "stroke-linecap",
    "stroke-linejoin",
    "stroke-miterlimit",
    "stroke-opacity",
    "stroke-width",
    "text-anchor",
    "text-decoration",
    "textLength",
    "transform",
    "vector-effect",
    "viewBox",
    "visibility",
    "width",
    "word-spacing",
    "x",
    "x1",
    "x2",
    "y",
    "y1",
    "y2",
];

/// Functions of attributes: colours and transformations. Others, such as `image-set`, may load a resource.
const FUNCTIONS: &[&str] = &["hsl", "hsla", "matrix", "rgb", "rgba", "rotate", "scale", "skewx", "skewy", "translate"];

/// Whether the value of an attribute refers to nothing, or to an element of the picture.
pub(super) fn is_inert(value: &str) -> bool {
    if reference(value).is_some() {
        return true;
    }
    // `u\72l(…)` is a function of style sheets, too, and of presentation attributes; nothing drawn needs an escape.
    let parts: Vec<&str> = value.split('(').collect();
    let calls_known = parts[..parts.len() - 1].iter().all(|before| {
        let word = before.rsplit(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-').next().unwrap_or_default();
        FUNCTIONS.contains(&word.to_ascii_lowercase().as_str())
    });
    calls_known && !value.contains('\\')
}

/// The id that `url(#id)` refers to.
pub(super) fn reference(value: &str) -> Option<&str> {
    let id = value.trim().strip_prefix("url(")?.strip_suffix(')')?.trim_matches(['"', '\'']).strip_prefix('#')?;
    id.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.')).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_could_load_something_does_not_pass() {
        for inert in ["red", "#fff", "rgb(1, 2, 3)", "rotate(-60 60 56) scale(2)", "url(#a)", "url('#a.b')", "M0 0L1 1z", "10%", ""] {
            assert!(is_inert(inert), "{inert}");
        }
        for loads in [
            "url(http://x/y)",
            "URL(//x)",
            "url(#a) url(http://x)",
            "u\\72l(http://x)",
            "image-set('http://x/y.png' 1x)",
            "src('http://x')",
            "rgb(1,2,3) -webkit-image-set(url(http://x) 1x)",
            "cross-fade(red, blue)",
            "rgb(image('http://x'))",
            "var(--x)",
            "expression(alert(1))",
        ] {
            assert!(!is_inert(loads), "{loads}");
        }
    }
}
