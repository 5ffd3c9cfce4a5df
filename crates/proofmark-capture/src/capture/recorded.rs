//! Objects in which clang wrote down its own options: what a capture adds to them stands there too.
//!
//! clang has no other way to note what it compiles, so that this is said and not mended.

use std::ffi::OsStr;
use std::path::Path;

use crate::captured::CompiledObject;

/// By these it writes them into a section of its own.
const SECTION: [&str; 2] = ["-frecord-command-line", "-frecord-gcc-switches"];
/// By these it writes them into the debug information.
const DEBUG: [&str; 2] = ["-grecord-command-line", "-grecord-gcc-switches"];

/// What has to be known of the first such object.
pub(super) fn warning(objects: &[CompiledObject]) -> Option<String> {
    let (object, option) = objects.iter().find_map(|object| {
        let by = object.compiler.as_deref().filter(|by| is_clang(by));
        Some((object, by.and(recorded(&object.flags))?))
    })?;
    Some(format!(
        "{object} holds the options that clang had ({option}), and among them what the capture \
         adds to them (-gen-cdb-fragment-path); what it does is the same: build without a capture \
         what you hand on"
    ))
}

fn is_clang(compiler: &Path) -> bool {
    let name = compiler.file_name().unwrap_or_default();
    name.as_encoded_bytes().starts_with(b"clang")
}

/// The option of these by which options are recorded, if any.
fn recorded(flags: &[impl AsRef<OsStr>]) -> Option<&'static str> {
    let given = |option: &&str| flags.iter().any(|flag| flag.as_ref() == OsStr::new(option));
    let debug = flags.iter().any(|flag| {
        let flag = flag.as_ref().as_encoded_bytes();
        flag.starts_with(b"-g") && !flag.starts_with(b"-grecord") && flag != b"-g0"
    });
    let of_debug = DEBUG.into_iter().filter(|_| debug);
    SECTION.into_iter().chain(of_debug).find(given)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_written_is_recorded() {
        let of = |line: &str| recorded(&line.split(' ').collect::<Vec<_>>());
        assert_eq!(of("-O2 -frecord-command-line"), Some(SECTION[0]));
        assert_eq!(of("-g -grecord-gcc-switches"), Some(DEBUG[1]));
        assert_eq!(of("-g0 -grecord-gcc-switches"), None);
        assert_eq!(of("-O2 -g"), None);
        assert!(is_clang(Path::new("/usr/lib/llvm-19/bin/clang")));
        assert!(!is_clang(Path::new("/usr/lib/gcc/cc1")));
    }
}
