//! Table 1 of "Symmetry Reduced Model Checking for B" (Turner, Leuschel, Spermann, Butler, TASE 2007), row by row, in ProB's
//! convention, with two misprints put right: scheduler at size 5 has 2481 transitions (printed: 2418), the postal puzzle at
//! size 3 has 1227 (printed: 1277); closed forms and independent models agree on both.

use crate::program::bcheck;

/// States in full, reduced, transitions in full, reduced; for sizes from 1.
type Rows = [[u64; 4]; 6];

const SCHEDULER0: Rows =
    [[5, 5, 6, 6], [16, 10, 37, 23], [55, 17, 190, 59], [190, 26, 865, 121], [649, 37, 3_646, 216], [2_188, 50, 14_581, 351]];

const SCHEDULER: Rows =
    [[4, 4, 5, 5], [11, 7, 25, 16], [36, 11, 121, 37], [125, 16, 561, 71], [438, 22, 2_481, 121], [1_523, 29, 10_489, 190]];

const RUSSIAN_POSTAL: Rows = [
    [15, 15, 24, 24],
    [81, 48, 177, 105],
    [441, 119, 1_227, 331],
    [2_325, 248, 7_869, 838],
    [11_985, 459, 47_795, 1_826],
    [60_981, 780, 279_969, 3_571],
];

const PHONEBOOK: Rows =
    [[3, 3, 4, 4], [10, 5, 37, 17], [65, 8, 433, 50], [626, 13, 6_001, 125], [7_777, 20, 97_201, 269], [117_650, 31, 1_815_157, 541]];

/// Sizes up to here are explored in full as well; beyond, the full counts come from orbit sizes alone.
const EXPLORED_TO: usize = 4;

#[track_caller]
fn table(machine: &str, expected: &Rows) {
    let file = format!("machines/classic/{machine}.mch");
    let mut found: Vec<[u64; 4]> = Vec::new();
    for (sizes, limit, how) in [(format!("1..{EXPLORED_TO}"), "600", "explored"), (format!("{}..6", EXPLORED_TO + 1), "0", "counted")] {
        let run = bcheck(&["compare", &file, "--deferred", &sizes, "--full-limit", limit, "--format", "json"]);
        assert_eq!(run.code, Some(0), "{run:?}");
        for row in run.json()["rows"].as_array().expect("rows") {
            assert_eq!(row["full"]["how"], how, "{row}");
            let count = |side: &str, what: &str| row[side][what].as_str().and_then(|text| text.parse().ok()).expect("a decimal string");
            found.push([
                count("full", "states"),
                count("reduced", "states"),
                count("full", "transitions"),
                count("reduced", "transitions"),
            ]);
        }
    }
    assert_eq!(found, expected);
}

#[test]
fn scheduler0_is_as_in_the_table() {
    table("scheduler0", &SCHEDULER0);
}

#[test]
fn scheduler_is_as_in_the_table() {
    table("scheduler", &SCHEDULER);
}

#[test]
fn russian_postal_is_as_in_the_table() {
    table("russian_postal", &RUSSIAN_POSTAL);
}

#[test]
fn phonebook_is_as_in_the_table() {
    table("phonebook", &PHONEBOOK);
}
