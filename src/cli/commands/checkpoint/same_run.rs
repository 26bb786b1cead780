//! What must be equal for a run to continue from another one's checkpoint.
//!
//! Invariant: a hash decides; the words serve to name the first difference. Deliberately elsewhere: the folder that contains both
//! (`checkpoint`).

use crate::args::{RefineArgs, thresholds};
use crate::scope::COMMAND_LINE;
use bcheck_durable::folder::RunId;
use bcheck_eval::Machine;
use bcheck_explore::Options;
use bcheck_source::{SourceMap, Vocabulary};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What must be equal, in words, for a run to continue from another one's checkpoint.
pub(crate) type About = Vec<(String, String)>;

/// What must also be equal for a refinement check.
pub(crate) fn about_refinement(args: &RefineArgs) -> About {
    let is_on = |is_on: bool| if is_on { "on" } else { "off" }.to_owned();
    // The order of hidden operations does not matter.
    let hidden: BTreeSet<&str> = args.hide.iter().map(String::as_str).collect();
    let hidden = Vec::from_iter(hidden).join(", ");
    [
        ("--mode", args.mode.word().to_owned()),
        ("--pre", args.pre.word().to_owned()),
        ("--hide", if hidden.is_empty() { "no operation".to_owned() } else { hidden }),
        ("--refusals", is_on(args.refusals)),
        ("--divergence", is_on(args.divergence)),
        // They are judged on facts stored about the runs.
        ("--temporal", is_on(args.formulas.temporal.is_some())),
    ]
    .map(|(what, value)| (what.to_owned(), value))
    .into()
}

/// What must be equal for every search.
pub(crate) fn about(machine: &Machine, options: &Options, sources: &SourceMap) -> About {
    let mut about = vec![("the version of bcheck".to_owned(), env!("CARGO_PKG_VERSION").to_owned())];
    // Sources may share a name, as two formulas of `--ltl` do: those after the first are numbered, so that each is compared with its
    // counterpart.
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    let mut add = |what: &str, value: String| {
        let time = times.entry(what.to_owned()).or_default();
        *time += 1;
        about.push((if *time == 1 { what.to_owned() } else { format!("{what} ({time})") }, value));
    };
    for (number, formula) in machine.model().temporal.iter().enumerate() {
        add(&format!("temporal formula {}", number + 1), format!("{}: {}", formula.name, formula.text));
    }
    // Sizes are compared as decided, however they were typed.
    for file in sources.files().filter(|file| file.name != COMMAND_LINE) {
        // The folder of a file does not matter.
        let name = Path::new(&file.name).file_name().map_or(file.name.clone(), |name| name.to_string_lossy().into_owned());
        add(&format!("the text of {name}"), RunId::of([file.text.as_bytes()]).to_string());
    }
    let scope = machine.scope();
    for (set, size) in bcheck_report::deferred(machine.model(), scope) {
        add(&format!("the size of {set}"), size.to_string());
    }
    add("MININT", scope.minint.to_string());
    add("MAXINT", scope.maxint.to_string());
    add("--set", thresholds::of_search());
    for (what, value) in about_options(options) {
        add(what, value);
    }
    about
}

/// The options that must be equal. Each is compared, or listed as one that may differ: a new option compiles only when that is decided.
fn about_options(options: &Options) -> Vec<(&'static str, String)> {
    let Options {
        symmetry,
        named_symmetry,
        orbit_parameters,
        invariant,
        deadlock,
        assertions,
        strict_guards,
        goal,
        keep_going,
        set_ups_at_once,
        limits,
        // These may differ: the first two affect how a finding is reported; only breadth-first searches, which have no seed, have
        // checkpoints. Searches with a limit on choices have none.
        max_choices: _,
        explain: _,
        witness: _,
        strategy: _,
        workers: _,
        runs: _,
        seed: _,
    } = options;
    let mut about = vec![
        ("--symmetry", symmetry.word().to_owned()),
        ("the batches of set-ups", set_ups_at_once.to_string()),
        // Batches end at this limit, so another limit would yield other batches.
        ("--max-setups", limits.set_ups.map_or("no limit".to_owned(), |most| most.to_string())),
    ];
    about.extend(
        [
            ("symmetry of named elements", named_symmetry),
            ("reduction of parameters", orbit_parameters),
            ("the invariant", invariant),
            ("deadlocks", deadlock),
            ("assertions", assertions),
            ("--wd strict", strict_guards),
            ("the goal", goal),
            ("--continue", keep_going),
        ]
        .map(|(option, is_on)| (option, if *is_on { "on" } else { "off" }.to_owned())),
    );
    about
}

/// Identifies a run in its folder.
pub(crate) fn run_id(about: &About) -> RunId {
    RunId::of(about.iter().flat_map(|(what, value)| [what.as_bytes(), value.as_bytes()]))
}

/// The first difference between a checkpoint and this run.
pub(crate) fn difference(saved: &About, about: &About) -> Option<String> {
    let is_text = |what: &str| what.starts_with("the text of ");
    for (what, value) in about {
        match saved.iter().find(|(saved, _)| saved == what) {
            Some((_, saved)) if saved == value => {}
            Some(_) if is_text(what) => return Some(format!("{what} has changed since")),
            Some((_, saved)) => return Some(format!("{what} was {saved} there, and is {value} now")),
            None if is_text(what) => return Some(format!("{what} was not read there")),
            None => return Some(format!("{what} is unknown there, and is {value} now")),
        }
    }
    saved
        .iter()
        .find(|(what, _)| about.iter().all(|(own, _)| own != what))
        .map(|(what, _)| format!("{what} belongs to it, and not to this run"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_named() {
        let about =
            |list: &[(&str, &str)]| -> About { list.iter().map(|(what, value)| ((*what).to_owned(), (*value).to_owned())).collect() };
        let saved = about(&[("the text of m.mch", "1"), ("the size of S", "3"), ("--continue", "off")]);
        assert_eq!(difference(&saved, &saved), None);
        let changed = about(&[("the text of m.mch", "2"), ("the size of S", "4")]);
        assert_eq!(difference(&saved, &changed).unwrap(), "the text of m.mch has changed since");
        let larger = about(&[("the text of m.mch", "1"), ("the size of S", "4")]);
        assert_eq!(difference(&saved, &larger).unwrap(), "the size of S was 3 there, and is 4 now");
        assert_eq!(difference(&saved, &saved[..2].to_vec()).unwrap(), "--continue belongs to it, and not to this run");
    }
}
