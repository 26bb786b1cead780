//! The states found in a superstep, to be sent to their owners.
//!
//! A state found by several workers is received by its owner from each of them, like an offer of one more worker: the least rank is stored.
//! Invariant: all processes expand the same slices, so the ranks of arriving states are those of the current superstep. Deliberately
//! elsewhere: what is not sent again (`foreign`).

use super::super::disk::pass::ExpandedSlice;
use super::super::engine::Engine;
use super::super::offers::{NewState, Offers};
use super::super::rank::first_rank;
use super::Partition;
use super::message::{Kind, MessageReader, MessageWriter, ReadState, StatesReader, StatesWriter};
use crate::count::tally::OrbitClass;
use crate::number::StateNumber;
use bcheck_durable::log::Key;
use bcheck_mesh::{Loss, Parts};
use bcheck_state::{Rank, WordWriter};
use std::ops::Range;

/// States of words that are offered together, so that their cache misses overlap.
const OFFERED_AT_ONCE: usize = 256;

/// More lists than any process has workers.
const MOST_LISTS: usize = 1 << 16;

/// Offers one of the lists that arrive from a process. Its ranks ascend, like those of a worker.
pub(super) struct Receiver {
    writer: WordWriter,
    keys: Vec<u64>,
    ranks: Vec<Rank>,
    classes: Vec<OrbitClass>,
    /// Scratch: a state whose key is examined.
    state: Vec<u64>,
}

impl Partition {
    /// Sends the foreign states found in a superstep, which has expanded these `states`, to their owners; returns the arriving ones, as
    /// lists in the order of ranks.
    ///
    /// All workers have reported, and the tables have been spilled this often.
    pub(in super::super) fn share_out(
        &mut self,
        engine: &Engine<'_>,
        superstep: &mut [ExpandedSlice],
        (states, spills): (&Range<StateNumber>, u64),
    ) -> Result<Vec<Offers>, Loss> {
        let lists = self.lists_by_owner(superstep);
        let heads = self.heads(engine, &lists);
        let messages: Vec<Parts<'_>> = heads.iter().zip(&lists).map(|(head, lists)| message(head, lists)).collect();
        let arrived = self.step(Kind::Newcomers, &messages)?;
        let sent = messages.iter().flatten().map(|part| part.len() as u64).sum::<u64>();
        self.exchanged = sent + arrived.iter().map(|message| message.len() as u64).sum::<u64>();
        tracing::debug!(target: "bcheck::explore", slices = superstep.len(), bytes = sent, "foreign states sent");
        for mut list in lists.into_iter().flatten() {
            list.clear();
            engine.emptied_lists.push(list);
        }
        if self.spills != spills {
            self.spills = spills;
            self.receivers.iter_mut().flatten().for_each(|receiver| receiver.writer.forget());
        }
        let ranks = first_rank(states.start)..first_rank(states.end);
        let (mut all, me) = (Vec::new(), self.owners.me);
        for (process, bytes) in arrived.iter().enumerate().filter(|(process, _)| *process != me) {
            let lists = Self::read(process, bytes, |message| {
                self.enter_sizes(engine, process, message)?;
                self.take_all(engine, process, message, &ranks)
            });
            all.extend(lists?);
        }
        self.mesh.recycle(arrived);
        Ok(all)
    }

    /// The lists that are sent to each process: one of each batch with any of its states.
    fn lists_by_owner(&self, superstep: &mut [ExpandedSlice]) -> Vec<Vec<StatesWriter>> {
        let mut by_owner: Vec<Vec<StatesWriter>> = (0..self.owners.processes).map(|_| Vec::new()).collect();
        for batch in superstep.iter_mut().flat_map(|slice| &mut slice.batches) {
            for (lists, list) in by_owner.iter_mut().zip(std::mem::take(&mut batch.foreign)) {
                lists.extend(Some(list).filter(|list| !list.bytes().is_empty()));
            }
        }
        by_owner
    }

    /// What precedes the lists in each message: new orbit sizes, and the lengths of the lists.
    fn heads(&mut self, engine: &Engine<'_>, by_owner: &[Vec<StatesWriter>]) -> Vec<MessageWriter> {
        let sizes = self.new_sizes(engine);
        let heads = by_owner.iter().map(|lists| {
            let mut head = MessageWriter::new(Kind::Newcomers);
            head.number(sizes.len() as u64);
            sizes.iter().for_each(|size| head.text(size));
            head.number(lists.len() as u64);
            lists.iter().for_each(|list| head.number(list.bytes().len() as u64));
            head
        });
        heads.collect()
    }

    /// The orbit sizes that the others do not know yet, in decimal.
    fn new_sizes(&mut self, engine: &Engine<'_>) -> Vec<String> {
        let new = engine.orbits.decimals().split_off(self.announced);
        self.announced += new.len();
        new
    }

    fn enter_sizes(&mut self, engine: &Engine<'_>, process: usize, message: &mut MessageReader<'_>) -> Option<()> {
        for _ in 0..message.number()? {
            let size = message.text()?.parse().ok()?;
            self.classes[process].push(engine.orbits.class_of(size));
        }
        Some(())
    }

    /// Offers the states of all lists in the message of a process; returns the new ones, list by list.
    fn take_all(
        &mut self,
        engine: &Engine<'_>,
        process: usize,
        message: &mut MessageReader<'_>,
        ranks: &Range<Rank>,
    ) -> Option<Vec<Offers>> {
        let lists = message.number()?;
        let mut lengths = Vec::new();
        for _ in 0..lists {
            lengths.push(usize::try_from(message.number()?).ok()?);
        }
        let lists = (0..).zip(lengths).map(|(list, bytes)| {
            let states = message.states(bytes, engine.store.key_words())?;
            self.take(engine, (process, list), states, ranks)
        });
        lists.collect()
    }

    /// Offers the states of a list, given by its index in the message of a process, which must have ranks of the superstep; returns the new
    /// ones.
    fn take(
        &mut self,
        engine: &Engine<'_>,
        (process, list): (usize, usize),
        mut states: StatesReader<'_>,
        ranks: &Range<Rank>,
    ) -> Option<Offers> {
        let Self { owners, classes, receivers, .. } = self;
        if list == receivers[process].len() {
            receivers[process].push((list < MOST_LISTS).then(Receiver::new)?);
        }
        let receiver = &mut receivers[process][list];
        let mut offers = engine.emptied.pop().unwrap_or_default();
        while !states.is_at_end() {
            let waiting = receiver.keys.len();
            let ReadState { bytes, rank, class } = states.next(&mut receiver.keys)?;
            let key = bytes.map_or(Key::Words(&receiver.keys[waiting..]), Key::Bytes);
            if !ranks.contains(&rank) || !owners.is_own(key) || !engine.store.can_be(key, &mut receiver.state) {
                return None;
            }
            receiver.push(engine, (bytes, rank, *classes[process].get(class)?), &mut offers)?;
        }
        receiver.offer(engine, &mut offers);
        offers.finds = receiver.writer.take_finds(std::mem::take(&mut offers.finds));
        Some(offers)
    }
}

/// A message: its head, then its lists.
fn message<'b>(head: &'b MessageWriter, lists: &'b [StatesWriter]) -> Parts<'b> {
    std::iter::once(&head.bytes[..]).chain(lists.iter().map(StatesWriter::bytes)).collect()
}

impl Receiver {
    pub(super) fn new() -> Self {
        // A process sends a state once, for a while.
        Self { writer: WordWriter::of_distinct_keys(), keys: Vec::new(), ranks: Vec::new(), classes: Vec::new(), state: Vec::new() }
    }

    /// Adds a state, whose key has these bytes or is the last one of the pending ones; it is offered now or with later ones. `None` if it
    /// is not a state of this search.
    #[inline]
    fn push(&mut self, engine: &Engine<'_>, (bytes, rank, class): (Option<&[u8]>, Rank, OrbitClass), offers: &mut Offers) -> Option<()> {
        if let Some(bytes) = bytes {
            // Pending ones have lower ranks.
            self.offer(engine, offers);
            let (id, is_new) = engine.store.offer(&mut self.writer, Key::Bytes(bytes), rank)?;
            offers.found.extend(is_new.then_some(NewState { rank, id, class }));
            return Some(());
        }
        engine.store.words.as_ref()?;
        self.ranks.push(rank);
        self.classes.push(class);
        if self.ranks.len() == OFFERED_AT_ONCE {
            self.offer(engine, offers);
        }
        Some(())
    }

    /// Offers the states of words that wait.
    fn offer(&mut self, engine: &Engine<'_>, offers: &mut Offers) {
        let Self { writer, keys, ranks, classes, .. } = self;
        if let Some(store) = &engine.store.words {
            let mut offered = Vec::with_capacity(ranks.len());
            store.table.offer_all(writer, keys, ranks, &mut offered);
            for ((offered, rank), class) in offered.into_iter().zip(&*ranks).zip(&*classes).filter(|((offered, _), _)| offered.is_new) {
                offers.found.push(NewState { rank: *rank, id: store.id(offered.entry), class: *class });
            }
        }
        keys.clear();
        ranks.clear();
        classes.clear();
    }
}
