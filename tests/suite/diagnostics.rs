//! The messages about each machine under `machines/rejected`, word for word, and that there is one for every code.
//!
//! After a change of words, `INSTA_UPDATE=always cargo test --test suite diagnostics` writes the new snapshots; read them.

use crate::program::{bcheck, files_below, root};
use bcheck::source::Code;
use std::collections::BTreeSet;

/// Codes without a rejected machine, and why.
const WITHOUT_MACHINE: &[(Code, &str)] = &[
    (Code::NotText, "machines are text: `bad_input` writes such a file"),
    (Code::Latin1, "a warning"),
    (Code::ExistsWithImplication, "a warning: machines/warning/exists_with_implication.mch"),
    (Code::OnePriority, "a warning: machines/warning/one_priority.mch"),
    (Code::OwnCall, "a warning: machines/warning/own_call.mch"),
    (Code::OtherFileName, "a note"),
    (Code::TooDeep, "the machine would be huge: `bad_input` writes it"),
    (Code::SettingIgnored, "a warning or note"),
    (Code::UnknownSet, "about the command line"),
    (Code::LeftToRefine, "a warning"),
    (Code::BoundOfText, "a note: machines/language/number_of_the_text.mch"),
    (Code::SizeOfProperties, "a note: machines/language/size_that_fits.mch"),
    (Code::NotChosen, "a note: machines/language/unread_constant.mch"),
    (Code::NotChecked, "a note or warning: machines/warning/not_checked.mch"),
    (Code::LeftOutOfPictures, "a warning or note: machines/pictures/faults.mch"),
    (Code::NotPrinted, "a note"),
    (Code::OnlyInScope, "a note"),
    (Code::NotATrace, "about a trace: `replay` reads some"),
    (Code::NotRefined, "a warning of a refinement check"),
];

#[test]
fn messages_about_rejected_machines() {
    insta::glob!("../../machines/rejected", "**/*.mch", |path| {
        if !std::fs::read_to_string(path).expect("a machine").contains("rejected, ") {
            return;
        }
        let name = path.strip_prefix(root()).expect("below the root").display().to_string();
        let run = bcheck(&[&name, "--progress", "none"]);
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true, input_file => name }, {
            insta::assert_snapshot!(run.stderr);
        });
    });
}

#[test]
fn every_code_has_a_machine() {
    let mut stated: BTreeSet<Code> = BTreeSet::new();
    for path in files_below(&root().join("machines/rejected"), "mch") {
        let text = std::fs::read_to_string(&path).expect("a machine");
        let pragma = text.lines().next().unwrap_or_default();
        stated.extend(Code::ALL.iter().filter(|code| pragma.contains(code.as_str())).copied());
    }
    for code in Code::ALL.iter().filter(|code| code.as_str() < "B05") {
        let excused = WITHOUT_MACHINE.iter().any(|(other, _)| other == code);
        assert_eq!(stated.contains(code), !excused, "{code}: {}", code.meaning());
    }
}
