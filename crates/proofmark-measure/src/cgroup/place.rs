//! Where groups can be made, by what the kernel says is mounted and where this process is.

use std::path::{Path, PathBuf};

/// Which interface a hierarchy has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    V1,
    V2,
}

/// A folder in which groups may be made, if it lets us.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) version: Version,
    pub(crate) path: PathBuf,
}

/// Places from the text of `/proc/self/mounts` and `/proc/self/cgroup`, best first: this process's
/// own group in v2, then in the v1 freezer; behind each the root of that hierarchy, for containers
/// that show paths of the host.
pub(crate) fn places(mounts: &str, own: &str) -> Vec<Place> {
    let mut found = Vec::new();
    for version in [Version::V2, Version::V1] {
        let mounted = mounts.lines().filter_map(|line| mount_point(line, version));
        for root in mounted {
            let inside = own
                .lines()
                .find_map(|line| own_path(line, version))
                .unwrap_or("/");
            let own = root.join(inside.trim_start_matches('/'));
            if inside != "/" {
                found.push(Place { version, path: own });
            }
            found.push(Place {
                version,
                path: root,
            });
        }
    }
    found
}

fn mount_point(line: &str, version: Version) -> Option<PathBuf> {
    let mut words = line.split(' ');
    let (_, path, kind, options) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let fits = match version {
        Version::V2 => kind == "cgroup2",
        Version::V1 => kind == "cgroup" && options.split(',').any(|option| option == "freezer"),
    };
    // Space is the one character of a path that occurs in practice and is escaped here.
    fits.then(|| Path::new(&path.replace("\\040", " ")).to_path_buf())
}

fn own_path(line: &str, version: Version) -> Option<&str> {
    let mut parts = line.splitn(3, ':');
    let (number, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
    let fits = match version {
        Version::V2 => number == "0" && controllers.is_empty(),
        Version::V1 => controllers.split(',').any(|name| name == "freezer"),
    };
    fits.then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(version: Version, path: &str) -> Place {
        Place {
            version,
            path: path.into(),
        }
    }

    #[test]
    fn v2_alone_with_a_group_of_our_own() {
        let mounts = "proc /proc proc rw 0 0\ncgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\n";
        let own = "0::/user.slice/user-1000.slice/session-3.scope\n";
        let expected = [
            place(
                Version::V2,
                "/sys/fs/cgroup/user.slice/user-1000.slice/session-3.scope",
            ),
            place(Version::V2, "/sys/fs/cgroup"),
        ];
        assert_eq!(places(mounts, own), expected);
    }

    #[test]
    fn v2_beside_v1_is_preferred_and_the_freezer_comes_next() {
        let mounts = "cgroup /sys/fs/cgroup/freezer cgroup rw,freezer 0 0\ncgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\n\
                      cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n";
        let own = "6:freezer:/\n4:memory:/x\n0::/\n";
        let expected = [
            place(Version::V2, "/sys/fs/cgroup/unified"),
            place(Version::V1, "/sys/fs/cgroup/freezer"),
        ];
        assert_eq!(places(mounts, own), expected);
    }

    #[test]
    fn nothing_mounted_nothing_found() {
        assert_eq!(places("proc /proc proc rw 0 0\n", "0::/\n"), []);
    }
}
