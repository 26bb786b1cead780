//! Reading machines and other files; every failure is a diagnostic or one line.
//!
//! Invariant: the result is text, whatever the encoding (`decode`); each file read is registered with `output`, so that none is
//! overwritten. Deliberately elsewhere: writing (`output`).

use crate::args::slips;
use crate::io::decode::{Decoded, Encoding, decode};
use crate::io::output;
use crate::io::system_path::{REFUSAL, is_of_system};
use bcheck_source::{Code, Diagnostic, FileId, Message, SourceMap, Span};
use std::fs::File;
use std::io::{self, BufRead, Read, Write};
use std::path::Path;

/// Larger machines are refused: positions are 32-bit, and no machine written by people comes near.
const LARGEST_FILE_BYTES: u64 = 256 << 20;
/// Larger graphs and traces are refused.
const LARGEST_DATA_BYTES: u64 = 2 << 30;
/// Larger images are not drawn: each is a part of the page.
const LARGEST_IMAGE_BYTES: u64 = 4 << 20;
/// The most bytes of a formula or command on one line.
const LONGEST_LINE_BYTES: u64 = 16 << 20;

/// Why a file was not read.
#[derive(Debug)]
pub(crate) enum ReadError {
    /// The system refused: exit code 153.
    Io(String),
    /// It is not text or empty: a diagnostic about the file.
    Refused(Box<Diagnostic>),
}

/// Reads the machine of the command line into the map. `-` is stdin.
pub(crate) fn read_argument(path: &Path, sources: &mut SourceMap) -> Result<FileId, ReadError> {
    read_to_rewrite(path, sources).map(|(file, _)| file)
}

/// As [`read_argument`], with the encoding for writing the file again; `None` if that would not reproduce its bytes.
pub(crate) fn read_to_rewrite(path: &Path, sources: &mut SourceMap) -> Result<(FileId, Option<Encoding>), ReadError> {
    if path == Path::new("-") {
        return enter("<stdin>".to_owned(), read_stdin(), sources);
    }
    let read = enter(path.display().to_string(), read_bounded(path, LARGEST_FILE_BYTES, "a machine"), sources);
    read.map_err(|error| match error {
        ReadError::Io(reason) if !path.exists() => match slips::file_meant(path) {
            Some(meant) => ReadError::Io(format!("{reason}; did you mean {meant}?")),
            None => ReadError::Io(reason),
        },
        other => other,
    })
}

/// Reads a machine, or another text of B, that a machine names. Here `-` is an ordinary file: a machine that names files cannot read
/// standard input.
pub(crate) fn read(path: &Path, sources: &mut SourceMap) -> Result<FileId, ReadError> {
    if is_of_system(path) {
        return Err(ReadError::Io(format!("cannot read {}: {REFUSAL}", path.display())));
    }
    enter(path.display().to_string(), read_bounded(path, LARGEST_FILE_BYTES, "a machine"), sources).map(|(file, _)| file)
}

fn enter(name: String, bytes: Result<Vec<u8>, String>, sources: &mut SourceMap) -> Result<(FileId, Option<Encoding>), ReadError> {
    let bytes = bytes.map_err(ReadError::Io)?;
    let Decoded { text, encoding, latin1 } = decode(&bytes);
    let encoding = encoding.encode(&text).is_some_and(|again| again == bytes).then_some(encoding);
    let fault = Fault::of(&text);
    let file = sources.add(name, text);
    if let Some(at) = latin1 {
        sources.mark_latin1(file, at);
    }
    match fault {
        None => Ok((file, encoding)),
        Some(fault) => Err(ReadError::Refused(Box::new(fault.diagnostic(file)))),
    }
}

fn read_stdin() -> Result<Vec<u8>, String> {
    // Redirected from a file (`bcheck - < m.mch`), it is an input like any other.
    output::stdin_was_read();
    let mut bytes = Vec::new();
    io::stdin().lock().take(LARGEST_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(|error| format!("cannot read stdin: {error}"))?;
    // One byte further than allowed is read: the length of a stream is unknown.
    if bytes.len() as u64 > LARGEST_FILE_BYTES {
        return Err(format!("cannot read stdin: it has more than {LARGEST_FILE_BYTES} bytes, the limit for a machine"));
    }
    Ok(bytes)
}

/// The text of a file that is not a machine, such as a saved trace, in any encoding.
pub(crate) fn read_text(path: &Path) -> Result<String, String> {
    read_bytes(path).map(|bytes| decode(&bytes).text)
}

/// The bytes of a file that is not a machine.
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, String> {
    read_bounded(path, LARGEST_DATA_BYTES, "such a file")
}

/// The bytes of a file with an image.
pub(crate) fn read_image(path: &Path) -> Result<Vec<u8>, String> {
    read_bounded(path, LARGEST_IMAGE_BYTES, "an image")
}

/// The bytes of a regular file, at most `most` of them. FIFOs and devices are not even opened, because opening one may block.
fn read_bounded(path: &Path, most: u64, what: &str) -> Result<Vec<u8>, String> {
    // Registered first: a file that is refused below must not be replaced by an output either.
    output::was_read(path);
    let refuse = |reason: &str| format!("cannot read {}: {reason}", path.display());
    let complain = |error: io::Error| refuse(&plain(&error));
    let too_long = |length: &str| refuse(&format!("it has {length} bytes; {what} may have up to {most}"));
    let metadata = std::fs::metadata(path).map_err(complain)?;
    if metadata.is_dir() {
        return Err(refuse("it is a directory, not a file"));
    }
    if !metadata.is_file() && !is_open_already(path) {
        return Err(refuse("it is not a regular file (but a FIFO, a device or a socket); the machine `-` is the standard input"));
    }
    // Refused before a byte is read.
    if metadata.len() > most {
        return Err(too_long(&metadata.len().to_string()));
    }
    let mut bytes = Vec::new();
    // The size above may be outdated, or that of a stream: reading one byte more than allowed shows whether there is more.
    File::open(path).map_err(complain)?.take(most + 1).read_to_end(&mut bytes).map_err(complain)?;
    if bytes.len() as u64 > most { Err(too_long("more")) } else { Ok(bytes) }
}

/// Whether a path names a stream opened by the parent process, such as that of `<(command)`.
fn is_open_already(path: &Path) -> bool {
    // A path to an open descriptor cannot block, unlike a FIFO that waits for its writer.
    path == Path::new("/dev/stdin") || ["/dev/fd", "/proc/self/fd"].iter().any(|folder| path.parent() == Some(Path::new(folder)))
}

/// The next line of an input, of no more than [`LONGEST_LINE_BYTES`]; `None` at its end.
pub(crate) fn read_line(input: &mut impl BufRead) -> Result<Option<String>, String> {
    let mut line = Vec::new();
    // One byte more than allowed, to distinguish a longest line from one that is too long. The rest of that is not read: the caller stops.
    let read = input.take(LONGEST_LINE_BYTES + 1).read_until(b'\n', &mut line);
    match read {
        Err(error) => Err(format!("the standard input cannot be read: {error}")),
        Ok(0) => Ok(None),
        Ok(_) if line.len() as u64 > LONGEST_LINE_BYTES => {
            Err(format!("a line of the standard input has more than {LONGEST_LINE_BYTES} bytes"))
        }
        Ok(_) => match String::from_utf8(line) {
            Ok(line) => Ok(Some(line)),
            Err(_) => Err("the standard input cannot be read: it is not UTF-8 text".to_owned()),
        },
    }
}

/// The system's reason without its error number.
pub(crate) fn plain(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::IsADirectory => "it is a directory".to_owned(),
        _ => error.to_string(),
    }
}

/// Why a file is not the text of a machine.
#[derive(Debug, PartialEq, Eq)]
enum Fault {
    /// Nothing but white space.
    Empty,
    /// A NUL byte: some other kind of file. Offset in the text.
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
            Self::Binary(at) => Diagnostic::error(Code::NotText, Span::new(file, *at, *at), "this is not a text file: NUL byte here")
                .help("bcheck reads machines as plain text: UTF-8, Latin-1, or UTF-16 with a byte order mark"),
        }
    }
}

/// Writes to stderr, ignoring failures. A plain string is one line, and is escaped.
pub(crate) fn complain(text: &(impl Message + ?Sized)) {
    // If stderr is closed, there is nobody to inform.
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
    fn only_the_command_line_means_the_standard_input() {
        let mut sources = SourceMap::new();
        // There is no file of this name in the folder of the tests.
        assert!(matches!(read(Path::new("-"), &mut sources), Err(ReadError::Io(reason)) if reason == "cannot read -: no such file"));
    }

    #[test]
    fn a_directory_and_a_missing_file_have_messages_of_their_own() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut sources = SourceMap::new();
        let Err(ReadError::Io(directory)) = read(folder.path(), &mut sources) else { panic!("a directory was read") };
        assert!(directory.contains("it is a directory"), "{directory}");
        let Err(ReadError::Io(missing)) = read(&folder.path().join("none.mch"), &mut sources) else { panic!("nothing was read") };
        assert!(missing.contains("no such file"), "{missing}");
    }
}
