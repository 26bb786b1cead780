//! Patterns of steps: `op`, `op(e, _)`, in brackets or behind a word.
//!
//! Invariant: names and arguments are read by the parser of B in place; only commas and parentheses around them are found here.
//! Deliberately elsewhere: what may hold a pattern (`parts`, `fairness`, `ctl`).

use super::parts::{Parts, Read, parse_expression};
use super::tree::StepPattern;
use crate::ast::{Expr, Name};
use crate::input::any_name;
use crate::with_tokens_at;
use bcheck_source::{Code, Diagnostic};
use std::ops::Range;

impl Parts<'_> {
    /// A pattern of steps in brackets: `[op]`, or `(op)` behind a word.
    pub(super) fn pattern(&mut self) -> Read<StepPattern> {
        let start = self.start();
        let range = self.bracketed()?;
        if self.is_blank(&range) {
            let is_square = self.scanner.text()[start..].starts_with('[');
            let help = if is_square {
                "write [op] with the name of an operation; \"always\" is written G or □"
            } else {
                "write the name of an operation"
            };
            return Err(Diagnostic::error(Code::UnexpectedToken, self.span_from(start), "an operation is missing here").help(help));
        }
        self.pattern_of(range)
    }

    /// Patterns in parentheses after a word, separated by commas.
    pub(super) fn patterns(&mut self, word: &str) -> Read<Vec<StepPattern>> {
        if !self.scanner.sees("(") {
            return Err(self.expected("(").help(format!("write {word}(op1, op2) with names of operations")));
        }
        let range = self.bracketed()?;
        let parts = self.scanner.between_commas(range);
        parts.into_iter().map(|part| self.pattern_of(part)).collect()
    }

    /// `op`, `op(e, _)`
    fn pattern_of(&mut self, range: Range<usize>) -> Read<StepPattern> {
        let range = self.scanner.trimmed(range);
        // The name may be quoted and contain a parenthesis, so the scanner finds its end, not a search in the text.
        let name_end = self.scanner.parenthesis(range.clone());
        let name = self.scanner.trimmed(range.start..name_end);
        let name = self.operation_name(name)?;
        let mut arguments = None;
        if name_end < range.end {
            // The arguments are inside a bracket that was passed already: the scanner goes back into it and returns.
            let behind = self.scanner.at();
            self.scanner.move_to(name_end);
            let inner = self.bracketed_before(range.end)?;
            let after = self.scanner.at();
            let rest = self.scanner.trimmed(after..range.end);
            if !rest.is_empty() {
                let span = self.anchor.span(rest.start, rest.end);
                return Err(Diagnostic::error(Code::UnexpectedToken, span, "nothing may follow the arguments of an operation")
                    .help("patterns are op, op(e) and op(e, _)"));
            }
            self.scanner.move_to(behind);
            arguments = Some(self.arguments(inner)?);
        }
        Ok(StepPattern { operation: name, arguments, span: self.anchor.span(range.start, range.end) })
    }

    fn operation_name(&mut self, range: Range<usize>) -> Read<Name> {
        let span = self.anchor.span(range.start, range.end);
        let read = with_tokens_at(self.anchor, self.scanner.text(), range, |input| match any_name(input) {
            Ok((rest, name)) if rest.is_empty() => Some(name),
            _ => None,
        });
        read.tree.filter(|_| read.diagnostics.is_empty()).ok_or_else(|| {
            Diagnostic::error(Code::UnexpectedToken, span, "the name of an operation is expected here")
                .help("patterns are op, op(e) and op(e, _)")
        })
    }

    fn arguments(&mut self, range: Range<usize>) -> Read<Vec<Option<Expr>>> {
        if self.is_blank(&range) {
            return Ok(Vec::new());
        }
        let parts = self.scanner.between_commas(range);
        let mut arguments = Vec::new();
        for part in parts {
            let part = self.scanner.trimmed(part);
            match &self.scanner.text()[part.clone()] {
                "" => {
                    let place = self.anchor.span(part.start, part.end);
                    return Err(
                        Diagnostic::error(Code::UnexpectedToken, place, "an argument is missing here").help("_ stands for any value")
                    );
                }
                // No name of B begins with an underscore, so no expression is misread.
                "_" => arguments.push(None),
                _ => {
                    // Diagnostics of an argument have places in the file, which the anchor computes from those in the literal.
                    let parsed = parse_expression(self.anchor, self.scanner.text(), part);
                    self.diagnostics.extend(parsed.diagnostics);
                    arguments.push(Some(parsed.tree));
                }
            }
        }
        Ok(arguments)
    }
}
