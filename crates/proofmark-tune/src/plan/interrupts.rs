//! Interrupts of devices: on any core but the measured one and its siblings.

use proofmark_terms::CoreList;

use super::{NO_CORE, Step, Wanted, cores_in_use, threads_of};
use crate::change::Change;
use crate::setting::Setting;
use crate::tree::Tree;

pub(super) fn interrupts(tree: &dyn Tree, wanted: &Wanted) -> (String, Step) {
    let Some(core) = wanted.core else {
        return ("not told".to_owned(), Step::Cannot(NO_CORE.to_owned()));
    };
    let measured = threads_of(tree, core);
    let others = cores_in_use(tree).without(&measured);
    if others.is_empty() {
        let why = "there is no other core to serve them";
        return ("one core".to_owned(), Step::Cannot(why.to_owned()));
    }
    let names = tree.names("proc/irq");
    let numbers = names.iter().filter_map(|name| name.parse::<u32>().ok());
    let (mut all, mut changes) = (0_usize, Vec::new());
    for number in numbers {
        let setting = Setting::Interrupt { number };
        let Ok(before) = setting.read(tree) else {
            continue;
        };
        let Some(may) = CoreList::parse(&before).filter(|may| !may.is_empty()) else {
            continue;
        };
        all += 1;
        if may.shared_with(&measured).is_empty() {
            continue;
        }
        let rest = may.shared_with(&others);
        let after = if rest.is_empty() { &others } else { &rest };
        changes.push(Change {
            setting,
            before,
            after: after.to_string(),
        });
    }
    let found = format!("core {core} may serve {} of {all}", changes.len());
    match (all, changes.is_empty()) {
        (0, _) => {
            let why = "the kernel shows no interrupts of devices";
            ("not told".to_owned(), Step::Cannot(why.to_owned()))
        }
        (_, true) => (found, Step::Good),
        (_, false) => (found, Step::Change(changes)),
    }
}
