//! The same quantities from scipy, where it is installed.

use std::collections::HashMap;
use std::process::Command;

use proofmark_stats::{
    Anchored, Better, Looks, Margin, Rule, alarm_rate, layout_variance, position_bias, shift,
    solve_nominal_alpha,
};
use rand::SeedableRng;
use rand::rngs::SmallRng;

const EFFECTS: [f64; 10] = [
    0.011, -0.004, 0.023, 0.008, 0.017, -0.001, 0.030, 0.012, 0.006, 0.019,
];
const OTHERS: [f64; 4] = [0.031, 0.012, 0.054, 0.022];
const ROUNDS: [[f64; 3]; 5] = [
    [0.1, 0.4, 0.2],
    [1.3, 1.1, 1.9],
    [-0.7, 0.2, -0.1],
    [2.2, 2.9, 2.1],
    [0.5, 0.6, 1.0],
];
const LAYOUTS: [[f64; 3]; 4] = [
    [0.010, 0.014, 0.009],
    [0.031, 0.026, 0.029],
    [-0.012, -0.004, -0.009],
    [0.002, 0.006, 0.001],
];

/// What scipy says by name; `None` where there is no scipy.
fn oracle(hits: u64, tries: u64) -> Option<HashMap<String, f64>> {
    let output = Command::new("python3")
        .arg("-c")
        .arg(include_str!("scipy/oracle.py"))
        .args([hits.to_string(), tries.to_string()])
        .output();
    let output = match output {
        Ok(output) if output.status.success() => output,
        _ => {
            assert!(
                std::env::var_os("PROOFMARK_TESTS_REQUIRE_TOOLS").is_none(),
                "needs python3 with scipy"
            );
            return None;
        }
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let pair = |line: &str| {
        line.split_once(' ')
            .map(|(name, value)| (name.to_owned(), value.parse().expect("a number")))
    };
    Some(text.lines().filter_map(pair).collect())
}

#[test]
fn scipy_says_the_same() {
    let rule = Rule::new(
        Looks::new(0.95, 5, 10, 1).unwrap(),
        Margin::from_relative(0.01).unwrap(),
        Better::Lower,
    );
    let alarms = alarm_rate(&EFFECTS, &rule, 1000, &mut SmallRng::seed_from_u64(1)).unwrap();
    assert!(alarms.alarms > 0, "{alarms:?}");
    let Some(scipy) = oracle(alarms.alarms, alarms.verdicts) else {
        println!("skipped: needs python3 with scipy");
        return;
    };
    let close = |name: &str, ours: f64, tolerance: f64| {
        let theirs = scipy[name];
        assert!(
            (ours - theirs).abs() <= tolerance * theirs.abs().max(1e-6),
            "{name}: ours {ours}, scipy's {theirs}"
        );
    };
    let interval = Looks::new(0.95, 10, 10, 1)
        .unwrap()
        .interval(&EFFECTS)
        .unwrap();
    close("t_low", interval.low.ln(), 1e-9);
    close("t_high", interval.high.ln(), 1e-9);
    // One look of all comparisons at α·k is a t quantile at α.
    for (alpha, confidence, comparisons) in [
        (0.5, 0.5, 1),
        (0.05, 0.95, 1),
        (0.0064, 0.9936, 1),
        (1e-5, 0.99, 1000),
        (1e-7, 0.9999, 1000),
    ] {
        for freedom in [1, 2, 7, 59, 499] {
            let looks = Looks::new(confidence, freedom + 1, freedom + 1, comparisons).unwrap();
            close(
                &format!("t_{alpha:.7}_{freedom}"),
                looks.critical(freedom + 1).unwrap(),
                if alpha < 1e-6 { 1e-4 } else { 1e-6 },
            );
        }
    }
    let welch = shift(&EFFECTS, &OTHERS).unwrap();
    close("welch_low", welch.estimate - welch.half_width, 1e-7);
    close("welch_high", welch.estimate + welch.half_width, 1e-7);
    let layouts = LAYOUTS.map(|ratios| Anchored {
        drawn: ratios.map(f64::exp).to_vec(),
        shipped: vec![1.0; 3],
    });
    close("layout_p", layout_variance(&layouts).unwrap().p_value, 1e-7);
    close(
        "position_p",
        position_bias(&ROUNDS.map(|round| round.to_vec()))
            .unwrap()
            .p_value,
        1e-9,
    );
    close("share_low", alarms.low, 1e-7);
    close("share_high", alarms.high, 1e-7);
    for alpha in [0.02_f64, 0.05, 0.2] {
        // The level that keeps what this level misses is this level.
        let missed = scipy[&format!("missed_{alpha}")];
        let level = solve_nominal_alpha(missed, 2, 3);
        assert!(
            (level / alpha - 1.0).abs() < 2e-3,
            "{alpha}: {level} misses {missed}"
        );
    }
}
