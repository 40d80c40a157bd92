//! What all systems say about one page: `cargo run --example aipref`.

use crawlprefs::systems::{Label, Viewpoint};
use crawlprefs::verdict::{AgentsTable, PageRecord, Resolver, SiteIndex};
use crawlprefs::web::capture_kind::CaptureKind;
use crawlprefs::web::field::Field;
use crawlprefs::web::origin::Origin;
use crawlprefs::web::url::PageUrl;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let resolver = Resolver::new(Viewpoint::new("CCBot")?, &AgentsTable::bundled());
    let url = PageUrl::new(b"https://a.example/blog/post")?;
    let origin = Origin::new(&url);
    let robots = b"User-agent: *\nAllow: /\nContent-Usage: /blog/ train-ai=n, search=y\n";
    let trust = b"datatrainingallowed=yes\n";
    let files: [(CaptureKind, &[u8]); 2] = [(CaptureKind::Robots, robots), (CaptureKind::TrustTxt, trust)];
    let index = SiteIndex::of_files(&origin, &files);
    let fields = [Field::header("x-robots-tag", b"noai")];

    let page = PageRecord::new(Some(url), Some("text/html"), &fields, &[]);
    let site = index.given(&origin, &resolver);
    let decision = resolver.decide(&page, &site, None);

    println!("{:14} {}", "access", decision.access.preference.as_str());
    for answer in decision.answers.iter().filter(|answer| !answer.opinions.is_empty()) {
        for opinion in &answer.opinions {
            println!("{:14} {} {}", answer.about.title, opinion.category, opinion.preference.as_str());
        }
    }
    for label in Label::ALL {
        let from = decision.labels.from(label).join(", ");
        println!("{:14} {:9} {from}", label.as_str(), decision.labels.of(label).as_str());
    }
    for label in &decision.labels.conflict {
        println!("{:14} {}", "contradiction", label.as_str());
    }
    Ok(())
}
