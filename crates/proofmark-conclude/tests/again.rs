//! What of recorded evidence can be made again, and what stands in the way of all else.

#![expect(
    clippy::unwrap_used,
    reason = "a test that meets the unexpected should stop there and then"
)]

use std::path::Path;

use proofmark_conclude::again::{
    DrawnAgain, FileAgain, Obstacle, benchmark_in, built_by, files_otherwise, to_the_end,
};
use proofmark_conclude::agreements;
use proofmark_conclude::with_builds::obstacles;
use proofmark_conclude::with_images::AtHand;
use proofmark_evidence::record::{
    ArmRef, BuildOrigin, BuiltBy, CellBuild, CellToolchain, Exclusion, ImageFile, Input, Inputs,
    LayoutControl, PatchText, Question, Revision, Stdin, Vcs,
};
use proofmark_evidence::{Recorded, Store};
use proofmark_stats::Agreement;

/// A concluded comparison of the corpus, as if its builds had been made of revisions.
fn of_revisions() -> Recorded {
    let store =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/fuzz/corpus/bundle/all.pmb");
    let store = Store::open_bundle(&store).unwrap();
    let all = store.list().unwrap();
    let mut all = all.iter().map(|one| store.load(one.id.as_str()).unwrap());
    let is_it =
        |one: &Recorded| one.experiment.question == Question::Compare && one.conclusion.is_some();
    let mut recorded = all.find(is_it).unwrap();
    for build in &mut recorded.experiment.builds {
        build.origin = BuildOrigin::Captured {
            ids: vec!["5e".repeat(32).parse().unwrap()],
            movable: 1.0,
            departures: Vec::new(),
        };
        build.revision = Some(Revision {
            vcs: Vcs::Git,
            id: "ab".repeat(20).into(),
            dirty: false,
        });
        build.patches.clear();
        (build.tree, build.run_as) = (None, None);
        build.built_by = Some(BuiltBy {
            command: "make".to_owned(),
            folder: "".into(),
            image: None,
            builds: 1,
            runs_in: Some("".into()),
            cell: None,
        });
    }
    let benchmark = &mut recorded.experiment.benchmark;
    benchmark.argv = vec!["{}".into(), "words".into()];
    benchmark.cwd = "/home/somebody/project".into();
    (benchmark.stdin, benchmark.env) = (Stdin::Null, Vec::new());
    (benchmark.setup, benchmark.prepare, benchmark.output_filter) = (None, None, None);
    recorded
}

#[test]
fn only_builds_of_revisions_alone_are_made_again() {
    let good = of_revisions();
    assert_eq!(obstacles(&good), []);
    assert_eq!(built_by(&good.experiment).unwrap().command, "make");
    type Change = fn(&mut Recorded);
    let changes: [(&str, Change); 15] = [
        ("outside of the repository", |one| {
            let how = one.experiment.builds[0].built_by.as_mut().unwrap();
            how.runs_in = Some("/srv/data".into());
        }),
        ("null test", |one| one.experiment.question = Question::Null),
        ("no conclusion", |one| one.conclusion = None),
        ("executable file", |one| {
            one.experiment.builds[1].origin = BuildOrigin::Executable { path: "/x".into() };
        }),
        ("no repository", |one| {
            one.experiment.builds[1].revision = None;
        }),
        ("changes that no bundle has", |one| {
            let revision = &mut one.experiment.builds[1].revision;
            revision.as_mut().unwrap().dirty = true;
        }),
        ("changes that no bundle has", |one| {
            one.experiment.builds[0].patches = vec!["1a".repeat(32).parse().unwrap()];
        }),
        ("by hand", |one| one.experiment.builds[0].built_by = None),
        ("Mercurial", |one| {
            let revision = &mut one.experiment.builds[0].revision;
            revision.as_mut().unwrap().vcs = Vcs::Mercurial;
        }),
        ("different commands", |one| {
            let how = &mut one.experiment.builds[0].built_by;
            how.as_mut().unwrap().command = "make fast".to_owned();
        }),
        ("build command names a place", |one| {
            for build in &mut one.experiment.builds {
                build.built_by.as_mut().unwrap().command = "CC=⟨private 0⟩".to_owned();
            }
        }),
        ("the bundle leaves out", |one| {
            one.experiment
                .benchmark
                .argv
                .push("--in=⟨private 1⟩".into());
        }),
        ("has a value, that the bundle leaves out", |one| {
            one.experiment.benchmark.env = vec![("LIMIT".into(), "⟨private 1⟩".into())];
        }),
        ("/srv/data, which only the first machine had", |one| {
            one.experiment.benchmark.argv.push("--in=/srv/data".into());
        }),
        ("/srv/data, which only the first machine had", |one| {
            one.experiment.benchmark.stdin = Stdin::File("/srv/data".into());
        }),
    ];
    for (part, change) in changes {
        let mut changed = good.clone();
        change(&mut changed);
        let said: Vec<String> = (obstacles(&changed).iter())
            .map(|Obstacle { what, why, .. }| format!("{what}: {why}"))
            .collect();
        assert!(
            said.iter().any(|said| said.contains(part)),
            "{part}: {said:?}"
        );
    }
}

#[test]
fn paths_in_the_folder_of_the_benchmark_are_those_of_the_new_one() {
    let mut recorded = of_revisions();
    let benchmark = &mut recorded.experiment.benchmark;
    benchmark.argv.push("/home/somebody/project/sub/x".into());
    benchmark.argv.push("/usr/share/dict/words".into());
    benchmark.stdin = Stdin::File("/home/somebody/project/in".into());
    assert_eq!(obstacles(&recorded), []);
    let moved = benchmark_in(&recorded.experiment.benchmark, Path::new("/new"));
    assert_eq!(moved.argv[2], "/new/sub/x".into());
    assert_eq!(moved.argv[3], "/usr/share/dict/words".into());
    assert_eq!(moved.stdin, Stdin::File("/new/in".into()));
    assert_eq!(moved.cwd, "/new".into());
}

#[test]
fn a_file_that_is_another_one_or_missing_is_told() {
    let mut recorded = of_revisions();
    let hash = |text: &str| blake3::hash(text.as_bytes()).to_hex().to_string();
    let input = |path: &str, text: &str| Input {
        path: path.into(),
        hash: blake3::hash(text.as_bytes()).into(),
    };
    recorded.experiment.inputs = Inputs {
        fixed: vec![
            input("/home/somebody/project/words", "1"),
            input("/home/somebody/project/gone", "2"),
            input("/lib/libc.so", "3"),
        ],
        ..Inputs::default()
    };
    let experiment = &recorded.experiment;
    let mut there = |name: &Path| (name == Path::new("words")).then(|| hash("other"));
    assert_eq!(
        files_otherwise(experiment, &mut there),
        [
            FileAgain::Differs("words".into()),
            FileAgain::Missing("gone".into())
        ]
    );
    // What is not there may be made by a command of the benchmark's own.
    let mut set_up = experiment.clone();
    set_up.benchmark.setup = Some("make words".to_owned());
    assert_eq!(
        files_otherwise(&set_up, &mut there),
        [FileAgain::Differs("words".into())]
    );
    // Without the names, what the command names is known by its content alone.
    let mut without = experiment.clone();
    for input in &mut without.inputs.fixed {
        input.path = "⟨private 0⟩".into();
    }
    without.benchmark.cwd = "⟨private 1⟩".into();
    let differs = files_otherwise(&without, &mut there);
    assert_eq!(differs, [FileAgain::Differs("words".into())]);
    let mut same = |name: &Path| (name == Path::new("words")).then(|| hash("1"));
    assert_eq!(files_otherwise(&without, &mut same), []);
}

/// The same as cells of a project, each with flags of its own and the last one with a patch.
fn of_cells() -> Recorded {
    let mut recorded = of_revisions();
    let experiment = &mut recorded.experiment;
    for (number, build) in experiment.builds.iter_mut().enumerate() {
        let how = build.built_by.as_mut().unwrap();
        how.command = "{cc} {flags} -o x x.c".to_owned();
        how.cell = Some(Box::new(CellBuild {
            toolchain: CellToolchain {
                name: "gcc".to_owned(),
                command: Some("gcc".to_owned()),
                cxx: None,
                version: None,
                provider: None,
                flags: Vec::new(),
                made: false,
            },
            flags: vec![format!("-DN={number}")],
            ldflags: Vec::new(),
            env: vec![("MODE".into(), "fast".into())],
            inputs: Vec::new(),
        }));
    }
    let text = "--- a/x.c\n+++ b/x.c\n".to_owned();
    let digest = proofmark_terms::Digest::from(blake3::hash(text.as_bytes()));
    experiment.builds.last_mut().unwrap().patches = vec![digest.clone()];
    experiment.patches = vec![PatchText { digest, text }];
    recorded
}

#[test]
fn cells_are_made_again_where_their_records_have_all_that_they_are_made_of() {
    let good = of_cells();
    assert_eq!(obstacles(&good), []);
    fn cell(one: &mut Recorded) -> &mut CellBuild {
        let how = one.experiment.builds[0].built_by.as_mut().unwrap();
        how.cell.as_mut().unwrap()
    }
    type Change = fn(&mut Recorded);
    let changes: [(&str, Change); 10] = [
        ("is not in the bundle", |one| one.experiment.patches.clear()),
        ("the bundle leaves it out", |one| {
            one.experiment.patches[0].text = "--- a/x.c\n⟨private 0⟩".to_owned();
        }),
        ("the bundle leaves it out", |one| {
            one.experiment.patches[0].text.push('x');
        }),
        ("sources of its own", |one| cell(one).toolchain.made = true),
        ("files outside of its sources, such as gen.py", |one| {
            cell(one).inputs = vec!["gen.py".to_owned()];
        }),
        ("the bundle leaves out", |one| {
            cell(one).env[0].1 = "⟨private 3⟩".into();
        }),
        ("the bundle leaves out", |one| {
            cell(one).flags.push("-I⟨private 3⟩".to_owned());
        }),
        ("the bundle leaves out", |one| {
            cell(one).toolchain.command = Some("⟨private 3⟩".to_owned());
        }),
        ("in several repositories", |one| {
            let how = one.experiment.builds[0].built_by.as_mut().unwrap();
            how.runs_in = Some("other".into());
        }),
        ("run in a way of its own", |one| {
            let own = one.experiment.benchmark.clone();
            one.experiment.builds[0].run_as = Some(Box::new(own));
        }),
    ];
    for (part, change) in changes {
        let mut changed = good.clone();
        change(&mut changed);
        let said = format!("{:?}", obstacles(&changed));
        assert!(said.contains(part), "{part}: {said}");
    }
    // What left a matrix is not made again, whatever it was.
    let mut without = good.clone();
    without
        .experiment
        .builds
        .push(without.experiment.builds[0].clone());
    let last = without.experiment.builds.last_mut().unwrap();
    (last.name, last.revision) = ("out".to_owned(), None);
    assert!(!obstacles(&without).is_empty());
    without.exclusions = vec![Exclusion {
        build: proofmark_terms::BuildIndex::at(good.experiment.builds.len()),
        blocks: 0,
        why: "it fails".to_owned(),
    }];
    assert_eq!(obstacles(&without), []);
    assert_eq!(to_the_end(&without).builds, good.experiment.builds);
    assert_eq!(
        agreements(&without, &good).unwrap().len(),
        good.experiment.builds.len() - 1
    );
}

/// Images of the bundle stand for builds whatever those were made of, as long as they are there.
#[test]
fn what_is_not_at_hand_is_named() {
    let of = |recorded: &Recorded, images: bool, captures: bool| -> (DrawnAgain, Vec<String>) {
        let at_hand = AtHand {
            image: &|_| images,
            capture: &|_| captures,
        };
        let obstacles = at_hand.obstacles(recorded).into_iter();
        let said = obstacles.map(|one| format!("{}: {}; {}", one.what, one.why, one.needed));
        (at_hand.drawn(&recorded.experiment), said.collect())
    };
    let mut good = of_revisions();
    for build in &mut good.experiment.builds {
        (build.revision, build.built_by) = (None, None);
    }
    assert_eq!(of(&good, true, true), (DrawnAgain::Auto, Vec::new()));
    assert_eq!(of(&good, false, true), (DrawnAgain::Auto, Vec::new()));
    assert_eq!(of(&good, true, false), (DrawnAgain::AsShipped, Vec::new()));
    let none = of(&good, false, false).1;
    assert_eq!(none.len(), 2, "{none:?}");
    assert!(none[0].contains("is not in the bundle"), "{none:?}");
    type Change = fn(&mut Recorded);
    let changes: [(&str, Change); 6] = [
        ("null test", |one| one.experiment.question = Question::Null),
        ("no conclusion", |one| one.conclusion = None),
        ("not measured as shipped", |one| {
            one.experiment.design.as_shipped = false;
        }),
        ("libraries of its own", |one| {
            one.experiment.builds[0].images.libraries = vec![ImageFile {
                name: "libx.so".into(),
                digest: "1a".repeat(32).parse().unwrap(),
            }];
        }),
        ("several times", |one| {
            let id = || "5e".repeat(32).parse().unwrap();
            one.experiment.builds[0].origin = BuildOrigin::Captured {
                ids: vec![id(), id()],
                movable: 1.0,
                departures: Vec::new(),
            };
        }),
        ("/srv/data, which only the first machine had", |one| {
            one.experiment.benchmark.argv.push("--in=/srv/data".into());
        }),
    ];
    for (part, change) in changes {
        let mut changed = good.clone();
        change(&mut changed);
        let said = of(&changed, true, false).1;
        assert!(
            said.iter().any(|said| said.contains(part)),
            "{part}: {said:?}"
        );
    }
}

/// What was measured as shipped is held against what the first machine found of that, and not
/// against its figure over layouts.
#[test]
fn images_as_shipped_are_held_against_those_as_shipped() {
    let first = of_revisions();
    let of_shipped = first.conclusion.as_ref().unwrap().comparisons[0].as_shipped;
    let of_shipped = of_shipped.unwrap().interval;
    let mut other = first.clone();
    other.experiment.layouts = LayoutControl::AsShipped {
        reason: "images alone".to_owned(),
    };
    let compared = &mut other.conclusion.as_mut().unwrap().comparisons[0];
    assert_ne!(compared.interval, of_shipped);
    compared.interval = of_shipped;
    let agreed = &agreements(&first, &other).unwrap()[0];
    assert_eq!(agreed.first, of_shipped);
    assert!(agreed.difference.estimate.ln().abs() < 1e-12, "{agreed:?}");
    let drawn = &agreements(&first, &first).unwrap()[0];
    assert_ne!(drawn.first, of_shipped);
}

/// Both would be sure to agree.
#[test]
fn runs_that_print_something_else_are_not_held_against_each_other() {
    let mut first = of_revisions();
    let comparison = &mut first.conclusion.as_mut().unwrap().comparisons[0];
    (comparison.spread, comparison.widening) = (0.0, 0.0);
    first.blocks[0].printed = Some("5e".repeat(32).parse().unwrap());
    let said = |other: &Recorded| agreements(&first, other).unwrap()[0].agreement;
    let mut other = first.clone();
    assert_eq!(said(&other), Agreement::Agree);
    other.blocks[0].printed = Some("1a".repeat(32).parse().unwrap());
    assert_eq!(said(&other), Agreement::Undecided);
}

/// A build that leaves a matrix early is known by its own blocks, and not by those of the others.
#[test]
fn a_build_that_left_has_no_blocks_of_the_others() {
    let first = of_revisions();
    let width = |first: &Recorded| {
        let agreed = &agreements(first, first).unwrap()[0];
        agreed.difference.half_width()
    };
    let mut longer = first.clone();
    let kept = first.blocks.len();
    for more in 0..kept {
        let mut block = first.blocks[more].clone();
        block
            .arms
            .retain(|arm| !matches!(arm, ArmRef::Drawn { build } if build.place() == 1));
        longer.blocks.push(block);
    }
    longer.conclusion.as_mut().unwrap().blocks = u32::try_from(2 * kept).unwrap();
    assert!((width(&longer) - width(&first)).abs() < 1e-12);
    // With as many of its own it is known better.
    longer.blocks[kept..].clone_from_slice(&first.blocks);
    assert!(width(&longer) < width(&first));
}
