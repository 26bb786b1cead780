//! Tests of all of it: representatives of single states, closed forms, laws, and groups that are not all permutations.

mod closed_forms;
mod groups;
mod known_states;
mod laws;
