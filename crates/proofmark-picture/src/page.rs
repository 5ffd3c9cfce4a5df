//! A page on which a picture is drawn, and the bytes that it becomes.

use plotters::backend::DrawingBackend;
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::prelude::{BitMapBackend, SVGBackend};
use proofmark_terms::is_unseen;

use crate::error::PictureError;
use crate::font::{bold, plain};
use crate::{Theme, font};

/// Room for the title and the line below it, in pixels.
pub(crate) const HEAD: u32 = 92;
/// Room around everything, in pixels.
pub(crate) const MARGIN: u32 = 14;

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
    /// How many pixels it is high.
    fn height(&self) -> u32;

    /// Draws on an area of its own height.
    fn draw<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        theme: Theme,
    ) -> Result<(), PictureError>;
}

/// Pictures of one kind below each other.
pub(crate) struct Column<'a, D>(pub(crate) &'a [D]);

impl<D: Drawn> Drawn for Column<'_, D> {
    fn height(&self) -> u32 {
        let heights = self.0.iter().map(D::height);
        heights.fold(0, u32::saturating_add)
    }

    fn draw<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        theme: Theme,
    ) -> Result<(), PictureError> {
        let mut rest = area.clone();
        for picture in self.0 {
            let (own, below) = rest.split_vertically(picture.height());
            picture.draw(&own, theme)?;
            rest = below;
        }
        Ok(())
    }
}

/// Writes a title and the line below it, and gives the area that is left.
pub(crate) fn headed<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    (title, about): (&str, &str),
    theme: Theme,
) -> Result<DrawingArea<B, Shift>, PictureError> {
    let (head, body) = area.split_vertically(HEAD);
    let left = i32::try_from(MARGIN).unwrap_or(0);
    head.draw_text(title, &bold(24.0, theme.text()), (left, 18))
        .map_err(PictureError::drawing)?;
    head.draw_text(about, &plain(15.0, theme.faint()), (left, 54))
        .map_err(PictureError::drawing)?;
    Ok(body)
}

/// The bytes of a picture of this width, in pixels.
pub(crate) fn bytes(
    picture: &impl Drawn,
    width: u32,
    format: Format,
    theme: Theme,
) -> Result<Vec<u8>, PictureError> {
    font::known()?;
    let size = (width, picture.height());
    match format {
        Format::Svg => {
            let mut text = String::new();
            {
                let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
                area.fill(&theme.ground()).map_err(PictureError::drawing)?;
                picture.draw(&area, theme)?;
                area.present().map_err(PictureError::drawing)?;
            }
            // Every text of the picture, whoever gave it: XML has no way to write most of these.
            let unseen = |letter| is_unseen(letter) && letter != '\n';
            Ok(text.replace(unseen, "\u{fffd}").into_bytes())
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
