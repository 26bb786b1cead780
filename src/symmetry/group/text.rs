//! A machine's own text as a value over the elements that it names.
//!
//! A permutation of named elements that maps this value to itself writes the same machine in other names, so it is a symmetry of the
//! machine; and the permutations that do so are what canonical labelling of a value finds, as for states. Children whose order has a
//! meaning form tuples; those of conjunctions, disjunctions, written-out sets, unions, sums, parallel and alternative substitutions
//! form sets (with numbers, where repeating one matters). Bound names are numbered from the outside. What holds no elements is a
//! number of its own. So this is the syntax tree as a coloured graph with unordered children, in the form that
//! [`encode`](crate::encode) reads. Operations and variables stand under their own names: nothing but elements moves.
//! Invariant: two texts with equal values mean the same. Children are unordered only where none can be ill-defined
//! ([`well_defined`](super::well_defined)). Sources: Donaldson 2007 (validity of a renaming), McKay (automorphisms of coloured graphs).

use super::well_defined::{Defined, Phase, Trust};
use bcheck_ir::{
    BinaryOp, Comparison, Expr, ExprKind, LocalId, Model, Node, Pred, PredKind, SetId, Subst, SubstKind, Target, Type, walk_pred,
    walk_subst,
};
use bcheck_source::Span;
use bcheck_value::{Element, Value};
use indexmap::IndexSet;
use std::collections::BTreeMap;
use std::sync::Arc;

/// One clause or operation.
pub(crate) struct Part {
    /// Its name in reports.
    pub(crate) place: String,
    pub(crate) value: Value,
    /// The elements that it names, with the first place of each.
    pub(crate) named: BTreeMap<(SetId, u32), Span>,
}

/// A machine as values.
pub(crate) struct Text {
    /// In the order in which they are run.
    pub parts: Vec<Part>,
    /// The conjuncts of the invariant, and the assertions.
    pub invariant: Vec<Conjunct>,
    pub assertions: Vec<Conjunct>,
}

/// A conjunct of a clause.
pub(crate) struct Conjunct {
    pub(crate) value: Value,
    /// The number of its run; a symmetry maps each conjunct to one of the same run.
    pub(crate) run: usize,
}

/// The parts of a machine, in the order in which they are run. Elements for which `moves` is false are pinned.
pub(super) fn parts(model: &Model, trust: Trust, moves: &dyn Fn(Element) -> bool) -> Vec<Part> {
    read(model, trust, moves).parts
}

/// The text of a machine encoded as values. Elements for which `moves` is false are pinned.
pub(crate) fn read(model: &Model, trust: Trust, moves: &dyn Fn(Element) -> bool) -> Text {
    let mut writer = Writer { moves, defined: Defined::new(trust), bound: Vec::new(), fixed: IndexSet::new() };
    let preds = |conjuncts: &mut dyn Iterator<Item = &Pred>| {
        let mut named = BTreeMap::new();
        conjuncts.for_each(|pred| walk_pred(pred, &mut |node| note(node, &mut named)));
        named
    };
    let mut parts = Vec::new();
    let mut part = |place: String, value, named| parts.push(Part { place, value, named });
    // Properties and invariant are read first, because `defined` learns from them what operations may rely on; the parts are still listed
    // in the order in which they are executed.
    let (properties, _) = writer.clause(model.properties.iter().map(|conjunct| &conjunct.pred));
    let (invariant, invariant_conjuncts) = writer.clause(model.invariant.iter().map(|conjunct| &conjunct.pred));
    part("PROPERTIES".to_owned(), properties, preds(&mut model.properties.iter().map(|conjunct| &conjunct.pred)));
    writer.defined.phase = Phase::Initial;
    let initialisation = writer.subst(&model.initialisation);
    writer.defined.phase = Phase::State;
    part("INITIALISATION".to_owned(), initialisation, substitution(&model.initialisation));
    for (name, operation) in &model.operations {
        writer.defined.unset(operation.results.iter().map(|(_, id, _)| *id));
        // The name in the tag keeps operations apart: no permutation swaps two that differ only in the elements that they name.
        let locals: Vec<(LocalId, &Type)> = operation.parameters.iter().chain(&operation.results).map(|(_, id, ty)| (*id, ty)).collect();
        let value = writer.scoped(locals, &format!("operation {name}"), |writer| vec![writer.subst(&operation.body)]);
        part(format!("operation {name}"), value, substitution(&operation.body));
    }
    part("INVARIANT".to_owned(), invariant, preds(&mut model.invariant.iter().map(|conjunct| &conjunct.pred)));
    let (assertions, assertion_conjuncts) = writer.clause(model.assertions.iter().map(|assertion| &assertion.pred));
    part("ASSERTIONS".to_owned(), assertions, preds(&mut model.assertions.iter().map(|assertion| &assertion.pred)));
    if let Some(goal) = &model.goal {
        let value = writer.pred(goal);
        part("the goal".to_owned(), value, preds(&mut std::iter::once(goal)));
    }
    if let Some(expanded) = &model.expanded {
        let value = writer.pred(expanded);
        part("SCOPE".to_owned(), value, preds(&mut std::iter::once(expanded)));
    }
    Text { parts, invariant: invariant_conjuncts, assertions: assertion_conjuncts }
}

fn substitution(subst: &Subst) -> BTreeMap<(SetId, u32), Span> {
    let mut named = BTreeMap::new();
    walk_subst(subst, &mut |node| note(node, &mut named));
    named
}

fn note(node: Node<'_>, named: &mut BTreeMap<(SetId, u32), Span>) {
    if let Node::Expr(Expr { kind: ExprKind::Element(set, index), span, .. }) = node {
        named.entry((*set, *index)).or_insert(*span);
    }
}

struct Writer<'a> {
    moves: &'a dyn Fn(Element) -> bool,
    defined: Defined,
    /// Names in scope, outermost first: a name is written as its place here (de Bruijn level).
    bound: Vec<LocalId>,
    /// Interned values that hold no element that may move; each is written as its number.
    fixed: IndexSet<Value>,
}

impl Writer<'_> {
    /// Conjuncts that are evaluated in sequence, of which later ones may rely on earlier ones.
    fn clause<'p>(&mut self, conjuncts: impl Iterator<Item = &'p Pred>) -> (Value, Vec<Conjunct>) {
        let mut written = Vec::new();
        for conjunct in conjuncts {
            written.push((self.pred(conjunct), self.defined.pred(conjunct)));
            self.defined.learn(conjunct);
        }
        let conjuncts = (0..)
            .zip(runs_of(&written))
            .flat_map(|(run, conjuncts)| conjuncts.iter().map(move |(value, _)| Conjunct { value: value.clone(), run }))
            .collect();
        (self.runs("all", written), conjuncts)
    }

    /// Children of which adjacent ones may be reordered if they are always defined.
    fn runs(&mut self, tag: &str, children: Vec<(Value, bool)>) -> Value {
        let runs: Vec<Value> =
            runs_of(&children).map(|run| self.set("run", run.iter().map(|(value, _)| value.clone()).collect())).collect();
        self.node(tag, runs)
    }

    /// Children with an order.
    fn node(&mut self, tag: &str, children: Vec<Value>) -> Value {
        let is_fixed = children.iter().all(is_fixed);
        // The number of children is part of the tag: nested pairs alone do not show it.
        let tag = format!("{tag}/{}", children.len());
        self.made(&tag, children.into_iter().reduce(Value::pair), is_fixed)
    }

    /// Children without an order, for operators under which repeating one changes nothing.
    fn set(&mut self, tag: &str, children: Vec<Value>) -> Value {
        let is_fixed = children.iter().all(is_fixed);
        self.made(tag, Some(Value::set(children)), is_fixed)
    }

    /// Children without an order, each with its number of occurrences.
    fn bag(&mut self, tag: &str, mut children: Vec<Value>) -> Value {
        // Sorting only makes equal children adjacent: they become a set, so the order by names does not show.
        children.sort_unstable();
        let counted: Vec<(Value, usize)> = children.chunk_by(|a, b| a == b).map(|same| (same[0].clone(), same.len())).collect();
        let counted = counted.into_iter().map(|(child, count)| self.node(&format!("times {count}"), vec![child])).collect();
        self.set(tag, counted)
    }

    /// A value with this tag; interned if no element that may move is in it, so that the labelling sees a small value.
    fn made(&mut self, tag: &str, argument: Option<Value>, is_fixed: bool) -> Value {
        let value = Value::free(&Arc::from(tag), argument);
        if !is_fixed {
            return value;
        }
        // No permutation changes what is interned, so equal numbers mean equal values in all images of the text.
        let (number, _) = self.fixed.insert_full(value);
        Value::free(&Arc::from(format!("fixed {number}")), None)
    }

    /// A construct that is known by its name alone.
    fn leaf(&mut self, tag: &str) -> Value {
        self.node(tag, Vec::new())
    }

    /// A construct that binds names.
    fn scoped(&mut self, locals: Vec<(LocalId, &Type)>, tag: &str, inside: impl FnOnce(&mut Self) -> Vec<Value>) -> Value {
        let mut children: Vec<Value> = locals.iter().map(|(_, ty)| self.leaf(&format!("{ty:?}"))).collect();
        let outside = self.bound.len();
        self.bound.extend(locals.iter().map(|(id, _)| *id));
        children.extend(inside(self));
        self.bound.truncate(outside);
        self.node(tag, children)
    }

    /// LET, whose bindings are in scope one after the other.
    fn bindings(&mut self, bindings: &[(LocalId, Expr)], inside: impl FnOnce(&mut Self) -> Value) -> Value {
        let outside = self.bound.len();
        let mut children = Vec::new();
        for (id, value) in bindings {
            children.push(self.expr(value));
            self.bound.push(*id);
        }
        children.push(inside(self));
        self.bound.truncate(outside);
        self.node("Let", children)
    }

    fn local(&mut self, id: LocalId) -> Value {
        match self.bound.iter().rposition(|bound| *bound == id) {
            Some(place) => self.leaf(&format!("bound {place}")),
            None => self.leaf(&format!("{id:?}")),
        }
    }

    fn target(&mut self, target: Target) -> Value {
        match target {
            Target::Variable(id) => self.leaf(&format!("{id:?}")),
            Target::Local(id) => self.local(id),
        }
    }

    fn exprs(&mut self, exprs: &[Expr]) -> Vec<Value> {
        exprs.iter().map(|expr| self.expr(expr)).collect()
    }

    // A list: for each kind of expression, its tag and its children, with an order or without.
    fn expr(&mut self, expr: &Expr) -> Value {
        match &expr.kind {
            ExprKind::Element(set, index) if (self.moves)(Element { set: *set, index: *index }) => {
                Value::Element(Element { set: *set, index: *index })
            }
            ExprKind::TypeSet | ExprKind::EmptySet => self.leaf(&format!("{:?} {:?}", expr.kind, expr.ty)),
            ExprKind::Element(..)
            | ExprKind::Integer(_)
            | ExprKind::String(_)
            | ExprKind::Bool(_)
            | ExprKind::GivenSet(_)
            | ExprKind::BoolSet
            | ExprKind::StringSet
            | ExprKind::IntegerSet(_)
            | ExprKind::MinInt
            | ExprKind::MaxInt
            | ExprKind::Constant(_)
            | ExprKind::Variable(_)
            | ExprKind::OldVariable(_) => self.leaf(&format!("{:?}", expr.kind)),
            ExprKind::Local(id) => self.local(*id),
            ExprKind::Unary(op, operand) => self.around(&format!("{op:?}"), operand),
            ExprKind::Binary(op, left, right) => self.binary(expr, *op, left, right),
            // Whether items are defined does not matter: all are evaluated, in any order.
            ExprKind::SetExtension(items) => {
                let items = self.exprs(items);
                self.set("SetExtension", items)
            }
            ExprKind::SequenceExtension(items) => {
                let items = self.exprs(items);
                self.node("SequenceExtension", items)
            }
            ExprKind::Record(fields) => self.fields("Record", fields),
            ExprKind::Struct(fields) => self.fields("Struct", fields),
            ExprKind::Field(record, name) => self.around(&format!("Field {name}"), record),
            ExprKind::BoolOf(pred) => {
                let pred = self.pred(pred);
                self.node("BoolOf", vec![pred])
            }
            ExprKind::If(condition, then, otherwise) => {
                let children = vec![self.pred(condition), self.expr(then), self.expr(otherwise)];
                self.node("IfExpr", children)
            }
            ExprKind::Let(bindings, body) => self.bindings(bindings, |writer| writer.expr(body)),
            ExprKind::Comprehension { locals, pred, value } => self.scoped(typed(locals), "Comprehension", |writer| {
                let pred = writer.pred(pred);
                std::iter::once(pred).chain(value.as_ref().map(|value| writer.expr(value))).collect()
            }),
            ExprKind::Binder { binder, locals, pred, body } => {
                self.scoped(typed(locals), &format!("{binder:?}"), |writer| vec![writer.pred(pred), writer.expr(body)])
            }
            ExprKind::External(function, arguments) => {
                let arguments = self.exprs(arguments);
                self.node(&format!("{function:?} {:?}", expr.ty), arguments)
            }
        }
    }

    fn around(&mut self, tag: &str, operand: &Expr) -> Value {
        let operand = self.expr(operand);
        self.node(tag, vec![operand])
    }

    fn fields(&mut self, kind: &str, fields: &[(Arc<str>, Expr)]) -> Value {
        let names: Vec<&str> = fields.iter().map(|(name, _)| &**name).collect();
        // The type checker sorts the names of fields, so equal records have equal tags.
        let tag = format!("{kind} {}", names.join(" "));
        let values = fields.iter().map(|(_, value)| self.expr(value)).collect();
        self.node(&tag, values)
    }

    fn binary(&mut self, expr: &Expr, op: BinaryOp, left: &Expr, right: &Expr) -> Value {
        let tag = format!("{op:?}");
        if matches!(op, BinaryOp::Union | BinaryOp::Intersection | BinaryOp::Add | BinaryOp::Multiply) && self.defined.expr(expr) {
            let mut operands = Vec::new();
            self.operands(expr, op, &mut operands);
            // Union and intersection are idempotent, sum and product are not.
            return match op {
                BinaryOp::Union | BinaryOp::Intersection => self.set(&tag, operands),
                _ => self.bag(&tag, operands),
            };
        }
        let children = vec![self.expr(left), self.expr(right)];
        self.node(&tag, children)
    }

    /// The operands of nested uses of one operator.
    fn operands(&mut self, expr: &Expr, op: BinaryOp, into: &mut Vec<Value>) {
        match &expr.kind {
            ExprKind::Binary(own, left, right) if *own == op => {
                self.operands(left, op, into);
                self.operands(right, op, into);
            }
            _ => into.push(self.expr(expr)),
        }
    }

    fn pred(&mut self, pred: &Pred) -> Value {
        match &pred.kind {
            PredKind::True | PredKind::False => self.leaf(&format!("{:?}", pred.kind)),
            // In `x : dom(f) & f(x) = y` the second conjunct may be ill-defined, so the two stay in order.
            PredKind::And(parts) | PredKind::Or(parts) => {
                let written = parts.iter().map(|part| (self.pred(part), self.defined.pred(part))).collect();
                self.runs(if matches!(pred.kind, PredKind::And(_)) { "And" } else { "Or" }, written)
            }
            PredKind::Not(inner) => {
                let inner = self.pred(inner);
                self.node("Not", vec![inner])
            }
            PredKind::Implies(left, right) => {
                let children = vec![self.pred(left), self.pred(right)];
                self.node("Implies", children)
            }
            PredKind::Equivalent(left, right) => {
                let children = vec![self.pred(left), self.pred(right)];
                if self.defined.pred(pred) { self.bag("Equivalent", children) } else { self.node("Equivalent", children) }
            }
            PredKind::Compare(comparison, left, right) => {
                let children = vec![self.expr(left), self.expr(right)];
                let tag = format!("{comparison:?}");
                // `a = b` is `b = a` unless which side is ill-defined first makes a difference.
                let commutes = matches!(comparison, Comparison::Equal | Comparison::NotEqual) && self.defined.pred(pred);
                if commutes { self.bag(&tag, children) } else { self.node(&tag, children) }
            }
            PredKind::Forall(locals, body) => self.scoped(typed(locals), "Forall", |writer| vec![writer.pred(body)]),
            PredKind::Exists(locals, body) => self.scoped(typed(locals), "Exists", |writer| vec![writer.pred(body)]),
            PredKind::If(condition, then, otherwise) => {
                let children = vec![self.pred(condition), self.pred(then), self.pred(otherwise)];
                self.node("IfPred", children)
            }
            PredKind::Let(bindings, body) => self.bindings(bindings, |writer| writer.pred(body)),
            PredKind::Finite(set) => {
                let set = self.expr(set);
                self.node("Finite", vec![set])
            }
            PredKind::Partition(set, parts) => {
                let (whole, written) = (self.expr(set), self.exprs(parts));
                let written = if self.defined.pred(pred) { self.bag("parts", written) } else { self.node("parts", written) };
                self.node("Partition", vec![whole, written])
            }
        }
    }

    /// Substitutions that start in the same state.
    fn together(&mut self, tag: &str, substs: &[Subst]) -> Value {
        // A bag for both: repeating a branch of CHOICE changes nothing, but a parallel substitution may not assign twice. If branches may
        // be ill-defined, the first that is decides what is reported: they stay in order.
        let is_defined = substs.iter().all(|subst| self.defined.subst(subst));
        let children = substs.iter().map(|subst| self.subst(subst)).collect();
        if is_defined { self.bag(tag, children) } else { self.node(tag, children) }
    }

    fn branches(&mut self, branches: &[(Pred, Subst)]) -> Vec<Value> {
        let mut written = Vec::new();
        for (pred, body) in branches {
            let children = vec![self.pred(pred), self.subst(body)];
            written.push(self.node("branch", children));
        }
        written
    }

    fn conditional(&mut self, branches: &[(Pred, Subst)], otherwise: Option<&Subst>) -> Value {
        let mut written = self.branches(branches);
        written.extend(otherwise.map(|otherwise| self.subst(otherwise)));
        self.node(if otherwise.is_some() { "If else" } else { "If" }, written)
    }

    fn selection(&mut self, branches: &[(Pred, Subst)], otherwise: Option<&Subst>) -> Value {
        let is_defined = branches.iter().all(|(pred, body)| self.defined.pred(pred) && self.defined.subst(body));
        let written = self.branches(branches);
        let written = if is_defined { self.bag("branches", written) } else { self.node("branches", written) };
        let otherwise = otherwise.map(|otherwise| self.subst(otherwise));
        self.node("Select", std::iter::once(written).chain(otherwise).collect())
    }

    // A list: for each kind of substitution, its tag and its children, with an order or without.
    fn subst(&mut self, subst: &Subst) -> Value {
        match &subst.kind {
            SubstKind::Skip => self.leaf("Skip"),
            SubstKind::Assign(assignments) => {
                let mut written = Vec::new();
                for (target, value) in assignments {
                    written.extend([self.target(*target), self.expr(value)]);
                }
                self.node("Assign", written)
            }
            SubstKind::BecomesIn(targets, set) => {
                let mut written: Vec<Value> = targets.iter().map(|target| self.target(*target)).collect();
                written.push(self.expr(set));
                self.node("BecomesIn", written)
            }
            SubstKind::BecomesSuchThat(targets, pred) => {
                // The targets in order, and names for their new values bound in the predicate: `x : (x > x$0)` reads both.
                let names: Vec<Value> = targets.iter().map(|(target, _, _)| self.target(*target)).collect();
                let locals = targets.iter().map(|(_, id, ty)| (*id, ty)).collect();
                let body = self.scoped(locals, "such that", |writer| vec![writer.pred(pred)]);
                self.node("BecomesSuchThat", names.into_iter().chain([body]).collect())
            }
            SubstKind::Parallel(parts) => self.together("Parallel", parts),
            SubstKind::Choice(parts) => self.together("Choice", parts),
            SubstKind::Sequence(parts) => self.sequence(parts),
            SubstKind::Pre { pred, body, is_guard } => {
                let children = vec![self.pred(pred), self.subst(body)];
                self.node(if *is_guard { "guard" } else { "Pre" }, children)
            }
            SubstKind::Assert(pred, body) => {
                let children = vec![self.pred(pred), self.subst(body)];
                self.node("Assert", children)
            }
            SubstKind::If(branches, otherwise) => self.conditional(branches, otherwise.as_deref()),
            SubstKind::Select(branches, otherwise) => self.selection(branches, otherwise.as_deref()),
            SubstKind::Any(locals, pred, body) => self.scoped(typed(locals), "Any", |writer| vec![writer.pred(pred), writer.subst(body)]),
            SubstKind::Let(bindings, body) => self.bindings(bindings, |writer| writer.subst(body)),
            SubstKind::Var(locals, body) => {
                self.defined.unset(locals.iter().map(|(id, _)| *id));
                self.scoped(typed(locals), "Var", |writer| vec![writer.subst(body)])
            }
            SubstKind::While { condition, body, invariant, variant } => {
                // From the second round on, the condition is evaluated after assignments.
                let before = self.defined.phase;
                self.defined.phase = self.later(before);
                let children = vec![self.pred(condition), self.subst(body), self.pred(invariant), self.expr(variant)];
                self.defined.phase = before;
                self.node("While", children)
            }
            SubstKind::Follow(following) => {
                let states = self.target(Target::Variable(following.states));
                let scoped = self.scoped(typed(&following.names), if following.begins { "begin" } else { "follow" }, |writer| {
                    let mut written = vec![writer.pred(&following.related)];
                    written.extend(following.parts.iter().map(|part| writer.subst(&part.as_subst())));
                    written
                });
                self.node("Follow", vec![states, scoped])
            }
        }
    }

    fn sequence(&mut self, parts: &[Subst]) -> Value {
        let before = self.defined.phase;
        // After the first part, variables may have been assigned.
        let mut written = Vec::new();
        for part in parts {
            written.push(self.subst(part));
            self.defined.phase = self.later(before);
        }
        // Restored here: the enclosing sequence sets the phase of the statements that follow.
        self.defined.phase = before;
        self.node("Sequence", written)
    }

    /// The phase after an assignment; variables that need not have had values still need not.
    fn later(&self, phase: Phase) -> Phase {
        match phase {
            Phase::Initial => Phase::Initial,
            Phase::State | Phase::Later => Phase::Later,
        }
    }
}

/// Maximal runs of neighbours that are always defined, so that they may change places; any other child is a run of its own.
fn runs_of(children: &[(Value, bool)]) -> impl Iterator<Item = &[(Value, bool)]> {
    children.chunk_by(|(_, one), (_, other)| *one && *other)
}

fn typed(locals: &[(LocalId, Type)]) -> Vec<(LocalId, &Type)> {
    locals.iter().map(|(id, ty)| (*id, ty)).collect()
}

/// Whether a child holds no element that may move.
fn is_fixed(child: &Value) -> bool {
    matches!(child, Value::Free(free) if free.argument.is_none())
}

/// The number of nodes of a value that contain elements, counted with repetitions.
pub(super) fn nodes(value: &Value) -> usize {
    match value {
        Value::Free(free) => free.argument.as_ref().map_or(0, |argument| 1 + nodes(argument)),
        Value::Pair(pair) => nodes(&pair.0) + nodes(&pair.1),
        Value::Set(set) => 1 + set.iter().map(|member| nodes(&member)).sum::<usize>(),
        Value::Element(_) => 1,
        Value::Record(_) | Value::Bool(_) | Value::Integer(_) | Value::String(_) | Value::Symbolic(_) => 0,
    }
}
