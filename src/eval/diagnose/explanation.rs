//! The plan of an operation, explained to users: what is enumerated and tested in which order, at what estimated cost, and on which tier.
//!
//! Invariant: the steps are the actions of a run, in their order. Deliberately elsewhere: the choice of the order (`order`), the words
//! (`report`).

use crate::plan::{Action, Search, SubstPlan, SubstPlanKind};
use bcheck_source::Span;

/// The plan of an operation.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The search for its parameters.
    pub parameters: Choice,
    /// The choices of its body, in the order of the text.
    pub body: Vec<Choice>,
    /// The tier on which it runs.
    pub tier: Tier,
}

/// A search for the values of some names.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The names.
    pub names: Vec<String>,
    /// Its place in the text.
    pub span: Span,
    /// The estimated number of bindings visited; infinite where nothing bounds a name.
    pub cost: f64,
    /// Its actions, in order.
    pub steps: Vec<PlannedStep>,
}

/// One step of a search.
#[derive(Clone, Debug)]
pub struct PlannedStep {
    /// The kind of step.
    pub kind: StepKind,
    /// The names that it binds.
    pub names: Vec<String>,
    /// The predicate that is tested, or the expressions that the values come from.
    pub spans: Vec<Span>,
    /// The searches of its branches.
    pub branches: Vec<Choice>,
}

/// The action of a step of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// Goes on only if a predicate holds.
    Test,
    /// Matches one value against a pattern, whose names get their only values.
    Bind,
    /// Takes each element of a set.
    Each,
    /// Takes each subset of a set.
    EachSubset,
    /// Takes each integer between bounds.
    EachInteger,
    /// Takes each binding of some branch.
    EachOfBranches,
    /// Computes a function value by value.
    Recurrence,
    /// Takes each function with a known sum or product.
    Total,
    /// Takes each integer that solves an equation with a product.
    Roots,
    /// Leaves several names to the solver.
    Solve,
    /// Nothing bounds the name.
    Unbounded,
}

/// Where an operation runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Tier {
    /// On states as machine words.
    Packed,
    /// On the general tier, because these variables do not fit words. If the list is empty, all variables fit, but not all operations.
    Variables(Vec<String>),
    /// On the general tier, because this part of the operation does not fit words.
    Part(Option<Span>),
}

/// Explains the search for some names.
pub(crate) fn choice(search: &Search, names: &[String], slot_names: &[String]) -> Choice {
    let steps = search.actions.iter().filter(|action| !matches!(action, Action::Cut(_))).map(|action| step(action, slot_names)).collect();
    Choice { names: names.to_vec(), span: search.span, cost: search.cost, steps }
}

fn step(action: &Action, slot_names: &[String]) -> PlannedStep {
    let names: Vec<String> = action.slots().into_iter().map(|slot| slot_names[slot].clone()).collect();
    let (kind, spans) = match action {
        // Not shown: a warning says that the step after it is cut.
        Action::Cut(tried) => (StepKind::Test, vec![tried.place]),
        Action::Test(pred) => (StepKind::Test, vec![pred.span]),
        Action::Bind(_, value) => (StepKind::Bind, vec![value.span]),
        Action::Each(_, set) => (StepKind::Each, vec![set.span]),
        Action::EachSubset(_, set) => (StepKind::EachSubset, vec![set.span]),
        Action::Range { lower, upper, .. } => (StepKind::EachInteger, lower.iter().chain(upper).map(|bound| bound.span).collect()),
        Action::EachOf(..) => (StepKind::EachOfBranches, Vec::new()),
        Action::Recurrence(plan) => (StepKind::Recurrence, vec![plan.step.span]),
        Action::Total(plan) => (StepKind::Total, vec![plan.domain.span]),
        Action::Roots(plan) => (StepKind::Roots, plan.factor.iter().chain([&plan.value]).map(|part| part.span).collect()),
        Action::Solve { problem, .. } => (StepKind::Solve, vec![problem.span]),
        Action::Unbounded { span, .. } => (StepKind::Unbounded, vec![*span]),
    };
    let branches = match action {
        Action::EachOf(_, searches) => searches.iter().map(|search| choice(search, &names, slot_names)).collect(),
        _ => Vec::new(),
    };
    PlannedStep { kind, names, spans, branches }
}

/// Explains the choices of a body, in the order of the text.
pub(crate) fn choices(body: &SubstPlan, slot_names: &[String], into: &mut Vec<Choice>) {
    match &body.kind {
        SubstPlanKind::Skip | SubstPlanKind::Cut(_) | SubstPlanKind::Assign(_) => {}
        SubstPlanKind::BecomesIn(slots, set, _) => {
            let names: Vec<String> = slots.iter().map(|slot| slot_names[*slot].clone()).collect();
            let step = PlannedStep { kind: StepKind::Each, names: names.clone(), spans: vec![set.span], branches: Vec::new() };
            // Not compiled as a search, so it has no estimate.
            into.push(Choice { names, span: body.span, cost: f64::NAN, steps: vec![step] });
        }
        SubstPlanKind::BecomesSuchThat(targets, search) => {
            let names: Vec<String> = targets.iter().map(|(target, _)| slot_names[*target].clone()).collect();
            into.push(Choice { span: body.span, ..choice(search, &names, slot_names) });
        }
        SubstPlanKind::Any(search, inner) => {
            // The names in the order in which the search binds them.
            let bound: Vec<String> = search.actions.iter().flat_map(|action| step(action, slot_names).names).collect();
            into.push(Choice { span: body.span, ..choice(search, &bound, slot_names) });
            choices(inner, slot_names, into);
        }
        SubstPlanKind::Parallel(parts) => parts.iter().for_each(|(part, _)| choices(part, slot_names, into)),
        SubstPlanKind::Sequence(parts) | SubstPlanKind::Choice(parts) => parts.iter().for_each(|part| choices(part, slot_names, into)),
        SubstPlanKind::Pre { body, .. } | SubstPlanKind::Assert(_, body) | SubstPlanKind::Let(_, body) | SubstPlanKind::Var(_, body) => {
            choices(body, slot_names, into);
        }
        SubstPlanKind::If(branches, otherwise) | SubstPlanKind::Select(branches, otherwise) => {
            let all = branches.iter().map(|(_, branch)| branch).chain(otherwise.as_deref());
            all.for_each(|branch| choices(branch, slot_names, into));
        }
        SubstPlanKind::While(plan) => choices(&plan.body, slot_names, into),
        // No choice of this machine.
        SubstPlanKind::Follow(_) => {}
    }
}
