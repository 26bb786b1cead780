//! Substitutions: CASE becomes IF, calls are inlined.
//!
//! Invariant: no two parts of one `||` are certain to write the same variable; every call has locals of its own.
//! Deliberately elsewhere: assignments and their targets (`assignment`).

use super::compose::{keep_below, mentions_from};
use super::elaborate::{Elaborator, counted};
use super::names::{Bound, Callable, ambiguous};
use super::result_types::drop_result_types;
use bcheck_ir::{BinaryOp, Comparison, Expr, ExprKind, LocalId, NotChecked, Operation, Pred, PredKind, Subst, SubstKind, Target, Type};
use bcheck_source::{Code, Diagnostic, Span, has_errors};
use bcheck_syntax::ast;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The targets for its results, the name and the arguments of a call.
type Call<'c> = (&'c [ast::Expr], &'c ast::Name, &'c [ast::Expr]);

impl<'a> Elaborator<'a> {
    /// The body of an operation; a PRE at its top is a guard.
    pub(super) fn operation_body(&mut self, body: &ast::Subst) -> Subst {
        let mut subst = self.subst(body);
        mark_guards(body, &mut subst);
        subst
    }

    /// Elaborates a substitution.
    pub(super) fn subst(&mut self, subst: &ast::Subst) -> Subst {
        if self.is_beyond_limit(subst.span) {
            return Subst { kind: SubstKind::Skip, span: subst.span };
        }
        let outer = self.enter(subst.span);
        let result = self.subst_here(subst);
        self.place = outer;
        result
    }

    fn subst_here(&mut self, subst: &ast::Subst) -> Subst {
        let span = subst.span;
        let kind = match &subst.kind {
            ast::SubstKind::Skip | ast::SubstKind::Error => SubstKind::Skip,
            ast::SubstKind::Block(inner) => return self.subst(inner),
            ast::SubstKind::Assign(targets, values) => self.assign(targets, values, span),
            ast::SubstKind::BecomesIn(targets, set) => self.because(span, |this| this.becomes_in(targets, set, span)),
            ast::SubstKind::BecomesSuchThat(targets, pred) => self.becomes_such_that(targets, pred, span),
            ast::SubstKind::Call { results, name, arguments } => return self.call(results, name, arguments, span),
            ast::SubstKind::Parallel(parts) => {
                let parts: Vec<Subst> = parts.iter().map(|part| self.subst(part)).collect();
                self.check_parallel(&parts);
                SubstKind::Parallel(parts)
            }
            ast::SubstKind::Sequence(parts) => SubstKind::Sequence(parts.iter().map(|part| self.subst(part)).collect()),
            // Outside of the top of an operation a PRE is an obligation; `mark_guards` finds those at the top.
            ast::SubstKind::Pre(pred, body) => SubstKind::Pre { pred: self.pred(pred), body: Box::new(self.subst(body)), is_guard: false },
            ast::SubstKind::Assert(pred, body) => SubstKind::Assert(self.pred(pred), Box::new(self.subst(body))),
            ast::SubstKind::Choice(parts) => SubstKind::Choice(parts.iter().map(|part| self.subst(part)).collect()),
            ast::SubstKind::If(branches, otherwise) => {
                let branches = self.branches(branches);
                SubstKind::If(branches, self.optional(otherwise.as_deref()))
            }
            ast::SubstKind::Select(branches, otherwise) => {
                let branches = self.branches(branches);
                SubstKind::Select(branches, self.optional(otherwise.as_deref()))
            }
            ast::SubstKind::Case(scrutinee, branches, otherwise) => self.case(scrutinee, branches, otherwise.as_deref(), span),
            ast::SubstKind::Any(names, pred, body) => {
                let (locals, pred, body) = self.scoped(|this| (this.bind(names), this.pred(pred), this.subst(body)));
                SubstKind::Any(locals, pred, Box::new(body))
            }
            ast::SubstKind::Let(names, pred, body) => {
                let (bindings, body) = self.scoped(|this| (this.let_bindings(names, pred), this.subst(body)));
                SubstKind::Let(bindings, Box::new(body))
            }
            ast::SubstKind::Var(names, body) => {
                let (locals, body) = self.scoped(|this| (this.bind_as(names, true), this.subst(body)));
                SubstKind::Var(locals, Box::new(body))
            }
            ast::SubstKind::While { condition, body, invariant, variant } => {
                // Counted around all four parts: `x$0` is the value at the start of the loop in each of them.
                self.loops += 1;
                let kind = SubstKind::While {
                    condition: self.pred(condition),
                    body: Box::new(self.subst(body)),
                    invariant: self.loop_invariant(invariant),
                    variant: self.demand(variant, &Type::Integer),
                };
                self.loops -= 1;
                kind
            }
        };
        Subst { kind, span }
    }

    /// The invariant of a loop. In an implementation it may mention variables of the refined machine: conjuncts about these are left out,
    /// also in a refinement check: the operation does not run together with one state of that machine, but counts for all of its possible
    /// states.
    fn loop_invariant(&mut self, invariant: &ast::Expr) -> Pred {
        let outer = std::mem::replace(&mut self.names.shows_abstract, true);
        let pred = self.pred(invariant);
        self.names.shows_abstract = outer;
        // A loop of the refined machine mentions that machine's variables, which are in the model where it runs.
        let limit = self.names.first_abstract;
        if self.names.scope().is_abstract || !mentions_from(&pred, limit) {
            return pred;
        }
        self.report_loop_invariant(&pred, limit);
        let span = pred.span;
        keep_below(pred, limit).unwrap_or(Pred { kind: PredKind::True, span })
    }

    fn report_loop_invariant(&mut self, pred: &Pred, limit: u32) {
        let parts = if let PredKind::And(parts) = &pred.kind { parts.as_slice() } else { std::slice::from_ref(pred) };
        for part in parts.iter().filter(|part| mentions_from(part, limit)) {
            let title = "a part of the invariant of a loop is about a refined machine and not checked";
            self.leave_unchecked(
                Diagnostic::warning(Code::NotChecked, part.span, title).label("mentions a variable of a refined machine"),
                NotChecked {
                    name: "WHILE".to_owned(),
                    formula: part.span,
                    span: part.span,
                    reason: "it is about a refined machine",
                    leaves_open: false,
                },
            );
        }
    }

    fn branches(&mut self, branches: &[(ast::Expr, ast::Subst)]) -> Vec<(Pred, Subst)> {
        branches.iter().map(|(pred, body)| (self.pred(pred), self.subst(body))).collect()
    }

    fn optional(&mut self, subst: Option<&ast::Subst>) -> Option<Box<Subst>> {
        subst.map(|subst| Box::new(self.subst(subst)))
    }

    /// `CASE E OF EITHER v, w THEN …` as `LET c = E IN IF c : {v, w} THEN …`, so that E is evaluated once.
    fn case(
        &mut self,
        scrutinee: &ast::Expr,
        branches: &[(Vec<ast::Expr>, ast::Subst)],
        otherwise: Option<&ast::Subst>,
        span: Span,
    ) -> SubstKind {
        let scrutinee = self.expr(scrutinee);
        let ty = scrutinee.ty.clone();
        let id = self.fresh_local("case", ty.clone(), scrutinee.span);
        let branches = branches
            .iter()
            .map(|(values, body)| {
                let values: Vec<Expr> = values.iter().map(|value| self.demand(value, &ty)).collect();
                // The test has the place of its values, which is where a report on its evaluation points.
                let at = values.first().map_or(span, |value| value.span);
                let tested = Expr { kind: ExprKind::Local(id), ty: ty.clone(), span: at };
                let set = Expr { kind: ExprKind::SetExtension(values), ty: Type::set(ty.clone()), span: at };
                (Self::comparison(Comparison::Member, tested, set, at), self.subst(body))
            })
            .collect();
        let choice = Subst { kind: SubstKind::If(branches, self.optional(otherwise)), span };
        SubstKind::Let(vec![(id, scrutinee)], Box::new(choice))
    }

    /// A call: the body of the operation inlined, or `skip` where there is none.
    fn call(&mut self, results: &[ast::Expr], name: &ast::Name, arguments: &[ast::Expr], span: Span) -> Subst {
        let called = match self.names.scope().operations.get(&name.text) {
            Some(&Callable { operation, other: Some(other), .. }) => {
                let places = [operation, other].map(|id| self.operations[id].1.name.span);
                self.report(ambiguous(name, "called here", places));
                None
            }
            Some(&callable) => self.may_be_called(callable, (results, name, arguments), span).then_some(callable),
            None => {
                self.undeclared_call(name, arguments);
                None
            }
        };
        match called {
            Some(callable) => {
                let mark = self.diagnostics.len();
                let body = self.inline(callable, (results, name, arguments), span);
                self.warn_of_own_call(mark, callable, name);
                body
            }
            None => Subst { kind: SubstKind::Skip, span },
        }
    }

    /// Warns of a call of an operation of the machine itself, where it is written, unless its body was found to have errors since `mark`.
    fn warn_of_own_call(&mut self, mark: usize, callable: Callable, name: &ast::Name) {
        let is_local = self.specifications.contains_key(&callable.operation);
        if !callable.is_own || is_local || self.copies.depth > 0 || has_errors(&self.diagnostics[mark..]) {
            return;
        }
        let declared = self.operations[callable.operation].1.name.span;
        let title = format!("`{}` is an operation of the machine itself", name.text);
        let warning = Diagnostic::warning(Code::OwnCall, name.span, title).label("called here").also(declared, "declared here");
        let help =
            "B allows calls of operations of included, imported and seen machines, and of local ones: name what both do in DEFINITIONS";
        self.report(warning.help(help));
    }

    /// A call of a name that is not an operation: one that only prints in ProB, or an error.
    fn undeclared_call(&mut self, name: &ast::Name, arguments: &[ast::Expr]) {
        if super::external::is_printing(&name.text) {
            arguments.iter().for_each(|argument| {
                self.expr(argument);
            });
            self.printing(&name.text, name.span);
            return;
        }
        if super::external::is_unsupported(&name.text) && !super::external::is_of_reals(&name.text) {
            self.unsupported_name(&name.text, name.span);
            return;
        }
        let names = self.names.scope().operations.keys().map(String::as_str);
        let mut diagnostic =
            Diagnostic::error(Code::UnknownOperation, name.span, format!("there is no operation `{}`", name.text)).label("called here");
        let text = &name.text;
        let receiver = text.split_once('.').map(|(before, _)| before).filter(|before| self.names.lookup(before).is_some());
        if let Some(receiver) = receiver {
            diagnostic =
                diagnostic.help(format!("`{receiver}` is no machine, and B has no methods: {receiver} := E assigns it a new value"));
        } else if self.names.lookup(text).is_some() {
            let help = format!("a name alone is a call; {text} := E assigns {text}, and r := {text} gives its value to a result r");
            diagnostic = diagnostic.help(help).fixes(self.assigned_result(name));
        } else if let Some(meant) = super::names::word_meant(text) {
            diagnostic = meant.added(diagnostic, text);
        } else if let Some(near) = super::names::nearest(text, names) {
            diagnostic = super::names::similar(near).added(diagnostic, text);
        } else {
            diagnostic =
                diagnostic.help("operations that are called stand in this machine, or in one that it includes, extends, imports or sees");
        }
        self.report(diagnostic);
    }

    /// Whether an operation is not being inlined already, and has as many parameters and results as the call; reports where not.
    fn may_be_called(&mut self, callable: Callable, (results, name, arguments): Call<'_>, span: Span) -> bool {
        let (_, operation) = self.operations[callable.operation];
        // Operations of B do not recurse, and inlining would not end.
        if self.calls.contains(&callable.operation) {
            let open = self.calls.iter().chain([&callable.operation]);
            let chain: Vec<&str> = open.map(|&call| self.operations[call].1.name.text.as_str()).collect();
            self.report(
                Diagnostic::error(Code::RecursiveCall, name.span, format!("the operation `{}` calls itself", name.text))
                    .label(chain.join(" calls "))
                    .also(operation.name.span, "declared here"),
            );
            return false;
        }
        let counts = [("argument", operation.parameters.len(), arguments.len()), ("result", operation.results.len(), results.len())];
        let Some((what, wanted, given)) = counts.into_iter().find(|(_, wanted, given)| wanted != given) else { return true };
        let title = format!("`{}` has {}, not {given}", name.text, counted(wanted, what));
        self.report(
            Diagnostic::error(Code::WrongArgumentCount, span, title)
                .label(format!("{} given", counted(given, what)))
                .also(operation.name.span, "declared here"),
        );
        false
    }

    /// Inlines a call: parameters are bound to the arguments, the body is elaborated anew, results are assigned at the end.
    fn inline(&mut self, callable: Callable, (results, name, arguments): Call<'_>, span: Span) -> Subst {
        let (scope, operation) = self.operations[callable.operation];
        // The arguments belong to the caller: they are elaborated before its bound names and loops are set aside, because the body sees
        // neither. All other names have their meaning in the body's machine.
        let values: Vec<Expr> = arguments.iter().map(|argument| self.expr(argument)).collect();
        let outer = std::mem::take(&mut self.names.bound);
        // From here to the end of the body nothing returns early: the saved values are restored below.
        let (place, loops) = (std::mem::take(&mut self.place), std::mem::take(&mut self.loops));
        let caller = self.names.enter(scope);
        let parameters = self.bind(&operation.parameters);
        let locals = self.bind_as(&operation.results, true);
        self.inlined.extend(parameters.iter().chain(&locals).map(|(id, _)| *id));
        // Before the body, which may need the types of the arguments: a field can be written only of a record that is known.
        for ((_, ty), value) in parameters.iter().zip(&values) {
            self.unify(ty, &value.ty, value.span);
        }
        // Every call elaborates the body anew, so its locals are its own: two calls in parallel cannot share a parameter.
        self.calls.push(callable.operation);
        self.copies.depth += 1;
        // Before the body too: it is the text that types the parameters.
        let required = self.local_preconditions(callable.operation, &parameters, &locals);
        let mut body = self.subst(&operation.body);
        self.copies.depth -= 1;
        for pred in required.into_iter().rev() {
            body = Subst { kind: SubstKind::Pre { pred, body: Box::new(body), is_guard: false }, span: operation.span };
        }
        drop_result_types(&mut body, &locals.iter().map(|(id, _)| *id).collect::<Vec<_>>());
        self.calls.pop();
        self.names.enter(caller);
        self.names.bound = outer;
        (self.place, self.loops) = (place, loops);
        // Asked of the elaborated body: it includes the operations that the called one calls.
        if callable.only_reads && writes_variables(&body) {
            let title = format!("`{}` changes variables of a machine that is only seen", name.text);
            self.report(
                Diagnostic::error(Code::NotAssignable, name.span, title)
                    .label("called here")
                    .also(operation.name.span, "declared here")
                    .help("operations of a machine in SEES or USES may be called only if they change nothing; INCLUDES allows all"),
            );
            return Subst { kind: SubstKind::Skip, span };
        }
        let mut bindings: Vec<(LocalId, Expr)> = parameters.into_iter().map(|(id, _)| id).zip(values).collect();
        let outer = self.names.bound.len();
        // In `f(k) <-- op` k is evaluated before the call, which may change it. Where nothing changes, it stays where it is written.
        let fixed: Option<Vec<ast::Expr>> =
            writes_variables(&body).then(|| results.iter().map(|target| self.with_fixed_indices(target, &mut bindings)).collect());
        let body = self.assign_results(body, locals, fixed.as_deref().unwrap_or(results), span);
        self.names.bound.truncate(outer);
        if bindings.is_empty() {
            return body;
        }
        // These names are fresh, so binding them in order is binding them at once.
        Subst { kind: SubstKind::Let(bindings, Box::new(body)), span }
    }

    /// The preconditions that LOCAL_OPERATIONS states for an operation, about the parameters and results of what is written. The caller has
    /// entered the scope of its machine.
    pub(super) fn local_preconditions(&mut self, written: usize, parameters: &[(LocalId, Type)], results: &[(LocalId, Type)]) -> Vec<Pred> {
        let Some(&specification) = self.specifications.get(&written) else { return Vec::new() };
        // It may call them by other names, and sees those only.
        let bound = std::mem::take(&mut self.names.bound);
        self.bind_to(&specification.parameters, parameters.iter().map(|(id, _)| *id), false);
        self.bind_to(&specification.results, results.iter().map(|(id, _)| *id), false);
        let required = specification.body.preconditions().into_iter().map(|pred| self.pred(pred)).collect();
        self.names.bound = bound;
        required
    }

    /// Elaborates the specification of an operation in LOCAL_OPERATIONS for its errors: it is never run.
    pub(super) fn check_specification(&mut self, written: usize, built: &Operation) {
        let Some(&specification) = self.specifications.get(&written) else { return };
        let outer = self.names.enter(self.operations[written].0);
        let bound = std::mem::take(&mut self.names.bound);
        self.bind_to(&specification.parameters, built.parameters.iter().map(|(_, id, _)| *id), false);
        self.bind_to(&specification.results, built.results.iter().map(|(_, id, _)| *id), true);
        self.calls.push(written);
        let _ = self.operation_body(&specification.body);
        self.calls.pop();
        self.names.bound = bound;
        self.names.enter(outer);
        self.resolve_overloads();
    }

    /// A target of a call with names in place of the indices: they are bound to them in `bindings`.
    fn with_fixed_indices(&mut self, target: &ast::Expr, bindings: &mut Vec<(LocalId, Expr)>) -> ast::Expr {
        let kind = match &target.kind {
            ast::ExprKind::Apply(function, arguments) => {
                let function = Box::new(self.with_fixed_indices(function, bindings));
                let mut fixed = Vec::new();
                for argument in arguments {
                    let value = self.expr(argument);
                    let id = self.fresh_local("index", value.ty.clone(), argument.span);
                    // No name in a text contains a back quote.
                    let name = format!("`{}", id.index());
                    self.names.bound.push(Bound { name: name.clone(), id, assignable: false, old: None });
                    bindings.push((id, value));
                    fixed.push(ast::Expr { kind: ast::ExprKind::Ident(name), span: argument.span });
                }
                ast::ExprKind::Apply(function, fixed)
            }
            ast::ExprKind::Field(record, field) => ast::ExprKind::Field(Box::new(self.with_fixed_indices(record, bindings)), field.clone()),
            kind => kind.clone(),
        };
        ast::Expr { kind, span: target.span }
    }

    /// The body of a call, and behind it the assignment of its results to the targets of the call.
    fn assign_results(&mut self, body: Subst, locals: Vec<(LocalId, Type)>, targets: &[ast::Expr], span: Span) -> Subst {
        // Results are locals until the body ends: in `v <-- op` the body may read v after it has assigned its result.
        let mut writes = Vec::new();
        let mut written_at = FxHashMap::default();
        for (target, (id, ty)) in targets.iter().zip(&locals) {
            let value = Expr { kind: ExprKind::Local(*id), ty: ty.clone(), span: target.span };
            let Some((written, value)) = self.write(target, value) else { continue };
            self.is_assigned_twice(written, target.span, &mut written_at);
            writes.push((written, value));
        }
        if writes.is_empty() {
            return body;
        }
        let assign = Subst { kind: SubstKind::Assign(writes), span };
        let sequence = Subst { kind: SubstKind::Sequence(vec![body, assign]), span };
        Subst { kind: SubstKind::Var(locals, Box::new(sequence)), span }
    }

    /// Reports variables that two parts of `||` are certain to assign. Other conflicts are found when the parts run.
    fn check_parallel(&mut self, parts: &[Subst]) {
        let mut writers: BTreeMap<Target, Span> = BTreeMap::new();
        for part in parts {
            let mut own = BTreeMap::new();
            certain_writes(part, &mut own);
            for (target, span) in own {
                if let Some(first) = writers.insert(target, span) {
                    let name = self.target_name(target);
                    self.report(
                        Diagnostic::error(Code::AssignedTwice, span, format!("`{name}` is assigned by two parts of ||"))
                            .label("assigned again here")
                            .also(first, "first assigned here")
                            .help("both parts of S || T happen at once; S ; T does T after S"),
                    );
                }
            }
        }
    }
}

/// Adds the variables that a substitution assigns in every case. `f(x) := E`, an override of f, does not count: two of them may assign the
/// same value to f, which shows at run time.
fn certain_writes(subst: &Subst, writes: &mut BTreeMap<Target, Span>) {
    let is_update = |target: &Target, value: &Expr| {
        matches!(&value.kind, ExprKind::Binary(BinaryOp::Override, base, _) if match (target, &base.kind) {
            (Target::Variable(id), ExprKind::Variable(base)) => id == base,
            (Target::Local(id), ExprKind::Local(base)) => id == base,
            _ => false,
        })
    };
    match &subst.kind {
        SubstKind::Assign(assignments) => {
            writes.extend(assignments.iter().filter(|(target, value)| !is_update(target, value)).map(|(target, _)| (*target, subst.span)));
        }
        SubstKind::BecomesIn(targets, _) => writes.extend(targets.iter().map(|target| (*target, subst.span))),
        SubstKind::BecomesSuchThat(targets, _) => writes.extend(targets.iter().map(|(target, _, _)| (*target, subst.span))),
        SubstKind::Parallel(parts) | SubstKind::Sequence(parts) => parts.iter().for_each(|part| certain_writes(part, writes)),
        // Below a condition, a choice or bound names nothing counts as certain: the check may miss a conflict, but reports no false one.
        _ => {}
    }
}

/// Whether a substitution may change the state.
fn writes_variables(subst: &Subst) -> bool {
    let is_variable = |target: &Target| matches!(target, Target::Variable(_));
    match &subst.kind {
        SubstKind::Skip => false,
        SubstKind::Assign(writes) => writes.iter().any(|(target, _)| is_variable(target)),
        SubstKind::BecomesIn(targets, _) => targets.iter().any(is_variable),
        SubstKind::BecomesSuchThat(targets, _) => targets.iter().any(|(target, _, _)| is_variable(target)),
        SubstKind::Parallel(parts) | SubstKind::Sequence(parts) | SubstKind::Choice(parts) => parts.iter().any(writes_variables),
        SubstKind::Pre { body, .. }
        | SubstKind::Assert(_, body)
        | SubstKind::Any(_, _, body)
        | SubstKind::Let(_, body)
        | SubstKind::Var(_, body)
        | SubstKind::While { body, .. } => writes_variables(body),
        SubstKind::Follow(_) => true,
        SubstKind::If(branches, otherwise) | SubstKind::Select(branches, otherwise) => {
            branches.iter().any(|(_, body)| writes_variables(body)) || otherwise.as_deref().is_some_and(writes_variables)
        }
    }
}

/// Marks PRE at the top of an operation as a guard, also directly inside another one. PRE of a called operation is not one.
fn mark_guards(text: &ast::Subst, subst: &mut Subst) {
    // The text decides: an inlined call at the top also leaves a PRE in the core language, but not in the text.
    match (&text.kind, &mut subst.kind) {
        (ast::SubstKind::Block(inner), _) => mark_guards(inner, subst),
        (ast::SubstKind::Pre(_, inner), SubstKind::Pre { body, is_guard, .. }) => {
            *is_guard = true;
            mark_guards(inner, body);
        }
        _ => {}
    }
}
