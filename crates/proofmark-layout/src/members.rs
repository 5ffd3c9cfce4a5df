//! Archives with other members in the place of some.

use std::collections::HashMap;

use crate::elf::archive::{Archive, is_archive};

/// An archive with the content of members replaced: same members, same order, same index of
/// symbols. `other` is asked for each member, with its content. `None` where nothing is replaced.
///
/// # Errors
/// What is wrong with the archive, in words.
pub fn with_members(
    archive: &[u8],
    mut other: impl FnMut(&[u8]) -> Option<Vec<u8>>,
) -> Result<Option<Vec<u8>>, String> {
    if !is_archive(archive) {
        return Err("not an archive".to_string());
    }
    let read = Archive::parse(archive)?;
    let mut changed = HashMap::new();
    for (position, entry) in read.entries.iter().enumerate() {
        let content = entry
            .is_member()
            .then(|| archive.get(entry.content.clone()));
        if let Some(content) = content.flatten().and_then(&mut other) {
            changed.insert(position, content);
        }
    }
    if changed.is_empty() {
        return Ok(None);
    }
    Ok(Some(read.rewrite(&changed)?.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive(members: &[&str]) -> Vec<u8> {
        let mut archive = b"!<arch>\n".to_vec();
        for (number, member) in members.iter().enumerate() {
            let header = format!(
                "{:<16}{:<32}{:<10}`\n",
                format!("m{number}/"),
                "0",
                member.len()
            );
            archive.extend_from_slice(header.as_bytes());
            archive.extend_from_slice(member.as_bytes());
            if archive.len() % 2 == 1 {
                archive.push(b'\n');
            }
        }
        archive
    }

    #[test]
    fn members_are_replaced_in_their_places() {
        let before = archive(&["one", "two", "three"]);
        let replace = |content: &[u8]| (content == b"two").then(|| b"another".to_vec());
        let after = with_members(&before, replace).unwrap().unwrap();
        assert_eq!(after, archive(&["one", "another", "three"]));
        assert_eq!(with_members(&before, |_| None), Ok(None));
        assert!(with_members(b"no archive", |_| None).is_err());
    }
}
