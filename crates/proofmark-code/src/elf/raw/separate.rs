//! The separate debug file of a stripped image: by its build-id, then by the name that the image
//! gives.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use object::Object;

use super::File;
use crate::space::Bytes;

/// Where distributions put separate debug files.
const DEBUG_ROOT: &str = "/usr/lib/debug";

/// The debug file of the image at `path`, if it is there and belongs to it.
pub(in crate::elf) fn find(path: &Path, own: &File<'_>) -> Option<Arc<Bytes>> {
    let id = own.build_id().ok().flatten().unwrap_or(&[]);
    let link = own.gnu_debuglink().ok().flatten();
    let by_id = by_build_id(id).filter(|at| is_of(at, id, None));
    let found = by_id.or_else(|| {
        let (name, checksum) = link?;
        let checksum = id.is_empty().then_some(checksum);
        let candidates = by_name(path, &String::from_utf8_lossy(name));
        candidates.into_iter().find(|at| is_of(at, id, checksum))
    })?;
    Some(Arc::new(Bytes::open(&found).ok()?))
}

/// `/usr/lib/debug/.build-id/ab/cdef….debug`.
fn by_build_id(id: &[u8]) -> Option<PathBuf> {
    let (first, rest) = id.split_first()?;
    let rest: String = rest.iter().map(|b| format!("{b:02x}")).collect();
    let folder = Path::new(DEBUG_ROOT).join(".build-id");
    Some(folder.join(format!("{first:02x}/{rest}.debug")))
}

/// Beside the image, in `.debug` beside it, and below the system's folder for debug files.
fn by_name(path: &Path, name: &str) -> Vec<PathBuf> {
    // A name, not a path: the file must not lead anywhere else.
    if name.is_empty() || name.contains('/') {
        return Vec::new();
    }
    // A link stands elsewhere than what it leads to, and debug files stand beside that.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let folder = path.parent().map_or_else(PathBuf::new, Path::to_path_buf);
    let below = folder.strip_prefix("/").unwrap_or(&folder);
    vec![
        folder.join(name),
        folder.join(".debug").join(name),
        Path::new(DEBUG_ROOT).join(below).join(name),
    ]
}

/// Whether a file is the debug file of this very build, and not of another: by the build-id, or by
/// its checksum where the image has none.
fn is_of(candidate: &Path, id: &[u8], checksum: Option<u32>) -> bool {
    let Ok(bytes) = Bytes::open(candidate) else {
        return false;
    };
    let Ok(file) = File::parse(&*bytes) else {
        return false;
    };
    match checksum {
        Some(wanted) => crc32fast::hash(&bytes) == wanted,
        None => file.build_id().ok().flatten().unwrap_or(&[]) == id,
    }
}
