//! How far chains of calls reach.

/// How deep the chains of some samples are, and how many of them end too early.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Depth {
    /// Chains in all.
    pub chains: u64,
    /// Frames in all, without inlined ones.
    pub frames: u64,
    /// The most frames of a chain.
    pub deepest: usize,
    /// Chains that do not reach where their thread began: a function on the way keeps no frame
    /// pointer. Where that is the innermost one, only its caller is missing, and nothing shows it.
    pub cut: u64,
    /// Chains that are as long as the kernel keeps them, and do not reach it either.
    pub full: u64,
}

impl Depth {
    /// Counts a chain of so many frames, of which the kernel keeps `most`.
    pub(super) fn add(&mut self, frames: usize, most: usize, whole: bool) {
        self.chains += 1;
        self.frames += frames as u64;
        self.deepest = self.deepest.max(frames);
        if whole {
            return;
        }
        if frames >= most {
            self.full += 1;
        } else {
            self.cut += 1;
        }
    }

    /// Adds the chains of another run.
    pub(super) fn join(&mut self, run: Depth) {
        self.chains += run.chains;
        self.frames += run.frames;
        self.deepest = self.deepest.max(run.deepest);
        self.cut += run.cut;
        self.full += run.full;
    }

    /// Frames of a chain on average.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.frames as f64 / self.chains.max(1) as f64
    }

    /// What is to be said of it: how deep chains are, and what to do where many are cut.
    #[must_use]
    pub fn words(&self) -> String {
        let mut words = format!(
            "chains of calls are {:.1} frames deep on average, {} at most",
            self.mean(),
            self.deepest
        );
        if self.cut > 0 {
            let share = 100.0 * self.cut as f64 / self.chains.max(1) as f64;
            words += &format!(
                "; {share:.1} % of them do not reach the thread's beginning, for a function on the \
                 way keeps no frame pointer (build with -fno-omit-frame-pointer and \
                 -mno-omit-leaf-frame-pointer)"
            );
        }
        if self.full > 0 {
            words += &format!(
                "; {} are longer than the kernel keeps (kernel.perf_event_max_stack)",
                self.full
            );
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_that_end_too_early_are_told_of() {
        let mut depth = Depth::default();
        depth.add(3, 127, true);
        depth.add(4, 127, true);
        let words = "chains of calls are 3.5 frames deep on average, 4 at most";
        assert_eq!(depth.words(), words);
        depth.add(1, 127, false);
        depth.add(126, 127, false);
        depth.add(127, 127, false);
        assert_eq!((depth.cut, depth.full, depth.deepest), (2, 1, 127));
        let mut both = Depth::default();
        both.add(200, 127, false);
        both.join(depth);
        assert_eq!((both.chains, both.cut, both.full), (6, 2, 2));
        assert_eq!((both.frames, both.deepest), (depth.frames + 200, 200));
        let words = depth.words();
        assert!(words.contains("40.0 % of them do not reach"), "{words}");
        assert!(
            words.contains("1 are longer than the kernel keeps"),
            "{words}"
        );
    }
}
