//! Finite sets that constants, variables and parameters range over.
//!
//! Invariant: the size is an upper bound of the number of elements, and at most the wanted one.

use super::{Maker, Ty};

/// A finite set as text.
#[derive(Clone, Debug)]
pub(super) struct Universe {
    pub(super) text: String,
    pub(super) ty: Ty,
    /// At most this many elements.
    pub(super) size: f64,
    /// An element that names no element of a deferred set, if there is one.
    pub(super) first: Option<String>,
}

/// Arrows between two sets, and whether the empty relation is among them.
const ARROWS: [(&str, bool); 12] = [
    ("<->", true),
    ("+->", true),
    ("-->", false),
    (">+>", true),
    (">->", false),
    ("+->>", false),
    ("-->>", false),
    (">+>>", false),
    (">->>", false),
    ("<<->", false),
    ("<->>", false),
    ("<<->>", false),
];

impl Maker<'_> {
    /// A universe with at most this many elements, at least 4.
    pub(super) fn universe(&mut self, most: f64) -> Universe {
        loop {
            let found = self.any_universe(2);
            if found.size <= most {
                return found;
            }
        }
    }

    fn any_universe(&mut self, depth: usize) -> Universe {
        let choices = match (depth, self.fits_words) {
            (0, true) => 5,
            (0, false) => 6,
            (_, true) => 19,
            (_, false) => 22,
        };
        match self.below(choices) {
            0..=2 => self.given_universe(),
            3 => {
                let low = self.below(3);
                let high = low + self.below(4);
                let low = i64::try_from(low).expect("small") - 1;
                let high = i64::try_from(high).expect("small") - 1;
                let text = if low == 0 && high == 3 { "NAT".to_owned() } else { format!("({low} .. {high})") };
                Universe { text, ty: Ty::Int, size: (high - low + 1) as f64, first: Some(low.to_string()) }
            }
            4 => Universe { text: "BOOL".to_owned(), ty: Ty::Bool, size: 2.0, first: Some("FALSE".to_owned()) },
            5 if !self.fits_words => {
                let text = if self.once_in(2) { "{\"a\", \"b\"}" } else { "{\"\", \"a\", \"bc\"}" };
                Universe { text: text.to_owned(), ty: Ty::Text, size: 3.0, first: Some("\"a\"".to_owned()) }
            }
            5..=9 => {
                let deeper = if self.once_in(3) && !self.fits_words { depth - 1 } else { 0 };
                let base = self.any_universe(deeper);
                let (operator, has_empty) = [("POW", true), ("POW", true), ("FIN", true), ("POW1", false), ("FIN1", false)][self.below(5)];
                let first = if has_empty { Some("{}".to_owned()) } else { Some(base.text.clone()) };
                Universe { text: format!("{operator}({})", base.text), ty: Ty::set(base.ty), size: base.size.exp2(), first }
            }
            10..=16 => self.arrows(depth),
            17 | 18 => self.sequences(),
            19 => {
                let (a, b) = (self.any_universe(0), self.any_universe(0));
                let first = a.first.zip(b.first).map(|(a, b)| format!("({a} |-> {b})"));
                Universe { text: format!("({} * {})", a.text, b.text), ty: Ty::pair(a.ty, b.ty), size: a.size * b.size, first }
            }
            _ => {
                let (a, b) = (self.any_universe(depth - 1), self.any_universe(0));
                let first = a.first.zip(b.first).map(|(a, b)| format!("rec(a : {a}, b : {b})"));
                let text = format!("struct(a : {}, b : {})", a.text, b.text);
                Universe { text, ty: Ty::Record(vec![("a", a.ty), ("b", b.ty)]), size: a.size * b.size, first }
            }
        }
    }

    fn given_universe(&mut self) -> Universe {
        let at = self.dice.below(self.sets.len());
        let set = &self.sets[at];
        Universe { text: set.name.clone(), ty: Ty::Given(at), size: set.size as f64, first: set.elements.first().cloned() }
    }

    fn arrows(&mut self, depth: usize) -> Universe {
        let from = self.any_universe(0);
        let deeper = if self.once_in(5) && !self.fits_words { depth - 1 } else { 0 };
        let to = self.any_universe(deeper);
        // Functions rather than relations.
        let (arrow, has_empty) = ARROWS[if self.once_in(3) { self.below(ARROWS.len()) } else { self.below(4) }];
        let size = match arrow {
            "<->" | "<<->" | "<->>" | "<<->>" => (from.size * to.size).exp2(),
            "-->" | ">->" | "-->>" | ">->>" => to.size.powf(from.size),
            _ => (to.size + 1.0).powf(from.size),
        };
        let first = if has_empty {
            Some("{}".to_owned())
        } else if arrow == "-->" {
            to.first.map(|value| format!("({} * {{{value}}})", from.text))
        } else {
            None
        };
        Universe { text: format!("({} {arrow} {})", from.text, to.text), ty: Ty::relation(from.ty, to.ty), size, first }
    }

    fn sequences(&mut self) -> Universe {
        let base = self.any_universe(0);
        let ty = Ty::relation(Ty::Int, base.ty);
        let n = base.size;
        let first = Some("[]".to_owned());
        match self.below(5) {
            0 | 1 => {
                let size = n.powf(n).max(n) * 2.0;
                Universe { text: format!("iseq({})", base.text), ty, size, first }
            }
            2 => Universe { text: format!("perm({})", base.text), ty, size: n.powf(n), first: None },
            longest => {
                let name = self.fresh("q");
                let text = format!("UNION({name}).({name} : 0 .. {longest} | 1 .. {name} --> {})", base.text);
                Universe { text, ty, size: 2.0 * n.powf(longest as f64).max(1.0), first }
            }
        }
    }
}
