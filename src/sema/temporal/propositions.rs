//! The propositions of temporal formulas: predicates, patterns of steps, words.
//!
//! Invariant: unless an error has been found, a returned proposition is closed and its types are complete. After an error, placeholders
//! replace the faulty parts, and the walk continues. Deliberately elsewhere: operators around propositions (`operators`).

use crate::definitions::Definitions;
use crate::elaborate::{Elaborator, counted};
use crate::expand::Expander;
use crate::finish::Finisher;
use crate::names::nearest;
use crate::types::has_unknown;
use bcheck_ir::temporal::{Comparing, Pattern, StateProposition, StepProposition};
use bcheck_ir::{Expr, LocalId, Model, OperationId, Pred, PredKind, Type, rewrite_expr, rewrite_pred};
use bcheck_source::{Code, Diagnostic, Logic, Span, has_errors};
use bcheck_syntax::ast::{self, Name};
use bcheck_syntax::temporal::{Counting, StateWord, StepPattern, Trend};

/// Elaborates the propositions of one formula.
pub(super) struct Propositions<'d> {
    elaborator: Elaborator<'d>,
    expander: Expander<'d>,
    model: &'d Model,
    pub(super) logic: Logic,
    has_current: bool,
    /// The names that quantifiers around the proposition bind: they hide definitions.
    bound: Vec<Name>,
}

impl<'d> Propositions<'d> {
    pub(super) fn new(
        elaborator: Elaborator<'d>,
        definitions: &'d Definitions<'d>,
        model: &'d Model,
        (logic, has_current): (Logic, bool),
    ) -> Self {
        Self { elaborator, expander: Expander::new(definitions), model, logic, has_current, bound: Vec::new() }
    }

    /// The names of all locals, and all diagnostics.
    pub(super) fn into_parts(self) -> (Vec<String>, Vec<Diagnostic>) {
        (self.elaborator.locals, self.elaborator.diagnostics)
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.elaborator.diagnostics.push(diagnostic);
    }

    /// Whether an error was found before, after which the formula may contain placeholders.
    pub(super) fn has_errors(&self) -> bool {
        has_errors(&self.elaborator.diagnostics)
    }

    fn expanded(&mut self, expr: &ast::Expr) -> ast::Expr {
        // Names of quantifiers hide definitions, as bound names of B do.
        let expanded = self.expander.expr_below(&self.bound, expr);
        self.elaborator.diagnostics.append(&mut self.expander.diagnostics);
        expanded
    }

    /// A predicate in braces.
    pub(super) fn pred(&mut self, pred: &ast::Expr) -> Pred {
        let expanded = self.expanded(pred);
        let mut pred = self.elaborator.pred(&expanded);
        self.elaborator.resolve_all_overloads();
        if !has_errors(&self.elaborator.diagnostics) {
            rewrite_pred(&mut pred, &mut Finisher::new(&self.elaborator.types, &self.elaborator.labels));
        }
        pred
    }

    /// An expression, of a type if one is demanded.
    fn expr(&mut self, expr: &ast::Expr, demanded: Option<&Type>) -> Expr {
        let expanded = self.expanded(expr);
        let mut expr = match demanded {
            Some(ty) => self.elaborator.demand(&expanded, ty),
            None => self.elaborator.expr(&expanded),
        };
        self.elaborator.resolve_all_overloads();
        if !has_errors(&self.elaborator.diagnostics) {
            rewrite_expr(&mut expr, &mut Finisher::new(&self.elaborator.types, &self.elaborator.labels));
        }
        expr
    }

    /// A quantifier: the bound name with its type, which the condition determines, the condition, and the result of `inside` for the body.
    pub(super) fn quantified<T>(
        &mut self,
        name: &Name,
        condition: &ast::Expr,
        inside: impl FnOnce(&mut Self) -> T,
    ) -> (LocalId, Type, Pred, T) {
        // The name is visible in its own condition, which types it, and in the body.
        let mark = self.elaborator.names.bound.len();
        let name = self.bound_name(name);
        let (local, ty) = self.elaborator.bind(std::slice::from_ref(&name)).pop().expect("one name was bound");
        self.bound.push(name.clone());
        let condition = self.pred(condition);
        // Without an earlier error, as a wrong condition determines no type.
        if !has_errors(&self.elaborator.diagnostics) && has_unknown(&self.elaborator.types.resolve(&ty)) {
            self.report(
                Diagnostic::error(Code::CannotType, name.span, format!("the type of `{}` cannot be inferred", name.text))
                    .label("nothing says what its values are")
                    .help(format!("add a predicate such as `{} : S` to the condition in the braces behind it", name.text)),
            );
        }
        // Only after the condition: before it, the type is an unknown.
        let ty = Finisher::new(&self.elaborator.types, &self.elaborator.labels).completed(&ty);
        let body = inside(self);
        self.bound.pop();
        self.elaborator.names.bound.truncate(mark);
        (local, ty, condition, body)
    }

    /// The name that a quantifier binds: as everywhere, a definition that is a name is replaced by it.
    fn bound_name(&mut self, name: &Name) -> Name {
        let mut names = self.expander.bound_as(name);
        self.elaborator.diagnostics.append(&mut self.expander.diagnostics);
        match names.pop() {
            Some(found) if names.is_empty() => found,
            _ => {
                let title = format!("the definition `{}` stands for several names", name.text);
                let help = "a quantifier of a formula binds one name: write !x.({x : S} => !y.({y : T} => f))";
                self.report(Diagnostic::error(Code::BadDefinition, name.span, title).help(help));
                name.clone()
            }
        }
    }

    /// A word for a proposition of the state.
    pub(super) fn word(&mut self, word: StateWord, span: Span) -> StateProposition {
        let (title, help) = match word {
            StateWord::Deadlock => return StateProposition::Deadlock,
            StateWord::Sink => return StateProposition::Sink,
            StateWord::Current if self.has_current => return StateProposition::Current,
            StateWord::Goal => match &self.model.goal {
                Some(goal) => return StateProposition::Holds(goal.clone()),
                None => ("the machine has no goal", "define GOAL == P, give --goal P, or write {P} here"),
            },
            StateWord::Current => {
                ("`current` is the state of an animation, and there is none here", "write a predicate that describes the state: {x = 1}")
            }
            StateWord::Error => {
                ("`error` is not supported", "leave it out: what is ill-defined is found by every check; or describe the state: {x = 1}")
            }
            StateWord::DetOutput => {
                ("`det_output` is not supported", "write deterministic(op1, op2), or a predicate about the variables that keep the outputs")
            }
        };
        let code = if word == StateWord::Goal { Code::UnknownName } else { Code::NotSupportedEver };
        self.report(Diagnostic::error(code, span, title).help(help));
        StateProposition::Deadlock
    }

    /// `deadlock(o1, …)`, `controller(…)`, `deterministic(…)`.
    pub(super) fn counted(&mut self, counting: Counting, patterns: &[StepPattern]) -> StateProposition {
        let patterns = patterns.iter().map(|pattern| self.pattern(pattern)).collect();
        match counting {
            Counting::None => StateProposition::NoneEnabled(patterns),
            Counting::One => StateProposition::OneEnabled(patterns),
            Counting::AtMostOne => StateProposition::AtMostOneEnabled(patterns),
        }
    }

    /// `unchanged({e})` and its kin.
    pub(super) fn compared(&mut self, trend: Trend, expr: &ast::Expr) -> StepProposition {
        let (comparing, demanded) = match trend {
            Trend::Unchanged => (Comparing::Unchanged, None),
            Trend::Changed => (Comparing::Changed, None),
            Trend::Increasing => (Comparing::Increasing, Some(&Type::Integer)),
            Trend::Decreasing => (Comparing::Decreasing, Some(&Type::Integer)),
        };
        StepProposition::Compared(comparing, self.expr(expr, demanded))
    }

    /// `BA({p})`, in which `x$0` is the value before the step, just as in a loop it is the value before the loop.
    pub(super) fn before_after(&mut self, pred: &ast::Expr) -> StepProposition {
        // The elaborator allows `x$0` inside of loops; it has the same meaning here.
        self.elaborator.loops += 1;
        let pred = self.pred(pred);
        self.elaborator.loops -= 1;
        StepProposition::BeforeAfter(pred)
    }

    /// A pattern of steps.
    pub(super) fn pattern(&mut self, pattern: &StepPattern) -> Pattern {
        let name = &pattern.operation;
        let found = self.model.operations.get_full(&name.text);
        let Some((index, _, operation)) = found else {
            self.unknown_operation(name);
            // The arguments may contain errors as well.
            pattern.arguments.iter().flatten().flatten().for_each(|argument| {
                self.expr(argument, None);
            });
            return Pattern { operation: OperationId(0), arguments: Vec::new(), span: pattern.span };
        };
        let id = OperationId(u32::try_from(index).expect("the model's operations have ids"));
        let parameters = &operation.parameters;
        let Some(given) = &pattern.arguments else {
            // Without parentheses any arguments match, which for an operation without parameters is the same as with them.
            return Pattern { operation: id, arguments: vec![None; parameters.len()], span: pattern.span };
        };
        if given.len() != parameters.len() {
            self.wrong_count(pattern, parameters.len(), given.len());
        }
        let mut arguments = Vec::new();
        for (index, argument) in given.iter().enumerate() {
            // Surplus arguments have no expected type, but may contain errors.
            let ty = parameters.get(index).map(|(_, _, ty)| ty);
            arguments.push(argument.as_ref().map(|argument| self.expr(argument, ty)));
        }
        Pattern { operation: id, arguments, span: pattern.span }
    }

    fn unknown_operation(&mut self, name: &Name) {
        let names = self.model.operations.keys().map(String::as_str);
        let help = match nearest(&name.text, names) {
            Some(near) => format!("a similar name is `{near}`"),
            None if self.model.variables.contains_key(&name.text) => {
                format!("`{}` is a variable: predicates about it stand in braces, {{{} = 1}}", name.text, name.text)
            }
            None if self.model.operations.is_empty() => "the machine has no operations".to_owned(),
            None => format!("its operations: {}", self.model.operations.keys().take(10).cloned().collect::<Vec<_>>().join(", ")),
        };
        let title = format!("the machine has no operation `{}`", name.text);
        self.report(Diagnostic::error(Code::UnknownOperation, name.span, title).label("unknown operation").help(help));
    }

    fn wrong_count(&mut self, pattern: &StepPattern, wanted: usize, given: usize) {
        let name = &pattern.operation.text;
        let title = format!("`{name}` has {}, not {given}", counted(wanted, "parameter"));
        let help = match wanted {
            0 => format!("write {name} without parentheses"),
            _ => format!("write {name}({}), or {name} for any arguments", vec!["_"; wanted].join(", ")),
        };
        let declared = self.model.operations.get(name).map(|operation| operation.span);
        let mut diagnostic = Diagnostic::error(Code::WrongArgumentCount, pattern.span, title).help(help);
        if let Some(declared) = declared {
            diagnostic = diagnostic.also(declared, "the operation");
        }
        self.report(diagnostic);
    }

    /// A predicate that replaces a wrong part.
    pub(super) fn anything(span: Span) -> StateProposition {
        StateProposition::Holds(Pred { kind: PredKind::True, span })
    }
}
