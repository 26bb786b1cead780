//! Random substitutions.
//!
//! Invariant: a substitution writes only the variables that it may, each part of a parallel one others than the other parts; a value
//! that might leave the universe of a variable, of which there are infinitely many, is assigned only where it does not.

use super::{Maker, Ty};

impl Maker<'_> {
    /// A substitution that writes some of these variables.
    pub(super) fn subst(&mut self, targets: &[usize], depth: usize) -> String {
        if targets.is_empty() || self.once_in(20) {
            return "skip".to_owned();
        }
        if depth == 0 {
            return self.simple(targets);
        }
        let inner = depth - 1;
        match self.below(18) {
            0 | 1 if targets.len() > 1 => {
                let split = 1 + self.below(targets.len() - 1);
                let mut all = targets.to_vec();
                self.dice.shuffle(&mut all);
                let (first, second) = all.split_at(split);
                format!("BEGIN {} || {} END", self.subst(first, inner), self.subst(second, inner))
            }
            2 => format!("BEGIN {} ; {} END", self.subst(targets, inner), self.subst(targets, inner)),
            3 | 4 => {
                let mut text = format!("IF {} THEN {}", self.pred(1), self.subst(targets, inner));
                if self.once_in(3) {
                    text += &format!(" ELSIF {} THEN {}", self.pred(1), self.subst(targets, inner));
                }
                if self.once_in(2) {
                    text += &format!(" ELSE {}", self.subst(targets, inner));
                }
                text + " END"
            }
            5 | 6 => {
                let mut text = format!("SELECT {} THEN {}", self.pred(1), self.subst(targets, inner));
                if self.once_in(2) {
                    text += &format!(" WHEN {} THEN {}", self.pred(1), self.subst(targets, inner));
                }
                if self.once_in(3) {
                    text += &format!(" ELSE {}", self.subst(targets, inner));
                }
                text + " END"
            }
            7 | 8 => self.choice(targets, inner),
            9 => self.case(targets, inner).unwrap_or_else(|| self.simple(targets)),
            10..=12 => self.any(targets, inner),
            13 => {
                let ty = self.some_type();
                let (name, value) = (self.fresh("x"), self.value_of_known_type(&ty));
                let body = self.with(&name, &ty, |maker| maker.subst(targets, inner));
                format!("LET {name} BE {name} = {value} IN {body} END")
            }
            14 => {
                let ty = self.some_type();
                let (name, value) = (self.fresh("w"), self.value_of_known_type(&ty));
                let body = self.with(&name, &ty, |maker| {
                    let again = if maker.once_in(2) { format!("{name} := {} ; ", maker.expr(&ty, 1)) } else { String::new() };
                    format!("{again}{}", maker.subst(targets, inner))
                });
                format!("VAR {name} IN {name} := {value} ; {body} END")
            }
            15 => self.rounds(targets, inner),
            16 if self.is_careless => {
                let keyword = self.pick(&["ASSERT", "PRE"]);
                format!("{keyword} {} THEN {} END", self.pred(1), self.subst(targets, inner))
            }
            _ => self.simple(targets),
        }
    }

    fn value_of_known_type(&mut self, ty: &Ty) -> String {
        if matches!(ty, Ty::Set(_)) { self.typed_set(ty, 1) } else { self.expr(ty, 1) }
    }

    fn choice(&mut self, targets: &[usize], depth: usize) -> String {
        // One branch for each named element.
        if self.once_in(2)
            && let Some(branches) = self.of_each_named(|maker| maker.subst(targets, depth))
        {
            return format!("CHOICE {} END", branches.join(" OR "));
        }
        format!("CHOICE {} OR {} END", self.subst(targets, depth), self.subst(targets, depth))
    }

    fn case(&mut self, targets: &[usize], depth: usize) -> Option<String> {
        let (subject, labels) = match self.below(3) {
            0 => (self.expr(&Ty::Int, 1), ["0", "1", "2"].map(str::to_owned).to_vec()),
            1 => (self.expr(&Ty::Bool, 1), ["TRUE", "FALSE"].map(str::to_owned).to_vec()),
            _ => {
                let at = (0..self.sets.len()).find(|at| self.sets[*at].elements.len() > 1)?;
                (self.expr(&Ty::Given(at), 1), self.sets[at].elements.clone())
            }
        };
        let last = labels.len() - 1;
        let first = labels[..last].join(", ");
        let mut text = format!("CASE {subject} OF EITHER {first} THEN {}", self.subst(targets, depth));
        if self.once_in(2) {
            text += &format!(" OR {} THEN {}", labels[last], self.subst(targets, depth));
        }
        if self.once_in(2) {
            text += &format!(" ELSE {}", self.subst(targets, depth));
        }
        Some(text + " END END")
    }

    fn any(&mut self, targets: &[usize], depth: usize) -> String {
        let (names, typing, (condition, body)) = self.binding(|maker| (maker.pred(1), maker.subst(targets, depth)));
        let mut parts = [typing.clone(), condition];
        if self.once_in(8) {
            parts.reverse();
        }
        match self.once_in(3) {
            true => format!("ANY {names} WHERE {typing} THEN {body} END"),
            false => format!("ANY {names} WHERE {} THEN {body} END", parts.join(" & ")),
        }
    }

    /// A loop of at most two rounds.
    fn rounds(&mut self, targets: &[usize], depth: usize) -> String {
        let name = self.fresh("i");
        let (body, more) = self.with(&name, &Ty::Int, |maker| (maker.subst(targets, depth.min(1)), maker.pred(0)));
        let condition = if self.once_in(3) { format!("{name} < 2 & {more}") } else { format!("{name} < 2") };
        format!(
            "VAR {name} IN {name} := 0 ; WHILE {condition} DO {body} ; {name} := {name} + 1 INVARIANT {name} : 0 .. 2 VARIANT 2 - {name} END END"
        )
    }

    /// Writes one variable, or two at once.
    fn simple(&mut self, targets: &[usize]) -> String {
        let at = *self.dice.pick(targets);
        if targets.len() > 1 && self.once_in(6) {
            let other = *targets.iter().find(|other| **other != at).expect("there are two");
            let is_closed = |maker: &Self, at: usize| maker.size_of(&maker.variables[at].1.ty).is_some();
            if is_closed(self, at) && is_closed(self, other) {
                let (first, second) = (self.variables[at].0.clone(), self.variables[other].0.clone());
                return format!("{}, {} := {}, {}", first.name, second.name, self.update(&first.ty, &first.name), self.expr(&second.ty, 2));
            }
            let (first, second) = (self.variables[at].clone(), self.variables[other].clone());
            if first.1.size * second.1.size <= 32.0 {
                let (names, sets) = (format!("{}, {}", first.0.name, second.0.name), [first.1.text, second.1.text]);
                return match self.once_in(2) {
                    true => format!("{names} :: {} * {}", sets[0], sets[1]),
                    false => format!("{names} : ({} : {} & {} : {} & {})", first.0.name, sets[0], second.0.name, sets[1], self.pred(1)),
                };
            }
        }
        self.assign(at)
    }

    fn assign(&mut self, at: usize) -> String {
        let (known, universe) = self.variables[at].clone();
        let (name, ty) = (&known.name, &known.ty);
        match self.below(12) {
            0 if universe.size <= 32.0 => format!("{name} :: {}", universe.text),
            1 if universe.size <= 64.0 => {
                let old = if self.once_in(2) { format!(" & {name} /= {name}$0") } else { String::new() };
                format!("{name} : ({name} : {}{old} & {})", universe.text, self.pred(1))
            }
            2 | 3 if self.size_of(ty).is_some() => match ty.sides() {
                Some((from, to)) if self.can_write(from) && self.can_write(to) => {
                    format!("{name}({}) := {}", self.expr(&from.clone(), 1), self.expr(&to.clone(), 1))
                }
                _ => format!("{name} := {}", self.expr(ty, 2)),
            },
            4 => match ty {
                Ty::Record(fields) if self.size_of(ty).is_some() && self.can_write(&fields[0].1) => {
                    format!("{name}'{} := {}", fields[0].0, self.expr(&fields[0].1.clone(), 2))
                }
                _ => self.assign_within(name, ty, &universe.text),
            },
            _ => self.assign_within(name, ty, &universe.text),
        }
    }

    fn assign_within(&mut self, name: &str, ty: &Ty, universe: &str) -> String {
        let value = if self.once_in(3) { self.expr(ty, 2) } else { self.update(ty, name) };
        if self.size_of(ty).is_some() && !self.once_in(4) {
            return format!("{name} := {value}");
        }
        match self.below(3) {
            0 => format!("SELECT {value} : {universe} THEN {name} := {value} END"),
            1 => format!("IF {value} : {universe} THEN {name} := {value} END"),
            _ => {
                let new = self.fresh("x");
                format!("ANY {new} WHERE {new} : {universe} & {new} = {value} THEN {name} := {new} END")
            }
        }
    }

    /// What machines usually do to a variable of this type.
    fn update(&mut self, ty: &Ty, name: &str) -> String {
        match ty {
            Ty::Int => format!("({name} {} {})", self.pick(&["+", "-"]), self.pick(&["1", "1", "2"])),
            Ty::Bool => format!("bool({name} = FALSE)"),
            Ty::Set(element) => match &**element {
                Ty::Pair(from, to) if self.can_write(from) && self.can_write(to) => match (&**from, self.below(6)) {
                    (Ty::Int, 0..4) => format!("({name} <- {})", self.expr(to, 1)),
                    (_, 0) => format!("({{{}}} <<| {name})", self.expr(from, 1)),
                    (_, 1) => format!("({name} |>> {{{}}})", self.expr(to, 1)),
                    (_, 2) => format!("({name} \\/ {{{} |-> {}}})", self.expr(from, 1), self.expr(to, 1)),
                    _ => format!("({name} <+ {{{} |-> {}}})", self.expr(from, 1), self.expr(to, 1)),
                },
                element if self.can_write(element) => {
                    format!("({name} {} {{{}}})", self.pick(&["\\/", "\\/", "-"]), self.expr(element, 1))
                }
                element => format!("({name} {} {})", self.pick(&["\\/", "/\\", "-"]), self.set(element, 1)),
            },
            _ => self.expr(ty, 2),
        }
    }
}
