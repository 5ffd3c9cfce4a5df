//! The second compilation by gcc: what it compiles is compiled once more, with function sections,
//! into the session and nowhere else.
//!
//! The compiler proper runs twice side by side, and so does the assembler. The two meet by content:
//! the assembler's shim finds the second text by the hash of the first one, wherever the build has
//! put it in between, through a pipe too. What the first compilation leaves is what it would have
//! left without a capture.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};

use proofmark_layout::pack;
use proofmark_terms::{Digest, OsText};

use crate::event::AssembledText;
use crate::objects::{Mode, hash_file};
use crate::probes;
use crate::sections::{self, FUNCTION_SECTIONS};
use crate::session::Session;

use super::words::{inputs, value_of};
use super::{once, run};

/// Whether a compilation is made a second time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Second {
    /// It is.
    Wanted,
    /// There is nothing to be had by it: it has function sections of its own, or its code is made
    /// by the link.
    Unwanted,
    /// It cannot be, and why.
    Impossible(&'static str),
}

/// Options by which a compilation writes, beside its code, what a second one would write over; or
/// numbers that each run draws anew.
const IMPOSSIBLE: [(&str, &str); 8] = [
    ("-ftest-coverage", "it is instrumented for coverage"),
    ("-fprofile-arcs", "it is instrumented for a profile"),
    ("-fprofile-generate", "it is instrumented for a profile"),
    ("--coverage", "it is instrumented for coverage"),
    ("-fplugin=", "a plugin takes part in the compilation"),
    ("-fmodules-ts", "it writes a module"),
    (
        "-fcompare-debug",
        "it is compiled twice by options of its own",
    ),
    ("-fada-spec", "it writes other files beside the object"),
];

/// Options that write a file beside the object: the first compilation writes it. With their values
/// where those are arguments of their own.
const WRITE_ASIDE: [(&str, bool); 8] = [
    ("-MD", true),
    ("-MMD", true),
    ("-MF", true),
    ("-MT", true),
    ("-MQ", true),
    ("-MP", false),
    ("-MG", false),
    ("-aux-info", true),
];

/// The same by how they begin.
const BEGIN_ASIDE: [&str; 10] = [
    "-MF",
    "-MT",
    "-MQ",
    "-fdump-",
    "-fopt-info",
    "-fstack-usage",
    "-fcallgraph-info",
    "-fsave-optimization-record",
    "-fdiagnostics-format=",
    "-ftime-report",
];

/// Whether a compilation is made a second time. `tool` is the compiler proper's name.
pub(super) fn plan(session: &Session, tool: &OsStr, arguments: &[OsString]) -> Second {
    let has = |option: &str| arguments.iter().any(|argument| argument == option);
    let begins = |start: &str| {
        let mut all = arguments.iter();
        all.any(|argument| argument.as_bytes().starts_with(start.as_bytes()))
    };
    if !session.settings().twice || sections::asked_for(arguments) {
        return Second::Unwanted;
    }
    let link_time = tool != "lto1" && sections::left_to_link(arguments);
    if link_time || has("-fwpa") || begins("--output-pch=") {
        return Second::Unwanted;
    }
    if value_of("-o", arguments).is_none() {
        return Second::Impossible("the compiler was not told where to write");
    }
    if is_probe(arguments) {
        return Second::Unwanted;
    }
    if once::any(arguments) {
        return Second::Impossible("it reads a pipe, or writes to one");
    }
    let impossible = IMPOSSIBLE.iter().find(|(start, _)| begins(start));
    impossible.map_or(Second::Wanted, |(_, why)| Second::Impossible(why))
}

/// What build systems compile to find out about the compiler.
fn is_probe(arguments: &[OsString]) -> bool {
    let source = value_of("-dumpbase", arguments).unwrap_or_default();
    let folder = std::env::current_dir().unwrap_or_default();
    probes::is_probe(&folder.join(source))
}

/// Compiles twice, side by side, and ends as the first compilation ended.
pub(super) fn compile(session: &Session, real: &Path, arguments: &[OsString]) -> ExitCode {
    match compile_both(session, real, arguments) {
        Ok(status) => run::end_as(status),
        Err(error) => run::cannot_start(real, &error),
    }
}

fn compile_both(session: &Session, real: &Path, arguments: &[OsString]) -> io::Result<ExitStatus> {
    let source = Source::of(session, arguments.iter().any(|argument| argument == "-"))?;
    let text = session.second_file("s");
    let second = start(real, &with_sections(arguments, &text), &source);
    let output = value_of("-o", arguments).unwrap_or_default();
    let first = if output == "-" {
        through_pipe(real, arguments, &source)?
    } else {
        let status = source
            .give(&mut Command::new(real))?
            .args(arguments)
            .status()?;
        let hash = status.success().then(|| hash_file(Path::new(output)).ok());
        (status, hash.flatten())
    };
    let (status, hash) = first;
    let made = finished(second, status.success() && hash.is_some());
    if let Some(hash) = hash.filter(|_| made) {
        // Where it cannot be put in its place, the object has no second compilation, and that is
        // said of it.
        let _ = fs::rename(&text, session.second_text(&hash));
    } else {
        let _ = fs::remove_file(&text);
    }
    source.remove();
    Ok(status)
}

/// The arguments of the second compilation: what would be written beside its output is left out.
fn with_sections(arguments: &[OsString], output: &Path) -> Vec<OsString> {
    let mut second = without(arguments, |argument| {
        let aside = WRITE_ASIDE.iter().find(|(option, _)| argument == *option);
        let begins = |start: &str| argument.as_bytes().starts_with(start.as_bytes());
        match aside {
            _ if argument == "-o" => Some(true),
            Some((_, valued)) => Some(*valued),
            None => BEGIN_ASIDE
                .iter()
                .any(|start| begins(start))
                .then_some(false),
        }
    });
    second.extend([FUNCTION_SECTIONS.into(), "-o".into(), output.into()]);
    second
}

/// Arguments without those for which `drop` says whether they take the next one with them.
fn without(arguments: &[OsString], drop: impl Fn(&OsStr) -> Option<bool>) -> Vec<OsString> {
    let mut kept = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match drop(argument) {
            Some(true) => _ = rest.next(),
            Some(false) => {}
            None => kept.push(argument.clone()),
        }
    }
    kept
}

/// What came of an assembly.
pub(super) struct Ended {
    pub(super) status: ExitStatus,
    /// The hash of the second object in the session's store.
    pub(super) second: Option<Digest>,
    /// The text of the second object, or else of the first.
    pub(super) text: Option<AssembledText>,
}

/// Runs the assembler, and a second time where its input has a second text.
pub(super) fn assemble(
    session: &Session,
    real: &Path,
    arguments: &[OsString],
    pipe: bool,
) -> io::Result<Ended> {
    if !session.settings().twice {
        return Ok(Ended {
            status: run::run(real, arguments, &[])?,
            second: None,
            text: None,
        });
    }
    let inputs: Vec<&OsString> = inputs(arguments).collect();
    let source = Source::of(session, pipe && inputs.is_empty())?;
    let text = match (&source.file, inputs.as_slice()) {
        (Some(file), []) => Some(file.as_path()),
        (None, [input]) => Some(Path::new(input)),
        _ => None,
    };
    // What is read here is gone for the assembler.
    let text = text.filter(|text| !once::is_read_once(text));
    let own = text.map(Path::to_path_buf);
    let hash = text.and_then(|text| hash_file(text).ok());
    let text = hash.map(|hash| session.second_text(&hash));
    let object = session.second_file("o");
    let options = options(arguments, inputs.first().copied());
    let text = text.filter(|text| text.is_file());
    let second = text.as_ref().map(|text| {
        let mut arguments = options.clone();
        arguments.extend(["-o".into(), (&object).into(), text.into()]);
        start(real, &arguments, &Source::default())
    });
    let mut first = Command::new(real);
    let status = source.give(&mut first)?.args(arguments).status()?;
    let made = second.is_some_and(|second| finished(second, status.success()));
    let hash = made.then(|| session.keep(&object, Mode::Data)).transpose();
    // What could not be kept is told by the session, and the object is said to lack it.
    let second = hash.unwrap_or_default();
    let from = if second.is_some() { text } else { own };
    let text = from
        .filter(|_| status.success())
        .and_then(|text| kept(session, &text, &options).ok());
    source.remove();
    let _ = fs::remove_file(&object);
    Ok(Ended {
        status,
        second,
        text,
    })
}

/// Keeps the text that an object was assembled from. Without it the object's code cannot be moved
/// within its functions, and nothing else is lost.
fn kept(session: &Session, text: &Path, options: &[OsString]) -> io::Result<AssembledText> {
    let packed = session.second_file("gz");
    let hash = pack(text, &packed).and_then(|()| session.keep(&packed, Mode::Data));
    let _ = fs::remove_file(&packed);
    Ok(AssembledText {
        hash: hash?,
        arguments: options.iter().map(OsText::from).collect(),
        cwd: std::env::current_dir()?.into(),
    })
}

/// The arguments of an assembler without its text and its object; listings and dependencies are
/// the first assembly's alone.
fn options(arguments: &[OsString], input: Option<&OsString>) -> Vec<OsString> {
    without(arguments, |argument| {
        if argument == "-o" || argument == "--MD" {
            return Some(true);
        }
        (argument.as_bytes().starts_with(b"-a") || Some(argument) == input.map(OsString::as_os_str))
            .then_some(false)
    })
}

/// What a tool reads from its standard input: nothing that it is known to read, or a file for both
/// runs.
#[derive(Default)]
struct Source {
    file: Option<PathBuf>,
}

impl Source {
    /// Reads the standard input to its end where the tool would.
    fn of(session: &Session, reads: bool) -> io::Result<Source> {
        if !reads {
            return Ok(Source::default());
        }
        let place = session.second_file("in");
        io::copy(&mut io::stdin().lock(), &mut File::create(&place)?)?;
        Ok(Source { file: Some(place) })
    }

    /// The first run has the standard input of this process, or what was read from it.
    fn give<'c>(&self, command: &'c mut Command) -> io::Result<&'c mut Command> {
        if let Some(file) = &self.file {
            command.stdin(File::open(file)?);
        }
        Ok(run::dies_with_us(command))
    }

    fn remove(&self) {
        if let Some(file) = &self.file {
            let _ = fs::remove_file(file);
        }
    }
}

/// Starts a second run: it says nothing, and writes where it was told to alone.
fn start(real: &Path, arguments: &[OsString], source: &Source) -> io::Result<Child> {
    let stdin = match &source.file {
        Some(file) => Stdio::from(File::open(file)?),
        None => Stdio::null(),
    };
    let mut command = Command::new(real);
    command
        .args(arguments)
        .stdin(stdin)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .env_remove("DEPENDENCIES_OUTPUT")
        .env_remove("SUNPRO_DEPENDENCIES");
    run::dies_with_us(&mut command).spawn()
}

/// Whether a second run came to its end; one that nobody needs is ended.
fn finished(second: io::Result<Child>, needed: bool) -> bool {
    let Ok(mut second) = second else { return false };
    if !needed {
        let _ = second.kill();
    }
    second.wait().is_ok_and(|status| status.success()) && needed
}

/// Runs a compiler whose output goes through a pipe, and hands it on. Gives its hash too.
///
/// Whoever reads the pipe sees its end when this process ends: by then the second text is in its
/// place.
fn through_pipe(
    real: &Path,
    arguments: &[OsString],
    source: &Source,
) -> io::Result<(ExitStatus, Option<Digest>)> {
    let mut command = Command::new(real);
    let mut child = source
        .give(&mut command)?
        .args(arguments)
        .stdout(Stdio::piped())
        .spawn()?;
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; 64 * 1024];
    let (mut from, mut to) = (child.stdout.take(), io::stdout().lock());
    let mut whole = true;
    while let Some(from) = &mut from {
        let read = match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => read,
            Err(again) if again.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let part = buffer.get(..read).unwrap_or_default();
        hasher.update(part);
        if to.write_all(part).is_err() {
            // The reader is gone: the compiler learns it as it would have.
            whole = false;
            break;
        }
    }
    drop(from);
    whole &= to.flush().is_ok();
    let hash = hasher.finalize().into();
    Ok((child.wait()?, whole.then_some(hash)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn the_second_compilation_writes_nothing_but_its_output() {
        let first = words(
            "-quiet -MMD build/a.d -MF deps/a.d -MT a.o -MP a.c -dumpdir build/ -dumpbase a.c -fdump-tree-all -fstack-usage -O2 -o /tmp/cc1.s",
        );
        assert_eq!(
            with_sections(&first, Path::new("/s/x.s")),
            words("-quiet a.c -dumpdir build/ -dumpbase a.c -O2 -ffunction-sections -o /s/x.s")
        );
        let input = OsString::from("/tmp/cc1.s");
        assert_eq!(
            options(
                &words("--64 --MD a.d -alh=list -o a.o /tmp/cc1.s"),
                Some(&input)
            ),
            words("--64")
        );
    }
}
