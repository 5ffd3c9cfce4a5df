//! What a gate says of a build.

use proofmark_measure::End;

/// What a gate says of a build: whether it passes, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Judged {
    pub(super) passed: bool,
    pub(super) said: String,
    pub(super) differs: Vec<String>,
    pub(super) flaky: Vec<String>,
}

impl Judged {
    pub(super) fn failed(said: String) -> Judged {
        Judged {
            said,
            ..Judged::default()
        }
    }
}

/// How a run ended, in words.
pub(super) fn ended(end: End) -> String {
    match end {
        End::Exited(0) => "ended well".to_owned(),
        End::Exited(code) => format!("ended with exit code {code}"),
        End::Signalled(signal) => format!("was ended by signal {signal}"),
        End::TimedOut => "did not end in its time (`timeout`)".to_owned(),
    }
}
