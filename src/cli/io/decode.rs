//! Bytes of a file → text: UTF-8, UTF-16 with a byte order mark, otherwise Latin-1.
//!
//! Invariant: total; a byte order mark is not part of the text. In Latin-1, the encoding of comments and strings in older machines, each
//! byte is a character, so lines and columns are those that an editor shows. Deliberately elsewhere: refusing files that are not text
//! (`files`).

/// The encoding of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// UTF-8 without a mark.
    Utf8,
    /// UTF-8 behind a byte order mark.
    MarkedUtf8,
    /// UTF-16, low byte first.
    Utf16Little,
    /// UTF-16, high byte first.
    Utf16Big,
    /// Each byte is a character.
    Latin1,
    /// Latin-1 behind the byte order mark of UTF-8.
    MarkedLatin1,
}

/// The byte order mark of UTF-8.
const MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];

impl Encoding {
    /// The bytes of a text, with the mark; `None` if the encoding lacks one of its characters.
    pub(crate) fn encode(self, text: &str) -> Option<Vec<u8>> {
        let utf16 = |mark: [u8; 2], unit: fn(u16) -> [u8; 2]| mark.into_iter().chain(text.encode_utf16().flat_map(unit)).collect();
        Some(match self {
            Self::Utf8 => text.as_bytes().to_vec(),
            Self::MarkedUtf8 => [&MARK, text.as_bytes()].concat(),
            Self::Utf16Little => utf16([0xFF, 0xFE], u16::to_le_bytes),
            Self::Utf16Big => utf16([0xFE, 0xFF], u16::to_be_bytes),
            Self::Latin1 => text.chars().map(|letter| u8::try_from(letter).ok()).collect::<Option<_>>()?,
            Self::MarkedLatin1 => [MARK.to_vec(), Self::Latin1.encode(text)?].concat(),
        })
    }
}

/// A text, and its encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decoded {
    pub(crate) text: String,
    pub(crate) encoding: Encoding,
    /// If it was read as Latin-1: the offset in the text of the first byte that is not UTF-8.
    pub(crate) latin1: Option<usize>,
}

/// The text of a file.
pub(crate) fn decode(bytes: &[u8]) -> Decoded {
    match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => without_mark(rest, [Encoding::MarkedUtf8, Encoding::MarkedLatin1]),
        // UTF-32 begins like this as well; its zeros are refused later as those of a file that is not text.
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes, Encoding::Utf16Little),
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes, Encoding::Utf16Big),
        bytes => without_mark(bytes, [Encoding::Utf8, Encoding::Latin1]),
    }
}

fn without_mark(bytes: &[u8], [utf8, latin1_encoding]: [Encoding; 2]) -> Decoded {
    match std::str::from_utf8(bytes) {
        Ok(text) => Decoded { text: text.to_owned(), encoding: utf8, latin1: None },
        Err(error) => {
            // The whole file is Latin-1, including the valid UTF-8 before: a file has one encoding. Decoding makes bytes above 127 two
            // bytes long, so the offset is measured in the text.
            let (before, rest) = bytes.split_at(error.valid_up_to());
            let latin1 = |bytes: &[u8]| bytes.iter().map(|byte| char::from(*byte)).collect::<String>();
            let before = latin1(before);
            Decoded { latin1: Some(before.len()), encoding: latin1_encoding, text: before + &latin1(rest) }
        }
    }
}

/// Decodes UTF-16. Unpaired surrogates and half a unit at the end become U+FFFD, which the lexer reports outside of comments and strings.
fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16, encoding: Encoding) -> Decoded {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let units = pairs.iter().map(|pair| unit(*pair));
    let text = char::decode_utf16(units).map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER));
    Decoded { text: text.chain((!rest.is_empty()).then_some(char::REPLACEMENT_CHARACTER)).collect(), encoding, latin1: None }
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
        let to_little = u16::to_le_bytes as fn(u16) -> [u8; 2];
        let of_two = [([0xFF, 0xFE], to_little, Encoding::Utf16Little), ([0xFE, 0xFF], u16::to_be_bytes, Encoding::Utf16Big)];
        for (mark, bytes, encoding) in of_two {
            let written: Vec<u8> = mark.into_iter().chain("é∈𝔹\n".encode_utf16().flat_map(bytes)).collect();
            assert_eq!(decode(&written), Decoded { text: "é∈𝔹\n".to_owned(), encoding, latin1: None });
            assert_eq!(text(&written[..written.len() - 1]), "é∈𝔹\u{fffd}", "half a character");
        }
        assert_eq!(text(&[0xFE, 0xFF, 0xD8, 0x00, 0x00, 0x41]), "\u{fffd}A", "half of a pair");
    }

    #[test]
    fn what_is_not_utf8_is_latin1() {
        let encoding = Encoding::Latin1;
        assert_eq!(decode(b"/* \xE9t\xE9 */"), Decoded { text: "/* été */".to_owned(), encoding, latin1: Some(3) });
        assert_eq!(decode(b"\xC3\xA9 \xFC"), Decoded { text: "Ã© ü".to_owned(), encoding, latin1: Some(5) }, "all of it");
        assert_eq!(decode(b""), Decoded { text: String::new(), encoding: Encoding::Utf8, latin1: None });
    }

    #[test]
    fn a_text_is_written_again_as_it_was_read() {
        let marked = [&MARK[..], "é∈".as_bytes()].concat();
        for bytes in
            [&b"/* \xE9t\xE9 */"[..], b"plain", "é∈".as_bytes(), &marked, b"\xEF\xBB\xBF\xE9", b"\xFF\xFEM\0\n\0", b"\xFE\xFF\0M\0\n"]
        {
            let Decoded { text, encoding, .. } = decode(bytes);
            assert_eq!(encoding.encode(&text).as_deref(), Some(bytes), "{encoding:?}");
        }
        assert_eq!(Encoding::Latin1.encode("∈"), None);
    }
}
