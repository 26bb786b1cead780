//! The coloured, layered structure of a state: what canonical labelling works on.
//!
//! Vertices are elements and sub-values; each has an exact initial colour, and each *layer* is one directed relation on the
//! vertices, kept as bit rows (who follows) and bit columns (who precedes). Loops are never in a layer: they are colours.
//! Invariant: vertices are sorted so that equal initial colours are neighbours, in the order of their colours.
//! Deliberately elsewhere: how a state becomes a structure ([`graph`](super::graph)).

/// One directed relation on all vertices, as bit rows in both directions.
#[derive(Clone, Debug, Default)]
pub(super) struct Layer {
    /// For each vertex, the vertices it points to.
    pub(super) rows: Vec<u64>,
    /// For each vertex, the vertices that point to it.
    pub(super) columns: Vec<u64>,
}

/// A structure of `len` vertices.
#[derive(Clone, Debug, Default)]
pub(super) struct Structure {
    /// The number of vertices.
    pub(super) len: usize,
    /// Words of one bit row.
    pub(super) words: usize,
    /// The relations.
    pub(super) layers: Vec<Layer>,
}

impl Structure {
    /// A structure without edges.
    pub(super) fn new(len: usize, layers: usize) -> Self {
        let words = len.div_ceil(64);
        let layer = Layer { rows: vec![0; len * words], columns: vec![0; len * words] };
        Structure { len, words, layers: vec![layer; layers] }
    }

    /// Adds an edge; the vertices differ.
    pub(super) fn connect(&mut self, layer: usize, from: u32, to: u32) {
        debug_assert_ne!(from, to, "a loop is a colour");
        let (from, to) = (from as usize, to as usize);
        self.layers[layer].rows[from * self.words + to / 64] |= 1 << (to % 64);
        self.layers[layer].columns[to * self.words + from / 64] |= 1 << (from % 64);
    }

    /// The bit row of a vertex: those it points to.
    pub(super) fn row(&self, layer: usize, vertex: u32) -> &[u64] {
        let at = vertex as usize * self.words;
        &self.layers[layer].rows[at..at + self.words]
    }

    /// The part that lies between the given vertices, which are renumbered by their place in the list. Layers that have no
    /// edge there are dropped.
    pub(super) fn induced(&self, vertices: &[u32]) -> Structure {
        let mut place = vec![u32::MAX; self.len];
        for (at, &vertex) in (0..).zip(vertices) {
            place[vertex as usize] = at;
        }
        let mut part = Structure::new(vertices.len(), 0);
        for layer in 0..self.layers.len() {
            let edges = (0..).zip(vertices).flat_map(|(from, &vertex)| {
                ones(self.row(layer, vertex)).map(|to| place[to as usize]).filter(|&to| to != u32::MAX).map(move |to| (from, to))
            });
            let mut edges = edges.peekable();
            if edges.peek().is_some() {
                let size = part.len * part.words;
                part.layers.push(Layer { rows: vec![0; size], columns: vec![0; size] });
                let last = part.layers.len() - 1;
                edges.for_each(|(from, to)| part.connect(last, from, to));
            }
        }
        part
    }
}

/// The positions of the one bits, ascending.
pub(super) fn ones(words: &[u64]) -> impl Iterator<Item = u32> {
    words.iter().zip(0u32..).flat_map(|(&word, at)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            (rest != 0).then(|| {
                let bit = rest.trailing_zeros();
                rest &= rest - 1;
                at * 64 + bit
            })
        })
    })
}

/// Sets one bit.
pub(super) fn set_bit(words: &mut [u64], bit: u32) {
    words[bit as usize / 64] |= 1 << (bit % 64);
}

/// Clears one bit.
pub(super) fn clear_bit(words: &mut [u64], bit: u32) {
    words[bit as usize / 64] &= !(1 << (bit % 64));
}

/// Whether a bit is one.
pub(super) fn has_bit(words: &[u64], bit: u32) -> bool {
    words[bit as usize / 64] >> (bit % 64) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_induced_part_keeps_edges_and_drops_empty_layers() {
        let mut whole = Structure::new(70, 2);
        whole.connect(0, 1, 69);
        whole.connect(1, 3, 4);
        let part = whole.induced(&[69, 1]);
        assert_eq!(part.layers.len(), 1);
        assert_eq!(part.row(0, 1), [0b01]);
        assert_eq!(part.row(0, 0), [0]);
        assert_eq!(part.layers[0].columns, [0b10, 0]);
    }

    #[test]
    fn bits_are_listed_across_words() {
        let mut words = [0; 2];
        for bit in [0, 63, 64, 100] {
            set_bit(&mut words, bit);
        }
        clear_bit(&mut words, 63);
        assert_eq!(ones(&words).collect::<Vec<_>>(), [0, 64, 100]);
        assert!(has_bit(&words, 100) && !has_bit(&words, 63));
    }
}
