//! What is printed in a sandbox, passed on to standard error without what would steer a terminal.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::thread::JoinHandle;

/// A thread that passes on what comes through a pipe.
pub(super) struct PassedOn(Option<JoinHandle<()>>);

impl PassedOn {
    pub(super) fn begin(said: OwnedFd) -> PassedOn {
        let pass = move || {
            let mut said = File::from(said);
            let mut buffer = [0_u8; 8192];
            while let Ok(bytes @ 1..) = said.read(&mut buffer) {
                let mut plain: Vec<u8> = buffer.iter().take(bytes).copied().collect();
                plain.retain(|&byte| is_plain(byte));
                // Nobody reads it: what runs goes on all the same.
                let _ = std::io::stderr().write_all(&plain);
            }
        };
        let named = std::thread::Builder::new().name("sandbox output".to_owned());
        PassedOn(named.spawn(pass).ok())
    }

    /// Waits until all of it is passed on: nothing of the sandbox runs any more.
    pub(super) fn end(self) {
        if let Some(thread) = self.0 {
            let _ = thread.join();
        }
    }
}

/// Not one of the characters that a terminal obeys, line ends and tabs apart.
fn is_plain(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\t' | 0x20..=0x7e | 0x80..)
}

#[cfg(test)]
mod tests {
    use super::is_plain;

    #[test]
    fn what_steers_a_terminal_is_not_passed_on() {
        let said = b"a\x1b[2J\x07b\r\n\tc\x7f\xc3\xa4";
        let plain: Vec<u8> = said
            .iter()
            .copied()
            .filter(|byte| is_plain(*byte))
            .collect();
        assert_eq!(plain, b"a[2Jb\n\tc\xc3\xa4");
    }
}
