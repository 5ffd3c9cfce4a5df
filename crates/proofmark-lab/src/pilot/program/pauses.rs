//! Whether a program does something else when its run has pauses in it, as runs in slices have.

use proofmark_evidence::record::Run;
use proofmark_stats::mean_at;
use proofmark_terms::BuildIndex;

use super::{Asked, Program, apart, moved_by, ms};
use crate::error::LabError;
use crate::rig::{Alone, Habits, OnCores, Pauses, Rig, Solo};

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

/// How often noise alone may be taken for a ratio that pauses move, where it is looked at again.
const MISTAKEN: f64 = 0.05;

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
    /// Nothing that noise could not have done.
    Held(Held),
}

/// Runs of a program with pauses and without, which came to the same results.
pub(super) struct Held {
    pub(super) build: BuildIndex,
    pub(super) habits: Habits,
    rounds: Vec<Round>,
    /// How far they were stretched.
    far: f64,
}

/// How many rounds a program is tried with.
#[derive(Clone, Copy)]
enum Tries {
    /// What there is time for.
    Few,
    /// Twice as many.
    More,
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
        self.try_pauses(habits, Tries::Few)
    }

    fn try_pauses(&mut self, habits: &Habits, tries: Tries) -> Result<Paused, LabError> {
        let far = self.far(habits);
        let little = Some(STRETCH[0]).filter(|&little| little < far);
        let round_ns = self.run.wall_ns as f64 * (1.0 + little.unwrap_or(0.0) + far);
        let each_ns = ROUNDS_NS as f64 / self.builds.max(1) as f64;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a ratio of times, which saturates and is then clamped"
        )]
        let few = ((each_ns / round_ns) as u64).clamp(FEWEST, ROUNDS);
        let count = match tries {
            Tries::Few => few,
            Tries::More => (2 * few).min(ROUNDS),
        };
        let rounds = match self.rounds(count, far, little)? {
            Ok(rounds) => rounds,
            Err(reason) => return Ok(Paused::Changed(reason)),
        };
        Ok(match waits(&rounds, far) {
            Some(reason) => Paused::Changed(reason),
            None => Paused::Held(Held {
                build: self.build,
                habits: habits.clone(),
                rounds,
                far,
            }),
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

/// How often it waits, where that says that pauses make it wait.
fn waits(rounds: &[Round], far: f64) -> Option<String> {
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

/// What pauses do to the CPU time of builds of one program, and the build that shows it. On a noisy
/// machine one of many builds always seems to take another time. So what all of them do is judged
/// by the runs of all, and what one does by its ratio to the base; and both have to show again.
pub(super) fn moved_by_pauses(
    rig: &mut dyn Rig,
    asked: &Asked<'_>,
    all: &[Held],
) -> Result<Option<(BuildIndex, String)>, LabError> {
    let suspects = suspects(all);
    let all_move = in_all(all).is_some();
    if !all_move && suspects.is_empty() {
        return Ok(None);
    }
    let (builds, tries) = if all_move {
        (asked.builds, Tries::Few)
    } else {
        (&suspects[..], Tries::More)
    };
    let mut again = Vec::new();
    for (arm, (held, run)) in all.iter().zip(asked.runs).enumerate() {
        if arm > 0 && !builds.contains(&held.build) {
            continue;
        }
        match Program::of(&mut *rig, asked, arm, *run).try_pauses(&held.habits, tries)? {
            Paused::Held(held) => again.push(held),
            Paused::Changed(reason) => return Ok(Some((held.build, reason))),
        }
    }
    if all_move && let Some(found) = in_all(&again) {
        return Ok(Some(found));
    }
    Ok(among(&again, &suspects))
}

/// What pauses do to all builds alike, said of the first of them.
fn in_all(all: &[Held]) -> Option<(BuildIndex, String)> {
    let first = all.first()?;
    let rounds = || all.iter().flat_map(|held| &held.rounds);
    let quiet: Vec<f64> = rounds().map(Round::by_pauses).collect();
    let longer: Vec<f64> = rounds().filter_map(Round::by_length).collect();
    let (of_length, of_pauses) = EQUAL;
    let by = moved_by(&longer, of_length).or_else(|| moved_by(&quiet, of_pauses))?;
    Some((first.build, moved(by, first.far, "", 0)))
}

/// The builds whose ratio to the first one pauses may have moved: what they do to both alike is
/// larger, and no matter.
fn suspects(all: &[Held]) -> Vec<BuildIndex> {
    let Some((base, others)) = all.split_first() else {
        return Vec::new();
    };
    let moved = |new: &&Held| {
        let moves = ratio_moves(base, new);
        moves
            .iter()
            .any(|all| moved_by(all, EQUAL_RATIOS).is_some())
    };
    let suspects = others.iter().filter(moved);
    suspects.map(|new| new.build).collect()
}

/// The first of the suspects whose ratio moves beyond its error again: the errors of all of them
/// hold together.
fn among(all: &[Held], suspects: &[BuildIndex]) -> Option<(BuildIndex, String)> {
    let (base, others) = all.split_first()?;
    let alpha = MISTAKEN / (2.0 * suspects.len().max(1) as f64);
    let stands_out = |moves: &Vec<f64>| {
        let (mean, half_width) = mean_at(moves, alpha)?;
        (mean.abs() > EQUAL_RATIOS + half_width).then_some(mean)
    };
    let mut others = others.iter().filter(|new| suspects.contains(&new.build));
    others.find_map(|new| {
        let by = ratio_moves(base, new).iter().find_map(stands_out)?;
        Some((new.build, moved(by, new.far, " beside the base's", 1)))
    })
}

/// What pauses of this length do to the CPU time, by so much on the scale of ln.
fn moved(by: f64, far: f64, beside: &str, decimals: usize) -> String {
    let percent = by.exp_m1().abs() * 100.0;
    let way = if by > 0.0 { "more" } else { "less" };
    format!(
        "its CPU time is {percent:.decimals$} % {way}{beside} when its run is {far:.0} times as \
         long: it goes by the clock, or pauses leave its caches cold"
    )
}

/// How pauses moved a build's ratio to the base, round by round: by how long they are, and by being
/// there at all.
fn ratio_moves(base: &Held, new: &Held) -> [Vec<f64>; 2] {
    let moves = |ln: fn(&Round) -> Option<f64>| {
        let both = base.rounds.iter().zip(&new.rounds);
        both.filter_map(|(base, new)| Some(ln(new)? - ln(base)?))
            .collect()
    };
    [
        moves(|round| round.by_length().or(Some(round.by_pauses()))),
        moves(|round| Some(round.by_pauses())),
    ]
}

impl Round {
    /// ln of the CPU time with long pauses ÷ that with shorter ones.
    fn by_length(&self) -> Option<f64> {
        Some(apart(self.little.as_ref()?.cpu_ns, self.far.cpu_ns))
    }

    /// ln of the CPU time with long pauses ÷ that without any.
    fn by_pauses(&self) -> f64 {
        apart(self.quiet.cpu_ns, self.far.cpu_ns)
    }
}

fn often(times: u64) -> String {
    match times {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        _ => format!("{times} times"),
    }
}
