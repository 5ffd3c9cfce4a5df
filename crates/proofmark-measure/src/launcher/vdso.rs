//! What the kernel maps into every process (vdso(7)).

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::sync::OnceLock;

use crate::mapped::mapped;

/// Where the vDSO has an instruction that calls the kernel, in bytes from its start: the same in all
/// 64-bit processes of a running kernel. Or why there is none that can be used.
pub(super) fn system_call() -> Result<u64, &'static str> {
    static FOUND: OnceLock<Result<u64, &'static str>> = OnceLock::new();
    *FOUND.get_or_init(|| {
        if !cfg!(target_arch = "x86_64") {
            return Err("that is done on x86-64 alone");
        }
        let content = own().ok_or("this kernel maps no vDSO")?;
        // `syscall`
        let mut pairs = content.windows(2);
        let at = pairs.position(|pair| pair == [0x0F, 0x05]);
        at.map(|at| at as u64)
            .ok_or("the vDSO of this kernel never calls the kernel")
    })
}

/// The vDSO of this process.
fn own() -> Option<Vec<u8>> {
    let (start, end) = mapped("self", "[vdso]")?;
    let length = usize::try_from(end - start).ok()?;
    let mut content = vec![0; length];
    let memory = File::open("/proc/self/mem").ok()?;
    memory.read_exact_at(&mut content, start).ok()?;
    Some(content)
}
