//! What is measured is what was asked, all of it and nothing else: programs that go about it in an unusual way.

#![expect(
    clippy::unwrap_used,
    reason = "a test that meets the unexpected should stop there and then"
)]

mod support;

use support::{Project, Said};

/// Compares two executables in a few short blocks.
fn compare(project: &Project, how: &[&str]) -> Said {
    let mut words = vec!["compare", "./base", "./new", "--json", "--blocks", "2"];
    words.extend(["--rounds", "2", "--skip", "instructions"]);
    words.extend(how);
    if !how.contains(&"--") {
        words.extend(["--", "{}"]);
    }
    project.run(&words)
}

/// Compiles the same source twice, with and without `NEW`.
fn two_builds(source: &str) -> Project {
    let project = Project::new();
    project.write("base.c", source);
    project.write("new.c", &format!("#define NEW 1\n{source}"));
    project.compile("base.c", "base");
    project.compile("new.c", "new");
    project
}

#[test]
fn work_left_to_a_process_that_nobody_waits_for_is_refused_whatever_the_exit_code() {
    let project = two_builds(
        "#include <unistd.h>\n\
         int main(void) {\n\
         #ifdef NEW\n    if (fork() == 0) { setsid(); for (;;) pause(); }\n#endif\n\
             return 3;\n}\n",
    );
    let said = compare(&project, &["--ignore-exit"]);
    assert_eq!(said.code, Some(3), "{said:#?}");
    assert!(said.err.contains("left 1 process behind"), "{}", said.err);
    assert!(said.err.contains("new (as shipped)"), "{}", said.err);
}
