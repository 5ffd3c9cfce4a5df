//! Runs a linker in a staged tree.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::LayoutError;
use crate::recipe::{LinkerKind, Recipe};

/// Most bytes of a linker's complaint that an error carries.
const SAID: usize = 4096;

/// Runs the recipe's linker with these arguments; `temporary` is where it may put temporary files,
/// `what` names the link in an error.
pub(crate) fn run(
    recipe: &Recipe,
    argv: &[OsString],
    cwd: &Path,
    temporary: &Path,
    what: &str,
) -> Result<(), LayoutError> {
    let mut command = Command::new(&recipe.linker.path);
    if let Some(name) = flavour(recipe) {
        std::os::unix::process::CommandExt::arg0(&mut command, name);
    }
    command
        .args(argv)
        .current_dir(cwd)
        .env_clear()
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", path);
    }
    command
        .envs(recipe.env.iter().map(|(name, value)| (name, value)))
        .env("TMPDIR", temporary);
    let ended = command
        .output()
        .map_err(|source| LayoutError::LinkerMissing {
            path: recipe.linker.path.clone(),
            source,
        })?;
    if ended.status.success() {
        return Ok(());
    }
    Err(LayoutError::LinkFailed {
        what: what.to_string(),
        status: ended.status.to_string(),
        said: tail(&ended.stderr),
        command: shown(recipe, argv, cwd),
    })
}

/// The generic driver of LLVM's linkers takes its manner from the name that it is called by.
fn flavour(recipe: &Recipe) -> Option<&'static str> {
    let name = recipe.linker.path.file_name().and_then(OsStr::to_str);
    (recipe.linker.kind == LinkerKind::Lld && matches!(name, Some("lld" | "rust-lld")))
        .then_some("ld.lld")
}

fn tail(said: &[u8]) -> String {
    String::from_utf8_lossy(&said[said.len().saturating_sub(SAID)..])
        .trim_end()
        .to_string()
}

/// The link as a command for a shell.
fn shown(recipe: &Recipe, argv: &[OsString], cwd: &Path) -> String {
    let quoted = |text: &OsStr| format!("'{}'", text.to_string_lossy().replace('\'', r"'\''"));
    let words = std::iter::once(recipe.linker.path.as_os_str())
        .chain(argv.iter().map(OsString::as_os_str))
        .map(quoted);
    format!(
        "cd {} && {}",
        quoted(cwd.as_os_str()),
        words.collect::<Vec<_>>().join(" ")
    )
}
