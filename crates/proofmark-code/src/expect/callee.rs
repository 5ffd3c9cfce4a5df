//! The callee that `calls_to("NAME")` asks for.

use crate::facts;
use crate::image::Image;
use crate::pattern::{Pattern, PatternError};

/// A callee, chosen as functions are: by a name, a name with `*` and `?`, or a regular expression
/// between slashes.
#[derive(Debug, Clone)]
pub struct Callee(Pattern);

/// Two are the same when they are written the same.
impl PartialEq for Callee {
    fn eq(&self, other: &Callee) -> bool {
        self.0.text() == other.0.text()
    }
}

impl Eq for Callee {}

impl Callee {
    /// Reads what stands between the quotes.
    ///
    /// # Errors
    /// When it is empty, or no valid regular expression between its slashes.
    pub fn parse(text: &str) -> Result<Callee, PatternError> {
        Pattern::parse(text).map(Callee)
    }

    /// What its name is compared with.
    #[must_use]
    pub fn pattern(&self) -> &Pattern {
        &self.0
    }

    /// Whether an image has a function, or refers to another's, that goes by the name.
    pub(super) fn is_known(&self, image: &Image) -> bool {
        let mut links = image.links.iter();
        links.any(|link| facts::is_meant(&self.0, &link.name)) || !self.0.find(image).is_empty()
    }
}

impl std::fmt::Display for Callee {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.text())
    }
}
