//! The environment of a measured program: the same set for every arm, and one padding variable of
//! drawn length.

use std::ffi::{OsStr, OsString};

/// The name of the variable whose length is drawn for each run.
pub const PADDING: &str = "PROOFMARK_PADDING";

/// What a program commonly cannot do without or goes by, taken from the caller as it is there, or
/// is not: where programs and the user's files are, where libraries are when the user has said so,
/// language and time zone (with a `TZ` of its own a C library looks into fewer files), and what
/// turns on the reports of every Rust program. Everything else (sessions, agents, terminals,
/// colours) differs from login to login and is left out.
const PASSED: &[&str] = &[
    "HOME",
    "LANG",
    "LANGUAGE",
    "LC_ADDRESS",
    "LC_ALL",
    "LC_COLLATE",
    "LC_CTYPE",
    "LC_IDENTIFICATION",
    "LC_MEASUREMENT",
    "LC_MESSAGES",
    "LC_MONETARY",
    "LC_NAME",
    "LC_NUMERIC",
    "LC_PAPER",
    "LC_TELEPHONE",
    "LC_TIME",
    "LD_LIBRARY_PATH",
    "LOGNAME",
    "PATH",
    "RUST_BACKTRACE",
    "RUST_LIB_BACKTRACE",
    "SHELL",
    "TMPDIR",
    "TZ",
    "USER",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_DIRS",
    "XDG_CONFIG_HOME",
    "XDG_DATA_DIRS",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
];

/// The complete environment of a run: a short list from the caller's own, then `set` (which wins),
/// then [`PADDING`] with a value of `padding` bytes, 0..=4096 being
/// sensible. Sorted by name, so that it depends on nothing else.
///
/// The environment lies at the top of the stack, so that its size moves every stack frame:
/// Mytkowicz et al., "Producing wrong data without doing anything obviously wrong!", ASPLOS 2009.
#[must_use]
pub fn environment(set: &[(OsString, OsString)], padding: usize) -> Vec<(OsString, OsString)> {
    assemble(&|name| std::env::var_os(name), set, padding)
}

/// Whether a variable of the caller's is passed on.
#[must_use]
pub fn is_common(name: &OsStr) -> bool {
    PASSED.iter().any(|known| name == *known)
}

fn assemble(
    own: &dyn Fn(&OsStr) -> Option<OsString>,
    set: &[(OsString, OsString)],
    padding: usize,
) -> Vec<(OsString, OsString)> {
    let mut all = std::collections::BTreeMap::new();
    for name in PASSED {
        if let Some(value) = own(OsStr::new(name)) {
            all.insert(OsString::from(name), value);
        }
    }
    all.extend(set.iter().cloned());
    all.insert(PADDING.into(), "x".repeat(padding).into());
    all.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(name: &OsStr) -> Option<OsString> {
        match name.to_str() {
            Some("PATH") => Some("/usr/bin".into()),
            Some("TZ") => Some("Europe/Oslo".into()),
            Some("SSH_AUTH_SOCK") => Some("/tmp/agent".into()),
            _ => None,
        }
    }

    fn names(environment: &[(OsString, OsString)]) -> Vec<&str> {
        environment
            .iter()
            .map(|(name, _)| name.to_str().unwrap())
            .collect()
    }

    #[test]
    fn only_the_short_list_passes() {
        assert_eq!(
            names(&assemble(&own, &[], 0)),
            ["PATH", "PROOFMARK_PADDING", "TZ"]
        );
    }

    #[test]
    fn what_the_user_sets_wins() {
        let set = [
            (OsString::from("TZ"), OsString::from("Asia/Tokyo")),
            (OsString::from("A"), OsString::from("1")),
        ];
        let environment = assemble(&own, &set, 0);
        assert!(environment.contains(&("TZ".into(), "Asia/Tokyo".into())));
        assert!(environment.contains(&("A".into(), "1".into())));
        assert_eq!(
            names(&environment)
                .iter()
                .filter(|name| **name == "TZ")
                .count(),
            1
        );
    }

    #[test]
    fn padding_changes_the_size_by_as_many_bytes() {
        let size = |padding| {
            assemble(&own, &[], padding)
                .iter()
                .map(|(name, value)| name.len() + value.len())
                .sum::<usize>()
        };
        assert_eq!(size(4000) - size(0), 4000);
    }
}
