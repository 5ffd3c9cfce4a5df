//! Functions that both builds have, in another order or closer together: matched layouts have one
//! order for both, and room for what only one has.

use proofmark_layout::{LinkerKind, Recipe, TakenBack, asked, taken_back};

use crate::support::{Link, Project, tools};

/// Where the functions stand that are called in turn.
#[derive(Clone, Copy)]
enum Hot {
    /// Each before one that is never called.
    Apart,
    /// All before those.
    First,
    /// Each before one that is never called, and the compiler is told that they are hot.
    Told,
    /// Without those.
    Alone,
}

fn built(hot: Hot) -> Recipe {
    let attribute = match hot {
        Hot::Told => "__attribute__((hot, noinline))",
        Hot::Apart | Hot::First | Hot::Alone => "__attribute__((noinline))",
    };
    let function = |attribute: &str, name: &str, index: usize| {
        format!(
            "{attribute} int {name}{index}(int a) {{ volatile int b = a * {index} + 1; b ^= b << 3; \
             return b + {index}; }}\n"
        )
    };
    let called = |index| function(attribute, "called", index);
    let other = |index| function("__attribute__((noinline))", "other", index);
    let text: String = match hot {
        Hot::First => (0..300).map(called).chain((0..300).map(other)).collect(),
        Hot::Alone => (0..300).map(called).collect(),
        Hot::Apart | Hot::Told => (0..300)
            .flat_map(|index| [called(index), other(index)])
            .collect(),
    };
    let project = Project::new(&[("main.c", &(text + "int main(void) { return 0; }\n"))]);
    project.sh("gcc -O2 -ffunction-sections -c main.c");
    let recipe = project.link(&Link {
        driver: "gcc",
        kind: LinkerKind::GnuLd,
        arguments: "main.o",
    });
    // The stored copies outlive the project.
    std::mem::forget(project);
    recipe
}

#[test]
fn functions_that_a_source_or_an_attribute_puts_together_are_seen() {
    if !tools(&["gcc", "ld.bfd"]) {
        return;
    }
    let [apart, first, told] = [Hot::Apart, Hot::First, Hot::Told].map(built);
    assert!(asked(&apart, &apart).unwrap().is_same());
    assert_eq!(taken_back(&apart, &apart, 0).unwrap(), None);

    let asks = asked(&apart, &told).unwrap().to_string();
    let sections = "the sections of 300 functions, called0: .text to .text.hot";
    assert!(asks.contains(sections), "{asks}");
    // The same order in the source is no other kind, and is seen where the files are looked at.
    assert!(asked(&apart, &first).unwrap().is_same());
    for new in [&first, &told] {
        let found = taken_back(&apart, new, 4096).unwrap();
        let Some(TakenBack::Order(order)) = found else {
            panic!("{found:?}");
        };
        assert!(order.count >= 299, "{order:?}");
    }
}

/// Functions of 48 bytes share lines and pages; with others between they share fewer.
#[test]
fn code_that_lies_closer_together_in_one_build_is_seen() {
    if !tools(&["gcc", "ld.bfd"]) {
        return;
    }
    let [apart, alone] = [Hot::Apart, Hot::Alone].map(built);
    let found = taken_back(&apart, &alone, 0).unwrap();
    let Some(TakenBack::Spread(spread)) = found else {
        panic!("{found:?}");
    };
    assert!(spread.code && spread.build == 1, "{spread:?}");
    let (own, matched) = (spread.own.pages, spread.matched.pages);
    assert!(matched > own + 2, "{spread:?}");
}
