//! What is told of a file beside its content: rights, owner, time and attributes.

use std::ffi::CString;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// So much is looked at of the names of attributes, and of the value of each, in bytes: as much as
/// the kernel lets them have.
const ATTRIBUTE_BYTES: usize = 1 << 16;

/// What is told of a file or a folder beside its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    mode: u32,
    owner: (u32, u32),
    /// When its content was last changed, as far as the file says.
    modified: (i64, i64),
    attributes: Vec<(Vec<u8>, Vec<u8>)>,
}

impl About {
    /// What is told now; `None` of what is no file and no folder.
    #[must_use]
    pub fn of(path: &Path) -> Option<About> {
        let about = path.metadata().ok()?;
        (about.is_file() || about.is_dir()).then(|| About {
            mode: about.mode(),
            owner: (about.uid(), about.gid()),
            modified: (about.mtime(), about.mtime_nsec()),
            attributes: attributes(path),
        })
    }
}

/// Names and values; none where they cannot be read.
fn attributes(path: &Path) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut room = vec![0; ATTRIBUTE_BYTES];
    let Ok(length) = rustix::fs::listxattr(path, &mut room[..]) else {
        return Vec::new();
    };
    let names = room.get(..length).unwrap_or_default().to_vec();
    let names = names
        .split(|&byte| byte == 0)
        .filter(|name| !name.is_empty());
    let mut attributes: Vec<_> = names
        .map(|name| {
            let value = CString::new(name).ok().and_then(|wanted| {
                let length = rustix::fs::getxattr(path, wanted.as_c_str(), &mut room[..]).ok()?;
                Some(room.get(..length)?.to_vec())
            });
            (name.to_vec(), value.unwrap_or_default())
        })
        .collect();
    attributes.sort();
    attributes
}
