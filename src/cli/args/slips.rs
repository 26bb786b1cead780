//! What was meant by a word of the command line that is neither a command nor a file.
//!
//! Invariant: called only for files that do not exist, so nothing that exists is taken for something else.

use crate::args::Cli;
use crate::project::MACHINE_ENDINGS;
use bcheck_sema::nearest;
use clap::CommandFactory;
use std::path::Path;

/// The message for a first word that is not a file but nearly a command.
pub(crate) fn command_meant(word: &Path) -> Option<String> {
    let typed = word.to_str().filter(|typed| typed.chars().all(|letter| letter.is_ascii_alphabetic()))?;
    // A machine typed without its ending is a likelier guess than a command.
    if word.exists() || file_meant(word).is_some() {
        return None;
    }
    let whole = Cli::command();
    let near = nearest(typed, whole.get_subcommands().map(clap::Command::get_name))?;
    Some(format!("`{typed}` is neither a command nor a file; did you mean `bcheck {near}`?"))
}

/// The machine in the same folder that was probably meant by a path that does not exist: its ending is missing, or a letter is wrong.
pub(crate) fn file_meant(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let is_machine = |other: &Path| other.extension().and_then(|ending| ending.to_str()).is_some_and(|it| MACHINE_ENDINGS.contains(&it));
    let mut machines: Vec<String> = (std::fs::read_dir(folder).ok()?.flatten())
        .filter(|entry| is_machine(&entry.path()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    // `read_dir` lists in the order of the file system.
    machines.sort();
    let stem = |machine: &str| Path::new(machine).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
    let whole = machines.iter().find(|machine| stem(machine) == name).cloned();
    let near = || {
        let (stems, named): (Vec<String>, _) = (machines.iter().map(|machine| stem(machine)).collect(), is_machine(path));
        let candidates = if named { &machines } else { &stems };
        let near = nearest(name, candidates.iter().map(String::as_str))?;
        machines.iter().find(|machine| *machine == near || stem(machine) == near).cloned()
    };
    let found = whole.or_else(near)?;
    Some(path.with_file_name(found).display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ending_that_was_left_out_and_a_slip_are_found() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["lift.mch", "ledger.ref", "notes.txt", "check_in.mch"] {
            std::fs::write(folder.path().join(name), "").expect("written");
        }
        let meant = |name: &str| file_meant(&folder.path().join(name)).map(|path| path.rsplit('/').next().unwrap_or_default().to_owned());
        assert_eq!(meant("lift").as_deref(), Some("lift.mch"));
        assert_eq!(meant("lfit.mch").as_deref(), Some("lift.mch"));
        assert_eq!(meant("legder").as_deref(), Some("ledger.ref"));
        assert_eq!(meant("notes"), None);
        assert_eq!(meant("warehouse.mch"), None);
        assert_eq!(
            command_meant(Path::new("chekc")).as_deref(),
            Some("`chekc` is neither a command nor a file; did you mean `bcheck check`?")
        );
        assert_eq!(command_meant(Path::new("src")), None, "it is there");
        assert_eq!(command_meant(Path::new("warehouse")), None);
    }
}
