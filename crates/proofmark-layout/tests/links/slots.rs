//! Layouts in slots: some functions keep their places, all others are drawn again.

use std::path::Path;

use crate::support::{Link, Project, output, symbols, tools};
use proofmark_layout::{Captured, Chosen, LinkerKind, Mix, Placeable, SlotSet};

/// `where` tells its own address.
const MAIN: &str = r#"
#include <stdio.h>
int table[40] = {1, 2, 3}; static int counter;
int before(int a) { return a + 3; }
__attribute__((noinline)) unsigned long where(void) { extern char __executable_start; return (unsigned long)where - (unsigned long)&__executable_start; }
int after(int a) { return a * 5; }
int main(void) { counter += before(3); printf("%lx %d %d\n", where() & 0xfff, after(table[1]), counter); return 0; }
"#;
const OTHER: &str = "int before(int); __attribute__((aligned(64))) int wide(int a) { return a; }\n\
    int last(int a) { return wide(a) + before(a) * 2; }\n";
const LINKERS: [LinkerKind; 3] = [LinkerKind::Lld, LinkerKind::GnuLd, LinkerKind::Gold];

fn chosen(image: &Path, names: &[&str]) -> Vec<Chosen> {
    let symbols = symbols(image);
    let one = |name: &&str| Chosen {
        name: (*name).to_string(),
        symbol: (*name).to_string(),
        address: symbols[*name],
    };
    names.iter().map(one).collect()
}

#[test]
fn what_is_kept_stays_and_everything_else_is_drawn_again() {
    if !tools(&["gcc", "ld.lld-19", "ld.bfd", "ld.gold", "nm"]) {
        return;
    }
    let project = Project::new(&[("main.c", MAIN), ("other.c", OTHER)]);
    project.sh("gcc -O1 -fno-inline -ffunction-sections -fno-toplevel-reorder -c main.c other.c");
    for kind in LINKERS {
        let recipe = project.link(&Link {
            driver: "gcc",
            kind,
            arguments: "main.o other.o",
        });
        let shipped = project.path("app");
        let scratch = tempfile::tempdir().unwrap();
        let captured = Captured {
            image: Some(&shipped),
            ..Captured::from(&recipe)
        };
        let build = Placeable::observe(captured, scratch.path()).unwrap();
        let names = ["where", "after", "_init", "main"];
        let picked = chosen(build.image(), &names);
        let set = SlotSet::new(build, &picked).unwrap();
        assert_eq!(set.functions(), [0, 1, 3], "{kind}");
        let [unmoved] = set.unmoved() else {
            panic!("{kind}: {:?}", set.unmoved())
        };
        assert!(unmoved.function == 2 && unmoved.why.contains("no section of code"));
        let (one, other) = (Mix::of(1), Mix::of(2));
        let mixed = Mix {
            kept: vec![0, 2],
            kept_seed: 1,
            ..Mix::of(2)
        };
        let found = [&one, &other, &mixed].map(|mix| {
            let path = scratch
                .path()
                .join(format!("{}-{}", mix.seed, mix.kept.len()));
            let image = set.link(mix, &path).unwrap();
            set.verify(std::slice::from_ref(&image)).unwrap();
            set.verify_content(&image).unwrap();
            let symbols = symbols(&path);
            let said = output(&path);
            let expected = format!("{:x} ", symbols["where"] & 0xfff);
            assert!(said.starts_with(&expected), "{kind}: {said} {expected}");
            let starts = set.starts(mix);
            assert_eq!(
                starts,
                ["where", "after", "main"].map(|name| symbols[name]),
                "{kind}"
            );
            symbols
        });
        let [one, other, mixed] = &found;
        for name in ["where", "main"] {
            assert_eq!(mixed[name], one[name], "{kind}: {name} is kept");
        }
        for name in ["after", "before", "wide", "last"] {
            assert_eq!(mixed[name], other[name], "{kind}: {name} is not");
        }
        for name in ["table", "counter"] {
            assert_eq!(one[name], other[name], "{kind}: data stays");
        }
        assert_ne!(one["where"], other["where"], "{kind}");
        // An image of another layout is found out.
        let image = set.link(&Mix::of(3), &scratch.path().join("3")).unwrap();
        let wrong = proofmark_layout::SlottedImage {
            mix: Mix::of(4),
            ..image
        };
        assert!(set.verify(&[wrong]).is_err(), "{kind}");
    }
}
