//! The arguments of a linker, read as far as staging a link needs: which of them name files,
//! folders and outputs.
//!
//! The four linkers share GNU ld's options. What is not known here is kept as it is; an unknown
//! option that takes its value from the next argument would have that value mistaken for an input,
//! and is then refused by name when it is staged.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// What the value of an argument is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// An input file.
    Input,
    /// An input file named by an option: a script, a list of symbols.
    OptionFile,
    /// A folder that libraries are searched in.
    Folder,
    /// The image.
    Output,
    /// Another file that the linker writes.
    SideOutput,
    /// An argument for the linker's plugin.
    PluginOption,
    /// Anything else.
    Plain,
}

/// One argument, or an option with the argument that follows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    /// The option, where its value is an argument of its own.
    pub(crate) option: Option<OsString>,
    /// What stands before the value in the same argument: `-L`, `--library-path=`, or nothing.
    pub(crate) prefix: OsString,
    /// The value: all of a flag.
    pub(crate) value: OsString,
    /// What the value is.
    pub(crate) role: Role,
}

impl Word {
    /// A flag: one argument, kept as it is.
    pub(crate) fn flag(text: impl Into<OsString>) -> Word {
        Word {
            option: None,
            prefix: OsString::new(),
            value: text.into(),
            role: Role::Plain,
        }
    }

    /// An input given by its name.
    pub(crate) fn input(path: impl Into<OsString>) -> Word {
        Word {
            role: Role::Input,
            ..Word::flag(path)
        }
    }

    /// The option's name without dashes: of `-z`, `--version-script=`, `-L`, `--gc-sections`. None
    /// for an input.
    pub(crate) fn name(&self) -> Option<&[u8]> {
        let text = match &self.option {
            Some(option) => option.as_bytes(),
            None if !self.prefix.is_empty() => self.prefix.as_bytes(),
            None => self.value.as_bytes(),
        };
        let bare = text
            .strip_prefix(b"--")
            .or_else(|| text.strip_prefix(b"-"))?;
        Some(bare.strip_suffix(b"=").unwrap_or(bare))
    }
}

/// Options whose value is a file that is read.
const FILES: &str = "T script dT default-script version-script dynamic-list retain-symbols-file symbol-ordering-file \
    section-ordering-file call-graph-ordering-file R just-symbols c mri-script \
    export-dynamic-symbol-list in-implib remap-inputs-file lto-sample-profile";
/// Options whose value is a file that is written.
const SIDE_OUTPUTS: &str = "Map dependency-file out-implib time-trace reproduce why-extract print-archive-stats \
    lto-obj-path print-symbol-order cmse-implib sysv-map";
/// Options whose value is a folder that is searched.
const FOLDERS: &str = "L library-path rpath-link sysroot";
/// Other options that take a value, which may be the next argument.
const VALUED: &str = "l library m z e entry u undefined require-defined h soname rpath dynamic-linker I plugin y \
    trace-symbol Y f F auxiliary filter A architecture b format oformat G gpsize a P audit depaudit \
    init fini defsym wrap section-start Ttext Tdata Tbss Ttext-segment Trodata-segment \
    Tldata-segment hash-style exclude-libs unresolved-symbols sort-section mllvm assert task-link \
    export-dynamic-symbol image-base undefined-glob trace-symbols max-cache-size spare-dynamic-tags \
    hash-size reduce-memory-overheads-size version-exports-section";
/// Long options whose value is never the next argument, only behind `=`; with a role all the same.
const JOINED_ONLY: &str =
    "time-trace sysroot print-symbol-order why-extract print-archive-stats reproduce";
/// Options of a single letter, whose value is joined or the next argument.
const LETTERS: &[u8] = b"TRcLlomzeuhIyYfFAbGaP";

/// Reads the arguments.
pub(crate) fn parse(argv: &[OsString]) -> Vec<Word> {
    let mut words = Vec::with_capacity(argv.len());
    let mut rest = argv.iter();
    while let Some(argument) = rest.next() {
        let text = argument.as_bytes();
        let word = match option(text) {
            None => Word::input(argument),
            Some(Shape::Flag) => Word::flag(argument),
            Some(Shape::Joined(at, role)) => Word {
                option: None,
                prefix: piece(&text[..at]),
                value: piece(&text[at..]),
                role,
            },
            Some(Shape::Next(role)) => match rest.next() {
                Some(value) => Word {
                    option: Some(argument.clone()),
                    prefix: OsString::new(),
                    value: value.clone(),
                    role,
                },
                None => Word::flag(argument),
            },
        };
        words.push(word);
    }
    words
}

/// The arguments again: `render(parse(argv)) == argv`.
pub(crate) fn render(words: &[Word]) -> Vec<OsString> {
    let mut argv = Vec::with_capacity(words.len() + 8);
    for word in words {
        argv.extend(word.option.clone());
        let mut text = word.prefix.clone();
        text.push(&word.value);
        argv.push(text);
    }
    argv
}

enum Shape {
    Flag,
    Joined(usize, Role),
    Next(Role),
}

fn option(text: &[u8]) -> Option<Shape> {
    let dashes = text
        .iter()
        .take(2)
        .take_while(|byte| **byte == b'-')
        .count();
    if dashes == 0 || text.len() == dashes {
        return (dashes != 0).then_some(Shape::Flag);
    }
    let bare = &text[dashes..];
    let equals = bare.iter().position(|byte| *byte == b'=');
    let name = &bare[..equals.unwrap_or(bare.len())];
    if (name.len() > 1 || dashes == 2)
        && let Some(role) = long_role(name)
    {
        return Some(match equals {
            Some(at) => Shape::Joined(dashes + at + 1, role),
            None if listed(JOINED_ONLY, name) => Shape::Flag,
            None => Shape::Next(role),
        });
    }
    // `-c` takes no joined value: `-cref` and `-color-diagnostics` are flags.
    if dashes == 1 && LETTERS.contains(&bare[0]) && (bare.len() == 1 || bare[0] != b'c') {
        let role = letter_role(bare[0]);
        return Some(if bare.len() == 1 {
            Shape::Next(role)
        } else {
            Shape::Joined(2, role)
        });
    }
    Some(Shape::Flag)
}

fn listed(names: &str, name: &[u8]) -> bool {
    names.split(' ').any(|known| known.as_bytes() == name)
}

/// What the value of an option with a name of several letters, or with two dashes, is.
fn long_role(name: &[u8]) -> Option<Role> {
    match name {
        b"output" => Some(Role::Output),
        b"plugin-opt" => Some(Role::PluginOption),
        _ if name.len() == 1 => None,
        _ if listed(FILES, name) => Some(Role::OptionFile),
        _ if listed(SIDE_OUTPUTS, name) => Some(Role::SideOutput),
        _ if listed(FOLDERS, name) => Some(Role::Folder),
        _ if listed(VALUED, name) => Some(Role::Plain),
        _ => None,
    }
}

fn letter_role(letter: u8) -> Role {
    match letter {
        b'o' => Role::Output,
        b'L' => Role::Folder,
        b'T' | b'R' | b'c' => Role::OptionFile,
        _ => Role::Plain,
    }
}

fn piece(bytes: &[u8]) -> OsString {
    OsString::from_vec(bytes.to_vec())
}

/// The value of a flag such as `--gc-sections` under its last spelling: `Some(false)` for
/// `--no-gc-sections`.
pub(crate) fn switch(words: &[Word], name: &str) -> Option<bool> {
    words.iter().rev().find_map(|word| {
        let found = word.name()?;
        if found == name.as_bytes() {
            return Some(true);
        }
        (found.strip_prefix(b"no-") == Some(name.as_bytes())).then_some(false)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<Word> {
        parse(&line.split(' ').map(OsString::from).collect::<Vec<_>>())
    }

    fn roles(line: &str, role: Role) -> Vec<String> {
        words(line)
            .into_iter()
            .filter(|word| word.role == role)
            .map(|word| word.value.into_string().unwrap())
            .collect()
    }

    const GCC: &str = "-plugin /p/liblto_plugin.so -plugin-opt=/p/lto-wrapper -plugin-opt=-fresolution=/tmp/a.res --build-id --eh-frame-hdr -m elf_x86_64 --hash-style=gnu \
        --as-needed -dynamic-linker /lib64/ld.so -pie -z now -o out/app /usr/lib/Scrt1.o -L/usr/lib/gcc -L lib --library-path=third x.o -lm -l c -Map=map.txt -T s.ld --version-script v.map -e start";

    #[test]
    fn inputs_are_told_from_values() {
        assert_eq!(roles(GCC, Role::Input), ["/usr/lib/Scrt1.o", "x.o"]);
        assert_eq!(roles(GCC, Role::Folder), ["/usr/lib/gcc", "lib", "third"]);
        assert_eq!(roles(GCC, Role::Output), ["out/app"]);
        assert_eq!(roles(GCC, Role::OptionFile), ["s.ld", "v.map"]);
        assert_eq!(roles(GCC, Role::SideOutput), ["map.txt"]);
        assert_eq!(
            roles(GCC, Role::PluginOption),
            ["/p/lto-wrapper", "-fresolution=/tmp/a.res"]
        );
    }

    #[test]
    fn rendering_gives_the_arguments_back() {
        let argv: Vec<OsString> = GCC.split(' ').map(OsString::from).collect();
        assert_eq!(render(&parse(&argv)), argv);
        let odd: Vec<OsString> = vec![
            "-".into(),
            "--".into(),
            OsString::from_vec(vec![b'a', 0xff, b'.', b'o']),
            "-o".into(),
        ];
        assert_eq!(render(&parse(&odd)), odd);
    }

    #[test]
    fn joined_and_separate_values_are_read_alike() {
        for line in ["-oapp", "-o app", "--output app", "--output=app"] {
            assert_eq!(roles(line, Role::Output), ["app"], "{line}");
        }
        assert_eq!(roles("-Ttext 0x1000 a.o", Role::Input), ["a.o"]);
        assert_eq!(roles("-Ttext=0x1000 a.o", Role::OptionFile), [""; 0]);
        assert_eq!(roles("-Tx.ld a.o", Role::OptionFile), ["x.ld"]);
        assert_eq!(roles("-soname libx.so a.o", Role::Input), ["a.o"]);
    }

    #[test]
    fn the_last_spelling_of_a_switch_counts() {
        assert_eq!(
            switch(&words("--gc-sections --no-gc-sections"), "gc-sections"),
            Some(false)
        );
        assert_eq!(
            switch(&words("--no-gc-sections -gc-sections"), "gc-sections"),
            Some(true)
        );
        assert_eq!(switch(&words("a.o"), "gc-sections"), None);
    }
}
