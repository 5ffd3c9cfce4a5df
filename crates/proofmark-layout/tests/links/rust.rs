//! Rust programs: functions move between objects from build to build, names end in hashes, and
//! unused code is always thrown away.

use proofmark_layout::{Alike, LayoutSet, LinkerKind, Matching, relink};
use proofmark_terms::Population;

use crate::support::{Link, Project, output, tools};

const OLD: &str = r#"
use std::collections::HashMap;
fn shape<T: std::fmt::Debug + Clone>(value: &T) -> String { format!("{:?}", vec![value.clone(); 2]) }
#[inline(never)] fn work(a: u64) -> u64 { (0..a).map(|x| x * x ^ 3).sum() }
fn main() {
    let mut found: HashMap<String, u64> = HashMap::new();
    for word in "a b a c".split(' ') { *found.entry(word.to_string()).or_default() += work(10); }
    let mut sorted: Vec<_> = found.into_iter().collect();
    sorted.sort();
    println!("{} {}", shape(&sorted), shape(&1.5));
    std::panic::set_hook(Box::new(|_| {}));
    println!("{}", std::panic::catch_unwind(|| { if work(3) > 0 { panic!("caught") } }).is_err());
}
"#;

#[test]
fn matched_layouts_of_rust_builds() {
    if !tools(&["rustc", "gcc", "ld.lld-19", "ld.bfd"]) {
        return;
    }
    let new = OLD
        .replace("fn main() {", "#[inline(never)] fn added(a: &[u64]) -> String { let mut m = std::collections::BTreeMap::new(); for x in a { m.insert(x, work(*x)); } format!(\"{m:?}\") }\nfn main() {")
        .replace("println!(\"{} {}\"", "if sorted.len() > 100 { println!(\"{}\", added(&[1, 2])); }\n    println!(\"{} {}\"");
    let projects = [OLD, &new].map(|text| Project::new(&[("main.rs", text)]));
    for kind in [LinkerKind::Lld, LinkerKind::GnuLd] {
        let recipes = projects.each_ref().map(|project| {
            project.link(&Link {
                driver: "rustc",
                kind,
                arguments: "-O -C codegen-units=4 main.rs",
            })
        });
        let expected = projects
            .each_ref()
            .map(|project| output(&project.path("app")));
        let scratch = tempfile::tempdir().unwrap();
        let again = scratch.path().join("again");
        relink(&recipes[0], scratch.path(), &again).unwrap();
        assert!(
            std::fs::read(projects[0].path("app")).unwrap() == std::fs::read(again).unwrap(),
            "{kind}: the same to the byte"
        );
        assert!(Alike::of(&recipes[0], &recipes[1]).unwrap().differing < 0.05);
        let set = LayoutSet::prepare(
            &[0, 1].map(|build| projects[build].captured(&recipes[build])),
            Matching::Matched,
            Population::Pad,
            scratch.path(),
        )
        .unwrap();
        let images = [0, 1].map(|build| {
            set.link(build, 3, &scratch.path().join(format!("app{build}")))
                .unwrap()
        });
        for (image, expected) in images.iter().zip(&expected) {
            assert_eq!(&output(&image.path), expected, "{kind}");
        }
        let promises = set.verify(&images).unwrap();
        assert!(
            promises.shared_functions > 400 && promises.shared_data > 100,
            "{kind}: {promises:?}"
        );
    }
}

/// Fat link-time optimisation puts the standard library's look at the program headers, for the names
/// of functions, into the program's own object.
#[test]
fn data_is_drawn_of_a_program_optimised_as_a_whole() {
    if !tools(&["rustc", "gcc", "ld.lld-19"]) {
        return;
    }
    let looks = "extern \"C\" { fn dl_iterate_phdr(see: *const u8, data: *const u8) -> i32; }\n\
                 fn main() { if std::env::args().count() > 9 { unsafe { dl_iterate_phdr(std::ptr::null(), std::ptr::null()); } } println!(\"no\"); }\n";
    let drawn = [OLD, looks].map(|text| {
        let project = Project::new(&[("main.rs", text)]);
        let recipe = project.link(&Link {
            driver: "rustc",
            kind: LinkerKind::Lld,
            arguments: "-O -C lto=fat -C codegen-units=1 main.rs",
        });
        let scratch = tempfile::tempdir().unwrap();
        let (matching, population) = (Matching::Independent, Population::Pad);
        let build = project.captured(&recipe);
        let set = LayoutSet::prepare(&[build], matching, population, scratch.path()).unwrap();
        set.freedom().drawn
    });
    assert_eq!(drawn, [true, false]);
}
