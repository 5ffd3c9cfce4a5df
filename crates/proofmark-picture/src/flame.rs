//! Flame graphs: stacks of calls as boxes above each other, as wide as they weigh. They are pages
//! of their own, which can be searched and looked into with a browser.

use inferno::flamegraph::{Options, from_lines};
use proofmark_terms::printable;

use crate::error::PictureError;
use crate::stack::{Stack, both, lines};

/// What is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Flames<'a> {
    /// What it is of.
    pub title: &'a str,
    /// The line below.
    pub about: &'a str,
    /// What weights are: `samples`.
    pub unit: &'a str,
    /// The stacks.
    pub stacks: &'a [Stack],
}

/// Draws one flame graph, as SVG.
///
/// # Errors
/// [`PictureError::Empty`] where nothing weighs anything, and what the library says where it does
/// not draw it.
pub fn flame_graph(flames: &Flames) -> Result<Vec<u8>, PictureError> {
    let lines = lines(flames.stacks);
    let lines: Vec<String> = lines
        .into_iter()
        .map(|(stack, weight)| format!("{stack} {weight}"))
        .collect();
    drawn(&lines, flames)
}

/// Draws the difference between `base` and `flames`, whose weights are of one unit, as SVG. Boxes
/// are as wide as in `flames`; what weighs more than in `base` is red, and what weighs less is
/// blue. Stacks of `base` that `flames` lacks have no width: [`gone`] says how much they weigh.
///
/// # Errors
/// As [`flame_graph`].
pub fn flame_difference(base: &[Stack], flames: &Flames) -> Result<Vec<u8>, PictureError> {
    if lines(flames.stacks).is_empty() {
        return Err(PictureError::Empty);
    }
    drawn(&both(base, flames.stacks), flames)
}

/// How much of `base` is in stacks that `new` does not have, from 0 to 1.
#[must_use]
pub fn gone(base: &[Stack], new: &[Stack]) -> f64 {
    let (before, after) = (lines(base), lines(new));
    let all: u64 = before.values().sum();
    let lost = before
        .iter()
        .filter(|(stack, _)| !after.contains_key(*stack));
    let lost: u64 = lost.map(|(_, weight)| weight).sum();
    #[expect(
        clippy::cast_precision_loss,
        reason = "a share of samples, of which there are fewer than 2^53"
    )]
    let share = lost as f64 / all.max(1) as f64;
    share
}

fn drawn(lines: &[String], flames: &Flames) -> Result<Vec<u8>, PictureError> {
    if lines.is_empty() {
        return Err(PictureError::Empty);
    }
    let mut options = Options::default();
    options.title = printable(flames.title);
    options.subtitle = Some(printable(flames.about)).filter(|about| !about.is_empty());
    options.count_name = printable(flames.unit);
    // Colours by name, so that one function looks the same in every picture.
    options.hash = true;
    options.deterministic = true;
    "sans-serif".clone_into(&mut options.font_type);
    let mut svg = Vec::new();
    from_lines(&mut options, lines.iter().map(String::as_str), &mut svg)
        .map_err(PictureError::drawing)?;
    Ok(svg)
}
