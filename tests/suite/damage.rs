//! Damaged texts: what may stand in a file that was cut off, merged, edited by hand, or made to do harm.
//!
//! Invariant: the same dice give the same text; damaged JSON is JSON.

use crate::dice::Dice;
use serde_json::{Value as Json, json};

/// What is put into texts.
const PIECES: [&str; 30] = [
    "",
    " ",
    "\n",
    "\r\n",
    "\"",
    "'",
    "\\",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "<",
    ">",
    "&",
    "/",
    "-",
    "0",
    "9",
    "-1",
    "18446744073709551616",
    "1e999",
    "null",
    "𝕊",
    "\u{0}",
    "\u{202e}",
    "\u{feff}",
    "S1",
    "(S1 S2)",
];

/// A text with up to four changes: parts removed, doubled, exchanged, replaced, put in, or everything behind a place cut off.
pub(crate) fn damaged(text: &str, dice: &mut Dice) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    for _ in 0..1 + dice.below(4) {
        let end = letters.len();
        let from = dice.below(end + 1);
        // Mostly a few letters, sometimes a large part.
        let length = if dice.once_in(6) { dice.below(end + 1) } else { dice.below(12) };
        let to = (from + length).min(end);
        match dice.below(8) {
            0 => drop(letters.drain(from..to)),
            1 => letters.truncate(from),
            2 => {
                let part = letters[from..to].to_vec();
                letters.splice(from..from, part);
            }
            3 if from < end => {
                let other = dice.below(end);
                letters.swap(from, other);
            }
            4 => {
                let part: Vec<char> = letters[from..to].to_vec();
                let at = dice.below(end + 1);
                letters.splice(at..at, part);
            }
            5 if from < end => letters[from] = char::from(u8::try_from(32 + dice.below(95)).expect("printable")),
            _ => {
                let piece: Vec<char> = dice.pick(&PIECES).chars().collect();
                letters.splice(from..to, piece);
            }
        }
    }
    letters.into_iter().collect()
}

/// A JSON text with up to three values or names replaced, removed or doubled.
pub(crate) fn damaged_json(text: &str, dice: &mut Dice) -> String {
    let mut whole: Json = serde_json::from_str(text).expect("the text to be damaged is JSON");
    for _ in 0..1 + dice.below(3) {
        let places = count(&whole);
        let mut wanted = dice.below(places);
        damage_at(&mut whole, &mut wanted, dice);
    }
    whole.to_string()
}

fn count(value: &Json) -> usize {
    1 + match value {
        Json::Array(items) => items.iter().map(count).sum::<usize>(),
        Json::Object(members) => members.values().map(count).sum(),
        _ => 0,
    }
}

/// Changes the value with this number; whether it was met.
fn damage_at(value: &mut Json, wanted: &mut usize, dice: &mut Dice) -> bool {
    if *wanted == 0 {
        *value = changed(value, dice);
        return true;
    }
    *wanted -= 1;
    match value {
        Json::Array(items) => items.iter_mut().any(|item| damage_at(item, wanted, dice)),
        Json::Object(members) => members.values_mut().any(|member| damage_at(member, wanted, dice)),
        _ => false,
    }
}

fn changed(value: &Json, dice: &mut Dice) -> Json {
    match (value, dice.below(5)) {
        (Json::String(text), 0..3) => Json::String(damaged(text, dice)),
        (Json::Array(items), 0..3) if !items.is_empty() => {
            let mut items = items.clone();
            let at = dice.below(items.len());
            if dice.once_in(2) {
                items.remove(at);
            } else {
                items.push(items[at].clone());
            }
            Json::Array(items)
        }
        (Json::Object(members), 0..3) if !members.is_empty() => {
            let mut members = members.clone();
            let name = members.keys().nth(dice.below(members.len())).expect("not empty").clone();
            if let Some(member) = members.remove(&name)
                && dice.once_in(2)
            {
                members.insert(damaged(&name, dice), member);
            }
            Json::Object(members)
        }
        _ => {
            let deep = (0..30).fold(Json::Null, |inner, _| json!([inner]));
            let values = [
                json!(null),
                json!(true),
                json!(0),
                json!(-1),
                json!(1e300),
                json!(u64::MAX),
                json!(""),
                json!("x"),
                json!("{"),
                json!([]),
                json!({}),
                json!({ "#bigint": "1" }),
                json!({ "#map": [[1, 2]] }),
                json!({ "#tup": [] }),
                json!({ "#set": [1, "a"] }),
                deep,
            ];
            dice.pick(&values).clone()
        }
    }
}
