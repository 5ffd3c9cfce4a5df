//! The tables of a store, and how an older store becomes a present one.

use rusqlite::{Connection, Transaction, TransactionBehavior};

/// Written into the file's header so that other programs know whose it is: "prmk".
pub(crate) const APPLICATION_ID: u32 = u32::from_be_bytes(*b"prmk");

/// What was done to the tables, in order; the store's version is how many of them it has seen.
/// Append only: a store in somebody's folder has already seen those that are here.
pub(crate) const MIGRATIONS: &[&str] = &[
    include_str!("0001-records.sql"),
    include_str!("0002-kinds.sql"),
];

/// The version that this program writes.
pub(crate) fn version() -> u32 {
    u32::try_from(MIGRATIONS.len()).unwrap_or(u32::MAX)
}

/// What a file says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) application_id: u32,
    pub(crate) version: u32,
}

/// Reads what a file says of itself.
pub(crate) fn identity(connection: &Connection) -> rusqlite::Result<Identity> {
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

/// Applies the migrations that a store has not seen, all or none of them.
pub(crate) fn migrate(connection: &mut Connection, migrations: &[&str]) -> rusqlite::Result<()> {
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
    // Read inside the transaction: another process may have migrated while this one waited for it.
    let seen = identity(&transaction)?.version;
    for (number, migration) in (1_u32..)
        .zip(migrations)
        .filter(|&(number, _)| number > seen)
    {
        transaction.execute_batch(migration)?;
        transaction.execute_batch(&format!("PRAGMA user_version = {number}"))?;
    }
    transaction.execute_batch(&format!(
        "PRAGMA application_id = {}",
        APPLICATION_ID.cast_signed()
    ))?;
    transaction.commit()
}

#[cfg(test)]
mod tests {
    use super::*;

    const THREE: &[&str] = &[
        "CREATE TABLE a (x)",
        "INSERT INTO a VALUES (1); CREATE TABLE b (x)",
        "INSERT INTO a VALUES (2)",
    ];

    fn sum(connection: &Connection) -> i64 {
        connection
            .query_row("SELECT sum(x) FROM a", [], |row| row.get(0))
            .unwrap()
    }

    #[test]
    fn each_migration_is_applied_once_and_in_order() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection, &THREE[..2]).unwrap();
        assert_eq!(
            (identity(&connection).unwrap().version, sum(&connection)),
            (2, 1)
        );
        migrate(&mut connection, THREE).unwrap();
        assert_eq!(
            (identity(&connection).unwrap().version, sum(&connection)),
            (3, 3)
        );
        migrate(&mut connection, THREE).unwrap();
        assert_eq!(
            identity(&connection).unwrap(),
            Identity {
                application_id: APPLICATION_ID,
                version: 3
            }
        );
        assert_eq!(sum(&connection), 3);
    }

    #[test]
    fn a_migration_that_fails_leaves_the_store_as_it_was() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection, &THREE[..1]).unwrap();
        assert!(
            migrate(
                &mut connection,
                &[THREE[0], THREE[1], "INSERT INTO nowhere VALUES (1)"]
            )
            .is_err()
        );
        assert_eq!(identity(&connection).unwrap().version, 1);
        assert!(
            connection
                .query_row("SELECT * FROM b", [], |_| Ok(()))
                .is_err()
        );
    }

    #[test]
    fn the_application_id_is_a_positive_number_of_sqlite() {
        assert_eq!(APPLICATION_ID, 0x7072_6d6b);
        assert!(APPLICATION_ID.cast_signed() > 0);
    }
}
