//! The inputs of an experiment, watched while it is measured.

use std::ffi::OsStr;
use std::path::Path;

use proofmark_evidence::record::{Inputs, Warning};
use proofmark_terms::OsText;

use super::content::{Stamp, answer_of, hashed, is_there};
use crate::error::LabError;

/// The inputs of an experiment under way.
pub(crate) struct Watched {
    inputs: Inputs,
    /// Of each fixed one; `None` where it is to be read again.
    stamps: Vec<Option<Stamp>>,
}

impl Watched {
    /// Nothing is trusted before it was looked at once.
    pub(crate) fn new(inputs: &Inputs) -> Self {
        Watched {
            stamps: vec![None; inputs.fixed.len()],
            inputs: inputs.clone(),
        }
    }

    /// Whether everything is as it was when the experiment began.
    ///
    /// # Errors
    ///
    /// [`LabError::InputChanged`] with the first file that is not.
    pub(crate) fn check(&mut self) -> Result<(), LabError> {
        for (input, known) in self.inputs.fixed.iter().zip(&mut self.stamps) {
            let path = Path::new(input.path.as_ref());
            let now = path
                .metadata()
                .ok()
                .and_then(|metadata| Stamp::of(&metadata));
            if now.is_some() && now == *known {
                continue;
            }
            match hashed(path) {
                Ok(Some((hash, stamp))) if hash == input.hash => *known = stamp,
                found => {
                    return Err(LabError::InputChanged {
                        path: path.to_owned(),
                        how: if found.is_ok() {
                            "read, is another one now"
                        } else {
                            "read, cannot be read any more"
                        },
                    });
                }
            }
        }
        let mut asked = self.inputs.asked.iter();
        let other = asked.find(|asked| {
            let now = answer_of(Path::new(asked.path.as_ref())).map(OsText::from);
            now.as_ref() != Some(&asked.answer)
        });
        if let Some(other) = other {
            return Err(LabError::InputChanged {
                path: Path::new(other.path.as_ref()).to_owned(),
                how: "asked about, is another one now",
            });
        }
        let absent = self.inputs.absent.iter();
        match absent
            .map(AsRef::as_ref)
            .find(|path: &&OsStr| is_there(Path::new(path)))
        {
            None => Ok(()),
            Some(path) => Err(LabError::InputChanged {
                path: path.into(),
                how: "looked for in vain, is there now",
            }),
        }
    }

    /// The files that stay as they are.
    pub(crate) fn fixed(&self) -> impl Iterator<Item = &Path> {
        self.inputs
            .fixed
            .iter()
            .map(|input| Path::new(input.path.as_ref()))
    }

    /// What a reader must know of them.
    pub(crate) fn remarks(&self) -> Vec<Warning> {
        let mut remarks = Vec::new();
        if let Some(first) = self.inputs.state.first() {
            remarks.push(Warning::State {
                file: first.clone(),
                more: u32::try_from(self.inputs.state.len() - 1).unwrap_or(u32::MAX),
            });
        }
        if let Some(first) = self.inputs.between.first() {
            remarks.push(Warning::InputBetween {
                file: first.clone(),
                more: u32::try_from(self.inputs.between.len() - 1).unwrap_or(u32::MAX),
            });
        }
        if let Some(why) = &self.inputs.only_named {
            remarks.push(Warning::InputsNotTraced { why: why.clone() });
        }
        remarks
    }
}

/// The first input that is not what it was, in words.
pub(crate) fn changed_since(inputs: &Inputs) -> Option<OsText> {
    match Watched::new(inputs).check() {
        Err(LabError::InputChanged { path, .. }) => Some(path.into()),
        _ => None,
    }
}
