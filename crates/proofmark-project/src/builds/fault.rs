//! Why there is no build, in words.

use std::fs;
use std::path::{Path, PathBuf};

use proofmark_capture::BuildError;
use proofmark_capture::outside::{OfAnother, Touched};

use super::asked;
use super::job::Job;

/// Why there is no build.
pub(super) struct Fault {
    pub(super) why: String,
    /// Something that it read was changed under it, or by it.
    pub(super) unsettled: bool,
    pub(super) touched: Box<Touched>,
}

/// What a build changed that it goes by, so that it is made once more; with all that it touched.
pub(super) struct Changes {
    pub(super) file: PathBuf,
    pub(super) touched: Touched,
}

impl From<String> for Fault {
    fn from(why: String) -> Fault {
        Fault {
            why,
            unsettled: false,
            touched: Box::default(),
        }
    }
}

impl Fault {
    /// Of a build that goes by what it changes itself, twice.
    pub(super) fn of_changes(file: &Path, touched: Touched) -> Fault {
        Fault {
            unsettled: true,
            touched: Box::new(touched),
            why: format!(
                "the build goes by {}, and leaves it otherwise than it finds it, so that the next \
                 build of the same would find something else\n  next: let builds write into their \
                 own folder only",
                file.display()
            ),
        }
    }

    /// Of a build that goes by what the build of another cell has left.
    pub(super) fn of_another(met: &OfAnother) -> Fault {
        let by_hand = if met.removed {
            ""
        } else {
            ", or make that file by hand before all of them"
        };
        let told = met.told();
        Fault::from(format!(
            "the build {told}: with the compiler and the options of that one\n  next: let builds \
             write into their own folder only{by_hand}"
        ))
    }

    /// Of a build that was made a second time, for it had changed this the first time.
    pub(super) fn after_change(self, changes: Option<&Changes>) -> Fault {
        let Some(Changes { file, touched }) = changes else {
            return self;
        };
        let why = format!(
            "{}\n  It was built once more, for it goes by {} and had changed that; let builds \
             write into their own folder only",
            self.why,
            file.display()
        );
        Fault {
            why,
            touched: Box::new(self.touched.and(touched)),
            ..self
        }
    }
}

/// Why a build has no image, with what its file can say.
pub(super) fn which_image(error: &BuildError, job: &Job<'_>) -> String {
    match error {
        BuildError::WhichImage { candidates, .. } => {
            let source = &job.cell.axes.source;
            if let [library] = candidates.as_slice() {
                return format!(
                    "the build makes a library and no program: name it by `image = \"{}\"` in [source.{source}], and let the command of the benchmarks load it",
                    library.display()
                );
            }
            let names = candidates.iter().map(|path| path.display().to_string());
            format!(
                "the build makes {} images: say by `image` in [source.{source}] which one benchmarks run: {}",
                candidates.len(),
                names.collect::<Vec<String>>().join(", ")
            )
        }
        error => error.to_string(),
    }
}

/// A failed build in words, with what the compiler says about the options by themselves.
pub(super) fn because(error: &BuildError, tried: &asked::Tried, log: &Path) -> String {
    let log = || String::from_utf8_lossy(&fs::read(log).unwrap_or_default()).into_owned();
    if let Some(rejected) = tried.rejected_in(log) {
        return format!("the toolchain rejects its flags: {rejected}");
    }
    match error {
        // The log is shown by a command of its own.
        BuildError::BuildFailed { status, said, .. } => {
            let telling = telling(said);
            format!(
                "the build failed ({status}): {}",
                telling.unwrap_or("it said nothing").trim()
            )
        }
        error => match error.unseen() {
            Some(objects) => {
                format!("{objects}  next: compile them in the cell's own build, through {{cc}}")
            }
            None => error.to_string(),
        },
    }
}

/// The line of a failed build's output that says why. Compilers quote the source below an error,
/// and that may hold the word as well.
fn telling(said: &str) -> Option<&str> {
    let error = |line: &&str| {
        let lower = line.to_ascii_lowercase();
        ["error:", "error[", "error "].iter().any(|mark| {
            lower.find(mark).is_some_and(|at| {
                // `file.c:1:2: error:`, `ld: error:`, `make: *** [x] Error 1`, not `no_error: x`.
                lower.get(..at).is_some_and(|before| {
                    before.is_empty() || before.ends_with(' ') || before.ends_with('\u{1b}')
                })
            })
        })
    };
    let quoted = |line: &str| {
        let behind = line
            .trim_start()
            .trim_start_matches(|c: char| c.is_ascii_digit());
        line.starts_with('+') || behind.trim_start().starts_with('|')
    };
    let plain: Vec<&str> = said.lines().filter(|line| !quoted(line)).collect();
    let with_word = |line: &&&str| line.contains("error");
    plain
        .iter()
        .find(|line| error(line))
        .or_else(|| plain.iter().find(with_word))
        .or(plain.last())
        .copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_build_is_told_by_its_error_and_not_by_what_is_quoted() {
        let said = "+ cc -c a.c -DERROR=error:\nIn file included from a.c:1:\n\
            a.h:3:1: warning: unused variable 'error'\n    3 | int error: 1;\n      | ^~~ error: here\n\
            a.h:4:2: error: expected ';'\n    4 | int error\n      |     ^~~~~\nmake: *** [all] Error 1\n";
        assert_eq!(telling(said), Some("a.h:4:2: error: expected ';'"));
        let rust = "   Compiling x\nerror[E0308]: mismatched types\n --> src/main.rs:1:1\n";
        assert_eq!(telling(rust), Some("error[E0308]: mismatched types"));
        let lld = "+ ld x\nld.lld: error: undefined symbol: f\n";
        assert_eq!(telling(lld), Some("ld.lld: error: undefined symbol: f"));
        let make = "cc a.c\nmake: *** [Makefile:2: all] Error 1\n";
        assert_eq!(telling(make), Some("make: *** [Makefile:2: all] Error 1"));
        assert_eq!(telling("one\ntwo\n"), Some("two"));
        assert_eq!(telling(""), None);
    }
}
