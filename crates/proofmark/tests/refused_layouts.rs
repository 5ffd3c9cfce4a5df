//! Builds whose layouts would not be what the user has: no verdict, but the name of the feature and what to do.

#![expect(
    clippy::unwrap_used,
    reason = "a test that meets the unexpected should stop there and then"
)]

mod support;

use support::{Project, has};

/// Function sections that only the capture asked for let the linker fold what it does not fold in the user's file.
#[test]
fn folding_that_the_capture_made_possible_is_refused() {
    if !has(&["cc", "ld.gold"]) {
        return;
    }
    let project = Project::new();
    let build = |icf: &str| {
        format!(
            "cc -O2 -c work.c && cc -O2 -DBOUND=1000 -c bound.c && cc -fuse-ld=gold -Wl,--icf={icf} -o work work.o bound.o"
        )
    };
    for name in ["none", "all"] {
        project.done(&["capture", name, "--", "sh", "-c", &build(name)]);
    }
    let said = project.run(&["compare", "none", "all", "--measure-equal", "--", "{}"]);
    assert_eq!(said.code, Some(2), "{said:#?}");
    for word in ["all", "--icf", "-ffunction-sections", "as-shipped"] {
        assert!(said.err.contains(word), "{said:#?}");
    }
}

/// An edit behind the link is in no layout.
#[test]
fn an_edited_image_is_refused() {
    if !has(&["cc", "objcopy"]) {
        return;
    }
    let project = Project::new();
    project.write(
        "tuned.c",
        "__attribute__((section(\"tuning\"))) const int values[2] = {7, 8}; int main(void) { return ((const volatile int *)values)[0] == 0; }",
    );
    let build = "cc -O2 -ffunction-sections -c tuned.c && cc -o tuned tuned.o && printf '\\001\\000\\000\\000\\002\\000\\000\\000' > t.bin && objcopy --update-section tuning=t.bin tuned";
    project.done(&["capture", "base", "--", "sh", "-c", build]);
    let said = project.run(&["compare", "base", "base", "--measure-equal", "--", "{}"]);
    assert_eq!(said.code, Some(4), "{said:#?}");
    for word in ["values", "objcopy", "--layouts as-shipped"] {
        assert!(said.err.contains(word), "{said:#?}");
    }
}
