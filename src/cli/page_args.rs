//! The options about the graph in the report for a browser, as typed. Deliberately elsewhere: the page (`report::html`).

use super::load::{self, Failure, Loaded};
use crate::eval::Machine;
use crate::explore::Projection;
use crate::source::SourceMap;
use crate::symmetry::Symmetry;
use clap::Args;

/// What the page offers.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct PageArgs {
    /// Evaluate EXPR (a predicate too) in each state, so that the graph in the HTML report can be coloured, merged and searched by it;
    /// may be repeated. The page itself evaluates no formula: it compares printed values
    #[arg(long, value_name = "EXPR", requires = "html", help_heading = "Output")]
    pub(super) html_project: Vec<String>,
}

impl PageArgs {
    /// The formulas, read in the context of the machine.
    pub(super) fn projections(&self, loaded: &mut Loaded, sources: &mut SourceMap) -> Result<Vec<Projection>, Failure> {
        let read = |text: &String| {
            // Without a scope, as for `--project`: no formula may distinguish states that symmetry merges.
            let formula = load::formula(loaded, None, "--html-project", text, sources)?;
            Ok(Projection { formula, text: text.trim().to_owned() })
        };
        self.html_project.iter().map(read).collect()
    }
}

/// Why the value of a formula may differ within an orbit, of which only the representative is evaluated; if it may.
pub(super) fn told_apart(projections: &[Projection], machine: &Machine, symmetry: &Symmetry) -> Option<String> {
    projections.iter().find_map(|projection| symmetry.told_apart(machine.model(), projection.node(), "--html-project"))
}
