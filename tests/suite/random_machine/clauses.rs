//! A random machine, clause by clause.

use super::{Dice, Given, Known, Maker, Ty};

/// The number of states is bounded by about this.
const MOST_STATES: f64 = 600.0;

/// The number of set-ups is bounded by this.
const MOST_SET_UPS: f64 = 24.0;

/// A random machine, as text.
pub(crate) fn machine(dice: &mut Dice) -> String {
    let mut maker = Maker {
        dice,
        sets: Vec::new(),
        known: Vec::new(),
        variables: Vec::new(),
        pool: vec![Ty::Int, Ty::Bool],
        bound: 0,
        is_careless: false,
        fits_words: false,
    };
    maker.is_careless = maker.once_in(12);
    maker.fits_words = maker.once_in(2);
    maker.machine()
}

impl Maker<'_> {
    fn machine(&mut self) -> String {
        let mut definitions = Vec::new();
        let sets = self.given_sets(&mut definitions);
        let header = self.header();
        let (constants, properties, set_ups) = self.constants();
        let mut invariant = self.variables(set_ups);
        if self.once_in(8) {
            // A number without bounds of its own.
            let at = self.variables.iter().position(|(known, _)| known.ty == Ty::Int);
            if let Some(at) = at {
                let typing = &mut invariant[at];
                *typing = format!("{} : {}", self.variables[at].0.name, self.dice.pick(&["INTEGER", "INT", "NATURAL"]));
            }
        }
        let assertions: Vec<String> = (0..if self.once_in(5) { 1 + self.below(2) } else { 0 }).map(|_| self.statement()).collect();
        if self.once_in(20) {
            definitions.push(format!("SCOPE == ({})", self.pred(1)));
        }
        if self.once_in(6) {
            definitions.push(format!("GOAL == ({})", self.pred(2)));
        }
        for _ in 0..[0, 0, 0, 1, 1, 2][self.below(6)] {
            invariant.push(self.statement());
        }
        let initialisation = self.initialisation();
        let mut known = self.known.clone();
        let operations: Vec<String> = (0..2 + self.below(4)).map(|at| self.operation(at)).collect();
        self.known.append(&mut known);
        let mut clauses = Vec::new();
        let mut clause = |keyword: &str, items: &[String], sign: &str| {
            if !items.is_empty() {
                clauses.push(format!("{keyword}\n  {}", items.join(sign)));
            }
        };
        clause("SETS", &sets, "; ");
        clause("DEFINITIONS", &definitions, ";\n  ");
        clause("CONSTANTS", &constants, ", ");
        clause("PROPERTIES", &properties, " &\n  ");
        let names: Vec<String> = self.variables.iter().map(|(known, _)| known.name.clone()).collect();
        clause("VARIABLES", &names, ", ");
        clause("INVARIANT", &invariant, " &\n  ");
        clause("ASSERTIONS", &assertions, ";\n  ");
        clause("INITIALISATION", &[initialisation], "");
        clause("OPERATIONS", &operations, ";\n  ");
        format!("MACHINE {header}\n{}\nEND\n", clauses.join("\n"))
    }

    /// `random`, with the parameters that are sets.
    fn header(&mut self) -> String {
        let parameters: Vec<&str> = self.sets.iter().filter(|set| set.is_parameter).map(|set| set.name.as_str()).collect();
        if parameters.is_empty() { "random".to_owned() } else { format!("random({})", parameters.join(", ")) }
    }

    fn given_sets(&mut self, definitions: &mut Vec<String>) -> Vec<String> {
        let mut declared = Vec::new();
        let kinds: &[&[bool]] =
            &[&[true], &[true], &[true, true], &[true, false], &[true, false], &[false], &[false, false], &[true, true, false]];
        for (at, is_deferred) in self.dice.pick(kinds).iter().enumerate() {
            let name = ["S", "T", "U"][at].to_owned();
            let size = [1, 2, 2, 3, 3, 3, 4, 4, 5][self.below(9)];
            let elements =
                if *is_deferred { Vec::new() } else { (1..=size.max(2)).map(|at| format!("{}{at}", name.to_lowercase())).collect() };
            let is_parameter = *is_deferred && self.once_in(12);
            if *is_deferred {
                definitions.push(format!("scope_{name} == {size}"));
            }
            match (is_parameter, is_deferred) {
                (true, _) => {}
                (false, true) => declared.push(name.clone()),
                (false, false) => declared.push(format!("{name} = {{{}}}", elements.join(", "))),
            }
            let size = if *is_deferred { size } else { size.max(2) };
            self.sets.push(Given { name, elements, size, is_parameter });
            self.pool.push(Ty::Given(at));
            self.pool.push(Ty::Given(at));
        }
        declared
    }

    /// The constants, the properties, and at most how many set-ups there are.
    fn constants(&mut self) -> (Vec<String>, Vec<String>, f64) {
        let (mut names, mut properties) = (Vec::new(), Vec::new());
        let mut budget = MOST_SET_UPS;
        let count = [0, 0, 0, 1, 1, 2, 3][self.below(7)];
        for at in 0..count {
            if budget < 4.0 {
                break;
            }
            let universe = self.universe(budget);
            budget /= universe.size;
            let name = format!("c{}", at + 1);
            // Bounded by its set, or given by an equation.
            let value = if self.once_in(4) && self.can_write(&universe.ty) { Some(self.expr(&universe.ty, 2)) } else { None };
            match value {
                Some(value) if self.once_in(2) && self.size_of(&universe.ty).is_some() => properties.push(format!("{name} = {value}")),
                Some(value) => properties.extend([format!("{name} : {}", universe.text), format!("{name} = {value}")]),
                None => properties.push(format!("{name} : {}", universe.text)),
            }
            universe.ty.parts(&mut self.pool);
            names.push(name.clone());
            self.known.push(Known { name, ty: universe.ty });
        }
        if let Some((name, text, ty)) = self.structure() {
            properties.push(format!("{name} = {text}"));
            names.push(name.clone());
            self.pool.push(ty.clone());
            self.known.push(Known { name, ty });
        }
        // Two names for elements of one deferred set.
        if let Some(at) = (0..self.sets.len()).find(|at| self.sets[*at].elements.is_empty() && self.sets[*at].size > 1)
            && budget >= 9.0
            && self.once_in(4)
        {
            let set = self.sets[at].name.clone();
            for name in ["ca", "cb"] {
                names.push(name.to_owned());
                properties.push(format!("{name} : {set}"));
                self.known.push(Known { name: name.to_owned(), ty: Ty::Given(at) });
            }
            properties.push("ca /= cb".to_owned());
            budget /= (self.sets[at].size * self.sets[at].size) as f64;
        }
        if !names.is_empty() && self.once_in(3) {
            properties.push(self.statement());
        }
        (names, properties, MOST_SET_UPS / budget)
    }

    /// Something written out over the elements of an enumerated set, which has symmetries of its own: a ring, a chain, pairs, halves.
    fn structure(&mut self) -> Option<(String, String, Ty)> {
        let set = (0..self.sets.len()).find(|at| self.sets[*at].elements.len() > 2)?;
        if !self.once_in(3) {
            return None;
        }
        let elements = self.sets[set].elements.clone();
        let ty = Ty::Given(set);
        let pair = |(a, b): (&String, &String)| format!("{a} |-> {b}");
        let next = || elements.iter().cycle().skip(1);
        let (items, ty): (Vec<String>, Ty) = match self.below(5) {
            0 | 1 => (elements.iter().zip(next()).map(pair).collect(), Ty::relation(ty.clone(), ty)),
            2 => (elements.iter().zip(elements.iter().skip(1)).map(pair).collect(), Ty::relation(ty.clone(), ty)),
            3 => (elements.chunks(2).map(|half| format!("{{{}}}", half.join(", "))).collect(), Ty::set(Ty::set(ty))),
            _ => {
                (elements.iter().enumerate().map(|(at, element)| format!("{element} |-> {}", at / 2)).collect(), Ty::relation(ty, Ty::Int))
            }
        };
        Some(("ce".to_owned(), format!("{{{}}}", items.join(", ")), ty))
    }

    /// Gives the conjuncts of the invariant that say over what they range.
    fn variables(&mut self, set_ups: f64) -> Vec<String> {
        let mut budget = (MOST_STATES / set_ups).max(16.0);
        let mut conjuncts = Vec::new();
        for at in 0..1 + self.below(4) {
            if budget < 4.0 {
                break;
            }
            let universe = self.universe(budget.min(128.0));
            budget /= universe.size.max(1.0);
            let name = format!("v{}", at + 1);
            conjuncts.push(format!("{name} : {}", universe.text));
            for _ in 0..2 {
                let mut parts = Vec::new();
                universe.ty.parts(&mut parts);
                self.pool.extend(parts);
            }
            let known = Known { name, ty: universe.ty.clone() };
            self.known.push(known.clone());
            self.variables.push((known, universe));
        }
        conjuncts
    }

    /// What an invariant or assertion says besides: often true.
    fn statement(&mut self) -> String {
        match self.below(4) {
            0 => format!("({} or {})", self.pred(1), self.pred(1)),
            1 => self.symmetric(1).unwrap_or_else(|| self.pred(2)),
            _ => self.pred(2),
        }
    }

    /// Each variable on its own, so that none is read before it is set.
    fn initialisation(&mut self) -> String {
        let hidden = self.variables.len();
        let own = self.known.split_off(self.known.len() - hidden);
        let mut parts = Vec::new();
        for (known, universe) in self.variables.clone() {
            let name = known.name;
            parts.push(match universe.first {
                Some(first) if !self.once_in(4) => format!("{name} := {first}"),
                _ if universe.size <= 24.0 || self.once_in(2) => format!("{name} :: {}", universe.text),
                Some(first) => format!("{name} := {first}"),
                None => {
                    let new = self.fresh("x");
                    format!("ANY {new} WHERE {new} : {} THEN {name} := {new} END", universe.text)
                }
            });
        }
        self.known.extend(own);
        parts.join(" ||\n  ")
    }

    fn operation(&mut self, at: usize) -> String {
        let names_before = self.known.len();
        let mut guards = Vec::new();
        let mut parameters = Vec::new();
        let mut budget = 16.0;
        for _ in 0..[0, 1, 1, 1, 2, 2, 3][self.below(7)] {
            if budget < 4.0 {
                break;
            }
            let (set, ty, size) = if self.once_in(4) {
                let universe = self.universe(f64::min(budget, 16.0));
                (universe.text, universe.ty, universe.size)
            } else {
                let ty = self.small_type();
                let size = self.size_of(&ty).unwrap_or(5.0);
                (self.generator(&ty), ty, size)
            };
            budget /= size;
            let name = self.fresh("p");
            guards.push(format!("{name} : {set}"));
            parameters.push(name.clone());
            self.known.push(Known { name, ty });
        }
        if !self.once_in(3) {
            guards.push(self.pred(2));
        }
        let targets: Vec<usize> = (0..self.variables.len()).collect();
        let mut body = self.subst(&targets, 2);
        let mut results = String::new();
        if self.once_in(4) {
            let ty = self.some_type();
            let value = self.expr(&ty, 2);
            let value = if matches!(ty, Ty::Set(_)) { format!("({} \\/ {value})", self.typed_set(&ty, 0)) } else { value };
            results = "res <-- ".to_owned();
            body = format!("BEGIN {body} {} res := {value} END", self.pick(&["||", ";"]));
        }
        self.known.truncate(names_before);
        let list = if parameters.is_empty() { String::new() } else { format!("({})", parameters.join(", ")) };
        let keyword = if parameters.is_empty() && self.once_in(2) { "SELECT" } else { "PRE" };
        let body = if guards.is_empty() { body } else { format!("{keyword} {} THEN\n    {body} END", guards.join(" & ")) };
        format!("{results}op{}{list} = {body}", at + 1)
    }
}
