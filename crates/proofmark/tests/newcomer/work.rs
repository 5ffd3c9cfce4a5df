//! Builds that print an error, end early or have nothing to show for their work.

use super::{script, scripts};
use crate::support::Project;

#[test]
fn an_error_of_one_build_is_no_speed_up() {
    let error = "echo 'error: cannot open config' >&2";
    let said = scripts("true", error, &[]);
    assert_eq!(said.code, Some(3), "{said:#?}");
    let told = "“error: cannot open config”, and not missing";
    assert!(said.err.contains(told), "{}", said.err);
    let allowed = scripts("true", error, &["--allow-output-difference"]);
    assert_eq!(allowed.code, Some(0), "{allowed:#?}");
}

#[test]
fn what_varies_by_itself_on_standard_error_is_excused() {
    let said = scripts("echo pid $$ >&2; echo 1", "echo pid $$ >&2; echo 1", &[]);
    assert_eq!(said.code, Some(0), "{said:#?}");
}

#[test]
fn two_builds_that_only_print_an_error_are_asked() {
    let error = "echo 'error: cannot open config' >&2";
    let said = scripts(error, error, &[]);
    assert_eq!(said.code, Some(0), "{said:#?}");
    let told = said.out.replace("\n    ", " ");
    assert!(
        told.contains("“error: cannot open config” an error?"),
        "{told}"
    );
}

#[test]
fn another_status_is_another_end_also_where_it_is_ignored() {
    let said = scripts("echo 1; exit 3", "echo 1; exit 4", &["--ignore-exit"]);
    assert_eq!(said.code, Some(3), "{said:#?}");
    assert!(said.err.contains("it exited with"), "{}", said.err);
    let alike = scripts("echo 1; exit 3", "echo 1; exit 3", &["--ignore-exit"]);
    assert_eq!(alike.code, Some(0), "{alike:#?}");
}

#[test]
fn a_build_that_does_next_to_nothing_is_asked_what_it_has_to_show() {
    let project = Project::new();
    project.write(
        "slow.c",
        "int main(void) { for (volatile long i = 0; i < 100000000; i++) {} return 0; }",
    );
    project.write("fast.c", "int main(void) { return 0; }");
    project.compile("slow.c", "slow");
    project.compile("fast.c", "fast");
    let compared = |more: &[&str]| {
        let fixed = [
            "compare", "./slow", "./fast", "--blocks", "2", "--rounds", "2",
        ];
        let gate = [
            "--require",
            "faster:1%",
            "--fresh",
            "--skip",
            "instructions",
        ];
        project.run(&[&fixed[..], &gate[..], more, &["--", "{}"]].concat())
    };
    let said = compared(&[]);
    assert_eq!(said.code, Some(1), "{said:#?}");
    assert!(said.out.contains("did fast do the work?"), "{}", said.out);
    assert!(said.err.contains("no gate passes"), "{}", said.err);
    let meant = compared(&["--expect-large", "--confidence", "60%"]);
    assert_eq!(meant.code, Some(0), "{meant:#?}");
}

#[test]
fn equal_numbers_of_few_digits_pass_no_gate() {
    let metric = "stdout[s,lower]:took ([0-9.]+)";
    let more = ["--metric", metric, "--fail-if", "slower:1%"];
    let said = scripts("echo took 0.06", "echo took 0.06", &more);
    assert_eq!(said.code, Some(1), "{said:#?}");
    let told = said.out.replace("\n    ", " ");
    assert!(
        told.contains("in steps of 0.06, as far as its runs show"),
        "{told}"
    );
    assert!(told.contains("a difference of up to 172 %"), "{told}");
    assert!(told.contains("undecided"), "{told}");
    // No clock shows the same eight digits again and again.
    let said = scripts("echo took 0.06000001", "echo took 0.06000001", &more);
    assert_eq!(said.code, Some(1), "{said:#?}");
    let said = scripts("echo took 0.06000$$", "echo took 0.06000$$", &more);
    assert_eq!(said.code, Some(0), "{said:#?}");
}

#[test]
fn what_runs_wait_for_is_told_beside_cpu_time() {
    // Where the machine is busy, it looks as if processes of one run stood in each other's way, and
    // runs have all cores: that is another reason not to trust it, and is said in place of this.
    let found = (0..4).any(|_| {
        let said = scripts("sleep 0.06; echo 1", "sleep 0.09; echo 1", &[]);
        assert_eq!(said.code, Some(0), "{said:#?}");
        let told = said.out.replace("\n    ", " ");
        let busy = told.contains("may run at the same time");
        let shown = told.contains("which CPU time does not show");
        assert!(shown || busy, "{told}");
        shown
    });
    assert!(found);
}

#[test]
fn output_that_differs_from_itself_is_not_the_builds_doing() {
    let said = scripts("echo $$", "echo $$", &[]);
    assert_eq!(said.code, Some(3), "{said:#?}");
    assert!(said.err.contains("differs from itself"), "{}", said.err);
    assert!(said.err.contains("--output-filter 'sort'"), "{}", said.err);
    let shuffled = "seq 200 | shuf";
    let sorted = scripts(shuffled, shuffled, &["--output-filter", "sort"]);
    assert_eq!(sorted.code, Some(0), "{sorted:#?}");
    let other = scripts("seq 9 | shuf", "seq 8 | shuf", &["--output-filter", "sort"]);
    assert_eq!(other.code, Some(3), "{other:#?}");
    assert!(!other.err.contains("differs from itself"), "{}", other.err);
    let failing = scripts("echo 1", "echo 1", &["--output-filter", "false"]);
    assert_eq!(failing.code, Some(3), "{failing:#?}");
}

#[test]
fn binary_output_is_described_and_not_printed() {
    let said = scripts(r"printf '\001\002\377'", r"printf '\001\003\377'", &[]);
    assert_eq!(said.code, Some(3), "{said:#?}");
    assert!(said.err.contains("number 2"), "{}", said.err);
    assert!(
        !said.err.contains('\u{1}') && !said.err.contains('\u{fffd}'),
        "{}",
        said.err
    );
}

#[test]
fn a_program_that_prints_its_own_name_prints_the_same() {
    let said = scripts("echo $0; echo $0 >&2", "echo $0; echo $0 >&2", &[]);
    assert_eq!(said.code, Some(0), "{said:#?}");
}

#[test]
fn braces_that_the_program_is_to_see_are_doubled() {
    let project = Project::new();
    for name in ["old", "new"] {
        script(
            &project,
            name,
            "case $1 in {}) echo took 5;; *) echo took 7;; esac",
        );
    }
    let metric = "--metric=stdout[steps,lower]:took ([0-9]+)";
    let fixed = [
        "compare", "./old", "./new", metric, "--blocks", "2", "--json", "--fresh",
    ];
    let run = |word: &str| {
        let said = project.run(&[&fixed[..], &["--measure-equal", "--", "{}", word]].concat());
        assert_eq!(said.code, Some(0), "{said:#?}");
        let report: serde_json::Value = serde_json::from_str(&said.out).unwrap();
        let took = report["conclusion"]["comparisons"][0]["a_run"]["base"].as_f64();
        (
            took.map(f64::round),
            said.err.contains("in 2 words of the command"),
        )
    };
    assert_eq!(run("{{}}"), (Some(5.0), false));
    assert_eq!(run("{}"), (Some(7.0), true));
}
