//! What a terminal shows, at the width of a terminal and at that of a wide one.

use proofmark_evidence::record::{Tree, TreeChange, TreeChangeKind, Warning};
use proofmark_report::Style;
use proofmark_report::experiment::terminal;
use unicode_width::UnicodeWidthStr;

use crate::{made, parts};

fn plain(width: u16) -> Style {
    Style {
        colour: false,
        width,
        terminal: true,
    }
}

#[test]
fn narrow() {
    for (name, recorded) in made::all() {
        insta::assert_snapshot!(format!("narrow_{name}"), terminal(&recorded, &plain(80)));
    }
}

#[test]
fn wide() {
    for (name, recorded) in [
        ("faster", &made::verdicts()[0].1),
        ("several", &made::several()),
        ("null", &made::null()),
    ] {
        insta::assert_snapshot!(format!("wide_{name}"), terminal(recorded, &plain(130)));
    }
}

#[test]
fn expectations_that_one_of_several_builds_breaks_are_shown() {
    let text = terminal(&made::several(), &plain(80)).replace('\u{a0}', " ");
    assert!(text.contains("1 of 4 broken"), "{text}");
    let told = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        told.contains("gcc-O3: run: indirect_jumps >= 300 expected, 3 found"),
        "{text}"
    );
}

#[test]
fn what_slices_did_is_told_and_nothing_is_claimed_of_whole_runs() {
    let mut recorded = made::verdicts().remove(0).1;
    let told = |recorded: &proofmark_evidence::Recorded| {
        terminal(recorded, &plain(400)).replace('\u{a0}', " ")
    };
    let text = told(&recorded);
    assert!(
        text.contains("shorter slices differ by 0.2 % ± 0.3 %, builds on their own by 0.1 % ± 0.4 %, whole runs by 0.4 % ± 1.2 %"),
        "{text}"
    );
    assert!(
        text.contains("the interval is wider by 0.22 % for that"),
        "{text}"
    );
    let comparison = &mut recorded.conclusion.as_mut().unwrap().comparisons[0];
    (comparison.slicing, comparison.widening) = (None, 0.0);
    let text = told(&recorded);
    assert!(!text.contains("shorter slices"), "{text}");
}

#[test]
fn long_names_that_differ_in_their_middle_stay_apart() {
    let mut recorded = made::verdicts().remove(0).1;
    let names = ["old", "new"].map(|which| format!("some/where/{which}/quite/deep/bench"));
    for (build, name) in recorded.experiment.builds.iter_mut().zip(names) {
        build.name = name;
    }
    let text = terminal(&recorded, &plain(80));
    let line = text.lines().next().unwrap();
    let (new, base) = line.trim_start_matches("time ").split_once("h / ").unwrap();
    assert!(new.contains('…') && !base.starts_with(new), "{line}");
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    for (name, recorded) in made::all() {
        for width in [60, 72, 80, 100, 125, 126, 127, 200] {
            for line in terminal(&recorded, &plain(width)).lines() {
                assert!(
                    line.width() <= usize::from(width),
                    "{name} at {width}: {} columns: {line}",
                    line.width()
                );
                assert_eq!(line, line.trim_end(), "{name} at {width}");
            }
        }
    }
}

#[test]
fn colour_adds_escapes_and_nothing_else() {
    for (name, recorded) in made::all() {
        let coloured = terminal(
            &recorded,
            &Style {
                colour: true,
                width: 80,
                terminal: true,
            },
        );
        assert!(coloured.contains("\x1b["), "{name}");
        let mut bare = String::new();
        for (number, part) in coloured.split("\x1b[").enumerate() {
            bare.push_str(if number == 0 {
                part
            } else {
                part.split_once('m').unwrap().1
            });
        }
        assert_eq!(bare, terminal(&recorded, &plain(80)), "{name}");
    }
}

#[test]
fn words_that_would_overstate_are_never_used() {
    for (name, recorded) in made::all() {
        let text = terminal(&recorded, &plain(80));
        assert!(!text.contains("the same as"), "{name}");
        assert!(!text.contains("no difference"), "{name}");
        assert!(!text.contains('\u{a0}'), "{name}");
    }
}

/// Whether the self-test is shown beside a build that is 33 % slower, by what a slowdown of 1 % was
/// measured as.
fn self_test_is_shown(low: f64, estimate: f64, high: f64) -> bool {
    let mut recorded = made::compared(
        proofmark_stats::Verdict::Slower,
        parts::interval(1.31, 1.33, 1.35),
    );
    recorded.conclusion.as_mut().unwrap().certificate = Some(parts::measured(low, estimate, high));
    terminal(&recorded, &plain(80)).contains("self-test")
}

#[test]
fn the_self_test_is_left_out_where_it_adds_nothing_and_never_where_it_failed() {
    assert!(!self_test_is_shown(1.0082, 1.0098, 1.0118));
    assert!(!self_test_is_shown(0.998, 1.006, 1.014));
    assert!(self_test_is_shown(0.990, 1.001, 1.004));
}

/// A counter's processor may go another way than the machine's: valgrind's lacks AVX-512.
#[test]
fn equal_counts_of_times_far_apart_are_no_sign_of_placement() {
    use proofmark_evidence::record::{CodeChange, Instructions, WorkChange};
    let shown = |low, estimate, high, functions| {
        let mut recorded = made::compared(
            proofmark_stats::Verdict::Slower,
            parts::interval(low, estimate, high),
        );
        let conclusion = recorded.conclusion.as_mut().unwrap();
        conclusion.comparisons[0].instructions = Instructions::Counted {
            base: 2_000_000,
            new: 2_000_000,
            by: "valgrind".to_owned(),
            varies: None,
            work: WorkChange::Same,
        };
        for code in &mut conclusion.code {
            if let CodeChange::Read {
                changed, removed, ..
            } = code
            {
                (*changed, *removed) = (functions, 0);
            }
        }
        terminal(&recorded, &plain(80))
    };
    let placement = "consistent with";
    assert!(shown(1.01, 1.02, 1.03, 0).contains(placement));
    assert!(!shown(1.85, 1.88, 1.91, 0).contains(placement));
    // Code that changed was not moved only.
    let changed = shown(1.01, 1.02, 1.03, 1);
    assert!(
        changed.contains("as many, in code that changed"),
        "{changed}"
    );
    assert!(!changed.contains(placement), "{changed}");
}

#[test]
fn blocks_that_were_measured_for_the_self_test_are_told() {
    let mut recorded = made::verdicts().remove(2).1;
    recorded.conclusion.as_mut().unwrap().blocks = 15;
    let text = terminal(&recorded, &plain(200));
    let said = "decided after block 14 (1 more for the self-test)";
    assert!(text.contains(said), "{text}");
}

#[test]
fn what_placement_does_is_a_bound_where_noise_explains_it() {
    let mut recorded = made::verdicts().remove(0).1;
    let comparison = &mut recorded.conclusion.as_mut().unwrap().comparisons[0];
    let alone = comparison.layout_alone.as_mut().unwrap();
    (alone.low_ratio, alone.high_ratio) = (0.93, 1.07);
    assert!(terminal(&recorded, &plain(200)).contains("0.930 … 1.070"));
    let comparison = &mut recorded.conclusion.as_mut().unwrap().comparisons[0];
    comparison.layout_alone.as_mut().unwrap().at_most = true;
    let text = terminal(&recorded, &plain(200));
    assert!(
        text.contains("at most ±7.0") && !text.contains("0.930"),
        "{text}"
    );
}

#[test]
fn data_at_other_addresses_is_named_and_called_harmless() {
    let mut recorded = made::verdicts().remove(0).1;
    let examples = vec!["__FRAME_END__".to_owned()];
    let warning = Warning::NotAtOneAddress { examples };
    recorded.conclusion.as_mut().unwrap().warnings.push(warning);
    let text = terminal(&recorded, &plain(200));
    let said = "some code or data (such as `__FRAME_END__`) is at other addresses in the builds; \
                harmless where it is seldom used";
    assert!(text.contains(said), "{text}");
}

#[test]
fn what_is_said_of_few_layouts_is_true_of_them() {
    let mut recorded = made::verdicts().remove(2).1;
    recorded.conclusion.as_mut().unwrap().blocks = 2;
    let text = terminal(&recorded, &plain(200));
    assert!(!text.contains("3 in 2"), "{text}");
    // 1 − √0.05: two draws miss what happens in this share of the layouts once in twenty times.
    assert!(
        text.contains("what happens in 78 % of all layouts"),
        "{text}"
    );
}

/// What differs is named, and nothing is called the same that is not.
#[test]
fn the_files_in_which_trees_differ_are_named() {
    let mut recorded = made::verdicts().remove(0).1;
    for (build, code) in recorded
        .experiment
        .builds
        .iter_mut()
        .zip([None, Some(false)])
    {
        let change = |code| TreeChange {
            path: "lib/a.lua".into(),
            how: TreeChangeKind::Changed,
            code,
        };
        build.tree = Some(Box::new(Tree {
            from: "/opt/tree".into(),
            at: "/opt/seen".into(),
            digest: "7d".repeat(32).parse().unwrap(),
            files: 14,
            changes: code.map(change).into_iter().collect(),
        }));
    }
    recorded.experiment.inputs.in_trees = vec!["/opt/seen/a.pyc".into()];
    let text = terminal(&recorded, &plain(200));
    let same = "1 file differs: lib/a.lua; the program and its libraries are the same";
    assert!(text.contains(same), "{text}");
    assert!(text.contains("sees its own files at /opt/seen;"), "{text}");
    assert!(
        text.contains("(/opt/seen/a.pyc), so that the first round"),
        "{text}"
    );
    let new = &mut recorded.experiment.builds[1];
    new.tree.as_mut().unwrap().changes[0].code = true;
    let text = terminal(&recorded, &plain(200));
    assert!(
        text.contains("there is machine code among these files"),
        "{text}"
    );
    assert!(!text.contains("its libraries are the same"), "{text}");
    recorded.experiment.builds[1].images.program.digest = "9f".repeat(32).parse().unwrap();
    let text = terminal(&recorded, &plain(200));
    assert!(
        text.contains("lib/a.lua; the program differs too"),
        "{text}"
    );
}

/// What a minute resolves and what the trial of slices showed are two numbers.
#[test]
fn each_number_of_the_doctor_is_named() {
    let doctor = |pilot: &proofmark_evidence::record::Pilot| {
        let found = proofmark_report::machine::Found {
            checks: &[],
            power: Some(pilot),
            worth: None,
        };
        let text = proofmark_report::machine::terminal(&found, &plain(100));
        text.replace("\n  ", " ").replace('\n', " ")
    };
    let mut pilot = parts::pilot();
    let text = doctor(&pilot);
    let detects =
        "In a minute of measuring, this machine can detect a difference of 0.40 % or more";
    assert!(text.contains(detects), "{text}");
    let slices = "in slices of 4 ms; a few trial rounds show that this changes a difference by no \
                  more than ±0.080 %";
    assert!(text.contains(slices), "{text}");
    // A bound that is wider than what can be detected is not said as if it were narrow.
    pilot.shifts[0].error = 0.085;
    let text = doctor(&pilot);
    assert!(text.contains("by up to 17 %. A comparison"), "{text}");
    assert!(!text.contains("no more than ±"), "{text}");
}
