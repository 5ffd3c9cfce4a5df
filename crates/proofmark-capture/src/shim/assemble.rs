//! In the place of `as`: notes the object by its content, so that it is known again wherever the
//! build moves it.

use std::env;
use std::path::Path;
use std::process::ExitCode;

use proofmark_terms::OsText;

use super::call::Call;
use super::real::{Caller, find};
use super::words::{absolute, inputs, value_of};
use super::{run, second};
use crate::event::{Assembled, Event};
use crate::objects::hash_file;
use crate::session::Session;

pub(super) fn act(call: &Call) -> ExitCode {
    let session = Session::from_environment();
    let caller = Caller::of_this_process();
    let Some(real) = find(&call.name, &caller, session.as_ref()) else {
        return run::not_found(&call.name, false);
    };
    let Some(session) = session else {
        return run::become_tool(&real, &call.arguments);
    };
    let pipe = caller.flags().iter().any(|flag| flag.as_ref() == "-pipe");
    let ended = match second::assemble(&session, &real, &call.arguments, pipe) {
        Ok(ended) => ended,
        Err(error) => return run::cannot_start(&real, &error),
    };
    let status = ended.status;
    if status.success()
        && let Err(error) = note(call, &caller, &real, &session, ended)
    {
        session.problem(&format!(
            "an assembled object could not be recorded: {error}"
        ));
    }
    run::end_as(status)
}

fn note(
    call: &Call,
    caller: &Caller,
    real: &Path,
    session: &Session,
    ended: second::Ended,
) -> std::io::Result<()> {
    let cwd = env::current_dir()?;
    let output = cwd.join(value_of("-o", &call.arguments).unwrap_or("a.out".as_ref()));
    if !output.is_file() {
        return Ok(()); // `as --version`, or an output that is a device
    }
    session.record(&Event::Assembled(Assembled {
        assembler: real.into(),
        driver: caller.driver().map(OsText::from),
        parent: caller.process.clone(),
        inputs: inputs(&call.arguments)
            .map(|name| absolute(&cwd, name))
            .collect(),
        hash: hash_file(&output)?,
        second: ended.second,
        text: ended.text,
        output: output.into(),
        flags: caller.flags(),
    }))
}
