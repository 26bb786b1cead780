//! Random chains of refinements with preconditions in the MACHINE only: every link, by the refinement check and by itself, against a direct
//! simulation of all machines of the chain.
//!
//! A machine is a table here: states are numbers, an operation leads from a state to results and states. So the simulation needs nothing of
//! bcheck. Some chains are made to be right, some are changed somewhere after that. Deliberately elsewhere: machines with formulas, of one
//! link (`random_machines`).

use crate::dice::Dice;
use bcheck::Request;
use bcheck::eval::Machine;
use bcheck::explore::refine::{Demands, Matching, RefinementCheck};
use bcheck::explore::{Options, Outcome, Silent, Verdict, explore};
use bcheck::ir::{Precondition, Scope};
use bcheck::sema::{Files, LoadError, RefinementRequest, analyse_refinement, analyse_with};
use bcheck::source::{FileId, SourceMap, has_errors};
use bcheck::symmetry::Mode;
use bcheck::syntax::ast::{Definition, Machine as Tree, Parsed};
use bcheck::syntax::parse_machine;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;

/// Results of a step, and the state that it leads to.
type Effect = (usize, usize);

/// Operations of every machine.
const OPERATIONS: usize = 2;

/// A machine of a chain.
#[derive(Clone, Debug, Default)]
struct Level {
    states: usize,
    initial: BTreeSet<usize>,
    /// By operation and state. Without an effect the operation is not possible there.
    effects: Vec<Vec<BTreeSet<Effect>>>,
    /// Its own states, each with one of the machine above: the gluing invariant.
    glued: BTreeSet<(usize, usize)>,
}

/// The MACHINE first.
#[derive(Clone, Debug)]
struct Chain {
    levels: Vec<Level>,
    /// By operation: the states of the MACHINE in which it may be called.
    callable: Vec<BTreeSet<usize>>,
}

fn some(dice: &mut Dice, below: usize) -> BTreeSet<usize> {
    let mut all: BTreeSet<usize> = (0..below).filter(|_| dice.once_in(2)).collect();
    all.insert(dice.below(below));
    all
}

impl Chain {
    fn new(dice: &mut Dice) -> Self {
        let states = 2 + dice.below(3);
        let callable = (0..OPERATIONS).map(|_| some(dice, states)).collect();
        let effects = (0..OPERATIONS).map(|_| (0..states).map(|_| some_effects(dice, states)).collect()).collect();
        let top = Level { states, initial: some(dice, states), effects, glued: BTreeSet::new() };
        let mut chain = Self { levels: vec![top], callable };
        for _ in 0..2 + dice.below(2) {
            let next = chain.refined(dice);
            chain.levels.push(next);
        }
        if dice.once_in(2) {
            chain.change(dice);
        }
        chain
    }

    /// A machine that refines the last one: each of its states stands for some of that one's, and does something that all of them allow,
    /// where they may be called; elsewhere it does anything.
    fn refined(&self, dice: &mut Dice) -> Level {
        let above = &self.levels[self.levels.len() - 1];
        let states = above.states + dice.below(2);
        // Each state above has one below that stands for it, and perhaps stands for others.
        let mut glued: BTreeSet<(usize, usize)> =
            (0..states).map(|state| (state, if state < above.states { state } else { dice.below(above.states) })).collect();
        if dice.once_in(3) {
            glued.insert((dice.below(states), dice.below(above.states)));
        }
        let stand_for = |state: usize| -> Vec<usize> { glued.iter().filter(|(own, _)| *own == state).map(|(_, other)| *other).collect() };
        let mut effects = vec![vec![BTreeSet::new(); states]; OPERATIONS];
        for (operation, by_state) in effects.iter_mut().enumerate() {
            for (state, found) in by_state.iter_mut().enumerate() {
                let possible: Vec<Effect> =
                    stand_for(state).iter().flat_map(|other| above.effects[operation][*other].iter().copied()).collect();
                let may_be_called = stand_for(state).iter().any(|other| self.is_called(self.levels.len() - 1, *other, operation));
                if !may_be_called || possible.is_empty() {
                    *found = some_effects(dice, states);
                    continue;
                }
                for _ in 0..1 + dice.below(2) {
                    let (result, next) = possible[dice.below(possible.len())];
                    let below: Vec<usize> = glued.iter().filter(|(_, other)| *other == next).map(|(own, _)| *own).collect();
                    found.insert((result, below[dice.below(below.len())]));
                }
            }
        }
        let first: Vec<usize> = above.initial.iter().copied().collect();
        let first = first[dice.below(first.len())];
        let initial = glued.iter().filter(|(_, other)| *other == first).map(|(own, _)| *own).take(1).collect();
        Level { states, initial, effects, glued }
    }

    /// Whether some state of the MACHINE that this state of a machine may stand for allows the call.
    fn is_called(&self, level: usize, state: usize, operation: usize) -> bool {
        match level {
            0 => self.callable[operation].contains(&state),
            _ => self.levels[level].glued.iter().any(|&(own, above)| own == state && self.is_called(level - 1, above, operation)),
        }
    }

    fn change(&mut self, dice: &mut Dice) {
        let at = 1 + dice.below(self.levels.len() - 1);
        let level = &mut self.levels[at];
        let (operation, state) = (dice.below(OPERATIONS), dice.below(level.states));
        match dice.below(4) {
            0 | 1 => level.effects[operation][state] = some_effects(dice, level.states),
            2 => drop(level.initial.insert(dice.below(level.states))),
            _ => {
                let pair = level.glued.iter().nth(dice.below(level.glued.len())).copied();
                level.glued.retain(|other| Some(*other) != pair);
            }
        }
    }

    /// The text of a machine.
    fn text(&self, at: usize) -> String {
        let level = &self.levels[at];
        let mut text = match at {
            0 => "MACHINE M0\n".to_owned(),
            _ => format!("REFINEMENT M{at} REFINES M{}\n", at - 1),
        };
        let glued = match at {
            0 => String::new(),
            _ => format!(" & s{at} |-> s{} : {}", at - 1, pairs(level.glued.iter())),
        };
        let set = |states: &BTreeSet<usize>| format!("{{{}}}", states.iter().map(usize::to_string).collect::<Vec<_>>().join(", "));
        write!(
            text,
            "VARIABLES s{at} INVARIANT s{at} : 0..{}{glued}\nINITIALISATION s{at} :: {}\nOPERATIONS",
            level.states - 1,
            set(&level.initial)
        )
        .expect("a string");
        for (operation, by_state) in level.effects.iter().enumerate() {
            let effects: Vec<String> = by_state
                .iter()
                .enumerate()
                .flat_map(|(state, effects)| effects.iter().map(move |(result, next)| format!("{state} |-> ({result} |-> {next})")))
                .collect();
            let effects = if effects.is_empty() { "{} * (INTEGER * INTEGER)".to_owned() } else { format!("{{{}}}", effects.join(", ")) };
            let pre = if at == 0 { format!("PRE s0 : {} THEN ", set(&self.callable[operation])) } else { String::new() };
            let end = if at == 0 { " END" } else { "" };
            let sign = if operation == 0 { "" } else { ";" };
            let choice = format!("ANY vv, nn WHERE s{at} |-> (vv |-> nn) : {effects} THEN rr := vv || s{at} := nn END");
            write!(text, "{sign}\n  rr <-- op{operation} = {pre}{choice}{end}").expect("a string");
        }
        text + "\nEND"
    }
}

fn some_effects(dice: &mut Dice, states: usize) -> BTreeSet<Effect> {
    (0..1 + dice.below(2)).map(|_| (dice.below(2), dice.below(states))).collect()
}

fn pairs<'a>(pairs: impl Iterator<Item = &'a (usize, usize)>) -> String {
    let all: Vec<String> = pairs.map(|(own, above)| format!("{own} |-> {above}")).collect();
    if all.is_empty() { "{} * INTEGER".to_owned() } else { format!("{{{}}}", all.join(", ")) }
}

/// A state of the lowest machine, and the states that those above may be in, the next one first.
type Configuration = (usize, BTreeSet<Vec<usize>>);

/// What the simulation of a link finds: the least number of steps to a violation, and to a step that a machine further up does not follow.
#[derive(Debug, Default)]
struct Found {
    violation: Option<usize>,
    open: Option<usize>,
    configurations: usize,
}

/// Simulates the machines up to `at`, the lowest one.
fn simulate(chain: &Chain, at: usize) -> Found {
    let levels: Vec<&Level> = chain.levels[..=at].iter().rev().collect();
    let mut found = Found::default();
    let mut known: BTreeMap<Configuration, usize> = BTreeMap::new();
    let mut level: Vec<Configuration> = Vec::new();
    let enter = |known: &mut BTreeMap<Configuration, usize>, next: &mut Vec<Configuration>, one: Configuration, depth: usize| {
        if !known.contains_key(&one) {
            known.insert(one.clone(), depth);
            next.push(one);
        }
    };
    for &own in &levels[0].initial {
        let candidates: Vec<(Vec<usize>, usize)> = levels[1].initial.iter().map(|&state| (Vec::new(), state)).collect();
        let up = |_: &[usize], level: usize| levels[level].initial.iter().map(|&state| (0, state)).collect();
        match related(&levels, own, &candidates, &|_, _| 0, &up) {
            Reached::Open => note(&mut found.open, 0),
            Reached::States(states) if states.is_empty() => note(&mut found.violation, 0),
            Reached::States(states) => enter(&mut known, &mut level, (own, states), 0),
        }
    }
    let mut depth = 0;
    while !level.is_empty() {
        let mut next = Vec::new();
        for (own, states) in level {
            for operation in 0..OPERATIONS {
                // The call is made only where it is allowed whatever state the MACHINE is in.
                if !states.iter().all(|state| chain.callable[operation].contains(state.last().expect("a MACHINE"))) {
                    continue;
                }
                for &(result, after) in &levels[0].effects[operation][own] {
                    let mut candidates = Vec::new();
                    for state in &states {
                        let effects = levels[1].effects[operation][state[0]].iter().filter(|(other, _)| *other == result);
                        candidates.extend(effects.map(|(_, next)| (state.clone(), *next)));
                    }
                    let up = |state: &[usize], level: usize| levels[level].effects[operation][state[level - 1]].iter().copied().collect();
                    match related(&levels, after, &candidates, &|_, _| result, &up) {
                        Reached::Open => note(&mut found.open, depth),
                        Reached::States(states) if states.is_empty() => note(&mut found.violation, depth),
                        Reached::States(states) => enter(&mut known, &mut next, (after, states), depth + 1),
                    }
                }
            }
        }
        depth += 1;
        level = next;
    }
    found.configurations = known.len();
    found
}

fn note(least: &mut Option<usize>, depth: usize) {
    *least = Some(least.map_or(depth, |known| known.min(depth)));
}

enum Reached {
    /// Some state of the refined machine is not followed by those further up.
    Open,
    States(BTreeSet<Vec<usize>>),
}

/// The states of all machines above that go with a state of the lowest one. `up` gives effects of a machine from a state of all before.
fn related(
    levels: &[&Level],
    own: usize,
    candidates: &[(Vec<usize>, usize)],
    result: &dyn Fn(&[usize], usize) -> usize,
    up: &dyn Fn(&[usize], usize) -> Vec<Effect>,
) -> Reached {
    let (mut states, mut followed, mut lost) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for (before, refined) in candidates {
        let mut reached = vec![vec![*refined]];
        for level in 2..levels.len() {
            let mut higher = Vec::new();
            for state in &reached {
                for (other, next) in up(before, level) {
                    if other == result(before, level) && levels[level - 1].glued.contains(&(state[level - 2], next)) {
                        higher.push([state.as_slice(), &[next]].concat());
                    }
                }
            }
            reached = higher;
        }
        if reached.is_empty() {
            lost.insert(*refined);
        } else {
            followed.insert(*refined);
        }
        states.extend(reached);
    }
    if lost.difference(&followed).next().is_some() {
        return Reached::Open;
    }
    states.retain(|state: &Vec<usize>| levels[0].glued.contains(&(own, state[0])));
    Reached::States(states)
}

/// The texts of a chain, by name.
struct Texts<'a>(&'a mut SourceMap, &'a [String]);

impl Files for Texts<'_> {
    fn machine(&mut self, _: FileId, name: &str, _: Option<&str>) -> Result<Parsed<Option<Tree>>, LoadError> {
        let at: usize = name[1..].parse().expect("a number");
        let file = self.0.add(format!("{name}.mch"), self.1[at].as_str());
        Ok(parse_machine(file, &self.1[at]))
    }

    fn definitions(&mut self, _: FileId, _: &str) -> Result<Parsed<Vec<Definition>>, LoadError> {
        Err(LoadError::NotFound(Vec::new()))
    }
}

fn options() -> Options {
    Options { deadlock: false, symmetry: Mode::Off, workers: 1, ..Request::default().options }
}

/// The outcomes of the refinement check of a link, of its reference search, and of the check of the refinement by itself.
fn checked(texts: &[String], at: usize) -> Result<[Outcome; 3], String> {
    let mut sources = SourceMap::new();
    let file = sources.add("main.ref", texts[at].as_str());
    let tree = parse_machine(file, &texts[at]).tree.ok_or("no tree")?;
    let request = RefinementRequest { precondition: Precondition::Contract, hidden: &[] };
    let analysis = analyse_refinement(&tree, &mut Texts(&mut sources, texts), request);
    let (model, refinement) = analysis.refinement.ok_or_else(|| format!("{:?}", analysis.diagnostics))?;
    let machine = Machine::compile(Arc::new(model), Scope { sizes: Vec::new(), minint: -1, maxint: 3 });
    let (options, demands) = (options(), Demands { matching: Matching::Simulation, refusals: false, divergence: false });
    let symmetry = options.symmetry_of(&machine);
    let check = RefinementCheck { machine: &machine, refinement: &refinement, symmetry: &symmetry, demands, options: &options };
    let (refined, (reference, _)) = (check.run(&mut Silent), check.run_reference());
    let mut sources = SourceMap::new();
    sources.add("main.ref", texts[at].as_str());
    let alone = analyse_with(&tree, &mut Texts(&mut sources, texts));
    if has_errors(&alone.diagnostics) {
        return Err(format!("{:?}", alone.diagnostics));
    }
    let machine = Machine::compile(Arc::new(alone.model.ok_or("no model")?), Scope { sizes: Vec::new(), minint: -1, maxint: 3 });
    let symmetry = options.symmetry_of(&machine);
    Ok([refined, reference, explore(&machine, &symmetry, &options, &mut Silent)])
}

/// How many links had each verdict.
#[derive(Debug, Default)]
struct Figures {
    verified: usize,
    violated: usize,
    open: usize,
}

fn compare(seeds: std::ops::Range<u64>) -> (Figures, Vec<String>) {
    let (mut figures, mut disagreements) = (Figures::default(), Vec::new());
    for seed in seeds {
        let chain = Chain::new(&mut Dice::new(seed));
        let texts: Vec<String> = (0..chain.levels.len()).map(|at| chain.text(at)).collect();
        for at in 1..texts.len() {
            let found = simulate(&chain, at);
            let outcomes = match checked(&texts, at) {
                Ok(outcomes) => outcomes,
                Err(why) => {
                    disagreements.push(format!("seed {seed}: {why}\n{}", texts.join("\n")));
                    continue;
                }
            };
            // Of what is found after equally many steps either may end the search.
            let allowed = match (found.violation, found.open) {
                (None, None) => vec!["verified"],
                (Some(violation), Some(open)) if violation == open => vec!["violation", "incomplete"],
                (Some(violation), open) if open.is_none_or(|open| violation < open) => vec!["violation"],
                _ => vec!["incomplete"],
            };
            // By itself, the other steps are taken all the same.
            let is_allowed =
                |word: &&str, by_itself: bool| allowed.contains(word) || by_itself && found.violation.is_some() && *word == "violation";
            let words = outcomes.each_ref().map(|outcome| match outcome.verdict {
                Verdict::Verified => "verified",
                Verdict::RefinementViolation | Verdict::InvariantViolation => "violation",
                Verdict::Incomplete => "incomplete",
                _ => "something else",
            });
            let counts = outcomes.each_ref().map(|outcome| outcome.explored.states);
            let is_counted = words[0] != "verified" || counts.iter().all(|count| *count == found.configurations as u64);
            if words.iter().enumerate().any(|(way, word)| !is_allowed(word, way == 2)) || !is_counted {
                let texts = texts[..=at].join("\n");
                disagreements.push(format!("seed {seed}, link {at}: {words:?} {counts:?}, but {found:?}\n{texts}"));
            }
            match words[0] {
                "verified" => figures.verified += 1,
                "violation" => figures.violated += 1,
                _ => figures.open += 1,
            }
        }
    }
    (figures, disagreements)
}

#[test]
fn random_chains_have_the_verdicts_of_a_direct_simulation() {
    let (figures, disagreements) = compare(0..60);
    assert!(disagreements.is_empty(), "{} disagree\n{}", disagreements.len(), disagreements[..disagreements.len().min(3)].join("\n\n"));
    assert!(figures.verified > 60 && figures.violated > 10 && figures.open > 3, "{figures:?}");
}

#[test]
#[ignore = "takes minutes: scripts/long.sh"]
#[allow(clippy::print_stdout, reason = "figures for whoever runs it")]
fn many_random_chains_have_the_verdicts_of_a_direct_simulation() {
    let count = std::env::var("BCHECK_CHAINS").ok().and_then(|text| text.parse().ok()).unwrap_or(1_000);
    let (figures, disagreements) = compare(1_000..1_000 + count);
    println!("{count} chains: {figures:?}");
    assert!(disagreements.is_empty(), "{} disagree\n{}", disagreements.len(), disagreements.join("\n\n"));
}
