//! `proofmark explain` where there is nothing to be explained.

use crate::support::{Project, has};

/// Does more where the bytes of its own file say so, which are others in each layout.
const READS_ITSELF: &str = r#"
#include <stdio.h>
int first(int a) { return a + MORE; }
int second(int a) { return first(a) * 3; }
int main(int c, char **v) {
    (void)v;
    unsigned long sum = 0;
    volatile unsigned long work = 0;
    FILE *self = fopen("/proc/self/exe", "rb");
    for (int byte; (byte = getc(self)) != EOF;) sum = sum * 31 + byte;
    for (unsigned long i = 0; i < sum % 64 * 100000; i++) work += i;
    printf("n=%d\n", second(c) > 0);
    return 0;
}
"#;

#[test]
fn a_comparison_without_a_verdict_is_not_explained() {
    if !has(&["cc", "valgrind"]) {
        return;
    }
    let project = Project::new();
    project.write("self.c", READS_ITSELF);
    for (name, more) in [("base", "-DMORE=1"), ("new", "-DMORE=2")] {
        project.done(&[
            "capture", name, "--", "cc", "-O1", more, "-o", "app", "self.c",
        ]);
    }
    let mut words = vec!["compare", "base", "new", "--seed", "3", "--blocks", "2"];
    words.extend(["--rounds", "1", "--json", "--", "{}"]);
    let said = project.done(&words);
    let found: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    let mut warnings = found["warnings"].as_array().unwrap().iter();
    assert!(
        warnings.any(|one| one["code"] == "reads-itself"),
        "{found:#}"
    );
    let refused = project.run(&["explain", "latest"]);
    assert_ne!(refused.code, Some(0), "{refused:#?}");
    assert!(refused.err.contains("has no verdict"), "{}", refused.err);
    assert!(
        refused.err.contains("--layouts as-shipped"),
        "{}",
        refused.err
    );
}
