//! Gathers a machine and all that it refers to into instances, dependencies first.
//!
//! Invariant: a tree occurs once in the project however often it is named, an instance once for each prefix; links point to earlier
//! instances, so there are no cycles; all references to a machine mean one file. Deliberately elsewhere: the meaning of the names in them
//! (`scope`).

use super::reference::{LinkKind, Reference, missing, references};
use super::{Files, LoadError};
use crate::definitions::is_library;
use bcheck_source::{Code, Diagnostic, FileId, Span, has_errors};
use bcheck_syntax::ast::{ClauseKind, Definition, Machine, MachineKind, Name, Parsed};
use std::collections::{HashMap, HashSet};

/// More instances than this come from machines that each include the next one under several prefixes.
const MOST_INSTANCES: usize = 50_000;

/// A machine's text and its definitions, those of definition files included.
pub struct Tree {
    pub(crate) machine: Machine,
    /// Includes of ProB's libraries that are not on disk stay, for the message of `definitions`; everything else is a macro.
    pub(crate) definitions: Vec<Definition>,
}

/// A machine under a prefix.
pub(crate) struct Instance {
    /// Index of its text.
    pub(crate) tree: usize,
    /// The prefix of its variables and operations in the whole: empty, or ending in a dot.
    pub(crate) prefix: String,
    pub(crate) links: Vec<Link>,
    /// The including instance and the position of the reference among all references in its INCLUDES, EXTENDS and IMPORTS.
    pub(crate) arguments: Option<(usize, usize)>,
    /// Whether its variables are part of the state; a refined machine's are not.
    pub(crate) is_live: bool,
    /// Whether another machine includes it; then its operations are steps of the whole only if promoted.
    pub(crate) is_included: bool,
}

impl Instance {
    /// The instance that it refines.
    pub(super) fn refined(&self) -> Option<usize> {
        refined_by(&self.links)
    }
}

/// The instance that one with these references refines.
fn refined_by(links: &[Link]) -> Option<usize> {
    links.iter().find(|link| link.kind == LinkKind::Refines).map(|link| link.to)
}

/// A reference from one instance to another.
#[derive(Clone)]
pub(crate) struct Link {
    pub(crate) kind: LinkKind,
    pub(crate) to: usize,
    /// The prefix as written, with its dot.
    pub(crate) prefix: String,
    pub(crate) span: Span,
}

/// A main machine with all that it refers to.
pub(crate) struct Project {
    pub(crate) trees: Vec<Tree>,
    /// The main machine is the last one.
    pub(crate) instances: Vec<Instance>,
}

impl Project {
    /// Gathers a project; missing and faulty machines are reported and left out. A machine that both a refined machine and its
    /// refinement include has two instances: whether their variables are the same depends on the machines in between (`declare`).
    pub(crate) fn gather(main: &Machine, files: &mut dyn Files, diagnostics: &mut Vec<Diagnostic>) -> Self {
        let mut gatherer = Gatherer {
            files,
            trees: Vec::new(),
            by_name: HashMap::new(),
            compared: HashSet::new(),
            instances: Vec::new(),
            by_key: HashMap::new(),
            path: Vec::new(),
            has_too_many: false,
            diagnostics,
        };
        let tree = gatherer.add_tree(main.clone());
        // A reference back to the main machine must find this tree, and so a cycle, instead of reading its file.
        gatherer.by_name.insert(main.name.text.clone(), Some(tree));
        gatherer.instance(tree, String::new(), 0);
        let Gatherer { trees, mut instances, diagnostics, .. } = gatherer;
        mark(&mut instances);
        report_included_twice(&trees, &instances, diagnostics);
        Self { trees, instances }
    }

    /// The text of an instance.
    pub(crate) fn machine(&self, instance: usize) -> &Machine {
        &self.trees[self.instances[instance].tree].machine
    }

    /// The index of the main machine.
    pub(crate) fn main(&self) -> usize {
        self.instances.len() - 1
    }

    /// The machine that the main machine refines.
    pub(crate) fn refined(&self) -> Option<usize> {
        self.instances.last()?.refined()
    }

    /// The machines of the chain of refinements: the main machine, the one that it refines, and so on.
    pub(crate) fn chain(&self) -> Vec<usize> {
        std::iter::successors(Some(self.main()), |&of| self.instances[of].refined()).collect()
    }

    /// By instance: the number in the chain of the machine that it is, or is included in; nothing for one that is only seen.
    pub(crate) fn levels(&self) -> Vec<Option<usize>> {
        let mut levels = vec![None; self.instances.len()];
        for (level, machine) in self.chain().into_iter().enumerate() {
            levels[machine] = Some(level);
        }
        // Links point backwards, so an instance has its level before its own links are followed.
        for from in (0..self.instances.len()).rev() {
            for link in self.instances[from].links.iter().filter(|link| link.kind.is_inclusion()) {
                levels[link.to] = levels[link.to].or(levels[from]);
            }
        }
        levels
    }

    /// Whether the main machine refines an instance, directly or through others.
    pub(crate) fn is_refined(&self, instance: usize) -> bool {
        instance != self.main() && self.chain().contains(&instance)
    }

    /// Whether an instance belongs to an implementation, and is not its own machine.
    pub(super) fn is_below_implementation(&self, instance: usize) -> bool {
        instance != self.main() && self.machine(self.main()).kind == MachineKind::Implementation
    }

    /// By instance that is not part of the state: the number in the chain of the first machine that contains or sees it.
    pub(crate) fn sides(&self) -> Vec<Option<usize>> {
        let mut sides = vec![None; self.instances.len()];
        for (level, machine) in self.chain().into_iter().enumerate().skip(1) {
            sides[machine] = Some(level);
            // Links point backwards, so an instance is marked before its own links are followed.
            for from in (0..self.instances.len()).rev().filter(|&from| !self.instances[from].is_live) {
                if sides[from] != Some(level) {
                    continue;
                }
                for link in self.instances[from].links.iter().filter(|link| link.kind != LinkKind::Refines) {
                    if !self.instances[link.to].is_live && sides[link.to].is_none() {
                        sides[link.to] = Some(level);
                    }
                }
            }
        }
        sides
    }
}

struct Gatherer<'f, 'd> {
    files: &'f mut dyn Files,
    trees: Vec<Tree>,
    /// Also names that could not be loaded, so that each is reported once.
    by_name: HashMap<String, Option<usize>>,
    /// References whose file was compared with that of their machine: the file and the name of each, and the path in a pragma.
    compared: HashSet<(FileId, String, Option<String>)>,
    instances: Vec<Instance>,
    /// By text, prefix, and number of REFINES between it and the main machine (0 for a machine that is only seen).
    by_key: HashMap<(usize, String, u32), usize>,
    /// The machines whose clauses are being followed.
    path: Vec<usize>,
    /// Whether [`MOST_INSTANCES`] was reached.
    has_too_many: bool,
    diagnostics: &'d mut Vec<Diagnostic>,
}

impl Gatherer<'_, '_> {
    fn add_tree(&mut self, machine: Machine) -> usize {
        // Each machine has its own definitions, so a file that two machines include is added to both.
        let mut definitions = Vec::new();
        for clause in &machine.clauses {
            if let ClauseKind::Definitions(items) = &clause.kind {
                self.add_definitions(items, None, &mut HashSet::new(), &mut definitions);
            }
        }
        self.trees.push(Tree { machine, definitions });
        self.trees.len() - 1
    }

    /// Adds definitions in order, those of a file where it is included. `via` is the outermost inclusion, in the machine's own text.
    fn add_definitions(&mut self, items: &[Definition], via: Option<Span>, known: &mut HashSet<FileId>, result: &mut Vec<Definition>) {
        for item in items {
            let Definition::Include(file) = item else {
                result.push(item.clone());
                continue;
            };
            match self.files.definitions(file.span.file, &file.text) {
                Ok(parsed) => {
                    // A file is identified by the spans of its definitions. Each is included once, so files may include each other
                    // cyclically.
                    let first = parsed.tree.first().map(|first| match first {
                        Definition::Include(name) | Definition::Macro { name, .. } => name.span.file,
                    });
                    let is_new = first.is_none_or(|first| known.insert(first));
                    if is_new {
                        self.take_diagnostics(parsed.diagnostics, via.unwrap_or(file.span));
                        self.add_definitions(&parsed.tree, via.or(Some(file.span)), known, result);
                    }
                }
                Err(LoadError::NotFound(_)) if is_library(&file.text) => result.push(item.clone()),
                Err(error) => {
                    let what = format!("the definition file \"{}\"", file.text);
                    let elsewhere = self.files.elsewhere(file.span.file, "", Some(&file.text));
                    self.diagnostics.push(missing(&what, file.span, error, elsewhere));
                }
            }
        }
    }

    /// Takes over the diagnostics of another file; the first one also shows the clause that refers to it.
    fn take_diagnostics(&mut self, found: Vec<Diagnostic>, clause: Span) {
        let mut reason = Some(clause);
        for mut diagnostic in found {
            // A file that two machines include is parsed for each of them.
            if self.diagnostics.iter().any(|known| known.code == diagnostic.code && known.span() == diagnostic.span()) {
                continue;
            }
            if let Some(clause) = reason.take() {
                diagnostic = diagnostic.also(clause, "the file is read because of this");
            }
            self.diagnostics.push(diagnostic);
        }
    }

    /// The text of a machine, read when it is first named.
    fn tree(&mut self, Reference { name, file, .. }: &Reference) -> Option<usize> {
        if let Some(&known) = self.by_name.get(&name.text) {
            if let Some(known) = known {
                self.check_same_file(known, name, file.as_ref());
            }
            return known;
        }
        let tree = match self.files.machine(name.span.file, &name.text, file.as_ref().map(|file| file.text.as_str())) {
            Ok(Parsed { tree, diagnostics }) => {
                let is_faulty = has_errors(&diagnostics);
                self.take_diagnostics(diagnostics, name.span);
                tree.filter(|_| !is_faulty).and_then(|machine| self.checked(machine, name))
            }
            Err(error) => {
                let elsewhere = self.files.elsewhere(name.span.file, &name.text, file.as_ref().map(|file| file.text.as_str()));
                self.diagnostics.push(match file {
                    Some(file) => {
                        let what = format!("the file \"{}\" of the machine `{}`", file.text, name.text);
                        missing(&what, file.span, error, elsewhere)
                    }
                    None => missing(&format!("the machine `{}`", name.text), name.span, error, elsewhere),
                });
                None
            }
        };
        // Also a failure, so that further references to the machine do not report it again.
        self.by_name.insert(name.text.clone(), tree);
        tree
    }

    /// Reports a reference that means another file than the one from which the machine has been read: without a pragma, a file of the same
    /// name in the folder of the text that refers to it.
    fn check_same_file(&mut self, known: usize, name: &Name, file: Option<&Name>) {
        let path = file.map(|file| file.text.as_str());
        if !self.compared.insert((name.span.file, name.text.clone(), path.map(str::to_owned))) {
            return;
        }
        let place = file.map_or(name.span, |file| file.span);
        let declared = self.trees[known].machine.name.span;
        let other = match self.files.machine_file(name.span.file, &name.text, path) {
            Ok(other) if other.is_none_or(|other| other == declared.file) => return,
            // No folder of this text has such a file, so there is one machine of that name only.
            Err(LoadError::NotFound(_) | LoadError::Known(..)) if file.is_none() => return,
            // Read only to show where it begins.
            Ok(_) => self.files.machine(name.span.file, &name.text, path),
            Err(error) => Err(error),
        };
        self.diagnostics.push(match other {
            Ok(other) => {
                let title = format!("the machine `{}` has been read from another file", name.text);
                let diagnostic = Diagnostic::error(Code::WrongMachine, place, title)
                    .label(if file.is_some() { "this file is another one" } else { "the nearest file of this name is another one" })
                    .also(declared, "this one has been read");
                match other.tree {
                    Some(other) => diagnostic.also(other.name.span, "this one is named"),
                    None => diagnostic,
                }
                .help("a machine is one file; give all references to it the same path")
            }
            Err(error) => match file {
                Some(file) => missing(&format!("the file \"{}\" of the machine `{}`", file.text, name.text), place, error, None),
                None => missing(&format!("the machine `{}`", name.text), place, error, None),
            },
        });
    }

    /// Adds a machine that was read, unless its name differs from the one searched for.
    fn checked(&mut self, machine: Machine, name: &Name) -> Option<usize> {
        if machine.name.text == name.text {
            return Some(self.add_tree(machine));
        }
        self.diagnostics.push(
            Diagnostic::error(Code::WrongMachine, name.span, format!("the file of `{}` holds another machine", name.text))
                .label("named here")
                .also(machine.name.span, format!("this is `{}`", machine.name.text))
                .help("a machine stands in a file of its own name"),
        );
        None
    }

    /// The instance of a text under a prefix, `level` REFINES above the main machine: a depth-first walk that numbers instances in
    /// post-order, so that links point to lower numbers and the main machine gets the highest.
    fn instance(&mut self, tree: usize, prefix: String, level: u32) -> usize {
        // Two references to one machine under one prefix share the instance: the references form an acyclic graph, not a tree.
        if let Some(&known) = self.by_key.get(&(tree, prefix.clone(), level)) {
            return known;
        }
        // The path is one of texts, not of instances: a machine that includes itself as `a.M` would get a longer prefix each time round.
        self.path.push(tree);
        let mut links: Vec<Link> = Vec::new();
        let mut arguments = Vec::new();
        for reference in references(&self.trees[tree].machine) {
            // Those on the path are instances too, but without a number yet.
            if self.instances.len() + self.path.len() >= MOST_INSTANCES {
                self.report_many(&reference);
                break;
            }
            let Some(target) = self.tree(&reference) else { continue };
            if let Some(at) = self.path.iter().position(|&other| other == target) {
                self.report_cycle(at, &reference);
                continue;
            }
            let machine = &self.trees[target].machine;
            // A reference that does not fit is followed all the same: errors in the other machine are reported in the same run.
            let fits = self.fits(machine, &reference);
            self.diagnostics.extend(fits.err());
            // Inclusion nests prefixes. SEES names an instance of the whole (`SEES a.M` the one that is included as a.M somewhere), so
            // that all machines that see it share its variables.
            let outer = match reference.kind {
                LinkKind::Sees | LinkKind::Uses => "",
                LinkKind::Refines | LinkKind::Includes | LinkKind::Extends | LinkKind::Imports => prefix.as_str(),
            };
            let level_of_target = match reference.kind {
                LinkKind::Refines => level + 1,
                LinkKind::Includes | LinkKind::Extends | LinkKind::Imports => level,
                // All machines that see a machine see the same one.
                LinkKind::Sees | LinkKind::Uses => 0,
            };
            let to = self.instance(target, format!("{outer}{}", reference.prefix), level_of_target);
            arguments.extend(reference.arguments.filter(|(given, _)| *given > 0).map(|(_, position)| (to, position)));
            links.push(Link { kind: reference.kind, to, prefix: reference.prefix, span: reference.name.span });
        }
        self.report_parameters(tree, &links);
        // Targets are complete before their includer has a number. That two machines include one instance is reported later.
        self.path.pop();
        let id = self.instances.len();
        for (to, position) in arguments {
            self.instances[to].arguments = Some((id, position));
        }
        self.instances.push(Instance { tree, prefix: prefix.clone(), links, arguments: None, is_live: false, is_included: false });
        self.by_key.insert((tree, prefix, level), id);
        id
    }

    /// Whether the clause of a reference may name a machine, with its number of arguments.
    fn fits(&self, machine: &Machine, reference: &Reference) -> Result<(), Diagnostic> {
        let span = reference.name.span;
        if reference.kind != LinkKind::Refines && machine.kind != MachineKind::Machine {
            return Err(Diagnostic::error(Code::WrongMachine, span, format!("`{}` is not a MACHINE", machine.name.text))
                .label(format!("named in {}", reference.kind.keyword()))
                .also(machine.name.span, "a refinement can only be refined"));
        }
        let wanted = machine.parameters.len();
        match reference.arguments {
            Some((given, _)) if given != wanted => Err(Diagnostic::error(
                Code::WrongArgumentCount,
                span,
                format!("`{}` has {wanted} parameters, {given} are given", machine.name.text),
            )
            .label(format!("in {}", reference.kind.keyword()))
            .also(machine.name.span, "declared here")),
            _ => Ok(()),
        }
    }

    /// Reports parameters of a refinement that no machine above it has. Those of one name are one constant, so another name would be
    /// another constant, with any value.
    fn report_parameters(&mut self, tree: usize, links: &[Link]) {
        let Some(refined) = refined_by(links) else { return };
        let above = std::iter::successors(Some(refined), |&of| self.instances[of].refined());
        let above: Vec<&Machine> = above.map(|above| &self.trees[self.instances[above].tree].machine).collect();
        let wanted: Vec<&str> = above.iter().flat_map(|above| &above.parameters).map(|name| name.text.as_str()).collect();
        for parameter in self.trees[tree].machine.parameters.iter().filter(|parameter| !wanted.contains(&parameter.text.as_str())) {
            let (name, refined) = (&parameter.text, &above[0].name);
            let diagnostic = Diagnostic::error(Code::UnknownName, parameter.span, format!("`{}` has no parameter `{name}`", refined.text))
                .label("a parameter of the refinement only")
                .also(refined.span, "refined machine")
                .help("a refinement has the parameters of the machine that it refines, under the same names");
            self.diagnostics.push(match wanted.as_slice() {
                [] => diagnostic,
                wanted => diagnostic.help(format!("the parameters of that machine are {}", wanted.join(", "))),
            });
        }
    }

    /// Reports once that there are too many instances.
    fn report_many(&mut self, reference: &Reference) {
        if !std::mem::replace(&mut self.has_too_many, true) {
            let title = format!("the machines come to more than {MOST_INSTANCES} instances");
            self.diagnostics.push(
                Diagnostic::error(Code::NotSupportedEver, reference.name.span, title)
                    .label("the first one beyond")
                    .help("each prefix makes an instance of its own of the machine and of all that it includes"),
            );
        }
    }

    fn report_cycle(&mut self, at: usize, reference: &Reference) {
        let names = self.path[at..].iter().map(|&tree| self.trees[tree].machine.name.text.as_str());
        let chain: Vec<&str> = names.chain([reference.name.text.as_str()]).collect();
        self.diagnostics.push(
            Diagnostic::error(Code::MachineCycle, reference.name.span, format!("the machine `{}` needs itself", reference.name.text))
                .label(chain.join(" needs "))
                .help("take one of these references out"),
        );
    }
}

/// Marks the instances that are part of the state, and those that another machine includes.
fn mark(instances: &mut [Instance]) {
    if let Some(main) = instances.last_mut() {
        main.is_live = true;
    }
    // Links point backwards, so one pass from the end reaches everything.
    for from in (0..instances.len()).rev() {
        if !instances[from].is_live {
            continue;
        }
        for link in instances[from].links.clone() {
            let target = &mut instances[link.to];
            target.is_live |= link.kind != LinkKind::Refines;
            target.is_included |= link.kind.is_inclusion();
        }
    }
}

/// A machine with variables can be a part of one machine only: two would change its variables behind each other's back. So can one with
/// parameters: an instance has one list of arguments.
fn report_included_twice(trees: &[Tree], instances: &[Instance], diagnostics: &mut Vec<Diagnostic>) {
    // Looked up only, never iterated over.
    let mut owners: HashMap<usize, Span> = HashMap::new();
    for link in instances.iter().filter(|instance| instance.is_live).flat_map(|instance| &instance.links) {
        let target = &trees[instances[link.to].tree].machine;
        let has_state = target.clauses.iter().any(|clause| matches!(clause.kind, ClauseKind::Variables(..)));
        if !link.kind.is_inclusion() || (!has_state && target.parameters.is_empty()) {
            continue;
        }
        // By instance, not by text: `INCLUDES a.M, b.M` are two machines with variables of their own.
        if let Some(first) = owners.insert(link.to, link.span) {
            diagnostics.push(
                Diagnostic::error(Code::DuplicateName, link.span, format!("the machine `{}` is included twice", target.name.text))
                    .label("included again here")
                    .also(first, "first included here")
                    .help("give each its own prefix, as in `a.M, b.M`, or let one of the two only see it"),
            );
        }
    }
}
