//! What a run has from whoever started proofmark. With another path, other limits or another user,
//! a program may be another one.

use std::ffi::OsString;
use std::fs;

use proofmark_measure::environment;
use proofmark_terms::OsText;
use serde_json::{Value, json};

/// Lines of `/proc/self/status` that tell what a process may do, and where.
const RIGHTS: [&str; 8] = [
    "CapEff:",
    "Cpus_allowed_list:",
    "Gid:",
    "Groups:",
    "Mems_allowed_list:",
    "NoNewPrivs:",
    "Uid:",
    "Umask:",
];

/// What runs that are started now inherit: the variables that are passed on, the limits, the rights
/// and the personality (whether addresses are drawn, by which kernel one seems to run).
pub(super) fn inherited() -> Value {
    let text = |path: &str| fs::read_to_string(path).unwrap_or_default();
    told(
        environment(&[], 0),
        &text("/proc/self/status"),
        &(text("/proc/self/limits") + &text("/proc/self/personality")),
    )
}

fn told(variables: Vec<(OsString, OsString)>, status: &str, limits: &str) -> Value {
    let variables: Vec<(OsText, OsText)> = variables
        .into_iter()
        .map(|(name, value)| (name.into(), value.into()))
        .collect();
    let is_right = |line: &&str| RIGHTS.iter().any(|name| line.starts_with(name));
    let rights: Vec<&str> = status.lines().filter(is_right).collect();
    json!([variables, rights, limits])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_path_limit_mask_or_core_is_another_inheritance() {
        let path = |value: &str| vec![("PATH".into(), value.into())];
        let status = "Name:\tproofmark\nUmask:\t0022\nVmPeak:\t 100 kB\n";
        let first = told(path("/a"), status, "Max stack size 1");
        assert_eq!(
            first,
            told(
                path("/a"),
                &status.replace("100", "200"),
                "Max stack size 1"
            )
        );
        assert_ne!(first, told(path("/b"), status, "Max stack size 1"));
        assert_ne!(
            first,
            told(path("/a"), &status.replace("22", "77"), "Max stack size 1")
        );
        assert_ne!(first, told(path("/a"), status, "Max stack size 2"));
        let on = |cores: &str| format!("{status}Cpus_allowed_list:\t{cores}\n");
        let cores = |cores: &str| told(path("/a"), &on(cores), "Max stack size 1");
        assert_ne!(cores("0-1"), cores("1"));
    }

    #[test]
    fn what_makes_the_machine_another_one_holds_it() {
        let machine = super::super::begin::this_machine();
        assert!(machine.as_array().unwrap().contains(&inherited()));
        assert!(inherited().to_string().contains("Umask"));
    }
}
