//! The notation for the values of a name: a sequence as `[a,b]`, a relation as pairs, even if its domain is `1..n`.
//!
//! Invariant: the text of a value without closures parses to the same value, whatever the notation. It follows from the memberships that
//! type a name; if these do not determine it, values are written as by `value::display`. Deliberately elsewhere: traces and graphs for
//! other tools, which have the notation that these know (`prob_trace`, `graph`).

use bcheck_ir::{
    BinaryOp, Comparison, Expr, ExprKind, FunctionKind, LocalId, Model, Node, Operation, Pred, PredKind, Subst, SubstKind, Target, UnaryOp,
    walk_subst,
};
use bcheck_source::word_in_back_quotes;
use bcheck_value::display::display;
use bcheck_value::{SequenceKind, Value, sequence};
use std::sync::Arc;

/// How values are written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Notation {
    /// The default, as only the type of the value is known.
    #[default]
    Plain,
    /// As a sequence of items in this notation.
    Sequence(Box<Notation>),
    /// As pairs of two notations.
    Relation(Box<Notation>, Box<Notation>),
    /// As a set of elements.
    Set(Box<Notation>),
    /// As a pair.
    Pair(Box<Notation>, Box<Notation>),
    /// As a record.
    Record(Vec<(Arc<str>, Notation)>),
}

/// The notations of constants and variables, in declaration order.
pub(crate) fn notations(model: &Model) -> Vec<Notation> {
    let found = by_typing(model, Notation::known_of_element, Notation::known_of_subset);
    found.into_iter().map(Option::unwrap_or_default).collect()
}

/// The notations of the parameters of an operation, by the memberships in its guard.
pub(crate) fn of_parameters(operation: &Operation) -> Vec<Notation> {
    let mut guards = Vec::new();
    add_guards(&operation.body, &mut guards);
    let of_parameter = |parameter: LocalId| {
        let is_name = |expr: &Expr| matches!(expr.kind, ExprKind::Local(id) if id == parameter);
        guards.iter().find_map(|guard| typed_in(guard, &is_name, &Notation::known_of_element, &Notation::known_of_subset))
    };
    operation.parameters.iter().map(|(_, parameter, _)| of_parameter(*parameter).unwrap_or_default()).collect()
}

/// The predicates in front of a body.
fn add_guards<'m>(body: &'m Subst, guards: &mut Vec<&'m Pred>) {
    match &body.kind {
        SubstKind::Pre { pred, body, .. } | SubstKind::Any(_, pred, body) => {
            guards.push(pred);
            add_guards(body, guards);
        }
        SubstKind::Select(branches, _) => guards.extend(branches.iter().map(|(guard, _)| guard)),
        _ => {}
    }
}

/// The notations of the results of an operation: that of the constant or variable that is assigned first to each result. `of_state` has
/// those of constants and variables.
pub(crate) fn of_results(operation: &Operation, of_state: &[Notation], model: &Model) -> Vec<Notation> {
    let of_result = |result: LocalId| {
        let mut found = None;
        walk_subst(&operation.body, &mut |node| {
            let Node::Subst(Subst { kind: SubstKind::Assign(assignments), .. }) = node else { return };
            for (_, value) in assignments.iter().filter(|(target, _)| *target == Target::Local(result)) {
                let index = match value.kind {
                    ExprKind::Constant(id) => Some(id.index()),
                    ExprKind::Variable(id) => Some(model.constants.len() + id.index()),
                    _ => None,
                };
                found = found.or(index);
            }
        });
        found.and_then(|index| of_state.get(index).cloned())
    };
    operation.results.iter().map(|(_, result, _)| of_result(*result).unwrap_or_default()).collect()
}

/// The notation for each constant and variable, in declaration order, from the first conjunct of PROPERTIES and INVARIANT that makes it a
/// member or a subset of a set that determines one.
pub(crate) fn by_typing<T>(
    model: &Model,
    of_element: impl Fn(&Expr) -> Option<T>,
    of_subset: impl Fn(&Expr) -> Option<T>,
) -> Vec<Option<T>> {
    let conjuncts = || model.properties.iter().chain(&model.invariant).map(|conjunct| &conjunct.pred);
    let constants = (0..model.constants.len()).map(|index| (true, index));
    let names = constants.chain((0..model.variables.len()).map(|index| (false, index)));
    let of_name = |(is_constant, index): (bool, usize)| {
        let is_name = |expr: &Expr| match expr.kind {
            ExprKind::Constant(id) => is_constant && id.index() == index,
            ExprKind::Variable(id) => !is_constant && id.index() == index,
            _ => false,
        };
        conjuncts().find_map(|conjunct| typed_in(conjunct, &is_name, &of_element, &of_subset))
    };
    names.map(of_name).collect()
}

/// The notation for a name that follows from a conjunct that types it.
fn typed_in<T>(
    pred: &Pred,
    is_name: &dyn Fn(&Expr) -> bool,
    of_element: &dyn Fn(&Expr) -> Option<T>,
    of_subset: &dyn Fn(&Expr) -> Option<T>,
) -> Option<T> {
    match &pred.kind {
        PredKind::And(parts) => parts.iter().find_map(|part| typed_in(part, is_name, of_element, of_subset)),
        PredKind::Compare(Comparison::Member, name, set) if is_name(name) => of_element(set),
        PredKind::Compare(Comparison::Subset | Comparison::StrictSubset, name, set) if is_name(name) => of_subset(set),
        _ => None,
    }
}

impl Notation {
    /// That of the elements of a set.
    fn of_element(set: &Expr) -> Self {
        let inner = |set: &Expr| Box::new(Self::of_element(set));
        match &set.kind {
            ExprKind::Binary(BinaryOp::Product, from, to) => Self::Pair(inner(from), inner(to)),
            ExprKind::Binary(op, from, to) if FunctionKind::of(*op).is_some() => Self::Relation(inner(from), inner(to)),
            ExprKind::Unary(UnaryOp::Pow | UnaryOp::Pow1 | UnaryOp::Fin | UnaryOp::Fin1, base) => Self::of_subset(base),
            ExprKind::Unary(op, base) if SequenceKind::of(*op).is_some() => Self::Sequence(inner(base)),
            ExprKind::Struct(fields) => Self::Record(fields.iter().map(|(name, set)| (name.clone(), Self::of_element(set))).collect()),
            _ => Self::Plain,
        }
    }

    /// The notation of elements, if the set determines one.
    fn known_of_element(set: &Expr) -> Option<Self> {
        Some(Self::of_element(set)).filter(|notation| *notation != Self::Plain)
    }

    /// The notation of the subsets of a set, if anything follows from it.
    fn known_of_subset(set: &Expr) -> Option<Self> {
        Some(Self::of_subset(set)).filter(|notation| *notation != Self::Plain)
    }

    /// That of the subsets of a set.
    fn of_subset(set: &Expr) -> Self {
        match Self::of_element(set) {
            Self::Pair(from, to) => Self::Relation(from, to),
            Self::Plain => Self::Plain,
            element => Self::Set(Box::new(element)),
        }
    }

    /// That of the values of a function with this notation.
    pub(crate) fn of_image(&self) -> &Self {
        match self {
            Self::Relation(_, to) => to,
            Self::Sequence(item) => item,
            _ => &Self::Plain,
        }
    }

    /// The notation of the elements of a set, or of the arguments of a function, with this notation.
    pub(crate) fn of_member(&self) -> &Self {
        match self {
            Self::Relation(from, _) => from,
            Self::Set(element) => element,
            _ => &Self::Plain,
        }
    }

    /// That of a field of a record with this notation.
    pub(crate) fn of_field(&self, name: &str) -> &Self {
        match self {
            Self::Record(fields) => fields.iter().find(|(field, _)| **field == *name).map_or(&Self::Plain, |(_, notation)| notation),
            _ => &Self::Plain,
        }
    }

    /// Whether a value is a sequence by its type, or looks like one where the type does not determine it.
    pub(crate) fn is_sequence(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Sequence(_), _) => true,
            (Self::Plain, Value::Set(set)) => !set.is_empty() && sequence::as_sequence(set).is_some(),
            _ => false,
        }
    }
}

/// The text of a value in a notation.
pub(crate) fn written(value: &Value, notation: &Notation, model: &Model) -> String {
    let text = item(value, notation, model);
    if let Value::Pair(_) = value { format!("({text})") } else { text }
}

/// As [`text`], between commas, where a pair needs no parentheses.
pub(crate) fn item(value: &Value, notation: &Notation, model: &Model) -> String {
    let list = |items: &mut dyn Iterator<Item = String>| items.collect::<Vec<_>>().join(",");
    match (notation, value) {
        (Notation::Sequence(inner), Value::Set(set)) => match sequence::as_sequence(set) {
            Some(items) => format!("[{}]", list(&mut items.iter().map(|one| item(one, inner, model)))),
            // No sequence, against its type: a finding may be about it.
            None => display(value, model),
        },
        (Notation::Relation(from, to), Value::Set(set)) => {
            let pair = |member: &Value| match member.as_pair() {
                Some((first, second)) => format!("{}|->{}", item(first, from, model), written(second, to, model)),
                None => display(member, model),
            };
            format!("{{{}}}", list(&mut set.iter().map(|member| pair(&member))))
        }
        (Notation::Set(element), Value::Set(set)) => format!("{{{}}}", list(&mut set.iter().map(|member| item(&member, element, model)))),
        (Notation::Pair(from, to), Value::Pair(pair)) => format!("{}|->{}", item(&pair.0, from, model), written(&pair.1, to, model)),
        (Notation::Record(_), Value::Record(fields)) => {
            let field = |(name, value): &(Arc<str>, Value)| {
                format!("{}:{}", word_in_back_quotes(name), written(value, notation.of_field(name), model))
            };
            format!("rec({})", list(&mut fields.iter().map(field)))
        }
        (_, Value::Pair(_)) => {
            let text = display(value, model);
            text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).map_or(text.clone(), str::to_owned)
        }
        _ => display(value, model),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcheck_sema::analyse;
    use bcheck_source::FileId;
    use bcheck_syntax::parse_machine;

    #[test]
    fn the_notation_of_a_name_follows_from_the_membership_that_types_it() {
        let text = "MACHINE M SETS S CONSTANTS c PROPERTIES c : 1..2 --> S VARIABLES s, r, f, t, q, n
            INVARIANT s : seq(S) & r <: NAT * S & f : S +-> seq(NAT) & t : POW(seq(S)) & q : struct(a : seq(S), b : NAT) & n : NAT
            INITIALISATION s, r, f, t, n := [], {}, {}, {}, 0 || q := rec(a : [], b : 0) END";
        let (model, diagnostics) = analyse(&parse_machine(FileId(0), text).tree.expect("a machine"));
        let model = model.unwrap_or_else(|| panic!("{diagnostics:?}"));
        let plain = || Box::new(Notation::Plain);
        let sequence = || Notation::Sequence(plain());
        let expected = [
            Notation::Relation(plain(), plain()),
            sequence(),
            Notation::Relation(plain(), plain()),
            Notation::Relation(plain(), Box::new(sequence())),
            Notation::Set(Box::new(sequence())),
            Notation::Record(vec![("a".into(), sequence()), ("b".into(), Notation::Plain)]),
            Notation::Plain,
        ];
        assert_eq!(notations(&model), expected);
        let empty = Value::set(Vec::new());
        let function = Value::set(vec![Value::pair(Value::integer(1), empty.clone())]);
        assert_eq!(written(&function, &expected[3], &model), "{1|->[]}");
        assert_eq!(written(&empty, &expected[1], &model), "[]");
    }

    #[test]
    fn parameters_have_the_notation_of_their_guard_and_results_that_of_what_they_are_assigned() {
        let text = "MACHINE M SETS S VARIABLES s INVARIANT s : seq(S) INITIALISATION s := []
            OPERATIONS r, n <-- op(a, f) = PRE a : seq(S) & f : 1..2 --> S THEN s := a || r := s || n := size(s) END;
            choose(b) = SELECT b = s THEN skip WHEN b : seq(S) & size(b) < 2 THEN s := b END END";
        let (model, diagnostics) = analyse(&parse_machine(FileId(0), text).tree.expect("a machine"));
        let model = model.unwrap_or_else(|| panic!("{diagnostics:?}"));
        let sequence = || Notation::Sequence(Box::default());
        let operation = &model.operations["op"];
        assert_eq!(of_parameters(operation), [sequence(), Notation::Relation(Box::default(), Box::default())]);
        assert_eq!(of_results(operation, &notations(&model), &model), [sequence(), Notation::Plain]);
        assert_eq!(of_parameters(&model.operations["choose"]), [sequence()]);
    }
}
