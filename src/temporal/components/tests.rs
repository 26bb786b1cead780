//! Components against transitive closures.

use super::*;
use bcheck_source::SplitMix64;

struct Lists(Vec<Vec<usize>>);

impl Successors for Lists {
    type Node = usize;
    type Place = (usize, usize);

    fn number(&self, node: usize) -> usize {
        node
    }

    fn place(&self, node: usize) -> (usize, usize) {
        (node, 0)
    }

    fn next(&self, place: &mut (usize, usize)) -> Option<usize> {
        place.1 += 1;
        self.0[place.0].get(place.1 - 1).copied()
    }
}

/// Whether a path of at least one edge leads from one node to another, inside a set.
fn closure(lists: &Lists, inside: &[bool]) -> Vec<Vec<bool>> {
    let count = inside.len();
    let mut reach = vec![vec![false; count]; count];
    for from in (0..count).filter(|&node| inside[node]) {
        lists.0[from].iter().filter(|&&to| inside[to]).for_each(|&to| reach[from][to] = true);
    }
    for via in 0..count {
        for from in 0..count {
            for to in 0..count {
                reach[from][to] |= reach[from][via] && reach[via][to];
            }
        }
    }
    reach
}

/// Kept components by definition: those without a bad node are kept, from others the least bad node is removed.
fn slowly(lists: &Lists, mut inside: Vec<bool>, bad: &[bool]) -> Vec<bool> {
    loop {
        let reach = closure(lists, &inside);
        inside = (0..inside.len()).map(|node| reach[node][node]).collect();
        let joined = |a: usize, b: usize| reach[a][b] && reach[b][a];
        let worst = (0..bad.len()).find(|&node| inside[node] && bad[node]);
        match worst {
            None => return inside,
            Some(worst) => {
                let removed = (0..bad.len()).find(|&node| bad[node] && inside[node] && joined(node, worst)).expect("itself");
                inside[removed] = false;
            }
        }
    }
}

#[test]
fn components_and_splits_are_those_of_the_transitive_closure() {
    let mut random = SplitMix64::new(2016);
    for _ in 0..3_000 {
        let count = 1 + random.below(9);
        let lists = Lists((0..count).map(|_| (0..random.below(4)).map(|_| random.below(count)).collect()).collect());
        let bad: Vec<bool> = (0..count).map(|_| random.below(4) == 0).collect();
        let found =
            decompose(&lists, count, 0..count, &|| false, |component| match component.nodes.iter().filter(|&&node| bad[node]).min() {
                None => Fate::Kept,
                Some(&worst) => Fate::Split(component.nodes.iter().copied().filter(|&node| node != worst).collect()),
            })
            .expect("not interrupted");
        let expected = slowly(&lists, vec![true; count], &bad);
        let reach = closure(&lists, &expected);
        for (node, &is_kept) in expected.iter().enumerate() {
            assert_eq!(found.of(node).is_some(), is_kept);
            for other in (0..count).filter(|&other| is_kept && expected[other] && other != node) {
                assert_eq!(found.of(node) == found.of(other), reach[node][other] && reach[other][node]);
            }
        }
        assert_eq!(found.is_empty(), !expected.contains(&true));
    }
}

#[test]
fn an_interrupt_ends_the_search() {
    let lists = Lists((0..40_000).map(|node| vec![(node + 1) % 40_000]).collect());
    assert!(decompose(&lists, 40_000, 0..40_000, &|| true, |_| Fate::Kept).is_none());
    assert!(decompose(&lists, 40_000, 0..40_000, &|| false, |_| Fate::Kept).is_some_and(|found| found.of(39_999).is_some()));
}
