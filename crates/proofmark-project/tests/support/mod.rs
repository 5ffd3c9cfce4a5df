//! Small projects in folders of their own.
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// Says why a test does nothing, unless tools are required.
pub(crate) fn has(tool: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|dir| dir.join(tool).is_file());
    if !found {
        assert!(
            std::env::var_os("PROOFMARK_TESTS_REQUIRE_TOOLS").is_none_or(|value| value != "1"),
            "this test needs {tool}"
        );
        println!("skipped: needs {tool}");
    }
    found
}

/// A folder with sources.
pub(crate) struct Project {
    _folder: TempDir,
    pub(crate) root: PathBuf,
}

impl Project {
    pub(crate) fn new() -> Project {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("project");
        fs::create_dir_all(&root).unwrap();
        Project {
            _folder: folder,
            root,
        }
    }

    pub(crate) fn file(&self, name: impl AsRef<Path>, text: &str) -> &Project {
        let path = self.root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    /// Runs a command.
    pub(crate) fn run(&self, command: &[&str]) {
        let output = Command::new(command[0])
            .args(&command[1..])
            .current_dir(&self.root)
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{command:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

/// The example beside the tests, which acts as the shims.
pub(crate) fn shim() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let shim = tests
        .parent()
        .unwrap()
        .parent()
        .unwrap()
        .join("examples/cells");
    assert!(
        shim.is_file(),
        "{} is missing: `cargo test --test NAME` needs `--example cells` beside it",
        shim.display()
    );
    shim
}
