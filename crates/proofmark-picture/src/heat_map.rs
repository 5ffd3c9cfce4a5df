//! Heat maps: rows and columns of values by colour, each with its scale beside it.

use plotters::backend::DrawingBackend;
use plotters::chart::ChartBuilder;
use plotters::coord::Shift;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::drawing::DrawingArea;
use plotters::element::{Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, RGBColor};

use crate::font::plain;
use crate::page::{Column, Drawn, HEAD, MARGIN, bytes, headed};
use crate::{Format, PictureError, Rgb, Theme, on_scale};

/// Rows and columns of values.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatMap {
    /// What it shows, in a line.
    pub title: String,
    /// A second line below the title, for what a reader needs to read it.
    pub about: String,
    /// What the columns are called, from left to right.
    pub columns: Vec<String>,
    /// What the rows are called, from above.
    pub rows: Vec<String>,
    /// By row and column; none where there is no value.
    pub cells: Vec<Vec<Option<HeatCell>>>,
    /// What the scale counts.
    pub scale: String,
    /// Cells that are framed, by row and column.
    pub marked: Vec<(usize, usize)>,
}

/// A value of a heat map.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatCell {
    /// Finite.
    pub value: f64,
    /// What is written into the cell: four letters or fewer.
    pub text: String,
}

/// Width of a cell, in pixels.
const CELL: u32 = 58;
/// Height of a cell, in pixels.
const ROW: u32 = 46;
/// Room for the names of columns.
const FOOT: u32 = 40;
/// Room for the names of rows.
const LEFT: u32 = 124;
/// Room for the scale.
const SCALE: u32 = 178;
/// Colours of the scale.
const SHADES: u32 = 120;

/// Heat maps below each other.
///
/// # Errors
/// When there is none, one has no value, or the library fails.
pub fn heat_maps(maps: &[HeatMap], format: Format, theme: Theme) -> Result<Vec<u8>, PictureError> {
    let columns = maps.iter().map(|map| map.columns.len()).max().unwrap_or(0);
    let all_have_values = maps.iter().all(|map| map.bounds().is_some());
    if columns == 0 || !all_have_values {
        return Err(PictureError::Empty);
    }
    let cells = u32::try_from(columns)
        .unwrap_or(u32::MAX)
        .saturating_mul(CELL);
    let width = cells.saturating_add(LEFT + SCALE + 2 * MARGIN).max(700);
    bytes(&Column(maps), width, format, theme)
}

impl Drawn for HeatMap {
    fn height(&self) -> u32 {
        let rows = u32::try_from(self.rows.len()).unwrap_or(u32::MAX);
        let rows = rows.saturating_mul(ROW);
        rows.saturating_add(HEAD + FOOT + MARGIN).max(260)
    }

    fn draw<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        theme: Theme,
    ) -> Result<(), PictureError> {
        let body = headed(area, (&self.title, &self.about), theme)?;
        let columns = u32::try_from(self.columns.len()).unwrap_or(u32::MAX);
        let (map, scale) = body.split_horizontally(LEFT + columns.saturating_mul(CELL) + MARGIN);
        self.draw_cells(&map, theme)?;
        self.draw_scale(&scale, theme)
    }
}

impl HeatMap {
    /// The least and the greatest value; none where there is no value.
    fn bounds(&self) -> Option<(f64, f64)> {
        let values = self.cells.iter().flatten().flatten();
        let values = values
            .map(|cell| cell.value)
            .filter(|value| value.is_finite());
        values.fold(None, |bounds: Option<(f64, f64)>, value| {
            let (least, most) = bounds.unwrap_or((value, value));
            Some((least.min(value), most.max(value)))
        })
    }

    fn draw_cells<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        theme: Theme,
    ) -> Result<(), PictureError> {
        let (columns, rows) = (self.columns.len() as f64, self.rows.len() as f64);
        let mut chart = ChartBuilder::on(area)
            .margin_left(MARGIN)
            .margin_bottom(MARGIN)
            .y_label_area_size(LEFT - MARGIN)
            .x_label_area_size(FOOT)
            .build_cartesian_2d(Cells(columns), Cells(rows))
            .map_err(PictureError::drawing)?;
        let named = |names: &[String], at: f64| names.get(index(at)).cloned().unwrap_or_default();
        let from_above = |at: f64| named(&self.rows, rows - 0.5 - at);
        chart
            .configure_mesh()
            .disable_mesh()
            .axis_style(theme.ground())
            .x_labels(self.columns.len())
            .y_labels(self.rows.len())
            .x_label_formatter(&|at| named(&self.columns, *at))
            .y_label_formatter(&|at| from_above(*at))
            .label_style(plain(15.0, theme.text()))
            .draw()
            .map_err(PictureError::drawing)?;
        let (least, most) = self.bounds().ok_or(PictureError::Empty)?;
        for (row, cells) in self.cells.iter().enumerate() {
            for (column, cell) in cells.iter().enumerate() {
                let (x, y) = (column as f64, rows - 1.0 - row as f64);
                let colour = cell
                    .as_ref()
                    .map(|cell| on_scale(place(cell.value, least, most)));
                let fill = colour.map_or(theme.empty(), Rgb::plotted);
                let gap = 0.02;
                let corners = [(x + gap, y + gap), (x + 1.0 - gap, y + 1.0 - gap)];
                let square = Rectangle::new(corners, fill.filled());
                chart
                    .draw_series(std::iter::once(square))
                    .map_err(PictureError::drawing)?;
                if let (Some(cell), Some(colour)) = (cell, colour) {
                    let ink = if colour.is_light() {
                        RGBColor(0, 0, 0)
                    } else {
                        RGBColor(255, 255, 255)
                    };
                    let style = plain(14.0, ink).pos(Pos::new(HPos::Center, VPos::Center));
                    let text = Text::new(cell.text.clone(), (x + 0.5, y + 0.5), style);
                    chart
                        .draw_series(std::iter::once(text))
                        .map_err(PictureError::drawing)?;
                }
            }
        }
        let frames = self.marked.iter().map(|(row, column)| {
            let (x, y) = (*column as f64, rows - 1.0 - *row as f64);
            Rectangle::new(
                [(x + 0.03, y + 0.04), (x + 0.97, y + 0.96)],
                theme.mark().stroke_width(3),
            )
        });
        chart.draw_series(frames).map_err(PictureError::drawing)?;
        Ok(())
    }

    fn draw_scale<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        theme: Theme,
    ) -> Result<(), PictureError> {
        let (least, most) = self.bounds().ok_or(PictureError::Empty)?;
        let most = if most > least { most } else { least + 1e-6 };
        let mut chart = ChartBuilder::on(area)
            .margin_bottom(FOOT + MARGIN)
            .margin_left(MARGIN)
            .margin_right(MARGIN)
            .right_y_label_area_size(SCALE - 5 * MARGIN)
            .build_cartesian_2d(0.0..1.0, least..most)
            .map_err(PictureError::drawing)?;
        let decimals = if most - least < 0.05 { 3 } else { 2 };
        chart
            .configure_mesh()
            .disable_mesh()
            .disable_x_axis()
            .axis_style(theme.ground())
            .y_labels(6)
            .y_label_formatter(&|value| format!("{value:.decimals$}"))
            .y_desc(&self.scale)
            .label_style(plain(15.0, theme.text()))
            .axis_desc_style(plain(15.0, theme.faint()))
            .draw()
            .map_err(PictureError::drawing)?;
        let step = (most - least) / f64::from(SHADES);
        let shades = (0..SHADES).map(|shade| {
            let low = least + f64::from(shade) * step;
            let colour = on_scale((f64::from(shade) + 0.5) / f64::from(SHADES));
            // Neighbours overlap, so that no seam is seen between them.
            let high = (low + 1.6 * step).min(most);
            Rectangle::new([(0.0, low), (1.0, high)], colour.plotted().filled())
        });
        chart.draw_series(shades).map_err(PictureError::drawing)?;
        Ok(())
    }
}

/// So many cells side by side, each one wide, whose names stand at their middles.
#[derive(Clone, Copy)]
struct Cells(f64);

impl Ranged for Cells {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let length = f64::from(limit.1 - limit.0);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a place on the page, of a few thousand pixels"
        )]
        let offset = (value / self.0 * length).round() as i32;
        limit.0 + offset
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        (0..index(self.0)).map(|at| at as f64 + 0.5).collect()
    }

    fn range(&self) -> std::ops::Range<f64> {
        0.0..self.0
    }
}

impl ValueFormatter<f64> for Cells {}

/// Where a value stands between the least and the greatest, 0 to 1.
fn place(value: f64, least: f64, most: f64) -> f64 {
    if most > least {
        (value - least) / (most - least)
    } else {
        0.5
    }
}

/// The index of a row or a column, from the middle of it.
fn index(at: f64) -> usize {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the middle of one of a few cells"
    )]
    let index = at.max(0.0) as usize;
    index
}
