//! The tokens of B: what the lexer makes and the parser reads.
//!
//! Invariant: every fixed token (sign or keyword) has its spellings in one table, the ASCII one first, and no two fixed tokens
//! share a spelling. Deliberately elsewhere: the tokens of formulas (`operators` of `source`), how text is cut into tokens (`lexer`), what
//! operators mean (`priority`).

use std::borrow::Cow;
use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::keyword::{constant, function};
use bcheck_source::Span;

macro_rules! terminals {
    (
        [$($variant:ident: $($spelling:literal)+,)*]
        $({ ($operator:ident $($sign:literal)+) $($columns:tt)* })*
    ) => {
        /// A token with a fixed spelling.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(super) enum Terminal {
            $($operator,)*
            $($variant,)*
        }

        /// Every fixed token with its spellings; the first is the ASCII one, which messages and `pretty` use.
        const SPELLINGS: &[(Terminal, &[&str])] =
            &[$((Terminal::$operator, &[$($sign),+]),)* $((Terminal::$variant, &[$($spelling),+]),)*];

        impl Terminal {
            /// The ASCII spelling.
            pub(crate) fn text(self) -> &'static str {
                SPELLINGS[self as usize].1[0]
            }
        }
    };
}

// Those of formulas come from the table of operators, followed by these.
bcheck_source::operators! { terminals
    // Brackets and punctuation.
    OpenParen: "(",
    CloseParen: ")",
    OpenBracket: "[",
    CloseBracket: "]",
    OpenBrace: "{",
    CloseBrace: "}",
    Comma: ",",
    Dot: "." "·" "⋅" "∙" "•",
    Bar: "|" "∣" "❘",
    DefinedAs: "==" "≙" "≜",
    // Substitution signs.
    Assign: ":=" "≔",
    BecomesIn: "::" ":∈",
    Results: "<--" "←" "⟵",
    // Signs of other languages, lexed so that a message can name the B spelling.
    BangEqual: "!=",
    DoubleAnd: "&&",
    // Substitution keywords.
    Skip: "skip",
    Begin: "BEGIN",
    End: "END",
    Pre: "PRE",
    Then: "THEN",
    Assert: "ASSERT",
    Choice: "CHOICE",
    OrBranch: "OR",
    If: "IF",
    Elsif: "ELSIF",
    Else: "ELSE",
    Select: "SELECT",
    When: "WHEN",
    Case: "CASE",
    Of: "OF",
    Either: "EITHER",
    Any: "ANY",
    Where: "WHERE",
    Let: "LET",
    Be: "BE",
    In: "IN",
    Var: "VAR",
    While: "WHILE",
    Do: "DO",
    Variant: "VARIANT",
    // Headers and clauses.
    Machine: "MACHINE",
    Model: "MODEL",
    System: "SYSTEM",
    Refinement: "REFINEMENT",
    Implementation: "IMPLEMENTATION",
    Refines: "REFINES",
    Sees: "SEES",
    Uses: "USES",
    Includes: "INCLUDES",
    Extends: "EXTENDS",
    Imports: "IMPORTS",
    Promotes: "PROMOTES",
    Constraints: "CONSTRAINTS",
    Sets: "SETS",
    Constants: "CONSTANTS",
    ConcreteConstants: "CONCRETE_CONSTANTS",
    AbstractConstants: "ABSTRACT_CONSTANTS",
    Properties: "PROPERTIES",
    Variables: "VARIABLES",
    AbstractVariables: "ABSTRACT_VARIABLES",
    ConcreteVariables: "CONCRETE_VARIABLES",
    Invariant: "INVARIANT",
    Assertions: "ASSERTIONS",
    Definitions: "DEFINITIONS",
    Predicates: "PREDICATES",
    Initialisation: "INITIALISATION",
    Initialization: "INITIALIZATION",
    Operations: "OPERATIONS",
    Events: "EVENTS",
    LocalOperations: "LOCAL_OPERATIONS",
    Values: "VALUES",
    Freetypes: "FREETYPES",
}

impl Terminal {
    /// Whether the token is a word, so that a user may have meant it as a name.
    pub(super) fn is_word(self) -> bool {
        self.text().starts_with(|first: char| first.is_ascii_alphabetic())
    }

    /// Whether the token starts a clause of a machine. `INVARIANT` does too, unless it belongs to a loop.
    pub(super) fn starts_clause(self) -> bool {
        // The clauses are the tail of the table; a test below ensures that.
        self as usize >= Terminal::Refines as usize
    }

    /// Whether the token starts a machine.
    pub(super) fn starts_machine(self) -> bool {
        use Terminal::{Implementation, Machine, Model, Refinement, System};
        matches!(self, Machine | Model | System | Refinement | Implementation)
    }

    /// Whether the token opens a construct that its own `END` closes (CASE counts twice: for itself and for `EITHER`).
    pub(super) fn opens_block(self) -> bool {
        use Terminal::{Any, Assert, Begin, Case, Choice, Either, If, Let, Pre, Select, Var, While};
        matches!(self, Begin | Pre | Assert | Choice | If | Select | Case | Either | Any | Let | Var | While)
    }

    /// Whether the keyword separates the branches of a construct.
    pub(super) fn separates_branches(self) -> bool {
        matches!(self, Terminal::When | Terminal::Elsif | Terminal::Else | Terminal::OrBranch)
    }

    /// The closing bracket that belongs to this opening one.
    pub(super) fn partner(self) -> Option<Terminal> {
        match self {
            Terminal::OpenParen => Some(Terminal::CloseParen),
            Terminal::OpenBracket => Some(Terminal::CloseBracket),
            Terminal::OpenBrace => Some(Terminal::CloseBrace),
            _ => None,
        }
    }

    /// Whether this is a closing bracket.
    pub(super) fn closes_bracket(self) -> bool {
        matches!(self, Terminal::CloseParen | Terminal::CloseBracket | Terminal::CloseBrace)
    }

    /// The keywords that start a clause, for suggestions.
    pub(super) fn clause_keywords() -> impl Iterator<Item = Terminal> {
        SPELLINGS.iter().map(|(terminal, _)| *terminal).filter(|terminal| terminal.starts_clause())
    }
}

/// Every keyword.
pub(super) fn keywords() -> impl Iterator<Item = &'static str> {
    SPELLINGS.iter().filter(|(terminal, _)| terminal.is_word()).map(|(_, spellings)| spellings[0])
}

/// Every sign, by its first spelling.
pub(super) fn signs() -> impl Iterator<Item = &'static str> {
    SPELLINGS.iter().filter(|(terminal, _)| !terminal.is_word()).map(|(_, spellings)| spellings[0])
}

/// The keyword with this spelling, if the word is one.
pub(super) fn keyword(word: &str) -> Option<Terminal> {
    static KEYWORDS: OnceLock<FxHashMap<&'static str, Terminal>> = OnceLock::new();
    // Only the ASCII spelling of a word is a keyword: other spellings are signs, also those that Unicode counts as letters.
    let keywords = KEYWORDS.get_or_init(|| {
        // The first spelling is the ASCII one.
        SPELLINGS.iter().filter(|(terminal, _)| terminal.is_word()).map(|&(terminal, spellings)| (spellings[0], terminal)).collect()
    });
    keywords.get(word).copied()
}

/// The keyword of the grammar that a name is in other case, such as `then`. Constants and functions are left out: a name may occur
/// wherever they do.
pub(super) fn keyword_in_other_case(word: &str) -> Option<Terminal> {
    let found = keyword(&word.to_ascii_uppercase())?;
    // The table lists the keywords of substitutions, headers and clauses last.
    (found as usize >= Terminal::Skip as usize && found.text() != word).then_some(found)
}

/// The signs that start with this character, longest first, for the rule that the longest sign wins.
pub(super) fn signs_starting_with(first: char) -> &'static [(&'static str, Terminal)] {
    static SIGNS: OnceLock<FxHashMap<char, Vec<(&'static str, Terminal)>>> = OnceLock::new();
    // By first character, because the lexer looks up every sign, and comparing over a hundred spellings each time is slow.
    let signs = SIGNS.get_or_init(|| {
        // All spellings, those of Unicode too: `⇒` and `=>` are one terminal.
        let mut longest_first: Vec<(&str, Terminal)> =
            SPELLINGS.iter().flat_map(|(terminal, spellings)| spellings.iter().map(|spelling| (*spelling, *terminal))).collect();
        // Sorted once; distributing them by first character preserves the order within each list.
        longest_first.sort_by_key(|(spelling, _)| std::cmp::Reverse(spelling.chars().count()));
        let mut signs: FxHashMap<char, Vec<(&'static str, Terminal)>> = FxHashMap::default();
        for (spelling, terminal) in longest_first {
            if let Some(first) = spelling.chars().next().filter(|first| !first.is_ascii_alphabetic()) {
                signs.entry(first).or_default().push((spelling, terminal));
            }
        }
        signs
    });
    signs.get(&first).map_or(&[], Vec::as_slice)
}

/// How a name was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameStyle {
    /// `abc`
    Plain,
    /// `a.b.c` without blanks
    Dotted,
    /// A text between back quotes
    Quoted,
}

/// A token of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A sign or keyword.
    Terminal(Terminal),
    /// A name, without back quotes.
    Name(&'a str, NameStyle),
    /// A decimal or hexadecimal number, as decimal digits.
    Integer(Cow<'a, str>),
    /// A number with a decimal point.
    Real(&'a str),
    /// A string, escapes resolved.
    Text(Cow<'a, str>),
    /// The text between the quotes of a template string, in which `${E}` is replaced by the value of E.
    Template(&'a str),
    /// `$` and digits behind a name; only `$0` means something.
    Dollar(&'a str),
}

impl Token<'_> {
    /// Whether this can be the last token of a formula or substitution.
    pub(super) fn ends_operand(&self) -> bool {
        match self {
            Token::Terminal(Terminal::End | Terminal::Skip | Terminal::Inverse | Terminal::EmptySet | Terminal::EmptySequence) => true,
            Token::Terminal(terminal) => terminal.closes_bracket() || constant(*terminal).is_some(),
            _ => true,
        }
    }

    /// Whether this can only be the first token of an operand.
    pub(super) fn starts_operand(&self) -> bool {
        match self {
            Token::Terminal(Terminal::OpenBrace | Terminal::Forall | Terminal::Exists | Terminal::EmptySet) => true,
            Token::Terminal(terminal) => constant(*terminal).is_some() || function(*terminal).is_some(),
            // It continues the name before it.
            Token::Dollar(_) => false,
            _ => true,
        }
    }

    /// Whether a substitution may begin behind this.
    pub(super) fn comes_before_substitution(&self) -> bool {
        use Terminal::{Begin, Do, Else, Equal, In, OrBranch, Parallel, Semicolon, Then};
        matches!(self, Token::Terminal(Begin | Do | Else | Equal | In | OrBranch | Parallel | Semicolon | Then))
    }

    /// The sign, keyword or name, as messages write it.
    pub(super) fn spelling(&self) -> Option<&str> {
        match self {
            Token::Terminal(terminal) => Some(terminal.text()),
            Token::Name(text, _) => Some(text),
            _ => None,
        }
    }

    /// How a message names the token.
    pub(crate) fn describe(&self) -> String {
        match self {
            Token::Terminal(terminal) if terminal.is_word() => format!("the keyword {}", terminal.text()),
            Token::Terminal(terminal) => format!("`{}`", terminal.text()),
            Token::Name(text, _) => format!("the name `{text}`"),
            Token::Integer(digits) => format!("the number {digits}"),
            Token::Real(digits) => format!("the number {digits}"),
            Token::Text(_) | Token::Template(_) => "a string".to_owned(),
            Token::Dollar(digits) => format!("`${digits}`"),
        }
    }
}

/// A comment with a meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Pragma<'a> {
    /// `/*@label L*/` before a predicate.
    Label(&'a str),
    /// `/*@desc …*/` behind a predicate or a name.
    Description(&'a str),
    /// `/*@file "…"*/` behind a reference to another machine; its path.
    File(&'a str),
}

impl Pragma<'_> {
    /// Whether both have the same content, whatever their line ends.
    pub(super) fn is_alike(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Label(one), Self::Label(other)) | (Self::Description(one), Self::Description(other)) => one.lines().eq(other.lines()),
            _ => self == other,
        }
    }
}

/// A token with its place and the pragmas before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Lexeme<'a> {
    /// The token.
    pub(super) token: Token<'a>,
    /// Its place.
    pub(super) span: Span,
    /// Pragmas between the token before and this one.
    pub(super) pragmas: Vec<(Pragma<'a>, Span)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_enum_and_has_no_spelling_twice() {
        let mut seen = std::collections::BTreeSet::new();
        for (index, (terminal, spellings)) in SPELLINGS.iter().enumerate() {
            assert_eq!(*terminal as usize, index);
            for spelling in *spellings {
                assert!(seen.insert(*spelling), "{spelling} stands twice");
            }
        }
    }

    #[test]
    fn names_are_written_by_the_keywords_and_signs_of_the_table() {
        let mut words: Vec<&str> = keywords().collect();
        words.sort_unstable();
        assert!(words.iter().eq(bcheck_source::KEYWORDS.iter()));
        let starts = SPELLINGS.iter().flat_map(|(_, spellings)| spellings.iter().filter_map(|spelling| spelling.chars().next()));
        let mut letters: Vec<char> = starts.filter(|first| !first.is_ascii() && first.is_alphanumeric()).collect();
        letters.sort_unstable();
        letters.dedup();
        let mut listed = bcheck_source::SIGN_LETTERS;
        listed.sort_unstable();
        assert_eq!(letters, listed);
    }

    #[test]
    fn the_longest_sign_comes_first() {
        let signs: Vec<&str> = signs_starting_with('<').iter().map(|(spelling, _)| *spelling).collect();
        assert_eq!((signs.first(), signs.last()), (Some(&"<<->>"), Some(&"<")));
    }

    #[test]
    fn clause_keywords_are_the_tail_of_the_table() {
        assert!(Terminal::Freetypes.starts_clause() && Terminal::Invariant.starts_clause());
        assert!(!Terminal::Implementation.starts_clause() && !Terminal::End.starts_clause());
    }
}
