//! Searches that several processes share, here as threads: their outcome is that of one process alone.

use super::checkpoints::{machines, run_id, told, ways, within};
use super::*;
use bcheck_durable::faulty::FaultyFiles;
use bcheck_durable::folder::Folder;
use bcheck_mesh::Mesh;
use bcheck_mesh::pairs::links;
use std::thread;
use std::time::Duration;

type End = Result<(Outcome, CheckpointFacts), CheckpointFault>;
type Ends = Vec<End>;

/// Goes on with what the folders hold, one for each process, or begins there; tables have at most this many states.
fn shared(files: &[FaultyFiles], machine: &Machine, options: &Options, tables: (usize, Duration)) -> Ends {
    shared_by(files, machine, &vec![options.clone(); files.len()], tables)
}

/// The same with options of their own for each process.
fn shared_by(files: &[FaultyFiles], machine: &Machine, options: &[Options], tables: (usize, Duration)) -> Ends {
    let meshes = links(files.len()).into_iter().map(|links| Box::new(links) as Box<dyn Mesh>).collect();
    shared_over(meshes, files, machine, (options, tables)).into_iter().map(|end| end.expect("no panic")).collect()
}

/// The same over these connections; an error is a panic.
pub(super) fn shared_over(
    meshes: Vec<Box<dyn Mesh>>,
    files: &[FaultyFiles],
    machine: &Machine,
    (options, (states, every)): (&[Options], (usize, Duration)),
) -> Vec<thread::Result<End>> {
    let model = machine.model().clone();
    let scope = machine.scope().clone();
    thread::scope(|scope_of_threads| {
        let handles: Vec<_> = meshes
            .into_iter()
            .zip(files)
            .zip(options)
            .map(|((mesh, files), options)| {
                let (model, scope) = (model.clone(), scope.clone());
                scope_of_threads.spawn(move || {
                    // A machine of its own, as each process has: they share no flag.
                    let machine = Machine::compile(Arc::new(model), scope);
                    let folder = || Folder::with_files(Box::new(files.clone()), run_id());
                    let mut partition = Partition::new(mesh);
                    let found = |wanted: Option<u64>| {
                        let is_wanted = |text: &[u8]| {
                            Ok(Manifest::of_json(text).is_some_and(|manifest| wanted.is_none_or(|epoch| epoch == manifest.epoch())))
                        };
                        let (text, is_older) = folder().manifest(&is_wanted).ok()?;
                        Some((Manifest::of_json(&text).expect("it is asked for"), is_older))
                    };
                    let own = found(None).map_or(0, |(manifest, _)| manifest.epoch());
                    let common = partition.common_epoch(own)?;
                    let mut checkpoints = match found(Some(common)) {
                        Some(found) => Checkpoints::go_on(folder(), found, every),
                        None => Checkpoints::begin(folder(), serde_json::Value::Null, every)?,
                    };
                    checkpoints.go_beyond(Share { bytes: 1 << 20, of_process: u64::MAX, states: Some(states) }, options.workers);
                    checkpoints.share_with(partition);
                    let symmetry = options.symmetry_of(&machine);
                    let outcome = explore_with_checkpoints(&machine, &symmetry, options, &mut Silent, &mut checkpoints)?;
                    Ok((outcome, checkpoints.facts()))
                })
            })
            .collect();
        handles.into_iter().map(thread::ScopedJoinHandle::join).collect()
    })
}

/// New folders.
pub(super) fn folders(processes: usize) -> Vec<FaultyFiles> {
    (0..processes).map(|_| FaultyFiles::default()).collect()
}

/// The outcome of the process that reports; none may fail.
fn reported(ends: Ends, what: &str) -> Outcome {
    let mut all: Vec<Outcome> = ends.into_iter().map(|end| end.unwrap_or_else(|fault| panic!("{what}: {fault}")).0).collect();
    all.swap_remove(0)
}

pub(super) const SELDOM: Duration = Duration::from_secs(3600);

#[test]
fn processes_that_share_a_search_end_as_one_alone() {
    for (name, machine) in machines() {
        for (way, at) in share(ways(), 3).into_iter().zip(0..) {
            let whole = told(&run(&machine, &way));
            for processes in [1, 2, 3] {
                let states = [2, 20, 1000][(at + processes) % 3];
                let what = format!("{name} {processes} processes, {states} states in tables, {way:?}");
                let outcome = reported(shared(&folders(processes), &machine, &way, (states, SELDOM)), &what);
                assert_eq!(told(&outcome), whole, "{what}");
            }
        }
    }
}

#[test]
fn processes_that_were_stopped_again_and_again_end_as_one_alone() {
    for (name, machine) in machines() {
        for (way, at) in ways().into_iter().step_by(3).zip(0..) {
            let whole = run(&machine, &way);
            let files = folders(2 + at % 2);
            let step = (whole.explored.states / 5).max(1);
            for (states, part) in (1..whole.explored.states).step_by(usize::try_from(step).expect("small")).zip(0..) {
                let what = format!("{name} at most {states} states, {way:?}");
                let every = [Duration::ZERO, SELDOM][part % 2];
                let outcome = reported(shared(&files, &machine, &within(&way, states), ([3, 40][part % 2], every)), &what);
                assert_eq!(told(&outcome), told(&run(&machine, &within(&way, states))), "{what}");
            }
            for states in [3, 1000] {
                let what = format!("{name} {way:?}");
                assert_eq!(told(&reported(shared(&files, &machine, &way, (states, SELDOM)), &what)), told(&whole), "{what}");
            }
        }
    }
}

#[test]
fn a_limit_that_one_process_hits_is_that_of_all() {
    // 117,649 states: no process comes to the end before a watcher has looked.
    let machine = load(PHONEBOOK, 6);
    let whole = Options { symmetry: Mode::Off, ..Options::default() };
    let limit = Duration::from_nanos(1);
    let limited = Options { limits: Limits { time: Some(limit), ..whole.limits.clone() }, ..whole.clone() };
    let expected = told(&run(&machine, &whole));
    for repetition in share(0..5, 5) {
        let files = folders(2);
        // The first process, which reports, has no limit of its own.
        let outcome = reported(shared_by(&files, &machine, &[whole.clone(), limited.clone()], (100_000, SELDOM)), "a limit");
        assert_eq!(outcome.limit, Some(LimitHit::Time(limit)));
        // One of them had expanded more of the superstep than the other.
        assert_eq!(told(&reported(shared(&files, &machine, &whole, (100_000, SELDOM)), "to the end")), expected, "{repetition}");
    }
}

#[test]
fn steps_that_are_made_again_after_a_trap_are_not_sent_again() {
    // The guard is ill-defined behind the steps for other parameters: those are offered on words, then once more in general.
    let text = "MACHINE Trapped SETS S VARIABLES n, m, s INVARIANT n : 0..60 & m : 0..60 & s : S
        INITIALISATION n, m := 0, 0 || s :: S
        OPERATIONS
          go(d) = PRE d : 1..8 & {1 |-> 3, 2 |-> 5, 3 |-> 7, 4 |-> 1, 5 |-> 2}(d) + n <= 60 THEN n := n + d || m := (m + 3 * d) mod 61 END;
          pass(t) = PRE t : S THEN s := t END
        END";
    let machine = load(text, 3);
    for way in share(ways(), 3) {
        let whole = told(&run(&machine, &way));
        for processes in [2, 3] {
            let what = format!("{processes} processes, {way:?}");
            assert_eq!(told(&reported(shared(&folders(processes), &machine, &way, (1000, SELDOM)), &what)), whole, "{what}");
        }
    }
}
