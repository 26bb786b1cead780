//! Variables that only grow along random runs.

use super::*;
use crate::growth;

/// The variables, whether it is their size, and their first and last measure.
fn growing(body: &str) -> Vec<(usize, bool, (i64, i64))> {
    let machine = load(&format!("MACHINE m {body} END"), 3);
    let found = growth(&machine, &mut || false).expect("runs");
    found.into_iter().map(|growth| (growth.variable, growth.is_size, growth.between)).collect()
}

#[test]
fn what_only_grows_is_told_from_what_comes_back_and_what_stops() {
    let text = "VARIABLES a, b, c, d INVARIANT a : INTEGER & b : 0..5 & c <: INTEGER & d : INTEGER \
        INITIALISATION a := 0 || b := 0 || c := {} || d := 0 \
        OPERATIONS up = BEGIN a := a + 1 || b := (b + 1) mod 5 || c := c \\/ {a} || d := d - 1 END";
    assert_eq!(growing(text), [(0, false, (0, 400)), (2, true, (0, 400)), (3, false, (0, -400))]);
    let bounded = "VARIABLES a INVARIANT a : INTEGER INITIALISATION a := 0 \
        OPERATIONS up = SELECT a < 50 THEN a := a + 1 END; stay = skip";
    assert_eq!(growing(bounded), [], "it has reached its bound");
    let short = "VARIABLES a INVARIANT a : INTEGER INITIALISATION a := 0 OPERATIONS up = SELECT a < 50 THEN a := a + 1 END";
    assert_eq!(growing(short), [], "fifty steps say nothing");
}
