//! Data of one name in several units: each is held to one of the other image's.

use crate::support::{compile, has};
use proofmark_code::Program;
use proofmark_code::diff::unlike;

/// Texts of less than four letters may be anything: an array of one is like every other.
const TEXTS: [&str; 3] = ["a", "bbbbb", "ccccc"];

#[test]
fn what_is_like_every_other_takes_none_that_another_one_needs() {
    if !has("gcc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let unit = |text: &str| {
        let file = folder.join(format!("{text}.c"));
        let source = format!(
            "static const char *const words[] = {{\"{text}\", 0}};\n\
             const char *const *of_{text}(void) {{ return words; }}\n"
        );
        std::fs::write(&file, source).unwrap();
        file.display().to_string()
    };
    let linked = |name: &str, texts: [&str; 3]| {
        let units = texts.map(unit);
        let units: Vec<&str> = units.iter().map(String::as_str).collect();
        let options = ["-shared", "-fPIC", "-O1"];
        Program::open(&compile("gcc", &options, &units, folder, name)).unwrap()
    };
    let base = linked("base.so", TEXTS);
    let [a, b, c] = TEXTS;
    for (place, order) in [[a, b, c], [c, a, b], [b, a, c], [c, b, a]]
        .iter()
        .enumerate()
    {
        let new = linked(&format!("{place}.so"), *order);
        assert_eq!(unlike(&base.images()[0], &new.images()[0]), [], "{order:?}");
    }
    // Nor does it stand for what another one lacks.
    let other = linked("other.so", [a, b, "ddddd"]);
    let found = unlike(&base.images()[0], &other.images()[0]);
    let said: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert!(
        said.contains(&"the datum words has another content".to_owned()),
        "{said:?}"
    );
}

/// As compilers number what has no name of its own: a text that does not end here is like every
/// other, and the numbers say which is which.
#[test]
fn numbers_behind_names_tell_data_of_one_image_apart() {
    if !has("gcc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let linked = |name: &str, order: [usize; 3]| {
        let long = "x".repeat(80);
        let datum = |number: usize| {
            format!(
                ".type anon.{number}, @object\n.size anon.{number}, 8\nanon.{number}: .quad .L{number}\n"
            )
        };
        let source = format!(
            ".section .rodata\n.L1: .ascii \"{long}\"\n.L2: .string \"bbbbb\"\n.L3: .string \"ccccc\"\n\
             .section .data.rel.ro, \"aw\"\n{}.section .note.GNU-stack, \"\"\n",
            order.map(datum).concat()
        );
        let file = folder.join(format!("{name}.s"));
        std::fs::write(&file, source).unwrap();
        let file = file.display().to_string();
        Program::open(&compile("gcc", &["-shared"], &[&file], folder, name)).unwrap()
    };
    let base = linked("base.so", [1, 2, 3]);
    let new = linked("new.so", [3, 2, 1]);
    assert_eq!(unlike(&base.images()[0], &new.images()[0]), []);
}
