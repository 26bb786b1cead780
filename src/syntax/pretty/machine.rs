//! Whole machines as text, one clause to a line.
//!
//! Invariant: clauses come in the order of the tree.

use std::fmt::{Display, Formatter, Result};

use super::super::ast::{
    Clause, ClauseKind, Definition, DefinitionBody, Expr, FreeType, Machine, MachineKind, MachineReference, Name, Operation,
    SetDeclaration, SetDeclarationKind,
};
use super::formula::{write_list, write_top};
use super::substitution::write_body;
use super::{declared, names, parameters, separated, string, used};

impl Display for Machine {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(match self.kind {
            MachineKind::Machine => "MACHINE ",
            MachineKind::Refinement => "REFINEMENT ",
            MachineKind::Implementation => "IMPLEMENTATION ",
        })?;
        used(&self.name.text, f)?;
        parameters(&self.parameters, f)?;
        for clause in &self.clauses {
            write!(f, "\n{clause}")?;
        }
        f.write_str("\nEND")
    }
}

impl Display for Clause {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match &self.kind {
            ClauseKind::Refines(machine) => references("REFINES ", std::slice::from_ref(machine), f),
            ClauseKind::Sees(machines) => references("SEES ", machines, f),
            ClauseKind::Uses(machines) => references("USES ", machines, f),
            ClauseKind::Includes(machines) => references("INCLUDES ", machines, f),
            ClauseKind::Extends(machines) => references("EXTENDS ", machines, f),
            ClauseKind::Imports(machines) => references("IMPORTS ", machines, f),
            ClauseKind::Promotes(names) => used_list("PROMOTES ", names, f),
            ClauseKind::Constraints(condition) => formula("CONSTRAINTS ", condition, f),
            ClauseKind::Sets(sets) => {
                f.write_str("SETS ")?;
                separated(sets, "; ", f, set)
            }
            ClauseKind::Constants(list, is_abstract) => {
                f.write_str(if *is_abstract { "ABSTRACT_CONSTANTS " } else { "CONSTANTS " })?;
                names(list, f)
            }
            ClauseKind::Properties(condition) => formula("PROPERTIES ", condition, f),
            ClauseKind::Variables(list, is_concrete) => {
                f.write_str(if *is_concrete { "CONCRETE_VARIABLES " } else { "VARIABLES " })?;
                names(list, f)
            }
            ClauseKind::Invariant(condition) => formula("INVARIANT ", condition, f),
            ClauseKind::Assertions(conditions) => {
                f.write_str("ASSERTIONS ")?;
                separated(conditions, "; ", f, write_top)
            }
            ClauseKind::Definitions(definitions) => {
                f.write_str("DEFINITIONS ")?;
                separated(definitions, "; ", f, |definition, f| write!(f, "{definition}"))
            }
            // A sequence is allowed here without BEGIN, unlike in the body of an operation.
            ClauseKind::Initialisation(subst) => write!(f, "INITIALISATION {subst}"),
            ClauseKind::Operations(operations) => operation_list("OPERATIONS ", operations, f),
            ClauseKind::LocalOperations(operations) => operation_list("LOCAL_OPERATIONS ", operations, f),
            ClauseKind::Values(values) => {
                f.write_str("VALUES ")?;
                separated(values, "; ", f, |(name, value), f| {
                    declared(&name.text, f)?;
                    f.write_str(" = ")?;
                    write_top(value, f)
                })
            }
            ClauseKind::Freetypes(types) => {
                f.write_str("FREETYPES ")?;
                separated(types, "; ", f, free_type)
            }
        }
    }
}

impl Display for Definition {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            // A file is a string in DEFINITIONS, and may hold what ends one.
            Definition::Include(file) => string(&file.text, f),
            Definition::Macro { name, parameters: formals, body } => {
                declared(&name.text, f)?;
                parameters(formals, f)?;
                f.write_str(" == ")?;
                match body {
                    DefinitionBody::Expr(expr) => write_top(expr, f),
                    DefinitionBody::List(exprs) => write_list(exprs, f),
                    DefinitionBody::Subst(subst) => write!(f, "{subst}"),
                }
            }
        }
    }
}

impl Display for Operation {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        if !self.results.is_empty() {
            names(&self.results, f)?;
            f.write_str(" <-- ")?;
        }
        used(&self.name.text, f)?;
        parameters(&self.parameters, f)?;
        if let Some(name) = &self.refines {
            f.write_str(" ref ")?;
            used(&name.text, f)?;
        }
        f.write_str(" = ")?;
        // The `;` between operations is looser than any body, so a sequence gets BEGIN and END.
        write_body(&self.body, f)
    }
}

fn formula(keyword: &str, expr: &Expr, f: &mut Formatter<'_>) -> Result {
    f.write_str(keyword)?;
    write_top(expr, f)
}

fn used_list(keyword: &str, names: &[Name], f: &mut Formatter<'_>) -> Result {
    f.write_str(keyword)?;
    separated(names, ", ", f, |name, f| used(&name.text, f))
}

fn references(keyword: &str, machines: &[MachineReference], f: &mut Formatter<'_>) -> Result {
    f.write_str(keyword)?;
    separated(machines, ", ", f, |reference, f| {
        // Prefix and machine are one token, so one pair of back quotes encloses them.
        match &reference.prefix {
            Some(prefix) => used(&format!("{}.{}", prefix.text, reference.machine.text), f)?,
            None => used(&reference.machine.text, f)?,
        }
        if !reference.arguments.is_empty() {
            f.write_str("(")?;
            write_list(&reference.arguments, f)?;
            f.write_str(")")?;
        }
        match &reference.file {
            Some(path) => write!(f, " /*@file \"{}\" */", path.text),
            None => Ok(()),
        }
    })
}

fn operation_list(keyword: &str, operations: &[Operation], f: &mut Formatter<'_>) -> Result {
    f.write_str(keyword)?;
    separated(operations, " ;\n", f, |operation, f| write!(f, "{operation}"))
}

fn free_type(free: &FreeType, f: &mut Formatter<'_>) -> Result {
    declared(&free.name.text, f)?;
    f.write_str(" = ")?;
    separated(&free.cases, ", ", f, |(name, argument), f| {
        declared(&name.text, f)?;
        let Some(argument) = argument else { return Ok(()) };
        f.write_str("(")?;
        write_top(argument, f)?;
        f.write_str(")")
    })
}

fn set(set: &SetDeclaration, f: &mut Formatter<'_>) -> Result {
    declared(&set.name.text, f)?;
    match &set.kind {
        SetDeclarationKind::Deferred => Ok(()),
        SetDeclarationKind::Enumerated(elements) => {
            f.write_str(" = {")?;
            names(elements, f)?;
            f.write_str("}")
        }
        SetDeclarationKind::ByDefinition(definition) => {
            f.write_str(" = ")?;
            declared(&definition.text, f)
        }
    }
}
