//! The file that a path of the command line denotes, all links followed; and whether two paths denote the same file.
//!
//! Invariant: two paths have equal identities if writing to one of them changes what is read from the other, be it through symbolic links,
//! hard links or another spelling. Deliberately elsewhere: writing (`output`).

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// The limit on symbolic links followed, as on Linux.
const MOST_LINKS: usize = 40;

/// The kind of output that a path denotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Destination {
    /// The standard output: `-`, `/dev/stdout` and the like.
    Stdout,
    /// A path without persistent content: a FIFO, a device, an open descriptor.
    Stream(PathBuf),
    /// A regular file, possibly a new one; no component of this path is a link.
    File(PathBuf),
}

/// The identity of a file: equal for two paths to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Identity {
    /// The standard output.
    Stdout,
    /// An existing file, by its device and inode number.
    #[cfg(unix)]
    Inode(u64, u64),
    /// The full path of a file that does not exist yet; on other systems than Unix, of any file.
    Path(PathBuf),
}

impl Destination {
    /// Follows a path. The folder must exist, the file need not.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        if path == Path::new("-") {
            return Ok(Self::Stdout);
        }
        let mut path = path.to_owned();
        for _ in 0..=MOST_LINKS {
            // Tested before each step: `/proc/self/fd/3` is itself a link, and following it would reach the file behind the descriptor.
            if let Some(number) = descriptor(&path) {
                return Ok(if number == "1" { Self::Stdout } else { Self::Stream(path) });
            }
            match fs::symlink_metadata(&path) {
                Ok(found) if found.is_symlink() => {
                    // A relative target is relative to the folder of the link; `join` lets an absolute one replace it.
                    let target = fs::read_link(&path)?;
                    path = folder_of(&path).join(target);
                }
                Ok(found) if found.is_file() => return full_path(&path).map(Self::File),
                Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
                // A FIFO or a device: there is no content to lose, and nothing to rename.
                Ok(_) => return Ok(Self::Stream(path)),
                // A new file, possibly at the end of a dangling link: then the link's target is created, and the link stays a link.
                Err(error) if error.kind() == io::ErrorKind::NotFound => return full_path(&path).map(Self::File),
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::other("too many levels of symbolic links"))
    }

    /// The identity of the destination; `None` if several outputs may share it.
    pub(crate) fn identity(&self) -> Option<Identity> {
        match self {
            Self::Stdout => Some(Identity::Stdout),
            Self::Stream(path) => identity(path),
            // The path itself if the file does not exist yet: `full_path` normalises all of its spellings.
            Self::File(path) => identity(path).or_else(|| Some(Identity::Path(path.clone()))),
        }
    }
}

/// The identity of an existing file; `None` for a device, whose content cannot be read back.
pub(crate) fn identity(path: &Path) -> Option<Identity> {
    let found = fs::metadata(path).ok()?;
    if is_device(&found) {
        return None;
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        Some(Identity::Inode(found.dev(), found.ino()))
    }
    #[cfg(not(unix))]
    fs::canonicalize(path).ok().map(Identity::Path)
}

#[cfg(unix)]
fn is_device(found: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    let kind = found.file_type();
    kind.is_char_device() || kind.is_block_device()
}

#[cfg(not(unix))]
fn is_device(found: &Metadata) -> bool {
    !found.is_file() && !found.is_dir()
}

/// The folder of a path; the current one for a name without folder.
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The path of a file, which need not exist, without links in it.
fn full_path(path: &Path) -> io::Result<PathBuf> {
    // `out/` denotes a folder, though `file_name` would return `out`.
    let ends_in_separator = path.as_os_str().as_encoded_bytes().last().is_some_and(|byte| std::path::is_separator(char::from(*byte)));
    match path.file_name() {
        // Only the folder must exist to be resolved. The last component is not a link: `of` has followed all links.
        Some(name) if !ends_in_separator => Ok(fs::canonicalize(folder_of(path))?.join(name)),
        _ => Err(io::ErrorKind::IsADirectory.into()),
    }
}

/// The number of the open descriptor denoted by a path such as `/dev/fd/3`. Opening a regular file through such a path would truncate it
/// and write from its beginning, so these paths are never resolved to their files.
fn descriptor(path: &Path) -> Option<&str> {
    let number = path.file_name()?.to_str().filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()))?;
    let folder = fs::canonicalize(folder_of(path)).ok()?;
    // On Linux `/dev/fd` is a link to `/proc/self/fd`, on other systems an actual folder.
    let is_open_files = folder == Path::new("/dev/fd") || (folder.starts_with("/proc") && folder.ends_with("fd"));
    is_open_files.then_some(number)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_followed_to_the_file_that_they_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = fs::canonicalize(folder.path()).expect("the folder");
        fs::create_dir(root.join("real")).expect("a folder");
        fs::write(root.join("real/a"), "text").expect("a file");
        symlink("real", root.join("folder")).expect("a link");
        symlink("folder/a", root.join("link")).expect("a link");
        symlink("real/none", root.join("dangling")).expect("a link");
        symlink("loop", root.join("loop")).expect("a link");
        let at = |name: &str| Destination::of(&root.join(name));
        for name in ["real/a", "folder/a", "link", "real/../link"] {
            assert_eq!(at(name).expect("a file"), Destination::File(root.join("real/a")), "{name}");
        }
        assert_eq!(at("dangling").expect("a place"), Destination::File(root.join("real/none")));
        assert_eq!(at("folder/new").expect("a place"), Destination::File(root.join("real/new")));
        for name in ["loop", "none/a", "real", "new/"] {
            assert!(at(name).is_err(), "{name} cannot be the path of a file");
        }
    }

    #[test]
    fn a_hard_link_is_the_same_file_and_a_copy_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::write(at("a"), "text").expect("a file");
        fs::copy(at("a"), at("copy")).expect("a copy");
        fs::hard_link(at("a"), at("link")).expect("a link");
        assert_eq!(identity(&at("a")), identity(&at("link")));
        assert_ne!(identity(&at("a")), identity(&at("copy")));
        assert_eq!(identity(&at("none")), None);
    }

    #[test]
    fn streams_are_distinguished_from_files() {
        assert_eq!(Destination::of(Path::new("-")).expect("stdout"), Destination::Stdout);
        assert_eq!(Destination::of(Path::new("/dev/null")).expect("a device"), Destination::Stream("/dev/null".into()));
        assert_eq!(Destination::Stream("/dev/null".into()).identity(), None);
        #[cfg(target_os = "linux")]
        assert_eq!(Destination::of(Path::new("/dev/stdout")).expect("stdout"), Destination::Stdout);
    }
}
