//! May GPTBot fetch this page, and may an AI be trained on it?

use crawlprefs::{Label, decide};

fn main() -> Result<(), crawlprefs::QuestionError> {
    let page = decide("https://a.example/post").agent("GPTBot");
    let page = page
        .robots("User-agent: GPTBot\nDisallow: /private/\n")
        .header("X-Robots-Tag", "noai");
    let decision = page.decision()?;
    println!("access {}", decision.access.as_str());
    println!("train_ai {}", decision.label(Label::TrainAi).as_str());
    Ok(())
}
