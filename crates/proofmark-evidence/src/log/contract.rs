//! What every log has to do: SQLite and a plain list are given the same records and asked the same
//! questions, and must not be told apart.

use std::ops::ControlFlow;

use proptest::collection::vec;
use proptest::prelude::*;
use tempfile::tempdir;

use super::sqlite::SqliteLog;
use super::{ALL, Appended, Entry, Heading, Last, Log, Order, Tip};
use crate::StoreError;
use crate::envelope::{Kind, Place, Sealed, name_of, seal};
use crate::private::{Here, Part};

/// A log that is a list of rows.
#[derive(Debug, Default)]
struct Listed {
    rows: Vec<Row>,
    parts: Vec<Part>,
}

#[derive(Clone, Debug)]
struct Row {
    chain: String,
    place: Place,
    number: Option<u32>,
    id: String,
    body: String,
}

impl Listed {
    fn of<'a>(&'a self, chain: &'a str) -> impl DoubleEndedIterator<Item = &'a Row> {
        self.rows.iter().filter(move |row| row.chain == chain)
    }

    /// The first records of this kind, the last one first.
    fn firsts(&self, kind: Kind) -> impl Iterator<Item = &Row> {
        let firsts = self.rows.iter().rev();
        firsts.filter(move |row| row.place.kind == kind && row.chain == row.id)
    }

    fn part(&self, row: &Row) -> Option<&Part> {
        let id = row.place.private.as_ref()?;
        self.parts.iter().find(|part| part.id == **id)
    }

    fn entry<'a>(&'a self, row: &'a Row) -> Entry<'a> {
        Entry {
            id: &row.id,
            kind: row.place.kind.as_str(),
            number: row.number,
            private: row.place.private.as_deref(),
            part: self.part(row).map(|part| Here {
                key: part.key.as_deref(),
                body: &part.body,
            }),
            body: &row.body,
        }
    }
}

fn names<'a>(rows: impl Iterator<Item = &'a Row>, most: u32) -> Vec<String> {
    rows.map(|row| row.id.clone()).take(most as usize).collect()
}

impl Log for Listed {
    fn append(
        &mut self,
        place: &Place,
        number: Option<u32>,
        sealed: &Sealed,
        part: Option<&Part>,
    ) -> Result<Appended, StoreError> {
        let chain = place.chain.clone().unwrap_or_else(|| sealed.id.to_string());
        if self.of(&chain).last().map(|row| &row.id) != place.after.as_ref() {
            return Ok(Appended::Elsewhere);
        }
        self.parts.extend(part.cloned());
        self.rows.push(Row {
            chain,
            place: place.clone(),
            number,
            id: sealed.id.to_string(),
            body: sealed.body.clone(),
        });
        Ok(Appended::Kept)
    }

    fn tip(&self, chain: &str) -> Result<Option<Tip>, StoreError> {
        let numbered = self.of(chain).filter(|row| row.number.is_some()).count();
        Ok(self.of(chain).last().map(|row| Tip {
            last: row.id.clone(),
            numbered: u32::try_from(numbered).unwrap(),
        }))
    }

    fn chain(
        &self,
        chain: &str,
        take: &mut dyn FnMut(&Entry<'_>) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        let _ = self.of(chain).try_for_each(|row| take(&self.entry(row)));
        Ok(())
    }

    fn headings(&self, chain: &str) -> Result<Vec<Heading>, StoreError> {
        let heading = |row: &Row| Heading {
            id: row.id.clone(),
            kind: row.place.kind.as_str().to_owned(),
        };
        Ok(self.of(chain).map(heading).collect())
    }

    fn last(&self, chain: &str, kind: Kind) -> Result<Option<Last>, StoreError> {
        let rows: Vec<&Row> = self.of(chain).collect();
        let at = rows.iter().rposition(|row| row.place.kind == kind);
        Ok(at.map(|at| Last {
            id: rows[at].id.clone(),
            before: at.checked_sub(1).map(|before| rows[before].id.clone()),
        }))
    }

    fn record(&self, id: &str, take: &mut dyn FnMut(&Entry<'_>)) -> Result<bool, StoreError> {
        let found = self.rows.iter().find(|row| row.id == id);
        Ok(found.map(|row| take(&self.entry(row))).is_some())
    }

    fn by_key(&self, kind: Kind, key: &str) -> Result<Vec<String>, StoreError> {
        let of_key = |row: &&Row| {
            self.part(row)
                .is_some_and(|one| one.key.as_deref() == Some(key))
        };
        Ok(names(self.firsts(kind).filter(of_key), ALL))
    }

    fn by_prefix(&self, kind: Kind, prefix: &str, most: u32) -> Result<Vec<String>, StoreError> {
        let mut found: Vec<&Row> = self.firsts(kind).collect();
        found.retain(|row| row.id.starts_with(prefix));
        found.sort_by_key(|row| &row.id);
        Ok(names(found.into_iter(), most))
    }

    fn list(&self, kind: Kind, order: Order, most: u32) -> Result<Vec<String>, StoreError> {
        let mut found: Vec<&Row> = self.firsts(kind).collect();
        if order == Order::Appended {
            let last = |row: &Row| self.rows.iter().rposition(|one| one.chain == row.id);
            found.sort_by_key(|row| std::cmp::Reverse(last(row)));
        }
        Ok(names(found.into_iter(), most))
    }

    fn others(&self, kinds: &[Kind], take: &mut dyn FnMut(&Entry<'_>)) -> Result<(), StoreError> {
        let others = self.rows.iter();
        others
            .filter(|row| !kinds.contains(&row.place.kind))
            .for_each(|row| take(&self.entry(row)));
        Ok(())
    }

    fn examine(&self) -> Result<Vec<String>, StoreError> {
        let mut chains: Vec<String> = self.rows.iter().map(|row| row.chain.clone()).collect();
        chains.sort();
        chains.dedup();
        Ok(chains)
    }
}

/// Something that is written, the choices by number.
#[derive(Clone, Copy, Debug)]
enum Write {
    Begin {
        kind: Kind,
        key: u8,
    },
    Follow {
        chain: u8,
        kind: Kind,
    },
    /// After a record that is not the last one.
    Late {
        chain: u8,
    },
}

fn writes() -> impl Strategy<Value = Vec<Write>> {
    let begins = prop_oneof![Just(Kind::Experiment), Just(Kind::Matrix)];
    let follows = prop_oneof![Just(Kind::Block), Just(Kind::Note), Just(Kind::Conclusion)];
    vec(
        prop_oneof![
            (begins, 0..3_u8).prop_map(|(kind, key)| Write::Begin { kind, key }),
            (any::<u8>(), follows).prop_map(|(chain, kind)| Write::Follow { chain, kind }),
            any::<u8>().prop_map(|chain| Write::Late { chain }),
        ],
        0..40,
    )
}

/// Appends to a log, and says what came of it.
fn write(log: &mut dyn Log, begun: &[String], at: usize, write: Write) -> (String, Appended) {
    let chain = |choice: u8| begun.get(usize::from(choice) % begun.len().max(1)).cloned();
    let (kind, chain, key) = match write {
        Write::Begin { kind, key } => (kind, None, Some(format!("key {key}"))),
        Write::Follow {
            chain: choice,
            kind,
        } => (kind, chain(choice), None),
        Write::Late { chain: choice } => (Kind::Note, chain(choice), None),
    };
    let tip = chain.as_ref().and_then(|chain| log.tip(chain).unwrap());
    let begins = matches!(write, Write::Begin { .. });
    if !begins && tip.is_none() {
        return (String::new(), Appended::Elsewhere);
    }
    let number = tip.as_ref().map(|tip| tip.numbered);
    let late = matches!(write, Write::Late { .. });
    let part = (begins || kind == Kind::Conclusion).then(|| {
        let body = format!("[{at},{key:?}]");
        let id = name_of(&body);
        Part { id, key, body }
    });
    let place = Place {
        kind,
        chain,
        after: tip.map(|tip| if late { "0".repeat(64) } else { tip.last }),
        private: part.as_ref().map(|part| part.id.to_string()),
    };
    let sealed = seal(&place, &at).unwrap();
    let number = number.filter(|_| kind == Kind::Block);
    let appended = log.append(&place, number, &sealed, part.as_ref()).unwrap();
    (sealed.id.into(), appended)
}

/// Everything that can be asked of a log.
fn answers(log: &dyn Log, chains: &[String]) -> Vec<String> {
    let mut all = Vec::new();
    for kind in [Kind::Experiment, Kind::Matrix, Kind::Note] {
        for order in [Order::Begun, Order::Appended] {
            for most in [0, 1, 3, ALL] {
                all.push(format!("{:?}", log.list(kind, order, most).unwrap()));
            }
        }
        for key in ["key 0", "key 1", "none"] {
            all.push(format!("{:?}", log.by_key(kind, key).unwrap()));
        }
        for prefix in ["0", "7", "f", "a1"] {
            all.push(format!("{:?}", log.by_prefix(kind, prefix, 2).unwrap()));
        }
    }
    let unknown = "e".repeat(64);
    for chain in chains.iter().chain([&unknown]) {
        all.push(format!("{:?}", log.tip(chain).unwrap()));
        all.push(format!("{:?}", log.headings(chain).unwrap()));
        for kind in [Kind::Experiment, Kind::Block, Kind::Note, Kind::Conclusion] {
            all.push(format!("{:?}", log.last(chain, kind).unwrap()));
        }
        let mut found = None;
        log.record(chain, &mut |entry| found = Some(format!("{entry:?}")))
            .unwrap();
        all.push(format!("{found:?}"));
        let mut records = Vec::new();
        log.chain(chain, &mut |entry| {
            records.push(format!("{entry:?}"));
            if records.len() < 4 {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })
        .unwrap();
        all.extend(records);
    }
    for kinds in [&[Kind::Block, Kind::Experiment][..], &Kind::ALL] {
        log.others(kinds, &mut |entry| all.push(format!("{entry:?}")))
            .unwrap();
    }
    let mut examined = log.examine().unwrap();
    examined.sort();
    all.extend(examined);
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn sqlite_and_a_list_cannot_be_told_apart(writes in writes()) {
        let folder = tempdir().unwrap();
        let mut listed = Listed::default();
        let mut sqlite = SqliteLog::open_to_append(folder.path()).unwrap();
        let mut begun = Vec::new();
        for (at, &one) in writes.iter().enumerate() {
            let here = write(&mut listed, &begun, at, one);
            let there = write(&mut sqlite, &begun, at, one);
            prop_assert_eq!(&here, &there);
            if matches!(one, Write::Begin { .. }) && here.1 == Appended::Kept {
                begun.push(here.0);
            }
        }
        prop_assert_eq!(answers(&listed, &begun), answers(&sqlite, &begun));
        drop(sqlite);
        if folder.path().join("evidence.db").exists() {
            let read = SqliteLog::open_to_read(folder.path()).unwrap();
            prop_assert_eq!(answers(&listed, &begun), answers(&read, &begun));
        }
    }
}

#[test]
fn a_chain_is_begun_once_and_a_late_record_is_not_kept() {
    let folder = tempdir().unwrap();
    let mut sqlite = SqliteLog::open_to_append(folder.path()).unwrap();
    let begin = Write::Begin {
        kind: Kind::Experiment,
        key: 0,
    };
    let (id, first) = write(&mut sqlite, &[], 0, begin);
    assert_eq!(first, Appended::Kept);
    assert_eq!(write(&mut sqlite, &[], 0, begin).1, Appended::Elsewhere);
    let begun = [id];
    let late = write(&mut sqlite, &begun, 1, Write::Late { chain: 0 });
    assert_eq!(late.1, Appended::Elsewhere);
    assert_eq!(sqlite.headings(&begun[0]).unwrap().len(), 1);
}
