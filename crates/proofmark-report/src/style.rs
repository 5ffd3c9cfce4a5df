//! How a terminal wants its text.

use anstyle::{AnsiColor, Style as Paint};

/// How a terminal wants its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Whether to use colour.
    pub colour: bool,
    /// Columns that a line may take; fewer than 60 are taken as 60.
    pub width: u16,
    /// Whether somebody reads it there: what is too long for a line is then cut, and whole in a
    /// file or a pipe.
    pub terminal: bool,
}

/// What a piece of text is, so that a colour can be given to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    /// A change for the better.
    Better,
    /// A change for the worse.
    Worse,
    /// No change that matters.
    Even,
    /// Not known, or in need of attention.
    Open,
    /// What the eye should find first.
    Figure,
    /// What can be skipped.
    Aside,
}

impl Style {
    /// The columns to use.
    pub(crate) fn columns(self) -> usize {
        usize::from(self.width.max(60))
    }

    /// `text` in the colour of its tone.
    pub(crate) fn paint(self, tone: Tone, text: &str) -> String {
        if !self.colour || text.is_empty() {
            return text.to_owned();
        }
        let paint = match tone {
            Tone::Better => Paint::new().fg_color(Some(AnsiColor::Green.into())).bold(),
            Tone::Worse => Paint::new().fg_color(Some(AnsiColor::Red.into())).bold(),
            Tone::Even => Paint::new().fg_color(Some(AnsiColor::Cyan.into())).bold(),
            Tone::Open => Paint::new().fg_color(Some(AnsiColor::Yellow.into())).bold(),
            Tone::Figure => Paint::new().bold(),
            Tone::Aside => Paint::new().dimmed(),
        };
        format!("{paint}{text}{paint:#}")
    }
}
