//! What is said of builds before any layout: movable code, and code that differs.

use proofmark_layout::{
    Alike, LayoutError, LayoutSet, LinkerKind, MATCHED_UP_TO, Matching, Recipe, movability, relink,
};
use proofmark_terms::Population;

use crate::support::{Link, Project, tools};

fn functions(count: usize, changed: usize) -> String {
    let mut text = String::from("int printf(const char *, ...);\n");
    for index in 0..count {
        let body = if index == changed {
            "a ^ 91"
        } else {
            "a * 3 + printf(\"text %d\", a)"
        };
        text += &format!("int f{index}(int a) {{ return {body} + {index}; }}\n");
    }
    text + "int main(void) { return 0; }\n"
}

fn built(text: &str, flags: &str) -> (Project, Recipe) {
    let project = Project::new(&[("main.c", text)]);
    project.sh(&format!("gcc -O1 {flags} -c main.c"));
    let recipe = project.link(&Link {
        driver: "gcc",
        kind: LinkerKind::GnuLd,
        arguments: "main.o",
    });
    (project, recipe)
}

#[test]
fn a_changed_function_is_a_small_share_and_position_is_none() {
    if !tools(&["gcc", "ld.bfd"]) {
        return;
    }
    let (_base, base) = built(&functions(100, usize::MAX), "-ffunction-sections");
    let (_same, same) = built(&functions(100, usize::MAX), "-ffunction-sections");
    assert!(Alike::of(&base, &same).unwrap().differing.abs() < f64::EPSILON);
    let (_new, new) = built(&functions(100, 50), "-ffunction-sections");
    let share = Alike::of(&base, &new).unwrap().differing;
    assert!(share > 0.001 && share < 0.02, "{share}");
    let moved = functions(100, usize::MAX).replace(
        "int f0(",
        "const char *more = \"a string that moves the others\"; int f0(",
    );
    let (_moved, moved) = built(&moved, "-ffunction-sections");
    assert!(Alike::of(&base, &moved).unwrap().differing.abs() < f64::EPSILON);
    let (_larger, larger) = built(&functions(100, usize::MAX), "-ffunction-sections -O0");
    assert!(Alike::of(&base, &larger).unwrap().differing > MATCHED_UP_TO);
}

/// 800 words, with a table behind every second one or all tables behind them.
fn words(tables: Tables) -> String {
    let mut text = String::new();
    let mut last = String::new();
    for index in 0..400 {
        text += &format!("long first{index} = 1, second{index} = 2;\n");
        let table = format!("char table{index}[400] = {{1}};\n");
        match tables {
            Tables::None => {}
            Tables::Between => text += &table,
            Tables::Behind => last += &table,
        }
    }
    text + &last + "int main(void) { return 0; }\n"
}

#[derive(Clone, Copy)]
enum Tables {
    None,
    Between,
    Behind,
}

/// Gaps in matched layouts would take words apart that a build has together.
#[test]
fn data_that_a_change_puts_together_or_apart_is_seen() {
    if !tools(&["gcc", "ld.bfd"]) {
        return;
    }
    let flags = "-fdata-sections -fno-toplevel-reorder";
    let of = |tables| built(&words(tables), flags);
    let (_none, none) = of(Tables::None);
    let (_between, between) = of(Tables::Between);
    let (_behind, behind) = of(Tables::Behind);
    let spread = |a, b| Alike::of(a, b).unwrap().spread;
    // 6,400 bytes of words lie in two pages by themselves, and in 40 with the tables between.
    for (base, new, build) in [
        (&none, &between, 0),
        (&between, &none, 1),
        (&between, &behind, 1),
    ] {
        let found = spread(base, new).unwrap();
        assert_eq!(found.build, build, "{found:?}");
        assert!(found.matched.pages >= found.own.pages + 35, "{found:?}");
    }
    assert_eq!(spread(&between, &between), None);
    // What stands behind the words leaves no gap among them, however large it is.
    assert_eq!(spread(&none, &behind), None);
}

#[test]
fn code_without_function_sections_is_counted_and_named() {
    if !tools(&["gcc", "ld.bfd"]) {
        return;
    }
    let (_with, with) = built(&functions(100, 3), "-ffunction-sections");
    let found = movability(&with).unwrap();
    assert!(found.share() > 0.75, "{found:?}");
    // What fills the space between functions is no code.
    let (_apart, apart) = built(
        &functions(100, 3),
        "-ffunction-sections -falign-functions=256",
    );
    let aligned = movability(&apart).unwrap();
    assert!(
        (aligned.share() - found.share()).abs() < 0.02,
        "{aligned:?}"
    );
    let (_without, without) = built(&functions(100, 3), "-fno-function-sections");
    let found = movability(&without).unwrap();
    assert!(found.share() < 0.2, "{found:?}");
    assert!(
        found.reasons[0].what.starts_with("101 functions of main.o"),
        "{found:?}"
    );
    let total: u64 = found.reasons.iter().map(|reason| reason.bytes).sum();
    assert_eq!(total + found.movable_bytes, found.text_bytes);
}

/// Hundreds of members would hide what is said of the program itself.
#[test]
fn an_archive_is_one_reason() {
    if !tools(&["gcc", "ld.bfd"]) {
        return;
    }
    let (project, _) = built(&functions(100, 3), "-ffunction-sections");
    let linked = project.link(&Link {
        driver: "gcc",
        kind: LinkerKind::GnuLd,
        arguments: "main.o -static",
    });
    let found = movability(&linked).unwrap();
    let of_archive: Vec<_> = (found.reasons.iter())
        .filter(|reason| reason.what.contains("libc.a"))
        .collect();
    assert_eq!(of_archive.len(), 1, "{found:?}");
    assert!(of_archive[0].what.contains(" functions of libc.a in "));
    let total: u64 = found.reasons.iter().map(|reason| reason.bytes).sum();
    assert_eq!(total + found.movable_bytes, found.text_bytes);
}

#[test]
fn a_recipe_is_written_down_without_loss() {
    use std::os::unix::ffi::OsStringExt;
    if !tools(&["gcc", "ld.bfd"]) {
        return;
    }
    let (_project, mut recipe) = built(&functions(1, 9), "");
    recipe
        .argv
        .push(std::ffi::OsString::from_vec(vec![b'-', b'L', 0xff, 0xfe]));
    recipe
        .env
        .push(("A".into(), std::ffi::OsString::from_vec(vec![0x80])));
    recipe.inputs[0].given = std::ffi::OsString::from_vec(vec![b'/', 0xe9]).into();
    let text = serde_json::to_string(&recipe).unwrap();
    assert_eq!(serde_json::from_str::<Recipe>(&text).unwrap(), recipe);
}

#[test]
fn bad_recipes_are_refused_by_name() {
    if !tools(&["gcc", "ld.bfd"]) {
        return;
    }
    let (_project, good) = built(&functions(3, 9), "");
    let scratch = tempfile::tempdir().unwrap();
    let output = scratch.path().join("out");
    let fails = |change: &dyn Fn(&mut Recipe)| {
        let mut recipe = good.clone();
        change(&mut recipe);
        let error = relink(&recipe, scratch.path(), &output).unwrap_err();
        let prepared = LayoutSet::prepare(
            &[&recipe],
            Matching::Independent,
            Population::Pad,
            scratch.path(),
        );
        (error, prepared.err().expect("a layout is refused too"))
    };
    let (error, _) = fails(&|recipe| recipe.argv.push("other.o".into()));
    assert!(
        matches!(&error, LayoutError::NotCaptured { path } if path.ends_with("other.o")),
        "{error}"
    );
    let (error, _) = fails(&|recipe| {
        recipe
            .inputs
            .iter_mut()
            .for_each(|input| input.blob = "/nowhere/blob".into());
    });
    assert!(
        matches!(&error, LayoutError::File { path, .. } if path.ends_with("blob")),
        "{error}"
    );
    let (error, _) = fails(&|recipe| recipe.argv.push("--no-such-option".into()));
    assert!(
        matches!(&error, LayoutError::LinkFailed { said, .. } if said.contains("no-such-option")),
        "{error}"
    );
    let (error, _) = fails(&|recipe| recipe.linker.path = "/nowhere/ld".into());
    assert!(
        matches!(error, LayoutError::LinkerMissing { .. }),
        "{error}"
    );
    let damaged = scratch.path().join("damaged.o");
    let object = good
        .inputs
        .iter()
        .find(|input| input.given.ends_with("main.o"))
        .unwrap();
    std::fs::write(&damaged, &std::fs::read(&object.blob).unwrap()[..300]).unwrap();
    let (_, error) = fails(&|recipe| {
        recipe
            .inputs
            .iter_mut()
            .filter(|input| input.given.ends_with("main.o"))
            .for_each(|input| input.blob.clone_from(&damaged));
    });
    assert!(
        matches!(&error, LayoutError::Object { file, .. } if file == "main.o"),
        "{error}"
    );
}

#[test]
fn what_cannot_be_laid_out_says_so() {
    if !tools(&["gcc", "ld.bfd", "ld.lld-19"]) {
        return;
    }
    let (_project, good) = built(&functions(3, 9), "");
    let scratch = tempfile::tempdir().unwrap();
    let refused = |recipes: &[&Recipe]| {
        LayoutSet::prepare(recipes, Matching::Matched, Population::Pad, scratch.path())
            .err()
            .unwrap()
            .to_string()
    };
    let mut mold = good.clone();
    mold.linker.kind = LinkerKind::Mold;
    assert!(refused(&[&mold]).contains("mold has no way to order sections"));
    // What a capture says can be moved is what layouts move.
    let promised = movability(&mold).err().unwrap().to_string();
    assert_eq!(promised, refused(&[&mold]));
    let mut old = good.clone();
    old.linker.version = "GNU ld (GNU Binutils) 2.35.1".into();
    assert!(refused(&[&old]).contains("from 2.36 on"));
    let mut relocatable = good.clone();
    relocatable.argv.push("-r".into());
    assert!(refused(&[&relocatable]).contains("makes an object and no image"));
    let project = Project::new(&[("main.c", "int main(void) { return 0; }")]);
    project.sh("gcc -c main.c");
    let lld = project.link(&Link {
        driver: "gcc",
        kind: LinkerKind::Lld,
        arguments: "main.o",
    });
    assert!(refused(&[&good, &lld]).contains("another linker is another layout"));
    assert!(
        LayoutSet::prepare(
            &[] as &[&Recipe],
            Matching::Matched,
            Population::Pad,
            scratch.path()
        )
        .is_err()
    );
}

#[test]
fn odd_names_are_staged_as_they_are() {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;
    if !tools(&["gcc", "ld.bfd", "ld.lld-19"]) {
        return;
    }
    let project = Project::new(&[("main.c", "int main(void) { return 7; }")]);
    project.sh("gcc -ffunction-sections -c main.c");
    for kind in [LinkerKind::GnuLd, LinkerKind::Lld] {
        let mut recipe = project.link(&Link {
            driver: "gcc",
            kind,
            arguments: "main.o",
        });
        let odd = OsString::from_vec(b"a folder/it's \xff \"odd\".o".to_vec());
        recipe
            .inputs
            .iter_mut()
            .filter(|input| input.given.ends_with("main.o"))
            .for_each(|input| input.given = odd.clone().into());
        recipe
            .argv
            .iter_mut()
            .filter(|word| *word == "main.o")
            .for_each(|word| word.clone_from(&odd));
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch
            .path()
            .join(OsString::from_vec(b"scratch \xfe $HOME".to_vec()));
        relink(
            &recipe,
            &folder.join("again"),
            &scratch.path().join("again"),
        )
        .unwrap();
        let set = LayoutSet::prepare(&[&recipe], Matching::Independent, Population::Pad, &folder)
            .unwrap();
        let image = set.link(0, 1, &folder.join("app")).unwrap();
        for program in [&scratch.path().join("again"), &image.path] {
            assert_eq!(
                std::process::Command::new(program).status().unwrap().code(),
                Some(7),
                "{kind}"
            );
        }
    }
}
