//! Blocks needed, effects resolvable, rounds per block.

use proofmark_stats::{
    Better, Looks, Margin, RoundCosts, RoundsError, Rule, blocks_needed, resolvable,
    rounds_per_block,
};

fn rule() -> Rule {
    Rule::new(
        Looks::new(0.95, 8, 60, 1).expect("possible"),
        Margin::from_relative(0.01).expect("possible"),
        Better::Lower,
    )
}

/// Mean 0.5 % and spread 1 %, ten blocks: each half of the region of equivalence is about half a
/// spread away.
#[test]
fn blocks_needed_follow_the_half_width() {
    let effects: Vec<f64> = (0..10)
        .map(|block| 0.005 + if block % 2 == 0 { 0.01 } else { -0.01 } * 0.9_f64.sqrt())
        .collect();
    // Half-width w needs about (2.8 s ÷ w)² = (2.8 · 2)² = 31 blocks.
    let needed = blocks_needed(&effects, &rule()).expect("possible");
    assert!((30..=34).contains(&needed), "{needed}");
    let widened = blocks_needed(&effects, &rule().widened(0.0025)).expect("possible");
    assert!(
        (115..=135).contains(&widened),
        "half the room takes four times the blocks: {widened}"
    );
    let precise = blocks_needed(&effects, &rule().precise(0.002)).expect("possible");
    assert!((185..=205).contains(&precise), "{precise}");
}

#[test]
fn no_number_of_blocks_decides_what_the_widening_hides() {
    let effects = [0.004, 0.006, 0.005, 0.0045, 0.0055];
    assert_eq!(blocks_needed(&effects, &rule().widened(0.006)), None);
    assert_eq!(blocks_needed(&effects, &rule().widened(0.0035)), Some(8));
    assert_eq!(blocks_needed(&[0.1], &rule()), None);
}

/// n = 20, 1 % spread: (t(19; 1 − 0.00649/2) + t(19; 0.8))·0.01 ÷ √20 = (3.0567 +
/// 0.8610)·0.0022361.
#[test]
fn resolvable_is_the_textbook_sum() {
    let effect = resolvable(0.01, 20, rule().looks());
    assert!((effect - 0.008_798_66).abs() < 0.000_000_1, "{effect}");
    assert!(
        (resolvable(0.01, 500, rule().looks()) - resolvable(0.01, 60, rule().looks())).abs()
            < 1e-15
    );
    assert!(
        (resolvable(0.01, 0, rule().looks()) - resolvable(0.01, 8, rule().looks())).abs() < 1e-15
    );
    assert!(resolvable(0.0, 8, rule().looks()).abs() < 1e-15);
}

/// Two blocks of two rounds: within (1 + 1)/2 = 1 … worked by hand. Block means 0 and 10; within
/// each ±√2/… so that the variance is 2.
#[test]
fn rounds_follow_kalibera_and_jones() {
    let blocks = [vec![-1.0, 1.0], vec![9.0, 11.0]];
    // Within: (2 + 2) ÷ 2 = 2. Between: mean square 100, (100 − 2) ÷ 2 = 49.
    let costs = RoundCosts {
        block: 200.0,
        round: 1.0,
    };
    let advice = rounds_per_block(&blocks, costs, 100).expect("possible");
    assert!((advice.within - 2.0_f64.sqrt()).abs() < 1e-12 && (advice.between - 7.0).abs() < 1e-12);
    // √(200 · 2 ÷ 49) = 2.857.
    assert_eq!(advice.rounds, 3);
    assert_eq!(
        rounds_per_block(&blocks, costs, 2)
            .expect("possible")
            .rounds,
        2,
        "never more than asked"
    );
    assert_eq!(
        rounds_per_block(
            &blocks,
            RoundCosts {
                block: 0.0,
                round: 1.0
            },
            100
        )
        .expect("possible")
        .rounds,
        1,
        "a free block needs one round"
    );
}

#[test]
fn blocks_that_do_not_differ_want_all_rounds() {
    let advice = rounds_per_block(
        &[vec![-1.0, 1.0], vec![-1.0, 1.0]],
        RoundCosts {
            block: 1.0,
            round: 1.0,
        },
        40,
    )
    .expect("possible");
    assert_eq!((advice.rounds, advice.between), (40, 0.0));
}

#[test]
fn rounds_that_carry_no_advice_are_errors() {
    let costs = RoundCosts {
        block: 1.0,
        round: 1.0,
    };
    assert_eq!(
        rounds_per_block(&[vec![0.1], vec![0.2]], costs, 9),
        Err(RoundsError::TooFew {
            blocks: 2,
            rounds: 2
        })
    );
    assert_eq!(
        rounds_per_block(&[vec![0.1, 0.2], vec![]], costs, 9),
        Err(RoundsError::TooFew {
            blocks: 1,
            rounds: 2
        })
    );
    assert_eq!(
        rounds_per_block(&[vec![0.1, f64::NAN], vec![0.1, 0.2]], costs, 9),
        Err(RoundsError::NotANumber)
    );
    for (block, round) in [
        (-1.0, 1.0),
        (1.0, 0.0),
        (f64::NAN, 1.0),
        (1.0, f64::INFINITY),
    ] {
        assert_eq!(
            rounds_per_block(
                &[vec![-1.0, 1.0], vec![9.0, 11.0]],
                RoundCosts { block, round },
                9
            ),
            Err(RoundsError::NotANumber)
        );
    }
}
