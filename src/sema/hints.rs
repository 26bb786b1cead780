//! Sizes of deferred sets that PROPERTIES imply, as ProB reads them.
//!
//! Invariant: a hint follows from the properties, so a machine of another size has no valuation of its constants. Constants of one
//! extension or `@partition` that is a whole set, as in `S = {a, b}`, may be equal: they bound the size, and the default size stays if it
//! lies within the bounds. Deliberately elsewhere: which constants are distinct (`distinct`), the sizes of sets built from others
//! (`least_sizes`), sizes in DEFINITIONS (`settings`), sizes that only satisfy conditions (`cardinalities`), which hint wins (`scope`).

use super::arithmetic::{value, value_with};
use super::cardinalities::{self, Sizes};
use super::distinct::Distinct;
use super::least_sizes::SetSizes;
use bcheck_ir::{SetId, SizeHint};
use bcheck_syntax::ast::{BinaryOp, Builtin, Constant, Expr, ExprKind};
use indexmap::IndexMap;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

/// Given sets, and the sizes that do not come from PROPERTIES.
#[derive(Clone, Copy)]
pub(super) struct Others<'k> {
    /// The given set of a name.
    pub(super) set_of: &'k dyn Fn(&str) -> Option<SetId>,
    /// The size of an enumerated set, or that in DEFINITIONS.
    pub(super) fixed: &'k dyn Fn(SetId) -> Option<usize>,
    /// The size of other deferred sets.
    pub(super) default: usize,
}

/// The sizes of deferred sets that these conjuncts of PROPERTIES imply.
pub(super) fn of_properties(
    properties: &[&Expr],
    deferred: &dyn Fn(&str) -> Option<SetId>,
    constants: &BTreeSet<&str>,
    others: &Others<'_>,
) -> IndexMap<SetId, SizeHint> {
    // Constants that equal a number, such as `N` of `N = 4 & card(S) = N`.
    let numbers: BTreeMap<&str, i64> = properties.iter().filter_map(|part| number_of(part, constants)).collect();
    let known = |set: &Expr| known_size(set, deferred, others, &numbers);
    let sizes = SetSizes { named: BTreeMap::new(), disjoint: BTreeSet::new(), constants, known: &known, looks: Cell::new(0) };
    let mut facts = Facts {
        sizes,
        deferred,
        constants,
        others,
        numbers: &numbers,
        listed: listed(properties, constants),
        distinct: Distinct::default(),
        members: IndexMap::new(),
        lists: Vec::new(),
        bounds: Vec::new(),
        exact: IndexMap::new(),
        whole: Vec::new(),
    };
    for part in properties {
        facts.read(part, true);
    }
    let mut hints = facts.hints();
    let Others { set_of, fixed, default } = *others;
    cardinalities::suggest(properties, &Sizes { set_of, fixed, numbers: &numbers, default }, &mut hints);
    hints
}

/// The conjuncts as far as they have been read. Only exact sizes are final at once: what lists and members imply depends on all
/// disequalities.
struct Facts<'e, 'k> {
    sizes: SetSizes<'e, 'k>,
    deferred: &'k dyn Fn(&str) -> Option<SetId>,
    constants: &'k BTreeSet<&'k str>,
    others: &'k Others<'k>,
    numbers: &'k BTreeMap<&'e str, i64>,
    /// Constants that equal a list of constants.
    listed: BTreeMap<&'e str, BTreeSet<&'e str>>,
    distinct: Distinct<'e>,
    /// Constants in a deferred set.
    members: IndexMap<SetId, Vec<&'e str>>,
    /// Deferred sets that equal a list of constants.
    lists: Vec<(SetId, BTreeSet<&'e str>)>,
    /// Lower bounds of sizes.
    bounds: Vec<(SetId, usize)>,
    exact: IndexMap<SetId, SizeHint>,
    /// Names of deferred sets, wherever a conjunct is about them.
    whole: Vec<&'e Expr>,
}

impl<'e> Facts<'e, '_> {
    /// Reads one conjunct, or one that is false.
    fn read(&mut self, part: &'e Expr, holds: bool) {
        match (&part.kind, holds) {
            (ExprKind::Labelled(_, inner), _) => self.read(inner, holds),
            (ExprKind::Builtin(Builtin::Not, items), _) => items.iter().for_each(|inner| self.read(inner, !holds)),
            (ExprKind::Binary(BinaryOp::And, left, right), true) | (ExprKind::Binary(BinaryOp::Or, left, right), false) => {
                self.read(left, holds);
                self.read(right, holds);
            }
            (ExprKind::Binary(BinaryOp::Implies, left, right), false) => {
                self.read(left, true);
                self.read(right, false);
            }
            (ExprKind::Binary(op, left, right), true) => self.compare(*op, left, right),
            (ExprKind::Binary(op, left, right), false) => {
                if let Some(op) = negated(*op) {
                    self.compare(op, left, right);
                }
            }
            (ExprKind::Builtin(Builtin::Partition, arguments), true) => self.partition(arguments),
            _ => {}
        }
    }

    fn compare(&mut self, op: BinaryOp, left: &'e Expr, right: &'e Expr) {
        match op {
            BinaryOp::Equal => {
                for (left, right) in [(left, right), (right, left)] {
                    self.equation(left, right);
                }
                if let (Some(left), Some(right)) = (self.constant(left), self.constant(right)) {
                    self.distinct.equal(left, right);
                }
            }
            BinaryOp::NotEqual => {
                if let (Some(left), Some(right)) = (self.single(left), self.single(right)) {
                    self.distinct.each_other(&BTreeSet::from([left, right]));
                }
                // `{a, b} /= {a, c}`: b and c differ.
                if let (Some(one), Some(other)) = (names(left, self.constants), names(right, self.constants)) {
                    let only = |one: &BTreeSet<&'e str>, other: &BTreeSet<&'e str>| one.difference(other).copied().collect::<BTreeSet<_>>();
                    let (of_one, of_other) = (only(&one, &other), only(&other, &one));
                    match (of_one.len(), of_other.len()) {
                        (1, 1) => self.distinct.disjoint(vec![of_one, of_other]),
                        (1, 0) => self.distinct.disjoint(vec![of_one, other]),
                        (0, 1) => self.distinct.disjoint(vec![of_other, one]),
                        _ => {}
                    }
                }
                for (set, none) in [(left, right), (right, left)] {
                    if let (Some(name), true) = (self.set_name(set), is_empty(none)) {
                        let of = self.sizes.of(name);
                        of.least = of.least.max(1);
                    }
                }
            }
            BinaryOp::NotMember => {
                // `a /: {b, c}`: a differs from both.
                if let (Some(element), Some(others)) = (self.constant(left), self.elements(right)) {
                    self.distinct.disjoint(vec![BTreeSet::from([element]), others]);
                }
            }
            BinaryOp::Subset | BinaryOp::StrictSubset => {
                if let (Some(id), Some(names)) = (set_of(right, self.deferred), self.elements(left)) {
                    self.members.entry(id).or_default().extend(names);
                }
                if let Some(name) = self.set_name(right) {
                    self.sizes.of(name).subsets.push(left);
                }
            }
            BinaryOp::Member => self.member(left, right),
            _ => {
                if let Some((is_turned, more)) = at_least(op) {
                    let ((set, least), (other, most)) =
                        if is_turned { ((right, left), (left, right)) } else { ((left, right), (right, left)) };
                    self.bound(set, least, more);
                    self.bound_above(other, most, more);
                }
            }
        }
    }

    /// `card(T) <= n`, with n smaller by `less`.
    fn bound_above(&mut self, set: &'e Expr, most: &Expr, less: i64) {
        if let Some(name) = card_operand(set).and_then(|set| self.set_name(set))
            && let Some(most) = number(most, self.numbers).and_then(|most| usize::try_from(most.saturating_sub(less)).ok())
        {
            let of = self.sizes.of(name);
            of.most = Some(of.most.map_or(most, |known| known.min(most)));
        }
    }

    /// `card(S) >= n`, with n larger by `more`.
    fn bound(&mut self, set: &'e Expr, least: &Expr, more: i64) {
        if let Some(name) = card_operand(set).and_then(|set| self.set_name(set))
            && let Some(least) = number(least, self.numbers).and_then(|least| usize::try_from(least.saturating_add(more)).ok())
        {
            let of = self.sizes.of(name);
            of.least = of.least.max(least);
        }
        if let Some(id) = card_of(set, self.deferred)
            && let Some(least) = number(least, self.numbers).and_then(|least| usize::try_from(least.saturating_add(more)).ok())
        {
            self.bounds.push((id, least));
        }
    }

    /// An equation, read from left to right.
    fn equation(&mut self, left: &'e Expr, right: &'e Expr) {
        // `A /\ B = {}`
        if let (ExprKind::Binary(BinaryOp::Intersection, one, other), ExprKind::SetExtension(none)) = (&left.kind, &right.kind)
            && none.is_empty()
            && let (Some(one), Some(other)) = (self.elements(one), self.elements(other))
        {
            self.distinct.disjoint(vec![one, other]);
        }
        if let (ExprKind::Binary(BinaryOp::Intersection, one, other), true) = (&left.kind, is_empty(right))
            && let (Some(one), Some(other)) = (self.set_name(one), self.set_name(other))
        {
            self.sizes.disjoint.insert((one, other));
        }
        if let Some(name) = self.set_name(left) {
            self.sizes.of(name).equals.push(right);
        }
        if let Some(name) = card_operand(left).and_then(|set| self.set_name(set))
            && let Some(size) = number(right, self.numbers).and_then(|size| usize::try_from(size).ok())
        {
            let of = self.sizes.of(name);
            of.least = of.least.max(size);
            of.most = Some(of.most.map_or(size, |known| known.min(size)));
        }
        // `card(S) = n` or `card(S) = MAXINT`
        if let Some(id) = card_of(left, self.deferred) {
            // Of two sizes the later one is taken: they contradict each other, and no size has a valuation.
            if let Some(size) = number(right, self.numbers).and_then(|size| usize::try_from(size).ok()) {
                self.exact.insert(id, SizeHint::Exactly(size));
            } else if let ExprKind::Constant(Constant::MaxInt) = right.kind {
                self.exact.insert(id, SizeHint::MaxInt);
            }
        }
        // `S = {a, b}`
        if let (Some(id), Some(names)) = (set_of(left, self.deferred), names(right, self.constants)) {
            self.lists.push((id, names));
        }
        // `card({a, b, c}) = 3`: as many values as names, so all differ.
        if let ExprKind::Builtin(Builtin::Card, sets) = &left.kind
            && let [set] = sets.as_slice()
            && let Some(names) = names(set, self.constants)
            && usize::try_from(number(right, self.numbers).unwrap_or(0)) == Ok(names.len())
        {
            self.distinct.each_other(&names);
        }
    }

    /// `@partition(S, {a}, {b, c})`
    fn partition(&mut self, arguments: &'e [Expr]) {
        let Some((set, parts)) = arguments.split_first() else { return };
        if let Some(name) = self.set_name(set) {
            self.sizes.of(name).partitions.push(parts);
        }
        if let Some(id) = set_of(set, self.deferred)
            && let Some(names) = parts.iter().map(|part| names(part, self.constants)).collect::<Option<Vec<_>>>()
        {
            self.lists.push((id, names.into_iter().flatten().collect()));
        }
        // The parts are disjoint pair by pair, whatever the set is.
        self.distinct.disjoint(parts.iter().filter_map(|part| self.elements(part)).collect());
    }

    /// `a : S`, or a function from or to a deferred set.
    fn member(&mut self, element: &'e Expr, set: &'e Expr) {
        if let (Some(id), Some(name)) = (set_of(set, self.deferred), self.constant(element)) {
            self.members.entry(id).or_default().push(name);
        }
        if let (Some(element), Some(set)) = (self.constant(element), self.set_name(set)) {
            self.sizes.of(set).members.insert(element);
        }
        match &set.kind {
            // `a : S - {b}`
            ExprKind::Binary(BinaryOp::Minus | BinaryOp::SetMinus, whole, without) => {
                self.compare(BinaryOp::Member, element, whole);
                self.compare(BinaryOp::NotMember, element, without);
                return;
            }
            // `a : S & a : T` as `a : S /\\ T`
            ExprKind::Binary(BinaryOp::Intersection, one, other) => {
                self.compare(BinaryOp::Member, element, one);
                self.compare(BinaryOp::Member, element, other);
                return;
            }
            // `T : POW1(S)`
            ExprKind::Builtin(power @ (Builtin::Pow | Builtin::Pow1 | Builtin::Fin | Builtin::Fin1), sets) => {
                if let [whole] = sets.as_slice() {
                    self.compare(BinaryOp::Subset, element, whole);
                }
                if let (Some(name), Builtin::Pow1 | Builtin::Fin1) = (self.set_name(element), power) {
                    let of = self.sizes.of(name);
                    of.least = of.least.max(1);
                }
                return;
            }
            _ => {}
        }
        // Only that the space has a member counts, so the left side may be anything.
        let ExprKind::Binary(space, from, to) = &set.kind else { return };
        let known = |set: &Expr| known_size(set, self.deferred, self.others, self.numbers);
        // Between a deferred set and a set of known size, bijections fix the size, injections and surjections bound it.
        match (set_of(from, self.deferred), known(to), set_of(to, self.deferred), known(from)) {
            (Some(id), Some(size), ..) | (.., Some(id), Some(size)) if *space == BinaryOp::TotalBijections => {
                self.exact.insert(id, SizeHint::Exactly(size));
            }
            (.., Some(id), Some(size)) if *space == BinaryOp::TotalInjections => self.bounds.push((id, size)),
            (Some(id), Some(size), ..) if is_onto(*space) => self.bounds.push((id, size)),
            _ => {}
        }
    }

    /// The hints that all conjuncts together imply.
    fn hints(mut self) -> IndexMap<SetId, SizeHint> {
        let mut hints = std::mem::take(&mut self.exact);
        self.sets_of_parts(&mut hints);
        for (id, names) in self.lists {
            // The number of constants in the extension is an upper bound and, where no size is stated, the default.
            let most = self.distinct.classes(&names);
            if let SizeHint::Listed(_, known) = hints.entry(id).or_insert(SizeHint::Listed(1, most)) {
                *known = most.min(*known);
            }
            self.members.entry(id).or_default().extend(names);
        }
        // A set has at least as many elements as there are distinct constants in it. A single constant is not a bound: no set is empty.
        let distinct = self.members.into_iter().map(|(id, names)| (id, self.distinct.most(&names))).filter(|(_, count)| *count > 1);
        // Bounds come after exact sizes and do not replace them: a contradiction between the two is left to the search for constants.
        for (id, least) in self.bounds.into_iter().chain(distinct) {
            if let SizeHint::AtLeast(known) | SizeHint::Listed(known, _) = hints.entry(id).or_insert(SizeHint::AtLeast(least)) {
                *known = least.max(*known);
            }
        }
        // Where the bounds coincide, the size is certain. Where they cross, no size has a valuation, and the extension is shown.
        for hint in hints.values_mut() {
            if let SizeHint::Listed(least, most) = *hint
                && least >= most
            {
                *hint = SizeHint::Exactly(most);
            }
        }
        hints
    }

    /// The sizes that partitions, subsets and equations of other sets imply.
    fn sets_of_parts(&mut self, hints: &mut IndexMap<SetId, SizeHint>) {
        let sets: Vec<(SetId, &'e Expr)> = self.whole.iter().copied().filter_map(|set| Some((set_of(set, self.deferred)?, set))).collect();
        for (id, set) in sets {
            let least = self.sizes.least(set, &self.distinct);
            if least > 1 {
                self.bounds.push((id, least));
            }
            if let Some(most) = self.sizes.most(set, &self.distinct).filter(|most| *most > 0)
                && let SizeHint::Listed(_, known) = hints.entry(id).or_insert(SizeHint::Listed(1, most))
            {
                *known = most.min(*known);
            }
        }
    }

    /// The name of a constant or deferred set.
    fn set_name(&mut self, expr: &'e Expr) -> Option<&'e str> {
        let ExprKind::Ident(name) = &expr.kind else { return None };
        if (self.deferred)(name).is_some() {
            self.whole.push(expr);
        } else if !self.constants.contains(name.as_str()) {
            return None;
        }
        Some(name.as_str())
    }

    /// The constant `a` of `a`, or of `{a}`.
    fn single(&self, expr: &'e Expr) -> Option<&'e str> {
        match &expr.kind {
            ExprKind::SetExtension(items) if items.len() == 1 => self.constant(&items[0]),
            _ => self.constant(expr),
        }
    }

    fn constant(&self, expr: &'e Expr) -> Option<&'e str> {
        name_of(expr, self.constants)
    }

    /// Constants that are known to be in a set.
    fn elements(&self, set: &'e Expr) -> Option<BTreeSet<&'e str>> {
        self.constant(set).and_then(|name| self.listed.get(name).cloned()).or_else(|| names(set, self.constants))
    }
}

/// Constants that equal an extension of constants, such as `T` of `T = {a, b}`.
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

fn name_of<'e>(expr: &'e Expr, constants: &BTreeSet<&str>) -> Option<&'e str> {
    match &expr.kind {
        ExprKind::Ident(name) if constants.contains(name.as_str()) => Some(name.as_str()),
        _ => None,
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
    set_of(card_operand(expr)?, deferred)
}

fn card_operand(expr: &Expr) -> Option<&Expr> {
    let ExprKind::Builtin(Builtin::Card, arguments) = &expr.kind else { return None };
    let [set] = arguments.as_slice() else { return None };
    Some(set)
}

/// `N = 4` or `4 = N`.
fn number_of<'e>(part: &'e Expr, constants: &BTreeSet<&str>) -> Option<(&'e str, i64)> {
    let ExprKind::Binary(BinaryOp::Equal, left, right) = &part.kind else { return None };
    [(left, right), (right, left)].into_iter().find_map(|(name, number)| match &name.kind {
        // Numbers only: a constant that equals another constant is not followed.
        ExprKind::Ident(name) if constants.contains(name.as_str()) => Some((name.as_str(), value(number)?)),
        _ => None,
    })
}

/// The comparison that holds where another one does not.
fn negated(op: BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        BinaryOp::Equal => BinaryOp::NotEqual,
        BinaryOp::NotEqual => BinaryOp::Equal,
        BinaryOp::Member => BinaryOp::NotMember,
        BinaryOp::NotMember => BinaryOp::Member,
        BinaryOp::NotSubset => BinaryOp::Subset,
        BinaryOp::NotStrictSubset => BinaryOp::StrictSubset,
        BinaryOp::Less => BinaryOp::GreaterEqual,
        BinaryOp::LessEqual => BinaryOp::Greater,
        BinaryOp::Greater => BinaryOp::LessEqual,
        BinaryOp::GreaterEqual => BinaryOp::Less,
        _ => return None,
    })
}

fn is_empty(set: &Expr) -> bool {
    matches!(&set.kind, ExprKind::SetExtension(items) if items.is_empty())
}

/// Whether functions of this space reach every element of their range: then at least as many have a value.
fn is_onto(space: BinaryOp) -> bool {
    matches!(space, BinaryOp::TotalSurjections | BinaryOp::PartialSurjections | BinaryOp::PartialBijections)
}

/// The size of an interval of numbers, BOOL, an enumerated set, or a product of such sets.
fn known_size(set: &Expr, deferred: &dyn Fn(&str) -> Option<SetId>, others: &Others<'_>, numbers: &BTreeMap<&str, i64>) -> Option<usize> {
    let size = match &set.kind {
        ExprKind::Constant(Constant::Bool) => 2,
        // The command line may change the size of a deferred set in DEFINITIONS.
        ExprKind::Ident(name) if deferred(name).is_none() => (others.fixed)((others.set_of)(name)?)?,
        ExprKind::Binary(BinaryOp::Times, left, right) => {
            let size = |set: &Expr| known_size(set, deferred, others, numbers);
            size(left)?.checked_mul(size(right)?)?
        }
        ExprKind::Binary(BinaryOp::Interval, from, to) => {
            usize::try_from(number(to, numbers)?.checked_sub(number(from, numbers)?)?.checked_add(1)?).ok()?
        }
        _ => return None,
    };
    // A bijection to an empty set would require an empty set, and B has none: the contradiction is left to the search for constants.
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

/// The distinct constants of a set extension.
fn names<'e>(expr: &'e Expr, constants: &BTreeSet<&str>) -> Option<BTreeSet<&'e str>> {
    let ExprKind::SetExtension(items) = &expr.kind else { return None };
    items.iter().map(|item| name_of(item, constants)).collect()
}
