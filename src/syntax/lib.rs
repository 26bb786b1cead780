//! Floor 1: text → syntax tree. Total: every parse returns a tree and all diagnostics; nothing here panics or fails.
//!
//! Invariant: the tree is as written (see `ast`); the only user of nom. Deliberately elsewhere: definitions, names, types (`sema`).

mod anchor;
pub mod ast;
mod binders;
mod clause;
mod definition;
mod doubt;
mod expected;
mod expression;
mod format;
mod habit;
mod input;
mod json;
mod keyword;
mod lexer;
mod machine;
mod meant;
mod operation;
mod pretty;
mod primary;
mod priority;
mod record;
mod reference;
mod repair;
mod slip;
mod substitution;
mod template;
pub mod temporal;
#[cfg(test)]
mod tests;
mod token;
mod written;

pub use anchor::Anchor;
pub use format::{Formatted, format_text};
pub use habit::{habit, word_for};
pub use json::{JsonKind, JsonText, JsonTree, parse_json};
pub use written::{Written, WrittenKind, written};

use ast::{Definition, Expr, ExprKind, Machine, Parsed};
use input::{Context, Input, Res, SURPLUS_END, problem};
use lexer::Lexed;
use std::ops::Range;
use token::{Terminal, Token};

use bcheck_source::{Code, Diagnostic, FileId, Span};

/// Reads a whole file: a machine, refinement or implementation. `None` only when the text holds no machine at all.
///
/// ```
/// use bcheck_source::FileId;
/// let parsed = bcheck_syntax::parse_machine(FileId(0), "MACHINE Empty END");
/// assert!(parsed.diagnostics.is_empty());
/// assert_eq!(parsed.tree.map(|machine| machine.name.text), Some("Empty".to_owned()));
/// ```
#[must_use]
pub fn parse_machine(file: FileId, text: &str) -> Parsed<Option<Machine>> {
    with_tokens(file, text, machine::machine)
}

/// Whether the first token of a text starts a machine. A file that a reference names is not parsed, nor quoted in messages, unless it does.
#[must_use]
pub fn begins_machine(text: &str) -> bool {
    matches!(lexer::first(text), Some(Token::Terminal(terminal)) if terminal.starts_machine())
}

/// Whether the first token of a text starts a file of definitions.
#[must_use]
pub fn begins_definitions(text: &str) -> bool {
    matches!(lexer::first(text), Some(Token::Terminal(Terminal::Definitions)))
}

/// Reads a file that holds only definitions, or those of a machine.
#[must_use]
pub fn parse_definitions_file(file: FileId, text: &str) -> Parsed<Vec<Definition>> {
    with_tokens(file, text, machine::definitions_file)
}

/// Reads an expression; a text that is plainly a predicate is refused.
#[cfg(test)]
fn parse_expression(file: FileId, text: &str) -> Parsed<Expr> {
    with_tokens(file, text, |input| whole(input, expression::expression, no_expr))
}

/// Reads a predicate; a text that is plainly an expression is refused.
#[must_use]
pub fn parse_predicate(file: FileId, text: &str) -> Parsed<Expr> {
    with_tokens(file, text, |input| whole(input, expression::predicate, no_expr))
}

/// Reads an expression or a predicate.
#[must_use]
pub fn parse_formula(file: FileId, text: &str) -> Parsed<Expr> {
    with_tokens(file, text, |input| whole(input, expression::formula_to_its_end, no_expr))
}

/// As [`parse_formula`], for text embedded in a file: `anchor` maps offsets.
#[must_use]
pub fn parse_formula_at(anchor: &Anchor, text: &str) -> Parsed<Expr> {
    with_tokens_at(anchor, text, 0..text.len(), |input| whole(input, expression::formula_to_its_end, no_expr))
}

/// Every keyword, for completion in an editor.
pub fn keywords() -> impl Iterator<Item = &'static str> {
    token::keywords()
}

/// Every sign, in ASCII where it has such a spelling, for explanations in an editor.
pub fn signs() -> impl Iterator<Item = &'static str> {
    token::signs()
}

fn no_expr(span: Span) -> Expr {
    Expr { kind: ExprKind::Error, span }
}

/// The most diagnostics stored for one text; further ones are only counted.
const MAX_DIAGNOSTICS: usize = 100;

/// Cuts the text into tokens, runs a parser and collects the diagnostics of both.
fn with_tokens<T>(file: FileId, text: &str, parser: impl FnOnce(Input<'_>) -> T) -> Parsed<T> {
    let end = text.trim_end().len();
    read(lexer::lex(file, text), Span::new(file, end, end), parser)
}

/// Runs a parser on a part of a text whose positions the anchor maps to the file.
fn with_tokens_at<T>(anchor: &Anchor, text: &str, part: Range<usize>, parser: impl FnOnce(Input<'_>) -> T) -> Parsed<T> {
    let start = part.start;
    let written = &text[part];
    let mut lexed = lexer::lex(FileId(0), written);
    // All positions in trees and messages come from the tokens, so it suffices to move these.
    lexed.move_places(|span| *span = anchor.span(start + span.start as usize, start + span.end as usize));
    let end = start + written.trim_end().len();
    read(lexed, anchor.span(end, end), parser)
}

/// Runs a parser on tokens and collects its diagnostics with those of the lexer.
fn read<T>(lexed: Lexed<'_>, end: Span, parser: impl FnOnce(Input<'_>) -> T) -> Parsed<T> {
    let context = Context::new(end);
    let tree = parser(skip_start_symbol(Input::new(&lexed.lexemes, &context)));
    let mut diagnostics = context.into_diagnostics();
    let swallowed = swallowed(&lexed, end);
    diagnostics.retain(|diagnostic| !follows_from(diagnostic, &swallowed));
    diagnostics.extend(lexed.diagnostics);
    // The sort is stable: at one place, the parser's report comes before that of the lexer.
    diagnostics.sort_by_key(|diagnostic| diagnostic.span().start);
    if diagnostics.len() > MAX_DIAGNOSTICS {
        let hidden = diagnostics.len() - MAX_DIAGNOSTICS;
        diagnostics.truncate(MAX_DIAGNOSTICS);
        let place = diagnostics[MAX_DIAGNOSTICS - 1].span();
        diagnostics.push(Diagnostic::note(Code::UnexpectedToken, place.after(), format!("{hidden} more errors are not shown")));
    }
    Parsed { tree, diagnostics }
}

/// The parts of the text swallowed by unclosed comments and strings, in order: each from its start to the first token after it. A comment
/// or long string extends to the end of the text, a string between simple quotes to the end of its line.
fn swallowed(lexed: &Lexed<'_>, end: Span) -> Vec<Range<u32>> {
    let unclosed = lexed.diagnostics.iter().filter(|diagnostic| matches!(diagnostic.code, Code::UnclosedComment | Code::UnclosedString));
    let range = |diagnostic: &Diagnostic| {
        let start = diagnostic.span().start;
        // A comment is not a token, but nothing follows it. The string itself is the first token that does not begin before it.
        let string = lexed.lexemes.partition_point(|lexeme| lexeme.span.start < start);
        start..lexed.lexemes.get(string + 1).map_or(end.end, |next| next.span.start)
    };
    unclosed.map(range).collect()
}

/// Whether a report of the parser is a consequence of a comment or string without an end, not a fault: because of what the string has
/// swallowed, the first token behind it does not fit, or something that was opened before has no end, or is closed though not opened.
fn follows_from(diagnostic: &Diagnostic, swallowed: &[Range<u32>]) -> bool {
    let before = swallowed.partition_point(|range| range.start <= diagnostic.span().start);
    // The last one before the report reaches furthest.
    let Some(range) = before.checked_sub(1).map(|last| &swallowed[last]) else { return false };
    if diagnostic.help.iter().any(|help| help.starts_with(SURPLUS_END)) {
        return true;
    }
    match diagnostic.code {
        Code::DuplicateClause => diagnostic.span().start <= range.end,
        // A closing bracket that closes nothing has one label only.
        Code::UnclosedBracket if diagnostic.labels.len() == 1 => true,
        _ => diagnostic.labels.iter().any(|label| label.span.start <= range.end),
    }
}

/// Skips `#EXPRESSION`, `#PREDICATE` and the like, with which other tools mark the kind of a text.
fn skip_start_symbol(input: Input<'_>) -> Input<'_> {
    // `#` is a quantifier as well, then with a dot or a comma behind the name of its variable.
    let marked = input.is(Terminal::Exists)
        && matches!(input.peek_at(1), Some(Token::Name("EXPRESSION" | "PREDICATE" | "FORMULA" | "SUBSTITUTION" | "MACHINECLAUSE", _)))
        && !matches!(input.terminal_at(2), Some(Terminal::Dot | Terminal::Comma));
    if marked { input.advance(2) } else { input }
}

/// Runs a parser that must read everything.
fn whole<'a, T>(input: Input<'a>, parser: impl FnOnce(Input<'a>) -> Res<'a, T>, no_tree: fn(Span) -> T) -> T {
    match parser(input) {
        Ok((rest, tree)) => {
            if !rest.is_empty() {
                input.context().report(rest.leftover("the end of the text"));
            }
            tree
        }
        Err(error) => {
            input.context().report_problem(problem(error));
            no_tree(input.found_span())
        }
    }
}
