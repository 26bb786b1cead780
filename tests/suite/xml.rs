//! A small reader of XML: elements, attributes, text, sections of plain text and the five entities; panics on what is not well-formed.
//! Marks that only lay out lines are read as the text that they are in.

/// An element.
#[derive(Debug, Default)]
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) attributes: Vec<(String, String)>,
    pub(crate) children: Vec<Element>,
    pub(crate) text: String,
}

impl Element {
    /// The value of an attribute that must be there.
    pub(crate) fn attribute(&self, name: &str) -> &str {
        let found = self.attributes.iter().find(|(known, _)| known == name);
        found.map_or_else(|| panic!("<{}> has no {name}: {:?}", self.name, self.attributes), |(_, value)| value)
    }

    /// All elements of a name, at any depth.
    pub(crate) fn all(&self, name: &str) -> Vec<&Element> {
        let mut found: Vec<&Element> = self.children.iter().filter(|child| child.name == name).collect();
        found.extend(self.children.iter().flat_map(|child| child.all(name)));
        found
    }
}

/// The root element of a document.
pub(crate) fn parse(text: &str) -> Element {
    assert!(!text.chars().any(|letter| letter.is_control() && letter != '\n' && letter != '\t'), "a character that XML cannot hold");
    let mut rest = text.trim_start();
    while let Some(after) = rest.strip_prefix("<?").or_else(|| rest.strip_prefix("<!")) {
        let end = after.find('>').expect("a declaration ends");
        rest = after[end + 1..].trim_start();
    }
    let (root, mut rest) = element(rest);
    while let Some(comment) = rest.trim_start().strip_prefix("<!--") {
        rest = comment.split_once("-->").expect("a comment ends").1;
    }
    assert_eq!(rest.trim(), "", "one root element");
    root
}

fn element(text: &str) -> (Element, &str) {
    let text = text.strip_prefix('<').unwrap_or_else(|| panic!("an element is expected: {:.60}", text));
    let end = text.find('>').expect("a tag ends");
    let (tag, is_empty) = text[..end].strip_suffix('/').map_or((&text[..end], false), |tag| (tag, true));
    let (name, mut attributes) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
    let mut element = Element { name: name.to_owned(), ..Element::default() };
    attributes = attributes.trim();
    while !attributes.is_empty() {
        let (name, after) = attributes.split_once("=\"").unwrap_or_else(|| panic!("an attribute is expected: {attributes:.60}"));
        let (value, after) = after.split_once('"').expect("a value ends");
        assert!(element.attributes.iter().all(|(known, _)| known != name), "{name} stands twice");
        element.attributes.push((name.to_owned(), plain(value)));
        attributes = after.trim_start();
    }
    let mut rest = &text[end + 1..];
    if is_empty {
        return (element, rest);
    }
    loop {
        let at = rest.find('<').unwrap_or_else(|| panic!("<{}> does not end", element.name));
        element.text.push_str(&plain(&rest[..at]));
        rest = &rest[at..];
        if let Some(section) = rest.strip_prefix("<![CDATA[") {
            let (text, after) = section.split_once("]]>").expect("a section ends");
            element.text.push_str(text);
            rest = after;
            continue;
        }
        if let Some(closing) = rest.strip_prefix("</") {
            let (name, after) = closing.split_once('>').expect("a tag ends");
            assert_eq!(name, element.name, "tags are nested");
            return (element, after);
        }
        let (child, after) = self::element(rest);
        // Where a line may end, and what keeps a sign together, are no part of a text.
        if child.name == "span" && child.attributes == [("class".to_owned(), "sign".to_owned())] {
            element.text.push_str(&child.text);
        } else if child.name != "wbr" {
            element.children.push(child);
        }
        rest = after;
    }
}

fn plain(text: &str) -> String {
    let mut parts = text.split('&');
    let mut plain = parts.next().unwrap_or("").to_owned();
    for part in parts {
        let (entity, rest) = part.split_once(';').unwrap_or_else(|| panic!("a bare & before {part:.20}"));
        plain.push(match entity {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "apos" => '\'',
            other => panic!("no such entity: {other}"),
        });
        plain.push_str(rest);
    }
    assert!(!text.contains('<'), "a bare < in {text:.60}");
    plain
}

#[test]
fn nested_elements_are_read() {
    let root = parse("<?xml version=\"1.0\"?>\n<a x=\"1 &lt; 2\"><b/>t &amp; u<b y=\"2\">in<![CDATA[ < & ]]></b></a>\n");
    assert_eq!((root.name.as_str(), root.attribute("x"), root.text.as_str()), ("a", "1 < 2", "t & u"));
    assert_eq!(root.all("b").len(), 2);
    assert_eq!(root.children[1].text, "in < & ");
}
