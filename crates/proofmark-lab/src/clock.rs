//! The time of day, as it goes on from when this process first asked for it.
//!
//! Whoever sets the machine's clock meanwhile (by hand, or a daemon that found a time server) moves
//! no budget, and no time that a block took.

use std::sync::LazyLock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970-01-01 UTC. Never less than before, as long as the process lives.
pub fn now_ms() -> u64 {
    static CLOCK: LazyLock<Clock> = LazyLock::new(Clock::now);
    CLOCK.at(Instant::now())
}

/// A time of day that goes on with the monotonic clock.
struct Clock {
    began: Instant,
    /// The time of day then, since 1970-01-01 UTC.
    then: Duration,
}

impl Clock {
    fn now() -> Clock {
        let then = SystemTime::now().duration_since(UNIX_EPOCH);
        Clock {
            began: Instant::now(),
            then: then.unwrap_or_default(),
        }
    }

    fn at(&self, instant: Instant) -> u64 {
        let since = self.then + instant.saturating_duration_since(self.began);
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_day_is_asked_for_once_and_goes_on_from_there() {
        let began = Instant::now();
        let clock = Clock {
            began,
            then: Duration::from_millis(1_700_000_000_000),
        };
        assert_eq!(clock.at(began), 1_700_000_000_000);
        let later = began + Duration::from_secs(7);
        assert_eq!(clock.at(later), 1_700_000_007_000);
        let first = now_ms();
        assert!(now_ms() >= first && first > 1_700_000_000_000);
    }
}
