//! The page on property patterns: each scope and pattern with a sentence and a picture.
//!
//! Invariant: every form parses. `tests/suite/property_patterns.rs` verifies the pictures, which it reads from this page. Deliberately
//! elsewhere: the formulas that patterns abbreviate (`sema`).

use std::fmt::Write as _;

/// A path on which scopes begin and end; each column of one letter and a space is a state.
const PATH: &str = ". q . r . . q . . . >";

/// Each scope with its meaning and its states on [`PATH`].
const SCOPES: &[(&str, &str, &str)] = &[
    ("globally", "the whole path", "= = = = = = = = = = >"),
    ("before(r)", "up to the first r; if there is none, nothing is required", "= = ="),
    ("after(q)", "from the first q on; if there is none, nothing is required", "  = = = = = = = = = >"),
    ("between(q, r)", "from each q up to the next r; if there is none, nothing is required", "  = ="),
    ("after_until(q, r)", "from each q up to the next r, or to the end of the path", "  = =       = = = = >"),
];

/// Each pattern with its meaning, a path on which it holds `globally`, and one on which it does not.
const PATTERNS: &[(&str, &str, &str, &str)] = &[
    ("absence(p)", "p never holds", ". . . . . >", ". . p . . >"),
    ("universality(p)", "p always holds", "p p p p p >", "p p . p p >"),
    ("existence(p)", "p holds at some time", ". . p . . >", ". . . . . >"),
    ("existence(p, at_most 2)", "p becomes true at most twice; any number from 1 to 9 will do", ". p p . p >", "p . p . p >"),
    ("precedence(s, p)", "s precedes p: no p before the first s", ". s . p . >", ". p . s . >"),
    ("precedence(s then t, p)", "s and later t precede p; that t may come with p", ". s t . p >", ". s . p t >"),
    ("precedence(p, s then t)", "p precedes every s that a later t follows", ". p s . t >", ". s p . t >"),
    ("response(s, p)", "s responds to p: each p is followed by an s, or comes with one", ". p . s . >", "s . . p . >"),
    ("response(s then t, p)", "s and later t respond to each p; that s may come with p", ". p s . t >", ". p t . s >"),
    ("response(s then t without z, p)", "the same, with no z from that s to before that t", "p s . t z >", "p s z t . >"),
    ("response(p, s then t)", "p responds to each s and the first t after it", ". s . t p >", ". s p t . >"),
];

/// The page.
pub(super) fn patterns() -> String {
    let mut text = "\
Property patterns: common requirements in words. A scope, and what happens in it:
  between([start], [stop]) response({light = on}, {button = pressed})
      from each start to the next stop, the light goes on whenever the button is pressed

They stand wherever a formula of linear time may stand (bcheck help ltl); p, q, r, s, t, z are such formulas.
The patterns are those of Dwyer, Avrunin and Corbett (ICSE 1999), with their order of arguments: s precedes p, s
responds to p.

Scopes: the states that a pattern is about. A scope has the state where it begins and not the one where it ends.
"
    .to_owned();
    for (form, meaning, states) in SCOPES {
        line(&mut text, format_args!("\n  {form:32} {meaning}\n      path    {PATH}\n      scope   {states}"));
    }
    text += "
A state where q and r hold begins no scope of the last two. Pictures go from left to right, a state in each column, with
the formula that holds there; > says that the path goes on for ever like its last state.

Patterns: what happens in the scope. Here it is the whole path.
";
    for (form, meaning, holds, fails) in PATTERNS {
        line(&mut text, format_args!("\n  {form:32} {meaning}\n      holds   {holds}\n      fails   {fails}"));
    }
    text
}

fn line(text: &mut String, parts: std::fmt::Arguments<'_>) {
    writeln!(text, "{parts}").expect("a string takes everything");
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcheck_source::FileId;
    use bcheck_syntax::temporal::{Logic, parse_temporal, printed};

    #[test]
    fn every_scope_and_every_pattern_parses() {
        for (scope, ..) in SCOPES {
            for (pattern, ..) in PATTERNS {
                // Formulas for the letters that occur alone.
                let written = format!("{scope} {pattern}").split_inclusive(['(', ' ', ',', ')']).fold(String::new(), |text, piece| {
                    let letter = piece.trim_end_matches(['(', ' ', ',', ')']);
                    text + &if letter.len() == 1 && letter != "2" {
                        piece.replacen(letter, &format!("[{letter}]"), 1)
                    } else {
                        piece.to_owned()
                    }
                });
                let parsed = parse_temporal(FileId(0), Logic::Ltl, &written);
                assert!(parsed.diagnostics.is_empty(), "{written}: {:?}", parsed.diagnostics);
                assert_eq!(printed(&parsed.tree).to_string(), written);
            }
        }
    }
}
