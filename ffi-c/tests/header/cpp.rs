//! Generates `recto_options.hpp`, a type for the options of each operation, from the table of operations.

use recto::OperationKind;
use recto::interface::{ClosedSet, Field, FieldKind, Need, Object};
use std::collections::BTreeMap;
use std::fmt::Write;

const TOP: &str = include_str!("options_top.hpp");

pub fn options() -> String {
    let mut text = TOP.to_owned();
    let mut written: Vec<&str> = Vec::new();
    for field in OperationKind::ALL.iter().flat_map(|kind| kind.fields()) {
        if let FieldKind::Choice(set) = field.kind
            && !written.contains(&set.name)
        {
            written.push(set.name);
            enumeration(&mut text, set);
        }
    }
    let mut objects = BTreeMap::new();
    for kind in OperationKind::ALL {
        for object in kind.objects() {
            let of_object = |field: &&Field| parent_of(field.path) == object.option;
            let members: Vec<_> = kind.fields().iter().filter(of_object).collect();
            objects.insert(snake(object.name), (object.about, members));
        }
    }
    for (name, (about, members)) in &objects {
        let last_part = |path: &'static str| path.split_once('.').map_or(path, |(_, name)| name);
        structure(&mut text, about, name, None, members, &[], last_part);
    }
    for kind in OperationKind::ALL {
        let name = format!("{}_options", kind.name().replace('-', "_"));
        let fields: Vec<_> = kind.fields().iter().collect();
        structure(&mut text, kind.about(), &name, Some(kind.name()), &fields, kind.objects(), |path| path);
    }
    text.push_str("} // namespace recto\n\n#endif\n");
    crate::wrap::comments(&text)
}

fn parent_of(path: &str) -> &str {
    path.split_once('.').map_or("", |(parent, _)| parent)
}

fn enumeration(text: &mut String, set: &ClosedSet) {
    let name = snake(set.name);
    writeln!(text, "/** {} */\nenum class {name} {{", set.about).unwrap();
    for (value, about) in set.texts.iter().zip(set.abouts) {
        writeln!(text, "    /** `{value}`: {about} */\n    {},", snake(value)).unwrap();
    }
    writeln!(
        text,
        "}};\n\n/** The value as the interface spells it. */\ninline const char *to_string({name} value) {{"
    )
    .unwrap();
    text.push_str("    switch (value) {\n");
    for value in set.texts {
        writeln!(text, "    case {name}::{}:\n        return \"{value}\";", snake(value)).unwrap();
    }
    text.push_str("    }\n    return \"\";\n}\n\n");
}

fn structure(
    text: &mut String,
    about: &str,
    name: &str,
    operation: Option<&str>,
    fields: &[&'static Field],
    objects: &[Object],
    shown: impl Fn(&'static str) -> &'static str,
) {
    writeln!(text, "/** {about} */\nstruct {name} {{").unwrap();
    if let Some(operation) = operation {
        writeln!(text, "    /** The operation that takes these options. */").unwrap();
        writeln!(text, "    static constexpr const char *operation = \"{operation}\";\n").unwrap();
    }
    let mut written = Vec::new();
    let mut parents: Vec<&str> = Vec::new();
    for field in fields {
        let path = shown(field.path);
        let (member, kind, about) = match path.split_once('.') {
            Some((parent, _)) if parents.contains(&parent) => continue,
            Some((parent, _)) => {
                parents.push(parent);
                let siblings: Vec<_> =
                    fields.iter().copied().filter(|other| parent_of(shown(other.path)) == parent).collect();
                assert!(siblings.iter().all(|field| field.need != Need::Required), "{parent}");
                let object = objects.iter().find(|object| object.option == parent).unwrap();
                let about = format!("{} May be left out.", object.about);
                (parent, format!("std::optional<recto::{}>", snake(object.name)), about)
            }
            None => (path, type_of(field), about_of(field)),
        };
        writeln!(text, "    /** {about} */\n    {kind} {}{};\n", snake(member), initial(&kind)).unwrap();
        written.push(member);
    }
    text.push_str("    /** The options as JSON. */\n    std::string to_json() const {\n        detail::json_object json;\n");
    for member in written {
        writeln!(text, "        json.add(\"{member}\", {});", snake(member)).unwrap();
    }
    text.push_str("        return json.text();\n    }\n};\n\n");
}

/// The initialiser of a member: types without a default constructor of their own get `{}`, so that no member is
/// uninitialised.
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
        FieldKind::Choice(set) => format!("recto::{}", snake(set.name)),
    };
    if field.need == Need::Optional { format!("std::optional<{plain}>") } else { plain }
}

fn about_of(field: &Field) -> String {
    // Doxygen reads # as a link.
    let mut about = field.about.replace('#', "\\#");
    about[..1].make_ascii_uppercase();
    match (field.need, field.default) {
        (Need::Optional, Some(default)) => format!("{about}; the service's default is {default}."),
        (Need::Optional, None) => format!("{about}; may be left out."),
        _ => format!("{about}."),
    }
}

/// Converts `minimalFileSize` to `minimal_file_size`. A keyword of C++ gets an underscore.
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
