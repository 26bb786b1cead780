//! The visited set beyond memory: the tables of a search within memory, in front of sorted runs on disk.
//!
//! When the tables reach their share of memory, the search *spills*: the keys of all states since the last spill become a sorted run, and
//! the tables forget them. From then on the log of the checkpoints has the states themselves; frontier and traces are read from it. A
//! state that is new to the tables is a *candidate*: it may be in a run. At the end of a *pass*, duplicates are removed, which are the
//! candidates in a run; only then the others get their numbers and are examined. Numbers are those of a search within memory, as candidates
//! come in the order of ranks.
//! Method: disk-based search with delayed duplicate detection (Stern and Dill, "Using magnetic disk instead of main memory in the Murφ
//! verifier", CAV 1998; here with exact keys, and without a limit on what is kept).
//!
//! Invariant: each state with a number is in the tables or in one run. So a candidate that is in no run is new.
//! Deliberately elsewhere: runs and how they are merged (`durable`), when a pass ends (`breadth_first`), what a manifest records of runs
//! and what becomes of errors (`checkpoint`).

mod entering;
pub(super) mod key_list;
mod numbering;
pub(super) mod pass;
mod tables;

use super::entry_batch::{EntryBatch, EntryOutcome};
use super::offers::NewState;
use super::store::Store;
use crate::count::tally::MOST_COUNTED;
use crate::number::LogPlace;
use bcheck_durable::coding::{Coding, SortedBytes, SortedKeys, SortedNumbers, TwoWords};
use bcheck_durable::duplicates::{Duplicates, Runs};
use bcheck_durable::folder::Folder;
use bcheck_durable::log::{Key, LogWriter};
use bcheck_durable::log_reader::read_states;
use bcheck_durable::run::RunFile;
use bcheck_durable::trouble::Trouble;
use bcheck_state::WordWriter;
use pass::Pass;
use serde::{Deserialize, Serialize};
use std::ops::{ControlFlow, Range};
use tables::TableSizes;

/// The bytes of a candidate in the list of a pass.
const CANDIDATE: usize = size_of::<NewState>();
/// The bytes of a key of one word in a list that is sorted.
const SORTED: usize = size_of::<(u64, u32)>();
/// The bytes of a key of bytes in a list that is sorted, besides its bytes.
const SORTED_BYTES: usize = 24;

/// How much memory a visited set may take before it is spilled.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    /// Bytes.
    pub bytes: u64,
    /// The limit of the whole process: if it took more, the share becomes smaller.
    pub of_process: u64,
    /// At most this many states in the tables, for tests.
    pub states: Option<usize>,
}

/// The sorted runs as a manifest names them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SavedRuns {
    /// States below this place are in runs.
    pub(super) states: LogPlace,
    /// The number of the next run.
    next: u64,
    /// How many passes were closed; the manifest's name for it is kept, so that folders can still be read.
    #[serde(rename = "rounds")]
    passes: u64,
    /// Of keys of one word, of two, of more, and of bytes.
    word: Vec<RunFile>,
    two_words: Vec<RunFile>,
    words: Vec<RunFile>,
    bytes: Vec<RunFile>,
}

impl SavedRuns {
    pub(super) fn files(&self) -> impl Iterator<Item = &RunFile> {
        self.word.iter().chain(&self.two_words).chain(&self.words).chain(&self.bytes)
    }

    /// Whether more runs and passes can be counted.
    pub(super) fn is_countable(&self) -> bool {
        self.next <= MOST_COUNTED && self.passes <= MOST_COUNTED
    }

    /// Reads all runs; an error names the one that is damaged.
    pub(super) fn read_all(&self, folder: &Folder) -> Result<(), Trouble> {
        Tier::open(folder, (Share { bytes: 0, of_process: 0, states: None }, 1, String::new()), self).map(drop)
    }
}

/// The lower tier of the visited set, below the tables.
pub(super) struct Tier {
    share: Share,
    /// How many look candidates up in the runs.
    threads: usize,
    /// The prefix of the names of its runs.
    name: String,
    word: Runs<u64>,
    two_words: Runs<TwoWords>,
    words: Runs<Vec<u8>>,
    bytes: Runs<Vec<u8>>,
    /// States below this place are in runs, those from here on in the tables.
    pub(super) states: LogPlace,
    /// How many of these are in the tables as well.
    kept: usize,
    next: u64,
    /// How often this process has spilled.
    pub(super) spills: u64,
    pub(super) passes: u64,
}

/// Keys of all kinds that are sorted, kind by kind.
struct Lists {
    word: SortedNumbers<u64>,
    two_words: SortedNumbers<TwoWords>,
    words: SortedBytes,
    bytes: SortedBytes,
}

impl Lists {
    /// With room for the keys that are in the tables now. A list that grew would be in memory twice while it is copied; unused room is
    /// never touched.
    fn new(store: &Store, sizes: TableSizes, keys: usize) -> Self {
        let (packed, in_bytes) = (keys.min(sizes.packed), keys.min(sizes.in_bytes));
        let room = |is_width: bool| if is_width { packed } else { 0 };
        let (width, wide) = (store.key_words(), room(store.key_words() > 2));
        Self {
            word: SortedNumbers::with_capacity(room(width == 1)),
            two_words: SortedNumbers::with_capacity(room(width == 2)),
            words: SortedBytes::with_capacity(wide, wide * width * size_of::<u64>()),
            bytes: SortedBytes::with_capacity(in_bytes, in_bytes * sizes.average_in_bytes()),
        }
    }

    fn push(&mut self, key: Key<'_>, place: u32) {
        match key {
            Key::Words(&[word]) => self.word.push(word, place),
            Key::Words(&[high, low]) => self.two_words.push(TwoWords([high, low]), place),
            Key::Words(_) => self.words.push(key, place),
            Key::Bytes(_) => self.bytes.push(key, place),
        }
    }

    fn sort(&mut self, threads: usize) {
        self.word.sort(threads);
        self.two_words.sort(threads);
        self.words.sort(threads);
        self.bytes.sort(threads);
    }
}

/// Writes a run of the keys of a list, none of which is in another run; returns those that were merged into others.
fn add<K: Coding, L: SortedKeys<K>>(
    runs: &mut Runs<K>,
    folder: &Folder,
    list: &L,
    name: &mut dyn FnMut() -> String,
) -> Result<Vec<RunFile>, Trouble> {
    if list.is_empty() {
        return Ok(Vec::new());
    }
    runs.add(folder, name(), list)?;
    runs.merge(folder, name)
}

impl Tier {
    /// Without runs.
    pub(super) fn new(share: Share, threads: usize, name: String) -> Self {
        let (word, two_words, words, bytes) = Default::default();
        Self { share, threads, name, word, two_words, words, bytes, states: LogPlace::new(0), kept: 0, next: 0, spills: 0, passes: 0 }
    }

    /// With the runs that a manifest names.
    pub(super) fn open(folder: &Folder, (share, threads, name): (Share, usize, String), saved: &SavedRuns) -> Result<Self, Trouble> {
        let SavedRuns { states, next, passes, word, two_words, words, bytes } = saved;
        let (word, two_words) = (Runs::open(folder, word)?, Runs::open(folder, two_words)?);
        let (words, bytes) = (Runs::open(folder, words)?, Runs::open(folder, bytes)?);
        let empty = Self::new(share, threads, name);
        Ok(Self { word, two_words, words, bytes, states: *states, next: *next, passes: *passes, ..empty })
    }

    /// The records of the runs for a manifest; `None` where there are none.
    pub(super) fn saved(&self) -> Option<SavedRuns> {
        let Self { states, next, passes, .. } = *self;
        (self.next > 0).then(|| SavedRuns {
            states,
            next,
            passes,
            word: self.word.files().cloned().collect(),
            two_words: self.two_words.files().cloned().collect(),
            words: self.words.files().cloned().collect(),
            bytes: self.bytes.files().cloned().collect(),
        })
    }

    /// The files of the runs.
    pub(super) fn files(&self) -> impl Iterator<Item = &RunFile> {
        self.word.files().chain(self.two_words.files()).chain(self.words.files()).chain(self.bytes.files())
    }

    /// About the most candidates that a pass has. Memory that is reserved for more of them than there are is never touched.
    pub(super) fn most_candidates(&self) -> usize {
        // A table takes a word for the key and one for the rank of each at least.
        usize::try_from(self.share.bytes).unwrap_or(usize::MAX) / (CANDIDATE + SORTED + 2 * size_of::<u64>())
    }

    /// Whether the tables have reached their share with this many candidates in them, `more` states to come, and `other` bytes in use, or
    /// the process, whose resident size is `resident` (0 if unknown), its limit.
    pub(super) fn is_full(&self, store: &Store, (candidates, more): (usize, usize), (other, resident): (usize, u64)) -> bool {
        let sizes = store.sizes();
        let states = sizes.states();
        if let Some(most) = self.share.states {
            return states >= most;
        }
        let (now, bytes) = (store.memory(sizes, 0), store.memory(sizes, more));
        let of_packed = match store.key_words() {
            0 | 1 => SORTED,
            2 => size_of::<(TwoWords, u32)>(),
            width => SORTED_BYTES + width * size_of::<u64>(),
        };
        let of_all = sizes.packed * of_packed + sizes.in_bytes * (SORTED_BYTES + sizes.average_in_bytes());
        // Candidates are sorted at the end of their pass, and all keys that are in no run when it spills: the memory of the tables does not
        // count as free by then, as an allocator retains it for a while.
        let of_candidates = (candidates + more) * CANDIDATE;
        let sorted = of_all / states.max(1) * states.saturating_sub(self.kept);
        let runs = self.word.memory() + self.two_words.memory() + self.words.memory() + self.bytes.memory();
        let taken = (bytes + of_candidates + sorted + runs + other) as u64;
        // Memory retained by the allocator is resident, and not counted above. Tables with little in them never spill because of it.
        let to_come = (bytes.saturating_sub(now) + more * CANDIDATE + sorted) as u64;
        taken >= self.share.bytes || taken >= self.share.of_process / 4 && resident > 0 && resident + to_come >= self.share.of_process
    }

    /// Takes less from now on if the process exceeded its limit: [`Self::is_full`] does not count the needs of the allocator and the rest
    /// of the search. When it spills does not affect what is found, nor its number.
    pub(super) fn keep_within(&mut self, resident: u64) {
        let excess = resident.saturating_sub(self.share.of_process);
        if excess > 0 {
            // So much stays that a process that takes more for other reasons does not spill again and again without end.
            self.share.bytes = self.share.bytes.saturating_sub(excess).max(self.share.of_process / 8);
            tracing::debug!(target: "bcheck::state", excess, share = self.share.bytes, "the tables get a smaller share of memory");
        }
    }

    /// Removes the duplicates from the candidates of a pass: those that are in runs.
    pub(super) fn remove_duplicates(&mut self, folder: &Folder, store: &Store, pass: &mut Pass) -> Result<(), Trouble> {
        self.passes += 1;
        if self.files().next().is_none() {
            // Nothing was spilled so far: the tables have all states.
            return Ok(());
        }
        // Sorted by keys, but with their places: the order of the pass is that of ranks, by which numbers are assigned.
        let (mut lists, mut scratch) = (Lists::new(store, store.sizes(), pass.candidates.len()), Vec::new());
        for (new, place) in pass.candidates.iter().zip(0..) {
            store.with_key(new.id, &mut scratch, |key| lists.push(key, place));
        }
        let duplicates = self.duplicates(folder, lists, pass.candidates.len())?;
        let candidates = pass.candidates.len();
        pass.leave_out(|place| duplicates.is_duplicate(place));
        let (new, runs) = (pass.candidates.len(), self.files().count());
        tracing::debug!(target: "bcheck::state", candidates, duplicates = candidates - new, new, runs, "pass closed");
        Ok(())
    }

    /// Which keys of the lists are in runs.
    fn duplicates(&self, folder: &Folder, mut lists: Lists, places: usize) -> Result<Duplicates, Trouble> {
        lists.sort(self.threads);
        let duplicates = Duplicates::new(places);
        self.word.mark_duplicates(folder, &lists.word, &duplicates, self.threads)?;
        self.two_words.mark_duplicates(folder, &lists.two_words, &duplicates, self.threads)?;
        self.words.mark_duplicates(folder, &lists.words, &duplicates, self.threads)?;
        self.bytes.mark_duplicates(folder, &lists.bytes, &duplicates, self.threads)?;
        Ok(duplicates)
    }

    /// Whether all these states, which are in the tables, are in runs as well.
    pub(super) fn has_all(
        &self,
        folder: &Folder,
        store: &Store,
        ids: impl Iterator<Item = bcheck_state::StateId>,
    ) -> Result<bool, Trouble> {
        let (mut lists, mut scratch, mut places) = (Lists::new(store, store.sizes(), 0), Vec::new(), 0);
        for id in ids {
            store.with_key(id, &mut scratch, |key| lists.push(key, places));
            places += 1;
        }
        // None of these is new.
        let duplicates = self.duplicates(folder, lists, places as usize)?;
        Ok((0..places as usize).all(|place| duplicates.is_duplicate(place)))
    }

    /// Writes a run of the states that are in the tables and in no run, up to a place in the log; returns the runs that were merged into
    /// others, whose files are needed as long as a manifest names them. The newest states stay in the tables, as most steps lead to recent
    /// ones.
    pub(super) fn spill(&mut self, folder: &Folder, log: &LogWriter, store: &Store, end: LogPlace) -> Result<Vec<RunFile>, Trouble> {
        let sizes = store.sizes();
        let mut lists = Lists::new(store, sizes, end.since(self.states) as usize);
        // Before the keys are read: tables and sorted list together would not fit the share. The log has every key, so nothing is lost.
        store.spill();
        self.spills += 1;
        read_states(folder, log, in_log(&(self.states..end)), &mut |_, key, _, _| {
            lists.push(key, 0);
            ControlFlow::Continue(())
        })?;
        lists.sort(self.threads);
        let (next, name) = (&mut self.next, &self.name);
        // The count continues from the manifest, so that no run named there is overwritten.
        let mut name = || {
            *next += 1;
            format!("{name}-{:04}", *next)
        };
        // Runs have keys of one kind, so that each is coded and compared in one way; most machines have states of one kind only.
        let mut replaced = add(&mut self.word, folder, &lists.word, &mut name)?;
        replaced.extend(add(&mut self.two_words, folder, &lists.two_words, &mut name)?);
        replaced.extend(add(&mut self.words, folder, &lists.words, &mut name)?);
        replaced.extend(add(&mut self.bytes, folder, &lists.bytes, &mut name)?);
        drop(lists);
        self.states = end;
        // Only a part of the tables: the rest is the room for the candidates of the next pass.
        let third = sizes.states().min(self.share.states.unwrap_or(usize::MAX)) / 3;
        let kept = u32::try_from(third).unwrap_or(u32::MAX).min(end.number());
        let newest = LogPlace::new(end.number() - kept);
        self.kept = kept as usize;
        enter(folder, log, store, &mut WordWriter::default(), &(newest..end))?;
        let (states, runs) = (end.number(), self.files().count());
        tracing::debug!(target: "bcheck::state", states, kept, runs, merged = replaced.len(), "states spilled to a sorted run");
        Ok(replaced)
    }
}

/// Places of a log, as its reader takes them.
pub(super) fn in_log(places: &Range<LogPlace>) -> Range<u64> {
    places.start.number().into()..places.end.number().into()
}

/// Enters states of the log into the tables.
fn enter(folder: &Folder, log: &LogWriter, store: &Store, writer: &mut WordWriter, places: &Range<LogPlace>) -> Result<(), Trouble> {
    writer.alone = true;
    let mut batch = EntryBatch::default();
    let is_entered = |(outcome, ()): (EntryOutcome, ())| outcome.is_some();
    let mut are_entered = true;
    read_states(folder, log, in_log(places), &mut |_, key, _, _| {
        are_entered &= batch.add((store, writer), key, ()).all(is_entered);
        ControlFlow::Continue(())
    })?;
    are_entered &= batch.enter_all((store, writer)).all(is_entered);
    debug_assert!(are_entered, "a log has keys of its store");
    store.close_slice();
    Ok(())
}
