//! Links with link-time optimisation, without repeating it.
//!
//! gcc: the linker's plugin asks `lto-wrapper` for objects; here a stand-in answers with copies of
//! the stored ones (the plugin deletes what it was given). clang: bitcode is taken out and the
//! objects that were made of it stand at the very end.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::argv::{Role, Word};
use super::stage::Tree;
use crate::LayoutError;
use crate::recipe::{InputKind, LinkerKind, Recipe};

/// Puts copies of gcc's LTO objects into `folder`, and a stand-in for `lto-wrapper` that prints
/// their names.
pub(crate) fn replay_gcc(
    words: &mut [Word],
    objects: &[PathBuf],
    folder: &Path,
) -> Result<(), LayoutError> {
    let mut answer = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        let copy = folder.join(format!("ltrans{index}.o"));
        match fs::remove_file(&copy) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(LayoutError::file("replace", &copy)(error));
            }
            _ => {}
        }
        fs::hard_link(object, &copy)
            .or_else(|_| fs::copy(object, &copy).map(|_| ()))
            .map_err(LayoutError::file("stage", object))?;
        answer.extend_from_slice(copy.as_os_str().as_bytes());
        answer.push(b'\n');
    }
    let list = folder.join("ltrans.list");
    fs::write(&list, answer).map_err(LayoutError::file("write", &list))?;
    let stand_in = folder.join("lto-wrapper");
    let mut script = b"#!/bin/sh\nexec cat '".to_vec();
    script.extend_from_slice(
        &list
            .as_os_str()
            .as_bytes()
            .iter()
            .flat_map(|byte| {
                if *byte == b'\'' {
                    b"'\\''".to_vec()
                } else {
                    vec![*byte]
                }
            })
            .collect::<Vec<_>>(),
    );
    script.extend_from_slice(b"'\n");
    fs::write(&stand_in, script).map_err(LayoutError::file("write", &stand_in))?;
    fs::set_permissions(&stand_in, fs::Permissions::from_mode(0o755))
        .map_err(LayoutError::file("make executable", &stand_in))?;
    for word in words
        .iter_mut()
        .filter(|word| word.role == Role::PluginOption)
    {
        if Path::new(&word.value).file_name() == Some(OsStr::new("lto-wrapper")) {
            word.value = stand_in.clone().into_os_string();
        }
    }
    Ok(())
}

/// The arguments with bitcode and plugins taken out and the objects put in: at the end for linkers
/// that resolve in any order, where the first bitcode stood for the others.
pub(crate) fn replace_bitcode(
    words: &mut Vec<Word>,
    recipe: &Recipe,
    tree: &Tree,
    objects: &[PathBuf],
) {
    let bitcode: Vec<OsString> = recipe
        .inputs
        .iter()
        .filter(|input| input.kind == InputKind::Bitcode)
        .map(|input| tree.argument(input.given.as_os_str()))
        .collect();
    let first = words
        .iter()
        .position(|word| word.role == Role::Input && bitcode.contains(&word.value));
    let in_order = !matches!(recipe.linker.kind, LinkerKind::Lld | LinkerKind::Mold);
    let at = first.filter(|_| in_order).unwrap_or(words.len());
    words.splice(at..at, objects.iter().map(Word::input));
    words.retain(|word| match word.role {
        Role::Input => !bitcode.contains(&word.value),
        Role::PluginOption => false,
        _ => word.name() != Some(b"plugin"),
    });
}
