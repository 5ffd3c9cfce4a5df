//! What compilers and their wrappers switch on by themselves.

use serde::{Deserialize, Serialize};

/// Something that compilers and their wrappers switch on by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Feature {
    /// A position-independent executable.
    Pie,
    /// Landing pads and shadow stacks (`-fcf-protection`).
    Cet,
    /// `-fstack-protector…`.
    StackProtector,
    /// Registers zeroed before functions return (`-fzero-call-used-regs`).
    ZeroedRegisters,
    /// Another processor than the architecture's baseline (`-march`, `-mcpu`).
    Cpu,
    /// A sanitiser.
    Sanitizer,
}

impl Feature {
    /// In words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Feature::Pie => "position-independent executable",
            Feature::Cet => "control-flow protection",
            Feature::StackProtector => "stack protector",
            Feature::ZeroedRegisters => "zeroed registers",
            Feature::Cpu => "another CPU",
            Feature::Sanitizer => "sanitiser",
        }
    }
}
