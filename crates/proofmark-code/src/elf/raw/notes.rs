//! The build-id, and what compilers and linkers wrote of themselves into `.comment`.

use object::{Object, ObjectSection};

use super::File;

/// The longest `.comment` that is read, in bytes.
const LONGEST: usize = 1 << 20;

/// The build-id, empty where there is none.
pub(in crate::elf) fn build_id(file: &File<'_>) -> Vec<u8> {
    file.build_id()
        .ok()
        .flatten()
        .map(<[u8]>::to_vec)
        .unwrap_or_default()
}

/// Each distinct line of `.comment`, in the order of the file.
pub(in crate::elf) fn producers(file: &File<'_>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let Some(bytes) = file.section_by_name(".comment").and_then(|s| s.data().ok()) else {
        return lines;
    };
    for line in bytes[..bytes.len().min(LONGEST)]
        .split(|b| *b == 0)
        .filter(|l| !l.is_empty())
    {
        let line = String::from_utf8_lossy(line).into_owned();
        if !lines.contains(&line) && lines.len() < 64 {
            lines.push(line);
        }
    }
    lines
}
