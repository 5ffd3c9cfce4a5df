//! A project in a folder of its own, and the command run in it as a user would.

pub(crate) mod lua;
pub(crate) mod repository;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder with the programs of the tests in it.
pub(crate) struct Project {
    folder: tempfile::TempDir,
}

/// What a command came to.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Project {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
        for entry in fs::read_dir(programs).unwrap() {
            let path = entry.unwrap().path();
            fs::copy(&path, folder.path().join(path.file_name().unwrap())).unwrap();
        }
        Project { folder }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: &str) {
        fs::write(self.path(name), content).unwrap();
    }

    /// `proofmark` with these arguments, in the project.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_proofmark"));
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env_remove("PROOFMARK_DIR")
            .env_remove("CARGO_TARGET_DIR")
            .env("NO_COLOR", "1");
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Said {
        self.command(arguments).output().unwrap().into()
    }

    /// With these variables set.
    pub(crate) fn run_with(&self, set: &[(&str, &str)], arguments: &[&str]) -> Said {
        let mut command = self.command(arguments);
        let output = command.envs(set.iter().copied()).output();
        output.unwrap().into()
    }

    /// Runs and expects success.
    pub(crate) fn done(&self, arguments: &[&str]) -> Said {
        let said = self.run(arguments);
        assert_eq!(said.code, Some(0), "{arguments:?}: {said:#?}");
        said
    }

    /// Captures the benchmark with this bound of its loop.
    pub(crate) fn capture(&self, name: &str, bound: u64) {
        let build = format!(
            "rm -f *.o work && cc -O2 -c work.c && cc -O2 -DBOUND={bound} -c bound.c && cc -o work work.o bound.o"
        );
        self.done(&["capture", name, "--", "sh", "-c", &build]);
    }

    /// Compiles one C file into an executable without capturing it.
    pub(crate) fn compile(&self, source: &str, executable: &str) {
        let status = Command::new("cc")
            .args(["-O2", "-o", executable, source])
            .current_dir(self.folder.path())
            .status()
            .unwrap();
        assert!(status.success());
    }
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        Said {
            code: output.status.code(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// Whether all of these tools are there. Says which one is not, or fails where tools are required.
pub(crate) fn has(tools: &[&str]) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let there = |tool: &str| std::env::split_paths(&path).any(|folder| folder.join(tool).is_file());
    let Some(missing) = tools.iter().find(|tool| !there(tool)) else {
        return true;
    };
    skipped(missing);
    false
}

/// Says that a test cannot be carried out here, and what it needs; fails where tools are required.
#[expect(clippy::print_stdout, reason = "a test that does nothing says so")]
pub(crate) fn skipped(needs: &str) {
    assert!(
        std::env::var_os("PROOFMARK_TESTS_REQUIRE_TOOLS").is_none_or(|value| value != "1"),
        "this test needs {needs}"
    );
    println!("skipped: needs {needs}");
}
