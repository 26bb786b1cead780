//! The operators, keyword functions and binders of the syntax tree.
//!
//! Invariant: one variant for each sign or keyword of the text, even where types decide its meaning (`-`, `*`). Deliberately
//! elsewhere: their rows (`operators` of `source`), spellings (`token`), priorities (`priority`), numbers of arguments (`keyword`),
//! meaning (`sema`).

macro_rules! operators {
    ([] $({
        $token:tt
        ($(infix $infix:ident $priority:literal $associativity:ident)? $(exchanged $exchanged:ident $its_priority:literal)?
            $(constant $constant:ident)? $(call $call:ident $least:literal $most:expr)?)
        $core:tt $types:tt ($form:literal, $meaning:literal, $example:literal)
    })*) => {
        /// Keywords that are themselves a value or predicate; for those that are functions too, the function.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Constant {
            $($(#[doc = $meaning] $constant,)?)*
        }

        /// Infix operators of expressions and predicates.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum BinaryOp {
            $($(#[doc = concat!("`", $form, "`: ", $meaning)] $infix,)?)*
        }

        /// Keyword functions. How many arguments each takes is in the table of `keyword`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Builtin {
            $($(#[doc = concat!("`", $form, "`: ", $meaning)] $call,)?)*
        }
    };
}
bcheck_source::operators!(operators);

/// Prefix and postfix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-x`
    Negate,
    /// `r~`
    Inverse,
}

/// Quantifiers that make predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "self-explanatory")]
pub enum Quantifier {
    Forall,
    Exists,
}

/// Binders that make expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each variant is the keyword of the same name")]
pub enum Binder {
    Lambda,
    Union,
    Inter,
    Sigma,
    Pi,
}
