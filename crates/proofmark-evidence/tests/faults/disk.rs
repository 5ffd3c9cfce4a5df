//! A disk that writes down what is asked of it, and that can be told to fail: a VFS of SQLite, put
//! in front of the default one.
//!
//! It is the default for this whole test process, so that the store under test opens its files
//! through it without knowing.

use std::collections::BTreeMap;
use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use rusqlite::ffi;

/// Something asked of the disk, or said about it.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    /// Bytes written at an offset.
    Write {
        path: PathBuf,
        offset: usize,
        bytes: Vec<u8>,
    },
    /// A file cut or grown.
    Truncate { path: PathBuf, length: usize },
    /// Everything written to a file so far must be on the disk now.
    Sync { path: PathBuf },
    /// A file removed.
    Delete { path: PathBuf },
    /// The program under test was told that so many blocks are stored.
    Stored(u32),
}

#[derive(Default)]
struct Disk {
    recording: bool,
    events: Vec<Event>,
    /// Changes asked for since the last [`fail_from`].
    asked: usize,
    /// From which change on, how many, and with what code they fail.
    failing: Option<(usize, usize, c_int)>,
}

static DISK: Mutex<Disk> = Mutex::new(Disk {
    recording: false,
    events: Vec::new(),
    asked: 0,
    failing: None,
});

/// There is one disk for all tests of this process: they take turns.
static TURN: Mutex<()> = Mutex::new(());

fn disk() -> MutexGuard<'static, Disk> {
    DISK.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The disk, until dropped.
pub(crate) struct Turn {
    _guard: MutexGuard<'static, ()>,
}

impl Turn {
    /// Waits for the disk, in working order and recording nothing.
    pub(crate) fn take() -> Turn {
        let guard = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        static INSTALLED: Once = Once::new();
        INSTALLED.call_once(install);
        *disk() = Disk::default();
        Turn { _guard: guard }
    }

    pub(crate) fn record(&self) {
        disk().recording = true;
    }

    pub(crate) fn recorded(&self) -> Vec<Event> {
        let mut disk = disk();
        disk.recording = false;
        std::mem::take(&mut disk.events)
    }

    pub(crate) fn say(&self, event: Event) {
        disk().events.push(event);
    }

    /// Lets the change number `from`, counted from now on from 0, and the `count` − 1 after it fail
    /// with a code of SQLite.
    pub(crate) fn fail(&self, from: usize, count: usize, code: c_int) {
        let mut disk = disk();
        disk.asked = 0;
        disk.failing = Some((from, count, code));
    }

    /// Puts the disk in order; says how many changes were asked for since [`Turn::fail`].
    pub(crate) fn mend(&self) -> usize {
        let mut disk = disk();
        disk.failing = None;
        disk.asked
    }
}

/// What is on a disk whose power fails: the files, byte for byte.
#[derive(Clone, Default)]
pub(crate) struct Platter {
    files: BTreeMap<PathBuf, Vec<u8>>,
}

impl Platter {
    pub(crate) fn load(folder: &Path) -> Platter {
        let entries = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        Platter {
            files: entries
                .map(|path| (path.clone(), std::fs::read(path).unwrap()))
                .collect(),
        }
    }

    pub(crate) fn apply(&mut self, event: &Event) {
        match event {
            Event::Write {
                path,
                offset,
                bytes,
            } => {
                let file = self.files.entry(path.clone()).or_default();
                let end = offset + bytes.len();
                file.resize(file.len().max(end), 0);
                file[*offset..end].copy_from_slice(bytes);
            }
            Event::Truncate { path, length } => self
                .files
                .entry(path.clone())
                .or_default()
                .resize(*length, 0),
            Event::Delete { path } => drop(self.files.remove(path)),
            Event::Sync { .. } | Event::Stored(_) => {}
        }
    }

    /// Writes the files out under `folder`.
    pub(crate) fn store(&self, folder: &Path) {
        for (path, bytes) in &self.files {
            std::fs::write(folder.join(path.file_name().unwrap()), bytes).unwrap();
        }
    }
}

/// Takes note of a change, and says with which code it must fail.
fn asked(event: impl FnOnce() -> Event) -> Option<c_int> {
    let mut disk = disk();
    let number = disk.asked;
    disk.asked += 1;
    if let Some((from, count, code)) = disk.failing
        && (from..from.saturating_add(count)).contains(&number)
    {
        return Some(code);
    }
    if disk.recording {
        disk.events.push(event());
    }
    None
}

/// An open file: SQLite's part, ours, and behind it in the same memory the file of the VFS below.
#[repr(C)]
struct File {
    base: ffi::sqlite3_file,
    /// The path, leaked: a test opens few files.
    path: *const PathBuf,
}

/// The file of the VFS below.
///
/// # Safety
///
/// `file` is a [`File`] in memory of the size that [`install`] asks for.
unsafe fn below(file: *mut ffi::sqlite3_file) -> *mut ffi::sqlite3_file {
    // SAFETY: SQLite allocates `szOsFile` bytes, which is our size and that of the file below.
    unsafe { file.cast::<File>().add(1).cast() }
}

/// The path of a file.
///
/// # Safety
///
/// `file` is a [`File`] that was opened.
unsafe fn path_of(file: *mut ffi::sqlite3_file) -> PathBuf {
    // SAFETY: the path is written when the file is opened and never freed.
    unsafe { (*(*file.cast::<File>()).path).clone() }
}

/// Calls a method of the file below.
macro_rules! forward {
    ($file:expr, $method:ident $(, $argument:expr)*) => {{
        // SAFETY: the file below was opened by its own VFS, which has set its methods; arguments
        // are SQLite's own, handed on.
        unsafe {
            let inner = below($file);
            match (*(*inner).pMethods).$method {
                Some(method) => method(inner $(, $argument)*),
                None => ffi::SQLITE_NOTFOUND,
            }
        }
    }};
}

macro_rules! forwarding {
    ($($name:ident => $method:ident($($argument:ident: $kind:ty),*);)*) => {
        $(unsafe extern "C" fn $name(file: *mut ffi::sqlite3_file $(, $argument: $kind)*) -> c_int {
            forward!(file, $method $(, $argument)*)
        })*
    };
}

forwarding! {
    close => xClose();
    read => xRead(buffer: *mut c_void, amount: c_int, offset: ffi::sqlite3_int64);
    size => xFileSize(size: *mut ffi::sqlite3_int64);
    lock => xLock(level: c_int);
    unlock => xUnlock(level: c_int);
    reserved => xCheckReservedLock(out: *mut c_int);
    control => xFileControl(operation: c_int, argument: *mut c_void);
    sector => xSectorSize();
    traits => xDeviceCharacteristics();
    shm_map => xShmMap(page: c_int, size: c_int, extend: c_int, out: *mut *mut c_void);
    shm_lock => xShmLock(offset: c_int, count: c_int, flags: c_int);
    shm_unmap => xShmUnmap(delete: c_int);
}

unsafe extern "C" fn shm_barrier(file: *mut ffi::sqlite3_file) {
    // SAFETY: as in `forward!`.
    unsafe {
        let inner = below(file);
        if let Some(barrier) = (*(*inner).pMethods).xShmBarrier {
            barrier(inner);
        }
    }
}

unsafe extern "C" fn write(
    file: *mut ffi::sqlite3_file,
    buffer: *const c_void,
    amount: c_int,
    offset: ffi::sqlite3_int64,
) -> c_int {
    // SAFETY: SQLite hands over `amount` readable bytes.
    let bytes = unsafe {
        std::slice::from_raw_parts(buffer.cast::<u8>(), usize::try_from(amount).unwrap())
    };
    // SAFETY: SQLite writes to files that it has opened.
    let path = unsafe { path_of(file) };
    let event = || Event::Write {
        path,
        offset: usize::try_from(offset).unwrap(),
        bytes: bytes.to_vec(),
    };
    match asked(event) {
        Some(ffi::SQLITE_FULL) => ffi::SQLITE_FULL,
        Some(_) => ffi::SQLITE_IOERR_WRITE,
        None => forward!(file, xWrite, buffer, amount, offset),
    }
}

unsafe extern "C" fn truncate(file: *mut ffi::sqlite3_file, length: ffi::sqlite3_int64) -> c_int {
    // SAFETY: SQLite cuts files that it has opened.
    let path = unsafe { path_of(file) };
    match asked(|| Event::Truncate {
        path,
        length: usize::try_from(length).unwrap(),
    }) {
        Some(_) => ffi::SQLITE_IOERR_TRUNCATE,
        None => forward!(file, xTruncate, length),
    }
}

/// Notes that a sync was asked for. It is not handed on: what it means is decided when the power
/// fails, and a real one takes as long as all else in these tests.
unsafe extern "C" fn sync(file: *mut ffi::sqlite3_file, _: c_int) -> c_int {
    // SAFETY: SQLite syncs files that it has opened.
    let path = unsafe { path_of(file) };
    match asked(|| Event::Sync { path }) {
        Some(_) => ffi::SQLITE_IOERR_FSYNC,
        None => ffi::SQLITE_OK,
    }
}

static METHODS: ffi::sqlite3_io_methods = ffi::sqlite3_io_methods {
    // Version 2 has no memory-mapped reads, which would go past this disk.
    iVersion: 2,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(reserved),
    xFileControl: Some(control),
    xSectorSize: Some(sector),
    xDeviceCharacteristics: Some(traits),
    xShmMap: Some(shm_map),
    xShmLock: Some(shm_lock),
    xShmBarrier: Some(shm_barrier),
    xShmUnmap: Some(shm_unmap),
    xFetch: None,
    xUnfetch: None,
};

/// The default VFS, found once.
static BELOW: Mutex<usize> = Mutex::new(0);

fn vfs_below() -> *mut ffi::sqlite3_vfs {
    *BELOW.lock().unwrap() as *mut ffi::sqlite3_vfs
}

unsafe fn path_from(name: *const c_char) -> PathBuf {
    if name.is_null() {
        return PathBuf::new();
    }
    // SAFETY: SQLite hands over a string that ends in 0.
    PathBuf::from(OsStr::from_bytes(
        unsafe { CStr::from_ptr(name) }.to_bytes(),
    ))
}

unsafe extern "C" fn open(
    _: *mut ffi::sqlite3_vfs,
    name: ffi::sqlite3_filename,
    file: *mut ffi::sqlite3_file,
    flags: c_int,
    out: *mut c_int,
) -> c_int {
    let vfs = vfs_below();
    // SAFETY: SQLite hands over memory for a file of our size; the VFS below fills its own part of
    // it.
    unsafe {
        let inner = below(file);
        (*file).pMethods = std::ptr::null();
        (*inner).pMethods = std::ptr::null();
        let code = (*vfs).xOpen.unwrap()(vfs, name, inner, flags, out);
        if code == ffi::SQLITE_OK {
            (*file.cast::<File>()).path = Box::leak(Box::new(path_from(name)));
            (*file).pMethods = &raw const METHODS;
        }
        code
    }
}

unsafe extern "C" fn delete(
    _: *mut ffi::sqlite3_vfs,
    name: *const c_char,
    sync_folder: c_int,
) -> c_int {
    let vfs = vfs_below();
    // SAFETY: SQLite hands over a string that ends in 0.
    let path = unsafe { path_from(name) };
    match asked(|| Event::Delete { path }) {
        Some(_) => ffi::SQLITE_IOERR_DELETE,
        // SAFETY: the arguments are SQLite's own, handed on.
        None => unsafe { (*vfs).xDelete.unwrap()(vfs, name, sync_folder) },
    }
}

/// Makes this disk the default one of the process.
fn install() {
    // SAFETY: the default VFS lives as long as the process, and so does the leaked one; the copy
    // keeps all that is not replaced.
    unsafe {
        let real = ffi::sqlite3_vfs_find(std::ptr::null());
        *BELOW.lock().unwrap() = real as usize;
        let ours = Box::leak(Box::new(*real));
        ours.pNext = std::ptr::null_mut();
        ours.zName = c"proofmark-faults".as_ptr();
        ours.szOsFile += c_int::try_from(size_of::<File>()).unwrap();
        ours.xOpen = Some(open);
        ours.xDelete = Some(delete);
        assert_eq!(ffi::sqlite3_vfs_register(ours, 1), ffi::SQLITE_OK);
    }
}
