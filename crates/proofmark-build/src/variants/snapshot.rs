//! The state of a source: its files by content, and a clean copy of them.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

use super::source::Source;
use crate::memory::Memory;
use crate::objects::hash_file;
use crate::stamp::Stamp;

/// Folders that are never sources.
const NEVER: [&str; 2] = [".git", ".proofmark"];

/// A source's files as they are now.
#[derive(Clone, Debug)]
pub(crate) struct Snapshot {
    folder: PathBuf,
    content: Content,
    /// Absolute.
    patches: Vec<PathBuf>,
    /// BLAKE3 of all of it, in hexadecimal.
    pub(crate) hash: String,
}

#[derive(Clone, Debug)]
enum Content {
    /// Files of the folder, relative to it, in order.
    Files(Vec<PathBuf>),
    /// A tree of a repository, and the repository's folder.
    Tree { id: String, repository: PathBuf },
}

/// What is known of a file from the last time.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
struct Known {
    file: PathBuf,
    stamp: Stamp,
    hash: String,
    compiled: bool,
}

impl Snapshot {
    /// Looks at a source. `project` is the folder of the project's file.
    pub(crate) fn of(source: &Source, project: &Path, memory: &Memory) -> Result<Snapshot, String> {
        let folder = project.join(&source.path);
        let folder = folder
            .canonicalize()
            .map_err(|error| format!("cannot open the source {}: {error}", folder.display()))?;
        let mut hasher = blake3::Hasher::new();
        let content = match &source.rev {
            Some(rev) => {
                let id = tree(&folder, rev)?;
                hasher.update(id.as_bytes());
                let repository = git(&folder, &["rev-parse", "--show-toplevel"])?.into();
                Content::Tree { id, repository }
            }
            None => Content::Files(files(&folder, project, memory, &mut hasher)?),
        };
        let mut patches = Vec::new();
        for patch in &source.patches {
            let place = project.join(patch);
            let hash = hash_file(&place)
                .map_err(|error| format!("cannot read the patch {}: {error}", place.display()))?;
            hasher.update(b"patch").update(hash.as_bytes());
            patches.push(place);
        }
        Ok(Snapshot {
            folder,
            content,
            patches,
            hash: hasher.finalize().to_hex().to_string(),
        })
    }

    /// Writes a clean copy, patches applied, into an empty folder.
    pub(crate) fn copy_to(&self, place: &Path) -> Result<(), String> {
        let failed = |error: io::Error| format!("cannot copy {}: {error}", self.folder.display());
        match &self.content {
            Content::Files(files) => {
                for file in files {
                    copy(&self.folder.join(file), &place.join(file)).map_err(failed)?;
                }
            }
            Content::Tree { id, repository } => unpack(repository, id, place)?,
        }
        self.patches
            .iter()
            .try_for_each(|patch| apply(patch, place))
    }
}

/// The tree of a revision, at the folder's place in its repository.
fn tree(folder: &Path, rev: &str) -> Result<String, String> {
    let prefix = git(folder, &["rev-parse", "--show-prefix"])?;
    let prefix = prefix.trim_end_matches('/');
    let asked = if prefix.is_empty() {
        format!("{rev}^{{tree}}")
    } else {
        format!("{rev}^{{commit}}:{prefix}")
    };
    git(
        folder,
        &[
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            &asked,
        ],
    )
    .map_err(|_| {
        format!(
            "`{rev}` is no revision of the repository of {}",
            folder.display()
        )
    })
    .map(|said| said.lines().last().unwrap_or_default().to_owned())
}

fn git(folder: &Path, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cannot start git: {error}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
    if output.status.success() {
        Ok(text(&output.stdout))
    } else {
        Err(format!("git: {}", text(&output.stderr)))
    }
}

/// From the repository's top: in a folder inside, `git archive` looks for that folder in the tree.
fn unpack(repository: &Path, tree: &str, place: &Path) -> Result<(), String> {
    let mut child = Command::new("git")
        .arg("-C")
        .arg(repository)
        .args(["archive", "--format=tar", tree])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot start git: {error}"))?;
    let unpacked = child.stdout.take().map(|out| {
        let mut archive = tar::Archive::new(out);
        archive.set_preserve_mtime(true);
        archive.unpack(place)
    });
    let ended = child
        .wait_with_output()
        .map_err(|error| error.to_string())?;
    if !ended.status.success() {
        return Err(format!(
            "git: {}",
            String::from_utf8_lossy(&ended.stderr).trim_end()
        ));
    }
    match unpacked {
        Some(Err(error)) => Err(format!(
            "cannot unpack tree {tree} of {}: {error}",
            repository.display()
        )),
        _ => Ok(()),
    }
}

/// `git apply` without a repository around it: inside of one it passes over what lies outside of the present folder, and says nothing.
fn apply(patch: &Path, place: &Path) -> Result<(), String> {
    let output = Command::new("git")
        .args(["apply", "--whitespace=nowarn"])
        .arg(patch)
        .current_dir(place)
        .env("GIT_CEILING_DIRECTORIES", place.parent().unwrap_or(place))
        .env_remove("GIT_DIR")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cannot start git to apply {}: {error}", patch.display()))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said: Vec<&str> = said.lines().take(6).collect();
    Err(format!(
        "the patch {} does not apply: {}",
        patch.display(),
        said.join(" / ")
    ))
}

/// The files of a folder, hashed. Those that git ignores are none of the source, nor are compiled files where there is no git to ask.
fn files(
    folder: &Path,
    project: &Path,
    memory: &Memory,
    hasher: &mut blake3::Hasher,
) -> Result<Vec<PathBuf>, String> {
    let failed = |error: io::Error| format!("cannot read {}: {error}", folder.display());
    let listed = listed_by_git(folder);
    let by_git = listed.is_some();
    let mut found = match listed {
        Some(listed) => listed,
        None => walked(folder).map_err(failed)?,
    };
    let project_file = project
        .canonicalize()
        .unwrap_or_else(|_| project.to_owned());
    let project_file = project_file.join("proofmark.toml");
    found.retain(|file| folder.join(file) != project_file);
    let key = format!("source {}", folder.display());
    let known: Vec<Known> = memory.get(&key).unwrap_or_default();
    let mut now = Vec::new();
    let mut kept = Vec::new();
    for file in found {
        // A file may have been removed since git listed it.
        let Some(look) = look(folder, &file, &known).map_err(failed)? else {
            continue;
        };
        let (kind, content): (&[u8], &[u8]) = match &look {
            Look::Link(target) => (b"link", target.as_os_str().as_bytes()),
            Look::File { known, .. } if known.compiled && !by_git => (b"", b""),
            Look::File {
                known,
                program: true,
            } => (b"program", known.hash.as_bytes()),
            Look::File { known, .. } => (b"file", known.hash.as_bytes()),
        };
        if !kind.is_empty() {
            let name = file.as_os_str().as_bytes();
            hasher.update(&name.len().to_le_bytes()).update(name);
            hasher.update(kind).update(content).update(b"\n");
            kept.push(file);
        }
        if let Look::File { known, .. } = look
            && known.stamp.settled()
        {
            now.push(known);
        }
    }
    if now != known {
        memory.put(&key, &now);
    }
    Ok(kept)
}

/// A file as it is now.
enum Look {
    Link(PathBuf),
    File { known: Known, program: bool },
}

/// Reads a file, unless its content is known; `None` for what is neither a file nor a link.
fn look(folder: &Path, file: &Path, known: &[Known]) -> io::Result<Option<Look>> {
    let place = folder.join(file);
    let Ok(about) = fs::symlink_metadata(&place) else {
        return Ok(None);
    };
    if about.is_symlink() {
        return Ok(Some(Look::Link(fs::read_link(&place)?)));
    }
    if !about.is_file() {
        return Ok(None);
    }
    let stamp = Stamp::from(&about);
    let at = known.binary_search_by(|known| known.file.as_path().cmp(file));
    let known = at.ok().and_then(|at| known.get(at));
    let known = match known.filter(|known| known.stamp == stamp) {
        Some(known) => known.clone(),
        None => Known {
            hash: hash_file(&place)?,
            compiled: is_compiled(&place),
            file: file.to_owned(),
            stamp,
        },
    };
    Ok(Some(Look::File {
        known,
        program: about.permissions().mode() & 0o100 != 0,
    }))
}

/// Tracked files and new ones that are not ignored, sorted; `None` outside of a repository, and where it has none of the folder's files.
fn listed_by_git(folder: &Path) -> Option<Vec<PathBuf>> {
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(["ls-files", "-coz", "--exclude-standard"])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let names = output
        .stdout
        .split(|byte| *byte == 0)
        .filter(|name| !name.is_empty());
    let mut files = Vec::new();
    for name in names {
        let file = PathBuf::from(OsStr::from_bytes(name));
        let place = folder.join(&file);
        // A repository inside of this one is listed as a folder.
        if place.is_dir() && !place.is_symlink() {
            let inside = walked(&place).unwrap_or_default();
            files.extend(inside.into_iter().map(|below| file.join(below)));
        } else if !in_a_folder_of_ours(&file) {
            files.push(file);
        }
    }
    files.sort();
    files.dedup();
    (output.status.success() && !files.is_empty()).then_some(files)
}

fn in_a_folder_of_ours(file: &Path) -> bool {
    file.iter()
        .any(|part| NEVER.iter().any(|never| part == *never))
}

fn walked(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let walk = walkdir::WalkDir::new(folder)
        .into_iter()
        .filter_entry(|entry| {
            entry.depth() == 0 || !NEVER.iter().any(|never| entry.file_name() == *never)
        });
    let mut files = Vec::new();
    for entry in walk {
        let entry = entry?;
        if !entry.file_type().is_dir()
            && let Ok(file) = entry.path().strip_prefix(folder)
        {
            files.push(file.to_owned());
        }
    }
    files.sort();
    Ok(files)
}

/// ELF, or an archive of objects.
fn is_compiled(file: &Path) -> bool {
    use std::io::Read;
    let mut first = [0; 8];
    let read = fs::File::open(file).and_then(|mut file| file.read(&mut first));
    read.is_ok()
        && (first.starts_with(b"\x7fELF") || first == *b"!<arch>\n" || first == *b"!<thin>\n")
}

/// A file or symbolic link with its times: builds compare them.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    let about = fs::symlink_metadata(from)?;
    if about.is_symlink() {
        return std::os::unix::fs::symlink(fs::read_link(from)?, to);
    }
    reflink_copy::reflink_or_copy(from, to)?;
    let mut mode = about.permissions();
    mode.set_mode(mode.mode() | 0o200);
    fs::set_permissions(to, mode)?;
    let times = fs::FileTimes::new().set_modified(about.modified()?);
    fs::File::options().write(true).open(to)?.set_times(times)
}
