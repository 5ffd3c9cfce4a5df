//! What changed between two builds is found by content, wherever it was put.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that meets the unexpected stops there"
)]

mod support;

use std::path::Path;

use proofmark_code::comparison::Changes;
use proofmark_code::diff::hot::{HOT, HotSet};
use proofmark_code::diff::{Aligned, aligned, compare};
use proofmark_code::{Image, Program};
use support::{compile, has, run};

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
    let source = std::fs::read_to_string(support::programs().join("facts.c")).unwrap();
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

/// Go's texts have no end, so that one that is longer changes what stands behind others.
#[test]
fn another_text_changes_no_function_of_go() {
    if !support::has_go() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let build = |text: &str| {
        let folder = folder.path().join(text);
        std::fs::create_dir(&folder).unwrap();
        let file = folder.join("main.go");
        let source = format!(
            "package main\nimport \"os\"\nfunc main() {{ os.Stdout.WriteString(\"{text}\"); panic(\"another\") }}\n"
        );
        std::fs::write(&file, source).unwrap();
        Program::open(&support::go(&file.display().to_string(), "amd64", &folder)).unwrap()
    };
    let (a, b) = (build("short"), build("texts"));
    let (a, b) = (&a.images()[0], &b.images()[0]);
    assert!(a.functions().len() > 500);
    let difference = compare(a, b);
    let changed = names(b, difference.changed.iter().map(|p| p.new));
    assert!(difference.is_empty(), "{changed:?}");
}

/// A datum of another library stands in the executable under a name with its version, or without,
/// or not at all yet.
#[test]
fn a_copied_datum_is_one_whichever_linker_names_it() {
    if !has("gcc") || !has("ld.gold") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = |stream: &str| {
        format!("#include <stdio.h>\nint main(void) {{ return fputs(\"hello\\n\", {stream}); }}\n")
    };
    let build = |name: &str, stream: &str, options: &[&str]| {
        let file = folder.path().join(format!("{stream}.c"));
        std::fs::write(&file, source(stream)).unwrap();
        let options = [&["-O2", "-fPIE"], options].concat();
        let file = file.display().to_string();
        Program::open(&compile("gcc", &options, &[&file], folder.path(), name)).unwrap()
    };
    let base = build("base", "stderr", &["-pie"]);
    let changed = |new: &Program| {
        let (a, b) = (&base.images()[0], &new.images()[0]);
        let index = |image: &Image| image.functions().iter().position(|f| f.name() == "main");
        let index = index(b).unwrap();
        compare(a, b).changed.iter().any(|p| p.new == index)
    };
    for (name, options) in [
        ("gold", &["-pie", "-fuse-ld=gold"][..]),
        ("object.o", &["-c"]),
    ] {
        assert!(!changed(&build(name, "stderr", options)), "{name}");
    }
    assert!(changed(&build("other", "stdout", &["-pie"])));
}

/// The end of what registers transactional memory has a name too, at an address that it shares with
/// whatever begins `.bss`.
#[test]
fn start_up_code_is_the_same_whatever_begins_the_empty_data() {
    if !has("gcc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let build = |name: &str, datum: &str| {
        let file = folder.path().join(format!("{name}.c"));
        let source = format!("{datum}\nint main(void) {{ return 0; }}\n");
        std::fs::write(&file, source).unwrap();
        let file = file.display().to_string();
        Program::open(&compile("gcc", &["-O2"], &[&file], folder.path(), name)).unwrap()
    };
    let a = build("a", "");
    let b = build("b", "__attribute__((aligned(64))) char space[64];");
    let c = build("c", "#include <stdio.h>\nFILE **stream = &stderr;");
    for new in [&b, &c] {
        let (a, b) = (&a.images()[0], &new.images()[0]);
        let difference = compare(a, b);
        let changed = names(b, difference.changed.iter().map(|p| p.new));
        assert_eq!(changed, Vec::<String>::new());
    }
}

/// An object's offsets of a thread's own data are filled in by the linker: what is to be filled in
/// is part of the content.
#[test]
fn another_datum_of_the_thread_changes_its_user_in_an_object() {
    let folder = tempfile::tempdir().unwrap();
    let compilers = ["gcc", "clang-19", "aarch64-linux-gnu-gcc"];
    let models: [&[&str]; 3] = [&[], &["-fPIC"], &["-ftls-model=initial-exec"]];
    for compiler in compilers.into_iter().filter(|c| has(c)) {
        for model in models {
            let build = |name: &str, declared: &str, used: &str| {
                let file = folder.path().join("tls.c");
                let source = format!("{declared}; int used(void) {{ return {used}; }}\n");
                std::fs::write(&file, source).unwrap();
                let options = [&["-O2", "-c"], model].concat();
                let file = file.display().to_string();
                Program::open(&compile(compiler, &options, &[&file], folder.path(), name)).unwrap()
            };
            let base = build("a.o", "__thread int one, two", "one");
            let other = build("b.o", "__thread int one, two", "two");
            let order = build("c.o", "__thread int two, one", "one");
            let changed = |new: &Program| compare(&base.images()[0], &new.images()[0]).changed;
            assert_eq!(changed(&other).len(), 1, "{compiler} {model:?}");
            assert_eq!(changed(&order).len(), 0, "{compiler} {model:?}");
        }
    }
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

/// Its address is put into a register by an instruction of its own, which may stand far from the
/// load.
#[test]
fn another_wide_constant_changes_its_user_on_aarch64() {
    if !has("aarch64-linux-gnu-gcc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let build = |name: &str, constant: &str, before: &str| {
        let file = folder.path().join("wide.c");
        let source = format!(
            "{before} long double wide(long double x) {{ return x * {constant}; }} long double other(long double x) {{ return x * 7.7L; }}\n"
        );
        std::fs::write(&file, source).unwrap();
        let file = file.display().to_string();
        let options = ["-O2", "-shared", "-fPIC", "-nostdlib"];
        let path = compile(
            "aarch64-linux-gnu-gcc",
            &options,
            &[&file],
            folder.path(),
            name,
        );
        Program::open(&path).unwrap()
    };
    let base = build("a.so", "1.1L", "");
    let changed = |new: &Program| {
        let (a, b) = (&base.images()[0], &new.images()[0]);
        names(b, compare(a, b).changed.iter().map(|p| p.new))
    };
    assert_eq!(changed(&build("b.so", "1.2L", "")), ["wide"]);
    let moved = build("c.so", "1.1L", "const char text[40] = \"in front\";");
    assert_eq!(changed(&moved), Vec::<String>::new());
}

#[test]
fn constants_that_differ_are_shown_beside_their_instructions() {
    if !has("gcc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let build = |name: &str, text: &str, factor: &str| {
        let file = folder.path().join(format!("{name}.c"));
        let source = format!(
            "const char *text(void) {{ return \"{text}\"; }} double scale(double x) {{ return x * {factor}; }}\n"
        );
        std::fs::write(&file, source).unwrap();
        let file = file.display().to_string();
        let options = ["-O2", "-shared", "-fPIC", "-nostdlib"];
        Program::open(&compile("gcc", &options, &[&file], folder.path(), name)).unwrap()
    };
    let (a, b) = (
        build("a.so", "first\\n", "2.5"),
        build("b.so", "other\\n", "3.5"),
    );
    let (a, b) = (&a.images()[0], &b.images()[0]);
    let mut lines: Vec<String> = Vec::new();
    for pair in compare(a, b).changed {
        for row in aligned(a, b, pair, (None, None)) {
            if let Aligned::Base(line) | Aligned::New(line) = row {
                lines.push(line.text);
            }
        }
    }
    assert_eq!(lines.len(), 4, "{lines:?}");
    for shown in [
        r#"<"first\n">"#,
        r#"<"other\n">"#,
        "as a float 2.5>",
        "as a float 3.5>",
    ] {
        let found = lines.iter().filter(|line| line.ends_with(shown)).count();
        assert_eq!(found, 1, "{shown} in {lines:?}");
    }
}
