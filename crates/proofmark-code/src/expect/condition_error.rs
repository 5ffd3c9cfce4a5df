//! Why a condition cannot be read.

/// Why a condition cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConditionError {
    /// It has no form that is known.
    #[error(
        "'{0}' is no condition; write one like 'indirect_jumps >= 300', 'calls_to(\"malloc\") == 0', 'needs(\"avx2\")', 'exists' or 'inlined'"
    )]
    Shape(String),
    /// A word that is no fact and no name of the file.
    #[error("'{word}' is no fact and no name under [let]{}", hint(near))]
    Word {
        /// The word.
        word: String,
        /// The most similar fact.
        near: Option<&'static str>,
    },
    /// A number that is none.
    #[error("'{0}' is no whole number from 0 to 2^64-1")]
    Number(String),
    /// A callee that cannot be looked for.
    #[error("calls_to: {0}")]
    Callee(String),
    /// A vector extension that is not known.
    #[error("'{0}' is no vector extension; docs/expectations.md lists them")]
    Extension(String),
    /// A condition that says nothing about any function.
    #[error("'{0}' says nothing about the function: name a fact on one side")]
    Constant(String),
}

fn hint(near: &Option<&'static str>) -> String {
    near.map_or_else(String::new, |n| format!("; did you mean '{n}'?"))
}
