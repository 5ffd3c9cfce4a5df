//! The processes of a sandbox: a helper that enters the namespaces, the first process in them, and
//! the command.
//!
//! All are forks of a process that may have threads, so that they make system calls only, with text
//! that was prepared before.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::io;
use std::os::fd::RawFd;

use super::NOBODY;
use super::message::{ENDED, FAILED, FIRST, READY, UNSHARED, tell};
use super::prepared::{Prepared, Put};
use super::step::Step;

/// Descriptors that the processes use, and those that they close.
pub(super) struct Descriptors {
    pub(super) tell: RawFd,
    pub(super) wait: RawFd,
    pub(super) say: RawFd,
    pub(super) outer: [RawFd; 3],
}

/// Why a process cannot go on: what it was doing, and the index of what it was doing it to. The
/// kernel's reason is in `errno`.
struct Stuck(Step, usize);

/// What a call came to.
fn done(result: c_int, step: Step) -> Result<(), Stuck> {
    at(result, step, 0)
}

fn at(result: c_int, step: Step, index: usize) -> Result<(), Stuck> {
    if result < 0 {
        Err(Stuck(step, index))
    } else {
        Ok(())
    }
}

/// Tells why a process cannot go on, and ends it.
fn failed(descriptors: &Descriptors, Stuck(step, index): Stuck) -> ! {
    let errno = io::Error::last_os_error().raw_os_error().unwrap_or(0);
    let index = i32::try_from(index).unwrap_or(0);
    tell(descriptors.tell, [FAILED, step as i32, index, errno]);
    // SAFETY: ends this process.
    unsafe { libc::_exit(1) }
}

/// The helper's life: outside of the new namespace of processes, which begins with its child.
pub(super) fn helper(prepared: &Prepared, descriptors: &Descriptors) -> ! {
    let kinds = libc::CLONE_NEWUSER
        | libc::CLONE_NEWNS
        | libc::CLONE_NEWPID
        | libc::CLONE_NEWNET
        | libc::CLONE_NEWIPC
        | libc::CLONE_NEWUTS;
    // SAFETY: system calls with descriptors and buffers of our own.
    unsafe {
        for descriptor in descriptors.outer {
            libc::close(descriptor);
        }
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        if let Err(stuck) = done(libc::unshare(kinds), Step::Unshare) {
            failed(descriptors, stuck)
        }
        tell(descriptors.tell, [UNSHARED, 0, 0, 0]);
        let mut byte = 0_u8;
        let may = read(descriptors.wait, &mut byte);
        if may != 1 {
            libc::_exit(1)
        }
        let first = libc::fork();
        match first {
            ..0 => failed(descriptors, Stuck(Step::Fork, 0)),
            0 => run(prepared, descriptors),
            _ => {}
        }
        tell(descriptors.tell, [FIRST, first, 0, 0]);
        while libc::waitpid(first, std::ptr::null_mut(), 0) < 0
            && io::Error::last_os_error().raw_os_error() == Some(libc::EINTR)
        {}
        libc::_exit(0)
    }
}

/// # Safety
/// In a child, with a descriptor of its own.
unsafe fn read(from: RawFd, byte: &mut u8) -> isize {
    loop {
        // SAFETY: a buffer of one byte.
        let read = unsafe { libc::read(from, std::ptr::from_mut(byte).cast(), 1) };
        let again = io::Error::last_os_error().raw_os_error() == Some(libc::EINTR);
        if read >= 0 || !again {
            return read;
        }
    }
}

/// The life of the first process: it puts the root together, starts the command, and takes care of
/// what that leaves behind until it has ended. The kernel ends all others with this one.
fn run(prepared: &Prepared, descriptors: &Descriptors) -> ! {
    // SAFETY: system calls with text that is alive and ends in a zero.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        // Its terminal's signals are not for it: whoever waits outside passes on what is meant.
        libc::setsid();
        // Nor are the keys of the user's session, and the name of the machine.
        libc::syscall(libc::SYS_keyctl, libc::KEYCTL_JOIN_SESSION_KEYRING, 0_usize);
        let name = b"sandbox";
        libc::sethostname(name.as_ptr().cast(), name.len());
        if let Err(stuck) = mounted(prepared) {
            failed(descriptors, stuck)
        }
        if prepared.command.is_empty() {
            tell(descriptors.tell, [ENDED, 0, 0, 0]);
            libc::_exit(0)
        }
        // Asked to end, it asks the command. What is not waited for is lost to the first process,
        // so that nobody may ask before.
        let mut asked: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut asked);
        libc::sigaddset(&mut asked, libc::SIGTERM);
        libc::sigaddset(&mut asked, libc::SIGCHLD);
        libc::sigprocmask(libc::SIG_BLOCK, &asked, std::ptr::null_mut());
        // Nobody writes to this pipe. It ends where the command has taken the place of the fork, or
        // could not: until then its memory is that of whoever began all this.
        let mut begun = [-1; 2];
        if let Err(stuck) = done(
            libc::pipe2(begun.as_mut_ptr(), libc::O_CLOEXEC),
            Step::Start,
        ) {
            failed(descriptors, stuck)
        }
        let command = libc::fork();
        match command {
            ..0 => failed(descriptors, Stuck(Step::Fork, 0)),
            0 => {
                libc::sigprocmask(libc::SIG_UNBLOCK, &asked, std::ptr::null_mut());
                let stuck = started(prepared, descriptors);
                failed(descriptors, stuck)
            }
            _ => {}
        }
        libc::close(begun[1]);
        read(begun[0], &mut 0);
        libc::close(begun[0]);
        tell(descriptors.tell, [READY, 0, 0, 0]);
        loop {
            let mut status = 0;
            let ended = libc::waitpid(-1, &mut status, libc::WNOHANG);
            if ended == command {
                tell(descriptors.tell, [ENDED, status, 0, 0]);
                libc::_exit(0)
            }
            if ended > 0 {
                continue;
            }
            if libc::sigwaitinfo(&asked, std::ptr::null_mut()) == libc::SIGTERM {
                libc::kill(command, libc::SIGINT);
            }
        }
    }
}

/// The command, in the place of this process: as a user without rights.
///
/// # Safety
/// In a child that does nothing else.
unsafe fn started(prepared: &Prepared, descriptors: &Descriptors) -> Stuck {
    // SAFETY: as the caller promises.
    match unsafe { ready(prepared, descriptors) } {
        Err(stuck) => stuck,
        Ok(()) => {
            let (words, variables) = (prepared.command.as_ptr(), prepared.env.as_ptr());
            // SAFETY: lists of texts that end in a null, the first of which is not empty.
            unsafe { libc::execve(*words, words, variables) };
            Stuck(Step::Start, 0)
        }
    }
}

unsafe fn ready(prepared: &Prepared, descriptors: &Descriptors) -> Result<(), Stuck> {
    // SAFETY: system calls with text that is alive and ends in a zero.
    unsafe {
        done(limits(prepared), Step::Limit)?;
        give_up_rights(prepared)?;
        done(
            libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
            Step::User,
        )?;
        // Whoever began this may ignore signals, as a shell does for what it puts into the
        // background. A shell in here could set no trap for them then.
        for signal in 1..=64 {
            libc::signal(signal, libc::SIG_DFL);
        }
        let nothing = libc::open(c"/dev/null".as_ptr(), libc::O_RDONLY);
        done(nothing, Step::Start)?;
        libc::dup2(nothing, 0);
        libc::dup2(descriptors.say, 1);
        libc::dup2(descriptors.say, 2);
        done(libc::chdir(prepared.cwd.as_ptr()), Step::Start)?;
        // Whatever else is open is nobody's business in there; the pipe that tells why the command
        // cannot be started closes when it is.
        let closed = libc::syscall(
            libc::SYS_close_range,
            3_u32,
            u32::MAX,
            libc::CLOSE_RANGE_CLOEXEC,
        );
        done(if closed < 0 { -1 } else { 0 }, Step::User)
    }
}

unsafe fn limits(prepared: &Prepared) -> c_int {
    let set = |what, most: u64| {
        let limit = libc::rlimit {
            rlim_cur: most,
            rlim_max: most,
        };
        // SAFETY: a structure of our own.
        unsafe { libc::setrlimit(what, &limit) }
    };
    // What is counted from outside names the limit; this one holds until it is counted. It is
    // further away: where the kernel refuses, some end, and fewer are there to be counted.
    let most = prepared.limits.processes.saturating_mul(4);
    set(libc::RLIMIT_CORE, 0).min(set(libc::RLIMIT_NPROC, most))
}

/// From here on a user who is this one outside, or nobody, without any right in the sandbox: what
/// is mounted there stays as it is.
unsafe fn give_up_rights(prepared: &Prepared) -> Result<(), Stuck> {
    // SAFETY: system calls with text that ends in a zero.
    unsafe {
        if prepared.root_user {
            done(libc::setgroups(0, std::ptr::null()), Step::User)?;
            done(libc::setresgid(NOBODY, NOBODY, NOBODY), Step::User)?;
            return done(libc::setresuid(NOBODY, NOBODY, NOBODY), Step::User);
        }
        done(libc::unshare(libc::CLONE_NEWUSER), Step::User)?;
        say(c"/proc/self/setgroups", c"deny");
        let both =
            say(c"/proc/self/uid_map", c"1000 0 1\n") && say(c"/proc/self/gid_map", c"1000 0 1\n");
        done(if both { 0 } else { -1 }, Step::User)
    }
}

unsafe fn say(file: &CStr, text: &CStr) -> bool {
    // SAFETY: text that ends in a zero, and a descriptor of our own.
    unsafe {
        let file = libc::open(file.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        if file < 0 {
            return false;
        }
        let length = text.count_bytes();
        let written = libc::write(file, text.as_ptr().cast(), length);
        libc::close(file);
        written == length.cast_signed()
    }
}

/// The root, put together and closed.
unsafe fn mounted(prepared: &Prepared) -> Result<(), Stuck> {
    let none = std::ptr::null::<c_char>();
    let memory = c"tmpfs".as_ptr();
    let flags = libc::MS_NOSUID | libc::MS_NODEV;
    let no_data = std::ptr::null::<c_void>();
    // SAFETY: system calls with text that is alive and ends in a zero.
    unsafe {
        let private = libc::MS_REC | libc::MS_PRIVATE;
        done(
            libc::mount(none, c"/".as_ptr(), none, private, no_data),
            Step::Private,
        )?;
        let options = c"mode=755,size=1m".as_ptr().cast();
        let root = prepared.root.as_ptr();
        done(
            libc::mount(memory, root, memory, flags, options),
            Step::Root,
        )?;
        done(libc::chdir(root), Step::Root)?;
        for (index, put) in prepared.steps.iter().enumerate() {
            at(put_there(put), Step::Put, index)?;
        }
        let own = flags | libc::MS_NOEXEC;
        let kind = c"proc".as_ptr();
        // The first process has the command line of outside, which may say where things are.
        let hidden = c"hidepid=2".as_ptr().cast();
        done(
            libc::mount(kind, c"proc".as_ptr(), kind, own, hidden),
            Step::Proc,
        )?;
        // The old root lies over the new one for a moment, and is taken off.
        let here = c".".as_ptr();
        let turned = libc::syscall(libc::SYS_pivot_root, here, here);
        done(if turned < 0 { -1 } else { 0 }, Step::Pivot)?;
        done(libc::umount2(here, libc::MNT_DETACH), Step::Pivot)?;
        done(libc::chdir(c"/".as_ptr()), Step::Pivot)?;
        let shut = libc::MS_REMOUNT | libc::MS_BIND | libc::MS_RDONLY | flags;
        done(
            libc::mount(none, c"/".as_ptr(), none, shut, no_data),
            Step::Shut,
        )
    }
}

unsafe fn put_there(put: &Put) -> c_int {
    let there = |result: c_int| {
        let exists = io::Error::last_os_error().raw_os_error() == Some(libc::EEXIST);
        if result < 0 && exists { 0 } else { result }
    };
    // SAFETY: system calls with text that is alive and ends in a zero.
    unsafe {
        match put {
            Put::Folder(at) => there(libc::mkdir(at.as_ptr(), 0o755)),
            Put::File(at) => {
                // What is there already may be read only, or be a program that runs.
                let how = libc::O_CREAT | libc::O_EXCL | libc::O_WRONLY | libc::O_CLOEXEC;
                let file = libc::open(at.as_ptr(), how, 0o644);
                if file >= 0 {
                    libc::close(file);
                }
                there(file)
            }
            Put::Text(at, said) => {
                let how = libc::O_CREAT | libc::O_WRONLY | libc::O_CLOEXEC;
                let file = libc::open(at.as_ptr(), how, 0o644);
                if file < 0 {
                    return file;
                }
                let written = libc::write(file, said.as_ptr().cast(), said.len());
                libc::close(file);
                if written < 0 { -1 } else { 0 }
            }
            Put::Link { to, at } => there(libc::symlink(to.as_ptr(), at.as_ptr())),
            Put::Memory(at) => {
                let memory = c"tmpfs".as_ptr();
                let flags = libc::MS_NOSUID | libc::MS_NODEV;
                let options = c"mode=1777,size=64m".as_ptr().cast();
                libc::mount(memory, at.as_ptr(), memory, flags, options)
            }
            Put::Bind { file, at, writable } => {
                let none = std::ptr::null::<c_char>();
                let bind = libc::MS_BIND | libc::MS_REC;
                let bound = libc::mount(file.as_ptr(), at.as_ptr(), none, bind, std::ptr::null());
                if bound < 0 {
                    bound
                } else {
                    held(at, *writable)
                }
            }
        }
    }
}

/// `struct mount_attr` of `mount_setattr(2)`.
#[repr(C)]
struct Attributes {
    set: u64,
    clear: u64,
    propagation: u64,
    user: u64,
}

/// Nobody gets rights by a file that is shown, and nobody writes to one that is to be read. What is
/// mounted inside of it is held as well.
unsafe fn held(at: &CStr, writable: bool) -> c_int {
    const READ_ONLY: u64 = 1;
    const NO_SET_ID: u64 = 2;
    let attributes = Attributes {
        set: NO_SET_ID | if writable { 0 } else { READ_ONLY },
        clear: 0,
        propagation: 0,
        user: 0,
    };
    // SAFETY: text that ends in a zero, and a structure of the length that is said.
    let held = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            at.as_ptr(),
            libc::AT_RECURSIVE,
            std::ptr::from_ref(&attributes),
            size_of::<Attributes>(),
        )
    };
    if held < 0 { -1 } else { 0 }
}
