//! Options of a compiler that decide whether its objects have a section for each function.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

/// What gives each function a section of its own.
pub(crate) const FUNCTION_SECTIONS: &str = "-ffunction-sections";

/// Whether a compilation has function sections by options of its own: the last one counts.
pub(crate) fn asked_for(arguments: &[OsString]) -> bool {
    let last = arguments
        .iter()
        .rev()
        .find(|argument| *argument == FUNCTION_SECTIONS || *argument == "-fno-function-sections");
    last.is_some_and(|last| last == FUNCTION_SECTIONS)
}

/// Whether a compilation leaves its code to the link, which optimises there and makes the sections:
/// the last option counts.
pub(crate) fn left_to_link(arguments: &[OsString]) -> bool {
    let of_lto = |argument: &&OsString| {
        let bytes = argument.as_bytes();
        bytes == b"-flto" || bytes.starts_with(b"-flto=") || bytes == b"-fno-lto"
    };
    let fat = arguments
        .iter()
        .rev()
        .find(|argument| *argument == "-ffat-lto-objects" || *argument == "-fno-fat-lto-objects");
    let last = arguments.iter().rev().find(of_lto);
    last.is_some_and(|last| last != "-fno-lto") && fat.is_none_or(|fat| fat != "-ffat-lto-objects")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn the_last_option_counts() {
        assert!(left_to_link(&words("-flto -O2")) && left_to_link(&words("-fno-lto -flto=4")));
        assert!(!left_to_link(&words("-flto -fno-lto")) && !left_to_link(&words("-O2")));
        assert!(!left_to_link(&words("-flto -ffat-lto-objects")));
        assert!(asked_for(&words(
            "-fno-function-sections -ffunction-sections"
        )));
        assert!(!asked_for(&words(
            "-ffunction-sections -fno-function-sections"
        )));
    }
}
