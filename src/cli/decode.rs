//! Bytes of a file → text: UTF-8, UTF-16 with a byte order mark, and Latin-1 where it is neither.
//!
//! Invariant: total; a byte order mark is no part of the text. In Latin-1, the encoding of comments and strings in older machines, each
//! byte is a character, so lines and columns are those that an editor shows. Deliberately elsewhere: refusal of files that are no text
//! (`files`).

/// A text, and whether it was read as Latin-1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decoded {
    pub(super) text: String,
    /// If it was read as Latin-1: the offset in the text of the first byte that is not UTF-8.
    pub(super) latin1: Option<usize>,
}

/// The text of a file.
pub(super) fn decode(bytes: &[u8]) -> Decoded {
    match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => without_mark(rest),
        // UTF-32 begins so as well; its zeros are refused afterwards as those of a file that is no text.
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes),
        bytes => without_mark(bytes),
    }
}

fn without_mark(bytes: &[u8]) -> Decoded {
    match std::str::from_utf8(bytes) {
        Ok(text) => Decoded { text: text.to_owned(), latin1: None },
        Err(error) => {
            // All of the file is Latin-1, also what comes before and would be valid UTF-8: a file has one encoding. Decoding makes bytes
            // above 127 two bytes long, so the offset is measured in the text.
            let (before, rest) = bytes.split_at(error.valid_up_to());
            let latin1 = |bytes: &[u8]| bytes.iter().map(|byte| char::from(*byte)).collect::<String>();
            let before = latin1(before);
            Decoded { latin1: Some(before.len()), text: before + &latin1(rest) }
        }
    }
}

/// Decodes UTF-16. Unpaired surrogates and half a unit at the end become U+FFFD, which the lexer reports outside of comments and strings.
fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Decoded {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let units = pairs.iter().map(|pair| unit(*pair));
    let text = char::decode_utf16(units).map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER));
    Decoded { text: text.chain((!rest.is_empty()).then_some(char::REPLACEMENT_CHARACTER)).collect(), latin1: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> String {
        decode(bytes).text
    }

    #[test]
    fn marks_of_the_byte_order_say_how_a_text_is_written() {
        assert_eq!(text("\u{feff}MACHINE é".as_bytes()), "MACHINE é");
        for (mark, bytes) in [([0xFF, 0xFE], u16::to_le_bytes as fn(u16) -> [u8; 2]), ([0xFE, 0xFF], u16::to_be_bytes)] {
            let written: Vec<u8> = mark.into_iter().chain("é∈𝔹\n".encode_utf16().flat_map(bytes)).collect();
            assert_eq!(decode(&written), Decoded { text: "é∈𝔹\n".to_owned(), latin1: None });
            assert_eq!(text(&written[..written.len() - 1]), "é∈𝔹\u{fffd}", "half a character");
        }
        assert_eq!(text(&[0xFE, 0xFF, 0xD8, 0x00, 0x00, 0x41]), "\u{fffd}A", "half of a pair");
    }

    #[test]
    fn what_is_not_utf8_is_latin1() {
        assert_eq!(decode(b"/* \xE9t\xE9 */"), Decoded { text: "/* été */".to_owned(), latin1: Some(3) });
        assert_eq!(decode(b"\xC3\xA9 \xFC"), Decoded { text: "Ã© ü".to_owned(), latin1: Some(5) }, "all of it");
        assert_eq!(decode(b""), Decoded { text: String::new(), latin1: None });
    }
}
