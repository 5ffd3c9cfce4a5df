//! What is asked of a series, and by what it is found again.

use std::path::Path;

use proofmark_evidence::record::{Benchmark, Design, Stdin, SurroundingPart};
use proofmark_terms::{Commit, Digest, OsText, Population};

use crate::error::LabError;
use crate::experiment::{LayoutChoice, digest};

/// A benchmark along a line of commits.
#[derive(Clone, Debug)]
pub struct SeriesRequest {
    /// The benchmark's name.
    pub name: String,
    /// The shell command that builds a commit.
    pub build: String,
    /// Builds of each commit, of which a block draws one; 1 or more.
    pub repeat: u32,
    /// One build stands for its commit, and nobody asks whether another one would be the same.
    pub trusted: bool,
    /// The image that was asked for.
    pub image: Option<String>,
    /// What is run.
    pub benchmark: Benchmark,
    /// When measuring a point stops; its margin and confidence are those of changes.
    pub design: Design,
    /// How placement is to be varied.
    pub layouts: LayoutChoice,
    /// The layouts that are drawn from.
    pub population: Population,
    /// From one anchor to the next, in commits; 1 or more. A series that was begun keeps its own.
    pub anchor_every: u32,
    /// The seed that was asked for.
    pub seed: Option<u64>,
}

/// What is wanted of a series.
#[derive(Clone, Debug)]
pub struct HistoryRequest {
    /// The benchmark.
    pub series: SeriesRequest,
    /// By what the series is found, see [`SeriesRequest::key`].
    pub key: String,
    /// The commits from the series' origin on, by first parents; each stands at its place.
    pub commits: Vec<Commit>,
    /// The place at which the range begins; it ends with the last commit.
    pub from: u32,
    /// At most every so many commits one is measured, 1 or more.
    pub every: u32,
    /// Changes as shipped are refined too.
    pub as_shipped: bool,
    /// A digest of all that goes into builds beside their commits: another one is another line.
    pub surroundings: Digest,
    /// What that is a digest of, part by part.
    pub parts: Vec<SurroundingPart>,
    /// No measurement is begun after this, in milliseconds since 1970-01-01 UTC.
    pub until_ms: Option<u64>,
    /// Begin a new series even where there is one.
    pub fresh: bool,
}

impl SeriesRequest {
    /// What makes two series the same: what is run and how it is built and laid out, but not how
    /// often it is measured, and not where the repository lies, whose topmost folder is `top`.
    ///
    /// # Errors
    /// When it cannot be written down.
    pub fn key(&self, top: &Path) -> Result<String, LabError> {
        let inside = |path: &OsText| {
            let path = Path::new(path.as_ref());
            let inside = path.strip_prefix(top).unwrap_or(path);
            OsText::from(inside.as_os_str().to_owned())
        };
        let benchmark = Benchmark {
            cwd: inside(&self.benchmark.cwd),
            stdin: match &self.benchmark.stdin {
                Stdin::File(path) => Stdin::File(inside(path)),
                other => other.clone(),
            },
            ..self.benchmark.clone()
        };
        let mut asked = serde_json::json!({
            "series": self.name,
            "build": self.build,
            "image": self.image,
            "benchmark": benchmark,
            "layouts": self.layouts,
            "population": self.population,
        });
        if self.repeat > 1 {
            asked["repeat"] = self.repeat.into();
        }
        digest(&asked)
    }
}
