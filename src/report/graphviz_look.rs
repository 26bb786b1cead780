//! How Graphviz draws boxes and arrows: like pictures drawn here, in a light window.
//!
//! Invariant: colours are those of `drawing.css`. Deliberately elsewhere: what is drawn (`drawing`, `graph`, the pictures of a machine).

use bcheck_source::{Shown, shown};

/// For a state with a fault.
pub(super) const WRONG: &str = "style=\"rounded,filled,dashed\", fillcolor=\"#fbe3d6\", color=\"#a23b00\"";
/// For a state that was searched for.
pub(super) const GOAL: &str = "style=\"rounded,filled,dotted\", fillcolor=\"#d9efff\", color=\"#005a8c\"";

/// The default attributes of everything in a graph.
pub(super) fn defaults() -> Shown {
    shown!(
        "  graph [bgcolor=\"#ffffff\", fontname=\"monospace\", fontcolor=\"#1b1f24\", fontsize=12];\n  \
         node [shape=box, style=\"rounded,filled\", fillcolor=\"#f3f5f8\", color=\"#4b545e\", fontname=\"monospace\", fontcolor=\"#1b1f24\", fontsize=12];\n  \
         edge [color=\"#66707b\", penwidth=1.3, arrowsize=0.7, fontname=\"monospace\", fontcolor=\"#1b1f24\", fontsize=12];\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout;

    #[test]
    fn colours_are_those_of_pictures_that_are_drawn_here() {
        let looks = format!("{}{WRONG}{GOAL}", defaults().as_str());
        let colours: Vec<&str> = looks.split('"').filter(|part| part.starts_with('#')).collect();
        assert_eq!(colours.len(), 11);
        for colour in colours {
            assert!(layout::STYLE.contains(colour), "{colour}");
        }
    }
}
