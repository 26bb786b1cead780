//! Operators on sequences: functions with domain `1..n`.
//!
//! Invariant: the empty sequence is the empty set. Every operator checks that its operand is a sequence, as ProB does, so a
//! relation that is not one is ill-defined rather than misread.

use super::relation::sides;
use super::{IllDefined, Integer, Set, Value};

/// The items of `set` if it is a sequence.
#[must_use]
pub fn as_sequence(set: &Set) -> Option<Vec<Value>> {
    // The elements of a mask are not pairs; it must be refused here, as `listed` would present it as empty.
    if set.as_bits().is_some() {
        return None;
    }
    // Pairs ascend by index, so in a sequence the n-th one has index n; two pairs of one index, or a gap, break the count.
    let mut items = Vec::with_capacity(set.len());
    for (position, member) in (1..).zip(set.listed()) {
        items.push(item(position, member)?.clone());
    }
    Some(items)
}

/// The item of a member of a set, if it is a pair with this index.
fn item(position: i64, member: &Value) -> Option<&Value> {
    match member.as_pair()? {
        // An index beyond a machine word belongs to no sequence that fits memory.
        (Value::Integer(Integer::Small(index)), item) if *index == position => Some(item),
        _ => None,
    }
}

/// The sequence of `items`.
#[must_use]
pub fn from_sequence(items: Vec<Value>) -> Set {
    Set::from_sorted((1..).zip(items).map(|(position, item)| Value::pair(Value::integer(position), item)).collect())
}

fn items(sequence: &Set) -> Result<Vec<Value>, IllDefined> {
    as_sequence(sequence).ok_or(IllDefined::NotASequence)
}

fn items_of_nonempty(sequence: &Set, operator: &'static str) -> Result<Vec<Value>, IllDefined> {
    let items = items(sequence)?;
    if items.is_empty() { Err(IllDefined::EmptySequence(operator)) } else { Ok(items) }
}

/// Checks that `sequence` is one without copying it.
fn check(sequence: &Set) -> Result<(), IllDefined> {
    let is_sequence =
        sequence.as_bits().is_none() && (1..).zip(sequence.listed()).all(|(position, member)| item(position, member).is_some());
    if is_sequence { Ok(()) } else { Err(IllDefined::NotASequence) }
}

/// `size(s)`
///
/// # Errors
/// When `s` is not a sequence.
pub fn size(sequence: &Set) -> Result<usize, IllDefined> {
    check(sequence)?;
    Ok(sequence.len())
}

/// `first(s)`
///
/// # Errors
/// When `s` is not a sequence, or empty.
pub fn first(sequence: &Set) -> Result<Value, IllDefined> {
    check(sequence)?;
    sequence.listed().next().map(|member| sides(member).1.clone()).ok_or(IllDefined::EmptySequence("first"))
}

/// `last(s)`
///
/// # Errors
/// When `s` is not a sequence, or empty.
pub fn last(sequence: &Set) -> Result<Value, IllDefined> {
    check(sequence)?;
    sequence.listed().last().map(|member| sides(member).1.clone()).ok_or(IllDefined::EmptySequence("last"))
}

/// `front(s)`: all but the last.
///
/// # Errors
/// When `s` is not a sequence, or empty.
pub fn front(sequence: &Set) -> Result<Set, IllDefined> {
    check(sequence)?;
    // The last item is the greatest pair. A long sequence is a tree, which shares all but one path with the result, here and in
    // `insert_tail`; the other operators move every item to another place.
    sequence.listed().last().map(|member| sequence.remove(member)).ok_or(IllDefined::EmptySequence("front"))
}

/// `tail(s)`: all but the first.
///
/// # Errors
/// When `s` is not a sequence, or empty.
pub fn tail(sequence: &Set) -> Result<Set, IllDefined> {
    // Every item moves to another index, so nothing of the old pairs can be shared.
    let mut items = items_of_nonempty(sequence, "tail")?;
    items.remove(0);
    Ok(from_sequence(items))
}

/// `rev(s)`
///
/// # Errors
/// When `s` is not a sequence.
pub fn reverse(sequence: &Set) -> Result<Set, IllDefined> {
    let mut items = items(sequence)?;
    items.reverse();
    Ok(from_sequence(items))
}

/// `s ^ t`
///
/// # Errors
/// When one of them is not a sequence.
pub fn concat(left: &Set, right: &Set) -> Result<Set, IllDefined> {
    let mut all = items(left)?;
    all.extend(items(right)?);
    Ok(from_sequence(all))
}

/// The set of contiguous subsequences, the empty one included; empty for a relation that is not a sequence.
#[must_use]
pub fn parts(sequence: &Set) -> Set {
    let Some(items) = as_sequence(sequence) else { return Set::empty() };
    // Once, not for each place; equal parts at several places are merged by `from_values`.
    let mut parts = vec![Value::Set(Set::empty())];
    for from in 0..items.len() {
        parts.extend((from..items.len()).map(|to| Value::Set(from_sequence(items[from..=to].to_vec()))));
    }
    Set::from_values(parts)
}

/// `conc(ss)`: the concatenation of a sequence of sequences.
///
/// # Errors
/// When `ss` or one of its items is not an explicit sequence.
pub fn concat_all(sequences: &Set) -> Result<Set, IllDefined> {
    let mut all = Vec::new();
    for sequence in items(sequences)? {
        all.extend(items(sequence.as_set().ok_or(IllDefined::NotASequence)?)?);
    }
    Ok(from_sequence(all))
}

/// `element -> s`
///
/// # Errors
/// When `s` is not a sequence.
pub fn insert_front(element: Value, sequence: &Set) -> Result<Set, IllDefined> {
    // All indices shift by one: no pair of the old sequence is one of the new.
    let mut all = vec![element];
    all.extend(items(sequence)?);
    Ok(from_sequence(all))
}

/// `s <- element`
///
/// # Errors
/// When `s` is not a sequence.
pub fn insert_tail(sequence: &Set, element: Value) -> Result<Set, IllDefined> {
    let next = i64::try_from(size(sequence)? + 1).expect("a set in memory has fewer than 2^63 elements");
    Ok(sequence.insert(Value::pair(Value::integer(next), element)))
}

fn split_point(items: &[Value], count: &Integer) -> Result<usize, IllDefined> {
    let count = count.to_i64().and_then(|count| usize::try_from(count).ok()).ok_or(IllDefined::IndexOutOfRange)?;
    if count <= items.len() { Ok(count) } else { Err(IllDefined::IndexOutOfRange) }
}

/// `s /|\ n`: the first n items.
///
/// # Errors
/// When `s` is not a sequence, or `n` is outside `0..size(s)`.
pub fn take_first(sequence: &Set, count: &Integer) -> Result<Set, IllDefined> {
    let mut items = items(sequence)?;
    items.truncate(split_point(&items, count)?);
    Ok(from_sequence(items))
}

/// `s \|/ n`: all but the first n items.
///
/// # Errors
/// When `s` is not a sequence, or `n` is outside `0..size(s)`.
pub fn drop_first(sequence: &Set, count: &Integer) -> Result<Set, IllDefined> {
    let mut items = items(sequence)?;
    let rest = items.split_off(split_point(&items, count)?);
    Ok(from_sequence(rest))
}
