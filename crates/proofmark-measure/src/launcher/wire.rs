//! What the instrument and its launcher say to each other: a shared area of memory for the request,
//! short fixed messages on a socket.

use std::ffi::{c_char, c_int};

use crate::cgroup::Entry;
use crate::{Accounted, Accounting, Tax};

/// The most processes that run side by side.
pub(crate) const SLOTS: usize = 64;
/// Room for arguments and environment, pointers included. More than the kernel takes with the usual
/// 8 MiB stack limit (a quarter of it).
pub(crate) const TEXT_BYTES: usize = 3 << 20;
/// The stack of a child between its creation and exec. It makes a dozen system calls there.
pub(crate) const STACK_BYTES: usize = 32 << 10;

/// The stack of a process that spends a tax: it calls a clock.
pub(crate) const BURNER_STACK_BYTES: usize = 16 << 10;

/// What is handed to a process that spends a tax, and what it hands back.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Burn {
    pub(super) clock: libc::clockid_t,
    /// The clock's reading at which it stops, in nanoseconds.
    pub(super) until_ns: u64,
    pub(super) launcher: libc::pid_t,
    /// A folder of a group that it has to enter by itself, or −1.
    pub(super) enter: c_int,
    /// The last reading of the clock.
    pub(super) stopped_ns: u64,
}

/// What a child enters before it becomes the program: a private view of the file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Namespaces {
    /// Nothing.
    None = 0,
    /// A mount namespace.
    Mounts = 1,
    /// A user namespace, and a mount namespace that belongs to it.
    MountsAndUsers = 2,
}

/// The most descriptors that come with a command.
pub(crate) const DESCRIPTORS: usize = 6;

/// The next process. Pointers are into the shared area, which lies at one address in both
/// processes.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Request {
    pub(crate) program: *const c_char,
    pub(crate) cwd: *const c_char,
    pub(crate) argv: *const *const c_char,
    pub(crate) envp: *const *const c_char,
    /// −1: wherever the launcher was allowed to run at first.
    pub(crate) core: c_int,
    pub(crate) aslr: bool,
    /// Do everything but exec, and exit with 0: shows whether groups work.
    pub(crate) probe: bool,
    pub(crate) entry: Entry,
    pub(crate) view: Namespaces,
    /// Levied once it has ended by itself.
    pub(crate) tax: Option<Tax>,
    /// Whose account of its CPU time is wanted; none where a group accounts for it.
    pub(crate) accounting: Option<Accounting>,
    /// Whether its peak memory is wanted.
    pub(crate) peak: bool,
    /// Where its heap is to begin, where not at a page.
    pub(crate) heap: Option<HeapShift>,
}

/// Where the heap of a program is to begin.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct HeapShift {
    /// So many bytes behind where the kernel has it begin.
    pub(crate) bytes: u64,
    /// Where the vDSO has an instruction that calls the kernel, from its start.
    pub(crate) call: u64,
}

/// The shared area.
#[repr(C)]
pub(crate) struct Area {
    pub(crate) request: Request,
    /// Name of the folder that holds the groups, zero-terminated; empty when there is none.
    pub(crate) group_name: [u8; 64],
    pub(crate) stack: Stack,
    /// One for each slot, and one for trials; only those of taxed runs are ever touched.
    pub(super) burners: [Burner; SLOTS + 1],
    pub(crate) text: [u8; TEXT_BYTES],
}

/// Aligned as every supported call convention wants a stack.
#[repr(C, align(64))]
pub(crate) struct Stack(pub(crate) [u8; STACK_BYTES]);

/// The memory of a process that spends a tax.
#[repr(C, align(64))]
pub(super) struct Burner {
    pub(super) stack: [u8; BURNER_STACK_BYTES],
    pub(super) burn: Burn,
}

/// To the launcher. A `SPAWN` carries the descriptors of standard input, output, error; unless the
/// entry is none, of the group's folder; and of the namespaces that the request names, mounts
/// first.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Command {
    pub(crate) kind: u32,
    pub(crate) slot: u32,
}

impl Command {
    pub(crate) const SPAWN: u32 = 1;
    pub(crate) const KILL: u32 = 2;
}

/// Where a child gave up before it became the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Message,
    Core,
    Clone,
    Session,
    Group,
    View,
    Folder,
    Descriptors,
    Exec,
    Heap,
}

impl Step {
    pub(crate) const ALL: [Step; 10] = [
        Step::Message,
        Step::Core,
        Step::Clone,
        Step::Session,
        Step::Group,
        Step::View,
        Step::Folder,
        Step::Descriptors,
        Step::Exec,
        Step::Heap,
    ];

    pub(crate) fn number(self) -> u32 {
        self as u32
    }
}

/// From the launcher.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub(crate) struct Report {
    pub(crate) kind: u32,
    pub(crate) slot: u32,
    /// Process number (`SPAWNED`), status of `wait4` (`ENDED`), error number (`FAILED`).
    pub(crate) number: i32,
    /// Step (`FAILED`), processes left behind (`ENDED`).
    pub(crate) detail: u32,
    pub(crate) cpu_us: u64,
    /// Of its largest process that was seen to end.
    pub(crate) peak_kib: u64,
    /// Of the launcher when it started the program: the kernel counts it towards the program's.
    pub(crate) floor_kib: u64,
    /// 1 when its peak memory was wanted, and perhaps not every process was seen to end.
    pub(crate) peak_short: u32,
    pub(crate) waits: u64,
    pub(crate) wall_ns: u64,
    /// Who told `cpu_us`, where no group does.
    pub(crate) accounted: Accounted,
    /// 1 when a tax was spent to the end (`ENDED`).
    pub(crate) taxed: u32,
    /// Its CPU time, which is part of `cpu_us`.
    pub(crate) tax_us: u64,
}

impl Report {
    pub(crate) const SPAWNED: u32 = 1;
    pub(crate) const FAILED: u32 = 2;
    pub(crate) const ENDED: u32 = 3;
}
