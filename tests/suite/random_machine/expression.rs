//! Random expressions that are no sets.
//!
//! Invariant: an expression of the wanted type, with parentheses around whatever has parts.

use super::{Maker, Ty};

impl Maker<'_> {
    /// An expression of this type.
    pub(super) fn expr(&mut self, ty: &Ty, depth: usize) -> String {
        if depth == 0 || self.once_in(4) {
            return self.leaf(ty);
        }
        let inner = depth - 1;
        match self.below(16) {
            0 => return format!("(IF {} THEN {} ELSE {} END)", self.pred(inner), self.expr(ty, inner), self.expr(ty, inner)),
            1 => {
                let bound = self.some_type();
                let (name, value) = (self.fresh("x"), self.defined(&bound, inner));
                let body = self.with(&name, &bound, |maker| maker.expr(ty, inner));
                return format!("(LET {name} BE {name} = {value} IN {body} END)");
            }
            2 | 3 => {
                if let Some(text) = self.application(ty, inner) {
                    return text;
                }
            }
            4 => {
                if let Some(text) = self.field(ty) {
                    return text;
                }
            }
            _ => {}
        }
        match ty {
            Ty::Int => self.integer(inner),
            Ty::Bool => format!("bool({})", self.pred(inner)),
            Ty::Set(element) => self.set(element, depth),
            Ty::Pair(first, second) if self.can_write(first) && self.can_write(second) => {
                format!("({} |-> {})", self.expr(first, inner), self.expr(second, inner))
            }
            Ty::Record(fields) if fields.iter().all(|(_, ty)| self.can_write(ty)) => self.record(fields, inner),
            Ty::Given(_) if self.once_in(2) => self.projection(ty, inner),
            _ => self.leaf(ty),
        }
    }

    /// An expression whose text fixes its type.
    fn defined(&mut self, ty: &Ty, depth: usize) -> String {
        if matches!(ty, Ty::Set(_)) { self.typed_set(ty, depth) } else { self.expr(ty, depth) }
    }

    fn record(&mut self, fields: &[(&'static str, Ty)], depth: usize) -> String {
        let fields: Vec<String> = fields.iter().map(|(name, ty)| format!("{name} : {}", self.expr(ty, depth))).collect();
        format!("rec({})", fields.join(", "))
    }

    /// A name, a literal, or a smallest expression.
    pub(super) fn leaf(&mut self, ty: &Ty) -> String {
        let names: Vec<&String> = self.known.iter().filter(|known| known.ty == *ty).map(|known| &known.name).collect();
        // What was bound last is what a formula is about.
        if let Some(last) = names.last()
            && self.dice.once_in(3)
        {
            return (*last).clone();
        }
        if !names.is_empty() && !self.dice.once_in(4) {
            return (*self.dice.pick(&names)).clone();
        }
        let fallback = names.first().map(|name| (*name).clone());
        match ty {
            Ty::Int => self.pick(&["(-1)", "0", "0", "1", "1", "2", "3", "MAXINT"]).to_owned(),
            Ty::Bool => self.pick(&["TRUE", "FALSE"]).to_owned(),
            Ty::Text => self.pick(&["\"a\"", "\"b\"", "\"\""]).to_owned(),
            Ty::Given(set) => match self.sets[*set].elements.clone() {
                elements if elements.is_empty() => fallback.expect("asked for only where there is a name"),
                elements => self.dice.pick(&elements).clone(),
            },
            Ty::Set(element) => self.small_set(element),
            Ty::Pair(first, second) if self.can_write(first) && self.can_write(second) => {
                format!("({} |-> {})", self.leaf(first), self.leaf(second))
            }
            Ty::Record(fields) if fields.iter().all(|(_, ty)| self.can_write(ty)) => self.record(fields, 0),
            Ty::Pair(..) | Ty::Record(_) => fallback.expect("asked for only where there is a name"),
        }
    }

    /// `f(x)`, where it is defined.
    fn application(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        let functions: Vec<(String, Ty)> = self
            .known
            .iter()
            .filter_map(|known| known.ty.sides().filter(|(_, to)| *to == ty).map(|(from, _)| (known.name.clone(), from.clone())))
            .collect();
        let (function, from) = if functions.is_empty() || self.once_in(5) {
            let from = self.small_type();
            (self.typed_set(&Ty::relation(from.clone(), ty.clone()), depth.min(1)), from)
        } else {
            self.dice.pick(&functions).clone()
        };
        if !self.can_write(&from) || !self.can_write(ty) {
            return None;
        }
        let argument = self.expr(&from, depth.min(1));
        if self.is_careless && self.once_in(3) {
            return Some(format!("({function})({argument})"));
        }
        let otherwise = self.leaf(ty);
        Some(format!("(IF card(({function})[{{{argument}}}]) = 1 THEN ({function})({argument}) ELSE {otherwise} END)"))
    }

    /// `r'a` of a known record.
    fn field(&mut self, ty: &Ty) -> Option<String> {
        let mut found = Vec::new();
        for known in &self.known {
            if let Ty::Record(fields) = &known.ty {
                found.extend(fields.iter().filter(|(_, field)| field == ty).map(|(name, _)| format!("({}'{name})", known.name)));
            }
        }
        if found.is_empty() { None } else { Some(self.dice.pick(&found).clone()) }
    }

    /// A side of a pair.
    fn projection(&mut self, ty: &Ty, depth: usize) -> String {
        let other = self.some_type();
        let (mine, its) = (self.generator(ty), self.generator(&other));
        let (mine_value, its_value) = (self.expr(ty, depth), self.expr(&other, depth));
        // The pair must be of the two sets.
        let condition = format!("{mine_value} : {mine} & {its_value} : {its}");
        let otherwise = self.leaf(ty);
        match self.once_in(2) {
            true => format!("(IF {condition} THEN prj1({mine}, {its})({mine_value} |-> {its_value}) ELSE {otherwise} END)"),
            false => format!("(IF {condition} THEN prj2({its}, {mine})({its_value} |-> {mine_value}) ELSE {otherwise} END)"),
        }
    }

    fn integer(&mut self, depth: usize) -> String {
        let int = Ty::Int;
        match self.below(12) {
            0..=2 => {
                let sign = self.pick(&["+", "+", "-", "*"]);
                format!("({} {sign} {})", self.expr(&int, depth), self.expr(&int, depth))
            }
            3 | 4 => {
                let ty = self.set_type();
                format!("card({})", self.defined(&ty, depth))
            }
            5 => {
                let operator = self.pick(&["min", "max"]);
                let always = self.leaf(&int);
                format!("{operator}({{{always}}} \\/ {})", self.set(&int, depth))
            }
            6 => {
                let ty = self.small_type();
                let (name, set) = (self.fresh("x"), self.generator(&ty));
                let (condition, value) = self.with(&name, &ty, |maker| (maker.pred(depth.min(1)), maker.expr(&int, depth.min(1))));
                let operator = self.pick(&["SIGMA", "SIGMA", "PI"]);
                format!("{operator}({name}).({name} : {set} & {condition} | {value})")
            }
            7 => format!("({} / {})", self.expr(&int, depth), self.pick(&["2", "3", "-2"])),
            8 => format!("(max({{0, {}}}) mod {})", self.expr(&int, depth), self.pick(&["2", "3"])),
            9 => format!("(-{})", self.expr(&int, depth)),
            10 => self.sequence_size(depth),
            _ => match self.is_careless {
                true => format!("({} {} {})", self.expr(&int, depth), self.pick(&["/", "mod"]), self.expr(&int, depth)),
                false => format!("{}({})", self.pick(&["succ", "pred"]), self.expr(&int, depth)),
            },
        }
    }

    fn set_type(&mut self) -> Ty {
        let sets: Vec<Ty> = self.pool.iter().filter(|ty| matches!(ty, Ty::Set(_))).cloned().collect();
        if sets.is_empty() { Ty::set(Ty::Bool) } else { self.dice.pick(&sets).clone() }
    }

    fn sequence_size(&mut self, depth: usize) -> String {
        let sequences: Vec<Ty> = self.pool.iter().filter(|ty| matches!(ty.sides(), Some((Ty::Int, _)))).cloned().collect();
        if sequences.is_empty() {
            return self.leaf(&Ty::Int);
        }
        let ty = self.dice.pick(&sequences).clone();
        let sequence = self.expr(&ty, depth.min(1));
        let items = self.domain(ty.sides().expect("a sequence").1);
        format!("(IF {sequence} : seq({items}) THEN size({sequence}) ELSE 0 END)")
    }
}
