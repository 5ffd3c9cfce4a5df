//! What a build really opened and mapped, by one traced run of it, held against what it was meant
//! to: its own files, the system's, and those that were there before it was captured.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
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
        let own = places.bound(take);
        let code = without_drivers(real(&traced.code), launch, &own, about);
        let mut found = faults(about, &traced, &code, &own, &places.foreign(take.build));
        found.extend(places.unkept(take).into_iter().filter_map(|path| {
            let is_gone = path.symlink_metadata().is_err();
            let used = uses(&traced, &path)
                || code.contains(&path)
                || (is_gone && lists_folder_of(&traced, &path));
            used.then_some((path, Fault::Changed))
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

/// What ends a word in the text of a script.
const ENDS_WORD: [u8; 14] = *b" \t\n;&|()<>\"'=`";

/// The code but for programs that the command names, be it in the text of a script, and that are no
/// build's: builds are measured by them, as by a driver that loads a library, or by a client.
fn without_drivers(
    mut code: BTreeSet<PathBuf>,
    launch: &Launch,
    own: &BTreeSet<PathBuf>,
    about: &About,
) -> BTreeSet<PathBuf> {
    let texts = launch.args.iter().map(|word| word.as_bytes());
    let words = texts.flat_map(|text| text.split(|byte| ENDS_WORD.contains(byte)));
    let words = words.filter(|word| !word.is_empty()).map(OsStr::from_bytes);
    let named = std::iter::once(launch.program.as_os_str()).chain(words);
    for program in named.filter_map(|word| launch.cwd.join(word).canonicalize().ok()) {
        if !own.contains(&program) && !about.has(&program) {
            code.remove(&program);
        }
    }
    code
}

/// What a traced run of a build used that is not its own.
fn faults(
    about: &About,
    traced: &Traced,
    code: &BTreeSet<PathBuf>,
    own: &BTreeSet<PathBuf>,
    foreign: &BTreeSet<PathBuf>,
) -> Vec<(PathBuf, Fault)> {
    let mut found: Vec<(PathBuf, Fault)> = foreign
        .iter()
        .filter(|path| code.contains(*path) || uses(traced, path) || lists_folder_of(traced, path))
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

/// Whether a run listed the folder that something lies in.
fn lists_folder_of(traced: &Traced, path: &Path) -> bool {
    let folder = path.parent();
    folder.is_some_and(|folder| real(&traced.listed).contains(folder))
}

/// Whether a run found what has a name, by that or through a link: it read it, asked about it, or
/// went through it. What it made itself does not count.
fn uses(traced: &Traced, path: &Path) -> bool {
    let read = traced.read.iter().filter(|(_, file)| !file.own);
    let names = read.map(|(name, _)| name).chain(traced.looked_at.keys());
    let names = names.chain(&traced.listed).chain(&traced.code);
    let through = |name: &PathBuf| name.starts_with(path);
    let leads = |name: &PathBuf| name.canonicalize().is_ok_and(|real| real == path);
    names.clone().any(through) || names.clone().any(leads)
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

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_run_uses_what_it_reads_asks_about_or_goes_through() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().canonicalize().unwrap();
        for name in ["v1", "plug"] {
            fs::create_dir(place.join(name)).unwrap();
        }
        for name in ["v1/data", "plug/extra", "mark", "never"] {
            fs::write(place.join(name), "x").unwrap();
        }
        symlink("v1", place.join("now")).unwrap();
        let mut launch = Launch::new("/bin/sh", Duration::from_secs(60));
        let script = "read x <now/data; test -e mark; for each in plug/*; do :; done";
        launch.args = vec!["-c".into(), script.into()];
        launch.cwd.clone_from(&place);
        let traced = trace(&launch, &TraceLimits::default(), &Interrupt::new()).unwrap();
        for used in ["now", "now/data", "v1/data", "mark", "plug"] {
            assert!(uses(&traced, &place.join(used)), "{used}");
        }
        for unused in ["never", "v1x", "plug/extra"] {
            assert!(!uses(&traced, &place.join(unused)), "{unused}");
        }
        let about = About {
            subject: Subject {
                name: "base".to_owned(),
                source: Source::Executable {
                    path: place.join("never"),
                    hash: blake3::hash(b"").into(),
                    held: None,
                },
                tree: None,
            },
            made_ns: 0,
        };
        let foreign = ["never", "plug/extra", "mark"].map(|name| place.join(name));
        let foreign = BTreeSet::from(foreign);
        let found = faults(
            &about,
            &traced,
            &BTreeSet::new(),
            &BTreeSet::new(),
            &foreign,
        );
        let found: Vec<&Path> = found.iter().map(|(path, _)| path.as_path()).collect();
        assert_eq!(found, [place.join("mark"), place.join("plug/extra")]);
    }
}
