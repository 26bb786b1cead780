//! Blanks between two tokens of one line.
//!
//! Invariant: two tokens without a blank between them are read as the same two tokens. Deliberately elsewhere: line breaks (`layout`).

use super::super::keyword::function;
use super::super::lexer::lex;
use super::super::token::{Terminal, Token};
use super::pieces::Cut;
use super::sections::Sections;
use bcheck_source::FileId;

/// Whether a blank precedes a token, which is not the first. `in_brackets`: whether the innermost open construct is a bracket.
pub(super) fn has_blank(cut: &Cut<'_>, sections: &Sections, index: usize, in_brackets: bool) -> bool {
    let is_wanted = is_wanted(cut, sections, index, in_brackets);
    // According to the lexer, where the longest sign wins: `a.. -1` or `x~ ~`.
    is_wanted || merges(cut.pieces[index - 1].text, cut.pieces[index].text)
}

/// Whether two tokens without a blank would be read as other ones.
fn merges(left: &str, right: &str) -> bool {
    let is_sign = |letter: Option<char>| letter.is_some_and(|letter| !letter.is_alphanumeric() && !"()[]{},;\"`_".contains(letter));
    if !is_sign(left.chars().next_back()) && !is_sign(right.chars().next()) {
        // Letters and digits are adjacent only across a sign, brackets are tokens by themselves.
        return !(left.ends_with(is_bracket) || right.starts_with(is_bracket));
    }
    let joined = format!("{left}{right}");
    let ends: Vec<usize> = lex(FileId(0), &joined).lexemes.iter().map(|lexeme| lexeme.span.end as usize).collect();
    ends != [left.len(), joined.len()]
}

fn is_bracket(letter: char) -> bool {
    "()[]{},;".contains(letter)
}

fn is_wanted(cut: &Cut<'_>, sections: &Sections, index: usize, in_brackets: bool) -> bool {
    let (left, right) = (&cut.pieces[index - 1], &cut.pieces[index]);
    match right.terminal() {
        Some(Terminal::Comma | Terminal::Prime | Terminal::Inverse) => return false,
        Some(terminal) if terminal.closes_bracket() => return false,
        Some(Terminal::Semicolon) if !in_brackets => return false,
        Some(Terminal::Dot) => return is_spaced_dot(cut, index),
        Some(Terminal::Interval) => return is_spaced_interval(cut, sections, index),
        // An application, an image, or the parameters of a header.
        Some(Terminal::OpenParen | Terminal::OpenBracket) if is_applied(&left.token) => return false,
        _ => {}
    }
    if matches!(right.token, Token::Dollar(_)) {
        return false;
    }
    match left.terminal() {
        Some(Terminal::OpenParen | Terminal::OpenBracket | Terminal::OpenBrace | Terminal::Prime) => false,
        Some(Terminal::Dot) => is_spaced_dot(cut, index - 1),
        Some(Terminal::Interval) => is_spaced_interval(cut, sections, index - 1),
        Some(Terminal::Minus) => !is_prefix(cut, index - 1),
        // Words such as UNION are separated from the name that they bind, signs are not.
        Some(
            Terminal::Forall
            | Terminal::Exists
            | Terminal::Lambda
            | Terminal::Not
            | Terminal::QuantifiedUnion
            | Terminal::QuantifiedInter
            | Terminal::Sigma
            | Terminal::Pi,
        ) => left.text.starts_with(|first: char| first.is_ascii_alphabetic()),
        _ => true,
    }
}

/// Whether brackets behind this token belong to it.
fn is_applied(token: &Token<'_>) -> bool {
    // The END of an expression can be applied as well; that of a substitution has no bracket after it.
    token.ends_operand() || matches!(token, Token::Terminal(terminal) if function(*terminal).is_some() || takes_brackets(*terminal))
}

/// Whether a keyword that is not a function has brackets after it like one.
fn takes_brackets(terminal: Terminal) -> bool {
    use Terminal::{Pi, QuantifiedInter, QuantifiedUnion, Rec, Sigma, Struct};
    matches!(terminal, Struct | Rec | QuantifiedUnion | QuantifiedInter | Sigma | Pi)
}

/// Whether a minus is a sign of its operand, not of a difference.
fn is_prefix(cut: &Cut<'_>, minus: usize) -> bool {
    minus == 0 || !cut.pieces[minus - 1].token.ends_operand()
}

/// A dot between two names: without blanks, they would be one.
fn is_spaced_dot(cut: &Cut<'_>, dot: usize) -> bool {
    let is_name = |index: usize| cut.pieces.get(index).is_some_and(|piece| matches!(piece.token, Token::Name(..)));
    dot > 0 && is_name(dot - 1) && is_name(dot + 1)
}

/// `1..n` needs no blanks, `a + 1 .. b - 1` does: the operators in it bind more tightly.
fn is_spaced_interval(cut: &Cut<'_>, sections: &Sections, sign: usize) -> bool {
    let is_operator = |index: Option<usize>| {
        let terminal = index.and_then(|index| cut.pieces.get(index)).and_then(|piece| piece.terminal());
        matches!(terminal, Some(Terminal::Plus | Terminal::Minus | Terminal::Times | Terminal::Divide | Terminal::Modulo | Terminal::Power))
    };
    // Over the operand on the left, back to the token before it.
    let mut left = sign.checked_sub(1);
    while let Some(index) = left {
        let piece = &cut.pieces[index];
        let is_closer = piece.terminal().is_some_and(Terminal::closes_bracket);
        left = if is_closer { sections.partners[index] } else { Some(index) }.and_then(|index| index.checked_sub(1));
        let goes_on = left.is_some_and(|before| {
            let before = &cut.pieces[before];
            // Parts of an operand: what is applied to brackets, a record of a field, a name of `$0` or of an inverse.
            let is_suffix =
                matches!(piece.terminal(), Some(Terminal::Inverse | Terminal::Prime)) || matches!(piece.token, Token::Dollar(_));
            is_suffix || is_closer && is_applied(&before.token) || before.is(Terminal::Prime)
        });
        if !goes_on {
            break;
        }
    }
    let mut right = sign + 1;
    if cut.pieces.get(right).is_some_and(|piece| piece.is(Terminal::Minus)) {
        right += 1;
    }
    loop {
        let opens = cut.pieces.get(right).and_then(|piece| piece.terminal()).is_some_and(|terminal| terminal.partner().is_some());
        right = if opens { sections.partners[right].unwrap_or(right) } else { right } + 1;
        let next = cut.pieces.get(right);
        let is_suffix = next.is_some_and(|next| {
            matches!(next.terminal(), Some(Terminal::OpenParen | Terminal::OpenBracket | Terminal::Prime | Terminal::Inverse))
                || matches!(next.token, Token::Dollar(_))
        });
        if !is_suffix {
            break;
        }
        if next.is_some_and(|next| next.is(Terminal::Prime)) {
            right += 1;
        }
    }
    is_operator(left) || is_operator(Some(right))
}
