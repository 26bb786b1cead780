//! Several processes that share one search: each state belongs to one of them, its *owner*, by a hash of its key.
//!
//! All processes expand the same slices, each its own states of them. What belongs to another process (a *foreign* state) is sent to its
//! owner at the end of a superstep (`pace`), which offers it to its tables like a successor of its own. At the end of a pass (`disk`) the
//! processes send each other the ranks of the states that are new, so that each knows the numbers of its own: those of a search by one
//! process, as ranks are the same. Limits, claims and the end of a level are decided on what all have received. Method: Stern and Dill,
//! "Parallelizing the Murφ verifier" (CAV 1997); here in supersteps, with exact numbers.
//!
//! Invariant: all processes take the same steps, in the same order, and decide on nothing but what all have received. A process that
//! cannot go on leaves the others, which learns each of them in its next step.
//! Deliberately elsewhere: how messages travel (`mesh`), what is kept in folders (`checkpoint`).

mod candidates;
pub(in crate::search) mod contribution;
pub(in crate::search) mod foreign;
mod message;
mod numbering;
mod owners;
mod pace;
mod sent;

use super::saved::SavedKey;
use super::watch::Control;
use crate::LimitHit;
use crate::count::tally::{OrbitClass, Orbits};
use crate::number::{LogPlace, ParentNumber, StateNumber};
use bcheck_durable::folder::Folder;
use bcheck_durable::log::{Key, LogLength, LogWriter};
use bcheck_durable::trouble::Trouble;
use bcheck_mesh::{Loss, Mesh, Parts};
use candidates::Receiver;
pub(in crate::search) use message::StatesWriter;
use message::{Kind, MessageReader, MessageWriter};
pub(in crate::search) use numbering::{FoundInSlice, NumberedSlice, alone};
pub(in crate::search) use owners::Owners;
pub(in crate::search) use pace::Pace;
use std::ops::Range;
use std::sync::atomic::Ordering;
use std::time::Duration;

const OTHER_FORM: &str = "it sent a message that is not well formed";

/// The words of a number in the log of numbers.
pub(super) const NUMBER_WORDS: usize = 1;

/// The name of the files with the numbers of a batch.
pub(super) fn numbers_name(ordinal: u64) -> String {
    format!("numbers-{ordinal}")
}

/// This process among those that share a search.
pub struct Partition {
    mesh: Box<dyn Mesh>,
    owners: Owners,
    /// The numbers of the states that this process owns, of the current batch of set-ups, in log order, which is ascending.
    pub(super) numbers: Vec<StateNumber>,
    /// Likewise on disk.
    pub(super) log: Option<LogWriter>,
    /// For each process, its classes as those of this one.
    classes: Vec<Vec<OrbitClass>>,
    /// The states received from each process, list by list.
    receivers: Vec<Vec<Receiver>>,
    /// How often the tables had been spilled when the receivers last forgot their entries.
    spills: u64,
    /// How many orbit sizes were sent to the others.
    announced: usize,
    /// How many slices all processes expand in the next superstep.
    pub(super) slices_at_once: usize,
    /// The bytes sent and received when the last superstep was exchanged.
    exchanged: u64,
    /// Whether a checkpoint is due, by the clock of the first process.
    pub(super) is_due: bool,
    /// The transitions of the other processes, as last reported.
    transitions: u64,
}

/// All flags together, as they are sent.
const ALL_FLAGS: u64 = 0b111;

/// The agreement of the processes at the end of a superstep: each flag is the disjunction over all processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Flags {
    /// The search must stop.
    pub(super) is_stopped: bool,
    /// The pass is to be closed.
    pub(super) is_over: bool,
    /// A checkpoint is due; only the first process's clock counts.
    pub(super) is_due: bool,
}

/// The common knowledge of all processes after a superstep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Agreed {
    pub(super) flags: Flags,
    /// How many of its slices, from the first one on, all processes have expanded as a whole.
    pub(super) whole: usize,
}

/// A state with what the log has of it.
#[derive(Clone, Debug)]
pub(super) struct Fetched {
    pub(super) key: SavedKey,
    pub(super) parent: ParentNumber,
    pub(super) class: OrbitClass,
}

impl Partition {
    /// The part of the process that has this end of the mesh.
    pub fn new(mesh: Box<dyn Mesh>) -> Self {
        let owners = Owners { me: mesh.me(), processes: mesh.processes() };
        Self {
            mesh,
            owners,
            numbers: Vec::new(),
            log: None,
            classes: (0..owners.processes).map(|_| vec![Orbits::SINGLE]).collect(),
            receivers: (0..owners.processes).map(|_| Vec::new()).collect(),
            spills: 0,
            announced: 1,
            slices_at_once: 1,
            exchanged: 0,
            is_due: false,
            transitions: 0,
        }
    }

    /// Whether this is the process that reports.
    pub(super) fn is_first(&self) -> bool {
        self.owners.me == 0
    }

    /// How many processes there are.
    pub(super) fn processes(&self) -> usize {
        self.owners.processes
    }

    /// Which states belong to this process.
    pub(super) fn owners(&self) -> Owners {
        self.owners
    }

    /// No further step is taken: the others learn that at once.
    pub(super) fn leave(&mut self) {
        self.mesh.leave();
    }

    /// Another batch of set-ups begins.
    pub(super) fn begin_batch(&mut self) {
        self.numbers.clear();
        self.log = None;
        // The tables are others.
        self.receivers.iter_mut().for_each(Vec::clear);
    }

    /// The next own state of the log of this batch has this number.
    pub(super) fn push_number(&mut self, folder: &Folder, ordinal: u64, number: StateNumber) -> Result<(), Trouble> {
        self.numbers.push(number);
        self.open_log(ordinal).push(folder, Key::Words(&[number.number().into()]), 0, 0)
    }

    /// Makes the numbers durable.
    pub(super) fn flush_numbers(&mut self, folder: &Folder, ordinal: u64) -> Result<LogLength, Trouble> {
        self.open_log(ordinal).flush(folder)
    }

    fn open_log(&mut self, ordinal: u64) -> &mut LogWriter {
        self.log.get_or_insert_with(|| LogWriter::new(&numbers_name(ordinal), NUMBER_WORDS))
    }

    /// The places in the own log of the own states among these numbers.
    fn places(&self, numbers: Range<StateNumber>) -> Range<LogPlace> {
        let place = |number: StateNumber| LogPlace::at(self.numbers.partition_point(|own| *own < number));
        place(numbers.start)..place(numbers.end)
    }

    /// The number of the own state with this place in the log.
    fn number_at(&self, place: LogPlace) -> StateNumber {
        self.numbers[place.index()]
    }

    /// One step: every process sends one message to all.
    fn broadcast(&mut self, kind: Kind, write: impl Fn(&mut MessageWriter)) -> Result<Vec<Vec<u8>>, Loss> {
        let mut message = MessageWriter::new(kind);
        write(&mut message);
        self.step(kind, &vec![vec![&message.bytes[..]]; self.owners.processes])
    }

    /// One step, with a message of this kind from each process.
    fn step(&mut self, kind: Kind, messages: &[Parts<'_>]) -> Result<Vec<Vec<u8>>, Loss> {
        let arrived = self.mesh.exchange(messages)?;
        match arrived.iter().position(|bytes| bytes.first() != Some(&(kind as u8))) {
            Some(process) => Err(Loss::Broken { process, what: "it is at another stage of the search" }),
            None => Ok(arrived),
        }
    }

    /// Reads what each process has sent.
    fn read_all<T>(arrived: &[Vec<u8>], mut read: impl FnMut(&mut MessageReader<'_>) -> Option<T>) -> Result<Vec<T>, Loss> {
        arrived.iter().enumerate().map(|(process, bytes)| Self::read(process, bytes, &mut read)).collect()
    }

    /// Reads what one process has sent, to its end.
    fn read<T>(process: usize, bytes: &[u8], read: impl FnOnce(&mut MessageReader<'_>) -> Option<T>) -> Result<T, Loss> {
        let mut reader = MessageReader::new(bytes);
        let read = read(&mut reader).filter(|_| reader.is_at_end());
        read.ok_or(Loss::Broken { process, what: OTHER_FORM })
    }

    /// Decides together how to continue after a superstep, of which this process has completely expanded `whole` slices. The size of the
    /// next one is what each of them can afford, for a process that may take `memory` bytes.
    pub(super) fn agree_after(
        &mut self,
        control: &Control<'_>,
        own: Flags,
        (whole, pace): (usize, Pace),
        memory: u64,
    ) -> Result<Agreed, Loss> {
        let affordable = pace.affordable(self.owners.processes, self.exchanged, memory);
        let (flags, [whole, slices]) = self.agree_on(control, own, [whole as u64, affordable as u64])?;
        let small = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        self.slices_at_once = small(slices).max(1);
        // At most what this process reported, so at most what there is.
        Ok(Agreed { flags, whole: small(whole) })
    }

    /// Decides together how to continue at the end of a level.
    pub(super) fn agree(&mut self, control: &Control<'_>, own: Flags) -> Result<Flags, Loss> {
        self.agree_on(control, own, []).map(|(flags, [])| flags)
    }

    /// Agrees on flags and the least of each of these numbers.
    fn agree_on<const N: usize>(&mut self, control: &Control<'_>, own: Flags, least: [u64; N]) -> Result<(Flags, [u64; N]), Loss> {
        let own_due = own.is_due && self.is_first();
        let sent = u64::from(own.is_stopped) | u64::from(own.is_over) << 1 | u64::from(own_due) << 2;
        let made = control.transitions.load(Ordering::Relaxed);
        let (kind, limit) = control.stop_reason().and_then(|reason| coded(&reason)).unwrap_or_default();
        let arrived = self.broadcast(Kind::Flags, |message| {
            [sent, made, kind, limit].into_iter().chain(least).for_each(|own| message.number(own));
        })?;
        let all = Self::read_all(&arrived, |message| {
            let sent = message.number().filter(|signs| *signs <= ALL_FLAGS)?;
            let made = message.number()?;
            let reason = decoded(message.number()?, message.number()?)?;
            let mut numbers = [0; N];
            for number in &mut numbers {
                *number = message.number()?;
            }
            Some((sent, made, reason, numbers))
        })?;
        let signs = all.iter().fold(0, |signs, (own, ..)| signs | own);
        let mut agreed = least;
        for (.., numbers) in &all {
            agreed.iter_mut().zip(numbers).for_each(|(agreed, number)| *agreed = *number.min(agreed));
        }
        if self.is_first() {
            // For the progress line, which covers all processes.
            let others: u64 = all[1..].iter().fold(0, |others, (_, made, ..)| others.saturating_add(*made));
            control.transitions.fetch_add(others.saturating_sub(self.transitions), Ordering::Relaxed);
            self.transitions = others;
        }
        let signs = Flags { is_stopped: signs & 1 != 0, is_over: signs & 2 != 0, is_due: signs & 4 != 0 };
        self.is_due = signs.is_due;
        if signs.is_stopped {
            // A limit that one of them has hit is the limit of all; a signal that came as well is less informative.
            control.stop_with_others(all.into_iter().find_map(|(_, _, reason, _)| reason));
        }
        Ok((signs, agreed))
    }

    /// A barrier: waits until all processes have reached it.
    pub(super) fn wait_for_all(&mut self) -> Result<(), Loss> {
        let arrived = self.broadcast(Kind::Barrier, |_| {})?;
        Self::read_all(&arrived, |_| Some(())).map(drop)
    }

    /// Gives the state with this number to all processes, of which the one that has it passes it in.
    pub(super) fn fetch(&mut self, orbits: &Orbits, number: StateNumber, own: Option<Fetched>) -> Result<Option<Fetched>, Loss> {
        let arrived = self.broadcast(Kind::State, |message| {
            if let Some(Fetched { key, parent, class }) = &own {
                message.number(1 + u64::from(parent.number()));
                message.text(&orbits.size_of(*class).to_string());
                message.key(key.key());
            }
        })?;
        let states = Self::read_all(&arrived, |message| {
            if message.is_at_end() {
                return Some(None);
            }
            let parent = u32::try_from(message.number()?.checked_sub(1)?).ok().map(ParentNumber::new)?;
            // Parents have lower numbers: otherwise following them would not terminate.
            if parent.state().is_some_and(|parent| parent >= number) {
                return None;
            }
            let class = orbits.class_of(message.text()?.parse().ok()?);
            Some(Some(Fetched { key: message.saved_key()?, parent, class }))
        })?;
        Ok(states.into_iter().flatten().next())
    }

    /// The number of the greatest checkpoint that all processes have, of the last ones of each.
    pub fn common_epoch(&mut self, own: u64) -> Result<u64, Loss> {
        let arrived = self.broadcast(Kind::Epoch, |message| message.number(own))?;
        let all = Self::read_all(&arrived, |message| message.number())?;
        Ok(all.into_iter().min().unwrap_or(own))
    }
}

/// The code of a limit that stops a search from outside: its kind and its value.
fn coded(limit: &LimitHit) -> Option<(u64, u64)> {
    match limit {
        LimitHit::Time(time) => Some((1, u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))),
        LimitHit::Memory(bytes) => Some((2, *bytes)),
        _ => None,
    }
}

/// The limit, if there is one; `None` for an invalid code.
fn decoded(kind: u64, limit: u64) -> Option<Option<LimitHit>> {
    match kind {
        0 if limit == 0 => Some(None),
        1 => Some(Some(LimitHit::Time(Duration::from_nanos(limit)))),
        2 => Some(Some(LimitHit::Memory(limit))),
        _ => None,
    }
}

/// The places in the log of the states with these numbers; without other processes, numbers are places.
pub(super) fn places(partition: Option<&Partition>, numbers: Range<StateNumber>) -> Range<LogPlace> {
    let Range { start, end } = numbers;
    let alone = || LogPlace::new(start.number())..LogPlace::new(end.number());
    partition.map_or_else(alone, |partition| partition.places(start..end))
}

/// The number of the state with this place in the log.
pub(super) fn number_at(partition: Option<&Partition>, place: LogPlace) -> StateNumber {
    partition.map_or(StateNumber::new(place.number()), |partition| partition.number_at(place))
}
