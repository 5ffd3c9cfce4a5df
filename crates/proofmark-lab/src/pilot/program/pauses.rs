//! Whether a program does something else when its run has pauses in it, as runs in slices have.

use proofmark_evidence::record::Run;

use super::{Program, apart, moved, moved_by, ms};
use crate::error::LabError;
use crate::rig::{Alone, Habits, OnCores, Pauses, Solo};

/// Rounds of an undisturbed run and stretched ones.
const ROUNDS: u64 = 7;

/// Fewest rounds; long runs are quiet ones.
const FEWEST: u64 = 3;

/// The rounds may take about this long for all builds together, in nanoseconds.
const ROUNDS_NS: u64 = 4_000_000_000;

/// A run that is longer, in nanoseconds, is stretched no more than slices do.
const LONG_NS: u64 = 500_000_000;

/// How far runs are stretched where nothing asks for more.
const STRETCH: [f64; 2] = [2.0, 5.0];

/// A timer should go off so many times in a stretched run.
const TIMER_TIMES: f64 = 5.0;

/// A run is not stretched beyond this for a timer's sake, in nanoseconds.
const STRETCHED_NS: f64 = 3e9;

/// A run is cut into about so many pieces: pauses themselves take time, of a few microseconds each.
const PIECES: u64 = 8;

/// The shortest piece, in nanoseconds.
const SHORTEST_NS: u64 = 1_000_000;

/// CPU times that are less than this apart, on the scale of ln, are taken for equal: with pauses
/// and longer pauses, and with pauses and none. A pause leaves caches cold, however long it is.
const EQUAL: (f64, f64) = (0.04, 0.1);

/// Ratios of two builds that are less than this apart with pauses and without, on the scale of ln,
/// are taken for equal.
const EQUAL_RATIOS: f64 = 0.02;

/// What these tests take about, in nanoseconds, by an undisturbed run of each build.
pub(in crate::pilot) fn pauses_ns(runs: &[Run]) -> u64 {
    let each_ns = ROUNDS_NS / (runs.len() as u64).max(1);
    let of = |run: &Run| {
        // As long as usual, twice and five times as long, or about twice beside the others alone.
        let round_ns = run
            .wall_ns
            .saturating_mul(if run.wall_ns > LONG_NS { 3 } else { 8 });
        round_ns * (each_ns / round_ns.max(1)).clamp(FEWEST, ROUNDS)
    };
    runs.iter().map(of).sum()
}

/// What pauses did to a program.
pub(super) enum Paused {
    /// It does something else, for this reason.
    Changed(String),
    /// Nothing that its own runs would show.
    Held(Held),
}

/// Runs of a program that pauses did not change.
pub(super) struct Held {
    pub(super) habits: Habits,
    rounds: Vec<Round>,
    /// How far they were stretched.
    far: f64,
}

/// The runs of one round.
struct Round {
    quiet: Solo,
    /// Stretched far, and a little, where that is less.
    far: Solo,
    little: Option<Solo>,
}

impl Program<'_> {
    /// What it does otherwise when it is held now and then, if anything.
    pub(super) fn pause(&mut self, habits: &Habits) -> Result<Paused, LabError> {
        let far = self.far(habits);
        if habits.timer_ns.is_some()
            && let Ok(stretched) = self.rig.trace(self.arm, &self.stretched(far))?
            && stretched.alarms > 2 * habits.alarms
        {
            let timer = habits.timer_ns.map(ms).unwrap_or_default();
            return Ok(Paused::Changed(format!(
                "a timer of {timer} of real time goes off {} where the run is {far:.0} times as long, and {} where it is undisturbed",
                often(stretched.alarms),
                often(habits.alarms)
            )));
        }
        let little = Some(STRETCH[0]).filter(|&little| little < far);
        let round_ns = self.run.wall_ns as f64 * (1.0 + little.unwrap_or(0.0) + far);
        let each_ns = ROUNDS_NS as f64 / self.builds.max(1) as f64;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a ratio of times, which saturates and is then clamped"
        )]
        let count = ((each_ns / round_ns) as u64).clamp(FEWEST, ROUNDS);
        let held = |rounds| Held {
            habits: habits.clone(),
            rounds,
            far,
        };
        let rounds = match self.rounds(count, far, little)? {
            Ok(rounds) => rounds,
            Err(reason) => return Ok(Paused::Changed(reason)),
        };
        if judge(&rounds, far).is_none() {
            return Ok(Paused::Held(held(rounds)));
        }
        // On a noisy machine one of many builds seems to take another time. What pauses do shows
        // again, and by more rounds.
        Ok(match self.rounds((2 * count).min(ROUNDS), far, little)? {
            Ok(again) => match judge(&again, far) {
                Some(reason) => Paused::Changed(reason),
                None => Paused::Held(held(again)),
            },
            Err(reason) => Paused::Changed(reason),
        })
    }

    /// So many rounds; or what it does otherwise in one of them, which no noise explains.
    fn rounds(
        &mut self,
        count: u64,
        far: f64,
        little: Option<f64>,
    ) -> Result<Result<Vec<Round>, String>, LabError> {
        let mut rounds = Vec::new();
        for _ in 0..count {
            let round = Round {
                quiet: self.alone(&Alone::PINNED)?,
                far: self.alone(&self.stretched(far))?,
                little: little
                    .map(|times| self.alone(&self.stretched(times)))
                    .transpose()?,
            };
            if let Some(reason) = self.other_result(&round)? {
                return Ok(Err(reason));
            }
            rounds.push(round);
        }
        Ok(Ok(rounds))
    }

    /// How far its run is stretched: as far as slices do, and so far that its timers go off.
    fn far(&self, habits: &Habits) -> f64 {
        let wall_ns = self.run.wall_ns.max(1) as f64;
        if self.run.wall_ns > LONG_NS {
            return self.beside.max(STRETCH[0]);
        }
        let timer = habits.shortest_ns().unwrap_or(0) as f64;
        let most = (STRETCHED_NS / wall_ns).max(STRETCH[1]);
        let wanted = (TIMER_TIMES * timer / wall_ns).min(most);
        STRETCH[1].max(self.beside).max(wanted)
    }

    fn stretched(&self, times: f64) -> Alone {
        Alone {
            cores: OnCores::One,
            pauses: Some(Pauses {
                every_ns: (self.run.wall_ns / PIECES).max(SHORTEST_NS),
                times,
            }),
            hurry: None,
        }
    }

    fn other_result(&mut self, round: &Round) -> Result<Option<String>, LabError> {
        let all = |as_quiet: &dyn Fn(&Solo) -> bool| {
            as_quiet(&round.far) && round.little.as_ref().is_none_or(as_quiet)
        };
        if !all(&|other| other.end == round.quiet.end) {
            return Ok(Some(
                "it ends in another way when its run has pauses".to_owned(),
            ));
        }
        if all(&|other| other.printed == round.quiet.printed) || self.prints_anew(&round.quiet)? {
            return Ok(None);
        }
        Ok(Some(
            "it prints something else when its run has pauses".to_owned(),
        ))
    }
}

/// What the numbers of all rounds say.
fn judge(rounds: &[Round], far: f64) -> Option<String> {
    let against_quiet = |round: &Round| (round.quiet.cpu_ns, round.far.cpu_ns);
    let against_little = |round: &Round| Some((round.little.as_ref()?.cpu_ns, round.far.cpu_ns));
    let quiet: Vec<(u64, u64)> = rounds.iter().map(against_quiet).collect();
    let longer: Vec<(u64, u64)> = rounds.iter().filter_map(against_little).collect();
    let (of_length, of_pauses) = EQUAL;
    if let Some(by) = moved(&longer, of_length).or_else(|| moved(&quiet, of_pauses)) {
        let percent = by.exp_m1().abs() * 100.0;
        let way = if by > 0.0 { "more" } else { "less" };
        return Some(format!(
            "its CPU time is {percent:.0} % {way} when its run is {far:.0} times as long: it goes by the clock, or pauses leave its caches cold"
        ));
    }
    let waits = |of: fn(&Round) -> u64| {
        let mut all: Vec<u64> = rounds.iter().map(of).collect();
        all.sort_unstable();
        all.get(all.len() / 2).copied().unwrap_or(0)
    };
    let quiet = waits(|round| round.quiet.waits);
    let far_waits = waits(|round| round.far.waits);
    let little = waits(|round| round.little.as_ref().map_or(0, |little| little.waits));
    // Each pause may count as a wait or two, however long it is.
    (far_waits > 2 * little + quiet + 2 * PIECES).then(|| {
        format!("it waits {far_waits} times when its run is {far:.0} times as long, and {quiet} times when it is undisturbed")
    })
}

/// That pauses change what one build takes beside the base, though neither shows it by itself: what
/// they do to both alike is larger, and no matter.
pub(super) fn unequal(base: &Held, new: &Held) -> Option<String> {
    let by = |ln: fn(&Round) -> f64| {
        let both = base.rounds.iter().zip(&new.rounds);
        let moves: Vec<f64> = both.map(|(base, new)| ln(new) - ln(base)).collect();
        moved_by(&moves, EQUAL_RATIOS)
    };
    let by_length = |round: &Round| {
        let little = round.little.as_ref().unwrap_or(&round.quiet);
        apart(little.cpu_ns, round.far.cpu_ns)
    };
    let by = by(by_length).or_else(|| by(|round| apart(round.quiet.cpu_ns, round.far.cpu_ns)))?;
    let percent = by.exp_m1().abs() * 100.0;
    let way = if by > 0.0 { "more" } else { "less" };
    Some(format!(
        "its CPU time is {percent:.1} % {way} beside the base's when its run is {:.0} times as long: it goes by the clock, or pauses leave its caches cold",
        new.far
    ))
}

fn often(times: u64) -> String {
    match times {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        _ => format!("{times} times"),
    }
}
