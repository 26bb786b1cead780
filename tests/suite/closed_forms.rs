//! Machines that reach every value of a type, against closed forms: how many values there are, and how many classes of
//! symmetric ones (sequences of the OEIS, named in the machines under `machines/symmetry/closed_forms`).
//!
//! A reduced run must find exactly the classes, and its orbit sizes must add up to exactly the number of values: a fault
//! anywhere between the parser and the count of automorphisms shows as a wrong sum. Where the full space is small it is
//! explored as well, and its transitions must be those that the reduced run has counted.

use crate::program::bcheck;

/// The counts of a run: states and transitions, explored and full.
fn counts(machine: &str, sizes: &[&str], symmetry: &str) -> [String; 4] {
    let file = format!("machines/symmetry/closed_forms/{machine}.mch");
    let mut arguments = vec![file.as_str(), "--no-deadlock", "--format", "json", "--symmetry", symmetry];
    for size in sizes {
        arguments.extend(["--deferred", size]);
    }
    let report = bcheck(&arguments).json();
    assert_eq!(report["verdict"], "verified", "{machine} {sizes:?}: {report}");
    assert_eq!(report["full"]["exact"], true, "{machine} {sizes:?}: {report}");
    let full = |what: &str| report["full"][what].as_str().expect("a decimal string").to_owned();
    let explored = |what: &str| report["explored"][what].to_string();
    [explored("states"), explored("transitions"), full("states"), full("transitions")]
}

/// As many classes and states as the closed forms say; exact and exhaustive agree where that is affordable.
#[track_caller]
fn counted(machine: &str, sizes: &[&str], classes: u64, states: u64) -> [String; 4] {
    let found = counts(machine, sizes, "exact");
    assert_eq!([&found[0], &found[2]], [&classes.to_string(), &states.to_string()], "{machine} {sizes:?}");
    found
}

/// The same, and the full space is explored: counting and exploring give the same.
#[track_caller]
fn explored(machine: &str, sizes: &[&str], classes: u64, states: u64) {
    let reduced = counted(machine, sizes, classes, states);
    let plain = counts(machine, sizes, "off");
    assert_eq!(plain[..2], reduced[2..], "{machine} {sizes:?}: counted and explored differ");
    assert_eq!(counts(machine, sizes, "exhaustive"), reduced, "{machine} {sizes:?}: exact and exhaustive differ");
}

#[test]
fn graphs_up_to_six_elements() {
    for (n, classes) in [(1, 1), (2, 2), (3, 4), (4, 11), (5, 34)] {
        explored("graphs", &[&n.to_string()], classes, 1 << (n * (n - 1) / 2));
    }
    let reduced = counted("graphs", &["6"], 156, 1 << 15);
    assert_eq!(counts("graphs", &["6"], "off")[..2], reduced[2..], "counted and explored differ");
}

#[test]
fn relations_up_to_four_elements() {
    for (n, classes) in [(1, 2), (2, 10), (3, 104)] {
        explored("relations", &[&n.to_string()], classes, 1 << (n * n));
    }
    counted("relations", &["4"], 3044, 1 << 16);
}

#[test]
fn sets_of_sets_up_to_four_elements() {
    for (n, classes) in [(1, 4), (2, 12), (3, 80)] {
        explored("sets_of_sets", &[&n.to_string()], classes, 1 << (1 << n));
    }
    counted("sets_of_sets", &["4"], 3984, 1 << 16);
}

#[test]
fn partial_functions_up_to_six_elements() {
    for (n, classes) in [(1, 2), (2, 6), (3, 16), (4, 45)] {
        explored("partial_functions", &[&n.to_string()], classes, (u64::from(n) + 1).pow(n));
    }
    counted("partial_functions", &["5"], 121, 7_776);
    counted("partial_functions", &["6"], 338, 117_649);
}

#[test]
fn total_functions_up_to_six_elements() {
    for (n, classes) in [(1, 1), (2, 3), (3, 7), (4, 19)] {
        explored("total_functions", &[&n.to_string()], classes, u64::from(n).pow(n));
    }
    counted("total_functions", &["5"], 47, 3_125);
    counted("total_functions", &["6"], 130, 46_656);
}

#[test]
fn bijections_up_to_eight_elements() {
    let mut factorial = 1;
    for (n, classes) in (1..=8).zip([1, 2, 3, 5, 7, 11, 15, 22]) {
        factorial *= n;
        if n <= 5 {
            explored("bijections", &[&n.to_string()], classes, factorial);
        } else {
            counted("bijections", &[&n.to_string()], classes, factorial);
        }
    }
}

#[test]
fn matrices_over_two_deferred_sets() {
    for (rows, columns, classes) in [(1, 1, 2), (2, 2, 7), (3, 3, 36), (2, 3, 13), (3, 2, 13), (1, 4, 5)] {
        let (rows_are, columns_are) = (format!("ROW={rows}"), format!("COLUMN={columns}"));
        explored("matrices", &[&rows_are, &columns_are], classes, 1 << (rows * columns));
    }
    counted("matrices", &["4"], 317, 1 << 16);
}

#[test]
fn a_reduced_run_counts_what_no_plain_run_could_reach() {
    let report = bcheck(&["machines/classic/phonebook.mch", "--deferred", "12", "--format", "json"]).json();
    assert_eq!((report["explored"]["states"].as_u64(), report["explored"]["prob"]["states"].as_u64()), (Some(272), Some(273)));
    assert_eq!(report["full"]["states"], "23298085122481", "13 ** 12");
}

#[test]
#[ignore = "full spaces of 65,536 states and a million transitions: scripts/long.sh"]
fn the_largest_sizes_explored_in_full() {
    for (machine, n, classes, states) in [
        ("graphs", "6", 156, 1 << 15),
        ("relations", "4", 3044, 1 << 16),
        ("sets_of_sets", "4", 3984, 1 << 16),
        ("matrices", "4", 317, 1 << 16),
    ] {
        explored(machine, &[n], classes, states);
    }
    counted("graphs", &["7"], 1044, 1 << 21);
}

#[test]
#[ignore = "a quarter of a million classes each: scripts/long.sh"]
fn the_sequences_go_on() {
    counted("graphs", &["8"], 12_346, 1 << 28);
    counted("relations", &["5"], 291_968, 1 << 25);
    counted("matrices", &["6"], 251_610, 1 << 36);
    counted("partial_functions", &["12"], 163_799, 13u64.pow(12));
}
