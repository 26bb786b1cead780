//! Sizes of deferred sets that satisfy the conjuncts of PROPERTIES about cardinalities: `card(S) > card(T)`, `card(S) : 3 .. 4`,
//! `f : S >->> 1 .. 5`.
//!
//! Backtracking over small sizes: a conjunct that is false stays so until one of its own sets gets another size. Invariant: sizes are
//! suggested only where those that would be taken otherwise make one of these conjuncts false. Then as few sets as possible get another
//! size, and the sum of the differences from the old sizes is the least (of those that are reached within the limit of work); a smaller
//! size counts as a greater difference than any larger one that is tried. Deliberately elsewhere: conjuncts that leave one size only
//! (`hints`).

use super::arithmetic::value_with;
use super::hints::card_of;
use bcheck_ir::{SetId, SizeHint};
use bcheck_syntax::ast::{BinaryOp, Builtin, Constant, Expr, ExprKind};
use indexmap::IndexMap;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// The largest size that is tried where one set, two sets or three sets are changed at once; more are not. It falls with their number,
/// because the number of combinations is its power.
const LARGEST: [usize; 3] = [64, 16, 8];

/// At most this many sizes are read from conjuncts, which takes less than a second: one conjunct about dozens of sets, such as `card(S1) +
/// card(S2) + … = n`, leaves millions of combinations.
const MOST_READ: usize = if cfg!(test) { 100_000 } else { 20_000_000 };

/// The sizes that are known before.
pub(super) struct Sizes<'k> {
    /// The given set of a name.
    pub(super) set_of: &'k dyn Fn(&str) -> Option<SetId>,
    /// The size of a set that is enumerated or has an explicit size.
    pub(super) fixed: &'k dyn Fn(SetId) -> Option<usize>,
    /// Constants that equal a number.
    pub(super) numbers: &'k BTreeMap<&'k str, i64>,
    /// The size of a deferred set without any other.
    pub(super) default: usize,
}

/// Adds suggested sizes to the hints, if the conjuncts are false with the present ones and true with others that are found.
pub(super) fn suggest(parts: &[&Expr], known: &Sizes<'_>, hints: &mut IndexMap<SetId, SizeHint>) {
    let mut sizes = CurrentSizes::default();
    let mut free: Vec<(SetId, RangeInclusive<usize>)> = Vec::new();
    for part in parts {
        for id in sets_in(part, known) {
            if sizes.sizes.contains_key(&id) {
                continue;
            }
            // As `scope` decides without a request: fixed, implied, at least the lower bound, else the default.
            let size = match (hints.get(&id), (known.fixed)(id)) {
                (_, Some(fixed)) => fixed,
                (Some(SizeHint::Exactly(exact)), None) => *exact,
                // MAXINT is part of the scope and not known here; conjuncts about this set do not count as conjuncts about sizes.
                (Some(SizeHint::MaxInt), None) => continue,
                (Some(&SizeHint::Listed(least, most)), None) => {
                    free.push((id, least..=most));
                    known.default.max(least).min(most)
                }
                (hint, None) => {
                    let least = if let Some(SizeHint::AtLeast(least)) = hint { *least } else { 1 };
                    free.push((id, least..=usize::MAX));
                    least.max(known.default)
                }
            };
            sizes.sizes.insert(id, size);
        }
    }
    // A conjunct without a truth value here is about something else. One that loses its value when sizes are varied, such as `n / (card(S)
    // - 2) = 1`, does not hold with them.
    let conditions: Vec<&Expr> = parts.iter().copied().filter(|part| truth(part, &sizes, known).is_some()).collect();
    let mut search = SizeSearch {
        conditions: &conditions,
        known,
        places: free.iter().map(|(id, _)| *id).zip(0..).collect(),
        is_decided: vec![false; free.len()],
        free: &free,
        sizes,
        largest: 0,
        changes: Vec::new(),
        best: None,
    };
    if search.hold(None) {
        return;
    }
    // Fewest changes first.
    for (most, largest) in (1..=free.len()).zip(LARGEST) {
        search.largest = largest;
        search.change(most, 0, None);
        if let Some((_, changes)) = search.best {
            let suggested: BTreeMap<SetId, usize> = changes.into_iter().map(|(place, size)| (free[place].0, size)).collect();
            hints.extend(suggested.into_iter().map(|(id, size)| (id, SizeHint::Suggested(size))));
            return;
        }
    }
}

/// The sizes at one point of the search, which records those that are read: a conjunct has the same truth value until one of these changes.
#[derive(Default)]
struct CurrentSizes {
    sizes: BTreeMap<SetId, usize>,
    read: RefCell<Read>,
}

#[derive(Default)]
struct Read {
    /// Those read since this was cleared.
    sets: Vec<SetId>,
    /// How many were read in all.
    count: usize,
}

impl CurrentSizes {
    fn of(&self, id: SetId) -> Option<i64> {
        let mut read = self.read.borrow_mut();
        read.sets.push(id);
        read.count += 1;
        i64::try_from(*self.sizes.get(&id)?).ok()
    }
}

/// The search for sizes with which all conditions hold.
struct SizeSearch<'s> {
    conditions: &'s [&'s Expr],
    known: &'s Sizes<'s>,
    /// The sets whose sizes may be changed, with those that are possible.
    free: &'s [(SetId, RangeInclusive<usize>)],
    /// By set, its place in `free`.
    places: BTreeMap<SetId, usize>,
    /// By place, whether the set was changed or is to keep its size in this branch.
    is_decided: Vec<bool>,
    sizes: CurrentSizes,
    /// The largest size to be tried.
    largest: usize,
    /// Place and new size of each set that is changed in this branch.
    changes: Vec<(usize, usize)>,
    /// The least distance found, with its changes by ascending place; of equal distances the first in the order of the changes, so that
    /// the result does not depend on anything but the text.
    best: Option<(usize, Vec<(usize, usize)>)>,
}

impl SizeSearch<'_> {
    /// Visits the sizes that differ from the present ones, at distance `distance` from the old ones, in at most `most` undecided sets; each
    /// at most once. `suspect` is a condition that was false before the last change.
    fn change(&mut self, most: usize, distance: usize, suspect: Option<usize>) {
        if most == 0 {
            if self.hold(suspect) {
                let mut changes = self.changes.clone();
                changes.sort_unstable();
                let found = Some((distance, changes));
                if self.best.is_none() || found < self.best {
                    self.best = found;
                }
            }
            return;
        }
        // With these changes all conditions would hold only if they did with fewer changes, which were tried before.
        let Some((suspect, open)) = self.narrowest() else { return };
        // At least one of these sets must change. The first one that does is chosen here: those before it keep their sizes.
        for &place in &open {
            let (id, possible) = &self.free[place];
            let old = self.sizes.sizes[id];
            self.is_decided[place] = true;
            for size in (*possible.start()..=self.largest.min(*possible.end())).filter(|size| *size != old) {
                // More than the distance of any larger size that is tried.
                let smaller = if size < old { LARGEST[0] } else { 0 };
                let distance = distance + smaller + size.abs_diff(old);
                // Further changes only add to it.
                if self.best.as_ref().is_some_and(|(least, _)| distance > *least) || self.sizes.read.borrow().count > MOST_READ {
                    continue;
                }
                self.sizes.sizes.insert(*id, size);
                self.changes.push((place, size));
                self.change(most - 1, distance, Some(suspect));
                self.changes.pop();
            }
            self.sizes.sizes.insert(*id, old);
        }
        open.iter().for_each(|place| self.is_decided[*place] = false);
    }

    /// Whether all conditions hold; the suspect is tested first.
    fn hold(&self, suspect: Option<usize>) -> bool {
        self.sizes.read.borrow_mut().sets.clear();
        suspect.into_iter().chain(0..self.conditions.len()).all(|condition| self.holds(condition))
    }

    fn holds(&self, condition: usize) -> bool {
        truth(self.conditions[condition], &self.sizes, self.known) == Some(true)
    }

    /// Of the conditions that do not hold, the first with the fewest undecided sets, with the places of these in ascending order.
    fn narrowest(&self) -> Option<(usize, Vec<usize>)> {
        let open = |condition: usize| {
            self.sizes.read.borrow_mut().sets.clear();
            if self.holds(condition) {
                return None;
            }
            let read = self.sizes.read.borrow();
            let mut open: Vec<usize> = read.sets.iter().filter_map(|id| self.places.get(id).copied()).collect();
            open.retain(|place| !self.is_decided[*place]);
            open.sort_unstable();
            open.dedup();
            Some((condition, open))
        };
        (0..self.conditions.len()).filter_map(open).min_by_key(|(_, open)| open.len())
    }
}

/// The given sets whose names occur in a conjunct that could be about sizes alone.
fn sets_in(expr: &Expr, known: &Sizes<'_>) -> Vec<SetId> {
    match &expr.kind {
        ExprKind::Ident(name) => (known.set_of)(name).into_iter().collect(),
        ExprKind::Unary(_, inner) | ExprKind::Labelled(_, inner) => sets_in(inner, known),
        ExprKind::Binary(_, left, right) => [left, right].into_iter().flat_map(|side| sets_in(side, known)).collect(),
        ExprKind::Builtin(Builtin::Card | Builtin::Not | Builtin::Pow | Builtin::Pow1 | Builtin::Fin | Builtin::Fin1, items)
        | ExprKind::SetExtension(items) => items.iter().flat_map(|item| sets_in(item, known)).collect(),
        _ => Vec::new(),
    }
}

/// Whether a conjunct about sizes holds; `None` for any other conjunct.
fn truth(expr: &Expr, sizes: &CurrentSizes, known: &Sizes<'_>) -> Option<bool> {
    let number = |expr: &Expr| number(expr, sizes, known);
    match &expr.kind {
        ExprKind::Labelled(_, inner) => truth(inner, sizes, known),
        ExprKind::Builtin(Builtin::Not, items) => match items.as_slice() {
            [inner] => truth(inner, sizes, known).map(|holds| !holds),
            _ => None,
        },
        ExprKind::Binary(op, left, right) => {
            // No short circuit: if one part is not about sizes, the whole is not, whatever the other part is.
            let both = || Some((truth(left, sizes, known)?, truth(right, sizes, known)?));
            match op {
                BinaryOp::And => both().map(|(left, right)| left && right),
                BinaryOp::Or => both().map(|(left, right)| left || right),
                BinaryOp::Implies => both().map(|(left, right)| !left || right),
                BinaryOp::Equivalent => both().map(|(left, right)| left == right),
                BinaryOp::Equal => Some(number(left)? == number(right)?),
                BinaryOp::NotEqual => Some(number(left)? != number(right)?),
                BinaryOp::Less => Some(number(left)? < number(right)?),
                BinaryOp::LessEqual => Some(number(left)? <= number(right)?),
                BinaryOp::Greater => Some(number(left)? > number(right)?),
                BinaryOp::GreaterEqual => Some(number(left)? >= number(right)?),
                BinaryOp::Member => match &right.kind {
                    ExprKind::SetExtension(items) => {
                        let items: Option<Vec<i64>> = items.iter().map(number).collect();
                        Some(items?.contains(&number(left)?))
                    }
                    ExprKind::Binary(BinaryOp::Interval, from, to) => Some((number(from)?..=number(to)?).contains(&number(left)?)),
                    ExprKind::Binary(space, from, to) => {
                        let (from, to) = (size(from, sizes, known)?, size(to, sizes, known)?);
                        // The condition under which the space is not empty; the empty relation is in all other spaces.
                        match space {
                            BinaryOp::TotalBijections => Some(from == to),
                            BinaryOp::TotalInjections => Some(from <= to),
                            BinaryOp::TotalSurjections => Some(from >= to && (from == 0 || to > 0)),
                            BinaryOp::PartialSurjections | BinaryOp::PartialBijections => Some(from >= to),
                            BinaryOp::TotalFunctions | BinaryOp::TotalRelations => Some(from == 0 || to > 0),
                            BinaryOp::SurjectiveRelations => Some(to == 0 || from > 0),
                            BinaryOp::TotalSurjectiveRelations => Some((from == 0) == (to == 0)),
                            _ => None,
                        }
                    }
                    _ => None,
                },
                _ => None,
            }
        }
        _ => None,
    }
}

fn number(expr: &Expr, sizes: &CurrentSizes, known: &Sizes<'_>) -> Option<i64> {
    value_with(expr, &|expr| match &expr.kind {
        ExprKind::Ident(name) => known.numbers.get(name.as_str()).copied(),
        _ => sizes.of(card_of(expr, known.set_of)?),
    })
}

/// The number of elements of the set whose subsets are counted, unless there are too many of these.
fn elements_of_power(sets: &[Expr], sizes: &CurrentSizes, known: &Sizes<'_>) -> Option<u32> {
    let [set] = sets else { return None };
    u32::try_from(size(set, sizes, known)?).ok().filter(|size| *size < 62)
}

/// The number of elements of a given set, an interval, BOOL, or a product or power set of such sets.
fn size(set: &Expr, sizes: &CurrentSizes, known: &Sizes<'_>) -> Option<i64> {
    match &set.kind {
        ExprKind::Ident(name) => sizes.of((known.set_of)(name)?),
        ExprKind::Constant(Constant::Bool) => Some(2),
        ExprKind::Binary(BinaryOp::Times, left, right) => size(left, sizes, known)?.checked_mul(size(right, sizes, known)?),
        // Of finite sets, which these are.
        ExprKind::Builtin(Builtin::Pow | Builtin::Fin, sets) => 1i64.checked_shl(elements_of_power(sets, sizes, known)?),
        ExprKind::Builtin(Builtin::Pow1 | Builtin::Fin1, sets) => Some(1i64.checked_shl(elements_of_power(sets, sizes, known)?)? - 1),
        ExprKind::Binary(BinaryOp::Interval, from, to) => {
            Some((number(to, sizes, known)?.checked_sub(number(from, sizes, known)?)?.checked_add(1)?).max(0))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcheck_source::FileId;
    use bcheck_syntax::parse_formula;
    use proptest::prelude::*;

    const DEFAULT: usize = 2;

    /// The sizes that conjuncts about the sets S0, S1, … suggest, given the search or its reference.
    fn suggested(parts: &[String], search: fn(&[&Expr], &Sizes<'_>, &mut IndexMap<SetId, SizeHint>)) -> Vec<(usize, SizeHint)> {
        let parts: Vec<Expr> = parts.iter().map(|part| parse_formula(FileId(0), part).tree).collect();
        let set_of = |name: &str| name.strip_prefix('S').and_then(|number| number.parse().ok()).map(SetId);
        let known = Sizes { set_of: &set_of, fixed: &|_| None, numbers: &BTreeMap::new(), default: DEFAULT };
        let mut hints = IndexMap::new();
        search(&parts.iter().collect::<Vec<_>>(), &known, &mut hints);
        hints.into_iter().map(|(id, hint)| (id.index(), hint)).collect()
    }

    /// All combinations one by one: those of the first set with another size before those in which it keeps its own.
    fn reference(parts: &[&Expr], known: &Sizes<'_>, hints: &mut IndexMap<SetId, SizeHint>) {
        fn vary(
            free: &[SetId],
            most: usize,
            largest: usize,
            sizes: &BTreeMap<SetId, usize>,
            distance: usize,
            visit: &mut dyn FnMut(&BTreeMap<SetId, usize>, usize),
        ) {
            let Some((id, rest)) = free.split_first() else { return visit(sizes, distance) };
            for size in (1..=largest).filter(|size| most > 0 && *size != DEFAULT) {
                let mut changed = sizes.clone();
                changed.insert(*id, size);
                let smaller = if size < DEFAULT { LARGEST[0] } else { 0 };
                vary(rest, most - 1, largest, &changed, distance + smaller + size.abs_diff(DEFAULT), visit);
            }
            vary(rest, most, largest, sizes, distance, visit);
        }
        let mut free: Vec<SetId> = Vec::new();
        for id in parts.iter().flat_map(|part| sets_in(part, known)) {
            if !free.contains(&id) {
                free.push(id);
            }
        }
        let holds = |part: &Expr, sizes: &BTreeMap<SetId, usize>| {
            truth(part, &CurrentSizes { sizes: sizes.clone(), ..CurrentSizes::default() }, known)
        };
        let sizes: BTreeMap<SetId, usize> = free.iter().map(|id| (*id, DEFAULT)).collect();
        let conditions: Vec<&Expr> = parts.iter().copied().filter(|part| holds(part, &sizes).is_some()).collect();
        for (most, largest) in (0..=free.len()).zip([0].into_iter().chain(LARGEST)) {
            let mut best: Option<(usize, BTreeMap<SetId, usize>)> = None;
            vary(&free, most, largest, &sizes, 0, &mut |changed, distance| {
                if best.as_ref().is_none_or(|(least, _)| distance < *least)
                    && conditions.iter().all(|part| holds(part, changed) == Some(true))
                {
                    best = Some((distance, changed.clone()));
                }
            });
            if let Some((_, found)) = best {
                hints.extend(found.into_iter().filter(|(_, size)| *size != DEFAULT).map(|(id, size)| (id, SizeHint::Suggested(size))));
                return;
            }
        }
    }

    fn condition() -> impl Strategy<Value = String> {
        let set = 0..4usize;
        prop_oneof![
            (set.clone(), set.clone(), prop::sample::select(vec![">", ">=", "<", "=", "/="]), 0..3)
                .prop_map(|(left, right, sign, more)| { format!("card(S{left}) {sign} card(S{right}) + {more}") }),
            (set.clone(), 0..6, 0..4).prop_map(|(set, least, more)| format!("card(S{set}) : {least} .. {}", least + more)),
            (set.clone(), set.clone(), set.clone(), 3..15)
                .prop_map(|(a, b, c, sum)| format!("card(S{a}) + card(S{b}) + card(S{c}) = {sum}")),
            (set.clone(), set.clone()).prop_map(|(from, to)| format!("f : S{from} >-> S{to}")),
            (set.clone(), set.clone()).prop_map(|(one, other)| format!("card(S{one}) = 1 or card(S{other}) mod 3 = 0")),
            (set.clone(), set).prop_map(|(one, other)| format!("12 / (card(S{one}) - 3) > card(S{other})")),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_search_suggests_what_all_combinations_suggest(parts in prop::collection::vec(condition(), 1..5)) {
            prop_assert_eq!(suggested(&parts, suggest), suggested(&parts, reference), "{:?}", parts);
        }
    }

    #[test]
    fn only_sets_of_conjuncts_that_are_false_are_varied() {
        // All combinations of three sets in a thousand would not end.
        let mut parts: Vec<String> = (0..1_000).map(|set| format!("card(S{set}) > 0")).collect();
        parts.extend(["card(S998) > card(S999)".to_owned(), "card(S999) > card(S997) + 1".to_owned()]);
        let sizes = [(998, SizeHint::Suggested(5)), (999, SizeHint::Suggested(4))];
        assert_eq!(suggested(&parts, suggest), sizes);
        parts.push("card(S997) > card(S998)".to_owned());
        assert_eq!(suggested(&parts, suggest), []);
    }

    #[test]
    fn a_conjunct_about_many_sets_ends_the_search_at_the_limit() {
        let cards: Vec<String> = (0..500).map(|set| format!("card(S{set})")).collect();
        assert_eq!(suggested(&[format!("{} = 1004", cards.join(" + "))], suggest), [(0, SizeHint::Suggested(6))]);
        assert_eq!(suggested(&[format!("{} = 5000", cards.join(" + "))], suggest), []);
    }
}
