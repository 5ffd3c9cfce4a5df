//! What git says of a source: its files, a revision's tree, and a copy of that. An error of git's
//! is an error: nothing else is taken instead.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::checkout::{defined_filters, filled};

/// Variables by which git is told of another repository than the folder's own, as in a hook.
const ELSEWHERE: [&str; 12] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CEILING_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// A tree of a repository.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    pub(super) id: String,
    repository: PathBuf,
    /// The source's folder.
    folder: PathBuf,
    /// Its place in the repository.
    prefix: String,
    /// The revision's whole tree.
    whole: String,
}

/// A symbolic link of a tree, and where it leads.
pub(super) struct TreeLink {
    pub(super) file: PathBuf,
    pub(super) target: PathBuf,
}

/// git, told of nothing but the folder that it is started in.
pub(super) fn git(folder: &Path) -> Command {
    let mut command = Command::new("git");
    command.current_dir(folder).stdin(Stdio::null());
    for variable in ELSEWHERE {
        command.env_remove(variable);
    }
    command
}

fn output(command: &mut Command) -> Result<Output, String> {
    let output = command
        .output()
        .map_err(|error| format!("cannot start git: {error}"))?;
    if output.status.success() {
        return Ok(output);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = said
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    Err(format!("git: {}", lines.join(" / ")))
}

fn said(folder: &Path, arguments: &[&str]) -> Result<Vec<u8>, String> {
    Ok(output(git(folder).args(arguments))?.stdout)
}

fn line(folder: &Path, arguments: &[&str]) -> Result<PathBuf, String> {
    let text = said(folder, arguments)?;
    let text = text.strip_suffix(b"\n").unwrap_or(&text);
    Ok(PathBuf::from(OsStr::from_bytes(text)))
}

/// Tracked files of a folder and new ones that are not ignored, sorted; `None` outside of a
/// repository, and where it has none of the folder's files.
///
/// # Errors
/// When git fails inside of a repository: what it would have left out is not known.
pub(super) fn files(folder: &Path) -> Result<Option<Vec<PathBuf>>, String> {
    let arguments = ["ls-files", "-coz", "--exclude-standard"];
    let listed = match said(folder, &arguments) {
        Ok(listed) => listed,
        Err(why) => {
            let inside = folder.ancestors().any(|above| above.join(".git").exists());
            return if inside { Err(why) } else { Ok(None) };
        }
    };
    let names = listed.split(|byte| *byte == 0);
    let names = names.filter(|name| !name.is_empty());
    let mut files: Vec<PathBuf> = names
        .map(|name| PathBuf::from(OsStr::from_bytes(name)))
        .collect();
    files.sort();
    files.dedup();
    Ok((!files.is_empty()).then_some(files))
}

impl Tree {
    /// The tree of a revision, at the folder's place in its repository.
    pub(super) fn of(folder: &Path, rev: &str) -> Result<Tree, String> {
        let repository = line(folder, &["rev-parse", "--absolute-git-dir"])?;
        let prefix = line(folder, &["rev-parse", "--show-prefix"])?;
        let prefix = prefix.to_string_lossy().into_owned();
        let prefix = prefix.trim_end_matches('/');
        let asked = if prefix.is_empty() {
            format!("{rev}^{{tree}}")
        } else {
            format!("{rev}^{{commit}}:{prefix}")
        };
        let arguments = [
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            &asked,
        ];
        let found = line(folder, &arguments).map_err(|_| {
            let folder = folder.display();
            format!("`{rev}` is no revision of the repository of {folder}")
        })?;
        let last = |said: PathBuf| {
            let said = said.to_string_lossy().into_owned();
            said.lines().last().unwrap_or_default().to_owned()
        };
        let whole = format!("{rev}^{{tree}}");
        Ok(Tree {
            id: last(found),
            whole: last(line(
                folder,
                &["rev-parse", "--verify", "--end-of-options", &whole],
            )?),
            repository,
            folder: folder.to_owned(),
            prefix: prefix.to_owned(),
        })
    }

    /// The symbolic links in it. A repository inside of it is refused: the revision does not hold
    /// its files.
    pub(super) fn links(&self) -> Result<Vec<TreeLink>, String> {
        let listed = said(&self.repository, &["ls-tree", "-rz", &self.id])?;
        let mut links = Vec::new();
        for entry in listed.split(|byte| *byte == 0) {
            let Some(tab) = entry.iter().position(|byte| *byte == b'\t') else {
                continue;
            };
            let (about, name) = entry.split_at(tab);
            let about = String::from_utf8_lossy(about).into_owned();
            let file = PathBuf::from(OsStr::from_bytes(name.get(1..).unwrap_or_default()));
            let mut words = about.split(' ');
            match (words.next(), words.nth(1)) {
                (Some("160000"), _) => {
                    let file = file.display();
                    return Err(format!(
                        "the revision names `{file}` as a repository of its own and does not hold its files: leave `rev` out, or make it part of the source"
                    ));
                }
                (Some("120000"), Some(id)) => {
                    let target = said(&self.repository, &["cat-file", "blob", id])?;
                    let target = PathBuf::from(OsStr::from_bytes(&target));
                    links.push(TreeLink { file, target });
                }
                _ => {}
            }
        }
        Ok(links)
    }

    /// Writes all of its files into a folder: no attribute leaves any of them out, as
    /// `export-ignore` does in an archive, and no setting or filter of the user's changes them,
    /// which nobody would see in its name. Files of git LFS are filled in.
    ///
    /// # Errors
    /// When git fails, when the clone has not got a file of git LFS, and when the user's git would
    /// pass a file through another filter.
    pub(super) fn write(&self, place: &Path) -> Result<(), String> {
        let plain = Plain::beside(&self.folder)?;
        self.filtered_by_others(&plain)?;
        plain.run(place, "index", &["read-tree", &self.id])?;
        plain.run(
            place,
            "index",
            &["checkout-index", "--all", "--force", "--quiet"],
        )?;
        let missing = filled(&self.folder, place).map_err(|error| error.to_string())?;
        match missing.first() {
            None => Ok(()),
            Some(file) => Err(format!(
                "`{}` is a file of git LFS, whose content this clone has not got: `git lfs fetch --all` gets it, or leave `rev` out",
                Path::new(&self.prefix).join(file).display()
            )),
        }
    }

    /// Refuses files whose content only a program of the user's makes.
    fn filtered_by_others(&self, plain: &Plain) -> Result<(), String> {
        let mut defined = defined_filters(&self.folder);
        defined.retain(|filter| filter != "lfs");
        if defined.is_empty() {
            return Ok(());
        }
        // Attributes of a file may stand in any folder above it.
        let nowhere = plain.folder.path();
        plain.run(nowhere, "whole", &["read-tree", &self.whole])?;
        let mut files = plain.git(nowhere, "whole");
        files
            .args(["ls-files", "-z", "--"])
            .arg(format!(":(top){}", self.prefix));
        let listed = output(&mut files)?.stdout;
        let list = nowhere.join("list");
        std::fs::write(&list, listed)
            .and_then(|()| std::fs::File::open(&list))
            .map_err(|error| format!("cannot write {}: {error}", list.display()))
            .and_then(|list| {
                let mut asked = plain.git(nowhere, "whole");
                asked.args(["check-attr", "--cached", "-z", "--stdin", "filter"]);
                output(asked.stdin(list))
            })
            .and_then(|said| {
                let words: Vec<&[u8]> = said.stdout.split(|byte| *byte == 0).collect();
                // PATH, attribute, value
                let filtered = words.chunks_exact(3).find_map(|triple| {
                    let [path, _, value] = triple else { return None };
                    let value = String::from_utf8_lossy(value).into_owned();
                    let path = PathBuf::from(OsStr::from_bytes(path));
                    defined.contains(&value).then_some((path, value))
                });
                match filtered {
                    None => Ok(()),
                    Some((file, filter)) => Err(format!(
                        "`{}` goes through the filter `{filter}` of your git, and what that makes of it is not in the revision: leave `rev` out, or take the filter away",
                        file.display()
                    )),
                }
            })
    }
}

/// A repository without settings, attributes and filters of the user's, which borrows the user's
/// objects.
struct Plain {
    folder: tempfile::TempDir,
}

impl Plain {
    fn beside(folder: &Path) -> Result<Plain, String> {
        let failed = |error: std::io::Error| format!("cannot make a repository: {error}");
        let plain = Plain {
            folder: tempfile::tempdir().map_err(failed)?,
        };
        let format = line(folder, &["rev-parse", "--show-object-format"])?;
        let format = format!("--object-format={}", format.display());
        let place = plain.folder.path();
        let mut init = isolated(place);
        output(init.args(["init", "--quiet", "--template=", &format]))?;
        let objects = line(
            folder,
            &[
                "rev-parse",
                "--path-format=absolute",
                "--git-path",
                "objects",
            ],
        )?;
        let mut borrowed = objects.into_os_string().into_encoded_bytes();
        borrowed.push(b'\n');
        let info = place.join(".git/objects/info");
        std::fs::create_dir_all(&info)
            .and_then(|()| std::fs::write(info.join("alternates"), borrowed))
            .map_err(failed)?;
        Ok(plain)
    }

    /// git in this repository, with an index of its own and files in `place`.
    fn git(&self, place: &Path, index: &str) -> Command {
        let mut command = isolated(place);
        command
            .env("GIT_DIR", self.folder.path().join(".git"))
            .env("GIT_WORK_TREE", place)
            .env("GIT_INDEX_FILE", self.folder.path().join(index));
        command
    }

    fn run(&self, place: &Path, index: &str, arguments: &[&str]) -> Result<(), String> {
        output(self.git(place, index).args(arguments)).map(drop)
    }
}

/// git without anything that the user or the machine has set up.
fn isolated(folder: &Path) -> Command {
    let mut command = git(folder);
    command
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_ATTR_NOSYSTEM", "1")
        .args(["-c", "core.attributesFile=/dev/null"]);
    for variable in [
        "GIT_CONFIG",
        "GIT_CONFIG_COUNT",
        "GIT_CONFIG_PARAMETERS",
        "GIT_TEMPLATE_DIR",
    ] {
        command.env_remove(variable);
    }
    command
}

/// Applies a patch in a folder. Without a repository around it: inside of one git passes over what
/// lies outside of the present folder, and says nothing. Without settings of the user's:
/// `core.autocrlf` and `apply.whitespace` would write other lines than those of the patch.
pub(super) fn apply(name: &Path, patch: &[u8], place: &Path) -> Result<(), String> {
    let name = name.display();
    let failed = |error: std::io::Error| format!("cannot write the patch {name}: {error}");
    let mut file = tempfile::NamedTempFile::new().map_err(failed)?;
    std::io::Write::write_all(&mut file, patch).map_err(failed)?;
    let mut command = isolated(place);
    command
        .args(["apply", "--whitespace=nowarn"])
        .arg(file.path())
        .env("GIT_CEILING_DIRECTORIES", place.parent().unwrap_or(place));
    output(&mut command).map(drop).map_err(|said| {
        let said = said.strip_prefix("git: ").unwrap_or(&said);
        let said: Vec<&str> = said.split(" / ").take(6).collect();
        format!("the patch {name} does not apply: {}", said.join(" / "))
    })
}
