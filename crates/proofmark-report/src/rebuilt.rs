//! How builds of one commit compare, in words.

use proofmark_evidence::record::Rebuilt;

/// What a reader must know of builds, `repeat` of each commit; `None` where one of each is as good
/// as any. `name` is the commit whose builds were held against each other, and `place` says which
/// one that is.
pub(crate) fn builds(rebuilt: Rebuilt, repeat: u32, name: &str, place: &str) -> Option<String> {
    Some(match (rebuilt, repeat) {
        (Rebuilt::Same, 1) => return None,
        (Rebuilt::Differs, 1) => alone(name),
        (Rebuilt::Same, many) => {
            format!("{many} of each, which are the same bytes at {place}: one would do")
        }
        (Rebuilt::Differs, many) => {
            format!("{many} of each, which differ at {place}; each block draws one")
        }
    })
}

/// That one build stands for a commit whose builds differ.
pub(crate) fn alone(name: &str) -> String {
    format!(
        "two of {name} came out different, and one stands for each commit: what is blamed on a \
         commit may be a rebuild; --repeat 4 has each block draw one of four"
    )
}
