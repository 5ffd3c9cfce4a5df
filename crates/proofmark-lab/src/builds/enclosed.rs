//! The files of builds that go into a bundle, and those that came in one.

use std::fs;
use std::path::{Path, PathBuf};

use proofmark_capture::libraries::is_of_the_system;
use proofmark_capture::{Builds, Traces};
use proofmark_evidence::bundle::{BundleError, EnclosedCapture, Enclosing, Enclosures, ToEnclose};
use proofmark_evidence::record::{Build, BuildOrigin, ImageFile};
use proofmark_evidence::{Bundled, Enclosed, Store, StoreError, is_left_out, names_here};
use proofmark_terms::{CaptureId, Digest};

use crate::error::{LabError, of_file};

/// How much of the builds goes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enclose {
    /// Their images as shipped.
    Images,
    /// And what captured builds are linked again from.
    Objects,
}

/// The files of builds that go into a bundle.
#[derive(Clone, Debug, Default)]
pub struct EnclosedBuilds {
    /// What goes in.
    pub enclosing: Enclosing,
    /// The images, in the order of the builds.
    pub images: Vec<EnclosedImage>,
    /// The captured builds.
    pub objects: Vec<EnclosedObjects>,
}

/// An image that goes into a bundle.
#[derive(Clone, Debug)]
pub struct EnclosedImage {
    /// The build.
    pub build: String,
    /// The file's name.
    pub name: String,
    /// BLAKE3 of it.
    pub digest: Digest,
    /// Its bytes.
    pub bytes: u64,
    /// What it says of where it was made.
    pub traces: Traces,
}

/// What a captured build is linked again from.
#[derive(Clone, Debug)]
pub struct EnclosedObjects {
    /// The capture's name.
    pub build: String,
    /// Files, the record of the capture among them.
    pub files: u32,
    /// Bytes of all of them.
    pub bytes: u64,
    /// What they say of where they were made.
    pub traces: Traces,
}

/// The files of the builds of all experiments among these chains.
///
/// # Errors
///
/// One is not there any more, or cannot be read.
pub fn enclosed(
    store: &Store,
    bundled: &Bundled,
    builds: &Builds,
    what: Enclose,
) -> Result<EnclosedBuilds, LabError> {
    let mut found = EnclosedBuilds::default();
    let names = names();
    for build in store.builds_of(bundled)? {
        found.image(&build, builds, &names)?;
        if let (Enclose::Objects, BuildOrigin::Captured { ids, .. }) = (what, &build.origin) {
            for id in ids {
                found.capture(id, &build.name, builds, &names)?;
            }
        }
    }
    if found.enclosing.files.is_empty() {
        return Err(LabError::Refused(
            "there is no experiment among the evidence, and images are those of its builds\n  \
             next: leave out --images and --objects"
                .to_owned(),
        ));
    }
    Ok(found)
}

/// What is looked for in files: the user, the user's folder and the machine.
fn names() -> Vec<String> {
    let home = std::env::home_dir().filter(|home| home != Path::new("/"));
    let home = home.map(|home| home.to_string_lossy().to_ascii_lowercase());
    let mut names = names_here();
    names.extend(home.filter(|home| !home.is_empty()));
    names
}

impl EnclosedBuilds {
    fn image(&mut self, build: &Build, builds: &Builds, names: &[String]) -> Result<(), LabError> {
        let program = &build.images.program;
        let path = match &build.origin {
            BuildOrigin::Captured { .. } => builds.object(&program.digest),
            BuildOrigin::Executable { path } if is_left_out(path.as_ref()) => {
                return Err(gone(build, "the evidence does not say where it is"));
            }
            BuildOrigin::Executable { path } => PathBuf::from(path.as_ref()),
        };
        if !path.is_file() {
            return Err(gone(build, "it is not there any more"));
        }
        self.add(build, "the image", program, path, names)?;
        for library in &build.images.libraries {
            // What belongs to the system, and what is too large, was never kept.
            let path = builds.object(&library.digest);
            if path.is_file() {
                self.add(build, "a library", library, path, names)?;
            }
        }
        Ok(())
    }

    fn add(
        &mut self,
        build: &Build,
        what: &str,
        image: &ImageFile,
        path: PathBuf,
        names: &[String],
    ) -> Result<(), LabError> {
        let name = image.name.display().into_owned();
        let bytes = fs::metadata(&path)
            .map_err(of_file("look at", &path))?
            .len();
        let traces = Traces::of(&path, names).map_err(of_file("read", &path))?;
        self.images.push(EnclosedImage {
            build: build.name.clone(),
            name: name.clone(),
            digest: image.digest.clone(),
            bytes,
            traces,
        });
        self.enclosing.files.push(ToEnclose {
            digest: image.digest.clone(),
            path,
            what: format!("{what} of {}, {name}", build.name),
        });
        Ok(())
    }

    fn capture(
        &mut self,
        id: &CaptureId,
        build: &str,
        builds: &Builds,
        names: &[String],
    ) -> Result<(), LabError> {
        let captures = &mut self.enclosing.captures;
        if captures.iter().any(|capture| capture.id == *id) {
            return Ok(());
        }
        let capture = builds.enclosable(id)?;
        captures.push(EnclosedCapture {
            id: id.clone(),
            record: capture.record,
        });
        let mut objects = EnclosedObjects {
            build: build.to_owned(),
            files: u32::try_from(capture.files.len()).unwrap_or(u32::MAX),
            bytes: 0,
            traces: Traces::default(),
        };
        objects
            .traces
            .compiled_in
            .push(capture.folder.display().to_string());
        for file in capture.files {
            let about = fs::metadata(&file.path).map_err(of_file("look at", &file.path))?;
            objects.bytes += about.len();
            // Everybody has those of the system, which were made on no machine of the user's.
            if !is_of_the_system(&file.what) {
                let traces = Traces::names_of(&file.path, names);
                objects
                    .traces
                    .add(traces.map_err(of_file("read", &file.path))?);
            }
            self.enclosing.files.push(ToEnclose {
                digest: file.digest,
                path: file.path,
                what: format!("{} of {build}", file.what.display()),
            });
        }
        self.objects.push(objects);
        Ok(())
    }
}

fn gone(build: &Build, why: &str) -> LabError {
    LabError::Refused(format!(
        "the image of {}, {}, cannot go into the file: {why}\n  next: build it again and measure \
         that, or leave out --images and --objects",
        build.name,
        build.images.program.name.display()
    ))
}

/// Reads all files that a bundle encloses, and holds them against its records: each is what its
/// digest says, a record names it, and each captured build is whole. Nothing of it is run.
///
/// # Errors
///
/// A file is damaged, missing, or nothing names it.
pub fn checked(store: &Store, enclosures: &Enclosures) -> Result<Enclosed, LabError> {
    let of_bundle = |error: BundleError| match error {
        BundleError::Store(error) => LabError::Store(error),
        other => LabError::Store(StoreError::Bundle(Box::new(other))),
    };
    let found = store.enclosed(enclosures).map_err(of_bundle)?;
    for capture in enclosures.captures() {
        let record = enclosures.read(&capture.record).map_err(of_bundle)?;
        let needed = Builds::described(&record, &capture.id)?.needed;
        if let Some(missing) = needed.iter().find(|digest| !enclosures.holds(digest)) {
            return Err(of_bundle(enclosures.lacks(missing)));
        }
    }
    Ok(found)
}
