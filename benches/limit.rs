//! How far from the machine's limit: a breadth-first search written by hand for one model, beside the library on the same model.
//!
//! The model is `machines/classic/phonebook.mch` without reduction. The hand-written search knows it at compile time, keeps a
//! state in one word, allocates nothing per state and checks no property, so a general checker cannot be faster. Both must count
//! the same states and transitions (without the root). CPU time of the process, both in the same run: the ratio is the figure.

#![allow(clippy::print_stdout, reason = "the figures are what it is for")]

use bcheck::symmetry::Mode;
use bcheck::{Request, check_text};

// As in the program.
#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const PHONEBOOK: &str = include_str!("../machines/classic/phonebook.mch");

/// States and transitions.
type Counts = (u64, u64);

/// Words seen so far, by open addressing; at most half of the slots are taken.
struct Seen {
    /// A word plus one; 0 is a free slot.
    slots: Vec<u64>,
    taken: usize,
}

impl Seen {
    fn new() -> Self {
        Self { slots: vec![0; 1 << 10], taken: 0 }
    }

    /// Adds a word; whether it is new.
    fn insert(&mut self, word: u64) -> bool {
        if self.taken * 2 == self.slots.len() {
            let double = vec![0; self.slots.len() * 2];
            for old in std::mem::replace(&mut self.slots, double).into_iter().filter(|&slot| slot != 0) {
                let at = self.place(old);
                self.slots[at] = old;
            }
        }
        let at = self.place(word + 1);
        let new = self.slots[at] == 0;
        self.slots[at] = word + 1;
        self.taken += usize::from(new);
        new
    }

    /// Where the content of a slot is, or belongs.
    fn place(&self, content: u64) -> usize {
        let mask = self.slots.len() - 1;
        // Multiplying mixes upwards only, so the upper bits choose the slot.
        let mut at = (content.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        while self.slots[at] != 0 && self.slots[at] != content {
            at = (at + 1) & mask;
        }
        at
    }
}

/// The phone book of `n` names and `n` codes: for each name a field with its code, from 1, or 0.
fn by_hand(n: u32) -> Counts {
    let width = u32::BITS - n.leading_zeros();
    let field = (1 << width) - 1;
    let mut seen = Seen::new();
    // States in the order in which they were found: those from `next` on are still to be expanded.
    let mut states = vec![0u64];
    seen.insert(0);
    let (mut next, mut transitions) = (0, 0);
    while let Some(&state) = states.get(next) {
        next += 1;
        let mut offer = |successor: u64| {
            transitions += 1;
            if seen.insert(successor) {
                states.push(successor);
            }
        };
        for name in 0..n {
            let shift = name * width;
            if state >> shift & field == 0 {
                // add(name, code)
                for code in 1..=u64::from(n) {
                    offer(state | code << shift);
                }
            } else {
                // lookup(name) and delete(name, code)
                offer(state);
                offer(state & !(field << shift));
            }
        }
    }
    (states.len() as u64, transitions)
}

/// The same by the library: no reduction, one worker, everything checked that is checked by default.
fn by_library(n: u32) -> Counts {
    let mut request = Request { size: Some(n), ..Request::default() };
    request.options.symmetry = Mode::Off;
    request.options.workers = 1;
    let checked = check_text("phonebook.mch", PHONEBOOK, &request).unwrap_or_else(|rejected| panic!("{rejected}"));
    (checked.outcome.explored.states, checked.outcome.explored.transitions)
}

/// CPU seconds of this process so far, all threads.
#[cfg(unix)]
fn cpu_seconds() -> f64 {
    let spent = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    std::time::Duration::try_from(spent).map_or(0.0, |spent| spent.as_secs_f64())
}

/// Elsewhere: the time of day, which is the same on a quiet machine.
#[cfg(not(unix))]
fn cpu_seconds() -> f64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}

/// The median of the CPU seconds of some runs, which must all give these counts.
fn median(runs: usize, counts: Counts, run: impl Fn() -> Counts) -> f64 {
    let mut seconds: Vec<f64> = (0..runs)
        .map(|_| {
            let before = cpu_seconds();
            assert_eq!(run(), counts);
            cpu_seconds() - before
        })
        .collect();
    seconds.sort_by(f64::total_cmp);
    seconds[runs / 2]
}

fn main() {
    // `-- --test`: once and small, as with the other benches. Their other options mean nothing here.
    let sizes: &[(u32, Counts, usize)] = if std::env::args().any(|argument| argument == "--test") {
        &[(3, (64, 432), 1)]
    } else {
        &[(6, (117_649, 1_815_156), 5), (7, (2_097_152, 38_535_168), 3)]
    };
    println!("phonebook, no reduction, one worker; median CPU seconds");
    println!("{:>2} {:>10} {:>12} {:>9} {:>9} {:>7}", "n", "states", "transitions", "by hand", "bcheck", "ratio");
    for &(n, counts, runs) in sizes {
        let hand = median(runs, counts, || by_hand(n));
        let library = median(runs, counts, || by_library(n));
        println!("{n:>2} {:>10} {:>12} {hand:>9.3} {library:>9.3} {:>7.1}", counts.0, counts.1, library / hand);
    }
}
