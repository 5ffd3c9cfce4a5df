//! A command with descriptors over a socket (SCM_RIGHTS), without allocation: the launcher's end
//! has no heap.

use std::ffi::c_int;
use std::mem::MaybeUninit;

use super::wire::{Command, DESCRIPTORS};

/// Room for the header and all descriptors.
#[repr(C, align(8))]
struct Control([u8; 64]);

/// Sends a command with up to [`DESCRIPTORS`] descriptors. False when the other side has gone.
pub(super) fn send(socket: c_int, command: &Command, descriptors: &[c_int]) -> bool {
    let mut control = Control([0; 64]);
    let mut part = libc::iovec {
        iov_base: std::ptr::from_ref(command).cast_mut().cast(),
        iov_len: size_of::<Command>(),
    };
    let count = descriptors.len().min(DESCRIPTORS);
    let bytes = u32::try_from(count * size_of::<c_int>()).unwrap_or(0);
    // SAFETY: an all-zero header is valid; every pointer set in it outlives the call, and the
    // control buffer has room for all.
    unsafe {
        let mut header: libc::msghdr = MaybeUninit::zeroed().assume_init();
        header.msg_iov = &mut part;
        header.msg_iovlen = 1;
        if count > 0 {
            header.msg_control = control.0.as_mut_ptr().cast();
            header.msg_controllen = libc::CMSG_SPACE(bytes) as _;
            let first = libc::CMSG_FIRSTHDR(&header);
            (*first).cmsg_level = libc::SOL_SOCKET;
            (*first).cmsg_type = libc::SCM_RIGHTS;
            (*first).cmsg_len = libc::CMSG_LEN(bytes) as _;
            std::ptr::copy_nonoverlapping(
                descriptors.as_ptr(),
                libc::CMSG_DATA(first).cast(),
                count,
            );
        }
        libc::sendmsg(socket, &header, libc::MSG_NOSIGNAL) == size_of::<Command>().cast_signed()
    }
}

/// Receives a command; descriptors that came with it are put in front, the rest stays as it was.
/// False at the end.
pub(super) fn receive(
    socket: c_int,
    command: &mut Command,
    descriptors: &mut [c_int; DESCRIPTORS],
) -> bool {
    let mut control = Control([0; 64]);
    let mut part = libc::iovec {
        iov_base: std::ptr::from_mut(command).cast(),
        iov_len: size_of::<Command>(),
    };
    // SAFETY: as in `send`; the kernel says how much of the control buffer it filled.
    unsafe {
        let mut header: libc::msghdr = MaybeUninit::zeroed().assume_init();
        header.msg_iov = &mut part;
        header.msg_iovlen = 1;
        header.msg_control = control.0.as_mut_ptr().cast();
        header.msg_controllen = control.0.len() as _;
        if libc::recvmsg(socket, &mut header, libc::MSG_CMSG_CLOEXEC)
            != size_of::<Command>().cast_signed()
        {
            return false;
        }
        let first = libc::CMSG_FIRSTHDR(&header);
        if !first.is_null() && (*first).cmsg_type == libc::SCM_RIGHTS {
            let count =
                ((*first).cmsg_len as usize - libc::CMSG_LEN(0) as usize) / size_of::<c_int>();
            std::ptr::copy_nonoverlapping(
                libc::CMSG_DATA(first).cast(),
                descriptors.as_mut_ptr(),
                count.min(DESCRIPTORS),
            );
        }
    }
    true
}
