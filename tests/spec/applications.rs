//! The crawlers of applications, by a user's file.

/// Applying App-Directives: an application obeys the groups of its crawler, or else those of everybody.
/// Ours: a user's file says which crawler that is.
#[test]
fn plan_b_applications_of_other_crawlers() {
    let robots = "User-agent: ExampleBot\nApp-Directives: one;a=1, two;a=1\n\n\
                  User-agent: OtherBot\nApp-Directives: one;a=2, two;a=2\n\n\
                  User-agent: *\nApp-Directives: one;a=3, two;a=3, three;a=3\n";
    let answer = |applications: &str, application: &str| {
        let answer = crawlprefs::explain::json::explain(&serde_json::json!({
            "id": "x", "url": "https://a.example/", "product_token": "ExampleBot", "robots_txt": robots,
            "application": application, "applications": applications,
        }));
        let column = answer["columns"]["app_directives"]
            .as_array()
            .expect("a list")
            .clone();
        let of_application: Vec<_> = column.iter().filter(|row| row[0] == application).collect();
        assert!(of_application.len() <= 1, "{column:?}");
        let value = answer["directives"]["a"]["value"].as_i64();
        assert_eq!(
            of_application
                .first()
                .map(|row| row[3].as_str().expect("a number").to_owned()),
            value.map(|value| value.to_string())
        );
        value
    };
    for (applications, application, expected) in [
        ("", "one", Some(1)),
        ("one OtherBot", "one", Some(2)),
        ("one OtherBot", "two", Some(1)),
        ("one NoBot", "one", Some(3)),
        ("three OtherBot", "three", None),
        ("three NoBot\ntwo otherbot/2.0", "three", Some(3)),
        ("three NoBot\ntwo otherbot/2.0", "two", Some(2)),
    ] {
        assert_eq!(
            answer(applications, application),
            expected,
            "{applications}: {application}"
        );
    }
}
