//! Warnings about what runs read and what they are given, in words.

use proofmark_terms::OsText;

use super::{Said, and_more, said};

pub(super) fn between(file: &OsText, more: u32) -> Said {
    said(
        format!(
            "the runs of all builds read {}{} as it is now, and it was changed after one build \
             was made and before another was",
            file.display(),
            and_more(more)
        ),
        "if each build has one of its own, capture each of them with `--with FILE`",
    )
}

pub(super) fn not_watched(why: &str) -> Said {
    said(
        format!(
            "not every file that runs read is known and watched, beside those that the command \
             names: {why}"
        ),
        "",
    )
}

pub(super) fn left_out(names: &[String]) -> Said {
    let first = names.first().map(String::as_str).unwrap_or_default();
    said(
        format!(
            "runs do not get {}, which {} set here and which the program, or what it \
             loads, may read",
            names.join(", "),
            if names.len() == 1 { "is" } else { "are" }
        ),
        format!(
            "--env {first}=\"${first}\" passes it; `env -u {first} proofmark …` takes it \
             away here"
        ),
    )
}

pub(super) fn own_files(files: &[OsText], more: u32) -> Said {
    let files: Vec<_> = files.iter().map(OsText::display).collect();
    said(
        format!(
            "beside the program the builds differ in {}{}; each ran with its own. Layouts move \
             nothing in these: of a library, a difference may be where its code and data lie",
            files.join(", "),
            and_more(more)
        ),
        "docs/libraries.md says how the layouts of a library are drawn",
    )
}

pub(super) fn not_at_its_place(why: &str) -> Said {
    said(
        format!(
            "captured images ran from copies of their folders and not where their builds left \
             them: {why}"
        ),
        "allow private mount namespaces (user namespaces) to this user",
    )
}

pub(super) fn libraries_not_traced(why: &str) -> Said {
    said(
        format!("which libraries each build mapped was not looked at: {why}"),
        "",
    )
}
