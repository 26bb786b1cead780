//! Any text is read as a trace and as a graph, or refused: no panic, and an end.

#![no_main]

use bcheck::ir::Model;
use bcheck::report::recorded;
use bcheck::report::unfold::{Quotient, unfold};
use bcheck::source::SourceMap;
use bcheck::{sema, syntax};
use libfuzzer_sys::fuzz_target;
use std::sync::OnceLock;

/// What traces are about.
const MACHINE: &str = "
MACHINE queue
SETS S; T = {t1, t2}
CONSTANTS c
PROPERTIES c : S +-> T
VARIABLES q, r, n
INVARIANT q : iseq(S) & r : struct(a : BOOL, b : POW(T)) & n : 0 .. 2
INITIALISATION q := [] || r := rec(a : TRUE, b : {}) || n := 0
OPERATIONS add(x) = PRE x : S - ran(q) THEN q := q <- x || n := size(q) END
END";

/// Graphs that stand for more states are refused.
const MOST_STATES: usize = 1_000;

fn model() -> &'static Model {
    static MODEL: OnceLock<Model> = OnceLock::new();
    MODEL.get_or_init(|| {
        let mut sources = SourceMap::new();
        let file = sources.add("queue.mch", MACHINE);
        let tree = syntax::parse_machine(file, MACHINE).tree.expect("a correct machine");
        let (model, found) = sema::analyse(&tree);
        model.unwrap_or_else(|| panic!("{found:?}"))
    })
}

fuzz_target!(|text: &str| {
    if let Err(fault) = recorded::read(text, model()) {
        assert!(fault.line >= 1 && fault.column >= 1, "a fault has a place");
    }
    if let Ok(quotient) = Quotient::read(text) {
        let _ = unfold(&quotient, MOST_STATES);
    }
});
