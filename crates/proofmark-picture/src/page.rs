//! A page on which a picture is drawn, and the bytes that it becomes.

use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::prelude::{BitMapBackend, SVGBackend};

use crate::error::PictureError;
use crate::{Theme, font};

/// What a picture becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Scalable.
    Svg,
    /// Pixels.
    Png,
}

/// Something that is drawn on any page.
pub(crate) trait Drawn {
    /// Draws on an area of the page's own size.
    fn draw<B: plotters::backend::DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        theme: Theme,
    ) -> Result<(), PictureError>;
}

/// The bytes of a picture of this size, in pixels.
pub(crate) fn bytes(
    picture: &impl Drawn,
    size: (u32, u32),
    format: Format,
    theme: Theme,
) -> Result<Vec<u8>, PictureError> {
    font::known()?;
    match format {
        Format::Svg => {
            let mut text = String::new();
            {
                let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
                area.fill(&theme.ground()).map_err(PictureError::drawing)?;
                picture.draw(&area, theme)?;
                area.present().map_err(PictureError::drawing)?;
            }
            Ok(text.into_bytes())
        }
        Format::Png => {
            let mut pixels = vec![0; size.0 as usize * size.1 as usize * 3];
            {
                let area = BitMapBackend::with_buffer(&mut pixels, size).into_drawing_area();
                area.fill(&theme.ground()).map_err(PictureError::drawing)?;
                picture.draw(&area, theme)?;
                area.present().map_err(PictureError::drawing)?;
            }
            encoded(&pixels, size)
        }
    }
}

fn encoded(pixels: &[u8], size: (u32, u32)) -> Result<Vec<u8>, PictureError> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, size.0, size.1);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(PictureError::drawing)?;
    writer
        .write_image_data(pixels)
        .map_err(PictureError::drawing)?;
    writer.finish().map_err(PictureError::drawing)?;
    Ok(out)
}
