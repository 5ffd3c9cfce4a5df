//! Who carries a difference by place, and what of the code's place may make it.

use proofmark_evidence::record::{
    CodeBetween, Conflict, DifferenceFound, Explanation, ExplanationBlock, HotPlace, JumpErratum,
    PlaceFound, PlaceOf, PlacedCode, PlacedImage, PlacementFound, SimulatedRun, SimulatedRuns,
};

use super::places::{Pair, places};

/// Names that are kept.
const NAMES: usize = 8;
/// More misses in a thousand instructions than this are not noise of start-up.
const MISSES: f64 = 0.001;

/// What the images as shipped say, of which the new one is slower, or the base.
pub(super) fn placement(
    explanation: &Explanation,
    blocks: &[ExplanationBlock],
    over_layouts: &[PlaceFound],
    new_is_slower: bool,
) -> PlacementFound {
    let pairs: Vec<Pair<'_>> = blocks
        .iter()
        .filter_map(|block| {
            let [base, new] = block.shipped.as_deref()?;
            Some([base, new])
        })
        .collect();
    let (found, compared) = shipped(&pairs, &explanation.code);
    let apart: Vec<PlaceFound> = found
        .into_iter()
        .filter(|one| is_apart(one, over_layouts))
        .collect();
    let conflict = explanation.placed.as_ref().and_then(|placed| {
        let simulated = explanation.simulated.as_ref();
        conflict(placed, simulated, &apart, new_is_slower)
    });
    PlacementFound {
        places: apart,
        compared,
        conflict,
    }
}

/// Where the time of the images as shipped is; nothing of fewer than two blocks.
fn shipped(pairs: &[Pair<'_>], code: &CodeBetween) -> (Vec<PlaceFound>, u32) {
    match pairs {
        [] | [_] => (Vec::new(), 0),
        pairs => places(pairs, code),
    }
}

/// Whether a place differs as shipped, and its interval over layouts is another one.
fn is_apart(found: &PlaceFound, over_layouts: &[PlaceFound]) -> bool {
    let Some(shipped) = found.difference.filter(DifferenceFound::differs) else {
        return false;
    };
    let mut over = over_layouts.iter();
    let over = over.find(|one| one.place == found.place);
    over.and_then(|one| one.difference)
        .is_none_or(|over| shipped.low > over.high || shipped.high < over.low)
}

/// What the slower image meets more of, the first of these: sets of the instruction cache, jumps of
/// the erratum, lines of loops.
fn conflict(
    placed: &PlacedCode,
    simulated: Option<&SimulatedRuns>,
    apart: &[PlaceFound],
    new_is_slower: bool,
) -> Option<Conflict> {
    let PlacedCode::Read {
        erratum, base, new, ..
    } = placed
    else {
        return None;
    };
    let slow = usize::from(new_is_slower);
    let both = Both {
        images: [base, new],
        slow,
    };
    both.sets(simulated)
        .or_else(|| both.jumps(*erratum, apart))
        .or_else(|| both.loops(apart))
}

/// Both images, and which of them is slower.
struct Both<'a> {
    images: [&'a PlacedImage; 2],
    slow: usize,
}

impl Both<'_> {
    fn pair(&self, of: impl Fn(&PlacedImage) -> u64) -> [u64; 2] {
        self.images.map(of)
    }

    fn is_more(&self, pair: [u64; 2]) -> bool {
        pair[self.slow] > pair[1 - self.slow]
    }

    /// Sets that more lines fall into than in the faster image; where there is a model, only if it
    /// misses more as well.
    fn sets(&self, simulated: Option<&SimulatedRuns>) -> Option<Conflict> {
        let beyond = self.pair(|one| one.beyond);
        let misses = match simulated {
            Some(SimulatedRuns::Counted { base, new, .. }) => {
                let each = |run: &SimulatedRun| run.i1 as f64 / run.instructions.max(1) as f64;
                let each = [base, new].map(each);
                each[self.slow] - each[1 - self.slow] > MISSES
            }
            _ => true,
        };
        if !(self.is_more(beyond) && misses) {
            return None;
        }
        let slower = self.images[self.slow];
        let there = || slower.functions.iter().filter(|one| one.in_overfull);
        Some(Conflict::CacheSets {
            beyond,
            sets: self.pair(|one| one.overfull),
            fullest: self.pair(|one| one.fullest),
            room: slower.room,
            functions: u32::try_from(there().count()).unwrap_or(u32::MAX),
            names: there().take(NAMES).map(|one| one.name.clone()).collect(),
        })
    }

    /// Of the functions that differ as shipped and not over layouts, in both images.
    fn summed(&self, apart: &[PlaceFound], of: fn(&HotPlace) -> u64) -> [u64; 2] {
        self.pair(|image| {
            let functions = image.functions.iter();
            let differing = functions.filter(|one| is_of(apart, &one.symbol));
            differing.map(of).sum()
        })
    }

    fn names(&self, apart: &[PlaceFound], of: fn(&HotPlace) -> u64) -> Vec<String> {
        let functions = self.images[self.slow].functions.iter();
        let there = functions.filter(|one| of(one) > 0 && is_of(apart, &one.symbol));
        there.take(NAMES).map(|one| one.name.clone()).collect()
    }

    fn jumps(&self, erratum: JumpErratum, apart: &[PlaceFound]) -> Option<Conflict> {
        let jumps = self.summed(apart, |one| one.jumps);
        let is_there = erratum == JumpErratum::Listed && self.is_more(jumps);
        is_there.then(|| Conflict::Jumps {
            jumps,
            names: self.names(apart, |one| one.jumps),
        })
    }

    fn loops(&self, apart: &[PlaceFound]) -> Option<Conflict> {
        let lines = self.summed(apart, |one| one.lines_beyond);
        let across = self.summed(apart, |one| one.loops_across);
        let is_there = self.is_more(lines) || self.is_more(across);
        is_there.then(|| Conflict::Loops {
            lines,
            across,
            names: self.names(apart, |one| one.lines_beyond + one.loops_across),
        })
    }
}

fn is_of(apart: &[PlaceFound], symbol: &str) -> bool {
    apart.iter().any(|one| match &one.place {
        PlaceOf::Function { symbol: own, .. } => own == symbol,
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use proofmark_evidence::record::HotBy;

    use super::*;

    fn hot(name: &str, in_overfull: bool, jumps: u64, lines_beyond: u64) -> HotPlace {
        HotPlace {
            symbol: name.to_owned(),
            name: name.to_owned(),
            start: 0x1000,
            share: 0.1,
            in_overfull,
            loops: 1,
            loops_across: 0,
            lines_beyond,
            jumps,
            far_calls: 0,
            vector_bits: 0,
            spills: 0,
        }
    }

    fn image(beyond: u64, functions: Vec<HotPlace>) -> PlacedImage {
        PlacedImage {
            lines: 100,
            pages: 10,
            room: 8,
            fullest: 8 + beyond,
            overfull: u64::from(beyond > 0),
            beyond,
            functions,
        }
    }

    fn read(erratum: JumpErratum, base: PlacedImage, new: PlacedImage) -> PlacedCode {
        PlacedCode::Read {
            by: HotBy::Model,
            cache: String::new(),
            erratum,
            base,
            new,
        }
    }

    fn misses(base: u64, new: u64) -> SimulatedRuns {
        let run = |i1| SimulatedRun {
            instructions: 1000,
            i1,
            ..SimulatedRun::default()
        };
        SimulatedRuns::Counted {
            caches: [const { String::new() }; 3],
            base: run(base),
            new: run(new),
            functions: None,
            misses: None,
        }
    }

    fn place(name: &str, low: f64, high: f64) -> PlaceFound {
        PlaceFound {
            place: PlaceOf::Function {
                symbol: name.to_owned(),
                name: name.to_owned(),
            },
            base: 0.3,
            new: 0.4,
            difference: Some(DifferenceFound {
                estimate: f64::midpoint(low, high),
                low,
                high,
            }),
            code: None,
            line: None,
        }
    }

    #[test]
    fn the_conflict_is_what_the_slower_image_has_more_of() {
        let (low, full) = (
            image(0, vec![hot("f", false, 0, 0)]),
            image(90, vec![hot("f", true, 2, 3), hot("g", true, 0, 0)]),
        );
        let apart = [place("f", 0.1, 0.2)];
        let other = JumpErratum::Other;
        let placed = read(other, low.clone(), full.clone());
        let sets = |slower| conflict(&placed, Some(&misses(1, 40)), &apart, slower);
        match sets(true) {
            Some(Conflict::CacheSets {
                beyond,
                functions,
                names,
                ..
            }) => {
                assert_eq!((beyond, functions), ([0, 90], 2));
                assert_eq!(names, ["f", "g"]);
            }
            found => panic!("{found:?}"),
        }
        // The base is slower, and has less of all.
        assert_eq!(sets(false), None);
        // The sets are too full, and the model does not miss: it is the lines of loops, or the
        // jumps where the processor has the erratum.
        let loops = conflict(&placed, Some(&misses(1, 1)), &apart, true);
        let lines = [0, 3];
        let names = vec!["f".to_owned()];
        let across = [0, 0];
        assert_eq!(
            loops,
            Some(Conflict::Loops {
                lines,
                across,
                names: names.clone()
            })
        );
        let listed = read(JumpErratum::Listed, low, full);
        let jumps = conflict(&listed, Some(&misses(1, 1)), &apart, true);
        assert_eq!(
            jumps,
            Some(Conflict::Jumps {
                jumps: [0, 2],
                names
            })
        );
        // Nobody differs as shipped: nobody's loops are to blame.
        assert_eq!(conflict(&listed, Some(&misses(1, 1)), &[], true), None);
    }

    #[test]
    fn what_differs_over_layouts_as_well_is_not_apart() {
        let over = [place("f", -0.02, 0.02), place("g", 0.1, 0.3)];
        let apart = |one: &PlaceFound| is_apart(one, &over);
        assert!(apart(&place("f", 0.1, 0.2)));
        assert!(!apart(&place("f", 0.01, 0.2)));
        assert!(!apart(&place("g", 0.15, 0.2)));
        assert!(!apart(&place("f", -0.2, 0.2)));
        // Too small over layouts to be held against noise.
        assert!(apart(&place("h", 0.1, 0.2)));
    }
}
