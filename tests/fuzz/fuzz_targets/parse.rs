//! Any text is parsed and typed, as a machine and as a temporal formula, or refused with diagnostics that lie in it: no panic, no hang.

#![no_main]

use bcheck::report::diagnostics;
use bcheck::source::SourceMap;
use bcheck::{sema, syntax};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut sources = SourceMap::new();
    let file = sources.add("fuzz.mch", text);
    let parsed = syntax::parse_machine(file, text);
    let mut found = parsed.diagnostics;
    if let Some(tree) = parsed.tree {
        found.extend(sema::analyse(&tree).1);
    } else {
        assert!(!found.is_empty(), "a refusal says why");
    }
    for logic in [sema::Logic::Ltl, sema::Logic::Ctl] {
        found.extend(syntax::temporal::parse_temporal(file, logic, text).diagnostics);
    }
    for diagnostic in &found {
        // Panics where a place is outside its file.
        let _ = diagnostics::headline(diagnostic, &sources);
    }
});
