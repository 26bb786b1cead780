//! The sizes of deferred sets and the range of INT: the [`Scope`] of a run.
//!
//! Invariant: a request wins over `scope_S` in DEFINITIONS, that over sizes implied by PROPERTIES, these over the default of 2; a size
//! requested for one set wins over one for all sets, a later one over an earlier one. Deliberately elsewhere: sizes implied by PROPERTIES
//! (`hints`, `cardinalities`), the syntax of a request on the command line (`cli`).

use bcheck_ir::{DEFAULT_MAXINT, DEFAULT_MININT, GivenSetKind, Model, Scope, SetId, Settings, SizeHint};
use bcheck_source::{Code, Diagnostic, SourceMap, Span};

/// The largest size of a deferred set; far beyond what can be explored.
pub const LARGEST_SET: u64 = 10_000;
// ProB's defaults, so that a machine without settings has the same states in both tools.

/// The requested scope; the rest is decided by the machine and the defaults.
#[derive(Clone, Debug, Default)]
pub struct ScopeRequest {
    /// The origin of the request, as a file name in messages.
    pub origin: &'static str,
    /// Sizes of deferred sets.
    pub sizes: Vec<AskedSize>,
    /// MININT.
    pub minint: Option<i64>,
    /// MAXINT.
    pub maxint: Option<i64>,
}

/// A size requested for one deferred set, or for all.
#[derive(Clone, Debug)]
pub struct AskedSize {
    /// The set; all deferred sets when absent.
    pub set: Option<String>,
    /// The number of its elements.
    pub size: u64,
    /// The request as it was written, for messages.
    pub text: String,
    /// Where in `text` the part begins that messages point at.
    pub at: usize,
}

impl AskedSize {
    /// A request that is written `SET=SIZE`, or `SIZE` for all deferred sets.
    #[must_use]
    pub fn new(set: Option<&str>, size: u64) -> Self {
        let text = set.map_or_else(|| size.to_string(), |set| format!("{set}={size}"));
        Self { set: set.map(str::to_owned), size, text, at: 0 }
    }
}

/// Why there is no scope.
#[derive(Debug)]
pub struct ScopeRefusal {
    /// The reasons; at least one error.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether the request is at fault, not the machine.
    pub is_request_wrong: bool,
}

/// Decides the size of every given set and the integer bounds; warnings are appended to `warnings`.
///
/// The request is added to `sources` as texts of its own, so that messages can point at it.
///
/// # Errors
/// Diagnostics when a set is unknown or cannot have its size, or when INT would be empty.
pub fn resolve(
    model: &Model,
    request: &ScopeRequest,
    sources: &mut SourceMap,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Scope, ScopeRefusal> {
    let mut asked: Vec<Option<(u64, Span)>> = vec![None; model.sets.len()];
    let mut errors = Vec::new();
    // Sizes for all sets first, then those of single sets over them; within each kind the later one overwrites.
    for blanket in [true, false] {
        for sizes in request.sizes.iter().filter(|sizes| sizes.set.is_none() == blanket) {
            apply(model, request, sizes, sources, &mut asked, &mut errors);
        }
    }
    if !errors.is_empty() {
        return Err(ScopeRefusal { diagnostics: errors, is_request_wrong: true });
    }
    let minint = request.minint.or(model.settings.minint).unwrap_or(DEFAULT_MININT);
    let maxint = request.maxint.or(model.settings.maxint).unwrap_or(DEFAULT_MAXINT);
    let mut sizes = Vec::with_capacity(model.sets.len());
    for (index, (name, set)) in model.sets.iter().enumerate() {
        let size = match &set.kind {
            GivenSetKind::Enumerated(elements) => elements.len() as u64,
            GivenSetKind::Deferred => {
                let id = SetId(u16::try_from(index).expect("set ids are 16 bits"));
                deferred_size(model, id, asked[index], maxint, warnings)
            }
        };
        // Requested sizes are in range by now; PROPERTIES and DEFINITIONS may still imply 0 or a million.
        if (size == 0 || size > LARGEST_SET) && set.kind == GivenSetKind::Deferred {
            errors.push(bad_size(name, size, set.span));
        }
        sizes.push(u32::try_from(size).unwrap_or(u32::MAX));
    }
    // Checked here and not where they are typed: one may come from the request, the other from DEFINITIONS.
    let is_request_wrong = minint > maxint && (request.minint.is_some() || request.maxint.is_some());
    if minint > maxint {
        let text = format!("--minint {minint} --maxint {maxint}");
        let file = sources.add(request.origin, text.clone());
        errors.push(Diagnostic::error(
            Code::BadSize,
            Span::new(file, 0, text.len()),
            format!("INT would be empty: MININT {minint} is above MAXINT {maxint}"),
        ));
    }
    if errors.is_empty() { Ok(Scope { sizes, minint, maxint }) } else { Err(ScopeRefusal { diagnostics: errors, is_request_wrong }) }
}

/// The deferred sets with bcheck's default size, because the machine implies no other one.
pub fn default_sizes<'m>(model: &'m Model, scope: &'m Scope) -> impl Iterator<Item = SetId> + use<'m> {
    (0u16..).map(SetId).zip(model.sets.values()).zip(&scope.sizes).filter_map(|((id, set), size)| {
        let settings = &model.settings;
        let is_default = settings.default_size.is_none() && !settings.scope.contains_key(&id) && *size as usize == Settings::DEFAULT_SIZE;
        let is_open = !matches!(settings.hints.get(&id), Some(SizeHint::Exactly(_) | SizeHint::Suggested(_) | SizeHint::MaxInt));
        (set.kind == GivenSetKind::Deferred && is_default && is_open).then_some(id)
    })
}

/// The deferred sets without a size in the request or in DEFINITIONS.
#[must_use]
pub fn unset_sizes(model: &Model, asked: &[AskedSize]) -> Vec<SetId> {
    let Settings { default_size, scope, .. } = &model.settings;
    let is_asked = |name: &str| asked.iter().any(|size| size.set.as_deref().is_none_or(|set| set == name));
    let sets = (0u16..).map(SetId).zip(&model.sets).filter(|(id, (name, set))| {
        set.kind == GivenSetKind::Deferred && default_size.is_none() && !scope.contains_key(id) && !is_asked(name)
    });
    sets.map(|(id, _)| id).collect()
}

/// Enters the size requested for one set, or for all.
fn apply(
    model: &Model,
    request: &ScopeRequest,
    asked: &AskedSize,
    sources: &mut SourceMap,
    sizes: &mut [Option<(u64, Span)>],
    errors: &mut Vec<Diagnostic>,
) {
    // A separate text in the source map: so an option of the command line is underlined like a line of a machine.
    let file = sources.add(request.origin, asked.text.clone());
    let place = Span::new(file, asked.at.min(asked.text.len()), asked.text.len());
    let deferred = |kind: &GivenSetKind| matches!(kind, GivenSetKind::Deferred);
    if asked.size == 0 || asked.size > LARGEST_SET {
        errors.push(bad_size(asked.set.as_deref().unwrap_or("a deferred set"), asked.size, place));
        return;
    }
    match &asked.set {
        None => {
            for (entry, set) in sizes.iter_mut().zip(model.sets.values()) {
                if deferred(&set.kind) {
                    *entry = Some((asked.size, place));
                }
            }
        }
        Some(name) => match model.sets.get_full(name) {
            Some((index, _, set)) if deferred(&set.kind) => sizes[index] = Some((asked.size, place)),
            Some((_, _, set)) => {
                let count = match &set.kind {
                    GivenSetKind::Enumerated(elements) => elements.len(),
                    GivenSetKind::Deferred => 0,
                };
                errors.push(
                    Diagnostic::error(Code::BadSize, place, format!("`{name}` is an enumerated set: its size is {count}"))
                        .also(set.span, "declared here")
                        .help("only deferred sets take a size"),
                );
            }
            None => {
                let names: Vec<&str> = model.sets.iter().filter(|(_, set)| deferred(&set.kind)).map(|(name, _)| name.as_str()).collect();
                let help = match names.as_slice() {
                    [] => format!("machine {} has no deferred set", model.name),
                    names => format!("the deferred sets of {} are {}", model.name, names.join(", ")),
                };
                errors.push(Diagnostic::error(Code::UnknownSet, place, format!("the machine has no set `{name}`")).help(help));
            }
        },
    }
}

/// The size of one deferred set, with a warning when the command line contradicts PROPERTIES.
fn deferred_size(model: &Model, id: SetId, asked: Option<(u64, Span)>, maxint: i64, warnings: &mut Vec<Diagnostic>) -> u64 {
    let hint = match model.settings.hints.get(&id).copied() {
        // Only now MAXINT is known. A negative one leaves no size, and 0 is refused by the caller.
        Some(SizeHint::MaxInt) => Some(SizeHint::Exactly(usize::try_from(maxint).unwrap_or(0))),
        hint => hint,
    };
    let scope = model.settings.scope.get(&id).map(|size| *size as u64);
    // In order of weight: the request, DEFINITIONS, PROPERTIES, the default.
    let Some(size) = asked.map(|(size, _)| size).or(scope) else {
        let default = model.settings.default_size.unwrap_or(Settings::DEFAULT_SIZE) as u64;
        return match hint {
            Some(SizeHint::Exactly(size) | SizeHint::Suggested(size)) => size as u64,
            // Bounds that cross leave no size; the greatest is taken, as some extensions do name elements.
            Some(SizeHint::Listed(least, most)) => default.max(least as u64).min(most as u64),
            Some(SizeHint::AtLeast(least)) => default.max(least as u64),
            Some(SizeHint::MaxInt) | None => default,
        };
    };
    // A warning, not an error: a machine without a valuation of its constants is a result, which the search shows with its reason.
    let name = model.set_name(id);
    let contradiction = match hint {
        Some(SizeHint::Exactly(implied)) if implied as u64 != size => Some((format!("{implied} elements"), "least", implied)),
        Some(SizeHint::AtLeast(least) | SizeHint::Listed(least, _)) if size < least as u64 => {
            Some((format!("at least {least} elements"), "least", least))
        }
        Some(SizeHint::Listed(_, most)) if size > most as u64 => Some((format!("at most {most} elements"), "largest", most)),
        _ => None,
    };
    if let Some((implied, end, nearest)) = contradiction {
        let declared = model.set(id).span;
        let reason = format!("PROPERTIES give `{name}` {implied}");
        let warning = match asked {
            Some((_, place)) => Diagnostic::warning(Code::BadSize, place, format!("{reason}, the command line asks for {size}"))
                .also(declared, "declared here"),
            None => Diagnostic::warning(Code::BadSize, declared, format!("{reason}, DEFINITIONS ask for {size} (scope_{name})")),
        };
        let help = format!("PROPERTIES have no solution with this size; the {end} that would do is {name} = {nearest}");
        warnings.push(warning.help(help));
    }
    size
}

fn bad_size(name: &str, size: u64, place: Span) -> Diagnostic {
    if size == 0 {
        return Diagnostic::error(Code::BadSize, place, format!("{name} cannot be empty")).help("sets in B have at least one element");
    }
    let shown = if size == u64::MAX { "that many".to_owned() } else { size.to_string() };
    Diagnostic::error(Code::BadSize, place, format!("{name} cannot have {shown} elements"))
        .help(format!("sizes up to {LARGEST_SET} are accepted; errors nearly always show with 2 to 5 elements"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A request written `SET=SIZE` or `SIZE`.
    fn asked(text: &str) -> AskedSize {
        let (set, size) = text.split_once('=').map_or((None, text), |(set, size)| (Some(set), size));
        AskedSize::new(set, size.parse().expect("a size"))
    }

    /// The scope of a machine, or the codes of what is wrong; and the number of warnings.
    fn scope(text: &str, deferred: &[&str]) -> (Result<Scope, Vec<&'static str>>, usize) {
        let mut sources = SourceMap::new();
        let file = sources.add("m.mch", text);
        let parsed = bcheck_syntax::parse_machine(file, text);
        assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
        let (model, diagnostics) = crate::analyse(&parsed.tree.expect("a machine"));
        let model = model.unwrap_or_else(|| panic!("{diagnostics:?}"));
        let request = ScopeRequest { sizes: deferred.iter().map(|text| asked(text)).collect(), ..ScopeRequest::default() };
        let mut warnings = Vec::new();
        let result = resolve(&model, &request, &mut sources, &mut warnings);
        (result.map_err(|refusal| refusal.diagnostics.iter().map(|diagnostic| diagnostic.code.as_str()).collect()), warnings.len())
    }

    fn sizes(text: &str, deferred: &[&str]) -> Vec<u32> {
        scope(text, deferred).0.expect("a scope").sizes
    }

    #[test]
    fn nothing_said_means_two_elements_and_small_integers() {
        let (scope, warnings) = scope("MACHINE m SETS S; T = {a, b, c} END", &[]);
        assert_eq!((scope, warnings), (Ok(Scope { sizes: vec![2, 3], minint: -1, maxint: 3 }), 0));
    }

    #[test]
    fn one_set_wins_over_all_whatever_the_order() {
        assert_eq!(sizes("MACHINE m SETS S; T END", &["T=5", "3"]), [3, 5]);
        assert_eq!(sizes("MACHINE m SETS S; T END", &["T=5", "T=6"]), [2, 6]);
    }

    #[test]
    fn the_machine_may_give_sizes_and_bounds() {
        let text = "MACHINE m DEFINITIONS scope_S == 4; SET_PREF_MAXINT == 7; SET_PREF_MININT == -2 SETS S END";
        assert_eq!(scope(text, &[]).0, Ok(Scope { sizes: vec![4], minint: -2, maxint: 7 }));
        assert_eq!(sizes(text, &["3"]), [3]);
        assert_eq!(sizes("MACHINE m SETS S PROPERTIES card(S) = 3 END", &[]), [3]);
        assert_eq!(sizes("MACHINE m DEFINITIONS SET_PREF_MAXINT == 5 SETS S PROPERTIES card(S) = MAXINT END", &[]), [5]);
    }

    #[test]
    fn a_size_that_contradicts_properties_is_warned_about() {
        let (scope, warnings) = scope("MACHINE m SETS S PROPERTIES card(S) = 3 END", &["S=4"]);
        assert_eq!((scope.expect("a scope").sizes, warnings), (vec![4], 1));
        let distinct = "CONSTANTS a, b, c PROPERTIES a : S & a /= b & b /= c & c /= a END";
        let too_small = format!("MACHINE m DEFINITIONS scope_S == 2 SETS S {distinct}");
        let (scope, warnings) = self::scope(&too_small, &[]);
        assert_eq!((scope.expect("a scope").sizes, warnings), (vec![2], 1));
        assert_eq!(sizes(&format!("MACHINE m SETS S {distinct}"), &[]), [3]);
    }

    #[test]
    fn constants_that_list_a_set_may_be_equal() {
        let listed = |rest: &str| format!("MACHINE m SETS S CONSTANTS a, b, c PROPERTIES S = {{a, b}} & c : S & {rest} END");
        let asked = |rest: &str, size: &str| {
            let (scope, warnings) = scope(&listed(rest), &[size]);
            (scope.expect("a scope").sizes, warnings)
        };
        assert_eq!(sizes(&listed("c = c"), &[]), [2]);
        assert_eq!(asked("c = c", "S=1"), (vec![1], 0));
        assert_eq!(asked("c = c", "S=3"), (vec![3], 1));
        assert_eq!(asked("a /= b", "S=1"), (vec![1], 1));
        assert_eq!(asked("c /= b", "S=1"), (vec![1], 1), "c is in S too");
        // Other conjuncts may exclude the size in which all of them differ.
        assert_eq!(sizes(&listed("card(S) = 1"), &[]), [1]);
        assert_eq!(sizes(&listed("card(S) < 2"), &[]), [1]);
        assert_eq!(sizes(&listed("a = c & c = b"), &[]), [1]);
        let parts = "MACHINE m SETS S CONSTANTS a, b, c PROPERTIES @partition(S, {a}, {b, c}) END";
        // That some of them may be equal leaves the default size, unless it lies outside of the bounds.
        assert_eq!(sizes(parts, &[]), [2]);
        assert_eq!(sizes("MACHINE m SETS S CONSTANTS a, b, c PROPERTIES S = {a, b, c} END", &[]), [2]);
        assert_eq!(
            sizes("MACHINE m DEFINITIONS SET_PREF_DEFAULT_SETSIZE == 5 SETS S CONSTANTS a, b, c PROPERTIES S = {a, b, c} END", &[]),
            [3]
        );
        let (scope, warnings) = scope(parts, &["2"]);
        assert_eq!((scope.expect("a scope").sizes, warnings), (vec![2], 0));
        assert_eq!(self::scope(parts, &["1"]).1, 1);
    }

    #[test]
    fn impossible_sizes_are_refused() {
        for (text, deferred, code) in [
            ("MACHINE m SETS S END", "U=3", "B0403"),
            ("MACHINE m SETS S; T = {a} END", "T=3", "B0401"),
            ("MACHINE m SETS S END", "0", "B0401"),
            ("MACHINE m SETS S END", "10001", "B0401"),
        ] {
            assert_eq!(scope(text, &[deferred]).0, Err(vec![code]), "{deferred}");
        }
        assert_eq!(sizes("MACHINE m SETS S END", &["10000"]), [10_000]);
        // No error hides another one.
        let both = "MACHINE m DEFINITIONS SET_PREF_MININT == 5; SET_PREF_MAXINT == 1 SETS S PROPERTIES card(S) = 0 END";
        assert_eq!(scope(both, &[]).0, Err(vec!["B0401", "B0401"]));
    }
}
