//! What a test is known by.

use std::fmt;
use std::sync::Arc;

/// The suites that a test stands in, the outermost one first.
pub(crate) type Suites = Arc<[Arc<str>]>;

/// A test's name. Its parts stay apart: `a` + `b::c` is another test than `a::b` + `c`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct TestName {
    /// Empty where it is known without them, as [`crate::aligned`] says.
    pub(crate) suites: Suites,
    /// The class of it, where the format has classes.
    pub(crate) class: Option<String>,
    /// What stands behind its own name; it counts as its suites do.
    pub(crate) remark: Option<String>,
    /// Its own name.
    pub(crate) name: String,
    /// Which one of those with the same name it is, from 1.
    pub(crate) number: usize,
}

impl TestName {
    /// Of a format that has no classes.
    pub(crate) fn of(suites: &Suites, name: impl Into<String>) -> Self {
        TestName {
            suites: Arc::clone(suites),
            class: None,
            remark: None,
            name: name.into(),
            number: 1,
        }
    }

    /// Without its suites and the remark.
    pub(crate) fn short(&self) -> Self {
        TestName {
            suites: Suites::default(),
            remark: None,
            ..self.clone()
        }
    }
}

impl fmt::Display for TestName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for suite in self.suites.iter() {
            write!(formatter, "{suite} > ")?;
        }
        if let Some(class) = &self.class {
            write!(formatter, "{class}::")?;
        }
        formatter.write_str(&self.name)?;
        if let Some(remark) = &self.remark {
            write!(formatter, " # {remark}")?;
        }
        if self.number > 1 {
            write!(formatter, " #{}", self.number)?;
        }
        Ok(())
    }
}
