//! Before a compiler's driver: asks the same driver, with the same words, which files a compilation
//! reads and where it looks for them.
//!
//! One more pass of the preprocessor for each source. The build's own lists of dependencies stay as
//! they are, and the failed look-ups, which no compiler tells, follow from the folders that it
//! searches.
//!
//! A driver may be one of several in a program, chosen by its first words (`zig clang`): in front of
//! all stands how many words the driver is.

use std::collections::BTreeSet;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use proofmark_layout::LinkerKind;
use proofmark_terms::OsText;
use serde::{Deserialize, Serialize};

use super::call::{Call, READS};
use super::{once, run};
use crate::link::dependencies;
use crate::link::quoted::split_response;
use crate::programs::FLAGS_FILE;

/// How the names of notes begin.
const NOTE: &str = "note-";

/// Makes an empty folder one in which the wrappers of compilers leave what compilations read.
/// `program` is the one that acts as the shims ([`crate::shim_main`]). Returns what a wrapper starts
/// in front of how many words the compiler's driver is, the driver, and its words.
///
/// # Errors
/// When there is no such program, or the folder cannot be written to.
pub fn prepare(folder: &Path, program: &Path) -> io::Result<PathBuf> {
    let started = folder.join(READS);
    std::os::unix::fs::symlink(program.canonicalize()?, &started)?;
    fs::write(folder.join(FLAGS_FILE), "")?;
    Ok(started)
}

/// What was left in a folder, in no order.
///
/// # Errors
/// When the folder or a note cannot be read.
pub fn notes(folder: &Path) -> io::Result<Vec<Note>> {
    let mut notes = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().as_bytes().starts_with(NOTE.as_bytes()) {
            notes.push(serde_json::from_slice(&fs::read(entry.path())?)?);
        }
    }
    Ok(notes)
}

/// What one compilation reads.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Note {
    /// Where the driver was started.
    pub cwd: OsText,
    /// As the driver was given it.
    pub source: OsText,
    /// As the compiler names them; a name that leads to nothing was looked for and not found.
    pub files: Vec<OsText>,
    /// The folders that are searched, in their order.
    pub search: Vec<OsText>,
    /// Folders that would be searched if they were there.
    pub nowhere: Vec<OsText>,
    /// Files that the driver's words may name, whatever for: profiles, plug-ins, scripts of the
    /// linker, files of specifications.
    pub named: Vec<OsText>,
    /// Why nothing is known.
    pub failed: Option<String>,
    /// The driver's words where it links; the source is the driver itself then.
    pub linked: Option<Vec<OsText>>,
    /// Where the driver's words say that profiles lie: files, or folders of them.
    pub profiles: Vec<OsText>,
}

/// Options whose value is the next word.
const WITH_VALUE: [&str; 35] = [
    "--embed-dir",
    "-o",
    "-I",
    "-D",
    "-U",
    "-L",
    "-l",
    "-T",
    "-u",
    "-z",
    "-e",
    "-B",
    "-x",
    "-A",
    "-G",
    "-include",
    "-imacros",
    "-include-pch",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-isysroot",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-imultilib",
    "-target",
    "-arch",
    "-Xclang",
    "-Xlinker",
    "-Xpreprocessor",
    "-Xassembler",
    "-mllvm",
    "--param",
    "-aux-info",
];

/// Options that name what is written, with their values joined.
const WRITTEN: [&str; 9] = [
    "-o",
    "-MF",
    "-MJ",
    "-Map",
    "--Map",
    "-fdump",
    "-ftime-trace",
    "-save-temps",
    "--dependency-file",
];

/// Of these the next word says what is to be done with dependencies.
const DEPENDENCIES: [&str; 4] = ["-MF", "-MT", "-MQ", "-MJ"];

/// What is preprocessed, by its ending.
const SOURCES: [&str; 20] = [
    "c", "C", "cc", "cp", "cpp", "CPP", "cxx", "c++", "m", "M", "mm", "S", "sx", "h", "H", "hh",
    "hp", "hpp", "hxx", "h++",
];

/// Options by which a profile is used.
const PROFILES: [&str; 4] = [
    "-fprofile-use=",
    "-fprofile-instr-use=",
    "-fprofile-sample-use=",
    "-fauto-profile=",
];

/// Options that name a folder in which `#embed` looks.
const EMBEDS: [&str; 2] = ["--embed-dir", "-embed-dir"];

pub(super) fn act(call: &Call) -> ExitCode {
    let Some((driver, words)) = split(&call.arguments) else {
        return run::not_found(OsStr::new(READS), false);
    };
    let [program, first @ ..] = driver else {
        return run::not_found(OsStr::new(READS), false);
    };
    let meant = Meant::of(words);
    if meant.links || !meant.responses.is_empty() || !meant.named.is_empty() {
        let mut note = Note::of(program);
        note.named = meant.named.iter().cloned().map(OsText::from).collect();
        note.profiles = meant.profiles.iter().cloned().map(OsText::from).collect();
        note.linked = meant.links.then(|| {
            let words = expanded(words, 0, &mut Vec::new());
            words.into_iter().map(OsText::from).collect()
        });
        meant.note(&mut note, &call.folder);
    }
    for (at, source) in meant.sources.iter().enumerate() {
        meant.note(
            &mut meant.asked(driver, at, source, &call.folder),
            &call.folder,
        );
    }
    for source in &meant.assembly {
        let mut note = Note::of(source);
        note.files = vec![source.clone().into()];
        note.search.extend(meant.searched_besides());
        meant.note(&mut note, &call.folder);
    }
    run::become_tool(Path::new(program), &[first, words].concat())
}

/// The words that are the driver, one at least, and those that it is given.
fn split(arguments: &[OsString]) -> Option<(&[OsString], &[OsString])> {
    let (count, all) = arguments.split_first()?;
    let count = count.to_str()?.parse().ok().filter(|count| *count > 0)?;
    all.split_at_checked(count)
}

/// A driver's words, as far as they are about preprocessing.
struct Meant {
    /// All but the sources, the output and the stage.
    options: Vec<OsString>,
    sources: Vec<OsString>,
    /// Files of words.
    responses: Vec<OsString>,
    /// Names of files outside of the folder that words may mean.
    named: BTreeSet<PathBuf>,
    /// Assembly that is not preprocessed.
    assembly: Vec<OsString>,
    /// Folders that `#embed` looks in before all others.
    embeds: Vec<PathBuf>,
    /// Folders that the assembler looks in.
    includes: Vec<PathBuf>,
    profiles: Vec<PathBuf>,
    /// No word stops it before the link.
    links: bool,
    /// It reads what can be read only once.
    pipe: bool,
}

impl Meant {
    fn of(words: &[OsString]) -> Meant {
        let mut meant = Meant {
            options: Vec::new(),
            sources: Vec::new(),
            responses: Vec::new(),
            named: BTreeSet::new(),
            assembly: Vec::new(),
            embeds: Vec::new(),
            includes: Vec::new(),
            profiles: Vec::new(),
            links: true,
            pipe: false,
        };
        let mut language = false;
        let words = expanded(words, 0, &mut meant.responses);
        meant.pipe = once::any(&words);
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            let text = word.to_string_lossy();
            meant.profiles.extend(value_in(word, &PROFILES));
            meant.embeds.extend(value_in(word, &EMBEDS));
            meant.includes.extend(value_in(word, &["-I"]));
            if let Some(of_assembler) = word.as_bytes().strip_prefix(b"-Wa,") {
                let parts = of_assembler
                    .split(|byte| *byte == b',')
                    .map(OsStr::from_bytes);
                meant.includes.extend(values(parts, "-I"));
            }
            if DEPENDENCIES.contains(&&*text) || text == "-o" {
                rest.next();
            } else if WITH_VALUE.contains(&&*text) {
                let value = rest.next();
                meant
                    .named
                    .extend(value.into_iter().flat_map(|value| names_in(value)));
                match (&*text, value) {
                    ("-I", Some(value)) => meant.includes.push(value.into()),
                    ("--embed-dir", Some(value)) => meant.embeds.push(value.into()),
                    _ => {}
                }
                if text == "-x" {
                    language = value.is_some_and(|value| value != "none" && value != "assembler");
                }
                meant.options.push(word.clone());
                meant.options.extend(value.cloned());
            } else if text.starts_with('-') && text != "-" {
                meant.named.extend(names_in(word));
                meant.links &= !stops_early(&text);
                if !is_of_the_stage(&text) {
                    meant.options.push(word.clone());
                }
            } else if language || text == "-" || is_source(word) {
                meant.sources.push(word.clone());
            } else if Path::new(word)
                .extension()
                .is_some_and(|ending| ending == "s")
            {
                meant.assembly.push(word.clone());
                meant.named.extend(names_in(word));
            } else {
                meant.named.extend(names_in(word));
            }
        }
        meant
    }

    /// Writes a note down. What is not written is missing at the end, and said then.
    fn note(&self, note: &mut Note, folder: &Path) {
        note.files
            .extend(self.responses.iter().map(|file| OsText::from(file.clone())));
        let Ok(text) = serde_json::to_vec(note) else {
            return;
        };
        let _ = tempfile::Builder::new()
            .prefix(NOTE)
            .tempfile_in(folder)
            .and_then(|file| {
                fs::write(file.path(), text)?;
                file.keep().map_err(|error| error.error)
            });
    }

    /// Where assembly is looked for, be it a file of its own or inside of another language.
    fn searched_besides(&self) -> impl Iterator<Item = OsText> + '_ {
        self.includes.iter().cloned().map(OsText::from)
    }

    /// Asks the driver about one source.
    fn asked(&self, driver: &[OsString], at: usize, source: &OsStr, folder: &Path) -> Note {
        let mut note = Note::of(source);
        if source == "-" {
            note.failed = Some("it is read from standard input".to_owned());
            return note;
        }
        if self.pipe {
            note.failed = Some("it reads a pipe, which can be read only once".to_owned());
            return note;
        }
        let list = folder.join(format!("list-{}-{at}", std::process::id()));
        let [program, first @ ..] = driver else {
            return note;
        };
        let asked = Command::new(program)
            .args(first)
            .args(&self.options)
            .args(["-w", "-v", "-M", "-MP", "-MG", "-MT", "x", "-MF"])
            .arg(&list)
            .arg(source)
            .env_remove(crate::session::SESSION)
            .env_remove("COMPILER_PATH")
            .env_remove("CCC_OVERRIDE_OPTIONS")
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .output();
        let told = fs::read(&list).unwrap_or_default();
        let _ = fs::remove_file(&list);
        match asked {
            Ok(output) => {
                note.searched(&output.stderr);
                let embeds = self.embeds.iter().cloned().map(OsText::from);
                note.search.splice(0..0, embeds);
                note.search.extend(self.searched_besides());
                note.files = dependencies::files(&told, LinkerKind::Lld)
                    .into_iter()
                    .chain([PathBuf::from(source)])
                    .map(OsText::from)
                    .collect();
                if !output.status.success() {
                    let said = String::from_utf8_lossy(&output.stderr).into_owned();
                    let error = said.lines().find(|line| line.contains("error"));
                    note.failed = Some(error.unwrap_or("the compiler fails").trim().to_owned());
                }
            }
            Err(error) => note.failed = Some(error.to_string()),
        }
        note
    }
}

impl Note {
    fn of(source: &OsStr) -> Note {
        Note {
            cwd: env::current_dir().unwrap_or_default().into(),
            source: source.into(),
            files: Vec::new(),
            search: Vec::new(),
            nowhere: Vec::new(),
            named: Vec::new(),
            failed: None,
            linked: None,
            profiles: Vec::new(),
        }
    }

    /// The folders that are searched, as `-v` lists them.
    fn searched(&mut self, said: &[u8]) {
        let mut listing = false;
        for line in said.split(|byte| *byte == b'\n') {
            if line.starts_with(b"#include ") && line.ends_with(b"search starts here:") {
                listing = true;
            } else if line.starts_with(b"End of search list.") {
                listing = false;
            } else if let Some(name) = line
                .strip_prefix(b"ignoring nonexistent directory \"")
                .and_then(|rest| rest.strip_suffix(b"\""))
            {
                self.nowhere.push(OsStr::from_bytes(name).into());
            } else if listing && let Some(name) = line.strip_prefix(b" ") {
                self.search.push(OsStr::from_bytes(name).into());
            }
        }
    }
}

/// The value of one of these options, which is joined to it.
fn value_in(word: &OsStr, options: &[&str]) -> Option<PathBuf> {
    let value = options
        .iter()
        .find_map(|option| word.as_bytes().strip_prefix(option.as_bytes()))?;
    let value = value.strip_prefix(b"=").unwrap_or(value);
    (!value.is_empty()).then(|| PathBuf::from(OsStr::from_bytes(value)))
}

/// The values of an option among these words, joined to it or behind it.
fn values<'a>(words: impl Iterator<Item = &'a OsStr>, option: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut words = words;
    while let Some(word) = words.next() {
        if word == option {
            found.extend(words.next().map(PathBuf::from));
        } else {
            found.extend(value_in(word, &[option]));
        }
    }
    found
}

/// Response files in the place of their names, also of those that are passed on to the assembler
/// and the linker.
fn expanded(words: &[OsString], depth: u32, responses: &mut Vec<OsString>) -> Vec<OsString> {
    const DEEPEST: u32 = 8;
    let mut all = Vec::new();
    for word in words {
        let file = word.as_bytes().strip_prefix(b"@").map(OsStr::from_bytes);
        let file = file.filter(|file| depth < DEEPEST && !once::is_read_once(Path::new(file)));
        match file.map(fs::read) {
            Some(Ok(text)) => {
                responses.extend(file.map(OsStr::to_owned));
                all.extend(expanded(&split_response(&text), depth + 1, responses));
            }
            _ => {
                all.push(word.clone());
                for behind in ["-Wl,", "-Wa,"] {
                    let Some(parts) = word.as_bytes().strip_prefix(behind.as_bytes()) else {
                        continue;
                    };
                    let parts = parts.split(|byte| *byte == b',');
                    let passed = parts.filter(|part| part.starts_with(b"@"));
                    let passed: Vec<OsString> = passed
                        .map(|part| OsStr::from_bytes(part).to_owned())
                        .collect();
                    // Words that are no file's name stay as they are.
                    let inside = expanded(&passed, depth + 1, responses);
                    let inside = inside.iter().filter(|word| !passed.contains(word));
                    all.extend(inside.map(|word| {
                        let mut whole = OsString::from(behind);
                        whole.push(word);
                        whole
                    }));
                }
            }
        }
    }
    all
}

/// Names of files in a word, as far as they lead out of the folder that the driver was started in:
/// `-T/x.ld`, `-fprofile-use=../x`, `-Wl,--script=/x`.
fn names_in(word: &OsStr) -> Vec<PathBuf> {
    let parts = word.as_bytes().split(|byte| *byte == b',');
    let mut names = Vec::new();
    for part in parts {
        if WRITTEN
            .iter()
            .any(|start| part.starts_with(start.as_bytes()))
        {
            continue;
        }
        let value = part.iter().position(|byte| *byte == b'=');
        let value = value.and_then(|at| part.get(at + 1..));
        let leads = |text: &&[u8]| text.starts_with(b"/") || text.starts_with(b"../");
        let name = match value {
            None if part.starts_with(b"-") => {
                let joined = (0..part.len()).filter_map(|at| part.get(at..));
                joined.into_iter().find(leads)
            }
            value => Some(value.unwrap_or(part)).filter(leads),
        };
        names.extend(name.map(|name| PathBuf::from(OsStr::from_bytes(name))));
    }
    names
}

fn is_source(word: &OsStr) -> bool {
    let ending = Path::new(word).extension();
    ending.is_some_and(|ending| SOURCES.iter().any(|known| ending == *known))
}

/// Options after which nothing is linked.
fn stops_early(word: &str) -> bool {
    let alone = [
        "-c",
        "-S",
        "-E",
        "-M",
        "-MM",
        "-###",
        "-fsyntax-only",
        "--version",
        "-v",
    ];
    let asks = ["-print-", "--print-", "-dump"];
    alone.contains(&word) || asks.iter().any(|start| word.starts_with(start))
}

/// Options that say how far to compile, or what to write beside.
fn is_of_the_stage(word: &str) -> bool {
    let alone = [
        "-c",
        "-S",
        "-E",
        "-M",
        "-MM",
        "-MD",
        "-MMD",
        "-MP",
        "-MG",
        "-P",
        "-###",
        "-H",
        "-fsyntax-only",
        "-save-temps",
        "-dM",
        "-dD",
        "-dN",
        "-dI",
        "-dU",
    ];
    let joined = ["-o", "-MF", "-MT", "-MQ", "-MJ", "-Wp,-M", "-save-temps="];
    alone.contains(&word) || joined.iter().any(|start| word.starts_with(start))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn meant(words: &[&str]) -> (Vec<String>, Vec<String>) {
        let words: Vec<OsString> = words.iter().map(Into::into).collect();
        let meant = Meant::of(&words);
        let text = |words: Vec<OsString>| {
            let words = words.into_iter();
            words.map(|word| word.into_string().unwrap()).collect()
        };
        (text(meant.options), text(meant.sources))
    }

    #[test]
    fn what_is_preprocessed_is_told_from_options_and_objects() {
        let (options, sources) = meant(&[
            "-O2",
            "-I",
            "inc.c",
            "-MD",
            "-MF",
            "x.d",
            "-c",
            "-o",
            "a.o",
            "a.c",
            "b.o",
            "-lm",
            "-include",
            "conf.h",
            "-Wp,-MMD,y.d",
        ]);
        assert_eq!(options, ["-O2", "-I", "inc.c", "-lm", "-include", "conf.h"]);
        assert_eq!(sources, ["a.c"]);
        assert_eq!(meant(&["-x", "c", "table", "-o", "t"]).1, ["table"]);
        assert!(meant(&["a.o", "b.a", "-o", "program"]).1.is_empty());
    }

    #[test]
    fn files_that_words_name_are_found_but_not_those_that_are_written() {
        let words = [
            "-fprofile-use=/p/x.profdata",
            "-T/p/x.ld",
            "-Wl,--version-script=../v,-Map=/p/map",
            "-specs=sub/own.specs",
            "-Xclang",
            "/p/plug.so",
            "-o",
            "/p/out",
            "/p/start.o",
            "inside.o",
            "-DX=1",
        ];
        let words: Vec<OsString> = words.iter().map(Into::into).collect();
        let found = Meant::of(&words).named;
        let expected = [
            "../v",
            "/p/plug.so",
            "/p/start.o",
            "/p/x.ld",
            "/p/x.profdata",
        ];
        let expected: BTreeSet<PathBuf> = expected.iter().map(PathBuf::from).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_driver_that_its_first_word_chooses_is_asked_by_it() {
        let folder = tempfile::tempdir().unwrap();
        let several = folder.path().join("several");
        let script = "#!/bin/sh\n[ \"$1\" = chosen ] || exit 1\n\
             while [ $# -gt 2 ]; do [ \"$1\" = -MF ] && printf 'x: a.c b.h\\n\\nb.h:\\n' >\"$2\"; shift; done\n";
        fs::write(&several, script).unwrap();
        fs::set_permissions(&several, fs::Permissions::from_mode(0o755)).unwrap();
        let words = ["2", &several.display().to_string(), "chosen", "-c", "a.c"];
        let words: Vec<OsString> = words.iter().map(Into::into).collect();
        let (driver, given) = split(&words).unwrap();
        let meant = Meant::of(given);
        assert_eq!(meant.sources, ["a.c"].map(OsString::from));
        assert!(meant.named.is_empty());
        let note = meant.asked(driver, 0, "a.c".as_ref(), folder.path());
        assert_eq!(note.failed, None);
        assert!(note.files.contains(&OsText::from(PathBuf::from("b.h"))));
    }

    #[test]
    fn how_many_words_the_driver_is_stands_in_front() {
        let told = |words: &[&str]| {
            let words: Vec<OsString> = words.iter().map(Into::into).collect();
            split(&words).map(|(driver, given)| (driver.len(), given.len()))
        };
        assert_eq!(told(&["1", "gcc", "-c", "a.c"]), Some((1, 2)));
        assert_eq!(told(&["2", "zig", "clang", "-c"]), Some((2, 1)));
        for wrong in [&["0", "gcc"][..], &["2", "gcc"], &["gcc", "-c"], &[]] {
            assert_eq!(told(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn the_folders_that_are_searched_are_read() {
        let mut note = Note::of("a.c".as_ref());
        note.searched(
            b"ignoring nonexistent directory \"/none\"\n#include \"...\" search starts here:\n inc\n#include <...> search starts here:\n /usr/include\nEnd of search list.\n other\n",
        );
        assert_eq!(note.search, ["inc", "/usr/include"].map(OsText::from));
        assert_eq!(note.nowhere, ["/none"].map(OsText::from));
    }
}
