//! Who reaps the children of a run: those who wait for them, or the kernel.

use std::io;

use libc::c_int;

use super::super::found::Reaping;
use super::super::memory;
use super::super::tells::Tells;
use super::{Thread, int};

/// A child that is being waited for.
#[derive(Clone, Copy, Debug)]
pub(in crate::trace) enum Child {
    /// By `wait4`: where its status goes, and with which options.
    Status { status: u64, options: c_int },
    /// By `waitid`: where it is told of, and with which options.
    Id { told: u64, options: c_int },
}

impl Reaping {
    /// A call begins that makes children, waits for one, or says what is to become of them.
    pub(super) fn begin(
        &mut self,
        thread: Thread,
        tells: Tells,
        args: &[u64; 6],
    ) -> io::Result<Option<Child>> {
        match tells {
            Tells::WaitChild => {
                return Ok(Some(Child::Status {
                    status: args[1],
                    options: int(args[2]),
                }));
            }
            Tells::WaitId => {
                return Ok(Some(Child::Id {
                    told: args[2],
                    options: int(args[3]),
                }));
            }
            Tells::SignalAction => self.signal_action(thread, args)?,
            Tells::CloneHow => {
                // `struct clone_args` begins with the flags.
                // SAFETY: a number.
                let flags = unsafe { memory::value::<u64>(thread.pid, args[0])? };
                self.makes_namespaces(flags.unwrap_or_default());
            }
            _ => self.makes_namespaces(args[0]),
        }
        Ok(None)
    }

    /// A wait for a child has ended with this result.
    pub(super) fn end(&mut self, thread: Thread, child: Child, result: i64) -> io::Result<()> {
        let has_ended = match child {
            Child::Status { status, options } => result > 0 && has_ended(thread, status, options)?,
            Child::Id { told, options } => {
                result == 0 && options & libc::WNOWAIT == 0 && has_ended_by_id(thread, told)?
            }
        };
        if has_ended {
            self.waited += 1;
        }
        Ok(())
    }

    /// Namespaces are made, by these flags.
    fn makes_namespaces(&mut self, flags: u64) {
        let of_processes = u64::from(libc::CLONE_NEWPID.cast_unsigned());
        self.namespaces |= flags & of_processes != 0;
    }

    /// A process that ignores the ends of its children leaves them to the kernel.
    fn signal_action(&mut self, thread: Thread, args: &[u64; 6]) -> io::Result<()> {
        if int(args[0]) != libc::SIGCHLD || args[1] == 0 {
            return Ok(());
        }
        // The kernel's structure begins with the handler and the flags.
        // SAFETY: a pair of numbers.
        let action = unsafe { memory::value::<[u64; 2]>(thread.pid, args[1])? };
        if let Some([handler, flags]) = action {
            let ignored = handler == libc::SIG_IGN as u64;
            self.ignored |= ignored || int(flags) & libc::SA_NOCLDWAIT != 0;
        }
        Ok(())
    }
}

/// Whether a child that `wait4` told of has ended, and not only stopped or gone on.
fn has_ended(thread: Thread, status: u64, options: c_int) -> io::Result<bool> {
    if options & (libc::WUNTRACED | libc::WCONTINUED) == 0 {
        return Ok(true);
    }
    // SAFETY: a number.
    let status = unsafe { memory::value::<c_int>(thread.pid, status)? };
    Ok(status.is_none_or(|status| libc::WIFEXITED(status) || libc::WIFSIGNALED(status)))
}

/// Whether a child that `waitid` told of has ended. Nobody may have been told of.
fn has_ended_by_id(thread: Thread, told: u64) -> io::Result<bool> {
    // `siginfo_t`: signal, error, code, and on 64 bits four bytes of nothing before the child's
    // number. SAFETY: numbers.
    let told = unsafe { memory::value::<[c_int; 5]>(thread.pid, told)? };
    Ok(told.is_some_and(|[_, _, code, _, child]| {
        child != 0 && matches!(code, libc::CLD_EXITED | libc::CLD_KILLED | libc::CLD_DUMPED)
    }))
}
