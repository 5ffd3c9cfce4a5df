//! Who runs when: turns in proportion, in an order redrawn each time round. Pure: the machine is a
//! parameter.

use std::time::Duration;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// What came of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// The arm has ended.
    Ended,
    /// The slice is over; the arm is held.
    Held,
}

/// Something on which arms run one at a time.
pub(crate) trait Machine {
    /// Why a turn could not be given.
    type Error;
    /// Lets `arm` run for `slice`, or to its end when there is none.
    fn turn(&mut self, arm: usize, slice: Option<Duration>) -> Result<Turn, Self::Error>;
}

/// Gives every arm a turn of its own slice, time after time in a fresh order, until all have ended.
/// The last one left is not held any more.
///
/// A slice is time on the clock. Slices of CPU time (a turn goes on while other processes keep the
/// arm waiting) were tried on a machine with twelve runnable processes on two cores: the spread of
/// a pair was 0.5 to 4.7 % either way, in 12 comparisons of 12 rounds.
pub(crate) fn take_turns<M: Machine>(
    slices: &[Duration],
    order_seed: u64,
    machine: &mut M,
) -> Result<(), M::Error> {
    let mut draw = ChaCha8Rng::seed_from_u64(order_seed);
    let mut alive: Vec<usize> = (0..slices.len()).collect();
    while !alive.is_empty() {
        alive.shuffle(&mut draw);
        let mut place = 0;
        while let Some(&arm) = alive.get(place) {
            let slice = (alive.len() > 1).then(|| slices[arm]);
            match machine.turn(arm, slice)? {
                Turn::Held => place += 1,
                Turn::Ended => drop(alive.remove(place)),
            }
        }
    }
    Ok(())
}

/// Slices in proportion to each arm's CPU time, their mean being `mean`. No slice is shorter than a
/// twentieth of `mean`: below that, a turn is mostly the cost of taking it. Arms without a known
/// time (zero) count as the mean of the others.
///
/// With equal slices the slowest arm would run alone at the end, without the others' noise.
#[must_use]
pub fn proportional_slices(mean: Duration, cpu: &[Duration]) -> Vec<Duration> {
    let known: Vec<f64> = cpu
        .iter()
        .map(Duration::as_secs_f64)
        .filter(|&seconds| seconds > 0.0)
        .collect();
    let count = f64::from(u32::try_from(known.len()).unwrap_or(u32::MAX));
    let average = if known.is_empty() {
        1.0
    } else {
        known.iter().sum::<f64>() / count
    };
    cpu.iter()
        .map(|time| {
            let seconds = time.as_secs_f64();
            let share = if seconds > 0.0 {
                seconds / average
            } else {
                1.0
            };
            mean.mul_f64(share.max(0.05))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A machine with a clock of its own: an arm is its remaining work.
    struct Virtual {
        left: Vec<Duration>,
        turns: Vec<(usize, Duration)>,
    }

    impl Machine for Virtual {
        type Error = &'static str;
        fn turn(&mut self, arm: usize, slice: Option<Duration>) -> Result<Turn, Self::Error> {
            if self.left[arm].is_zero() {
                return Err("a turn for an arm that has ended");
            }
            let ran = slice.map_or(self.left[arm], |slice| slice.min(self.left[arm]));
            self.left[arm] -= ran;
            self.turns.push((arm, ran));
            Ok(if self.left[arm].is_zero() {
                Turn::Ended
            } else {
                Turn::Held
            })
        }
    }

    fn run(work: &[Duration], slices: &[Duration], seed: u64) -> Vec<(usize, Duration)> {
        let mut machine = Virtual {
            left: work.to_vec(),
            turns: Vec::new(),
        };
        take_turns(slices, seed, &mut machine).unwrap();
        machine.turns
    }

    fn micros(values: &[u64]) -> Vec<Duration> {
        values
            .iter()
            .map(|&value| Duration::from_micros(value))
            .collect()
    }

    proptest! {
        #[test]
        fn every_arm_gets_its_work_done_and_no_more(work in prop::collection::vec(1u64..200_000, 1..8), slice in 1_000u64..20_000, seed: u64) {
            let work = micros(&work);
            let turns = run(&work, &vec![Duration::from_micros(slice); work.len()], seed);
            for (arm, expected) in work.iter().enumerate() {
                let ran: Duration = turns.iter().filter(|turn| turn.0 == arm).map(|turn| turn.1).sum();
                prop_assert_eq!(ran, *expected);
            }
        }

        #[test]
        fn between_two_turns_of_an_arm_every_other_living_arm_has_at_most_two(work in prop::collection::vec(1_000u64..50_000, 2..6), seed: u64) {
            let work = micros(&work);
            let turns = run(&work, &vec![Duration::from_millis(1); work.len()], seed);
            for arm in 0..work.len() {
                let mine: Vec<usize> = turns.iter().enumerate().filter(|(_, turn)| turn.0 == arm).map(|(at, _)| at).collect();
                for pair in mine.windows(2) {
                    for other in (0..work.len()).filter(|&other| other != arm) {
                        let between = turns[pair[0]..pair[1]].iter().filter(|turn| turn.0 == other).count();
                        prop_assert!(between <= 2);
                    }
                }
            }
        }

        #[test]
        fn with_proportional_slices_all_end_in_the_same_time_round(work in prop::collection::vec(20_000u64..200_000, 2..6), seed: u64) {
            let work = micros(&work);
            let slices = proportional_slices(Duration::from_millis(2), &work);
            let turns = run(&work, &slices, seed);
            let counts: Vec<usize> = (0..work.len()).map(|arm| turns.iter().filter(|turn| turn.0 == arm).count()).collect();
            let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
            prop_assert!(most - least <= 1, "{:?}", counts);
        }

        #[test]
        fn slices_are_in_proportion_and_keep_their_mean(cpu in prop::collection::vec(50_000u64..500_000, 1..6), mean in 1_000u64..20_000) {
            let cpu = micros(&cpu);
            let mean = Duration::from_micros(mean);
            let slices = proportional_slices(mean, &cpu);
            let total: f64 = slices.iter().map(Duration::as_secs_f64).sum();
            let expected = mean.as_secs_f64() * f64::from(u32::try_from(cpu.len()).unwrap());
            prop_assert!((total / expected - 1.0).abs() < 1e-3);
            for (slice, time) in slices.iter().zip(&cpu) {
                let ratio = (slice.as_secs_f64() / slices[0].as_secs_f64()) / (time.as_secs_f64() / cpu[0].as_secs_f64());
                prop_assert!((ratio - 1.0).abs() < 1e-3);
            }
        }
    }

    #[test]
    fn the_order_is_redrawn_each_time_round_and_follows_the_seed() {
        let work = micros(&[100_000; 3]);
        let slices = micros(&[1_000; 3]);
        let turns = run(&work, &slices, 7);
        let orders: std::collections::BTreeSet<Vec<usize>> = turns
            .chunks_exact(3)
            .map(|round| round.iter().map(|turn| turn.0).collect())
            .collect();
        assert_eq!(orders.len(), 6, "a hundred times round draw all six orders");
        assert_eq!(turns, run(&work, &slices, 7));
        assert_ne!(turns, run(&work, &slices, 8));
    }

    #[test]
    fn the_last_one_left_is_not_held() {
        let turns = run(&micros(&[1_000, 50_000]), &micros(&[1_000, 1_000]), 1);
        assert!(turns.len() <= 3, "{turns:?}");
    }

    #[test]
    fn a_failing_machine_ends_the_turns() {
        let mut machine = Virtual {
            left: micros(&[0]),
            turns: Vec::new(),
        };
        assert!(take_turns(&micros(&[1_000]), 0, &mut machine).is_err());
    }

    #[test]
    fn unknown_times_and_extremes_still_give_slices() {
        let mean = Duration::from_millis(4);
        assert_eq!(
            proportional_slices(mean, &[Duration::ZERO, Duration::ZERO]),
            [mean, mean]
        );
        let slices = proportional_slices(mean, &micros(&[1, 1_000_000]));
        assert_eq!(slices[0], mean.mul_f64(0.05));
        assert!(proportional_slices(mean, &[]).is_empty());
    }
}
