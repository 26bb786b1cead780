//! Types and ids of the core language.
//!
//! Invariant: a type in a finished [`Model`](super::Model) contains no unknowns; record fields are sorted by name.

use std::sync::Arc;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident($int:ty);)*) => {
        $($(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub $int);

        impl $name {
            /// The id as an index.
            #[must_use]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        })*
    };
}

ids! {
    // 16 bits, so that an element of a given set, as a run-time value, is one word.
    /// A given set: deferred, enumerated or an upper-case machine parameter; index into `Model::sets`.
    SetId(u16);
    /// Index into `Model::constants`.
    ConstantId(u32);
    /// Index into `Model::variables`.
    VariableId(u32);
    /// Index into `Model::operations`.
    OperationId(u32);
    /// A bound name; unique in the whole model (each binder makes fresh ones), below `Model::locals`.
    LocalId(u32);
}

/// A B type.
// Parts are shared: each expression carries its type, and most of them are copies of few.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Type {
    /// BOOL
    Bool,
    /// INTEGER
    Integer,
    /// STRING
    String,
    /// An element of a given set.
    Given(SetId),
    /// POW(t)
    Set(Arc<Type>),
    /// t * u
    Pair(Arc<Type>, Arc<Type>),
    /// struct(f : t, …), fields sorted by name.
    Record(Arc<[(Arc<str>, Type)]>),
    /// A free type, by its name.
    Free(Arc<FreeType>),
}

/// A free type as a part of types. The types that its constructors take are in `Model::free_types`, because they may contain it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FreeType {
    /// Its name.
    pub name: Arc<str>,
    /// The given sets that its values may contain elements of.
    pub sets: Vec<SetId>,
}

impl Type {
    /// The type of sets of `element`.
    #[must_use]
    pub fn set(element: Type) -> Self {
        Type::Set(Arc::new(element))
    }

    /// The type of pairs.
    #[must_use]
    pub fn pair(first: Type, second: Type) -> Self {
        Type::Pair(Arc::new(first), Arc::new(second))
    }

    /// The type of relations between two types.
    #[must_use]
    pub fn relation(from: Type, to: Type) -> Self {
        Type::set(Type::pair(from, to))
    }

    /// The element type of a set type.
    #[must_use]
    pub fn element(&self) -> Option<&Type> {
        match self {
            // No wildcard: a new kind of type must say here whether its values are sets.
            Type::Set(element) => Some(element),
            Type::Bool | Type::Integer | Type::String | Type::Given(_) | Type::Pair(..) | Type::Record(_) | Type::Free(_) => None,
        }
    }

    /// Whether the type mentions a given set for which `wanted` holds.
    pub fn mentions(&self, wanted: &mut dyn FnMut(SetId) -> bool) -> bool {
        match self {
            Type::Bool | Type::Integer | Type::String => false,
            Type::Given(set) => wanted(*set),
            // Collected when the type is declared: following the types of its constructors need not end.
            Type::Free(free) => free.sets.iter().any(|set| wanted(*set)),
            Type::Set(element) => element.mentions(wanted),
            Type::Pair(first, second) => first.mentions(wanted) || second.mentions(wanted),
            Type::Record(fields) => fields.iter().any(|(_, ty)| ty.mentions(wanted)),
        }
    }
}
