//! The required line breaks of a machine, independent of its author's: at clauses, at operations, and behind a keyword whose part of the
//! text has several lines.
//!
//! Invariant: each break added here exists in the result, so a second run adds nothing. Deliberately elsewhere: the author's breaks, which
//! all stay except those before a `;` on a separate line (`layout`).

use super::super::ast::{ClauseKind, Definition, Machine};
use super::super::token::Terminal;
use super::Tree;
use super::pieces::Cut;
use std::collections::HashMap;

/// The construct that begins at a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The header, a clause, or the END of the machine.
    Clause,
    /// An operation, definition or other item with a header and a body.
    Item,
    /// The body of such an item: the token is the sign before it.
    Body,
    /// A keyword between the parts of a block.
    Part,
    /// Nothing.
    Inner,
}

/// The structure of a text, by the indices of its tokens.
pub(super) struct Sections {
    /// By token, the construct that begins there.
    pub(super) roles: Vec<Role>,
    /// Tokens before which a line is broken although its author did not.
    pub(super) broken: Vec<bool>,
    /// Tokens with which an item ends.
    pub(super) ends: Vec<bool>,
    /// For each bracket and block that opens or closes, the index of its partner.
    pub(super) partners: Vec<Option<usize>>,
}

/// The places from the tree.
#[derive(Default)]
struct Places {
    clauses: Vec<usize>,
    items: Vec<usize>,
    /// Of operations, which need not reach to the next one.
    ends: Vec<usize>,
}

impl Places {
    fn of(tree: &Tree) -> Self {
        let mut places = Self::default();
        match tree {
            Tree::Machine(machine) => places.machine(machine),
            Tree::Definitions(definitions) => places.definitions(definitions),
        }
        places
    }

    fn machine(&mut self, machine: &Machine) {
        for clause in &machine.clauses {
            self.clauses.push(clause.keyword.start as usize);
            match &clause.kind {
                ClauseKind::Definitions(definitions) => self.definitions(definitions),
                ClauseKind::Operations(operations) | ClauseKind::LocalOperations(operations) => {
                    for operation in operations {
                        self.items.push(operation.span.start as usize);
                        self.ends.push(operation.span.end as usize);
                    }
                }
                _ => {}
            }
        }
    }

    fn definitions(&mut self, definitions: &[Definition]) {
        for definition in definitions {
            if let Definition::Macro { name, .. } = definition {
                self.items.push(name.span.start as usize);
            }
        }
    }
}

/// A part of the text that begins behind a keyword or sign: the index of that, and the last index of the part.
struct Section {
    opener: usize,
    last: usize,
}

/// The structure of a text.
pub(super) fn of(cut: &Cut<'_>, tree: &Tree) -> Sections {
    let count = cut.pieces.len();
    let mut sections =
        Sections { roles: vec![Role::Inner; count], broken: vec![false; count], ends: vec![false; count], partners: vec![None; count] };
    sections.mark(cut, tree);
    sections.break_items(cut);
    let parts = sections.parts(cut);
    // The number of breaks before each token, so that each part is examined once.
    let mut breaks = vec![0_usize; count + 1];
    for (index, piece) in cut.pieces.iter().enumerate() {
        breaks[index + 1] = breaks[index] + usize::from(sections.broken[index] || piece.gap.has_break());
    }
    for part in parts {
        // A part with a break inside has one before its first token as well. It changes no other part: those around it have the break
        // inside.
        let first = part.opener + 1;
        if part.last > first && breaks[part.last + 1] > breaks[first + 1] {
            sections.broken[first] = true;
        }
    }
    sections
}

impl Sections {
    /// Fills in roles, and the breaks before clauses.
    fn mark(&mut self, cut: &Cut<'_>, tree: &Tree) {
        let by_start: HashMap<usize, usize> = cut.pieces.iter().enumerate().map(|(index, piece)| (piece.start, index)).collect();
        let by_end: HashMap<usize, usize> =
            cut.pieces.iter().enumerate().map(|(index, piece)| (piece.start + piece.text.len(), index)).collect();
        let places = Places::of(tree);
        for place in &places.clauses {
            if let Some(&index) = by_start.get(place) {
                self.roles[index] = Role::Clause;
                // `REFINEMENT r REFINES m` may be on one line.
                self.broken[index] = !(cut.pieces[index].is(Terminal::Refines) && Some(place) == places.clauses.first());
            }
        }
        for place in &places.items {
            if let Some(&index) = by_start.get(place) {
                self.roles[index] = Role::Item;
            }
        }
        for place in &places.ends {
            if let Some(&index) = by_end.get(place) {
                self.ends[index] = true;
            }
        }
        if let Some(first) = self.roles.first_mut() {
            *first = Role::Clause;
        }
        if matches!(tree, Tree::Machine(_))
            && let Some(last) = cut.pieces.len().checked_sub(1)
        {
            self.roles[last] = Role::Clause;
            self.broken[last] = true;
        }
        self.match_pairs(cut);
        self.find_bodies(cut);
    }

    /// Finds the partners of brackets and blocks, and the keywords between the parts of blocks.
    fn match_pairs(&mut self, cut: &Cut<'_>) {
        let mut open: Vec<usize> = Vec::new();
        for (index, piece) in cut.pieces.iter().enumerate() {
            let Some(terminal) = piece.terminal() else { continue };
            if self.roles[index] == Role::Clause {
                // The text has no errors, so nothing is open here; cleared all the same, so that a fault stays in its clause.
                open.clear();
            } else if terminal.partner().is_some() || terminal.opens_block() {
                open.push(index);
            } else if terminal.closes_bracket() || terminal == Terminal::End {
                if let Some(opener) = open.pop() {
                    self.partners[opener] = Some(index);
                    self.partners[index] = Some(opener);
                }
            } else if parts_block(terminal)
                && open.last().is_some_and(|&opener| cut.pieces[opener].terminal().is_some_and(Terminal::opens_block))
            {
                self.roles[index] = Role::Part;
            }
        }
    }

    /// Finds the sign behind the header of each item, and the ends of definitions.
    fn find_bodies(&mut self, cut: &Cut<'_>) {
        let mut in_header = false;
        for index in 0..cut.pieces.len() {
            match self.roles[index] {
                Role::Item => {
                    in_header = true;
                    // A definition ends before the `;` before the next one.
                    if index >= 2 && cut.pieces[index - 1].is(Terminal::Semicolon) {
                        self.ends[index - 2] = true;
                    }
                }
                Role::Clause => {
                    in_header = false;
                    if index > 0 {
                        self.ends[index - 1] = true;
                    }
                }
                Role::Inner if in_header && (cut.pieces[index].is(Terminal::DefinedAs) || cut.pieces[index].is(Terminal::Equal)) => {
                    self.roles[index] = Role::Body;
                    in_header = false;
                }
                _ => {}
            }
        }
        if let Some(last) = self.ends.last_mut() {
            *last = true;
        }
    }

    /// Breaks before each operation but the first of its clause; definitions are short, and may share a line.
    fn break_items(&mut self, cut: &Cut<'_>) {
        let mut is_of_operations = false;
        let mut is_first = true;
        for index in 0..cut.pieces.len() {
            match self.roles[index] {
                Role::Clause => {
                    is_of_operations =
                        matches!(cut.pieces[index].terminal(), Some(Terminal::Operations | Terminal::Events | Terminal::LocalOperations));
                    is_first = true;
                }
                Role::Item => {
                    if is_of_operations && !is_first {
                        self.broken[index] = true;
                    }
                    is_first = false;
                }
                _ => {}
            }
        }
    }

    /// All parts: of the machine between its clauses, of items behind their headers, of blocks between their keywords.
    fn parts(&self, cut: &Cut<'_>) -> Vec<Section> {
        let mut parts = Vec::new();
        // The clause, the body, and the parts of blocks that have begun.
        let (mut clause, mut body) = (None, None);
        let mut blocks: Vec<usize> = Vec::new();
        for index in 0..cut.pieces.len() {
            let before = index.saturating_sub(1);
            match self.roles[index] {
                Role::Clause => {
                    parts.extend(clause.map(|opener| Section { opener, last: before }));
                    (clause, body) = (Some(index), None);
                    blocks.clear();
                }
                Role::Body => body = Some(index),
                Role::Part => {
                    parts.extend(blocks.pop().map(|opener| Section { opener, last: before }));
                    blocks.push(index);
                }
                Role::Item | Role::Inner => {}
            }
            match cut.pieces[index].terminal() {
                Some(terminal) if terminal.opens_block() && self.partners[index].is_some() => blocks.push(index),
                Some(Terminal::End) if self.partners[index].is_some() => {
                    parts.extend(blocks.pop().map(|opener| Section { opener, last: before }));
                }
                _ => {}
            }
            if self.ends[index] {
                parts.extend(body.take().map(|opener| Section { opener, last: index }));
            }
        }
        // In a definition file, which has no END.
        parts.extend(clause.map(|opener| Section { opener, last: cut.pieces.len() - 1 }));
        parts
    }
}

/// Whether a keyword separates parts of a block.
fn parts_block(terminal: Terminal) -> bool {
    use Terminal::{Be, Do, In, Invariant, Of, Then, Variant, Where};
    terminal.separates_branches() || matches!(terminal, Then | Of | Where | Be | In | Do | Invariant | Variant)
}
