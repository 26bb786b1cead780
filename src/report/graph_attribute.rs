//! The attributes of GraphML for the value of a constant or variable, with their types, so that tools can filter and colour by them.
//!
//! Invariant: readers of a type accept its texts; a number beyond 64 bits, which no type of GraphML can represent, is omitted there (the
//! text of the whole state has it). Deliberately elsewhere: the other attributes (`graph`).

use bcheck_ir::{Model, Type};

/// A type of GraphML.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum AttributeType {
    /// BOOL.
    Boolean,
    /// INTEGER.
    Long,
    /// All other types.
    #[default]
    String,
}

impl AttributeType {
    /// The types for the constants and variables of a machine, in declaration order.
    pub(crate) fn all_of(model: &Model) -> Vec<Self> {
        let of_type = |ty: &Type| match ty {
            Type::Bool => Self::Boolean,
            Type::Integer => Self::Long,
            _ => Self::String,
        };
        model.constants.values().chain(model.variables.values()).map(|declaration| of_type(&declaration.ty)).collect()
    }

    /// The type with this word.
    pub(crate) fn of_word(word: &str) -> Self {
        [Self::Boolean, Self::Long].into_iter().find(|ty| ty.word() == word).unwrap_or_default()
    }

    /// The word for it in GraphML.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Boolean => "boolean",
            Self::Long => "long",
            Self::String => "string",
        }
    }

    /// The text of a value in this type, from its text in B.
    pub(crate) fn text(self, value: &str) -> Option<&str> {
        match (self, value) {
            (Self::Boolean, "TRUE") => Some("true"),
            (Self::Boolean, "FALSE") => Some("false"),
            (Self::Boolean, _) => None,
            (Self::Long, digits) => digits.parse::<i64>().is_ok().then_some(digits),
            (Self::String, text) => Some(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_one_of_the_type() {
        assert_eq!(AttributeType::Boolean.text("TRUE"), Some("true"));
        assert_eq!(AttributeType::Long.text("-3"), Some("-3"));
        assert_eq!(AttributeType::Long.text("9223372036854775808"), None);
        assert_eq!(AttributeType::String.text("{1}"), Some("{1}"));
        for ty in [AttributeType::Boolean, AttributeType::Long, AttributeType::String] {
            assert_eq!(AttributeType::of_word(ty.word()), ty);
        }
    }
}
