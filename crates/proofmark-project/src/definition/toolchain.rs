//! `[toolchain.NAME]` as a project writes it down.

use serde::{Deserialize, Serialize};

use super::words::ShellWords;

/// A compiler: by its command, or by the package that brings it.
///
/// A name such as `gcc12` or `clang-19` needs no definition: [`ToolchainDefinition::implied`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ToolchainDefinition {
    /// The C compiler: a name in `PATH`, or a path.
    pub command: Option<String>,
    /// The C++ compiler; by the C compiler's name when absent (`gcc-12` → `g++-12`).
    pub cxx: Option<String>,
    /// The version that it must report, or its beginning: `19`, `19.1`, `19.1.7`.
    pub version: Option<String>,
    /// The package that brings it: `pypi:ziglang==0.13.0.post1`, `apt:clang-19`.
    pub provider: Option<String>,
    /// Options for every use of it, compiling and linking.
    pub flags: ShellWords,
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

    /// The family that it is a release of, as its package or its command is called: `clang`, `gcc`,
    /// or else the command itself. Options of its own make it a family of its own.
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
        let own = self.flags.iter().map(|word| format!(" {word}"));
        family.to_owned() + &own.collect::<String>()
    }
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
}
