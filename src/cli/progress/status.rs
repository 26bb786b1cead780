//! The file of `--status`: the progress of a command, for programs that monitor it.
//!
//! Invariant: a reader of the file finds a complete document, of the last second or of the end. A search is never ended or changed because
//! the file cannot be written; that is reported when the command ends. The file says `running` forever if the process was killed, or ended
//! by the watchdog, so it contains the process id. Deliberately elsewhere: how files are written (`output`), rates (`rate`).

use crate::exit::Exit;
use crate::io::memory;
use crate::io::output::{Output, Refusal};
use crate::io::timestamp::iso_8601;
use crate::progress::rate::{Estimate, Seen};
use bcheck_explore::{LastCheckpoint, Limits, Progress, Verdict};
use bcheck_source::{Shown, Vocabulary};
use serde_json::{Value as Json, json};
use std::time::{Duration, Instant, SystemTime};

/// The time between two replacements.
const REPLACED_EVERY: Duration = Duration::from_secs(1);

/// The file and its content.
pub(crate) struct StatusFile {
    /// `None` once it was written for the last time.
    output: Option<Output>,
    command: &'static str,
    machine: String,
    /// The folder of checkpoints.
    folder: Option<String>,
    started: SystemTime,
    begun: Instant,
    due: Instant,
    phase: &'static str,
    limits: Limits,
    /// The last figures of the search, as fields of the document.
    search: Json,
}

impl StatusFile {
    /// For a command that begins, on a machine.
    pub(crate) fn new(output: Output, command: &'static str, machine: String) -> Result<Self, Refusal> {
        if output.is_stdout() {
            return Err(("--status needs a file of its own: the standard output is for the report".to_owned(), Exit::Usage));
        }
        let now = Instant::now();
        Ok(Self {
            output: Some(output),
            command,
            machine,
            folder: None,
            started: SystemTime::now(),
            begun: now,
            due: now,
            phase: "setting up",
            limits: Limits::default(),
            search: search(None),
        })
    }

    /// Continues with the next machine of a chain.
    pub(crate) fn go_on_with(&mut self, machine: String) {
        (self.machine, self.phase, self.search) = (machine, "setting up", search(None));
    }

    /// Sets the folder of checkpoints.
    pub(crate) fn keeps_in(&mut self, folder: &str) {
        self.folder = Some(folder.to_owned());
    }

    /// Records that another phase than the search has begun.
    pub(crate) fn phase(&mut self, name: &'static str) {
        self.phase = name;
    }

    /// Records a snapshot of the search, and writes it if that is due.
    pub(crate) fn note(&mut self, seen: &Seen<'_>) {
        let now = Instant::now();
        (self.phase, self.limits) = (seen.phase(), seen.limits.clone());
        self.search = search(Some(seen));
        if now < self.due {
            return;
        }
        self.due = now + REPLACED_EVERY;
        let document = self.document(None);
        if let Some(output) = &mut self.output {
            // A full disk may have room later; if not, the end of the command reports it.
            let _ = output.replace(&document);
        }
    }

    /// Writes it for the last time.
    pub(crate) fn end(mut self, verdict: Option<Verdict>) -> Result<(), String> {
        let document = self.document(Some(verdict));
        self.output.take().map_or(Ok(()), |output| output.save(&document))
    }

    /// The document, on one line; with the verdict, if there is one, when the command has ended.
    fn document(&self, ended: Option<Option<Verdict>>) -> Shown {
        let mut document = json!({
            "format": "bcheck-status",
            "version": 1,
            "bcheck": env!("CARGO_PKG_VERSION"),
            "command": self.command,
            "machine": self.machine,
            "state": if ended.is_some() { "ended" } else { "running" },
            "phase": if ended.is_some() { "ended" } else { self.phase },
            "pid": std::process::id(),
            "started": iso_8601(self.started),
            "updated": iso_8601(SystemTime::now()),
            "elapsed_s": self.begun.elapsed().as_secs_f64(),
            "time_limit_s": self.limits.time.map(|limit| limit.as_secs_f64()),
            "memory_bytes": memory::resident_bytes(),
            "memory_limit_bytes": self.limits.memory_bytes,
            "verdict": ended.flatten().map(Verdict::word),
        });
        let Some(fields) = document.as_object_mut() else { return Shown::new() };
        fields.extend(self.search.as_object().into_iter().flatten().map(|(name, value)| (name.clone(), value.clone())));
        if let (Some(folder), Some(Json::Object(checkpoint))) = (&self.folder, fields.get_mut("checkpoint")) {
            checkpoint.insert("dir".to_owned(), json!(folder));
        } else if let Some(folder) = &self.folder {
            // Checkpoints are enabled, but none is written yet.
            fields.insert("checkpoint".to_owned(), json!({ "dir": folder, "epoch": null, "states": null, "age_s": null }));
        }
        Shown::json(&(document.to_string() + "\n"))
    }
}

/// The fields about the search itself.
fn search(seen: Option<&Seen<'_>>) -> Json {
    let progress = seen.map_or_else(Progress::default, |seen| *seen.progress);
    let rates = seen.map(|seen| seen.pace.rates()).unwrap_or_default();
    let estimate = seen.and_then(|seen| seen.pace.estimate(seen.progress));
    let Progress { level, states, transitions, frontier, set_ups, checkpoint, .. } = progress;
    json!({
        "setups": set_ups,
        "level": level,
        "states": states,
        "transitions": transitions,
        "frontier": frontier,
        "rates": { "states_per_s": rates.states, "transitions_per_s": rates.transitions },
        "estimate": estimate.map(|Estimate { states, left_s }| json!({ "states": states, "left_s": left_s })),
        "checkpoint": checkpoint.map(|LastCheckpoint { epoch, states, age }| {
            json!({ "epoch": epoch, "states": states, "age_s": age.as_secs_f64() })
        }),
    })
}
