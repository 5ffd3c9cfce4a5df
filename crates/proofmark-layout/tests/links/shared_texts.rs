//! Texts and constants of several objects are one in layouts, as a linker makes them.

use std::collections::BTreeSet;

use proofmark_layout::{LayoutSet, LinkerKind, Matching, UndrawnData};
use proofmark_terms::Population;

use crate::drawn_data::{SEEDS, TEXT, address};
use crate::support::{Link, Project, output, tools};

/// A text of several files is one text as shipped, and so it is in layouts: a program may compare
/// addresses, in code, in tables, and of files that are linked from an archive.
#[test]
fn a_text_of_several_files_is_one_text() {
    if !tools(&["gcc", "clang-19", "ld.lld-19", "ld.bfd", "ld.gold"]) {
        return;
    }
    let main = format!(
        "#include <stdio.h>\nconst char *one(int); const char *two(int); const char *dead(void);\n\
         static const char *const own[] = {{\"of a table\", \"{TEXT}\"}};\n\
         const char *volatile last = \"a text of three files\";\n\
         int main(int argc, char **argv) {{\n\
         printf(\"%d%d%d%d\\n\", one(0) == own[argc - 1], two(0) == own[argc], one(1) == last,\n\
         two(1) == one(1)); puts(own[argc]); return 0; }}\n"
    );
    let one = "static const char *const table[] = {\"of a table\", \"a text of three files\"};\n\
        const char *one(int n) { return table[n]; }\n";
    let two = format!(
        "const char *two(int n) {{ return n ? \"a text of three files\" : \"{TEXT}\"; }}\n"
    );
    let dead = format!("const char *dead(void) {{ return \"{TEXT}\"; }}\n");
    let files = [
        ("main.c", main.as_str()),
        ("one.c", one),
        ("two.c", &two),
        ("dead.c", &dead),
    ];
    for (driver, kind, how) in [
        ("gcc", LinkerKind::GnuLd, ""),
        ("gcc", LinkerKind::Gold, ""),
        ("gcc", LinkerKind::GnuLd, "-no-pie"),
        ("clang-19", LinkerKind::Lld, ""),
        ("clang-19", LinkerKind::Lld, "-no-pie"),
        ("clang-19", LinkerKind::GnuLd, "-Wl,--gc-sections"),
    ] {
        let project = Project::new(&files);
        let pie = if how == "-no-pie" { "" } else { "-fpie" };
        project.sh(&format!(
            "{driver} -O1 {pie} -ffunction-sections -fdata-sections -c dead.c main.c one.c two.c \
             && ar rc all.a dead.o one.o two.o"
        ));
        let recipe = project.link(&Link {
            driver,
            kind,
            arguments: &format!("{how} main.o all.a"),
        });
        assert!(output(&project.path("app")).starts_with("1111\n"));
        let scratch = tempfile::tempdir().unwrap();
        let (matching, population) = (Matching::Matched, Population::Pad);
        let recipes = [&recipe, &recipe];
        let set = LayoutSet::prepare(&recipes, matching, population, scratch.path()).unwrap();
        assert!(
            set.undrawn().is_empty(),
            "{driver} {kind} {how}: {:?}",
            set.undrawn()
        );
        let places = (0..SEEDS).map(|seed| {
            let image = set.link(0, seed, &scratch.path().join("image")).unwrap();
            set.verify(std::slice::from_ref(&image)).unwrap();
            assert_eq!(output(&image.path), output(&project.path("app")));
            address(&image.path, TEXT.as_bytes()) % 64
        });
        let places: BTreeSet<u64> = places.collect();
        assert!(places.len() >= 5, "{driver} {kind} {how}: {places:?}");
    }
}

/// Compiles each file by itself, the first into an archive too, links them as `link` says, and holds all layouts against the file.
/// Gives what it prints, and what is not drawn.
fn same_in_layouts(
    files: &[(&str, &str)],
    options: &str,
    link: &Link<'_>,
) -> (String, Vec<UndrawnData>) {
    let project = Project::new(files);
    let driver = link.driver;
    for (name, _) in files {
        project.sh(&format!("{driver} -O1 {options} -c {name}"));
    }
    project.sh(&format!("ar rc first.a {}", files[0].0.replace(".c", ".o")));
    let recipe = project.link(link);
    let scratch = tempfile::tempdir().unwrap();
    let (matching, population) = (Matching::Independent, Population::Pad);
    let set = LayoutSet::prepare(&[&recipe], matching, population, scratch.path()).unwrap();
    let printed = output(&project.path("app"));
    for seed in 0..4 {
        let image = set.link(0, seed, &scratch.path().join("image")).unwrap();
        set.verify(std::slice::from_ref(&image)).unwrap();
        assert_eq!(output(&image.path), printed, "{options} {}", link.arguments);
    }
    let undrawn = set.undrawn().iter().map(|one| one.what);
    (printed, undrawn.collect())
}

/// Texts that go by names of their own are led to the one that the name means, or stay merged.
#[test]
fn texts_with_names_are_the_texts_that_their_names_mean() {
    if !tools(&["gcc", "ld.bfd"]) {
        return;
    }
    let weak = "__attribute__((weak)) extern const char banner[];\n\
        __attribute__((weak)) const char banner[] = \"the default banner\";\n";
    let (a, b) = (
        format!("{weak}const char *A(void) {{ return banner; }}\n"),
        format!("{weak}const char *B(void) {{ return banner; }}\n"),
    );
    let main = "#include <stdio.h>\nconst char *A(void), *B(void); extern const char banner[], name[];\n\
        int main(void) { puts(A()); puts(B()); printf(\"%d\\n\", A() == banner);\n\
        printf(\"%d\\n\", (const char *)name == \"a name of a text\"); return 0; }\n";
    let files = [
        ("main.c", main),
        ("a.c", a.as_str()),
        ("b.c", &b),
        ("strong.c", "const char banner[] = \"another banner\";\n"),
        ("name.c", "const char name[] = \"a name of a text\";\n"),
    ];
    for (files, arguments, undrawn) in [
        (
            &files[..],
            "main.o a.o b.o strong.o name.o",
            vec![UndrawnData::Merged],
        ),
        // One that one name means alone.
        (
            &[
                (
                    "one.c",
                    "#include <stdio.h>\nextern const char name[];\nint main(void) {\n\
              printf(\"%d\\n\", (const char *)name == \"a name of a text\"); return 0; }\n",
                ),
                files[4],
            ],
            "one.o name.o",
            vec![],
        ),
    ] {
        let link = Link {
            driver: "gcc",
            kind: LinkerKind::GnuLd,
            arguments,
        };
        let (_, found) = same_in_layouts(files, "-fmerge-all-constants", &link);
        assert_eq!(found, undrawn, "{arguments}");
    }
}

/// glibc has texts with names in objects that hold nothing else.
#[test]
fn texts_of_a_library_that_has_all_in_one_are_led_to_it() {
    if !tools(&["gcc", "ld.bfd"]) {
        return;
    }
    let main = "#include <locale.h>\n#include <stdio.h>\nint main(void) {\n\
        const char *c = \"C\"; printf(\"%d\\n\", setlocale(LC_ALL, 0) == c); return 0; }\n";
    let link = Link {
        driver: "gcc",
        kind: LinkerKind::GnuLd,
        arguments: "-static main.o",
    };
    let printed = same_in_layouts(&[("main.c", main)], "", &link).0;
    assert_eq!(printed, "1\n");
}

/// A member of an archive that has a text of an object in front of it is taken when its turn comes.
#[test]
fn a_shared_text_takes_no_member_of_an_archive() {
    if !tools(&["clang-19", "ld.lld-19"]) {
        return;
    }
    let made = |digit: u32, rest: &str| {
        format!(
            "extern int order; __attribute__((constructor)) static void init(void)\n\
             {{ order = order * 10 + {digit}; }}\n{rest}\n"
        )
    };
    let main = "#include <stdio.h>\nint order; const char *other(void);\nint main(void) {\n\
        printf(\"%d %d\\n\", order, other() == \"a shared text\"); return 0; }\n";
    let member = made(7, "const char *member(void) { return \"a shared text\"; }");
    let other = made(
        2,
        "const char *member(void); const char *other(void) { return member(); }",
    );
    let files = [
        ("member.c", &*member),
        ("main.c", main),
        ("other.c", &other),
    ];
    let link = Link {
        driver: "clang-19",
        kind: LinkerKind::Lld,
        arguments: "first.a main.o other.o",
    };
    let printed = same_in_layouts(&files, "", &link).0;
    assert!(printed.ends_with(" 1\n"), "{printed}");
}

/// lld makes one of equal constants of unlike alignments, and what asks for more gets it.
#[test]
fn constants_are_shared_across_alignments_where_the_linker_does_it() {
    if !tools(&["clang-19", "ld.lld-19", "ld.bfd"]) {
        return;
    }
    let constant = |name: &str, alignment: u32| {
        format!(
            "__asm__(\".section .rodata.cst16,\\\"aM\\\",@progbits,16\\n.balign {alignment}\\n\"\n\
             \".ascii \\\"another constant\\\"\\n.L{name}: .ascii \\\"0123456789abcdef\\\"\\n\"\n\
             \".text\\n.globl {name}\\n{name}: leaq .L{name}(%rip), %rax\\nret\\n\");\n"
        )
    };
    let main = "#include <stdio.h>\nconst char *low(void), *high(void);\nint main(void) {\n\
        printf(\"%d%d\\n\", low() == high(), (int)((long)high() % 16)); return 0; }\n";
    let (low, high) = (constant("low", 4), constant("high", 16));
    let files = [("main.c", main), ("low.c", &low), ("high.c", &high)];
    for (kind, printed) in [(LinkerKind::Lld, "10\n"), (LinkerKind::GnuLd, "00\n")] {
        let link = Link {
            driver: "clang-19",
            kind,
            arguments: "main.o low.o high.o",
        };
        let found = same_in_layouts(&files, "", &link);
        assert_eq!(found, (printed.to_owned(), vec![]), "{kind}");
    }
}

/// lld merges nothing where it is told not to optimise.
#[test]
fn texts_that_a_linker_leaves_apart_are_apart() {
    if !tools(&["clang-19", "ld.lld-19"]) {
        return;
    }
    let main = "#include <stdio.h>\nconst char *other(void);\nint main(void) {\n\
        printf(\"%d\\n\", other() == \"a shared text\"); return 0; }\n";
    let other = "const char *other(void) { return \"a shared text\"; }\n";
    for (level, printed) in [("-Wl,-O0", "0\n"), ("-Wl,-O1", "1\n"), ("", "1\n")] {
        let arguments = format!("{level} main.o other.o");
        let link = Link {
            driver: "clang-19",
            kind: LinkerKind::Lld,
            arguments: &arguments,
        };
        let files = [("main.c", main), ("other.c", other)];
        let found = same_in_layouts(&files, "", &link);
        assert_eq!(found, (printed.to_owned(), vec![]), "{level}");
    }
}
