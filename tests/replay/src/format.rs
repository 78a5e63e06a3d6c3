//! The format of recording files: an object or list that fits on one line is written on one line. The order of fields
//! is kept.

use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;

const WIDTH: usize = 118;

/// Formats a JSON text.
///
/// # Errors
/// If the text is not valid JSON.
pub fn format(text: &str) -> Result<String, serde_json::Error> {
    let node: Node = serde_json::from_str(text)?;
    let mut out = String::new();
    node.write_file(&mut out);
    Ok(out)
}

/// A JSON value that keeps the order of its fields.
enum Node {
    Leaf(String),
    List(Vec<Node>),
    Object(Vec<(String, Node)>),
}

impl Node {
    /// Writes the outermost object: each field begins on a new line. A value that does not fit on this line begins on
    /// the next line.
    fn write_file(&self, out: &mut String) {
        let Self::Object(fields) = self else { return self.write(out, 0) };
        out.push_str("{\n");
        for (index, (name, node)) in fields.iter().enumerate() {
            out.push_str(if index == 0 { "  " } else { ",\n  " });
            out.push_str(&format!("{}: ", quoted(name)));
            match node {
                Self::List(items) if !node.fits(name.chars().count() + 7) => {
                    for (index, item) in items.iter().enumerate() {
                        out.push_str(if index == 0 { "[\n    " } else { ",\n    " });
                        item.write(out, 4);
                    }
                    out.push_str("\n  ]");
                }
                _ => node.write(out, name.chars().count() + 6),
            }
        }
        out.push_str("\n}\n");
    }

    /// Writes a value that begins in `column`. A value that does not fit on the line is broken between its fields or
    /// items, which are aligned with the first one. Several fields share a line if they fit on it.
    fn write(&self, out: &mut String, column: usize) {
        let (open, close, items): (_, _, Vec<(String, &Self)>) = match self {
            Self::Object(fields) if !self.fits(column) => {
                ('{', '}', fields.iter().map(|(name, node)| (format!("{}: ", quoted(name)), node)).collect())
            }
            Self::List(items) if !self.fits(column) => {
                ('[', ']', items.iter().map(|node| (String::new(), node)).collect())
            }
            _ => return out.push_str(&self.line()),
        };
        out.push(open);
        let mut at = column + 1;
        let mut is_whole = true;
        for (index, (name, node)) in items.iter().enumerate() {
            let name_length = name.chars().count();
            let length = name_length + node.line().chars().count();
            if index > 0 {
                let joins = is_whole && at + 2 + length < WIDTH && open == '{';
                out.push_str(if joins { ", " } else { ",\n" });
                at = if joins { at + 2 } else { column + 1 };
                if !joins {
                    out.push_str(&" ".repeat(at));
                }
            }
            is_whole = node.fits(at + name_length);
            out.push_str(name);
            node.write(out, at + name_length);
            at += length;
        }
        out.push(close);
    }

    fn fits(&self, column: usize) -> bool {
        column + self.line().chars().count() < WIDTH
    }

    fn line(&self) -> String {
        match self {
            Self::Leaf(text) => text.clone(),
            Self::List(items) => format!("[{}]", items.iter().map(Self::line).collect::<Vec<_>>().join(", ")),
            Self::Object(fields) => {
                let fields = fields.iter().map(|(name, node)| format!("{}: {}", quoted(name), node.line()));
                format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
            }
        }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Node;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("JSON")
            }
            fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
                Ok(Node::Leaf(value.to_string()))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
                Ok(Node::Leaf(value.to_string()))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
                Ok(Node::Leaf(value.to_string()))
            }
            fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
                Ok(Node::Leaf(serde_json::Value::from(value).to_string()))
            }
            fn visit_str<E>(self, value: &str) -> Result<Node, E> {
                Ok(Node::Leaf(quoted(value)))
            }
            fn visit_unit<E>(self) -> Result<Node, E> {
                Ok(Node::Leaf("null".to_owned()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Node, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = list.next_element()? {
                    items.push(item);
                }
                Ok(Node::List(items))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Node::Object(fields))
            }
        }
        deserializer.deserialize_any(Any)
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_kept_and_what_fits_stays_on_a_line() {
        let long = "x".repeat(100);
        let text =
            format!(r#"{{"b":1,"a":{{"c":[1,2.5,null]}},"d":[{{"e":1,"f":2,"g":"{long}","h":{{}}}},"y"]}}"#);
        let d = format!(
            "[\n    {{\"e\": 1, \"f\": 2,\n     \"g\": \"{long}\",\n     \"h\": {{}}}},\n    \"y\"\n  ]"
        );
        let expected = format!("{{\n  \"b\": 1,\n  \"a\": {{\"c\": [1, 2.5, null]}},\n  \"d\": {d}\n}}\n");
        assert_eq!(format(&text).unwrap(), expected);
        assert_eq!(format(&expected).unwrap(), expected);
    }
}
