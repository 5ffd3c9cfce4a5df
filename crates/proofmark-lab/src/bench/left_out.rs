//! Variables of the user's own that runs do not get, and that the program seems to read: without
//! them it may be another program than the one that the user runs.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::ops::Range;
use std::path::Path;

use memchr::memmem;
use proofmark_evidence::record::{Benchmark, Warning};
use proofmark_measure::is_common;

/// What the loader and the C library read, whose names stand in no program.
const OF_THE_LOADER: [&str; 3] = ["LD_", "MALLOC_", "GLIBC_TUNABLES"];

/// Names that tell of a session, and that shells and libraries know for its sake.
const OF_SESSIONS: [&str; 33] = [
    "CARGO",
    "COLORTERM",
    "COLUMNS",
    "DISPLAY",
    "EDITOR",
    "HISTCONTROL",
    "HISTFILE",
    "HISTFILESIZE",
    "HISTIGNORE",
    "HISTSIZE",
    "HISTTIMEFORMAT",
    "LESS",
    "LESSCLOSE",
    "LESSOPEN",
    "LINES",
    "LS_COLORS",
    "MAIL",
    "MAILCHECK",
    "MAILPATH",
    "OLDPWD",
    "PAGER",
    "PS1",
    "PS2",
    "PS4",
    "PWD",
    "RUSTC",
    "RUSTDOCFLAGS",
    "RUSTFLAGS",
    "RUST_RECURSION_COUNT",
    "SHLVL",
    "TERM",
    "TERMCAP",
    "TERMINFO",
];

/// Beginnings of such names. Each ends where a word does: `HISTOGRAM_BINS` is of no session.
const FAMILIES_OF_SESSIONS: [&str; 14] = [
    "CARGO_",
    "DBUS_",
    "PROOFMARK_",
    "RUSTUP_",
    "SSH_",
    "SUDO_",
    "TERM_",
    "XDG_CURRENT_DESKTOP",
    "XDG_GREETER_",
    "XDG_MENU_PREFIX",
    "XDG_RUNTIME_DIR",
    "XDG_SEAT",
    "XDG_SESSION_",
    "XDG_VTNR",
];

/// A name that is as long as this stands in no program by chance, whatever is around it.
const LONG: usize = 6;

/// Short names that services and shells set, and no user: they stand in most machine code by chance,
/// even between zeros (a C library of 2 MB holds one in five of all names of two letters). Whoever
/// sets another name as short as that, as in `N=1000 proofmark …`, means the program.
const SHORT_OF_OTHERS: [&str; 2] = ["CI", "_"];

/// Files of these kinds are programs for whoever reads them, without a first line that says so.
const KINDS_OF_SCRIPTS: [&str; 36] = [
    "R", "awk", "bash", "cjs", "clj", "cts", "dart", "erl", "exs", "fish", "groovy", "jl", "js",
    "ksh", "kts", "lisp", "lua", "mjs", "mts", "php", "pl", "pm", "ps1", "py", "r", "raku", "rb",
    "rkt", "sc", "scm", "sed", "sh", "t", "tcl", "ts", "zsh",
];

/// Larger files are data.
const LARGEST: u64 = 128 << 20;

/// Variables that are set here, that runs do not get, and that one of these files names.
pub(crate) fn remark<'p>(
    benchmark: &Benchmark,
    files: impl Iterator<Item = &'p Path>,
) -> Option<Warning> {
    let set_for_runs = |name: &OsString| benchmark.env.iter().any(|(set, _)| set.as_ref() == name);
    let own = std::env::vars_os()
        .map(|(name, _)| name)
        .filter(|name| !is_common(name) && !set_for_runs(name))
        .filter_map(|name| name.into_string().ok())
        .filter(|name| name != "_" && !is_of_session(name));
    let (found, mut asked): (BTreeSet<String>, BTreeSet<String>) =
        own.partition(|name| begins(name, &OF_THE_LOADER));
    let mut found = found;
    for file in files {
        if asked.is_empty() {
            break;
        }
        let program = file
            .metadata()
            .is_ok_and(|about| about.is_file() && about.len() <= LARGEST);
        let text = program.then(|| fs::read(file).ok()).flatten();
        let named = named(text.as_deref().unwrap_or_default(), is_script(file), &asked);
        asked.retain(|name| !named.contains(name));
        found.extend(named);
    }
    let names: Vec<String> = found.into_iter().collect();
    (!names.is_empty()).then_some(Warning::EnvironmentLeftOut { names })
}

/// Whether a variable tells of the user's session, and no program is another one for it.
fn is_of_session(name: &str) -> bool {
    OF_SESSIONS.contains(&name) || begins(name, &FAMILIES_OF_SESSIONS)
}

fn begins(name: &str, known: &[&str]) -> bool {
    known.iter().any(|start| name.starts_with(start))
}

fn is_script(file: &Path) -> bool {
    let kind = file.extension().and_then(OsStr::to_str);
    kind.is_some_and(|kind| KINDS_OF_SCRIPTS.contains(&kind))
}

/// The names that stand in a program or a script.
fn named(text: &[u8], script: bool, names: &BTreeSet<String>) -> BTreeSet<String> {
    let code = text.starts_with(b"\x7fELF");
    if !code && !script && !text.starts_with(b"#!") {
        return BTreeSet::new();
    }
    let stands = |name: &&String| {
        let mut places = memmem::find_iter(text, name.as_bytes());
        places.any(|place| tells(text, code, place..place + name.len()))
    };
    names.iter().filter(stands).cloned().collect()
}

/// Whether a name's letters are the name where they stand.
fn tells(text: &[u8], code: bool, place: Range<usize>) -> bool {
    let before = place.start.checked_sub(1).map(|at| text[at]);
    let after = text.get(place.end).copied();
    let part_of_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let word = !before.is_some_and(part_of_name) && !after.is_some_and(part_of_name);
    if !code {
        return word;
    }
    // Programs of some languages put no end to a name.
    let alone = || word && before.is_none_or(|byte| byte == 0) && after == Some(0);
    place.len() >= LONG || alone() && !SHORT_OF_OTHERS.map(str::as_bytes).contains(&&text[place])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_where_a_program_holds_it() {
        let names = ["CI", "OPT", "MODE", "ENGINE_MODE", "UNUSED_HERE"].map(str::to_owned);
        let names = BTreeSet::from(names);
        let found = |text: &[u8]| named(text, false, &names).into_iter().collect::<Vec<_>>();
        assert_eq!(found(b"\x7fELF\0\0ENGINE_MODE\0x"), ["ENGINE_MODE"]);
        assert_eq!(found(b"\x7fELF\0fatalENGINE_MODEother\0x"), ["ENGINE_MODE"]);
        assert_eq!(found(b"#!/bin/sh\nexec prog \"$MODE\"\n"), ["MODE"]);
        assert_eq!(found(b"\x7fELF\0MODEL\0"), [""; 0]);
        assert_eq!(found(b"a letter about MODE"), [""; 0]);
    }

    #[test]
    fn a_name_that_begins_like_one_of_a_session_is_the_programs() {
        for name in [
            "HISTSIZE",
            "TERM",
            "SSH_TTY",
            "XDG_SESSION_ID",
            "CARGO_HOME",
        ] {
            assert!(is_of_session(name), "{name}");
        }
        for name in [
            "HISTOGRAM_BINS",
            "PAGERANK_ROUNDS",
            "TERMS",
            "LINES_PER_BATCH",
            "RUST_LOG",
            "RUST_MIN_STACK",
            "XDG_APP_DIR",
        ] {
            assert!(!is_of_session(name), "{name}");
        }
    }

    #[test]
    fn a_short_name_is_not_found_by_chance() {
        let names = ["CI", "OPT", "MODE"].map(str::to_owned);
        let names = BTreeSet::from(names);
        let found = |text: &[u8]| named(text, false, &names).into_iter().collect::<Vec<_>>();
        assert_eq!(found(b"\x7fELF\0OPT\0MODE\0CI\0"), ["MODE", "OPT"]);
        assert_eq!(found(b"\x7fELF\x8bOPT\xc3\0MODE\xc3\x8bCI\0"), [""; 0]);
        assert_eq!(found(b"#!/bin/sh\n[ \"$CI\" ] || $OPT"), ["CI", "OPT"]);
    }

    #[test]
    fn one_letter_is_a_name_too_where_a_user_set_it() {
        let names = ["N", "T", "K"].map(str::to_owned);
        let names = BTreeSet::from(names);
        let found = named(b"\x7fELF\0N\0NT\0\x8bT\0", false, &names);
        assert_eq!(found.into_iter().collect::<Vec<_>>(), ["N"]);
        assert!(is_script(Path::new("/a/bench.mjs")));
        assert!(is_script(Path::new("/a/bench.py")) && !is_script(Path::new("/a/letter.txt")));
        let script = b"import os\nn = int(os.environ.get('N', 1))\n";
        assert_eq!(named(script, true, &names).len(), 1);
        assert!(named(script, false, &names).is_empty());
    }
}
