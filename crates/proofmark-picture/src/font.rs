//! The font of all pictures, which is part of the program.

use std::sync::OnceLock;

use plotters::style::{FontStyle, register_font};

use crate::error::PictureError;

/// The name of the font. In an SVG the viewer looks for it, and takes another sans-serif one where
/// it is not there.
pub(crate) const NAME: &str = "DejaVu Sans, sans-serif";

/// Makes the font known, once.
pub(crate) fn known() -> Result<(), PictureError> {
    static KNOWN: OnceLock<bool> = OnceLock::new();
    let known = KNOWN.get_or_init(|| {
        register_font(NAME, FontStyle::Normal, dejavu::sans::regular()).is_ok()
            && register_font(NAME, FontStyle::Bold, dejavu::sans::bold()).is_ok()
    });
    if *known {
        Ok(())
    } else {
        Err(PictureError::Font)
    }
}
