//! The arguments of a linker: response files expanded, and the few options that a capture has to
//! understand.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::quoted::split_response;

/// A response file that names itself ends the expansion, as it does in the linkers.
const MOST_RESPONSE_FILES: usize = 2000;

/// `@file` replaced by its words, recursively. A file that cannot be read leaves the argument as it
/// is, as the linkers do.
pub(crate) fn expand(arguments: &[OsString]) -> Vec<OsString> {
    let mut waiting: Vec<OsString> = arguments.iter().rev().cloned().collect();
    let mut expanded = Vec::new();
    let mut left = MOST_RESPONSE_FILES;
    while let Some(argument) = waiting.pop() {
        let file = argument
            .as_bytes()
            .strip_prefix(b"@")
            .map(OsStr::from_bytes);
        // A pipe would be empty for the linker.
        match file
            .filter(|file| left > 0 && Path::new(file).is_file())
            .and_then(|file| fs::read(file).ok())
        {
            Some(text) => {
                left -= 1;
                waiting.extend(split_response(&text).into_iter().rev());
            }
            None => expanded.push(argument),
        }
    }
    expanded
}

/// Options whose value names a file that the link reads.
const FILE_OPTIONS: [&str; 13] = [
    "T",
    "script",
    "dT",
    "default-script",
    "version-script",
    "dynamic-list",
    "retain-symbols-file",
    "R",
    "just-symbols",
    "symbol-ordering-file",
    "section-ordering-file",
    "call-graph-ordering-file",
    "export-dynamic-symbol-list",
];

/// Options whose value is the next argument and no input file.
const VALUE_OPTIONS: [&str; 53] = [
    "A",
    "F",
    "I",
    "L",
    "Map",
    "Ttext",
    "Tdata",
    "Tbss",
    "Y",
    "a",
    "b",
    "c",
    "defsym",
    "dynamic-linker",
    "e",
    "entry",
    "exclude-libs",
    "export-dynamic-symbol",
    "f",
    "fini",
    "format",
    "G",
    "h",
    "init",
    "l",
    "library",
    "library-path",
    "m",
    "plugin",
    "plugin-opt",
    "require-defined",
    "rpath",
    "rpath-link",
    "section-start",
    "soname",
    "sort-section",
    "u",
    "undefined",
    "wrap",
    "y",
    "z",
    "hash-style",
    "dependency-file",
    "Ttext-segment",
    "Trodata-segment",
    "Tldata-segment",
    "oformat",
    "orphan-handling",
    "out-implib",
    "opt-remarks-filename",
    "opt-remarks-format",
    "opt-remarks-hotness-threshold",
    "opt-remarks-passes",
];

/// A linker's command line, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Arguments {
    /// `-o`, or `a.out`.
    pub output: PathBuf,
    /// Arguments that are no options: objects, archives, libraries, scripts.
    pub files: Vec<PathBuf>,
    /// Values of options that name files to be read.
    pub option_files: Vec<PathBuf>,
    /// `-l`, without the letter.
    pub libraries: Vec<OsString>,
    /// `-L`.
    pub folders: Vec<PathBuf>,
    /// `-plugin`.
    pub plugin: Option<PathBuf>,
    /// `--dependency-file`, when the build asks for one.
    pub dependency_file: Option<PathBuf>,
    /// `-shared`.
    pub shared: bool,
    /// It only asks the linker about itself.
    pub question: bool,
}

impl Arguments {
    pub(crate) fn read(expanded: &[OsString]) -> Arguments {
        let mut read = Arguments {
            output: PathBuf::from("a.out"),
            ..Arguments::default()
        };
        let mut rest = expanded.iter();
        while let Some(argument) = rest.next() {
            match argument
                .as_bytes()
                .strip_prefix(b"-")
                .filter(|option| !option.is_empty())
            {
                None => read.files.push(argument.into()),
                Some(option) => {
                    let next = &mut || rest.next().map(OsString::as_os_str);
                    match option.strip_prefix(b"-") {
                        Some(long) => drop(read.long(long, next)),
                        None => read.one_dash(option, next),
                    }
                }
            }
        }
        read
    }

    /// Behind one dash a long option may stand too, but for those that begin with `o`: `-omagic`
    /// writes to `magic` (the manual of GNU ld; lld does the same).
    fn one_dash<'a>(&mut self, option: &'a [u8], next: &mut dyn FnMut() -> Option<&'a OsStr>) {
        let output = option.first() == Some(&b'o') && option != b"o";
        if output || !self.long(option, next) {
            self.short(option);
        }
    }

    /// Reads an option by its whole name. Says whether it is one that is known here.
    fn long<'a>(&mut self, option: &'a [u8], next: &mut dyn FnMut() -> Option<&'a OsStr>) -> bool {
        let at = option.iter().position(|byte| *byte == b'=');
        let (name, joined) = match at {
            Some(at) => (
                option.get(..at).unwrap_or_default(),
                option.get(at + 1..).map(OsStr::from_bytes),
            ),
            None => (option, None),
        };
        let name = std::str::from_utf8(name).unwrap_or_default();
        let mut value = || joined.or_else(&mut *next).unwrap_or_default();
        match name {
            "o" | "output" => self.output = value().into(),
            "plugin" => self.plugin = Some(value().into()),
            "dependency-file" => self.dependency_file = Some(value().into()),
            "L" | "library-path" => self.folders.push(value().into()),
            "l" | "library" => self.libraries.push(value().to_owned()),
            "shared" | "Bshareable" => self.shared = true,
            "version"
            | "help"
            | "v"
            | "V"
            | "print-search-dirs"
            | "print-sysroot"
            | "print-output-format" => self.question = true,
            _ if FILE_OPTIONS.contains(&name) => self.option_files.push(value().into()),
            _ if VALUE_OPTIONS.contains(&name) => _ = value(),
            _ => return false,
        }
        true
    }

    /// One letter with its value joined to it.
    fn short(&mut self, option: &[u8]) {
        let Some((letter, value)) = option.split_first() else {
            return;
        };
        let value = OsStr::from_bytes(value);
        match letter {
            b'l' if !value.is_empty() => self.libraries.push(value.to_owned()),
            b'L' if !value.is_empty() => self.folders.push(value.into()),
            b'T' if !value.is_empty() && Path::new(value).is_file() => {
                self.option_files.push(value.into());
            }
            b'o' if !value.is_empty() => self.output = value.into(),
            _ => {}
        }
    }

    /// It links something, as far as the arguments tell: there is an input.
    pub(crate) fn is_link(&self) -> bool {
        let asks_only = self.question && self.files.iter().all(|file| !file.exists());
        !asks_only && (!self.files.is_empty() || !self.libraries.is_empty())
    }

    /// The name under which the linker found a file. Scripts are searched in the folders of
    /// libraries too, by the command line (`-T`) and by each other (`INCLUDE`), and GNU ld lists
    /// them as they were asked for.
    pub(crate) fn found(&self, cwd: &Path, name: PathBuf) -> PathBuf {
        if name.is_absolute() || cwd.join(&name).exists() {
            return name;
        }
        let mut places = self.folders.iter().map(|folder| folder.join(&name));
        let found = places.find(|place| cwd.join(place).is_file());
        found.unwrap_or(name)
    }

    /// Every name under which the linker may have opened a file, for linkers that list tidied
    /// names.
    pub(crate) fn candidates(&self) -> Vec<PathBuf> {
        let mut names: Vec<PathBuf> = self
            .files
            .iter()
            .chain(&self.option_files)
            .cloned()
            .collect();
        for library in &self.libraries {
            let exact = library.as_bytes().strip_prefix(b":").map(OsStr::from_bytes);
            for folder in &self.folders {
                match exact {
                    Some(name) => names.push(folder.join(name)),
                    None => names
                        .extend([".so", ".a"].map(|end| folder.join(library_file(library, end)))),
                }
            }
        }
        names
    }
}

fn library_file(library: &OsStr, end: &str) -> OsString {
    let mut name = OsString::from("lib");
    name.push(library);
    name.push(end);
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Arguments {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        Arguments::read(&words)
    }

    #[test]
    fn a_link_of_gcc_is_read() {
        let read = read(
            "-plugin /p.so -plugin-opt=-fresolution=/tmp/x.res --build-id -m elf_x86_64 -dynamic-linker /lib64/ld.so -pie -o out crt1.o -L/usr/lib -L . a.o -lm --push-state -l pthread -Tx -z now -rpath /r crtn.o",
        );
        assert_eq!(read.output, Path::new("out"));
        assert_eq!(read.files, ["crt1.o", "a.o", "crtn.o"].map(PathBuf::from));
        assert_eq!(read.libraries, ["m", "pthread"]);
        assert_eq!(read.folders, ["/usr/lib", "."].map(PathBuf::from));
        assert_eq!(read.plugin.as_deref(), Some(Path::new("/p.so")));
        assert!(read.is_link());
        assert!(
            read.candidates()
                .contains(&PathBuf::from("/usr/lib/libpthread.so"))
        );
    }

    #[test]
    fn options_with_files_are_read_in_every_spelling() {
        let read = read(
            "-T a.lds --version-script=b.map --dynamic-list c.list --dependency-file=d -shared x.o --output=lib.so",
        );
        assert_eq!(
            read.option_files,
            ["a.lds", "b.map", "c.list"].map(PathBuf::from)
        );
        assert_eq!(read.dependency_file.as_deref(), Some(Path::new("d")));
        assert_eq!(read.output, Path::new("lib.so"));
        assert!(read.shared);
    }

    #[test]
    fn one_letter_stands_behind_one_dash_alone() {
        for option in [
            "--orphan-handling=place",
            "--orphan-handling place",
            "--oformat elf64-x86-64",
            "--out-implib=x.lib",
            "--optimize-bb-jumps",
            "--opt-remarks-format=yaml",
            "--lto-O2",
            "--Lx",
        ] {
            let read = read(&format!("-o prog a.o {option}"));
            assert_eq!(read.output, Path::new("prog"), "{option}");
            assert_eq!(read.files, [Path::new("a.o")], "{option}");
            assert!(
                read.libraries.is_empty() && read.folders.is_empty(),
                "{option}"
            );
        }
        assert_eq!(read("a.o -omagic").output, Path::new("magic"));
        assert_eq!(read("a.o -output").output, Path::new("utput"));
        assert_eq!(read("a.o --output x").output, Path::new("x"));
        assert_eq!(read("a.o -Ttext-segment 0x400000").files.len(), 1);
    }

    #[test]
    fn scripts_are_found_in_the_folders_of_libraries() {
        let folder = tempfile::tempdir().unwrap();
        let make = |name: &str| {
            let file = folder.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        };
        for name in [
            "own.ld",
            "one/own.ld",
            "two/x.ld",
            "three/x.ld",
            "two/in/y.ld",
        ] {
            make(name);
        }
        let read = read("-Lone -L two -Lthree -T x.ld a.o");
        for (name, found) in [
            ("own.ld", "own.ld"),
            ("x.ld", "two/x.ld"),
            ("in/y.ld", "two/in/y.ld"),
            ("none.ld", "none.ld"),
        ] {
            assert_eq!(read.found(folder.path(), name.into()), Path::new(found));
        }
    }

    #[test]
    fn questions_are_no_links() {
        assert!(!read("--version").is_link());
        assert!(!read("-v").is_link());
        assert!(!read("--help").is_link());
    }

    #[test]
    fn response_files_are_expanded_recursively() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("inner");
        let outer = folder.path().join("outer");
        fs::write(&inner, "b.o 'c d.o'").unwrap();
        fs::write(&outer, format!("a.o @{} e.o", inner.display())).unwrap();
        let mut at = OsString::from("@");
        at.push(&outer);
        let expanded = expand(&["-o".into(), "x".into(), at, "@missing".into()]);
        assert_eq!(
            expanded,
            ["-o", "x", "a.o", "b.o", "c d.o", "e.o", "@missing"]
        );
    }
}
