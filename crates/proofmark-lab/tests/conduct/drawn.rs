//! Whether drawn images are what the builds left: where they are not, there is no verdict.

use proofmark_conclude::Evened;
use proofmark_evidence::LockedStore;
use proofmark_evidence::record::{Comparison, DrawnWork, Question, Warning};
use proofmark_lab::Silent;
use proofmark_stats::Verdict;
use proofmark_terms::BuildIndex;

use crate::conducted::conducted;
use crate::support::{World, experiment};

/// Instructions of drawn images that are those of the files.
const SAME: [[u64; 2]; 2] = [[1_000_000; 2]; 2];

/// What comes of two builds of equal work, and whether a build is said to read its own file.
fn compared(mut world: World, reads: bool) -> (Comparison, bool) {
    let folder = tempfile::tempdir().unwrap();
    let mut store = LockedStore::open(folder.path()).unwrap();
    let mut experiment = experiment(Question::Compare);
    experiment.design.rounds = Some(8);
    experiment.inputs.read_themselves = reads.then_some(BuildIndex(1)).into_iter().collect();
    world.counts = SAME;
    let recorded = conducted(&mut store, experiment, &mut world, &mut Silent);
    let mut conclusion = recorded.conclusion.unwrap();
    let mut codes = conclusion.warnings.iter().map(Warning::code);
    let reads_itself = codes.any(|code| code == "reads-itself");
    (conclusion.comparisons.remove(0), reads_itself)
}

/// What layouts make alike may be what the files differ in. Where as shipped nothing is apart it is
/// no matter.
#[test]
fn there_is_no_verdict_where_files_differ_in_what_layouts_make_alike() {
    let said = |shipped: f64, evened: Option<Evened>, reads: bool| {
        let world = World {
            shipped,
            drawn_counts: Some(SAME),
            evened,
            ..World::new(0.0)
        };
        let (one, _) = compared(world, reads);
        let what = match one.drawn {
            Some(DrawnWork::Evened { count: 2, .. }) => "data",
            Some(DrawnWork::Reordered { count: 3, .. }) => "order",
            Some(DrawnWork::Spread { code: true, .. }) => "density",
            _ => "nothing",
        };
        (one.verdict, what)
    };
    let data = || {
        let example = "table: 64 to 60 bytes".to_owned();
        Some(Evened::Data { count: 2, example })
    };
    let order = || {
        let example = "hot".to_owned();
        Some(Evened::Order { count: 3, example })
    };
    let density = || {
        Some(Evened::Spread {
            base: false,
            code: true,
            lines: [100, 300],
            pages: [2, 9],
        })
    };
    let apart = 0.7_f64.ln();
    assert_eq!(
        said(apart, density(), false),
        (Verdict::Undecided, "density")
    );
    assert_eq!(said(apart, data(), false), (Verdict::Undecided, "data"));
    assert_eq!(said(apart, order(), false), (Verdict::Undecided, "order"));
    assert_eq!(said(apart, None, false), (Verdict::Equivalent, "nothing"));
    for evened in [data(), order()] {
        let said_of = |reads| said(0.0, evened.clone(), reads);
        assert_eq!(said_of(false), (Verdict::Equivalent, "nothing"));
        assert_eq!(said_of(true), (Verdict::Equivalent, "nothing"));
    }
}

/// Placement that no layout has leaves the verdict as it is. A program that behaves otherwise in
/// drawn images has none, nor one of which nobody knows.
#[test]
fn there_is_no_verdict_on_drawn_images_that_do_other_work() {
    let said = |shipped: f64, drawn_counts: Option<[[u64; 2]; 2]>, reads: bool| {
        let world = World {
            shipped,
            drawn_counts,
            ..World::new(0.0)
        };
        let (one, reads_itself) = compared(world, reads);
        (one.verdict, one.drawn.is_some(), reads_itself)
    };
    let (apart, other) = (0.7_f64.ln(), [[1_000_000; 2], [1_400_000; 2]]);
    let (equal, none) = (Verdict::Equivalent, Verdict::Undecided);
    assert_eq!(said(apart, Some(SAME), false), (equal, true, false));
    assert_eq!(said(apart, Some(other), false), (none, true, false));
    assert_eq!(said(apart, None, false), (none, true, false));
    // Nothing calls for a look, whatever counts would be.
    assert_eq!(said(0.0, Some(other), false), (equal, false, false));
    // What reads its own file is looked at, and believed where it does the same.
    assert_eq!(said(0.0, Some(SAME), true), (equal, true, false));
    assert_eq!(said(0.0, Some(other), true), (none, true, true));
}
