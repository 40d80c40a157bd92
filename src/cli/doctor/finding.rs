//! One finding: a line, and what to do.

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// As it should be.
    Good,
    /// A job can run, but something is missing or unusual.
    Odd,
    /// A job that needs it cannot run.
    Wrong,
}

impl State {
    fn as_str(self) -> &'static str {
        match self {
            Self::Good => "ok",
            Self::Odd => "odd",
            Self::Wrong => "wrong",
        }
    }
}

/// What was looked at and found.
#[derive(Debug)]
pub struct Finding {
    pub state: State,
    topic: &'static str,
    found: String,
    /// What to do about it.
    advice: Option<String>,
}

impl Finding {
    pub fn good(topic: &'static str, found: impl Into<String>) -> Self {
        Self { state: State::Good, topic, found: found.into(), advice: None }
    }

    pub fn odd(topic: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { state: State::Odd, topic, found: found.into(), advice: Some(advice.into()) }
    }

    pub fn wrong(topic: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { state: State::Wrong, topic, found: found.into(), advice: Some(advice.into()) }
    }

    /// Returns its lines.
    pub fn text(&self) -> String {
        let Self { state, topic, found, advice } = self;
        let mut text = format!("{:<6} {topic:<13} {found}\n", state.as_str());
        if let Some(advice) = advice {
            text.extend([" ".repeat(21).as_str(), "-> ", advice, "\n"]);
        }
        text
    }
}

/// Returns a number of bytes as people write it, in powers of 1000.
pub fn shown_bytes(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{bytes} bytes"),
        1_000_000..1_000_000_000 => format!("{} MB", bytes / 1_000_000),
        _ => format!("{}.{} GB", bytes / 1_000_000_000, bytes / 100_000_000 % 10),
    }
}
