//! Layouts hold what the file holds that the build left: each link here has a feature by which they
//! once did not. A layout either keeps it, or is refused by the feature's name.

use std::fs;
use std::path::Path;
use std::process::Command;

use proofmark_layout::{LayoutError, LayoutSet, LinkedImage, LinkerKind, Matching, Recipe};
use proofmark_terms::Population;

use crate::support::{Link, Project, output, run, tools};

const GCC: &[&str] = &["gcc", "ld.bfd", "objcopy"];

/// Layouts of builds, whose images print what the shipped ones print.
pub(crate) struct Drawn {
    pub(crate) images: Vec<LinkedImage>,
    _scratch: tempfile::TempDir,
}

/// Some layouts of these builds, held against their own files; what each prints is what its file
/// prints.
pub(crate) fn drawn(
    builds: &[(&Project, &Recipe)],
    matching: Matching,
) -> Result<Drawn, LayoutError> {
    let scratch = tempfile::tempdir().unwrap();
    let captured: Vec<_> = builds
        .iter()
        .map(|(project, recipe)| project.captured(recipe))
        .collect();
    let set = LayoutSet::prepare(&captured, matching, Population::Shuffle, scratch.path())?;
    let mut images = Vec::new();
    for seed in [0, 1, 2, 16] {
        let of_seed: Vec<LinkedImage> = (0..builds.len())
            .map(|build| {
                let place = scratch.path().join(format!("app{build}-{seed}"));
                set.link(build, seed, &place)
            })
            .collect::<Result<_, _>>()?;
        set.verify(&of_seed)?;
        for (image, (project, _)) in of_seed.iter().zip(builds) {
            assert_eq!(output(&image.path), output(&project.path("app")));
        }
        images.extend(of_seed);
    }
    Ok(Drawn {
        images,
        _scratch: scratch,
    })
}

fn refusal(drawn: Result<Drawn, LayoutError>) -> String {
    match drawn {
        Ok(_) => panic!("layouts were drawn"),
        Err(error) => error.to_string(),
    }
}

/// The linker's own script with a line more in front of what all of a section takes.
fn script(project: &Project, text: &str, rodata: &str) {
    let own =
        String::from_utf8(run(Command::new("ld.bfd").args(["-no-pie", "--verbose"]))).unwrap();
    let body = own
        .split("==================================================")
        .nth(1)
        .unwrap();
    let script = body
        .replace(
            "    *(.text.unlikely .text.*_unlikely .text.unlikely.*)",
            &format!("    {text}\n    *(.text.unlikely .text.*_unlikely .text.unlikely.*)"),
        )
        .replace(
            ".rodata         : { *(.rodata",
            &format!(".rodata : {{ {rodata} *(.rodata"),
        );
    assert!(script.contains(rodata) && script.contains(text));
    fs::write(project.path("my.ld"), script).unwrap();
}

fn array(more: &str) -> String {
    format!(
        r#"#include <stdio.h>
struct cmd {{ const char *name; unsigned n; }};
#define CMD(id, k) __attribute__((section(".rodata.cmds." #id), used)) const struct cmd c_##id = {{0, k}};
extern const struct cmd cmds_begin[], cmds_end[];
CMD(a, 1) {more} CMD(c, 8)
__attribute__((noinline)) unsigned other(unsigned n) {{ return n * 7 + 1; }}
int main(void) {{
  unsigned sum = 0, count = 0;
  for (const struct cmd *c = cmds_begin; c < cmds_end; c++) {{ sum += other(c->n); count++; }}
  printf("%u %u\n", sum, count);
}}
"#
    )
}

/// Matched layouts enlarged what a script collects into an array: there were zeros between its
/// entries.
#[test]
fn an_array_that_a_script_collects_keeps_its_entries() {
    if !tools(GCC) {
        return;
    }
    for matching in [Matching::Matched, Matching::Independent] {
        let projects = ["", "CMD(b, 2) CMD(bb, 3)"].map(|more| {
            let project = Project::new(&[("main.c", &array(more))]);
            script(
                &project,
                "",
                "cmds_begin = .; KEEP(*(SORT(.rodata.cmds.*))) cmds_end = .;",
            );
            project.sh("gcc -O2 -ffunction-sections -fno-pie -c main.c");
            project
        });
        let recipes = projects.each_ref().map(|project| {
            project.link(&Link {
                driver: "gcc",
                kind: LinkerKind::GnuLd,
                arguments: "-no-pie main.o -Wl,-T,my.ld",
            })
        });
        assert_eq!(output(&projects[1].path("app")), "102 4\n");
        if matching == Matching::Matched {
            let builds = [(&projects[0], &recipes[0]), (&projects[1], &recipes[1])];
            drawn(&builds, matching).unwrap_or_else(|error| panic!("{error}"));
        } else {
            drawn(&[(&projects[1], &recipes[1])], matching)
                .unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

const WALK: &str = "#include <stdio.h>
extern int first[], last[];
__attribute__((noinline)) unsigned other(unsigned n) { return n * 7 + 1; }
int main(void) {
  unsigned sum = 0, count = 0;
  for (int *p = first; p < last; p++) { sum += other(*p); count++; }
  printf(\"%u %u\\n\", sum, count);
}
";

/// Matched layouts enlarged a table that several objects make between two labels: the base walked
/// through the new build's entries, which were zeros.
#[test]
fn a_table_between_labels_of_two_objects_keeps_its_entries() {
    if !tools(GCC) {
        return;
    }
    let projects = ["1, 2", "1, 2, 3, 4"].map(|entries| {
        let project = Project::new(&[
            ("main.c", WALK),
            ("first.s", ".data\n.globl first\nfirst:\n"),
            ("a.c", &format!("int a[] = {{{entries}}};\n")),
            ("b.c", "int b[] = {5, 6};\n"),
            ("last.s", ".data\n.globl last\nlast:\n"),
        ]);
        project.sh("gcc -O2 -ffunction-sections -c main.c a.c b.c first.s last.s");
        project
    });
    let recipes = projects.each_ref().map(|project| {
        project.link(&Link {
            driver: "gcc",
            kind: LinkerKind::GnuLd,
            arguments: "main.o first.o a.o b.o last.o",
        })
    });
    let builds = [(&projects[0], &recipes[0]), (&projects[1], &recipes[1])];
    drawn(&builds, Matching::Matched).unwrap_or_else(|error| panic!("{error}"));
}

const REGION: &str = r#"#include <stdio.h>
extern char hot_begin[], hot_end[];
__attribute__((section(".text.fastpath"), noinline)) unsigned work(unsigned n) { return n * 3 + 1; }
__attribute__((section(".text.fastpath.more"), noinline)) unsigned more(unsigned n) { return n * 5 + work(n); }
__attribute__((noinline)) unsigned slow(unsigned n) { return work(3 * n); }
__attribute__((noinline)) unsigned slower(unsigned n) { return slow(3 * n) + more(n); }
int main(void) {
  int in = (char *)work >= hot_begin && (char *)work < hot_end && (char *)more < hot_end && (char *)slow >= hot_end;
  printf("%d %d %u\n", in, (int)(hot_end - hot_begin), slower(5));
}
"#;

/// Sections of a region between two symbols of a script were renamed, and left it.
#[test]
fn code_that_a_script_keeps_in_a_region_stays_there() {
    if !tools(GCC) {
        return;
    }
    let project = Project::new(&[("main.c", REGION)]);
    script(
        &project,
        ". = ALIGN(4096); hot_begin = .; *(.text.fastpath .text.fastpath.*) . = ALIGN(4096); hot_end = .;",
        "",
    );
    project.sh("gcc -O2 -ffunction-sections -fno-pie -c main.c");
    let recipe = project.link(&Link {
        driver: "gcc",
        kind: LinkerKind::GnuLd,
        arguments: "-no-pie main.o -Wl,-T,my.ld",
    });
    assert!(output(&project.path("app")).starts_with("1 4096 "));
    let build = (&project, &recipe);
    drawn(&[build], Matching::Independent).unwrap_or_else(|error| panic!("{error}"));
    drawn(&[build, build], Matching::Matched).unwrap_or_else(|error| panic!("{error}"));
}

/// A script that puts a whole file between two symbols, by no name of a section.
#[test]
fn a_region_that_is_made_of_files_is_refused() {
    if !tools(GCC) {
        return;
    }
    let text = "extern char hot_begin[], hot_end[]; unsigned work(unsigned n) { return n * 3 + 1; } unsigned two(unsigned n) { return n ? work(n) : 7; }";
    let main = "#include <stdio.h>\nextern char hot_begin[], hot_end[]; unsigned work(unsigned); unsigned two(unsigned); int main(void) { printf(\"%d %u\\n\", (int)(hot_end - hot_begin), two(5)); }";
    let project = Project::new(&[("main.c", main), ("fast.c", text)]);
    script(
        &project,
        "hot_begin = .; *fast.o(.text .text.*) hot_end = .;",
        "",
    );
    project.sh("gcc -O2 -ffunction-sections -fno-pie -c main.c fast.c");
    let recipe = project.link(&Link {
        driver: "gcc",
        kind: LinkerKind::GnuLd,
        arguments: "-no-pie main.o fast.o -Wl,-T,my.ld",
    });
    let said = refusal(drawn(&[(&project, &recipe)], Matching::Independent));
    assert!(
        said.contains("script") && said.contains("as-shipped"),
        "{said}"
    );
}

/// Several copies of one function: which one the image has decides what is measured.
const HOT: &str = "template<class T> struct Hash { T s; __attribute__((noinline)) T run(const T*p,unsigned n){ T x=s; for(unsigned i=0;i<n;i++){ x+=p[i]*3; } return x; } };\n";

/// lld resolves bitcode in its place on the command line, and layouts put what was made of it at
/// the end: a native copy of the same function won.
#[test]
fn the_copy_that_link_time_optimisation_took_is_the_one_that_is_measured() {
    if !tools(&["clang++-19", "ld.lld-19"]) {
        return;
    }
    let lib = "#include \"hot.h\"\nunsigned lib(const unsigned*p,unsigned n){Hash<unsigned> h{1};return h.run(p,n);}";
    let main = "#include <cstdio>\n#include \"hot.h\"\nunsigned lib(const unsigned*,unsigned);\nstatic unsigned t[64];\nint main(int c,char**){ for(int i=0;i<64;i++) t[i]=i*c; Hash<unsigned> h{lib(t,9)}; printf(\"%u\\n\",h.run(t,64)); }";
    let project = Project::new(&[("hot.h", HOT), ("lib.cc", lib), ("a.cc", main)]);
    for (mode, order) in [
        ("full", "a.o lib.o"),
        ("thin", "a.o lib.o"),
        ("full", "lib.o a.o"),
    ] {
        project.sh(&format!(
            "clang++-19 -O0 -ffunction-sections -c lib.cc; clang++-19 -O3 -flto={mode} -c a.cc"
        ));
        let recipe = project.link(&Link {
            driver: "clang++-19",
            kind: LinkerKind::Lld,
            arguments: &format!("-O2 -flto={mode} {order}"),
        });
        let drawn = drawn(&[(&project, &recipe)], Matching::Independent)
            .unwrap_or_else(|error| panic!("{mode} {order}: {error}"));
        let size = |image: &Path| {
            let listed = String::from_utf8(run(Command::new("nm").arg("-S").arg(image))).unwrap();
            let named = |line: &&str| line.contains("3run") && line.split(' ').count() == 4;
            let line = listed.lines().find(named).unwrap().to_string();
            line.split(' ').nth(1).unwrap().to_string()
        };
        assert_eq!(
            size(&project.path("app")),
            size(&drawn.images[0].path),
            "{mode} {order}"
        );
    }
}

const TUNED: &str = r#"#include <stdio.h>
__attribute__((section("tuning"))) const unsigned values[4] = {0x544e5554, 3, 0, 0};
int main(void) { printf("%u\n", ((const volatile unsigned *)values)[1]); }
"#;

/// What a step behind the link wrote into the image is not in its inputs.
#[test]
fn an_image_that_was_edited_after_its_link_is_refused() {
    if !tools(GCC) {
        return;
    }
    let project = Project::new(&[("main.c", TUNED)]);
    project.sh("gcc -O2 -ffunction-sections -c main.c");
    let link = Link {
        driver: "gcc",
        kind: LinkerKind::GnuLd,
        arguments: "main.o",
    };
    let recipe = project.link(&link);
    let build = [(&project, &recipe)];
    drawn(&build, Matching::Independent).unwrap();
    project.sh("strip app");
    drawn(&build, Matching::Independent).unwrap_or_else(|error| panic!("stripped: {error}"));
    let recipe = project.link(&link);
    project.sh(r"printf 'TUNT\012\000\000\000\000\000\000\000\000\000\000\000' > t.bin; objcopy --update-section tuning=t.bin app");
    assert_eq!(output(&project.path("app")), "10\n");
    let said = refusal(drawn(&[(&project, &recipe)], Matching::Independent));
    assert!(
        said.contains("values") && said.contains("objcopy") && said.contains("as-shipped"),
        "{said}"
    );
    project.sh("strip app");
    let said = refusal(drawn(&[(&project, &recipe)], Matching::Independent));
    assert!(said.contains("tuning"), "{said}");
}

const NAMELESS: &str = r#"#include <stdio.h>
__asm__(".section .tuning, \"a\"\n.Ltuning: .long 3\n.section mark, \"\"\n.ascii \"own\"\n.text");
int main(void) { int value; __asm__ volatile("movl .Ltuning(%%rip), %0" : "=r"(value)); printf("%d\n", value); }
"#;

/// What has no name was not compared, and what is in no section was not looked at: a program that
/// reads the end of its own file read something else in each layout.
#[test]
fn edits_of_what_has_no_name_and_appended_data_are_refused() {
    if !tools(GCC) {
        return;
    }
    let project = Project::new(&[("main.c", NAMELESS)]);
    project.sh("gcc -O2 -ffunction-sections -c main.c");
    let link = Link {
        driver: "gcc",
        kind: LinkerKind::GnuLd,
        arguments: "main.o",
    };
    for (edit, word) in [
        (
            r"printf '\012\000\000\000' > t.bin; objcopy --update-section .tuning=t.bin app",
            ".tuning",
        ),
        ("printf payload >> app", "7 bytes are appended"),
        ("strip app; printf payload >> app", "7 bytes are appended"),
        (
            "printf payload > t.bin; objcopy --add-section parcel=t.bin app",
            "the section parcel of 7 bytes",
        ),
        (
            "printf other > t.bin; objcopy --update-section mark=t.bin app",
            "the section mark of 5 bytes",
        ),
        (
            "printf payload > t.bin; objcopy --add-section .note.parcel=t.bin app",
            "the section .note.parcel of 7 bytes",
        ),
        (
            "printf x | dd of=app bs=1 seek=12 conv=notrunc",
            "the header of the file",
        ),
        // Behind the dynamic table, up to the end of the page.
        (
            "at=$(readelf -lW app | awk '$1 == \"LOAD\" && $7 == \"R\" { end = $2 } END { print end }'); \
             printf x | dd of=app bs=1 seek=$((at - 1)) conv=notrunc",
            "other bytes between",
        ),
    ] {
        let recipe = project.link(&link);
        let build = [(&project, &recipe)];
        drawn(&build, Matching::Independent).unwrap_or_else(|error| panic!("{error}"));
        project.sh(edit);
        let said = refusal(drawn(&build, Matching::Independent));
        assert!(
            said.contains(word) && said.contains("after the link"),
            "{edit}: {said}"
        );
    }
}

/// Equal functions behind a table: what folding makes of them.
fn equal_functions() -> String {
    let mut text = "#include <stdio.h>\n".to_string();
    for number in 0..40 {
        text += &format!(
            "__attribute__((noinline)) static unsigned f{number}(unsigned x) {{ for (unsigned k = 0; k < 2; k++) {{ x ^= x * {}u; x += x >> 3; }} return x; }}\n",
            7 + number % 4
        );
    }
    text += "static unsigned (*volatile h[40])(unsigned) = {";
    text += &(0..40)
        .map(|number| format!("f{number},"))
        .collect::<String>();
    text + "};\nint main(void) { unsigned s = 1, same = 0; for (int i = 0; i < 40; i++) { s = h[i](s); same += h[i] == h[i % 4]; } printf(\"%u %u\\n\", s, same); }\n"
}

/// Layouts of gold went without folding.
#[test]
fn what_is_folded_in_the_file_is_folded_in_layouts() {
    if !tools(&["gcc", "ld.gold", "ld.lld-19"]) {
        return;
    }
    let project = Project::new(&[("main.c", &equal_functions())]);
    project.sh("gcc -O1 -ffunction-sections -c main.c");
    for kind in [LinkerKind::Gold, LinkerKind::Lld] {
        let recipe = project.link(&Link {
            driver: "gcc",
            kind,
            arguments: "main.o -Wl,--icf=all",
        });
        assert!(output(&project.path("app")).ends_with(" 40\n"), "{kind}");
        let build = (&project, &recipe);
        drawn(&[build], Matching::Independent).unwrap_or_else(|error| panic!("{kind}: {error}"));
        drawn(&[build, build], Matching::Matched).unwrap_or_else(|error| panic!("{kind}: {error}"));
    }
}

/// Each layout had an id of its own: what a program keeps by its id was not found.
#[test]
fn layouts_have_the_build_id_of_the_file() {
    if !tools(&["gcc", "ld.bfd", "ld.gold", "ld.lld-19"]) {
        return;
    }
    let project = Project::new(&[("main.c", TUNED)]);
    project.sh("gcc -O2 -ffunction-sections -c main.c");
    for kind in [LinkerKind::GnuLd, LinkerKind::Gold, LinkerKind::Lld] {
        let recipe = project.link(&Link {
            driver: "gcc",
            kind,
            arguments: "main.o -Wl,--build-id",
        });
        let drawn = drawn(&[(&project, &recipe)], Matching::Independent)
            .unwrap_or_else(|error| panic!("{kind}: {error}"));
        let id = |image: &Path| {
            let notes = run(Command::new("readelf").arg("-n").arg(image));
            let notes = String::from_utf8(notes).unwrap();
            let line = notes.lines().find(|line| line.contains("Build ID"));
            line.unwrap_or_else(|| panic!("{kind}: {notes}")).to_owned()
        };
        let own = id(&project.path("app"));
        for image in &drawn.images {
            assert_eq!(id(&image.path), own, "{kind}");
        }
    }
}
