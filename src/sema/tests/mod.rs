//! Tests of the analysis as a whole, by area: from a machine's text to types, the core language, and messages.
//!
//! Invariant: messages are compared with every place they point at, the core language as `print` writes it.

mod definitions;
mod formulas;
mod labels;
mod lowering;
mod names;
mod print;
mod robustness;
mod settings;
mod substitutions;
mod typing;

use super::analyse;
use super::types::type_text;
use bcheck_ir::{Model, Type};
use bcheck_source::{Code, Diagnostic, FileId, Severity, has_errors};
use bcheck_syntax::parse_machine;

const FILE: FileId = FileId(0);

/// The result of analysing a text, syntax errors included.
fn analysed(text: &str) -> (Option<Model>, Vec<Diagnostic>) {
    let parsed = parse_machine(FILE, text);
    let mut diagnostics = parsed.diagnostics;
    let Some(machine) = parsed.tree.filter(|_| !has_errors(&diagnostics)) else { return (None, diagnostics) };
    let (model, found) = analyse(&machine);
    // Short machines call operations of their own; `tests/suite/first_minutes` has the warning.
    diagnostics.extend(found.into_iter().filter(|diagnostic| diagnostic.code != Code::OwnCall));
    (model, diagnostics)
}

/// The model of a machine without errors.
#[track_caller]
fn model(text: &str) -> Model {
    let (model, diagnostics) = analysed(text);
    model.unwrap_or_else(|| panic!("{text}\n{diagnostics:#?}"))
}

/// The diagnostics of a machine: code and title, then each place as `«text» label`, then the help.
fn messages(text: &str) -> Vec<String> {
    analysed(text).1.iter().map(|diagnostic| message(diagnostic, text)).collect()
}

fn message(diagnostic: &Diagnostic, text: &str) -> String {
    let severity = match diagnostic.severity {
        Severity::Error => "",
        Severity::Warning => "warning ",
        Severity::Note => "note ",
    };
    let mut line = format!("{severity}{} {}", diagnostic.code, diagnostic.title);
    for label in &diagnostic.labels {
        let place = &text[label.span.start as usize..label.span.end as usize];
        line.push_str(&format!(" | «{place}» {}", label.text));
    }
    for help in &diagnostic.help {
        line.push_str(&format!(" | help: {help}"));
    }
    line
}

/// Code and main place of all diagnostics of a machine.
fn places(text: &str) -> Vec<String> {
    let place = |diagnostic: &Diagnostic| {
        let span = diagnostic.span();
        format!("{} {}", diagnostic.code, &text[span.start as usize..span.end as usize])
    };
    analysed(text).1.iter().map(place).collect()
}

/// The type of a constant or variable in B notation.
fn type_of(model: &Model, name: &str) -> String {
    let declared = model.constants.get(name).or_else(|| model.variables.get(name)).unwrap_or_else(|| panic!("no {name}"));
    show(model, &declared.ty)
}

fn show(model: &Model, ty: &Type) -> String {
    type_text(model, ty)
}

/// Runs a test on a stack as large as the program's own.
fn on_large_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(1 << 30).spawn(test).expect("a thread for the test");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}
