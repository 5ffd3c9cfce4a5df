//! What a build of an experiment is called.

use proofmark_evidence::record::Experiment;
use proofmark_terms::BuildIndex;

/// What a build is called.
pub(crate) fn name(experiment: &Experiment, build: BuildIndex) -> &str {
    let build = build.of(&experiment.builds);
    build.map_or("?", |build| build.name.as_str())
}
