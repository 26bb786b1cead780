//! Several processes that share the search of a check: their roles, and, on one machine, the supervisor that starts and watches them.
//!
//! `--processes N` makes the command a supervisor: it starts itself N times, forwards signals, and writes the report received from the
//! first process. If one is lost (killed, say), all are restarted from their last common checkpoint. With `--hosts` each is started by the
//! user. Invariants: the supervisor ends only when all processes have ended, and whatever ends it ends them: each reads a pipe held by it.
//! At most one report reaches stdout, and a complete one: the output of a process that was lost afterwards is dropped. Deliberately
//! elsewhere: how the processes connect and what they send (`mesh`, `explore`), their folders (`checkpoint`).

mod hosts;
pub(crate) mod member;

use crate::args::CheckpointArgs;
use crate::commands::checkpoint::resuming;
use crate::exit::{Ended, Exit, complain, complaint};
use crate::io::files;
use crate::io::interrupt::{self, Stage};
use crate::io::output::Output;
use crate::io::temporary::Scratch;
use crate::io::terminal;
use bcheck_durable::folder::Folder;
use bcheck_explore::Verdict;
use bcheck_mesh::rendezvous::{NO_KEY, Place};
use bcheck_source::shown;
use member::{FIRST, Member, folders};
use std::ffi::OsString;
use std::io::{IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Tells a process started by the supervisor its number and, after a blank, how many milliseconds of the time limit have passed.
const VARIABLE: &str = "BCHECK_PROCESS";
/// Tells it the folder where the processes connect.
const MEETING: &str = "BCHECK_MEETING";
/// The polling interval.
const LOOK: Duration = Duration::from_millis(20);
/// How long the other processes may take to end once one has ended; they learn of it at once.
const PATIENCE: Duration = Duration::from_secs(5);
/// The same after a limit or a signal, which already ends those that still respond.
const LATE_PATIENCE: Duration = Duration::from_millis(500);

/// The role of this process.
pub(crate) enum Role {
    /// It searches alone.
    Alone,
    /// It starts this many processes.
    Supervisor(usize),
    Member(Member),
}

/// The role according to the command line and the supervisor.
pub(crate) fn role(args: &CheckpointArgs) -> Result<Role, Exit> {
    let usage = |reason: &str| Err(complain(reason, Exit::Usage));
    let processes = &args.processes;
    if processes.hosts.is_none() {
        for (option, is_given) in [("--process", processes.process.is_some()), ("--mesh-key", processes.mesh_key.is_some())] {
            if is_given {
                return usage(&format!("{option}: name the hosts of all processes by --hosts"));
            }
        }
    }
    if processes.processes.is_none() && processes.hosts.is_none() {
        return Ok(Role::Alone);
    }
    let option = if processes.hosts.is_some() { "--hosts" } else { "--processes" };
    if args.disk.is_none() && args.resume.is_none() {
        return usage(&format!("{option}: the processes keep their states in a folder; name one by --disk"));
    }
    if let Some(file) = &processes.hosts {
        return hosts::member(file, processes).map(Role::Member).map_err(crate::exit::refused);
    }
    let number = usize::from(processes.processes.unwrap_or(1));
    let folder = std::env::var_os(MEETING).map(PathBuf::from);
    match std::env::var(VARIABLE) {
        Err(_) => Ok(Role::Supervisor(number)),
        Ok(told) => match told.split_once(' ').and_then(|(me, passed)| Some((me.parse().ok()?, passed.parse().ok()?))).zip(folder) {
            Some(((me, passed), folder)) if me < number => {
                interrupt::has_passed(Duration::from_millis(passed));
                listen_to_supervisor();
                Ok(Role::Member(Member { me, places: places(&folder, number), key: NO_KEY, is_supervised: true }))
            }
            _ => usage(&format!("{VARIABLE} is set, but not by a bcheck that started this one: unset it")),
        },
    }
}

#[cfg(unix)]
fn places(folder: &Path, processes: usize) -> Vec<Place> {
    // Short, as the system limits the length of such paths. Nobody else can enter the folder, so no key is needed.
    (0..processes).map(|process| Place::Socket(folder.join(process.to_string()))).collect()
}

#[cfg(not(unix))]
fn places(_: &Path, _: usize) -> Vec<Place> {
    Vec::new()
}

/// A byte from the supervisor means a signal, and so does the end of the pipe.
fn listen_to_supervisor() {
    let listen = || {
        let mut byte = [0];
        while std::io::stdin().read_exact(&mut byte).is_ok() {
            interrupt::asked();
        }
        interrupt::asked();
    };
    // Without the thread the process only misses signals that were not sent to it directly.
    let _ = std::thread::Builder::new().name("supervisor".to_owned()).spawn(listen);
}

/// A process that was started.
struct Started {
    process: Child,
    /// Ends the process when it is dropped.
    signals: Option<ChildStdin>,
    /// Its output: for the first process its report on stdout, as it shares the stderr of the supervisor; for the others stderr.
    written: Option<JoinHandle<Vec<u8>>>,
    ended: Option<ExitStatus>,
    /// Whether the supervisor has killed it.
    is_killed: bool,
}

/// How the processes ended, all of them.
enum End {
    /// The first one exited with this code, and has reported.
    Reported(u8),
    /// One failed by itself, with this code and this output.
    Failed(usize, u8, Vec<u8>),
    /// One was lost: killed, say.
    Lost(usize),
}

/// Starts this many processes and waits until they have ended; if one is lost, they are restarted.
pub(crate) fn supervise(args: &CheckpointArgs, processes: usize, time_limit: Option<Duration>) -> Ended {
    if cfg!(not(unix)) {
        return Err(complain("--processes is not available on this system; start them one by one with --hosts", Exit::Usage));
    }
    let (folder, is_resumed) = args.folder().expect("asked for by `role`");
    if is_resumed {
        let found = folders(folder).len();
        if found != processes {
            let reason = format!("{} is the folder of {found} processes: go on with as many", folder.display());
            return Err(complain(&reason, Exit::Usage));
        }
    } else {
        let is_empty = Folder::around(folder).map_err(|trouble| complain(&format!("{}: {trouble}", folder.display()), Exit::Io))?;
        if !is_empty {
            let reason =
                format!("{}: the folder is not empty; name another one, or go on with what it holds by --resume", folder.display());
            return Err(complain(&reason, Exit::Io));
        }
    }
    interrupt::stage(Stage::Supervising);
    let typed: Vec<OsString> = std::env::args_os().skip(1).collect();
    let again = resuming(typed.clone().into_iter(), folder);
    let mut restarts = 0;
    loop {
        let words = if restarts == 0 { &typed } else { &again };
        let meeting = Scratch::new("processes").map_err(complaint(Exit::Io))?;
        let mut all = start(words, processes, &meeting)?;
        match wait(&mut all, time_limit) {
            End::Reported(code) => {
                Output::stdout().put_bytes(&all[FIRST].take_written()).map_err(complaint(Exit::Io))?;
                return Ok(Exit::Passed(code));
            }
            End::Failed(process, code, words) => {
                let words = String::from_utf8_lossy(&words);
                files::complain(&shown!("process {}: {}\n", process, words.trim_end().to_owned()));
                return Err(Exit::Passed(code));
            }
            End::Lost(process) if restarts < args.processes.restarts && !interrupt::happened() => {
                restarts += 1;
                files::complain(&shown!(
                    "warning: process {} was lost; going on from the last checkpoint ({} of {} restarts)\n",
                    process,
                    restarts,
                    args.processes.restarts
                ));
            }
            End::Lost(process) => {
                let go_on = crate::commands::checkpoint::command(&again);
                let reason = format!("process {process} was lost, and the search with it; go on with: {go_on}");
                return Err(complain(&reason, Exit::Verdict(Verdict::Incomplete)));
            }
        }
    }
}

fn start(words: &[OsString], processes: usize, meeting: &Scratch) -> Result<Vec<Started>, Exit> {
    let mut all: Vec<Started> = Vec::new();
    for me in 0..processes {
        match start_one(words, me, meeting) {
            Ok(started) => all.push(started),
            Err(error) => {
                all.iter_mut().for_each(Started::kill);
                return Err(complain(&format!("cannot start process {me}: {error}"), Exit::Io));
            }
        }
    }
    Ok(all)
}

fn start_one(words: &[OsString], me: usize, meeting: &Scratch) -> std::io::Result<Started> {
    let mut command = Command::new(std::env::current_exe()?);
    let passed = interrupt::started().map_or(0, |started| started.elapsed().as_millis());
    command.args(words).env(VARIABLE, format!("{me} {passed}")).env(MEETING, meeting.folder()).stdin(Stdio::piped());
    if me == FIRST {
        command.stdout(Stdio::piped());
        if std::io::stdout().is_terminal() {
            command.env(terminal::PASSED_ON, "1");
        }
    } else {
        command.stdout(Stdio::null()).stderr(Stdio::piped());
    }
    // Ctrl-C in a terminal reaches all processes of a group: these are told by the supervisor, so that it arrives once.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut process = command.spawn()?;
    let signals = process.stdin.take();
    let written = match (process.stdout.take(), process.stderr.take()) {
        (Some(report), _) => Some(read(report)?),
        (None, Some(complaints)) => Some(read(complaints)?),
        (None, None) => None,
    };
    Ok(Started { process, signals, written, ended: None, is_killed: false })
}

/// Reads everything that a process writes while it runs, as a full pipe would block it.
fn read(mut stream: impl Read + Send + 'static) -> std::io::Result<JoinHandle<Vec<u8>>> {
    std::thread::Builder::new().name("written".to_owned()).spawn(move || {
        let mut bytes = Vec::new();
        // What could not be read is not shown.
        let _ = stream.read_to_end(&mut bytes);
        bytes
    })
}

impl Started {
    fn kill(&mut self) {
        if self.ended.is_none() {
            // It may have ended by itself.
            let _ = self.process.kill();
            self.is_killed = true;
            self.ended = self.process.wait().ok();
        }
    }

    fn has_ended(&mut self) -> bool {
        if self.ended.is_none() {
            // After an error nothing is known of the process any more.
            self.ended = self.process.try_wait().unwrap_or_default();
        }
        self.ended.is_some()
    }

    /// Its exit code, unless a signal has ended it.
    fn code(&self) -> Option<u8> {
        self.ended.and_then(|status| u8::try_from(status.code()?).ok())
    }

    fn take_written(&mut self) -> Vec<u8> {
        self.written.take().and_then(|reader| reader.join().ok()).unwrap_or_default()
    }
}

/// Waits until all have ended. Once one has, the others have some time to end as well; each process enforces the limits itself.
fn wait(all: &mut [Started], time_limit: Option<Duration>) -> End {
    let is_late = || {
        let passed = interrupt::started().map(|started| started.elapsed());
        interrupt::happened() || passed.zip(time_limit).is_some_and(|(passed, limit)| passed >= limit)
    };
    let (mut first_end, mut is_passed_on) = (None, false);
    loop {
        let ended = all.iter_mut().filter_map(|started| started.has_ended().then_some(())).count();
        if ended == all.len() {
            break;
        }
        if interrupt::happened() && !is_passed_on {
            is_passed_on = true;
            // A process that does not read has ended. A second signal ends this process, and closes the pipes.
            all.iter_mut().filter_map(|started| started.signals.as_mut()).for_each(|pipe| _ = pipe.write_all(b"s"));
        }
        let patience = if is_late() { LATE_PATIENCE } else { PATIENCE };
        if ended > 0 && first_end.get_or_insert_with(Instant::now).elapsed() >= patience {
            // The first process may still report, unless it is the one that ended.
            let may_report = all[FIRST].ended.is_none() && all[1..].iter().all(|other| other.code() == Some(0) || other.ended.is_none());
            if !may_report {
                all.iter_mut().for_each(Started::kill);
            }
        }
        std::thread::sleep(LOOK);
    }
    let lost = Exit::Lost.code();
    match all[FIRST].code() {
        Some(code) if code != lost => return End::Reported(code),
        _ => {}
    }
    // The cause, not those that ended because of it.
    let failed = all.iter().position(|started| started.code().is_some_and(|code| code != 0 && code != lost));
    if let Some(process) = failed {
        let code = all[process].code().unwrap_or(lost);
        return End::Failed(process, code, all[process].take_written());
    }
    let killed = all.iter().position(|started| started.code().is_none() && !started.is_killed);
    End::Lost(killed.or_else(|| all.iter().position(|started| started.is_killed)).unwrap_or(FIRST))
}
