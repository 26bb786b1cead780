//! Files beside a machine that are not machines: sources of its pictures.
//!
//! Invariant: only regular files below the folder of the machine are read, links followed first, up to a size. Deliberately elsewhere:
//! their contents (`pictures::states`, `pictures::visb_files`), files of B (`project`).

use crate::io::files;
use crate::io::system_path::{REFUSAL, is_of_system};
use crate::project::full_path;
use std::path::Path;

/// The bytes of a file below a folder, links followed first; `None` if there is no such file.
pub(crate) fn read_below(folder: &Path, path: &str) -> Result<Option<Vec<u8>>, String> {
    let folder = full_path(if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    // Machines written on Windows have backslashes in paths.
    let wanted = folder.join(path.replace('\\', "/"));
    if is_of_system(&wanted) {
        return Err(REFUSAL.to_owned());
    }
    if !wanted.exists() {
        return Ok(None);
    }
    let wanted = full_path(&wanted);
    if !wanted.starts_with(&folder) {
        return Err("it is not below the folder of the machine".to_owned());
    }
    files::read_image(&wanted).map(Some)
}
