//! Whether objects that were compiled a second time, with function sections, make the program that
//! the build's own objects make.
//!
//! Of a function that calls its neighbour a short jump may become a long one, and what stands
//! between functions is other padding. Beyond that nothing may differ: a linker that folds or
//! collects sections, or that puts them in an order, finds more of them in the second objects than
//! in the first, and may make another program of them.

use std::collections::BTreeMap;
use std::path::Path;

use crate::LayoutError;
use crate::elf::image::Linked;
use crate::recipe::Recipe;
use crate::staged::{Staged, Style};
use crate::units::Units;

use super::{content, likely, linked_again, listed, words};

/// Where a difference comes from that no option of the link explains.
const BY_SECTIONS: &str = "a section for each function changes what is compiled, or the second \
                           compilation saw something else";

/// Links objects that were compiled twice and the build's own, and compares the two.
///
/// # Errors
/// [`LayoutError::Unfaithful`] where they make another program; otherwise when a link fails or a
/// file cannot be read.
pub fn check_compiled_twice(own: &Recipe, second: &Recipe) -> Result<(), LayoutError> {
    let temporary = std::env::temp_dir();
    let folder = tempfile::Builder::new()
        .prefix("proofmark-twice")
        .tempdir()
        .map_err(LayoutError::file("create a folder in", &temporary))?;
    let image = folder.path().join("second");
    let units = Units::read(second)?;
    let staged = Staged::new(
        second,
        &units,
        &folder.path().join("staged"),
        Style::default(),
    )?;
    let what = "the image of the objects that were compiled a second time";
    staged.link(second, &[], &image, what, crate::linker::keep_symbols)?;
    compiled_twice(own, &units, &linked_again(own, folder.path())?, &image)
}

/// Checks that the image of objects that were compiled twice is the program of the build's own
/// link, which was linked again with its symbols. `units` are those of the former.
pub(crate) fn compiled_twice(
    own: &Recipe,
    units: &Units,
    linked_again: &Path,
    image: &Path,
) -> Result<(), LayoutError> {
    let mut found = words(&content::unlike(linked_again, image)?);
    let [first, second] = [linked_again, image].map(|image| Linked::read(image, true));
    let (first, second) = (first?, second?);
    found.extend(elsewhere(&first, &second));
    found.extend(apart(units, &first, &second));
    let less_aligned = less_aligned(&first, &second);
    let seen_otherwise = !less_aligned.is_empty();
    found.extend(less_aligned);
    if own.places_sections() {
        found.extend(reordered(&first, &second));
    }
    if found.is_empty() {
        return Ok(());
    }
    let does = own.by_sections().map(|does| format!("the link {does}"));
    Err(LayoutError::Unfaithful {
        image: "the image of the objects that were compiled a second time, with function sections,"
            .to_string(),
        likely: if seen_otherwise {
            "the second compilation saw another source, header or variable".to_string()
        } else {
            does.unwrap_or_else(|| likely(own).unwrap_or(BY_SECTIONS).to_string())
        },
        found: listed(&found),
    })
}

/// The functions that both images have by one name, with their addresses in both, in the order of
/// names.
fn functions<'l>(first: &'l Linked, second: &'l Linked) -> Vec<(&'l [u8], [u64; 2])> {
    let mut found: Vec<(&[u8], [u64; 2])> = (first.named.iter())
        .filter(|(_, one)| one.is_function)
        .filter_map(|(name, one)| {
            let other = second.named.get(name)?;
            Some((name.as_slice(), [one.address, other.address]))
        })
        .collect();
    found.sort_unstable();
    found
}

/// The first function that stands in another section of the image.
fn elsewhere(first: &Linked, second: &Linked) -> Option<String> {
    functions(first, second).into_iter().find_map(|(name, at)| {
        let own = first.section_at(at[0])?.name.as_str();
        let other = second.section_at(at[1])?.name.as_str();
        let name = String::from_utf8_lossy(name);
        (own != other).then(|| format!("the function {name} stands in {other} instead of {own}"))
    })
}

/// Where a label is in the first link and in the second, and its name.
type Label<'a> = (u64, u64, &'a [u8]);

/// The first labels of several objects that are not as far apart: a program may walk from one to
/// the other.
fn apart(units: &Units, first: &Linked, second: &Linked) -> Option<String> {
    let mut labels: BTreeMap<&str, Vec<Label<'_>>> = BTreeMap::new();
    for name in &units.labels {
        let both = first.untyped.get(name).zip(second.untyped.get(name));
        let span = both.and_then(|(at, _)| first.spans.iter().find(|span| span.reaches(*at)));
        if let (Some((at, other)), Some(span)) = (both, span) {
            let of = labels.entry(&span.name).or_default();
            of.push((*at, *other, name));
        }
    }
    labels.values_mut().find_map(|labels| {
        labels.sort_unstable();
        labels.windows(2).find_map(|pair| {
            let [(at, there, name), (to, to_there, next)] = pair else {
                return None;
            };
            let (own, other) = (to - at, to_there.wrapping_sub(*there));
            let [name, next] = [name, next].map(|name| String::from_utf8_lossy(name));
            (own != other).then(|| {
                format!("between the labels {name} and {next} stand {other} bytes instead of {own}")
            })
        })
    })
}

/// The sections that are aligned to less: something in them asked for more, and does no longer. The
/// alignment of a single function is not to be had from an image, only the most of its section.
fn less_aligned(first: &Linked, second: &Linked) -> Vec<String> {
    let found = first.spans.iter().filter_map(|own| {
        let mut all = second.spans.iter();
        let other = all.find(|other| other.name == own.name)?;
        (other.alignment < own.alignment).then(|| {
            format!(
                "the section {} is aligned to {} bytes instead of {}",
                own.name, other.alignment, own.alignment
            )
        })
    });
    found.collect()
}

/// The first function, or symbol of a script among the code, that another one precedes.
fn reordered(first: &Linked, second: &Linked) -> Option<String> {
    let code = |linked: &Linked, at: u64| {
        let span = linked.section_at(at);
        span.is_some_and(|span| linked.executable.iter().any(|(name, _)| *name == span.name))
    };
    let marks = first.untyped.iter().filter_map(|(name, at)| {
        let other = second.untyped.get(name)?;
        let both = code(first, *at) && code(second, *other);
        both.then_some((name.as_slice(), [*at, *other], false))
    });
    let functions = functions(first, second).into_iter();
    let all: Vec<_> = functions
        .map(|(name, at)| (name, at, true))
        .chain(marks)
        .collect();
    // Where a region ends the next function may begin, or padding.
    let in_order = |image: usize| {
        let mut all: Vec<_> = (all.iter())
            .map(|(name, at, function)| (at[image], *function, *name))
            .collect();
        all.sort_unstable();
        all.into_iter().map(|(_, _, name)| name).collect::<Vec<_>>()
    };
    let (own, other) = (in_order(0), in_order(1));
    let differs = own.iter().zip(&other).find(|(own, other)| own != other);
    differs.map(|(own, other)| {
        let [own, other] = [own, other].map(|name| String::from_utf8_lossy(name));
        format!("the function {other} stands where {own} should")
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::elf::image::Span;

    #[test]
    fn a_section_that_lost_its_alignment_is_another_program() {
        let linked = |alignments: [u64; 2]| Linked {
            handles: HashMap::new(),
            marks: HashMap::new(),
            named: HashMap::new(),
            stubs: HashMap::new(),
            executable: Vec::new(),
            spans: [".text", ".data"]
                .into_iter()
                .zip(alignments)
                .map(|(name, alignment)| Span {
                    name: name.to_owned(),
                    address: 0,
                    size: 1,
                    alignment,
                })
                .collect(),
            untyped: HashMap::new(),
        };
        let own = linked([64, 32]);
        assert_eq!(less_aligned(&own, &linked([64, 64])), [] as [String; 0]);
        assert_eq!(
            less_aligned(&own, &linked([16, 32])),
            ["the section .text is aligned to 16 bytes instead of 64"]
        );
    }
}
