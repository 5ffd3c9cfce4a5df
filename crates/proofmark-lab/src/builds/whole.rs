//! Builds that are compared are cut alike: where one of them has to move whole objects, all do.

use proofmark_capture::{CapturedLink, Twice};
use proofmark_layout::movability;

use super::subject::{Source, Subject};

/// The builds, each laid out from its own objects where one of them can only be laid out so.
/// Layouts of functions against layouts of whole objects would be two populations, and equal files
/// would not come out equal.
#[must_use]
pub fn cut_alike(mut subjects: Vec<Subject>) -> Vec<Subject> {
    let refused = |link: &CapturedLink| {
        let twice = link.twice.as_ref();
        twice.is_some_and(|twice| twice.refused.is_some())
    };
    let whole = subjects.iter().find(|subject| {
        let mut links = subject.links().unwrap_or_default().iter();
        links.any(refused)
    });
    let Some(whole) = whole.map(|subject| subject.name.clone()) else {
        return subjects;
    };
    for subject in &mut subjects {
        let Source::Captured { links, .. } = &mut subject.source else {
            continue;
        };
        links.iter_mut().for_each(|link| cut_whole(link, &whole));
    }
    subjects
}

/// Gives a link its own objects back; `because` is the build that has no others.
fn cut_whole(link: &mut CapturedLink, because: &str) {
    let Some(own) = link.twice.as_mut().and_then(|twice| twice.own.take()) else {
        return;
    };
    link.movability = movability(&own).map_err(|error| error.to_string());
    link.recipe = own;
    link.twice = Some(Twice {
        own: None,
        refused: Some(format!(
            "{because} is laid out by whole objects, and what is compared with it too"
        )),
        lacking: Vec::new(),
    });
}
