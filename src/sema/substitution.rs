//! Substitutions: assignments become simultaneous writes of whole variables, CASE becomes IF, calls are inlined.
//!
//! Invariant: no variable is written twice by the parts of one `||`; every call has locals of its own.

use super::compose::keep_below;
use super::elaborate::{Elaborator, counted};
use super::names::{Bound, Callable, Meaning};
use super::result_types::drop_result_types;
use crate::ir::{BinaryOp, Comparison, Expr, ExprKind, LocalId, Pred, PredKind, Subst, SubstKind, Target, Type};
use crate::source::{Code, Diagnostic, Span};
use crate::syntax::ast;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// More substitutions than this come from operations that call each other in a chain that doubles at each step.
const MOST_SUBSTITUTIONS: usize = 300_000;

impl<'a> Elaborator<'a> {
    /// The body of an operation; a PRE at its top is a guard.
    pub(super) fn operation_body(&mut self, body: &ast::Subst) -> Subst {
        let mut subst = self.subst(body);
        mark_guards(body, &mut subst);
        subst
    }

    /// A substitution.
    pub(super) fn subst(&mut self, subst: &ast::Subst) -> Subst {
        self.substitutions += 1;
        if self.substitutions >= MOST_SUBSTITUTIONS {
            if self.substitutions == MOST_SUBSTITUTIONS {
                self.tell(
                    Diagnostic::error(
                        Code::NotSupportedEver,
                        subst.span,
                        "the calls of operations expand to more text than bcheck handles",
                    )
                    .label("expansion was stopped here"),
                );
            }
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
                let mark = self.names.bound.len();
                let locals = self.bind(names);
                let pred = self.pred(pred);
                let body = self.subst(body);
                self.names.bound.truncate(mark);
                SubstKind::Any(locals, pred, Box::new(body))
            }
            ast::SubstKind::Let(names, pred, body) => {
                let mark = self.names.bound.len();
                let bindings = self.let_bindings(names, pred);
                let body = self.subst(body);
                self.names.bound.truncate(mark);
                SubstKind::Let(bindings, Box::new(body))
            }
            ast::SubstKind::Var(names, body) => {
                let mark = self.names.bound.len();
                let locals = self.bind_as(names, true);
                let body = self.subst(body);
                self.names.bound.truncate(mark);
                SubstKind::Var(locals, Box::new(body))
            }
            ast::SubstKind::While { condition, body, invariant, variant } => {
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

    /// A loop of an implementation may speak of variables of the refined machine; what it says of them is left out.
    fn loop_invariant(&mut self, invariant: &ast::Expr) -> Pred {
        let outer = std::mem::replace(&mut self.names.shows_abstract, true);
        let pred = self.pred(invariant);
        self.names.shows_abstract = outer;
        let span = pred.span;
        keep_below(pred, self.names.first_abstract).unwrap_or(Pred { kind: PredKind::True, span })
    }

    fn branches(&mut self, branches: &[(ast::Expr, ast::Subst)]) -> Vec<(Pred, Subst)> {
        branches.iter().map(|(pred, body)| (self.pred(pred), self.subst(body))).collect()
    }

    fn optional(&mut self, subst: Option<&ast::Subst>) -> Option<Box<Subst>> {
        subst.map(|subst| Box::new(self.subst(subst)))
    }

    /// What an identifier on the left of an assignment stands for.
    fn target(&mut self, expr: &ast::Expr) -> Option<(Target, Type)> {
        let ast::ExprKind::Ident(name) = &expr.kind else {
            if expr.kind != ast::ExprKind::Error {
                self.tell(Diagnostic::error(Code::NotAssignable, expr.span, "only variables can be assigned").label("not a variable"));
            }
            return None;
        };
        match self.assignable(name) {
            Some(Meaning::Variable(id)) => Some((Target::Variable(id), self.variable_types[id.index()].clone())),
            Some(Meaning::Local(id)) => Some((Target::Local(id), self.local_types[id.index()].clone())),
            _ => {
                let diagnostic = match self.names.lookup(name) {
                    None => self.names.unknown(name, expr.span),
                    Some(meaning) => {
                        let is_foreign = self.names.bound(name).is_none() && matches!(meaning, Meaning::Variable(_));
                        let what = match meaning {
                            Meaning::Local(_) => "a parameter or bound name",
                            Meaning::Set(_) => "a set",
                            Meaning::Element(..) => "an element of an enumerated set",
                            Meaning::FreeType(_) => "a free type",
                            Meaning::Constructor(..) => "a constructor of a free type",
                            Meaning::Constant(_) => "a constant",
                            Meaning::Actual(_) => "a machine parameter",
                            Meaning::Variable(_) => "a variable of another machine",
                        };
                        let help = if is_foreign {
                            "a machine changes variables of another one only by calling its operations"
                        } else {
                            "only variables, results and VAR names can be assigned"
                        };
                        Diagnostic::error(Code::NotAssignable, expr.span, format!("`{name}` cannot be assigned"))
                            .label(format!("this is {what}"))
                            .help(help)
                    }
                };
                self.tell(diagnostic);
                None
            }
        }
    }

    fn assign(&mut self, targets: &[ast::Expr], values: &[ast::Expr], span: Span) -> SubstKind {
        let targets: Vec<&ast::Expr> = targets.iter().flat_map(super::expand::comma_items).collect();
        let values: Vec<&ast::Expr> = match values {
            // `x, y := (1, 2)`
            [single] if targets.len() > 1 => super::expand::comma_items(single),
            several => several.iter().collect(),
        };
        if targets.len() != values.len() {
            self.tell(
                Diagnostic::error(
                    Code::WrongArgumentCount,
                    span,
                    format!("{} but {}", counted(targets.len(), "target"), counted(values.len(), "value")),
                )
                .label("in this assignment"),
            );
            return SubstKind::Skip;
        }
        let mut writes: Vec<(Target, Expr)> = Vec::new();
        let mut written_at: FxHashMap<Target, Span> = FxHashMap::default();
        for (target, value) in targets.into_iter().zip(values) {
            let reason = target.span.to(value.span);
            let write = self.because(reason, |this| {
                let value = this.expr(value);
                this.write(target, value)
            });
            let Some((written, value)) = write else { continue };
            if let Some(first) = written_at.get(&written) {
                let name = self.target_name(written);
                self.tell(
                    Diagnostic::error(Code::AssignedTwice, target.span, format!("`{name}` is assigned twice at once"))
                        .label("assigned again here")
                        .also(*first, "first assigned here"),
                );
                continue;
            }
            written_at.insert(written, target.span);
            writes.push((written, value));
        }
        SubstKind::Assign(writes)
    }

    fn target_name(&self, target: Target) -> String {
        match target {
            Target::Variable(id) => self.names.variable_name(id),
            Target::Local(id) => self.locals[id.index()].clone(),
        }
    }

    /// `f(x)(y)'g := value` as a write of the whole variable f.
    fn write(&mut self, target: &ast::Expr, value: Expr) -> Option<(Target, Expr)> {
        let span = target.span;
        match &target.kind {
            ast::ExprKind::Apply(function, arguments) => {
                let (current, from, to) = self.relation(function);
                let argument = self.tuple(arguments)?;
                let fits = self.unify(&from, &argument.ty, argument.span) & self.unify(&to, &value.ty, value.span);
                if !fits {
                    return None;
                }
                let ty = Type::relation(from, to);
                let pair_ty = Type::pair(argument.ty.clone(), value.ty.clone());
                let pair = Expr { kind: ExprKind::Binary(BinaryOp::Pair, Box::new(argument), Box::new(value)), ty: pair_ty, span };
                let change = Expr { kind: ExprKind::SetExtension(vec![pair]), ty: ty.clone(), span };
                let value = Expr { kind: ExprKind::Binary(BinaryOp::Override, Box::new(current), Box::new(change)), ty, span };
                self.write(function, value)
            }
            ast::ExprKind::Field(record, field) => {
                let current = self.expr(record);
                self.settle();
                let Type::Record(fields) = self.types.resolve(&current.ty) else {
                    self.tell(
                        Diagnostic::error(Code::CannotType, record.span, "this is not known to be a record")
                            .help("give its type in the INVARIANT with struct(...)"),
                    );
                    return None;
                };
                if self.types.is_unknown(&current.ty) || !fields.iter().any(|(name, _)| **name == field.text) {
                    let shown = self.show(&current.ty);
                    self.tell(
                        Diagnostic::error(Code::UnknownField, field.span, format!("there is no field `{}`", field.text))
                            .label(format!("not a field of {shown}")),
                    );
                    return None;
                }
                let ty = Type::Record(fields.clone());
                let values = fields
                    .iter()
                    .map(|(name, field_ty)| {
                        if **name == field.text {
                            self.unify(field_ty, &value.ty, value.span);
                            (name.clone(), value.clone())
                        } else {
                            let kept = ExprKind::Field(Box::new(current.clone()), name.clone());
                            (name.clone(), Expr { kind: kept, ty: field_ty.clone(), span })
                        }
                    })
                    .collect();
                self.write(record, Expr { kind: ExprKind::Record(values), ty, span })
            }
            _ => {
                let (written, ty) = self.target(target)?;
                self.unify(&ty, &value.ty, value.span);
                Some((written, value))
            }
        }
    }

    fn becomes_in(&mut self, targets: &[ast::Expr], set: &ast::Expr, span: Span) -> SubstKind {
        let targets: Vec<&ast::Expr> = targets.iter().flat_map(super::expand::comma_items).collect();
        if let [single] = targets.as_slice()
            && !matches!(single.kind, ast::ExprKind::Ident(_))
        {
            // `f(x) :: S` chooses a value and writes it.
            let element = self.types.fresh();
            let set = self.demand(set, &Type::set(element.clone()));
            let id = self.fresh_local("chosen", element.clone(), span);
            let chosen = Expr { kind: ExprKind::Local(id), ty: element.clone(), span };
            let Some(write) = self.write(single, chosen.clone()) else { return SubstKind::Skip };
            let pred = Self::comparison(Comparison::Member, chosen, set, span);
            return SubstKind::Any(vec![(id, element)], pred, Box::new(Subst { kind: SubstKind::Assign(vec![write]), span }));
        }
        let known: Vec<(Target, Type)> = targets.iter().filter_map(|target| self.target(target)).collect();
        let Some(ty) = known.iter().map(|(_, ty)| ty.clone()).reduce(Type::pair) else { return SubstKind::Skip };
        let set = self.demand(set, &Type::set(ty));
        SubstKind::BecomesIn(known.into_iter().map(|(target, _)| target).collect(), set)
    }

    fn becomes_such_that(&mut self, targets: &[ast::Expr], pred: &ast::Expr, span: Span) -> SubstKind {
        let targets: Vec<&ast::Expr> = targets.iter().flat_map(super::expand::comma_items).collect();
        let mark = self.names.bound.len();
        let mut written = Vec::new();
        for target in targets {
            let Some((found, ty)) = self.target(target) else { continue };
            let ast::ExprKind::Ident(name) = &target.kind else { continue };
            let id = self.fresh_local(name, ty.clone(), span);
            let old = match found {
                Target::Variable(id) => Meaning::Variable(id),
                Target::Local(id) => Meaning::Local(id),
            };
            written.push((found, id, ty, Bound { name: name.clone(), id, assignable: false, old: Some(old) }));
        }
        self.names.bound.extend(written.iter().map(|(_, _, _, bound)| bound.clone()));
        let pred = self.pred(pred);
        self.names.bound.truncate(mark);
        SubstKind::BecomesSuchThat(written.into_iter().map(|(target, id, ty, _)| (target, id, ty)).collect(), pred)
    }

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
                let at = values.first().map_or(span, |value| value.span);
                let tested = Expr { kind: ExprKind::Local(id), ty: ty.clone(), span: at };
                let set = Expr { kind: ExprKind::SetExtension(values), ty: Type::set(ty.clone()), span: at };
                (Self::comparison(Comparison::Member, tested, set, at), self.subst(body))
            })
            .collect();
        let choice = Subst { kind: SubstKind::If(branches, self.optional(otherwise)), span };
        SubstKind::Let(vec![(id, scrutinee)], Box::new(choice))
    }

    /// A call, inlined: parameters are bound to the arguments, the body is elaborated anew, results are assigned at the end.
    fn call(&mut self, results: &[ast::Expr], name: &ast::Name, arguments: &[ast::Expr], span: Span) -> Subst {
        let skip = Subst { kind: SubstKind::Skip, span };
        let Some(&Callable { operation: id, only_reads }) = self.names.scope().operations.get(&name.text) else {
            if super::external::is_printing(&name.text) {
                arguments.iter().for_each(|argument| {
                    self.expr(argument);
                });
                self.printing(&name.text, name.span);
                return skip;
            }
            if super::external::is_unsupported(&name.text) {
                self.unsupported_name(&name.text, name.span);
                return skip;
            }
            let names = self.names.scope().operations.keys().map(String::as_str);
            let mut diagnostic =
                Diagnostic::error(Code::UnknownOperation, name.span, format!("there is no operation `{}`", name.text)).label("called here");
            if let Some(near) = super::names::nearest(&name.text, names) {
                diagnostic = diagnostic.help(format!("a similar name is `{near}`"));
            }
            self.tell(diagnostic);
            return skip;
        };
        let (scope, operation) = self.operations[id];
        if self.calls.contains(&id) {
            let chain: Vec<&str> = self.calls.iter().chain([&id]).map(|&call| self.operations[call].1.name.text.as_str()).collect();
            self.tell(
                Diagnostic::error(Code::RecursiveCall, name.span, format!("the operation `{}` calls itself", name.text))
                    .label(chain.join(" calls "))
                    .also(operation.name.span, "declared here"),
            );
            return skip;
        }
        for (what, wanted, given) in
            [("argument", operation.parameters.len(), arguments.len()), ("result", operation.results.len(), results.len())]
        {
            if wanted != given {
                self.tell(
                    Diagnostic::error(
                        Code::WrongArgumentCount,
                        span,
                        format!("`{}` has {}, not {given}", name.text, counted(wanted, what)),
                    )
                    .label(format!("{} given", counted(given, what)))
                    .also(operation.name.span, "declared here"),
                );
                return skip;
            }
        }
        let values: Vec<Expr> = arguments.iter().map(|argument| self.expr(argument)).collect();
        let outer = std::mem::take(&mut self.names.bound);
        let (place, loops) = (std::mem::take(&mut self.place), std::mem::take(&mut self.loops));
        let caller = self.names.enter(scope);
        let parameters = self.bind(&operation.parameters);
        let locals = self.bind_as(&operation.results, true);
        for ((_, ty), value) in parameters.iter().zip(&values) {
            self.unify(ty, &value.ty, value.span);
        }
        self.calls.push(id);
        let mut body = self.subst(&operation.body);
        drop_result_types(&mut body, &locals.iter().map(|(id, _)| *id).collect::<Vec<_>>());
        self.calls.pop();
        self.names.enter(caller);
        self.names.bound = outer;
        (self.place, self.loops) = (place, loops);
        if only_reads && writes_variables(&body) {
            self.tell(
                Diagnostic::error(
                    Code::NotAssignable,
                    name.span,
                    format!("`{}` changes variables of a machine that is only seen", name.text),
                )
                .label("called here")
                .also(operation.name.span, "declared here")
                .help("operations of a machine in SEES or USES may be called only if they change nothing; INCLUDES allows all"),
            );
            return skip;
        }
        let mut writes = Vec::new();
        for (target, (id, ty)) in results.iter().zip(&locals) {
            let value = Expr { kind: ExprKind::Local(*id), ty: ty.clone(), span: target.span };
            writes.extend(self.write(target, value));
        }
        let body = if writes.is_empty() {
            body
        } else {
            let assign = Subst { kind: SubstKind::Assign(writes), span };
            let sequence = Subst { kind: SubstKind::Sequence(vec![body, assign]), span };
            Subst { kind: SubstKind::Var(locals, Box::new(sequence)), span }
        };
        if parameters.is_empty() {
            return body;
        }
        // The parameters are fresh, so binding them in order is binding them at once.
        let bindings: Vec<(LocalId, Expr)> = parameters.into_iter().map(|(id, _)| id).zip(values).collect();
        Subst { kind: SubstKind::Let(bindings, Box::new(body)), span }
    }

    /// Two parts that always assign the same variable cannot both have their way. Conditional parts are merged when they run.
    fn check_parallel(&mut self, parts: &[Subst]) {
        let mut writers: BTreeMap<Target, Span> = BTreeMap::new();
        for part in parts {
            let mut own = BTreeMap::new();
            certain_writes(part, &mut own);
            for (target, span) in own {
                if let Some(first) = writers.insert(target, span) {
                    let name = self.target_name(target);
                    self.tell(
                        Diagnostic::error(Code::AssignedTwice, span, format!("`{name}` is assigned by two parts of ||"))
                            .label("assigned again here")
                            .also(first, "first assigned here"),
                    );
                }
            }
        }
    }
}

/// Whole variables that a substitution assigns whatever happens. `f(x) := E` (an override of f by itself) is not one: two of them
/// may change different places.
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
        SubstKind::If(branches, otherwise) | SubstKind::Select(branches, otherwise) => {
            branches.iter().any(|(_, body)| writes_variables(body)) || otherwise.as_deref().is_some_and(writes_variables)
        }
    }
}

/// A PRE written at the top of an operation is a guard, also directly inside another one; that of a called operation is none.
fn mark_guards(text: &ast::Subst, subst: &mut Subst) {
    match (&text.kind, &mut subst.kind) {
        (ast::SubstKind::Block(inner), _) => mark_guards(inner, subst),
        (ast::SubstKind::Pre(_, inner), SubstKind::Pre { body, is_guard, .. }) => {
            *is_guard = true;
            mark_guards(inner, body);
        }
        _ => {}
    }
}
