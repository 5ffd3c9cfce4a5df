//! Timelines: values in a row, the levels through them, and marks where a level changes.

use std::ops::Range;

use plotters::backend::DrawingBackend;
use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::coord::types::RangedCoordf64;
use plotters::drawing::DrawingArea;
use plotters::element::{Circle, Cross, PathElement, Text};
use plotters::style::Color;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::font::plain;
use crate::page::{Column, Drawn, MARGIN, bytes, headed};
use crate::{Format, PictureError, Theme, on_scale};

/// Values in a row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timeline {
    /// What it shows, in a line.
    pub title: String,
    /// A second line below the title.
    pub about: String,
    /// What the values count.
    pub unit: String,
    /// In the order of time; finite, and none where nobody measured.
    pub values: Vec<Option<f64>>,
    /// What each place is called, as many as values.
    pub names: Vec<String>,
    /// Bounds of some of the values.
    pub spans: Vec<Span>,
    /// Places at which a value was wanted and could not be had.
    pub lacking: Vec<usize>,
    /// Levels through the values.
    pub levels: Vec<LevelLine>,
    /// Places that are named.
    pub marks: Vec<Mark>,
}

/// The bounds of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// Its position.
    pub at: usize,
    /// The lower bound; finite.
    pub low: f64,
    /// The upper bound; finite.
    pub high: f64,
}

/// A level through some of the values.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelLine {
    /// Positions of the values.
    pub at: Range<usize>,
    /// The level.
    pub value: f64,
}

/// A place that is named.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// The position of a value.
    pub at: usize,
    /// A short text.
    pub text: String,
}

/// Width of a picture, in pixels.
const WIDTH: u32 = 1100;
/// Height of a timeline, in pixels.
const HEIGHT: u32 = 380;
/// From this many values on, points are small.
const MANY: usize = 400;
/// Names below the axis, at most.
const NAMES: usize = 8;

/// The area that values stand in.
type Chart<'a, B> = ChartContext<'a, B, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// Timelines below each other.
///
/// # Errors
/// When there is none, one has no values, or the library fails.
pub fn timelines(
    lines: &[Timeline],
    format: Format,
    theme: Theme,
) -> Result<Vec<u8>, PictureError> {
    if lines.is_empty() || lines.iter().any(|line| line.bounds().is_none()) {
        return Err(PictureError::Empty);
    }
    bytes(&Column(lines), WIDTH, format, theme)
}

impl Drawn for Timeline {
    fn height(&self) -> u32 {
        HEIGHT
    }

    fn draw<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        theme: Theme,
    ) -> Result<(), PictureError> {
        let body = headed(area, (&self.title, &self.about), theme)?;
        let (least, most) = self.bounds().ok_or(PictureError::Empty)?;
        let last = self.values.len() as f64 - 0.5;
        let mut chart = ChartBuilder::on(&body)
            .margin_left(MARGIN)
            .margin_right(2 * MARGIN)
            .margin_bottom(MARGIN)
            .y_label_area_size(84)
            .x_label_area_size(34)
            .build_cartesian_2d(-0.5..last, least..most)
            .map_err(PictureError::drawing)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .light_line_style(theme.ground())
            .bold_line_style(theme.empty())
            .axis_style(theme.empty())
            .x_labels(self.values.len().min(NAMES))
            .y_labels(5)
            .x_label_formatter(&|at| self.name(*at))
            .y_label_formatter(&|value| short(*value))
            .y_desc(&self.unit)
            .label_style(plain(15.0, theme.text()))
            .axis_desc_style(plain(15.0, theme.faint()))
            .draw()
            .map_err(PictureError::drawing)?;
        let marks = self.marks.iter().map(|mark| {
            let at = mark.at as f64 - 0.5;
            PathElement::new(vec![(at, least), (at, most)], theme.mark().stroke_width(1))
        });
        chart.draw_series(marks).map_err(PictureError::drawing)?;
        self.points(&mut chart, least + 0.03 * (most - least), theme)?;
        let ink = on_scale(if theme == Theme::Light { 0.1 } else { 0.9 }).plotted();
        let levels = self.levels.iter().map(|level| {
            let ends = [level.at.start as f64 - 0.5, level.at.end as f64 - 0.5];
            let path = ends.map(|at| (at, level.value));
            PathElement::new(path.to_vec(), ink.stroke_width(3))
        });
        chart.draw_series(levels).map_err(PictureError::drawing)?;
        let texts = self.marks.iter().enumerate().map(|(number, mark)| {
            // Names of neighbours stand on two heights, and on the side where there is room.
            let height = most - (0.02 + 0.07 * (number % 2) as f64) * (most - least);
            let right = mark.at as f64 > 0.7 * last;
            let side = if right { HPos::Right } else { HPos::Left };
            let style = plain(14.0, theme.mark()).pos(Pos::new(side, VPos::Top));
            let text = if right {
                format!("{} ", mark.text)
            } else {
                format!(" {}", mark.text)
            };
            Text::new(text, (mark.at as f64 - 0.5, height), style)
        });
        chart.draw_series(texts).map_err(PictureError::drawing)?;
        Ok(())
    }
}

impl Timeline {
    /// Values with their bounds, and crosses on `ground` where there is none.
    fn points<B: DrawingBackend>(
        &self,
        chart: &mut Chart<'_, B>,
        ground: f64,
        theme: Theme,
    ) -> Result<(), PictureError> {
        let spans = self.spans.iter().map(|span| {
            let path = [span.low, span.high].map(|value| (span.at as f64, value));
            PathElement::new(path.to_vec(), theme.faint().stroke_width(1))
        });
        chart.draw_series(spans).map_err(PictureError::drawing)?;
        let size = if self.values.len() > MANY && self.spans.is_empty() {
            1
        } else {
            3
        };
        let points = self.values.iter().enumerate();
        let points = points.filter_map(|(at, value)| {
            let value = value.filter(|value| value.is_finite())?;
            Some(Circle::new(
                (at as f64, value),
                size,
                theme.faint().filled(),
            ))
        });
        chart.draw_series(points).map_err(PictureError::drawing)?;
        let lacking = self.lacking.iter().map(|at| {
            let ink = theme.faint().stroke_width(1);
            Cross::new((*at as f64, ground), 4, ink)
        });
        chart.draw_series(lacking).map_err(PictureError::drawing)?;
        Ok(())
    }

    /// What a place on the axis is called; nothing between two of them.
    fn name(&self, at: f64) -> String {
        if (at - at.round()).abs() > 0.01 || at < -0.01 {
            return String::new();
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a position of a value"
        )]
        let at = at.round().max(0.0) as usize;
        self.names.get(at).cloned().unwrap_or_default()
    }

    /// The least and the greatest value, with room above for the names of marks.
    fn bounds(&self) -> Option<(f64, f64)> {
        let spans = self.spans.iter().flat_map(|span| [span.low, span.high]);
        let values = self.values.iter().copied().flatten();
        let finite = values.chain(spans).filter(|value| value.is_finite());
        let (least, most) = finite.fold(None, |bounds: Option<(f64, f64)>, value| {
            let (least, most) = bounds.unwrap_or((value, value));
            Some((least.min(value), most.max(value)))
        })?;
        let room = if most > least {
            most - least
        } else {
            most.abs().max(1e-6)
        };
        Some((least - 0.06 * room, most + 0.22 * room))
    }
}

/// A value of an axis.
fn short(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-3..1e6).contains(&size) {
        return format!("{value:.1e}");
    }
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
