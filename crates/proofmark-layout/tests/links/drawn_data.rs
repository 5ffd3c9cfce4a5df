//! Where data stands is drawn with the code.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proofmark_layout::{Hindrance, LayoutSet, LinkerKind, Matching, Recipe, Undrawn, UndrawnData};
use proofmark_terms::Population;

use crate::support::{Link, Project, output, symbols, tools};

/// A datum of each block that may start at any multiple of 8, one in each kind of section with a
/// name of its own, some of nothing but zeros, and a text that is merged.
const MAIN: &str = r#"
#include <stdio.h>
#define LOOSE __attribute__((aligned(8)))
const long rodata[40] LOOSE = {1, 2, 3}; long data[40] LOOSE = {4, 5}; long bss[40] LOOSE;
long *const relro[40] LOOSE = {&data[1], &bss[3]};
#define IN(name) LOOSE __attribute__((section(name)))
long own[40] IN("hotdata") = {8}; const long own_const[40] IN("table") = {9}; long data1[40] IN(".data1") = {6};
#ifdef __x86_64__
long large[40] IN(".ldata.large,\"awl\",@progbits#") = {2}, large_bss[40] IN(".lbss.large,\"awl\",@nobits#");
const long large_const[40] IN(".lrodata.large,\"al\",@progbits#") = {3};
#else
long large[1], large_bss[1]; const long large_const[1];
#endif
__attribute__((noipa)) IN("hotcode") long own_code(void) { return own_const[0] + data1[0] + large[0] + large_bss[1] + large_const[0]; }
const char *text = "a text that others are behind", *same = "others are behind";
long first[1024] LOOSE, second[1024] LOOSE;
int main(void) { bss[3] = 7; second[9] = 2; printf("%s%ld %ld %ld %ld %ld %ld\n", text, own_code(), own[0], rodata[2] + *relro[1], *relro[0], first[9], second[9]); return 0; }
"#;
const BLOCKS: [&str; 5] = ["rodata", "data", "bss", "relro", TEXT];
const OWN: [&str; 7] = [
    "own",
    "own_const",
    "own_code",
    "data1",
    "large",
    "large_bss",
    "large_const",
];
pub(crate) const TEXT: &str = "a text that others are behind";
const LINKERS: [LinkerKind; 3] = [LinkerKind::Lld, LinkerKind::GnuLd, LinkerKind::Gold];
pub(crate) const SEEDS: u64 = 12;

/// Zeroed data is in sections, or common symbols.
const ZEROED: [&str; 2] = ["-fno-common", "-fcommon"];

pub(crate) fn built(text: &str, kind: LinkerKind, options: &str) -> (Project, Recipe) {
    let project = Project::new(&[("main.c", text)]);
    project.sh(&format!(
        "gcc -O1 -fpie -ffunction-sections -fdata-sections {options} -c main.c"
    ));
    let recipe = project.link(&Link {
        driver: "gcc",
        kind,
        arguments: "main.o",
    });
    (project, recipe)
}

/// For each block, where its datum starts in a line over all seeds, by the symbols of the images.
/// `also` sees the symbols of both builds' images of a seed.
fn starts(
    set: &LayoutSet,
    builds: &[(Project, Recipe)],
    scratch: &Path,
    mut also: impl FnMut(&[BTreeMap<String, u64>]),
) -> BTreeMap<&'static str, BTreeSet<u64>> {
    let mut found: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
    for seed in 0..SEEDS {
        let mut images = Vec::new();
        for (build, (project, _)) in builds.iter().enumerate() {
            let image = set.link(build, seed, &scratch.join("image")).unwrap();
            set.verify(std::slice::from_ref(&image)).unwrap();
            assert_eq!(output(&image.path), output(&project.path("app")));
            let mut symbols = symbols(&image.path);
            symbols.insert(TEXT.to_owned(), address(&image.path, TEXT.as_bytes()));
            images.push(symbols);
        }
        for block in BLOCKS.iter().chain(&OWN) {
            found
                .entry(block)
                .or_default()
                .insert(images[0][*block] % 64);
        }
        also(&images);
    }
    found
}

/// Where an image has these bytes.
pub(crate) fn address(image: &Path, bytes: &[u8]) -> u64 {
    use object::{Object, ObjectSection};
    let file = std::fs::read(image).unwrap();
    let image = object::File::parse(&*file).unwrap();
    let found = image.sections().find_map(|section| {
        let content = section.data().ok().filter(|_| section.address() > 0)?;
        let at = content
            .windows(bytes.len())
            .position(|here| here == bytes)?;
        Some(section.address() + at as u64)
    });
    found.unwrap()
}

#[test]
fn data_starts_anywhere_in_independent_layouts() {
    if !tools(&["gcc", "ld.lld-19", "ld.bfd", "ld.gold", "nm"]) {
        return;
    }
    for (kind, zeroed) in LINKERS
        .iter()
        .flat_map(|kind| ZEROED.map(|zeroed| (*kind, zeroed)))
    {
        let build = built(MAIN, kind, zeroed);
        let scratch = tempfile::tempdir().unwrap();
        let (matching, population) = (Matching::Independent, Population::Pad);
        let set = LayoutSet::prepare(&[&build.1], matching, population, scratch.path()).unwrap();
        let mut apart = BTreeSet::new();
        let found = starts(&set, &[build], scratch.path(), |images| {
            apart.insert((images[0]["second"].abs_diff(images[0]["first"])) % 4096);
        });
        for (block, starts) in found {
            assert!(starts.len() >= 5, "{kind} {zeroed} {block}: {starts:?}");
            assert!(block == TEXT || starts.iter().all(|start| start % 8 == 0));
        }
        // Two arrays of 8 KiB: every other layout has a far gap between them.
        assert!(apart.len() >= 5, "{kind} {zeroed}: {apart:?}");
    }
}

#[test]
fn data_is_drawn_alike_for_builds_that_are_matched() {
    if !tools(&["gcc", "ld.lld-19", "ld.bfd", "ld.gold", "nm"]) {
        return;
    }
    let more = MAIN
        .replace(
            "long first",
            "const long added[9] = {9}; long zeros[77]; const char *message = \"one more\"; long first",
        )
        .replace("rodata[2]", "added[0] - 9 + zeros[1] + rodata[2]");
    for (kind, zeroed) in LINKERS
        .iter()
        .flat_map(|kind| ZEROED.map(|zeroed| (*kind, zeroed)))
    {
        let builds = [built(MAIN, kind, zeroed), built(&more, kind, zeroed)];
        let recipes = builds.each_ref().map(|(_, recipe)| recipe);
        let scratch = tempfile::tempdir().unwrap();
        let (matching, population) = (Matching::Matched, Population::Pad);
        let set = LayoutSet::prepare(&recipes, matching, population, scratch.path()).unwrap();
        let found = starts(&set, &builds, scratch.path(), |images| {
            // lld puts large constants in front of all that is kept in step.
            let in_step = |name: &&str| kind != LinkerKind::Lld || *name != "large_const";
            let names = ["rodata", "data", "bss", "main", "first", "second"];
            for name in names.iter().chain(OWN.iter().filter(|name| in_step(name))) {
                assert_eq!(
                    images[0][*name], images[1][*name],
                    "{kind} {zeroed}: {name}"
                );
            }
        });
        for (block, starts) in found {
            assert!(starts.len() >= 5, "{kind} {zeroed} {block}: {starts:?}");
        }
    }
}

/// Texts of a program that has all of its C library with it, and of one in which a constant with a
/// name is merged with a text that has none.
#[test]
fn texts_are_drawn_whatever_they_are_merged_with() {
    if !tools(&["clang-19", "ld.lld-19", "ld.bfd"]) {
        return;
    }
    let main = format!(
        "#include <stdio.h>\nchar digit(int);\nconst char *text = \"{TEXT}\";\n\
         int main(void) {{ puts(text); puts(\"0123456789\"); putchar(digit(7)); return 0; }}\n"
    );
    let digits = "static const char digits[] = \"0123456789\";\n\
        char digit(int n) { return digits[n]; }\n";
    for (kind, how) in [
        (LinkerKind::Lld, ""),
        (LinkerKind::GnuLd, ""),
        (LinkerKind::GnuLd, "-static"),
    ] {
        let project = Project::new(&[("main.c", &main), ("digits.c", digits)]);
        project.sh("clang-19 -O3 -fpie -ffunction-sections -fdata-sections -c main.c digits.c");
        let recipe = project.link(&Link {
            driver: "clang-19",
            kind,
            arguments: &format!("{how} main.o digits.o"),
        });
        let scratch = tempfile::tempdir().unwrap();
        let (matching, population) = (Matching::Matched, Population::Pad);
        let recipes = [&recipe, &recipe];
        let set = LayoutSet::prepare(&recipes, matching, population, scratch.path()).unwrap();
        let places = (0..SEEDS).map(|seed| {
            let image = set.link(0, seed, &scratch.path().join("image")).unwrap();
            assert_eq!(output(&image.path), output(&project.path("app")));
            address(&image.path, TEXT.as_bytes()) % 64
        });
        let places: BTreeSet<u64> = places.collect();
        assert!(places.len() >= 5, "{kind} {how}: {places:?}");
    }
}

/// What keeps data from being drawn is told.
#[test]
fn what_stays_where_the_linker_puts_it_is_told() {
    if !tools(&["gcc", "ld.bfd", "ld.gold"]) {
        return;
    }
    let by_end = MAIN.replace(
        "int main(void) {",
        "extern char end[]; int main(void) { if (!end[0]) puts(\"\");",
    );
    let named = MAIN.replace(
        "int main(void)",
        "__thread long local __attribute__((section(\"locals\"))) = 1; int main(void)",
    );
    let plain_names = MAIN.replace(
        "#define IN(name) LOOSE __attribute__((section(name)))",
        "#define IN(name) LOOSE",
    );
    let script = "SECTIONS { .extra : { *(.extra) } } INSERT AFTER .data;";
    for (text, kind, how, expected) in [
        (
            by_end.as_str(),
            LinkerKind::GnuLd,
            "",
            Some((UndrawnData::All, Hindrance::LooksThrough("end".to_owned()))),
        ),
        (
            MAIN,
            LinkerKind::Gold,
            "-Wl,--icf=all",
            Some((UndrawnData::Constants, Hindrance::Folds)),
        ),
        (
            plain_names.as_str(),
            LinkerKind::GnuLd,
            "-Wl,-T,own.ld",
            Some((UndrawnData::Merged, Hindrance::Script)),
        ),
        (MAIN, LinkerKind::GnuLd, "", None),
        (
            &named,
            LinkerKind::GnuLd,
            "",
            Some((
                UndrawnData::Sections,
                Hindrance::Names(vec!["locals".to_owned()]),
            )),
        ),
    ] {
        let project = Project::new(&[("main.c", text), ("own.ld", script)]);
        project.sh("gcc -O1 -fpie -ffunction-sections -fdata-sections -c main.c");
        let recipe = project.link(&Link {
            driver: "gcc",
            kind,
            arguments: &format!("main.o {how}"),
        });
        let plain = built(MAIN, kind, "-fno-common");
        for (recipes, build) in [(vec![&recipe], 0), (vec![&plain.1, &recipe], 1)] {
            let scratch = tempfile::tempdir().unwrap();
            let (matching, population) = (Matching::Matched, Population::Pad);
            let set = LayoutSet::prepare(&recipes, matching, population, scratch.path()).unwrap();
            let expected = expected
                .clone()
                .map(|(what, why)| Undrawn { build, what, why });
            assert_eq!(set.undrawn(), expected.as_slice(), "{how}");
        }
    }
}

/// What is in step only as a whole is told where builds differ in it.
#[test]
fn sections_with_names_that_are_not_equally_long_are_told() {
    if !tools(&["gcc", "ld.bfd"]) {
        return;
    }
    let hot = "__attribute__((section(\"hot\"), noipa)) int";
    let cold = |more: &str| {
        format!("extern volatile int sink; {hot} cold(int x) {{ {more} return sink = x; }}\n")
    };
    let main = |alignment: u32| {
        format!(
            "volatile int sink; __attribute__((aligned({alignment}))) {hot} vector(int x) {{ return x + 1; }}\n\
             int cold(int), work(int); int main(void) {{ return work(vector(cold(-1))); }}\n"
        )
    };
    let work = format!("{hot} work(int x) {{ return x * 3; }}\n");
    let built = |alignment: u32, more: &str| {
        let (main, cold) = (main(alignment), cold(more));
        let project = Project::new(&[("main.c", &main), ("cold.c", &cold), ("work.c", &work)]);
        project.sh("gcc -O1 -fpie -ffunction-sections -c main.c cold.c work.c");
        let recipe = project.link(&Link {
            driver: "gcc",
            kind: LinkerKind::GnuLd,
            arguments: "main.o cold.o work.o",
        });
        (project, recipe)
    };
    let longer = "sink = 1; sink = 2; sink = 3;";
    for (alignment, more, told) in [(64, longer, true), (64, "", false), (16, longer, false)] {
        let builds = [built(alignment, ""), built(alignment, more)];
        let recipes = builds.each_ref().map(|(_, recipe)| recipe);
        for matching in [Matching::Matched, Matching::Independent] {
            let scratch = tempfile::tempdir().unwrap();
            let population = Population::Pad;
            let set = LayoutSet::prepare(&recipes, matching, population, scratch.path()).unwrap();
            let undrawn = Undrawn {
                build: 1,
                what: UndrawnData::Distances,
                why: Hindrance::Names(vec!["hot".to_owned()]),
            };
            let expected: &[Undrawn] = if told { &[undrawn] } else { &[] };
            assert_eq!(set.undrawn(), expected, "{alignment} {more} {matching:?}");
        }
    }
}

/// A program that looks through all of its data gets no more of it.
#[test]
fn a_program_that_asks_where_its_data_ends_keeps_it() {
    if !tools(&["gcc", "ld.bfd", "nm"]) {
        return;
    }
    let by_end = MAIN.replace(
        "int main(void) {",
        "extern char end[]; int main(void) { if (!end[0]) puts(\"\");",
    );
    let by_headers = MAIN.replace(
        "int main(void) {",
        "struct dl_phdr_info;\n\
         int dl_iterate_phdr(int (*)(struct dl_phdr_info *, size_t, void *), void *);\n\
         static int see(struct dl_phdr_info *i, size_t s, void *d) { puts(\"\"); return 1; }\n\
         int main(void) { dl_iterate_phdr(see, 0);",
    );
    for looks in [by_end, by_headers] {
        let build = built(&looks, LinkerKind::GnuLd, "-fno-common");
        let shipped = symbols(&build.0.path("app"));
        let scratch = tempfile::tempdir().unwrap();
        let (matching, population) = (Matching::Independent, Population::Pad);
        let set = LayoutSet::prepare(&[&build.1], matching, population, scratch.path()).unwrap();
        let distance = |symbols: &BTreeMap<String, u64>| symbols["_end"] - symbols["data"];
        starts(&set, &[build], scratch.path(), |images| {
            assert_eq!(distance(&images[0]), distance(&shipped));
        });
    }
}

/// What all objects of an image promise, that it may run with indirect branches and returns
/// checked, it promises in layouts; what one of them lacks, it does not.
#[test]
#[cfg(target_arch = "x86_64")]
fn an_image_promises_in_layouts_what_its_objects_do() {
    if !tools(&["gcc", "ld.bfd"]) {
        return;
    }
    let main = "int twice(int);\nvoid _start(void) {\n\
        register long call __asm__(\"rax\") = 60; register long code __asm__(\"rdi\") = twice(0);\n\
        __asm__ volatile(\"syscall\" : : \"r\"(call), \"r\"(code)); for (;;) {} }\n";
    // Property, size, and the bits of IBT and SHSTK.
    let note = [0xc000_0002_u32, 4, 3].map(u32::to_le_bytes).concat();
    let promises = |image: &Path| {
        let data = std::fs::read(image).unwrap();
        data.windows(note.len()).any(|bytes| bytes == note)
    };
    for (other, promised) in [("full", true), ("none", false)] {
        let twice = "int twice(int n) { return 2 * n; }\n";
        let project = Project::new(&[("main.c", main), ("twice.c", twice)]);
        project.sh(&format!(
            "gcc -O1 -fpie -fcf-protection -c main.c && gcc -O1 -fpie -fcf-protection={other} -c twice.c"
        ));
        let recipe = project.link(&Link {
            driver: "gcc",
            kind: LinkerKind::GnuLd,
            arguments: "-nostdlib main.o twice.o",
        });
        assert_eq!(promises(&project.path("app")), promised, "{other}");
        let scratch = tempfile::tempdir().unwrap();
        let (matching, population) = (Matching::Matched, Population::Pad);
        let recipes = [&recipe, &recipe];
        let set = LayoutSet::prepare(&recipes, matching, population, scratch.path()).unwrap();
        let image = set.link(0, 1, &scratch.path().join("image")).unwrap();
        assert_eq!(promises(&image.path), promised, "{other}");
    }
}
