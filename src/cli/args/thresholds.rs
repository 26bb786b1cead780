//! The hidden option `--set FLOOR.NAME=VALUE`: thresholds of the algorithms, for tests and measurements.
//!
//! Invariant: set once, before any machine is read, and for the whole process. Deliberately elsewhere: the tables, one in each floor.

use bcheck_explore::thresholds::tables;
use bcheck_sema::nearest;
use bcheck_source::ThresholdRow;

/// All thresholds, under their full names.
fn named() -> impl Iterator<Item = (String, &'static ThresholdRow)> {
    tables().into_iter().flat_map(|table| table.rows.iter().map(|row| (format!("{}.{}", table.floor, row.name()), *row)))
}

/// Sets the thresholds of a command line.
///
///
/// Describes the first setting that cannot be applied; those before it have been applied.
pub(crate) fn apply(settings: &[String]) -> Result<(), String> {
    settings.iter().try_for_each(|setting| set(setting))
}

fn set(setting: &str) -> Result<(), String> {
    let (name, value) = setting.split_once('=').ok_or_else(|| format!("--set {setting}: write --set FLOOR.NAME=VALUE"))?;
    let range = |row: &ThresholdRow| format!("{}..{}, {} by default", row.range().start(), row.range().end(), row.default());
    let Some((_, row)) = named().find(|(known, _)| known == name) else {
        let names: Vec<(String, &ThresholdRow)> = named().collect();
        let near = nearest(name, names.iter().map(|(known, _)| known.as_str()));
        let near = names.iter().find(|(known, _)| Some(known.as_str()) == near);
        let meant = near.map_or(String::new(), |(known, row)| format!("; did you mean `{known}` ({})?", range(row)));
        return Err(format!("--set {setting}: unknown threshold `{name}`{meant}"));
    };
    let value: Option<u64> = value.replace('_', "").parse().ok();
    match value {
        Some(value) if row.set(value) => Ok(()),
        _ => Err(format!("--set {setting}: not a value of this threshold ({}). {}", range(row), row.about())),
    }
}

/// The thresholds of a search that differ from their defaults, which must be equal when it is continued: `name = value, …`. Those of
/// `temporal` are left out: they only affect how recorded graphs are judged.
pub(crate) fn of_search() -> String {
    let is_set = |(name, row): &(String, &ThresholdRow)| row.value() != row.default() && !name.starts_with("temporal.");
    let set: Vec<String> = named().filter(is_set).map(|(name, row)| format!("{name} = {}", row.value())).collect();
    if set.is_empty() { "all by default".to_owned() } else { set.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn an_error_names_the_near_word_and_the_range() {
        let refused = |setting: &str| apply(&[setting.to_owned()]).expect_err("refused");
        let unknown = refused("eval.lerned-clauses=3");
        let expected = "unknown threshold `eval.lerned-clauses`; did you mean `eval.learned-clauses` (1..1000000, 4000 by default)?";
        assert_eq!(unknown, format!("--set eval.lerned-clauses=3: {expected}"));
        assert_eq!(refused("weather=3"), "--set weather=3: unknown threshold `weather`");
        let beyond = refused("eval.learned-clauses=0");
        assert!(beyond.contains("not a value of this threshold (1..1000000, 4000 by default). How many learned clauses"), "{beyond}");
        assert!(refused("eval.learned-clauses=many").contains("not a value"));
        assert_eq!(refused("eval.learned-clauses"), "--set eval.learned-clauses: write --set FLOOR.NAME=VALUE");
        // Setting a default changes nothing that other tests could see, and continuing needs no equality then.
        assert_eq!(apply(&["eval.learned-clauses=4_000".to_owned()]), Ok(()));
        assert_eq!(of_search(), "all by default");
    }

    #[test]
    fn names_differ_and_each_threshold_says_what_it_decides() {
        let all: Vec<_> = named().collect();
        let names: BTreeSet<&String> = all.iter().map(|(name, _)| name).collect();
        assert_eq!(names.len(), all.len());
        let unexplained: Vec<&String> = all.iter().filter(|(_, row)| !row.about().ends_with('.')).map(|(name, _)| name).collect();
        assert!(unexplained.is_empty(), "{unexplained:?}");
    }
}
