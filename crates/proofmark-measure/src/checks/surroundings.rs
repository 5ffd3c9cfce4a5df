//! What the machine stands in: a container, a cloud, and whether it runs on its battery.

use proofmark_tune::{Power, Surroundings};

use super::{Check, CheckStatus};

pub(super) fn findings(around: &Surroundings) -> [Check; 3] {
    [container(around), cloud(around), power(around)]
}

fn container(around: &Surroundings) -> Check {
    let kind = around.container.clone();
    Check {
        name: "container",
        status: if kind.is_some() {
            CheckStatus::Missing
        } else {
            CheckStatus::Good
        },
        remedy: kind.is_some().then_some(
            "where settings are read-only, run `proofmark tune` outside of the container",
        ),
        found: kind.unwrap_or_else(|| "none".to_owned()),
        why: "others on the same machine cannot be seen from in here, and settings of the machine \
              are often read-only",
    }
}

fn cloud(around: &Surroundings) -> Check {
    let credits = around.runs_on_credits;
    Check {
        name: "cloud",
        status: if credits {
            CheckStatus::Hurts
        } else {
            CheckStatus::Good
        },
        remedy: credits.then_some("take an instance of a kind that has its cores to itself"),
        found: around
            .cloud
            .clone()
            .unwrap_or_else(|| "none that is known".to_owned()),
        why: "a kind of instance that runs on credits is slowed down in the middle of a \
              measurement, when these are used up",
    }
}

fn power(around: &Surroundings) -> Check {
    let (status, found, remedy) = match around.power {
        None => (CheckStatus::Good, "no battery", None),
        Some(Power::Mains) => (CheckStatus::Good, "from a socket", None),
        Some(Power::Battery) => (CheckStatus::Hurts, "from the battery", Some("plug it in")),
    };
    Check {
        name: "power",
        status,
        found: found.to_owned(),
        why: "on its battery a machine lowers frequencies by rules of its firmware, whatever is set",
        remedy,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_container_credits_and_a_battery_are_named() {
        let own = findings(&Surroundings::default());
        assert!(own.iter().all(|check| check.status == CheckStatus::Good));
        let around = Surroundings {
            container: Some("podman".to_owned()),
            cloud: Some("Amazon EC2, t3.micro".to_owned()),
            runs_on_credits: true,
            power: Some(Power::Battery),
            ..Surroundings::default()
        };
        let found = findings(&around);
        assert!(found.iter().all(|check| check.status != CheckStatus::Good));
        assert!(found.iter().all(|check| check.remedy.is_some()));
        let power = Some(Power::Mains);
        let plugged = Surroundings { power, ..around };
        assert_eq!(findings(&plugged)[2].status, CheckStatus::Good);
    }
}
