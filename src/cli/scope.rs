//! `--deferred`, `--minint` and `--maxint` → a request for a scope.
//!
//! Invariant: messages point to the option as typed. Deliberately elsewhere: the resulting scope (`sema::scope`).

use crate::args::ScopeArgs;
use crate::args::sizes::Sizes;
use crate::exit::Exit;
use crate::load::{Failure, Loaded};
use bcheck_eval::{Unset, fitting_scope};
use bcheck_ir::{Model, Scope, Settings};
use bcheck_sema::scope::{AskedSize, ScopeRequest, default_sizes, resolve, unset_sizes};
use bcheck_source::{Code, Diagnostic, SourceMap, Span};

/// The name of the command line in messages.
pub(crate) const COMMAND_LINE: &str = "<command line>";

/// Decides the scope of a loaded machine; warnings are added to its own.
pub(crate) fn of_machine(loaded: &mut Loaded, args: &ScopeArgs, sources: &mut SourceMap) -> Result<Scope, Failure> {
    let scope = of_model(&loaded.model, args, sources, &mut loaded.warnings)?;
    let Settings { minint, maxint, .. } = &loaded.model.settings;
    let asked: Vec<AskedSize> = args.deferred.iter().map(asked).collect();
    let unset = Unset {
        bounds: [&args.minint, &args.maxint, minint, maxint].into_iter().all(Option::is_none),
        sizes: unset_sizes(&loaded.model, &asked),
    };
    let mut warnings = Vec::new();
    let (scope, notes) = fitting_scope(&loaded.model, scope, &unset, &mut |minint, maxint| {
        let args = ScopeArgs { minint, maxint, ..args.clone() };
        of_model(&loaded.model, &args, sources, &mut warnings).ok()
    });
    loaded.warnings.extend(notes);
    loaded.default_sizes = default_sizes(&loaded.model, &scope).filter(|id| unset.sizes.contains(id)).collect();
    Ok(scope)
}

/// Decides the scope of a model; warnings go to `warnings`.
fn of_model(model: &Model, args: &ScopeArgs, sources: &mut SourceMap, warnings: &mut Vec<Diagnostic>) -> Result<Scope, Failure> {
    let ranges: Vec<Diagnostic> = args.deferred.iter().filter_map(|sizes| refused_range(sizes, sources)).collect();
    if !ranges.is_empty() {
        return Err(Failure::Refused(ranges, Exit::Usage));
    }
    if let Some(contradiction) = contradiction(&args.deferred, sources) {
        return Err(Failure::Refused(vec![contradiction], Exit::Usage));
    }
    // All are single sizes by now.
    let sizes = args.deferred.iter().map(asked).collect();
    let request = ScopeRequest { origin: COMMAND_LINE, sizes, minint: args.minint, maxint: args.maxint };
    resolve(model, &request, sources, warnings).map_err(|refusal| {
        let exit = if refusal.is_request_wrong { Exit::Usage } else { Exit::Rejected };
        Failure::Refused(refusal.diagnostics, exit)
    })
}

fn asked(sizes: &Sizes) -> AskedSize {
    let text = format!("--deferred {}", sizes.typed);
    AskedSize { set: sizes.set.clone(), size: sizes.from, at: text.len() - sizes.typed.len(), text }
}

/// Refuses two sizes for one set, or for all sets; a repeated size is accepted.
pub(crate) fn contradiction(sizes: &[Sizes], sources: &mut SourceMap) -> Option<Diagnostic> {
    let is_other =
        |one: &Sizes, other: &Sizes| one.set == other.set && ((one.from, one.to) != (other.from, other.to) || one.from != one.to);
    let (before, again) =
        sizes.iter().enumerate().find_map(|(at, again)| Some((sizes[..at].iter().find(|before| is_other(before, again))?, again)))?;
    let text = format!("--deferred {} --deferred {}", before.typed, again.typed);
    let file = sources.add(COMMAND_LINE, text.clone());
    let place = Span::new(file, text.len() - again.typed.len(), text.len());
    let what = again.set.as_ref().map_or_else(|| "all deferred sets".to_owned(), |set| format!("`{set}`"));
    let message = format!("--deferred {} and --deferred {} are two sizes for {what}: leave one out", before.typed, again.typed);
    Some(Diagnostic::error(Code::BadSize, place, message))
}

/// Refuses a range of sizes, which only a check and a comparison accept, one size after the other.
fn refused_range(sizes: &Sizes, sources: &mut SourceMap) -> Option<Diagnostic> {
    if sizes.from == sizes.to {
        return None;
    }
    let AskedSize { text, at, .. } = asked(sizes);
    let file = sources.add(COMMAND_LINE, text.clone());
    let error = Diagnostic::error(Code::BadSize, Span::new(file, at, text.len()), "this takes one size, not a range");
    Some(error.help(format!("bcheck check and bcheck compare take ranges: bcheck check MACHINE --deferred {}", sizes.typed)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The exit code and diagnostic codes of these options, for a machine with one deferred set.
    fn refused(deferred: &[&str]) -> (Exit, Vec<&'static str>) {
        let mut sources = SourceMap::new();
        let text = "MACHINE m SETS S END";
        let file = sources.add("m.mch", text);
        let parsed = bcheck_syntax::parse_machine(file, text);
        let (model, _) = bcheck_sema::analyse(&parsed.tree.expect("a machine"));
        let sizes = deferred.iter().map(|text| text.parse().expect("parses")).collect();
        let args = ScopeArgs { deferred: sizes, ..ScopeArgs::default() };
        match of_model(&model.expect("a model"), &args, &mut sources, &mut Vec::new()) {
            Err(Failure::Refused(list, exit)) => (exit, list.iter().map(|diagnostic| diagnostic.code.as_str()).collect()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn ranges_and_unknown_sets_are_faults_of_the_command_line() {
        assert_eq!(refused(&["1..3"]), (Exit::Usage, vec!["B0401"]));
        assert_eq!(refused(&["2", "T=3"]), (Exit::Usage, vec!["B0403"]));
        for two in [["3", "4"], ["S=3", "S=4"]] {
            assert_eq!(refused(&two), (Exit::Usage, vec!["B0401"]));
        }
    }
}
