//! The header of the operation or definition whose arguments are being written.
//!
//! Invariant: it works in a text that is incomplete, as it only reads the tokens before the place. Deliberately elsewhere: types (`hover`).

use super::analysis::Understood;
use super::hover;
use super::names::Names;
use bcheck_ir::Model;
use bcheck_source::FileId;
use bcheck_syntax::{Written, WrittenKind, written};
use lsp_types::{ParameterInformation, ParameterLabel, SignatureHelp, SignatureInformation};

/// A call around a place: the position of its name, and the number of commas before the place.
struct Call {
    name: Option<Written>,
    commas: u32,
}

/// The signature of the innermost call around a place that calls an operation or definition.
pub(super) fn help(understood: &Understood, older: Option<&Model>, offset: usize) -> Option<SignatureHelp> {
    let text = understood.text();
    let names = Names::of(understood);
    let model = understood.model.as_ref().or(older);
    calls(text, offset).into_iter().rev().find_map(|call| {
        let place = call.name?.place;
        let declared = names.resolve(text[place.clone()].trim_matches('`'), FileId(0), place.start)?;
        let label = hover::header(understood, model, declared)?;
        let parameters = parameters(&label);
        // A header without parameters is of no help.
        let last = u32::try_from(parameters.len()).ok()?.checked_sub(1)?;
        let active_parameter = Some(call.commas.min(last));
        let signature = SignatureInformation { label, documentation: None, parameters: Some(parameters), active_parameter };
        Some(SignatureHelp { signatures: vec![signature], active_signature: Some(0), active_parameter })
    })
}

/// The brackets open at a place, the outermost first.
fn calls(text: &str, offset: usize) -> Vec<Call> {
    let mut open: Vec<Call> = Vec::new();
    let mut before: Option<Written> = None;
    for token in written(text).into_iter().take_while(|token| token.place.start < offset) {
        match token.kind {
            // No bracket is open at the beginning of a clause, even if closing ones are missing before it.
            WrittenKind::Keyword(word) if is_clause(word) => open.clear(),
            WrittenKind::Sign("(") => {
                let name = before.take().filter(|before| before.kind == WrittenKind::Name);
                open.push(Call { name, commas: 0 });
            }
            WrittenKind::Sign("[" | "{") => open.push(Call { name: None, commas: 0 }),
            WrittenKind::Sign(")" | "]" | "}") => _ = open.pop(),
            WrittenKind::Sign(",") => open.last_mut().into_iter().for_each(|call| call.commas += 1),
            WrittenKind::Comment => continue,
            _ => {}
        }
        before = Some(token);
    }
    open
}

fn is_clause(word: &str) -> bool {
    matches!(word, "OPERATIONS" | "EVENTS" | "INVARIANT" | "VARIABLES" | "INITIALISATION" | "INITIALIZATION" | "PROPERTIES" | "ASSERTIONS")
}

/// The parameters of a header, as offsets in it: those in the first brackets behind the name.
fn parameters(label: &str) -> Vec<ParameterInformation> {
    let header = label.split(" == ").next().unwrap_or(label);
    let start = header.find("<-- ").map_or(0, |at| at + 4);
    let Some(open) = header[start..].find('(').map(|at| start + at + 1) else { return Vec::new() };
    let units = |at: usize| u32::try_from(label[..at].encode_utf16().count()).unwrap_or(u32::MAX);
    let (mut found, mut depth, mut begin) = (Vec::new(), 0_usize, open);
    for (at, letter) in header[open..].char_indices().map(|(at, letter)| (open + at, letter)) {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth > 0 => depth -= 1,
            ',' | ')' if depth == 0 => {
                let name = begin + header[begin..at].len() - header[begin..at].trim_start().len();
                found.push(ParameterInformation { label: ParameterLabel::LabelOffsets([units(name), units(at)]), documentation: None });
                begin = at + 1;
                if letter == ')' {
                    break;
                }
            }
            _ => {}
        }
    }
    found
}
