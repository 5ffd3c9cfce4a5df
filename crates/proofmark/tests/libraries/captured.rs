//! Captured builds, each with the files that it left.

use std::fs;

use super::{build, compare, compare_with, own_answers, views, with_library};
use crate::support::Project;

fn capture(project: &Project, name: &str, image: &str, how: &[&str]) {
    let command = ["capture", name, "--image", image, "--", "sh", "build.sh"];
    project.done(&[&command[..], how].concat());
}

#[test]
fn each_build_loads_its_own_library() {
    if !views() {
        return;
    }
    let project = Project::new();
    with_library(&project);
    capture(&project, "base", "prog", &["1"]);
    capture(&project, "new", "prog", &["2"]);
    own_answers(&compare(&project, "prog", &["{}"]), "1", "2");
    // Whatever became of the disk.
    fs::remove_file(project.path("libanswer.so")).unwrap();
    fs::remove_file(project.path("prog")).unwrap();
    own_answers(&compare(&project, "prog", &["{}"]), "1", "2");
    assert!(!project.path("libanswer.so").exists() && !project.path("prog").exists());
}

#[test]
fn a_change_in_a_library_is_seen() {
    if !views() {
        return;
    }
    let project = Project::new();
    with_library(&project);
    capture(&project, "base", "prog", &["1", "8000000"]);
    capture(&project, "new", "prog", &["1", "16000000"]);
    // Three blocks say little of what slices do beside other tests, and enough of twice the time.
    let whole = ["--schedule", "interleaved"];
    let said = compare_with(&project, "prog", &whole, &["{}"]);
    assert_eq!(said.code, Some(0), "{said:#?}");
    assert!(said.out.contains("slower"), "{said:#?}");
    let words = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("libanswer.so") && words.contains("each ran with its own"),
        "{said:#?}"
    );
    // Each build's own library is an image in its record.
    let store = proofmark_evidence::Store::open(&project.path(".proofmark")).unwrap();
    let builds = store.load("latest").unwrap().experiment.builds;
    let [base, new] = [0, 1].map(|index: usize| builds[index].images.libraries.as_slice());
    let [base] = base else { panic!("{base:?}") };
    let [new] = new else { panic!("{new:?}") };
    assert_eq!(base.name.display(), "libanswer.so");
    assert_eq!(new.name.display(), "libanswer.so");
    let built = blake3::hash(&fs::read(project.path("libanswer.so")).unwrap());
    assert_eq!(new.digest, built.to_hex().as_str());
    assert_ne!(base.digest, new.digest);
}

#[test]
fn a_library_that_is_opened_by_name_is_each_builds_own() {
    if !views() {
        return;
    }
    let project = Project::new();
    project.write(
        "main.c",
        "#include <dlfcn.h>
#include <stdio.h>
int main(int c, char **v) { void *l = dlopen(v[1], RTLD_NOW); printf(\"%d\\n\", l ? ((int (*)(void))dlsym(l, \"answer\"))() : -1); }
",
    );
    project.write(
        "build.sh",
        "set -e
echo \"int answer(void) { return $1; }\" > answer.c
cc -O2 -fPIC -c answer.c
mkdir -p plugins
cc -shared -o plugins/answer.so answer.o
cc -O2 -c main.c
cc -o prog main.o -ldl
",
    );
    capture(&project, "base", "prog", &["1"]);
    capture(&project, "new", "prog", &["2"]);
    let absolute = project.path("plugins/answer.so");
    for plugin in ["plugins/answer.so", absolute.to_str().unwrap()] {
        own_answers(&compare(&project, "prog", &["{}", plugin]), "1", "2");
    }
}

/// The second build links the program alone. What the first one left beside it is the second's too,
/// and what lies there later is not.
#[test]
fn what_a_build_found_up_to_date_is_its_own() {
    if !views() {
        return;
    }
    let project = Project::new();
    project.write(
        "main.c",
        "#include <dlfcn.h>
#include <stdio.h>
int main(int c, char **v) {
    void *l = dlopen(v[1], RTLD_NOW);
    printf(\"%d\\n\", l ? OWN * ((int (*)(void))dlsym(l, \"answer\"))() : -1);
}
",
    );
    project.write(
        "build.sh",
        "set -e
if [ $1 != 2 ]; then
  echo \"int answer(void) { return 7 * $1; }\" > answer.c
  cc -O2 -fPIC -c answer.c
  cc -shared -o answer.so answer.o
fi
cc -O2 -DOWN=$1 -c main.c
cc -o prog main.o -ldl
",
    );
    capture(&project, "base", "prog", &["1"]);
    capture(&project, "new", "prog", &["2"]);
    let plugin = project.path("answer.so");
    let command = ["{}", plugin.to_str().unwrap()];
    own_answers(&compare(&project, "prog", &command), "7", "14");
    build(&project, "3");
    own_answers(&compare(&project, "prog", &command), "7", "14");
}

/// Finds its data by `/proc/self/exe`, as many programs do, and its library by `$ORIGIN`.
#[test]
fn files_beside_the_program_are_found_and_are_each_builds_own() {
    if !views() {
        return;
    }
    let project = Project::new();
    project.write(
        "main.c",
        "#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int answer(void);
int main(int c, char **v) {
    char path[4096] = {0}, *named = strdup(v[0]);
    if (readlink(\"/proc/self/exe\", path, 4000) < 0) return 1;
    int n = 0, same = !strcmp(path, realpath(named, NULL));
    strcpy(strrchr(path, '/'), \"/tune.conf\");
    FILE *f = fopen(path, \"r\");
    if (!f || fscanf(f, \"%d\", &n) != 1) return 2;
    printf(\"%s %d %d %d\\n\", strrchr(named, '/') + 1, same, n, answer());
}
",
    );
    project.write(
        "build.sh",
        "set -e
mkdir -p bin lib
echo \"int answer(void) { return $1; }\" > answer.c
cc -O2 -fPIC -shared -o lib/libanswer.so answer.c
cc -O2 -c main.c
cc -o bin/prog main.o -Llib -lanswer -Wl,-rpath,'$ORIGIN/../lib'
echo $1$1 > bin/tune.conf
",
    );
    capture(&project, "base", "bin/prog", &["1"]);
    capture(&project, "new", "bin/prog", &["2"]);
    for folder in ["bin", "lib"] {
        own_answers(
            &compare(&project, "bin/prog", &["{}"]),
            "prog 1 11 1",
            "prog 1 22 2",
        );
        // The build's folders need not be there any more.
        fs::remove_dir_all(project.path(folder)).unwrap();
    }
    own_answers(
        &compare(&project, "bin/prog", &["{}"]),
        "prog 1 11 1",
        "prog 1 22 2",
    );
    assert!(!project.path("bin").exists() && !project.path("lib").exists());
}

/// A cache that is older than its source is made anew, and folders are put in place by `mv`.
#[test]
fn files_beside_the_program_have_the_times_that_their_build_gave_them() {
    if !views() {
        return;
    }
    let project = Project::new();
    project.write(
        "main.c",
        "#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
int main(void) {
    char path[4096] = {0};
    struct stat index, source;
    int n = 0;
    if (readlink(\"/proc/self/exe\", path, 4000) < 0) return 1;
    strcpy(strrchr(path, '/'), \"\");
    if (chdir(path) || stat(\"index\", &index) || stat(\"source\", &source)) return 2;
    FILE *f = fopen(\"data/table\", \"r\");
    if (!f || fscanf(f, \"%d\", &n) != 1) return 3;
    printf(\"%d %d\\n\", n, index.st_mtime > source.st_mtime);
}
",
    );
    for table in ["1", "2"] {
        let from = project.path(&format!("from{table}"));
        fs::create_dir_all(&from).unwrap();
        fs::write(from.join("table"), table).unwrap();
    }
    project.write(
        "build.sh",
        "set -e
rm -rf bin/data
cc -O2 -c main.c
mkdir -p bin
cc -o bin/prog main.o
mv from$1 bin/data
echo 1 > bin/source; echo 1 > bin/index
touch -d \"$2\" bin/index
",
    );
    capture(&project, "base", "bin/prog", &["1", "2020-01-01"]);
    capture(&project, "new", "bin/prog", &["2", "2090-01-01"]);
    own_answers(&compare(&project, "bin/prog", &["{}"]), "1 0", "2 1");
}

/// No arm can have a link of its own: what the other build left there would be measured.
#[test]
fn a_link_or_a_folder_that_only_the_other_build_has_stops_the_comparison() {
    if !views() {
        return;
    }
    let project = Project::new();
    project.write(
        "main.c",
        "#include <unistd.h>\nint main(void) { return access(\"bin/mark\", F_OK) * 0; }\n",
    );
    project.write(
        "build.sh",
        "set -e; rm -rf bin/mark; mkdir -p bin; cc -O2 -c main.c; cc -o bin/prog main.o; $1\n",
    );
    for (name, how) in [
        ("none", ":"),
        ("one", "ln -s one bin/mark"),
        ("two", "ln -s two bin/mark"),
        ("folder", "mkdir bin/mark"),
    ] {
        capture(&project, name, "bin/prog", &[how]);
    }
    let said = |base: &str, new: &str| {
        let first = ["compare", base, new, "--image", "bin/prog", "--blocks", "3"];
        let said = project.run(&[&first[..], &["--skip", "instructions", "--", "{}"]].concat());
        assert_eq!(said.code, Some(3), "{said:#?}");
        said.err
    };
    // The folder is what lies there now.
    assert!(said("none", "folder").contains("none finds"));
    assert!(said("one", "two").contains("one was captured with another"));
    assert!(said("two", "none").contains("two was captured with another"));
}

#[test]
fn a_plugin_that_only_the_other_build_has_stops_the_comparison() {
    if !views() {
        return;
    }
    let project = Project::new();
    project.write(
        "main.c",
        "#include <dlfcn.h>\nint main(void) { return dlopen(\"./extra.so\", RTLD_NOW) ? 0 : 0; }\n",
    );
    project.write(
        "build.sh",
        "set -e\ncc -O2 -c main.c\ncc -o prog main.o -ldl\nif [ $1 = 2 ]; then echo 'int x;' > x.c; cc -fPIC -shared -o extra.so x.c; fi\n",
    );
    capture(&project, "base", "prog", &["1"]);
    capture(&project, "new", "prog", &["2"]);
    let said = compare(&project, "prog", &["{}"]);
    assert_eq!(said.code, Some(3), "{said:#?}");
    assert!(
        said.err.contains("base finds") && said.err.contains("extra.so"),
        "{said:#?}"
    );
}

/// A library is measured in layouts of its own, in the program that loads it from where the build
/// left it.
#[test]
fn a_library_is_the_image_and_a_program_loads_it() {
    if !views() {
        return;
    }
    let project = Project::new();
    with_library(&project);
    capture(&project, "base", "libanswer.so", &["1"]);
    capture(&project, "new", "libanswer.so", &["2"]);
    own_answers(&compare(&project, "libanswer.so", &["./prog"]), "1", "2");
    let said = compare(&project, "libanswer.so", &["{}"]);
    assert_eq!(said.code, Some(2), "{said:#?}");
    assert!(said.err.contains("libanswer.so is a library"), "{said:#?}");
    let said = compare(&project, "libanswer.so", &["true"]);
    assert_eq!(said.code, Some(2), "{said:#?}");
    assert!(said.err.contains("neither starts nor loads"), "{said:#?}");
}

/// A table that the build makes, away from the program.
fn with_table(project: &Project) {
    fs::create_dir_all(project.path("elsewhere")).unwrap();
    project.write(
        "main.c",
        "#include <stdio.h>
int main(void) {
    volatile int n = ANSWER;
    FILE *f = fopen(TABLE, \"r\");
    if (!f || fscanf(f, \"%d\", (int *)&n) != 1) return 2;
    printf(\"%d\\n\", n);
}
",
    );
    project.write(
        "build.sh",
        "set -e
mkdir -p bin
echo $1 > elsewhere/table
cc -O2 -DANSWER=$1 -DTABLE=\"\\\"$PWD/elsewhere/table\\\"\" -c main.c
cc -o bin/prog main.o
",
    );
}

#[test]
fn what_a_build_wrote_elsewhere_is_not_read_by_the_other() {
    let project = Project::new();
    with_table(&project);
    capture(&project, "base", "bin/prog", &["1"]);
    capture(&project, "new", "bin/prog", &["2"]);
    let said = compare(&project, "bin/prog", &["{}"]);
    assert_eq!(said.code, Some(3), "{said:#?}");
    let words = said.err.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("elsewhere/table, which the runs read, was changed while new was built"),
        "{said:#?}"
    );
    // It is said to be nobody's.
    project.write("elsewhere/table", "3");
    let said = compare(&project, "bin/prog", &["{}"]);
    assert_eq!(said.code, Some(0), "{said:#?}");
    assert!(!said.out.contains("elsewhere/table"), "{said:#?}");
}

#[test]
fn what_a_build_wrote_elsewhere_is_its_own_once_it_is_named() {
    if !views() {
        return;
    }
    let project = Project::new();
    with_table(&project);
    for (name, answer) in [("base", "1"), ("new", "2")] {
        project.done(&[
            "capture",
            name,
            "--image",
            "bin/prog",
            "--with",
            "elsewhere",
            "--",
            "sh",
            "build.sh",
            answer,
        ]);
    }
    own_answers(&compare(&project, "bin/prog", &["{}"]), "1", "2");
    let said = project.run(&[
        "capture", "new", "--with", "nowhere", "--", "sh", "build.sh", "2",
    ]);
    assert_eq!(said.code, Some(3), "{said:#?}");
    assert!(said.err.contains("--with nowhere"), "{said:#?}");
}

/// The files that a link leads to, or that came with their folder, have times of long ago.
#[test]
fn a_link_that_a_build_switches_elsewhere_is_of_that_build() {
    let project = Project::new();
    with_table(&project);
    let script = fs::read_to_string(project.path("build.sh")).unwrap();
    let put = |how: &str| {
        for table in ["1", "2"] {
            let from = project.path(&format!("from{table}"));
            fs::create_dir_all(&from).unwrap();
            fs::write(from.join("table"), table).unwrap();
        }
        fs::remove_dir(project.path("elsewhere")).unwrap_or_default();
        project.write(
            "build.sh",
            &script.replace("echo $1 > elsewhere/table", how),
        );
        capture(&project, "base", "bin/prog", &["1"]);
        capture(&project, "new", "bin/prog", &["2"]);
        let said = compare(&project, "bin/prog", &["{}"]);
        assert_eq!(said.code, Some(3), "{said:#?}");
        let words = said.err.split_whitespace().collect::<Vec<_>>().join(" ");
        let changed = "elsewhere, which the runs read, was changed while new was built";
        assert!(words.contains(changed), "{said:#?}");
    };
    put("ln -sfn from$1 elsewhere");
    put("rm -rf elsewhere; mv from$1 elsewhere");
}
