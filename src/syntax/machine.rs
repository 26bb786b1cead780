//! Whole files: the header, where the machine ends, and the split into clauses.
//!
//! Invariant: the text is cut at clause keywords before anything is read (they are the synchronising tokens of panic-mode error recovery),
//! so a problem in one clause never hides another one.
//! Deliberately elsewhere: the content of clauses (`clause`).

use super::ast::{ClauseKind, Definition, Machine, MachineKind, Name};
use super::clause::{ClauseRange, clause, unknown_clause};
use super::definition::definitions;
use super::habit::{self, notation};
use super::input::{Input, Res, dotted_name, problem};
use super::meant::ELSIF;
use super::operation::parameters;
use super::token::{NameStyle, Pragma, Terminal, Token};
use bcheck_source::{Code, Diagnostic, edit_distance};

/// A whole file.
pub(super) fn machine(input: Input<'_>) -> Option<Machine> {
    let context = input.context();
    if input.is_empty() {
        context.report(
            Diagnostic::error(Code::EmptyFile, input.found_span(), "the file holds no machine")
                .help("a machine has the form MACHINE M ... END"),
        );
        return None;
    }
    if let Some(Token::Name(word @ "RULES_MACHINE", NameStyle::Plain)) = input.peek() {
        context.report(
            Diagnostic::error(Code::NotSupportedEver, input.span(), format!("`{word}`: machines of rules are not supported"))
                .label("not read")
                .help("ProB validates data with rules; bcheck reads MACHINE, REFINEMENT and IMPLEMENTATION"),
        );
        return None;
    }
    // Text before the header is one error, not the end of everything.
    let start = input.skip_to(Terminal::starts_machine);
    if start.at() != input.at() {
        let diagnostic = input.expected("MACHINE, MODEL, SYSTEM, REFINEMENT or IMPLEMENTATION");
        let notation = notation(input).filter(|_| start.is_empty());
        let is_context = input.peek() == Some(&Token::Name("CONTEXT", NameStyle::Plain));
        let diagnostic = diagnostic.fixes(is_context.then(|| input.written(1, "MACHINE")));
        context.report(diagnostic.help(notation.unwrap_or("a machine has the form MACHINE M ... END")));
    }
    let start = until_second_machine(start);
    let kind = match start.terminal()? {
        Terminal::Refinement => MachineKind::Refinement,
        Terminal::Implementation => MachineKind::Implementation,
        _ => MachineKind::Machine,
    };
    let (end, opener) = last_end(start);
    let mark = context.mark();
    let tree = machine_until(start, kind, end);
    let Some(opener) = opener else { return Some(tree) };
    // The last END closes a construct. Either an END is missing further up, or the machine's own. The second reading assigns the last END
    // to the construct: if no construct lacks an END then, the machine does; otherwise the first reading has the better diagnostics.
    let without_end = context.take_since(mark);
    // Parsed a second time, only in damaged texts. The diagnostics of the two readings are separate, and those of one are reported.
    let with_end = machine_until(start, kind, end + 1);
    let diagnostics = context.take_since(mark);
    if diagnostics.iter().any(|diagnostic| diagnostic.code == Code::MissingEnd) {
        without_end.into_iter().for_each(|diagnostic| context.report(diagnostic));
        return Some(tree);
    }
    diagnostics.into_iter().for_each(|diagnostic| context.report(diagnostic));
    let behind = start.part(end + 1, start.end());
    let opener = start.part(opener, start.end());
    // The last `ELSE IF` in the construct.
    let inside = opener.part(opener.at(), end);
    let elsif = (inside.at()..end).rev().find_map(|at| start.elsif_at(start.part(at, start.end()).span()));
    let help = match opener.terminal() {
        Some(Terminal::If) if opener.previous() == Some(&Token::Terminal(Terminal::Else)) => ELSIF,
        Some(Terminal::Case | Terminal::Either) => "CASE has two END: one for EITHER, one for CASE",
        _ => "each BEGIN, PRE, IF, … needs its own END, and so does the machine",
    };
    context.report(
        Diagnostic::error(Code::MissingEnd, behind.found_span(), "the machine has no END")
            .label("expected END")
            .also(start.span(), "the machine starts here")
            .also(opener.span(), format!("the last END closes this {}", opener.terminal().map_or("", Terminal::text)))
            .help(if elsif.is_some() { ELSIF } else { help })
            .fixes(elsif)
            .fix(behind.closed_by(Terminal::End)),
    );
    Some(with_end)
}

/// The text before a second machine, which is reported: keywords of headers occur nowhere else after an END.
fn until_second_machine(input: Input<'_>) -> Input<'_> {
    let mut rest = input.advance(1);
    loop {
        rest = rest.skip_to(Terminal::starts_machine);
        if rest.is_empty() {
            return input;
        }
        if rest.part(rest.at() - 1, rest.end()).is(Terminal::End) {
            rest.context().report(
                Diagnostic::error(Code::UnexpectedToken, rest.span(), "a second machine begins here")
                    .label("not read")
                    .also(input.span(), "the first one begins here")
                    .help("put each machine into a file of its own"),
            );
            return input.part(input.at(), rest.at());
        }
        rest = rest.advance(1);
    }
}

/// Reads a machine whose last token is before `end`.
fn machine_until(start: Input<'_>, kind: MachineKind, end: usize) -> Machine {
    let context = start.context();
    let body = start.part(start.at() + 1, end);
    // Everything before the first clause is the header. If it is damaged, the clauses are still read. Cut before reading: a clause that
    // cannot be read ends at the next keyword.
    let ranges = split(body);
    let header_end = ranges.first().map_or(end, |range| range.from);
    let (name, parameters) = match machine_header(body.part(body.at(), header_end)) {
        Ok((rest, header)) => {
            if !rest.is_empty() {
                let diagnostic = unknown_clause(rest);
                // `MACHINE lift-2`
                let is_name_torn = matches!(rest.terminal(), Some(Terminal::Minus | Terminal::Dot));
                let diagnostic = diagnostic.fixes(is_name_torn.then(|| rest.written(1, "_")));
                let is_semicolon = rest.is(Terminal::Semicolon);
                let diagnostic = diagnostic.fixes(is_semicolon.then(|| rest.removed()));
                let diagnostic = if is_semicolon { diagnostic.help("no sign stands behind the header of a machine") } else { diagnostic };
                context.report(if is_name_torn { diagnostic.help("a name has letters, digits and _ only") } else { diagnostic });
            }
            header
        }
        Err(error) => {
            context.report_problem(problem(error));
            (Name { text: String::new(), span: start.span().after() }, Vec::new())
        }
    };
    report_duplicates(body, &ranges);
    report_misplaced_files(body, &ranges);
    let clauses = ranges.iter().filter_map(|range| clause(body, *range)).collect();
    let span = start.span().to(start.part(end, start.end()).advance(1).previous_span());
    Machine { kind, name, parameters, clauses, span }
}

/// The definitions in a definition file, or those of a machine.
pub(super) fn definitions_file(input: Input<'_>) -> Vec<Definition> {
    if input.terminal().is_some_and(Terminal::starts_machine) {
        let clauses = machine(input).map(|machine| machine.clauses).unwrap_or_default();
        let lists = clauses.into_iter().map(|clause| if let ClauseKind::Definitions(list) = clause.kind { list } else { Vec::new() });
        return lists.flatten().collect();
    }
    if !input.is(Terminal::Definitions) {
        if !input.is_empty() {
            input.context().report(input.expected("DEFINITIONS").help("a file of definitions starts with the keyword DEFINITIONS"));
        }
        return Vec::new();
    }
    let mut body = input.advance(1);
    // A clause keyword in such a file: the text before it is read.
    if let Some(range) = split(body).first() {
        let stray = body.part(range.from, range.to);
        body.context().report(stray.expected("a definition or the end of the file"));
        body = body.part(body.at(), range.from);
    }
    definitions(body)
}

/// The index of the END of the machine, which is the last one of the text, and that of the keyword whose construct it closes instead.
fn last_end(input: Input<'_>) -> (usize, Option<usize>) {
    let context = input.context();
    let mut last = None;
    // `open`: the keywords of the constructs of the present clause that wait for their END. `loops`: those WHILE among them whose INVARIANT
    // is still to come, so that it does not count as the clause.
    let mut open: Vec<usize> = Vec::new();
    let mut loops = 0_usize;
    let mut rest = input;
    while !rest.is_empty() {
        match rest.terminal() {
            // The last END that is seen counts, not the first that balances: a surplus END inside would else cut the machine.
            Some(Terminal::End) => last = Some((rest.at(), open.pop())),
            // A damaged text may have more VARIANT than WHILE; the counter stops at 0.
            Some(Terminal::Variant) => loops = loops.saturating_sub(1),
            Some(keyword) if keyword.opens_block() => {
                open.push(rest.at());
                loops += usize::from(keyword == Terminal::While);
            }
            // A construct that is open when a clause begins lacks its END; the parser of that clause reports it.
            Some(keyword) if keyword.starts_clause() && !(keyword == Terminal::Invariant && loops > 0) => {
                open.clear();
                loops = 0;
            }
            _ => {}
        }
        rest = rest.advance(1);
    }
    let Some((end, opener)) = last else {
        context.report(
            Diagnostic::error(Code::MissingEnd, rest.found_span(), "the machine has no END")
                .label("expected END")
                .also(input.span(), "the machine starts here")
                .help("a machine has the form MACHINE M ... END")
                .fix(rest.closed_by(Terminal::End)),
        );
        return (input.end(), None);
    };
    let behind = input.part(end + 1, input.end());
    if !behind.is_empty() {
        let diagnostic = behind.expected("nothing after the END of the machine");
        let is_semicolon = behind.is(Terminal::Semicolon);
        context.report(if is_semicolon { diagnostic.help("remove this ;").fix(behind.removed()) } else { diagnostic });
    }
    (end, opener)
}

/// Cuts at clause keywords. INVARIANT belongs to a loop between WHILE and VARIANT.
fn split(input: Input<'_>) -> Vec<ClauseRange> {
    let mut ranges: Vec<ClauseRange> = Vec::new();
    let mut loops = 0_usize;
    let mut rest = input;
    while !rest.is_empty() {
        // A name at the very beginning is that of the machine, even if it resembles a clause.
        let keyword = match rest.peek() {
            Some(Token::Terminal(Terminal::While)) => {
                loops += 1;
                None
            }
            Some(Token::Terminal(Terminal::Variant)) => {
                loops = loops.saturating_sub(1);
                None
            }
            Some(Token::Terminal(Terminal::Invariant)) if loops > 0 => None,
            Some(Token::Terminal(terminal)) => terminal.starts_clause().then_some(*terminal),
            Some(Token::Name(text, NameStyle::Plain)) if rest.at() > input.at() => misspelt_clause(rest, text),
            _ => None,
        };
        if let Some(keyword) = keyword {
            // Invariant: `ranges` are adjacent, and the last one reaches to the end until the next keyword is found.
            if let Some(before) = ranges.last_mut() {
                before.to = rest.at();
            }
            ranges.push(ClauseRange { keyword, from: rest.at(), to: input.end() });
            // A loop does not reach into another clause: after a missing VARIANT, the next INVARIANT is the clause again.
            loops = 0;
        }
        rest = rest.advance(1);
    }
    ranges
}

/// The clause that a name misspells by one or two letters, at a place where no name can occur; the mistake is reported.
fn misspelt_clause(input: Input<'_>, text: &str) -> Option<Terminal> {
    let before = input.part(input.at() - 1, input.end());
    // After a complete operand no name can occur, except after `ref` in the header of an operation: `op ref SET = …`. After a variable of
    // this name no `=` follows the keyword of a clause.
    if !before.peek().is_some_and(Token::ends_operand)
        || before.peek() == Some(&Token::Name("ref", NameStyle::Plain))
            && matches!(input.terminal_at(1), Some(Terminal::Equal | Terminal::DefinedAs))
    {
        return None;
    }
    if text == "EXPRESSIONS" {
        // Of the same kind, and refused as such.
        return Some(Terminal::Predicates);
    }
    if let Some((meant, is_older)) = habit::clause(text) {
        let name = meant.text();
        let title =
            if is_older { format!("`{text}` is an older name of the clause {name}") } else { format!("`{text}` is not a clause of B") };
        input.context().report(
            Diagnostic::error(Code::UnknownClause, input.span(), title)
                .label(format!("read as {name}"))
                .help(format!("write {name}"))
                .fix(input.written(1, name)),
        );
        return Some(meant);
    }
    let upper = text.to_ascii_uppercase();
    // In capitals, a third of the letters may be wrong. In small letters, only the exact word counts: it is more likely a name with an
    // operator missing before it.
    // Relative to the length: two wrong letters make SETS of almost any short name.
    let allowed = if upper == text { text.len() / 3 } else { 0 };
    // The difference in length is a lower bound of the distance, and cheap.
    let near = Terminal::clause_keywords().filter(|keyword| keyword.text().len().abs_diff(text.len()) <= allowed);
    let (distance, nearest) = near.map(|keyword| (edit_distance(&upper, keyword.text()), keyword)).min_by_key(|(distance, _)| *distance)?;
    if distance > allowed {
        return None;
    }
    input.context().report(
        Diagnostic::error(Code::UnknownClause, input.span(), format!("`{text}` is not a clause of B"))
            .label(format!("read as {}", nearest.text()))
            .help(format!("did you mean {}?", nearest.text()))
            .fix(input.written(1, nearest.text())),
    );
    Some(nearest)
}

/// Reports clauses that occur twice.
fn report_duplicates(body: Input<'_>, ranges: &[ClauseRange]) {
    for (index, range) in ranges.iter().enumerate() {
        // PREDICATES may be EXPRESSIONS as well; both are refused.
        let same = |other: &&ClauseRange| one_name(other.keyword) == one_name(range.keyword) && range.keyword != Terminal::Predicates;
        // Both are read all the same, so that the second one does not make its names unknown.
        if let Some(first) = ranges[..index].iter().find(same) {
            let place = |range: &ClauseRange| body.part(range.from, range.to).span();
            body.context().report(
                Diagnostic::error(Code::DuplicateClause, place(range), format!("the clause {} stands twice", range.keyword.text()))
                    .label("the second one")
                    .also(place(first), "the first one")
                    .help("put both contents into one clause"),
            );
        }
    }
}

/// One keyword for those that mean the same clause.
fn one_name(keyword: Terminal) -> Terminal {
    match keyword {
        Terminal::ConcreteConstants => Terminal::Constants,
        Terminal::AbstractVariables => Terminal::Variables,
        Terminal::Initialization => Terminal::Initialisation,
        Terminal::Events => Terminal::Operations,
        other => other,
    }
}

/// Reports file pragmas that belong to no reference to a machine.
fn report_misplaced_files(body: Input<'_>, ranges: &[ClauseRange]) {
    let mut rest = body;
    let mut current = ranges.iter().peekable();
    // A pragma before a clause keyword belongs to the clause before.
    let mut allowed = false;
    loop {
        // A pragma is attached to the token after it, so the end of the text is visited as well.
        for (pragma, span) in rest.pragmas() {
            if matches!(pragma, Pragma::File(_)) && !(allowed && follows_reference(rest)) {
                body.context().report(
                    Diagnostic::error(Code::UnexpectedToken, *span, "a file pragma belongs behind the name of another machine")
                        .help("write SEES M /*@file \"path/M.mch\"*/"),
                );
            }
        }
        if rest.is_empty() {
            return;
        }
        if let Some(range) = current.next_if(|range| range.from == rest.at()) {
            use Terminal::{Extends, Imports, Includes, Refines, Sees, Uses};
            allowed = matches!(range.keyword, Sees | Uses | Includes | Extends | Imports | Refines);
        }
        rest = rest.advance(1);
    }
}

/// Whether the previous token may be the last one of a reference to a machine.
fn follows_reference(input: Input<'_>) -> bool {
    let before = input.part(input.at().saturating_sub(1), input.end());
    matches!(before.peek(), Some(Token::Name(..) | Token::Terminal(Terminal::CloseParen)))
}

fn machine_header(input: Input<'_>) -> Res<'_, (Name, Vec<Name>)> {
    let (rest, name) = dotted_name("the name of the machine")(input)?;
    let (rest, parameters) = parameters(rest, "CONSTRAINTS p : S says what they range over")?;
    Ok((rest, (name, parameters)))
}
