//! The folder of one run: its lock, its reserve of room, and the atomic replacement of its manifest.
//!
//! | file | what it is |
//! |---|---|
//! | `lock` | locked while a process writes the folder; holds the process id |
//! | `reserve` | 1 MiB that is given back to the disk when it is full, as room for another manifest |
//! | `manifest`, `manifest.before` | the last two manifests |
//! | `manifest.new` | one that is being written |
//!
//! A commit writes and synchronises `manifest.new`, renames `manifest` to `manifest.before` and `manifest.new` to `manifest`, and
//! synchronises the folder. A loss of power may undo any of these renames, in any order; since manifests are numbered, the reader takes
//! the greatest number among the three files, and whichever renames took place, that is the new manifest or the one before it.

use super::files::{Files, RealFiles, process_in, write_process};
use super::head::{HEAD_BYTES, MARK, RESERVE, head, is_of_checkpoint};
pub use super::identity::RunId;
use super::manifest::{self, Manifest};
use super::quota::Quota;
use super::trouble::Trouble;
use std::fs::{File, TryLockError};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// The folder itself, in messages about its files.
const FOLDER: &str = ".";
const LOCK: &str = "lock";
const RESERVE_NAME: &str = "reserve";
const RESERVE_BYTES: usize = 1 << 20;
const CURRENT: &str = "manifest";
const BEFORE: &str = "manifest.before";
const NEW: &str = "manifest.new";

/// The state of the manifests in the folder.
#[derive(Clone, Copy)]
struct Known {
    /// The greatest number of a manifest.
    generation: u64,
    /// The file with the valid manifest, if there is one.
    standing: Option<&'static str>,
    /// Whether `manifest` is worth keeping when it is replaced.
    keep_current: bool,
}

/// The files of a run. Writing it needs the lock, which `create` and `open` take and which ends with the value.
pub struct Folder {
    files: Box<dyn Files>,
    run: RunId,
    /// `None` before the manifests were read, and after a commit that failed: then they are read again.
    known: Mutex<Option<Known>>,
    _lock: Option<File>,
}

impl Folder {
    /// Makes a new folder, or takes an empty one. Files left by a run that ended before its first manifest are removed.
    pub fn create(path: &Path, run: RunId) -> Result<Self, Trouble> {
        let io = |error| Trouble::io(&path.display().to_string(), error);
        RealFiles::make_folder(path).map_err(io)?;
        let files = RealFiles::new(path.to_owned());
        left_over(path, &files)?;
        let lock = lock(path)?;
        // Again, since another process may have written a checkpoint before the lock was taken.
        for name in left_over(path, &files)?.iter().filter(|name| *name != LOCK) {
            files.remove(name).map_err(|error| Trouble::io(name, error))?;
        }
        let folder = Self { _lock: Some(lock), ..Self::with_files(Box::new(files), run) };
        folder.reserve()?;
        Ok(folder)
    }

    /// Creates the folder that contains those of several processes, or takes an existing one; returns whether it is empty.
    pub fn around(path: &Path) -> Result<bool, Trouble> {
        let io = |error| Trouble::io(&path.display().to_string(), error);
        RealFiles::make_folder(path).map_err(io)?;
        Ok(std::fs::read_dir(path).map_err(io)?.next().is_none())
    }

    /// Opens the folder of a run, to continue it.
    pub fn open(path: &Path) -> Result<Self, Trouble> {
        // Before anything is written there.
        Self::look(path)?;
        let lock = lock(path)?;
        let folder = Self { _lock: Some(lock), ..Self::look(path)? };
        folder.reserve()?;
        Ok(folder)
    }

    /// Opens the folder of a run only for reading, whether or not another process writes it.
    pub fn look(path: &Path) -> Result<Self, Trouble> {
        let files = RealFiles::new(path.to_owned());
        if let Err(error) = files.names() {
            return Err(Trouble::io(&path.display().to_string(), error));
        }
        let run = run_of(&files)?;
        Ok(Self::with_files(Box::new(files), run))
    }

    /// Succeeds if no process writes the folder, else fails as [`Self::open`] would. The lock is held for a moment, during which a run
    /// that wants it finds it taken.
    pub fn is_free(path: &Path) -> Result<(), Trouble> {
        // Opening the lock would create it.
        if !path.join(LOCK).is_file() {
            return Ok(());
        }
        let mut file = RealFiles::lock_file(path, LOCK).map_err(|error| Trouble::io(LOCK, error))?;
        match file.try_lock_shared() {
            Ok(()) => Ok(()),
            Err(TryLockError::WouldBlock) => Err(Trouble::InUse { process: process_in(&mut file) }),
            Err(TryLockError::Error(error)) => Err(Trouble::io(LOCK, error)),
        }
    }

    /// Over any files, without lock and reserve.
    pub fn with_files(files: Box<dyn Files>, run: RunId) -> Self {
        Self { files, run, known: Mutex::new(None), _lock: None }
    }

    /// This folder with a quota: its files of states and runs take at most this many bytes together.
    pub fn within(self, bytes: u64) -> Result<Self, Trouble> {
        let files = Quota::new(self.files, bytes).map_err(|error| Trouble::io(FOLDER, error))?;
        Ok(Self { files: Box::new(files), ..self })
    }

    /// The run that the folder belongs to.
    pub fn run(&self) -> RunId {
        self.run
    }

    /// The files of the folder.
    pub fn files(&self) -> &dyn Files {
        &*self.files
    }

    /// Whether a file exists and has at least this many bytes. An error of the system is not evidence that it has not.
    pub(crate) fn has(&self, file: &str, bytes: u64) -> Result<bool, Trouble> {
        let found = self.files.len(file).map_err(|error| Trouble::io(file, error))?;
        Ok(found.is_some_and(|found| found >= bytes))
    }

    /// Replaces the manifest. All files that the new one names must have been synchronised. After an error, one of the two is valid.
    pub fn commit(&self, text: &[u8]) -> Result<(), Trouble> {
        let mut state = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        // Taken out: whatever fails below, the next commit reads the manifests again instead of relying on the intended state.
        let known = match state.take() {
            Some(known) => known,
            None => self.candidates()?.known(self.run),
        };
        if known.standing == Some(NEW) {
            // A commit ended between its renames: they are done first, since the file is needed.
            self.replace(known.keep_current)?;
        }
        let generation = known.generation.saturating_add(1);
        let written = self.write_new(&manifest::encode(self.run, generation, text));
        if written.is_err() {
            // Complete or not, it must not be taken for a commit; if this fails too, its checksum or number decides.
            let _ = self.files.truncate(NEW, 0);
        }
        written?;
        self.replace(known.keep_current || known.standing == Some(NEW))?;
        *state = Some(Known { generation, standing: Some(CURRENT), keep_current: true });
        Ok(())
    }

    fn write_new(&self, bytes: &[u8]) -> Result<(), Trouble> {
        let write = || {
            if self.files.len(NEW)?.is_some() {
                self.files.truncate(NEW, 0)?;
            }
            self.files.append(NEW, bytes)?;
            // Before the renames: a loss of power may preserve the new name but not unsynchronised content.
            self.files.sync(NEW)
        };
        write().map_err(|error| Trouble::io(NEW, error))
    }

    /// The renames of a commit; without the first if `manifest` is damaged, so that the one before it stays.
    fn replace(&self, keep_current: bool) -> Result<(), Trouble> {
        if keep_current {
            self.files.rename(CURRENT, BEFORE).map_err(|error| Trouble::io(CURRENT, error))?;
        }
        // A crash between the two leaves `manifest.new`, which is complete and has the greatest number: the reader takes it.
        self.files.rename(NEW, CURRENT).map_err(|error| Trouble::io(NEW, error))?;
        self.files.sync_folder().map_err(|error| Trouble::io(CURRENT, error))
    }

    /// The newest manifest whose checksum holds, whose run is the folder's and of which `stands` reports that its files have at least the
    /// lengths it names; and whether it is an older one, because a later commit is damaged.
    ///
    /// An error of the system skips no manifest: reading may succeed another time, and continuing from an older one cuts off what is
    /// newer.
    ///
    /// A caller that continues from an older one cuts the files back and commits it again before anything is appended: else files might
    /// grow until the skipped manifest seems valid.
    pub fn manifest(&self, stands: &dyn Fn(&[u8]) -> Result<bool, Trouble>) -> Result<(Vec<u8>, bool), Trouble> {
        let mut state = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let candidates = self.candidates()?;
        let generation = candidates.known(self.run).generation;
        let mut found = Vec::new();
        let mut newest = None;
        for (name, manifest) in candidates.found.into_iter().filter(|(_, manifest)| manifest.run == self.run) {
            newest.get_or_insert(name);
            if stands(&manifest.text)? {
                found.push((name, manifest));
            }
        }
        let keep_current = found.iter().any(|(name, _)| *name == CURRENT);
        match found.into_iter().next() {
            Some((name, manifest)) => {
                // The greatest number of all, not that of the valid manifest: the next one must also be greater than the skipped ones.
                *state = Some(Known { generation, standing: Some(name), keep_current });
                Ok((manifest.text, name == BEFORE || newest != Some(name)))
            }
            None => Err(match newest {
                Some(name) => Trouble::damaged(name, 0, "it names files that are not there, or are shorter than it says"),
                None => candidates.refusal,
            }),
        }
    }

    /// Removes all files but these, which are those that the last two manifests name. Called after a commit: until then the manifest before
    /// these two may still be needed.
    pub fn keep_only(&self, names: &[&str]) -> Result<(), Trouble> {
        let kept = [LOCK, RESERVE_NAME, CURRENT, BEFORE, NEW];
        let present = self.files.names().map_err(|error| Trouble::io(FOLDER, error))?;
        for name in present.iter().filter(|name| !kept.contains(&&name[..]) && !names.contains(&&name[..])) {
            self.files.remove(name).map_err(|error| Trouble::io(name, error))?;
        }
        Ok(())
    }

    /// Gives the reserve back to the disk. It is made again when the folder is opened.
    pub fn release_reserve(&self) {
        // If removal fails, no space is freed, and the next write reports that.
        let _ = self.files.remove(RESERVE_NAME);
        let _ = self.files.sync_folder();
    }

    fn reserve(&self) -> Result<(), Trouble> {
        let io = |error| Trouble::io(RESERVE_NAME, error);
        if self.files.len(RESERVE_NAME).map_err(io)? == Some(RESERVE_BYTES as u64) {
            return Ok(());
        }
        // Bytes that a file system cannot compress.
        let mut stream = blake3::Hasher::new().finalize_xof();
        let mut bytes = vec![0; RESERVE_BYTES];
        stream.fill(&mut bytes);
        bytes[..HEAD_BYTES].copy_from_slice(&head(RESERVE, self.run));
        let write = || {
            if self.files.len(RESERVE_NAME)?.is_some() {
                self.files.truncate(RESERVE_NAME, 0)?;
            }
            self.files.append(RESERVE_NAME, &bytes)?;
            self.files.sync(RESERVE_NAME)
        };
        write().map_err(|error| {
            let _ = self.files.remove(RESERVE_NAME);
            io(error)
        })
    }

    fn candidates(&self) -> Result<Candidates, Trouble> {
        Candidates::read(&*self.files)
    }
}

/// The manifests of a folder, the newest first; if there is none, the reason.
struct Candidates {
    found: Vec<(&'static str, Manifest)>,
    refusal: Trouble,
}

impl Candidates {
    fn read(files: &dyn Files) -> Result<Self, Trouble> {
        let mut found = Vec::new();
        let mut refusal = Trouble::NotACheckpoint;
        // `manifest` twice: a process that writes the folder may be between its two renames when the first name is looked for, and past
        // them when the second is.
        for name in [CURRENT, NEW, CURRENT, BEFORE] {
            if found.iter().any(|(seen, _)| *seen == name) {
                continue;
            }
            match manifest::read(files, name) {
                Ok(None) => {}
                Ok(Some(manifest)) => found.push((name, manifest)),
                // Reading may succeed another time: no reason to go back to an older one.
                Err(error @ (Trouble::Io { .. } | Trouble::Full { .. })) => return Err(error),
                // A commit that was interrupted does not count.
                Err(_) if name == NEW => {}
                Err(error) if matches!(refusal, Trouble::NotACheckpoint) => refusal = error,
                Err(_) => {}
            }
        }
        // Stable, so that of equal numbers `manifest` comes first.
        found.sort_by_key(|(_, manifest)| std::cmp::Reverse(manifest.generation));
        Ok(Self { found, refusal })
    }

    /// The state assumed by a writer that does not read the manifests.
    fn known(&self, run: RunId) -> Known {
        let own = || self.found.iter().filter(|(_, manifest)| manifest.run == run);
        Known {
            generation: own().map(|(_, manifest)| manifest.generation).max().unwrap_or(0),
            standing: own().next().map(|(name, _)| *name),
            keep_current: own().any(|(name, _)| *name == CURRENT),
        }
    }
}

/// The run whose manifests a folder has.
fn run_of(files: &dyn Files) -> Result<RunId, Trouble> {
    let Candidates { found, refusal } = Candidates::read(files)?;
    // A manifest of another run is there only if somebody copied it; the one that was committed last has the name `manifest`.
    let last = found.iter().find(|(name, _)| *name == CURRENT).or(found.first());
    last.map(|(_, manifest)| manifest.run).ok_or(refusal)
}

fn lock(path: &Path) -> Result<File, Trouble> {
    let io = |error| Trouble::io(LOCK, error);
    let mut file = RealFiles::lock_file(path, LOCK).map_err(io)?;
    match file.try_lock() {
        Ok(()) => {
            // The number is for messages only: a full disk must not keep anybody from continuing.
            let _ = write_process(&mut file);
            Ok(file)
        }
        Err(TryLockError::WouldBlock) => Err(Trouble::InUse { process: process_in(&mut file) }),
        Err(TryLockError::Error(error)) => Err(io(error)),
    }
}

/// Whether a file begins with a mark, or with a part of it and ends there.
fn begins(start: &[u8], mark: &[u8]) -> bool {
    start.starts_with(mark) || mark.starts_with(start)
}

/// The files in a folder, which only a run that ended before its first manifest can have left; otherwise `NotEmpty`.
fn left_over(path: &Path, files: &RealFiles) -> Result<Vec<String>, Trouble> {
    let io = |error| Trouble::io(FOLDER, error);
    let names = files.names().map_err(io)?;
    if RealFiles::has_others(path, &names).map_err(io)? || !Candidates::read(files)?.found.is_empty() {
        return Err(Trouble::NotEmpty);
    }
    for name in &names {
        let mut start = [0; HEAD_BYTES];
        let start = match files.read_at(name, 0, &mut start) {
            Ok(read) => &start[..read],
            // Where a lock prevents others from reading, taking the lock decides.
            Err(_) if name == LOCK => &[],
            Err(error) => return Err(Trouble::io(name, error)),
        };
        let is_ours = match &name[..] {
            // A run that was killed may have written any prefix of these two.
            NEW => begins(start, b"{\"bcheck_checkpoint\":"),
            RESERVE_NAME => begins(start, MARK),
            LOCK => start.iter().all(|byte| byte.is_ascii_digit() || byte.is_ascii_whitespace()),
            _ => is_of_checkpoint(start),
        };
        if !is_ours {
            return Err(Trouble::NotEmpty);
        }
    }
    Ok(names)
}
