//! Histories of other tools: their changes are found, and what is none is refused by name.

use std::fmt::Write as _;
use std::fs;

use crate::support::Project;
use serde_json::Value;

/// Two metrics of 120 commits: `call` has a peak of 70 % from the 60th to the 75th and some
/// outliers, `load` never changes.
fn history() -> String {
    let mut text = String::from("time,commit,call,load\n");
    for at in 0..120_u32 {
        let wobble = f64::from(at * 37 % 11) / 1000.0;
        let level = if (60..75).contains(&at) { 29.0 } else { 17.0 };
        let call = if at % 41 == 7 { 55.0 } else { level };
        let load = 5.0 * (1.0 + f64::from(at * 53 % 13) / 1000.0);
        let day = format!("2026-{:02}-{:02}", 1 + at / 28, 1 + at % 28);
        writeln!(text, "{day},c{at},{},{load}", call * (1.0 + wobble)).unwrap();
    }
    text
}

#[test]
fn both_edges_of_a_peak_are_named_and_a_flat_metric_has_none() {
    let project = Project::new();
    project.write("h.csv", &history());
    let text = project
        .done(&["history", "import", "h.csv", "--plot", "h.svg"])
        .out;
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    for part in ["c60", "2026-03-05", "c75", "+70.", "−41."] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.contains("no change of the level"), "{text}");
    let svg = fs::read_to_string(project.path("h.svg")).unwrap();
    assert!(svg.contains("c60 +70"), "no mark");

    let said = project.done(&["history", "import", "h.csv", "--json", "--metric", "call"]);
    let found: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(found["series"].as_array().unwrap().len(), 1);
    let changes = found["series"][0]["changes"].as_array().unwrap();
    let at: Vec<u64> = changes
        .iter()
        .map(|change| change["position"].as_u64().unwrap())
        .collect();
    assert_eq!(at, [60, 75]);
    assert_eq!(found["series"][0]["levels"][0]["outliers"], 2);
    assert_eq!(found["series"][0]["points"].as_array().unwrap().len(), 120);
}

#[test]
fn a_change_within_the_margin_is_counted_and_not_listed() {
    let project = Project::new();
    project.write("h.csv", &history());
    let asked = [
        "history", "import", "h.csv", "--metric", "call", "--margin", "90%",
    ];
    let text = project.done(&asked).out;
    assert!(
        text.contains("no change of the level beyond the margin"),
        "{text}"
    );
    assert!(
        text.contains("2 changes of less than 90\u{a0}% left out"),
        "{text}"
    );
}

#[test]
fn what_is_no_history_is_refused_by_name() {
    let project = Project::new();
    project.write("words.csv", "a,b\nx,y\n");
    project.write("h.csv", "a\n1\n1e999\n");
    fs::create_dir(project.path("empty")).unwrap();
    let cases: [(&[&str], i32, &str); 5] = [
        (&["words.csv"], 2, "words.csv holds no history"),
        (&["h.csv"], 5, "line 3: `1e999` is no finite number"),
        (&["empty"], 2, "empty holds no history"),
        (&["nowhere"], 2, "cannot read nowhere"),
        (&["words.csv", "--plot", "a.gif"], 2, "a.gif is neither"),
    ];
    for (more, code, part) in cases {
        let mut words = vec!["history", "import"];
        words.extend(more);
        let said = project.run(&words);
        assert_eq!(said.code, Some(code), "{said:#?}");
        assert!(said.err.contains(part), "{said:#?}");
    }
    project.write("h.csv", "a\n1\n2\n");
    let said = project.run(&["history", "import", "h.csv", "--metric", "b*"]);
    assert_eq!(said.code, Some(2), "{said:#?}");
    assert!(said.err.contains("there is a"), "{said:#?}");
}
