//! A git repository in a folder of its own, with a program that prints a number.

use std::fmt::Display;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use super::{Project, Said};

/// Builds [`MAIN`] with `value.c` and `extra.c`.
pub(crate) const BUILD: &str =
    "echo building; cc -O1 -c main.c value.c extra.c && cc -no-pie -o prog main.o value.o extra.o";

/// What reads its number.
pub(crate) const METRIC: [&str; 2] = ["--metric", "stdout[steps,lower]:took ([0-9]+)"];

/// Few blocks of what prints a number. A pilot would look for a schedule that suits the machine.
pub(crate) const DESIGN: [&str; 6] = [
    "--blocks",
    "2",
    "--rounds",
    "2",
    "--schedule",
    "interleaved",
];

/// Prints the value that `value.c` has.
pub(crate) const MAIN: &str = r#"
#include <stdio.h>
int value(void);
int extra(int);
int main(int argc, char **argv) {
    (void)argv;
    printf("took %d000000\n", value());
    return extra(argc) == 1000;
}
"#;

/// Prints a higher number where `value.c` has at least what a file says, or else the build.
pub(crate) const FROM: &str = r#"
#include <stdio.h>
#ifndef FROM
#define FROM 1
#endif
int value(void);
int extra(int);
int main(int argc, char **argv) {
    int from = FROM;
    FILE *file = argc > 1 ? fopen(argv[1], "r") : 0;
    if (file && fscanf(file, "%d", &from) != 1) return 1;
    printf("took %d000000\n", value() >= from ? 105 : 100);
    return extra(argc) == 1000;
}
"#;

/// Prints a number that goes by where the linker put a function, so that a function before it
/// changes the number as shipped, and over matched layouts nothing does.
pub(crate) const PLACED: &str = r#"
#include <stdio.h>
int value(void);
int extra(int);
int main(int argc, char **argv) {
    (void)argv;
    printf("took %d000000\n", 100 + (int)(((unsigned long)&value >> 4) & 15));
    return extra(argc) == 1000;
}
"#;

/// Sums up its own code where `value.c` says so ([`summing`]), and prints 50 more where the sum is
/// not that of the build's own file, as in each layout.
pub(crate) const SUMMED: &str = r#"
#include <stdio.h>
#include <string.h>
int value(void);
int extra(int);
extern const int checks;
extern const unsigned sum;
int main(int argc, char **argv) {
    const volatile unsigned char *code = (const void *)(unsigned long)&main;
    unsigned found = 0;
    for (int i = 0; i < 256; i++)
        found = found * 31 + code[i];
    if (argc > 1 && !strcmp(argv[1], "--sum")) {
        printf("%u\n", found);
        return 0;
    }
    int more = 0;
    if (checks && found != sum)
        for (volatile int spin = 0; spin < 300000; spin++)
            more = 50;
    printf("took %d000000\n", value() + more);
    return extra(argc) == 1000;
}
"#;

/// Builds [`SUMMED`]: the second link has the sum of the first one's code among its data.
pub(crate) const BUILD_SUMMED: &str = "cc -O1 -c main.c value.c extra.c && \
    link() { echo \"const unsigned sum = $1;\" >sum.c && cc -c sum.c && \
    cc -no-pie -o prog main.o value.o extra.o sum.o; } && link 0 && link $(./prog --sum)u";

/// A `value.c` of [`SUMMED`].
pub(crate) fn summing(value: u32, checks: bool) -> String {
    let checks = u8::from(checks);
    format!("int value(void) {{ return {value}; }}\nconst int checks = {checks};\n")
}

/// Another program with the same value.
pub(crate) fn extra(more: impl Display) -> String {
    format!("int extra(int n) {{ return n + {more}; }}\n")
}

/// The document that a command printed when it was done.
pub(crate) fn document(said: &Said) -> Value {
    assert_eq!(said.code, Some(0), "{said:#?}");
    serde_json::from_str(&said.out).unwrap()
}

/// A repository in a folder of its own.
pub(crate) struct Repository {
    pub(crate) project: Project,
}

impl Repository {
    pub(crate) fn new() -> Self {
        let project = Project::new();
        fs::create_dir(project.path("repository")).unwrap();
        let repository = Repository { project };
        repository.git(&["init", "--quiet", "--initial-branch", "main"]);
        repository
    }

    pub(crate) fn folder(&self) -> PathBuf {
        self.project.path("repository")
    }

    pub(crate) fn write(&self, file: &str, content: &str) {
        fs::write(self.folder().join(file), content).unwrap();
    }

    /// git, with nothing of this user's configuration.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let said: Said = Command::new("git")
            .args([
                "-c",
                "user.name=Tester",
                "-c",
                "user.email=tester@example.org",
            ])
            .args(arguments)
            .current_dir(self.folder())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .unwrap()
            .into();
        assert_eq!(said.code, Some(0), "git {arguments:?}: {said:#?}");
        said.out.trim().to_owned()
    }

    /// Commits everything under a tag.
    pub(crate) fn commit(&self, tag: &str) {
        self.git(&["add", "--all", "."]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", tag]);
        self.git(&["tag", tag]);
    }

    pub(crate) fn name(&self, tag: &str) -> String {
        self.git(&["rev-parse", &format!("{tag}^{{commit}}")])
    }

    /// Gives a command in it, with these variables set.
    pub(crate) fn proofmark(&self, set: &[(&str, &str)], words: &[&str]) -> Said {
        let mut command = self.project.command(words);
        command
            .current_dir(self.folder())
            .env("XDG_CACHE_HOME", self.project.path("cache"))
            .env("GIT_CONFIG_GLOBAL", self.project.path("gitconfig"))
            .envs(set.iter().copied());
        command.output().unwrap().into()
    }
}
