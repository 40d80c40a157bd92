//! How messages are written on standard error, and numbers in them.

/// How messages are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A line of text.
    Text,
    /// A JSON object a line.
    Json,
}

/// Says warnings and errors, a line each, on standard error.
#[derive(Clone)]
pub struct Voice {
    form: Form,
}

impl Voice {
    pub fn new(form: Form) -> Self {
        Self { form }
    }

    pub fn error(&self, message: &str) {
        eprintln!("{}", self.line("error", message));
    }

    pub fn warn(&self, message: &str) {
        eprintln!("{}", self.line("warning", message));
    }

    /// Returns a message as it is written.
    pub fn line(&self, level: &str, message: &str) -> String {
        match self.form {
            Form::Text if level == "info" => message.to_owned(),
            Form::Text => format!("crawlprefs: {level}: {message}"),
            Form::Json => serde_json::json!({ "level": level, "message": message }).to_string(),
        }
    }
}

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

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn local_thousands_are_set_apart() {
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(number), text);
        }
    }
}
