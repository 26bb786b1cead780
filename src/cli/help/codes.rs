//! The codes of messages in words: for the page `codes`, and for `bcheck help B0203`.
//!
//! Invariant: each code has its row. Deliberately elsewhere: the words themselves (`source::code`), which SARIF uses as well.

use super::markdown::wrapped;
use bcheck_source::Code;

/// The indentation of explanations, which are below meanings.
const INDENT: &str = "         ";

/// The meaning of the first two digits of a code.
const GROUPS: &[(&str, &str)] = &[
    ("B01", "Characters, tokens and clauses (exit code 150)"),
    ("B02", "Names, types and machines (exit code 120)"),
    ("B03", "What is not supported (exit code 120)"),
    ("B04", "Settings, sizes and what is left out"),
    ("B05", "Found by a check"),
];

/// The page.
pub(super) fn codes() -> String {
    let mut text = "The codes of messages, such as error[B0203]; bcheck help B0203 prints one of them.\n".to_owned();
    for (prefix, title) in GROUPS {
        text += &format!("\n{title}:\n");
        Code::ALL.iter().filter(|code| code.as_str().starts_with(prefix)).for_each(|code| text += &row(*code));
    }
    text
}

/// The meaning of a code; nothing for another word.
pub(super) fn one(word: &str) -> Option<String> {
    let code = Code::ALL.iter().find(|code| code.as_str().eq_ignore_ascii_case(word))?;
    Some(row(*code))
}

fn row(code: Code) -> String {
    let words: Vec<String> = code.plain_explanation().split_whitespace().map(str::to_owned).collect();
    format!("  {code}  {}\n{}", code.meaning(), wrapped(&words, INDENT, INDENT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_on_the_page_once_and_is_explained() {
        let page = codes();
        for code in Code::ALL {
            assert_eq!(page.matches(&format!("{code}  {}", code.meaning())).count(), 1, "{code}");
            let explanation = code.explanation();
            assert!(explanation.ends_with('.') && explanation.matches('`').count() % 2 == 0, "{code}: {explanation}");
        }
        assert!(one("b0203").is_some_and(|text| text.contains("two types that do not fit")));
        assert_eq!(one("B9999"), None);
    }
}
