//! Interfaces of Atelier B's library machines, for projects that do not include them.
//!
//! Invariant: one is used only if no folder has a machine of its name. Deliberately elsewhere: the folders (`project`).

/// The machines, by name.
const INTERFACES: [(&str, &str); 5] = [
    ("BASIC_ARRAY_RGE", include_str!("library/BASIC_ARRAY_RGE.mch")),
    ("BASIC_ARRAY_VAR", include_str!("library/BASIC_ARRAY_VAR.mch")),
    ("BASIC_BOOL", include_str!("library/BASIC_BOOL.mch")),
    ("BASIC_IO", include_str!("library/BASIC_IO.mch")),
    ("L_ARRAY1", include_str!("library/L_ARRAY1.mch")),
];

/// Further library machines, which bcheck does not ship.
const OTHERS: &str = "BASIC_ARITHMETIC L_ARITHMETIC1 L_ARRAY1_RANGE L_ARRAY2 L_ARRAY3 L_ARRAY3_RANGE L_ARRAY5 L_ARRAY5_RANGE \
    L_ARRAY_COLLECTION L_PFNC L_SEQUENCE L_SEQUENCE_RANGE L_SET";

/// What to say about a library machine that bcheck does not ship, and the remedy.
pub(crate) fn not_shipped(machine: &str) -> Option<[String; 2]> {
    OTHERS.split_whitespace().any(|other| other == machine).then(|| {
        let known = format!("`{machine}` is a library machine of Atelier B that bcheck does not ship");
        let remedy = format!("copy {machine}.mch from the library of Atelier B into the project, or name its folder by --include DIR");
        [known, remedy]
    })
}

/// The text of a library machine.
pub(crate) fn interface(machine: &str) -> Option<&'static str> {
    INTERFACES.iter().find(|(name, _)| *name == machine).map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcheck_sema::{NoFiles, analyse_parsed};
    use bcheck_source::SourceMap;
    use bcheck_syntax::parse_machine;

    #[test]
    fn each_interface_is_a_machine_of_its_name_without_faults() {
        for (name, text) in INTERFACES {
            let mut sources = SourceMap::new();
            let file = sources.add(name.to_owned(), text);
            let parsed = parse_machine(file, text);
            assert_eq!(parsed.tree.as_ref().map(|machine| machine.name.text.as_str()), Some(name));
            let analysis = analyse_parsed(parsed, &mut NoFiles);
            assert!(analysis.diagnostics.is_empty(), "{name}: {:?}", analysis.diagnostics);
            assert_eq!(interface(name), Some(text));
        }
        assert_eq!(interface("BASIC"), None);
        // None of them is shipped.
        assert!(OTHERS.split_whitespace().all(|name| interface(name).is_none() && not_shipped(name).is_some()));
        assert_eq!(not_shipped("L_ARRAY1"), None);
    }
}
