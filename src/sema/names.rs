//! Name resolution: bound names, then sets, elements, constants and variables; and the nearest name for one that is not declared.
//!
//! Invariant: inner scopes hide outer ones; a global name is declared once in each machine. Operations have a name space of their own.
//! Deliberately elsewhere: definitions, which are gone by now (`expand`), and which names a machine sees (`compose`).

use super::element_names::number;
use bcheck_ir::{ConstantId, GivenSetKind, LocalId, Model, SetId, VariableId};
use bcheck_source::{Code, Diagnostic, Edit, Fix, Span, edit_distance, in_back_quotes};
use bcheck_syntax::{ast, habit, keywords, word_for};
use indexmap::IndexMap;
use rustc_hash::FxHashMap;
use std::cell::Cell;

/// The meaning of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Local(LocalId),
    Set(SetId),
    /// An element of an enumerated or numbered set, by its position.
    Element(SetId, u32),
    /// A free type, by its index.
    FreeType(usize),
    /// A constructor of a free type, by their indices.
    Constructor(usize, usize),
    Constant(ConstantId),
    Variable(VariableId),
    /// The actual parameter (or the value in VALUES) with this index.
    Actual(usize),
}

/// A bound name.
#[derive(Clone, Debug)]
pub(super) struct Bound {
    pub(super) name: String,
    pub(super) id: LocalId,
    /// Result parameters and VAR locals may be assigned; everything else may not.
    pub(super) assignable: bool,
    /// In `x : (P)`, the meaning of `x$0`.
    pub(super) old: Option<Meaning>,
}

/// Bound names, innermost last, with an index by name: binders nested deeply make long lists.
#[derive(Clone, Debug, Default)]
pub(super) struct BoundNames {
    list: Vec<Bound>,
    /// By name, the places of those with it, innermost last.
    places: FxHashMap<String, Vec<usize>>,
}

impl BoundNames {
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn push(&mut self, bound: Bound) {
        self.places.entry(bound.name.clone()).or_default().push(self.list.len());
        self.list.push(bound);
    }

    /// Takes names out of scope: all but the outermost ones.
    pub(super) fn truncate(&mut self, outer: usize) {
        for bound in self.list.drain(outer.min(self.list.len())..) {
            // The names that leave are the last ones that came, so their places are the last ones in each list.
            if let Some(places) = self.places.get_mut(&bound.name) {
                places.pop();
                if places.is_empty() {
                    self.places.remove(&bound.name);
                }
            }
        }
    }

    fn innermost(&self, name: &str) -> Option<&Bound> {
        self.places.get(name)?.last().map(|place| &self.list[*place])
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|bound| bound.name.as_str())
    }
}

impl Extend<Bound> for BoundNames {
    fn extend<T: IntoIterator<Item = Bound>>(&mut self, names: T) {
        names.into_iter().for_each(|bound| self.push(bound));
    }
}

/// A global name as one machine sees it.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) meaning: Meaning,
    pub(super) span: Span,
    /// The instance that declares it.
    pub(super) origin: usize,
    /// Whether substitutions of this machine may assign it.
    pub(super) is_own: bool,
    /// Whether machines that refer to this one see it too.
    pub(super) is_passed_on: bool,
}

/// An operation that can be called under some name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Callable {
    /// Index into the operations of the whole.
    pub(super) operation: usize,
    /// Only calls that change nothing are allowed: the machine is seen, not included.
    pub(super) only_reads: bool,
    /// Whether it is an operation of the machine itself, and not a local one.
    pub(super) is_own: bool,
    /// Another operation that has this name here too: then a call is ambiguous.
    pub(super) other: Option<usize>,
}

/// The global names and operations that one machine sees.
#[derive(Default)]
pub(super) struct Scope {
    pub(super) entries: IndexMap<String, Entry>,
    pub(super) operations: IndexMap<String, Callable>,
    /// Whether variables of refined machines are visible everywhere in it.
    pub(super) is_abstract: bool,
}

/// A deferred set in a formula about a run: its elements have the names that are printed.
pub(super) struct NumberedSet {
    pub(super) name: String,
    /// The prefix of those names.
    pub(super) prefix: String,
    pub(super) id: SetId,
    pub(super) size: u32,
}

/// The names visible at one point.
pub(super) struct Names {
    /// One for each machine.
    pub(super) scopes: Vec<Scope>,
    /// The machine whose text is being read.
    current: usize,
    /// Innermost last.
    pub(super) bound: BoundNames,
    /// PROPERTIES and CONSTRAINTS do not see variables.
    pub(super) hide_variables: bool,
    /// Variables from this id on belong to refined machines; only invariants see them.
    pub(super) first_abstract: u32,
    /// By refined machine of the chain, the lowest first: its first variable. For the machine by itself, all variables are on one side.
    pub(super) sides: Vec<u32>,
    /// Inherited preconditions speak of variables below this id only.
    pub(super) inherits_below: u32,
    /// Whether the clause being read sees variables of refined machines: an invariant, an assertion or the invariant of a loop.
    pub(super) shows_abstract: bool,
    /// All variables by id.
    pub(super) variables: Vec<String>,
    /// Definitions and operations, for suggestions only.
    pub(super) others: Vec<String>,
    /// The deferred sets, when the formula is about a run.
    pub(super) numbered: Vec<NumberedSet>,
    /// How many more unknown names may be compared with all others. A cell, as looking a name up changes nothing else.
    suggestions: Cell<usize>,
}

/// Nearest names are suggested for this many unknown names: more of them have another cause, such as a missing file.
const MOST_SUGGESTIONS: usize = 100;

impl Default for Names {
    fn default() -> Self {
        Self {
            scopes: vec![Scope::default()],
            current: 0,
            bound: BoundNames::default(),
            hide_variables: false,
            // No variable is abstract until all are declared (`compose::declare`).
            first_abstract: u32::MAX,
            sides: Vec::new(),
            inherits_below: u32::MAX,
            shows_abstract: false,
            variables: Vec::new(),
            others: Vec::new(),
            numbered: Vec::new(),
            suggestions: Cell::new(MOST_SUGGESTIONS),
        }
    }
}

impl Names {
    /// The global names of a finished model.
    pub(super) fn of_model(model: &Model) -> Self {
        let mut names = Self::default();
        let entries = &mut names.scopes[0].entries;
        let mut add = |name: &String, meaning, span| {
            entries.insert(name.clone(), Entry { meaning, span, origin: 0, is_own: true, is_passed_on: true });
        };
        for (index, (name, set)) in model.sets.iter().enumerate() {
            let id = SetId(u16::try_from(index).expect("the model's sets have ids"));
            add(name, Meaning::Set(id), set.span);
            if let GivenSetKind::Enumerated(elements) = &set.kind {
                for (element, index) in elements.iter().zip(0..) {
                    add(element, Meaning::Element(id, index), set.span);
                }
            }
        }
        for (index, (name, free)) in model.free_types.iter().enumerate() {
            add(name, Meaning::FreeType(index), free.span);
            for (case, (constructor, _)) in free.cases.iter().enumerate() {
                add(&constructor.to_string(), Meaning::Constructor(index, case), free.span);
            }
        }
        for ((name, declaration), index) in model.constants.iter().zip(0..) {
            add(name, Meaning::Constant(ConstantId(index)), declaration.span);
        }
        for ((name, declaration), index) in model.variables.iter().zip(0..) {
            add(name, Meaning::Variable(VariableId(index)), declaration.span);
        }
        names.variables = model.variables.keys().cloned().collect();
        names
    }

    /// Makes the names of another machine the visible ones; returns the machine to go back to.
    pub(super) fn enter(&mut self, scope: usize) -> usize {
        std::mem::replace(&mut self.current, scope)
    }

    /// The scope of the current machine.
    pub(super) fn scope(&self) -> &Scope {
        &self.scopes[self.current]
    }

    /// Declares a global name of the current machine; the error shows where it was declared before.
    pub(super) fn declare(&mut self, name: &str, meaning: Meaning, span: Span) -> Result<(), Diagnostic> {
        let origin = self.current;
        let entries = &mut self.scopes[origin].entries;
        if let Some(first) = entries.get(name) {
            // The first declaration stays: later uses are judged by it, and by one of them only.
            return Err(duplicate(name, span, first.span));
        }
        entries.insert(name.to_owned(), Entry { meaning, span, origin, is_own: true, is_passed_on: true });
        Ok(())
    }

    /// Keeps a name of the current machine from those that refer to it.
    pub(super) fn keep_private(&mut self, name: &str) {
        if let Some(entry) = self.scopes[self.current].entries.get_mut(name) {
            entry.is_passed_on = false;
        }
    }

    /// The name of a variable.
    pub(super) fn variable_name(&self, id: VariableId) -> String {
        self.variables.get(id.index()).cloned().unwrap_or_else(|| "?".to_owned())
    }

    /// The meaning of a name: the innermost bound name, otherwise a declared one, otherwise an element of a deferred set by its number.
    pub(super) fn lookup(&self, name: &str) -> Option<Meaning> {
        if let Some(bound) = self.bound(name) {
            return Some(Meaning::Local(bound.id));
        }
        self.global(name).map(|entry| entry.meaning).or_else(|| self.element(name))
    }

    /// The element of a deferred set that is printed under this name, unless the name is declared: `PID2`.
    fn element(&self, name: &str) -> Option<Meaning> {
        // A declared name wins, also one that is hidden here: it must not turn into an element.
        if self.scope().entries.contains_key(name) {
            return None;
        }
        self.numbered.iter().find_map(|set| {
            let number = number(name, &set.prefix)?;
            (1..=set.size).contains(&number).then_some(Meaning::Element(set.id, number - 1))
        })
    }

    /// Whether the machine declares a name, visible here or not, or prints an element under it.
    pub(super) fn is_declared(&self, name: &str) -> bool {
        self.scope().entries.contains_key(name) || self.lookup(name).is_some()
    }

    /// Whether a name has the form of an element of a deferred set, whatever the number.
    pub(super) fn looks_like_element(&self, name: &str) -> bool {
        self.numbered_like(name).is_some()
    }

    fn numbered_like(&self, name: &str) -> Option<&NumberedSet> {
        self.numbered.iter().find(|set| is_numbered(name, &set.prefix))
    }

    /// The innermost bound name.
    pub(super) fn bound(&self, name: &str) -> Option<&Bound> {
        self.bound.innermost(name)
    }

    /// The declaration of a name, unless the clause being read does not see it.
    pub(super) fn global(&self, name: &str) -> Option<&Entry> {
        let scope = self.scope();
        let entry = scope.entries.get(name)?;
        // The text of a refined machine sees its own variables everywhere; that of a refinement only where it relates the two machines.
        // Hidden, not absent: `unknown` reports where the name is declared and why it cannot be used here.
        let hidden = match entry.meaning {
            Meaning::Variable(id) => self.hide_variables || (self.is_abstract(id) && !self.shows_abstract && !scope.is_abstract),
            Meaning::Local(_)
            | Meaning::Set(_)
            | Meaning::Element(..)
            | Meaning::FreeType(_)
            | Meaning::Constructor(..)
            | Meaning::Constant(_)
            | Meaning::Actual(_) => false,
        };
        (!hidden).then_some(entry)
    }

    /// Whether a variable belongs to a refined machine and is not retained.
    pub(super) fn is_abstract(&self, id: VariableId) -> bool {
        id.0 >= self.first_abstract
    }

    /// The diagnostic for a name that has no meaning here.
    pub(super) fn unknown(&self, name: &str, span: Span) -> Diagnostic {
        if let Some(&Entry { meaning: Meaning::Variable(_), span: declared, .. }) = self.scope().entries.get(name) {
            let (label, help) = if self.hide_variables {
                ("this clause speaks of constants and sets only", "move the predicate to INVARIANT, or declare a constant")
            } else {
                ("a variable of the refined machine", "declare the variable here too, or use it in the INVARIANT only")
            };
            return Diagnostic::error(Code::UnknownName, span, format!("the variable `{name}` is not visible here"))
                .label(label)
                .also(declared, "declared here")
                .help(help);
        }
        let diagnostic = Diagnostic::error(Code::UnknownName, span, format!("nothing declares `{name}`")).label("unknown name");
        if let Some(NumberedSet { name: set, prefix, size, .. }) = self.numbered_like(name) {
            let [first, last] = [1, *size].map(|number| in_back_quotes(&format!("{prefix}{number}")).into_owned());
            let elements = match size {
                0 => "no elements here".to_owned(),
                1 => format!("1 element here, {first}"),
                2 => format!("2 elements here, {first} and {last}"),
                _ => format!("{size} elements here, {first} to {last}"),
            };
            return diagnostic.help(format!("`{set}` has {elements}; --deferred {set}=N gives it more"));
        }
        match self.meant(name) {
            Some(meant) => meant.added(diagnostic, name),
            None => diagnostic,
        }
    }

    /// The probable intention behind a name without a meaning here.
    fn meant(&self, name: &str) -> Option<Meant> {
        // Each suggestion compares the name with all others: without a limit, thousands of unknown names would take quadratic time.
        self.suggestions.set(self.suggestions.get().checked_sub(1)?);
        if self.scope().operations.contains_key(name) {
            let help = format!("`{name}` is an operation: x <-- {name} is a substitution that assigns its result");
            return Some(Meant { help, write: None });
        }
        if let Some((before, behind)) = name.split_once('.').filter(|(before, _)| self.lookup(before).is_some()) {
            let (field, relation) = (format!("{before}'{behind}"), format!("({before} ; {behind})"));
            let help = format!("a record has its fields as {field}, relations compose as {relation}");
            return Some(Meant { help, write: Some(if self.lookup(behind).is_some() { relation } else { field }) });
        }
        if let Some(base) = name.strip_suffix(['²', '³']) {
            let power = format!("{base} ** {}", if name.ends_with('²') { 2 } else { 3 });
            return Some(Meant { help: format!("the power of numbers is written {power}"), write: Some(power) });
        }
        let globals = self.scope().entries.keys().map(String::as_str).filter(|name| self.global(name).is_some());
        let candidates: Vec<&str> = self.bound.names().chain(globals).chain(self.others.iter().map(String::as_str)).collect();
        let in_other_case = candidates.iter().find(|candidate| candidate.eq_ignore_ascii_case(name));
        if let Some(near) = in_other_case {
            return Some(similar(near));
        }
        let distance = |word: &&str| edit_distance(name, word);
        let near = nearest(name, candidates.into_iter());
        let is_slip = near.is_some_and(|near| distance(&near) == 1 && name.chars().count() > 2);
        if let Some(meant) = word_meant(name).filter(|_| !is_slip) {
            return Some(meant);
        }
        // A keyword may be as far from a name as a third of its letters.
        let allowed = |distance: usize| distance * 3 <= name.chars().count();
        let keyword =
            keywords().filter(|word| word.len().abs_diff(name.len()) <= 2).min_by_key(distance).filter(|word| allowed(distance(word)));
        match (near, keyword) {
            (Some(near), Some(keyword)) if distance(&keyword) < distance(&near) => Some(similar_keyword(keyword)),
            (Some(near), _) => Some(similar(near)),
            (None, Some(keyword)) => Some(similar_keyword(keyword)),
            (None, None) => None,
        }
    }
}

/// The probable intention behind a name.
pub(super) struct Meant {
    help: String,
    /// Its replacement, where one text is most probable.
    write: Option<String>,
}

impl Meant {
    /// Adds what was meant to the diagnostic about `name`.
    pub(super) fn added(self, diagnostic: Diagnostic, name: &str) -> Diagnostic {
        let place = diagnostic.span();
        let fix = self.write.map(|text| Fix::new(format!("write {text}"), [Edit::rename(place, name, text)]));
        diagnostic.help(self.help).fixes(fix)
    }
}

/// The keyword that a name is in other case, or what B writes where other notations write this word.
pub(super) fn word_meant(name: &str) -> Option<Meant> {
    // `Bool` is the type `BOOL` rather than the function `bool`.
    let alike = keywords().filter(|keyword| keyword.eq_ignore_ascii_case(name));
    match alike.min_by_key(|keyword| keyword.contains(char::is_lowercase)) {
        Some(keyword) => Some(Meant { help: format!("the keyword of B is written {keyword}"), write: Some(keyword.to_owned()) }),
        None => habit(name).map(|help| Meant { help: help.to_owned(), write: word_for(name).map(str::to_owned) }),
    }
}

/// A declared name that is like the one that was written.
pub(super) fn similar(name: &str) -> Meant {
    Meant { help: format!("a similar name is `{name}`"), write: Some(in_back_quotes(name).into_owned()) }
}

fn similar_keyword(keyword: &str) -> Meant {
    Meant { help: format!("a similar keyword of B is {keyword}"), write: Some(keyword.to_owned()) }
}

/// Whether a name is a prefix of elements with a number.
fn is_numbered(name: &str, prefix: &str) -> bool {
    name.strip_prefix(prefix).is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The diagnostic for a name declared twice.
pub(super) fn duplicate(name: &str, span: Span, first: Span) -> Diagnostic {
    Diagnostic::error(Code::DuplicateName, span, format!("`{name}` is declared twice"))
        .label("declared again here")
        .also(first, "first declared here")
}

/// The diagnostics for names that occur twice in a list.
pub(super) fn repeated<'n>(names: impl Iterator<Item = &'n ast::Name>) -> Vec<Diagnostic> {
    let mut met: FxHashMap<&str, Span> = FxHashMap::default();
    let mut found = Vec::new();
    for name in names {
        match met.get(name.text.as_str()) {
            Some(first) => found.push(duplicate(&name.text, name.span, *first)),
            None => {
                met.insert(&name.text, name.span);
            }
        }
    }
    found
}

/// The diagnostic for the use of a name that two operations have; `used`: how it is used.
pub(super) fn ambiguous(name: &ast::Name, used: &str, [first, second]: [Span; 2]) -> Diagnostic {
    Diagnostic::error(Code::DuplicateName, name.span, format!("two operations have the name `{}` here", name.text))
        .label(used)
        .also(first, "declared here")
        .also(second, "and here")
        .help("refer to one of their machines under a prefix, as in `INCLUDES a.M`; its operation is then `a.op`")
}

/// The candidate with the smallest edit distance, if it is small for the length of the name; ties go to the first in
/// alphabetical order.
#[must_use]
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = match name.chars().count() {
        // Longer names may have more slips; with more than three, different names become similar.
        0..=2 => 1,
        3..=5 => 2,
        _ => 3,
    };
    candidates
        // The difference in length is a lower bound of the distance, and far cheaper.
        .filter(|candidate| candidate.chars().count().abs_diff(name.chars().count()) <= limit)
        .map(|candidate| (edit_distance(name, candidate), candidate))
        // A distance of the candidate's length would mean that no letter agrees.
        .filter(|(distance, candidate)| (1..=limit).contains(distance) && *distance < candidate.chars().count())
        .min()
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_suggested_only_when_it_is_near() {
        let names = ["phonebook", "Name", "Code", "db"];
        assert_eq!(nearest("phonbook", names.into_iter()), Some("phonebook"));
        assert_eq!(nearest("Nam", names.into_iter()), Some("Name"));
        assert_eq!(nearest("x", names.into_iter()), None);
        assert_eq!(nearest("temperature", names.into_iter()), None);
    }
}
