//! Stubs of calls to libraries that are elsewhere in matched layouts are named.

use std::path::Path;
use std::process::Command;

use proofmark_layout::{LayoutSet, LinkerKind, Matching};
use proofmark_terms::Population;

use crate::drawn_data::built;
use crate::support::tools;

const MAIN: &str = r#"
#include <stdio.h>
#include <time.h>
#include <unistd.h>
void before(void) { MORE }
int main(void) {
    printf("%d\n", time(0) > 5);
    return 0;
}
"#;

/// Where the stub of a call is in an image, as objdump tells it.
fn of_objdump(path: &Path, name: &str) -> String {
    let objdump = Command::new("objdump").arg("-d").arg(path).output();
    let text = String::from_utf8(objdump.unwrap().stdout).unwrap();
    let label = format!("<{name}@plt>:");
    let mut lines = text.lines();
    let line = lines.find(|line| line.ends_with(&label)).unwrap();
    line.split(' ').next().unwrap().to_owned()
}

#[test]
#[cfg(target_arch = "x86_64")]
fn stubs_that_are_elsewhere_are_named() {
    if !tools(&["gcc", "objdump", "ld.lld-19", "ld.bfd"]) {
        return;
    }
    for kind in [LinkerKind::Lld, LinkerKind::GnuLd] {
        // The calls of the second one come before those that both have. GNU ld orders stubs by its
        // table of symbols, lld by the calls.
        for more in ["", "getppid(); getpgrp();"] {
            let builds = ["", more].map(|more| built(MAIN, kind, &format!("-DMORE='{more}'")));
            let scratch = tempfile::tempdir().unwrap();
            let both = [&builds[0].1, &builds[1].1];
            let set = LayoutSet::prepare(&both, Matching::Matched, Population::Pad, scratch.path())
                .unwrap();
            let images = [0, 1].map(|build| {
                let path = scratch.path().join(format!("app{build}"));
                set.link(build, 3, &path).unwrap()
            });
            let promises = set.verify(&images).unwrap();
            let told = promises
                .elsewhere
                .iter()
                .find(|one| one.what == "stubs of calls to libraries");
            let apart = ["printf", "time"].map(|name| {
                let [one, other] = [0, 1].map(|build| of_objdump(&images[build].path, name));
                one != other
            });
            assert_eq!(
                told.is_some(),
                apart.contains(&true),
                "{kind}: {promises:?}"
            );
            if kind == LinkerKind::Lld {
                assert_eq!(told.is_some(), !more.is_empty(), "{promises:?}");
            }
            let count = apart.iter().filter(|apart| **apart).count();
            assert_eq!(told.map_or(0, |told| told.count), count, "{kind}");
        }
    }
}
