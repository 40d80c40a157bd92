//! Who may fetch what, by one robots.txt: `cargo run --example robots -- robots.txt /path`.

use crawlprefs::robots::RobotsTxt;
use crawlprefs::verdict::AgentsTable;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (Some(file), Some(path)) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: robots FILE PATH");
        return ExitCode::from(2);
    };
    let body = match std::fs::read(&file) {
        Ok(body) => body,
        Err(error) => {
            eprintln!("{file}: {error}");
            return ExitCode::FAILURE;
        }
    };
    let robots = RobotsTxt::parse(body);
    for token in AgentsTable::bundled().tokens() {
        let access = robots.access(token.as_str(), &path);
        let line = access
            .line
            .map(|line| format!(", by line {line}"))
            .unwrap_or_default();
        println!("{:24} {}{line}", token.as_str(), access.verdict.as_str());
    }
    ExitCode::SUCCESS
}
