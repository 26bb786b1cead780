//! Strongly connected components of the small graphs inside automata.
//!
//! Invariant: components are numbered so that edges between different ones lead to smaller numbers. Deliberately elsewhere: components of
//! state spaces, which need less memory (`components`).

/// The number of the component of each node (Tarjan 1972, with an explicit stack instead of recursion).
pub(super) fn components(successors: &[Vec<u32>]) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let mut component = vec![NONE; successors.len()];
    // The order of discovery, and the least one that is known to be reached: both from 0 on.
    let (mut order, mut low) = (vec![NONE; successors.len()], vec![NONE; successors.len()]);
    let (mut discovered, mut components) = (0, 0);
    let mut open: Vec<u32> = Vec::new();
    for root in 0..successors.len() {
        // The path from the root: nodes, each with the index of its next edge.
        let mut path = if order[root] == NONE { vec![(root, 0)] } else { Vec::new() };
        while let Some((node, edge)) = path.last_mut() {
            let node = *node;
            if *edge == 0 {
                order[node] = discovered;
                low[node] = discovered;
                discovered += 1;
                open.push(u32::try_from(node).expect("graphs of automata are small"));
            }
            if let Some(&to) = successors[node].get(*edge) {
                *edge += 1;
                let to = to as usize;
                if order[to] == NONE {
                    path.push((to, 0));
                // Discovered and without a component: it is on the stack.
                } else if component[to] == NONE {
                    low[node] = low[node].min(order[to]);
                }
                continue;
            }
            path.pop();
            if let Some(&(before, _)) = path.last() {
                // The update that a recursive version makes on return.
                low[before] = low[before].min(low[node]);
            }
            if low[node] == order[node] {
                while let Some(member) = open.pop() {
                    component[member as usize] = components;
                    if member as usize == node {
                        break;
                    }
                }
                components += 1;
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_mutual_reachability() {
        let mut random = bcheck_source::SplitMix64::new(5);
        for _ in 0..500 {
            let nodes = 1 + random.below(9);
            let successors: Vec<Vec<u32>> =
                (0..nodes).map(|_| (0..random.below(3)).map(|_| u32::try_from(random.below(nodes)).unwrap()).collect()).collect();
            let reached_from = |from: usize| {
                let mut reached = vec![false; nodes];
                let mut open = vec![from];
                while let Some(node) = open.pop() {
                    if !std::mem::replace(&mut reached[node], true) {
                        open.extend(successors[node].iter().map(|&to| to as usize));
                    }
                }
                reached
            };
            let reaches: Vec<Vec<bool>> = (0..nodes).map(reached_from).collect();
            let component = components(&successors);
            for (from, to) in (0..nodes).flat_map(|from| (0..nodes).map(move |to| (from, to))) {
                assert_eq!(component[from] == component[to], reaches[from][to] && reaches[to][from]);
                assert!(!reaches[from][to] || component[to] <= component[from]);
            }
        }
    }
}
