//! A machine with probes: additional variables, in which each step records its coverage.
//!
//! Probes are assigned where a branch begins, before anything else happens there, so they read the values by which the branch was taken;
//! the evaluator of all other commands runs them like the rest of the text. Below the guards of an operation they move down as far as
//! guards extend, as these bound its parameters only from the top. Invariant: the model has the steps of the original one, each as often as
//! it covers different things, and only probes read probes. Deliberately elsewhere: the meaning of the values of probes (`probe`), and runs
//! (`search`, `choice`).

use super::decision::{Decision, disjuncts, domains, guards_of, is_typing, unbound};
use super::probe::{Probe, Probes, sequence, skip, where_true};
use super::target::{BranchKind, Target, TargetKind};
use bcheck_ir::{Expr, LocalId, Model, Operation, OperationId, Pred, PredKind, Subst, SubstKind, Type};
use bcheck_source::Span;

/// A machine with probes, and their meaning.
pub(super) struct Instrumented {
    pub(super) model: Model,
    /// A machine each of whose operations observes the guards of one of the original, for all parameters, and does nothing else; only for
    /// conditions, as a false guard has no step.
    pub(super) observers: Option<Model>,
    pub(super) targets: Vec<Target>,
    /// Targets of guards at the top of operations: their conditions may be covered where the guards are false.
    pub(super) of_guards: Vec<usize>,
    pub(super) probes: Probes,
    /// Parameters that only the guard itself bounds, so that it cannot be observed where it is false.
    pub(super) unobserved: Vec<(OperationId, LocalId)>,
}

/// Adds probes to a model, for conditions too if `has_conditions` is set.
pub(super) fn instrument(original: &Model, has_conditions: bool) -> Instrumented {
    let mut pass = Instrumenter {
        original,
        has_conditions,
        operation: None,
        domains: Vec::new(),
        links: Vec::new(),
        targets: Vec::new(),
        of_guards: Vec::new(),
        probes: Probes::default(),
    };
    let initialisation = pass.subst(&original.initialisation, Vec::new(), false);
    let (mut operations, mut observing, mut unobserved) = (original.operations.clone(), original.operations.clone(), Vec::new());
    for (at, (operation, observer)) in operations.values_mut().zip(observing.values_mut()).enumerate() {
        let id = OperationId(u32::try_from(at).expect("operations have 32-bit ids"));
        operation.body = pass.operation(id, &original.operations[at]);
        observer.results = Vec::new();
        match pass.observer(&original.operations[at]) {
            Ok(body) => observer.body = body,
            Err(open) => {
                // Without parameters, as no binding is to be tried.
                (observer.parameters, observer.body) = (Vec::new(), never(operation.span));
                unobserved.extend(open.map(|local| (id, local)));
            }
        }
    }
    let Instrumenter { targets, of_guards, probes, .. } = pass;
    let span = original.initialisation.span;
    let first = sequence(vec![probes.reset(original, span), initialisation], span);
    let mut variables = original.variables.clone();
    variables.extend(probes.declarations(span));
    // Properties are the matter of a check: whether they hold changes no step.
    let model = Model {
        variables,
        initialisation: first,
        operations,
        invariant: Vec::new(),
        assertions: Vec::new(),
        goal: None,
        temporal: Vec::new(),
        ..original.clone()
    };
    let observers = has_conditions.then(|| Model { operations: observing, ..model.clone() });
    Instrumented { model, observers, targets, of_guards, probes, unobserved }
}

/// A condition at the top of an operation, as in its observer.
enum Link {
    /// Its probes, and the predicate itself, which may contain more.
    Guard(Vec<Subst>, Option<Pred>),
    Let(Vec<(LocalId, Expr)>),
}

struct Instrumenter<'m> {
    original: &'m Model,
    has_conditions: bool,
    operation: Option<OperationId>,
    /// Conjuncts of its guards that generate parameters.
    domains: Vec<&'m Pred>,
    /// Its guards, from the outermost on.
    links: Vec<Link>,
    targets: Vec<Target>,
    /// Those that observers may cover, and others of the same branches.
    of_guards: Vec<usize>,
    probes: Probes,
}

impl<'m> Instrumenter<'m> {
    /// The body of an operation with probes.
    fn operation(&mut self, id: OperationId, operation: &'m Operation) -> Subst {
        let parameters: Vec<(LocalId, Type)> = operation.parameters.iter().map(|(_, id, ty)| (*id, ty.clone())).collect();
        (self.operation, self.links) = (Some(id), Vec::new());
        let (guards, within) = guards_of(&operation.body);
        self.domains = domains(&parameters, (&guards, &within));
        let mark = self.mark(TargetKind::Operation, operation.span);
        self.subst(&operation.body, vec![mark], true)
    }

    /// The body of the observer of the operation examined last. None without guards, or if nothing but them bounds a parameter, which is
    /// returned.
    fn observer(&mut self, operation: &Operation) -> Result<Subst, Option<LocalId>> {
        let parameters: Vec<(LocalId, Type)> = operation.parameters.iter().map(|(_, id, ty)| (*id, ty.clone())).collect();
        let open = unbound(&parameters, &self.domains).first().copied();
        let span = operation.body.span;
        let links = std::mem::take(&mut self.links);
        if links.is_empty() || open.is_some() {
            return Err(open.filter(|_| !links.is_empty()));
        }
        let observed = links.into_iter().rev().fold(skip(span), |below, link| match link {
            Link::Let(bindings) => Subst { kind: SubstKind::Let(bindings, Box::new(below)), span },
            Link::Guard(mut records, pred) => {
                // Where it is false, or ill-defined, nothing below is evaluated.
                records.extend(pred.map(|pred| where_true(pred, below)));
                sequence(records, span)
            }
        });
        let taken = Pred { kind: PredKind::And(self.domains.iter().map(|pred| (*pred).clone()).collect()), span };
        Ok(match self.domains.as_slice() {
            [] => observed,
            [domain] => guarded((*domain).clone(), observed),
            _ => guarded(taken, observed),
        })
    }

    /// A substitution with probes, before which `pending` is done. `is_top`: nothing of its operation has happened before it but guards.
    fn subst(&mut self, subst: &'m Subst, mut pending: Vec<Subst>, is_top: bool) -> Subst {
        let kind = match &subst.kind {
            SubstKind::Pre { pred, body, is_guard: true } => {
                self.guard(pred, &mut pending, is_top);
                SubstKind::Pre { pred: pred.clone(), body: self.boxed(body, pending, is_top), is_guard: true }
            }
            SubstKind::Pre { pred, body, is_guard } => {
                SubstKind::Pre { pred: pred.clone(), body: self.boxed(body, pending, false), is_guard: *is_guard }
            }
            SubstKind::Assert(pred, body) => SubstKind::Assert(pred.clone(), self.boxed(body, pending, false)),
            SubstKind::Let(bindings, body) => self.case_or_let(bindings, body, pending, is_top),
            SubstKind::Var(locals, body) => SubstKind::Var(locals.clone(), self.boxed(body, pending, false)),
            SubstKind::If(branches, otherwise) => {
                let kinds = [BranchKind::If, BranchKind::ElsIf, BranchKind::Else, BranchKind::PastIf];
                self.conditional(branches, otherwise.as_deref(), pending, kinds, subst.span)
            }
            SubstKind::Select(branches, otherwise) => self.select(branches, otherwise.as_deref(), pending, is_top),
            SubstKind::Choice(parts) => SubstKind::Choice(
                parts
                    .iter()
                    .enumerate()
                    .map(|(at, part)| {
                        let mark = self.mark(TargetKind::Branch(BranchKind::Choice(at)), part.span);
                        self.subst(part, [pending.as_slice(), &[mark]].concat(), false)
                    })
                    .collect(),
            ),
            SubstKind::Any(locals, pred, body) => {
                // At the top of an operation, the body is reached by every step.
                let mut inner = if is_top { std::mem::take(&mut pending) } else { Vec::new() };
                if !is_top {
                    inner.push(self.mark(TargetKind::Branch(BranchKind::Any), pred.span));
                }
                self.disjuncts(pred, &mut inner);
                let any = SubstKind::Any(locals.clone(), pred.clone(), self.boxed(body, inner, false));
                return after(pending, any, subst.span);
            }
            SubstKind::Sequence(parts) => {
                let mut first = Some(pending);
                SubstKind::Sequence(parts.iter().map(|part| self.subst(part, first.take().unwrap_or_default(), false)).collect())
            }
            SubstKind::Parallel(parts) => {
                let parts = parts.iter().map(|part| self.subst(part, Vec::new(), false)).collect();
                return after(pending, SubstKind::Parallel(parts), subst.span);
            }
            SubstKind::While { condition, body, invariant, variant } => {
                let mark = self.mark(TargetKind::Branch(BranchKind::While), condition.span);
                let body = self.boxed(body, vec![mark], false);
                let (condition, invariant, variant) = (condition.clone(), invariant.clone(), variant.clone());
                return after(pending, SubstKind::While { condition, body, invariant, variant }, subst.span);
            }
            SubstKind::Skip | SubstKind::Assign(_) | SubstKind::BecomesIn(..) | SubstKind::BecomesSuchThat(..) | SubstKind::Follow(_) => {
                return after(pending, subst.kind.clone(), subst.span);
            }
        };
        Subst { kind, span: subst.span }
    }

    fn boxed(&mut self, subst: &'m Subst, pending: Vec<Subst>, is_top: bool) -> Box<Subst> {
        Box::new(self.subst(subst, pending, is_top))
    }

    /// A guard that is one predicate.
    fn guard(&mut self, pred: &'m Pred, pending: &mut Vec<Subst>, is_top: bool) {
        self.disjuncts(pred, pending);
        let first = self.targets.len();
        let record = self.record(pred);
        pending.extend(record.clone());
        if is_top && self.has_conditions {
            self.of_guards.extend(first..self.targets.len());
            self.links.push(Link::Guard(record.into_iter().collect(), Some(pred.clone())));
        }
    }

    fn case_or_let(&mut self, bindings: &'m [(LocalId, Expr)], body: &'m Subst, pending: Vec<Subst>, is_top: bool) -> SubstKind {
        let body = match (bindings, &body.kind) {
            // As CASE is elaborated.
            ([(id, _)], SubstKind::If(branches, otherwise)) if self.original.local_name(*id) == "case" => {
                let kinds = [BranchKind::Either, BranchKind::Or, BranchKind::CaseElse, BranchKind::PastCase];
                let kind = self.conditional(branches, otherwise.as_deref(), pending, kinds, body.span);
                Box::new(Subst { kind, span: body.span })
            }
            _ => {
                if is_top && self.has_conditions {
                    self.links.push(Link::Let(bindings.to_vec()));
                }
                self.boxed(body, pending, is_top)
            }
        };
        SubstKind::Let(bindings.to_vec(), body)
    }

    /// IF or CASE, whose branches are of these kinds: the first, others, the ELSE, past a missing ELSE.
    fn conditional(
        &mut self,
        branches: &'m [(Pred, Subst)],
        otherwise: Option<&'m Subst>,
        mut pending: Vec<Subst>,
        [first, other, last, past]: [BranchKind; 4],
        span: Span,
    ) -> SubstKind {
        let is_case = first == BranchKind::Either;
        let mut arms = Vec::with_capacity(branches.len());
        for (at, (pred, body)) in branches.iter().enumerate() {
            let mark = self.mark(TargetKind::Branch(if at == 0 { first } else { other }), pred.span);
            // The values of a CASE are disjoint, so each test decides by itself.
            if !is_case {
                // Kept for the following branches, which are also reached through this condition.
                let record = self.record(pred);
                pending.extend(record);
            }
            arms.push((pred.clone(), self.subst(body, [pending.as_slice(), &[mark]].concat(), false)));
        }
        let mark = self.mark(TargetKind::Branch(otherwise.map_or(past, |_| last)), otherwise.map_or(span, |body| body.span));
        pending.push(mark);
        let otherwise = match otherwise {
            Some(body) => self.subst(body, pending, false),
            None => sequence(pending, span),
        };
        SubstKind::If(arms, Some(Box::new(otherwise)))
    }

    fn select(&mut self, branches: &'m [(Pred, Subst)], otherwise: Option<&'m Subst>, mut pending: Vec<Subst>, is_top: bool) -> SubstKind {
        let is_guard = branches.len() == 1 && otherwise.is_none();
        if let ([(pred, body)], true, true) = (branches, is_guard, is_top) {
            self.guard(pred, &mut pending, is_top);
            return SubstKind::Select(vec![(pred.clone(), self.subst(body, pending, is_top))], None);
        }
        // All guards are evaluated in the same state, whichever branch is taken.
        let (first, mut entries, mut records) = (self.targets.len(), Vec::new(), Vec::new());
        for (at, (pred, _)) in branches.iter().enumerate() {
            let kind = if at == 0 { BranchKind::Select } else { BranchKind::When };
            let mut entry = vec![self.mark(TargetKind::Branch(kind), pred.span)];
            self.disjuncts(pred, &mut entry);
            entries.push(entry);
            records.extend(self.record(pred));
        }
        if is_top && self.has_conditions && otherwise.is_none() {
            self.of_guards.extend(first..self.targets.len());
            // Where one of them is true, the operation is not refused.
            let enabled = branches.iter().map(|(pred, _)| (pred.clone(), skip(pred.span))).collect();
            let refused = sequence(records.clone(), branches[0].0.span);
            let kind = SubstKind::Select(enabled, Some(Box::new(refused)));
            self.links.push(Link::Guard(vec![Subst { kind, span: branches[0].0.span }], None));
        }
        pending.extend(records);
        let arms = branches.iter().zip(entries).map(|((pred, body), entry)| {
            let inner = [pending.as_slice(), &entry].concat();
            (pred.clone(), self.subst(body, inner, false))
        });
        let arms = arms.collect();
        let otherwise = otherwise.map(|body| {
            let mark = self.mark(TargetKind::Branch(BranchKind::SelectElse), body.span);
            self.boxed(body, [pending.as_slice(), &[mark]].concat(), false)
        });
        SubstKind::Select(arms, otherwise)
    }

    /// The disjuncts of a guard that was true.
    fn disjuncts(&mut self, pred: &Pred, pending: &mut Vec<Subst>) {
        for part in disjuncts(pred) {
            let mark = self.mark(TargetKind::Disjunct, part.span);
            pending.push(where_true(part.clone(), mark));
        }
    }

    /// The probe for the conditions of a decision, if condition coverage is on and it has any.
    fn record(&mut self, pred: &Pred) -> Option<Subst> {
        if !self.has_conditions {
            return None;
        }
        let is_left_out = |part: &Pred| is_typing(part) || self.domains.iter().any(|domain| std::ptr::eq(*domain, part));
        let decision = Decision::of(pred, &is_left_out);
        if decision.conditions.is_empty() {
            return None;
        }
        let first = self.targets.len();
        for condition in &decision.conditions {
            for value in [true, false] {
                self.targets.push(Target { operation: self.operation, kind: TargetKind::Condition(value), span: condition.span });
            }
        }
        Some(self.probes.record(self.original, decision, first, pred.span))
    }

    /// The substitution that marks a new target as covered.
    fn mark(&mut self, kind: TargetKind, span: Span) -> Subst {
        self.targets.push(Target { operation: self.operation, kind, span });
        self.probes.assign(self.original, Probe::Mark(self.targets.len() - 1), span)
    }
}

/// A body without steps.
fn never(span: Span) -> Subst {
    Subst { kind: SubstKind::Select(vec![(Pred { kind: PredKind::False, span }, skip(span))], None), span }
}

fn guarded(pred: Pred, body: Subst) -> Subst {
    let span = pred.span;
    Subst { kind: SubstKind::Pre { pred, body: Box::new(body), is_guard: true }, span }
}

fn after(pending: Vec<Subst>, kind: SubstKind, span: Span) -> Subst {
    let mut parts = pending;
    parts.push(Subst { kind, span });
    sequence(parts, span)
}
