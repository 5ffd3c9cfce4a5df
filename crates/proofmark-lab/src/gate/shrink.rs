//! A smaller input with the same fault: delta debugging (Zeller and Hildebrandt, "Simplifying and
//! Isolating Failure-Inducing Input", IEEE TSE 28(2), 2002, section 3.2), by removing pieces.

/// The smallest input found of which `fails` is true, by leaving out pieces of `input`, of which it
/// is true. `trials` are made at most.
///
/// # Errors
///
/// What `fails` says.
pub(super) fn shrink<E>(
    input: &[u8],
    trials: u32,
    mut fails: impl FnMut(&[u8]) -> Result<bool, E>,
) -> Result<Vec<u8>, E> {
    let mut smallest = input.to_vec();
    let mut left = trials;
    let mut piece = smallest.len().div_ceil(2);
    while piece > 0 && left > 0 {
        let mut removed = false;
        let mut at = 0;
        while at < smallest.len() && left > 0 {
            let end = (at + piece).min(smallest.len());
            let smaller = [&smallest[..at], &smallest[end..]].concat();
            left -= 1;
            if fails(&smaller)? {
                smallest = smaller;
                removed = true;
            } else {
                at = end;
            }
        }
        // The same size is tried again only where that may help.
        piece = if removed && piece == 1 { 1 } else { piece / 2 };
        piece = piece.min(smallest.len());
    }
    Ok(smallest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shrunk(input: &[u8], trials: u32, fails: impl Fn(&[u8]) -> bool) -> (Vec<u8>, u32) {
        let mut made = 0;
        let found = shrink::<()>(input, trials, |bytes| {
            made += 1;
            Ok(fails(bytes))
        });
        (found.unwrap(), made)
    }

    #[test]
    fn what_matters_is_left() {
        let input: Vec<u8> = (0..=255).collect();
        let both = |bytes: &[u8]| bytes.contains(&7) && bytes.contains(&200);
        assert_eq!(shrunk(&input, 10_000, both).0, [7, 200]);
        assert_eq!(shrunk(&input, 10_000, |_| true).0, b"");
        assert_eq!(shrunk(&input, 10_000, |bytes| bytes.len() == 256).0, input);
    }

    #[test]
    fn trials_end_it() {
        let input = vec![1_u8; 5000];
        let (found, made) = shrunk(&input, 40, |bytes| bytes.len() > 4990);
        assert!(made <= 40 && found.len() > 4990);
    }
}
