//! The names under which elements of deferred sets are printed: that of the set and a number, as in `PID2`.
//!
//! Invariant: no two elements have equal names, whatever the sizes of the sets, and none has the name of a declaration, operation or
//! definition: a printed value reads back as itself. Where `S1` is declared, those of `S` are `S_1`, `S_2`, … Deliberately elsewhere:
//! reading them (`names`), writing them (`ir::Model::element_name`).

use bcheck_ir::{GivenSetKind, Model};
use rustc_hash::FxHashSet;

/// Chooses what the names of elements begin with in a model whose names are declared. `others`: names of operations and definitions.
pub(crate) fn choose(model: &mut Model, others: &[String]) {
    let prefixes = {
        let elements = model.sets.values().flat_map(|set| match &set.kind {
            GivenSetKind::Enumerated(elements) => elements.as_slice(),
            GivenSetKind::Deferred => &[],
        });
        let constructors = model.free_types.values().flat_map(|free| free.cases.iter().map(|(constructor, _)| &**constructor));
        let declared = model.sets.keys().chain(model.free_types.keys()).chain(model.constants.keys()).chain(model.variables.keys());
        let declared = declared.chain(elements).chain(others).map(String::as_str).chain(constructors);
        let taken: FxHashSet<&str> = declared.flat_map(before_numbers).collect();
        let mut prefixes: Vec<String> = Vec::new();
        let mut chosen: FxHashSet<String> = FxHashSet::default();
        for name in model.sets.iter().filter(|(_, set)| set.kind == GivenSetKind::Deferred).map(|(name, _)| name) {
            // The loop ends: there are finitely many names to avoid. If names of two sets were equal, one prefix would be the other one and
            // the first digits of a number. A prefix that ends in a digit is the name of its set, which is declared, so it is avoided.
            let mut prefix = name.clone();
            while taken.contains(prefix.as_str()) || chosen.contains(&prefix) {
                prefix.push('_');
            }
            chosen.insert(prefix.clone());
            prefixes.push(prefix);
        }
        prefixes
    };
    let deferred = model.sets.values_mut().filter(|set| set.kind == GivenSetKind::Deferred);
    for (set, prefix) in deferred.zip(prefixes) {
        set.element_prefix = prefix;
    }
}

/// The possible prefixes of a name that ends in a number: of `x12`, these are `x` and `x1`.
fn before_numbers(name: &str) -> impl Iterator<Item = &str> {
    // Numbers of elements have 32 bits, so no more than 10 digits.
    let digits = name.bytes().rev().take(10).take_while(u8::is_ascii_digit).count();
    (name.len() - digits..name.len()).map(|at| name.split_at(at)).filter(|(_, number)| !number.starts_with('0')).map(|(before, _)| before)
}

/// The number of the element that is printed under this name, from 1, by what the names of its set's elements begin with.
pub(super) fn number(name: &str, prefix: &str) -> Option<u32> {
    // In the printed form, without a leading zero: `PID02` is not an element, nor is `PID+2`.
    let digits = name.strip_prefix(prefix).filter(|digits| !digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit()))?;
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcheck_ir::{GivenSet, SetId};
    use bcheck_source::Span;

    #[test]
    fn elements_have_names_of_their_own() {
        for (deferred, others, expected) in [
            (&["S", "T"][..], &["S", "x1", "S0", "S01", "S1a"][..], &["S1", "T1"][..]),
            (&["S"], &["S2"], &["S_1"]),
            (&["S"], &["S2", "S_10"], &["S__1"]),
            (&["S", "S1"], &[], &["S_1", "S11"]),
            (&["S", "S_"], &["S4"], &["S_1", "S__1"]),
            (&["S", "S_"], &["S4", "S_4"], &["S__1", "S___1"]),
            (&["my set"], &[], &["`my set1`"]),
        ] {
            let mut model = Model::empty("M", Span::nowhere());
            let given = || GivenSet { kind: GivenSetKind::Deferred, element_prefix: String::new(), span: Span::nowhere() };
            model.sets = deferred.iter().map(|name| ((*name).to_owned(), given())).collect();
            choose(&mut model, &others.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
            let first: Vec<String> = (0u16..).zip(deferred).map(|(id, _)| model.element_name(SetId(id), 0)).collect();
            assert_eq!(first, expected, "{deferred:?}, {others:?}");
        }
        assert_eq!((number("PID12", "PID"), number("PID02", "PID"), number("PID+2", "PID")), (Some(12), None, None));
        assert_eq!((number("PID", "PID"), number("P_1", "PID"), number("PID1x", "PID")), (None, None, None));
    }
}
