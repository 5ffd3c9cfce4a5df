//! Builds that came with the evidence, in place of building: as they are measured in the sandbox,
//! and what the sandbox has to have for them.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Component, Path, PathBuf};

use anyhow::Context as _;
use proofmark_capture::{Builds, Capture, CapturedLink};
use proofmark_conclude::with_images::AtHand;
use proofmark_evidence::bundle::Enclosures;
use proofmark_evidence::is_left_out;
use proofmark_evidence::record::{Build, BuildOrigin, Experiment};
use proofmark_lab::Subject;
use proofmark_measure::sandbox::{Shown, system};
use proofmark_terms::{CaptureId, Digest};

use crate::commands::subject;
use crate::context::Context;
use crate::exit::CannotReplay;

/// Calls `told` with what came with the evidence.
pub(super) fn at_hand<T>(enclosures: &Enclosures, told: impl FnOnce(AtHand<'_>) -> T) -> T {
    let image = |digest: &Digest| enclosures.holds(digest);
    let capture = |id: &CaptureId| record_of(id, enclosures).is_some();
    told(AtHand {
        image: &image,
        capture: &capture,
    })
}

fn record_of<'e>(id: &CaptureId, enclosures: &'e Enclosures) -> Option<&'e Digest> {
    let mut captures = enclosures.captures().iter();
    let found = captures.find(|capture| capture.id == *id)?;
    Some(&found.record)
}

/// The builds of an experiment, taken out of its bundle into the store.
pub(super) fn subjects(
    experiment: &Experiment,
    enclosures: &Enclosures,
    context: &Context,
) -> anyhow::Result<Vec<Subject>> {
    let builds = experiment.builds.iter().enumerate();
    let subject = |(number, build): (usize, &Build)| -> anyhow::Result<Subject> {
        let again = at_hand(enclosures, |at_hand| at_hand.is_linked_again(build));
        let mut subject = match &build.origin {
            BuildOrigin::Captured { ids, .. } if again => {
                captured(build, ids, enclosures, context)?
            }
            _ => as_shipped(build, number, enclosures, context)?,
        };
        subject.name.clone_from(&build.name);
        Ok(subject)
    };
    builds.map(subject).collect()
}

/// An image as shipped, in a folder of its own.
fn as_shipped(
    build: &Build,
    number: usize,
    enclosures: &Enclosures,
    context: &Context,
) -> anyhow::Result<Subject> {
    let program = &build.images.program;
    let folder = context.folder.join("images").join(number.to_string());
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let file = folder.join(file_name(Path::new(program.name.as_ref())));
    enclosures.extract(&program.digest, &file)?;
    fs::set_permissions(&file, Permissions::from_mode(0o755))
        .with_context(|| format!("cannot make {} executable", file.display()))?;
    subject::executable(&file)
}

/// The name of an image as a file's: never a way to another folder.
fn file_name(name: &Path) -> OsString {
    let mut parts = name.components();
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(name)), None) if !is_left_out(name) => name.to_owned(),
        _ => "image".into(),
    }
}

/// A captured build, which is linked again in new layouts.
fn captured(
    build: &Build,
    ids: &[CaptureId],
    enclosures: &Enclosures,
    context: &Context,
) -> anyhow::Result<Subject> {
    let builds = context.builds()?;
    let captures = ids.iter().map(|id| taken_in(id, enclosures, &builds));
    let captures = captures.collect::<anyhow::Result<Vec<Capture>>>()?;
    let (first, more) = captures
        .split_first()
        .context("a build without a capture")?;
    let mut links = (first.links.iter()).chain(first.repeats.iter().flatten());
    let is_it = |link: &&CapturedLink| {
        let own = link.pristine.as_ref().map(|pristine| &pristine.image_hash);
        own.unwrap_or(&link.image_hash) == &build.images.program.digest
    };
    let image = links.find(is_it).map(|link| link.output.clone());
    let image = image.with_context(|| {
        format!(
            "the capture of {} has not the image that was measured",
            build.name
        )
    })?;
    let mut subject = subject::captured_often(first, more, Some(&image))?;
    if let Some(how) = &build.built_by {
        subject.mark_built_by(how.clone());
    }
    Ok(subject)
}

fn taken_in(id: &CaptureId, enclosures: &Enclosures, builds: &Builds) -> anyhow::Result<Capture> {
    let record = record_of(id, enclosures).context("a capture that is not there")?;
    let record = enclosures.read(record)?;
    for digest in Builds::described(&record, id)?.needed {
        let place = builds.object(&digest);
        // An earlier try may have left it; whether it is whole is looked at when it is taken in.
        if !place.exists() {
            let folder = place.parent().unwrap_or(&place);
            fs::create_dir_all(folder)
                .with_context(|| format!("cannot make {}", folder.display()))?;
            enclosures.extract(&digest, &place)?;
        }
    }
    Ok(builds.take_in(&record, id)?)
}

/// Folders that the sandbox has to have beside its own, so that captured builds are seen where
/// they were built: the topmost ones, each an empty one of the replay's.
///
/// # Errors
/// When a build belongs into a folder of the system, which nothing is put into.
pub(super) fn places(
    experiment: &Experiment,
    enclosures: &Enclosures,
) -> anyhow::Result<BTreeSet<PathBuf>> {
    const OWN: [&str; 4] = ["/dev/shm", "/home", "/replay", "/tmp"];
    // What lies in them is the sandbox's: nothing may hide it.
    const MADE: [&str; 3] = ["/dev", "/etc", "/proc"];
    let mut folders = BTreeSet::new();
    for build in &experiment.builds {
        let again = at_hand(enclosures, |at_hand| at_hand.is_linked_again(build));
        let ids = match &build.origin {
            BuildOrigin::Captured { ids, .. } if again => ids.as_slice(),
            _ => &[],
        };
        for id in ids {
            let record = record_of(id, enclosures).context("a capture that is not there")?;
            let described = Builds::described(&enclosures.read(record)?, id)?;
            for place in described.places {
                if OWN.iter().any(|own| place.starts_with(own)) {
                    continue;
                }
                let topmost: PathBuf = place.components().take(2).collect();
                let is_made = MADE.iter().any(|made| topmost == Path::new(made));
                let is_system = |shown: &Shown| shown.at.starts_with(&topmost);
                if is_made || system().iter().any(is_system) {
                    return Err(CannotReplay(format!(
                        "{} was built into {}, where the sandbox has files of its own\n  \
                         next: replay it as shipped, from a bundle with --images alone",
                        build.name,
                        place.display()
                    ))
                    .into());
                }
                folders.insert(topmost);
            }
        }
    }
    Ok(folders)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_somebody_elses_leads_nowhere() {
        assert_eq!(file_name(Path::new("fib")), "fib");
        for bad in ["../fib", "/etc/passwd", "a/b", "..", "", ".", "⟨private 0⟩"] {
            assert_eq!(file_name(Path::new(bad)), "image", "{bad}");
        }
    }
}
