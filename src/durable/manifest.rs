//! Manifests as files: a line about the file, the text of the caller, and a line with the XXH3-64 of all that precedes it.
//!
//! ```text
//! {"bcheck_checkpoint":2,"run":"5d0f…","generation":7}
//! {"states": …}
//! 7c0a3b5e9d214f68
//! ```
//!
//! The last line means the same in every version: it distinguishes a manifest of another version from a damaged one.

use super::files::Files;
use super::identity::{RunId, VERSION};
use super::trouble::Trouble;
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use xxhash_rust::xxh3::xxh3_64;

/// A longer file is not a manifest, and is not read.
const MOST_BYTES: u64 = 1 << 28;
/// The hexadecimal digits of the checksum, and the end of the line.
const LAST_LINE: usize = 17;

#[derive(Serialize, Deserialize)]
struct Envelope {
    bcheck_checkpoint: u32,
    // Other versions may name these otherwise.
    #[serde(default)]
    run: String,
    #[serde(default)]
    generation: u64,
}

/// A manifest as it was read.
pub struct Manifest {
    pub(crate) run: RunId,
    /// Each manifest of a folder has a greater one than those before it.
    pub(crate) generation: u64,
    pub(crate) text: Vec<u8>,
}

/// The content of a file with this manifest.
pub fn encode(run: RunId, generation: u64, text: &[u8]) -> Vec<u8> {
    let envelope = Envelope { bcheck_checkpoint: VERSION, run: run.to_string(), generation };
    let mut bytes = serde_json::to_vec(&envelope).expect("numbers and strings are JSON");
    bytes.push(b'\n');
    bytes.extend_from_slice(text);
    bytes.push(b'\n');
    let mut last = String::new();
    let _ = writeln!(last, "{:016x}", xxh3_64(&bytes));
    bytes.extend_from_slice(last.as_bytes());
    bytes
}

/// Reads the manifest of a file; `None` if the file does not exist. An incomplete manifest is `Damaged`.
pub fn read(files: &dyn Files, name: &str) -> Result<Option<Manifest>, Trouble> {
    let io = |error| Trouble::io(name, error);
    let Some(length) = files.len(name).map_err(io)? else { return Ok(None) };
    if length > MOST_BYTES {
        return Err(Trouble::damaged(name, MOST_BYTES, "it is too long"));
    }
    let mut bytes = vec![0; usize::try_from(length).expect("at most 256 MiB")];
    let read = match files.read_at(name, 0, &mut bytes) {
        // A reader without the lock may find it renamed meanwhile.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        read => read.map_err(io)?,
    };
    // If it became shorter meanwhile, its checksum decides.
    bytes.truncate(read);
    decode(name, &bytes).map(Some)
}

fn decode(name: &str, bytes: &[u8]) -> Result<Manifest, Trouble> {
    let end = bytes.len().saturating_sub(LAST_LINE);
    let damaged = |offset: usize, what| Trouble::damaged(name, offset as u64, what);
    // The checksum comes first: only then is another version believed to be one.
    let (covered, last) = bytes.split_at(end);
    let sum = last.strip_suffix(b"\n").and_then(|last| std::str::from_utf8(last).ok()).and_then(|last| u64::from_str_radix(last, 16).ok());
    if sum != Some(xxh3_64(covered)) {
        return Err(damaged(end, "its checksum is wrong"));
    }
    let covered = covered.strip_suffix(b"\n").ok_or_else(|| damaged(end, "its text does not end with its line"))?;
    let first = covered.iter().position(|byte| *byte == b'\n').ok_or_else(|| damaged(0, "its first line is missing"))?;
    let envelope: Envelope = serde_json::from_slice(&covered[..first]).map_err(|_| damaged(0, "its first line is wrong"))?;
    if envelope.bcheck_checkpoint != VERSION {
        return Err(Trouble::OtherVersion { found: envelope.bcheck_checkpoint });
    }
    let run = RunId::of_hex(&envelope.run).ok_or_else(|| damaged(0, "it does not name its run"))?;
    Ok(Manifest { run, generation: envelope.generation, text: covered[first + 1..].to_vec() })
}
