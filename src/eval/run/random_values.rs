//! Random elements of sets that are too large to be enumerated, for random runs.
//!
//! Invariant: the values depend on the seed, the state and the set alone, so a run can be reproduced. Deliberately elsewhere: when values
//! are taken at random (`choices`).

use super::frame::Frame;
use super::sets::is_quickly_explicit;
use crate::EvalError;
use crate::thresholds::{RANDOM_ATTEMPTS, RANDOM_SEQUENCE};
use bcheck_ir::{FunctionKind, IntegerSet};
use bcheck_source::{Span, SplitMix64};
use bcheck_value::{Integer, SequenceKind, Set, Symbolic, Value};
use std::collections::BTreeSet;
use std::hash::BuildHasher;
use std::sync::Arc;

impl Frame<'_> {
    /// Up to `most` distinct elements of a set, chosen at random; empty if none is found.
    pub(super) fn random_values(&mut self, set: &Value, most: usize, seed: u64, span: Span) -> Result<BTreeSet<Value>, EvalError> {
        // A state has the same steps whenever it is visited.
        let state = rustc_hash::FxBuildHasher.hash_one(self.known());
        let mut random = SplitMix64::new(SplitMix64::new(seed ^ state).word() ^ u64::from(span.start));
        let mut found = BTreeSet::new();
        for _ in 0..most {
            found.extend(self.random_value(set, &mut random, span)?);
        }
        Ok(found)
    }

    fn random_value(&mut self, set: &Value, random: &mut SplitMix64, span: Span) -> Result<Option<Value>, EvalError> {
        self.tick(span)?;
        let symbolic = match set {
            Value::Set(set) if set.is_empty() => return Ok(None),
            Value::Set(set) => return Ok(set.iter().nth(random.below(set.len()))),
            Value::Symbolic(symbolic) => symbolic,
            _ => return Ok(None),
        };
        Ok(match &**symbolic {
            Symbolic::Integers(kind) => Some(Value::integer(random_integer(*kind, random))),
            Symbolic::Interval(from, to) => random_between(from, to, random).map(Value::Integer),
            Symbolic::Power { base, nonempty, .. } => {
                let members = self.some_of(base, random, span)?;
                let chosen: Vec<Value> = members.iter().filter(|_| random.below(2) == 0).cloned().collect();
                match chosen.is_empty() && *nonempty {
                    true => members.get(random.below(members.len().max(1))).map(|only| Value::Set(Set::singleton(only.clone()))),
                    false => Some(Value::Set(Set::from_values(chosen))),
                }
            }
            Symbolic::Sequences(kind, base) => self.random_sequence(*kind, base, random, span)?,
            Symbolic::Functions(kind, from, to) => self.random_function(set, *kind, (from, to), random, span)?,
            Symbolic::Product(left, right) => {
                let (left, right) = (self.random_value(left, random, span)?, self.random_value(right, random, span)?);
                left.zip(right).map(|(left, right)| Value::pair(left, right))
            }
            Symbolic::Struct(fields) => {
                let mut record = Vec::new();
                for (name, set) in fields.iter() {
                    let Some(value) = self.random_value(set, random, span)? else { return Ok(None) };
                    record.push((name.clone(), value));
                }
                Some(Value::Record(record.as_slice().into()))
            }
            Symbolic::Identity(base) => self.random_value(base, random, span)?.map(|value| Value::pair(value.clone(), value)),
            Symbolic::Union(left, right) => {
                let (one, other) = if random.below(2) == 0 { (left, right) } else { (right, left) };
                match self.random_value(one, random, span)? {
                    Some(value) => Some(value),
                    None => self.random_value(other, random, span)?,
                }
            }
            Symbolic::Intersection(left, right) => self.random_member(left, right, true, random, span)?,
            Symbolic::Difference(left, right) => self.random_member(left, right, false, random, span)?,
            _ => None,
        })
    }

    /// An element of a set that is also, or is not, in another one.
    fn random_member(
        &mut self,
        set: &Value,
        other: &Value,
        wanted: bool,
        random: &mut SplitMix64,
        span: Span,
    ) -> Result<Option<Value>, EvalError> {
        for _ in 0..RANDOM_ATTEMPTS.get() {
            if let Some(value) = self.random_value(set, random, span)?
                && self.member(&value, other, span)? == wanted
            {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    fn random_sequence(
        &mut self,
        kind: SequenceKind,
        base: &Value,
        random: &mut SplitMix64,
        span: Span,
    ) -> Result<Option<Value>, EvalError> {
        let mut items = self.some_of(base, random, span)?;
        let shortest = usize::from(kind.is_nonempty());
        if kind.is_injective() {
            shuffle(&mut items, random);
            if kind != SequenceKind::Perm {
                items.truncate(shortest + random.below(items.len() + 1));
            }
        } else if !items.is_empty() {
            let length = shortest + random.below(RANDOM_SEQUENCE.get());
            items = (0..length).map(|_| items[random.below(items.len())].clone()).collect();
        }
        if items.len() < shortest {
            return Ok(None);
        }
        let sequence = Value::Set(sequence_of(items));
        let all = Value::Symbolic(Arc::new(Symbolic::Sequences(kind, base.clone())));
        // For a set that is too large to be explicit, some items are missing.
        Ok(if kind == SequenceKind::Perm && !self.member(&sequence, &all, span)? { None } else { Some(sequence) })
    }

    fn random_function(
        &mut self,
        all: &Value,
        kind: FunctionKind,
        (from, to): (&Value, &Value),
        random: &mut SplitMix64,
        span: Span,
    ) -> Result<Option<Value>, EvalError> {
        for _ in 0..RANDOM_ATTEMPTS.get() {
            let arguments = self.some_of(from, random, span)?;
            let mut values = if kind.is_injective() || kind.is_surjective() { self.some_of(to, random, span)? } else { Vec::new() };
            shuffle(&mut values, random);
            let mut pairs = Vec::new();
            for argument in arguments {
                if !kind.is_total() && random.below(2) == 0 {
                    continue;
                }
                // Each value once, as long as there are any: what is injective needs no more, what is surjective has all then.
                let value = match values.pop() {
                    Some(value) => Some(value),
                    None if kind.is_injective() => None,
                    None => self.random_value(to, random, span)?,
                };
                pairs.extend(value.map(|value| Value::pair(argument, value)));
            }
            let function = Value::Set(Set::from_values(pairs));
            if self.member(&function, all, span)? {
                return Ok(Some(function));
            }
        }
        Ok(None)
    }

    /// The elements of a set, or some of them if it is too large to be explicit.
    fn some_of(&mut self, set: &Value, random: &mut SplitMix64, span: Span) -> Result<Vec<Value>, EvalError> {
        if is_quickly_explicit(set) {
            return Ok(self.explicit(set, span)?.iter().collect());
        }
        let mut some = BTreeSet::new();
        for _ in 0..RANDOM_SEQUENCE.get() {
            some.extend(self.random_value(set, random, span)?);
        }
        Ok(some.into_iter().collect())
    }
}

/// The sequence of some items.
fn sequence_of(items: Vec<Value>) -> Set {
    Set::from_sorted((1..).zip(items).map(|(place, item)| Value::pair(Value::integer(place), item)).collect())
}

/// A small integer more often than a large one.
fn random_integer(kind: IntegerSet, random: &mut SplitMix64) -> i64 {
    let most = 1usize << random.below(RANDOM_SEQUENCE.get() + 1);
    let magnitude = random.below(most).cast_signed() as i64;
    match kind {
        IntegerSet::Natural1 | IntegerSet::Nat1 => magnitude + 1,
        IntegerSet::Natural | IntegerSet::Nat => magnitude,
        _ if random.below(2) == 0 => -magnitude,
        _ => magnitude,
    }
}

/// A number of an interval; of one that is longer than 64 bits one of its first numbers.
fn random_between(from: &Integer, to: &Integer, random: &mut SplitMix64) -> Option<Integer> {
    if to < from {
        return None;
    }
    let length = to.subtract(from).add(&Integer::from(1));
    let bound = length.to_i64().unwrap_or(i64::MAX);
    Some(from.add(&Integer::from(random.below(usize::try_from(bound).unwrap_or(usize::MAX)) as i64)))
}

/// Fisher and Yates (Knuth, The Art of Computer Programming, volume 2, 3.4.2, algorithm P).
fn shuffle(values: &mut [Value], random: &mut SplitMix64) {
    for last in (1..values.len()).rev() {
        values.swap(last, random.below(last + 1));
    }
}
