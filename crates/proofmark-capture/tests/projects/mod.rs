//! Whole build systems: cmake with Ninja, a configure script, cargo, and compiler caches.

mod rust;
use std::fs;
use std::path::Path;

use crate::support::{Project, c_program, has};
use proofmark_capture::{BuildError, Compile, RelinkCheck, Seen, capture};

#[test]
fn cmake_with_ninja() {
    if !has("cmake") || !has("ninja") || !has("g++") {
        return;
    }
    let project = Project::new();
    c_program(&project).file(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.13)\nproject(p C CXX)\ninclude(CheckIPOSupported)\ncheck_ipo_supported(RESULT ipo OUTPUT why)\nfile(WRITE ${CMAKE_BINARY_DIR}/ipo \"${ipo}\")\nset(CMAKE_BUILD_TYPE Release)\nadd_library(twice STATIC twice.c)\nadd_executable(prog main.c)\ntarget_link_libraries(prog twice m)\nadd_executable(other other.cc)\n",
    );
    project.file("other.cc", "#include <stdexcept>\nint main() { try { throw std::runtime_error(\"x\"); } catch (const std::exception&) { return 0; } return 1; }\n");
    let capture = project.capture(&["sh", "-ec", "cmake -G Ninja -B out . && cmake --build out"]);
    assert_eq!(capture.links.len(), 2, "{capture:?}");
    assert!(
        capture
            .links
            .iter()
            .all(|link| link.relink == RelinkCheck::Identical && link.problems.is_empty()),
        "{capture:?}"
    );
    assert_eq!(
        fs::read_to_string(project.root.join("out/ipo")).unwrap(),
        "YES"
    );
    assert!(
        capture
            .objects
            .iter()
            .all(|object| object.seen == Seen::Compiled),
        "{:?}",
        capture.objects
    );
    let other = capture.image(Some(Path::new("out/other"))).unwrap();
    assert!(capture.objects.iter().any(|object| {
        object
            .compiler
            .as_ref()
            .is_some_and(|compiler| compiler.ends_with("cc1plus"))
    }));
    assert!(
        std::process::Command::new(&other.image)
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(project.builds().find("base").unwrap().links.len(), 2);
}

#[test]
fn a_configure_script_leaves_none_of_its_probes() {
    if !has("gcc") || !has("make") {
        return;
    }
    let project = Project::new();
    c_program(&project).file(
        "Makefile",
        "prog: main.o twice.o\n\tgcc -o $@ main.o twice.o -lm\n",
    );
    project.file(
        "configure",
        "#!/bin/sh\nset -e\nfor f in sin cos nosuchfunction_; do\n echo \"char $f(); int main(void) { return $f(); }\" > conftest.c\n if gcc -o conftest conftest.c -lm 2>/dev/null; then echo \"$f yes\"; else echo \"$f no\"; fi\n rm -f conftest conftest.c\ndone > config.result\n",
    );
    let capture = project.capture(&["sh", "-ec", "sh configure && make"]);
    assert_eq!(capture.links.len(), 1);
    assert_eq!(
        fs::read_to_string(project.root.join("config.result")).unwrap(),
        "sin yes\ncos yes\nnosuchfunction_ no\n"
    );
    let link = &capture.links[0];
    let inputs: std::collections::HashSet<_> = (link.recipe.inputs.iter())
        .chain(&link.as_built().inputs)
        .map(|input| input.hash.clone())
        .collect();
    let stored = walkdir::WalkDir::new(project.root.join(".proofmark/objects"))
        .into_iter()
        .filter(|entry| entry.as_ref().unwrap().file_type().is_file())
        .count();
    // What `configure` wrote beside the program may be read by it.
    let beside: Vec<_> = capture.links[0]
        .companions
        .iter()
        .filter(|file| file.blob.is_some())
        .filter_map(|file| file.path.file_name())
        .collect();
    assert_eq!(beside, ["config.result"]);
    assert_eq!(
        stored,
        inputs.len() + 2 + beside.len() + link.texts.len(),
        "the capture's record, the link's inputs and their texts, its image and what lies beside \
         it, nothing of the probes"
    );
}

#[test]
fn a_compiler_cache_is_known_by_what_it_brings() {
    if !has("ccache") {
        return;
    }
    for compiler in ["gcc", "clang-19"] {
        if has(compiler) {
            cached_by(compiler);
        }
    }
}

/// A cache that is warm without a capture, then cold for captures, then warm for them.
fn cached_by(compiler: &str) {
    let project = Project::new();
    c_program(&project);
    let script = format!(
        "ccache {compiler} -O2 -c main.c; ccache {compiler} -O2 -c twice.c; {compiler} main.o twice.o -lm -o prog"
    );
    let cache = project.root.join("cache");
    let run = |name: &str| {
        let mut request = project.request(name, &["sh", "-ec", &script]);
        request
            .env
            .push(("CCACHE_DIR".into(), cache.clone().into()));
        capture(&project.builds(), &request)
    };
    let plain = std::process::Command::new("sh")
        .args(["-ec", &script])
        .env("CCACHE_DIR", &cache)
        .current_dir(&project.root)
        .status()
        .unwrap();
    assert!(plain.success());
    let cold = run("cold").unwrap();
    let seen = |seen: &Seen, capture: &proofmark_capture::Capture| {
        capture.objects.iter().all(|object| object.seen == *seen)
    };
    assert!(
        seen(&Seen::Compiled, &cold),
        "objects without function sections are not taken from the cache: {:?}",
        cold.objects
    );
    let warm = run("warm").unwrap();
    assert!(
        seen(
            &Seen::Earlier {
                capture: "cold".to_owned()
            },
            &warm
        ),
        "{:?}",
        warm.objects
    );
    project.builds().remove("cold").unwrap();
    project.builds().remove("warm").unwrap();
    let error = run("again").unwrap_err();
    assert!(
        matches!(&error, BuildError::Unseen { objects } if objects.len() == 2),
        "{error}"
    );
}

#[test]
fn repeated_and_pristine_builds() {
    if !has("gcc") || !has("make") {
        return;
    }
    let project = Project::new();
    c_program(&project).file("Makefile", "prog: main.o twice.o\n\tgcc -O2 -o $@ main.o twice.o -lm\n%.o: %.c\n\tgcc -O2 -DSEED=`wc -l < runs` -c $<\nclean:\n\trm -f *.o prog\n");
    project.file("twice.c", "int seed = SEED * 1;\nint twice(int x) { return x * 2; }\nint thrice(int x) { return x * 3; }\n");
    let mut request = project.request("base", &["sh", "-ec", "make clean; echo >> runs; make"]);
    request.repeat = 3;
    request.compile = Compile::Once;
    request.pristine = true;
    let capture = capture(&project.builds(), &request).unwrap();
    let images = capture.images(None).unwrap();
    assert_eq!(images.len(), 3);
    let hashes: std::collections::HashSet<_> =
        images.iter().map(|link| link.image_hash.clone()).collect();
    assert_eq!(hashes.len(), 3);
    assert!(
        images
            .iter()
            .all(|link| link.relink == RelinkCheck::Identical)
    );
    let pristine = images[0].pristine.as_ref().unwrap();
    assert_eq!(
        fs::read(&pristine.image).unwrap(),
        fs::read(project.root.join("prog")).unwrap()
    );
    let sections = std::process::Command::new("objdump")
        .args(["-h", "twice.o"])
        .current_dir(&project.root)
        .output()
        .unwrap();
    assert!(
        !String::from_utf8(sections.stdout)
            .unwrap()
            .contains(".text.twice"),
        "the last build was without function sections"
    );

    let mut lazy = project.request("lazy", &["make"]);
    lazy.repeat = 2;
    project.run(&["make", "clean"]);
    let error = proofmark_capture::capture(&project.builds(), &lazy).unwrap_err();
    assert!(
        matches!(error, BuildError::NothingLinked { run: 2 }),
        "{error}"
    );
    assert!(error.to_string().contains("run 2"));
}
