//! Which operations read and write which variables, as a matrix: text, JSON, a graph for Graphviz.
//!
//! Invariant: rows are INITIALISATION and the operations, columns the variables, both in the order of the model; a cell is empty only where
//! the text of the operation neither reads nor writes the variable.

use super::drawing::draw_named;
use super::graph::dot;
use super::graphviz_look;
use super::json::pretty;
use bcheck_ir::{Access, Model, VariableId};
use bcheck_source::{Shown, in_back_quotes, shown};
use serde::Serialize;

/// The matrix of a machine.
pub struct AccessMatrix<'a> {
    model: &'a Model,
    /// Displayed names, with the variables that each row reads and writes.
    rows: Vec<(String, Access)>,
}

impl<'a> AccessMatrix<'a> {
    /// Of a machine.
    pub fn of(model: &'a Model) -> Self {
        let first = ("INITIALISATION".to_owned(), Access::of(&model.initialisation));
        let of_operation = model.operations.iter().map(|(name, operation)| (name.clone(), Access::of(&operation.body)));
        Self { model, rows: std::iter::once(first).chain(of_operation).collect() }
    }

    /// The displayed names of the rows, with the variables that each reads and writes.
    pub(super) fn rows(&self) -> &[(String, Access)] {
        &self.rows
    }

    /// The variables, in the order of the columns.
    pub(super) fn variables(&self) -> impl Iterator<Item = VariableId> {
        (0..self.model.variables.len()).map(|index| VariableId(u32::try_from(index).expect("variables have 32-bit ids")))
    }

    /// The names of the variables in a set.
    fn names(&self, of: &std::collections::BTreeSet<VariableId>) -> Vec<&'a str> {
        of.iter().map(|id| self.model.variable_name(*id)).collect()
    }

    /// The matrix for people: `g` where the guard reads the variable, `r` where only the rest reads it, `w` where it is written.
    pub fn text(&self) -> Shown {
        let heads: Vec<Shown> = self.variables().map(|id| Shown::line(&in_back_quotes(self.model.variable_name(id)))).collect();
        // The first row is not an operation: its name is the word of the text, which no operation can have.
        let operations = self.rows.iter().skip(1).map(|(name, _)| Shown::line(&in_back_quotes(name)));
        let names: Vec<Shown> = std::iter::once(shown!("INITIALISATION")).chain(operations).collect();
        let width = |text: &Shown| text.chars().count();
        let first = names.iter().map(width).max().unwrap_or(0);
        let head: Shown = heads.iter().map(|head| shown!("  {}", head.clone().left(width(head).max(2)))).collect();
        let head = shown!("  {}{}", Shown::new().left(first), head);
        let mut text = shown!("{}: variables that operations read and write\n\n{}\n", self.model.name, head.trim_end());
        for (name, (_, access)) in names.iter().zip(&self.rows) {
            let mut line = shown!("  {}", name.clone().left(first));
            for (head, id) in heads.iter().zip(self.variables()) {
                line += shown!("  {}", Shown::line(&cell(access, id)).left(width(head).max(2)));
            }
            text += shown!("{}\n", line.trim_end());
        }
        text + shown!("\ng read by the guard, r read elsewhere only, w written\n")
    }

    /// The matrix for programs, `bcheck-variables` version 1.
    pub fn json(&self) -> Shown {
        #[derive(Serialize)]
        struct MatrixDocument<'a> {
            format: &'static str,
            version: u32,
            machine: &'a str,
            variables: Vec<&'a str>,
            operations: Vec<AccessObject<'a>>,
        }
        #[derive(Serialize)]
        struct AccessObject<'a> {
            name: &'a str,
            guard: Vec<&'a str>,
            reads: Vec<&'a str>,
            writes: Vec<&'a str>,
        }
        pretty(&MatrixDocument {
            format: "bcheck-variables",
            version: 1,
            machine: &self.model.name,
            variables: self.model.variables.keys().map(String::as_str).collect(),
            operations: self
                .rows
                .iter()
                .map(|(name, access)| AccessObject {
                    name,
                    guard: self.names(&access.guard),
                    reads: self.names(&access.reads),
                    writes: self.names(&access.writes),
                })
                .collect(),
        })
    }

    /// A graph for Graphviz: an arrow from a variable to an operation that reads it, and from an operation to a variable that it writes.
    pub fn dot(&self) -> Shown {
        let mut text = shown!("digraph {} {{\n  rankdir=LR;\n{}", dot(&self.model.name), graphviz_look::defaults());
        for id in self.variables() {
            text += shown!("  v{} [shape=box, label={}];\n", id.index(), dot(self.model.variable_name(id)));
        }
        for (at, (name, access)) in self.rows.iter().enumerate() {
            text += shown!("  o{} [shape=ellipse, label={}];\n", at, dot(name));
            for id in &access.reads {
                let style = if access.guard.contains(id) { "style=bold, label=\"guard\"" } else { "style=dashed" };
                text += shown!("  v{} -> o{} [{}];\n", id.index(), at, style);
            }
            text.extend(access.writes.iter().map(|id| shown!("  o{} -> v{};\n", at, id.index())));
        }
        text + shown!("}}\n")
    }
}

impl AccessMatrix<'_> {
    /// The graph as a picture.
    pub fn picture(&self) -> Shown {
        let variables = self.model.variables.len();
        let names = self.variables().map(|id| self.model.variable_name(id).to_owned());
        let boxes: Vec<String> = names.chain(self.rows.iter().map(|(name, _)| name.clone())).collect();
        let mut arrows = Vec::new();
        for (at, (_, access)) in self.rows.iter().enumerate() {
            let read = |id: &VariableId| if access.guard.contains(id) { "guard" } else { "reads" };
            arrows.extend(access.reads.iter().map(|id| (id.index(), variables + at, read(id).to_owned())));
            arrows.extend(access.writes.iter().map(|id| (variables + at, id.index(), "writes".to_owned())));
        }
        draw_named(&self.model.name, "What operations read and write", &boxes, &arrows)
    }
}

/// How an operation uses a variable, in letters.
pub(super) fn cell(access: &Access, id: VariableId) -> String {
    let read = match (access.guard.contains(&id), access.reads.contains(&id)) {
        (true, _) => "g",
        (false, true) => "r",
        (false, false) => "",
    };
    format!("{read}{}", if access.writes.contains(&id) { "w" } else { "" })
}
