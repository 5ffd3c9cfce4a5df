//! Options of a command line as the keys that they are in a project's file.

/// What an error says of the options of `compare`, for somebody who writes them into a project's
/// file: `--ignore-exit` is `ignore_exit = true` there.
#[must_use]
pub fn in_the_file(text: &str) -> String {
    const KEYS: [(&str, &str); 12] = [
        (
            "--allow-output-difference",
            "`allow_output_difference = true`",
        ),
        ("--ignore-exit", "`ignore_exit = true`"),
        ("--output-filter 'sort'", "`output_filter = \"sort\"`"),
        ("--output-filter", "`output_filter`"),
        ("--timeout", "`timeout`"),
        ("--prepare", "`prepare`"),
        ("--setup", "`setup`"),
        ("--stdin", "`stdin`"),
        ("--warmup", "`warmup`"),
        ("--metric", "`metric`"),
        ("--env", "`env`"),
        ("--cwd", "`cwd`"),
    ];
    let put = |text: String, (option, key): &(&str, &str)| text.replace(option, key);
    KEYS.iter().fold(text.to_owned(), put)
}

#[cfg(test)]
mod tests {
    use super::in_the_file;

    #[test]
    fn options_are_keys_in_a_projects_file() {
        assert_eq!(
            in_the_file("mend it, or compare all the same with --ignore-exit"),
            "mend it, or compare all the same with `ignore_exit = true`"
        );
        assert_eq!(
            in_the_file("--output-filter 'sort' compares them"),
            "`output_filter = \"sort\"` compares them"
        );
        assert_eq!(
            in_the_file("--prepare `x` failed (exit status: 1)"),
            "`prepare` `x` failed (exit status: 1)"
        );
    }
}
