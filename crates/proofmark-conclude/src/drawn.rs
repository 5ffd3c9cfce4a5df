//! Whether drawn images do the work of those that the builds left. Where they do not, what layouts
//! say is about another program, and there is no verdict.
//!
//! Images are held against the build's own file before anything runs, and that cannot see what a
//! program does with its own bytes: one that sums up its code, or its file, finds another sum in
//! each layout. So its instructions are counted, once as shipped and once drawn. Where they are
//! equal, all that is left of a difference between the two is placement, and the size of data and
//! the order of functions, where matched layouts make these alike.

use proofmark_evidence::record::{
    Block, Conclusion, DrawnWork, Experiment, Pilot, ReadsItself, Warning,
};
use proofmark_stats::Verdict;
use proofmark_terms::BuildIndex;

use crate::apart::{apart as shipped_apart, may_be_apart};
use crate::conclude::BEYOND_OWN;
use crate::count::{Count, SAME_WORK, apart};
use crate::measured::Measured;
use crate::name::name;
use crate::withheld::is_withheld;

/// Instructions of one build's image as shipped, and of an image of it in a drawn layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawnCounts {
    /// As shipped.
    pub shipped: Count,
    /// Drawn.
    pub drawn: Count,
}

/// Counts of one build, or why there are none.
pub type CountedDrawn = Result<DrawnCounts, String>;

/// Why a comparison asks for a look at drawn images.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InQuestion {
    /// Its images as shipped are further from layouts than layouts explain.
    pub apart: bool,
    /// One of its builds reads the file that it runs.
    pub reads_itself: bool,
}

impl InQuestion {
    /// Whether it asks for one.
    #[must_use]
    pub fn is_asked(self) -> bool {
        self.apart || self.reads_itself
    }
}

/// What of a build matched layouts make like the base's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Evened {
    /// The size of data.
    Data {
        /// How many names have another size.
        count: u64,
        /// The largest of them, with both sizes.
        example: String,
    },
    /// The order of functions or of data.
    Order {
        /// How many stand in another order.
        count: u64,
        /// The largest of them.
        example: String,
    },
    /// How densely code or data lies.
    Spread {
        /// Whether it is the base's.
        base: bool,
        /// Whether it is code, and not data.
        code: bool,
        /// Cache lines of 64 bytes in the file, and in matched layouts.
        lines: [u64; 2],
        /// Pages of 4096 bytes, likewise.
        pages: [u64; 2],
    },
}

/// What each comparison asks of drawn images, in their order.
#[must_use]
pub fn in_question(
    experiment: &Experiment,
    pilot: &Pilot,
    blocks: &[Block],
    conclusion: &Conclusion,
) -> Vec<InQuestion> {
    if !experiment.layouts.is_drawn() {
        return vec![InQuestion::default(); conclusion.comparisons.len()];
    }
    let measured = Measured {
        experiment,
        pilot,
        blocks,
    };
    let comparisons = conclusion.comparisons.iter();
    comparisons
        .map(|one| InQuestion {
            apart: may_be_apart(&measured, one),
            reads_itself: reads_itself(experiment, one.build).is_some(),
        })
        .collect()
}

/// The build of a comparison, or the base, if its runs read the file that they run.
fn reads_itself(experiment: &Experiment, build: BuildIndex) -> Option<BuildIndex> {
    let readers = &experiment.inputs.read_themselves;
    [build, BuildIndex::BASE]
        .into_iter()
        .find(|build| readers.contains(build))
}

/// What counts of all builds, in their order, say of each comparison.
#[must_use]
pub fn drawn_work(experiment: &Experiment, counted: &[CountedDrawn]) -> Vec<DrawnWork> {
    let of = |build: BuildIndex| match build.of(counted) {
        Some(Ok(counts)) => of_build(name(experiment, build), counts),
        Some(Err(why)) => DrawnWork::Unknown { why: why.clone() },
        None => DrawnWork::Unknown {
            why: "not asked for".to_owned(),
        },
    };
    let comparisons = crate::arms::others(experiment);
    comparisons
        .map(|build| match (of(BuildIndex::BASE), of(build)) {
            (other @ DrawnWork::Other { .. }, _) | (_, other @ DrawnWork::Other { .. }) => other,
            (unknown @ DrawnWork::Unknown { .. }, _) => unknown,
            (_, new) => new,
        })
        .collect()
}

/// Counts that are as far apart as those of one image may be are equal.
fn of_build(name: &str, counts: &DrawnCounts) -> DrawnWork {
    let DrawnCounts { shipped, drawn } = counts;
    let own = |count: &Count| Some(apart(count.instructions, count.again?));
    let varies = [own(shipped), own(drawn)].into_iter().flatten();
    let most = varies.fold(SAME_WORK, |most, varies| most.max(BEYOND_OWN * varies));
    if apart(shipped.instructions, drawn.instructions) <= most {
        return DrawnWork::Same;
    }
    DrawnWork::Other {
        build: name.to_owned(),
        shipped: shipped.instructions,
        drawn: drawn.instructions,
    }
}

/// What matched layouts make alike says of a comparison whose images as shipped are apart from
/// layouts. Work that differs says more.
#[must_use]
pub fn with_evened(
    work: DrawnWork,
    [base_name, build]: [&str; 2],
    evened: Option<Evened>,
) -> DrawnWork {
    let build = build.to_owned();
    match (work, evened) {
        (DrawnWork::Same, Some(Evened::Data { count, example })) => DrawnWork::Evened {
            build,
            count,
            example,
        },
        (DrawnWork::Same, Some(Evened::Order { count, example })) => DrawnWork::Reordered {
            build,
            count,
            example,
        },
        (
            DrawnWork::Same,
            Some(Evened::Spread {
                base,
                code,
                lines,
                pages,
            }),
        ) => DrawnWork::Spread {
            build: if base { base_name.to_owned() } else { build },
            code,
            lines,
            pages,
        },
        (work, _) => work,
    }
}

/// Takes in, for each comparison that asked for it, whether drawn images do the work of those as
/// shipped. Where they do not, or nobody knows, its verdict is withheld.
pub fn judge_drawn(
    experiment: &Experiment,
    pilot: &Pilot,
    blocks: &[Block],
    conclusion: &mut Conclusion,
    drawn: Vec<Option<DrawnWork>>,
) {
    for (one, drawn) in conclusion.comparisons.iter_mut().zip(drawn) {
        one.drawn = drawn;
        if is_withheld(one) {
            one.verdict = Verdict::Undecided;
            one.decided_after = None;
            one.blocks_needed = None;
        }
    }
    let measured = Measured {
        experiment,
        pilot,
        blocks,
    };
    let mut warnings: Vec<Warning> = shipped_apart(&measured, &conclusion.comparisons)
        .into_iter()
        .map(|(_, warning)| warning)
        .collect();
    let readers = conclusion.comparisons.iter().filter_map(|one| {
        let reader = reads_itself(experiment, one.build)?;
        Some(Warning::ReadsItself(ReadsItself {
            build: name(experiment, reader).to_owned(),
            drawn: one.drawn.clone().filter(|_| is_withheld(one))?,
        }))
    });
    warnings.extend(readers);
    warnings.dedup();
    let others = std::mem::take(&mut conclusion.warnings).into_iter();
    warnings.extend(others.filter(|warning| !matches!(warning, Warning::ShippedApart(_))));
    conclusion.warnings = warnings;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(shipped: [u64; 2], drawn: [u64; 2]) -> DrawnCounts {
        let count = |[instructions, again]: [u64; 2]| Count {
            instructions,
            again: (again > 0).then_some(again),
            by: "valgrind",
        };
        DrawnCounts {
            shipped: count(shipped),
            drawn: count(drawn),
        }
    }

    #[test]
    fn drawn_images_do_other_work_where_counts_are_beyond_their_own_variation() {
        let same = |shipped, drawn| of_build("new", &counts(shipped, drawn)) == DrawnWork::Same;
        assert!(same([1_000_000, 0], [1_000_000, 0]));
        assert!(same([1_000_000, 0], [1_000_100, 0]), "start-up");
        assert!(!same([1_000_000, 1_000_000], [1_010_000, 1_010_000]));
        assert!(
            same([1_000_000, 1_005_000], [1_010_000, 1_010_000]),
            "threads"
        );
        assert!(same([1_000_000, 1_000_000], [1_010_000, 1_004_000]));
        assert!(!same([1_000_000, 1_001_000], [1_010_000, 1_010_000]));
    }
}
