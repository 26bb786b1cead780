//! JSON text with unpaired surrogates, which some programs write and JSON parsers refuse.
//!
//! Invariant: each `\uXXXX` that is an unpaired surrogate becomes `\ufffd`, as in lossy decoders; nothing else changes, not even the
//! length.

use std::borrow::Cow;

/// The text without unpaired surrogates.
pub fn whole_characters(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut halves = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            at += 1;
            continue;
        }
        match unit(bytes, at) {
            Some(0xd800..=0xdbff) if matches!(unit(bytes, at + 6), Some(0xdc00..=0xdfff)) => at += 12,
            Some(0xd800..=0xdfff) => {
                halves.push(at);
                at += 6;
            }
            Some(_) => at += 6,
            // Another escape, of two characters, so that `\\u` is not an escape of a character.
            None => at += 2,
        }
    }
    if halves.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut whole = String::with_capacity(text.len());
    let mut from = 0;
    for half in halves {
        whole.push_str(&text[from..half]);
        whole.push_str("\\ufffd");
        from = half + 6;
    }
    Cow::Owned(whole + &text[from..])
}

/// The UTF-16 unit of an escape at a place.
fn unit(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    let digits = digits.iter().all(u8::is_ascii_hexdigit).then_some(digits)?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_replaced_and_pairs_stay() {
        for (text, whole) in [
            (r#"{"a": "\ud800"}"#, r#"{"a": "\ufffd"}"#),
            (r#"["\udc00\ud83d"]"#, r#"["\ufffd\ufffd"]"#),
            (r#"["\ud800\ud83d\ude00é"]"#, r#"["\ufffd\ud83d\ude00é"]"#),
            (r#"["\\ud800", "\n\u0041", "\ud8"]"#, r#"["\\ud800", "\n\u0041", "\ud8"]"#),
            (r#"["\\\ud800""#, r#"["\\\ufffd""#),
        ] {
            assert_eq!(whole_characters(text), whole);
        }
    }
}
