//! Runs Graphviz, which draws graphs.
//!
//! Invariant: it does not outlive this process, even if that is ended at once by a limit or a signal (`interrupt`).

use std::io::{self, Read, Write};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The running Graphviz process, to be ended with this process.
static DRAWING: Mutex<Option<Child>> = Mutex::new(None);

fn drawing() -> MutexGuard<'static, Option<Child>> {
    // Every change is one assignment, so a panic elsewhere leaves the data consistent.
    DRAWING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Kills Graphviz, if it is running, before the process exits at once and would leave it behind.
pub(crate) fn stop_drawing() {
    if let Some(child) = drawing().as_mut() {
        // It may have ended by itself.
        let _ = child.kill();
    }
}

/// Runs `dot` on a text.
pub(crate) fn run_dot(form: &str, text: &str) -> io::Result<Output> {
    let (input, stdout, stderr) = {
        // Locked while it is started, so that `stop_drawing` finds any started process.
        let mut drawing = drawing();
        let mut child = Command::new("dot").arg(form).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        *drawing = Some(child);
        pipes
    };
    // Graphviz reads everything before it writes anything, so neither side blocks the other.
    let written = input.map_or(Ok(()), |mut input| input.write_all(text.as_bytes()));
    // Messages are read in parallel with the picture: it would block on a full pipe that is not read.
    let complaints = std::thread::Builder::new().spawn(move || read_all(stderr));
    if complaints.is_err() {
        stop_drawing();
    }
    let picture = read_all(stdout);
    let stderr = complaints.map(|reader| reader.join().unwrap_or_else(|_| Ok(Vec::new())));
    // Taken out first: waiting under the lock would keep `stop_drawing` waiting. Both streams have ended by now.
    let child = drawing().take();
    let status = child.map_or_else(|| Err(io::Error::from(io::ErrorKind::Interrupted)), |mut child| child.wait())?;
    let output = Output { status, stdout: picture?, stderr: stderr?? };
    match written {
        // A program that gives up before it has read everything says why.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe && !output.status.success() => Ok(output),
        written => written.map(|()| output),
    }
}

fn read_all(stream: Option<impl Read>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    stream.map_or(Ok(0), |mut stream| stream.read_to_end(&mut bytes)).map(|_| bytes)
}
