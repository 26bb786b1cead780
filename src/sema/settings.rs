//! Settings of sizes and bounds in DEFINITIONS, as ProB reads them.
//!
//! Values are computed through other definitions and constant arithmetic.
//! Invariant: nothing here changes the meaning of a machine apart from sizes and bounds; settings that ProB obeys and bcheck ignores are
//! listed in one note. Deliberately elsewhere: sizes implied by PROPERTIES (`hints`), the goal and SCOPE (expanded clauses like others),
//! temporal formulas (`temporal`), pictures of states (`pictures`).

use super::arithmetic::value;
use super::definitions::{Definitions, Macro};
use super::expand::expanded;
use super::names::nearest;
use super::pictures;
use bcheck_ir::{GivenSet, GivenSetKind, SetId, Settings};
use bcheck_source::{Code, Diagnostic, Span};
use bcheck_syntax::ast::{BinaryOp, Expr, ExprKind};
use indexmap::IndexMap;

/// Prefixes of definitions that only steer ProB's user interface or heuristics.
const IGNORED_PREFIXES: &[&str] = &[
    "SET_PREF_",
    "HEURISTIC_FUNCTION",
    "FORCE_SYMMETRY_",
    "ANIMATION_",
    "VISB_",
    "CUSTOM_GRAPH",
    "MAX_OPERATIONS_",
    "PROB_REQUIRED_VERSION",
    "SEQUENCE_CHART",
    "GRAPH_",
];

/// The settings that are read, apart from sizes of single sets.
#[derive(Clone, Copy)]
enum Known {
    MinInt,
    MaxInt,
    DefaultSize,
    MaxOperations,
    MaxInitialisations,
}

fn known(name: &str) -> Option<Known> {
    match name {
        "SET_PREF_MININT" => Some(Known::MinInt),
        "SET_PREF_MAXINT" => Some(Known::MaxInt),
        "SET_PREF_DEFAULT_SETSIZE" => Some(Known::DefaultSize),
        "SET_PREF_MAX_OPERATIONS" => Some(Known::MaxOperations),
        "SET_PREF_MAX_INITIALISATIONS" => Some(Known::MaxInitialisations),
        _ => None,
    }
}

fn is_ignored(name: &str) -> bool {
    IGNORED_PREFIXES.iter().any(|prefix| name.starts_with(prefix)) && !pictures::is_read(name)
}

/// Reads the settings among the definitions.
pub(crate) fn read(definitions: &Definitions<'_>, sets: &IndexMap<String, GivenSet>, diagnostics: &mut Vec<Diagnostic>) -> Settings {
    let mut reader = Reader { definitions, sets, settings: Settings::default(), diagnostics };
    let mut ignored: Vec<(&str, Span)> = Vec::new();
    for found in definitions.iter().filter(|found| found.parameters.is_empty()) {
        let name = found.name.text.as_str();
        // Known settings before ignored ones: `SET_PREF_MAXINT` has the prefix of the others as well.
        if let Some(set) = name.strip_prefix("scope_") {
            reader.scope(set, found);
        } else if let Some(known) = known(name) {
            reader.number(known, found);
        } else if is_ignored(name) {
            ignored.push((name, found.name.span));
        }
    }
    if let Some((_, span)) = ignored.first() {
        let names: Vec<&str> = ignored.iter().map(|(name, _)| *name).collect();
        reader.diagnostics.push(
            Diagnostic::note(Code::SettingIgnored, *span, format!("ignored settings: {}", names.join(", ")))
                .help("they steer ProB's display or search and do not change what is checked here"),
        );
    }
    reader.settings
}

/// One pass over the definitions.
struct Reader<'r, 'a> {
    definitions: &'r Definitions<'a>,
    sets: &'r IndexMap<String, GivenSet>,
    settings: Settings,
    diagnostics: &'r mut Vec<Diagnostic>,
}

impl Reader<'_, '_> {
    /// `scope_S == n` or `scope_S == a..b`.
    fn scope(&mut self, set: &str, found: Macro<'_>) {
        let place = found.name.span;
        let Some((index, _, declared)) = self.sets.get_full(set) else {
            let diagnostic = Diagnostic::warning(Code::SettingIgnored, place, format!("the machine has no set `{set}`"))
                .label("this size is for no set and is ignored");
            self.diagnostics.push(match nearest(set, self.sets.keys().map(String::as_str)) {
                Some(near) => diagnostic.help(format!("a similar name is `{near}`")),
                None => diagnostic,
            });
            return;
        };
        if let GivenSetKind::Enumerated(elements) = &declared.kind {
            self.diagnostics.push(
                Diagnostic::warning(Code::SettingIgnored, place, format!("`{set}` is an enumerated set: its size is {}", elements.len()))
                    .label("this size is ignored")
                    .also(declared.span, "declared here"),
            );
            return;
        }
        let Some(size) = expanded(self.definitions, found).and_then(|body| size(&body)) else {
            self.diagnostics.push(
                Diagnostic::warning(Code::BadSize, place, format!("{} is not a size", found.name.text))
                    .label("a number or an interval of numbers is expected")
                    .help("the default size is used"),
            );
            return;
        };
        let id = SetId(u16::try_from(index).expect("checked when declared"));
        match usize::try_from(size) {
            Ok(size) if size > 0 => {
                self.settings.scope.insert(id, size);
            }
            _ => self.diagnostics.push(
                Diagnostic::error(Code::BadSize, place, format!("`{set}` cannot have {size} elements"))
                    .label("this is the size of a set")
                    .also(declared.span, "declared here")
                    .help("sets in B have at least one element"),
            ),
        }
    }

    /// A setting that is a number.
    fn number(&mut self, known: Known, found: Macro<'_>) {
        let (name, place) = (found.name.text.as_str(), found.name.span);
        let number = expanded(self.definitions, found).and_then(|body| value(&body));
        let count = number.and_then(|number| usize::try_from(number).ok()).filter(|number| *number > 0);
        // MAXINT and MININT may be any number; a size must be positive.
        let understood = match known {
            Known::MinInt => set(&mut self.settings.minint, number),
            Known::MaxInt => set(&mut self.settings.maxint, number),
            Known::DefaultSize => set(&mut self.settings.default_size, count),
            Known::MaxOperations => set(&mut self.settings.max_operations, number),
            Known::MaxInitialisations => set(&mut self.settings.max_initialisations, number),
        };
        if !understood {
            let wanted = if matches!(known, Known::DefaultSize) { "a positive number" } else { "a number of 64 bits" };
            self.diagnostics.push(
                Diagnostic::warning(Code::SettingIgnored, place, format!("the value of {name} cannot be used"))
                    .label(format!("{wanted} is expected"))
                    .help("the default is used"),
            );
        } else if matches!(known, Known::MaxOperations | Known::MaxInitialisations) {
            self.diagnostics.push(
                Diagnostic::note(
                    Code::SettingIgnored,
                    place,
                    format!("{name} is not obeyed: bcheck covers all steps and all initial states"),
                )
                .help("ProB stops enumerating at this number, so its counts may be smaller"),
            );
        }
    }
}

/// Stores a value; false if there is none.
fn set<T>(place: &mut Option<T>, value: Option<T>) -> bool {
    *place = value;
    place.is_some()
}

/// `n`, or `a..b` as `b - a + 1`.
fn size(expr: &Expr) -> Option<i64> {
    match &expr.kind {
        // As in ProB: an interval denotes its number of elements.
        ExprKind::Binary(BinaryOp::Interval, from, to) => value(to)?.checked_sub(value(from)?)?.checked_add(1),
        _ => value(expr),
    }
}
