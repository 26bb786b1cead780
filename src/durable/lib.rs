//! Floor 1: the part of a search that outlives the process, on disk: a folder with a log of states and a manifest.
//!
//! A *log* is only appended to. A *manifest* is a small text which names the files of the folder with their lengths; replacing it is the
//! only step that changes the contents of the folder, and it is atomic. So after any interruption, the last manifest is valid, and data
//! appended after it is cut off. Every byte that is read is covered by a checksum, and every file names its run.
//!
//! Invariant: what is read is what was committed, or a [`trouble::Trouble`]. Deliberately elsewhere: what states and manifests mean
//! (`explore`), and where the folder is (`cli`).

#[cfg(any(test, fuzzing))]
pub mod any_bytes;
pub mod block;
pub mod coding;
pub mod duplicates;
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
#[cfg(test)]
mod tests;
pub mod trouble;
pub mod varint;
