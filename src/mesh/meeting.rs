//! How the processes of a run find each other: each listens at its place, connects to those with lower numbers, and waits for those with
//! higher ones.
//!
//! Both sides of a connection show that they belong to the run before anything else is sent: they say which run, how many processes, and
//! who they are, and prove that they know the key of the run by a keyed hash (BLAKE3) over what both have said, random bytes included.
//! Without a key of the run, only processes of the same user are let in. Nothing is encrypted, and what follows is not authenticated.
//! Invariant: a stranger, or a process of another run, does no harm: it is turned away within [`TALK`], however it spends that time, and
//! cannot keep others from coming: each is talked with by itself, and where too many talk at a time, the oldest talk is broken off.
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

/// How long a new connection has for showing that it belongs to the run.
const TALK: Duration = Duration::from_secs(5);
/// The time between two tries to connect, or to accept.
const TRY: Duration = Duration::from_millis(20);
/// The most talks at a time. One with a process of the run takes milliseconds.
const MOST_TALKS: usize = 64;
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
        // Not blocking: a process that waits for others looks at the clock.
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
            Place::Address(address) => Box::new(TcpStream::connect_timeout(address, TALK)?),
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

/// A version as a process says it: as text, with zeros behind it.
const VERSION: &str = env!("CARGO_PKG_VERSION");
const VERSION_BYTES: usize = 16;

fn own_version() -> [u8; VERSION_BYTES] {
    let mut bytes = [0; VERSION_BYTES];
    bytes.iter_mut().zip(VERSION.bytes()).for_each(|(byte, letter)| *byte = letter);
    bytes
}

/// What another process calls its version, if it may be shown.
fn in_words(version: [u8; VERSION_BYTES]) -> String {
    let letters = version.iter().take_while(|byte| **byte != 0).map(|byte| char::from(*byte));
    letters.map(|letter| if letter.is_ascii_graphic() { letter } else { '?' }).collect()
}

/// What a process says of itself.
#[derive(Clone, Copy)]
pub struct Party {
    /// All processes of a run have the same.
    pub run: [u8; 32],
    /// Its number, from 0 on.
    pub me: usize,
    /// How many processes the run has.
    pub processes: usize,
    /// What strangers do not know.
    pub key: [u8; 32],
}

/// Why the processes did not meet.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what each is")]
pub enum Unmet {
    #[error("cannot listen at {place}: {source}")]
    Listen { place: Place, source: io::Error },
    #[error("process {process} was not met at {place} within {seconds} s{}", why(*refusal))]
    Missing { process: usize, place: Place, seconds: u64, refusal: Option<Refusal> },
    #[error("process {process} has not come within {seconds} s{}", why(*refusal))]
    NotCome { process: usize, seconds: u64, refusal: Option<Refusal> },
    #[error("cannot start a thread or prepare a connection: {0}")]
    Unready(#[from] io::Error),
}

impl Unmet {
    /// Whether the processes were told different things: waiting longer does not help.
    pub fn is_mismatch(&self) -> bool {
        let (Self::Missing { refusal, .. } | Self::NotCome { refusal, .. }) = self else { return false };
        refusal.is_some_and(|refusal| !matches!(refusal, Refusal::Mute | Refusal::Stranger | Refusal::OtherUser))
    }
}

fn why(refusal: Option<Refusal>) -> String {
    refusal.map_or_else(String::new, |refusal| format!("; the last that was met {refusal}"))
}

/// Why a connection was turned away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what each is")]
pub enum Refusal {
    #[error("said nothing, or has gone")]
    Mute,
    #[error("is no process of bcheck")]
    Stranger,
    #[error("is version {} of bcheck, and this one is {VERSION}", in_words(*.0))]
    OtherVersion([u8; VERSION_BYTES]),
    #[error("checks another machine, or with other options")]
    OtherRun,
    #[error("counts another number of processes")]
    OtherNumber,
    #[error("has a number that is not expected")]
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

impl Party {
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

    /// Who knows the key shows it by this hash over what both sides have said, its own first.
    fn proof(&self, own: &[u8; HELLO_BYTES], other: &[u8; HELLO_BYTES]) -> blake3::Hash {
        let mut hash = blake3::Hasher::new_keyed(&self.key);
        hash.update(own);
        hash.update(other);
        hash.finalize()
    }

    /// Talks with who is at the other end of a new connection; gives its number, which `is_expected`.
    pub(super) fn talk(&self, connection: &mut dyn Connection, is_expected: impl Fn(usize) -> bool) -> Result<usize, Refusal> {
        let mute = |_| Refusal::Mute;
        let end = Instant::now() + TALK;
        connection.fail_after(TALK).map_err(mute)?;
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
        // Not before: until the other process has taken the connection, its end belongs to nobody.
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

/// Fills the buffer, until then: who sends byte by byte has no more time than others.
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

/// Meets the processes at these places within this time.
///
/// # Errors
/// Names the first process that was not met, and why the last connection was turned away.
pub fn meet(party: Party, places: &[Place], within: Duration) -> Result<Links, Unmet> {
    let deadline = Instant::now().checked_add(within);
    let is_late = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
    let own = &places[party.me];
    let listener = own.listen().map_err(|source| Unmet::Listen { place: own.clone(), source })?;
    let mut connections: Vec<Option<Box<dyn Connection>>> = places.iter().map(|_| None).collect();
    let seconds = within.as_secs();
    for process in 0..party.me {
        let mut refusal = None;
        connections[process] = loop {
            // It may not listen yet, or be about to end because it was started for another run.
            let met = places[process]
                .connect()
                .map_err(|_| None)
                .and_then(|mut connection| party.talk(&mut *connection, |who| who == process).map(|_| connection).map_err(Some));
            match met {
                Ok(connection) => break Some(connection),
                Err(why) => refusal = more_telling(why, refusal),
            }
            if is_late() {
                return Err(Unmet::Missing { process, place: places[process].clone(), seconds, refusal });
            }
            thread::sleep(TRY);
        };
    }
    let (answer, answers) = unbounded();
    let mut refusal = None;
    // Those that go on, the oldest first, by their numbers.
    let mut talks: VecDeque<(usize, Box<dyn Connection>)> = VecDeque::new();
    let mut begun = 0;
    while let Some(process) = (0..places.len()).find(|process| *process != party.me && connections[*process].is_none()) {
        // Each new connection is talked with on a thread of its own, so that a silent one keeps nobody waiting. A few at a time, so that
        // answers are not left waiting either.
        for connection in std::iter::from_fn(|| listener.accept()).take(MOST_TALKS / 2) {
            // One whose handle cannot be had is gone, or there are too many open files.
            let Ok(handle) = connection.again() else { continue };
            if talks.len() == MOST_TALKS
                && let Some((_, oldest)) = talks.pop_front()
            {
                oldest.close();
            }
            talk_apart(party, connection, (begun, &answer))?;
            talks.push_back((begun, handle));
            begun += 1;
        }
        match answers.recv_timeout(TRY) {
            Ok((talk, answered)) => {
                talks.retain(|(other, _)| *other != talk);
                match answered {
                    // The second with a number is turned away: the first has it.
                    Ok((who, connection)) if connections[who].is_none() => connections[who] = Some(connection),
                    Ok(_) => refusal = more_telling(Some(Refusal::Unexpected), refusal),
                    Err(why) => refusal = more_telling(Some(why), refusal),
                }
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
        }
        if is_late() {
            return Err(Unmet::NotCome { process, seconds, refusal });
        }
    }
    Ok(Links::new(party.me, connections)?)
}

/// The number of a talk, and what has come of it.
type Answer = (usize, Result<(usize, Box<dyn Connection>), Refusal>);

fn talk_apart(party: Party, mut connection: Box<dyn Connection>, (talk, answer): (usize, &Sender<Answer>)) -> io::Result<()> {
    let answer = answer.clone();
    thread::Builder::new().name("meeting".to_owned()).spawn(move || {
        // Those with lower numbers were connected to, and do not come.
        let met = party.talk(&mut *connection, |who| who > party.me);
        // Nobody listens once all have come.
        let _ = answer.send((talk, met.map(|who| (who, connection))));
    })?;
    Ok(())
}
