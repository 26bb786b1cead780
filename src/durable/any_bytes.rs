//! Arbitrary bytes as files of a checkpoint, for a fuzzer and for tests: they are refused, or the data read can be written and read again.
//!
//! Blocks and manifests get correct checksums: no fuzzer finds one, and a forged file has it. Deliberately elsewhere: changed bytes under
//! checksums that were correct before (`tests`).

use super::block::{BlockWriter, forge};
use super::coding::{Coding, TwoWords};
use super::faulty::FaultyFiles;
use super::files::Files;
use super::folder::Folder;
use super::head::{LOG, RUN, head};
use super::identity::RunId;
use super::log::{Key, LogLength, LogWriter};
use super::log_reader::read_log;
use super::manifest::{self, Manifest};
use super::run::{Run, RunFile, RunWriter};
use std::ops::ControlFlow;
use xxhash_rust::xxh3::{Xxh3Default, xxh3_64};

const OWN: RunId = RunId([7; 32]);

/// Reads bytes as one of the files of a checkpoint; the first byte chooses which.
pub fn read_as_checkpoint(bytes: &[u8]) {
    let Some((kind, rest)) = bytes.split_first() else { return };
    match kind % 5 {
        0 => read_as_log(rest),
        1 => read_as_run::<u64>(rest),
        2 => read_as_run::<TwoWords>(rest),
        3 => read_as_run::<Vec<u8>>(rest),
        _ => read_as_manifest(rest),
    }
}

fn folder_with(name: &str, content: &[u8]) -> Folder {
    let files = FaultyFiles::default();
    files.append(name, content).expect("a file in memory");
    Folder::with_files(Box::new(files), OWN)
}

/// A file of blocks, how many entries they claim together, and the digest of their checksums. Of each block a byte is the number of its
/// entries, one its kind, one its length.
fn in_blocks(kind: [u8; 8], mut bytes: &[u8]) -> (Vec<u8>, u64, String) {
    let (mut content, mut entries, mut digest) = (head(kind, OWN).to_vec(), 0, Xxh3Default::new());
    while let [count, form, length, rest @ ..] = bytes {
        let (payload, rest) = rest.split_at(rest.len().min(usize::from(*length)));
        let numbers = (u32::from(*count), entries);
        let sum = match form % 4 {
            0 => forge(payload, numbers, &mut content),
            _ => BlockWriter::default().write(payload, numbers.0, numbers.1, &mut content),
        };
        digest.update(&sum.to_le_bytes());
        entries += u64::from(*count);
        bytes = rest;
    }
    (content, entries, format!("{:016x}", digest.digest()))
}

#[derive(Clone, Debug, PartialEq)]
enum OwnKey {
    Words(Vec<u64>),
    Bytes(Vec<u8>),
}

fn states_of(folder: &Folder, width: usize, length: &LogLength) -> Option<Vec<(OwnKey, u64, u32)>> {
    let mut states = Vec::new();
    let read = read_log(folder, width, length, &mut |number, key, parent, class| {
        assert_eq!(number, states.len() as u64);
        let own = match key {
            Key::Words(words) => OwnKey::Words(words.to_vec()),
            Key::Bytes(bytes) => OwnKey::Bytes(bytes.to_vec()),
        };
        states.push((own, parent, class));
        ControlFlow::Continue(())
    });
    read.is_ok().then_some(states)
}

fn read_as_log(bytes: &[u8]) {
    let Some((width, rest)) = bytes.split_first() else { return };
    let (width, (content, states, _)) = (usize::from(width % 4), in_blocks(LOG, rest));
    let length = LogLength { states, files: vec![("log-0000".to_owned(), content.len() as u64)] };
    let Some(found) = states_of(&folder_with("log-0000", &content), width, &length) else { return };
    assert_eq!(found.len() as u64, states);
    let (folder, mut log) = (folder_with("other", &[]), LogWriter::new("log", width));
    for (key, parent, class) in &found {
        let key = match key {
            OwnKey::Words(words) => Key::Words(words),
            OwnKey::Bytes(bytes) => Key::Bytes(bytes),
        };
        log.push(&folder, key, *parent, *class).expect("a file in memory");
    }
    let length = log.flush(&folder).expect("a file in memory");
    assert_eq!(states_of(&folder, width, &length), Some(found));
}

fn keys_of<K: Coding>(folder: &Folder, run: &Run<K>) -> Vec<K> {
    let (mut keys, mut found) = (run.keys(folder), Vec::new());
    while keys.next().expect("it was read before") {
        found.push(keys.key.clone());
    }
    found
}

fn read_as_run<K: Coding>(bytes: &[u8]) {
    let (content, keys, digest) = in_blocks(RUN, bytes);
    let folder = folder_with("run", &content);
    let file = RunFile { name: "run".to_owned(), keys, bytes: content.len() as u64, digest };
    let Ok(run) = Run::<K>::open(&folder, file) else { return };
    let found = keys_of(&folder, &run);
    assert_eq!(found.len() as u64, keys);
    assert!(found.windows(2).all(|pair| pair[0] < pair[1]), "keys of a run ascend");
    let mut writer = RunWriter::new(&folder, "again".to_owned()).expect("a file in memory");
    found.iter().for_each(|key| writer.push(&folder, key).expect("a file in memory"));
    let again = writer.finish(&folder).expect("a file in memory");
    assert!(Run::<K>::open(&folder, again.file.clone()).is_ok() && keys_of(&folder, &again) == found);
}

fn read_as_manifest(bytes: &[u8]) {
    let content = [bytes, format!("{:016x}\n", xxh3_64(bytes)).as_bytes()].concat();
    let folder = folder_with("manifest", &content);
    let Ok(Some(Manifest { run, generation, text })) = manifest::read(folder.files(), "manifest") else { return };
    let again = folder_with("manifest", &manifest::encode(run, generation, &text));
    let again = manifest::read(again.files(), "manifest").ok().flatten().expect("it was encoded");
    assert!(again.run == run && again.generation == generation && again.text == text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::head::HEAD_BYTES;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_bytes_are_refused_or_can_be_written_again(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            read_as_checkpoint(&bytes);
        }

        #[test]
        fn short_blocks_are_refused_or_can_be_written_again(
            kind in 0..5u8, blocks in proptest::collection::vec((1..4u8, 1..9u8, proptest::collection::vec(0..6u8, 0..9)), 0..4),
        ) {
            let of_block = |(count, form, payload): &(u8, u8, Vec<u8>)| [&[*count, *form, payload.len() as u8], &payload[..]].concat();
            let bytes: Vec<u8> = blocks.iter().flat_map(of_block).collect();
            read_as_checkpoint(&[&[kind], &bytes[..]].concat());
            // A log with keys of no words, and of one.
            read_as_checkpoint(&[&[0, kind], &bytes[..]].concat());
        }
    }

    #[test]
    fn what_is_written_is_not_refused() {
        // One key, 5, then two of bytes: "a" and "b".
        let (content, keys, digest) = in_blocks(RUN, &[1, 1, 1, 5]);
        let file = RunFile { name: "run".to_owned(), keys, bytes: content.len() as u64, digest };
        assert!(Run::<u64>::open(&folder_with("run", &content), file).is_ok());
        let (content, keys, digest) = in_blocks(RUN, &[2, 1, 6, 0, 1, b'a', 0, 1, b'b']);
        let file = RunFile { name: "run".to_owned(), keys, bytes: content.len() as u64, digest };
        assert!(Run::<Vec<u8>>::open(&folder_with("run", &content), file).is_ok());
        assert_eq!(content.len(), HEAD_BYTES + 24 + 6);
        // One state with a key of no words, parent 0, and a class.
        let (content, states, _) = in_blocks(LOG, &[1, 1, 4, 0, 0, 3, 1]);
        let length = LogLength { states, files: vec![("log-0000".to_owned(), content.len() as u64)] };
        assert_eq!(states_of(&folder_with("log-0000", &content), 0, &length), Some(vec![(OwnKey::Words(Vec::new()), 0, 3)]));
    }
}
