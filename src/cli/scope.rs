//! `--deferred`, `--minint`, `--maxint` and the machine's own settings → the [`Scope`] of a run.
//!
//! Invariant: the command line wins over `scope_S` in DEFINITIONS, that over what PROPERTIES imply, that over the default of 2;
//! among options the one for a single set wins over the one for all, a later one over an earlier one.

use super::args::ScopeArgs;
use super::exit::Exit;
use super::load::{Failure, Loaded};
use super::sizes::Sizes;
use crate::ir::{GivenSetKind, Model, Scope, SetId, Settings, SizeHint};
use crate::source::{Code, Diagnostic, SourceMap, Span};

/// Deferred sets may have so many elements; far beyond what can be explored.
pub(super) const LARGEST_SET: u64 = 10_000;
const DEFAULT_MININT: i64 = -1;
const DEFAULT_MAXINT: i64 = 3;

/// A refusal: whose fault decides the exit code.
#[derive(Debug)]
struct Refusal {
    diagnostics: Vec<Diagnostic>,
    /// Whether the command line is at fault, not the machine.
    usage: bool,
}

/// Decides the scope of a loaded machine; warnings are added to its own.
pub(super) fn of_machine(loaded: &mut Loaded, args: &ScopeArgs, sources: &mut SourceMap) -> Result<Scope, Failure> {
    resolve(&loaded.model, args, sources, &mut loaded.warnings).map_err(|refusal| {
        let exit = if refusal.usage { Exit::Usage } else { Exit::Rejected };
        Failure::Refused(refusal.diagnostics, exit)
    })
}

/// Decides the scope of a model for the library: sizes by set, and one for all other deferred sets.
pub(crate) fn of_model(
    model: &Model,
    size: Option<u32>,
    sizes: &[(String, u32)],
    bounds: (Option<i64>, Option<i64>),
    sources: &mut SourceMap,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Scope, Vec<Diagnostic>> {
    let one = |set: Option<&str>, size: u32| Sizes {
        typed: set.map_or_else(|| size.to_string(), |set| format!("{set}={size}")),
        set: set.map(str::to_owned),
        from: size.into(),
        to: size.into(),
    };
    let blanket = size.map(|size| one(None, size));
    let deferred = blanket.into_iter().chain(sizes.iter().map(|(set, size)| one(Some(set), *size))).collect();
    let request = ScopeArgs { deferred, minint: bounds.0, maxint: bounds.1 };
    resolve(model, &request, sources, warnings).map_err(|refusal| refusal.diagnostics)
}

/// Decides the size of every given set and the integer bounds; warnings go to `warnings`.
///
/// The options are added to `sources` as texts of their own, so that messages can point at them.
fn resolve(model: &Model, request: &ScopeArgs, sources: &mut SourceMap, warnings: &mut Vec<Diagnostic>) -> Result<Scope, Refusal> {
    let mut asked: Vec<Option<(u64, Span)>> = vec![None; model.sets.len()];
    let mut errors = Vec::new();
    for blanket in [true, false] {
        for sizes in request.deferred.iter().filter(|sizes| sizes.set.is_none() == blanket) {
            apply(model, sizes, sources, &mut asked, &mut errors);
        }
    }
    if !errors.is_empty() {
        return Err(Refusal { diagnostics: errors, usage: true });
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
        if (size == 0 || size > LARGEST_SET) && set.kind == GivenSetKind::Deferred {
            errors.push(bad_size(name, size, set.span));
        }
        sizes.push(u32::try_from(size).unwrap_or(u32::MAX));
    }
    if minint > maxint {
        let usage = request.minint.is_some() || request.maxint.is_some();
        let text = format!("--minint {minint} --maxint {maxint}");
        let file = sources.add("<command line>", text.clone());
        let error = Diagnostic::error(
            Code::BadSize,
            Span::new(file, 0, text.len()),
            format!("INT would be empty: MININT {minint} is above MAXINT {maxint}"),
        );
        return Err(Refusal { diagnostics: vec![error], usage });
    }
    if errors.is_empty() { Ok(Scope { sizes, minint, maxint }) } else { Err(Refusal { diagnostics: errors, usage: false }) }
}

/// Enters one `--deferred` option.
fn apply(model: &Model, sizes: &Sizes, sources: &mut SourceMap, asked: &mut [Option<(u64, Span)>], errors: &mut Vec<Diagnostic>) {
    let text = format!("--deferred {}", sizes.typed);
    let file = sources.add("<command line>", text.clone());
    let place = Span::new(file, text.len() - sizes.typed.len(), text.len());
    let deferred = |kind: &GivenSetKind| matches!(kind, GivenSetKind::Deferred);
    if sizes.from != sizes.to {
        errors.push(
            Diagnostic::error(Code::BadSize, place, "a check takes one size, not a range")
                .help(format!("bcheck compare takes ranges: bcheck compare MACHINE --deferred {}", sizes.typed)),
        );
        return;
    }
    if sizes.from == 0 || sizes.from > LARGEST_SET {
        errors.push(bad_size(sizes.set.as_deref().unwrap_or("a deferred set"), sizes.from, place));
        return;
    }
    match &sizes.set {
        None => {
            for (entry, set) in asked.iter_mut().zip(model.sets.values()) {
                if deferred(&set.kind) {
                    *entry = Some((sizes.from, place));
                }
            }
        }
        Some(name) => match model.sets.get_full(name) {
            Some((index, _, set)) if deferred(&set.kind) => asked[index] = Some((sizes.from, place)),
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
        Some(SizeHint::MaxInt) => Some(SizeHint::Exactly(usize::try_from(maxint).unwrap_or(0))),
        hint => hint,
    };
    let scope = model.settings.scope.get(&id).map(|size| *size as u64);
    let Some(size) = asked.map(|(size, _)| size).or(scope) else {
        let default = model.settings.default_size.unwrap_or(Settings::DEFAULT_SIZE) as u64;
        return match hint {
            Some(SizeHint::Exactly(size) | SizeHint::Suggested(size)) => size as u64,
            Some(SizeHint::AtLeast(least)) => default.max(least as u64),
            Some(SizeHint::MaxInt) | None => default,
        };
    };
    let name = model.set_name(id);
    let contradiction = match hint {
        Some(SizeHint::Exactly(implied)) if implied as u64 != size => Some((format!("{implied} elements"), implied)),
        Some(SizeHint::AtLeast(least)) if size < least as u64 => Some((format!("at least {least} elements"), least)),
        _ => None,
    };
    if let Some((implied, least)) = contradiction {
        let declared = model.set(id).span;
        let reason = format!("PROPERTIES give `{name}` {implied}");
        let warning = match asked {
            Some((_, place)) => Diagnostic::warning(Code::BadSize, place, format!("{reason}, the command line asks for {size}"))
                .also(declared, "declared here"),
            None => Diagnostic::warning(Code::BadSize, declared, format!("{reason}, DEFINITIONS ask for {size} (scope_{name})")),
        };
        let help = format!("PROPERTIES have no solution with this size; the least that would do is {name} = {least}");
        warnings.push(warning.help(help));
    }
    size
}

fn bad_size(name: &str, size: u64, place: Span) -> Diagnostic {
    if size == 0 {
        return Diagnostic::error(Code::BadSize, place, format!("{name} cannot be empty")).help("sets in B have at least one element");
    }
    let shown = if size == u64::MAX { "so many".to_owned() } else { size.to_string() };
    Diagnostic::error(Code::BadSize, place, format!("{name} cannot have {shown} elements"))
        .help(format!("sizes up to {LARGEST_SET} are accepted; errors nearly always show with 2 to 5 elements"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The scope of a machine, or the codes of what is wrong; and the number of warnings.
    fn scope(text: &str, deferred: &[&str]) -> (Result<Scope, Vec<&'static str>>, usize) {
        let mut sources = SourceMap::new();
        let file = sources.add("m.mch", text);
        let parsed = crate::syntax::parse_machine(file, text);
        assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
        let (model, diagnostics) = crate::sema::analyse(&parsed.tree.expect("a machine"));
        let model = model.unwrap_or_else(|| panic!("{diagnostics:?}"));
        let request = ScopeArgs { deferred: deferred.iter().map(|text| text.parse().expect("parses")).collect(), ..ScopeArgs::default() };
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
    fn impossible_sizes_are_refused() {
        for (text, deferred, code) in [
            ("MACHINE m SETS S END", "U=3", "B0403"),
            ("MACHINE m SETS S; T = {a} END", "T=3", "B0401"),
            ("MACHINE m SETS S END", "0", "B0401"),
            ("MACHINE m SETS S END", "10001", "B0401"),
            ("MACHINE m SETS S END", "1..3", "B0401"),
        ] {
            assert_eq!(scope(text, &[deferred]).0, Err(vec![code]), "{deferred}");
        }
        assert_eq!(sizes("MACHINE m SETS S END", &["10000"]), [10_000]);
    }
}
