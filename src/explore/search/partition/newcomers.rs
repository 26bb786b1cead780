//! The states that a superstep has found, on their way to their owners.
//!
//! A state that several workers have found comes to its owner from each of them, like an offer of one more worker: the least rank stands.
//! Invariant: all processes expand the same slices, so the ranks of what arrives are those of the current superstep.
//! Deliberately elsewhere: what is not sent again (`remote`).

use super::super::disk::round::ExpandedSlice;
use super::super::engine::Engine;
use super::super::ledger::Batch;
use super::super::offers::{NewState, Offers};
use super::super::rank::first_rank;
use super::message::{Kind, MessageReader, MessageWriter, ReadState};
use super::{OTHER_FORM, Partition};
use crate::durable::log::Key;
use crate::explore::count::tally::OrbitClass;
use crate::mesh::Loss;
use crate::state::WordWriter;
use std::ops::Range;

/// States of words that are offered together, so that their cache misses overlap.
const OFFERED_AT_ONCE: usize = 256;

/// More lists than any process has workers.
const MOST_LISTS: usize = 1 << 16;

/// What offers one of the lists that arrive from a process. Its ranks ascend, like those of a worker.
pub(super) struct Receiver {
    writer: WordWriter,
    keys: Vec<u64>,
    ranks: Vec<u64>,
    classes: Vec<OrbitClass>,
}

impl Partition {
    /// Sends the remote states that a superstep, which has expanded these `states`, has found to their owners; gives what arrives, as lists
    /// in the order of ranks.
    ///
    /// All workers have reported, and the tables have been spilled so often.
    pub(in super::super) fn share_out(
        &mut self,
        engine: &Engine<'_>,
        superstep: &mut [ExpandedSlice],
        (states, spills): (&Range<u32>, u64),
    ) -> Result<Vec<Offers>, Loss> {
        let messages = self.messages(engine, superstep.iter_mut().flat_map(|slice| &mut slice.batches));
        let bytes = |messages: &[Vec<u8>]| messages.iter().map(Vec::len).sum::<usize>() as u64;
        let sent = bytes(&messages);
        let arrived = self.step(Kind::Newcomers, messages)?;
        self.exchanged = sent + bytes(&arrived);
        tracing::debug!(target: "bcheck::explore", slices = superstep.len(), bytes = sent, "remote states sent");
        if self.spills != spills {
            self.spills = spills;
            self.receivers.iter_mut().flatten().for_each(|receiver| receiver.writer.forget());
        }
        let ranks = first_rank(states.start)..first_rank(states.end);
        let (mut all, me) = (Vec::new(), self.owners.me);
        for (process, bytes) in arrived.iter().enumerate().filter(|(process, _)| *process != me) {
            let mut message = MessageReader::new(bytes);
            let entered = self.enter_sizes(engine, process, &mut message);
            let lists = entered.and_then(|()| self.take_all(engine, process, &mut message, &ranks));
            all.extend(lists.ok_or(Loss::Broken { process, what: OTHER_FORM })?);
        }
        Ok(all)
    }

    /// The message to each process: a list of each batch with any of its states.
    fn messages<'b>(&mut self, engine: &Engine<'_>, batches: impl Iterator<Item = &'b mut Batch>) -> Vec<Vec<u8>> {
        let sizes = self.new_sizes(engine);
        let mut messages: Vec<MessageWriter> = (0..self.owners.processes).map(|_| MessageWriter::new(Kind::Newcomers)).collect();
        for message in &mut messages {
            message.number(sizes.len() as u64);
            sizes.iter().for_each(|size| message.text(size));
        }
        for batch in batches {
            for (message, list) in messages.iter_mut().zip(std::mem::take(&mut batch.remote)) {
                message.states(&list);
            }
        }
        messages.into_iter().map(|message| message.bytes).collect()
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

    /// Offers the states of all lists that are left in the message of a process; gives those that are new, list by list.
    fn take_all(
        &mut self,
        engine: &Engine<'_>,
        process: usize,
        message: &mut MessageReader<'_>,
        ranks: &Range<u64>,
    ) -> Option<Vec<Offers>> {
        let mut all = Vec::new();
        while !message.is_at_end() {
            all.push(self.take(engine, (process, all.len()), message, ranks)?);
        }
        Some(all)
    }

    /// Offers the states of the next list in the message of a process, which must have ranks of the superstep; gives those that are new.
    /// `list` counts its lists.
    fn take(
        &mut self,
        engine: &Engine<'_>,
        (process, list): (usize, usize),
        message: &mut MessageReader<'_>,
        ranks: &Range<u64>,
    ) -> Option<Offers> {
        let Self { owners, classes, receivers, .. } = self;
        if list == receivers[process].len() {
            receivers[process].push((list < MOST_LISTS).then(Receiver::new)?);
        }
        let receiver = &mut receivers[process][list];
        let mut offers = engine.emptied.pop().unwrap_or_default();
        let (mut words, mut states) = (Vec::new(), message.states(engine.store.key_words())?);
        while !states.is_at_end() {
            let ReadState { key, rank, class } =
                states.next(&mut words).filter(|state| ranks.contains(&state.rank) && owners.is_own(state.key))?;
            receiver.push(engine, (key, rank, *classes[process].get(class)?), &mut offers)?;
        }
        receiver.offer(engine, &mut offers);
        offers.finds = receiver.writer.take_finds(std::mem::take(&mut offers.finds));
        Some(offers)
    }
}

impl Receiver {
    pub(super) fn new() -> Self {
        // A process sends a state once, for a while.
        Self { writer: WordWriter::of_distinct_keys(), keys: Vec::new(), ranks: Vec::new(), classes: Vec::new() }
    }

    /// Takes a state in, which is offered now or with later ones; `None` if it is no state of this search.
    fn push(&mut self, engine: &Engine<'_>, (key, rank, class): (Key<'_>, u64, OrbitClass), offers: &mut Offers) -> Option<()> {
        match key {
            Key::Words(words) if engine.store.words.is_some() && words.len() == engine.store.key_words() => {
                self.keys.extend_from_slice(words);
                self.ranks.push(rank);
                self.classes.push(class);
                if self.ranks.len() == OFFERED_AT_ONCE {
                    self.offer(engine, offers);
                }
            }
            _ => {
                // What waits has lower ranks.
                self.offer(engine, offers);
                let (id, is_new) = engine.store.offer(&mut self.writer, key, rank)?;
                offers.found.extend(is_new.then_some(NewState { rank, id, class }));
            }
        }
        Some(())
    }

    /// Offers the states of words that wait.
    fn offer(&mut self, engine: &Engine<'_>, offers: &mut Offers) {
        let Self { writer, keys, ranks, classes } = self;
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
