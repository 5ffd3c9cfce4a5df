//! What a gain costs elsewhere, and a gain of what does nothing.

use super::toy::{FILE, SHORT, TOY, figure, near, project, ran, unwrapped};
use crate::support::{Project, has};
use serde_json::Value;

/// `raw` takes 5 % more room, and `pays` less on it: a guard tells, and no mean has it.
#[test]
fn what_a_gain_costs_elsewhere_is_said_and_ends_with_1() {
    if !has(&["gcc"]) {
        return;
    }
    let project = project();
    let printing = TOY.replace(
        "    return printf(",
        "    printf(\"%.6f kB\\n\", raw < 1.0 ? 1050.0 : 1000.0);\n    return printf(",
    );
    project.write("toy/toy.c", &printing);
    let guard = "[benchmark.room]\ncommand = \"{} 1\"\nmetric = \"stdout[kB,lower]:([0-9.]+) kB\"\n\
                 allow_output_difference = true\nguard = \"2%\"\n";
    let gone = "[idea.gone]\nflags = \"-O3\"\n";
    let file = FILE.replace("-O1 {flags}", "{flags} -O1");
    project.write("proofmark.toml", &format!("{file}\n{gone}\n{guard}"));
    let run = |names: &[&str]| {
        let all = [&["ledger", "run"], names, &SHORT, &["--json"]].concat();
        project.run(&all)
    };
    let flag = run(&["flag", "gone"]);
    assert_eq!(flag.code, Some(0), "{flag:#?}");
    let told = "gone: -O3 is taken back by -O1";
    assert!(unwrapped(&flag.err).contains(told), "{flag:#?}");
    let said = run(&["raw", "noise"]);
    assert_eq!(said.code, Some(1), "{said:#?}");
    let document: Value = serde_json::from_str(&said.out).unwrap();
    let measured = document["entries"].as_array().unwrap().last().unwrap();
    near(figure(measured, ["alone", "raw"]), 0.9, "without the guard");
    let guards = measured["guards"].as_array().unwrap().iter();
    let guards: Vec<_> = guards.map(|one| (&one["idea"], &one["holds"])).collect();
    let [no, yes] = ["no", "yes"].map(Value::from);
    let [raw, noise] = ["raw", "noise"].map(Value::from);
    assert_eq!(guards, [(&raw, &no), (&noise, &yes)]);
    let text = project.done(&["ledger", "show"]).out;
    for told in [
        "guards",
        "broken",
        "kept",
        "guard room is broken: +5.0 ±0.1 %, and at most 2 %",
    ] {
        assert!(unwrapped(&text).contains(told), "{told}: {text}");
    }
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    // What a reviewer sees without unfolding.
    let id = document["id"].as_str().unwrap();
    let comment = project.done(&["report", id, "--format", "comment"]).out;
    let (seen, _) = comment.split_once("<details>").unwrap();
    for told in ["| guards |", "| broken |", "raw: guard room is broken"] {
        assert!(seen.contains(told), "{told}: {comment}");
    }
    // A claim is about what is to get better.
    let confirm = ["confirm", "raw", "--at-least", "8%", "--blocks", "3..4"];
    let confirmed = project.done(&[&confirm[..], &SHORT[2..]].concat());
    let told = "“raw is at least 8 % better” on small, large";
    assert!(unwrapped(&confirmed.out).contains(told), "{confirmed:#?}");
    project.done(&["bundle", id, "-o", "guarded.pmb"]);
    let verified = project.done(&["verify", "guarded.pmb"]);
    assert!(verified.out.contains("ledger "), "{verified:#?}");
}

const LOOP: &str = "int main(void) {\n    volatile long sum = 0;\n#ifndef NOTHING\n    \
                    for (long i = 0; i < 30000000; i++) sum += i;\n#endif\n    return 0;\n}\n";

const LOOPS: &str = r#"
[source.loop]
path = "loop"
build = "{cc} -O1 {flags} -o loop loop.c"
image = "loop"

[toolchain.gcc]
command = "gcc"

[benchmark.only]
command = "{}"

[idea.nothing]
defines = "NOTHING"

[idea.same]
defines = "SAME"
"#;

#[test]
fn what_does_nothing_is_no_finding_and_confirms_no_claim() {
    if !has(&["gcc"]) {
        return;
    }
    let project = Project::new();
    std::fs::create_dir(project.path("loop")).unwrap();
    project.write("loop/loop.c", LOOP);
    project.write("proofmark.toml", LOOPS);
    let document = ran(&project, &["ledger", "run", "nothing"]);
    let run = &document["entries"][0];
    let warnings = run["warnings"].as_array().unwrap().iter();
    let mut codes = warnings.map(|warning| warning["code"].as_str().unwrap());
    assert!(codes.any(|code| code == "work-in-doubt"), "{run:#}");
    assert_eq!(document["budget"]["asked"], 0, "{document:#}");
    let text = project.done(&["ledger", "show"]).out;
    assert!(
        unwrapped(&text).contains("did nothing do the work?"),
        "{text}"
    );
    let confirm = ["confirm", "nothing", "--at-least", "5%", "--blocks", "3..4"];
    let confirm = project.run(&[&confirm[..], &SHORT[2..]].concat());
    let screen = ["ledger", "screen", "nothing", "same"];
    let screen = project.run(&[&screen[..], &SHORT[2..]].concat());
    for (said, what) in [(confirm, "cannot be confirmed"), (screen, "nobody wins")] {
        assert_eq!(said.code, Some(2), "{said:#?}");
        for told in [what, "not show that it did the work"] {
            assert!(unwrapped(&said.err).contains(told), "{told}: {said:#?}");
        }
    }
}
