//! How a view is made: by a child that enters new namespaces, binds the files, and waits until its
//! namespaces have been opened.
//!
//! The child is a fork of a process with threads, so that it makes system calls only, with text
//! that was prepared before.

use std::ffi::{CStr, CString, c_int};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::kept::Kept;
use super::{Binding, View, shown};
use crate::MeasureError;

/// Whom the mounts belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// This user, who may mount.
    Self_,
    /// A user namespace in which this user may mount, and is otherwise the same.
    UserNamespace,
}

/// What the child was doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Starting, or talking to us.
    Child,
    /// New namespaces.
    Unshare,
    /// The user's and group's numbers in the new user namespace.
    Numbers,
    /// Keeping mounts from being seen outside.
    Private,
    /// One of the bindings, by its index.
    Bind(usize),
    /// A binding that was made and is not seen.
    Unseen(usize),
}

/// Why there is no view.
pub(super) struct Failed {
    pub(super) step: Step,
    pub(super) source: io::Error,
}

impl Failed {
    pub(super) fn into_error(self, bindings: &[Binding], folder: Option<&Binding>) -> MeasureError {
        let name = |index: usize| {
            let binding = bindings.iter().chain(folder).nth(index);
            binding.map_or_else(String::new, shown)
        };
        let doing = match self.step {
            Step::Child => "cannot start a process for a private view of files".to_owned(),
            Step::Unshare => "cannot make a private mount namespace".to_owned(),
            Step::Numbers => "cannot be the same user in a private namespace".to_owned(),
            Step::Private => "cannot keep private mounts private".to_owned(),
            Step::Bind(index) => format!("cannot put {}", name(index)),
            Step::Unseen(index) => format!("another file is seen after putting {}", name(index)),
        };
        MeasureError::NoView {
            doing,
            source: self.source,
        }
    }
}

/// Text that the child uses.
struct Prepared {
    owner: Owner,
    users: CString,
    groups: CString,
    bindings: Vec<Mount>,
    /// Where the child tells how far it came.
    tell: c_int,
    /// Ends when the child may go.
    wait: c_int,
}

/// One mount.
struct Mount {
    file: CString,
    /// Where it is bound: below a folder that is bound last, and takes what is mounted in it along.
    to: CString,
    /// Where it is to be seen in the end.
    at: CString,
    /// Device and inode of the file.
    known: (u64, u64),
}

/// What the child tells: the step's number, an index, an error number.
type Told = [i32; 3];

const READY: i32 = 0;

pub(super) fn view(
    bindings: &[Binding],
    folder: Option<&Binding>,
    owner: Owner,
) -> Result<View, Failed> {
    let child = |source| Failed {
        step: Step::Child,
        source,
    };
    let (told, tell) = pipe().map_err(child)?;
    let (wait, go) = pipe().map_err(child)?;
    let pipes = [tell.as_raw_fd(), wait.as_raw_fd()];
    let prepared = Prepared::new((bindings, folder), owner, pipes)?;
    // SAFETY: the child makes system calls only, and leaves by `_exit`.
    let pid = unsafe { libc::fork() };
    match pid {
        ..0 => return Err(child(io::Error::last_os_error())),
        0 => {
            // SAFETY: in the child, which has copies of both.
            unsafe {
                libc::close(go.as_raw_fd());
                libc::close(told.as_raw_fd());
            }
            prepared.carry_out()
        }
        _ => {}
    }
    drop((tell, wait));
    let view = answer(told)
        .and_then(|()| opened(pid, owner, (bindings, folder)).map_err(child))
        .and_then(still_seen);
    // Said, and not only closed: a child that another thread forks meanwhile holds a copy of this
    // end.
    let _ = rustix::io::write(&go, &[0]);
    drop(go);
    // SAFETY: our own child, which ends once it may.
    unsafe { libc::waitpid(pid, std::ptr::null_mut(), 0) };
    view
}

fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?)
}

/// What the child came to.
fn answer(told: OwnedFd) -> Result<(), Failed> {
    let mut bytes = [0; size_of::<Told>()];
    File::from(told)
        .read_exact(&mut bytes)
        .map_err(|source| Failed {
            step: Step::Child,
            source,
        })?;
    let number = |at: usize| {
        let part = bytes
            .get(at * 4..at * 4 + 4)
            .and_then(|part| part.try_into().ok());
        part.map_or(0, i32::from_ne_bytes)
    };
    let index = usize::try_from(number(1)).unwrap_or(0);
    let step = match number(0) {
        READY => return Ok(()),
        1 => Step::Unshare,
        2 => Step::Numbers,
        3 => Step::Private,
        4 => Step::Bind(index),
        _ => Step::Unseen(index),
    };
    Err(Failed {
        step,
        source: io::Error::from_raw_os_error(number(2)),
    })
}

/// The namespaces of a child that waits.
fn opened(
    pid: libc::pid_t,
    owner: Owner,
    (bindings, folder): (&[Binding], Option<&Binding>),
) -> io::Result<View> {
    let open = |name: &str| File::open(format!("/proc/{pid}/ns/{name}")).map(OwnedFd::from);
    Ok(View {
        kept: Kept::of(pid, bindings.iter().chain(folder))?,
        mounts: open("mnt")?,
        user: match owner {
            Owner::Self_ => None,
            Owner::UserNamespace => Some(open("user")?),
        },
        bindings: bindings.to_vec(),
        folder: folder.cloned(),
    })
}

/// The view, unless a path was written anew since the child looked.
fn still_seen(view: View) -> Result<View, Failed> {
    match view.kept.lost() {
        None => Ok(view),
        Some(index) => Err(Failed {
            step: Step::Unseen(index),
            source: io::Error::from_raw_os_error(libc::ESTALE),
        }),
    }
}

impl Prepared {
    fn new(
        (bindings, folder): (&[Binding], Option<&Binding>),
        owner: Owner,
        [tell, wait]: [c_int; 2],
    ) -> Result<Prepared, Failed> {
        let child = |source: io::Error| Failed {
            step: Step::Child,
            source,
        };
        let same = |number: u32| CString::new(format!("{number} {number} 1\n"));
        let mounts = bindings.iter().chain(folder).enumerate();
        let mounts = mounts.map(|(index, binding)| {
            Mount::of(binding, folder).map_err(|source| Failed {
                step: Step::Bind(index),
                source,
            })
        });
        Ok(Prepared {
            owner,
            users: same(rustix::process::geteuid().as_raw())
                .map_err(|error| child(error.into()))?,
            groups: same(rustix::process::getegid().as_raw())
                .map_err(|error| child(error.into()))?,
            bindings: mounts.collect::<Result<_, Failed>>()?,
            tell,
            wait,
        })
    }

    /// The child's life.
    fn carry_out(&self) -> ! {
        let told = match self.mounted() {
            Ok(()) => [READY, 0, 0],
            Err((step, index)) => {
                let errno = io::Error::last_os_error().raw_os_error().unwrap_or(0);
                // Something else lies there, and no call failed.
                let errno = if step == 5 { libc::ESTALE } else { errno };
                [step, i32::try_from(index).unwrap_or(0), errno]
            }
        };
        let mut byte = 0_u8;
        // SAFETY: descriptors and buffers of our own; the process ends here.
        unsafe {
            libc::write(self.tell, told.as_ptr().cast(), size_of::<Told>());
            // Until a byte comes or the other end is closed: the namespaces have been opened then,
            // or nobody wants them.
            libc::read(self.wait, std::ptr::from_mut(&mut byte).cast(), 1);
            libc::_exit(0)
        }
    }

    fn mounted(&self) -> Result<(), (i32, usize)> {
        let done = |result: c_int, step: i32, index: usize| {
            if result < 0 {
                Err((step, index))
            } else {
                Ok(())
            }
        };
        // SAFETY: system calls with text that is alive and ends in a zero.
        unsafe {
            let kinds = match self.owner {
                Owner::Self_ => libc::CLONE_NEWNS,
                Owner::UserNamespace => libc::CLONE_NEWUSER | libc::CLONE_NEWNS,
            };
            done(libc::unshare(kinds), 1, 0)?;
            if self.owner == Owner::UserNamespace {
                // Refused by old kernels only, which do not need it.
                say(c"/proc/self/setgroups", c"deny");
                let both = say(c"/proc/self/uid_map", &self.users)
                    && say(c"/proc/self/gid_map", &self.groups);
                done(if both { 0 } else { -1 }, 2, 0)?;
            }
            let none = std::ptr::null();
            let private = libc::MS_REC | libc::MS_PRIVATE;
            done(
                libc::mount(none, c"/".as_ptr(), none, private, none.cast()),
                3,
                0,
            )?;
            for (index, mount) in self.bindings.iter().enumerate() {
                let bound = libc::mount(
                    mount.file.as_ptr(),
                    mount.to.as_ptr(),
                    none,
                    libc::MS_BIND | libc::MS_REC,
                    none.cast(),
                );
                done(bound, 4, index)?;
            }
            for (index, mount) in self.bindings.iter().enumerate() {
                done(
                    if is_file(&mount.at, mount.known) {
                        0
                    } else {
                        -1
                    },
                    5,
                    index,
                )?;
            }
        }
        Ok(())
    }
}

impl Mount {
    fn of(binding: &Binding, folder: Option<&Binding>) -> io::Result<Mount> {
        let text = |path: &Path| CString::new(path.as_os_str().as_bytes());
        let about = std::fs::metadata(&binding.file)?;
        let inside = folder
            .filter(|folder| folder.at != binding.at)
            .and_then(|folder| Some(folder.file.join(binding.at.strip_prefix(&folder.at).ok()?)));
        Ok(Mount {
            file: text(&binding.file)?,
            to: text(inside.as_deref().unwrap_or(&binding.at))?,
            at: text(&binding.at)?,
            known: (about.dev(), about.ino()),
        })
    }
}

/// Whether a path leads to the file with this device and inode.
///
/// # Safety
/// A path that ends in a zero.
unsafe fn is_file(path: &CStr, known: (u64, u64)) -> bool {
    // SAFETY: an all-zero structure is valid and filled by the call.
    unsafe {
        let mut about: libc::stat = std::mem::zeroed();
        libc::stat(path.as_ptr(), &mut about) == 0 && (about.st_dev, about.st_ino) == known
    }
}

/// Writes a text to a file of the kernel's.
///
/// # Safety
/// In the child; text that ends in a zero.
unsafe fn say(file: &CStr, text: &CStr) -> bool {
    // SAFETY: as promised by the caller.
    unsafe {
        let file = libc::open(file.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        if file < 0 {
            return false;
        }
        let file = OwnedFd::from_raw_fd(file);
        let length = text.count_bytes();
        libc::write(file.as_raw_fd(), text.as_ptr().cast(), length) == length.cast_signed()
    }
}
