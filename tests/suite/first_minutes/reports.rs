//! Fixes in reports for programs, and the note about a file of another name.

use crate::program::bcheck;
use crate::schema::faults;
use serde_json::{Value as Json, json};

/// A machine in a file of its name or another one, and its JSON report and SARIF file.
fn reports(file: &str, text: &str) -> (Json, Json) {
    let folder = tempfile::tempdir().expect("a folder");
    let (machine, sarif) = (folder.path().join(file), folder.path().join("r.sarif"));
    std::fs::write(&machine, text).expect("a file");
    let [machine, sarif_name] = [&machine, &sarif].map(|path| path.display().to_string());
    let run = bcheck(&[&machine, "--format", "json", "--sarif", &sarif_name]);
    let written: Json = serde_json::from_str(&std::fs::read_to_string(&sarif).expect("a file")).expect("JSON");
    assert_eq!(faults("sarif.json", &written), Vec::<String>::new(), "{written}");
    (run.json(), written)
}

#[test]
fn json_and_sarif_have_the_edits_of_a_fix() {
    let text = "MACHINE Wrong SETS S\nVARIABLES s\nINVARIANT s <: S & s : S\nINITIALISATION s := {} END\n";
    let (report, sarif) = reports("Wrong.mch", text);
    let fix = &report["diagnostics"][0]["fixes"][0];
    assert_eq!(fix["title"], "write <:", "{report}");
    let edit = &fix["edits"][0];
    let place = |name: &str| edit[name].as_u64();
    assert_eq!((edit["text"].as_str(), place("line"), place("column"), place("end_column")), (Some("<:"), Some(3), Some(22), Some(23)));
    let change = &sarif["runs"][0]["results"][0]["fixes"][0];
    assert_eq!(change["description"]["text"], "write <:", "{sarif}");
    let replacement = &change["artifactChanges"][0]["replacements"][0];
    assert_eq!(replacement["insertedContent"]["text"], "<:");
    assert_eq!(replacement["deletedRegion"], json!({ "startLine": 3, "startColumn": 22, "endLine": 3, "endColumn": 23 }));
}

#[test]
fn a_machine_in_a_file_of_another_name_is_noted_at_its_name() {
    let text = "MACHINE\n  Wrong\nEND\n";
    let (report, _) = reports("right.mch", text);
    let note = &report["diagnostics"][0];
    assert_eq!(
        (note["code"].as_str(), note["severity"].as_str(), note["line"].as_u64()),
        (Some("B0409"), Some("note"), Some(2)),
        "{report}"
    );
    assert_eq!(note["fixes"][0]["edits"][0]["text"], "right", "{note}");
    for file in ["Wrong.mch", "wrong.mch"] {
        assert_eq!(reports(file, text).0["diagnostics"], json!([]), "{file}");
    }
}
