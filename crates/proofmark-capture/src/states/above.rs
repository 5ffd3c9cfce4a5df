//! Configuration above the repository that a build would find: reproduced at the same distance from
//! the copy, and known by its content.

use std::env;
use std::fs;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Component, Path, PathBuf};

use proofmark_terms::Digest;

use super::error::RevisionError;
use crate::objects::{hash_bytes, hash_file};

/// Files that tools look for in every folder upwards, whatever the distance.
const SEARCHED: [&str; 12] = [
    ".cargo/config",
    ".cargo/config.toml",
    ".mise.toml",
    ".tool-versions",
    "Cargo.lock",
    "Cargo.toml",
    "go.mod",
    "go.work",
    "mise.toml",
    "rust-toolchain",
    "rust-toolchain.toml",
    "WORKSPACE",
];

/// Names of files that builds read by a path relative to their own, such as `-include ../local.mk`.
const BY_PATH: [&str; 5] = [
    "CMakeLists.txt",
    "CMakePresets.json",
    "GNUmakefile",
    "Makefile",
    "makefile",
];

/// The same, by how the name ends.
const BY_ENDING: [&str; 4] = ["cmake", "mak", "make", "mk"];

/// Where a copy goes, and what it finds above itself.
#[derive(Debug)]
pub struct Above {
    root: PathBuf,
    /// The file, and where it is reproduced.
    reproduced: Vec<(PathBuf, PathBuf)>,
    /// BLAKE3 of all of it, in hexadecimal.
    hash: Digest,
}

impl Above {
    /// Looks at the folders above a repository, and for a place outside of it that has no
    /// configuration of its own above.
    ///
    /// # Errors
    /// When there is no such place, a file cannot be read, or rustup has something to say about the
    /// repository's folder alone.
    pub fn look(top: &Path, build_folder: &Path) -> Result<Above, RevisionError> {
        rustup_override(build_folder)?;
        let root = place(top)?;
        let shared = |folder: &Path| root.starts_with(folder);
        let mut reproduced = Vec::new();
        let mut hasher = blake3::Hasher::new();
        let mut note = |file: &Path| -> Result<(), RevisionError> {
            let content =
                hash_file(file).map_err(|error| RevisionError::file("read", file, error))?;
            hasher
                .update(file.as_os_str().as_encoded_bytes())
                .update(b"\0");
            hasher.update(content.as_bytes());
            Ok(())
        };
        for folder in top.ancestors().skip(1) {
            for file in searched(folder) {
                note(&file)?;
                // What both places lie in is found by itself, and would count twice.
                if !shared(folder) {
                    reproduced.push((file.clone(), inside(&root, &file)));
                }
            }
            for file in by_path(folder) {
                note(&file)?;
                reproduced.push((file.clone(), inside(&root, &file)));
            }
        }
        for file in of_home() {
            note(&file)?;
        }
        Ok(Above {
            root,
            reproduced,
            hash: hasher.finalize().into(),
        })
    }

    /// Known by the content of everything that was found.
    #[must_use]
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// The folder that stands for the file system's root.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Where the copy of a file or folder goes.
    #[must_use]
    pub fn copy_of(&self, path: &Path) -> PathBuf {
        inside(&self.root, path)
    }

    pub(super) fn reproduce(&self) -> Result<(), RevisionError> {
        for (file, copy) in &self.reproduced {
            let made = copy
                .parent()
                .map_or(Ok(()), fs::create_dir_all)
                .and_then(|()| fs::copy(file, copy));
            made.map_err(|error| RevisionError::file("copy", file, error))?;
        }
        Ok(())
    }
}

fn inside(root: &Path, path: &Path) -> PathBuf {
    let below = path
        .components()
        .filter(|part| matches!(part, Component::Normal(_)));
    root.join(below.collect::<PathBuf>())
}

/// What tools that look upwards find in one folder. cargo reads its home's configuration in any
/// case, and once only.
fn searched(folder: &Path) -> Vec<PathBuf> {
    let home = cargo_home().and_then(|home| home.canonicalize().ok());
    let of_home = |file: &Path| {
        let parent = file.parent().and_then(|parent| parent.canonicalize().ok());
        parent.is_some() && parent == home
    };
    let files = SEARCHED.map(|name| folder.join(name));
    files
        .into_iter()
        .filter(|file| file.is_file() && !of_home(file))
        .collect()
}

fn by_path(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut found: Vec<PathBuf> = files
        .filter(|file| {
            let name = file.file_name().unwrap_or_default();
            let ending = file.extension().unwrap_or_default();
            (BY_PATH.iter().any(|known| name == *known)
                || BY_ENDING.iter().any(|known| ending == *known))
                && !is_for_a_moment(file)
                && file.is_file()
        })
        .collect();
    found.sort();
    found
}

/// Whether it is called like what gcc writes for `make` while it links, `ccPKS4ok.mk`, and removes
/// soon: a repository may lie where temporary files do.
fn is_for_a_moment(file: &Path) -> bool {
    let stem = file.file_stem().unwrap_or_default().as_encoded_bytes();
    stem.len() == "ccXXXXXX".len()
        && stem.starts_with(b"cc")
        && stem.iter().all(u8::is_ascii_alphanumeric)
}

/// Configuration that holds wherever a build runs.
fn of_home() -> Vec<PathBuf> {
    let cargo = cargo_home().map(|home| ["config", "config.toml"].map(|name| home.join(name)));
    let files = cargo.into_iter().flatten().chain(rustup_settings());
    files.filter(|file| file.is_file()).collect()
}

fn home() -> Option<PathBuf> {
    env::var_os("HOME")
        .filter(|home| !home.is_empty())
        .map(PathBuf::from)
}

fn cargo_home() -> Option<PathBuf> {
    env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(home()?.join(".cargo")))
}

fn rustup_settings() -> Option<PathBuf> {
    let folder = env::var_os("RUSTUP_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(home()?.join(".rustup")))?;
    Some(folder.join("settings.toml"))
}

/// A toolchain that was chosen for the folder, and so would not be chosen for a copy of it.
fn rustup_override(folder: &Path) -> Result<(), RevisionError> {
    if env::var_os("RUSTUP_TOOLCHAIN").is_some() {
        return Ok(());
    }
    let text = rustup_settings().and_then(|file| fs::read_to_string(file).ok());
    let table: Option<toml::Table> = text.and_then(|text| text.parse().ok());
    let overrides = table.as_ref().and_then(|table| table.get("overrides"));
    for (place, toolchain) in overrides
        .and_then(toml::Value::as_table)
        .into_iter()
        .flatten()
    {
        if folder.starts_with(place) {
            return Err(RevisionError::RustupOverride {
                folder: PathBuf::from(place),
                toolchain: toolchain.as_str().unwrap_or_default().to_owned(),
            });
        }
    }
    Ok(())
}

/// A place for the copies of a repository. It depends on the repository alone, for it ends up in
/// the code.
fn place(top: &Path) -> Result<PathBuf, RevisionError> {
    let mut reasons = Vec::new();
    let cache = env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .filter(|cache| cache.is_absolute())
        .or_else(|| Some(home()?.join(".cache")));
    for base in cache.into_iter().map(Ok).chain([temporary()]) {
        let base = match base {
            Ok(base) => base.join("proofmark/revisions"),
            Err(reason) => {
                reasons.push(reason);
                continue;
            }
        };
        match unsuitable(&base, top) {
            None => {
                let hash = hash_bytes(top.as_os_str().as_encoded_bytes());
                let base = base.canonicalize().unwrap_or(base);
                return Ok(base.join(hash.get(..16).unwrap_or(&hash)));
            }
            Some(reason) => reasons.push(reason),
        }
    }
    Err(RevisionError::NoPlace { reasons })
}

/// Why copies cannot be written below a folder.
fn unsuitable(base: &Path, top: &Path) -> Option<String> {
    if let Err(error) = fs::create_dir_all(base) {
        return Some(format!("{} cannot be made ({error})", base.display()));
    }
    let base = match base.canonicalize() {
        Ok(base) => base,
        Err(error) => return Some(format!("{} cannot be opened ({error})", base.display())),
    };
    if base.starts_with(top) {
        return Some(format!("{} is inside the repository", base.display()));
    }
    let foreign = |folder: &&Path| !top.starts_with(folder);
    let found = base.ancestors().filter(foreign).flat_map(searched).next();
    found.map(|file| format!("{} would be read by builds", file.display()))
}

/// A folder in the system's place for temporary files that nobody else can write to.
fn temporary() -> Result<PathBuf, String> {
    let user = rustix::process::getuid().as_raw();
    let folder = env::temp_dir().join(format!("proofmark-{user}"));
    match fs::DirBuilder::new().mode(0o700).create(&folder) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            return Err(format!("{} cannot be made ({error})", folder.display()));
        }
        _ => {}
    }
    let own = fs::symlink_metadata(&folder)
        .is_ok_and(|about| about.is_dir() && about.uid() == user && about.mode() & 0o022 == 0);
    if own {
        Ok(folder)
    } else {
        Err(format!(
            "{} is not a folder of this user's own",
            folder.display()
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_linker_leaves_for_a_moment_is_no_configuration() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["ccPKS4ok.mk", "local.mk", "ccache.mk", "cc-rules.mk"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let found = by_path(folder.path());
        let names: Vec<&std::ffi::OsStr> =
            found.iter().filter_map(|file| file.file_name()).collect();
        assert_eq!(names, ["cc-rules.mk", "ccache.mk", "local.mk"]);
    }
}
