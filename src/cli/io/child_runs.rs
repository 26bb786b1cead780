//! Runs of this program in separate processes, which a signal to the command ends.
//!
//! Invariant: no run outlives the command by more than the time that it needs to report. Deliberately elsewhere: processes that search
//! together (`processes`).

use crate::io::interrupt;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The time that runs have to report their results after a signal; a signal of the terminal reaches them as well.
// Nearly all have ended by then, and the command has to end within a second. A run that is killed reports nothing, and counts as failed.
const PATIENCE: Duration = Duration::from_millis(800);
/// The time after which a run has noticed a signal of the terminal, if it received one; then it is also requested to end.
// Requested earlier, it would take this for a second signal, and end without a report.
const HEARD: Duration = Duration::from_millis(80);
/// Tells a run that the end of its standard input is a request to end.
const VARIABLE: &str = "BCHECK_RUN";
/// The polling interval.
const LOOK: Duration = Duration::from_millis(30);

/// The running processes, to be killed when the command is interrupted. Entries are never removed, so that indices stay valid; one that has
/// ended is `None`.
#[derive(Default)]
pub(crate) struct Runs(Mutex<Vec<Option<Child>>>);

impl Runs {
    /// Runs a command until it ends; returns its exit code, its stdout and its stderr.
    pub(crate) fn run(&self, command: &mut Command) -> io::Result<(Option<i32>, Vec<u8>, Vec<u8>)> {
        let mut child = command.spawn()?;
        let (mut stdout, mut stderr) = (child.stdout.take(), child.stderr.take());
        let place = {
            let mut children = self.children();
            children.push(Some(child));
            children.len() - 1
        };
        let (written, complaints) = std::thread::scope(|scope| {
            // Both pipes are read at once: the process would block on a full pipe that is not read.
            let complaints = std::thread::Builder::new().spawn_scoped(scope, || read_all(&mut stderr));
            if complaints.is_err() {
                // Without a reader of its stderr the process may never end.
                self.end(place);
            }
            let written = read_all(&mut stdout);
            (written, complaints.map(|reader| reader.join().unwrap_or_else(|_| Ok(Vec::new()))))
        });
        // Taken out of the list first: waiting under the lock would keep `kill` from the other processes. Both streams have ended by now.
        let child = self.children()[place].take();
        let status = child.map(|mut child| child.wait()).transpose()?;
        Ok((status.and_then(|status| status.code()), written?, complaints??))
    }

    /// Kills a running process.
    fn end(&self, place: usize) {
        if let Some(child) = &mut self.children()[place] {
            // It may have ended by itself.
            let _ = child.kill();
        }
    }

    fn children(&self) -> MutexGuard<'_, Vec<Option<Child>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the work is finished; after a signal, only as long as the runs need to report.
    pub(crate) fn wait(&self, is_finished: impl Fn() -> bool) {
        let mut interrupted = None;
        while !is_finished() {
            std::thread::sleep(LOOK);
            // A signal sent by the terminal has reached the runs as well, and they report what they have.
            let Some(since) = interrupt::happened().then(|| interrupted.get_or_insert_with(Instant::now).elapsed()) else { continue };
            if since >= HEARD {
                self.ask();
            }
            if since >= PATIENCE {
                // Repeated in each iteration, for runs that were being started meanwhile.
                self.kill();
            }
        }
    }

    /// Closes the standard input of each run.
    fn ask(&self) {
        for child in self.children().iter_mut().flatten() {
            child.stdin = None;
        }
    }

    fn kill(&self) {
        for child in self.children().iter_mut().flatten() {
            // One that has ended already needs no signal.
            let _ = child.kill();
        }
    }
}

/// Configures a command so that its process ends, with its report, when requested.
pub(crate) fn that_listens(command: &mut Command) -> &mut Command {
    command.env(VARIABLE, "1").stdin(Stdio::piped())
}

/// Ends this process, with its report, when the command that runs it requests so or ends.
pub(crate) fn listen() {
    if std::env::var_os(VARIABLE).is_none() {
        return;
    }
    let listen = || {
        // Nothing is ever written; an error also counts as the end.
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
        interrupt::asked_as_well();
    };
    // Without the thread the process only misses requests that were not sent to it as a signal.
    let _ = std::thread::Builder::new().name("command".to_owned()).spawn(listen);
}

/// Whether a path denotes the standard input, which runs do not share.
pub(crate) fn is_standard_input(path: &Path) -> bool {
    ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].iter().any(|name| path == Path::new(name))
}

fn read_all(stream: &mut Option<impl Read>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    stream.as_mut().map_or(Ok(0), |stream| stream.read_to_end(&mut bytes)).map(|_| bytes)
}
