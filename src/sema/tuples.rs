//! Remedies for pairs, empty sequences and tuples of the wrong form.
//!
//! Invariant: as for `remedy`, of which this is a part.

use super::elaborate::Elaborator;
use super::remedy::{Construct, Form, Remedy, Site};
use bcheck_ir::Type;
use bcheck_source::{Edit, Fix, Span};
use bcheck_syntax::ast::BinaryOp;

impl Elaborator<'_> {
    /// The remedy for `(a, b)` and `[]` where a set is expected, and for `S` where a set of pairs is.
    pub(super) fn remedy_of_pairs(&self, site: Site, (expected, found): (&Type, &Type), at: Span) -> Option<Remedy> {
        let Type::Set(element) = self.types.shallow(expected) else { return None };
        let both =
            |pair: &Type, one: &Type| matches!(self.types.shallow(pair), Type::Pair(a, b) if self.agree(&a, one) && self.agree(&b, one));
        if at != site.second {
            return None;
        }
        match (site.construct, site.form, self.types.shallow(found)) {
            (_, Form::EmptyBrackets, _) => {
                let fix = Fix::new("write {}", [Edit::replace(at, "{}")]);
                Some(Remedy::new("[] is the empty sequence; the empty set, relation or function is {}", [fix]))
            }
            // The pair is in parentheses.
            (_, Form::Pair(a, b), _) if both(found, &element) && at.start < a.start && b.end < at.end => {
                let braces = [Edit::replace(Span { end: a.start, ..at }, "{"), Edit::replace(Span { start: b.end, ..at }, "}")];
                Some(Remedy::new("(a, b) is a pair; the set of two elements is {a, b}", [Fix::new("write {a, b}", braces)]))
            }
            (Construct::Infix(BinaryOp::Member | BinaryOp::NotMember), _, Type::Set(one)) if both(&element, &one) => {
                let product = Edit::replace(at, "(").copy(at).text(") * (").copy(at).text(")");
                Some(Remedy::new("the pairs of elements of S are S * S", [Fix::new("write S * S", [product])]))
            }
            _ => None,
        }
    }

    /// The remedy for `{i, j, k, l | P}`, whose elements are `((i |-> j) |-> k) |-> l`, where pairs of pairs are expected.
    pub(super) fn remedy_of_tuples(&self, site: Site, (expected, found): (&Type, &Type), at: Span) -> Option<Remedy> {
        let Form::Comprehension([i, j, k, l], condition) = site.form else { return None };
        let second = |ty: &Type| match self.types.shallow(ty) {
            Type::Set(element) => match self.types.shallow(&element) {
                Type::Pair(_, second) => Some(self.types.shallow(&second)),
                _ => None,
            },
            _ => None,
        };
        let is_nested = |ty: &Type| matches!(second(ty), Some(Type::Pair(..)));
        if at != site.second || !is_nested(expected) || is_nested(found) {
            return None;
        }
        let element = Edit::after(condition, " | (").copy(i).text(" |-> ").copy(j).text(") |-> (").copy(k).text(" |-> ").copy(l).text(")");
        let fix = Fix::new("write {i, j, k, l . P | (i |-> j) |-> (k |-> l)}", [Edit::sign(l, condition, " . "), element]);
        let help = "{i, j, k, l | P} has elements ((i |-> j) |-> k) |-> l; pairs of pairs are {i, j, k, l . P | (i |-> j) |-> (k |-> l)}";
        Some(Remedy::new(help, [fix]))
    }
}
