//! Progress on a terminal; none in a pipe.

use std::path::Path;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use proofmark_lab::{
    AttributionBlockStored, BlockStored, Event, MatrixBlockStored, Observer, SweepBlockStored,
};
use proofmark_report::Style;
use proofmark_terms::OsText;

use crate::console;

/// Shows what an experiment tells.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
    style: Style,
    /// Said in a pipe too: what a log should hold.
    loud: bool,
}

impl Progress {
    /// A line that is redrawn, on a terminal; nothing otherwise.
    pub(crate) fn new(watched: bool, style: Style, loud: bool) -> Self {
        let target = if watched {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(None, target);
        if let Ok(line) = ProgressStyle::with_template("{spinner} {msg}") {
            bar.set_style(line);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Progress { bar, style, loud }
    }

    /// Says what is being done.
    pub(crate) fn say(&self, text: impl Into<String>) {
        self.bar.set_message(text.into());
    }

    /// Takes the line away.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }

    /// A line that stays.
    fn keep(&self, text: &str) {
        if self.loud {
            self.bar.suspend(|| console::say(text));
        }
    }
}

/// How many runs there will be where they write.
fn writes(folder: &Path, files: &[OsText], a_block: u64, at_most: u64) -> String {
    let name = |file: &OsText| {
        let path = Path::new(file.as_ref());
        let short = path.strip_prefix(folder).unwrap_or(path);
        short.display().to_string()
    };
    let first = files.first().map(name).unwrap_or_default();
    let more = match files.len() {
        0 | 1 => String::new(),
        all => format!(" and {} more", all - 1),
    };
    format!(
        "the runs write {first}{more} in {}; a block makes {a_block} runs there, all blocks \
         at most {at_most}\n  --cwd fresh gives each run a copy of the folder, and --prepare \
         'COMMAND' puts things back before each run",
        folder.display()
    )
}

/// What an interrupted experiment that is not taken up becomes.
fn anew(path: &str, blocks: usize) -> String {
    format!(
        "{path} changed since the experiment was interrupted after block {blocks}: a new \
         experiment begins"
    )
}

fn matrix_anew(path: &str) -> String {
    format!(
        "{path}, which the runs read, has changed since this matrix was measured: all of it is \
         measured again, and the earlier matrix is kept"
    )
}

fn block(block: &BlockStored<'_>) -> String {
    proofmark_report::progress_line(
        block.done,
        block.max,
        block.elapsed_ms,
        block.standings,
        block.awaits_certificate,
    )
}

fn matrix_block(block: &MatrixBlockStored<'_>) -> String {
    proofmark_report::matrix_progress_line(
        block.benchmark,
        (block.done, block.max),
        block.elapsed_ms,
        block.open,
    )
}

fn sweep_block(block: &SweepBlockStored) -> String {
    proofmark_report::sweep::progress(
        (block.blocks_each, block.fewest),
        block.addresses,
        block.afresh,
        block.elapsed_ms,
    )
}

fn attribution_block(block: &AttributionBlockStored) -> String {
    proofmark_report::attribute::progress(
        (block.done, block.planned),
        (block.groups, block.functions),
        block.elapsed_ms,
    )
}

impl Observer for Progress {
    fn tell(&mut self, event: &Event<'_>) {
        match event {
            Event::Preparing(what) => self.say(format!("preparing {what}…")),
            Event::Resumed { blocks } => self.keep(&format!(
                "going on after block {blocks} of an interrupted experiment"
            )),
            Event::Anew { path, blocks } => self.keep(&anew(path, *blocks)),
            Event::OnTheirOwn { matched } => self.keep(&format!(
                "as shipped, the builds differ by more than matched layouts explain (experiment \
                 {matched}): measuring again, each build laid out on its own"
            )),
            Event::MatrixAnew { path } => self.keep(&matrix_anew(path)),
            Event::Piloted { benchmark, pilot } => self.keep(&proofmark_report::pilot_line(
                *benchmark,
                pilot,
                &self.style,
            )),
            Event::Writes {
                folder,
                files,
                a_block,
                at_most,
            } => self.keep(&writes(folder, files, *a_block, *at_most)),
            Event::Block(stored) => self.say(block(stored)),
            Event::MatrixBlock(stored) => self.say(matrix_block(stored)),
            Event::SweepBlock(stored) => self.say(sweep_block(stored)),
            Event::AttributionBlock(stored) => self.say(attribution_block(stored)),
            Event::ExplanationBlock {
                done,
                planned,
                elapsed_ms,
            } => self.say(proofmark_report::explain::progress(
                (*done, *planned),
                *elapsed_ms,
            )),
            Event::BisectKnown { bisect } => self.keep(&format!(
                "this was asked before, and here is the answer; --fresh measures again ({bisect})"
            )),
            Event::BisectResumed { steps } => self.keep(&format!(
                "going on after step {steps} of an interrupted bisection"
            )),
            Event::BisectAnew { what } => {
                self.keep(&format!("the bisection begins anew, for {what}"));
            }
            Event::Rebuilt { commit } => {
                self.keep(&proofmark_report::bisect::rebuilt(commit));
            }
            Event::BisectStep {
                commit,
                outcome,
                candidates,
            } => self.keep(&proofmark_report::bisect::progress(
                *commit,
                outcome,
                *candidates,
            )),
            Event::SeriesLine { series, apart } => {
                self.keep(&proofmark_report::series::begins(series, apart));
            }
            Event::SeriesEntry { series, entry } => {
                self.keep(&proofmark_report::series::progress(series, entry));
            }
            Event::Excluded {
                benchmark,
                cell,
                exclusion,
            } => self.keep(&format!("{cell} is out of {benchmark}: {}", exclusion.why)),
        }
    }
}
