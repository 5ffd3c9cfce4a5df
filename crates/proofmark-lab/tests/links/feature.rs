//! A feature of a link: the folder of its sources, and `feature.toml`, which says how they are
//! built.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::toolchain::{Toolchain, lacking};

/// A feature as its file has it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Feature {
    /// The name of its folder.
    #[serde(skip)]
    pub(crate) name: String,
    /// Its folder.
    #[serde(skip)]
    pub(crate) folder: PathBuf,
    /// As people call it: a row of the table.
    pub(crate) title: String,
    /// What is planted: what becomes another one in the second build.
    pub(crate) plants: String,
    /// How the planted effect shows.
    #[serde(default)]
    pub(crate) found: Effect,
    /// `CHANGE` of the first build and of the second.
    pub(crate) base: String,
    pub(crate) new: String,
    /// A shell script that builds the image.
    pub(crate) build: String,
    /// The image.
    #[serde(default = "app")]
    pub(crate) image: String,
    /// A shell command that runs it, in the folder of the build.
    #[serde(default = "run_app")]
    pub(crate) run: String,
    /// Compilers put a time or a random number into it, so that no two builds are the same.
    #[serde(default)]
    pub(crate) stamped: bool,
    /// Programs and files without which it cannot be tried, beside the toolchain's.
    #[serde(default)]
    needs: Vec<String>,
    /// Kinds of it, each with the `VARIANT` that its build gets.
    #[serde(default)]
    variant: Vec<Variant>,
    /// Toolchains that do not have it.
    #[serde(default)]
    not: Vec<Absent>,
    /// Toolchains with which layouts of it are refused.
    #[serde(default)]
    refused: Vec<Refused>,
    /// Files that some toolchains need for it.
    #[serde(default)]
    need: Vec<Need>,
    /// Toolchains with which it is tried by default; where none is said, one in turn.
    #[serde(default)]
    pub(crate) share: Vec<String>,
}

/// How a planted effect shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Effect {
    /// The builds print different things.
    #[default]
    Printed,
    /// They print the same, and what the link asks for is said.
    Asked,
}

/// A kind of a feature.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Variant {
    /// Its name; empty where a feature has one kind.
    pub(crate) name: String,
    /// Its `VARIANT`.
    pub(crate) flags: String,
}

/// Toolchains that cannot build it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Absent {
    on: Vec<String>,
    #[serde(default)]
    variant: Option<String>,
    why: String,
}

/// Toolchains with which layouts are refused.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Refused {
    on: Vec<String>,
    #[serde(default)]
    variant: Option<String>,
    /// What the refusal has to name.
    naming: String,
}

/// A file that toolchains need for it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Need {
    on: Vec<String>,
    file: String,
}

fn app() -> String {
    "app".to_owned()
}

fn run_app() -> String {
    "./app".to_owned()
}

/// All features, by their names.
///
/// # Errors
/// When a folder or a file is not what it should be.
pub(crate) fn all() -> Result<Vec<Feature>, String> {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/links/features");
    let listed = fs::read_dir(&place).map_err(|error| format!("{}: {error}", place.display()))?;
    let mut features = Vec::new();
    for entry in listed {
        let folder = entry.map_err(|error| error.to_string())?.path();
        let file = folder.join("feature.toml");
        let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
        let text = fs::read_to_string(&file).map_err(|error| wrong(&error))?;
        let mut feature: Feature = toml::from_str(&text).map_err(|error| wrong(&error))?;
        feature.name = folder
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        feature.folder = folder;
        features.push(feature);
    }
    features.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(features)
}

/// Whether this is said of a toolchain and a kind.
fn of(on: &[String], asked: Option<&String>, variant: &Variant, toolchain: &Toolchain) -> bool {
    on.iter().any(|words| toolchain.is(words)) && asked.is_none_or(|name| *name == variant.name)
}

impl Feature {
    /// Its kinds; one without a name where it has none.
    pub(crate) fn variants(&self) -> Vec<Variant> {
        if self.variant.is_empty() {
            return vec![Variant::default()];
        }
        self.variant.clone()
    }

    /// What it needs with a toolchain, and this machine has not.
    pub(crate) fn lacks(&self, toolchain: &Toolchain) -> Option<&str> {
        let files = self
            .need
            .iter()
            .filter(|need| need.on.iter().any(|words| toolchain.is(words)));
        let lacking_file = files
            .map(|need| need.file.as_str())
            .find(|file| !Path::new(file).exists());
        lacking(&self.needs).or(lacking_file)
    }

    /// Why a toolchain does not have it.
    pub(crate) fn absent(&self, variant: &Variant, toolchain: &Toolchain) -> Option<&str> {
        self.not
            .iter()
            .find(|absent| of(&absent.on, absent.variant.as_ref(), variant, toolchain))
            .map(|absent| absent.why.as_str())
    }

    /// What the refusal of its layouts has to name, where they are refused.
    pub(crate) fn refused<'a>(
        &'a self,
        variant: &Variant,
        toolchain: &'a Toolchain,
    ) -> Option<&'a str> {
        toolchain.refused.as_deref().or_else(|| {
            self.refused
                .iter()
                .find(|refused| of(&refused.on, refused.variant.as_ref(), variant, toolchain))
                .map(|refused| refused.naming.as_str())
        })
    }
}
