//! References to other machines, as clauses list them.
//!
//! Invariant: parentheses around references leave no trace in the tree. Deliberately elsewhere: which file is meant (`sema`).

use nom::Parser;
use nom::combinator::cut;
use nom::multi::separated_list1;

use super::ast::{MachineReference, Name};
use super::expression::expressions;
use super::input::{Input, Res, close, dotted_name, nested, sign};
use super::token::{Pragma, Terminal};
use bcheck_source::Span;

/// References without arguments.
pub(super) fn machine_names(input: Input<'_>) -> Res<'_, Vec<MachineReference>> {
    grouped(input, machine_name)
}

/// References separated by commas; each, or several together, may be in parentheses: `(pre.M), (N, K)`.
fn grouped<'a>(input: Input<'a>, one: fn(Input<'a>) -> Res<'a, MachineReference>) -> Res<'a, Vec<MachineReference>> {
    let (mut rest, mut references) = (input, Vec::new());
    loop {
        if rest.is(Terminal::OpenParen) {
            let (after, group) = nested(rest, |input| grouped(input.advance(1), one))?;
            rest = close(Terminal::CloseParen, rest.span(), "parenthesis")(after)?.0;
            references.extend(group);
        } else {
            let (after, reference) = cut(one).parse(rest)?;
            references.push(reference);
            rest = after;
        }
        if !rest.is(Terminal::Comma) {
            return Ok((rest, references));
        }
        rest = rest.advance(1);
    }
}

/// `pre.M` and its file, if it has one.
pub(super) fn machine_name(input: Input<'_>) -> Res<'_, MachineReference> {
    let (rest, name) = dotted_name("the name of a machine")(input)?;
    let (prefix, machine) = split_prefix(name);
    Ok((rest, MachineReference { prefix, machine, arguments: Vec::new(), file: file(rest) }))
}

/// The path in a file pragma right before this place.
fn file(input: Input<'_>) -> Option<Name> {
    input.pragmas().iter().find_map(|(pragma, span)| match pragma {
        Pragma::File(path) => Some(Name { text: (*path).to_owned(), span: *span }),
        _ => None,
    })
}

/// Names of operations, of other machines.
pub(super) fn operation_names(input: Input<'_>) -> Res<'_, Vec<Name>> {
    separated_list1(sign(Terminal::Comma), cut(dotted_name("the name of an operation"))).parse(input)
}

/// References with arguments or without.
pub(super) fn references(input: Input<'_>) -> Res<'_, Vec<MachineReference>> {
    grouped(input, reference)
}

/// `pre.M(e, f)` and its file, if it has one.
fn reference(input: Input<'_>) -> Res<'_, MachineReference> {
    let (rest, named) = machine_name(input)?;
    if !rest.is(Terminal::OpenParen) {
        return Ok((rest, named));
    }
    let (after, arguments) = expressions(rest.advance(1))?;
    let (after, _) = close(Terminal::CloseParen, rest.span(), "parenthesis")(after)?;
    // `M /*@file "…"*/ (1)` or `M(1) /*@file "…"*/`: a pragma is attached to the token after it.
    let file = named.file.or_else(|| file(after));
    Ok((after, MachineReference { arguments, file, ..named }))
}

/// Everything before the last dot is the prefix.
fn split_prefix(name: Name) -> (Option<Name>, Name) {
    let Some(dot) = name.text.rfind('.') else { return (None, name) };
    let Span { file, start, end } = name.span;
    let (start, end) = (start as usize, end as usize);
    // The span of a name between back quotes covers them, its text does not.
    let quote = usize::from(end - start > name.text.len());
    let at = start + quote + dot;
    let prefix = Name { text: name.text[..dot].to_owned(), span: Span::new(file, start + quote, at) };
    let machine = Name { text: name.text[dot + 1..].to_owned(), span: Span::new(file, at + 1, end - quote) };
    (Some(prefix), machine)
}
