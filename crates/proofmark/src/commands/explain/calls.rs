//! Flame graphs, folded stacks and profiles of the two builds of an explanation.

use std::path::Path;

use anyhow::Context as _;
use proofmark_lab::{CalledRuns, Callers};
use proofmark_measure::sample::BETWEEN;
use proofmark_picture::{
    Flames, Samples, Stack, TimedStack, flame_difference, flame_graph, folded, folded_difference,
    gone, profile,
};

use crate::arguments::{CallsArgs, beside};
use crate::console;

/// Writes what was asked for. `names` are those of the base and of the build.
pub(super) fn write(args: &CallsArgs, called: &CalledRuns, names: [&str; 2]) -> anyhow::Result<()> {
    let [base, new] = called.builds.each_ref().map(stacks);
    let mut written = Vec::new();
    let mut put = |path: &Path, content: &[u8]| {
        written.push(path.display().to_string());
        std::fs::write(path, content).with_context(|| format!("cannot write {}", path.display()))
    };
    if let Some(path) = &args.flame {
        let flames = |name: &str, stacks| alone(called.runs, name, stacks);
        for (which, name, stacks) in [("base", names[0], &base), ("new", names[1], &new)] {
            let (title, about) = flames(name, stacks);
            let drawn = flame_graph(&Flames {
                title: &title,
                about: &about,
                unit: "samples",
                stacks,
            })?;
            put(&beside(path, which), &drawn)?;
        }
        let (title, about) = difference(called.runs, names, (&base, &new));
        let drawn = flame_difference(
            &base,
            &Flames {
                title: &title,
                about: &about,
                unit: "samples",
                stacks: &new,
            },
        )?;
        put(path, &drawn)?;
    }
    if let Some(path) = &args.folded {
        put(&beside(path, "base"), folded(&base).as_bytes())?;
        put(&beside(path, "new"), folded(&new).as_bytes())?;
        put(path, folded_difference(&base, &new).as_bytes())?;
    }
    if let Some(path) = &args.profile {
        let builds = [0, 1].map(|at| timed(names[at], &called.builds[at]));
        let title = format!("{} and {}, as shipped", names[0], names[1]);
        put(path, &profile(&title, &builds, BETWEEN)?)?;
    }
    console::say(&format!("wrote {}", written.join(", ")));
    for (name, callers) in names.iter().zip(&called.builds) {
        say_what_lacks(name, callers);
    }
    Ok(())
}

/// How far chains reach, and what has no names.
fn say_what_lacks(name: &str, callers: &Callers) {
    console::say(&format!("{name}: {}", callers.depth.words()));
    if callers.lost > 0 {
        console::say(&format!(
            "{name}: the kernel dropped {} samples",
            callers.lost
        ));
    }
    if let Some(why) = callers.unnamed.values().next() {
        console::say(&format!("{name}: code made in the run has no names: {why}"));
    }
}

fn stacks(callers: &Callers) -> Vec<Stack> {
    let samples = callers.samples.iter();
    let stack = |one: &proofmark_lab::Called| Stack {
        frames: one.frames.clone(),
        weight: 1,
    };
    samples.map(stack).collect()
}

fn timed(name: &str, callers: &Callers) -> Samples {
    let samples = callers.samples.iter();
    let sample = |one: &proofmark_lab::Called| TimedStack {
        at: one.at,
        frames: one.frames.clone(),
    };
    Samples {
        name: name.to_owned(),
        samples: samples.map(sample).collect(),
    }
}

/// Title and line of a picture of one build.
fn alone(runs: u32, name: &str, stacks: &[Stack]) -> (String, String) {
    let about = format!("{} samples of {runs} runs, as shipped", stacks.len());
    (name.to_owned(), about)
}

/// Title and line of the picture of the difference.
fn difference(runs: u32, names: [&str; 2], (base, new): (&[Stack], &[Stack])) -> (String, String) {
    let [base_name, new_name] = names;
    let lost = gone(base, new) * 100.0;
    let about = format!(
        "as wide as in {new_name}; red: more than in {base_name}, blue: less; {} samples for {}, \
         of {runs} runs each, as shipped; {lost:.1} % of {base_name}'s are in stacks that \
         {new_name} has not",
        new.len(),
        base.len()
    );
    (format!("{new_name} against {base_name}"), about)
}
