//! The filter that has the kernel stop a traced program at the calls that tell something, and at no
//! others: a program that makes a million `write`s is as quick as ever.

use libc::{BPF_ABS, BPF_JEQ, BPF_JGE, BPF_JMP, BPF_K, BPF_LD, BPF_RET, BPF_W, sock_filter};

use super::calls;
use crate::native::NATIVE;

/// On x86-64, numbers from here on are those of programs with 32-bit pointers (x32).
pub(super) const FOREIGN_FROM: u32 = 0x4000_0000;

/// Where `struct seccomp_data` has the number of the call and the architecture, in bytes.
const NUMBER: u32 = 0;
const ARCH: u32 = 4;

/// Foreign calls and those of the table stop; every other goes on.
pub(super) fn program() -> Vec<sock_filter> {
    let numbers: Vec<u32> = calls::numbers().collect();
    // Behind the comparisons: first the answer "go on", then the answer "stop".
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
        program.push(jump(BPF_JEQ, number, stop(at + 1), 0));
    }
    program.push(statement(BPF_RET | BPF_K, libc::SECCOMP_RET_ALLOW));
    program.push(statement(BPF_RET | BPF_K, libc::SECCOMP_RET_TRACE));
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
