//! Statistics of labelling.
//!
//! Invariant: counted by each worker for itself, and added when its working memory is given up.

bcheck_source::statistics! {
    /// What labelling did in the whole process.
    pub TABLE of "labelling";

    /// Refinements of a partition.
    REFINEMENTS;

    /// Cells by which they split others.
    SPLITTERS;

    /// Vertices that were singled out in searches.
    BRANCHES;

    /// Automorphisms that searches found.
    AUTOMORPHISMS;
}

/// What the labelling of one worker counts.
#[derive(Debug, Default)]
pub(crate) struct LabellingCounts {
    pub(crate) refinements: u64,
    pub(crate) splitters: u64,
    pub(crate) branches: u64,
    pub(crate) automorphisms: u64,
}

impl Clone for LabellingCounts {
    /// A copy of the working memory has counted nothing yet.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Drop for LabellingCounts {
    fn drop(&mut self) {
        REFINEMENTS.add(self.refinements);
        SPLITTERS.add(self.splitters);
        BRANCHES.add(self.branches);
        AUTOMORPHISMS.add(self.automorphisms);
    }
}
