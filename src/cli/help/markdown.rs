//! Renders a page in Markdown as text for a terminal.
//!
//! Invariant: no word of the page is lost, no line of prose exceeds the width unless a single word does, and blocks of code are unchanged,
//! except for remarks beside commands on a narrow terminal. It supports the part of Markdown that the pages use: headings, paragraphs,
//! lists, tables, fenced code, links, emphasis. Deliberately elsewhere: the list of pages (`mod.rs`).

use std::sync::OnceLock;

/// The longest line of prose, in characters, where there is no terminal.
const WIDTH: usize = 100;

/// The width of the terminal, once it is known.
static OF_TERMINAL: OnceLock<usize> = OnceLock::new();

/// From now on wraps lines at the width of a terminal, but not beyond that of a file: longer lines are no easier to read.
pub(super) fn fit(columns: usize) {
    // Only the first call counts, and there is only one.
    let _ = OF_TERMINAL.set(columns.clamp(30, WIDTH));
}

fn width() -> usize {
    OF_TERMINAL.get().copied().unwrap_or(WIDTH)
}

/// A preformatted text whose overlong lines are wrapped and aligned with their last column.
pub(super) fn fitted(text: &str) -> String {
    let mut fitted = String::new();
    for line in text.lines() {
        let mut rest: Vec<char> = line.chars().collect();
        let indent = rest.iter().take_while(|letter| **letter == ' ').count();
        // A column begins behind two blanks.
        let column = (indent + 2..rest.len().min(width() / 2)).rev().find(|at| rest[*at] != ' ' && rest[at - 2..*at] == [' ', ' ']);
        let hanging = column.unwrap_or(indent + 2);
        while OF_TERMINAL.get().is_some() && rest.len() > width() {
            let Some(at) = (hanging + 1..=width()).rev().find(|at| rest[*at] == ' ') else { break };
            push(&mut fitted, "", &rest[..at].iter().collect::<String>());
            let more = rest[at..].iter().skip_while(|letter| **letter == ' ');
            rest = std::iter::repeat_n(' ', hanging).chain(more.copied().collect::<Vec<_>>()).collect();
        }
        push(&mut fitted, "", &rest.iter().collect::<String>());
    }
    fitted
}

/// First cells of a table up to this width form a column, with the other cells beside them; wider ones are placed above the others.
const NARROW: usize = 24;

/// The page as text.
pub(super) fn plain(page: &str) -> String {
    let mut text = String::new();
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        if line.starts_with("```") {
            for code in lines.by_ref().take_while(|code| !code.starts_with("```")) {
                text += &code_line(&format!("    {code}"));
            }
            // The output of a command ends with an empty line.
            text.truncate(text.trim_end().len());
            text.push('\n');
        } else if line.starts_with('#') {
            let title = wrapped(&words(line.trim_start_matches('#')), "", "");
            let rule = if line.starts_with("##") { "-" } else { "=" };
            let width = title.lines().map(|line| line.chars().count()).max().unwrap_or(0);
            text += &title;
            push(&mut text, "", &rule.repeat(width));
        } else if line.starts_with('|') {
            let mut rows = vec![cells(line)];
            while let Some(row) = lines.next_if(|next| next.starts_with('|')) {
                rows.push(cells(row));
            }
            text += &table(&rows);
        } else if line.trim().is_empty() {
            text.push('\n');
        } else {
            let mut whole = line.to_owned();
            while let Some(next) = lines.next_if(|next| continues(next)) {
                whole = whole + " " + next;
            }
            text += &match whole.strip_prefix("* ") {
                Some(item) => wrapped(&words(item), "* ", "  "),
                None => wrapped(&words(&whole), "", ""),
            };
        }
    }
    text
}

/// A line of code. Text in a second column beside it is wrapped if the terminal is too narrow; everything else is unchanged, so that it can
/// be copied.
fn code_line(code: &str) -> String {
    let mut line = String::new();
    let indent = code.len() - code.trim_start().len();
    let parts: Vec<&str> = code[indent..].split("   ").map(str::trim).filter(|part| !part.is_empty()).collect();
    match (OF_TERMINAL.get(), &parts[..]) {
        (Some(width), [command, remark]) if code.chars().count() > *width && !command.starts_with(['$', '|']) => {
            push(&mut line, &" ".repeat(indent), command);
            let indent = " ".repeat(indent + 4);
            line += &wrapped(&remark.split_whitespace().map(str::to_owned).collect::<Vec<_>>(), &indent, &indent);
        }
        _ => push(&mut line, "", code),
    }
    line
}

/// Whether a line continues the paragraph or item before it.
fn continues(line: &str) -> bool {
    !line.trim().is_empty() && !["```", "|", "#", "* "].iter().any(|start| line.starts_with(start))
}

/// Appends a line, without blanks at its end.
fn push(text: &mut String, indent: &str, line: &str) {
    text.push_str(format!("{indent}{line}").trim_end());
    text.push('\n');
}

/// Lines of these words; the first one begins with `first`, the others with `rest`.
pub(super) fn wrapped(words: &[String], first: &str, rest: &str) -> String {
    let mut text = String::new();
    let mut line = first.to_owned();
    let mut is_empty = true;
    for word in words {
        if !is_empty && line.chars().count() + 1 + word.chars().count() > width() {
            push(&mut text, "", &line);
            line = rest.to_owned();
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line += word;
        is_empty = false;
    }
    push(&mut text, "", &line);
    text
}

/// The words of a text, without marks of emphasis. Text in back quotes is one word; a link becomes its text, followed by the page it points
/// to.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_code = false;
    let mut before = ' ';
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        let last = words.last_mut().expect("never empty");
        match letter {
            '`' => {
                is_code = !is_code;
                last.push(letter);
            }
            _ if is_code => last.push(letter),
            '[' if link(rest).is_some() => {
                let (shown, target, after) = link(rest).expect("just found");
                *last += &replaced_blanks(shown);
                if let Some(page) = target.split('#').next().and_then(|file| file.strip_suffix(".md")).filter(|page| !page.contains('/')) {
                    *last += &format!("\u{a0}(`bcheck help {page}`)");
                }
                rest = after;
            }
            '*' if !(before.is_whitespace() && rest.starts_with([' ', '\n'])) => {}
            _ if letter.is_whitespace() => words.push(String::new()),
            _ => last.push(letter),
        }
        before = letter;
    }
    let parts = words.iter().flat_map(|word| word.split('\u{a0}')).filter(|word| !word.is_empty());
    parts.map(str::to_owned).collect()
}

/// Marks blanks outside of code, so that [`words`] splits the text of a link there.
fn replaced_blanks(text: &str) -> String {
    let parts = text.split('`').enumerate().map(|(at, part)| if at % 2 == 0 { part.replace(' ', "\u{a0}") } else { part.to_owned() });
    parts.collect::<Vec<_>>().join("`")
}

/// Text, target and remainder of a link whose bracket is open.
fn link(rest: &str) -> Option<(&str, &str, &str)> {
    let (shown, behind) = rest.split_once("](")?;
    let (target, after) = behind.split_once(')')?;
    (!shown.contains(['[', ']']) && !target.contains(' ')).then_some((shown, target, after))
}

/// The cells of a row; a bar in a cell is written `\|`.
fn cells(row: &str) -> Vec<String> {
    let inner = row.trim().trim_start_matches('|').replace("\\|", "\u{1}");
    let cells = inner.strip_suffix('|').unwrap_or(&inner).split('|');
    cells.map(|cell| cell.trim().replace('\u{1}', "|")).collect()
}

/// A table, row by row. Its first row is the header, the second only separates. With two columns the header is a line of its own; with
/// more, it is the text above the first cells, and the other headings precede the cells below them.
fn table(rows: &[Vec<String>]) -> String {
    let Some(header) = rows.first() else { return String::new() };
    let body = || rows.iter().skip(2);
    let first = |row: &[String]| words(row.first().map_or("", String::as_str)).join(" ");
    let is_group = |row: &[String]| row.iter().skip(1).all(String::is_empty);
    let widest = body().filter(|row| !is_group(row)).map(|row| first(row).chars().count()).max().unwrap_or(0);
    let is_pair = header.len() == 2;
    let titles: Vec<String> = header.iter().take(if is_pair { 2 } else { 1 }).filter(|title| !title.is_empty()).cloned().collect();
    let mut text = if titles.is_empty() { String::new() } else { wrapped(&words(&titles.join(" / ")), "", "") };
    for row in body() {
        if is_group(row) {
            text += if text.is_empty() { "" } else { "\n" };
            push(&mut text, "", &first(row));
            continue;
        }
        let rest = " ".repeat(if widest > NARROW { 6 } else { widest + 4 });
        let mut start = format!("  {:widest$}  ", first(row));
        if widest > NARROW {
            text += &wrapped(&words(&first(row)), "  ", "    ");
            start.clone_from(&rest);
        }
        for (cell, title) in row.iter().zip(header).skip(1).filter(|(cell, _)| !cell.is_empty()) {
            let title = if is_pair || title.is_empty() { String::new() } else { format!("{title}: ") };
            text += &wrapped(&words(&(title + cell)), &start, &rest);
            start.clone_from(&rest);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_items_and_headings_are_wrapped() {
        let page = "# A *title*\n\nOne\nparagraph, **bold**: 2 * 3.\n\n* an item\n  goes on\n* another\n\n## B\n";
        let text = "A title\n=======\n\nOne paragraph, bold: 2 * 3.\n\n* an item goes on\n* another\n\nB\n-\n";
        assert_eq!(plain(page), text);
        let long = format!("* {}", "word ".repeat(60));
        let lines: Vec<String> = plain(&long).lines().map(str::to_owned).collect();
        assert!(lines.len() == 4 && lines.iter().all(|line| line.len() <= WIDTH) && lines[1].starts_with("  word"), "{lines:?}");
        assert_eq!(lines.join(" ").split_whitespace().filter(|word| *word == "word").count(), 60);
    }

    #[test]
    fn code_stays_as_it_is() {
        let line = format!("$ bcheck {}  *x* [y](z.md)", "a".repeat(WIDTH));
        assert_eq!(plain(&format!("```console\n{line}\n\n| a |\n\n```\n\nb\n")), format!("    {line}\n\n    | a |\n\nb\n"));
        let word = "`a  *b* [c](d.md) ".to_owned() + &"e ".repeat(10) + "`";
        assert_eq!(words(&format!("x {word} y")), ["x", &word, "y"]);
    }

    #[test]
    fn links_name_the_page_that_they_lead_to() {
        assert_eq!(
            plain("See [some page](temporal.md#a-part), and\n[`machines/x`](../../machines/x)."),
            "See some page (`bcheck help temporal`), and `machines/x`.\n"
        );
        assert_eq!(plain("[no link] (at all), [nor] this"), "[no link] (at all), [nor] this\n");
    }

    #[test]
    fn tables_become_lists() {
        let narrow = "| code | verdict |\n|---|---|\n| 0 | `a \\| b` |\n| 12 | c |\n";
        assert_eq!(plain(narrow), "code / verdict\n  0   `a | b`\n  12  c\n");
        let first = "a ".repeat(20);
        let wide = format!("| | bcheck | why |\n|---|---|---|\n| **Group** | | |\n| {first} | b | c |\n| **Other** | | |\n| d | | e |\n");
        let lists = format!("Group\n  {}\n      bcheck: b\n      why: c\n\nOther\n  d\n      why: e\n", first.trim());
        assert_eq!(plain(&wide), lists);
    }
}
