//! Reading machines and writing reports: everything that can go wrong with a file, as a diagnostic or one line.
//!
//! Invariant: what is read is text, however it was written (`decode`); a file to be written is opened before the long run, so
//! that a bad path fails at once.

use super::decode::{Decoded, decode};
use crate::source::{Code, Diagnostic, FileId, Message, Shown, SourceMap, Span};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Machines larger than this are refused: positions are 32-bit, and no machine written by people comes near.
const LARGEST_FILE_BYTES: u64 = 256 << 20;

/// Why a file was not read.
#[derive(Debug)]
pub(super) enum ReadError {
    /// The system refused: exit code 153.
    Io(String),
    /// It is not text or empty: a diagnostic about the file.
    Refused(Box<Diagnostic>),
}

/// Reads a machine into the map. `-` is stdin.
pub(super) fn read(path: &Path, sources: &mut SourceMap) -> Result<FileId, ReadError> {
    let name = path.display().to_string();
    let bytes = if name == "-" { read_stdin() } else { read_file(path) }.map_err(ReadError::Io)?;
    let Decoded { text, latin1 } = decode(&bytes);
    let fault = Fault::of(&text);
    let file = sources.add(if name == "-" { "<stdin>".to_owned() } else { name }, text);
    if let Some(at) = latin1 {
        sources.mark_latin1(file, at);
    }
    match fault {
        None => Ok(file),
        Some(fault) => Err(ReadError::Refused(Box::new(fault.diagnostic(file)))),
    }
}

fn read_stdin() -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    io::stdin().lock().take(LARGEST_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(|error| format!("cannot read stdin: {error}"))?;
    Ok(bytes)
}

fn read_file(path: &Path) -> Result<Vec<u8>, String> {
    let complain = |error: io::Error| format!("cannot read {}: {}", path.display(), plain(&error));
    let metadata = std::fs::metadata(path).map_err(complain)?;
    if metadata.is_dir() {
        return Err(format!("cannot read {}: it is a directory, not a machine", path.display()));
    }
    if metadata.len() > LARGEST_FILE_BYTES {
        return Err(format!(
            "cannot read {}: it has {} bytes; machines may have up to {LARGEST_FILE_BYTES}",
            path.display(),
            metadata.len()
        ));
    }
    let mut bytes = Vec::new();
    File::open(path).map_err(complain)?.take(LARGEST_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(complain)?;
    Ok(bytes)
}

/// The system's reason without its error number.
pub(super) fn plain(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::IsADirectory => "it is a directory".to_owned(),
        _ => error.to_string(),
    }
}

/// What keeps a file from being a machine's text.
#[derive(Debug, PartialEq, Eq)]
enum Fault {
    /// Nothing but white space.
    Empty,
    /// A zero byte: some other kind of file. Offset in the text.
    Binary(usize),
}

impl Fault {
    fn of(text: &str) -> Option<Self> {
        match text.find('\0') {
            Some(at) => Some(Self::Binary(at)),
            None if text.trim().is_empty() => Some(Self::Empty),
            None => None,
        }
    }

    fn diagnostic(&self, file: FileId) -> Diagnostic {
        match self {
            Self::Empty => Diagnostic::error(Code::EmptyFile, Span::new(file, 0, 0), "the file is empty")
                .help("a machine starts with MACHINE, its name, and ends with END"),
            Self::Binary(at) => Diagnostic::error(Code::NotText, Span::new(file, *at, *at), "this is not a text file: it has a zero here")
                .help("bcheck reads machines as plain text: UTF-8, Latin-1, or UTF-16 with a byte order mark"),
        }
    }
}

/// Where a report goes: a file that was opened beforehand, or stdout.
#[derive(Debug)]
pub(super) enum Sink {
    /// Stdout.
    Stdout,
    /// A file and its name.
    File(File, PathBuf),
}

impl Sink {
    /// Opens the file, or takes stdout.
    pub(super) fn open(path: Option<&Path>) -> Result<Self, String> {
        match path {
            None => Ok(Self::Stdout),
            Some(path) => File::create(path)
                .map(|file| Self::File(file, path.to_owned()))
                .map_err(|error| format!("cannot write {}: {}", path.display(), plain(&error))),
        }
    }

    /// Writes everything at once. A reader that went away (`| head`) is not an error.
    pub(super) fn write(&mut self, text: &Shown) -> Result<(), String> {
        self.write_bytes(text.as_str().as_bytes())
    }

    /// The same for what is no text.
    pub(super) fn write_bytes(&mut self, bytes: &[u8]) -> Result<(), String> {
        match self {
            Self::Stdout => {
                let mut stdout = io::stdout().lock();
                match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
                    Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(format!("cannot write to stdout: {}", plain(&error))),
                    _ => Ok(()),
                }
            }
            Self::File(file, path) => file.write_all(bytes).map_err(|error| format!("cannot write {}: {}", path.display(), plain(&error))),
        }
    }
}

/// Writes to stderr; if that is closed there is nobody to tell. What is not shown yet is one line.
pub(super) fn complain(text: &(impl Message + ?Sized)) {
    let _ = io::stderr().lock().write_all(text.message().as_str().as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_text_has_a_place() {
        assert_eq!(Fault::of("ab\0c"), Some(Fault::Binary(2)));
        assert_eq!(Fault::of(" \n\t"), Some(Fault::Empty));
        assert_eq!(Fault::of("MACHINE m END"), None);
    }

    #[test]
    fn a_directory_and_a_missing_file_are_told_apart() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut sources = SourceMap::new();
        let Err(ReadError::Io(directory)) = read(folder.path(), &mut sources) else { panic!("a directory was read") };
        assert!(directory.contains("it is a directory"), "{directory}");
        let Err(ReadError::Io(missing)) = read(&folder.path().join("none.mch"), &mut sources) else { panic!("nothing was read") };
        assert!(missing.contains("no such file"), "{missing}");
    }
}
