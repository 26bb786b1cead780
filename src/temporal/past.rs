//! Past operators as bits of the automaton: a bit is the value of a formula at the position before.
//!
//! Invariant: normal forms are monotone in bits, as nothing but propositions is negated. So a bit may be true only if the formula held, but
//! it may be false although it did: what is then accepted is accepted with the right bits as well. Where the formula speaks of the past and
//! present only, it is determined and the bit is exact; where it speaks of the future, its value is guessed: to set the bit is to demand
//! the formula, with all that it demands of later positions. (This is the proposition z with `G (z <=> formula)` of the textbooks, of which
//! monotonicity leaves `G (z => formula)`, and which is needed only where z is read later.) Deliberately elsewhere: who carries the bits
//! (`expand`).

use super::normal::{Form, Id, Normal};
use rustc_hash::FxHashMap;

/// The bits that encode past operators.
#[derive(Clone, Debug, Default)]
pub(super) struct Bits {
    /// Their values at the first position.
    pub(super) initial: u64,
    /// By bit: the formula whose value it has at the next position.
    pub(super) updates: Vec<Id>,
    /// Bits whose formula refers to the future.
    pub(super) guessed: u64,
}

/// More bits than a state of the construction holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooManyBits;

/// A formula without past operators, but with bits, that has the same value at the first position.
pub(super) fn without_past(normal: &mut Normal, id: Id) -> Result<(Id, Bits), TooManyBits> {
    let mut past = Past { normal, bits: Bits::default(), known: FxHashMap::default() };
    let id = past.replaced(id)?;
    Ok((id, past.bits))
}

struct Past<'a> {
    normal: &'a mut Normal,
    bits: Bits,
    known: FxHashMap<Id, Id>,
}

impl Past<'_> {
    fn replaced(&mut self, id: Id) -> Result<Id, TooManyBits> {
        if let Some(&known) = self.known.get(&id) {
            return Ok(known);
        }
        let mut arguments = Vec::new();
        for argument in self.normal.arguments(id) {
            arguments.push(self.replaced(argument)?);
        }
        let result = match *self.normal.form(id) {
            Form::True | Form::False | Form::State(..) | Form::Step(..) | Form::Bit(..) => id,
            Form::And(_) => self.normal.and(&arguments),
            Form::Or(_) => self.normal.or(&arguments),
            Form::Next(_) => self.normal.next(arguments[0]),
            Form::WeakNext(_) => self.normal.weak_next(arguments[0]),
            Form::Until(..) => self.normal.until(arguments[0], arguments[1]),
            Form::Release(..) => self.normal.release(arguments[0], arguments[1]),
            Form::Yesterday(_) => self.bit_of(arguments[0], false)?,
            Form::WeakYesterday(_) => self.bit_of(arguments[0], true)?,
            // The expansion law with the bit for "yesterday": `f S g` is `g or (f and Y (f S g))`. Yesterday is strong here and weak for
            // the trigger, so before the first position the bit is false here and true there.
            Form::Since(..) => {
                let (bit, before) = self.new_bit(false)?;
                let lasting = self.normal.and(&[arguments[0], before]);
                let now = self.normal.or(&[arguments[1], lasting]);
                self.update(bit, now)
            }
            Form::Trigger(..) => {
                let (bit, before) = self.new_bit(true)?;
                let released = self.normal.or(&[arguments[0], before]);
                let now = self.normal.and(&[arguments[1], released]);
                self.update(bit, now)
            }
        };
        self.known.insert(id, result);
        Ok(result)
    }

    /// The bit with the value of a formula at the previous position, and `initial` at the first one.
    fn bit_of(&mut self, formula: Id, initial: bool) -> Result<Id, TooManyBits> {
        // Strong and weak yesterday of one formula are two bits: they differ at the first position only, but there they must.
        let is_it = |&bit: &usize| self.bits.updates[bit] == formula && (self.bits.initial >> bit & 1 == 1) == initial;
        if let Some(bit) = (0..self.bits.updates.len()).find(is_it) {
            let bit = u8::try_from(bit).expect("below 64");
            return Ok(self.normal.intern(Form::Bit(bit, true)));
        }
        let (bit, literal) = self.new_bit(initial)?;
        self.update(bit, formula);
        Ok(literal)
    }

    /// A bit whose formula is to follow.
    fn new_bit(&mut self, initial: bool) -> Result<(usize, Id), TooManyBits> {
        let number = self.bits.updates.len();
        let bit = u8::try_from(number).ok().filter(|&bit| bit < 64).ok_or(TooManyBits)?;
        // A place for the formula, which may read the bit and so cannot be made before it.
        self.bits.updates.push(Normal::FALSE);
        self.bits.initial |= u64::from(initial) << bit;
        Ok((number, self.normal.intern(Form::Bit(bit, true))))
    }

    fn update(&mut self, bit: usize, formula: Id) -> Id {
        self.bits.updates[bit] = formula;
        // Only of guessed bits is false claimed without proof: of others both values are derived, and the automaton stays deterministic in
        // them.
        self.bits.guessed |= u64::from(self.normal.speaks_of_future(formula)) << bit;
        formula
    }
}
