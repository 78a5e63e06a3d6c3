//! The operations with their options, objects and enums, as the table declares them.

use crate::neutral::sentence;
use recto_interface::{ClosedSet, Field, FieldKind, Need, Object, OperationKind, Yields};
use serde::Serialize;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Operation {
    /// `stamp-qr`, the name in C and on the command line.
    name: &'static str,
    /// `RECTO_STAMP_QR`.
    constant: String,
    /// `stampQR`, the `operationType` in JSON.
    operation_type: &'static str,
    /// The name of the type of its options: `StampQr`, to which a language adds `Options`.
    type_name: String,
    about: &'static str,
    path: &'static str,
    beta_path: Option<&'static str>,
    accepts: &'static [&'static str],
    /// `file` or `report`.
    result: &'static str,
    /// The extensions that the result file can have.
    result_extensions: &'static [&'static str],
    options: Vec<Opt>,
}

/// An option of an operation, or a field of an object.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Opt {
    /// The name in its object, as in the specification: `margin`.
    name: &'static str,
    /// The name from the top of the options, as recto_options_set() takes it: `pageMargin.margin`.
    path: &'static str,
    /// `text`, `secret`, `bool`, `integer`, `number`, `enum` or `object`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// The name in `enums`.
    #[serde(rename = "enum", skip_serializing_if = "Option::is_none")]
    of_enum: Option<&'static str>,
    /// The name in `objects`.
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<u32>,
    /// In an operation: whether the option must be given. In an object: whether it must be given with the object.
    required: bool,
    /// Whether the value must not be shown.
    secret: bool,
    /// Whether the value may also be a text with a unit, such as `1.5cm`, or `6x2cm` for an object with a width and a
    /// height.
    length: bool,
    /// The default of the service, as text.
    default: Option<&'static str>,
    about: String,
}

#[derive(Serialize)]
pub struct ObjectType {
    name: &'static str,
    about: &'static str,
    fields: Vec<Opt>,
}

#[derive(Serialize)]
pub struct Enum {
    name: &'static str,
    about: &'static str,
    values: Vec<Value>,
}

#[derive(Serialize)]
struct Value {
    text: &'static str,
    about: &'static str,
}

pub fn operations() -> Vec<Operation> {
    OperationKind::ALL.iter().map(|kind| operation(*kind)).collect()
}

fn operation(kind: OperationKind) -> Operation {
    let mut options: Vec<Opt> = Vec::new();
    for field in kind.fields() {
        match field.path.split_once('.') {
            None => options.push(plain(field, &[])),
            Some((parent, _)) if options.iter().any(|known| known.name == parent) => {}
            Some((parent, _)) => {
                let object = kind.objects().iter().find(|object| object.option == parent).unwrap();
                options.push(nested(object, &fields_of(kind, object)));
            }
        }
    }
    Operation {
        name: kind.name(),
        constant: format!("RECTO_{}", kind.name().to_uppercase().replace('-', "_")),
        operation_type: kind.wire_name(),
        type_name: format!("{kind:?}"),
        about: kind.about(),
        path: kind.path(),
        beta_path: kind.beta_path(),
        accepts: kind.accepts(),
        result: match kind.yields() {
            Yields::File => "file",
            Yields::Report => "report",
        },
        result_extensions: result_extensions(kind),
        options,
    }
}

fn result_extensions(kind: OperationKind) -> &'static [&'static str] {
    match kind {
        OperationKind::PdfToJpeg => &["jpg", "zip"],
        OperationKind::PdfToPng => &["png", "zip"],
        OperationKind::PdfToTiff => &["tif", "zip"],
        OperationKind::PdfToTiffFax => &["tif"],
        OperationKind::Validate => &[],
        _ => &["pdf"],
    }
}

fn fields_of(kind: OperationKind, object: &Object) -> Vec<&'static Field> {
    let parent = |path: &'static str| path.split_once('.').map(|(parent, _)| parent);
    kind.fields().iter().filter(|field| parent(field.path) == Some(object.option)).collect()
}

fn nested(object: &Object, fields: &[&'static Field]) -> Opt {
    let lengths = fields.iter().filter(|field| is_length(field, fields)).count();
    let has_size = fields.iter().any(|field| field.path.ends_with(".width"));
    Opt {
        name: object.option,
        path: object.option,
        kind: "object",
        of_enum: None,
        object: Some(object.name),
        min: None,
        max: None,
        // A required part makes no option required: the specification has optional objects only.
        required: false,
        secret: false,
        length: lengths == 1 || (lengths == 2 && has_size),
        default: None,
        about: sentence(object.about),
    }
}

/// A plain value. `siblings` are the fields of the object that it is a part of.
fn plain(field: &'static Field, siblings: &[&'static Field]) -> Opt {
    let (mut of_enum, mut min, mut max) = (None, None, None);
    let kind = match field.kind {
        FieldKind::Text => "text",
        FieldKind::Secret => "secret",
        FieldKind::Bool => "bool",
        FieldKind::Number => "number",
        FieldKind::Integer { min: least, max: greatest } => {
            (min, max) = (Some(least), Some(greatest));
            "integer"
        }
        FieldKind::Choice(set) => {
            of_enum = Some(set.name);
            "enum"
        }
    };
    Opt {
        name: field.path.split_once('.').map_or(field.path, |(_, name)| name),
        path: field.path,
        kind,
        of_enum,
        object: None,
        min,
        max,
        required: field.need != Need::Optional,
        secret: field.kind == FieldKind::Secret,
        length: is_length(field, siblings),
        default: field.default,
        about: sentence(field.about),
    }
}

/// Whether the field is a length: a number beside a unit.
fn is_length(field: &Field, siblings: &[&Field]) -> bool {
    field.kind == FieldKind::Number && siblings.iter().any(|other| other.path.ends_with(".unit"))
}

/// Every object type of the table once, in the order of the table.
pub fn objects() -> Vec<ObjectType> {
    let mut found: Vec<ObjectType> = Vec::new();
    for kind in OperationKind::ALL {
        for object in kind.objects() {
            if !found.iter().any(|known| known.name == object.name) {
                let parts = fields_of(*kind, object);
                let fields = parts.iter().map(|field| plain(field, &parts)).collect();
                found.push(ObjectType { name: object.name, about: object.about, fields });
            }
        }
    }
    found
}

/// Every enum of the table once, in the order of the table.
pub fn enums() -> Vec<Enum> {
    let mut found: Vec<Enum> = Vec::new();
    for field in OperationKind::ALL.iter().flat_map(|kind| kind.fields()) {
        if let FieldKind::Choice(set) = field.kind
            && !found.iter().any(|known| known.name == set.name)
        {
            found.push(enumeration(set));
        }
    }
    found
}

fn enumeration(set: &ClosedSet) -> Enum {
    let values = set.texts.iter().zip(set.abouts).map(|(&text, &about)| Value { text, about });
    Enum { name: set.name, about: set.about, values: values.collect() }
}
