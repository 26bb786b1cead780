//! Which of some options were given, for refusals that name the one in the way.

/// The first option of a list that was given.
pub(super) fn first_given(options: impl IntoIterator<Item = (&'static str, bool)>) -> Option<&'static str> {
    options.into_iter().find(|(_, is_given)| *is_given).map(|(option, _)| option)
}
