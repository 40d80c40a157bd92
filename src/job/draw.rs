//! A random sample of archives or segments, which depends on their names and a seed alone.
//!
//! Example: `--sample 100@7`. Each name gets a number of 64 bits, and the units with the lowest numbers are drawn. So
//! the order of the inputs does not matter, a second machine draws the same, and a larger sample has the smaller one.
//!
//! The number, for a draw made elsewhere: FNV-1a (64 bits) of the seed's eight bytes, the lowest first, and of the name's
//! bytes, then the function that mixes the bits in `SplitMix64`: FNV's high bits alone depend little on the last bytes.

/// Which units are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draw {
    /// How many units at most.
    pub units: usize,
    /// Another seed draws another sample.
    pub seed: u64,
}

impl Draw {
    /// Keeps the drawn units in their order.
    pub(super) fn of<T>(self, all: Vec<T>, name: impl Fn(&T) -> String) -> Vec<T> {
        let named: Vec<(u64, String)> = all
            .iter()
            .map(|unit| {
                let name = name(unit);
                (number(self.seed, name.as_bytes()), name)
            })
            .collect();
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.sort_by_key(|&at| &named[at]);
        let mut is_drawn = vec![false; all.len()];
        order.into_iter().take(self.units).for_each(|at| is_drawn[at] = true);
        all.into_iter().zip(is_drawn).filter_map(|(unit, is_drawn)| is_drawn.then_some(unit)).collect()
    }
}

/// Returns the number of a name.
fn number(seed: u64, name: &[u8]) -> u64 {
    let fnv = seed.to_le_bytes().iter().chain(name).fold(0xCBF2_9CE4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3)
    });
    let mixed = (fnv ^ (fnv >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::{Draw, number};

    fn drawn(units: usize, seed: u64, all: impl Iterator<Item = u32>) -> Vec<u32> {
        Draw { units, seed }.of(all.collect(), |unit| format!("CC-MAIN-2026-43/{unit:05}"))
    }

    /// The number is part of what users can cite: of a seed and the names, everybody draws the same.
    #[test]
    fn local_the_number_of_a_name_never_changes() {
        assert_eq!(number(0, b""), NUMBERS[0]);
        assert_eq!(number(7, b"a.warc.gz"), NUMBERS[1]);
    }

    const NUMBERS: [u64; 2] = [0x813F_0174_A236_7C13, 0xF692_B1BE_92B9_050D];

    #[test]
    fn local_a_larger_sample_has_the_smaller_one_and_keeps_the_order() {
        let (small, large) = (drawn(10, 3, 0..1000), drawn(20, 3, 0..1000));
        assert_eq!((small.len(), large.len()), (10, 20));
        assert!(small.iter().all(|unit| large.contains(unit)));
        assert!(large.is_sorted());
        let mut reversed = drawn(20, 3, (0..1000).rev());
        reversed.reverse();
        assert_eq!(reversed, large);
        assert_eq!(drawn(2000, 3, 0..1000), (0..1000).collect::<Vec<_>>());
        assert!(drawn(0, 3, 0..1000).is_empty());
    }

    /// Over 400 seeds each of 40 units is drawn about 100 times (standard deviation 8.7).
    #[test]
    fn local_each_unit_is_drawn_as_often_as_any_other() {
        let mut times = [0_u32; 40];
        for seed in 0..400 {
            for unit in drawn(10, seed, 0..40) {
                times[usize::try_from(unit).expect("below 40")] += 1;
            }
        }
        assert!(times.iter().all(|times| (65..=135).contains(times)), "{times:?}");
    }
}
