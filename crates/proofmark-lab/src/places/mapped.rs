//! What a build really opened and mapped, by one traced run of it, held against what it was meant
//! to: its own files, the system's, and those that were there before it was captured.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proofmark_capture::libraries::is_of_the_system;
use proofmark_measure::trace::{TraceLimits, Traced, Untraceable, trace};
use proofmark_measure::{Interrupt, Launch};
use proofmark_terms::BuildIndex;

use super::libraries::{Fault, changed_ns, said};
use super::{Places, Take};
use crate::builds::{Source, Subject};
use crate::error::LabError;

/// The builds of an experiment and what each was seen to map.
#[derive(Debug)]
pub(crate) struct Mapped {
    builds: Vec<About>,
    /// Libraries outside the system, by build.
    seen: BTreeMap<BuildIndex, BTreeSet<PathBuf>>,
    /// Why nothing was seen, where it was not.
    pub(crate) untraced: Option<String>,
}

/// What is known of a build before it runs.
#[derive(Debug)]
struct About {
    subject: Subject,
    /// When it was made: of a capture its end, of an executable its own time.
    made_ns: i128,
}

impl About {
    /// Whether a file is among those that were captured with the build, or in its tree. One that is
    /// not put into its view lies on the disk as it was then.
    fn has(&self, path: &Path) -> bool {
        if self
            .subject
            .tree
            .as_ref()
            .is_some_and(|tree| tree.holds(path))
        {
            return true;
        }
        let links = self.subject.links().unwrap_or_default();
        let mut companions = links.iter().flat_map(|link| &link.companions);
        companions.any(|companion| companion.path == path)
    }
}

impl Mapped {
    pub(crate) fn of(subjects: &[Subject]) -> Self {
        let about = |subject: &Subject| About {
            made_ns: match &subject.source {
                Source::Captured { captured_ms, .. } => i128::from(*captured_ms) * 1_000_000,
                Source::Executable { path, .. } => changed_ns(path),
            },
            subject: subject.clone(),
        };
        Mapped {
            builds: subjects.iter().map(about).collect(),
            seen: BTreeMap::new(),
            untraced: None,
        }
    }

    /// Whether a build was looked at before, or cannot be.
    pub(crate) fn knows(&self, build: BuildIndex) -> bool {
        self.untraced.is_some() || self.seen.contains_key(&build)
    }

    /// Runs one arm under the tracer, and refuses it where what it opened is another build's or was
    /// put there since.
    ///
    /// # Errors
    ///
    /// When it is refused, and when the user stops.
    pub(crate) fn check(
        &mut self,
        take: Take,
        launch: &Launch,
        places: &Places,
        names_image: bool,
        stop: &Interrupt,
    ) -> Result<(), LabError> {
        let traced = match trace(launch, &TraceLimits::default(), stop) {
            Ok(traced) => traced,
            // A program that cannot be run is told of by the run that counts.
            Err(Untraceable::Run(error)) => match error.into() {
                LabError::Interrupted => return Err(LabError::Interrupted),
                _ => return Ok(()),
            },
            Err(why) if !names_image => {
                return Err(LabError::Refused(format!(
                    "whether the command loads the image cannot be told here ({why}): put {{}} where it goes"
                )));
            }
            Err(why) => {
                self.untraced = Some(why.to_string());
                return Ok(());
            }
        };
        let Some(about) = take.build.of(&self.builds) else {
            return Ok(());
        };
        let code = real(&traced.code);
        let own = places.bound(take);
        let mut found = faults(about, &traced, &code, &own, &places.foreign(take.build));
        found.extend(places.unkept(take).into_iter().filter_map(|path| {
            let read = traced.read.get(&path).is_some_and(|file| file.found);
            (read || code.contains(&path)).then_some((path, Fault::Changed))
        }));
        let strange =
            |path: &&PathBuf| !is_of_the_system(path) && !own.contains(*path) && !about.has(path);
        let strangers: BTreeSet<PathBuf> = code.iter().filter(strange).cloned().collect();
        found.extend(self.shared_and_newer(about, &strangers));
        refuse(&about.subject, &found)?;
        let image = real(places.image(take));
        let loads = launch.view.is_some() && image.iter().any(|path| code.contains(path));
        if !names_image && !loads {
            return Err(LabError::Refused(format!(
                "the command neither starts nor loads {} of {} from where the build left it: put {{}} where it goes{}",
                about.subject.file_name().display(),
                about.subject.name,
                match places.unusable() {
                    None => String::new(),
                    Some(why) => format!(" (its own cannot be put there for each build: {why})"),
                }
            )));
        }
        self.seen.insert(take.build, strangers);
        Ok(())
    }

    /// Libraries that executables share and that are newer than one of them: of nobody is known
    /// which the older one was made with.
    fn shared_and_newer(
        &self,
        about: &About,
        strangers: &BTreeSet<PathBuf>,
    ) -> Vec<(PathBuf, Fault)> {
        let mut found = Vec::new();
        for path in strangers {
            let mut users: Vec<&About> = vec![about];
            let others = self.seen.iter().filter(|(_, seen)| seen.contains(path));
            let others = others.filter_map(|(other, _)| other.of(&self.builds));
            users.extend(others.filter(|other| !other.subject.is_program_of(&about.subject)));
            let oldest = users.iter().map(|user| user.made_ns).min();
            if users.len() > 1 && oldest.is_some_and(|oldest| changed_ns(path) > oldest) {
                found.push((path.clone(), Fault::Newer));
            }
        }
        found
    }
}

/// What a traced run of a build used that is not its own.
fn faults(
    about: &About,
    traced: &Traced,
    code: &BTreeSet<PathBuf>,
    own: &BTreeSet<PathBuf>,
    foreign: &BTreeSet<PathBuf>,
) -> Vec<(PathBuf, Fault)> {
    let opened = traced
        .read
        .iter()
        .filter(|(_, file)| file.found && !file.own);
    let opened = real(opened.map(|(path, _)| path));
    let mut found: Vec<(PathBuf, Fault)> = foreign
        .iter()
        .filter(|path| code.contains(*path) || opened.contains(*path))
        .map(|path| (path.clone(), Fault::Foreign))
        .collect();
    if about.subject.links().is_none() {
        return found;
    }
    for path in code {
        let stranger = !is_of_the_system(path) && !own.contains(path) && !about.has(path);
        if stranger && !foreign.contains(path) && changed_ns(path) > about.made_ns {
            found.push((path.clone(), Fault::Newer));
        }
    }
    found
}

fn refuse(subject: &Subject, found: &[(PathBuf, Fault)]) -> Result<(), LabError> {
    if found.is_empty() {
        return Ok(());
    }
    let lines = found
        .iter()
        .map(|(path, fault)| format!("\n  {}", said(subject, path, fault)));
    Err(LabError::Libraries {
        found: lines.collect(),
        views: String::new(),
    })
}

/// Paths with their links resolved, as far as they are there.
fn real<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> BTreeSet<PathBuf> {
    let resolved = |path: &PathBuf| fs::canonicalize(path).unwrap_or_else(|_| path.clone());
    paths.into_iter().map(resolved).collect()
}
