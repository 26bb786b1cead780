//! Expressions and predicates: names are resolved, types inferred, the core language is built, in one walk.
//!
//! Types may stay unknown during the walk; overloaded operators (`-`, `*`) and record fields wait in a list until their operands
//! are known (`overload`). Invariant: every expression built carries a type that `finish` can complete; an error is reported once
//! and the walk goes on with a fresh unknown.

use super::elaborate::Elaborator;
use super::names::Meaning;
use super::overload::Overload;
use super::predicate::makes_predicate;
use crate::ir::{BinaryOp, Binder, Comparison, Expr, ExprKind, IntegerSet, Pred, PredKind, Type, UnaryOp};
use crate::source::{Code, Diagnostic, Span};
use crate::syntax::ast;
use rustc_hash::FxHashSet;
use std::sync::Arc;

pub(super) fn node(kind: ExprKind, ty: Type, span: Span) -> Expr {
    Expr { kind, ty, span }
}

pub(super) fn binary(op: BinaryOp, left: Expr, right: Expr, ty: Type, span: Span) -> Expr {
    node(ExprKind::Binary(op, Box::new(left), Box::new(right)), ty, span)
}

impl Elaborator<'_> {
    /// An expression, whose type must be the given one.
    pub(super) fn demand(&mut self, expr: &ast::Expr, ty: &Type) -> Expr {
        let found = self.expr(expr);
        self.unify(ty, &found.ty, expr.span);
        found
    }

    /// A set, and the type of its elements.
    pub(super) fn set(&mut self, expr: &ast::Expr) -> (Expr, Type) {
        let element = self.types.fresh();
        let set = self.demand(expr, &Type::set(element.clone()));
        (set, element)
    }

    /// A relation, and the types of its two columns.
    pub(super) fn relation(&mut self, expr: &ast::Expr) -> (Expr, Type, Type) {
        let (from, to) = (self.types.fresh(), self.types.fresh());
        let relation = self.demand(expr, &Type::relation(from.clone(), to.clone()));
        (relation, from, to)
    }

    /// A sequence, and the type of its elements.
    pub(super) fn sequence(&mut self, expr: &ast::Expr) -> (Expr, Type) {
        let element = self.types.fresh();
        let sequence = self.demand(expr, &Type::relation(Type::Integer, element.clone()));
        (sequence, element)
    }

    /// Something in place of what could not be read.
    pub(super) fn hole(&mut self, span: Span) -> Expr {
        node(ExprKind::EmptySet, self.types.fresh(), span)
    }

    pub(super) fn refuse(&mut self, diagnostic: Diagnostic) -> Expr {
        let span = diagnostic.span();
        self.tell(diagnostic);
        self.hole(span)
    }

    /// An expression.
    pub(super) fn expr(&mut self, expr: &ast::Expr) -> Expr {
        let outer = self.enter(expr.span);
        let result = self.expr_here(expr);
        self.place = outer;
        result
    }

    fn expr_here(&mut self, expr: &ast::Expr) -> Expr {
        let span = expr.span;
        match &expr.kind {
            ast::ExprKind::Ident(name) => self.name(name, span),
            ast::ExprKind::OldValue(name) => self.old_value(name, span),
            ast::ExprKind::Integer(digits) => match digits.parse() {
                Ok(value) => node(ExprKind::Integer(value), Type::Integer, span),
                Err(_) => self.refuse(Diagnostic::error(Code::BadNumber, span, "this number cannot be read")),
            },
            ast::ExprKind::Real(_) => self.unsupported("real numbers", span),
            ast::ExprKind::String(text) => node(ExprKind::String(Arc::from(text.as_str())), Type::String, span),
            ast::ExprKind::Constant(constant) => self.constant(*constant, span),
            ast::ExprKind::Unary(ast::UnaryOp::Negate, operand) => {
                let operand = self.demand(operand, &Type::Integer);
                node(ExprKind::Unary(UnaryOp::Negate, Box::new(operand)), Type::Integer, span)
            }
            ast::ExprKind::Unary(ast::UnaryOp::Inverse, operand) => {
                if let Some((free, case)) = self.named_constructor(operand) {
                    return self.destructor(free, case, span);
                }
                let (operand, from, to) = self.relation(operand);
                node(ExprKind::Unary(UnaryOp::Inverse, Box::new(operand)), Type::relation(to, from), span)
            }
            ast::ExprKind::Binary(op, left, right) => self.binary_expr(*op, left, right, expr),
            ast::ExprKind::CommaPair(left, right) => self.pair(left, right, span),
            ast::ExprKind::Builtin(builtin, arguments) => self.builtin(*builtin, arguments, expr),
            ast::ExprKind::Apply(function, arguments) => self.apply(function, arguments, span),
            ast::ExprKind::Image(relation, set) => {
                let (relation, from, to) = self.relation(relation);
                let set = self.demand(set, &Type::set(from));
                binary(BinaryOp::Image, relation, set, Type::set(to), span)
            }
            ast::ExprKind::Field(record, field) => {
                let record = self.expr(record);
                let ty = self.types.fresh();
                let name: Arc<str> = Arc::from(field.text.as_str());
                self.wait(Overload::Field { record: record.ty.clone(), field: name.clone(), result: ty.clone(), span: field.span });
                node(ExprKind::Field(Box::new(record), name), ty, span)
            }
            ast::ExprKind::Quantified(..) | ast::ExprKind::Error => {
                if expr.kind == ast::ExprKind::Error {
                    return self.hole(span);
                }
                self.expected_expression(span)
            }
            ast::ExprKind::Binder(binder, names, pred, body) => self.binder(*binder, names, pred, body, span),
            ast::ExprKind::Comprehension(names, pred) => {
                let mark = self.names.bound.len();
                let locals = self.bind(names);
                let pred = self.pred(pred);
                self.names.bound.truncate(mark);
                let element = tuple_type(&locals);
                node(ExprKind::Comprehension { locals, pred: Box::new(pred), value: None }, Type::set(element), span)
            }
            ast::ExprKind::EventComprehension(names, pred, value) => {
                let mark = self.names.bound.len();
                let locals = self.bind(names);
                let pred = self.pred(pred);
                let value = self.expr(value);
                self.names.bound.truncate(mark);
                let ty = Type::set(value.ty.clone());
                node(ExprKind::Comprehension { locals, pred: Box::new(pred), value: Some(Box::new(value)) }, ty, span)
            }
            ast::ExprKind::SetExtension(items) => {
                let element = self.types.fresh();
                if items.is_empty() {
                    return node(ExprKind::EmptySet, Type::set(element), span);
                }
                let items = items.iter().map(|item| self.demand(item, &element)).collect();
                node(ExprKind::SetExtension(items), Type::set(element), span)
            }
            ast::ExprKind::Sequence(items) => {
                let element = self.types.fresh();
                let ty = Type::relation(Type::Integer, element.clone());
                if items.is_empty() {
                    return node(ExprKind::EmptySet, ty, span);
                }
                let items = items.iter().map(|item| self.demand(item, &element)).collect();
                node(ExprKind::SequenceExtension(items), ty, span)
            }
            ast::ExprKind::Record(fields) => {
                let fields = self.fields(fields);
                let ty = Type::Record(fields.iter().map(|(name, value)| (name.clone(), value.ty.clone())).collect());
                node(ExprKind::Record(fields), ty, span)
            }
            ast::ExprKind::Struct(fields) => {
                let mut fields = self.fields(fields);
                let mut types = Vec::new();
                for (name, set) in &mut fields {
                    let element = self.types.fresh();
                    self.unify(&Type::set(element.clone()), &set.ty, set.span);
                    types.push((name.clone(), element));
                }
                node(ExprKind::Struct(fields), Type::set(Type::Record(types.into())), span)
            }
            ast::ExprKind::If(condition, then, otherwise) => {
                let Some(otherwise) = otherwise else {
                    return self
                        .refuse(Diagnostic::error(Code::ExpectedExpression, span, "an IF expression needs an ELSE part").help("add ELSE"));
                };
                let condition = self.pred(condition);
                let then = self.expr(then);
                let otherwise = self.demand(otherwise, &then.ty);
                let ty = then.ty.clone();
                node(ExprKind::If(Box::new(condition), Box::new(then), Box::new(otherwise)), ty, span)
            }
            ast::ExprKind::Let(names, pred, body) => {
                let mark = self.names.bound.len();
                let bindings = self.let_bindings(names, pred);
                let body = self.expr(body);
                self.names.bound.truncate(mark);
                let ty = body.ty.clone();
                node(ExprKind::Let(bindings, Box::new(body)), ty, span)
            }
            ast::ExprKind::Labelled(_, inner) => self.expr(inner),
        }
    }

    pub(super) fn expected_expression(&mut self, span: Span) -> Expr {
        self.refuse(
            Diagnostic::error(Code::ExpectedExpression, span, "an expression is expected, but this is a predicate")
                .label("a predicate")
                .help("bool(...) turns a predicate into TRUE or FALSE"),
        )
    }

    pub(super) fn unsupported(&mut self, what: &str, span: Span) -> Expr {
        self.refuse(Diagnostic::error(Code::NotSupportedEver, span, format!("{what} are not supported")).label("used here"))
    }

    /// A name in an expression.
    fn name(&mut self, name: &str, span: Span) -> Expr {
        match self.names.lookup(name) {
            Some(meaning) => self.meaning(meaning, span),
            None => {
                let diagnostic = self.names.unknown(name, span);
                self.refuse(diagnostic)
            }
        }
    }

    /// An actual parameter, read again in the machine that gives it, so that every use has bound names of its own.
    fn actual(&mut self, index: usize, span: Span) -> Expr {
        let actual = self.actuals[index];
        if self.actuals_open.contains(&index) {
            return self.refuse(
                Diagnostic::error(Code::RecursiveDefinition, actual.expr.span, "this value is given by itself").also(span, "used here"),
            );
        }
        let (bound, place) = (std::mem::take(&mut self.names.bound), std::mem::take(&mut self.place));
        let outer = self.names.enter(actual.scope);
        self.actuals_open.push(index);
        let value = self.expr(actual.expr);
        self.actuals_open.pop();
        self.names.enter(outer);
        (self.names.bound, self.place) = (bound, place);
        Expr { span, ..value }
    }

    pub(super) fn meaning(&mut self, meaning: Meaning, span: Span) -> Expr {
        match meaning {
            Meaning::Local(id) => node(ExprKind::Local(id), self.local_types[id.index()].clone(), span),
            Meaning::Set(id) => node(ExprKind::GivenSet(id), Type::set(Type::Given(id)), span),
            Meaning::Element(set, index) => node(ExprKind::Element(set, index), Type::Given(set), span),
            Meaning::FreeType(id) => self.free_type(id, span),
            Meaning::Constructor(id, case) => self.constructor(id, case, span),
            Meaning::Constant(id) => node(ExprKind::Constant(id), self.constant_types[id.index()].clone(), span),
            Meaning::Variable(id) => node(ExprKind::Variable(id), self.variable_types[id.index()].clone(), span),
            Meaning::Actual(index) => self.actual(index, span),
        }
    }

    fn old_value(&mut self, name: &str, span: Span) -> Expr {
        if let Some(old) = self.names.bound(name).and_then(|bound| bound.old) {
            let value = self.meaning(old, span);
            return match old {
                Meaning::Variable(id) => node(ExprKind::OldVariable(id), value.ty, span),
                _ => value,
            };
        }
        match self.names.lookup(name) {
            Some(Meaning::Variable(id)) if self.loops > 0 => node(ExprKind::OldVariable(id), self.variable_types[id.index()].clone(), span),
            Some(meaning) => {
                let title = if matches!(meaning, Meaning::Variable(_)) {
                    format!("`{name}` has no old value here")
                } else {
                    format!("`{name}$0` is the old value of a variable, but `{name}` is not one")
                };
                self.refuse(
                    Diagnostic::error(Code::UnknownName, span, title)
                        .label("not the target of a substitution x : (P)")
                        .help(format!("`{name}$0` is allowed in {name} : (P) and for variables in loops; elsewhere write `{name}`")),
                )
            }
            None => {
                let diagnostic = self.names.unknown(name, span);
                self.refuse(diagnostic)
            }
        }
    }

    fn constant(&mut self, constant: ast::Constant, span: Span) -> Expr {
        let integers = |which| node(ExprKind::IntegerSet(which), Type::set(Type::Integer), span);
        match constant {
            ast::Constant::True => node(ExprKind::Bool(true), Type::Bool, span),
            ast::Constant::False => node(ExprKind::Bool(false), Type::Bool, span),
            ast::Constant::Bool => node(ExprKind::BoolSet, Type::set(Type::Bool), span),
            ast::Constant::Integer => integers(IntegerSet::Integer),
            ast::Constant::Natural => integers(IntegerSet::Natural),
            ast::Constant::Natural1 => integers(IntegerSet::Natural1),
            ast::Constant::Int => integers(IntegerSet::Int),
            ast::Constant::Nat => integers(IntegerSet::Nat),
            ast::Constant::Nat1 => integers(IntegerSet::Nat1),
            ast::Constant::MinInt => node(ExprKind::MinInt, Type::Integer, span),
            ast::Constant::MaxInt => node(ExprKind::MaxInt, Type::Integer, span),
            ast::Constant::String => node(ExprKind::StringSet, Type::set(Type::String), span),
            ast::Constant::Real | ast::Constant::Float => self.unsupported("real numbers", span),
            ast::Constant::BTrue | ast::Constant::BFalse => self.expected_expression(span),
            ast::Constant::Succ => self.step_function(1, span),
            ast::Constant::Pred => self.step_function(-1, span),
        }
    }

    /// `succ` or `pred` as a function: `%x.(x : INTEGER | x + by)`.
    fn step_function(&mut self, by: i64, span: Span) -> Expr {
        let id = self.fresh_local("x", Type::Integer, span);
        let x = || node(ExprKind::Local(id), Type::Integer, span);
        let integers = node(ExprKind::IntegerSet(IntegerSet::Integer), Type::set(Type::Integer), span);
        let pred = Pred { kind: PredKind::Compare(Comparison::Member, Box::new(x()), Box::new(integers)), span };
        let body = binary(BinaryOp::Add, x(), node(ExprKind::Integer(by.into()), Type::Integer, span), Type::Integer, span);
        let locals = vec![(id, Type::Integer)];
        let kind = ExprKind::Binder { binder: Binder::Lambda, locals, pred: Box::new(pred), body: Box::new(body) };
        node(kind, Type::relation(Type::Integer, Type::Integer), span)
    }

    fn fields(&mut self, fields: &[(ast::Name, ast::Expr)]) -> Vec<(Arc<str>, Expr)> {
        let mut result: Vec<(Arc<str>, Expr)> = Vec::new();
        let mut met: FxHashSet<&str> = FxHashSet::default();
        for (name, value) in fields {
            let value = self.expr(value);
            if !met.insert(&name.text) {
                self.tell(Diagnostic::error(Code::DuplicateName, name.span, format!("the field `{}` stands twice", name.text)));
                continue;
            }
            result.push((Arc::from(name.text.as_str()), value));
        }
        result.sort_by(|(left, _), (right, _)| left.cmp(right));
        result
    }

    fn pair(&mut self, left: &ast::Expr, right: &ast::Expr, span: Span) -> Expr {
        let (left, right) = (self.expr(left), self.expr(right));
        let ty = Type::pair(left.ty.clone(), right.ty.clone());
        binary(BinaryOp::Pair, left, right, ty, span)
    }

    /// `f(a, b, c)`: the argument is the left-nested tuple.
    fn apply(&mut self, function: &ast::Expr, arguments: &[ast::Expr], span: Span) -> Expr {
        if let ast::ExprKind::Ident(name) = &function.kind
            && self.names.lookup(name).is_none()
            && let Some(call) = self.external(name, function.span, arguments, span)
        {
            return call;
        }
        if let Some(call) = self.free_type_call(function, arguments, span) {
            return call;
        }
        let (function, from, to) = match self.function(function) {
            Ok(function) => function,
            Err(diagnostic) => {
                self.tuple(arguments);
                return self.refuse(diagnostic);
            }
        };
        let Some(argument) = self.tuple(arguments) else {
            return self.refuse(Diagnostic::error(Code::WrongArgumentCount, span, "a function is applied to nothing"));
        };
        self.unify(&from, &argument.ty, argument.span);
        binary(BinaryOp::Apply, function, argument, to, span)
    }

    /// What is applied, and the types of its two columns; or that it is no function, whatever it is applied to.
    fn function(&mut self, expr: &ast::Expr) -> Result<(Expr, Type, Type), Diagnostic> {
        let function = self.expr(expr);
        let may_be_function = match self.types.shallow(&function.ty) {
            Type::Set(element) => self.types.is_unknown(&element) || matches!(self.types.shallow(&element), Type::Pair(..)),
            Type::Bool | Type::Integer | Type::String | Type::Given(_) | Type::Free(_) | Type::Pair(..) => false,
            Type::Record(_) => self.types.is_unknown(&function.ty),
        };
        if !may_be_function {
            let what = self.show(&function.ty);
            return Err(Diagnostic::error(Code::NotAFunction, expr.span, "only a function can be applied to arguments")
                .label(format!("this is {what}"))
                .help("an operator may be missing before the parenthesis"));
        }
        let (from, to) = (self.types.fresh(), self.types.fresh());
        self.unify(&Type::relation(from.clone(), to.clone()), &function.ty, expr.span);
        Ok((function, from, to))
    }

    /// The left-nested tuple of some expressions.
    pub(super) fn tuple(&mut self, items: &[ast::Expr]) -> Option<Expr> {
        let items: Vec<Expr> = items.iter().map(|item| self.expr(item)).collect();
        items.into_iter().reduce(|left, right| {
            let (span, ty) = (left.span.to(right.span), Type::pair(left.ty.clone(), right.ty.clone()));
            binary(BinaryOp::Pair, left, right, ty, span)
        })
    }

    fn binder(&mut self, which: ast::Binder, names: &[ast::Name], pred: &ast::Expr, body: &ast::Expr, span: Span) -> Expr {
        let mark = self.names.bound.len();
        let locals = self.bind(names);
        let pred = Box::new(self.pred(pred));
        let body = Box::new(self.expr(body));
        self.names.bound.truncate(mark);
        let (binder, ty) = match which {
            ast::Binder::Lambda => (Binder::Lambda, Type::relation(tuple_type(&locals), body.ty.clone())),
            ast::Binder::Union | ast::Binder::Inter => {
                let ty = Type::set(self.types.fresh());
                self.unify(&ty, &body.ty, body.span);
                (if which == ast::Binder::Union { Binder::Union } else { Binder::Inter }, ty)
            }
            ast::Binder::Sigma | ast::Binder::Pi => {
                self.unify(&Type::Integer, &body.ty, body.span);
                (if which == ast::Binder::Sigma { Binder::Sigma } else { Binder::Pi }, Type::Integer)
            }
        };
        node(ExprKind::Binder { binder, locals, pred, body }, ty, span)
    }

    fn binary_expr(&mut self, op: ast::BinaryOp, left: &ast::Expr, right: &ast::Expr, whole: &ast::Expr) -> Expr {
        use ast::BinaryOp as Op;
        let span = whole.span;
        let space = |this: &mut Self, op: BinaryOp| {
            let ((left, from), (right, to)) = (this.set(left), this.set(right));
            binary(op, left, right, Type::set(Type::relation(from, to)), span)
        };
        let arithmetic = |this: &mut Self, op: BinaryOp, ty: Type| {
            let (left, right) = (this.demand(left, &Type::Integer), this.demand(right, &Type::Integer));
            binary(op, left, right, ty, span)
        };
        let same_sets = |this: &mut Self, op: BinaryOp| {
            let (left, element) = this.set(left);
            let ty = Type::set(element);
            let right = this.demand(right, &ty);
            binary(op, left, right, ty, span)
        };
        match op {
            Op::Relations => space(self, BinaryOp::Relations),
            Op::PartialFunctions => space(self, BinaryOp::PartialFunctions),
            Op::TotalFunctions => space(self, BinaryOp::TotalFunctions),
            Op::PartialInjections => space(self, BinaryOp::PartialInjections),
            Op::TotalInjections => space(self, BinaryOp::TotalInjections),
            Op::PartialSurjections => space(self, BinaryOp::PartialSurjections),
            Op::TotalSurjections => space(self, BinaryOp::TotalSurjections),
            Op::PartialBijections => space(self, BinaryOp::PartialBijections),
            Op::TotalBijections => space(self, BinaryOp::TotalBijections),
            Op::TotalRelations => space(self, BinaryOp::TotalRelations),
            Op::SurjectiveRelations => space(self, BinaryOp::SurjectiveRelations),
            Op::TotalSurjectiveRelations => space(self, BinaryOp::TotalSurjectiveRelations),
            Op::Override => {
                let (left, from, to) = self.relation(left);
                let ty = Type::relation(from, to);
                let right = self.demand(right, &ty);
                binary(BinaryOp::Override, left, right, ty, span)
            }
            Op::DirectProduct => {
                let ((left, from, first), (right, again, second)) = (self.relation(left), self.relation(right));
                self.unify(&from, &again, right.span);
                binary(BinaryOp::DirectProduct, left, right, Type::relation(from, Type::pair(first, second)), span)
            }
            Op::ParallelProduct => {
                let ((left, a, b), (right, c, d)) = (self.relation(left), self.relation(right));
                binary(BinaryOp::ParallelProduct, left, right, Type::relation(Type::pair(a, c), Type::pair(b, d)), span)
            }
            Op::Compose => {
                let ((left, from, middle), (right, again, to)) = (self.relation(left), self.relation(right));
                self.unify(&middle, &again, right.span);
                binary(BinaryOp::Compose, left, right, Type::relation(from, to), span)
            }
            Op::DomainRestrict | Op::DomainSubtract => {
                let (set, element) = self.set(left);
                let (relation, from, to) = self.relation(right);
                self.unify(&from, &element, set.span);
                let op = if op == Op::DomainRestrict { BinaryOp::DomainRestrict } else { BinaryOp::DomainSubtract };
                binary(op, set, relation, Type::relation(from, to), span)
            }
            Op::RangeRestrict | Op::RangeSubtract => {
                let (relation, from, to) = self.relation(left);
                let set = self.demand(right, &Type::set(to.clone()));
                let op = if op == Op::RangeRestrict { BinaryOp::RangeRestrict } else { BinaryOp::RangeSubtract };
                binary(op, relation, set, Type::relation(from, to), span)
            }
            Op::Concat => {
                // A chain is one or the other as a whole, and is looked at once.
                let known = self.chain_of_strings.take().filter(|(chain, _)| std::ptr::eq(*chain, whole));
                let is_string = known.map_or_else(|| self.looks_like_string(whole), |(_, is_string)| is_string);
                if let ast::ExprKind::Binary(Op::Concat, ..) = &left.kind {
                    // Its beginning is what is elaborated next.
                    self.chain_of_strings = Some((std::ptr::from_ref(left), is_string));
                }
                if is_string {
                    let (left, right) = (self.demand(left, &Type::String), self.demand(right, &Type::String));
                    return node(ExprKind::External(crate::ir::ExternalFunction::StringAppend, vec![left, right]), Type::String, span);
                }
                if let Some(chain) = self.long_chain(op, whole) {
                    self.chain_of_strings = None;
                    return chain;
                }
                let (left, element) = self.sequence(left);
                let ty = Type::relation(Type::Integer, element);
                let right = self.demand(right, &ty);
                binary(BinaryOp::Concat, left, right, ty, span)
            }
            Op::InsertFront => {
                let left = self.expr(left);
                let ty = Type::relation(Type::Integer, left.ty.clone());
                let right = self.demand(right, &ty);
                binary(BinaryOp::InsertFront, left, right, ty, span)
            }
            Op::InsertTail => {
                if let Some(chain) = self.long_chain(op, whole) {
                    return chain;
                }
                let (left, element) = self.sequence(left);
                let right = self.demand(right, &element);
                binary(BinaryOp::InsertTail, left, right, Type::relation(Type::Integer, element), span)
            }
            Op::TakeFirst | Op::DropFirst => {
                let (left, element) = self.sequence(left);
                let right = self.demand(right, &Type::Integer);
                let op = if op == Op::TakeFirst { BinaryOp::TakeFirst } else { BinaryOp::DropFirst };
                binary(op, left, right, Type::relation(Type::Integer, element), span)
            }
            Op::Union => same_sets(self, BinaryOp::Union),
            Op::Intersection => same_sets(self, BinaryOp::Intersection),
            Op::SetMinus => same_sets(self, BinaryOp::Difference),
            Op::Maplet => self.pair(left, right, span),
            Op::Interval => arithmetic(self, BinaryOp::Interval, Type::set(Type::Integer)),
            Op::Plus => arithmetic(self, BinaryOp::Add, Type::Integer),
            Op::Divide => arithmetic(self, BinaryOp::Divide, Type::Integer),
            Op::Modulo => arithmetic(self, BinaryOp::Modulo, Type::Integer),
            Op::Power => arithmetic(self, BinaryOp::Power, Type::Integer),
            Op::Minus | Op::Times => {
                let (left, right) = (self.expr(left), self.expr(right));
                let ty = self.types.fresh();
                let types = [left.ty.clone(), right.ty.clone(), ty.clone()];
                self.wait(if op == Op::Minus { Overload::Minus { types, span } } else { Overload::Times { types, span } });
                // Which of the two it is, is decided by type at the end (`finish`).
                let op = if op == Op::Minus { BinaryOp::Subtract } else { BinaryOp::Multiply };
                binary(op, left, right, ty, span)
            }
            Op::OfType => {
                let (set, element) = self.set(right);
                drop(set);
                self.demand(left, &element)
            }
            _ => {
                debug_assert!(makes_predicate(op), "every other operator is listed above: {op:?}");
                self.expected_expression(span)
            }
        }
    }

    fn looks_like_string(&mut self, expr: &ast::Expr) -> bool {
        match &expr.kind {
            ast::ExprKind::String(_) => true,
            ast::ExprKind::Ident(name) => match self.names.lookup(name) {
                None | Some(Meaning::Actual(_)) => false,
                Some(meaning) => {
                    let ty = self.meaning(meaning, expr.span).ty;
                    self.types.resolve(&ty) == Type::String
                }
            },
            ast::ExprKind::Binary(ast::BinaryOp::Concat, left, right) => self.looks_like_string(left) || self.looks_like_string(right),
            _ => false,
        }
    }
}

/// The type of the left-nested tuple of some names.
pub(super) fn tuple_type(locals: &[(crate::ir::LocalId, Type)]) -> Type {
    locals.iter().map(|(_, ty)| ty.clone()).reduce(Type::pair).expect("a binder binds a name")
}
