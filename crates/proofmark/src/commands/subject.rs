//! A build named on the command line, as it is measured.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use anyhow::Context as _;
use proofmark_capture::{Capture, CapturedLink, Ran};
use proofmark_evidence::record::{Build, BuildOrigin};
use proofmark_lab::{Source, Subject};
use proofmark_terms::{Digest, image_marks};

use super::named::Named;
use crate::arguments::BenchmarkArgs;
use crate::console;
use crate::context::Context;
use crate::exit::Usage;
use crate::shown;

/// What a word names, to be measured.
pub(crate) fn find(
    word: &OsStr,
    image: Option<&Path>,
    context: &Context,
) -> anyhow::Result<Subject> {
    match Named::find(word, context)? {
        Named::Build {
            capture,
            name,
            options,
            other_files,
        } => {
            if other_files {
                return Err(Usage(format!(
                    "the runs of `{name}` read other files than lie in its sources, and no command \
                     but `matrix run` and `ledger run` puts these in their place; `proofmark \
                     compare BUILD --tree OLD --tree NEW` compares two folders"
                ))
                .into());
            }
            // A stored file that changed would be measured as if it were the build.
            context.builds()?.verify(&capture)?;
            say_namesake(Path::new(word), &capture);
            let subject = captured(&capture, image)?;
            let name = without_options(&name, options.as_deref());
            Ok(Subject { name, ..subject })
        }
        Named::File(path) if path.is_dir() => Err(Usage(format!(
            "{} is a folder: name the program in it; two folders are compared by `proofmark compare \
             DIR1 DIR2 -- {{}}/prog`, and one is held against itself by `proofmark null DIR -- \
             {{}}/prog`",
            path.display()
        ))
        .into()),
        Named::File(path) => executable(&path),
    }
}

/// The name of a cell as a build alone: how `matrix run` runs it is not what is measured here.
fn without_options(cell: &str, options: Option<&str>) -> String {
    let Some(options) = options else {
        return cell.to_owned();
    };
    let build = cell.strip_suffix(options).unwrap_or(cell).trim_end();
    console::say(&format!(
        "proofmark: {build} is the build of `{cell}`; what [options.{options}] says is for \
         `proofmark matrix run` alone: the command here is run as it is written"
    ));
    build.to_owned()
}

/// Says what of a build was not made by it.
fn say_stale(capture: &Capture) {
    for stale in capture
        .stale
        .iter()
        .filter(|stale| !stale.differs.is_empty())
    {
        let said = shown::builds::stale(stale).said();
        console::say(&format!("proofmark: {}: {said}", capture.name));
    }
}

/// Says that an executable of the same name lies here, and is not what is taken. One that is an
/// image of the build is no other.
fn say_namesake(path: &Path, capture: &Capture) {
    let executable =
        |about: fs::Metadata| about.is_file() && about.permissions().mode() & 0o111 != 0;
    if !path.metadata().is_ok_and(executable) {
        return;
    }
    let hash = fs::read(path).map(|content| Digest::from(blake3::hash(&content)));
    let builds = std::iter::once(&capture.links).chain(&capture.repeats);
    let own = |hash: Digest| builds.flatten().any(|link| link.image_hash == hash);
    if !hash.is_ok_and(own) {
        let name = path.display();
        console::say(&format!(
            "proofmark: {name} is the captured build. The executable {name} in this folder has other bytes, and goes by ./{name}"
        ));
    }
}

/// A captured build with the image that was asked for.
pub(crate) fn captured(capture: &Capture, image: Option<&Path>) -> anyhow::Result<Subject> {
    captured_often(capture, &[], image)
}

/// The same of a build that was captured more often: each block draws one of these.
pub(crate) fn captured_often(
    capture: &Capture,
    more: &[Capture],
    image: Option<&Path>,
) -> anyhow::Result<Subject> {
    let (mut ids, mut links, mut ran) = (Vec::new(), Vec::new(), capture.ran);
    for one in std::iter::once(capture).chain(more) {
        say_stale(one);
        links.extend(one.images(image)?);
        ids.push(one.id.clone());
        ran = [ran, one.ran].into_iter().flatten().reduce(Ran::joined);
    }
    Ok(Subject {
        name: capture.name.clone(),
        source: Source::Captured {
            ids,
            links,
            toolchain: capture.toolchain.clone(),
            captured_ms: capture.created_ms,
            ran,
            patches: (capture.revision.iter())
                .filter_map(|revision| revision.patch.clone())
                .collect(),
            revision: capture.revision.clone(),
            of_others: BTreeSet::new(),
            built_otherwise: false,
            recipe: None,
        },
        tree: None,
    })
}

/// A build of a record, as it is kept.
///
/// # Errors
/// When it was not captured, is no longer kept, or lacks the image that was measured.
pub(crate) fn again(build: &Build, context: &Context) -> anyhow::Result<Subject> {
    if build.tree.is_some() {
        return Err(Usage(format!(
            "the builds of this comparison are told apart by the files that they read: where a function lies does not tell {} from the others",
            build.name
        ))
        .into());
    }
    let ids = match &build.origin {
        BuildOrigin::Captured { ids, .. } => ids.as_slice(),
        BuildOrigin::Executable { .. } => &[],
    };
    let [id] = ids else {
        return Err(Usage(format!(
            "the layouts of {} cannot be drawn again: it is {}",
            build.name,
            if ids.is_empty() {
                "a file that was not captured"
            } else {
                "made of several captures"
            }
        ))
        .into());
    };
    let builds = context.builds()?;
    let capture = builds.find(id.as_str())?;
    builds.verify(&capture)?;
    let links = || {
        std::iter::once(&capture.links)
            .chain(&capture.repeats)
            .flatten()
    };
    let is_it = |link: &&CapturedLink| {
        let own = link.pristine.as_ref().map(|pristine| &pristine.image_hash);
        own.unwrap_or(&link.image_hash) == &build.images.program.digest
    };
    let output = links().find(is_it).map(|link| link.output.clone());
    let output = output.ok_or_else(|| {
        Usage(format!(
            "the capture of {} no longer has the image that was measured",
            build.name
        ))
    })?;
    let subject = captured(&capture, Some(&output))?;
    Ok(Subject {
        name: build.name.clone(),
        ..subject
    })
}

/// A file that can be executed.
pub(crate) fn executable(path: &Path) -> anyhow::Result<Subject> {
    if !path.exists() {
        return Err(Usage(format!(
            "there is no file {}; a captured build goes by its name, without a slash (`proofmark builds` lists them)",
            path.display()
        ))
        .into());
    }
    // A symbolic link is kept: its name may decide what the program does.
    let path =
        std::path::absolute(path).with_context(|| format!("cannot find {}", path.display()))?;
    if proofmark_measure::look_at(&path)?.set_id {
        console::say(&format!(
            "proofmark: {} runs as another user when it is started; the copies that are measured do not",
            path.display()
        ));
    }
    let content = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(Subject {
        name: path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
        source: Source::Executable {
            hash: blake3::hash(&content).into(),
            path,
            held: None,
        },
        tree: None,
    })
}

/// Whether there is a command, and whether it runs the image at all.
pub(crate) fn check_command(benchmark: &BenchmarkArgs) -> Result<(), Usage> {
    if benchmark.command.is_empty() {
        return Err(Usage("no benchmark: write its command after --, with {} where the image goes, as in `-- {} fib.lua 30`".to_owned()));
    }
    let in_env = benchmark
        .env
        .iter()
        .any(|(_, value)| proofmark_lab::names_image(&[value]));
    let marks = |word: &OsString| image_marks(word.as_bytes());
    let marked: Vec<&OsString> = benchmark
        .command
        .iter()
        .filter(|word| marks(word) > 0)
        .collect();
    if marked.len() > 1 {
        console::say(&format!(
            "proofmark: {{}} is the image in {} words of the command; where the program is to see \
             {{}} itself, write {{{{}}}}",
            marked.len()
        ));
    }
    // An image that was asked for by name may be loaded by the command from its own place: whether
    // it is, one run tells.
    if in_env || benchmark.image.is_some() || proofmark_lab::names_image(&benchmark.command) {
        return Ok(());
    }
    Err(Usage(
        "the command does not run the image: put {} where it goes, as in `-- {} fib.lua 30`; without it every build would run the same program. If the command loads a library from where the build left it, name the library with --image"
            .to_owned(),
    ))
}
