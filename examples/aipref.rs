//! What all systems say about one page: `cargo run --example aipref`.

use crawlprefs::systems::Value;
use crawlprefs::{CaptureKind, Label, QuestionError, decide};

fn main() -> Result<(), QuestionError> {
    let decision = decide("https://a.example/blog/post")
        .robots("User-agent: *\nAllow: /\nContent-Usage: /blog/ train-ai=n, search=y\n")
        .site_file(CaptureKind::TrustTxt, "datatrainingallowed=yes\n")
        .header("X-Robots-Tag", "noai")
        .decision()?;

    println!("{:24} {}", "access", decision.access.as_str());
    for (name, value) in &decision.columns {
        if let Value::Word(word) = value
            && *word != "unknown"
        {
            println!("{name:24} {word}");
        }
    }
    for label in Label::ALL {
        let from = decision.label_from(label).join(", ");
        println!(
            "{:24} {:9} {from}",
            label.as_str(),
            decision.label(label).as_str()
        );
    }
    for label in &decision.conflict {
        println!("{:24} {}", "contradiction", label.as_str());
    }
    Ok(())
}
