//! A machine is tuned, and put back whatever happens.

use std::fs::File;

use crate::change::{Change, Failed};
use crate::error::TuneError;
use crate::journal::{Journal, Lasting};
use crate::lock::Lock;
use crate::plan::{Held, Plan};
use crate::setting::Setting;
use crate::tree::{Disk, Tree};
use crate::undo::{Undone, undo};

/// The user whose alone the journal is.
pub(crate) const ROOT: u32 = 0;

/// The right to tune the machine.
pub struct Tuner<'a> {
    tree: &'a dyn Tree,
    owner: u32,
    _lock: Option<Lock>,
}

impl<'a> Tuner<'a> {
    /// Takes the right to tune this machine. `command` is what others are told who come meanwhile.
    ///
    /// # Errors
    /// When this user is not root, somebody else tunes, or the folder of the journal could be
    /// anybody's.
    pub fn open(disk: &'a Disk, command: &str) -> Result<Tuner<'a>, TuneError> {
        if !rustix::process::geteuid().is_root() {
            return Err(TuneError::NotRoot);
        }
        let lock = Lock::take(disk, ROOT, command)?;
        Ok(Tuner {
            tree: disk,
            owner: ROOT,
            _lock: Some(lock),
        })
    }

    /// A tuner of a tree that is made up.
    #[cfg(test)]
    pub(crate) fn of(tree: &'a dyn Tree) -> Tuner<'a> {
        Tuner {
            tree,
            owner: ROOT,
            _lock: None,
        }
    }

    /// Puts back what a tune left that was killed; none where nothing was left. What is to last
    /// until it is undone stays.
    ///
    /// # Errors
    /// When the journal cannot be trusted or understood.
    pub fn recover(&self) -> Result<Option<Undone>, TuneError> {
        let Some(journal) = Journal::read(self.tree, self.owner)? else {
            // Of a boot that is over, or none.
            Journal::forget(self.tree)?;
            return Ok(None);
        };
        match journal.lasting {
            Lasting::UntilUndone { made: true } => Ok(None),
            // Whoever made it would hold the lock.
            Lasting::Process | Lasting::UntilUndone { made: false } => {
                undo(self.tree, self.owner, journal).map(Some)
            }
        }
    }

    /// Puts back what was to last until it is undone; none where nothing is tuned.
    ///
    /// # Errors
    /// When the journal cannot be trusted or understood.
    pub fn undo(&self) -> Result<Option<Undone>, TuneError> {
        match Journal::read(self.tree, self.owner)? {
            Some(journal) => undo(self.tree, self.owner, journal).map(Some),
            None => Ok(None),
        }
    }

    /// Refuses a machine that is tuned already: whoever is told what would be set is told that first.
    ///
    /// # Errors
    /// When it is, or the journal cannot be trusted or understood.
    pub fn not_tuned(&self) -> Result<(), TuneError> {
        match Journal::read(self.tree, self.owner)? {
            Some(_) => Err(TuneError::Tuned),
            None => Ok(()),
        }
    }

    /// Writes former values down and makes the changes of a plan. They are taken back when what is
    /// given is dropped, unless it is kept.
    ///
    /// # Errors
    /// When the machine is tuned already, or the journal cannot be written; then nothing is
    /// changed.
    pub fn tune(&'a self, plan: &Plan, lasting: Lasting) -> Result<Tuned<'a>, TuneError> {
        self.not_tuned()?;
        let (mut changes, mut failed) = (Vec::new(), Vec::new());
        for change in plan.changes().cloned() {
            match change.still_is(self.tree) {
                Ok(()) => changes.push(change),
                Err(why) => failed.push(Failed { change, why }),
            }
        }
        let journal = Journal::new(self.tree, plan.core, lasting, changes.clone())?;
        journal.keep(self.tree, self.owner)?;
        let mut tuned = Tuned {
            tuner: self,
            journal: Some(journal),
            failed,
            held: Vec::new(),
        };
        for change in changes {
            if let Err(why) = change.make(self.tree) {
                tuned.failed.push(Failed { change, why });
            }
        }
        tuned.forget_unmade(self.tree);
        for hold in plan.holds() {
            tuned.hold(self.tree, hold);
        }
        Ok(tuned)
    }
}

/// A machine that is tuned.
pub struct Tuned<'a> {
    tuner: &'a Tuner<'a>,
    /// None once it was dealt with.
    journal: Option<Journal>,
    /// Changes that were not made, and why.
    pub failed: Vec<Failed>,
    held: Vec<File>,
}

impl Tuned<'_> {
    /// What the kernel refused need not be put back, and does not count as put back.
    fn forget_unmade(&mut self, tree: &dyn Tree) {
        let failed = &self.failed;
        let unmade = |change: &Change| {
            failed.iter().any(|one| one.change == *change) && change.still_is(tree).is_ok()
        };
        let owner = self.tuner.owner;
        if let Some(journal) = &mut self.journal {
            let written = journal.changes.len();
            journal.changes.retain(|change| !unmade(change));
            // Whoever puts back after a kill counts by what is written. Where it cannot be written
            // now, what is there says more than was done, and nothing is lost.
            if journal.changes.len() < written {
                let _ = journal.keep(tree, owner);
            }
        }
    }

    fn hold(&mut self, tree: &dyn Tree, hold: &Held) {
        if let Ok(file) = tree.hold(Held::PATH, &hold.microseconds.to_ne_bytes()) {
            self.held.extend(file);
        }
    }

    /// The file by which a process comes to have cores of its own; none where no such were set
    /// aside.
    #[must_use]
    pub fn door(&self) -> Option<String> {
        let journal = self.journal.as_ref()?;
        journal
            .changes
            .iter()
            .find_map(|change| match &change.setting {
                Setting::Group(group) => Some(group.door()),
                _ => None,
            })
    }

    /// Leaves the machine tuned until that is undone.
    ///
    /// # Errors
    /// When the journal cannot be written; then it is undone.
    pub fn keep(mut self) -> Result<Vec<Failed>, TuneError> {
        if let Some(journal) = &mut self.journal {
            journal.lasting = Lasting::UntilUndone { made: true };
            journal.keep(self.tuner.tree, self.tuner.owner)?;
        }
        self.journal = None;
        Ok(std::mem::take(&mut self.failed))
    }

    /// Puts everything back.
    ///
    /// # Errors
    /// When the journal cannot be removed.
    pub fn end(mut self) -> Result<Undone, TuneError> {
        self.put_back()
    }

    fn put_back(&mut self) -> Result<Undone, TuneError> {
        self.held.clear();
        match self.journal.take() {
            Some(journal) => undo(self.tuner.tree, self.tuner.owner, journal),
            None => Ok(Undone::default()),
        }
    }
}

impl Drop for Tuned<'_> {
    fn drop(&mut self) {
        // On the way out of a panic or an error. What fails stays in the journal, and the next
        // command tries again.
        let _ = self.put_back();
    }
}
