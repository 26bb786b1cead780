//! The hierarchy of machines as text, JSON, and a graph for Graphviz.
//!
//! Invariant: every reference is shown; a machine that several refer to is written out at the first reference, and named at the others.

use super::graph::dot;
use super::graphviz_look;
use super::json::pretty;
use bcheck_ir::{Hierarchy, HierarchyMachine};
use bcheck_source::{Shown, SourceMap, shown};
use serde::Serialize;

/// The tree below the main machine.
pub fn text(hierarchy: &Hierarchy, sources: &SourceMap) -> Shown {
    let mut text = Shown::new();
    let mut is_written = vec![false; hierarchy.machines.len()];
    // A stack instead of recursion: chains of machines may be long. Each entry is a machine, its depth, and the prefix of its name.
    let mut open: Vec<(usize, usize, String)> = vec![(0, 0, String::new())];
    while let Some((at, depth, before)) = open.pop() {
        let Some(machine) = hierarchy.machines.get(at) else { continue };
        let HierarchyMachine { name, kind, .. } = machine;
        let before = if depth == 0 { format!("{kind} ") } else { before };
        let seen = if is_written[at] { ", see above" } else { "" };
        text += shown!("{}{}{} ({}{})\n", "  ".repeat(depth), before, name, file(machine, sources), seen);
        if std::mem::replace(&mut is_written[at], true) {
            continue;
        }
        let below: Vec<_> = hierarchy.references.iter().filter(|reference| reference.from == at).collect();
        // The last one goes in first.
        open.extend(below.iter().rev().map(|reference| (reference.to, depth + 1, format!("{} {}", reference.clause, reference.prefix))));
    }
    text
}

fn file<'s>(machine: &HierarchyMachine, sources: &'s SourceMap) -> &'s str {
    &sources.file(machine.file).name
}

/// The document for programs, `bcheck-hierarchy` version 1; references name machines by their positions.
pub fn json(hierarchy: &Hierarchy, sources: &SourceMap) -> Shown {
    #[derive(Serialize)]
    struct HierarchyDocument<'a> {
        format: &'static str,
        version: u32,
        machine: &'a str,
        machines: Vec<MachineObject<'a>>,
        references: Vec<ReferenceObject<'a>>,
    }
    #[derive(Serialize)]
    struct MachineObject<'a> {
        name: &'a str,
        kind: &'static str,
        file: &'a str,
        prefix: &'a str,
    }
    #[derive(Serialize)]
    struct ReferenceObject<'a> {
        from: usize,
        to: usize,
        clause: &'static str,
        prefix: &'a str,
    }
    let machine = |machine: &'_ HierarchyMachine| (machine.kind, file(machine, sources));
    pretty(&HierarchyDocument {
        format: "bcheck-hierarchy",
        version: 1,
        machine: hierarchy.machines.first().map_or("", |machine| &machine.name),
        machines: hierarchy
            .machines
            .iter()
            .map(|one| {
                let (kind, file) = machine(one);
                MachineObject { name: &one.name, kind, file, prefix: &one.prefix }
            })
            .collect(),
        references: hierarchy
            .references
            .iter()
            .map(|one| ReferenceObject { from: one.from, to: one.to, clause: one.clause, prefix: &one.prefix })
            .collect(),
    })
}

/// The graph for Graphviz.
pub fn graph(hierarchy: &Hierarchy) -> Shown {
    let name = hierarchy.machines.first().map_or("", |machine| &machine.name);
    let mut text = shown!("digraph {} {{\n{}", dot(name), graphviz_look::defaults());
    for (at, machine) in hierarchy.machines.iter().enumerate() {
        text += shown!("  m{} [label={}];\n", at, dot(&format!("{} {}{}", machine.kind, machine.prefix, machine.name)));
    }
    for reference in &hierarchy.references {
        // A machine that only sees another one does not own a part of its state.
        let style = if matches!(reference.clause, "SEES" | "USES") { ", style=dashed" } else { "" };
        let label = format!("{} {}", reference.clause, reference.prefix.trim_end_matches('.'));
        text += shown!("  m{} -> m{} [label={}{}];\n", reference.from, reference.to, dot(label.trim_end()), style);
    }
    text + shown!("}}\n")
}

/// The graph as a picture.
pub fn picture(hierarchy: &Hierarchy) -> Shown {
    let name = hierarchy.machines.first().map_or("", |machine| &machine.name);
    let boxes: Vec<String> =
        hierarchy.machines.iter().map(|machine| format!("{} {}{}", machine.kind, machine.prefix, machine.name)).collect();
    let arrow = |reference: &bcheck_ir::HierarchyReference| {
        let label = format!("{} {}", reference.clause, reference.prefix.trim_end_matches('.'));
        (reference.from, reference.to, label.trim_end().to_owned())
    };
    let arrows: Vec<(usize, usize, String)> = hierarchy.references.iter().map(arrow).collect();
    super::drawing::draw_named(name, "The machines", &boxes, &arrows)
}
