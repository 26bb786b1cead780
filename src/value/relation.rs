//! Operators on explicit relations: sets of pairs.
//!
//! Invariant: pairs are ordered by first component, then second, so everything about one argument lies together and is found by
//! binary search. A set of pairs is never a mask. Typing guarantees that members are pairs (or sets, where an operator needs them).
//! Deliberately elsewhere: symbolic relations (`eval`), sequences (`sequence`), function spaces (`space`).

use super::algebra::from_tree;
use super::set::Repr;
use super::{IllDefined, Set, Value};
use fixedbitset::FixedBitSet;
use num_bigint::BigUint;

/// The two components of a member of a relation.
pub(super) fn sides(member: &Value) -> (&Value, &Value) {
    member.as_pair().expect("typing makes every member of a relation a pair")
}

/// A member of a set of sets, if it is explicit.
fn member_set<'a>(member: &'a Value, operator: &'static str) -> Result<&'a Set, IllDefined> {
    member.as_set().ok_or(IllDefined::NotFinite(operator))
}

/// The pairs in ascending order.
pub(super) fn pairs(relation: &Set) -> impl Iterator<Item = (&Value, &Value)> {
    debug_assert!(relation.as_bits().is_none(), "a relation is never a set of elements");
    relation.listed().map(sides)
}

/// The pairs whose first component is `argument`.
fn members_at<'a>(relation: &'a Set, argument: &Value) -> impl Iterator<Item = &'a Value> + use<'a> {
    // One of the two parts is empty: an iterator over either, without a box.
    let (slice, tree) = match (relation.as_list(), &relation.0) {
        (Some(members), _) => {
            let start = first_at(members, argument);
            let is_one = |member: &Value| sides(member).0 == argument;
            // Most relations are functions: the second pair is compared before a binary search.
            let length = if !members.get(start).is_some_and(is_one) {
                0
            } else if !members.get(start + 1).is_some_and(is_one) {
                1
            } else {
                members[start..].partition_point(is_one)
            };
            (&members[start..start + length], None)
        }
        (None, Repr::Tree(tree)) => {
            let argument = argument.clone();
            // FALSE is the least value of all, so this pair is a lower bound.
            let from = Value::pair(argument.clone(), Value::Bool(false));
            (&[][..], Some(tree.range(from..).take_while(move |member| *sides(member).0 == argument)))
        }
        _ => (&[][..], None),
    };
    slice.iter().chain(tree.into_iter().flatten())
}

/// The number of the pairs, ascending, whose first component is less than `argument`.
fn first_at(members: &[Value], argument: &Value) -> usize {
    // In a function on an interval, as a sequence is, the place of a number is its distance from the first one.
    let number_at = |place: usize| members.get(place).and_then(|member| small(sides(member).0));
    if let (Some(wanted), Some(least)) = (small(argument), number_at(0))
        && let Some(place) = wanted.checked_sub(least).and_then(|place| usize::try_from(place).ok())
        && number_at(place) == Some(wanted)
        && (place == 0 || number_at(place - 1) != Some(wanted))
    {
        return place;
    }
    members.partition_point(|member| sides(member).0 < argument)
}

/// A number that fits a machine word.
fn small(value: &Value) -> Option<i64> {
    if let Value::Integer(number) = value { number.to_i64() } else { None }
}

/// The values that `argument` is related to, ascending.
pub fn related<'a>(relation: &'a Set, argument: &Value) -> impl Iterator<Item = &'a Value> + use<'a> {
    members_at(relation, argument).map(|member| sides(member).1)
}

/// `dom(r)`
#[must_use]
pub fn domain(relation: &Set) -> Set {
    // Ascending, but not strictly: only for a relation that is not a function does `collect` sort and remove repetitions.
    pairs(relation).map(|(first, _)| first.clone()).collect()
}

/// `ran(r)`
#[must_use]
pub fn range(relation: &Set) -> Set {
    pairs(relation).map(|(_, second)| second.clone()).collect()
}

/// `r~`
#[must_use]
pub fn inverse(relation: &Set) -> Set {
    pairs(relation).map(|(first, second)| Value::pair(second.clone(), first.clone())).collect()
}

/// `r[s]`
#[must_use]
pub fn image(relation: &Set, set: &Set) -> Set {
    // By binary search for each argument, or by one pass over all pairs.
    if set.len() < relation.len() {
        set.iter().flat_map(|argument| related(relation, &argument)).cloned().collect()
    } else {
        pairs(relation).filter(|(first, _)| set.contains(first)).map(|(_, second)| second.clone()).collect()
    }
}

/// `f(x)`
///
/// # Errors
/// When `f` relates `x` to nothing or to several values.
pub fn apply(function: &Set, argument: &Value) -> Result<Value, IllDefined> {
    // Without an iterator: lists are applied more often than anything else. Most relations are functions, so the next pair is compared.
    if let Some(members) = function.as_list() {
        let place = first_at(members, argument);
        let value_at = |place: usize| {
            let (found, value) = sides(members.get(place)?);
            let is_same = small(found).zip(small(argument)).map_or_else(|| found == argument, |(found, wanted)| found == wanted);
            is_same.then_some(value)
        };
        return match (value_at(place), value_at(place + 1)) {
            (None, _) => Err(IllDefined::NotInDomain { argument: argument.clone() }),
            (Some(value), None) => Ok(value.clone()),
            (Some(first), Some(second)) => {
                Err(IllDefined::NotAFunction { argument: argument.clone(), first: first.clone(), second: second.clone() })
            }
        };
    }
    // A second value proves that this is not a function; no more are read.
    let mut values = related(function, argument);
    let Some(first) = values.next() else { return Err(IllDefined::NotInDomain { argument: argument.clone() }) };
    match values.next() {
        None => Ok(first.clone()),
        Some(second) => Err(IllDefined::NotAFunction { argument: argument.clone(), first: first.clone(), second: second.clone() }),
    }
}

/// The pairs for which `keep` holds; if it holds for all of them, the result shares the memory of the relation.
fn filtered(relation: &Set, mut keep: impl FnMut(&Value, &Value) -> bool) -> Set {
    let kept: Vec<Value> = relation
        .listed()
        .filter(|member| {
            let (first, second) = sides(member);
            keep(first, second)
        })
        .cloned()
        .collect();
    if kept.len() == relation.len() { relation.clone() } else { Set::from_sorted(kept) }
}

/// `s <| r`
#[must_use]
pub fn domain_restrict(set: &Set, relation: &Set) -> Set {
    // A binary search for each argument pays off for few of them only; otherwise one pass over the pairs is cheaper.
    if set.len() < relation.len() / 4 {
        // Arguments ascend, and so do the pairs of each.
        return Set::from_sorted(set.iter().flat_map(|argument| members_at(relation, &argument)).cloned().collect());
    }
    filtered(relation, |first, _| set.contains(first))
}

/// `s <<| r`
#[must_use]
pub fn domain_subtract(set: &Set, relation: &Set) -> Set {
    // A few arguments of a large relation, as in `f := f <+ {x |-> y}`: the result shares most of the tree.
    if let Some(tree) = relation.tree_beside(set) {
        let mut tree = tree.clone();
        for member in set.iter().flat_map(|argument| members_at(relation, &argument)) {
            tree.remove(member);
        }
        return from_tree(tree);
    }
    filtered(relation, |first, _| !set.contains(first))
}

/// `r |> s`
#[must_use]
pub fn range_restrict(relation: &Set, set: &Set) -> Set {
    filtered(relation, |_, second| set.contains(second))
}

/// `r |>> s`
#[must_use]
pub fn range_subtract(relation: &Set, set: &Set) -> Set {
    filtered(relation, |_, second| !set.contains(second))
}

/// `r <+ s`
#[must_use]
pub fn override_with(relation: &Set, changes: &Set) -> Set {
    if relation.is_empty() || changes.is_empty() {
        return relation.union(changes);
    }
    if let (Some(relation), Some(changes)) = (relation.as_slice(), changes.as_slice()) {
        return override_slices(relation, changes);
    }
    // One side is a tree: removing and adding pairs leaves most of it shared.
    domain_subtract(&domain(changes), relation).union(changes)
}

/// One merge by first components: a group of `changes` displaces the group of `relation` with the same argument.
fn override_slices(relation: &[Value], changes: &[Value]) -> Set {
    let mut merged = Vec::with_capacity(relation.len() + changes.len());
    // The rest of `relation`: arguments not below that of the group.
    let mut rest = relation;
    for group in changes.chunk_by(|a, b| sides(a).0 == sides(b).0) {
        let argument = sides(&group[0]).0;
        let before = rest.partition_point(|member| sides(member).0 < argument);
        merged.extend_from_slice(&rest[..before]);
        merged.extend_from_slice(group);
        rest = &rest[before..];
        rest = &rest[rest.partition_point(|member| sides(member).0 == argument)..];
    }
    merged.extend_from_slice(rest);
    Set::from_sorted(merged)
}

/// `(r ; s)`
#[must_use]
pub fn compose(relation: &Set, then: &Set) -> Set {
    // Results neither ascend nor differ in general: collecting sorts them and removes repetitions.
    pairs(relation)
        .flat_map(|(first, middle)| related(then, middle).map(move |second| Value::pair(first.clone(), second.clone())))
        .collect()
}

/// `r >< s` = `{x |-> (y |-> z) | x |-> y : r & x |-> z : s}`
#[must_use]
pub fn direct_product(left: &Set, right: &Set) -> Set {
    pairs(left)
        // In ascending order by first, y, z, so collecting does not sort.
        .flat_map(|(first, y)| related(right, first).map(move |z| Value::pair(first.clone(), Value::pair(y.clone(), z.clone()))))
        .collect()
}

/// `(r || s)` = `{(x |-> y) |-> (m |-> n) | x |-> m : r & y |-> n : s}`
#[must_use]
pub fn parallel_product(left: &Set, right: &Set) -> Set {
    pairs(left)
        .flat_map(|(x, m)| {
            pairs(right).map(move |(y, n)| Value::pair(Value::pair(x.clone(), y.clone()), Value::pair(m.clone(), n.clone())))
        })
        .collect()
}

/// `a * b`
#[must_use]
pub fn product(left: &Set, right: &Set) -> Set {
    let mut members = Vec::with_capacity(left.len().saturating_mul(right.len()));
    // Row by row, which is the order of pairs.
    for first in left {
        members.extend(right.iter().map(|second| Value::pair(first.clone(), second)));
    }
    Set::from_sorted(members)
}

/// `id(s)`
#[must_use]
pub fn identity(set: &Set) -> Set {
    Set::from_sorted(set.iter().map(|value| Value::pair(value.clone(), value)).collect())
}

/// `closure1(r)`: the least transitive relation that contains r. One depth-first search per argument.
#[must_use]
pub fn closure1(relation: &Set) -> Set {
    let nodes: Vec<Value> = field(relation).iter().collect();
    // Numbers instead of values: the search then touches small vectors only, however large the values are.
    let place = |value: &Value| nodes.binary_search(value).expect("the field holds every argument and value");
    let mut successors: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for (first, second) in pairs(relation) {
        successors[place(first)].push(place(second));
    }
    let mut closed = Vec::new();
    let mut reached = FixedBitSet::with_capacity(nodes.len());
    let mut pending = Vec::new();
    for (start, first) in nodes.iter().enumerate() {
        // The start itself is only reached if a cycle leads back to it: the closure is not reflexive.
        reached.clear();
        pending.push(start);
        while let Some(node) = pending.pop() {
            for &next in &successors[node] {
                if !reached.put(next) {
                    pending.push(next);
                }
            }
        }
        // Starts and reached nodes ascend, so the pairs do.
        closed.extend(reached.ones().map(|second| Value::pair(first.clone(), nodes[second].clone())));
    }
    Set::from_sorted(closed)
}

/// `dom(r) \/ ran(r)`
fn field(relation: &Set) -> Set {
    domain(relation).union(&range(relation))
}

/// `iterate(r, n)` with n at least 1: 0 would be the identity on a type, which values do not know.
#[must_use]
pub fn iterate(relation: &Set, times: &BigUint) -> Set {
    // Binary exponentiation: before each bit, power is r^(2^bit), and result is r to the bits before, where none is the identity. All are
    // powers of r, so the order of composition does not matter.
    let mut result: Option<Set> = None;
    let mut power = relation.clone();
    for bit in 0..times.bits() {
        if bit > 0 {
            power = compose(&power, &power);
        }
        if times.bit(bit) {
            result = Some(result.map_or_else(|| power.clone(), |result| compose(&result, &power)));
        }
    }
    result.expect("some bit of a number that is not zero is set")
}

/// Whether no argument is related to two values.
#[must_use]
pub fn is_function(relation: &Set) -> bool {
    // Pairs ascend, so those of one argument are neighbours.
    let mut previous = None;
    pairs(relation).all(|(first, _)| previous.replace(first) != Some(first))
}

/// Whether no value is related to two arguments.
#[must_use]
pub fn is_injective(relation: &Set) -> bool {
    range(relation).len() == relation.len()
}

/// `fnc(r)` = `{x |-> r[{x}] | x : dom(r)}`
#[must_use]
pub fn to_set_function(relation: &Set) -> Set {
    domain(relation)
        .iter()
        .map(|argument| {
            let values: Set = related(relation, &argument).cloned().collect();
            Value::pair(argument, Value::Set(values))
        })
        .collect()
}

/// `rel(f)` = `{x |-> y | x : dom(f) & y : f(x)}`
///
/// # Errors
/// When a value of `f` is symbolic.
pub fn from_set_function(function: &Set) -> Result<Set, IllDefined> {
    let mut members = Vec::new();
    for (first, set) in pairs(function) {
        members.extend(member_set(set, "rel")?.iter().map(|second| Value::pair(first.clone(), second)));
    }
    Ok(Set::from_values(members))
}

/// `union(ss)`
///
/// # Errors
/// When a member is symbolic.
pub fn general_union(sets: &Set) -> Result<Set, IllDefined> {
    let members: Vec<&Set> = sets.listed().map(|member| member_set(member, "union")).collect::<Result<_, _>>()?;
    Ok(match members.as_slice() {
        [] => Set::empty(),
        [only] => Set::clone(only),
        [first, second] => first.union(second),
        // All elements are sorted once; uniting set by set would copy the growing union each time.
        many => many.iter().flat_map(|member| member.iter()).collect(),
    })
}

/// `inter(ss)`
///
/// # Errors
/// When there is no member, or one is symbolic.
pub fn general_inter(sets: &Set) -> Result<Set, IllDefined> {
    // The order is by size, so the smallest set comes first, and descriptions, which are refused, come last.
    let mut members = sets.listed().map(|member| member_set(member, "inter"));
    let smallest = members.next().ok_or(IllDefined::InterOfEmpty)??;
    members.try_fold(smallest.clone(), |intersection, member| Ok(intersection.intersection(member?)))
}

fn projection(left: &Set, right: &Set, choose: impl Fn(&Value, &Value) -> Value) -> Set {
    let mut members = Vec::with_capacity(left.len().saturating_mul(right.len()));
    for first in left {
        members.extend(right.iter().map(|second| {
            // Row by row the arguments ascend, and each has one value.
            let chosen = choose(&first, &second);
            Value::pair(Value::pair(first.clone(), second), chosen)
        }));
    }
    Set::from_sorted(members)
}

/// `prj1(a, b)` = `{(x |-> y) |-> x | x : a & y : b}`
#[must_use]
pub fn prj1(left: &Set, right: &Set) -> Set {
    projection(left, right, |first, _| first.clone())
}

/// `prj2(a, b)` = `{(x |-> y) |-> y | x : a & y : b}`
#[must_use]
pub fn prj2(left: &Set, right: &Set) -> Set {
    projection(left, right, |_, second| second.clone())
}
