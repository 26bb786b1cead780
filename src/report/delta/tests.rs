//! Deltas of random values of random types.
//!
//! Invariant: seeds are fixed, so a failure is seen again.

use super::*;
use crate::changes::Changes;
use crate::notation::written;
use bcheck_ir::{Model, SetId};
use bcheck_source::{FileId, Span, SplitMix64};

/// A type as values are drawn from it, with the notation that a machine would give it.
#[derive(Clone, Debug)]
enum Shape {
    Bool,
    Integer,
    Element,
    Text,
    Pair(Box<Shape>, Box<Shape>),
    Set(Box<Shape>),
    Function(Box<Shape>, Box<Shape>),
    Relation(Box<Shape>, Box<Shape>),
    Sequence(Box<Shape>),
    Record(Box<Shape>, Box<Shape>),
}

fn shape(random: &mut SplitMix64, depth: usize) -> Shape {
    let kinds = if depth == 0 { 4 } else { 10 };
    let kind = random.below(kinds);
    let mut part = || Box::new(shape(random, depth - 1));
    match kind {
        0 => Shape::Bool,
        1 => Shape::Integer,
        2 => Shape::Element,
        3 => Shape::Text,
        4 => Shape::Pair(part(), part()),
        5 => Shape::Set(part()),
        6 => Shape::Function(part(), part()),
        7 => Shape::Relation(part(), part()),
        8 => Shape::Sequence(part()),
        _ => Shape::Record(part(), part()),
    }
}

fn notation(shape: &Shape) -> Notation {
    let inner = |shape: &Shape| Box::new(notation(shape));
    match shape {
        Shape::Bool | Shape::Integer | Shape::Element | Shape::Text => Notation::Plain,
        Shape::Pair(first, second) => Notation::Pair(inner(first), inner(second)),
        Shape::Set(element) => Notation::Set(inner(element)),
        Shape::Function(from, to) | Shape::Relation(from, to) => Notation::Relation(inner(from), inner(to)),
        Shape::Sequence(item) => Notation::Sequence(inner(item)),
        Shape::Record(first, second) => Notation::Record(vec![("a".into(), notation(first)), ("b".into(), notation(second))]),
    }
}

fn value(random: &mut SplitMix64, shape: &Shape) -> Value {
    let several = |random: &mut SplitMix64| random.below(5);
    match shape {
        Shape::Bool => Value::Bool(random.below(2) == 0),
        Shape::Integer => Value::integer(i64::try_from(random.below(4)).expect("small")),
        Shape::Element => Value::element(SetId(0), u32::try_from(random.below(3)).expect("small")),
        Shape::Text => Value::string(["", "a", "b"][random.below(3)]),
        Shape::Pair(first, second) => Value::pair(value(random, first), value(random, second)),
        Shape::Set(element) => Value::set((0..several(random)).map(|_| value(random, element)).collect()),
        Shape::Relation(from, to) => {
            Value::set((0..several(random)).map(|_| Value::pair(value(random, from), value(random, to))).collect())
        }
        Shape::Function(from, to) => {
            let Value::Set(arguments) = value(random, &Shape::Set(from.clone())) else { unreachable!("a set was drawn") };
            Value::set(arguments.iter().map(|argument| Value::pair(argument, value(random, to))).collect())
        }
        Shape::Sequence(item) => {
            let items = (0..several(random)).map(|_| value(random, item)).collect();
            Value::Set(bcheck_value::sequence::from_sequence(items))
        }
        Shape::Record(first, second) => Value::Record(vec![("a".into(), value(random, first)), ("b".into(), value(random, second))].into()),
    }
}

/// A value near another one: a part of it is drawn anew.
fn near(random: &mut SplitMix64, shape: &Shape, other: &Value) -> Value {
    match (shape, other) {
        (Shape::Function(_, to), Value::Set(set)) if !set.is_empty() => {
            let changed = random.below(set.len());
            let pairs = set.iter().enumerate().filter_map(|(at, member)| {
                let (argument, image) = member.as_pair()?;
                let image = if at == changed { near(random, to, image) } else { image.clone() };
                Some(Value::pair(argument.clone(), image))
            });
            Value::set(pairs.collect())
        }
        (Shape::Set(element), Value::Set(set)) => {
            let kept = set.iter().filter(|_| random.below(4) > 0).collect::<Vec<_>>();
            let more = (0..random.below(2)).map(|_| value(random, element)).collect::<Vec<_>>();
            Value::set([kept, more].concat())
        }
        (Shape::Sequence(item), Value::Set(set)) => {
            let mut all = items(set).expect("a sequence was drawn");
            let at = random.below(all.len() + 1);
            let end = (at + random.below(2)).min(all.len());
            let more = (0..random.below(3)).map(|_| value(random, item)).collect::<Vec<_>>();
            all.splice(at..end, more);
            Value::Set(bcheck_value::sequence::from_sequence(all))
        }
        _ => value(random, shape),
    }
}

fn model() -> Model {
    let mut model = Model::empty("M", Span { file: FileId(0), start: 0, end: 0 });
    let kind = bcheck_ir::GivenSetKind::Enumerated(vec!["red".to_owned(), "green".to_owned(), "blue".to_owned()]);
    model.sets.insert("T".to_owned(), bcheck_ir::GivenSet { kind, element_prefix: "T".to_owned(), span: Span::nowhere() });
    model
}

#[test]
fn a_delta_applied_to_the_first_value_gives_the_second() {
    let (mut kinds, mut equal) = (std::collections::BTreeMap::<&str, usize>::new(), 0);
    for seed in 0..4000 {
        let mut random = SplitMix64::new(seed);
        let shape = shape(&mut random, 3);
        let notation = notation(&shape);
        let before = value(&mut random, &shape);
        let after = if random.below(2) == 0 { value(&mut random, &shape) } else { near(&mut random, &shape, &before) };
        for notation in [&notation, &Notation::Plain] {
            let Some(delta) = Delta::between(&before, &after, notation) else {
                assert_eq!(before, after, "seed {seed}");
                equal += 1;
                continue;
            };
            assert_ne!(before, after, "seed {seed}");
            assert_eq!(delta.applied(&before), after, "seed {seed}: {shape:?} {delta:?}");
            *kinds.entry(word(&delta)).or_default() += 1;
        }
    }
    assert!(kinds.len() == 5 && kinds.values().all(|count| *count > 200) && equal > 200, "{kinds:?}, {equal} equal");
}

fn word(delta: &Delta) -> &'static str {
    match delta {
        Delta::Replaced(_) => "replaced",
        Delta::Elements { .. } => "elements",
        Delta::Items { .. } => "items",
        Delta::Images(_) => "images",
        Delta::Fields(_) => "fields",
    }
}

#[test]
fn only_arguments_whose_images_differ_are_in_a_delta() {
    for seed in 0..1000 {
        let mut random = SplitMix64::new(seed);
        let shape = Shape::Function(Box::new(Shape::Integer), Box::new(Shape::Element));
        let (before, after) = (value(&mut random, &shape), value(&mut random, &shape));
        let Some(Delta::Images(images)) = Delta::between(&before, &after, &notation(&shape)) else { continue };
        for (argument, image) in images {
            let image_in =
                |of: &Value| of.as_set().filter(|set| !set.is_empty()).and_then(|set| relation::related(set, &argument).next().cloned());
            let pair = (image_in(&before), image_in(&after));
            assert_ne!(pair.0, pair.1, "seed {seed}");
            match image {
                Image::Added(value) => assert_eq!(pair, (None, Some(value)), "seed {seed}"),
                Image::Removed(value) => assert_eq!(pair, (Some(value), None), "seed {seed}"),
                Image::Changed(delta) => assert_eq!(pair.0.map(|before| delta.applied(&before)), pair.1, "seed {seed}"),
            }
        }
    }
}

#[test]
fn values_are_written_by_their_notation() {
    let model = model();
    let red = Value::element(SetId(0), 0);
    let list = Value::Set(bcheck_value::sequence::from_sequence(vec![red.clone(), red.clone()]));
    let empty = Value::set(Vec::new());
    let sequence = Notation::Sequence(Box::default());
    let relation = Notation::Relation(Box::default(), Box::default());
    for (value, notation, text) in [
        (&list, &sequence, "[red,red]"),
        (&list, &relation, "{1|->red,2|->red}"),
        (&list, &Notation::Plain, "[red,red]"),
        (&empty, &sequence, "[]"),
        (&empty, &relation, "{}"),
        (&Value::pair(red.clone(), list.clone()), &Notation::Pair(Box::default(), Box::new(sequence.clone())), "(red|->[red,red])"),
        (&Value::pair(red.clone(), Value::pair(red.clone(), red.clone())), &Notation::Plain, "(red|->(red|->red))"),
    ] {
        assert_eq!(written(value, notation, &model), text);
    }
}

#[test]
fn changes_name_the_part_that_changed() {
    let mut model = model();
    let ty = bcheck_ir::Type::Integer;
    model.variables.insert("doors".to_owned(), bcheck_ir::Declaration { ty, span: Span::nowhere() });
    let changes = Changes::new(&model);
    let (red, green) = (Value::element(SetId(0), 0), Value::element(SetId(0), 1));
    let function =
        |pairs: &[(i64, &Value)]| Value::set(pairs.iter().map(|(at, value)| Value::pair(Value::integer(*at), (*value).clone())).collect());
    let lines = |before: &Value, after: &Value| changes.of_value(0, before, after);
    assert_eq!(lines(&function(&[(0, &red), (2, &red)]), &function(&[(0, &green), (2, &red)])), ["doors(0): red -> green"]);
    assert_eq!(lines(&function(&[(0, &red)]), &function(&[(3, &red)])), ["doors: - 0|->red, + 3|->red"]);
    assert_eq!(lines(&Value::set(vec![red.clone()]), &Value::set(vec![green.clone()])), ["doors: + green, - red"]);
    assert_eq!(lines(&function(&[(1, &red)]), &function(&[(1, &red), (2, &green)])), ["doors: [red] -> [red,green]"]);
    let long = |items: &[&Value]| {
        let padding = vec![red.clone(); 20];
        let items: Vec<Value> = padding.iter().chain(items.iter().copied()).cloned().collect();
        Value::Set(bcheck_value::sequence::from_sequence(items))
    };
    assert_eq!(lines(&long(&[&green]), &long(&[&green, &red])), ["doors: + [red] at 22"]);
    assert_eq!(lines(&long(&[&green, &green]), &long(&[&green])), ["doors: - [green] at 22"]);
    assert_eq!(lines(&long(&[&green, &red]), &long(&[&red, &red, &red])), ["doors: - [green], + [red,red] at 21"]);
    assert_eq!(lines(&long(&[&green]), &long(&[&red])), ["doors(21): green -> red"]);
    let record = |of: &Value| Value::Record(vec![("a".into(), of.clone()), ("b".into(), red.clone())].into());
    assert_eq!(lines(&record(&red), &record(&green)), ["doors'a: red -> green"]);
    assert_eq!(lines(&red, &red), Vec::<String>::new());
}
