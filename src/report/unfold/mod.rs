//! The full graph that a graph up to symmetry represents.
//!
//! A quotient alone does not determine the graph: two machines, one in which a step leaves a state unchanged and one in which it exchanges
//! two elements, have the same quotient. What determines it is, for each edge, the permutation that takes the successor to its
//! representative. Then the full graph consists of the orbits of the nodes, and of the edges with the calls they are labelled with. Only
//! the file is needed: elements are renamed in the texts of states and calls.
//!
//! Invariant: the orbit of a node, or of an edge, has the size stated in the file; an inconsistent file is refused. Deliberately elsewhere:
//! reading the file (`quotient`), renaming (`image`), writing (`graph`).

mod image;
mod quotient;

pub use quotient::{Quotient, QuotientFault};

use image::Renaming;
use num_bigint::BigUint;
use quotient::{QuotientEdge, QuotientNode};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;

/// A full graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FullGraph {
    /// The states; initial ones come first.
    pub states: Vec<FullState>,
    /// Their edges, by the state they leave.
    pub edges: Vec<FullEdge>,
}

/// A state of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FullState {
    /// The values of constants and variables, as text.
    pub values: Vec<String>,
    /// The node of the quotient that represents it.
    pub node: usize,
}

/// A step of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FullEdge {
    /// The state it leaves.
    pub from: usize,
    /// The call, as text.
    pub label: String,
    /// Its target.
    pub to: usize,
    /// The edge of the quotient that represents it.
    pub edge: usize,
}

/// The full graph of a quotient.
///
/// # Errors
/// When it has more states than the limit, or when the file contradicts itself.
pub fn unfold(quotient: &Quotient, limit: usize) -> Result<FullGraph, QuotientFault> {
    // Known before anything is enumerated: orbits may be as large as a factorial.
    let wanted: BigUint = quotient.nodes.iter().map(|node| &node.orbit).sum();
    if wanted > BigUint::from(limit) {
        return Err(QuotientFault::TooLarge(wanted));
    }
    let mut states = States { generators: &quotient.generators, numbers: FxHashMap::default(), all: Vec::new(), images: Vec::new() };
    for (number, node) in quotient.nodes.iter().enumerate() {
        states.enter_all(number, node)?;
    }
    let mut labels = Labels { generators: &quotient.generators, numbers: FxHashMap::default(), all: Vec::new(), images: Vec::new() };
    let mut edges = Vec::new();
    for (number, edge) in quotient.edges.iter().enumerate() {
        let found = all_images(quotient, &states, &mut labels, edge)?;
        edges.extend(found.into_iter().map(|(from, label, to)| FullEdge { from, label: labels.all[label].clone(), to, edge: number }));
    }
    // By the state they leave; so far they are in the order of the quotient's edges.
    edges.sort_unstable();
    Ok(FullGraph { states: states.all, edges })
}

/// The orbit of an edge under the group: sources, labels, targets.
fn all_images(
    quotient: &Quotient,
    states: &States<'_>,
    labels: &mut Labels<'_>,
    edge: &QuotientEdge,
) -> Result<Vec<(usize, usize, usize)>, QuotientFault> {
    let contradicts = |what: String| QuotientFault::Contradiction { line: edge.line, what };
    // The target of the edge is a representative; the inverse permutation maps that to the successor itself. Images of the identity
    // normalise all texts.
    let (from, to) = (quotient.nodes[edge.from].image(&Renaming::default()), quotient.nodes[edge.to].image(&edge.permutation.inverse()));
    let known = |values: &Vec<String>| states.numbers.get(values).copied();
    let (Some(from), Some(to)) = (known(&from), known(&to)) else {
        return Err(contradicts("its permutation is not one of the group".to_owned()));
    };
    let first = (from, labels.number(Renaming::default().call_image(&edge.label)), to);
    let mut seen = FxHashSet::from_iter([first]);
    let mut found = vec![first];
    let mut next = 0;
    // The orbit, breadth first. Generators suffice without their inverses, which are powers of them in a finite group. All states have
    // their images by now, as their orbits were enumerated to the end.
    while let Some(&(from, label, to)) = found.get(next)
        && edge.weight >= BigUint::from(found.len())
    {
        next += 1;
        for generator in 0..quotient.generators.len() {
            let image = (states.images[from][generator], labels.image(label, generator), states.images[to][generator]);
            if seen.insert(image) {
                found.push(image);
            }
        }
    }
    // The loop stops soon at an orbit that outgrows the weight: a file may claim little for a group of any order.
    if BigUint::from(found.len()) != edge.weight {
        return Err(contradicts(stands_for(&edge.weight, "steps", found.len())));
    }
    Ok(found)
}

/// The message that an orbit has another size than the file states; one that is too large was not enumerated to its end.
fn stands_for(stated: &BigUint, what: &str, found: usize) -> String {
    let at_least = if BigUint::from(found) > *stated { "at least " } else { "" };
    format!("it stands for {stated} {what}, but the group makes {at_least}{found} of it")
}

/// The states found so far, each with its images under the generators.
struct States<'a> {
    generators: &'a [Renaming],
    numbers: FxHashMap<Vec<String>, usize>,
    all: Vec<FullState>,
    images: Vec<Vec<usize>>,
}

impl States<'_> {
    /// Enters the orbit of a node.
    fn enter_all(&mut self, number: usize, node: &QuotientNode) -> Result<(), QuotientFault> {
        let contradicts = |what: String| QuotientFault::Contradiction { line: node.line, what };
        let start = self.all.len();
        let enter = |states: &mut Self, values: Vec<String>| match states.numbers.entry(values) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(free) => {
                states.all.push(FullState { values: free.key().clone(), node: number });
                *free.insert(states.all.len() - 1)
            }
        };
        // Orbits are disjoint, and earlier ones were entered completely.
        if enter(self, node.image(&Renaming::default())) < start {
            return Err(contradicts("an earlier node is symmetric to it".to_owned()));
        }
        // States without images are the queue: before and after each call, all states have theirs.
        while let Some(state) = self.all.get(self.images.len())
            && node.orbit >= BigUint::from(self.all.len() - start)
        {
            let images: Vec<Vec<String>> = self.generators.iter().map(|generator| generator.images(&state.values)).collect();
            let images = images.into_iter().map(|values| enter(self, values)).collect();
            self.images.push(images);
        }
        let found = self.all.len() - start;
        if BigUint::from(found) != node.orbit {
            return Err(contradicts(stands_for(&node.orbit, "states", found)));
        }
        Ok(())
    }
}

/// The labels found so far; their images are computed on demand.
struct Labels<'a> {
    generators: &'a [Renaming],
    numbers: FxHashMap<String, usize>,
    all: Vec<String>,
    images: Vec<Vec<Option<usize>>>,
}

impl Labels<'_> {
    fn number(&mut self, label: String) -> usize {
        let (all, images, count) = (&mut self.all, &mut self.images, self.generators.len());
        *self.numbers.entry(label).or_insert_with_key(|label| {
            all.push(label.clone());
            images.push(vec![None; count]);
            all.len() - 1
        })
    }

    fn image(&mut self, label: usize, generator: usize) -> usize {
        if let Some(image) = self.images[label][generator] {
            return image;
        }
        let image = self.number(self.generators[generator].call_image(&self.all[label]));
        self.images[label][generator] = Some(image);
        image
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quotient(text: &str) -> Quotient {
        Quotient::read(text).expect("a graph")
    }

    /// One class of two states, whose only step either stays or goes to the other one.
    fn one_step(permutation: &str, orbit: u32) -> String {
        format!(
            "<graphml><graph id=\"m\"><data key=\"quotient\">true</data><data key=\"generators\">(S1 S2)</data>\
             <node id=\"s0\"><data key=\"state\">x = S1</data><data key=\"initial\">true</data><data key=\"depth\">0</data>\
             <data key=\"orbit\">{orbit}</data><data key=\"deadlock\">false</data><data key=\"findings\"/></node>\
             <edge source=\"s0\" target=\"s0\"><data key=\"operation\">step</data><data key=\"label\">step()</data>\
             <data key=\"multiplicity\">1</data><data key=\"weight\">2</data><data key=\"permutation\">{permutation}</data></edge>\
             </graph></graphml>"
        )
    }

    #[test]
    fn only_permutations_distinguish_quotients() {
        let ends = |text: &str| {
            let full = unfold(&quotient(text), 10).expect("it fits");
            assert_eq!(full.states.iter().map(|state| state.values[0].as_str()).collect::<Vec<_>>(), ["S1", "S2"]);
            full.edges.iter().map(|edge| (edge.from, edge.to)).collect::<Vec<_>>()
        };
        assert_eq!(ends(&one_step("", 2)), [(0, 0), (1, 1)], "it stays");
        assert_eq!(ends(&one_step("(S1 S2)", 2)), [(0, 1), (1, 0)], "it goes to the other");
    }

    #[test]
    fn a_file_that_contradicts_itself_is_refused() {
        let refused = |text: &str, limit: usize| unfold(&quotient(text), limit).unwrap_err().to_string();
        assert_eq!(refused(&one_step("", 3), 10), "line 1: it stands for 3 states, but the group makes 2 of it");
        assert_eq!(refused(&one_step("(S1 S3)", 2), 10), "line 1: its permutation is not one of the group");
        let weight = one_step("", 2).replace("\"weight\">2", "\"weight\">3");
        assert_eq!(refused(&weight, 10), "line 1: it stands for 3 steps, but the group makes 2 of it");
        assert!(refused(&one_step("", 2), 1).contains("2 states"));
    }

    #[test]
    fn a_file_that_claims_less_than_the_group_makes_is_refused_soon() {
        // All arrangements of twelve elements would be made of the only state.
        let elements: Vec<String> = (1..=12).map(|at| format!("S{at}")).collect();
        let text = one_step("", 1).replace("x = S1", &format!("x = [{}]", elements.join(",")));
        let text = text.replace("(S1 S2)</data>", &format!("(S1 S2)\n({})</data>", elements.join(" ")));
        let refused = unfold(&quotient(&text), 10).unwrap_err().to_string();
        // The generators take two lines, so that the state is on the second one.
        assert!(refused.starts_with("line 2: it stands for 1 states, but the group makes at least "), "{refused}");
    }
}
