//! Functions of ProB's libraries that bcheck knows.
//!
//! Invariant: a name is looked up here only when the machine declares nothing of that name.

use super::elaborate::Elaborator;
use crate::ir::{Expr, ExprKind, ExternalFunction, Type};
use crate::source::{Code, Diagnostic, Span};
use crate::syntax::ast;

impl Elaborator<'_> {
    /// A call of a library function, if the name is one.
    pub(super) fn external(&mut self, name: &str, arguments: &[ast::Expr], span: Span) -> Option<Expr> {
        let text = || Type::String;
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
            _ => return None,
        };
        if arguments.len() != parameters.len() {
            self.diagnostics.push(
                Diagnostic::error(
                    Code::WrongArgumentCount,
                    span,
                    format!("{name} takes {} arguments, {} are given", parameters.len(), arguments.len()),
                )
                .label("this call"),
            );
            return Some(self.hole(span));
        }
        let arguments = arguments.iter().zip(&parameters).map(|(argument, ty)| self.demand(argument, ty)).collect();
        Some(Expr { kind: ExprKind::External(function, arguments), ty: result, span })
    }
}
