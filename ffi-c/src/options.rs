//! `recto_options`: builds the options of an operation, option by option, and writes them as JSON.

mod json;
mod value;

pub(crate) use json::{read_json, read_json_object};

use crate::error::{Outcome, recto_error};
use crate::memory::handles::{free, read_handle};
use crate::operation::known;
use crate::status::{RECTO_E_INVALID, recto_status};
use recto::OperationKind;
use recto::interface::Field;
use serde_json::{Map, Value};
use std::ffi::c_char;
use std::ptr::null;
use value::Given;
use zeroize::{Zeroize as _, Zeroizing};

/// The options of one operation. Set each option by its name, and pass recto_options_json() to the function that starts
/// the operation:
///
///     recto_options *options = NULL;
///     recto_options_new(RECTO_STAMP_TEXT, &options, &error);
///     recto_options_set(options, "text", "DRAFT", &error);
///     recto_options_set_int(options, "textStyle.fontSize", 12, &error);
///     recto_start_path(client, RECTO_STAMP_TEXT, path, recto_options_json(options), NULL, &operation, &error);
///     recto_options_free(options);
///
/// The comment of each operation at the top lists its options. An option inside an object has the name of the object, a
/// dot, and its own name.
///
/// Threads: one at a time.
pub struct recto_options {
    kind: OperationKind,
    values: Map<String, Value>,
    /// `values` as JSON. The options may contain a password, so it is overwritten when it is replaced or freed.
    json: Zeroizing<Vec<u8>>,
}

/// Creates options in which nothing is set, freed with recto_options_free().
///
/// Errors: RECTO_E_INVALID for an unknown operation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_options_new(
    operation: *const c_char,
    out: *mut *mut recto_options,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, out: out, operation: text => {
        out.set(recto_options::new(known(operation)?))
    })
}

/// Sets an option. Its type determines what `value` is: any text, an allowed value, a decimal number, "true" or
/// "false".
///
/// Errors: RECTO_E_INVALID for an unknown name, a value that the option does not take, and an option that is already
/// set. The message lists the names or the values that are allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_options_set(
    options: *mut recto_options,
    name: *const c_char,
    value: *const c_char,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, options: handle_mut, name: text, value: text => options.set(name, Given::Any(value)))
}

/// Sets an option that takes text or one of a list of values.
///
/// Errors: as recto_options_set(), and RECTO_E_INVALID for an option of another type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_options_set_text(
    options: *mut recto_options,
    name: *const c_char,
    value: *const c_char,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, options: handle_mut, name: text, value: text => options.set(name, Given::Text(value)))
}

/// Sets an option that takes a number.
///
/// Errors: as recto_options_set(), and RECTO_E_INVALID for an option of another type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_options_set_int(
    options: *mut recto_options,
    name: *const c_char,
    value: i64,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, options: handle_mut, name: text => options.set(name, Given::Int(value)))
}

/// Sets an option that takes a number with a fraction.
///
/// Errors: as recto_options_set(), and RECTO_E_INVALID for an option of another type, infinity and NaN.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_options_set_double(
    options: *mut recto_options,
    name: *const c_char,
    value: f64,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, options: handle_mut, name: text => options.set(name, Given::Double(value)))
}

/// Sets an option that is true or false: `value` is 0 for false.
///
/// Errors: as recto_options_set(), and RECTO_E_INVALID for an option of another type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_options_set_bool(
    options: *mut recto_options,
    name: *const c_char,
    value: i32,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, options: handle_mut, name: text => options.set(name, Given::Bool(value != 0)))
}

/// The options as JSON, for recto_start() and the other functions with `options`. Valid until the next option is set,
/// or the options are freed; NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_options_json(options: *const recto_options) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(options, null(), |options| options.json.as_ptr().cast()) }
}

/// Frees the options, and overwrites them in memory. NULL is allowed and does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_options_free(options: *mut recto_options) {
    // SAFETY: the header requires NULL or a handle of this library that is no longer in use.
    unsafe { free(options) };
}

impl recto_options {
    fn new(kind: OperationKind) -> Self {
        Self { kind, values: Map::new(), json: Zeroizing::new(b"{}\0".to_vec()) }
    }

    fn set(&mut self, name: &str, given: Given<'_>) -> Outcome {
        let refuse = |why: String| {
            recto_error::new(RECTO_E_INVALID, format!("the option {name} of {}: {why}", self.kind.name()))
        };
        let field = self.field(name)?;
        let value = given.for_field(field).map_err(refuse)?;
        let place = place(&mut self.values, name).ok_or_else(|| refuse(ALREADY_SET.to_owned()))?;
        *place = value;
        // JSON has no NUL inside: it is escaped in a string. A map of values can always be written.
        let mut json = serde_json::to_vec(&self.values).unwrap_or_default();
        json.push(0);
        self.json = Zeroizing::new(json);
        Ok(())
    }

    fn field(&self, name: &str) -> Outcome<&'static Field> {
        let fields = self.kind.fields();
        fields.iter().find(|field| field.path == name).ok_or_else(|| {
            let names: Vec<_> = fields.iter().map(|field| field.path).collect();
            let known = match names.as_slice() {
                [] => "it has no options".to_owned(),
                names => format!("its options are {}", names.join(", ")),
            };
            let message = format!("unknown option {name:?} of {}; {known}", self.kind.name());
            recto_error::new(RECTO_E_INVALID, message)
        })
    }
}

const ALREADY_SET: &str = "it is already set; set each option once";

/// The place of a new option in the JSON object. `None` if it is already set.
fn place<'v>(values: &'v mut Map<String, Value>, name: &str) -> Option<&'v mut Value> {
    match name.split_once('.') {
        Some((parent, rest)) => {
            let object = values.entry(parent).or_insert_with(|| Value::Object(Map::new()));
            place(object.as_object_mut()?, rest)
        }
        None => match values.entry(name) {
            serde_json::map::Entry::Vacant(empty) => Some(empty.insert(Value::Null)),
            serde_json::map::Entry::Occupied(_) => None,
        },
    }
}

impl Drop for recto_options {
    fn drop(&mut self) {
        self.values.values_mut().for_each(wipe);
    }
}

fn wipe(value: &mut Value) {
    match value {
        Value::String(text) => text.zeroize(),
        Value::Object(values) => values.values_mut().for_each(wipe),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(kind: OperationKind) -> recto_options {
        recto_options::new(kind)
    }

    fn refused(options: &mut recto_options, name: &str, given: Given<'_>) -> String {
        options.set(name, given).unwrap_err().message().to_str().unwrap().to_owned()
    }

    #[test]
    fn options_become_the_json_that_the_interface_takes() {
        let mut stamp = options(OperationKind::StampText);
        assert!(stamp.set("text", Given::Any("a \"b\"\n\u{1}")).is_ok());
        assert!(stamp.set("textStyle.fontSize", Given::Any("12")).is_ok());
        assert!(stamp.set("textStyle.isBold", Given::Bool(true)).is_ok());
        assert!(stamp.set("margin.top", Given::Double(1.5)).is_ok());
        assert!(stamp.set("margin.unit", Given::Text("cm")).is_ok());
        let json: Value = serde_json::from_slice(stamp.json.strip_suffix(b"\0").unwrap()).unwrap();
        let expected = serde_json::json!({
            "text": "a \"b\"\n\u{1}",
            "textStyle": {"fontSize": 12, "isBold": true},
            "margin": {"top": 1.5, "unit": "cm"},
        });
        assert_eq!(json, expected);
    }

    #[test]
    fn errors_list_what_is_allowed() {
        let mut optimize = options(OperationKind::Optimize);
        let message = refused(&mut optimize, "profile", Given::Any("small"));
        assert!(message.contains("\"small\"") && message.contains("web, archive, print"), "{message}");
        let message = refused(&mut optimize, "profil", Given::Any("web"));
        assert!(message.contains("\"profil\"") && message.contains("options are profile"), "{message}");
        assert!(optimize.set("profile", Given::Any("web")).is_ok());
        assert!(refused(&mut optimize, "profile", Given::Any("web")).contains("already set"));
        assert_eq!(optimize.json.as_slice(), b"{\"profile\":\"web\"}\0");
        let mut tiff = options(OperationKind::PdfToTiff);
        assert!(refused(&mut tiff, "x", Given::Int(1)).contains("it has no options"));
        let mut jpeg = options(OperationKind::PdfToJpeg);
        assert!(refused(&mut jpeg, "jpegQuality", Given::Int(101)).contains("to 100"));
        assert!(refused(&mut jpeg, "jpegQuality", Given::Text("90")).contains("whole number"));
        // An object is set by its parts.
        assert!(refused(&mut jpeg, "maxSizeInPixels", Given::Any("{}")).contains("maxSizeInPixels.width"));
    }

    #[test]
    fn a_password_is_never_quoted() {
        let mut encrypt = options(OperationKind::Encrypt);
        assert!(!refused(&mut encrypt, "password", Given::Int(4711)).contains("4711"));
    }
}
