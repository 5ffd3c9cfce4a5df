//! Failures of SQLite, told apart by what the user can do about them.

use std::path::Path;

use rusqlite::ErrorCode;

use crate::StoreError;

pub(super) fn of_sqlite(path: &Path, error: &rusqlite::Error) -> StoreError {
    let path = path.to_path_buf();
    let what = error.to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => StoreError::Full { path },
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy { path },
        Some(ErrorCode::DatabaseCorrupt) => StoreError::Damaged { path, what },
        Some(ErrorCode::NotADatabase) => StoreError::Foreign { path, found: what },
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => StoreError::ReadOnly {
            path,
            why: format!(
                "{what}; make the file and its folder writable, or measure in another folder"
            ),
        },
        Some(ErrorCode::CannotOpen) => StoreError::Io {
            doing: "open",
            path,
            why: what,
        },
        Some(ErrorCode::SystemIoFailure) => StoreError::Io {
            doing: "read or write",
            path,
            why: what,
        },
        _ => StoreError::Unexpected { path, what },
    }
}
