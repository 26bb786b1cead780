//! The newcomers of a round on their way to their owners.
//!
//! A state that several processes have found comes to its owner from each of them; the least rank stands, and decides in which slice it
//! was found. What this process has sent once stays in its tables, and is not sent again until they are spilled.
//! Invariant: afterwards the newcomers of the round are own states, each once, in the order of ranks.

use super::super::disk::round::Round;
use super::super::engine::Engine;
use super::super::offers::NewState;
use super::super::rank::first_rank;
use super::super::store::StoreWriter;
use super::message::{Kind, MessageReader, MessageWriter};
use super::{OTHER_FORM, Partition};
use crate::explore::count::tally::OrbitClass;
use crate::mesh::Loss;
use crate::state::StateId;
use rustc_hash::FxHashMap;

impl Partition {
    /// Sends newcomers to their owners, and takes those of the others; `writer` is that of the only thread that uses the tables meanwhile.
    pub(in super::super) fn share_out(&mut self, engine: &Engine<'_>, writer: &mut StoreWriter, round: &mut Round) -> Result<(), Loss> {
        let me = self.mesh.me();
        let (sizes, mut own, mut words) = (self.new_sizes(engine), Vec::new(), Vec::new());
        let mut messages: Vec<MessageWriter> = (0..self.mesh.processes()).map(|_| MessageWriter::new(Kind::Newcomers)).collect();
        for message in &mut messages {
            message.number(sizes.len() as u64);
            sizes.iter().for_each(|size| message.text(size));
        }
        let mut before = vec![0; messages.len()];
        for new in &round.newcomers {
            engine.store.with_key(new.id, &mut words, |key| {
                let owner = self.owner(key);
                if owner == me {
                    own.push(*new);
                    return;
                }
                // Ranks ascend, so differences are small.
                messages[owner].number(new.rank - before[owner]);
                before[owner] = new.rank;
                messages[owner].number(new.class.index().into());
                messages[owner].key(key);
            });
        }
        let arrived = self.step(Kind::Newcomers, messages.into_iter().map(|message| message.bytes).collect())?;
        let mut places: FxHashMap<StateId, usize> = own.iter().enumerate().map(|(at, new)| (new.id, at)).collect();
        writer.words.alone = true;
        for (process, bytes) in arrived.iter().enumerate() {
            let mut message = MessageReader::new(bytes);
            // The own message has only sizes, which are known.
            let entered = self.enter_sizes(engine, process, &mut message);
            let taken = entered.and_then(|()| self.take(engine, (process, &mut message), writer, (&mut own, &mut places)));
            taken.ok_or(Loss::Broken { process, what: OTHER_FORM })?;
        }
        // What the others have found is no find of the slice to come.
        let _ = engine.store.close_slice();
        // What each process has sent ascends, so this merges a few runs: a stable sort goes by runs.
        own.sort_by_key(|new| new.rank);
        // A state is of the slice of the step that found it first.
        let mut counted = 0;
        for slice in &mut round.slices {
            let behind = own.partition_point(|new| new.rank < first_rank(slice.end));
            slice.newcomers = behind - counted;
            counted = behind;
        }
        round.newcomers = own;
        Ok(())
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

    /// Takes the states that a process has sent: those that are known are dropped, of those that others have found too the least rank
    /// stands.
    fn take(
        &mut self,
        engine: &Engine<'_>,
        (process, message): (usize, &mut MessageReader<'_>),
        writer: &mut StoreWriter,
        (own, places): (&mut Vec<NewState>, &mut FxHashMap<StateId, usize>),
    ) -> Option<()> {
        let (mut rank, mut words) = (0u64, Vec::new());
        while !message.is_at_end() {
            rank = rank.checked_add(message.number()?)?;
            let class: OrbitClass = *self.classes[process].get(usize::try_from(message.number()?).ok()?)?;
            let key = message.key(&mut words)?;
            if !self.owns(key) {
                return None;
            }
            let (id, is_new) = engine.store.offer_key(writer, key, rank)?;
            if is_new {
                places.insert(id, own.len());
                own.push(NewState { rank, id, class });
            } else if let Some(at) = places.get(&id) {
                own[*at].rank = own[*at].rank.min(rank);
            }
        }
        Some(())
    }
}
