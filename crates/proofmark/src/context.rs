//! What the arguments mean here: the project's folder, the terminal, the signals.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use anyhow::Context as _;
use proofmark_capture::Builds;
use proofmark_evidence::{LockedStore, Store};
use proofmark_lab::Laboratory;
use proofmark_measure::Interrupt;
use proofmark_project::FILE;
use proofmark_report::Style;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

use crate::arguments::ColorArg;
use crate::exit::Usage;
use crate::progress::Progress;

/// The folder of captured builds and evidence.
const FOLDER: &str = ".proofmark";

/// Narrower terminals are written to as if they were this wide; wider output than 100 columns is
/// hard to read.
const WIDTHS: (u16, u16) = (80, 120);

/// What a user ends a command with: Ctrl-C, `kill`, a terminal that is closed, Ctrl-\.
const SIGNALS: [i32; 4] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT];

/// Where the command runs.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    /// The folder of captured builds and evidence; it need not exist.
    pub(crate) folder: PathBuf,
    /// The user named that folder.
    named: bool,
    /// How standard output looks.
    pub(crate) style: Style,
    /// How standard error looks.
    pub(crate) errors: Style,
    /// Whether somebody watches standard error.
    pub(crate) watched: bool,
    /// Raised by the [`SIGNALS`].
    pub(crate) stop: Interrupt,
    /// The captured builds, once they were asked for.
    builds: OnceLock<Arc<Builds>>,
}

impl Context {
    pub(crate) fn new(store: Option<PathBuf>, color: ColorArg) -> anyhow::Result<Self> {
        let named = store.is_some();
        let folder = match store {
            Some(folder) => std::path::absolute(&folder)
                .with_context(|| format!("cannot find {}", folder.display()))?,
            None => project_folder()?,
        };
        let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let style = |terminal: bool| Style {
            colour: match color {
                ColorArg::Auto => terminal && !plain,
                ColorArg::Always => true,
                ColorArg::Never => false,
            },
            width: width(),
            terminal,
        };
        Ok(Context {
            folder,
            named,
            style: style(std::io::stdout().is_terminal()),
            errors: style(std::io::stderr().is_terminal()),
            watched: std::io::stderr().is_terminal(),
            stop: Interrupt::new(),
            builds: OnceLock::new(),
        })
    }

    /// The same for a project whose file is in this folder: what belongs to it is kept there,
    /// wherever the command is given, unless the user named another place.
    pub(crate) fn in_project(&self, folder: &Path) -> Self {
        let mut context = self.clone();
        if !self.named {
            context.folder = folder.join(FOLDER);
            context.builds = OnceLock::new();
        }
        context
    }

    /// The captured builds, open until the command ends: no garbage is collected meanwhile, so that
    /// what was found is there as long as it is used.
    pub(crate) fn builds(&self) -> anyhow::Result<Arc<Builds>> {
        if let Some(builds) = self.builds.get() {
            return Ok(Arc::clone(builds));
        }
        let opened = Arc::new(Builds::open(&self.folder)?);
        Ok(Arc::clone(self.builds.get_or_init(|| opened)))
    }

    /// Refuses a store that holds the folder of this command or of its project: files of the store
    /// are proofmark's own, and that they change is nobody's edit. The user's would be among them.
    pub(crate) fn refuse_store_around(&self, project: Option<&Path>) -> anyhow::Result<()> {
        let Ok(store) = self.folder.canonicalize() else {
            return Ok(());
        };
        let here =
            std::env::current_dir().context("cannot tell the current folder; was it removed?")?;
        let places = project.map(Path::to_owned).into_iter().chain([here]);
        for place in places.filter_map(|place| place.canonicalize().ok()) {
            if place.starts_with(&store) {
                return Err(Usage(format!(
                    "the store {} holds {}: changes of what builds and runs read there would not \
                     be seen\n  next: name a folder for the store alone, as in --store {}",
                    store.display(),
                    place.display(),
                    store.join(FOLDER).display()
                ))
                .into());
            }
        }
        Ok(())
    }

    /// Has something measured, and shows how far it has come; gives back the store that it was
    /// recorded in.
    pub(crate) fn measure<T, E: Into<anyhow::Error>>(
        &self,
        carry_out: impl FnOnce(&mut Laboratory<'_>, &mut Progress) -> Result<T, E>,
    ) -> anyhow::Result<(Store, T)> {
        self.refuse_store_around(None)?;
        let mut store = LockedStore::open(&self.folder)?;
        let mut progress = Progress::new(self.watched, self.errors, true);
        let mut laboratory = Laboratory {
            folder: &self.folder,
            store: &mut store,
            stop: self.stop.clone(),
        };
        let done = carry_out(&mut laboratory, &mut progress);
        progress.clear();
        let done = done.map_err(Into::into)?;
        // Others may measure while what was found is read.
        Ok((store.unlocked(), done))
    }

    /// Raises the stop flag on the [`SIGNALS`]; the second one ends the process at once.
    pub(crate) fn catch_signals(&self) -> anyhow::Result<()> {
        for signal in SIGNALS {
            // `nohup` means it. A shell that puts a command into the background has it ignore
            // Ctrl-C and Ctrl-\, which no longer reach it there: whoever sends these signals all
            // the same means to end it.
            if signal == SIGHUP && is_ignored(signal) {
                continue;
            }
            signal_hook::flag::register_conditional_shutdown(signal, 130, self.stop.flag())
                .context("cannot catch Ctrl-C")?;
            signal_hook::flag::register(signal, self.stop.flag()).context("cannot catch Ctrl-C")?;
        }
        Ok(())
    }
}

/// Whether whoever started this process had it ignore a signal.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// `.proofmark` in the nearest folder, this one or above, that has one or is a project's; or else
/// here.
fn project_folder() -> anyhow::Result<PathBuf> {
    let here =
        std::env::current_dir().context("cannot tell the current folder; was it removed?")?;
    let of_project = here
        .ancestors()
        .find(|folder| folder.join(FOLDER).is_dir() || folder.join(FILE).is_file());
    Ok(of_project.unwrap_or(&here).join(FOLDER))
}

/// The width of the terminal, within bounds.
fn width() -> u16 {
    let columns =
        rustix::termios::tcgetwinsize(std::io::stdout()).map_or(WIDTHS.0, |size| size.ws_col);
    columns.clamp(WIDTHS.0, WIDTHS.1)
}
