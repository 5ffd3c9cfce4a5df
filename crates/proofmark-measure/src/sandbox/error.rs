//! Why there is no sandbox.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::step::Step;

/// Why there is no sandbox, and what to do.
#[derive(Debug, Error)]
pub enum SandboxError {
    /// The kernel, or who runs it, forbids what a sandbox is made of.
    #[error(
        "cannot run somebody else's code here, for the kernel forbids {what}: {source}\n  next: \
         in a chroot, enter its folder by `bwrap` or `systemd-nspawn`, for a chroot has no \
         namespaces of users; in a container, start it with the right to make namespaces \
         (docker: `--security-opt seccomp=unconfined --security-opt systempaths=unconfined`, or a virtual machine); on a \
         machine of your own, look at the settings user.max_user_namespaces, \
         kernel.unprivileged_userns_clone and kernel.apparmor_restrict_unprivileged_userns"
    )]
    Forbidden {
        /// What it forbids.
        what: &'static str,
        /// The kernel's reason.
        source: io::Error,
    },
    /// A file that it needs cannot be put there, or used.
    #[error("cannot {doing} {}: {source}", .file.display())]
    File {
        /// What was tried.
        doing: &'static str,
        /// The file.
        file: PathBuf,
        /// The kernel's reason.
        source: io::Error,
    },
}

impl SandboxError {
    pub(super) fn file(doing: &'static str, file: &Path, source: io::Error) -> SandboxError {
        SandboxError::File {
            doing,
            file: file.to_owned(),
            source,
        }
    }

    pub(super) fn of(step: Step, source: io::Error) -> SandboxError {
        let what = match step {
            Step::Fork => "starting a process for it",
            Step::Unshare => "namespaces of users, mounts, processes, network and IPC",
            Step::Numbers => "saying who a user is in a namespace of users",
            Step::Private => "keeping its mounts apart",
            Step::Root => "a file system in memory for its root",
            Step::Put => "putting files into it",
            Step::Proc => "a view of its own processes (`/proc`)",
            Step::Pivot => "making its root the root",
            Step::Shut => "closing its root",
            Step::User => "giving up all rights in it",
            Step::Limit => "limits of what it may use",
            Step::Start => "starting its command",
        };
        SandboxError::Forbidden { what, source }
    }
}
