//! `bcheck estimate`: the size of a check, from the sizes that can be searched in a short time.
//!
//! Sizes are searched from 1 on, no set beyond its requested size, until the time is used up or the requested size is finished. Invariant:
//! each is searched as by `bcheck check --continue`, so that counts of checks are extrapolated. Deliberately elsewhere: what follows from
//! the counts (`report::estimate`, `report::growth`).

use crate::args::{EstimateArgs, FormatArg, TableFormatArg};
use crate::commands::compare::one_run::search_watched;
use crate::config;
use crate::exit::{Ended, Exit, complaint, own_fault, refused};
use crate::io::console::Console;
use crate::io::interrupt;
use crate::io::output::{self, Output};
use crate::load::{self, Asked};
use crate::progress::Watcher;
use crate::scope;
use bcheck_eval::Machine;
use bcheck_explore::{Options, Verdict, state_words};
use bcheck_ir::{GivenSetKind, Model, Scope};
use bcheck_report::deferred;
use bcheck_report::estimate::{Sample, Searched, json, text};
use indexmap::IndexMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Runs an estimate.
pub(crate) fn run(args: &EstimateArgs) -> Ended {
    let [file] = output::reserve(&[("the machine", args.machine.as_path())], [("--output", args.output.as_deref())]).map_err(refused)?;
    let mut console = Console::open(&args.common.messages, FormatArg::Text);
    let loaded = load::load(&args.machine, &args.common.folders, Asked::default(), &mut console.sources);
    let scoped =
        loaded.and_then(|mut loaded| scope::of_machine(&mut loaded, &args.scope, &mut console.sources).map(|scope| (loaded, scope)));
    let (loaded, target) = scoped.map_err(|failure| console.show_failure(&failure))?;
    console.show(&loaded.warnings);
    let model = Arc::new(loaded.model);
    let (searched, expected) = searched(&model, &target, args)?;
    let sample = Sample {
        machine: &model.name,
        target: sizes(&model, &target),
        asked: largest(&model, &target),
        searched,
        words: state_words(&Machine::compile(Arc::clone(&model), target.clone())),
        expected,
    };
    let rendered = match args.format {
        TableFormatArg::Text => text(&sample),
        TableFormatArg::Json => json(&sample),
    };
    file.unwrap_or_else(Output::stdout).save(&rendered).map_err(complaint(Exit::Io))?;
    Ok(if sample.refusal().is_none() { Exit::Done } else { Exit::Verdict(Verdict::Incomplete) })
}

/// Searches size after size; also returns how many states the last search would have had, if it was cut off while its levels shrank.
fn searched(model: &Arc<Model>, target: &Scope, args: &EstimateArgs) -> Result<(Vec<Searched>, Option<u64>), Exit> {
    let (options, mut searched, mut expected) = (config::of_estimate(args), Vec::new(), None);
    // The time for reading the machine counts.
    let began = interrupt::started().unwrap_or_else(Instant::now);
    let asked = largest(model, target);
    for size in 1..=asked {
        let left = args.time_limit.0.saturating_sub(began.elapsed());
        // The first size is searched in any case; without time left, that ends at once.
        if size > 1 && left.is_zero() || interrupt::happened() {
            break;
        }
        let scope = smaller(model, target, u32::try_from(size).unwrap_or(u32::MAX));
        let mut watcher = Watcher::new(args.progress, format!("size {size} of {asked}"));
        let (row, fault) = search_size(model, &scope, &config::within(&options, args.time_limit.0), &mut watcher);
        if let Some(fault) = fault {
            return Err(own_fault(&fault));
        }
        expected = watcher.expected().filter(|_| !row.is_complete);
        watcher.finish();
        let is_complete = row.is_complete;
        searched.push(row);
        if !is_complete {
            break;
        }
    }
    Ok((searched, expected))
}

/// The counts of one size, and the fault of bcheck that its search detected, if any.
fn search_size(model: &Arc<Model>, scope: &Scope, options: &Options, watcher: &mut Watcher<'_>) -> (Searched, Option<String>) {
    let started = Instant::now();
    let outcome = search_watched(model, scope, options, watcher);
    let row = Searched {
        deferred: sizes(model, scope),
        states: outcome.explored.states,
        transitions: outcome.explored.transitions,
        full: outcome.full.exact.then_some(outcome.full.states),
        time_s: Duration::as_secs_f64(&started.elapsed()),
        is_complete: outcome.exhausted,
    };
    (row, outcome.internal_error)
}

fn sizes(model: &Model, scope: &Scope) -> IndexMap<String, u32> {
    deferred(model, scope).map(|(name, size)| (name.to_owned(), size)).collect()
}

/// The largest size of a deferred set, at least 1: a machine without deferred sets has one size.
fn largest(model: &Model, scope: &Scope) -> usize {
    deferred(model, scope).map(|(_, size)| size as usize).max().unwrap_or(1).max(1)
}

/// The target scope, with no deferred set larger than `most`.
fn smaller(model: &Model, target: &Scope, most: u32) -> Scope {
    let kinds = model.sets.values().map(|set| matches!(set.kind, GivenSetKind::Deferred));
    let sizes = target.sizes.iter().zip(kinds).map(|(size, is_deferred)| if is_deferred { most.min(*size) } else { *size });
    Scope { sizes: sizes.collect(), ..target.clone() }
}
