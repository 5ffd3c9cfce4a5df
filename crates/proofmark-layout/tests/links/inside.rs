//! Code moved within functions that jump by tables: each table leads to the same code as before.

use std::path::Path;
use std::process::Command;

use proofmark_layout::{
    Assembly, Captured, Chosen, InsideSet, LayoutSet, LinkerKind, Matching, Placeable, Recipe,
    Within, pack,
};
use proofmark_terms::Population;

use crate::support::{Link, Project, output, run, tools, which};

/// Interpreters of one language: by a table of addresses, one of distances, and a `switch`.
const DISPATCH: &str = r#"
#include <stdio.h>
#define BODY(NEXT, halt, add, twice, less, loop) \
    halt: return a; \
    add: a += *p++; NEXT; \
    twice: a *= 2; NEXT; \
    less: a -= *p++ + EXTRA; NEXT; \
    loop: if (--n > 0) p = code; NEXT;
__attribute__((noinline)) long by_table(const unsigned char *code, long n, long a) {
    static const void *const table[] = {&&halt, &&add, &&twice, &&less, &&loop};
    const unsigned char *p = code;
    goto *table[*p++];
    BODY(goto *table[*p++], halt, add, twice, less, loop)
}
__attribute__((noinline)) long by_distance(const unsigned char *code, long n, long a) {
    static const int distance[] = {
        &&halt - &&halt, &&add - &&halt, &&twice - &&halt, &&less - &&halt, &&loop - &&halt};
    const unsigned char *p = code;
    goto *(&&halt + distance[*p++]);
    BODY(goto *(&&halt + distance[*p++]), halt, add, twice, less, loop)
}
__attribute__((noinline)) long by_switch(const unsigned char *code, long n, long a) {
    const unsigned char *p = code;
    for (;;) switch (*p++) {
        BODY(break, case 0, case 1, case 2, case 3, case 4)
        case 5: a ^= *p++; break;
        case 6: a |= *p++; break;
        case 7: a &= *p++; break;
    }
}
int main(void) {
    static const unsigned char code[] = {1, 7, 2, 3, 5, 1, 3, 4, 2, 0};
    printf("%ld %ld %ld\n", by_table(code, 9, 1), by_distance(code, 9, 1), by_switch(code, 9, 1));
    return 0;
}
"#;
const FUNCTIONS: [&str; 3] = ["by_table", "by_distance", "by_switch"];

/// A build with the text of its object.
struct Build {
    project: Project,
    recipe: Recipe,
    texts: Vec<Assembly>,
}

impl Build {
    fn new(compiler: &str, extra: u32) -> Build {
        let project = Project::new(&[("main.c", DISPATCH)]);
        project.sh(&format!(
            "{compiler} -O2 -ffunction-sections -DEXTRA={extra} -S main.c\n\
             as -o main.o main.s"
        ));
        let recipe = project.link(&Link {
            driver: "gcc",
            kind: LinkerKind::Lld,
            arguments: "main.o",
        });
        let packed = project.path("main.s.gz");
        pack(&project.path("main.s"), &packed).unwrap();
        let object = std::fs::read(project.path("main.o")).unwrap();
        let texts = vec![Assembly {
            object: blake3::hash(&object).into(),
            text: packed,
            assembler: which("as").unwrap(),
            arguments: Vec::new(),
            cwd: project.path(""),
        }];
        Build {
            project,
            recipe,
            texts,
        }
    }

    fn captured(&self) -> Captured<'_> {
        Captured {
            texts: &self.texts,
            ..self.project.captured(&self.recipe)
        }
    }

    fn said(&self) -> String {
        output(&self.project.path("app"))
    }
}

/// Where an image has a function.
fn address(image: &Path, function: &str) -> u64 {
    let listed = String::from_utf8(run(Command::new("nm").arg(image))).unwrap();
    let line = listed
        .lines()
        .find(|line| line.ends_with(&format!(" {function}")));
    u64::from_str_radix(line.unwrap().split_whitespace().next().unwrap(), 16).unwrap()
}

const COMPILERS: [&str; 2] = ["gcc", "clang-19 -fno-integrated-as"];

#[test]
fn tables_lead_to_the_same_code_wherever_one_place_is_padded() {
    if !tools(&["gcc", "clang-19", "as", "ld.lld-19", "nm"]) {
        return;
    }
    for compiler in COMPILERS {
        let build = Build::new(compiler, 0);
        for function in FUNCTIONS {
            let scratch = tempfile::tempdir().unwrap();
            let placeable = Placeable::observe(build.captured(), scratch.path()).unwrap();
            let chosen = Chosen {
                name: function.to_string(),
                symbol: function.to_string(),
                address: address(placeable.image(), function),
            };
            let inner = placeable.inner(&chosen, build.captured()).unwrap();
            let last = inner.points().len() - 1;
            assert!(last >= 2, "{compiler} {function}");
            let window = InsideSet::window(&inner, 64);
            let set = placeable.place(&[chosen], window).unwrap();
            // Padding in front of everything moves all places but the first.
            let set = InsideSet::new(set, inner, 0, (64, 33), scratch.path()).unwrap();
            assert!(
                set.left_out().is_empty(),
                "{compiler}: {:?}",
                set.left_out()
            );
            assert!(set.addresses().count() >= 2, "{compiler} {function}");
            for address in set.addresses().collect::<Vec<_>>() {
                let image = scratch.path().join(format!("at-{address:x}"));
                let image = set.link(address, &image).unwrap();
                set.verify(std::slice::from_ref(&image)).unwrap();
                let held = set.verify_content(&image);
                assert!(held.is_ok(), "{compiler} {function} {address:#x}: {held:?}");
                assert_eq!(output(&image.path), build.said(), "{compiler} {function}");
            }
        }
    }
}

#[test]
fn tables_lead_to_the_same_code_in_layouts_that_pad_all_places() {
    if !tools(&["gcc", "clang-19", "as", "ld.lld-19"]) {
        return;
    }
    for compiler in COMPILERS {
        let builds = [Build::new(compiler, 0), Build::new(compiler, 1)];
        let captured = builds.each_ref().map(Build::captured);
        let scratch = tempfile::tempdir().unwrap();
        let (matching, population) = (Matching::Jittered, Population::Pad);
        let folder = scratch.path().join("set");
        let base = LayoutSet::prepare(&captured, matching, population, &folder).unwrap();
        let within = Within::of(&base, &captured, scratch.path()).unwrap();
        assert_eq!(within.functions(), 6, "{compiler}");
        // One seed in sixteen is held against the builds by content.
        let set = within.set(&base, 32, &scratch.path().join("padded"));
        let set = set.unwrap_or_else(|error| panic!("{compiler}: {error}"));
        for (index, build) in builds.iter().enumerate() {
            let image = set.link(index, 32, &scratch.path().join("image")).unwrap();
            assert_eq!(output(&image.path), build.said(), "{compiler}");
        }
    }
}
