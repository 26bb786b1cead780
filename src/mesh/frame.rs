//! The format of data on a connection: messages and heartbeats, each with a head.
//!
//! | bytes | what |
//! |---|---|
//! | 1 | 0 for a heartbeat, 1 for a message |
//! | 8 | the step of the message |
//! | 8 | its length |
//! | 8 | XXH3-64 of the message |
//!
//! All numbers are little-endian. Invariant: memory for a message longer than [`AT_ONCE`] grows with the data that has arrived, so a false
//! length costs nothing.

use crossbeam::queue::SegQueue;
use std::io::{self, IoSlice, Read, Write};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

const HEARTBEAT: u8 = 0;
const MESSAGE: u8 = 1;
const HEAD_BYTES: usize = 25;
/// A longer message is not sent by any process of this version.
const MOST_BYTES: u64 = 1 << 36;

/// The bytes that there is room for before anything has arrived.
const AT_ONCE: u64 = 1 << 20;
/// A message of at least this many bytes reuses the buffer of an earlier one.
const LONG: u64 = 1 << 14;

/// A received frame.
pub(super) enum Frame {
    Heartbeat,
    Message { step: u64, bytes: Vec<u8> },
}

/// Why nothing arrives any more.
pub(super) enum Unread {
    Closed,
    /// The timeout of the connection has passed.
    Silent,
    Broken(&'static str),
}

impl From<io::Error> for Unread {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Self::Silent,
            _ => Self::Closed,
        }
    }
}

fn head(kind: u8, step: u64, parts: &[&[u8]]) -> [u8; HEAD_BYTES] {
    let mut sum = Xxh3::new();
    parts.iter().for_each(|part| sum.update(part));
    let length: usize = parts.iter().map(|part| part.len()).sum();
    let mut head = [0; HEAD_BYTES];
    head[0] = kind;
    head[1..9].copy_from_slice(&step.to_le_bytes());
    head[9..17].copy_from_slice(&(length as u64).to_le_bytes());
    head[17..].copy_from_slice(&sum.digest().to_le_bytes());
    head
}

pub(super) fn write_message(to: &mut dyn Write, step: u64, parts: &[&[u8]]) -> io::Result<()> {
    let head = head(MESSAGE, step, parts);
    let mut slices: Vec<IoSlice<'_>> = std::iter::once(&head[..]).chain(parts.iter().copied()).map(IoSlice::new).collect();
    let mut rest = &mut slices[..];
    // The head is not empty, and empty parts are skipped together with those before them: nothing written means that nothing can be.
    while !rest.is_empty() {
        match to.write_vectored(rest) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => IoSlice::advance_slices(&mut rest, written),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    to.flush()
}

pub(super) fn write_heartbeat(to: &mut dyn Write) -> io::Result<()> {
    to.write_all(&head(HEARTBEAT, 0, &[]))?;
    to.flush()
}

/// Reads what arrives next; a long message into the memory of one of the `emptied` ones, if there is any.
pub(crate) fn read(from: &mut dyn Read, emptied: &SegQueue<Vec<u8>>) -> Result<Frame, Unread> {
    let mut head = [0; HEAD_BYTES];
    from.read_exact(&mut head)?;
    let number = |at: usize| u64::from_le_bytes(head[at..at + 8].try_into().expect("eight bytes"));
    let (step, length, sum) = (number(1), number(9), number(17));
    if length > MOST_BYTES {
        return Err(Unread::Broken("it announced a message that is too long"));
    }
    let mut bytes = if length < LONG { Vec::new() } else { emptied.pop().unwrap_or_default() };
    bytes.reserve(usize::try_from(length.min(AT_ONCE)).unwrap_or_default());
    let read = from.take(length).read_to_end(&mut bytes)?;
    if (read as u64) < length {
        return Err(Unread::Closed);
    }
    match head[0] {
        _ if xxh3_64(&bytes) != sum => Err(Unread::Broken("the checksum of a message was wrong")),
        HEARTBEAT if bytes.is_empty() => Ok(Frame::Heartbeat),
        MESSAGE => Ok(Frame::Message { step, bytes }),
        _ => Err(Unread::Broken("it sent something that is not a message")),
    }
}
