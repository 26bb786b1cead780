//! Remedies for type clashes, by the construct in which they occur.
//!
//! Invariant: a remedy is only added to an error that is reported anyway, and only where the shapes of both types, or the form of the
//! text, show the intention. Deliberately elsewhere: unification and its messages (`elaborate`), pairs and tuples (`tuples`).

use super::elaborate::Elaborator;
use super::one_cause::WRITE_SUBSET;
use super::types::Origin;
use bcheck_ir::Type;
use bcheck_source::{Code, Diagnostic, Edit, Fix, Span, has_errors};
use bcheck_syntax::ast::{BinaryOp, Expr, ExprKind, Name};

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
    /// `size(s)`
    Size,
}

/// The form of the second part with the places in it, as far as it shows a slip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// `x |-> y`
    Maplet(Span, Span),
    /// `0`
    Zero,
    /// `{}`
    Empty,
    /// `{x}`
    Braces(Span),
    /// `[a, b]`, or with another number of elements.
    Brackets(Option<(Span, Span)>),
    /// `[]`
    EmptyBrackets,
    /// `(a, b)`
    Pair(Span, Span),
    /// `{i, j, k, l | P}` or with three names: the names, and P.
    Comprehension([Span; 4], Span),
    Other,
}

/// A construct with the places of its parts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site {
    pub(super) construct: Construct,
    first: Span,
    pub(super) second: Span,
    /// With the brackets around the second part.
    whole: Span,
    pub(super) form: Form,
    /// Whether the first part is a name, such as that of a function.
    is_named: bool,
    /// Whether a set is expected in its place.
    wants_set: bool,
}

impl Site {
    /// The site of a construct with these two parts.
    pub(crate) fn of(construct: Construct, first: &Expr, second: &Expr) -> Self {
        let form = match &second.kind {
            ExprKind::Binary(BinaryOp::Maplet, from, to) => Form::Maplet(from.span, to.span),
            ExprKind::Integer(number) if number == "0" => Form::Zero,
            ExprKind::SetExtension(items) if items.is_empty() => Form::Empty,
            ExprKind::SetExtension(items) if items.len() == 1 => Form::Braces(items[0].span),
            ExprKind::CommaPair(a, b) => Form::Pair(a.span, b.span),
            ExprKind::Sequence(items) if items.is_empty() => Form::EmptyBrackets,
            ExprKind::Sequence(items) => Form::Brackets(if items.len() == 2 { Some((items[0].span, items[1].span)) } else { None }),
            ExprKind::Comprehension(names, condition) => match names.as_slice() {
                [i, j, k, l] => Form::Comprehension([i.span, j.span, k.span, l.span], condition.span),
                _ => Form::Other,
            },
            _ => Form::Other,
        };
        let is_named = matches!(first.kind, ExprKind::Ident(_));
        let whole = first.span.to(second.span);
        Self { construct, first: first.span, second: second.span, whole, form, is_named, wants_set: false }
    }

    /// This site, where the second part is in brackets that end with `whole`.
    pub(super) fn within(self, whole: Span) -> Self {
        Self { whole, ..self }
    }

    /// This site, where a set is, or is not, expected.
    pub(super) fn wanting_set(self, wants_set: bool) -> Self {
        Self { wants_set, ..self }
    }

    /// This site, where the second part is the argument of a function.
    pub(super) fn applying(self, function: Span, whole: Span) -> Self {
        Self { first: function, whole, ..self }
    }

    /// Another sign between the parts.
    fn with_sign(&self, sign: &'static str) -> Fix {
        with_sign(self.first, self.second, sign)
    }
}

/// Another sign between two places.
fn with_sign(left: Span, right: Span, sign: &'static str) -> Fix {
    Fix::new(format!("write {sign}"), [Edit::sign(left, right, sign)])
}

/// The two arrows of functions between two sets.
pub(super) fn arrows(from: Span, to: Span) -> [Fix; 2] {
    [("-->", "total"), ("+->", "partial")]
        .map(|(sign, kind)| Fix::new(format!("write {sign} ({kind} functions)"), [Edit::sign(from, to, sign)]))
}

/// `f[x]` as `f(x)`.
pub(super) fn in_parentheses(function: Span, argument: Span, whole: Span) -> Fix {
    rebracketed(function, argument, whole, ["(", ")"])
}

fn rebracketed(function: Span, argument: Span, whole: Span, [open, close]: [&'static str; 2]) -> Fix {
    let behind = Span { start: whole.end, ..whole };
    Fix::new(format!("write {open}…{close}"), [Edit::sign(function, argument, open), Edit::sign(argument, behind, close)])
}

/// The only value of an assignment to several targets, once for each.
pub(super) fn repeated(value: Span, targets: usize) -> Fix {
    let more = (1..targets).fold(Edit::after(value, ""), |edit, _| edit.text(", ").copy(value));
    Fix::new("give this value to each target", [more])
}

/// `P => Q` as `P & Q`.
pub(super) fn conjoined(left: &Expr, right: &Expr) -> Fix {
    let is_loose = matches!(right.kind, ExprKind::Binary(BinaryOp::Or | BinaryOp::Implies | BinaryOp::Equivalent, ..));
    // Parentheses leave no node, so there may be two of them now.
    let around = if is_loose { Edit::around(right.span, "(", ")").to_vec() } else { Vec::new() };
    Fix::new("write &", [Edit::sign(left.span, right.span, "&")].into_iter().chain(around))
}

/// `E` as `{E}`.
fn in_braces(place: Span) -> Fix {
    Fix::new("write {…}", Edit::around(place, "{", "}"))
}

/// A side of a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Domain,
    Range,
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

/// The remedy, in words and as changes of the text.
#[derive(Default)]
pub(super) struct Remedy {
    pub(super) help: Option<String>,
    pub(super) fixes: Vec<Fix>,
}

impl Remedy {
    pub(crate) fn new(help: &str, fixes: impl IntoIterator<Item = Fix>) -> Self {
        Self { help: Some(help.to_owned()), fixes: fixes.into_iter().collect() }
    }
}

/// Mistakes for images, applications and assignments.
fn remedy_of_use(site: Site, gap: Gap) -> Option<Remedy> {
    Some(match (site.construct, gap) {
        (Construct::Image, Gap::ElementForSet) => {
            // A value instead of the set would be another meaning, or another mistake; an expression that is not a name is rarely meant as
            // a function.
            let value = (site.is_named && !site.wants_set).then(|| in_parentheses(site.first, site.second, site.whole));
            let fixes = value.into_iter().chain([in_braces(site.second)]);
            Remedy::new("f(x) is the value at one place, f[{x}] the set of all values there", fixes)
        }
        (Construct::Apply, Gap::SetForElement) => {
            let fix = rebracketed(site.first, site.second, site.whole, ["[", "]"]);
            Remedy::new("f[S] is the image of a set; f(x) is the value at one place", [fix])
        }
        (Construct::Assign, Gap::SetForElement) if !matches!(site.form, Form::Braces(_) | Form::Empty) => {
            Remedy::new("x :: S assigns an element of the set S", [site.with_sign("::")])
        }
        (Construct::BecomesIn, Gap::ElementForSet) => {
            Remedy::new("x :: S chooses an element of a set; x := E assigns the value of E", [site.with_sign(":=")])
        }
        _ => return None,
    })
}

impl Elaborator<'_> {
    /// The remedy where a part has another type than expected.
    pub(super) fn remedy(&self, expected: &Type, found: &Type, at: Span) -> Remedy {
        let gap = self.gap(expected, found);
        let here = self.place.site.filter(|site| at == site.second || at == site.first || at == site.first.to(site.second));
        let special = here.and_then(|site| {
            let types = (expected, found);
            self.remedy_of_tuples(site, types, at)
                .or_else(|| self.remedy_of_pairs(site, types, at))
                .or_else(|| self.remedy_of_relation(site, types, at))
                .or_else(|| self.remedy_of_comparison(site, gap, types, at))
                .or_else(|| self.remedy_of_operator(site, gap, types, at))
                .or_else(|| remedy_of_use(site, gap))
        });
        match (gap, here.map(|site| site.form)) {
            _ if special.is_some() => special.unwrap_or_default(),
            (Gap::ElementForSet, _) => Remedy::new("{E} is the set whose only element is E", [in_braces(at)]),
            (Gap::SetForElement, Some(Form::Braces(item))) if here.is_some_and(|site| at == site.second) => {
                let (open, close) = (Span { end: item.start, ..at }, Span { start: item.end, ..at });
                let fix = Fix::new("remove the braces", [open, close].map(|brace| Edit::replace(brace, "")));
                Remedy::new("remove the braces: {S} is the set whose only element is S", [fix])
            }
            _ => Remedy::default(),
        }
    }

    /// Mistakes for the signs between an element and a set, and between sets; for sizes.
    fn remedy_of_comparison(&self, site: Site, gap: Gap, (expected, found): (&Type, &Type), at: Span) -> Option<Remedy> {
        use BinaryOp as Op;
        let is_second = at == site.second;
        // The sign, negated if the written one is.
        let sign = |plain: &'static str, negated: &'static str| {
            let is_negated = matches!(site.construct, Construct::Infix(Op::NotMember | Op::NotSubset | Op::NotStrictSubset | Op::NotEqual));
            site.with_sign(if is_negated { negated } else { plain })
        };
        let (help, fix) = match (site.construct, gap) {
            (Construct::Infix(Op::Equal | Op::NotEqual), _) if is_second && site.form == Form::Zero && self.is_set(expected) => {
                ("the empty set is {}; card(S) is the number of elements of S", Fix::new("write {}", [Edit::replace(at, "{}")]))
            }
            (Construct::Size, _) if self.is_set(found) => {
                let size = Span { end: site.whole.start + 4, ..site.whole };
                let fix = Fix::new("write card", [Edit::rename(size, "size", "card")]);
                ("size(s) is the length of a sequence, card(S) the number of elements of a set", fix)
            }
            (Construct::Infix(Op::Member | Op::NotMember), Gap::ElementForSet) if self.is_set(found) => {
                ("an element stands left of `:`; write <: between two sets", sign("<:", "/<:"))
            }
            (Construct::Infix(Op::Member | Op::NotMember), Gap::ElementForSet) => {
                ("a set stands right of `:`; write = between two values", sign("=", "/="))
            }
            (Construct::Infix(Op::Subset | Op::NotSubset | Op::StrictSubset | Op::NotStrictSubset), Gap::ElementForSet) if !is_second => {
                ("`<:` stands between two sets; write : behind an element", sign(":", "/:"))
            }
            (Construct::Infix(Op::Equal | Op::NotEqual), Gap::SetForElement) if !matches!(site.form, Form::Braces(_) | Form::Empty) => {
                ("write : between an element and a set", sign(":", "/:"))
            }
            _ => return None,
        };
        Some(Remedy::new(help, [fix]))
    }

    /// Mistakes for the operators of sets and relations.
    fn remedy_of_operator(&self, site: Site, gap: Gap, (expected, found): (&Type, &Type), at: Span) -> Option<Remedy> {
        use BinaryOp as Op;
        let (help, fix) = match (site.construct, gap) {
            (Construct::Infix(Op::Concat), Gap::Other) if !self.is_set(found) && self.types.shallow(found) != Type::Integer => {
                let help = "s <- e puts one element behind a sequence, e -> s in front of it";
                (help, Fix::new("write […]", Edit::around(at, "[", "]")))
            }
            // The message contains the help already.
            (Construct::Infix(Op::Concat), _) if self.types.shallow(found) == Type::Integer => {
                return Some(Remedy { help: None, fixes: vec![site.with_sign("**")] });
            }
            (Construct::Infix(Op::Minus | Op::SetMinus), Gap::ElementForSet) => {
                ("S - {e} is the set without the element e", in_braces(site.second))
            }
            (Construct::Infix(Op::Minus | Op::SetMinus), Gap::Other) if self.is_argument(expected, found) => {
                let without = Edit::replace(site.whole, "{").copy(site.second).text("} <<| ").copy(site.first);
                ("{x} <<| f is the function without its value at x", Fix::new("write {x} <<| f", [without]))
            }
            (Construct::Infix(Op::Minus | Op::SetMinus), Gap::Other) if self.is_part(expected, found).is_some() => {
                // The set is copied verbatim; names and sets in braces need no parentheses.
                let set = |edit: Edit| match site.form {
                    Form::Braces(_) | Form::Empty => edit.copy(site.second),
                    _ => edit.text("(").copy(site.second).text(")"),
                };
                if self.is_part(expected, found) == Some(Side::Domain) {
                    let without = set(Edit::replace(site.whole, "")).text(" <<| ").copy(site.first);
                    ("a relation is a set of pairs; S <<| r is r without the pairs that begin in S", Fix::new("write S <<| r", [without]))
                } else {
                    let without = set(Edit::replace(site.whole, "").copy(site.first).text(" |>> "));
                    ("a relation is a set of pairs; r |>> S is r without the pairs that end in S", Fix::new("write r |>> S", [without]))
                }
            }
            (Construct::Infix(Op::Override), Gap::ElementForSet) => ("f <+ {x |-> y} is f with the value y at x", in_braces(at)),
            (Construct::Infix(Op::Compose), _) => ("`;` composes relations; elements are separated by commas", site.with_sign(",")),
            _ => return None,
        };
        Some(Remedy::new(help, [fix]))
    }

    /// The remedy where functions, sequences or intervals are meant.
    fn remedy_of_relation(&self, site: Site, (expected, found): (&Type, &Type), at: Span) -> Option<Remedy> {
        use BinaryOp as Op;
        let Construct::Infix(op) = site.construct else { return None };
        Some(match (op, site.form) {
            (Op::Member | Op::NotMember, Form::Maplet(from, to)) => Remedy::new(
                "`|->` makes a pair; the functions from S to T are S +-> T (partial) or S --> T (total), the relations S <-> T",
                arrows(from, to),
            ),
            (Op::Member | Op::NotMember, Form::Brackets(ends)) if self.gap(expected, found) == Gap::Other => {
                let fix = ends.map(|(a, b)| {
                    let (open, close) = (Span { end: a.start, ..site.second }, Span { start: b.end, ..site.second });
                    let comma = Span { start: a.end, end: b.start.max(a.end), ..a };
                    Fix::new("write a..b", [Edit::replace(open, ""), Edit::replace(comma, ".."), Edit::replace(close, "")])
                });
                let help = "[a, b] is a sequence; the interval from a to b is a..b, the set of two elements {a, b}";
                Remedy::new(help, fix)
            }
            (Op::InsertFront | Op::InsertTail, _) => {
                let help = "e -> s puts an element in front of a sequence, s <- e one behind it; functions are S --> T (total) or S +-> T \
                            (partial)";
                // The side that is not a sequence determines the direction.
                let fix = match (op, at == site.second) {
                    (Op::InsertTail, false) => Some(site.with_sign("->")),
                    (Op::InsertFront, true) if self.adds_sequence(expected) => Some(site.with_sign("<-")),
                    (Op::InsertFront, true) => Some(site.with_sign("|->")),
                    _ => None,
                };
                Remedy::new(help, fix)
            }
            (Op::Plus, _) if self.is_set(found) => {
                let union = site.with_sign("\\/");
                let is_sequence = match self.types.shallow(found) {
                    Type::Set(pair) => {
                        matches!(self.types.shallow(&pair), Type::Pair(index, _) if self.types.shallow(&index) == Type::Integer)
                    }
                    _ => false,
                };
                let fixes = if is_sequence { vec![site.with_sign("<-"), site.with_sign("^"), union] } else { vec![union] };
                Remedy::new("the union of sets is S \\/ T; s ^ t joins sequences, s <- e adds one element", fixes)
            }
            _ => return None,
        })
    }

    /// Whether a type is that of sequences of sequences.
    fn adds_sequence(&self, ty: &Type) -> bool {
        let element = |ty: &Type| match self.types.shallow(ty) {
            Type::Set(pair) => match self.types.shallow(&pair) {
                Type::Pair(_, element) => Some(Type::clone(&element)),
                _ => None,
            },
            _ => None,
        };
        element(ty).and_then(|inner| element(&inner)).is_some()
    }

    /// The remedy where `s : S` typed the target of an assignment as an element, and it is assigned a set.
    pub(super) fn subset_meant(&self, expected: &Type, found: &Type, typed: Option<Origin>) -> Remedy {
        let Some((site, typed)) = self.place.site.zip(typed) else { return Remedy::default() };
        if site.construct != Construct::Assign || self.gap(expected, found) != Gap::SetForElement || typed.reason == typed.at {
            return Remedy::default();
        }
        // The predicate begins with the name that is assigned here, which is as long.
        let name = Span { end: typed.reason.start.saturating_add(site.first.end - site.first.start), ..typed.reason };
        let fix = Fix::new(WRITE_SUBSET, [Edit::sign_of(name, typed.at, &[":", "∈"], "<:")]);
        Remedy::new("if a set is meant, write <: where it gets its type", [fix])
    }

    /// The assignment of a variable to the result of the enclosing operation, where its name occurs alone.
    pub(super) fn assigned_result(&self, name: &Name) -> Option<Fix> {
        let (_, operation) = self.operations[*self.calls.last()?];
        let [result] = operation.results.as_slice() else { return None };
        Some(Fix::new(format!("write {} := {}", result.text, name.text), [Edit::before(name.span, format!("{} := ", result.text))]))
    }

    /// The declaration of a name as a parameter of the operation around it.
    pub(super) fn declared_parameter(&self, name: &str) -> Option<Fix> {
        let (_, operation) = self.operations[*self.calls.last()?];
        let edit = match operation.parameters.last() {
            Some(last) => Edit::after(last.span, format!(", {name}")),
            None => Edit::after(operation.name.span, format!("({name})")),
        };
        Some(Fix::new(format!("declare {name} as a parameter of {}", operation.name.text), [edit]))
    }

    fn gap(&self, expected: &Type, found: &Type) -> Gap {
        match (self.types.shallow(expected), self.types.shallow(found)) {
            // A relation is also a set, but `POW(S*T)` against `POW(S)` is another difference.
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

    /// Whether a set has the type of the domain, or of the range, of a relation.
    fn is_part(&self, relation: &Type, set: &Type) -> Option<Side> {
        let (Type::Set(pair), Type::Set(element)) = (self.types.shallow(relation), self.types.shallow(set)) else { return None };
        let Type::Pair(from, to) = self.types.shallow(&pair) else { return None };
        let (of_domain, of_range) = (self.agree(&from, &element), self.agree(&to, &element));
        if of_domain { Some(Side::Domain) } else { of_range.then_some(Side::Range) }
    }

    /// Whether two types may be one, as far as they are known.
    pub(super) fn agree(&self, left: &Type, right: &Type) -> bool {
        if self.types.is_unknown(left) || self.types.is_unknown(right) {
            // An unknown element fits any type, unless that is a set itself: then nothing can be concluded.
            return !self.is_set(left) && !self.is_set(right);
        }
        match (self.types.shallow(left), self.types.shallow(right)) {
            (Type::Set(left), Type::Set(right)) => self.agree(&left, &right),
            (Type::Pair(a, b), Type::Pair(c, d)) => self.agree(&a, &c) && self.agree(&b, &d),
            (left, right) => left == right,
        }
    }

    /// Explains `f \/ x |-> y`, which is `(f \/ x) |-> y`, and `f \/ s <| g`, where the operand before the last sign was found to have a
    /// wrong type since `mark`.
    pub(super) fn explain_priority(&mut self, mark: usize, op: BinaryOp, left: &Expr, right: &Expr) {
        use BinaryOp as Op;
        let written = match op {
            Op::Maplet => "|->",
            Op::DomainRestrict => "<|",
            Op::DomainSubtract => "<<|",
            Op::Union => "\\/",
            _ => return,
        };
        let ExprKind::Binary(inner, first, second) = &left.kind else { return };
        // Parentheses leave no node, but they are part of the span.
        if left.span.start != first.span.start || left.span.end != second.span.end {
            return;
        }
        let sign = match inner {
            Op::Union => "\\/",
            Op::Intersection => "/\\",
            Op::Override => "<+",
            Op::Minus | Op::SetMinus => "-",
            Op::RangeRestrict => "|>",
            Op::RangeSubtract => "|>>",
            _ => return,
        };
        // `f |> S \/ T` is `(f |> S) \/ T`, where T does not fit; other unions group as they are meant.
        let is_of_range = matches!(inner, Op::RangeRestrict | Op::RangeSubtract);
        if is_of_range != (op == Op::Union) {
            return;
        }
        let places = if is_of_range { [right.span; 2] } else { [second.span, left.span] };
        let is_clash = |found: &&mut Diagnostic| found.code == Code::TypeClash && places.contains(&found.span());
        let Some(found) = self.diagnostics[mark..].iter_mut().find(is_clash) else { return };
        let ([open, close], help) = if op == Op::Maplet {
            (["{", "}"], format!("`|->` binds no tighter than `{sign}`: put the pair into braces, f {sign} {{x |-> y}}"))
        } else {
            let form = if is_of_range { format!("f {sign} (S {written} T)") } else { format!("f {sign} (s {written} g)") };
            (["(", ")"], format!("`{written}` binds no tighter than `{sign}`: write parentheses, {form}"))
        };
        found.help = vec![help];
        found.fixes = vec![Fix::new(format!("write {open}…{close}"), [Edit::before(second.span, open), Edit::after(right.span, close)])];
    }

    /// The type of an expression that was read since `mark`: an unknown one after an error, so that no other error follows from it.
    pub(super) fn type_unless_faulty(&mut self, mark: usize, ty: Type) -> Type {
        if has_errors(&self.diagnostics[mark..]) { self.types.fresh() } else { ty }
    }
}
