//! Columns of a terminal: the width of a text, and the part of it that fits.
//!
//! Invariant: a character of two columns is never cut in half, and one of zero columns stays with the one before it.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// How many columns a text takes.
#[must_use]
pub fn columns(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// The text, padded with blanks to a width in columns.
#[must_use]
pub fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(columns(text))))
}

/// The text from a column on, at most this wide; an ellipsis replaces what is cut off on either side.
#[must_use]
pub fn clipped(text: &str, from: usize, width: usize) -> String {
    if from == 0 && columns(text) <= width {
        return text.to_owned();
    }
    let mut clipped = if from > 0 && width > 0 { "…".to_owned() } else { String::new() };
    // The columns of the text before the present character, and those already used.
    let (mut at, mut taken) = (0, columns(&clipped));
    for letter in text.chars() {
        let wide = letter.width().unwrap_or(0);
        let is_before = at < from;
        at += wide;
        if is_before {
            continue;
        }
        if taken + wide > width {
            while taken + 1 > width {
                let Some(last) = clipped.pop() else { break };
                taken -= last.width().unwrap_or(0);
            }
            if width > 0 {
                clipped.push('…');
            }
            return clipped;
        }
        clipped.push(letter);
        taken += wide;
    }
    clipped
}

/// The text in lines of at most this width, broken behind blanks and commas; a longer word is broken at the end of the line. All lines but
/// the first are aligned with the last column of the text, if it has two, otherwise indented below the first one.
#[must_use]
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    if columns(text) <= width {
        return vec![text.to_owned()];
    }
    let indent = " ".repeat(hanging(text).min(width / 2));
    let mut lines = vec![String::new()];
    let mut taken = 0;
    for word in text.split_inclusive([' ', ',']) {
        let needed = columns(word.trim_end());
        if taken + needed > width && taken > indent.len() {
            lines.push(indent.clone());
            taken = indent.len();
        }
        for letter in word.chars() {
            let wide = letter.width().unwrap_or(0);
            if taken + wide > width {
                // A blank at the end of a line is invisible, and unwanted at the beginning of the next one.
                if letter == ' ' {
                    continue;
                }
                lines.push(indent.clone());
                taken = indent.len();
            }
            if let Some(line) = lines.last_mut() {
                line.push(letter);
            }
            taken += wide;
        }
    }
    lines.iter_mut().for_each(|line| line.truncate(line.trim_end().len()));
    lines
}

/// Where the second column of a text begins, after at least two blanks; otherwise two columns right of its first word.
fn hanging(text: &str) -> usize {
    let first = text.len() - text.trim_start().len();
    let gap = text[first..].find("  ").map(|gap| first + gap);
    match gap.filter(|gap| *gap < 32) {
        Some(gap) => columns(&text[..gap]) + (text[gap..].len() - text[gap..].trim_start().len()),
        None => first + 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_marked_on_its_side() {
        assert_eq!(clipped("doors", 0, 5), "doors");
        assert_eq!(clipped("doors of the lift", 0, 8), "doors o…");
        assert_eq!(clipped("doors of the lift", 6, 8), "…of the…");
        assert_eq!(clipped("doors of the lift", 13, 8), "…lift");
        assert_eq!(clipped("doors", 0, 0), "");
    }

    #[test]
    fn wide_characters_are_not_cut_in_half() {
        assert_eq!((columns("状態"), padded("状", 4).as_str()), (4, "状  "));
        for width in 0..8 {
            for from in 0..8 {
                let text = clipped("a状態éb\u{301}c", from, width);
                assert!(columns(&text) <= width, "{text:?} from {from} in {width}");
            }
        }
        assert_eq!(clipped("状態状態", 0, 4), "状…");
    }

    #[test]
    fn lines_are_broken_between_words_and_hang_below_their_column() {
        assert_eq!(wrapped("x = {aa,bb,cc}", 10), ["x = {aa,", "  bb,cc}"]);
        assert_eq!(wrapped("  help   the commands and keys", 18), ["  help   the", "         commands", "         and keys"]);
        assert_eq!(wrapped("abcdefgh", 3), ["abc", " de", " fg", " h"]);
        assert!(wrapped("状態状態状態", 5).iter().all(|line| columns(line) <= 5));
    }
}
