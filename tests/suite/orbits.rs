//! One binding of parameters standing for others: nothing that is counted, found or shown may depend on it.

use crate::program::{bcheck, files_below, root, share, thorough};
use serde_json::Value;

/// A report without what may differ: time, memory, and how many bindings were run.
fn report(arguments: &[&str]) -> (Value, u64) {
    let mut report = bcheck(arguments).json();
    let fields = report.as_object_mut().expect("a report is an object");
    let instances = fields.remove("instances").and_then(|number| number.as_u64()).expect("instances are counted");
    for name in ["time_s", "peak_memory_bytes", "workers"] {
        fields.remove(name);
    }
    (report, instances)
}

// Searches that end at the first finding are compared by `machines.rs`, for every machine.
#[test]
fn all_findings_are_the_same_with_and_without_orbits_of_parameters() {
    let (mut machines, mut saved) = (0, 0);
    for folder in ["classic", "tour", "violation"] {
        let folder = root().join("machines").join(folder);
        for file in share(["mch", "ref"].into_iter().flat_map(|ending| files_below(&folder, ending)), 5) {
            let file = file.to_str().expect("our file names are text");
            for size in ["2", "3"] {
                let arguments =
                    [file, "--deferred", size, "--continue", "--no-temporal", "--max-states", "3000", "--format", "json", "--workers"];
                let one = |more: &[&str]| report(&[&arguments[..], more].concat());
                let (with, run) = one(&["1"]);
                let (without, all) = one(&["1", "--no-orbit-parameters"]);
                assert_eq!(with, without, "{file} {size}");
                assert!(run <= all, "{file} {size}: {run} bindings instead of {all}");
                assert_eq!(one(&["2"]), (with, run), "{file} {size}: two workers differ from one");
                machines += 1;
                saved += u64::from(run < all);
            }
        }
    }
    let [most, some] = if thorough() { [50, 15] } else { [11, 2] };
    assert!(machines > most && saved > some, "{saved} of {machines} runs were spared something");
}

#[test]
fn twenty_names_need_no_more_bindings_than_their_orbits() {
    let (report, instances) = report(&["machines/classic/phonebook.mch", "--deferred", "20", "--format", "json"]);
    assert_eq!((&report["explored"]["states"], &report["explored"]["prob"]["states"]), (&2714.into(), &2715.into()));
    assert_eq!(report["explored"]["transitions"], 257_348);
    assert_eq!(report["full"]["states"], "278218429446951548637196401");
    // All pairs of a name and a code in all states are 2,225,480, those that a guard lets through 257,348.
    assert!(instances <= 68_000, "{instances} bindings");
}
