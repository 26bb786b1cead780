//! Free types: `T = a, b(S)` of the clause FREETYPES, their constructors, and the inverses of constructors.
//!
//! A constructor with an argument is a function: applied, it makes a value; its inverse is applied to take one apart; by itself
//! it is a lambda. Invariant: a constructor takes all values of a type, so none of its calls is ill-defined.
//! Deliberately elsewhere: how values of free types are built and looked into (`eval::external`).

use super::elaborate::Elaborator;
use super::infer::node;
use super::names::Meaning;
use bcheck_ir::{
    BinaryOp, Binder, Comparison, Expr, ExprKind, ExternalFunction, FreeType, FreeTypeDeclaration, FunctionKind, IntegerSet, Pred,
    PredKind, SetId, Type, UnaryOp,
};
use bcheck_source::{Code, Diagnostic, Span};
use bcheck_syntax::ast;
use std::collections::BTreeSet;
use std::sync::Arc;

impl Elaborator<'_> {
    /// Declares a free type and its constructors; [`Self::complete_free_types`] finds the types of their arguments.
    pub(super) fn declare_free_type(&mut self, free: &ast::FreeType, scope: usize, names: &mut Vec<(ast::Name, Meaning)>) {
        let name = &free.name;
        if let Some(first) = self.free_types.get(&name.text) {
            self.diagnostics.push(super::names::duplicate(&name.text, name.span, first.span));
            return;
        }
        let index = self.free_types.len();
        names.push((name.clone(), Meaning::FreeType(index)));
        for (case, (constructor, _)) in free.cases.iter().enumerate() {
            names.push((constructor.clone(), Meaning::Constructor(index, case)));
        }
        // The types of arguments are open: they may mention sets and free types that are declared after this one.
        let cases = free.cases.iter().map(|(constructor, _)| (Arc::from(constructor.text.as_str()), None)).collect();
        self.free_types.insert(name.text.clone(), FreeTypeDeclaration { ty: free_type(&name.text, Vec::new()), cases, span: name.span });
        self.free_type_scopes.push(scope);
    }

    /// Finds the types of the arguments of all constructors. The names of all machines are declared by now.
    pub(super) fn complete_free_types<'t>(&mut self, texts: impl Iterator<Item = &'t ast::FreeType>) {
        let texts: Vec<&ast::FreeType> = texts.collect();
        if texts.is_empty() {
            return;
        }
        // A free type contains the given sets that its values may contain. Free types may contain each other, so each gets the sets that
        // any of them mentions, an upper bound of the least fixed point, which one round with empty lists finds. The second round repeats
        // the diagnostics of the first, so those are removed.
        let before = self.diagnostics.len();
        self.free_type_round(&texts);
        let mut sets: BTreeSet<SetId> = BTreeSet::new();
        for argument in self.free_types.values().flat_map(|free| &free.cases).filter_map(|(_, argument)| argument.as_ref()) {
            argument.mentions(&mut |set| {
                sets.insert(set);
                false
            });
        }
        if !sets.is_empty() {
            self.diagnostics.truncate(before);
            let sets: Vec<SetId> = sets.into_iter().collect();
            self.free_types.iter_mut().for_each(|(name, free)| free.ty = free_type(name, sets.clone()));
            self.free_type_round(&texts);
        }
    }

    /// Elaborates the arguments of all constructors, given the free types known so far.
    fn free_type_round(&mut self, texts: &[&ast::FreeType]) {
        for text in texts {
            let Some(index) = self.free_types.get_index_of(&text.name.text) else { continue };
            // Names in a constructor's type have their meaning in the text that declares it, not in the one that includes it.
            let outer = self.names.enter(self.free_type_scopes[index]);
            let mut arguments = Vec::new();
            for (_, argument) in &text.cases {
                arguments.push(argument.as_ref().map(|argument| self.constructor_argument(argument)));
            }
            self.names.enter(outer);
            let cases = &mut self.free_types[index].cases;
            for ((_, known), argument) in cases.iter_mut().zip(arguments) {
                *known = argument;
            }
        }
    }

    /// The type of the argument of a constructor.
    fn constructor_argument(&mut self, argument: &ast::Expr) -> Type {
        let (set, element) = self.set(argument);
        // `A * B` is a product only once its operands are known to be sets.
        self.resolve_overloads();
        let ty = self.types.resolve(&element);
        // Where the type is unknown there is another error already.
        if !is_type(&set, &ty) && !super::types::has_unknown(&ty) {
            let shown = self.show(&ty);
            self.report(
                Diagnostic::error(Code::NotSupportedEver, argument.span, "a constructor of a free type takes a type only")
                    .label("a part of a type")
                    .help(format!("write {shown}, and say the rest where values are chosen")),
            );
        }
        ty
    }

    /// The set of all values of a free type.
    pub(super) fn free_type(&self, index: usize, span: Span) -> Expr {
        type_set(&self.free_types[index].ty, span)
    }

    /// The free type and the position of the constructor that an expression names.
    pub(super) fn named_constructor(&self, expr: &ast::Expr) -> Option<(usize, usize)> {
        let ast::ExprKind::Ident(name) = &expr.kind else { return None };
        match self.names.lookup(name) {
            Some(Meaning::Constructor(free, case)) => Some((free, case)),
            _ => None,
        }
    }

    /// A constructor by itself: a value, or the function that makes values.
    pub(super) fn constructor(&mut self, free: usize, case: usize, span: Span) -> Expr {
        let ty = self.free_types[free].ty.clone();
        let Some(argument) = self.free_types[free].cases[case].1.clone() else {
            return self.of_constructor(ExternalFunction::Construct, (free, case), None, ty, span);
        };
        // A lambda, which may stay symbolic: the type of the argument may be infinite.
        let id = self.fresh_local("x", argument.clone(), span);
        let local = || node(ExprKind::Local(id), argument.clone(), span);
        let pred = Self::comparison(Comparison::Member, local(), type_set(&argument, span), span);
        let body = self.of_constructor(ExternalFunction::Construct, (free, case), Some(local()), ty.clone(), span);
        let kind =
            ExprKind::Binder { binder: Binder::Lambda, locals: vec![(id, argument.clone())], pred: Box::new(pred), body: Box::new(body) };
        node(kind, Type::relation(argument.clone(), ty), span)
    }

    /// The inverse of a constructor by itself: the function from the values that it makes to their arguments.
    pub(super) fn destructor(&mut self, free: usize, case: usize, span: Span) -> Expr {
        let ty = self.free_types[free].ty.clone();
        let Some(argument) = self.free_types[free].cases[case].1.clone() else { return self.takes_nothing(free, case, span) };
        // The condition guards the body: only of a value that this constructor makes is there an argument.
        let (id, pred) = self.is_made(free, case, span);
        let local = node(ExprKind::Local(id), ty.clone(), span);
        let body = self.of_constructor(ExternalFunction::Argument, (free, case), Some(local), argument.clone(), span);
        let kind = ExprKind::Binder { binder: Binder::Lambda, locals: vec![(id, ty.clone())], pred: Box::new(pred), body: Box::new(body) };
        node(kind, Type::relation(ty, argument), span)
    }

    /// The range of a constructor: the values that it makes.
    pub(super) fn made_by(&mut self, free: usize, case: usize, span: Span) -> Expr {
        let ty = self.free_types[free].ty.clone();
        if self.free_types[free].cases[case].1.is_none() {
            return self.takes_nothing(free, case, span);
        }
        let (id, pred) = self.is_made(free, case, span);
        node(ExprKind::Comprehension { locals: vec![(id, ty.clone())], pred: Box::new(pred), value: None }, Type::set(ty), span)
    }

    /// `f(x)` where f is a constructor or the inverse of one.
    pub(super) fn free_type_call(&mut self, function: &ast::Expr, arguments: &[ast::Expr], span: Span) -> Option<Expr> {
        if let Some((free, case)) = self.named_constructor(function) {
            let argument = self.tuple(arguments)?;
            let Some(ty) = self.free_types[free].cases[case].1.clone() else { return Some(self.takes_nothing(free, case, function.span)) };
            self.unify(&ty, &argument.ty, argument.span);
            let made = self.free_types[free].ty.clone();
            return Some(self.of_constructor(ExternalFunction::Construct, (free, case), Some(argument), made, span));
        }
        let ast::ExprKind::Unary(ast::UnaryOp::Inverse, inner) = &function.kind else { return None };
        let (free, case) = self.named_constructor(inner)?;
        let argument = self.tuple(arguments)?;
        let Some(ty) = self.free_types[free].cases[case].1.clone() else { return Some(self.takes_nothing(free, case, inner.span)) };
        let made = self.free_types[free].ty.clone();
        self.unify(&made, &argument.ty, argument.span);
        Some(self.of_constructor(ExternalFunction::Argument, (free, case), Some(argument), ty, span))
    }

    /// A new local, and the predicate that it is a value made by a constructor.
    fn is_made(&mut self, free: usize, case: usize, span: Span) -> (bcheck_ir::LocalId, Pred) {
        let ty = self.free_types[free].ty.clone();
        let id = self.fresh_local("x", ty.clone(), span);
        let local = || node(ExprKind::Local(id), ty.clone(), span);
        let typed = Self::comparison(Comparison::Member, local(), type_set(&ty, span), span);
        let made = self.of_constructor(ExternalFunction::IsMade, (free, case), Some(local()), Type::Bool, span);
        let test = Self::comparison(Comparison::Equal, made, node(ExprKind::Bool(true), Type::Bool, span), span);
        (id, Pred { kind: PredKind::And(vec![typed, test]), span })
    }

    /// A function of free types, which takes the constructor by name as its first argument.
    fn of_constructor(&self, function: ExternalFunction, at: (usize, usize), operand: Option<Expr>, ty: Type, span: Span) -> Expr {
        let name = node(ExprKind::String(self.free_types[at.0].cases[at.1].0.clone()), Type::String, span);
        node(ExprKind::External(function, [name].into_iter().chain(operand).collect()), ty, span)
    }

    fn takes_nothing(&mut self, free: usize, case: usize, span: Span) -> Expr {
        let name = self.free_types[free].cases[case].0.clone();
        self.refuse(
            Diagnostic::error(Code::NotAFunction, span, format!("the constructor `{name}` takes nothing"))
                .label("this is a value")
                .help(format!("compare with `= {name}` to ask for it")),
        )
    }
}

fn free_type(name: &str, sets: Vec<SetId>) -> Type {
    Type::Free(Arc::new(FreeType { name: Arc::from(name), sets }))
}

fn type_set(ty: &Type, span: Span) -> Expr {
    node(ExprKind::TypeSet, Type::set(ty.clone()), span)
}

/// Whether a set, by its form, contains all values of its type. Constructors accept such sets only: then a call needs no test of
/// membership.
fn is_type(set: &Expr, ty: &Type) -> bool {
    match (&set.kind, ty) {
        (
            ExprKind::GivenSet(_) | ExprKind::BoolSet | ExprKind::StringSet | ExprKind::TypeSet | ExprKind::IntegerSet(IntegerSet::Integer),
            _,
        ) => true,
        (ExprKind::Unary(UnaryOp::Pow, inner), Type::Set(element)) => is_type(inner, element),
        (ExprKind::Binary(BinaryOp::Multiply | BinaryOp::Product, left, right), Type::Pair(first, second)) => {
            is_type(left, first) && is_type(right, second)
        }
        (ExprKind::Binary(BinaryOp::Relations(FunctionKind::Relations), left, right), Type::Set(pairs)) => {
            matches!(&**pairs, Type::Pair(first, second) if is_type(left, first) && is_type(right, second))
        }
        (ExprKind::Struct(fields), Type::Record(types)) => fields.iter().zip(types.iter()).all(|((_, set), (_, ty))| is_type(set, ty)),
        _ => false,
    }
}
