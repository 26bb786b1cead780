//! Values stored under names: the model declares them as constants behind those of the machine.
//!
//! Invariant: the constant of a stored value is never removed while a stored formula may mention it: a name that gets another value moves
//! to a new constant, and the old one stays under a name that cannot be typed. A symbolic set belongs to the compiled formula that built
//! it, so where it is mentioned its expression replaces the name.

use bcheck_ir::{ConstantId, Declaration, Expr, ExprKind, Model, Node, Rewrite, rewrite_expr, rewrite_pred, walk_expr, walk_pred};
use bcheck_sema::{Asked, Formula};
use bcheck_value::display::{ElementNames, comprehension_text};
use bcheck_value::{Element, Valuation, Value};

/// A value, with the expression that produced it.
#[derive(Clone, Debug)]
pub(crate) struct KeptValue {
    expr: Expr,
    value: Value,
    /// The value as printed.
    text: String,
    is_description: bool,
}

/// The stored values in the order of their constants.
#[derive(Debug, Default)]
pub(crate) struct KeptValues {
    /// The number of constants of the machine itself; known from the first value on.
    before: usize,
    list: Vec<KeptValue>,
}

/// What a formula depends on.
#[derive(Debug, Default)]
pub(crate) struct Needs {
    /// It mentions constants of the machine.
    pub(crate) constants: bool,
    /// It mentions variables.
    pub(crate) variables: bool,
    /// It mentions stored values.
    kept: bool,
}

impl KeptValue {
    pub(crate) fn new(expr: Expr, value: Value, text: String) -> Self {
        let is_description = value.holds_description();
        Self { expr, value, text, is_description }
    }
}

impl KeptValues {
    /// Stores a value under a name, which formulas about this model may mention from then on.
    pub(crate) fn keep(&mut self, model: &mut Model, name: &str, kept: KeptValue) {
        if self.list.is_empty() {
            self.before = model.constants.len();
        }
        let declaration = Declaration { ty: kept.expr.ty.clone(), span: kept.expr.span };
        if let Some(at) = model.constants.get_index_of(name) {
            // The last one is mentioned only by formulas already evaluated, or by the one being stored.
            if at + 1 == model.constants.len() && !kept.is_description {
                model.constants.pop();
                self.list.pop();
            } else if let Some((_, old)) = model.constants.get_index(at) {
                // No name of B contains `'`.
                let old = old.clone();
                let (replaced, _) = model.constants.insert_full(format!("{name}'{at}"), old);
                model.constants.swap_indices(at, replaced);
                model.constants.pop();
            }
        }
        model.constants.insert(name.to_owned(), declaration);
        self.list.push(kept);
    }

    /// The names that can be typed, with their values as printed.
    pub(crate) fn names<'a>(&'a self, model: &'a Model) -> impl Iterator<Item = (&'a str, &'a str)> {
        let names = model.constants.keys().skip(self.before).map(String::as_str);
        names.zip(self.list.iter().map(|kept| kept.text.as_str())).filter(|(name, _)| !name.contains('\''))
    }

    /// Names for printing values of formulas: a stored value may have changed its name since.
    pub(crate) fn printing<'a>(&'a self, model: &'a Model) -> impl ElementNames + 'a {
        PrintedNames { kept: self, model }
    }

    /// The position of the stored value that this constant represents, if it does.
    fn position(&self, ConstantId(id): ConstantId) -> Option<usize> {
        (id as usize).checked_sub(self.before).filter(|_| !self.list.is_empty())
    }

    /// What a formula mentions once symbolic sets are inlined.
    pub(crate) fn needs(&self, asked: &Asked) -> Needs {
        let mut needs = Needs::default();
        let mut look = |node: Node<'_>| {
            let Node::Expr(expr) = node else { return };
            match expr.kind {
                ExprKind::Constant(id) if self.position(id).is_some() => needs.kept = true,
                ExprKind::Constant(_) => needs.constants = true,
                ExprKind::Variable(_) | ExprKind::OldVariable(_) => needs.variables = true,
                _ => {}
            }
        };
        // Definitions are expanded by now, so all mentions are in the formula itself.
        match asked {
            Asked::Value(Formula::Expr(expr)) => walk_expr(expr, &mut look),
            Asked::Value(Formula::Pred(pred)) | Asked::Names(_, pred) => walk_pred(pred, &mut look),
        }
        needs
    }

    /// Replaces the names of symbolic sets by their expressions; with `values`, all stored names.
    pub(crate) fn inline(&self, asked: &mut Asked, values: bool) {
        struct Inlining<'k>(&'k KeptValues, bool);
        impl Rewrite for Inlining<'_> {
            fn expr(&mut self, expr: &mut Expr) {
                // The replacement may itself be a name.
                while let ExprKind::Constant(id) = expr.kind
                    && let Some(kept) = self.0.position(id).map(|at| &self.0.list[at])
                    && (kept.is_description || self.1)
                {
                    // The span stays that of the name.
                    expr.kind = kept.expr.kind.clone();
                }
            }
        }
        match asked {
            Asked::Value(Formula::Expr(expr)) => rewrite_expr(expr, &mut Inlining(self, values)),
            Asked::Value(Formula::Pred(pred)) | Asked::Names(_, pred) => rewrite_pred(pred, &mut Inlining(self, values)),
        }
    }

    /// The state in which to evaluate a formula with these needs, where `found` has the constants and variables of the machine that it
    /// needs. Other slots are arbitrary.
    pub(crate) fn state(&self, mut found: Valuation, needs: &Needs) -> Valuation {
        // Variables come after the stored values.
        if self.list.is_empty() || !needs.variables && !needs.kept {
            return found;
        }
        let variables = found.split_off(self.before.min(found.len()));
        found.resize(self.before, Value::Bool(false));
        found.extend(self.list.iter().map(|kept| kept.value.clone()));
        found.extend(variables);
        found
    }
}

struct PrintedNames<'a> {
    kept: &'a KeptValues,
    model: &'a Model,
}

impl ElementNames for PrintedNames<'_> {
    fn element(&self, element: Element) -> String {
        self.model.element(element)
    }

    fn comprehension(&self, plan: u32, captured: &dyn Fn(usize) -> String) -> Option<String> {
        let kept = |name: &ExprKind| match name {
            ExprKind::Constant(id) => self.kept.position(*id).map(|at| self.kept.list[at].text.clone()),
            _ => None,
        };
        comprehension_text(self.model, plan, captured, &kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcheck_ir::Type;
    use bcheck_source::Span;

    fn number(value: i64) -> KeptValue {
        KeptValue::new(
            Expr { kind: ExprKind::Integer(value.into()), ty: Type::Integer, span: Span::nowhere() },
            Value::Integer(value.into()),
            value.to_string(),
        )
    }

    /// The names of the constants of a model in which these values were stored one after the other.
    fn names(kept: &[(&str, KeptValue)]) -> (KeptValues, Vec<String>) {
        let (mut values, mut model) = (KeptValues::default(), Model::empty("m", Span::nowhere()));
        model.constants.insert("c".to_owned(), Declaration { ty: Type::Bool, span: Span::nowhere() });
        kept.iter().for_each(|(name, value)| values.keep(&mut model, name, value.clone()));
        (values, model.constants.keys().cloned().collect())
    }

    #[test]
    fn a_name_that_gets_another_value_leaves_the_constant_that_others_may_mention() {
        let (values, names) = names(&[("n", number(1)), ("m", number(2)), ("n", number(3)), ("m", number(4))]);
        assert_eq!(names, ["c", "n'1", "m'2", "n", "m"]);
        assert_eq!(
            values.list.iter().map(|kept| &kept.value).collect::<Vec<_>>(),
            [1, 2, 3, 4].map(|value: i64| Value::Integer(value.into())).iter().collect::<Vec<_>>()
        );
        assert_eq!((values.position(ConstantId(0)), values.position(ConstantId(3))), (None, Some(2)));
    }

    #[test]
    fn the_last_value_takes_the_place_of_the_one_before() {
        let (values, names) = names(&[("it", number(1)), ("it", number(2)), ("n", number(3)), ("it", number(4)), ("it", number(5))]);
        assert_eq!(names, ["c", "it'1", "n", "it"]);
        assert_eq!(
            values.list.iter().map(|kept| &kept.value).collect::<Vec<_>>(),
            [2, 3, 5].map(|value: i64| Value::Integer(value.into())).iter().collect::<Vec<_>>()
        );
    }
}
