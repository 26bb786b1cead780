//! Floor 1: several processes that search together, and the exchange of bytes between them.
//!
//! All processes proceed in lock-step: in each step, every process sends one message to every other one, and has received one from each
//! when the step ends. So none can be ahead by more than a step, and the messages that all have received are a common basis for decisions.
//! Invariant: a message arrives whole and in its step, or its sender is lost; no process waits for ever. Deliberately elsewhere: what the
//! messages mean (`explore`), who starts the processes (`cli`).

#[cfg(any(test, fuzzing))]
pub mod any_bytes;
mod frame;
pub mod links;
mod local;
#[cfg(any(test, feature = "testing"))]
pub mod pairs;
pub mod rendezvous;
#[cfg(test)]
mod tests;

/// Why the processes cannot continue together.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what each is")]
pub enum Loss {
    /// The process has ended, or its machine is gone.
    #[error("process {process} was lost: its connection is closed")]
    Closed { process: usize },
    /// Nothing was heard of it for a while, although a thread of its own sends heartbeats.
    #[error("process {process} was lost: nothing was heard of it for {seconds} s")]
    Silent { process: usize, seconds: u64 },
    /// It has sent something that no process of this run sends.
    #[error("process {process} was lost: {what}")]
    Broken { process: usize, what: &'static str },
    /// This process has given up.
    #[error("this process has left the others")]
    Left,
}

/// A message as it is sent: its parts, one after the other. It arrives as one.
pub type Parts<'b> = Vec<&'b [u8]>;

/// The processes of one run, as seen by one of them.
pub trait Mesh: Send {
    /// The number of this process, from 0 on.
    fn me(&self) -> usize;

    /// How many there are.
    fn processes(&self) -> usize;

    /// One step: sends to each process the message with its number, and returns the messages that all have sent to this one, its own among
    /// them.
    fn exchange(&mut self, messages: &[Parts<'_>]) -> Result<Vec<Vec<u8>>, Loss>;

    /// Takes read messages back, to reuse their memory for later ones.
    fn recycle(&mut self, messages: Vec<Vec<u8>>);

    /// Closes all connections, so that the others learn at once that this process takes no further steps.
    fn leave(&mut self);
}
