//! From what a build was seen to do to what it read outside: file by file, each as it is now.

mod others;

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use proofmark_measure::trace::{FileState, is_for_temporary_files};
use proofmark_terms::OsText;

use super::places::{Places, is_of_the_system};
use super::ways::Ways;
use super::writing::{Writing, found_before};
use super::{FileRead, Listed, Outside, Touched, answer, content, entries_of, is_there, rights_of};
use crate::shim::follow::{FileMark, Seen, mark};

/// What is known so far.
struct Gathered {
    places: Places,
    written: Writing,
    outside: Outside,
    touched: Touched,
    /// What was read, with what it holds.
    known: HashMap<PathBuf, String>,
    ways: Ways,
    /// When the build began, in seconds and nanoseconds since 1970-01-01 UTC.
    began: (i64, i64),
}

/// What a build read outside of its own folders, or why that is not known, in words: something of
/// it is not as the build found it. And what it had to do with there, which is known in any case.
/// The build began at `began`.
pub(super) fn gather(
    seen: &Seen,
    mut places: Places,
    began: (i64, i64),
) -> (Result<Outside, String>, Touched) {
    let (written, mut fault) = Writing::of(seen, &mut places);
    let outside = Outside {
        before: found_before(seen, &mut places),
        ..Outside::default()
    };
    let mut gathered = Gathered {
        places,
        written,
        outside,
        touched: Touched::default(),
        known: HashMap::new(),
        ways: Ways::default(),
        began,
    };
    for (name, first) in &seen.read {
        fault = fault.and(gathered.read(name, *first));
    }
    for (name, first) in &seen.asked {
        fault = fault.and(gathered.asked(name, *first));
    }
    for name in &seen.absent {
        fault = fault.and(gathered.absent(name));
    }
    for (folder, first) in &seen.listed {
        fault = fault.and(gathered.listed(folder, *first));
    }
    for name in &seen.in_vain {
        let place = gathered.places.settled(Path::new(name));
        gathered.touched.made_sure.insert(place);
    }
    let (outside, touched) = gathered.settled();
    (fault.map(|()| outside), touched)
}

impl Gathered {
    fn read(&mut self, called: &OsText, first: FileMark) -> Result<(), String> {
        let links = self.comes_by(called)?;
        self.touched.opened.extend(links);
        let Some((name, place)) = self.places.outside(called, &self.written.changed) else {
            return Ok(());
        };
        self.touched.read.insert(place.clone());
        self.touched.opened.insert(place.clone());
        let about = fs::metadata(&place).map_err(|_| changed(&place))?;
        if about.is_dir() {
            // It may be listed, or be where other names start from: where does it lead?
            self.outside.asked.push((name.into(), String::new()));
            return Ok(());
        }
        if !about.is_file() {
            return Ok(());
        }
        if is_other(&about, first) && !self.written.unchanged.contains(&place) {
            return Err(changed(&name));
        }
        let content = content(&place).map_err(|_| changed(&place))?;
        self.known.insert(name.clone(), content.clone());
        self.outside.files.push(FileRead {
            rights: rights_of(&about),
            name: name.into(),
            content,
        });
        Ok(())
    }

    fn asked(&mut self, called: &OsText, first: FileMark) -> Result<(), String> {
        self.comes_by(called)?;
        let Some((name, place)) = self.places.outside(called, &self.written.changed) else {
            return Ok(());
        };
        // What was read is known by content and rights.
        if self.known.contains_key(&name) && !name.is_symlink() {
            return Ok(());
        }
        let temporary = place.parent().is_some_and(is_for_temporary_files);
        match fs::metadata(&place) {
            Ok(about) if about.is_file() => {
                let held = is_other(&about, first) && !self.written.unchanged.contains(&place);
                self.touched.read.insert(place.clone());
                if held && !temporary {
                    return Err(changed(&name));
                }
            }
            Ok(about) => {
                self.touched.read.insert(place.clone());
                if self.is_another_place(&place, &about, first) {
                    return Err(changed(&name));
                }
            }
            Err(_) if name.is_symlink() => drop(self.touched.read.insert(place.clone())),
            // Others come and go there.
            Err(_) if temporary => return Ok(()),
            Err(_) => {
                self.touched.read.insert(place.clone());
                return Err(changed(&name));
            }
        }
        self.outside.asked.push((name.into(), String::new()));
        Ok(())
    }

    fn absent(&mut self, called: &OsText) -> Result<(), String> {
        self.comes_by(called)?;
        let Some((name, place)) = self.places.outside(called, &self.written.changed) else {
            return Ok(());
        };
        self.touched.read.insert(place.clone());
        if !is_there(&name) {
            self.outside.absent.push(name.into());
        } else if self.is_new(&name) {
            return Err(changed(&name));
        } else if !name.exists() {
            // A link to nothing is told by its answer.
            self.outside.asked.push((name.into(), String::new()));
        }
        Ok(())
    }

    /// Takes down the links outside by which the build came to a name, be that its own: another
    /// build may have made one of them.
    fn comes_by(&mut self, called: &OsText) -> Result<Vec<PathBuf>, String> {
        if is_of_the_system(Path::new(called)) {
            return Ok(Vec::new());
        }
        let mut links = self.ways.links(Path::new(called));
        links.retain(|link| !self.places.leaves_out(link));
        self.touched.read.extend(links.iter().cloned());
        match links.iter().find(|link| self.is_new(link)) {
            Some(link) => Err(changed(link)),
            None => Ok(links),
        }
    }

    fn listed(&mut self, folder: &OsText, first: FileMark) -> Result<(), String> {
        let Some((folder, place)) = self.places.outside(folder, &BTreeSet::new()) else {
            return Ok(());
        };
        // It changes all the time.
        if is_for_temporary_files(&folder) {
            return Ok(());
        }
        self.touched.listed.insert(place.clone());
        let about = fs::metadata(&folder).map_err(|_| changed(&folder))?;
        let made = self.written.changed.iter();
        let made = made.filter(|file| file.parent() == Some(&place));
        let own: BTreeSet<OsText> = made
            .filter_map(|file| Some(OsText::from(file.file_name()?.to_owned())))
            .collect();
        if own.is_empty() && is_other(&about, first) {
            return Err(changed(&folder));
        }
        // Its own names changed the folder as well.
        let entries = fs::read_dir(&place).map_err(|_| changed(&folder))?;
        for entry in entries.flatten() {
            if !own.contains(&OsText::from(entry.file_name())) && self.has_come(&entry.path()) {
                return Err(changed(&folder));
            }
        }
        let hash = entries_of(&folder, &own).map_err(|_| changed(&folder))?;
        let folder = folder.into();
        self.outside.listed.push(Listed { folder, own, hash });
        Ok(())
    }

    /// All of it, sorted, each once, with the answers to what was asked.
    fn settled(self) -> (Outside, Touched) {
        let Gathered {
            places,
            written,
            mut outside,
            mut touched,
            known,
            ways: _,
            began: _,
        } = self;
        outside.absent.sort_unstable();
        outside.absent.dedup();
        outside.asked.sort_unstable();
        outside.asked.dedup();
        let mut hash = |file: &Path| {
            let found = known.get(file).cloned();
            found.map_or_else(|| content(file), Ok)
        };
        for (name, told) in &mut outside.asked {
            *told = answer(Path::new(name), &mut hash);
        }
        outside.files.sort_unstable();
        outside.files.dedup();
        touched.read.extend(written.read_again);
        let counts = |place: &PathBuf| places.is_counted(place);
        touched.written = written.changed.into_iter().filter(&counts).collect();
        touched.made_sure.extend(written.unchanged);
        touched.removed = written.removed.into_iter().filter(&counts).collect();
        (outside, touched)
    }
}

fn changed(file: &Path) -> String {
    format!(
        "{} changed while the build ran, which goes by it\n  \
         next: give the command again; a build writes into its own folder only",
        file.display()
    )
}

fn is_other(about: &fs::Metadata, first: FileMark) -> bool {
    mark(FileState::from(about)) != first
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::shim::follow::Written;

    /// A build that began after all that is there was made.
    const NEVER: (i64, i64) = (i64::MAX, 0);

    #[test]
    fn a_link_to_nothing_in_the_place_of_nothing_is_another_answer() {
        let around = tempfile::tempdir().unwrap();
        let root = around.path().canonicalize().unwrap();
        let at = |name: &str| root.join(name);
        symlink("nowhere", at("link")).unwrap();
        let seen = Seen {
            read: Vec::new(),
            asked: Vec::new(),
            absent: ["link", "mark"].map(|name| OsText::from(at(name))).into(),
            listed: Vec::new(),
            written: Vec::new(),
            in_vain: Vec::new(),
        };
        let places = Places::new(&[Path::new("/own")], Path::new("/shim"));
        let outside = gather(&seen, places, NEVER).0.unwrap();
        assert_eq!(outside.changed(content), None);
        symlink("nowhere", at("mark")).unwrap();
        assert_eq!(outside.changed(content), Some(at("mark")));
        fs::remove_file(at("mark")).unwrap();
        assert_eq!(outside.changed(content), None);
        fs::write(at("nowhere"), "").unwrap();
        assert_eq!(outside.changed(content), Some(at("link")));
    }

    #[test]
    fn folders_and_links_to_nothing_are_places_where_builds_meet() {
        let around = tempfile::tempdir().unwrap();
        let root = around.path().canonicalize().unwrap();
        let at = |name: &str| root.join(name);
        for folder in ["asked", "made", "listed"] {
            fs::create_dir(at(folder)).unwrap();
        }
        symlink("nowhere", at("link")).unwrap();
        symlink("listed", at("by-link")).unwrap();
        let named = |name: &str| OsText::from(at(name));
        let state = |name: &str| mark(FileState::from(&fs::metadata(at(name)).unwrap()));
        let seen = Seen {
            read: Vec::new(),
            asked: vec![(named("asked"), state("asked")), (named("link"), None)],
            absent: Vec::new(),
            listed: vec![(named("by-link"), state("listed"))],
            written: vec![Written {
                name: named("made"),
                changed: true,
                read: false,
                asked_in_part: false,
                before: None,
            }],
            in_vain: Vec::new(),
        };
        let places = Places::new(&[Path::new("/own")], Path::new("/shim"));
        let (_, touched) = gather(&seen, places, NEVER);
        let places = |names: &[&str]| names.iter().map(|name| at(name)).collect::<BTreeSet<_>>();
        assert_eq!(touched.written, places(&["made"]));
        assert!(touched.read.is_superset(&places(&["asked", "link"])));
        assert_eq!(touched.listed, places(&["listed"]));
    }
}
