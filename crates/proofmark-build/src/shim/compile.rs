//! In the place of gcc's `cc1`, `cc1plus` and `lto1`: notes the compilation, and either compiles a
//! second time with function sections or adds the capture's flags, last, so that they count.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use proofmark_terms::OsText;

use super::call::Call;
use super::real::{Caller, find};
use super::run;
use super::second::{self, Second};
use crate::event::{Compiled, Event};
use crate::session::Session;

pub(super) fn act(call: &Call) -> ExitCode {
    let session = Session::from_environment();
    let caller = Caller::of_this_process();
    let Some(real) = find(&call.name, &caller, session.as_ref()) else {
        return run::not_found(&call.name, false);
    };
    let only_text = ["-E", "-M", "-MM", "-fsyntax-only", "-version"];
    let compiles = !call
        .arguments
        .iter()
        .any(|argument| only_text.iter().any(|text| argument == text));
    let Some(session) = session.filter(|_| compiles) else {
        return run::become_tool(&real, call.arguments.iter().chain(&call.flags));
    };
    let second = second::plan(&session, &call.name, &call.arguments);
    if let Err(error) = note(call, &caller, &real, &session, &second) {
        session.problem(&format!(
            "a compilation by {} could not be recorded: {error}",
            call.name.display()
        ));
    }
    match second {
        Second::Wanted => second::compile(&session, &real, &call.arguments),
        Second::Unwanted | Second::Impossible(_) => {
            run::become_tool(&real, call.arguments.iter().chain(&call.flags))
        }
    }
}

fn note(
    call: &Call,
    caller: &Caller,
    real: &Path,
    session: &Session,
    second: &Second,
) -> std::io::Result<()> {
    let cwd = env::current_dir()?;
    let output = value_of("-o", &call.arguments)
        .filter(|name| *name != "-")
        .map(|name| cwd.join(name));
    session.record(&Event::Compiled(Compiled {
        compiler: real.into(),
        driver: caller.driver().map(OsText::from),
        parent: caller.process.clone(),
        cwd: cwd.as_path().into(),
        flags: caller.flags(),
        source: source(&call.arguments).map(OsText::from),
        output: output.map(OsText::from),
        only_once: match second {
            Second::Impossible(why) => Some((*why).to_owned()),
            Second::Wanted | Second::Unwanted => None,
        },
    }))
}

/// The file that is compiled: the compiler names its dumps by it, without its folder.
fn source(arguments: &[OsString]) -> Option<&OsStr> {
    let name = value_of("-dumpbase", arguments)?;
    let is_value = |at: usize| {
        let before = at.checked_sub(1).and_then(|at| arguments.get(at));
        before.is_some_and(|before| {
            ["-dumpbase", "-o", "-MF", "-MT", "-MQ", "-auxbase-strip"]
                .iter()
                .any(|option| before == option)
        })
    };
    let with_folder = arguments.iter().enumerate().find(|(at, argument)| {
        let same = Path::new(argument).file_name() == Path::new(name).file_name();
        same && !is_value(*at)
    });
    Some(with_folder.map_or(name, |(_, argument)| argument))
}

/// What follows an option, or is joined to it.
pub(super) fn value_of<'a>(option: &str, arguments: &'a [OsString]) -> Option<&'a OsStr> {
    let at = arguments.iter().rposition(|argument| argument == option)?;
    arguments.get(at + 1).map(OsString::as_os_str)
}

/// A path made absolute, as text.
pub(super) fn absolute(cwd: &Path, name: &OsStr) -> OsText {
    let path: PathBuf = cwd.join(name);
    path.into()
}
