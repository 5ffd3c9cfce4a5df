//! `/proc/stat`: what each core did, in ticks.

/// What one core (or all) did since the start of the machine. Unit: ticks of 1/100 s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ticks {
    pub(crate) total: u64,
    /// Idle, or waiting for a disk.
    pub(crate) idle: u64,
    /// Taken by the hypervisor while a program wanted to run.
    pub(crate) stolen: u64,
}

impl Ticks {
    /// What was added since `before`.
    pub(crate) fn since(self, before: Ticks) -> Ticks {
        Ticks {
            total: self.total.saturating_sub(before.total),
            idle: self.idle.saturating_sub(before.idle),
            stolen: self.stolen.saturating_sub(before.stolen),
        }
    }

    /// Share of the time that is `part`, 0 to 1; 0 when no time has passed.
    #[expect(
        clippy::cast_precision_loss,
        reason = "ticks of 1/100 s stay below 2^53 for millions of years"
    )]
    pub(crate) fn share(self, part: u64) -> f64 {
        if self.total == 0 {
            0.0
        } else {
            part as f64 / self.total as f64
        }
    }
}

/// All cores together, and each by its number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stat {
    pub(crate) all: Ticks,
    pub(crate) cores: std::collections::BTreeMap<u32, Ticks>,
}

impl Stat {
    pub(crate) fn read() -> Option<Stat> {
        std::fs::read_to_string("/proc/stat")
            .ok()
            .map(|text| Stat::parse(&text))
    }

    pub(crate) fn parse(text: &str) -> Stat {
        let mut stat = Stat::default();
        for line in text.lines() {
            let Some((name, numbers)) = line.split_once(' ') else {
                continue;
            };
            let Some(core) = name.strip_prefix("cpu") else {
                continue;
            };
            let ticks = ticks(numbers);
            match core.parse() {
                Ok(core) => drop(stat.cores.insert(core, ticks)),
                Err(_) => stat.all = ticks,
            }
        }
        stat
    }
}

/// user nice system idle iowait irq softirq steal; what follows (guests) is in user already.
/// `proc_stat(5)`.
fn ticks(numbers: &str) -> Ticks {
    let numbers: Vec<u64> = numbers
        .split_ascii_whitespace()
        .take(8)
        .map(|number| number.parse().unwrap_or(0))
        .collect();
    let at = |place: usize| numbers.get(place).copied().unwrap_or(0);
    Ticks {
        total: numbers.iter().sum(),
        idle: at(3) + at(4),
        stolen: at(7),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_and_their_sum() {
        let stat = Stat::parse(
            "cpu  11 0 2 134 16 0 1 11 5 5\ncpu0 5 0 1 67 10 0 0 5 0 0\ncpu12 1 2 3\nintr 5 6\n",
        );
        assert_eq!(
            stat.all,
            Ticks {
                total: 175,
                idle: 150,
                stolen: 11
            }
        );
        assert_eq!(
            stat.cores[&0],
            Ticks {
                total: 88,
                idle: 77,
                stolen: 5
            }
        );
        assert_eq!(
            stat.cores[&12],
            Ticks {
                total: 6,
                idle: 0,
                stolen: 0
            }
        );
        assert_eq!(stat.cores.len(), 2);
    }

    #[test]
    fn differences_and_shares() {
        let before = Ticks {
            total: 100,
            idle: 50,
            stolen: 1,
        };
        let after = Ticks {
            total: 300,
            idle: 200,
            stolen: 11,
        };
        let between = after.since(before);
        assert!((between.share(between.idle) - 0.75).abs() < 1e-12);
        assert!((between.share(between.stolen) - 0.05).abs() < 1e-12);
        assert!(Ticks::default().share(5).abs() < 1e-12);
    }
}
