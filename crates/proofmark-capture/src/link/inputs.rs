//! The files of a link, looked at and kept: which kind each one is, and what an archive holds.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use object::read::archive::ArchiveFile;
use object::{Object, ObjectSection};
use proofmark_layout::InputKind;
use proofmark_terms::OsText;

use crate::event::{LinkedInput, LinkedMember};
use crate::objects::{Mode, hash_bytes};
use crate::session::Session;

const BITCODE: [&[u8]; 2] = [b"BC\xc0\xde", &[0xde, 0xc0, 0x17, 0x0b]];

/// Stores a copy of a file as the linker read it, with the files that a thin archive names.
pub(crate) fn keep(session: &Session, cwd: &Path, given: &Path) -> io::Result<LinkedInput> {
    use std::os::unix::fs::MetadataExt;
    let file = cwd.join(given);
    let hash = session.keep(&file, Mode::Data)?;
    let about = fs::metadata(&file)?;
    let (kind, mut members) = session
        .memo(format!("content\0{hash}").as_ref(), || {
            let data = fs::read(&file).ok()?;
            let kind = kind_of(&data);
            Some((
                kind,
                if kind == InputKind::Archive {
                    members(&data)
                } else {
                    Vec::new()
                },
            ))
        })
        .ok_or_else(|| io::Error::other("it went away while it was read"))?;
    if kind == InputKind::ThinArchive {
        members = thin_members(session, cwd, given)?;
    }
    let modified_ns = about
        .mtime()
        .saturating_mul(1_000_000_000)
        .saturating_add(about.mtime_nsec());
    Ok(LinkedInput {
        given: given.into(),
        hash,
        kind,
        modified_ns,
        members,
    })
}

/// What a file is, by its content.
pub(crate) fn kind_of(data: &[u8]) -> InputKind {
    if BITCODE.iter().any(|magic| data.starts_with(magic)) {
        return InputKind::Bitcode;
    }
    if data.starts_with(b"!<arch>\n") {
        return InputKind::Archive;
    }
    if data.starts_with(b"!<thin>\n") {
        return InputKind::ThinArchive;
    }
    let Ok(file) = object::File::parse(data) else {
        return if looks_like_text(data) {
            InputKind::Script
        } else {
            InputKind::Other
        };
    };
    match file.kind() {
        object::ObjectKind::Relocatable if has_gcc_lto(&file) => InputKind::GccLto,
        object::ObjectKind::Relocatable => InputKind::Object,
        object::ObjectKind::Dynamic | object::ObjectKind::Executable => InputKind::SharedLibrary,
        _ => InputKind::Other,
    }
}

fn has_gcc_lto(file: &object::File<'_>) -> bool {
    file.sections().any(|section| {
        section
            .name_bytes()
            .is_ok_and(|name| name.starts_with(b".gnu.lto_"))
    })
}

fn looks_like_text(data: &[u8]) -> bool {
    !data.iter().take(4096).any(|byte| *byte == 0)
}

/// The members that an archive holds; what cannot be read of it is left out, the linker has judged
/// it.
fn members(data: &[u8]) -> Vec<LinkedMember> {
    let Ok(archive) = ArchiveFile::parse(data) else {
        return Vec::new();
    };
    let members = archive.members().filter_map(Result::ok);
    members
        .filter_map(|member| {
            let content = member.data(data).ok()?;
            Some(LinkedMember {
                name: text(member.name()),
                hash: hash_bytes(content),
            })
        })
        .collect()
}

/// The files that a thin archive names are found relative to it, and stored too.
fn thin_members(session: &Session, cwd: &Path, given: &Path) -> io::Result<Vec<LinkedMember>> {
    let data = fs::read(cwd.join(given))?;
    let archive = ArchiveFile::parse(&*data).map_err(io::Error::other)?;
    let folder = given.parent().unwrap_or(Path::new(""));
    let mut found = Vec::new();
    for member in archive.members() {
        let member = member.map_err(io::Error::other)?;
        let name: PathBuf = folder.join(std::ffi::OsStr::from_bytes(member.name()));
        let hash = session.keep(&cwd.join(&name), Mode::Data)?;
        found.push(LinkedMember {
            name: name.into(),
            hash,
        });
    }
    Ok(found)
}

fn text(name: &[u8]) -> OsText {
    std::ffi::OsStr::from_bytes(name).into()
}

/// The bitcode modules of a file: itself, or the members of an archive.
pub(crate) fn bitcode(file: &Path) -> Vec<BitcodeModule> {
    let Ok(mut opened) = fs::File::open(file) else {
        return Vec::new();
    };
    let mut magic = [0; 8];
    if io::Read::read_exact(&mut opened, &mut magic).is_err() {
        return Vec::new();
    }
    if BITCODE.iter().any(|known| magic.starts_with(known)) {
        return vec![BitcodeModule { member: None }];
    }
    if &magic != b"!<arch>\n" {
        return Vec::new();
    }
    let Ok(data) = fs::read(file) else {
        return Vec::new();
    };
    let Ok(archive) = ArchiveFile::parse(&*data) else {
        return Vec::new();
    };
    let members = archive.members().filter_map(Result::ok);
    let modules = members.filter(|member| {
        member
            .data(&*data)
            .is_ok_and(|content| BITCODE.iter().any(|known| content.starts_with(known)))
    });
    modules
        .map(|member| BitcodeModule {
            member: Some(text(member.name())),
        })
        .collect()
}

/// A module of LLVM bitcode.
#[derive(Clone, Debug)]
pub(crate) struct BitcodeModule {
    /// Its name in the archive, if it is in one.
    pub member: Option<OsText>,
}
