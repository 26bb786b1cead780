//! Newtypes for numbers: each kind of numbered thing has its own type, so that the compiler rejects one kind in place of another.
//!
//! Invariant: such a number has 32 bits, and its type costs nothing. Deliberately elsewhere: what is numbered, and in which order.

/// Defines newtypes over `u32`, each for the numbers of one kind of thing.
///
/// ```
/// bcheck_source::numbers! {
///     /// The number of a room.
///     pub Room;
/// }
///
/// let rooms: Vec<usize> = Room::each(Room::new(2)..Room::at(5)).map(Room::index).collect();
/// assert_eq!(rooms, [2, 3, 4]);
/// assert_eq!(Room::all(3).last(), Some(Room::new(1).next()));
/// assert_eq!(Room::new(4).since(Room::new(1)), 3);
/// ```
#[macro_export]
macro_rules! numbers {
    ($($(#[$meta:meta])* $seen:vis $name:ident;)+) => {
        $(
            $(#[$meta])*
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
            #[repr(transparent)]
            $seen struct $name(u32);

            impl $name {
                /// Creates the one with this number.
                #[inline]
                #[must_use]
                pub const fn new(number: u32) -> Self {
                    Self(number)
                }

                /// Creates the one at this index of a list of all.
                ///
                /// # Panics
                /// When the index does not fit into 32 bits.
                #[inline]
                #[must_use]
                pub fn at(index: usize) -> Self {
                    Self(u32::try_from(index).expect("fewer than 2^32 are numbered"))
                }

                /// The underlying number.
                #[inline]
                #[must_use]
                pub const fn number(self) -> u32 {
                    self.0
                }

                /// The number as an index.
                #[inline]
                #[must_use]
                pub const fn index(self) -> usize {
                    self.0 as usize
                }

                /// The next one.
                #[inline]
                #[must_use]
                pub const fn next(self) -> Self {
                    Self(self.0 + 1)
                }

                /// The one `count` numbers further on.
                #[inline]
                #[must_use]
                pub const fn plus(self, count: u32) -> Self {
                    Self(self.0 + count)
                }

                /// The distance from an earlier one: how many are in the range from it up to this one, exclusive.
                #[inline]
                #[must_use]
                pub const fn since(self, earlier: Self) -> u32 {
                    self.0 - earlier.0
                }

                /// All with numbers in this range, ascending.
                #[inline]
                pub fn each(range: std::ops::Range<Self>) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
                    (range.start.0..range.end.0).map(Self)
                }

                /// The first `count` of them, ascending.
                #[inline]
                pub fn all(count: usize) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
                    Self::each(Self(0)..Self::at(count))
                }
            }

            impl std::fmt::Display for $name {
                fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    std::fmt::Display::fmt(&self.0, formatter)
                }
            }
        )+
    };
}
