//! ELF files: from the bytes to an [`Image`].
//!
//! [`raw`] reads what the file says of itself, `discover` what its code says as well, and the two
//! make the image.

mod content;
mod discover;
mod header;
mod left_alone;
mod never;
mod raw;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::error::CodeError;
use crate::image::Image;
use crate::kind::Format;
use crate::space::{Bytes, Few, Stretch};
pub(crate) use content::{is_elf, unread};
pub(crate) use left_alone::filled_at;
use raw::Raw;
pub(crate) use raw::{File, Placement, contents, relocated};

/// The name used in errors: `libfoo.a(bar.o)` for a member.
pub(crate) fn shown_path(path: &Path, member: Option<&str>) -> PathBuf {
    match member {
        Some(member) => PathBuf::from(format!("{}({member})", path.display())),
        None => path.to_path_buf(),
    }
}

/// Parses the headers of a file that is already known to be good (its image was built from them).
pub(crate) fn reopen(image: &Image) -> Option<File<'_>> {
    File::parse(image.space.data.get(image.extent.clone())?).ok()
}

/// The separate debug file of an image, if it has one.
pub(crate) fn separate_debug(image: &Image) -> Option<Arc<Bytes>> {
    if image.debug.is_some() {
        return image.debug.clone();
    }
    raw::separate::find(&image.path, &reopen(image)?)
}

/// Reads one file, or one member of an archive.
pub(crate) fn read(
    path: &Path,
    member: Option<String>,
    data: &Arc<Bytes>,
    extent: Range<usize>,
) -> Result<Image, CodeError> {
    let shown = shown_path(path, member.as_deref());
    let whole = Stretch::of(data, extent.clone()).unwrap_or_else(|| Stretch::owned(Vec::new()));
    let bytes = &*whole;
    let base = extent.start as u64;
    let (arch, kind) = header::identify(&shown, base, bytes)?;
    let file = File::parse(bytes).map_err(|e| {
        CodeError::damaged(
            &shown,
            base + header::fault(bytes),
            format!("damaged ELF file: {e}"),
        )
    })?;
    if let Some(place) = raw::intermediate::place(&file) {
        return Err(CodeError::Unsupported {
            path: shown,
            offset: base + place,
            what: raw::intermediate::GCC.to_string(),
        });
    }
    let source = raw::Source {
        path,
        file: &file,
        whole: &whole,
        data,
        base,
        arch,
        kind,
    };
    let raw = source
        .read()
        .map_err(|(offset, what)| CodeError::damaged(&shown, base + offset, what))?;
    let Raw {
        mut space,
        symbols,
        links,
        debug,
    } = raw;
    let found = discover::all(&file, &space, symbols.functions, links, symbols.complete)
        .map_err(|long| CodeError::damaged(&shown, long.offset(&space, base), long.said()))?;
    space.noreturn = Few::new(never::addresses(&found.functions, &found.links));
    Ok(Image {
        path: path.to_path_buf(),
        member,
        format: Format::Elf,
        extent,
        debug,
        space,
        functions: found.functions,
        links: found.links,
        data_symbols: symbols.data,
        build_id: raw::notes::build_id(&file),
        producers: raw::notes::producers(&file),
        has_local_symbols: symbols.complete,
        left_alone: OnceLock::new(),
    })
}
