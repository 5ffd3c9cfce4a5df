//! Runs of a block's images in which it is noted where they are. They are not timed.

use std::path::PathBuf;

use proofmark_measure::Launch;

use super::Bench;
use crate::error::LabError;
use crate::prepare::prepare;

/// A launch for a run that is not timed.
pub(crate) struct SampledLaunch {
    pub(crate) launch: Launch,
    /// Where the image lies in the run.
    pub(crate) path: PathBuf,
    /// The file that lies there.
    pub(crate) file: PathBuf,
}

impl Bench {
    /// A launch of a placed arm for a run that is not timed, prepared as all runs are.
    ///
    /// # Errors
    ///
    /// When what goes before a run fails, or a file that runs read is another one now.
    pub(crate) fn launch_sampled(&mut self, arm: usize) -> Result<SampledLaunch, LabError> {
        let lacking = || LabError::Fault(format!("arm {arm} is not placed"));
        let placed = self.placed.get(arm).ok_or_else(lacking)?.clone();
        prepare(self.benchmark(placed.arm))?;
        self.watched.check()?;
        self.renew(&[arm])?;
        Ok(SampledLaunch {
            launch: self.launch(&placed, 0)?,
            path: placed.staged.path,
            file: placed.staged.file,
        })
    }
}
