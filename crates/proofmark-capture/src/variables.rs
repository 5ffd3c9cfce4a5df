//! The environment that a build runs in, before the capture adds to it.

use std::env;
use std::ffi::{OsStr, OsString};

/// What a request sets, over what this process has.
pub(crate) struct Variables<'a> {
    set: &'a [(OsString, OsString)],
}

impl<'a> Variables<'a> {
    pub(crate) fn of(set: &'a [(OsString, OsString)]) -> Variables<'a> {
        Variables { set }
    }

    /// Only what this process has.
    pub(crate) fn of_this_process() -> Variables<'static> {
        Variables { set: &[] }
    }

    pub(crate) fn get(&self, name: &str) -> Option<OsString> {
        let set = self.set.iter().rfind(|(known, _)| known == name);
        set.map(|(_, value)| value.clone())
            .or_else(|| env::var_os(name))
    }

    pub(crate) fn set(&self) -> impl Iterator<Item = &'a OsStr> {
        self.set.iter().map(|(_, value)| value.as_os_str())
    }
}
