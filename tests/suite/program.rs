//! Runs the program under test.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// No test run may take longer: a hang is a failure.
const PATIENCE: Duration = Duration::from_secs(120);

/// What a run gave.
#[derive(Debug)]
pub(crate) struct Run {
    /// Exit code; `None` when a signal ended it.
    pub(crate) code: Option<i32>,
    /// What was printed as data.
    pub(crate) stdout: String,
    /// What was written to standard error.
    pub(crate) stderr: String,
}

impl Run {
    /// The report as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("no JSON ({error}): {self:?}"))
    }
}

/// Writes a file; its path.
pub(crate) fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("written");
    path.display().to_string()
}

/// Whether everything is tested, as `scripts/long.sh` asks for by `BCHECK_THOROUGH`, and not the shares that an ordinary run takes.
pub(crate) fn thorough() -> bool {
    std::env::var_os("BCHECK_THOROUGH").is_some()
}

/// Each `of`-th of these cases, beginning with the first; all of them in a thorough run.
pub(crate) fn share<T>(cases: impl IntoIterator<Item = T>, of: usize) -> Vec<T> {
    cases.into_iter().step_by(if thorough() { 1 } else { of }).collect()
}

/// How many cases of a random test are tried: in an ordinary run only this part of them.
pub(crate) fn part(count: u64, of: u64) -> u64 {
    if thorough() { count } else { count.div_ceil(of) }
}

/// The root of the package.
pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// A command that runs the program in the root of the package, without colour and without input.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bcheck"));
    command.args(arguments).current_dir(root()).env("NO_COLOR", "1").env_remove("BCHECK_LOG").stdin(Stdio::null());
    command
}

/// Runs the program with these arguments.
pub(crate) fn bcheck(arguments: &[&str]) -> Run {
    finish(command(arguments))
}

/// Runs the program for a report as JSON.
pub(crate) fn json(arguments: &[&str]) -> Run {
    bcheck(&[arguments, &["--format", "json", "--progress", "none"]].concat())
}

/// A report without what differs from run to run.
pub(crate) fn told(run: &Run) -> serde_json::Value {
    let mut report = run.json();
    let fields = report.as_object_mut().expect("a report is an object");
    for varies in ["time_s", "peak_memory_bytes", "checkpoint", "workers"] {
        fields.remove(varies);
    }
    if let Some(serde_json::Value::Array(formulas)) = fields.get_mut("temporal") {
        formulas.iter_mut().for_each(|formula| _ = formula.as_object_mut().expect("an object").remove("time_s"));
    }
    report
}

/// A new place for a folder that the program makes.
pub(crate) fn place() -> (tempfile::TempDir, String) {
    let around = tempfile::tempdir().expect("a folder");
    let place = around.path().join("kept").display().to_string();
    (around, place)
}

/// Runs a command to its end; more than [`PATIENCE`] is a failure.
pub(crate) fn finish(command: Command) -> Run {
    ended(start(command))
}

/// Starts a command.
pub(crate) fn start(mut command: Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts")
}

/// Waits until a command that was started ends; more than [`PATIENCE`] is a failure.
pub(crate) fn ended(mut child: Child) -> Run {
    let started = Instant::now();
    // Reports may be longer than a pipe holds, so they are read while the program runs.
    let stdout = drain(child.stdout.take().expect("a pipe"));
    let stderr = drain(child.stderr.take().expect("a pipe"));
    // Pipes close when the program ends, which is known at once; whether it has ended is asked again and again only after that.
    let mut text = |pipe: Receiver<Vec<u8>>| match pipe.recv_timeout(PATIENCE.saturating_sub(started.elapsed())) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(_) => no_end(&mut child),
    };
    let (stdout, stderr) = (text(stdout), text(stderr));
    let status = loop {
        if let Some(status) = child.try_wait().expect("the program can be waited for") {
            break status;
        }
        if started.elapsed() > PATIENCE {
            no_end(&mut child);
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    Run { code: status.code(), stdout, stderr }
}

fn no_end(child: &mut Child) -> ! {
    let _ = child.kill();
    panic!("no end after {PATIENCE:?}");
}

/// Reads a pipe until it is closed.
fn drain(mut pipe: impl std::io::Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        let _ = sender.send(bytes);
    });
    receiver
}

/// Waits until a program has computed for a while, or does nothing any more, as it waits in its turn.
#[cfg(unix)]
pub(crate) fn until_under_way(process: u32) {
    // Fields 14 and 15 of /proc/PID/stat, where there is such a file: the ticks spent in the program, and for it in the system.
    let ticks = || {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        let mut fields = stat.rsplit(") ").next()?.split(' ').skip(11).map_while(|field| field.parse::<u64>().ok());
        Some(fields.next()? + fields.next()?)
    };
    let (mut last, mut since) = (None, Instant::now());
    while since.elapsed() < Duration::from_millis(1500) {
        let now = ticks();
        if now >= Some(15) {
            return;
        }
        if now != last {
            (last, since) = (now, Instant::now());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// All files below a folder with this extension, sorted.
pub(crate) fn files_below(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
