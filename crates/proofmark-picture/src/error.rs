//! Why a picture was not drawn.

/// Why a picture was not drawn.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// The font that is part of the program cannot be read.
    #[error("the font for pictures cannot be read: a fault of proofmark itself")]
    Font,
    /// The library did not draw it.
    #[error("the picture cannot be drawn: {0}")]
    Drawing(String),
    /// There is nothing to be shown.
    #[error("there is nothing to be drawn")]
    Empty,
}

impl PictureError {
    pub(crate) fn drawing(error: impl std::fmt::Display) -> PictureError {
        PictureError::Drawing(error.to_string())
    }
}
