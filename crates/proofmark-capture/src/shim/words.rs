//! The words of a tool's command line.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use proofmark_terms::OsText;

/// What follows an option, or is joined to it.
pub(super) fn value_of<'a>(option: &str, arguments: &'a [OsString]) -> Option<&'a OsStr> {
    let at = arguments.iter().rposition(|argument| argument == option)?;
    arguments.get(at + 1).map(OsString::as_os_str)
}

/// A path made absolute, as text.
pub(super) fn absolute(cwd: &Path, name: &OsStr) -> OsText {
    let path: PathBuf = cwd.join(name);
    path.into()
}

/// The arguments of an assembler that are no options and belong to none.
pub(super) fn inputs(arguments: &[OsString]) -> impl Iterator<Item = &OsString> {
    let takes_value =
        |option: &[u8]| [&b"-o"[..], b"-I", b"-defsym", b"--defsym", b"--MD"].contains(&option);
    let mut after_option = false;
    arguments.iter().filter(move |argument| {
        let option = argument.as_bytes().first() == Some(&b'-');
        let value = std::mem::replace(
            &mut after_option,
            option && takes_value(argument.as_bytes()),
        );
        !option && !value
    })
}
