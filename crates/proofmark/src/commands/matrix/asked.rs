//! Which matrix a project's file asked for last: several files may lie in one folder, and several
//! projects may share one store.

use std::fs;
use std::path::{Path, PathBuf};

use proofmark_evidence::{MatrixId, Store};
use proofmark_hint::hint;

use crate::context::Context;
use crate::exit::Usage;

/// The folder of these notes, in that of captured builds and evidence.
const FOLDER: &str = "asked";

/// Notes that this file asked for this matrix. Without the note `matrix show` wants its id.
pub(super) fn remember(context: &Context, file: &Path, id: &MatrixId) {
    let note = note(context, file);
    if let Some(folder) = note.parent() {
        let _ = fs::create_dir_all(folder);
    }
    let _ = fs::write(note, id.as_str());
}

/// The matrix that this file asked for last.
///
/// # Errors
///
/// When it asked for none in this store: another file's is not shown in its name.
pub(super) fn last(context: &Context, file: &Path, store: &Store) -> anyhow::Result<String> {
    if let Ok(id) = fs::read_to_string(note(context, file)) {
        return Ok(id);
    }
    let Some(other) = store.latest_matrix()? else {
        // The store says it in its own words.
        return Ok("latest".to_owned());
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
    let file = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let name = blake3::hash(file.as_os_str().as_bytes()).to_hex();
    context.folder.join(FOLDER).join(name.as_str())
}
