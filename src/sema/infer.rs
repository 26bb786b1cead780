//! Expressions: one walk resolves names, infers types and builds the core language.
//!
//! Types are monomorphic (Hindley–Milner without generalisation): a bound name has one unknown type, which each of its uses unifies with
//! the required one. Types may stay unknown during the walk; overloaded operators (`-`, `*`) and record fields wait in a list until their
//! operands are known (`overload`).
//! Invariant: every expression built carries a type that `finish` can complete; an error is reported once and the walk continues with a
//! fresh unknown. Deliberately elsewhere: infix operators (`infix`), keyword functions and constants (`builtin`), predicates
//! (`predicate`).

use super::elaborate::Elaborator;
use super::names::Meaning;
use super::overload::Overload;
use super::remedy::{Construct, Site};
use bcheck_ir::{BinaryOp, Binder, Expr, ExprKind, Type, UnaryOp};
use bcheck_source::{Code, Diagnostic, Edit, Fix, Span};
use bcheck_syntax::ast;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// An expression from its parts.
pub(super) fn node(kind: ExprKind, ty: Type, span: Span) -> Expr {
    Expr { kind, ty, span }
}

/// An infix operator applied to two expressions.
pub(super) fn binary(op: BinaryOp, left: Expr, right: Expr, ty: Type, span: Span) -> Expr {
    node(ExprKind::Binary(op, Box::new(left), Box::new(right)), ty, span)
}

impl Elaborator<'_> {
    /// Elaborates an expression whose type must be the given one.
    pub(super) fn demand(&mut self, expr: &ast::Expr, ty: &Type) -> Expr {
        let is_set = matches!(self.types.shallow(ty), Type::Set(_));
        let outer = std::mem::replace(&mut self.place.wants_set, is_set.then_some(expr.span));
        let found = self.expr(expr);
        self.place.wants_set = outer;
        self.unify(ty, &found.ty, expr.span);
        found
    }

    /// Elaborates a set; returns also the type of its elements.
    pub(super) fn set(&mut self, expr: &ast::Expr) -> (Expr, Type) {
        let element = self.types.fresh();
        let set = self.demand(expr, &Type::set(element.clone()));
        (set, element)
    }

    /// Elaborates a relation; returns also the types of its domain and range.
    pub(super) fn relation(&mut self, expr: &ast::Expr) -> (Expr, Type, Type) {
        let (from, to) = (self.types.fresh(), self.types.fresh());
        let relation = self.demand(expr, &Type::relation(from.clone(), to.clone()));
        (relation, from, to)
    }

    /// Elaborates a sequence; returns also the type of its elements.
    pub(super) fn sequence(&mut self, expr: &ast::Expr) -> (Expr, Type) {
        let element = self.types.fresh();
        let sequence = self.demand(expr, &Type::relation(Type::Integer, element.clone()));
        (sequence, element)
    }

    /// A placeholder for a refused expression. Its type unifies with every other, so no further error follows from it.
    pub(super) fn hole(&mut self, span: Span) -> Expr {
        node(ExprKind::EmptySet, self.types.fresh(), span)
    }

    /// Reports an expression and inserts a placeholder.
    pub(super) fn refuse(&mut self, diagnostic: Diagnostic) -> Expr {
        let span = diagnostic.span();
        self.report(diagnostic);
        self.hole(span)
    }

    /// Elaborates an expression.
    pub(super) fn expr(&mut self, expr: &ast::Expr) -> Expr {
        if self.is_beyond_limit(expr.span) {
            return self.hole(expr.span);
        }
        let outer = self.enter(expr.span);
        let result = self.expr_here(expr);
        self.place = outer;
        result
    }

    // A list: the typing rule of each kind of expression.
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
                // By itself a constructor is a lambda over all its arguments. Its inverse is another lambda, not the inverse of that set.
                if let Some((free, case)) = self.named_constructor(operand) {
                    return self.destructor(free, case, span);
                }
                let (operand, from, to) = self.relation(operand);
                node(ExprKind::Unary(UnaryOp::Inverse, Box::new(operand)), Type::relation(to, from), span)
            }
            ast::ExprKind::Binary(op, left, right) => self.infix_expr(*op, left, right, expr),
            ast::ExprKind::CommaPair(left, right) => self.pair(left, right, span),
            ast::ExprKind::Builtin(builtin, arguments) => self.builtin(*builtin, arguments, expr),
            ast::ExprKind::Apply(function, arguments) => self.apply(function, arguments, span),
            ast::ExprKind::Image(relation, set) => {
                let mark = self.diagnostics.len();
                self.place.site =
                    Some(Site::of(Construct::Image, relation, set).within(span).wanting_set(self.place.wants_set == Some(span)));
                let (relation, from, to) = self.relation(relation);
                let set = self.demand(set, &Type::set(from));
                let ty = self.type_unless_faulty(mark, Type::set(to));
                binary(BinaryOp::Image, relation, set, ty, span)
            }
            ast::ExprKind::Field(record, field) => self.field(record, field, span),
            ast::ExprKind::Quantified(..) | ast::ExprKind::Error => {
                // The parser or the expansion of definitions has reported it.
                if expr.kind == ast::ExprKind::Error {
                    return self.hole(span);
                }
                self.expected_expression(span)
            }
            ast::ExprKind::Binder(binder, names, pred, body) => self.binder(*binder, names, pred, body, span),
            ast::ExprKind::Comprehension(names, pred) => {
                // Here and below the parts of a tuple are evaluated from left to right: names are bound before the condition is read.
                let (locals, pred) = self.scoped(|this| (this.bind(names), this.pred(pred)));
                let element = tuple_type(&locals);
                node(ExprKind::Comprehension { locals, pred: Box::new(pred), value: None }, Type::set(element), span)
            }
            ast::ExprKind::EventComprehension(names, pred, value) => {
                let (locals, pred, value) = self.scoped(|this| (this.bind(names), this.pred(pred), this.expr(value)));
                let ty = Type::set(value.ty.clone());
                node(ExprKind::Comprehension { locals, pred: Box::new(pred), value: Some(Box::new(value)) }, ty, span)
            }
            ast::ExprKind::SetExtension(items) => {
                let (items, element) = self.items(items);
                let kind = if items.is_empty() { ExprKind::EmptySet } else { ExprKind::SetExtension(items) };
                node(kind, Type::set(element), span)
            }
            ast::ExprKind::Sequence(items) => {
                let (items, element) = self.items(items);
                let kind = if items.is_empty() { ExprKind::EmptySet } else { ExprKind::SequenceExtension(items) };
                node(kind, Type::relation(Type::Integer, element), span)
            }
            ast::ExprKind::Record(fields) if fields.iter().any(|(name, _)| name.text.is_empty()) => self.unlabelled_record(fields, span),
            ast::ExprKind::Record(fields) => {
                let fields = self.fields(fields);
                let ty = Type::Record(fields.iter().map(|(name, value)| (name.clone(), value.ty.clone())).collect());
                node(ExprKind::Record(fields), ty, span)
            }
            ast::ExprKind::Struct(fields) => self.set_of_records(fields, span),
            ast::ExprKind::If(condition, then, otherwise) => self.conditional(condition, then, otherwise.as_deref(), span),
            ast::ExprKind::Let(names, pred, body) => {
                let (bindings, body) = self.scoped(|this| (this.let_bindings(names, pred), this.expr(body)));
                let ty = body.ty.clone();
                node(ExprKind::Let(bindings, Box::new(body)), ty, span)
            }
            ast::ExprKind::Labelled(_, inner) => self.expr(inner),
        }
    }

    /// `r'f`
    fn field(&mut self, record: &ast::Expr, field: &ast::Name, span: Span) -> Expr {
        let record = self.expr(record);
        // A field by itself does not determine the type of its record, so its own type is decided later.
        let ty = self.types.fresh();
        let name: Arc<str> = Arc::from(field.text.as_str());
        self.wait(Overload::Field { record: record.ty.clone(), field: name.clone(), result: ty.clone(), span: field.span });
        node(ExprKind::Field(Box::new(record), name), ty, span)
    }

    /// The items of a set or sequence extension, and their common type.
    fn items(&mut self, items: &[ast::Expr]) -> (Vec<Expr>, Type) {
        let element = self.types.fresh();
        (items.iter().map(|item| self.demand(item, &element)).collect(), element)
    }

    /// `struct(f : S, …)`
    fn set_of_records(&mut self, fields: &[(ast::Name, ast::Expr)], span: Span) -> Expr {
        let fields = self.fields(fields);
        let mut types = Vec::new();
        for (name, set) in &fields {
            let element = self.types.fresh();
            self.unify(&Type::set(element.clone()), &set.ty, set.span);
            types.push((name.clone(), element));
        }
        node(ExprKind::Struct(fields), Type::set(Type::Record(types.into())), span)
    }

    /// `IF P THEN E ELSE F END`
    fn conditional(&mut self, condition: &ast::Expr, then: &ast::Expr, otherwise: Option<&ast::Expr>, span: Span) -> Expr {
        let Some(otherwise) = otherwise else {
            return self.refuse(Diagnostic::error(Code::ExpectedExpression, span, "an IF expression needs an ELSE part").help("add ELSE"));
        };
        let condition = self.pred(condition);
        // The THEN side determines the type, and the ELSE side must have it: an error is reported at the second of two that disagree.
        let then = self.expr(then);
        let otherwise = self.demand(otherwise, &then.ty);
        let ty = then.ty.clone();
        node(ExprKind::If(Box::new(condition), Box::new(then), Box::new(otherwise)), ty, span)
    }

    pub(super) fn expected_expression(&mut self, span: Span) -> Expr {
        self.refuse(
            Diagnostic::error(Code::ExpectedExpression, span, "an expression is expected, but this is a predicate")
                .label("a predicate")
                .help("bool(...) turns a predicate into TRUE or FALSE")
                .fix(Fix::new("write bool(…)", Edit::around(span, "bool(", ")"))),
        )
    }

    pub(super) fn unsupported(&mut self, what: &str, span: Span) -> Expr {
        let title = format!("{what} are not supported");
        // Once for all uses.
        if self.diagnostics.iter().any(|known| known.code == Code::NotSupportedEver && known.title == title) {
            return self.hole(span);
        }
        self.refuse(Diagnostic::error(Code::NotSupportedEver, span, title).label("used here"))
    }

    /// Elaborates a name.
    fn name(&mut self, name: &str, span: Span) -> Expr {
        match self.names.lookup(name) {
            Some(meaning) => self.meaning(meaning, span),
            // Without arguments, words in lower case are names that somebody has forgotten to declare.
            None if super::external::is_of_reals(name) && name.starts_with('R') => self.unsupported("real numbers", span),
            None => {
                let diagnostic = self.unknown_name(name, span);
                self.refuse(diagnostic)
            }
        }
    }

    /// The diagnostic for a name that has no meaning here.
    fn unknown_name(&self, name: &str, span: Span) -> Diagnostic {
        let diagnostic = self.names.unknown(name, span);
        // In an operation a parameter may have been forgotten.
        if diagnostic.help.is_empty() && !self.calls.is_empty() {
            let help = format!("if it is a parameter, declare it: op({name}) = …; ANY, LET and VAR declare names as well");
            return diagnostic.help(help).fixes(self.declared_parameter(name));
        }
        diagnostic
    }

    /// Elaborates an actual parameter again, in the scope of the machine that supplies it: every use has bound names and types of its own
    /// (`{}` may be used as two sets of different types), and is evaluated only where it occurs, which a LET around it would not preserve.
    /// The copies are counted, because an actual parameter that uses others twice doubles them.
    fn actual(&mut self, index: usize, span: Span) -> Expr {
        let actual = self.actuals[index];
        // VALUES may define sets by each other, as in `S = T; T = S`: without this check the recursion would not end.
        if actual.is_open {
            return self.refuse(
                Diagnostic::error(Code::RecursiveDefinition, actual.expr.span, "this value is given by itself").also(span, "used here"),
            );
        }
        // The text is another machine's: names bound around the use mean nothing in it, nor is it part of a definition used there.
        let (bound, place) = (std::mem::take(&mut self.names.bound), std::mem::take(&mut self.place));
        let outer = self.names.enter(actual.scope);
        // Both kinds are fixed before there is a state.
        let hides = std::mem::replace(&mut self.names.hide_variables, true);
        self.actuals[index].is_open = true;
        self.copies.depth += 1;
        let value = self.expr(actual.expr);
        self.copies.depth -= 1;
        self.actuals[index].is_open = false;
        self.names.hide_variables = hides;
        self.names.enter(outer);
        (self.names.bound, self.place) = (bound, place);
        Expr { span, ..value }
    }

    /// The expression denoted by a resolved name.
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

    /// `x$0`: the value before `x : (P)` or at the start of the enclosing loop.
    fn old_value(&mut self, name: &str, span: Span) -> Expr {
        // Innermost first: in `x : (P)` inside a loop, `x$0` is the value before the substitution.
        if let Some(old) = self.names.bound(name).and_then(|bound| bound.old) {
            let value = self.meaning(old, span);
            return match old {
                Meaning::Variable(id) => node(ExprKind::OldVariable(id), value.ty, span),
                // In P a local denotes its new value under a fresh id, so its own id is still the old value.
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
                let (label, help) = if self.is_temporal {
                    ("not inside BA({…})", format!("`{name}$0` is allowed in BA({{P}}), for variables; elsewhere write `{name}`"))
                } else {
                    let help = format!("`{name}$0` is allowed in {name} : (P) and for variables in loops; elsewhere write `{name}`");
                    ("not the target of a substitution x : (P)", help)
                };
                self.refuse(Diagnostic::error(Code::UnknownName, span, title).label(label).help(help))
            }
            None => {
                let diagnostic = self.names.unknown(name, span);
                self.refuse(diagnostic)
            }
        }
    }

    /// The fields of a record or of a set of records, by name.
    fn fields(&mut self, fields: &[(ast::Name, ast::Expr)]) -> Vec<(Arc<str>, Expr)> {
        let mut result: Vec<(Arc<str>, Expr)> = Vec::new();
        let mut met: FxHashSet<&str> = FxHashSet::default();
        for (name, value) in fields {
            let value = self.expr(value);
            if !met.insert(&name.text) {
                self.report(Diagnostic::error(Code::DuplicateName, name.span, format!("the field `{}` stands twice", name.text)));
                continue;
            }
            result.push((Arc::from(name.text.as_str()), value));
        }
        self.labels.add(fields);
        // Unification compares fields in order, so `rec(a : 1, b : 2)` and `rec(b : 2, a : 1)` must list them in one order.
        result.sort_by(|(left, _), (right, _)| left.cmp(right));
        result
    }

    pub(super) fn pair(&mut self, left: &ast::Expr, right: &ast::Expr, span: Span) -> Expr {
        let (left, right) = (self.expr(left), self.expr(right));
        let ty = Type::pair(left.ty.clone(), right.ty.clone());
        binary(BinaryOp::Pair, left, right, ty, span)
    }

    /// `f(a, b, c)`: the argument is the left-nested tuple.
    fn apply(&mut self, function: &ast::Expr, arguments: &[ast::Expr], span: Span) -> Expr {
        // A library function only where the machine declares nothing of its name.
        if let ast::ExprKind::Ident(name) = &function.kind
            && self.names.lookup(name).is_none()
            && let Some(call) = self.external(name, function.span, arguments, span)
        {
            return call;
        }
        // Before the function is elaborated as a value: `C(x)` builds a value of a free type, while C alone is a lambda.
        if let Some(call) = self.free_type_call(function, arguments, span) {
            return call;
        }
        let (function, from, to) = match self.function(function) {
            Ok(function) => function,
            Err(diagnostic) => {
                // The arguments may contain errors as well.
                self.tuple(arguments);
                return self.refuse(diagnostic);
            }
        };
        if let [only] = arguments {
            self.place.site = Some(Site::of(Construct::Apply, only, only).applying(function.span, span));
        }
        let Some(argument) = self.tuple(arguments) else {
            return self.refuse(Diagnostic::error(Code::WrongArgumentCount, span, "a function is applied to nothing"));
        };
        self.unify(&from, &argument.ty, argument.span);
        binary(BinaryOp::Apply, function, argument, to, span)
    }

    /// Elaborates an applied expression; returns also the types of its domain and range, or a diagnostic if its own type is not that of a
    /// function. This comes before any argument is compared: in `x (y + 1)` an operator is missing, and no type is wrong.
    fn function(&mut self, expr: &ast::Expr) -> Result<(Expr, Type, Type), Diagnostic> {
        let function = self.expr(expr);
        let may_be_function = match self.types.shallow(&function.ty) {
            Type::Set(element) => self.types.is_unknown(&element) || matches!(self.types.shallow(&element), Type::Pair(..)),
            Type::Bool | Type::Integer | Type::String | Type::Given(_) | Type::Free(_) | Type::Pair(..) => false,
            // An unknown has the form of a record.
            Type::Record(_) => self.types.is_unknown(&function.ty),
        };
        if !may_be_function {
            let what = self.show(&function.ty);
            return Err(Diagnostic::error(Code::NotAFunction, expr.span, "only a function can be applied to arguments")
                .label(format!("this is {what}"))
                .help("an operator may be missing before the parenthesis")
                .fixes((function.ty == Type::Integer).then(|| Fix::new("insert *", [Edit::after(expr.span, " * ")]))));
        }
        // Whether a relation is functional is a matter of values, so any relation can be applied as far as types go.
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

    /// `%`, `UNION`, `INTER`, `SIGMA` and `PI`.
    fn binder(&mut self, which: ast::Binder, names: &[ast::Name], pred: &ast::Expr, body: &ast::Expr, span: Span) -> Expr {
        // The condition first: it types the names, so that a clash with them is reported in the body.
        let (locals, pred, body) = self.scoped(|this| (this.bind(names), Box::new(this.pred(pred)), Box::new(this.expr(body))));
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
}

/// The type of the left-nested tuple of some names.
pub(super) fn tuple_type(locals: &[(bcheck_ir::LocalId, Type)]) -> Type {
    // The parser and the expansion of definitions supply at least one name to a binder, and `bind` leaves out only repetitions.
    locals.iter().map(|(_, ty)| ty.clone()).reduce(Type::pair).expect("a binder binds a name")
}
