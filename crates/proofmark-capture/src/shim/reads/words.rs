//! A driver's words, as far as they are about what a compilation reads.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use proofmark_terms::OsText;

use super::super::once;
use super::names::{expanded, names_in, value_in, values};

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

/// A driver's words, as far as they are about preprocessing.
pub(super) struct Meant {
    /// All but the sources, the output and the stage.
    pub options: Vec<OsString>,
    pub sources: Vec<OsString>,
    /// Files of words.
    pub responses: Vec<OsString>,
    /// Names of files outside of the folder that words may mean.
    pub named: BTreeSet<PathBuf>,
    /// Assembly that is not preprocessed.
    pub assembly: Vec<OsString>,
    /// Folders that `#embed` looks in before all others.
    pub embeds: Vec<PathBuf>,
    /// Folders that the assembler looks in.
    pub includes: Vec<PathBuf>,
    pub profiles: Vec<PathBuf>,
    /// No word stops it before the link.
    pub links: bool,
    /// It reads what can be read only once.
    pub pipe: bool,
}

impl Meant {
    pub(super) fn of(words: &[OsString]) -> Meant {
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

    /// Where assembly is looked for, be it a file of its own or inside of another language.
    pub(super) fn searched_besides(&self) -> impl Iterator<Item = OsText> + '_ {
        self.includes.iter().cloned().map(OsText::from)
    }
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
}
