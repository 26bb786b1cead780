//! Random expressions that are sets: sets, relations, functions, sequences, sets of sets.

use super::{Maker, Ty};

/// Sets of sets are written of bases with at most this many elements.
const MOST_SUBSETS: f64 = 9.0;

impl Maker<'_> {
    /// All values of a type, or some when there is no end to them.
    pub(super) fn domain(&mut self, ty: &Ty) -> String {
        match ty {
            Ty::Int => "(-1 .. 3)".to_owned(),
            Ty::Bool => "BOOL".to_owned(),
            Ty::Text => "{\"\", \"a\", \"b\"}".to_owned(),
            Ty::Given(set) => self.sets[*set].name.clone(),
            Ty::Set(element) if self.size_of(element).is_some_and(|size| size <= MOST_SUBSETS) => {
                let element = self.domain(element);
                format!("POW({element})")
            }
            Ty::Set(element) => {
                let element = self.domain(element);
                format!("{{{{}}, {element}}}")
            }
            Ty::Pair(first, second) => format!("({} * {})", self.domain(first), self.domain(second)),
            Ty::Record(fields) => {
                let fields: Vec<String> = fields.iter().map(|(name, ty)| format!("{name} : {}", self.domain(ty))).collect();
                format!("struct({})", fields.join(", "))
            }
        }
    }

    /// A set of elements of this type whose text fixes its type.
    pub(super) fn generator(&mut self, element: &Ty) -> String {
        let mut found: Vec<String> = Vec::new();
        for known in &self.known {
            if known.ty.element() == Some(element) {
                found.push(known.name.clone());
            }
            if let Some((from, to)) = known.ty.sides() {
                if from == element {
                    found.push(format!("dom({})", known.name));
                }
                if to == element {
                    found.push(format!("ran({})", known.name));
                }
            }
        }
        if found.is_empty() || self.once_in(2) { self.domain(element) } else { self.dice.pick(&found).clone() }
    }

    /// A smallest set; its type may be open.
    pub(super) fn small_set(&mut self, element: &Ty) -> String {
        match self.below(4) {
            0 => "{}".to_owned(),
            1 => self.domain(element),
            _ if self.can_write(element) => format!("{{{}}}", self.leaf(element)),
            _ => self.domain(element),
        }
    }

    /// A set of elements of this type.
    pub(super) fn set(&mut self, element: &Ty, depth: usize) -> String {
        let ty = Ty::set(element.clone());
        if depth == 0 {
            return self.leaf(&ty);
        }
        let inner = depth - 1;
        match self.below(14) {
            0..=2 => {
                let sign = self.pick(&["\\/", "/\\", "-"]);
                format!("({} {sign} {})", self.typed_set(&ty, inner), self.set(element, inner))
            }
            3 if self.can_write(element) => {
                let items: Vec<String> = (0..1 + self.below(3)).map(|_| self.expr(element, inner)).collect();
                format!("{{{}}}", items.join(", "))
            }
            4 if self.size_of(element).is_none_or(|size| size <= 64.0) => {
                let (name, set) = (self.fresh("x"), self.generator(element));
                let condition = self.with(&name, element, |maker| maker.pred(inner));
                format!("{{{name} | {name} : {set} & {condition}}}")
            }
            5 => self.image_of_comprehension(element, inner),
            6 => {
                let bound = self.small_type();
                let (name, set) = (self.fresh("x"), self.generator(&bound));
                let body = self.with(&name, &bound, |maker| maker.typed_set(&ty, inner));
                match self.once_in(3) {
                    true => format!("INTER({name}).({name} : {set} \\/ {} | {body})", self.domain(&bound)),
                    false => format!("UNION({name}).({name} : {set} | {body})"),
                }
            }
            7 if self.size_of(&ty).is_none_or(|size| size <= 64.0) => {
                let sets = self.generator(&ty);
                match self.once_in(2) {
                    true => format!("union({sets})"),
                    false => format!("inter({sets} \\/ {{{}}})", self.typed_set(&ty, 0)),
                }
            }
            8 | 9 => self.side_of_relation(element, inner),
            _ => match element {
                Ty::Pair(from, to) => self.relation(from, to, inner),
                Ty::Set(base) => self.space(base),
                Ty::Int => format!("({} .. {})", self.leaf(element), self.leaf(element)),
                _ => self.leaf(&ty),
            },
        }
    }

    /// `{x . P | E}`
    fn image_of_comprehension(&mut self, element: &Ty, depth: usize) -> String {
        let bound = self.small_type();
        let (name, set) = (self.fresh("x"), self.generator(&bound));
        let is_possible = self.with(&name, &bound, |maker| maker.can_write(element));
        if !is_possible {
            return self.domain(element);
        }
        let (condition, value) = self.with(&name, &bound, |maker| (maker.pred(depth.min(1)), maker.expr(element, depth)));
        format!("{{{name} . {name} : {set} & {condition} | {value}}}")
    }

    fn side_of_relation(&mut self, element: &Ty, depth: usize) -> String {
        let other = self.small_type();
        match self.below(4) {
            0 => format!("dom({})", self.typed_set(&Ty::relation(element.clone(), other), depth)),
            1 => format!("ran({})", self.typed_set(&Ty::relation(other, element.clone()), depth)),
            _ => {
                let relation = self.typed_set(&Ty::relation(other.clone(), element.clone()), depth);
                format!("{relation}[{}]", self.set(&other, depth))
            }
        }
    }

    fn relation(&mut self, from: &Ty, to: &Ty, depth: usize) -> String {
        let ty = Ty::relation(from.clone(), to.clone());
        if *from == Ty::Int && self.once_in(2) {
            return self.sequence(to, depth);
        }
        match self.below(15) {
            0 => format!("({}~)", self.typed_set(&Ty::relation(to.clone(), from.clone()), depth)),
            1 | 2 => format!("({} <+ {})", self.typed_set(&ty, depth), self.expr(&ty, depth)),
            3 => format!("({} <| {})", self.set(from, depth), self.typed_set(&ty, depth)),
            4 => format!("({} <<| {})", self.set(from, depth), self.typed_set(&ty, depth)),
            5 => format!("({} |> {})", self.typed_set(&ty, depth), self.set(to, depth)),
            6 => format!("({} |>> {})", self.typed_set(&ty, depth), self.set(to, depth)),
            7 => {
                let middle = self.small_type();
                let first = self.typed_set(&Ty::relation(from.clone(), middle.clone()), depth);
                format!("({first} ; {})", self.typed_set(&Ty::relation(middle, to.clone()), depth))
            }
            8 | 9 => format!("({} * {})", self.typed_set(&Ty::set(from.clone()), depth), self.typed_set(&Ty::set(to.clone()), depth)),
            10 if from == to => {
                let operator = self.pick(&["closure1", "closure", "id", "iterate"]);
                match operator {
                    "closure" => format!("closure({})", self.typed_set(&ty, depth)),
                    "id" => format!("id({})", self.typed_set(&Ty::set(from.clone()), depth)),
                    "iterate" => format!("iterate({}, {})", self.typed_set(&ty, depth), self.pick(&["0", "1", "2"])),
                    _ => format!("closure1({})", self.typed_set(&ty, depth)),
                }
            }
            11 => match (from, to) {
                (Ty::Pair(a, b), Ty::Pair(c, d)) => {
                    let left = self.typed_set(&Ty::relation((**a).clone(), (**c).clone()), depth);
                    let right = self.typed_set(&Ty::relation((**b).clone(), (**d).clone()), depth);
                    format!("({left} || {right})")
                }
                (Ty::Pair(a, b), to) if **a == *to && self.once_in(2) => format!("prj1({}, {})", self.generator(a), self.generator(b)),
                (Ty::Pair(a, b), to) if **b == *to && self.once_in(2) => format!("prj2({}, {})", self.generator(a), self.generator(b)),
                (Ty::Int, Ty::Int) => format!("({} <| {})", self.set(from, depth), self.pick(&["succ", "pred"])),
                (_, to) => self.paired(from, to, depth),
            },
            12 if self.once_in(3) => self.of_pairs(from, to, depth),
            _ if self.size_of(from).is_none_or(|size| size <= 16.0) => {
                let (name, set) = (self.fresh("x"), self.generator(from));
                if !self.with(&name, from, |maker| maker.can_write(to)) {
                    return self.leaf(&ty);
                }
                let (condition, value) = self.with(&name, from, |maker| (maker.pred(depth.min(1)), maker.expr(to, depth)));
                format!("%({name}).({name} : {set} & {condition} | {value})")
            }
            _ => self.leaf(&ty),
        }
    }

    /// `{x, y | P}`
    fn of_pairs(&mut self, from: &Ty, to: &Ty, depth: usize) -> String {
        let (first, second) = (self.fresh("x"), self.fresh("y"));
        let set = self.generator(from);
        let (its_set, condition) = self.with(&first, from, |maker| {
            let set = maker.generator(to);
            (set, maker.with(&second, to, |maker| maker.pred(depth.min(1))))
        });
        let mut parts = [format!("{first} : {set}"), format!("{second} : {its_set}"), condition];
        if self.once_in(4) {
            self.dice.shuffle(&mut parts);
        }
        format!("{{{first}, {second} | {}}}", parts.join(" & "))
    }

    /// A relation to pairs or sets.
    fn paired(&mut self, from: &Ty, to: &Ty, depth: usize) -> String {
        match to {
            Ty::Pair(left, right) => {
                let left = self.typed_set(&Ty::relation(from.clone(), (**left).clone()), depth);
                let right = self.typed_set(&Ty::relation(from.clone(), (**right).clone()), depth);
                format!("({left} >< {right})")
            }
            Ty::Set(base) => format!("fnc({})", self.typed_set(&Ty::relation(from.clone(), (**base).clone()), depth)),
            _ => self.leaf(&Ty::relation(from.clone(), to.clone())),
        }
    }

    fn sequence(&mut self, item: &Ty, depth: usize) -> String {
        let ty = Ty::relation(Ty::Int, item.clone());
        let items = self.domain(item);
        if self.can_write(item) && self.once_in(3) {
            let list: Vec<String> = (0..self.below(3)).map(|_| self.expr(item, depth)).collect();
            return format!("[{}]", list.join(", "));
        }
        let old = self.typed_set(&ty, depth.min(1));
        // What is no sequence stays as it is.
        let (condition, new) = match self.below(8) {
            0 => (format!("{old} : seq1({items})"), format!("tail({old})")),
            1 => (format!("{old} : seq1({items})"), format!("front({old})")),
            2 => (format!("{old} : seq({items})"), format!("rev({old})")),
            3 => (format!("{old} : seq({items}) & card({old}) < 3"), format!("({old} ^ {old})")),
            4 => (format!("{old} : seq({items}) & card({old}) > 1"), format!("({old} /|\\ 1)")),
            5 => (format!("{old} : seq({items}) & card({old}) > 1"), format!("({old} \\|/ 1)")),
            at if self.can_write(item) => {
                let value = self.expr(item, depth.min(1));
                let new = if at == 6 { format!("({old} <- {value})") } else { format!("({value} -> {old})") };
                (format!("{old} : seq({items}) & card({old}) < 3"), new)
            }
            _ => (format!("{old} : seq({items})"), format!("rev({old})")),
        };
        format!("(IF {condition} THEN {new} ELSE {old} END)")
    }

    /// A set of sets.
    fn space(&mut self, base: &Ty) -> String {
        if self.size_of(base).is_none_or(|size| size > MOST_SUBSETS) {
            let base = Ty::set(base.clone());
            return self.leaf(&Ty::set(base));
        }
        if let Ty::Pair(from, to) = base
            && self.once_in(2)
        {
            let arrow = self.pick(&["+->", "-->", ">+>", ">->", "<->", "-->>", ">->>"]);
            return format!("({} {arrow} {})", self.generator(from), self.generator(to));
        }
        let operator = self.pick(&["POW", "POW1", "FIN", "FIN1"]);
        format!("{operator}({})", self.generator(base))
    }
}
