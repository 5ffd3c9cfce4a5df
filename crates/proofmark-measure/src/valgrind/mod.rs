//! A run under a tool of valgrind, and what the tool wrote. Such a run is not timed.

mod hide_debug;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::instrument::{CgroupUse, Instrument, InstrumentOptions};
use crate::{Binding, End, Interrupt, Launch, Outcome, Unavailable};

/// A tool, and how it is asked.
pub(crate) struct Tool {
    /// `--tool=…` and the rest.
    pub(crate) options: Vec<String>,
    /// The option that names the file for what it counts, `--…-out-file=`.
    pub(crate) output: &'static str,
    /// Whether that file is wanted.
    pub(crate) wanted: bool,
}

/// Callgrind writes down what it counted where a process forks, and begins anew. Otherwise the new
/// process would count once more what the old one did before.
pub(crate) const APART: [&str; 2] = ["--dump-before=fork*", "--dump-before=_Fork*"];

/// What came of a run.
pub(crate) struct Ran {
    outcome: Outcome,
    /// What valgrind says of each process.
    pub(crate) logs: Vec<String>,
    /// What the tool counted in each process.
    pub(crate) counted: Vec<String>,
    /// Where the program lay.
    pub(crate) image: PathBuf,
    /// Whether it ran without its debug information.
    pub(crate) without_debug: bool,
}

/// Runs a program under a tool, and gives what `read` makes of it. Where valgrind cannot read the
/// debug information (3.19 gives up on the DWARF 5 of some compilers), the program runs once more
/// without it.
///
/// A program may be another one there: one with AddressSanitizer gives up before it begins, and has
/// executed hardly anything. So two ordinary runs come first, and what they agree on has to come
/// out under the tool too.
pub(crate) fn run<T>(
    launch: &Launch,
    tool: &Tool,
    stop: &Interrupt,
    read: impl Fn(&Ran) -> Result<T, Unavailable>,
) -> Result<T, Unavailable> {
    let valgrind = find("valgrind").ok_or(Unavailable::NotInstalled {
        tool: "valgrind",
        package: "valgrind",
    })?;
    let options = InstrumentOptions {
        stop: stop.clone(),
        cgroup: CgroupUse::Never,
        ..InstrumentOptions::default()
    };
    let instrument = Instrument::new(options)?;
    let folder =
        tempfile::tempdir().map_err(Unavailable::failed("cannot make a folder for valgrind"))?;
    let image = std::path::absolute(&launch.program)
        .map_err(Unavailable::failed("cannot resolve the program's path"))?;
    let ordinary = ordinary_runs(&instrument, launch, &image)?;
    let attempt = Attempt {
        instrument: &instrument,
        valgrind: &valgrind,
        tool,
    };
    let first = attempt.ran(launch, &image, &folder.path().join("1"))?;
    let result = first.judge(launch, &ordinary).and_then(|()| read(&first));
    if result.is_ok() || !first.complains_of_debug() {
        return result;
    }
    let second = attempt.without_debug(launch, &image, folder.path())?;
    second.judge(launch, &ordinary)?;
    read(&second)
}

/// Two runs without a tool, under the name that the program has with one.
fn ordinary_runs(
    instrument: &Instrument,
    launch: &Launch,
    image: &Path,
) -> Result<[Outcome; 2], Unavailable> {
    let launch = Launch {
        argv0: image.into(),
        ..launch.clone()
    };
    Ok([instrument.run(&launch)?, instrument.run(&launch)?])
}

/// How a program is run.
struct Attempt<'a> {
    instrument: &'a Instrument,
    valgrind: &'a Path,
    tool: &'a Tool,
}

impl Attempt<'_> {
    fn ran(&self, launch: &Launch, image: &Path, folder: &Path) -> Result<Ran, Unavailable> {
        let (logs, counted) = (folder.join("logs"), folder.join("counted"));
        for folder in [&logs, &counted] {
            std::fs::create_dir_all(folder)
                .map_err(Unavailable::failed("cannot make a folder for valgrind"))?;
        }
        let option = |name: &str, file: PathBuf| {
            let mut option = OsString::from(name);
            option.push(file);
            option
        };
        let output = if self.tool.wanted {
            counted.join("%p")
        } else {
            PathBuf::from("/dev/null")
        };
        let mut args: Vec<OsString> = self.tool.options.iter().map(OsString::from).collect();
        args.extend([
            "--trace-children=yes".into(),
            option(self.tool.output, output),
            option("--log-file=", logs.join("%p")),
            image.into(),
        ]);
        args.extend(launch.args.iter().cloned());
        let run = Launch {
            program: self.valgrind.to_owned(),
            argv0: "valgrind".into(),
            args,
            ..launch.clone()
        };
        let outcome = self.instrument.run(&run)?;
        let unread = || Unavailable::failed("cannot read what valgrind wrote");
        Ok(Ran {
            outcome,
            logs: read_all(&logs).map_err(unread())?,
            counted: read_all(&counted).map_err(unread())?,
            image: image.to_owned(),
            without_debug: false,
        })
    }

    fn without_debug(
        &self,
        launch: &Launch,
        image: &Path,
        folder: &Path,
    ) -> Result<Ran, Unavailable> {
        let copy = folder.join("image");
        let own = launch.view.as_ref().map_or(image, |view| view.file(image));
        hide_debug::copy(own, &copy).map_err(Unavailable::failed(
            "cannot copy the image without its debug information",
        ))?;
        let results = folder.join("2");
        let ran = match &launch.view {
            None => self.ran(launch, &copy, &results)?,
            Some(view) => {
                // At its own place all the same.
                let binding = Binding {
                    file: copy,
                    at: image.to_owned(),
                };
                let launch = Launch {
                    view: Some(Arc::new(view.with(binding)?)),
                    ..launch.clone()
                };
                self.ran(&launch, image, &results)?
            }
        };
        Ok(Ran {
            without_debug: true,
            ..ran
        })
    }
}

impl Ran {
    fn complains_of_debug(&self) -> bool {
        let logs = self.logs.iter();
        logs.map(|log| log.to_lowercase())
            .any(|log| log.contains("debuginfo"))
    }

    /// Whether the program came to its end, and did what it does without the tool.
    fn judge(&self, launch: &Launch, ordinary: &[Outcome; 2]) -> Result<(), Unavailable> {
        let code = match self.outcome.end {
            End::TimedOut => return Err(Unavailable::TimedOut(launch.timeout)),
            End::Signalled(signal) => return Err(failed(format!("ended by signal {signal}"))),
            End::Exited(code) => code,
        };
        let [one, other] = ordinary;
        let otherwise = |message: String| Unavailable::Failed {
            what: "the program does something else under valgrind",
            message,
        };
        if one.end == other.end && one.end != self.outcome.end {
            let said = self.reason();
            return Err(otherwise(format!("it exits with {code} ({said})")));
        }
        let prints = [one, other, &self.outcome].map(|run| run.stdout.digest);
        if prints[0] == prints[1] && prints[0] != prints[2] {
            return Err(otherwise("it prints something else".to_owned()));
        }
        Ok(())
    }

    /// Whether a process forked and went on with the same program.
    pub(crate) fn forked(&self) -> bool {
        forked(&self.logs)
    }

    /// There is no count, for the reason that valgrind says itself.
    pub(crate) fn no_count(&self) -> Unavailable {
        failed(self.reason())
    }

    fn reason(&self) -> String {
        reason(&self.logs, &self.outcome.stderr.text())
    }
}

/// Whether one of these logs is of a process that runs what its parent does. Each says, in lines
/// that begin with the process's number, what it runs and who its parent is.
fn forked(logs: &[String]) -> bool {
    let after = |log: &str, words: &str| {
        let (_, rest) = log.lines().find_map(|line| line.split_once(words))?;
        Some(rest.to_owned())
    };
    let runs = |log: &String| {
        let number = log.strip_prefix("==")?.split("==").next()?.to_owned();
        Some((number, after(log, "== Command: ")?))
    };
    let known: Vec<(String, String)> = logs.iter().filter_map(runs).collect();
    logs.iter().any(|log| {
        let parent = after(log, "== Parent PID: ");
        let same = parent.zip(after(log, "== Command: "));
        same.is_some_and(|same| known.contains(&same))
    })
}

fn failed(message: String) -> Unavailable {
    Unavailable::Failed {
        what: "valgrind could not run the program",
        message,
    }
}

/// Why there is no count, as valgrind says it itself: in its log, or beside what the program says
/// where it could not begin. It warns of this machine's caches in each log.
fn reason(logs: &[String], stderr: &str) -> String {
    let lines = || logs.iter().rev().flat_map(|log| log.lines().rev());
    let own = |line: &&str| line.starts_with("valgrind: ");
    let mark = |letter: char| "= ".contains(letter) || letter.is_ascii_digit();
    let telling =
        |line: &&str| !line.trim_matches(mark).is_empty() && !line.contains("-- warning: ");
    lines()
        .chain(stderr.lines())
        .find(own)
        .or_else(|| lines().find(telling))
        .unwrap_or(stderr.trim())
        .to_owned()
}

fn read_all(folder: &Path) -> std::io::Result<Vec<String>> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    paths.sort();
    paths
        .iter()
        .map(|path| std::fs::read(path).map(|text| String::from_utf8_lossy(&text).into_owned()))
        .collect()
}

/// A program on the caller's `PATH`.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| crate::look_at(file).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_runs_what_its_parent_does_forked() {
        let log = |process: u32, command: &str, parent: u32| {
            format!(
                "=={process}== Cachegrind\n=={process}== Command: {command}\n=={process}== Parent PID: {parent}\n"
            )
        };
        let first = log(7, "./a x", 3);
        assert!(!forked(&[]) && !forked(std::slice::from_ref(&first)));
        assert!(!forked(&[first.clone(), log(8, "./b x", 7)]));
        assert!(!forked(&[first.clone(), log(8, "./a x", 5)]));
        assert!(forked(&[first.clone(), log(8, "./a x", 7)]));
        assert!(forked(&[first, log(8, "./b", 7), log(9, "./b", 8)]));
    }

    #[test]
    fn the_reason_is_not_what_every_log_begins_with() {
        let log = "==1== Cachegrind\n==1== \n--1-- warning: simulated LL cache: line_size 64\n";
        let logs = [log.to_owned()];
        let cannot = "valgrind: You cannot run './p' directly.";
        assert_eq!(reason(&logs, &format!("mine\n{cannot}\nmore\n")), cannot);
        assert_eq!(reason(&logs, "mine\n"), "==1== Cachegrind");
        assert_eq!(reason(&[], "mine\n"), "mine");
        let both = [log.to_owned(), format!("{cannot}\n==2== \n")];
        assert_eq!(reason(&both, ""), cannot);
    }
}
