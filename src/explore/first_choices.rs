//! First values of choices among too many, for searches other than that of states.
//!
//! Invariant: first values of symmetric states need not be symmetric, so they are taken without symmetry only. Deliberately elsewhere:
//! searches of states (`temporal`), which values are taken (`eval`).

use bcheck_eval::{ChoiceMode, Machine};
use bcheck_symmetry::{Mode, Symmetry};
use std::sync::atomic::Ordering;

/// Searches with the first `most` values of such choices; a search with symmetry that reaches one restarts without symmetry, if it may.
pub(super) fn with_first_choices<T>(
    (machine, symmetry): (&Machine, &Symmetry),
    (most, may_begin_again): (u32, bool),
    mut search: impl FnMut(&Symmetry) -> T,
) -> T {
    begin(&[machine], symmetry, (most, may_begin_again));
    let found = search(symmetry);
    if !begins_again(&[machine], most) {
        return found;
    }
    search(&Symmetry::new(machine.model(), machine.scope(), Mode::Off))
}

/// Makes such choices of machines with one interrupt flag end a search with symmetry, or take first values where there is none.
pub(super) fn begin(machines: &[&Machine], symmetry: &Symmetry, (most, may_begin_again): (u32, bool)) {
    let mode = match ChoiceMode::first(most) {
        first if symmetry.is_trivial() => first,
        ChoiceMode::Refuse => ChoiceMode::Refuse,
        _ if may_begin_again => ChoiceMode::EndSearch,
        _ => ChoiceMode::OnlyUnread,
    };
    machines.iter().for_each(|machine| machine.choose(mode));
}

/// Whether such a choice has ended the search, so that it has to restart without symmetry.
pub(super) fn begins_again(machines: &[&Machine], most: u32) -> bool {
    let has_ended = machines.iter().any(|machine| machine.has_ended_at_choices());
    if has_ended {
        machines.iter().for_each(|machine| machine.choose(ChoiceMode::first(most)));
    }
    // A limit or signal at the same moment ends the command, so there is no time to restart.
    has_ended && !machines.iter().any(|machine| machine.interrupt().load(Ordering::Relaxed))
}
