//! `bcheck compare --symmetry all`: all symmetry modes, size by size.
//!
//! Invariant: the results of the modes are compared, and a contradiction is a fault of bcheck. All modes but the exact one may take
//! factorial or unreduced time; they are limited by `--full-limit`, and skipped where that is hopeless.

use crate::args::{CompareArgs, TableFormatArg};
use crate::commands::compare::exit;
use crate::commands::compare::one_run::{from_now, hopeless, is_over, say_not_run, search};
use crate::config;
use crate::exit::{Ended, Exit, complaint, own_fault};
use crate::io::run_files::RunFiles;
use crate::progress::Watcher;
use bcheck_explore::Options;
use bcheck_ir::{Model, Scope};
use bcheck_report::deferred;
use bcheck_report::strategies::{StrategyRow, contradiction, json, text};
use bcheck_source::Vocabulary;
use bcheck_symmetry::{Mode, Symmetry};
use num_bigint::BigUint;
use std::sync::Arc;
use std::time::Instant;

/// The most permutations for the exhaustive mode, which tries all of them for each state.
const MOST_PERMUTATIONS: u32 = 1_000_000;

/// Runs all modes at all sizes.
pub(crate) fn run(model: &Arc<Model>, scopes: &[Scope], args: &CompareArgs, mut files: RunFiles) -> Ended {
    let mut rows: Vec<StrategyRow> = Vec::new();
    let mut fault = None;
    for (index, scope) in scopes.iter().enumerate() {
        // The exact full count of an earlier mode, if one has it: an estimate of the work without reduction.
        let mut full_states: Option<BigUint> = None;
        for &mode in Mode::ALL {
            if is_over(args) {
                break;
            }
            let mut row = StrategyRow {
                deferred: deferred(model, scope).map(|(name, size)| (name.to_owned(), size)).collect(),
                mode,
                states: 0,
                transitions: 0,
                time_s: 0.0,
                complete: false,
                full_states: None,
            };
            if !is_hopeless(model, scope, mode, full_states.as_ref(), args) {
                let watcher = Watcher::new(args.progress, format!("{} {} of {}", mode.word(), index + 1, scopes.len()));
                let started = Instant::now();
                let outcome = search(model, scope, &options(args, mode), watcher);
                row.time_s = started.elapsed().as_secs_f64();
                row.states = outcome.explored.prob_states;
                row.transitions = outcome.explored.prob_transitions;
                row.complete = outcome.exhausted;
                row.full_states = (outcome.exhausted && outcome.full.exact).then_some(outcome.full.prob_states);
                // The exact mode comes first, and `off`, which needs the estimate, last.
                full_states = full_states.or_else(|| row.full_states.clone());
                fault = fault.or(outcome.internal_error);
            }
            rows.push(row);
        }
    }
    let rendered = match args.format {
        TableFormatArg::Text => text(&model.name, &rows),
        TableFormatArg::Json => json(&model.name, &rows),
    };
    files.save_report(&rendered).map_err(complaint(Exit::Io))?;
    if let Some(fault) = fault.or_else(|| contradiction(&rows)) {
        return Err(own_fault(&fault));
    }
    say_not_run(args, model, scopes.get(rows.len().div_ceil(Mode::ALL.len())..).unwrap_or_default());
    // Costly modes that were cut off are not a fault of the comparison; only the exact one must have covered the space.
    let asked = scopes.len() * Mode::ALL.len();
    let covered = rows.len() == asked && rows.iter().all(|row| row.complete || is_costly(row.mode));
    Ok(exit(covered, model))
}

/// Whether a mode is run for comparison only, as far as time allows.
fn is_costly(mode: Mode) -> bool {
    mode != Mode::Exact
}

fn options(args: &CompareArgs, mode: Mode) -> Options {
    let options = config::of_compare(args, mode);
    if is_costly(options.symmetry) { config::within(&options, from_now(args.full_limit.0)) } else { options }
}

fn is_hopeless(model: &Model, scope: &Scope, mode: Mode, full_states: Option<&BigUint>, args: &CompareArgs) -> bool {
    match mode {
        Mode::Exact => false,
        _ if args.full_limit.0.is_zero() => true,
        Mode::Fast | Mode::Sorted => false,
        // The order of the group is known before the search, and each state requires as many permutations.
        Mode::Exhaustive => Symmetry::new(model, scope, mode).group_order() > MOST_PERMUTATIONS.into(),
        Mode::Off => full_states.is_some_and(|states| hopeless(states, args)),
    }
}
