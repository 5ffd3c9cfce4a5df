//! Profiles as Firefox's profiler opens them: each build a process of its own, with its samples
//! along its time.

use std::time::{Duration, SystemTime};

use fxprof_processed_profile::{
    CategoryHandle, CpuDelta, Frame, FrameFlags, FrameInfo, Profile, SamplingInterval, Timestamp,
};

use crate::error::PictureError;

/// One sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimedStack {
    /// When it was, from the first one of its build on.
    pub at: Duration,
    /// The names of its frames, outermost first.
    pub frames: Vec<String>,
}

/// The samples of a build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Samples {
    /// The build's name.
    pub name: String,
    /// Its samples, in order of time.
    pub samples: Vec<TimedStack>,
}

/// The JSON of a profile of builds that were sampled once in so much CPU time.
///
/// # Errors
/// [`PictureError::Empty`] where there is no sample, and what the library says.
pub fn profile(
    title: &str,
    builds: &[Samples],
    interval: Duration,
) -> Result<Vec<u8>, PictureError> {
    if builds.iter().all(|build| build.samples.is_empty()) {
        return Err(PictureError::Empty);
    }
    let nanos = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    let every = SamplingInterval::from_nanos(nanos(interval));
    // The same samples give the same file: when they were taken stands in the evidence.
    let mut profile = Profile::new(title, SystemTime::UNIX_EPOCH.into(), every);
    profile.set_symbolicated(true);
    for (number, build) in (1..).zip(builds) {
        let start = Timestamp::from_nanos_since_reference(0);
        let process = profile.add_process(&build.name, number, start);
        let thread = profile.add_thread(process, number, start, true);
        profile.set_thread_name(thread, &build.name);
        for sample in &build.samples {
            let frames: Vec<FrameInfo> = sample
                .frames
                .iter()
                .map(|name| FrameInfo {
                    frame: Frame::Label(profile.intern_string(name)),
                    category_pair: CategoryHandle::OTHER.into(),
                    flags: FrameFlags::empty(),
                })
                .collect();
            let stack = profile.intern_stack_frames(thread, frames.into_iter());
            let at = Timestamp::from_nanos_since_reference(nanos(sample.at));
            profile.add_sample(thread, at, stack, CpuDelta::from(interval), 1);
        }
    }
    serde_json::to_vec(&profile).map_err(PictureError::drawing)
}
