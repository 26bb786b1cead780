//! Composition of machines: gathers all that one refers to, and finds which names each of them sees.
//!
//! A machine and everything it names becomes one project of *instances* (`project`): a machine with the prefix under which it is
//! included. Nothing is renamed in any text: each instance has a scope of its own (`scope`) in which a name stands for a set, constant
//! or variable of the whole, and a clause or an inlined call is elaborated in the scope of its machine. `refines` adds what a
//! refinement inherits from the machine it refines.
//!
//! How the parts make up the whole, so that counts agree with ProB's: included machines come first, with their variables, invariants and
//! initialisations; sets and constants are never renamed and exist once however often their machine is included. A machine that is
//! only seen or used belongs to the state too, and its operations are steps of the whole, because something outside may
//! call them. ASSERTIONS are those of the main machine: each machine's own are checked with it. A called operation's PRE is no guard:
//! calling outside of it is an ill-defined step.
//! Invariant: this folder reads no file: trees come from a [`Files`].

mod declare;
mod declare_sets;
mod hierarchy;
mod project;
mod reference;
mod refines;
mod scope;
#[cfg(test)]
mod tests;

pub use hierarchy::hierarchy;

pub(super) use declare::{Declared, Texts, of_side};
pub(super) use project::{Project, Tree};
pub(super) use reference::LinkKind;
pub(crate) use refines::{Family, Offered, Signature, keep_below, mentions_from};

use bcheck_source::FileId;
use bcheck_syntax::ast::{Definition, Machine, Parsed};

/// The source of other machines and definition files.
pub trait Files {
    /// The machine `name`, which a clause of file `from` mentions, in the file `path` if a pragma names one. Repeated calls return trees
    /// with the same places.
    ///
    /// # Errors
    /// When there is no such machine or it cannot be read. A text with syntax errors is not an error here: its tree comes with them.
    fn machine(&mut self, from: FileId, name: &str, path: Option<&str>) -> Result<Parsed<Option<Machine>>, LoadError>;

    /// The file in which [`Files::machine`] finds a machine; `None` where it contains none. An implementation that can answer this without
    /// reading a text again should: it is called for every further reference to a machine.
    ///
    /// # Errors
    /// As for [`Files::machine`].
    fn machine_file(&mut self, from: FileId, name: &str, path: Option<&str>) -> Result<Option<FileId>, LoadError> {
        Ok(self.machine(from, name, path)?.tree.map(|machine| machine.name.span.file))
    }

    /// For the message that nothing was found: a file that may be meant, and the folder to search. For a definition file only the path is
    /// known.
    fn elsewhere(&mut self, _from: FileId, _name: &str, _path: Option<&str>) -> Option<(String, String)> {
        None
    }

    /// The definition file that file `from` includes as `path`. The same file gives the same trees each time.
    ///
    /// # Errors
    /// As for [`Files::machine`].
    fn definitions(&mut self, from: FileId, path: &str) -> Result<Parsed<Vec<Definition>>, LoadError>;
}

/// Why a machine or definition file was not loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadError {
    /// No file of that name in any of these folders.
    NotFound(Vec<String>),
    /// As [`Self::NotFound`], with facts about the name, and the remedy.
    Known(Vec<String>, [String; 2]),
    /// Several of that name, which differ, in the folders of the project.
    Ambiguous(Vec<String>),
    /// It is there, but cannot be read.
    Unreadable(String),
    /// It exists, but is not B source: the file, and the reason. Its content must not be repeated: it may be any file.
    NotB(String, String),
    /// It is there, but outside of the folders that may be read: the file.
    Outside(String),
}

/// No other file can be read: a machine alone.
#[derive(Debug)]
pub struct NoFiles;

impl Files for NoFiles {
    fn machine(&mut self, _: FileId, _: &str, _: Option<&str>) -> Result<Parsed<Option<Machine>>, LoadError> {
        Err(LoadError::NotFound(Vec::new()))
    }

    fn definitions(&mut self, _: FileId, _: &str) -> Result<Parsed<Vec<Definition>>, LoadError> {
        Err(LoadError::NotFound(Vec::new()))
    }
}
