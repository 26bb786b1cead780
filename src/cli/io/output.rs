//! Output files: each is written under a temporary name beside its target, and renamed when it is complete.
//!
//! Invariant: at every moment the path of an output has its previous or its complete new content; a file that this process has read is
//! replaced only by [`rewrite`], and no two outputs of a command are the same file. A destination without content to lose (stdout, a FIFO,
//! a device) is written directly. Deliberately elsewhere: temporary files as such (`temporary`), the target of a path (`link_target`).

use crate::exit::Exit;
use crate::io::files::{complain, plain};
use crate::io::link_target::{Destination, Identity, identity};
use crate::io::temporary::{Temporary, create_beside};
use crate::io::writing::writing;
use bcheck_source::Shown;
use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Why outputs were refused, and the exit code for it.
pub(crate) type Refusal = (String, Exit);

/// A file of the command line: the option or argument, and its path.
pub(crate) type Named<'a> = (&'static str, &'a Path);

/// The files that this process has read, and those that it is about to write.
struct Ledger {
    read: BTreeSet<PathBuf>,
    /// Weak, so that an output that was finished or dropped is no longer checked.
    claims: Vec<Weak<Claim>>,
}

/// An output file reserved for an option.
#[derive(Debug)]
struct Claim {
    option: &'static str,
    /// The path as typed.
    typed: PathBuf,
    /// The file, every link followed.
    target: PathBuf,
}

impl Claim {
    /// Refuses to replace a file that was read.
    fn check(&self) -> Result<(), String> {
        match identity(&self.target).and_then(|target| read_as(&target)) {
            Some(input) => Err(loses(self.option, &self.typed, &input)),
            None => Ok(()),
        }
    }
}

static LEDGER: Mutex<Ledger> = Mutex::new(Ledger { read: BTreeSet::new(), claims: Vec::new() });

fn ledger() -> MutexGuard<'static, Ledger> {
    // Entries are added and removed as a whole, so a panic elsewhere leaves the ledger consistent.
    LEDGER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Records that a file was read: from now on no output may replace it.
pub(crate) fn was_read(path: &Path) {
    ledger().read.insert(path.to_owned());
}

/// Records that the standard input was read, which may be a file.
pub(crate) fn stdin_was_read() {
    was_read(Path::new("/dev/stdin"));
}

/// Refuses to continue if an output is one of the files that were read, such as a machine seen by the checked one.
pub(crate) fn refuse_inputs() -> Result<(), String> {
    // Collected first: `check` locks the ledger again.
    let claims: Vec<Arc<Claim>> = ledger().claims.iter().filter_map(Weak::upgrade).collect();
    claims.iter().try_for_each(|claim| claim.check())
}

/// The path by which a file was read. Files are identified now and not when they were read: the inode number of a file deleted since then
/// may be reused.
fn read_as(file: &Identity) -> Option<String> {
    ledger().read.iter().find(|read| identity(read).as_ref() == Some(file)).map(|read| read.display().to_string())
}

fn loses(option: &str, typed: &Path, input: &str) -> String {
    let typed = typed.display();
    format!("{option} {typed} would replace {input}, which this command reads: choose another file for {option}")
}

/// Reserves the outputs of a command. No file is touched if one of the outputs is an input, if two of them are the same file, or if one
/// cannot be written.
pub(crate) fn reserve<const N: usize>(
    inputs: &[Named<'_>],
    outputs: [(&'static str, Option<&Path>); N],
) -> Result<[Option<Output>; N], Refusal> {
    let inputs: Vec<(Identity, String)> =
        inputs.iter().filter_map(|(what, path)| Some((identity(path)?, format!("{what} {}", path.display())))).collect();
    let mut taken: Vec<(Identity, &str, &Path)> = Vec::new();
    let mut found: Vec<Option<(Named<'_>, Destination)>> = Vec::with_capacity(N);
    // Two passes: all outputs are compared with inputs and each other before the first temporary file is made.
    for (option, path) in outputs {
        let Some(path) = path else {
            found.push(None);
            continue;
        };
        let destination = Destination::of(path).map_err(|error| (cannot_write(path, &error), Exit::Io))?;
        if let Some(identity) = destination.identity() {
            let input = inputs.iter().find(|(input, _)| *input == identity).map(|(_, name)| name.clone());
            if let Some(input) = input.or_else(|| read_as(&identity)) {
                return Err((loses(option, path, &input), Exit::Usage));
            }
            if let Some((_, other, spelling)) = taken.iter().find(|(other, ..)| *other == identity) {
                let (path, spelling) = (path.display(), spelling.display());
                let reason = format!("{other} {spelling} and {option} {path} are the same file: choose another one for {option}");
                return Err((reason, Exit::Usage));
            }
            taken.push((identity, option, path));
        }
        found.push(Some(((option, path), destination)));
    }
    let mut opened = Vec::with_capacity(N);
    for place in found {
        opened.push(place.map(|(named, destination)| Output::open(named, destination)).transpose()?);
    }
    Ok(opened.try_into().expect("each output that was named is there once"))
}

/// Reserves a file in a folder of outputs. A link there that points out of the folder is refused: whoever names a folder means its
/// contents.
pub(crate) fn reserve_in(folder: &Path, (what, machine): Named<'_>, (option, path): Named<'_>) -> Result<Output, Refusal> {
    let refuse = |error: io::Error| (cannot_write(path, &error), Exit::Io);
    let is_inside = match Destination::of(path).map_err(refuse)? {
        Destination::File(target) => target.starts_with(folder.canonicalize().map_err(refuse)?),
        Destination::Stdout | Destination::Stream(_) => false,
    };
    if !is_inside {
        let reason = format!("{option}: {} leads out of the folder: remove it, or name another folder", path.display());
        return Err((reason, Exit::Io));
    }
    let [file] = reserve(&[(what, machine)], [(option, Some(path))])?;
    Ok(file.expect("it was named"))
}

/// The destination of an output: one file, or stdout.
#[derive(Debug)]
#[must_use = "what is not finished is not written"]
pub(crate) struct Output {
    /// The path as typed.
    typed: PathBuf,
    to: To,
}

#[derive(Debug)]
enum To {
    Stdout,
    /// A FIFO, device or open descriptor: written bytes cannot be taken back.
    Stream(File),
    /// Bytes are collected beside the target until they are complete.
    Beside(File, Temporary, Arc<Claim>),
}

impl Output {
    /// The standard output.
    pub(crate) fn stdout() -> Self {
        Self { typed: PathBuf::from("-"), to: To::Stdout }
    }

    fn open((option, typed): Named<'_>, destination: Destination) -> Result<Self, Refusal> {
        let opened = match destination {
            Destination::Stdout => return Ok(Self::stdout()),
            // A descriptor may belong to a file that others write to as well.
            Destination::Stream(path) => OpenOptions::new().append(true).open(path).map(To::Stream),
            Destination::File(target) => create_beside(&target).map(|(file, temporary)| {
                let claim = Arc::new(Claim { option, typed: typed.to_owned(), target });
                // Weak: an output that was dropped or finished claims nothing any more.
                ledger().claims.push(Arc::downgrade(&claim));
                To::Beside(file, temporary, claim)
            }),
        };
        match opened {
            Ok(to) => Ok(Self { typed: typed.to_owned(), to }),
            Err(error) => Err((cannot_write(typed, &error), Exit::Io)),
        }
    }

    pub(crate) fn is_stdout(&self) -> bool {
        matches!(self.to, To::Stdout)
    }

    /// Whether written bytes can still be changed.
    pub(crate) fn can_seek(&self) -> bool {
        matches!(self.to, To::Beside(..))
    }

    /// Writes text.
    pub(crate) fn put(&mut self, text: &Shown) -> Result<(), String> {
        self.put_bytes(text.as_str().as_bytes())
    }

    /// Writes bytes. A closed reader (`| head`) is not an error.
    pub(crate) fn put_bytes(&mut self, bytes: &[u8]) -> Result<(), String> {
        // The content of a temporary file is not a result yet, and has no reader.
        let written = match self.to {
            To::Beside(..) => self.write_all(bytes).and_then(|()| self.flush()),
            To::Stdout | To::Stream(_) => writing(|| self.write_all(bytes).and_then(|()| self.flush())),
        };
        match written {
            // As Rust ignores SIGPIPE, `bcheck … | head` would end with an error where other programs end silently.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            result => result.map_err(|error| self.complaint(&error)),
        }
    }

    /// Writes a text as the whole content, and finishes the output.
    pub(crate) fn save(self, text: &Shown) -> Result<(), String> {
        self.save_bytes(text.as_str().as_bytes())
    }

    /// Writes bytes as the whole content, and finishes the output.
    pub(crate) fn save_bytes(mut self, bytes: &[u8]) -> Result<(), String> {
        self.put_bytes(bytes)?;
        self.finish()
    }

    /// As [`Output::save`], but the output can be replaced again; not synchronised, as the next content follows soon.
    pub(crate) fn replace(&mut self, text: &Shown) -> Result<(), String> {
        let To::Beside(_, _, claim) = &self.to else { return self.put(text) };
        claim.check()?;
        let next = Self::open((claim.option, &self.typed), Destination::File(claim.target.clone())).map_err(|(reason, _)| reason)?;
        let mut complete = std::mem::replace(self, next);
        complete.put(text)?;
        complete.rename()
    }

    /// As [`Output::save`], for the report on a machine that was refused: it does not replace the file of an earlier run, which may contain
    /// the results of hours of search.
    pub(crate) fn save_refusal(self, text: &Shown) -> Result<(), String> {
        match &self.to {
            // The report of an earlier run is worth more than the message that this one was refused.
            To::Beside(.., claim) if claim.target.exists() => {
                complain(&format!("note: {} is left unchanged, from an earlier run\n", claim.typed.display()));
                Ok(())
            }
            _ => self.save(text),
        }
    }

    /// Renames the complete file to its target.
    pub(crate) fn finish(self) -> Result<(), String> {
        match self.to {
            // It is complete and needs no more memory: only synchronising and renaming remain.
            To::Beside(..) => writing(|| self.synchronise_and_rename()),
            To::Stdout | To::Stream(_) => Ok(()),
        }
    }

    fn synchronise_and_rename(self) -> Result<(), String> {
        if let To::Beside(file, _, claim) = &self.to {
            // This was also tested when the output was reserved, but files that the machine names are read only after that.
            claim.check()?;
            // Some systems report a full disk only now. And after a system crash, a rename may have survived without the content, unless
            // that was synchronised before. It is not an error if a file system cannot do this.
            match file.sync_all() {
                Err(error) if !matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {
                    return Err(self.complaint(&error));
                }
                _ => {}
            }
        }
        self.rename()
    }

    fn rename(self) -> Result<(), String> {
        let To::Beside(_, temporary, claim) = self.to else { return Ok(()) };
        temporary.rename(&claim.target).map_err(|(error, place)| {
            format!("cannot put the complete {} in its place: {}; it is in {}", claim.typed.display(), plain(&error), place.display())
        })
    }

    /// The message that it could not be written.
    pub(crate) fn complaint(&self, error: &io::Error) -> String {
        // Whoever reads that a file was not written asks what happened to the old one.
        let old = match &self.to {
            To::Beside(.., claim) if claim.target.exists() => "; the file is unchanged",
            _ => "",
        };
        match self.to {
            To::Stdout => format!("cannot write to stdout: {}", plain(error)),
            _ => cannot_write(&self.typed, error) + old,
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.to {
            To::Stdout => io::stdout().write(bytes),
            To::Stream(file) | To::Beside(file, ..) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.to {
            To::Stdout => io::stdout().flush(),
            To::Stream(file) | To::Beside(file, ..) => file.flush(),
        }
    }
}

impl Seek for Output {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match &mut self.to {
            To::Beside(file, ..) => file.seek(to),
            To::Stdout | To::Stream(_) => Err(io::ErrorKind::NotSeekable.into()),
        }
    }
}

/// Replaces a file that was read by a reformatted version: `bcheck fmt`, whose inputs are its outputs. As with any output, the file has its
/// old content or the complete new one.
pub(crate) fn rewrite(path: &Path, content: &[u8]) -> Result<(), String> {
    let complaint = |error: io::Error| cannot_write(path, &error) + "; the file is unchanged";
    let target = match Destination::of(path).map_err(complaint)? {
        Destination::File(target) => target,
        Destination::Stdout => return Output::stdout().put_bytes(content),
        Destination::Stream(_) => return Err(format!("cannot write {}: it is not a file that can be replaced", path.display())),
    };
    let (mut file, temporary) = create_beside(&target).map_err(complaint)?;
    file.write_all(content).map_err(complaint)?;
    match file.sync_all() {
        Err(error) if !matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => return Err(complaint(error)),
        _ => {}
    }
    temporary.rename(&target).map_err(|(error, place)| {
        format!("cannot put the complete {} in its place: {}; it is in {}", path.display(), plain(&error), place.display())
    })
}

fn cannot_write(path: &Path, error: &io::Error) -> String {
    let reason = match error.kind() {
        io::ErrorKind::NotFound => "its folder does not exist".to_owned(),
        io::ErrorKind::NotADirectory => "a part of its path is a file, not a folder".to_owned(),
        io::ErrorKind::ReadOnlyFilesystem => "its file system is read-only".to_owned(),
        io::ErrorKind::StorageFull => "the disk is full".to_owned(),
        io::ErrorKind::FileTooLarge => "it would be larger than files of this process may be (ulimit -f)".to_owned(),
        _ => plain(error),
    };
    format!("cannot write {}: {reason}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn text(path: &Path) -> String {
        fs::read_to_string(path).expect("a file")
    }

    fn one(path: &Path) -> Result<Output, Refusal> {
        reserve(&[], [("--output", Some(path))]).map(|[output]| output.expect("it was named"))
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn the_old_file_stays_until_the_new_one_is_complete() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("r.txt");
        fs::write(&path, "old").expect("written");
        let mut output = one(&path).expect("it can be written");
        output.put(&Shown::line("half of")).expect("written");
        assert_eq!(text(&path), "old");
        let beside = names(folder.path());
        assert!(beside.len() == 2 && beside[0].starts_with(".r.txt.bcheck-") && beside[0].ends_with(".tmp"), "{beside:?}");
        output.put(&Shown::line(" the new")).expect("written");
        output.finish().expect("renamed");
        assert_eq!((text(&path).as_str(), names(folder.path()).len()), ("half of the new", 1));
    }

    #[test]
    fn what_is_not_finished_leaves_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("r.txt");
        drop(one(&path).expect("it can be written"));
        assert_eq!(names(folder.path()), Vec::<String>::new());
    }

    #[test]
    fn a_file_that_was_read_is_not_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("m.mch");
        fs::write(&path, "old").expect("written");
        let output = one(&path).expect("it can be written so far");
        was_read(&path);
        let refusal = output.save(&Shown::line("new")).expect_err("it would be lost");
        assert!(refusal.contains("--output") && refusal.contains("m.mch, which this command reads"), "{refusal}");
        assert!(one(&path).is_err_and(|(_, exit)| exit == Exit::Usage));
        assert_eq!((text(&path).as_str(), names(folder.path()).len()), ("old", 1));
    }

    #[test]
    fn a_file_that_was_deleted_since_is_no_input() {
        let folder = tempfile::tempdir().expect("a folder");
        for round in 0..10 {
            let path = folder.path().join(format!("{round}.mch"));
            fs::write(&path, "old").expect("written");
            was_read(&path);
            fs::remove_file(&path).expect("removed");
            // It is likely to reuse the inode number of the removed file.
            let new = folder.path().join("new.txt");
            fs::write(&new, "old").expect("written");
            one(&new).expect("it was not read").save(&Shown::line("new")).expect("written");
            fs::remove_file(&new).expect("removed");
        }
    }

    #[test]
    fn two_outputs_are_two_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, again) = (folder.path().join("r.txt"), folder.path().join(".").join("r.txt"));
        let refusal = reserve(&[], [("--html", Some(path.as_path())), ("--junit", Some(again.as_path()))]).expect_err("one file");
        assert!(refusal.1 == Exit::Usage && refusal.0.contains("are the same file: choose another one for --junit"), "{refusal:?}");
        #[cfg(unix)]
        {
            let null = Some(Path::new("/dev/null"));
            assert!(reserve(&[], [("--html", null), ("--junit", null)]).is_ok(), "nothing is lost there");
        }
        assert_eq!(names(folder.path()), Vec::<String>::new());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link_and_a_file_keeps_its_mode() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().expect("a folder");
        let (path, link) = (folder.path().join("r.txt"), folder.path().join("link"));
        fs::write(&path, "old").expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("a mode");
        symlink("r.txt", &link).expect("a link");
        one(&link).expect("it can be written").save(&Shown::line("new")).expect("written");
        assert!(fs::symlink_metadata(&link).expect("the link").is_symlink());
        assert_eq!((text(&path).as_str(), fs::metadata(&path).expect("the file").permissions().mode() & 0o777), ("new", 0o640));
    }

    #[test]
    fn a_missing_folder_is_reported_before_anything_is_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let (good, bad) = (folder.path().join("r.txt"), folder.path().join("none").join("r.xml"));
        let refusal = reserve(&[], [("--html", Some(good.as_path())), ("--junit", Some(bad.as_path()))]).expect_err("no folder");
        assert!(refusal.1 == Exit::Io && refusal.0.ends_with("r.xml: its folder does not exist"), "{refusal:?}");
        assert_eq!(names(folder.path()), Vec::<String>::new());
    }

    #[test]
    fn a_refusal_does_not_replace_a_report() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("r.xml");
        one(&path).expect("it can be written").save_refusal(&Shown::line("refused")).expect("written");
        assert_eq!(text(&path), "refused");
        one(&path).expect("it can be written").save(&Shown::line("report")).expect("written");
        one(&path).expect("it can be written").save_refusal(&Shown::line("refused")).expect("left alone");
        assert_eq!(text(&path), "report");
    }

    #[test]
    fn a_long_name_has_a_temporary_name_too() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("é".repeat(125));
        one(&path).expect("it can be written").save(&Shown::line("new")).expect("written");
        assert_eq!(text(&path), "new");
    }
}
