//! Samples of a run with the names of who called whom, for flame graphs and profiles.

mod depth;
mod names;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use proofmark_measure::sample::{Chain, Chains, Frame, sample_chains};
use proofmark_measure::{Interrupt, Launch, Unavailable};

pub use depth::Depth;
use names::Names;

/// The samples of a run, with names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Callers {
    /// In order of time.
    pub samples: Vec<Called>,
    /// How far the chains of calls reach.
    pub depth: Depth,
    /// Samples that the kernel dropped.
    pub lost: u64,
    /// Why code that was made in the run has no names, by process.
    pub unnamed: BTreeMap<u32, String>,
}

impl Callers {
    /// Puts the samples of another run behind these.
    pub fn append(&mut self, run: Callers) {
        let last = self.samples.last().map_or(Duration::ZERO, |one| one.at);
        let later = run.samples.into_iter().map(|one| Called {
            at: last + one.at,
            ..one
        });
        self.samples.extend(later);
        self.depth.join(run.depth);
        self.lost += run.lost;
        self.unnamed.extend(run.unnamed);
    }
}

/// One sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Called {
    /// When it was, from the first sample on.
    pub at: Duration,
    /// The names of its frames, outermost first. What was inlined says so.
    pub frames: Vec<String>,
}

/// Runs a program once, takes samples of it with their callers, and names them. Functions are named
/// by symbols, those that were inlined by the line table, and code that was made in the run by the
/// map that its maker writes.
///
/// # Errors
/// The reason where the kernel does not tell, or the program cannot be run.
pub fn callers(launch: &Launch, stop: &Interrupt) -> Result<Callers, Unavailable> {
    let chains = sample_chains(launch, stop)?;
    let view = launch.view.as_deref();
    Ok(named(&chains, |path| {
        view.map_or(path, |view| view.file(path)).to_owned()
    }))
}

/// Names the frames of chains; `file` says where a file of the run can be read from here.
fn named(chains: &Chains, file: impl Fn(&Path) -> PathBuf) -> Callers {
    let mut names: Vec<Names> = chains
        .files
        .iter()
        .map(|path| Names::open(path, &file(path)))
        .collect();
    let mut depth = Depth::default();
    let mut samples = Vec::with_capacity(chains.samples.len());
    for chain in &chains.samples {
        let called = called(chain, &mut names);
        let whole = is_whole(chain, &called, &names);
        depth.add(chain.frames.len(), chains.most, whole);
        samples.push(called);
    }
    let why =
        |(process, why): (&u32, &proofmark_measure::sample::Unnamed)| (*process, why.to_string());
    Callers {
        samples,
        depth,
        lost: chains.lost,
        unnamed: chains.unnamed.iter().map(why).collect(),
    }
}

fn called(chain: &Chain, names: &mut [Names]) -> Called {
    let mut frames = Vec::with_capacity(chain.frames.len());
    for frame in chain.frames.iter().rev() {
        match frame {
            Frame::InFile { file, address } => {
                if let Some(names) = names.get_mut(*file) {
                    frames.extend_from_slice(names.of(*address));
                }
            }
            Frame::Made(name) => frames.push(name.clone()),
            Frame::Unnamed => frames.push("[code without a name]".to_owned()),
            Frame::Lent => frames.push("[vdso]".to_owned()),
        }
    }
    Called {
        at: chain.at,
        frames,
    }
}

/// Whether a chain reaches where its thread began: the program's entry, or the library that begins
/// programs and threads.
fn is_whole(chain: &Chain, called: &Called, names: &[Names]) -> bool {
    const BEGIN: [&str; 9] = [
        "_start",
        "main",
        "__libc_start_main",
        "start_thread",
        "clone",
        "clone3",
        // Go's.
        "runtime.goexit",
        "runtime.mstart",
        "runtime.rt0_go",
    ];
    let begins = |name: &String| BEGIN.contains(&name.split('@').next().unwrap_or(name));
    let of = |frame: &Frame| match frame {
        Frame::InFile { file, .. } => Some(*file),
        _ => None,
    };
    let outermost = chain.frames.last().and_then(of);
    let by_library = outermost
        .and_then(|file| names.get(file))
        .is_some_and(Names::begins_threads);
    // A chain that is in that library alone began somewhere else.
    let elsewhere = chain.frames.iter().any(|frame| of(frame) != outermost);
    called.frames.iter().any(begins) || by_library && elsewhere
}
