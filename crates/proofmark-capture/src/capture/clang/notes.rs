//! clang's own notes about its compilations (`-gen-cdb-fragment-path`): fragments of a compilation
//! database.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use serde::Deserialize;

use super::super::files::absolute;
use super::super::origin::Origin;
use crate::sections::FUNCTION_SECTIONS;
use crate::session::Session;

/// A compilation that clang noted.
#[derive(Clone)]
pub(in super::super) struct Compilation {
    /// Where clang ran.
    pub directory: PathBuf,
    /// Where the object was written, absolute.
    pub output: PathBuf,
    pub origin: Origin,
}

/// A line of a compilation database.
#[derive(Deserialize)]
struct Fragment {
    directory: String,
    file: String,
    output: Option<String>,
    arguments: Vec<String>,
}

pub(in super::super) fn compilations(session: &Session) -> io::Result<Vec<Compilation>> {
    let texts = session.clang_fragments()?;
    let adds = session.settings().adds;
    Ok(texts.iter().flat_map(|text| noted(text, adds)).collect())
}

/// The compilations of a note; `adds` says that the capture added function sections to them.
pub(super) fn noted(text: &[u8], adds: bool) -> Vec<Compilation> {
    let lines = text.split(|byte| *byte == b'\n');
    let fragments = lines.filter_map(fragment);
    fragments
        .filter_map(|fragment| compilation(fragment, adds))
        .collect()
}

/// clang writes names as they are, which need not be UTF-8: each byte is taken for a letter here,
/// and [`plain`] takes it back.
fn fragment(line: &[u8]) -> Option<Fragment> {
    let text: String = line.iter().map(|byte| char::from(*byte)).collect();
    serde_json::from_str(text.trim().trim_end_matches(',')).ok()
}

/// The bytes of a text whose letters are bytes.
fn plain(text: &str) -> OsString {
    let bytes: Result<Vec<u8>, _> = text
        .chars()
        .map(|letter| u8::try_from(u32::from(letter)))
        .collect();
    bytes.map_or_else(|_| text.into(), OsString::from_vec)
}

fn compilation(fragment: Fragment, adds: bool) -> Option<Compilation> {
    let directory = PathBuf::from(plain(&fragment.directory));
    let output = absolute(&directory.join(plain(&fragment.output?)));
    let mut arguments: Vec<OsString> = fragment.arguments.iter().map(|word| plain(word)).collect();
    // The capture's own stands last; one of the build's own stays.
    let added = arguments.iter().rposition(|word| word == FUNCTION_SECTIONS);
    if let Some(added) = added.filter(|_| adds) {
        arguments.remove(added);
    }
    let mut arguments = arguments.into_iter();
    let origin = Origin {
        compiler: arguments.next().map(PathBuf::from),
        flags: arguments.collect(),
        source: Some(directory.join(plain(&fragment.file))),
        ..Origin::default()
    };
    Some(Compilation {
        directory,
        output,
        origin,
    })
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    #[test]
    fn a_fragment_with_bytes_that_are_no_text_is_read() {
        let line = b"{ \"directory\": \"/b\xffd\", \"file\": \"a \\\"q\\\".c\", \"output\": \"a.o\", \"arguments\": [\"/bin/clang\", \"-O2\", \"-ffunction-sections\"]},";
        let read = compilation(fragment(line).unwrap(), true).unwrap();
        assert_eq!(read.output.as_os_str(), OsStr::from_bytes(b"/b\xffd/a.o"));
        assert_eq!(read.origin.flags, ["-O2"]);
        assert_eq!(
            read.origin.source.unwrap().as_os_str(),
            OsStr::from_bytes(b"/b\xffd/a \"q\".c")
        );
    }

    #[test]
    fn function_sections_of_the_build_s_own_are_told_from_those_of_the_capture() {
        let line = br#"{ "directory": "/b", "file": "a.c", "output": "a.o", "arguments": ["clang", "-ffunction-sections", "-O2", "-ffunction-sections"]},"#;
        let read = |adds| compilation(fragment(line).unwrap(), adds).unwrap();
        assert_eq!(read(true).origin.flags, ["-ffunction-sections", "-O2"]);
        assert_eq!(
            read(false).origin.flags,
            ["-ffunction-sections", "-O2", "-ffunction-sections"]
        );
    }
}
