//! Operators and substitutions written out by their definitions, and parts of formulas as DEFINITIONS.
//!
//! Invariant: what is written out means the same wherever the original is well-defined.

use super::rewrite::{self, Rewriter, expr_of, name_of, subst_of};
use crate::dice::Dice;
use bcheck::source::Span;
use bcheck::syntax::ast::{
    BinaryOp, Binder, Builtin, Clause, ClauseKind, Definition, DefinitionBody, Expr, ExprKind, Machine, Quantifier, Subst, SubstKind,
    UnaryOp,
};

/// The machine with about half of its operators written out.
pub(super) fn desugared(mut machine: Machine, dice: &mut Dice) -> Machine {
    rewrite::machine(&mut machine, &mut Desugarer { dice, bound: 0 });
    for clause in &mut machine.clauses {
        let ClauseKind::Operations(operations) = &mut clause.kind else { continue };
        for operation in operations {
            if let SubstKind::Pre(condition, body) = &operation.body.kind {
                operation.body = subst_of(SubstKind::Select(vec![((**condition).clone(), (**body).clone())], None));
            }
        }
    }
    machine
}

/// The machine with some parts of its formulas as definitions.
pub(super) fn abbreviated(mut machine: Machine, dice: &mut Dice) -> Machine {
    let mut writer = Abbreviator { dice, definitions: Vec::new() };
    rewrite::machine(&mut machine, &mut writer);
    let more = writer.definitions;
    let existing = machine.clauses.iter_mut().find_map(|clause| match &mut clause.kind {
        ClauseKind::Definitions(list) => Some(list),
        _ => None,
    });
    match existing {
        Some(list) => list.extend(more),
        None if more.is_empty() => {}
        None => {
            let nowhere = Span::nowhere();
            machine.clauses.insert(0, Clause { kind: ClauseKind::Definitions(more), span: nowhere, keyword: nowhere });
        }
    }
    machine
}

struct Abbreviator<'d> {
    dice: &'d mut Dice,
    definitions: Vec<Definition>,
}

impl Rewriter for Abbreviator<'_> {
    fn expr(&mut self, expr: Expr) -> Expr {
        let is_small = matches!(
            expr.kind,
            ExprKind::Ident(_) | ExprKind::Integer(_) | ExprKind::String(_) | ExprKind::Constant(_) | ExprKind::OldValue(_)
        );
        if is_small || !self.dice.once_in(6) {
            return expr;
        }
        let name = format!("Abbr{}", self.definitions.len() + 1);
        let body = DefinitionBody::Expr(expr);
        self.definitions.push(Definition::Macro { name: name_of(&name), parameters: Vec::new(), body });
        ident(&name)
    }

    fn subst(&mut self, subst: Subst) -> Subst {
        subst
    }
}

struct Desugarer<'d> {
    dice: &'d mut Dice,
    bound: usize,
}

fn ident(name: &str) -> Expr {
    expr_of(ExprKind::Ident(name.to_owned()))
}

fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    expr_of(ExprKind::Binary(op, Box::new(a), Box::new(b)))
}

fn and(a: Expr, b: Expr) -> Expr {
    binary(BinaryOp::And, a, b)
}

fn not(a: Expr) -> Expr {
    builtin(Builtin::Not, vec![a])
}

fn builtin(function: Builtin, arguments: Vec<Expr>) -> Expr {
    expr_of(ExprKind::Builtin(function, arguments))
}

fn maplet(a: &str, b: &str) -> Expr {
    binary(BinaryOp::Maplet, ident(a), ident(b))
}

fn member(a: Expr, b: Expr) -> Expr {
    binary(BinaryOp::Member, a, b)
}

fn comprehension(names: &[&str], condition: Expr) -> Expr {
    expr_of(ExprKind::Comprehension(names.iter().map(|name| name_of(name)).collect(), Box::new(condition)))
}

fn quantified(quantifier: Quantifier, names: &[&str], body: Expr) -> Expr {
    expr_of(ExprKind::Quantified(quantifier, names.iter().map(|name| name_of(name)).collect(), Box::new(body)))
}

/// What `f : A op B` says beyond `f : A <-> B`: whether it is a function, total, injective, surjective.
fn demands(op: BinaryOp) -> Option<[bool; 4]> {
    Some(match op {
        BinaryOp::PartialFunctions => [true, false, false, false],
        BinaryOp::TotalFunctions => [true, true, false, false],
        BinaryOp::PartialInjections => [true, false, true, false],
        BinaryOp::TotalInjections => [true, true, true, false],
        BinaryOp::PartialSurjections => [true, false, false, true],
        BinaryOp::TotalSurjections => [true, true, false, true],
        BinaryOp::PartialBijections => [true, false, true, true],
        BinaryOp::TotalBijections => [true, true, true, true],
        BinaryOp::TotalRelations => [false, true, false, false],
        BinaryOp::SurjectiveRelations => [false, false, false, true],
        BinaryOp::TotalSurjectiveRelations => [false, true, false, true],
        _ => return None,
    })
}

impl Desugarer<'_> {
    fn fresh<const N: usize>(&mut self) -> [String; N] {
        std::array::from_fn(|_| {
            self.bound += 1;
            format!("zz{}", self.bound)
        })
    }

    /// `!(x, y, z).((x |-> y : f & x |-> z : f) => y = z)`, or the same of the inverse.
    fn is_function(&mut self, function: &Expr, of_inverse: bool) -> Expr {
        let [x, y, z] = self.fresh();
        let pair = |from: &str, to: &str| if of_inverse { maplet(to, from) } else { maplet(from, to) };
        let hypothesis = and(member(pair(&x, &y), function.clone()), member(pair(&x, &z), function.clone()));
        let body = binary(BinaryOp::Implies, hypothesis, binary(BinaryOp::Equal, ident(&y), ident(&z)));
        quantified(Quantifier::Forall, &[&x, &y, &z], body)
    }

    fn in_arrows(
        &mut self,
        function: &Expr,
        from: Expr,
        to: Expr,
        [is_function, is_total, is_injective, is_surjective]: [bool; 4],
    ) -> Expr {
        let relations = binary(BinaryOp::Relations, from.clone(), to.clone());
        let mut all = member(function.clone(), relations);
        if is_total {
            all = and(all, binary(BinaryOp::Equal, builtin(Builtin::Dom, vec![function.clone()]), from));
        }
        if is_surjective {
            all = and(all, binary(BinaryOp::Equal, builtin(Builtin::Ran, vec![function.clone()]), to));
        }
        if is_function {
            all = and(all, self.is_function(function, false));
        }
        if is_injective {
            all = and(all, self.is_function(function, true));
        }
        all
    }

    fn comparison(&mut self, op: BinaryOp, a: Expr, b: Expr) -> Expr {
        match op {
            BinaryOp::Member => match b.kind {
                ExprKind::Binary(arrow, from, to) if demands(arrow).is_some() => {
                    self.in_arrows(&a, *from, *to, demands(arrow).expect("just asked"))
                }
                ExprKind::Binary(BinaryOp::Relations, from, to) => {
                    let product = binary(BinaryOp::Times, *from, *to);
                    member(a, builtin(Builtin::Pow, vec![product]))
                }
                ExprKind::Binary(BinaryOp::Union, left, right) => binary(BinaryOp::Or, member(a.clone(), *left), member(a, *right)),
                ExprKind::Binary(BinaryOp::Intersection, left, right) => and(member(a.clone(), *left), member(a, *right)),
                ExprKind::Binary(BinaryOp::Interval, low, high) => {
                    let above = binary(BinaryOp::GreaterEqual, a.clone(), *low);
                    and(above, binary(BinaryOp::LessEqual, a, *high))
                }
                ExprKind::Builtin(Builtin::Pow, mut base) => binary(BinaryOp::Subset, a, base.remove(0)),
                _ => member(a, b),
            },
            BinaryOp::Subset => member(a, builtin(Builtin::Pow, vec![b])),
            BinaryOp::StrictSubset => and(binary(BinaryOp::Subset, a.clone(), b.clone()), binary(BinaryOp::NotEqual, a, b)),
            BinaryOp::NotEqual => not(binary(BinaryOp::Equal, a, b)),
            BinaryOp::NotMember => not(member(a, b)),
            BinaryOp::NotSubset => not(binary(BinaryOp::Subset, a, b)),
            BinaryOp::NotStrictSubset => not(binary(BinaryOp::StrictSubset, a, b)),
            BinaryOp::LessEqual => not(binary(BinaryOp::Greater, a, b)),
            BinaryOp::Greater => binary(BinaryOp::Less, b, a),
            BinaryOp::Implies => binary(BinaryOp::Or, not(a), b),
            BinaryOp::Equivalent => {
                let there = binary(BinaryOp::Implies, a.clone(), b.clone());
                and(there, binary(BinaryOp::Implies, b, a))
            }
            BinaryOp::Or => not(and(not(a), not(b))),
            _ => binary(op, a, b),
        }
    }

    fn operator(&mut self, op: BinaryOp, a: Expr, b: Expr) -> Expr {
        match op {
            BinaryOp::Union => builtin(Builtin::GeneralUnion, vec![expr_of(ExprKind::SetExtension(vec![a, b]))]),
            BinaryOp::Intersection => builtin(Builtin::GeneralInter, vec![expr_of(ExprKind::SetExtension(vec![a, b]))]),
            BinaryOp::Override => {
                let rest = binary(BinaryOp::DomainSubtract, builtin(Builtin::Dom, vec![b.clone()]), a);
                binary(BinaryOp::Union, rest, b)
            }
            BinaryOp::Compose => {
                let [x, y, z] = self.fresh();
                let through = and(member(maplet(&x, &y), a), member(maplet(&y, &z), b));
                comprehension(&[&x, &z], quantified(Quantifier::Exists, &[&y], through))
            }
            BinaryOp::DomainRestrict => {
                let [x, y] = self.fresh();
                comprehension(&[&x, &y], and(member(maplet(&x, &y), b), member(ident(&x), a)))
            }
            BinaryOp::DomainSubtract => {
                let [x, y] = self.fresh();
                comprehension(&[&x, &y], and(member(maplet(&x, &y), b), not(member(ident(&x), a))))
            }
            BinaryOp::RangeRestrict => {
                let [x, y] = self.fresh();
                comprehension(&[&x, &y], and(member(maplet(&x, &y), a), member(ident(&y), b)))
            }
            BinaryOp::RangeSubtract => {
                let [x, y] = self.fresh();
                comprehension(&[&x, &y], and(member(maplet(&x, &y), a), not(member(ident(&y), b))))
            }
            _ => binary(op, a, b),
        }
    }

    fn function(&mut self, function: Builtin, mut arguments: Vec<Expr>) -> Expr {
        match function {
            Builtin::Dom => {
                let [x, y] = self.fresh();
                let inside = member(maplet(&x, &y), arguments.remove(0));
                comprehension(&[&x], quantified(Quantifier::Exists, &[&y], inside))
            }
            Builtin::Ran => {
                let [x, y] = self.fresh();
                let inside = member(maplet(&x, &y), arguments.remove(0));
                comprehension(&[&y], quantified(Quantifier::Exists, &[&x], inside))
            }
            Builtin::Id => {
                let [x, y] = self.fresh();
                let same = binary(BinaryOp::Equal, ident(&x), ident(&y));
                comprehension(&[&x, &y], and(member(ident(&x), arguments.remove(0)), same))
            }
            Builtin::Card => {
                let [x] = self.fresh();
                let one = expr_of(ExprKind::Integer("1".to_owned()));
                let condition = member(ident(&x), arguments.remove(0));
                expr_of(ExprKind::Binder(Binder::Sigma, vec![name_of(&x)], Box::new(condition), Box::new(one)))
            }
            Builtin::Pow1 => {
                let all = builtin(Builtin::Pow, arguments);
                binary(BinaryOp::Minus, all, expr_of(ExprKind::SetExtension(vec![expr_of(ExprKind::SetExtension(Vec::new()))])))
            }
            Builtin::Fin => builtin(Builtin::Pow, arguments),
            Builtin::Fin1 => builtin(Builtin::Pow1, arguments),
            _ => builtin(function, arguments),
        }
    }
}

impl Rewriter for Desugarer<'_> {
    fn expr(&mut self, expr: Expr) -> Expr {
        if self.dice.once_in(2) {
            return expr;
        }
        match expr.kind {
            ExprKind::Binary(op, a, b) => match op {
                BinaryOp::Union
                | BinaryOp::Intersection
                | BinaryOp::Override
                | BinaryOp::Compose
                | BinaryOp::DomainRestrict
                | BinaryOp::DomainSubtract
                | BinaryOp::RangeRestrict
                | BinaryOp::RangeSubtract => self.operator(op, *a, *b),
                _ => self.comparison(op, *a, *b),
            },
            ExprKind::Builtin(function, arguments) => self.function(function, arguments),
            ExprKind::Unary(UnaryOp::Inverse, relation) => {
                let [x, y] = self.fresh();
                comprehension(&[&x, &y], member(maplet(&y, &x), *relation))
            }
            ExprKind::Image(relation, set) => builtin(Builtin::Ran, vec![binary(BinaryOp::DomainRestrict, *set, *relation)]),
            ExprKind::Binder(Binder::Lambda, names, condition, value) if names.len() == 1 => {
                let [result] = self.fresh();
                let equal = binary(BinaryOp::Equal, ident(&result), *value);
                comprehension(&[&names[0].text, &result], and(*condition, equal))
            }
            ExprKind::Binder(Binder::Union, names, condition, value) => {
                let all = ExprKind::EventComprehension(names, condition, value);
                builtin(Builtin::GeneralUnion, vec![expr_of(all)])
            }
            ExprKind::Quantified(Quantifier::Forall, names, body) => match body.kind {
                ExprKind::Binary(BinaryOp::Implies, a, b) => {
                    not(expr_of(ExprKind::Quantified(Quantifier::Exists, names, Box::new(and(*a, not(*b))))))
                }
                kind => expr_of(ExprKind::Quantified(Quantifier::Forall, names, Box::new(expr_of(kind)))),
            },
            ExprKind::Sequence(items) if !items.is_empty() => {
                let pair = |(at, item)| binary(BinaryOp::Maplet, expr_of(ExprKind::Integer(format!("{}", at + 1))), item);
                expr_of(ExprKind::SetExtension(items.into_iter().enumerate().map(pair).collect()))
            }
            kind => Expr { kind, span: expr.span },
        }
    }

    fn subst(&mut self, subst: Subst) -> Subst {
        if self.dice.once_in(2) {
            return subst;
        }
        subst_of(match subst.kind {
            SubstKind::BecomesIn(targets, set) if targets.len() == 1 => {
                let [new] = self.fresh();
                let assign = subst_of(SubstKind::Assign(targets, vec![ident(&new)]));
                SubstKind::Any(vec![name_of(&new)], Box::new(member(ident(&new), *set)), Box::new(assign))
            }
            SubstKind::If(mut branches, otherwise) if branches.len() == 1 => {
                let (condition, body) = branches.remove(0);
                let otherwise = otherwise.map_or_else(|| subst_of(SubstKind::Skip), |body| *body);
                SubstKind::Select(vec![(condition.clone(), body), (not(condition), otherwise)], None)
            }
            SubstKind::Select(branches, None) => {
                let mut guarded: Vec<Subst> = branches.into_iter().map(|branch| subst_of(SubstKind::Select(vec![branch], None))).collect();
                match guarded.len() {
                    1 => guarded.remove(0).kind,
                    _ => SubstKind::Choice(guarded),
                }
            }
            SubstKind::Assign(mut targets, mut values) if targets.len() == 1 => {
                if let ExprKind::Apply(function, arguments) = &targets[0].kind
                    && arguments.len() == 1
                {
                    let pair = binary(BinaryOp::Maplet, arguments[0].clone(), values.remove(0));
                    let new = expr_of(ExprKind::SetExtension(vec![pair]));
                    let value = binary(BinaryOp::Override, (**function).clone(), new);
                    let function = (**function).clone();
                    targets = vec![function];
                    values = vec![value];
                }
                SubstKind::Assign(targets, values)
            }
            SubstKind::Assign(targets, values) => {
                let one = |(target, value)| subst_of(SubstKind::Assign(vec![target], vec![value]));
                SubstKind::Parallel(targets.into_iter().zip(values).map(one).collect())
            }
            SubstKind::Let(names, equations, body) => SubstKind::Any(names, equations, body),
            other => other,
        })
    }
}
