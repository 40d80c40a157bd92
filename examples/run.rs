//! Reads archives and writes tables, as `crawlprefs run` does.
//!
//! `cargo run --release --example run -- OUT INPUT...` prints how many pages each state of robots.txt has.

use crawlprefs::job::{Named, ResolveOptions, ScanOptions, Silent, discover, run};
use crawlprefs::store::{FolderStore, Places};
use crawlprefs::systems::Viewpoint;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let out = FolderStore::new(
        arguments
            .next()
            .ok_or("expected a folder for the tables")?
            .into(),
    );
    let inputs: Vec<String> = arguments.collect();
    let places = Places::default();
    let named = Named {
        inputs: &inputs,
        lists: &[],
        base: None,
        stdin_name: None,
        places: &places,
    };
    let scan = ScanOptions::new(discover(&named)?.inputs);
    let resolve = ResolveOptions::new(Viewpoint::new("CCBot")?);
    let (summary, tally) = run(&scan, &resolve, &out, &Silent)?;
    println!(
        "{} archives, {} captures",
        summary.inputs,
        summary.all_captures()
    );
    for (state, pages) in tally.unwrap_or_default().robots_states {
        println!("{pages} pages, robots.txt {state}");
    }
    Ok(())
}
