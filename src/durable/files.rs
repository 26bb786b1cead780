//! The files of one folder, behind a trait, so that tests can make every call fail.
//!
//! With `cli/io/output.rs` and `cli/io/temporary.rs`, this is the only file that creates, changes or removes files, as
//! `tests/suite/house.rs` tests. Names come from manifests, which may be forged: only plain names within the folder are accepted, and only
//! regular files are opened that have no other name.

use std::collections::HashMap;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The files of one folder, by name; no sub-folders.
pub trait Files: Send + Sync {
    /// Appends to a file, which is created if it is not there. After an error it may have grown by a part of the bytes.
    fn append(&self, name: &str, bytes: &[u8]) -> io::Result<()>;
    /// Reads bytes from the offset on; fewer than requested only at the end of the file.
    fn read_at(&self, name: &str, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;
    /// The length in bytes; `None` if there is no such file.
    fn len(&self, name: &str) -> io::Result<Option<u64>>;
    /// Cuts a file off.
    fn truncate(&self, name: &str, len: u64) -> io::Result<()>;
    /// Returns when the content of the file would survive a loss of power; its name may need [`Files::sync_folder`].
    fn sync(&self, name: &str) -> io::Result<()>;
    /// Renames a file, and replaces the one that has the name already.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;
    /// Removes the file with this name.
    fn remove(&self, name: &str) -> io::Result<()>;
    /// Returns when the names of files would survive a loss of power.
    fn sync_folder(&self) -> io::Result<()>;
    /// The names of all files, sorted.
    fn names(&self) -> io::Result<Vec<String>>;
}

/// The longest name that is accepted.
const NAME_BYTES: usize = 64;

/// A folder of the file system. Its files are created with mode 0600 where there are modes.
pub(crate) struct RealFiles {
    path: PathBuf,
    /// Handles of the files that are appended to. A file that is only read is opened for each call, since readers request large parts.
    appended: Mutex<HashMap<String, Arc<File>>>,
}

impl RealFiles {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, appended: Mutex::default() }
    }

    /// Makes the folder, for its owner only, unless it is there.
    pub(super) fn make_folder(path: &Path) -> io::Result<()> {
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        match builder.create(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
            Err(error) => Err(error),
            Ok(()) => {
                let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
                // Not every system can; then the folder is as durable as the system makes it.
                let _ = synchronise_folder(parent);
                Ok(())
            }
        }
    }

    /// Whether there is anything but the files with these names.
    pub(super) fn has_others(path: &Path, names: &[String]) -> io::Result<bool> {
        for entry in fs::read_dir(path)? {
            let name = entry?.file_name();
            if !name.to_str().is_some_and(|name| names.iter().any(|listed| listed == name)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Opens the file of the lock, for this process to lock it.
    pub(super) fn lock_file(path: &Path, name: &str) -> io::Result<File> {
        let path = path.join(name);
        only_regular(&path)?;
        private().read(true).write(true).create(true).truncate(false).open(path)
    }

    fn path(&self, name: &str) -> io::Result<PathBuf> {
        let plain = |letter: u8| letter.is_ascii_alphanumeric() || b"-_.".contains(&letter);
        if name.is_empty() || name.len() > NAME_BYTES || name.starts_with('.') || !name.bytes().all(plain) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not the name of a file of a checkpoint"));
        }
        Ok(self.path.join(name))
    }

    fn appended(&self) -> MutexGuard<'_, HashMap<String, Arc<File>>> {
        // Handles are added and removed as a whole, so a panic elsewhere leaves them usable.
        self.appended.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn for_appending(&self, name: &str) -> io::Result<Arc<File>> {
        let mut appended = self.appended();
        if let Some(file) = appended.get(name) {
            return Ok(Arc::clone(file));
        }
        let path = self.path(name)?;
        only_regular(&path)?;
        let file = Arc::new(private().read(true).append(true).create(true).open(path)?);
        appended.insert(name.to_owned(), Arc::clone(&file));
        Ok(file)
    }

    /// A handle to read from, or to change the length or the durability of a file that must be there.
    fn existing(&self, name: &str, options: &mut OpenOptions) -> io::Result<Arc<File>> {
        if let Some(file) = self.appended().get(name) {
            return Ok(Arc::clone(file));
        }
        let path = self.path(name)?;
        only_regular(&path)?;
        options.open(path).map(Arc::new)
    }
}

impl Files for RealFiles {
    fn append(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.for_appending(name)?.as_ref().write_all(bytes)
    }

    fn read_at(&self, name: &str, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let file = self.existing(name, OpenOptions::new().read(true))?;
        let mut filled = 0;
        while filled < buffer.len() {
            match read_some(&file, offset + filled as u64, &mut buffer[filled..]) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }

    fn len(&self, name: &str) -> io::Result<Option<u64>> {
        match fs::symlink_metadata(self.path(name)?) {
            Ok(found) if found.is_file() && has_other_names(&found) => Err(linked()),
            Ok(found) if found.is_file() => Ok(Some(found.len())),
            Ok(_) => Err(not_regular()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn truncate(&self, name: &str, len: u64) -> io::Result<()> {
        self.existing(name, OpenOptions::new().write(true))?.set_len(len)
    }

    fn sync(&self, name: &str) -> io::Result<()> {
        // The data and the length; times may be lost.
        // By the handle that was written to, if there is one: an error of writing back is reported to handles that were open then.
        self.existing(name, OpenOptions::new().write(true))?.sync_data()
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let (source, target) = (self.path(from)?, self.path(to)?);
        // Handles are stored by name, and a handle follows its file: under either name it would be that of another file.
        let mut appended = self.appended();
        appended.remove(from);
        appended.remove(to);
        fs::rename(source, target)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let path = self.path(name)?;
        // Else the next file of this name would be written through the old handle, into a file without a name.
        self.appended().remove(name);
        fs::remove_file(path)
    }

    fn sync_folder(&self) -> io::Result<()> {
        synchronise_folder(&self.path)
    }

    fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            // A file with another kind of name is not ours, and is left alone.
            if let Ok(name) = entry.file_name().into_string()
                && self.path(&name).is_ok()
                && entry.file_type()?.is_file()
            {
                names.push(name);
            }
        }
        names.sort();
        Ok(names)
    }
}

/// Options for files that only their owner may read.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Refuses anything but a regular file: a link would point out of the folder, opening a pipe would block. A check before opening helps
/// against forged names and accidents, not against somebody who changes the folder at the same moment.
fn only_regular(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if !found.is_file() => Err(not_regular()),
        Ok(found) if has_other_names(&found) => Err(linked()),
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Whether a file has other names (hard links), by which it may lie outside of the folder: writing to it would change it there.
#[cfg(unix)]
fn has_other_names(found: &fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(found) > 1
}

#[cfg(not(unix))]
fn has_other_names(_: &fs::Metadata) -> bool {
    false
}

fn linked() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "it has another name elsewhere (a hard link); copy the folder with copies of its files")
}

fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")
}

#[cfg(unix)]
fn read_some(file: &File, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

#[cfg(windows)]
fn read_some(file: &File, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
}

#[cfg(unix)]
fn synchronise_folder(path: &Path) -> io::Result<()> {
    match File::open(path)?.sync_all() {
        // Network file systems may lack this call: their names are durable without it, or never.
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
        done => done,
    }
}

#[cfg(not(unix))]
fn synchronise_folder(_: &Path) -> io::Result<()> {
    // Windows has no call for it; its file systems log changes of names.
    Ok(())
}

/// Leaves the number of this process in the file of its lock.
pub(super) fn write_process(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "{}", std::process::id())
}

/// The number in the file of a lock that another process holds.
pub(super) fn process_in(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.take(16).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}
