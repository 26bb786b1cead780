//! Fairness of single instances: the graph of classes with threads against the graph of all states, where each instance is a name of its
//! own and fairness of it an assumption like any other.

use super::super::super::graph::tests::STEP_PROPOSITIONS;
use super::super::super::graph::{GraphBuilder, StepOrdinal};
use super::super::super::threads::{InstanceName, InstanceStep, InstanceSteps, Renaming, StateSteps};
use super::*;
use std::rc::Rc;

/// All permutations of up to three names.
const RENAMINGS: [[u32; 3]; 6] = [[0, 1, 2], [1, 0, 2], [0, 2, 1], [2, 1, 0], [1, 2, 0], [2, 0, 1]];

/// By state: its letter and its steps.
#[derive(Clone, Debug)]
struct System(Vec<(u64, Vec<InstanceStep>)>);

/// The steps of a system, as a graph of classes needs them.
struct Steps(Vec<Rc<StateSteps>>);

impl InstanceSteps for Steps {
    fn of_state(&self, state: StateNumber) -> Option<Rc<StateSteps>> {
        Some(Rc::clone(&self.0[state.index()]))
    }

    fn renamed(&self, instance: InstanceName, renaming: Renaming) -> InstanceName {
        InstanceName::new(RENAMINGS[renaming.index()][instance.index()])
    }

    fn renames(&self, renaming: Renaming) -> bool {
        renaming > Renaming::new(0)
    }
}

impl System {
    /// A system of a few states; state 0 is initial. With two instances the third name is never used.
    fn random(random: &mut SplitMix64) -> Self {
        let count = 1 + random.below(4);
        let (instances, renamings) = [(2, 2), (3, 6)][random.below(2)];
        let density = 1 + random.below(3);
        let step = |random: &mut SplitMix64| InstanceStep {
            to: StateNumber::at(random.below(count)),
            letter: random.word() & STEP_PROPOSITIONS,
            instance: InstanceName::at(random.below(instances)),
            renaming: Renaming::at(random.below(renamings)),
        };
        let row = |random: &mut SplitMix64| (0..random.below(density + 2)).map(|_| step(random)).collect();
        Self((0..count).map(|_| (random.word() & STATE_PROPOSITIONS, row(random))).collect())
    }

    /// The same without renaming: what a plain quotient takes it for.
    fn without_renaming(&self) -> Self {
        let still = |step: &InstanceStep| InstanceStep { renaming: Renaming::new(0), ..*step };
        Self(self.0.iter().map(|(letter, steps)| (*letter, steps.iter().map(still).collect())).collect())
    }

    fn graph(&self) -> Graph {
        let mut builder = GraphBuilder::new(true);
        for (letter, steps) in &self.0 {
            let mut row = steps.iter().map(|step| Edge { to: step.to, letter: builder.step_letter(step.letter) }).collect();
            builder.push(*letter, &mut row);
        }
        builder.mark_initial(StateNumber::new(0));
        builder.finish()
    }

    fn steps(&self) -> Steps {
        Steps(self.0.iter().map(|(_, steps)| Rc::new(StateSteps::new(steps.clone()))).collect())
    }

    /// The graph of all states: a class with the names that three instances have there. A proposition of states says of each instance
    /// whether it is enabled, one of steps whether it is taken.
    fn unfolded(&self) -> Graph {
        let mut builder = GraphBuilder::new(true);
        for (letter, steps) in &self.0 {
            for names in &RENAMINGS {
                let bits = |instance: InstanceName, first: u64| {
                    (0..3).filter(|&x| names[x] == instance.number()).map(|x| 1 << (first + x as u64)).sum::<u64>()
                };
                let enabled = steps.iter().fold(0, |enabled, step| enabled | bits(step.instance, 3));
                let edge = |step: &InstanceStep| {
                    let after = names.map(|name| RENAMINGS[step.renaming.index()][name as usize]);
                    let position = RENAMINGS.iter().position(|names| *names == after).expect("all permutations are there");
                    (StateNumber::at(step.to.index() * 6 + position), step.letter | bits(step.instance, 2))
                };
                let row: Vec<_> = steps.iter().map(edge).collect();
                let mut row = row.into_iter().map(|(to, letter)| Edge { to, letter: builder.step_letter(letter) }).collect();
                builder.push(letter | enabled, &mut row);
            }
        }
        builder.mark_initial(StateNumber::new(0));
        builder.finish()
    }

    fn ask(&self, automaton: &Automaton, fairness: &[Fairness], is_strong: bool) -> Found {
        let (graph, steps) = (self.graph(), self.steps());
        let each = Some(EachInstance { is_strong, steps: &steps });
        counterexample(&Question { graph: &graph, automaton, fairness, each, uses_open: false, interrupted: &|| false }).found
    }

    /// By definition: in rounds of the loop until names are back, each instance is taken, or not enabled as it would have to be.
    fn check_loop(&self, run: &Run, is_strong: bool) {
        let End::Loop(start) = run.end else { return };
        assert_eq!(run.ordinals.len(), run.states.len() - start, "each step of the loop is chosen");
        let graph = self.graph();
        let mut names = RENAMINGS[0].map(InstanceName::new);
        // Of each instance: whether it is always enabled, whether ever, whether taken.
        let mut seen = [(true, false, false); 3];
        loop {
            for (at, &ordinal) in (start..).zip(&run.ordinals) {
                let (_, steps) = &self.0[run.states[at].index()];
                let chosen = steps[ordinal.index()];
                let next = run.states.get(at + 1).unwrap_or(&run.states[start]);
                assert_eq!((chosen.to, chosen.letter), (*next, graph.step(run.letters[at])), "the chosen step is one of the run");
                for (name, seen) in names.iter_mut().zip(&mut seen) {
                    let is_enabled = steps.iter().any(|step| step.instance == *name);
                    *seen = (seen.0 && is_enabled, seen.1 || is_enabled, seen.2 || chosen.instance == *name);
                    *name = self.steps().renamed(*name, chosen.renaming);
                }
            }
            if names == RENAMINGS[0].map(InstanceName::new) {
                break;
            }
        }
        for (always, ever, taken) in seen {
            assert!(taken || !if is_strong { ever } else { always }, "the loop is fair: {self:?} {run:?}");
        }
    }
}

#[test]
fn threads_say_what_the_graph_of_all_states_says() {
    let mut random = SplitMix64::new(77);
    let (mut accepted, mut refused, mut matters) = (0, 0, 0);
    for _ in 0..3_000 {
        let (system, automaton) = (System::random(&mut random), random_automaton(&mut random));
        let fairness = if random.below(2) == 0 { random_fairness(&mut random) } else { Vec::new() };
        for is_strong in [false, true] {
            let each = (0..3).map(|x| Fairness { is_strong, enabled: 3 + x, taken: 2 + x });
            let all: Vec<Fairness> = fairness.iter().copied().chain(each).collect();
            // Where no step renames, threads are judged by name.
            let is_accepted = [system.clone(), system.without_renaming()].map(|system| {
                let expected = ask(&system.unfolded(), &automaton, &all, false).found;
                let found = system.ask(&automaton, &fairness, is_strong);
                match &found {
                    Found::Accepted(run) => {
                        assert!(matches!(expected, Found::Accepted(_)), "{system:?} {automaton:?} {fairness:?} {is_strong}: {run:?}");
                        check(&system.graph(), &automaton, &fairness, false, run);
                        system.check_loop(run, is_strong);
                        accepted += usize::from(matches!(run.end, End::Loop(_)));
                    }
                    _ => {
                        let both = (&found, &expected);
                        assert_eq!(both, (&Found::Nothing, &Found::Nothing), "{system:?} {automaton:?} {fairness:?} {is_strong}");
                        refused += 1;
                    }
                }
                matches!(found, Found::Accepted(_))
            });
            matters += usize::from(is_accepted[0] != is_accepted[1]);
        }
    }
    assert!(accepted > 300 && refused > 300 && matters > 10, "{accepted} loops, {refused} without, {matters} where renaming matters");
}

/// A step that has no propositions.
fn step(to: u32, instance: u32, renaming: u32) -> InstanceStep {
    InstanceStep { to: StateNumber::new(to), letter: 0, instance: InstanceName::new(instance), renaming: Renaming::new(renaming) }
}

fn anything() -> Automaton {
    let again = Transition { reads: Cube::default(), to: AutomatonState::new(0), marks: 0 };
    Automaton { initial: vec![AutomatonState::new(0)], transitions: vec![vec![again]], accepts_end: vec![Vec::new()], acceptance_sets: 0 }
}

#[test]
fn strong_fairness_of_instances_may_need_two_decompositions() {
    // The names 0 and 2 are exchanged in state 3 alone. What is 0 elsewhere is enabled there, and only taken to a state without a way back.
    // Without state 3, state 2 has no way back; of what remains, state 1 enables 2, which is only taken to state 3. The loop at state 0
    // remains.
    let loops = step(0, 1, 0);
    let rest = |first: &[InstanceStep]| {
        System(vec![
            (0, [first, &[step(1, 1, 0)]].concat()),
            (0, vec![step(0, 1, 0), step(2, 1, 0), step(3, 2, 3)]),
            (0, vec![step(3, 1, 3)]),
            (0, vec![step(0, 1, 3), step(1, 1, 3), step(4, 2, 3)]),
            (0, vec![]),
        ])
    };
    let Found::Accepted(run) = rest(&[loops]).ask(&anything(), &[], true) else { panic!("there is a fair path") };
    assert_eq!((run.states, run.end, run.ordinals), (vec![StateNumber::new(0)], End::Loop(0), vec![StepOrdinal::new(0)]));
    assert_eq!(rest(&[]).ask(&anything(), &[], true), Found::Nothing);
    // With one name for 0 and 2, going round through state 3 would be fair.
    assert!(matches!(rest(&[]).without_renaming().ask(&anything(), &[], true), Found::Accepted(_)));
    // Weak fairness is met by any round through states that do not enable 0 and 2.
    assert!(matches!(rest(&[]).ask(&anything(), &[], false), Found::Accepted(_)));
}

#[test]
fn what_a_plain_quotient_takes_for_fair_is_not() {
    // The loop takes what has the name 0 and exchanges the names: it is a queue of two. Name 1 is enabled as well, and never taken there.
    let queue = System(vec![(0, vec![step(0, 0, 1), step(1, 1, 0)]), (0, vec![])]);
    for is_strong in [false, true] {
        let Found::Accepted(run) = queue.ask(&anything(), &[], is_strong) else { panic!("each instance is taken every other time") };
        assert_eq!((run.states, run.ordinals), (vec![StateNumber::new(0); 2], vec![StepOrdinal::new(0); 2]));
        assert_eq!(queue.without_renaming().ask(&anything(), &[], is_strong), Found::Nothing);
    }
    // The other way round: in state 0 the name 0 is enabled, in state 1 the name 1; the way between exchanges them, and never takes either.
    let hidden = System(vec![(0, vec![step(1, 2, 1), step(2, 0, 0)]), (0, vec![step(0, 2, 1), step(2, 1, 0)]), (0, vec![])]);
    assert_eq!(hidden.ask(&anything(), &[], false), Found::Nothing);
    assert!(matches!(hidden.without_renaming().ask(&anything(), &[], false), Found::Accepted(_)));
}

#[test]
fn steps_that_cannot_be_made_again_end_the_search() {
    struct Nothing;
    impl InstanceSteps for Nothing {
        fn of_state(&self, _: StateNumber) -> Option<Rc<StateSteps>> {
            None
        }

        fn renamed(&self, instance: InstanceName, _: Renaming) -> InstanceName {
            instance
        }

        fn renames(&self, _: Renaming) -> bool {
            false
        }
    }
    let graph = System(vec![(0, vec![step(0, 0, 0)])]).graph();
    let each = Some(EachInstance { is_strong: false, steps: &Nothing });
    let question = Question { graph: &graph, automaton: &anything(), fairness: &[], each, uses_open: false, interrupted: &|| false };
    assert_eq!(counterexample(&question).found, Found::Interrupted);
    assert_eq!(has_fair_path(&graph, &[], each, false, &|| false), None);
}
