//! What hand-written assembly counts on: code and data between labels of several objects, and code
//! that runs on into the next section.

use proofmark_layout::{Captured, LinkerKind, Matching, asks_for_end_of_data, movability};

use crate::faithful::drawn;
use crate::support::{Link, Project, output, tools};

const LINKERS: [LinkerKind; 3] = [LinkerKind::GnuLd, LinkerKind::Gold, LinkerKind::Lld];
const TOOLS: &[&str] = &["gcc", "ld.bfd", "ld.gold", "ld.lld-19"];

const SPAN: &str = "#include <stdio.h>
extern char hot_begin[], hot_end[];
__attribute__((noinline)) int one(int n) { return n * 7 + 1; }
__attribute__((noinline)) int two(int n) { return one(n) ^ n; }
int main(int c, char **v) { printf(\"%d %d\\n\", (int)(hot_end - hot_begin), two(c)); }
";

/// A function of an object moved out of a region, or others moved into it.
#[test]
fn code_between_labels_of_two_objects_stays_there() {
    if !tools(TOOLS) {
        return;
    }
    let project = Project::new(&[
        ("main.c", SPAN),
        (
            "a.s",
            ".p2align 6\n.globl typed\n.type typed,@function\ntyped: ret\n.globl hot_begin\nhot_begin: nop\nret\n",
        ),
        (
            "mid.c",
            "int mid(int n) { return n * 3; } int more(int n) { return n ^ 5; }\n",
        ),
        ("b.s", "nop\nret\n.globl hot_end\nhot_end: ret\n"),
    ]);
    project.sh("gcc -O2 -ffunction-sections -c main.c mid.c a.s b.s");
    for kind in LINKERS {
        let recipe = project.link(&Link {
            driver: "gcc",
            kind,
            arguments: "main.o a.o mid.o b.o",
        });
        let build = (&project, &recipe);
        drawn(&[build], Matching::Independent).unwrap_or_else(|error| panic!("{kind}: {error}"));
        drawn(&[build, build], Matching::Matched).unwrap_or_else(|error| panic!("{kind}: {error}"));
    }
}

/// Code that assembly encloses by itself, from a label where it begins to one where it ends, as a
/// trampoline that is copied: all code in front of the second one stayed where it was.
#[test]
fn a_label_that_ends_what_another_begins_holds_nothing_in_front_of_both() {
    if !tools(TOOLS) {
        return;
    }
    let main = "#include <stdio.h>
extern char hop_START[], hop_END[];
int mid(int), apart(char *, char *);
int main(int c, char **v) { printf(\"%d %d\\n\", mid(c), apart(hop_START, hop_END)); }
";
    for kind in LINKERS {
        // What begins in another section is another thing.
        let held = [".text", ".data"].map(|begin| {
            let project = Project::new(&[
                ("main.c", main),
                (
                    "mid.c",
                    "int mid(int n) { return n * 3; } int apart(char *a, char *b) { return a != b; }\n",
                ),
                (
                    "a.s",
                    &format!("{begin}\n.globl hop_START\nhop_START: nop\n.text\nret\n.globl hop_END\nhop_END:\n"),
                ),
            ]);
            project.sh("gcc -O2 -ffunction-sections -c main.c mid.c a.s");
            let recipe = project.link(&Link {
                driver: "gcc",
                kind,
                arguments: "main.o mid.o a.o",
            });
            let build = (&project, &recipe);
            drawn(&[build], Matching::Independent).unwrap_or_else(|error| panic!("{kind}: {error}"));
            let reasons = movability(&recipe).unwrap().reasons;
            let between = reasons.iter().filter(|one| one.what.contains("between labels"));
            between.map(|one| one.bytes).sum::<u64>()
        });
        // A nop, a return and what stands next to them, or all of the program.
        assert!(held[0] < 20 && held[1] > 50, "{kind}: {held:?}");
    }
}

const WALK: &str = "#include <stdio.h>
extern int table[], table_end[];
__attribute__((noinline)) int other(int n) { return n * 7 + 1; }
int main(void) {
  unsigned sum = 0, count = 0;
  for (int *p = table; p < table_end; p++) { sum += other(*p); count++; }
  printf(\"%u %u\\n\", sum, count);
}
";

/// A table began with a datum of a size, and other objects went on with it.
#[test]
fn a_table_that_a_label_ends_keeps_its_entries() {
    if !tools(TOOLS) {
        return;
    }
    let projects = ["5", "5, 6, 7"].map(|entries| {
        let project = Project::new(&[
            ("main.c", WALK),
            ("a.c", "int table[] = {1, 2};\n"),
            ("b.c", &format!("int more[] = {{{entries}}};\n")),
            ("end.s", ".data\n.globl table_end\ntable_end:\n"),
        ]);
        project.sh("gcc -O2 -ffunction-sections -c main.c a.c b.c end.s");
        project
    });
    for kind in LINKERS {
        let recipes = projects.each_ref().map(|project| {
            project.link(&Link {
                driver: "gcc",
                kind,
                arguments: "main.o a.o b.o end.o",
            })
        });
        let builds = [(&projects[0], &recipes[0]), (&projects[1], &recipes[1])];
        drawn(&builds, Matching::Matched).unwrap_or_else(|error| panic!("{kind}: {error}"));
    }
}

const RUNS_ON: &str = ".globl start\n.type start,@function\n.section .text.a,\"ax\",@progbits\nstart: mov $5,%eax\n.section .text.b,\"ax\",@progbits\nadd $100,%eax\n";

/// Code that runs on into the next section, and from there into the next object, met the traps that
/// fill gaps.
/// Entries of several objects in a section of their own, which a program walks through: from one
/// name to the other that linkers give its ends, from one label to another, and from the datum of
/// the first object to that of the last.
#[test]
fn an_array_of_several_objects_keeps_its_entries_together() {
    if !tools(TOOLS) {
        return;
    }
    let main = "#include <stdio.h>
extern const char *__start_set[], *__stop_set[], *first[], *last[], *front, *back;
int main(void) { for (const char **at = __start_set; at < __stop_set; at++) puts(*at);
    for (const char **at = first; at < last; at++) puts(*at);
    for (const char **at = &front + 1; at < &back; at++) puts(*at); }
";
    let entry = |text: &str| {
        format!(
            "#define IN(s) __attribute__((section(#s), used)) static const char *const\n\
             IN(set) volatile in_set = \"set {text}\"; IN(own) volatile in_own = \"own {text}\";\n\
             IN(list) volatile in_list = \"list {text}\";\n"
        )
    };
    let project = Project::new(&[
        ("main.c", main),
        ("one.c", &entry("one")),
        ("two.c", &entry("two")),
        (
            "front.c",
            "__attribute__((section(\"list\"))) const char *front;\n",
        ),
        (
            "back.c",
            "__attribute__((section(\"list\"))) const char *back;\n",
        ),
        ("a.s", ".section own,\"aw\"\n.globl first\nfirst:\n"),
        ("b.s", ".section own,\"aw\"\n.globl last\nlast: .quad 0\n"),
    ]);
    project.sh("gcc -O2 -fpie -fdata-sections -c main.c front.c one.c two.c back.c a.s b.s");
    for kind in LINKERS {
        let recipe = project.link(&Link {
            driver: "gcc",
            kind,
            arguments: "main.o front.o a.o one.o two.o b.o back.o",
        });
        assert_eq!(
            output(&project.path("app")),
            "set one\nset two\nown one\nown two\nlist one\nlist two\n"
        );
        let build = (&project, &recipe);
        drawn(&[build], Matching::Independent).unwrap_or_else(|error| panic!("{kind}: {error}"));
        drawn(&[build, build], Matching::Matched).unwrap_or_else(|error| panic!("{kind}: {error}"));
    }
}

#[test]
fn sections_that_run_on_into_one_another_stay_together() {
    if !tools(TOOLS) {
        return;
    }
    let main = "#include <stdio.h>\nint start(void); int far(int n) { return n * n; } int main(int c, char **v) { printf(\"%d %d\\n\", start(), far(c)); }\n";
    let project = Project::new(&[
        ("main.c", main),
        ("a.s", RUNS_ON),
        (
            "b.s",
            ".section .text.a,\"ax\",@progbits\n.globl landed\nlanded: add $1000,%eax\nret\n",
        ),
        ("c.c", "int last(int n) { return n + 3; }\n"),
    ]);
    project.sh("gcc -O2 -ffunction-sections -c main.c c.c a.s b.s");
    for kind in LINKERS {
        let recipe = project.link(&Link {
            driver: "gcc",
            kind,
            arguments: "main.o a.o b.o c.o",
        });
        assert_eq!(output(&project.path("app")), "1105 1\n", "{kind}");
        let build = (&project, &recipe);
        drawn(&[build], Matching::Independent).unwrap_or_else(|error| panic!("{kind}: {error}"));
        drawn(&[build, build], Matching::Matched).unwrap_or_else(|error| panic!("{kind}: {error}"));
    }
}

const STENCIL: &str = ".globl size\n.type size,@function\n.section .text.s,\"ax\",@progbits\nsize: lea stencil_end(%rip),%rax\nlea stencil(%rip),%rcx\nsub %rcx,%rax\nret\n.section .text.s1,\"ax\",@progbits\nstencil: mov $1,%eax\nret\n.section .text.s2,\"ax\",@progbits\nret\nstencil_end: nop\nret\n";

/// Sections of one object were moved apart, and the length of what stands between was another one.
#[test]
fn code_between_labels_of_one_object_stays_there() {
    if !tools(TOOLS) {
        return;
    }
    let main = "#include <stdio.h>\nint size(void); int far(int n) { return n * n; } int main(int c, char **v) { printf(\"%d %d\\n\", size(), far(c)); }\n";
    for globals in ["", ".globl stencil,stencil_end\n"] {
        let project = Project::new(&[
            ("main.c", main),
            ("a.s", &format!("{globals}{STENCIL}")),
            ("c.c", "int last(int n) { return n + 3; }\n"),
        ]);
        project.sh("gcc -O2 -ffunction-sections -c main.c c.c a.s");
        for kind in LINKERS {
            let recipe = project.link(&Link {
                driver: "gcc",
                kind,
                arguments: "main.o a.o c.o",
            });
            assert_eq!(output(&project.path("app")), "7 1\n", "{kind}");
            let build = (&project, &recipe);
            drawn(&[build, build], Matching::Matched)
                .unwrap_or_else(|error| panic!("{kind}: {error}"));
        }
    }
}

/// A collector of garbage looks through all data; the C library asks for the same names and does
/// not. A program that has a name of its own of them asks for nothing.
#[test]
fn a_program_that_asks_where_its_data_ends_is_known() {
    if !tools(&["gcc", "ar", "ld.bfd"]) {
        return;
    }
    let project = Project::new(&[
        (
            "main.c",
            "int walk(void); int main(void) { return walk(); }\n",
        ),
        (
            "edata.c",
            "extern char edata[]; int walk(void) { return *edata; }\n",
        ),
        (
            "end.c",
            "extern char _end[]; int walk(void) { return *_end; }\n",
        ),
        ("own.c", "char end[9]; int walk(void) { return *end; }\n"),
    ]);
    project.sh("gcc -O1 -c main.c edata.c end.c own.c && ar rcs libwalk.a end.o");
    for (arguments, expected) in [
        ("main.o edata.o", Some("edata")),
        ("main.o libwalk.a", Some("_end")),
        ("main.o own.o", None),
        ("-static main.o own.o", None),
    ] {
        let recipe = project.link(&Link {
            driver: "gcc",
            kind: LinkerKind::GnuLd,
            arguments,
        });
        let found = asks_for_end_of_data(&Captured::from(&recipe)).unwrap();
        assert_eq!(found.as_deref(), expected, "{arguments}");
    }
}

/// A script of the build's own puts another name there, or one in front of data.
#[test]
fn a_name_of_a_script_s_own_for_the_end_of_data_is_known() {
    if !tools(&["gcc", "ld.bfd"]) {
        return;
    }
    let main = |name: &str| {
        format!(
            "extern char {name}[]; char data[99]; int main(void) {{ return *{name} + *data; }}\n"
        )
    };
    let project = Project::new(&[
        ("last.c", &main("all_last")),
        ("first.c", &main("all_first")),
        ("data.ld", "SECTIONS { all_last = .; } INSERT AFTER .bss;\n"),
        (
            "text.ld",
            "SECTIONS { all_first = .; } INSERT BEFORE .data;\n",
        ),
    ]);
    project.sh("gcc -O1 -c last.c first.c");
    for (arguments, expected) in [
        ("last.o -Wl,-T,data.ld", Some("all_last")),
        ("first.o -Wl,-T,text.ld", None),
    ] {
        let recipe = project.link(&Link {
            driver: "gcc",
            kind: LinkerKind::GnuLd,
            arguments,
        });
        let found = asks_for_end_of_data(&project.captured(&recipe)).unwrap();
        assert_eq!(found.as_deref(), expected, "{arguments}");
    }
}
