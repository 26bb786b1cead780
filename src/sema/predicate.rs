//! Predicates: the part of the walk of `infer` for formulas that are true or false.
//!
//! Invariant: chains of `&` and `or` come out flat and in source order, however long they are.

use super::elaborate::Elaborator;
use super::names::Meaning;
use super::remedy::{Construct, Site};
use super::scheme::comparison;
use bcheck_ir::{Comparison, Expr, ExprKind, LocalId, Pred, PredKind, Type};
use bcheck_source::{Code, Diagnostic, Edit, Fix, Span};
use bcheck_syntax::ast;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeSet, VecDeque};

/// The help about functions, where `=>` was written.
const ARROWS: &str = "`=>` is the implication of predicates; the functions from S to T are S --> T (total) or S +-> T (partial)";

impl Elaborator<'_> {
    /// Elaborates a predicate.
    pub(super) fn pred(&mut self, pred: &ast::Expr) -> Pred {
        if self.is_beyond_limit(pred.span) {
            return Pred { kind: PredKind::True, span: pred.span };
        }
        let outer = self.enter(pred.span);
        let result = self.pred_here(pred);
        self.place = outer;
        result
    }

    fn pred_here(&mut self, pred: &ast::Expr) -> Pred {
        let span = pred.span;
        let kind = match &pred.kind {
            ast::ExprKind::Constant(ast::Constant::BTrue) => PredKind::True,
            ast::ExprKind::Constant(ast::Constant::BFalse) => PredKind::False,
            ast::ExprKind::Binary(op, left, right) => return self.binary_pred(*op, left, right, pred),
            ast::ExprKind::Builtin(ast::Builtin::Not, arguments) if arguments.len() == 1 => {
                PredKind::Not(Box::new(self.pred(&arguments[0])))
            }
            ast::ExprKind::Builtin(ast::Builtin::Finite, arguments) if arguments.len() == 1 => {
                let element = self.types.fresh();
                PredKind::Finite(Box::new(self.because(span, |this| this.demand(&arguments[0], &Type::set(element)))))
            }
            ast::ExprKind::Builtin(ast::Builtin::Partition, arguments) if !arguments.is_empty() => {
                let ty = Type::set(self.types.fresh());
                let mut sets: Vec<Expr> = self.because(span, |this| arguments.iter().map(|argument| this.demand(argument, &ty)).collect());
                // All parts and the whole have one type, and there is at least the whole.
                let whole = sets.remove(0);
                PredKind::Partition(Box::new(whole), sets)
            }
            ast::ExprKind::Quantified(quantifier, names, body) => {
                if *quantifier == ast::Quantifier::Exists {
                    self.warn_of_implication(names, body);
                }
                let (locals, body) = self.scoped(|this| (this.bind(names), Box::new(this.pred(body))));
                match quantifier {
                    ast::Quantifier::Forall => PredKind::Forall(locals, body),
                    ast::Quantifier::Exists => PredKind::Exists(locals, body),
                }
            }
            ast::ExprKind::If(condition, then, otherwise) => {
                let condition = Box::new(self.pred(condition));
                let then = Box::new(self.pred(then));
                // Without ELSE it is an implication.
                let otherwise = otherwise.as_ref().map_or(Pred { kind: PredKind::True, span }, |otherwise| self.pred(otherwise));
                PredKind::If(condition, then, Box::new(otherwise))
            }
            ast::ExprKind::Let(names, bindings, body) => {
                let (bindings, body) = self.scoped(|this| (this.let_bindings(names, bindings), this.pred(body)));
                PredKind::Let(bindings, Box::new(body))
            }
            // The core language has no labels: they are for reports, which use those of whole conjuncts (`labelled_conjuncts`).
            ast::ExprKind::Labelled(_, inner) => return self.pred(inner),
            ast::ExprKind::Error => PredKind::True,
            _ => return self.expected_predicate(pred),
        };
        Pred { kind, span }
    }

    /// Warns of `#x.(x : S => P)`, which is true as soon as anything is outside S.
    fn warn_of_implication(&mut self, names: &[ast::Name], body: &ast::Expr) {
        let ast::ExprKind::Binary(ast::BinaryOp::Implies, left, right) = &body.kind else { return };
        let bound = names.iter().map(|name| name.text.as_str()).collect();
        if mentioned(left, &bound).is_some() {
            let warning = Diagnostic::warning(Code::ExistsWithImplication, body.span, "the body of # is an implication");
            self.report(
                warning
                    .label("true for every value for which the left side is false")
                    .help("write #x.(x : S & P): some x in S has P")
                    .fix(super::remedy::conjoined(left, right)),
            );
        }
    }

    /// A formula that is not a predicate by its form: an error, unless it is a library predicate or function to BOOL.
    fn expected_predicate(&mut self, pred: &ast::Expr) -> Pred {
        // Libraries define only names that the machine leaves undeclared. Any other formula is an expression, whatever its type: B has no
        // implicit conversion from BOOL.
        let called = match &pred.kind {
            ast::ExprKind::Apply(function, _) => function,
            _ => pred,
        };
        if let ast::ExprKind::Ident(name) = &called.kind
            && self.names.lookup(name).is_none()
        {
            if let ast::ExprKind::Apply(_, arguments) = &pred.kind
                && super::external::is_printing(name)
            {
                arguments.iter().for_each(|argument| {
                    self.expr(argument);
                });
                self.printing(name, called.span);
            } else if let ast::ExprKind::Apply(_, arguments) = &pred.kind
                && let Some(call) = self.external(name, called.span, arguments, pred.span)
            {
                // A function to BOOL is also a predicate.
                self.unify(&Type::Bool, &call.ty, pred.span);
                let is_true = Expr { kind: ExprKind::Bool(true), ty: Type::Bool, span: pred.span };
                return Self::comparison(Comparison::Equal, call, is_true, pred.span);
            } else if super::external::is_unsupported(name) {
                self.unsupported_name(name, called.span);
            } else {
                let unknown = self.names.unknown(name, called.span);
                let written = match name.as_str() {
                    "partition" | "finite" => Some((format!("@{name}"), "(…)")),
                    // Not TRUE, which is a value.
                    "true" | "false" => Some((format!("b{name}"), "")),
                    _ => None,
                };
                self.report(match written {
                    Some((word, form)) => {
                        let help = vec![format!("the predicate is written {word}{form}")];
                        let fix = Fix::new(format!("write {word}"), [Edit::rename(called.span, name, word)]);
                        Diagnostic { help, fixes: vec![fix], ..unknown }
                    }
                    None => unknown,
                });
            }
            return Pred { kind: PredKind::True, span: pred.span };
        }
        let mut diagnostic = Diagnostic::error(Code::ExpectedPredicate, pred.span, "a predicate is expected, but this is an expression")
            .label("an expression");
        if matches!(pred.kind, ast::ExprKind::Ident(_) | ast::ExprKind::Apply(..)) {
            let fix = Fix::new("write = TRUE", [Edit::after(pred.span, " = TRUE")]);
            diagnostic = diagnostic.help("write `… = TRUE` for a value of BOOL").fix(fix);
        }
        self.report(diagnostic);
        Pred { kind: PredKind::True, span: pred.span }
    }

    /// Whether `f : S => T & …` was meant as functions from S to T: a set follows the sign.
    fn is_arrow_meant(&self, left: &ast::Expr, right: &ast::Expr) -> bool {
        let name = match (&rightmost(left).kind, &leftmost(right).kind) {
            (ast::ExprKind::Binary(ast::BinaryOp::Member, ..), ast::ExprKind::Ident(name)) => name,
            _ => return false,
        };
        self.names.bound(name).is_none() && self.names.global(name).is_some_and(|entry| matches!(entry.meaning, Meaning::Set(_)))
    }

    /// Reports such an implication, and types the name as intended, to avoid further errors.
    fn refuse_arrow(&mut self, left: &ast::Expr, right: &ast::Expr) {
        let typing = rightmost(left);
        let ast::ExprKind::Binary(_, name, set) = &typing.kind else { return };
        let values = leftmost(right);
        self.report(
            Diagnostic::error(Code::ExpectedPredicate, values.span, "a predicate is expected, but this is an expression")
                .label("an expression")
                .help(ARROWS)
                .fixes(super::remedy::arrows(set.span, values.span)),
        );
        let (_, from) = self.set(set);
        let (_, to) = self.set(values);
        self.because(typing.span, |this| this.demand(name, &Type::relation(from, to)));
        // The conjuncts joined to it are read as well.
        let mut before = left;
        while let ast::ExprKind::Binary(ast::BinaryOp::And | ast::BinaryOp::Or, other, inner) = &before.kind {
            self.pred(other);
            before = inner;
        }
        let mut rest = right;
        while let ast::ExprKind::Binary(ast::BinaryOp::And | ast::BinaryOp::Or, inner, other) = &rest.kind {
            self.pred(other);
            rest = inner;
        }
    }

    fn binary_pred(&mut self, op: ast::BinaryOp, left: &ast::Expr, right: &ast::Expr, whole: &ast::Expr) -> Pred {
        use ast::BinaryOp as Op;
        let span = whole.span;
        let comparison = match op {
            Op::And | Op::Or => return self.chain(op, whole),
            Op::Implies if self.is_arrow_meant(left, right) => {
                self.refuse_arrow(left, right);
                return Pred { kind: PredKind::True, span };
            }
            Op::Implies => {
                let kind = PredKind::Implies(Box::new(self.pred(left)), Box::new(self.pred(right)));
                return Pred { kind, span };
            }
            Op::Equivalent => {
                let kind = PredKind::Equivalent(Box::new(self.pred(left)), Box::new(self.pred(right)));
                return Pred { kind, span };
            }
            _ => match comparison(op) {
                Some(comparison) => comparison,
                None => return self.expected_predicate(whole),
            },
        };
        self.place.site = Some(Site::of(Construct::Infix(op), left, right));
        // Unification is symmetric, so `x : S` types x. A clash is shown at the right operand, which is compared last.
        let (left, right) = self.because(span, |this| match comparison {
            Comparison::Equal | Comparison::NotEqual => {
                let left = this.expr(left);
                let right = this.demand(right, &left.ty);
                (left, right)
            }
            Comparison::Member | Comparison::NotMember => {
                let left = this.expr(left);
                let right = this.demand(right, &Type::set(left.ty.clone()));
                (left, right)
            }
            Comparison::Subset | Comparison::NotSubset | Comparison::StrictSubset | Comparison::NotStrictSubset => {
                let ty = Type::set(this.types.fresh());
                (this.demand(left, &ty), this.demand(right, &ty))
            }
            Comparison::Less | Comparison::LessEqual | Comparison::Greater | Comparison::GreaterEqual => {
                (this.demand(left, &Type::Integer), this.demand(right, &Type::Integer))
            }
        });
        Pred { kind: PredKind::Compare(comparison, Box::new(left), Box::new(right)), span }
    }

    /// A chain of one connective as one flat conjunction or disjunction.
    fn chain(&mut self, op: ast::BinaryOp, whole: &ast::Expr) -> Pred {
        // `&` and `or` are left-associative, so a long chain is deep on its left side only: following that side in a loop keeps the stack
        // shallow for thousands of conjuncts.
        let mut operands = Vec::new();
        let mut rest = whole;
        while let ast::ExprKind::Binary(found, left, right) = &rest.kind
            && *found == op
        {
            operands.push(&**right);
            rest = left;
        }
        operands.push(rest);
        let mut parts = Vec::with_capacity(operands.len());
        for operand in operands.into_iter().rev() {
            let part = self.pred(operand);
            match (op, part.kind) {
                // A chain of the same connective in parentheses, `a & (b & c)`.
                (ast::BinaryOp::And, PredKind::And(inner)) | (ast::BinaryOp::Or, PredKind::Or(inner)) => parts.extend(inner),
                (_, kind) => parts.push(Pred { kind, span: part.span }),
            }
        }
        let kind = if op == ast::BinaryOp::And { PredKind::And(parts) } else { PredKind::Or(parts) };
        Pred { kind, span: whole.span }
    }

    /// The bindings of `LET x, y BE x = E & y = F IN …` in an order in which each uses only earlier ones. Binds all names, even those whose
    /// equations are wrong, so that the body reports none of them as unknown.
    pub(super) fn let_bindings(&mut self, names: &[ast::Name], pred: &ast::Expr) -> Vec<(LocalId, Expr)> {
        let mut equations = VecDeque::from(self.let_equations(names, pred));
        let mut bindings = Vec::new();
        let mut bound: FxHashSet<&str> = FxHashSet::default();
        let mut open: BTreeSet<&str> = equations.iter().map(|(name, _)| name.text.as_str()).collect();
        // A topological sort, stable in the order of the text. `open` holds the names whose equations are not elaborated yet; they are not
        // bound yet either, so without this test a name of the same text from outside would take their place.
        while !equations.is_empty() {
            let Some(ready) = equations.iter().position(|(_, value)| mentioned(value, &open).is_none()) else {
                let (name, value) = on_a_cycle(&equations, &open);
                self.report(
                    Diagnostic::error(Code::BadDefinition, value.span, format!("the value of `{}` depends on itself", name.text))
                        .label("LET is not recursive"),
                );
                break;
            };
            // The value first, the name after it: an equation sees the names bound before it, and never its own.
            let Some((name, value)) = equations.remove(ready) else { break };
            open.remove(name.text.as_str());
            let value = self.expr(value);
            if let [(id, ty)] = self.bind(std::slice::from_ref(name)).as_slice() {
                let reason = name.span.to(value.span);
                self.because(reason, |this| this.unify(ty, &value.ty, name.span));
                bindings.push((*id, value));
            }
            bound.insert(&name.text);
        }
        for name in names.iter().filter(|name| !bound.contains(name.text.as_str())) {
            self.bind(std::slice::from_ref(name));
        }
        bindings
    }

    /// The equations of a LET; reports conjuncts that are not equations, and names without one.
    fn let_equations<'e>(&mut self, names: &'e [ast::Name], pred: &'e ast::Expr) -> Vec<(&'e ast::Name, &'e ast::Expr)> {
        let mut equations: Vec<(&ast::Name, &ast::Expr)> = Vec::new();
        let mut first_of: FxHashMap<&str, &ast::Name> = FxHashMap::default();
        let mut with_value: FxHashSet<&str> = FxHashSet::default();
        let mut is_bad = false;
        for name in names {
            match first_of.get(name.text.as_str()) {
                Some(first) => self.report(super::names::duplicate(&name.text, name.span, first.span)),
                None => {
                    first_of.insert(&name.text, name);
                }
            }
        }
        for part in conjuncts(pred) {
            let equation = match &part.kind {
                ast::ExprKind::Binary(ast::BinaryOp::Equal, left, right) => match &left.kind {
                    ast::ExprKind::Ident(text) => first_of.get(text.as_str()).map(|name| (*name, &**right)),
                    _ => None,
                },
                ast::ExprKind::Error => {
                    is_bad = true;
                    continue;
                }
                _ => None,
            };
            match equation {
                Some(equation) if with_value.insert(&equation.0.text) => equations.push(equation),
                _ => {
                    is_bad = true;
                    self.report(
                        Diagnostic::error(
                            Code::BadDefinition,
                            part.span,
                            "LET needs exactly one equation `name = expression` for each of its names",
                        )
                        .label("not such an equation"),
                    );
                }
            }
        }
        // A faulty conjunct may be the missing equation, so names without one are reported only when all conjuncts are equations.
        for name in names {
            if !is_bad && !with_value.contains(name.text.as_str()) {
                self.report(
                    Diagnostic::error(Code::BadDefinition, name.span, format!("LET gives no value to `{}`", name.text))
                        .label("no equation for this name")
                        .help(format!("add `{} = …` after BE", name.text)),
                );
            }
        }
        equations
    }

    /// A comparison built by the elaboration itself.
    pub(super) fn comparison(comparison: Comparison, left: Expr, right: Expr, span: Span) -> Pred {
        Pred { kind: PredKind::Compare(comparison, Box::new(left), Box::new(right)), span }
    }
}

/// The conjuncts of a predicate in source order, without their labels.
pub(super) fn conjuncts(pred: &ast::Expr) -> Vec<&ast::Expr> {
    labelled_conjuncts(pred).into_iter().map(|(_, part)| part).collect()
}

/// The conjuncts of a predicate in source order, each with the labels around it, the outermost first.
pub(super) fn labelled_conjuncts(pred: &ast::Expr) -> Vec<(Option<String>, &ast::Expr)> {
    let mut parts = Vec::new();
    let mut stack = vec![(None, pred)];
    while let Some((outer, part)) = stack.pop() {
        let (label, part) = unlabelled(outer, part);
        match &part.kind {
            ast::ExprKind::Binary(ast::BinaryOp::And, left, right) => {
                // The left part is popped first, so conjuncts come in the order of the text. The label of a group is that of each part.
                stack.push((label.clone(), right));
                stack.push((label, left));
            }
            _ => parts.push((label, part)),
        }
    }
    parts
}

/// The label directly around a predicate, behind one from further out, and the predicate inside.
pub(super) fn unlabelled(outer: Option<String>, pred: &ast::Expr) -> (Option<String>, &ast::Expr) {
    let (mut label, mut inner) = (outer, pred);
    while let ast::ExprKind::Labelled(text, labelled) = &inner.kind {
        label = Some(label.map_or_else(|| text.clone(), |outer| [&*outer, text].join(ast::BETWEEN_LABELS)));
        inner = labelled;
    }
    (label, inner)
}

/// An equation whose value depends on itself, of equations that each use a name of `open`, the names on their left sides.
fn on_a_cycle<'e>(equations: &VecDeque<(&'e ast::Name, &'e ast::Expr)>, open: &BTreeSet<&str>) -> (&'e ast::Name, &'e ast::Expr) {
    // From any equation to one that it uses, until one comes again: that one is on a cycle, the first need not be.
    let mut met = BTreeSet::new();
    let mut at = 0;
    while met.insert(at) {
        let used = mentioned(equations[at].1, open);
        at = equations.iter().position(|(name, _)| used == Some(name.text.as_str())).unwrap_or(at);
    }
    equations[at]
}

/// The first of these names that an expression uses, unless it is bound inside.
pub(super) fn mentioned<'n>(expr: &ast::Expr, names: &BTreeSet<&'n str>) -> Option<&'n str> {
    let free = |expr: &ast::Expr| mentioned(expr, names);
    let any = |items: &[ast::Expr]| items.iter().find_map(free);
    let below = |bound: &[ast::Name], parts: &[&ast::Expr]| {
        let is_hidden = |name: &str| bound.iter().any(|bound| bound.text == name);
        let visible: BTreeSet<&'n str> = names.iter().copied().filter(|name| !is_hidden(name)).collect();
        parts.iter().find_map(|part| mentioned(part, &visible))
    };
    match &expr.kind {
        ast::ExprKind::Ident(name) | ast::ExprKind::OldValue(name) => names.get(name.as_str()).copied(),
        ast::ExprKind::Integer(_)
        | ast::ExprKind::Real(_)
        | ast::ExprKind::String(_)
        | ast::ExprKind::Constant(_)
        | ast::ExprKind::Error => None,
        ast::ExprKind::Unary(_, operand) | ast::ExprKind::Field(operand, _) | ast::ExprKind::Labelled(_, operand) => free(operand),
        ast::ExprKind::Binary(_, left, right) | ast::ExprKind::CommaPair(left, right) | ast::ExprKind::Image(left, right) => {
            free(left).or_else(|| free(right))
        }
        ast::ExprKind::Builtin(_, items) | ast::ExprKind::SetExtension(items) | ast::ExprKind::Sequence(items) => any(items),
        ast::ExprKind::Apply(function, items) => free(function).or_else(|| any(items)),
        ast::ExprKind::Quantified(_, bound, body) | ast::ExprKind::Comprehension(bound, body) => below(bound, &[body]),
        ast::ExprKind::Binder(_, bound, pred, body)
        | ast::ExprKind::EventComprehension(bound, pred, body)
        | ast::ExprKind::Let(bound, pred, body) => below(bound, &[pred, body]),
        ast::ExprKind::Record(fields) | ast::ExprKind::Struct(fields) => fields.iter().find_map(|(_, item)| free(item)),
        ast::ExprKind::If(condition, then, otherwise) => {
            free(condition).or_else(|| free(then)).or_else(|| otherwise.as_deref().and_then(free))
        }
    }
}

/// The comparison denoted by an infix operator, if it is one. The last operand of connectives.
fn rightmost(pred: &ast::Expr) -> &ast::Expr {
    match &pred.kind {
        ast::ExprKind::Binary(ast::BinaryOp::And | ast::BinaryOp::Or, _, right) => rightmost(right),
        _ => pred,
    }
}

/// The first operand of connectives.
fn leftmost(pred: &ast::Expr) -> &ast::Expr {
    match &pred.kind {
        ast::ExprKind::Binary(ast::BinaryOp::And | ast::BinaryOp::Or, left, _) => leftmost(left),
        _ => pred,
    }
}
