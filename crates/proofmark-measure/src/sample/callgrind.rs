//! Instructions of each function by callgrind, where the kernel's clock may not be used.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use super::{Elsewhere, Place, Profile, Sampler};
use crate::count::find;
use crate::counters::run_spending;
use crate::valgrind::APART;
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
    args.extend(APART.map(OsString::from));
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

    /// `before` is done once, before the program forks, and `after` by both processes.
    #[test]
    fn what_was_done_before_a_fork_counts_once() {
        if find("valgrind").is_none() || find("cc").is_none() {
            assert!(
                std::env::var_os("PROOFMARK_TESTS_REQUIRE_TOOLS").is_none(),
                "needs valgrind and cc"
            );
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let (source, program) = (folder.path().join("a.c"), folder.path().join("a"));
        let text = "#include <unistd.h>\n#include <sys/wait.h>\n\
            __attribute__((noinline)) void before(int n) { for (volatile int i = 0; i < n; i++) {} }\n\
            __attribute__((noinline)) void after(int n) { for (volatile int i = 0; i < n; i++) {} }\n\
            int main(void) { before(300000); int child = fork(); after(300000);\n\
            if (child) wait(0); return 0; }\n";
        std::fs::write(&source, text).unwrap();
        let mut compiler = std::process::Command::new("cc");
        let compiled = compiler.args(["-O1", "-o"]).arg(&program).arg(&source);
        assert!(compiled.status().unwrap().success());
        let launch = Launch::new(program.clone(), std::time::Duration::from_secs(60));
        let profile = sample(&launch, &program, &Interrupt::new()).unwrap();
        let of = |name: &str| profile.places[&Place::Symbol(name.to_owned())] as f64;
        let ratio = of("after") / of("before");
        assert!((ratio - 2.0).abs() < 0.01, "{ratio}: {profile:?}");
    }

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
