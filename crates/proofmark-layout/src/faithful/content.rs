//! Two images compared function by function and datum by datum.

use std::path::Path;

use proofmark_code::Program;
use proofmark_code::diff::{How, Unlike, unlike as unlike_images};

use crate::LayoutError;

/// What in the second image is not as it is in the first, addresses apart.
pub(super) fn unlike(base: &Path, new: &Path) -> Result<Vec<Unlike>, LayoutError> {
    let open = |path: &Path| {
        Program::open(path).map_err(|error| LayoutError::Image {
            path: path.to_path_buf(),
            problem: error.to_string(),
        })
    };
    let (base, new) = (open(base)?, open(new)?);
    let pairs = base.images().iter().zip(new.images());
    let mut found = Vec::new();
    for (base, new) in pairs {
        found.extend(named_by_us(unlike_images(base, new)));
    }
    Ok(found)
}

/// Code without a name goes by its handle, where it has one: that is no difference. In a file
/// without handles, a function that has no name may not be told from the one before it either. What
/// refers to it is compared in any case.
fn named_by_us(mut found: Vec<Unlike>) -> Vec<Unlike> {
    let unnamed = |one: &Unlike| one.name.starts_with("sub_");
    found.retain(|one| !(one.how == How::Renamed && unnamed(one)));
    let nameless = |one: &Unlike| one.how == How::Missing && unnamed(one);
    let added = |one: &Unlike| one.how == How::Added && one.name.starts_with("pm.");
    let count = |which: &dyn Fn(&Unlike) -> bool| found.iter().filter(|one| which(one)).count();
    let lacking = count(&nameless) > count(&added);
    found.retain(|one| !added(one) && (lacking || !nameless(one)));
    found
}
