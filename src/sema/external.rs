//! Functions of ProB's libraries that bcheck knows.
//!
//! Invariant: a name is looked up here only when the machine declares nothing of that name.

use super::elaborate::{Elaborator, counted};
use crate::ir::{Expr, ExprKind, ExternalFunction, Type};
use crate::source::{Code, Diagnostic, Span};
use crate::syntax::ast;

/// Functions, predicates and substitutions of ProB's libraries that bcheck does not evaluate.
const LIBRARY: &str = "ABS APPEND ARGC ARGV BAND BLSHIFT BNOT BOR BRSHIFT \
    BXOR CODES_TO_STRING COS COSx DEC_STRING_TO_INT DIRECTORY_EXISTS ENUM FILE_EXISTS FILES \
    FORCE FORMAT_TO_STRING FULL_FILES GCD GET GET_CODE GET_CODE_STD HASH INT_TO_DEC_STRING \
    INT_TO_HEX_STRING LABEL LEQ_SYM LEQ_SYM_BREAK LESS LOGx LTE_SYM MAXIMIZE MAXIMIZE_EXPR \
    MINIMIZE_EXPR MU MU_WITH_DEFAULT OBSERVE OBSERVE_INDENT RANDOM READ_CSV \
    READ_CSV_SEQUENCE READ_CSV_STRINGS READ_XML READ_XML_FROM_STRING REC REC_LET RECURSIVE_LET REGEX_MATCH REGEX_REPLACE \
    REGEX_SEARCH REGEX_SEARCH_ALL REGEX_SEARCH_STR SCCS SHA_HASH SHA_HASH_HEX SIGN SIN SINx \
    SORT SQUASH STRINGIFY STRING_CHARS STRING_CODES STRING_CONTAINS_STRING STRING_EQUAL_CASE_INSENSITIVE STRING_IS_ALPHANUMERIC STRING_IS_DECIMAL \
    STRING_IS_INT STRING_IS_NUMBER STRING_JOIN STRING_PADLEFT STRING_REPLACE STRING_REV STRING_TO_ENUM STRING_TO_LOWER STRING_TO_UPPER \
    SUB_STRING TAN TANx TIME TIMESTAMP TIMESTAMP_INFO TO_INT TRACE TYPED_STRING_TO_ENUM \
    WRITE_XML cos normal \
    random_element random_permutation random_subset sin tan";

/// What prints: a predicate that is true, or a substitution that changes nothing.
const PRINTING: &str = "PRINT PRINTF dprint dprintf fprintf iprintf print printf";

/// Whether the name, when nothing declares it, only prints.
pub(super) fn is_printing(name: &str) -> bool {
    PRINTING.split_whitespace().any(|known| known == name)
}

/// B's operators on trees, which bcheck does not evaluate.
const TREES: &str = "arity bin btree const father infix left mirror postfix prefix rank right sizet son sons subtree top tree";

/// Whether the name, when nothing declares it, is one of ProB's or B's that bcheck does not evaluate.
pub(super) fn is_unsupported(name: &str) -> bool {
    [LIBRARY, TREES].iter().any(|names| names.split_whitespace().any(|known| known == name))
}

impl Elaborator<'_> {
    /// Refuses such a name, once for all its uses.
    pub(super) fn unsupported_name(&mut self, name: &str, span: Span) {
        let title = format!("`{name}` is not supported");
        if self.diagnostics.iter().any(|known| known.code == Code::NotSupportedEver && known.title == title) {
            return;
        }
        let is_of_trees = TREES.split_whitespace().any(|known| known == name);
        let what = if is_of_trees { "an operator on trees" } else { "a function of ProB's libraries" };
        self.tell(Diagnostic::error(Code::NotSupportedEver, span, title).label(format!("{what} that bcheck does not evaluate")));
    }

    /// A call of a library function, if the name is one.
    pub(super) fn external(&mut self, name: &str, at: Span, arguments: &[ast::Expr], span: Span) -> Option<Expr> {
        let text = || Type::String;
        if matches!(name, "vprintf" | "dvprintf") {
            // It prints its second argument and is it.
            return Some(match arguments {
                [format, value] => {
                    self.demand(format, &Type::String);
                    self.expr(value)
                }
                _ => {
                    self.takes(name, 2, arguments, span);
                    self.hole(span)
                }
            });
        }
        let element = self.types.fresh();
        let (function, parameters, result) = match name {
            "CHOOSE" => (ExternalFunction::Choose, vec![Type::set(element.clone())], element),
            "TO_STRING" => (ExternalFunction::ToString, vec![element], text()),
            "STRING_APPEND" => (ExternalFunction::StringAppend, vec![text(), text()], text()),
            "STRING_LENGTH" => (ExternalFunction::StringLength, vec![text()], Type::Integer),
            "STRING_TO_INT" => (ExternalFunction::StringToInt, vec![text()], Type::Integer),
            "INT_TO_STRING" => (ExternalFunction::IntToString, vec![Type::Integer], text()),
            "STRING_CONC" => (ExternalFunction::StringConc, vec![Type::relation(Type::Integer, text())], text()),
            "STRING_SPLIT" => (ExternalFunction::StringSplit, vec![text(), text()], Type::relation(Type::Integer, text())),
            _ if is_unsupported(name) => {
                self.unsupported_name(name, at);
                arguments.iter().for_each(|argument| {
                    self.expr(argument);
                });
                return Some(self.hole(span));
            }
            _ => return None,
        };
        if !self.takes(name, parameters.len(), arguments, span) {
            return Some(self.hole(span));
        }
        let arguments = arguments.iter().zip(&parameters).map(|(argument, ty)| self.demand(argument, ty)).collect();
        Some(Expr { kind: ExprKind::External(function, arguments), ty: result, span })
    }

    /// Reports a wrong number of arguments.
    fn takes(&mut self, name: &str, wanted: usize, arguments: &[ast::Expr], span: Span) -> bool {
        let given = arguments.len();
        if given != wanted {
            self.tell(
                Diagnostic::error(Code::WrongArgumentCount, span, format!("`{name}` takes {}, not {given}", counted(wanted, "argument")))
                    .label(format!("{} given", counted(given, "argument"))),
            );
        }
        given == wanted
    }
}
