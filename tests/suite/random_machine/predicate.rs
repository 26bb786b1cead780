//! Random predicates.

use super::{Maker, Ty};

impl Maker<'_> {
    /// A predicate about the known names.
    pub(super) fn pred(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.comparison(0);
        }
        let inner = depth - 1;
        match self.below(16) {
            0 | 1 => format!("({} & {})", self.pred(inner), self.pred(inner)),
            2 | 3 => format!("({} or {})", self.pred(inner), self.pred(inner)),
            4 => format!("not({})", self.pred(inner)),
            5 => format!("({} => {})", self.pred(inner), self.pred(inner)),
            6 => format!("({} <=> {})", self.pred(inner), self.pred(inner)),
            7 | 8 => self.quantified(inner),
            9 => self.symmetric(inner).unwrap_or_else(|| self.comparison(inner)),
            10 => self.of_kind(inner),
            13 => self.about_infinite(inner),
            11 if self.once_in(2) => {
                let ty = self.some_type();
                let (name, value) = (self.fresh("x"), self.expr(&ty, inner));
                let body = self.with(&name, &ty, |maker| maker.pred(inner));
                format!("(LET {name} BE {name} = {value} IN {body} END)")
            }
            12 if self.once_in(2) => format!("(IF {} THEN {} ELSE {} END)", self.pred(inner), self.pred(inner), self.pred(inner)),
            _ => self.comparison(inner),
        }
    }

    /// Names bound to elements of sets: the names, what says of which, and what may mention them.
    pub(super) fn binding<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> (String, String, T) {
        let ty = self.small_or_set_type();
        let (name, set) = (self.fresh("x"), self.generator(&ty));
        if !self.once_in(4) {
            let typing = self.restricted(&name, &ty, &set);
            let written = self.with(&name, &ty, write);
            return (name.clone(), typing, written);
        }
        // The second one may depend on the first.
        let second = self.fresh("y");
        let other = if self.once_in(2) { ty.clone() } else { self.small_type() };
        let (its_set, written) = self.with(&name, &ty, |maker| {
            let set = maker.generator(&other);
            (set, maker.with(&second, &other, write))
        });
        let mut typing = [format!("{name} : {set}"), format!("{second} : {its_set}")];
        if self.once_in(4) {
            typing.reverse();
        }
        (format!("{name}, {second}"), typing.join(" & "), written)
    }

    /// That a name is in a set, and perhaps in a row of a relation, or in another set that does not depend on it: what a search joins with
    /// the set, although it may be ill-defined where the set is empty.
    fn restricted(&mut self, name: &str, ty: &Ty, set: &str) -> String {
        let typing = format!("{name} : {set}");
        if !self.once_in(4) {
            return typing;
        }
        let rows: Vec<(String, Ty)> = self
            .known
            .iter()
            .filter_map(|known| known.ty.sides().filter(|(_, to)| *to == ty).map(|(from, _)| (known.name.clone(), from.clone())))
            .filter(|(_, from)| self.can_write(from))
            .collect();
        let sign = self.pick(&[":", "/:"]);
        match self.below(3) {
            0 => {
                let other = self.typed_set(&Ty::set(ty.clone()), 1);
                format!("{typing} & {name} {sign} {other}")
            }
            shape if !rows.is_empty() => {
                let (relation, from) = self.dice.pick(&rows).clone();
                let row = self.expr(&from, 1);
                match shape {
                    1 => format!("({row} |-> {name}) : {relation} & {typing}"),
                    _ => format!("{typing} & {name} {sign} {relation}[{{{row}}}]"),
                }
            }
            _ => typing,
        }
    }

    /// As [`Self::small_type`], or that of small sets of given elements.
    fn small_or_set_type(&mut self) -> Ty {
        let ty = self.small_type();
        if matches!(ty, Ty::Given(_)) && self.once_in(4) { Ty::set(ty) } else { ty }
    }

    /// Something about sets without end.
    fn about_infinite(&mut self, depth: usize) -> String {
        let number = self.expr(&Ty::Int, depth);
        let integers = self.pick(&["NATURAL", "NATURAL1", "INTEGER"]);
        let name = self.fresh("x");
        match self.below(8) {
            0 => format!("{number} {} {integers}", self.pick(&[":", "/:"])),
            1 => format!("{} {} POW({integers})", self.set(&Ty::Int, depth), self.pick(&[":", "/:"])),
            2 => format!("{} {} {integers}", self.typed_set(&Ty::set(Ty::Int), depth), self.pick(&["<:", "/<:", "<<:"])),
            3 => {
                let low = self.leaf(&Ty::Int);
                format!("{number} : {{{name} | {name} : {integers} & {name} > {low}}}")
            }
            4 => {
                let add = self.leaf(&Ty::Int);
                let value = self.leaf(&Ty::Int);
                format!("(%{name}.({name} : INTEGER | {name} + {add}))({number}) {} {value}", self.pick(&["=", "<", ">="]))
            }
            5 => {
                let (set, value) = (self.set(&Ty::Int, depth), self.leaf(&Ty::Int));
                format!("{value} : (%{name}.({name} : {integers} | {name} * 2))[{set}]")
            }
            6 => {
                let (set, item) = (self.typed_set(&Ty::set(Ty::Int), depth), self.leaf(&Ty::Int));
                format!("{item} : ({integers} {} {set})", self.pick(&["/\\", "-"]))
            }
            _ => match self.small_type() {
                ty if self.can_write(&ty) => {
                    let (to, relation) = (self.generator(&ty), self.typed_set(&Ty::relation(Ty::Int, ty), depth));
                    format!("{relation} : {integers} {} {to}", self.pick(&["+->", "<->", ">+>", "-->"]))
                }
                _ => format!("{number} : {integers}"),
            },
        }
    }

    fn quantified(&mut self, depth: usize) -> String {
        let (names, typing, body) = self.binding(|maker| maker.pred(depth));
        match self.once_in(2) {
            true => format!("!({names}).({typing} => {body})"),
            false => format!("#({names}).({typing} & {body})"),
        }
    }

    /// The same said of each element of a set that has names for them, or of neighbours in a ring of them, so that the text is
    /// symmetric in these.
    pub(super) fn symmetric(&mut self, depth: usize) -> Option<String> {
        let parts = self.of_each_named(|maker| maker.pred(depth))?;
        let sign = self.pick(&[" & ", " or "]);
        Some(format!("({})", parts.join(sign)))
    }

    /// The same text for each named element of a given set, or for neighbours in a ring of them.
    pub(super) fn of_each_named(&mut self, write: impl FnOnce(&mut Self) -> String) -> Option<Vec<String>> {
        let (set, elements) = self.named_elements()?;
        let (place, next) = (self.fresh("place_"), self.fresh("next_"));
        let ty = Ty::Given(set);
        let is_ring = self.once_in(3);
        let pattern = match is_ring {
            false => self.with(&place, &ty, write),
            true => self.with(&place, &ty, |maker| maker.with(&next, &ty, write)),
        };
        let after = elements.iter().cycle().skip(1);
        Some(elements.iter().zip(after).map(|(element, other)| pattern.replace(&place, element).replace(&next, other)).collect())
    }

    /// A given set, and at least two names for elements of it.
    pub(super) fn named_elements(&mut self) -> Option<(usize, Vec<String>)> {
        let of = |maker: &Self, set: usize| -> Vec<String> {
            let constants = maker.known.iter().filter(|known| known.ty == Ty::Given(set) && known.name.starts_with('c'));
            maker.sets[set].elements.iter().cloned().chain(constants.map(|known| known.name.clone())).collect()
        };
        let mut sets: Vec<usize> = (0..self.sets.len()).filter(|set| of(self, *set).len() > 1).collect();
        self.dice.shuffle(&mut sets);
        sets.first().map(|set| (*set, of(self, *set)))
    }

    /// That a relation is a function of some kind, or the like.
    fn of_kind(&mut self, depth: usize) -> String {
        let relations: Vec<Ty> = self.pool.iter().filter(|ty| ty.sides().is_some()).cloned().collect();
        if relations.is_empty() {
            return self.comparison(depth);
        }
        let ty = self.dice.pick(&relations).clone();
        let (from, to) = ty.sides().expect("a relation");
        let relation = self.expr(&ty, depth);
        if *from == Ty::Int && self.once_in(2) {
            let kind = self.pick(&["seq", "iseq", "seq1", "perm"]);
            let items = self.set(to, 0);
            return format!("{relation} : {kind}({items})");
        }
        let arrow = self.pick(&["<->", "+->", "-->", ">+>", ">->", "+->>", "-->>", ">+>>", ">->>", "<<->", "<->>", "<<->>"]);
        let sign = self.pick(&[":", ":", "/:"]);
        format!("{relation} {sign} {} {arrow} {}", self.set(from, 0), self.set(to, 0))
    }

    fn comparison(&mut self, depth: usize) -> String {
        let ty = self.some_type();
        match &ty {
            Ty::Int if self.once_in(2) => {
                let sign = self.pick(&["<", "<=", ">", ">=", "=", "/="]);
                format!("{} {sign} {}", self.expr(&ty, depth), self.expr(&ty, depth))
            }
            Ty::Bool if self.once_in(2) => format!("{} = {}", self.expr(&ty, depth), self.pick(&["TRUE", "FALSE"])),
            Ty::Set(_) if self.once_in(2) => {
                let sign = self.pick(&["<:", "<:", "/<:", "<<:", "/<<:"]);
                format!("{} {sign} {}", self.expr(&ty, depth), self.typed_set(&ty, depth))
            }
            Ty::Set(_) if self.once_in(4) => format!("{} {} {{}}", self.typed_set(&ty, depth), self.pick(&["=", "/="])),
            _ if self.once_in(2) => {
                let sign = self.pick(&[":", "/:"]);
                let set = self.typed_set(&Ty::set(ty.clone()), depth);
                format!("{} {sign} {set}", self.expr(&ty, depth))
            }
            Ty::Set(_) => format!("{} {} {}", self.expr(&ty, depth), self.pick(&["=", "/="]), self.typed_set(&ty, depth)),
            _ => format!("{} {} {}", self.expr(&ty, depth), self.pick(&["=", "=", "/="]), self.expr(&ty, depth)),
        }
    }

    /// A set whose text fixes its type: `{} = {}` has none.
    pub(super) fn typed_set(&mut self, ty: &Ty, depth: usize) -> String {
        let element = ty.element().expect("a set type").clone();
        if depth > 0 && !self.once_in(3) {
            let other = self.set(&element, depth - 1);
            return format!("({} {} {other})", self.generator(&element), self.pick(&["\\/", "/\\", "-"]));
        }
        self.generator(&element)
    }
}
