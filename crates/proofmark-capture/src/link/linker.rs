//! Which linker a program is, and what it can do for a capture.

use std::path::Path;
use std::process::{Command, Stdio};

use proofmark_layout::LinkerKind;

use crate::event::LinkerFacts;

/// Asks a linker about itself. `None` when it is none of the known ones.
pub(crate) fn ask(linker: &Path) -> Option<LinkerFacts> {
    let version = ask_for(linker, "--version")?;
    let help = ask_for(linker, "--help").unwrap_or_default();
    let version = version.lines().next()?.trim().to_owned();
    let kind = kind_of(&version)?;
    Some(LinkerFacts {
        kind,
        dependency_file: help.contains("--dependency-file"),
        save_prelink: kind == LinkerKind::Lld && help.contains("--save-temps=<value"),
        version,
    })
}

fn kind_of(version: &str) -> Option<LinkerKind> {
    if version.contains("LLD") {
        Some(LinkerKind::Lld)
    } else if version.starts_with("mold") || version.contains("mold ") {
        Some(LinkerKind::Mold)
    } else if version.contains("GNU gold") {
        Some(LinkerKind::Gold)
    } else if version.starts_with("GNU ld") {
        Some(LinkerKind::GnuLd)
    } else {
        None
    }
}

fn ask_for(linker: &Path, question: &str) -> Option<String> {
    let asked = Command::new(linker)
        .arg(question)
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    Some(String::from_utf8_lossy(&asked.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linkers_are_told_apart_by_their_version() {
        let known = [
            (
                "Debian LLD 19.1.7 (compatible with GNU linkers)",
                LinkerKind::Lld,
            ),
            (
                "LLD 22.1.2 (/checkout/src/llvm-project/llvm 0123) (compatible with GNU linkers)",
                LinkerKind::Lld,
            ),
            ("GNU ld (GNU Binutils for Debian) 2.40", LinkerKind::GnuLd),
            (
                "GNU gold (GNU Binutils for Debian 2.40) 1.16",
                LinkerKind::Gold,
            ),
            ("mold 1.10.1 (compatible with GNU ld)", LinkerKind::Mold),
        ];
        for (version, kind) in known {
            assert_eq!(kind_of(version), Some(kind), "{version}");
        }
        assert_eq!(kind_of("wild 0.5"), None);
    }
}
