//! The states that a slice has found, on their way to their owners.
//!
//! A state that several processes have found comes to its owner from each of them, like an offer of one more worker: the least rank stands.
//! Invariant: all processes expand the same slice, so the ranks of what arrives are those of the current slice.
//! Deliberately elsewhere: what is not sent again (`remote`).

use super::super::engine::Engine;
use super::super::ledger::Batch;
use super::super::offers::{ByRank, NewState, Offers};
use super::super::rank::first_rank;
use super::message::{Kind, MessageReader, MessageWriter};
use super::remote::RemoteStates;
use super::{OTHER_FORM, Partition};
use crate::durable::log::Key;
use crate::explore::count::tally::OrbitClass;
use crate::mesh::Loss;
use crate::state::WordWriter;
use std::ops::Range;

/// States of words that are offered together, so that their cache misses overlap.
const OFFERED_AT_ONCE: usize = 256;

/// What arrives from one process.
pub(super) struct Receiver {
    writer: WordWriter,
    keys: Vec<u64>,
    ranks: Vec<u64>,
    classes: Vec<OrbitClass>,
}

impl Partition {
    /// Sends the remote states that these batches have found to their owners; gives what arrives, a list for each other process.
    ///
    /// All workers have reported, and the tables have been spilled so often.
    pub(in super::super) fn share_out(
        &mut self,
        (engine, remote): (&Engine<'_>, &RemoteStates),
        batches: &mut [Batch],
        (slice, spills): (&Range<u32>, u64),
    ) -> Result<Vec<Offers>, Loss> {
        let messages = self.messages((engine, remote), batches);
        tracing::debug!(target: "bcheck::explore", bytes = messages.iter().map(Vec::len).sum::<usize>(), "remote states sent");
        remote.forget_many();
        let arrived = self.step(Kind::Newcomers, messages)?;
        if self.spills != spills {
            self.spills = spills;
            self.receivers.iter_mut().for_each(|receiver| receiver.writer.forget());
        }
        let ranks = first_rank(slice.start)..first_rank(slice.end);
        let (mut all, me) = (Vec::new(), self.owners.me);
        for (process, bytes) in arrived.iter().enumerate().filter(|(process, _)| *process != me) {
            let mut message = MessageReader::new(bytes);
            let entered = self.enter_sizes(engine, process, &mut message);
            let taken = entered.and_then(|()| self.take(engine, process, &mut message, &ranks));
            all.push(taken.ok_or(Loss::Broken { process, what: OTHER_FORM })?);
        }
        Ok(all)
    }

    /// The message to each process.
    fn messages(&mut self, (engine, remote): (&Engine<'_>, &RemoteStates), batches: &mut [Batch]) -> Vec<Vec<u8>> {
        let (sizes, mut words) = (self.new_sizes(engine), Vec::new());
        let mut messages: Vec<MessageWriter> = (0..self.owners.processes).map(|_| MessageWriter::new(Kind::Newcomers)).collect();
        for message in &mut messages {
            message.number(sizes.len() as u64);
            sizes.iter().for_each(|size| message.text(size));
        }
        let mut before = vec![0; messages.len()];
        let mut found: Vec<Offers> = batches.iter_mut().filter_map(|batch| batch.remote.take()).collect();
        let lowered = remote.close_slice().resolve_ranks(&remote.store, &mut found, &mut self.least);
        for NewState { rank, id, class } in ByRank::new(found.iter().chain([&lowered])) {
            remote.store.with_key(id, &mut words, |key| {
                let owner = self.owners.owner(key);
                // Ranks ascend, so differences are small.
                messages[owner].number(rank - before[owner]);
                before[owner] = rank;
                messages[owner].number(class.index().into());
                messages[owner].key(key);
            });
        }
        for mut own in found {
            own.clear();
            engine.emptied.push(own);
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

    /// Offers the states that a process has sent, which must have ranks of the slice; gives those that are new.
    fn take(&mut self, engine: &Engine<'_>, process: usize, message: &mut MessageReader<'_>, ranks: &Range<u64>) -> Option<Offers> {
        let Self { owners, classes, receivers, .. } = self;
        let receiver = &mut receivers[process];
        let mut offers = engine.emptied.pop().unwrap_or_default();
        let (mut rank, mut words) = (0u64, Vec::new());
        while !message.is_at_end() {
            rank = rank.checked_add(message.number()?).filter(|rank| ranks.contains(rank))?;
            let class = *classes[process].get(usize::try_from(message.number()?).ok()?)?;
            let key = message.key(&mut words)?;
            if !owners.is_own(key) {
                return None;
            }
            receiver.push(engine, (key, rank, class), &mut offers)?;
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
