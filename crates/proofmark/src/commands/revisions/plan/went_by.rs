//! What the build of a state went by that is not of that state: files of the work tree, and what
//! builds of other states left.

use std::collections::BTreeSet;
use std::env;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use proofmark_capture::outside::{Held, Known, Maker, Makers, Original, Sought, Tools, Touched};
use proofmark_capture::states::{Checkout, State};

use super::Plan;
use crate::console;
use crate::context::Context;
use crate::exit::Unbuilt;

/// The folder in the store that says what builds of states left outside of the repository.
const MADE: &str = "revisions-made";

/// What builds of states left there, by who did.
pub(super) fn makers(context: &Context) -> Makers {
    Makers::new(context.folder.join(MADE))
}

impl Plan {
    /// What builds of other states left outside of their folders, and lies there still.
    pub(crate) fn of_others(
        &self,
        state: &State,
        context: &Context,
    ) -> anyhow::Result<BTreeSet<PathBuf>> {
        Ok(makers(context).held(&self.name(state, 0)?).of_others())
    }

    /// An error where a build took a file from the work tree that is another one in its revision.
    pub(super) fn refuse_work_tree(
        &self,
        sought: &Sought,
        built: Checkout,
        state: &State,
        context: &Context,
        (shim_program, tools): (&Path, &[&Path]),
    ) -> anyhow::Result<()> {
        let top = self.repository.top();
        if !sought.goes_to(top, &[built.whole(), &context.folder]) {
            return Ok(());
        }
        // The build may have taken it into its copy: what is held against it is a clean one.
        drop(built);
        let (clean, _) = self.copy(state)?;
        let mut original = Original {
            folder: top,
            copy: clean.folder(),
            other_state: !state.is_of_work_tree(),
            own: vec![context.folder.clone(), shim_program.to_owned()],
            inputs: &[],
        };
        let tools = original.folders_of_tools(Tools {
            programs: tools,
            variable: &|name| env::var_os(name),
        });
        original.own.extend(tools);
        let Some(bypass) = sought.bypass(&original) else {
            return Ok(());
        };
        Err(Unbuilt(format!(
            "the build of `{}` {}\n  next: let it name its own files from the folder in which it \
             runs, without the path of the work tree",
            state.name,
            bypass.told("that revision")
        ))
        .into())
    }

    /// What is known of a build that was followed: nothing that another state's build has made.
    pub(super) fn known(
        &self,
        (known, touched): (Result<Known, String>, Touched),
        (makers, held): (&Makers, &Held),
        state: &State,
        context: &Context,
    ) -> anyhow::Result<Known> {
        // What it is built from, however often.
        let name = self.name(state, 0)?;
        makers
            .note(&Maker::new(&name, &state.name), &touched, held)
            .with_context(|| format!("cannot write to {}", context.folder.display()))?;
        let known = known.map_err(anyhow::Error::msg)?;
        if let Some(met) = held.met(&touched) {
            anyhow::bail!(
                "the build of `{}` {}\n  next: let builds write into their own folder only, or \
                 make that file by hand before all of them",
                state.name,
                met.told()
            );
        }
        Ok(known)
    }
}

/// Says that a build has to be made a second time, for it changes something that it goes by.
///
/// # Errors
/// When it was made a second time for the same reason.
pub(super) fn again_for(file: &Path, before: Option<&Path>, state: &State) -> anyhow::Result<()> {
    anyhow::ensure!(
        before.is_none(),
        "the build of `{}` goes by {}, and leaves it otherwise than it finds it, so that the next \
         build of the same would find something else\n  next: let builds write into their own \
         folder only",
        state.name,
        file.display()
    );
    console::say(&format!(
        "proofmark: {} is built once more, for it goes by {}, and has changed that",
        state.name,
        file.display()
    ));
    Ok(())
}
