//! Draws the screen.
//!
//! Invariant: no part of the animation is computed here, so resizing costs only a new layout of lines. Emphasis is by character attributes
//! and frames, never by colour alone.

use super::Screen;
use super::arrangement::{Arrangement, Focus, PaneNeeds, arrange, short_message};
use super::pane::{DrawnLine, Shade, found};
use bcheck_source::{Shown, clipped, columns, padded, shown};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Block, BorderType, Paragraph};

/// Frames take a column and a row on each side; smaller areas have none.
const LEAST_FRAMED: u16 = 3;

impl Screen {
    pub(super) fn draw(&mut self, frame: &mut Frame<'_>) {
        let area = frame.area();
        // The message spans the width of the screen, whatever else is shown.
        self.pane(Focus::Message).fit_width(usize::from(area.width.saturating_sub(2)));
        let lines = self.pane(Focus::Message).count();
        let has_message = !self.message.is_empty();
        if std::mem::take(&mut self.is_asked) && lines > short_message(area.height) {
            self.read_message();
        }
        let picture = self.picture.as_ref().map(|_| self.panes[Focus::Picture as usize].count());
        let needs = PaneNeeds { focus: self.focus, picture, message: has_message.then_some(lines) };
        let arrangement = arrange(area, needs);
        let sought = Some(self.sought.clone()).filter(|sought| !sought.is_empty());
        for (focus, area) in &arrangement.panes {
            self.draw_pane(frame, *focus, *area, sought.as_deref());
        }
        self.draw_title(frame, arrangement.title);
        self.draw_foot(frame, &arrangement);
    }

    /// The machine at the left; at the right, with priority, the verdict on the state.
    fn draw_title(&self, frame: &mut Frame<'_>, area: Rect) {
        let width = usize::from(area.width);
        let verdict = clipped(&self.verdict.text, 0, width);
        let room = (width - columns(&verdict)).saturating_sub(2);
        let title = padded(&clipped(&self.title, 0, room), width - columns(&verdict));
        let bold = Style::new().add_modifier(Modifier::BOLD);
        let style = if self.verdict.is_good { bold } else { bold.add_modifier(Modifier::REVERSED) };
        frame.render_widget(Line::from(vec![Span::styled(title, bold), Span::styled(verdict, style)]), area);
    }

    fn draw_pane(&mut self, frame: &mut Frame<'_>, focus: Focus, area: Rect, sought: Option<&str>) {
        let has_focus = self.focus == focus;
        let heading = self.heading(focus);
        let is_framed = area.height >= LEAST_FRAMED && area.width >= LEAST_FRAMED;
        let border = if has_focus { BorderType::Thick } else { BorderType::Plain };
        let block = if is_framed { Block::bordered().border_type(border) } else { Block::new() };
        let inner = block.inner(area);
        let pane = self.pane(focus);
        pane.fit(usize::from(inner.width), usize::from(inner.height));
        let title = clipped(&shown!(" {}{} ", heading, pane.extent()), 0, usize::from(inner.width));
        let style = if has_focus { Style::new().add_modifier(Modifier::BOLD) } else { Style::new() };
        let lines: Vec<Line<'_>> = pane.drawn().iter().map(|line| drawn(line, has_focus, sought, inner.width)).collect();
        frame.render_widget(if is_framed { block.title(Span::styled(title, style)) } else { block }, area);
        frame.render_widget(Paragraph::new(Text::from(lines)), inner);
    }

    fn heading(&self, focus: Focus) -> Shown {
        match focus {
            Focus::Choices => shown!("enabled"),
            Focus::State => shown!("state (* changed)"),
            Focus::Run => shown!("run"),
            Focus::Picture => shown!("picture"),
            Focus::Message if self.focus == Focus::Message => shown!("answer (q closes)"),
            Focus::Message => shown!("answer (Tab)"),
        }
    }

    fn draw_foot(&self, frame: &mut Frame<'_>, arrangement: &Arrangement) {
        let area = arrangement.foot;
        if area.height == 0 {
            return;
        }
        let width = usize::from(area.width);
        match &self.input {
            Some((prompt, line)) => {
                let line = Shown::line(line);
                // The end of a long line is shown, as that is where it is typed.
                let room = width.saturating_sub(columns(prompt.sign()) + 1);
                let from = columns(&line).saturating_sub(room.saturating_sub(1));
                let text = if columns(&line) > room { clipped(&line, from, room) } else { line.to_string() };
                let text = shown!("{}{}", prompt.sign(), text.as_str());
                let column = u16::try_from(columns(&text)).unwrap_or(u16::MAX);
                frame.render_widget(Line::from(text.to_string()), area);
                frame.set_cursor_position((area.x.saturating_add(column).min(area.right().saturating_sub(1)), area.y));
            }
            None => {
                let text = foot(&self.hints(arrangement.is_single, frame.area()), width);
                frame.render_widget(Line::from(Span::styled(text, Style::new().add_modifier(Modifier::DIM))), area);
            }
        }
    }

    /// What keys do here, the most useful first.
    fn hints(&self, is_single: bool, screen: Rect) -> Vec<String> {
        let mut hints: Vec<String> = Vec::new();
        if is_single {
            hints.push(format!("{}x{} is small: Tab", screen.width, screen.height));
        }
        let here: &[&str] = match self.focus {
            Focus::Choices => &["Enter take", "v read", "o alike"],
            Focus::State => &["v read", "Enter in full", "& filter"],
            Focus::Run => &["Enter go there", "v read"],
            Focus::Picture => &["p hide"],
            Focus::Message => &["q close", "Space more"],
        };
        hints.extend(here.iter().map(|hint| (*hint).to_owned()));
        if !is_single {
            hints.push("Tab pane".to_owned());
        }
        let others = ["u undo", "/ search", "w why", ": command", "e eval", "f find", "p picture", "& filter", "s save", "r redo"];
        hints.extend(others.iter().filter(|hint| !here.contains(hint)).map(|hint| (*hint).to_owned()));
        hints
    }
}

/// As many hints as fit, and always the keys for help and for quitting.
fn foot(hints: &[String], width: usize) -> String {
    let end = "? help  q quit";
    let mut text = String::new();
    for hint in hints {
        let longer = format!("{text}{hint}  ");
        if columns(&longer) + columns(end) > width {
            break;
        }
        text = longer;
    }
    // If even the first hint does not fit beside the fixed ones, it takes precedence: it says that the screen is small.
    if let (true, Some(first)) = (text.is_empty(), hints.first()) {
        return clipped(first, 0, width);
    }
    clipped(&format!("{text}{end}"), 0, width)
}

/// A line with the matches of the search, and with the cursor.
fn drawn(line: &DrawnLine, has_focus: bool, sought: Option<&str>, width: u16) -> Line<'static> {
    let style = match line.shade {
        Shade::Plain => Style::new(),
        Shade::Strong => Style::new().add_modifier(Modifier::BOLD),
        Shade::Faint => Style::new().add_modifier(Modifier::DIM),
    };
    let is_cursor = line.is_current && has_focus;
    let style = if is_cursor { style.add_modifier(Modifier::REVERSED) } else { style };
    // The cursor is as wide as the pane.
    let text = if is_cursor { padded(&line.text, usize::from(width)) } else { line.text.clone() };
    let mut spans = Vec::new();
    let mut at = 0;
    for range in sought.map(|sought| found(&text, sought)).unwrap_or_default() {
        spans.push(Span::styled(text[at..range.start].to_owned(), style));
        spans.push(Span::styled(text[range.clone()].to_owned(), style.add_modifier(Modifier::UNDERLINED)));
        at = range.end;
    }
    spans.push(Span::styled(text[at..].to_owned(), style));
    Line::from(spans)
}
