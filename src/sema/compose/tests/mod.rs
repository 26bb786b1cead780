//! Projects of machines given as texts.

mod clashes;
mod refinements;

use super::{Files, LoadError};
use crate::analyse_with;
use bcheck_ir::{Expr, ExprKind, GivenSetKind, Model, Node, Pred, PredKind, SetId, SizeHint, SubstKind, Type, walk_pred, walk_subst};
use bcheck_source::{Code, Diagnostic, FileId, SourceMap, has_errors};
use bcheck_syntax::ast::{Definition, Machine, Parsed};
use bcheck_syntax::{parse_definitions_file, parse_machine};

/// Files by name; machines end in `.mch`. As on disk, one in the folder of the text that names it is taken before others.
struct Texts {
    texts: Vec<(&'static str, &'static str)>,
    sources: SourceMap,
    read: Vec<(String, FileId)>,
}

impl Texts {
    fn file(&mut self, name: &str) -> Result<(FileId, &'static str), LoadError> {
        let (_, text) =
            *self.texts.iter().find(|(known, _)| *known == name).ok_or_else(|| LoadError::NotFound(vec!["memory".to_owned()]))?;
        if let Some((_, file)) = self.read.iter().find(|(known, _)| known == name) {
            return Ok((*file, text));
        }
        let file = self.sources.add(name, text);
        self.read.push((name.to_owned(), file));
        Ok((file, text))
    }
}

impl Files for Texts {
    fn machine(&mut self, from: FileId, name: &str, path: Option<&str>) -> Result<Parsed<Option<Machine>>, LoadError> {
        let name = path.map_or_else(|| format!("{name}.mch"), str::to_owned);
        let near = self.sources.file(from).name.rsplit_once('/').map(|(folder, _)| format!("{folder}/{name}"));
        let near = near.filter(|near| self.texts.iter().any(|(known, _)| known == near));
        let (file, text) = self.file(&near.unwrap_or(name))?;
        Ok(parse_machine(file, text))
    }

    fn definitions(&mut self, _: FileId, path: &str) -> Result<Parsed<Vec<Definition>>, LoadError> {
        let (file, text) = self.file(path)?;
        Ok(parse_definitions_file(file, text))
    }
}

/// Analyses the first text with the others as its files.
fn load(texts: &[(&'static str, &'static str)]) -> (Option<Model>, Vec<Diagnostic>, SourceMap) {
    let mut files = Texts { texts: texts.to_vec(), sources: SourceMap::new(), read: Vec::new() };
    let (main, text) = files.file(texts[0].0).expect("the first text");
    let parsed = parse_machine(main, text);
    assert!(!has_errors(&parsed.diagnostics), "{:?}", parsed.diagnostics);
    let analysis = analyse_with(&parsed.tree.expect("a machine"), &mut files);
    (analysis.model, analysis.diagnostics, files.sources)
}

fn model(texts: &[(&'static str, &'static str)]) -> Model {
    let (model, diagnostics, _) = load(texts);
    model.unwrap_or_else(|| panic!("{diagnostics:?}"))
}

/// The codes of the errors with the texts that they point at.
fn errors(texts: &[(&'static str, &'static str)]) -> Vec<(Code, String)> {
    let (model, diagnostics, sources) = load(texts);
    assert!(model.is_none(), "there is a model");
    let errors = diagnostics.iter().filter(|diagnostic| has_errors(std::slice::from_ref(diagnostic)));
    errors.map(|diagnostic| (diagnostic.code, sources.text(diagnostic.span()).to_owned())).collect()
}

fn variables(model: &Model) -> Vec<&str> {
    model.variables.keys().map(String::as_str).collect()
}

fn operations(model: &Model) -> Vec<&str> {
    model.operations.keys().map(String::as_str).collect()
}

const COUNTER: (&str, &str) = (
    "Counter.mch",
    "MACHINE Counter VARIABLES n INVARIANT n : NATURAL INITIALISATION n := 0
     OPERATIONS up = n := n + 1; down = PRE n > 0 THEN n := n - 1 END; r <-- get = r := n END",
);

#[test]
fn a_renamed_machine_brings_its_variables_with_the_prefix() {
    let main = (
        "m.mch",
        "MACHINE m INCLUDES a.Counter, b.Counter PROMOTES b.up VARIABLES s INVARIANT a.n <= b.n & s = a.n + b.n
         INITIALISATION s := a.n OPERATIONS both = BEGIN a.up || b.up || s := s + 2 END; r <-- ask = r <-- a.get END",
    );
    let model = model(&[main, COUNTER]);
    assert_eq!(variables(&model), ["a.n", "b.n", "s"]);
    assert_eq!(operations(&model), ["both", "ask", "b.up"]);
    // Included machines are initialised first.
    assert!(matches!(&model.initialisation.kind, SubstKind::Sequence(parts) if parts.len() == 3));
    assert_eq!(model.invariant.len(), 4);
}

#[test]
fn prefixes_add_up_and_extended_machines_offer_everything() {
    let pair = ("Pair.mch", "MACHINE Pair EXTENDS l.Counter, r.Counter END");
    let main = ("m.mch", "MACHINE m INCLUDES p.Pair PROMOTES p.l.up INVARIANT p.l.n >= p.r.n END");
    let both = model(&[main, pair, COUNTER]);
    assert_eq!(variables(&both), ["p.l.n", "p.r.n"]);
    assert_eq!(operations(&both), ["p.l.up"]);
    let alone = model(&[pair, COUNTER]);
    assert_eq!(operations(&alone), ["l.up", "l.down", "l.get", "r.up", "r.down", "r.get"]);
}

#[test]
fn a_machine_seen_from_several_places_exists_once_and_its_operations_are_steps() {
    let other = ("Other.mch", "MACHINE Other SEES Counter OPERATIONS k <-- look = k <-- get END");
    let main = ("m.mch", "MACHINE m SEES Counter INCLUDES Other OPERATIONS k <-- twice = k := 2 * n END");
    let model = model(&[main, other, COUNTER]);
    assert_eq!(variables(&model), ["n"]);
    assert_eq!(operations(&model), ["twice", "up", "down", "get"]);
}

#[test]
fn a_seen_machine_that_is_included_elsewhere_is_that_one_and_keeps_its_operations_inside() {
    let other = ("Other.mch", "MACHINE Other SEES Counter OPERATIONS k <-- look = k := n END");
    let main = ("m.mch", "MACHINE m INCLUDES Other, Counter PROMOTES look OPERATIONS step = up END");
    let model = model(&[main, other, COUNTER]);
    assert_eq!(variables(&model), ["n"]);
    assert_eq!(operations(&model), ["step", "look"]);
}

#[test]
fn sets_and_constants_of_a_renamed_machine_are_not_renamed() {
    let part =
        ("Part.mch", "MACHINE Part SETS S = {one, two} CONSTANTS k PROPERTIES k : S VARIABLES v INVARIANT v : S INITIALISATION v := k END");
    let main = ("m.mch", "MACHINE m INCLUDES a.Part, b.Part INVARIANT a.v = b.v & a.v /= two & k = one END");
    let model = model(&[main, part]);
    assert_eq!(model.sets.keys().collect::<Vec<_>>(), ["S"]);
    assert_eq!(model.constants.keys().collect::<Vec<_>>(), ["k"]);
    assert_eq!(model.properties.len(), 1);
}

#[test]
fn parameters_stand_for_their_arguments_in_the_scope_of_the_includer() {
    let bag = (
        "Bag.mch",
        "MACHINE Bag(ITEM, room) CONSTRAINTS room : 1..9 VARIABLES bag INVARIANT bag <: ITEM INITIALISATION bag := {}
         OPERATIONS put(i) = PRE i : ITEM & card(bag) < room THEN bag := bag \\/ {i} END END",
    );
    let main = (
        "m.mch",
        "MACHINE m INCLUDES a.Bag(COLOUR, limit + 1), b.Bag(1..3, 2) DEFINITIONS limit == 2 SETS COLOUR = {red, green}
         OPERATIONS go = BEGIN a.put(red) || b.put(3) END END",
    );
    let model = model(&[main, bag]);
    assert_eq!(model.sets.len(), 1);
    assert!(model.constants.is_empty());
    let element = |name: &str| model.variables[name].ty.element().cloned();
    assert_eq!(element("a.bag"), Some(Type::Given(bcheck_ir::SetId(0))));
    assert_eq!(element("b.bag"), Some(Type::Integer));
    // CONSTRAINTS hold for each instance.
    assert_eq!(model.properties.len(), 2);
}

#[test]
fn parameters_with_arguments_imply_no_sizes_for_names_of_other_machines() {
    let main = ("Main.mch", "MACHINE Main INCLUDES Part(3, T) SETS S; T; PART CONSTANTS n PROPERTIES n = 5 & card(S) = n END");
    let part = ("Part.mch", "MACHINE Part(n, PART) CONSTRAINTS n = 3 & card(PART) = 4 SETS U PROPERTIES card(U) = 7 END");
    let model = model(&[main, part]);
    let size = |name: &str| {
        let id = SetId(u16::try_from(model.sets.get_index_of(name).expect("a set")).expect("few sets"));
        model.settings.hints.get(&id).copied()
    };
    assert_eq!([size("S"), size("PART"), size("U")], [Some(SizeHint::Exactly(5)), None, Some(SizeHint::Exactly(7))]);
}

#[test]
fn definition_files_are_read_once_and_include_others() {
    let main = ("m.mch", "MACHINE m DEFINITIONS \"a.def\"; \"b.def\"; twice(x) == x + x CONSTANTS k PROPERTIES k = four END");
    let a = ("a.def", "DEFINITIONS \"b.def\"; four == twice(two)");
    let b = ("b.def", "DEFINITIONS two == 2; SET_PREF_MAXINT == 7");
    let model = model(&[main, a, b]);
    assert_eq!(model.settings.maxint, Some(7));
    assert_eq!(model.properties.len(), 1);
}

#[test]
fn a_library_that_is_on_disk_is_read_like_any_other_file() {
    let main = ("M.mch", "MACHINE M DEFINITIONS \"LibraryMath.def\" CONSTANTS c PROPERTIES c = twice(2) END");
    let (model, diagnostics, _) = load(&[main, ("LibraryMath.def", "DEFINITIONS twice(x) == 2 * x")]);
    assert!(model.is_some() && diagnostics.is_empty(), "{diagnostics:?}");
    let (_, diagnostics, _) = load(&[main]);
    assert_eq!(diagnostics[0].code, Code::SettingIgnored, "{diagnostics:?}");
}

#[test]
fn a_definition_means_what_its_names_mean_where_it_is_used() {
    let main = ("m.mch", "MACHINE m SEES s DEFINITIONS \"a.def\" CONSTANTS x PROPERTIES x = {TRUE} & check END");
    let seen = ("s.mch", "MACHINE s DEFINITIONS \"a.def\"; x == {1} PROPERTIES check END");
    let file = ("a.def", "DEFINITIONS check == (x /= {})");
    assert_eq!(model(&[main, seen, file]).properties.len(), 3);
}

#[test]
fn missing_and_circular_machines_are_reported_where_they_are_named() {
    assert_eq!(errors(&[("m.mch", "MACHINE m SEES none END")]), [(Code::UnknownMachine, "none".to_owned())]);
    assert_eq!(errors(&[("m.mch", "MACHINE m DEFINITIONS \"none.def\" END")]), [(Code::UnknownMachine, "\"none.def\"".to_owned())]);
    let circle = errors(&[("m.mch", "MACHINE m INCLUDES k END"), ("k.mch", "MACHINE k USES m END")]);
    assert_eq!(circle, [(Code::MachineCycle, "m".to_owned())]);
    let itself = errors(&[("m.mch", "MACHINE m SEES m END")]);
    assert_eq!(itself, [(Code::MachineCycle, "m".to_owned())]);
}

#[test]
fn a_pragma_names_the_file_of_a_machine() {
    let seen = ("sub/s.txt", "MACHINE s CONSTANTS x PROPERTIES x = 1 END");
    for clause in ["SEES s", "INCLUDES s", "USES s", "EXTENDS s"] {
        let main: &'static str = format!("MACHINE m {clause} /*@file \"sub/s.txt\" */ PROPERTIES x > 0 END").leak();
        assert_eq!(model(&[("m.mch", main), seen]).properties.len(), 2, "{clause}");
    }
}

#[test]
fn a_file_that_is_missing_or_another_one_is_reported_at_the_pragma() {
    let pragma = "/*@file \"none.mch\" */";
    assert_eq!(
        errors(&[("m.mch", "MACHINE m SEES s /*@file \"none.mch\" */ END"), ("s.mch", "MACHINE s END")]),
        [(Code::UnknownMachine, pragma.to_owned())]
    );
    let other = ("t.mch", "MACHINE t SEES s /*@file \"b/s.mch\" */ END");
    let two =
        [("m.mch", "MACHINE m SEES s /*@file \"a/s.mch\" */, t END"), other, ("a/s.mch", "MACHINE s END"), ("b/s.mch", "MACHINE s END")];
    assert_eq!(errors(&two), [(Code::WrongMachine, "/*@file \"b/s.mch\" */".to_owned())]);
    let one = [("m.mch", "MACHINE m SEES s /*@file \"b/s.mch\" */, t END"), other, ("b/s.mch", "MACHINE s END")];
    assert!(load(&one).0.is_some());
    let misnamed = [("m.mch", "MACHINE m SEES s /*@file \"x.mch\" */ END"), ("x.mch", "MACHINE x END")];
    assert_eq!(errors(&misnamed), [(Code::WrongMachine, "s".to_owned())]);
}

#[test]
fn mistakes_in_another_file_are_reported_there_with_the_clause_that_reads_it() {
    let (model, diagnostics, sources) = load(&[("m.mch", "MACHINE m SEES k END"), ("k.mch", "MACHINE k VARIABLES END")]);
    assert!(model.is_none());
    let first = &diagnostics[0];
    assert_eq!(sources.file(first.span().file).name, "k.mch");
    let clause = first.labels.last().expect("the clause");
    assert_eq!(sources.text(clause.span), "k");
    assert_eq!(sources.file(clause.span.file).name, "m.mch");
}

#[test]
fn a_wrong_machine_in_the_file_is_reported() {
    let other = errors(&[("m.mch", "MACHINE m SEES k END"), ("k.mch", "MACHINE other END")]);
    assert_eq!(other, [(Code::WrongMachine, "k".to_owned())]);
    let refinement = errors(&[("m.mch", "MACHINE m INCLUDES r END"), ("r.mch", "REFINEMENT r REFINES a END"), ("a.mch", "MACHINE a END")]);
    assert_eq!(refinement, [(Code::WrongMachine, "r".to_owned())]);
}

#[test]
fn promotions_and_parameters_must_fit() {
    let promotion = errors(&[("m.mch", "MACHINE m INCLUDES a.Counter PROMOTES a.up, up END"), COUNTER]);
    assert_eq!(promotion, [(Code::UnknownOperation, "up".to_owned())]);
    let count = errors(&[("m.mch", "MACHINE m INCLUDES Counter(1) END"), COUNTER]);
    assert_eq!(count, [(Code::WrongArgumentCount, "Counter".to_owned())]);
    let twice = errors(&[("m.mch", "MACHINE m EXTENDS Counter OPERATIONS up = skip END"), COUNTER]);
    assert_eq!(twice, [(Code::DuplicateName, "up".to_owned())]);
    let same = errors(&[("m.mch", "MACHINE m INCLUDES Counter VARIABLES n INVARIANT n = 1 INITIALISATION n := 1 END"), COUNTER]);
    assert!(same.contains(&(Code::DuplicateName, "n".to_owned())), "{same:?}");
}

#[test]
fn a_machine_assigns_only_its_own_variables() {
    let included = errors(&[("m.mch", "MACHINE m INCLUDES Counter OPERATIONS reset = n := 0 END"), COUNTER]);
    assert_eq!(included, [(Code::NotAssignable, "n".to_owned())]);
    let seen = errors(&[("m.mch", "MACHINE m SEES Counter OPERATIONS push = up END"), COUNTER]);
    assert_eq!(seen, [(Code::NotAssignable, "up".to_owned())]);
}

#[test]
fn a_machine_does_not_see_who_includes_it() {
    let part = ("Part.mch", "MACHINE Part OPERATIONS r <-- get = r := own END");
    let main = ("m.mch", "MACHINE m INCLUDES Part CONSTANTS own PROPERTIES own = 1 END");
    assert_eq!(errors(&[main, part]), [(Code::UnknownName, "own".to_owned())]);
}

#[test]
fn the_precondition_of_a_called_operation_is_no_guard() {
    let model = model(&[("m.mch", "MACHINE m INCLUDES Counter OPERATIONS try = PRE n < 9 THEN down END END"), COUNTER]);
    let mut flags = Vec::new();
    let mut body = &model.operations["try"].body;
    while let SubstKind::Pre { body: inner, is_guard, .. } = &body.kind {
        flags.push(*is_guard);
        body = inner;
    }
    assert_eq!(flags.first(), Some(&true));
    assert_eq!(flags.last(), Some(&false));
}

#[test]
fn local_operations_can_be_called_but_are_not_steps() {
    let model = model(&[(
        "m.mch",
        "MACHINE m VARIABLES v INVARIANT v : BOOL INITIALISATION v := TRUE LOCAL_OPERATIONS flip = v := bool(v = FALSE)
         OPERATIONS twice = BEGIN flip ; flip END END",
    )]);
    assert_eq!(operations(&model), ["twice"]);
}

#[test]
fn a_local_operation_has_the_types_of_its_specification() {
    let abstraction = ("a.mch", "MACHINE a OPERATIONS go = skip END");
    let main = (
        "i.mch",
        "IMPLEMENTATION i REFINES a CONCRETE_VARIABLES z INVARIANT z : 0..9 INITIALISATION z := 0
         LOCAL_OPERATIONS set(p) = PRE p : 0..9 THEN z := p END; r <-- same(p) = PRE p : BOOL THEN r := p END
         OPERATIONS go = VAR q IN q <-- same(TRUE); IF q = TRUE THEN set(1) END END; set(p) = z := p; r <-- same(p) = r := p END",
    );
    assert_eq!(operations(&model(&[main, abstraction])), ["go"]);
    let twice = ("b.mch", "MACHINE b LOCAL_OPERATIONS one = skip; one = skip OPERATIONS one = skip; two = one END");
    assert_eq!(errors(&[twice]), [(Code::DuplicateName, "one".to_owned())]);
    let wrong = ("c.mch", "MACHINE c LOCAL_OPERATIONS r <-- one = r := TRUE OPERATIONS r <-- one = r := 1 END");
    assert_eq!(errors(&[wrong]), [(Code::TypeClash, "TRUE".to_owned())]);
}

#[test]
fn names_without_a_type_are_let_pass_also_in_operations_that_are_no_steps() {
    let included = (
        "n.mch",
        "MACHINE n VARIABLES v INVARIANT v : NAT INITIALISATION v := 0
         OPERATIONS foo(p) = v := 1; r <-- bar = v := 2; r <-- nothing = r := {} END",
    );
    let main = ("m.mch", "MACHINE m INCLUDES n OPERATIONS op = foo(3); empty = foo({}); r <-- again = r <-- bar END");
    let (found, diagnostics, _) = load(&[main, included]);
    assert!(found.is_some(), "{diagnostics:?}");
    assert!(diagnostics.iter().all(|warning| warning.code == Code::CannotType));
    assert_eq!(diagnostics.len(), 4, "each name once: p, r of bar, of nothing and of again");
    let used = ("u.mch", "MACHINE u LOCAL_OPERATIONS foo(p) = PRE p = p THEN skip END OPERATIONS op = foo(3) END");
    assert_eq!(errors(&[used]), [(Code::CannotType, "p".to_owned())]);
}

const ABSTRACT: (&str, &str) = (
    "a.mch",
    "MACHINE a SETS S CONSTANTS k PROPERTIES k : 1..2 ABSTRACT_VARIABLES kept, gone CONCRETE_VARIABLES flag
     INVARIANT kept <: S & gone : POW(S) & flag : BOOL INITIALISATION kept := {} || gone := {} || flag := TRUE
     OPERATIONS add(s) = PRE s : S - kept & s /: gone THEN kept := kept \\/ {s} END END",
);

#[test]
fn a_refinement_by_itself_has_its_own_state_and_the_states_that_the_abstract_one_may_be_in() {
    let main = (
        "r.mch",
        "REFINEMENT r REFINES a VARIABLES kept, list INVARIANT list : seq(S) & ran(list) = gone & size(list) <= k
         INITIALISATION kept := {} || list := [] || flag := FALSE OPERATIONS add(t) = kept := kept \\/ {t} END",
    );
    let (model, diagnostics, _) = load(&[main, ABSTRACT]);
    let model = model.unwrap_or_else(|| panic!("{diagnostics:?}"));
    assert_eq!(variables(&model), ["kept", "list", "flag", "a::states"]);
    assert_eq!(model.invariant.len(), 3, "one conjunct is about all gluing");
    assert!(diagnostics.iter().all(|note| note.code != Code::LeftToRefine), "{diagnostics:?}");
    // The parameter is typed and guarded by the abstract precondition, in each of these states.
    let operation = &model.operations["add"];
    assert_eq!(operation.parameters[0].0, "t");
    let SubstKind::Pre { pred, is_guard: true, .. } = &operation.body.kind else { panic!("no inherited guard") };
    let PredKind::And(parts) = &pred.kind else { panic!("not a conjunction") };
    assert_eq!(parts.len(), 1);
    let state = u32::try_from(model.variables.len()).expect("four variables");
    let mut check = |node: Node<'_>| {
        if let Node::Expr(Expr { kind: ExprKind::Variable(id), .. }) = node {
            assert!(id.0 < state, "a variable outside the state");
        }
    };
    model.operations.values().for_each(|operation| walk_subst(&operation.body, &mut check));
    model.invariant.iter().for_each(|conjunct| walk_pred(&conjunct.pred, &mut check));
}

#[test]
fn an_abstract_variable_cannot_be_used_in_an_operation_of_the_refinement() {
    let main = (
        "r.mch",
        "REFINEMENT r REFINES a VARIABLES v INVARIANT v = gone INITIALISATION v := {} || flag := TRUE OPERATIONS add(s) = v := gone END",
    );
    let found = errors(&[main, ABSTRACT]);
    assert_eq!(found, [(Code::UnknownName, "gone".to_owned())]);
}

#[test]
fn values_of_an_implementation_fix_constants_and_replace_deferred_sets() {
    let abstraction =
        ("a.mch", "MACHINE a SETS S CONSTANTS k, e PROPERTIES k : NAT & e : S OPERATIONS r <-- pick(s) = PRE s : S THEN r := s END END");
    let main = ("i.mch", "IMPLEMENTATION i REFINES a VALUES S = 0..4; k = 3; e = 2 OPERATIONS r <-- pick(s) = r := s END");
    let model = model(&[main, abstraction]);
    assert!(model.sets.is_empty(), "{:?}", model.sets);
    assert_eq!(model.constants["e"].ty, Type::Integer);
    assert_eq!(model.operations["pick"].parameters[0].2, Type::Integer);
    let is_equation = |pred: &Pred| matches!(&pred.kind, PredKind::Compare(bcheck_ir::Comparison::Equal, left, _) if matches!(left.kind, ExprKind::Constant(_)));
    assert_eq!(model.properties.iter().filter(|conjunct| is_equation(&conjunct.pred)).count(), 2);
}

#[test]
fn imported_sets_and_constants_give_those_of_the_same_name_their_values() {
    let abstraction = (
        "a.mch",
        "MACHINE a SETS S; T CONSTANTS c PROPERTIES c : S VARIABLES x INVARIANT x : S INITIALISATION x := c
         OPERATIONS set(y) = PRE y : S THEN x := y END END",
    );
    let imported = (
        "b.mch",
        "MACHINE b SETS S; T = {t1, t2} CONSTANTS c PROPERTIES c : S CONCRETE_VARIABLES x INVARIANT x : S INITIALISATION x := c
         OPERATIONS put(y) = PRE y : S THEN x := y END END",
    );
    let main = ("i.mch", "IMPLEMENTATION i REFINES a IMPORTS b INVARIANT t1 : T OPERATIONS set(y) = put(y) END");
    let whole = model(&[main, abstraction, imported]);
    assert_eq!(whole.sets.keys().collect::<Vec<_>>(), ["S", "T"]);
    assert_eq!(whole.sets["S"].kind, GivenSetKind::Deferred);
    assert_eq!(whole.sets["T"].kind, GivenSetKind::Enumerated(vec!["t1".to_owned(), "t2".to_owned()]));
    assert_eq!((whole.constants.len(), variables(&whole)), (1, vec!["x", "a::states"]));
    // In this order the imported machine is declared first.
    let other = ("i.mch", "IMPLEMENTATION i IMPORTS b REFINES a INVARIANT t1 : T OPERATIONS set(y) = put(y) END");
    let same = model(&[other, abstraction, imported]);
    assert!(["S", "T"].iter().all(|set| same.sets[*set].kind == whole.sets[*set].kind) && same.sets.len() == 2);
    // Elements that the refined machine lists are its own, and only an implementation gives values.
    let listed = ("a.mch", "MACHINE a SETS T = {t1, t3} OPERATIONS set(y) = PRE y : T THEN skip END END");
    let copy = ("i.mch", "IMPLEMENTATION i REFINES a IMPORTS b OPERATIONS set(y) = skip END");
    assert_eq!(errors(&[copy, listed, imported])[0], (Code::DuplicateName, "T".to_owned()));
    // With the same elements, in any order, it is one set.
    let same = ("a.mch", "MACHINE a SETS T = {t2, t1} OPERATIONS set(y) = PRE y : T THEN skip END END");
    assert_eq!(model(&[copy, same, imported]).sets["T"].kind, GivenSetKind::Enumerated(vec!["t2".to_owned(), "t1".to_owned()]));
    let refinement = ("i.mch", "REFINEMENT i REFINES a INCLUDES b OPERATIONS set(y) = put(y) END");
    // What the refined machine sees is not its own.
    let seen = ("s.mch", "MACHINE s SETS S END");
    let seeing = ("a.mch", "MACHINE a SEES s OPERATIONS set(y) = PRE y : S THEN skip END END");
    assert_eq!(errors(&[copy, seeing, seen, imported])[0], (Code::DuplicateName, "S".to_owned()));
    assert_eq!(errors(&[refinement, abstraction, imported])[0], (Code::DuplicateName, "S".to_owned()));
}

#[test]
fn an_imported_variable_of_the_same_name_is_the_abstract_one() {
    let abstraction =
        ("a.mch", "MACHINE a VARIABLES n INVARIANT n : NAT INITIALISATION n := 0 OPERATIONS inc = PRE n < 3 THEN n := n + 1 END END");
    let main = ("i.mch", "IMPLEMENTATION i REFINES a IMPORTS Counter INVARIANT n < 9 OPERATIONS inc = up END");
    let model = model(&[main, abstraction, COUNTER]);
    assert_eq!(variables(&model), ["n", "a::states"]);
    assert_eq!(model.invariant.len(), 3, "one of them glues both");
    assert!(matches!(model.operations["inc"].body.kind, SubstKind::Pre { is_guard: true, .. }));
}

#[test]
fn parameters_of_a_refinement_are_those_of_the_machine_it_refines() {
    let abstraction = ("a.mch", "MACHINE a(ITEM, n) CONSTRAINTS n : 1..2 OPERATIONS r <-- ask = r := n END");
    let main = ("r.mch", "REFINEMENT r(ITEM, n) REFINES a OPERATIONS r <-- ask = r := n END");
    let model = model(&[main, abstraction]);
    assert_eq!(model.sets["ITEM"].kind, GivenSetKind::Deferred);
    assert_eq!(model.constants.len(), 1);
}

#[test]
fn values_and_parameters_that_double_at_each_step_are_refused() {
    // A leaked text lives as long as those that are written in a test.
    let leaked = |text: String| -> &'static str { text.leak() };
    let sets: Vec<String> = (0..40).map(|n| format!("S{n}")).collect();
    let abstraction = ("v.mch", leaked(format!("MACHINE v SETS {} CONSTANTS c PROPERTIES c : S39 END", sets.join("; "))));
    let values: String = (1..40).map(|n| format!("; S{n} = S{} \\/ S{}", n - 1, n - 1)).collect();
    let main = ("i.imp", leaked(format!("IMPLEMENTATION i REFINES v VALUES c = 1; S0 = 1..2{values} END")));
    let assert_refused = |texts: &[(&'static str, &'static str)]| {
        let (model, diagnostics, _) = load(texts);
        let titles: Vec<(Code, &str)> = diagnostics.iter().map(|found| (found.code, found.title.as_str())).collect();
        let title = "the values of parameters and of sets in VALUES expand to more text than bcheck handles";
        assert_eq!(titles, [(Code::NotSupportedEver, title)]);
        assert!(model.is_none());
    };
    assert_refused(&[main, abstraction]);
    let mut machines = vec![("m0.mch", "MACHINE m0 INCLUDES m1(1) END")];
    machines.extend((1..40).map(|n| {
        let includes = format!("MACHINE m{n}(p) CONSTRAINTS p : INTEGER INCLUDES m{}(p + p) END", n + 1);
        (leaked(format!("m{n}.mch")), leaked(includes))
    }));
    machines.push(("m40.mch", "MACHINE m40(p) CONSTRAINTS p : INTEGER END"));
    assert_refused(&machines);
    // Each value has its own types, also where one text gives several of them.
    let (both, bags) = (("b.mch", "MACHINE b INCLUDES c({}) END"), ("c.mch", "MACHINE c(p) CONSTRAINTS p <: INTEGER & p <: BOOL END"));
    assert_eq!(model(&[both, bags]).properties.len(), 2);
}
