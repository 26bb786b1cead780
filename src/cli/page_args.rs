//! The options about the graph in the report for a browser, as typed. Deliberately elsewhere: the page (`report::html`), its formulas
//! (`explored`).

use clap::Args;

/// What the page offers.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct PageArgs {
    /// Evaluate EXPR (a predicate too) in each state, so that the graph in the HTML report can be coloured, merged and searched by it;
    /// may be repeated. The page itself evaluates no formula: it compares printed values
    #[arg(long, value_name = "EXPR", requires = "html", help_heading = "Output")]
    pub(super) html_project: Vec<String>,
}
