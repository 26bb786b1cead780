//! The position of each token, line by line.
//!
//! The indentation of a line is determined by the constructs that are open where it begins: a clause, an item (operation or definition),
//! blocks and brackets. An open construct has an *anchor*, the indentation of the line on which it was opened, and a *content*, which is
//! one step more. Items of a list (conjuncts, statements) begin at the content; the further lines of one item are one step deeper than its
//! first.
//! Invariant: columns depend on the line breaks of the result alone, so formatting is idempotent. Deliberately elsewhere: blanks within a
//! line (`spacing`), breaks that are added (`sections`).

use super::super::token::Terminal;
use super::lines::Lines;
use super::pieces::{Comment, Cut, Gap};
use super::sections::{Role, Sections};
use super::spacing::has_blank;

/// One step of indentation.
const STEP: usize = 2;

/// Something that is open.
struct Level {
    is_bracket: bool,
    /// The indentation of what closes it, and of keywords between its parts.
    anchor: usize,
    /// The indentation of its content.
    content: usize,
    /// The indentation of the line on which the present item of its list began.
    item: usize,
    /// Whether an item begins with the next token.
    is_fresh: bool,
    /// Whether the item continues after the next `&` or comma, as in `P => Q & R`.
    is_sticky: bool,
}

impl Level {
    fn new(is_bracket: bool, anchor: usize, content: usize) -> Self {
        Self { is_bracket, anchor, content, item: anchor, is_fresh: true, is_sticky: false }
    }

    fn begin_part(&mut self) {
        (self.is_fresh, self.is_sticky) = (true, false);
    }
}

/// The text in the layout.
pub(super) fn laid_out(cut: &Cut<'_>, sections: &Sections) -> String {
    let mut layout = Layout { cut, sections, levels: Vec::new(), lines: Lines::default(), indent: 0 };
    for index in 0..=cut.pieces.len() {
        layout.gap(index);
        if index < cut.pieces.len() {
            layout.lines.put(cut.pieces[index].text, false);
            layout.pass(index);
        }
    }
    let text = layout.lines.finish(cut.line_end);
    // A byte order mark was written on purpose.
    if cut.text.starts_with('\u{FEFF}') { format!("\u{FEFF}{text}") } else { text }
}

struct Layout<'c, 'a> {
    cut: &'c Cut<'a>,
    sections: &'c Sections,
    levels: Vec<Level>,
    lines: Lines,
    /// The indentation of the present line.
    indent: usize,
}

impl<'a> Layout<'_, 'a> {
    /// Writes the breaks, comments and blank before a token.
    fn gap(&mut self, index: usize) {
        let gap = self.cut.gap(index);
        let has_token = index < self.cut.pieces.len();
        let is_added = has_token && self.sections.broken[index] && index > 0 && !gap.has_break();
        // Of the comments on the line of both tokens, one before a clause belongs to the clause, any other to the previous token.
        let belongs_back = has_token && self.sections.roles[index] == Role::Clause;
        for (at, comment) in gap.comments.iter().enumerate() {
            let breaks = if at == 0 && is_added && !belongs_back { 1 } else { comment.breaks };
            if self.lines.is_empty() {
                self.lines.begin(0, false);
                self.lines.put_comment(comment, false);
            } else if breaks > 0 {
                self.begin_line(self.indent_of_comment(index, gap, comment), breaks > 1 && !(at == 0 && self.is_opener(index)));
                self.lines.put_comment(comment, false);
            } else if !comment.text.contains('\n') && is_last_of_line(gap, at, has_token && !(is_added && belongs_back)) {
                self.lines.put_last(comment);
            } else {
                self.lines.put_comment(comment, true);
            }
        }
        if !has_token {
            return;
        }
        let behind_line = gap.comments.last().is_some_and(Comment::is_line);
        let adds_here = is_added && (belongs_back || gap.comments.is_empty());
        if self.lines.is_empty() {
            self.begin_line(0, false);
        } else if (gap.breaks > 0 && !self.is_pulled_up(index)) || behind_line || adds_here {
            let is_at_edge = self.is_closer(index) || gap.comments.is_empty() && self.is_opener(index);
            self.begin_line(self.indent_of(index), gap.breaks > 1 && !is_at_edge);
        } else if index > 0 || !gap.comments.is_empty() {
            let in_brackets = self.levels.last().is_some_and(|level| level.is_bracket);
            let behind_comment = !gap.comments.is_empty();
            let is_blank = match self.cut.pieces[index].terminal() {
                Some(Terminal::Comma | Terminal::Semicolon) if behind_comment => false,
                Some(terminal) if behind_comment => !terminal.closes_bracket(),
                None if behind_comment => true,
                _ => has_blank(self.cut, self.sections, index, in_brackets),
            };
            if is_blank {
                self.lines.put("", true);
            }
        }
    }

    fn begin_line(&mut self, indent: usize, behind_empty: bool) {
        self.lines.begin(indent, behind_empty);
        self.indent = indent;
    }

    /// Whether a `;` has its line for itself, outside of brackets: then it goes to the end of the line before.
    fn is_pulled_up(&self, index: usize) -> bool {
        let piece = &self.cut.pieces[index];
        piece.is(Terminal::Semicolon)
            && piece.gap.comments.is_empty()
            && self.levels.last().is_some_and(|level| !level.is_bracket)
            && (self.cut.gap(index + 1).has_break() || self.sections.broken.get(index + 1).is_none_or(|is_broken| *is_broken))
    }

    /// Whether the previous token begins a part of the text, so that no empty line follows it.
    fn is_opener(&self, index: usize) -> bool {
        let Some(before) = index.checked_sub(1) else { return true };
        matches!(self.sections.roles[before], Role::Body | Role::Part | Role::Clause)
            || self.sections.partners[before].is_some_and(|partner| partner > before)
    }

    /// Whether the token ends a part of the text, other than a clause.
    fn is_closer(&self, index: usize) -> bool {
        self.sections.roles[index] == Role::Part || self.sections.partners[index].is_some_and(|partner| partner < index)
    }

    /// The indentation of a line that begins with this token.
    fn indent_of(&self, index: usize) -> usize {
        let Some(level) = self.levels.last() else { return 0 };
        match self.sections.roles[index] {
            Role::Clause => 0,
            Role::Item => self.levels[0].content,
            _ if self.is_closer(index) => level.anchor,
            _ => {
                let terminal = self.cut.pieces[index].terminal();
                let begins_item = level.is_fresh || terminal.is_some_and(separates) || !level.is_sticky && terminal.is_some_and(joins);
                if begins_item { level.content } else { level.item + STEP }
            }
        }
    }

    /// The indentation of a comment on a line of its own: that of the next line, or of the construct that ends here if that is deeper.
    fn indent_of_comment(&self, index: usize, gap: &Gap<'a>, comment: &Comment<'a>) -> usize {
        let content = self.levels.first().map_or(0, |level| level.content);
        let Some(piece) = self.cut.pieces.get(index) else {
            // Behind the END, or behind the last definition of a file.
            let is_behind_end = self.cut.pieces.last().is_some_and(|last| last.is(Terminal::End));
            return if is_behind_end || comment.column == 0 { 0 } else { content };
        };
        let own = self.indent_of(index);
        let inner = match self.sections.roles[index] {
            Role::Clause => content,
            _ if self.is_closer(index) => self.levels.last().map_or(0, |level| level.content),
            _ => return own,
        };
        let before = gap.comments.iter().rev().find(|before| before.breaks > 0).map_or(0, |before| before.column);
        let column = if gap.breaks > 0 { piece.column } else { before };
        if comment.column <= column { own } else { inner }
    }

    /// Records a token that was written.
    fn pass(&mut self, index: usize) {
        let indent = self.indent;
        let terminal = self.cut.pieces[index].terminal();
        match self.sections.roles[index] {
            Role::Clause => {
                self.levels.clear();
                self.levels.push(Level::new(false, 0, STEP));
                return;
            }
            Role::Item => {
                self.levels.truncate(1);
                let content = self.levels.first().map_or(0, |level| level.content) + STEP;
                self.levels.push(Level { item: indent, is_fresh: false, ..Level::new(false, indent, content) });
            }
            Role::Body | Role::Part => self.levels.last_mut().into_iter().for_each(Level::begin_part),
            Role::Inner => self.pass_inner(index, terminal),
        }
        if self.sections.ends[index] {
            self.levels.truncate(1);
        }
    }

    fn pass_inner(&mut self, index: usize, terminal: Option<Terminal>) {
        let indent = self.indent;
        let Some(level) = self.levels.last_mut() else { return };
        let separates = terminal.is_some_and(separates);
        let joins = terminal.is_some_and(joins);
        let partner = self.sections.partners[index];
        let closes = partner.is_some_and(|partner| partner < index);
        if level.is_fresh && !separates && !joins && !closes {
            (level.item, level.is_fresh) = (indent, false);
        }
        if separates {
            level.begin_part();
        } else if joins && !level.is_sticky {
            level.is_fresh = true;
        } else if terminal.is_some_and(binds_loosely) {
            level.is_sticky = true;
        }
        if closes {
            // The level of the machine itself stays.
            self.levels.truncate((self.levels.len() - 1).max(1));
        } else if partner.is_some() {
            let is_bracket = terminal.is_some_and(|terminal| terminal.partner().is_some());
            self.levels.push(Level::new(is_bracket, indent, indent + STEP));
        }
    }
}

/// Whether the line ends behind a comment that does not begin one.
fn is_last_of_line(gap: &Gap<'_>, at: usize, has_token: bool) -> bool {
    match gap.comments.get(at + 1) {
        Some(next) => next.breaks > 0,
        None => gap.breaks > 0 || !has_token || gap.comments[at].is_line(),
    }
}

/// Whether an item of a list ends with this sign, whatever was in it.
fn separates(terminal: Terminal) -> bool {
    matches!(terminal, Terminal::Semicolon | Terminal::Parallel | Terminal::Bar)
}

/// Whether an item ends with this sign, unless a looser one was before it.
fn joins(terminal: Terminal) -> bool {
    matches!(terminal, Terminal::And | Terminal::Or | Terminal::Comma)
}

/// Whether `&` behind this sign belongs to what follows it.
fn binds_loosely(terminal: Terminal) -> bool {
    use Terminal::{Assign, BecomesIn, DefinedAs, Equivalent, Implies};
    matches!(terminal, Implies | Equivalent | Assign | BecomesIn | DefinedAs)
}
