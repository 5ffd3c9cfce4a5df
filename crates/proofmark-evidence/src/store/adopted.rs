//! An experiment of another store, taken into this one as it stands.

use std::ops::ControlFlow;

use super::{LockedStore, Store};
use crate::envelope::{Kind, Place, Sealed, name_of};
use crate::log::Appended;
use crate::private::Part;
use crate::{ExperimentId, StoreError};

/// A record on its way.
struct Moved {
    place: Place,
    number: Option<u32>,
    sealed: Sealed,
    part: Option<Part>,
}

impl LockedStore {
    /// Takes an experiment of another store or of a bundle into this one: each record as it was
    /// hashed there, so that it keeps its name. One that is here already stays as it is.
    ///
    /// # Errors
    ///
    /// There is no such experiment there, or a record of it is damaged; this store cannot be
    /// written.
    pub fn adopt(&mut self, from: &Store, id: &ExperimentId) -> Result<(), StoreError> {
        // Read as what it is first: nothing that is damaged goes in.
        from.load(id.as_str())?;
        let chain = id.as_str();
        if self.log.tip(chain)?.is_some() {
            return Ok(());
        }
        let mut all: Vec<Moved> = Vec::new();
        let mut unknown = None;
        from.entries(chain, &mut |entry| {
            let Some(kind) = Kind::from_column(entry.kind) else {
                unknown = Some(entry.kind.to_owned());
                return ControlFlow::Break(());
            };
            let before = all.last().map(|moved| moved.sealed.id.to_string());
            all.push(Moved {
                place: Place {
                    kind,
                    chain: before.is_some().then(|| chain.to_owned()),
                    after: before,
                    private: entry.private.map(str::to_owned),
                },
                number: entry.number,
                sealed: Sealed {
                    id: name_of(entry.body),
                    body: entry.body.to_owned(),
                },
                part: entry.part.map(|here| Part {
                    id: name_of(here.body),
                    key: here.key.map(str::to_owned),
                    body: here.body.to_owned(),
                }),
            });
            ControlFlow::Continue(())
        })?;
        if let Some(kind) = unknown {
            return Err(StoreError::Unexpected {
                path: from.path.clone(),
                what: format!("a record of an experiment is of the kind `{kind}`"),
            });
        }
        for moved in all {
            let Moved {
                place,
                number,
                sealed,
                part,
            } = moved;
            let appended = self
                .store
                .log
                .append(&place, number, &sealed, part.as_ref())?;
            if appended == Appended::Elsewhere {
                return Err(StoreError::Busy {
                    path: self.store.path.clone(),
                });
            }
        }
        Ok(())
    }
}
