//! Parts of a text that an editor can fold: clauses, operations, definitions, blocks of comments.
//!
//! Invariant: a range has two lines or more, and begins with the line that stays visible.

use super::analysis::Understood;
use super::position::LineStarts;
use bcheck_source::{FileId, Span};
use bcheck_syntax::ast::ClauseKind;
use bcheck_syntax::{Written, WrittenKind, written};
use lsp_types::{FoldingRange, FoldingRangeKind};
use std::ops::Range;

/// All ranges, ordered by their beginnings.
pub(super) fn ranges(understood: &Understood) -> Vec<FoldingRange> {
    let text = understood.text();
    let lines = LineStarts::of(text);
    let mut found = Vec::new();
    let mut fold = |place: Range<usize>, kind: Option<FoldingRangeKind>| {
        let (start, end) = (lines.position(place.start).line, lines.position(place.end).line);
        if start < end {
            found.push(FoldingRange { start_line: start, end_line: end, kind, ..FoldingRange::default() });
        }
    };
    let place = |span: Span| span.start as usize..span.end as usize;
    for clause in understood.machine.iter().flat_map(|machine| &machine.clauses).filter(|clause| clause.span.file == FileId(0)) {
        fold(place(clause.span), None);
        if let ClauseKind::Operations(operations) | ClauseKind::LocalOperations(operations) = &clause.kind {
            operations.iter().for_each(|operation| fold(place(operation.span), None));
        }
    }
    for comments in blocks(text) {
        fold(comments, Some(FoldingRangeKind::Comment));
    }
    found.sort_by_key(|range| (range.start_line, std::cmp::Reverse(range.end_line)));
    // A clause with a single operation may have the same range as it.
    found.dedup_by_key(|range| (range.start_line, range.end_line));
    found
}

/// Comments on consecutive lines, merged.
fn blocks(text: &str) -> Vec<Range<usize>> {
    let mut blocks: Vec<Range<usize>> = Vec::new();
    for Written { place, .. } in written(text).into_iter().filter(|token| token.kind == WrittenKind::Comment) {
        match blocks.last_mut() {
            // Only blanks and one line break between them.
            Some(last) if text[last.end..place.start].trim().is_empty() && text[last.end..place.start].matches('\n').count() <= 1 => {
                last.end = place.end;
            }
            _ => blocks.push(place),
        }
    }
    blocks
}
