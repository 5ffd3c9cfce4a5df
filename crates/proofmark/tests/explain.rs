//! `proofmark explain` where nothing is to be explained, and what its model says of functions.

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

/// `g` goes through memory that no cache holds, and `f` never leaves its line.
const STREAMS: &str = r#"
#include <stdio.h>
static volatile unsigned long sink;
static volatile char big[64 << 18];
__attribute__((noinline)) void f(unsigned long n) { while (n--) sink += n; }
__attribute__((noinline)) void g(unsigned long n) { while (n--) sink += big[n % LINES * 64]; }
int main(void) {
    f(200000);
    g(200000);
    printf("steps %d\n", LINES > 1 ? 120 : 100);
    return 0;
}
"#;

/// What the model counts does not depend on time.
#[test]
fn the_functions_that_miss_in_the_model_are_named() {
    if !has(&["cc", "valgrind"]) {
        return;
    }
    let project = Project::new();
    project.write("streams.c", STREAMS);
    for (name, lines) in [("base", "-DLINES=1"), ("new", "-DLINES=200000")] {
        project.done(&[
            "capture",
            name,
            "--",
            "cc",
            "-O1",
            lines,
            "-o",
            "app",
            "streams.c",
        ]);
    }
    let mut words = vec!["compare", "base", "new", "--seed", "3", "--blocks", "2"];
    words.extend(["--metric", "stdout[steps,lower]:steps ([0-9]+)"]);
    words.extend(["--rounds", "1", "--", "{}"]);
    project.done(&words);
    let said = project.done(&["explain", "latest", "--sampled-blocks", "4", "--json"]);
    let found: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    let functions = found["simulated"]["functions"].as_array().unwrap();
    let of = |symbol: &str| functions.iter().find(|one| one["symbol"] == symbol);
    let missed = |build: &str| of("g").unwrap()[build]["d1"].as_u64().unwrap();
    assert!(missed("base") < 1000, "{functions:#?}");
    assert!(missed("new") > 150_000, "{functions:#?}");
    assert_eq!(of("f"), None, "{functions:#?}");
    let text = project.done(&["explain", "--show", "latest"]).out;
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("(most of the difference in g)"), "{text}");
}
