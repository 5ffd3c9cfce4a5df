//! What a build of an experiment is called.

use proofmark_evidence::record::Experiment;

/// What a build is called.
pub(crate) fn name(experiment: &Experiment, build: u32) -> &str {
    let build = experiment.builds.get(build as usize);
    build.map_or("?", |build| build.name.as_str())
}
