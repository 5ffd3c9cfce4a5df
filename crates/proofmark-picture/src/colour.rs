//! Colours: one scale for all pictures and terminals, and the two themes.

use plotters::style::RGBColor;

/// A colour: red, green and blue, 0 to 255 each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    /// Whether dark text reads better on it than white: by its relative luminance (WCAG 2.1).
    #[must_use]
    pub fn is_light(self) -> bool {
        let linear = |part: u8| {
            let part = f64::from(part) / 255.0;
            if part <= 0.040_45 {
                part / 12.92
            } else {
                ((part + 0.055) / 1.055).powf(2.4)
            }
        };
        let luminance = 0.2126 * linear(self.0) + 0.7152 * linear(self.1) + 0.0722 * linear(self.2);
        // Where the contrast to black and to white is the same.
        luminance > 0.179
    }

    pub(crate) fn plotted(self) -> RGBColor {
        RGBColor(self.0, self.1, self.2)
    }
}

/// The colour of a place between 0 and 1 on the scale: cividis, from dark blue to yellow (Nuñez,
/// Anderton and Renslow 2018), which people with and without colour vision deficiency see alike.
#[must_use]
pub fn on_scale(place: f64) -> Rgb {
    let place = if place.is_finite() { place } else { 0.0 };
    let colour = colorous::CIVIDIS.eval_continuous(place.clamp(0.0, 1.0));
    Rgb(colour.r, colour.g, colour.b)
}

/// What a picture stands on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Dark on white.
    #[default]
    Light,
    /// Light on black.
    Dark,
}

impl Theme {
    pub(crate) fn ground(self) -> RGBColor {
        match self {
            Theme::Light => RGBColor(255, 255, 255),
            Theme::Dark => RGBColor(18, 18, 20),
        }
    }

    pub(crate) fn text(self) -> RGBColor {
        match self {
            Theme::Light => RGBColor(30, 30, 34),
            Theme::Dark => RGBColor(228, 228, 232),
        }
    }

    /// What can be skipped.
    pub(crate) fn faint(self) -> RGBColor {
        match self {
            Theme::Light => RGBColor(110, 110, 118),
            Theme::Dark => RGBColor(150, 150, 158),
        }
    }

    /// A frame around something.
    pub(crate) fn mark(self) -> RGBColor {
        match self {
            Theme::Light => RGBColor(200, 30, 60),
            Theme::Dark => RGBColor(255, 110, 130),
        }
    }

    /// A bar.
    pub(crate) fn bar(self) -> RGBColor {
        match self {
            Theme::Light => RGBColor(90, 140, 200),
            Theme::Dark => RGBColor(70, 120, 185),
        }
    }

    /// A place without a value.
    pub(crate) fn empty(self) -> RGBColor {
        match self {
            Theme::Light => RGBColor(228, 228, 232),
            Theme::Dark => RGBColor(54, 54, 58),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_rises_in_lightness_from_end_to_end() {
        let grey = |colour: Rgb| {
            let Rgb(red, green, blue) = colour;
            299 * u32::from(red) + 587 * u32::from(green) + 114 * u32::from(blue)
        };
        let steps: Vec<u32> = (0..=20)
            .map(|at| grey(on_scale(f64::from(at) / 20.0)))
            .collect();
        assert!(steps.is_sorted(), "{steps:?}");
        assert!(!on_scale(0.0).is_light() && on_scale(1.0).is_light());
        assert_eq!(on_scale(f64::NAN), on_scale(0.0));
        assert_eq!(on_scale(7.0), on_scale(1.0));
    }
}
