//! What a project writes down: its sources, toolchains, flag sets, program options, and the matrix
//! of them.

mod benchmark;
mod build_command;
mod claim;
mod gate;
mod history;
mod ledger;
mod problem;
mod source;
mod store;
mod toolchain;
mod variables;
mod words;

use std::path::PathBuf;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

pub use benchmark::{BenchmarkDefinition, Expected};
pub(crate) use build_command::{Replacements, expanded};
pub use claim::ClaimDefinition;
pub use gate::GateDefinition;
pub use history::HistoryDefinition;
pub use ledger::{IdeaDefinition, LedgerDefinition, StackDefinition};
pub use problem::{Problem, nearest};
pub(crate) use source::{Source, SourceTree, check};
pub use store::StoreDefinition;
pub use toolchain::ToolchainDefinition;
pub(crate) use toolchain::check as check_toolchains;
pub use words::{Names, ShellWords};

/// Everything that the builds of a project are made from. Names are kept in the order of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Definitions {
    /// `[source.NAME]`.
    pub sources: IndexMap<String, SourceDefinition>,
    /// `[toolchain.NAME]`.
    pub toolchains: IndexMap<String, ToolchainDefinition>,
    /// `[flags.NAME]`.
    pub flags: IndexMap<String, FlagSet>,
    /// `[options.NAME]`.
    pub options: IndexMap<String, ProgramOptions>,
    /// `[matrix]`.
    pub matrix: MatrixDefinition,
}

/// `[source.NAME]`: a state of the program's sources and how it is built.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SourceDefinition {
    /// Another source, whose keys are taken where this one does not say them.
    pub from: Option<String>,
    /// The folder, relative to the file's.
    pub path: Option<PathBuf>,
    /// A revision of the git repository that the folder is in; its files as they lie there when
    /// absent.
    pub rev: Option<String>,
    /// Patches (`git diff`), relative to the file's folder, applied in order to the folder's own
    /// top.
    pub patch: Option<Names>,
    /// The build's command, for `/bin/sh`, run in the copy of the folder. `{cc}`, `{cxx}`,
    /// `{flags}`, `{ldflags}` and `{jobs}` are replaced in it.
    pub build: Option<String>,
    /// The image, relative to the folder.
    pub image: Option<PathBuf>,
    /// Files and folders outside of `path` that the build's own scripts and generators read,
    /// relative to the file's folder.
    pub inputs: Option<Names>,
    /// Variables set for the build.
    pub env: IndexMap<String, String>,
    /// A folder of files that runs read, relative to `path`: the runs of all cells see that of
    /// their own source at one path.
    pub tree: Option<PathBuf>,
    /// Where runs see it, relative to the file's folder; where the folder lies when absent.
    pub tree_at: Option<PathBuf>,
    /// The folder that stands in its place; no file says that of a source.
    #[serde(skip)]
    pub tree_instead: Option<TreeInstead>,
}

/// A folder in the place of a source's tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TreeInstead {
    /// The folder, relative to the file's.
    pub folder: PathBuf,
    /// How many of the source's patches made the tree that it takes the place of: only those behind
    /// them are applied on it.
    pub after: usize,
}

/// `[flags.NAME]`: options for the compiler.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FlagSet {
    /// For `{flags}`.
    pub add: ShellWords,
    /// For `{ldflags}`: options of the link alone.
    pub link: ShellWords,
    /// Only with these toolchains; with all when empty.
    pub only: Names,
    /// Not with these toolchains.
    pub except: Names,
}

/// `[options.NAME]`: how the built program is run. Cells that differ in them alone share one build.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ProgramOptions {
    /// Words put after the image in a benchmark's command.
    pub args: ShellWords,
    /// Variables set for the runs.
    pub env: IndexMap<String, String>,
}

/// `[matrix]`: which combinations are built.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MatrixDefinition {
    /// Names of sources; all that are defined when absent.
    pub sources: Option<Vec<String>>,
    /// Names of toolchains; all that are defined when absent.
    pub toolchains: Option<Vec<String>>,
    /// Flag sets, each entry the names of some in one string; `""` for none. Only `""` when absent.
    pub flags: Option<Vec<String>>,
    /// Names of program options; `""` for none. Only `""` when absent.
    pub options: Option<Vec<String>>,
    /// Cells to leave out: each entry some words, and every cell that has all of them goes.
    pub exclude: Vec<String>,
    /// Cells beyond the product: each entry the words of one cell.
    pub include: Vec<String>,
    /// Cells that others are compared with.
    pub baselines: Vec<String>,
    /// Facts of machine code to show beside the figures, each `FUNCTION:FACT`.
    pub facts: Vec<String>,
    /// A file of expectations of the machine code, relative to the file's folder.
    pub expectations: Option<PathBuf>,
}

impl Definitions {
    /// The toolchain with this name: as defined, or as the name implies.
    #[must_use]
    pub fn toolchain(&self, name: &str) -> Option<ToolchainDefinition> {
        let implied = || ToolchainDefinition::implied(name);
        match self.toolchains.get(name) {
            Some(defined) => Some(defined.clone().or_by_name(implied)),
            None => implied(),
        }
    }

    /// Names of all toolchains: defined, or named by the matrix without being defined.
    #[must_use]
    pub fn toolchain_names(&self) -> Vec<&String> {
        let mut names: Vec<&String> = self.toolchains.keys().collect();
        for name in self.matrix.toolchains.iter().flatten() {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}
