//! What ideas, stacks and ledgers may be called.

use crate::definition::Problem;

/// What the table calls the build without any idea.
pub const BASE: &str = "base";

/// The same build once more: the two are a null pair.
pub const BASE_AGAIN: &str = "base again";

/// What no name of an idea holds.
const TAKEN: [char; 5] = ['.', '*', '/', '=', '`'];

/// Names of ideas, candidates and stacks are single words that no other name is made of.
pub(super) fn check_name(at: &[&str], name: &str, kind: &str) -> Result<(), Problem> {
    let strange = |c: char| c.is_whitespace() || c.is_control() || TAKEN.contains(&c);
    if name.is_empty() || name.starts_with('-') || name.contains(strange) {
        let what = format!("`{name}` is no name for {kind}");
        return Err(Problem::new(at, what)
            .next("take one word without `.`, `*`, `/` and `=`, which does not begin with `-`"));
    }
    if name == BASE {
        let what = format!("{kind} cannot be called `{name}`: that is what ideas are put on");
        return Err(Problem::new(at, what).next("give it another name"));
    }
    Ok(())
}

/// A ledger's own name is one that a stack could have.
pub(crate) fn check_ledger_name(name: &str) -> Result<(), Problem> {
    check_name(&["ledger", "name"], name, "a ledger")
}
