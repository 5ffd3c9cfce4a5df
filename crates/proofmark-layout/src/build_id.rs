//! The id that a linker gives an image: layouts carry that of the file that the build left.
//!
//! By default it is a hash of the whole file, and would be another one in each layout. Programs know
//! themselves by it: a shader cache that is keyed by it would be cold in each layout.

use std::fmt::Write;
use std::path::Path;

use object::Object;

use crate::LayoutError;
use crate::link::argv::Word;

/// The argument by which a link writes the id that a file has; none where it has none.
pub(crate) fn kept(image: &Path) -> Result<Option<Word>, LayoutError> {
    let data = std::fs::read(image).map_err(LayoutError::file("read", image))?;
    let find = || -> object::read::Result<Option<Vec<u8>>> {
        let file = object::File::parse(data.as_slice())?;
        Ok(file.build_id()?.map(<[u8]>::to_vec))
    };
    let id = find().map_err(|error| LayoutError::Image {
        path: image.to_path_buf(),
        problem: error.to_string(),
    })?;
    Ok(id.filter(|id| !id.is_empty()).map(|id| {
        let mut text = "--build-id=0x".to_string();
        for byte in id {
            // Writing to a string does not fail.
            let _ = write!(text, "{byte:02x}");
        }
        Word::flag(text)
    }))
}
