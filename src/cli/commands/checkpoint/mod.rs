//! Checkpoints of a check or a refinement check: which runs may continue from one, and `bcheck checkpoint`, which shows the contents of a
//! folder.
//!
//! Invariant: a run continues only from a checkpoint of the same machine, scope, properties and symmetry, written by the same version;
//! otherwise it names the first difference (`same_run`). Deliberately elsewhere: what is stored (`explore`), and how (`durable`).

pub(crate) mod same_run;

use crate::args::{AnswerFormatArg, CheckpointArgs, RefineArgs, ShowCheckpointArgs};
use crate::exit::{Ended, Exit, complain, complaint, refused};
use crate::io::files;
use crate::io::interrupt;
use crate::io::memory;
use crate::io::output;
use crate::io::output::Refusal;
use crate::processes::member::{Member, folders};
use bcheck_durable::folder::{Folder, RunId};
use bcheck_durable::trouble::Trouble;
use bcheck_eval::Machine;
use bcheck_explore::{CheckpointFault, Checkpoints, Manifest, Options, Partition, Share, Strategy, Verdict};
use bcheck_mesh::rendezvous::{Identity, rendezvous};
use bcheck_report::CheckpointReport;
use bcheck_report::text::bytes;
use bcheck_source::{Shown, SourceMap, Vocabulary, shown};
use same_run::{About, about, difference, run_id};
use serde_json::json;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Memory of a search beyond memory besides the visited set: buffers of files, and lists of a slice; the second constant is per worker.
const SEARCH_BYTES: u64 = 12 << 20;
const WORKER_BYTES: u64 = 4 << 20;

/// The format of the answer of `bcheck checkpoint`.
const FORMAT: &str = "bcheck-checkpoint";
/// The key in a checkpoint of a run whose states may go to disk.
const ON_DISK: &str = "--disk";

/// The requested folder, with the checkpoints in it.
pub(crate) struct Kept {
    folder: String,
    pub(crate) checkpoints: Checkpoints,
    /// How much memory the process may use before states go to disk.
    pub(crate) memory_bytes: Option<u64>,
    go_on: String,
}

/// Refuses options that exclude checkpoints, before anything is read.
pub(crate) fn verify(args: &CheckpointArgs, strategy: Strategy, has_formulas: bool) -> Result<(), Exit> {
    let Some((folder, _)) = args.folder() else {
        let is_alone = args.disk_limit.is_some();
        return if is_alone { Err(complain("--disk-limit: name a folder by --disk", Exit::Usage)) } else { Ok(()) };
    };
    if args.disk.as_ref().is_some_and(|disk| disk != folder) {
        let reason = "--disk: states and checkpoints have one folder; leave out --checkpoint, or name the folder of --resume";
        return Err(complain(reason, Exit::Usage));
    }
    let option = args.option();
    if strategy != Strategy::Breadth {
        let reason = format!("{option}: only a breadth-first search can be kept on disk; leave out --strategy {}", strategy.word());
        return Err(complain(&reason, Exit::Usage));
    }
    if has_formulas && args.disk.is_some() {
        let reason = "--disk: the graph that temporal formulas are judged on is kept in memory; use --checkpoint, or check them in a run of their own";
        return Err(complain(reason, Exit::Usage));
    }
    Ok(())
}

/// As [`verify`], for a refinement check.
pub(crate) fn verify_refinement(args: &RefineArgs) -> Result<(), Exit> {
    if let Some(option) = args.checkpoints.processes.option() {
        let reason = format!("{option}: a refinement check is not shared yet; leave it out, and use --workers");
        return Err(complain(&reason, Exit::Usage));
    }
    if args.checkpoints.disk.is_some() || args.checkpoints.disk_limit.is_some() {
        let reason = "--disk: the configurations of a refinement check are kept in memory; use --checkpoint";
        return Err(complain(reason, Exit::Usage));
    }
    match args.checkpoints.folder() {
        Some(_) if args.chain => {
            let option = args.checkpoints.option();
            let reason = format!("{option}: each link of a chain is a separate search; leave out --chain, and give each its own folder");
            Err(complain(&reason, Exit::Usage))
        }
        _ => Ok(()),
    }
}

/// Opens the requested folder, if there is one. `more`: what must be equal beyond the requirements of every search.
///
/// If states may go to disk, the limit on memory is where they do so; otherwise it is where the search stops.
pub(crate) fn open(
    args: &CheckpointArgs,
    (machine, options, sources): (&Machine, &mut Options, &SourceMap),
    (more, member): (About, Option<&Member>),
) -> Result<Option<Kept>, Refusal> {
    let Some((of_all, is_resumed)) = args.folder() else { return Ok(None) };
    let shared = folders(of_all).len();
    if member.is_none() && is_resumed && shared > 0 {
        let reason = format!("{} is the folder of {shared} processes: go on with --processes {shared}, or --hosts", of_all.display());
        return Err((reason, Exit::Usage));
    }
    let own = member.map(|member| member.folder(of_all));
    let path = own.as_deref().unwrap_or(of_all);
    let shown = path.display();
    let mut about = about(machine, options, sources);
    about.extend(more);
    about.extend(member.map(|member| ("the number of processes".to_owned(), member.places.len().to_string())));
    let run = run_id(&about);
    let mut may_spill = args.disk.is_some();
    let mut partition = member.map(|member| shared_by(member, (run, &*options), args.processes.meet_within.0)).transpose()?;
    let every = args.checkpoint_every.0;
    let io = |fault: CheckpointFault| refusal(path, member, &fault);
    // A process that was lost before its first checkpoint starts over, together with all others.
    let mut checkpoints = if is_resumed && (member.is_none() || Folder::look(path).is_ok()) {
        let (folder, manifest, is_older) = opened_by_all(path, partition.as_mut(), &io)?;
        // The hash decides; the words only serve to name the difference.
        let mut saved: About = serde_json::from_value(manifest.about().clone()).unwrap_or_default();
        // Before the comparison: it concerns how the run is stored, not what it searches.
        may_spill |= saved.iter().any(|(what, _)| what == ON_DISK);
        saved.retain(|(what, _)| what != ON_DISK);
        if folder.run() != run {
            let difference = difference(&saved, &about).unwrap_or_else(|| "it belongs to another run".to_owned());
            return Err((format!("{shown} cannot be continued: {difference}"), Exit::Usage));
        }
        let folder = within(folder, args).map_err(|trouble| io(trouble.into()))?;
        let mut checkpoints = Checkpoints::go_on(folder, (manifest, is_older), every);
        checkpoints.about = kept_about(saved, may_spill);
        checkpoints
    } else {
        if let Some(partition) = &mut partition {
            Folder::around(of_all).map_err(|trouble| io(trouble.into()))?;
            if is_resumed {
                partition.common_epoch(0).map_err(|loss| io(loss.into()))?;
            }
        }
        let folder = Folder::create(path, run).map_err(|trouble| match trouble {
            // The user should not have to guess how to continue.
            Trouble::NotEmpty if Folder::look(path).is_ok() => {
                (format!("{shown} contains a checkpoint: continue from it by --resume, or name another folder"), Exit::Io)
            }
            other => io(other.into()),
        })?;
        let folder = within(folder, args).map_err(|trouble| io(trouble.into()))?;
        Checkpoints::begin(folder, kept_about(about, may_spill), every).map_err(io)?
    };
    may_spill |= checkpoints.is_beyond() || partition.is_some();
    let asked_for = if may_spill { options.limits.memory_bytes.take() } else { None };
    let memory_bytes = may_spill.then(|| asked_for.unwrap_or_else(|| memory::of_machine() / 2 / of_this_machine(member)));
    // Only now is it known whether this is a limit.
    interrupt::limit_memory(options.limits.memory_bytes);
    if let Some(limit) = memory_bytes {
        let besides = besides_states(options.workers);
        if asked_for.is_some() && member.is_none_or(Member::is_first) {
            warn_if_little(limit, besides);
        }
        checkpoints.go_beyond(share(limit, besides), options.workers);
    }
    if let Some(partition) = partition {
        checkpoints.share_with(partition);
    }
    let typed = std::env::args_os().skip(1);
    checkpoints.when_writing(|begins| if begins { interrupt::keep() } else { interrupt::kept() });
    Ok(Some(Kept { folder: shown.to_string(), checkpoints, memory_bytes, go_on: go_on_with(typed, of_all) }))
}

/// The options stored in a checkpoint. `--disk` is stored for the resumed run, but need not be equal in it.
fn kept_about(mut about: About, may_spill: bool) -> serde_json::Value {
    about.extend(may_spill.then(|| (ON_DISK.to_owned(), "on".to_owned())));
    json!(about)
}

/// Connects to the other processes of a run.
fn shared_by(member: &Member, (run, options): (RunId, &Options), within: Duration) -> Result<Partition, Refusal> {
    // A resumed run may have other limits, but all processes of a run must have the same, as they decide independently.
    let limits = format!("{:?} {:?}", options.limits.states, options.limits.depth);
    let peer =
        Identity { run: RunId::of([&run.0[..], limits.as_bytes()]).0, me: member.me, processes: member.places.len(), key: member.key };
    let exit = |is_mismatch| if is_mismatch { Exit::Usage } else { Exit::Io };
    let links = rendezvous(peer, &member.places, within).map_err(|unmet| (unmet.to_string(), exit(unmet.is_mismatch())))?;
    Ok(Partition::new(Box::new(links)))
}

/// The folder, with its files limited by `--disk-limit`.
fn within(folder: Folder, args: &CheckpointArgs) -> Result<Folder, Trouble> {
    match args.disk_limit {
        Some(limit) => folder.within(limit.0),
        None => Ok(folder),
    }
}

/// The number of processes of a run known to be on this machine and to share its memory.
fn of_this_machine(member: Option<&Member>) -> u64 {
    member.filter(|member| member.is_supervised).map_or(1, |member| member.places.len() as u64)
}

/// Memory of the process besides the visited set: its current use, and the needs of the search.
fn besides_states(workers: usize) -> u64 {
    memory::resident_bytes() + SEARCH_BYTES + workers as u64 * WORKER_BYTES
}

/// The share of the visited set in a limit on memory: the remainder, but at least a quarter, because a set without room would spill after
/// every slice.
fn share(limit: u64, besides: u64) -> Share {
    Share { bytes: limit.saturating_sub(besides).max(limit / 4), of_process: limit, states: None }
}

/// Warns that the process cannot respect a limit on memory if the rest leaves less than a third of it.
fn warn_if_little(limit: u64, besides: u64) {
    if besides > limit / 3 * 2 {
        let (rest, limit, enough) = (bytes(besides), bytes(limit), bytes(besides / 2 * 3));
        files::complain(&format!(
            "warning: --memory-limit {limit} is too small: bcheck itself needs about {rest}, so it may exceed it; {enough} is enough\n"
        ));
    }
}

impl Kept {
    /// The folder, as it was typed.
    pub(crate) fn folder(&self) -> &str {
        &self.folder
    }

    /// The part of reports about the checkpoints.
    pub(crate) fn report(&self) -> CheckpointReport<'_> {
        CheckpointReport { folder: &self.folder, facts: self.checkpoints.facts(), go_on: &self.go_on }
    }
}

/// Why a run ends if its checkpoints cannot be used.
pub(crate) fn refusal(path: &Path, member: Option<&Member>, fault: &CheckpointFault) -> Refusal {
    let (exit, remedy) = match (fault, member) {
        // The machine behaves differently from when the checkpoint was written, as if it were another one.
        (CheckpointFault::Other(_), _) => (Exit::Usage, ""),
        (CheckpointFault::Lost(_), Some(member)) => (member.lost(), "; restart all processes with --resume"),
        // For a single process this is a limit of the search, which reports it.
        (CheckpointFault::Folder(Trouble::Full { .. } | Trouble::Limit { .. }), Some(_)) => {
            (Exit::Verdict(Verdict::Incomplete), "; make room, and continue with --resume")
        }
        (CheckpointFault::Folder(_) | CheckpointFault::Lost(_), _) => (Exit::Io, ""),
    };
    (format!("{}: {fault}{remedy}", path.display()), exit)
}

/// Opens a folder with the latest manifest that all processes have, if several share it.
fn opened_by_all(
    path: &Path,
    partition: Option<&mut Partition>,
    refusal: &dyn Fn(CheckpointFault) -> Refusal,
) -> Result<(Folder, Manifest, bool), Refusal> {
    let (folder, manifest, is_older) = opened(path, Folder::open, None)?;
    let Some(partition) = partition else { return Ok((folder, manifest, is_older)) };
    let epoch = partition.common_epoch(manifest.epoch()).map_err(|loss| refusal(loss.into()))?;
    if epoch == manifest.epoch() {
        return Ok((folder, manifest, is_older));
    }
    drop(folder);
    opened(path, Folder::open, Some(epoch))
}

/// Opens a folder and reads its manifest, or the one of a given epoch; warns if it is not the latest.
fn opened(
    path: &Path,
    open: impl FnOnce(&Path) -> Result<Folder, Trouble>,
    epoch: Option<u64>,
) -> Result<(Folder, Manifest, bool), Refusal> {
    let read = || {
        let folder = open(path)?;
        let stands = |text: &[u8]| match Manifest::of_json(text) {
            Some(manifest) if epoch.is_none_or(|epoch| epoch == manifest.epoch()) => manifest.stands(&folder),
            _ => Ok(false),
        };
        let (text, is_older) = folder.manifest(&stands)?;
        Ok((folder, Manifest::of_json(&text), is_older))
    };
    match read() {
        Ok((folder, Some(manifest), is_older)) => {
            // The manifest of another process may be older by one epoch: then no checkpoint is damaged.
            if is_older && epoch.is_none() {
                files::complain(&shown!(
                    "warning: {}: the last checkpoint is damaged; this is the one before\n",
                    path.display().to_string()
                ));
            }
            Ok((folder, manifest, is_older))
        }
        Ok((_, None, _)) => Err(refusal(path, None, &Trouble::NotACheckpoint.into())),
        Err(trouble) => Err(refusal(path, None, &CheckpointFault::Folder(trouble))),
    }
}

/// The command that continues from a checkpoint: this one, with `--resume`.
fn go_on_with(typed: impl Iterator<Item = OsString>, path: &Path) -> String {
    command(&resuming(typed, path))
}

/// A command of these words, quoted for a shell.
pub(crate) fn command(words: &[OsString]) -> String {
    let words: Vec<String> = std::iter::once("bcheck".to_owned()).chain(words.iter().map(|word| quoted(word))).collect();
    words.join(" ")
}

/// The words of the command that continues from a checkpoint.
pub(crate) fn resuming(mut typed: impl Iterator<Item = OsString>, path: &Path) -> Vec<OsString> {
    let (mut words, mut behind) = (Vec::new(), Vec::new());
    while let Some(word) = typed.next() {
        match word.as_encoded_bytes() {
            // What follows is not an option.
            b"--" => behind = std::iter::once(word).chain(typed.by_ref()).collect(),
            b"--checkpoint" | b"--resume" => _ = typed.next(),
            other if other.starts_with(b"--checkpoint=") || other.starts_with(b"--resume=") => {}
            _ => words.push(word),
        }
    }
    words.extend([OsString::from("--resume"), path.as_os_str().to_owned()]);
    words.extend(behind);
    words
}

/// A word, quoted for a shell.
fn quoted(word: &OsStr) -> String {
    let Some(word) = word.to_str() else {
        // Most shells have this form for bytes that are not text.
        let byte = |byte: &u8| match byte {
            b' '..=b'~' if !b"'\\".contains(byte) => char::from(*byte).to_string(),
            other => format!("\\x{other:02x}"),
        };
        return format!("$'{}'", word.as_encoded_bytes().iter().map(byte).collect::<String>());
    };
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_=+./:,@%".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

/// `bcheck checkpoint`: shows the contents of a folder, even while a run writes it.
pub(crate) fn show(args: &ShowCheckpointArgs) -> Ended {
    let path = &args.folder;
    // Those of several processes lie in one folder.
    let shared = folders(path);
    let each = if shared.is_empty() { vec![path.clone()] } else { shared };
    let mut looks = Vec::new();
    for folder in &each {
        looks.push(look(folder, args.format)?);
    }
    let is_damaged = looks.iter().any(|look| look.is_damaged);
    let text = match args.format {
        AnswerFormatArg::Text => Shown::join(looks.into_iter().map(|look| look.text), ""),
        AnswerFormatArg::Json => {
            let mut documents: Vec<serde_json::Value> = looks.into_iter().map(|look| look.document).collect();
            let document = match documents.len() {
                1 if each[0] == *path => documents.remove(0),
                _ => json!({ "format": FORMAT, "version": 1, "dir": path.display().to_string(), "processes": documents }),
            };
            Shown::json(&(serde_json::to_string_pretty(&document).expect("plain data") + "\n"))
        }
    };
    output::Output::stdout().save(&text).map_err(complaint(Exit::Io))?;
    Ok(if is_damaged { Exit::Io } else { Exit::Done })
}

/// The contents of a folder in the requested format; the other one is empty.
struct Look {
    text: Shown,
    document: serde_json::Value,
    is_damaged: bool,
}

fn look(path: &Path, format: AnswerFormatArg) -> Result<Look, Exit> {
    let (folder, manifest, _) = opened(path, Folder::look, None).map_err(refused)?;
    let about: About = serde_json::from_value(manifest.about().clone()).unwrap_or_default();
    let size = manifest.bytes();
    // A lock that cannot be tested, as in another user's folder, means nothing.
    let holder = match Folder::is_free(path) {
        Err(Trouble::InUse { process }) => Some(process),
        _ => None,
    };
    let age = path.join("manifest").metadata().and_then(|data| data.modified()).ok();
    let age_s = age.and_then(|then| SystemTime::now().duration_since(then).ok()).map(|age| age.as_secs());
    // Reading verifies the checksums.
    let damage = manifest.read_all(&folder).err().map(|trouble| trouble.to_string());
    let (mut text, mut document) = (Shown::default(), serde_json::Value::Null);
    match format {
        AnswerFormatArg::Text => text = show_text(path, &manifest, (&about, size, age_s, damage.as_deref()), holder),
        AnswerFormatArg::Json => {
            let progress = manifest.progress();
            document = json!({
                "format": FORMAT,
                "version": 1,
                "dir": path.display().to_string(),
                "epoch": manifest.epoch(),
                "states": progress.map(|(states, _, _)| states),
                "level": progress.map(|(_, level, _)| level),
                "expanded": progress.map(|(_, _, expanded)| expanded),
                "age_s": age_s,
                "in_use": holder.is_some(),
                "pid": holder.flatten(),
                "bytes": size,
                "sorted_runs": manifest.runs().map(|(runs, keys, bytes)| json!({ "runs": runs, "states": keys, "bytes": bytes })),
                "damage": damage,
                "run": about.iter().map(|(what, value)| json!({ "what": what, "value": value })).collect::<Vec<_>>(),
            });
        }
    }
    Ok(Look { text, document, is_damaged: damage.is_some() })
}

fn show_text(
    path: &Path,
    manifest: &Manifest,
    (about, size, age_s, damage): (&About, u64, Option<u64>, Option<&str>),
    holder: Option<Option<u32>>,
) -> Shown {
    let mut lines = vec![path.display().to_string()];
    lines.push(match holder {
        Some(Some(process)) => format!("  in use         by process {process}"),
        Some(None) => "  in use         by another process".to_owned(),
        None => "  in use         no: a run may continue from it by --resume".to_owned(),
    });
    match manifest.progress() {
        None => lines.push("  no barrier was reached yet: a resumed run starts over".to_owned()),
        Some((states, level, expanded)) => {
            lines.push(format!("  states         {states}, {expanded} of them expanded, {} waiting", states - expanded));
            lines.push(format!("  level          {level}"));
        }
    }
    lines.push(format!("  checkpoints    {}", manifest.epoch()));
    lines.extend(age_s.map(|age| format!("  age            {age} s")));
    lines.push(format!("  size           {}", bytes(size)));
    let runs = manifest.runs();
    lines.extend(runs.map(|(runs, states, size)| format!("  sorted runs    {runs}, of {states} states in {}", bytes(size))));
    lines.push(format!("  checksums      {}", damage.unwrap_or("all match")));
    lines.extend(about.iter().map(|(what, value)| format!("  {what}: {value}")));
    Shown::join(lines.iter().map(|line| Shown::line(line)), "\n") + shown!("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_that_goes_on_has_its_options_before_the_machine() {
        let go_on = |typed: &str| go_on_with(typed.split(' ').map(OsString::from), Path::new("k"));
        assert_eq!(go_on("m.mch --checkpoint k -d 2"), "bcheck m.mch -d 2 --resume k");
        assert_eq!(go_on("--resume=k -- m.mch"), "bcheck --resume k -- m.mch");
        assert_eq!(go_on("--checkpoint k -- --checkpoint"), "bcheck --resume k -- --checkpoint");
    }

    #[test]
    fn words_are_quoted_for_a_shell() {
        let words = ["--deferred", "PID=3", "a b", "it's", "x : S"].map(|word| quoted(word.as_ref()));
        assert_eq!(words, ["--deferred", "PID=3", "'a b'", "'it'\\''s'", "'x : S'"]);
    }
}
