//! One more compilation of what clang compiled: whether it is made, and with which arguments.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Stdio};

use proofmark_layout::InputKind;
use proofmark_terms::Digest;

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

/// What is compiled once more.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Again {
    /// With function sections.
    Second,
    /// Just so: the first object was gone or another one before anybody saw it, and is known by
    /// what the same compilation gives.
    First,
}

/// What the second compilations run with: what the build runs with.
#[derive(Clone)]
pub(super) struct Variables {
    pub set: Vec<(OsString, OsString)>,
    pub unset: Vec<OsString>,
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

/// Compiles once more. Gives the hash of the object; a second one is in the session's store then.
pub(super) fn compile(
    session: &Session,
    variables: &Variables,
    compilation: &Compilation,
    again: Again,
) -> Result<Digest, String> {
    let failed = || "its second compilation failed".to_owned();
    let object = session.second_file("o");
    let made = made(variables, compilation, again, &object);
    let keep = || match again {
        Again::Second => session.keep(&object, Mode::Data),
        Again::First => hash_file(&object),
    };
    let kept = made.then(|| keep().map_err(|error| error.to_string()));
    let _ = fs::remove_file(&object);
    kept.unwrap_or_else(|| Err(failed()))
}

/// Whether one more compilation made an object. clang does not note a first word that chose it
/// among the drivers of one program (`zig clang …`, where zig is called clang); there it is tried
/// last.
fn made(variables: &Variables, compilation: &Compilation, again: Again, object: &Path) -> bool {
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
            .envs(variables.set.iter().cloned())
            .env_remove("CCC_OVERRIDE_OPTIONS")
            .env_remove("DEPENDENCIES_OUTPUT")
            .env_remove("SUNPRO_DEPENDENCIES")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        for name in &variables.unset {
            command.env_remove(name);
        }
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
    arguments.extend((again == Again::Second).then(|| FUNCTION_SECTIONS.into()));
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
        let wanted = "-xc a.c -O2 -c -dumpdir a- --target=x86_64-pc-linux-gnu -Qunused-arguments -ffunction-sections -c -o /s/x.o";
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
            let found = made(&variables, &noted, Again::Second, &object);
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
