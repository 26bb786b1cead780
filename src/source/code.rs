//! The stable codes of diagnostics. A code is never reused or renumbered; the hundreds digit names the stage.
//!
//! Invariant: B01xx are lexical and syntax errors (exit code 150), B02xx names and types, B03xx what is not supported yet
//! (both exit code 120), B04xx settings and sizes, B05xx findings during evaluation.

// One row for a code, its number and its meaning, so that no list of them can lack one.
macro_rules! codes {
    ($($variant:ident = $text:literal: $meaning:literal,)*) => {
        /// A stable diagnostic code.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = $meaning] $variant,)*
        }

        impl Code {
            /// Every code, in order.
            pub const ALL: &'static [Code] = &[$(Code::$variant,)*];

            /// The code as printed, such as `B0203`.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$variant => $text,)* }
            }

            /// What the code stands for, in a few words.
            #[must_use]
            pub fn meaning(self) -> &'static str {
                match self { $(Code::$variant => $meaning,)* }
            }
        }
    };
}

codes! {
    UnknownCharacter = "B0101": "a character that no B token starts with",
    UnclosedComment = "B0102": "a comment without its end",
    UnclosedString = "B0103": "a string without its closing quote",
    BadNumber = "B0104": "a number that cannot be read",
    BadIdentifier = "B0105": "a name that is not allowed",
    NotText = "B0106": "a file that is not text",
    EmptyFile = "B0107": "a file without a machine",
    Latin1 = "B0108": "a file that is not UTF-8, read as Latin-1",
    UnexpectedToken = "B0110": "a token that does not belong here",
    MissingEnd = "B0111": "a construct without its END",
    MissingSemicolon = "B0112": "two items without a ; between them",
    StraySemicolon = "B0113": "a ; with nothing after it",
    UnknownClause = "B0114": "a word where a clause was expected",
    KeywordAsName = "B0115": "a keyword used as a name",
    EqualsForAssign = "B0116": "= where := is meant",
    UnclosedBracket = "B0117": "a bracket without its partner",
    ForallNeedsImplication = "B0118": "a universal quantifier whose body is not an implication",
    DuplicateClause = "B0119": "a clause that stands twice",
    TooDeep = "B0120": "nesting deeper than the parser follows",
    ExpectedPredicate = "B0121": "an expression where a predicate is expected",
    ExpectedExpression = "B0122": "a predicate where an expression is expected",
    ExpectedSubstitution = "B0123": "something else where a substitution is expected",
    BadDefinition = "B0124": "a definition that cannot be read",
    NotATrace = "B0125": "a saved trace that cannot be read",
    ExistsWithImplication = "B0126": "an existential quantifier whose body is an implication",
    OnePriority = "B0127": "signs of one priority beside each other where parentheses change the meaning",
    UnknownName = "B0201": "a name that nothing declares",
    DuplicateName = "B0202": "a name declared twice",
    TypeClash = "B0203": "two types that do not fit",
    CannotType = "B0204": "a name whose type no predicate gives",
    InfiniteType = "B0205": "a type that would contain itself",
    RecursiveDefinition = "B0206": "a definition that uses itself",
    WrongArgumentCount = "B0207": "a wrong number of arguments",
    NotAssignable = "B0208": "an assignment to what is not a variable",
    AssignedTwice = "B0209": "a variable assigned twice in parallel",
    NotAFunction = "B0210": "an application of what is not a function",
    UnknownOperation = "B0211": "a call of an operation that does not exist",
    UnknownField = "B0212": "a record field that does not exist",
    MissingClause = "B0213": "a clause that the machine needs",
    RecursiveCall = "B0214": "an operation that calls itself",
    UnknownMachine = "B0215": "a machine or definition file that cannot be found",
    MachineCycle = "B0216": "machines that need each other in a circle",
    WrongMachine = "B0217": "a machine of another name or kind than the clause wants",
    NotInitialised = "B0218": "a variable that no initialisation assigns",
    OwnCall = "B0219": "a call of an operation of the machine itself",
    NotSupportedEver = "B0302": "a construct outside what bcheck evaluates",
    BadSize = "B0401": "a size of a deferred set that cannot be used",
    SettingIgnored = "B0402": "a setting that bcheck ignores",
    UnknownSet = "B0403": "a set named on the command line that the machine does not have",
    LeftToRefine = "B0404": "a part of a refinement that only a refinement check decides",
    NotRefined = "B0405": "an operation of the refined machine that its refinement does not have",
    NotPrinted = "B0406": "a function that only prints, and prints nothing here",
    OnlyInScope = "B0407": "a SCOPE definition, which leaves states unexpanded",
    NotChecked = "B0408": "a stated property that is not checked",
    OtherFileName = "B0409": "a machine whose name is not that of its file",
    LeftOutOfPictures = "B0410": "a definition that is left out of the pictures of states",
    CannotEnumerate = "B0501": "a variable whose values cannot be bounded",
    IllDefined = "B0502": "an expression without a value",
    NeverEnabled = "B0503": "an operation that was never enabled",
    GuardIllDefined = "B0504": "a guard that is ill-defined in some state",
    TakenOnTrust = "B0505": "membership of an infinite function in a set of functions, taken on trust",
    ResultUnassigned = "B0506": "a result that an operation leaves unassigned in some state",
    WithinBounds = "B0507": "a name that nothing bounds, tried within the bounds of integers only",
    CannotReplay = "B0508": "a step of a saved trace that the machine does not have",
    SymmetryRefuted = "B0509": "a permutation that a test showed to be no symmetry",
    HoldsVacuously = "B0510": "a temporal formula that holds although most of it asks nothing of any path",
    Contradiction = "B0511": "conjuncts of a formula that contradict each other",
}

impl Code {
    /// Whether the code is a lexical or syntax error, which has an exit code of its own.
    #[must_use]
    pub fn is_syntax(self) -> bool {
        self.as_str().starts_with("B01")
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
