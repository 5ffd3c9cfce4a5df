//! The smallest program that builds a matrix: `cells PROOFMARK.TOML FOLDER` makes the builds that
//! are missing in FOLDER, and prints a line for each cell. It is its own shims, as every program
//! that captures is.

use std::path::Path;
use std::process::ExitCode;

use proofmark_capture::shim_main;
use proofmark_project::{BuildOutcome, Project, Unwatched, Workshop};

#[expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "an example speaks to its user"
)]
fn main() -> ExitCode {
    if let Some(code) = shim_main() {
        return code;
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, folder] = &*arguments else {
        eprintln!("usage: cells PROOFMARK.TOML FOLDER");
        return ExitCode::from(2);
    };
    match build(Path::new(file), Path::new(folder)) {
        Ok(lines) => {
            println!("{lines}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn build(file: &Path, folder: &Path) -> Result<String, Box<dyn std::error::Error>> {
    let project = Project::read(file)?;
    let workshop = Workshop::open(
        &project.definitions,
        &project.cells,
        &project.folder,
        folder,
    )?;
    let built = workshop.build(&workshop.plan(), None, &Unwatched)?;
    let line = |cell: &proofmark_project::BuiltCell| match &cell.outcome {
        BuildOutcome::Made(made) => format!("{}: {:.1} s", cell.cell, made.seconds),
        BuildOutcome::Failed(failure) => format!("{}: {}", cell.cell, failure.why),
    };
    Ok(built.iter().map(line).collect::<Vec<String>>().join("\n"))
}
