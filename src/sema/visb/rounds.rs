//! `repeat` and `for` of an entry in a VisB file: its rounds, and the replacements of `%0`, `%1`, … in each.
//!
//! Invariant: an entry without them has one round, and a text without `%` is unchanged. Deliberately elsewhere: the contents of an entry
//! (`mod`).

use bcheck_source::Span;
use bcheck_syntax::{Anchor, JsonKind, JsonText, JsonTree};
use std::ops::Range;

/// The most rounds of one entry.
pub(super) const MOST_ROUNDS: usize = 5_000;

/// The replacements of `%0`, `%1`, … in one round.
pub(super) type Round = Vec<String>;

/// The fault, with the remedy, and its place.
pub(super) type RoundFault = (Span, String, &'static str);

/// The rounds of an entry.
pub(super) fn rounds(entry: &JsonTree) -> Result<Vec<Round>, RoundFault> {
    let numbers = entry.get("for").map(counted).transpose()?;
    let words = entry.get("repeat").map(repeated).transpose()?;
    match (numbers, words) {
        (None, None) => Ok(vec![Round::new()]),
        (Some(numbers), None) => Ok(numbers.into_iter().map(|number| vec![number]).collect()),
        (None, Some(words)) => Ok(words),
        (Some(numbers), Some(words)) => {
            let count = numbers.len().saturating_mul(words.len());
            if count > MOST_ROUNDS {
                return Err((entry.span, format!("it has {count} rounds, more than {MOST_ROUNDS}"), "repeat it less often"));
            }
            // The number is `%0`, the words come behind it.
            let round = |number: &String, words: &Round| std::iter::once(number.clone()).chain(words.iter().cloned()).collect();
            Ok(numbers.iter().flat_map(|number| words.iter().map(move |words| round(number, words))).collect())
        }
    }
}

/// The numbers of `for`.
fn counted(range: &JsonTree) -> Result<Vec<String>, RoundFault> {
    const EXPECTED: &str = "`for` is written {\"from\": 1, \"to\": 6, \"step\": 1}, with whole numbers and a positive step";
    let number = |key: &str| {
        let value = range.get(key)?;
        scalar(value).and_then(|text| text.trim().parse::<i64>().ok())
    };
    let fault = |why: &str| Err((range.span, why.to_owned(), EXPECTED));
    let Some((from, to)) = number("from").zip(number("to")) else { return fault("`for` has no numbers from and to") };
    let step = if range.get("step").is_some() { number("step") } else { Some(1) };
    let Some(step) = step.and_then(|step| u64::try_from(step).ok()).filter(|step| *step > 0) else {
        return fault("the step of `for` is no positive number");
    };
    if from > to {
        return Ok(Vec::new());
    }
    let last = to.abs_diff(from) / step;
    match usize::try_from(last) {
        Ok(last) if last < MOST_ROUNDS => {
            // A number between two 64-bit numbers also fits 64 bits.
            Ok((0..=last as u64).map(|at| from.wrapping_add_unsigned(at * step).to_string()).collect())
        }
        _ => Err((range.span, format!("it has more than {MOST_ROUNDS} rounds"), "choose a larger step")),
    }
}

/// The words of `repeat`: a list of texts, or of lists of texts.
fn repeated(list: &JsonTree) -> Result<Vec<Round>, RoundFault> {
    const EXPECTED: &str = "`repeat` is written [\"a\", \"b\"], or [[\"a\", \"1\"], [\"b\", \"2\"]]";
    let fault = |place: Span| (place, "`repeat` is no list of texts".to_owned(), EXPECTED);
    let JsonKind::List(items) = &list.kind else { return Err(fault(list.span)) };
    if items.len() > MOST_ROUNDS {
        return Err((list.span, format!("it has {} rounds, more than {MOST_ROUNDS}", items.len()), "repeat it less often"));
    }
    let word = |item: &JsonTree| scalar(item).ok_or_else(|| fault(item.span));
    let round = |item: &JsonTree| match &item.kind {
        JsonKind::List(words) => words.iter().map(word).collect(),
        _ => word(item).map(|word| vec![word]),
    };
    items.iter().map(round).collect()
}

/// A text or number as a text.
pub(super) fn scalar(value: &JsonTree) -> Option<String> {
    match &value.kind {
        JsonKind::Text(text) => Some(text.text.clone()),
        JsonKind::Number(number) => Some(number.clone()),
        _ => None,
    }
}

/// A text with `%0`, `%1`, … replaced in a round.
pub(super) fn filled(text: &JsonText, round: &Round) -> (Anchor, String) {
    let mut parts: Vec<(Range<usize>, &str)> = Vec::new();
    for (at, _) in text.text.match_indices('%') {
        let digit = text.text[at + 1..].chars().next().and_then(|letter| letter.to_digit(10));
        // As `%` is lambda as well, a `%` without a replacement stays.
        if let Some(word) = digit.and_then(|digit| round.get(digit as usize)) {
            parts.push((at..at + 2, word));
        }
    }
    text.anchor.replaced(&text.text, &parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcheck_source::FileId;
    use bcheck_syntax::parse_json;

    fn texts(entry: &str) -> Result<Vec<String>, String> {
        let tree = parse_json(FileId(0), entry).expect("JSON");
        let text = tree.get("id").and_then(JsonTree::as_text).expect("an id").clone();
        let rounds = rounds(&tree).map_err(|(_, why, _)| why)?;
        Ok(rounds.iter().map(|round| filled(&text, round).1).collect())
    }

    #[test]
    fn words_and_numbers_stand_for_their_places() {
        let all = |entry: &str| texts(entry).expect("rounds");
        assert_eq!(all(r#"{"id": "%0 %x.(x)"}"#), ["%0 %x.(x)"]);
        assert_eq!(all(r#"{"id": "a%0", "repeat": ["x", 1]}"#), ["ax", "a1"]);
        assert_eq!(all(r#"{"id": "%1%0%0", "repeat": [["x", "y"], ["1", "2"]]}"#), ["yxx", "211"]);
        assert_eq!(all(r#"{"id": "%0", "for": {"from": "1", "to": 6, "step": 2}}"#), ["1", "3", "5"]);
        assert_eq!(all(r#"{"id": "%0%1", "for": {"from": -1, "to": 0}, "repeat": ["a", "b"]}"#), ["-1a", "-1b", "0a", "0b"]);
        assert_eq!(all(r#"{"id": "%0", "for": {"from": 2, "to": 1}}"#), Vec::<String>::new());
    }

    #[test]
    fn rounds_without_end_and_without_numbers_are_refused() {
        for (entry, why) in [
            (r#"{"id": "", "for": {"from": 1}}"#, "no numbers"),
            (r#"{"id": "", "for": {"from": 1, "to": 2, "step": 0}}"#, "no positive number"),
            (r#"{"id": "", "for": {"from": -9223372036854775808, "to": 9223372036854775807}}"#, "more than 5000 rounds"),
            (r#"{"id": "", "for": {"from": 1, "to": 4000}, "repeat": ["a", "b"]}"#, "8000 rounds"),
            (r#"{"id": "", "repeat": "a"}"#, "no list of texts"),
            (r#"{"id": "", "repeat": [{}]}"#, "no list of texts"),
        ] {
            assert!(texts(entry).is_err_and(|reason| reason.contains(why)), "{entry}");
        }
    }
}
