//! The syntax tree as B text in ASCII, for messages and for round trips.
//!
//! Invariant: parsing the text yields an equal tree, spans aside (`Error` nodes excepted); parentheses occur only where they are needed.
//! Deliberately elsewhere: printing of values (`value`).

mod formula;
mod machine;
mod substitution;

use std::fmt::{Formatter, Result, Write};

use super::ast::Name;
use bcheck_source::{in_back_quotes, word_in_back_quotes};

/// Writes a name that is declared here: back quotes unless it is plain.
pub(super) fn declared(text: &str, f: &mut Formatter<'_>) -> Result {
    f.write_str(&word_in_back_quotes(text))
}

/// Writes a name that is used here: dots are allowed too.
pub(super) fn used(text: &str, f: &mut Formatter<'_>) -> Result {
    f.write_str(&in_back_quotes(text))
}

/// Writes items with something between them.
fn separated<T>(items: &[T], separator: &str, f: &mut Formatter<'_>, mut write: impl FnMut(&T, &mut Formatter<'_>) -> Result) -> Result {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            f.write_str(separator)?;
        }
        write(item, f)?;
    }
    Ok(())
}

/// Writes declared names with commas.
fn names(names: &[Name], f: &mut Formatter<'_>) -> Result {
    separated(names, ", ", f, |name, f| declared(&name.text, f))
}

/// Writes `(p, q)`, or nothing without parameters.
fn parameters(parameters: &[Name], f: &mut Formatter<'_>) -> Result {
    if parameters.is_empty() {
        return Ok(());
    }
    f.write_char('(')?;
    names(parameters, f)?;
    f.write_char(')')
}

/// Writes a string literal with its escapes.
fn string(text: &str, f: &mut Formatter<'_>) -> Result {
    f.write_char('"')?;
    // Escapes characters that would end the literal or be invisible; every other character reads back as itself.
    for c in text.chars() {
        match c {
            '\n' => f.write_str("\\n")?,
            '\t' => f.write_str("\\t")?,
            '\r' => f.write_str("\\r")?,
            '"' | '\\' => write!(f, "\\{c}")?,
            _ => f.write_char(c)?,
        }
    }
    f.write_char('"')
}
