//! The core language as short text: operators by their names in the core language, everything else as in B.

use bcheck_ir::{Binder, Expr, ExprKind, LocalId, Model, Pred, PredKind, Subst, SubstKind, Target, Type};

/// Writes parts of one model.
pub(super) struct Printer<'m>(pub(super) &'m Model);

fn list(parts: impl IntoIterator<Item = String>, between: &str) -> String {
    parts.into_iter().collect::<Vec<_>>().join(between)
}

impl Printer<'_> {
    fn locals(&self, locals: &[(LocalId, Type)]) -> String {
        list(locals.iter().map(|(id, _)| self.0.local_name(*id).to_owned()), ",")
    }

    fn bindings(&self, bindings: &[(LocalId, Expr)]) -> String {
        list(bindings.iter().map(|(id, value)| format!("{}={}", self.0.local_name(*id), self.expr(value))), " & ")
    }

    fn exprs(&self, items: &[Expr]) -> String {
        list(items.iter().map(|item| self.expr(item)), ", ")
    }

    pub(super) fn expr(&self, expr: &Expr) -> String {
        let model = self.0;
        match &expr.kind {
            ExprKind::Integer(value) => value.to_string(),
            ExprKind::String(text) => format!("{text:?}"),
            ExprKind::Bool(value) => if *value { "TRUE" } else { "FALSE" }.to_owned(),
            ExprKind::Element(set, index) => model.element_name(*set, *index),
            ExprKind::GivenSet(set) => model.set_name(*set).to_owned(),
            ExprKind::BoolSet => "BOOL".to_owned(),
            ExprKind::StringSet => "STRING".to_owned(),
            ExprKind::TypeSet => "values".to_owned(),
            ExprKind::IntegerSet(set) => format!("{set:?}").to_uppercase(),
            ExprKind::MinInt => "MININT".to_owned(),
            ExprKind::MaxInt => "MAXINT".to_owned(),
            ExprKind::EmptySet => "{}".to_owned(),
            ExprKind::Constant(id) => model.constant_name(*id).to_owned(),
            ExprKind::Variable(id) => model.variable_name(*id).to_owned(),
            ExprKind::OldVariable(id) => format!("{}$0", model.variable_name(*id)),
            ExprKind::Local(id) => model.local_name(*id).to_owned(),
            ExprKind::Unary(op, operand) => format!("{op:?}({})", self.expr(operand)),
            ExprKind::Binary(op, left, right) => format!("{op:?}({}, {})", self.expr(left), self.expr(right)),
            ExprKind::SetExtension(items) => format!("{{{}}}", self.exprs(items)),
            ExprKind::SequenceExtension(items) => format!("[{}]", self.exprs(items)),
            ExprKind::Record(fields) => {
                format!("rec({})", list(fields.iter().map(|(name, item)| format!("{name}:{}", self.expr(item))), ", "))
            }
            ExprKind::Struct(fields) => {
                format!("struct({})", list(fields.iter().map(|(name, item)| format!("{name}:{}", self.expr(item))), ", "))
            }
            ExprKind::Field(record, field) => format!("{}'{field}", self.expr(record)),
            ExprKind::BoolOf(pred) => format!("bool({})", self.pred(pred)),
            ExprKind::If(pred, then, otherwise) => {
                format!("IF {} THEN {} ELSE {} END", self.pred(pred), self.expr(then), self.expr(otherwise))
            }
            ExprKind::Let(bindings, body) => format!("LET {} IN {} END", self.bindings(bindings), self.expr(body)),
            ExprKind::Comprehension { locals, pred, value } => match value {
                None => format!("{{{} | {}}}", self.locals(locals), self.pred(pred)),
                Some(value) => format!("{{{} . {} | {}}}", self.locals(locals), self.pred(pred), self.expr(value)),
            },
            ExprKind::Binder { binder, locals, pred, body } => {
                let word = match binder {
                    Binder::Lambda => "%",
                    Binder::Union => "UNION ",
                    Binder::Inter => "INTER ",
                    Binder::Sigma => "SIGMA ",
                    Binder::Pi => "PI ",
                };
                format!("{word}{}.({} | {})", self.locals(locals), self.pred(pred), self.expr(body))
            }
            ExprKind::External(function, arguments) => format!("{function:?}({})", self.exprs(arguments)),
        }
    }

    pub(super) fn pred(&self, pred: &Pred) -> String {
        match &pred.kind {
            PredKind::True => "btrue".to_owned(),
            PredKind::False => "bfalse".to_owned(),
            PredKind::And(parts) => format!("({})", list(parts.iter().map(|part| self.pred(part)), " & ")),
            PredKind::Or(parts) => format!("({})", list(parts.iter().map(|part| self.pred(part)), " or ")),
            PredKind::Not(inner) => format!("not({})", self.pred(inner)),
            PredKind::Implies(left, right) => format!("({} => {})", self.pred(left), self.pred(right)),
            PredKind::Equivalent(left, right) => format!("({} <=> {})", self.pred(left), self.pred(right)),
            PredKind::Compare(op, left, right) => format!("{op:?}({}, {})", self.expr(left), self.expr(right)),
            PredKind::Forall(locals, body) => format!("!{}.{}", self.locals(locals), self.pred(body)),
            PredKind::Exists(locals, body) => format!("#{}.{}", self.locals(locals), self.pred(body)),
            PredKind::If(condition, then, otherwise) => {
                format!("IF {} THEN {} ELSE {} END", self.pred(condition), self.pred(then), self.pred(otherwise))
            }
            PredKind::Let(bindings, body) => format!("LET {} IN {} END", self.bindings(bindings), self.pred(body)),
            PredKind::Finite(set) => format!("finite({})", self.expr(set)),
            PredKind::Partition(set, parts) => format!("partition({}; {})", self.expr(set), self.exprs(parts)),
        }
    }

    fn target(&self, target: Target) -> String {
        match target {
            Target::Variable(id) => self.0.variable_name(id).to_owned(),
            Target::Local(id) => self.0.local_name(id).to_owned(),
        }
    }

    fn branches(&self, word: &str, next: &str, branches: &[(Pred, Subst)], otherwise: Option<&Subst>) -> String {
        let branches = branches.iter().map(|(pred, body)| format!("{} THEN {}", self.pred(pred), self.subst(body)));
        let otherwise = otherwise.map_or(String::new(), |body| format!(" ELSE {}", self.subst(body)));
        format!("{word} {}{otherwise} END", list(branches, next))
    }

    pub(super) fn subst(&self, subst: &Subst) -> String {
        let many = |parts: &[Subst], between: &str| list(parts.iter().map(|part| self.subst(part)), between);
        match &subst.kind {
            SubstKind::Skip => "skip".to_owned(),
            SubstKind::Assign(writes) => {
                list(writes.iter().map(|(target, value)| format!("{} := {}", self.target(*target), self.expr(value))), ", ")
            }
            SubstKind::BecomesIn(targets, set) => {
                format!("{} :: {}", list(targets.iter().map(|target| self.target(*target)), ","), self.expr(set))
            }
            SubstKind::BecomesSuchThat(targets, pred) => {
                let targets = targets.iter().map(|(target, local, _)| format!("{}~{}", self.target(*target), self.0.local_name(*local)));
                format!("{} : ({})", list(targets, ","), self.pred(pred))
            }
            SubstKind::Parallel(parts) => format!("({})", many(parts, " || ")),
            SubstKind::Sequence(parts) => format!("({})", many(parts, " ; ")),
            SubstKind::Choice(parts) => format!("CHOICE {} END", many(parts, " OR ")),
            SubstKind::Pre { pred, body, is_guard } => {
                format!("{} {} THEN {} END", if *is_guard { "GUARD" } else { "PRE" }, self.pred(pred), self.subst(body))
            }
            SubstKind::Assert(pred, body) => format!("ASSERT {} THEN {} END", self.pred(pred), self.subst(body)),
            SubstKind::If(branches, otherwise) => self.branches("IF", " ELSIF ", branches, otherwise.as_deref()),
            SubstKind::Select(branches, otherwise) => self.branches("SELECT", " WHEN ", branches, otherwise.as_deref()),
            SubstKind::Any(locals, pred, body) => {
                format!("ANY {} WHERE {} THEN {} END", self.locals(locals), self.pred(pred), self.subst(body))
            }
            SubstKind::Let(bindings, body) => format!("LET {} IN {} END", self.bindings(bindings), self.subst(body)),
            SubstKind::Var(locals, body) => format!("VAR {} IN {} END", self.locals(locals), self.subst(body)),
            SubstKind::While { condition, body, invariant, variant } => format!(
                "WHILE {} DO {} INVARIANT {} VARIANT {} END",
                self.pred(condition),
                self.subst(body),
                self.pred(invariant),
                self.expr(variant)
            ),
            SubstKind::Follow(following) => {
                format!("FOLLOW {}", following.parts.iter().map(|part| part.machine.as_str()).collect::<Vec<_>>().join(", "))
            }
        }
    }
}
