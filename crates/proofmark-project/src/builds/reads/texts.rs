//! Files that the texts of sources name.

use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// The files that assembly in a text takes in, as they are spelt; `None` where a macro makes such a
/// name.
pub(super) fn assembled(text: &[u8]) -> Option<Vec<PathBuf>> {
    let mut names = Vec::new();
    for takes in [&b".incbin"[..], b".include"] {
        let mut rest = text;
        while let Some(at) = rest.windows(takes.len()).position(|text| text == takes) {
            rest = rest
                .get(at + takes.len()..)
                .unwrap_or_default()
                .trim_ascii_start();
            // In a string of C the quotes of assembly are escaped.
            let quoted = rest.strip_prefix(b"\\\"").or(rest.strip_prefix(b"\""));
            let Some(quoted) = quoted else { continue };
            let name = quoted.iter().take_while(|byte| !b"\"\\\n".contains(byte));
            let name: Vec<u8> = name.copied().collect();
            if name.is_empty() {
                return None;
            }
            names.push(PathBuf::from(std::ffi::OsStr::from_bytes(&name)));
        }
    }
    Some(names)
}

/// The names that a file asks for by `__has_include` and `__has_embed`, which are looked for and
/// need not be read.
pub(super) fn tested(text: &[u8]) -> Vec<PathBuf> {
    const ASKS: [&[u8]; 3] = [b"__has_include_next", b"__has_include", b"__has_embed"];
    let asked_at = |at: usize| {
        let rest = text.get(at..)?;
        let asked = ASKS.iter().find_map(|asks| rest.strip_prefix(*asks))?;
        let asked = asked.trim_ascii_start().strip_prefix(b"(")?;
        let (first, asked) = asked.trim_ascii_start().split_first()?;
        let end = match first {
            b'<' => b'>',
            b'"' => b'"',
            _ => return None,
        };
        let line = asked.split(|byte| *byte == b'\n').next()?;
        let length = line.iter().position(|byte| *byte == end)?;
        let name = line.get(..length)?;
        Some(PathBuf::from(std::ffi::OsStr::from_bytes(name)))
    };
    (0..text.len()).filter_map(asked_at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_assembly_takes_in_are_found_in_c_and_by_themselves() {
        let names = |text: &str| assembled(text.as_bytes());
        let one = |name: &str| Some(vec![PathBuf::from(name)]);
        assert_eq!(
            names("asm(\".incbin \\\"/p/x.bin\\\"\\n\");"),
            one("/p/x.bin")
        );
        assert_eq!(names("  .include \"../x.s\"\n"), one("../x.s"));
        assert_eq!(names("asm(\".incbin \\\"\" FILE \"\\\"\");"), None);
        assert_eq!(names("// the .incbin directive"), Some(Vec::new()));
    }

    #[test]
    fn files_that_are_asked_for_and_need_not_be_read_are_found() {
        let text = "#if __has_include_next ( <a/b.h> ) || __has_include(\"c.h\")\n\
            #elif __has_embed(\"/p/d.bin\" limit(1)) && __has_embed(MADE)\n";
        let names = ["a/b.h", "c.h", "/p/d.bin"].map(PathBuf::from);
        assert_eq!(tested(text.as_bytes()), names);
    }
}
