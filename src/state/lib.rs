//! Floor 4: storing states: keys of valuations, as words in the packed tier and as bytes in the general tier, and the visited sets.
//!
//! Invariant: two valuations have equal keys exactly when they are equal, and a key of bytes means the same in every process that
//! checks the same machine in the same scope.
//! Deliberately elsewhere: which of several symmetric valuations is stored (`symmetry`), the order of the search (`explore`).

mod atomic;
mod bits;
mod constants;
mod layout;
mod prefetch;
mod recent;
mod segments;
mod shape;
mod slots;
mod table;
mod word_layout;
mod word_table;
mod word_writer;

// Public for the benches.
pub use layout::Layout;
pub use table::{Rank, StateId, StateTable};

pub use constants::{ConstantsNumber, ConstantsTable};
pub use word_layout::WordLayout;
pub use word_table::Occupancy;
pub use word_table::WordTable;
pub use word_writer::{Find, Offered, WordWriter};
