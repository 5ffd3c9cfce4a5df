//! Toolchains and plans: what programs are given is valid by its schema, and what people are given
//! fits.

use std::path::PathBuf;

use proofmark_conclude::{Begun, BlockTime, MatrixForecast, PlannedLayouts, PlannedMember};
use proofmark_evidence::MatrixId;
use proofmark_evidence::record::{Drawing, LayoutControl, Size};
use proofmark_report::built::{BuildEntry, BuiltView};
use proofmark_report::plan::{PlanView, PlannedCell, PlannedState};
use proofmark_report::toolchains::{Found, ToolchainFound};
use proofmark_report::{Style, built, plan, schema, toolchains};
use proofmark_terms::Population;
use unicode_width::UnicodeWidthStr;

fn found() -> Vec<Found> {
    let gcc = ToolchainFound {
        driver: "/usr/bin/gcc-12".to_owned(),
        package: None,
        version: "12.2.0".to_owned(),
        reported: "gcc-12 (Debian 12.2.0-14) 12.2.0".to_owned(),
        target: "x86_64-linux-gnu".to_owned(),
        linker: "GNU ld (GNU Binutils for Debian) 2.40".to_owned(),
        tools: Vec::new(),
        defaults: vec!["position-independent executable".to_owned()],
        hash: "5ce51885".repeat(8),
    };
    let gone = "toolchain `clang18` is missing: pypi:ziglang==0.13.0.post1 is not installed; `proofmark toolchains --install clang18` gets it";
    let one = |name: &str, toolchain| Found {
        name: name.to_owned(),
        toolchain,
    };
    vec![one("gcc12", Ok(gcc)), one("clang18", Err(gone.to_owned()))]
}

fn planned(name: &str, toolchain: &str, key: Option<&str>, state: PlannedState) -> PlannedCell {
    PlannedCell {
        name: name.to_owned(),
        baseline: name == "gcc12",
        toolchain: toolchain.to_owned(),
        compiler: (toolchain == "gcc12").then(|| "gcc 12.2.0".to_owned()),
        source: "lua".to_owned(),
        flags: name.split(' ').skip(1).map(str::to_owned).collect(),
        options: None,
        key: key.map(str::to_owned),
        state,
        log: key.map(|_| PathBuf::from("/p/log")),
    }
}

fn cells(forecast: &MatrixForecast) -> PlanView<'_> {
    let missing = || PlannedState::Missing {
        failed_before: None,
    };
    let failed = PlannedState::Missing {
        failed_before: Some(
            "the build failed (exit status: 2): main.c:3: error: no \u{1b}[31mgood".to_owned(),
        ),
    };
    let blocked = || PlannedState::Blocked {
        why: found()[1].toolchain.clone().unwrap_err(),
    };
    let built = PlannedState::Built { seconds: 12.0 };
    PlanView {
        cells: vec![
            planned("gcc12", "gcc12", Some("a"), built),
            planned("gcc12 O3", "gcc12", Some("b"), missing()),
            planned("gcc12 fast", "gcc12", Some("b"), missing()),
            planned("gcc12 broken", "gcc12", Some("c"), failed),
            planned("clang18", "clang18", None, blocked()),
            planned("clang18 O3", "clang18", None, blocked()),
        ],
        same: vec![vec!["gcc12 O3".to_owned(), "gcc12 fast".to_owned()]],
        parallel: 2,
        forecast,
    }
}

fn matrix_id() -> MatrixId {
    serde_json::from_value(serde_json::json!("3f9a0c11".repeat(8))).unwrap()
}

/// A block of `fib` takes 3.5 s, one of `sieve` 0.5 s.
fn measured_before() -> MatrixForecast {
    let member = |benchmark: &str, size: Option<u64>, seconds: f64| PlannedMember {
        benchmark: benchmark.to_owned(),
        size: size.map(|value| Size {
            name: "N".to_owned(),
            value,
        }),
        block: Some(BlockTime {
            seconds,
            rounds: 2,
            guessed: 1,
            by: matrix_id(),
        }),
    };
    MatrixForecast {
        cells: ["gcc12", "gcc12 O3", "gcc12 fast", "gcc12 broken"]
            .map(str::to_owned)
            .to_vec(),
        layouts: PlannedLayouts::ByCode {
            population: Population::Pad,
            matched_up_to: 5,
        },
        linkers: vec![(
            "GNU ld (GNU Binutils for Debian) 2.40".to_owned(),
            vec!["gcc12".to_owned()],
        )],
        min_blocks: 8,
        max_blocks: 60,
        budget_ms: None,
        members: vec![
            member("fib", Some(20), 1.0),
            member("fib", Some(30), 2.5),
            member("sieve", None, 0.5),
        ],
        begun: None,
    }
}

const STYLE: Style = Style {
    colour: false,
    width: 80,
    terminal: true,
};

fn failed() -> BuiltView {
    BuiltView {
        cells: vec![BuildEntry {
            name: "gcc12 fast".to_owned(),
            key: String::new(),
            log: "log".to_owned(),
            has_log: false,
            kept: false,
            capture: None,
            image: None,
            seconds: None,
            unseen: None,
            taken: Vec::new(),
            flags: None,
            problem: Some("it exited with 1".to_owned()),
        }],
        identical: Vec::new(),
        uneven: Vec::new(),
    }
}

#[test]
fn documents_are_valid_by_their_schemas() {
    let forecast = measured_before();
    let view = cells(&forecast);
    for document in [
        plan::json(&view),
        toolchains::json(&found()),
        built::json(&failed()),
    ] {
        let schema = schema(document["schema"].as_str().unwrap()).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        assert!(validator.is_valid(&document), "{document}");
        let mut bad = document.clone();
        bad.as_object_mut().unwrap().remove("schema_version");
        assert!(!validator.is_valid(&bad));
    }
    let document = plan::json(&view);
    assert_eq!(document["builds"], 3);
    assert_eq!(document["missing"], 2);
    // Two builds of about 12 s, both at a time.
    assert_eq!(document["expected_seconds"], 12.0);
    assert_eq!(document["same"][0][1], "gcc12 fast");
    assert_eq!(document["measuring"]["seconds_at_least"], 32.0);
    assert_eq!(document["measuring"]["seconds_at_most"], 240.0);
    assert_eq!(document["measuring"]["layouts"], "by-code");
}

/// The plan in one line.
fn flat(forecast: &MatrixForecast) -> String {
    let view = cells(forecast);
    let text = plan::terminal(&view, &STYLE);
    assert!(text.lines().all(|line| line.width() <= 80), "{text}");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_time_is_within_the_budget_or_it_is_said_that_the_fewest_blocks_are_not() {
    let with = |budget_ms| MatrixForecast {
        budget_ms: Some(budget_ms),
        ..measured_before()
    };
    assert_eq!(with(100_000).seconds(), Some((32.0, 100.0)));
    assert_eq!(with(1000).seconds(), Some((32.0, 32.0)));
    assert_eq!(with(u64::MAX).seconds(), Some((32.0, 240.0)));
    for (budget_ms, text) in [
        (
            100_000,
            "measuring: about 32 s to 1 min 40 s, within 1 min 40 s (--budget, pilots included);",
        ),
        (
            1000,
            "measuring: about 32 s for the fewest blocks, more than 1.0 s (--budget, pilots included): a run refuses, unless fewer rounds will do;",
        ),
    ] {
        let said = flat(&with(budget_ms));
        assert!(said.contains(text), "{said}");
    }
}

#[test]
fn what_was_never_measured_is_not_guessed() {
    let mut forecast = measured_before();
    forecast.members[1].block = None;
    assert_eq!(forecast.seconds(), None);
    let said = flat(&forecast);
    assert!(
        said.contains("measuring: not known before the first block (never measured here: fib N=30); no limit: --budget TIME sets one"),
        "{said}"
    );
    for member in &mut forecast.members {
        member.block = None;
    }
    forecast.budget_ms = Some(600_000);
    let said = flat(&forecast);
    assert!(
        said.contains(
            "(nothing of it was measured here); at most 10 min 0 s (--budget), or a refusal"
        ),
        "{said}"
    );
}

#[test]
fn layouts_that_are_known_are_named_with_their_linkers() {
    let mut forecast = measured_before();
    forecast.layouts = PlannedLayouts::Known(LayoutControl::Drawn {
        how: Drawing::Independent {
            reason: "31 % of the code differs".to_owned(),
        },
        population: Population::Shuffle,
    });
    forecast
        .linkers
        .push(("LLD 19.1.7".to_owned(), vec!["gcc12 O3".to_owned()]));
    forecast.begun = Some(Begun {
        id: matrix_id(),
        concluded: Some(12),
    });
    let said = flat(&forecast);
    assert!(
        said.contains("layouts: independent (shuffle): 31 % of the code differs. Linked by GNU ld (GNU Binutils for Debian) 2.40 (gcc12); LLD 19.1.7 (gcc12 O3) blocks: 8 to 60 blocks of each benchmark and size"),
        "{said}"
    );
    assert!(
        said.contains("these very builds were measured: matrix 3f9a0c113f9a, 12 blocks."),
        "{said}"
    );
}

/// Errors have their next step on a line of its own.
#[test]
fn a_refusal_is_a_sentence_with_its_next_step() {
    let forecast = MatrixForecast {
        layouts: PlannedLayouts::Refused("two linkers\n  next: leave --layouts out".to_owned()),
        ..measured_before()
    };
    let said = flat(&forecast);
    assert!(
        said.contains(
            "layouts: `matrix run` would refuse: two linkers; next: leave --layouts out blocks:"
        ),
        "{said}"
    );
}

#[test]
fn a_plan_for_people() {
    let forecast = measured_before();
    let view = cells(&forecast);
    let text = plan::terminal(&view, &STYLE);
    assert!(text.lines().all(|line| line.width() <= 80), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn toolchains_for_people() {
    let text = toolchains::terminal(&found(), &STYLE);
    assert!(text.lines().all(|line| line.width() <= 80), "{text}");
    insta::assert_snapshot!(text);
}
