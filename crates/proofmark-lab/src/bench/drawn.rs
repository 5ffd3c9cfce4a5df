//! Instructions of the images of a block, drawn and as shipped.

use std::path::PathBuf;

use proofmark_conclude::{Counted, CountedDrawn, DrawnCounts, Evened};
use proofmark_evidence::record::ArmRef;
use proofmark_layout::TakenBack;
use proofmark_terms::BuildIndex;

use super::Bench;
use crate::beside::{Counting, ToCount};

impl Bench {
    /// Counts each build's image as shipped and the one in the layout that is placed.
    pub(super) fn count_drawn(&self, until_ms: Option<u64>) -> Vec<CountedDrawn> {
        let builds = BuildIndex::all(self.experiment.builds.len());
        if !self.alongside.counts_drawn {
            let not_asked = || Err("not asked for".to_owned());
            return builds.map(|_| not_asked()).collect();
        }
        let images = builds.flat_map(|build| {
            let arms = [ArmRef::AsShipped { build }, ArmRef::Drawn { build }];
            arms.map(|arm| ToCount {
                take: self.take(self.block, build),
                image: self.image_of(arm, build),
            })
        });
        let mut counting = Counting::of(
            &self.experiment,
            images.collect(),
            &self.places,
            &self.copies.folder().join("count"),
            self.core.core(),
            self.stop.clone(),
        )
        .in_groups_of(2);
        counting.foresee(self.longest());
        let counted = counting.wait(until_ms);
        counted.chunks(2).map(pair).collect()
    }

    /// What layouts make alike of the base and of a build. Inputs that cannot be read any more are
    /// somebody else's matter: images were made of them.
    pub(super) fn evened_with_base(&self, build: BuildIndex) -> Option<Evened> {
        let links = &self.alongside.links;
        let (base, new) = (BuildIndex::BASE.of(links)?, build.of(links)?);
        let found = proofmark_layout::evened(base, new).ok().flatten();
        if let Some(found) = found {
            return Some(Evened::Data {
                count: found.count as u64,
                example: found.example,
            });
        }
        let found = proofmark_layout::taken_back(base, new, 0).ok().flatten()?;
        Some(match found {
            TakenBack::Order(order) => Evened::Order {
                count: order.count as u64,
                example: order.example,
            },
            TakenBack::Spread(spread) => Evened::Spread {
                base: spread.build == 0,
                code: spread.code,
                lines: [spread.own.lines, spread.matched.lines],
                pages: [spread.own.pages, spread.matched.pages],
            },
        })
    }

    /// The file of an arm of the block that is placed.
    fn image_of(&self, arm: ArmRef, build: BuildIndex) -> Option<PathBuf> {
        let placed = self.placed.iter().find(|placed| placed.arm == arm);
        let placed = placed.map(|placed| placed.staged.file.clone());
        let shipped = || self.shipped(self.block, build).ok();
        match arm {
            ArmRef::AsShipped { .. } => placed.or_else(|| Some(shipped()?.to_owned())),
            _ => placed,
        }
    }
}

/// Both counts of a build.
fn pair(counted: &[Counted]) -> CountedDrawn {
    match counted {
        [Ok(shipped), Ok(drawn)] => Ok(DrawnCounts {
            shipped: *shipped,
            drawn: *drawn,
        }),
        [Err(why), _] | [_, Err(why)] => Err(why.clone()),
        _ => Err("they were not counted".to_owned()),
    }
}
