//! Opening a store: whose file it is, which version, whether it can be written.

use std::cmp::Ordering;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

use super::SqliteLog;
use super::error::of_sqlite;
use super::tables::{APPLICATION_ID, VERSION, identity, make, renew};
use crate::StoreError;

/// The store's file in the project's folder.
const FILE: &str = "evidence.db";

/// How long to wait for another process that writes. A block is written in milliseconds; one that
/// takes this long hangs.
const PATIENCE: Duration = Duration::from_secs(10);

/// What every SQLite file begins with.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

impl SqliteLog {
    /// Opens the log in `folder` (a project's `.proofmark`) to append to it; makes both where they
    /// are missing.
    ///
    /// # Errors
    ///
    /// The file is foreign, damaged or of another version; the folder cannot be written; no space
    /// is left.
    pub(crate) fn open_to_append(folder: &Path) -> Result<Self, StoreError> {
        let path = folder.join(FILE);
        if !exists(&path)? {
            create(folder, &path)?;
        }
        check_magic(&path)?;
        let mut connection = connect(&path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        check_version(&connection, &path)?;
        // A block counts as stored once it is on the disk: `FULL` syncs the log at every commit.
        connection
            .execute_batch("PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF")
            .map_err(|error| of_sqlite(&path, &error))?;
        check_writable(&connection, &path)?;
        renew(&mut connection).map_err(|error| of_sqlite(&path, &error))?;
        Ok(SqliteLog { connection, path })
    }

    /// Opens the log in `folder` to read it, also while another process measures, where nothing can
    /// be written, and when a newer version wrote it.
    ///
    /// # Errors
    ///
    /// [`StoreError::NoStore`]; the file is foreign, damaged or of an older version.
    pub(crate) fn open_to_read(folder: &Path) -> Result<Self, StoreError> {
        let path = folder.join(FILE);
        if !exists(&path)? {
            return Err(StoreError::NoStore { path });
        }
        check_magic(&path)?;
        let connection = connect_reading(&path)?;
        match check_version(&connection, &path) {
            Ok(()) | Err(StoreError::Newer { .. }) => Ok(SqliteLog { connection, path }),
            Err(error) => Err(error),
        }
    }
}

fn exists(path: &Path) -> Result<bool, StoreError> {
    path.try_exists()
        .map_err(|error| StoreError::io("look for", path, &error))
}

/// Tells a file that SQLite could read from one that is something else, and from one that was
/// emptied or cut: SQLite itself takes an empty file for a new database, and evidence would
/// silently be gone.
fn check_magic(path: &Path) -> Result<(), StoreError> {
    let mut begin = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MAGIC.len() as u64).read_to_end(&mut begin))
        .map_err(|error| StoreError::io("read", path, &error))?;
    let path = path.to_path_buf();
    match begin.len() {
        0 => Err(StoreError::Damaged {
            path,
            what: "it is empty".to_owned(),
        }),
        _ if begin == MAGIC => Ok(()),
        length if MAGIC.starts_with(&begin) => Err(StoreError::Damaged {
            path,
            what: format!("only {length} bytes are left"),
        }),
        _ => Err(StoreError::Foreign {
            path,
            found: "not a database of SQLite".to_owned(),
        }),
    }
}

/// Refuses files of others and of other versions.
fn check_version(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let found = identity(connection).map_err(|error| of_sqlite(path, &error))?;
    let path = path.to_path_buf();
    if found.application_id != APPLICATION_ID {
        let found = format!(
            "a database of another program (application id {:#010x})",
            found.application_id
        );
        return Err(StoreError::Foreign { path, found });
    }
    let (found, known) = (found.version, VERSION);
    match found.cmp(&known) {
        Ordering::Greater => Err(StoreError::Newer { path, found, known }),
        Ordering::Less => Err(StoreError::Older { path, found, known }),
        Ordering::Equal => Ok(()),
    }
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)
        .map_err(|error| of_sqlite(path, &error))?;
    connection
        .busy_timeout(PATIENCE)
        .map_err(|error| of_sqlite(path, &error))?;
    Ok(connection)
}

/// SQLite opens a file that cannot be written as read-only without a word; measuring must not begin
/// before that is known.
fn check_writable(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    if !connection
        .is_readonly("main")
        .map_err(|error| of_sqlite(path, &error))?
    {
        return Ok(());
    }
    let why =
        "it is read-only; make the file and its folder writable, or measure in another folder"
            .to_owned();
    Err(StoreError::ReadOnly {
        path: path.to_path_buf(),
        why,
    })
}

/// Connects to read. A store in write-ahead mode needs two small files beside it even for that;
/// where they cannot be made, and no log waits to be read, the file is complete by itself and
/// SQLite is told that nobody will change it.
fn connect_reading(path: &Path) -> Result<Connection, StoreError> {
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let Err(error) = identity(&connection) else {
        return Ok(connection);
    };
    let unreachable = matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly)
    );
    if !unreachable {
        return Err(of_sqlite(path, &error));
    }
    let log = path.with_extension("db-wal");
    if fs::metadata(&log).is_ok_and(|log| log.len() > 0) {
        let why = format!(
            "its last blocks are still in {}, and reading them needs a writable folder; copy the whole folder to one",
            log.display()
        );
        return Err(StoreError::ReadOnly {
            path: path.to_path_buf(),
            why,
        });
    }
    connect(
        Path::new(&immutable_uri(path)),
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI,
    )
}

fn immutable_uri(path: &Path) -> String {
    let mut uri = "file:".to_owned();
    for &byte in path.as_os_str().as_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri + "?immutable=1"
}

/// Makes a new store beside its place, whole and on the disk, and only then puts it there: at no
/// instant is there half a store, and of two processes that make one at once, the second finds the
/// first one's.
fn create(folder: &Path, path: &Path) -> Result<(), StoreError> {
    fs::create_dir_all(folder).map_err(|error| StoreError::io("make", folder, &error))?;
    let draft_folder = tempfile::Builder::new()
        .prefix(".new-")
        .tempdir_in(folder)
        .map_err(|error| StoreError::io("write into", folder, &error))?;
    let draft = draft_folder.path().join(FILE);
    let mut connection = connect(
        &draft,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
    )?;
    let prepared = make(&mut connection)
        .and_then(|()| connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())));
    prepared.map_err(|error| of_sqlite(path, &error))?;
    connection
        .close()
        .map_err(|(_, error)| of_sqlite(path, &error))?;
    sync(&draft)?;
    // It is no part of the project's sources, whoever makes it first.
    let ignore = folder.join(".gitignore");
    if !ignore.exists() {
        fs::write(&ignore, "*\n").map_err(|error| StoreError::io("write", &ignore, &error))?;
    }
    put_in_place(&draft, path)?;
    sync(folder)?;
    folder
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .map_or(Ok(()), sync)
}

fn put_in_place(draft: &Path, path: &Path) -> Result<(), StoreError> {
    let placed = match renameat_with(CWD, draft, CWD, path, RenameFlags::NOREPLACE) {
        // File systems that cannot rename without replacing can usually link.
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => fs::hard_link(draft, path),
        other => other.map_err(Into::into),
    };
    match placed {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            Err(StoreError::io("make", path, &error))
        }
        _ => Ok(()),
    }
}

/// Has a file, or the names in a folder, written to the disk.
fn sync(path: &Path) -> Result<(), StoreError> {
    File::open(PathBuf::from(path))
        .and_then(|file| file.sync_all())
        .map_err(|error| StoreError::io("write to the disk", path, &error))
}
