//! The instruction sets that are read.

use serde::Serialize;

/// An instruction set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum Arch {
    /// x86-64, also known as AMD64.
    #[serde(rename = "x86-64")]
    X86_64,
    /// AArch64, also known as ARM64 (little-endian).
    #[serde(rename = "aarch64")]
    Aarch64,
}

impl Arch {
    /// The name used in output and in expectation files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Arch::X86_64 => "x86-64",
            Arch::Aarch64 => "aarch64",
        }
    }

    /// Reads a name as people write it: `x86-64`, `x86_64`, `amd64`, `aarch64`, `arm64`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Arch> {
        match text.to_ascii_lowercase().as_str() {
            "x86-64" | "x86_64" | "amd64" | "x64" => Some(Arch::X86_64),
            "aarch64" | "arm64" => Some(Arch::Aarch64),
            _ => None,
        }
    }
}

impl std::fmt::Display for Arch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
