//! Unification of types.
//!
//! While a machine is being typed, a type may contain *unknowns*. [`Type`] has no variant for them, because no finished model
//! contains one; unknown `n` is written as a record whose only field has the impossible name `?n`, and only this file knows that.
//! Invariant: the bindings of unknowns are acyclic (occurs check), so [`Types::resolve`] ends. Every binding remembers the place
//! of the constraint that made it: that is the origin shown in a type clash.
//! Robinson, "A machine-oriented logic based on the resolution principle", 1965.

use bcheck_ir::Type;
use bcheck_source::Span;
use rustc_hash::FxHashMap;
use std::fmt::Write as _;
use std::sync::Arc;

/// A type of a model in B notation, for messages; `…` replaces the rest of a very long one.
#[must_use]
pub fn type_text(model: &bcheck_ir::Model, ty: &Type) -> String {
    Types::default().show(ty, &|set| model.set_name(set).to_owned())
}

/// All unknowns of one analysis, with their bindings: a substitution in triangular form.
#[derive(Default)]
pub(super) struct Types {
    bindings: Vec<Option<Binding>>,
    /// The unknowns bound since the last call of [`Self::take_bound`], in order.
    bound: Vec<Unknown>,
}

/// The number of an unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Unknown(usize);

struct Binding {
    ty: Type,
    origin: Origin,
}

/// Parts of types that were completed before, by address.
#[derive(Default)]
pub(super) struct CompletedParts(FxHashMap<*const Type, (Arc<Type>, Arc<Type>)>);

/// The constraint that bound an unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Origin {
    /// The expression whose type was compared.
    pub(super) at: Span,
    /// The whole predicate or assignment that compared it.
    pub(super) reason: Span,
}

/// Types with more parts come from chains such as `b = (a, a) & c = (b, b) & …`, whose values would not fit memory either.
const LARGEST_TYPE: usize = 10_000;

/// Longer types are cut in messages.
const LONGEST_TEXT: usize = 200;

/// How two types fail to be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Misfit {
    /// They are different.
    Different,
    /// The type would have to contain itself.
    Infinite,
    /// The type would have more than [`LARGEST_TYPE`] parts.
    TooLarge,
}

/// Why two types do not unify.
#[derive(Debug)]
pub(super) struct Clash {
    pub(super) misfit: Misfit,
    /// The constraint that gave the left type, if it was not evident from the expression itself.
    pub(super) left: Option<Origin>,
    /// Likewise for the right type.
    pub(super) right: Option<Origin>,
}

impl Types {
    /// A new unknown.
    pub(super) fn fresh(&mut self) -> Type {
        let number = self.bindings.len();
        self.bindings.push(None);
        // No identifier of B contains `?`, so no field of a machine reads as an unknown. The field's own type is never looked at.
        Type::Record(Arc::from([(Arc::from(format!("?{number}")), Type::Bool)]))
    }

    /// The type with its outermost unknown replaced by what is known of it.
    pub(super) fn shallow(&self, ty: &Type) -> Type {
        // Bindings are not compressed: each stores the constraint that made it, which `origin` looks for along the chain.
        let mut ty = ty;
        while let Some(binding) = unknown(ty).and_then(|number| self.bindings[number].as_ref()) {
            ty = &binding.ty;
        }
        ty.clone()
    }

    /// Whether nothing at all is known of the type yet.
    pub(super) fn is_unknown(&self, ty: &Type) -> bool {
        self.unknown(ty).is_some()
    }

    /// The unknown that has to be bound before anything is known of the type; nothing where something is known.
    pub(super) fn unknown(&self, ty: &Type) -> Option<Unknown> {
        unknown(&self.shallow(ty)).map(Unknown)
    }

    /// The unknowns bound since the last call.
    pub(super) fn take_bound(&mut self) -> Vec<Unknown> {
        std::mem::take(&mut self.bound)
    }

    /// The type with all that is known filled in.
    pub(super) fn resolve(&self, ty: &Type) -> Type {
        // Terminates because bindings are acyclic. Shared parts are copied each time they occur, which `bind` keeps below `LARGEST_TYPE`
        // parts at the time of each binding; later growth is found by `too_large` before the whole model is completed.
        match self.shallow(ty) {
            known @ (Type::Bool | Type::Integer | Type::String | Type::Given(_) | Type::Free(_)) => known,
            Type::Set(element) => Type::set(self.resolve(&element)),
            Type::Pair(first, second) => Type::pair(self.resolve(&first), self.resolve(&second)),
            Type::Record(fields) if unknown_field(&fields).is_some() => Type::Record(fields),
            Type::Record(fields) => Type::Record(fields.iter().map(|(name, ty)| (Arc::clone(name), self.resolve(ty))).collect()),
        }
    }

    /// The constraint that gave some unknown a type of more than [`LARGEST_TYPE`] parts. `bind` sees only the parts that are known when
    /// it binds; in `a = (b, b) & b = (c, c) & …` the type of `a` grows with each later constraint.
    pub(super) fn too_large(&self) -> Option<Origin> {
        // Memoised by unknown, so each binding is walked once, however often its unknown occurs in others.
        let mut sizes = vec![None; self.bindings.len()];
        let size = |number: usize, sizes: &mut _| self.bindings[number].as_ref().map(|binding| (binding, self.size(&binding.ty, sizes)));
        (0..self.bindings.len())
            .filter_map(|number| size(number, &mut sizes))
            .find(|(_, size)| *size > LARGEST_TYPE)
            .map(|(it, _)| it.origin)
    }

    /// The parts of a type, counted as in a tree. `sizes` has those of unknowns that were counted before: without it, the work would be
    /// that of the tree.
    fn size(&self, ty: &Type, sizes: &mut Vec<Option<usize>>) -> usize {
        match ty {
            Type::Bool | Type::Integer | Type::String | Type::Given(_) | Type::Free(_) => 1,
            // Saturating: as a tree, a chain of pairs has exponentially many parts.
            Type::Set(element) => self.size(element, sizes).saturating_add(1),
            Type::Pair(first, second) => self.size(first, sizes).saturating_add(self.size(second, sizes)).saturating_add(1),
            Type::Record(fields) => match unknown_field(fields) {
                Some(number) => {
                    if let Some(size) = sizes[number] {
                        return size;
                    }
                    let size = self.bindings[number].as_ref().map_or(1, |binding| self.size(&binding.ty, sizes));
                    sizes[number] = Some(size);
                    size
                }
                None => fields.iter().fold(1, |sum: usize, (_, ty)| sum.saturating_add(self.size(ty, sizes))),
            },
        }
    }

    /// The resolved type with each remaining unknown replaced by INTEGER: nothing can depend on it (as in `{} = {}`). Parts that types
    /// share are completed once (memoised by address) and shared again: the types along a chain of pairs would fill the memory otherwise.
    pub(super) fn completed(&self, ty: &Type, known: &mut CompletedParts) -> Type {
        match self.shallow(ty) {
            Type::Bool => Type::Bool,
            Type::Integer => Type::Integer,
            Type::String => Type::String,
            Type::Given(set) => Type::Given(set),
            Type::Free(free) => Type::Free(free),
            Type::Set(element) => Type::Set(self.completed_part(element, known)),
            Type::Pair(first, second) => Type::Pair(self.completed_part(first, known), self.completed_part(second, known)),
            Type::Record(fields) if unknown_field(&fields).is_some() => Type::Integer,
            Type::Record(fields) => Type::Record(fields.iter().map(|(name, ty)| (Arc::clone(name), self.completed(ty, known))).collect()),
        }
    }

    fn completed_part(&self, part: Arc<Type>, known: &mut CompletedParts) -> Arc<Type> {
        if let Some((_, completed)) = known.0.get(&Arc::as_ptr(&part)) {
            return Arc::clone(completed);
        }
        let completed = Arc::new(self.completed(&part, known));
        // The part is stored, so that its address is not reused.
        known.0.insert(Arc::as_ptr(&part), (part, Arc::clone(&completed)));
        completed
    }

    /// Makes two types equal. `at` is the constraint that demands it.
    pub(super) fn unify(&mut self, left: &Type, right: &Type, at: Origin) -> Result<(), Clash> {
        // Bindings of this step are kept when a later one fails: after a clash types are only used for further messages.
        let (a, b) = (self.shallow(left), self.shallow(right));
        let result = match (unknown(&a), unknown(&b)) {
            // An unknown bound to itself would make a cycle, and the occurs check would refuse it as infinite.
            (Some(n), Some(m)) if n == m => Ok(()),
            // Of two unknowns the left one is bound, whatever the lengths of their chains: with union by rank, the origin shown in a
            // message would depend on all previous comparisons.
            (Some(n), _) => self.bind(n, b, at),
            (None, Some(m)) => self.bind(m, a, at),
            (None, None) => match (&a, &b) {
                (Type::Bool, Type::Bool) | (Type::Integer, Type::Integer) | (Type::String, Type::String) => Ok(()),
                (Type::Given(s), Type::Given(t)) if s == t => Ok(()),
                // By name: the list of given sets in the type is not complete while constructors are being read (`free_types`).
                (Type::Free(s), Type::Free(t)) if s.name == t.name => Ok(()),
                (Type::Set(s), Type::Set(t)) => self.unify(s, t, at),
                // The first parts that clash end the comparison: one clash is one message.
                (Type::Pair(s, t), Type::Pair(u, v)) => self.unify(s, u, at).and_then(|()| self.unify(t, v, at)),
                // Fields are sorted by name where records are built, so equal sets of fields are equal lists.
                (Type::Record(s), Type::Record(t)) if s.iter().map(|(name, _)| name).eq(t.iter().map(|(name, _)| name)) => {
                    s.iter().zip(t.iter()).try_for_each(|((_, s), (_, t))| self.unify(s, t, at))
                }
                _ => Err(Clash { misfit: Misfit::Different, left: None, right: None }),
            },
        };
        // Set while returning, so the constraint nearest to the clashing parts is reported, and that of a whole type only without one.
        result.map_err(|clash| Clash {
            left: clash.left.or_else(|| self.origin(left)),
            right: clash.right.or_else(|| self.origin(right)),
            ..clash
        })
    }

    /// Binds an unbound unknown, unless the type contains it or is too large. Unknowns in the type are one part each, and are not counted
    /// again when they get a type themselves.
    fn bind(&mut self, number: usize, ty: Type, origin: Origin) -> Result<(), Clash> {
        let mut budget = LARGEST_TYPE;
        if let Some(misfit) = self.occurs(number, &ty, &mut budget) {
            return Err(Clash { misfit, left: None, right: None });
        }
        self.bindings[number] = Some(Binding { ty, origin });
        self.bound.push(Unknown(number));
        Ok(())
    }

    /// Whether binding an unknown to a type would make the type infinite or too large.
    fn occurs(&self, number: usize, ty: &Type, budget: &mut usize) -> Option<Misfit> {
        // The type is counted as a tree, a shared part each time it occurs: that is the work of every walk over it, this one included.
        let Some(rest) = budget.checked_sub(1) else { return Some(Misfit::TooLarge) };
        *budget = rest;
        match self.shallow(ty) {
            Type::Bool | Type::Integer | Type::String | Type::Given(_) | Type::Free(_) => None,
            Type::Set(element) => self.occurs(number, &element, budget),
            Type::Pair(first, second) => self.occurs(number, &first, budget).or_else(|| self.occurs(number, &second, budget)),
            Type::Record(fields) => match unknown_field(&fields) {
                Some(other) => (other == number).then_some(Misfit::Infinite),
                None => fields.iter().find_map(|(_, ty)| self.occurs(number, ty, budget)),
            },
        }
    }

    /// The constraint that gave an unknown its type.
    fn origin(&self, ty: &Type) -> Option<Origin> {
        // The last binding of the chain is the one that gave a type; those before it only made unknowns equal.
        let mut origin = None;
        let mut ty = ty;
        while let Some(binding) = unknown(ty).and_then(|number| self.bindings[number].as_ref()) {
            origin = Some(binding.origin);
            ty = &binding.ty;
        }
        origin
    }

    /// The type in B notation; `?` for unknowns, `…` for omitted parts. `set_name` returns the names of given sets.
    pub(super) fn show(&self, ty: &Type, set_name: &dyn Fn(bcheck_ir::SetId) -> String) -> String {
        let mut text = String::new();
        self.write(&mut text, ty, set_name);
        text
    }

    fn write(&self, text: &mut String, ty: &Type, set_name: &dyn Fn(bcheck_ir::SetId) -> String) {
        // Tested before each part, not after: a type may have thousands of parts, of which one message shows a few.
        if text.len() > LONGEST_TEXT {
            if !text.ends_with('…') {
                text.push('…');
            }
            return;
        }
        match self.shallow(ty) {
            Type::Bool => text.push_str("BOOL"),
            Type::Integer => text.push_str("INTEGER"),
            Type::String => text.push_str("STRING"),
            Type::Given(set) => text.push_str(&set_name(set)),
            Type::Free(free) => text.push_str(&free.name),
            Type::Set(element) => {
                text.push_str("POW(");
                self.write(text, &element, set_name);
                text.push(')');
            }
            Type::Pair(first, second) => {
                self.write(text, &first, set_name);
                text.push('*');
                // `*` groups to the left, so only a product on its right needs parentheses.
                let nested = matches!(self.shallow(&second), Type::Pair(..));
                text.push_str(if nested { "(" } else { "" });
                self.write(text, &second, set_name);
                text.push_str(if nested { ")" } else { "" });
            }
            Type::Record(fields) if unknown_field(&fields).is_some() => text.push('?'),
            Type::Record(fields) => {
                text.push_str("struct(");
                for (index, (name, ty)) in fields.iter().enumerate() {
                    let _ = write!(text, "{}{name}:", if index == 0 { "" } else { "," });
                    self.write(text, ty, set_name);
                }
                text.push(')');
            }
        }
    }
}

/// The title of the message about [`Misfit::TooLarge`].
pub(super) fn too_large() -> String {
    format!("a type of more than {LARGEST_TYPE} parts is not supported")
}

/// Whether a fully resolved type still contains an unknown.
pub(super) fn has_unknown(ty: &Type) -> bool {
    match ty {
        Type::Bool | Type::Integer | Type::String | Type::Given(_) | Type::Free(_) => false,
        Type::Set(element) => has_unknown(element),
        Type::Pair(first, second) => has_unknown(first) || has_unknown(second),
        Type::Record(fields) => unknown_field(fields).is_some() || fields.iter().any(|(_, ty)| has_unknown(ty)),
    }
}

fn unknown(ty: &Type) -> Option<usize> {
    match ty {
        Type::Record(fields) => unknown_field(fields),
        Type::Bool | Type::Integer | Type::String | Type::Given(_) | Type::Free(_) | Type::Set(_) | Type::Pair(..) => None,
    }
}

fn unknown_field(fields: &[(Arc<str>, Type)]) -> Option<usize> {
    match fields {
        [(name, _)] => name.strip_prefix('?').and_then(|number| number.parse().ok()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcheck_ir::SetId;

    fn nowhere() -> Origin {
        Origin { at: Span::nowhere(), reason: Span::nowhere() }
    }

    fn name(_: SetId) -> String {
        "S".to_owned()
    }

    #[test]
    fn unification_fills_both_sides() {
        let mut types = Types::default();
        let (x, y) = (types.fresh(), types.fresh());
        let left = Type::relation(x.clone(), Type::Bool);
        let right = Type::relation(Type::Given(SetId(0)), y.clone());
        types.unify(&left, &right, nowhere()).expect("the types fit");
        assert_eq!(types.resolve(&x), Type::Given(SetId(0)));
        assert_eq!(types.resolve(&y), Type::Bool);
        assert_eq!(types.show(&left, &name), "POW(S*BOOL)");
    }

    #[test]
    fn a_type_that_grows_with_later_constraints_is_found() {
        let mut types = Types::default();
        let unknowns: Vec<Type> = (0..40).map(|_| types.fresh()).collect();
        for next in unknowns.windows(2) {
            types.unify(&next[0], &Type::pair(next[1].clone(), next[1].clone()), nowhere()).expect("the types fit");
        }
        assert!(types.too_large().is_some());
        let mut small = Types::default();
        let x = small.fresh();
        small.unify(&x, &Type::set(Type::Integer), nowhere()).expect("the types fit");
        assert!(small.too_large().is_none());
    }

    #[test]
    fn a_type_inside_itself_is_infinite() {
        let mut types = Types::default();
        let x = types.fresh();
        let clash = types.unify(&x, &Type::set(x.clone()), nowhere()).expect_err("x = POW(x) has no finite solution");
        assert_eq!(clash.misfit, Misfit::Infinite);
    }

    #[test]
    fn a_clash_remembers_where_the_type_came_from() {
        let mut types = Types::default();
        let x = types.fresh();
        let place = Origin { at: Span { start: 3, end: 9, ..Span::nowhere() }, reason: Span { end: 9, ..Span::nowhere() } };
        types.unify(&x, &Type::Integer, place).expect("x is free");
        let clash = types.unify(&x, &Type::Bool, nowhere()).expect_err("INTEGER is not BOOL");
        assert_eq!((clash.misfit, clash.left, clash.right), (Misfit::Different, Some(place), None));
    }

    #[test]
    fn a_type_that_doubles_at_each_step_is_refused_and_shown_in_part() {
        let mut types = Types::default();
        let first = types.fresh();
        let mut last = first.clone();
        let clash = loop {
            let next = types.fresh();
            match types.unify(&next, &Type::pair(last.clone(), last.clone()), nowhere()) {
                Ok(()) => last = next,
                Err(clash) => break clash,
            }
        };
        assert_eq!(clash.misfit, Misfit::TooLarge);
        let text = types.show(&last, &name);
        assert!(text.contains('…') && text.len() < 2 * LONGEST_TEXT, "{text}");
    }

    #[test]
    fn nested_products_show_their_parentheses() {
        let types = Types::default();
        let right = Type::pair(Type::Integer, Type::pair(Type::Bool, Type::String));
        let left = Type::pair(Type::pair(Type::Integer, Type::Bool), Type::String);
        assert_eq!(types.show(&right, &name), "INTEGER*(BOOL*STRING)");
        assert_eq!(types.show(&left, &name), "INTEGER*BOOL*STRING");
    }
}
