//! How far two builds are alike, which says whether matched layouts suit them.

use std::collections::HashMap;

use crate::LayoutError;
use crate::content::digests;
use crate::density::{Spread, spread};
use crate::pairing::{Identity, pair};
use crate::recipe::Recipe;
use crate::survey::{Look, ratio};

/// Above this share of differing code, builds are given layouts of their own: slots would hide what
/// the larger one costs in density.
pub const MATCHED_UP_TO: f64 = 0.05;

/// What two builds have alike, as far as it says whether matched layouts suit them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alike {
    /// Share of the code, 0 to 1, that is not found in the other build: bytes of functions that
    /// differ in content or that only one of the two has, over the bytes of all functions of both.
    /// Relocations are compared by what they lead to, so a function that merely lies elsewhere, or
    /// calls one that does, is the same.
    pub differing: f64,
    /// Matched layouts would spread code or data of one of them: that it lies more densely, or
    /// less, is a part of the change.
    pub spread: Option<Spread>,
}

impl Alike {
    /// Links both builds once, in folders for temporary files.
    ///
    /// # Errors
    /// When an input cannot be read or a link fails.
    pub fn of(a: &Recipe, b: &Recipe) -> Result<Alike, LayoutError> {
        let (a, b) = rayon::join(|| Look::at(a), || Look::at(b));
        let looks = [a?, b?];
        Ok(Alike {
            differing: differing_share(&looks)?,
            spread: spread(&looks),
        })
    }
}

fn differing_share(looks: &[Look; 2]) -> Result<f64, LayoutError> {
    let code = looks.each_ref().map(Look::code);
    let identities: Vec<Vec<Identity>> = looks
        .iter()
        .zip(&code)
        .map(|(look, code)| {
            code.iter()
                .map(|unit| Identity::of(&look.units, *unit))
                .collect()
        })
        .collect();
    let (rows, _) = pair(&identities);
    let mut digest_of: [HashMap<usize, blake3::Hash>; 2] = [HashMap::new(), HashMap::new()];
    for (build, look) in looks.iter().enumerate() {
        let digests = digests(&look.units)?;
        digest_of[build] = code[build]
            .iter()
            .zip(&rows[build])
            .filter_map(|(unit, row)| Some((*row, *digests.get(unit)?)))
            .collect();
    }
    let (mut differing, mut all) = (0, 0);
    for (build, look) in looks.iter().enumerate() {
        for (unit, row) in code[build].iter().zip(&rows[build]) {
            let size = look.units.unit(*unit).0.size;
            all += size;
            if digest_of[0].get(row) != digest_of[1].get(row) {
                differing += size;
            }
        }
    }
    Ok(ratio(differing, all).unwrap_or(0.0))
}
