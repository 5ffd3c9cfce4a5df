//! Variables for builds by name: a name that the system would read as another one with another
//! value is a mistake of the file.

use indexmap::IndexMap;

use super::problem::Problem;

/// Every name can be one of a variable; `at` is where the table stands.
pub(super) fn check(at: &[&str], env: &IndexMap<String, String>) -> Result<(), Problem> {
    let is_none = |name: &&String| name.is_empty() || name.contains(['=', '\0']);
    match env.keys().find(is_none) {
        Some(name) => {
            let what = format!("`{name}` is no name of a variable");
            Err(Problem::new(at, what).next("write env = { NAME = \"value\" }"))
        }
        None => Ok(()),
    }
}
