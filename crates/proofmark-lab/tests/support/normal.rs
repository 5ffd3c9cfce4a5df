//! The noise of recorded worlds.

/// A standard normal number that follows from `place` (Box and Muller 1958).
pub(crate) fn normal(place: &[u64]) -> f64 {
    let mut hasher = blake3::Hasher::new();
    for index in place {
        hasher.update(&index.to_le_bytes());
    }
    let bytes = *hasher.finalize().as_bytes();
    let uniform = |at: usize| {
        let word = u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
        ((word >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    };
    (-2.0 * uniform(0).ln()).sqrt() * (2.0 * std::f64::consts::PI * uniform(8)).cos()
}
