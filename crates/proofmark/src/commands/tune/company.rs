//! Whoever tunes a machine tunes it for all who use it: so they are looked for, and it is asked.

use std::io::{BufRead as _, IsTerminal as _};

use proofmark_tune::{Company, Disk};

use crate::console;
use crate::shown::tune as shown;

/// It is not tuned without a word.
#[derive(Debug, thiserror::Error)]
#[error("the machine was not tuned. {0}\n  next: add --yes if they do not mind")]
struct NotAgreed(String);

/// Who else is there, but for this user and the one who called sudo.
pub(crate) fn look(disk: &Disk) -> Company {
    let caller = std::env::var("SUDO_UID").ok();
    let caller = caller.and_then(|user| user.parse().ok());
    let own: Vec<u32> = caller
        .into_iter()
        .chain([rustix::process::getuid().as_raw()])
        .collect();
    Company::of(disk, &own)
}

/// Asks where somebody else is there, unless that was answered already.
pub(crate) fn agreed(company: &Company, yes: bool) -> anyhow::Result<()> {
    let others = shown::others(company);
    let measured = proofmark_measure::measured_by_others();
    let measured = (!measured.is_empty()).then(|| {
        let cores: Vec<String> = measured.iter().map(u32::to_string).collect();
        format!(
            "Others measure on this machine, on core {}.",
            cores.join(", ")
        )
    });
    let said: Vec<String> = others.into_iter().chain(measured).collect();
    if said.is_empty() || yes {
        return Ok(());
    }
    let said = said.join(" ");
    if std::io::stdin().is_terminal() && std::io::stderr().is_terminal() {
        console::say(&format!("{said} Tune it all the same? [y/N]"));
        let mut answer = String::new();
        let read = std::io::stdin().lock().read_line(&mut answer);
        if read.is_ok() && matches!(answer.trim(), "y" | "Y" | "yes") {
            return Ok(());
        }
    }
    Err(NotAgreed(said).into())
}
