//! How often each revision is built.

use clap::Args;

/// How often each revision is built.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct RepeatArg {
    /// Build each revision K times, each in a clean copy, and have each block draw one of them: for
    /// builds that come out different each time, such as those with a profile [default: once, and
    /// one revision is built again to see whether it comes out the same; 1 leaves that out]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=100))]
    repeat: Option<u32>,
}

impl RepeatArg {
    /// So many builds of each; of one it is seen whether another comes out the same.
    pub(crate) fn of(builds: u32) -> Self {
        RepeatArg {
            repeat: (builds > 1).then_some(builds),
        }
    }

    /// Builds of each revision, 1 or more.
    pub(crate) fn builds(self) -> u32 {
        self.repeat.unwrap_or(1)
    }

    /// Whether it was said how often.
    pub(crate) fn is_asked(self) -> bool {
        self.repeat.is_some()
    }

    /// One build is asked for, and nobody asks whether another one would be the same.
    pub(crate) fn is_trusted(self) -> bool {
        self.repeat == Some(1)
    }
}
