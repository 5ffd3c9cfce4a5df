//! Static libraries: `ar` archives, thin ones included.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use object::read::archive::{ArchiveFile, ArchiveMember};
use rayon::prelude::*;

use super::Unread;
use crate::elf;
use crate::error::CodeError;
use crate::image::Image;
use crate::space::Bytes;

const MAGIC: &[u8] = b"!<arch>\n";
const THIN: &[u8] = b"!<thin>\n";

/// Whether the bytes begin as an archive does.
pub(super) fn is_archive(data: &[u8]) -> bool {
    data.starts_with(MAGIC) || data.starts_with(THIN)
}

/// A member: its name, and where its bytes are.
struct Member {
    name: String,
    data: Arc<Bytes>,
    extent: std::ops::Range<usize>,
}

impl Member {
    fn bytes(&self) -> &[u8] {
        self.data.get(self.extent.clone()).unwrap_or_default()
    }

    /// What code it holds that is not read.
    fn unread(&self) -> Option<Unread> {
        let bytes = self.bytes();
        let what = is_archive(bytes).then_some("an archive inside of the archive");
        let what = what.or_else(|| elf::unread(bytes))?;
        Some(Unread {
            member: self.name.clone(),
            what,
        })
    }
}

/// Reads all members that are objects. Members with code that is not machine code of this sort (an
/// archive inside an archive, LLVM bitcode, what gcc -flto writes) are named beside them, text and
/// the like is left out; an archive without any object is an error.
pub(super) fn read(path: &Path, data: &Arc<Bytes>) -> Result<(Vec<Image>, Vec<Unread>), CodeError> {
    let mut members = members(path, data)?;
    let mut first = 0;
    let mut unread = Vec::new();
    members.retain(|member| {
        let what = member.unread();
        if what.is_some() && unread.is_empty() {
            first = member.extent.start as u64;
        }
        let reads = what.is_none() && elf::is_elf(member.bytes());
        unread.extend(what);
        reads
    });
    let images: Result<Vec<Image>, CodeError> = members
        .into_par_iter()
        .map(|m| elf::read(path, Some(m.name), &m.data, m.extent))
        .collect();
    let images = images?;
    match unread.first().filter(|_| images.is_empty()) {
        Some(member) => Err(CodeError::Unsupported {
            path: elf::shown_path(path, Some(&member.member)),
            offset: first,
            what: member.what.to_string(),
        }),
        None if images.is_empty() => Err(CodeError::damaged(
            path,
            0,
            "the archive holds no object file with machine code",
        )),
        None => Ok((images, unread)),
    }
}

fn members(path: &Path, data: &Arc<Bytes>) -> Result<Vec<Member>, CodeError> {
    let bytes: &[u8] = data;
    let damaged = |offset: u64, e: object::Error| {
        CodeError::damaged(path, offset, format!("damaged archive: {e}"))
    };
    let archive = ArchiveFile::parse(bytes).map_err(|e| damaged(0, e))?;
    let mut members = Vec::new();
    let mut beside = HashSet::new();
    let mut last = 0;
    for member in archive.members() {
        let member = member.map_err(|e| damaged(last, e))?;
        let (offset, size) = member.file_range();
        let name = String::from_utf8_lossy(member.name()).into_owned();
        if archive.is_thin() {
            members.extend(thin(path, name, &mut beside)?);
            continue;
        }
        last = offset;
        members.push(Member {
            name,
            data: Arc::clone(data),
            extent: extent(path, &member, data.len())?,
        });
        debug_assert!(size <= bytes.len() as u64);
    }
    Ok(members)
}

fn extent(
    path: &Path,
    member: &ArchiveMember<'_>,
    len: usize,
) -> Result<std::ops::Range<usize>, CodeError> {
    let (offset, size) = member.file_range();
    let start = usize::try_from(offset).ok().filter(|s| *s <= len);
    let end = offset
        .checked_add(size)
        .and_then(|e| usize::try_from(e).ok())
        .filter(|e| *e <= len);
    match (start, end) {
        (Some(start), Some(end)) => Ok(start..end),
        _ => Err(CodeError::damaged(
            path,
            offset,
            "a member of the archive reaches beyond its end",
        )),
    }
}

/// A thin archive's member is a file: `ar` writes its path from the archive's folder, with `..`
/// where that leads out of it, so such names are followed, as are absolute ones. What may be read
/// is what the user may read, and nothing but its facts is shown.
///
/// It is read as an object only, never as an archive again: so archives that name each other in a
/// circle end here. Each file is read once, however often and by whatever names the archive has it:
/// a small archive must not stand for a large object a thousand times.
fn thin(
    path: &Path,
    name: String,
    known: &mut HashSet<PathBuf>,
) -> Result<Option<Member>, CodeError> {
    let folder = path.parent().map_or_else(PathBuf::new, Path::to_path_buf);
    let place = folder.join(&name);
    // Where it cannot be resolved, opening it says why.
    if !known.insert(place.canonicalize().unwrap_or_else(|_| place.clone())) {
        return Ok(None);
    }
    let data = Arc::new(Bytes::open(&place)?);
    let extent = 0..data.len();
    Ok(Some(Member { name, data, extent }))
}
