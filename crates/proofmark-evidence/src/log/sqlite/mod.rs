//! A log in one SQLite file.

mod error;
mod open;
mod tables;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use rusqlite::{
    Connection, OptionalExtension, Params, TransactionBehavior, params, params_from_iter,
};

use super::{Appended, Entry, Heading, Last, Log, Order, Tip};
use crate::StoreError;
use crate::envelope::{Kind, Place, Sealed};
use crate::private::{Here, Part};

/// A log in one SQLite file.
#[derive(Debug)]
pub(crate) struct SqliteLog {
    connection: Connection,
    path: PathBuf,
}

impl SqliteLog {
    /// The file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn failed(&self, error: &rusqlite::Error) -> StoreError {
        error::of_sqlite(&self.path, error)
    }

    fn names(&self, query: &str, values: impl Params) -> Result<Vec<String>, StoreError> {
        let mut statement = self
            .connection
            .prepare_cached(query)
            .map_err(|error| self.failed(&error))?;
        statement
            .query_map(values, |row| row.get(0))
            .and_then(Iterator::collect)
            .map_err(|error| self.failed(&error))
    }

    fn appended(
        &mut self,
        place: &Place,
        number: Option<u32>,
        sealed: &Sealed,
        part: Option<&Part>,
    ) -> rusqlite::Result<Appended> {
        let chain = place.chain.as_deref().unwrap_or(sealed.id.as_str());
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        if last_of(&transaction, chain)? != place.after {
            return Ok(Appended::Elsewhere);
        }
        if let Some(Part { id, key, body }) = part {
            transaction
                .prepare_cached(
                    "INSERT INTO private (id, key, body) SELECT ?1, ?2, ?3 \
                     WHERE NOT EXISTS (SELECT 1 FROM private WHERE id = ?1)",
                )?
                .execute(params![id.as_str(), key, body])?;
        }
        transaction
            .prepare_cached("INSERT INTO record (id, chain, kind, number, private, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?
            .execute(params![sealed.id.as_str(), chain, place.kind.as_str(), number, place.private, sealed.body])?;
        transaction.commit()?;
        Ok(Appended::Kept)
    }

    fn handed_over(
        &self,
        which: &str,
        values: impl Params,
        take: &mut dyn FnMut(&Entry<'_>) -> ControlFlow<()>,
    ) -> rusqlite::Result<()> {
        let query = format!("{ENTRIES} WHERE {which} ORDER BY seq");
        let mut statement = self.connection.prepare_cached(&query)?;
        let mut rows = statement.query(values)?;
        while let Some(row) = rows.next()? {
            let part = row.get_ref(5)?.as_str_or_null()?;
            let key = row.get_ref(4)?.as_str_or_null()?;
            let entry = Entry {
                id: row.get_ref(0)?.as_str()?,
                kind: row.get_ref(1)?.as_str()?,
                number: row.get(2)?,
                private: row.get_ref(3)?.as_str_or_null()?,
                part: part.map(|body| Here { key, body }),
                body: row.get_ref(6)?.as_str()?,
            };
            if take(&entry).is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// Records with their private parts, as [`Entry`] has them.
const ENTRIES: &str = "SELECT record.id, record.kind, record.number, record.private, private.key, \
     private.body, record.body \
     FROM record LEFT JOIN private ON private.id = record.private";

impl Log for SqliteLog {
    fn append(
        &mut self,
        place: &Place,
        number: Option<u32>,
        sealed: &Sealed,
        part: Option<&Part>,
    ) -> Result<Appended, StoreError> {
        let appended = self.appended(place, number, sealed, part);
        appended.map_err(|error| self.failed(&error))
    }

    fn tip(&self, chain: &str) -> Result<Option<Tip>, StoreError> {
        let Some(last) = last_of(&self.connection, chain).map_err(|error| self.failed(&error))?
        else {
            return Ok(None);
        };
        // Numbers have no gaps: the last one tells how many there are, by the index alone.
        let query = "SELECT coalesce(max(number) + 1, 0) FROM record \
             WHERE chain = ?1 AND number IS NOT NULL";
        let numbered = self
            .connection
            .prepare_cached(query)
            .and_then(|mut statement| statement.query_row([chain], |row| row.get(0)))
            .map_err(|error| self.failed(&error))?;
        Ok(Some(Tip { last, numbered }))
    }

    fn chain(
        &self,
        chain: &str,
        take: &mut dyn FnMut(&Entry<'_>) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        self.handed_over("record.chain = ?1", [chain], take)
            .map_err(|error| self.failed(&error))
    }

    fn headings(&self, chain: &str) -> Result<Vec<Heading>, StoreError> {
        let query = "SELECT id, kind FROM record WHERE chain = ?1 ORDER BY seq";
        let heading = |row: &rusqlite::Row<'_>| {
            Ok(Heading {
                id: row.get(0)?,
                kind: row.get(1)?,
            })
        };
        self.connection
            .prepare_cached(query)
            .and_then(|mut statement| statement.query_map([chain], heading)?.collect())
            .map_err(|error| self.failed(&error))
    }

    fn last(&self, chain: &str, kind: Kind) -> Result<Option<Last>, StoreError> {
        // By the index of chains alone, from its end.
        let query = "SELECT id, \
             (SELECT before.id FROM record AS before \
              WHERE before.chain = last.chain AND before.seq < last.seq \
              ORDER BY before.seq DESC LIMIT 1) \
             FROM record AS last WHERE chain = ?1 AND kind = ?2 ORDER BY seq DESC LIMIT 1";
        let last = |row: &rusqlite::Row<'_>| {
            Ok(Last {
                id: row.get(0)?,
                before: row.get(1)?,
            })
        };
        self.connection
            .prepare_cached(query)
            .and_then(|mut statement| statement.query_row([chain, kind.as_str()], last).optional())
            .map_err(|error| self.failed(&error))
    }

    fn record(&self, id: &str, take: &mut dyn FnMut(&Entry<'_>)) -> Result<bool, StoreError> {
        let mut found = false;
        let mut once = |entry: &Entry<'_>| {
            found = true;
            take(entry);
            ControlFlow::Break(())
        };
        self.handed_over("record.id = ?1", [id], &mut once)
            .map_err(|error| self.failed(&error))?;
        Ok(found)
    }

    fn by_key(&self, kind: Kind, key: &str) -> Result<Vec<String>, StoreError> {
        let query = "SELECT record.id FROM private \
             JOIN record ON record.private = private.id AND record.id = record.chain \
             WHERE private.key = ?2 AND record.kind = ?1 ORDER BY seq DESC";
        self.names(query, [kind.as_str(), key])
    }

    fn by_prefix(&self, kind: Kind, prefix: &str, most: u32) -> Result<Vec<String>, StoreError> {
        // `g` follows the last digit.
        let query = "SELECT id FROM record \
             WHERE id >= ?2 AND id < ?2 || 'g' AND kind = ?1 AND id = chain \
             ORDER BY id LIMIT ?3";
        self.names(query, params![kind.as_str(), prefix, most])
    }

    fn list(&self, kind: Kind, order: Order, most: u32) -> Result<Vec<String>, StoreError> {
        let query = match order {
            Order::Begun => {
                "SELECT id FROM record WHERE kind = ?1 AND id = chain \
                 ORDER BY seq DESC LIMIT ?2"
            }
            Order::Appended => {
                "SELECT id FROM record AS first WHERE kind = ?1 AND id = chain \
                 ORDER BY (SELECT max(seq) FROM record WHERE chain = first.id) DESC LIMIT ?2"
            }
        };
        self.names(query, params![kind.as_str(), most])
    }

    fn others(&self, kinds: &[Kind], take: &mut dyn FnMut(&Entry<'_>)) -> Result<(), StoreError> {
        let each = vec!["?"; kinds.len()].join(", ");
        let names = params_from_iter(kinds.iter().map(|kind| kind.as_str()));
        let mut all = |entry: &Entry<'_>| {
            take(entry);
            ControlFlow::Continue(())
        };
        self.handed_over(&format!("record.kind NOT IN ({each})"), names, &mut all)
            .map_err(|error| self.failed(&error))
    }

    fn examine(&self) -> Result<Vec<String>, StoreError> {
        let whole: String = self
            .connection
            .query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))
            .map_err(|error| self.failed(&error))?;
        if whole != "ok" {
            return Err(StoreError::Damaged {
                path: self.path.clone(),
                what: whole,
            });
        }
        self.names("SELECT DISTINCT chain FROM record", ())
    }
}

fn last_of(connection: &Connection, chain: &str) -> rusqlite::Result<Option<String>> {
    connection
        .prepare_cached("SELECT id FROM record WHERE chain = ?1 ORDER BY seq DESC LIMIT 1")?
        .query_row([chain], |row| row.get(0))
        .optional()
}
