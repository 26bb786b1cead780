//! What DEFINITIONS and PROPERTIES say about sizes and bounds, as ProB reads them.
//!
//! Invariant: nothing here changes what a machine means apart from sizes, bounds and the goal; everything that ProB would obey and
//! bcheck does not is listed in one note.

use super::definitions::Definitions;
use super::predicate::conjuncts;
use crate::ir::{SetId, Settings, SizeHint};
use crate::source::{Code, Diagnostic};
use crate::syntax::ast::{BinaryOp, Builtin, DefinitionBody, Expr, ExprKind, UnaryOp};
use indexmap::IndexMap;
use std::collections::BTreeSet;

/// Prefixes of definitions that only steer ProB's user interface, temporal properties or heuristics.
const IGNORED_PREFIXES: &[&str] = &[
    "SET_PREF_",
    "ASSERT_LTL",
    "ASSERT_CTL",
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

/// Whether a definition is only a setting, so that its body need not be a formula of the machine.
pub(super) fn is_setting(name: &str) -> bool {
    name == "GOAL" || name == "SCOPE" || name.starts_with("scope_") || IGNORED_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Reads the settings among the definitions.
pub(super) fn read(definitions: &Definitions<'_>, set_of: &dyn Fn(&str) -> Option<SetId>, diagnostics: &mut Vec<Diagnostic>) -> Settings {
    let mut settings = Settings::default();
    let mut ignored: Vec<(&str, crate::source::Span)> = Vec::new();
    for found in definitions.iter() {
        let name = found.name.text.as_str();
        let DefinitionBody::Expr(body) = found.body else {
            if is_setting(name) {
                ignored.push((name, found.name.span));
            }
            continue;
        };
        if let Some(set) = name.strip_prefix("scope_") {
            match (set_of(set), size(body)) {
                (Some(id), Some(size)) => {
                    settings.scope.insert(id, size);
                }
                (None, _) => ignored.push((name, found.name.span)),
                (_, None) => diagnostics.push(
                    Diagnostic::warning(Code::BadSize, body.span, format!("{name} is not a size"))
                        .label("a number or an interval of numbers is expected")
                        .help("the default size is used"),
                ),
            }
            continue;
        }
        let number = integer(body);
        let natural = number.and_then(|number| usize::try_from(number).ok());
        match (name, number) {
            ("SET_PREF_MININT", Some(number)) => settings.minint = Some(number),
            ("SET_PREF_MAXINT", Some(number)) => settings.maxint = Some(number),
            ("SET_PREF_DEFAULT_SETSIZE", Some(_)) => settings.default_size = natural,
            ("SET_PREF_MAX_OPERATIONS", Some(number)) => {
                settings.max_operations = Some(number);
                diagnostics.push(never_truncated(name, found.name.span));
            }
            ("SET_PREF_MAX_INITIALISATIONS", Some(number)) => {
                settings.max_initialisations = Some(number);
                diagnostics.push(never_truncated(name, found.name.span));
            }
            ("GOAL", _) => {}
            _ if is_setting(name) => ignored.push((name, found.name.span)),
            _ => {}
        }
    }
    if let Some((_, span)) = ignored.first() {
        let names: Vec<&str> = ignored.iter().map(|(name, _)| *name).collect();
        diagnostics.push(
            Diagnostic::note(Code::SettingIgnored, *span, format!("ignored settings: {}", names.join(", ")))
                .help("they steer ProB's display, search or temporal properties and do not change what is checked here"),
        );
    }
    settings
}

fn never_truncated(name: &str, span: crate::source::Span) -> Diagnostic {
    Diagnostic::note(Code::SettingIgnored, span, format!("{name} is not obeyed: bcheck covers all steps and all initial states"))
        .help("ProB stops enumerating at this number, so its counts may be smaller")
}

fn integer(expr: &Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Integer(digits) => digits.parse().ok(),
        ExprKind::Unary(UnaryOp::Negate, inner) => integer(inner).map(|number| -number),
        _ => None,
    }
}

/// `n`, or `a..b` as `b - a + 1`.
fn size(expr: &Expr) -> Option<usize> {
    match &expr.kind {
        ExprKind::Binary(BinaryOp::Interval, from, to) => usize::try_from(integer(to)? - integer(from)? + 1).ok(),
        _ => usize::try_from(integer(expr)?).ok(),
    }
}

/// What the conjuncts of PROPERTIES imply about the sizes of deferred sets.
pub(super) fn hints(
    properties: &[Expr],
    deferred: &dyn Fn(&str) -> Option<SetId>,
    constants: &BTreeSet<&str>,
) -> IndexMap<SetId, SizeHint> {
    let mut hints = IndexMap::new();
    let parts: Vec<&Expr> = properties.iter().flat_map(conjuncts).map(strip).collect();
    let mut typed: IndexMap<SetId, Vec<&str>> = IndexMap::new();
    let mut distinct: BTreeSet<(&str, &str)> = BTreeSet::new();
    for part in &parts {
        match &part.kind {
            ExprKind::Binary(BinaryOp::Equal, left, right) => {
                for (left, right) in [(left, right), (right, left)] {
                    exact(left, right, deferred, constants, &mut hints);
                }
            }
            ExprKind::Builtin(Builtin::Partition, arguments) => {
                if let Some((set, elements)) = arguments.split_first()
                    && let Some(id) = set_of(set, deferred)
                    && let Some(count) = elements.iter().map(|part| names(part, constants).map(|names| names.len())).sum::<Option<usize>>()
                {
                    hints.insert(id, SizeHint::Exactly(count));
                }
            }
            ExprKind::Binary(BinaryOp::Member, element, set) => {
                if let Some(id) = set_of(set, deferred) {
                    typed.entry(id).or_default().extend(members(element, constants));
                }
            }
            ExprKind::Binary(BinaryOp::NotEqual, left, right) => {
                if let (ExprKind::Ident(left), ExprKind::Ident(right)) = (&left.kind, &right.kind) {
                    distinct.insert((left.as_str(), right.as_str()));
                    distinct.insert((right.as_str(), left.as_str()));
                }
            }
            _ => {}
        }
    }
    for (id, names) in typed {
        let mut clique: Vec<&str> = Vec::new();
        for name in names {
            if clique.iter().all(|other| distinct.contains(&(*other, name))) {
                clique.push(name);
            }
        }
        if clique.len() > 1 {
            hints.entry(id).or_insert(SizeHint::AtLeast(clique.len()));
        }
    }
    hints
}

fn strip(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Labelled(_, inner) => strip(inner),
        _ => expr,
    }
}

fn set_of(expr: &Expr, deferred: &dyn Fn(&str) -> Option<SetId>) -> Option<SetId> {
    match &expr.kind {
        ExprKind::Ident(name) => deferred(name),
        _ => None,
    }
}

/// `card(S) = n` or `S = {a, b}`.
fn exact(
    left: &Expr,
    right: &Expr,
    deferred: &dyn Fn(&str) -> Option<SetId>,
    constants: &BTreeSet<&str>,
    hints: &mut IndexMap<SetId, SizeHint>,
) {
    if let ExprKind::Builtin(Builtin::Card, arguments) = &left.kind
        && let [set] = arguments.as_slice()
        && let Some(id) = set_of(set, deferred)
        && let Some(size) = integer(right).and_then(|size| usize::try_from(size).ok())
    {
        hints.insert(id, SizeHint::Exactly(size));
    }
    if let Some(id) = set_of(left, deferred)
        && let Some(names) = names(right, constants)
    {
        hints.insert(id, SizeHint::Exactly(names.len()));
    }
}

/// The distinct constants of a set extension.
fn names<'e>(expr: &'e Expr, constants: &BTreeSet<&str>) -> Option<BTreeSet<&'e str>> {
    let ExprKind::SetExtension(items) = &expr.kind else { return None };
    items
        .iter()
        .map(|item| match &item.kind {
            ExprKind::Ident(name) if constants.contains(name.as_str()) => Some(name.as_str()),
            _ => None,
        })
        .collect()
}

/// The constants in `a` or `(a, b)` or `a |-> b` when all are typed by one set (only the plain form is read).
fn members<'e>(element: &'e Expr, constants: &BTreeSet<&str>) -> Vec<&'e str> {
    match &element.kind {
        ExprKind::Ident(name) if constants.contains(name.as_str()) => vec![name.as_str()],
        _ => Vec::new(),
    }
}
