//! Changes names and sentences of the table into Python's form, and chooses the Python type for a row of the table.

use recto_interface::{ClosedSet, Field, FieldKind, Need, Object, OperationKind};

/// Changes `pageMargin` into `page_margin`, and `ShrinkToPage` into `shrink_to_page`.
pub fn snake(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.push(letter.to_ascii_lowercase());
    }
    text
}

/// The name of the method for an operation: `stamp_qr`.
pub fn method(kind: OperationKind) -> String {
    kind.name().replace('-', "_")
}

/// Changes "Compresses a PDF and converts it." into "Compress a PDF and convert it.", because PEP 257 requires this
/// form.
pub fn imperative(sentence: &str) -> String {
    let (verb, rest) = sentence.split_once(' ').unwrap_or((sentence, ""));
    let hisses = ["sses", "shes", "ches", "xes"].iter().any(|ending| verb.ends_with(ending));
    let plain = verb.strip_suffix(if hisses { "es" } else { "s" }).unwrap_or(verb);
    format!("{plain} {}", rest.replace(" and converts ", " and convert "))
}

/// Changes "A margin." into "a margin", to be used after a name.
pub fn phrase(sentence: &str) -> String {
    let mut text = sentence.trim_end_matches('.').to_owned();
    text[..1].make_ascii_lowercase();
    text
}

/// Changes "the width" into "The width.".
pub fn sentence(phrase: &str) -> String {
    let mut text = format!("{phrase}.");
    text[..1].make_ascii_uppercase();
    text
}

/// Joins items: "a", "a and b", "a, b and c". `word` is the last separator, such as "and".
pub fn list(items: &[String], word: &str) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [rest @ .., last] => format!("{} {word} {last}", rest.join(", ")),
    }
}

/// Breaks `text` into lines of at most `width` characters. Words are not broken.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last().unwrap();
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(String::new());
        }
        let line = lines.last_mut().unwrap();
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines
}

/// One option of an operation: a plain option with its field, or an object with its fields.
pub enum Opt {
    Plain(&'static Field),
    Object(&'static Object, Vec<&'static Field>),
}

impl Opt {
    pub fn name(&self) -> String {
        match self {
            Self::Plain(field) => snake(field.path),
            Self::Object(object, _) => snake(object.option),
        }
    }

    /// An object is never required. If it is given, some of its fields may be required.
    pub fn is_required(&self) -> bool {
        matches!(self, Self::Plain(field) if field.need == Need::Required)
    }

    /// The Python type of the option, without `None`. `types` is the prefix of the module that has the types.
    pub fn type_name(&self, types: &str) -> String {
        match self {
            Self::Plain(field) => field_type(field, types),
            Self::Object(object, parts) => {
                let name = format!("{types}{}", python_object(object, parts).name);
                let lengths = parts.iter().filter(|field| is_length(field)).count();
                match () {
                    () if is_pair(parts) => format!("{name} | tuple[int, int]"),
                    // An option with one length, or with width and height, may be a text such as "1.5cm" or "6x2cm".
                    () if object.option != "margin" && lengths > 0 => format!("{name} | str"),
                    () => name,
                }
            }
        }
    }
}

/// The options of an operation: first the required options, then the others, each group in the order of the table.
pub fn options_of(kind: OperationKind) -> Vec<Opt> {
    let mut found: Vec<Opt> = Vec::new();
    for field in kind.fields() {
        let Some((parent, _)) = field.path.split_once('.') else {
            found.push(Opt::Plain(field));
            continue;
        };
        let known = found.iter_mut().find_map(|option| match option {
            Opt::Object(object, parts) if object.option == parent => Some(parts),
            _ => None,
        });
        match known {
            Some(parts) => parts.push(field),
            None => {
                let object = kind.objects().iter().find(|object| object.option == parent).unwrap();
                found.push(Opt::Object(object, vec![field]));
            }
        }
    }
    found.sort_by_key(|option| !option.is_required());
    found
}

/// Every object of the table with its operation and its fields, in the order of the table.
pub fn objects() -> Vec<(OperationKind, &'static Object, Vec<&'static Field>)> {
    let mut found = Vec::new();
    for kind in OperationKind::ALL {
        for option in options_of(*kind) {
            if let Opt::Object(object, parts) = option {
                found.push((*kind, object, parts));
            }
        }
    }
    found
}

/// Every closed set of the table with the path of its option, in the order of the table.
pub fn closed_sets() -> Vec<(&'static str, &'static ClosedSet)> {
    let mut found: Vec<(&str, &ClosedSet)> = Vec::new();
    for field in OperationKind::ALL.iter().flat_map(|kind| kind.fields()) {
        if let FieldKind::Choice(set) = field.kind
            && !found.iter().any(|(_, known)| known.name == set.name)
        {
            found.push((field.path, set));
        }
    }
    found
}

/// The name of a field of an object: `left` for `margin.left`.
pub fn part(field: &Field) -> &'static str {
    field.path.split_once('.').map_or(field.path, |(_, name)| name)
}

/// The set whose enum Python uses for `set`. If another set of the same option contains all its texts, that set is
/// used: `ColorSpace` for `PngColorSpace`.
pub fn python_enum(set: &'static ClosedSet) -> &'static ClosedSet {
    let sets = closed_sets();
    let path = sets.iter().find(|(_, known)| known.name == set.name).unwrap().0;
    let contains = |wider: &ClosedSet| set.texts.iter().all(|text| wider.texts.contains(text));
    let wider = sets.iter().filter(|(other, wider)| *other == path && contains(wider));
    wider.max_by_key(|(_, wider)| wider.texts.len()).unwrap().1
}

/// The object whose class Python uses for `object`. If another object of the same option has all its fields and more,
/// that object is used: `Margin` for `CodeMargin`.
pub fn python_object(object: &'static Object, parts: &[&'static Field]) -> &'static Object {
    let mut widest = (object, parts.len());
    for (_, other, others) in objects() {
        let contains = parts.iter().all(|field| others.iter().any(|wider| wider.path == field.path));
        if other.option == object.option && contains && others.len() > widest.1 {
            widest = (other, others.len());
        }
    }
    widest.0
}

/// Whether an object consists of two whole numbers. Such an object may be given as a tuple.
pub fn is_pair(parts: &[&Field]) -> bool {
    parts.len() == 2 && parts.iter().all(|field| matches!(field.kind, FieldKind::Integer { .. }))
}

/// The Python type of a plain value. For a closed set it is the `Like` alias of the enum. `types` is the prefix of
/// the module that has the types.
pub fn field_type(field: &Field, types: &str) -> String {
    match field.kind {
        FieldKind::Text | FieldKind::Secret => "str".to_owned(),
        FieldKind::Bool => "bool".to_owned(),
        FieldKind::Integer { .. } => "int".to_owned(),
        FieldKind::Number if is_length(field) => "float | str".to_owned(),
        FieldKind::Number => "float".to_owned(),
        FieldKind::Choice(set) => format!("{types}{}Like", set.name),
    }
}

/// Whether the field is a length: a number beside a unit. It may be a text such as `1.5cm`.
pub fn is_length(field: &Field) -> bool {
    let Some((parent, _)) = field.path.split_once('.') else { return false };
    let unit = format!("{parent}.unit");
    let has_unit = OperationKind::ALL.iter().flat_map(|kind| kind.fields()).any(|other| other.path == unit);
    field.kind == FieldKind::Number && has_unit
}

/// The meaning of a plain value, with the possible values and the default.
pub fn field_meaning(field: &Field) -> String {
    match (field.kind, field.need, field.default) {
        (FieldKind::Choice(set), _, default) => {
            let mark = |text: &&str| match default {
                Some(default) if default == *text => format!("{text} (the default)"),
                _ => (*text).to_owned(),
            };
            format!("{}: {}", field.about, list(&set.texts.iter().map(mark).collect::<Vec<_>>(), "or"))
        }
        (FieldKind::Bool, Need::Optional, Some(default)) => {
            let word = if default == "true" { "True" } else { "False" };
            format!("{}; default: {word}", field.about)
        }
        (_, _, Some(default)) => format!("{}; default: {default}", field.about),
        _ => field.about.to_owned(),
    }
}
