//! Rows (adjacency lists) of a graph, packed: for each node its outgoing edges as variable-length integers.
//!
//! An edge is the difference of its target to the target before it in the row, for the first one to the node itself, followed by its letter
//! where letters are kept. The starts delimit the rows, so no row has a count. They are the lower 32 bits only: starts never fall, so the
//! upper bits are the number of places where the lower ones wrapped.
//! Invariant: a row gives back the edges that were pushed, in their order. Deliberately elsewhere: what letters mean, and which nodes
//! are initial or open (`graph`).

/// Payload bits of a byte of an integer; the eighth bit marks that more bytes follow.
const PAYLOAD: u32 = 7;
const MORE: u8 = 1 << PAYLOAD;

/// Packed rows, by the numbers of their nodes.
#[derive(Clone, Debug)]
pub struct Rows {
    bytes: Vec<u8>,
    /// The lower bits of the starts of all rows, and of the end of the last one.
    starts: Vec<u32>,
    /// The entries of `starts` from which on the upper bits are larger by one.
    wraps: Vec<u32>,
    has_letters: bool,
}

/// A place in a row.
#[derive(Clone, Copy, Debug)]
pub struct RowCursor {
    at: usize,
    left: u32,
    last: u32,
    is_first: bool,
}

impl Rows {
    /// No rows yet. Without letters, all edges have the letter 0.
    #[must_use]
    pub fn new(has_letters: bool) -> Self {
        Self { bytes: Vec::new(), starts: vec![0], wraps: Vec::new(), has_letters }
    }

    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether edges have letters.
    #[must_use]
    pub fn has_letters(&self) -> bool {
        self.has_letters
    }

    /// Adds the row of the next node: targets with letters, sorted and without repetitions.
    ///
    /// # Panics
    /// When the row has more than 4 GB.
    pub fn push(&mut self, edges: impl Iterator<Item = (u32, u32)>) {
        // LEB128, seven bits to a byte: most differences fit one byte, and 32-bit targets would take four.
        let begin = self.bytes.len();
        let mut last = None;
        for (to, letter) in edges {
            let difference = match last {
                // States are numbered breadth first: targets are near each other and their source, so differences are small. Only the first
                // can be negative.
                None => zigzag(i64::from(to) - self.len() as i64),
                // Without letters targets are distinct, so the difference is at least one and is stored less one.
                Some(last) => u64::from(to - last) - u64::from(!self.has_letters),
            };
            self.write(difference);
            if self.has_letters {
                self.write(u64::from(letter));
            }
            last = Some(to);
        }
        assert!(u32::try_from(self.bytes.len() - begin).is_ok(), "a row has less than 2^32 bytes");
        let entry = u32::try_from(self.starts.len()).expect("less than 2^32 nodes");
        while self.wraps.len() < self.bytes.len() >> 32 {
            self.wraps.push(entry);
        }
        // Truncated on purpose: the upper bits are in `wraps`.
        self.starts.push(self.bytes.len() as u32);
    }

    /// The beginning of the row of a node.
    #[must_use]
    pub fn cursor(&self, node: u32) -> RowCursor {
        let (begin, end) = (self.start(node), self.start(node + 1));
        // Less than 2^32, as `push` made sure.
        RowCursor { at: begin, left: (end - begin) as u32, last: node, is_first: true }
    }

    /// The edge at a place, target and letter; the place moves on.
    #[inline]
    pub fn next(&self, cursor: &mut RowCursor) -> Option<(u32, u32)> {
        if cursor.left == 0 {
            return None;
        }
        let difference = self.read(cursor);
        let to = if cursor.is_first {
            cursor.is_first = false;
            (i64::from(cursor.last) + unzigzag(difference)) as u32
        } else {
            cursor.last + difference as u32 + u32::from(!self.has_letters)
        };
        cursor.last = to;
        let letter = if self.has_letters { self.read(cursor) as u32 } else { 0 };
        Some((to, letter))
    }

    /// Whether a node has no edges.
    #[must_use]
    pub(crate) fn is_without_edges(&self, node: u32) -> bool {
        self.start(node) == self.start(node + 1)
    }

    /// The bytes that are allocated.
    #[must_use]
    pub(crate) fn allocated(&self) -> usize {
        self.bytes.capacity() + 4 * (self.starts.capacity() + self.wraps.capacity())
    }

    /// Releases unused capacity.
    pub(crate) fn shrink(&mut self) {
        self.bytes.shrink_to_fit();
        self.starts.shrink_to_fit();
    }

    fn start(&self, entry: u32) -> usize {
        // Below 4 GB of rows there are no wraps: one comparison.
        let upper = self.wraps.partition_point(|&wrap| wrap <= entry);
        (upper << 32) | self.starts[entry as usize] as usize
    }

    fn write(&mut self, mut number: u64) {
        while number >= u64::from(MORE) {
            self.bytes.push(number as u8 | MORE);
            number >>= PAYLOAD;
        }
        self.bytes.push(number as u8);
    }

    #[inline]
    fn read(&self, cursor: &mut RowCursor) -> u64 {
        let mut number = 0;
        let mut shift = 0;
        loop {
            // LEB128: the least significant group first, so that no length has to be known before.
            let byte = self.bytes[cursor.at];
            cursor.at += 1;
            cursor.left -= 1;
            number |= u64::from(byte & !MORE) << shift;
            if byte & MORE == 0 {
                return number;
            }
            shift += PAYLOAD;
        }
    }
}

/// Integers of small magnitude as small natural numbers: 0, -1, 1, -2, …
fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)) as u64
}

fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcheck_source::SplitMix64;

    #[test]
    fn rows_give_back_what_was_pushed() {
        let mut random = SplitMix64::new(71);
        for has_letters in [false, true] {
            let mut rows = Rows::new(has_letters);
            let mut pushed = Vec::new();
            for _ in 0..2_000 {
                let shift = random.below(32);
                let mut row: Vec<(u32, u32)> = (0..random.below(6))
                    .map(|_| ((random.word() >> 32) as u32 >> shift, if has_letters { random.below(300) as u32 } else { 0 }))
                    .collect();
                row.sort_unstable();
                row.dedup();
                rows.push(row.iter().copied());
                pushed.push(row);
            }
            for (node, row) in pushed.iter().enumerate() {
                let mut cursor = rows.cursor(node as u32);
                let read: Vec<(u32, u32)> = std::iter::from_fn(|| rows.next(&mut cursor)).collect();
                assert_eq!(&read, row);
                assert_eq!(rows.is_without_edges(node as u32), row.is_empty());
            }
        }
    }

    #[test]
    fn starts_beyond_32_bits_are_put_together_from_the_wraps() {
        let rows = Rows { bytes: Vec::new(), starts: vec![0, 9, 3, 8, 1, 7], wraps: vec![2, 4, 4], has_letters: false };
        let starts: Vec<usize> = (0..6).map(|entry| rows.start(entry)).collect();
        assert_eq!(starts, [0, 9, (1 << 32) + 3, (1 << 32) + 8, (3 << 32) + 1, (3 << 32) + 7]);
    }
}
