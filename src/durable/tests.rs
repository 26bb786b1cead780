//! What is committed is read back, whatever fails in between; damaged files are refused.

mod real;
mod runs;

use super::faulty::{FAULTS, Fault, FaultyFiles};
use super::files::Files;
use super::folder::{Folder, RunId};
use super::log::{Key, LogIndex, LogLength, LogWriter};
use super::log_reader::{has_length, read_log, read_states};
use super::trouble::Trouble;
use super::varint::{push_varint, push_wide_varint, take_varint, take_wide_varint, unzigzag, zigzag};
use proptest::prelude::*;
use std::ops::ControlFlow;

const RUN: RunId = RunId([7; 32]);

#[derive(Clone, Debug, PartialEq, Eq)]
enum OwnKey {
    Words(Vec<u64>),
    Bytes(Vec<u8>),
}

impl OwnKey {
    fn key(&self) -> Key<'_> {
        match self {
            Self::Words(words) => Key::Words(words),
            Self::Bytes(bytes) => Key::Bytes(bytes),
        }
    }

    fn of(key: Key<'_>) -> Self {
        match key {
            Key::Words(words) => Self::Words(words.to_vec()),
            Key::Bytes(bytes) => Self::Bytes(bytes.to_vec()),
        }
    }
}

type State = (OwnKey, u64, u32);

fn in_memory() -> (FaultyFiles, Folder) {
    let files = FaultyFiles::default();
    (files.clone(), Folder::with_files(Box::new(files), RUN))
}

fn push_all(folder: &Folder, log: &mut LogWriter, states: &[State]) -> Result<LogLength, Trouble> {
    for (key, parent, class) in states {
        log.push(folder, key.key(), *parent, *class)?;
    }
    log.flush(folder)
}

fn read_all(folder: &Folder, width: usize, length: &LogLength) -> Result<Vec<State>, Trouble> {
    let mut states = Vec::new();
    read_log(folder, width, length, &mut |number, key, parent, class| {
        assert_eq!(number, states.len() as u64);
        states.push((OwnKey::of(key), parent, class));
        ControlFlow::Continue(())
    })?;
    assert_eq!(states.len() as u64, length.states);
    Ok(states)
}

/// States that look like those of a search, with keys that do not compress.
fn sample(count: u64) -> Vec<State> {
    let key = |number: u64| OwnKey::Words(vec![number.wrapping_mul(0x9e37_79b9_7f4a_7c15)]);
    (0..count).map(|number| (key(number), number / 3, (number / 50 % 4) as u32)).collect()
}

/// The same with kinds of keys that change often, so that there are many blocks.
fn sample_in_blocks(count: u64) -> Vec<State> {
    let bytes = |number: u64| OwnKey::Bytes(number.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes().to_vec());
    let words = sample(count).into_iter().zip(0..);
    words.map(|((key, parent, class), number)| (if number / 8 % 2 == 0 { key } else { bytes(number) }, parent, class)).collect()
}

fn text_of(length: &LogLength) -> Vec<u8> {
    serde_json::to_vec(length).expect("JSON")
}

fn length_in(text: &[u8]) -> LogLength {
    serde_json::from_slice(text).expect("a length")
}

/// What another process makes of a folder: the newest manifest that stands, and the states of its log.
fn resume(folder: &Folder) -> Result<(LogLength, Vec<State>), Trouble> {
    let (text, _) = folder.manifest(&|text| has_length(folder, &length_in(text)))?;
    let length = length_in(&text);
    let states = read_all(folder, 1, &length)?;
    Ok((length, states))
}

/// The states of the log at each commit of [`write_generations`].
const GENERATIONS: [usize; 3] = [50, 110, 140];
/// So short that each file has two or three blocks.
const SHORT_FILE: u64 = 320;

/// Commits generation by generation; a log that is full is cut back and committed once more as it was. How many were committed, and
/// whether it went to the end.
fn write_generations(folder: &Folder, states: &[State]) -> (usize, Result<(), Trouble>) {
    let mut log = LogWriter::with_file_bytes("log", 1, SHORT_FILE);
    let mut committed = (0, LogLength { states: 0, files: Vec::new() });
    for (index, end) in GENERATIONS.into_iter().enumerate() {
        let start = usize::try_from(committed.1.states).expect("few");
        // A flush before the end, as a log does that is longer than its buffer.
        let pushed = push_all(folder, &mut log, &states[start..(start + end) / 2])
            .and_then(|_| push_all(folder, &mut log, &states[(start + end) / 2..end]))
            .and_then(|length| folder.commit(&text_of(&length)).map(|()| length));
        match pushed {
            Ok(length) => committed = (index + 1, length),
            Err(full @ Trouble::Full { .. }) if committed.0 > 0 => {
                folder.release_reserve();
                let again = LogWriter::go_on(folder, "log", 1, &committed.1, LogIndex::default()).and_then(|mut log| log.flush(folder));
                let again = again.and_then(|length| folder.commit(&text_of(&length)));
                return (committed.0, again.and(Err(full)));
            }
            Err(error) => return (committed.0, Err(error)),
        }
    }
    (committed.0, Ok(()))
}

/// Holds a folder against what was committed, and goes on to the end of the states from there.
fn assert_goes_on(files: &FaultyFiles, states: &[State], committed: usize, what: &str) {
    let folder = Folder::with_files(Box::new(files.clone()), RUN);
    let mut log = match resume(&folder) {
        Ok((length, found)) => {
            let generation = GENERATIONS.iter().position(|end| *end == found.len());
            assert!(generation.is_some_and(|generation| generation + 1 >= committed), "{what}: {} states", found.len());
            assert!(found == states[..found.len()], "{what}");
            LogWriter::go_on(&folder, "log", 1, &length, LogIndex::default()).expect("a log to go on with")
        }
        Err(error) => {
            assert_eq!(committed, 0, "{what}: {error}");
            return;
        }
    };
    let start = resume(&folder).expect("the same once more").1.len();
    let length = push_all(&folder, &mut log, &states[start..]).expect("a disk that works");
    folder.commit(&text_of(&length)).expect("a disk that works");
    let names: Vec<&str> = length.files.iter().map(|(name, _)| &name[..]).collect();
    folder.keep_only(&names).expect("a disk that works");
    for choice in 0..2 {
        let after = Folder::with_files(Box::new(files.after_power_loss(choice)), RUN);
        assert!(resume(&after).expect("the last commit").1 == states, "{what}, gone on, {choice}");
    }
}

#[test]
fn whatever_call_fails_a_commit_stands() {
    let states = sample_in_blocks(160);
    let (files, folder) = in_memory();
    write_generations(&folder, &states).1.expect("no fault");
    let calls = files.calls();
    assert!(calls > 40, "{calls}");
    for fault in FAULTS {
        for call in 0..calls {
            let (files, folder) = in_memory();
            files.fail(call, fault);
            let (committed, end) = write_generations(&folder, &states);
            // Only an attempt to clear up may fail unseen.
            assert!(end.is_err(), "{fault:?} in call {call}");
            assert_goes_on(&files.restarted(), &states, committed, &format!("{fault:?} in call {call}"));
            for choice in 0..8 {
                let what = format!("{fault:?} in call {call}, power loss {choice}");
                assert_goes_on(&files.after_power_loss(choice), &states, committed, &what);
            }
        }
    }
}

#[test]
fn a_second_failure_while_going_on_is_survived() {
    let states = sample_in_blocks(160);
    for first in (0..60).step_by(3) {
        let (files, folder) = in_memory();
        files.fail(first, Fault::Killed);
        let (committed, _) = write_generations(&folder, &states);
        for second in (0..40).step_by(2) {
            let files = files.after_power_loss(first * 41 + second);
            let folder = Folder::with_files(Box::new(files.clone()), RUN);
            files.fail(second, Fault::Killed);
            let again = || -> Result<usize, Trouble> {
                let (length, found) = resume(&folder)?;
                let mut log = LogWriter::go_on(&folder, "log", 1, &length, LogIndex::default())?;
                let length = push_all(&folder, &mut log, &states[found.len()..GENERATIONS[2].max(found.len())])?;
                folder.commit(&text_of(&length))?;
                Ok(3)
            };
            let committed = again().unwrap_or(committed);
            for choice in 0..4 {
                assert_goes_on(&files.after_power_loss(choice), &states, committed, &format!("{first}, {second}, {choice}"));
            }
        }
    }
}

#[test]
fn every_changed_byte_is_noticed() {
    let states = sample(40);
    let (files, folder) = in_memory();
    let mut log = LogWriter::with_file_bytes("log", 1, 300);
    let length = push_all(&folder, &mut log, &states[..20]).expect("a length");
    folder.commit(&text_of(&length)).expect("a commit");
    let length = push_all(&folder, &mut log, &states[20..]).expect("a length");
    folder.commit(&text_of(&length)).expect("a commit");
    for name in files.names().expect("names") {
        let bytes = files.len(&name).expect("a length").expect("a file");
        for at in 0..usize::try_from(bytes).expect("few") {
            for mask in [1, 0x20, 0x80, 0xff] {
                let changed = files.restarted();
                changed.flip(&name, at, mask);
                let folder = Folder::with_files(Box::new(changed), RUN);
                if let Ok((length, found)) = resume(&folder) {
                    let expected = if name == "manifest" { 20 } else { 40 };
                    assert!(length.states == expected || mask == 0x20, "{name}, byte {at}, {mask:#x}: {} states", length.states);
                    assert_eq!(found, states[..found.len()], "{name}, byte {at}");
                }
            }
        }
    }
}

#[test]
fn an_older_manifest_is_said_to_be_older() {
    let (files, folder) = in_memory();
    for text in [b"one", b"two"] {
        folder.commit(text).expect("a commit");
    }
    assert_eq!(folder.manifest(&|_| Ok(true)).expect("a manifest"), (b"two".to_vec(), false));
    assert_eq!(folder.manifest(&|text| Ok(text == b"one")).expect("a manifest"), (b"one".to_vec(), true));
    // The one that stood is kept when the next is written.
    folder.commit(b"six").expect("a commit");
    assert_eq!(folder.manifest(&|text| Ok(text == b"one")).expect("a manifest"), (b"one".to_vec(), true));
    files.flip("manifest", 30, 1);
    let folder = Folder::with_files(Box::new(files), RUN);
    assert_eq!(folder.manifest(&|_| Ok(true)).expect("a manifest"), (b"one".to_vec(), true));
    assert!(matches!(folder.manifest(&|_| Ok(false)), Err(Trouble::Damaged { .. })));
    let other = Folder::with_files(Box::new(in_memory().0), RUN);
    assert!(matches!(other.manifest(&|_| Ok(true)), Err(Trouble::NotACheckpoint)));
}

#[test]
fn an_error_of_the_disk_is_no_reason_to_go_back_to_an_older_manifest() {
    let (files, folder) = in_memory();
    let mut log = LogWriter::new("log", 1);
    for states in sample(40).chunks(20) {
        let length = push_all(&folder, &mut log, states).expect("a length");
        folder.commit(&text_of(&length)).expect("a commit");
    }
    let newest = |files: &FaultyFiles| {
        let folder = Folder::with_files(Box::new(files.clone()), RUN);
        folder.manifest(&|text| has_length(&folder, &length_in(text))).map(|(text, is_older)| (length_in(&text).states, is_older))
    };
    let before = files.calls();
    assert_eq!(newest(&files).expect("a manifest"), (40, false));
    for call in 0..files.calls() - before {
        let files = files.restarted();
        files.fail(call, Fault::Io);
        let found = newest(&files);
        assert!(matches!(found, Err(Trouble::Io { .. })), "call {call}: {found:?}");
    }
}

#[test]
fn a_commit_that_failed_before_its_renames_leaves_the_one_before() {
    for fault in [Fault::Full, Fault::Io, Fault::Short] {
        for call in 0..3 {
            let (files, folder) = in_memory();
            folder.commit(b"one").expect("a commit");
            files.fail(call, fault);
            assert!(folder.commit(b"two").is_err());
            assert_eq!(folder.manifest(&|_| Ok(true)).expect("a manifest"), (b"one".to_vec(), false), "{fault:?} in call {call}");
        }
    }
}

#[test]
fn files_in_another_order_are_refused() {
    let (files, folder) = in_memory();
    let length = push_all(&folder, &mut LogWriter::with_file_bytes("log", 1, SHORT_FILE), &sample_in_blocks(100)).expect("a length");
    let mut swapped = length.clone();
    (swapped.files[0].1, swapped.files[1].1) = (length.files[1].1, length.files[0].1);
    for (from, to) in [("log-0000", "other"), ("log-0001", "log-0000"), ("other", "log-0001")] {
        files.rename(from, to).expect("a file");
    }
    assert!(matches!(read_all(&folder, 1, &swapped), Err(Trouble::Damaged { file, .. }) if file == "log-0000"));
}

#[test]
fn files_of_another_run_are_refused() {
    let (files, folder) = in_memory();
    let length = push_all(&folder, &mut LogWriter::new("log", 1), &sample(10)).expect("a length");
    folder.commit(&text_of(&length)).expect("a commit");
    let other = Folder::with_files(Box::new(files), RunId([8; 32]));
    assert!(matches!(other.manifest(&|_| Ok(true)), Err(Trouble::NotACheckpoint)));
    assert!(matches!(read_all(&other, 1, &length), Err(Trouble::OtherRun { file }) if file == "log-0000"));
    assert!(matches!(LogWriter::go_on(&other, "log", 1, &length, LogIndex::default()), Err(Trouble::OtherRun { .. })));
}

#[test]
fn a_forged_length_of_a_log_reaches_no_other_file() {
    let (_, folder) = in_memory();
    for name in ["../log-0000", "manifest", "log-0001", "other-0000", ""] {
        let length = LogLength { states: 0, files: vec![(name.to_owned(), 48)] };
        assert!(matches!(LogWriter::go_on(&folder, "log", 1, &length, LogIndex::default()), Err(Trouble::Damaged { .. })), "{name}");
    }
    let length = push_all(&folder, &mut LogWriter::new("log", 1), &sample(10)).expect("a length");
    let name = length.files[0].0.clone();
    let bytes = length.files[0].1;
    for forged in [(9, bytes), (11, bytes), (10, bytes - 1), (10, bytes + 1), (10, 20), (10, 0), (10, u64::MAX), (u64::MAX, bytes)] {
        let length = LogLength { states: forged.0, files: vec![(name.clone(), forged.1)] };
        assert!(matches!(read_all(&folder, 1, &length), Err(Trouble::Damaged { .. })), "{forged:?}");
    }
    for width in [0, 2, usize::MAX] {
        assert!(matches!(read_all(&folder, width, &length), Err(Trouble::Damaged { .. })), "{width}");
    }
}

#[test]
fn a_log_whose_write_failed_is_not_written_again() {
    for fault in [Fault::Full, Fault::Io, Fault::Short] {
        for call in 0..4 {
            let (files, folder) = in_memory();
            let mut log = LogWriter::new("log", 1);
            files.fail(call, fault);
            assert!(push_all(&folder, &mut log, &sample(10)).is_err());
            assert!(matches!(log.flush(&folder), Err(Trouble::Abandoned { .. })), "{fault:?} {call}");
            assert!(matches!(log.push(&folder, Key::Words(&[1]), 0, 0), Err(Trouble::Abandoned { .. })));
        }
    }
}

#[test]
fn a_long_key_has_a_block_of_its_own() {
    let (_, folder) = in_memory();
    let long = |seed: u64| (0..40_000u64).flat_map(|at| (at ^ seed).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes()).collect();
    let states: Vec<State> = vec![
        (OwnKey::Bytes(vec![1]), 0, 0),
        (OwnKey::Bytes(long(1)), 1, u32::MAX),
        (OwnKey::Bytes(vec![0; 3_000_000]), u64::MAX, 1),
        (OwnKey::Bytes(Vec::new()), 2, 1),
    ];
    let length = push_all(&folder, &mut LogWriter::new("log", 0), &states).expect("a length");
    assert_eq!(read_all(&folder, 0, &length).expect("states"), states);
    // The second does not compress, the third does.
    assert!((320_000..340_000).contains(&length.files[0].1), "{length:?}");
}

#[test]
fn a_reader_may_break_off() {
    let (_, folder) = in_memory();
    let length = push_all(&folder, &mut LogWriter::new("log", 1), &sample(10)).expect("a length");
    let mut last = 0;
    let read = read_log(&folder, 1, &length, &mut |number, _, _, _| {
        last = number;
        if number == 4 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    read.expect("no error");
    assert_eq!(last, 4);
}

#[test]
fn states_of_one_word_take_ten_bytes_at_most() {
    let (_, folder) = in_memory();
    let random = sample(100_000);
    let length = push_all(&folder, &mut LogWriter::new("log", 1), &random).expect("a length");
    assert!(length.files[0].1 < 930_000, "{length:?}");
    let regular: Vec<State> = random.iter().zip(0..).map(|((_, parent, class), key)| (OwnKey::Words(vec![key]), *parent, *class)).collect();
    let length = push_all(&folder, &mut LogWriter::new("other", 1), &regular).expect("a length");
    assert!(length.files[0].1 < 500_000, "{length:?}");
}

#[test]
fn the_run_depends_on_where_its_parts_end() {
    let run = |parts: &[&str]| RunId::of(parts.iter().map(|part| part.as_bytes()));
    assert_eq!(run(&["a", "bc"]), run(&["a", "bc"]));
    assert_ne!(run(&["a", "bc"]), run(&["ab", "c"]));
    assert_ne!(run(&["a"]), run(&["a", ""]));
    assert_eq!(run(&[]).to_string().len(), 64);
}

#[test]
fn numbers_of_any_size_are_read_back() {
    for number in (0..64).flat_map(|bit| [1u64 << bit, (1 << bit) - 1, u64::MAX - (1 << bit)]) {
        let mut bytes = Vec::new();
        push_varint(&mut bytes, number);
        let mut rest = &bytes[..];
        assert_eq!((take_varint(&mut rest), rest.len()), (Some(number), 0));
        assert_eq!(take_varint(&mut &bytes[..bytes.len() - 1]), None);
        for behind in [[0; 9], [0xff; 9]] {
            let longer = [&bytes[..], &behind].concat();
            let mut rest = &longer[..];
            assert_eq!((take_varint(&mut rest), rest), (Some(number), &behind[..]));
        }
        for from in [0, 1, number, u64::MAX] {
            assert_eq!(unzigzag(from, zigzag(from, number)), number);
        }
    }
    assert_eq!(take_varint(&mut &[0xff; 20][..]), None);
    assert_eq!((zigzag(5, 5), zigzag(5, 4), zigzag(5, 6)), (0, 1, 2));
}

#[test]
fn numbers_of_two_words_are_read_back() {
    for number in (0..128).flat_map(|bit| [1u128 << bit, (1 << bit) - 1, u128::MAX - (1 << bit)]) {
        let mut bytes = Vec::new();
        push_wide_varint(&mut bytes, number);
        let mut rest = &bytes[..];
        assert_eq!((take_wide_varint(&mut rest), rest.len()), (Some(number), 0));
        assert_eq!(take_wide_varint(&mut &bytes[..bytes.len() - 1]), None);
        for behind in [[0; 9], [0xff; 9]] {
            let longer = [&bytes[..], &behind].concat();
            let mut rest = &longer[..];
            assert_eq!((take_wide_varint(&mut rest), rest), (Some(number), &behind[..]));
        }
        // What fits one word is written as there.
        assert_eq!(u64::try_from(number).ok(), take_varint(&mut &bytes[..]));
    }
    assert_eq!(take_wide_varint(&mut &[0xff; 20][..]), None);
}

fn states(width: usize) -> impl Strategy<Value = Vec<State>> {
    let words = || proptest::collection::vec(prop_oneof![any::<u64>(), 0..100u64], width).prop_map(OwnKey::Words);
    let bytes = || proptest::collection::vec(any::<u8>(), 0..40).prop_map(OwnKey::Bytes);
    let key = prop_oneof![words().boxed(), bytes().boxed(), prop_oneof![9 => words(), 1 => bytes()].boxed()];
    proptest::collection::vec((key, prop_oneof![0..1_000u64, any::<u64>()], prop_oneof![0..4u32, any::<u32>()]), 0..200)
}

proptest! {
    #[test]
    fn what_is_pushed_is_read_back(
        (width, states) in prop_oneof![Just(0), Just(1), Just(3)].prop_flat_map(|width| (Just(width), states(width))),
        file_bytes in 60..4_000u64,
        cuts in proptest::collection::vec(0..200usize, 0..4),
    ) {
        let (files, folder) = in_memory();
        let mut log = LogWriter::with_file_bytes("log", width, file_bytes);
        let mut lengths = Vec::new();
        let mut start = 0;
        for cut in cuts {
            // Some states, and others after them, which are cut off again.
            let end = cut.clamp(start, states.len());
            lengths.push(push_all(&folder, &mut log, &states[start..end]).expect("a length"));
            push_all(&folder, &mut log, &states[..end.min(30)]).expect("a length");
            let length = lengths.last().expect("one");
            prop_assert_eq!(length.states, end as u64);
            log = LogWriter::go_on(&folder, "log", width, length, LogIndex::default()).expect("a log");
            let left = files.names().expect("names").into_iter().map(|name| (name.clone(), files.len(&name).expect("a length").expect("a file")));
            prop_assert_eq!(&left.collect::<Vec<_>>(), &length.files);
            start = end;
        }
        lengths.push(push_all(&folder, &mut log, &states[start..]).expect("a length"));
        for length in lengths {
            prop_assert_eq!(&read_all(&folder, width, &length).expect("states"), &states[..usize::try_from(length.states).expect("few")]);
        }
    }

    #[test]
    fn damaged_logs_are_refused(changes in proptest::collection::vec((any::<usize>(), 1..=255u8), 1..5), count in 1..400u64) {
        let (files, folder) = in_memory();
        let states = sample(count);
        let length = push_all(&folder, &mut LogWriter::new("log", 1), &states).expect("a length");
        for (at, mask) in changes {
            files.flip("log-0000", at % usize::try_from(length.files[0].1).expect("few"), mask);
        }
        if let Ok(found) = read_all(&folder, 1, &length) {
            prop_assert_eq!(found, states);
        }
    }
}
