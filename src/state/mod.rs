//! Floor 4: storing states: valuations as short byte strings, and the set of those that were visited.
//!
//! Invariant: two valuations have equal bytes exactly when they are equal, and the bytes mean the same in every process that
//! checks the same machine in the same scope.
//! Deliberately elsewhere: which of several symmetric valuations is stored (`symmetry`), the order of the search (`explore`).

mod atomic;
mod bits;
mod constants;
mod layout;
mod prefetch;
mod recent;
mod shape;
mod slots;
mod table;
mod word_layout;
mod word_table;

pub use constants::ConstantsTable;
pub use layout::Layout;
pub use table::{StateId, StateTable};
pub use word_layout::WordLayout;
pub use word_table::{Find, Offered, WordTable, WordWriter};
