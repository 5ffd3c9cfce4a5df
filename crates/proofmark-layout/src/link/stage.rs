//! A staged link: stored copies of the inputs in a tree that mirrors the build's own, and the
//! arguments that lead there.
//!
//! Names are kept: a relative input stays relative, because GNU ld writes input names into the
//! symbol table and the image is to be the same to the byte. The linker runs in the mirrored
//! folder; absolute names get the tree's root in front, and `..` works because every folder on the
//! way is made.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

use super::argv::{Role, Word};
use crate::LayoutError;
use crate::recipe::{Input, InputKind, Recipe};
use crate::units::unsupported;

/// A tree of staged inputs.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    root: PathBuf,
    cwd: PathBuf,
}

impl Tree {
    /// An empty tree under `root`; the folder of the link is made.
    pub(crate) fn new(root: &Path, recipe: &Recipe) -> Result<Tree, LayoutError> {
        if !recipe.cwd.is_absolute() {
            return Err(LayoutError::RelativeFolder {
                cwd: recipe.cwd.clone(),
            });
        }
        fs::create_dir_all(root).map_err(LayoutError::file("create", root))?;
        let root = fs::canonicalize(root).map_err(LayoutError::file("find", root))?;
        let tree = Tree {
            cwd: under(&root, &recipe.cwd),
            root,
        };
        fs::create_dir_all(&tree.cwd).map_err(LayoutError::file("create", &tree.cwd))?;
        Ok(tree)
    }

    /// Where the linker runs.
    pub(crate) fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// Where a file that the linker is given by this name is staged. Names that differ by `.` and
    /// `..` alone are one file: lld records them shortened.
    pub(crate) fn place(&self, given: &Path) -> Result<PathBuf, LayoutError> {
        let placed = if given.is_absolute() {
            under(&self.root, given)
        } else {
            self.cwd.join(given)
        };
        let mut short = self.root.clone();
        let mut depth = 0_usize;
        for component in placed
            .strip_prefix(&self.root)
            .unwrap_or(&placed)
            .components()
        {
            match component {
                Component::Normal(name) => {
                    short.push(name);
                    depth += 1;
                }
                Component::ParentDir if depth == 0 => {
                    return Err(LayoutError::Outside {
                        path: given.to_path_buf(),
                    });
                }
                Component::ParentDir => {
                    short.pop();
                    depth -= 1;
                }
                _ => {}
            }
        }
        Ok(short)
    }

    /// Makes the folders that a name goes through, so that `..` behind them leads where it should.
    fn make_folders(&self, folder: &Path) -> Result<(), LayoutError> {
        self.place(folder)?;
        let way = if folder.is_absolute() {
            under(&self.root, folder)
        } else {
            self.cwd.join(folder)
        };
        fs::create_dir_all(&way).map_err(LayoutError::file("create", &way))
    }

    /// An argument that leads to a file given by this name.
    pub(crate) fn argument(&self, given: &OsStr) -> OsString {
        if Path::new(given).is_absolute() {
            under(&self.root, Path::new(given)).into()
        } else {
            given.to_os_string()
        }
    }

    /// A file of an absolute name as a script may name it. Where the tree's own name would need
    /// quotes, which linkers read differently, it is the way from the folder of the link; gold does
    /// not look there, so that is not done without need.
    fn in_script(&self, absolute: &[u8]) -> Vec<u8> {
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._+-".contains(byte);
        if self.root.as_os_str().as_bytes().iter().all(plain) {
            return self.argument(OsStr::from_bytes(absolute)).into_vec();
        }
        let depth = self
            .cwd
            .strip_prefix(&self.root)
            .map_or(0, |inside| inside.components().count());
        let mut way = b"../".repeat(depth);
        way.extend_from_slice(absolute.strip_prefix(b"/").unwrap_or(absolute));
        way
    }

    /// Stages one stored file.
    pub(crate) fn keep(&self, given: &Path, blob: &Path) -> Result<PathBuf, LayoutError> {
        let placed = self.make_way(given)?;
        fs::hard_link(blob, &placed)
            .or_else(|_| fs::copy(blob, &placed).map(|_| ()))
            .map_err(LayoutError::file("stage", blob))?;
        Ok(placed)
    }

    /// Stages one file with this content.
    pub(crate) fn write(&self, given: &Path, content: &[u8]) -> Result<PathBuf, LayoutError> {
        let placed = self.make_way(given)?;
        fs::write(&placed, content).map_err(LayoutError::file("write", &placed))?;
        Ok(placed)
    }

    /// Makes the folders, and removes what is there: a hard link to a stored file must not be
    /// written through.
    fn make_way(&self, given: &Path) -> Result<PathBuf, LayoutError> {
        let placed = self.place(given)?;
        if let Some(parent) = placed.parent() {
            fs::create_dir_all(parent).map_err(LayoutError::file("create", parent))?;
        }
        match fs::remove_file(&placed) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(LayoutError::file("replace", &placed)(error))
            }
            _ => Ok(placed),
        }
    }
}

fn under(root: &Path, absolute: &Path) -> PathBuf {
    let mut placed = root.as_os_str().as_bytes().to_vec();
    placed.extend_from_slice(absolute.as_os_str().as_bytes());
    PathBuf::from(OsString::from_vec(placed))
}

/// Stages every input as it was stored; linker scripts are led to the staged files that they name.
pub(crate) fn stage_stored(tree: &Tree, recipe: &Recipe) -> Result<(), LayoutError> {
    for input in &recipe.inputs {
        stage_one(tree, recipe, input)?;
    }
    Ok(())
}

/// Stages one input, with the members of a thin archive, as it was stored.
pub(crate) fn stage_one(tree: &Tree, recipe: &Recipe, input: &Input) -> Result<(), LayoutError> {
    if input.kind == InputKind::Script {
        let text = fs::read(&input.blob).map_err(LayoutError::file("read", &input.blob))?;
        tree.write(&input.given, &lead_script(tree, recipe, &text))?;
    } else {
        tree.keep(&input.given, &input.blob)?;
    }
    for member in &input.members {
        tree.keep(&member.given, &member.blob)?;
    }
    Ok(())
}

/// A linker script whose absolute file names lead into the tree. Only names that the link is known
/// to have opened are touched.
fn lead_script(tree: &Tree, recipe: &Recipe, text: &[u8]) -> Vec<u8> {
    let known: HashSet<&[u8]> = recipe
        .inputs
        .iter()
        .filter(|input| input.given.is_absolute())
        .map(|input| input.given.as_os_str().as_bytes())
        .collect();
    let mut led = Vec::with_capacity(text.len() + 256);
    let delimiter = |byte: &u8| byte.is_ascii_whitespace() || b"(),;\"'".contains(byte);
    for token in text.chunk_by(|a, b| delimiter(a) == delimiter(b)) {
        if known.contains(token) {
            led.extend_from_slice(&tree.in_script(token));
        } else {
            led.extend_from_slice(token);
        }
    }
    led
}

/// Leads the arguments into the tree: inputs, folders and files named by options. `side` is the
/// folder for files that are written beside the image.
pub(crate) fn lead(
    tree: &Tree,
    recipe: &Recipe,
    words: &mut Vec<Word>,
    side: &Path,
    output: &Path,
) -> Result<(), LayoutError> {
    let known: HashSet<PathBuf> = recipe
        .inputs
        .iter()
        .map(|input| tree.place(&input.given))
        .collect::<Result<_, LayoutError>>()?;
    let folders: Vec<PathBuf> = words
        .iter()
        .filter(|word| word.role == Role::Folder)
        .map(|word| PathBuf::from(&word.value))
        .collect();
    let remaps = words.iter().any(|word| {
        let name = word.name().unwrap_or_default();
        matches!(name, b"remap-inputs" | b"remap-inputs-file") || name.starts_with(b"remap-inputs=")
    });
    for (index, word) in words.iter_mut().enumerate() {
        match word.role {
            Role::Input | Role::OptionFile => {
                let given = Path::new(&word.value);
                if known.contains(&tree.place(given)?) {
                    tree.make_folders(given.parent().unwrap_or(Path::new("")))?;
                    word.value = tree.argument(&word.value);
                } else if word.role == Role::Input
                    || !found_elsewhere(word, given, |given| {
                        let mut places = folders.iter().map(|folder| folder.join(given));
                        places.any(|place| tree.place(&place).is_ok_and(|it| known.contains(&it)))
                    })
                {
                    return Err(if remaps {
                        unsupported(recipe, REMAPS)
                    } else {
                        LayoutError::NotCaptured {
                            path: given.to_path_buf(),
                        }
                    });
                }
            }
            Role::Folder => {
                if !word.value.as_bytes().starts_with(b"=") {
                    tree.make_folders(Path::new(&word.value))?;
                }
                word.value = tree.argument(&word.value);
            }
            Role::Output => word.value = output.as_os_str().to_os_string(),
            Role::SideOutput => word.value = side.join(format!("side-{index}")).into_os_string(),
            Role::PluginOption if word.value.as_bytes().starts_with(b"-fresolution=") => {
                let mut redirected = OsString::from("-fresolution=");
                redirected.push(side.join("resolution"));
                word.value = redirected;
            }
            Role::PluginOption | Role::Plain => {}
        }
    }
    if !words.iter().any(|word| word.role == Role::Output) {
        words.push(Word {
            option: Some("-o".into()),
            ..Word::flag(output)
        });
    }
    search_staged(tree, recipe, words);
    Ok(())
}

/// Why a link is refused whose inputs stand for others.
const REMAPS: &str = "its options read other inputs in the place of those that it names \
                      (--remap-inputs): link without that, and name the files that are meant";

/// A script is searched in the library folders, and in the linker's own one; `-R` with a folder is
/// a run path.
fn found_elsewhere(word: &Word, given: &Path, in_folder: impl Fn(&Path) -> bool) -> bool {
    given.file_name() == Some(given.as_os_str()) || in_folder(given) || word.name() == Some(b"R")
}

/// Folders that the linker searches unasked hold staged copies too: they are asked for, behind all
/// others.
fn search_staged(tree: &Tree, recipe: &Recipe, words: &mut Vec<Word>) {
    let mut seen: HashSet<PathBuf> = words
        .iter()
        .filter(|word| word.role == Role::Folder)
        .map(|word| PathBuf::from(&word.value))
        .collect();
    for input in recipe
        .inputs
        .iter()
        .filter(|input| input.given.is_absolute())
    {
        let library = input
            .given
            .file_name()
            .is_some_and(|name| name.as_bytes().starts_with(b"lib"));
        let Some(folder) = input.given.parent().filter(|_| library) else {
            continue;
        };
        let folder = PathBuf::from(tree.argument(folder.as_os_str()));
        if seen.insert(folder.clone()) {
            words.push(Word {
                prefix: "-L".into(),
                role: Role::Folder,
                ..Word::flag(folder)
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_inside_the_tree() {
        let tree = Tree {
            root: "/s".into(),
            cwd: "/s/home/p".into(),
        };
        assert_eq!(
            tree.place(Path::new("a/b.o")).unwrap(),
            Path::new("/s/home/p/a/b.o")
        );
        assert_eq!(
            tree.place(Path::new("/usr/lib/../x.o")).unwrap(),
            Path::new("/s/usr/x.o")
        );
        assert_eq!(
            tree.place(Path::new("../../x.o")).unwrap(),
            Path::new("/s/x.o")
        );
        assert!(matches!(
            tree.place(Path::new("../../../x.o")),
            Err(LayoutError::Outside { .. })
        ));
        assert!(matches!(
            tree.place(Path::new("/../etc/x")),
            Err(LayoutError::Outside { .. })
        ));
    }

    #[test]
    fn the_prefix_of_a_path_is_not_lost() {
        assert_eq!(
            under(Path::new("/s"), Path::new("/a//b")),
            Path::new("/s/a//b")
        );
    }
}
