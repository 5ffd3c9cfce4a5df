//! In the place of gcc's `cc1`, `cc1plus` and `lto1`: notes the compilation, and either compiles a
//! second time with function sections or adds the capture's flags, last, so that they count.

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::ExitCode;

use proofmark_terms::OsText;

use super::call::Call;
use super::real::{Caller, find};
use super::run;
use super::second::{self, Second};
use super::words::value_of;
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

/// Options of `cc1` whose value is the next word, and may end as a source does.
const WITH_VALUE: [&str; 10] = [
    "-dumpbase",
    "-dumpbase-ext",
    "-dumpdir",
    "-o",
    "-MF",
    "-MT",
    "-MQ",
    "-auxbase-strip",
    "-include",
    "-imacros",
];

/// The file that is compiled. The compiler's dumps have its name, or with `-o` that of the output,
/// but its ending in any case.
fn source(arguments: &[OsString]) -> Option<&OsStr> {
    let name = value_of("-dumpbase", arguments)?;
    let dumped = Path::new(name);
    let is_value = |at: usize| {
        let before = at.checked_sub(1).and_then(|at| arguments.get(at));
        before.is_some_and(|before| WITH_VALUE.iter().any(|option| before == option))
    };
    let files: Vec<&OsStr> = arguments
        .iter()
        .enumerate()
        .filter(|(at, argument)| !argument.as_bytes().starts_with(b"-") && !is_value(*at))
        .map(|(_, argument)| argument.as_os_str())
        .collect();
    let same = |of: fn(&Path) -> Option<&OsStr>| {
        let mut files = files.iter();
        files.find(|file| of(dumped).is_some() && of(Path::new(file)) == of(dumped))
    };
    let found = same(Path::file_name).or_else(|| same(Path::extension));
    Some(found.map_or(name, |file| *file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_source_is_what_is_read_and_not_what_the_dumps_are_called() {
        let of = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            source(&words).map(|name| name.to_string_lossy().into_owned())
        };
        let said = |name: &str| Some(name.to_owned());
        let plain = "-quiet -include x.c a/main.c -quiet -dumpbase main.c -dumpbase-ext .c -o /t.s";
        assert_eq!(of(plain), said("a/main.c"));
        let renamed = "-quiet -D X a/main.c -quiet -dumpdir b/ -dumpbase other.c -dumpbase-ext .c";
        assert_eq!(of(renamed), said("a/main.c"));
        assert_eq!(of("- -dumpbase - -o /t.s"), said("-"));
    }
}
