//! Calls of definitions in place of a substitution: the part of the walk of `expand` that may end at an operation.
//!
//! Invariant: a call whose definition denotes an operation becomes a call of that operation, with all arguments collected on the way.

use super::definitions::Macro;
use super::expand::Expander;
use bcheck_source::{Code, Diagnostic, Span};
use bcheck_syntax::ast::{DefinitionBody, Expr, ExprKind, Name, Subst, SubstKind};

impl<'a> Expander<'a> {
    /// Calls the definition of that name, if there is one, otherwise the operation.
    pub(super) fn call_subst(&mut self, results: &[Expr], name: &Name, arguments: &[Expr], span: Span) -> Subst {
        let error = Subst { kind: SubstKind::Error, span };
        // `Op(x)` with a parameter Op: its argument names the operation.
        if let Some(ExprKind::Ident(actual)) = self.argument(&name.text).map(|argument| &argument.unlabelled().kind) {
            let name = Name { text: actual.clone(), span: name.span };
            return Subst { kind: SubstKind::Call { results: self.list(results), name, arguments: self.list(arguments) }, span };
        }
        let Some(found) = self.definition(&name.text) else {
            let results = self.list(results);
            return Subst { kind: SubstKind::Call { results, name: name.clone(), arguments: self.list(arguments) }, span };
        };
        let is_constant = found.parameters.is_empty();
        // `v <-- D` needs an operation: a substitution has no results to assign.
        if let Some(body) = found.body.substitution().filter(|_| results.is_empty()) {
            return self.inside(found, arguments.to_vec(), span, |this| this.subst(&body).kind).map_or(error, |kind| Subst { kind, span });
        }
        match found.body {
            DefinitionBody::Expr(body) => {
                let body = body.unlabelled();
                // `D == op` or `D(x) == op(x, 1)`: the text names an operation, or another definition.
                let (actual, inner) = match &body.kind {
                    ExprKind::Ident(actual) => (actual, &[][..]),
                    ExprKind::Apply(function, inner) if matches!(function.kind, ExprKind::Ident(_)) => match &function.kind {
                        ExprKind::Ident(actual) => (actual, &inner[..]),
                        _ => return error,
                    },
                    _ => {
                        self.not_a_substitution(found, span);
                        return error;
                    }
                };
                // `D == op` leaves the arguments of the call to op; `D(x) == op(x, 1)` takes them as its own.
                let outer = if is_constant { self.list(arguments) } else { Vec::new() };
                let own = if is_constant { Vec::new() } else { arguments.to_vec() };
                let actual = Name { text: actual.clone(), span: body.span };
                let Some(called) = self.inside(found, own, span, |this| this.call_subst(&[], &actual, inner, span)) else { return error };
                match called.kind {
                    SubstKind::Call { name, mut arguments, .. } => {
                        arguments.extend(outer);
                        let name = Name { span, ..name };
                        Subst { kind: SubstKind::Call { results: self.list(results), name, arguments }, span }
                    }
                    // Without a call at the end of the chain nothing takes the results, nor the arguments that it left.
                    SubstKind::Error => error,
                    kind if results.is_empty() && outer.is_empty() => Subst { kind, span },
                    _ => {
                        self.not_a_substitution(found, span);
                        error
                    }
                }
            }
            DefinitionBody::Subst(_) | DefinitionBody::List(_) => {
                self.not_a_substitution(found, span);
                error
            }
        }
    }

    fn not_a_substitution(&mut self, found: Macro<'a>, span: Span) {
        self.diagnostics.push(
            Diagnostic::error(
                Code::ExpectedSubstitution,
                span,
                format!("the definition `{}` does not stand for an operation call here", found.name.text),
            )
            .label("a substitution is expected here")
            .also(found.name.span, "defined here"),
        );
    }
}
