//! Shares as bars, each with its interval, and a second value beside it.

use plotters::backend::DrawingBackend;
use plotters::chart::ChartBuilder;
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::element::{Circle, PathElement, Rectangle, Text};
use plotters::style::Color;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::font::plain;
use crate::page::{Drawn, HEAD, MARGIN, bytes, headed};
use crate::{Format, PictureError, Theme};

/// Shares of a whole, from above.
#[derive(Clone, Debug, PartialEq)]
pub struct Bars {
    /// What it shows, in a line.
    pub title: String,
    /// A second line below the title, for what a reader needs to read it.
    pub about: String,
    /// What the axis counts.
    pub axis: String,
    /// From above.
    pub bars: Vec<Bar>,
}

/// A share, 0 to 1, with its interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// What it is of.
    pub name: String,
    /// The share with its bounds: low, estimate, high.
    pub share: [f64; 3],
    /// Another share beside it, shown as a ring.
    pub beside: Option<f64>,
    /// It stands out.
    pub stands_out: bool,
    /// What is written behind it.
    pub text: String,
}

/// Height of a bar with what is around it, in pixels.
const ROW: u32 = 40;
/// Room for the axis.
const FOOT: u32 = 64;
/// Room for names.
const LEFT: u32 = 260;
/// Room for what is written behind the bars.
const RIGHT: u32 = 150;
/// Width of a picture.
const WIDTH: u32 = 980;
/// Letters of a name that there is room for.
const LETTERS: usize = 30;

/// Bars as a picture.
///
/// # Errors
/// When there is none, or the library fails.
pub fn bars(picture: &Bars, format: Format, theme: Theme) -> Result<Vec<u8>, PictureError> {
    if picture.bars.is_empty() {
        return Err(PictureError::Empty);
    }
    bytes(picture, WIDTH, format, theme)
}

impl Drawn for Bars {
    fn height(&self) -> u32 {
        let rows = u32::try_from(self.bars.len()).unwrap_or(u32::MAX);
        let rows = rows.saturating_mul(ROW);
        rows.saturating_add(HEAD + FOOT + MARGIN).max(240)
    }

    fn draw<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        theme: Theme,
    ) -> Result<(), PictureError> {
        let body = headed(area, (&self.title, &self.about), theme)?;
        let rows = self.bars.len() as f64;
        let mut chart = ChartBuilder::on(&body)
            .margin_left(LEFT)
            .margin_right(RIGHT)
            .margin_bottom(MARGIN)
            .x_label_area_size(FOOT - MARGIN)
            .build_cartesian_2d(0.0..100.0, 0.0..rows)
            .map_err(PictureError::drawing)?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .disable_y_axis()
            .x_labels(6)
            .x_label_formatter(&|percent| format!("{percent:.0} %"))
            .x_desc(&self.axis)
            .axis_style(theme.faint())
            .bold_line_style(theme.empty())
            .light_line_style(theme.ground())
            .label_style(plain(15.0, theme.text()))
            .axis_desc_style(plain(15.0, theme.faint()))
            .draw()
            .map_err(PictureError::drawing)?;
        for (row, bar) in self.bars.iter().enumerate() {
            let y = rows - 0.5 - row as f64;
            let [low, share, high] = bar.share.map(|share| 100.0 * share.clamp(0.0, 1.0));
            let fill = if bar.stands_out {
                theme.bar()
            } else {
                theme.empty()
            };
            let body = Rectangle::new([(0.0, y - 0.28), (share, y + 0.28)], fill.filled());
            chart
                .draw_series(std::iter::once(body))
                .map_err(PictureError::drawing)?;
            let ink = theme.text().stroke_width(2);
            let line = |from: (f64, f64), to: (f64, f64)| PathElement::new(vec![from, to], ink);
            let interval = [
                line((low, y), (high, y)),
                line((low, y - 0.12), (low, y + 0.12)),
                line((high, y - 0.12), (high, y + 0.12)),
            ];
            chart.draw_series(interval).map_err(PictureError::drawing)?;
            let ring = bar.beside.map(|beside| {
                let at = (100.0 * beside.clamp(0.0, 1.0), y);
                Circle::new(at, 6, theme.mark().stroke_width(2))
            });
            chart.draw_series(ring).map_err(PictureError::drawing)?;
        }
        self.words(&body, chart.plotting_area().get_pixel_range().1, theme)
    }
}

impl Bars {
    /// Names before the bars, and what is written behind them.
    fn words<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        rows: std::ops::Range<i32>,
        theme: Theme,
    ) -> Result<(), PictureError> {
        let top = area.get_pixel_range().1.start;
        let each = f64::from(rows.end - rows.start) / self.bars.len() as f64;
        let (before, behind) = (LEFT - MARGIN, WIDTH - RIGHT + MARGIN);
        for (row, bar) in self.bars.iter().enumerate() {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a place on the page, of a few thousand pixels"
            )]
            let middle = (each * (row as f64 + 0.5)).round() as i32;
            let y = rows.start - top + middle;
            let place = |x: u32| (i32::try_from(x).unwrap_or(0), y);
            let right = Pos::new(HPos::Right, VPos::Center);
            let name = Text::new(
                shortened(&bar.name),
                place(before),
                plain(16.0, theme.text()).pos(right),
            );
            area.draw(&name).map_err(PictureError::drawing)?;
            let left = Pos::new(HPos::Left, VPos::Center);
            let text = Text::new(
                bar.text.clone(),
                place(behind),
                plain(15.0, theme.text()).pos(left),
            );
            area.draw(&text).map_err(PictureError::drawing)?;
        }
        Ok(())
    }
}

/// A name that there is room for.
fn shortened(name: &str) -> String {
    if name.chars().count() <= LETTERS {
        return name.to_owned();
    }
    let begin: String = name.chars().take(LETTERS - 1).collect();
    begin + "…"
}
