//! One feature with one toolchain: built without proofmark, captured in both states, laid out, run.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use proofmark_capture::{BuildOutput, Builds, CaptureRequest, CapturedLink, capture};
use proofmark_evidence::record::{Drawing, LayoutControl};
use proofmark_lab::{Source, Subject, cut_alike};
use proofmark_terms::Population;

use crate::feature::{Effect, Feature, Variant};
use crate::folder::Folder;
use crate::layouts::{control, draw};
use crate::outcome::Outcome;
use crate::toolchain::Toolchain;

/// One feature with one toolchain.
pub(crate) struct Cell {
    pub(crate) feature: Arc<Feature>,
    pub(crate) variant: Variant,
    pub(crate) toolchain: Arc<Toolchain>,
}

/// What stops a cell before its end.
enum Stop {
    /// proofmark refuses.
    Refusal(String),
    /// Something is wrong.
    Fault(String),
}

fn fault(what: impl Into<String>) -> Stop {
    Stop::Fault(what.into())
}

impl Cell {
    /// `feature/kind/toolchain`.
    pub(crate) fn name(&self) -> String {
        let (feature, toolchain) = (&self.feature.name, &self.toolchain.name);
        match self.variant.name.as_str() {
            "" => format!("{feature}/{toolchain}"),
            kind => format!("{feature}/{kind}/{toolchain}"),
        }
    }

    /// Whether layouts of it are to be expected.
    pub(crate) fn may_work(&self) -> bool {
        self.feature
            .absent(&self.variant, &self.toolchain)
            .is_none()
            && self.toolchain.refused.is_none()
    }

    /// Runs it.
    pub(crate) fn run(&self) -> Outcome {
        if let Some(why) = self.feature.absent(&self.variant, &self.toolchain) {
            let why = why.to_owned();
            return Outcome::NotApplicable { why };
        }
        let needs = self.toolchain.lacks();
        if let Some(needs) = needs.or_else(|| self.feature.lacks(&self.toolchain)) {
            let needs = needs.to_owned();
            return Outcome::Skipped { needs };
        }
        let expected = self.feature.refused(&self.variant, &self.toolchain);
        match (self.carried_out(), expected) {
            (Ok(layouts), None) => Outcome::Works { layouts },
            (Ok(layouts), Some(_)) => Outcome::Wrong {
                what: format!("it is said to be refused, and works ({layouts})"),
            },
            (Err(Stop::Refusal(why)), Some(word)) if why.contains(word) => Outcome::Refused { why },
            (Err(Stop::Refusal(why)), Some(word)) => Outcome::Wrong {
                what: format!("the refusal does not name {word:?}: {why}"),
            },
            (Err(Stop::Refusal(why)), None) => Outcome::Wrong {
                what: format!("refused: {why}"),
            },
            (Err(Stop::Fault(what)), _) => Outcome::Wrong { what },
        }
    }

    /// `CHANGE` of each build. Where a linker has no layouts at all, one build shows it.
    fn changes(&self) -> Vec<&str> {
        let both = [self.feature.base.as_str(), &self.feature.new];
        let builds = if self.toolchain.refused.is_some() {
            1
        } else {
            2
        };
        both[..builds].to_vec()
    }

    fn carried_out(&self) -> Result<String, Stop> {
        let mut variables = self.toolchain.variables();
        variables.insert("VARIANT", self.variant.flags.clone());
        let mut folder = Folder::new(variables).map_err(fault)?;
        let plain = self.plain(&mut folder).map_err(fault)?;
        let subjects = self.captured(&mut folder, &plain)?;
        let shipped = self.shipped(&mut folder, &subjects)?;
        let population = self.population();
        let control = control(&subjects, population, &folder.scratch()).map_err(Stop::Refusal)?;
        // One build alone asks for nothing else than another.
        if self.feature.found == Effect::Asked
            && subjects.len() > 1
            && !matches!(
                &control,
                LayoutControl::Drawn { how: Drawing::Independent { reason }, .. }
                    if reason.contains("each build keeps its own")
            )
        {
            return Err(fault(format!(
                "nobody says what the link asks for: {control:?}"
            )));
        }
        let drawn = draw(&subjects, &control, &folder.scratch()).map_err(Stop::Refusal)?;
        for one in &drawn {
            let said = folder
                .run(&self.feature, one.build, &one.path)
                .map_err(fault)?;
            if said != shipped[one.build] {
                return Err(fault(format!(
                    "build {} prints {said:?} in the layout of seed {}, and {:?} as shipped",
                    one.build, one.seed, shipped[one.build]
                )));
            }
        }
        Ok(match control {
            LayoutControl::Drawn {
                how: Drawing::Matched,
                ..
            } => "matched".to_owned(),
            LayoutControl::Drawn {
                how: Drawing::Independent { reason },
                ..
            } => format!("independent: {reason}"),
            other => format!("{other:?}"),
        })
    }

    /// Half of the cells draw orders too. Where order is what changed, gaps alone are drawn.
    fn population(&self) -> Population {
        let odd = self.name().bytes().fold(0_u8, |sum, byte| sum ^ byte) & 1 == 1;
        if odd && self.feature.found == Effect::Printed {
            Population::Shuffle
        } else {
            Population::Pad
        }
    }

    /// The first image without a capture.
    fn plain(&self, folder: &mut Folder) -> Result<Vec<u8>, String> {
        folder.fresh(&self.feature, 0)?;
        let image = folder
            .build(&self.feature, &self.feature.base)
            .map_err(|said| format!("it cannot be built at all: {said}"))?;
        folder.clear()?;
        Ok(image)
    }

    /// The builds captured. The first one leaves the image that it would have left without.
    fn captured(&self, folder: &mut Folder, plain: &[u8]) -> Result<Vec<Subject>, Stop> {
        let builds = Builds::open(&folder.scratch().join("builds"))
            .map_err(|error| fault(error.to_string()))?;
        let mut subjects = Vec::new();
        for (build, (name, change)) in ["base", "new"].into_iter().zip(self.changes()).enumerate() {
            folder.fresh(&self.feature, build).map_err(fault)?;
            let command = ["sh", "-euc", &self.feature.build]
                .map(OsString::from)
                .to_vec();
            let mut request =
                CaptureRequest::new(name, command).map_err(|error| fault(error.to_string()))?;
            request.cwd = folder.place();
            request.output = BuildOutput::File(folder.scratch().join("log"));
            request.env = folder
                .environment(change)
                .into_iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect();
            let refused = |error: proofmark_capture::BuildError| Stop::Refusal(error.to_string());
            let captured = capture(&builds, &request).map_err(refused)?;
            let link = captured
                .image(Some(Path::new(&self.feature.image)))
                .map_err(refused)?;
            if build == 0 && !self.feature.stamped {
                left_alone(link, plain)?;
            }
            subjects.push(Subject {
                name: name.to_owned(),
                source: Source::Captured {
                    ids: vec![captured.id.clone()],
                    links: vec![link.clone()],
                    toolchain: Vec::new(),
                    captured_ms: captured.created_ms,
                    ran: captured.ran,
                    revision: None,
                    patches: Vec::new(),
                    of_others: BTreeSet::new(),
                    built_otherwise: false,
                    recipe: None,
                },
                tree: None,
            });
        }
        Ok(cut_alike(subjects))
    }

    /// What the builds' own images print.
    fn shipped(&self, folder: &mut Folder, subjects: &[Subject]) -> Result<Vec<String>, Stop> {
        let mut printed = Vec::new();
        for (build, subject) in subjects.iter().enumerate() {
            let image = subject.shipped();
            let image = image.first().ok_or_else(|| fault("no image"))?;
            printed.push(folder.run(&self.feature, build, image).map_err(fault)?);
        }
        let differs = printed.first() != printed.last() || printed.len() == 1;
        if let Some(bad) = printed
            .iter()
            .find(|said| said.is_empty() || said.contains("[ends"))
        {
            return Err(fault(format!("as shipped it prints {bad:?}")));
        }
        if !differs && self.feature.found == Effect::Printed {
            return Err(fault(format!("as shipped the builds print {printed:?}")));
        }
        Ok(printed)
    }
}

/// Whether a capture left the image that the build makes by itself: what is loaded, to the byte.
fn left_alone(link: &CapturedLink, plain: &[u8]) -> Result<(), Stop> {
    let captured = std::fs::read(&link.image).map_err(|error| fault(error.to_string()))?;
    if captured == plain || proofmark_code::load_alike(&captured, plain) {
        return Ok(());
    }
    Err(fault(
        "under capture the build makes another image than without",
    ))
}
