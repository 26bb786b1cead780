//! The picture of a report for a browser that README.md shows, in the light and in the dark colours of the page.
//!
//! It is made from the page itself: its texts, the picture of the last state, the colours of its style sheets.
//! `PICTURE=overwrite cargo test --test suite report_picture` writes it anew.

use crate::html::page;
use crate::program::root;
use crate::xml::{Element, parse};
use std::fmt::Write as _;

const RUN: &[&str] = &["machines/violation/lift_doors.mch", "--deferred", "3", "-j", "1"];

/// The longest picture that a page should load.
const MOST_BYTES: usize = 8_000;

const WIDTH: u32 = 760;

const SANS: &str = "system-ui, sans-serif";

const MONO: &str = "ui-monospace, 'DejaVu Sans Mono', monospace";

/// The colours of the page, and rules for pictures of states.
struct Colours<'a> {
    style: &'a str,
    is_dark: bool,
}

impl Colours<'_> {
    /// A colour of the page by its name.
    fn of(&self, name: &str) -> &str {
        let lines = self.style.lines().filter_map(|line| line.split_once(&format!("--{name}: ")));
        let values: Vec<&str> = lines.map(|(_, rest)| rest.split(';').next().expect("a value ends")).collect();
        assert_eq!(values.len(), 2, "{name}: one light colour and one dark one");
        values[usize::from(self.is_dark)]
    }

    /// The rules for what the picture of a state is made of.
    fn rules(&self) -> String {
        let parts = [".chip", ".link", ".point", ".block", ".caption"];
        let rules = self.style.lines().filter(|line| line.contains(".state-picture ") && parts.iter().any(|part| line.contains(part)));
        let (dark, light): (Vec<&str>, Vec<&str>) = rules.partition(|line| line.starts_with(' '));
        assert!(light.len() > 5 && dark.len() > 4, "{light:?} {dark:?}");
        let chosen = light.into_iter().chain(dark.into_iter().filter(|_| self.is_dark));
        chosen.map(str::trim).collect::<Vec<_>>().join("\n").replace('"', "'")
    }
}

/// A picture that grows downwards.
struct Sheet {
    body: String,
    y: u32,
}

impl Sheet {
    fn text(&mut self, x: u32, look: &str, colour: &str, text: &str) {
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let _ = writeln!(self.body, "<text x=\"{x}\" y=\"{}\" class=\"{look}\" fill=\"{colour}\">{text}</text>", self.y);
    }

    /// A box whose upper edge is this far above the present line.
    fn frame(&mut self, place: (u32, u32), size: (u32, u32), fill: &str, stroke: &str) {
        let ((x, above), (width, height)) = (place, size);
        let y = self.y - above;
        let _ = writeln!(
            self.body,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"4\" fill=\"{fill}\" stroke=\"{stroke}\"/>"
        );
    }
}

fn part<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let from = text.find(start).unwrap_or_else(|| panic!("the page has no {start}"));
    let rest = &text[from..];
    &rest[..rest.find(end).expect("it ends") + end.len()]
}

fn classed<'a>(element: &'a Element, name: &str, class: &str) -> &'a Element {
    let is_it = |found: &&&Element| found.attributes.iter().any(|(key, value)| key == "class" && value.split(' ').any(|one| one == class));
    element.all(name).iter().find(is_it).copied().unwrap_or_else(|| panic!("the page has no <{name} class={class}>"))
}

/// The violated conjunct between its neighbours.
fn excerpt(text: &str, sheet: &mut Sheet, colours: &Colours) {
    let lines: Vec<String> = part(text, "<pre class=\"source\"", "</pre>").lines().map(|line| line.replace("</pre>", "")).collect();
    let hit = lines.iter().position(|line| line.contains("<mark")).expect("a marked line");
    let shown = &lines[hit - 2..=hit];
    sheet.frame((24, 20), (WIDTH - 48, 74), colours.of("tint"), colours.of("line"));
    for line in shown {
        let line = &parse(&format!("<p>{line}</p>"));
        if line.children.is_empty() {
            sheet.text(36, "mono", colours.of("ink"), line.text.trim_end());
        } else {
            sheet.frame((52, 14), (300, 20), colours.of("mark"), "none");
            sheet.text(36, "mono strong", colours.of("ink"), &format!("  {}", line.children[0].text));
        }
        sheet.y += 21;
    }
}

/// The last step: its picture, its values, what is wrong.
fn step(text: &str, step: &Element, sheet: &mut Sheet, colours: &Colours) {
    let top = sheet.y;
    sheet.text(36, "mono strong", colours.of("ink"), &step.all("h3")[0].text);
    let last = &text[text.rfind("<article").expect("a step")..];
    let picture = part(last, "<svg class=\"state-picture\"", "</svg>");
    let height: u32 = parse(picture).attribute("height").parse().expect("a number");
    let placed = picture
        .replacen("<svg ", &format!("<svg x=\"26\" y=\"{}\" ", sheet.y + 10), 1)
        .replace(" xmlns=\"http://www.w3.org/2000/svg\"", "");
    sheet.body += &(placed + "\n");
    sheet.y += height + 34;
    for row in step.all("table")[0].all("tr") {
        let cells = row.all("td");
        let is_changed = row.attributes.iter().any(|(_, class)| class == "changed");
        if is_changed {
            sheet.frame((32, 18), (WIDTH - 64, 26), colours.of("mark"), "none");
            let was = cells[1].all("code")[0];
            sheet.text(520, "", colours.of("ink"), &format!("{} {}", cells[1].text.trim(), was.text));
        }
        sheet.text(36, "strong", colours.of("ink"), &row.all("th")[0].text);
        sheet.text(90, if is_changed { "mono strong" } else { "mono" }, colours.of("ink"), &cells[0].text);
        sheet.y += 27;
    }
    let failing = classed(step, "p", "failing");
    sheet.y += 6;
    sheet.text(36, "strong", colours.of("bad"), failing.text.trim());
    sheet.text(282, "mono strong", colours.of("bad"), &failing.all("code")[0].text);
    let frame = format!(
        "<rect x=\"24\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\" fill=\"none\" stroke=\"{}\"/>\n",
        top - 24,
        WIDTH - 48,
        sheet.y - top + 40,
        colours.of("line")
    );
    sheet.body += &frame;
    sheet.y += 32;
}

fn drawn(text: &str, page: &Element, is_dark: bool) -> String {
    let style: String = page.all("style").iter().map(|style| format!("{}\n", style.text)).collect();
    let colours = Colours { style: &style, is_dark };
    let mut sheet = Sheet { body: String::new(), y: 42 };
    sheet.text(24, "title", colours.of("ink"), &page.all("h1")[0].text);
    let verdict = &classed(page, "span", "verdict").text;
    sheet.frame((WIDTH - 204, 20), (180, 28), "none", colours.of("bad"));
    sheet.text(WIDTH - 188, "strong", colours.of("bad"), verdict);
    sheet.y += 24;
    sheet.text(24, "", colours.of("soft"), &classed(page, "p", "soft").text);
    sheet.y += 34;
    sheet.text(24, "strong", colours.of("ink"), &page.all("strong")[0].text);
    sheet.y += 34;
    excerpt(text, &mut sheet, &colours);
    sheet.y += 28;
    step(text, page.all("article").last().expect("a trace"), &mut sheet, &colours);
    let height = sheet.y;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\">\n<style>\n\
         text {{ font: 14px {SANS}; }}\n.title {{ font-size: 22px; font-weight: 600; }}\n.mono {{ font: 13px {MONO}; white-space: pre; }}\n\
         .strong {{ font-weight: 600; }}\n{}\n</style>\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" rx=\"8\" fill=\"{}\" stroke=\"{}\"/>\n{}</svg>\n",
        colours.rules(),
        colours.of("paper"),
        colours.of("line"),
        sheet.body
    )
}

#[test]
fn the_picture_in_the_readme_is_that_of_the_report() {
    let (text, read, code) = page(RUN);
    assert_eq!(code, Some(12));
    let readme = std::fs::read_to_string(root().join("README.md")).expect("the README");
    for (name, is_dark) in [("report_light.svg", false), ("report_dark.svg", true)] {
        let drawn = drawn(&text, &read, is_dark);
        assert!(drawn.len() <= MOST_BYTES, "{name} has {} bytes", drawn.len());
        let path = root().join("machines/tour").join(name);
        if std::env::var_os("PICTURE").is_some_and(|how| how == "overwrite") {
            std::fs::write(&path, &drawn).expect("written");
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(kept == drawn, "{name} shows another page: PICTURE=overwrite cargo test --test suite report_picture draws it anew");
        assert!(readme.contains(&format!("machines/tour/{name}")), "the README does not show {name}");
        let all: String = parse(&drawn).all("text").iter().map(|text| format!("{}\n", text.text)).collect();
        for shown in
            ["lift_doors", "invariant_violation", "4 travel", "FLOOR1", "changed, was FLOOR1", "!f.(f : FLOOR & f /= at => Shut(f))"]
        {
            assert!(all.contains(shown), "{name} does not show {shown}:\n{all}");
        }
    }
}
