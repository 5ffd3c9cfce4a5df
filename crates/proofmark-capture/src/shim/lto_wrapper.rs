//! In the place of gcc's `lto-wrapper`: keeps the objects that it made, which the linker's plugin
//! deletes.

use std::env;
use std::ffi::OsStr;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use super::call::Call;
use super::real::{Caller, find};
use super::run;
use crate::objects::Mode;
use crate::session::{LINK, Session};

/// In a link's folder: the hashes of the objects, one a line.
pub(super) const OBJECTS: &str = "lto-objects";
/// In a link's folder: where the objects were, one a line.
pub(super) const PLACES: &str = "lto-places";

pub(super) fn act(call: &Call) -> ExitCode {
    let session = Session::from_environment();
    let caller = Caller::of_this_process();
    let Some(real) = find(&call.name, &caller, session.as_ref()) else {
        return run::not_found(&call.name, false);
    };
    let (Some(session), Some(link)) = (session, env::var_os(LINK)) else {
        return run::become_tool(&real, &call.arguments);
    };
    let mut command = Command::new(&real);
    command
        .args(&call.arguments)
        .stdin(Stdio::inherit())
        .stdout(Stdio::piped());
    let output = run::dies_with_us(&mut command)
        .spawn()
        .and_then(std::process::Child::wait_with_output);
    let output = match output {
        Ok(output) => output,
        Err(error) => return run::cannot_start(&real, &error),
    };
    if output.status.success()
        && let Err(error) = keep(&session, Path::new(&link), &output.stdout)
    {
        session.problem(&format!(
            "objects of gcc's link-time optimisation could not be kept: {error}"
        ));
    }
    let mut stdout = io::stdout();
    if let Err(error) = stdout
        .write_all(&output.stdout)
        .and_then(|()| stdout.flush())
    {
        return run::cannot_start(&real, &error);
    }
    run::end_as(output.status)
}

fn keep(session: &Session, link: &Path, printed: &[u8]) -> io::Result<()> {
    let mut list = String::new();
    for line in printed
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
    {
        list.push_str(&session.keep(&PathBuf::from(OsStr::from_bytes(line)), Mode::Data)?);
        list.push('\n');
    }
    std::fs::write(link.join(PLACES), printed)?;
    std::fs::write(link.join(OBJECTS), list)
}
