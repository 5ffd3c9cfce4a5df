//! In the place of a linker: runs the real one, then keeps what it read and what it made.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use proofmark_layout::LinkerKind;
use proofmark_terms::OsText;

use super::call::Call;
use super::lto_objects::{Plan, made_by_plugin};
use super::real::{Caller, find};
use super::{once, run};
use crate::event::{Event, Linked, LinkedInput, LinkerFacts};
use crate::link::arguments::{Arguments, expand};
use crate::link::{dependencies, inputs, linker};
use crate::objects::Mode;
use crate::process::Process;
use crate::programs::is_shim;
use crate::session::{LINK, Session};

/// Variables that a linker or its plugin reads.
const VARIABLES: [&str; 9] = [
    "LD_RUN_PATH",
    "LD_LIBRARY_PATH",
    "GNUTARGET",
    "LDEMULATION",
    "COLLECT_GCC",
    "COLLECT_GCC_OPTIONS",
    "COLLECT_NO_DEMANGLE",
    "SOURCE_DATE_EPOCH",
    "ZERO_AR_DATE",
];

pub(super) fn act(call: &Call) -> ExitCode {
    let session = Session::from_environment();
    let caller = Caller::of_this_process();
    let Some(real) = find(&call.name, &caller, session.as_ref()) else {
        return run::not_found(&call.name, true);
    };
    act_with(call, &caller, &real, session)
}

/// The same for a linker that the project names itself.
pub(super) fn act_for(call: &Call, real: &Path, session: Option<Session>) -> ExitCode {
    act_with(call, &Caller::of_this_process(), real, session)
}

fn act_with(call: &Call, caller: &Caller, real: &Path, session: Option<Session>) -> ExitCode {
    let Some(session) = session else {
        return run::become_tool(real, &call.arguments);
    };
    let expanded = expand(&call.arguments);
    let arguments = Arguments::read(&expanded);
    if !arguments.is_link() {
        return run::become_tool(real, &call.arguments);
    }
    let watch = match Watch::prepare(&session, real, &arguments) {
        Ok(watch) => watch,
        Err(error) => {
            session.problem(&format!(
                "the link of {} could not be recorded: {error}",
                arguments.output.display()
            ));
            return run::become_tool(real, &call.arguments);
        }
    };
    let mut with_ours = call.arguments.clone();
    with_ours.extend(watch.extra_arguments());
    let status = match run::run(real, &with_ours, &[(LINK, watch.folder.as_os_str())]) {
        Ok(status) => status,
        Err(error) => return run::cannot_start(real, &error),
    };
    if status.success()
        && let Err(error) = watch.note(&session, caller, real, expanded, &arguments)
    {
        session.problem(&format!(
            "the link of {} could not be recorded: {error}",
            arguments.output.display()
        ));
    }
    run::end_as(status)
}

/// What is watched of one link.
struct Watch {
    about: LinkerFacts,
    cwd: PathBuf,
    folder: PathBuf,
    lto: Plan,
    /// The list that the build itself asks for.
    own_list: Option<PathBuf>,
}

impl Watch {
    fn prepare(session: &Session, real: &Path, arguments: &Arguments) -> io::Result<Watch> {
        let mut key = OsString::from("linker\0");
        key.push(real);
        let unknown = || {
            io::Error::other(format!(
                "{} is no linker that proofmark knows (lld, GNU ld, gold, mold)",
                real.display()
            ))
        };
        let about = session
            .memo(&key, || linker::ask(real))
            .ok_or_else(unknown)?;
        let cwd = env::current_dir()?;
        let folder = session.link_folder()?;
        let lto = Plan::of(arguments, &about, &cwd, &folder);
        Ok(Watch {
            lto,
            own_list: arguments.dependency_file.clone(),
            about,
            cwd,
            folder,
        })
    }

    fn list(&self) -> PathBuf {
        match &self.own_list {
            Some(own) => self.cwd.join(own),
            None => self.folder.join("files"),
        }
    }

    /// A second `--dependency-file` would take the place of the build's own.
    fn extra_arguments(&self) -> Vec<OsString> {
        let mut extra = self.lto.arguments();
        if self.about.dependency_file && self.own_list.is_none() {
            let mut option = OsString::from("--dependency-file=");
            option.push(self.list());
            extra.push(option);
        }
        extra
    }

    fn note(
        self,
        session: &Session,
        caller: &Caller,
        real: &Path,
        expanded: Vec<OsString>,
        arguments: &Arguments,
    ) -> io::Result<()> {
        let image = self.cwd.join(&arguments.output);
        let about = match fs::metadata(&image) {
            Ok(about) if about.is_file() => about,
            // configure scripts link to /dev/null
            Ok(_) => return Ok(()),
            // A question to the linker behind a driver's own objects (`cc -Wl,--version`), as meson
            // asks it: nothing was linked.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        let mut problems = Vec::new();
        let inputs = self.inputs(session, arguments, &mut problems)?;
        let (cwd, facts, folder) = (self.cwd, self.about, self.folder);
        let lto = self.lto.collect(session, &folder).unwrap_or_else(|error| {
            problems.push(error.to_string());
            None
        });
        session.record(&Event::Linked(Box::new(Linked {
            linker: real.into(),
            about: facts,
            arguments: expanded
                .into_iter()
                .map(|word| without_shim(word, caller, session))
                .map(OsText::from)
                .collect(),
            environment: environment(),
            driver: caller.driver().map(OsText::from),
            ancestors: Process::this()
                .map(|this| this.ancestors(6))
                .unwrap_or_default(),
            inputs,
            output: arguments.output.as_path().into(),
            hash: session.keep(&image, Mode::Program)?,
            inode: (about.dev(), about.ino()),
            lto,
            problems,
            plugin: arguments.plugin.as_deref().map(OsText::from),
            cwd: cwd.into(),
        })))?;
        fs::remove_dir_all(folder)
    }

    /// Every file that the linker read, copied now. A file that cannot be is a problem of this
    /// link, not of the others.
    fn inputs(
        &self,
        session: &Session,
        arguments: &Arguments,
        problems: &mut Vec<String>,
    ) -> io::Result<Vec<LinkedInput>> {
        let mut names = self.names(arguments)?;
        let listed: std::collections::HashSet<PathBuf> = names.iter().cloned().collect();
        names.extend(
            arguments
                .option_files
                .iter()
                .filter(|file| !listed.contains(*file) && self.cwd.join(file).is_file())
                .cloned(),
        );
        let mut kept = Vec::new();
        let made_by_plugin = made_by_plugin(&self.folder);
        for name in names.into_iter().filter(|name| !made_by_plugin(name)) {
            // What stands there now is nothing, or something else.
            if once::is_read_once(&self.cwd.join(&name)) {
                problems.push(format!(
                    "{} is a pipe, or another file that can be read only once, and the linker has \
                     read it: write it to a file that stays",
                    name.display()
                ));
                continue;
            }
            match inputs::keep(session, &self.cwd, &name) {
                Ok(input) => kept.push(input),
                Err(error) => {
                    problems.push(format!("{} could not be kept: {error}", name.display()));
                }
            }
        }
        Ok(kept)
    }

    fn names(&self, arguments: &Arguments) -> io::Result<Vec<PathBuf>> {
        let candidates = arguments.candidates();
        if !self.about.dependency_file && self.own_list.is_none() {
            return Ok(candidates
                .into_iter()
                .filter(|name| self.cwd.join(name).is_file())
                .collect());
        }
        let listed = dependencies::files(&fs::read(self.list())?, self.about.kind);
        let lost = arguments
            .files
            .iter()
            .filter(|name| dependencies::cannot_be_listed(name));
        let found = listed
            .into_iter()
            .map(|name| arguments.found(&self.cwd, name));
        let listed = found.chain(lost.cloned()).collect();
        Ok(match self.about.kind {
            LinkerKind::Lld => dependencies::as_opened(listed, &candidates),
            _ => listed,
        })
    }
}

/// gcc hands the place of `lto-wrapper` to the linker's plugin: the real one is written down, a
/// store may be moved.
fn without_shim(word: OsString, caller: &Caller, session: &Session) -> OsString {
    let wrapper = word
        .as_bytes()
        .strip_prefix(b"-plugin-opt=")
        .map(OsStr::from_bytes)
        .map(Path::new);
    let shim = wrapper.filter(|path| path.ends_with("lto-wrapper") && is_shim(path));
    let Some(real) = shim.and_then(|shim| find(shim.file_name()?, caller, Some(session))) else {
        return word;
    };
    let mut option = OsString::from("-plugin-opt=");
    option.push(real);
    option
}

fn environment() -> Vec<(OsText, OsText)> {
    let present = VARIABLES
        .iter()
        .filter_map(|name| Some((OsStr::new(name), env::var_os(name)?)));
    present
        .map(|(name, value)| (name.into(), value.into()))
        .collect()
}
