//! Arbitrary bytes as input from another process, for a fuzzer and for tests: a stranger is rejected, and bytes that are not a message are
//! an error.
//!
//! Deliberately elsewhere: real connections (`tests`).

use super::frame::{Frame, read, write_message};
use super::links::Connection;
use super::rendezvous::{Identity, Refusal};
use crossbeam::queue::SegQueue;
use std::io::{self, Read, Write};

/// A connection that delivers these bytes.
struct Scripted<'b>(&'b [u8]);

impl Read for Scripted<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.read(into)
    }
}

impl Write for Scripted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Connection for Scripted<'_> {
    fn again(&self) -> io::Result<Box<dyn Connection>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn fail_after(&self, _: std::time::Duration) -> io::Result<()> {
        Ok(())
    }

    fn close(&self) {}

    fn is_of_same_user(&self) -> bool {
        true
    }
}

/// Process 0 of three.
const PEER: Identity = Identity { run: [7; 32], me: 0, processes: 3, key: [1; 32] };

/// Runs the handshake with a stranger; the bits of the first byte say which parts of its hello are correct. Returns why it is rejected.
pub fn refusal_of(bytes: &[u8]) -> Refusal {
    let (right, rest) = bytes.split_first().unwrap_or((&0, &[]));
    let mut said = rest.to_vec();
    let hello = Identity { me: 1, ..PEER }.hello();
    for (bit, part) in [0..8, 8..24, 24..56, 56..60, 60..64].into_iter().enumerate() {
        if right >> bit & 1 == 1 && said.len() >= part.end {
            said[part.clone()].copy_from_slice(&hello[part]);
        }
    }
    // The proof is over random bytes drawn for each handshake: no bytes chosen before match it.
    PEER.handshake(&mut Scripted(&said), |who| who > 0).expect_err("nobody knows the key")
}

/// Reads messages, and writes and reads each again; returns their number.
pub fn messages_in(mut bytes: &[u8]) -> usize {
    let mut messages = 0;
    loop {
        match read(&mut bytes, &SegQueue::new()) {
            Ok(Frame::Heartbeat) => {}
            Ok(Frame::Message { step, bytes }) => {
                let mut written = Vec::new();
                write_message(&mut written, step, &[&bytes]).expect("memory");
                let again = read(&mut &written[..], &SegQueue::new());
                assert!(matches!(again, Ok(Frame::Message { step: again, bytes: same }) if again == step && same == bytes));
                messages += 1;
            }
            Err(_) => return messages,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_stranger_gets_in(bytes in proptest::collection::vec(any::<u8>(), 0..150)) {
            refusal_of(&bytes);
            prop_assert_eq!(messages_in(&bytes), 0);
        }
    }

    #[test]
    fn a_stranger_is_told_apart_by_the_first_thing_that_is_wrong() {
        let said = |right: u8| refusal_of(&[&[right], &[9; 128][..]].concat());
        assert_eq!(said(0), Refusal::Stranger);
        assert!(matches!(said(1), Refusal::OtherVersion(_)));
        assert_eq!(
            [said(3), said(7), said(0b1_0111), said(0b1_1111)],
            [Refusal::OtherRun, Refusal::OtherNumber, Refusal::Unexpected, Refusal::OtherKey]
        );
        assert_eq!(refusal_of(&[0b1_1111, 0]), Refusal::Mute);
    }
}
