//! Where the panes are placed on the screen, depending on its size.
//!
//! Invariant: on every screen the focused pane has room, and so has the line with the verdict on the state. Deliberately elsewhere: the
//! contents of the panes (`view`).

use ratatui::layout::{Constraint, Layout, Rect};

/// A pane by its contents; the focused one receives the keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Focus {
    /// The enabled steps.
    #[default]
    Choices,
    /// The state.
    State,
    /// The steps.
    Run,
    /// The picture of the state.
    Picture,
    /// The last answer.
    Message,
}

/// What the panes require.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PaneNeeds {
    pub(super) focus: Focus,
    /// The number of lines of the picture, if there is one.
    pub(super) picture: Option<usize>,
    /// The number of lines of the message, if there is one.
    pub(super) message: Option<usize>,
}

/// The places of all parts of the screen.
#[derive(Clone, Debug, Default)]
pub(super) struct Arrangement {
    pub(super) title: Rect,
    /// The visible panes, frames included.
    pub(super) panes: Vec<(Focus, Rect)>,
    pub(super) foot: Rect,
    /// Whether only one pane fits.
    pub(super) is_single: bool,
}

/// A narrower screen shows one pane at a time.
const LEAST_WIDTH: u16 = 60;
const LEAST_HEIGHT: u16 = 16;
/// A screen at least this wide has three columns.
const WIDE: u16 = 120;

/// The most lines of a message shown beside other panes; a longer one is read on the whole screen.
pub(super) fn short_message(height: u16) -> usize {
    usize::from((height / 4).clamp(1, 12))
}

fn rows(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}

/// Arranges the panes.
pub(super) fn arrange(area: Rect, needs: PaneNeeds) -> Arrangement {
    let is_single = area.width < LEAST_WIDTH || area.height < LEAST_HEIGHT;
    let has_foot = area.height > 3;
    let [title, middle, foot] =
        Layout::vertical([Constraint::Length(1), Constraint::Min(0), Constraint::Length(u16::from(has_foot))]).areas(area);
    let short = short_message(area.height);
    let reads = needs.focus == Focus::Message && needs.message.is_some_and(|lines| lines > short);
    if reads || (is_single && needs.focus == Focus::Message) {
        return Arrangement { title, panes: vec![(Focus::Message, middle)], foot, is_single };
    }
    let below = needs.message.map_or(0, |lines| (rows(lines.min(short)) + 2).min(middle.height / 2).min(middle.height.saturating_sub(3)));
    let [middle, message] = Layout::vertical([Constraint::Min(0), Constraint::Length(below)]).areas(middle);
    let mut panes = if is_single { vec![(needs.focus, middle)] } else { columns(middle, needs) };
    if needs.message.is_some() {
        panes.push((Focus::Message, message));
    }
    Arrangement { title, panes, foot, is_single }
}

/// Two columns, or three on a wide screen.
fn columns(area: Rect, needs: PaneNeeds) -> Vec<(Focus, Rect)> {
    let picture = needs.picture.map_or(0, |lines| rows(lines.max(1)).saturating_add(2));
    if area.width < WIDE {
        let [left, right] = Layout::horizontal([Constraint::Percentage(50), Constraint::Percentage(50)]).areas(area);
        let [choices, run] = Layout::vertical([Constraint::Percentage(60), Constraint::Percentage(40)]).areas(left);
        // The state keeps half of its column.
        let [state, picture] = Layout::vertical([Constraint::Min(0), Constraint::Length(picture.min(right.height / 2))]).areas(right);
        return with_picture(vec![(Focus::Choices, choices), (Focus::State, state), (Focus::Run, run)], picture, needs);
    }
    let thirds = [Constraint::Percentage(32), Constraint::Percentage(36), Constraint::Percentage(32)];
    let [choices, state, right] = Layout::horizontal(thirds).areas(area);
    let [run, picture] = Layout::vertical([Constraint::Min(0), Constraint::Length(picture.min(right.height * 2 / 3))]).areas(right);
    with_picture(vec![(Focus::Choices, choices), (Focus::State, state), (Focus::Run, run)], picture, needs)
}

fn with_picture(mut panes: Vec<(Focus, Rect)>, picture: Rect, needs: PaneNeeds) -> Vec<(Focus, Rect)> {
    panes.extend(needs.picture.map(|_| (Focus::Picture, picture)));
    panes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pane_with_the_focus_has_room_on_every_screen() {
        for (width, height) in [(1, 1), (3, 2), (10, 4), (20, 6), (40, 12), (59, 30), (80, 24), (120, 30), (200, 50)] {
            for focus in [Focus::Choices, Focus::State, Focus::Run, Focus::Picture, Focus::Message] {
                for message in [None, Some(1), Some(500)] {
                    let needs = PaneNeeds { focus, picture: Some(40), message };
                    if focus == Focus::Message && message.is_none() {
                        continue;
                    }
                    let arrangement = arrange(Rect::new(0, 0, width, height), needs);
                    assert_eq!(arrangement.title.height, 1, "{width} x {height}");
                    let room = arrangement.panes.iter().find(|(pane, _)| *pane == focus).map(|(_, area)| area.height);
                    let least = if height >= 6 { 3 } else { height.saturating_sub(2).min(1) };
                    assert!(room >= Some(least), "{focus:?} has {room:?} rows of {width} x {height}, message {message:?}");
                }
            }
        }
    }

    #[test]
    fn a_small_screen_has_one_pane_and_a_wide_one_three_columns() {
        let of = |width, height| arrange(Rect::new(0, 0, width, height), PaneNeeds { picture: Some(5), ..PaneNeeds::default() });
        assert_eq!(of(40, 12).panes.len(), 1);
        assert_eq!(of(80, 24).panes.len(), 4);
        let columns: std::collections::BTreeSet<u16> = of(200, 50).panes.iter().map(|(_, area)| area.x).collect();
        assert_eq!(columns.len(), 3);
    }
}
