//! Small projects in folders of their own, built and captured.
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use proofmark_capture::{BuildError, BuildOutput, Builds, Capture, CaptureRequest, capture};
use tempfile::TempDir;

/// Says why a test does nothing, unless tools are required.
pub(crate) fn has(tool: &str) -> bool {
    let found = on_path(tool);
    if !found {
        assert!(
            std::env::var_os("PROOFMARK_TESTS_REQUIRE_TOOLS").is_none_or(|value| value != "1"),
            "this test needs {tool}"
        );
        println!("skipped: needs {tool}");
    }
    found
}

/// Whether a tool is there, for tests that want it absent.
pub(crate) fn on_path(tool: &str) -> bool {
    std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
        .any(|dir| dir.join(tool).is_file())
}

/// A folder with sources, a store in it, and a log of the build.
pub(crate) struct Project {
    folder: TempDir,
    pub(crate) root: PathBuf,
}

impl Project {
    pub(crate) fn new() -> Project {
        Project::below("project")
    }

    /// With a folder's name of one's own.
    pub(crate) fn below(name: impl AsRef<Path>) -> Project {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join(name);
        fs::create_dir_all(&root).unwrap();
        Project { folder, root }
    }

    pub(crate) fn file(&self, name: impl AsRef<Path>, text: &str) -> &Project {
        let path = self.root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    pub(crate) fn builds(&self) -> Builds {
        Builds::open(&self.root.join(".proofmark")).unwrap()
    }

    pub(crate) fn request(&self, name: &str, command: &[&str]) -> CaptureRequest {
        let mut request =
            CaptureRequest::new(name, command.iter().map(OsString::from).collect()).unwrap();
        request.cwd = self.root.clone();
        request.shim_program = shim();
        request.output = BuildOutput::File(self.folder.path().join("log"));
        request
    }

    pub(crate) fn capture(&self, command: &[&str]) -> Capture {
        self.try_capture(command)
            .unwrap_or_else(|error| panic!("{error}\n{}", self.log()))
    }

    pub(crate) fn try_capture(&self, command: &[&str]) -> Result<Capture, BuildError> {
        capture(&self.builds(), &self.request("base", command))
    }

    pub(crate) fn log(&self) -> String {
        String::from_utf8_lossy(&fs::read(self.folder.path().join("log")).unwrap_or_default())
            .into_owned()
    }

    /// Runs a command without any capture.
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

/// The example beside the tests.
pub(crate) fn shim() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let shim = tests
        .parent()
        .unwrap()
        .parent()
        .unwrap()
        .join("examples/capture");
    assert!(
        shim.is_file(),
        "{} is missing: `cargo test --test NAME` needs `--example capture` beside it",
        shim.display()
    );
    shim
}

/// A program in C of two files, one of them in a library when asked for.
pub(crate) fn c_program(project: &Project) -> &Project {
    project
        .file("main.c", "#include <stdio.h>\n#include <math.h>\nint twice(int);\nint unused(int x) { return x * 3; }\nint main(int c, char **v) { printf(\"%d %.3f\\n\", twice(c), pow(c, 1.5)); return 0; }\n")
        .file("twice.c", "static int helper(int x) { return x + x; }\nint twice(int x) { return helper(x); }\n")
}
