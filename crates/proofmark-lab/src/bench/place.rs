//! The images of a block put where they run, and held against what was recorded.

use std::path::{Path, PathBuf};

use proofmark_conclude::{RoundAt, build_of};
use proofmark_evidence::record::ArmRef;
use proofmark_terms::{BuildIndex, Digest};

use super::{Bench, Placed};
use crate::block::idle;
use crate::builds::held;
use crate::command;
use crate::error::{LabError, of_file};
use crate::places::Take;
use crate::prepare::prepare;

impl Bench {
    /// Puts fresh copies of a block's images in place; their hashes in the order of the arms.
    ///
    /// Copies are made in a drawn order, and while those of the block before are there: which
    /// physical pages an arm gets is then a draw, each time for itself, and no habit of the kernel.
    pub(super) fn put(
        &mut self,
        block: Option<u32>,
        arms: &[ArmRef],
    ) -> Result<Vec<Digest>, LabError> {
        if let Some(maker) = &self.alongside.maker {
            for shared in maker.borrow_mut().advance(block)? {
                self.elsewhere.insert(shared.what.clone(), shared.clone());
            }
        }
        let folder = self.copies.begin()?;
        let first = RoundAt { block, round: 0 };
        let mut placed = Vec::with_capacity(arms.len());
        // Numbers of one length for the arms, and so paths.
        for (number, index) in (10_u32..).zip(self.draws.copies(first, arms.len())) {
            let (arm, folder) = (arms[index], folder.join(number.to_string()));
            let put = match build_of(arm) {
                None => idle_program(arm)?,
                Some(build) => self.put_build(block, arm, build, &folder)?,
            };
            placed.push((index, put));
        }
        placed.sort_by_key(|(index, _)| *index);
        self.placed = placed.into_iter().map(|(_, placed)| placed).collect();
        self.copies.settled(&folder)?;
        for placed in self.placed.clone() {
            if let Some(build) = build_of(placed.arm) {
                self.check(self.take(block, build), &placed)
                    .map_err(|error| error.of_build(build))?;
            }
        }
        let hashes = self.placed.iter().map(|placed| placed.staged.hash.clone());
        Ok(hashes.collect())
    }

    fn put_build(
        &self,
        block: Option<u32>,
        arm: ArmRef,
        build: BuildIndex,
        folder: &Path,
    ) -> Result<Placed, LabError> {
        let source = self.source(block, arm)?;
        let staged = self
            .places
            .stage(self.take(block, build), &source, folder)?;
        self.as_recorded(block, arm, &source, &staged.hash)?;
        Ok(Placed { arm, staged })
    }

    /// Which capture of a build a block runs.
    pub(super) fn take(&self, block: Option<u32>, build: BuildIndex) -> Take {
        let images = build.of(&self.shipped).map_or(0, Vec::len);
        Take {
            build,
            repeat: self.draws.repeat(block, build, images),
        }
    }

    /// The file that an arm of a block is a copy of.
    fn source(&self, block: Option<u32>, arm: ArmRef) -> Result<PathBuf, LabError> {
        let Some(build) = build_of(arm) else {
            return Ok(PathBuf::from(idle::PROGRAM));
        };
        match (&self.alongside.maker, arm) {
            (Some(maker), ArmRef::Drawn { .. } | ArmRef::Taxed) => maker.borrow_mut().image(build),
            (_, ArmRef::AsShipped { .. } | ArmRef::Idle) | (None, _) => {
                self.shipped(block, build).map(Path::to_owned)
            }
        }
    }

    /// The build's own image for a block; a repeated capture has several.
    pub(super) fn shipped(&self, block: Option<u32>, build: BuildIndex) -> Result<&Path, LabError> {
        let images = build
            .of(&self.shipped)
            .map(Vec::as_slice)
            .unwrap_or_default();
        images
            .get(self.draws.repeat(block, build, images.len()))
            .map(PathBuf::as_path)
            .ok_or_else(|| LabError::Fault(format!("build {build} has no image")))
    }

    /// Whether the copy of a build's own image is the image that was recorded.
    fn as_recorded(
        &self,
        block: Option<u32>,
        arm: ArmRef,
        source: &Path,
        found: &str,
    ) -> Result<(), LabError> {
        let Some(build) = build_of(arm) else {
            return Ok(());
        };
        let all = build
            .of(&self.hashes)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let recorded = all.get(self.draws.repeat(block, build, all.len()));
        match (recorded, arm) {
            (Some(recorded), ArmRef::AsShipped { .. }) if !recorded.is_empty() => {
                held::same(found, source, recorded)
            }
            _ => Ok(()),
        }
    }

    /// Looks, once for each build, whether an arm maps what it is meant to.
    fn check(&mut self, take: Take, placed: &Placed) -> Result<(), LabError> {
        if self.mapped.knows(take.build) {
            return Ok(());
        }
        prepare(self.benchmark(placed.arm))?;
        let named = command::image_is_named(self.benchmark(placed.arm));
        let launch = self.launch(placed, 0)?;
        self.mapped
            .check(take, &launch, &self.places, named, &self.stop)
    }

    /// Makes the placed arms' copies of the working folder anew, where they have such.
    pub(super) fn renew(&self, arms: &[usize]) -> Result<(), LabError> {
        let placed = arms.iter().filter_map(|&arm| self.placed.get(arm));
        let mut copies = placed.filter_map(|placed| placed.staged.fresh.as_ref());
        copies.try_for_each(|fresh| fresh.renew())
    }
}

/// The program that idles beside others.
fn idle_program(arm: ArmRef) -> Result<Placed, LabError> {
    let staged = idle::staged().map_err(of_file("read", Path::new(idle::PROGRAM)))?;
    Ok(Placed { arm, staged })
}
