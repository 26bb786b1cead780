//! Text → tokens, with nom: names, numbers, strings, signs, comments and pragmas.
//!
//! Invariant: total; linear, but for the conversion of hexadecimal numbers to decimal ones; every byte of the text is part of a token, a
//! blank, a comment or a reported error, and the longest possible sign is taken (`x/=y`, `a<-b`). Deliberately elsewhere: the spellings
//! (`token`), the characters of names (`source`), the grammar.

use std::borrow::Cow;

use nom::bytes::complete::{tag, take_until, take_while, take_while1};
use nom::character::complete::{char, digit1, hex_digit1, satisfy};
use nom::combinator::recognize;
use nom::sequence::{delimited, pair, preceded};
use nom::{IResult, Parser};
use num_bigint::BigUint;

use super::token::{Lexeme, NameStyle, Pragma, Token, keyword, signs_starting_with};
use bcheck_source::{Code, Diagnostic, Edit, FileId, Fix, Span, is_hidden, is_name_part, is_name_start};

/// All tokens of a text.
#[derive(Debug)]
pub(super) struct Lexed<'a> {
    /// The tokens in order.
    pub(super) lexemes: Vec<Lexeme<'a>>,
    /// All lexical errors, in source order.
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl Lexed<'_> {
    /// Changes all places.
    pub(super) fn move_places(&mut self, moved: impl Fn(&mut Span)) {
        for lexeme in &mut self.lexemes {
            moved(&mut lexeme.span);
            lexeme.pragmas.iter_mut().for_each(|(_, span)| moved(span));
        }
        self.diagnostics.iter_mut().flat_map(|diagnostic| &mut diagnostic.labels).for_each(|label| moved(&mut label.span));
        for diagnostic in &mut self.diagnostics {
            diagnostic.fixes = std::mem::take(&mut diagnostic.fixes).into_iter().filter_map(|fix| fix.moved(&moved)).collect();
        }
    }
}

/// Cuts a text into tokens.
pub(super) fn lex(file: FileId, text: &str) -> Lexed<'_> {
    let mut lexer = Lexer { file, text, diagnostics: Vec::new(), pragmas: Vec::new() };
    let lexemes = lexer.run();
    Lexed { lexemes, diagnostics: lexer.diagnostics }
}

/// The first token of a text; `None` if the text is empty or begins with an error.
pub(crate) fn first(text: &str) -> Option<Token<'_>> {
    let mut lexer = Lexer { file: FileId(0), text, diagnostics: Vec::new(), pragmas: Vec::new() };
    // As `run` does, without the rest of the text: what a file begins with decides how it is read.
    let rest = lexer.skip_first_line(text);
    let rest = lexer.skip_blanks(rest);
    if rest.is_empty() { None } else { lexer.token(rest).1 }
}

struct Lexer<'a> {
    file: FileId,
    text: &'a str,
    diagnostics: Vec<Diagnostic>,
    /// Pragmas seen since the last token.
    pragmas: Vec<(Pragma<'a>, Span)>,
}

impl<'a> Lexer<'a> {
    fn run(&mut self) -> Vec<Lexeme<'a>> {
        let mut lexemes = Vec::new();
        // The loop ends: `token` consumes at least one character, even of a text that is not a token.
        let mut rest = self.skip_first_line(self.text);
        loop {
            rest = self.skip_blanks(rest);
            if rest.is_empty() {
                return lexemes;
            }
            let (after, token) = self.token(rest);
            let span = self.span(rest, after);
            rest = after;
            // Pragmas before an invalid token are carried over to the next one, so that they are not lost with it.
            if let Some(token) = token {
                lexemes.push(Lexeme { token, span, pragmas: std::mem::take(&mut self.pragmas) });
            }
        }
    }

    /// The place from the start of `from` to the start of `to`, both being rests of the text.
    fn span(&self, from: &str, to: &str) -> Span {
        // All rests are suffixes of the one text, so differences of lengths are byte offsets in the file, whatever was skipped before.
        Span::new(self.file, self.text.len() - from.len(), self.text.len() - to.len())
    }

    /// Skips a byte order mark and a `#!` line.
    fn skip_first_line(&self, text: &'a str) -> &'a str {
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        if text.starts_with("#!") { text.find('\n').map_or("", |end| &text[end..]) } else { text }
    }

    /// Skips white space and comments, keeping pragmas.
    fn skip_blanks(&mut self, mut rest: &'a str) -> &'a str {
        loop {
            // The zero width space and the byte order mark are not white space in Unicode, but occur in pasted text. Each round either
            // consumes a comment or returns.
            rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{200B}' || c == '\u{FEFF}');
            // The line end stays: it is white space, and a text that ends here has none.
            if rest.starts_with("//") {
                rest = &rest[rest.find(['\n', '\r']).unwrap_or(rest.len())..];
            } else if rest.starts_with("/*") {
                rest = self.comment(rest);
            } else {
                return rest;
            }
        }
    }

    fn comment(&mut self, rest: &'a str) -> &'a str {
        let Ok((after, content)) = block_comment(rest) else {
            let opener = self.span(rest, &rest[2..]);
            self.diagnostics.push(
                Diagnostic::error(Code::UnclosedComment, opener, "this comment has no end")
                    .label("the comment starts here")
                    .help("close it with */"),
            );
            // The rest of the text counts as comment. `read` then drops the parser's errors about missing tokens after this place.
            return "";
        };
        if let Some(pragma) = content.strip_prefix('@').and_then(pragma) {
            let span = self.span(rest, after);
            self.pragmas.push((pragma, span));
        }
        after
    }

    /// One token, or an error that is reported and skipped.
    fn token(&mut self, rest: &'a str) -> (&'a str, Option<Token<'a>>) {
        let first = rest.chars().next().unwrap_or(' ');
        match first {
            '"' => self.string(rest),
            // A single quote is the sign of record access, `r'field`; a string over several lines begins with three.
            '\'' if rest.starts_with("'''") => self.long_string(rest),
            '`' if rest.starts_with("```") => self.template(rest),
            '`' => self.quoted_name(rest),
            '0'..='9' => self.number(rest),
            '$' => self.dollar(rest),
            '_' => self.underscore_name(rest),
            _ if is_name_start(first) => word_token(rest),
            _ => self.sign(rest, first),
        }
    }

    fn sign(&mut self, rest: &'a str, first: char) -> (&'a str, Option<Token<'a>>) {
        // Longest first, so the first that fits is the longest (maximal munch).
        if let Some(&(spelling, terminal)) = signs_starting_with(first).iter().find(|(spelling, _)| rest.starts_with(spelling)) {
            return (&rest[spelling.len()..], Some(Token::Terminal(terminal)));
        }
        let mut after = &rest[first.len_utf8()..];
        // `@inv1`: the label belongs to the sign.
        if first == '@' {
            after = after.trim_start_matches(is_name_part);
        }
        let place = self.span(rest, after);
        // A run of unknown characters is one error.
        if let Some(last) = self.diagnostics.last_mut()
            && last.code == Code::UnknownCharacter
            && last.span().end == place.start
        {
            last.labels[0].span = last.span().to(place);
            // It replaces the first of them only.
            last.fixes.clear();
            return (after, None);
        }
        let shown = if is_hidden(first) { format!("U+{:04X}", u32::from(first)) } else { format!("`{first}`") };
        let mut diagnostic = Diagnostic::error(Code::UnknownCharacter, place, format!("no B token starts with the character {shown}"));
        if let Some(help) = habit(first) {
            diagnostic = diagnostic.help(help);
        }
        let label = first == '@' && place.end > place.start + 1;
        let text =
            if label { Some(format!("/*@label {}*/", &rest[1..rest.len() - after.len()])) } else { sign_for(first).map(str::to_owned) };
        // `p?` is a name with a sign too many, `P ? a : b` another construct.
        let follows_name = self.text[..place.start as usize].ends_with(is_name_part);
        let text = text.filter(|_| first != '?' || follows_name);
        let title = |text: &str| if text.is_empty() { "remove it".to_owned() } else { format!("write {}", text.trim()) };
        diagnostic = diagnostic.fixes(text.map(|text| Fix::new(title(&text), [Edit::replace(place, text)])));
        self.diagnostics.push(diagnostic);
        (after, None)
    }

    fn string(&mut self, rest: &'a str) -> (&'a str, Option<Token<'a>>) {
        let mut escaped = false;
        for (at, c) in rest.char_indices().skip(1) {
            match c {
                // A backslash escapes the next character unless it is escaped itself: `"a\\"` ends at its last quote.
                '"' if !escaped => return (&rest[at + 1..], Some(Token::Text(unescape(&rest[1..at])))),
                '\n' => break,
                _ => escaped = c == '\\' && !escaped,
            }
        }
        let line = rest.find(['\r', '\n']).unwrap_or(rest.len());
        self.diagnostics.push(
            Diagnostic::error(Code::UnclosedString, self.span(rest, &rest[1..]), "this string has no closing quote")
                .label("the string starts here")
                .help("close it with \" on the same line, or use ''' for a string over several lines")
                .fix(Fix::new("close it at the end of the line", [Edit::replace(self.span(&rest[line..], &rest[line..]), "\"")])),
        );
        // The rest of the line counts as the string, so that the parser finds an operand and continues in the next line.
        (&rest[line..], Some(Token::Text(unescape(rest[1..line].trim_end()))))
    }

    fn long_string(&mut self, rest: &'a str) -> (&'a str, Option<Token<'a>>) {
        let mut escaped = false;
        for (at, c) in rest.char_indices().skip(3) {
            if !escaped && rest[at..].starts_with("'''") {
                return (&rest[at + 3..], Some(Token::Text(unescape(&rest[3..at]))));
            }
            escaped = c == '\\' && !escaped;
        }
        self.diagnostics.push(
            Diagnostic::error(Code::UnclosedString, self.span(rest, &rest[3..]), "this string has no closing quotes")
                .label("the string starts here")
                .help("close it with '''"),
        );
        ("", Some(Token::Text(unescape(&rest[3..]))))
    }

    fn template(&mut self, rest: &'a str) -> (&'a str, Option<Token<'a>>) {
        let inside = &rest[3..];
        if let Some(length) = inside.find("```") {
            return (&inside[length + 3..], Some(Token::Template(&inside[..length])));
        }
        self.diagnostics.push(
            Diagnostic::error(Code::UnclosedString, self.span(rest, inside), "this template string has no closing quotes")
                .label("the string starts here")
                .help("close it with ```"),
        );
        ("", Some(Token::Template(inside)))
    }

    fn quoted_name(&mut self, rest: &'a str) -> (&'a str, Option<Token<'a>>) {
        match quoted_name(rest) {
            Ok((after, text)) => {
                if let Some(hidden) = text.chars().find(|letter| is_hidden(*letter)) {
                    let number = u32::from(hidden);
                    self.diagnostics.push(
                        Diagnostic::error(
                            Code::BadIdentifier,
                            self.span(rest, after),
                            format!("this back-quoted name holds the character U+{number:04X}, which cannot be seen"),
                        )
                        .help("leave out control characters, line separators and marks of the direction of writing"),
                    );
                }
                (after, Some(Token::Name(text, NameStyle::Quoted)))
            }
            // Only the quote is consumed. Time stays linear: the scan stopped at once (an empty name), or found no other back quote up to
            // the end of the line.
            Err(_) => {
                self.diagnostics.push(
                    Diagnostic::error(Code::BadIdentifier, self.span(rest, &rest[1..]), "this back-quoted name is empty or has no end")
                        .help("write the name between two back quotes on one line"),
                );
                (&rest[1..], None)
            }
        }
    }

    fn number(&mut self, rest: &'a str) -> (&'a str, Option<Token<'a>>) {
        // Most specific first: `0x1F` and `1.5` both begin as decimal numbers, and `1..2` is not a real number.
        if let Ok((after, digits)) = hexadecimal(rest) {
            let value = BigUint::parse_bytes(digits.as_bytes(), 16).expect("hexadecimal digits only");
            return (after, Some(Token::Integer(Cow::Owned(value.to_string()))));
        }
        if let Some(after) = rest.strip_prefix("0x") {
            self.diagnostics.push(
                Diagnostic::error(Code::BadNumber, self.span(rest, after), "hexadecimal digits are missing after 0x")
                    .help("write for instance 0xFF"),
            );
            // A number replaces the faulty one, so that the parser does not also report a missing operand.
            return (after, Some(Token::Integer(Cow::Borrowed("0"))));
        }
        // Digits are demanded behind the point: `1..2` is an interval, `f(1).x` a field.
        if let Ok((after, digits)) = real(rest) {
            return (after, Some(Token::Real(digits)));
        }
        match decimal(rest) {
            Ok((after, digits)) => (after, Some(Token::Integer(Cow::Borrowed(digits)))),
            Err(_) => (&rest[1..], None),
        }
    }

    fn dollar(&mut self, rest: &'a str) -> (&'a str, Option<Token<'a>>) {
        match dollar(rest) {
            Ok((after, digits)) => (after, Some(Token::Dollar(digits))),
            Err(_) => self.sign(rest, '$'),
        }
    }

    fn underscore_name(&mut self, rest: &'a str) -> (&'a str, Option<Token<'a>>) {
        let length = rest.find(|c: char| !is_name_part(c)).unwrap_or(rest.len());
        let (text, after) = rest.split_at(length);
        self.diagnostics.push(
            Diagnostic::error(Code::BadIdentifier, self.span(rest, after), "a name must start with a letter")
                .label("starts with an underscore")
                .help(format!("write it between back quotes, `{text}`, or choose another name"))
                .fix(Fix::new(format!("write `{text}`"), Edit::around(self.span(rest, after), "`", "`"))),
        );
        (after, Some(Token::Name(text, NameStyle::Plain)))
    }
}

/// The remedy for a character of other notations.
fn habit(character: char) -> Option<&'static str> {
    match character {
        '–' | '—' => Some("write a minus as -"),
        '“' | '”' | '„' => Some("write strings between straight quotes: \"text\""),
        '‘' | '’' => Some("write record access as r'field with a straight quote"),
        '⊋' | '∊' | '∍' => Some("its meaning is not agreed upon; write <: or <<: or : with the sides in order"),
        '⇐' | '⟸' => Some("write P => Q with the condition on the left"),
        '⋀' => Some("the conjunction is ∧ or &"),
        '⋁' => Some("the disjunction is ∨ or or"),
        '∄' => Some("write not(#x.(P))"),
        '?' => Some("B has no conditional operator; write IF P THEN E ELSE F END; names have no ? behind them"),
        '@' => Some("only @finite and @partition start with @; a label is a comment: /*@label L*/ P"),
        '⊕' => Some("write <+ to override a relation: f <+ {x |-> E}"),
        '…' => Some("the interval from a to b is a..b"),
        '⟨' | '⟩' => Some("a sequence is written [a, b]"),
        '≡' => Some("write <=> between predicates, = between values"),
        '√' => Some("B has no roots: choose r with r * r <= x"),
        _ => None,
    }
}

/// The text that can replace such a character.
fn sign_for(character: char) -> Option<&'static str> {
    Some(match character {
        '–' | '—' => "-",
        '“' | '”' | '„' => "\"",
        '‘' | '’' => "'",
        '⋀' => "&",
        '⋁' => " or ",
        '?' => "",
        '⊕' => "<+",
        '…' => "..",
        '⟨' => "[",
        '⟩' => "]",
        _ => return None,
    })
}

/// `/* … */`, its content.
fn block_comment(input: &str) -> IResult<&str, &str> {
    // Comments do not nest in B: the first end closes the comment, however many have begun inside.
    delimited(tag("/*"), take_until("*/"), tag("*/")).parse(input)
}

/// The content of a comment after `@`. Unknown pragmas are comments.
fn pragma(content: &str) -> Option<Pragma<'_>> {
    let content = content.trim();
    let (keyword, argument) = content.split_once(char::is_whitespace).unwrap_or((content, ""));
    match keyword {
        "label" => Some(Pragma::Label(argument.trim())),
        "desc" => Some(Pragma::Description(argument.trim())),
        "file" => Some(Pragma::File(argument.trim().trim_matches('"'))),
        _ => None,
    }
}

fn word(input: &str) -> IResult<&str, &str> {
    recognize(pair(satisfy(is_name_start), take_while(is_name_part))).parse(input)
}

/// A keyword, a name, or names joined by dots without blanks.
fn word_token(input: &str) -> (&str, Option<Token<'_>>) {
    let Ok((mut rest, first)) = word(input) else {
        // Unreachable: the caller has checked that the first character starts a name.
        return (&input[1..], None);
    };
    if let Some(terminal) = keyword(first) {
        return (rest, Some(Token::Terminal(terminal)));
    }
    let mut style = NameStyle::Plain;
    while let Ok((after, part)) = preceded(char('.'), word).parse(rest) {
        // No part of a dotted name is a keyword, so `{x.not(x = 1) | x}` binds `x`.
        if keyword(part).is_some() {
            break;
        }
        style = NameStyle::Dotted;
        rest = after;
    }
    (rest, Some(Token::Name(&input[..input.len() - rest.len()], style)))
}

fn quoted_name(input: &str) -> IResult<&str, &str> {
    delimited(char('`'), take_while1(|c| c != '`' && c != '\n'), char('`')).parse(input)
}

fn hexadecimal(input: &str) -> IResult<&str, &str> {
    preceded(tag("0x"), hex_digit1).parse(input)
}

/// Digits on both sides of one dot; `1..2` is an interval.
fn real(input: &str) -> IResult<&str, &str> {
    recognize((digit1, char('.'), digit1)).parse(input)
}

fn decimal(input: &str) -> IResult<&str, &str> {
    digit1(input)
}

fn dollar(input: &str) -> IResult<&str, &str> {
    preceded(char('$'), digit1).parse(input)
}

/// Resolves `\n`, `\t`, `\r`, `\"`, `\'`, `\\` and `\u{1b}`, a character by its number in Unicode; any other backslash is literal. A line
/// end is `\n`, however the file writes it.
pub(super) fn unescape(raw: &str) -> Cow<'_, str> {
    // Most strings have no escapes, and are not copied.
    if !raw.contains(['\\', '\r']) {
        return Cow::Borrowed(raw);
    }
    Cow::Owned(characters(raw).map(|(character, _)| character).collect())
}

/// The characters of a literal with its escapes resolved, each with the number of bytes that it is written with.
pub(super) fn characters(raw: &str) -> impl Iterator<Item = (char, usize)> {
    let mut rest = raw;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let (character, length) = match first {
            // As ProB does: a string does not depend on the system on which its file was written.
            '\r' => ('\n', if rest.starts_with("\r\n") { 2 } else { 1 }),
            _ => escape(rest).unwrap_or((first, first.len_utf8())),
        };
        rest = &rest[length..];
        Some((character, length))
    })
}

/// The escape at the start of a text: the character that it denotes, and its length.
fn escape(text: &str) -> Option<(char, usize)> {
    let after = text.strip_prefix('\\')?;
    match after.chars().next()? {
        'n' => Some(('\n', 2)),
        't' => Some(('\t', 2)),
        'r' => Some(('\r', 2)),
        quote @ ('"' | '\'' | '\\') => Some((quote, 2)),
        // Only with braces, as in Rust; anything else behind a backslash is left unchanged.
        'u' => {
            let digits = after.strip_prefix("u{")?;
            // Six digits at most, then the brace.
            let length = digits.bytes().take(7).position(|byte| byte == b'}').filter(|length| *length > 0)?;
            let digits = digits[..length].bytes().all(|byte| byte.is_ascii_hexdigit()).then_some(&digits[..length])?;
            Some((char::from_u32(u32::from_str_radix(digits, 16).ok()?)?, length + "\\u{}".len()))
        }
        _ => None,
    }
}
