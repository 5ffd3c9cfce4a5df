//! Compilers that are made from sources: each once, and kept by what went into it.

use std::fs;
use std::path::Path;

use proofmark_project::{
    Making, Names, ToolchainDefinition, ToolchainError, Toolchains, Unwatched,
};

use super::{Bench, definitions};
use crate::support::{Project, has, shim};

const DRIVER: &str = "#!/bin/sh\nexec gcc -DNUMBER=1 \"$@\"\n";

/// Makes `bin/mycc` of `driver`.
const BUILD: &str = "mkdir bin && cp driver bin/mycc && chmod +x bin/mycc";

/// A project with the sources of a compiler in `cc`.
fn project() -> Project {
    let project = Project::new();
    project.file("cc/driver", DRIVER);
    project
}

fn definition(project: &Project, build: &str) -> ToolchainDefinition {
    ToolchainDefinition {
        command: Some("bin/mycc".to_owned()),
        source: Some(project.root.join("cc")),
        build: Some(build.to_owned()),
        ..ToolchainDefinition::default()
    }
}

fn toolchains(project: &Project) -> Toolchains {
    Toolchains::open(&project.root.join(".proofmark"))
}

fn install(project: &Project, of: &ToolchainDefinition) -> Result<bool, ToolchainError> {
    let making = Making {
        shim_program: &shim(),
        stopped: &|| false,
    };
    toolchains(project).install("mine", of, making)
}

#[test]
fn a_compiler_is_made_once_and_again_when_its_sources_change() {
    if !has("gcc") {
        return;
    }
    let project = project();
    let outside = project.root.join("outside");
    fs::write(&outside, "one").unwrap();
    let build = format!("cat {} >said && {BUILD}", outside.display());
    let definition = definition(&project, &build);
    let toolchains = toolchains(&project);
    let find = || toolchains.find("mine", &definition);
    let is_missing = |found: Result<_, ToolchainError>| {
        let error = found.map(|_: proofmark_project::Toolchain| ()).unwrap_err();
        assert!(matches!(error, ToolchainError::Missing { .. }), "{error}");
        error.to_string()
    };
    let said = is_missing(find());
    assert!(
        said.contains("`proofmark toolchains --install mine` makes it"),
        "{said}"
    );
    assert!(install(&project, &definition).unwrap());
    assert!(!install(&project, &definition).unwrap());
    let first = find().unwrap();
    let made = project.root.join(".proofmark/matrix/compilers");
    assert!(first.driver.starts_with(&made), "{first:?}");
    assert!(first.package.unwrap().ends_with("/cc"));
    // Other sources are another compiler, and the first one is there when they are taken back.
    project.file("cc/driver", &DRIVER.replace('1', "2"));
    is_missing(find());
    assert!(install(&project, &definition).unwrap());
    assert_ne!(find().unwrap().hash, first.hash);
    project.file("cc/driver", DRIVER);
    assert_eq!(find().unwrap().hash, first.hash);
    // And so it is with what its build has read elsewhere.
    fs::write(&outside, "two").unwrap();
    is_missing(find());
    assert!(install(&project, &definition).unwrap());
    assert_ne!(find().unwrap().hash, first.hash);
    fs::write(&outside, "one").unwrap();
    assert_eq!(find().unwrap().hash, first.hash);
}

#[test]
fn a_patch_and_a_revision_make_other_compilers() {
    if !has("gcc") || !has("git") {
        return;
    }
    let project = project();
    let git = |words: &[&str]| {
        let who = [
            "git",
            "-C",
            "cc",
            "-c",
            "user.name=T",
            "-c",
            "user.email=t@example.org",
        ];
        project.run(&[&who[..], words].concat());
    };
    git(&["init", "--quiet"]);
    git(&["add", "driver"]);
    git(&["commit", "--quiet", "--message", "one"]);
    git(&["tag", "one"]);
    project.file("cc/driver", &DRIVER.replace('1', "2"));
    git(&["commit", "--quiet", "--all", "--message", "two"]);
    project.file(
        "a.patch",
        "--- a/driver\n+++ b/driver\n@@ -1,2 +1,2 @@\n #!/bin/sh\n-exec gcc -DNUMBER=1 \"$@\"\n\
         +exec gcc -DNUMBER=3 \"$@\"\n",
    );
    let plain = definition(&project, BUILD);
    let of_one = ToolchainDefinition {
        rev: Some("one".to_owned()),
        ..plain.clone()
    };
    let patched = ToolchainDefinition {
        patch: Names(vec![
            project.root.join("a.patch").to_str().unwrap().to_owned(),
        ]),
        ..of_one.clone()
    };
    let toolchains = toolchains(&project);
    let holds = |definition: &ToolchainDefinition| {
        assert!(install(&project, definition).unwrap());
        let found = toolchains.find("mine", definition).unwrap();
        (
            fs::read_to_string(&found.driver).unwrap(),
            found.package.unwrap(),
        )
    };
    assert!(holds(&plain).0.contains("NUMBER=2"));
    let (one, from) = holds(&of_one);
    assert!(
        one.contains("NUMBER=1") && from.ends_with("/cc at one"),
        "{from}"
    );
    let (other, from) = holds(&patched);
    assert!(
        other.contains("NUMBER=3") && from.ends_with("/cc at one, with a.patch"),
        "{from}"
    );
    // It does not fit on the second one, and stays known as what could not be made.
    let wrong = ToolchainDefinition {
        rev: None,
        ..patched
    };
    let error = install(&project, &wrong).unwrap_err();
    assert!(matches!(error, ToolchainError::Make { .. }), "{error}");
    assert_eq!(toolchains.find("mine", &wrong).unwrap_err(), error);
}

#[test]
fn a_build_that_is_no_compiler_s_is_refused() {
    let project = project();
    let elsewhere = project.root.join("elsewhere");
    let refused = |build: &str| {
        let definition = definition(&project, build);
        let error = install(&project, &definition).unwrap_err();
        assert!(matches!(error, ToolchainError::Make { .. }), "{error}");
        assert_eq!(
            toolchains(&project).find("mine", &definition).unwrap_err(),
            error
        );
        error.to_string()
    };
    let said = refused("echo so; echo it is >&2; exit 7");
    assert!(
        said.contains("exit status: 7") && said.contains("it is"),
        "{said}"
    );
    let said = refused("cp driver mycc");
    assert!(said.contains("has left no program bin/mycc"), "{said}");
    let said = refused(&format!("{BUILD} && cp driver {}", elsewhere.display()));
    assert!(
        said.contains("elsewhere, where the next compiler"),
        "{said}"
    );
    fs::remove_file(elsewhere).unwrap();
    project.file("config.mk", "");
    let said = refused(&format!("{BUILD}; cat ../config.mk; true"));
    assert!(
        said.contains("looks for ../config.mk, which lies above the source"),
        "{said}"
    );
    // What failed leaves nothing that counts.
    let made = project.root.join(".proofmark/matrix/compilers");
    let records = fs::read_dir(made).unwrap().flatten().filter(|entry| {
        Path::new(&entry.file_name())
            .extension()
            .is_some_and(|of| of == "json")
    });
    assert_eq!(records.count(), 0);
}

/// As tcc does: it writes objects by itself, past every shim, and signs none. Two such compilers
/// write the same bytes, which come out of no cache.
#[test]
fn two_compilers_may_write_the_same_object() {
    if !has("gcc") {
        return;
    }
    let project = super::project();
    let driver = "#!/bin/sh\ncase \" $* \" in *\" -M \"* | *\" -MM \"*) exec gcc \"$@\" ;; *\" -c \"*)\n\
                  exec env -u COMPILER_PATH gcc -fno-ident \"$@\" ;; esac\nexec gcc \"$@\"\n";
    project.file("cc/driver", driver);
    let mut definitions = definitions(&["one", "two"], &[]);
    for (name, more) in [("one", ""), ("two", " # other")] {
        let of = definition(&project, &format!("{BUILD}{more}"));
        install(&project, &of).unwrap();
        definitions.toolchains.insert(name.to_owned(), of);
    }
    let bench = Bench::new(project, definitions);
    let workshop = bench.workshop();
    // One after the other.
    let built = workshop.build(&workshop.plan(), Some(1), &Unwatched);
    let built = built.unwrap();
    let captures = built
        .iter()
        .map(|cell| &cell.made().unwrap().capture.objects);
    let mut hashes = captures.map(|all| all.iter().map(|one| &one.hash).collect::<Vec<_>>());
    assert_eq!(hashes.next(), hashes.next());
}
