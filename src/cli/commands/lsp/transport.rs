//! Messages over stdin and stdout, of bounded length.
//!
//! The framing is that of the protocol: headers, of which only `Content-Length` matters, an empty line, the text. Invariant: memory is
//! reserved for bytes that arrive, never for the length that a header claims, and neither headers nor texts may be endless.

use bcheck_source::whole_characters;
use lsp_server::{Connection, Message};
use std::io::{self, BufRead, Read};
use std::thread::{Builder, JoinHandle};

/// The limit on the headers of one message, in bytes.
const MOST_HEADER_BYTES: u64 = 16 << 10;
/// The limit on the text of one message, in bytes; it may contain a whole machine and much more.
const MOST_TEXT_BYTES: u64 = 64 << 20;

/// The reader thread and the writer thread.
pub(super) struct Threads {
    reader: JoinHandle<io::Result<()>>,
    writer: JoinHandle<io::Result<()>>,
}

impl Threads {
    /// Waits for both; returns the first error.
    pub(super) fn join(self) -> io::Result<()> {
        let ended = |thread: JoinHandle<io::Result<()>>| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        ended(self.reader)?;
        ended(self.writer)
    }
}

/// Connects to the editor.
///
/// # Errors
/// When the system starts no threads.
pub(super) fn connect() -> io::Result<(Connection, Threads)> {
    // Rendezvous channels: an editor that does not read slows the server down instead of filling its memory.
    let (sender, written) = crossbeam::channel::bounded::<Message>(0);
    let (read, receiver) = crossbeam::channel::bounded::<Message>(0);
    let writer = Builder::new().name("writer".to_owned()).spawn(move || {
        let mut stdout = io::stdout().lock();
        written.into_iter().try_for_each(|message| message.write(&mut stdout))
    })?;
    let reader = Builder::new().name("reader".to_owned()).spawn(move || {
        let mut stdin = io::stdin().lock();
        while let Some(message) = next(&mut stdin)? {
            // Nothing follows `exit`. Reading on could block forever, and the thread could not be joined.
            let is_exit = matches!(&message, Message::Notification(note) if note.method == "exit");
            // A server that has ended receives no more.
            if read.send(message).is_err() || is_exit {
                break;
            }
        }
        Ok(())
    })?;
    Ok((Connection { sender, receiver }, Threads { reader, writer }))
}

/// The next message; `None` if the stream ends between two messages.
fn next(input: &mut dyn BufRead) -> io::Result<Option<Message>> {
    let Some(length) = text_length(input)? else { return Ok(None) };
    if length > MOST_TEXT_BYTES {
        return Err(malformed(&format!("a message of {length} bytes; up to {MOST_TEXT_BYTES} are read")));
    }
    let mut text = Vec::new();
    input.take(length).read_to_end(&mut text)?;
    if (text.len() as u64) < length {
        return Err(io::Error::new(
            io::ErrorKind::UnexpectedEof,
            format!("the stream ends after {} of {length} bytes of a message", text.len()),
        ));
    }
    // Half of a character, in either encoding, must not end the server: editors cut texts anywhere.
    let text = String::from_utf8_lossy(&text);
    let text = whole_characters(&text);
    // The library parses the text, given headers that have been validated.
    Message::read(&mut format!("Content-Length: {}\r\n\r\n", text.len()).as_bytes().chain(text.as_bytes()))
}

/// The length of the text of the next message, from its headers; `None` if the stream ends before the first header.
fn text_length(input: &mut dyn BufRead) -> io::Result<Option<u64>> {
    let mut headers = input.take(MOST_HEADER_BYTES);
    let mut length = None;
    for count in 0.. {
        let mut line = Vec::new();
        let is_end = headers.read_until(b'\n', &mut line)? == 0;
        // Checked first: at the limit, reading stops as at the end of the stream.
        if headers.limit() == 0 {
            return Err(malformed("endless headers"));
        }
        if is_end && count == 0 {
            return Ok(None);
        }
        if is_end {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the stream ends within the headers of a message"));
        }
        // Headers are ASCII; one that is not cannot be relevant.
        let line = String::from_utf8_lossy(&line);
        let Some(header) = line.strip_suffix("\r\n") else {
            let shown: String = line.chars().take(100).collect();
            return Err(malformed(&format!("malformed header: {shown:?}")));
        };
        if header.is_empty() {
            break;
        }
        match header.split_once(": ") {
            Some((name, value)) if name.eq_ignore_ascii_case("Content-Length") => {
                length = Some(value.trim().parse().map_err(|_| malformed(&format!("malformed header: {header:?}")))?);
            }
            Some(_) => {}
            None => return Err(malformed(&format!("malformed header: {header:?}"))),
        }
    }
    length.map(Some).ok_or_else(|| malformed("no Content-Length"))
}

fn malformed(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Vec<Message>, String> {
        let mut input = io::Cursor::new(bytes);
        let mut messages = Vec::new();
        while let Some(message) = next(&mut input).map_err(|error| error.to_string())? {
            messages.push(message);
        }
        Ok(messages)
    }

    fn framed(text: &str) -> String {
        format!("Content-Length: {}\r\nContent-Type: x\r\n\r\n{text}", text.len())
    }

    #[test]
    fn messages_come_one_after_the_other() {
        let note = r#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#;
        assert_eq!(read((framed(note) + &framed(note)).as_bytes()).map(|messages| messages.len()), Ok(2));
        assert_eq!(read(b"").map(|messages| messages.len()), Ok(0));
    }

    #[test]
    fn lengths_are_bounded_and_nothing_is_reserved_for_a_claim() {
        for (bytes, reason) in [
            (b"Content-Length: 99999999999999\r\n\r\n{}".to_vec(), "up to"),
            (b"Content-Length: 99999999999999999999999\r\n\r\n{}".to_vec(), "malformed"),
            (b"Content-Length: 60000000\r\n\r\n{}".to_vec(), "ends after 2 of"),
            (b"Content-Length: -1\r\n\r\n".to_vec(), "malformed"),
            (b"Length 3\r\n\r\n{}".to_vec(), "malformed"),
            (b"X: y\r\n\r\n{}".to_vec(), "no Content-Length"),
            (vec![b'a'; 1 << 20], "endless"),
            (vec![b'a'; 1 << 10], "malformed"),
            (b"X: y\r\n".repeat(1 << 16), "endless"),
            (b"Content-Length: 2\r\n".to_vec(), "ends within the headers"),
            (b"Content-Length: 2".to_vec(), "malformed"),
        ] {
            let refused = read(&bytes).expect_err("refused");
            assert!(refused.contains(reason), "{refused}");
        }
    }

    #[test]
    fn what_is_no_message_is_an_error() {
        assert!(read(framed("[[[[").as_bytes()).is_err());
        assert!(read(framed(&"[".repeat(100_000)).as_bytes()).is_err(), "deep nesting");
    }
}
