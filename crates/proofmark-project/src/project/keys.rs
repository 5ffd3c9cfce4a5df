//! Options of a command line as the keys that they are in a project's file.

/// What an error says of the options of `compare`, for somebody who writes them into a project's
/// file: `--ignore-exit` is `ignore_exit = true` there. The user's own commands stay what they are.
#[must_use]
pub fn in_the_file(text: &str) -> String {
    let mut of_user = false;
    let lines = text.split('\n').map(|line| {
        // From a command on to the next step: what it said itself, too.
        of_user = line.starts_with("  command: ") || (of_user && !line.starts_with("  next: "));
        if of_user {
            line.to_owned()
        } else {
            in_a_line(line)
        }
    });
    lines.collect::<Vec<String>>().join("\n")
}

/// The same of one line, in which commands stand between backquotes.
fn in_a_line(line: &str) -> String {
    let parts = line.split('`').enumerate().map(|(index, part)| {
        // A hint begins with its option.
        if index % 2 == 1 && !part.starts_with("--") {
            part.to_owned()
        } else {
            with_keys(part)
        }
    });
    parts.collect::<Vec<String>>().join("`")
}

fn with_keys(text: &str) -> String {
    const KEYS: [(&str, &str); 14] = [
        (
            "--allow-output-difference",
            "`allow_output_difference = true`",
        ),
        ("--ignore-exit", "`ignore_exit = true`"),
        ("--output-filter 'sort'", "`output_filter = \"sort\"`"),
        ("--output-filter", "`output_filter`"),
        ("--tree-at DIR", "`tree_at = \"DIR\"`"),
        ("--tree-at", "`tree_at`"),
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

    #[test]
    fn the_user_s_own_commands_stay_what_they_are() {
        let said = "--setup `make --env x` failed";
        assert_eq!(in_the_file(said), "`setup` `make --env x` failed");
        let said = "a exited with 3\n  command: ./a --timeout 3\n  it said: no --cwd\n  \
                    next: more time with --timeout";
        let put = "a exited with 3\n  command: ./a --timeout 3\n  it said: no --cwd\n  \
                   next: more time with `timeout`";
        assert_eq!(in_the_file(said), put);
    }
}
