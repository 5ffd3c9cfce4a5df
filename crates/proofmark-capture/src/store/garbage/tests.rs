mod made;

use std::os::unix::fs::symlink;

use made::{all_kinds, id};

use super::*;
use crate::objects::{Mode, Objects, hash_bytes};

fn gone(garbage: &Garbage) -> Vec<(&str, CollectedFor)> {
    let builds = garbage.builds.iter();
    builds.map(|one| (one.name.as_str(), one.why)).collect()
}

fn kept(garbage: &Garbage) -> Vec<(&str, KeptFor)> {
    let builds = garbage.kept.iter();
    builds.map(|one| (one.name.as_str(), one.why)).collect()
}

/// The names of all builds, each of which is whole.
fn whole(builds: &Builds) -> Vec<String> {
    let listing = builds.list().unwrap();
    assert!(listing.unreadable.is_empty(), "{:?}", listing.unreadable);
    for capture in &listing.builds {
        builds.verify(capture).unwrap();
    }
    listing.builds.into_iter().map(|one| one.name).collect()
}

#[test]
fn what_is_referred_to_stays_and_what_is_not_goes() {
    let (made, rules) = all_kinds();
    let before = (made.files(), made.bytes());
    let locked = made.locked();
    let garbage = locked.garbage(&rules).unwrap();
    assert_eq!(gone(&garbage), [("rev-old", CollectedFor::Unused)]);
    assert_eq!(
        kept(&garbage),
        [
            ("base", KeptFor::Name),
            ("rev-pinned", KeptFor::Pin),
            ("rev-used", KeptFor::Recent),
            ("rev-young", KeptFor::Recent),
        ]
    );
    assert_eq!(garbage.files, 3, "its object, its image and its record");
    assert_eq!(made.files(), before.0, "a plan changes nothing");
    locked.carry_out(&garbage).unwrap();
    assert_eq!(
        whole(&locked),
        ["base", "rev-pinned", "rev-used", "rev-young"]
    );
    assert_eq!(before.1 - made.bytes(), garbage.bytes);
    assert_eq!(made.bytes(), garbage.kept_bytes);
    let again = locked.garbage(&rules).unwrap();
    assert_eq!((again.files, again.bytes, again.builds.len()), (0, 0, 0));
}

#[test]
fn files_that_no_build_needs_go_and_those_of_killed_captures() {
    let (made, mut rules) = all_kinds();
    rules.since_ms = 0;
    let stray = made
        .builds()
        .objects()
        .put(b"of nobody", Mode::Data)
        .unwrap();
    for folder in ["builds", "objects"] {
        fs::write(made.root().join(folder).join(".tmpA1b2"), "half").unwrap();
    }
    let locked = made.locked();
    let garbage = locked.garbage(&rules).unwrap();
    assert_eq!(
        (garbage.builds.len(), garbage.files, garbage.bytes),
        (0, 3, 9 + 4 + 4)
    );
    locked.carry_out(&garbage).unwrap();
    assert!(!locked.objects().contains(&stray));
    assert!(!made.root().join("builds/.tmpA1b2").exists());
    assert!(!made.root().join("objects/.tmpA1b2").exists());
    assert_eq!(whole(&locked).len(), 5);
}

#[test]
fn where_there_is_no_room_the_oldest_that_can_be_made_again_goes_first() {
    let (made, mut rules) = all_kinds();
    let locked = made.locked();
    let all = locked.garbage(&rules).unwrap().kept_bytes;
    rules.most_bytes = Some(all);
    assert_eq!(locked.garbage(&rules).unwrap().kept.len(), 4, "what fits");
    rules.most_bytes = Some(all - 1);
    let less = locked.garbage(&rules).unwrap();
    assert_eq!(
        gone(&less),
        [
            ("rev-old", CollectedFor::Unused),
            ("rev-used", CollectedFor::Room)
        ]
    );
    assert!(less.kept_bytes < all);
    rules.most_bytes = Some(0);
    let least = locked.garbage(&rules).unwrap();
    assert_eq!(
        kept(&least),
        [("base", KeptFor::Name), ("rev-pinned", KeptFor::Pin)],
        "a name and a pin hold whatever the room"
    );
    assert!(least.kept_bytes > 0);
    locked.carry_out(&least).unwrap();
    assert_eq!(whole(&locked), ["base", "rev-pinned"]);
}

/// A collection that is killed has done the first of its steps: each number of them is tried.
#[test]
fn killed_at_any_step_the_store_is_readable_and_the_next_collection_ends_the_work() {
    for done in 0.. {
        let (made, mut rules) = all_kinds();
        rules.most_bytes = Some(0);
        let locked = made.locked();
        let garbage = locked.garbage(&rules).unwrap();
        for step in garbage.steps.iter().take(done) {
            locked.step(step).unwrap();
        }
        let left = whole(&locked);
        for name in &left {
            locked.find(name).unwrap();
        }
        for name in ["base", "rev-pinned"] {
            assert!(left.iter().any(|one| one == name), "after {done} steps");
        }
        let rest = locked.garbage(&rules).unwrap();
        locked.carry_out(&rest).unwrap();
        assert_eq!(whole(&locked), ["base", "rev-pinned"], "after {done} steps");
        assert_eq!(locked.garbage(&rules).unwrap().files, 0);
        if done > garbage.steps.len() {
            assert!(done > 12, "it takes more steps than {done}");
            break;
        }
    }
}

#[test]
fn what_a_running_command_uses_is_not_touched() {
    let (made, rules) = all_kinds();
    let running = made.builds();
    assert!(matches!(
        LockedBuilds::open(&made.root()),
        Err(BuildError::Busy { .. })
    ));
    // It may look, as others may while it does.
    assert_eq!(running.garbage(&rules).unwrap().builds.len(), 1);
    drop(running);
    let locked = made.locked();
    assert!(matches!(
        LockedBuilds::open(&made.root()),
        Err(BuildError::Busy { .. })
    ));
    drop(locked);
    made.builds();
}

#[test]
fn a_build_that_cannot_be_read_stops_the_collection() {
    let (made, rules) = all_kinds();
    fs::write(made.root().join("builds/broken.json"), "{").unwrap();
    let before = made.files();
    let error = made.locked().garbage(&rules).unwrap_err();
    assert!(matches!(error, BuildError::Damaged { .. }), "{error}");
    assert_eq!(made.files(), before);
}

/// Moved to another place, by another name, it is the same store: no record says where it lay.
#[test]
fn a_build_says_nowhere_where_its_files_lie() {
    let (made, _) = all_kinds();
    let here = made.folder.path().to_str().unwrap().as_bytes().to_owned();
    for (path, content) in made.files() {
        let found = content
            .windows(here.len())
            .any(|window| window == here.as_slice());
        assert!(!found, "{}", path.display());
    }
    let elsewhere = tempfile::tempdir().unwrap();
    let moved = elsewhere.path().join("another");
    fs::rename(made.root(), &moved).unwrap();
    let builds = Builds::open(&moved).unwrap();
    assert_eq!(whole(&builds).len(), 5);
    let base = builds.find("base").unwrap();
    assert!(
        base.links[0]
            .image
            .starts_with(moved.canonicalize().unwrap())
    );
}

#[test]
fn a_record_that_was_altered_is_told() {
    let (made, _) = all_kinds();
    let builds = made.builds();
    let entry = builds.entry(&builds.file("base")).unwrap();
    let record = builds.objects().path(&entry.record);
    let text = fs::read_to_string(&record).unwrap();
    fs::remove_file(&record).unwrap();
    let gone = builds.find("base").unwrap_err();
    assert!(gone.to_string().contains("has lost"), "{gone}");
    fs::write(&record, text.replace("make", "fake")).unwrap();
    let altered = builds.find("base").unwrap_err();
    assert!(altered.to_string().contains("hashes to"), "{altered}");
}

#[test]
fn no_link_is_followed_out_of_the_store() {
    let (made, rules) = all_kinds();
    let outside = tempfile::tempdir().unwrap();
    let digest = "ab".repeat(32).parse::<Digest>().unwrap();
    let elsewhere = Objects::new(outside.path().to_owned());
    fs::create_dir(outside.path().join("ab")).unwrap();
    fs::write(elsewhere.path(&digest), "another's").unwrap();
    // A folder of objects, an object and an unfinished file that are links.
    let objects = made.root().join("objects");
    let _ = fs::remove_dir_all(objects.join("ab"));
    symlink(outside.path().join("ab"), objects.join("ab")).unwrap();
    fs::create_dir_all(objects.join("cd")).unwrap();
    let link = objects.join("cd").join("cd".repeat(31));
    symlink(elsewhere.path(&digest), &link).unwrap();
    symlink(elsewhere.path(&digest), objects.join(".tmpLink")).unwrap();
    let locked = made.locked();
    let garbage = locked.garbage(&rules).unwrap();
    assert_eq!(
        garbage.files, 3,
        "what the old build needs, and nothing of this"
    );
    locked.carry_out(&garbage).unwrap();
    // Also where it becomes a link only after the plan was made.
    let late = locked.step(&Step::Object(digest.clone())).unwrap_err();
    assert!(matches!(late, BuildError::File { .. }), "{late}");
    assert_eq!(fs::read(elsewhere.path(&digest)).unwrap(), b"another's");
    drop(locked);

    for folder in ["builds", "objects"] {
        let (made, rules) = all_kinds();
        let moved = outside.path().join(folder);
        fs::rename(made.root().join(folder), &moved).unwrap();
        symlink(&moved, made.root().join(folder)).unwrap();
        let error = made.locked().garbage(&rules).unwrap_err();
        assert!(matches!(error, BuildError::LeadsOut { .. }), "{error}");
        assert_eq!(whole(&made.builds()).len(), 5, "all else works as before");
    }
}

#[test]
fn what_later_records_refer_to_stays_whatever_it_is() {
    let (made, mut rules) = all_kinds();
    let stray = made
        .builds()
        .objects()
        .put(b"of a later kind of record", Mode::Data)
        .unwrap();
    rules.later = HashSet::from([Digest::from(id("rev-old"))]);
    rules.later.insert(stray.clone());
    rules.later.insert(hash_bytes(b"nothing that is here"));
    rules.most_bytes = Some(0);
    let locked = made.locked();
    let garbage = locked.garbage(&rules).unwrap();
    assert!(kept(&garbage).contains(&("rev-old", KeptFor::Later)));
    locked.carry_out(&garbage).unwrap();
    assert!(locked.objects().contains(&stray));
    assert_eq!(whole(&locked), ["base", "rev-old", "rev-pinned"]);
    assert_eq!(made.bytes(), garbage.kept_bytes);
}
