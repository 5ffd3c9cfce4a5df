//! Which matrix a project's file asked for last: several files may lie in one folder, and several
//! projects may share one store.

use std::fs;
use std::path::{Path, PathBuf};

use proofmark_evidence::{MatrixId, Store};
use proofmark_hint::hint;
use proofmark_project::said_by;
use proofmark_terms::Digest;

use crate::context::Context;
use crate::exit::Usage;

/// The folder of these notes, in that of captured builds and evidence.
const FOLDER: &str = "asked";

/// Notes that a project's file asked for this matrix. Without the note `matrix show` wants its id.
/// `says` is what the file said when it did.
pub(super) fn remember(context: &Context, file: &Path, says: Option<&Digest>, id: &MatrixId) {
    let note = note(context, file);
    if let Some(folder) = note.parent() {
        let _ = fs::create_dir_all(folder);
    }
    let _ = fs::write(note, format!("{id}\n{}\n", says.map_or("", Digest::as_str)));
}

/// The matrix that a file asked for last.
pub(super) struct Last {
    pub(super) id: String,
    /// The file says something else now.
    pub(super) has_changed: bool,
}

/// The matrix that this file asked for last.
///
/// # Errors
///
/// When it asked for none in this store: another file's is not shown in its name.
pub(super) fn last(context: &Context, file: &Path, store: &Store) -> anyhow::Result<Last> {
    if let Ok(note) = fs::read_to_string(note(context, file)) {
        let (id, said) = note.split_once('\n').unwrap_or((&note, ""));
        let says = said_by(file);
        return Ok(Last {
            id: id.to_owned(),
            has_changed: says.as_deref() != Some(said.trim_end()),
        });
    }
    let Some(other) = store.latest_matrix()? else {
        // The store says it in its own words.
        return Ok(Last {
            id: "latest".to_owned(),
            has_changed: false,
        });
    };
    Err(Usage(format!(
        "{} has asked for no matrix in {}: `proofmark matrix run` does; {} shows the last one of \
         another file",
        file.display(),
        context.folder.display(),
        hint("matrix show", &[other.short()]),
    ))
    .into())
}

fn note(context: &Context, file: &Path) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    // A file that is a link to another project's is this project's all the same.
    let folder = file.parent().and_then(|folder| {
        let here = folder.as_os_str().is_empty();
        if here { Path::new(".") } else { folder }
            .canonicalize()
            .ok()
    });
    let of_folder = folder.zip(file.file_name());
    let file = of_folder.map_or_else(|| file.to_owned(), |(folder, name)| folder.join(name));
    let name = blake3::hash(file.as_os_str().as_bytes()).to_hex();
    context.folder.join(FOLDER).join(name.as_str())
}
