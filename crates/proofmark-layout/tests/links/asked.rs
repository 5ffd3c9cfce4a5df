//! A change of order or of alignment is told from a change of code: by what builds ask for, and not
//! by where things came to lie.

use proofmark_layout::{Asked, LinkerKind, Recipe, asked, evened};

use crate::support::{Link, Project, tools};

const MAIN: &str = r"#include <stdio.h>
struct rec { unsigned long w[8]; };
struct rec table[RECORDS] __attribute__((aligned(AL))) = {{{1}}};
__attribute__((noinline)) int one(int a) { return a * 3 + 1; }
TWO __attribute__((noinline)) int two(int a) { return one(a) CHANGED; }
#ifdef MORE
long more[5] = {1};
#endif
#ifdef COMMON
long common[9] __attribute__((common, aligned(COMMON)));
#endif
int main(int c, char **v) { printf(ONE, two(c), table[c].w[0]); return 0; }
";

fn built(compile: &str, link: &str) -> Recipe {
    let project = Project::new(&[
        ("main.c", MAIN),
        ("a.txt", "two\n"),
        ("b.txt", "one\ntwo\n"),
    ]);
    let defined = |name: &str, usual: &str| {
        let given = compile.contains(&format!("-D{name}="));
        if given {
            String::new()
        } else {
            format!("-D{name}='{usual}' ")
        }
    };
    let usual = defined("TWO", "")
        + &defined("RECORDS", "16")
        + &defined("AL", "32")
        + &defined("CHANGED", "+ 5")
        + &defined("ONE", "\"%d %lu\"");
    project.sh(&format!(
        "gcc -O2 -ffunction-sections {usual} {compile} -c main.c"
    ));
    let recipe = project.link(&Link {
        driver: "gcc",
        kind: LinkerKind::Lld,
        arguments: &format!("main.o {link}"),
    });
    // The stored copies outlive the project.
    std::mem::forget(project);
    recipe
}

fn said(a: &Recipe, b: &Recipe) -> (Asked, String) {
    let asked = asked(a, b).unwrap();
    let said = asked.to_string();
    (asked, said)
}

#[test]
fn order_and_alignment_are_known_by_what_is_asked_for() {
    if !tools(&["gcc", "ld.lld-19"]) {
        return;
    }
    let base = built("", "");
    for (compile, link, expected) in [
        (
            "",
            "-Wl,--symbol-ordering-file=a.txt",
            "--symbol-ordering-file",
        ),
        ("", "-Wl,-z,separate-code", "-z separate-code"),
        ("-falign-functions=64", "", "16 to 64 bytes"),
        ("-DAL=64", "", "32 to 64 bytes"),
        // More of it as well.
        ("-DAL=64 -DRECORDS=20", "", "32 to 64 bytes"),
        // Code that changed as well.
        (
            "'-DTWO=__attribute__((aligned(64)))' '-DCHANGED=* 7 + a'",
            "",
            "two: 16 to 64 bytes",
        ),
    ] {
        let (asked, text) = said(&base, &built(compile, link));
        assert!(
            !asked.is_same() && text.contains(expected),
            "{compile} {link}: {text}"
        );
    }
    let [a, b] =
        ["a.txt", "b.txt"].map(|file| built("", &format!("-Wl,--symbol-ordering-file={file}")));
    assert_eq!(
        said(&a, &b).0.order,
        ["--symbol-ordering-file"],
        "another content"
    );
    assert!(said(&a, &a).0.is_same());
    let [a, b] = ["8", "64"].map(|by| built(&format!("-DCOMMON={by}"), ""));
    assert_eq!(said(&a, &b).0.example.unwrap(), "common: 8 to 64 bytes");
    assert!(said(&b, &b).0.is_same());
    for compile in [
        "",
        "'-DCHANGED=* 7 + a'",
        "'-DONE=\"a longer text %d %lu\"'",
    ] {
        let (asked, text) = said(&base, &built(compile, ""));
        assert!(asked.is_same(), "{compile}: {text}");
    }
}

#[test]
fn data_that_layouts_make_alike_is_named() {
    if !tools(&["gcc", "ld.lld-19"]) {
        return;
    }
    let base = built("", "");
    for (compile, expected) in [
        ("", None),
        ("'-DCHANGED=* 7 + a'", None),
        ("-DRECORDS=15", Some((1, "table: 1024 to 960 bytes"))),
        // That is asked for, and layouts are independent.
        ("-DAL=64", None),
        // What lies behind it has moved.
        ("-DMORE", None),
    ] {
        let found = evened(&base, &built(compile, "")).unwrap();
        let found = found.as_ref().map(|one| (one.count, one.example.as_str()));
        assert_eq!(found, expected, "{compile}");
    }
}
