//! What changed between two builds is found by content, wherever it was put.

mod data;

use std::path::Path;

use crate::support::{compile, has, run};
use proofmark_code::comparison::Changes;
use proofmark_code::diff::hot::{HOT, HotSet};
use proofmark_code::diff::{Aligned, aligned, compare, unlike};
use proofmark_code::{Image, Program};

const BUILD: [&str; 4] = ["-O2", "-ffunction-sections", "-ffreestanding", "-c"];

fn names(image: &Image, list: impl IntoIterator<Item = usize>) -> Vec<String> {
    list.into_iter()
        .map(|i| image.functions()[i].name())
        .collect()
}

/// Links an object into a shared library, functions in the order of a file.
fn link(linker: &str, object: &Path, order: &[&str], out: &Path) {
    let listed = out.with_extension("order");
    std::fs::write(&listed, order.join("\n") + "\n").unwrap();
    let order = match linker {
        "ld.lld-19" => format!("--symbol-ordering-file={}", listed.display()),
        _ => format!("--section-ordering-file={}", listed.display()),
    };
    let paths = [object.display().to_string(), out.display().to_string()];
    run(
        linker,
        &[
            "-shared",
            "--no-warn-symbol-ordering",
            &order,
            &paths[0],
            "-o",
            &paths[1],
        ],
    );
}

#[test]
fn another_layout_moves_functions_and_changes_none() {
    if !has("gcc") || !has("ld.lld-19") || !has("clang-19") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let order: Vec<&str> = vec![
        "add", "choose", "never", "loops", "on_stack", "fence", "tail", "direct", "indirect",
        "allocate",
    ];
    let back: Vec<&str> = order.iter().rev().copied().collect();
    for (name, compiler, target) in [
        ("gcc", "gcc", "-fPIC"),
        ("clang", "clang-19", "-fPIC"),
        ("arm", "clang-19", "--target=aarch64-linux-gnu"),
    ] {
        let options = [&BUILD[..], &[target, "-fPIC"]].concat();
        let object = compile(
            compiler,
            &options,
            &["facts.c"],
            folder.path(),
            &format!("{name}.o"),
        );
        let (a, b) = (
            folder.path().join(format!("{name}-a.so")),
            folder.path().join(format!("{name}-b.so")),
        );
        link("ld.lld-19", &object, &order, &a);
        link("ld.lld-19", &object, &back, &b);
        let (a, b) = (Program::open(&a).unwrap(), Program::open(&b).unwrap());
        let (a, b) = (&a.images()[0], &b.images()[0]);
        let difference = compare(a, b);
        assert!(
            difference.is_empty(),
            "{name}: {:?}",
            names(b, difference.changed.iter().map(|p| p.new))
        );
        assert!(
            difference.moved.len() >= 8,
            "{name}: {} moved",
            difference.moved.len()
        );
        assert_eq!(
            difference.moved.len() + difference.identical.len(),
            a.functions().len()
        );
    }
}

#[test]
fn one_function_that_differs_is_named_alone() {
    if !has("gcc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = std::fs::read_to_string(crate::support::programs().join("facts.c")).unwrap();
    let changed = source.replace("return callee(x) - 4;", "return callee(x) - 5;");
    assert_ne!(source, changed);
    let other = folder.path().join("other.c");
    std::fs::write(&other, changed).unwrap();
    let options = ["-O2", "-shared", "-fPIC", "-nostdlib"];
    let a = compile("gcc", &options, &["facts.c"], folder.path(), "a.so");
    let place = other.display().to_string();
    let b = compile("gcc", &options, &[&place], folder.path(), "b.so");
    let changes = Changes::between(&a, &b, None).unwrap();
    assert_eq!(
        (changes.changed, changes.removed, changes.renamed),
        (1, 0, 0)
    );
    let (a, b) = (Program::open(&a).unwrap(), Program::open(&b).unwrap());
    let difference = compare(&a.images()[0], &b.images()[0]);
    assert_eq!(
        names(&b.images()[0], difference.changed.iter().map(|p| p.new)),
        ["choose"]
    );
    let rows = aligned(
        &a.images()[0],
        &b.images()[0],
        difference.changed[0],
        (None, None),
    );
    let differing: Vec<&Aligned> = rows
        .iter()
        .filter(|r| !matches!(r, Aligned::Both(..)))
        .collect();
    assert_eq!(differing.len(), 2, "{differing:?}");
}

#[test]
fn a_renamed_function_and_its_callers_are_not_changed() {
    if !has("gcc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = |inner: &str, constant: &str| {
        format!(
            "__attribute__((noinline)) int {inner}(int x) {{ int s = 0; for (int i = 0; i < x; i++) s += i * x ^ s; return s; }}\n\
             int outer(int x) {{ return {inner}(x + 1) * 3 + {inner}(x); }}\n\
             const char *text(void) {{ return \"{constant}\"; }}\n\
             double scale(double x) {{ return x * 2.5; }}\n"
        )
    };
    let build = |name: &str, text: String| {
        let file = folder.path().join(format!("{name}.c"));
        std::fs::write(&file, text).unwrap();
        compile(
            "gcc",
            &["-O2", "-shared", "-fPIC"],
            &[&file.display().to_string()],
            folder.path(),
            &format!("{name}.so"),
        )
    };
    let a = Program::open(&build("a", source("before", "same text"))).unwrap();
    let b = Program::open(&build("b", source("after", "same text"))).unwrap();
    let difference = compare(&a.images()[0], &b.images()[0]);
    assert_eq!(
        names(&b.images()[0], difference.renamed.iter().map(|p| p.new)),
        ["after"]
    );
    assert!(
        difference.changed.is_empty()
            && difference.added.is_empty()
            && difference.removed.is_empty()
    );
    // A constant that has no name is part of the content.
    let c = Program::open(&build(
        "c",
        source("before", "other text").replace("2.5", "3.5"),
    ))
    .unwrap();
    let difference = compare(&a.images()[0], &c.images()[0]);
    let mut changed = names(&c.images()[0], difference.changed.iter().map(|p| p.new));
    changed.sort();
    assert_eq!(changed, ["scale", "text"]);
}

#[test]
fn what_was_added_or_removed_is_not_counted_as_changed() {
    if !has("gcc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let build = |name: &str, source: &str| {
        let file = folder.path().join("some.c");
        std::fs::write(&file, source).unwrap();
        let file = file.display().to_string();
        compile("gcc", &["-O2", "-c"], &[&file], folder.path(), name)
    };
    let a = build(
        "a.o",
        "int stays(int x) { return x * 3; } int changes(int x) { return x / 7; } int goes(int x) { return ~x; }",
    );
    let b = build(
        "b.o",
        "int stays(int x) { return x * 3; } int changes(int x) { return x / 9; } int comes(int x, int *y) { return *y + x; } int too(int *x) { return x[9]; }",
    );
    let hot = HotSet::parse(b"50% comes\n30% goes\n20% stays\n", HOT).unwrap();
    let changes = Changes::between(&a, &b, Some(&hot)).unwrap();
    assert_eq!((changes.functions, changes.changed), (4, 1));
    assert_eq!((changes.added, changes.removed), (2, 1));
    let hot = (changes.hot, changes.hot_added, changes.hot_removed);
    assert_eq!(hot, (Some(0), Some(1), Some(1)));
    assert_eq!(changes.archs, None);
}

/// A loop that got slower by them is another one. Padding in front of what is aligned is not.
#[test]
#[cfg(target_arch = "x86_64")]
fn no_ops_that_are_run_are_content_and_padding_is_none() {
    if !has("gcc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let behind = |name: &str, first: &str, inside: &str, gap: usize| {
        let file = folder.path().join(format!("{name}.s"));
        // The assembler would make a jump of many `.nops`.
        let gap = "nop\n".repeat(gap);
        let text = format!(
            ".text\n.p2align 5\n.globl run\n.type run, @function\nrun: {first}\n.p2align 5\n\
             .La: dec %edi\n{inside}\njne .La\nret\n{gap}dec %esi\nret\n{gap}{gap}\
             .size run, .-run\n"
        );
        std::fs::write(&file, text).unwrap();
        let file = file.display().to_string();
        let options = ["-shared", "-nostdlib"];
        let program = Program::open(&compile("gcc", &options, &[&file], folder.path(), name));
        program.unwrap()
    };
    let build = |name: &str, first: &str, inside: &str| behind(name, first, inside, 9);
    let changed = |a: &Program, b: &Program| compare(&a.images()[0], &b.images()[0]).changed.len();
    let base = build("base", "lea 1(%rdi), %rax", "");
    for (name, inside) in [("one", "nop"), ("many", ".rept 100\nnop\n.endr")] {
        let new = build(name, "lea 1(%rdi), %rax", inside);
        assert_eq!(changed(&base, &new), 1, "{name}");
        assert_eq!(unlike(&base.images()[0], &new.images()[0]), [], "{name}");
    }
    // The same instruction in more bytes: less padding behind it.
    let longer = build("longer", ".byte 0x48, 0x8d, 0x87, 1, 0, 0, 0", "");
    assert_eq!(changed(&base, &longer), 0);
    // Nobody runs through a gap behind a return, but a long one is more than alignment asks for.
    // What lies at the end of a function is none of its content.
    for (gap, expected) in [(63, 0), (100, 1)] {
        let pushed = behind("pushed", "lea 1(%rdi), %rax", "", gap);
        assert_eq!(changed(&base, &pushed), expected, "{gap}");
        assert_eq!(unlike(&base.images()[0], &pushed.images()[0]), [], "{gap}");
    }
}

/// Each of two units has a `step` of its own, and `run` goes from one unit to the other.
#[test]
fn who_calls_another_function_of_the_same_name_has_changed() {
    if !has("gcc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let run =
        "int run(int n) { int s = 0; for (int i = 0; i < n; i++) s = step(s + i); return s; }\n";
    let build = |name: &str, runs: [&str; 2], more: &str| {
        let unit = |unit: &str, content: &str, own: &str| {
            let file = folder.path().join(format!("{unit}.c"));
            let source = format!(
                "__attribute__((noinline, noclone)) static int step(int x) {{ return {content}; }}\n\
                 int of_{unit}(int x) {{ return step(x) + step(x + 1); }}\n{own}"
            );
            std::fs::write(&file, source).unwrap();
            file.display().to_string()
        };
        let [one, other] = runs;
        let a = unit("a", &format!("x * 3 + 1{more}"), one);
        let b = unit("b", &format!("(x * 5) ^ (x >> 3){more}"), other);
        let options = ["-O1", "-shared", "-fPIC"];
        Program::open(&compile("gcc", &options, &[&a, &b], folder.path(), name)).unwrap()
    };
    let changed = |a: &Program, b: &Program| {
        let difference = compare(&a.images()[0], &b.images()[0]);
        let new = difference.changed.iter().map(|pair| pair.new);
        let mut found = names(&b.images()[0], new);
        found.sort();
        found
    };
    let base = build("base.so", [run, ""], "");
    assert_eq!(changed(&base, &build("moved.so", ["", run], "")), ["run"]);
    // Where both of them changed, who calls the same one as before has not.
    let both = build("both.so", [run, ""], " + 7");
    assert_eq!(changed(&base, &both), ["step", "step"]);
}
