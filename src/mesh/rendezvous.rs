//! The rendezvous of the processes of a run: each listens at its place, connects to those with lower numbers, and waits for those with
//! higher ones.
//!
//! In the handshake on each connection, both sides send the run, the number of processes and their own number, and prove that they have
//! the key of the run by a keyed hash (BLAKE3) over both hellos, which contain random bytes (challenge and response). Without a key, only
//! processes of the same user are admitted. Nothing is encrypted, and later messages are not authenticated.
//! Invariant: a stranger, or a process of another run, does no harm: it is rejected within [`HANDSHAKE`], however it spends that time, and
//! cannot keep others from connecting: each handshake has a thread of its own, and where too many are under way, the oldest is broken off.
//! Deliberately elsewhere: where the processes are and who has started them (`cli`).

use super::links::{Connection, Links};
#[cfg(unix)]
use super::local;
use crossbeam::channel::{RecvTimeoutError, Sender, unbounded};
use std::collections::VecDeque;
use std::fmt::{self, Display};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
#[cfg(unix)]
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

/// The time in which a new connection must show that it belongs to the run.
const HANDSHAKE: Duration = Duration::from_secs(5);
/// The time between two tries to connect, or to accept.
const TRY: Duration = Duration::from_millis(20);
/// The most handshakes at a time. One with a process of the run takes milliseconds.
const MOST_HANDSHAKES: usize = 64;
/// The key of a run that has none.
pub const NO_KEY: [u8; 32] = [0; 32];
const MAGIC: [u8; 8] = *b"bcheckP1";
pub(super) const HELLO_BYTES: usize = 8 + 16 + 32 + 4 + 4 + 32;
const PROOF_BYTES: usize = 32;

/// Where a process listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A socket in a folder that nobody else can enter.
    #[cfg(unix)]
    Socket(PathBuf),
    /// A port of a host.
    Address(SocketAddr),
}

impl Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            #[cfg(unix)]
            Place::Socket(path) => write!(f, "{}", path.display()),
            Place::Address(address) => write!(f, "{address}"),
        }
    }
}

enum Listener {
    #[cfg(unix)]
    Socket(UnixListener),
    Address(TcpListener),
}

impl Place {
    fn listen(&self) -> io::Result<Listener> {
        // Non-blocking: a process that waits for others also checks its deadline.
        Ok(match self {
            #[cfg(unix)]
            Place::Socket(path) => {
                let (path, _folder) = local::short(path)?;
                let listener = UnixListener::bind(path)?;
                listener.set_nonblocking(true)?;
                Listener::Socket(listener)
            }
            Place::Address(address) => {
                let listener = TcpListener::bind(address)?;
                listener.set_nonblocking(true)?;
                Listener::Address(listener)
            }
        })
    }

    fn connect(&self) -> io::Result<Box<dyn Connection>> {
        Ok(match self {
            #[cfg(unix)]
            Place::Socket(path) => {
                let (path, _folder) = local::short(path)?;
                Box::new(UnixStream::connect(path)?)
            }
            Place::Address(address) => Box::new(TcpStream::connect_timeout(address, HANDSHAKE)?),
        })
    }
}

impl Listener {
    /// A new connection, if there is one. A stranger that has gone again, or too many open files, do not end the run: the clock decides.
    fn accept(&self) -> Option<Box<dyn Connection>> {
        match self {
            #[cfg(unix)]
            Listener::Socket(listener) => listener.accept().ok().map(|(stream, _)| Box::new(stream) as _),
            Listener::Address(listener) => listener.accept().ok().map(|(stream, _)| Box::new(stream) as _),
        }
    }
}

/// The version as it is sent: as text, padded with zeros.
const VERSION: &str = env!("CARGO_PKG_VERSION");
const VERSION_BYTES: usize = 16;

fn own_version() -> [u8; VERSION_BYTES] {
    let mut bytes = [0; VERSION_BYTES];
    bytes.iter_mut().zip(VERSION.bytes()).for_each(|(byte, letter)| *byte = letter);
    bytes
}

/// The version of another process, if it may be shown.
fn in_words(version: [u8; VERSION_BYTES]) -> String {
    let letters = version.iter().take_while(|byte| **byte != 0).map(|byte| char::from(*byte));
    letters.map(|letter| if letter.is_ascii_graphic() { letter } else { '?' }).collect()
}

/// The identity of a process in a run.
#[derive(Clone, Copy)]
pub struct Identity {
    /// The same in all processes of a run.
    pub run: [u8; 32],
    /// Its number, from 0 on.
    pub me: usize,
    /// How many processes the run has.
    pub processes: usize,
    /// The shared secret of the run.
    pub key: [u8; 32],
}

/// Why the rendezvous failed.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what each is")]
pub enum RendezvousError {
    #[error("cannot listen at {place}: {source}")]
    Listen { place: Place, source: io::Error },
    #[error("process {process} was not reached at {place} within {seconds} s{}", why(*refusal))]
    Missing { process: usize, place: Place, seconds: u64, refusal: Option<Refusal> },
    #[error("process {process} has not connected within {seconds} s{}", why(*refusal))]
    NotCome { process: usize, seconds: u64, refusal: Option<Refusal> },
    #[error("cannot start a thread or prepare a connection: {0}")]
    Unready(#[from] io::Error),
}

impl RendezvousError {
    /// Whether the processes were started with different arguments: waiting longer does not help.
    pub fn is_mismatch(&self) -> bool {
        let (Self::Missing { refusal, .. } | Self::NotCome { refusal, .. }) = self else { return false };
        refusal.is_some_and(|refusal| !matches!(refusal, Refusal::Mute | Refusal::Stranger | Refusal::OtherUser))
    }
}

fn why(refusal: Option<Refusal>) -> String {
    refusal.map_or_else(String::new, |refusal| format!("; the last peer {refusal}"))
}

/// Why a connection was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what each is")]
pub enum Refusal {
    #[error("said nothing, or has gone")]
    Mute,
    #[error("is not a process of bcheck")]
    Stranger,
    #[error("is version {} of bcheck, and this one is {VERSION}", in_words(*.0))]
    OtherVersion([u8; VERSION_BYTES]),
    #[error("checks another machine, or with other options")]
    OtherRun,
    #[error("counts another number of processes")]
    OtherNumber,
    #[error("has an unexpected number")]
    Unexpected,
    #[error("has another key")]
    OtherKey,
    #[error("is of another user, who needs a key (--mesh-key)")]
    OtherUser,
}

/// Prefers the later refusal unless it is `Mute`: a rejected peer disconnects without a reason.
fn more_telling(later: Option<Refusal>, before: Option<Refusal>) -> Option<Refusal> {
    later.filter(|refusal| *refusal != Refusal::Mute).or(before).or(later)
}

impl Identity {
    pub(super) fn hello(&self) -> [u8; HELLO_BYTES] {
        let number = |number: usize| u32::try_from(number).expect("few processes").to_le_bytes();
        let mut hello = [0; HELLO_BYTES];
        hello[..8].copy_from_slice(&MAGIC);
        hello[8..24].copy_from_slice(&own_version());
        hello[24..56].copy_from_slice(&self.run);
        hello[56..60].copy_from_slice(&number(self.me));
        hello[60..64].copy_from_slice(&number(self.processes));
        // So that no proof can be used a second time.
        for word in hello[64..].chunks_exact_mut(8) {
            // A keyed hash whose key is random: std has no other randomness.
            word.copy_from_slice(&RandomState::new().build_hasher().finish().to_le_bytes());
        }
        hello
    }

    /// The proof of knowing the key: a keyed hash over both hellos, the sender's first.
    fn proof(&self, own: &[u8; HELLO_BYTES], other: &[u8; HELLO_BYTES]) -> blake3::Hash {
        let mut hash = blake3::Hasher::new_keyed(&self.key);
        hash.update(own);
        hash.update(other);
        hash.finalize()
    }

    /// Performs the handshake on a new connection; returns the number of the other process, for which `is_expected` holds.
    pub(super) fn handshake(&self, connection: &mut dyn Connection, is_expected: impl Fn(usize) -> bool) -> Result<usize, Refusal> {
        let mute = |_| Refusal::Mute;
        let end = Instant::now() + HANDSHAKE;
        connection.fail_after(HANDSHAKE).map_err(mute)?;
        let own = self.hello();
        connection.write_all(&own).map_err(mute)?;
        let mut other = [0; HELLO_BYTES];
        read_until(connection, &mut other, end).map_err(mute)?;
        let number = |at: usize| u32::from_le_bytes(other[at..at + 4].try_into().expect("four bytes")) as usize;
        let who = number(56);
        let refusal = if other[..8] != MAGIC {
            Some(Refusal::Stranger)
        } else if other[8..24] != own_version() {
            Some(Refusal::OtherVersion(other[8..24].try_into().expect("sixteen bytes")))
        } else if other[24..56] != self.run {
            Some(Refusal::OtherRun)
        } else if number(60) != self.processes {
            Some(Refusal::OtherNumber)
        } else {
            (who >= self.processes || who == self.me || !is_expected(who)).then_some(Refusal::Unexpected)
        };
        if let Some(refusal) = refusal {
            return Err(refusal);
        }
        // Not before: until the other process has accepted the connection, its end belongs to no user.
        if self.key == NO_KEY && !connection.is_of_same_user() {
            return Err(Refusal::OtherUser);
        }
        connection.write_all(self.proof(&own, &other).as_bytes()).map_err(mute)?;
        let mut proof = [0; PROOF_BYTES];
        read_until(connection, &mut proof, end).map_err(mute)?;
        // Compared in constant time.
        if self.proof(&other, &own) == blake3::Hash::from(proof) { Ok(who) } else { Err(Refusal::OtherKey) }
    }
}

/// Fills the buffer before the deadline: a peer that sends byte by byte gets no more time than others.
fn read_until(connection: &mut dyn Connection, mut buffer: &mut [u8], end: Instant) -> io::Result<()> {
    while !buffer.is_empty() {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        connection.fail_after(left)?;
        match connection.read(buffer) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => buffer = &mut buffer[read..],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Connects to the processes at these places within this time.
///
/// # Errors
/// Names the first process that was not reached, and why the last connection was rejected.
pub fn rendezvous(peer: Identity, places: &[Place], within: Duration) -> Result<Links, RendezvousError> {
    let deadline = Instant::now().checked_add(within);
    let is_late = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
    let own = &places[peer.me];
    let listener = own.listen().map_err(|source| RendezvousError::Listen { place: own.clone(), source })?;
    let mut connections: Vec<Option<Box<dyn Connection>>> = places.iter().map(|_| None).collect();
    let seconds = within.as_secs();
    for process in 0..peer.me {
        let mut refusal = None;
        connections[process] = loop {
            // It may not listen yet, or be about to end because it was started for another run.
            let met = places[process]
                .connect()
                .map_err(|_| None)
                .and_then(|mut connection| peer.handshake(&mut *connection, |who| who == process).map(|_| connection).map_err(Some));
            match met {
                Ok(connection) => break Some(connection),
                Err(why) => refusal = more_telling(why, refusal),
            }
            if is_late() {
                return Err(RendezvousError::Missing { process, place: places[process].clone(), seconds, refusal });
            }
            thread::sleep(TRY);
        };
    }
    let (answer, answers) = unbounded();
    let mut refusal = None;
    // Those in progress, the oldest first, by their numbers.
    let mut handshakes: VecDeque<(usize, Box<dyn Connection>)> = VecDeque::new();
    let mut begun = 0;
    while let Some(process) = (0..places.len()).find(|process| *process != peer.me && connections[*process].is_none()) {
        // Each handshake runs on a thread of its own, so that a silent peer does not block the others. A few are accepted at a time, so
        // that finished ones are collected in between.
        for connection in std::iter::from_fn(|| listener.accept()).take(MOST_HANDSHAKES / 2) {
            // One whose handle cannot be had is gone, or there are too many open files.
            let Ok(handle) = connection.again() else { continue };
            if handshakes.len() == MOST_HANDSHAKES
                && let Some((_, oldest)) = handshakes.pop_front()
            {
                oldest.close();
            }
            handshake_apart(peer, connection, (begun, &answer))?;
            handshakes.push_back((begun, handle));
            begun += 1;
        }
        match answers.recv_timeout(TRY) {
            Ok((handshake, answered)) => {
                handshakes.retain(|(other, _)| *other != handshake);
                match answered {
                    // The second with a number is rejected: the first has it.
                    Ok((who, connection)) if connections[who].is_none() => connections[who] = Some(connection),
                    Ok(_) => refusal = more_telling(Some(Refusal::Unexpected), refusal),
                    Err(why) => refusal = more_telling(Some(why), refusal),
                }
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
        }
        if is_late() {
            return Err(RendezvousError::NotCome { process, seconds, refusal });
        }
    }
    Ok(Links::new(peer.me, connections)?)
}

/// The number of a handshake, and its result.
type Answer = (usize, Result<(usize, Box<dyn Connection>), Refusal>);

fn handshake_apart(peer: Identity, mut connection: Box<dyn Connection>, (handshake, answer): (usize, &Sender<Answer>)) -> io::Result<()> {
    let answer = answer.clone();
    thread::Builder::new().name("rendezvous".to_owned()).spawn(move || {
        // Those with lower numbers were connected to, and do not come.
        let met = peer.handshake(&mut *connection, |who| who > peer.me);
        // Nobody listens once all have come.
        let _ = answer.send((handshake, met.map(|who| (who, connection))));
    })?;
    Ok(())
}
