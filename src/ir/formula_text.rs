//! Formulas of the core language as B text: for formulas that the user's text does not contain, because a definition was expanded, and for
//! values that stay symbolic.
//!
//! Invariant: every operand that is itself an operation is in parentheses, so the text means what the formula means. Deliberately
//! elsewhere: where the user's own text is shown instead (`report::evidence`), the text of values (`value::display`).

use super::{BinaryOp, Expr, ExprKind, ExternalFunction, LocalId, Model, Pred, PredKind, Type, UnaryOp};
use bcheck_source::{in_back_quotes, word_in_back_quotes};
use std::sync::Arc;

/// Writes formulas about a model.
#[derive(Clone, Copy)]
pub struct FormulaWriter<'a> {
    model: &'a Model,
    /// Replacement texts of some names: their values.
    replaced: &'a dyn Fn(&ExprKind) -> Option<String>,
}

impl<'a> FormulaWriter<'a> {
    /// Writes all names unchanged.
    pub fn new(model: &'a Model) -> Self {
        Self { model, replaced: &|_| None }
    }

    /// Writes other texts for some names.
    pub fn replacing(model: &'a Model, replaced: &'a dyn Fn(&ExprKind) -> Option<String>) -> Self {
        Self { model, replaced }
    }

    /// The text of an expression.
    pub fn expression(self, expr: &Expr) -> String {
        let list = |items: &[Expr]| items.iter().map(|item| self.expression(item)).collect::<Vec<_>>().join(",");
        let name = |name: &str| in_back_quotes(name).into_owned();
        // Before all cases: a replacement applies to any form of expression, and to all below it.
        if let Some(text) = (self.replaced)(&expr.kind) {
            return text;
        }
        match &expr.kind {
            ExprKind::Integer(number) => number.to_string(),
            ExprKind::String(text) => format!("{text:?}"),
            ExprKind::Bool(value) => if *value { "TRUE" } else { "FALSE" }.to_owned(),
            ExprKind::Element(set, index) => self.model.element_name(*set, *index),
            ExprKind::GivenSet(set) => name(self.model.set_name(*set)),
            ExprKind::TypeSet => self.type_set(&expr.ty),
            ExprKind::BoolSet => "BOOL".to_owned(),
            ExprKind::StringSet => "STRING".to_owned(),
            ExprKind::IntegerSet(set) => set.notation().to_owned(),
            ExprKind::MinInt => "MININT".to_owned(),
            ExprKind::MaxInt => "MAXINT".to_owned(),
            ExprKind::EmptySet => "{}".to_owned(),
            ExprKind::Constant(id) => name(self.model.constant_name(*id)),
            ExprKind::Variable(id) => name(self.model.variable_name(*id)),
            ExprKind::OldVariable(id) => format!("{}$0", self.model.variable_name(*id)),
            ExprKind::Local(id) => name(self.model.local_name(*id)),
            ExprKind::Unary(op, inner) => self.unary(*op, inner),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right),
            ExprKind::SetExtension(items) => format!("{{{}}}", list(items)),
            ExprKind::SequenceExtension(items) => format!("[{}]", list(items)),
            ExprKind::Record(fields) => format!("rec({})", self.fields_of(fields)),
            ExprKind::Struct(fields) => format!("struct({})", self.fields_of(fields)),
            ExprKind::Field(record, field) => format!("{}'{}", self.operand(record), word_in_back_quotes(field)),
            ExprKind::BoolOf(pred) => format!("bool({})", self.predicate(pred)),
            ExprKind::If(pred, then, otherwise) => {
                format!("IF {} THEN {} ELSE {} END", self.predicate(pred), self.expression(then), self.expression(otherwise))
            }
            ExprKind::Let(bindings, body) => format!("LET {} IN {} END", self.bound(bindings), self.expression(body)),
            ExprKind::Comprehension { locals, pred, value } => {
                let (sign, value) = match value {
                    Some(value) => (" . ", format!(" | {}", self.expression(value))),
                    None => (" | ", String::new()),
                };
                format!("{{{}{sign}{}{value}}}", self.names(locals), self.predicate(pred))
            }
            ExprKind::Binder { binder, locals, pred, body } => {
                format!("{}{}.({}|{})", binder.notation(), self.quantified(locals), self.predicate(pred), self.expression(body))
            }
            ExprKind::External(function, arguments) => self.external(*function, arguments),
        }
    }

    /// The text of the domain of a lambda.
    pub fn domain(self, expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Binder { locals, pred, .. } => format!("{{{} | {}}}", self.names(locals), self.predicate(pred)),
            _ => format!("dom({})", self.expression(expr)),
        }
    }

    /// The text of a predicate.
    pub fn predicate(self, pred: &Pred) -> String {
        let joined = |parts: &[Pred], sign: &str| parts.iter().map(|part| self.part_of(part)).collect::<Vec<_>>().join(sign);
        match &pred.kind {
            PredKind::True => "btrue".to_owned(),
            PredKind::False => "bfalse".to_owned(),
            PredKind::And(parts) => joined(parts, " & "),
            PredKind::Or(parts) => joined(parts, " or "),
            PredKind::Not(inner) => format!("not({})", self.predicate(inner)),
            PredKind::Implies(left, right) => format!("{} => {}", self.part_of(left), self.part_of(right)),
            PredKind::Equivalent(left, right) => format!("{} <=> {}", self.part_of(left), self.part_of(right)),
            PredKind::Compare(comparison, left, right) => {
                format!("{} {} {}", self.operand(left), comparison.notation(), self.operand(right))
            }
            PredKind::Forall(locals, body) => format!("!{}.({})", self.quantified(locals), self.predicate(body)),
            PredKind::Exists(locals, body) => format!("#{}.({})", self.quantified(locals), self.predicate(body)),
            PredKind::If(condition, then, otherwise) => {
                let of = |pred: &Pred| self.predicate(pred);
                format!("IF {} THEN {} ELSE {} END", of(condition), of(then), of(otherwise))
            }
            PredKind::Let(bindings, body) => format!("LET {} IN {} END", self.bound(bindings), self.predicate(body)),
            // With the @ by which the parser tells these two predicates from calls of definitions.
            PredKind::Finite(set) => format!("@finite({})", self.expression(set)),
            PredKind::Partition(set, parts) => {
                let parts: String = parts.iter().map(|part| format!(", {}", self.expression(part))).collect();
                format!("@partition({}{parts})", self.expression(set))
            }
        }
    }

    /// The text of names.
    fn names(self, locals: &[(LocalId, Type)]) -> String {
        locals.iter().map(|(id, _)| in_back_quotes(self.model.local_name(*id))).collect::<Vec<_>>().join(",")
    }

    /// The text of names after the sign of a quantifier; several are put in parentheses.
    pub fn quantified(self, locals: &[(LocalId, Type)]) -> String {
        let names = self.names(locals);
        if locals.len() == 1 { names } else { format!("({names})") }
    }

    /// A part of a connective; other connectives are put in parentheses.
    fn part_of(self, pred: &Pred) -> String {
        let text = self.predicate(pred);
        let is_infix = matches!(pred.kind, PredKind::And(_) | PredKind::Or(_) | PredKind::Implies(..) | PredKind::Equivalent(..));
        if is_infix { format!("({text})") } else { text }
    }

    /// An operand of an operator; infix operations are put in parentheses.
    fn operand(self, expr: &Expr) -> String {
        let text = self.expression(expr);
        let is_prefix = |op: &BinaryOp| {
            matches!(op, BinaryOp::Apply | BinaryOp::Image | BinaryOp::Iterate | BinaryOp::Projection1 | BinaryOp::Projection2)
        };
        let is_infix = match &expr.kind {
            ExprKind::Binary(op, ..) => !is_prefix(op),
            ExprKind::Unary(op, _) => matches!(op, UnaryOp::Negate),
            ExprKind::Integer(number) => number.sign() == num_bigint::Sign::Minus,
            ExprKind::Binder { .. } => true,
            _ => false,
        };
        if is_infix { format!("({text})") } else { text }
    }

    fn bound(self, bindings: &[(LocalId, Expr)]) -> String {
        let name = |id: &LocalId| in_back_quotes(self.model.local_name(*id)).into_owned();
        let names: Vec<String> = bindings.iter().map(|(id, _)| name(id)).collect();
        let equations: Vec<String> = bindings.iter().map(|(id, value)| format!("{} = {}", name(id), self.expression(value))).collect();
        format!("{} BE {}", names.join(","), equations.join(" & "))
    }

    fn fields_of(self, fields: &[(Arc<str>, Expr)]) -> String {
        let field = |(name, value): &(Arc<str>, Expr)| format!("{}:{}", word_in_back_quotes(name), self.operand(value));
        fields.iter().map(field).collect::<Vec<_>>().join(",")
    }

    /// A whole type; of a free type its name.
    fn type_set(self, ty: &Type) -> String {
        match ty {
            Type::Bool => "BOOL".to_owned(),
            Type::Integer => "INTEGER".to_owned(),
            Type::String => "STRING".to_owned(),
            Type::Given(set) => self.model.set_name(*set).to_owned(),
            Type::Free(free) => free.name.to_string(),
            Type::Pair(first, second) => format!("({} * {})", self.type_set(first), self.type_set(second)),
            // The expression has the type of a set of the elements that it denotes.
            Type::Set(element) => match &**element {
                Type::Set(inner) => format!("POW({})", self.type_set(inner)),
                plain => self.type_set(plain),
            },
            Type::Record(fields) => {
                let fields: Vec<String> = fields.iter().map(|(name, ty)| format!("{name}:{}", self.type_set(ty))).collect();
                format!("struct({})", fields.join(","))
            }
        }
    }

    fn unary(self, op: UnaryOp, inner: &Expr) -> String {
        let sign = op.notation();
        match op {
            UnaryOp::Negate => format!("{sign}{}", self.operand(inner)),
            UnaryOp::Inverse => format!("{}{sign}", self.operand(inner)),
            _ => format!("{sign}({})", self.expression(inner)),
        }
    }

    fn binary(self, op: BinaryOp, left: &Expr, right: &Expr) -> String {
        let sign = op.notation();
        match op {
            BinaryOp::Iterate | BinaryOp::Projection1 | BinaryOp::Projection2 => {
                format!("{sign}({},{})", self.expression(left), self.expression(right))
            }
            BinaryOp::Image => format!("{}[{}]", self.operand(left), self.expression(right)),
            BinaryOp::Apply => format!("{}({})", self.operand(left), self.expression(right)),
            _ => format!("{} {sign} {}", self.operand(left), self.operand(right)),
        }
    }

    /// A function of a library; for a free type the constructor, whose name is the first argument.
    fn external(self, function: ExternalFunction, arguments: &[Expr]) -> String {
        let list = |items: &[Expr]| items.iter().map(|item| self.expression(item)).collect::<Vec<_>>().join(",");
        let name = match (function, arguments) {
            (ExternalFunction::Construct | ExternalFunction::Argument | ExternalFunction::IsMade, [constructor, rest @ ..]) => {
                let name = if let ExprKind::String(name) = &constructor.kind { in_back_quotes(name).into_owned() } else { "?".to_owned() };
                return match (function, rest) {
                    (ExternalFunction::Construct, []) => name,
                    (ExternalFunction::Construct, _) => format!("{name}({})", list(rest)),
                    (ExternalFunction::Argument, _) => format!("{name}~({})", list(rest)),
                    _ => format!("{} : ran({name})", list(rest)),
                };
            }
            (ExternalFunction::StringReverse, _) => "STRING_REV".to_owned(),
            (ExternalFunction::StringPadLeft, _) => "STRING_PADLEFT".to_owned(),
            (ExternalFunction::StringContains, _) => "STRING_CONTAINS_STRING".to_owned(),
            (ExternalFunction::StringEqualIgnoringCase, _) => "STRING_EQUAL_CASE_INSENSITIVE".to_owned(),
            (ExternalFunction::MostSignificantBit, _) => "MSB".to_owned(),
            (ExternalFunction::BitAnd, _) => "BAND".to_owned(),
            (ExternalFunction::BitOr, _) => "BOR".to_owned(),
            (ExternalFunction::BitXor, _) => "BXOR".to_owned(),
            (ExternalFunction::BitNot, _) => "BNOT".to_owned(),
            (ExternalFunction::ShiftLeft, _) => "BLSHIFT".to_owned(),
            (ExternalFunction::ShiftRight, _) => "BRSHIFT".to_owned(),
            (ExternalFunction::Components, _) => "SCCS".to_owned(),
            // The others are called as their variants are, with underscores.
            (other, _) => underscored(&format!("{other:?}")),
        };
        format!("{name}({})", list(arguments))
    }
}

/// `StringToInt` as `STRING_TO_INT`.
fn underscored(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.extend(letter.to_uppercase());
    }
    text
}
