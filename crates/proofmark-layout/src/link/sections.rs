//! What a link does that depends on how code is cut into sections.

use super::argv::{Word, parse, switch};
use crate::recipe::{InputKind, LinkerKind, Recipe};

impl Recipe {
    /// What the link does that depends on how code is cut into sections, in words that follow "the
    /// link": it folds, collects or orders them, or a script of the build's own lays them out.
    #[must_use]
    pub fn by_sections(&self) -> Option<&'static str> {
        let words = parse(&self.argv);
        if folds(&words) {
            Some("folds identical code (--icf)")
        } else if switch(&words, "gc-sections") == Some(true) {
            Some("collects what nothing refers to (--gc-sections)")
        } else if words.iter().any(orders) {
            Some("puts sections in an order of the build's own")
        } else if has_script(self) {
            Some("is laid out by a script of the build's own")
        } else {
            None
        }
    }

    /// Whether options or a script of the build's own say in which order sections stand.
    pub(crate) fn places_sections(&self) -> bool {
        let words = parse(&self.argv);
        words.iter().any(orders) || has_script(self)
    }
}

/// Whether an option orders sections.
fn orders(word: &Word) -> bool {
    let name = word.name().unwrap_or_default();
    name.ends_with(b"-ordering-file") || name == b"sort-section"
}

/// Whether the linker folds functions of equal content into one; then their sections keep the sizes
/// that they are compared with.
pub(crate) fn folds(words: &[Word]) -> bool {
    let last = words
        .iter()
        .rev()
        .find_map(|word| word.name()?.strip_prefix(b"icf="));
    last.is_some_and(|how| how != b"none")
}

/// Whether the linker makes one of equal texts and constants: lld does, unless it is told not to
/// optimise.
pub(crate) fn merges(kind: LinkerKind, words: &[Word]) -> bool {
    let levels = words.iter().rev().filter_map(Word::name);
    let last = levels
        .filter(|name| name.first() == Some(&b'O'))
        .map(<[u8]>::to_vec)
        .next();
    kind != LinkerKind::Lld || last.as_deref() != Some(b"O0")
}

/// Whether a shared library is made.
pub(crate) fn makes_library(words: &[Word]) -> bool {
    let names = [&b"shared"[..], b"Bshareable"];
    words
        .iter()
        .filter_map(Word::name)
        .any(|name| names.contains(&name))
}

/// Whether a script of the build's own lays the sections out.
pub(crate) fn has_script(recipe: &Recipe) -> bool {
    scripts(recipe).next().is_some()
}

/// The texts of such scripts. Scripts in the place of libraries name files only.
pub(crate) fn scripts(recipe: &Recipe) -> impl Iterator<Item = Vec<u8>> {
    recipe
        .inputs
        .iter()
        .filter(|input| input.kind == InputKind::Script)
        .filter_map(|input| std::fs::read(&input.blob).ok())
        .filter(|text| text.windows(8).any(|word| word == b"SECTIONS"))
}
