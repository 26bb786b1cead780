//! Habits from other notations (Event-B, TLA+, Alloy, Z, programming languages, mathematics), and the equivalents in B.
//!
//! Invariant: never consulted about a correct text. Signs are looked up only where B has no reading for them, words only where a name has
//! no meaning or cannot occur: as names of a machine all of these words are valid.

use super::ast::BinaryOp;
use super::input::Input;
use super::priority::{self, Infix};
use super::token::{NameStyle, Terminal, Token};
use bcheck_source::Fix;

/// An equivalent that several words of other notations share.
const SEQUENCES: &str = "the set of all sequences of elements of S is seq(S)";
const RANGES: &str = "the range of a relation is ran(f), the interval from a to b is a..b";

/// The equivalent in B of this word of other notations, with the word of B that can replace it, if there is one.
fn in_b(word: &str) -> Option<(&'static str, Option<&'static str>)> {
    Some(match word {
        "N1" => ("the set of positive numbers is NATURAL1", Some("NATURAL1")),
        "N" | "Naturals" => ("the set of natural numbers is NATURAL", Some("NATURAL")),
        "Z" | "Integers" => ("the set of integers is INTEGER", Some("INTEGER")),
        "Boolean" | "BOOLEAN" | "boolean" => ("the set of TRUE and FALSE is BOOL", Some("BOOL")),
        "set" | "Set" | "P" | "SUBSET" | "Power" | "power" | "powerset" | "PowerSet" => {
            ("the set of all subsets of S is POW(S)", Some("POW"))
        }
        "list" | "List" | "Sequence" | "sequence" => (SEQUENCES, Some("seq")),
        "array" | "Array" => (SEQUENCES, None),
        "len" | "Len" | "length" | "Length" => {
            ("size(s) is the length of a sequence, card(S) the number of elements of a set", Some("size"))
        }
        "Cardinality" | "cardinality" => ("the number of elements of a set is card(S)", Some("card")),
        "DOMAIN" | "Domain" | "domain" => ("the domain of a relation is dom(f)", Some("dom")),
        "RANGE" | "Range" => (RANGES, Some("ran")),
        "range" => (RANGES, None),
        "Head" | "head" => ("the first element of a sequence is first(s)", Some("first")),
        "Append" | "append" => ("s <- x is the sequence s with x behind it, s ^ t joins two sequences", None),
        "None" | "none" | "null" | "Null" | "NULL" | "nil" => {
            ("B has no undefined value: use a set with at most one element, or an element of its own", None)
        }
        "abs" => ("the absolute value is max({x, -x})", None),
        "sum" | "Sum" => ("the sum of the values of E is SIGMA(x).(P | E)", None),
        "prod" | "product" => ("the product of the values of E is PI(x).(P | E)", None),
        "lambda" | "fun" => ("the function with the values E is %x.(P | E)", None),
        "UNCHANGED" => ("a variable that is not assigned keeps its value; skip is the substitution that does nothing", None),
        "CHOOSE" => ("x :: S chooses an element of S, ANY x WHERE P THEN S END a value that makes P true", None),
        "EXCEPT" => ("f(x) := E changes f at x; as an expression write f <+ {x |-> E}", None),
        "return" | "Return" | "RETURN" => ("a result is assigned, as in r <-- op = r := E", None),
        "for" | "For" | "FOR" | "foreach" => ("change a set or function as a whole, as in f := f <+ %x.(P | E), or write WHILE", None),
        "forall" | "all" | "ForAll" => ("the universal quantifier is !x.(P => Q)", None),
        "exists" | "some" | "Exists" => ("the existential quantifier is #x.(P); a set is not empty if S /= {}", None),
        "no" => ("a set is empty if S = {}; no x has P is not(#x.(P))", None),
        "one" | "lone" => ("a set has one element if card(S) = 1, at most one if card(S) <= 1", None),
        "ELSEIF" | "ElseIf" | "elseif" | "ELIF" | "elif" => ("write ELSIF", Some("ELSIF")),
        "ENDIF" | "EndIf" | "endif" | "FI" | "ENDWHILE" | "endwhile" | "OD" => ("every construct ends with END", Some("END")),
        _ => return None,
    })
}

/// The equivalent in B of this word of other notations.
#[must_use]
pub fn habit(word: &str) -> Option<&'static str> {
    in_b(word).map(|(help, _)| help)
}

/// The word of B that can replace this word of other notations, if there is one.
#[must_use]
pub fn word_for(word: &str) -> Option<&'static str> {
    in_b(word)?.1
}

/// As [`word_for`], for a word with an operand after it, where there is a fix: `SUBSET S` is `POW(S)`.
pub(super) fn applied_to_operand(input: Input<'_>, word: &str) -> Option<Fix> {
    let is_binder = matches!(input.peek_at(1), Some(Token::Name(_, NameStyle::Plain)))
        && matches!(input.terminal_at(2), Some(Terminal::Dot | Terminal::Comma));
    match word {
        "SUBSET" => input.around_operand(1, "POW(", ")"),
        "DOMAIN" => input.around_operand(1, "dom(", ")"),
        "no" => input.around_operand(1, "", " = {}"),
        "some" if !is_binder => input.around_operand(1, "", " /= {}"),
        "UNCHANGED" => Some(input.written(2, "skip")),
        "return" | "Return" | "RETURN" => input.assigned_result(),
        "lambda" if is_binder => Some(input.written(1, "%")),
        "forall" | "all" | "ForAll" if is_binder => Some(input.written(1, "!")),
        "exists" | "some" | "Exists" if is_binder => Some(input.written(1, "#")),
        _ => None,
    }
}

/// As [`habit`], for a word with an operand after it, where B has no name: `SUBSET S`.
pub(super) fn before_operand(word: &str) -> Option<&'static str> {
    let is_prefix = matches!(
        word,
        "SUBSET" | "DOMAIN" | "UNCHANGED" | "CHOOSE" | "lambda" | "return" | "Return" | "RETURN" | "for" | "For" | "FOR" | "foreach"
    );
    let is_quantifier = matches!(word, "forall" | "all" | "ForAll" | "exists" | "some" | "Exists" | "no" | "one" | "lone");
    if is_prefix || is_quantifier { habit(word) } else { None }
}

/// Words that precede the name of an operation or of a local variable in other notations.
pub(super) fn declares(word: &str) -> bool {
    matches!(
        word,
        "EVENT" | "event" | "OPERATION" | "operation" | "PROCEDURE" | "procedure" | "FUNCTION" | "function" | "def" | "void" | "op"
    ) || is_type(word)
}

/// Whether other languages declare variables by this word.
pub(super) fn is_type(word: &str) -> bool {
    matches!(word, "int" | "INT" | "nat" | "integer" | "boolean" | "Boolean" | "string" | "String" | "float" | "double" | "auto")
}

/// The keyword of the clause that another notation, or an older tool, calls by this word; and whether B itself once did.
pub(super) fn clause(word: &str) -> Option<(Terminal, bool)> {
    Some(match word {
        "VISIBLE_CONSTANTS" => (Terminal::ConcreteConstants, true),
        "HIDDEN_CONSTANTS" => (Terminal::AbstractConstants, true),
        "VISIBLE_VARIABLES" => (Terminal::ConcreteVariables, true),
        "HIDDEN_VARIABLES" => (Terminal::AbstractVariables, true),
        "AXIOMS" | "AXIOM" | "ASSUME" | "ASSUMPTIONS" | "PROPERTY" => (Terminal::Properties, false),
        "THEOREMS" | "THEOREM" => (Terminal::Assertions, false),
        "INIT" | "Init" => (Terminal::Initialisation, false),
        "TYPES" | "CARRIER_SETS" => (Terminal::Sets, false),
        _ => return None,
    })
}

/// An operator in the spelling of another notation, and the number of tokens that it has. None of them follows an operand in B: `<>` is
/// the empty sequence as an operand only, and a name behind an operand is always an error.
pub(super) fn operator(input: Input<'_>) -> Option<(&'static Infix, usize)> {
    let is_next = |terminal| input.terminal_at(1) == Some(terminal) && is_joined(input);
    let (op, tokens) = match input.peek()? {
        Token::Terminal(Terminal::BangEqual | Terminal::EmptySequence) => (BinaryOp::NotEqual, 1),
        Token::Terminal(Terminal::DoubleAnd) => (BinaryOp::And, 1),
        Token::Terminal(Terminal::DefinedAs) if is_next(Terminal::Greater) => (BinaryOp::Implies, 2),
        Token::Terminal(Terminal::DefinedAs) if is_next(Terminal::Equal) => (BinaryOp::Equal, 2),
        Token::Terminal(Terminal::DefinedAs) => (BinaryOp::Equal, 1),
        // Functions precede their argument in parentheses, and never follow an operand.
        Token::Terminal(Terminal::GeneralUnion) => (BinaryOp::Union, 1),
        Token::Terminal(Terminal::GeneralInter) => (BinaryOp::Intersection, 1),
        Token::Terminal(Terminal::Not) if input.terminal_at(1) == Some(Terminal::Colon) => (BinaryOp::NotMember, 2),
        Token::Terminal(Terminal::Forall) if is_next(Terminal::Colon) => (BinaryOp::NotMember, 2),
        Token::Terminal(Terminal::LessEqual) if is_next(Terminal::Implies) => (BinaryOp::Equivalent, 2),
        Token::Terminal(Terminal::Equal) if is_next(Terminal::Less) => (BinaryOp::LessEqual, 2),
        Token::Terminal(Terminal::Not) if is_name(input.advance(1), "in") => (BinaryOp::NotMember, 2),
        Token::Terminal(Terminal::Forall) if is_joined(input) && is_name(input.advance(1), "in") => (BinaryOp::NotMember, 2),
        // With a dot behind its names it is a quantifier, and an operator is missing before it.
        Token::Terminal(Terminal::Exists) if !matches!(input.terminal_at(2), Some(Terminal::Dot | Terminal::Comma)) => {
            (BinaryOp::NotEqual, 1)
        }
        Token::Terminal(Terminal::SetMinus) => (backslash(input)?, 2),
        Token::Name(text, NameStyle::Plain) => (word_operator(text)?, 1),
        _ => return None,
    };
    Some((priority::of(op), tokens))
}

fn word_operator(word: &str) -> Option<BinaryOp> {
    Some(match word {
        "and" | "And" | "AND" => BinaryOp::And,
        "Or" => BinaryOp::Or,
        "implies" | "IMPLIES" | "Implies" => BinaryOp::Implies,
        "iff" | "IFF" => BinaryOp::Equivalent,
        "in" => BinaryOp::Member,
        "notin" => BinaryOp::NotMember,
        "subset" | "subseteq" => BinaryOp::Subset,
        "div" | "DIV" => BinaryOp::Divide,
        "MOD" => BinaryOp::Modulo,
        _ => return None,
    })
}

/// `\in` and the like, of TLA+ and LaTeX. Without a blank `\` may be B's difference with a set of that name; then no operand follows.
fn backslash(input: Input<'_>) -> Option<BinaryOp> {
    let Some(Token::Name(word, NameStyle::Plain)) = input.peek_at(1).filter(|_| is_joined(input)) else { return None };
    if !input.peek_at(2).is_some_and(Token::starts_operand) {
        return None;
    }
    Some(match *word {
        "in" => BinaryOp::Member,
        "notin" => BinaryOp::NotMember,
        "subseteq" => BinaryOp::Subset,
        "subset" => BinaryOp::StrictSubset,
        "X" | "times" => BinaryOp::Times,
        "leq" | "le" => BinaryOp::LessEqual,
        "geq" | "ge" => BinaryOp::GreaterEqual,
        "neq" | "ne" => BinaryOp::NotEqual,
        "implies" | "Rightarrow" => BinaryOp::Implies,
        "iff" | "Leftrightarrow" => BinaryOp::Equivalent,
        "cup" | "union" => BinaryOp::Union,
        "cap" | "intersect" => BinaryOp::Intersection,
        "setminus" => BinaryOp::SetMinus,
        "land" | "wedge" => BinaryOp::And,
        "lor" | "vee" => BinaryOp::Or,
        "div" => BinaryOp::Divide,
        "mapsto" => BinaryOp::Maplet,
        _ => return None,
    })
}

/// Whether there is no blank between this token and the next one.
pub(super) fn is_joined(input: Input<'_>) -> bool {
    input.span().end == input.advance(1).span().start && input.peek_at(1).is_some()
}

fn is_name(input: Input<'_>, word: &str) -> bool {
    input.peek() == Some(&Token::Name(word, NameStyle::Plain))
}

/// The notation that a text without a machine is written in, by its first tokens; with what to do about it.
pub(super) fn notation(input: Input<'_>) -> Option<&'static str> {
    let is_dashes = input.is(Terminal::Minus) && input.terminal_at(1) == Some(Terminal::Minus);
    match input.peek()? {
        Token::Terminal(_) if is_dashes => Some("this looks like a module of TLA+; bcheck reads B machines"),
        Token::Terminal(Terminal::SetMinus) => Some("this looks like LaTeX; bcheck reads B machines"),
        Token::Terminal(Terminal::Less) => Some("this looks like XML, as of Rodin's Event-B; bcheck reads B machines"),
        Token::Name("CONTEXT", _) => Some("a context of Event-B is a MACHINE with SETS, CONSTANTS and PROPERTIES in B"),
        Token::Name("sig" | "abstract" | "module" | "open" | "pred" | "fact", _) => Some("this looks like Alloy; bcheck reads B machines"),
        Token::Name("channel" | "datatype" | "nametype", _) => Some("this looks like CSP; bcheck reads B machines"),
        _ => None,
    }
}
