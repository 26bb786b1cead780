//! Messages between processes that were changed and given a right checksum again: what is not well formed ends in the loss of the process
//! that has sent it, and nothing breaks down.
//!
//! What a run reports after a message that is well formed and false is open: nothing of it can be told from a true one. Deliberately
//! elsewhere: frames around messages (`mesh`), manifests (`forged`).

use super::checkpoints::{machines, within};
use super::processes::{SELDOM, folders, shared_over};
use super::*;
use bcheck_mesh::pairs::links;
use bcheck_mesh::{Loss, Mesh, Parts};
use bcheck_source::SplitMix64;
use std::sync::atomic::{AtomicU64, Ordering};

/// The process that forges.
const FORGER: usize = 2;
const PROCESSES: usize = 3;
/// The kind of the message in which a process gives a state; without one, it has no more than its kind.
const STATE: u8 = 3;
const EPOCH: u8 = 4;

/// What becomes of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Emptied,
    /// A kind that there is not, or one of another place of the search.
    OtherKind(u8),
    Longer,
    Shorter,
    /// The first number behind the kind is the greatest that there is.
    Absurd,
    /// Some bit is another one.
    Flipped(u64),
    /// Some bytes are others.
    Scribbled(u64),
}

impl Change {
    /// Whether each message that it makes is not well formed; else some are.
    fn is_noticed(self, kind: u8) -> bool {
        match self {
            Self::Emptied | Self::OtherKind(_) | Self::Longer => true,
            Self::Shorter => kind != STATE,
            // A later checkpoint than this process has is none that all have.
            Self::Absurd => kind != EPOCH,
            Self::Flipped(_) | Self::Scribbled(_) => false,
        }
    }

    fn of(self, message: &[u8]) -> Vec<u8> {
        let mut message = message.to_vec();
        match self {
            Self::Emptied => message.clear(),
            Self::OtherKind(kind) if message[0] == kind => message[0] = 0,
            Self::OtherKind(kind) => message[0] = kind,
            Self::Longer => message.push(1),
            Self::Shorter => drop(message.pop()),
            Self::Absurd => {
                let rest: Vec<u8> = message[1..].iter().skip_while(|byte| **byte >= 0x80).skip(1).copied().collect();
                message.truncate(1);
                message.extend([0xff; 9].into_iter().chain([1]).chain(rest));
            }
            Self::Flipped(seed) => {
                let mut dice = SplitMix64::new(seed);
                let at = dice.below(message.len());
                message[at] ^= 1 << dice.below(8);
            }
            Self::Scribbled(seed) => {
                let mut dice = SplitMix64::new(seed);
                for _ in 0..4 {
                    let at = dice.below(message.len());
                    message[at] = [0, 1, 0x7f, 0x80, 0xff, dice.below(256) as u8][dice.below(6)];
                }
            }
        }
        message
    }
}

/// Connections of a process that forges all its messages in one step.
struct Forging<'k> {
    links: Box<dyn Mesh>,
    step: u64,
    at: u64,
    change: Change,
    /// Of the message that was forged; 0 before.
    kind: &'k AtomicU64,
}

impl Mesh for Forging<'_> {
    fn me(&self) -> usize {
        self.links.me()
    }

    fn processes(&self) -> usize {
        self.links.processes()
    }

    fn exchange(&mut self, messages: &[Parts<'_>]) -> Result<Vec<Vec<u8>>, Loss> {
        self.step += 1;
        if self.step != self.at {
            return self.links.exchange(messages);
        }
        let whole: Vec<Vec<u8>> = messages.iter().map(|parts| parts.concat()).collect();
        self.kind.store(whole[0][0].into(), Ordering::Relaxed);
        let forged: Vec<Vec<u8>> = whole.iter().map(|message| self.change.of(message)).collect();
        self.links.exchange(&forged.iter().map(|message| vec![&message[..]]).collect::<Vec<_>>())
    }

    fn recycle(&mut self, messages: Vec<Vec<u8>>) {
        self.links.recycle(messages);
    }

    fn leave(&mut self) {
        self.links.leave();
    }
}

/// How the processes that do not forge end where messages of this step were changed, and the kind of these; `None` if the search has fewer
/// steps.
fn ends_with(machine: &Machine, way: &Options, (at, change): (u64, Change)) -> Option<(Vec<Result<(), String>>, u8)> {
    // It outlives the threads, which may take only what lives as long as the program.
    let kind: &'static AtomicU64 = Box::leak(Box::new(AtomicU64::new(0)));
    let mesh = |(process, links)| {
        let links: Box<dyn Mesh> = Box::new(links);
        if process == FORGER { Box::new(Forging { links, step: 0, at, change, kind }) } else { links }
    };
    let meshes = links(PROCESSES).into_iter().enumerate().map(mesh).collect();
    let ways = vec![within(way, 3000); PROCESSES];
    let ends = shared_over(meshes, &folders(PROCESSES), machine, (&ways, (20, SELDOM)));
    let kind = u8::try_from(kind.load(Ordering::Relaxed)).expect("a byte");
    let told = |end: std::thread::Result<Result<(Outcome, CheckpointFacts), CheckpointFault>>| match end {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(fault)) => Err(fault.to_string()),
        Err(panic) => {
            // What the command line takes for the loss of another process: a state that no step leads to.
            let text = panic.downcast_ref::<String>().cloned().unwrap_or_default();
            assert!(text.starts_with("every finding is confirmed by a replay"), "{change:?} of kind {kind} in step {at}: a panic: {text}");
            Err(text)
        }
    };
    let ends = ends.into_iter().take(FORGER).map(told).collect();
    (kind > 0).then_some((ends, kind))
}

#[test]
fn what_is_not_well_formed_loses_the_process_that_has_sent_it() {
    let (mut kinds, mut tried) = (std::collections::BTreeSet::new(), 0);
    for (name, symmetry) in [("emergency", Mode::Exact), ("warned", Mode::Off), ("bytes", Mode::Off)] {
        let (_, machine) = machines().into_iter().find(|(other, _)| *other == name).expect("it is one of them");
        let way = Options { keep_going: true, ..options(symmetry) };
        for at in (1..12).chain([14, 20, 30, 40, 60]) {
            let changes = [Change::Emptied, Change::OtherKind(9), Change::OtherKind(1), Change::Longer, Change::Shorter, Change::Absurd];
            for change in changes {
                let Some((ends, kind)) = ends_with(&machine, &way, (at, change)) else { continue };
                if !change.is_noticed(kind) {
                    continue;
                }
                kinds.insert(kind);
                tried += 1;
                let what = format!("{name}: {change:?} of kind {kind} in step {at}: {ends:?}");
                // The other one may have learnt first that this one has left.
                assert!(ends.iter().all(Result::is_err), "{what}");
                let blamed = |end: &Result<(), String>| end.as_ref().is_err_and(|fault| fault.starts_with("process 2 was lost: it "));
                // Where a trace is being made, no state is a state that no step leads to.
                assert!(kind == STATE || ends.iter().any(blamed), "{what}");
            }
        }
    }
    assert!(kinds.len() >= 5 && tried > 100, "{tried} of kinds {kinds:?}");
}

#[test]
fn any_change_of_a_message_ends_a_search_or_lets_it_go_on() {
    let mut dice = SplitMix64::new(48);
    for (name, symmetry) in [("emergency", Mode::Exact), ("scheduler", Mode::Off), ("phonebook", Mode::Exact)] {
        let (_, machine) = machines().into_iter().find(|(other, _)| *other == name).expect("it is one of them");
        assert!(
            machine.is_packed(),
            "{name}: a key of bytes is looked at when it is decoded, and a panic there is told by the command line"
        );
        let way = Options { keep_going: true, ..options(symmetry) };
        let mut tried = 0;
        for _ in 0..60 {
            let seed = dice.word();
            let change = if dice.below(2) == 0 { Change::Flipped(seed) } else { Change::Scribbled(seed) };
            tried += usize::from(ends_with(&machine, &way, (1 + dice.below(16) as u64, change)).is_some());
        }
        assert!(tried > 20, "{name}: {tried}");
    }
}
