//! Pictures of states: cells are what the definitions say, whatever is drawn is well-formed, faults in definitions stop nothing.

use crate::program::{Run, bcheck, command, ended, start};
use crate::xml::{Element, parse};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

/// An animation of a machine by a script.
fn animate(machine: &str, script: &str) -> Run {
    let mut command = command(&["animate", machine]);
    command.stdin(Stdio::piped());
    let mut child = start(command);
    child.stdin.take().expect("piped").write_all(script.as_bytes()).expect("written");
    ended(child)
}

/// The elements that have a class.
fn of_class<'a>(element: &'a Element, class: &str) -> Vec<&'a Element> {
    let is_of = element.attributes.iter().any(|(name, value)| name == "class" && value.split(' ').any(|one| one == class));
    let inside = element.children.iter().flat_map(|child| of_class(child, class));
    is_of.then_some(element).into_iter().chain(inside).collect()
}

/// The titles of the cells of a picture.
fn cells(picture: &Element) -> BTreeSet<String> {
    of_class(picture, "cell").iter().map(|cell| cell.all("title")[0].text.clone()).collect()
}

fn read(path: &Path) -> Element {
    parse(&std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

/// The frames of a strip.
fn frames(path: &Path) -> Vec<BTreeSet<String>> {
    let strip = read(path);
    assert_eq!(strip.name, "svg");
    of_class(&strip, "frame").into_iter().map(cells).collect()
}

fn set(titles: &[&str]) -> BTreeSet<String> {
    titles.iter().map(|title| (*title).to_owned()).collect()
}

#[test]
fn each_state_of_a_counterexample_is_drawn_as_its_definitions_say() {
    let folder = tempfile::tempdir().expect("a folder");
    let strip = folder.path().join("frogs.svg");
    let run = bcheck(&["machines/pictures/frogs.mch", "--no-deadlock", "--picture", &strip.display().to_string()]);
    assert_eq!(run.code, Some(20), "{run:?}");
    assert!(run.stderr.contains("3 of 3 images do not exist: images/green.png"), "{run:?}");
    let frames = frames(&strip);
    assert_eq!(frames.len(), 9, "the shortest solution has eight steps");
    let row = |names: [(&str, u8); 5]| {
        let stones = names.iter().zip(1..).map(|((name, number), column)| format!("row 1, column {column}: image {number}, {name}"));
        stones.chain(["row 2, column 3: middle".to_owned()]).collect::<BTreeSet<String>>()
    };
    let (green, stone, brown) = (("green", 1), ("stone", 2), ("brown", 3));
    assert_eq!(frames[0], row([green, green, stone, brown, brown]), "the default shows where nobody is");
    assert_eq!(frames[8], row([brown, brown, stone, green, green]));
}

#[test]
fn every_cell_of_the_value_is_in_the_picture() {
    let folder = tempfile::tempdir().expect("a folder");
    let strip = folder.path().join("run.svg");
    for seed in 1..=12 {
        let script = format!("random 5 {seed}\neval ANIMATION_FUNCTION_DEFAULT <+ ANIMATION_FUNCTION\nsave {}\nquit\n", strip.display());
        let run = animate("machines/pictures/shelves.mch", &script);
        let value = run.stdout.lines().rfind(|line| line.starts_with('{')).unwrap_or_else(|| panic!("no value: {run:?}"));
        let inside = value.trim_start_matches('{').trim_end_matches('}');
        let mut expected = set(&["row 0, column 1: left", "row 0, column 2: right"]);
        for triple in inside.split(',') {
            let parts: Vec<&str> = triple.split("|->").collect();
            let row = if parts[0] == "top" { 1 } else { 2 };
            let column = if parts[1] == "left" { 1 } else { 2 };
            let text = ["-", "one box", "two"][parts[2].parse::<usize>().expect("a number")];
            expected.insert(format!("row {row}, column {column}: {text}"));
        }
        assert_eq!(expected.len(), 6, "{value}");
        let frames = frames(&strip);
        assert_eq!(frames.last(), Some(&expected), "seed {seed}: {value}");
    }
}

#[test]
fn an_animation_draws_the_state_as_text_in_columns() {
    let script = "put(top, left)\nput(bottom, right)\nput_more(bottom, right)\npicture\nquit\n";
    let run = animate("machines/pictures/shelves.mch", script);
    let drawn: Vec<&str> = run.stdout.split("> picture\n").nth(1).expect("an answer").lines().take(3).collect();
    assert_eq!(drawn, ["  left    right", "  one box -", "  -         two"], "{run:?}");
    let run = animate("machines/pictures/frogs.mch", "picture\nquit\n");
    let drawn: Vec<&str> = run.stdout.split("> picture\n").nth(1).expect("an answer").lines().collect();
    let grid: Vec<&&str> = drawn.iter().filter(|line| line.starts_with("  ")).collect();
    assert!(grid.iter().any(|line| line.split_whitespace().eq(["green", "green", "stone", "brown", "brown"])), "{run:?}");
}

#[test]
fn faults_in_definitions_are_said_at_the_definition_and_stop_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let strip = folder.path().join("faults.svg");
    let target = strip.display().to_string();
    let run = bcheck(&["machines/pictures/faults.mch", "--picture", &target]);
    assert_eq!(run.code, Some(20), "{run:?}");
    for (line, part) in [
        (10, "ANIMATION_FUNCTION3 is left out of pictures: "),
        (11, "ANIMATION_FUNCTION4 is left out of pictures: it is a predicate"),
        (12, "ANIMATION_FUNCTION5 is left out of pictures: its type is INTEGER"),
        (13, "ANIMATION_IMG9 is left out of pictures: it is no string"),
        (14, "ANIMATION_STR_JUSTIFY_LEFT is left out of pictures: it is neither TRUE nor FALSE"),
    ] {
        assert!(run.stderr.contains(part) && run.stderr.contains(&format!("faults.mch:{line}:3")), "{part}: {run:?}");
    }
    assert!(run.stderr.contains("ANIMATION_FUNCTION2 is left out of the picture: row 1, column 0 has several values"), "{run:?}");
    assert_eq!(run.stderr.matches("ANIMATION_FUNCTION1 is left out of the picture").count(), 1, "once, not for each state: {run:?}");
    let frames = frames(&strip);
    assert_eq!(frames.len(), 3);
    assert_eq!(frames[0], set(&["row 1, column 0: 7", "row 1, column 1: 0", "row 1, column 2: 0"]));
    assert_eq!(frames[2], set(&["row 1, column 0: 7", "row 1, column 1: second", "row 1, column 2: 2"]));
    // Without a picture nothing is said about them: they are not even typed.
    let run = bcheck(&["machines/pictures/faults.mch"]);
    assert!(run.stderr.is_empty(), "{run:?}");
}

#[test]
fn a_page_has_the_picture_beside_each_step_and_images_as_data() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("images")).expect("a folder");
    // The smallest GIF: its content is not drawn here, only carried.
    std::fs::write(folder.path().join("images/green.png"), b"GIF89a\x01\0\x01\0\0\0\0;").expect("an image");
    let machine = folder.path().join("frogs.mch");
    std::fs::copy(crate::program::root().join("machines/pictures/frogs.mch"), &machine).expect("a copy");
    let (page, album) = (folder.path().join("page.html"), folder.path().join("album.html"));
    let (machine, page_name, album_name) = (machine.display().to_string(), page.display().to_string(), album.display().to_string());
    let run = bcheck(&[&machine, "--no-deadlock", "--html", &page_name, "--picture", &album_name]);
    assert_eq!(run.code, Some(20), "{run:?}");
    assert!(run.stderr.contains("2 of 3 images do not exist"), "{run:?}");
    for path in [&page, &album] {
        let text = std::fs::read_to_string(path).expect("a page");
        assert!(text.contains("img-src data:;") && !text.contains("http://www.w3.org/1999"), "{}", path.display());
        let page = parse(&text);
        let steps = page.all("article");
        assert_eq!(steps.len(), 9);
        assert!(steps.iter().all(|step| of_class(step, "state-picture").len() == 1 && cells(step).len() == 6));
        let images = page.all("image");
        assert_eq!(images.len(), 1, "each image is there once");
        assert!(images[0].attribute("href").starts_with("data:image/gif;base64,R0lGODlhAQAB"), "by its content, not its ending");
        let uses: Vec<&str> = steps[0].all("use").iter().map(|used| used.attribute("href")).collect();
        assert_eq!(uses, ["#image1", "#image1"]);
    }
}

#[test]
#[cfg(feature = "png")]
fn a_run_is_drawn_as_pixels() {
    let folder = tempfile::tempdir().expect("a folder");
    let (svg, png) = (folder.path().join("s.svg"), folder.path().join("s.png"));
    for path in [&svg, &png] {
        let run = bcheck(&["machines/pictures/shelves.mch", "--picture", &path.display().to_string()]);
        assert_eq!(run.code, Some(20), "{run:?}");
    }
    let bytes = std::fs::read(&png).expect("a picture");
    assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n"));
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    let side = |name: &str| read(&svg).attribute(name).parse::<u32>().expect("a number") * 2;
    assert_eq!((number(16), number(20)), (side("width"), side("height")));
}

#[test]
#[cfg(not(feature = "png"))]
fn without_pixels_pictures_are_written_as_svg_and_a_warning_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let (svg, png) = (folder.path().join("p.svg"), folder.path().join("p.PNG"));
    let run = |arguments: &[&str], code: i32| {
        let arguments: Vec<&str> = arguments.iter().copied().chain([png.to_str().expect("a path")]).collect();
        let run = bcheck(&arguments);
        assert_eq!(run.code, Some(code), "{run:?}");
        assert!(run.stderr.contains("built without PNG") && run.stderr.contains("--features png"), "{run:?}");
        assert!(!png.exists() && read(&svg).name == "svg");
        std::fs::remove_file(&svg).expect("a picture");
    };
    run(&["machines/pictures/shelves.mch", "--picture"], 20);
    run(&["machines/classic/phonebook.mch", "--deferred", "2", "--graph"], 0);
    run(&["compare", "machines/classic/phonebook.mch", "--deferred", "1..2", "--plot"], 0);
    run(&["graph", "--of", "variables", "machines/classic/phonebook.mch", "--output"], 0);
}

#[test]
fn pictures_of_another_kind_are_refused_and_without_a_counterexample_there_is_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let wrong = folder.path().join("p.gif").display().to_string();
    let run = bcheck(&["machines/pictures/frogs.mch", "--no-deadlock", "--picture", &wrong]);
    assert!(run.code == Some(2) && run.stderr.contains("the ending must be .svg, .png or .html"), "{run:?}");
    let path = folder.path().join("p.svg");
    let run = bcheck(&["machines/tour/tour1_guests.mch", "--picture", &path.display().to_string()]);
    assert!(run.code == Some(0) && run.stderr.contains("there is none") && !path.exists(), "{run:?}");
}

#[test]
fn texts_of_a_machine_stay_texts() {
    let folder = tempfile::tempdir().expect("a folder");
    let (machine, strip) = (folder.path().join("m.mch"), folder.path().join("s.svg"));
    let text = "MACHINE m DEFINITIONS GOAL == 1 = 1; ANIMATION_FUNCTION == {(1, 1, \"<script>alert(1)</script>\"), (1, 2, \"\\\" onload=\\\"x\")} END";
    std::fs::write(&machine, text).expect("written");
    let run = bcheck(&[&machine.display().to_string(), "--picture", &strip.display().to_string()]);
    assert_eq!(run.code, Some(20), "{run:?}");
    let drawn = read(&strip);
    assert!(drawn.all("script").is_empty(), "{run:?}");
    assert_eq!(cells(&drawn), set(&["row 1, column 1: <script>alert(1)</script>", "row 1, column 2: \" onload=\"x"]));
}

#[test]
fn graphs_have_the_nodes_and_edges_of_their_definitions() {
    let folder = tempfile::tempdir().expect("a folder");
    let strip = folder.path().join("graph.svg");
    let of_frame = |frame: &Element, class: &str| -> Vec<String> {
        of_class(frame, class).iter().map(|one| one.all("title")[0].text.clone()).collect()
    };
    let run = bcheck(&["machines/pictures/courier.mch", "--picture", &strip.display().to_string()]);
    assert_eq!(run.code, Some(20), "{run:?}");
    let drawn = read(&strip);
    let frames = of_class(&drawn, "frame");
    assert_eq!(frames.len(), 4, "the set-up of constants has no picture");
    let nodes = |frame| of_frame(frame, "node").into_iter().collect::<BTreeSet<String>>();
    assert_eq!(nodes(frames[0]), set(&["depot\n(green)", "square\n(gray)", "bridge\n(gray)", "harbour\n(gray)"]));
    assert_eq!(nodes(frames[3]), set(&["depot\n(green)", "square\n(green)", "bridge\n(green)", "harbour\n(green)"]));
    let mut arrows = of_frame(frames[2], "arrow");
    arrows.sort();
    assert_eq!(arrows, ["1", "1, taken", "2", "2, taken", "4"]);
    let run = bcheck(&["machines/pictures/automaton.mch", "--picture", &strip.display().to_string()]);
    assert_eq!(run.code, Some(20), "{run:?}");
    let drawn = read(&strip);
    let last = of_class(&drawn, "frame")[2];
    assert_eq!(nodes(last), set(&["closed\n(FALSE)", "open\n(FALSE)", "locked\n(TRUE)"]));
    let mut arrows = of_frame(last, "arrow");
    arrows.sort();
    assert_eq!(arrows, ["push", "push", "turn", "turn back"]);
    let answer = animate("machines/pictures/automaton.mch", "picture\nquit\n").stdout;
    assert!(answer.contains("  closed -[push]-> open\n") && answer.contains("  open color = TRUE\n"), "{answer}");
}

#[test]
fn a_state_without_definitions_is_drawn_by_its_values_unless_that_is_declined() {
    let folder = tempfile::tempdir().expect("a folder");
    let strip = folder.path().join("wards.svg");
    let target = strip.display().to_string();
    let machine = "machines/pictures/wards.mch";
    let run = bcheck(&[machine, "--deferred", "3", "--no-deadlock", "--picture", &target]);
    assert_eq!(run.code, Some(20), "{run:?}");
    let drawn = read(&strip);
    let frames = of_class(&drawn, "frame");
    let last = *frames.last().expect("a frame");
    let captions: Vec<&str> = of_class(last, "caption").iter().skip(1).map(|caption| caption.text.as_str()).collect();
    assert_eq!(captions, ["present", "on", "queue"]);
    // Three nurses are present; of the function both sides are chips.
    let inside = |frame: &Element, class: &str| of_class(frame, class).len();
    assert_eq!((inside(last, "link"), inside(last, "chip"), inside(last, "out")), (2, 3 + 5 + 1, 1));
    assert_eq!((inside(frames[0], "in"), inside(frames[0], "out")), (0, 3 + 5));
    assert!(last.all("text").iter().any(|text| text.text.trim() == "shift = 0"));
    std::fs::remove_file(&strip).expect("removed");
    let page = folder.path().join("page.html");
    let page_name = page.display().to_string();
    for (which, expected) in [("all", true), ("defined", false), ("none", false)] {
        let run = bcheck(&[machine, "--deferred", "3", "--no-deadlock", "--html", &page_name, "--pictures", which]);
        assert_eq!(run.code, Some(20), "{run:?}");
        assert_eq!(!of_class(&read(&page), "state-picture").is_empty(), expected, "{which}");
    }
    let run = bcheck(&[machine, "--deferred", "3", "--no-deadlock", "--picture", &target, "--pictures", "defined"]);
    assert!(run.code == Some(20) && run.stderr.contains("draw no state") && !strip.exists(), "{run:?}");
    assert_eq!(bcheck(&[machine, "--picture", &target, "--pictures", "none"]).code, Some(2));
}

#[test]
fn objects_of_visb_have_the_attributes_of_the_state() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("page.html");
    let run = bcheck(&["machines/pictures/crossing.mch", "--html", &page.display().to_string()]);
    assert!(run.code == Some(20) && run.stderr.is_empty(), "{run:?}");
    let drawn = read(&page);
    let steps = drawn.all("article");
    assert_eq!(steps.len(), 4);
    let of_id = |step: usize, name: &str| -> Vec<(String, String)> {
        fn find<'a>(element: &'a Element, id: &str) -> Option<&'a Element> {
            let is_it = element.attributes.iter().any(|(name, value)| name == "id" && value == id);
            is_it.then_some(element).or_else(|| element.children.iter().find_map(|child| find(child, id)))
        }
        let found = find(steps[step], &format!("step{step}-{name}")).unwrap_or_else(|| panic!("no {name} in step {step}"));
        found.attributes.iter().cloned().chain([("text".to_owned(), found.text.trim().to_owned())]).collect()
    };
    let has = |step: usize, name: &str, attribute: &str, value: &str| {
        let attributes = of_id(step, name);
        assert!(attributes.contains(&(attribute.to_owned(), value.to_owned())), "{step} {name}: {attributes:?}");
    };
    has(0, "barrier", "transform", "rotate(-60 60 56)");
    has(3, "barrier", "transform", "rotate(0 60 56)");
    has(0, "lightgreen", "fill", "lime");
    has(0, "lightred", "fill", "white");
    has(3, "lightred", "fill", "red");
    has(2, "says", "text", "no train");
    has(3, "says", "text", "a train");
    has(2, "train", "visibility", "hidden");
    has(3, "train", "visibility", "visible");
    has(1, "track", "fill", "#4b3b2b");
}

#[test]
fn nothing_of_an_svg_file_runs_or_loads() {
    let folder = tempfile::tempdir().expect("a folder");
    let (machine, picture, page) = (folder.path().join("m.mch"), folder.path().join("p.svg"), folder.path().join("r.html"));
    let text = "MACHINE m DEFINITIONS GOAL == x = 0; VISB_SVG_FILE == \"p.svg\"; VISB_SVG_UPDATES == rec(`id`: \"a\", onclick: \"alert(1)\", fill: \"url(http://x/y)\")\n\
                VARIABLES x INVARIANT x : 0..1 INITIALISATION x := 0 END";
    std::fs::write(&machine, text).expect("written");
    let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"alert(1)\"><script>alert(1)</script><style>body { display: none }</style>\
               <rect id=\"a\" width=\"5\" height=\"5\"/><a href=\"javascript:alert(1)\"><text>x</text></a><image href=\"http://x/y.png\"/></svg>";
    std::fs::write(&picture, svg).expect("written");
    let run = bcheck(&[&machine.display().to_string(), "--html", &page.display().to_string()]);
    assert_eq!(run.code, Some(20), "{run:?}");
    let drawn = read(&page);
    let step = drawn.all("article")[0];
    let inside = of_class(step, "visb")[0];
    let names: Vec<&str> = inside.children.iter().map(|child| child.name.as_str()).collect();
    assert_eq!(names, ["rect"], "{inside:?}");
    let attributes: Vec<&str> = inside.children[0].attributes.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(attributes, ["id", "width", "height"]);
    let said: String = step.all("p").iter().map(|paragraph| paragraph.text.as_str()).collect();
    for part in ["attribute onclick", "attribute onload", "element a", "element image", "element script", "element style", "value of fill"]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
    // A picture that stands by itself has no policy that forbids a browser to load anything: its values must not be able to.
    let drawn = folder.path().join("drawn.svg");
    for value in ["image-set('http://x/y' 1x)", "u\\\\72l(http://x/y)", "URL(http://x/y)", "rgb(image('http://x/y'))"] {
        let hostile = text.replace("url(http://x/y)", value);
        std::fs::write(&machine, &hostile).expect("written");
        std::fs::write(
            &picture,
            svg.replace("height=\"5\"", "height=\"5\" style=\"mask: image-set('http://x/z' 1x)\" filter=\"url(http://x/f)\""),
        )
        .expect("written");
        let run = bcheck(&[&machine.display().to_string(), "--picture", &drawn.display().to_string()]);
        assert_eq!(run.code, Some(20), "{run:?}");
        let written = std::fs::read_to_string(&drawn).expect("a picture");
        let loads: Vec<&str> = ["http://x", "image", "script", "72l"].into_iter().filter(|part| written.contains(part)).collect();
        assert!(loads.is_empty(), "{value}: {loads:?} in {written}");
        assert!(run.stderr.contains("value of fill") && run.stderr.contains("value of mask"), "{value}: {run:?}");
    }
    // Elements that use each other would keep a browser busy for ever.
    let doubling: String = (1..40).map(|at| format!("<g id=\"d{at}\"><use href=\"#d{0}\"/><use href=\"#d{0}\"/></g>", at - 1)).collect();
    std::fs::write(&picture, format!("<svg xmlns=\"http://www.w3.org/2000/svg\"><g id=\"d0\"/>{doubling}</svg>")).expect("written");
    let run = bcheck(&[&machine.display().to_string(), "--html", &page.display().to_string()]);
    assert!(run.code == Some(20) && run.stderr.contains("draws more than 5000 elements"), "{run:?}");
    // A file elsewhere is not read.
    std::fs::write(&machine, text.replace("p.svg", "/etc/passwd")).expect("written");
    let run = bcheck(&[&machine.display().to_string(), "--html", &page.display().to_string()]);
    assert!(run.code == Some(20) && run.stderr.contains("not below the folder of the machine"), "{run:?}");
}
