//! The font of all pictures, which is part of the program.

use std::sync::OnceLock;

use plotters::style::text_anchor::Pos;
use plotters::style::{Color, FontDesc, FontFamily, FontStyle, RGBColor, TextStyle, register_font};

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

/// Text of this size, in pixels.
pub(crate) fn plain(size: f64, colour: RGBColor) -> TextStyle<'static> {
    styled(size, FontStyle::Normal, colour)
}

/// The same, bold.
pub(crate) fn bold(size: f64, colour: RGBColor) -> TextStyle<'static> {
    styled(size, FontStyle::Bold, colour)
}

fn styled(size: f64, style: FontStyle, colour: RGBColor) -> TextStyle<'static> {
    TextStyle {
        font: FontDesc::new(FontFamily::Name(NAME), size, style),
        color: colour.to_backend_color(),
        pos: Pos::default(),
    }
}
