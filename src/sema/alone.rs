//! A refinement by itself: turns the model of its whole chain into one of its own states.
//!
//! An additional variable has the set of states that the refined machines may be in beside the refinement. A precondition about them must
//! hold in each of these states, the gluing invariant in some, and each step ends with their possible steps (`SubstKind::Follow`). So a
//! call that a refined machine forbids is not a step, wherever in the chain it is forbidden. Invariant: the model is closed, and has all
//! operations of the refinement. Deliberately elsewhere: the model of both (`refinement`).

use super::compose::{mentions_from, of_side};
use bcheck_ir::{
    BinaryOp, Comparison, Conjunct, Declaration, Expr, ExprKind, Following, FollowingPart, LocalId, Model, Operation, OperationId, Pred,
    PredKind, RefinedMachine, Refinement, Rewrite, Subst, SubstKind, Target, Type, VariableId, rewrite_pred, rewrite_subst,
};
use bcheck_source::Span;

/// The model of a refinement by itself, derived from that of its chain.
pub(super) fn alone(mut model: Model, refinement: &Refinement, span: Span) -> Model {
    let first = u32::try_from(refinement.concrete.len()).expect("fewer than 2^32 variables");
    let mut names: Vec<(LocalId, Type)> = Vec::new();
    for (name, declaration) in model.variables.split_off(first as usize) {
        names.push((LocalId(u32::try_from(model.locals.len()).expect("fewer than 2^32 names")), declaration.ty));
        model.locals.push(name);
    }
    let states = VariableId(first);
    let set = Type::set(names.iter().map(|(_, ty)| ty.clone()).reduce(Type::pair).unwrap_or(Type::Bool));
    model.variables.insert(of_side(&refinement.refined, "states"), Declaration { ty: set.clone(), span });
    let mut states = States { first, states, set, names };
    let operations = std::mem::take(&mut model.operations);
    let (own, gluing): (Vec<Conjunct>, Vec<Conjunct>) =
        std::mem::take(&mut model.invariant).into_iter().partition(|conjunct| !mentions_from(&conjunct.pred, first));
    let gluing: Vec<Pred> = gluing.into_iter().map(|conjunct| states.named(conjunct.pred)).collect();
    let span_of_gluing = gluing.iter().map(|pred| pred.span).reduce(Span::to).unwrap_or(span);
    let related = Pred { kind: PredKind::And(gluing), span: span_of_gluing };
    let in_some = Conjunct { pred: states.in_some(related.clone()), label: None, given: None };
    model.invariant = own.into_iter().chain([in_some]).collect();
    let all = Machines { levels: &refinement.levels, operations: &operations, related };
    model.initialisation = all.beginning(&mut states, refinement.concrete_initialisation);
    model.operations = refinement
        .operations
        .iter()
        .filter_map(|own| {
            let (name, operation) = operations.get_index(own.operation.index())?;
            Some((name.clone(), all.step(&mut states, operation, own.refined)))
        })
        .collect();
    let calls = refinement.operations.iter().map(|own| states.is_called(own.callable.and_then(|id| operations.get_index(id.index()))?.1));
    // An operation without a precondition further up may always be called.
    model.callable =
        calls.collect::<Option<Vec<_>>>().filter(|calls| !calls.is_empty()).map(|calls| Pred { kind: PredKind::Or(calls), span });
    model.within = refinement.levels.iter().map(|machine| machine.name.clone()).collect();
    model
}

/// The variable with the states of the refined machines.
struct States {
    /// Variables from this id on are those of refined machines.
    first: u32,
    states: VariableId,
    set: Type,
    /// A name for each of these.
    names: Vec<(LocalId, Type)>,
}

impl Rewrite for States {
    fn expr(&mut self, expr: &mut Expr) {
        // In `x : (P)` the old value of a name that is written is the one that it has.
        if let ExprKind::Variable(id) | ExprKind::OldVariable(id) = expr.kind
            && id.0 >= self.first
        {
            expr.kind = ExprKind::Local(self.name(id));
        }
    }
}

impl States {
    fn name(&self, id: VariableId) -> LocalId {
        self.names[(id.0 - self.first) as usize].0
    }

    /// The predicate in the names.
    fn named(&mut self, mut pred: Pred) -> Pred {
        rewrite_pred(&mut pred, self);
        pred
    }

    fn named_subst(&mut self, mut subst: Subst) -> Subst {
        rewrite_subst(&mut subst, self);
        self.name_targets(&mut subst);
        subst
    }

    fn name_targets(&self, subst: &mut Subst) {
        let rename = |target: &mut Target| {
            if let Target::Variable(id) = *target
                && id.0 >= self.first
            {
                *target = Target::Local(self.name(id));
            }
        };
        match &mut subst.kind {
            SubstKind::Assign(writes) => writes.iter_mut().for_each(|(target, _)| rename(target)),
            SubstKind::BecomesIn(targets, _) => targets.iter_mut().for_each(rename),
            SubstKind::BecomesSuchThat(targets, _) => targets.iter_mut().for_each(|(target, ..)| rename(target)),
            SubstKind::Parallel(parts) | SubstKind::Sequence(parts) | SubstKind::Choice(parts) => {
                parts.iter_mut().for_each(|part| self.name_targets(part));
            }
            SubstKind::If(branches, otherwise) | SubstKind::Select(branches, otherwise) => {
                branches.iter_mut().for_each(|(_, body)| self.name_targets(body));
                otherwise.iter_mut().for_each(|body| self.name_targets(body));
            }
            SubstKind::Pre { body, .. }
            | SubstKind::Assert(_, body)
            | SubstKind::Any(_, _, body)
            | SubstKind::Let(_, body)
            | SubstKind::Var(_, body)
            | SubstKind::While { body, .. } => self.name_targets(body),
            SubstKind::Skip | SubstKind::Follow(_) => {}
        }
    }

    /// That the names are those of one of the states.
    fn is_state(&self, span: Span) -> Pred {
        let local = |(id, ty): &(LocalId, Type)| Expr { kind: ExprKind::Local(*id), ty: ty.clone(), span };
        let tuple = self.names.iter().map(local).reduce(|left, right| {
            let ty = Type::pair(left.ty.clone(), right.ty.clone());
            Expr { kind: ExprKind::Binary(BinaryOp::Pair, Box::new(left), Box::new(right)), ty, span }
        });
        // Without variables there is one state, for which any value does.
        let tuple = tuple.unwrap_or(Expr { kind: ExprKind::Bool(true), ty: Type::Bool, span });
        let set = Expr { kind: ExprKind::Variable(self.states), ty: self.set.clone(), span };
        Pred { kind: PredKind::Compare(Comparison::Member, Box::new(tuple), Box::new(set)), span }
    }

    /// That a predicate in the names is true in some state.
    fn in_some(&self, pred: Pred) -> Pred {
        let span = pred.span;
        let both = Pred { kind: PredKind::And(vec![self.is_state(span), pred]), span };
        if self.names.is_empty() {
            return both;
        }
        Pred { kind: PredKind::Exists(self.names.clone(), Box::new(both)), span }
    }

    /// That an operation may be called with some arguments, of one that is enabled where the inherited preconditions hold.
    fn is_called(&mut self, callable: &Operation) -> Option<Pred> {
        let (mut guards, mut body) = (Vec::new(), &callable.body);
        while let SubstKind::Pre { pred, body: inner, .. } = &body.kind {
            guards.push(self.in_all(pred.clone()));
            body = inner;
        }
        let all = Pred { kind: PredKind::And(guards), span: callable.span };
        let parameters: Vec<(LocalId, Type)> = callable.parameters.iter().map(|(_, id, ty)| (*id, ty.clone())).collect();
        if parameters.is_empty() {
            return Some(all);
        }
        Some(Pred { kind: PredKind::Exists(parameters, Box::new(all)), span: callable.span })
    }

    /// A precondition, whose conjuncts about the refined machines must hold in each of their states. That they hold in some state is
    /// added: it bounds parameters.
    fn in_all(&mut self, pred: Pred) -> Pred {
        let span = pred.span;
        if !mentions_from(&pred, self.first) {
            return pred;
        }
        if let PredKind::And(parts) = pred.kind {
            let parts = parts.into_iter().map(|part| self.in_all(part)).collect();
            return Pred { kind: PredKind::And(parts), span };
        }
        let pred = self.named(pred);
        let implied = Pred { kind: PredKind::Implies(Box::new(self.is_state(span)), Box::new(pred.clone())), span };
        let each = Pred { kind: PredKind::Forall(self.names.clone(), Box::new(implied)), span };
        Pred { kind: PredKind::And(vec![self.in_some(pred), each]), span }
    }
}

/// The machines of the chain, with the operations of the model of all.
struct Machines<'a> {
    levels: &'a [RefinedMachine],
    operations: &'a indexmap::IndexMap<String, Operation>,
    /// The gluing invariant of the refinement, in the names of the states.
    related: Pred,
}

impl Machines<'_> {
    fn operation(&self, id: OperationId) -> &Operation {
        &self.operations[id.index()]
    }

    fn related(&self, states: &mut States, machine: &RefinedMachine) -> Option<Pred> {
        match &self.operation(machine.related?).body.kind {
            SubstKind::Select(branches, _) => branches.first().map(|(pred, _)| states.named(pred.clone())),
            _ => None,
        }
    }

    fn follow(&self, states: &States, begins: bool, parts: Vec<FollowingPart>, span: Span) -> Subst {
        let following = Following {
            states: states.states,
            names: states.names.clone(),
            refined: self.levels[0].variables.len(),
            begins,
            parts,
            related: self.related.clone(),
        };
        Subst { kind: SubstKind::Follow(Box::new(following)), span }
    }

    /// The initialisation of the refinement, and those of the refined machines.
    fn beginning(&self, states: &mut States, own: OperationId) -> Subst {
        let own = self.operation(own).body.clone();
        let span = own.span;
        let part = |machine: &RefinedMachine| FollowingPart {
            machine: machine.name.clone(),
            arguments: Vec::new(),
            body: Some(states.named_subst(self.operation(machine.initialisation).body.clone())),
            results: Vec::new(),
            related: self.related(states, machine),
        };
        let parts = self.levels.iter().map(part).collect();
        Subst { kind: SubstKind::Sequence(vec![own, self.follow(states, true, parts, span)]), span }
    }

    /// An operation of the refinement, with the matching steps of the refined machines.
    fn step(&self, states: &mut States, operation: &Operation, refined: Option<OperationId>) -> Operation {
        let mut parts: Vec<FollowingPart> = Vec::new();
        let (mut below, mut next) = (operation, refined);
        for machine in self.levels.iter().filter(|_| refined.is_some()) {
            let related = self.related(states, machine);
            let name = machine.name.clone();
            let Some(id) = next else {
                parts.push(FollowingPart { machine: name, arguments: Vec::new(), body: None, results: Vec::new(), related });
                continue;
            };
            let above = self.operation(id);
            let argument = |((_, id, _), (_, value, ty)): (&(String, LocalId, Type), &(String, LocalId, Type))| {
                (*id, Expr { kind: ExprKind::Local(*value), ty: ty.clone(), span: above.span })
            };
            let body = states.named_subst(above.body.clone());
            let span = body.span;
            // The names of results have no values before it runs.
            let results = above.results.iter().map(|(_, id, ty)| (*id, ty.clone())).collect();
            parts.push(FollowingPart {
                machine: name,
                arguments: above.parameters.iter().zip(&below.parameters).map(argument).collect(),
                body: Some(Subst { kind: SubstKind::Var(results, Box::new(body)), span }),
                results: above.results.iter().zip(&below.results).map(|((_, own, _), (_, below, _))| (*own, *below)).collect(),
                related,
            });
            (below, next) = (above, machine.refined(id));
        }
        let follow = self.follow(states, false, parts, operation.span);
        Operation { body: guarded(operation.body.clone(), follow, states), ..operation.clone() }
    }
}

/// The body followed by `follow`, with its guards at the top quantified over each state. `follow` is placed as far inside as possible:
/// guards are the conditions at the top.
fn guarded(subst: Subst, follow: Subst, states: &mut States) -> Subst {
    let span = subst.span;
    let kind = match subst.kind {
        SubstKind::Pre { pred, body, is_guard: true } => {
            SubstKind::Pre { pred: states.in_all(pred), body: Box::new(guarded(*body, follow, states)), is_guard: true }
        }
        kind => return followed(Subst { kind, span }, follow),
    };
    Subst { kind, span }
}

fn followed(subst: Subst, follow: Subst) -> Subst {
    let span = subst.span;
    let kind = match subst.kind {
        SubstKind::Pre { pred, body, is_guard } => SubstKind::Pre { pred, body: Box::new(followed(*body, follow)), is_guard },
        SubstKind::Any(locals, pred, body) => SubstKind::Any(locals, pred, Box::new(followed(*body, follow))),
        SubstKind::Let(bindings, body) => SubstKind::Let(bindings, Box::new(followed(*body, follow))),
        SubstKind::Select(mut branches, None) if branches.len() == 1 => {
            let (pred, body) = branches.remove(0);
            SubstKind::Select(vec![(pred, followed(body, follow))], None)
        }
        SubstKind::Sequence(mut parts) => {
            parts.push(follow);
            SubstKind::Sequence(parts)
        }
        SubstKind::Skip => return follow,
        kind => SubstKind::Sequence(vec![Subst { kind, span }, follow]),
    };
    Subst { kind, span }
}
