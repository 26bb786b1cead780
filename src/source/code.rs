//! The stable codes of diagnostics. A code is never reused or renumbered; the hundreds digit names the stage.
//!
//! Invariant: B01xx are lexical and syntax errors (exit code 150), B02xx names and types, B03xx what is not supported yet
//! (both exit code 120), B04xx settings and sizes, B05xx findings during evaluation.

// One row for a code, its number, its meaning and its explanation, so that none of them can be missing.
macro_rules! codes {
    ($($variant:ident = $text:literal: $meaning:literal => $explanation:literal,)*) => {
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

            /// The meaning of the code, in a few words.
            #[must_use]
            pub fn meaning(self) -> &'static str {
                match self { $(Code::$variant => $meaning,)* }
            }

            /// The cause and the remedy, in a few sentences of Markdown.
            #[must_use]
            pub fn explanation(self) -> &'static str {
                match self { $(Code::$variant => $explanation,)* }
            }
        }
    };
}

codes! {
    UnknownCharacter = "B0101": "a character that no B token starts with"
        => "No token of B begins with this character. Signs of mathematics that B does not know, and typographic quotes from a document, \
            have a spelling in ASCII: `bcheck help language` lists all of them.",
    UnclosedComment = "B0102": "a comment without its end"
        => "A comment from `/*` reaches to the next `*/`. Without it, the rest of the file is a comment.",
    UnclosedString = "B0103": "a string without its closing quote"
        => "A string between `\"` ends in the line in which it begins; one of several lines stands between `'''`.",
    BadNumber = "B0104": "a number that cannot be read"
        => "Numbers are written in decimal digits, such as `10`, or in hexadecimal digits behind `0x`, such as `0xFF`.",
    BadIdentifier = "B0105": "a name that is not allowed"
        => "A name is a letter followed by letters, digits and underscores. Any other name stands between back quotes: `` `_count` ``. \
            Names with a dot belong to included machines and cannot be declared or bound.",
    NotText = "B0106": "a file that is not text"
        => "Machines are plain text: UTF-8, Latin-1, or UTF-16 with a byte order mark.",
    EmptyFile = "B0107": "a file without a machine"
        => "A machine has the form `MACHINE M … END`, where MACHINE may be MODEL, SYSTEM, REFINEMENT or IMPLEMENTATION.",
    Latin1 = "B0108": "a file that is not UTF-8, read as Latin-1"
        => "Nothing is lost, but save the file as UTF-8, as other tools may read it otherwise.",
    UnexpectedToken = "B0110": "a token that does not belong here"
        => "What stands here does not fit what is before it. The mistake is often just before this place: a missing operator, comma or \
            bracket. Words and signs of other languages are named, with those of B.",
    MissingEnd = "B0111": "a construct without its END"
        => "`MACHINE`, `BEGIN`, `PRE`, `IF`, `SELECT`, `ANY`, `LET`, `VAR`, `CASE`, `CHOICE` and `WHILE` each have an END of their own. \
            The message names the construct that is still open and, where another END closed it too early, that one.",
    MissingSemicolon = "B0112": "two items without a ; between them"
        => "Operations, sets, definitions and assertions are separated by `;`, names of constants and variables by `,`, conjuncts by `&`.",
    StraySemicolon = "B0113": "a ; with nothing after it"
        => "`;` separates, it does not end: none stands behind the last item.",
    UnknownClause = "B0114": "a word where a clause was expected"
        => "Between two clauses only the keyword of a clause can stand, such as `INVARIANT` or `OPERATIONS`, written in capital letters.",
    KeywordAsName = "B0115": "a keyword used as a name"
        => "Keywords cannot be names. Choose another name, or write it between back quotes.",
    EqualsForAssign = "B0116": "= where := is meant"
        => "`x := e` assigns, `x = e` compares. An operation is declared with `=`.",
    UnclosedBracket = "B0117": "a bracket without its partner"
        => "Each bracket is closed by one of its own kind. The message points at the one that was opened.",
    ForallNeedsImplication = "B0118": "a universal quantifier whose body is not an implication"
        => "`!x.(P => Q)`: P says what x ranges over, Q what holds of it. `!x.(x : S & P)` would claim that everything is in S.",
    DuplicateClause = "B0119": "a clause that stands twice"
        => "A machine has each clause once. Put both contents into one.",
    TooDeep = "B0120": "nesting deeper than the parser follows"
        => "Name parts of the formula in DEFINITIONS.",
    ExpectedPredicate = "B0121": "an expression where a predicate is expected"
        => "A predicate is true or false and stands in INVARIANT and in guards; an expression has a value. A value `b` of BOOL becomes a \
            predicate by `b = TRUE`.",
    ExpectedExpression = "B0122": "a predicate where an expression is expected"
        => "`bool(P)` makes a value of BOOL from a predicate P.",
    ExpectedSubstitution = "B0123": "something else where a substitution is expected"
        => "The body of an operation is a substitution: `x := e`, `x :: S`, `skip`, `PRE … THEN … END` and the like. A predicate alone \
            changes nothing.",
    BadDefinition = "B0124": "a definition that cannot be read"
        => "A definition is `name == formula` or `name(a, b) == formula`, where an argument that is bound inside must be called with a \
            name; a LET has one equation for each of its names.",
    NotATrace = "B0125": "a saved trace that cannot be read"
        => "The file is no trace, or is damaged. bcheck reads traces of ProB (`.prob2trace`), ITF, its own JSON and text.",
    ExistsWithImplication = "B0126": "an existential quantifier whose body is an implication"
        => "`#x.(x : S => P)` is true as soon as something is outside of S. To say that some x in S has P, write `#x.(x : S & P)`.",
    OnePriority = "B0127": "signs of one priority beside each other where parentheses change the meaning"
        => "Such signs group to the left, which is seldom what is meant: write parentheses. `a \\/ b |-> c` is a pair whose first part is \
            a union.",
    UnknownName = "B0201": "a name that nothing declares"
        => "The name is misspelled, declared in a clause that is not visible here, or in a machine that is not seen or included. \
            PROPERTIES speaks of constants and sets only.",
    DuplicateName = "B0202": "a name declared twice"
        => "Constants, variables, sets, elements and operations of a machine, and those of machines that it includes without a prefix, \
            share one space of names.",
    TypeClash = "B0203": "two types that do not fit"
        => "Both sides of an operator must have types that fit: `x : S` for an element, `x <: S` for a subset, `{x}` for the set of one \
            element, `f : S --> T` for a function. The message shows both types and where each comes from.",
    CannotType = "B0204": "a name whose type no predicate gives"
        => "Each name needs a predicate that gives its type, `x : S` or `x <: S` or an equation, before it is used otherwise: in \
            PROPERTIES, INVARIANT or the guard, or behind the dot of a quantifier.",
    InfiniteType = "B0205": "a type that would contain itself"
        => "Somewhere a set is compared with its own elements, as in `s : s`.",
    RecursiveDefinition = "B0206": "a definition that uses itself"
        => "A definition is replaced by its text, so one that uses itself would never end. Recursive functions are constants.",
    WrongArgumentCount = "B0207": "a wrong number of arguments"
        => "A definition, an operation and a machine take as many arguments as they have parameters.",
    NotAssignable = "B0208": "an assignment to what is not a variable"
        => "Only variables of the machine itself, results of the operation and names of VAR can be assigned. A variable of another \
            machine is changed by calling its operations.",
    AssignedTwice = "B0209": "a variable assigned twice in parallel"
        => "Both parts of `S || T` happen at once, so they assign to different variables. `S ; T` does T after S; two places of a \
            function are assigned by `f := f <+ {a |-> x, b |-> y}`.",
    NotAFunction = "B0210": "an application of what is not a function"
        => "`f(x)` needs a function: a set of pairs. `r[{x}]` is the set of all that a relation gives for x.",
    UnknownOperation = "B0211": "a call of an operation that does not exist"
        => "Operations can be called that included, imported or seen machines declare, under their prefix if they have one, and local \
            ones.",
    UnknownField = "B0212": "a record field that does not exist"
        => "`r'f` is a field of a record `rec(f : …)`; its type is `struct(f : …)`.",
    MissingClause = "B0213": "a clause that the machine needs"
        => "A machine with variables needs an INITIALISATION; a refinement names the machine that it refines in REFINES.",
    RecursiveCall = "B0214": "an operation that calls itself"
        => "Operations cannot call each other in a circle.",
    UnknownMachine = "B0215": "a machine or definition file that cannot be found"
        => "The file is looked for in the folder of the one that names it, then in those of `--include DIR`. The message lists them.",
    MachineCycle = "B0216": "machines that need each other in a circle"
        => "Take one of these references out: a machine cannot be a part of itself.",
    WrongMachine = "B0217": "a machine of another name or kind than the clause wants"
        => "A file holds the machine of its own name, and a clause names a machine of the kind that it needs.",
    NotInitialised = "B0218": "a variable that no initialisation assigns"
        => "INITIALISATION gives each variable a value: `x := e`, or `x :: S` for any element of S.",
    OwnCall = "B0219": "a call of an operation of the machine itself"
        => "B allows calls of operations of other machines and of local ones. Name what both operations do in DEFINITIONS.",
    NotSupportedEver = "B0302": "a construct outside what bcheck evaluates"
        => "`bcheck help limits` lists what is left out, and what takes its place.",
    BadSize = "B0401": "a size of a deferred set that cannot be used"
        => "A deferred set has at least one element; findings nearly always show with 2 to 5. An enumerated set has the size that its \
            text says.",
    SettingIgnored = "B0402": "a setting that bcheck ignores"
        => "The setting has a meaning for ProB, and none for what bcheck does.",
    UnknownSet = "B0403": "a set named on the command line that the machine does not have"
        => "`--deferred NAME=N` is about a deferred set of the machine.",
    LeftToRefine = "B0404": "a part of a refinement that only a refinement check decides"
        => "`bcheck refine` knows both machines and decides it.",
    NotRefined = "B0405": "an operation of the refined machine that its refinement does not have"
        => "A refinement that has no operation for one of the refined machine cannot take its place.",
    NotPrinted = "B0406": "a function that only prints, and prints nothing here"
        => "Values can be looked at in a trace, with `bcheck animate` and with `bcheck eval`.",
    OnlyInScope = "B0407": "a SCOPE definition, which leaves states unexpanded"
        => "What is reachable only through states in which SCOPE is false is not looked at. Remove the definition to look at it.",
    NotChecked = "B0408": "a stated property that is not checked"
        => "The message has the reason, and the option or command that checks it.",
    OtherFileName = "B0409": "a machine whose name is not that of its file"
        => "Other machines look for it in the file of its own name: rename the machine or its file.",
    LeftOutOfPictures = "B0410": "a definition that is left out of the pictures of states"
        => "The picture is drawn without it, or with a tile in place of a missing image. The search does not depend on it.",
    BoundOfText = "B0411": "a bound of integers that is taken from the text"
        => "PROPERTIES have no solution within the default bounds, so that others are taken with which they have one: the number of the \
            text that lies farthest outside, else a value that follows from its numbers, else a power of two. `--minint`, `--maxint` and SET_PREF_MININT, SET_PREF_MAXINT in DEFINITIONS set other ones.",
    NotChosen = "B0412": "a constant that nothing reads, with too many values to be enumerated"
        => "Any one of its values is taken, as the others change nothing. Where something reads it, its first values are tried, and the \
            result is `incomplete`.",
    SizeOfProperties = "B0413": "a size of a deferred set with which PROPERTIES can be satisfied"
        => "PROPERTIES have no solution with the size that would be taken, so that the nearest one is taken with which they have one. \
            `--deferred`, and scope_S in DEFINITIONS, set another one.",
    CannotEnumerate = "B0501": "a variable whose values cannot be bounded"
        => "Bound the name by a membership in a finite set, of numbers by an interval such as `x : 0..9`, or by an equation. Until then \
            the steps of this operation are missing, and the result is `incomplete`.",
    IllDefined = "B0502": "an expression without a value"
        => "Such as `f(x)` outside of `dom(f)`, `max({})`, or a division by zero. Put what makes it defined before it, in the guard or in \
            a conjunct further left.",
    NeverEnabled = "B0503": "an operation that was never enabled"
        => "At these sizes no reachable state satisfies its guard. `--explain` tells in how many states each of its conjuncts is false.",
    GuardIllDefined = "B0504": "a guard, or PROPERTIES, without a value in some case"
        => "Such an instance of the operation counts as disabled, such values of the constants as none. Put the conjunct that makes the rest defined before it.",
    Assumed = "B0505": "PROPERTIES that could not be decided, and are assumed to hold"
        => "What follows rests on this assumption, so that the result is `incomplete`. Give the function a finite domain to have it checked.",
    ResultUnassigned = "B0506": "a result that an operation leaves unassigned in some state"
        => "Such a step counts, with an undefined result. Assign the result in each branch.",
    WithinBounds = "B0507": "a name that nothing bounds, tried within the bounds of integers only"
        => "Bound it by an interval or an equation, or choose the length of the range that is tried with `--minint` and `--maxint`.",
    CannotReplay = "B0508": "a step of a saved trace that the machine does not have"
        => "The machine has changed since the trace was saved, or another one has been named. The message has the first step that does \
            not fit.",
    SymmetryRefuted = "B0509": "a permutation that a test showed to be no symmetry"
        => "This is a fault of bcheck: please report the machine.",
    HoldsVacuously = "B0510": "a temporal formula that holds although most of it asks nothing of any path"
        => "The rest of the formula asks nothing of any path: mostly a premise is never true, or a step never happens. Check that part by \
            itself with `--goal`.",
    Contradiction = "B0511": "conjuncts of a formula that contradict each other"
        => "No values satisfy the conjuncts that the message shows together: at least one of them is not what was meant.",
}

impl Code {
    /// The explanation without the marks of Markdown: back quotes, which are doubled around a text that has one itself.
    #[must_use]
    pub fn plain_explanation(self) -> String {
        let parts = self.explanation().split("``").enumerate();
        parts.map(|(index, part)| if index % 2 == 0 { part.replace('`', "") } else { part.trim().to_owned() }).collect()
    }

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
