//! What changed in the machine code from the base to each build, read once on a thread of its own
//! while blocks are measured.

use std::path::PathBuf;
use std::thread::JoinHandle;

use proofmark_code::CodeError;
use proofmark_code::comparison::{Changes, Kept};
use proofmark_code::expect::Expectations;
use proofmark_evidence::record::{CodeChange, Expected};

use proofmark_measure::{Form, look_at};

use super::aside;
use crate::builds::Subject;

/// Reading under way.
pub(crate) struct Reading {
    thread: JoinHandle<Vec<CodeChange>>,
}

/// A build's own image and the name that expectations know it by.
struct Own {
    name: String,
    image: Option<PathBuf>,
}

impl Reading {
    /// Starts to read the builds' own images. In scripts there is nothing to read.
    pub(crate) fn start(
        subjects: &[Subject],
        expectations: Option<&Expectations>,
        core: Option<u32>,
    ) -> Option<Self> {
        let own: Vec<Own> = subjects
            .iter()
            .map(|subject| Own {
                name: subject.name.clone(),
                image: subject.shipped().into_iter().next(),
            })
            .collect();
        let is_script = |own: &Own| {
            let image = own.image.as_deref().map(look_at);
            image.is_some_and(|image| image.is_ok_and(|it| matches!(it.form, Form::Script(_))))
        };
        if own.iter().all(is_script) {
            return None;
        }
        let expectations = expectations.cloned();
        let read = move || {
            aside(core);
            match own.split_first() {
                Some((base, news)) => read(base, news, expectations.as_ref()),
                None => Vec::new(),
            }
        };
        let thread = std::thread::Builder::new()
            .name("machine-code".to_owned())
            .spawn(read)
            .ok()?;
        Some(Reading { thread })
    }

    /// What was read, when it is there.
    pub(crate) fn wait(self) -> Vec<CodeChange> {
        self.thread.join().unwrap_or_default()
    }
}

fn read(base: &Own, news: &[Own], expectations: Option<&Expectations>) -> Vec<CodeChange> {
    let change = |new: &Own| match change(base, new, expectations) {
        Ok(change) => change,
        Err(reason) => CodeChange::Unread { reason },
    };
    news.iter().map(change).collect()
}

fn change(
    base: &Own,
    new: &Own,
    expectations: Option<&Expectations>,
) -> Result<CodeChange, String> {
    let image = |own: &Own| {
        let image = own.image.clone();
        image.ok_or_else(|| format!("{} has no image to read", own.name))
    };
    let (base_image, new_image) = (image(base)?, image(new)?);
    // Images go by their builds' names: what is read are copies, in a folder that nobody knows.
    let said = |error: CodeError| {
        let copies = [(&base_image, &base.name), (&new_image, &new.name)];
        let text = error.to_string();
        copies.iter().fold(text, |text, (image, name)| {
            text.replace(&image.display().to_string(), name)
        })
    };
    let changes = Changes::between(&base_image, &new_image, None).map_err(said)?;
    let expected = |expectations: &Expectations| {
        let base = Kept::by(&base_image, expectations, &base.name)?;
        let new = Kept::by(&new_image, expectations, &new.name)?;
        Ok(Expected {
            held: new.held,
            broken: new.broken,
            broken_in_base: base.broken.len() as u64,
        })
    };
    Ok(CodeChange::Read {
        functions: changes.functions,
        // What is added is new content too.
        changed: changes.changed + changes.added,
        removed: changes.removed,
        renamed: changes.renamed,
        expectations: expectations.map(expected).transpose().map_err(said)?,
    })
}
