//! Errors of evaluation: ill-defined expressions, sets that cannot be enumerated, interrupts.
//!
//! Invariant: every error but an interrupt carries the place of the sub-expression that caused it.

use bcheck_source::Span;
use bcheck_value::{IllDefined, MOST_BITS};

/// Why an evaluation has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct EvalError {
    /// The kind of error.
    pub kind: EvalErrorKind,
    /// The sub-expression.
    pub span: Span,
}

/// The kinds of evaluation errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvalErrorKind {
    /// The expression has no value (well-definedness).
    IllDefined(IllDefined),
    /// The PRE condition of a called operation, an ASSERT, the invariant of a loop or its variant does not hold.
    Violated(&'static str),
    /// A local of VAR, or a variable during the initialisation, was read before it was assigned; the name.
    Unassigned(String),
    /// The values of a name, or the elements of a set, cannot be enumerated: the name, or a description of the set.
    Unbounded(String),
    /// Something depends on integers that nothing bounds, outside of the range that was tried: what, and on which.
    Untried(String),
    /// Values were left out, as a machine has too many to choose from.
    LeftOut {
        /// The names that have the values.
        what: String,
        /// How many values were tried.
        tried: usize,
        /// Whether `--max-choices` tries more.
        has_more: bool,
    },
    /// Names have too many values to choose from, and a search with symmetry or of this kind selects none of them.
    NotChosen(String),
    /// Two descriptions of infinite sets whose equality cannot be decided.
    Undecided(String),
    /// A product or power is larger than the evaluator computes.
    TooLarge,
    /// Closures that apply themselves are nested deeper than the evaluator follows: the greatest depth.
    TooDeep(u32),
    /// A machine of a chain of refinements has no step that matches one of the machine that refines it: both names. Which calls are
    /// possible afterwards is unknown.
    NotFollowed(String, String),
    /// A step of such a machine that should match one of the machine that refines it is ill-defined: both names, and the reason.
    IllDefinedAbove(Box<[String; 3]>),
    /// A stated property was not judged: its name, and why.
    NotJudged(String, &'static str),
    /// The run was interrupted (signal or time limit).
    Interrupted,
}

impl EvalErrorKind {
    /// Whether this is a finding about the machine (as opposed to a limit of the evaluator or an interrupt).
    #[must_use]
    pub fn is_ill_defined(&self) -> bool {
        matches!(self, Self::IllDefined(_) | Self::Violated(_) | Self::Unassigned(_))
    }

    /// Whether the evaluator could not find out: the formula is *unknown*, the third truth value beside true and false (Kleene,
    /// Introduction to Metamathematics, §64).
    #[must_use]
    pub fn is_undecided(&self) -> bool {
        match self {
            Self::Unbounded(_) | Self::NotChosen(_) | Self::LeftOut { .. } | Self::Untried(_) | Self::Undecided(_) => true,
            Self::TooLarge | Self::TooDeep(_) | Self::NotFollowed(..) | Self::IllDefinedAbove(..) | Self::NotJudged(..) => true,
            Self::IllDefined(_) | Self::Violated(_) | Self::Unassigned(_) | Self::Interrupted => false,
        }
    }

    /// Whether it only reports values that were left out: the values that were taken are correct.
    #[must_use]
    pub fn is_left_out(&self) -> bool {
        matches!(self, Self::LeftOut { .. })
    }
}

impl From<IllDefined> for EvalErrorKind {
    fn from(reason: IllDefined) -> Self {
        Self::IllDefined(reason)
    }
}

impl std::fmt::Display for EvalErrorKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::IllDefined(reason) => write!(f, "{reason}"),
            Self::Violated(what) => write!(f, "{what} does not hold"),
            Self::Unassigned(name) => write!(f, "`{name}` is read before it is assigned"),
            Self::Unbounded(what) => write!(f, "the values of {what} cannot be enumerated"),
            Self::Untried(what) => f.write_str(what),
            Self::LeftOut { what, tried, has_more: true } => {
                write!(
                    f,
                    "only {tried} of the values of {what} {} tried (--max-choices tries more)",
                    if *tried == 1 { "is" } else { "are" }
                )
            }
            Self::LeftOut { what, tried, has_more: false } => {
                let tried = if *tried == 1 { "one that is tried" } else { "some that are tried" };
                write!(f, "the values of {what} cannot be enumerated, but for {tried}")
            }
            Self::NotChosen(what) => {
                write!(
                    f,
                    "the values of {what} are too many to be enumerated, and a search with symmetry and checkpoints takes none of them"
                )
            }
            Self::Undecided(what) => write!(f, "cannot decide {what}"),
            Self::TooLarge => write!(f, "numbers of more than {MOST_BITS} bits are not computed"),
            Self::TooDeep(depth) => write!(f, "a function applies itself more than {depth} deep"),
            Self::NotFollowed(above, below) => {
                write!(
                    f,
                    "`{below}` takes a step that `{above}` does not follow, so what may be called next is not known (check that link first)"
                )
            }
            Self::IllDefinedAbove(words) => {
                let [above, below, why] = &**words;
                write!(f, "what `{above}` does beside a step of `{below}` is ill-defined, so what may be called next is not known: {why}")
            }
            Self::NotJudged(name, why) => write!(f, "`{name}` is not judged: {why}"),
            Self::Interrupted => write!(f, "interrupted"),
        }
    }
}

pub(super) fn ill_defined<T>(reason: IllDefined, span: Span) -> Result<T, EvalError> {
    Err(EvalError { kind: EvalErrorKind::IllDefined(reason), span })
}

pub(super) fn unbounded<T>(what: String, span: Span) -> Result<T, EvalError> {
    Err(EvalError { kind: EvalErrorKind::Unbounded(what), span })
}
