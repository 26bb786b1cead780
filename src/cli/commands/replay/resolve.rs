//! Steps of a saved trace in texts → steps in values of a machine.
//!
//! Values are parsed by the machine's own parser, at the type of their name in the machine. Invariant: nothing is guessed: a part that does
//! not fit the machine either ends the trace there with a reason, or is listed as omitted.

use crate::load::Loaded;
use bcheck_eval::Machine;
use bcheck_explore::{WantedKind, WantedStep};
use bcheck_ir::{GivenSetKind, Model, OperationId, Scope, Type};
use bcheck_report::recorded::{INITIALISATION, RecordedStep, RecordedTrace, SET_UP, WITHIN_INVARIANT};
use bcheck_report::replay::{Stop, recorded_title};
use bcheck_sema::{Formula, FormulaContext, nearest, read_formula};
use bcheck_source::{Diagnostic, SourceMap, has_errors};
use bcheck_value::Value;
use bcheck_value::display::DESCRIBED;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A trace in values.
#[derive(Default)]
pub(crate) struct Resolved {
    /// The steps, up to the first that cannot be read.
    pub(crate) wanted: Vec<WantedStep>,
    /// For each of them, the step of the file that it belongs to.
    pub(crate) of_file: Vec<usize>,
    /// Why they end before the file does.
    pub(crate) stop: Option<Stop>,
    /// The parts of the trace that are not compared.
    pub(crate) left_out: Vec<String>,
    /// Further remarks for the report.
    pub(crate) notes: Vec<String>,
}

impl Resolved {
    /// All values that occur in the steps.
    pub(crate) fn values(&self) -> Vec<Value> {
        let values = self.wanted.iter().flat_map(|step| step.arguments.iter().chain(&step.state)).flatten();
        values.collect::<BTreeSet<_>>().into_iter().cloned().collect()
    }
}

/// Parses values for one machine.
pub(crate) struct Resolver<'a> {
    loaded: &'a Loaded,
    machine: &'a Machine,
    sources: &'a mut SourceMap,
    /// Memo: values are parsed once for each text and type.
    known: BTreeMap<(String, String), Result<Option<Value>, Unfit>>,
    left_out: BTreeSet<String>,
}

/// Why a text does not fit the machine.
#[derive(Clone)]
pub(crate) struct Unfit {
    message: String,
    help: Vec<String>,
}

impl Unfit {
    /// The message with the help.
    pub(crate) fn in_one_line(&self) -> String {
        let help: String = self.help.iter().map(|help| format!(" ({help})")).collect();
        format!("{}{help}", self.message)
    }
}

impl<'a> Resolver<'a> {
    pub(crate) fn new(loaded: &'a Loaded, machine: &'a Machine, sources: &'a mut SourceMap) -> Self {
        Self { loaded, machine, sources, known: BTreeMap::new(), left_out: BTreeSet::new() }
    }

    /// The steps of a trace.
    pub(crate) fn resolve(mut self, trace: &RecordedTrace) -> Resolved {
        let model = self.machine.model();
        let mut resolved = Resolved { left_out: trace.left_out.clone(), ..Resolved::default() };
        for (index, step) in trace.steps.iter().enumerate() {
            let mut enter = |step: WantedStep| {
                resolved.wanted.push(step);
                resolved.of_file.push(index);
            };
            match self.kind(step) {
                Ok(WantedKind::SetUp) if model.constants.is_empty() => {
                    self.left_out.extend(step.state.iter().map(|(name, _)| format!("the machine has no constant `{name}`")));
                }
                Ok(kind) => {
                    // A trace of a version of the machine without constants: a set-up step without requirements is inserted, which belongs
                    // to the same step of the file.
                    if matches!(kind, WantedKind::Initialisation | WantedKind::WithinInvariant) && index == 0 && !model.constants.is_empty()
                    {
                        enter(WantedStep { kind: WantedKind::SetUp, arguments: vec![], results: vec![], state: vec![] });
                    }
                    match self.step(kind, step) {
                        Ok(wanted) => enter(wanted),
                        Err(unfit) => resolved.stop = Some(stop(index, step, "unreadable_value", unfit)),
                    }
                }
                Err(unfit) => resolved.stop = Some(stop(index, step, "unknown_operation", unfit)),
            }
            if resolved.stop.is_some() {
                break;
            }
        }
        resolved.notes = unmentioned(model, trace);
        if resolved.wanted.iter().any(|step| step.kind == WantedKind::WithinInvariant) {
            resolved.notes.push("the run begins in a state that satisfies the invariant, which need not be reachable".to_owned());
        }
        resolved.left_out.extend(self.left_out);
        resolved
    }

    fn kind(&self, step: &RecordedStep) -> Result<WantedKind, Unfit> {
        match step.name.as_deref() {
            // The names in files of ProB, and those under which its user interface shows the steps.
            Some(SET_UP | "SETUP_CONSTANTS") => Ok(WantedKind::SetUp),
            Some(INITIALISATION | "INITIALISATION") => Ok(WantedKind::Initialisation),
            Some(WITHIN_INVARIANT) => Ok(WantedKind::WithinInvariant),
            None => Ok(WantedKind::AnyOperation),
            Some(name) => operation(self.machine.model(), name).map(WantedKind::Operation),
        }
    }

    fn step(&mut self, kind: WantedKind, step: &RecordedStep) -> Result<WantedStep, Unfit> {
        let machine = self.machine;
        let model = machine.model();
        let (mut arguments, mut results) = (Vec::new(), Vec::new());
        if let WantedKind::Operation(id) = kind {
            let (name, operation) = model.operations.get_index(id.index()).expect("an operation of the machine");
            let of = |names: &'_ [(String, _, Type)]| names.iter().map(|(name, _, ty)| (name.clone(), ty.clone())).collect::<Vec<_>>();
            arguments = self.values(&step.arguments, &of(&operation.parameters), &format!("`{name}` has no parameter"))?;
            results = self.values(&step.results, &of(&operation.results), &format!("`{name}` has no result"))?;
        }
        let names: Vec<(String, Type)> =
            model.constants.iter().chain(&model.variables).map(|(name, declaration)| (name.clone(), declaration.ty.clone())).collect();
        // After the set-up only constants have values. They come first in a valuation, so a prefix of the names suffices.
        let shown = if kind == WantedKind::SetUp { model.constants.len() } else { names.len() };
        let state = self.values(&step.state, &names[..shown], "the machine has no constant or variable")?;
        Ok(WantedStep { kind, arguments, results, state })
    }

    /// The values for some names; given names that are not among them are listed as omitted.
    fn values(&mut self, given: &[(String, String)], names: &[(String, Type)], complaint: &str) -> Result<Vec<Option<Value>>, Unfit> {
        let mut values = vec![None; names.len()];
        for (name, text) in given {
            match names.iter().position(|(known, _)| known == name) {
                None => {
                    self.left_out.insert(format!("{complaint} `{name}`"));
                }
                Some(at) => {
                    values[at] = self.value(text, &names[at].1).map_err(|unfit| Unfit {
                        message: format!("`{name}` cannot be {text} here: {}", unfit.message),
                        help: unfit.help,
                    })?;
                    // Only truncated values are missing here; wrong ones have ended the trace above.
                    if values[at].is_none() {
                        self.left_out.insert(format!("the value of `{name}` is symbolic or was not saved in full, so it is not compared"));
                    }
                }
            }
        }
        Ok(values)
    }

    /// The value of a text at a type; `None` if it cannot be compared, because the text is abbreviated (`…`) or describes a set.
    fn value(&mut self, text: &str, ty: &Type) -> Result<Option<Value>, Unfit> {
        if is_cut_off(text) {
            return Ok(None);
        }
        // Traces repeat values in every state; each would be parsed and evaluated again.
        let key = (text.to_owned(), format!("{ty:?}"));
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let value = read_value(self.loaded, self.machine, self.sources, text, ty).map(Some);
        self.known.insert(key, value.clone());
        value
    }
}

/// Whether a text contains `…` for an omitted part, or a comprehension, which could not be recognised as the same set when read again;
/// inside a string both are ordinary text.
fn is_cut_off(text: &str) -> bool {
    let (mut in_string, mut escaped) = (false, false);
    for (at, letter) in text.char_indices() {
        match letter {
            '"' if !escaped => in_string = !in_string,
            '…' if !in_string => return true,
            '/' if !in_string && text[at..].starts_with(DESCRIBED) => return true,
            _ => {}
        }
        escaped = in_string && letter == '\\' && !escaped;
    }
    false
}

/// The value of a text at a type, parsed by the machine's own parser; elements of deferred sets have their printed names.
pub(crate) fn read_value(loaded: &Loaded, machine: &Machine, sources: &mut SourceMap, text: &str, ty: &Type) -> Result<Value, Unfit> {
    let context = FormulaContext { model: Some(&loaded.model), scope: Some(machine.scope()), expected: Some(ty), has_current: false };
    let (formula, model) = read_formula(sources.add("<value>", text), text, context, &loaded.macros).map_err(|list| unfit(&list))?;
    let Formula::Expr(expr) = formula else { unreachable!("a type was demanded, so it is an expression") };
    // A value that binds names, such as `{x | x : 1..3}`, needs slots for them in the frame: it is evaluated by a machine that has them.
    let value = if model.locals.len() > machine.model().locals.len() {
        Machine::compile(Arc::new(model), machine.scope().clone()).evaluate(&expr, &[])
    } else {
        machine.evaluate(&expr, &[])
    };
    value.map_err(|error| Unfit { message: error.kind.to_string(), help: Vec::new() })
}

/// The operation with this name.
pub(crate) fn operation(model: &Model, name: &str) -> Result<OperationId, Unfit> {
    model.operation(name).ok_or_else(|| {
        let operations = &model.operations;
        let near = nearest(name, operations.keys().map(String::as_str));
        let help = match near {
            Some(near) => format!("a similar name is `{near}`"),
            None if operations.is_empty() => "the machine has no operations".to_owned(),
            None => format!("its operations are {}", operations.keys().cloned().collect::<Vec<_>>().join(", ")),
        };
        Unfit { message: format!("the machine has no operation `{name}`"), help: vec![help] }
    })
}

fn unfit(diagnostics: &[Diagnostic]) -> Unfit {
    let first = diagnostics.iter().find(|diagnostic| has_errors(std::slice::from_ref(diagnostic)));
    first.map_or_else(
        || Unfit { message: "it cannot be read".to_owned(), help: Vec::new() },
        |first| Unfit { message: first.title.clone(), help: first.help.clone() },
    )
}

fn stop(index: usize, step: &RecordedStep, reason: &'static str, unfit: Unfit) -> Stop {
    Stop {
        step: index,
        title: recorded_title(step),
        reason,
        message: unfit.message,
        span: None,
        formula: None,
        values: Vec::new(),
        help: unfit.help,
    }
}

/// Constants and variables that no step gives a value.
fn unmentioned(model: &Model, trace: &RecordedTrace) -> Vec<String> {
    let given: BTreeSet<&str> = trace.steps.iter().flat_map(|step| &step.state).map(|(name, _)| name.as_str()).collect();
    let is_set_up = trace.steps.len() == 1 && !model.constants.is_empty();
    // A trace of a set-up alone has no values of variables yet.
    let variables = model.variables.keys().take(if is_set_up { 0 } else { usize::MAX });
    let missing = model.constants.keys().chain(variables).filter(|name| !given.contains(name.as_str()));
    missing.map(|name| format!("the trace gives no value of `{name}`")).collect()
}

/// Takes sizes and bounds from a trace unless the command line sets them: those stated there, otherwise as many elements as are named.
pub(crate) fn adopt_scope(scope: &mut Scope, model: &Model, trace: &RecordedTrace, asked: &crate::args::ScopeArgs) {
    let is_asked = |name: &str| asked.deferred.iter().any(|sizes| sizes.set.as_deref().is_none_or(|set| set == name));
    for ((name, set), size) in model.sets.iter().zip(&mut scope.sizes) {
        if set.kind != GivenSetKind::Deferred || is_asked(name) {
            continue;
        }
        let stated = trace.scope.sizes.iter().find(|(set, _)| set == name).map(|(_, size)| *size);
        // If the trace states no size, names such as `USER3` in it require three elements at least; the size is never reduced.
        let wanted = stated.unwrap_or_else(|| largest_number(name, trace).max(*size));
        if (1..=bcheck_sema::scope::LARGEST_SET).contains(&u64::from(wanted)) {
            *size = wanted;
        }
    }
    let (minint, maxint) =
        (asked.minint.or(trace.scope.minint).unwrap_or(scope.minint), asked.maxint.or(trace.scope.maxint).unwrap_or(scope.maxint));
    // Bounds from two sources may contradict each other (MININT typed, MAXINT from the trace); then those of the machine remain.
    if minint <= maxint {
        (scope.minint, scope.maxint) = (minint, maxint);
    }
}

/// The largest `n` of the names `SETn` in a trace.
fn largest_number(set: &str, trace: &RecordedTrace) -> u32 {
    let texts = trace.steps.iter().flat_map(|step| step.arguments.iter().chain(&step.results).chain(&step.state)).map(|(_, text)| text);
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let words = texts.flat_map(|text| text.split(move |letter: char| !is_part(letter)));
    words.filter_map(|word| word.strip_prefix(set)?.parse().ok()).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_off_is_told_from_what_a_string_holds() {
        for text in ["{…}", "/*@symbolic*/ {x | x > 3}", "(\"a\"|->{…})", "\"\\\\\" …"] {
            assert!(is_cut_off(text), "{text}");
        }
        for text in ["\"…\"", "\"/*@symbolic*/ \"", "{\"a\",\"b…\"}", "\"\\\"…\"", "{1,2}"] {
            assert!(!is_cut_off(text), "{text}");
        }
    }
}
