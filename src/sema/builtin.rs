//! Keyword functions and constants: `dom(r)`, `card(S)`, `prj1(S, T)`, `bool(P)`, `NAT`, `TRUE` and the like.
//!
//! Invariant: arguments and result have the types of B's reference; no argument is looked at before their number is checked.

use super::elaborate::{Elaborator, counted};
use super::infer::{binary, node};
use super::remedy::{Construct, Site};
use bcheck_ir::{BinaryOp, Binder, Comparison, Expr, ExprKind, IntegerSet, Pred, PredKind, Type, UnaryOp};
use bcheck_source::{Code, Diagnostic, Span};
use bcheck_syntax::ast;

impl Elaborator<'_> {
    /// A call of a keyword function.
    // A list: the typing rule of each function; functions with the same rule share a closure.
    pub(super) fn builtin(&mut self, builtin: ast::Builtin, arguments: &[ast::Expr], whole: &ast::Expr) -> Expr {
        use ast::Builtin as B;
        let span = whole.span;
        let unary = |op: UnaryOp, operand: Expr, ty: Type| node(ExprKind::Unary(op, Box::new(operand)), ty, span);
        if let Some(refused) = self.refused_arguments(builtin, arguments, span) {
            return refused;
        }
        // Counted just before: there is at least one.
        let argument = &arguments[0];
        let over_set = |this: &mut Self, op: UnaryOp| {
            let (set, element) = this.set(argument);
            unary(op, set, Type::set(Type::set(element)))
        };
        let sequences = |this: &mut Self, op: UnaryOp| {
            let (set, element) = this.set(argument);
            unary(op, set, Type::set(Type::relation(Type::Integer, element)))
        };
        let of_integers = |this: &mut Self, op: UnaryOp| {
            let set = this.demand(argument, &Type::set(Type::Integer));
            unary(op, set, Type::Integer)
        };
        let endo = |this: &mut Self, op: UnaryOp| {
            let (relation, from, to) = this.relation(argument);
            this.unify(&from, &to, argument.span);
            unary(op, relation, Type::relation(from, to))
        };
        let same_sequence = |this: &mut Self, op: UnaryOp| {
            let (sequence, element) = this.sequence(argument);
            unary(op, sequence, Type::relation(Type::Integer, element))
        };
        match builtin {
            // Predicates by their form; `predicate` reads them where one is expected.
            B::Not | B::Finite | B::Partition => self.expected_expression(span),
            B::BoolOf => {
                let pred = self.pred(argument);
                node(ExprKind::BoolOf(Box::new(pred)), Type::Bool, span)
            }
            B::Pow => over_set(self, UnaryOp::Pow),
            B::Pow1 => over_set(self, UnaryOp::Pow1),
            B::Fin => over_set(self, UnaryOp::Fin),
            B::Fin1 => over_set(self, UnaryOp::Fin1),
            B::Card => {
                let (set, _) = self.set(argument);
                unary(UnaryOp::Card, set, Type::Integer)
            }
            B::GeneralUnion | B::GeneralInter => {
                let element = self.types.fresh();
                let sets = self.demand(argument, &Type::set(Type::set(element.clone())));
                let op = if builtin == B::GeneralUnion { UnaryOp::GeneralUnion } else { UnaryOp::GeneralInter };
                unary(op, sets, Type::set(element))
            }
            // Sets of integers only: B has no order on other types.
            B::Min => of_integers(self, UnaryOp::Min),
            B::Max => of_integers(self, UnaryOp::Max),
            B::Succ | B::Pred => {
                let operand = self.demand(argument, &Type::Integer);
                let by = node(ExprKind::Integer(1.into()), Type::Integer, span);
                let op = if builtin == B::Succ { BinaryOp::Add } else { BinaryOp::Subtract };
                binary(op, operand, by, Type::Integer, span)
            }
            B::Dom => {
                let (relation, from, _) = self.relation(argument);
                unary(UnaryOp::Domain, relation, Type::set(from))
            }
            B::Ran => {
                if let Some((free, case)) = self.named_constructor(argument) {
                    return self.made_by(free, case, span);
                }
                let (relation, _, to) = self.relation(argument);
                unary(UnaryOp::Range, relation, Type::set(to))
            }
            B::Id => {
                let (set, element) = self.set(argument);
                unary(UnaryOp::Identity, set, Type::relation(element.clone(), element))
            }
            B::Closure => {
                // closure(r) = closure1(r) \/ id(T), where T is the whole type: B's reflexive closure is not limited to dom(r) and ran(r).
                let relation = endo(self, UnaryOp::Closure1);
                let ty = relation.ty.clone();
                binary(BinaryOp::Union, relation, identity_on_type(&ty, span), ty, span)
            }
            B::Closure1 => endo(self, UnaryOp::Closure1),
            B::Iterate => {
                let (relation, from, to) = self.relation(argument);
                self.unify(&from, &to, argument.span);
                let times = self.demand(&arguments[1], &Type::Integer);
                binary(BinaryOp::Iterate, relation, times, Type::relation(from, to), span)
            }
            B::Prj1 | B::Prj2 => self.projection(builtin == B::Prj1, arguments, span),
            B::Fnc => {
                let (relation, from, to) = self.relation(argument);
                unary(UnaryOp::Function, relation, Type::relation(from, Type::set(to)))
            }
            B::Rel => {
                let (from, to) = (self.types.fresh(), self.types.fresh());
                let function = self.demand(argument, &Type::relation(from.clone(), Type::set(to.clone())));
                unary(UnaryOp::Relation, function, Type::relation(from, to))
            }
            B::Seq => sequences(self, UnaryOp::Seq),
            B::Seq1 => sequences(self, UnaryOp::Seq1),
            B::Iseq => sequences(self, UnaryOp::Iseq),
            B::Iseq1 => sequences(self, UnaryOp::Iseq1),
            B::Perm => sequences(self, UnaryOp::Perm),
            B::Size => {
                self.place.site = Some(Site::of(Construct::Size, argument, argument).within(span));
                let (sequence, _) = self.sequence(argument);
                unary(UnaryOp::Size, sequence, Type::Integer)
            }
            B::First | B::Last => {
                let (sequence, element) = self.sequence(argument);
                unary(if builtin == B::First { UnaryOp::First } else { UnaryOp::Last }, sequence, element)
            }
            B::Front => same_sequence(self, UnaryOp::Front),
            B::Tail => same_sequence(self, UnaryOp::Tail),
            B::Rev => same_sequence(self, UnaryOp::Reverse),
            B::Conc => {
                let element = self.types.fresh();
                let inner = Type::relation(Type::Integer, element);
                let sequences = self.demand(argument, &Type::relation(Type::Integer, inner.clone()));
                unary(UnaryOp::ConcatAll, sequences, inner)
            }
        }
    }

    /// A keyword that is a value by itself.
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

    /// What takes the place of a call with a wrong number of arguments, which is reported; nothing where the number is right.
    fn refused_arguments(&mut self, builtin: ast::Builtin, arguments: &[ast::Expr], span: Span) -> Option<Expr> {
        use ast::Builtin as B;
        let given = arguments.len();
        let wanted = match builtin {
            B::Iterate => 2,
            B::Prj1 | B::Prj2 if given == 2 => 2,
            // Any number but none, for which no argument would be there to look at.
            B::Partition => given.max(1),
            _ => 1,
        };
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

    /// `prj1(S, T)` or `prj2(S, T)` of sets that may be infinite: `%(x, y).(x : S & y : T | x)`, which stays a description.
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
