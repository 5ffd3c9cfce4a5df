//! What prove writes beside the output of the programs that it runs with `--verbose`.

/// The name of the program that begins: `t/NAME.t ..`, with more dots where other names are longer,
/// and the time before it with `--timer`.
pub(crate) fn heading(line: &str) -> Option<&str> {
    let name = line.trim_end().strip_suffix("..")?.trim_end_matches('.');
    let name = name.strip_suffix(' ')?;
    let timed = name
        .strip_prefix('[')
        .and_then(|name| name.split_once("] "));
    let name = timed.map_or(name, |(_, name)| name);
    (!name.is_empty() && !name.starts_with(['#', ' '])).then_some(name)
}

/// Whether a line may be its own word on a program: `ok`, with `--timer` a time behind it.
pub(crate) fn is_own_word(line: &str) -> bool {
    let Some(time) = line.strip_prefix("ok") else {
        return false;
    };
    let mut words = time.split_ascii_whitespace();
    let is_time = words.next().is_none_or(|word| word.parse::<u64>().is_ok())
        && words.next().is_none_or(|word| word == "ms");
    let alone = time.trim().is_empty() || time.contains(" ms");
    is_time && alone
}

/// The program of which its summary says that it ended with a status or by a signal:
/// `t/a.t (Wstat: 11 (Signal: SEGV) Tests: 3 Failed: 0)`, with more spaces where names are shorter.
pub(crate) fn ended(line: &str) -> Option<&str> {
    let (name, status) = line.split_once("(Wstat: ")?;
    let digits = status.split(|c: char| !c.is_ascii_digit()).next()?;
    let is_bad = digits.parse::<u64>().is_ok_and(|status| status != 0);
    is_bad.then_some(name.trim_end())
}
