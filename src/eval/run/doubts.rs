//! What is ill-defined or unknown in an evaluation, besides the bindings and outcomes that it visits.
//!
//! Invariant: of each kind the first one counts. Bindings are visited in a fixed order, so it is the same in every run. Deliberately
//! elsewhere: which of them are findings (`machine`).

use crate::EvalError;

/// What an evaluation has met and passed over.
#[derive(Default)]
pub(crate) struct Doubts {
    /// The first ill-defined guard so far.
    pub(crate) guard_error: Option<EvalError>,
    /// Why the first unknown guard or condition is unknown: there may be more bindings, or outcomes, than the visited ones.
    pub(crate) undecided: Option<EvalError>,
    /// Why the conjunction of the binding that is visited is unknown; the visitor takes it.
    pub(crate) unknown_binding: Option<EvalError>,
    /// The first ill-defined choice of a body; the other choices are still followed.
    pub(crate) body_error: Option<EvalError>,
}

/// Errors noted by a search besides the bindings that it visited.
pub(crate) struct Noted {
    /// Why the condition of a binding is unknown.
    pub(super) undecided: Option<EvalError>,
    /// Why the condition of a binding is ill-defined.
    pub(super) ill_defined: Option<EvalError>,
}

impl Noted {
    /// Why there may be another binding: an unknown one may exist, an ill-defined one is an error only if no binding exists.
    pub(super) fn error(self) -> Option<EvalError> {
        self.undecided.or(self.ill_defined)
    }
}

impl Doubts {
    /// Treats an ill-defined guard as false, and does not follow an unknown one; remembers either, and passes other errors on.
    pub(super) fn disable<T>(&mut self, error: EvalError, disabled: T) -> Result<T, EvalError> {
        if error.kind.is_ill_defined() {
            self.guard_error.get_or_insert(error);
        } else if error.kind.is_undecided() {
            self.undecided.get_or_insert(error);
        } else {
            return Err(error);
        }
        Ok(disabled)
    }

    /// Remembers that one choice of a body is ill-defined or unknown, so that the others are still followed: which one comes first must
    /// not matter. Passes other errors on.
    pub(crate) fn note_choice<T>(&mut self, outcome: Result<T, EvalError>, passed_over: T) -> Result<T, EvalError> {
        match outcome {
            Err(error) if error.kind.is_ill_defined() => {
                self.body_error.get_or_insert(error);
                Ok(passed_over)
            }
            Err(error) if error.kind.is_undecided() => {
                self.undecided.get_or_insert(error);
                Ok(passed_over)
            }
            outcome => outcome,
        }
    }

    /// What is noted of guards, set aside while a part is evaluated whose notes are not those of the guard around it.
    pub(super) fn set_guards_aside(&mut self) -> Noted {
        Noted { ill_defined: self.guard_error.take(), undecided: self.undecided.take() }
    }

    /// The notes of guards since [`Self::set_guards_aside`]; those before are put back.
    pub(super) fn exchange_guards(&mut self, before: Noted) -> Noted {
        let noted = self.set_guards_aside();
        (self.guard_error, self.undecided) = (before.ill_defined, before.undecided);
        noted
    }
}
