//! Options as JSON, and the service's JSON as Python objects.

use crate::errors;
use crate::names::{Spelling, camel_case};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyList, PyMapping, PyString, PyTuple};
use serde_json::{Map, Number, Value};

/// How deep options may be nested; the interface's are two deep.
const DEPTH: usize = 8;

/// Options as JSON: names in the interface's case, what is `None` left out. And the case that the caller used.
pub fn options(py: Python<'_>, options: Option<&Bound<'_, PyMapping>>) -> PyResult<(Value, Spelling)> {
    let mut reading = Reading { py, spelling: Spelling::Python };
    let options = match options {
        Some(options) => reading.object(options.items()?.iter().map(|item| item.extract()), "", DEPTH)?,
        None => Value::Null,
    };
    Ok((options, reading.spelling))
}

struct Reading<'py> {
    py: Python<'py>,
    spelling: Spelling,
}

impl<'py> Reading<'py> {
    fn object(
        &mut self,
        items: impl Iterator<Item = PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)>>,
        path: &str,
        depth: usize,
    ) -> PyResult<Value> {
        let mut object = Map::new();
        for item in items {
            let (name, value) = item?;
            let name: String = name.extract()?;
            if name.contains(|letter: char| letter.is_ascii_uppercase()) {
                self.spelling = Spelling::Interface;
            }
            if !value.is_none() {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                object.insert(camel_case(&name), self.json(&value, &path, depth)?);
            }
        }
        Ok(Value::Object(object))
    }

    fn json(&mut self, value: &Bound<'py, PyAny>, path: &str, depth: usize) -> PyResult<Value> {
        let py = self.py;
        let refuse = |what: &str| Err(errors::invalid(py, "start", &format!("option {path}: {what}")));
        let Some(depth) = depth.checked_sub(1) else { return refuse("it is nested too deeply") };
        if let Ok(text) = value.cast::<PyString>() {
            return match text.to_str() {
                Ok(text) => Ok(Value::String(text.to_owned())),
                Err(_) => refuse("it holds characters that are no Unicode"),
            };
        }
        if let Ok(truth) = value.cast::<PyBool>() {
            return Ok(Value::Bool(truth.is_true()));
        }
        // Fields by their slots: the values of `recto.options`.
        if let Ok(slots) = value.getattr("__slots__").and_then(|slots| Ok(slots.cast_into::<PyTuple>()?)) {
            return self.object(
                slots.iter().map(|name| Ok((name.clone(), value.getattr(name.cast::<PyString>()?)?))),
                path,
                depth,
            );
        }
        // Of all options only the size of an image is a pair.
        if let Ok(pair) = value.cast::<PyTuple>()
            && pair.len() == 2
        {
            let sides = ["width", "height"].map(|side| PyString::new(py, side).into_any());
            return self.object(sides.into_iter().zip(pair.iter()).map(Ok), path, depth);
        }
        if let Ok(mapping) = value.cast::<PyMapping>() {
            let items = mapping.items()?;
            return self.object(items.iter().map(|item| item.extract()), path, depth);
        }
        if let Ok(list) = value.cast::<PyList>() {
            let items: PyResult<Vec<Value>> = list.iter().map(|item| self.json(&item, path, depth)).collect();
            return Ok(Value::Array(items?));
        }
        if !value.is_instance_of::<PyFloat>() {
            if let Ok(number) = value.extract::<i64>() {
                return Ok(number.into());
            }
            if let Ok(number) = value.extract::<u64>() {
                return Ok(number.into());
            }
        }
        match value.extract::<f64>() {
            Ok(number) => match Number::from_f64(number) {
                Some(number) => Ok(Value::Number(number)),
                None => refuse(&format!("{number} is not a finite number")),
            },
            Err(_) => refuse(&format!("a {} is no value for it", value.get_type().name()?)),
        }
    }
}

/// JSON as Python objects: dict, list, str, int, float, bool, None.
pub fn python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(truth) => PyBool::new(py, *truth).to_owned().into_any(),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => number.into_pyobject(py)?.into_any(),
            (None, Some(number)) => number.into_pyobject(py)?.into_any(),
            (None, None) => number.as_f64().into_pyobject(py)?,
        },
        Value::String(text) => PyString::new(py, text).into_any(),
        Value::Array(items) => {
            let list = PyList::empty(py);
            for item in items {
                list.append(python(py, item)?)?;
            }
            list.into_any()
        }
        Value::Object(fields) => {
            let dict = PyDict::new(py);
            for (name, value) in fields {
                dict.set_item(name, python(py, value)?)?;
            }
            dict.into_any()
        }
    })
}
