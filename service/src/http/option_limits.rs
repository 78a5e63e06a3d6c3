//! The limits of the options of one operation: their size as JSON, and the length of each text in them.

use super::problem::{ApiError, Code};
use serde_json::Value;
use std::io;

/// The limits of the options of one operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OptionLimits {
    /// The maximum size of all options, in bytes of JSON.
    pub(crate) options_bytes: usize,
    /// The maximum length of one text, in bytes of UTF-8.
    pub(crate) text_bytes: usize,
}

impl OptionLimits {
    /// Checks the options, and returns their size.
    ///
    /// # Errors
    /// The first limit that the options exceed. The error never contains a value of an option.
    pub(crate) fn check(&self, options: &Value) -> Result<usize, ApiError> {
        self.check_texts(options, &mut "options".to_owned())?;
        let size = size(options);
        if size <= self.options_bytes {
            return Ok(size);
        }
        let limit = self.options_bytes;
        let detail = format!(
            "the options have {size} bytes, but at most {limit} are allowed for one operation; use shorter options"
        );
        Err(ApiError::new(Code::BodyTooLarge, detail).with("field", "options").with("limit", limit))
    }

    fn check_texts(&self, value: &Value, path: &mut String) -> Result<(), ApiError> {
        let length = path.len();
        match value {
            Value::String(text) if text.len() > self.text_bytes => {
                return Err(self.too_long(text.len(), path));
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    path.push_str(&format!("[{index}]"));
                    self.check_texts(item, path)?;
                    path.truncate(length);
                }
            }
            Value::Object(fields) => {
                for (name, field) in fields {
                    path.push('.');
                    path.push_str(name);
                    self.check_texts(field, path)?;
                    path.truncate(length);
                }
            }
            Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
        Ok(())
    }

    fn too_long(&self, length: usize, path: &str) -> ApiError {
        // The path may contain the name of an unknown field, which may have any length.
        let field: String = path.chars().take(128).collect();
        let limit = self.text_bytes;
        let detail = format!(
            "{field} has {length} bytes of text, but at most {limit} are allowed; use a shorter text"
        );
        ApiError::new(Code::InvalidOption, detail).with("field", field).with("limit", limit)
    }
}

/// The size of `json` in bytes, without a copy that would have to be overwritten.
fn size(json: &Value) -> usize {
    struct Counted(usize);
    impl io::Write for Counted {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.saturating_add(bytes.len());
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut counted = Counted(0);
    // This cannot fail: all keys are strings, and `Counted` does no I/O.
    if serde_json::to_writer(&mut counted, json).is_err() {
        return usize::MAX;
    }
    counted.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(options: Value) -> Result<usize, ApiError> {
        OptionLimits { options_bytes: 100, text_bytes: 10 }.check(&options)
    }

    #[test]
    fn a_text_that_is_too_long_is_named_and_not_repeated() {
        assert_eq!(check(json!({"a": "0123456789"})).unwrap(), r#"{"a":"0123456789"}"#.len());
        for (options, field) in [
            (json!({"password": "0123456789-"}), "options.password"),
            (json!({"stamps": [{"text": "x"}, {"text": "0123456789-"}]}), "options.stamps[1].text"),
            (json!({"a": {"b": ["é".repeat(6)]}}), "options.a.b[0]"),
        ] {
            let error = format!("{:?}", check(options).unwrap_err());
            assert!(error.contains(&format!("{field} has ")) && error.contains("at most 10 "), "{error}");
            assert!(!error.contains("0123456789-"), "{error}");
        }
    }

    #[test]
    fn options_that_are_too_large_together_are_refused() {
        let error = check(json!({"a": vec!["x"; 30]})).unwrap_err();
        assert!(error.is(Code::BodyTooLarge), "{error:?}");
    }
}
