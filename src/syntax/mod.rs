//! Floor 1: text → syntax tree. Total: every parse returns a tree and all diagnostics; nothing here panics or fails.
//!
//! Invariant: the tree is as written (see `ast`); the only user of nom. Deliberately elsewhere: definitions, names, types (`sema`).

pub mod ast;
