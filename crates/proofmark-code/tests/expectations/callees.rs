//! Callees by their names, and functions by patterns.

use std::path::Path;

use super::{breach, expect, made, report, said};
use crate::support::{has, run};

#[test]
fn a_callee_is_named_as_a_function_is() {
    if !has("g++") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = "#include <new>\n#define APART __attribute__((noinline, noclone))\n\
        namespace app { APART void *slow_alloc(int n) { return operator new(n); }\n\
        template <class T> APART T twice(T x) { asm volatile(\"\"); return x + x; }\n\
        APART int hot(int n) { return slow_alloc(n) != nullptr && twice<int>(n); } }\n\
        extern \"C\" APART int whole(int n) { asm volatile(\"\"); return n; }\n\
        extern \"C\" int other_name(int n) __attribute__((alias(\"whole\")));\n\
        int main(int c, char **) { return app::hot(c) + whole(c); }\n";
    for options in [&["-O2", "-c"][..], &["-O2"], &["-O2", "-fno-plt"]] {
        let file = made("g++", options, source, folder.path(), "callees");
        for (function, callee) in [
            ("app::hot", "app::slow_alloc"),
            ("app::hot", "app::slow_alloc(int)"),
            ("app::hot", "_ZN3app10slow_allocEi"),
            ("app::hot", "app::slow_*"),
            ("app::hot", "/^app::slow/"),
            ("app::hot", "int app::twice<int>"),
            ("app::slow_alloc", "operator new"),
            ("app::slow_alloc", "_Znwm"),
            ("main", "whole"),
            ("main", "other_name"),
        ] {
            let holds = format!("calls_to({callee:?}) == 1");
            let report = report(&file, &expect(function, &holds));
            assert!(report.passes(), "{options:?} {function}: {report:?}");
        }
        // What is misspelt is called by nobody: the text says that nothing has the name.
        let none = |callee: &str| {
            let holds = format!("calls_to({callee:?}) == 0");
            let report = report(&file, &expect("app::hot", &holds));
            assert!(report.passes(), "{report:?}");
            said(&report)[0].contains("no function of that name")
        };
        assert_eq!(
            ["app::slo_alloc", "alloc", "whole"].map(none),
            [true, true, false]
        );
    }
}

#[test]
fn a_callee_goes_by_its_name_without_the_version() {
    if !has("gcc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("versions.map");
    std::fs::write(&script, "ONE { local: *; };\nTWO { global: use; } ONE;\n").unwrap();
    let source = "__attribute__((noinline, noclone)) int old(int x) { asm volatile(\"\"); return x; }\n\
        asm(\".symver old,twice@ONE\");\n\
        int use(int x) { return old(x) + 1; }\n";
    let script = format!("-Wl,--version-script={}", script.display());
    let options = ["-O2", "-fPIC", "-shared", &script];
    let file = made("gcc", &options, source, folder.path(), "versions");
    for callee in ["twice", "twice@ONE", "old"] {
        let holds = format!("calls_to({callee:?}) == 1");
        let report = report(&file, &expect("use", &holds));
        assert!(report.passes(), "{report:?}");
    }
}

#[test]
fn functions_together_go_by_the_pattern() {
    if !has("gcc") || !has("ar") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let one = "int outer(int);\nint part_one(int x) { return outer(x) * 3; }\n";
    let options = ["-O2", "-g", "-c"];
    let first = made("gcc", &options, one, folder.path(), "one.o");
    let two = one.replace("part_one", "part_two");
    let two = format!(
        "int before(int x) {{ return x; }}\nint other(int);\nint part_three(int x) {{ return other(x) + 1; }}\n{two}"
    );
    let second = made("gcc", &options, &two, folder.path(), "two.o");
    let archive = folder.path().join("parts.a").display().to_string();
    let [first, second] = [first, second].map(|p| p.display().to_string());
    run("ar", &["rcs", &archive, &first, &second]);
    let file = Path::new(&archive);
    let together = |holds: &str| format!("{}together = true\n", expect("part_*", holds));
    for holds in [
        "direct_calls == 3",
        "calls_to('outer') == 2",
        "functions == 3",
    ] {
        let report = report(file, &together(holds));
        assert!(report.passes(), "{report:?}");
    }
    let broken = report(file, &together("direct_calls <= 1"));
    let outcome = &broken.outcomes[0];
    assert_eq!(
        (outcome.function.as_deref(), broken.outcomes.len()),
        (None, 1)
    );
    let breach = breach(&broken);
    assert_eq!(breach.found, "direct_calls is 3 in 3 functions together");
    assert_eq!((breach.address, &breach.cause), (None, &None));
    assert_eq!((breach.places.len(), breach.all_places), (3, 3));
}
