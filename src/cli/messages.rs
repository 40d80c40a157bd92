//! Numbers and times in messages.

/// Returns a number with its thousands set apart.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[allow(clippy::cast_precision_loss)] // shown with one decimal
pub fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

/// Returns a time to wait, in the unit in which it is a small number.
pub fn waiting(seconds: u64) -> String {
    match seconds {
        0..=119 => format!("{seconds} s"),
        120..=7199 => format!("{} min", seconds.div_ceil(60)),
        7200.. => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::{grouped, waiting};

    #[test]
    fn local_thousands_are_set_apart() {
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn local_times_to_wait_have_a_fitting_unit() {
        for (seconds, text) in [(0, "0 s"), (119, "119 s"), (121, "3 min"), (7260, "2 h 1 min")] {
            assert_eq!(waiting(seconds), text);
        }
    }
}
