//! Where a picture of the result goes.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use proofmark_picture::{Format, PictureError, Theme};

use crate::exit::Usage;

/// Where a picture of the result goes.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct PlotArgs {
    /// Draw the result into a file, .svg or .png
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,

    /// Background of the picture
    #[arg(long, value_name = "THEME", default_value = "light", requires = "plot")]
    theme: ThemeArg,
}

/// What a picture stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ThemeArg {
    Light,
    Dark,
}

impl PlotArgs {
    /// Refuses a file that no picture goes into: before anything is measured.
    pub(crate) fn check(&self) -> Result<(), Usage> {
        let Some(path) = &self.plot else {
            return Ok(());
        };
        format(path)?;
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        match folder.filter(|folder| !folder.is_dir()) {
            Some(folder) => Err(Usage(format!(
                "cannot draw {}: there is no folder {}",
                path.display(),
                folder.display()
            ))),
            None => Ok(()),
        }
    }

    /// Whether a picture is asked for.
    pub(crate) fn is_asked(&self) -> bool {
        self.plot.is_some()
    }

    /// Draws into the file, where one was named.
    pub(crate) fn write(
        &self,
        draw: impl FnOnce(Format, Theme) -> Result<Vec<u8>, PictureError>,
    ) -> anyhow::Result<()> {
        let Some(path) = &self.plot else {
            return Ok(());
        };
        let theme = match self.theme {
            ThemeArg::Light => Theme::Light,
            ThemeArg::Dark => Theme::Dark,
        };
        let picture = draw(format(path)?, theme)?;
        std::fs::write(path, picture).with_context(|| format!("cannot write {}", path.display()))
    }
}

/// What a picture becomes, by its file's name.
fn format(path: &Path) -> Result<Format, Usage> {
    let extension = path.extension().map(std::ffi::OsStr::to_ascii_lowercase);
    match extension.as_deref().and_then(std::ffi::OsStr::to_str) {
        Some("svg") => Ok(Format::Svg),
        Some("png") => Ok(Format::Png),
        _ => Err(Usage(format!(
            "a picture is .svg or .png, and {} is neither",
            path.display()
        ))),
    }
}
