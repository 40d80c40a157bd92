//! The phrases by which a reservation in prose is found.

/// What a reservation is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProseClass {
    /// Text and data mining, as in Article 4 of Directive (EU) 2019/790.
    Article4,
    /// The training of AI.
    AiTraining,
    /// Any access by a program.
    AutomatedAccess,
}

impl ProseClass {
    pub(super) const ALL: [Self; 3] = [Self::Article4, Self::AiTraining, Self::AutomatedAccess];

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Article4 => "article_4",
            Self::AiTraining => "ai_training",
            Self::AutomatedAccess => "automated_access",
        }
    }
}

use ProseClass::{AiTraining, Article4, AutomatedAccess};

/// Phrases as `push_words` writes them, in the order of their bytes; a phrase begins with a word and may end within one.
///
/// Ours: those of one half of the real files, their translations, and the words of Directive (EU) 2019/790 2(2) and of the laws that
/// follow it, in eight languages. docs/rules.md has how they were chosen and what they find.
pub(super) const PHRASES: [(&str, ProseClass); 94] = [
    ("15o auteurswet", Article4),
    ("15o van de auteurswet", Article4),
    ("2019/790", Article4),
    ("44 b urh", Article4),
    ("44b des urh", Article4),
    ("44b urh", Article4),
    ("70 quater", Article4),
    ("acces automatise", AutomatedAccess),
    ("acceso automatizado", AutomatedAccess),
    ("accesso automatizzato", AutomatedAccess),
    ("acesso automatizado", AutomatedAccess),
    ("any other use of robots", AutomatedAccess),
    ("apprendimento automatico", AiTraining),
    ("apprentissage automatique", AiTraining),
    ("aprendizado de maquina", AiTraining),
    ("aprendizagem automatica", AiTraining),
    ("aprendizaje automatico", AiTraining),
    ("artificial intelligence", AiTraining),
    ("automated access", AutomatedAccess),
    ("automated data collection", AutomatedAccess),
    ("automated device", AutomatedAccess),
    ("automated means", AutomatedAccess),
    ("automated methods", AutomatedAccess),
    ("automatic means", AutomatedAccess),
    ("automatic methods", AutomatedAccess),
    ("automatische methoden", AutomatedAccess),
    ("automatisierte mittel", AutomatedAccess),
    ("automatisierte verfahren", AutomatedAccess),
    ("automatisierte zugriffe", AutomatedAccess),
    ("automatisierten mitteln", AutomatedAccess),
    ("automatisierten zugriff", AutomatedAccess),
    ("automatisierter zugriff", AutomatedAccess),
    ("automatycznych metod", AutomatedAccess),
    ("eksploracja tekstow i danych", Article4),
    ("eksploracje tekstow i danych", Article4),
    ("eksploracji tekstow i danych", Article4),
    ("estrazione di testo e di dati", Article4),
    ("fouille de textes et de donnees", Article4),
    ("geautomatiseerde middelen", AutomatedAccess),
    ("geautomatiseerde toegang", AutomatedAccess),
    ("grote taalmodellen", AiTraining),
    ("inteligencia artificial", AiTraining),
    ("intelligence artificielle", AiTraining),
    ("intelligenza artificiale", AiTraining),
    ("ki modelle", AiTraining),
    ("kuenstliche intelligenz", AiTraining),
    ("kuenstlicher intelligenz", AiTraining),
    ("kunstliche intelligenz", AiTraining),
    ("kunstlicher intelligenz", AiTraining),
    ("kunstmatige intelligentie", AiTraining),
    ("l 122 5 3", Article4),
    ("l122 5 3", Article4),
    ("large language model", AiTraining),
    ("ley 24/2021", Article4),
    ("machinaal leren", AiTraining),
    ("machine learning", AiTraining),
    ("maschinelle lernen", AiTraining),
    ("maschinellen lernens", AiTraining),
    ("maschinelles lernen", AiTraining),
    ("medios automatizados", AutomatedAccess),
    ("meios automatizados", AutomatedAccess),
    ("methodes automatiques", AutomatedAccess),
    ("metodi automatici", AutomatedAccess),
    ("metodos automaticos", AutomatedAccess),
    ("mezzi automatizzati", AutomatedAccess),
    ("mineracao de textos e dados", Article4),
    ("mineria de textos y datos", Article4),
    ("modele jezykowe", AiTraining),
    ("modeles de langage", AiTraining),
    ("modeli jezykowych", AiTraining),
    ("modelli linguistici", AiTraining),
    ("modelos de lenguaje", AiTraining),
    ("modelos de linguagem", AiTraining),
    ("moyens automatises", AutomatedAccess),
    ("prospecao de textos e dados", Article4),
    ("sprachmodell", AiTraining),
    ("sztuczna inteligencja", AiTraining),
    ("sztucznej inteligencji", AiTraining),
    ("taalmodel", AiTraining),
    ("tdm reservation", Article4),
    ("tekst en datamining", Article4),
    ("text & data mining", Article4),
    ("text and data mining", Article4),
    ("text und data mining", Article4),
    ("train ai models", AiTraining),
    ("train machine translation", AiTraining),
    ("training ai models", AiTraining),
    ("training of ai models", AiTraining),
    ("training von ki", AiTraining),
    ("uczenia maszynowego", AiTraining),
    ("uczenie maszynowe", AiTraining),
    ("zautomatyzowanego dostepu", AutomatedAccess),
    ("zautomatyzowany dostep", AutomatedAccess),
    ("zautomatyzowanych srodkow", AutomatedAccess),
];

#[cfg(test)]
mod tests {
    use super::{PHRASES, ProseClass};
    use std::collections::BTreeSet;

    #[test]
    fn phrases_are_in_order_and_different() {
        assert!(PHRASES.is_sorted_by(|a, b| a.0.as_bytes() < b.0.as_bytes()));
    }

    #[test]
    fn prose_1_docs_have_every_phrase() {
        let rules = include_str!("../../../docs/rules.md");
        let mut documented = BTreeSet::new();
        for row in rules.lines() {
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            let class = |class: &&ProseClass| cells.get(2) == Some(&&*format!("`{}`", class.as_str()));
            if let (Some(class), Some(phrases)) = (ProseClass::ALL.iter().find(class), cells.get(3)) {
                let phrases = phrases.split(", ").map(|phrase| phrase.trim_matches('`').to_owned());
                documented.extend(phrases.map(|phrase| (phrase, class.as_str())));
            }
        }
        let known = PHRASES.iter().map(|(phrase, class)| ((*phrase).to_owned(), class.as_str()));
        assert_eq!(known.collect::<BTreeSet<_>>(), documented);
    }
}
