//! The smallest program that captures: `capture FOLDER NAME COMMAND…`. It is its own shims, as
//! every program that captures is.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use proofmark_capture::{Builds, CaptureRequest, capture, shim_main};

#[expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "an example speaks to its user"
)]
fn main() -> ExitCode {
    if let Some(code) = shim_main() {
        return code;
    }
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let [folder, name, command @ ..] = &*arguments else {
        eprintln!("usage: capture FOLDER NAME COMMAND…");
        return ExitCode::from(2);
    };
    match keep(Path::new(folder), &name.to_string_lossy(), command) {
        Ok(id) => {
            println!("{id}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn keep(
    folder: &Path,
    name: &str,
    command: &[OsString],
) -> Result<String, Box<dyn std::error::Error>> {
    let request = CaptureRequest::new(name, command.to_vec())?;
    Ok(capture(&Builds::open(folder)?, &request)?.id.to_string())
}
