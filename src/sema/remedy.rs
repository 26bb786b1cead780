//! What to write instead where two types do not fit, by the construct in which they meet.
//!
//! Invariant: a remedy is only added to an error that is reported anyway, and only where the shapes of both types, or the form of the text,
//! show what was meant. Deliberately elsewhere: unification and its messages (`elaborate`).

use super::elaborate::Elaborator;
use crate::ir::Type;
use crate::source::{Code, Diagnostic, Span, has_errors};
use crate::syntax::ast::{BinaryOp, Expr, ExprKind};

/// The construct whose two parts have types that must fit each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Construct {
    /// An infix operator.
    Infix(BinaryOp),
    /// `r[S]`
    Image,
    /// `f(x)`
    Apply,
    /// `x := E`
    Assign,
    /// `x :: S`
    BecomesIn,
}

/// The form of the second part, as far as it shows a slip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Maplet,
    Braces,
    Brackets,
    Other,
}

/// A construct with the places of its parts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site {
    construct: Construct,
    first: Span,
    second: Span,
    form: Form,
}

impl Site {
    /// The site of a construct with these two parts.
    pub(super) fn of(construct: Construct, first: &Expr, second: &Expr) -> Self {
        let form = match &second.kind {
            ExprKind::Binary(BinaryOp::Maplet, ..) => Form::Maplet,
            ExprKind::SetExtension(items) if items.len() == 1 => Form::Braces,
            ExprKind::Sequence(_) => Form::Brackets,
            _ => Form::Other,
        };
        Self { construct, first: first.span, second: second.span, form }
    }
}

/// How two types differ by one set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gap {
    /// A set is expected, and this is one of its elements.
    ElementForSet,
    /// An element is expected, and this is a set of such elements.
    SetForElement,
    /// Neither.
    Other,
}

impl Elaborator<'_> {
    /// What to write where a part has another type than expected.
    pub(super) fn remedy(&self, expected: &Type, found: &Type, at: Span) -> Option<String> {
        let gap = self.gap(expected, found);
        let here = self.place.site.filter(|site| at == site.second || at == site.first || at == site.first.to(site.second));
        let special = here.and_then(|site| self.remedy_at(site, gap, (expected, found), at == site.second));
        match gap {
            _ if special.is_some() => special.map(str::to_owned),
            Gap::ElementForSet => Some("{E} is the set whose only element is E".to_owned()),
            Gap::SetForElement if here.is_some_and(|site| site.form == Form::Braces && at == site.second) => {
                Some("remove the braces: {S} is the set whose only element is S".to_owned())
            }
            Gap::SetForElement | Gap::Other => None,
        }
    }

    // A list: what is confused with each construct.
    fn remedy_at(&self, site: Site, gap: Gap, (expected, found): (&Type, &Type), is_second: bool) -> Option<&'static str> {
        use BinaryOp as Op;
        Some(match (site.construct, gap) {
            (Construct::Infix(Op::Member | Op::NotMember), _) if site.form == Form::Maplet => {
                "`|->` makes a pair; the functions from S to T are S +-> T (partial) or S --> T (total), the relations S <-> T"
            }
            (Construct::Infix(Op::Member | Op::NotMember), Gap::ElementForSet) if self.is_set(found) => {
                "an element stands left of `:`; write <: between two sets"
            }
            (Construct::Infix(Op::Member | Op::NotMember), Gap::ElementForSet) => "a set stands right of `:`; write = between two values",
            (Construct::Infix(Op::Member | Op::NotMember), Gap::Other) if site.form == Form::Brackets => {
                "[a, b] is a sequence; the interval from a to b is a..b, the set of two elements {a, b}"
            }
            (Construct::Infix(Op::Subset | Op::NotSubset | Op::StrictSubset | Op::NotStrictSubset), Gap::ElementForSet) if !is_second => {
                "`<:` stands between two sets; write : behind an element"
            }
            (Construct::Infix(Op::Equal | Op::NotEqual), Gap::SetForElement) if site.form != Form::Braces => {
                "write : between an element and a set"
            }
            (Construct::Infix(Op::InsertFront | Op::InsertTail), _) => {
                "e -> s puts an element in front of a sequence, s <- e one behind it; functions are S --> T (total) or S +-> T (partial)"
            }
            (Construct::Infix(Op::Concat), Gap::Other) if !self.is_set(found) && self.types.shallow(found) != Type::Integer => {
                "s <- e puts one element behind a sequence, e -> s in front of it"
            }
            (Construct::Infix(Op::Plus), _) if self.is_set(found) => {
                "the union of sets is S \\/ T; s ^ t joins sequences, s <- e adds one element"
            }
            (Construct::Infix(Op::Minus | Op::SetMinus), Gap::ElementForSet) => "S - {e} is the set without the element e",
            (Construct::Infix(Op::Minus | Op::SetMinus), Gap::Other) if self.is_argument(expected, found) => {
                "{x} <<| f is the function without its value at x"
            }
            (Construct::Infix(Op::Override), Gap::ElementForSet) => "f <+ {x |-> y} is f with the value y at x",
            (Construct::Infix(Op::Compose), _) => "`;` composes relations; elements are separated by commas",
            (Construct::Image, Gap::ElementForSet) => "f(x) is the value at one place, f[{x}] the set of all values there",
            (Construct::Apply, Gap::SetForElement) => "f[S] is the image of a set; f(x) is the value at one place",
            (Construct::Assign, Gap::SetForElement) if site.form != Form::Braces => "x :: S assigns an element of the set S",
            (Construct::BecomesIn, Gap::ElementForSet) => "x :: S chooses an element of a set; x := E assigns the value of E",
            _ => return None,
        })
    }

    fn gap(&self, expected: &Type, found: &Type) -> Gap {
        match (self.types.shallow(expected), self.types.shallow(found)) {
            // A relation is a set too, but `POW(S*T)` against `POW(S)` is another difference.
            (Type::Set(element), given) if self.agree(&element, &given) => Gap::ElementForSet,
            (wanted, Type::Set(element)) if self.agree(&wanted, &element) => Gap::SetForElement,
            _ => Gap::Other,
        }
    }

    /// Whether a known type is that of a set.
    fn is_set(&self, ty: &Type) -> bool {
        matches!(self.types.shallow(ty), Type::Set(_))
    }

    /// Whether two types are those of sets between which there are functions, and the second one is not that of sequences.
    pub(super) fn are_of_functions(&self, left: &Type, right: &Type) -> bool {
        let Type::Set(element) = self.types.shallow(right) else { return false };
        let is_of_sequences = match self.types.shallow(&element) {
            Type::Pair(index, _) => self.types.is_unknown(&index) || self.types.shallow(&index) == Type::Integer,
            _ => self.types.is_unknown(&element),
        };
        self.is_set(left) && !is_of_sequences
    }

    /// Whether the first type is that of relations from the second.
    fn is_argument(&self, relation: &Type, argument: &Type) -> bool {
        match self.types.shallow(relation) {
            Type::Set(pair) => matches!(self.types.shallow(&pair), Type::Pair(from, _) if self.agree(&from, argument)),
            _ => false,
        }
    }

    /// Whether two types may be one, as far as they are known.
    fn agree(&self, left: &Type, right: &Type) -> bool {
        if self.types.is_unknown(left) || self.types.is_unknown(right) {
            // An unknown element is one of whatever is given, unless that is a set itself: then nothing can be told.
            return !self.is_set(left) && !self.is_set(right);
        }
        match (self.types.shallow(left), self.types.shallow(right)) {
            (Type::Set(left), Type::Set(right)) => self.agree(&left, &right),
            (Type::Pair(a, b), Type::Pair(c, d)) => self.agree(&a, &c) && self.agree(&b, &d),
            (left, right) => left == right,
        }
    }

    /// Explains `f \/ x |-> y`, which is `(f \/ x) |-> y`, where the operand before the arrow was found to have a wrong type since `mark`.
    pub(super) fn explain_maplet(&mut self, mark: usize, left: &Expr) {
        let ExprKind::Binary(op, first, second) = &left.kind else { return };
        // Parentheses leave no node, but they are part of the span.
        if left.span.start != first.span.start || left.span.end != second.span.end {
            return;
        }
        let sign = match op {
            BinaryOp::Union => "\\/",
            BinaryOp::Intersection => "/\\",
            BinaryOp::Override => "<+",
            BinaryOp::Minus | BinaryOp::SetMinus => "-",
            _ => return,
        };
        let is_clash =
            |found: &&mut Diagnostic| found.code == Code::TypeClash && (found.span() == second.span || found.span() == left.span);
        if let Some(found) = self.diagnostics[mark..].iter_mut().find(is_clash) {
            found.help = vec![format!("`|->` binds no tighter than `{sign}`: put the pair into braces, f {sign} {{x |-> y}}")];
        }
    }

    /// The type of an expression that was read since `mark`: an unknown one after an error, so that no other error follows from it.
    pub(super) fn type_unless_faulty(&mut self, mark: usize, ty: Type) -> Type {
        if has_errors(&self.diagnostics[mark..]) { self.types.fresh() } else { ty }
    }
}
