//! What differs is a folder: one program with several trees of files, or programs within folders.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use proofmark_evidence::record::Benchmark;
use proofmark_lab::{Subject, Tree};
use proofmark_terms::{OsText, image_marks, with_image};

use super::labels::{self, Typed};
use super::named::{Named, in_path};
use super::subject;
use crate::arguments::BenchmarkArgs;
use crate::context::Context;
use crate::exit::Usage;

/// Folders in which builds differ.
#[derive(Debug, Args)]
pub(crate) struct TreeArgs {
    /// A folder of files that runs read, the base's first; each build sees its own at one path.
    /// LABEL=DIR calls it LABEL
    ///
    /// With one BUILD, all trees are read by that program. Without any, the program is the one that
    /// the command begins with, and {} is the path at which runs see their tree.
    ///
    /// Each block copies the folders, at most 20,000 files of 512 MiB each; what a run writes there
    /// is gone with the block.
    #[arg(long = "tree", value_name = "DIR", conflicts_with = "rev")]
    trees: Vec<OsString>,

    /// Where runs see their tree [default: where the first one lies]
    #[arg(long, value_name = "DIR", conflicts_with = "rev")]
    tree_at: Option<PathBuf>,
}

/// What is said of one folder.
const FEW: &str = "a comparison takes at least two folders, the base's first, as in `proofmark \
                   compare --tree lib.old --tree lib.new -- prog {}/input`";

impl TreeArgs {
    /// Whether there are any.
    pub(crate) fn is_given(&self) -> bool {
        !self.trees.is_empty()
    }

    /// One of them, as `null` takes it.
    pub(crate) fn one(tree: Option<&OsString>, at: Option<&PathBuf>) -> Self {
        TreeArgs {
            trees: tree.cloned().into_iter().collect(),
            tree_at: at.cloned(),
        }
    }

    fn read(&self) -> Result<(Vec<Typed>, Vec<PathBuf>), Usage> {
        let exists = |word: &OsStr| Path::new(word).exists();
        let typed: Vec<Typed> = self
            .trees
            .iter()
            .map(|word| Typed::read(word, exists))
            .collect();
        let folders: Vec<PathBuf> = typed.iter().map(|typed| (&typed.what).into()).collect();
        match folders.iter().find(|folder| !folder.is_dir()) {
            None => Ok((typed, folders)),
            Some(other) => Err(Usage(format!(
                "--tree {} is not a folder: name the folder that holds the files which runs read",
                other.display()
            ))),
        }
    }

    /// At least two of them.
    fn several(&self) -> Result<(Vec<Typed>, Vec<PathBuf>), Usage> {
        let (typed, folders) = self.read()?;
        if folders.len() < 2 {
            return Err(Usage(FEW.to_owned()));
        }
        Ok((typed, folders))
    }

    /// The trees, seen at one path.
    fn trees(&self, folders: &[PathBuf], context: &Context) -> anyhow::Result<Vec<Tree>> {
        let first = folders.first().map(PathBuf::as_path);
        let at = self.tree_at.as_deref().or(first).unwrap_or(Path::new("."));
        Ok(Tree::of(folders, at, &context.folder)?)
    }
}

/// Gives the builds of a command line their trees: one for each, or several for a single one.
pub(crate) fn given(
    args: &TreeArgs,
    subjects: Vec<Subject>,
    context: &Context,
) -> anyhow::Result<Vec<Subject>> {
    if !args.is_given() {
        if args.tree_at.is_some() {
            let what = "--tree-at says where runs see the folders of --tree, and there are none";
            return Err(Usage(what.to_owned()).into());
        }
        return Ok(subjects);
    }
    let (typed, folders) = args.several()?;
    let one = subjects.len() == 1;
    if !one && subjects.len() != folders.len() {
        return Err(Usage(format!(
            "{} builds and {} trees: give one build, or a --tree for each",
            subjects.len(),
            folders.len()
        ))
        .into());
    }
    let trees = args.trees(&folders, context)?;
    let all = subjects.iter().cycle().zip(trees);
    let mut all: Vec<Subject> = all
        .map(|(subject, tree)| Subject {
            tree: Some(tree),
            ..subject.clone()
        })
        .collect();
    if one {
        labels::name_by_place(&typed, &mut all)?;
    }
    Ok(all)
}

/// The builds that folders are: the program that the command begins with, in each of them, or with
/// each of them. `None` where the words name builds.
pub(crate) fn folders(
    typed: &[Typed],
    args: &TreeArgs,
    command: &[OsString],
    context: &Context,
) -> anyhow::Result<Option<Vec<Subject>>> {
    if typed.is_empty() {
        let (typed, folders) = args.several()?;
        return of_folders(&typed, &folders, args, command, context).map(Some);
    }
    let mut folders = Vec::new();
    let mut other = None;
    for typed in typed {
        match Named::find(&typed.what, context) {
            Ok(Named::File(path)) if path.is_dir() => folders.push(path),
            _ => other = Some(typed.what.to_string_lossy().into_owned()),
        }
    }
    let Some(first) = folders.first() else {
        return Ok(None);
    };
    if let Some(other) = other {
        return Err(Usage(format!(
            "{} is a folder and {other} is not: compare folders with folders, or one program with several folders that it reads (--tree)",
            first.display()
        ))
        .into());
    }
    if args.is_given() {
        let what = "the folders that are compared are trees already: leave --tree out, or name \
                    the program in the place of the folders";
        return Err(Usage(what.to_owned()).into());
    }
    if folders.len() < 2 {
        return Err(Usage(FEW.to_owned()).into());
    }
    of_folders(typed, &folders, args, command, context).map(Some)
}

fn of_folders(
    typed: &[Typed],
    folders: &[PathBuf],
    args: &TreeArgs,
    command: &[OsString],
    context: &Context,
) -> anyhow::Result<Vec<Subject>> {
    let trees = args.trees(folders, context)?;
    if command.is_empty() {
        let what = "no benchmark: write its command after --, with {} where the folder goes, as in \
                    `-- {}/bin/prog input.txt`";
        return Err(Usage(what.to_owned()).into());
    }
    let word = command.first().map(OsString::as_os_str).unwrap_or_default();
    let mut subjects = Vec::new();
    for (folder, tree) in folders.iter().zip(trees) {
        subjects.push(Subject {
            tree: Some(tree),
            ..subject::executable(&program(word, folder)?)?
        });
    }
    labels::name_by_place(typed, &mut subjects)?;
    Ok(subjects)
}

/// The program that a command begins with, for one of the folders.
fn program(word: &OsStr, folder: &Path) -> Result<PathBuf, Usage> {
    if image_marks(word.as_bytes()) > 0 {
        return Ok(PathBuf::from(put(word, folder)));
    }
    if word.as_bytes().contains(&b'/') {
        return Ok(PathBuf::from(word));
    }
    in_path(word).ok_or_else(|| {
        Usage(format!(
            "`{}` is neither a path nor in PATH: begin the command with {{}}/ where the program lies in the folders",
            word.to_string_lossy()
        ))
    })
}

/// The build that one folder is, or the one with a folder of files that it reads: to be compared with
/// itself. Of a folder also the path at which runs see it.
pub(crate) fn alone(
    build: Option<&OsString>,
    args: &TreeArgs,
    benchmark: &BenchmarkArgs,
    context: &Context,
) -> anyhow::Result<(Subject, Option<PathBuf>)> {
    let (typed, folders) = args.read()?;
    let folder = build.filter(|build| Path::new(build).is_dir() && is_no_build(build, context));
    if let Some(folder) = folder.filter(|_| args.is_given()) {
        return Err(Usage(format!(
            "{} is a folder, and --tree gives another one: leave one of both out",
            Path::new(folder).display()
        ))
        .into());
    }
    let command = &benchmark.command;
    let of_folder = |typed: &[Typed], folders: &[PathBuf]| {
        let mut subjects = of_folders(typed, folders, args, command, context)?;
        let subject = subjects.pop().context("a folder without a build")?;
        let at = subject.tree.as_ref().map(|tree| tree.at().to_owned());
        Ok((subject, at))
    };
    match (folder, build) {
        (Some(folder), _) => {
            let typed = Typed::read(folder, |word| Path::new(word).exists());
            let folders = [PathBuf::from(&typed.what)];
            of_folder(&[typed], &folders)
        }
        (None, None) => of_folder(&typed, &folders),
        (None, Some(build)) => {
            subject::check_command(benchmark)?;
            let subject = subject::find(build, benchmark.image.as_deref(), context)?;
            if !args.is_given() {
                return Ok((given(args, vec![subject], context)?.remove(0), None));
            }
            let tree = args.trees(&folders, context)?.pop();
            Ok((Subject { tree, ..subject }, None))
        }
    }
}

/// Whether no captured build has the name of a folder.
fn is_no_build(word: &OsStr, context: &Context) -> bool {
    !matches!(Named::find(word, context), Ok(Named::Build { .. }))
}

/// A command about folders as one about the program in them: the first word is the image, and
/// everywhere else the mark is the path at which runs see their folder.
pub(crate) fn in_place(benchmark: Benchmark, at: &Path) -> Benchmark {
    let text = |text: &OsText| OsText::from(literal(&put(text.as_ref(), at)));
    let words = benchmark.argv.iter().skip(1).map(text);
    let argv = std::iter::once(OsText::from("{}")).chain(words).collect();
    let env = benchmark.env.iter();
    let env = env
        .map(|(name, value)| (name.clone(), text(value)))
        .collect();
    Benchmark {
        argv,
        env,
        ..benchmark
    }
}

fn put(word: &OsStr, folder: &Path) -> OsString {
    let put = with_image(word.as_bytes(), folder.as_os_str().as_bytes());
    OsString::from_vec(put.into_owned())
}

/// A word in which no mark stands for the image.
fn literal(word: &OsStr) -> OsString {
    let (mut out, mut rest) = (Vec::new(), word.as_bytes());
    while let Some((first, more)) = rest.split_first() {
        match rest.strip_prefix(b"{}") {
            Some(after) => {
                out.extend_from_slice(b"{{}}");
                rest = after;
            }
            None => {
                out.push(*first);
                rest = more;
            }
        }
    }
    OsString::from_vec(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_about_folders_is_one_about_the_program_in_them() {
        let words = ["{}/bin/prog", "-I{}/lib", "{{}}", "x"];
        let benchmark = Benchmark {
            argv: words.map(OsText::from).into(),
            env: vec![("HOME".into(), "{}/home".into())],
            ..Benchmark::default()
        };
        let put = in_place(benchmark, Path::new("/a b"));
        let words: Vec<String> = put
            .argv
            .iter()
            .map(|word| word.display().to_string())
            .collect();
        assert_eq!(words, ["{}", "-I/a b/lib", "{{}}", "x"]);
        assert_eq!(put.env[0].1, OsText::from("/a b/home"));
        let found = program(OsStr::new("{}/bin/prog"), Path::new("/new")).unwrap();
        assert_eq!(found, Path::new("/new/bin/prog"));
        assert!(program(OsStr::new("no-such-program"), Path::new("/new")).is_err());
    }
}
