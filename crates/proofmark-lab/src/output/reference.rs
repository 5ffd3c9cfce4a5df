//! What runs are held against, and whose doing it is where they print something else.

use proofmark_terms::BuildIndex;

use super::{Said, Speaker};
use crate::error::Doing;

/// What all runs must print.
#[derive(Clone, Debug)]
pub(super) struct Reference {
    pub(super) source: Source,
    pub(super) said: Said,
    /// The status of the first run that ended with one.
    pub(super) exit: Option<i32>,
}

/// Where it is known from.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// The benchmark says so.
    Expected,
    /// Runs before an interruption printed it.
    Earlier,
    /// The first run of this sitting printed it.
    Run {
        /// Of this build.
        build: BuildIndex,
        /// What people call the arm.
        name: String,
    },
}

impl Source {
    /// Whose doing it is, as far as two runs tell, that a run prints something else.
    pub(super) fn doing(&self, speaker: Speaker<'_>) -> Doing {
        match self {
            Source::Expected => Doing::Builds,
            Source::Earlier => Doing::Interruption,
            Source::Run { build, .. } if *build != speaker.build => Doing::Builds,
            Source::Run { name, .. } if name == speaker.name => Doing::Program,
            // One of the two is the file that the build left, the other one a layout of it.
            Source::Run { .. } => Doing::Layout,
        }
    }

    /// What people call it, for a run of `speaker`.
    pub(super) fn name(&self, speaker: Speaker<'_>) -> &str {
        match self {
            Source::Expected => "what is expected",
            Source::Earlier => "the runs before the interruption",
            Source::Run { name, .. } if name == speaker.name => "an earlier run of the same build",
            Source::Run { name, .. } => name,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_layout_that_prints_something_else_is_not_the_program_s_doing() {
        let heard = |name: &str| Source::Run {
            build: BuildIndex::BASE,
            name: name.to_owned(),
        };
        let shipped = Speaker {
            build: BuildIndex::BASE,
            name: "base (as shipped)",
            image: Path::new("app"),
        };
        assert_eq!(
            heard("base (in a drawn layout)").doing(shipped),
            Doing::Layout
        );
        assert_eq!(heard("base (as shipped)").doing(shipped), Doing::Program);
        let build = BuildIndex::at(1);
        let other = Speaker { build, ..shipped };
        assert_eq!(heard("base (as shipped)").doing(other), Doing::Builds);
    }
}
