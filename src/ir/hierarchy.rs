//! The hierarchy of machines: which machine sees, uses, includes, extends, imports or refines which.
//!
//! Invariant: each machine occurs once for each prefix under which it is part of the whole, the main machine first. Deliberately
//! elsewhere: how it is collected from texts (`sema`).

use bcheck_source::FileId;

/// A machine with all that it refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hierarchy {
    /// The machines, the main one first.
    pub machines: Vec<HierarchyMachine>,
    /// The references between them, in the order of the machines and of the text.
    pub references: Vec<HierarchyReference>,
}

/// A machine of a hierarchy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HierarchyMachine {
    /// Its name.
    pub name: String,
    /// The word with which its text begins.
    pub kind: &'static str,
    /// Its file.
    pub file: FileId,
    /// The prefix of its variables and operations in the whole: empty, or ending in a dot.
    pub prefix: String,
}

/// A reference from one machine to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HierarchyReference {
    /// The position of the machine that refers.
    pub from: usize,
    /// The position of the machine that it names.
    pub to: usize,
    /// The clause.
    pub clause: &'static str,
    /// The prefix as written: empty, or ending in a dot.
    pub prefix: String,
}
