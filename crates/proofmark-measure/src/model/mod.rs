//! A model of caches and of a predictor of branches: what callgrind simulates of one run. It is no
//! measurement. The model knows two levels of caches without prefetching and a predictor of the
//! nineties; it knows nothing of how instructions are fetched and decoded, of decoded ones that
//! are kept, of buffers of branch targets, of pages, and of time.
//!
//! Its counts are exact for what it models: the same for every run of the same work at the same
//! addresses. Give all builds one environment, and paths of one length.

mod caches;
mod misses;
mod read;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

pub use caches::{Caches, CachesFrom};
pub use misses::Misses;

use crate::valgrind::{APART, Ran, Tool, run};
use crate::{Interrupt, Launch, Unavailable};

/// The longest that a simulated run may take, whatever the launch allows: it takes some hundred
/// times as long as the program does.
pub const LIMIT: Duration = Duration::from_secs(240);

/// What the model says of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// The caches that were simulated.
    pub caches: Caches,
    /// Of everything: the program, its libraries and the processes that it started.
    pub total: Misses,
    /// Of the file that is looked at alone.
    pub own: Misses,
    /// Of its functions, by symbol. Functions of one name are one here.
    pub functions: BTreeMap<String, Misses>,
    /// Of its instructions that were executed, by address as linked.
    pub places: BTreeMap<u64, Misses>,
    /// Whether the program ran without its debug information, which valgrind could not read. Names
    /// of functions are there all the same where it has a symbol table.
    pub without_debug: bool,
}

/// Runs a program once under callgrind, ASLR off, with these caches. Its output is thrown away.
/// `file` is the file that is looked at, by its path in the run: the program itself, or a library
/// that it loads. For at most `launch.timeout` or [`LIMIT`], whichever is shorter.
///
/// # Errors
/// The reason when valgrind is not there, does not know an instruction of the program, cannot run
/// it, or took too long.
pub fn model(
    launch: &Launch,
    file: &Path,
    caches: &Caches,
    stop: &Interrupt,
) -> Result<Model, Unavailable> {
    let launch = Launch {
        aslr: false,
        timeout: launch.timeout.min(LIMIT),
        ..launch.clone()
    };
    let caches = caches.simulated();
    let mut options: Vec<String> = [
        "--tool=callgrind",
        "--compress-strings=no",
        "--compress-pos=no",
        "--demangle=no",
        "--dump-instr=yes",
        "--cache-sim=yes",
        "--branch-sim=yes",
    ]
    .map(str::to_owned)
    .to_vec();
    options.extend(caches.options());
    options.extend(APART.map(str::to_owned));
    let tool = Tool {
        options,
        output: "--callgrind-out-file=",
        wanted: true,
    };
    let is_program = file == launch.program;
    run(&launch, &tool, stop, |ran| {
        let file = if is_program { &ran.image } else { file };
        let mut model = Model {
            caches,
            total: Misses::default(),
            own: Misses::default(),
            functions: BTreeMap::new(),
            places: BTreeMap::new(),
            without_debug: ran.without_debug,
        };
        taken(ran, file, &mut model).map(|()| model)
    })
}

/// Takes what callgrind wrote of each process.
fn taken(ran: &Ran, file: &Path, model: &mut Model) -> Result<(), Unavailable> {
    // The path as the kernel has it: a view shows each file where it belongs, and elsewhere links
    // are followed.
    let resolved = file.canonicalize();
    let is_own = |object: &str| {
        let object = Path::new(object);
        object == file || resolved.as_ref().is_ok_and(|path| object == path)
    };
    if ran.counted.is_empty() || ran.counted.len() < ran.logs.len() {
        return Err(ran.no_count());
    }
    for text in &ran.counted {
        let unread = |message: String| Unavailable::Failed {
            what: "cannot read what callgrind wrote",
            message,
        };
        read::costs(text, |cost| {
            model.total.add(&cost.misses);
            if !is_own(cost.object) {
                return;
            }
            model.own.add(&cost.misses);
            let of_function = model.functions.entry(cost.symbol.to_owned()).or_default();
            of_function.add(&cost.misses);
            let at = model.places.entry(cost.address).or_default();
            at.add(&cost.misses);
        })
        .map_err(unread)?;
    }
    if model.total.instructions == 0 {
        return Err(ran.no_count());
    }
    Ok(())
}
