//! Toolchains and plans: what programs are given is valid by its schema, and what people are given fits.

use std::path::PathBuf;

use proofmark_build::toolchain::{Toolchain, ToolchainError};
use proofmark_build::variants::{Axes, Cell, Failure, Feature, Finding, Plan, Planned, State};
use proofmark_report::Style;
use proofmark_report::variants::{
    Found, PlanView, plan, plan_json, plan_schema, toolchains, toolchains_json, toolchains_schema,
};
use unicode_width::UnicodeWidthStr;

fn found() -> Vec<Found> {
    let gcc = Toolchain {
        name: "gcc12".to_owned(),
        cc: "/p/.proofmark/matrix/cc/gcc12-0a1b2c3d/gcc".into(),
        cxx: None,
        driver: "/usr/bin/gcc-12".into(),
        package: None,
        version: "12.2.0".to_owned(),
        reported: "gcc-12 (Debian 12.2.0-14) 12.2.0".to_owned(),
        target: "x86_64-linux-gnu".to_owned(),
        linker: "GNU ld (GNU Binutils for Debian) 2.40".to_owned(),
        tools: Vec::new(),
        defaults: vec![Finding {
            feature: Feature::Pie,
            asked: false,
            how: "the compiler's default".to_owned(),
        }],
        hash: "5ce51885".repeat(8),
    };
    let gone = ToolchainError::Missing {
        name: "clang18".to_owned(),
        what: "pypi:ziglang==0.13.0.post1 is not installed".to_owned(),
        get: "`proofmark toolchains --install clang18` gets it".to_owned(),
    };
    vec![
        ("gcc12".to_owned(), Ok(gcc)),
        ("clang18".to_owned(), Err(gone)),
    ]
}

fn planned(name: &str, toolchain: &str, key: Option<&str>, state: State) -> Planned {
    Planned {
        cell: Cell {
            name: name.to_owned(),
            axes: Axes {
                toolchain: toolchain.to_owned(),
                source: "lua".to_owned(),
                flags: name.split(' ').skip(1).map(str::to_owned).collect(),
                options: None,
            },
            baseline: name == "gcc12",
        },
        key: key.map(str::to_owned),
        state,
        log: key.map(|_| PathBuf::from("/p/log")),
    }
}

fn cells() -> Plan {
    let failed = State::Missing {
        failed_before: Some(
            "the build failed (exit status: 2): main.c:3: error: no \u{1b}[31mgood".to_owned(),
        ),
    };
    let blocked = || {
        State::Blocked(Failure {
            why: found()[1].1.as_ref().unwrap_err().to_string(),
            toolchain: true,
        })
    };
    Plan::of(
        vec![
            planned("gcc12", "gcc12", Some("a"), State::Built { seconds: 12.0 }),
            planned(
                "gcc12 O3",
                "gcc12",
                Some("b"),
                State::Missing {
                    failed_before: None,
                },
            ),
            planned(
                "gcc12 fast",
                "gcc12",
                Some("b"),
                State::Missing {
                    failed_before: None,
                },
            ),
            planned("gcc12 broken", "gcc12", Some("c"), failed),
            planned("clang18", "clang18", None, blocked()),
            planned("clang18 O3", "clang18", None, blocked()),
        ],
        found(),
    )
}

const STYLE: Style = Style {
    colour: false,
    width: 80,
};

#[test]
fn documents_are_valid_by_their_schemas() {
    let plan = cells();
    let view = PlanView {
        plan: &plan,
        benchmarks: vec![("fib", 2)],
        parallel: 2,
    };
    for (document, schema) in [
        (plan_json(&view), plan_schema()),
        (toolchains_json(&found()), toolchains_schema()),
    ] {
        let validator = jsonschema::validator_for(&schema).unwrap();
        assert!(validator.is_valid(&document), "{document}");
        let mut bad = document.clone();
        bad.as_object_mut().unwrap().remove("schema_version");
        assert!(!validator.is_valid(&bad));
    }
    let document = plan_json(&view);
    assert_eq!(document["builds"], 3);
    assert_eq!(document["missing"], 2);
    // Two builds of about 12 s, both at a time.
    assert_eq!(document["expected_seconds"], 12.0);
    assert_eq!(document["same"][0][1], "gcc12 fast");
}

#[test]
fn a_plan_for_people() {
    let plan_ = cells();
    let view = PlanView {
        plan: &plan_,
        benchmarks: vec![("fib", 2), ("sieve", 1)],
        parallel: 2,
    };
    let text = plan(&view, &STYLE);
    assert!(text.lines().all(|line| line.width() <= 80), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn toolchains_for_people() {
    let text = toolchains(&found(), &STYLE);
    assert!(text.lines().all(|line| line.width() <= 80), "{text}");
    insta::assert_snapshot!(text);
}
