//! How similar two words are, for suggestions.
//!
//! Invariant: the distance is a metric on texts. Deliberately elsewhere: which distances are small enough (`sema`, `syntax`).

/// Levenshtein's distance: the least number of letters to insert, delete or replace (Wagner & Fischer, "The string-to-string correction
/// problem", 1974).
pub fn edit_distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    // One row of the table is enough: an entry depends on its left, upper and upper left neighbours only.
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (line, l) in left.chars().enumerate() {
        // `row[j]` is the distance between the first `line` letters of `left` and the first j of `right`, up to `column` already with one
        // letter of `left` more. `diagonal` is the entry at `column` without that letter, which has been overwritten.
        let mut diagonal = std::mem::replace(&mut row[0], line + 1);
        for (column, r) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(l != *r);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_edits() {
        assert_eq!(edit_distance("kitten", "sitting"), 3);
        assert_eq!(edit_distance("", "abc"), 3);
        assert_eq!(edit_distance("größe", "grösse"), 2);
    }
}
