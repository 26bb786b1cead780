//! Keyword functions and constants: `dom(r)`, `card(S)`, `prj1(S, T)`, `bool(P)`, `NAT`, `TRUE` and the like.
//!
//! Invariant: arguments and result have the types of B's reference; no argument is looked at before their number is checked. Deliberately
//! elsewhere: the rules of functions with regular types (`scheme`).

use super::elaborate::{Elaborator, counted};
use super::infer::{binary, node};
use super::remedy::{Construct, Site};
use super::scheme::{self, Function, FunctionRule, function_rule};
use bcheck_ir::{BinaryOp, Binder, Comparison, Expr, ExprKind, IntegerSet, Pred, PredKind, Type, UnaryOp};
use bcheck_source::{Code, Diagnostic, Span};
use bcheck_syntax::ast;

impl Elaborator<'_> {
    /// A call of a keyword function.
    pub(super) fn builtin(&mut self, builtin: ast::Builtin, arguments: &[ast::Expr], whole: &ast::Expr) -> Expr {
        let span = whole.span;
        if let Some(refused) = self.refused_arguments(builtin, arguments, span) {
            return refused;
        }
        // Counted just before: there is at least one.
        let argument = &arguments[0];
        if builtin == ast::Builtin::Ran
            && let Some((free, case)) = self.named_constructor(argument)
        {
            return self.made_by(free, case, span);
        }
        if builtin == ast::Builtin::Size {
            self.place.site = Some(Site::of(Construct::Size, argument, argument).within(span));
        }
        match function_rule(builtin) {
            FunctionRule::Regular(function, scheme) => {
                let (operands, ty) = self.by_scheme(scheme, arguments);
                call(function, operands, ty, span)
            }
            // By its form; `predicate` reads it where one is expected.
            FunctionRule::Predicate => self.expected_expression(span),
            FunctionRule::BoolOf => {
                let pred = self.pred(argument);
                node(ExprKind::BoolOf(Box::new(pred)), Type::Bool, span)
            }
            FunctionRule::Successor => self.step(BinaryOp::Add, argument, span),
            FunctionRule::Predecessor => self.step(BinaryOp::Subtract, argument, span),
            FunctionRule::Closure => {
                // closure(r) = closure1(r) \/ id(T), where T is the whole type: B's reflexive closure is not limited to dom(r) and ran(r).
                let relation = self.builtin(ast::Builtin::Closure1, arguments, whole);
                let ty = relation.ty.clone();
                binary(BinaryOp::Union, relation, identity_on_type(&ty, span), ty, span)
            }
            FunctionRule::Projection => self.projection(builtin == ast::Builtin::Prj1, arguments, span),
        }
    }

    /// `succ(n)` or `pred(n)`.
    fn step(&mut self, op: BinaryOp, argument: &ast::Expr, span: Span) -> Expr {
        let operand = self.demand(argument, &Type::Integer);
        binary(op, operand, node(ExprKind::Integer(1.into()), Type::Integer, span), Type::Integer, span)
    }

    /// A keyword that is itself a value.
    pub(crate) fn constant(&mut self, constant: ast::Constant, span: Span) -> Expr {
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

    /// The replacement of a call with a wrong number of arguments, which is reported; `None` where the number is right.
    fn refused_arguments(&mut self, builtin: ast::Builtin, arguments: &[ast::Expr], span: Span) -> Option<Expr> {
        let (given, range) = (arguments.len(), scheme::arguments(builtin));
        // If two numbers are allowed, the message names the lesser.
        let wanted = if range.contains(&given) { given } else { *range.start() };
        if given == wanted {
            return None;
        }
        let title = format!("this function takes {}, not {given}", counted(wanted, "argument"));
        let diagnostic = Diagnostic::error(Code::WrongArgumentCount, span, title);
        Some(self.refuse(diagnostic.label(format!("{} given", counted(given, "argument")))))
    }

    /// `succ` or `pred` as a function: `%x.(x : INTEGER | x + by)`.
    fn step_function(&mut self, by: i64, span: Span) -> Expr {
        // A lambda, because as a set of pairs the function would be infinite.
        let id = self.fresh_local("x", Type::Integer, span);
        let x = || node(ExprKind::Local(id), Type::Integer, span);
        let integers = node(ExprKind::IntegerSet(IntegerSet::Integer), Type::set(Type::Integer), span);
        let pred = Pred { kind: PredKind::Compare(Comparison::Member, Box::new(x()), Box::new(integers)), span };
        let body = binary(BinaryOp::Add, x(), node(ExprKind::Integer(by.into()), Type::Integer, span), Type::Integer, span);
        let locals = vec![(id, Type::Integer)];
        let kind = ExprKind::Binder { binder: Binder::Lambda, locals, pred: Box::new(pred), body: Box::new(body) };
        node(kind, Type::relation(Type::Integer, Type::Integer), span)
    }

    /// `prj1(E)` or `prj2(E)` of a pair, `prj1(S, T)` or `prj2(S, T)` as a function on the pairs of two sets.
    fn projection(&mut self, is_first: bool, arguments: &[ast::Expr], span: Span) -> Expr {
        let [left, right] = arguments else {
            let (first, second) = (self.types.fresh(), self.types.fresh());
            let pair = self.demand(&arguments[0], &Type::pair(first.clone(), second.clone()));
            let (op, ty) = if is_first { (UnaryOp::First2, first) } else { (UnaryOp::Second2, second) };
            return node(ExprKind::Unary(op, Box::new(pair)), ty, span);
        };
        let ((left, first), (right, second)) = (self.set(left), self.set(right));
        // By their form these sets may be infinite: then the projection must not be written out.
        if may_be_infinite(&left) || may_be_infinite(&right) {
            return self.projection_by_rule(is_first, (left, first), (right, second), span);
        }
        let (op, to) = if is_first { (BinaryOp::Projection1, first.clone()) } else { (BinaryOp::Projection2, second.clone()) };
        binary(op, left, right, Type::relation(Type::pair(first, second), to), span)
    }

    /// `prj1(S, T)` or `prj2(S, T)` of sets that may be infinite: `%(x, y).(x : S & y : T | x)`, which stays symbolic.
    fn projection_by_rule(&mut self, is_first: bool, left: (Expr, Type), right: (Expr, Type), span: Span) -> Expr {
        let ((left, first), (right, second)) = (left, right);
        let (x, y) = (self.fresh_local("x", first.clone(), span), self.fresh_local("y", second.clone(), span));
        let local = |id, ty: &Type| node(ExprKind::Local(id), ty.clone(), span);
        let member = |element: Expr, set: Expr| Self::comparison(Comparison::Member, element, set, span);
        let kind = PredKind::And(vec![member(local(x, &first), left), member(local(y, &second), right)]);
        let pred = Box::new(Pred { kind, span });
        let body = Box::new(if is_first { local(x, &first) } else { local(y, &second) });
        let ty = Type::relation(Type::pair(first.clone(), second.clone()), body.ty.clone());
        let locals = vec![(x, first), (y, second)];
        node(ExprKind::Binder { binder: Binder::Lambda, locals, pred, body }, ty, span)
    }
}

/// A keyword function applied to its elaborated arguments.
fn call(function: Function, arguments: Vec<Expr>, ty: Type, span: Span) -> Expr {
    let mut arguments = arguments.into_iter();
    let mut next = || Box::new(arguments.next().expect("an argument for each operand of the scheme"));
    let kind = match function {
        Function::Unary(op) => ExprKind::Unary(op, next()),
        Function::Binary(op) => ExprKind::Binary(op, next(), next()),
    };
    node(kind, ty, span)
}

/// Whether a set may be infinite, by its form.
fn may_be_infinite(set: &Expr) -> bool {
    matches!(set.kind, ExprKind::IntegerSet(_) | ExprKind::StringSet | ExprKind::TypeSet | ExprKind::Binary(..) | ExprKind::Unary(..))
}

/// `id(T)` of the type `T` whose values a relation relates: what `closure(r)` adds to `closure1(r)`.
fn identity_on_type(relation: &Type, span: Span) -> Expr {
    let Some(Type::Pair(from, _)) = relation.element() else { unreachable!("typed as a relation") };
    let all = node(ExprKind::TypeSet, Type::set((**from).clone()), span);
    node(ExprKind::Unary(UnaryOp::Identity, Box::new(all)), relation.clone(), span)
}
