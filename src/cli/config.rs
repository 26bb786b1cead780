//! Options as typed → options of the search: defaults are applied here and nowhere below.
//!
//! Invariant: a search option that the command line omits has exactly one default, the one that `--help` states.

use crate::args::{
    CheckArgs, Cli, CompareArgs, EstimateArgs, FormatArg, LimitArgs, PropertyArgs, RefineArgs, SearchArgs, WellDefinednessArg,
    WorkLimitArgs,
};
use crate::io::interrupt;
use bcheck_explore::{Limits, Options, Strategy};
use bcheck_symmetry::Mode;
use clap::Parser;

/// The options of a check.
pub(crate) fn of_check(args: &CheckArgs) -> Options {
    // The page shows the values whether or not the text does.
    let explain = args.explaining.explain || args.files.html.is_some() || args.report.format == FormatArg::Json;
    // A random run is one run of the machine: its states are shown and counted without reduction.
    let symmetry = if args.strategy == Strategy::Simulation { Mode::Off } else { args.symmetry };
    let mut search = of_search(&args.search, symmetry, &args.properties);
    if let (None, Some(processes)) = (args.search.workers, args.checkpoints.processes.processes) {
        search.workers = workers_of_each(processes);
    }
    let (runs, seed) = (args.random.runs.map(|count| count.0), args.random.seed.unwrap_or(0));
    args.temporal.applied(Options {
        goal: !args.no_goal,
        keep_going: args.keep_going,
        strategy: args.strategy,
        explain,
        runs,
        seed,
        max_choices: args.random.choices.max_choices,
        ..search
    })
}

/// The options of a comparison's runs in one mode: the whole space is covered, whatever is found.
pub(crate) fn of_compare(args: &CompareArgs, mode: Mode) -> Options {
    of_search(&args.search, mode, &args.properties)
}

/// The options of the runs of an estimate.
pub(crate) fn of_estimate(args: &EstimateArgs) -> Options {
    let limits = LimitArgs { time_limit: Some(args.time_limit), memory_limit: args.memory_limit, ..LimitArgs::default() };
    let search = SearchArgs { no_orbit_parameters: false, no_named_symmetry: false, workers: args.workers, limits };
    of_search(&search, args.symmetry, &args.properties)
}

/// These options with a time limit, unless theirs is shorter.
pub(crate) fn within(options: &Options, limit: std::time::Duration) -> Options {
    let time = Some(options.limits.time.map_or(limit, |time| time.min(limit)));
    Options { limits: Limits { time, ..options.limits.clone() }, ..options.clone() }
}

/// The options of the full run that corresponds to a reduced one.
pub(crate) fn unreduced(reduced: &Options, limit: std::time::Duration) -> Options {
    Options { symmetry: Mode::Off, ..within(reduced, limit) }
}

fn of_search(search: &SearchArgs, symmetry: Mode, properties: &PropertyArgs) -> Options {
    Options {
        symmetry,
        named_symmetry: !search.no_named_symmetry,
        orbit_parameters: !search.no_orbit_parameters,
        invariant: !properties.no_invariant,
        deadlock: !properties.no_deadlock,
        assertions: !properties.no_assertions,
        strict_guards: properties.wd == WellDefinednessArg::Strict,
        // For a comparison, which covers the space regardless of findings; `of_check` sets both.
        goal: false,
        keep_going: true,
        workers: workers(search.workers),
        limits: limits(&search.limits),
        ..Options::default()
    }
}

/// The options of a refinement check, which stops at the first finding.
pub(crate) fn of_refine(args: &RefineArgs) -> Options {
    Options {
        symmetry: args.symmetry,
        named_symmetry: !args.no_named_symmetry,
        orbit_parameters: false,
        // Properties of a single machine; the obligations of the refinement replace them.
        invariant: false,
        deadlock: false,
        assertions: false,
        goal: false,
        max_choices: args.choices.max_choices,
        workers: workers(args.workers),
        limits: limits(&args.limits),
        ..Options::default()
    }
}

/// The options of a walk through all states that checks no property.
pub(crate) fn of_walk(symmetry: Mode, args: &WorkLimitArgs) -> Options {
    Options {
        symmetry,
        invariant: false,
        deadlock: false,
        assertions: false,
        goal: false,
        keep_going: true,
        limits: of_work(args),
        ..Options::default()
    }
}

/// The options of a check in an editor: those of `bcheck check`, within a time limit.
pub(crate) fn of_editor(limit: std::time::Duration) -> Options {
    // Parsed like a command line, so that an editor has the defaults that `--help` states, including those of options added later.
    let defaults = Cli::try_parse_from(["bcheck", "machine"]).expect("all options of a check have defaults");
    within(&of_check(&defaults.check), limit)
}

/// The limits of a search; time counts from its beginning, unless [`timed`] sets an earlier one.
pub(crate) fn limits(args: &LimitArgs) -> Limits {
    Limits {
        since: None,
        states: args.max_states.map(|count| count.0),
        depth: args.max_depth.map(|count| count.0),
        set_ups: args.set_ups(),
        time: args.time_limit.map(|seconds| seconds.0),
        memory_bytes: args.memory_limit.map(|bytes| bytes.0),
    }
}

/// The limits of work that is no search.
pub(crate) fn of_work(args: &WorkLimitArgs) -> Limits {
    Limits { time: args.time_limit.map(|seconds| seconds.0), memory_bytes: args.memory_limit.map(|bytes| bytes.0), ..Limits::default() }
}

/// These options, with the time for reading and compiling the machine counted as time of the search.
pub(crate) fn timed(options: Options) -> Options {
    Options { limits: Limits { since: interrupt::started(), ..options.limits }, ..options }
}

/// The workers of each of several processes on this machine: together as many as one process would have.
fn workers_of_each(processes: u16) -> usize {
    (workers(None) / usize::from(processes)).max(1)
}

/// The number of threads.
pub(crate) fn workers(asked: Option<u16>) -> usize {
    // On Linux this respects CPU affinity and quotas of control groups, so that a container does not start more threads than it has cores.
    asked.map_or_else(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get), usize::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcheck_explore::Strategy;
    use std::time::Duration;

    fn options(words: &[&str]) -> Options {
        let cli = Cli::try_parse_from(["bcheck", "m.mch"].iter().chain(words)).expect("parses");
        of_check(&cli.check)
    }

    #[test]
    fn everything_is_checked_by_default_and_nothing_is_limited() {
        let options = options(&[]);
        assert!(options.invariant && options.deadlock && options.assertions && options.goal);
        assert!(!options.keep_going);
        assert_eq!(options, Options { workers: options.workers, ..Options::default() }, "the defaults of the library");
        assert!(options.workers >= 1);
    }

    #[test]
    fn options_reach_the_search() {
        let options =
            options(&["--no-deadlock", "--continue", "--strategy", "dfs", "-j", "3", "--max-states", "10k", "--memory-limit", "1G"]);
        assert!(!options.deadlock && options.keep_going);
        assert_eq!((options.strategy, options.workers), (Strategy::Depth, 3));
        assert_eq!((options.limits.states, options.limits.memory_bytes), (Some(10_000), Some(1 << 30)));
    }

    #[test]
    fn one_set_up_is_the_least_number_of_set_ups() {
        assert_eq!(options(&["--one-setup"]), options(&["--max-setups", "1"]));
        assert_eq!((options(&["--max-setups", "2k"]).limits.set_ups, options(&[]).limits.set_ups), (Some(2000), None));
    }

    #[test]
    fn the_full_run_keeps_the_shorter_time_limit() {
        let reduced = options(&["--time-limit", "5"]);
        assert_eq!(unreduced(&reduced, Duration::from_secs(60)).limits.time, Some(Duration::from_secs(5)));
        assert_eq!(unreduced(&options(&[]), Duration::from_secs(60)).limits.time, Some(Duration::from_secs(60)));
    }
}
