//! The fields of `rec` and `struct`.
//!
//! Invariant: either all fields of one record have a label in the text, or none has (`rec` only); then each label is the empty name, and
//! the type determines it. Deliberately elsewhere: which label that is (`sema`), access to a field (`expression`).

use nom::Parser;
use nom::combinator::cut;
use nom::multi::separated_list1;

use super::ast::{Expr, Name};
use super::expression::value_in_brackets;
use super::input::{Input, Res, close, plain_name, require, sign};
use super::token::{Terminal, Token};
use bcheck_source::Span;

/// The fields of a `rec` or `struct`.
pub(super) fn fields(input: Input<'_>) -> Res<'_, Vec<(Name, Expr)>> {
    let (rest, opener) = require(Terminal::OpenParen, "`(` and the fields of the record")(input.advance(1))?;
    let (rest, fields) = if input.is(Terminal::Rec) && is_value(rest) {
        separated_list1(sign(Terminal::Comma), cut(unlabelled)).parse(rest)?
    } else {
        separated_list1(sign(Terminal::Comma), cut(field)).parse(rest)?
    };
    let (rest, _) = close(Terminal::CloseParen, opener, "parenthesis")(rest)?;
    Ok((rest, fields))
}

/// Whether the first field that begins here has no label.
fn is_value(input: Input<'_>) -> bool {
    if is_parenthesised(input) {
        return false;
    }
    match input.peek() {
        // `f = E` and `f := E` are labels with a wrong sign.
        Some(Token::Name(..)) => !matches!(input.terminal_at(1), Some(Terminal::Colon | Terminal::Equal | Terminal::Assign)),
        Some(Token::Terminal(Terminal::CloseParen)) | None => false,
        Some(_) => true,
    }
}

/// Whether a label follows parentheses that open here: `(f : E)`.
fn is_parenthesised(input: Input<'_>) -> bool {
    let mut at = 0;
    // A parenthesis is examined again at its own level only while nothing but parentheses precede it.
    while input.terminal_at(at) == Some(Terminal::OpenParen) {
        at += 1;
    }
    at > 0 && matches!(input.peek_at(at), Some(Token::Name(..))) && input.terminal_at(at + 1) == Some(Terminal::Colon)
}

/// `f : E`, in any number of parentheses.
fn field(input: Input<'_>) -> Res<'_, (Name, Expr)> {
    let mut openers: Vec<Span> = Vec::new();
    let mut rest = input;
    if is_parenthesised(input) {
        while rest.is(Terminal::OpenParen) {
            openers.push(rest.span());
            rest = rest.advance(1);
        }
    }
    let (rest, name) = plain_name("the name of a record field")(rest)?;
    if rest.is(Terminal::Equal) || rest.is(Terminal::Assign) {
        let diagnostic = rest.expected("`:` after the name of a record field").help("a record is rec(f : E, g : F)");
        return Err(rest.failure(diagnostic.fix(rest.written(1, ":"))));
    }
    let (rest, _) = require(Terminal::Colon, "`:` after the name of a record field")(rest)?;
    // Tighter than comparisons, so that the `:` of a field is never read as one; a predicate is not a value of a field.
    let (mut rest, value) = value_in_brackets(rest)?;
    while let Some(opener) = openers.pop() {
        rest = close(Terminal::CloseParen, opener, "parenthesis")(rest)?.0;
    }
    Ok((rest, (name, value)))
}

/// `E` in `rec(E, F)`.
fn unlabelled(input: Input<'_>) -> Res<'_, (Name, Expr)> {
    if matches!(input.peek(), Some(Token::Name(..))) && input.terminal_at(1) == Some(Terminal::Colon) {
        let diagnostic = input.advance(1).expected("`,` or `)` behind the value of a field");
        return Err(input
            .advance(1)
            .failure(diagnostic.help("either all fields of a record have a label, rec(f : E, g : F), or none has")));
    }
    let (rest, value) = value_in_brackets(input)?;
    Ok((rest, (Name { text: String::new(), span: value.span }, value)))
}
