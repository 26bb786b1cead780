//! Names before the dot or bar of a binder, and the messages if they are not written as in B.
//!
//! Invariant: only lookahead; nothing is consumed. Deliberately elsewhere: reading the names and bodies (`primary`).

use super::input::{Input, Problem};
use super::token::{NameStyle, Terminal, Token};
use bcheck_source::{Code, Diagnostic, Edit, Fix};

/// Whether names and then the dot of a binder follow.
pub(super) fn is_binding(input: Input<'_>) -> bool {
    match names_ahead(input) {
        0 => false,
        count => input.terminal_at(count) == Some(Terminal::Dot),
    }
}

/// The number of tokens in the list of names that starts here, parentheses included; 0 if there is none.
pub(super) fn names_ahead(input: Input<'_>) -> usize {
    let mut at = usize::from(input.is(Terminal::OpenParen));
    let parenthesised = at == 1;
    // Ends at the first token that is not a name, so each token is visited from its own brace only.
    loop {
        if !matches!(input.peek_at(at), Some(Token::Name(..))) {
            return 0;
        }
        at += 1;
        match input.terminal_at(at) {
            Some(Terminal::Comma) => at += 1,
            Some(Terminal::CloseParen) if parenthesised => return at + 1,
            _ => return if parenthesised { 0 } else { at },
        }
    }
}

/// The name with a dot in the list of names that begins here, and its text.
pub(super) fn dotted_ahead(input: Input<'_>) -> Option<(Input<'_>, &str)> {
    let mut rest = input;
    loop {
        match rest.peek() {
            Some(Token::Name(text, NameStyle::Dotted)) => return Some((rest, text)),
            Some(Token::Name(..)) if rest.terminal_at(1) == Some(Terminal::Comma) => rest = rest.advance(2),
            _ => return None,
        }
    }
}

/// Refuses `{x.P | E}`, in which the letters on both sides of the dot are one name; called where only names can be bound.
pub(super) fn dotted_in_braces(inside: Input<'_>) -> Result<(), nom::Err<Problem>> {
    let Some((place, text)) = dotted_ahead(inside) else { return Ok(()) };
    let name = text.split('.').next().unwrap_or(text);
    Err(place.failure(
        Diagnostic::error(Code::BadIdentifier, place.span(), format!("a name with a dot cannot be bound: {text}"))
            .label("read as one name")
            .help(format!("put blanks around the dot, {{{name} . P | E}}, or parentheses around the names, {{({name}).P | E}}"))
            .fix(Fix::new("put blanks around the dot", [Edit::replace(place.span(), text.replacen('.', " . ", 1))])),
    ))
}

/// Refuses `!P` as a negation, `#S` as a cardinality and `#` before a comment: a sign of quantifiers without a list of names behind it.
pub(super) fn not_a_quantifier(input: Input<'_>) -> Result<(), nom::Err<Problem>> {
    let inside = input.advance(1);
    let behind = inside.peek_at(usize::from(inside.is(Terminal::OpenParen)) + 1);
    let may_bind = match behind {
        // `#S < 9` has an operator there. `!x : S.(P)` has a separate message, after the colon.
        Some(Token::Terminal(sign)) => matches!(sign, Terminal::Dot | Terminal::Comma | Terminal::Colon | Terminal::CloseParen),
        Some(_) => false,
        None => true,
    };
    let (sign, meant, fix) = match input.terminal() {
        Some(Terminal::Forall) => {
            let fix = if inside.is(Terminal::OpenParen) {
                Some(input.written(1, "not"))
            } else {
                input.negated_comparison().or_else(|| input.around_operand(1, "", " = FALSE"))
            };
            ("!", "the negation of a predicate is not(P), b = FALSE for a value b of BOOL", fix)
        }
        Some(Terminal::Exists) if inside.is(Terminal::Forall) => ("#", "that exactly one x has P is card({x | P}) = 1", None),
        Some(Terminal::Exists) => {
            let fix = input.around_operand(1, "card(", ")");
            ("#", "the number of elements of a set is card(S); a comment begins with //", fix)
        }
        _ => return Ok(()),
    };
    if may_bind {
        return Ok(());
    }
    Err(input.failure(
        Diagnostic::error(Code::UnexpectedToken, input.span(), format!("`{sign}` is the sign of a quantifier, {sign}x.(..)"))
            .label("no names and no dot behind it")
            .help(meant)
            .fixes(fix),
    ))
}

/// The error for a missing dot after the names of the binder that begins at `binder`.
pub(super) fn without_dot(input: Input<'_>, binder: Input<'_>) -> Diagnostic {
    let diagnostic = input.expected("`.` after the variables of a quantifier");
    match ranging(binder).filter(|_| input.is(Terminal::Colon)) {
        Some((form, joint)) => {
            diagnostic.help(format!("what the names range over stands in the body: {form}")).fixes(input.ranged_binder(joint))
        }
        None => diagnostic,
    }
}

/// The form of the binder that begins here, with the set that its name ranges over, and the tokens between that and the body.
pub(super) fn ranging(binder: Input<'_>) -> Option<(&'static str, &'static str)> {
    Some(match binder.terminal()? {
        Terminal::Forall => ("!x.(x : S => P)", " => "),
        Terminal::Exists => ("#x.(x : S & P)", " & "),
        Terminal::Lambda => ("%x.(x : S | E)", " | "),
        Terminal::Sigma => ("SIGMA(x).(x : S | E)", " | "),
        Terminal::Pi => ("PI(x).(x : S | E)", " | "),
        Terminal::QuantifiedUnion => ("UNION(x).(x : S | E)", " | "),
        Terminal::QuantifiedInter => ("INTER(x).(x : S | E)", " | "),
        _ => return None,
    })
}
