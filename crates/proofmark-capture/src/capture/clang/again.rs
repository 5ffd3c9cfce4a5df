//! One more compilation of what clang compiled: whether it is made, and with which arguments.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use proofmark_layout::InputKind;
use proofmark_terms::Digest;

use super::environment::Environment;
use super::inputs::Inputs;
use super::job::{Again, First, Job};
use super::notes::Compilation;
use crate::link::inputs::kind_of;
use crate::objects::{Mode, hash_file};
use crate::probes::is_probe;
use crate::sections::{self, FUNCTION_SECTIONS};
use crate::session::Session;

/// Options of a compilation that makes no object of machine code, or leaves that to others.
const NO_CODE: [&str; 7] = [
    "-E",
    "-S",
    "-M",
    "-MM",
    "-fsyntax-only",
    "-emit-llvm",
    "--precompile",
];

/// Options with which a second compilation would be another one, or write over the first one's
/// files.
const IMPOSSIBLE: [(&str, &str); 9] = [
    ("-ftest-coverage", "it is instrumented for coverage"),
    ("-fcoverage-mapping", "it is instrumented for coverage"),
    ("--coverage", "it is instrumented for coverage"),
    ("-fprofile-arcs", "it is instrumented for a profile"),
    ("-fprofile-generate", "it is instrumented for a profile"),
    (
        "-fprofile-instr-generate",
        "it is instrumented for a profile",
    ),
    ("-fcs-profile-generate", "it is instrumented for a profile"),
    ("-fplugin=", "a plugin takes part in the compilation"),
    ("-fmodules", "it reads or writes modules"),
];

/// Options that write a file beside the object.
const ASIDE: [&str; 5] = [
    "-save-temps",
    "--save-temps",
    "-ftime-trace",
    "-fsave-optimization-record",
    "-fstack-usage",
];

/// Of times that file systems keep: the longest tick of a kernel's clock.
const TICK: Duration = Duration::from_millis(10);

/// What the second compilations run with: what the build runs with.
#[derive(Clone)]
pub(super) struct Variables {
    pub set: Vec<(OsString, OsString)>,
    pub unset: Vec<OsString>,
}

impl Variables {
    /// Gives a compilation what the first one had, or else what the whole build has.
    fn give(&self, first: Option<&Environment>, command: &mut Command) {
        if let Some(Environment(all)) = first {
            command.env_clear().envs(all.iter().cloned());
            return;
        }
        command
            .envs(self.set.iter().cloned())
            .env_remove("CCC_OVERRIDE_OPTIONS")
            .env_remove("DEPENDENCIES_OUTPUT")
            .env_remove("SUNPRO_DEPENDENCIES");
        for name in &self.unset {
            command.env_remove(name);
        }
    }
}

/// Whether a compilation is made a second time.
pub(super) enum Plan {
    Wanted,
    Unwanted,
    Impossible(&'static str),
}

pub(super) fn plan(compilation: &Compilation) -> Plan {
    let arguments = &compilation.origin.flags;
    let ends = |path: &Path, ends: &[&str]| {
        let end = path.extension().unwrap_or_default();
        ends.iter().any(|one| end == *one)
    };
    let source = compilation
        .origin
        .source
        .as_deref()
        .unwrap_or(Path::new(""));
    let begins = |start: &str| {
        let mut all = arguments.iter();
        all.any(|argument| argument.as_bytes().starts_with(start.as_bytes()))
    };
    let no_code = arguments
        .iter()
        .any(|argument| NO_CODE.iter().any(|option| argument == option));
    let header = begins("-xc-header") || begins("-xc++-header") || begins("-xassembler");
    if no_code
        || header
        || sections::asked_for(arguments)
        || sections::left_to_link(arguments)
        || ends(source, &["s", "S", "sx"])
        || ends(&compilation.output, &["s", "gch", "pch", "i", "ii", "bc"])
        || is_probe(source)
        || is_probe(&compilation.output)
    {
        return Plan::Unwanted;
    }
    if source.file_name() == Some(OsStr::new("-")) {
        return Plan::Impossible("its source came through a pipe");
    }
    let impossible = IMPOSSIBLE.iter().find(|(start, _)| begins(start));
    impossible.map_or(Plan::Wanted, |(_, why)| Plan::Impossible(why))
}

/// What one more compilation came to.
pub(super) enum Made {
    /// The second object, in the session's store, or why there is none. It stands for the object
    /// that the build made, or for one of this hash.
    Second(Result<(Digest, StandsFor), String>),
    /// The hash of an object as the build makes it.
    First(Option<Digest>),
}

/// The first object of a second one.
pub(super) enum StandsFor {
    /// The compilation saw what the first one saw.
    TheBuilds,
    /// It may have seen something else. So what was seen was compiled without sections too, and
    /// gave this.
    ObjectOf(Digest, Doubt),
}

/// Why a second compilation may be another one.
pub(super) enum Doubt {
    /// Nobody saw what the first one ran with.
    Environment,
    /// This file was changed since.
    Changed(PathBuf),
    /// What it reads cannot be told.
    Unlisted,
}

impl Doubt {
    /// Why the second object is of no use.
    pub(super) fn why(&self) -> String {
        match self {
            Doubt::Environment => "the variables that clang ran with were not seen, and with the \
                                   capture's own it compiles to another object"
                .to_owned(),
            Doubt::Changed(file) => format!(
                "{} was changed after it was compiled, before its second compilation",
                file.display()
            ),
            Doubt::Unlisted => {
                "compiled a second time it is another object, and what it reads is not known"
                    .to_owned()
            }
        }
    }
}

/// Compiles once more.
pub(super) fn compile(session: &Session, variables: &Variables, job: &Job) -> Made {
    match job.again {
        Again::First => Made::First(first(session, variables, job)),
        Again::Second => Made::Second(second(session, variables, job)),
    }
}

/// The hash of what the compilation gives without sections.
fn first(session: &Session, variables: &Variables, job: &Job) -> Option<Digest> {
    let object = session.second_file("o");
    let hash = made(variables, job, Again::First, &object).then(|| hash_file(&object).ok());
    let _ = fs::remove_file(&object);
    hash.flatten()
}

fn second(
    session: &Session,
    variables: &Variables,
    job: &Job,
) -> Result<(Digest, StandsFor), String> {
    let (object, started) = (session.second_file("o"), SystemTime::now() - TICK);
    let made = made(variables, job, Again::Second, &object);
    let kept = made.then(|| session.keep(&object, Mode::Data));
    let list = list_of(&object);
    let inputs = Inputs::read(&list, &job.compilation);
    for file in [&object, &list] {
        let _ = fs::remove_file(file);
    }
    let kept = kept.ok_or("its second compilation failed")?;
    let kept = kept.map_err(|error| error.to_string())?;
    let Some(doubt) = doubt(&job.first, inputs.as_ref()) else {
        return Ok((kept, StandsFor::TheBuilds));
    };
    let failed = || "its second compilation failed".to_owned();
    let own = first(session, variables, job).ok_or_else(failed)?;
    match inputs.as_ref().and_then(|all| all.changed_since(started)) {
        Some(file) => Err(Doubt::Changed(file.to_path_buf()).why()),
        None => Ok((kept, StandsFor::ObjectOf(own, doubt))),
    }
}

/// Why a second compilation that read this may be another one than the first.
fn doubt(first: &First, inputs: Option<&Inputs>) -> Option<Doubt> {
    let Some(inputs) = inputs else {
        return Some(Doubt::Unlisted);
    };
    // Where it is not told when the first one began, all of it may have been changed.
    let began = first.began.unwrap_or(SystemTime::UNIX_EPOCH);
    let changed = inputs.changed_since(began);
    changed
        .map(|file| Doubt::Changed(file.to_path_buf()))
        .or_else(|| first.environment.is_none().then_some(Doubt::Environment))
}

/// Where clang lists what it read for an object.
fn list_of(object: &Path) -> PathBuf {
    object.with_extension("d")
}

/// Whether one more compilation made an object. clang does not note a first word that chose it
/// among the drivers of one program (`zig clang …`, where zig is called clang); there it is tried
/// last.
fn made(variables: &Variables, job: &Job, again: Again, object: &Path) -> bool {
    let compilation = &job.compilation;
    let Some(compiler) = &compilation.origin.compiler else {
        return false;
    };
    let chosen = compiler.file_name().filter(|name| *name == "clang");
    let ways = std::iter::once(None).chain(chosen.map(Some));
    ways.into_iter().any(|first| {
        let mut command = Command::new(compiler);
        command
            .args(first)
            .args(arguments(compilation, again, object))
            .current_dir(&compilation.directory)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        variables.give(job.first.environment.as_ref(), &mut command);
        command.status().is_ok_and(|status| status.success())
            && fs::read(object).is_ok_and(|data| kind_of(&data) == InputKind::Object)
    })
}

/// The arguments of one more compilation.
fn arguments(compilation: &Compilation, again: Again, object: &Path) -> Vec<OsString> {
    let mut arguments = Vec::new();
    let mut rest = compilation.origin.flags.iter();
    while let Some(argument) = rest.next() {
        let aside = |start: &str| argument.as_bytes().starts_with(start.as_bytes());
        if argument == "-o" {
            rest.next();
        } else if !ASIDE.iter().any(|start| aside(start)) {
            arguments.push(argument.clone());
        }
    }
    arguments.push("-Qunused-arguments".into());
    if again == Again::Second {
        arguments.push(FUNCTION_SECTIONS.into());
        arguments.extend(Inputs::options(&list_of(object)));
    }
    arguments.extend(["-c".into(), "-o".into()]);
    arguments.push(object.into());
    arguments
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::super::notes::noted;
    use super::*;

    fn compilation(arguments: &str, output: &str) -> Compilation {
        let words = arguments.split(' ').map(|word| format!("\"{word}\""));
        let words: Vec<String> = words.collect();
        let line = format!(
            "{{ \"directory\": \"/b\", \"file\": \"a.c\", \"output\": \"{output}\", \"arguments\": [{}]}},\n",
            words.join(", ")
        );
        noted(line.as_bytes(), false).remove(0)
    }

    #[test]
    fn the_second_compilation_is_the_first_with_sections_and_another_output() {
        let noted = compilation(
            "/l/clang -xc a.c -o a.o -O2 -c -ftime-trace=x -dumpdir a- \
             --target=x86_64-pc-linux-gnu",
            "a.o",
        );
        let arguments = arguments(&noted, Again::Second, Path::new("/s/x.o"));
        let wanted = "-xc a.c -O2 -c -dumpdir a- --target=x86_64-pc-linux-gnu -Qunused-arguments -ffunction-sections -MD -MP -MF /s/x.d -c -o /s/x.o";
        assert_eq!(arguments, wanted.split(' ').collect::<Vec<_>>());
        assert!(matches!(plan(&noted), Plan::Wanted));
    }

    #[test]
    fn a_clang_that_its_first_word_chooses_compiles_again() {
        let Ok(Ok(object)) = std::env::current_exe().map(fs::read) else {
            return;
        };
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        // The header of any ELF file, made that of an object without sections.
        let mut object = object[..64].to_vec();
        object[16] = 1;
        object[32..48].fill(0);
        object[56..64].fill(0);
        fs::write(path("made.o"), object).unwrap();
        let script = format!(
            "#!/bin/sh\n[ \"$1\" = clang ] || exit 1\nfor last; do :; done\ncp {} \"$last\"\n",
            path("made.o").display()
        );
        for (name, makes) in [("clang", true), ("other", false)] {
            let compiler = path(name);
            fs::write(&compiler, &script).unwrap();
            fs::set_permissions(&compiler, fs::Permissions::from_mode(0o755)).unwrap();
            let mut noted = compilation(&format!("{} -O2 -c a.c", compiler.display()), "a.o");
            noted.directory = folder.path().to_path_buf();
            let (set, unset) = (Vec::new(), Vec::new());
            let variables = Variables { set, unset };
            let object = path("second.o");
            let job = Job {
                number: 0,
                again: Again::Second,
                compilation: noted,
                first: First::default(),
            };
            let found = made(&variables, &job, Again::Second, &object);
            assert_eq!(found, makes, "{name}");
        }
    }

    #[test]
    fn what_makes_no_code_or_another_one_each_time_is_compiled_once() {
        for (arguments, output) in [
            ("clang -flto -c", "a.o"),
            ("clang -S", "a.s"),
            ("clang -ffunction-sections -c", "a.o"),
            ("clang -c", "conftest.o"),
        ] {
            assert!(
                matches!(plan(&compilation(arguments, output)), Plan::Unwanted),
                "{arguments}"
            );
        }
        assert!(matches!(
            plan(&compilation("clang --coverage -c", "a.o")),
            Plan::Impossible(_)
        ));
        assert!(matches!(
            plan(&compilation("clang -flto -fno-lto -c", "a.o")),
            Plan::Wanted
        ));
    }
}
