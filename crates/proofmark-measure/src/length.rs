//! Whether a run is long enough to say anything about the program rather than about starting it.

use std::time::Duration;

/// How long a run is, for the purpose of comparing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// Below 5 ms: mostly creating the process, loading and linking it.
    TooShort,
    /// Below 20 ms: usable, yet starting it is a good part.
    Short,
    /// Longer.
    Enough,
}

impl Length {
    /// By the CPU time of one run. Starting a dynamically linked program takes 0.5 to 1 ms of CPU
    /// time on common machines; below 5 ms that is more than a tenth, and changes of the program
    /// show by so much less.
    #[must_use]
    pub fn of(cpu: Duration) -> Length {
        match cpu.as_micros() {
            0..5_000 => Length::TooShort,
            5_000..20_000 => Length::Short,
            _ => Length::Enough,
        }
    }

    /// What to do about it; nothing when it is long enough.
    #[must_use]
    pub fn advice(self) -> Option<&'static str> {
        match self {
            Length::TooShort => Some(
                "the run is so short that it measures the start of a process; give it more work, or let it repeat its work in a loop",
            ),
            Length::Short => Some(
                "starting the process is a good part of this run; more work in a run would show the program's own change better",
            ),
            Length::Enough => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_runs_come_with_advice() {
        assert_eq!(Length::of(Duration::from_millis(1)), Length::TooShort);
        assert_eq!(Length::of(Duration::from_millis(5)), Length::Short);
        assert_eq!(Length::of(Duration::from_millis(20)), Length::Enough);
        assert!(Length::TooShort.advice().is_some() && Length::Enough.advice().is_none());
    }
}
