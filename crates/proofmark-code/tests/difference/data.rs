//! Data and constants that differ, and the functions that use them.

use proofmark_code::diff::{Aligned, aligned, compare};
use proofmark_code::{Image, Program};

use super::names;
use crate::support::{compile, has};

/// Go's texts have no end, so that one that is longer changes what stands behind others.
#[test]
fn another_text_changes_no_function_of_go() {
    if !crate::support::has_go() {
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
        Program::open(&crate::support::go(
            &file.display().to_string(),
            "amd64",
            &folder,
        ))
        .unwrap()
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

/// Where an image is loaded where it was linked to, a number in an instruction may be an address.
/// Without names a number that changed looks like an address that moved.
#[test]
fn a_number_within_the_image_is_no_address_that_moved() {
    if !has("gcc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let build = |name: &str, bound: &str, front: u32| {
        let file = folder.path().join(format!("{name}.c"));
        let text = format!(
            "char front[{front}], big[1 << 24];\n\
             __attribute__((noipa)) long bound(void) {{ return {bound}; }}\n\
             __attribute__((noipa)) char *middle(void) {{ return big + 4000; }}\n\
             __attribute__((noipa)) char *far(char *from) {{ return from + {bound}; }}\n\
             int main(void) {{ front[0] = 1; return *far(middle() + bound()); }}\n"
        );
        std::fs::write(&file, text).unwrap();
        let options = ["-O2", "-no-pie", "-fno-pie", "-fno-toplevel-reorder", "-s"];
        let file = file.display().to_string();
        Program::open(&compile("gcc", &options, &[&file], folder.path(), name)).unwrap()
    };
    let base = build("base", "5000000", 64);
    for (name, bound, front, changed) in [
        ("number", "10000000", 64, 2),
        ("moved", "5000000", 4096, 0),
        ("both", "10000000", 4096, 2),
    ] {
        let new = build(name, bound, front);
        let (a, b) = (&base.images()[0], &new.images()[0]);
        assert_eq!(compare(a, b).changed.len(), changed, "{name}");
    }
}
