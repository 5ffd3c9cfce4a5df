//! What a series says of its newest point, and of how well its points are known.

use proofmark_conclude::series::{AlarmCount, LevelChange, PairFound, Watched, Way};

use super::rows::{LineShown, short, two_ways};
use crate::number::{counted, rough};
use crate::wording::comparatives;

/// Alarms that are as one-sided more rarely than this by chance are one-sided.
const ONE_SIDED: f64 = 0.05;

impl LineShown<'_> {
    /// Sentences on the newest point, and on the alarms that there were.
    pub(super) fn watch(&self) -> Vec<String> {
        let mut out: Vec<String> = match (&self.watched, &self.alarm) {
            (Some(watched), Some(alarm)) => vec![self.alarmed(watched, alarm)],
            (Some(watched), None) => vec![newest(watched, self.blurred().is_some())],
            (None, _) => Vec::new(),
        };
        out.extend(self.blur());
        out.extend(self.self_check());
        out
    }

    fn alarmed(&self, watched: &Watched<'_>, alarm: &LevelChange<'_>) -> String {
        let came = match alarm.found {
            PairFound::NotConfirmed => "fresh layouts did not confirm it".to_owned(),
            PairFound::Undecided => "fresh layouts did not decide it".to_owned(),
            _ => self.kind(alarm),
        };
        format!(
            "alarm at {}: {came}; beside {}: {}",
            short(&watched.newest.id),
            short(&alarm.older.id),
            two_ways(&alarm.ratio)
        )
    }

    /// Whether the watch itself is to be trusted: alarms of one direction only, beyond chance.
    fn self_check(&self) -> Option<String> {
        let AlarmCount {
            rose,
            fell,
            rose_in_vain,
            fell_in_vain,
        } = self.alarms;
        let all = rose + fell;
        if all == 0 {
            return None;
        }
        let [better, worse] = comparatives(self.metric);
        let [up, down] = if self.metric.higher_is_better() {
            [better, worse]
        } else {
            [worse, better]
        };
        let (of_all, of_vain) = self.alarms.by_chance();
        let said = format!(
            "{}: {rose} {up} and {fell} {down}; {} not confirmed",
            counted(all, "alarm", "alarms"),
            rose_in_vain + fell_in_vain
        );
        Some(if of_vain < ONE_SIDED {
            format!(
                "{said}. Those that were none are of one direction beyond chance: \
                 something in this watch leans"
            )
        } else if of_all < ONE_SIDED {
            format!("{said}. They are of one direction beyond chance")
        } else {
            said
        })
    }

    /// The widest of the points' own intervals where it is wider than the margin, in half and as a
    /// relative change; of how many points that is so.
    fn blurred(&self) -> Option<(f64, u32)> {
        let way = |point| {
            let drawn = self.line.half_width(point, Way::Drawn);
            drawn.or_else(|| self.line.half_width(point, Way::Shipped))
        };
        let widths = self.line.points.iter().filter_map(way);
        let widths = widths.map(f64::exp_m1);
        let wide: Vec<f64> = widths.filter(|width| *width > self.margin).collect();
        let widest = wide.iter().copied().reduce(f64::max)?;
        Some((widest, u32::try_from(wide.len()).unwrap_or(u32::MAX)))
    }

    /// What is said where there is no change to show.
    pub(super) fn unchanged(&self) -> &'static str {
        match self.blurred() {
            None => "no change of the level beyond the margin",
            Some(_) => "no change of the level was found",
        }
    }

    /// A sentence on points that are not known well enough.
    fn blur(&self) -> Option<String> {
        let (widest, points) = self.blurred()?;
        Some(format!(
            "{} known only to within ±{}, so that a smaller change may be there unseen; more \
             --blocks may tell, or a metric with more digits",
            if points == 1 {
                "1 point is".to_owned()
            } else {
                format!("{points} points are")
            },
            rough(widest)
        ))
    }
}

/// That the newest point is on the level before it, or was not told from it.
fn newest(watched: &Watched<'_>, blurred: bool) -> String {
    let short = short(&watched.newest.id);
    if watched.alarm.is_some() {
        return format!(
            "newest {short}: off the level before it ({:.1}, alarm from {:.0} on), and nobody has \
             compared it yet: `proofmark history check` does",
            watched.statistic, watched.penalty
        );
    }
    match watched.points {
        1 => format!("newest {short}: the first point of its level"),
        points => format!(
            "newest {short}: {} the {} before it (clearest change {:.1}, alarm from {:.0} on)",
            if blurred {
                "not told from"
            } else {
                "on one level with"
            },
            counted(
                u32::try_from(points - 1).unwrap_or(u32::MAX),
                "point",
                "points"
            ),
            watched.statistic,
            watched.penalty
        ),
    }
}
