//! Keeping the harness away from the core that is being measured.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Keeps the calling thread off `core` until dropped, where the thread has another core to go to.
pub(crate) struct OffCore {
    before: Option<CpuSet>,
}

impl OffCore {
    pub(crate) fn new(core: Option<u32>) -> OffCore {
        let before = core.and_then(|core| exclude(usize::try_from(core).ok()?));
        OffCore { before }
    }
}

impl Drop for OffCore {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            // The set was in force before; should the cores have changed meanwhile, the narrower
            // one stays.
            let _ = sched_setaffinity(None, before);
        }
    }
}

fn exclude(core: usize) -> Option<CpuSet> {
    let before = sched_getaffinity(None).ok()?;
    if core >= CpuSet::MAX_CPU || !before.is_set(core) || before.count() < 2 {
        return None;
    }
    let mut others = before;
    others.unset(core);
    sched_setaffinity(None, &others).ok()?;
    Some(before)
}

/// Keeps the calling thread off `core` from now on: for threads that work while others are
/// measured. Does nothing where the thread has no other core.
pub fn keep_off(core: u32) {
    if let Ok(core) = usize::try_from(core) {
        // The set before is not wanted back.
        let _ = exclude(core);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thread_leaves_the_core_and_may_return_after() {
        let before = sched_getaffinity(None).unwrap();
        if before.count() < 2 {
            return;
        }
        let core = (0..CpuSet::MAX_CPU)
            .find(|&core| before.is_set(core))
            .unwrap();
        {
            let _off = OffCore::new(u32::try_from(core).ok());
            let during = sched_getaffinity(None).unwrap();
            assert!(!during.is_set(core));
            assert_eq!(during.count(), before.count() - 1);
        }
        assert_eq!(sched_getaffinity(None).unwrap(), before);
    }

    #[test]
    fn a_core_that_does_not_exist_changes_nothing() {
        let before = sched_getaffinity(None).unwrap();
        let _off = OffCore::new(Some(1_000_000));
        assert_eq!(sched_getaffinity(None).unwrap(), before);
    }
}
