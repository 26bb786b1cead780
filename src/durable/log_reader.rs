//! Reading a log: completely, or the states with some numbers.
//!
//! Invariant: every checksum is tested, and exactly the requested states are read, or an error is returned. Deliberately elsewhere: the
//! format, and writing (`log`).

use super::block::{Block, BlockReader};
use super::folder::Folder;
use super::head::HEAD_BYTES;
use super::log::{BYTES, Key, LogIndex, LogLength, LogWriter, WORDS, check_file};
use super::trouble::Trouble;
use super::varint::{take_varint, unzigzag};
use std::ops::{ControlFlow, Range};

/// Called with number, key, parent and class of each state, until it breaks off.
type OfState<'s> = dyn FnMut(u64, Key<'_>, u64, u32) -> ControlFlow<()> + 's;

/// Whether the files of a log exist and are at least as long as the manifest says.
pub fn has_length(folder: &Folder, length: &LogLength) -> Result<bool, Trouble> {
    for (file, bytes) in &length.files {
        if !folder.has(file, *bytes)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Reads a log from its beginning to a length, and returns its index.
pub fn read_log(folder: &Folder, width: usize, length: &LogLength, state: &mut OfState<'_>) -> Result<LogIndex, Trouble> {
    let (mut next, mut index) = (0, LogIndex::default());
    let mut columns = Columns::default();
    for ((file, bytes), number) in length.files.iter().zip(0..) {
        check_file(folder, file, *bytes)?;
        let mut blocks = BlockReader::new(folder.files(), file, HEAD_BYTES as u64, *bytes);
        while let Some(block) = blocks.next()? {
            let damaged = |what| Trouble::damaged(file, block.offset, what);
            // No underflow: by this very test `next` never exceeds the number of states.
            if block.first != next || u64::from(block.count) > length.states - next {
                return Err(damaged("the numbers of its states are wrong"));
            }
            index.blocks.push((block.first, number, block.offset));
            if columns.read(&block, width, state).map_err(damaged)?.is_break() {
                return Ok(index);
            }
            next += u64::from(block.count);
        }
    }
    if next < length.states {
        let (file, bytes) = length.files.last().map_or(("", 0), |(file, bytes)| (&file[..], *bytes));
        return Err(Trouble::damaged(file, bytes, "the log has fewer states than the manifest says"));
    }
    Ok(index)
}

/// Reads the states with these numbers, which must have been written out.
pub fn read_states(folder: &Folder, log: &LogWriter, numbers: Range<u64>, state: &mut OfState<'_>) -> Result<(), Trouble> {
    let (files, LogIndex { blocks }) = log.written();
    // The last block that begins at or before the first state; no state is before the first block.
    let mut at = blocks.partition_point(|(first, ..)| *first <= numbers.start).saturating_sub(1);
    let mut columns = Columns::default();
    let mut next = numbers.start;
    while next < numbers.end {
        let Some(&(_, file, start)) = blocks.get(at) else { break };
        // Up to the block behind the last state, or to the end of the file.
        let behind = at + blocks[at..].partition_point(|(first, other, _)| *other == file && *first < numbers.end);
        let (name, bytes) = &files[file as usize];
        let end = blocks.get(behind).filter(|(_, other, _)| *other == file).map_or(*bytes, |(.., offset)| *offset);
        let mut reader = BlockReader::new(folder.files(), name, start, end);
        while let Some(block) = reader.next()? {
            let damaged = |what| Trouble::damaged(name, block.offset, what);
            // An intact block in the wrong place has a valid checksum.
            if blocks.get(at).is_none_or(|(first, ..)| block.first != *first) {
                return Err(damaged("the numbers of its states are wrong"));
            }
            let asked = columns.read(&block, log.width(), &mut |number, key, parent, class| match number {
                before if before < next => ControlFlow::Continue(()),
                own if own < numbers.end => {
                    next += 1;
                    state(own, key, parent, class)
                }
                _ => ControlFlow::Break(()),
            });
            // The caller has broken off, or this was the last requested state.
            if asked.map_err(damaged)?.is_break() {
                return Ok(());
            }
            at += 1;
        }
    }
    match next < numbers.end {
        true => Err(Trouble::damaged(files.last().map_or("", |(name, _)| name), 0, "it ends before a state that it had")),
        false => Ok(()),
    }
}

const SHORT: &str = "a block has fewer states than it says";

/// Memory for the keys of a block.
#[derive(Default)]
struct Columns {
    words: Vec<u64>,
}

impl Columns {
    fn read(
        &mut self,
        block: &Block<'_>,
        width: usize,
        state: &mut dyn FnMut(u64, Key<'_>, u64, u32) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, &'static str> {
        let count = block.count as usize;
        let (mark, rest) = block.payload.split_first().ok_or(SHORT)?;
        // A state has at least the byte of its parent.
        if count > rest.len() {
            return Err(SHORT);
        }
        // No column has its length in front of it. Each begins where the one before it ends, so keys and parents are skipped once.
        let (keys, rest) = split_keys(*mark, rest, width, count)?;
        self.words.clear();
        if *mark == WORDS {
            self.words.extend(keys.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes"))));
        }
        let (mut keys, mut parents) = (keys, rest);
        let mut classes = rest;
        for _ in 0..count {
            take_varint(&mut classes).ok_or(SHORT)?;
        }
        let (mut parent, mut class, mut more) = (block.first, 0, 0);
        for index in 0..count {
            let key = if *mark == WORDS {
                Key::Words(&self.words[index * width..][..width])
            } else {
                Key::Bytes(take_bytes(&mut keys).ok_or(SHORT)?)
            };
            parent = unzigzag(parent, take_varint(&mut parents).ok_or(SHORT)?);
            if more == 0 {
                let number = take_varint(&mut classes).ok_or(SHORT)?;
                class = u32::try_from(number).map_err(|_| "a class has no such number")?;
                // A run of zero states has no class: `more` would underflow.
                more = take_varint(&mut classes).filter(|more| *more > 0).ok_or(SHORT)?;
            }
            more -= 1;
            if state(block.first + index as u64, key, parent, class).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        if more > 0 || !classes.is_empty() {
            return Err("a block has more than its states");
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// The keys of a block, and the columns behind them.
fn split_keys(mark: u8, columns: &[u8], width: usize, count: usize) -> Result<(&[u8], &[u8]), &'static str> {
    match mark {
        WORDS => {
            let bytes = width.checked_mul(8).and_then(|key| key.checked_mul(count));
            bytes.and_then(|bytes| columns.split_at_checked(bytes)).ok_or(SHORT)
        }
        BYTES => {
            let mut behind = columns;
            for _ in 0..count {
                take_bytes(&mut behind).ok_or(SHORT)?;
            }
            Ok(columns.split_at(columns.len() - behind.len()))
        }
        _ => Err("a block has keys of an unknown kind"),
    }
}

fn take_bytes<'b>(bytes: &mut &'b [u8]) -> Option<&'b [u8]> {
    let length = usize::try_from(take_varint(bytes)?).ok()?;
    let (taken, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(taken)
}
