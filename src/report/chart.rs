//! Numbers over sizes as a picture: panels side by side, each with a logarithmic vertical axis, as SVG.
//!
//! Invariant: nothing is shown by colour alone (series also differ in dash and marker, and every marker has its value as a title). The
//! colours (`chart.css`) are derived from those of Okabe and Ito, which people with any colour vision can distinguish; green, and in dark
//! pages all of them, are made darker or lighter for contrast with the paper. The picture is well-formed XML, loads nothing, and may be
//! embedded unchanged. Deliberately elsewhere: the numbers themselves (`compare`, `html`).

use super::markup::{Markup, markup};
use num_bigint::BigUint;
use num_traits::ToPrimitive;

/// The style sheet of the picture.
pub(super) const STYLE: &str = include_str!("chart.css");

/// Size of a panel with its axes, in pixels of the picture.
const PANEL: (f64, f64) = (460.0, 290.0);
/// The plot area of a panel, inside of its labels.
const PLOT: Plot = Plot { left: 74.0, top: 36.0, right: PANEL.0 - 16.0, bottom: PANEL.1 - 48.0 };
/// Height of title and legend, above the panels.
const HEAD: f64 = 64.0;
/// Estimated width of a letter.
// Text cannot be measured here: the viewer chooses the font.
const LETTER: f64 = 6.8;
/// Axes over more decades have a tick at every second, third, … one only.
const MOST_TICKS: i32 = 6;

/// A rectangle, by its distances from the left and upper border.
struct Plot {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

/// The unit of an axis, which decides the format of its ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Count,
    Seconds,
    Factor,
}

/// How a value came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// It was measured.
    Measured,
    /// It was computed from something smaller.
    Counted,
    /// It is a lower bound.
    Bound,
}

/// A value above a position of the horizontal axis.
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub(super) at: usize,
    /// Its logarithm to base 10.
    pub(super) log: f64,
    pub(super) mark: Mark,
    /// The value in words.
    pub(super) title: String,
}

/// The look of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// Blue circles on a line.
    First,
    /// Vermilion squares on a dashed line.
    Second,
    /// Green diamonds on a line.
    Third,
}

impl Look {
    fn class(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Second => "second",
            Self::Third => "third",
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Series {
    pub(super) name: &'static str,
    pub(super) look: Look,
    pub(super) points: Vec<Point>,
}

#[derive(Clone, Debug)]
pub(super) struct Panel {
    pub(super) title: &'static str,
    pub(super) unit: Unit,
    pub(super) series: Vec<Series>,
    /// The text in place of a panel without any point.
    pub(super) empty: &'static str,
}

/// A picture of panels over one horizontal axis.
#[derive(Clone, Debug)]
pub(super) struct Chart {
    pub(super) title: String,
    /// The title of the horizontal axis.
    pub(super) axis: String,
    /// The labels of the positions.
    pub(super) positions: Vec<String>,
    /// Whether positions are in an order, so that a line may join neighbours.
    pub(super) is_line: bool,
    pub(super) panels: Vec<Panel>,
}

impl Chart {
    /// The picture, to be embedded in a page or, with a declaration before it, used alone.
    pub(super) fn svg(&self) -> Markup {
        let columns = self.panels.len().clamp(1, 2);
        let rows = self.panels.len().div_ceil(columns);
        let (width, height) = (PANEL.0 * at(columns), HEAD + PANEL.1 * at(rows));
        let mut svg = markup!(
            // Role and label are for screen readers, which read the label instead of the content.
            "<svg class=\"chart\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" width=\"{}\" height=\"{}\" role=\"img\" aria-label=\"{}\">\n",
            width,
            height,
            width,
            height,
            self.title
        );
        svg += Markup::style(STYLE);
        svg += markup!("<rect class=\"paper\" width=\"{}\" height=\"{}\"/>\n", width, height);
        svg += markup!("<text class=\"title\" x=\"16\" y=\"24\">{}</text>\n", self.title);
        svg += self.legend();
        for (index, panel) in self.panels.iter().enumerate() {
            let (x, y) = (PANEL.0 * at(index % columns), HEAD + PANEL.1 * at(index / columns));
            svg += markup!("<g class=\"panel\" transform=\"translate({} {})\">\n{}</g>\n", x, y, self.panel(panel));
        }
        svg + markup!("</svg>\n")
    }

    /// The series, each once, and the kinds of markers that need a word.
    fn legend(&self) -> Markup {
        let mut entries: Vec<(Look, Mark, String)> = Vec::new();
        let marks = [(Mark::Measured, ""), (Mark::Counted, ", counted"), (Mark::Bound, ", at least")];
        for series in self.panels.iter().flat_map(|panel| &panel.series) {
            for (mark, word) in marks {
                let name = format!("{}{word}", series.name);
                let is_met = series.points.iter().any(|point| point.mark == mark);
                if is_met && !entries.iter().any(|(_, _, known)| *known == name) {
                    entries.push((series.look, mark, name));
                }
            }
        }
        // By look, not by panel: entries of one colour are adjacent whichever panel has them first.
        entries.sort_by_key(|(look, mark, _)| (*look as u8, *mark as u8));
        let mut legend = markup!("<g class=\"legend\">\n");
        let mut x = 16.0;
        for (look, mark, name) in entries {
            let line = if self.is_line { markup!("<path class=\"line\" d=\"M{} 46h34\"/>", x) } else { Markup::new() };
            legend += markup!(
                "<g class=\"{}\">{}{}</g><text x=\"{}\" y=\"50\">{}</text>\n",
                look.class(),
                line,
                marker(look, mark, (x + 17.0, 46.0), None),
                x + 42.0,
                name
            );
            x += 42.0 + LETTER * at(name.chars().count()) + 24.0;
        }
        legend + markup!("</g>\n")
    }

    fn panel(&self, panel: &Panel) -> Markup {
        let mut svg = markup!("<text class=\"heading\" x=\"{}\" y=\"{}\">{}</text>\n", PLOT.left, PLOT.top - 14.0, panel.title);
        let logs = || panel.series.iter().flat_map(|series| &series.points).map(|point| point.log);
        let lowest = logs().fold(f64::INFINITY, f64::min);
        let highest = logs().fold(f64::NEG_INFINITY, f64::max);
        // Without points the folds leave their infinite starts.
        if !lowest.is_finite() || !highest.is_finite() {
            return svg + markup!("<text x=\"{}\" y=\"{}\">{}</text>\n", PLOT.left, PLOT.top + 20.0, panel.empty);
        }
        let axis = Axis::over(lowest, highest);
        // `Axis::over` returns an axis of positive length, so this does not divide by 0.
        let y = |log: f64| PLOT.bottom - (log - axis.from) / (axis.to - axis.from) * (PLOT.bottom - PLOT.top);
        let spacing = (PLOT.right - PLOT.left) / at(self.positions.len().max(1));
        let x = |position: usize| PLOT.left + spacing * (at(position) + 0.5);
        svg += vertical_axis(&axis, panel.unit, y);
        svg += self.horizontal_axis(spacing, x);
        // The line at which both took the same time.
        if panel.unit == Unit::Factor && axis.from < 0.0 && axis.to > 0.0 {
            svg += markup!("<path class=\"one\" d=\"M{} {:.1}H{}\"/>\n", PLOT.left, y(0.0), PLOT.right);
        }
        for series in &panel.series {
            svg += markup!("<g class=\"{}\">\n", series.look.class());
            if self.is_line {
                svg += line(&series.points, x, y);
            }
            for point in &series.points {
                let title = format!("{}: {}", self.positions.get(point.at).map_or("", String::as_str), point.title);
                svg += markup!("{}\n", marker(series.look, point.mark, (x(point.at), y(point.log)), Some(&title)));
            }
            svg += markup!("</g>\n");
        }
        svg
    }

    /// The labels of the positions, both lines of the axes, and the title below.
    fn horizontal_axis(&self, spacing: f64, x: impl Fn(usize) -> f64) -> Markup {
        let Plot { left, top, right, bottom } = PLOT;
        let mut svg = Markup::new();
        let longest = self.positions.iter().map(|word| word.chars().count()).max().unwrap_or(0);
        // Where labels would touch, only every second, third, … position has one.
        let step = every((LETTER * at(longest) + 10.0) / spacing);
        for (position, word) in self.positions.iter().enumerate().step_by(step) {
            let at = x(position);
            svg += markup!("<path class=\"axis\" d=\"M{:.1} {}v5\"/>", at, bottom);
            svg += markup!("<text class=\"tick\" text-anchor=\"middle\" x=\"{:.1}\" y=\"{}\">{}</text>\n", at, bottom + 19.0, word);
        }
        svg + markup!(
            "<path class=\"axis\" d=\"M{} {}V{}H{}\"/>\n<text class=\"tick\" text-anchor=\"middle\" x=\"{}\" y=\"{}\">{}</text>\n",
            left,
            top,
            bottom,
            right,
            (left + right) / 2.0,
            bottom + 38.0,
            self.axis
        )
    }
}

/// The lines of the grid with their values.
fn vertical_axis(axis: &Axis, unit: Unit, y: impl Fn(f64) -> f64) -> Markup {
    let Plot { left, right, .. } = PLOT;
    let line = |(log, is_major): &(f64, bool)| {
        let (class, height) = (if *is_major { "grid" } else { "grid minor" }, y(*log));
        markup!(
            "<path class=\"{}\" d=\"M{} {:.1}H{}\"/><text class=\"tick\" text-anchor=\"end\" x=\"{}\" y=\"{:.1}\">{}</text>\n",
            class,
            left,
            height,
            right,
            left - 8.0,
            // A text rests on its baseline; lowered by a third of its height, it is centred on the line.
            height + 4.0,
            tick(*log, unit)
        )
    };
    axis.ticks.iter().map(line).collect()
}

#[allow(clippy::cast_precision_loss, reason = "a place in a picture")]
fn at(count: usize) -> f64 {
    count as f64
}

/// Logarithm to base 10 of a number of any size; of nothing it is infinite.
pub(super) fn log10(number: &BigUint) -> f64 {
    // Beyond these bits a float does not hold it; the bits left out are far below what can be seen.
    let left_out = number.bits().saturating_sub(1000);
    #[allow(clippy::cast_precision_loss, reason = "a place in a picture")]
    let shift = left_out as f64 * std::f64::consts::LOG10_2;
    (number >> left_out).to_f64().unwrap_or(0.0).log10() + shift
}

/// Every how many positions there is room for a label.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small and positive")]
fn every(positions: f64) -> usize {
    (positions.ceil() as usize).max(1)
}

/// The line through neighbouring points; it is broken where one is missing.
fn line(points: &[Point], x: impl Fn(usize) -> f64, y: impl Fn(f64) -> f64) -> Markup {
    let mut path = String::new();
    let mut last = None;
    for point in points {
        let sign = if last.is_some_and(|last: usize| last + 1 == point.at) { 'L' } else { 'M' };
        path.push_str(&format!("{sign}{:.1} {:.1}", x(point.at), y(point.log)));
        last = Some(point.at);
    }
    markup!("<path class=\"line\" d=\"{}\"/>\n", path)
}

fn marker(look: Look, mark: Mark, (x, y): (f64, f64), title: Option<&str>) -> Markup {
    let class = if mark == Mark::Measured { "marker" } else { "marker hollow" };
    let shape = match (mark, look) {
        // It points upwards: the value is at least this.
        (Mark::Bound, _) => markup!("<path class=\"{}\" d=\"M{:.1} {:.1}l6 10h-12z\"", class, x, y - 6.0),
        (_, Look::First) => markup!("<circle class=\"{}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"4.5\"", class, x, y),
        (_, Look::Second) => markup!("<rect class=\"{}\" x=\"{:.1}\" y=\"{:.1}\" width=\"8\" height=\"8\"", class, x - 4.0, y - 4.0),
        (_, Look::Third) => markup!("<path class=\"{}\" d=\"M{:.1} {:.1}l5.5 5.5l-5.5 5.5l-5.5 -5.5z\"", class, x, y - 5.5),
    };
    match title {
        Some(title) => {
            let name = match (mark, look) {
                // The end tag must be that of the shape above: the element is open until its title is in it.
                (Mark::Bound, _) | (_, Look::Third) => "path",
                (_, Look::First) => "circle",
                (_, Look::Second) => "rect",
            };
            markup!("{}><title>{}</title></{}>", shape, title, name)
        }
        None => shape + markup!("/>"),
    }
}

/// A logarithmic axis: its ends and its ticks, as logarithms; ticks between powers of ten are minor ones.
#[derive(Debug, PartialEq)]
struct Axis {
    from: f64,
    to: f64,
    ticks: Vec<(f64, bool)>,
}

impl Axis {
    #[allow(clippy::cast_possible_truncation, reason = "logarithms of numbers that fit memory")]
    fn over(lowest: f64, highest: f64) -> Self {
        // A value on a power of ten that rounding has moved is still on it.
        let from = (lowest + 1e-9).floor() as i32;
        let to = ((highest - 1e-9).ceil() as i32).max(from + 1);
        // Rounded up. Both ends are moved outwards to multiples of it, so that each has a tick.
        let step = (to - from + MOST_TICKS - 1) / MOST_TICKS;
        // Rounded down also below 0, where `/` would round towards it.
        let from = from.div_euclid(step) * step;
        let to = (to + step - 1).div_euclid(step) * step;
        let mut ticks = Vec::new();
        for power in (from..=to).step_by(usize::try_from(step).unwrap_or(1)) {
            ticks.push((f64::from(power), true));
            // There is room for 2 and 5 on a short axis.
            if to - from <= 2 && power < to {
                ticks.extend([2.0f64, 5.0].map(|factor| (f64::from(power) + factor.log10(), false)));
            }
        }
        Self { from: f64::from(from), to: f64::from(to), ticks }
    }
}

/// `10`, `1,000`, `10⁶`, `1 ms`, `0.1 s`, `20x`.
#[allow(clippy::cast_possible_truncation, reason = "logarithms of numbers that fit memory")]
fn tick(log: f64, unit: Unit) -> String {
    let power = (log + 1e-9).floor() as i32;
    // A tick is 1, 2 or 5 times a power of ten; rounding removes the error of the logarithm.
    let digit = 10f64.powf(log - f64::from(power)).round() as u32;
    let plain = |power: i32| {
        let number = f64::from(digit) * 10f64.powi(power);
        // As many decimals as a negative power needs.
        format!("{number:.*}", usize::try_from(-power).unwrap_or(0))
    };
    match unit {
        Unit::Seconds if power <= -7 => plain(power + 9) + " ns",
        Unit::Seconds if power <= -4 => plain(power + 6) + " µs",
        // Tenths of a second stay seconds, as in `0.1 s`.
        Unit::Seconds if power <= -2 => plain(power + 3) + " ms",
        Unit::Seconds if power <= 3 => plain(power) + " s",
        Unit::Count if (0..3).contains(&power) => plain(power),
        Unit::Count if power == 3 => format!("{digit},000"),
        Unit::Factor if power < 3 => plain(power) + "x",
        Unit::Factor if power == 3 => format!("{digit},000x"),
        Unit::Count => raised(digit, power),
        Unit::Seconds => raised(digit, power) + " s",
        Unit::Factor => raised(digit, power) + "x",
    }
}

fn raised(digit: u32, power: i32) -> String {
    let exponent: String = power.to_string().chars().filter_map(|letter| letter.to_digit(10)).map(superscript).collect();
    if digit == 1 { format!("10{exponent}") } else { format!("{digit}·10{exponent}") }
}

fn superscript(digit: u32) -> char {
    ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'].get(digit as usize).copied().unwrap_or('?')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_words_that_people_read() {
        let counts: Vec<String> = [0.0, 2.0, 3.0, 6.0, 44.0].iter().map(|log| tick(*log, Unit::Count)).collect();
        assert_eq!(counts, ["1", "100", "1,000", "10⁶", "10⁴⁴"]);
        let times: Vec<String> = [-5.0, -3.0, -2.0, -1.0, 0.0, 2.0].iter().map(|log| tick(*log, Unit::Seconds)).collect();
        assert_eq!(times, ["10 µs", "1 ms", "10 ms", "0.1 s", "1 s", "100 s"]);
        assert_eq!(tick(20f64.log10(), Unit::Factor), "20x");
        assert_eq!(tick(0.5f64.log10(), Unit::Factor), "0.5x");
        assert_eq!(tick(50_000f64.log10(), Unit::Count), "5·10⁴");
    }

    #[test]
    fn logarithms_of_numbers_of_any_size() {
        assert!((log10(&BigUint::from(1000u32)) - 3.0).abs() < 1e-9);
        assert!((log10(&BigUint::from(10u32).pow(2000)) - 2000.0).abs() < 1e-6);
        assert!(log10(&BigUint::ZERO).is_infinite());
    }

    #[test]
    fn an_axis_holds_its_values_between_few_ticks() {
        let short = Axis::over(0.3, 1.0);
        assert_eq!((short.from, short.to, short.ticks.len()), (0.0, 1.0, 4), "2 and 5 have ticks too");
        let long = Axis::over(0.0, 44.3);
        assert!(long.from <= 0.0 && long.to >= 44.3 && long.ticks.len() <= 7, "{long:?}");
        let point = Axis::over(2.0, 2.0);
        assert!(point.to > point.from, "one value has an axis too");
    }

    #[test]
    fn a_missing_value_breaks_the_line() {
        let point = |at| Point { at, log: 0.0, mark: Mark::Measured, title: String::new() };
        let path = line(&[point(0), point(1), point(3)], at, |log| log);
        assert_eq!((path.as_str().matches('M').count(), path.as_str().matches('L').count()), (2, 1), "{path:?}");
    }
}
