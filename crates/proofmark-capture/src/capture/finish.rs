//! From what the shims saw in one run to links that can be linked again: stored, checked,
//! described.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use proofmark_layout::{Movability, Recipe, changed_after_link, movability, relink};
use proofmark_terms::Digest;

use super::companions::Left;
use super::elsewhere::Elsewhere;
use super::files::absolute;
use super::found::{self, Change, FoundLink};
use super::image;
use super::linking::Linking;
use super::origins::Origins;
use super::recipe::recipe;
use super::request::CaptureRequest;
use super::room::{self, Trial};
use super::run::Run;
use super::seconds::Seconds;
use super::{copied, recorded, stale, texts, toolchain};
use crate::captured::{
    Capture, CapturedLink, CompiledObject, LinkKind, Modified, Ran, RelinkCheck, Seen, Stale,
};
use crate::elf;
use crate::error::BuildError;
use crate::objects::Mode;
use crate::plain::plain_place;
use crate::store::Builds;
use crate::tools::Tool;
use crate::variables::Variables;

/// What one run comes to.
pub(super) struct Finished {
    pub links: Vec<CapturedLink>,
    pub chosen: Option<usize>,
    pub toolchain: Vec<Tool>,
    pub objects: Vec<CompiledObject>,
    pub stale: Vec<Stale>,
    pub warnings: Vec<String>,
    /// When the command ran; none where all that it wrote outside of its own folders is known.
    pub ran: Option<Ran>,
}

/// `number` says which of several runs it was, 0 when it was the first.
pub(super) fn finish(
    builds: &Builds,
    request: &CaptureRequest,
    run: &Run,
    number: u32,
) -> Result<Finished, BuildError> {
    let wanted = request
        .image
        .as_ref()
        .map(|image| absolute(&run.cwd.join(image)));
    room::check(builds, run)?;
    let links = found::links(run, wanted.as_deref());
    let chosen = match &request.image {
        Some(asked) => Some(image::find(run, &links, asked)?),
        None => image::only(&links.iter().map(|link| link.kind(run)).collect::<Vec<_>>()),
    };
    if links.is_empty() {
        return Err(image::nothing(run, number));
    }
    let mut warnings = run.problems.clone();
    warnings.extend(
        found::unexplained(run, &links)
            .iter()
            .map(|image| format!("{} is new, and no link of it was recorded", image.display())),
    );
    let mut earlier = builds.list()?.builds;
    // What several captures compiled is said to be of the one that was built in the same way: it is
    // no different from what this one would make.
    earlier.sort_by_key(|capture| capture.command == request.command);
    let Judged {
        objects,
        of_links,
        stale,
    } = objects(&earlier, request, run, &links, chosen, &mut warnings)?;
    warnings.extend(recorded::warning(&objects));
    store(builds, run, &links)?;
    let toolchain = toolchain::of(run, &links, &objects);
    let sessions =
        plain_place(&builds.sessions()).map_err(BuildError::file("open", &builds.sessions()))?;
    let scratch = tempfile::tempdir_in(&sessions)
        .map_err(BuildError::file("create a folder in", &sessions))?;
    let elsewhere = Elsewhere::of(request, run, &links)?;
    let left = Left::by(builds, request, run, &links, &elsewhere, &earlier);
    let gone = request.copy.as_ref();
    let gone = gone.map(|copy| copied::gone(builds.objects(), scratch.path(), copy));
    let gone = (gone.transpose()).map_err(BuildError::file("write", builds.folder()))?;
    let seconds = Seconds::of(run);
    let linking = Linking::new(run, builds.objects(), (&seconds, &objects), scratch.path());
    let mut links = links
        .iter()
        .zip(&of_links)
        .map(|(link, objects)| {
            Ok(CapturedLink {
                companions: left.companions(link)?,
                gone: gone.clone(),
                sections_added: objects.iter().any(|object| object.sections_added),
                ..captured(
                    builds,
                    run,
                    link,
                    (&linking, &earlier, objects),
                    scratch.path(),
                )?
            })
        })
        .collect::<Result<Vec<_>, BuildError>>()?;
    // A program may do something else under each of its names.
    let asked = wanted.filter(|place| place.exists());
    if let Some((link, place)) = chosen.and_then(|at| links.get_mut(at)).zip(asked) {
        link.go_by(place);
    }
    Ok(Finished {
        links,
        chosen,
        toolchain,
        objects,
        stale,
        warnings,
        ran: (!elsewhere.all_known).then_some(Ran {
            began_us: run.started_ns.div_euclid(1000),
            ended_us: run.ended_ns.div_euclid(1000),
        }),
    })
}

/// The objects of a build's links.
struct Judged {
    /// All of them, each once.
    objects: Vec<CompiledObject>,
    /// Those of each link.
    of_links: Vec<Vec<CompiledObject>>,
    stale: Vec<Stale>,
}

/// The objects of the links; refused where the link that matters holds one that nobody saw being
/// made.
fn objects(
    earlier: &[Capture],
    request: &CaptureRequest,
    run: &Run,
    links: &[FoundLink],
    chosen: Option<usize>,
    warnings: &mut Vec<String>,
) -> Result<Judged, BuildError> {
    let origins = Origins::of(run, earlier).map_err(BuildError::file("read", &run.cwd))?;
    let mut all = Vec::new();
    let mut of_links = Vec::new();
    let mut that_matter = Vec::new();
    let mut known = HashSet::new();
    for (at, link) in links.iter().enumerate() {
        let objects = origins.objects(&link.event, run);
        let unseen: Vec<CompiledObject> = objects
            .iter()
            .filter(|object| matches!(object.seen, Seen::Unseen { .. }))
            .cloned()
            .collect();
        let matters = chosen.is_none_or(|chosen| chosen == at);
        if matters && !link.event.problems.is_empty() {
            return Err(BuildError::Recording {
                problems: link.event.problems.clone(),
            });
        }
        if matters {
            let first = |object: &&CompiledObject| !that_matter.contains(*object);
            let new: Vec<CompiledObject> = objects.iter().filter(first).cloned().collect();
            that_matter.extend(new);
        }
        if matters && !unseen.is_empty() && !request.allow_unseen {
            if !run.problems.is_empty() {
                return Err(BuildError::Recording {
                    problems: run.problems.clone(),
                });
            }
            return Err(BuildError::Unseen {
                objects: refused(&unseen),
            });
        }
        if !unseen.is_empty() {
            warnings.push(format!(
                "{} of {} objects in {} were not seen being compiled",
                unseen.len(),
                objects.len(),
                link.output.display()
            ));
        }
        of_links.push(objects.clone());
        all.extend(objects.into_iter().filter(|object| {
            known.insert((
                object.file.clone(),
                object.member.clone(),
                object.hash.clone(),
            ))
        }));
    }
    let variables = stale::variables(&Variables::of(&request.env));
    let stale = stale::among(&that_matter, earlier, &request.command, &variables);
    Ok(Judged {
        objects: all,
        of_links,
        stale,
    })
}

/// What a refusal names: each object with what it may come from.
fn refused(objects: &[CompiledObject]) -> Vec<(String, String)> {
    let mut named = Vec::new();
    for object in objects {
        if let Seen::Unseen { guess } = &object.seen {
            named.push((object.to_string(), guess.clone()));
        }
    }
    named
}

/// Moves what the links need from the session to the store.
fn store(builds: &Builds, run: &Run, links: &[FoundLink]) -> Result<(), BuildError> {
    for link in links {
        let event = &link.event;
        let inputs = event.inputs.iter().flat_map(|input| {
            let thin = input.kind == proofmark_layout::InputKind::ThinArchive;
            let members = input
                .members
                .iter()
                .filter(move |_| thin)
                .map(|member| &member.hash);
            std::iter::once(&input.hash).chain(members)
        });
        let lto = event.lto.iter().flat_map(|lto| &lto.objects);
        for hash in inputs.chain(lto).chain([&event.hash]) {
            builds
                .objects()
                .adopt(run.session.staged(), hash)
                .map_err(BuildError::file("store", &builds.objects().path(hash)))?;
        }
        builds
            .objects()
            .make_program(&event.hash)
            .map_err(BuildError::file(
                "store",
                &builds.objects().path(&event.hash),
            ))?;
    }
    Ok(())
}

fn captured(
    builds: &Builds,
    run: &Run,
    link: &FoundLink,
    (linking, earlier, objects): (&Linking<'_>, &[Capture], &[CompiledObject]),
    scratch: &Path,
) -> Result<CapturedLink, BuildError> {
    let event = &link.event;
    let recipe = recipe(&|hash| builds.objects().path(hash), event);
    let linked = builds.objects().path(&event.hash);
    let kind = link.kind(run);
    let data = fs::read(&linked).unwrap_or_default();
    let mut problems = event.problems.clone();
    let image_hash = left(builds, link).unwrap_or_else(|error| {
        problems.push(format!(
            "{} was changed after the link, and what was left cannot be stored: {error}; the linker's own output is kept",
            link.output.display()
        ));
        event.hash.clone()
    });
    let image = builds.objects().path(&image_hash);
    // What cannot be read as an image of a link is told when layouts are asked for.
    let edited = if image_hash == event.hash {
        None
    } else {
        changed_after_link(&image, &linked).ok().flatten()
    };
    let Trial::Told(relink) = check(&recipe, &linked, scratch) else {
        return Err(room::for_trial(builds, event));
    };
    let (recipe, twice) = match linking.chosen(recipe, kind, objects) {
        Err(error) if room::is_full(&error) => return Err(room::for_trial(builds, event)),
        other => other.map_err(BuildError::file("write", scratch))?,
    };
    let texts = texts::texts(run, builds.objects(), earlier, (&recipe, objects))
        .map_err(BuildError::file("write", builds.folder()))?;
    Ok(CapturedLink {
        relink,
        movability: movable(&recipe, kind),
        texts,
        recipe,
        edited,
        image_hash,
        // What a later step took away has the time at which it was stored.
        image_modified: Modified::of(
            &fs::metadata(&link.output)
                .or_else(|_| fs::metadata(&image))
                .map_err(BuildError::file("read", &link.output))?,
        ),
        output: link.output.clone(),
        aliases: link.aliases.clone(),
        kind,
        sections_added: false,
        twice,
        pristine: None,
        comments: elf::comments(&data),
        producers: elf::producers(&data),
        problems,
        image,
        companions: Vec::new(),
        gone: None,
    })
}

/// Stores the image as the build left it: stripped, edited, with something appended. That is what
/// the user has. Returns its hash.
fn left(builds: &Builds, link: &FoundLink) -> std::io::Result<Digest> {
    if matches!(link.change, Change::None) {
        return Ok(link.event.hash.clone());
    }
    builds.objects().keep(&link.output, Mode::Program, &[])
}

fn movable(recipe: &Recipe, kind: LinkKind) -> Result<Movability, String> {
    match kind {
        LinkKind::Relocatable => Err("it is an input of another link".to_owned()),
        LinkKind::Executable | LinkKind::SharedLibrary => {
            movability(recipe).map_err(|error| error.to_string())
        }
    }
}

/// Links again as shipped and compares.
fn check(recipe: &Recipe, image: &Path, scratch: &Path) -> Trial {
    let failed = |why: String| Trial::Told(RelinkCheck::Failed { why });
    let folder = match tempfile::tempdir_in(scratch) {
        Ok(folder) => folder,
        Err(error) if room::is_full(&error) => return Trial::Full,
        Err(error) => return failed(error.to_string()),
    };
    let again = folder.path().join("again");
    if let Err(error) = relink(recipe, &folder.path().join("tree"), &again) {
        if room::was_short(&error) {
            return Trial::Full;
        }
        return failed(error.to_string());
    }
    Trial::Told(match (fs::read(image), fs::read(&again)) {
        (Ok(shipped), Ok(again)) if shipped == again => RelinkCheck::Identical,
        (Ok(shipped), Ok(again)) => RelinkCheck::Differs {
            how: elf::difference(&shipped, &again),
        },
        (Err(error), _) | (_, Err(error)) => RelinkCheck::Failed {
            why: error.to_string(),
        },
    })
}
