//! The systems of preferences as people call them, and their columns without the system's name.
//!
//! Example: the system `robots_tag` is `robots tags`, and its column `tag_noindex` says `noindex`.

/// The systems' names for people, and how their columns begin.
const TITLES: &[(&str, &str, &str)] = &[
    ("aipref", "AIPREF", "aipref_"),
    ("app_directives", "App-Directives", "app_directives"),
    ("automation_preferences", "automation", "automation_"),
    ("robots_tag", "robots tags", "tag_"),
    ("sup", "SUP", "sup_"),
    ("content_signal", "Content-Signal", "content_signal_"),
    ("ai_training", "AI training", "ai_"),
    ("rsl", "RSL", "rsl_"),
    ("prose", "prose", ""),
    ("tdmrep", "TDMRep", "tdm_"),
    ("trust_txt", "trust.txt", "trust_txt_"),
    ("ai_txt", "ai.txt", "ai_txt"),
];

/// Returns a system's name for people; one that is not in the list goes by its name in the tables.
pub fn title(system: &str) -> &str {
    TITLES.iter().find(|(name, ..)| *name == system).map_or(system, |(_, title, _)| title)
}

/// Returns the name of a column without what it begins with in all columns of its system.
pub fn without_system<'c>(column: &'c str, system: &str) -> &'c str {
    let prefix = TITLES.iter().find(|(name, ..)| *name == system).map_or("", |(.., prefix)| prefix);
    column.strip_prefix(prefix).unwrap_or(column)
}

#[cfg(test)]
mod tests {
    use super::TITLES;
    use crawlprefs::systems::SYSTEMS;

    /// A system that is not in the list goes by its name in the tables.
    #[test]
    fn local_names_for_people_are_of_systems_that_there_are() {
        let known: Vec<&str> = SYSTEMS.iter().map(|system| system.about().name).collect();
        for (system, ..) in TITLES {
            assert!(known.contains(system), "{system}");
        }
    }
}
