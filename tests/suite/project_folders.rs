//! Projects in several folders: `--project`, `.bcheck.toml`, library machines, and the message where a machine is not found.

use crate::program::{Run, command, finish};
use std::fs;
use std::path::Path;

fn in_folder(folder: &Path, arguments: &[&str]) -> Run {
    let mut command = command(arguments);
    command.current_dir(folder);
    finish(command)
}

/// A project as Atelier B keeps it: sources in several folders, and a folder of data that holds copies.
fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in [
        (
            "src/Lamp.mch",
            "MACHINE Lamp SEES Ctx VARIABLES on INVARIANT on : 0..most INITIALISATION on := 0\nOPERATIONS flip = on := most - on END",
        ),
        ("src/ctx/Ctx.mch", "MACHINE Ctx CONSTANTS most PROPERTIES most = 1 END"),
        (
            "src/impl/Lamp_i.imp",
            "IMPLEMENTATION Lamp_i REFINES Lamp IMPORTS BASIC_IO SEES Ctx CONCRETE_VARIABLES on INITIALISATION on := 0\n\
             OPERATIONS flip = BEGIN on := 1 - on; INT_WRITE(on) END END",
        ),
        ("bdp/src/Ctx.mch", "MACHINE Ctx CONSTANTS most PROPERTIES most = 2 END"),
    ] {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }
    folder
}

#[test]
fn a_machine_in_another_folder_is_named_where_it_is_not_found() {
    let folder = project();
    let run = in_folder(&folder.path().join("src"), &["Lamp.mch"]);
    assert_eq!(run.code, Some(120), "{run:?}");
    assert!(run.stderr.contains("there is ctx/Ctx.mch: --include ctx looks there, too"), "{}", run.stderr);
    let run = in_folder(&folder.path().join("src/impl"), &["Lamp_i.imp"]);
    assert!(run.stderr.contains("there is ../Lamp.mch: --include .. looks there, too"), "{}", run.stderr);
    assert!(run.stderr.contains("there is ../ctx/Ctx.mch: --include ../ctx looks there, too"), "{}", run.stderr);
    // Nothing is said of other folders where only some may be read.
    let run = in_folder(&folder.path().join("src/impl"), &["Lamp_i.imp", "--include-only"]);
    assert!(!run.stderr.contains("there is"), "{}", run.stderr);
}

#[test]
fn all_folders_of_a_project_are_looked_in_but_not_those_of_its_data() {
    let folder = project();
    let run = in_folder(folder.path(), &["src/Lamp.mch", "--project", "."]);
    assert_eq!(run.code, Some(0), "{run:?}");
    // The folder is an allowed one.
    let run = in_folder(folder.path(), &["refine", "src/impl/Lamp_i.imp", "--project", ".", "--include-only"]);
    assert_eq!(run.code, Some(0), "{run:?}");
}

#[test]
fn a_file_of_settings_above_the_machine_names_the_folders() {
    let folder = project();
    let write = |text: &str| fs::write(folder.path().join(".bcheck.toml"), text).expect("written");
    write("# sources\nproject = \"src\"\n");
    let run = in_folder(&folder.path().join("src/impl"), &["refine", "Lamp_i.imp"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    write("include = [\n  \"src\", # machines\n  'src/ctx',\n]\n");
    let run = in_folder(&folder.path().join("src/impl"), &["refine", "Lamp_i.imp"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    // It is no way out of the allowed folders.
    let run = in_folder(&folder.path().join("src/impl"), &["refine", "Lamp_i.imp", "--include-only"]);
    assert_eq!(run.code, Some(120), "{run:?}");
    write("folders = \"src\"\n");
    let run = in_folder(&folder.path().join("src/impl"), &["refine", "Lamp_i.imp"]);
    assert_eq!(run.code, Some(120), "{run:?}");
    assert!(run.stderr.contains(".bcheck.toml:1: there is no setting `folders`"), "{}", run.stderr);
}

#[test]
fn of_different_machines_of_one_name_the_user_chooses() {
    let folder = project();
    fs::create_dir(folder.path().join("old")).expect("made");
    let old = folder.path().join("old/Ctx.mch");
    fs::copy(folder.path().join("src/ctx/Ctx.mch"), &old).expect("copied");
    let run = in_folder(folder.path(), &["src/Lamp.mch", "--project", "."]);
    assert_eq!(run.code, Some(0), "two copies are one machine: {run:?}");
    fs::write(&old, "MACHINE Ctx CONSTANTS most PROPERTIES most = 3 END").expect("written");
    let run = in_folder(folder.path(), &["src/Lamp.mch", "--project", "."]);
    assert_eq!(run.code, Some(120), "{run:?}");
    assert!(run.stderr.contains("the machine `Ctx` may be one of several files, which differ"), "{}", run.stderr);
    let run = in_folder(folder.path(), &["src/Lamp.mch", "--project", ".", "--include", "src/ctx"]);
    assert_eq!(run.code, Some(0), "{run:?}");
}

#[test]
fn a_machine_of_the_project_stands_before_the_library_machine_of_its_name() {
    let folder = project();
    fs::write(folder.path().join("src/impl/BASIC_IO.mch"), "MACHINE BASIC_IO OPERATIONS OTHER = skip END").expect("written");
    let run = in_folder(folder.path(), &["src/impl/Lamp_i.imp", "--project", "."]);
    assert_eq!(run.code, Some(120), "{run:?}");
    assert!(run.stderr.contains("INT_WRITE"), "{}", run.stderr);
}

#[test]
fn the_precondition_of_a_called_operation_can_be_read_as_a_guard() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(
        folder.path().join("Gate.mch"),
        "MACHINE Gate SETS SIDE = {left, right, none} VARIABLES open INVARIANT open : SIDE INITIALISATION open := none\n\
         OPERATIONS go(ss) = PRE ss : {left, right} THEN open := ss END END",
    )
    .expect("written");
    fs::write(
        folder.path().join("Guard.mch"),
        "MACHINE Guard INCLUDES Gate OPERATIONS turn(ss) = PRE ss /= open THEN go(ss) END;\n\
         both = CHOICE go(none) OR go(left) END; back = BEGIN go(right); go(none) END END",
    )
    .expect("written");
    assert_eq!(in_folder(folder.path(), &["Guard.mch"]).code, Some(75));
    for symmetry in ["exact", "off"] {
        let run = in_folder(folder.path(), &["Guard.mch", "--pre", "guard", "--symmetry", symmetry, "--format", "json"]);
        assert_eq!(run.code, Some(0), "{run:?}");
        let transitions: Vec<_> =
            run.json()["operations"].as_array().expect("operations").iter().map(|one| one["transitions"].clone()).collect();
        // From three states: two or one turns, one `go(left)`, and never a sequence that ends beyond its guard.
        assert_eq!(transitions, [4, 3, 0], "{run:?}");
    }
}
