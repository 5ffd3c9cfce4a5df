//! Who else is on the machine: whoever tunes it tunes it for all of them.

use std::collections::BTreeSet;

use crate::tree::Tree;

/// Processes that wait for a core, over the last minute, from which on others have work here.
const MUCH: f64 = 1.0;

/// Who else would notice that the machine is tuned.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Company {
    /// Users who are logged in at a terminal, this one and root apart.
    pub users: Vec<String>,
    /// Processes that ran or waited for a core, on the average of the last minute, where that is
    /// much.
    pub load: Option<f64>,
}

impl Company {
    /// Looks around. `own` are the users that this process works for.
    #[must_use]
    pub fn of(tree: &dyn Tree, own: &[u32]) -> Company {
        let processes = tree.names("proc").into_iter();
        let numbers = processes.filter(|name| name.parse::<u32>().is_ok());
        let users: BTreeSet<u32> = numbers
            .filter_map(|process| at_a_terminal(tree, &process))
            .filter(|user| *user != 0 && !own.contains(user))
            .collect();
        let load = tree.read("proc/loadavg").unwrap_or_default();
        let load: Option<f64> = load.split(' ').next().and_then(|word| word.parse().ok());
        Company {
            users: users.into_iter().map(|user| name_of(tree, user)).collect(),
            load: load.filter(|load| *load >= MUCH),
        }
    }

    /// Whether there is nobody.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.users.is_empty() && self.load.is_none()
    }
}

/// The user of a process that has a terminal. `proc_pid_stat(5)`, `proc_pid_status(5)`.
fn at_a_terminal(tree: &dyn Tree, process: &str) -> Option<u32> {
    let stat = tree.read(&format!("proc/{process}/stat")).ok()?;
    // The name stands in brackets and may itself contain some.
    let (_, after) = stat.rsplit_once(") ")?;
    let terminal: i64 = after.split(' ').nth(4)?.parse().ok()?;
    if terminal == 0 {
        return None;
    }
    let status = tree.read(&format!("proc/{process}/status")).ok()?;
    let user = status.lines().find_map(|line| line.strip_prefix("Uid:"))?;
    user.split_whitespace().next()?.parse().ok()
}

/// The name of a user, or the number where it has none.
#[must_use]
pub fn name_of(tree: &dyn Tree, user: u32) -> String {
    let users = tree.read("etc/passwd").unwrap_or_default();
    let number = user.to_string();
    let named = users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)? == number).then(|| name.to_owned())
    });
    named.unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::made_up::MadeUp;

    #[test]
    fn others_at_terminals_and_their_work_are_told() {
        let tree = MadeUp::server();
        tree.set("proc/loadavg", "0.10 0.20 0.30 1/94 9515");
        assert!(Company::of(&tree, &[]).is_none());
        tree.set(
            "etc/passwd",
            "root:x:0:0::/:/bin/sh\nann:x:1000:1000::/:/bin/sh",
        );
        for (process, user, terminal) in
            [(5, 1000, 34816), (6, 1001, 34817), (7, 1002, 0), (8, 0, 9)]
        {
            let stat = format!("{process} (a (b) c) S 1 1 1 {terminal} -1 4194560");
            tree.set(&format!("proc/{process}/stat"), &stat);
            let status = format!("Name:\tx\nUid:\t{user}\t{user}\t{user}\t{user}");
            tree.set(&format!("proc/{process}/status"), &status);
        }
        let users = |own: &[u32]| Company::of(&tree, own).users;
        assert_eq!(users(&[]), ["ann", "1001"]);
        assert_eq!(users(&[1000]), ["1001"]);
        tree.set("proc/loadavg", "1.50 0.20 0.30 1/94 9515");
        assert_eq!(Company::of(&tree, &[]).load, Some(1.5));
    }
}
