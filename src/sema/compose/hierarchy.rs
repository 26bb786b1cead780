//! The hierarchy of machines: which machine sees, uses, includes, extends, imports or refines which.
//!
//! Invariant: each machine occurs once for each prefix under which it is part of the whole, the main machine first; references are those
//! of the text. Deliberately elsewhere: what the references mean for names (`scope`), the data (`ir`).

use super::Files;
use super::project::Project;
use bcheck_ir::{Hierarchy, HierarchyMachine, HierarchyReference};
use bcheck_source::{Diagnostic, has_errors};
use bcheck_syntax::ast::{Machine, MachineKind};

/// The hierarchy below a machine.
///
/// # Errors
/// When a machine that is named cannot be found or read, or the machines depend on each other in a circle.
pub fn hierarchy(main: &Machine, files: &mut dyn Files) -> Result<Hierarchy, Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    let project = Project::gather(main, files, &mut diagnostics);
    if has_errors(&diagnostics) {
        return Err(diagnostics);
    }
    // Links point to earlier instances, and the main machine is the last one.
    let last = project.main();
    let machine = |instance: usize| {
        let machine = project.machine(instance);
        let kind = match machine.kind {
            MachineKind::Machine => "MACHINE",
            MachineKind::Refinement => "REFINEMENT",
            MachineKind::Implementation => "IMPLEMENTATION",
        };
        let prefix = project.instances[instance].prefix.clone();
        HierarchyMachine { name: machine.name.text.clone(), kind, file: machine.name.span.file, prefix }
    };
    let order = || (0..=last).rev();
    let references = order().flat_map(|instance| {
        let links = project.instances[instance].links.iter();
        links.map(move |link| HierarchyReference {
            from: last - instance,
            to: last - link.to,
            clause: link.kind.keyword(),
            prefix: link.prefix.clone(),
        })
    });
    Ok(Hierarchy { machines: order().map(machine).collect(), references: references.collect() })
}
