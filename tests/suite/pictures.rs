//! Pictures of comparisons and of graphs: their structure, read by a reader of their own. How they look is for people.

use crate::program::{bcheck, command, finish};
use crate::xml::{Element, parse};
use std::path::Path;

/// The elements that have a class.
fn of_class<'a>(element: &'a Element, class: &str) -> Vec<&'a Element> {
    let is_of =
        |element: &Element| element.attributes.iter().any(|(name, value)| name == "class" && value.split(' ').any(|one| one == class));
    let inside = element.children.iter().flat_map(|child| of_class(child, class));
    is_of(element).then_some(element).into_iter().chain(inside).collect()
}

fn compare(folder: &Path, arguments: &[&str]) -> (Element, Element, serde_json::Value) {
    let (plot, html) = (folder.join("plot.svg"), folder.join("page.html"));
    let (plot_text, html_text) = (plot.display().to_string(), html.display().to_string());
    let run = bcheck(&[&["compare"], arguments, &["--format", "json", "--plot", &plot_text, "--html", &html_text]].concat());
    let read = |path: &Path| parse(&std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{error}: {run:?}")));
    (read(&plot), read(&html), run.json())
}

/// The titles of the markers in a panel.
fn titles(panel: &Element) -> Vec<String> {
    of_class(panel, "marker").iter().map(|marker| marker.all("title").first().expect("a title").text.clone()).collect()
}

#[test]
fn a_comparison_is_drawn_as_four_panels_whose_markers_say_the_numbers_of_the_report() {
    let folder = tempfile::tempdir().expect("a folder");
    let (svg, page, report) = compare(folder.path(), &["machines/classic/phonebook.mch", "--deferred", "1..4"]);
    assert_eq!(svg.name, "svg");
    let panels = of_class(&svg, "panel");
    let headings: Vec<&str> = panels.iter().map(|panel| of_class(panel, "heading")[0].text.as_str()).collect();
    assert_eq!(headings, ["States", "Transitions", "Time of the search", "Speed-up: time full / time reduced"]);
    let rows = report["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 4);
    for (at, what) in ["states", "transitions"].into_iter().enumerate() {
        let mut expected = Vec::new();
        for side in ["full", "reduced"] {
            expected.extend(
                rows.iter()
                    .enumerate()
                    .map(|(row, cells)| format!("{}: {} ({side})", row + 1, cells[side][what].as_str().expect("a decimal string"))),
            );
        }
        assert_eq!(titles(panels[at]), expected);
    }
    assert_eq!(titles(panels[3]).len(), 4, "every size was explored in full");
    let legend: Vec<&str> = of_class(&svg, "legend")[0].all("text").iter().map(|text| text.text.as_str()).collect();
    assert_eq!(legend, ["full", "reduced", "speed-up"]);
    for panel in &panels {
        let labels: Vec<&str> = panel.all("text").iter().map(|text| text.text.as_str()).collect();
        assert!(["1", "2", "3", "4", "elements of each deferred set"].iter().all(|word| labels.contains(word)), "{labels:?}");
        let inside = |text: &Element| {
            let place = |name: &str, most: f64| (0.0..=most).contains(&text.attribute(name).parse::<f64>().expect("a number"));
            place("x", 460.0) && place("y", 290.0)
        };
        assert!(panel.all("text").into_iter().all(inside));
    }
    // The page has the same picture, and all of its numbers in a table.
    assert_eq!(of_class(&page, "panel").len(), 4);
    let table: Vec<Vec<&str>> =
        page.all("tbody")[0].all("tr").iter().map(|row| row.children.iter().map(|cell| cell.text.as_str()).collect()).collect();
    assert_eq!(table.len(), 4);
    assert_eq!(table[2][..5], ["3", "65", "8", "433", "50"]);
    assert!(page.all("span").iter().any(|span| span.text == "compared"));
}

#[test]
fn what_was_counted_or_bounded_only_is_drawn_as_such() {
    let folder = tempfile::tempdir().expect("a folder");
    let (svg, _, _) = compare(folder.path(), &["machines/classic/phonebook.mch", "--deferred", "2..3", "--full-limit", "0"]);
    let panels = of_class(&svg, "panel");
    assert_eq!(of_class(panels[0], "hollow").len(), 2);
    assert!(panels[3].all("text").iter().any(|text| text.text.starts_with("No full space was explored")));
    let legend: Vec<&str> = of_class(&svg, "legend")[0].all("text").iter().map(|text| text.text.as_str()).collect();
    assert_eq!(legend, ["full, counted", "reduced"]);
    let (svg, page, _) =
        compare(folder.path(), &["machines/classic/phonebook.mch", "--deferred", "3", "--full-limit", "0", "--max-states", "3"]);
    let legend: Vec<&str> = of_class(&svg, "legend")[0].all("text").iter().map(|text| text.text.as_str()).collect();
    assert_eq!(legend, ["full, at least", "reduced, at least"]);
    assert!(page.all("span").iter().any(|span| span.text == "incomplete"));
}

#[test]
fn the_axis_names_the_sets_that_vary_and_a_line_joins_only_what_grows() {
    let folder = tempfile::tempdir().expect("a folder");
    let machine = "machines/classic/phonebook.mch";
    let (svg, _, _) = compare(folder.path(), &[machine, "--deferred", "Name=1..3", "--deferred", "Code=2"]);
    let labels: Vec<&str> = svg.all("text").iter().map(|text| text.text.as_str()).collect();
    assert!(labels.contains(&"elements of Name"), "{labels:?}");
    assert!(!of_class(&svg, "line").is_empty());
    let (svg, _, _) = compare(folder.path(), &[machine, "--deferred", "Name=1..2", "--deferred", "Code=1..2"]);
    let labels: Vec<&str> = svg.all("text").iter().map(|text| text.text.as_str()).collect();
    assert!(labels.contains(&"elements of Name / Code") && labels.contains(&"2/1"), "{labels:?}");
    assert!(of_class(&svg, "line").is_empty(), "from 1/2 to 2/1 nothing grows");
}

#[test]
fn pictures_of_another_kind_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plot.jpg").display().to_string();
    let run = bcheck(&["compare", "machines/classic/phonebook.mch", "--plot", &path]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.contains("must be .svg or .png"), "{run:?}");
    assert!(!Path::new(&path).exists());
    let nowhere = folder.path().join("none/plot.svg").display().to_string();
    assert_eq!(bcheck(&["compare", "machines/classic/phonebook.mch", "--plot", &nowhere]).code, Some(153));
}

/// Width and height of a PNG, which its first chunk has.
#[cfg(feature = "png")]
fn png_size(path: &Path) -> (u32, u32) {
    let bytes = std::fs::read(path).expect("a picture");
    assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n") && bytes[12..16] == *b"IHDR", "{}", path.display());
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    (number(16), number(20))
}

#[test]
#[cfg(feature = "png")]
fn pictures_are_drawn_as_pixels_without_the_fonts_of_the_system() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plot.PNG");
    let target = path.display().to_string();
    let run = bcheck(&["compare", "machines/classic/phonebook.mch", "--deferred", "1..3", "--plot", &target]);
    assert_eq!((run.code, png_size(&path)), (Some(0), (1840, 1288)), "{run:?}");
    let (svg, png) = (folder.path().join("g.svg"), folder.path().join("g.png"));
    for path in [&svg, &png] {
        let run = bcheck(&["machines/classic/phonebook.mch", "--deferred", "2", "--graph", &path.display().to_string()]);
        assert!(run.code == Some(0) && run.stderr.is_empty(), "{run:?}");
    }
    let drawn = parse(&std::fs::read_to_string(&svg).expect("a picture"));
    let side = |name: &str| drawn.attribute(name).parse::<u32>().expect("a number") * 2;
    assert_eq!(png_size(&png), (side("width"), side("height")));
}

#[test]
fn a_graph_is_drawn_with_every_state_and_every_step() {
    let folder = tempfile::tempdir().expect("a folder");
    let (svg, csv) = (folder.path().join("g.svg"), folder.path().join("g.csv"));
    for (machine, size, mode) in [
        ("machines/classic/phonebook.mch", "3", "exact"),
        ("machines/classic/scheduler.mch", "3", "exact"),
        ("machines/classic/phonebook.mch", "2", "off"),
        ("machines/violation/deadlock.mch", "2", "exact"),
    ] {
        let target = |path: &Path| path.display().to_string();
        for path in [&svg, &csv] {
            let run = bcheck(&[machine, "--deferred", size, "--symmetry", mode, "--continue", "--graph", &target(path)]);
            assert!(run.stderr.is_empty(), "{run:?}");
        }
        let picture = parse(&std::fs::read_to_string(&svg).expect("a picture"));
        let table = std::fs::read_to_string(&csv).expect("edges");
        let pairs: std::collections::BTreeSet<(&str, &str)> = table
            .lines()
            .skip(1)
            .map(|line| {
                let mut fields = line.split(',');
                (fields.next().unwrap_or(""), fields.next().unwrap_or(""))
            })
            .collect();
        let states = std::fs::read_to_string(folder.path().join("g.states.csv")).expect("states").lines().count() - 1;
        assert_eq!(of_class(&picture, "node").len(), states, "{machine}");
        assert_eq!(of_class(&picture, "arrow").len(), pairs.len(), "{machine}");
        let titled = |element: &&Element| element.all("title").len() == 1;
        assert!(of_class(&picture, "arrow").iter().all(titled) && of_class(&picture, "node").iter().all(titled));
        boxes_are_apart(&picture);
    }
}

/// No two boxes of a graph overlap.
fn boxes_are_apart(picture: &Element) {
    let number = |element: &Element, name: &str| element.attribute(name).parse::<f64>().expect("a number");
    let boxes: Vec<[f64; 4]> =
        of_class(picture, "box").iter().map(|one| ["x", "y", "width", "height"].map(|name| number(one, name))).collect();
    for (index, [x, y, width, height]) in boxes.iter().enumerate() {
        for [other_x, other_y, other_width, other_height] in &boxes[index + 1..] {
            let across = x < &(other_x + other_width) && other_x < &(x + width);
            let down = y < &(other_y + other_height) && other_y < &(y + height);
            assert!(!(across && down), "boxes overlap at {x} {y}");
        }
    }
}

#[test]
fn a_graph_that_is_no_picture_is_not_drawn_and_ways_to_make_it_smaller_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("g.svg").display().to_string();
    let machine = "machines/classic/phonebook.mch";
    let run = bcheck(&[machine, "--deferred", "5", "--symmetry", "off", "--graph", &path]);
    assert_eq!(run.code, Some(0), "the verdict stands: {run:?}");
    assert!(run.stdout.contains("verified") && run.stderr.contains("7776 states") && run.stderr.contains("--merge signature"), "{run:?}");
    let run = bcheck(&[machine, "--deferred", "5", "--symmetry", "off", "--merge", "signature", "--graph", &path]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let picture = parse(&std::fs::read_to_string(&path).expect("a picture"));
    assert_eq!(of_class(&picture, "node").len(), 3);
}

#[test]
fn without_graphviz_a_larger_graph_is_drawn_all_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("g.svg").display().to_string();
    let mut command = command(&["machines/classic/phonebook.mch", "--deferred", "3", "--symmetry", "off", "--graph", &path]);
    command.env("PATH", folder.path());
    let run = finish(command);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run:?}");
    let picture = parse(&std::fs::read_to_string(&path).expect("a picture"));
    assert_eq!(of_class(&picture, "node").len(), 64);
    boxes_are_apart(&picture);
}

#[test]
fn pictures_of_the_machine_itself_need_no_graphviz() {
    let folder = tempfile::tempdir().expect("a folder");
    for (of, boxes) in [("enabling", 4), ("variables", 5), ("machines", 1)] {
        let path = folder.path().join("g.svg").display().to_string();
        let mut command = command(&["graph", "machines/classic/phonebook.mch", "--of", of, "--output", &path]);
        command.env("PATH", folder.path());
        let run = finish(command);
        assert_eq!(run.code, Some(0), "{run:?}");
        let picture = parse(&std::fs::read_to_string(&path).expect("a picture"));
        assert_eq!(of_class(&picture, "node").len(), boxes, "{of}");
    }
}

#[test]
fn without_graphviz_a_graph_of_more_states_is_drawn_if_it_has_few_arrows() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("g.svg").display().to_string();
    let mut command = command(&["machines/temporal/lift.mch", "--no-temporal", "--graph", &path]);
    command.env("PATH", folder.path());
    let run = finish(command);
    assert_eq!(run.code, Some(0), "{run:?}");
    let picture = parse(&std::fs::read_to_string(&path).expect("a picture"));
    assert_eq!((of_class(&picture, "node").len(), of_class(&picture, "arrow").len()), (69, 153));
    boxes_are_apart(&picture);
}

#[cfg(unix)]
#[test]
fn a_graphviz_that_gives_up_early_says_why() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let dot = folder.path().join("dot");
    // It reads nothing, so that what is written to it meets a closed pipe.
    std::fs::write(&dot, "#!/bin/sh\nexec 0<&-\necho 'no plugins here' >&2\nexit 3\n").expect("written");
    std::fs::set_permissions(&dot, std::fs::Permissions::from_mode(0o755)).expect("a program");
    let graph = folder.path().join("g.svg").display().to_string();
    let mut command = command(&["machines/classic/phonebook.mch", "--deferred", "3", "--symmetry", "off", "--graph", &graph]);
    command.env("PATH", folder.path());
    let run = finish(command);
    assert!(run.code == Some(0) && run.stderr.contains("warning: Graphviz cannot draw the graph: no plugins here"), "{run:?}");
}

#[cfg(unix)]
#[test]
fn graphviz_does_not_outlive_a_check_that_is_ended() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let (dot, number) = (folder.path().join("dot"), folder.path().join("number"));
    std::fs::write(&dot, format!("#!/bin/sh\necho $$ > {}\nexec /bin/sleep 60\n", number.display())).expect("written");
    std::fs::set_permissions(&dot, std::fs::Permissions::from_mode(0o755)).expect("a program");
    let graph = folder.path().join("g.svg").display().to_string();
    let arguments = ["machines/classic/phonebook.mch", "--deferred", "3", "--symmetry", "off", "--time-limit", "2", "--graph", &graph];
    let mut command = command(&arguments);
    command.env("PATH", folder.path());
    let run = finish(command);
    assert!(run.code == Some(0) && run.stderr.contains("are not finished"), "{run:?}");
    let process = std::fs::read_to_string(&number).expect("it was begun");
    // Of a process that has ended there is no command line, also while nobody has asked how it ended.
    let is_there = || std::fs::read(format!("/proc/{}/cmdline", process.trim())).is_ok_and(|line| !line.is_empty());
    let started = std::time::Instant::now();
    while is_there() {
        assert!(started.elapsed().as_secs() < 5, "it is still there");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}
