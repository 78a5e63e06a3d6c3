//! `recto_options.hpp`: a type for the options of each operation, off the table.

use recto::OperationKind;
use recto::interface::{Field, FieldKind, Need};
use std::collections::BTreeMap;
use std::fmt::Write;

const TOP: &str = include_str!("options_top.hpp");

/// What a closed set is called; the table knows its values only.
const SETS: &[(&str, &[&str])] = &[
    ("profile", &["web", "archive", "print", "minimalFileSize"]),
    ("page_size", &["a4", "letter"]),
    ("unit", &["cm", "in"]),
    ("strategy", &["Auto", "ShrinkToPage", "ShrinkToPortrait"]),
    ("color_space", &["rgb", "gray", "cmyk"]),
    ("png_color_space", &["rgb", "gray"]),
    ("conformance", &["pdf_a2_b", "pdf_a3_b"]),
    ("font_family", &["sans", "serif"]),
];

/// What an object among the options is called: its own name, and those of its fields, which two of one name differ in.
const OBJECTS: &[(&str, &str, &[&str])] = &[
    ("page_margin", "pageMargin", &["margin", "unit"]),
    ("pixel_size", "maxSizeInPixels", &["width", "height"]),
    ("margin", "margin", &["top", "right", "left", "bottom", "unit"]),
    ("code_margin", "margin", &["left", "bottom", "unit"]),
    ("text_style", "textStyle", &["textColor", "fontFamily", "isBold", "isItalic", "fontSize"]),
    ("stamp_size", "stampSize", &["width", "height", "unit"]),
    ("square_size", "stampSize", &["side", "unit"]),
];

pub fn options() -> String {
    let mut text = TOP.to_owned();
    for (name, values) in SETS {
        assert!(fields().any(|field| field.kind == FieldKind::Choice(values)), "no option takes a {name}");
        set(&mut text, name, values);
    }
    let mut objects = BTreeMap::new();
    for kind in OperationKind::ALL {
        for (parent, members) in objects_of(kind.fields()) {
            objects.insert(name_of_object(parent, &members), members);
        }
    }
    for (name, members) in &objects {
        structure(
            &mut text,
            &format!("`{}` among the options.", parent_of(members[0].path)),
            name,
            None,
            members,
            |path| path.split_once('.').map_or(path, |(_, name)| name),
        );
    }
    for kind in OperationKind::ALL {
        let name = format!("{}_options", kind.name().replace('-', "_"));
        structure(
            &mut text,
            kind.about(),
            &name,
            Some(kind.name()),
            &kind.fields().iter().collect::<Vec<_>>(),
            |path| path,
        );
    }
    text.push_str("} // namespace recto\n\n#endif\n");
    text
}

fn fields() -> impl Iterator<Item = &'static Field> {
    OperationKind::ALL.iter().flat_map(|kind| kind.fields())
}

/// The objects among the options, in their order, each with its fields.
fn objects_of(fields: &'static [Field]) -> Vec<(&'static str, Vec<&'static Field>)> {
    let mut objects: Vec<(&str, Vec<&Field>)> = Vec::new();
    for field in fields.iter().filter(|field| field.path.contains('.')) {
        let parent = parent_of(field.path);
        match objects.iter_mut().find(|(name, _)| *name == parent) {
            Some((_, members)) => members.push(field),
            None => objects.push((parent, vec![field])),
        }
    }
    objects
}

fn parent_of(path: &str) -> &str {
    path.split_once('.').map_or("", |(parent, _)| parent)
}

fn name_of_object(parent: &str, members: &[&Field]) -> &'static str {
    let names: Vec<_> = members.iter().map(|field| field.path.split_once('.').unwrap().1).collect();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    let known = OBJECTS.iter().find(|(_, of, fields)| {
        let mut fields = fields.to_vec();
        fields.sort_unstable();
        *of == parent && fields == sorted
    });
    known.unwrap_or_else(|| panic!("what is {parent} with {names:?} called in C++?")).0
}

fn set(text: &mut String, name: &str, values: &[&str]) {
    let spelled: Vec<_> = values.iter().map(|value| format!("\"{value}\"")).collect();
    let names: Vec<_> = values.iter().map(|value| snake(value)).collect();
    writeln!(text, "/** One of {}. */\nenum class {name} {{ {} }};\n", spelled.join(", "), names.join(", "))
        .unwrap();
    writeln!(
        text,
        "/** The value as the interface spells it. */\ninline const char *to_string({name} value) {{"
    )
    .unwrap();
    text.push_str("    switch (value) {\n");
    for (value, name_of) in values.iter().zip(&names) {
        writeln!(text, "    case {name}::{name_of}:\n        return \"{value}\";").unwrap();
    }
    text.push_str("    }\n    return \"\";\n}\n\n");
}

fn structure(
    text: &mut String,
    about: &str,
    name: &str,
    operation: Option<&str>,
    fields: &[&'static Field],
    shown: impl Fn(&'static str) -> &'static str,
) {
    writeln!(text, "/** {about} */\nstruct {name} {{").unwrap();
    if let Some(operation) = operation {
        writeln!(text, "    /** The operation that takes them. */").unwrap();
        writeln!(text, "    static constexpr const char *operation = \"{operation}\";\n").unwrap();
    }
    let mut written = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for field in fields {
        let path = shown(field.path);
        let (member, kind, about) = match path.split_once('.') {
            Some((parent, _)) if seen.contains(&parent) => continue,
            Some((parent, _)) => {
                seen.push(parent);
                let siblings: Vec<_> =
                    fields.iter().copied().filter(|other| parent_of(shown(other.path)) == parent).collect();
                assert!(siblings.iter().all(|field| field.need != Need::Required), "{parent}");
                let object = name_of_object(parent, &siblings);
                (parent, format!("std::optional<recto::{object}>"), "may be left out".to_owned())
            }
            None => (path, type_of(field), about_of(field)),
        };
        writeln!(text, "    /** {about} */\n    {kind} {}{};\n", snake(member), initial(&kind)).unwrap();
        written.push(member);
    }
    text.push_str("    /** The same as JSON. */\n    std::string to_json() const {\n        detail::json_object json;\n");
    for member in written {
        writeln!(text, "        json.add(\"{member}\", {});", snake(member)).unwrap();
    }
    text.push_str("        return json.text();\n    }\n};\n\n");
}

/// A member that must be given is never left to chance.
fn initial(kind: &str) -> &'static str {
    if kind.starts_with("std::") && !kind.starts_with("std::uint") { "" } else { "{}" }
}

fn type_of(field: &Field) -> String {
    let plain = match field.kind {
        FieldKind::Text | FieldKind::Secret => "std::string".to_owned(),
        FieldKind::Bool => "bool".to_owned(),
        FieldKind::Integer { max, .. } if max <= i32::MAX as u32 => "int".to_owned(),
        FieldKind::Integer { .. } => "std::uint32_t".to_owned(),
        FieldKind::Number => "double".to_owned(),
        FieldKind::Choice(values) => {
            let known = SETS.iter().find(|(_, set)| *set == values);
            format!(
                "recto::{}",
                known.unwrap_or_else(|| panic!("what is the set {values:?} called in C++?")).0
            )
        }
    };
    if field.need == Need::Optional { format!("std::optional<{plain}>") } else { plain }
}

fn about_of(field: &Field) -> String {
    // Doxygen would take a # for a link.
    let mut about = field.about.replace('#', "\\#");
    about[..1].make_ascii_uppercase();
    match (field.need, field.default) {
        (Need::Optional, Some(default)) => format!("{about}; the service's default is {default}."),
        (Need::Optional, None) => format!("{about}; may be left out."),
        _ => format!("{about}."),
    }
}

/// `minimalFileSize` as `minimal_file_size`; what C++ has taken gets an underscore.
fn snake(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.push(letter.to_ascii_lowercase());
    }
    if text == "auto" { "auto_".to_owned() } else { text }
}
