//! The same on a real file system: locks, modes, links, and what a new folder may hold.

use super::*;

fn committed(path: &std::path::Path) -> Vec<State> {
    let folder = Folder::create(path, RUN).expect("a new folder");
    let states = sample(1_000);
    let length = push_all(&folder, &mut LogWriter::new("log", 1), &states).expect("a length");
    for _ in 0..3 {
        folder.commit(&text_of(&length)).expect("a commit");
    }
    states
}

#[test]
fn what_is_committed_is_read_by_the_next_process() {
    let place = tempfile::tempdir().expect("a folder");
    let path = place.path().join("checkpoint");
    let states = committed(&path);
    let look = Folder::look(&path).expect("a checkpoint");
    assert_eq!((look.run(), resume(&look).expect("states").1), (RUN, states.clone()));
    let folder = Folder::open(&path).expect("a checkpoint");
    let (length, found) = resume(&folder).expect("states");
    assert_eq!(found, states);
    let mut log = LogWriter::go_on(&folder, "log", 1, &length, LogIndex::default()).expect("a log");
    let length = push_all(&folder, &mut log, &states).expect("a length");
    folder.commit(&text_of(&length)).expect("a commit");
    folder.files().append("old-0000", b"x").expect("a file");
    folder.keep_only(&["log-0000"]).expect("no error");
    let names = ["lock", "log-0000", "manifest", "manifest.before", "reserve"];
    assert_eq!(folder.files().names().expect("names"), names);
    assert_eq!(resume(&Folder::look(&path).expect("a checkpoint")).expect("states").1, [&states[..], &states[..]].concat());
    folder.release_reserve();
    assert_eq!(folder.files().len("reserve").expect("no error"), None);
    drop(folder);
    let folder = Folder::open(&path).expect("a checkpoint");
    assert_eq!(folder.files().len("reserve").expect("no error"), Some(1 << 20));
}

#[test]
fn one_process_writes_a_folder() {
    let place = tempfile::tempdir().expect("a folder");
    committed(place.path());
    let folder = Folder::open(place.path()).expect("a checkpoint");
    let own = std::process::id();
    assert!(matches!(Folder::open(place.path()), Err(Trouble::InUse { process: Some(process) }) if process == own));
    assert!(Folder::look(place.path()).is_ok());
    drop(folder);
    assert!(Folder::open(place.path()).is_ok());
}

#[test]
fn a_new_checkpoint_takes_no_folder_with_other_files() {
    let place = tempfile::tempdir().expect("a folder");
    let path = place.path();
    assert!(matches!(Folder::open(path), Err(Trouble::NotACheckpoint)));
    assert!(matches!(Folder::open(&path.join("missing")), Err(Trouble::Io { .. })));
    assert_eq!(std::fs::read_dir(path).expect("a folder").count(), 0);
    // A run that was killed before its first manifest left some of these.
    drop(Folder::create(path, RUN).expect("an empty folder"));
    std::fs::write(path.join("manifest.new"), b"{\"bcheck_checkpoint\":2,\"r").expect("a file");
    let folder = Folder::create(path, RUN).expect("a folder with what a run left");
    assert!(matches!(Folder::create(path, RUN), Err(Trouble::InUse { .. })));
    assert_eq!(folder.files().names().expect("names"), ["lock", "reserve"]);
    drop(folder);
    // One that was killed earlier.
    for part in [&b""[..], b"bc"] {
        std::fs::write(path.join("reserve"), part).expect("a file");
        std::fs::write(path.join("manifest.new"), &b"{\"bcheck"[..part.len()]).expect("a file");
        drop(Folder::create(path, RUN).unwrap_or_else(|trouble| panic!("{part:?}: {trouble}")));
    }
    for other in ["notes", ".hidden", "log-0000", "manifest", "manifest.new"] {
        std::fs::write(path.join(other), b"x").expect("a file");
        assert!(matches!(Folder::create(path, RUN), Err(Trouble::NotEmpty)), "{other}");
        std::fs::remove_file(path.join(other)).expect("a file");
    }
    std::fs::create_dir(path.join("sub")).expect("a folder");
    assert!(matches!(Folder::create(path, RUN), Err(Trouble::NotEmpty)));
    std::fs::remove_dir(path.join("sub")).expect("a folder");
    committed(path);
    assert!(matches!(Folder::create(path, RUN), Err(Trouble::NotEmpty)));
}

#[cfg(unix)]
#[test]
fn files_are_private_and_links_are_not_followed() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let place = tempfile::tempdir().expect("a folder");
    let path = place.path().join("checkpoint");
    committed(&path);
    let mode = |path: &std::path::Path| std::fs::metadata(path).expect("a file").permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o700);
    for entry in std::fs::read_dir(&path).expect("a folder") {
        assert_eq!(mode(&entry.expect("an entry").path()), 0o600);
    }
    let target = place.path().join("precious");
    std::fs::write(&target, [b"bchk log".as_slice(), &[0; 100]].concat()).expect("a file");
    std::fs::remove_file(path.join("log-0000")).expect("a file");
    symlink(&target, path.join("log-0000")).expect("a link");
    let folder = Folder::open(&path).expect("a manifest");
    assert!(resume(&folder).is_err());
    let length = LogLength { states: 0, files: vec![("log-0000".to_owned(), 48)] };
    assert!(LogWriter::go_on(&folder, "log", 1, &length, LogIndex::default()).is_err());
    assert!(folder.files().append("log-0000", b"x").is_err());
    assert_eq!(std::fs::metadata(&target).expect("a file").len(), 108);
    for name in ["../precious", "a/b", "", ".", "..", "a\0b"] {
        assert!(folder.files().append(name, b"x").is_err(), "{name:?}");
    }
}

#[test]
fn another_format_is_refused_by_its_number() {
    let place = tempfile::tempdir().expect("a folder");
    let mut text = b"{\"bcheck_checkpoint\":1}\n\n".to_vec();
    let sum = xxhash_rust::xxh3::xxh3_64(&text);
    text.extend_from_slice(format!("{sum:016x}\n").as_bytes());
    std::fs::write(place.path().join("manifest"), text).expect("a file");
    let refusal = Folder::open(place.path()).err().expect("a refusal");
    assert_eq!(refusal.to_string(), "the checkpoint has format 1, and this version of bcheck reads format 2");
}
