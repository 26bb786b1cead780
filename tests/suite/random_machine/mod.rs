//! Random whole machines, as text: well-typed, mostly well-defined, with small state spaces.
//!
//! A machine is written around *universes*: every constant, variable and parameter ranges over a finite set that the text names
//! (`S`, `0..2`, `S +-> T`, `POW(S)`, `struct(a : BOOL, b : S)`, …), whose sizes bound the number of states. A value that might lie
//! outside, such as `x + 1` for `x : 0..2`, is only assigned where it does not; one that lies outside, but of which there are
//! finitely many, such as a relation that should be a function, may be assigned and violates the invariant then.
//! What may be ill-defined is written with its condition (`IF x : dom(f) THEN f(x) ELSE … END`), but for a few machines.
//!
//! Invariant: the same dice give the same text. Deliberately elsewhere: the same machine written in other ways (`variants`), and
//! what all runs of it must agree on (`comparison`). Fuzz targets include this folder, so it uses the library and `crate::dice` only.

mod clauses;
pub(crate) mod comparison;
mod expression;
mod predicate;
pub(crate) mod refinement;
mod set;
mod substitution;
mod universe;
pub(crate) mod variants;

use crate::dice::Dice;
use universe::Universe;

pub(crate) use clauses::machine;

/// A type, as far as texts need it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Ty {
    Int,
    Bool,
    Text,
    /// The given set with this index.
    Given(usize),
    Set(Box<Ty>),
    Pair(Box<Ty>, Box<Ty>),
    Record(Vec<(&'static str, Ty)>),
}

impl Ty {
    fn set(element: Ty) -> Ty {
        Ty::Set(Box::new(element))
    }

    fn pair(first: Ty, second: Ty) -> Ty {
        Ty::Pair(Box::new(first), Box::new(second))
    }

    fn relation(from: Ty, to: Ty) -> Ty {
        Ty::set(Ty::pair(from, to))
    }

    fn element(&self) -> Option<&Ty> {
        match self {
            Ty::Set(element) => Some(element),
            _ => None,
        }
    }

    /// The two sides of a relation.
    fn sides(&self) -> Option<(&Ty, &Ty)> {
        match self.element() {
            Some(Ty::Pair(first, second)) => Some((first, second)),
            _ => None,
        }
    }

    /// This type and all that it is made of.
    fn parts(&self, out: &mut Vec<Ty>) {
        if !out.contains(self) {
            out.push(self.clone());
        }
        match self {
            Ty::Set(element) => element.parts(out),
            Ty::Pair(first, second) => {
                first.parts(out);
                second.parts(out);
            }
            Ty::Record(fields) => fields.iter().for_each(|(_, ty)| ty.parts(out)),
            Ty::Int | Ty::Bool | Ty::Text | Ty::Given(_) => {}
        }
    }
}

/// A given set of the machine.
#[derive(Clone, Debug)]
struct Given {
    name: String,
    /// The names of its elements, if it is enumerated.
    elements: Vec<String>,
    size: usize,
    is_parameter: bool,
}

/// A name in scope.
#[derive(Clone, Debug)]
struct Known {
    name: String,
    ty: Ty,
}

/// Writes one machine.
struct Maker<'d> {
    dice: &'d mut Dice,
    sets: Vec<Given>,
    /// Names that formulas may mention, the innermost last.
    known: Vec<Known>,
    variables: Vec<(Known, Universe)>,
    /// The types that formulas are about.
    pool: Vec<Ty>,
    /// How many names were bound.
    bound: usize,
    /// Whether partial operators may stand without their conditions.
    is_careless: bool,
    /// Whether the variables should fit words, for the packed tier.
    fits_words: bool,
}

impl Maker<'_> {
    fn below(&mut self, n: usize) -> usize {
        self.dice.below(n)
    }

    fn once_in(&mut self, n: usize) -> bool {
        self.dice.once_in(n)
    }

    fn pick<'t>(&mut self, items: &[&'t str]) -> &'t str {
        items[self.dice.below(items.len())]
    }

    /// A name that nothing has yet.
    fn fresh(&mut self, stem: &str) -> String {
        self.bound += 1;
        format!("{stem}{}", self.bound)
    }

    /// Writes something in which one more name is known.
    fn with<T>(&mut self, name: &str, ty: &Ty, write: impl FnOnce(&mut Self) -> T) -> T {
        self.known.push(Known { name: name.to_owned(), ty: ty.clone() });
        let written = write(self);
        self.known.pop();
        written
    }

    /// How many values a type has; `None` when there is no end to them.
    fn size_of(&self, ty: &Ty) -> Option<f64> {
        match ty {
            Ty::Int | Ty::Text => None,
            Ty::Bool => Some(2.0),
            Ty::Given(set) => Some(self.sets[*set].size as f64),
            Ty::Set(element) => Some(self.size_of(element)?.exp2()),
            Ty::Pair(first, second) => Some(self.size_of(first)? * self.size_of(second)?),
            Ty::Record(fields) => fields.iter().map(|(_, ty)| self.size_of(ty)).product(),
        }
    }

    /// Whether an expression of this type can be written: elements of deferred sets have no literals.
    fn can_write(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Int | Ty::Bool | Ty::Text | Ty::Set(_) => true,
            Ty::Given(set) => !self.sets[*set].elements.is_empty() || self.known.iter().any(|known| known.ty == *ty),
            Ty::Pair(first, second) => (self.can_write(first) && self.can_write(second)) || self.known.iter().any(|known| known.ty == *ty),
            Ty::Record(fields) => fields.iter().all(|(_, ty)| self.can_write(ty)) || self.known.iter().any(|known| known.ty == *ty),
        }
    }

    /// A type that formulas are about, and of which an expression can be written.
    fn some_type(&mut self) -> Ty {
        for _ in 0..4 {
            let ty = self.dice.pick(&self.pool).clone();
            if self.can_write(&ty) {
                return ty;
            }
        }
        Ty::Int
    }

    /// A type with few values that names can be bound to.
    fn small_type(&mut self) -> Ty {
        for _ in 0..6 {
            let ty = self.dice.pick(&self.pool).clone();
            if self.size_of(&ty).is_none_or(|size| size <= 16.0) && !matches!(ty, Ty::Set(_)) {
                return ty;
            }
        }
        if self.sets.is_empty() || self.once_in(3) { Ty::Bool } else { Ty::Given(self.dice.below(self.sets.len())) }
    }
}
