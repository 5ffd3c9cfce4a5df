//! clang's own notes about its compilations (`-gen-cdb-fragment-path`): fragments of a compilation database.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use serde::Deserialize;

use super::super::found::absolute;
use super::super::shims::FUNCTION_SECTIONS;
use super::Origin;
use crate::objects::hash_file;
use crate::session::Session;

/// A compilation that clang noted.
pub(super) struct Compilation {
    /// Where the object was written, absolute.
    pub output: PathBuf,
    /// Of what lies there now; none when it was moved or removed.
    pub hash: Option<String>,
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

pub(super) fn compilations(session: &Session) -> io::Result<Vec<Compilation>> {
    let texts = session.clang_fragments()?;
    let lines = texts
        .iter()
        .flat_map(|text| text.split(|byte| *byte == b'\n'));
    Ok(lines.filter_map(fragment).filter_map(compilation).collect())
}

/// clang writes names as they are, which need not be UTF-8: each byte is taken for a letter here, and [`plain`] takes it back.
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

fn compilation(fragment: Fragment) -> Option<Compilation> {
    let directory = PathBuf::from(plain(&fragment.directory));
    let output = absolute(&directory.join(plain(&fragment.output?)));
    let mut arguments: Vec<OsString> = fragment.arguments.iter().map(|word| plain(word)).collect();
    // The capture's own stands last; one of the build's own stays.
    if let Some(added) = arguments.iter().rposition(|word| word == FUNCTION_SECTIONS) {
        arguments.remove(added);
    }
    let mut arguments = arguments.into_iter();
    let origin = Origin {
        compiler: arguments.next().map(PathBuf::from),
        flags: arguments.collect(),
        source: Some(directory.join(plain(&fragment.file))),
    };
    Some(Compilation {
        hash: hash_file(&output).ok(),
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
        let read = compilation(fragment(line).unwrap()).unwrap();
        assert_eq!(read.output.as_os_str(), OsStr::from_bytes(b"/b\xffd/a.o"));
        assert_eq!(read.origin.flags, ["-O2"]);
        assert_eq!(
            read.origin.source.unwrap().as_os_str(),
            OsStr::from_bytes(b"/b\xffd/a \"q\".c")
        );
        assert_eq!(read.hash, None);
    }

    #[test]
    fn function_sections_of_the_build_s_own_are_told_from_those_of_the_capture() {
        let line = br#"{ "directory": "/b", "file": "a.c", "output": "a.o", "arguments": ["clang", "-ffunction-sections", "-O2", "-ffunction-sections"]},"#;
        let read = compilation(fragment(line).unwrap()).unwrap();
        assert_eq!(read.origin.flags, ["-ffunction-sections", "-O2"]);
    }
}
