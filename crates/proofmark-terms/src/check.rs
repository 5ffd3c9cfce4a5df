//! What on a machine hurts measuring: a finding, why it matters and what to do about it.

/// How a finding is to be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckStatus {
    /// As it should be.
    Good,
    /// Makes measurements noisier or biased.
    Hurts,
    /// Something proofmark could use is not there; it does without.
    Missing,
    /// The machine does not tell.
    Unknown,
}

/// Something that hurts measuring on a machine, or does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What was looked at, in a word or two.
    pub name: &'static str,
    /// How to take it.
    pub status: CheckStatus,
    /// What was found.
    pub found: String,
    /// Why it matters.
    pub why: &'static str,
    /// What to do; none when nothing need or can be done.
    pub remedy: Option<&'static str>,
}
