//! Whether a path denotes something virtual: an open stream, a device, data about processes.
//!
//! A machine names files, and its text may come from anywhere: `"/dev/stdin"` would consume what an editor or a user types, and
//! `/proc/self/environ` would reveal secrets in a message. Invariant: every link on the path is resolved separately, so none hides its
//! target. Deliberately elsewhere: paths of the command line, which may be such streams (`files`).

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// The limit on symbolic links followed, as on Linux.
const MOST_LINKS: usize = 40;
/// Folders without files of users.
const OF_SYSTEM: [&str; 3] = ["/dev", "/proc", "/sys"];
/// The exception, in memory.
const OF_USERS: &str = "/dev/shm";

/// Whether this path, which need not exist, is below such a folder.
pub(crate) fn is_of_system(path: &Path) -> bool {
    let Ok(whole) = std::path::absolute(path) else { return true };
    let (mut reached, mut rest) = (PathBuf::new(), parts(&whole));
    let mut links = 0;
    while let Some(part) = rest.pop_front() {
        if part == ".." {
            reached.pop();
        } else {
            reached.push(&part);
        }
        if OF_SYSTEM.iter().any(|folder| reached.starts_with(folder)) && !reached.starts_with(OF_USERS) && reached != Path::new("/dev") {
            return true;
        }
        if let Ok(target) = std::fs::read_link(&reached) {
            links += 1;
            if links > MOST_LINKS {
                return true;
            }
            reached.pop();
            // An absolute path begins with the root, which replaces the path resolved so far.
            for part in parts(&target).into_iter().rev() {
                rest.push_front(part);
            }
        }
    }
    false
}

fn parts(path: &Path) -> VecDeque<OsString> {
    path.components().filter(|part| *part != Component::CurDir).map(|part| part.as_os_str().to_owned()).collect()
}

/// Why such a path is not read.
pub(crate) const REFUSAL: &str = "it is not a file but a part of the system (below /dev, /proc or /sys), and a machine may name files only";

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn whatever_leads_to_the_system_is_noticed() {
        let folder = tempfile::tempdir().expect("a folder");
        let inside = folder.path().join("a.def");
        std::fs::write(&inside, "DEFINITIONS a == 1").expect("written");
        let (input, process, up, loops) = ("input.def", "process", "up.def", "loops.def");
        symlink("/dev/stdin", folder.path().join(input)).expect("a link");
        symlink("/proc/self", folder.path().join(process)).expect("a link");
        symlink("a.def", folder.path().join("near.def")).expect("a link");
        symlink(loops, folder.path().join(loops)).expect("a link");
        let depth = "../".repeat(40);
        symlink(format!("{depth}dev/fd/0"), folder.path().join(up)).expect("a link");
        let of_system = ["/dev/stdin", "/dev/fd/0", "/dev/fd/../fd/63", "/proc/self/environ", "/proc/1/fd/0", "/dev/../proc/self/fd/0"];
        for path in of_system {
            assert!(is_of_system(Path::new(path)), "{path}");
        }
        for name in [input.to_owned(), format!("{process}/environ"), up.to_owned(), loops.to_owned(), format!("{depth}dev/tty")] {
            assert!(is_of_system(&folder.path().join(&name)), "{name}");
        }
        for path in
            [inside, folder.path().join("near.def"), folder.path().join("none.def"), "/dev/shm/m.mch".into(), "/devices/m.mch".into()]
        {
            assert!(!is_of_system(&path), "{}", path.display());
        }
    }
}
