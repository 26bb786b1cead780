//! The note about a machine whose name differs from that of its file.
//!
//! Invariant: it is only a note, as the machine can be checked; other machines search for it by its file name. Deliberately elsewhere: the
//! error if another machine is found there (`sema`).

use bcheck_source::{Code, Diagnostic, Edit, Fix, word_in_back_quotes};
use bcheck_syntax::ast::Machine;
use std::path::Path;

/// The note, if the name of a machine differs from that of its file.
pub(crate) fn other_file_name(machine: &Machine, path: &Path) -> Option<Diagnostic> {
    let is_b =
        path.extension().is_some_and(|ending| ["mch", "ref", "imp", "sys", "mod"].iter().any(|known| ending.eq_ignore_ascii_case(known)));
    let stem = path.file_stem().and_then(|stem| stem.to_str()).filter(|_| is_b)?;
    // File systems differ in whether case matters, and a damaged header has no name.
    let name = &machine.name.text;
    if name.is_empty() || name.eq_ignore_ascii_case(stem) {
        return None;
    }
    let title = format!("the machine `{name}` is in a file of another name");
    let note = Diagnostic::note(Code::OtherFileName, machine.name.span, title).label(format!("the file is named {stem}"));
    // A name in back quotes cannot be a file name.
    let fix = (word_in_back_quotes(stem) == stem)
        .then(|| Fix::new(format!("name the machine {stem}"), [Edit::replace(machine.name.span, stem.to_owned())]));
    Some(note.help(format!("other machines look for it in {name}.mch: rename the machine or its file")).fixes(fix))
}
