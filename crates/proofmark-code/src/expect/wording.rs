//! Numbers and names in sentences.

/// A number of things: "1 call", "3 calls".
pub(super) fn counted(number: u64, thing: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{ending}")
}

/// Names in a sentence: "a", "a and b", "a, b and c".
pub(super) fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [name] => name.clone(),
        [others @ .., last] => format!("{} and {last}", others.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_told_from_many() {
        assert_eq!(counted(1, "function"), "1 function");
        assert_eq!(counted(0, "function"), "0 functions");
        let names = ["a", "b", "c"].map(str::to_string);
        assert_eq!(listed(&names[..1]), "a");
        assert_eq!(listed(&names[..2]), "a and b");
        assert_eq!(listed(&names), "a, b and c");
    }
}
