//! Assignments: `:=`, `::` and `: (P)`, and their targets.
//!
//! Invariant: every write is to a whole variable or local, and no two of one `:=` are to the same one. Deliberately elsewhere: variables
//! that two parts of `||` assign (`substitution`).

use super::elaborate::{Elaborator, counted};
use super::names::{Bound, Meaning};
use super::remedy::{Construct, Site};
use bcheck_ir::{BinaryOp, Comparison, Expr, ExprKind, Subst, SubstKind, Target, Type};
use bcheck_source::{Code, Diagnostic, Span};
use bcheck_syntax::ast;
use rustc_hash::FxHashMap;

impl Elaborator<'_> {
    /// The variable or local denoted by an identifier on the left of an assignment, with its type; reports any other expression.
    fn target(&mut self, expr: &ast::Expr) -> Option<(Target, Type)> {
        let ast::ExprKind::Ident(name) = &expr.kind else {
            // The parser has reported it.
            if expr.kind != ast::ExprKind::Error {
                let diagnostic =
                    Diagnostic::error(Code::NotAssignable, expr.span, "only variables can be assigned").label("not a variable");
                self.report(match &expr.kind {
                    ast::ExprKind::Image(function, argument) => {
                        let fix = super::remedy::in_parentheses(function.span, argument.span, expr.span);
                        diagnostic.help("f(x) := E changes the value of f at x").fix(fix)
                    }
                    _ => diagnostic,
                });
            }
            return None;
        };
        match self.assignable(name) {
            Some(Meaning::Variable(id)) => Some((Target::Variable(id), self.variable_types[id.index()].clone())),
            Some(Meaning::Local(id)) => Some((Target::Local(id), self.local_types[id.index()].clone())),
            _ => {
                let diagnostic = match self.names.lookup(name) {
                    None => {
                        let diagnostic = self.names.unknown(name, expr.span);
                        match diagnostic.help.as_slice() {
                            [] => diagnostic
                                .help(format!("declare {name} in VARIABLES, as a result of the operation, or by VAR {name} IN S END")),
                            _ => diagnostic,
                        }
                    }
                    Some(meaning) => {
                        let is_foreign = self.names.bound(name).is_none() && matches!(meaning, Meaning::Variable(_));
                        let what = match meaning {
                            Meaning::Local(_) => "a parameter or bound name",
                            Meaning::Set(_) => "a set",
                            Meaning::Element(..) => "an element of an enumerated set",
                            Meaning::FreeType(_) => "a free type",
                            Meaning::Constructor(..) => "a constructor of a free type",
                            Meaning::Constant(_) => "a constant",
                            Meaning::Actual(_) => "a machine parameter",
                            Meaning::Variable(_) => "a variable of another machine",
                        };
                        let help = if is_foreign {
                            "a machine changes variables of another one only by calling its operations"
                        } else {
                            "only variables, results and VAR names can be assigned"
                        };
                        Diagnostic::error(Code::NotAssignable, expr.span, format!("`{name}` cannot be assigned"))
                            .label(format!("this is {what}"))
                            .help(help)
                    }
                };
                self.report(diagnostic);
                None
            }
        }
    }

    /// `x, f(a) := E, F`: all values are those before the assignment.
    pub(super) fn assign(&mut self, targets: &[ast::Expr], values: &[ast::Expr], span: Span) -> SubstKind {
        let targets: Vec<&ast::Expr> = targets.iter().flat_map(super::expand::comma_items).collect();
        let values: Vec<&ast::Expr> = match values {
            // `x, y := (1, 2)`, the form of definitions of several values. For a single target a pair is one value.
            [single] if targets.len() > 1 => super::expand::comma_items(single),
            several => several.iter().collect(),
        };
        if targets.len() != values.len() {
            let fix = match values.as_slice() {
                // The targets are evaluated once, so a second copy of the value is as good as the first.
                [single] => Some(super::remedy::repeated(single.span, targets.len())),
                _ => None,
            };
            self.report(
                Diagnostic::error(
                    Code::WrongArgumentCount,
                    span,
                    format!("{} but {}", counted(targets.len(), "target"), counted(values.len(), "value")),
                )
                .label("in this assignment")
                .help(match (targets.as_slice(), values.as_slice()) {
                    ([_], [_, _]) => "the value that is a pair stands in parentheses: x := (E, F), or x := E |-> F",
                    _ => "x, y := E, F gives each target a value of its own",
                })
                .fixes(fix),
            );
            return SubstKind::Skip;
        }
        let mut writes: Vec<(Target, Expr)> = Vec::new();
        let mut written_at: FxHashMap<Target, Span> = FxHashMap::default();
        for (target, value) in targets.into_iter().zip(values) {
            // Each part of the assignment is a separate reason: a clash in the second one has nothing to do with the first.
            let reason = target.span.to(value.span);
            self.place.site = Some(Site::of(Construct::Assign, target, value));
            let write = self.because(reason, |this| {
                let value = this.expr(value);
                this.write(target, value)
            });
            let Some((written, value)) = write else { continue };
            if self.is_assigned_twice(written, target.span, &mut written_at) {
                continue;
            }
            writes.push((written, value));
        }
        SubstKind::Assign(writes)
    }

    /// Reports a target whose variable is written at the same time by another one. By variable, not by target: `f(1), f(2) := E, F` would
    /// override f twice, and the second write would undo the first.
    pub(super) fn is_assigned_twice(&mut self, target: Target, span: Span, written_at: &mut FxHashMap<Target, Span>) -> bool {
        let Some(first) = written_at.insert(target, span) else { return false };
        let name = self.target_name(target);
        self.report(
            Diagnostic::error(Code::AssignedTwice, span, format!("`{name}` is assigned twice at once"))
                .label("assigned again here")
                .also(first, "first assigned here"),
        );
        true
    }

    pub(super) fn target_name(&self, target: Target) -> String {
        match target {
            Target::Variable(id) => self.names.variable_name(id),
            Target::Local(id) => self.locals[id.index()].clone(),
        }
    }

    /// `f(x)(y)'g := value` as a write of the whole variable f.
    ///
    /// The outermost application or field goes first: `f(x)(y) := v` is `f(x) := f(x) <+ {y |-> v}`, and that is
    /// `f := f <+ {x |-> (f(x) <+ {y |-> v})}`. Each step makes the target shorter, so it ends at a name.
    pub(super) fn write(&mut self, target: &ast::Expr, value: Expr) -> Option<(Target, Expr)> {
        let span = target.span;
        match &target.kind {
            ast::ExprKind::Apply(function, arguments) => {
                let (current, from, to) = self.relation(function);
                let argument = self.tuple(arguments)?;
                // Without short circuit: an argument and a value of wrong types are two errors.
                let fits = self.unify(&from, &argument.ty, argument.span) & self.unify(&to, &value.ty, value.span);
                if !fits {
                    return None;
                }
                let ty = Type::relation(from, to);
                let pair_ty = Type::pair(argument.ty.clone(), value.ty.clone());
                let pair = Expr { kind: ExprKind::Binary(BinaryOp::Pair, Box::new(argument), Box::new(value)), ty: pair_ty, span };
                let change = Expr { kind: ExprKind::SetExtension(vec![pair]), ty: ty.clone(), span };
                // `f(x) := v` is `f := f <+ {x |-> v}`, and so on outwards for `f(x)(y) := v`.
                let value = Expr { kind: ExprKind::Binary(BinaryOp::Override, Box::new(current), Box::new(change)), ty, span };
                self.write(function, value)
            }
            ast::ExprKind::Field(record, field) => {
                let changed = self.with_field(record, field, &value, span)?;
                self.write(record, changed)
            }
            _ => {
                let (written, ty) = self.target(target)?;
                self.unify(&ty, &value.ty, value.span);
                Some((written, value))
            }
        }
    }

    /// The record with another value of a field: `r'f := v` is `r := rec(f : v, g : r'g, …)`.
    fn with_field(&mut self, record: &ast::Expr, field: &ast::Name, value: &Expr, span: Span) -> Option<Expr> {
        let current = self.expr(record);
        // All fields must be known here, so pending overloads, which may decide the type, are resolved first.
        self.resolve_overloads();
        let Type::Record(fields) = self.types.resolve(&current.ty) else {
            self.report(
                Diagnostic::error(Code::CannotType, record.span, "this is not known to be a record")
                    .help("give its type in the INVARIANT with struct(...)"),
            );
            return None;
        };
        // An unknown type resolves to the form of a record as well.
        if self.types.is_unknown(&current.ty) || !fields.iter().any(|(name, _)| **name == field.text) {
            let shown = self.show(&current.ty);
            self.report(
                Diagnostic::error(Code::UnknownField, field.span, format!("there is no field `{}`", field.text))
                    .label(format!("not a field of {shown}")),
            );
            return None;
        }
        let ty = Type::Record(fields.clone());
        let values = fields
            .iter()
            .map(|(name, field_ty)| {
                if **name == field.text {
                    self.unify(field_ty, &value.ty, value.span);
                    (name.clone(), value.clone())
                } else {
                    let kept = ExprKind::Field(Box::new(current.clone()), name.clone());
                    (name.clone(), Expr { kind: kept, ty: field_ty.clone(), span })
                }
            })
            .collect();
        Some(Expr { kind: ExprKind::Record(values), ty, span })
    }

    /// `x, y :: S`, where S is a set of pairs.
    pub(super) fn becomes_in(&mut self, targets: &[ast::Expr], set: &ast::Expr, span: Span) -> SubstKind {
        let targets: Vec<&ast::Expr> = targets.iter().flat_map(super::expand::comma_items).collect();
        if let [single] = targets.as_slice()
            && !matches!(single.kind, ast::ExprKind::Ident(_))
        {
            // `f(x) :: S` chooses a value and writes it.
            let element = self.types.fresh();
            let set = self.demand(set, &Type::set(element.clone()));
            let id = self.fresh_local("chosen", element.clone(), span);
            let chosen = Expr { kind: ExprKind::Local(id), ty: element.clone(), span };
            let Some(write) = self.write(single, chosen.clone()) else { return SubstKind::Skip };
            let pred = Self::comparison(Comparison::Member, chosen, set, span);
            return SubstKind::Any(vec![(id, element)], pred, Box::new(Subst { kind: SubstKind::Assign(vec![write]), span }));
        }
        let known: Vec<(Target, Type)> = targets.iter().filter_map(|target| self.target(target)).collect();
        let mut written_at = FxHashMap::default();
        for ((written, _), target) in known.iter().zip(&targets) {
            self.is_assigned_twice(*written, target.span, &mut written_at);
        }
        // Without the type of a faulty target, the type of the set is unknown too: it is elaborated for its own errors only.
        let Some(ty) = known.iter().map(|(_, ty)| ty.clone()).reduce(Type::pair).filter(|_| known.len() == targets.len()) else {
            self.expr(set);
            return SubstKind::Skip;
        };
        if let Some(first) = targets.first() {
            self.place.site = Some(Site::of(Construct::BecomesIn, first, set));
        }
        let set = self.demand(set, &Type::set(ty));
        SubstKind::BecomesIn(known.into_iter().map(|(target, _)| target).collect(), set)
    }

    /// `x, y : (P)`: in P a target means its new value, and with `$0` the old one.
    pub(super) fn becomes_such_that(&mut self, targets: &[ast::Expr], pred: &ast::Expr, span: Span) -> SubstKind {
        let targets: Vec<&ast::Expr> = targets.iter().flat_map(super::expand::comma_items).collect();
        let mut written = Vec::new();
        let mut written_at = FxHashMap::default();
        for target in targets {
            let Some((found, ty)) = self.target(target) else { continue };
            self.is_assigned_twice(found, target.span, &mut written_at);
            let ast::ExprKind::Ident(name) = &target.kind else { continue };
            let id = self.fresh_local(name, ty.clone(), span);
            let old = match found {
                Target::Variable(id) => Meaning::Variable(id),
                Target::Local(id) => Meaning::Local(id),
            };
            written.push((found, id, ty, Bound { name: name.clone(), id, assignable: false, old: Some(old) }));
        }
        // Only after all targets are resolved: the new names hide the variables that are written.
        let pred = self.scoped(|this| {
            this.names.bound.extend(written.iter().map(|(_, _, _, bound)| bound.clone()));
            this.pred(pred)
        });
        SubstKind::BecomesSuchThat(written.into_iter().map(|(target, id, ty, _)| (target, id, ty)).collect(), pred)
    }
}
