//! Delayed duplicate detection: keys of a list that occur in sorted runs are marked as duplicates, and runs are merged when there are
//! many.
//!
//! Lists and runs ascend, so both are read once, in step, and of a run only the blocks into which a key of the list falls. Method: Korf,
//! "Best-first frontier search with delayed duplicate detection" (AAAI 2004); here for breadth-first search with exact keys.
//! Invariant: no key is in two runs. Deliberately elsewhere: files (`run`), and when which keys are looked up (`explore`).

use super::block::Block;
use super::coding::{Coding, SortedKeys};
use super::folder::Folder;
use super::run::{Run, RunFile, RunWriter};
use super::trouble::Trouble;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// More runs are merged.
pub(crate) const MOST_RUNS: usize = if cfg!(test) { 3 } else { 8 };
/// Blocks that are read at once: about a megabyte.
const BLOCKS_AT_ONCE: usize = 128;
/// A thread is started only for this many keys.
const LEAST_SHARE: usize = 1 << 14;

/// The duplicates in a list, by index.
pub struct Duplicates(Vec<AtomicU64>);

impl Duplicates {
    /// A list of this length without duplicates.
    pub fn new(places: usize) -> Self {
        Self((0..places.div_ceil(64)).map(|_| AtomicU64::new(0)).collect())
    }

    fn mark(&self, place: u32) {
        // Atomic, as places of two threads may share a word. Relaxed: bits are read after the threads that set them were joined.
        self.0[place as usize / 64].fetch_or(1 << (place % 64), Ordering::Relaxed);
    }

    /// Whether the key at this index is a duplicate.
    pub fn is_duplicate(&self, place: usize) -> bool {
        self.0[place / 64].load(Ordering::Relaxed) & 1 << (place % 64) != 0
    }
}

/// The sorted runs of one kind of keys.
pub struct Runs<K>(Vec<Run<K>>);

impl<K> Default for Runs<K> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: Coding> Runs<K> {
    /// Opens what a manifest names.
    pub fn open(folder: &Folder, files: &[RunFile]) -> Result<Self, Trouble> {
        files.iter().map(|file| Run::open(folder, file.clone())).collect::<Result<_, _>>().map(Self)
    }

    /// Their records in a manifest.
    pub fn files(&self) -> impl Iterator<Item = &RunFile> {
        self.0.iter().map(|run| &run.file)
    }

    /// The bytes of memory that they take.
    pub fn memory(&self) -> usize {
        self.0.iter().map(Run::memory).sum()
    }

    /// Marks the keys of a list that are in a run, with at most this many threads.
    pub fn mark_duplicates<L: SortedKeys<K>>(
        &self,
        folder: &Folder,
        list: &L,
        duplicates: &Duplicates,
        threads: usize,
    ) -> Result<(), Trouble> {
        let threads = threads.min(list.len() / LEAST_SHARE).max(1);
        let mark = |part: Range<usize>| self.0.iter().try_for_each(|run| mark_in_run(folder, run, list, part.clone(), duplicates));
        if threads == 1 {
            return mark(0..list.len());
        }
        // A block at the border of two parts is read twice.
        let border = |thread: usize| list.len() * thread / threads;
        thread::scope(|scope| {
            let mark = &mark;
            let others: Vec<_> = (1..threads).map(|thread| scope.spawn(move || mark(border(thread)..border(thread + 1)))).collect();
            let own = mark(0..border(1));
            others.into_iter().fold(own, |done, other| {
                let other = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                done.and(other)
            })
        })
    }

    /// Adds a run with the keys of a list, none of which is in another run.
    pub fn add<L: SortedKeys<K>>(&mut self, folder: &Folder, name: String, list: &L) -> Result<(), Trouble> {
        let (mut run, mut key) = (RunWriter::new(folder, name)?, K::default());
        for at in 0..list.len() {
            list.copy(at, &mut key);
            run.push(folder, &key)?;
        }
        self.0.push(run.finish(folder)?);
        Ok(())
    }

    /// Where there are too many runs, merges the smallest ones into one with this name; returns those that it replaces.
    pub fn merge(&mut self, folder: &Folder, name: impl FnOnce() -> String) -> Result<Vec<RunFile>, Trouble> {
        if self.0.len() <= MOST_RUNS {
            return Ok(Vec::new());
        }
        self.0.sort_by_key(|run| run.file.keys);
        // The two shortest, then each that is not longer than all before it together: such a run is rewritten only into one of at least
        // twice its length, and a long run not for the sake of a few keys. As the number of runs is bounded, keys are still written more
        // than O(log) times.
        let (mut count, mut keys) = (2, self.0[0].file.keys + self.0[1].file.keys);
        while let Some(next) = self.0.get(count).filter(|next| next.file.keys <= keys) {
            keys += next.file.keys;
            count += 1;
        }
        let merged = merged(folder, &self.0[..count], name())?;
        let replaced = self.0.splice(..count, [merged]).map(|run| run.file).collect();
        Ok(replaced)
    }
}

/// Strikes out the keys of a part of a list that a run has.
fn mark_in_run<K: Coding, L: SortedKeys<K>>(
    folder: &Folder,
    run: &Run<K>,
    list: &L,
    part: Range<usize>,
    duplicates: &Duplicates,
) -> Result<(), Trouble> {
    // The first key of the list, from a place on, that is not before this one.
    let from = |start: usize, key: &K| lower_bound(start..part.end, |at| list.compare(at, key).is_lt());
    let (mut at, mut block) = (part.start, 0);
    let mut shares: Vec<Range<usize>> = Vec::new();
    // Invariant: the keys of the part before `at` were looked up; those from `at` on are in no block before `block`.
    while at < part.end {
        match run.block_of(block, |first| list.compare(at, first).is_lt()) {
            Some(found) => block = found,
            None => {
                let Some(first) = run.first_of(0) else { return Ok(()) };
                at = from(at, first);
                continue;
            }
        }
        // Blocks in a row are read together, each with the keys of the list that it may have.
        let first = block;
        shares.clear();
        loop {
            let end = run.first_of(block + 1).map_or(part.end, |next| from(at, next));
            shares.push(at..end);
            (at, block) = (end, block + 1);
            let is_next =
                at < part.end && block < run.blocks() && run.first_of(block + 1).is_none_or(|next| list.compare(at, next).is_lt());
            if !is_next || shares.len() == BLOCKS_AT_ONCE {
                break;
            }
        }
        let mut blocks = run.reader(folder, first..block);
        for share in &shares {
            let Some(read) = blocks.next()? else { return Err(Trouble::damaged(&run.file.name, 0, "it has fewer blocks than it had")) };
            mark_in_block(&read, list, share.clone(), duplicates).map_err(|what| Trouble::damaged(&run.file.name, read.offset, what))?;
        }
        // `block_of` must start at a block whose first key is not after the key at `at`: the last one read is such a block.
        block -= 1;
    }
    Ok(())
}

/// Strikes out the keys of a part of a list that a block has.
fn mark_in_block<K: Coding, L: SortedKeys<K>>(
    block: &Block<'_>,
    list: &L,
    part: Range<usize>,
    duplicates: &Duplicates,
) -> Result<(), &'static str> {
    let (mut payload, mut key, mut at) = (block.payload, K::default(), part.start);
    for index in 0..block.count {
        key.decode(index == 0, &mut payload)?;
        // Invariant: the keys of the list before `at` are before `key`.
        loop {
            if at == part.end {
                return Ok(());
            }
            match list.compare(at, &key) {
                std::cmp::Ordering::Less => at += 1,
                std::cmp::Ordering::Equal => {
                    duplicates.mark(list.place(at));
                    at += 1;
                    break;
                }
                std::cmp::Ordering::Greater => break,
            }
        }
    }
    Ok(())
}

/// The first place of a range for which `is_before` is false, where it is true for all before.
fn lower_bound(range: Range<usize>, is_before: impl Fn(usize) -> bool) -> usize {
    let Range { mut start, mut end } = range;
    // By steps that double, as the place is mostly near: galloping.
    let mut step = 1;
    while start + step < end && is_before(start + step) {
        start += step;
        step *= 2;
    }
    end = end.min(start + step);
    while start < end {
        let middle = start.midpoint(end);
        if is_before(middle) {
            start = middle + 1;
        } else {
            end = middle;
        }
    }
    start
}

/// Merges runs into one.
fn merged<K: Coding>(folder: &Folder, runs: &[Run<K>], name: String) -> Result<Run<K>, Trouble> {
    let mut readers = Vec::new();
    for run in runs {
        let mut keys = run.keys(folder);
        if keys.next()? {
            readers.push(keys);
        }
    }
    let mut writer = RunWriter::new(folder, name)?;
    // There are few runs, so the least key is found by a linear scan.
    while let Some(least) = (0..readers.len()).min_by(|one, other| readers[*one].key.cmp(&readers[*other].key)) {
        writer.push(folder, &readers[least].key)?;
        if !readers[least].next()? {
            readers.swap_remove(least);
        }
    }
    writer.finish(folder)
}
