//! What a machine stands in: a container, a virtual machine, a cloud; and whether it runs on its
//! battery.

use crate::tree::Tree;

/// What a machine stands in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The kind of container, as far as it is told.
    pub container: Option<String>,
    /// Whose virtual machine it is; [`Surroundings::UNNAMED`] where only the processor tells that
    /// it is one.
    pub virtual_machine: Option<String>,
    /// Whose cloud it stands in, and the kind of instance where that is told.
    pub cloud: Option<String>,
    /// The kind of instance gets the whole core only as long as its credits last.
    pub runs_on_credits: bool,
    /// The state of its power, where it has a battery.
    pub power: Option<Power>,
}

/// Where a machine that has a battery gets its power from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Power {
    /// From the battery.
    Battery,
    /// From a socket.
    Mains,
}

/// Clouds, by the beginning of what their machines say of themselves.
const CLOUDS: [(&str, &str); 11] = [
    ("Amazon EC2", "Amazon EC2"),
    ("Google", "Google Cloud"),
    ("Alibaba Cloud", "Alibaba Cloud"),
    ("DigitalOcean", "DigitalOcean"),
    ("Hetzner", "Hetzner"),
    ("Scaleway", "Scaleway"),
    ("Linode", "Linode"),
    ("Akamai", "Akamai"),
    ("Vultr", "Vultr"),
    ("OpenStack", "an OpenStack cloud"),
    ("OVH", "OVH"),
];

/// The chassis tag of the machines of two clouds that name nobody elsewhere.
const TAGS: [(&str, &str); 2] = [
    ("7783-7084-3265-9085-8269-3286-77", "Microsoft Azure"),
    ("OracleCloud.com", "Oracle Cloud"),
];

/// Families of Amazon's instances that run on credits.
const ON_CREDITS: [&str; 4] = ["t2.", "t3.", "t3a.", "t4g."];

impl Surroundings {
    /// A virtual machine that does not tell whose it is.
    pub const UNNAMED: &str = "unnamed";

    /// Looks around.
    #[must_use]
    pub fn of(tree: &dyn Tree) -> Surroundings {
        let product = told(tree, "product_name").unwrap_or_default();
        let cloud = cloud(tree);
        let runs_on_credits = cloud.as_deref() == Some("Amazon EC2")
            && ON_CREDITS.iter().any(|family| product.starts_with(family));
        let kind = Some(product).filter(|product| product.contains('.'));
        Surroundings {
            container: container(tree),
            virtual_machine: virtual_machine(tree),
            cloud: cloud.map(|cloud| match kind {
                Some(kind) => format!("{cloud}, {kind}"),
                None => cloud,
            }),
            runs_on_credits,
            power: power(tree),
        }
    }
}

/// What the firmware says of the machine.
fn told(tree: &dyn Tree, name: &str) -> Option<String> {
    let text = tree.read(&format!("sys/class/dmi/id/{name}")).ok()?;
    Some(text).filter(|text| !text.is_empty())
}

fn cloud(tree: &dyn Tree) -> Option<String> {
    let words = ["sys_vendor", "bios_vendor", "board_vendor", "product_name"];
    let said: Vec<String> = words.iter().filter_map(|name| told(tree, name)).collect();
    let named = CLOUDS
        .iter()
        .find(|(begins, _)| said.iter().any(|text| text.starts_with(begins)));
    let tag = told(tree, "chassis_asset_tag");
    let tagged = TAGS
        .iter()
        .find(|(known, _)| tag.as_deref() == Some(*known));
    named.or(tagged).map(|(_, name)| (*name).to_owned())
}

fn virtual_machine(tree: &dyn Tree) -> Option<String> {
    let processor = tree.read("proc/cpuinfo").unwrap_or_default();
    let mut flags = processor.lines().filter(|line| line.starts_with("flags"));
    let is_one = flags.any(|line| line.split_whitespace().any(|flag| flag == "hypervisor"));
    let named = tree.read("sys/hypervisor/type").ok();
    let named = named.or_else(|| told(tree, "sys_vendor").filter(|_| is_one));
    let unnamed = is_one.then(|| Surroundings::UNNAMED.to_owned());
    named.filter(|name| !name.is_empty()).or(unnamed)
}

/// By what those that run containers leave in them, and by the first process's cgroup.
fn container(tree: &dyn Tree) -> Option<String> {
    if let Ok(kind) = tree.read("run/systemd/container") {
        return Some(kind);
    }
    for (path, kind) in [("run/.containerenv", "podman"), (".dockerenv", "docker")] {
        if tree.about(path).is_ok() {
            return Some(kind.to_owned());
        }
    }
    let first = tree.read("proc/1/cgroup").unwrap_or_default();
    let kinds = ["docker", "kubepods", "containerd", "libpod", "lxc"];
    let kind = kinds.into_iter().find(|kind| first.contains(kind));
    kind.map(str::to_owned)
}

/// `sysfs-class-power`.
fn power(tree: &dyn Tree) -> Option<Power> {
    const SUPPLIES: &str = "sys/class/power_supply";
    let names = tree.names(SUPPLIES);
    let of = |name: &str, file: &str| tree.read(&format!("{SUPPLIES}/{name}/{file}")).ok();
    let batteries = names.iter().filter(|name| {
        let of_a_device = of(name, "scope").as_deref() == Some("Device");
        of(name, "type").as_deref() == Some("Battery") && !of_a_device
    });
    let states: Vec<String> = batteries.filter_map(|name| of(name, "status")).collect();
    match (
        states.is_empty(),
        states.iter().any(|one| one == "Discharging"),
    ) {
        (true, _) => None,
        (false, true) => Some(Power::Battery),
        (false, false) => Some(Power::Mains),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::made_up::MadeUp;

    fn of(files: &[(&str, &str)]) -> Surroundings {
        let tree = MadeUp::server();
        for (path, text) in files {
            tree.set(path, text);
        }
        Surroundings::of(&tree)
    }

    #[test]
    fn a_machine_of_one_s_own_stands_in_nothing() {
        assert_eq!(of(&[]), Surroundings::default());
        let vendor = of(&[("sys/class/dmi/id/sys_vendor", "Dell Inc.")]);
        assert_eq!(vendor, Surroundings::default());
    }

    #[test]
    fn clouds_are_known() {
        let flags = ("proc/cpuinfo", "flags\t: fpu hypervisor");
        let amazon = of(&[
            flags,
            ("sys/class/dmi/id/sys_vendor", "Amazon EC2"),
            ("sys/class/dmi/id/product_name", "t3.micro"),
        ]);
        assert_eq!(amazon.cloud.as_deref(), Some("Amazon EC2, t3.micro"));
        assert_eq!(amazon.virtual_machine.as_deref(), Some("Amazon EC2"));
        assert!(amazon.runs_on_credits);
        let azure = of(&[
            flags,
            ("sys/class/dmi/id/sys_vendor", "Microsoft Corporation"),
            ("sys/class/dmi/id/product_name", "Virtual Machine"),
            (
                "sys/class/dmi/id/chassis_asset_tag",
                "7783-7084-3265-9085-8269-3286-77",
            ),
        ]);
        assert_eq!(azure.cloud.as_deref(), Some("Microsoft Azure"));
        assert!(!azure.runs_on_credits);
        // A laptop of that make is none.
        let laptop = of(&[("sys/class/dmi/id/sys_vendor", "Microsoft Corporation")]);
        assert_eq!(laptop.cloud, None);
    }

    #[test]
    fn containers_are_known() {
        for (path, text, kind) in [
            (".dockerenv", "", "docker"),
            ("run/.containerenv", "", "podman"),
            ("run/systemd/container", "lxc", "lxc"),
            ("proc/1/cgroup", "0::/kubepods/burstable/pod1", "kubepods"),
        ] {
            assert_eq!(of(&[(path, text)]).container.as_deref(), Some(kind));
        }
        assert_eq!(of(&[("proc/1/cgroup", "0::/init.scope")]).container, None);
    }

    #[test]
    fn a_battery_is_known_and_a_mouse_s_is_none() {
        let supply = |name: &str| format!("sys/class/power_supply/{name}");
        let of = |status: &str, scope: &str| {
            let tree = MadeUp::server();
            tree.set(&format!("{}/type", supply("AC")), "Mains");
            tree.set(&format!("{}/type", supply("BAT0")), "Battery");
            tree.set(&format!("{}/status", supply("BAT0")), status);
            tree.set(&format!("{}/scope", supply("BAT0")), scope);
            Surroundings::of(&tree).power
        };
        assert_eq!(of("Discharging", "System"), Some(Power::Battery));
        assert_eq!(of("Full", "System"), Some(Power::Mains));
        assert_eq!(of("Discharging", "Device"), None);
    }
}
