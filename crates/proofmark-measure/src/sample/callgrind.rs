//! Instructions of each function by callgrind, where the kernel's clock may not be used.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use super::{Elsewhere, Place, Profile, Sampler};
use crate::count::find;
use crate::counters::run_spending;
use crate::{End, Interrupt, Launch, Spent, Unavailable};

pub(super) fn sample(
    launch: &Launch,
    program: &Path,
    stop: &Interrupt,
) -> Result<Profile, Unavailable> {
    let valgrind = find("valgrind").ok_or(Unavailable::NotInstalled {
        tool: "valgrind",
        package: "valgrind",
    })?;
    let folder =
        tempfile::tempdir().map_err(Unavailable::failed("cannot make a folder for callgrind"))?;
    let mut option = OsString::from("--callgrind-out-file=");
    option.push(folder.path().join("%p"));
    let options = [
        "--tool=callgrind",
        "--compress-strings=no",
        "--demangle=no",
        "--separate-recs=1",
        "--trace-children=yes",
    ];
    let mut args: Vec<OsString> = options.into_iter().map(OsString::from).collect();
    args.extend([option, launch.program.clone().into_os_string()]);
    args.extend(launch.args.iter().cloned());
    let run = Launch {
        program: valgrind,
        argv0: "valgrind".into(),
        args,
        ..launch.clone()
    };
    let (end, spent) = run_spending(&run, stop, &mut || {})?;
    let mut profile = nothing(end, spent);
    let unread = || Unavailable::failed("cannot read what callgrind wrote");
    for entry in std::fs::read_dir(folder.path()).map_err(unread())? {
        let text = std::fs::read(entry.map_err(unread())?.path()).map_err(unread())?;
        take(&String::from_utf8_lossy(&text), program, &mut profile);
    }
    if profile.total == 0 {
        return Err(Unavailable::Failed {
            what: "callgrind could not run the program",
            message: format!("{end:?}"),
        });
    }
    match end {
        End::Signalled(signal) => Err(Unavailable::Failed {
            what: "callgrind could not run the program",
            message: format!("ended by signal {signal}"),
        }),
        _ => Ok(profile),
    }
}

/// A profile without a cost.
fn nothing(end: End, spent: Spent) -> Profile {
    Profile {
        by: Sampler::Callgrind,
        end,
        spent,
        total: 0,
        places: BTreeMap::new(),
        elsewhere: BTreeMap::new(),
    }
}

/// Takes the costs of one file of callgrind (its manual, chapter "Callgrind Format Specification"):
/// lines `ob=` and `fn=` name what follows, `calls=` is followed by what the callee cost, and a
/// line that begins with a number or a sign is a position and a cost.
fn take(text: &str, program: &Path, profile: &mut Profile) {
    let (mut own, mut symbol, mut of_callee) = (false, None, false);
    let mut elsewhere = Elsewhere::Unknown;
    for line in text.lines() {
        if let Some(object) = line.strip_prefix("ob=") {
            own = Path::new(object) == program;
            elsewhere = match object {
                "" | "???" => Elsewhere::Unknown,
                file => Elsewhere::File(file.to_owned()),
            };
        } else if let Some(name) = line.strip_prefix("fn=") {
            // A function that calls itself has a number behind an apostrophe.
            symbol = Some(name.split('\'').next().unwrap_or(name).to_owned());
        } else if line.starts_with("calls=") {
            of_callee = true;
        } else if line.starts_with(|first: char| first.is_ascii_digit() || "+-*".contains(first)) {
            let cost = line.split_whitespace().nth(1);
            let cost: u64 = cost.and_then(|cost| cost.parse().ok()).unwrap_or(0);
            if !std::mem::take(&mut of_callee) {
                profile.total += cost;
                let to = match symbol.as_ref().filter(|_| own) {
                    Some(symbol) => profile
                        .places
                        .entry(Place::Symbol(symbol.clone()))
                        .or_default(),
                    None => profile.elsewhere.entry(elsewhere.clone()).or_default(),
                };
                *to += cost;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_those_of_each_function_itself() {
        let text = "version: 1\npositions: line\nevents: Ir\n\nob=/x/app\nfl=a.c\nfn=main\n3 10\n+1 5\n\
            cob=/lib/libc.so\ncfn=puts\ncalls=1 0\n5 900\n* 2\n\nfn=step'2\n9 40\n\nob=/lib/libc.so\nfn=puts\n0 900\n\ntotals: 957\n";
        let mut profile = nothing(End::Exited(0), Spent::default());
        take(text, Path::new("/x/app"), &mut profile);
        assert_eq!(profile.total, 957);
        let own: Vec<(Place, u64)> = profile.places.into_iter().collect();
        let symbol = |name: &str| Place::Symbol(name.to_owned());
        assert_eq!(own, [(symbol("main"), 17), (symbol("step"), 40)]);
        let libc = Elsewhere::File("/lib/libc.so".to_owned());
        assert_eq!(profile.elsewhere, BTreeMap::from([(libc, 900)]));
    }
}
