//! `[toolchain.NAME]` as a project writes it down.

use std::path::{Component, Path, PathBuf};

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::Definitions;
use super::build_command::{MARKS, marks};
use super::problem::Problem;
use super::source::Source;
use super::variables;
use super::words::{Names, ShellWords};

/// A compiler: by its command, by the package that brings it, or by the sources that it is made
/// from.
///
/// A name such as `gcc12` or `clang-19` needs no definition: [`ToolchainDefinition::implied`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ToolchainDefinition {
    /// The C compiler: a name in `PATH`, or a path; of one that is made, the file that its build
    /// leaves, relative to its sources.
    pub command: Option<String>,
    /// The C++ compiler; by the C compiler's name when absent (`gcc-12` → `g++-12`).
    pub cxx: Option<String>,
    /// The version that it must report, or its beginning: `19`, `19.1`, `19.1.7`.
    pub version: Option<String>,
    /// The package that brings it: `pypi:ziglang==0.13.0.post1`, `apt:clang-19`; several of another
    /// release: `apt:clang-18,llvm-18@trixie`.
    pub provider: Option<String>,
    /// Options for every use of it, compiling and linking.
    pub flags: ShellWords,
    /// The sources that it is made from: a folder, relative to the file's.
    pub source: Option<PathBuf>,
    /// A revision of the repository that this folder is in; its files as they lie there when
    /// absent.
    pub rev: Option<String>,
    /// Patches on these sources, relative to the file's folder.
    pub patch: Names,
    /// The command that makes it, for `/bin/sh`, run in a copy of the sources that stays. `{jobs}`
    /// is replaced in it.
    pub build: Option<String>,
    /// Variables set for that command.
    pub env: IndexMap<String, String>,
}

/// The compiler families that a bare name can mean.
const FAMILIES: [&str; 2] = ["gcc", "clang"];

impl ToolchainDefinition {
    /// What a bare name means: `gcc12`, `gcc-12`, `clang19` are the command with that version,
    /// `gcc` and `clang` whatever is there.
    #[must_use]
    pub fn implied(name: &str) -> Option<ToolchainDefinition> {
        let family = FAMILIES
            .into_iter()
            .find(|family| name.starts_with(family))?;
        let version = name.strip_prefix(family)?;
        let version = version.strip_prefix('-').unwrap_or(version);
        if version.is_empty() {
            return (name == family).then(|| ToolchainDefinition {
                command: Some(family.to_owned()),
                ..ToolchainDefinition::default()
            });
        }
        let number = version.bytes().all(|byte| byte.is_ascii_digit());
        number.then(|| ToolchainDefinition {
            command: Some(format!("{family}-{version}")),
            version: Some(version.to_owned()),
            ..ToolchainDefinition::default()
        })
    }

    /// The same by what its name means, where nothing says which compiler it is.
    pub(crate) fn or_by_name(self, implied: impl Fn() -> Option<ToolchainDefinition>) -> Self {
        let says = self.command.is_some() || self.provider.is_some() || self.source.is_some();
        match implied() {
            Some(implied) if !says => ToolchainDefinition {
                command: implied.command,
                version: self.version.or(implied.version),
                ..self
            },
            _ => self,
        }
    }

    /// The family that it is a release of, as its package or its command is called: `clang`, `gcc`,
    /// or else the command itself. Options, patches and a way of being made of its own make it a
    /// family of its own.
    #[must_use]
    pub fn family(&self) -> String {
        let said = self.command.as_deref().or(self.provider.as_deref());
        let said = said.unwrap_or_default();
        let name = said.rsplit('/').next().unwrap_or(said);
        let family = match FAMILIES.into_iter().find(|family| name.contains(family)) {
            Some(family) => family,
            None if said.contains("ziglang") => "clang",
            None => name,
        };
        let flags = self.flags.iter().map(|word| format!(" {word}"));
        let patches = self.patch.0.iter().map(|patch| format!(" with {patch}"));
        let build = self.build.iter().map(|build| format!(" made by {build}"));
        let env = self
            .env
            .iter()
            .map(|(name, value)| format!(" {name}={value}"));
        let own = flags.chain(patches).chain(build).chain(env);
        family.to_owned() + &own.collect::<String>()
    }

    /// What it is made from; `None` of one that is there, or comes as a package.
    pub(crate) fn made_from(&self) -> Option<Source> {
        Some(Source {
            path: self.source.clone()?,
            rev: self.rev.clone(),
            patches: self.patch.0.clone(),
            build: self.build.clone()?,
            image: None,
            inputs: Vec::new(),
            env: self.env.clone(),
            tree: None,
        })
    }
}

/// What makes a compiler is said as a whole, and not of one that is there already.
pub(crate) fn check(of: &Definitions) -> Result<(), Problem> {
    for (name, toolchain) in &of.toolchains {
        let wrong =
            |key: &str, what: String| Problem::new(&["toolchain", name.as_str(), key], what);
        if toolchain.source.is_none() {
            let keys = [
                ("build", toolchain.build.is_some()),
                ("rev", toolchain.rev.is_some()),
                ("patch", !toolchain.patch.is_empty()),
                ("env", !toolchain.env.is_empty()),
            ];
            if let Some((key, _)) = keys.into_iter().find(|(_, said)| *said) {
                let what = format!("toolchain `{name}` has `{key}` and no `source`");
                return Err(wrong(key, what).next("`source` is the folder that it is made from"));
            }
            continue;
        }
        variables::check(&["toolchain", name, "env"], &toolchain.env)?;
        if toolchain.provider.is_some() {
            let what = format!("toolchain `{name}` has both `source` and `provider`");
            return Err(wrong("provider", what).next("leave one of them out"));
        }
        let Some(build) = &toolchain.build else {
            let what = format!("toolchain `{name}` has no `build`");
            let next = "it is the command that makes it from its sources, as in build = \"make\"";
            return Err(wrong("source", what).next(next));
        };
        let foreign = marks(build)
            .into_iter()
            .find(|mark| MARKS.contains(mark) && *mark != "jobs");
        if let Some(mark) = foreign {
            let what = format!("`{{{mark}}}` stands for nothing where a compiler is made");
            let next = "name the compiler that builds it; {jobs} alone is replaced";
            return Err(wrong("build", what).next(next));
        }
        for (key, file) in [("command", &toolchain.command), ("cxx", &toolchain.cxx)] {
            match file {
                None if key == "command" => {
                    let what = format!("toolchain `{name}` has no `command`");
                    let next = "it is the compiler that its build leaves, relative to `source`";
                    return Err(wrong("source", what).next(next));
                }
                Some(file) if !is_inside(file) => {
                    let what = format!("`{file}` does not lie in the sources of `{name}`");
                    let next = "have `build` install it there, as by --prefix=$PWD/installed";
                    return Err(wrong(key, what).next(next));
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// Whether a name leads to a file below the folder that it counts from.
fn is_inside(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    !name.is_empty() && parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_of_one_compiler_are_a_family() {
        let of = |command: Option<&str>, provider: Option<&str>, flags: &[&str]| {
            let flags = flags.iter().map(|&word| word.to_owned());
            ToolchainDefinition {
                command: command.map(str::to_owned),
                provider: provider.map(str::to_owned),
                flags: ShellWords(flags.collect()),
                ..ToolchainDefinition::default()
            }
            .family()
        };
        assert_eq!(of(Some("clang-19"), Some("apt:clang-19"), &[]), "clang");
        assert_eq!(of(None, Some("pypi:ziglang==0.13.0"), &[]), "clang");
        assert_eq!(of(Some("/opt/gcc-14/bin/gcc"), None, &[]), "gcc");
        assert_eq!(of(Some("./mycc"), None, &[]), "mycc");
        assert_eq!(of(Some("gcc-12"), None, &["-m32"]), "gcc -m32");
        // Revisions of one source are releases; a patched one is something else.
        let made = |rev: &str, patch: &[&str], build: &str| {
            ToolchainDefinition {
                command: Some("bin/clang".to_owned()),
                rev: Some(rev.to_owned()),
                patch: Names(patch.iter().map(|&name| name.to_owned()).collect()),
                build: Some(build.to_owned()),
                ..ToolchainDefinition::default()
            }
            .family()
        };
        assert_eq!(made("v18", &[], "make"), made("v19", &[], "make"));
        assert_ne!(
            made("v19", &[], "make"),
            made("v19", &["dup.patch"], "make")
        );
        assert_ne!(made("v19", &[], "make"), made("v19", &[], "make PGO=1"));
    }

    #[test]
    fn a_bare_name_is_a_family_and_a_version() {
        let implied =
            |name| ToolchainDefinition::implied(name).map(|of| (of.command.unwrap(), of.version));
        let gcc = ("gcc-12".to_owned(), Some("12".to_owned()));
        assert_eq!(implied("gcc12"), Some(gcc.clone()));
        assert_eq!(implied("gcc-12"), Some(gcc));
        assert_eq!(implied("clang"), Some(("clang".to_owned(), None)));
        for none in ["gcc-", "gccx", "tcc", "clang19x", "clang-19.1"] {
            assert_eq!(implied(none), None, "{none}");
        }
    }

    #[test]
    fn a_table_that_names_no_compiler_adds_to_what_the_name_says() {
        let by_name = |defined: ToolchainDefinition| {
            defined.or_by_name(|| ToolchainDefinition::implied("gcc12"))
        };
        let flags = ToolchainDefinition {
            flags: ShellWords(vec!["-g".to_owned()]),
            ..ToolchainDefinition::default()
        };
        let found = by_name(flags.clone());
        assert_eq!(found.command.as_deref(), Some("gcc-12"));
        assert_eq!(
            (found.version.as_deref(), &found.flags),
            (Some("12"), &flags.flags)
        );
        let named = ToolchainDefinition {
            command: Some("./gcc12".to_owned()),
            ..flags
        };
        assert_eq!(by_name(named.clone()), named);
    }
}
