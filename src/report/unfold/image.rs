//! Renaming elements in the text of a value or of a call.
//!
//! Invariant: equal values have equal images, regardless of the order in which their texts list the members of sets, because an image sorts
//! them. Strings are unchanged, and so are the names of operations, parameters, results, fields and constructors.

use bcheck_source::{is_name_part, is_name_start, split_name};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::iter::Peekable;
use std::str::CharIndices;

/// A permutation of names; those that are not in it stay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Renaming(FxHashMap<String, String>);

impl Renaming {
    /// The renaming denoted by disjoint cycles such as `(S1 S2 S3)(T1 T2)`; `None` for any other text.
    pub(super) fn of_cycles(text: &str) -> Option<Self> {
        let mut names = FxHashMap::default();
        let mut rest = text.trim();
        while !rest.is_empty() {
            let (cycle, after) = cycle(rest.strip_prefix('(')?)?;
            for (at, name) in cycle.iter().enumerate() {
                let next = cycle[(at + 1) % cycle.len()];
                // A name that occurs twice would have two images.
                if names.insert((*name).to_owned(), next.to_owned()).is_some() {
                    return None;
                }
            }
            rest = after.trim_start();
        }
        Some(Self(names))
    }

    /// The renaming that undoes this one.
    pub(super) fn inverse(&self) -> Self {
        Self(self.0.iter().map(|(name, image)| (image.clone(), name.clone())).collect())
    }

    /// The images of several texts.
    pub(super) fn images(&self, texts: &[String]) -> Vec<String> {
        texts.iter().map(|text| self.image(text)).collect()
    }

    /// The image of a value: each word that is the name of a moved element is replaced, unless it names a field or a constructor.
    pub(super) fn image(&self, text: &str) -> String {
        ImageReader::of(self, text).up_to_end(Items::Values)
    }

    /// The image of a call, `operation(parameter = value, …) --> result = value, …`, of which only the values are renamed: operations,
    /// parameters and results may have names of elements.
    pub(super) fn call_image(&self, text: &str) -> String {
        let end = match split_name(text) {
            Some((name, _)) => name.len() + 2,
            None => text.find(['(', ' ']).unwrap_or(text.len()),
        };
        let (name, rest) = text.split_at(end);
        // Anything else is not a call with values, such as the words for the set-up of constants.
        if !rest.starts_with('(') && !rest.starts_with(" --> ") {
            return text.to_owned();
        }
        let mut reader = ImageReader::of(self, rest);
        let arguments = if rest.starts_with('(') { reader.in_brackets(Items::Named('=')) } else { String::new() };
        format!("{name}{arguments}{}", reader.up_to_end(Items::Named('=')))
    }
}

/// The kind of items of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Items {
    /// Values.
    Values,
    /// Values, each after a name and this sign.
    Named(char),
}

struct ImageReader<'a> {
    renaming: &'a Renaming,
    text: &'a str,
    rest: Peekable<CharIndices<'a>>,
}

/// The text read up to a closing bracket or a comma.
#[derive(Default)]
struct Reading {
    image: String,
    /// Whether there is a bar, outside of brackets and strings, that is not part of `|->`.
    has_bar: bool,
}

impl<'a> ImageReader<'a> {
    fn of(renaming: &'a Renaming, text: &'a str) -> Self {
        Self { renaming, text, rest: text.char_indices().peekable() }
    }

    /// The image of all that is left.
    fn up_to_end(&mut self, items: Items) -> String {
        let mut image = String::new();
        // `run` ends at a bracket that closes nothing, which is copied like anything else: each round makes progress.
        while self.rest.peek().is_some() {
            image.push_str(&self.run(false, items).image);
            image.extend(self.rest.next().map(|(_, closing)| closing));
        }
        image
    }

    /// The image of a list in brackets, at its opening bracket.
    fn in_brackets(&mut self, items: Items) -> String {
        let mut image = String::from_iter(self.rest.next().map(|(_, opening)| opening));
        image.push_str(&self.run(false, items).image);
        image.extend(self.rest.next().map(|(_, closing)| closing));
        image
    }

    /// The image of the text up to a closing bracket that was not opened in it, or up to a comma if `comma_ends`.
    fn run(&mut self, comma_ends: bool, items: Items) -> Reading {
        let Reading { mut image, mut has_bar } = Reading::default();
        // Whether the next word begins an item.
        let mut is_first = true;
        while let Some(&(start, letter)) = self.rest.peek() {
            match letter {
                ')' | ']' | '}' => break,
                ',' if comma_ends => break,
                '"' => image.push_str(self.string(start)),
                '{' => {
                    self.rest.next();
                    image.push_str(&self.set());
                }
                '(' | '[' => image.push_str(&self.in_brackets(Items::Values)),
                // Numbers are read as words as well; no name begins with a digit, so they are never renamed.
                _ if letter == '`' || is_name_part(letter) => {
                    let word = if letter == '`' { self.quoted_name(start) } else { self.word(start) };
                    let follows = |sign: char| self.text[start + word.len()..].trim_start().starts_with(sign);
                    let is_record = matches!(word, "rec" | "struct") && self.rest.peek().is_some_and(|(_, next)| *next == '(');
                    let is_name = match items {
                        Items::Named(sign) => is_first && follows(sign),
                        Items::Values => false,
                    };
                    // A constructor of a free type precedes its argument.
                    let stays = is_name || self.rest.peek().is_some_and(|(_, next)| *next == '(');
                    image.push_str(self.renaming.0.get(word).filter(|_| !stays).map_or(word, String::as_str));
                    if is_record {
                        image.push_str(&self.in_brackets(Items::Named(':')));
                    }
                    is_first = false;
                }
                _ => {
                    has_bar |= letter == '|' && !self.text[start..].starts_with("|->");
                    is_first |= letter == ',';
                    image.push(letter);
                    self.rest.next();
                }
            }
        }
        Reading { image, has_bar }
    }

    /// The image of a set whose opening brace was read.
    fn set(&mut self) -> String {
        // At least one member, an empty one for `{}`.
        let mut members = vec![self.run(true, Items::Values)];
        while self.rest.next_if(|(_, letter)| *letter == ',').is_some() {
            members.push(self.run(true, Items::Values));
        }
        let closing = self.rest.next().map_or(String::new(), |(_, closing)| closing.to_string());
        // With a bar it is a comprehension, whose names have an order. A bar in a string, or in a set that is a member, does not count.
        let is_listed = !members.iter().any(|member| member.has_bar);
        let mut members: Vec<String> = members.into_iter().map(|member| member.image).collect();
        // As in the original: with a blank after each comma or without.
        let gap = if members[1..].iter().any(|member| member.starts_with(' ')) { ", " } else { "," };
        if is_listed {
            members.iter_mut().for_each(|member| *member = member.trim().to_owned());
            // S2 before S10, as the writer of graphs has them: readers compare the two files.
            members.sort_by(|one, other| by_numbers(one, other));
        }
        format!("{{{}{closing}", members.join(if is_listed { gap } else { "," }))
    }

    fn word(&mut self, start: usize) -> &'a str {
        let text = self.text;
        let mut end = start;
        let is_part = |&(at, letter): &(usize, char)| match letter {
            // A name of a renamed machine; `1..3` is not one.
            '.' => text[at + 1..].starts_with(is_name_start),
            // Graphs of older versions have names such as `x'` and `x$0` without back quotes; values have no other use for these signs.
            _ => is_name_part(letter) || matches!(letter, '\'' | '$'),
        };
        while let Some((at, letter)) = self.rest.next_if(is_part) {
            end = at + letter.len_utf8();
        }
        &text[start..end]
    }

    /// A name in back quotes, with them.
    fn quoted_name(&mut self, start: usize) -> &'a str {
        self.rest.next();
        let closing = self.rest.find(|(_, letter)| *letter == '`');
        &self.text[start..closing.map_or(self.text.len(), |(at, _)| at + 1)]
    }

    /// A string with its quotes, unchanged.
    fn string(&mut self, start: usize) -> &'a str {
        self.rest.next();
        let mut is_escaped = false;
        let mut end = self.text.len();
        for (at, letter) in self.rest.by_ref() {
            if letter == '"' && !is_escaped {
                end = at + 1;
                break;
            }
            is_escaped = letter == '\\' && !is_escaped;
        }
        &self.text[start..end]
    }
}

/// The names of a cycle whose parenthesis was opened, those in back quotes with them, and what follows it.
fn cycle(text: &str) -> Option<(Vec<&str>, &str)> {
    let mut names = Vec::new();
    let mut rest = text.trim_start();
    while !rest.starts_with(')') {
        let end = match split_name(rest) {
            Some((name, _)) => name.len() + 2,
            None => rest.find(|letter: char| letter == ')' || letter.is_whitespace())?,
        };
        let (name, after) = rest.split_at(end);
        names.push(name);
        rest = after.trim_start();
    }
    Some((names, &rest[1..]))
}

/// The order of texts in which numbers, such as that of `S10`, are compared as numbers.
fn by_numbers(one: &str, other: &str) -> Ordering {
    let (mut left, mut right) = (one, other);
    loop {
        let number = |text: &str| text.len() - text.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
        match (number(left), number(right)) {
            // One letter is compared at a time, until both sides have a number next.
            (0, _) | (_, 0) => match (left.chars().next(), right.chars().next()) {
                (Some(a), Some(b)) if a == b => (left, right) = (&left[a.len_utf8()..], &right[b.len_utf8()..]),
                (a, b) => return a.cmp(&b).then_with(|| one.cmp(other)),
            },
            // By value: without leading zeros the longer number is greater, and of equal length the first different digit decides.
            (a, b) => {
                let (first, second) = (left[..a].trim_start_matches('0'), right[..b].trim_start_matches('0'));
                match first.len().cmp(&second.len()).then_with(|| first.cmp(second)) {
                    Ordering::Equal => (left, right) = (&left[a..], &right[b..]),
                    decided => return decided,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_exchanged_and_members_sorted() {
        let renaming = Renaming::of_cycles("(S1 S10)(T1 T2 T3)").expect("cycles");
        let image = |text: &str| renaming.image(text);
        assert_eq!(image("{S1, S2, S10}"), "{S1, S2, S10}");
        assert_eq!(image("{S2, S1}"), "{S2, S10}");
        assert_eq!(image("{S2,S1}"), "{S2,S10}");
        assert_eq!(image("{(S1|->T3), (S2|->T1)}"), "{(S2|->T2), (S10|->T1)}");
        assert_eq!(image("[T3, T1, T2]"), "[T1, T2, T3]", "sequences keep their order");
        assert_eq!(image("{{S2, S1}, {}, {S10}}"), "{{S1}, {S2, S10}, {}}");
        assert_eq!(image(r#"("S1 \" S1"|->S1)"#), r#"("S1 \" S1"|->S10)"#, "strings are no names");
        assert_eq!(image("{b, a | a : S1}"), "{b, a | a : S10}");
        assert_eq!(image(r#"{(S2|->"a|b"), (S1|->"c")}"#), r#"{(S2|->"a|b"), (S10|->"c")}"#, "a bar in a string is none of the set");
        assert_eq!(image(r#"{S1, S10, {x | x > 1}, S2}"#), "{S1, S2, S10, {x | x > 1}}");
        assert_eq!(image("rec(a: 2, b: -10)"), "rec(a: 2, b: -10)");
        assert_eq!(
            Renaming::of_cycles("(a.red a.blue)").map(|renaming| renaming.image("a.red|->red..3")),
            Some("a.blue|->red..3".to_owned())
        );
        assert_eq!(renaming.inverse().image(&image("{T1|->S2, T2|->S1}")), "{T1|->S2, T2|->S1}");
    }

    #[test]
    fn only_values_are_renamed() {
        let renaming = Renaming::of_cycles("(S1 S10)(T1 T2 T3)").expect("cycles");
        assert_eq!(renaming.image("rec(T2:T2,a:{rec(T1:S1)},T1:T3)"), "rec(T2:T3,a:{rec(T1:S10)},T1:T1)", "fields stay");
        assert_eq!(renaming.image("rec(T2: (T2|->T1), b: S1)"), "rec(T2: (T3|->T2), b: S10)");
        assert_eq!(renaming.image("{T1 | T1 : S1}"), "{T2 | T2 : S10}", "no field");
        assert_eq!(renaming.image("T1(T1)"), "T1(T2)", "a constructor stays");
        assert_eq!(renaming.image("T1$0"), "T1$0", "another name");
        let call = |text: &str| renaming.call_image(text);
        assert_eq!(call("move(s = S1, on = {T3, T2}) --> r = T2"), "move(s = S10, on = {T1, T3}) --> r = T3");
        assert_eq!(call("T1(T2 = T2, S1 = rec(T1:T1)) --> T3 = T3, S1 = S1"), "T1(T2 = T3, S1 = rec(T1:T2)) --> T3 = T1, S1 = S10");
        assert_eq!(call("`T1 x`(`T2 = ` = T2)"), "`T1 x`(`T2 = ` = T3)");
        assert_eq!((call("T1").as_str(), call("T1 --> T1 = T1").as_str()), ("T1", "T1 --> T1 = T2"));
    }

    #[test]
    fn names_in_back_quotes_are_whole_names() {
        let renaming = Renaming::of_cycles("(`a b` `c)` d)(`my set1` `my set2`)").expect("cycles");
        let image = |text: &str| renaming.image(text);
        assert_eq!(image("{`a b`, d, a, b}"), "{`a b`, `c)`, a, b}");
        assert_eq!(image("{(`my set2`|->`c)`), (`my set1`|->d)}"), "{(`my set1`|->d), (`my set2`|->`a b`)}");
        assert_eq!(image("\"`a b`\"|->`a b"), "\"`a b`\"|->`a b", "in a string, and without an end, it is none");
    }

    #[test]
    fn what_is_no_cycle_is_refused() {
        assert_eq!(Renaming::of_cycles("").map(|renaming| renaming.image("S1")), Some("S1".to_owned()));
        for text in ["S1 S2", "(S1 S2", "(S1 S2)(S2 S3)", "(S1 S1)"] {
            assert_eq!(Renaming::of_cycles(text), None, "{text}");
        }
    }
}
