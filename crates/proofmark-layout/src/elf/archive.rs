//! Archives (`ar`), rewritten whole with changed members: same members, same order, same symbol
//! index but for its offsets.
//!
//! A thin archive holds only names: the files that it names are changed, and their sizes in it.

use std::collections::HashMap;
use std::ops::Range;

const MAGIC: &[u8] = b"!<arch>\n";
const THIN_MAGIC: &[u8] = b"!<thin>\n";
const HEADER: usize = 60;
const SIZE_FIELD: Range<usize> = 48..58;

/// An archive, taken apart.
pub(crate) struct Archive<'d> {
    data: &'d [u8],
    pub(crate) thin: bool,
    pub(crate) entries: Vec<Entry>,
}

/// One entry of an archive.
pub(crate) struct Entry {
    /// The member's name as far as it is needed to tell members apart in a message; of a thin
    /// archive, the path it names.
    pub(crate) name: Vec<u8>,
    /// Where its header starts.
    header: usize,
    /// Where its content is; empty for a member of a thin archive.
    pub(crate) content: Range<usize>,
    /// What it is.
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// `/`: the symbol index, offsets of 32 bits, big-endian.
    Index,
    /// `/SYM64/`: the same with 64 bits.
    Index64,
    /// `//`: long names.
    Names,
    Member,
}

impl Entry {
    /// Whether it is a member, and not a table of the archive itself.
    pub(crate) fn is_member(&self) -> bool {
        self.kind == Kind::Member
    }
}

/// Whether a file is an archive, thin or not.
pub(crate) fn is_archive(data: &[u8]) -> bool {
    data.starts_with(MAGIC) || data.starts_with(THIN_MAGIC)
}

impl<'d> Archive<'d> {
    /// Takes an archive apart.
    pub(crate) fn parse(data: &'d [u8]) -> Result<Archive<'d>, String> {
        let thin = data.starts_with(THIN_MAGIC);
        let mut archive = Archive {
            data,
            thin,
            entries: Vec::new(),
        };
        let mut names: Range<usize> = 0..0;
        let mut at = MAGIC.len();
        while at < data.len() {
            let header = data
                .get(at..at + HEADER)
                .ok_or("ends inside the header of a member")?;
            if &header[58..60] != b"`\n" {
                return Err(format!("no member header at offset {at}"));
            }
            let size = decimal(&header[SIZE_FIELD])
                .ok_or_else(|| format!("a member header at offset {at} without a size"))?;
            let kind = match header[..16].trim_ascii_end() {
                b"/" => Kind::Index,
                b"/SYM64/" => Kind::Index64,
                b"//" => Kind::Names,
                _ => Kind::Member,
            };
            let held = if thin && kind == Kind::Member {
                0
            } else {
                size
            };
            let start = at + HEADER;
            let content = start
                ..start
                    .checked_add(held)
                    .filter(|end| *end <= data.len())
                    .ok_or("ends inside a member")?;
            if kind == Kind::Names {
                names = content.clone();
            }
            let name = name(header, &data[names.clone()]);
            archive.entries.push(Entry {
                name,
                header: at,
                content: content.clone(),
                kind,
            });
            at = content.end.next_multiple_of(2);
        }
        Ok(archive)
    }

    /// The archive with the content of some entries (by their position) changed; says also where
    /// the content of each entry starts now.
    pub(crate) fn rewrite(
        &self,
        changed: &HashMap<usize, Vec<u8>>,
    ) -> Result<(Vec<u8>, Vec<usize>), String> {
        let mut out = self.data[..MAGIC.len()].to_vec();
        let mut moved: HashMap<u64, u64> = HashMap::new();
        let mut starts = Vec::with_capacity(self.entries.len());
        for (position, entry) in self.entries.iter().enumerate() {
            moved.insert(entry.header as u64, out.len() as u64);
            let mut header = self.data[entry.header..entry.header + HEADER].to_vec();
            let content = changed
                .get(&position)
                .map_or(&self.data[entry.content.clone()], Vec::as_slice);
            if changed.contains_key(&position) {
                set_size(&mut header, content.len() as u64)?;
            }
            out.extend_from_slice(&header);
            starts.push(out.len());
            if !(self.thin && entry.is_member()) {
                out.extend_from_slice(content);
            }
            if out.len() % 2 == 1 {
                out.push(b'\n');
            }
        }
        for (entry, start) in self.entries.iter().zip(&starts) {
            let width = match entry.kind {
                Kind::Index => 4,
                Kind::Index64 => 8,
                _ => continue,
            };
            relocate_index(
                &mut out[*start..*start + entry.content.len()],
                width,
                &moved,
            )?;
        }
        Ok((out, starts))
    }
}

impl Archive<'_> {
    /// A thin archive with other sizes of the files that it names (by the position of their
    /// entries).
    pub(crate) fn resize(&self, sizes: &HashMap<usize, u64>) -> Result<Vec<u8>, String> {
        let mut out = self.data.to_vec();
        for (position, size) in sizes {
            let entry = self
                .entries
                .get(*position)
                .ok_or("a member that is not there")?;
            set_size(&mut out[entry.header..entry.header + HEADER], *size)?;
        }
        Ok(out)
    }
}

/// Leads the offsets of a symbol index to where the members' headers are now.
fn relocate_index(index: &mut [u8], width: usize, moved: &HashMap<u64, u64>) -> Result<(), String> {
    let number = |bytes: &[u8]| {
        bytes
            .iter()
            .fold(0_u64, |value, byte| value << 8 | u64::from(*byte))
    };
    let count = index
        .get(..width)
        .map(number)
        .ok_or("a symbol index without a count")?;
    let mut at = width;
    for _ in 0..count {
        let field = index
            .get_mut(at..at + width)
            .ok_or("a symbol index shorter than its count")?;
        let target = moved
            .get(&number(field))
            .ok_or("a symbol index that leads to no member; run ranlib")?;
        let bytes = target.to_be_bytes();
        if bytes[..8 - width].iter().any(|byte| *byte != 0) {
            return Err("an archive of more than 4 GiB".to_string());
        }
        field.copy_from_slice(&bytes[8 - width..]);
        at += width;
    }
    Ok(())
}

fn set_size(header: &mut [u8], size: u64) -> Result<(), String> {
    let text = format!("{size:<10}");
    if text.len() != SIZE_FIELD.len() {
        return Err("a member of more than 10 GB".to_string());
    }
    header[SIZE_FIELD].copy_from_slice(text.as_bytes());
    Ok(())
}

fn name(header: &[u8], names: &[u8]) -> Vec<u8> {
    let short = header[..16].trim_ascii_end();
    let long = short
        .strip_prefix(b"/")
        .and_then(decimal)
        .and_then(|at| names.get(at..));
    match long {
        Some(rest) => {
            let end = rest
                .iter()
                .position(|byte| *byte == b'\n')
                .unwrap_or(rest.len());
            rest[..end]
                .strip_suffix(b"/")
                .unwrap_or(&rest[..end])
                .to_vec()
        }
        None => short.strip_suffix(b"/").unwrap_or(short).to_vec(),
    }
}

fn decimal(field: &[u8]) -> Option<usize> {
    std::str::from_utf8(field.trim_ascii_end())
        .ok()?
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(name: &str, size: usize) -> String {
        format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}`\n", 0, 0, 0, 644)
    }

    fn archive() -> Vec<u8> {
        let first = 8 + 60 + 12 + 60 + 22;
        let second = first + 60 + 4;
        let mut data = b"!<arch>\n".to_vec();
        data.extend(header("/", 12).bytes());
        data.extend(2_u32.to_be_bytes());
        data.extend(u32::try_from(second).unwrap().to_be_bytes());
        data.extend(u32::try_from(first).unwrap().to_be_bytes());
        data.extend(header("//", 22).bytes());
        data.extend(b"a_long_member_name.o/\n");
        data.extend(header("a.o/", 3).bytes());
        data.extend(b"abc\n");
        data.extend(header("/0", 2).bytes());
        data.extend(b"de");
        data
    }

    #[test]
    fn an_unchanged_archive_is_the_same_to_the_byte() {
        let data = archive();
        let parsed = Archive::parse(&data).unwrap();
        let names: Vec<_> = parsed
            .entries
            .iter()
            .filter(|entry| entry.is_member())
            .map(|entry| entry.name.as_slice())
            .collect();
        assert_eq!(names, [b"a.o".as_slice(), b"a_long_member_name.o"]);
        assert_eq!(parsed.rewrite(&HashMap::new()).unwrap().0, data);
    }

    #[test]
    fn the_index_follows_the_members() {
        let data = archive();
        let parsed = Archive::parse(&data).unwrap();
        let (out, starts) = parsed
            .rewrite(&HashMap::from([(2, b"0123456789".to_vec())]))
            .unwrap();
        let again = Archive::parse(&out).unwrap();
        assert_eq!(&out[again.entries[2].content.clone()], b"0123456789");
        assert_eq!(&out[again.entries[3].content.clone()], b"de");
        assert_eq!(starts[3], again.entries[3].content.start);
        let index = &out[again.entries[0].content.clone()];
        let expected = u32::try_from(again.entries[3].header)
            .unwrap()
            .to_be_bytes();
        assert_eq!(
            index[4..8],
            expected,
            "the first symbol is in the second member"
        );
    }

    #[test]
    fn damage_is_an_error() {
        let data = archive();
        for cut in [9, 30, 70, data.len() - 1] {
            assert!(Archive::parse(&data[..cut]).is_err(), "cut at {cut}");
        }
        let mut wild = data.clone();
        wild[72..76].copy_from_slice(&7_u32.to_be_bytes());
        assert!(
            Archive::parse(&wild)
                .unwrap()
                .rewrite(&HashMap::new())
                .is_err()
        );
    }
}
