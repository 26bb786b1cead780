//! Files and folders that do not outlive the process unless they are renamed: outputs until they are complete, and scratch space.
//!
//! Invariant: each is removed when its value is dropped, also by a panic, and by [`remove_all`] before the process exits at once. Only a
//! process that is killed leaves one behind; its name contains that of the target, `bcheck`, and the process id. Together with `output`,
//! and `durable` for checkpoints, this is the only file that creates, renames or removes files (`tests/suite/house.rs`).

use crate::io::files::plain;
use crate::io::link_target::folder_of;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The number of temporary names tried: leftovers of crashed processes may occupy some.
const MOST_NAMES: usize = 1_000;
/// The most bytes of a target's name in that of its temporary file: most file systems allow 255 bytes for a whole name.
const NAME_BYTES: usize = 100;

/// The paths of all existing temporary files and folders.
static ALL: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn all() -> MutexGuard<'static, Vec<PathBuf>> {
    // Paths are added and removed as a whole, so a panic elsewhere leaves the list consistent.
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes all, before the process ends without running destructors.
pub(crate) fn remove_all() {
    all().drain(..).for_each(|path| remove(&path));
}

fn remove(path: &Path) {
    // A file that cannot be removed stays, under a name that explains it.
    let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
}

/// A temporary file or folder.
#[derive(Debug)]
pub(crate) struct Temporary {
    path: PathBuf,
}

impl Temporary {
    fn new(path: PathBuf) -> Self {
        all().push(path.clone());
        Self { path }
    }

    /// Renames the file to its target; on failure it stays, because its content is complete, and the error names its path.
    pub(crate) fn rename(self, target: &Path) -> Result<(), (io::Error, PathBuf)> {
        let renamed = fs::rename(&self.path, target);
        // Removed from the list only after the rename: if the process exits in between, the old name no longer exists, and nothing is
        // removed. The destructor does not find it on the list, and keeps the file.
        all().retain(|path| *path != self.path);
        renamed.map_err(|error| (error, self.path.clone()))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let mut all = all();
        if let Some(at) = all.iter().position(|path| *path == self.path) {
            all.swap_remove(at);
            remove(&self.path);
        }
    }
}

/// Creates a folder for outputs, unless it exists.
pub(crate) fn make_folder(path: &Path) -> Result<(), String> {
    match fs::create_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(format!("{} is a file, not a folder", path.display())),
        made => made.map_err(|error| format!("cannot make the folder {}: {}", path.display(), plain(&error))),
    }
}

/// Creates a file beside another one, with that one's owner and permissions if it exists.
pub(crate) fn create_beside(target: &Path) -> io::Result<(File, Temporary)> {
    let existing = match fs::metadata(target) {
        Ok(existing) => Some(existing),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let mut options = OpenOptions::new();
    options.write(true);
    if existing.is_some() {
        // Opened without truncation, to learn whether it may be written: a rename only requires permissions on the folder, and would
        // replace a protected file.
        options.open(target)?;
    }
    options.create_new(true);
    #[cfg(unix)]
    if existing.is_some() {
        use std::os::unix::fs::OpenOptionsExt;
        // The file must not be readable by more people than the target, not even for a moment: private until it gets the owner and mode of
        // the target below.
        options.mode(0o600);
    }
    let (file, temporary) = create_first_free(target, |path| options.open(path)).map_err(|error| match error.kind() {
        io::ErrorKind::PermissionDenied => {
            let folder = folder_of(target).display();
            io::Error::other(format!("its folder {folder}, where its temporary file belongs, may not be written: permission denied"))
        }
        _ => error,
    })?;
    if let Some(existing) = &existing {
        // Owner before mode: Unix clears the set-user-id bits when a file changes its owner.
        keep_owner(&file, existing);
        // A file system without permissions has none to preserve.
        let _ = file.set_permissions(existing.permissions());
    }
    Ok((file, temporary))
}

/// Gives a file the owner and group of another one, as far as permitted: only root can give files away.
#[cfg(unix)]
fn keep_owner(file: &File, existing: &Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};
    let (user, group) = (existing.uid(), existing.gid());
    if file.metadata().is_ok_and(|own| (own.uid(), own.gid()) != (user, group)) && fchown(file, Some(user), Some(group)).is_err() {
        let _ = fchown(file, None, Some(group));
    }
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &Metadata) {}

/// Creates a file or folder beside a path, under the first of its temporary names that is free.
fn create_first_free<T>(target: &Path, create: impl Fn(&Path) -> io::Result<T>) -> io::Result<(T, Temporary)> {
    let name = target.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    // The longest prefix within the limit that does not cut a character in two; 0 always is a boundary.
    let end = (0..=NAME_BYTES.min(name.len())).rev().find(|end| name.is_char_boundary(*end)).unwrap_or(0);
    let mut last = io::ErrorKind::AlreadyExists.into();
    for attempt in 0..MOST_NAMES {
        // The leading dot hides it from patterns such as `*.json`, by which others may look for reports meanwhile.
        let path = folder_of(target).join(format!(".{}.bcheck-{}-{attempt}.tmp", &name[..end], std::process::id()));
        match create(&path) {
            // `create` creates the file or fails in one step, so no other process can interfere between test and creation.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = error,
            created => return created.map(|created| (created, Temporary::new(path))),
        }
    }
    Err(last)
}

/// Creates a folder that nobody else can enter.
fn make_private(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// A folder for files that only this process needs.
#[derive(Debug)]
pub(crate) struct Scratch(Temporary);

impl Scratch {
    /// Creates a folder for files of this name in the system's folder for temporary files.
    pub(crate) fn new(name: &str) -> Result<Self, String> {
        let folder = std::env::temp_dir();
        match create_first_free(&folder.join(name), make_private) {
            Ok(((), folder)) => Ok(Self(folder)),
            Err(error) => Err(format!("cannot make a folder in {} (TMPDIR chooses another): {}", folder.display(), plain(&error))),
        }
    }

    /// Its path.
    pub(crate) fn folder(&self) -> &Path {
        &self.0.path
    }

    /// The path of a file in it.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.path.join(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scratch_folder_goes_with_its_value() {
        let scratch = Scratch::new("suite").expect("a folder");
        let file = scratch.file("1.sarif");
        fs::write(&file, "{}").expect("written");
        drop(scratch);
        assert!(!file.exists() && !folder_of(&file).exists());
    }

    #[test]
    fn a_file_that_was_renamed_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("r.txt");
        let (_, temporary) = create_beside(&target).expect("created");
        let name = temporary.path.file_name().expect("a name").to_string_lossy().into_owned();
        assert!(name.starts_with(".r.txt.bcheck-") && name.ends_with(".tmp"), "{name}");
        temporary.rename(&target).expect("renamed");
        assert!(target.exists() && fs::read_dir(folder.path()).expect("a folder").count() == 1);
    }

    #[test]
    fn what_cannot_be_renamed_is_kept_and_reported() {
        let folder = tempfile::tempdir().expect("a folder");
        let (_, temporary) = create_beside(&folder.path().join("r.txt")).expect("created");
        let (_, place) = temporary.rename(&folder.path().join("none").join("r.txt")).expect_err("no such folder");
        assert!(place.exists(), "the content is complete");
    }

    #[test]
    fn a_panic_removes_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("r.txt");
        let panicked = std::panic::catch_unwind(|| {
            let _temporary = create_beside(&target).expect("created");
            assert!(target.exists(), "the target is not there, so this panics");
        });
        assert!(panicked.is_err() && fs::read_dir(folder.path()).expect("a folder").count() == 0);
    }
}
