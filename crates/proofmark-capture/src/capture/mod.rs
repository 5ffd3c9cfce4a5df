//! A build run unchanged behind shims, and what they saw made into a capture.

mod aligned;
mod attend;
mod clang;
mod companions;
mod compilers;
mod copied;
mod elsewhere;
mod falls;
mod files;
mod finish;
mod foreign;
mod found;
mod image;
mod labels;
mod linking;
mod origin;
mod origins;
mod recipe;
mod recorded;
mod request;
mod room;
mod run;
mod seconds;
mod shims;
mod stale;
mod texts;
mod toolchain;

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::FlockOperation;

use crate::captured::{Capture, CapturedLink, Modified, PristineImage, Seen, id};
use crate::error::BuildError;
use crate::objects::Mode;
use crate::states;
use crate::store::{Builds, check_name};
use crate::variables::Variables;

pub use attend::{Ended, attend, end_of};
pub use request::{BuildOutput, CaptureRequest, Compile, SourceCopy};

use companions::Left;
use elsewhere::Elsewhere;
use finish::Finished;
use origins::Origins;
use run::{Flavour, Preparation};

/// Runs a build and keeps what its links need.
///
/// # Errors
/// When the build fails, links nothing, links past the shims, or uses objects that no shim saw
/// being made; when the image asked for is not there; and when something cannot be stored. Nothing
/// half-written is ever listed.
pub fn capture(builds: &Builds, request: &CaptureRequest) -> Result<Capture, BuildError> {
    capture_until(builds, request, &|| false)
}

/// As [`capture`], but where the build's output goes to a file, the build and all that it started
/// end once it shall stop.
///
/// # Errors
/// As [`capture`], and when the build was stopped.
pub fn capture_until(
    builds: &Builds,
    request: &CaptureRequest,
    stopped: &dyn Fn() -> bool,
) -> Result<Capture, BuildError> {
    check_name(&request.name)?;
    let captured = capture_alone(builds, request, stopped);
    // Of several captures the last one succeeds.
    let _ = fs::remove_dir(builds.sessions());
    // What a replaced or a failed capture leaves; another capture that is running now would lose
    // what it has just stored.
    if let Ok(_lock) = builds.lock(FlockOperation::NonBlockingLockExclusive) {
        // Where another capture cannot be read, nobody knows what it needs: nothing is freed then,
        // and this capture is none the worse.
        let _ = builds.collect_garbage();
    }
    captured
}

fn capture_alone(
    builds: &Builds,
    request: &CaptureRequest,
    stopped: &dyn Fn() -> bool,
) -> Result<Capture, BuildError> {
    let cwd = request
        .cwd
        .canonicalize()
        .map_err(BuildError::file("open", &request.cwd))?;
    let _lock = builds.lock(FlockOperation::LockShared)?;
    let preparation = Preparation::of(request, &cwd);
    let mut revision = request.revision.clone().or_else(|| states::revision(&cwd));
    if let Some((revision, patch)) = revision.as_mut().zip(request.changes.as_ref()) {
        let kept = builds.objects().put(patch, Mode::Data);
        revision.patch = Some(kept.map_err(BuildError::file("write", builds.folder()))?);
    }

    let mut first: Option<Finished> = None;
    let mut repeats = Vec::new();
    for number in 1..=request.repeat.max(1) {
        let run = run::run(
            builds,
            request,
            &cwd,
            &preparation,
            Flavour::of(request.compile),
            stopped,
        )?;
        let finished = finish::finish(builds, request, &run, if number == 1 { 0 } else { number })?;
        match &mut first {
            None => first = Some(finished),
            Some(first) => {
                let ran = first.ran.zip(finished.ran);
                first.ran = ran.map(|(one, other)| one.joined(other));
                repeats.push(in_the_order_of(first, finished, number)?);
            }
        }
    }
    let mut finished = first.ok_or(BuildError::NothingLinked { run: 0 })?;
    if let Some(folder) = &request.not_from {
        foreign::check(&finished, folder, builds.folder(), &cwd)?;
    }
    // What is compiled twice is pristine already.
    if request.pristine && request.compile == Compile::Once {
        let run = run::run(
            builds,
            request,
            &cwd,
            &preparation,
            Flavour::Pristine,
            stopped,
        )?;
        add_pristine(builds, request, &mut finished, &run)?;
    }
    let capture = Capture {
        name: request.name.clone(),
        id: id(&finished.links, &repeats),
        created_ms: SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| {
                u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
            }),
        proofmark: env!("CARGO_PKG_VERSION").to_owned(),
        command: request.command.clone(),
        cwd,
        ran: finished.ran,
        revision,
        links: finished.links,
        repeats,
        chosen: finished.chosen,
        toolchain: finished.toolchain,
        objects: finished.objects,
        stale: finished.stale,
        environment: stale::variables(&Variables::of(&request.env)),
        warnings: finished.warnings,
    };
    builds.publish(&capture, request.keep)?;
    Ok(capture)
}

/// The links of a repeated build, one for each link of the first.
fn in_the_order_of(
    first: &Finished,
    repeated: Finished,
    number: u32,
) -> Result<Vec<CapturedLink>, BuildError> {
    let mut links = repeated.links;
    let mut ordered = Vec::new();
    for wanted in &first.links {
        let Some(at) = links.iter().position(|link| link.output == wanted.output) else {
            return Err(BuildError::NotRepeated {
                output: wanted.output.clone(),
                run: number,
            });
        };
        ordered.push(links.swap_remove(at));
    }
    Ok(ordered)
}

fn add_pristine(
    builds: &Builds,
    request: &CaptureRequest,
    finished: &mut Finished,
    run: &run::Run,
) -> Result<(), BuildError> {
    let linked = found::links(run, None);
    let elsewhere = Elsewhere::of(request, run, &linked)?;
    let left = Left::by(builds, request, run, &linked, &elsewhere, &[]);
    if linked.is_empty() {
        return Err(BuildError::NothingLinked { run: 2 });
    }
    let origins = Origins::of(run, &[]).map_err(BuildError::file("read", &builds.sessions()))?;
    for link in &mut finished.links {
        let Some(pristine) = linked.iter().find(|pristine| {
            pristine.output == link.output || link.aliases.contains(&pristine.output)
        }) else {
            finished.warnings.push(format!(
                "the build without function sections did not link {}",
                link.output.display()
            ));
            continue;
        };
        let kept = not_rebuilt(&origins, run, pristine);
        if let Some(first) = kept.first() {
            finished.warnings.push(format!(
                "{} was not built without function sections: {} of its objects, such as {first}, were there from before; give a build command that compiles everything (make clean; make)",
                link.output.display(),
                kept.len()
            ));
            continue;
        }
        let hash = &pristine.event.hash;
        builds
            .objects()
            .adopt(run.session.staged(), hash)
            .map_err(BuildError::file("store", &link.output))?;
        builds
            .objects()
            .make_program(hash)
            .map_err(BuildError::file("store", &link.output))?;
        let image = builds.objects().path(hash);
        let text_bytes = crate::elf::text_bytes(&image).unwrap_or(0);
        link.companions = left.companions(pristine)?;
        link.image_modified = Modified::of(
            &fs::metadata(&pristine.output).map_err(BuildError::file("read", &pristine.output))?,
        );
        link.pristine = Some(PristineImage {
            image,
            image_hash: hash.clone(),
            text_bytes,
            sectioned_text_bytes: crate::elf::text_bytes(&link.image).unwrap_or(0),
        });
    }
    Ok(())
}

/// The objects of a link that the run did not make.
fn not_rebuilt(origins: &Origins, run: &run::Run, link: &found::FoundLink) -> Vec<String> {
    origins
        .objects(&link.event, run)
        .iter()
        .filter(|object| matches!(object.seen, Seen::Unseen { .. } | Seen::Earlier { .. }))
        .map(ToString::to_string)
        .collect()
}
