//! Files in memory that fail on demand of a test, and that simulate what a loss of power may leave of them.
//!
//! After a loss of power a file has its content of the last synchronisation, and any part of the later changes; a folder has any subset of
//! the changes of names since its last synchronisation. POSIX permits this, and more than most systems do.

use super::files::Files;
use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

/// How a call fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// `ENOSPC`, and nothing is done.
    Full,
    /// `EIO`, and nothing is done.
    Io,
    /// A part of what is appended is written, then `ENOSPC`; other calls as [`Fault::Full`].
    Short,
    /// The process is killed in this call: of what is appended a part is written, and each later call fails as well.
    Killed,
}

/// All faults.
pub const FAULTS: [Fault; 4] = [Fault::Full, Fault::Io, Fault::Short, Fault::Killed];

/// A folder in memory. Clones are the same folder.
#[derive(Clone, Default)]
pub struct FaultyFiles(Arc<Mutex<Disk>>);

#[derive(Clone, Default)]
struct Disk {
    contents: Vec<Content>,
    names: BTreeMap<String, usize>,
    /// The names at the last synchronisation of the folder, and what changed since then.
    synced_names: BTreeMap<String, usize>,
    changes: Vec<Change>,
    calls: u64,
    fault: Option<(u64, Fault)>,
    /// A flag that is raised from this call on.
    raised: Option<(u64, Arc<AtomicBool>)>,
}

#[derive(Clone, Default)]
struct Content {
    bytes: Vec<u8>,
    synced: Vec<u8>,
    /// A synchronisation failed: the system may have dropped the pending writes, and reports success from then on.
    given_up: bool,
}

#[derive(Clone)]
enum Change {
    Created(String, usize),
    Renamed(String, String, usize),
    Removed(String, usize),
}

/// splitmix64.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ mixed >> 31) % bound as u64).expect("below a usize")
    }
}

impl FaultyFiles {
    fn disk(&self) -> MutexGuard<'_, Disk> {
        self.0.lock().expect("no test panics while it holds a folder")
    }

    /// The `call`-th call from now on fails, from 0.
    pub fn fail(&self, call: u64, fault: Fault) {
        let mut disk = self.disk();
        let call = disk.calls + call;
        disk.fault = Some((call, fault));
    }

    /// Raises a flag in the `call`-th call from now on, and in all that follow, as an interrupt does at that moment.
    pub fn raise(&self, call: u64, flag: &Arc<AtomicBool>) {
        let mut disk = self.disk();
        disk.raised = Some((disk.calls + call, Arc::clone(flag)));
    }

    /// How many calls there were.
    pub fn calls(&self) -> u64 {
        self.disk().calls
    }

    /// The folder as the next process finds it, without faults: nothing is lost, since the system went on.
    pub fn restarted(&self) -> Self {
        let disk = Disk { fault: None, raised: None, ..self.disk().clone() };
        Self(Arc::new(Mutex::new(disk)))
    }

    /// The folder after a loss of power. Of the unsynchronised changes, choice 0 loses everything and 1 nothing; the others select.
    pub fn after_power_loss(&self, choice: u64) -> Self {
        let disk = self.disk().clone();
        let mut random = Random(choice);
        let mut names = disk.synced_names;
        let mut changes = disk.changes;
        if choice > 1 {
            for last in (1..changes.len()).rev() {
                changes.swap(last, random.below(last + 1));
            }
        }
        for change in changes {
            if choice == 0 || choice > 1 && random.below(2) == 0 {
                continue;
            }
            match change {
                Change::Created(name, content) => {
                    names.insert(name, content);
                }
                Change::Renamed(from, to, content) => {
                    if names.get(&from) == Some(&content) {
                        names.remove(&from);
                    }
                    names.insert(to, content);
                }
                Change::Removed(name, content) => {
                    if names.get(&name) == Some(&content) {
                        names.remove(&name);
                    }
                }
            }
        }
        let contents = disk.contents.iter().map(|content| content.after_power_loss(choice, &mut random)).collect();
        let disk = Disk { contents, synced_names: names.clone(), names, ..Disk::default() };
        Self(Arc::new(Mutex::new(disk)))
    }

    /// Changes a byte behind the back of everybody.
    pub fn flip(&self, name: &str, at: usize, mask: u8) {
        let mut disk = self.disk();
        let content = disk.names[name];
        disk.contents[content].bytes[at] ^= mask;
    }

    /// Counts a call, and returns how it fails, if it does.
    fn call(&self) -> (MutexGuard<'_, Disk>, Option<Fault>) {
        let mut disk = self.disk();
        let now = disk.calls;
        disk.calls += 1;
        if let Some((_, flag)) = disk.raised.as_ref().filter(|(call, _)| now >= *call) {
            flag.store(true, Ordering::Relaxed);
        }
        let fault = disk.fault.filter(|(call, fault)| now == *call || *fault == Fault::Killed && now > *call);
        let fault = fault.map(|(call, fault)| if now > call { Fault::Io } else { fault });
        (disk, fault)
    }

    /// The disk for a call that does nothing when it fails.
    fn whole_call(&self) -> io::Result<MutexGuard<'_, Disk>> {
        match self.call() {
            (disk, None) => Ok(disk),
            (_, Some(fault)) => Err(fault.error()),
        }
    }
}

impl Fault {
    fn error(self) -> io::Error {
        match self {
            Self::Full | Self::Short => io::ErrorKind::StorageFull.into(),
            Self::Io | Self::Killed => io::Error::other("an error of the disk"),
        }
    }
}

impl Content {
    fn after_power_loss(&self, choice: u64, random: &mut Random) -> Self {
        let bytes = match choice {
            _ if self.bytes == self.synced => self.bytes.clone(),
            0 => self.synced.clone(),
            1 if !self.given_up => self.bytes.clone(),
            _ => {
                let (short, long) = (self.bytes.len().min(self.synced.len()), self.bytes.len().max(self.synced.len()));
                let length = [short, long, short + random.below(long - short + 1)][random.below(3)];
                let mut mixed = vec![0; length];
                // Pages of 64 bytes, each with its old or its new content; one that did not exist may be zero.
                for start in (0..length).step_by(64) {
                    let end = length.min(start + 64);
                    let source = if random.below(2) == 0 { &self.bytes } else { &self.synced };
                    let end = end.min(source.len().max(start));
                    if start < end {
                        mixed[start..end].copy_from_slice(&source[start..end]);
                    }
                    let rest = start.max(end)..length.min(start + 64);
                    for at in rest.filter(|at| *at < short) {
                        mixed[at] = self.synced[at];
                    }
                }
                mixed
            }
        };
        Self { synced: bytes.clone(), bytes, given_up: false }
    }
}

impl Disk {
    fn content(&mut self, name: &str) -> io::Result<&mut Content> {
        let content = *self.names.get(name).ok_or(io::ErrorKind::NotFound)?;
        Ok(&mut self.contents[content])
    }
}

impl Files for FaultyFiles {
    fn append(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let (mut disk, fault) = self.call();
        if matches!(fault, Some(Fault::Full | Fault::Io)) {
            return Err(fault.expect("a fault").error());
        }
        if !disk.names.contains_key(name) {
            let content = disk.contents.len();
            disk.contents.push(Content::default());
            disk.names.insert(name.to_owned(), content);
            disk.changes.push(Change::Created(name.to_owned(), content));
        }
        let part = if fault.is_some() { bytes.len() / 2 } else { bytes.len() };
        disk.content(name)?.bytes.extend_from_slice(&bytes[..part]);
        fault.map_or(Ok(()), |fault| Err(fault.error()))
    }

    fn read_at(&self, name: &str, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut disk = self.whole_call()?;
        let bytes = &disk.content(name)?.bytes;
        let rest = usize::try_from(offset).ok().and_then(|offset| bytes.get(offset..)).unwrap_or_default();
        let read = rest.len().min(buffer.len());
        buffer[..read].copy_from_slice(&rest[..read]);
        Ok(read)
    }

    fn len(&self, name: &str) -> io::Result<Option<u64>> {
        Ok(self.whole_call()?.content(name).ok().map(|content| content.bytes.len() as u64))
    }

    fn truncate(&self, name: &str, len: u64) -> io::Result<()> {
        let mut disk = self.whole_call()?;
        let content = disk.content(name)?;
        content.bytes.resize(usize::try_from(len).expect("a short file"), 0);
        // Dropped writes are cut off, and the system treats later ones as new.
        content.given_up &= len > content.synced.len() as u64;
        Ok(())
    }

    fn sync(&self, name: &str) -> io::Result<()> {
        let (mut disk, fault) = self.call();
        let content = disk.content(name)?;
        match fault {
            Some(fault) => {
                content.given_up = true;
                Err(fault.error())
            }
            None => {
                if !content.given_up {
                    content.synced.clone_from(&content.bytes);
                }
                Ok(())
            }
        }
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let mut disk = self.whole_call()?;
        let content = disk.names.remove(from).ok_or(io::ErrorKind::NotFound)?;
        disk.names.insert(to.to_owned(), content);
        disk.changes.push(Change::Renamed(from.to_owned(), to.to_owned(), content));
        Ok(())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let mut disk = self.whole_call()?;
        let content = disk.names.remove(name).ok_or(io::ErrorKind::NotFound)?;
        disk.changes.push(Change::Removed(name.to_owned(), content));
        Ok(())
    }

    fn sync_folder(&self) -> io::Result<()> {
        let mut disk = self.whole_call()?;
        disk.synced_names = disk.names.clone();
        disk.changes.clear();
        Ok(())
    }

    fn names(&self) -> io::Result<Vec<String>> {
        Ok(self.whole_call()?.names.keys().cloned().collect())
    }
}
