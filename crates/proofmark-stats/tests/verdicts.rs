//! What an interval says, and the small types it is made of.

use proofmark_stats::{Better, Effect, Interval, Margin, Verdict};

fn interval(low: f64, high: f64) -> Interval {
    Interval {
        estimate: Effect::from_ln(f64::midpoint(low, high)),
        low: Effect::from_ln(low),
        high: Effect::from_ln(high),
    }
}

/// Margin 1 %: ln 1.01 = 0.00995.
#[test]
fn every_verdict_at_its_place() {
    let margin = Margin::from_relative(0.01).unwrap();
    let cases = [
        (-0.03, -0.001, Verdict::Faster),
        (-0.009, -0.001, Verdict::FasterButNegligible),
        (-0.009, 0.009, Verdict::Equivalent),
        (0.001, 0.009, Verdict::SlowerButNegligible),
        (0.001, 0.03, Verdict::Slower),
        (0.02, 0.03, Verdict::Slower),
        (-0.011, 0.009, Verdict::Undecided),
        (-0.009, 0.011, Verdict::Undecided),
        (-0.1, 0.1, Verdict::Undecided),
        (0.0, 0.03, Verdict::Undecided),
        (-0.03, 0.0, Verdict::Undecided),
        (0.0, 0.0, Verdict::Equivalent),
    ];
    for (low, high, verdict) in cases {
        assert_eq!(
            Verdict::of(&interval(low, high), margin, Better::Lower),
            verdict,
            "[{low}, {high}]"
        );
        assert_eq!(verdict.is_decided(), verdict != Verdict::Undecided);
    }
}

/// More operations per second are better: the same interval, the other word.
#[test]
fn higher_can_be_better() {
    let margin = Margin::from_relative(0.01).unwrap();
    let of = |low, high| Verdict::of(&interval(low, high), margin, Better::Higher);
    assert_eq!(of(0.02, 0.03), Verdict::Faster);
    assert_eq!(of(-0.03, -0.02), Verdict::Slower);
    assert_eq!(of(0.001, 0.009), Verdict::FasterButNegligible);
    assert_eq!(of(-0.009, -0.001), Verdict::SlowerButNegligible);
    assert_eq!(of(-0.001, 0.03), Verdict::Undecided);
    assert_eq!(of(-0.03, 0.001), Verdict::Undecided);
}

#[test]
fn what_rounding_leaves_of_no_change_is_none() {
    let margin = Margin::from_relative(0.01).unwrap();
    let edge = margin.ln();
    for better in [Better::Lower, Better::Higher] {
        for left in [-2.2e-16, 2.2e-16, -1e-13, 1e-13] {
            let verdict = Verdict::of(&interval(left, left), margin, better);
            assert_eq!(verdict, Verdict::Equivalent, "{left}");
            let verdict = Verdict::of(&interval(edge + left, edge + left), margin, better);
            let inside = matches!(
                verdict,
                Verdict::FasterButNegligible | Verdict::SlowerButNegligible
            );
            assert!(inside, "{left}: {verdict:?}");
        }
    }
}

#[test]
fn margins_are_relative_changes() {
    assert!((Margin::from_relative(0.01).unwrap().ln() - 1.01_f64.ln()).abs() < 1e-15);
    for relative in [0.0, -0.01, 1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(Margin::from_relative(relative), None, "{relative}");
    }
}

#[test]
fn effects_say_themselves_in_three_ways() {
    let effect = Effect::from_ratio(0.967);
    assert!((effect.ln() - 0.967_f64.ln()).abs() < 1e-15 && (effect.ratio() - 0.967).abs() < 1e-15);
    assert!((effect.relative() + 0.033).abs() < 1e-15);
    assert_eq!(Effect::NONE.ratio(), 1.0);
}

#[test]
fn intervals_hold_their_ends_and_widen_to_both_sides() {
    let interval = interval(-0.01, 0.03);
    for (ln, held) in [
        (-0.010_1, false),
        (-0.01, true),
        (0.0, true),
        (0.03, true),
        (0.030_1, false),
    ] {
        assert_eq!(interval.contains(Effect::from_ln(ln)), held, "{ln}");
    }
    assert!((interval.half_width() - 0.02).abs() < 1e-15);
    let wider = interval.widened(0.005);
    assert_eq!(wider.estimate, interval.estimate);
    assert!((wider.low.ln() + 0.015).abs() < 1e-15 && (wider.high.ln() - 0.035).abs() < 1e-15);
}
