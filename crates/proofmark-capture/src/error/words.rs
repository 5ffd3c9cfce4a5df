//! Parts of what is said when a build cannot be captured, found or removed.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use object::Object as _;
use proofmark_hint::quoted;

/// The ways around the shims that are known (checked on gcc 12, clang 19, mold 1.10, zig 0.13).
const BYPASSES: &str = "The linker was started past the capture. Known ways to do that: clang's `--ld-path=/absolute`, `-fuse-ld=/absolute/path`, \
                        gcc's `-B FOLDER` with an `ld` in it, an `ld` that the build starts itself and not through the compiler, `mold -run`, and `zig cc`, which links by itself. A build that clears its environment (`env -i`, Bazel) goes past it \
                        too. Build without that for the capture (`-fuse-ld=lld` or `-fuse-ld=bfd` by name are fine)";

/// What to do about programs of Go, whose linker is a part of `go build`.
const OF_GO: &str = "Go links by itself, which cannot be captured. Build both programs and compare them as they are: `proofmark compare OLD NEW`";

pub(super) fn bypass(images: &[PathBuf]) -> String {
    let why = if images.iter().any(|image| is_of_go(image)) {
        OF_GO
    } else {
        BYPASSES
    };
    format!(
        "the build made {}, and no link of it was recorded. {why}",
        list(images)
    )
}

/// Go writes a section of its own into each program.
fn is_of_go(image: &Path) -> bool {
    let data = std::fs::read(image).unwrap_or_default();
    let file = object::File::parse(&*data);
    file.is_ok_and(|file| file.section_by_name(".go.buildinfo").is_some())
}

pub(super) fn remedy(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "; make room (`proofmark builds remove NAME` frees captured builds) and try again"
        }
        io::ErrorKind::PermissionDenied => "; the folder of the store must be writable",
        _ => "",
    }
}

pub(super) fn free_bytes(free: Option<u64>) -> String {
    free.map_or_else(String::new, |free| format!(", and {} are free", size(free)))
}

#[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
pub(super) fn size(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}

pub(super) fn near_names(near: &[String], any: bool) -> String {
    match near {
        [] if any => "; `proofmark builds` lists them".to_owned(),
        [] => "; there is none yet: `proofmark capture NAME -- BUILD…` makes one".to_owned(),
        near => {
            let near: Vec<_> = near.iter().map(|name| quoted(name)).collect();
            format!("; there is {}", near.join(", "))
        }
    }
}

pub(super) fn log_hint(log: Option<&Path>, said: &str) -> String {
    let mut hint = String::new();
    if let Some(log) = log {
        let _ = write!(hint, "; its output is in {}", log.display());
    }
    if !said.is_empty() {
        let _ = write!(hint, " and ends with:\n{said}\n");
    }
    hint
}

pub(super) fn run_number(run: u32) -> String {
    if run == 0 {
        String::new()
    } else {
        format!(" when it was run again (run {run})")
    }
}

pub(super) fn perhaps(instead: &[PathBuf]) -> String {
    if instead.is_empty() {
        String::new()
    } else {
        format!("; perhaps {}", list(instead))
    }
}

/// At most a dozen paths, so that a message stays a message.
pub(super) fn list(paths: &[PathBuf]) -> String {
    const MOST: usize = 12;
    let mut shown: Vec<String> = paths
        .iter()
        .take(MOST)
        .map(|path| quoted(&path.to_string_lossy()).into_owned())
        .collect();
    if paths.is_empty() {
        shown.push("nothing".to_owned());
    }
    if paths.len() > MOST {
        shown.push(format!("and {} more", paths.len() - MOST));
    }
    shown.join(", ")
}

/// What a build has where nobody said which image is meant. One that was not taken by itself is no
/// program.
pub(super) fn which_image(candidates: &[PathBuf]) -> String {
    match candidates {
        [library] => {
            let name = quoted(&library.to_string_lossy()).into_owned();
            format!(
                "has no program, but a library\n  next: `--image {name} -- ./prog ARGS…`, where prog loads {name} from where the build left it"
            )
        }
        several => format!(
            "has {} images; say which one with `--image PATH`: {}",
            several.len(),
            list(several)
        ),
    }
}

/// Objects that nobody saw being compiled, a line each; ends with a line feed.
pub(super) fn of_unseen(objects: &[(String, String)]) -> String {
    const MOST: usize = 8;
    let mut text = format!(
        "{} object(s) in the link were not seen being compiled, so their code cannot be vouched for:\n",
        objects.len()
    );
    for (object, guess) in objects.iter().take(MOST) {
        let _ = writeln!(text, "  {object}: {guess}");
    }
    if objects.len() > MOST {
        let _ = writeln!(text, "  and {} more", objects.len() - MOST);
    }
    text
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn what_goes_past_the_capture_is_said_of_go_by_its_own_words() {
        let folder = tempfile::tempdir().unwrap();
        let object = |section: &str| {
            let [source, made] = ["s", "o"].map(|end| folder.path().join(format!("image.{end}")));
            std::fs::write(&source, format!(".section {section},\"a\"\n.byte 1\n")).unwrap();
            let mut assemble = Command::new("cc");
            assemble.arg("-c").arg(&source).arg("-o").arg(&made);
            assert!(assemble.status().unwrap().success());
            bypass(&[made])
        };
        assert!(object(".go.buildinfo").contains("compare OLD NEW"));
        assert!(object(".rodata").contains("-fuse-ld=lld"));
    }
}
