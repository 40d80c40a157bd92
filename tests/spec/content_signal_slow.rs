//! Content-Signal compared with a slow and obvious reading, and hostile bytes.

use crate::random::{one_of, some_of};
use crate::rounds::rounds;
use crate::statement_rows::{system, viewpoint};
use crawlprefs::explain::json::explain;
use crawlprefs::robots::RobotsTxt;
use crawlprefs::systems::Source;
use crawlprefs::web::steps;
use fastrand::Rng;
use serde_json::{Value, json};

const LINES: [&str; 11] = [
    "User-agent: *",
    "User-agent: CCBot",
    "user-agent: Other",
    "Disallow: /a",
    "Disallow: /b",
    "Allow: /a/c",
    "Content-Usage: train-ai=n",
    "Sitemap: https://a.example/s",
    "# Content-Signal: search=no",
    "",
    "Content-Signal",
];
const PATHS: [&str; 8] = ["", "", "", "/ ", "/a ", "/*c\t", "/a/c$ ", "/b"];
const MEMBERS: [&str; 14] = [
    "search=yes",
    "search=no",
    "SEARCH = Yes",
    "ai-train=no",
    "ai-train=yes",
    "ai-input = NO",
    "ai-input=yes",
    "use=full",
    "use=Reference",
    "use=immediate",
    "foo=no",
    "search",
    "ai-train=maybe",
    "",
];

fn robots(random: &mut Rng) -> String {
    let lines = (0..random.usize(..12)).map(|_| {
        if random.bool() {
            return one_of(random, &LINES).to_owned();
        }
        let members: Vec<_> = (0..=random.usize(..3))
            .map(|_| one_of(random, &MEMBERS))
            .collect();
        let name = one_of(
            random,
            &["Content-Signal", "content-signals", "CONTENT-SIGNAL "],
        );
        let path = one_of(random, &PATHS);
        format!(
            "{name}:{path}{}{}",
            members.join(","),
            one_of(random, &["", " ", " # x=no"])
        )
    });
    let lines: Vec<_> = lines.collect();
    lines.join(one_of(random, &["\n", "\r\n"]))
}

/// The values of the lines in each group, with the names of the groups; those before any are in one of `*`.
fn groups(robots: &str) -> Vec<(Vec<String>, Vec<String>)> {
    let mut groups = vec![(vec!["*".to_owned()], vec![])];
    let mut after_rule = true;
    for line in robots.lines() {
        let line = line.split('#').next().unwrap_or_default();
        let Some((name, value)) = line.split_once(':') else {
            continue;
        };
        let (name, value) = (name.trim().to_lowercase(), value.trim().to_lowercase());
        match name.as_str() {
            "user-agent" if after_rule => {
                groups.push((vec![value], vec![]));
                after_rule = false;
            }
            "user-agent" => groups.last_mut().expect("one").0.push(value),
            "allow" | "disallow" | "content-usage" => after_rule = true,
            "content-signal" | "content-signals" => groups.last_mut().expect("one").1.push(value),
            _ => {}
        }
    }
    groups
}

/// Does a path of ours match? All cases are tried.
fn matches(pattern: &str, path: &str) -> bool {
    match pattern.chars().next() {
        None => true,
        Some('$') if pattern.len() == 1 => path.is_empty(),
        Some('*') => (0..=path.len()).any(|at| matches(&pattern[1..], &path[at..])),
        Some(first) => path.starts_with(first) && matches(&pattern[1..], &path[1..]),
    }
}

/// What lines say of a path: of each key the longest path that states it, then the worst of it.
fn of_lines(lines: &[String], path: &str) -> [Option<String>; 4] {
    let split = |line: &String| match line.starts_with('/') {
        true => line
            .split_once([' ', '\t'])
            .map_or((line.clone(), String::new()), |(path, rest)| {
                (path.to_owned(), rest.to_owned())
            }),
        false => (String::new(), line.clone()),
    };
    let matching: Vec<_> = lines
        .iter()
        .map(split)
        .filter(|(pattern, _)| matches(pattern, path))
        .collect();
    ["search=", "ai-input=", "ai-train=", "use="].map(|key| {
        let values: &[&str] = if key == "use=" {
            &["immediate", "reference", "full"]
        } else {
            &["no", "yes"]
        };
        let stated = matching.iter().flat_map(|(pattern, members)| {
            let members = members
                .split(',')
                .map(|member| member.replace([' ', '\t'], ""));
            members.filter_map(move |member| {
                let value = member.strip_prefix(key)?;
                let rank = values.iter().position(|known| *known == value)?;
                Some((pattern.len(), std::cmp::Reverse(rank)))
            })
        });
        stated.max().map(|(_, rank)| values[rank.0].to_owned())
    })
}

fn slowly(robots: &str, header: Option<&str>, path: &str, crawl: &str) -> Value {
    let groups = groups(robots);
    let named = |name: &str| -> Vec<String> {
        let own = groups
            .iter()
            .filter(|(agents, _)| agents.iter().any(|agent| agent == name));
        own.flat_map(|(_, lines)| lines.clone()).collect()
    };
    let has_own = groups
        .iter()
        .any(|(agents, _)| agents.iter().any(|agent| agent == "ccbot"));
    let lines = if has_own { named("ccbot") } else { named("*") };
    let open = crawl != "disallow";
    let of_robots = if open {
        of_lines(&lines, path)
    } else {
        [const { None }; 4]
    };
    let of_header = of_lines(
        &header
            .map(str::to_lowercase)
            .into_iter()
            .collect::<Vec<_>>(),
        path,
    );
    let nothing = if open || header.is_some() {
        "unknown"
    } else {
        "not_applicable"
    };
    let keys: Vec<Value> = of_robots
        .into_iter()
        .zip(of_header)
        .map(|both| {
            let has =
                |word: &str| both.0.as_deref() == Some(word) || both.1.as_deref() == Some(word);
            let worst = ["no", "yes", "immediate", "reference", "full"]
                .into_iter()
                .find(|word| has(word));
            match worst {
                Some("no") => "disallow".into(),
                Some("yes") => "allow".into(),
                other => other.into(),
            }
        })
        .collect();
    let word = |at: usize| {
        if keys[at].is_null() {
            nothing.into()
        } else {
            keys[at].clone()
        }
    };
    json!({ "search": word(0), "ai_input": word(1), "ai_train": word(2), "use": keys[3] })
}

#[test]
fn live_2_answers_equal_the_slow_reading() {
    let mut random = Rng::with_seed(0x5EED_0001);
    for _ in 0..rounds(800, 4_000) {
        let robots = robots(&mut random);
        let path = one_of(&mut random, &["/", "/a", "/a/c", "/b/c", "/x/c/y"]);
        let header = (random.usize(..4) == 0).then(|| {
            let path = one_of(&mut random, &PATHS);
            let [left, right] = [(); 2].map(|()| one_of(&mut random, &MEMBERS));
            format!("{path}{left} , {right}")
        });
        let headers: Vec<_> = header
            .iter()
            .map(|header| ["Content-Signal", header])
            .collect();
        let answer = explain(&json!({
            "id": "x", "url": format!("https://a.example{path}"), "product_token": "CCBot",
            "robots_txt": robots, "headers": headers,
        }));
        let crawl = answer["access"].as_str().expect("a word");
        let expected = slowly(&robots, header.as_deref(), path, crawl);
        for (key, expected) in expected.as_object().expect("an object") {
            let column = format!("content_signal_{key}");
            assert_eq!(
                &answer["columns"][&column], expected,
                "{path} {header:?}\n{robots}"
            );
        }
    }
}

const PIECES: [&[u8]; 22] = [
    b"\nContent-Signal:",
    b"\ncontent-signals :",
    b"User-agent: *",
    b"User-agent: CCBot",
    b"\n",
    b"\r",
    b" ",
    b"\t",
    b",",
    b"=",
    b"/",
    b"*",
    b"$",
    b"%",
    b"search",
    b"yes",
    b"no",
    b"use",
    b"\0",
    b"\xff",
    b"#",
    b"Disallow: /",
];

#[test]
fn local_hostile_bytes_give_rows_and_answers_but_no_panic() {
    let signal = system("content_signal");
    let viewpoint = viewpoint("CCBot");
    let mut random = Rng::with_seed(0x5EED_0002);
    let (mut rows, files) = (0, rounds(800, 4_000));
    for _ in 0..files {
        let bytes = some_of(&mut random, &PIECES, 40);
        let robots = RobotsTxt::parse(&bytes);
        let mut lines = std::collections::HashSet::new();
        signal.statements(&Source::Robots(&robots), &viewpoint, &mut |row| {
            rows += 1;
            lines.insert(row.line.expect("a line"));
            assert!(
                row.preference.is_some() || row.defect.is_some() || row.category == Some("use")
            );
        });
        let named = robots.records().filter(|record| {
            record.is_named("content-signal") || record.is_named("content-signals")
        });
        assert_eq!(
            lines.len(),
            named.count(),
            "every line gives a row: {}",
            bytes.escape_ascii()
        );
        let text = String::from_utf8_lossy(&bytes);
        let answer = explain(&json!({
            "id": "x", "url": "https://a.example/", "robots_txt": text, "headers": [["content-signal", text]],
        }));
        assert!(
            answer["columns"]["content_signal_search"].is_string(),
            "{answer}"
        );
    }
    assert!(rows > files, "{rows}");
}

/// A file of half a million bytes is read in time that grows with its length.
#[test]
fn local_long_lines_and_many_lines_are_read_in_linear_time() {
    let long = format!(
        "User-agent: *\nContent-Signal: {}\n",
        "search=yes,".repeat(45_000)
    );
    let many = format!(
        "{}{}",
        "User-agent: x\n".repeat(15_000),
        "Content-Signal: /* a=1,b\n".repeat(10_000)
    );
    for robots in [long, many] {
        let scenario = json!({ "id": "x", "url": "https://a.example/", "robots_txt": robots });
        let (answer, taken) = steps::counted(|| explain(&scenario));
        assert!(answer["columns"]["content_signal_search"].is_string());
        let most = 60 * robots.len() as u64;
        assert!(taken > 0 && taken <= most, "{taken} steps, at most {most}");
    }
}
