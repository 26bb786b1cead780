//! The typing rule of each operator and keyword function, as data from the table of operators (`source`).
//!
//! Invariant: each has one rule; those whose types follow a pattern have a scheme, and the others a rule of their own, which `infix` and
//! `builtin` must have an arm for. Deliberately elsewhere: those arms; predicates (`predicate`).

use super::elaborate::Elaborator;
use bcheck_ir::{BinaryOp, Comparison, Expr, FunctionKind, Type, UnaryOp};
use bcheck_syntax::ast;
use std::ops::RangeInclusive;

/// Any type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Letter {
    A,
    B,
    C,
    D,
}

/// A type with letters for types that operands decide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum TypeForm {
    Letter(Letter),
    Integer,
    Set(&'static TypeForm),
    Pair(&'static TypeForm, &'static TypeForm),
}

/// The types of operands and result.
#[derive(Debug)]
pub(super) struct Scheme {
    operands: &'static [TypeForm],
    /// Two letters that are the same type, where they are elaborated one by one so that a clash names these types alone.
    same: Option<Same>,
    result: TypeForm,
}

/// Two letters that are the same type.
#[derive(Debug)]
struct Same {
    expected: Letter,
    found: Letter,
    /// The operand where a clash is reported.
    blamed: usize,
}

/// The core language's operator that a keyword function is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Function {
    Unary(UnaryOp),
    Binary(BinaryOp),
}

/// The typing rule of an infix operator.
pub(super) enum InfixRule {
    Regular(BinaryOp, &'static Scheme),
    /// Makes a predicate.
    Predicate,
    // Special rules.
    Concat,
    InsertFront,
    OfType,
    Overloaded,
    Pair,
}

/// The typing rule of a keyword function.
pub(super) enum FunctionRule {
    Regular(Function, &'static Scheme),
    /// Makes a predicate.
    Predicate,
    // Special rules.
    BoolOf,
    Closure,
    Predecessor,
    Projection,
    Successor,
}

macro_rules! form {
    ((set $element:tt)) => { TypeForm::Set(&form!($element)) };
    ((seq $element:tt)) => { form!((Integer <-> $element)) };
    (($from:tt <-> $to:tt)) => { TypeForm::Set(&form!(($from * $to))) };
    (($first:tt * $second:tt)) => { TypeForm::Pair(&form!($first), &form!($second)) };
    (Integer) => { TypeForm::Integer };
    ($letter:ident) => { TypeForm::Letter(Letter::$letter) };
}

macro_rules! place {
    (first) => {
        0
    };
    (second) => {
        1
    };
}

macro_rules! same {
    () => {
        None
    };
    ($expected:ident $found:ident $blamed:ident) => {
        Some(Same { expected: Letter::$expected, found: Letter::$found, blamed: place!($blamed) })
    };
}

macro_rules! scheme {
    ($($operand:tt),+ ; $($expected:ident $found:ident $blamed:ident)? ; $result:tt) => {
        &Scheme { operands: &[$(form!($operand)),+], same: same!($($expected $found $blamed)?), result: form!($result) }
    };
}

// The patterns have as many operands as the operators, so that a row with another number does not compile.

macro_rules! infix_rule {
    ($core:tt (predicate)) => { InfixRule::Predicate };
    ($core:tt (own $rule:ident)) => { InfixRule::$rule };
    ((binary $op:ident $($totality:tt)*)
        ($left:tt, $right:tt $(where $expected:ident = $found:ident in $blamed:ident)? => $result:tt)) => {
        InfixRule::Regular(BinaryOp::$op, scheme!($left, $right; $($expected $found $blamed)?; $result))
    };
    ((relations $kind:ident $($flag:ident)*) ($from:tt, $to:tt => $result:tt)) => {
        InfixRule::Regular(BinaryOp::Relations(FunctionKind::$kind), scheme!($from, $to;; $result))
    };
}

macro_rules! function_rule {
    ($core:tt (predicate)) => { FunctionRule::Predicate };
    ($core:tt (own $rule:ident)) => { FunctionRule::$rule };
    ((unary $op:ident $totality:ident)
        ($operand:tt $(where $expected:ident = $found:ident in $blamed:ident)? => $result:tt)) => {
        FunctionRule::Regular(Function::Unary(UnaryOp::$op), scheme!($operand; $($expected $found $blamed)?; $result))
    };
    ((binary $op:ident $totality:ident)
        ($first:tt, $second:tt $(where $expected:ident = $found:ident in $blamed:ident)? => $result:tt)) => {
        FunctionRule::Regular(Function::Binary(BinaryOp::$op), scheme!($first, $second; $($expected $found $blamed)?; $result))
    };
}

macro_rules! comparison {
    ((compare $comparison:ident)) => {
        Some(Comparison::$comparison)
    };
    ($($other:tt)*) => {
        None
    };
}

macro_rules! rules {
    ([] $({
        $token:tt
        ($(infix $infix:ident $priority:literal $associativity:ident)? $(exchanged $exchanged:ident $its_priority:literal)?
            $(constant $constant:ident)? $(call $call:ident $least:literal $most:expr)?)
        $core:tt $types:tt $words:tt
    })*) => {
        /// The typing rule of an infix operator.
        pub(super) fn infix_rule(op: ast::BinaryOp) -> InfixRule {
            match op {
                $($(ast::BinaryOp::$infix => infix_rule!($core $types),)?)*
            }
        }

        /// The typing rule of a keyword function.
        pub(super) fn function_rule(builtin: ast::Builtin) -> FunctionRule {
            match builtin {
                $($(ast::Builtin::$call => function_rule!($core $types),)?)*
            }
        }

        /// The comparison that an infix operator is, if it is one.
        pub(super) fn comparison(op: ast::BinaryOp) -> Option<Comparison> {
            match op {
                $($(ast::BinaryOp::$infix => comparison!($core),)?)*
            }
        }

        /// How many arguments a keyword function takes.
        pub(super) fn arguments(builtin: ast::Builtin) -> RangeInclusive<usize> {
            match builtin {
                $($(ast::Builtin::$call => $least..=$most,)?)*
            }
        }
    };
}
bcheck_source::operators!(rules);

/// Whether an infix operator makes a predicate; all others make expressions.
pub(super) fn makes_predicate(op: ast::BinaryOp) -> bool {
    matches!(infix_rule(op), InfixRule::Predicate)
}

impl Elaborator<'_> {
    /// Elaborates the operands of an operator by its scheme; returns them with the type of the result.
    pub(super) fn by_scheme<'a>(&mut self, scheme: &Scheme, operands: impl IntoIterator<Item = &'a ast::Expr>) -> (Vec<Expr>, Type) {
        let mark = self.diagnostics.len();
        let mut letters: [Option<Type>; 4] = Default::default();
        let mut same = scheme.same.as_ref();
        let mut elaborated: Vec<Expr> = Vec::with_capacity(scheme.operands.len());
        for (index, (form, operand)) in scheme.operands.iter().zip(operands).enumerate() {
            let mut wanted = self.instance(*form, &mut letters);
            // A slip that one operand shows is not reported again for the other one.
            if *form == TypeForm::Integer && scheme.operands[..index].contains(form) {
                wanted = self.type_unless_faulty(mark, wanted);
            }
            elaborated.push(self.demand(operand, &wanted));
            if let Some(Same { expected, found, blamed }) = same
                && let (Some(expected), Some(found)) = (&letters[*expected as usize], &letters[*found as usize])
            {
                self.unify(expected, found, elaborated[*blamed].span);
                same = None;
            }
        }
        let ty = self.instance(scheme.result, &mut letters);
        (elaborated, ty)
    }

    /// The type of a form; letters without a type yet become unknown types.
    fn instance(&mut self, form: TypeForm, letters: &mut [Option<Type>; 4]) -> Type {
        match form {
            TypeForm::Integer => Type::Integer,
            TypeForm::Set(element) => Type::set(self.instance(*element, letters)),
            TypeForm::Pair(first, second) => {
                let first = self.instance(*first, letters);
                Type::pair(first, self.instance(*second, letters))
            }
            TypeForm::Letter(letter) => letters[letter as usize].get_or_insert_with(|| self.types.fresh()).clone(),
        }
    }
}
