//! Expectations checked, as annotations of a GitHub workflow.

use proofmark_code::expect::{Expectations, Report, Status};

use super::rows::{message, title};

/// Annotations as GitHub's workflow commands: an error for each broken condition, at its source
/// line where that is known, else at its line in the file of expectations.
#[must_use]
pub fn github(file: &Expectations, report: &Report) -> String {
    let mut text = String::new();
    for outcome in &report.outcomes {
        let Status::Broken(breach) = &outcome.status else {
            continue;
        };
        let (path, line) = match &breach.source {
            Some(source) => (source.file.clone(), source.line as usize),
            None => (file.path().to_string_lossy().into_owned(), outcome.line),
        };
        let title = property(&title(outcome));
        text.push_str(&format!(
            "::error file={},line={line},title={title}::{}\n",
            property(&path),
            data(&message(outcome, breach))
        ));
    }
    if report.held() == 0 && report.broken() == 0 {
        let path = property(&file.path().to_string_lossy());
        text.push_str(&format!(
            "::error file={path},title=nothing asserted::no expectation applies to this build\n"
        ));
    }
    text
}

fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::super::rows::sample;
    use super::*;

    #[test]
    fn github_escapes_what_would_end_a_property_or_a_command() {
        let (file, report) = sample();
        let text = github(&file, &report);
        assert_eq!(text.lines().count(), 1);
        assert!(
            text.starts_with("::error file=e.toml,line=1,title=f(a%2C b)"),
            "{text}"
        );
        assert!(
            text.contains("%0Acause%3A") || text.contains("%0Acause: <reason>%0A100 %25"),
            "{text}"
        );
    }
}
