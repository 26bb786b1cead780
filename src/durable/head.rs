//! The first bytes of every binary file: kind, format, and run.

use super::files::Files;
use super::identity::{RunId, VERSION};
use super::trouble::Trouble;

/// The length of a head.
pub(crate) const HEAD_BYTES: usize = 48;

/// The first bytes of all kinds of heads.
pub(super) const MARK: &[u8] = b"bchk ";
/// The kinds of files.
pub(crate) const LOG: [u8; 8] = *b"bchk log";
pub(crate) const RUN: [u8; 8] = *b"bchk run";
pub(crate) const RESERVE: [u8; 8] = *b"bchk rsv";

/// Magic, version, zero, run.
pub(crate) fn head(kind: [u8; 8], run: RunId) -> [u8; HEAD_BYTES] {
    let mut head = [0; HEAD_BYTES];
    head[..8].copy_from_slice(&kind);
    head[8..12].copy_from_slice(&VERSION.to_le_bytes());
    head[16..].copy_from_slice(&run.0);
    head
}

/// Refuses a file with another head.
pub(crate) fn check_head(files: &dyn Files, name: &str, kind: [u8; 8], run: RunId) -> Result<(), Trouble> {
    let mut found = [0; HEAD_BYTES];
    let read = files.read_at(name, 0, &mut found).map_err(|error| Trouble::io(name, error))?;
    let expected = head(kind, run);
    if read < HEAD_BYTES {
        return Err(Trouble::damaged(name, read as u64, "it ends within its head"));
    }
    if found[..8] != expected[..8] {
        return Err(Trouble::damaged(name, 0, "it does not begin as such a file does"));
    }
    // Before the run: where another version stores its run is not known here.
    let version = u32::from_le_bytes(found[8..12].try_into().expect("four bytes"));
    if version != VERSION {
        return Err(Trouble::OtherVersion { found: version });
    }
    if found[12..16] != expected[12..16] {
        return Err(Trouble::damaged(name, 12, "bytes that are always zero are not"));
    }
    if found[16..] != expected[16..] {
        return Err(Trouble::OtherRun { file: name.to_owned() });
    }
    Ok(())
}

/// Whether a file that begins so is one of ours, of whatever kind and version.
pub(super) fn is_of_checkpoint(start: &[u8]) -> bool {
    start.starts_with(MARK)
}
