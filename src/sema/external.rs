//! Functions of ProB's libraries: those that bcheck evaluates, with their types, and the names of those that it does not.
//!
//! Invariant: a name is looked up here only when the machine declares nothing of that name.

use super::elaborate::{Elaborator, counted};
use bcheck_ir::{Expr, ExprKind, ExternalFunction, Type};
use bcheck_source::{Code, Diagnostic, Span};
use bcheck_syntax::ast;

/// Functions, predicates and substitutions of ProB's libraries that bcheck does not evaluate.
const LIBRARY: &str = "ADD_ERROR ADD_MESSAGE APPEND ARGC ARGV COS COSx CURRENT_FILE_POSITION DEC_STRING_TO_INT DELTA_WALLTIME \
    DIRECTORY_EXISTS ENUM EOF EOF_STDIN FILE_EXISTS FILES FULL_FILES GET GET_CODE GET_CODE_STD GET_CODE_STDIN GET_INFO HASH \
    INT_TO_DEC_STRING LABEL LEQ_SYM LEQ_SYM_BREAK LESS LOGx LTE_SYM MAXIMIZE MAXIMIZE_EXPR MAX_SAT MINIMIZE_EXPR MU_WITH_DEFAULT \
    RANDOM READ_CSV READ_CSV_SEQUENCE READ_CSV_STRINGS READ_FILE_AS_STRINGS READ_LINE READ_XML READ_XML_FROM_STRING REC REC_LET \
    RECURSIVE_LET REGEX_MATCH REGEX_REPLACE REGEX_SEARCH REGEX_SEARCH_ALL REGEX_SEARCH_STR SEE SEEN SET_PREF SHA_HASH SHA_HASH_HEX \
    SIN SINx STRINGIFY STRING_IS_DECIMAL STRING_IS_NUMBER STRING_TO_ENUM TAN TANx TIME TIMESTAMP TIMESTAMP_INFO TO_INT \
    TYPED_STRING_TO_ENUM UNSAT_CORE UNSAT_CORE_ACC WRITE_XML cos normal random_element random_permutation random_subset sin tan";

/// Names that print or observe: predicates that are true, or substitutions that change nothing.
const PRINTING: &str = "ENUMERATE FPRINTF OBSERVE OBSERVE_INDENT PRINT PRINTF TRACE dprint dprintf fprintf iprintf observe \
    observe_indent print printf tprintf";

/// Functions that print a value and return it.
const PRINTED_VALUES: [&str; 3] = ["vprintf", "dvprintf", "fvprintf"];

/// Whether the name, when nothing declares it, only prints.
pub(super) fn is_printing(name: &str) -> bool {
    PRINTING.split_whitespace().any(|known| known == name)
}

/// B's operators on trees, which bcheck does not evaluate.
const TREES: &str = "arity bin btree const father infix left mirror postfix prefix rank right sizet son sons subtree top tree";

/// Functions on real numbers, of Atelier B and of ProB's `LibraryReals.def`.
const REALS: &str = "RABS RADD RCEILING RCOS RDIV REULER REXP RFLOOR RGEQ RGT RLEQ RLOG RLOGe RLT RMAX RMAXIMUM RMIN RMINIMUM RMUL \
    RNEQ RONE RPI RPOW RROUND RSIGN RSIN RSQRT RSUB RTAN RUMINUS RZERO ceiling floor real";

/// Whether the name, when nothing declares it, is that of a function on real numbers.
pub(super) fn is_of_reals(name: &str) -> bool {
    REALS.split_whitespace().any(|known| known == name)
}

/// Whether the name, when nothing declares it, is one of ProB's or B's that bcheck does not evaluate.
pub(super) fn is_unsupported(name: &str) -> bool {
    [LIBRARY, TREES, REALS].iter().any(|names| names.split_whitespace().any(|known| known == name))
}

impl Elaborator<'_> {
    /// Whether a name before arguments, when nothing declares it, is one of a library.
    pub(super) fn is_library_function(&mut self, name: &str) -> bool {
        is_printing(name) || is_unsupported(name) || PRINTED_VALUES.contains(&name) || self.signature(name).is_some()
    }

    /// Refuses such a name, once for all its uses.
    pub(super) fn unsupported_name(&mut self, name: &str, span: Span) {
        if is_of_reals(name) {
            // One message for all that is about them.
            self.unsupported("real numbers", span);
            return;
        }
        let title = format!("`{name}` is not supported");
        // By title, which names the function: another function is reported as well, the same one not again.
        if self.diagnostics.iter().any(|known| known.code == Code::NotSupportedEver && known.title == title) {
            return;
        }
        let is_of_trees = TREES.split_whitespace().any(|known| known == name);
        let what = if is_of_trees { "an operator on trees" } else { "a function of ProB's libraries" };
        self.report(Diagnostic::error(Code::NotSupportedEver, span, title).label(format!("{what} that bcheck does not evaluate")));
    }

    /// A call of a library function, if the name is one.
    pub(super) fn external(&mut self, name: &str, at: Span, arguments: &[ast::Expr], span: Span) -> Option<Expr> {
        if PRINTED_VALUES.contains(&name) {
            return Some(self.printed_value(name, arguments, span));
        }
        let Some((function, parameters, result)) = self.signature(name) else {
            // Not a library's name at all: the caller reports it as undeclared.
            if !is_unsupported(name) {
                return None;
            }
            self.unsupported_name(name, at);
            // The arguments may contain errors as well.
            arguments.iter().for_each(|argument| {
                self.expr(argument);
            });
            return Some(self.hole(span));
        };
        if !self.takes(name, parameters.len(), arguments, span) {
            return Some(self.hole(span));
        }
        let arguments = arguments.iter().zip(&parameters).map(|(argument, ty)| self.demand(argument, ty)).collect();
        Some(Expr { kind: ExprKind::External(function, arguments), ty: result, span })
    }

    /// The function of a name with the types of its parameters and its result.
    fn signature(&mut self, name: &str) -> Option<(ExternalFunction, Vec<Type>, Type)> {
        use ExternalFunction as F;
        use Type::{Bool, Integer, String as Text};
        // A fresh unknown for each call makes these functions polymorphic.
        let element = self.types.fresh();
        let sequence = |item: Type| Type::relation(Integer, item);
        let integers = |function, count| (function, vec![Integer; count], Integer);
        Some(match name {
            "CHOOSE" => (F::Choose, vec![Type::set(element.clone())], element),
            "MU" => (F::Mu, vec![Type::set(element.clone())], element),
            "FORCE" => (F::Force, vec![element.clone()], element),
            "SORT" => (F::Sort, vec![Type::set(element.clone())], sequence(element)),
            // Any function on integers, which has the type of a sequence.
            "SQUASH" => (F::Squash, vec![sequence(element.clone())], sequence(element)),
            "SCCS" => (F::Components, vec![Type::relation(element.clone(), element.clone())], Type::set(Type::set(element))),
            "TO_STRING" => (F::ToString, vec![element], Text),
            "FORMAT_TO_STRING" => (F::FormatToString, vec![Text, sequence(element)], Text),
            "STRING_APPEND" => (F::StringAppend, vec![Text, Text], Text),
            "STRING_LENGTH" => (F::StringLength, vec![Text], Integer),
            "STRING_TO_INT" => (F::StringToInt, vec![Text], Integer),
            "INT_TO_STRING" => (F::IntToString, vec![Integer], Text),
            "INT_TO_HEX_STRING" => (F::IntToHexString, vec![Integer], Text),
            "STRING_CONC" => (F::StringConc, vec![sequence(Text)], Text),
            "STRING_SPLIT" => (F::StringSplit, vec![Text, Text], sequence(Text)),
            "STRING_JOIN" => (F::StringJoin, vec![sequence(Text), Text], Text),
            "STRING_CHARS" => (F::StringChars, vec![Text], sequence(Text)),
            "STRING_CODES" => (F::StringCodes, vec![Text], sequence(Integer)),
            "CODES_TO_STRING" => (F::CodesToString, vec![sequence(Integer)], Text),
            "STRING_TO_UPPER" => (F::StringToUpper, vec![Text], Text),
            "STRING_TO_LOWER" => (F::StringToLower, vec![Text], Text),
            "STRING_REV" => (F::StringReverse, vec![Text], Text),
            "SUB_STRING" => (F::SubString, vec![Text, Integer, Integer], Text),
            "STRING_REPLACE" => (F::StringReplace, vec![Text, Text, Text], Text),
            "STRING_PADLEFT" => (F::StringPadLeft, vec![Text, Integer, Text], Text),
            "STRING_CONTAINS_STRING" => (F::StringContains, vec![Text, Text], Bool),
            "STRING_EQUAL_CASE_INSENSITIVE" => (F::StringEqualIgnoringCase, vec![Text, Text], Bool),
            "STRING_IS_INT" => (F::StringIsInt, vec![Text], Bool),
            "STRING_IS_ALPHANUMERIC" => (F::StringIsAlphanumeric, vec![Text], Bool),
            "ABS" => integers(F::Abs, 1),
            "SIGN" => integers(F::Sign, 1),
            "GCD" => integers(F::Gcd, 2),
            "MSB" => integers(F::MostSignificantBit, 1),
            "BNOT" => integers(F::BitNot, 1),
            "BAND" => integers(F::BitAnd, 2),
            "BOR" => integers(F::BitOr, 2),
            "BXOR" => integers(F::BitXor, 2),
            "BLSHIFT" => integers(F::ShiftLeft, 2),
            "BRSHIFT" => integers(F::ShiftRight, 2),
            _ => return None,
        })
    }

    /// `vprintf(format, value)`: its value is its last argument, which ProB prints.
    fn printed_value(&mut self, name: &str, arguments: &[ast::Expr], span: Span) -> Expr {
        let wanted = if name == "fvprintf" { 3 } else { 2 };
        if !self.takes(name, wanted, arguments, span) {
            return self.hole(span);
        }
        // All but the last are strings: where to write, and the format.
        let [texts @ .., value] = arguments else { return self.hole(span) };
        texts.iter().for_each(|text| {
            self.demand(text, &Type::String);
        });
        self.printing(name, span);
        self.expr(value)
    }

    /// Notes that nothing is printed, once for all uses.
    pub(super) fn printing(&mut self, name: &str, span: Span) {
        if self.diagnostics.iter().all(|known| known.code != Code::NotPrinted) {
            self.report(
                Diagnostic::note(Code::NotPrinted, span, format!("`{name}` and its like print nothing here"))
                    .label("holds, and does nothing")
                    .help("values can be looked at in a trace, with `bcheck animate` and with `bcheck eval`"),
            );
        }
    }

    /// Reports a wrong number of arguments.
    fn takes(&mut self, name: &str, wanted: usize, arguments: &[ast::Expr], span: Span) -> bool {
        let given = arguments.len();
        if given != wanted {
            self.report(
                Diagnostic::error(Code::WrongArgumentCount, span, format!("`{name}` takes {}, not {given}", counted(wanted, "argument")))
                    .label(format!("{} given", counted(given, "argument"))),
            );
        }
        given == wanted
    }
}
