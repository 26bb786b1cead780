//! Floor 1: what a search keeps on disk so that it outlives the process: a folder with a log of states and a manifest.
//!
//! A *log* is only appended to. A *manifest* is a small text which names the files of the folder with their lengths; replacing it is the
//! only step that changes what the folder means, and it is atomic. So whatever is interrupted, the last manifest stands, and what was
//! appended after it is cut off. Every byte that is read is covered by a checksum, and every file names the run that it belongs to.
//!
//! Invariant: what is read back is what was committed, or a [`trouble::Trouble`]; never something else.
//! Deliberately elsewhere: what states and manifests mean (`explore`), and where the folder is (`cli`).

#[cfg(any(test, fuzzing))]
pub mod any_bytes;
pub mod block;
pub mod coding;
#[cfg(any(test, fuzzing, feature = "testing"))]
pub mod faulty;
pub mod files;
pub mod folder;
pub mod head;
pub mod identity;
pub mod log;
pub mod log_reader;
pub mod manifest;
pub(crate) mod quota;
pub mod run;
mod sort;
pub mod strike;
#[cfg(test)]
mod tests;
pub mod trouble;
pub mod varint;
