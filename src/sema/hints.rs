//! Sizes of deferred sets that PROPERTIES imply, as ProB reads them.
//!
//! Invariant: a hint follows from the properties, so a machine of another size has no valuation of its constants. Constants that one
//! extension or `@partition` lists as a whole set, as in `S = {a, b}`, may be equal: they bound the size, and the default is that they differ.
//! Deliberately elsewhere: sizes that DEFINITIONS give (`settings`), sizes that only fulfil conditions (`cardinalities`), which hint wins
//! (`cli`).

use super::cardinalities::{self, Sizes};
use super::predicate::conjuncts;
use super::settings::{value, value_with};
use crate::ir::{SetId, SizeHint};
use crate::syntax::ast::{BinaryOp, Builtin, Constant, Expr, ExprKind};
use indexmap::IndexMap;
use std::collections::{BTreeMap, BTreeSet};

/// Given sets, and the sizes that do not come from PROPERTIES.
#[derive(Clone, Copy)]
pub(super) struct Others<'k> {
    /// The given set of a name.
    pub(super) set_of: &'k dyn Fn(&str) -> Option<SetId>,
    /// The size of an enumerated set, or that DEFINITIONS give.
    pub(super) fixed: &'k dyn Fn(SetId) -> Option<usize>,
    /// The size of other deferred sets.
    pub(super) default: usize,
}

/// The sizes of deferred sets that the conjuncts of PROPERTIES imply.
pub(super) fn of_properties(
    properties: &[Expr],
    deferred: &dyn Fn(&str) -> Option<SetId>,
    constants: &BTreeSet<&str>,
    others: &Others<'_>,
) -> IndexMap<SetId, SizeHint> {
    let mut hints = IndexMap::new();
    let parts: Vec<&Expr> = properties.iter().flat_map(conjuncts).map(strip).collect();
    // Constants that equal a number, such as `N` of `N = 4 & card(S) = N`.
    let numbers: BTreeMap<&str, i64> = parts.iter().filter_map(|part| number_of(part, constants)).collect();
    let mut typed: IndexMap<SetId, Vec<&str>> = IndexMap::new();
    let mut distinct = Distinct::default();
    let listed = listed(&parts, constants);
    let mut bounds: Vec<(SetId, usize)> = Vec::new();
    let mut lists: Vec<(SetId, BTreeSet<&str>)> = Vec::new();
    // One pass. Exact sizes are hints at once; lower bounds, and constants that must fit into a set, are collected and evaluated when all
    // disequalities are known.
    for part in &parts {
        if let ExprKind::Binary(op, left, right) = &part.kind
            && let Some((is_turned, more)) = at_least(*op)
        {
            let (set, least) = if is_turned { (right, left) } else { (left, right) };
            if let Some(id) = card_of(set, deferred)
                && let Some(least) = number(least, &numbers).and_then(|least| usize::try_from(least.saturating_add(more)).ok())
            {
                bounds.push((id, least));
            }
        }
        match &part.kind {
            ExprKind::Binary(BinaryOp::Equal, left, right) => {
                for (left, right) in [(left, right), (right, left)] {
                    // `A /\ B = {}`
                    if let (ExprKind::Binary(BinaryOp::Intersection, one, other), ExprKind::SetExtension(none)) = (&left.kind, &right.kind)
                        && none.is_empty()
                        && let (Some(one), Some(other)) = (elements(one, &listed, constants), elements(other, &listed, constants))
                    {
                        distinct.disjoint(&one, &other);
                    }
                    exact(left, right, deferred, &numbers, &mut hints);
                    if let (Some(id), Some(names)) = (set_of(left, deferred), names(right, constants)) {
                        lists.push((id, names));
                    }
                    // `card({a, b, c}) = 3`: as many values as names, so all differ.
                    if let ExprKind::Builtin(Builtin::Card, sets) = &left.kind
                        && let [set] = sets.as_slice()
                        && let Some(names) = names(set, constants)
                        && usize::try_from(number(right, &numbers).unwrap_or(0)) == Ok(names.len())
                    {
                        distinct.each_other(&names);
                    }
                }
                if let (Some(left), Some(right)) = (name_of(left, constants), name_of(right, constants)) {
                    distinct.equal(left, right);
                }
            }
            ExprKind::Builtin(Builtin::Partition, arguments) => {
                if let Some((set, elements)) = arguments.split_first()
                    && let Some(id) = set_of(set, deferred)
                    && let Some(names) = elements.iter().map(|part| names(part, constants)).collect::<Option<Vec<_>>>()
                {
                    lists.push((id, names.into_iter().flatten().collect()));
                }
                // The parts of a partition are disjoint pair by pair.
                let parts: Vec<BTreeSet<&str>> = arguments.iter().skip(1).filter_map(|part| elements(part, &listed, constants)).collect();
                for (at, part) in parts.iter().enumerate() {
                    parts[..at].iter().for_each(|other| distinct.disjoint(part, other));
                }
            }
            ExprKind::Binary(BinaryOp::NotMember, element, set) => {
                // `a /: {b, c}`: a differs from both.
                if let (Some(element), Some(others)) = (name_of(element, constants), elements(set, &listed, constants)) {
                    distinct.disjoint(&BTreeSet::from([element]), &others);
                }
            }
            ExprKind::Binary(BinaryOp::Subset, part, set) => {
                if let (Some(id), Some(names)) = (set_of(set, deferred), elements(part, &listed, constants)) {
                    typed.entry(id).or_default().extend(names);
                }
            }
            ExprKind::Binary(BinaryOp::Member, element, set) => {
                if let Some(id) = set_of(set, deferred) {
                    typed.entry(id).or_default().extend(members(element, constants));
                }
                // A function between a deferred set and a set of known size: bijections fix the size, injections and surjections bound it.
                if let ExprKind::Binary(space, from, to) = &set.kind {
                    let known = |set: &Expr| known_size(set, deferred, others, &numbers);
                    match (set_of(from, deferred), known(to), set_of(to, deferred), known(from)) {
                        (Some(id), Some(size), ..) if *space == BinaryOp::TotalBijections => _ = hints.insert(id, SizeHint::Exactly(size)),
                        (.., Some(id), Some(size)) if *space == BinaryOp::TotalBijections => _ = hints.insert(id, SizeHint::Exactly(size)),
                        (.., Some(id), Some(size)) if *space == BinaryOp::TotalInjections => bounds.push((id, size)),
                        (Some(id), Some(size), ..) if is_onto(*space) => bounds.push((id, size)),
                        _ => {}
                    }
                }
            }
            ExprKind::Binary(BinaryOp::NotEqual, left, right) => {
                if let (Some(left), Some(right)) = (name_of(left, constants), name_of(right, constants)) {
                    distinct.each_other(&BTreeSet::from([left, right]));
                }
            }
            _ => {}
        }
    }
    // A size that is stated wins over the number of listed constants.
    for (id, names) in &lists {
        let most = distinct.classes(names);
        let known = hints.entry(*id).or_insert(SizeHint::Listed(1, most));
        if let SizeHint::Listed(_, known) = known {
            *known = most.min(*known);
        }
        typed.entry(*id).or_default().extend(names);
    }
    // A set has at least as many elements as there are distinct constants in it. One constant gives no bound: no set is empty.
    for (id, names) in typed {
        let count = distinct.most(&names);
        if count > 1 {
            bounds.push((id, count));
        }
    }
    // Bounds come after exact sizes and do not replace them: a contradiction between the two is left to the search for constants.
    for (id, least) in bounds {
        if let SizeHint::AtLeast(known) | SizeHint::Listed(known, _) = hints.entry(id).or_insert(SizeHint::AtLeast(least)) {
            *known = least.max(*known);
        }
    }
    for hint in hints.values_mut() {
        if let SizeHint::Listed(least, most) = *hint
            && least >= most
        {
            *hint = SizeHint::Exactly(most);
        }
    }
    let Others { set_of, fixed, default } = *others;
    cardinalities::suggest(&parts, &Sizes { set_of, fixed, numbers: &numbers, default }, &mut hints);
    hints
}

/// Which constants are known to differ, and which to be equal.
#[derive(Default)]
struct Distinct<'e> {
    differ: BTreeMap<&'e str, BTreeSet<&'e str>>,
    equal: Vec<(&'e str, &'e str)>,
}

/// A largest set of distinct constants is sought among this many, in exponential time at worst; of the others, each that differs from all
/// found before is added.
const MOST_CONSTANTS: usize = 24;

impl<'e> Distinct<'e> {
    /// All of these differ from each other.
    fn each_other(&mut self, names: &BTreeSet<&'e str>) {
        for name in names {
            self.differ.entry(name).or_default().extend(names.iter().filter(|other| *other != name));
        }
    }

    /// All of one differ from all of the other.
    fn disjoint(&mut self, one: &BTreeSet<&'e str>, other: &BTreeSet<&'e str>) {
        for (from, to) in [(one, other), (other, one)] {
            for name in from {
                self.differ.entry(name).or_default().extend(to.iter().filter(|other| *other != name));
            }
        }
    }

    /// These two are equal.
    fn equal(&mut self, one: &'e str, other: &'e str) {
        self.equal.push((one, other));
    }

    /// The greatest number of different values that these constants can have, by the stated equations between constants.
    fn classes(&self, names: &BTreeSet<&'e str>) -> usize {
        // Each constant starts with itself as representative; an equation gives the class of one side the representative of the other.
        let mut class_of: BTreeMap<&str, &str> = BTreeMap::new();
        for &(one, other) in &self.equal {
            let (kept, replaced) = (*class_of.entry(one).or_insert(one), *class_of.entry(other).or_insert(other));
            class_of.values_mut().filter(|class| **class == replaced).for_each(|class| *class = kept);
        }
        names.iter().map(|name| class_of.get(name).unwrap_or(name)).collect::<BTreeSet<_>>().len()
    }

    /// A number of pairwise distinct constants, among these and those that have the same type because they are compared with them: the
    /// size of a clique in the graph of disequalities, a largest one up to [`MOST_CONSTANTS`] constants.
    fn most(&self, names: &[&'e str]) -> usize {
        // Depth first along disequalities. The names are reversed because the last one is popped first.
        let mut alike: Vec<&str> = Vec::new();
        let mut next: Vec<&str> = names.iter().rev().copied().collect();
        while let Some(name) = next.pop() {
            if !alike.contains(&name) {
                alike.push(name);
                next.extend(self.of(name));
            }
        }
        let (first, rest) = alike.split_at(alike.len().min(MOST_CONSTANTS));
        let mut best = Vec::new();
        self.extend(&mut Vec::new(), first, &mut best);
        for name in rest {
            if best.iter().all(|other| self.of(name).any(|differs| differs == *other)) {
                best.push(*name);
            }
        }
        best.len()
    }

    fn of(&self, name: &str) -> impl Iterator<Item = &'e str> + '_ {
        self.differ.get(name).into_iter().flatten().copied()
    }

    /// Branch and bound for a largest clique: each candidate is taken or left. All of `taken` differ from each other and from every
    /// candidate.
    fn extend<'n>(&self, taken: &mut Vec<&'n str>, candidates: &[&'n str], best: &mut Vec<&'n str>) {
        if taken.len() > best.len() {
            best.clone_from(taken);
        }
        let Some((first, rest)) = candidates.split_first() else { return };
        // Even with all candidates it would be no larger.
        if taken.len() + candidates.len() <= best.len() {
            return;
        }
        let near: Vec<&str> = rest.iter().copied().filter(|other| self.of(first).any(|differs| differs == *other)).collect();
        taken.push(*first);
        self.extend(taken, &near, best);
        taken.pop();
        self.extend(taken, rest, best);
    }
}

/// Constants that equal a list of constants, such as `T` of `T = {a, b}`.
fn listed<'e>(parts: &[&'e Expr], constants: &BTreeSet<&str>) -> BTreeMap<&'e str, BTreeSet<&'e str>> {
    let mut found = BTreeMap::new();
    for part in parts {
        let ExprKind::Binary(BinaryOp::Equal, left, right) = &part.kind else { continue };
        for (name, list) in [(left, right), (right, left)] {
            if let (Some(name), Some(names)) = (name_of(name, constants), names(list, constants)) {
                found.insert(name, names);
            }
        }
    }
    found
}

/// Constants that are known to be in a set.
fn elements<'e>(set: &'e Expr, listed: &BTreeMap<&'e str, BTreeSet<&'e str>>, constants: &BTreeSet<&str>) -> Option<BTreeSet<&'e str>> {
    name_of(set, constants).and_then(|name| listed.get(name).cloned()).or_else(|| names(set, constants))
}

fn name_of<'e>(expr: &'e Expr, constants: &BTreeSet<&str>) -> Option<&'e str> {
    match &expr.kind {
        ExprKind::Ident(name) if constants.contains(name.as_str()) => Some(name.as_str()),
        _ => None,
    }
}

fn strip(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Labelled(_, inner) => strip(inner),
        _ => expr,
    }
}

fn set_of(expr: &Expr, deferred: &dyn Fn(&str) -> Option<SetId>) -> Option<SetId> {
    match &expr.kind {
        ExprKind::Ident(name) => deferred(name),
        _ => None,
    }
}

/// The deferred set whose cardinality this is.
pub(super) fn card_of(expr: &Expr, deferred: &dyn Fn(&str) -> Option<SetId>) -> Option<SetId> {
    let ExprKind::Builtin(Builtin::Card, arguments) = &expr.kind else { return None };
    let [set] = arguments.as_slice() else { return None };
    set_of(set, deferred)
}

/// `N = 4` or `4 = N`.
fn number_of<'e>(part: &'e Expr, constants: &BTreeSet<&str>) -> Option<(&'e str, i64)> {
    let ExprKind::Binary(BinaryOp::Equal, left, right) = &part.kind else { return None };
    [(left, right), (right, left)].into_iter().find_map(|(name, number)| match &name.kind {
        ExprKind::Ident(name) if constants.contains(name.as_str()) => Some((name.as_str(), value(number)?)),
        _ => None,
    })
}

/// Whether functions of this space reach every element of their range: then at least as many have a value.
fn is_onto(space: BinaryOp) -> bool {
    matches!(space, BinaryOp::TotalSurjections | BinaryOp::PartialSurjections | BinaryOp::PartialBijections)
}

/// The size of an interval of numbers, BOOL or an enumerated set.
fn known_size(set: &Expr, deferred: &dyn Fn(&str) -> Option<SetId>, others: &Others<'_>, numbers: &BTreeMap<&str, i64>) -> Option<usize> {
    let size = match &set.kind {
        ExprKind::Constant(Constant::Bool) => 2,
        // What DEFINITIONS give a deferred set, the command line may change.
        ExprKind::Ident(name) if deferred(name).is_none() => (others.fixed)((others.set_of)(name)?)?,
        ExprKind::Binary(BinaryOp::Interval, from, to) => {
            usize::try_from(number(to, numbers)?.checked_sub(number(from, numbers)?)?.checked_add(1)?).ok()?
        }
        _ => return None,
    };
    Some(size).filter(|size| *size > 0)
}

/// The value of an expression of numbers, and of constants that equal one.
fn number(expr: &Expr, numbers: &BTreeMap<&str, i64>) -> Option<i64> {
    value_with(expr, &|expr| match &expr.kind {
        ExprKind::Ident(name) => numbers.get(name.as_str()).copied(),
        _ => None,
    })
}

/// Whether the comparison bounds its right side from below (else its left side), and by how much more than the other side.
fn at_least(op: BinaryOp) -> Option<(bool, i64)> {
    match op {
        BinaryOp::Greater => Some((false, 1)),
        BinaryOp::GreaterEqual => Some((false, 0)),
        BinaryOp::Less => Some((true, 1)),
        BinaryOp::LessEqual => Some((true, 0)),
        _ => None,
    }
}

/// `card(S) = n` or `card(S) = MAXINT`.
fn exact(
    left: &Expr,
    right: &Expr,
    deferred: &dyn Fn(&str) -> Option<SetId>,
    numbers: &BTreeMap<&str, i64>,
    hints: &mut IndexMap<SetId, SizeHint>,
) {
    if let Some(id) = card_of(left, deferred)
        && let Some(size) = number(right, numbers).and_then(|size| usize::try_from(size).ok())
    {
        hints.insert(id, SizeHint::Exactly(size));
    }
    if let Some(id) = card_of(left, deferred)
        && let ExprKind::Constant(Constant::MaxInt) = right.kind
    {
        hints.insert(id, SizeHint::MaxInt);
    }
}

/// The distinct constants of a set extension.
fn names<'e>(expr: &'e Expr, constants: &BTreeSet<&str>) -> Option<BTreeSet<&'e str>> {
    let ExprKind::SetExtension(items) = &expr.kind else { return None };
    items.iter().map(|item| name_of(item, constants)).collect()
}

/// The constants in `a` or `(a, b)` or `a |-> b` when all are typed by one set (only the plain form is read).
fn members<'e>(element: &'e Expr, constants: &BTreeSet<&str>) -> Vec<&'e str> {
    match &element.kind {
        ExprKind::Ident(name) if constants.contains(name.as_str()) => vec![name.as_str()],
        _ => Vec::new(),
    }
}
