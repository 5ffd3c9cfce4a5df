//! Builds that ran at the same time and met outside of their folders: what one of them wrote there,
//! the other one read, listed or wrote as well. Neither is known by what it found then, and each is
//! made again by itself.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Instant;

use proofmark_capture::outside::Touched;

/// A build that a pass has tried.
#[derive(Clone)]
pub(super) struct Tried {
    pub(super) key: String,
    pub(super) began: Instant,
    pub(super) ended: Instant,
    pub(super) touched: Touched,
    /// Something that it read was changed under it, or by it: alone it may come out well.
    pub(super) unsettled: bool,
}

/// The keys of those that have to be made again, one at a time.
pub(super) fn met(tried: &[Tried]) -> BTreeSet<String> {
    let together = |one: &Tried, other: &Tried| {
        one.key != other.key && one.began < other.ended && other.began < one.ended
    };
    let disturbs = |writer: &Tried, other: &Tried| {
        let Touched {
            written,
            read,
            listed,
            ..
        } = &other.touched;
        let met = |place: &PathBuf| {
            let listed = || place.parent().is_some_and(|folder| listed.contains(folder));
            // Who writes a name as well may have gone by what was there.
            read.contains(place) || written.contains(place) || listed()
        };
        writer.touched.written.iter().any(met)
    };
    let again = tried.iter().filter(|one| {
        tried.iter().any(|other| {
            together(one, other) && (one.unsettled || disturbs(one, other) || disturbs(other, one))
        })
    });
    again.map(|one| one.key.clone()).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn who_writes_what_another_reads_at_the_same_time_is_made_again_with_it() {
        let zero = Instant::now();
        let tried = |key: &str, at: [u64; 2], written: &[&str], read: &[&str]| {
            let places = |names: &[&str]| names.iter().map(PathBuf::from).collect();
            Tried {
                key: key.to_owned(),
                began: zero + Duration::from_secs(at[0]),
                ended: zero + Duration::from_secs(at[1]),
                touched: Touched {
                    written: places(written),
                    read: places(read),
                    listed: BTreeSet::new(),
                    ..Touched::default()
                },
                unsettled: false,
            }
        };
        let both = |other| met(&[tried("a", [0, 2], &["/x"], &["/x"]), other]);
        assert_eq!(both(tried("b", [1, 3], &[], &["/x"])).len(), 2);
        assert_eq!(both(tried("b", [3, 4], &["/x"], &["/x"])).len(), 0);
        assert_eq!(both(tried("b", [1, 3], &["/y"], &["/y"])).len(), 0);
        // What a build writes is kept with it: whose is it?
        assert_eq!(both(tried("b", [1, 3], &["/x"], &[])).len(), 2);
        // Both looked for it before, and neither is known by that: they made it themselves.
        let marks = ["b", "c"].map(|key| tried(key, [0, 1], &["/mark"], &[]));
        assert_eq!(met(&marks).len(), 2);
        let mut lists = tried("b", [1, 3], &[], &[]);
        lists.touched.listed = [PathBuf::from("/")].into();
        assert_eq!(both(lists.clone()).len(), 2);
        lists.touched.listed = [PathBuf::from("/x")].into();
        assert_eq!(both(lists).len(), 0);
        // What failed because a file changed under it is tried alone, where it was not.
        let mut failed = tried("c", [0, 1], &[], &[]);
        failed.unsettled = true;
        assert_eq!(both(failed), ["c".to_owned()].into());
    }
}
