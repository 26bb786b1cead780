//! Processes as threads: what they exchange, and how one of them is lost.

use super::frame::{self, Frame};
use super::links::{Connection, Links};
use super::pairs::links;
use super::rendezvous::{HELLO_BYTES, Identity, Place, Refusal, RendezvousError, rendezvous};
use super::{Loss, Mesh};
use crossbeam::queue::SegQueue;
use proptest::prelude::*;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::{Duration, Instant};

#[test]
fn messages_arrive_whole_and_in_their_steps() {
    let handles: Vec<_> = links(3)
        .into_iter()
        .map(|mut own| {
            thread::spawn(move || {
                for step in 0..200u32 {
                    // More than a connection holds, now and then; and long enough for the memory of an earlier one.
                    let size = match step % 50 {
                        7 => 3 << 20,
                        8..20 => 20_000 - step as usize,
                        _ => step as usize,
                    };
                    let to = |process: usize| vec![(step + 10 * own.me() as u32 + process as u32) as u8; size];
                    let messages: Vec<Vec<u8>> = (0..3).map(to).collect();
                    // In parts, of which some may be empty.
                    let parts = |message| <[u8]>::chunks(message, size / 3 + 1).chain([&[][..]]).collect();
                    let got = own.exchange(&messages.iter().map(|message| parts(message)).collect::<Vec<_>>()).expect("nobody is lost");
                    for (from, message) in got.iter().enumerate() {
                        let expected = (step + 10 * from as u32 + own.me() as u32) as u8;
                        assert!(message.len() == size && message.iter().all(|byte| *byte == expected), "{step} {from}");
                    }
                    if step % 3 > 0 {
                        own.recycle(got);
                    }
                    if own.me() == 1 && step % 20 == 0 {
                        thread::sleep(Duration::from_millis(3));
                    }
                }
            })
        })
        .collect();
    handles.into_iter().for_each(|handle| handle.join().expect("no failure"));
}

#[test]
fn a_process_that_leaves_is_lost_at_once() {
    let mut all = links(3);
    let mut last = all.pop().expect("three");
    last.leave();
    assert!(matches!(last.exchange(&[const { Vec::new() }; 3]), Err(Loss::Left)));
    for mut own in all {
        assert!(matches!(own.exchange(&vec![vec![&[1; 100][..]]; 3]), Err(Loss::Closed { .. })));
    }
}

#[test]
fn a_process_that_is_silent_is_lost() {
    let (here, there) = UnixStream::pair().expect("a pair");
    let mut own = Links::new(0, vec![None, Some(Box::new(here))]).expect("threads");
    let lost = own.exchange(&[const { Vec::new() }; 2]);
    assert!(matches!(lost, Err(Loss::Silent { process: 1, .. })), "{lost:?}");
    drop(there);
}

#[test]
fn a_process_that_only_works_is_not_lost() {
    let mut all = links(2);
    let mut slow = all.pop().expect("two");
    let other = thread::spawn(move || all.pop().expect("one").exchange(&[vec![&[1][..]], vec![&[2]]]));
    // Longer than a connection may be silent.
    thread::sleep(Duration::from_millis(4000));
    assert_eq!(slow.exchange(&[vec![&[3][..]], vec![&[4]]]).expect("nobody is lost"), [vec![2], vec![4]]);
    assert_eq!(other.join().expect("no panic").expect("nobody is lost"), [vec![1], vec![3]]);
}

#[test]
fn what_is_no_message_loses_the_process() {
    for noise in [[0xff; 25].to_vec(), [7; 2000].to_vec(), [0; 25].to_vec()] {
        let (here, mut there) = UnixStream::pair().expect("a pair");
        let mut own = Links::new(0, vec![None, Some(Box::new(here))]).expect("threads");
        there.write_all(&noise).expect("room");
        let lost = own.exchange(&[const { Vec::new() }; 2]);
        assert!(matches!(lost, Err(Loss::Broken { process: 1, .. })), "{lost:?}");
    }
}

#[test]
fn a_flipped_bit_of_a_message_is_noticed() {
    let mut sent = Vec::new();
    frame::write_message(&mut sent, 7, &[b"ranks of", b"", b" new states"]).expect("memory");
    for bit in 0..sent.len() * 8 {
        let mut flipped = sent.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        match frame::read(&mut &flipped[..], &SegQueue::new()) {
            // The step is compared with the expected one by who reads it.
            Ok(Frame::Message { step, bytes }) => assert!(step != 7 && bytes == b"ranks of new states", "{bit}"),
            Ok(Frame::Heartbeat) => panic!("{bit}: a message became a heartbeat"),
            Err(_) => {}
        }
    }
}

proptest! {
    #[test]
    fn bytes_of_any_kind_are_read_or_refused(kind in 0..3u8, length in prop_oneof![0..40u64, any::<u64>()], rest in prop::collection::vec(any::<u8>(), 0..80)) {
        let mut bytes = vec![kind];
        bytes.extend_from_slice(&[0; 8]);
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(&rest);
        if let Ok(Frame::Message { bytes, .. }) = frame::read(&mut &bytes[..], &SegQueue::new()) {
            prop_assert_eq!(bytes.len() as u64, length);
        }
        let _ = frame::read(&mut &rest[..], &SegQueue::new());
    }
}

fn peer(me: usize) -> Identity {
    Identity { run: [5; 32], me, processes: 3, key: [9; 32] }
}

/// Places in a folder, for three processes.
fn places(folder: &std::path::Path) -> Vec<Place> {
    (0..3).map(|process| Place::Socket(folder.join(process.to_string()))).collect()
}

#[test]
fn processes_meet_in_any_order_and_strangers_are_turned_away() {
    let folder = tempfile::tempdir().expect("a folder");
    let places = places(folder.path());
    let start = |me: usize| {
        let places = places.clone();
        thread::spawn(move || rendezvous(peer(me), &places, Duration::from_secs(60)))
    };
    let (last, first_one) = (start(2), start(0));
    // While process 0 waits for process 1: a silent stranger, one that sends bytes, one of another run, one without the key.
    let Place::Socket(first) = &places[0] else { unreachable!("all are sockets") };
    let connect = || loop {
        // It may not listen yet.
        match UnixStream::connect(first) {
            Ok(stream) => break stream,
            Err(_) => thread::sleep(Duration::from_millis(5)),
        }
    };
    let silent = connect();
    let _ = connect().write_all(&[b'x'; 200]);
    for wrong in [Identity { run: [6; 32], ..peer(1) }, Identity { key: [8; 32], ..peer(1) }, Identity { processes: 4, ..peer(1) }] {
        let mut stranger: Box<dyn Connection> = Box::new(connect());
        let mut hello = [0; HELLO_BYTES];
        let _ = stranger.write_all(&wrong.hello());
        let _ = stranger.read_exact(&mut hello);
    }
    let links = [first_one, start(1), last].map(|handle| handle.join().expect("no panic").expect("they meet"));
    let steps: Vec<_> = links
        .into_iter()
        .map(|mut own| {
            thread::spawn(move || {
                let messages: Vec<[u8; 2]> = (0..3).map(|to| [own.me() as u8, to]).collect();
                own.exchange(&messages.iter().map(|message| vec![&message[..]]).collect::<Vec<_>>()).expect("nobody is lost")
            })
        })
        .collect();
    for (me, step) in steps.into_iter().enumerate() {
        assert_eq!(step.join().expect("no panic"), (0..3).map(|from| vec![from, me as u8]).collect::<Vec<_>>());
    }
    drop(silent);
}

#[test]
fn strangers_do_not_block_the_rendezvous() {
    let folder = tempfile::tempdir().expect("a folder");
    let places = places(folder.path())[..2].to_vec();
    let start = |me: usize| {
        let places = places.clone();
        thread::spawn(move || rendezvous(Identity { processes: 2, ..peer(me) }, &places, Duration::from_secs(60)))
    };
    let first_one = start(0);
    let Place::Socket(first) = places[0].clone() else { unreachable!("all are sockets") };
    let connect = move || loop {
        // It may not listen yet, or have as many waiting as it may.
        match UnixStream::connect(&first) {
            Ok(stream) => break stream,
            Err(_) => thread::sleep(Duration::from_millis(5)),
        }
    };
    // More handshakes than are performed at a time; and some that begin correctly and continue byte by byte.
    let silent: Vec<UnixStream> = (0..100).map(|_| connect()).collect();
    let mut slow: Vec<UnixStream> = (0..8).map(|_| connect()).collect();
    let (ended, end) = crossbeam::channel::bounded::<()>(0);
    let strangers = thread::spawn(move || {
        let hello = Identity { processes: 2, ..peer(1) }.hello();
        for byte in hello {
            slow.iter_mut().for_each(|stranger| _ = stranger.write_all(&[byte]));
            if end.recv_timeout(Duration::from_millis(300)) != Err(crossbeam::channel::RecvTimeoutError::Timeout) {
                return;
            }
        }
    });
    let began = Instant::now();
    let links = [start(1), first_one].map(|handle| handle.join().expect("no panic").expect("they meet"));
    assert!(began.elapsed() < Duration::from_secs(20), "several times the limit of a handshake");
    drop((ended, silent, links));
    strangers.join().expect("no panic");
}

#[test]
fn a_stranger_that_sends_byte_by_byte_is_turned_away_in_time() {
    let (mut here, mut there) = UnixStream::pair().expect("a pair");
    let stranger = thread::spawn(move || {
        let began = Instant::now();
        let hello = peer(1).hello();
        // Each byte comes within the time limit of a handshake, all of them do not.
        hello
            .iter()
            .take_while(|byte| {
                thread::sleep(Duration::from_millis(400));
                there.write_all(&[**byte]).is_ok() && began.elapsed() < Duration::from_secs(30)
            })
            .count()
    });
    let began = Instant::now();
    assert_eq!(peer(0).handshake(&mut here, |_| true), Err(Refusal::Mute));
    assert!(began.elapsed() < Duration::from_secs(20));
    drop(here);
    assert!(stranger.join().expect("no panic") < HELLO_BYTES);
}

#[test]
fn a_process_that_does_not_come_or_is_of_another_run_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let places = places(folder.path());
    let second = Duration::from_secs(1);
    let began = Instant::now();
    let others = places.clone();
    let other = thread::spawn(move || rendezvous(Identity { run: [6; 32], ..peer(1) }, &others, 2 * second));
    let own = rendezvous(peer(0), &places, 2 * second);
    assert!(matches!(own, Err(RendezvousError::NotCome { process: 1, refusal: Some(Refusal::OtherRun), .. })), "{:?}", own.err());
    let other = other.join().expect("no panic");
    assert!(
        matches!(other, Err(RendezvousError::Missing { process: 0, refusal: Some(Refusal::OtherRun | Refusal::Mute), .. })),
        "{:?}",
        other.err()
    );
    assert!(began.elapsed() < Duration::from_secs(20));
}
