//! The filter that has the kernel stop a traced program at the calls that tell something, and at no
//! others: a program that makes a million `write`s is as quick as ever.

use libc::{BPF_ABS, BPF_JEQ, BPF_JGE, BPF_JMP, BPF_K, BPF_LD, BPF_RET, BPF_W, sock_filter};

use super::calls;
use crate::native::NATIVE;

/// On x86-64, numbers from here on are those of programs with 32-bit pointers (x32), or no call's.
const FOREIGN_FROM: u32 = 0x4000_0000;

/// So many numbers of x32 there are at most. What is beyond is no call, and the kernel says so:
/// programs ask for −1 to learn whether they may ask at all.
const FOREIGN: u64 = 1024;

/// Whether a call is of another architecture than this build's.
pub(super) fn is_foreign(arch: u32, number: u64) -> bool {
    let from = u64::from(FOREIGN_FROM);
    arch != NATIVE || (from..from + FOREIGN).contains(&number)
}

/// Where `struct seccomp_data` has the number of the call and the architecture, in bytes.
const NUMBER: u32 = 0;
const ARCH: u32 = 4;

/// Of a program: foreign calls and those of the table stop; every other goes on.
pub(super) fn program() -> Vec<sock_filter> {
    stopping(&calls::numbers().collect::<Vec<_>>(), &[])
}

/// Of a program whose clocks are to go otherwise: readings of clocks stop as well.
pub(super) fn with_clocks() -> Vec<sock_filter> {
    let all = calls::numbers().chain(calls::numbers_of_clocks());
    stopping(&all.collect::<Vec<_>>(), &[])
}

/// Of a build: calls about files stop. Rings for input and output, by which files would be opened
/// unseen, are not to be had, as on an older kernel.
pub(super) fn build() -> Vec<sock_filter> {
    let rings = u32::try_from(libc::SYS_io_uring_setup).unwrap_or(u32::MAX);
    stopping(&calls::numbers_of_files().collect::<Vec<_>>(), &[rings])
}

fn stopping(stopped: &[u32], refused: &[u32]) -> Vec<sock_filter> {
    let refusing = stopped.len();
    let numbers = [stopped, refused].concat();
    // Behind the comparisons: the answers "go on", "stop" and "there is no such call".
    let stop = |at: usize| u8::try_from(numbers.len() - at + 1).unwrap_or(u8::MAX);
    let mut program = vec![
        statement(BPF_LD | BPF_W | BPF_ABS, ARCH),
        jump(
            BPF_JEQ,
            NATIVE,
            0,
            u8::try_from(numbers.len() + 3).unwrap_or(u8::MAX),
        ),
        statement(BPF_LD | BPF_W | BPF_ABS, NUMBER),
        jump(BPF_JGE, FOREIGN_FROM, stop(0), 0),
    ];
    for (at, &number) in numbers.iter().enumerate() {
        let further = u8::from(at >= refusing);
        program.push(jump(BPF_JEQ, number, stop(at + 1) + further, 0));
    }
    program.push(statement(BPF_RET | BPF_K, libc::SECCOMP_RET_ALLOW));
    program.push(statement(BPF_RET | BPF_K, libc::SECCOMP_RET_TRACE));
    let unknown = libc::ENOSYS.cast_unsigned() & libc::SECCOMP_RET_DATA;
    program.push(statement(
        BPF_RET | BPF_K,
        libc::SECCOMP_RET_ERRNO | unknown,
    ));
    program
}

fn statement(code: u32, k: u32) -> sock_filter {
    jump_code(code, k, 0, 0)
}

fn jump(test: u32, k: u32, jt: u8, jf: u8) -> sock_filter {
    jump_code(BPF_JMP | test | BPF_K, k, jt, jf)
}

fn jump_code(code: u32, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter {
        // Every code is below 256.
        code: u16::try_from(code).unwrap_or(u16::MAX),
        jt,
        jf,
        k,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Carries the filter out, as the kernel would.
    fn answer(program: &[sock_filter], arch: u32, number: u32) -> u32 {
        let (mut at, mut loaded) = (0, 0);
        loop {
            let step = &program[at];
            let code = u32::from(step.code);
            at += 1;
            if code == BPF_RET | BPF_K {
                return step.k;
            } else if code == BPF_LD | BPF_W | BPF_ABS {
                loaded = if step.k == ARCH { arch } else { number };
            } else {
                let holds = if code == BPF_JMP | BPF_JEQ | BPF_K {
                    loaded == step.k
                } else {
                    loaded >= step.k
                };
                at += usize::from(if holds { step.jt } else { step.jf });
            }
        }
    }

    #[test]
    fn the_calls_of_the_table_stop_and_no_others() {
        let program = program();
        // Jumps have eight bits.
        assert!(program.len() < 250, "{}", program.len());
        let listed: Vec<u32> = calls::numbers().collect();
        for number in 0..1000 {
            let stops = answer(&program, NATIVE, number) == libc::SECCOMP_RET_TRACE;
            assert_eq!(stops, listed.contains(&number), "{number}");
        }
    }

    #[test]
    fn a_build_stops_where_it_is_about_files_and_gets_no_rings() {
        let program = build();
        let answer =
            |number: libc::c_long| answer(&program, NATIVE, u32::try_from(number).unwrap());
        for number in [libc::SYS_openat, libc::SYS_execve, libc::SYS_statx] {
            assert_eq!(answer(number), libc::SECCOMP_RET_TRACE, "{number}");
        }
        for number in [libc::SYS_mmap, libc::SYS_futex, libc::SYS_wait4] {
            assert_eq!(answer(number), libc::SECCOMP_RET_ALLOW, "{number}");
        }
        let unknown = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.cast_unsigned();
        assert_eq!(answer(libc::SYS_io_uring_setup), unknown);
    }

    #[test]
    fn no_call_is_no_foreign_one() {
        assert!(is_foreign(0x4000_0003, 4) && is_foreign(NATIVE, 0x4000_0001));
        for number in [0, 1, u64::MAX, u64::from(u32::MAX), 0x7fff_ffff] {
            assert!(!is_foreign(NATIVE, number), "{number}");
        }
    }

    #[test]
    fn foreign_calls_stop() {
        let program = program();
        // `write` of i386, and of x32.
        assert_eq!(answer(&program, 0x4000_0003, 4), libc::SECCOMP_RET_TRACE);
        assert_eq!(
            answer(&program, NATIVE, 0x4000_0001),
            libc::SECCOMP_RET_TRACE
        );
    }
}
