//! What the budget leaves room to try before anything is measured.

/// What there is room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Room {
    /// All ways are tried, for at most so many nanoseconds where there is a limit.
    All {
        /// Beyond the fewest trials.
        trials_ns: Option<u64>,
    },
    /// Only blocks in one way: nothing is tried.
    OneWay(Lack),
}

/// Why nothing is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lack {
    /// The budget holds the fewest blocks and no more.
    Budget,
    /// Runs are so long that what is tried would take longer than what is measured.
    LongRuns,
}

impl Room {
    pub(super) fn is_for_all(self) -> bool {
        matches!(self, Room::All { .. })
    }
}

impl Lack {
    /// Why slices are not tried.
    pub(super) fn of_slices(self) -> &'static str {
        match self {
            Lack::Budget => "the budget leaves no room to try slices",
            Lack::LongRuns => {
                "runs are so long that trying slices would take longer than measuring"
            }
        }
    }

    /// Why nobody looks what a program does on one core.
    pub(super) fn of_cores(self) -> &'static str {
        match self {
            Lack::Budget => "the budget leaves no room to see what it does on one core",
            Lack::LongRuns => "its runs are so long that nobody saw what it does on one core",
        }
    }
}
