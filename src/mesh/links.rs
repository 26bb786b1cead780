//! Connections to all other processes: one thread for each reads incoming frames, one for all sends heartbeats.
//!
//! A connection that is silent for longer than [`SILENCE`] counts as lost: a process that works on one state for an hour still sends
//! heartbeats, one that is stopped does not.
//! Invariant: a writer never waits for its own process to read, as each connection is read by a thread of its own; so two processes that
//! send each other more than a connection buffers do not block each other. Deliberately elsewhere: how connections are made
//! (`rendezvous`), and what is sent over them (`frame`).

use super::frame::{self, Frame, Unread};
use super::{Loss, Mesh, Parts, local};
use crossbeam::channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};
use crossbeam::queue::SegQueue;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// After this silence on a connection, its process is lost.
const SILENCE: Duration = if cfg!(test) { Duration::from_secs(3) } else { Duration::from_secs(60) };
/// The most bytes of buffer that are reused for the next message of a process.
const MOST_KEPT: usize = 1 << 24;
/// The time between two heartbeats.
const INTERVAL: Duration = Duration::from_secs(1);

/// A connection to another process.
pub trait Connection: Read + Write + Send {
    /// Another handle of the same connection.
    fn again(&self) -> io::Result<Box<dyn Connection>>;

    /// Reading and writing block, and fail after this time.
    fn fail_after(&self, time: Duration) -> io::Result<()>;

    /// Ends it, for all handles.
    fn close(&self);

    /// Whether the other end belongs to the user of this process, as far as the system reports it.
    fn is_of_same_user(&self) -> bool;
}

#[cfg(unix)]
impl Connection for UnixStream {
    fn again(&self) -> io::Result<Box<dyn Connection>> {
        Ok(Box::new(self.try_clone()?))
    }

    fn fail_after(&self, time: Duration) -> io::Result<()> {
        self.set_nonblocking(false)?;
        self.set_read_timeout(Some(time))?;
        self.set_write_timeout(Some(time))
    }

    fn close(&self) {
        // It may be closed already.
        let _ = self.shutdown(Shutdown::Both);
    }

    fn is_of_same_user(&self) -> bool {
        // Nobody else can enter the folder of the socket.
        true
    }
}

impl Connection for TcpStream {
    fn again(&self) -> io::Result<Box<dyn Connection>> {
        Ok(Box::new(self.try_clone()?))
    }

    fn fail_after(&self, time: Duration) -> io::Result<()> {
        // Small messages, which decide whether a pass continues, must not wait to be coalesced (Nagle's algorithm).
        self.set_nodelay(true)?;
        self.set_nonblocking(false)?;
        self.set_read_timeout(Some(time))?;
        self.set_write_timeout(Some(time))
    }

    fn close(&self) {
        let _ = self.shutdown(Shutdown::Both);
    }

    fn is_of_same_user(&self) -> bool {
        local::is_of_same_user(self)
    }
}

/// One other process.
struct Peer {
    writer: Arc<Mutex<Box<dyn Connection>>>,
    arrived: Receiver<Result<(u64, Vec<u8>), Unread>>,
    /// Memory for what arrives.
    emptied: Arc<SegQueue<Vec<u8>>>,
    /// To close it while a thread writes.
    handle: Box<dyn Connection>,
}

/// The connections to all other processes.
pub struct Links {
    me: usize,
    /// `None` for this process.
    peers: Vec<Option<Peer>>,
    step: u64,
    has_left: bool,
    /// Dropped with the links, which ends the heartbeats.
    _alive: Sender<()>,
}

impl Links {
    /// Over these connections, one for each process but this one.
    pub fn new(me: usize, connections: Vec<Option<Box<dyn Connection>>>) -> io::Result<Self> {
        let (alive, ended) = bounded(0);
        let mut peers = Vec::new();
        for connection in connections {
            peers.push(connection.map(Peer::new).transpose()?);
        }
        let writers: Vec<_> = peers.iter().flatten().map(|peer| Arc::clone(&peer.writer)).collect();
        thread::Builder::new().name("heartbeats".to_owned()).spawn(move || send_heartbeats(&writers, &ended))?;
        Ok(Self { me, peers, step: 0, has_left: false, _alive: alive })
    }

    fn loss(process: usize, unread: Unread) -> Loss {
        match unread {
            Unread::Closed => Loss::Closed { process },
            Unread::Silent => Loss::Silent { process, seconds: SILENCE.as_secs() },
            Unread::Broken(what) => Loss::Broken { process, what },
        }
    }
}

impl Peer {
    fn new(connection: Box<dyn Connection>) -> io::Result<Self> {
        connection.fail_after(SILENCE)?;
        let (mut reader, handle) = (connection.again()?, connection.again()?);
        let (arrive, arrived) = unbounded();
        let emptied = Arc::new(SegQueue::new());
        let own_emptied = Arc::clone(&emptied);
        thread::Builder::new().name("messages".to_owned()).spawn(move || {
            loop {
                let sent = match frame::read(&mut *reader, &own_emptied) {
                    Ok(Frame::Heartbeat) => continue,
                    Ok(Frame::Message { step, bytes }) => arrive.send(Ok((step, bytes))),
                    Err(unread) => {
                        // A waiting receiver learns why no message comes; if none waits any more, nothing is lost.
                        let _ = arrive.send(Err(unread));
                        return;
                    }
                };
                if sent.is_err() {
                    return;
                }
            }
        })?;
        Ok(Self { writer: Arc::new(Mutex::new(connection)), arrived, emptied, handle })
    }
}

/// Sends heartbeats until the links are gone.
fn send_heartbeats(writers: &[Arc<Mutex<Box<dyn Connection>>>], ended: &Receiver<()>) {
    while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(INTERVAL) {
        for writer in writers {
            // A message being written serves as a heartbeat. A write fails on a broken connection only, which its reader reports.
            if let Ok(mut writer) = writer.try_lock() {
                let _ = frame::write_heartbeat(&mut **writer);
            }
        }
    }
}

impl Mesh for Links {
    fn me(&self) -> usize {
        self.me
    }

    fn processes(&self) -> usize {
        self.peers.len()
    }

    fn exchange(&mut self, messages: &[Parts<'_>]) -> Result<Vec<Vec<u8>>, Loss> {
        if self.has_left {
            return Err(Loss::Left);
        }
        self.step += 1;
        for (process, peer) in self.peers.iter().enumerate() {
            let Some(peer) = peer else { continue };
            let mut writer = peer.writer.lock().unwrap_or_else(PoisonError::into_inner);
            let written = frame::write_message(&mut **writer, self.step, &messages[process]);
            written.map_err(|error| Self::loss(process, error.into()))?;
        }
        let mut all = vec![Vec::new(); messages.len()];
        all[self.me] = messages[self.me].concat();
        for (process, peer) in self.peers.iter().enumerate() {
            let Some(peer) = peer else { continue };
            // The reader reports a silent or closed connection, and ends then: no wait without end.
            let arrived = peer.arrived.recv().unwrap_or(Err(Unread::Closed));
            let (step, bytes) = arrived.map_err(|unread| Self::loss(process, unread))?;
            if step != self.step {
                return Err(Loss::Broken { process, what: "it takes other steps" });
            }
            all[process] = bytes;
        }
        Ok(all)
    }

    fn recycle(&mut self, messages: Vec<Vec<u8>>) {
        for (peer, mut message) in self.peers.iter().zip(messages) {
            // One for each: the next long message comes when this one was read.
            let Some(peer) = peer.as_ref().filter(|peer| peer.emptied.is_empty() && message.capacity() <= MOST_KEPT) else { continue };
            message.clear();
            peer.emptied.push(message);
        }
    }

    fn leave(&mut self) {
        self.has_left = true;
        self.peers.iter().flatten().for_each(|peer| peer.handle.close());
    }
}

impl Drop for Links {
    fn drop(&mut self) {
        self.leave();
    }
}
