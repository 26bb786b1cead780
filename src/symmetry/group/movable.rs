//! Which elements of given sets may be permuted: the static equivariance analysis of a machine.
//!
//! Invariant: permuting the movable elements of each set changes no result of the evaluator, because every construct that occurs in the
//! machine either commutes with such permutations, or the elements that it could distinguish become fixed. The matches over the core
//! language are exhaustive on purpose: a new construct does not compile before it is classified. Constants are part of the state, so
//! constraining one in PROPERTIES fixes nothing. Elements that are named may still move where the text is symmetric in them ([`named`]).

use super::described::described;
use super::named::{self, NamedElements};
use super::well_defined::Trust;
use super::{Group, Movable, Symmetry, transposition};
use crate::thresholds::MOVED_ELEMENTS;
use bcheck_ir::{ExprKind, ExternalFunction, GivenSetKind, Model, Node, Scope, SetId, Type, walk_expr, walk_pred, walk_subst};
use bcheck_source::Span;
use bcheck_value::Value;
use indexmap::IndexMap;
use num_bigint::BigUint;
use std::collections::BTreeMap;

/// The result of the analysis, in names, for reports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Detail {
    /// The number of elements of each set that may be permuted (sets with none are left out).
    pub movable: IndexMap<String, u32>,
    /// The elements that may not, by set (sets with none are left out).
    pub fixed: IndexMap<String, Vec<String>>,
    /// The reasons why they are fixed, one sentence each.
    pub why: Vec<String>,
    /// By sentence: the place in the text that it is about, if there is one.
    pub places: Vec<Option<Span>>,
    /// The number of permutations that are symmetries.
    pub order: BigUint,
    /// Permutations of elements that the text names, as cycles of names: with the transpositions of other movable elements, they generate
    /// the group.
    pub generators: Vec<String>,
    /// Whether only some of the permutations of the movable elements are symmetries.
    pub is_narrowed: bool,
}

/// The elements that may move, and the group that moves them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Analysis {
    pub(crate) movable: Movable,
    pub(crate) detail: Detail,
    /// If not all permutations of the movable elements are symmetries: the group, and relations whose automorphism group it is.
    pub(crate) narrowed: Option<(Group, Vec<Value>)>,
}

/// Elements and sets that the formulas of a machine can distinguish from others.
struct Breakers {
    /// Named elements, with the first place that names each.
    named: BTreeMap<(SetId, u32), (String, Span)>,
    /// Sets all of whose elements are fixed, with the reason.
    broken: BTreeMap<SetId, (String, Span)>,
}

/// Finds the movable elements of a machine at the given sizes. Without the text, named elements are fixed.
pub(crate) fn analyse(model: &Model, scope: &Scope, text: Option<Trust>) -> Analysis {
    let mut breakers = Breakers::of(model);
    let named = text.map_or_else(NamedElements::default, |trust| breakers.symmetric(model, trust, scope));
    let mut movable = Movable::new();
    let mut detail = Detail::default();
    for (at, (name, given)) in model.sets.iter().enumerate() {
        let set = SetId(u16::try_from(at).expect("set ids fit 16 bits"));
        let broken = breakers.broken.get(&set);
        let size = match &given.kind {
            GivenSetKind::Deferred => scope.size(set),
            GivenSetKind::Enumerated(names) => u32::try_from(names.len()).expect("an enumeration is written out"),
        };
        let symmetric = named.moved.get(&set);
        // Where the symmetries of the text are known, they decide for all elements of the set, named or not.
        let is_fixed = |index: &u32| match symmetric {
            Some(moved) => !moved.contains(index),
            None => broken.is_some() || breakers.named.contains_key(&(set, *index)),
        };
        let (fixed, free): (Vec<u32>, Vec<u32>) = (0..size).partition(is_fixed);
        // A set that is broken as a whole has one reason, for all its elements.
        let pinned = fixed.iter().filter_map(|&index| breakers.named.get(&(set, index)));
        let reasons: Vec<&(String, Span)> = broken.map_or_else(|| pinned.collect(), |reason| vec![reason]);
        for (reason, place) in reasons {
            detail.why.push(reason.clone());
            detail.places.push(Some(*place));
        }
        if !fixed.is_empty() {
            let names = fixed.iter().map(|&index| model.element_name(set, index)).collect();
            detail.fixed.insert(name.clone(), names);
        }
        if !free.is_empty() {
            detail.movable.insert(name.clone(), u32::try_from(free.len()).expect("a subset of u32 indices"));
            movable.push((set, free));
        }
    }
    for (reason, place) in named.why {
        detail.why.push(reason);
        detail.places.push(place);
    }
    detail.generators = named.shown;
    // Sets that the group of the text does not move have all permutations of their movable elements: a direct product.
    let narrowed = named.narrowed.map(|(mut group, relations)| {
        let elsewhere = movable.iter().filter(|(set, _)| !named.moved.contains_key(set));
        for (set, elements) in elsewhere {
            group.order *= (1..=elements.len()).map(BigUint::from).product::<BigUint>();
            group.generators.extend(elements.windows(2).map(|pair| transposition(*set, pair[0], pair[1])));
        }
        (group, relations)
    });
    Analysis { movable, detail, narrowed }
}

impl Symmetry {
    /// Why a formula outside the machine may have different values in symmetric states, if it may; `place` is its place.
    ///
    /// The test uses all permutations of the movable elements, not the group: a formula may be refused although it is symmetric.
    #[must_use]
    pub fn told_apart(&self, model: &Model, formula: Node<'_>, place: &str) -> Option<String> {
        let mut breakers = Breakers { named: BTreeMap::new(), broken: BTreeMap::new() };
        let mut meet = |node: Node<'_>| breakers.meet(model, node, place);
        match formula {
            Node::Expr(expr) => walk_expr(expr, &mut meet),
            Node::Pred(pred) => walk_pred(pred, &mut meet),
            Node::Subst(subst) => walk_subst(subst, &mut meet),
        }
        let is_movable = |&(set, index): &(SetId, u32)| self.movable().iter().any(|(of, free)| *of == set && free.contains(&index));
        let named = breakers.named.iter().find(|(element, _)| is_movable(element)).map(|(_, (reason, _))| reason);
        let broken = || self.movable().iter().find_map(|(set, _)| breakers.broken.get(set)).map(|(reason, _)| reason);
        named.or_else(broken).cloned()
    }
}

impl Breakers {
    /// Walks through all formulas of a machine.
    fn of(model: &Model) -> Self {
        let mut breakers = Breakers { named: BTreeMap::new(), broken: BTreeMap::new() };
        for conjunct in &model.properties {
            walk_pred(&conjunct.pred, &mut |node| breakers.meet(model, node, "PROPERTIES"));
        }
        walk_subst(&model.initialisation, &mut |node| breakers.meet(model, node, "INITIALISATION"));
        for (name, operation) in &model.operations {
            let place = format!("operation {name}");
            walk_subst(&operation.body, &mut |node| breakers.meet(model, node, &place));
        }
        for conjunct in &model.invariant {
            walk_pred(&conjunct.pred, &mut |node| breakers.meet(model, node, "INVARIANT"));
        }
        for assertion in &model.assertions {
            walk_pred(&assertion.pred, &mut |node| breakers.meet(model, node, "ASSERTIONS"));
        }
        if let Some(goal) = &model.goal {
            walk_pred(goal, &mut |node| breakers.meet(model, node, "the goal"));
        }
        if let Some(expanded) = &model.expanded {
            walk_pred(expanded, &mut |node| breakers.meet(model, node, "SCOPE"));
        }
        for (id, (name, given)) in (0..).map(SetId).zip(&model.sets) {
            if let GivenSetKind::Enumerated(names) = &given.kind
                && names.len() > MOVED_ELEMENTS.get()
            {
                let reason = format!("{name} has {} elements; no more than {} are exchanged", names.len(), MOVED_ELEMENTS.get());
                breakers.broken.entry(id).or_insert((reason, given.span));
            }
        }
        breakers
    }

    /// Looks for permutations of the elements that the text names. For each that no permutation moves, the reason becomes the part of the
    /// text that pins it.
    fn symmetric(&mut self, model: &Model, trust: Trust, scope: &Scope) -> NamedElements {
        let described = described(model, trust, scope);
        // Sets without named elements have all permutations anyway.
        let is_read = |set: SetId| !self.broken.contains_key(&set) && self.named.keys().any(|(named, _)| *named == set);
        let sets: Movable = (0..)
            .map(SetId)
            .zip(model.sets.values())
            .filter(|(set, _)| is_read(*set))
            .filter_map(|(set, given)| match &given.kind {
                GivenSetKind::Enumerated(names) => {
                    let indices: Vec<u32> = (0..u32::try_from(names.len()).ok()?).collect();
                    let free = indices.into_iter().filter(|index| !described.contains_key(&(set, *index))).collect::<Vec<_>>();
                    (!free.is_empty()).then_some((set, free))
                }
                GivenSetKind::Deferred => None,
            })
            .collect();
        let found = named::find(model, trust, sets, &|set, index| self.named.contains_key(&(set, index)));
        for (element, span) in described {
            if let Some(reason) = self.named.get_mut(&element) {
                let name = model.element_name(element.0, element.1);
                *reason = (format!("{name} of {} is named in a set that may be kept as its description", model.set_name(element.0)), span);
            }
        }
        for (element, (place, span)) in &found.pinned {
            if let Some(reason) = self.named.get_mut(element) {
                *reason = (named_in(model, element.0, element.1, place), *span);
            }
        }
        found
    }

    /// Records the elements that an expression can distinguish.
    fn meet(&mut self, model: &Model, node: Node<'_>, place: &str) {
        // Predicates and substitutions themselves only combine truth values, sets of states and memberships; two elements can only be
        // distinguished by an expression below them.
        let Node::Expr(expr) = node else { return };
        match &expr.kind {
            // The first place is reported: it suffices to fix the element.
            ExprKind::Element(set, index) => {
                self.named.entry((*set, *index)).or_insert_with(|| (named_in(model, *set, *index, place), expr.span));
            }
            ExprKind::External(function, arguments) => {
                // The result of such a function depends on the order or the names of its arguments' elements, or is an arbitrary one of
                // them: no set is movable whose elements occur in an argument or in the result.
                let Some(name) = not_equivariant(*function) else { return };
                for ty in arguments.iter().map(|argument| &argument.ty).chain([&expr.ty]) {
                    self.break_type(model, ty, name, place, expr.span);
                }
            }
            // Equivariant: whole sets, parts of the state, and operations defined by equality and membership alone. Integers, strings and
            // truth values are fixed, so their order and arithmetic distinguish no elements.
            ExprKind::Integer(_)
            | ExprKind::String(_)
            | ExprKind::Bool(_)
            | ExprKind::GivenSet(_)
            | ExprKind::TypeSet
            | ExprKind::BoolSet
            | ExprKind::StringSet
            | ExprKind::IntegerSet(_)
            | ExprKind::MinInt
            | ExprKind::MaxInt
            | ExprKind::EmptySet
            | ExprKind::Constant(_)
            | ExprKind::Variable(_)
            | ExprKind::OldVariable(_)
            | ExprKind::Local(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::SetExtension(_)
            | ExprKind::SequenceExtension(_)
            | ExprKind::Record(_)
            | ExprKind::Struct(_)
            | ExprKind::Field(..)
            | ExprKind::BoolOf(_)
            | ExprKind::If(..)
            | ExprKind::Let(..)
            | ExprKind::Comprehension { .. }
            | ExprKind::Binder { .. } => {}
        }
    }

    /// Breaks all given sets that occur in a type.
    fn break_type(&mut self, model: &Model, ty: &Type, function: &str, place: &str, span: Span) {
        ty.mentions(&mut |set| {
            self.broken
                .entry(set)
                .or_insert_with(|| (format!("{function} in {place} can tell the elements of {} apart", model.set_name(set)), span));
            false
        });
    }
}

/// The name of an external function that does not commute with permutations of elements.
fn not_equivariant(function: ExternalFunction) -> Option<&'static str> {
    match function {
        ExternalFunction::Choose => Some("CHOOSE"),
        ExternalFunction::ToString => Some("TO_STRING"),
        ExternalFunction::FormatToString => Some("FORMAT_TO_STRING"),
        ExternalFunction::Sort => Some("SORT"),
        // Their arguments and results are strings, integers and sequences of them.
        ExternalFunction::StringAppend
        | ExternalFunction::StringLength
        | ExternalFunction::StringToInt
        | ExternalFunction::IntToString
        | ExternalFunction::StringConc
        | ExternalFunction::StringSplit
        | ExternalFunction::StringJoin
        | ExternalFunction::StringChars
        | ExternalFunction::StringCodes
        | ExternalFunction::CodesToString
        | ExternalFunction::StringToUpper
        | ExternalFunction::StringToLower
        | ExternalFunction::StringReverse
        | ExternalFunction::SubString
        | ExternalFunction::StringReplace
        | ExternalFunction::StringContains
        | ExternalFunction::StringEqualIgnoringCase
        | ExternalFunction::StringIsInt
        | ExternalFunction::StringIsAlphanumeric
        | ExternalFunction::StringPadLeft
        | ExternalFunction::IntToHexString
        | ExternalFunction::Abs
        | ExternalFunction::Sign
        | ExternalFunction::Gcd
        | ExternalFunction::MostSignificantBit
        | ExternalFunction::BitAnd
        | ExternalFunction::BitOr
        | ExternalFunction::BitXor
        | ExternalFunction::BitNot
        | ExternalFunction::ShiftLeft
        | ExternalFunction::ShiftRight
        // They wrap and unwrap values, or are defined by equality alone.
        | ExternalFunction::Construct
        | ExternalFunction::Argument
        | ExternalFunction::IsMade
        | ExternalFunction::Squash
        | ExternalFunction::Mu
        | ExternalFunction::Force
        | ExternalFunction::Components => None,
    }
}

fn named_in(model: &Model, set: SetId, index: u32, place: &str) -> String {
    format!("{} of {} is named in {place}", model.element_name(set, index), model.set_name(set))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcheck_ir::{Comparison, Declaration, Expr, GivenSet, Operation, Pred, PredKind, Settings, Subst, SubstKind};

    /// A machine with the deferred set `Name` and the enumerated set `PERSONS`, and an operation with the given guard.
    fn machine(guard: Option<Pred>) -> Model {
        let given = |kind| GivenSet { kind, element_prefix: "Name".to_owned(), span: Span::nowhere() };
        let names = ["ann", "ben", "cid"].map(str::to_owned).to_vec();
        let skip = Subst { kind: SubstKind::Skip, span: Span::nowhere() };
        let mut operations = IndexMap::new();
        if let Some(pred) = guard {
            let body = SubstKind::Pre { pred, body: Box::new(skip.clone()), is_guard: true };
            let body = Subst { kind: body, span: Span::nowhere() };
            operations.insert("visit".to_owned(), Operation { parameters: vec![], results: vec![], body, span: Span::nowhere() });
        }
        Model {
            name: "m".to_owned(),
            sets: IndexMap::from([
                ("Name".to_owned(), given(GivenSetKind::Deferred)),
                ("PERSONS".to_owned(), given(GivenSetKind::Enumerated(names))),
            ]),
            free_types: IndexMap::new(),
            constants: IndexMap::new(),
            variables: IndexMap::from([("x".to_owned(), Declaration { ty: Type::Given(SetId(1)), span: Span::nowhere() })]),
            properties: vec![],
            has_properties: false,
            invariant: vec![],
            assertions: vec![],
            initialisation: skip,
            operations,
            goal: None,
            expanded: None,
            temporal: vec![],
            settings: Settings::default(),
            within: vec![],
            callable: None,
            not_checked: vec![],
            only_seen: false,
            locals: vec![],
            comprehensions: Default::default(),
        }
    }

    fn scope() -> Scope {
        Scope { sizes: vec![4, 3], minint: -1, maxint: 3 }
    }

    fn expr(kind: ExprKind, ty: Type) -> Expr {
        Expr { kind, ty, span: Span::nowhere() }
    }

    fn equal(left: Expr, right: Expr) -> Pred {
        Pred { kind: PredKind::Compare(Comparison::Equal, Box::new(left), Box::new(right)), span: Span::nowhere() }
    }

    fn variable() -> Expr {
        expr(ExprKind::Variable(bcheck_ir::VariableId(0)), Type::Given(SetId(1)))
    }

    #[test]
    fn enumerations_too_large_to_be_exchanged_stay() {
        let mut model = machine(None);
        let names = (0..=MOVED_ELEMENTS.get()).map(|number| format!("e{number}")).collect();
        model.sets.insert("LARGE".to_owned(), GivenSet { kind: GivenSetKind::Enumerated(names), ..model.sets[0].clone() });
        let Analysis { movable, detail, .. } = analyse(&model, &Scope { sizes: vec![4, 3, 10_001], ..scope() }, Some(Trust::Invariant));
        assert_eq!(movable, [(SetId(0), vec![0, 1, 2, 3]), (SetId(1), vec![0, 1, 2])]);
        assert_eq!(detail.why, ["LARGE has 10001 elements; no more than 10000 are exchanged"]);
    }

    #[test]
    fn elements_that_no_formula_names_are_movable() {
        let Analysis { movable, detail, .. } = analyse(&machine(None), &scope(), Some(Trust::Invariant));
        assert_eq!(movable, [(SetId(0), vec![0, 1, 2, 3]), (SetId(1), vec![0, 1, 2])]);
        assert_eq!(detail.movable.iter().collect::<Vec<_>>(), [(&"Name".to_owned(), &4), (&"PERSONS".to_owned(), &3)]);
        assert!(detail.fixed.is_empty() && detail.why.is_empty());
    }

    #[test]
    fn a_named_element_is_fixed_and_the_place_is_told() {
        let named = expr(ExprKind::Element(SetId(1), 1), Type::Given(SetId(1)));
        let Analysis { movable, detail, .. } = analyse(&machine(Some(equal(variable(), named))), &scope(), Some(Trust::Invariant));
        assert_eq!(movable[1], (SetId(1), vec![0, 2]));
        assert_eq!(detail.fixed["PERSONS"], ["ben"]);
        assert_eq!(detail.why, ["ben of PERSONS is named in operation visit"]);
    }

    #[test]
    fn an_element_named_by_the_goal_alone_is_fixed() {
        let mut model = machine(None);
        let named = expr(ExprKind::Element(SetId(1), 2), Type::Given(SetId(1)));
        model.goal = Some(equal(variable(), named));
        let Analysis { movable, detail, .. } = analyse(&model, &scope(), Some(Trust::Invariant));
        assert_eq!(movable[1].1, [0, 1]);
        assert_eq!(detail.why, ["cid of PERSONS is named in the goal"]);
    }

    #[test]
    fn choosing_from_a_set_breaks_all_of_it_and_nothing_else() {
        let whole = expr(ExprKind::GivenSet(SetId(0)), Type::set(Type::Given(SetId(0))));
        let chosen = || expr(ExprKind::External(ExternalFunction::Choose, vec![whole.clone()]), Type::Given(SetId(0)));
        let Analysis { movable, detail, .. } = analyse(&machine(Some(equal(chosen(), chosen()))), &scope(), Some(Trust::Invariant));
        assert_eq!(movable, [(SetId(1), vec![0, 1, 2])]);
        assert_eq!(detail.fixed["Name"], ["Name1", "Name2", "Name3", "Name4"]);
        assert_eq!(detail.why, ["CHOOSE in operation visit can tell the elements of Name apart"]);
    }

    #[test]
    fn a_formula_beside_the_machine_is_told_what_it_tells_apart() {
        let model = machine(None);
        let symmetry = Symmetry::new(&model, &scope(), crate::Mode::Exact);
        let reason = |expr: &Expr| symmetry.told_apart(&model, Node::Expr(expr), "--project");
        let whole = expr(ExprKind::GivenSet(SetId(0)), Type::set(Type::Given(SetId(0))));
        assert_eq!(reason(&whole), None);
        let chosen = expr(ExprKind::External(ExternalFunction::Choose, vec![whole]), Type::Given(SetId(0)));
        assert_eq!(reason(&chosen), Some("CHOOSE in --project can tell the elements of Name apart".to_owned()));
        let named = expr(ExprKind::Element(SetId(1), 1), Type::Given(SetId(1)));
        assert_eq!(reason(&named), Some("ben of PERSONS is named in --project".to_owned()));
        let off = Symmetry::new(&model, &scope(), crate::Mode::Off);
        assert_eq!(off.told_apart(&model, Node::Expr(&chosen), "--project"), None);
    }

    #[test]
    fn text_of_integers_breaks_nothing() {
        let one = expr(ExprKind::Integer(1.into()), Type::Integer);
        let text = || expr(ExprKind::External(ExternalFunction::ToString, vec![one.clone()]), Type::String);
        let Analysis { movable, .. } = analyse(&machine(Some(equal(text(), text()))), &scope(), Some(Trust::Invariant));
        assert_eq!(movable.len(), 2);
    }
}
