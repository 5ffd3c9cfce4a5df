//! A part of a matrix that is asked for.

use proofmark_project::{Part, Purpose, Selection};

use super::{LUA, names, read};

/// What is left of a project of which these cells and benchmarks are asked for.
fn part(text: &str, cells: &[&str], benchmarks: &[&str]) -> Result<Part, String> {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    let selection = Selection {
        cells: words(cells),
        benchmarks: words(benchmarks),
    };
    let part = read(text)
        .expect("the file is right")
        .part(&selection, Purpose::Measure);
    part.map_err(|problem| problem.to_string())
}

#[test]
fn some_cells_are_asked_for_by_their_names_or_words() {
    let of = |cells: &[&str]| part(LUA, cells, &[]).unwrap();
    let taildup = of(&["taildup clang19", "gcc12"]);
    assert_eq!(names(&taildup.project), ["gcc12", "clang19 taildup"]);
    assert_eq!(taildup.project.baselines().collect::<Vec<_>>(), ["gcc12"]);
    assert_eq!(taildup.notes, [""; 0]);
    let clang19 = of(&["clang19 *"]);
    assert_eq!(names(&clang19.project), ["clang19", "clang19 taildup"]);
    // All that is asked for is all that there is.
    assert_eq!(names(&of(&["*"]).project), names(&read(LUA).unwrap()));
    assert_eq!(names(&of(&[]).project), names(&read(LUA).unwrap()));
    for (asked, told) in [
        ("clang", "did you mean `clang19`?"),
        ("gcc13 *", "did you mean `gcc12`?"),
        ("gcc12 taildup *", "no cell has all of these words"),
    ] {
        let said = part(LUA, &[asked], &[]).err().unwrap();
        assert!(said.contains(told), "{said}");
    }
}

#[test]
fn the_main_baseline_comes_along_where_none_is_named() {
    let with = part(LUA, &["clang19 taildup"], &[]).unwrap();
    assert_eq!(names(&with.project), ["clang18", "clang19 taildup"]);
    assert_eq!(with.project.baselines().collect::<Vec<_>>(), ["clang18"]);
    assert!(
        with.notes[0].starts_with("`clang18` is included"),
        "{:?}",
        with.notes
    );
    // Where the file names none, it is the first cell, and stays it.
    let without = LUA.replace("baselines = [\"clang18\", \"gcc12\", \"clang19\"]", "");
    let with = part(&without, &["clang18", "clang19"], &[]).unwrap();
    assert_eq!(names(&with.project), ["gcc12", "clang18", "clang19"]);
    // What is only built needs none.
    let selection = Selection {
        cells: vec!["clang19 taildup".to_owned()],
        benchmarks: Vec::new(),
    };
    let built = read(LUA).unwrap().part(&selection, Purpose::Build).unwrap();
    assert_eq!(names(&built.project), ["clang19 taildup"]);
}

#[test]
fn what_gates_and_guards_hold_a_cell_against_comes_along_too() {
    let cells = ["gcc12", "clang19 taildup"];
    let of = |more: &str| part(&format!("{LUA}{more}"), &cells, &[]).unwrap();
    let gate = "[gate.t]\ncommand = \"{}\"\n";
    let guard = "[benchmark.m]\ncommand = \"{}\"\nguard = \"2%\"\n";
    assert_eq!(names(&of("").project), cells);
    for more in [gate, guard] {
        let with = of(more);
        let all = ["clang18", "gcc12", "clang19 taildup"];
        let found: std::collections::BTreeSet<_> = names(&with.project).into_iter().collect();
        assert_eq!(found, all.into());
        let main = with.project.baselines().next();
        assert_eq!(main, Some("clang18"), "{more}");
        assert!(with.notes[0].contains("`clang18` is included: gates and guards"));
    }
}

#[test]
fn a_claim_stays_where_all_is_measured_that_it_is_about() {
    let text = format!(
        "{LUA}[benchmark.a]\ncommand = \"{{}} a\"\n[benchmark.b]\ncommand = \"{{}} b\"\n\
         [claim.all]\nnew = \"clang19\"\n[claim.one]\nnew = \"gcc12\"\nbenchmarks = \"a\"\n"
    );
    let of = |cells: &[&str], benchmarks: &[&str]| {
        let part = part(&text, cells, benchmarks).unwrap();
        let claims: Vec<String> = part.project.claims.keys().cloned().collect();
        (claims, part.notes)
    };
    assert_eq!(of(&["clang18", "gcc12", "clang19"], &[]).0, ["all", "one"]);
    let (claims, notes) = of(&["gcc12", "clang18"], &[]);
    assert_eq!(claims, [""; 0]);
    assert!(
        notes[0].contains("claim all is not judged: it is about `clang19` too"),
        "{notes:?}"
    );
    assert_eq!(notes.len(), 2, "{notes:?}");
    let (claims, notes) = of(&[], &["a"]);
    assert_eq!(claims, ["one"]);
    assert!(
        notes[0].contains("claim all is not judged: it is about b too"),
        "{notes:?}"
    );
    let said = part(&text, &[], &["c"]).err().unwrap();
    assert!(said.contains("there is no benchmark `c`"), "{said}");
}
