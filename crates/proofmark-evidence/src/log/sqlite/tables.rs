//! The tables of a store in SQLite, and what a file says of itself.

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior};

/// Written into the file's header so that other programs know whose it is: "prmk".
pub(super) const APPLICATION_ID: u32 = u32::from_be_bytes(*b"prmk");

/// The version that this program writes. Raised when the tables or the form of records change.
pub(super) const VERSION: u32 = 4;

const TABLES: &str = include_str!("tables.sql");
/// The view for readers with SQL: none of our own queries goes through it.
const SAMPLE: &str = include_str!("sample.sql");

/// What a file says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    pub(super) application_id: u32,
    pub(super) version: u32,
}

/// Reads what a file says of itself.
pub(super) fn identity(connection: &Connection) -> rusqlite::Result<Identity> {
    // Both are stored as signed 32-bit numbers; the bits are what counts.
    let number = |pragma: &str| {
        connection
            .query_row(pragma, [], |row| row.get::<_, i32>(0))
            .map(i32::cast_unsigned)
    };
    Ok(Identity {
        application_id: number("PRAGMA application_id")?,
        version: number("PRAGMA user_version")?,
    })
}

/// Makes the tables in a new file, all or none of them.
pub(super) fn make(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
    transaction.execute_batch(TABLES)?;
    transaction.execute_batch(SAMPLE)?;
    transaction.execute_batch(&format!(
        "PRAGMA user_version = {VERSION}; PRAGMA application_id = {}",
        APPLICATION_ID.cast_signed()
    ))?;
    transaction.commit()
}

/// Gives a file the view as it is now, where an earlier program made another one.
pub(super) fn renew(connection: &mut Connection) -> rusqlite::Result<()> {
    let query = "SELECT sql FROM sqlite_master WHERE type = 'view' AND name = 'sample'";
    let known: Option<String> = connection
        .query_row(query, [], |row| row.get(0))
        .optional()?;
    if known.is_some_and(|known| known.trim_end() == SAMPLE.trim_end()) {
        return Ok(());
    }
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
    transaction.execute_batch("DROP VIEW IF EXISTS sample")?;
    transaction.execute_batch(SAMPLE)?;
    transaction.commit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_file_says_whose_it_is_and_which_version() {
        let mut connection = Connection::open_in_memory().unwrap();
        make(&mut connection).unwrap();
        assert_eq!(
            identity(&connection).unwrap(),
            Identity {
                application_id: APPLICATION_ID,
                version: VERSION
            }
        );
        assert!(make(&mut connection).is_err(), "they are made once");
    }

    #[test]
    fn the_application_id_is_a_positive_number_of_sqlite() {
        assert_eq!(APPLICATION_ID, 0x7072_6d6b);
        assert!(APPLICATION_ID.cast_signed() > 0);
    }
}
