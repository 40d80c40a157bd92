//! What generated tests draw by a seed, so that each run draws the same.

use fastrand::Rng;

/// Returns one of some values.
pub fn one_of<T: Copy>(random: &mut Rng, values: &[T]) -> T {
    values[random.usize(..values.len())]
}

/// Returns some pieces behind each other, fewer than `limit`.
pub fn some_of(random: &mut Rng, pieces: &[&[u8]], limit: usize) -> Vec<u8> {
    (0..random.usize(..limit))
        .flat_map(|_| one_of(random, pieces))
        .copied()
        .collect()
}
