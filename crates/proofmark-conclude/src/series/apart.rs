//! Why a line is none of those before it.

use std::collections::BTreeMap;

use proofmark_evidence::record::{SeriesLine, SurroundingPart};
use proofmark_terms::OsText;

/// Why a line is none of those before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Apart<'a> {
    /// It is of a model of processor that none of them has.
    Processor,
    /// Builds are made with something else than on the last line of this processor. Empty where
    /// nobody wrote down what it was.
    Surroundings(Vec<PartApart<'a>>),
}

/// A part of what goes into builds that is not as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartApart<'a> {
    /// What a message calls it.
    pub name: &'a OsText,
    /// What became of it.
    pub how: How,
}

/// What became of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// It is another one.
    Other,
    /// There was none.
    New,
    /// There is none any more.
    Gone,
}

/// Why a line is none of those that were begun before it, each by its first entry, the oldest
/// first; `None` where there are none.
pub fn apart<'a>(
    line: &'a SeriesLine,
    before: impl IntoIterator<Item = &'a SeriesLine>,
) -> Option<Apart<'a>> {
    let before: Vec<&SeriesLine> = before.into_iter().collect();
    let processor = line.machine.processor();
    let of_processor = |one: &&&SeriesLine| one.machine.processor() == processor;
    Some(match before.iter().rev().find(of_processor) {
        Some(last) => Apart::Surroundings(parts(&last.parts, &line.parts)),
        None => {
            before.first()?;
            Apart::Processor
        }
    })
}

/// What differs; nothing where one of both is not known, as in a store without its private parts.
fn parts<'a>(before: &'a [SurroundingPart], now: &'a [SurroundingPart]) -> Vec<PartApart<'a>> {
    let is_digest = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_known = |parts: &[SurroundingPart]| {
        !parts.is_empty() && parts.iter().all(|part| is_digest(&part.digest))
    };
    if !is_known(before) || !is_known(now) {
        return Vec::new();
    }
    let by_name = |parts: &'a [SurroundingPart]| {
        let parts = parts.iter().map(|part| (&part.name, &part.digest));
        parts.collect::<BTreeMap<&OsText, &String>>()
    };
    let (before, now) = (by_name(before), by_name(now));
    let gone = before.keys().filter(|name| !now.contains_key(*name));
    let gone = gone.map(|name| (*name, How::Gone));
    let other = now
        .iter()
        .filter_map(|(name, digest)| match before.get(name) {
            None => Some((*name, How::New)),
            Some(was) if was != digest => Some((*name, How::Other)),
            Some(_) => None,
        });
    let all = other.chain(gone);
    all.map(|(name, how)| PartApart { name, how }).collect()
}
