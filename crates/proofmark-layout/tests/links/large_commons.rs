//! Common symbols of the medium code model are drawn.

use std::collections::BTreeSet;

use proofmark_layout::{LayoutSet, LinkerKind, Matching, Recipe};
use proofmark_terms::Population;

use crate::drawn_data::SEEDS;
use crate::support::{Link, Project, output, symbols, tools};

/// `shared` is defined by another object, so that it is no common symbol of the image.
const MAIN: &str = r#"
#include <stdio.h>
#define LOOSE __attribute__((aligned(8)))
long first[1024] LOOSE, second[1024] LOOSE, shared[64] LOOSE; char near;
int main(void) { second[9] = 2; printf("%ld %ld %ld %d\n", first[9], second[9], shared[1], near); return 0; }
"#;
const SHARED: &str = "long shared[64] __attribute__((aligned(8))) = {0};\n";

fn built(text: &str, kind: LinkerKind) -> (Project, Recipe) {
    let project = Project::new(&[("main.c", text), ("shared.c", SHARED)]);
    project.sh(
        "gcc -O1 -fpie -mcmodel=medium -mlarge-data-threshold=64 -fcommon -fdata-sections \
         -ffunction-sections -c main.c shared.c",
    );
    let recipe = project.link(&Link {
        driver: "gcc",
        kind,
        arguments: "main.o shared.o",
    });
    (project, recipe)
}

#[test]
fn large_common_symbols_are_drawn_alike() {
    if !tools(&["gcc", "ld.bfd", "ld.gold", "nm"]) {
        return;
    }
    let more = MAIN
        .replace("char near;", "char near; long added[77] LOOSE;")
        .replace("first[9]", "first[9] + added[3]");
    for kind in [LinkerKind::GnuLd, LinkerKind::Gold] {
        let builds = [built(MAIN, kind), built(&more, kind)];
        let recipes = builds.each_ref().map(|(_, recipe)| recipe);
        let scratch = tempfile::tempdir().unwrap();
        let (matching, population) = (Matching::Matched, Population::Pad);
        let set = LayoutSet::prepare(&recipes, matching, population, scratch.path()).unwrap();
        assert!(set.undrawn().is_empty(), "{kind}: {:?}", set.undrawn());
        let (mut starts, mut apart) = (BTreeSet::new(), BTreeSet::new());
        for seed in 0..SEEDS {
            let mut places = Vec::new();
            for (build, (project, _)) in builds.iter().enumerate() {
                let image = set
                    .link(build, seed, &scratch.path().join("image"))
                    .unwrap();
                set.verify(std::slice::from_ref(&image)).unwrap();
                assert_eq!(output(&image.path), output(&project.path("app")));
                places.push(symbols(&image.path));
            }
            let [first, second] = ["first", "second"].map(|name| places[0][name]);
            assert_eq!(
                [first, second],
                ["first", "second"].map(|name| places[1][name])
            );
            starts.insert(first % 64);
            apart.insert(second.abs_diff(first) % 4096);
        }
        assert!(starts.len() >= 5, "{kind}: {starts:?}");
        assert!(apart.len() >= 5, "{kind}: {apart:?}");
    }
}
