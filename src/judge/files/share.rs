//! How certain a share is that was counted in a sample.
//!
//! Example: 148 violations among 2,000 of 50,000 documents are 7.40 %, with 95 % from 6.32 to 8.65 % of the 50,000. Wilson's interval
//! for the number of documents that would say as much if each was drawn alone. For the documents that the sample was drawn from,
//! this number is the sample divided by what is left to chance: in a simple sample it does not matter which documents belong
//! together. For other documents of such sites, those of a registered domain are one decision: the number is divided by the
//! design effect. `crawlprefs.clustered_interval` and `agents/closed-interval.sql` have the same formula (docs/sampling.md).
//!
//! Left out: fewer than 30 domains, of which differences between domains say too little.

use serde::Serialize;

/// The deviations of 95 %, on both sides and on one.
const TWO_SIDED: f64 = 1.959_963_984_540_054;
const ONE_SIDED: f64 = 1.644_853_626_951_472_2;
/// With fewer clusters that have something, or do not have it, the differences between clusters say too little.
const FEW: usize = 10;
/// The degrees of freedom are at least these: a few large clusters would make them one or two.
const LEAST_FREEDOM: f64 = 20.0;
/// Fewer clusters have no interval.
pub const LEAST_CLUSTERS: usize = 30;

/// The ends of an interval, each from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ShareInterval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The interval of a share by clusters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Clustered {
    #[serde(flatten)]
    pub interval: ShareInterval,
    /// The variance by that of as many independent units.
    pub design_effect: f64,
    pub clusters: usize,
}

/// Returns the interval of a share of all units, of which some were drawn, each set of as many with the same chance.
#[allow(clippy::cast_precision_loss)] // counts of documents
pub fn simple(hits: u64, drawn: u64, all: u64) -> ShareInterval {
    let share = hits as f64 / drawn.max(1) as f64;
    if drawn >= all {
        return ShareInterval {
            low: share,
            high: share,
        };
    }
    // The variance of a sample without replacement is smaller by the part that is known.
    let effective = drawn as f64 * (all - 1) as f64 / (all - drawn) as f64;
    wilson(share, effective, TWO_SIDED)
}

/// Returns the interval of a share where the units of a cluster decide together, by hits and units of each cluster.
#[allow(clippy::cast_precision_loss)] // counts of documents
pub fn clustered(clusters: &[(u64, u64)]) -> Option<Clustered> {
    if clusters.len() < LEAST_CLUSTERS {
        return None;
    }
    let hits: u64 = clusters.iter().map(|(hits, _)| hits).sum();
    let units: u64 = clusters.iter().map(|(_, units)| units).sum();
    let share = hits as f64 / units as f64;
    let (effect, freedom) = design(clusters, share, units as f64);
    let z = TWO_SIDED * (1.0 + (TWO_SIDED * TWO_SIDED + 1.0) / (4.0 * freedom.max(LEAST_FREEDOM)));
    let interval = wilson(share, units as f64 / effect, z);
    Some(Clustered {
        interval,
        design_effect: effect,
        clusters: clusters.len(),
    })
}

/// Returns the design effect, and the degrees of freedom of its variance.
#[allow(clippy::cast_precision_loss)] // counts of documents
fn design(clusters: &[(u64, u64)], share: f64, units: f64) -> (f64, f64) {
    let rows = || {
        clusters
            .iter()
            .map(|(hits, units)| (*hits as f64, *units as f64))
    };
    let count = clusters.len() as f64;
    let sizes = |rows: &mut dyn Iterator<Item = (f64, f64)>| {
        let (squares, units) = rows.fold((0.0, 0.0), |(squares, sum), (_, n)| {
            (squares + n * n, sum + n)
        });
        squares / units
    };
    if share <= 0.0 || share >= 1.0 {
        return (sizes(&mut rows()), count);
    }
    let squares = || rows().map(|(hits, n)| (hits - share * n).powi(2));
    let total: f64 = squares().sum();
    let mut effect = (total * count / (count - 1.0) / (units * share * (1.0 - share))).max(1.0);
    let with = clusters.iter().filter(|(hits, _)| *hits > 0).count();
    let without = clusters.iter().filter(|(hits, units)| hits < units).count();
    if with.min(without) < FEW {
        effect = effect.max(sizes(&mut rows().filter(|(hits, _)| *hits > 0.0)));
    }
    (
        effect,
        total * total / squares().map(|square| square * square).sum::<f64>(),
    )
}

fn wilson(share: f64, effective: f64, z: f64) -> ShareInterval {
    let square = z * z;
    let others = 1.0 - share;
    let centre = (share + square / (2.0 * effective)) / (1.0 + square / effective);
    let spread = (share * others / effective + (z / (2.0 * effective)).powi(2)).sqrt();
    let radius = z * spread / (1.0 + square / effective);
    ShareInterval {
        low: (centre - radius).min(least(share, effective)).max(0.0),
        high: (centre + radius)
            .max(1.0 - least(others, effective))
            .min(1.0),
    }
}

/// Returns the lower limit for three hits or fewer, by Wilson and Hilferty for a Poisson number; `None` for more.
fn least(share: f64, effective: f64) -> f64 {
    let hits = share * effective;
    if hits > 3.0 {
        return 1.0;
    }
    if share <= 0.0 {
        return 0.0;
    }
    share
        * (1.0 - 1.0 / (9.0 * hits) - ONE_SIDED / (3.0 * hits.sqrt()))
            .max(0.0)
            .powi(3)
}

#[cfg(test)]
mod tests {
    use super::{ShareInterval, clustered, simple};

    /// Whether two numbers agree to six digits.
    fn is_near(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-6
    }

    /// `crawlprefs.clustered_interval` gives these numbers.
    #[test]
    fn local_the_interval_by_clusters_is_that_of_python() {
        let of = |clusters: &[((u64, u64), usize)]| {
            let each = clusters
                .iter()
                .flat_map(|(cluster, count)| vec![*cluster; *count]);
            clustered(&each.collect::<Vec<_>>())
                .map(|found| [found.interval.low, found.interval.high, found.design_effect])
        };
        for (clusters, expected) in [
            (
                &[((0, 1), 200), ((1, 1), 20), ((5, 5), 4), ((0, 7), 9)][..],
                [0.077_335_9, 0.216_286_0, 2.938_322_0],
            ),
            (&[((0, 3), 100)], [0.000_000_0, 0.037_860_3, 3.000_000_0]),
            (&[((2, 2), 60)], [0.937_529_2, 1.000_000_0, 2.000_000_0]),
            (
                &[((0, 2), 60), ((3, 4), 2)],
                [0.005_127_6, 0.191_440_3, 4.000_000_0],
            ),
        ] {
            let found = of(clusters).unwrap();
            let is_it = found
                .iter()
                .zip(expected)
                .all(|(found, expected)| is_near(*found, expected));
            assert!(is_it, "{clusters:?}: {found:?}");
        }
        assert_eq!(of(&[((1, 2), 29)]), None);
    }

    fn log_factorials(most: usize) -> Vec<f64> {
        let mut sums = vec![0.0];
        for number in 1..=most {
            #[allow(clippy::cast_precision_loss)] // small
            sums.push(sums[number - 1] + (number as f64).ln());
        }
        sums
    }

    /// Exactly, by the chance of each number of hits: samples of documents, of which some have it, without replacement.
    #[test]
    fn local_intervals_of_simple_samples_cover_the_truth_as_often_as_they_say() {
        let logs = log_factorials(50_000);
        let choose = |of: u64, some: u64| {
            let log = |number: u64| logs[usize::try_from(number).unwrap()];
            log(of) - log(some) - log(of - some)
        };
        for (all, drawn) in [
            (50_000, 400),
            (50_000, 2_000),
            (50_000, 25_000),
            (2_000, 400),
            (2_000, 1_500),
        ] {
            for per_mille in [10, 20, 50, 74, 100, 200, 300, 500, 800, 950, 990] {
                let have = all * per_mille / 1_000;
                let covered = (0..=drawn.min(have))
                    .filter(|hits| drawn - hits <= all - have)
                    .filter_map(|hits| {
                        let ShareInterval { low, high } = simple(hits, drawn, all);
                        #[allow(clippy::cast_precision_loss)] // small
                        let truth = have as f64 / all as f64;
                        let chance = choose(have, hits) + choose(all - have, drawn - hits)
                            - choose(all, drawn);
                        (low <= truth && truth <= high).then(|| chance.exp())
                    });
                let covered: f64 = covered.sum();
                assert!(
                    (0.93..=0.97).contains(&covered),
                    "{drawn} of {all}, {per_mille}: {covered}"
                );
            }
        }
    }

    #[test]
    fn local_a_sample_of_all_is_certain_and_none_has_an_upper_bound() {
        assert_eq!(
            simple(3, 10, 10),
            ShareInterval {
                low: 0.3,
                high: 0.3
            }
        );
        assert_eq!(
            simple(0, 0, 0),
            ShareInterval {
                low: 0.0,
                high: 0.0
            }
        );
        let none = simple(0, 400, 50_000);
        assert!(
            none.low == 0.0 && (0.005..0.015).contains(&none.high),
            "{none:?}"
        );
    }
}
