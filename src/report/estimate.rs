//! `bcheck estimate`: the expected size of a check, for people and as JSON.
//!
//! Each quantity is a likely value with its error bars, all as logarithms of base 10, since they may exceed any machine word. Invariant:
//! completed searches are reported by their counts, never by an estimate. Deliberately elsewhere: which sizes are searched (`cli`), and how
//! counts are extrapolated (`growth`).

use super::chart::log10;
use super::compare::sizes;
use super::growth::{Extrapolation, extrapolate};
use super::json::pretty;
use super::json_objects::Object;
use bcheck_source::{Shown, shown};
use indexmap::IndexMap;
use num_bigint::BigUint;
use serde::Serialize;

/// One size that was searched.
#[derive(Clone, Debug)]
pub struct Searched {
    /// The size of each deferred set.
    pub deferred: IndexMap<String, u32>,
    /// Representatives, and steps from them.
    pub states: u64,
    /// Steps from representatives.
    pub transitions: u64,
    /// States of the full space, where that count is exact.
    pub full: Option<BigUint>,
    /// Seconds of the search.
    pub time_s: f64,
    /// Whether it was finished.
    pub is_complete: bool,
}

/// The samples from which an estimate is computed.
#[derive(Clone, Debug)]
pub struct Sample<'a> {
    /// The name of the machine.
    pub machine: &'a str,
    /// The requested size of each deferred set.
    pub target: IndexMap<String, u32>,
    /// How many sizes there are up to that one, which is the last.
    pub asked: usize,
    /// From the smallest size on; only the last one may be incomplete.
    pub searched: Vec<Searched>,
    /// Words of a state of the target; `None` where its states are stored as bytes.
    pub words: Option<usize>,
    /// States to be expected in the last search, if it was cut off while its levels shrank.
    pub expected: Option<u64>,
}

/// Bytes per state of the packed tier in addition to its words: its slot, which depends on the load of the table, and its parent.
const BESIDE: [f64; 3] = [16.0, 26.0, 36.0];
/// Shorter searches are not evidence for the time of a step.
const MEASURABLE_S: f64 = 0.05;

/// An estimated quantity, as logarithms of base 10.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Quantity {
    name: &'static str,
    unit: Measure,
    value: Extrapolation,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Measure {
    Count,
    Bytes,
    Seconds,
}

impl Sample<'_> {
    /// The search at the requested size, if it was completed.
    fn exact(&self) -> Option<&Searched> {
        self.searched.get(self.asked - 1).filter(|last| last.is_complete)
    }

    /// The sizes that were searched to their end.
    fn complete(&self) -> &[Searched] {
        match self.searched.split_last() {
            Some((last, smaller)) if !last.is_complete => smaller,
            _ => &self.searched,
        }
    }

    /// Those that can be extrapolated: the last ones, each with states.
    fn known(&self) -> &[Searched] {
        let complete = self.complete();
        let first = complete.iter().rposition(|size| size.states == 0).map_or(0, |at| at + 1);
        &complete[first..]
    }

    /// Why nothing can be estimated, if so.
    #[must_use]
    pub fn refusal(&self) -> Option<String> {
        if self.exact().is_some() || !self.quantities().is_empty() {
            return None;
        }
        let known = self.known();
        Some(match known.len() {
            _ if self.asked == 1 => "the search did not come to its end, and there are no smaller sizes to learn from".to_owned(),
            _ if self.complete().iter().skip(1).any(|size| size.states == 0) => {
                "some sizes have no state at all, so counts do not grow from size to size".to_owned()
            }
            count => {
                format!("only {count} of the smaller sizes came to their end, and three are needed: give it more time by --time-limit")
            }
        })
    }

    fn quantities(&self) -> Vec<Quantity> {
        let known = self.known();
        let steps = self.asked - self.complete().len();
        let logarithms = |count: &dyn Fn(&Searched) -> Option<BigUint>| -> Option<Vec<f64>> {
            known.iter().map(|size| count(size).map(|count| log10(&count.max(BigUint::from(1u32))))).collect()
        };
        let count = |name, of: &dyn Fn(&Searched) -> Option<BigUint>| {
            let value = extrapolate(&logarithms(of)?, steps)?;
            Some(Quantity { name, unit: Measure::Count, value })
        };
        let full = count("states of the full space", &|size| size.full.clone());
        let Some(states) = count("states to explore", &|size| Some(size.states.into())).or_else(|| self.shrinking()) else {
            return Vec::new();
        };
        let transitions = count("transitions to explore", &|size| Some(size.transitions.into()));
        let bytes =
            |name, [low, likely, high]: [f64; 3]| Quantity { name, unit: Measure::Bytes, value: times(states.value, low, likely, high) };
        let words = self.words.map(|words| 8.0 * f64::from(u32::try_from(words).unwrap_or(u32::MAX)));
        let memory = words.map(|words| bytes("memory", BESIDE.map(|beside| words + beside)));
        // The log, and sorted runs while they are merged: what blocks compress to is not known before.
        let disk = words.map(|words| bytes("files of --disk", [0.4 * words + 1.0, words + 2.0, 2.0 * words + 1.0]));
        let time = transitions.and_then(|transitions| self.time(transitions.value, steps));
        full.into_iter().chain([states]).chain(transitions).chain(memory).chain(disk).chain(time).collect()
    }

    /// The states of a search that was cut off while its levels shrank: it was the only one.
    fn shrinking(&self) -> Option<Quantity> {
        let expected = self.expected.filter(|_| self.asked == 1)?;
        Some(Quantity {
            name: "states to explore",
            unit: Measure::Count,
            value: Extrapolation { likely: log10(&BigUint::from(expected)), range: None },
        })
    }

    /// A step takes as long as in the largest search, or longer, as it became between the last two that can be measured.
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_wrap, clippy::cast_possible_truncation, reason = "a rough estimate")]
    fn time(&self, transitions: Extrapolation, steps: usize) -> Option<Quantity> {
        let measured = |size: &&Searched| size.time_s >= MEASURABLE_S && size.transitions > 0;
        let step = |size: &Searched| size.time_s / size.transitions as f64;
        let mut last = self.searched.iter().rev().filter(measured);
        let now = step(last.next()?);
        let slower = last.next().map_or(1.5, |before| (now / step(before)).max(1.0));
        let (middle, end) = (slower.powf(steps as f64 / 2.0), slower.powi(steps as i32));
        Some(Quantity { name: "time", unit: Measure::Seconds, value: times(transitions, now, now * middle, now * end) })
    }
}

/// A quantity that is proportional to another one.
fn times(of: Extrapolation, low: f64, likely: f64, high: f64) -> Extrapolation {
    let range = of.range.map(|(least, most)| (least + low.log10(), most + high.log10()));
    Extrapolation { likely: of.likely + likely.log10(), range }
}

impl Measure {
    /// The number with this logarithm, in two digits or three.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 10 and 999")]
    fn show(self, logarithm: f64) -> String {
        let scaled = |units: &[(&str, f64)]| {
            let (unit, size) = units.iter().rev().find(|(_, size)| logarithm >= size.log10()).unwrap_or(&units[0]);
            let number = 10f64.powf(logarithm - size.log10());
            if number < 9.95 { format!("{number:.1} {unit}") } else { format!("{number:.0} {unit}") }
        };
        match self {
            Self::Count if logarithm < 4.0 => format!("{:.0}", 10f64.powf(logarithm)),
            Self::Count => {
                // 9.96 is written 10.0, which is 1.0 of the next power.
                let mantissa = (10f64.powf(logarithm.fract()) * 10.0).round() / 10.0;
                let power = logarithm.floor() + f64::from(u8::from(mantissa >= 10.0));
                format!("{:.1}e{power}", if mantissa >= 10.0 { 1.0 } else { mantissa })
            }
            Self::Bytes if logarithm > 24.0 => format!("{} bytes", Self::Count.show(logarithm)),
            Self::Bytes => {
                let binary = |power: i32| 2f64.powi(power);
                scaled(&[("MiB", binary(20)), ("GiB", binary(30)), ("TiB", binary(40)), ("PiB", binary(50)), ("EiB", binary(60))])
            }
            Self::Seconds if logarithm > 12.0 => format!("{} years", Self::Count.show(logarithm - 31_557_600f64.log10())),
            Self::Seconds => scaled(&[("s", 1.0), ("min", 60.0), ("h", 3600.0), ("days", 86_400.0), ("years", 31_557_600.0)]),
        }
    }
}

/// The report for people.
#[must_use]
pub fn text(sample: &Sample<'_>) -> Shown {
    let mut text = shown!("{} at {}", sample.machine, sizes(&sample.target));
    if let Some(Searched { states, transitions, full, time_s, .. }) = sample.exact() {
        let full = full.as_ref().map_or_else(Shown::default, |full| shown!(", {} in the full space", full.to_string()));
        text += shown!(": searched to its end in {}, so nothing is estimated\n", format!("{time_s:.1} s"));
        return text + shown!("{} states, {} transitions{}\n", states.to_string(), transitions.to_string(), full);
    }
    let quantities = sample.quantities();
    if quantities.is_empty() {
        return text + shown!(": {}\n", sample.refusal().unwrap_or_default());
    }
    let (known, time) = (sample.known(), sample.searched.iter().map(|size| size.time_s).sum::<f64>());
    match (known.first(), known.last()) {
        (Some(first), Some(last)) if known.len() > 1 => {
            text +=
                shown!(", by what was counted at {} to {} in {}\n", sizes(&first.deferred), sizes(&last.deferred), format!("{time:.1} s"));
        }
        _ => text += shown!(", as its levels shrank when the search was stopped after {}\n", format!("{time:.1} s")),
    }
    for Quantity { name, unit, value } in &quantities {
        let range = value.range.map(|(low, high)| format!(", between {} and {}", unit.show(low), unit.show(high))).unwrap_or_default();
        text += shown!("{}about {}{}\n", format!("  {name:<26}"), unit.show(value.likely), range);
    }
    if quantities.iter().all(|quantity| quantity.value.range.is_none()) {
        text += shown!("No error bars: too few sizes came to their end to test the estimate. Give it more time by --time-limit.\n");
    }
    if sample.words.is_none() {
        text += shown!("Memory is not estimated: states of this machine are kept as bytes, of different lengths.\n");
    }
    text + shown!("An estimate, and no bound: counts of other sizes are extrapolated.\n")
}

#[derive(Serialize)]
struct Document<'a> {
    format: &'static str,
    version: u32,
    machine: &'a str,
    deferred: Object<'a, u32>,
    searched: Vec<SearchedObject<'a>>,
    exact: bool,
    why_not: Option<String>,
    estimates: Vec<QuantityObject>,
}

#[derive(Serialize)]
struct SearchedObject<'a> {
    deferred: Object<'a, u32>,
    states: String,
    transitions: String,
    full_states: Option<String>,
    time_s: f64,
    complete: bool,
}

#[derive(Serialize)]
struct QuantityObject {
    name: &'static str,
    unit: &'static str,
    log10: f64,
    log10_least: Option<f64>,
    log10_most: Option<f64>,
}

/// The JSON form, `bcheck-estimate` version 1. Counts that were extrapolated are logarithms of base 10.
#[must_use]
pub fn json(sample: &Sample<'_>) -> Shown {
    fn object(deferred: &IndexMap<String, u32>) -> Object<'_, u32> {
        deferred.iter().map(|(name, size)| (name.as_str(), *size)).collect()
    }
    let searched = sample.searched.iter().map(|size| SearchedObject {
        deferred: object(&size.deferred),
        states: size.states.to_string(),
        transitions: size.transitions.to_string(),
        full_states: size.full.as_ref().map(BigUint::to_string),
        time_s: size.time_s,
        complete: size.is_complete,
    });
    let quantities = if sample.exact().is_some() { Vec::new() } else { sample.quantities() };
    let estimates = quantities.into_iter().map(|Quantity { name, unit, value }| QuantityObject {
        name,
        unit: match unit {
            Measure::Count => "count",
            Measure::Bytes => "bytes",
            Measure::Seconds => "seconds",
        },
        log10: value.likely,
        log10_least: value.range.map(|(low, _)| low),
        log10_most: value.range.map(|(_, high)| high),
    });
    pretty(&Document {
        format: "bcheck-estimate",
        version: 1,
        machine: sample.machine,
        deferred: object(&sample.target),
        searched: searched.collect(),
        exact: sample.exact().is_some(),
        why_not: sample.refusal(),
        estimates: estimates.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcheck_eval::Machine;
    use bcheck_explore::{Options, Silent, explore};
    use bcheck_sema::analyse;
    use bcheck_sema::scope::{AskedSize, ScopeRequest, resolve};
    use bcheck_source::SourceMap;
    use bcheck_syntax::parse_machine;
    use std::sync::Arc;

    fn searched(size: u32, states: u64, is_complete: bool) -> Searched {
        let deferred = IndexMap::from([("S".to_owned(), size)]);
        let full = Some(BigUint::from(states) * 2u32);
        Searched { deferred, states, transitions: 3 * states, full, time_s: 0.1 * f64::from(size), is_complete }
    }

    fn sample(asked: u32, searched: Vec<Searched>) -> Sample<'static> {
        let target = IndexMap::from([("S".to_owned(), asked)]);
        Sample { machine: "m", target, asked: asked as usize, searched, words: Some(2), expected: None }
    }

    #[test]
    fn numbers_are_shown_in_units_that_people_read() {
        let shown = |unit: Measure, number: f64| unit.show(number.log10());
        assert_eq!(["42", "1.5e4", "1.0e10"], [42.0, 15_000.0, 9.97e9].map(|number| shown(Measure::Count, number)));
        assert_eq!(["1.5 MiB", "20 GiB"], [1.5 * 1_048_576.0, 20.0 * 1_073_741_824.0].map(|number| shown(Measure::Bytes, number)));
        assert_eq!(
            ["5.0 s", "2.0 min", "3.0 h", "2.0 days"],
            [5.0, 120.0, 10_800.0, 172_800.0].map(|number| shown(Measure::Seconds, number))
        );
        assert_eq!(Measure::Seconds.show(20.0), "3.2e12 years");
    }

    #[test]
    fn powers_of_two_are_foretold() {
        let known = (1..=6).map(|size| searched(size, 1 << size, true)).chain([searched(7, 50, false)]);
        let text = text(&sample(8, known.collect()));
        assert!(text.contains("by what was counted at 1 to 6") && text.contains("states to explore         about 256, between"), "{text}");
        assert!(text.contains("states of the full space  about 512"), "{text}");
        for quantity in ["transitions to explore", "memory", "files of --disk", "time"] {
            assert!(text.contains(quantity), "{text}");
        }
    }

    #[test]
    fn what_was_searched_to_its_end_is_not_estimated() {
        let text = text(&sample(2, vec![searched(1, 2, true), searched(2, 4, true)]));
        assert!(text.contains("searched to its end") && text.contains("4 states, 12 transitions, 8 in the full space"), "{text}");
    }

    #[test]
    fn where_nothing_can_be_estimated_the_reason_is_given() {
        let few = sample(9, vec![searched(1, 2, true), searched(2, 4, true), searched(3, 5, false)]);
        assert!(few.refusal().is_some_and(|why| why.contains("only 2 of the smaller sizes")), "{:?}", few.refusal());
        let odd = (1..=6).map(|size| searched(size, u64::from(size % 2) * 9, true)).collect();
        assert!(sample(9, odd).refusal().is_some_and(|why| why.contains("no state at all")));
        assert!(sample(1, vec![searched(1, 100, false)]).refusal().is_some_and(|why| why.contains("no smaller sizes")));
        let shrinking = Sample { expected: Some(120), words: None, ..sample(1, vec![searched(1, 100, false)]) };
        let text = text(&shrinking);
        assert!(text.contains("about 120") && text.contains("levels shrank") && text.contains("Memory is not estimated"), "{text}");
    }

    /// Machines with counts that are known because they can be searched.
    const KNOWN: [&str; 20] = [
        "classic/philosophers",
        "classic/phonebook",
        "classic/phonebook_err",
        "classic/russian_postal",
        "classic/scheduler",
        "classic/scheduler0",
        "classic/two_phase_commit",
        "studies/bounded_stack",
        "studies/butler",
        "studies/database_managers",
        "studies/load_balancer",
        "studies/resource_allocator",
        "studies/set_of_data",
        "studies/simple_mutex",
        "studies/telephone",
        "studies/three_tiers",
        "temporal/starving_lock",
        "temporal/filter_lock",
        "temporal/level_crossing",
        "temporal/ward",
    ];

    /// Searches a machine at the sizes from 1 on.
    fn counts(name: &str, sizes: u32) -> Vec<Searched> {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../machines").join(format!("{name}.mch"));
        let text = std::fs::read_to_string(path).expect("a machine");
        let options = Options { keep_going: true, deadlock: false, ..Options::default() };
        let one = |size: u32| {
            let mut sources = SourceMap::new();
            let file = sources.add(name, text.as_str());
            let (model, found) = analyse(&parse_machine(file, &text).tree.expect("a machine"));
            let model = model.unwrap_or_else(|| panic!("{name}: {found:?}"));
            let request = ScopeRequest { origin: "test", sizes: vec![AskedSize::new(None, size.into())], minint: None, maxint: None };
            let scope =
                resolve(&model, &request, &mut sources, &mut Vec::new()).unwrap_or_else(|refusal| panic!("{:?}", refusal.diagnostics));
            let machine = Machine::compile(Arc::new(model), scope);
            let outcome = explore(&machine, &options.symmetry_of(&machine), &options, &mut Silent);
            let (states, transitions) = (outcome.explored.states, outcome.explored.transitions);
            Searched { states, transitions, full: Some(outcome.full.states), ..searched(size, 0, outcome.complete) }
        };
        (1..=sizes).map(one).collect()
    }

    #[test]
    fn known_spaces_are_within_the_error_bars() {
        let (mut within, mut all, mut widths) = (0, 0, Vec::new());
        for name in KNOWN {
            let counts = counts(name, 6);
            for known in [4, 5] {
                let sample = Sample { machine: name, ..sample(6, counts[..known].to_vec()) };
                let truth = [&counts[5].full.clone().expect("exact"), &counts[5].states.into(), &counts[5].transitions.into()].map(log10);
                let quantities = sample.quantities();
                assert_eq!(quantities.len(), 6, "{name}: {quantities:?}");
                for (quantity, truth) in quantities.iter().zip(truth) {
                    let (low, high) = quantity.value.range.expect("four sizes");
                    within += usize::from((low..=high).contains(&truth));
                    all += 1;
                    if known == 5 {
                        widths.push(high - low);
                    }
                }
            }
        }
        // Error bars are honest, and informative: one size ahead, most are within a factor of 1.6.
        assert!(within * 100 >= all * 97, "{within} of {all}");
        widths.sort_by(f64::total_cmp);
        assert!(widths[widths.len() / 2] < 0.2, "{widths:?}");
    }

    #[test]
    fn json_has_logarithms_and_what_they_come_from() {
        let known = (1..=6).map(|size| searched(size, 1 << size, true)).collect();
        let value: serde_json::Value = serde_json::from_str(&json(&sample(8, known))).expect("JSON");
        assert_eq!((&value["format"], &value["version"]), (&"bcheck-estimate".into(), &1.into()));
        assert_eq!((value["searched"][5]["states"].as_str(), value["exact"].as_bool()), (Some("64"), Some(false)));
        let states = &value["estimates"][1];
        assert_eq!(states["name"], "states to explore");
        assert!((states["log10"].as_f64().expect("a number") - 256f64.log10()).abs() < 1e-9, "{states}");
        assert!(states["log10_least"].as_f64() < states["log10_most"].as_f64(), "{states}");
    }
}
